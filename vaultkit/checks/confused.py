"""Contradicts a number that a sentence has in the place of another one of an output.

*It fell 24.5 m and moves at 24.5 m/s* has one number twice, beside an output ``30.656 24.525``
whose first number no sentence states. *A speed of 4.85 km/h* has the unit of another number of the
output, and *38.9 years* differs in one digit from a number that no sentence states. A number that
is in doubt is left to the other checks.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, groupby
from typing import Any

from vaultkit.checks.arrows import arrows, reversed_arrow
from vaultkit.checks.check import Contradiction
from vaultkit.checks.literals import is_number, literals_of
from vaultkit.checks.lookup import exact_fraction, parse_number
from vaultkit.checks.measures import Measure, measure_in_other_unit, measures_in_comments
from vaultkit.checks.observed import NUMBER_IN_OUTPUT
from vaultkit.checks.stated import is_slip
from vaultkit.claims.amounts import as_float
from vaultkit.claims.attributions import is_apart, words_behind
from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.mentions import Sentence, cell_sentences, stem
from vaultkit.claims.stated import Stated, numbers, significant_digits
from vaultkit.claims.units import power_of_prefix, size_of
from vaultkit.read.note import Block, Note
from vaultkit.run.session import Step

#: Most numbers of an output in which one may be confused with another.
_FEW = 8
#: The least digits of a number that is repeated, and of one that differs in a digit, if its unit
#: is that of the output and if it has none.
_LEAST, _KNOWN, _SURE = 2, 3, 4
#: Smaller integers are exact.
_TEN = 10
#: Longer numbers in outputs are not numbers of a sentence.
_LONGEST = 24
_UNIT = re.compile(r"\s?(%|°\s?[CF]?|[A-Za-zµμΩ€$£][\w/²³µΩ·]*)")

_LABEL = re.compile(r"([A-Za-z]{3,})\W{1,4}$")
#: The next number right behind a word, and a word right before a number.
_NEXT, _WORD_BEFORE = re.compile(r"\s+[-+]?\d"), re.compile(r"[^\W\d]\s+$")


@dataclass(frozen=True)
class Shown:
    """A number of an output, with the word before and the unit behind it, its line and text."""

    value: Fraction
    unit: str
    line: int
    text: str
    label: str = ""


class Confused:
    """Finds numbers of sentences that belong to another place of their output.

    Parameters
    ----------
    lexicon
        The words of the language of the note.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        #: The numbers of each output that has few.
        self.outputs: list[list[Shown]] = []
        #: All numbers that the page shows in larger outputs.
        self.others: set[Fraction] = set()
        #: The numbers with units, and those of small outputs without.
        self.measures: list[Measure] = []
        self.bare: set[Fraction] = set()
        #: The differences of numbers without units in a line.
        self.differences: set[Fraction] = set()
        #: The scalars that it binds.
        self.bound: set[Fraction] = set()
        #: The numbers around arrows of outputs, with their lines.
        self.arrows: list[tuple[Fraction, Fraction, int]] = []

    def __bool__(self) -> bool:
        return bool(self.outputs or self.measures or self.arrows)

    def observe(self, block: Block, steps: Sequence[Step], variables: Mapping[str, Any]) -> None:
        """Collect the numbers that a block prints."""
        for step in steps:
            found = list(_numbers_of_output(step)) if len(step.got) < _LONGEST * 100 else []
            self.measures += (
                Measure(own.value, own.unit, f"the output at line {own.line}")
                for own in found
                if own.unit and size_of(own.unit, self.lexicon)
            )
            self.bare.update(own.value for own in found if not own.unit)
            self.differences.update(self._differences_in_lines(found))
            if 0 < len(found) <= _FEW:
                self.outputs.append(found)
            else:
                self.others.update(shown.value for shown in found)
            for text, line in step.output_lines():
                self.arrows += (
                    (exact_fraction(parse_number(a)), exact_fraction(parse_number(b)), line)
                    for a, b in arrows(text)
                )
        self.measures += measures_in_comments(block)
        own = (v for name, v in variables.items() if is_number(v) and not name.startswith("_"))
        self.bound.update(exact_fraction(float(value)) for value in own)

    def _differences_in_lines(self, shown: Sequence[Shown]) -> Iterator[Fraction]:
        """Yield the differences of the numbers without units in each line that has few."""
        for _, line in groupby(shown, key=lambda own: own.line):
            bare = [own.value for own in line if not size_of(own.unit, self.lexicon)]
            if len(bare) <= _FEW:
                yield from (abs(one - other) for one, other in combinations(bare, 2))

    def contradictions(self, note: Note, sentences: Sequence[Sentence]) -> Iterator[Contradiction]:
        """Yield the numbers that are in the place of others, or have the unit of others."""
        if not self:
            return
        page = _Page(note, sentences, self.lexicon)
        for sentence in sentences:
            plain = [n for n in sentence.numbers if n.digits and not n.times]
            for one, other in combinations(plain, 2):
                is_same = significant_digits(one) >= _LEAST and one.value == other.value
                if is_same and (found := self._repeated_number(sentence, one, other, page)):
                    yield Contradiction.of_number(sentence, *found)
            if self.arrows and (reverse := reversed_arrow(sentence, self.arrows)):
                yield Contradiction.of_number(sentence, *reverse)
            for number in plain:
                if why := self._number_with_other_unit(sentence, number, page):
                    yield Contradiction.of_number(sentence, number, why, in_wrong_unit=True)
                if number.bounds or significant_digits(number) < _LEAST:
                    continue
                if why := self._why_unit_is_of_another(sentence, number, page):
                    yield Contradiction.of_number(sentence, number, why, in_wrong_unit=True)
                elif why := self._number_with_other_digit(sentence, number, page):
                    yield Contradiction.of_number(sentence, number, why)

        for cell in cell_sentences(note, self.lexicon) if self.measures else ():
            for number in cell.numbers:
                if why := self._number_with_other_unit(cell, number, page):
                    yield Contradiction.of_number(cell, number, why, in_wrong_unit=True)

    def _number_with_other_unit(self, sentence: Sentence, number: Stated, page: _Page) -> str:
        """Return the number that an output or a comment has with another unit."""
        if not self.measures or number.bounds or number.times:
            return ""
        if any(map(number.agrees, self.differences)):
            return ""
        return measure_in_other_unit(
            sentence,
            number,
            self.measures,
            (*self.bare, *self.others, *self.bound, *page.literals),
            ((other.value, unit) for other, unit in page.with_units if other is not number),
        )

    def _repeated_number(
        self, sentence: Sentence, one: Stated, other: Stated, page: _Page
    ) -> tuple[Stated, str] | None:
        """Return a number that a sentence has twice instead of one beside it in an output."""
        text = sentence.text
        alike = self.lexicon.pattern("roles", "alike")
        if re.search(rf"(?<![\w-]){alike}(?![\w-])", text, re.IGNORECASE):
            return None
        units = words_behind(sentence, one), words_behind(sentence, other)
        # *48 people, and of these 48 people* is not a slip.
        is_noun = bool(units[0]) and not re.match(r"\W|\w{1,2}$", units[0][0])
        if is_noun and units[0][:1] == units[1][:1] and "." not in one.digits:
            return None
        if _words_around(text, one) == _words_around(text, other):
            return None
        # *A table of 512 rows has no row 512*, beside a message with both, is no slip.
        if any(sum(one.agrees(shown.value) for shown in output) > 1 for output in self.outputs):
            return None
        for output in self.outputs:
            equal = [shown for shown in output if one.agrees(shown.value)]
            if len(equal) != 1:
                continue
            beside = [shown for shown in output if shown is not equal[0]]
            missing = [
                shown
                for shown in beside
                if page.is_left_out(shown) and _have_same_form(shown, equal[0])
            ]
            if len(missing) > 1:
                words = {word.stem for word in sentence.words}
                labelled = [shown for shown in missing if shown.label]
                missing = [own for own in labelled if stem(own.label, self.lexicon) in words]
            if len(missing) == 1:
                only_other_has_unit = units[1][:1] == [equal[0].unit] != units[0][:1]
                number = one if only_other_has_unit else other
                why = f"it occurs twice in this sentence, and no sentence has {missing[0].text}"
                return number, f"{why} of the output at line {missing[0].line}"
        return None

    def _why_unit_is_of_another(self, sentence: Sentence, number: Stated, page: _Page) -> str:
        """Return why a unit seems wrong, as its prefix or whole belongs to another; else empty."""
        units = words_behind(sentence, number)[:1]
        if not units or page.is_in_code(number):
            return ""
        if why := self._number_with_other_prefix(number, units[0], page):
            return why
        same = [own for output in self.outputs for own in output if number.agrees(own.value)]
        if not same or any(not s.unit or s.unit == units[0] for s in same):
            return ""
        if any(number.agrees(value) for value in self.others):
            return ""
        for output in self.outputs:
            own = [shown for shown in output if shown.unit == units[0]]
            if len(own) == 1 and page.is_left_out(own[0]):
                where = f"in the output at line {same[0].line} it is {number.digits} {same[0].unit}"
                return f"{where}, and {own[0].text} {own[0].unit} is at line {own[0].line}"
        return ""

    def _number_with_other_prefix(self, number: Stated, unit: str, page: _Page) -> str:
        """Return a number of the page that has the same digits with another prefix of its unit.

        Outputs state their units. Variables and literals have the units in which the text gives
        them elsewhere, if any. The result is empty if some number fits as it is.
        """
        power, base = power_of_prefix(unit)
        if power is None:
            return ""
        known = [
            (
                own.value * Fraction(10) ** other,
                f"the output at line {own.line} has {own.text} {own.unit}",
            )
            for output in self.outputs
            for own in output
            for other, same in [power_of_prefix(own.unit)]
            if other is not None and same == base
        ]
        used = {other for other, same in page.units if same == base and other is not None}
        known += [
            (value, f"the page has {as_float(value):.6g} {base}")
            for value in (*self.bound, *page.literals)
            if used - {power}
        ]
        half = Fraction(1, 2 * 10 ** len(number.digits.partition(".")[2]))

        def has(value: Fraction, other: int) -> bool:
            return abs(value / Fraction(10) ** other - number.value) <= half and bool(value)

        if not known or any(has(value, own) for value, _ in known for own in (power, 0)):
            return ""
        if any(has(value, power) for value in self.others | self.bound):
            return ""
        # 44,700 g are right beside 44.7 kg in another sentence, if a variable is 44.7.
        for other, other_unit in page.with_units:
            other_power, other_base = power_of_prefix(other_unit)
            if other_power is None or other_power == power or other_base != base:
                continue
            is_bound = any(other.agrees(value) for value in self.bound)
            if is_bound and has(other.value * Fraction(10) ** other_power, power):
                return ""
        powers = sorted((used | {-3, -2, 3}) - {power, 0})
        found = [why for value, why in known for other in powers if has(value, other)]
        return found[0] if found else ""

    def _number_with_other_digit(self, sentence: Sentence, number: Stated, page: _Page) -> str:
        """Return a number of an output that differs in a digit, and that no sentence states."""
        digits = significant_digits(number)
        if digits < _KNOWN or page.is_in_code(number):
            return ""
        if is_apart(sentence, sentence.text[: number.start]):
            return ""
        shown = [shown for output in self.outputs for shown in output]
        # *2173* may be 2173.54 without its decimals.
        if any(number.agrees(own.value) or number.value == int(own.value) for own in shown):
            return ""
        if any(number.agrees(value) for value in self.others):
            return ""
        units = words_behind(sentence, number)[:1]
        for own in shown:
            has_same_unit = bool(units) and own.unit == units[0]
            has_other_unit = bool(units and own.unit) and not has_same_unit
            # One digit more is needed without a unit, and two more with another one.
            least_digits = _SURE + has_other_unit - has_same_unit
            if digits < least_digits:
                continue
            if is_slip(number, own.value) and page.is_left_out(own):
                return f"the output at line {own.line} has {own.text}, which no sentence has"
        return ""


class _Page:
    """What the sentences, tables, formulas and code of a note state."""

    def __init__(self, note: Note, sentences: Sequence[Sentence], lexicon: Lexicon) -> None:
        self.note, self.sentences, self.lexicon = note, sentences, lexicon
        self._left_out: dict[Fraction, bool] = {}
        self._in_code: dict[Stated, bool] = {}

    @cached_property
    def _stated(self) -> list[Stated]:
        """The numbers in sentences, cells and formulas."""
        found = [number for sentence in self.sentences for number in sentence.numbers]
        texts = [cell.text for cell in self.note.cells]
        texts += [formula.tex for formula in self.note.formulas]
        texts += [prose.text for prose in self.note.prose]
        for text in texts:
            found += numbers(text, len(text), self.lexicon, in_percent=True)
        return found

    @cached_property
    def units(self) -> set[tuple[int | None, str]]:
        """The powers of ten of the units in sentences, with the units without prefixes."""
        return {power_of_prefix(unit) for _, unit in self.with_units}

    @cached_property
    def with_units(self) -> list[tuple[Stated, str]]:
        """The numbers in sentences that have a unit, each with its unit."""
        found = ((n, words_behind(s, n)[:1]) for s in self.sentences for n in s.numbers)
        return [(number, units[0]) for number, units in found if units]

    @cached_property
    def literals(self) -> set[Fraction]:
        """The numbers in code."""
        own = (literal for block in self.note.blocks for literal in literals_of(block)[0])
        return {exact_fraction(float(literal)) for literal in own if math.isfinite(literal)}

    def is_left_out(self, shown: Shown) -> bool:
        """Return whether a number of an output is in no sentence, cell, formula and code."""
        value = shown.value
        if value not in self._left_out:
            self._left_out[value] = not (
                value in self.literals
                or abs(value) in (0, 1)
                or any(_is_written(number, value) for number in self._stated)
            )
        return self._left_out[value]

    def is_in_code(self, number: Stated) -> bool:
        """Return whether the code has a number."""
        if number not in self._in_code:
            self._in_code[number] = any(number.agrees(literal) for literal in self.literals)
        return self._in_code[number]


def _numbers_of_output(step: Step) -> Iterator[Shown]:
    """Yield the numbers of an output with their units and lines."""
    for text, line in step.output_lines():
        for found in NUMBER_IN_OUTPUT.finditer(text):
            if len(found[0]) <= _LONGEST and math.isfinite(number := parse_number(found[0])):
                value = exact_fraction(number)
                unit = _UNIT.match(text, found.end())
                if (
                    unit
                    and _NEXT.match(text, unit.end())
                    and _WORD_BEFORE.search(text, 0, found.start())
                ):
                    unit = None  # days 83 weeks 11: the word belongs to the next number
                label = _LABEL.search(text, 0, found.start())
                yield Shown(
                    value, unit[1] if unit else "", line, found[0], label[1] if label else ""
                )


def _is_written(number: Stated, value: Fraction) -> bool:
    """Return whether a number is written as the rounding of a value, also if it is a bound of it.

    Small integers, and numbers in words, are not rounded.
    """
    is_small_integer = "." not in number.digits and abs(number.value) < _TEN
    is_exact = not number.digits or is_small_integer
    slack = 0 if is_exact else Fraction(1, 2 * 10 ** len(number.digits.partition(".")[2]))
    return any(abs(abs(value) / scale - abs(number.value)) <= slack for scale in number.scales)


def _words_around(text: str, number: Stated) -> tuple[list[str], str]:
    """Return the words right before and behind a number."""
    return text[: number.start].split()[-2:], "".join(text[number.end :].split()[:1])


def _have_same_form(shown: Shown, other: Shown) -> bool:
    """Return whether a number may be written in the place of another: both look alike."""
    if len(shown.text.strip("-+")) < _LEAST or shown.value == other.value:
        return False
    if ("." in shown.text) != ("." in other.text):
        return False  # an integer counts something else
    return bool(shown.value) and Fraction(1, 1000) < abs(other.value / shown.value) < 1000
