"""Computes with integers and fractions of any size, where floats would round."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np

from vaultkit.tex.tree import Apply, Function, Node, Number, Power, Product, Sum, Symbol

#: Largest number whose factorial is computed.
_MOST_FACTORIAL = 3000
#: Most bits of a number that is computed.
_MOST_BITS = 100_000
#: Most bits of a number that is shown with all its digits.
_LONGEST = 140
RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "≠": operator.ne, "<": operator.lt, "≤": operator.le, ">": operator.gt,
    "≥": operator.ge,
}  # fmt: skip


def as_floats(array: Any) -> Any:
    """Return an array as floats if its elements are fractions, decimals or large integers."""
    has_objects = array.dtype.kind == "O" and array.size
    if has_objects and all(isinstance(thing, (Rational, Decimal)) for thing in array.ravel()):
        return array.astype(float)
    return array


def exact_value(node: Node, variables: Mapping[str, Any]) -> Fraction | None:
    r"""Return the value of a node; None if it contains anything but integers and fractions.

    >>> from vaultkit.tex import parse_expression
    >>> exact_value(parse_expression(r"2^{64} - \frac{1}{3}"), {}) == 2**64 - Fraction(1, 3)
    True
    >>> exact_value(parse_expression("x + 0.5"), {"x": 1})
    """
    try:
        return _value(node, variables)
    except (_InexactError, ArithmeticError, ValueError):
        return None


def format_fraction(value: Fraction) -> str:
    """Return a fraction as text; a very long one is rounded.

    >>> format_fraction(Fraction(1, 3)), format_fraction(Fraction(10**400 + 1))
    ('1/3', '1e+400')
    """
    if max(abs(value.numerator), value.denominator).bit_length() < _LONGEST:
        return str(value)
    with localcontext(prec=6, Emax=MAX_EMAX, Emin=MIN_EMIN):
        return f"{(Decimal(value.numerator) / Decimal(value.denominator)).normalize():.6g}"


class _InexactError(Exception):
    """A node whose value is not known exactly."""


def _value(node: Node, variables: Mapping[str, Any]) -> Fraction:
    """Return the exact value of a node; raise _InexactError if a part of it is not rational."""

    def value_of(part: Node) -> Fraction:
        return _value(part, variables)

    match node:
        case Number(text) if text.isdigit():
            return Fraction(int(text))
        case Symbol(name):
            thing = variables.get(name)
            if isinstance(thing, (Rational, np.integer)) and not isinstance(thing, bool):
                return Fraction(int(thing)) if isinstance(thing, np.integer) else Fraction(thing)
        case Sum(terms):
            return sum((sign * value_of(term) for sign, term in terms), Fraction(0))
        case Product("" | r"\cdot" | r"\times" | "*", left, right):
            return _bounded(value_of(left) * value_of(right))
        case Product("/", left, right):
            return _bounded(value_of(left) / value_of(right))
        case Power(base, exponent):
            number, power = value_of(base), value_of(exponent)
            bits = max(number.numerator.bit_length(), number.denominator.bit_length())
            if power.denominator == 1 and bits * abs(power) <= _MOST_BITS:
                return number ** int(power)
        case Apply(Function("factorial"), (argument,)):
            value = value_of(argument)
            if value.denominator == 1 and 0 <= value <= _MOST_FACTORIAL:
                return Fraction(math.factorial(int(value)))
        case Apply(Function("binom"), (above, below)):
            n, k = value_of(above), value_of(below)
            if n.denominator == k.denominator == 1 and 0 <= k <= n <= _MOST_FACTORIAL:
                return Fraction(math.comb(int(n), int(k)))
    raise _InexactError  # also from the cases above whose condition does not hold


def _bounded(value: Fraction) -> Fraction:
    """Return a fraction; raise _InexactError if it is too long to compute with."""
    if value.numerator.bit_length() + value.denominator.bit_length() > _MOST_BITS:
        raise _InexactError
    return value
