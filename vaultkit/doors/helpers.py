"""Helper processes that share the work of this one.

`Helpers` do items from the last to the first, while this process does them from the first to the
last. Both store their results in the same cache and look there first, so that they meet in the
middle. This process need not wait for a helper, and does itself whatever a helper has not done.

`divided` is for items in any order, all of which are known from the start.
"""

from __future__ import annotations

import json
import logging
import mmap
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

_T = TypeVar("_T")
#: With more helpers, most would wait for each other.
_MOST = 3
#: At least so many items for each helper; forking it takes as long as a few items.
_FEW = 16
#: Most parts into which items are divided; their numbers, four bytes each, must fit into a pipe.
_PARTS = 4096


class Helpers:
    """Forked processes that help this one; there may be none.

    They exist only on Linux, since other systems cannot fork safely, only if no other threads run,
    and only if there is a second processor.

    Parameters
    ----------
    work
        The work of each helper, called with the `Helpers` object, whose `share` yields its items.
    count
        The number of helpers; None: as many as there are other processors.
    """

    def __init__(self, work: Callable[[Helpers], None], count: int | None = None) -> None:
        self.number = 0
        #: The number of the item that this process has reached.
        self._reached = mmap.mmap(-1, 8)
        self._running: list[int] = []
        self.count = min(_MOST, spare() if count is None else count) if _can_fork() else 0
        for number in range(self.count):
            pid = _fork()
            if pid:
                self._running.append(pid)
                continue
            self.number = number
            try:
                _be_silent()
                work(self)
            finally:
                os._exit(0)

    def reach(self, number: int) -> None:
        """Announce to the helpers that this process has reached the item of that number."""
        self._reached[:] = number.to_bytes(8, sys.byteorder)

    def share(self, things: Sequence[_T]) -> Iterable[_T]:
        """Yield a helper's items, from the last down to the one that this process has reached."""
        for at in range(len(things) - 1 - self.number, -1, -self.count):
            if at <= int.from_bytes(self._reached[:], sys.byteorder):
                return
            yield things[at]

    def wait(self) -> None:
        """Wait until the helpers have done all their items."""
        for pid in self._running:
            _wait(pid)
        self._running = []

    def end(self) -> None:
        """Let each helper finish its current item, and wait for that."""
        self.reach(2**62)
        self.wait()

    def __del__(self) -> None:
        for pid in self._running:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        self.wait()


def divided(things: Sequence[_T], work: Callable[[Iterable[_T]], Any]) -> list[Any]:
    """Divide items among all processors; each process takes the next ones when it is free.

    Parameters
    ----------
    things
        The items.
    work
        Processes some items, and returns something that JSON can write. It is called once in each
        process.

    Returns
    -------
    list
        The value that `work` returned in each process. If a helper failed or logged a message, this
        process repeats its items.
    """
    count = min(_MOST, spare(), len(things) // _FEW) if _can_fork() else 0
    if count <= 0:
        return [work(things)]
    size = len(things) // _PARTS + 1
    waiting, writer = os.pipe()
    for at in range(0, len(things), size):
        os.write(writer, at.to_bytes(4, sys.byteorder))
    os.close(writer)
    #: By the number of each item, the helper that has taken its part.
    taken = mmap.mmap(-1, len(things))

    def take(number: int) -> Iterable[_T]:
        while part := os.read(waiting, 4):
            at = int.from_bytes(part, sys.byteorder)
            taken[at] = number
            yield from things[at : at + size]

    running: dict[int, int] = {}
    try:
        for number in range(1, count + 1):
            reader, writer = os.pipe()
            if pid := _fork():
                os.close(writer)
                running[pid] = reader
                continue
            try:
                messages = _be_silent()
                result = json.dumps([work(take(number))])
                if not messages:
                    with os.fdopen(writer, "w") as file:
                        file.write(result)
            finally:
                os._exit(0)
        results = [work(take(0))]
        for number, pid in enumerate(list(running), 1):
            with os.fdopen(running[pid]) as file:
                answer = file.read()
            _wait(pid)
            del running[pid]
            if answer:
                results += json.loads(answer)
            else:
                lost = [at for at in range(0, len(things), size) if taken[at] == number]
                results.append(work([thing for at in lost for thing in things[at : at + size]]))
        return results
    finally:
        os.close(waiting)
        for pid, reader in running.items():
            os.close(reader)
            os.kill(pid, signal.SIGKILL)
            _wait(pid)


def spare() -> int:
    """Return the number of processors besides that of this process."""
    return (len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1) - 1


def _can_fork() -> bool:
    return sys.platform == "linux" and threading.active_count() == 1


def _fork() -> int:
    with warnings.catch_warnings():
        # Python counts BLAS's threads, too; BLAS restarts its own after a fork.
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _wait(pid: int) -> None:
    with suppress(ChildProcessError):
        os.waitpid(pid, 0)


def _be_silent() -> list[str]:
    """Discard a helper's output; return a list that collects its log messages."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    logging.lastResort = None
    messages: list[str] = []
    listener = logging.Handler()
    listener.emit = lambda record: messages.append(record.getMessage())  # type: ignore[method-assign]
    known = [logging.getLogger(name) for name in logging.root.manager.loggerDict]
    for logger in (logging.root, *known):
        logger.handlers.clear()
        if logger is logging.root or not logger.propagate:
            logger.addHandler(listener)
    return messages
