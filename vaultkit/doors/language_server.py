"""The door to editors: a language server that reports failures in the notes of an editor's folders.

`vaultkit.doors.drafts` checks the texts that an editor holds, and the notes that are not open;
`vaultkit.edit` answers its requests; `vaultkit.doors.protocol` translates both to and from the
protocol, and `vaultkit.doors.reports` sends what was found.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path
from watchfiles import awatch

from vaultkit import __version__
from vaultkit.checks.check import FAILS
from vaultkit.checks.evidence import Value
from vaultkit.doors.bind_action import BIND, bind_actions, choose, find_candidates
from vaultkit.doors.drafts import Draft, EditorSettings
from vaultkit.doors.messages import Messages
from vaultkit.doors.protocol import COMPLETIONS, SYMBOLS, Protocol, RequestedPlace
from vaultkit.doors.reports import NotePath, Reports
from vaultkit.edit.actions import code_actions
from vaultkit.edit.complete import completions
from vaultkit.edit.find import (
    Place,
    find_definition,
    find_references,
    find_rename_target,
    symbols_of_note,
    vault_symbols,
)
from vaultkit.edit.hints import formula_verdicts, hints_of_note
from vaultkit.edit.hover import block_outcome, hover_text
from vaultkit.edit.rename import RenameError, rename_heading, rename_note
from vaultkit.edit.text import Edit, Span, split_lines, text_with_edits
from vaultkit.read.note import Note
from vaultkit.read.roots import vault_above, vault_in
from vaultkit.run.processes import exists

#: The command that runs a note up to one of its blocks: its URI, and the block's number from 0.
RUN_TO = "vaultkit.runTo"
#: The requests, beside those of the protocol, for the formulas of a note with their verdicts, and
#: for the expressions to which a number can be bound.
FORMULAS, BINDINGS = "vaultkit/formulas", "vaultkit/bindings"
#: The files whose changes concern a vault: notes, modules, drawings and settings.
_WATCHED = ("md", "py", "svg", "toml")
#: Seconds between two looks at whether the editor still runs.
_LOOK_EVERY = 3.0


class Server(LanguageServer):
    """Reports to an editor the failures in the notes of its vaults.

    Parameters
    ----------
    folder
        The folder of the vault; None: one is found in each folder that the editor has opened.
    """

    def __init__(self, folder: Path | None = None) -> None:
        super().__init__("vaultkit", __version__, protocol_cls=Messages)
        self._folder = folder
        #: The reports of the vaults, by the folders that the editor has opened, as it names them.
        self._opened: dict[Path, Reports] = {}
        self._editor_settings = EditorSettings()
        #: Whether the server watches the files of the vaults, since the editor does not.
        self._watches = False
        self._tasks: set[asyncio.Task[None]] = set()
        handlers: dict[str, Callable[..., Any]] = {
            types.INITIALIZE: self._initialize,
            types.INITIALIZED: self._initialized,
            types.TEXT_DOCUMENT_DID_OPEN: self._did_open,
            types.TEXT_DOCUMENT_DID_CHANGE: self._did_change,
            types.TEXT_DOCUMENT_DID_SAVE: self._did_save,
            types.TEXT_DOCUMENT_DID_CLOSE: self._did_close,
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES: self._did_change_files,
            types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: self._did_change_folders,
            types.WORKSPACE_DID_CHANGE_CONFIGURATION: self._did_configure,
            types.WORKSPACE_WILL_RENAME_FILES: self._will_rename,
            types.WORKSPACE_DID_RENAME_FILES: self._did_rename,
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
            types.TEXT_DOCUMENT_INLAY_HINT: self._hints,
            FORMULAS: self._formulas,
            BINDINGS: self._bindings,
        }
        notes = types.FileOperationFilter(types.FileOperationPattern("**/*.md"), "file")
        renamed = types.FileOperationRegistrationOptions([notes])
        options = {
            types.TEXT_DOCUMENT_COMPLETION: types.CompletionOptions(list("[#^!`$\\")),
            types.TEXT_DOCUMENT_RENAME: types.RenameOptions(prepare_provider=True),
            types.WORKSPACE_WILL_RENAME_FILES: renamed,
            types.WORKSPACE_DID_RENAME_FILES: renamed,
        }
        for name, handler in handlers.items():
            # pygls sets attributes on a handler, which a bound method does not allow.
            self.feature(name, options.get(name))(partial(handler))
        self.command(RUN_TO)(partial(self._run_to))
        self.command(BIND)(partial(self._bind))

    # --- Start and end -----------------------------------------------------------------------

    def _initialize(self, params: types.InitializeParams) -> None:
        """Read the vault of each folder of the workspace."""
        self._editor_settings = self._editor_settings.updated(params.initialization_options)
        uris = [folder.uri for folder in params.workspace_folders or []]
        uris = uris or [uri for uri in [params.root_uri] if uri]
        folders = [Path(to_fs_path(uri) or ".") for uri in uris]
        for folder in [self._folder] if self._folder else folders:
            self._add(folder)
        gc.freeze()  # all notes stay: collecting among them only takes time

    def _add(self, folder: Path) -> Reports | None:
        """Add the vault of a folder, or of a file; return its reports if it is a new vault."""
        folder = _absolute(folder)
        if not folder.exists():
            words = f"{folder} does not exist: its notes are not checked"
            self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, words))
            return None
        root = folder
        if not self._folder:  # the command line did not name the vault
            root = vault_in(folder) if folder.is_dir() else vault_above(folder) or folder.parent
        for known in self._reports:
            if known.drafts.vault.root == root.resolve():  # two folders are of the same vault
                self._opened[folder] = known
                return None
        if not self._opened:
            # Tracebacks name paths from beside the vault, where the code of notes runs.
            os.chdir(root.resolve().parent)
        encoding = self.workspace.position_encoding  # text, or a member of an enumeration
        encoding = str(getattr(encoding, "value", encoding))
        self._opened[folder] = Reports(self, root, encoding, self._editor_settings)
        return self._opened[folder]

    @property
    def _reports(self) -> list[Reports]:
        """The reports of all vaults; two folders may be of the same vault."""
        return list(dict.fromkeys(self._opened.values()))

    async def _initialized(self, _: types.InitializedParams) -> None:
        """Check all notes, watch the files, and end when the editor has ended."""
        workspace = self.client_capabilities.workspace
        watched = workspace and workspace.did_change_watched_files
        self._watches = not (watched and watched.dynamic_registration)
        for reports in self._reports:
            self._check(reports)
        if self.process_id and exists(self.process_id):
            self._begin(self._end_with(self.process_id))
        if self._watches:
            return
        watchers = [types.FileSystemWatcher(f"**/*.{suffix}") for suffix in _WATCHED]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        registration = types.Registration(
            "files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options
        )
        await self.client_register_capability_async(types.RegistrationParams([registration]))

    def _check(self, reports: Reports) -> None:
        """Check all notes of a vault, and watch its files if the editor does not."""
        reports.begin()
        if self._watches:
            self._begin(self._watch(reports))

    def _begin(self, coroutine: Any) -> None:
        """Run a coroutine in the event loop, until `close` cancels it."""
        task = asyncio.ensure_future(coroutine)
        # asyncio itself does not keep a task from being collected as garbage.
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _watch(self, reports: Reports) -> None:
        """Watch the files of a vault until it is removed."""
        with suppress(OSError):  # the system's limit of watched folders may be reached
            async for changes in awatch(reports.drafts.vault.root, raise_interrupt=False):
                if reports not in self._reports:
                    return
                paths = [Path(name) for _, name in changes]
                reports.drafts.files_changed([p for p in paths if p.suffix[1:] in _WATCHED])

    async def _end_with(self, editor: int) -> None:
        """End when a process, the editor, has ended."""
        while exists(editor):
            await asyncio.sleep(_LOOK_EVERY)
        self.end(1)

    def end(self, code: int) -> None:
        """End at once, with everything that was started; a thread may be waiting for input."""
        self.close()
        os._exit(code)

    def _shut_down(self, _: None) -> None:
        """Close everything; the process ends when the editor closes the stream."""
        self.close()

    def close(self) -> None:
        """Cancel all runs and timers."""
        for task in self._tasks:
            task.cancel()
        for reports in self._reports:
            reports.close()

    # --- Settings and folders ----------------------------------------------------------------

    def _did_configure(self, params: types.DidChangeConfigurationParams) -> None:
        """Apply changed settings of the editor."""
        self._editor_settings = self._editor_settings.updated(params.settings)
        for reports in self._reports:
            reports.drafts.editor_settings = self._editor_settings
            reports.drafts.check_all()

    def _did_change_folders(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        """Drop the vaults of removed folders, which may be gone, and check those of added ones."""
        if self._folder:  # the command line named the only vault
            return
        for folder in params.event.removed:
            reports = self._opened.pop(_absolute(Path(to_fs_path(folder.uri) or ".")), None)
            if reports and reports not in self._reports:  # no other folder is of its vault
                reports.remove()
        for folder in params.event.added:
            if new := self._add(Path(to_fs_path(folder.uri) or ".")):
                self._check(new)

    # --- Open notes --------------------------------------------------------------------------

    def _did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Begin a draft of a note; read its vault first if it is not known."""
        document = params.text_document
        if not self._reports:
            # Without an open folder, only a folder that is a vault is read: others may be large.
            root = vault_above(Path(to_fs_path(document.uri) or "."))
            if root and (new := self._add(root)):
                self._check(new)
        if place := self._note_path(document.uri):
            drafts = place.reports.drafts
            drafts.opened(place.path, document.uri, document.text, document.version)

    def _did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Apply the changes of a document to its draft, one after the other."""
        place = self._note_path(params.text_document.uri)
        draft = place and place.reports.drafts.get(place.path)
        if not (place and draft):
            return
        reports, text = place.reports, draft.text
        for change in params.content_changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                span = reports.protocol.span(split_lines(text), change.range)
                text = text_with_edits(text, [Edit(span, change.text)])
            else:
                text = change.text
        reports.drafts.edited(draft.note.path, text, params.text_document.version)

    def _did_save(self, params: types.DidSaveTextDocumentParams) -> None:
        """Check the notes that depend on a saved note."""
        if place := self._note_path(params.text_document.uri):
            place.reports.drafts.saved(place.path)

    def _did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Drop the draft of a note."""
        place = self._note_path(params.text_document.uri)
        if place and place.reports.drafts.get(place.path):
            place.reports.drafts.closed(place.path)

    def _did_change_files(self, params: types.DidChangeWatchedFilesParams) -> None:
        """Check the notes that depend on files that the editor has seen change."""
        self._files_changed(event.uri for event in params.changes)

    def _files_changed(self, uris: Iterator[str]) -> None:
        """Check the notes that depend on changed files, in each vault that is beside the files."""
        paths = [Path(path) for uri in uris if (path := to_fs_path(uri))]
        # A folder may be a symbolic link. The files are not resolved: some may be removed.
        paths = [path.parent.resolve() / path.name for path in paths]
        for reports in self._reports:
            beside = reports.drafts.vault.root.parent
            if files := [path for path in paths if path.is_relative_to(beside)]:
                reports.drafts.files_changed(files)

    def _will_rename(self, params: types.RenameFilesParams) -> types.WorkspaceEdit | None:
        """Return the edits that keep links working when notes are renamed."""
        edits: list[Any] = []
        for file in params.files:
            place = self._note_path(file.old_uri)
            old, new = (Path(to_fs_path(uri) or "") for uri in (file.old_uri, file.new_uri))
            if place is None or place.path not in place.reports.drafts.vault.notes:
                continue
            if old.parent != new.parent:
                continue  # a note was moved: links name notes, and seldom folders
            reports, path = place
            try:
                changes = rename_note(reports.drafts.vault, path, new.stem)
            except RenameError as error:
                reports.say(f"{error}; links are left as they are", FAILS)
                continue
            edits += reports.protocol.workspace_edit(changes.edits).document_changes or []
        return types.WorkspaceEdit(document_changes=edits) if edits else None

    def _did_rename(self, params: types.RenameFilesParams) -> None:
        """Check the notes that depend on the old and new names of files."""
        self._files_changed(uri for f in params.files for uri in (f.old_uri, f.new_uri))

    # --- Requests of the editor ----------------------------------------------------------------

    def _complete(self, params: types.CompletionParams) -> list[types.CompletionItem]:
        """Answer with the completions at a place."""
        if (place := self._requested_place(params)) is None:
            return []
        protocol, note, line, column = place
        return [
            types.CompletionItem(
                offer.label,
                kind=COMPLETIONS[offer.kind],
                detail=offer.detail or None,
                filter_text=offer.match or None,
                text_edit=types.TextEdit(protocol.range(note.lines, offer.span), offer.text),
            )
            for offer in completions(protocol.drafts.vault, note, line, column)
        ]

    def _define(self, params: types.DefinitionParams) -> types.Location | None:
        """Answer with the place where what is at a place is defined."""
        if (place := self._requested_place(params)) is None:
            return None
        protocol, note, line, column = place
        definition = find_definition(protocol.drafts.vault, note, line, column)
        return protocol.location(definition) if definition else None

    def _refer(self, params: types.ReferenceParams) -> list[types.Location]:
        """Answer with the links to what is at a place, and with its own place if asked for that."""
        if (place := self._requested_place(params)) is None:
            return []
        protocol, note, line, column = place
        is_asked = params.context.include_declaration
        places = find_references(protocol.drafts.vault, note, line, column, with_target=is_asked)
        return [protocol.location(place) for place in places]

    def _symbols(self, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        """Answer with the parts of a note, each below its heading."""
        if (pair := self._note(params.text_document.uri)) is None:
            return []
        protocol, note = pair
        return protocol.outline(note, list(symbols_of_note(note)))

    def _vault_symbols(self, params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
        """Answer with the notes and headings that match a query."""
        return [
            types.WorkspaceSymbol(
                reports.protocol.location(Place(part.path, part.span)),
                part.name or " ",  # the protocol allows no empty name
                SYMBOLS[part.kind],
                container_name=part.path.stem,
            )
            for reports in self._reports
            for part in vault_symbols(reports.drafts.vault, params.query)
        ]

    def _prepare_rename(
        self, params: types.PrepareRenameParams
    ) -> types.PrepareRenameResult | None:
        """Answer with the name that a rename at a place would change; None if there is none."""
        if (place := self._requested_place(params)) is None:
            return None
        protocol, note, line, column = place
        target = find_rename_target(protocol.drafts.vault, note, line, column)
        if target is None:
            return None
        return types.PrepareRenamePlaceholder(protocol.range(note.lines, target.span), target.words)

    def _rename(self, params: types.RenameParams) -> types.WorkspaceEdit | None:
        """Answer with the edits that rename a note or heading.

        Code that names it, too, is reported.
        """
        place = self._requested_place(params)
        target = None
        if place:
            vault = place.protocol.drafts.vault
            target = find_rename_target(vault, place.note, place.line, place.column)
        if place is None or target is None:
            raise JsonRpcInvalidParams(
                "only a note or a heading can be renamed; there is none here"
            )
        try:
            if target.heading:
                changes = rename_heading(vault, target.note, target.heading, params.new_name)
            else:
                changes = rename_note(vault, target.note.path, params.new_name)
        except RenameError as error:
            raise JsonRpcInvalidParams(str(error)) from error
        if changes.left:
            words = f"{', '.join(changes.left)}: this code calls {target.words!r}, too"
            self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, words))
        return place.protocol.workspace_edit(changes.edits, moved=changes.moved)

    def _hover(self, params: types.HoverParams) -> types.Hover | None:
        """Answer with the text about what is at a place."""
        if (place := self._requested_place(params)) is None:
            return None
        protocol, note, line, column = place
        draft = protocol.drafts.get(note.path)
        checks = draft.checks if draft else []
        hover = hover_text(protocol.drafts.vault, note, line, column, checks, _values(draft))
        if hover is None:
            return None
        span, markdown = hover
        text = types.MarkupContent(types.MarkupKind.Markdown, markdown)
        return types.Hover(text, protocol.range(note.lines, span))

    def _actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """Answer with the edits that repair failures in a range."""
        if (pair := self._draft(params.text_document.uri)) is None:
            return []
        protocol, draft = pair
        note, checks = draft.note, draft.checks
        where = protocol.span(note.lines, params.range)
        return [
            types.CodeAction(
                action.title,
                types.CodeActionKind.QuickFix,
                [protocol.diagnostic(note, action.fixes)] if action.fixes else None,
                edit=protocol.workspace_edit(action.edits, makes=action.makes),
            )
            for action in code_actions(protocol.drafts.vault, note, where, checks)
        ] + bind_actions(note, where, checks, params.text_document.uri, params.range.start)

    def _lenses(self, params: types.CodeLensParams) -> list[types.CodeLens]:
        """Return a lens for each block: its outcome, its time, and a command to run up to it."""
        if (pair := self._draft(params.text_document.uri)) is None:
            return []
        protocol, draft = pair
        note, checks = draft.note, draft.code_checks
        return [
            types.CodeLens(
                protocol.range(note.lines, Span.within(block.fence.line, 1, 0)),
                types.Command(
                    " · ".join(filter(None, ["run to here", block_outcome(index, checks)])),
                    RUN_TO,
                    arguments=[draft.uri, index],
                ),
            )
            for index, block in enumerate(note.blocks)
        ]

    def _hints(self, params: types.InlayHintParams) -> list[types.InlayHint]:
        """Answer with the words to show between the text of some lines."""
        if (pair := self._draft(params.text_document.uri)) is None:
            return []
        protocol, draft = pair
        first, last = params.range.start.line + 1, params.range.end.line + 1
        return [
            protocol.hint(draft.note, hint)
            for hint in hints_of_note(draft.note, draft.checks, _values(draft))
            if first <= hint.line <= last
        ]

    def _formulas(self, params: Any) -> list[dict[str, Any]]:
        """Answer with all formulas of a note, in the order of its text, and their verdicts."""
        if (pair := self._draft(params.textDocument.uri)) is None:
            return []
        protocol, draft = pair
        return [
            {
                "range": protocol.range(draft.note.lines, span),
                "label": hint.words if hint else "",
                "tooltip": hint.why if hint else "",
            }
            for span, hint in formula_verdicts(draft.note, draft.checks)
        ]

    async def _bindings(self, params: Any) -> list[dict[str, Any]]:
        """Answer with the comments that can bind the number at a place, or those of its line."""
        document = types.TextDocumentIdentifier(params.textDocument.uri)
        place = self._requested_place(types.TextDocumentPositionParams(document, params.position))
        pair = self._draft(document.uri)
        if place is None or pair is None:
            return []
        protocol, note, line, column = place
        _, draft = pair
        # The draft may be changed while the note runs.
        return await find_candidates(protocol, note, line, column, lambda: draft.note is note)

    async def _bind(self, uri: str, line: int, character: int) -> None:
        """Bind the number at a place to code that the writer chooses."""
        # `_bindings` handles a request outside the protocol, which pygls reads in this form.
        document = SimpleNamespace(uri=uri)
        params = SimpleNamespace(textDocument=document, position=types.Position(line, character))
        await choose(self, await self._bindings(params))

    def _run_to(self, uri: str, index: int) -> None:
        """Run the blocks of a note up to and including one, and show its result."""
        if pair := self._draft(uri):
            protocol, draft = pair
            protocol.drafts.run_to(draft.note.path, index)

    # --- Notes and places ----------------------------------------------------------------------

    def _note_path(self, uri: str) -> NotePath | None:
        """Return the path of the note that a URI names, and the reports of its vault, if any."""
        name = to_fs_path(uri)
        if name is None or not name.endswith(".md"):
            return None
        path = Path(os.path.normpath(name))
        # The editor may name the vault through a symbolic link. But a note may be a link, too, so
        # its path is resolved only if it is in no vault.
        for candidate in (path, path.resolve()):
            for reports in self._reports:
                if candidate.is_relative_to(reports.drafts.vault.root):
                    return NotePath(reports, candidate)
        return None

    def _note(self, uri: str) -> tuple[Protocol, Note] | None:
        """Return the protocol of the vault of the note that a URI names, and the note, if any.

        Its text is that which the editor holds, or that is on disk.
        """
        if (place := self._note_path(uri)) is None:
            return None
        note = place.reports.drafts.note(place.path)
        return (place.reports.protocol, note) if note else None

    def _draft(self, uri: str) -> tuple[Protocol, Draft] | None:
        """Return the protocol of a note's vault, and the draft of the note with its text parsed.

        None if the editor has not opened the note.
        """
        if (pair := self._note(uri)) is None:
            return None
        protocol, note = pair
        draft = protocol.drafts.get(note.path)
        return (protocol, draft) if draft else None

    def _requested_place(self, params: Any) -> RequestedPlace | None:
        """Return the note and the position that a request names, and the protocol of its vault.

        None if there is no such note.
        """
        if (pair := self._note(params.text_document.uri)) is None:
            return None
        protocol, note = pair
        return RequestedPlace(protocol, note, *protocol.place(note.lines, params.position))


def _values(draft: Draft | None) -> dict[str, list[Value]]:
    """Return the values of the variables of a draft, as its last run has left them."""
    return draft.verdict.inspection.values if draft and draft.verdict else {}


def _absolute(folder: Path) -> Path:
    """Return the absolute path of a folder; links in it stay, as the editor names them."""
    return Path(os.path.abspath(folder))  # noqa: PTH100


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
    for number in (signal.SIGINT, signal.SIGTERM):
        # The exit status that shells give to a process that a signal has ended.
        signal.signal(number, lambda number, _frame: server.end(128 + number))
    try:
        server.start_io(os.fdopen(reading, "rb"), os.fdopen(writing, "wb"))
    finally:
        server.close()
