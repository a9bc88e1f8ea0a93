"""The check *number*: each number in prose is backed by one that the note shows or computes."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, partial

from vaultkit.checks.backing import Backing
from vaultkit.checks.check import EXCEPTED, FAILS, FOUND, HOLDS, UNJUDGED, UNPROVEN, Check
from vaultkit.checks.derived import derivation
from vaultkit.checks.lookup import Evidence
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

    def check(self) -> Iterator[Check]:
        """Yield a check for each number: whether the note shows, computes or states it."""
        rows = Rows(self.seen)
        in_order, counted = rows.in_order(), self._counted_lengths()
        loops = find_origins(self.seen.note.blocks).loops
        quantities = claims_of(self.seen.note).quantities
        named = {(q.sentence, q.name, _value(q)) for q in quantities if q.name}
        again = Counter((sentence, name) for sentence, name, _ in named)
        for index, quantity in enumerate(quantities):
            line, text, column = quantity.line, quantity.text, quantity.column

            verdict = partial(_verdict, quantity)
            known = self._values_of_name(quantity) if quantity.name else None
            if quantity.is_small and not known:
                continue
            if quantity.given:
                yield verdict(EXCEPTED, quantity.given)
            elif known and not any(
                r and all(known.rounds_to(a, counted=True) for a in r) for r in quantity.readings
            ):
                values = " or ".join(f"{number:.6g}" for number in sorted(known.numbers))
                # *First `x[0] = 4`, then `x[0] = 6`* has the value of an earlier moment.
                is_once = again[quantity.sentence, quantity.name] == 1
                is_once = is_once and not self._is_assigned_again(quantity)
                sure = is_once and quantity.name not in loops and _contradicts(quantity, known)
                outcome = FAILS if sure else UNJUDGED
                yield verdict(outcome, f"{quantity.name} is {values}")
            elif known and len(quantity.readings) == 1:
                yield verdict(HOLDS, f"variable {quantity.name}: {quantity.name} = {text}")
            elif length := counted.get((line, column), {}).get(text.split()[0]):
                yield verdict(HOLDS, length)
            elif quantity.is_vector:
                yield rows.vector(quantity)
            elif in_order.get(index):
                yield verdict(HOLDS, in_order[index], FOUND)
            elif index in in_order:
                why = "nothing on this page shows the fractions of this row in their order"
                yield verdict(UNJUDGED, why)
            elif not self.backing.backed(quantity):
                if how := self._derivation(quantity):
                    yield verdict(HOLDS, f"from this sentence: {how}", FOUND)
                    continue
                yield Check("number", line, text, UNJUDGED, self.backing.why(quantity), column)
            else:
                yield verdict(HOLDS, self.backing.rests_on(quantity), FOUND)

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

    def _counted_lengths(self) -> dict[tuple[int, int], dict[str, str]]:
        """Return the lengths of arrays whose entries the text counts, by the place of the count."""
        by_place: dict[tuple[int, int], dict[str, str]] = {}
        for shape in claims_of(self.seen.note).shapes:
            name = shape.subject
            versions = [arrays[name] for _, arrays in self.seen.arrays if name in arrays]
            if shape.axis and versions:
                lengths = {str(n) for array in versions for n in (*array.shape, array.size)}
                axes = {n: f"variable {name}: {n} {shape.axis}" for n in lengths}
                by_place.setdefault((shape.line, shape.column), {}).update(axes)
        return by_place

    def _values_of_name(self, quantity: Quantity) -> Evidence | None:
        """Return the values of a name above and below a number stated as its value."""
        values = [(line, v[quantity.name]) for line, v in self.seen.values if quantity.name in v]
        if "[" in quantity.name:
            name, _, place = quantity.name.rstrip("]").partition("[")
            index = tuple(map(int, place.split(",")))
            values = [
                (line, float(array[name][index]))
                for line, array in self.seen.arrays
                if name in array and _is_place(index, array[name].shape)
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
    for scale in amount.scales:
        unit = amount.step
        steps = round(Fraction(repr(number)) * scale / unit)
        stated = round(amount.value / unit)
        if steps == stated:
            continue
        if steps == -stated:
            return True
        digits, wanted = str(abs(steps)), str(abs(stated))
        if unit >= 1 and len(digits) != len(wanted):
            continue
        width = max(len(digits), len(wanted), len(str(unit.denominator)))
        digits, wanted = digits.zfill(width), wanted.zfill(width)
        wrong = [place for place in range(width) if digits[place] != wanted[place]]
        if (steps < 0) != (stated < 0):
            continue
        if len(wrong) == 1:
            return True
        if len(wrong) == 2 and wrong[1] - wrong[0] == 1:
            first, second = wrong
            if digits[first] == wanted[second] and digits[second] == wanted[first]:
                return True
    return False


def _verdict(quantity: Quantity, outcome: str, why: str, scope: str = "") -> Check:
    message = f"{quantity.text}: {why}" if outcome in UNPROVEN else why
    place = quantity.line, quantity.text
    return Check("number", *place, outcome, message, quantity.column, scope)


def _value(quantity: Quantity) -> Fraction | None:
    """Return the number as it is written, regardless of its unit."""
    return quantity.readings[0][0].value if quantity.readings and quantity.readings[0] else None


def _is_place(index: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    inside = all(-length <= at < length for at, length in zip(index, shape, strict=False))
    return len(index) == len(shape) and inside
