"""The records of the evaluator: values with error bounds, verdicts, errors."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

#: Most elements of an intermediate array, most terms of a sum, most indices of a statement, and
#: most values of indices for which a function of the note is called.
MOST_NUMBERS, MOST_TERMS, MOST_INDICES, MOST_CALLS = 20_000_000, 1_000_000, 12, 10_000
#: Unit roundoff, by the number of bytes of a float.
ROUNDOFFS = {2: 2.0**-11, 4: 2.0**-24, 8: 2.0**-53}
DOUBLE = ROUNDOFFS[8]
#: Floats have all integers below it.
EXACT_BELOW = 2**53
#: Units of measurement that may follow a number, and are not names of variables.
MEASURES = frozenset({
    "s", "ms", "us", "µs", "ns", "min", "h", "d", "B", "kB", "KB", "MB", "GB", "TB", "KiB", "MiB",
    "GiB", "TiB", "bytes", "byte", "bits", "bit", "Hz", "kHz", "MHz", "GHz", "m", "cm", "mm",
    "km", "g", "kg", "W", "kW", "V", "A", "J", "K", "eV", "FLOPs", "FLOP", "seconds",
    "milliseconds", "hours", "days", "tokens",
})  # fmt: skip


class UnboundError(LookupError):
    """A symbol that is not bound by any block."""


class EvaluationError(ValueError):
    """A formula that cannot be evaluated on these values."""


class SizeError(EvaluationError):
    """A formula that cannot be evaluated on arrays of these sizes."""


class ShapeError(SizeError):
    """Arrays in a formula whose shapes do not fit each other."""


#: Messages of NumPy about sizes that do not fit.
_OF_SIZES = re.compile("core dimension|broadcast|not aligned|inhomogeneous shape")


def is_about_sizes(error: BaseException | None) -> bool:
    """Return whether an error, or its cause, is that sizes of arrays do not fit."""
    if isinstance(error, (SizeError, IndexError)):
        return True
    if isinstance(error, EvaluationError):
        return is_about_sizes(error.__cause__)
    return isinstance(error, ValueError) and bool(_OF_SIZES.search(str(error)))


@dataclass(frozen=True)
class Verdict:
    """Whether a statement holds, with the facts shown to readers.

    Attributes
    ----------
    why
        Why it fails; empty if it holds.
    bound
        The variables on which it was judged, with their shapes.
    left, right
        Short texts of the sides of the relation that fails, or of the last one.
    difference, place
        The largest difference between the sides, and its position.
    span
        The span in the TeX of the right side of the relation that fails.
    evaluated
        Whether it fails because a relation does not hold, or shapes do not fit; not because
        something cannot be evaluated.
    rounds
        Whether it fails only because a decimal number behind ``=`` is rounded to the digits that it
        shows.
    unfit
        Whether the sizes of its arrays do not fit.
    """

    holds: bool
    why: str = ""
    bound: tuple[str, ...] = ()
    left: str = ""
    right: str = ""
    difference: float = 0.0
    place: str = ""
    span: tuple[int, int] = (0, 0)
    evaluated: bool = True
    rounds: bool = False
    unfit: bool = False


@dataclass(frozen=True)
class Value:
    """An array with a bound on the rounding error of each element.

    The last ``rank`` axes are the axes of the value itself; those before them belong to the indices
    of the statement, one axis for each.

    Attributes
    ----------
    spread
        The bound for each element, in units of ``unit``: its error is at most ``spread * unit``.
        It is computed by running error analysis: each operation propagates the bounds of its
        operands, and adds the size of its result.
    unit
        The unit roundoff of the least precise floating-point type among the operands.
    orientation
        Whether a vector is a ``row`` or a ``column``; empty if it may be either.
    half_unit
        Half a unit in the last digit of a number that is written out.
    sample
        Whether the value's own axes run over the members of a sample, one number for each.
    unsized
        ``ones`` or ``eye`` for a multiple of the vector of ones or of the identity matrix, whose
        size is that of the other operand; else empty.
    """

    array: Any
    spread: Any
    rank: int
    unit: float = DOUBLE
    orientation: str = ""
    half_unit: float | None = None
    sample: bool = False
    unsized: str = ""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape without the axes of the indices."""
        return tuple(self.array.shape[self.array.ndim - self.rank :])

    def ranked(self, rank: int) -> tuple[Any, Any]:
        """Return array and spread with ``rank`` own axes: those inserted have length 1."""
        if rank == self.rank:
            return self.array, self.spread
        shape_of_indices = self.array.shape[: self.array.ndim - self.rank]
        shape = shape_of_indices + (1,) * (rank - self.rank) + self.shape
        return self.array.reshape(shape), self.spread.reshape(shape)

    def with_changes(self, **changes: Any) -> Value:
        """Return a copy with some attributes replaced."""
        return replace(self, **changes)


def check_size(shape: Sequence[int]) -> tuple[int, ...]:
    """Return a shape; raise EvaluationError if such an array would be too large to compute."""
    if math.prod(shape) > MOST_NUMBERS:
        raise EvaluationError(
            f"{math.prod(shape):.3g} numbers at once; at most {MOST_NUMBERS:.0e} are computed"
        )
    return tuple(shape)


def largest(array: Any, axes: int | tuple[int, ...], keep: bool = False) -> Any:
    """Return the largest absolute values along axes: infinite where a number along them is.

    They serve as the ``operands`` of `make_value` if an operation combines numbers along axes.
    """
    return np.abs(array).max(axis=axes, keepdims=keep, initial=0.0)


def make_value(
    array: Any, spread: Any, rank: int, *parts: Value, operands: Sequence[Any] = (),
    orientation: str = "", **more: Any,
) -> Value:  # fmt: skip
    """Return the value of an operation.

    An infinity is kept only if an operand is infinite: one that comes from an overflow or from a
    division by zero becomes NaN.

    Parameters
    ----------
    array, spread, rank, orientation
        As in `Value`.
    parts
        The operands, for their unit roundoff.
    operands
        Their arrays, which are searched for infinities; without them, all infinities are kept.
    more
        Other attributes of `Value`.
    """
    array = np.asarray(array, float)
    if operands and not np.isfinite(array).all():
        are_finite = np.ones((), bool)
        for operand in operands:
            are_finite = are_finite & np.isfinite(operand)
        array = np.where(np.isinf(array) & are_finite, np.nan, array)
    if not np.isfinite(spread).all():
        spread = np.where(np.isfinite(spread), spread, 0.0)
    spread = np.broadcast_to(spread, array.shape)
    unit = max((part.unit for part in parts), default=DOUBLE)
    orientation = orientation if rank < 2 else ""  # a matrix has none
    return Value(array, spread, rank, unit, orientation, **more)
