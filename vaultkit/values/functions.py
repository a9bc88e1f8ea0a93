"""The built-in functions, reductions and norms of formulas.

Each returns a `Value`: an array with its rank, and its ``spread``, a bound on the rounding error of
each element in units of the unit roundoff. The last ``rank`` axes of an array are its own; those
before them belong to the indices of the statement, and stay.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from vaultkit.values.products import dot, growth_of_roundings, inverse
from vaultkit.values.records import (
    EXACT_BELOW,
    EvaluationError,
    SizeError,
    Value,
    largest,
    make_value,
)

#: Relative distance within which a number counts as an integer.
WHOLE = 2.0**-40
#: Error bound beyond which a sine is unknown: that of 10²⁰ can be anything.
UNKNOWN = 0.1
_PERIODIC = (np.sin, np.cos, np.tan)
#: Largest argument of a factorial and of a binomial coefficient, whose values fit a float.
_MOST_FACTORIAL, _MOST_BINOMIAL = 170, 1000
#: Largest identity matrix and vector of ones.
_LARGEST_EYE, _LONGEST_ONES = 4000, 1_000_000
#: A determinant of integers below this, with at most this error, is rounded to an integer.
_LARGEST_ROUNDED_DET, _DET_ERROR = 2**40, 0.1
#: In place of a largest singular value of 0.
_TINY = 1e-300


def apply(function: Callable[[Any], Any], value: Value) -> Value:
    """Apply a function to each element, and propagate the rounding error through it."""
    x = value.array
    array = np.asarray(function(x))
    error = value.spread * value.unit
    change = np.fmax(np.abs(function(x + error) - array), np.abs(function(x - error) - array))
    # The change by the error of the argument, and two roundings of the function itself.
    spread = np.where(np.isfinite(change), change, 0.0) / value.unit + 2 * np.abs(array)
    if function in _PERIODIC:
        array = np.where(change > UNKNOWN, np.nan, array)
    # Only the logarithm of 0 may be infinite.
    operands = () if function is np.log else (x,)
    return make_value(
        array,
        spread,
        value.rank,
        value,
        operands=operands,
        orientation=value.orientation,
        sample=value.sample,
    )


def _round_with(function: Callable[[Any], Any], value: Value) -> Value:
    """Apply floor or ceiling.

    A value within its rounding error of an integer counts as that integer; `WHOLE` allows for
    errors that are not tracked.
    """
    nearest = np.rint(value.array)
    slack = value.spread * value.unit + WHOLE * np.abs(value.array)
    is_whole = np.abs(value.array - nearest) <= slack
    array = np.where(is_whole, nearest, function(value.array))
    return make_value(array, 0.0, value.rank, value, orientation=value.orientation)


def _sign(value: Value) -> Value:
    array = np.sign(value.array)
    return make_value(array, 0.0, value.rank, value, orientation=value.orientation)


def _factorial(value: Value) -> Value:
    """Return n! as a float; it is exact below `EXACT_BELOW`."""
    if value.rank:
        raise EvaluationError("a factorial needs a number")
    if ((value.array < 0) | (value.array % 1 != 0) | (value.array > _MOST_FACTORIAL)).any():
        raise EvaluationError("a factorial needs a whole number from 0 to 170")
    array = np.vectorize(lambda n: float(math.factorial(int(n))), otypes=[float])(value.array)
    return make_value(array, np.where(array < EXACT_BELOW, 0.0, array), 0, value)


def binomial(n: Value, k: Value) -> Value:
    """Return the binomial coefficient, n over k."""
    numbers = np.stack(np.broadcast_arrays(n.array, k.array))
    are_allowed = (numbers >= 0) & (numbers % 1 == 0) & (numbers <= _MOST_BINOMIAL)
    if n.rank or k.rank or not are_allowed.all():
        raise EvaluationError("\\binom takes whole numbers from 0 to 1000")
    choose = np.vectorize(lambda n, k: float(math.comb(int(n), int(k))), otypes=[float])
    array = choose(*numbers)
    return make_value(array, np.where(array < EXACT_BELOW, 0.0, array), 0, n, k)


def root(value: Value, order: Value) -> Value:
    """Return the root of a given order, 2 for the square root."""
    n = _whole_number(order)
    if n is None or n < 2:
        raise EvaluationError("the order of a root must be a whole number from 2 on")

    def root_of(x: Any) -> Any:
        if n % 2:  # a negative number has an odd root
            return np.copysign(np.abs(x) ** (1 / n), x)
        return np.where(x < 0, np.nan, x) ** (1 / n)

    return apply(root_of, value)


def _whole_number(value: Value) -> int | None:
    """Return a value as an integer; None if it is not one whole number."""
    if value.rank or value.array.size != 1 or value.array.flat[0] % 1:
        return None
    return int(value.array.flat[0])


def modulo(left: Value, right: Value) -> Value:
    """Return the remainder of a division of integers."""
    rank = max(left.rank, right.rank)
    wholes = []
    for side in (left, right):
        array, spread = side.ranked(rank)
        whole = np.rint(array)
        # Floats count as integers within their rounding errors.
        are_integers = np.abs(array - whole) <= spread * side.unit
        if side.unsized or not are_integers.all():
            raise EvaluationError("\\bmod takes whole numbers")
        wholes.append(whole)
    dividend, divisor = wholes
    if (divisor == 0).any():
        raise EvaluationError("\\bmod takes whole numbers")
    return make_value(np.mod(dividend, divisor), 0.0, rank, left, right)


def inner(left: Value, right: Value) -> Value:
    r"""Return the inner product, ``\langle q, k \rangle``."""
    if left.rank != 1 or right.rank != 1:
        raise EvaluationError("\\langle q, k \\rangle takes two vectors")
    return dot(left, right)


def _require_matrix(value: Value, name: str, square: bool = True) -> None:
    """Raise EvaluationError unless a value is a matrix, and square if that is needed."""
    if value.rank != 2 or (square and value.shape[0] != value.shape[1]):
        kind = "a square matrix" if square else "a matrix"
        raise SizeError(f"{name} needs {kind}, and this has shape {value.shape}")


def _diag(value: Value) -> Value:
    """Return the diagonal of a matrix, or the diagonal matrix of a vector."""
    if value.rank == 2:
        _require_matrix(value, "the diagonal")
        i = np.arange(value.shape[0])
        return make_value(value.array[..., i, i], value.spread[..., i, i], 1, value)
    if value.rank != 1:
        raise EvaluationError("diag needs a vector or a square matrix")
    eye = np.eye(value.shape[0])
    array = np.where(eye == 1, value.array[..., :, None], 0.0)
    return make_value(array, value.spread[..., :, None] * eye, 2, value)


def _trace(value: Value) -> Value:
    _require_matrix(value, "the trace")
    return total(_diag(value), (-1,))


def _over_all_elements(name: str, value: Value) -> Value:
    """Return the sum, mean or median of all elements."""
    if not value.rank or not math.prod(value.shape):
        raise EvaluationError(f"{name} needs an array")
    axes = tuple(range(-value.rank, 0))
    if name == "median":
        return make_value(np.median(value.array, axes), value.spread.max(axes), 0, value)
    summed = total(value, axes)
    if name == "sum":
        return summed
    count = math.prod(value.shape)
    mean = summed.array / count
    return make_value(mean, summed.spread / count + np.abs(mean), 0, value)


def _rank(value: Value) -> Value:
    """Return the rank of a matrix: the number of singular values above their rounding errors."""
    _require_matrix(value, "the rank", square=False)
    if not np.isfinite(value.array).all():
        raise EvaluationError("the rank of a matrix that is not finite")
    singular = np.linalg.svd(value.array, compute_uv=False)
    size = max(value.shape)
    # The errors of the elements, and those of the decomposition.
    given = (value.spread.max() + size) * value.unit * max(singular.max(), _TINY)
    computed = singular.max(-1, keepdims=True) * size * 4 * value.unit
    is_above = singular > np.maximum(given, computed)
    return make_value(is_above.sum(-1).astype(float), 0.0, 0, value)


def _det(value: Value) -> Value:
    """Return the determinant; that of integers is rounded to an integer if its error is small."""
    _require_matrix(value, "the determinant")
    array = np.linalg.det(value.array)
    # Hadamard's bound: no determinant exceeds the product of the lengths of its rows.
    lengths = np.sqrt((value.array**2).sum(-1))
    spread = value.shape[0] ** 2 * lengths.prod(-1)
    has_integers = (value.spread == 0).all() and (value.array == np.rint(value.array)).all()
    is_small = np.abs(array).max() < _LARGEST_ROUNDED_DET
    if has_integers and is_small and spread.max() * value.unit < _DET_ERROR:
        array, spread = np.rint(array), np.zeros_like(array)
    return make_value(array, spread, 0, value)


def _eye(value: Value) -> Value:
    """Return the identity matrix of the given size."""
    n = _whole_number(value)
    if n is None:
        raise EvaluationError("I_n needs one whole number")
    if not 1 <= n <= _LARGEST_EYE:
        raise EvaluationError("I_n is too large, or too small")
    lead = (1,) * value.array.ndim
    return make_value(np.eye(n).reshape((*lead, n, n)), 0.0, 2, value)


def ones(value: Value) -> Value:
    """Return a vector of ones of a given length."""
    n = _whole_number(value)
    if n is None:
        raise EvaluationError("the length of a vector of ones is one whole number")
    if not 1 <= n <= _LONGEST_ONES:
        raise EvaluationError("a vector of ones that is too long, or too short")
    return make_value(np.ones((1,) * value.array.ndim + (n,)), 0.0, 1, value)


def percent(value: Value) -> Value:
    """Return a value divided by 100, with half a unit of its last digit divided, too."""
    half_unit = None if value.half_unit is None else value.half_unit / 100
    return value.with_changes(
        array=value.array / 100,
        spread=value.spread / 100 + np.abs(value.array / 100),
        half_unit=half_unit,
    )


def degrees(value: Value) -> Value:
    """Return an angle in radians, given it in degrees."""
    radians = math.pi / 180
    array = value.array * radians
    return make_value(array, value.spread * radians + 2 * np.abs(array), value.rank, value)


def total(value: Value, axes: Sequence[int], keep: bool = False) -> Value:
    """Return the sum along axes; with ``keep``, these stay, with the length 1.

    Negative axes are the value's own, unless there are more of them than its rank.
    """
    count = math.prod(value.array.shape[axis] for axis in axes)
    array = value.array.sum(axis=tuple(axes), keepdims=keep)
    size = np.abs(value.array).sum(axis=tuple(axes), keepdims=keep)
    # A sum of integers is not rounded.
    is_exact = not value.spread.any() and (size < EXACT_BELOW) & (array == np.rint(array))
    spread = value.spread.sum(axis=tuple(axes), keepdims=keep)
    spread = spread + np.where(is_exact, 0.0, growth_of_roundings(count) * size)
    own_axes = [axis for axis in axes if axis < 0 and -axis <= value.rank]
    rank = value.rank - len(own_axes)
    operands = (largest(value.array, tuple(axes), keep),)
    return make_value(array, spread, rank, value, operands=operands, sample=value.sample,
                orientation=value.orientation)  # fmt: skip


def reduce(kind: str, value: Value, axis: int, numbers: Any) -> Value:
    """Reduce along the axis of an index to a sum, product or extreme; keep it with length 1.

    ``kind`` is ``sum``, ``prod``, ``max``, ``min``, ``argmax`` or ``argmin``; ``numbers`` are those
    of the index, one of which is the result of the last two.
    """
    if kind == "sum":
        return total(value, (axis,), keep=True)
    array, spread = value.array, value.spread
    if kind == "prod":
        product = array.prod(axis=axis, keepdims=True)
        relative = np.where(array == 0, 0.0, spread / np.abs(array)).sum(axis=axis, keepdims=True)
        is_exact = not spread.any() and (np.abs(product) < EXACT_BELOW) & (
            product == np.rint(product)
        )
        bound = np.where(is_exact, 0.0, np.abs(product) * (relative + array.shape[axis]))
        operands = (largest(array, axis, keep=True),)
        return make_value(product, bound, value.rank, value, operands=operands)
    arg_function = np.argmax if kind.endswith("max") else np.argmin
    place = np.expand_dims(arg_function(array, axis=axis), axis)
    if kind.startswith("arg"):
        if value.rank:
            raise EvaluationError(f"{kind} of a vector has no number")
        is_missing = np.isnan(array).any(axis=axis, keepdims=True)
        number = np.where(is_missing, np.nan, np.take(numbers.ravel(), place))
        return make_value(number, 0.0, 0, value)
    return make_value(
        np.take_along_axis(array, place, axis), np.take_along_axis(spread, place, axis),
        value.rank, value, orientation=value.orientation, sample=value.sample,
    )  # fmt: skip


def extreme(kind: str, values: Sequence[Value]) -> Value:
    """Return the elementwise maximum or minimum of several values, or that within one value."""
    if len(values) == 1:
        (value,) = values
        if not value.rank:
            raise EvaluationError(f"\\{kind} of one number")
        if not math.prod(value.shape):
            raise EvaluationError(f"\\{kind} of an array without elements")
        # All of its own axes become one, which is reduced like that of an index.
        shape_of_indices = value.array.shape[: value.array.ndim - value.rank]
        shape = (*shape_of_indices, math.prod(value.shape))
        flat = value.with_changes(
            array=value.array.reshape(shape), spread=value.spread.reshape(shape), rank=0
        )
        result = reduce(kind, flat, -1, np.zeros(()))
        return make_value(result.array[..., 0], result.spread[..., 0], 0, value)
    rank = max(value.rank for value in values)
    array, spread = values[0].ranked(rank)
    for value in values[1:]:
        b, t = value.ranked(rank)
        is_kept = (array >= b) if kind == "max" else (array <= b)
        is_missing = np.isnan(array) | np.isnan(b)
        array, spread = np.where(is_kept, array, b), np.where(is_kept, spread, t)
        array = np.where(is_missing, np.nan, array)
    orientation = next((value.orientation for value in values if value.orientation), "")
    return make_value(array, spread, rank, *values, orientation=orientation)


def _absolute(value: Value) -> Value:
    """Return the absolute values; the result is computed, so it shows no digits."""
    return value.with_changes(array=np.abs(value.array), half_unit=None)


def norm(kind: str, value: Value) -> Value:
    """Return a norm, or the absolute value; ``kind`` is that of `vaultkit.tex.tree.Norm`.

    Without a subscript (``""``), it is the Euclidean norm of a vector and the Frobenius norm of a
    matrix.
    """
    if kind == "abs":
        if value.rank:
            raise EvaluationError(
                "the bars | | are for numbers; for arrays write \\lVert x \\rVert"
            )
        return _absolute(value)
    if not value.rank:
        raise EvaluationError("the norm of a number; write | |")
    if value.rank > 1 and kind not in ("", "F"):
        raise EvaluationError("of matrices, only the Frobenius norm is known; write _F")
    if kind == "F" and value.rank == 1:
        raise EvaluationError("the Frobenius norm needs a matrix")
    axes = tuple(range(-value.rank, 0))
    size = np.abs(value.array)
    absolute = value.with_changes(array=size, orientation="", sample=False)
    if kind == "1":
        return total(absolute, axes)
    if kind == "infty":
        return extreme("max", [absolute])
    if kind in ("", "2", "F"):
        array = np.sqrt((size**2).sum(axis=axes))
        error_of_elements = np.sqrt((value.spread**2).sum(axis=axes))
        spread = error_of_elements + growth_of_roundings(math.prod(value.shape)) * array
        return make_value(array, spread, 0, value, operands=(largest(size, axes),))
    if kind == "0":
        raise EvaluationError("the norm 0 counts what is not 0, which rounding hides")
    raise EvaluationError(f"the norm {kind} is not known; known are 1, 2, \\infty and F")


def concatenate(values: Sequence[Value]) -> Value:
    """Concatenate arrays along their last axis."""
    rank = values[0].rank
    are_alike = all(value.rank == rank and not value.unsized for value in values)
    if not rank or not are_alike:
        raise SizeError("arrays that are joined must have the same axes")
    lead = np.broadcast_shapes(*(v.array.shape[:-1] for v in values))
    parts = [np.broadcast_to(v.array, lead + v.shape[-1:]) for v in values]
    spreads = [np.broadcast_to(v.spread, lead + v.shape[-1:]) for v in values]
    return make_value(
        np.concatenate(parts, -1),
        np.concatenate(spreads, -1),
        rank,
        *values,
        orientation=values[0].orientation,
    )


#: Functions of one argument, by their names in formulas.
FUNCTIONS: dict[str, Callable[[Value], Value]] = {
    **{name: partial(apply, getattr(np, name)) for name in
       ("exp", "log", "sqrt", "sin", "cos", "tan", "tanh", "sinh", "cosh", "arccos", "arcsin",
        "arctan")},
    "ln": partial(apply, np.log),
    "abs": _absolute,
    "sgn": _sign,
    "floor": partial(_round_with, np.floor), "ceil": partial(_round_with, np.ceil),
    "factorial": _factorial, "percent": percent, "degrees": degrees, "eye": _eye, "ones": ones,
    "diag": _diag, "tr": _trace, "Tr": _trace, "rank": _rank, "det": _det, "inv": inverse,
    "sign": _sign,
    **{name: partial(_over_all_elements, name) for name in ("sum", "mean", "median")},
    "max": lambda value: extreme("max", [value]), "min": lambda value: extreme("min", [value]),
}  # fmt: skip
#: Functions of two arguments.
BINARY: dict[str, Callable[[Value, Value], Value]] = {
    "binom": binomial, "root": root, "inner": inner,
}  # fmt: skip
#: Functions of a matrix whose value is a number.
OF_MATRICES = {"rank", "det", "tr", "Tr"}
#: Functions that a formula may write as a word, if the note does not define that name.
WORDS = {"exp", "log", "ln", "sqrt", "sin", "cos", "tan", "tanh", "sinh", "cosh", "arccos",
         "arcsin", "arctan", "abs", "sgn", "diag", "tr", "Tr", "rank", "det", "inv", "max", "min",
         "floor", "ceil", "sign", "sum", "mean", "median"}  # fmt: skip
