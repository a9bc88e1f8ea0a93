"""Calls the functions of a note in formulas, with the rounding errors of their results."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from vaultkit.tex.tree import Node, Symbol
from vaultkit.values.nodes import Call
from vaultkit.values.records import DOUBLE, MOST_CALLS, ROUNDOFFS, EvaluationError, Value

#: The assumed number of roundings in a variable that code has computed.
ROUNDINGS_OF_CODE = 4.0
#: A function is called again with its arguments moved if their rounding error is at least this: for
#: an argument computed here, and for a variable, which the code has used as it is.
_LEAST_ERROR, _LEAST_ERROR_OF_VARIABLE = 2.0**-50, 2.0**-43
#: Most values of indices for which that is done, and the factor for the change of the result, which
#: two moves may underestimate.
_MOST_MOVED_CALLS, _SAFETY = 100, 8.0
#: Longest message about a function that raises.
_LONGEST_MESSAGE = 300


class CallResult(NamedTuple):
    """The results of a call as one array, whose first axes are those of the indices.

    ``spread`` and ``unit`` bound the rounding errors, as in `Value`.
    """

    array: Any
    spread: Any
    unit: float


@dataclass(frozen=True)
class FunctionCall:
    """A call of a function of the note, once for each value of the indices.

    Attributes
    ----------
    node
        The call in the formula.
    nodes
        The node of each argument; None if the formula lists the arguments with dots.
    values
        The values of the arguments.
    count
        The number of indices of the statement.
    variables
        The variables of the note.
    call
        Calls a function on copies of its arguments.
    """

    node: Call
    nodes: Sequence[Node | None]
    values: Sequence[Value]
    count: int
    variables: Mapping[str, Any]
    call: Callable[..., Any]

    def result(self) -> CallResult:
        """Call the function for all values of the indices.

        Raises
        ------
        EvaluationError
            If the function raises, or returns anything but arrays of one shape.
        """
        name = self.node.name
        if math.prod(self._shape_of_indices) > MOST_CALLS:
            raise EvaluationError(
                f"{name} would have to be called {math.prod(self._shape_of_indices)} times"
            )
        results = self._call_with_errors(0)
        shapes = {result.shape for result in results}
        if len(shapes) != 1 or any(r.dtype.kind not in "biuf" for r in results):
            raise EvaluationError(f"{name} does not return an array of real numbers")
        floats = [result for result in results if result.dtype.kind == "f"]
        units = [ROUNDOFFS.get(result.dtype.itemsize, DOUBLE) for result in floats]
        unit = max(units, default=DOUBLE)
        array = np.stack(results).astype(float).reshape(self._shape_of_indices + shapes.pop())
        spread: Any = np.zeros(array.shape)
        if results[0].dtype.kind == "f":
            # The roundings of the function itself, and those of its arguments.
            spread = 2 * ROUNDINGS_OF_CODE * np.abs(array) + self._estimate_change(array)
        return CallResult(array, spread, unit)

    @cached_property
    def _shape_of_indices(self) -> tuple[int, ...]:
        """The lengths of the axes of the indices."""
        shapes = (value.array.shape[: value.array.ndim - value.rank] for value in self.values)
        return np.broadcast_shapes((1,) * self.count, *shapes)

    def _call_with_errors(self, step: float) -> list[Any]:
        """Return the results for arguments moved by ``step`` times their rounding errors.

        There is one result for each value of the indices. Each element moves up or down by chance.
        """
        random = np.random.default_rng(0)

        def move(value: Value) -> Value:
            """Return a value with each element moved by its error; exact values stay."""
            if not step or not value.spread.any():
                return value
            signs = random.choice((-1, 1), value.array.shape)
            return value.with_changes(array=value.array + step * value.spread * value.unit * signs)

        moved = [move(value) for value in self.values]
        results = []
        for place in np.ndindex(self._shape_of_indices):
            # A moved argument is no longer the variable that its node names.
            arguments = [
                self._argument(None if step else node, value, place)
                for node, value in zip(self.nodes, moved, strict=True)
            ]
            try:
                result = self.call(self.node.function, *arguments)
                is_plain = type(result) in (np.ndarray, np.float64, float, int)
                if not is_plain and not isinstance(result, tuple):
                    # To convert it may run code of the note, too.
                    result = self.call(np.asarray, result)
            except Exception as error:
                message = f"{self.node.name} raises {type(error).__name__}: {error}"
                raise EvaluationError(message[:_LONGEST_MESSAGE]) from error
            if isinstance(result, tuple):
                raise EvaluationError(f"{self.node.name} returns several things")
            results.append(np.asarray(result))
        return results

    def _argument(self, node: Node | None, value: Value, place: tuple[int, ...]) -> Any:
        """Return an argument for one value of the indices as code passes it.

        A variable is passed as it is, since `call` copies it; an exact whole number as an int,
        which may be a size.
        """
        if isinstance(node, Symbol) and node.name in self.variables:
            return self.variables[node.name]
        array = np.broadcast_to(value.array, self._shape_of_indices + value.shape)[place]
        if value.rank:
            return array.copy()
        number = float(array)
        if number.is_integer() and not value.spread.any():
            return int(number)
        return number

    def _estimate_change(self, array: Any) -> Any:
        """Estimate how far rounding errors of the arguments move a result, in its unit.

        Without large errors, or with too many calls, the relative error of a result is assumed to
        be the largest one of the arguments.
        """
        errors = [float((v.spread * v.unit).max(initial=0.0)) for v in self.values]
        least_errors = [
            _LEAST_ERROR_OF_VARIABLE if isinstance(node, Symbol) else _LEAST_ERROR
            for node in self.nodes
        ]
        has_large_error = any(map(operator.ge, errors, least_errors))
        if not has_large_error or math.prod(self._shape_of_indices) > _MOST_MOVED_CALLS:
            return np.abs(array) * max(map(_largest_relative_error, self.values), default=0.0)
        unit = max(value.unit for value in self.values)
        change = 0.0
        for step in (-1.0, 1.0):
            try:
                other = np.stack(self._call_with_errors(step)).astype(float).reshape(array.shape)
            except (EvaluationError, ValueError):  # it takes no such arguments, such as a float
                return 0.0
            change = np.fmax(change, np.abs(other - array))
        return _SAFETY * change / unit


def _largest_relative_error(value: Value) -> float:
    """Return the largest relative error bound among the elements of an argument.

    Where an element is below 1, its absolute bound counts, so that a 0 has one, too.
    """
    if not value.array.size:
        return 0.0
    size = np.abs(value.array)
    share = np.divide(value.spread, size, out=np.array(value.spread, float), where=size > 0)
    return float(np.fmin(value.spread, share).max())
