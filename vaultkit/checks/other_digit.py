"""Contradicts a number that differs in one digit from one of an output: *0.8331* for ``0.8231``.

It does so only if no sentence, table, formula or code has the number of the output. A number that
is in doubt is left to the other checks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from vaultkit.checks.check import Contradiction
from vaultkit.checks.measures import Shown, bound_numbers, numbers_in_code, numbers_of_output
from vaultkit.checks.stated import is_slip
from vaultkit.claims.attributions import is_apart, words_behind
from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.mentions import Sentence
from vaultkit.claims.stated import Stated, numbers, significant_digits
from vaultkit.read.note import Note
from vaultkit.run.session import Step

#: Most numbers of an output that a sentence may repeat one by one.
_FEW = 8
#: The least digits of a number with the unit of the output, and of one without a unit.
_KNOWN, _SURE = 3, 4
#: Smaller integers are exact.
_TEN = 10


class OtherDigit:
    """Finds the numbers of a text that differ in one digit from a number of an output.

    Parameters
    ----------
    lexicon
        The words of the language of the note.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        #: The numbers of the outputs that have few, and the values of all others.
        self.shown: list[Shown] = []
        self.others: set[Fraction] = set()

    def observe(self, steps: Sequence[Step], variables: Mapping[str, Any]) -> None:
        """Collect the numbers that a block prints and binds."""
        for step in steps:
            found = list(numbers_of_output(step))
            if len(found) <= _FEW:
                self.shown += found
            else:
                self.others.update(own.value for own in found)
        self.others |= bound_numbers(variables)

    def contradictions(self, note: Note, sentences: Sequence[Sentence]) -> Iterator[Contradiction]:
        """Yield the numbers that differ in a digit from one that the text states nowhere."""
        if not self.shown:
            return
        literals = numbers_in_code(note)
        stated = list(_stated(note, sentences, self.lexicon))
        left_out = [
            own
            for own in self.shown
            if own.value not in literals and abs(own.value) not in (0, 1)
            if not any(_is_written(number, own.value) for number in stated)
        ]
        known = {*literals, *self.others, *(own.value for own in self.shown)}
        for sentence in sentences if left_out else ():
            for number in sentence.numbers:
                if why := self._why(sentence, number, left_out, known):
                    yield Contradiction.of_number(sentence, number, why)

    def _why(
        self, sentence: Sentence, number: Stated, left_out: Sequence[Shown], known: set[Fraction]
    ) -> str:
        """Return the number of an output that may be meant; empty if in doubt."""
        digits = significant_digits(number)
        if number.times or number.bounds or digits < _KNOWN:
            return ""
        # *2173* may be 2173.54 without its decimals.
        if any(number.agrees(value) or number.value == int(value) for value in known):
            return ""
        if is_apart(sentence, sentence.text[: number.start]):
            return ""
        units = words_behind(sentence, number)[:1]
        for own in left_out:
            has_same_unit = bool(units) and own.unit == units[0]
            has_other_unit = bool(units and own.unit) and not has_same_unit
            # One digit more is needed without a unit, and two more with another one.
            is_sure = digits >= _SURE + has_other_unit - has_same_unit
            if is_sure and is_slip(number, own.value):
                return f"the output at line {own.line} has {own.text}, which no sentence has"
        return ""


def _stated(note: Note, sentences: Sequence[Sentence], lexicon: Lexicon) -> Iterator[Stated]:
    """Yield the numbers in sentences, cells and formulas."""
    for sentence in sentences:
        yield from sentence.numbers
    texts = [cell.text for cell in note.cells]
    texts += [formula.tex for formula in note.formulas]
    texts += [prose.text for prose in note.prose]
    for text in texts:
        yield from numbers(text, len(text), lexicon, in_percent=True)


def _is_written(number: Stated, value: Fraction) -> bool:
    """Return whether a number is written as the rounding of a value, also if it is a bound of it.

    Small integers, and numbers in words, are not rounded.
    """
    is_small_integer = "." not in number.digits and abs(number.value) < _TEN
    is_exact = not number.digits or is_small_integer
    slack = 0 if is_exact else Fraction(1, 2 * 10 ** len(number.digits.partition(".")[2]))
    return any(abs(abs(value) / scale - abs(number.value)) <= slack for scale in number.scales)
