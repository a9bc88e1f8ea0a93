"""What is computed, and what is said of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

#: How many numbers an array on the way may have, how many terms a sum, how many indices a
#: statement, and for how many values of them a function of the note is called.
MOST_NUMBERS, MOST_TERMS, MOST_INDICES, MOST_CALLS = 20_000_000, 1_000_000, 12, 10_000
#: Half the distance between neighbouring numbers near 1, by the bytes of a number.
UNITS = {2: 2.0**-11, 4: 2.0**-24, 8: 2.0**-53}
DOUBLE = UNITS[8]
_UNITS = (
    "s", "ms", "us", "µs", "ns", "min", "h", "d", "B", "kB", "KB", "MB", "GB", "TB", "KiB", "MiB",
    "GiB", "TiB", "bytes", "byte", "bits", "bit", "Hz", "kHz", "MHz", "GHz", "m", "cm", "mm",
    "km", "g", "kg", "W", "kW", "V", "A", "J", "K", "eV", "FLOPs", "FLOP", "seconds",
    "milliseconds", "hours", "days", "tokens",
)  # fmt: skip


class UnboundError(LookupError):
    """A symbol that no block has bound."""


class EvaluationError(ValueError):
    """A formula that means nothing with these values."""


class ShapeError(EvaluationError):
    """Arrays in a formula whose shapes do not fit each other."""


@dataclass(frozen=True)
class Verdict:
    """Whether a statement holds, and what a reader may be shown of it.

    Attributes
    ----------
    why
        How it fails; empty if it holds.
    bound
        The variables it was judged on, with their shapes.
    left, right
        The sides of the relation that fails, or of the last one, in short.
    difference, place
        The largest difference between them, and where.
    span
        Where in the TeX the right side of the relation stands that fails.
    """

    holds: bool
    why: str = ""
    bound: tuple[str, ...] = ()
    left: str = ""
    right: str = ""
    difference: float = 0.0
    place: str = ""
    span: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Settings:
    """What a vault may say about its formulas.

    Attributes
    ----------
    functions
        Functions that a formula may call though no note defines them, by the names they have there.
    call
        Calls a function with copies of its arguments: the place for limits and guards.
    counting
        Letters that count when they stand as an index and the note calls nothing else so.
    units
        Units that a number may be followed by, which no variable is called.
    """

    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    call: Callable[[Callable[..., Any], Sequence[Any]], Any] = lambda function, given: function(
        *given
    )
    counting: frozenset[str] = frozenset("abcijklrstuv")
    units: frozenset[str] = frozenset(_UNITS)


@dataclass(frozen=True)
class Value:
    r"""An array, and how far rounding may have moved each of its elements.

    The first axes are those of the indices; the last ``rank`` ones are its own.

    Attributes
    ----------
    spread
        For each element, what its rounding errors come to, in units of ``unit``: an element is
        known to ``spread * unit``. Found as running error analysis finds it: each operation adds
        the size of its result and passes on what its operands bring.
    unit
        The rounding of the coarsest type of number that went into it.
    lies
        Which way a vector lies: ``row``, ``column``, or nothing where either will do.
    half
        Half a unit of the last digit that a number written out shows.
    sample
        Its own axes number the members of a sample: of each member it is one number.
    loose
        ``ones`` or ``eye`` (times a number): how large, only its neighbour tells.
    """

    array: Any
    spread: Any
    rank: int
    unit: float = DOUBLE
    lies: str = ""
    half: float | None = None
    sample: bool = False
    loose: str = ""

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape without the axes of indices."""
        return tuple(self.array.shape[self.array.ndim - self.rank :])

    def ranked(self, rank: int) -> tuple[Any, Any]:
        """Give the array and its spread as many axes of their own as are wanted."""
        if rank == self.rank:
            return self.array, self.spread
        outer = self.array.shape[: self.array.ndim - self.rank]
        shape = outer + (1,) * (rank - self.rank) + self.shape
        return self.array.reshape(shape), self.spread.reshape(shape)

    def but(self, **changes: Any) -> Value:
        """Return it with other attributes."""
        return replace(self, **changes)


def bounded(shape: Sequence[int]) -> tuple[int, ...]:
    """Refuse a shape that is too large to be made.

    Raises
    ------
    EvaluationError
        If it is.
    """
    if math.prod(shape) > MOST_NUMBERS:
        raise EvaluationError(
            f"{math.prod(shape):.3g} numbers at once; at most {MOST_NUMBERS:.0e} are computed"
        )
    return tuple(shape)


def made(
    array: Any, spread: Any, rank: int, *parts: Value, operands: Sequence[Any] = (),
    lies: str = "", **more: Any,
) -> Value:  # fmt: skip
    """Make a value of a result.

    What overflowed, or was divided by zero, is no number: an infinity may come from one alone.
    """
    array = np.asarray(array, float)
    if operands and not np.isfinite(array).all():
        fine = np.ones((), bool)
        for operand in operands:
            fine = fine & np.isfinite(operand)
        array = np.where(np.isinf(array) & fine, np.nan, array)
    if not np.isfinite(spread).all():
        spread = np.where(np.isfinite(spread), spread, 0.0)
    spread = np.broadcast_to(spread, array.shape)
    unit = max((part.unit for part in parts), default=DOUBLE)
    lies = lies if rank < 2 else ""  # a matrix lies no way
    return Value(array, spread, rank, unit, lies, **more)
