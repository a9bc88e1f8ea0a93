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

#: How much lower the priority of the processes is than that of others.
_NICE = 10
#: Seconds without work after which the processes end.
_IDLE = 10.0


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
        Called from the thread with a note, its checks, and whether these are all of its checks.
    """

    def __init__(self, folder: Path, report: Callable[[Note, list[Check], bool], None]) -> None:
        self._folder = folder
        self._report = report
        self._changed = threading.Condition()
        self._last_request: _Request | None = None
        #: The notes that are yet to be looked up in the ledger, and those that are yet to run.
        self._new: dict[Path, None] = {}
        self._unknown: dict[Path, None] = {}
        self._running: tuple[Runner, Note] | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def ask(self, vault: Vault, settings: Settings, paths: Iterable[Path], *, run: bool) -> None:
        """Request the checks of notes of a vault; without ``run`` only those of their texts."""
        with self._changed:
            self._last_request = _Request(vault, settings, run)
            for path in paths:
                self._unknown.pop(path, None)
                self._new[path] = None
            self._changed.notify()

    def close(self) -> None:
        """End what runs, and wait for it."""
        with self._changed:
            self._closed = True
            if self._running:
                runner, note = self._running
                runner.cancel(note)
            self._changed.notify()
        self._thread.join(5.0)

    def _work(self) -> None:
        """Check one note after the other, in a thread of its own.

        End processes that have no work.
        """
        workers = Workers(RoundWork(self._folder), 1)
        try:
            while True:
                with self._changed:
                    self._changed.wait_for(self._is_due, _IDLE)
                    if self._closed:
                        return
                    is_due = self._is_due()
                if not is_due:
                    workers.close()  # until there is work again
                with self._changed:
                    self._changed.wait_for(self._is_due)
                    if self._closed:
                        return
                    is_new = bool(self._new)
                    waiting = self._new or self._unknown
                    path = next(iter(waiting))
                    del waiting[path]
                    assert self._last_request
                    vault, settings, runs_code = self._last_request
                if (note := vault.notes.get(path)) is None:
                    continue
                if (known := Ledger(vault).fresh_checks(note)) is not None:
                    self._report(note, known, True)
                elif not runs_code:
                    checks = list(inspect(note, vault, settings, run=None))
                    self._report(note, checks, not note.blocks)
                elif is_new:
                    with self._changed:
                        self._unknown[path] = None
                else:
                    self._run(note, vault, settings, workers)
        finally:
            workers.close()

    def _is_due(self) -> bool:
        return bool(self._new or self._unknown or self._closed)

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
            if self._closed or note.path in self._new:
                return  # it was cancelled, or has changed meanwhile
        if inspection.whole:
            runner.record(inspection, Ledger(vault))
        self._report(note, inspection.checks, True)
