"""`Evidence`: a sorted collection of numbers, searched for one that rounds to a given number."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Set
from decimal import Decimal
from fractions import Fraction

import numpy as np

from vaultkit.claims.amounts import Amount, as_float

#: How far from a number that is stated without decimals the computed one may be.
_HALF = Fraction(1, 2)


class Evidence:
    """Numbers that a note shows, computes or states, with their sources, sorted for search."""

    def __init__(self) -> None:
        #: Where each was found first, and as what.
        self.sources: dict[float, tuple[str, str]] = {}
        #: Of the whole ones those that are measured, and not counted: 2.0, and not 2.
        self.measured: set[float] = set()
        self._sorted: list[float] | None = None

    @property
    def numbers(self) -> Set[float]:
        """The numbers."""
        return self.sources.keys()

    def add(self, numbers: Iterable[float], source: str) -> None:
        """Add numbers from one source."""
        for number in numbers:
            self.sources.setdefault(float(number), (source, ""))
            if isinstance(number, (float, np.floating)) and float(number).is_integer():
                self.measured.add(float(number))
        self._sorted = None

    def print(self, printed: Iterable[str], source: str) -> None:
        """Add numbers as an output shows them."""
        for text in printed:
            self.sources.setdefault(number_of(text), (source, text))
            if not text.lstrip("+-").isdigit():
                self.measured.add(number_of(text))
        self._sorted = None

    def source_of(self, number: float | None) -> str:
        """Describe one of the numbers with its source: *variable x: 0.25*."""
        if number is None:
            return ""
        source, text = self.sources[float(number)]
        return f"{source}: {text or f'{number:.6g}'}"

    def decimals(self, number: float) -> int:
        """Count the decimals with which a number is shown."""
        return len(self.sources[number][1].partition(".")[2])

    def include(self, other: Evidence) -> None:
        """Add the numbers of another, each with its own source."""
        self.sources = {**other.sources, **self.sources}
        self.measured |= other.measured
        self._sorted = None

    def between(self, low: float, high: float) -> list[float]:
        """Return the numbers in a range, widened a little at both ends."""
        if self._sorted is None:
            self._sorted = sorted(number for number in self.numbers if math.isfinite(number))
        margin = 1e-9 * max(abs(low), abs(high))
        first = bisect_left(self._sorted, low - margin)
        return self._sorted[first : bisect_right(self._sorted, high + margin)]

    def rounds_to(self, amount: Amount, counted: bool = False) -> bool:
        """Return whether one of the numbers, rounded to the digits stated, is this."""
        return self.rounded(amount, counted) is not None

    def holds(self, amount: Amount, counted: bool = False) -> bool:
        """Return whether one of the numbers is exactly this."""
        return self.exact(amount, counted) is not None

    def rounded(self, amount: Amount, counted: bool = False) -> float | None:
        """Find a number that, rounded to the digits stated, is this.

        An integer that was counted is found for a number with decimals only if ``counted`` is true.
        """
        for wanted, _, slack in amount.wanted:
            counts = counted or slack >= _HALF
            reach = slack if amount.unit else abs(wanted) / 200  # as far as three digits go
            for number in self.between(as_float(wanted - reach), as_float(wanted + reach)):
                if not counts and self._is_counted(number):
                    continue
                if abs(exactly(number) - wanted) <= slack:
                    return number
                if not amount.unit and is_rounding(number, wanted):
                    return number
        return None

    def exact(self, amount: Amount, counted: bool = False) -> float | None:
        """Find the number that is exactly this; see `rounded`."""
        for wanted, nearest, slack in amount.wanted:
            counts = counted or slack >= _HALF or not slack
            for number in self.between(nearest, nearest):
                if not counts and self._is_counted(number):
                    continue
                # Of a fraction, a float is what it comes to: no decimals are stated.
                if exactly(number) == wanted or (amount.over and number == nearest):
                    return number
        return None

    def _is_counted(self, number: float) -> bool:
        """Return whether a number is a counted 2, not a measured 2.0, which also backs 2.00."""
        return number.is_integer() and number not in self.measured


def number_of(text: str) -> float:
    """Read a number as outputs show it: ``1,024.5``."""
    return float(text.replace(",", ""))


def exactly(number: float) -> Fraction:
    """Return the number that is printed, not the one that is stored."""
    return Fraction(repr(number))


def is_rounding(number: float, wanted: Fraction) -> bool:
    """Return whether a number agrees in all digits that it has, if these are three or more."""
    _, digits, last = Decimal(repr(number)).as_tuple()
    half = Fraction(10) ** int(last) / 2
    enough = len(digits) >= 3 and abs(exactly(number) - wanted) <= half
    return enough or number == as_float(wanted)
