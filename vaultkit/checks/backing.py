"""Decides whether the numbers that a note shows or computes back a number in its text.

A number of the text, a `Quantity`, has one or more *readings*, each of one or more `Amount`: 9/10
is a fraction, or two numbers. It is backed if there is `Evidence` for all amounts of one reading.
Evidence may agree by chance, so for each amount the numbers with one changed digit are looked up,
too: the less direct the evidence, the fewer of these may be found.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from vaultkit.checks.lookup import Evidence, exact_fraction, parse_number
from vaultkit.checks.observed import NUMBER_IN_OUTPUT, Observed
from vaultkit.claims.amounts import Amount, Quantity

_IN_PERCENT = re.compile(r"%|\bper ?cent\b")
#: The number of nearest blocks, however far away, that count as next to a number.
NEAR = 4
#: From this size on, an integer may be a rounding: 158 630 of 158629.75.
_LONG = 1000
#: Properties, which are not next to the blocks that they describe.
_APART = {"summary", "description", "title"}


class _Shares(NamedTuple):
    """The largest permitted shares of numbers with one changed digit that are found as well.

    All were found with mutants of notes.
    """

    of_decimals: float
    of_integers: float


#: For what an output shows exactly next to the number, or code states there;
NEARBY = _Shares(0.3, 0.5)
#: for what code states far away;
FAR = _Shares(0.05, 0.4)
#: for the number of elements of an array, and for roundings of nearby outputs;
ROUNDED = _Shares(0.1, 0.1)
#: and for roundings of anything that the page computes.
ANYWHERE = _Shares(0.04, 0.04)


def _line(stated: tuple[int, Evidence]) -> int:
    """Return the line of an item of `Observed.stated_at`, by which these are sorted."""
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
        self._outputs_near: dict[tuple[int, ...], Evidence] = {}
        #: The last answer of `_code_near`, and the part of `_stated_by_line` that it is made of.
        self._last_code_near = (0, 0, Evidence())

    def backed(self, quantity: Quantity) -> bool:
        """Return whether a number, in one of its readings, is shown, computed or stated in code."""
        return bool(self._line_with_unit(quantity)) or self._backed_reading(quantity) is not None

    def rests_on(self, quantity: Quantity) -> str:
        """Describe the evidence for a number: the nearest and most exact number; empty if none.

        For example, *output at line 6: 0.25*.
        """
        if line := self._line_with_unit(quantity):
            return line
        reading = self._backed_reading(quantity) or ()
        return "; ".join(dict.fromkeys(self._source(amount, quantity) for amount in reading))

    def _backed_reading(self, quantity: Quantity) -> tuple[Amount, ...] | None:
        """Return the first reading of a number that is backed; None if there is none."""
        outputs, code = self.near(quantity), self._code_near(quantity)
        for reading in quantity.readings:
            if reading and all(self._backs(amount, outputs, code) for amount in reading):
                return reading
        return None

    def _source(self, amount: Amount, quantity: Quantity) -> str:
        """Return where a number comes from: the most reliable place that has it; empty if none."""
        near: list[Evidence] = []
        if quantity.place not in _APART:
            near = [self.seen.outputs[index][1] for index in self._nearest(quantity)]
        seen = self.seen
        exact = [*near, seen.stated, seen.bound]
        if amount.is_integer:
            exact += [seen.lengths, seen.shown, seen.sizes]
        for evidence in exact:
            if source := evidence.source_of(evidence.exact(amount)):
                return source
        for evidence in (*near, seen.bound, seen.elements, seen.shown, seen.stated):
            if source := evidence.source_of(evidence.rounded(amount)):
                return source
        # At last, a counted integer: the 2 of a length for *2.0*.
        for evidence in exact:
            if source := evidence.source_of(evidence.exact(amount, counted=True)):
                return source
        return ""

    def _line_with_unit(self, quantity: Quantity) -> str:
        """Return the line of an output that shows a number with the same unit; empty if none does.

        For example, *output at line 6: 90 MB*. Numbers without a unit are left to `_backs`.
        """
        amounts = [amount for reading in quantity.readings for amount in reading]
        if all(amount.scales == (Fraction(1),) for amount in amounts):
            return ""
        with_unit = re.compile(rf"(?<![\w.]){re.escape(_spaceless(quantity.text))}(?!\w)")
        # A percentage with decimals must be a share elsewhere, *0.2 %* 0.002; in a line that has a
        # sign of percent anywhere, such as a head ``error (%): 0.2``, it may be 0.2.
        is_percentage = len(amounts) == 1 and amounts[0].scales == (Fraction(100),)
        for text, line in self.seen.texts:
            if with_unit.search(_spaceless(text)):
                return f"{line}: {quantity.text}"
            if is_percentage and _IN_PERCENT.search(text):
                for number in map(parse_number, NUMBER_IN_OUTPUT.findall(text)):
                    if abs(exact_fraction(number) - amounts[0].value) <= amounts[0].step / 2:
                        return f"{line}: {number:g}"
        return ""

    def near(self, quantity: Quantity) -> Evidence:
        """Return the numbers in the outputs of the `NEAR` blocks nearest to a quantity.

        A summary is next to none, unless the note has only a few.
        """
        if quantity.place in _APART and len(self.seen.outputs) > NEAR:
            return Evidence()
        nearest = tuple(sorted(self._nearest(quantity)))
        if nearest not in self._outputs_near:
            self._outputs_near[nearest] = Evidence()
            for index in nearest:
                self._outputs_near[nearest].include(self.seen.outputs[index][1])
        return self._outputs_near[nearest]

    @cached_property
    def _output_lines(self) -> list[int]:
        """The lines of the blocks, in order."""
        return [line for line, _ in self.seen.outputs]

    @cached_property
    def _stated_by_line(self) -> list[tuple[int, Evidence]]:
        """What code and formulas state, in the order of their lines."""
        return sorted(self.seen.stated_at, key=_line)

    def _nearest(self, quantity: Quantity) -> list[int]:
        """Return the indices of the `NEAR` outputs nearest to a quantity, the nearest first."""
        lines = self._output_lines
        following = bisect_left(lines, quantity.line)
        around = range(max(0, following - NEAR), min(len(lines), following + NEAR))
        return sorted(around, key=lambda index: abs(lines[index] - quantity.line))[:NEAR]

    def _code_near(self, quantity: Quantity) -> Evidence | None:
        """Return what code and formulas state that are no farther away than the nearest outputs.

        None for a summary and in a note without blocks: there, all code counts as near.
        """
        if quantity.place in _APART or not self.seen.outputs:
            return None
        farthest = abs(self._output_lines[self._nearest(quantity)[-1]] - quantity.line)
        stated = self._stated_by_line
        first = bisect_left(stated, quantity.line - farthest, key=_line)
        last = bisect_right(stated, quantity.line + farthest, key=_line)
        # Neighbouring quantities often have the same first line: then the last answer is extended.
        begin, end, numbers = self._last_code_near
        if begin != first or end > last:
            end, numbers = first, Evidence()
        for _, more in stated[end:last]:
            numbers.include(more)
        self._last_code_near = first, last, numbers
        return numbers

    def _backs(self, amount: Amount, outputs: Evidence, code: Evidence | None) -> bool:
        """Return whether there is evidence for a number that hardly agrees by chance.

        ``outputs`` are those nearby, ``code`` is what code states nearby; None if all code counts
        as near.
        """
        if outputs.holds(amount) and amount.digits > 1:
            return True
        if amount.is_rough:  # *two thirds* has no digits that could be changed
            every = (outputs, self.seen.stated, self.seen.bound, self.seen.shown)
            return any(evidence.rounds_to(amount, counted=True) for evidence in every)

        def is_near(number: Amount) -> bool:
            """Return whether outputs or code nearby have exactly this number."""
            return outputs.holds(number) or (code is not None and code.holds(number))

        def is_rounded(number: Amount) -> bool:
            """Return whether an output nearby or a variable rounds to this number, or it is exact.

            A short integer, such as 12, would be the rounding of too many numbers.
            """
            return self._is_exact(number) or (
                (not number.is_integer or abs(number.value) >= _LONG)
                and (outputs.rounds_to(number) or self.seen.bound.rounds_to(number))
            )

        # From the most to the least direct evidence.
        tests: list[tuple[Callable[[Amount], bool], _Shares]] = [
            (outputs.holds, NEARBY),
            (is_near, NEARBY),
            (self._is_exact, NEARBY if code is None else FAR),
            (is_rounded, ROUNDED),
            (self._is_size, ROUNDED),
            (self._is_anywhere, ANYWHERE),
        ]
        for is_found, shares in tests:
            allowed = shares.of_integers if amount.is_integer else shares.of_decimals
            if amount.denominator:  # a fraction has few digits that could be changed
                allowed = NEARBY.of_integers
            if is_found(amount) and _chance(amount, is_found) <= allowed:
                return True
        return False

    def _is_exact(self, amount: Amount, counted: bool = False) -> bool:
        """Return whether code states or binds exactly this number.

        An integer may also be the length of an axis, or shown by any output. ``counted``: whether a
        counted integer, such as a length, also backs an amount with decimals.
        """
        exact = (
            self.seen.stated,
            self.seen.bound,
            *((self.seen.lengths, self.seen.shown) if amount.is_integer else ()),
        )
        return any(evidence.holds(amount, counted) for evidence in exact)

    def _is_size(self, amount: Amount) -> bool:
        """Return whether an integer is the number of elements of an array, or `_is_exact`."""
        return amount.is_integer and (self.seen.sizes.holds(amount) or self._is_exact(amount))

    def _is_anywhere(self, amount: Amount) -> bool:
        """Return whether any number of the page backs an amount, however far away."""
        seen = self.seen
        if self._is_exact(amount, counted=True):
            return True
        if amount.is_integer and (seen.elements.holds(amount) or seen.sizes.holds(amount)):
            return True
        if amount.is_integer and abs(amount.value) < _LONG:
            return False
        every = (seen.shown, seen.bound, seen.elements)
        return any(evidence.rounds_to(amount, counted=True) for evidence in every)

    def why(self, quantity: Quantity) -> str:
        """Explain that a number is not backed, and name the three nearest computed numbers."""
        if not any(quantity.readings):
            return f"{quantity.text} is not written like a number"
        amount = next(reading[0] for reading in quantity.readings if reading)
        where = f" (in the {quantity.place})" if quantity.place else ""
        is_anywhere = any(r and all(map(self._is_anywhere, r)) for r in quantity.readings)
        if is_anywhere and not amount.is_rough:
            return (
                f"{quantity.text}{where} may come from too many numbers of this page: "
                "show more digits, or show it in an output next to it"
            )
        every = self.seen.shown.numbers | self.seen.bound.numbers
        wanted = [value.nearest for value in amount.accepted]
        nearest = sorted(
            (number for number in every if np.isfinite(number)),
            key=lambda n: min(abs(n - w) / (abs(w) or 1) for w in wanted),
        )
        hint = f"; nearest are {', '.join(f'{n:.6g}' for n in nearest[:3])}" if nearest else ""
        return f"nothing on this page computes {quantity.text}{where}{hint}"


def _chance(amount: Amount, is_found: Callable[[Amount], bool]) -> float:
    """Return the share of the numbers with one changed digit that are found as well; 0 for none."""
    changed = list(amount.with_one_digit_changed())
    return sum(map(is_found, changed)) / len(changed) if changed else 0.0


def _spaceless(text: str) -> str:
    """Remove the spaces between numbers and their units.

    >>> _spaceless("all 90 MB of 16.50 %")
    'all 90MB of 16.50%'
    """
    return re.sub(r"(?<=\d)[ \u00a0\u202f\u2009]+(?=[A-Za-zµμ%‰])", "", text)
