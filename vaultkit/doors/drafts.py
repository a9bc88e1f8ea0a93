"""The notes of a vault as an editor sees them: drafts, which are unsaved, and those not open.

The text of a draft is checked a moment after the last key. Its code is run in a process of its own,
which is cancelled and restarted at the next key. Notes that are not open are checked in the
background (`vaultkit.doors.rounds`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from vaultkit.checks.check import EXCEPTED, FAILS, UNPROVEN, Check
from vaultkit.doors.background import Background, Verdict
from vaultkit.doors.rounds import Rounds
from vaultkit.edit.text import common_lines, split_lines
from vaultkit.pipeline.changed import affected_notes
from vaultkit.pipeline.inspect import Settings, inspect, task_of
from vaultkit.read.discovery import read_draft
from vaultkit.read.note import Note
from vaultkit.read.options import Options, OptionsError
from vaultkit.read.source import UnreadableError
from vaultkit.read.source import read as read_text
from vaultkit.read.vault import Vault
from vaultkit.render.mathematics import to_mathml
from vaultkit.store import store_beside


@dataclass
class Draft:
    """A note that is open in an editor.

    ``note`` is its last parsed text; ``verdict`` is the result of its last run, perhaps of an older
    text.
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
    #: Why its file cannot be read, although the editor shows a text.
    unreadable: list[Check] = field(default_factory=list)

    @property
    def checks(self) -> list[Check]:
        """The checks of its file, of its current text and of its last run."""
        return [*self.unreadable, *self.text_checks, *self.code_checks]

    @property
    def code_checks(self) -> list[Check]:
        """The checks of its last run, at their current lines, without those of changed parts."""
        if self.verdict is None:
            return []
        checks = self.verdict.inspection.checks
        if self.verdict.note is self.note:
            return checks
        head, tail, by = common_lines(self.verdict.note.lines, self.note.lines)
        return [
            replace(check, line=check.line + (by if check.line >= tail else 0), fix=None)
            for check in checks
            if check.line <= head or check.line >= tail
        ]


@dataclass(frozen=True)
class EditorSettings:
    """What the editor has set.

    Attributes
    ----------
    pause
        Seconds after the last key before a note is checked.
    run_all
        Whether the code of notes that are not open runs, too.
    notifies
        Whether it shows messages itself, with their lines.
    """

    pause: float = 0.1
    run_all: bool = True
    notifies: bool = False

    def updated(self, settings: Any) -> EditorSettings:
        """Return them with the settings that an editor sends; wrong values are left out.

        Examples
        --------
        >>> EditorSettings().updated({"vaultkit": {"pause": 0.5, "check": "open"}})
        EditorSettings(pause=0.5, run_all=False, notifies=False)
        """
        settings = _plain(settings)
        settings = _plain(settings.get("vaultkit", settings))
        pause, check = settings.get("pause"), settings.get("check")
        editor_settings = self
        if messages := settings.get("messages"):
            editor_settings = replace(editor_settings, notifies=messages == "notification")
        if isinstance(pause, int | float) and pause >= 0:
            editor_settings = replace(editor_settings, pause=float(pause))
        if check in ("all", "open"):
            editor_settings = replace(editor_settings, run_all=check == "all")
        return editor_settings


@dataclass(frozen=True)
class Status:
    """How many notes of a vault hold, how many fail, and how many are yet to be checked."""

    notes: int
    fail: int
    waiting: int

    def __str__(self) -> str:
        """Describe it in a few words.

        >>> print(Status(62, 0, 0), Status(62, 2, 0), Status(62, 1, 3), sep="; ")
        62 notes hold; 2 of 62 notes fail; 1 of 62 notes fails, 3 not checked yet
        """
        notes = f"{self.notes} note" + "s" * (self.notes != 1)
        if self.fail:
            said = f"{self.fail} of {notes} fail" + "s" * (self.fail == 1)
        elif self.waiting:
            said = f"{self.notes - self.waiting} of {notes} hold"
        else:
            said = f"{notes} hold" + "s" * (self.notes == 1)
        return said + f", {self.waiting} not checked yet" * bool(self.waiting)


class Listener(Protocol):
    """Receives the results."""

    def note_checked(self, note: Note, checks: Iterable[Check], draft: Draft | None) -> None:
        """Receive the checks of a note, with its draft if it is open."""

    def code_ran(self) -> None:
        """Receive the notice that the code of a draft has run."""

    def say(self, words: str, outcome: str) -> None:
        """Show a message to the user, as an error if the outcome is a failure."""

    def settings(self, error: OptionsError | None, before: OptionsError | None) -> None:
        """Receive the error in the settings of the vault, if there is one, and the one before."""

    def status_changed(self) -> None:
        """Receive the notice that more is known of the notes of the vault."""


class Drafts:
    """The drafts of a vault, its other notes, and the checks of both.

    Parameters
    ----------
    folder
        The folder of the vault.
    listener
        Receives the results, in the current event loop.
    editor_settings
        What the editor has set.
    """

    def __init__(
        self, folder: Path, listener: Listener, editor_settings: EditorSettings = EditorSettings()
    ) -> None:
        self._listener = listener
        self.editor_settings = editor_settings
        self._loop = loop = asyncio.get_running_loop()
        self._open: dict[Path, Draft] = {}
        #: Of the notes that are not open: those with reports, with failures, and yet to be checked.
        self._reported: set[Path] = set()
        self._failing: set[Path] = set()
        self._waiting: set[Path] = set()
        self._invalid: OptionsError | None = None
        self._options = Options()
        self._root = folder.resolve()
        self.vault: Vault
        self._read_vault()

        def judged(verdict: Verdict) -> None:
            loop.call_soon_threadsafe(self._judged, verdict)

        def checked(note: Note, checks: list[Check], whole: bool) -> None:
            loop.call_soon_threadsafe(self._checked, note, checks, whole)

        self._background = Background(self._root, judged)
        self._rounds = Rounds(self._root, checked)

    def close(self) -> None:
        """Cancel all runs and timers."""
        for draft in self._open.values():
            if draft.timer:
                draft.timer.cancel()
        self._background.close()
        self._rounds.close()

    def check_all(self) -> None:
        """Check the notes that are not open, in the background."""
        self._ask(self.vault.notes)

    @property
    def reported(self) -> set[Path]:
        """The notes of which something may have been reported."""
        return {*self._reported, *self._open}

    def get(self, path: Path) -> Draft | None:
        """Return the draft of a note, if the editor holds one."""
        return self._open.get(path)

    def note(self, path: Path) -> Note | None:
        """Return a note with the text that the editor holds, or that is on disk."""
        if draft := self._open.get(path):
            self._read(draft)
        return self.vault.notes.get(path)

    def rows(self, path: Path) -> list[str]:
        """Return the lines of a file, as the editor holds it or as it is on disk."""
        if path in self._open:
            return split_lines(self._open[path].text)
        note = self.vault.notes.get(path)
        if note and path.suffix == ".md":
            return note.lines
        return split_lines(path.read_text(encoding="utf-8-sig", errors="replace"))

    # --- What the editor does ----------------------------------------------------------------

    def opened(self, path: Path, uri: str, text: str, version: int) -> None:
        """Add the draft of a note that the editor has opened."""
        draft = self._open[path] = Draft(uri, text, version, Note(path, text))
        draft.unreadable = _unreadable(path)
        self._forget(path)
        self._check_text(path)

    def edited(self, path: Path, text: str, version: int | None) -> None:
        """Store the new text of a draft."""
        draft = self._open[path]
        draft.text, draft.version = text, version
        self._background.cancel(path)
        if draft.timer:
            draft.timer.cancel()
        draft.timer = self._loop.call_later(self.editor_settings.pause, self._check_text, path)

    def saved(self, path: Path) -> None:
        """Check the notes that depend on a draft that was saved."""
        draft = self._open.get(path)
        if draft and draft.timer:  # check the last text first
            draft.timer.cancel()
            self._check_text(path)
        if draft and draft.unreadable:
            draft.unreadable = _unreadable(path)
            self._report(draft)
        self.files_changed([path])

    def closed(self, path: Path) -> None:
        """Drop the draft of a note that the editor has closed."""
        draft = self._open.pop(path)
        if draft.timer:
            draft.timer.cancel()
        self._background.close_note(path)
        self._read_vault()
        self._listener.note_checked(draft.note, [], draft)
        self._ask([path])

    def files_changed(self, paths: Sequence[Path]) -> None:
        """Check the notes that depend on changed files."""
        if any(path.suffix != ".md" for path in paths):
            self._background.drop_all_checkpoints()  # they do not know of new modules
        self._read_vault()
        for path in (self._reported | self._waiting) - self.vault.notes.keys():
            if path in self._reported:
                self._listener.note_checked(Note(path, ""), [], None)
            self._forget(path)
        notes = affected_notes(self.vault, paths)
        for note in notes:
            if note.path in self._open and note.path not in paths:
                self._check_text(note.path)
        self._ask(note.path for note in notes)

    def run_to(self, path: Path, index: int) -> None:
        """Run the blocks of a draft up to and including one, and show its result."""
        draft = self._open.get(path)
        if draft and 0 <= index < len(draft.note.blocks):
            self._run(draft, until=index + 1)

    # --- Judging -----------------------------------------------------------------------------

    @property
    def _settings(self) -> Settings:
        options = self.vault.options
        return Settings(options.timeout, options.trials, to_mathml)

    def _inspect_text(self, note: Note) -> list[Check]:
        return list(inspect(note, self.vault, self._settings, run=None))

    def _check_text(self, path: Path) -> None:
        """Check the current text of a draft, and request the run of its code."""
        draft = self._open[path]
        draft.timer = None
        self._read(draft)
        draft.text_checks = self._inspect_text(draft.note)
        self._report(draft)
        self._run(draft)

    def _read(self, draft: Draft) -> None:
        """Parse the text of a draft into the vault."""
        if draft.read is not draft.text:
            draft.read = draft.text
            draft.note = read_draft(draft.note.path, draft.text)
            self.vault = self.vault.replacing(draft.note)

    def _read_vault(self) -> None:
        """Read the vault, with its last valid settings, and put the drafts in their places."""
        before, self._invalid = self._invalid, None
        try:
            self._options = Options.read(self._root)
        except OptionsError as error:
            self._invalid = error
        if before or self._invalid:
            self._listener.settings(self._invalid, before)
        vault = Vault(self._root, store=store_beside(self._root), options=self._options)
        for draft in self._open.values():
            if draft.read is not None:
                vault = vault.replacing(draft.note)
        self.vault = vault

    def _ask(self, paths: Iterable[Path]) -> None:
        """Request the checks of those notes among some that are not open."""
        # A new note that was closed unsaved is not in the vault.
        closed = [path for path in paths if path not in self._open and path in self.vault.notes]
        self._waiting.update(closed)
        self._rounds.ask(self.vault, self._settings, closed, run=self.editor_settings.run_all)
        self._listener.status_changed()

    def _forget(self, path: Path) -> None:
        """Forget what was found in a note that was not open."""
        for notes in (self._reported, self._failing, self._waiting):
            notes.discard(path)

    def _checked(self, note: Note, checks: list[Check], whole: bool) -> None:
        """Report the checks of a note that is not open."""
        path = note.path
        if path in self._open or path not in self.vault.notes:
            return
        reported = list(filter(_is_reported, checks))
        if reported or path in self._reported:
            self._listener.note_checked(note, reported, None)
        self._forget(path)
        if reported:
            self._reported.add(path)
        if _fails(checks):
            self._failing.add(path)
        elif not whole:
            self._waiting.add(path)
        self._listener.status_changed()

    @property
    def status(self) -> Status:
        """What is known of all notes."""
        drafts = self._open.values()
        failing = sum(_fails(draft.checks) for draft in drafts)
        waiting = sum(_is_waiting(draft) and not _fails(draft.checks) for draft in drafts)
        notes = len(self.vault.notes.keys() | self._open.keys())
        failing += len(self._failing)
        return Status(notes, failing, waiting + len(self._waiting - self._failing))

    def _run(self, draft: Draft, until: int | None = None) -> None:
        """Request the run of a draft, whole or up to a block."""
        settings = replace(self._settings, typeset=None)  # formulas are typeset with the text
        task = task_of(draft.note, self.vault, settings, until)
        if until is not None:
            task = replace(task, names=task.names | {"code"})
        self._background.request(task)

    def _judged(self, verdict: Verdict) -> None:
        """Store the verdict of a draft, and report it."""
        draft = self._open.get(verdict.note.path)
        if draft is None or draft.note is not verdict.note:
            return
        if verdict.until is not None:
            self._show(verdict, verdict.until - 1)
            if draft.verdict is None or draft.verdict.note is not draft.note:
                self._run(draft)  # the run stopped early
            return
        draft.verdict = verdict
        self._report(draft)
        self._listener.code_ran()

    def _show(self, verdict: Verdict, index: int) -> None:
        """Show the result of running up to a block: its variables, or its failures."""
        wrong = [c for c in verdict.inspection.checks if c.outcome == FAILS and c.block is not None]
        if wrong:
            self._listener.say(f"line {wrong[0].line}: {wrong[0].why}", FAILS)
            return
        values = (
            (n, v) for n, vs in verdict.inspection.values.items() for v in vs if v.block == index
        )
        bound = [f"{name}: {v.what}" + f"\n{v.print}" * bool(v.print) for name, v in values]
        self._listener.say("\n".join([f"block {index + 1} runs", *bound]), "")

    def _report(self, draft: Draft) -> None:
        self._listener.note_checked(draft.note, filter(_is_reported, draft.checks), draft)
        self._listener.status_changed()


def _plain(settings: Any) -> dict[str, Any]:
    """Return settings, which pygls reads as a named tuple, as a dictionary."""
    if hasattr(settings, "_asdict"):
        settings = settings._asdict()
    return settings if isinstance(settings, dict) else {}


def _fails(checks: Iterable[Check]) -> bool:
    return any(check.outcome == FAILS for check in checks)


def _is_waiting(draft: Draft) -> bool:
    return draft.verdict is None or draft.verdict.note is not draft.note


def _unreadable(path: Path) -> list[Check]:
    """Return why the file of an open note cannot be read, if it is there and cannot be."""
    try:
        if path.is_file():
            read_text(path)
    except UnreadableError as error:
        return [Check("form", error.line, path.name, FAILS, error.reason)]
    return []


def _is_reported(check: Check) -> bool:
    return check.outcome in UNPROVEN or (check.kind == "link" and check.outcome == EXCEPTED)
