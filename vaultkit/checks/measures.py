"""Contradicts a number whose unit is not that of an output or a comment: *37 mA* for ``37 uA``.

A unit is known behind a number of an output, and in a comment behind an assignment:
``volume = 50  # L``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, groupby
from typing import Any

from vaultkit.checks.check import Contradiction
from vaultkit.checks.literals import is_number, literals_of
from vaultkit.checks.lookup import exact_fraction, parse_number
from vaultkit.checks.observed import NUMBER_IN_OUTPUT
from vaultkit.claims.attributions import words_behind
from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.mentions import Sentence, cell_sentences
from vaultkit.claims.stated import Stated, significant_digits
from vaultkit.claims.units import size_of
from vaultkit.read.note import Block, Note
from vaultkit.run.session import Step

#: Most numbers of a line whose differences may be stated.
_FEW = 8
#: Longer numbers in outputs, and longer outputs, are not numbers of a sentence.
_LONGEST, _LONGEST_OUTPUT = 24, 2400
_UNIT = re.compile(r"\s?(%|°\s?[CF]?|[A-Za-zµμΩ€$£][\w/²³µΩ·]*)")
#: The next number right behind a word, and a word right before a number.
_NEXT, _WORD_BEFORE = re.compile(r"\s+[-+]?\d"), re.compile(r"[^\W\d]\s+$")
#: The least number of digits that hardly agree by chance, and of those that need more evidence.
_SURE, _LEAST = 3, 2
_NUMBER = r"-?\d[\d_]*(?:\.\d+)?(?:e-?\d+)?"
_ASSIGNED = re.compile(
    rf"^[ \t]*\w+(?:,\s*\w+)*\s*=\s*(?P<values>{_NUMBER}(?:,\s*{_NUMBER})*)\s*#\s*(?P<units>.+)$",
    re.MULTILINE,
)
_COMMENT = re.compile(r"(?:\w+\s)?(?:in\s)?(?P<unit>[^\W\d]+(?:/[^\W\d]+)?)")


@dataclass(frozen=True)
class Measure:
    """A number with a unit, as an output or the code has it, and where."""

    value: Fraction
    unit: str
    source: str
    #: Whether the code has it.
    is_literal: bool = False


@dataclass(frozen=True)
class Shown:
    """A number of an output: its value, the unit behind it, its line and its text."""

    value: Fraction
    unit: str
    line: int
    text: str


class Measures:
    """Finds the numbers of a text that have another unit than in an output or in the code.

    Parameters
    ----------
    lexicon
        The words of the language of the note.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        #: The numbers with units, and all numbers that the page has without one.
        self.known: list[Measure] = []
        self.bare: set[Fraction] = set()
        #: The differences of numbers without units in a line.
        self.differences: set[Fraction] = set()

    def observe(self, block: Block, steps: Sequence[Step], variables: Mapping[str, Any]) -> None:
        """Collect the numbers that a block prints and binds."""
        for step in steps:
            shown = list(numbers_of_output(step))
            self.known += (
                Measure(own.value, own.unit, f"the output at line {own.line}")
                for own in shown
                if own.unit and size_of(own.unit, self.lexicon)
            )
            self.bare.update(own.value for own in shown if not own.unit or len(shown) > _FEW)
            self.differences.update(self._differences_in_lines(shown))
        self.known += _measures_in_comments(block)
        self.bare |= bound_numbers(variables)

    def _differences_in_lines(self, shown: Sequence[Shown]) -> Iterator[Fraction]:
        """Yield the differences of the numbers without units in each line that has few."""
        for _, line in groupby(shown, key=lambda own: own.line):
            bare = [own.value for own in line if not size_of(own.unit, self.lexicon)]
            if len(bare) <= _FEW:
                yield from (abs(one - other) for one, other in combinations(bare, 2))

    def contradictions(self, note: Note, sentences: Sequence[Sentence]) -> Iterator[Contradiction]:
        """Yield the numbers that have the unit of others."""
        if not self.known:
            return
        bare = numbers_in_code(note) | self.bare
        with_units = [
            (number, units[0])
            for sentence in sentences
            for number in sentence.numbers
            if (units := words_behind(sentence, number)[:1])
        ]
        for sentence in (*sentences, *cell_sentences(note, self.lexicon)):
            for number in sentence.numbers:
                if not number.digits or number.bounds or number.times:
                    continue
                if any(map(number.agrees, self.differences)):
                    continue
                others = ((other.value, unit) for other, unit in with_units if other is not number)
                if why := _measure_in_other_unit(sentence, number, self.known, bare, others):
                    yield Contradiction.of_number(sentence, number, why, in_wrong_unit=True)


def bound_numbers(variables: Mapping[str, Any]) -> set[Fraction]:
    """Return the numbers that are bound to names without an underscore in front.

    >>> bound_numbers({"a": 0.5, "_b": 2, "c": "3"})
    {Fraction(1, 2)}
    """
    own = (v for name, v in variables.items() if is_number(v) and not name.startswith("_"))
    return {exact_fraction(float(value)) for value in own}


def numbers_in_code(note: Note) -> set[Fraction]:
    """Return the numbers in the code of a note."""
    own = (literal for block in note.blocks for literal in literals_of(block)[0])
    return {exact_fraction(float(literal)) for literal in own if math.isfinite(literal)}


def numbers_of_output(step: Step) -> Iterator[Shown]:
    """Yield the numbers of an output with their units and lines; none of a long output."""
    for text, line in step.output_lines() if len(step.got) < _LONGEST_OUTPUT else ():
        for found in NUMBER_IN_OUTPUT.finditer(text):
            if len(found[0]) > _LONGEST or not math.isfinite(number := parse_number(found[0])):
                continue
            unit = _UNIT.match(text, found.end())
            is_next_word = unit and _NEXT.match(text, unit.end())
            if is_next_word and _WORD_BEFORE.search(text, 0, found.start()):
                unit = None  # days 83 weeks 11: the word belongs to the next number
            yield Shown(exact_fraction(number), unit[1] if unit else "", line, found[0])


def _measures_in_comments(block: Block) -> Iterator[Measure]:
    """Yield the numbers of a block whose units are in a comment behind them.

    Several numbers need as many units, all separated by commas: ``x, y = 3, 4  # m, s``.
    """
    for found in _ASSIGNED.finditer(block.fence.text):
        values = [exact_fraction(float(own)) for own in found["values"].replace("_", "").split(",")]
        units = [part.strip() for part in found["units"].split(",")]
        if len(units) != len(values):
            continue
        line = block.fence.line + block.fence.text[: found.start()].count("\n") + 1
        for value, unit in zip(values, units, strict=True):
            if own := _COMMENT.fullmatch(unit):
                yield Measure(value, own["unit"], f"the code at line {line}", is_literal=True)


def _measure_in_other_unit(
    sentence: Sentence,
    number: Stated,
    known: Sequence[Measure],
    bare: Iterable[Fraction],
    elsewhere: Iterable[tuple[Fraction, str]],
) -> str:
    """Return the number of ``known`` that a sentence has with another unit; empty if in doubt.

    Parameters
    ----------
    sentence, number
        The number in its sentence.
    known
        The numbers with a unit.
    bare
        The numbers of the page without a unit.
    elsewhere
        The other numbers of the text with their units.
    """
    units, lexicon = words_behind(sentence, number)[:1], sentence.lexicon
    size = size_of(units[0], lexicon) if units else None
    if re.search(rf"\b{lexicon.pattern('roles', 'far')}\b", sentence.text):
        return ""  # another length
    if size is None or not number.digits or len(re.sub(r"\D", "", number.digits)) < _LEAST:
        return ""
    half = Fraction(1, 2 * 10 ** len(number.digits.partition(".")[2]))
    own = exact_fraction(parse_number(number.digits))

    def fits(value: Fraction, scale: Fraction = Fraction(1)) -> bool:
        return bool(value) and abs(abs(value) / scale - own) <= half

    same = [(m, size_of(m.unit, lexicon)) for m in known]
    alike = [(m, other[1]) for m, other in same if other and other[0] == size[0]]
    if any(fits(m.value * scale, size[1]) for m, scale in alike):
        return ""
    wrong = [m for m, scale in alike if scale != size[1] and fits(m.value)]
    if not wrong:
        return ""
    shown = wrong[0]
    for value in bare:
        is_other = value != shown.value if shown.is_literal else not _rounds(value, shown.value)
        if (size[1] != 1 and fits(value, size[1])) or (fits(value) and is_other):
            return ""
    if significant_digits(number) < _SURE and any(
        v == own and u == shown.unit for v, u in elsewhere
    ):
        return ""
    return f"{shown.source} has {float(shown.value):.6g} {shown.unit}"


def _rounds(value: Fraction, shown: Fraction) -> bool:
    """Return whether a value may be shown as another number."""
    return abs(abs(value) - abs(shown)) <= max(abs(shown) / 200, Fraction(1, 10**9))
