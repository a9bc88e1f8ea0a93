"""Checks that the numbers of one sentence belong together in an output or an array.

A page has many numbers, and a wrong number may equal one of the others by chance. But the three
numbers of *0.30 against 0.18 at 16* are in one line of a table. If two of them are, and the third
differs in one digit from another number of that line, it is wrong.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, pairwise
from typing import NamedTuple

from vaultkit.claims.amounts import Amount, Quantity

#: The number of neighbouring numbers of a sentence that are compared together.
_COMPANY = 3
_PAIR = 2
#: Words between a number and the one that it belongs to: *0.69 at p = 0.5*.
_AT = re.compile(
    r"[^\w.,;:]*\s(?:at|for|with|when|after|in)\s(?:[a-z]+\s)?(?:[\W_]*[A-Za-z_]\w*\W*=)?\W*"
)
#: A row of more numbers than this is data, which contains any number.
_LONG = 32
#: A number with fewer digits can be in any row.
_TELLING = 2


@dataclass(frozen=True)
class Row:
    """Numbers that belong together: a line of an output, a row or column of an array."""

    numbers: tuple[float, ...]
    source: str
    #: The index of the output of which it is a line; -1 for an array.
    output: int = -1

    def __str__(self) -> str:
        """Return the numbers and their source as text."""
        return f"{self.source}: {', '.join(f'{number:.6g}' for number in self.numbers)}"


def misplaced_numbers(
    quantities: Sequence[Quantity], rows: Callable[[int], Sequence[Row]]
) -> dict[int, str]:
    """Return the numbers that are wrong beside their neighbours.

    They are given as the index of each, and the row to which its neighbours belong.

    Parameters
    ----------
    quantities
        The numbers of a note.
    rows
        Returns the rows near a line of the note.
    """
    found: dict[int, str] = {}
    placed = [
        (index, q)
        for index, q in enumerate(quantities)
        if q.sentence and not q.given and q.readings and len(q.readings[0]) == 1
    ]
    for _, group in groupby(placed, key=lambda one: (one[1].place, one[1].sentence)):
        sentence = list(group)
        if len(sentence) > 1:
            near = [r for r in rows(sentence[0][1].line) if len(r.numbers) <= _LONG]
            found.update(
                _contrary_rows_of_pairs(sentence, [row for row in near if row.output >= 0])
            )
            if len(sentence) >= _COMPANY:
                found.update(_misplaced_in_sentence(sentence, near))
    return found


class _RowOfPair(NamedTuple):
    """A row with the places of a number in it, and of the number that it is given *at*."""

    row: Row
    places: frozenset[int]
    at_places: frozenset[int]

    @property
    def has_both(self) -> bool:
        """Whether the row has both numbers, at different places."""
        return bool(self.places and self.at_places) and len(self.places | self.at_places) > 1


def _contrary_rows_of_pairs(
    sentence: Sequence[tuple[int, Quantity]], rows: Sequence[Row]
) -> Iterator[tuple[int, str]]:
    """Yield index and contrary row of a number, or of the number that it is given *at*.

    In *0.69 at p = 0.1*, nothing is wrong if a row has both numbers. Otherwise 0.69 is wrong if a
    row has 0.1, and either a number that differs from 0.69 by a slip, or another row of the same
    output has 0.69; and 0.1 is wrong if a row has 0.69 and a number that differs from 0.1 by a
    slip, and no row of that output has 0.1.
    """
    pairs = [(one, at) for one, at in pairwise(sentence) if _AT.fullmatch(at[1].text_before)]
    if len(sentence) == _PAIR and sentence[0][1].leads:
        pairs.append((sentence[1], sentence[0]))
    for (index, what), (place, where) in pairs:
        amount, at = what.readings[0][0], where.readings[0][0]
        if amount.digits < _TELLING or amount.whole:
            continue
        held = [_RowOfPair(row, _places_of(amount, row), _places_of(at, row)) for row in rows]
        if any(one.has_both for one in held):
            continue
        for row, places, at_places in held:
            same_output = [other for other in held if other.row.output == row.output]
            if at_places and not places:
                slip = _has_slip(amount, row, at_places)
                apart = next(
                    (f", and not in {other.row}" for other in same_output if other.places), ""
                )
                if slip or apart:
                    yield index, f"{row}{apart}"
                    break
            slip = any(is_single_slip(at, number, 1) for number in row.numbers)
            if places and slip and not any(other.at_places for other in same_output):
                yield place, str(row)
                break


def _misplaced_in_sentence(
    sentence: Sequence[tuple[int, Quantity]], rows: Sequence[Row]
) -> Iterator[tuple[int, str]]:
    """Yield index and row of each number that is wrong by a slip in the row of its neighbours.

    A number is right if a row has it together with two neighbours.
    """
    amounts = [quantity.readings[0][0] for _, quantity in sentence]
    places = [[_places_of(amount, row) for row in rows] for amount in amounts]
    windows = [range(at, at + _COMPANY) for at in range(len(sentence) - _COMPANY + 1)]
    for member, (index, _) in enumerate(sentence):
        around = [window for window in windows if member in window]
        if any(_has_all_members(places, w, row) for w in around for row in range(len(rows))):
            continue
        neighbours = [[other for other in window if other != member] for window in around]
        rows_of_neighbours = (
            (row, frozenset().union(*(places[other][number] for other in others)))
            for others in neighbours
            if all(amounts[other].digits >= _TELLING for other in others)
            for number, row in enumerate(rows)
            if _has_all_members(places, others, number)
        )
        for row, taken in rows_of_neighbours:
            if _has_slip(amounts[member], row, taken):
                yield index, str(row)
                break


def _has_slip(amount: Amount, row: Row, taken: frozenset[int]) -> bool:
    """Return whether a number of a row, at none of the places ``taken``, is a slip away."""
    numbers = (number for place, number in enumerate(row.numbers) if place not in taken)
    return any(is_single_slip(amount, number) for number in numbers)


def _places_of(amount: Amount, row: Row) -> frozenset[int]:
    """Return the places of a row whose number rounds to an amount, or equals one of one digit."""
    exact = amount.digits < _TELLING
    found: set[int] = set()
    for _, value, slack in amount.wanted:
        far = (0.0 if exact else float(slack)) + 1e-9 * abs(value)
        low, high = value - far, value + far
        found.update(n for n, number in enumerate(row.numbers) if low <= number <= high)
    return frozenset(found)


def _has_all_members(
    places: Sequence[Sequence[frozenset[int]]], members: Sequence[int], row: int
) -> bool:
    """Return whether a row has each member, at as many places as there are members, or more."""
    own = [places[member][row] for member in members]
    return all(own) and len(frozenset().union(*own)) >= len(own)


def is_single_slip(amount: Amount, number: float, digits: int = _TELLING) -> bool:
    """Return whether a number, to the digits stated, differs from an amount by a single slip.

    A slip changes a digit, exchanges two adjacent ones, or loses the sign.

    >>> stated = Amount(Fraction("0.69"), Fraction(1, 100))
    >>> [is_single_slip(stated, number) for number in (0.62, 0.96, -0.69, 0.42)]
    [True, True, True, False]
    """
    if amount.digits < digits or not amount.unit or not math.isfinite(number):
        return False
    for scale in amount.scales:
        unit = amount.unit
        steps = round(Fraction(repr(number)) * scale / unit)
        stated = round(amount.value / unit)
        if steps == stated:
            continue
        if steps == -stated:
            return True
        one, other = str(abs(steps)), str(abs(stated))
        if unit >= 1 and len(one) != len(other):
            continue
        width = max(len(one), len(other), len(str(unit.denominator)))
        one, other = one.zfill(width), other.zfill(width)
        wrong = [place for place in range(width) if one[place] != other[place]]
        if (steps < 0) != (stated < 0):
            continue
        if len(wrong) == 1:
            return True
        if len(wrong) == 2 and wrong[1] - wrong[0] == 1:
            first, second = wrong
            if one[first] == other[second] and one[second] == other[first]:
                return True
    return False
