"""Compares numbers in a row, *0.15, 0.23 and 0.22* or *(2, −1)*, with outputs and arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vaultkit.checks.check import FOUND, UNJUDGED, Check
from vaultkit.checks.lookup import is_rounding
from vaultkit.checks.observed import ROW, Observed
from vaultkit.checks.together import is_single_slip
from vaultkit.claims.amounts import Amount, Quantity, as_float
from vaultkit.claims.claims import claims_of

#: A row of so many numbers is not found by chance: if all but one are found in order, that one is
#: wrong, even if another place of the note has it.
_SURE = 4


class Rows:
    """Searches outputs and arrays for the rows of numbers in the text.

    Parameters
    ----------
    seen
        Everything that the note shows, computes and states.
    """

    def __init__(self, seen: Observed) -> None:
        self.seen = seen
        #: By the index of a number: for a row found except for one number, that number, with the
        #: number and source in its place, and whether the row is long enough to be sure; for a row
        #: in brackets that is found in another order, its first number, with the source.
        self.misses: dict[int, tuple[str, bool]] = {}
        self.swapped: dict[int, str] = {}
        #: Pairs in brackets whose numbers are nowhere side by side.
        self.apart: dict[int, list[Quantity]] = {}

    def in_order(self) -> dict[int, str]:
        """Return the source of each number that is part of a row found in an output or array.

        A row of fractions that is found nowhere is included with an empty source, since each single
        fraction could be found by chance.
        """
        found: dict[int, str] = {}
        row: list[int] = []
        for index, quantity in enumerate((*claims_of(self.seen.note).quantities, None)):
            if quantity is None or not quantity.goes_on:
                if len(row) >= ROW:
                    quantities = [claims_of(self.seen.note).quantities[n] for n in row]
                    source = self._sequence(quantities)
                    fractions = all(q.readings[0] and q.readings[0][0].over for q in quantities)
                    found.update(dict.fromkeys(row, source) if source or fractions else {})
                    if not source and len(row) > ROW and (miss := self._near_miss(quantities)):
                        self.misses[row[miss[0]]] = miss[1], len(row) >= _SURE
                    bracketed = not source and quantities[0].opens and quantities[-1].closes
                    if bracketed and (source := self._run_in_other_order(quantities)):
                        self.swapped[row[0]] = source
                    if bracketed and len(row) == ROW and any(map(has_decimals, quantities)):
                        self.apart[row[0]] = quantities
                        if miss := self._slip_of_pair(quantities):
                            self.misses[row[miss[0]]] = miss[1], True
                row = []
            row.append(index)
        return found

    def _sequence(self, row: list[Quantity]) -> str:
        return next((source for source, _, _ in self._similar_runs(row, 0)), "")

    def _near_miss(self, row: list[Quantity]) -> tuple[int, str] | None:
        """Return the index of the only number that differs from a source, and the source."""
        return next(((wrong[0], source) for source, wrong, _ in self._similar_runs(row, 1)), None)

    def _slip_of_pair(self, row: list[Quantity]) -> tuple[int, str] | None:
        """Return the index of a pair's number with one wrong digit, and the pair's source."""
        if any(all(_is_among(q, numbers) for q in row) for numbers, _ in self.seen.sequences):
            return None
        for source, wrong, run in self._similar_runs(row, 1):
            (place,) = wrong
            beside = row[1 - place].readings[0][0]
            if beside.digits > 1 and is_single_slip(row[place].readings[0][0], run[place], 1):
                return place, source
        return None

    def _run_in_other_order(self, row: list[Quantity]) -> str:
        """Return *source: numbers* of the first run with the numbers of a row in another order.

        It is empty if there is none, if a source has them in their order, or for two numbers.
        """
        amounts = [q.readings[0][0] for q in row if q.readings[0]]
        if len(row) <= ROW or len(amounts) < len(row):
            return ""
        wanted = [(as_float(a.value), as_float(a.unit / 2) * (1 + 1e-9)) for a in amounts]
        found = ""
        for numbers, source in self.seen.sequences:
            for start in range(len(numbers) - len(row) + 1):
                run = numbers[start : start + len(row)]
                if _are_within(run, wanted):
                    return ""
                if not found and _are_within(sorted(run), sorted(wanted)):
                    found = f"{source}: {', '.join(f'{number:.6g}' for number in run)}"
        return found

    def _similar_runs(
        self, row: list[Quantity], most: int
    ) -> Iterator[tuple[str, list[int], Sequence[float]]]:
        """Yield where at most ``most`` numbers of a row differ: source, their indices, the run."""
        amounts = [q.readings[0][0] for q in row if q.readings[0]]
        if len(amounts) < len(row) or not any(a.over or 0 < a.unit < 1 for a in amounts):
            return
        reach = [max(as_float(a.unit / 2) * (1 + 1e-9), 1e-12) for a in amounts]
        wanted = [(as_float(a.value), far, a) for a, far in zip(amounts, reach, strict=True)]

        def fits(number: float, value: float, slack: float, amount: Amount) -> bool:
            """Return whether a number is within the slack of a value, or rounds its fraction."""
            if abs(number - value) <= slack:
                return True
            return bool(amount.over) and is_rounding(number, amount.value)

        written = [(list(row), source) for row, source in self.seen.rows.items()]
        for numbers, source in (*self.seen.sequences, *written):
            for start in range(len(numbers) - len(row) + 1):
                if not most and not fits(numbers[start], *wanted[0]):
                    continue
                run = numbers[start : start + len(row)]
                wrong: list[int] = []
                for place, (number, one) in enumerate(zip(run, wanted, strict=True)):
                    if not fits(number, *one):
                        wrong.append(place)
                        if len(wrong) > most:
                            break
                else:
                    yield f"{source}: {', '.join(f'{n:.6g}' for n in run)}", wrong, run

    def odd_vectors(self) -> dict[int, str]:
        """Return the only vector of a list that is not found in order, by index, and the source."""
        lists: list[list[int]] = []
        for index, quantity in enumerate(claims_of(self.seen.note).quantities):
            if quantity.is_vector:
                if not (quantity.goes_on and lists):
                    lists.append([])
                lists[-1].append(index)
        odd: dict[int, str] = {}
        for found in lists:
            vectors = [_row(claims_of(self.seen.note).quantities[index]) for index in found]
            if len(vectors) > ROW and (miss := self._one_off(vectors)):
                odd[found[miss[0]]] = miss[1]
        return odd

    def _one_off(self, vectors: list[tuple[float, ...]]) -> tuple[int, str] | None:
        """Return the index of the only vector that is not a row of an array, and the array."""
        near = None
        for rows, source in self.seen.tables:
            for start in range(len(rows) - len(vectors) + 1):
                pairs = zip(rows[start : start + len(vectors)], vectors, strict=True)
                wrong = [n for n, (row, vector) in enumerate(pairs) if row != vector]
                if not wrong:
                    return None
                if len(wrong) == 1:
                    near = near or (wrong[0], source)
        return near

    def vector(self, quantity: Quantity) -> Check:
        """Return the check of a vector: whether an array, the code or an output has it as a row."""
        where = ("number", quantity.line, quantity.text)
        row = _row(quantity)
        source = self.seen.rows.get(row) or self.seen.made.get(row, "")
        for numbers, shown in self.seen.sequences:
            if not source and any(
                tuple(numbers[at : at + len(row)]) == row for at in range(len(numbers))
            ):
                source = shown
        if source:
            why = f"{source}: {quantity.text}"
            return Check(*where, why=why, column=quantity.column, scope=FOUND)
        why = f"nothing on this page shows or computes {quantity.text}"
        return Check(*where, UNJUDGED, why, quantity.column)


def _is_among(quantity: Quantity, numbers: Sequence[float]) -> bool:
    """Return whether some of the numbers rounds to a quantity."""
    wanted = quantity.readings[0][0].wanted
    return any(abs(n - value) <= slack for n in numbers for _, value, slack in wanted)


def _row(quantity: Quantity) -> tuple[float, ...]:
    return tuple(float(amount.value) for amount in quantity.readings[0])


def has_decimals(quantity: Quantity) -> bool:
    """Return whether a number is written with decimals."""
    return any(0 < amount.unit < 1 for amount in (quantity.readings or ((),))[0])


def _are_within(numbers: Sequence[float], wanted: Sequence[tuple[float, float]]) -> bool:
    """Return whether all numbers are within the tolerances of the wanted ones."""
    return all(abs(n - value) <= far for n, (value, far) in zip(numbers, wanted, strict=True))
