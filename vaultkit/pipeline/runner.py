"""`Runner` inspects the notes of a vault, running the code of each in its own process."""

from __future__ import annotations

import json
import os
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from vaultkit.checks.check import FAILS, FOUND
from vaultkit.pipeline.inspect import Settings, Task, task_of, text_checks
from vaultkit.pipeline.ledger import Ledger
from vaultkit.pipeline.process import Inspection, NoteWork, inspection_of, serialize_task
from vaultkit.pipeline.rests_on import files_of
from vaultkit.read.note import Note
from vaultkit.read.options import OF_CODE
from vaultkit.read.vault import Vault
from vaultkit.workers.ending import Ending, Limits
from vaultkit.workers.pool import Workers


class Runner:
    """Inspects notes in the background or when their results are requested.

    Parameters
    ----------
    vault
        The vault.
    settings
        The settings of the inspection.
    count
        The number of processes; 0 to use only this process, for debuggers.
    limits
        The limits of a note's process.
    ledger
        The ledger with the results of notes that need not run again; None to run all.
    workers
        The processes that run the code, if they exist already (`workers_of`).
    """

    def __init__(
        self,
        vault: Vault,
        settings: Settings,
        count: int | None = None,
        limits: Limits | None = None,
        ledger: Ledger | None = None,
        workers: Workers | None = None,
    ) -> None:
        self.vault = vault
        self.settings = settings
        self._ledger = ledger
        self._began = time.time_ns()
        self._workers = workers or workers_of(vault.root, count, limits)
        #: The keys by which the workers know the notes that were submitted.
        self._keys: dict[Path, str] = {}
        #: The tasks of the notes, each computed when it is first needed.
        self._tasks: dict[Path, Callable[[], Task]] = {}
        #: The inspections that are finished.
        self._inspections: dict[Path, Inspection] = {}

    def submit(self, notes: Iterable[tuple[Note, int | None]]) -> None:
        """Announce the notes that will be requested, in this order.

        Each comes with the index of the block before which its run stops; None for a whole run.
        """
        for note, until in notes:
            if self._reuse_from_ledger(note, until):
                continue
            key = self._keys[note.path] = json.dumps([os.fspath(note.path), until])
            task = cache(partial(task_of, note, self.vault, self.settings, until))
            self._tasks[note.path] = task
            if _needs_process(note, task):
                self._workers.submit(key, partial(_serialize, task))

    def attend(self) -> None:
        """Start or continue inspecting the submitted notes in the background."""
        self._workers.attend()

    def result(self, note: Note) -> Inspection:
        """Return the inspection of a note; wait for it if necessary."""
        if note.path not in self._inspections and note.path not in self._keys:
            self.submit([(note, None)])
        if note.path not in self._inspections:
            task = self._tasks.pop(note.path)
            has_process = _needs_process(note, task)
            self._workers.attend()
            text = self._inspect_text(task())  # in parallel with its code
            ending = self._workers.result(self._keys[note.path]) if has_process else Ending("done")
            inspection = inspection_of(note, ending, whole=task().until is None)
            inspection.checks[:0] = text.checks
            inspection.is_whole &= text.is_whole
            inspection.text_is_whole = text.is_whole
            inspection.ended = text.ended or inspection.ended
            self._inspections[note.path] = inspection
        return self._inspections[note.path]

    def _inspect_text(self, task: Task) -> Inspection:
        """Inspect the text of a note; an error of a check becomes a failure of this note alone.

        Formulas are typeset in the process of the note, as a typesetter may hang or crash.
        """
        task = replace(task, settings=replace(task.settings, typeset=None))
        try:
            return Inspection(task.note, list(text_checks(task, self.vault)), is_whole=True)
        except Exception:
            return inspection_of(task.note, Ending("raised", details=traceback.format_exc()))

    def cancel(self, note: Note) -> None:
        """End the run of a note; a thread that waits for its result gets what there is."""
        if key := self._keys.get(note.path):
            self._workers.cancel(key)

    def record(self, inspection: Inspection, ledger: Ledger) -> None:
        """Store an inspection in a ledger, unless it comes from there."""
        if not inspection.is_from_ledger:
            # A file that was changed meanwhile may differ from what the code has read.
            files = files_of(inspection.note, self.vault, inspection.files_read)
            stale = any(_changed_since(path, self._began) for path in files)
            ledger.record(inspection.note, inspection.checks, inspection.files_read, stale=stale)

    def _reuse_from_ledger(self, note: Note, until: int | None) -> bool:
        """Reuse the results of a note from the ledger, if they are fresh and nothing failed.

        Return whether that is so. Code that depends on the time, the network or other folders is
        not detected.
        """
        trials = self.settings.trials
        is_usual_run = until is None and trials == self.vault.options.trials
        if self._ledger is None or not is_usual_run:
            return False
        checks = self._ledger.fresh_checks(note)
        if checks is None or any(check.outcome == FAILS for check in checks):
            return False
        if not trials:
            # The ledger keeps the results of trials on other numbers, which this run has not made.
            checks = [c if c.scope == FOUND else replace(c, scope="", pinned="") for c in checks]
        self._inspections[note.path] = Inspection(note, checks, is_whole=True, is_from_ledger=True)
        return True

    def close(self) -> None:
        """End all processes."""
        self._workers.close()


def workers_of(folder: Path, count: int | None = None, limits: Limits | None = None) -> Workers:
    """Return the workers for the notes in a folder; they may start before the notes are read.

    ``count`` and ``limits`` are those of `Workers`.
    """
    return Workers(NoteWork(folder), count, limits)


def _needs_process(note: Note, task: Callable[[], Task]) -> bool:
    """Return whether a note needs a process; forking one takes longer than reading a text.

    It does if it has code; if its formulas are typeset, since that may hang or crash; or if
    equations or numbers are to be judged (`OF_CODE`), which in a note without code is only so if
    it, or a setting, asks for it.
    """
    if note.blocks:
        return True
    typesets = task().settings.typeset is not None and bool(note.formulas)
    return typesets or not task().names.isdisjoint(OF_CODE)


def _serialize(task: Callable[[], Task]) -> bytes:
    """Compute and serialise a task."""
    return serialize_task(task())


def _changed_since(path: Path, moment: int) -> bool:
    """Return whether a file was written at or after a moment, in nanoseconds."""
    try:
        return path.stat().st_mtime_ns >= moment
    except FileNotFoundError:
        return False  # a block may name a file that has never been there
    except OSError:
        return True  # nobody knows: the checks are then not taken as fresh
