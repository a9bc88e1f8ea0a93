"""Decides whether the numbers that a note shows or computes back a number in its text.

The less direct the evidence, the fewer of the numbers with one changed digit may pass as well.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property, partial

import numpy as np

from vaultkit.checks.lookup import Evidence, exact_fraction, parse_number
from vaultkit.checks.observed import NUMBER_IN_OUTPUT, Observed
from vaultkit.claims.amounts import Amount, Quantity

_IN_PERCENT = re.compile(r"%|\bper ?cent\b")
#: The number of nearest blocks that count as next to a number.
NEAR = 4
#: From this size on, an integer may be a rounding: 158 630 of 158629.75.
_LONG = 1000
#: Properties, which are not next to the blocks that they describe.
_APART = {"summary", "description", "title"}
#: The largest permitted share of numbers with one changed digit that would pass by chance. The
#: values were found with mutants of notes: less direct evidence needs a smaller share. First, for
#: integers and fractions, and for decimals, that nearby code states or a nearby output shows;
LIKELY, STATED = 0.5, 0.3
#: for the same if the code is far from the number;
LIKELY_FAR, STATED_FAR = 0.4, 0.05
#: for the number of elements of an array, and for roundings of nearby outputs;
SIZED, ROUNDED = 0.1, 0.1
#: and for roundings of anything that the page computes.
ANYWHERE = 0.04


def _line(stated: tuple[int, Evidence]) -> int:
    return stated[0]


class Backing:
    """Finds evidence for numbers of the text.

    Parameters
    ----------
    seen
        Everything that the note shows, computes and states.
    """

    def __init__(self, seen: Observed) -> None:
        self.seen = seen
        self._near: dict[tuple[int, ...], Evidence] = {}
        #: The last answer of `in_code_near`, and the part of `_stated_by_line` that it is made of.
        self._last_stated = (0, 0, Evidence())

    def backed(self, quantity: Quantity) -> bool:
        """Return whether a number, in one of its readings, is shown, computed or stated in code."""
        if self.is_quoted(quantity):
            return True
        near, stated = self.near(quantity), self.in_code_near(quantity)
        return any(
            reading and all(self.backs(amount, near, stated) for amount in reading)
            for reading in quantity.readings
        )

    def rests_on(self, quantity: Quantity) -> str:
        """Describe the evidence for a number: the nearest and most exact number."""
        quoted = self.quoted(quantity)
        if quoted:
            return quoted
        near, stated = self.near(quantity), self.in_code_near(quantity)
        for reading in quantity.readings:
            if reading and all(self.backs(amount, near, stated) for amount in reading):
                found = (self._source(amount, quantity) for amount in reading)
                return "; ".join(dict.fromkeys(found))
        return ""

    def _source(self, amount: Amount, quantity: Quantity) -> str:
        """Return where a number comes from: the most reliable place that has it; empty if none."""
        near: list[Evidence] = []
        if quantity.place not in _APART:
            near = self._by_distance(quantity)
        stated = [self.seen.stated, self.seen.bound]
        if amount.is_integer:
            stated += [self.seen.lengths, self.seen.shown, self.seen.sizes]
        for evidence in (*near, *stated):
            if source := evidence.source_of(evidence.exact(amount)):
                return source
        for evidence in (
            *near,
            self.seen.bound,
            self.seen.elements,
            self.seen.shown,
            self.seen.stated,
        ):
            if source := evidence.source_of(evidence.rounded(amount)):
                return source
        for evidence in (*near, *stated):
            if source := evidence.source_of(evidence.exact(amount, counted=True)):
                return source
        return ""

    def is_quoted(self, quantity: Quantity) -> bool:
        """Return whether an output shows a number with the same unit: *90 MB*, *16.50 %*."""
        return bool(self.quoted(quantity))

    def quoted(self, quantity: Quantity) -> str:
        """Return the line of an output that shows a number with the same unit."""
        amounts = [amount for reading in quantity.readings for amount in reading]
        if all(amount.scales == (Fraction(1),) for amount in amounts):
            return ""
        wanted = re.compile(rf"(?<![\w.]){re.escape(_spaceless(quantity.text))}(?!\w)")
        for text, line in self.seen.texts:
            if wanted.search(_spaceless(text)):
                return f"{line}: {quantity.text}"
            if _IN_PERCENT.search(text) and amounts[0].scales == (Fraction(100),):
                (amount,) = amounts
                for number in map(parse_number, NUMBER_IN_OUTPUT.findall(text)):
                    if abs(exact_fraction(number) - amount.value) <= amount.step / 2:
                        return f"{line}: {number:g}"
        return ""

    def near(self, quantity: Quantity) -> Evidence:
        """Return the numbers in the outputs next to a quantity.

        If a note has only a few outputs, its summary is next to all of them.
        """
        if quantity.place in _APART and len(self.seen.outputs) > NEAR:
            return Evidence()
        nearest = tuple(sorted(self._nearest(quantity)))
        if nearest not in self._near:
            self._near[nearest] = Evidence()
            for index in nearest:
                self._near[nearest].include(self.seen.outputs[index][1])
        return self._near[nearest]

    @cached_property
    def _output_lines(self) -> list[int]:
        return [line for line, _ in self.seen.outputs]

    @cached_property
    def _stated_by_line(self) -> list[tuple[int, Evidence]]:
        return sorted(self.seen.stated_at, key=_line)

    def _nearest(self, quantity: Quantity) -> list[int]:
        """Return the indices of the `NEAR` outputs nearest to a quantity, the nearest first."""
        lines = self._output_lines
        at = bisect_left(lines, quantity.line)
        around = range(max(0, at - NEAR), min(len(lines), at + NEAR))
        return sorted(around, key=lambda index: abs(lines[index] - quantity.line))[:NEAR]

    def in_code_near(self, quantity: Quantity) -> Evidence | None:
        """Return what the code and formulas next to a quantity state; None if there are none."""
        if quantity.place in _APART or not self.seen.outputs:
            return None
        reach = abs(self._output_lines[self._nearest(quantity)[-1]] - quantity.line)
        stated = self._stated_by_line
        first = bisect_left(stated, quantity.line - reach, key=_line)
        last = bisect_right(stated, quantity.line + reach, key=_line)
        # Neighbouring quantities often have the same first line: then what was found is extended.
        begin, end, found = self._last_stated
        if begin != first or end > last:
            begin, end, found = first, first, Evidence()
        for _, numbers in stated[end:last]:
            found.include(numbers)
        self._last_stated = first, last, found
        return found

    def _by_distance(self, quantity: Quantity) -> list[Evidence]:
        return [self.seen.outputs[index][1] for index in self._nearest(quantity)]

    def backs(self, amount: Amount, near: Evidence, stated: Evidence | None) -> bool:
        """Return whether a number is backed by outputs nearby, or not only by chance."""
        if near.holds(amount) and amount.digits > 1:
            return True
        if amount.is_rough:
            every = (near, self.seen.stated, self.seen.bound, self.seen.shown)
            return any(evidence.rounds_to(amount, counted=True) for evidence in every)
        far = (STATED, LIKELY) if stated is None else (STATED_FAR, LIKELY_FAR)
        tiers: list[tuple[Callable[[Amount], bool], float, float]] = [
            (near.holds, STATED, LIKELY),
            (self._is_exact, *far),
            (partial(self._rounded, near), ROUNDED, ROUNDED),
            (self._sized, SIZED, SIZED),
            (self._is_anywhere, ANYWHERE, ANYWHERE),
        ]
        if stated is not None:
            tiers.insert(1, (lambda a: near.holds(a) or stated.holds(a), STATED, LIKELY))
        for found, of_decimals, of_integers in tiers:
            allowed = of_integers if amount.is_integer else of_decimals
            allowed = LIKELY if amount.denominator else allowed
            if found(amount) and self.chance(amount, found) <= allowed:
                return True
        return False

    def _is_exact(self, amount: Amount, counted: bool = False) -> bool:
        """Return whether code states, binds or shows exactly this number, or an axis has it.

        ``counted``: whether a counted integer also backs an amount with decimals.
        """
        exact = (
            self.seen.stated,
            self.seen.bound,
            *((self.seen.lengths, self.seen.shown) if amount.is_integer else ()),
        )
        return any(evidence.holds(amount, counted) for evidence in exact)

    def _sized(self, amount: Amount) -> bool:
        return amount.is_integer and (self.seen.sizes.holds(amount) or self._is_exact(amount))

    def _rounded(self, near: Evidence, amount: Amount) -> bool:
        return self._is_exact(amount) or (
            (not amount.is_integer or abs(amount.value) >= _LONG)
            and (near.rounds_to(amount) or self.seen.bound.rounds_to(amount))
        )

    def _is_anywhere(self, amount: Amount) -> bool:
        """Return whether any number of the page backs an amount, however far away."""
        if self._is_exact(amount, counted=True) or (
            amount.is_integer and self.seen.elements.holds(amount)
        ):
            return True
        if amount.is_integer and self.seen.sizes.holds(amount):
            return True
        if amount.is_integer and abs(amount.value) < _LONG:
            return False
        every = (self.seen.shown, self.seen.bound, self.seen.elements)
        return any(evidence.rounds_to(amount, counted=True) for evidence in every)

    def chance(self, amount: Amount, found: Callable[[Amount], bool]) -> float:
        """Return the share of numbers with one changed digit that would pass as well."""
        changed = list(amount.with_one_digit_changed())
        return sum(map(found, changed)) / len(changed) if changed else 0.0

    def why(self, quantity: Quantity) -> str:
        """Explain that a number is not backed, and name the nearest computed numbers."""
        if not any(quantity.readings):
            return f"{quantity.text} is not written like a number"
        amount = next(reading[0] for reading in quantity.readings if reading)
        where = f" (in the {quantity.place})" if quantity.place else ""
        if not amount.is_rough and any(
            r and all(map(self._is_anywhere, r)) for r in quantity.readings
        ):
            return (
                f"{quantity.text}{where} may come from too many numbers of this page: "
                "show more digits, or show it in an output next to it"
            )
        every = self.seen.shown.numbers | self.seen.bound.numbers
        wanted = [accepted.nearest for accepted in amount.accepted]
        nearest = sorted(
            (number for number in every if np.isfinite(number)),
            key=lambda n: min(abs(n - w) / (abs(w) or 1) for w in wanted),
        )
        hint = f"; nearest are {', '.join(f'{n:.6g}' for n in nearest[:3])}" if nearest else ""
        return f"nothing on this page computes {quantity.text}{where}{hint}"


def _spaceless(text: str) -> str:
    """Remove the spaces between numbers and their units."""
    return re.sub(r"(?<=\d)[ \u00a0\u202f\u2009]+(?=[A-Za-zµμ%‰])", "", text)
