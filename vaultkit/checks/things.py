"""What the page computes: its numbers with the words by which they are known, found by words.

A number of an output and the variables that it shows are one thing, which has the words of both.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from vaultkit.checks.labelled import Labelled, Words, is_same
from vaultkit.claims.stated import Stated

#: The shortest beginning that two words share if they may mean the same, and of an abbreviation.
_ROOT, _ABBREVIATION = 4, 3


@dataclass(frozen=True, eq=False)
class Thing:
    """A number that the page computes.

    Attributes
    ----------
    values
        The number as it is shown, and as variables have it.
    words
        The words by which it is known.
    keys
        Those that are the label of its row, or its key in a dictionary.
    units
        Its unit of measurement, if the page shows one.
    labels
        The words in each place that has it.
    groups
        The outputs and variables that have it.
    source
        Where it is.
    line
        The line of the output that shows it; 0 for a variable.
    """

    values: tuple[float, ...]
    words: Words
    keys: Words
    units: frozenset[str]
    labels: tuple[Words, ...]
    groups: frozenset[str]
    source: str
    line: int

    @cached_property
    def is_whole(self) -> bool:
        """Whether it is an integer."""
        return any(map(float.is_integer, self.values))

    @cached_property
    def is_long(self) -> bool:
        """Whether it has two digits or more."""
        return any(_digits(value) > 1 for value in self.values)

    def is_sibling(self, other: Thing) -> bool:
        """Return whether two numbers differ only in their rows: *the height of Ann*, *of Bob*."""
        return bool(
            self.groups & other.groups
            and self.keys
            and other.keys
            and self.keys != other.keys
            and self.words - self.keys == other.words - other.keys
        )


class Things:
    """The numbers of a page.

    Parameters
    ----------
    labelled
        The numbers of its outputs and variables.
    """

    def __init__(self, labelled: Sequence[Labelled]) -> None:
        self.every = _joined(labelled)
        self._by_word: dict[str, list[Thing]] = defaultdict(list)
        for thing in self.every:
            for word in thing.words:
                self._by_word[word].append(thing)
        self.keys = frozenset[str]().union(*(thing.keys for thing in self.every))
        self._labels: dict[str, Words] = {}
        self._akin: dict[str, Words] = {}
        pairs = [(value, thing) for thing in self.every for value in thing.values]
        pairs.sort(key=lambda pair: pair[0])
        self._values = [value for value, _ in pairs]
        self._in_order = [thing for _, thing in pairs]

    def labels(self, word: str) -> Words:
        """Return the words of the page that a word of a text is."""
        if word not in self._labels:
            self._labels[word] = frozenset(own for own in self._by_word if is_same(word, own))
        return self._labels[word]

    def akin(self, word: str) -> Words:
        """Return the words of the page that a word of a text may mean: *temperature*, temp."""
        if word not in self._akin:
            same = self.labels(word)
            self._akin[word] = same or frozenset(
                own for own in self._by_word if _is_akin(word, own)
            )
        return self._akin[word]

    def known_by(self, words: Words) -> list[Thing]:
        """Return the numbers that have some of these words."""
        found = (thing for word in sorted(words) for thing in self._by_word[word])
        return list(dict.fromkeys(found))

    def of(self, number: Stated) -> list[Thing]:
        """Return the numbers that a text may state; a word may say the sign: *moves back at 3*."""
        found: dict[Thing, None] = {}
        for own in number.ranges:
            low, high = own.bounds
            slack = 1e-9 * max(abs(bound) for bound in (low, high, 0.0) if math.isfinite(bound))
            for least, most in ((low, high), (-high, -low)):
                first = bisect_left(self._values, least - slack)
                last = bisect_right(self._values, most + slack)
                found |= dict.fromkeys(self._in_order[first:last])
        return list(found)


def _joined(labelled: Sequence[Labelled]) -> list[Thing]:
    """Return the numbers of outputs with the variables that they show, then all other ones."""
    bound = [own for own in labelled if own.source.startswith("variable")]
    bound.sort(key=lambda own: own.value)
    values = [own.value for own in bound]
    found: list[Thing] = []
    taken: set[Labelled] = set()
    for own in labelled:
        if own.source.startswith("variable"):
            continue
        half = 0.5 * 10.0 ** -_decimals(own.value) * (1 + 1e-9)
        near = bound[bisect_left(values, own.value - half) : bisect_right(values, own.value + half)]
        shown = [b for b in near if b.value == own.value or _shows(own.value, b.value)]
        taken.update(shown)
        # An element of a variable is the same number only if it has the same key.
        found.append(
            _thing([own, *(b for b in shown if b.group == "variables" or b.keys <= own.words)])
        )
    return found + [_thing([own]) for own in bound if own not in taken]


def _thing(joined: Sequence[Labelled]) -> Thing:
    """Return one number that several places of the page have; the first one shows it."""
    first = joined[0]
    line = first.source.rpartition(" ")[2] if first.source.startswith("output") else ""
    return Thing(
        tuple({own.value for own in joined}),
        frozenset[str]().union(*(own.words for own in joined)),
        frozenset[str]().union(*(own.keys for own in joined)),
        frozenset(own.unit for own in joined) - {""},
        tuple(own.words for own in joined if own.words),
        frozenset(own.group for own in joined) - {"variables"},
        first.source,
        int(line) if line.isdecimal() else 0,
    )


def _decimals(value: float) -> int:
    text = repr(value).removesuffix(".0")
    return 0 if "e" in text else len(text.partition(".")[2])


def _digits(value: float) -> int:
    return len(f"{abs(value):.6g}".replace(".", "").strip("0"))


def _shows(shown: float, value: float) -> bool:
    """Return whether a number of an output with two digits or more is the rounding of another."""
    return _digits(shown) > 1 and round(value, _decimals(shown)) == shown


def _is_akin(word: str, label: str) -> bool:
    """Return whether a word may mean the same as one of a label.

    >>> [_is_akin(*pair) for pair in (("temperature", "temp"), ("payment", "paying"), ("a", "an"))]
    [True, False, False]
    """
    one, other = sorted((word, label), key=len)
    if is_same(word, label):
        return True
    if not one or one[0] in "#@":
        return False
    is_beginning = len(one) >= _ABBREVIATION and other.startswith(one)
    return is_beginning or (len(one) > _ROOT and one[:_ROOT] == other[:_ROOT])
