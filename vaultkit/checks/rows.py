"""Numbers in a row, as *0.15, 0.23 and 0.22* or *(2, −1)*: some output or array has such a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vaultkit.checks.check import FAILS, Check
from vaultkit.checks.lookup import is_rounding
from vaultkit.checks.observed import ROW, Observed
from vaultkit.checks.together import is_edit
from vaultkit.claims.claims import claims_of
from vaultkit.claims.quantities import Amount, Quantity, as_float

#: How many make one that is no other row by chance: where all but one of them are found, that one
#: is wrong, though it may stand elsewhere.
_SURE = 4


class Rows:
    """Lays the rows of a text beside those of outputs and arrays.

    Parameters
    ----------
    seen
        What the note shows, computes and states.
    """

    def __init__(self, seen: Observed) -> None:
        self.seen = seen
        #: Of rows that are found but for one number, which number that is, what stands there, and
        #: whether that is enough; of rows in brackets in another order, the first number.
        self.misses: dict[int, tuple[str, bool]] = {}
        self.swapped: dict[int, str] = {}
        #: Two numbers in brackets that stand side by side nowhere else.
        self.apart: dict[int, list[Quantity]] = {}

    def in_order(self) -> dict[int, str]:
        """Find the numbers that stand in a row, as they do in an output or an array, and which.

        A fraction is one of few numbers, of which a page has most: a row of them must be a row
        there, too, and is told with nothing if it is not.
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
                    if bracketed and (told := self._permuted(quantities)):
                        self.swapped[row[0]] = told
                    if bracketed and len(row) == ROW and any(map(has_decimals, quantities)):
                        self.apart[row[0]] = quantities
                        if miss := self._slip_of_pair(quantities):
                            self.misses[row[miss[0]]] = miss[1], True
                row = []
            row.append(index)
        return found

    def _sequence(self, row: list[Quantity]) -> str:
        return next((told for told, _, _ in self._runs(row, 0)), "")

    def _near_miss(self, row: list[Quantity]) -> tuple[int, str] | None:
        """Find the one number of a row that is another one where all others are found."""
        return next(((wrong[0], told) for told, wrong, _ in self._runs(row, 1)), None)

    def _slip_of_pair(self, row: list[Quantity]) -> tuple[int, str] | None:
        """Find the one of two numbers in brackets that is but a digit away from its place."""
        if any(all(_held(q, numbers) for q in row) for numbers, _ in self.seen.sequences):
            return None
        for told, wrong, run in self._runs(row, 1):
            (place,) = wrong
            beside = row[1 - place].readings[0][0]
            if beside.digits > 1 and is_edit(row[place].readings[0][0], run[place], 1):
                return place, told
        return None

    def _permuted(self, row: list[Quantity]) -> str:
        """Find a row with the same numbers in another order, where none has them in this one."""
        amounts = [q.readings[0][0] for q in row if q.readings[0]]
        if len(row) <= ROW or len(amounts) < len(row):
            return ""
        wanted = [(as_float(a.value), as_float(a.unit / 2) * (1 + 1e-9)) for a in amounts]
        told = ""
        for numbers, source in self.seen.sequences:
            for start in range(len(numbers) - len(row) + 1):
                run = numbers[start : start + len(row)]
                if _are(run, wanted):
                    return ""
                if not told and _are(sorted(run), sorted(wanted)):
                    told = f"{source}: {', '.join(f'{number:.6g}' for number in run)}"
        return told

    def _runs(
        self, row: list[Quantity], most: int
    ) -> Iterator[tuple[str, list[int], Sequence[float]]]:
        """Lay a row beside all numbers in their order; tell where, and which of it differ."""
        amounts = [q.readings[0][0] for q in row if q.readings[0]]
        if len(amounts) < len(row) or not any(a.over or 0 < a.unit < 1 for a in amounts):
            return
        reach = [max(as_float(a.unit / 2) * (1 + 1e-9), 1e-12) for a in amounts]
        wanted = [(as_float(a.value), far, a) for a, far in zip(amounts, reach, strict=True)]

        def fits(number: float, value: float, far: float, amount: Amount) -> bool:
            near = abs(number - value) <= far
            return near or bool(amount.over and is_rounding(number, amount.value))

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
        """Find the one vector of a list that is another one where all others are found in order."""
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
        """Tell which vector alone is no row of an array that has all others, and of which array."""
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
        """Tell whether some array has a row like this, or code or an output shows it."""
        where = ("number", quantity.line, quantity.text)
        row = _row(quantity)
        source = self.seen.rows.get(row) or self.seen.made.get(row, "")
        for numbers, shown in self.seen.sequences:
            if not source and any(
                tuple(numbers[at : at + len(row)]) == row for at in range(len(numbers))
            ):
                source = shown
        if source:
            return Check(*where, why=f"{source}: {quantity.text}", column=quantity.column)
        why = f"nothing on this page shows or computes {quantity.text}"
        return Check(*where, FAILS, why, quantity.column)


def _held(quantity: Quantity, numbers: Sequence[float]) -> bool:
    wanted = quantity.readings[0][0].wanted
    return any(abs(n - value) <= slack for n in numbers for _, value, slack in wanted)


def _row(quantity: Quantity) -> tuple[float, ...]:
    return tuple(float(amount.value) for amount in quantity.readings[0])


def has_decimals(quantity: Quantity) -> bool:
    """Return whether a number is written with decimals."""
    return any(0 < amount.unit < 1 for amount in (quantity.readings or ((),))[0])


def _are(numbers: Sequence[float], wanted: Sequence[tuple[float, float]]) -> bool:
    """Tell whether numbers are those that are wanted, each as near as it has to be."""
    return all(abs(n - value) <= far for n, (value, far) in zip(numbers, wanted, strict=True))
