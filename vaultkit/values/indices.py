"""The indices of a statement: each has its own axis, so that all cases are judged at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from vaultkit.tex.ranges import DOTS_INDEX
from vaultkit.values.records import MOST_TERMS, EvaluationError, Value, check_size, make_value

#: The first axis, along which the replicates of `samples` are.
REPLICATES = "sample"
#: How far the value of an index may be from a whole number.
_WHOLE = 1e-9


class IndexValue(NamedTuple):
    """The value of an index, such as ``i + 1``, and the index letters on which it depends.

    ``is_alone`` says that it is one letter alone.
    """

    value: Value
    letters: set[str]
    is_alone: bool


class Indices:
    """The axes of a statement's indices, the range of each, and where they are within their arrays.

    Parameters
    ----------
    names
        The indices, by unique names.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = [REPLICATES, *names]
        #: The numbers of each index, along its axis.
        self.numbers: dict[str, Any] = {}
        #: The indices that must stay within their arrays: a sum binds them, or a range is stated.
        self.bounded: set[str] = set()
        #: Where all free indices are within the arrays that they index.
        self.valid: Any = np.ones((1,) * len(self.names), bool)

    @property
    def count(self) -> int:
        """The number of axes."""
        return len(self.names)

    def axis(self, index: str) -> int:
        """Return the axis of an index."""
        return self.names.index(index)

    def set_range(self, index: str, low: float, high: float, bounded: bool = True) -> None:
        """Set the range of an index, both ends included.

        With ``bounded``, it must stay within the arrays that it indexes.
        """
        if not (np.isfinite(low) and np.isfinite(high)):
            raise EvaluationError(f"{letter_of(index)} would run without an end")
        if low % 1 or high % 1:
            raise EvaluationError(f"{letter_of(index)} does not run over whole numbers")
        if high - low >= MOST_TERMS:
            raise EvaluationError(
                f"{letter_of(index)} would run over more than {MOST_TERMS:,} numbers"
            )
        if high < low:
            raise EvaluationError(f"the range of {letter_of(index)} is empty")
        shape = [1] * self.count
        shape[self.axis(index)] = -1
        self.numbers[index] = np.arange(int(low), int(high) + 1, dtype=float).reshape(shape)
        if bounded:
            self.bounded.add(index)

    def value(self, index: str) -> Value:
        """Return the numbers of an index."""
        return make_value(self.numbers[index], 0.0, 0)

    def pick(self, base: Value, places: Sequence[IndexValue], last: bool) -> Value:
        """Return elements, indexed along the first axes, or with ``last`` along the last ones.

        The result has an axis for each index of the statement: that of x_i and y_{i+1} is one.
        """
        if len(places) > base.rank:
            raise EvaluationError("there are more indices than axes")
        first_axis = base.rank - len(places) if last else 0
        count = self.count
        base_array, base_spread = base.array, base.spread
        if first_axis:
            indexed = range(base.array.ndim - len(places), base.array.ndim)
            target = range(count, count + len(places))
            base_array = np.moveaxis(base.array, indexed, target)
            base_spread = np.moveaxis(base.spread, indexed, target)
        lengths = base.shape[first_axis:]
        offsets = [
            self._offsets(place, length) for place, length in zip(places, lengths, strict=False)
        ]
        shape_of_indices = base_array.shape[:count]
        shape = np.broadcast_shapes(shape_of_indices, *(offset.shape for offset in offsets))
        check_size((*shape, *base_array.shape[count + len(places) :]))
        # Along the axes of the statement's indices, each element keeps its place.
        at = (*np.indices(shape_of_indices, sparse=True), *offsets)
        rank = base.rank - len(places)
        orientation = base.orientation if rank == 1 and base.rank == 2 else ""
        return make_value(
            base_array[at], base_spread[at], rank, base,
            sample=last and rank > 0, orientation=orientation,
        )  # fmt: skip

    def _offsets(self, index: IndexValue, length: int) -> Any:
        """Return an index as offsets, counted from 0, into an axis of this length.

        Offsets outside the axis are moved into it, and are no longer `valid`.

        Raises
        ------
        EvaluationError
            If it is not a whole number, or its range is stated and leaves the axis.
        """
        value = index.value
        if value.rank:
            raise EvaluationError("an index is not a number")
        number = np.rint(value.array)
        is_whole = np.isfinite(value.array) & (np.abs(number - value.array) <= _WHOLE)
        if not is_whole.all():
            raise EvaluationError("an index is not a whole number")
        is_inside = (number >= 1) & (number <= length)
        if not is_inside.all():
            # Only i + 1, where no range of i is stated, may leave the axis.
            if index.is_alone or not index.letters or index.letters & self.bounded:
                raise EvaluationError(f"an index is outside 1 to {length}; indices count from 1")
            self.valid = self.valid & is_inside
        return np.clip(number, 1, length).astype(int) - 1

    def place(self, at: Sequence[int], shape: Sequence[int]) -> str:
        """Describe the position of an element, counted from 1: `` at i = 1, j = 2``.

        Empty if there is only one element.
        """
        # An index with one value says nothing.
        parts = [
            f"{letter_of(name)} = {self.numbers[name].ravel()[offset]:.0f}"
            for name, offset, size in zip(self.names, at[: self.count], shape, strict=False)
            if name in self.numbers and size > 1
        ]
        if len(shape) > self.count:
            parts.append(f"element {tuple(int(offset) + 1 for offset in at[self.count :])}")
        return f" at {', '.join(parts)}" if parts else ""


def letter_of(index: str) -> str:
    """Return the letter of an index in the formula; its unique name may have marks.

    >>> letter_of("i'")
    'i'
    """
    return "the number" if index.startswith(DOTS_INDEX) else index.rstrip("'")
