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
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Generic, NoReturn, TypeVar

from vaultkit.run.processes import fork
from vaultkit.workers.pool import can_fork, count_cores

_T = TypeVar("_T")
#: Most helpers: with more, most would wait for each other.
_MOST_HELPERS = 3
#: The least number of items for each helper; forking it takes as long as a few items.
_ITEMS_OF_HELPER = 16
#: Most parts into which items are divided: the bytes of their numbers must fit into a pipe, which
#: holds 65,536 on Linux.
_MOST_PARTS = 4096
#: Bytes of the number of an item in the pipe.
_NUMBER = 4


class _Parts(Generic[_T]):
    """Parts of some items, which several processes take one after the other.

    Parameters
    ----------
    items
        The items.
    """

    def __init__(self, items: Sequence[_T]) -> None:
        self._items = items
        #: The number of items of a part, at least 1.
        self._size = len(items) // _MOST_PARTS + 1
        #: A pipe with the index of the first item of each part that nobody has taken yet.
        self._waiting, writer = os.pipe()
        for first in self._first_indices():
            os.write(writer, first.to_bytes(_NUMBER, sys.byteorder))
        os.close(writer)
        #: By the index of the first item of a part, the process that has taken it. The processes
        #: share this memory.
        self._takers = mmap.mmap(-1, len(items))

    def _first_indices(self) -> range:
        """Return the indices of the first items of all parts."""
        return range(0, len(self._items), self._size)

    def take(self, process: int) -> Iterable[_T]:
        """Yield items for the process with a number, until all are taken."""
        while number := os.read(self._waiting, _NUMBER):  # empty once all are taken
            first = int.from_bytes(number, sys.byteorder)
            self._takers[first] = process
            yield from self._items[first : first + self._size]

    def taken_by(self, process: int) -> list[_T]:
        """Return the items that the process with a number has taken."""
        firsts = [first for first in self._first_indices() if self._takers[first] == process]
        return [item for first in firsts for item in self._items[first : first + self._size]]

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
    count = _count_helpers(len(items), here=here)
    if not count:
        return [work(items)] if here else []
    parts = _Parts(items)
    #: The pipe from which the result of each helper is read, by the id of its process.
    running: dict[int, int] = {}
    # A collection of garbage in a helper would write to all objects, and so copy their memory.
    gc.freeze()
    try:
        for number in range(1, count + 1):
            reader, writer = os.pipe()
            if pid := fork():
                os.close(writer)
                running[pid] = reader
            else:
                _help(partial(work, parts.take(number)), writer)
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
        for pid, reader in running.items():  # none unless the work raised an error
            os.close(reader)
            os.kill(pid, signal.SIGKILL)
            _wait(pid)


def _count_helpers(item_count: int, *, here: bool) -> int:
    """Return how many helpers to fork; 0 if that is impossible or would save no time."""
    if not can_fork():
        return 0
    spare = count_cores() - 1
    if here:
        return min(_MOST_HELPERS, spare, item_count // _ITEMS_OF_HELPER)
    # A process that only waits leaves its own processor to a helper. A single helper would be no
    # faster than this process.
    count = min(_MOST_HELPERS, spare + 1, item_count // _ITEMS_OF_HELPER)
    return count if count > 1 else 0


def _help(work: Callable[[], Any], writer: int) -> NoReturn:
    """Do the work of a helper, write its result to a pipe in a JSON list, and exit.

    Nothing is written if the work fails or logs a message: the first process repeats it then, with
    its messages.
    """
    try:
        messages = _be_silent()
        result = json.dumps([work()])
        if not messages:
            with os.fdopen(writer, "w") as file:
                file.write(result)
    finally:
        os._exit(0)


def _wait(pid: int) -> None:
    """Wait for the end of a child."""
    with suppress(ChildProcessError):
        os.waitpid(pid, 0)


def _be_silent() -> list[str]:
    """Discard a helper's output; return a list that collects its log messages."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard_stream in range(3):
        os.dup2(nowhere, standard_stream)
    logging.lastResort = None  # it writes the warnings for which there is no handler
    messages: list[str] = []
    listener = logging.Handler()
    listener.emit = lambda record: messages.append(record.getMessage())  # type: ignore[method-assign]
    loggers = [logging.getLogger(name) for name in logging.root.manager.loggerDict]
    for logger in (logging.root, *loggers):
        logger.handlers.clear()
        # Other loggers pass their messages on to one of these.
        if logger is logging.root or not logger.propagate:
            logger.addHandler(listener)
    return messages
