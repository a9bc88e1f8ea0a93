"""The door to editors: a language server that reports failures in a note as it is typed.

`vaultkit.doors.drafts` checks the text that an editor holds; `vaultkit.edit` answers its requests;
`vaultkit.doors.protocol` translates both to and from the protocol.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path
from pygls.workspace import TextDocument

from vaultkit.checks.check import FAILS, Check
from vaultkit.doors.drafts import Draft, Drafts
from vaultkit.doors.protocol import COMPLETIONS, SYMBOLS, Protocol
from vaultkit.edit.actions import actions
from vaultkit.edit.complete import offers
from vaultkit.edit.find import Place, definition, references, renamed_in, symbols, vault_symbols
from vaultkit.edit.hover import hover, state_of
from vaultkit.edit.rename import RenameError, rename_heading, rename_note
from vaultkit.edit.text import Edit, Span, applied, lines
from vaultkit.read.note import Note
from vaultkit.read.roots import vault_in
from vaultkit.read.vault import Vault
from vaultkit.store import store_beside

#: Seconds after the last key before a note is checked.
PAUSE = 0.1
#: The command that runs a note up to one of its blocks: its URI, and the block's number from 0.
RUN_TO = "vaultkit.runTo"


class _Unread(TextDocument):
    """An empty document in pygls' workspace: the text of a note is held by `Drafts`.

    pygls splits lines at more characters than editors do, and its conversion of a position
    changes the object that it gets.
    """

    def apply_change(self, change: types.TextDocumentContentChangeEvent) -> None:
        """Ignore the change: `Drafts` stores the text."""


class Server(LanguageServer):
    """Reports to an editor the failures in the notes of a vault.

    Parameters
    ----------
    folder
        The folder of the vault; None: it is found in the folder that the editor has opened.
    pause
        Seconds after the last key before a note is checked.
    """

    def __init__(self, folder: Path | None = None, pause: float = PAUSE) -> None:
        super().__init__("vaultkit", version("vaultkit"))
        self._folder = folder
        self._pause = pause
        self._drafts: Drafts
        handlers: dict[str, Callable[..., Any]] = {
            types.INITIALIZE: self._initialize,
            types.INITIALIZED: self._initialized,
            types.TEXT_DOCUMENT_DID_OPEN: self._did_open,
            types.TEXT_DOCUMENT_DID_CHANGE: self._did_change,
            types.TEXT_DOCUMENT_DID_SAVE: self._did_save,
            types.TEXT_DOCUMENT_DID_CLOSE: self._did_close,
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES: self._did_change_files,
            types.SHUTDOWN: self._shut_down,
            types.TEXT_DOCUMENT_COMPLETION: self._complete,
            types.TEXT_DOCUMENT_DEFINITION: self._define,
            types.TEXT_DOCUMENT_REFERENCES: self._refer,
            types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: self._symbols,
            types.WORKSPACE_SYMBOL: self._vault_symbols,
            types.TEXT_DOCUMENT_PREPARE_RENAME: self._prepare_rename,
            types.TEXT_DOCUMENT_RENAME: self._rename,
            types.TEXT_DOCUMENT_HOVER: self._hover,
            types.TEXT_DOCUMENT_CODE_ACTION: self._actions,
            types.TEXT_DOCUMENT_CODE_LENS: self._lenses,
        }
        options = {
            types.TEXT_DOCUMENT_COMPLETION: types.CompletionOptions(list("[#^!`$\\")),
            types.TEXT_DOCUMENT_RENAME: types.RenameOptions(prepare_provider=True),
        }
        for name, handler in handlers.items():
            # pygls sets attributes on a handler, which a bound method does not allow.
            self.feature(name, options.get(name))(partial(handler))
        self.command(RUN_TO)(partial(self._run_to))

    @property
    def vault(self) -> Vault:
        """The vault, with the open notes as the editor holds them."""
        return self._drafts.vault

    # --- Start and end -----------------------------------------------------------------------

    def _initialize(self, params: types.InitializeParams) -> None:
        folders = [folder.uri for folder in params.workspace_folders or []]
        root = (folders or [params.root_uri or ""])[0]
        folder = self._folder or vault_in(Path(to_fs_path(root) or "."))
        vault = Vault(folder, store=store_beside(folder.resolve()))
        gc.freeze()  # all notes stay: collecting among them only takes time
        # The code of notes imports modules from beside the vault; tracebacks name paths from there.
        os.chdir(vault.root.parent)
        encoding = self.workspace.position_encoding
        self._drafts = Drafts(vault, self, self._pause)
        self._in_words = Protocol(self._drafts, str(getattr(encoding, "value", encoding)))

    async def _initialized(self, _: types.InitializedParams) -> None:
        """Ask the editor to report files that change on disk."""
        workspace = self.client_capabilities.workspace
        watched = workspace and workspace.did_change_watched_files
        if not (watched and watched.dynamic_registration):
            return
        watchers = [types.FileSystemWatcher(f"**/*.{end}") for end in ("md", "py", "svg", "toml")]
        await self.client_register_capability_async(
            types.RegistrationParams(
                [
                    types.Registration(
                        "files",
                        types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
                        types.DidChangeWatchedFilesRegistrationOptions(watchers),
                    )
                ]
            )
        )

    def _shut_down(self, _: None) -> None:
        self.close()

    def close(self) -> None:
        """Cancel all runs and timers."""
        if hasattr(self, "_drafts"):
            self._drafts.close()

    # --- Open notes --------------------------------------------------------------------------

    def _did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        if path := self._path(document.uri):
            self.workspace.text_documents[unquote(document.uri)] = _Unread(document.uri, "")
            self._drafts.opened(path, document.uri, document.text, document.version)

    def _did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        path = self._path(params.text_document.uri)
        held = self._drafts.get(path) if path else None
        if held is None:
            return
        text = held.text
        for change in params.content_changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                given = Edit(self._in_words.span(lines(text), change.range), change.text)
                text = applied(text, [given])
            else:
                text = change.text
        self._drafts.edited(held.note.path, text, params.text_document.version)

    def _did_save(self, params: types.DidSaveTextDocumentParams) -> None:
        if path := self._path(params.text_document.uri):
            self._drafts.saved(path)

    def _did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        path = self._path(params.text_document.uri)
        if path and self._drafts.get(path):
            self._drafts.closed(path)

    def _did_change_files(self, params: types.DidChangeWatchedFilesParams) -> None:
        paths = [to_fs_path(event.uri) for event in params.changes]
        self._drafts.files_changed([Path(path) for path in paths if path])

    # --- Reports to the editor ---------------------------------------------------------------

    def found(self, note: Note, checks: Iterable[Check], draft: Draft | None) -> None:
        """Publish the failures in a note."""
        diagnostics = [self._in_words.diagnostic(note, check) for check in checks]
        uri = draft.uri if draft else self._in_words.uri(note.path)
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, diagnostics, draft.version if draft else None)
        )

    def ran(self) -> None:
        """Make the editor request the lenses again."""
        workspace = self.client_capabilities.workspace
        if workspace and workspace.code_lens and workspace.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)

    def say(self, words: str, outcome: str) -> None:
        """Show a message to the user."""
        kind = types.MessageType.Warning if outcome == FAILS else types.MessageType.Info
        self.window_show_message(types.ShowMessageParams(kind, words))

    # --- Requests of the editor ----------------------------------------------------------------

    def _complete(self, params: types.CompletionParams) -> list[types.CompletionItem]:
        if (at := self._at(params)) is None:
            return []
        note, line, column = at
        return [
            types.CompletionItem(
                offer.label,
                kind=COMPLETIONS[offer.kind],
                detail=offer.detail or None,
                filter_text=offer.match or None,
                text_edit=types.TextEdit(self._in_words.range(note.lines, offer.span), offer.text),
            )
            for offer in offers(self.vault, note, line, column)
        ]

    def _define(self, params: types.DefinitionParams) -> types.Location | None:
        found = definition(self.vault, *at) if (at := self._at(params)) else None
        return self._in_words.location(found) if found else None

    def _refer(self, params: types.ReferenceParams) -> list[types.Location]:
        at = self._at(params)
        return (
            [self._in_words.location(place) for place in references(self.vault, *at)] if at else []
        )

    def _symbols(self, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        note = self._note(params.text_document.uri)
        return self._in_words.outline(note, list(symbols(note))) if note else []

    def _vault_symbols(self, params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
        return [
            types.WorkspaceSymbol(
                self._in_words.location(Place(part.path, part.span)),
                part.name or " ",
                SYMBOLS[part.kind],
                container_name=part.path.stem,
            )
            for part in vault_symbols(self.vault, params.query)
        ]

    def _prepare_rename(
        self, params: types.PrepareRenameParams
    ) -> types.PrepareRenameResult | None:
        at = self._at(params)
        found = renamed_in(self.vault, *at) if at else None
        if at is None or found is None:
            return None
        note, words, span = at[0], found.words, found.span
        return types.PrepareRenamePlaceholder(self._in_words.range(note.lines, span), words)

    def _rename(self, params: types.RenameParams) -> types.WorkspaceEdit | None:
        at = self._at(params)
        found = renamed_in(self.vault, *at) if at else None
        if found is None:
            raise JsonRpcInvalidParams("a note or a heading can be renamed: here is neither")
        try:
            if found.heading:
                changes = rename_heading(self.vault, found.note, found.heading, params.new_name)
            else:
                changes = rename_note(self.vault, found.note.path, params.new_name)
        except RenameError as error:
            raise JsonRpcInvalidParams(str(error)) from error
        if changes.left:
            self.say(f"{', '.join(changes.left)}: this code calls {found.words!r}, too", FAILS)
        return self._in_words.workspace_edit(changes.edits, moved=changes.moved)

    def _hover(self, params: types.HoverParams) -> types.Hover | None:
        if (at := self._at(params)) is None:
            return None
        held = self._drafts.get(at[0].path)
        checks = held.checks if held else []
        values = held.verdict.found.values if held and held.verdict else {}
        said = hover(self.vault, *at, checks, values)
        if said is None:
            return None
        span, words = said
        text = types.MarkupContent(types.MarkupKind.Markdown, words)
        return types.Hover(text, self._in_words.range(at[0].lines, span))

    def _actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        held = self._held(params.text_document.uri)
        if held is None:
            return []
        note, checks = held.note, held.checks
        where = self._in_words.span(note.lines, params.range)
        return [
            types.CodeAction(
                action.title,
                types.CodeActionKind.QuickFix,
                [self._in_words.diagnostic(note, action.fixes)] if action.fixes else None,
                edit=self._in_words.workspace_edit(action.edits, makes=action.makes),
            )
            for action in actions(self.vault, note, where, checks)
        ]

    def _lenses(self, params: types.CodeLensParams) -> list[types.CodeLens]:
        """Return a lens for each block: its outcome, its time, and a command to run up to it."""
        held = self._held(params.text_document.uri)
        if held is None:
            return []
        note, checks = held.note, held.code_checks
        return [
            types.CodeLens(
                self._in_words.range(note.lines, Span.within(block.fence.line, 1, 0)),
                types.Command(
                    " · ".join(filter(None, ["run to here", state_of(index, checks)])),
                    RUN_TO,
                    arguments=[held.uri, index],
                ),
            )
            for index, block in enumerate(note.blocks)
        ]

    def _run_to(self, uri: str, index: int) -> None:
        """Run the blocks of a note up to and including one, and show its result."""
        if held := self._held(uri):
            self._drafts.run_to(held.note.path, index)

    # --- Notes and places ----------------------------------------------------------------------

    def _path(self, uri: str) -> Path | None:
        """Return the path of the note of the vault that a URI names, if there is one."""
        name = to_fs_path(uri)
        if name is None or not name.endswith(".md"):
            return None
        path = Path(os.path.normpath(name))
        if not path.is_relative_to(self.vault.root):
            path = path.resolve()
        return path if path.is_relative_to(self.vault.root) else None

    def _note(self, uri: str) -> Note | None:
        """Return a note with the text that the editor holds, or that is on disk."""
        path = self._path(uri)
        return self._drafts.note(path) if path else None

    def _held(self, uri: str) -> Draft | None:
        """Return the draft of a note with its latest text parsed."""
        note = self._note(uri)
        return self._drafts.get(note.path) if note else None

    def _at(self, params: Any) -> tuple[Note, int, int] | None:
        """Return the note and the position that a request names."""
        note = self._note(params.text_document.uri)
        return (note, *self._in_words.place(note.lines, params.position)) if note else None


def serve(folder: Path | None) -> None:
    """Serve an editor over the standard streams, until it closes them."""
    # Anything that this process or a child prints must not get into the protocol's stream.
    reading, writing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    server = Server(folder)
    try:
        server.start_io(os.fdopen(reading, "rb"), os.fdopen(writing, "wb"))
    finally:
        server.close()
