"""Divides work among forked helper processes and this one.

Helpers exist only on Linux, since other systems cannot fork safely, only if no other threads run,
and only if there is a second processor.
"""

from __future__ import annotations

import gc
import json
import logging
import mmap
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, Generic, TypeVar

from vaultkit.run.processes import fork

_T = TypeVar("_T")
#: With more helpers, most would wait for each other.
_MOST = 3
#: At least so many items for each helper; forking it takes as long as a few items.
_FEW = 16
#: Most parts into which items are divided; their numbers, four bytes each, must fit into a pipe.
_PARTS = 4096


class _Parts(Generic[_T]):
    """Parts of some items, which several processes take one after the other.

    Parameters
    ----------
    items
        The items.
    """

    def __init__(self, items: Sequence[_T]) -> None:
        self._items = items
        self._size = len(items) // _PARTS + 1
        #: A pipe with the number of the first item of each part that nobody has taken yet.
        self._waiting, writer = os.pipe()
        for first in self._first_numbers():
            os.write(writer, first.to_bytes(4, sys.byteorder))
        os.close(writer)
        #: By the number of the first item of each part, the process that has taken it.
        self._taken = mmap.mmap(-1, len(items))

    def _first_numbers(self) -> range:
        return range(0, len(self._items), self._size)

    def take(self, number: int) -> Iterable[_T]:
        """Yield items for the process with a number, until all are taken."""
        while first := os.read(self._waiting, 4):
            at = int.from_bytes(first, sys.byteorder)
            self._taken[at] = number
            yield from self._items[at : at + self._size]

    def taken_by(self, number: int) -> list[_T]:
        """Return the items that a process has taken."""
        firsts = [at for at in self._first_numbers() if self._taken[at] == number]
        return [item for at in firsts for item in self._items[at : at + self._size]]

    def close(self) -> None:
        """Close the pipe."""
        os.close(self._waiting)


def divide(
    items: Sequence[_T], work: Callable[[Iterable[_T]], Any], *, here: bool = True
) -> list[Any]:
    """Divide items among all processors; each process takes the next ones when it is free.

    Parameters
    ----------
    items
        The items.
    work
        Processes some items, and returns something that JSON can write. It is called once in each
        process.
    here
        Whether this process does its share, and repeats the items of a helper that failed or logged
        a message. Otherwise it waits for the helpers, if there are any.

    Returns
    -------
    list
        The value that `work` returned in each process.
    """
    others = count_spare_processors()
    count = min(_MOST, others + (others > 0 and not here), len(items) // _FEW)
    if count < (1 if here else 2) or not _can_fork():
        return [work(items)] if here else []
    parts = _Parts(items)
    #: The pipe from which the result of each helper is read, by the helper's process.
    running: dict[int, int] = {}
    # A collection of garbage in a helper would write to all objects, and so copy their memory.
    gc.freeze()
    try:
        for number in range(1, count + 1):
            reader, writer = os.pipe()
            if pid := fork():
                os.close(writer)
                running[pid] = reader
                continue
            try:
                messages = _be_silent()
                result = json.dumps([work(parts.take(number))])
                if not messages:
                    with os.fdopen(writer, "w") as file:
                        file.write(result)
            finally:
                os._exit(0)
        results = [work(parts.take(0))] if here else []
        for number, pid in enumerate(list(running), 1):
            with os.fdopen(running[pid]) as file:
                answer = file.read()
            _wait(pid)
            del running[pid]
            if answer:
                results += json.loads(answer)
            elif here:
                results.append(work(parts.taken_by(number)))
        return results
    finally:
        gc.unfreeze()
        parts.close()
        for pid, reader in running.items():
            os.close(reader)
            os.kill(pid, signal.SIGKILL)
            _wait(pid)


def count_spare_processors() -> int:
    """Return the number of processors besides that of this process."""
    return (len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1) - 1


def _can_fork() -> bool:
    return sys.platform == "linux" and threading.active_count() == 1


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
