"""The built-in functions, reductions and norms of formulas."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from vaultkit.values.products import dot, inverse, roundings
from vaultkit.values.records import EvaluationError, Value, largest, made

#: Relative distance within which a number counts as an integer.
WHOLE = 2.0**-40
#: Error bound beyond which a sine is unknown: that of 10²⁰ can be anything.
UNKNOWN = 0.1
_TURNING = (np.sin, np.cos, np.tan)


def apply(function: Callable[[Any], Any], value: Value) -> Value:
    """Apply a function to each element, and propagate the rounding error through it."""
    x = value.array
    array = np.asarray(function(x))
    delta = value.spread * value.unit
    moved = np.fmax(np.abs(function(x + delta) - array), np.abs(function(x - delta) - array))
    spread = np.where(np.isfinite(moved), moved, 0.0) / value.unit + 2 * np.abs(array)
    if function in _TURNING:
        array = np.where(moved > UNKNOWN, np.nan, array)
    # Only the logarithm of 0 may be infinite.
    operands = () if function is np.log else (x,)
    return made(
        array,
        spread,
        value.rank,
        value,
        operands=operands,
        orientation=value.orientation,
        sample=value.sample,
    )


def _rounded(function: Callable[[Any], Any], value: Value) -> Value:
    """Apply floor or ceiling.

    A value within its rounding error of an integer counts as that integer.
    """
    nearest = np.rint(value.array)
    slack = value.spread * value.unit + WHOLE * np.abs(value.array)
    near = np.abs(value.array - nearest) <= slack
    array = np.where(near, nearest, function(value.array))
    return made(array, 0.0, value.rank, value, orientation=value.orientation)


def _sign(value: Value) -> Value:
    array = np.sign(value.array)
    return made(array, 0.0, value.rank, value, orientation=value.orientation)


def _factorial(value: Value) -> Value:
    """Return n! as a float; it is exact below 2**53."""
    if value.rank:
        raise EvaluationError("a factorial needs a number")
    if ((value.array < 0) | (value.array % 1 != 0) | (value.array > 170)).any():
        raise EvaluationError("a factorial needs a whole number from 0 to 170")
    array = np.vectorize(lambda n: float(math.factorial(int(n))), otypes=[float])(value.array)
    return made(array, np.where(array < 2**53, 0.0, array), 0, value)


def binomial(above: Value, below: Value) -> Value:
    """Return the binomial coefficient."""
    values = np.broadcast_arrays(above.array, below.array)
    if above.rank or below.rank or any(((v < 0) | (v % 1 != 0) | (v > 1000)).any() for v in values):
        raise EvaluationError("\\binom takes whole numbers from 0 to 1000")
    choose = np.vectorize(lambda n, k: float(math.comb(int(n), int(k))), otypes=[float])
    array = choose(*values)
    return made(array, np.where(array < 2**53, 0.0, array), 0, above, below)


def root(value: Value, order: Value) -> Value:
    """Return the root of a given order, 2 for the square root."""
    if order.rank or order.array.size != 1 or order.array.flat[0] % 1 or order.array.flat[0] < 2:
        raise EvaluationError("the order of a root must be a whole number from 2 on")
    n = int(order.array.flat[0])

    def take(x: Any) -> Any:
        return np.copysign(np.abs(x) ** (1 / n), x) if n % 2 else np.where(x < 0, np.nan, x) ** (
            1 / n
        )  # fmt: skip

    return apply(take, value)


def modulo(left: Value, right: Value) -> Value:
    """Return the remainder of a division of integers."""
    rank = max(left.rank, right.rank)
    (a, s), (b, t) = left.ranked(rank), right.ranked(rank)
    # Floats count as integers within their rounding errors.
    near = np.abs(a - np.rint(a)) <= s * left.unit, np.abs(b - np.rint(b)) <= t * right.unit
    a, b = np.rint(a), np.rint(b)
    if left.unsized or right.unsized or not all(n.all() for n in near) or (b == 0).any():
        raise EvaluationError("\\bmod takes whole numbers")
    return made(np.mod(a, b), 0.0, rank, left, right)


def inner(left: Value, right: Value) -> Value:
    r"""Return the inner product, ``\langle q, k \rangle``."""
    if left.rank != 1 or right.rank != 1:
        raise EvaluationError("\\langle q, k \\rangle takes two vectors")
    return dot(left, right)


def _matrix_only(value: Value, name: str, square: bool = True) -> None:
    if value.rank != 2 or (square and value.shape[0] != value.shape[1]):
        kind = "a square matrix" if square else "a matrix"
        raise EvaluationError(f"{name} needs {kind}, and this has shape {value.shape}")


def _diag(value: Value) -> Value:
    """Return the diagonal of a matrix, or the diagonal matrix of a vector.

    The axes before the last ``rank`` ones belong to indices, and stay.
    """
    if value.rank == 2:
        _matrix_only(value, "the diagonal")
        pick = np.arange(value.shape[0])
        return made(value.array[..., pick, pick], value.spread[..., pick, pick], 1, value)
    if value.rank != 1:
        raise EvaluationError("diag needs a vector or a square matrix")
    eye = np.eye(value.shape[0])
    array = np.where(eye == 1, value.array[..., :, None], 0.0)
    return made(array, value.spread[..., :, None] * eye, 2, value)


def _trace(value: Value) -> Value:
    _matrix_only(value, "the trace")
    return total(_diag(value), (-1,))


def _whole(name: str, value: Value) -> Value:
    """Return the sum, mean or median of all elements."""
    if not value.rank or not math.prod(value.shape):
        raise EvaluationError(f"{name} needs an array")
    own = tuple(range(-value.rank, 0))
    if name == "median":
        return made(np.median(value.array, own), value.spread.max(own), 0, value)
    summed = total(value, own)
    if name == "sum":
        return summed
    count = math.prod(value.shape)
    return made(
        summed.array / count, summed.spread / count + np.abs(summed.array / count), 0, value
    )


def _rank(value: Value) -> Value:
    """Return the rank of a matrix: the number of singular values above their rounding errors."""
    _matrix_only(value, "the rank", square=False)
    if not np.isfinite(value.array).all():
        raise EvaluationError("the rank of a matrix that is not finite")
    singular = np.linalg.svd(value.array, compute_uv=False)
    known = (value.spread.max() + max(value.shape)) * value.unit * max(singular.max(), 1e-300)
    bound = np.maximum(known, singular.max(-1, keepdims=True) * max(value.shape) * 4 * value.unit)
    return made((singular > bound).sum(-1).astype(float), 0.0, 0, value)


def _det(value: Value) -> Value:
    """Return the determinant.

    That of an integer matrix is rounded to an integer if its error is small.
    """
    _matrix_only(value, "the determinant")
    array = np.linalg.det(value.array)
    rows = np.sqrt((value.array**2).sum(-1))
    spread = value.shape[0] ** 2 * rows.prod(-1)
    exact = (value.spread == 0).all() and (value.array == np.rint(value.array)).all()
    if exact and np.abs(array).max() < 2**40 and spread.max() * value.unit < 0.1:
        array, spread = np.rint(array), np.zeros_like(array)
    return made(array, spread, 0, value)


def _eye(value: Value) -> Value:
    """Return the identity matrix of the given size."""
    if value.rank or value.array.size != 1 or value.array.flat[0] % 1:
        raise EvaluationError("I_n needs one whole number")
    n = int(value.array.flat[0])
    if not 1 <= n <= 4000:
        raise EvaluationError("I_n is too large, or too small")
    lead = (1,) * value.array.ndim
    return made(np.eye(n).reshape((*lead, n, n)), 0.0, 2, value)


def ones(value: Value) -> Value:
    """Return a vector of ones of a given length."""
    if value.rank or value.array.size != 1 or value.array.flat[0] % 1:
        raise EvaluationError("the length of a vector of ones is one whole number")
    n = int(value.array.flat[0])
    if not 1 <= n <= 1_000_000:
        raise EvaluationError("a vector of ones that is too long, or too short")
    return made(np.ones((1,) * value.array.ndim + (n,)), 0.0, 1, value)


def percent(value: Value) -> Value:
    """Return a value divided by 100, with half a unit of its last digit divided, too."""
    half_unit = None if value.half_unit is None else value.half_unit / 100
    return value.but(
        array=value.array / 100,
        spread=value.spread / 100 + np.abs(value.array / 100),
        half_unit=half_unit,
    )


def degrees(value: Value) -> Value:
    """Return an angle in radians, given it in degrees."""
    turn = math.pi / 180
    array = value.array * turn
    return made(array, value.spread * turn + 2 * np.abs(array), value.rank, value)


def total(value: Value, axes: Sequence[int], keep: bool = False) -> Value:
    """Return the sum along axes; with ``keep``, these stay, with the length 1."""
    count = math.prod(value.array.shape[axis] for axis in axes)
    array = value.array.sum(axis=tuple(axes), keepdims=keep)
    size = np.abs(value.array).sum(axis=tuple(axes), keepdims=keep)
    exact = not value.spread.any() and (size < 2**53) & (array == np.rint(array))
    spread = value.spread.sum(axis=tuple(axes), keepdims=keep)
    spread = spread + np.where(exact, 0.0, roundings(count) * size)
    rank = value.rank - sum(axis < 0 and -axis <= value.rank for axis in axes)
    operands = (largest(value.array, tuple(axes), keep),)
    return made(array, spread, rank, value, operands=operands, sample=value.sample,
                orientation=value.orientation)  # fmt: skip


def reduce(kind: str, value: Value, axis: int, numbers: Any) -> Value:
    """Reduce along the axis of an index to a sum, product or extreme; keep it with length 1."""
    if kind == "sum":
        return total(value, (axis,), keep=True)
    array, spread = value.array, value.spread
    if kind == "prod":
        product = array.prod(axis=axis, keepdims=True)
        relative = np.where(array == 0, 0.0, spread / np.abs(array)).sum(axis=axis, keepdims=True)
        exact = not spread.any() and (np.abs(product) < 2**53) & (product == np.rint(product))
        bound = np.where(exact, 0.0, np.abs(product) * (relative + array.shape[axis]))
        operands = (largest(array, axis, keep=True),)
        return made(product, bound, value.rank, value, operands=operands)
    missing = np.isnan(array).any(axis=axis, keepdims=True)
    pick = np.argmax if kind.endswith("max") else np.argmin
    place = np.expand_dims(pick(array, axis=axis), axis)
    if kind.startswith("arg"):
        if value.rank:
            raise EvaluationError(f"{kind} of a vector has no number")
        return made(np.where(missing, np.nan, np.take(numbers.ravel(), place)), 0.0, 0, value)
    return made(
        np.take_along_axis(array, place, axis), np.take_along_axis(spread, place, axis),
        value.rank, value, orientation=value.orientation, sample=value.sample,
    )  # fmt: skip


def extreme(kind: str, values: Sequence[Value]) -> Value:
    """Return the elementwise maximum or minimum of several values, or that within one value."""
    if len(values) == 1:
        (value,) = values
        if not value.rank:
            raise EvaluationError(f"\\{kind} of one number")
        own = math.prod(value.shape)
        lead = value.array.shape[: value.array.ndim - value.rank]
        flat = value.but(
            array=value.array.reshape((*lead, own)),
            spread=value.spread.reshape((*lead, own)),
            rank=0,
        )
        found = reduce(kind, flat, -1, np.zeros(()))
        return made(found.array[..., 0], found.spread[..., 0], 0, value)
    rank = max(value.rank for value in values)
    array, spread = values[0].ranked(rank)
    for value in values[1:]:
        b, t = value.ranked(rank)
        first = (array >= b) if kind == "max" else (array <= b)
        missing = np.isnan(array) | np.isnan(b)
        array, spread = np.where(first, array, b), np.where(first, spread, t)
        array = np.where(missing, np.nan, array)
    orientation = next((value.orientation for value in values if value.orientation), "")
    return made(array, spread, rank, *values, orientation=orientation)


def norm(kind: str, value: Value) -> Value:
    """Return a norm, or the absolute value."""
    if kind == "abs":
        if value.rank:
            raise EvaluationError(
                "the bars | | are for numbers; for arrays write \\lVert x \\rVert"
            )
        return value.but(array=np.abs(value.array), half_unit=None)
    if not value.rank:
        raise EvaluationError("the norm of a number; write | |")
    if value.rank > 1 and kind not in ("", "F"):
        raise EvaluationError("of matrices, only the Frobenius norm is known; write _F")
    if kind == "F" and value.rank == 1:
        raise EvaluationError("the Frobenius norm needs a matrix")
    axes = tuple(range(-value.rank, 0))
    size = np.abs(value.array)
    absolute = value.but(array=size, orientation="", sample=False)
    if kind == "1":
        return total(absolute, axes)
    if kind == "infty":
        return extreme("max", [absolute])
    if kind in ("", "2", "F"):
        array = np.sqrt((size**2).sum(axis=axes))
        brought = np.sqrt((value.spread**2).sum(axis=axes))
        count = math.prod(value.shape)
        operands = (largest(size, axes),)
        return made(array, brought + roundings(count) * array, 0, value, operands=operands)
    if kind == "0":
        raise EvaluationError("the norm 0 counts what is not 0, which rounding hides")
    raise EvaluationError(f"the norm {kind} is not known; known are 1, 2, \\infty and F")


def concatenate(values: Sequence[Value]) -> Value:
    """Concatenate arrays along their last axis."""
    rank = values[0].rank
    if not rank or any(value.rank != rank or value.unsized for value in values):
        raise EvaluationError("arrays that are joined must have the same axes")
    lead = np.broadcast_shapes(*(v.array.shape[:-1] for v in values))
    parts = [np.broadcast_to(v.array, lead + v.shape[-1:]) for v in values]
    spreads = [np.broadcast_to(v.spread, lead + v.shape[-1:]) for v in values]
    return made(
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
    "abs": lambda value: value.but(array=np.abs(value.array), half_unit=None),
    "sgn": _sign,
    "floor": partial(_rounded, np.floor), "ceil": partial(_rounded, np.ceil),
    "factorial": _factorial, "percent": percent, "degrees": degrees, "eye": _eye, "ones": ones,
    "diag": _diag, "tr": _trace, "Tr": _trace, "rank": _rank, "det": _det, "inv": inverse,
    "sign": _sign,
    **{name: partial(_whole, name) for name in ("sum", "mean", "median")},
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
