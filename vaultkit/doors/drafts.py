"""The drafts of an editor: unsaved notes, checked while they are typed.

The text of a draft is checked a moment after the last key. Its code is run in a process of its own,
which is cancelled and restarted at the next key.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from vaultkit.checks.check import EXCEPTED, FAILS, UNPROVEN, Check
from vaultkit.doors.background import Background, Verdict
from vaultkit.edit.text import carried, lines
from vaultkit.pipeline.changed import affected
from vaultkit.pipeline.inspect import Settings, inspect, task_of
from vaultkit.read.discovery import read_draft
from vaultkit.read.note import Note
from vaultkit.read.options import OptionsError
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

    @property
    def checks(self) -> list[Check]:
        """The checks of its current text and of its last run."""
        return [*self.text_checks, *self.code_checks]

    @property
    def code_checks(self) -> list[Check]:
        """The checks of its last run, at their current lines, without those of changed parts."""
        if self.verdict is None:
            return []
        checks = self.verdict.found.checks
        if self.verdict.note is self.note:
            return checks
        head, tail, by = carried(self.verdict.note.lines, self.note.lines)
        return [
            replace(check, line=check.line + (by if check.line >= tail else 0), fix=None)
            for check in checks
            if check.line <= head or check.line >= tail
        ]


class Listener(Protocol):
    """Receives the results."""

    def found(self, note: Note, checks: Iterable[Check], draft: Draft | None) -> None:
        """Receive the checks of a note, with its draft if it is open."""

    def ran(self) -> None:
        """Receive the notice that the code of a draft has run."""

    def say(self, words: str, outcome: str) -> None:
        """Show a message to the user, as an error if the outcome is a failure."""


class Drafts:
    """The drafts of a vault, and the checks of their text and code.

    Parameters
    ----------
    vault
        The vault.
    listener
        Receives the results, in the current event loop.
    pause
        Seconds after the last key before a note is checked.
    """

    def __init__(self, vault: Vault, listener: Listener, pause: float) -> None:
        self.vault = vault
        self._listener = listener
        self._pause = pause
        self._loop = loop = asyncio.get_running_loop()
        self._open: dict[Path, Draft] = {}
        #: Notes that are not open and for which failures were reported.
        self._reported: set[Path] = set()

        def judged(verdict: Verdict) -> None:
            loop.call_soon_threadsafe(self._judged, verdict)

        self._background = Background(vault.root, judged)

    def close(self) -> None:
        """Cancel all runs and timers."""
        self._background.close()

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
            return lines(self._open[path].text)
        note = self.vault.notes.get(path)
        if note and path.suffix == ".md":
            return note.lines
        return lines(path.read_text(encoding="utf-8-sig", errors="replace"))

    # --- What the editor does ----------------------------------------------------------------

    def opened(self, path: Path, uri: str, text: str, version: int) -> None:
        """Add the draft of a note that the editor has opened."""
        self._open[path] = Draft(uri, text, version, Note(path, text))
        self._check_text(path)

    def edited(self, path: Path, text: str, version: int | None) -> None:
        """Store the new text of a draft."""
        draft = self._open[path]
        draft.text, draft.version = text, version
        self._background.outdate(path)
        if draft.timer:
            draft.timer.cancel()
        draft.timer = self._loop.call_later(self._pause, self._check_text, path)

    def saved(self, path: Path) -> None:
        """Check the notes that depend on a draft that was saved."""
        draft = self._open.get(path)
        if draft and draft.timer:  # check the last text first
            draft.timer.cancel()
            self._check_text(path)
        self.files_changed([path])

    def closed(self, path: Path) -> None:
        """Drop the draft of a note that the editor has closed."""
        draft = self._open.pop(path)
        if draft.timer:
            draft.timer.cancel()
        self._background.forget(path)
        self._read_vault()
        self._listener.found(draft.note, [], draft)

    def files_changed(self, paths: Sequence[Path]) -> None:
        """Check the notes that depend on changed files, with their code if they are drafts."""
        if any(path.suffix != ".md" for path in paths):
            self._background.forget()  # checkpoints do not know of new modules
        if not self._read_vault():
            return
        for note in affected(self.vault, paths):
            if note.path in self._open:
                if note.path not in paths:
                    self._check_text(note.path)
                continue
            checks = list(filter(_is_reported, self._inspect_text(note)))
            if checks or note.path in self._reported:
                (self._reported.add if checks else self._reported.discard)(note.path)
                self._listener.found(note, checks, None)

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

    def _read_vault(self) -> bool:
        """Read the vault and put the drafts in their places; return whether it could be read."""
        try:
            vault = Vault(self.vault.root, store=store_beside(self.vault.root))
        except OptionsError as error:
            self._listener.say(str(error), FAILS)
            return False
        for draft in self._open.values():
            if draft.read is not None:
                vault = vault.replacing(draft.note)
        self.vault = vault
        return True

    def _run(self, draft: Draft, until: int | None = None) -> None:
        """Request the run of a draft, whole or up to a block."""
        settings = replace(self._settings, typeset=None)  # formulas are typeset with the text
        task = task_of(draft.note, self.vault, settings, until)
        if until is not None:
            task = replace(task, names=task.names | {"code"})
        self._background.ask(task)

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
        self._listener.ran()

    def _show(self, verdict: Verdict, index: int) -> None:
        """Show the result of running up to a block: its variables, or its failures."""
        wrong = [c for c in verdict.found.checks if c.outcome == FAILS and c.block is not None]
        if wrong:
            self._listener.say(f"line {wrong[0].line}: {wrong[0].why}", FAILS)
            return
        values = ((n, v) for n, vs in verdict.found.values.items() for v in vs if v.block == index)
        bound = [f"{name}: {v.what}" + f"\n{v.print}" * bool(v.print) for name, v in values]
        self._listener.say("\n".join([f"block {index + 1} runs", *bound]), "")

    def _report(self, draft: Draft) -> None:
        self._listener.found(draft.note, filter(_is_reported, draft.checks), draft)


def _is_reported(check: Check) -> bool:
    return check.outcome in UNPROVEN or (check.kind == "link" and check.outcome == EXCEPTED)
