"""Checks the notes of a vault that are not open, in a thread of its own.

What the ledger knows is reported first. The code of the other notes runs one note at a time, in
processes of low priority, so that open notes do not wait for it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from vaultkit.checks.check import Check
from vaultkit.pipeline.inspect import Settings, inspect
from vaultkit.pipeline.ledger import Ledger
from vaultkit.pipeline.process import NoteWork
from vaultkit.pipeline.runner import Runner
from vaultkit.read.note import Note
from vaultkit.read.vault import Vault
from vaultkit.workers.pool import Workers

#: How much lower the priority of the processes is than that of others, in steps of `os.nice`.
_NICE = 10
#: Seconds without work after which the processes end, to free their memory.
_IDLE = 10.0
#: Seconds for which `Rounds.close` waits for its thread, at most.
_PATIENCE = 5.0


class RoundWork(NoteWork):
    """The work of a note's process, with low priority, in the folder beside the vault."""

    def prepare(self) -> None:
        """Set the folder and the priority of the processes."""
        os.chdir(self.folder.parent)
        with suppress(AttributeError, OSError):  # Windows has no such priority
            os.nice(_NICE)
        super().prepare()


class _Request(NamedTuple):
    """The vault and settings with which notes are checked, and whether their code runs."""

    vault: Vault
    settings: Settings
    runs_code: bool


class Rounds:
    """Checks notes on request, those known to the ledger first.

    Parameters
    ----------
    folder
        The folder of the vault.
    report
        Called from the thread with a note, its checks, and whether these are all of its checks: a
        note whose code does not run has others.
    """

    def __init__(self, folder: Path, report: Callable[[Note, list[Check], bool], None]) -> None:
        self._folder = folder
        self._report = report
        self._changed = threading.Condition()
        self._last_request: _Request | None = None
        #: The notes that are yet to be looked up in the ledger, and those that are not in it and
        #: are yet to run. (Dictionaries keep the order of the requests.)
        self._to_look_up: dict[Path, None] = {}
        self._to_run: dict[Path, None] = {}
        #: The note that is run, and its runner.
        self._running: tuple[Runner, Note] | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def request(
        self, vault: Vault, settings: Settings, paths: Iterable[Path], *, run: bool
    ) -> None:
        """Request the checks of notes of a vault; without ``run`` only those of their texts.

        The vault and the settings also apply to notes that were requested before and still wait.
        """
        with self._changed:
            self._last_request = _Request(vault, settings, run)
            for path in paths:
                self._to_run.pop(path, None)
                self._to_look_up[path] = None
            self._changed.notify()

    def close(self) -> None:
        """End what runs, report nothing more, and wait a few seconds for the thread."""
        with self._changed:
            self._closed = True
            if self._running:
                runner, note = self._running
                runner.cancel(note)
            self._changed.notify()
        self._thread.join(_PATIENCE)

    def _work(self) -> None:
        """Check one note after the other, in a thread of its own, until `close` is called."""
        workers = Workers(RoundWork(self._folder), 1)
        try:
            while True:
                with self._changed:
                    has_work = self._changed.wait_for(self._has_work, _IDLE)
                if not has_work:
                    workers.close()  # they start again with the next note
                with self._changed:
                    self._changed.wait_for(self._has_work)
                    if self._closed:
                        return
                    is_looked_up = not self._to_look_up
                    waiting = self._to_look_up or self._to_run
                    path = next(iter(waiting))
                    del waiting[path]
                    assert self._last_request
                    vault, settings, runs_code = self._last_request
                if (note := vault.notes.get(path)) is None:  # it was removed meanwhile
                    continue
                if (known := Ledger(vault).fresh_checks(note)) is not None:
                    self._report(note, known, True)
                elif not runs_code:
                    checks = list(inspect(note, vault, settings, run=None))
                    self._report(note, checks, not note.blocks)
                elif is_looked_up:
                    self._run(note, vault, settings, workers)
                else:
                    with self._changed:
                        self._to_run[path] = None
        finally:
            workers.close()

    def _has_work(self) -> bool:
        """Return whether the thread need not wait: there is a note to check, or it has to end."""
        return bool(self._to_look_up or self._to_run or self._closed)

    def _run(self, note: Note, vault: Vault, settings: Settings, workers: Workers) -> None:
        """Run the code of a note in a process, record what was found, and report it."""
        runner = Runner(vault, settings, workers=workers)
        runner.submit([(note, None)])
        with self._changed:
            if self._closed:
                return
            self._running = runner, note
        inspection = runner.result(note)
        with self._changed:
            self._running = None
            if self._closed or note.path in self._to_look_up:
                return  # it was cancelled, or is requested again, since something has changed
        if inspection.is_whole:
            runner.record(inspection, Ledger(vault))
        self._report(note, inspection.checks, True)
