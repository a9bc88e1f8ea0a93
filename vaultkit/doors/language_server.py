"""The door to editors: a language server that tells what is wrong with a note as it is typed.

What a note's text says is judged a moment after the last key, what its code says as soon as it has
run: in a process of its own, ended and begun again at the next key. What editors ask beside that is
answered by `vaultkit.edit`; here is only what the protocol makes of it.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import TextDocument

from vaultkit.changed import affected
from vaultkit.checks.check import EXCEPTED, FAILS, Check
from vaultkit.doors.background import Background, Verdict
from vaultkit.edit.actions import actions
from vaultkit.edit.complete import offers
from vaultkit.edit.find import Place, definition, references, renamed_in, symbols, vault_symbols
from vaultkit.edit.rename import RenameError, rename_heading, rename_note
from vaultkit.edit.spans import span
from vaultkit.edit.tell import about, state_of
from vaultkit.edit.text import Edit, Span, applied, carried, from_units, lines, to_units
from vaultkit.inspect import Settings, inspect_text
from vaultkit.read.note import Note
from vaultkit.read.options import FILES, OptionsError
from vaultkit.read.vault import Vault
from vaultkit.site.mathematics import to_mathml

#: Seconds after the last key before a note is judged.
PAUSE = 0.1
#: The command that runs a note up to one of its blocks: its URI, the number of the block from 0.
RUN_TO = "vaultkit.runTo"
_COMPLETIONS = {
    "note": types.CompletionItemKind.File,
    "alias": types.CompletionItemKind.Reference,
    "file": types.CompletionItemKind.File,
    "heading": types.CompletionItemKind.Reference,
    "id": types.CompletionItemKind.Reference,
    "tag": types.CompletionItemKind.Keyword,
    "option": types.CompletionItemKind.Property,
    "variable": types.CompletionItemKind.Variable,
}
_SYMBOLS = {
    "note": types.SymbolKind.File,
    "alias": types.SymbolKind.Key,
    "heading": types.SymbolKind.String,
    "block": types.SymbolKind.Function,
    "id": types.SymbolKind.Key,
}
#: Kinds that are matters of form: the note says nothing wrong.
_WARNINGS = {"form"}


@dataclass
class _Open:
    """A note that an editor holds.

    ``note`` is what was read of its text last, ``verdict`` what came when its code ran last: that
    may have been an older text.
    """

    uri: str
    text: str
    version: int | None
    note: Note
    #: The text of which `note` was read.
    read: str | None = None
    timer: asyncio.TimerHandle | None = None
    text_checks: list[Check] = field(default_factory=list)
    verdict: Verdict | None = None


class _Unread(TextDocument):
    """What pygls holds in the place of a note, whose text is held here.

    It takes more characters for the end of a line than editors do, and while it finds a place in
    its own text it changes the place that it was told of.
    """

    def apply_change(self, change: types.TextDocumentContentChangeEvent) -> None:
        """Leave the change to those who know the text."""


class Server(LanguageServer):
    """Tells an editor what is wrong with the notes of a vault.

    Parameters
    ----------
    folder
        The folder of the vault; None: found in the folder that the editor has opened.
    pause
        Seconds after the last key before a note is judged.
    """

    def __init__(self, folder: Path | None = None, pause: float = PAUSE) -> None:
        super().__init__("vaultkit", version("vaultkit"))
        self._folder = folder
        self._pause = pause
        self._open: dict[Path, _Open] = {}
        #: Notes that are not open, and have something wrong with them that the editor was told.
        self._told: set[Path] = set()
        self._background: Background | None = None
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
            # pygls marks what it is given, and takes no methods.
            self.feature(name, options.get(name))(partial(handler))
        self.command(RUN_TO)(partial(self._run_to))

    # --- Its life ----------------------------------------------------------------------------

    def _initialize(self, params: types.InitializeParams) -> None:
        folders = [folder.uri for folder in params.workspace_folders or []]
        root = (folders or [params.root_uri or ""])[0]
        folder = self._folder or vault_in(Path(to_fs_path(root) or "."))
        self.vault = Vault(folder)
        # The code of notes finds modules, and is told of in tracebacks, from beside the vault.
        os.chdir(self.vault.root.parent)
        loop = asyncio.get_running_loop()

        def tell(verdict: Verdict) -> None:
            loop.call_soon_threadsafe(self._judged, verdict)

        self._background = Background(self.vault.root, tell)

    async def _initialized(self, _: types.InitializedParams) -> None:
        """Ask to be told of files that change without the editor."""
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
        """End all that runs."""
        if self._background:
            self._background.close()
            self._background = None

    # --- What the editor holds ---------------------------------------------------------------

    def _did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        path = self._path(document.uri)
        if path is None:
            return
        self.workspace.text_documents[unquote(document.uri)] = _Unread(document.uri, "")
        unread = Note(path, document.text)
        self._open[path] = _Open(document.uri, document.text, document.version, unread)
        self._look(path)

    def _did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        path = self._path(params.text_document.uri)
        held = self._open.get(path) if path else None
        if held is None or path is None:
            return
        held.version = params.text_document.version
        for change in params.content_changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                given = Edit(self._span(lines(held.text), change.range), change.text)
                held.text = applied(held.text, [given])
            else:
                held.text = change.text
        if self._background:
            self._background.outdate(path)
        if held.timer:
            held.timer.cancel()
        held.timer = asyncio.get_running_loop().call_later(self._pause, self._look, path)

    def _did_save(self, params: types.DidSaveTextDocumentParams) -> None:
        path = self._path(params.text_document.uri)
        if path is None:
            return
        held = self._open.get(path)
        if held and held.timer:  # it is saved as it was typed last
            held.timer.cancel()
            self._look(path)
        self._files_changed([path])

    def _did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        path = self._path(params.text_document.uri)
        held = self._open.pop(path, None) if path else None
        if held is None or path is None:
            return
        if held.timer:
            held.timer.cancel()
        if self._background:
            self._background.forget(path)
        self.vault.draft(path, None)
        self._publish(held.uri, held.note, [], held.version)

    def _did_change_files(self, params: types.DidChangeWatchedFilesParams) -> None:
        paths = [to_fs_path(event.uri) for event in params.changes]
        self._files_changed([Path(path) for path in paths if path])

    def _files_changed(self, paths: Sequence[Path]) -> None:
        """Judge again what rests on files: open notes as they are typed, others by their text."""
        if self._background and any(path.suffix != ".md" for path in paths):
            self._background.forget()  # a module that was not there may be, and the like
        try:
            self.vault.refresh()
        except OptionsError as error:
            self._say(str(error))
            return
        for note in affected(self.vault, paths):
            if note.path in self._open:
                if not any(note.path == path for path in paths):
                    self._look(note.path)
                continue
            checks = [c for c in inspect_text(note, self.vault, self._settings) if _is_told(c)]
            if checks or note.path in self._told:
                (self._told.add if checks else self._told.discard)(note.path)
                self._publish(_uri(note.path), note, checks)

    # --- Judging -----------------------------------------------------------------------------

    @property
    def _settings(self) -> Settings:
        options = self.vault.options
        return Settings(options.timeout, options.trials, to_mathml)

    def _look(self, path: Path) -> None:
        """Judge the text of a note as it is now, and have its code run."""
        held = self._open[path]
        held.timer = None
        self._read(held)
        held.text_checks = list(inspect_text(held.note, self.vault, self._settings))
        self._tell(held)
        self._run(held)

    def _read(self, held: _Open) -> None:
        """Have the vault know what was typed."""
        if held.read is not held.text:
            held.read = held.text
            self.vault.draft(held.note.path, held.text)
            held.note = self.vault.notes[held.note.path]

    def _run(self, held: _Open, until: int | None = None) -> None:
        """Have the code of a note run, all of it or up to a block."""
        if self._background:
            names = self.vault.options.checks_of(held.note, self.vault.relative(held.note.path))
            wanted = names if until is None else names | {"code"}
            self._background.ask(held.note, wanted, self._settings, until)

    def _judged(self, verdict: Verdict) -> None:
        """Take in what the code of a note has shown."""
        held = self._open.get(verdict.note.path)
        if held is None or held.note is not verdict.note:
            return
        if verdict.until is not None:
            self._shown(verdict, verdict.until - 1)
            if held.verdict is None or held.verdict.note is not held.note:
                self._run(held)  # it has not come to its end yet
            return
        held.verdict = verdict
        self._tell(held)
        workspace = self.client_capabilities.workspace
        if workspace and workspace.code_lens and workspace.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)

    def _shown(self, verdict: Verdict, index: int) -> None:
        """Say what came of running up to a block: what it has bound, or what is wrong."""
        wrong = [c for c in verdict.found.checks if c.outcome == FAILS and c.block is not None]
        if wrong:
            kind, words = types.MessageType.Warning, f"line {wrong[0].line}: {wrong[0].why}"
        else:
            kind = types.MessageType.Info
            values = ((n, v) for n, vs in verdict.values.items() for v in vs if v.block == index)
            bound = [f"{name}: {v.what}" + f"\n{v.print}" * bool(v.print) for name, v in values]
            words = "\n".join([f"block {index + 1} runs", *bound])
        self.window_show_message(types.ShowMessageParams(kind, words))

    def _tell(self, held: _Open) -> None:
        """Tell what is wrong with a note: with its text now, with its code as it ran last."""
        checks = [*held.text_checks, *_moved(held)]
        self._publish(held.uri, held.note, filter(_is_told, checks), held.version)

    def _publish(
        self, uri: str, note: Note, checks: Iterable[Check], version: int | None = None
    ) -> None:
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(
                uri, [self._diagnostic(note, check) for check in checks], version
            )
        )

    def _diagnostic(self, note: Note, check: Check) -> types.Diagnostic:
        severity = types.DiagnosticSeverity.Error
        if check.outcome == EXCEPTED:
            severity = types.DiagnosticSeverity.Information
        elif check.kind in _WARNINGS:
            severity = types.DiagnosticSeverity.Warning
        where = self._range(note.lines, span(check, note))
        return types.Diagnostic(where, check.why, severity, check.kind, source="vaultkit")

    def _say(self, words: str) -> None:
        self.window_show_message(types.ShowMessageParams(types.MessageType.Error, words))

    # --- What an editor asks -------------------------------------------------------------------

    def _complete(self, params: types.CompletionParams) -> list[types.CompletionItem]:
        if (at := self._at(params)) is None:
            return []
        note, line, column = at
        return [
            types.CompletionItem(
                offer.label,
                kind=_COMPLETIONS[offer.kind],
                detail=offer.detail or None,
                filter_text=offer.match or None,
                text_edit=types.TextEdit(self._range(note.lines, offer.span), offer.text),
            )
            for offer in offers(self.vault, note, line, column)
        ]

    def _define(self, params: types.DefinitionParams) -> types.Location | None:
        found = definition(self.vault, *at) if (at := self._at(params)) else None
        return self._location(found) if found else None

    def _refer(self, params: types.ReferenceParams) -> list[types.Location]:
        at = self._at(params)
        return [self._location(place) for place in references(self.vault, *at)] if at else []

    def _symbols(self, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        """Tell the parts of a note, each below the heading it stands under."""
        note = self._note(params.text_document.uri)
        top: list[types.DocumentSymbol] = []
        above: list[tuple[int, list[types.DocumentSymbol]]] = [(0, top)]
        if note is None:
            return top
        for part in sorted(
            symbols(note), key=lambda part: (part.whole.line, part.kind != "heading")
        ):
            told = types.DocumentSymbol(
                part.name or " ",
                _SYMBOLS[part.kind],
                self._range(note.lines, part.whole),
                self._range(note.lines, part.span),
                children=[],
            )
            if part.kind == "heading":
                while above[-1][0] >= part.level:
                    above.pop()
            above[-1][1].append(told)
            if part.kind == "heading":
                above.append((part.level, told.children))  # type: ignore[arg-type]
        return top

    def _vault_symbols(self, params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
        return [
            types.WorkspaceSymbol(
                self._location(Place(part.path, part.span)),
                part.name or " ",
                _SYMBOLS[part.kind],
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
        return types.PrepareRenamePlaceholder(self._range(note.lines, span), words)

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
            self._say(f"{', '.join(changes.left)}: this code calls {found.words!r}, too")
        return self._workspace_edit(changes.edits, moved=changes.moved)

    def _hover(self, params: types.HoverParams) -> types.Hover | None:
        if (at := self._at(params)) is None:
            return None
        held = self._open.get(at[0].path)
        checks = [*held.text_checks, *_moved(held)] if held else []
        values = held.verdict.values if held and held.verdict else {}
        said = about(self.vault, *at, checks, values)
        if said is None:
            return None
        span, words = said
        text = types.MarkupContent(types.MarkupKind.Markdown, words)
        return types.Hover(text, self._range(at[0].lines, span))

    def _actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        note = self._note(params.text_document.uri)
        held = self._open.get(note.path) if note else None
        if note is None or held is None:
            return []
        checks = [*held.text_checks, *_moved(held)]
        where = self._span(note.lines, params.range)
        return [
            types.CodeAction(
                action.title,
                types.CodeActionKind.QuickFix,
                [self._diagnostic(note, action.mends)] if action.mends else None,
                edit=self._workspace_edit(action.edits, makes=action.makes),
            )
            for action in actions(self.vault, note, where, checks)
        ]

    def _lenses(self, params: types.CodeLensParams) -> list[types.CodeLens]:
        """Tell of each block how it came out and how long it took, and offer to run up to it."""
        note = self._note(params.text_document.uri)
        held = self._open.get(note.path) if note else None
        if note is None or held is None:
            return []
        checks = _moved(held)
        return [
            types.CodeLens(
                self._range(note.lines, Span.within(block.fence.line, 1, 0)),
                types.Command(
                    " · ".join(filter(None, ["run to here", state_of(index, checks)])),
                    RUN_TO,
                    arguments=[held.uri, index],
                ),
            )
            for index, block in enumerate(note.blocks)
        ]

    def _run_to(self, uri: str, index: int) -> None:
        """Run the blocks of a note up to one, that included, and show what it shows."""
        note = self._note(uri)
        held = self._open.get(note.path) if note else None
        if note and held and 0 <= index < len(note.blocks):
            self._run(held, until=index + 1)

    def _workspace_edit(
        self,
        edits: Mapping[Path, Sequence[Edit]],
        moved: tuple[Path, Path] | None = None,
        makes: tuple[Path, str] | None = None,
    ) -> types.WorkspaceEdit:
        """Write edits, and what becomes of files, as one edit of the workspace."""
        told: list[Any] = []
        if makes:
            path, text = makes
            told.append(types.CreateFile(_uri(path)))
            start = types.Range(types.Position(0, 0), types.Position(0, 0))
            identified = types.OptionalVersionedTextDocumentIdentifier(_uri(path))
            told.append(types.TextDocumentEdit(identified, [types.TextEdit(start, text)]))
        for path, changed in edits.items():
            held = self._open.get(path)
            rows = self._rows(path)
            told.append(
                types.TextDocumentEdit(
                    types.OptionalVersionedTextDocumentIdentifier(
                        held.uri if held else _uri(path), held.version if held else None
                    ),
                    [types.TextEdit(self._range(rows, e.span), e.text) for e in sorted(changed)],
                )
            )
        if moved:
            old, new = moved
            held = self._open.get(old)
            told.append(types.RenameFile(held.uri if held else _uri(old), _uri(new)))
        return types.WorkspaceEdit(document_changes=told)

    # --- Places ------------------------------------------------------------------------------

    def _path(self, uri: str) -> Path | None:
        """Find the note of the vault that a URI means."""
        name = to_fs_path(uri)
        if name is None or not name.endswith(".md"):
            return None
        path = Path(name)
        if not path.is_relative_to(self.vault.root):
            path = path.resolve()
        return path if path.is_relative_to(self.vault.root) else None

    def _note(self, uri: str) -> Note | None:
        """Return a note as it was typed last."""
        path = self._path(uri)
        held = self._open.get(path) if path else None
        if held:
            self._read(held)
        return self.vault.notes.get(path) if path else None

    def _at(self, params: Any) -> tuple[Note, int, int] | None:
        """Return the note and the place that are asked about."""
        note = self._note(params.text_document.uri)
        return (note, *self._place(note.lines, params.position)) if note else None

    def _rows(self, path: Path) -> list[str]:
        """Return the lines of a file, as an editor holds it or as it is on disk."""
        if path in self._open:
            return lines(self._open[path].text)
        note = self.vault.notes.get(path)
        if note and path.suffix == ".md":
            return note.lines
        return lines(path.read_text(encoding="utf-8-sig", errors="replace"))

    def _location(self, place: Place) -> types.Location:
        held = self._open.get(place.path)
        uri = held.uri if held else _uri(place.path)
        # The beginning of a file is the same however it is read.
        rows = self._rows(place.path) if place.span.end_column > 1 else []
        return types.Location(uri, self._range(rows, place.span))

    @property
    def _encoding(self) -> str:
        encoding = self.workspace.position_encoding
        return str(getattr(encoding, "value", encoding))

    def _span(self, rows: Sequence[str], where: types.Range) -> Span:
        line, column = self._place(rows, where.start)
        return Span(line, column, *self._place(rows, where.end))

    def _place(self, rows: Sequence[str], where: types.Position) -> tuple[int, int]:
        if where.line >= len(rows):
            return len(rows), len(rows[-1]) + 1
        return where.line + 1, from_units(rows[where.line], where.character, self._encoding)

    def _range(self, rows: Sequence[str], where: Span) -> types.Range:
        def position(line: int, column: int) -> types.Position:
            text = rows[line - 1] if line <= len(rows) else ""
            return types.Position(line - 1, to_units(text, column, self._encoding))

        return types.Range(
            position(where.line, where.column), position(where.end_line, where.end_column)
        )


def vault_in(folder: Path) -> Path:
    """Find the vault in a folder that an editor has opened: it, or one right below it."""
    below = sorted(path for path in folder.iterdir() if path.is_dir())
    for sign in (".obsidian", FILES[0]):
        for candidate in (folder, *below):
            if (candidate / sign).exists():
                return candidate
    docs = folder / "docs"
    return docs if (folder / "mkdocs.yml").is_file() and docs.is_dir() else folder


def serve(folder: Path | None) -> None:
    """Speak with an editor over the standard streams, until it goes."""
    # What anything here, or a process that it starts, may print is no part of the protocol.
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


def _is_told(check: Check) -> bool:
    return check.outcome == FAILS or (check.kind == "link" and check.outcome == EXCEPTED)


def _moved(held: _Open) -> list[Check]:
    """Find where what was found in an older text stands now; leave out what was changed since."""
    if held.verdict is None:
        return []
    checks = held.verdict.found.checks
    if held.verdict.note is held.note:
        return checks
    head, tail, by = carried(held.verdict.note.lines, held.note.lines)
    return [
        replace(check, line=check.line + (by if check.line >= tail else 0), mend=None)
        for check in checks
        if check.line <= head or check.line >= tail
    ]


def _uri(path: Path) -> str:
    return from_fs_path(str(path)) or path.as_uri()
