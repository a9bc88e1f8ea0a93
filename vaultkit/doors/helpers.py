"""Helper processes that share the work of this one.

`Helpers` do beforehand, from the last to the first, what this process does in its order. Both keep
what they have done where they look first, so that they meet half way. What a helper does is never
waited for unless asked, and never missed: this process does itself whatever is not there.

`divided` is for work without an order, all of which is at hand.
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
#: More of them would mostly wait for each other.
_MOST = 3
#: So many things are done before a process to help is made.
_FEW = 16
#: Parts that are handed out one by one; their numbers, of four bytes each, wait in a pipe.
_PARTS = 4096


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
        """Inform the helpers that this process has reached the item of that number."""
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
            _wait(pid)
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


def divided(things: Sequence[_T], work: Callable[[Iterable[_T]], Any]) -> list[Any]:
    """Divide work among all processors; each process takes the next item when it is free.

    Parameters
    ----------
    things
        What is to be done.
    work
        Does things as they come, and returns something that JSON can write. It is called once in
        each process.

    Returns
    -------
    list
        What it returned in each of them. What a helper was not able to do, or did not do in
        silence, has been done by this process.
    """
    count = min(_MOST, spare(), len(things) // _FEW) if _can_fork() else 0
    if count <= 0:
        return [work(things)]
    size = len(things) // _PARTS + 1
    waiting, writer = os.pipe()
    for at in range(0, len(things), size):
        os.write(writer, at.to_bytes(4, sys.byteorder))
    os.close(writer)
    #: By the number of each part, who has taken it.
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
    """Count the processors besides that of this process."""
    return (len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1) - 1


def _can_fork() -> bool:
    return sys.platform == "linux" and threading.active_count() == 1


def _fork() -> int:
    with warnings.catch_warnings():
        # Python counts BLAS's threads, too; BLAS knows of forks and starts its own anew.
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _wait(pid: int) -> None:
    with suppress(ChildProcessError):
        os.waitpid(pid, 0)


def _be_silent() -> list[str]:
    """Leave it to the first process to tell of anything; gather what would have been told."""
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
