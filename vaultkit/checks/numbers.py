"""The check *number*: each number in prose is backed by one that the note shows or computes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import pairwise

from vaultkit.checks.backing import NEAR, Backing
from vaultkit.checks.check import EXCEPTED, FAILS, FOUND, HOLDS, UNJUDGED, UNPROVEN, Check
from vaultkit.checks.derived import derivation
from vaultkit.checks.lookup import Evidence
from vaultkit.checks.observed import Observed
from vaultkit.checks.origins import find_origins
from vaultkit.checks.rows import Rows, has_decimals
from vaultkit.checks.together import Row, is_single_slip, misplaced_numbers
from vaultkit.claims.amounts import Quantity, as_float
from vaultkit.claims.claims import claims_of

#: Powers of a thousand, by which units differ: 4.7 kΩ is 4700.
_THOUSANDS = tuple(Fraction(1000) ** power for power in range(-4, 5))
#: *60 to 63 %*.
_TO = re.compile(r"\W*(?:\bto\b|–)\W*")
#: The number of digits from which on two numbers hardly agree by chance.
_TELLING = 3


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
        in_order, odd = rows.in_order(), rows.odd_vectors()
        misplaced, counted = self._misplaced_numbers(), self._counted_lengths()
        loops = find_origins(self.seen.note.blocks).loops
        quantities = claims_of(self.seen.note).quantities
        empty = {
            index
            for index, (one, other) in enumerate(pairwise(quantities))
            if other.goes_on and (one.bounds == "between" or _TO.fullmatch(other.text_before))
            if _value(one) == _value(other) is not None
        }
        named = {(q.sentence, q.of, _value(q)) for q in quantities if q.of}
        again = Counter((sentence, name) for sentence, name, _ in named)
        for index, quantity in enumerate(quantities):
            line, text, column = quantity.line, quantity.text, quantity.column

            verdict = partial(_verdict, quantity)
            known = self._values_of_name(quantity) if quantity.of else None
            if quantity.is_small and not known:
                continue
            if quantity.given:
                yield verdict(EXCEPTED, quantity.given)
            elif known and not any(
                r and all(known.rounds_to(a, counted=True) for a in r) for r in quantity.readings
            ):
                values = " or ".join(f"{number:.6g}" for number in sorted(known.numbers))
                # *First `x[0] = 4`, then `x[0] = 6`* has the value of an earlier moment.
                is_once = again[quantity.sentence, quantity.of] == 1
                is_once = is_once and not self._is_assigned_again(quantity)
                sure = is_once and quantity.of not in loops and _contradicts(quantity, known)
                outcome = FAILS if sure else UNJUDGED
                yield verdict(outcome, f"{quantity.of} is {values}")
            elif known and len(quantity.readings) == 1:
                yield verdict(HOLDS, f"variable {quantity.of}: {quantity.of} = {text}")
            elif length := counted.get((line, column), {}).get(text.split()[0]):
                yield verdict(HOLDS, length)
            elif index in odd:
                why = f"the others of this list are consecutive rows of {odd[index]}"
                yield verdict(UNJUDGED, why)
            elif quantity.is_vector:
                yield rows.vector(quantity)
            elif in_order.get(index):
                yield verdict(HOLDS, in_order[index], FOUND)
            elif why := self._failure_message(index, quantity, rows, in_order):
                yield verdict(UNJUDGED, why)
            elif not self.backing.backed(quantity):
                if how := self._derivation(quantity):
                    yield verdict(HOLDS, f"from this sentence: {how}", FOUND)
                    continue
                yield Check("number", line, text, UNJUDGED, self.backing.why(quantity), column)
            elif index in empty:
                yield verdict(UNJUDGED, "both ends of this range are the same number")
            elif index in misplaced:
                why = f"beside the same neighbours there is another number in {misplaced[index]}"
                yield verdict(UNJUDGED, why)
            elif why := self._contradiction(quantity, rows.apart.get(index, [])):
                yield verdict(UNJUDGED, why)
            else:
                yield verdict(HOLDS, self.backing.rests_on(quantity), FOUND)

    @cached_property
    def _numbers_by_sentence(self) -> dict[tuple[int, int] | None, list[Quantity]]:
        """The numbers of each sentence."""
        found: dict[tuple[int, int] | None, list[Quantity]] = {}
        for quantity in claims_of(self.seen.note).quantities:
            if quantity.sentence:
                found.setdefault(quantity.sentence, []).append(quantity)
        return found

    def _is_assigned_again(self, quantity: Quantity) -> bool:
        """Return whether the lines around a number assign to its name twice."""
        around = self.seen.note.lines[max(0, quantity.line - 2) : quantity.line + 1]
        assigned = rf"(?<![\w.]){re.escape(quantity.of)}\s*=(?!=)"
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

    def _failure_message(
        self, index: int, quantity: Quantity, rows: Rows, in_order: Mapping[int, str]
    ) -> str:
        """Return the message about a number in a row; empty if it is right."""
        if index in in_order:
            return "nothing on this page shows the fractions of this row in their order"
        if index in rows.swapped:
            return f"the order of this row differs in {rows.swapped[index]}"
        miss, is_sure = rows.misses.get(index, ("", False))
        if miss and (is_sure or not self.backing.is_written(quantity)):
            return f"all other numbers of this row are in {miss}"
        return ""

    def _contradiction(self, quantity: Quantity, pair: Sequence[Quantity]) -> str:
        """Return why a number is probably wrong although some output or variable has it.

        ``pair``: the number and the next one, if a sentence gives them together.
        """
        if beyond := self._number_at_bound(quantity):
            return f"{beyond} is not {quantity.bounds} than that"
        if named := self._named_otherwise(quantity):
            return f"{quantity.word} is {named}"
        if slip := self._number_with_other_digit(quantity):
            return (
                f"it is in {self.backing.rests_on(quantity)}, but the code nearest to it has {slip}"
            )
        if not all(map(self.backing.is_bound, pair)):
            return "nothing on this page shows or computes this and the next number side by side"
        return ""

    def _counted_lengths(self) -> dict[tuple[int, int], dict[str, str]]:
        """Return the lengths of arrays whose entries the text counts, by the place of the count."""
        found: dict[tuple[int, int], dict[str, str]] = {}
        for shape in claims_of(self.seen.note).shapes:
            own = [array[shape.subject] for _, array in self.seen.arrays if shape.subject in array]
            if shape.axis and own:
                lengths = {str(n) for array in own for n in (*array.shape, array.size)}
                axes = {n: f"variable {shape.subject}: {n} {shape.axis}" for n in lengths}
                found.setdefault((shape.line, shape.column), {}).update(axes)
        return found

    def _misplaced_numbers(self) -> dict[int, str]:
        """Return, by index, why numbers do not belong to their neighbours; see `together`."""
        of_arrays = [Row(row, source) for table, source in self.seen.tables for row in table]

        def rows(line: int) -> list[Row]:
            near = sorted(self.seen.lines, key=lambda one: abs(one[0] - line))[:NEAR]
            return [row for _, own in near for row in own] + of_arrays

        return misplaced_numbers(claims_of(self.seen.note).quantities, rows)

    def _number_with_other_digit(self, quantity: Quantity) -> str:
        """Return where a number nearby is one slip away: *output at line 9: 0.53* for 0.35.

        A slip is another digit, two digits exchanged, or a sign. Empty if there is none, or if an
        output or the code nearby has the number itself.
        """
        shown, in_code = self.backing.near(quantity), self.backing.in_code_near(quantity)
        if in_code is None or self.backing.is_quoted(quantity):
            return ""
        amounts = [amount for reading in quantity.readings for amount in reading]
        for amount in amounts:
            if amount.whole or amount.over or amount.digits < _TELLING:
                return ""
            if shown.rounds_to(amount) or in_code.rounds_to(amount):
                return ""
            if self.seen.stated.holds(amount):
                return ""
        for number in shown.numbers if amounts else ():
            if is_single_slip(amounts[0], number) and shown.decimals(number) >= amounts[0].decimals:
                return shown.source_of(number)
        return ""

    def _named_otherwise(self, quantity: Quantity) -> str:
        """Return the values that a word labels, if the number stated as its value is not one."""
        named = self.seen.labels.labelled_by(quantity.word)
        if (
            not named.numbers
            or self.backing.is_quoted(quantity)
            or any(
                reading and all(named.rounds_to(amount, counted=True) for amount in reading)
                for reading in quantity.readings
            )
        ):
            return ""
        return " or ".join(map(named.source_of, sorted(named.numbers)))

    def _number_at_bound(self, quantity: Quantity) -> str:
        """Return a number that rounds to 0.9 in *less than 0.9*, if no number is less."""
        amounts = [a for reading in quantity.readings[:1] for a in reading]
        if quantity.bounds not in ("less", "more") or not has_decimals(quantity):
            return ""
        (amount,) = amounts
        every = (self.backing.near(quantity), self.seen.shown, self.seen.bound, self.seen.elements)
        if self.seen.stated.holds(amount) or any(
            e.exact(amount, counted=True) is not None for e in every
        ):
            return ""
        beyond = ""
        for evidence in every:
            for wanted, _, slack in amount.wanted:
                for number in evidence.between(as_float(wanted - slack), as_float(wanted + slack)):
                    if (number < wanted) == (quantity.bounds == "less"):
                        return ""
                    beyond = beyond or evidence.source_of(number)
        return beyond

    def _values_of_name(self, quantity: Quantity) -> Evidence | None:
        """Return the values of a name above and below a number stated as its value."""
        found = [(line, v[quantity.of]) for line, v in self.seen.values if quantity.of in v]
        if "[" in quantity.of:
            name, _, place = quantity.of.rstrip("]").partition("[")
            index = tuple(map(int, place.split(",")))
            found = [
                (line, float(array[name][index]))
                for line, array in self.seen.arrays
                if name in array and _is_place(index, array[name].shape)
            ]
        above = [value for line, value in found if line < quantity.line]
        below = [value for line, value in found if line > quantity.line]
        if not found:
            return None
        known = Evidence()
        known.add({*above[-1:], *below[:1]}, f"variable {quantity.of}")
        return known


def _contradicts(quantity: Quantity, known: Evidence) -> bool:
    """Return whether a number contradicts the values of its name.

    In text without backticks, a letter may have another value for once, *on the Moon (g = 1.62)*,
    or another unit: only a number that differs in a digit is a slip there.
    """
    if quantity.is_of_code:
        return True
    amounts = [amount for reading in quantity.readings[:1] for amount in reading]
    scaled = [replace(a, scales=_THOUSANDS) if a.digits > 1 else a for a in amounts]
    if all(known.rounds_to(amount, counted=True) for amount in scaled):
        return False
    return any(is_single_slip(amount, number, 1) for amount in scaled for number in known.numbers)


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
