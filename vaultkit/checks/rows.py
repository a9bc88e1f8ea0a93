"""Finds numbers in a row, *0.15, 0.23 and 0.22* or *(2, −1)*, in outputs and arrays."""

from __future__ import annotations

from collections.abc import Sequence

from vaultkit.checks.check import FOUND, UNJUDGED, Check
from vaultkit.checks.lookup import is_rounding
from vaultkit.checks.observed import Observed
from vaultkit.claims.amounts import Amount, Quantity, as_float
from vaultkit.claims.claims import claims_of

#: The least number of numbers in a row that is searched as a whole.
_ROW = 2


class Rows:
    """Searches outputs and arrays for the rows of numbers in the text.

    A row is a list of numbers in a sentence, or a vector in brackets.

    Parameters
    ----------
    seen
        Everything that the note shows, computes and states.
    """

    def __init__(self, seen: Observed) -> None:
        self.seen = seen

    def in_order(self) -> dict[int, str]:
        """Return the source of each number that is part of a row found in an output or array.

        The keys are indices into the numbers of the note. A row of fractions that is found nowhere
        is included with an empty source, since each single fraction could be found by chance.
        """
        sources: dict[int, str] = {}
        quantities = claims_of(self.seen.note).quantities
        rows: list[list[int]] = []
        for index, quantity in enumerate(quantities):
            if rows and quantity.continues_list:
                rows[-1].append(index)
            else:
                rows.append([index])
        for indices in rows:
            row = [quantities[index] for index in indices]
            if len(row) < _ROW:
                continue
            source = self._source_of_row(row)
            are_fractions = all(q.readings[0] and q.readings[0][0].denominator for q in row)
            if source or are_fractions:
                sources.update(dict.fromkeys(indices, source))
        return sources

    def _source_of_row(self, row: Sequence[Quantity]) -> str:
        """Return the first output or array that has a row in order, and its numbers there.

        It is empty if there is none, or if the row has only whole numbers, which many rows have.
        """
        amounts = [q.readings[0][0] for q in row if q.readings[0]]
        if len(amounts) < len(row) or not any(a.denominator or 0 < a.step < 1 for a in amounts):
            return ""
        written = [(list(numbers), source) for numbers, source in self.seen.rows.items()]
        for numbers, source in (*self.seen.sequences, *written):
            for start in range(len(numbers) - len(row) + 1):
                run = numbers[start : start + len(row)]
                if all(map(_shows, run, amounts)):
                    return f"{source}: {', '.join(f'{number:.6g}' for number in run)}"
        return ""

    def vector(self, quantity: Quantity) -> Check:
        """Return the check of a vector: whether an array, the code or an output has it as a row."""
        where = ("number", quantity.line, quantity.text)
        row = tuple(float(amount.value) for amount in quantity.readings[0])
        source = self.seen.rows.get(row) or self.seen.made.get(row, "")
        if not source:
            has_row = (
                where_shown
                for numbers, where_shown in self.seen.sequences
                if any(tuple(numbers[at : at + len(row)]) == row for at in range(len(numbers)))
            )
            source = next(has_row, "")
        if source:
            why = f"{source}: {quantity.text}"
            return Check(*where, why=why, column=quantity.column, scope=FOUND)
        why = f"nothing on this page shows or computes {quantity.text}"
        return Check(*where, UNJUDGED, why, quantity.column)


def _shows(number: float, amount: Amount) -> bool:
    """Return whether a number has the digits of the text, or rounds its fraction."""
    # Half a unit of the last digit, and no less than an error of rounding.
    tolerance = max(as_float(amount.step / 2) * (1 + 1e-9), 1e-12)
    if abs(number - as_float(amount.value)) <= tolerance:
        return True
    return bool(amount.denominator) and is_rounding(number, amount.value)
