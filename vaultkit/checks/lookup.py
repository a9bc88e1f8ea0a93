"""`Evidence`: a sorted collection of numbers, searched for one that rounds to a given number."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Set
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np

from vaultkit.claims.amounts import Amount, as_float

#: Largest distance between a computed number and one stated without decimals.
_HALF = Fraction(1, 2)
#: How far the rounding of a number to three digits may be from it, as a share of it.
_THREE_DIGITS = Fraction(1, 200)


class Evidence:
    """Numbers that a note shows, computes or states, with their sources, sorted for search.

    A number that is an integer wherever it comes from is a *count*: 2, but not 2.0.
    """

    def __init__(self) -> None:
        #: The first source of each number: a description, and the text that shows it.
        self.sources: dict[float, tuple[str, str]] = {}
        #: The whole numbers that are no counts: floats, and those printed with more than digits.
        self.non_counts: set[float] = set()
        self._sorted: list[float] | None = None

    @property
    def numbers(self) -> Set[float]:
        """The numbers."""
        return self.sources.keys()

    def add(self, numbers: Iterable[float], source: str) -> None:
        """Add numbers from one source."""
        for number in numbers:
            value = float(number)
            self.sources.setdefault(value, (source, ""))
            if isinstance(number, (float, np.floating)) and value.is_integer():
                self.non_counts.add(value)
        self._sorted = None

    def add_printed(self, printed: Iterable[str], source: str) -> None:
        """Add numbers as an output writes them; one of digits only is a count."""
        for text in printed:
            self.sources.setdefault(parse_number(text), (source, text))
            if not text.lstrip("+-").isdigit():
                self.non_counts.add(parse_number(text))
        self._sorted = None

    def source_of(self, number: float | None) -> str:
        """Describe a number with its source, *variable x: 0.25*; empty for None."""
        if number is None:
            return ""
        source, text = self.sources[float(number)]
        return f"{source}: {text or f'{number:.6g}'}"

    def include(self, other: Evidence) -> None:
        """Add the numbers of another collection with their sources."""
        for number, source in other.sources.items():
            self.sources.setdefault(number, source)
        self.non_counts |= other.non_counts
        self._sorted = None

    def between(self, low: float, high: float) -> list[float]:
        """Return the numbers in a range, widened slightly at both ends."""
        if self._sorted is None:
            self._sorted = sorted(number for number in self.numbers if math.isfinite(number))
        margin = 1e-9 * max(abs(low), abs(high))
        first = bisect_left(self._sorted, low - margin)
        return self._sorted[first : bisect_right(self._sorted, high + margin)]

    def rounds_to(self, amount: Amount, counted: bool = False) -> bool:
        """Return whether a number of the collection rounds to this amount; see `rounded`."""
        return self.rounded(amount, counted) is not None

    def holds(self, amount: Amount, counted: bool = False) -> bool:
        """Return whether the collection has exactly this amount; see `rounded`."""
        return self.exact(amount, counted) is not None

    def rounded(self, amount: Amount, counted: bool = False) -> float | None:
        """Return a number of the collection that rounds to an amount at its digits; None if none.

        An exact amount (its step is 0, as in 1/3) also matches a number of three or more digits
        that is a rounding of it.

        Parameters
        ----------
        amount
            The number in the text.
        counted
            Whether a number that all sources have as an integer may match an amount with decimals.
            Usually it may not, since it is a count: 2 apples are no 2.00 m.
        """
        for wanted, _, tolerance in amount.accepted:
            may_be_count = counted or tolerance >= _HALF
            reach = tolerance if amount.step else abs(wanted) * _THREE_DIGITS
            for number in self.between(as_float(wanted - reach), as_float(wanted + reach)):
                if not may_be_count and self._is_count(number):
                    continue
                if abs(exact_fraction(number) - wanted) <= tolerance:
                    return number
                if not amount.step and is_rounding(number, wanted):
                    return number
        return None

    def exact(self, amount: Amount, counted: bool = False) -> float | None:
        """Return a number of the collection that equals an amount; see `rounded`."""
        for wanted, nearest, tolerance in amount.accepted:
            may_be_count = counted or tolerance >= _HALF or not tolerance
            for number in self.between(nearest, nearest):
                if not may_be_count and self._is_count(number):
                    continue
                # A fraction such as 1/3 states no decimals: compare with its float.
                if exact_fraction(number) == wanted or (amount.denominator and number == nearest):
                    return number
        return None

    def _is_count(self, number: float) -> bool:
        """Return whether all sources have a number as an integer: as 2, and not as 2.0."""
        return number.is_integer() and number not in self.non_counts


def parse_number(text: str) -> float:
    """Return the value of a number as outputs and tables show it.

    >>> parse_number("1,024.5"), parse_number("−3")
    (1024.5, -3.0)
    """
    return float(text.replace(",", "").replace("−", "-"))


@lru_cache(1 << 14)
def exact_fraction(number: float) -> Fraction:
    """Return the value of a float as it is printed, not its binary value, as a fraction.

    >>> exact_fraction(0.1)
    Fraction(1, 10)
    """
    return Fraction(repr(number))


def is_rounding(number: float, wanted: Fraction) -> bool:
    """Return whether a number with three or more digits is a rounding of the wanted one.

    >>> is_rounding(0.333, Fraction(1, 3)), is_rounding(0.33, Fraction(1, 3))
    (True, False)
    """
    _, digits, last = Decimal(repr(number)).as_tuple()
    half_unit = Fraction(10) ** int(last) / 2
    enough = len(digits) >= 3 and abs(exact_fraction(number) - wanted) <= half_unit
    return enough or number == as_float(wanted)
