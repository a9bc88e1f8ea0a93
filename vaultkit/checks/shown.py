"""Writes values with the digits that a page shows, for the boxes of evidence."""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from typing import Any

from vaultkit.read.note import Note

#: A number with a point or exponent: the others are shown as they are.
_DECIMAL = re.compile(r"(?<![\w.])-?(?:\d+\.\d*(?:e[-+]?\d+)?|\d+e[-+]?\d+)(?![\w.])")
#: The decimals of a number without exponent.
_DECIMALS = re.compile(r"\d\.(\d+)(?![\de])")
#: An array of up to three axes, or code in backticks, within a text.
_WHOLE = re.compile(r"(`[^`]*`|\[(?:[^][`]|\[(?:[^][`]|\[[^][`]*\])*\])*\])")
#: Decimals where the page shows none, the most of the page, and the most to tell numbers apart.
_USUAL, _MOST, _FINEST = 2, 4, 12
#: Numbers from this one on, and below that one, are shown as powers of ten.
_LARGE, _SMALL = 1e6, 1e-4
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
#: Most numbers of an array in the place of its expression.
_LONGEST = 4
#: The relations of a comparison, as they are written between values, and how two numbers relate.
_EQUALITIES = (ast.Eq, ast.NotEq)
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def decimals_of(note: Note, statement: str = "") -> int:
    """Return the decimals with which a page shows values beside a statement.

    They are those of most numbers in its outputs, or those of the statement, if it has more.
    """
    own = [min(_MOST, len(decimals)) for decimals in _DECIMALS.findall(statement)]
    return max([_usual_decimals(tuple(b.output.text for b in note.blocks if b.output)), *own])


@lru_cache(maxsize=64)  # each statement of a note asks
def _usual_decimals(outputs: tuple[str, ...]) -> int:
    """Return the decimals of most numbers in outputs; of two that are as frequent, the larger."""
    counts = Counter(len(found) for text in outputs for found in _DECIMALS.findall(text))
    if not counts:
        return _USUAL
    return min(_MOST, max(counts, key=lambda decimals: (counts[decimals], decimals)))


def shortened(text: str, decimals: int) -> str:
    """Return a text with so many decimals in its numbers; code in backticks stays.

    Two numbers that differ get as many as it takes to tell them apart, and a small number as many
    as show two of its digits.

    Examples
    --------
    >>> shortened("`x[0.123]` is 0.4126739, the other 0.2", 2)
    '`x[0.123]` is 0.41, the other 0.2'
    >>> shortened("left 0.57009, right 0.57018; they differ by 4.41e-16", 2)
    'left 0.5701, right 0.5702; they differ by 4.4 × 10⁻¹⁶'
    >>> shortened("[[0.0012 1.    ] [0.25   0.0031]], [0.0012] and [0.5 1.]", 2)
    '[[0.00 1.00] [0.25 0.00]], [0.0012] and [0.5 1.0]'
    """
    pieces = _WHOLE.split(text)
    plain = " ".join(pieces[::2])
    numbers = {float(number) for number in _DECIMAL.findall(plain)}
    numbers = {number for number in numbers if math.isfinite(number)}
    while decimals < _FINEST and len({number_text(one, decimals) for one in numbers}) < len(
        numbers
    ):
        decimals += 1

    def shorten(piece: str) -> str:
        if piece.startswith("`"):
            return piece
        if piece.startswith("["):
            return _array_text(piece, decimals)
        return _DECIMAL.sub(lambda number: number_text(float(number[0]), decimals), piece)

    return "".join(map(shorten, pieces))


def number_text(value: float, decimals: int) -> str:
    """Return a number with so many decimals, or with those that show two of its digits.

    Examples
    --------
    >>> [number_text(value, 2) for value in (2.0, 0.5, 1 / 3, 0.99999, 0.00813, 12582912.0, -1e-9)]
    ['2', '0.5', '0.33', '1.00', '0.0081', '12582912', '−10⁻⁹']
    """
    size = abs(value)
    sign = "−" if value < 0 else ""
    if value == int(value) and size < 1e15:
        return f"{sign}{int(size)}"
    if size >= _LARGE or size < _SMALL:
        digits, _, power = f"{size:.1e}".partition("e")
        factor = "" if digits == "1.0" else f"{digits} × "
        return f"{sign}{factor}10{str(int(power)).translate(_SUPERSCRIPTS)}"
    decimals = max(decimals, 1 - math.floor(math.log10(size)))
    exact = repr(size)
    fixed = f"{size:.{decimals}f}"
    return sign + (exact if len(exact) < len(fixed) else fixed)


def _array_text(text: str, decimals: int) -> str:
    """Return an array with so many decimals, or with those that show two digits of its largest."""
    values = [float(number) for number in _DECIMAL.findall(text)]
    largest = max(map(abs, values), default=0.0)
    if all(value == int(value) for value in values if math.isfinite(value)) or largest >= _LARGE:
        return text
    finest = max(map(len, _DECIMALS.findall(text)), default=_FINEST)
    decimals = min(finest, max(decimals, 1 - math.floor(math.log10(largest))))
    fixed = _DECIMAL.sub(lambda number: f"{float(number[0]):.{decimals}f}", text)
    return re.sub(r"(?<=\[) +| +(?=\])|(?<= ) +", "", fixed)


def in_values(tree: ast.expr, values: Iterable[Any], decimals: int) -> str:
    """Return a comparison with the values of its sides in their place, as it is true for them.

    Parameters
    ----------
    tree
        The comparison.
    values
        The values of its sides as plain data (`vaultkit.checks.values.as_plain_data`).
    decimals
        The decimals of their numbers.

    Returns
    -------
    str
        Empty if a side has no value or a long one, or if it is not known how two sides relate.

    Examples
    --------
    >>> tree = ast.parse("a > b >= 1", mode="eval").body
    >>> in_values(tree, [Fraction(1, 3), Fraction(2), Fraction(1)], 2)
    '0.33 < 2 > 1'
    """
    assert isinstance(tree, ast.Compare)
    sides = list(values)
    if len(sides) <= len(tree.comparators):
        return ""
    pieces = [_short_text(sides[0], decimals)]
    for operation, left, right in zip(tree.ops, sides, sides[1:], strict=False):
        pieces += [_relation(operation, left, right), _short_text(right, decimals)]
    return shortened(" ".join(pieces), decimals) if all(pieces) else ""


def _short_text(value: Any, decimals: int) -> str:
    """Return a short value as text; empty if it is none."""
    match value:
        case bool() | str():
            return str(value)
        case Fraction():
            # Digits of fractions are chosen together, so that unequal numbers look unequal.
            return repr(float(value)) if value.denominator > 1 else number_text(float(value), 0)
        case list() if 0 < len(value) <= _LONGEST and all(isinstance(v, Fraction) for v in value):
            return f"[{', '.join(number_text(float(one), decimals) for one in value)}]"
    return ""


def _relation(operation: ast.cmpop, left: Any, right: Any) -> str:
    """Return the sign of the relation between two values; empty if it is not known."""
    if isinstance(operation, _EQUALITIES) and type(left) is type(right):
        return "=" if left == right else "≠"
    if (
        isinstance(operation, _ORDERS)
        and isinstance(left, Fraction)
        and isinstance(right, Fraction)
    ):
        return "<" if left < right else ">" if left > right else "="
    return ""
