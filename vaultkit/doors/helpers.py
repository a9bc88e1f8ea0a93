"""Other processes that do beforehand, from the last to the first, what this one does in its order.

Both keep what they have done where they look first, so that they meet half way. What a helper does
is never waited for unless asked, and never missed: this process does itself whatever is not there.
"""

from __future__ import annotations

import logging
import mmap
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TypeVar

_T = TypeVar("_T")
#: More of them would mostly wait for each other.
_MOST = 3


class Helpers:
    """The processes that help one; there may be none.

    Only Linux forks them: elsewhere a fork is not safe, or impossible; nor is it where other
    threads run, and it brings nothing where there is one processor.

    Parameters
    ----------
    work
        What each of them does. It is given that helper, to ask what is still to be done.
    count
        How many; None: as many as there are processors besides that of this process.
    """

    def __init__(self, work: Callable[[Helpers], None], count: int | None = None) -> None:
        self.number = 0
        #: How many of the things to be done this process has come to.
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
        """Tell the helpers that this process does the thing of that number itself."""
        self._reached[:] = number.to_bytes(8, sys.byteorder)

    def share(self, things: Sequence[_T]) -> Iterable[_T]:
        """Yield to a helper what it is to do, from the last thing to where this process is."""
        for at in range(len(things) - 1 - self.number, -1, -self.count):
            if at <= int.from_bytes(self._reached[:], sys.byteorder):
                return
            yield things[at]

    def wait(self) -> None:
        """Wait until they have done all that they were asked for."""
        for pid in self._running:
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)
        self._running = []

    def end(self) -> None:
        """Wait for no more than what each of them has begun."""
        self.reach(2**62)
        self.wait()

    def __del__(self) -> None:
        for pid in self._running:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        self.wait()


def spare() -> int:
    """Count the processors besides that of this process."""
    return (len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1) - 1


def _can_fork() -> bool:
    return sys.platform == "linux" and threading.active_count() == 1


def _fork() -> int:
    with warnings.catch_warnings():
        # Python counts BLAS's threads, too; BLAS knows of forks and starts its own anew.
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _be_silent() -> None:
    """Leave it to the first process to tell of anything: it comes to everything that is told."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    logging.lastResort = None
    known = [logging.getLogger(name) for name in logging.root.manager.loggerDict]
    for logger in (logging.root, *known):
        logger.handlers.clear()
