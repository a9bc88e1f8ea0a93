"""`Amount` and `Quantity`: numbers as the text states them, with rounding, scale and place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple


class Wanted(NamedTuple):
    """A value that a computed number may have, its nearest float, and how far off it may be."""

    value: Fraction
    nearest: float
    slack: Fraction


@dataclass(frozen=True)
class Amount:
    """A number as the text states it.

    Attributes
    ----------
    value
        The number, with its sign.
    unit
        One unit in the last digit shown; 0 for an exact number.
    scales
        The factors by which a computed number may differ: 100 for a percentage.
    either_sign
        Whether its sign is not stated: ``±0.02``, ``fell by 0.5``.
    whole
        Whether it is an exact integer.
    over
        The denominator of a fraction; None for other numbers.
    is_rough
        Whether it is a fraction in words, such as *two thirds*, which is approximate.
    """

    value: Fraction
    unit: Fraction
    scales: tuple[Fraction, ...] = (Fraction(1),)
    either_sign: bool = False
    whole: bool = False
    over: Fraction | None = None
    is_rough: bool = False

    @cached_property
    def wanted(self) -> tuple[Wanted, ...]:
        """The values that a computed number may have: one for each scale and sign.

        >>> share = Amount(Fraction(12), Fraction(1), (Fraction(1), Fraction(100)))
        >>> [wanted.nearest for wanted in share.wanted]
        [12.0, 0.12]
        """
        values = (self.value, -self.value) if self.either_sign else (self.value,)
        return tuple(
            Wanted(value / scale, as_float(value / scale), self.unit / scale / 2)
            for scale in self.scales
            for value in values
        )

    @cached_property
    def digits(self) -> int:
        """The number of digits stated: 2 in 12, and in 0.05."""
        if not self.unit:
            return 0
        return max(len(str(abs(self.value) // self.unit)), len(str(self.unit.denominator)) - 1)

    def _with(self, value: Fraction) -> Amount:
        return Amount(
            value, self.unit, self.scales, self.either_sign, self.whole, self.over, self.is_rough
        )

    def with_one_digit_changed(self) -> Iterator[Amount]:
        """Yield the numbers that differ from it in one digit.

        >>> two = Amount(Fraction(2), Fraction(1), whole=True)
        >>> [int(other.value) for other in two.with_one_digit_changed()]
        [0, 1, 3, 4, 5, 6, 7, 8, 9]
        """
        if self.over:
            numerator = self.value * self.over
            for digit in range(10):
                if digit != abs(numerator) % 10:
                    changed = numerator - abs(numerator) % 10 + digit
                    yield self._with(changed / self.over)
                denominator = self.over - self.over % 10 + digit
                if denominator and denominator != self.over:
                    yield self._with(numerator / denominator)
        if not self.unit:
            return
        sign = -1 if self.value < 0 else 1
        steps = int(abs(self.value) / self.unit)
        places = max(len(str(steps)), len(str(self.unit.denominator)))
        for place in range(min(places, 12)):
            digit = steps // 10**place % 10
            for other in range(10):
                if other != digit:
                    value = sign * (steps + (other - digit) * 10**place) * self.unit
                    yield self._with(value)


def as_float(number: Fraction) -> float:
    """Return the nearest float, or infinity for a number that is too large."""
    try:
        return number.numerator / number.denominator
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


@dataclass(frozen=True)
class Quantity:
    """A number in prose, with its place and possible readings.

    Attributes
    ----------
    line
        The line of the note.
    text
        The number as it is written.
    given
        The note's reason why no code computes it, if there is one.
    place
        The kind of text around it, if that is not running text: ``alt text``, ``summary``.
    readings
        The possible readings: 9/10 is a fraction, or two numbers; 12 345 is one number, or two.
    """

    line: int
    text: str
    given: str = ""
    place: str = ""
    readings: tuple[tuple[Amount, ...], ...] = ()
    column: int = 1
    #: Whether it continues a list, as the last ones in *0.1, 0.2 and 0.7* do.
    goes_on: bool = False
    #: Whether it is a vector of small integers, as in *(2, −1)*.
    is_vector: bool = False
    #: The name that the text says has this value, as in *`n` = 6* and *$d$ is 2*.
    of: str = ""
    #: Whether that name is in code.
    is_of_code: bool = False
    #: Whether it is so small that only the variable of that name can back it.
    is_small: bool = False
    #: The beginning of its sentence.
    sentence: tuple[int, int] | None = None
    #: Whether it bounds another number: *less than 0.9*, *between 2 and 3*.
    is_bound: bool = False
