"""Runs the code of drafts in the background, only the last version of each.

A draft is the unsaved text of a note in an editor. A checkpoint is a copy of the process of an
earlier run, which waits after one of the note's blocks (`vaultkit.workers.checkpoints`). A run
resumes from the last checkpoint before the first change, if there is one; otherwise it starts in a
process that has loaded only the engine.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable
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

#: Most characters of a line and most lines of a value that are shown, so that a hover stays small.
_MOST_CHARACTERS, _MOST_LINES = 80, 12

#: Seconds for which `Background.close` waits for its thread, at most.
_PATIENCE = 5.0


@dataclass
class Verdict:
    """The results of running a draft.

    Attributes
    ----------
    note
        The draft.
    inspection
        The checks of its code, and its variables.
    until
        The index of the block before which the run stopped; None for a whole run.
    """

    note: Note
    inspection: Inspection
    until: int | None = None


class _Run(NamedTuple):
    """A run of a draft: the path of its note, and the key by which `Workers` knows its process."""

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
        #: The run whose verdict will be reported; None if there is none, or if it was cancelled.
        self._running: _Run | None = None
        #: The task that ran last for each note: its checkpoints may still exist.
        self._last_task: dict[Path, Task] = {}
        #: Notes whose checkpoints are to be ended.
        self._forgotten: list[str] = []
        #: Makes the keys of runs unique.
        self._run_numbers = count()
        self._closed = False
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def request(self, task: Task) -> None:
        """Request the run of a draft; earlier requests for the same note are cancelled."""
        with self._changed:
            self.cancel(task.note.path)
            self._waiting[task.note.path] = task
            self._changed.notify()

    def cancel(self, path: Path) -> None:
        """Cancel the runs of a note; its checkpoints stay."""
        with self._changed:
            self._waiting.pop(path, None)
            if self._running and self._running.path == path:
                self._workers.cancel(self._running.key)
                self._running = None

    def close_note(self, path: Path) -> None:
        """Cancel the runs of a note, and drop its checkpoints."""
        with self._changed:
            self.cancel(path)
            self._drop_checkpoints([path])

    def drop_all_checkpoints(self) -> None:
        """Let the next run of each note begin at its first block."""
        with self._changed:
            self._drop_checkpoints(list(self._last_task))

    def _drop_checkpoints(self, paths: Iterable[Path]) -> None:
        """Let the thread end the checkpoints of some notes. The caller holds the lock."""
        ran = [path for path in paths if self._last_task.pop(path, None)]
        self._forgotten += map(os.fspath, ran)
        self._changed.notify()

    def close(self) -> None:
        """Cancel the run, which reports nothing more, and end the thread and the processes."""
        with self._changed:
            self._closed = True
            if self._running:
                self._workers.cancel(self._running.key)
            self._running = None
            self._changed.notify()
        self._thread.join(_PATIENCE)
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
                run = self._running = _Run(path, self._key_of_run(task))
                self._last_task[path] = task
                # Submitted under the lock, so that `cancel` and `close` find every key that
                # exists.
                self._workers.submit(run.key, partial(serialize_task, task))
                self._workers.attend()
            ending = self._workers.result(run.key)
            with self._changed:
                was_cancelled = self._running != run
                self._running = None
            if not was_cancelled:
                inspection = inspection_of(task.note, ending, whole=task.until is None)
                self._report(Verdict(task.note, inspection, task.until))

    def _key_of_run(self, task: Task) -> str:
        """Return the key of a new run, a JSON list that `_DraftWork.resumes` reads.

        It has the path of the note, the indices ``agrees`` and ``last`` (see `Resumption`), and a
        number that makes it unique.
        """
        path = task.note.path
        agrees = _last_equal_block(self._last_task.get(path), task)
        # A checkpoint is left before its block is judged, so that of the last block may be used.
        last = agrees if task.until is None else min(agrees, task.until - 1)
        return json.dumps([os.fspath(path), agrees, last, next(self._run_numbers)])


def _last_equal_block(before: Task | None, task: Task) -> int:
    """Return the index of the last block up to which the runs of two tasks are the same.

    It is -1 if no block is, or if the tasks ask for different checks (``names``).
    """
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
        """Return from where a run may resume, given its key (`Background._key_of_run`)."""
        path, agrees, last, _run_number = json.loads(key)
        return Resumption(path, agrees, last)


def describe(value: Any) -> tuple[str, str]:
    """Return the type and a short text of a value of any class.

    The text is empty if the value's ``repr`` raises, and for a function, whose text is an address.

    Examples
    --------
    >>> describe(np.zeros(2)), describe(print)
    (('float64 array of shape (2,)', 'array([0., 0.])'), ('builtin_function_or_method', ''))
    """
    type_name = type(value).__name__
    try:
        if isinstance(value, np.ndarray):
            type_name = f"{value.dtype} array of shape {value.shape}"
        elif isinstance(value, (list, tuple, dict, set)):
            type_name = f"{type_name} of {len(value)}"
        elif callable(value):
            return type_name, ""
        # The `repr` of a subclass of arrays may be the note's own.
        text = np.array_repr(value) if isinstance(value, np.ndarray) else repr(value)
    except Exception:
        return type_name, ""
    rows = [
        f"{row[: _MOST_CHARACTERS - 1]}…" if len(row) > _MOST_CHARACTERS else row
        for row in text.split("\n")
    ]
    if len(rows) > _MOST_LINES:
        rows = [*rows[: _MOST_LINES - 1], "…"]
    return type_name, "\n".join(rows)
