"""The check *number*: each number in prose is backed by one that the note shows or computes."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

from vaultkit.checks.backing import Backing
from vaultkit.checks.check import EXCEPTED, FAILS, FOUND, HOLDS, UNJUDGED, UNPROVEN, Check
from vaultkit.checks.derived import derivation
from vaultkit.checks.lookup import Evidence, exact_fraction
from vaultkit.checks.observed import Observed
from vaultkit.checks.origins import find_origins
from vaultkit.checks.rows import Rows
from vaultkit.claims.amounts import Amount, Quantity
from vaultkit.claims.claims import claims_of

#: Powers of a thousand, by which units differ: 4.7 kΩ is 4700.
_THOUSANDS = tuple(Fraction(1000) ** power for power in range(-4, 5))


class Numbers:
    """Judges the numbers in the prose of a note.

    Parameters
    ----------
    seen
        Everything that the note shows, computes and states.
    """

    def __init__(self, seen: Observed) -> None:
        self.seen = seen
        self.backing = Backing(seen)
        self._rows = Rows(seen)

    def check(self) -> Iterator[Check]:
        """Yield a check for each number: whether the note shows, computes or states it."""
        rows = self._rows.in_order()
        for index, quantity in enumerate(claims_of(self.seen.note).quantities):
            known = self._values_of_name(quantity) if quantity.name else None
            if quantity.is_small and not known:
                continue  # a number such as the 2 of *two rows* is on every page
            if quantity.given:
                yield _verdict(quantity, EXCEPTED, quantity.given)
                continue
            by_name = self._check_of_name(quantity, known) if known else None
            yield by_name or self._check_of_page(quantity, rows.get(index))

    def _check_of_name(self, quantity: Quantity, known: Evidence) -> Check | None:
        """Return the check of a number stated as the value of a name: *`n` = 6*.

        None if the name has this value in one of several readings, which does not prove it.
        """
        name = quantity.name
        has_value = any(
            reading and all(known.rounds_to(amount, counted=True) for amount in reading)
            for reading in quantity.readings
        )
        if has_value:
            is_proven = len(quantity.readings) == 1
            why = f"variable {name}: {name} = {quantity.text}"
            return _verdict(quantity, HOLDS, why) if is_proven else None
        # *First `x[0] = 4`, then `x[0] = 6`* has the value of an earlier moment.
        has_changed = (
            name in self._loop_variables
            or self._values_in_sentence[quantity.sentence, name] > 1
            or self._is_assigned_again(quantity)
        )
        outcome = FAILS if not has_changed and _contradicts(quantity, known) else UNJUDGED
        values = " or ".join(f"{number:.6g}" for number in sorted(known.numbers))
        return _verdict(quantity, outcome, f"{name} is {values}")

    def _check_of_page(self, quantity: Quantity, source_of_row: str | None) -> Check:
        """Return the check of a number that may be any number of the page.

        ``source_of_row`` is what shows the numbers in a row of which it is one; empty if nothing
        shows them, and None if it is not in such a row.
        """
        counted = self._counted_lengths.get((quantity.line, quantity.column), {})
        if length := counted.get(quantity.text.split()[0]):
            return _verdict(quantity, HOLDS, length)
        if quantity.is_vector:
            return self._rows.vector(quantity)
        if source_of_row:
            return _verdict(quantity, HOLDS, source_of_row, FOUND)
        if source_of_row is not None:
            why = "nothing on this page shows the fractions of this row in their order"
            return _verdict(quantity, UNJUDGED, why)
        if self.backing.backed(quantity):
            return _verdict(quantity, HOLDS, self.backing.rests_on(quantity), FOUND)
        if how := self._derivation(quantity):
            return _verdict(quantity, HOLDS, f"from this sentence: {how}", FOUND)
        why = self.backing.why(quantity)
        return Check("number", quantity.line, quantity.text, UNJUDGED, why, column=quantity.column)

    @cached_property
    def _loop_variables(self) -> set[str]:
        return find_origins(self.seen.note.blocks).loops

    @cached_property
    def _values_in_sentence(self) -> Counter[tuple[tuple[int, int] | None, str]]:
        """How many values each sentence gives to each name."""
        quantities = claims_of(self.seen.note).quantities
        stated = {(q.sentence, q.name, _written_value(q)) for q in quantities if q.name}
        return Counter((sentence, name) for sentence, name, _ in stated)

    @cached_property
    def _numbers_by_sentence(self) -> dict[tuple[int, int] | None, list[Quantity]]:
        """The numbers of each sentence."""
        by_sentence: dict[tuple[int, int] | None, list[Quantity]] = {}
        for quantity in claims_of(self.seen.note).quantities:
            if quantity.sentence:
                by_sentence.setdefault(quantity.sentence, []).append(quantity)
        return by_sentence

    def _is_assigned_again(self, quantity: Quantity) -> bool:
        """Return whether the lines around a number assign to its name twice."""
        around = self.seen.note.lines[max(0, quantity.line - 2) : quantity.line + 1]
        assigned = rf"(?<![\w.]){re.escape(quantity.name)}\s*=(?!=)"
        return len(re.findall(assigned, "\n".join(around))) > 1

    def _derivation(self, quantity: Quantity) -> str:
        """Return how a number follows from others of its sentence that the page has."""
        others = [
            other
            for other in self._numbers_by_sentence.get(quantity.sentence, ())
            if other is not quantity
            if other.readings and (other.given or self.backing.backed(other))
        ]
        return derivation(quantity, others)

    @cached_property
    def _counted_lengths(self) -> dict[tuple[int, int], dict[str, str]]:
        """The lengths of arrays whose entries the text counts, *the 6 rows of `x`*.

        By the line and column of the count, a description of each length by its digits.
        """
        by_place: dict[tuple[int, int], dict[str, str]] = {}
        for shape in claims_of(self.seen.note).shapes:
            name = shape.subject
            versions = [arrays[name] for _, arrays in self.seen.arrays if name in arrays]
            if shape.axis and versions:  # the noun counted, such as *rows*
                lengths = {str(n) for array in versions for n in (*array.shape, array.size)}
                described = {n: f"variable {name}: {n} {shape.axis}" for n in lengths}
                by_place.setdefault((shape.line, shape.column), {}).update(described)
        return by_place

    def _values_of_name(self, quantity: Quantity) -> Evidence | None:
        """Return the values of a name (``n``, ``x[0]``) around a number stated as its value.

        They are its values after the last block above and after the first one below; None if it
        has no value.
        """
        values = [(line, v[quantity.name]) for line, v in self.seen.values if quantity.name in v]
        if "[" in quantity.name:
            name, _, indices = quantity.name.rstrip("]").partition("[")
            index = tuple(map(int, indices.split(",")))
            values = [
                (line, float(array[name][index]))
                for line, array in self.seen.arrays
                if name in array and _is_index(index, array[name].shape)
            ]
        above = [value for line, value in values if line < quantity.line]
        below = [value for line, value in values if line > quantity.line]
        if not values:
            return None
        known = Evidence()
        known.add({*above[-1:], *below[:1]}, f"variable {quantity.name}")
        return known


def _contradicts(quantity: Quantity, known: Evidence) -> bool:
    """Return whether a number that none of the values of its name rounds to is surely wrong.

    In code it always is. In text without backticks, a letter may have another value for once, *on
    the Moon (g = 1.62)*, or another unit: only a number that differs by one slip is wrong there.
    """
    if quantity.is_name_in_code:
        return True
    # The first reading takes it as one number, if it may be several.
    amounts = [amount for reading in quantity.readings[:1] for amount in reading]
    # With a single digit, too many numbers agree in some unit by chance.
    scaled = [replace(a, scales=_THOUSANDS) if a.digits > 1 else a for a in amounts]
    if all(known.rounds_to(amount, counted=True) for amount in scaled):
        return False
    return any(_is_slip(amount, number) for amount in scaled for number in known.numbers)


def _is_slip(amount: Amount, number: float) -> bool:
    """Return whether a number, to the digits stated, differs from an amount by a single slip.

    A slip changes a digit, exchanges two adjacent ones, or loses the sign.

    >>> stated = Amount(Fraction("0.69"), Fraction(1, 100))
    >>> [_is_slip(stated, number) for number in (0.62, 0.96, -0.69, 0.42)]
    [True, True, True, False]
    """
    if not amount.digits or not amount.step or not math.isfinite(number):
        return False
    stated = round(amount.value / amount.step)  # in units of its last digit
    for scale in amount.scales:
        computed = round(exact_fraction(number) * scale / amount.step)
        if computed == -stated != 0:
            return True
        digits = str(abs(stated)), str(abs(computed))
        is_other_sign = (computed < 0) != (stated < 0)
        # An integer with more digits is another number; decimals begin with zeros.
        is_other_length = amount.step >= 1 and len(digits[0]) != len(digits[1])
        if is_other_sign or is_other_length:
            continue
        width = max(*map(len, digits), len(str(amount.step.denominator)))
        if _differ_in_one_slip(digits[0].zfill(width), digits[1].zfill(width)):
            return True
    return False


def _differ_in_one_slip(first: str, second: str) -> bool:
    """Return whether one digit differs, or two adjacent ones are exchanged.

    >>> [_differ_in_one_slip("123", other) for other in ("153", "132", "321", "123")]
    [True, True, False, False]
    """
    wrong = [
        index for index, pair in enumerate(zip(first, second, strict=True)) if len({*pair}) > 1
    ]
    if len(wrong) == 2:
        left, right = wrong
        exchanged = (second[right], second[left])
        return right - left == 1 and (first[left], first[right]) == exchanged
    return len(wrong) == 1


def _verdict(quantity: Quantity, outcome: str, why: str, scope: str = "") -> Check:
    message = f"{quantity.text}: {why}" if outcome in UNPROVEN else why
    place = quantity.line, quantity.text
    return Check("number", *place, outcome, message, quantity.column, scope)


def _written_value(quantity: Quantity) -> Fraction | None:
    """Return the number as it is written, regardless of its unit."""
    return quantity.readings[0][0].value if quantity.readings and quantity.readings[0] else None


def _is_index(index: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Return whether an index, perhaps counted from the end, has an element of a shape."""
    inside = all(-length <= at < length for at, length in zip(index, shape, strict=False))
    return len(index) == len(shape) and inside
