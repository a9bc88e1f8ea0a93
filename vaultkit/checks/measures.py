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
from vaultkit.checks.collector import Collector
from vaultkit.checks.literals import is_number, literals_of
from vaultkit.checks.lookup import exact_fraction, parse_number
from vaultkit.checks.observed import NUMBER_IN_OUTPUT
from vaultkit.claims.attributions import words_behind
from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.mentions import Sentence, cell_sentences
from vaultkit.claims.stated import Stated, significant_digits
from vaultkit.claims.units import size_of
from vaultkit.read.note import Block, Note
from vaultkit.run.steps import Step

#: Most numbers of a line whose differences may be stated.
_FEW = 8
#: Longer numbers in outputs, and longer outputs, are not numbers of a sentence.
_LONGEST, _LONGEST_OUTPUT = 24, 2400
#: A unit right behind a number of an output: `` uA``, ``%``, ``km/h``.
_UNIT = re.compile(r"\s?(%|°\s?[CF]?|[A-Za-zµμΩ€$£][\w/²³µΩ·]*)")
#: The next number right behind a word, and a word right before a number.
_NEXT, _WORD_BEFORE = re.compile(r"\s+[-+]?\d"), re.compile(r"[^\W\d]\s+$")
#: The least number of digits that hardly agree by chance, and of those that need more evidence.
_SURE, _LEAST = 3, 2
#: How far a value may be from the rounding of it that a page shows, as a share of it.
_ROUNDING = Fraction(1, 200)
#: The least difference of two values; smaller ones are rounding errors.
_RESOLUTION = Fraction(1, 10**9)
_NUMBER = r"-?\d[\d_]*(?:\.\d+)?(?:e-?\d+)?"
#: An assignment of numbers with a comment behind it: ``x, y = 3, 4  # m, s``.
_ASSIGNED = re.compile(
    rf"^[ \t]*\w+(?:,\s*\w+)*\s*=\s*(?P<values>{_NUMBER}(?:,\s*{_NUMBER})*)\s*#\s*(?P<units>.+)$",
    re.MULTILINE,
)
#: A comment that is a unit: ``km/h``, ``in km/h``, ``speed in km/h``.
_COMMENT = re.compile(r"(?:\w+\s)?(?:in\s)?(?P<unit>[^\W\d]+(?:/[^\W\d]+)?)")


@dataclass(frozen=True)
class Measure:
    """A number with the word behind it, as an output or the code has it, and where."""

    value: Fraction
    #: A unit, or any other word; empty if there is none.
    unit: str
    line: int
    #: Whether the code has it.
    is_literal: bool = False

    def __str__(self) -> str:
        """Describe it in a message."""
        where = "code" if self.is_literal else "output"
        return f"the {where} at line {self.line} has {float(self.value):.6g} {self.unit}"


class Measures(Collector):
    """Finds the numbers of a text that have another unit than in an output or in the code."""

    def __init__(self, lexicon: Lexicon) -> None:
        super().__init__(lexicon)
        #: The numbers with units, and all numbers that the page has without one.
        self.known: list[Measure] = []
        self.bare: set[Fraction] = set()
        #: The differences of numbers without units in a line.
        self.differences: set[Fraction] = set()

    def observe(self, block: Block, steps: Sequence[Step], variables: Mapping[str, Any]) -> None:
        """Collect the numbers that a block prints and binds."""
        for step in steps:
            printed = list(_numbers_of_output(step))
            self.known += (own for own in printed if size_of(own.unit, self.lexicon))
            # The columns of a long table may have their units in its head.
            is_long = len(printed) > _FEW
            self.bare.update(own.value for own in printed if is_long or not own.unit)
            self.differences.update(self._differences_in_lines(printed))
        self.known += _measures_in_comments(block)
        numbers = filter(is_number, variables.values())
        self.bare.update(exact_fraction(float(number)) for number in numbers)

    def _differences_in_lines(self, printed: Sequence[Measure]) -> Iterator[Fraction]:
        """Yield the differences of the numbers without units in each line that has few."""
        for _, line in groupby(printed, key=lambda own: own.line):
            bare = [own.value for own in line if not size_of(own.unit, self.lexicon)]
            if len(bare) <= _FEW:
                yield from (abs(one - other) for one, other in combinations(bare, 2))

    def contradictions(self, note: Note, sentences: Sequence[Sentence]) -> Iterator[Contradiction]:
        """Yield the numbers that have the unit of others."""
        if not self.known:
            return
        bare = _numbers_in_code(note) | self.bare
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
                if measure := _measure_in_other_unit(sentence, number, self.known, bare, others):
                    yield Contradiction.of_number(
                        sentence, number, str(measure), in_wrong_unit=True
                    )


def _numbers_in_code(note: Note) -> set[Fraction]:
    """Return the numbers in the code of a note."""
    own = (literal for block in note.blocks for literal in literals_of(block)[0])
    return {exact_fraction(float(literal)) for literal in own if math.isfinite(literal)}


def _numbers_of_output(step: Step) -> Iterator[Measure]:
    """Yield the numbers of an output with the words behind them; none of a long output."""
    for text, line in step.output_lines() if len(step.got) < _LONGEST_OUTPUT else ():
        for found in NUMBER_IN_OUTPUT.finditer(text):
            if len(found[0]) > _LONGEST or not math.isfinite(number := parse_number(found[0])):
                continue
            unit = _UNIT.match(text, found.end())
            is_next_word = unit and _NEXT.match(text, unit.end())
            if is_next_word and _WORD_BEFORE.search(text, 0, found.start()):
                unit = None  # days 83 weeks 11: the word belongs to the next number
            yield Measure(exact_fraction(number), unit[1] if unit else "", line)


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
                yield Measure(value, own["unit"], line, is_literal=True)


def _measure_in_other_unit(
    sentence: Sentence,
    number: Stated,
    known: Sequence[Measure],
    bare: Iterable[Fraction],
    elsewhere: Iterable[tuple[Fraction, str]],
) -> Measure | None:
    """Return the number of the page that a sentence has with another unit; None if in doubt.

    Parameters
    ----------
    sentence, number
        The number in its sentence.
    known
        The numbers of the page with a unit.
    bare
        The numbers of the page without a unit.
    elsewhere
        The other numbers of the text with their units.
    """
    units, lexicon = words_behind(sentence, number)[:1], sentence.lexicon
    size = size_of(units[0], lexicon) if units else None
    if size is None or len(re.sub(r"\D", "", number.digits)) < _LEAST:
        return None
    if re.search(rf"\b{lexicon.pattern('roles', 'far')}\b", sentence.text):
        return None  # *2.5 km away* is another length
    base, scale = size
    half_of_last_digit = Fraction(1, 2 * 10 ** len(number.digits.partition(".")[2]))
    stated = exact_fraction(parse_number(number.digits))

    def rounds_to_stated(value: Fraction) -> bool:
        return bool(value) and abs(abs(value) - stated) <= half_of_last_digit

    sizes = ((measure, size_of(measure.unit, lexicon)) for measure in known)
    same_kind = [(measure, own[1]) for measure, own in sizes if own and own[0] == base]
    if any(rounds_to_stated(measure.value * own / scale) for measure, own in same_kind):
        return None  # the same in the unit of the sentence
    wrong = (m for m, own in same_kind if own != scale and rounds_to_stated(m.value))
    shown = next(wrong, None)
    if shown is None:
        return None
    for value in bare:  # the sentence may be about a number that the page has without a unit
        if shown.is_literal:
            is_other = value != shown.value
        else:
            is_other = not _may_be_shown_as(value, shown.value)
        is_in_base = scale != 1 and rounds_to_stated(value / scale)
        if is_in_base or (is_other and rounds_to_stated(value)):
            return None
    # If the text has the number with the unit of the page, too, this is a number of its own.
    is_in_both = any(own == stated and unit == shown.unit for own, unit in elsewhere)
    return None if is_in_both and significant_digits(number) < _SURE else shown


def _may_be_shown_as(value: Fraction, shown: Fraction) -> bool:
    """Return whether a number of the page may be a rounding of a value."""
    return abs(abs(value) - abs(shown)) <= max(abs(shown) * _ROUNDING, _RESOLUTION)
