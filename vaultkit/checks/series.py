"""Contradicts a number that a text calls the largest, the smallest or the mean of a list.

*The longest reign, 21 years* is contradicted if a list of the page has 21, a larger and a smaller
number; *a mean of 13.9 s* if a list has 13.9, but another mean. A number that is an extreme or the
mean of any list of the page, or the value of a variable, may be right: the text may be about that.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np

from vaultkit.checks.check import Contradiction
from vaultkit.checks.literals import is_number
from vaultkit.checks.lookup import exact_fraction, parse_number
from vaultkit.checks.observed import NUMBER_IN_OUTPUT
from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.mentions import Sentence
from vaultkit.claims.stated import Stated
from vaultkit.read.note import Block, Note
from vaultkit.run.session import Step

#: Fewest numbers of a list of which one is the largest; most of one that a number may be from.
_FEW, _MOST = 3, 64
#: Most words between *the longest* and its number.
_BETWEEN = 4
#: Most elements of an array whose rows and columns are lists.
_LARGE = 4096


@dataclass(frozen=True)
class Series:
    """Numbers of one kind, and the variable, output or table that has them."""

    numbers: tuple[float, ...]
    source: str

    @property
    def is_data(self) -> bool:
        """Whether it is of one kind for certain: a line of an output may have several."""
        return self.source.startswith(("variable", "the table"))

    def has(self, number: Stated) -> bool:
        """Return whether it has a number."""
        return len(self.numbers) <= _MOST and any(_agrees(number, one) for one in self.numbers)

    @cached_property
    def extremes(self) -> tuple[float, ...]:
        """Its largest and smallest number, by size and by sign."""
        sizes = [abs(one) for one in self.numbers]
        return min(self.numbers), max(self.numbers), min(sizes), max(sizes)

    @cached_property
    def means(self) -> tuple[float, ...]:
        """Its mean and median."""
        return float(np.mean(self.numbers)), float(np.median(self.numbers))


class SeriesOfPage:
    """Collects the lists of numbers of a page, and judges the words for their extremes and means.

    Parameters
    ----------
    lexicon
        The words of the language of the note.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self._numbers: dict[tuple[float, ...], str] = {}
        #: Numbers that are no element of a list; the text may be about them.
        self._single: set[float] = set()

    def observe(self, block: Block, steps: Sequence[Step], variables: Mapping[str, Any]) -> None:  # noqa: ARG002
        """Collect the lists of the variables and outputs that a block leaves."""
        for name, value in variables.items():
            if name.startswith("_"):
                continue
            if is_number(value):
                self._single.add(float(value))
            if type(value) is np.ndarray and value.dtype.kind in "iuf" and value.size > _LARGE:
                with np.errstate(all="ignore"):
                    totals = value.min(), value.max(), value.mean(), value.sum()
                self._single.update(map(float, totals))
                continue
            with contextlib.suppress(Exception):  # an object of the note may raise anything
                for numbers in _lists_in(value):
                    self._numbers.setdefault(numbers, f"variable {name}")
        for step in steps:
            lines = [NUMBER_IN_OUTPUT.findall(line) for line in step.got.splitlines()]
            for numbers in _lists_of_lines(lines):
                self._numbers.setdefault(numbers, f"output at line {step.output_line}")

    def contradictions(self, note: Note, sentences: Iterable[Sentence]) -> Iterator[Contradiction]:
        """Yield the numbers that are not the extreme or mean that the text calls them."""
        for numbers in _columns_of_tables(note):
            self._numbers.setdefault(numbers, "the table")
        series = [
            Series(numbers, source)
            for numbers, source in self._numbers.items()
            if len(numbers) >= _FEW and min(numbers) < max(numbers)
        ]
        for sentence in sentences:
            for number, kind, word in self._called(sentence):
                if why := self._why(number, kind, word, series):
                    yield Contradiction.of_number(sentence, number, why)

    def _why(self, number: Stated, kind: str, word: str, series: Sequence[Series]) -> str:
        """Return why a number is not what it is called; empty if it may be."""
        may_be = (*self._single, *(one for own in series for one in getattr(own, kind)))
        if any(_agrees(number, one) for one in may_be):
            return ""
        for own in series:
            if own.is_data and own.has(number):
                low, high, mean = (f"{one:.6g}" for one in (*own.extremes[:2], own.means[0]))
                values = f"from {low} to {high}" if kind == "extremes" else f"with mean {mean}"
                return f"“{word}” is said of it, but {own.source} has numbers {values}"
        return ""

    def _called(self, sentence: Sentence) -> Iterator[tuple[Stated, str, str]]:
        """Yield the numbers right behind words for an extreme or a mean, with kind and word."""
        for kind, pattern in self._patterns.items():
            for word in pattern.finditer(sentence.text):
                number = next((n for n in sentence.numbers if n.start >= word.end()), None)
                if "but_one" in pattern.groupindex and word["but_one"]:
                    continue
                if not number or not number.digits or number.bounds or number.times or number.sign:
                    continue
                between = sentence.text[word.end() : number.start]
                if len(between.split()) <= _BETWEEN and not self._parting.search(between):
                    yield number, kind, word["word"]

    @cached_property
    def _parting(self) -> re.Pattern[str]:
        """What parts a number from the superlative before it: *the longest of the 23.5 m*."""
        return self.lexicon.regex(r"[.;:()]|(?<!,\s)\b(?:<series.parting>)\b")

    @cached_property
    def _patterns(self) -> dict[str, re.Pattern[str]]:
        """The words for each kind, without those of a part of the list: *the second longest*."""
        largest = "<directions.largest>|<directions.smallest>|<grammar.either>|<series.most>"
        return {
            "extremes": self.lexicon.regex(
                rf"(?<![\w-])(?P<but_one><series.but_one>\s)?(?P<word>{largest})(?![\w-])"
            ),
            "means": self.lexicon.regex(r"\b(?P<word><series.mean>)\b"),
        }


def _agrees(number: Stated, value: float) -> bool:
    """Return whether a number in words has a value, perhaps without its sign."""
    if not math.isfinite(value):
        return False
    exact = exact_fraction(value)
    return exact is not None and (number.agrees(exact) or number.agrees(abs(exact)))


def _lists_in(value: Any, depth: int = 0) -> Iterator[tuple[float, ...]]:
    """Yield the lists of numbers in a value: rows and columns of an array, values of a mapping."""
    if type(value) is np.ndarray:  # masked arrays and matrices are left out
        if value.dtype.kind in "iuf" and value.ndim in (1, 2) and value.size:
            for own in [value] if value.ndim == 1 else [*value, *value.T, value.ravel()]:
                yield tuple(map(float, own))
        return
    if isinstance(value, Mapping):
        value = list(value.values())
    if not isinstance(value, list | tuple) or not value or depth > 1:
        return
    if all(map(is_number, value)):
        yield tuple(map(float, value))
        return
    if all(isinstance(one, Mapping) for one in value):
        value = [list(one.values()) for one in value]
    if all(isinstance(one, list | tuple) for one in value):
        for column in zip(*value, strict=False):
            yield from _lists_in(column, depth + 1)
        for row in value:
            yield from _lists_in(row, depth + 1)


def _lists_of_lines(lines: Sequence[Sequence[str]]) -> Iterator[tuple[float, ...]]:
    """Yield the rows, and the columns of neighbouring lines, of the numbers of an output."""
    for count, group in groupby(lines, len):
        rows = [[float(parse_number(one)) for one in line] for line in group]
        yield from map(tuple, rows if count else [])
        yield from zip(*rows, strict=True)


def _columns_of_tables(note: Note) -> Iterator[tuple[float, ...]]:
    """Yield the columns of numbers in the tables of the text."""
    columns: dict[str, list[float]] = {}
    for cell in note.cells:
        found = NUMBER_IN_OUTPUT.findall(cell.text)
        if len(found) == 1:
            columns.setdefault(cell.title, []).append(float(parse_number(found[0])))
    yield from map(tuple, columns.values())
