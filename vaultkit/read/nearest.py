"""Finds which of many names come near one that is none of them."""

from __future__ import annotations

import difflib
from collections import Counter, defaultdict
from collections.abc import Iterable

from vaultkit.read.syntax import comparable

#: Characters beyond which nobody looks for what comes near a name.
_LONGEST = 200
#: To compare two names letter by letter takes long: so many are, those that share most pairs.
_MOST = 30


class Nearest:
    """Names, and which pairs of letters they hold.

    Parameters
    ----------
    names
        The names as they are written.

    Examples
    --------
    >>> Nearest(["Softmax", "Soft Mask", "Query"]).to("softmx")
    ['Softmax', 'Soft Mask']
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = {key: name for name in names if (key := comparable(name))}
        self._holding: dict[str, list[str]] = defaultdict(list)
        for key in self._names:
            for pair in _pairs(key):
                self._holding[pair].append(key)

    def to(self, wanted: str) -> list[str]:
        """List the names that come nearest, the nearest first."""
        key = comparable(wanted[:_LONGEST])
        shared: Counter[str] = Counter()
        for pair in _pairs(key):
            shared.update(self._holding.get(pair, ()))
        # Of long names, many share some.
        likely = sorted(shared, key=lambda name: -shared[name] / (len(key) + len(name)))
        near = difflib.get_close_matches(key, likely[:_MOST], n=3, cutoff=0.5)
        return [self._names[name] for name in near]


def _pairs(key: str) -> set[str]:
    padded = f" {key} "
    return {padded[at : at + 2] for at in range(len(padded) - 1)}
