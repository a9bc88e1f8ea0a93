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

    Attributes
    ----------
    uri, text, version
        Its name, its present text and the number of that text, as the editor has sent them.
    note
        The note that was parsed last from a text of it.
    parsed_text
        That text; None if none was parsed yet.
    timer
        Begins the check of its text a moment after the last key; None if nothing waits for that.
    text_checks
        The checks of `note` that need no code.
    verdict
        The result of its last run, perhaps of an older text; None before the first one.
    file_failures
        Why its file cannot be read, although the editor shows a text; usually empty.
    """

    uri: str
    text: str
    version: int | None
    note: Note
    parsed_text: str | None = None
    timer: asyncio.TimerHandle | None = None
    text_checks: list[Check] = field(default_factory=list)
    verdict: Verdict | None = None
    file_failures: list[Check] = field(default_factory=list)

    @property
    def checks(self) -> list[Check]:
        """The checks of its file, of its current text and of its last run."""
        return [*self.file_failures, *self.text_checks, *self.code_checks]

    @property
    def code_checks(self) -> list[Check]:
        """The checks of its last run, at their current lines, without those of changed parts."""
        if self.verdict is None:
            return []
        checks = self.verdict.inspection.checks
        if self.verdict.note is self.note:
            return checks
        same = common_lines(self.verdict.note.lines, self.note.lines)
        return [
            replace(
                check,
                line=check.line + (same.shift if check.line >= same.tail else 0),
                fix=None,  # its lines are those of the older text
            )
            for check in checks
            if check.line <= same.head or check.line >= same.tail
        ]

    @property
    def is_waiting(self) -> bool:
        """Whether the code of its current text has not run yet."""
        return self.verdict is None or self.verdict.note is not self.note


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
        Whether it shows messages itself, since its own way to show them joins their lines.
    """

    pause: float = 0.1
    run_all: bool = True
    notifies: bool = False

    def updated(self, sent: Any) -> EditorSettings:
        """Return these settings with those that an editor sends; wrong values are left out.

        The editor sends ``pause``, ``check`` (*all* or *open* notes) and ``messages``
        (*notification*), alone or below ``vaultkit``.

        Examples
        --------
        >>> EditorSettings().updated({"vaultkit": {"pause": 0.5, "check": "open"}})
        EditorSettings(pause=0.5, run_all=False, notifies=False)
        """
        sent = _as_dictionary(sent)
        sent = _as_dictionary(sent.get("vaultkit", sent))
        changes: dict[str, Any] = {}
        if messages := sent.get("messages"):
            changes["notifies"] = messages == "notification"
        pause = sent.get("pause")
        if isinstance(pause, int | float) and pause >= 0:
            changes["pause"] = float(pause)
        if sent.get("check") in ("all", "open"):
            changes["run_all"] = sent["check"] == "all"
        return replace(self, **changes)


@dataclass(frozen=True)
class Status:
    """How many notes a vault has, how many fail, and how many are yet to be checked.

    The others hold. A note that fails already is not counted as waiting.
    """

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
            words = f"{self.fail} of {notes} fail" + "s" * (self.fail == 1)
        elif self.waiting:
            words = f"{self.notes - self.waiting} of {notes} hold"
        else:
            words = f"{notes} hold" + "s" * (self.notes == 1)
        return f"{words}, {self.waiting} not checked yet" if self.waiting else words


class Listener(Protocol):
    """Receives the results; all its methods are called in the event loop."""

    def note_checked(self, note: Note, checks: Iterable[Check], draft: Draft | None) -> None:
        """Receive those checks of a note that the user should see, with its draft if it is open.

        They replace those received before; none are left if there are none.
        """

    def code_ran(self) -> None:
        """Receive the notice that the code of a draft has run."""

    def say(self, words: str, outcome: str) -> None:
        """Show a message to the user, as an error if the outcome is a failure."""

    def settings_read(self, error: OptionsError | None, before: OptionsError | None) -> None:
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
        #: The last valid settings of the vault, and the error in the present ones, if any.
        self._options = Options()
        self.options_error: OptionsError | None = None
        self._root = folder.resolve()
        #: The vault with the parsed texts of the drafts in place of those of their files.
        self.vault: Vault
        self._read_vault()

        # Both work in threads of their own; their results are received in the event loop.
        def draft_ran(verdict: Verdict) -> None:
            loop.call_soon_threadsafe(self._draft_ran, verdict)

        def closed_note_checked(note: Note, checks: list[Check], whole: bool) -> None:
            loop.call_soon_threadsafe(self._closed_note_checked, note, checks, whole)

        self._background = Background(self._root, draft_ran)
        self._rounds = Rounds(self._root, closed_note_checked)

    def close(self) -> None:
        """Cancel all runs and timers."""
        for draft in self._open.values():
            if draft.timer:
                draft.timer.cancel()
        self._background.close()
        self._rounds.close()

    def check_all(self) -> None:
        """Check the notes that are not open, in the background."""
        self._request_checks(self.vault.notes)

    @property
    def reported(self) -> set[Path]:
        """The notes of which something may have been reported."""
        return {*self._reported, *self._open}

    def get(self, path: Path) -> Draft | None:
        """Return the draft of a note, if the editor holds one."""
        return self._open.get(path)

    def note(self, path: Path) -> Note | None:
        """Return a note with the text that the editor holds, or that is on disk, if it exists."""
        if draft := self._open.get(path):
            self._parse(draft)
        return self.vault.notes.get(path)

    def rows(self, path: Path) -> list[str]:
        """Return the lines of a file, as the editor holds it or as it is on disk."""
        if path in self._open:
            return split_lines(self._open[path].text)
        note = self.vault.notes.get(path)
        if note and path.suffix == ".md":  # the lines of a notebook are those of its cells
            return note.lines
        return split_lines(path.read_text(encoding="utf-8-sig", errors="replace"))

    # --- What the editor does ----------------------------------------------------------------

    def opened(self, path: Path, uri: str, text: str, version: int) -> None:
        """Add the draft of a note that the editor has opened, and check it."""
        draft = self._open[path] = Draft(uri, text, version, Note(path, text))
        draft.file_failures = _file_failures(path)
        self._drop_results(path)
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
        if draft and draft.file_failures:
            draft.file_failures = _file_failures(path)
            self._report(draft)
        self.files_changed([path])

    def closed(self, path: Path) -> None:
        """Drop the draft of a note that the editor has closed; check the note as it is on disk."""
        draft = self._open.pop(path)
        if draft.timer:
            draft.timer.cancel()
        self._background.close_note(path)
        self._read_vault_again()
        self._listener.note_checked(draft.note, [], draft)
        self._request_checks([path])

    def files_changed(self, paths: Sequence[Path]) -> None:
        """Check the notes that depend on changed files, and the changed notes themselves."""
        if any(path.suffix != ".md" for path in paths):
            self._background.drop_all_checkpoints()  # they do not know of new modules
        self._read_vault_again()
        for path in (self._reported | self._waiting) - self.vault.notes.keys():  # removed notes
            if path in self._reported:
                self._listener.note_checked(Note(path, ""), [], None)
            self._drop_results(path)
        notes = affected_notes(self.vault, paths)
        for note in notes:
            # The text of a draft that was saved is checked already.
            if note.path in self._open and note.path not in paths:
                self._check_text(note.path)
        self._request_checks(note.path for note in notes)

    def run_to(self, path: Path, index: int) -> None:
        """Run the blocks of a draft up to and including one, and show its result."""
        draft = self._open.get(path)
        # The editor may name a block of an older text.
        if draft and 0 <= index < len(draft.note.blocks):
            self._run(draft, until=index + 1)

    # --- Judging -----------------------------------------------------------------------------

    @property
    def _settings(self) -> Settings:
        """The settings of an inspection, from those of the vault."""
        options = self.vault.options
        return Settings(options.timeout, options.trials, to_mathml)

    def _check_text(self, path: Path) -> None:
        """Check the current text of a draft, and request the run of its code."""
        draft = self._open[path]
        draft.timer = None
        self._parse(draft)
        draft.text_checks = list(inspect(draft.note, self.vault, self._settings, run=None))
        self._report(draft)
        self._run(draft)

    def _parse(self, draft: Draft) -> None:
        """Parse the text of a draft into the vault, unless that was done."""
        if draft.parsed_text is not draft.text:  # each edit sets another object: no need to compare
            draft.parsed_text = draft.text
            draft.note = read_draft(draft.note.path, draft.text)
            self.vault = self.vault.replacing(draft.note)

    def _read_vault(self) -> None:
        """Read the vault, with its last valid settings, and put the drafts in their places."""
        self.options_error = None
        try:
            self._options = Options.read(self._root)
        except OptionsError as error:
            self.options_error = error
        vault = Vault(self._root, store=store_beside(self._root), options=self._options)
        for draft in self._open.values():
            if draft.parsed_text is not None:
                vault = vault.replacing(draft.note)
        self.vault = vault

    def _read_vault_again(self) -> None:
        """Read the vault, and report errors in its settings, new ones and removed ones."""
        error_before = self.options_error
        self._read_vault()
        if error_before or self.options_error:
            self._listener.settings_read(self.options_error, error_before)

    def _request_checks(self, paths: Iterable[Path]) -> None:
        """Request the checks of those notes among some that are not open."""
        # A new note that was closed unsaved is not in the vault.
        closed = [path for path in paths if path not in self._open and path in self.vault.notes]
        self._waiting.update(closed)
        self._rounds.request(self.vault, self._settings, closed, run=self.editor_settings.run_all)
        self._listener.status_changed()

    def _drop_results(self, path: Path) -> None:
        """Drop what was found in a note while it was not open."""
        for notes in (self._reported, self._failing, self._waiting):
            notes.discard(path)

    def _closed_note_checked(self, note: Note, checks: list[Check], whole: bool) -> None:
        """Report the checks of a note that is not open; ``whole`` says if these are all of them."""
        path = note.path
        if path in self._open or path not in self.vault.notes:  # opened or removed meanwhile
            return
        reported = list(filter(_is_reported, checks))
        if reported or path in self._reported:  # an empty list removes what was reported before
            self._listener.note_checked(note, reported, None)
        self._drop_results(path)
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
        waiting = sum(draft.is_waiting and not _fails(draft.checks) for draft in drafts)
        notes = len(self.vault.notes.keys() | self._open.keys())
        failing += len(self._failing)
        return Status(notes, failing, waiting + len(self._waiting - self._failing))

    def _run(self, draft: Draft, until: int | None = None) -> None:
        """Request the run of a draft, whole, or of the blocks before the index ``until``."""
        settings = replace(self._settings, typeset=None)  # formulas are typeset with the text
        task = task_of(draft.note, self.vault, settings, until)
        if until is not None:
            # The writer asks for the result of a block, even if its vault does not check code.
            task = replace(task, names=task.names | {"code"})
        self._background.request(task)

    def _draft_ran(self, verdict: Verdict) -> None:
        """Store the verdict of a draft, and report it; drop that of an older text."""
        draft = self._open.get(verdict.note.path)
        if draft is None or draft.note is not verdict.note:
            return
        if verdict.until is not None:
            self._show_block(verdict, verdict.until - 1)
            if draft.is_waiting:
                self._run(draft)  # this run has replaced the whole one, and stopped early
            return
        draft.verdict = verdict
        self._report(draft)
        self._listener.code_ran()

    def _show_block(self, verdict: Verdict, index: int) -> None:
        """Show the result of running up to a block: its variables, or the first failure."""
        checks = verdict.inspection.checks
        failures = [c for c in checks if c.outcome == FAILS and c.block is not None]
        if failures:
            self._listener.say(f"line {failures[0].line}: {failures[0].why}", FAILS)
            return
        rows = [f"block {index + 1} runs"]
        for name, values in verdict.inspection.values.items():
            for value in values:
                if value.block == index:
                    rows += [f"{name}: {value.what}", *filter(None, [value.print])]
        self._listener.say("\n".join(rows), "")

    def _report(self, draft: Draft) -> None:
        """Report the checks of a draft."""
        self._listener.note_checked(draft.note, filter(_is_reported, draft.checks), draft)
        self._listener.status_changed()


def _as_dictionary(settings: Any) -> dict[str, Any]:
    """Return settings, which pygls reads as a named tuple, as a dictionary; empty for others."""
    if hasattr(settings, "_asdict"):
        settings = settings._asdict()
    return settings if isinstance(settings, dict) else {}


def _fails(checks: Iterable[Check]) -> bool:
    """Return whether one of some checks fails."""
    return any(check.outcome == FAILS for check in checks)


def _file_failures(path: Path) -> list[Check]:
    """Return why the file of an open note cannot be read; empty if it can, or does not exist."""
    try:
        if path.is_file():
            read_text(path)
    except UnreadableError as error:
        return [Check("form", error.line, path.name, FAILS, error.reason)]
    return []


def _is_reported(check: Check) -> bool:
    """Return whether the user sees a check: one not proven, or a link to a note not yet written."""
    return check.outcome in UNPROVEN or (check.kind == "link" and check.outcome == EXCEPTED)
