"""Finds numbers that follow from others of their sentence: *from 12 to 31 loaves, 19 more*.

Such a number needs no line of an output: a reader can calculate it. Numbers that may easily agree
by chance are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations

from vaultkit.claims.amounts import Amount, Quantity

#: The least digits of a number that follows from the only two others of its sentence: it must be
#: their sum or difference, and all three must be integers.
_LEAST = 2
#: The least digits of a number that may follow from any two, by any operation.
_SURE = 3
#: Most other numbers of its sentence that are combined.
_MOST = 4


def derivation(quantity: Quantity, others: Sequence[Quantity]) -> str:
    """Return how a number follows from others; empty if it does not.

    A bound follows from nothing, nor does a number whose first reading is a list of numbers.

    Examples
    --------
    >>> from vaultkit.claims.claims import claims_of
    >>> from vaultkit.read.markdown import parse
    >>> *others, last = claims_of(parse("It rose from 12 to 31, by 19.")).quantities
    >>> derivation(last, others)
    '31 − 12'
    """
    if not _is_single(quantity) or quantity.is_bound:
        return ""
    amount = quantity.readings[0][0]
    known = [(q.text, q.readings[0][0]) for q in others if _is_single(q)][:_MOST]
    is_pair = len(known) == 2
    if amount.denominator or amount.digits < (_LEAST if is_pair else _SURE):
        return ""
    for text, value, is_exact in _results(known):
        if amount.digits < _SURE and not (is_exact and amount.is_integer):
            continue
        if any(abs(value - accepted.value) <= accepted.tolerance for accepted in amount.accepted):
            return text
    return ""


def _is_single(quantity: Quantity) -> bool:
    """Return whether the first reading of a number is one amount."""
    return bool(quantity.readings) and len(quantity.readings[0]) == 1


def _results(known: Sequence[tuple[str, Amount]]) -> Iterator[tuple[str, Fraction, bool]]:
    """Yield results with their expressions, and whether they add or subtract integers."""
    for (a, one), (b, other) in combinations(known, 2):
        whole = one.is_integer and other.is_integer
        yield f"{a} + {b}", one.value + other.value, whole
        yield f"{a} × {b}", one.value * other.value, False
    for (a, one), (b, other) in permutations(known, 2):
        whole = one.is_integer and other.is_integer
        if one.value > other.value:
            yield f"{a} − {b}", one.value - other.value, whole
        if other.value:
            yield f"{a} / {b}", one.value / other.value, False
            yield f"{a} / {b} − 1", one.value / other.value - 1, False
            yield f"1 − {a} / {b}", 1 - one.value / other.value, False
    for a, one in known:
        if one.value:
            yield f"1 / {a}", 1 / one.value, False
