"""Detects changed dictionaries by comparing their memory, without touching their values."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from operator import attrgetter, eq
from typing import Any

_POINTER = ctypes.sizeof(ctypes.c_void_p)
# In CPython a dictionary ends in two pointers: to its table, and to values that stand elsewhere.
_PLACE = dict.__basicsize__ - 2 * _POINTER
# A table begins with what Python notes down about it; indices and entries follow.
_NOTED = 8 + 3 * _POINTER
_bytes = attrgetter("raw")
# Of all names it may be those of built-in functions that have been given another meaning.
_all, _list, _map = all, list, map


class Dictionaries:
    """A snapshot of the memory of dictionaries.

    To compare thousands of objects would change their reference counts, and so copy their memory
    in a forked process. If the bytes of a dictionary's table are the same, so are its objects.

    Parameters
    ----------
    dictionaries
        The dictionaries; only their tables are copied.

    Examples
    --------
    >>> one, other = {"a": 1}, {"b": 2}
    >>> watched = Dictionaries([one, other])
    >>> watched.changed()
    []
    >>> other["b"] = 3
    >>> watched.changed()
    [1]
    >>> watched.take(1)
    >>> watched.changed()
    []
    """

    def __init__(self, dictionaries: Sequence[dict[str, Any]]) -> None:
        self._dictionaries = list(dictionaries)
        count = len(self._dictionaries)
        self._numbers = range(count)
        self._places: list[Any] = []
        self._placed = [b""] * count
        self._tables: list[Any] = [b""] * count
        self._contents = [bytearray()] * count
        if _READABLE:
            self._places = [_memory(id(each) + _PLACE, 2 * _POINTER) for each in dictionaries]
            for n in range(count):
                self.take(n)

    def take(self, n: int) -> None:
        """Take a new snapshot of one of them."""
        if not _READABLE:
            return
        self._placed[n] = b""
        size = self._dictionaries[n].__sizeof__() - dict.__basicsize__ - _NOTED
        place = self._places[n].raw
        table, elsewhere = place[:_POINTER], place[_POINTER:]
        if size > 0 and not any(elsewhere):  # nor is the table one that others share
            self._placed[n] = place
            self._tables[n] = _memory(int.from_bytes(table, sys.byteorder) + _NOTED, size)
            self._contents[n] = bytearray(self._tables[n])

    def changed(self) -> list[int]:
        """Return the indices of those that may have changed."""
        every = self._numbers
        if not _READABLE:
            return [*every]
        placed = _list(_map(_bytes, self._places))
        # A table that was moved must not be read where it stood.
        if placed == self._placed and _all(_map(eq, self._contents, self._tables)):
            return []
        return [
            n for n in every if placed[n] != self._placed[n] or self._contents[n] != self._tables[n]
        ]


def _memory(address: int, size: int) -> Any:
    return (ctypes.c_char * size).from_address(address)


def _is_readable() -> bool:
    """Return whether the layout of memory is the expected one, tested on a known dictionary."""
    one, other = object(), object()
    known = dict.fromkeys(("a", "b", "c"), one)
    watched = Dictionaries([known])
    found = [watched.changed()]
    for value in (other, one):
        known["b"] = value
        found.append(watched.changed())
    return found == [[], [0], []]


# Other implementations of Python keep them otherwise; there all may have changed, always.
_READABLE = sys.implementation.name == "cpython"
_READABLE = _READABLE and _is_readable()
