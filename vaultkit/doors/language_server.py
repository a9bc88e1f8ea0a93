"""The door to editors: a language server that tells what is wrong with a note as it is typed.

What a note's text says is judged a moment after the last key, what its code says as soon as it has
run: in a process of its own, ended and begun again at the next key. What editors ask beside that is
answered by `vaultkit.edit`; here is only what the protocol makes of it.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from vaultkit.changed import affected
from vaultkit.checks.check import EXCEPTED, FAILS, Check
from vaultkit.doors.background import Background, Verdict
from vaultkit.edit.spans import span
from vaultkit.edit.text import Edit, Span, applied, carried, from_units, lines, to_units
from vaultkit.inspect import Settings, inspect_text
from vaultkit.read.note import Note
from vaultkit.read.options import FILES, OptionsError
from vaultkit.read.vault import Vault
from vaultkit.site.mathematics import to_mathml

#: Seconds after the last key before a note is judged.
PAUSE = 0.1
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
    timer: asyncio.TimerHandle | None = None
    text_checks: list[Check] = field(default_factory=list)
    verdict: Verdict | None = None


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
        }
        for name, handler in handlers.items():
            self.feature(name)(partial(handler))  # pygls marks what it is given

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
        self.vault.draft(path, document.text)
        note = self.vault.notes[path]
        self._open[path] = _Open(document.uri, document.text, document.version, note)
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
            self._background.outdate(path)
        self.vault.draft(path, None)
        self._publish(held.uri, held.note, [], held.version)

    def _did_change_files(self, params: types.DidChangeWatchedFilesParams) -> None:
        paths = [to_fs_path(event.uri) for event in params.changes]
        self._files_changed([Path(path) for path in paths if path])

    def _files_changed(self, paths: Sequence[Path]) -> None:
        """Judge again what rests on files: open notes as they are typed, others by their text."""
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
        self.vault.draft(path, held.text)
        held.note = note = self.vault.notes[path]
        held.text_checks = list(inspect_text(note, self.vault, self._settings))
        self._tell(held)
        if self._background:
            names = self.vault.options.checks_of(note, self.vault.relative(path))
            self._background.ask(note, names, self._settings)

    def _judged(self, verdict: Verdict) -> None:
        """Take in what the code of a note has shown."""
        held = self._open.get(verdict.note.path)
        if held is None or held.note is not verdict.note:
            return
        held.verdict = verdict
        self._tell(held)

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
