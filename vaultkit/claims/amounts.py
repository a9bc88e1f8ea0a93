"""`Amount` and `Quantity`: numbers as the text states them, with rounding, scale and place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

#: Most places, from the last one on, in which a digit is changed: more would take long.
_MOST_PLACES = 12


class Accepted(NamedTuple):
    """A value that a computed number may have, its nearest float, and how far off it may be."""

    value: Fraction
    nearest: float
    tolerance: Fraction


@dataclass(frozen=True)
class Amount:
    """A number as the text states it.

    Attributes
    ----------
    value
        The number, with its sign.
    step
        One unit in the last digit shown; 0 for an exact number.
    scales
        The factors by which a computed number may be smaller: 100 for a percentage.
    either_sign
        Whether its sign is not stated: ``±0.02``, ``fell by 0.5``.
    is_integer
        Whether it is an exact integer.
    denominator
        The denominator of a fraction; None for other numbers.
    is_rough
        Whether it is a fraction in words, such as *two thirds*, which is approximate.
    """

    value: Fraction
    step: Fraction
    scales: tuple[Fraction, ...] = (Fraction(1),)
    either_sign: bool = False
    is_integer: bool = False
    denominator: Fraction | None = None
    is_rough: bool = False

    @cached_property
    def accepted(self) -> tuple[Accepted, ...]:
        """The values that a computed number may have: one for each scale and sign.

        >>> share = Amount(Fraction(12), Fraction(1), (Fraction(1), Fraction(100)))
        >>> [accepted.nearest for accepted in share.accepted]
        [12.0, 0.12]
        """
        values = (self.value, -self.value) if self.either_sign else (self.value,)
        return tuple(
            Accepted(value / scale, as_float(value / scale), self.step / scale / 2)
            for scale in self.scales
            for value in values
        )

    @cached_property
    def digits(self) -> int:
        """The number of digits stated: 2 in 12, in 0.05 (its decimals) and in 12 thousand."""
        if not self.step:
            return 0
        significant, decimals = (
            len(str(abs(self.value) // self.step)),
            len(str(self.step.denominator)) - 1,
        )
        return max(significant, decimals)

    def with_one_digit_changed(self) -> Iterator[Amount]:
        """Yield the numbers that differ from it in one digit.

        >>> two = Amount(Fraction(2), Fraction(1), is_integer=True)
        >>> [int(other.value) for other in two.with_one_digit_changed()]
        [0, 1, 3, 4, 5, 6, 7, 8, 9]
        """
        if self.denominator:
            for value in _fractions_with_last_digit_changed(self.value, self.denominator):
                yield replace(self, value=value)
        if not self.step:
            return
        sign = -1 if self.value < 0 else 1
        steps = int(abs(self.value) / self.step)  # 25 for 0.25
        places = max(len(str(steps)), len(str(self.step.denominator)))
        for place in range(min(places, _MOST_PLACES)):
            digit = steps // 10**place % 10
            for other in range(10):
                if other != digit:
                    changed = steps + (other - digit) * 10**place
                    yield replace(self, value=sign * changed * self.step)


def _fractions_with_last_digit_changed(
    value: Fraction, denominator: Fraction
) -> Iterator[Fraction]:
    """Yield a fraction with another last digit above or below its stroke: of 1/3, 2/3 and 1/4."""
    numerator = value * denominator
    last = abs(numerator) % 10
    for digit in range(10):
        if digit != last:
            yield (numerator - last + digit) / denominator
        other = denominator - denominator % 10 + digit
        if other and other != denominator:
            yield numerator / other


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
        What the number may mean. Each reading consists of amounts that the page must all have:
        9/10 is one fraction, or the numbers 9 and 10.
    """

    line: int
    text: str
    given: str = ""
    place: str = ""
    readings: tuple[tuple[Amount, ...], ...] = ()
    column: int = 1
    #: Whether it continues a list, as the last two numbers in *0.1, 0.2 and 0.7* do.
    continues_list: bool = False
    #: Whether it is a vector of small integers, as in *(2, −1)*.
    is_vector: bool = False
    #: The name that the text says has this value, as in *`n` = 6* and *$d$ is 2*; or empty.
    name: str = ""
    #: Whether that name is in code.
    is_name_in_code: bool = False
    #: Whether it is so small that only the variable of that name can back it.
    is_small: bool = False
    #: The line and the column where its sentence begins.
    sentence: tuple[int, int] | None = None
    #: Whether it bounds another number: *less than 0.9*, *between 2 and 3*.
    is_bound: bool = False
