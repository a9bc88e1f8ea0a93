"""`Amount` and `Quantity`: numbers as the text states them, with rounding, scale and place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property


@dataclass(frozen=True)
class Amount:
    """A number as it is stated.

    Attributes
    ----------
    value
        The number, with its sign.
    unit
        A unit in the last digit shown; 0 for an exact number.
    scales
        The factors by which a computed number may differ: 100 for a percentage.
    either_sign
        Whether the sign is left open: ``±0.02``, ``fell by 0.5``.
    whole
        Whether it is an integer that is not rounded.
    over
        The denominator of a fraction.
    is_rough
        Whether it is a fraction in words, which is approximate.
    """

    value: Fraction
    unit: Fraction
    scales: tuple[Fraction, ...] = (Fraction(1),)
    either_sign: bool = False
    whole: bool = False
    over: Fraction | None = None
    is_rough: bool = False

    @cached_property
    def wanted(self) -> tuple[tuple[Fraction, float, Fraction], ...]:
        """The values that a computed number may have, as fractions and floats, with half a unit."""
        found = []
        for scale in self.scales:
            alike = scale == 1
            value, unit = (
                (self.value, self.unit) if alike else (self.value / scale, self.unit / scale)
            )
            found += [
                (v, as_float(v), unit / 2)
                for v in ((value, -value) if self.either_sign else (value,))
            ]
        return tuple(found)

    @cached_property
    def digits(self) -> int:
        """The number of digits stated: 2 in 12, and in 0.05."""
        if not self.unit:
            return 0
        return max(len(str(abs(self.value) // self.unit)), len(str(self.unit.denominator)) - 1)

    @property
    def decimals(self) -> int:
        """The number of decimals of the number without its scale."""
        scale = max(self.scales)
        return len(str((scale / self.unit).numerator)) - 1 if self.unit else 0

    def changed(self) -> Iterator[Amount]:
        """Yield the numbers that differ from it in one digit."""
        if self.over:
            above = self.value * self.over
            for digit in range(10):
                if digit != abs(above) % 10:
                    changed = above - abs(above) % 10 + digit
                    yield replace(self, value=changed / self.over)
                below = self.over - self.over % 10 + digit
                if below and below != self.over:
                    yield replace(self, value=above / below)
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
                    yield replace(self, value=value)


def as_float(number: Fraction) -> float:
    """Return the nearest float; beyond the largest one, infinity."""
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
        Where it is, if not in running text: ``alt text``, ``summary``.
    readings
        The possible readings. 9/10 is a fraction, or two numbers; 12 345 is one number, or two.
    """

    line: int
    text: str
    given: str = ""
    place: str = ""
    readings: tuple[tuple[Amount, ...], ...] = ()
    column: int = 1
    #: Whether it goes on from the number before it, as in *0.1, 0.2 and 0.7*.
    goes_on: bool = False
    #: Whether it is a vector of small whole numbers, as in *(2, −1)*.
    is_vector: bool = False
    #: Whether a bracket opens right before it, and closes right behind it.
    opens: bool = False
    closes: bool = False
    #: The name that the text says has this value, as in *`n` = 6* and *$d$ is 2*.
    of: str = ""
    #: Whether it is too small to be backed by anything but that name.
    is_small: bool = False
    #: Where its sentence begins, and what stands between it and the number before it there.
    sentence: tuple[int, int] | None = None
    behind: str = ""
    #: Whether what follows is said to be so there: *At 16 the norm is …*.
    leads: bool = False
    #: The word to which it is given: *the loss is 0.37*, *with loss 0.37*.
    word: str = ""
    #: What it is said to bound: ``less`` and ``more`` what stands before it; ``between``, too.
    bounds: str = ""
