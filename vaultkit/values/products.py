"""Sums, products, quotients and powers of values, with their rounding errors.

The arrays of two operands are called ``a`` and ``b`` here, and their spreads (bounds on the
rounding error of each element, in units of the unit roundoff) ``s`` and ``t``. The error of a
product, for example, is at most ``|a| t + |b| s``, and that of its own rounding. `make_value` is
given the ``operands`` of each element, since an infinity that comes from none of them is an
overflow, and an error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from vaultkit.values.records import (
    DOUBLE,
    EXACT_BELOW,
    EvaluationError,
    ShapeError,
    Value,
    check_size,
    largest,
    make_value,
)

#: Condition number beyond which no digit of an inverse can be trusted, in double precision.
WORST_CONDITION = 1e12
#: Largest power of a matrix.
_MOST_MATRIX_POWER = 64


def growth_of_roundings(count: int) -> float:
    """Return the growth of rounding errors in a sum of ``count`` numbers, which partly cancel."""
    return min(float(count), 2 + 2 * math.sqrt(count))


def rounding_error(array: Any, *spreads: Any) -> Any:
    """Return the rounding error of an operation: 0 if integers give an exact integer."""
    size = np.abs(array)
    if any(spread.any() for spread in spreads):
        return size
    return np.where((size < EXACT_BELOW) & (array == np.rint(array)), 0.0, size)


def with_sizes(left: Value, right: Value) -> tuple[Value, Value]:
    """Return both operands; one without a size (`Value.unsized`) gets the size of the other."""
    if left.unsized and not right.unsized:
        return _with_size(left, right.shape), right
    if right.unsized and not left.unsized:
        return left, _with_size(right, left.shape)
    return left, right


def _with_size(value: Value, shape: tuple[int, ...]) -> Value:
    """Return an identity matrix or a vector of ones, of unknown size, in a given shape."""
    if value.unsized == "ones":
        if not shape:
            raise EvaluationError("a vector of ones beside a number: its length is not stated")
        if len(shape) != 1:
            raise EvaluationError("how long is the vector of ones? write \\mathbf{1}_n")
        array = value.array[..., None]
        return make_value(
            np.broadcast_to(array, array.shape[:-1] + shape), value.spread[..., None], 1, value,
            orientation=value.orientation,
        )  # fmt: skip
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise EvaluationError("how large is I? write I_n")
    eye = np.eye(shape[-1])
    return make_value(
        value.array[..., None, None] * eye, value.spread[..., None, None] * eye, 2, value
    )


def common_rank(left: Value, right: Value) -> int:
    """Return the rank of the result of an elementwise operation.

    Raises
    ------
    EvaluationError
        If their shapes differ, or one is a row and the other a column.
    """
    if left.rank and right.rank and left.shape != right.shape:
        short, long = sorted((left, right), key=lambda v: v.rank)
        # As in code, a vector is added to every row.
        if short.rank == long.rank or long.shape[-short.rank :] != short.shape:
            raise ShapeError(f"shapes {left.shape} and {right.shape} differ")
    if has_other_orientation(left, right):
        raise ShapeError("one is a row and the other a column")
    return max(left.rank, right.rank)


def has_other_orientation(left: Value, right: Value) -> bool:
    """Return whether one of two vectors is a row and the other a column."""
    return {left.orientation, right.orientation} == {"row", "column"}


def _of_pair(left: Value, right: Value, rank: int) -> dict[str, Any]:
    """Return the attributes of `Value` of an elementwise result that both operands decide.

    It is a sample if each operand is a sample or a number.
    """
    are_samples = all(value.sample or not value.rank for value in (left, right))
    orientation = left.orientation or right.orientation
    return {"orientation": orientation, "sample": are_samples and rank > 0}


def add(values: Sequence[Value], signs: Sequence[int]) -> Value:
    """Return the sum of values with signs, added from left to right."""
    total = values[0]
    if signs[0] < 0:
        total = total.with_changes(array=-total.array)
    if len(values) == 1:
        return total
    for sign, value in zip(signs[1:], values[1:], strict=True):
        total, value = with_sizes(total, value)
        unsized = total.unsized
        if unsized != value.unsized:
            raise EvaluationError("a vector of ones and I: how large are they?")
        rank = common_rank(total, value)
        (a, s), (b, t) = total.ranked(rank), value.ranked(rank)
        check_size(np.broadcast_shapes(a.shape, b.shape))
        array = a + sign * b
        spread = s + t + rounding_error(array, s, t)
        arrays = [v for v in (total, value) if v.rank]
        total = make_value(
            array, spread, rank, total, value, operands=(a, b), unsized=unsized,
            orientation=next((v.orientation for v in arrays if v.orientation), ""),
            sample=bool(arrays) and all(v.sample for v in arrays),
        )  # fmt: skip
    return total


def elementwise(left: Value, right: Value) -> Value:
    """Return the elementwise product."""
    left, right = with_sizes(left, right)
    rank = common_rank(left, right)
    (a, s), (b, t) = left.ranked(rank), right.ranked(rank)
    check_size(np.broadcast_shapes(a.shape, b.shape))
    array = a * b
    spread = np.abs(a) * t + np.abs(b) * s + rounding_error(array, s, t)
    return make_value(
        array, spread, rank, left, right, operands=(a, b), **_of_pair(left, right, rank)
    )


def divide(left: Value, right: Value) -> Value:
    """Return the quotient by a number, or the elementwise quotient."""
    if right.unsized:
        raise EvaluationError("a value of unknown size cannot be a divisor")
    if left.unsized and not right.rank:
        quotient = divide(left.with_changes(unsized=""), right)
        return quotient.with_changes(unsized=left.unsized, orientation=left.orientation)
    left, right = with_sizes(left, right)
    rank = common_rank(left, right)
    (a, s), (b, t) = left.ranked(rank), right.ranked(rank)
    check_size(np.broadcast_shapes(a.shape, b.shape))
    array = np.where(b == 0, np.nan, a / b)
    is_exact = (s == 0) & (t == 0) & (array == np.rint(array)) & (array * b == a)
    spread = s / np.abs(b) + np.abs(array / b) * t + np.where(is_exact, 0.0, np.abs(array))
    return make_value(
        array, spread, rank, left, right, operands=(a, b), **_of_pair(left, right, rank)
    )


def matmul(left: Value, right: Value) -> Value:
    """Return the matrix product; a vector is a row on the left, a column on the right."""
    columns, rows = left.shape[-1], right.shape[-2 if right.rank > 1 else -1]
    if columns != rows:
        raise ShapeError(
            f"shapes {left.shape} and {right.shape} cannot be multiplied: {columns} is not {rows}"
        )
    rank = max(left.rank, right.rank, 2)
    (a, s), (b, t) = _as_matrix(left, rank, new_axis=-2), _as_matrix(right, rank, new_axis=-1)
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    check_size((*lead, a.shape[-2], b.shape[-1]))
    size = np.abs(a) @ np.abs(b)
    spread = np.abs(a) @ t + s @ np.abs(b) + growth_of_roundings(columns) * size
    # The operands of an element are a row and a column: the largest number of each is enough.
    results = [a @ b, spread, largest(a, -1, keep=True), largest(b, -2, keep=True)]
    # The new axes of vectors are removed again.
    if left.rank == 1:
        results = [result[..., 0, :] for result in results]
    if right.rank == 1:
        results = [result[..., 0] for result in results]
    array, spread, row, column = results
    rank -= (left.rank == 1) + (right.rank == 1)
    orientation = left.orientation if left.rank == 1 else right.orientation
    return make_value(
        array, spread, rank, left, right, operands=(row, column),
        orientation=orientation if rank == 1 else "",
    )  # fmt: skip


def _as_matrix(value: Value, rank: int, new_axis: int) -> tuple[Any, Any]:
    """Return array and spread of a value with ``rank`` axes; a vector first gets a new one."""
    if value.rank == 1:
        value = value.with_changes(
            array=np.expand_dims(value.array, new_axis),
            spread=np.expand_dims(value.spread, new_axis),
            rank=2,
        )
    return value.ranked(rank)


def dot(left: Value, right: Value) -> Value:
    """Return the dot product of two vectors, or those of the rows of two matrices."""
    if left.shape != right.shape:
        raise ShapeError(f"vectors of {left.shape} and {right.shape} have no dot product")
    product = left.array * right.array
    size = np.abs(product)
    spread = np.abs(left.array) * right.spread + np.abs(right.array) * left.spread
    spread = spread.sum(-1) + growth_of_roundings(left.shape[-1]) * size.sum(-1)
    operands = [largest(side.array, -1) for side in (left, right)]
    return make_value(product.sum(-1), spread, left.rank - 1, left, right, operands=operands)


def outer(left: Value, right: Value) -> Value:
    """Return the outer product of two vectors."""
    a = left.with_changes(array=left.array[..., :, None], spread=left.spread[..., :, None], rank=2)
    b = right.with_changes(
        array=right.array[..., None, :], spread=right.spread[..., None, :], rank=2
    )
    shape = np.broadcast_shapes(a.array.shape, b.array.shape)
    check_size(shape)
    array = a.array * b.array
    spread = np.abs(a.array) * b.spread + np.abs(b.array) * a.spread + np.abs(array)
    return make_value(array, spread, 2, left, right, operands=(a.array, b.array))


def kronecker(left: Value, right: Value) -> Value:
    r"""Return the Kronecker product ``A \otimes B``; of two vectors, their outer product."""
    if left.rank == right.rank == 1:
        return outer(left.with_changes(orientation=""), right.with_changes(orientation=""))
    if left.rank != 2 or right.rank != 2:
        raise EvaluationError("\\otimes takes two vectors or two matrices")

    (m, n), (p, q) = left.shape, right.shape
    left_shape = (*left.array.shape[:-2], m, 1, n, 1)
    right_shape = (*right.array.shape[:-2], 1, p, 1, q)
    a, s = left.array.reshape(left_shape), left.spread.reshape(left_shape)
    b, t = right.array.reshape(right_shape), right.spread.reshape(right_shape)
    check_size(np.broadcast_shapes(a.shape, b.shape))
    array = a * b
    spread = np.abs(a) * t + np.abs(b) * s + np.abs(array)
    shape = (*array.shape[:-4], m * p, n * q)
    return make_value(array.reshape(shape), spread.reshape(shape), 2, left, right)


def multiply(left: Value, right: Value, op: str) -> tuple[Value, bool]:
    r"""Return the product for an operator, and whether the orientation of vectors mattered.

    ``op`` is empty for factors side by side, or a sign such as ``\cdot``, ``\times`` or ``\odot``.
    """
    if "eye" in (left.unsized, right.unsized):
        return _multiply_identity(left, right, op), False
    if left.unsized == "ones" and right.unsized == "ones":
        raise EvaluationError("how long are the vectors of ones? write \\mathbf{1}_n")
    # A vector of ones beside an array has the length that fits.
    if left.unsized == "ones" and right.rank:
        left = _with_size(left, right.shape[-2:-1] if right.rank > 1 else right.shape)
    elif right.unsized == "ones" and left.rank:
        right = _with_size(right, left.shape[-1:])
    elif left.unsized or right.unsized:  # ones and a number
        value = elementwise(left.with_changes(unsized=""), right.with_changes(unsized=""))
        return value.with_changes(
            unsized="ones", orientation=left.orientation or right.orientation
        ), False
    are_arrays = left.rank and right.rank
    are_samples = left.sample and right.sample
    if op == r"\odot" or are_samples or not are_arrays:
        return elementwise(left, right), False
    if op == "*":
        raise EvaluationError(r"which product does * mean? write \odot, \cdot or none")
    if op == r"\otimes":
        return kronecker(left, right), False
    if left.rank == right.rank == 1:
        return _multiply_vectors(left, right, op)
    if left.rank == 1 and left.orientation == "column":
        raise ShapeError("a column on the left of a matrix; transpose it")
    if right.rank == 1 and right.orientation == "row":
        raise ShapeError("a row on the right of a matrix; transpose it")
    vectors = [value for value in (left, right) if value.rank == 1]
    return matmul(left, right), any(vector.orientation for vector in vectors)


def _multiply_identity(left: Value, right: Value, op: str) -> Value:
    """Return a product with the identity matrix ``I``, which has the size of the other factor."""
    if op not in ("", r"\cdot", r"\times"):
        left, right = with_sizes(left, right)
        if left.unsized or right.unsized or op != r"\odot":
            raise EvaluationError("how large is I? write I_n")
        return elementwise(left, right)
    eye, other = (left, right) if left.unsized == "eye" else (right, left)
    array, spread = eye.ranked(other.rank)
    product = array * other.array
    error = np.abs(array) * other.spread + np.abs(other.array) * spread
    unsized = "eye" if other.unsized == "eye" or not other.rank else ""
    spread = np.broadcast_to(error, product.shape)
    return other.with_changes(array=product, spread=spread, unsized=unsized, half_unit=None)


def _multiply_vectors(left: Value, right: Value, op: str) -> tuple[Value, bool]:
    """Return the product of two vectors, and whether their orientation decided which product."""
    is_row_and_column = has_other_orientation(left, right)
    if op == r"\cdot" and not is_row_and_column:
        return dot(left, right), False
    if op == r"\times" or not is_row_and_column:
        raise EvaluationError(
            r"which product of two vectors? write q \cdot k, q^\top k or q k^\top"
        )
    return (dot if left.orientation == "row" else outer)(left, right), True


def power(base: Value, exponent: Value) -> Value:
    """Return a power, elementwise except for an integer power of a square matrix."""
    if exponent.rank or exponent.unsized:
        raise EvaluationError("an exponent is not a number")
    if base.unsized:
        raise EvaluationError("a power of a value of unknown size")
    is_whole = exponent.array.size == 1 and float(exponent.array.flat[0]) % 1 == 0
    if base.rank >= 2:
        if base.shape[-1] != base.shape[-2]:
            if (exponent.array == -1).all():
                raise EvaluationError(
                    f"only a square matrix has an inverse, and this is {base.shape}"
                )
            raise EvaluationError(f"a power of a matrix of shape {base.shape}; write the product")
        if not is_whole:
            raise EvaluationError("a power of a matrix that is not whole")
        return _matrix_power(base, int(exponent.array.flat[0]))
    return _scalar_power(base, exponent)


def _scalar_power(base: Value, exponent: Value) -> Value:
    """Return ``base ** exponent`` for each element, with the error that both spreads cause."""
    a, s = base.array, base.spread
    b, t = exponent.ranked(base.rank)
    if b.size == 1 and not t.any():
        n = float(b.flat[0])
        array = a * a if n == 2 else a**b  # a square is faster, and exact for integers
        one_lower = a if n == 2 else a ** (b - 1)
        error = np.abs(n * one_lower) * s  # the derivative n a^(n - 1)
    else:
        # The relative error of a^b is b times that of a, and ln a times the error of b.
        array = a**b
        relative = np.abs(b) * s / np.abs(a) + np.abs(np.log(np.abs(a))) * t
        error = np.abs(array) * np.where(np.isnan(relative), 0.0, relative)
    spread = error + rounding_error(array, s, t)
    if (b < 0).any():  # a division by zero
        array = np.where((a == 0) & (b < 0), np.nan, array)
    return make_value(
        array, spread, base.rank, base, exponent,
        operands=(a, b), orientation=base.orientation, sample=base.sample,
    )  # fmt: skip


def _matrix_power(base: Value, exponent: int) -> Value:
    """Return a whole power of a square matrix, the inverse for negative exponents."""
    if abs(exponent) > _MOST_MATRIX_POWER:
        raise EvaluationError("a matrix to a power beyond 64")
    if exponent < 0:
        base = inverse(base)
    result = make_value(
        np.broadcast_to(np.eye(base.shape[-1]), base.array.shape), 0.0, base.rank, base
    )
    for _ in range(abs(exponent)):
        result = matmul(result, base)
    return result


def inverse(value: Value) -> Value:
    """Return the inverse of a matrix."""
    worst_condition = WORST_CONDITION * DOUBLE / value.unit
    is_finite = np.isfinite(value.array).all()
    if not is_finite or (np.linalg.cond(value.array) > worst_condition).any():
        raise EvaluationError("the matrix has no inverse, or none that can be computed")
    array = np.linalg.inv(value.array)
    # An error E of A changes the inverse by about A⁻¹ E A⁻¹.
    size = np.abs(array)
    error = value.spread + value.shape[-1] * np.abs(value.array)
    return make_value(array, size @ error @ size, value.rank, value)
