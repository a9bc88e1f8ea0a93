"""Runs the code of drafts in the background, only the last version of each.

A draft is the unsaved text of a note in an editor. Its run resumes from the last checkpoint before
the first change, if there is one, in a process that has loaded only the engine.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from vaultkit.pipeline.inspect import Task, count_equal_blocks
from vaultkit.pipeline.process import Inspection, NoteWork, inspection_of, serialize_task
from vaultkit.read.note import Note
from vaultkit.workers.ending import Limits
from vaultkit.workers.pool import Workers
from vaultkit.workers.work import Resumption

#: Characters and lines of a value that are shown.
_WIDEST, _LONGEST = 80, 12


@dataclass
class Verdict:
    """The results of running a draft.

    Attributes
    ----------
    note
        The draft.
    found
        The checks of its code, and its variables.
    until
        The block before which the run stopped; None for a whole run.
    """

    note: Note
    found: Inspection
    until: int | None = None


class _Run(NamedTuple):
    """A run of a draft: the path of its note, and the key of its process."""

    path: Path
    key: str


class Background:
    """Runs drafts one at a time, in the order of requests.

    Parameters
    ----------
    folder
        The folder of the vault.
    report
        Called with each verdict, from a thread of its own.
    limits
        What the process of a note may use.
    """

    def __init__(
        self, folder: Path, report: Callable[[Verdict], None], limits: Limits | None = None
    ) -> None:
        self._report = report
        self._workers = Workers(_DraftWork(folder, describe), 1, limits)
        self._changed = threading.Condition()
        #: The tasks that wait, the last of each note.
        self._waiting: dict[Path, Task] = {}
        self._running: _Run | None = None
        #: The task that ran last for each note: its checkpoints may still exist.
        self._last_task: dict[Path, Task] = {}
        #: Notes whose checkpoints are to be ended.
        self._forgotten: list[str] = []
        #: Makes the keys of runs unique.
        self._numbers = count()
        self._closed = False
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def ask(self, task: Task) -> None:
        """Request the run of a draft; earlier requests for the same note are cancelled."""
        with self._changed:
            self.outdate(task.note.path)
            self._waiting[task.note.path] = task
            self._changed.notify()

    def outdate(self, path: Path) -> None:
        """Cancel the runs of a note."""
        with self._changed:
            self._waiting.pop(path, None)
            if self._running and self._running.path == path:
                self._workers.cancel(self._running.key)
                self._running = None

    def forget(self, *paths: Path) -> None:
        """Cancel the runs of notes and drop their checkpoints; by default, of all notes."""
        with self._changed:
            for path in paths:
                self.outdate(path)
            for path in paths or list(self._last_task):
                if self._last_task.pop(path, None):
                    self._forgotten.append(os.fspath(path))
            self._changed.notify()

    def close(self) -> None:
        """Cancel the run, which reports nothing more, and end the thread and the processes."""
        with self._changed:
            self._closed = True
            if self._running:
                self._workers.cancel(self._running.key)
            self._running = None
            self._changed.notify()
        self._thread.join(5.0)
        self._workers.close()

    def _work(self) -> None:
        """Run one task after the other, in a thread of its own, and report the verdicts."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._forgotten or self._closed)
                if self._closed:
                    return
                self._workers.forget_checkpoints(*self._forgotten)
                self._forgotten = []
                if not self._waiting:
                    continue
                path = next(iter(self._waiting))
                task = self._waiting.pop(path)
                agrees = _last_equal_block(self._last_task.get(path), task)
                last = agrees if task.until is None else min(agrees, task.until - 1)
                self._last_task[path] = task
                key = json.dumps([os.fspath(path), agrees, last, next(self._numbers)])
                run = self._running = _Run(path, key)
                # Submitted under the lock, so that `outdate` and `close` find every key that
                # exists.
                self._workers.submit(key, partial(serialize_task, task))
                self._workers.attend()
            ending = self._workers.result(key)
            with self._changed:
                is_outdated = self._running != run
                self._running = None
            if not is_outdated:
                inspection = inspection_of(task.note, ending, task.until is None)
                self._report(Verdict(task.note, inspection, task.until))


def _last_equal_block(before: Task | None, task: Task) -> int:
    """Return the last block up to which the runs of two tasks are the same; -1 if none is."""
    if before is None or (before.names, before.settings) != (task.names, task.settings):
        return -1
    return count_equal_blocks(before.note, task.note) - 1


class _DraftWork(NoteWork):
    """The work of a draft's process: running a note beside its vault, with checkpoints."""

    def prepare(self) -> None:
        """Set the folder of the processes: code imports modules and reads files from there."""
        os.chdir(self.folder.parent)
        super().prepare()

    def resumes(self, key: str) -> Resumption:
        """Return from where the run of a key's note may resume."""
        path, agrees, last, _ = json.loads(key)
        return Resumption(path, agrees, last)


def describe(value: Any) -> tuple[str, str]:
    """Return the type and a short text of a value of any class, even if its ``repr`` raises.

    Examples
    --------
    >>> describe(np.zeros(2)), describe(print)
    (('float64 array of shape (2,)', 'array([0., 0.])'), ('builtin_function_or_method', ''))
    """
    what = type(value).__name__
    try:
        if isinstance(value, np.ndarray):
            what = f"{value.dtype} array of shape {value.shape}"
        elif isinstance(value, (list, tuple, dict, set)):
            what = f"{what} of {len(value)}"
        elif callable(value):
            return what, ""
        shown = np.array_repr(value) if isinstance(value, np.ndarray) else repr(value)
    except Exception:
        return what, ""
    rows = [f"{row[: _WIDEST - 1]}…" if len(row) > _WIDEST else row for row in shown.split("\n")]
    return what, "\n".join(rows if len(rows) <= _LONGEST else [*rows[: _LONGEST - 1], "…"])
