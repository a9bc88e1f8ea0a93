"""Values of expressions as plain data, which cannot change when the note goes on."""

from __future__ import annotations

import datetime
import enum
import math
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

#: Most elements of a value that are looked at.
_MOST = 4096
#: Most characters of the text of a value.
_LONGEST = 200
#: A number of NumPy as it is written in a list: ``np.float64(0.5)``.
_SCALAR = re.compile(r"\bnp\.\w+\((?P<number>[-+.\w]+)\)")


def as_plain_data(value: Any) -> Any:
    """Return a value as a truth, number (`Fraction`), text, date, None, or a list of these.

    A number that is not finite becomes its text.

    Examples
    --------
    >>> as_plain_data(np.array([0.5, 2.0])), as_plain_data({"a": "b"})
    ([Fraction(1, 2), Fraction(2, 1)], ['b'])
    >>> as_plain_data(np.int8(3)), as_plain_data(float("nan"))
    (Fraction(3, 1), 'nan')
    """
    match value:
        case np.ndarray():  # an array of one element is its element
            if value.dtype == bool and value.size > 1:
                return [bool(one) for one in value.ravel()]
            return as_plain_data(
                value.item() if value.size == 1 else value.ravel()[:_MOST].tolist()
            )
        case np.datetime64():
            moment = value.astype("datetime64[s]").item()
            is_day = isinstance(moment, datetime.datetime) and moment.time() == datetime.time()
            return moment.date() if is_day else moment
        case np.generic():
            return as_plain_data(value.item())
        case enum.Enum():
            return value.name
        case bool() | str() | None | datetime.date() | datetime.time():
            return value
        case int() | Fraction():
            return Fraction(value)
        case float() | Decimal():
            return Fraction(value) if math.isfinite(value) else str(value)
        case complex():
            return as_plain_data(value.real) if value.imag == 0 else str(value)
        case datetime.timedelta():
            return as_plain_data(value.total_seconds())
        case Mapping():
            return [as_plain_data(one) for one in list(value.values())[:_MOST]]
        case list() | tuple() | set() | frozenset() | range():
            items = sorted(value, key=str) if isinstance(value, (set, frozenset)) else value
            return [one for item in list(items)[:_MOST] for one in _flat(as_plain_data(item))]
    if hasattr(value, "__array__"):
        return as_plain_data(np.asarray(value))
    if isinstance(value, Iterable):
        return [
            one
            for item, _ in zip(value, range(_MOST), strict=False)
            for one in _flat(as_plain_data(item))
        ]
    return str(value)


def _flat(value: Any) -> list[Any]:
    """Return a plain value as a list, so that lists in lists become one list."""
    return value if isinstance(value, list) else [value]


def truth(value: Any) -> bool | None:
    """Return the truth of a plain value, of all elements of an array; None if it has none.

    >>> truth(True), truth([True, False]), truth([]), truth("yes")
    (True, False, None, None)
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, list) and value and all(isinstance(one, bool) for one in value):
        return all(value)
    return None


def text_of(value: Any) -> str:
    """Return a short text of a value, for messages: ``0.333333`` for 1/3.

    >>> text_of([np.float64(0.5), 2])
    '[0.5, 2]'
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, np.ndarray):
        return np.array2string(value, precision=4, threshold=12, separator=", ")[:_LONGEST]
    if isinstance(value, (datetime.date, Fraction, Decimal)):
        return str(value)
    text = _SCALAR.sub(r"\g<number>", repr(value))
    return " ".join(text.split())[:_LONGEST]
