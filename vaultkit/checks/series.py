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
from functools import cached_property, lru_cache
from itertools import groupby
from typing import Any, Literal

import numpy as np

from vaultkit.checks.check import Contradiction
from vaultkit.checks.collector import Collector
from vaultkit.checks.literals import is_number
from vaultkit.checks.lookup import exact_fraction, parse_number
from vaultkit.checks.observed import NUMBER_IN_OUTPUT
from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.mentions import Sentence
from vaultkit.claims.stated import Stated
from vaultkit.read.note import Note
from vaultkit.run.steps import Step

#: Fewest numbers of a list of which one is the largest.
_FEWEST = 3
#: In longer lists, too many numbers agree with a stated one by chance.
_LONGEST = 64
#: Most words between *the longest* and its number.
_BETWEEN = 4
#: Most elements of an array whose rows and columns are lists.
_LARGE = 4096
#: Most levels of lists in lists that are read: a table in a dictionary has two.
_DEEPEST = 1

#: What a text may call a number of a list: the name of an attribute of `Series`.
Kind = Literal["extremes", "means", "totals"]


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
        """Return whether it is short and has a number."""
        return len(self.numbers) <= _LONGEST and any(_agrees(number, one) for one in self.numbers)

    @cached_property
    def extremes(self) -> tuple[float, ...]:
        """Its smallest and largest number, by sign and by size."""
        sizes = [abs(one) for one in self.numbers]
        return min(self.numbers), max(self.numbers), min(sizes), max(sizes)

    @cached_property
    def totals(self) -> tuple[float, ...]:
        """Its sum."""
        return (math.fsum(self.numbers),)

    @cached_property
    def means(self) -> tuple[float, ...]:
        """Its mean and median."""
        return float(np.mean(self.numbers)), float(np.median(self.numbers))


@dataclass(frozen=True)
class Called:
    """A number with the word before it that calls it an extreme or a mean."""

    number: Stated
    kind: Kind
    word: str


class SeriesOfPage(Collector):
    """Collects the lists of numbers of a page, to judge words for their extremes and means."""

    def __init__(self, lexicon: Lexicon) -> None:
        super().__init__(lexicon)
        #: The first source of each list of numbers.
        self._sources: dict[tuple[float, ...], str] = {}
        #: Numbers that are no element of a list; the text may be about them.
        self._single: set[float] = set()

    def observe(self, steps: Sequence[Step], variables: Mapping[str, Any]) -> None:
        """Collect the lists of the variables and outputs of a block."""
        for name, value in variables.items():
            if is_number(value):
                self._single.add(float(value))
            elif type(value) is np.ndarray and value.dtype.kind in "iuf" and value.size > _LARGE:
                with np.errstate(all="ignore"):
                    totals = value.min(), value.max(), value.mean(), value.sum()
                self._single.update(map(float, totals))
            else:
                with contextlib.suppress(Exception):  # an object of the note may raise anything
                    for numbers in _lists_in(value):
                        self._sources.setdefault(numbers, f"variable {name}")
        for step in steps:
            for numbers in _lists_of_output(step.got):
                self._sources.setdefault(numbers, f"output at line {step.output_line}")

    def contradictions(self, note: Note, sentences: Iterable[Sentence]) -> Iterator[Contradiction]:
        """Yield the numbers that are not the extreme or mean that the text calls them."""
        for numbers in _columns_of_tables(note):
            self._sources.setdefault(numbers, "the table")
        series = [
            Series(numbers, source)
            for numbers, source in self._sources.items()
            if len(numbers) >= _FEWEST and min(numbers) < max(numbers)
        ]
        for sentence in sentences:
            for called in self._called(sentence):
                if why := self._why(called, series):
                    yield Contradiction.of_number(sentence, called.number, why)

    def _why(self, called: Called, series: Sequence[Series]) -> str:
        """Return why a number is not what it is called; empty if it may be."""
        rightly_called = [one for own in series for one in getattr(own, called.kind)]
        if any(_agrees(called.number, one) for one in (*self._single, *rightly_called)):
            return ""
        for own in series:
            if own.is_data and own.has(called.number):
                low, high = own.extremes[:2]
                values = {
                    "extremes": f"from {low:.6g} to {high:.6g}",
                    "means": f"with mean {own.means[0]:.6g}",
                    "totals": f"with sum {own.totals[0]:.6g}",
                }[called.kind]
                return f"“{called.word}” is said of it, but {own.source} has numbers {values}"
        return ""

    def _called(self, sentence: Sentence) -> Iterator[Called]:
        """Yield the numbers of a sentence that are called an extreme or a mean: *the longest, 21*.

        The number is the first one behind the word; a bound, a multiple or a change is none.
        """
        for kind, pattern in self._patterns.items():
            for word in pattern.finditer(sentence.text):
                number = next((n for n in sentence.numbers if n.start >= word.end()), None)
                if not number or not number.digits or number.bounds or number.times or number.sign:
                    continue
                between = sentence.text[word.end() : number.start]
                # *Up to the highest, 3 never arrived* is about 3 of them.
                if "," in between and not self._closing.match(sentence.text, number.end):
                    continue
                if len(between.split()) <= _BETWEEN and not self._parting.search(between):
                    yield Called(number, kind, word[0].strip(" ,;:"))

    @cached_property
    def _closing(self) -> re.Pattern[str]:
        """What follows a number in apposition, *the longest, 21 years*: a unit, or the end."""
        units = self.lexicon.pattern("measures")
        return re.compile(
            rf"\s?(?:$|[.,;:()!%°€$£]|{units}\b|[^\W\d_]{{1,2}}\b|\w+/)", re.IGNORECASE
        )

    @cached_property
    def _parting(self) -> re.Pattern[str]:
        """What parts a number from the superlative before it: *the longest of the 23.5 m*."""
        return self.lexicon.regex(r"[.;:()]|(?<!,\s)\b(?:<series.parting>)\b")

    @cached_property
    def _patterns(self) -> dict[Kind, re.Pattern[str]]:
        """The words for each kind; *the second longest* is no extreme."""
        largest = "<directions.largest>|<directions.smallest>|<grammar.either>|<series.most>"
        ranks = self.lexicon.words["series"]["but_one"]
        not_ranked = "".join(rf"(?<!\b{re.escape(rank)}\s)" for rank in ranks)
        return {
            "extremes": self.lexicon.regex(rf"(?<![\w-]){not_ranked}(?:{largest})(?![\w-])"),
            "means": self.lexicon.regex(r"\b<series.mean>\b"),
            # *Oak and elm together* are not all.
            "totals": self.lexicon.regex(r"(?:^\W*|[,;:]\s+|\ball\b[^.;:]*)<roles.totals>\b"),
        }


def _agrees(number: Stated, value: float) -> bool:
    """Return whether a number in words has a value, perhaps without its sign."""
    if not math.isfinite(value):
        return False
    exact = exact_fraction(value)
    return number.agrees(exact) or number.agrees(abs(exact))


def _lists_in(value: Any, depth: int = 0) -> Iterator[tuple[float, ...]]:
    """Yield the lists of numbers in a value: rows and columns of an array, values of a mapping.

    >>> list(_lists_in([("oak", 3, 4), ("elm", 5, 6)]))
    [(3.0, 5.0), (4.0, 6.0)]
    """
    if type(value) is np.ndarray:  # masked arrays and matrices are left out
        if value.dtype.kind in "iuf" and value.ndim in (1, 2) and value.size:
            yield from _lists_of_array(value.tobytes(), value.dtype, value.shape)
        return
    if isinstance(value, Mapping):
        value = list(value.values())
    if not isinstance(value, list | tuple) or not value or depth > _DEEPEST:
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


@lru_cache(512)  # an array is seen again after each block, and after each edit
def _lists_of_array(
    data: bytes, dtype: np.dtype[Any], shape: tuple[int, ...]
) -> list[tuple[float, ...]]:
    """Return the rows and columns of an array with at most two dimensions, and all its numbers."""
    value = np.frombuffer(data, dtype).reshape(shape)
    parts = [value] if value.ndim == 1 else [*value, *value.T, value.ravel()]
    return [tuple(map(float, part)) for part in parts]


def _lists_of_output(text: str) -> Iterator[tuple[float, ...]]:
    r"""Yield the lines of an output, and the columns of lines with equally many numbers.

    >>> list(_lists_of_output("oak 3 4\nelm 5 6"))
    [(3.0, 4.0), (5.0, 6.0), (3.0, 5.0), (4.0, 6.0)]
    """
    lines = ([*map(parse_number, NUMBER_IN_OUTPUT.findall(line))] for line in text.splitlines())
    for count, group in groupby(lines, len):
        rows = [*map(tuple, group)]
        if count:
            yield from rows
            yield from zip(*rows, strict=True)


def _columns_of_tables(note: Note) -> Iterator[tuple[float, ...]]:
    """Yield the numbers below each title in the tables of the text, from cells with one number."""
    columns: dict[str, list[float]] = {}
    for cell in note.cells:
        found = NUMBER_IN_OUTPUT.findall(cell.text)
        if len(found) == 1:
            columns.setdefault(cell.title, []).append(parse_number(found[0]))
    yield from map(tuple, columns.values())
