"""Evaluates the sides of a statement on the variables of a note.

A value (`Value`) has an axis for each index of the statement, and behind these its own axes, whose
number is its rank. A *reading* takes all vectors as rows or as columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from vaultkit.tex.tree import (
    Apply,
    Cases,
    Dots,
    Function,
    Matrix,
    Membership,
    Node,
    Norm,
    Number,
    Power,
    Product,
    Range,
    Reduce,
    Slice,
    Statement,
    Sum,
    Symbol,
    Transpose,
    walk,
)
from vaultkit.values import functions, matrices, products, samples
from vaultkit.values.calls import ROUNDINGS_OF_CODE, FunctionCall
from vaultkit.values.exact import as_floats
from vaultkit.values.indices import IndexValue, Indices, letter_of
from vaultkit.values.names import CONSTANTS, NameResolver
from vaultkit.values.nodes import Call, Element, Expectation, Index
from vaultkit.values.records import (
    DOUBLE,
    EXACT_BELOW,
    MOST_INDICES,
    ROUNDOFFS,
    EvaluationError,
    SizeError,
    UnboundError,
    Value,
    check_size,
    make_value,
)

_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "=": np.equal, "≠": np.not_equal, "<": np.less, "≤": np.less_equal, ">": np.greater,
    "≥": np.greater_equal,
}  # fmt: skip
#: What leaves the result of a reduction unchanged, for the terms that are left out.
_NEUTRAL = {"sum": 0.0, "prod": 1.0, "max": -np.inf, "min": np.inf, "argmax": -np.inf,
          "argmin": np.inf}  # fmt: skip


class Evaluator:
    """Evaluates the nodes of one statement.

    `value` evaluates a node by the method that is named after its class: ``_sum`` for a `Sum`.

    Parameters
    ----------
    statement
        The statement, as the grammar reads it.
    variables
        The variables of the note.
    call
        Calls a function of the note on copies of its arguments.
    reading
        The orientation of vectors: ``row``, as in code, or ``column``, as in many papers.

    Raises
    ------
    UnboundError
        If a name of the statement is not bound.
    EvaluationError
        If a name is used as what it is not, or there are too many indices.
    """

    def __init__(
        self, statement: Node, variables: Mapping[str, Any], call: Callable[..., Any], reading: str
    ) -> None:
        self.variables = variables
        self.call = call
        self.reading = reading
        #: Whether the reading has affected the result.
        self.depends_on_reading = False
        #: The variables and functions that were used, each with a short description.
        self.used: dict[str, str] = {}
        self._known: dict[Node, Value] = {}
        #: The indices whose range is being computed, which must not depend on itself.
        self._computing: set[str] = set()
        names = NameResolver(variables)
        self.statement = names.resolve(statement)
        if len(names.indices) > MOST_INDICES:
            raise EvaluationError(f"more than {MOST_INDICES} indices")
        self.indices = Indices(names.indices)
        #: The ranges that are stated behind the statement: ``i = 1, …, n``.
        self.limits: list[Range] = [
            node for node in getattr(self.statement, "when", ()) if isinstance(node, Range)
        ]
        if self.limits:
            without_conditions = replace(self.statement, when=())  # type: ignore[call-arg]
            used = set(walk(without_conditions))
            for limits in self.limits:
                if limits.low == limits.high and limits.index not in used:
                    # In d_k = 4, k = 3 the k is part of a name, so no index has this range.
                    raise UnboundError(getattr(limits.index, "name", ""))
        #: The sums and the like, each by its index.
        self._reductions = {
            node.indices[0]: node for node in walk(self.statement)
            if isinstance(node, Reduce) and node.indices
        }  # fmt: skip

    # Indices

    def set_range(self, index: str) -> None:
        """Set the range of an index: the stated one, or else the length of its axis."""
        if index in self.indices.numbers:  # it has been set
            return
        if index in self._computing:
            raise EvaluationError(f"the range of {letter_of(index)} depends on itself")
        self._computing.add(index)
        bounds: Range | Reduce | None = self._reductions.get(index)
        bounds = next((limits for limits in self.limits if limits.index == Index(index)), bounds)
        if bounds is not None and bounds.high is not None and bounds.low is not None:
            low, high = self.range_end(bounds.low), self.range_end(bounds.high)
            self.indices.set_range(index, float(low.min()), float(high.max()))
            return
        sizes = self._lengths_of_axes(index)
        if len(sizes) != 1:
            raise SizeError(
                f"the index {letter_of(index)} runs over axes of different lengths: {sorted(sizes)}"
                if sizes
                else f"the range of {letter_of(index)} is unknown"
            )
        self.indices.set_range(index, 1, sizes.pop(), bounded=index in self._reductions)

    def _lengths_of_axes(self, index: str) -> set[int]:
        """Return the lengths of the axes that an index runs over.

        An expression such as ``i + 1`` counts only if the index is nowhere alone.
        """
        sizes_alone: set[int] = set()
        sizes_in_expressions: set[int] = set()
        for node in walk(self.statement):
            if not isinstance(node, Element) or Index(index) not in walk(node.indices):
                continue
            base = self.value(node.base)
            places = split_index(node.indices, base)
            first_axis = base.rank - len(places) if node.last else 0
            for axis, place in enumerate(places, first_axis):
                if Index(index) in walk(place):
                    if not 0 <= axis < base.rank:
                        raise SizeError("there are more indices than axes")
                    is_alone = place == Index(index)
                    (sizes_alone if is_alone else sizes_in_expressions).add(base.shape[axis])
        return sizes_alone or sizes_in_expressions

    def is_within(self, limits: Range) -> Any:
        """Return where an index is within its range, whose ends may depend on another index."""
        if not isinstance(limits.index, Index):
            raise EvaluationError("the dots have no index that counts")
        numbers = self.value(limits.index).array
        return (numbers >= self.range_end(limits.low)) & (numbers <= self.range_end(limits.high))

    def range_end(self, node: Node) -> Any:
        """Evaluate the end of a range; rounded to an integer if that is within rounding errors."""
        value = self.value(node)
        if value.rank or value.unsized:
            raise EvaluationError("an end of a range is not a number")
        nearest = np.rint(value.array)
        near = np.abs(value.array - nearest) <= value.spread * value.unit
        return np.where(near, nearest, value.array)

    # Values

    def value(self, node: Node) -> Value:
        """Evaluate a node."""
        if node not in self._known:
            method: Callable[[Any], Value] = getattr(self, "_" + type(node).__name__.lower())
            self._known[node] = method(node)
        return self._known[node]

    def value_of_variable(self, thing: Any, name: str = "") -> Value:
        """Return a variable as a value; its name is used in messages."""
        is_list_of_arrays = isinstance(thing, (list, tuple)) and all(map(np.ndim, thing))
        if is_list_of_arrays and len(set(map(np.shape, thing))) > 1:
            raise SizeError(f"{name} holds arrays of different shapes")
        if np.ma.is_masked(thing):
            raise EvaluationError(f"{name} has masked elements")
        array = as_floats(np.asarray(thing))
        if array.dtype.kind not in "biuf":
            raise EvaluationError(f"{name} is not made of real numbers")
        check_size(array.shape)
        has_floats = array.dtype.kind == "f"
        unit = ROUNDOFFS.get(array.dtype.itemsize, DOUBLE) if has_floats else DOUBLE
        rank = array.ndim
        array = array.astype(float).reshape((1,) * self.indices.count + array.shape)
        # A float such as 2.0 stands for the integer.
        is_exact_float = (
            isinstance(thing, float) and thing.is_integer() and abs(thing) < EXACT_BELOW
        )
        is_rounded = has_floats and not is_exact_float
        spread = ROUNDINGS_OF_CODE * np.abs(array) if is_rounded else np.zeros(array.shape)
        orientation = self.reading if rank == 1 else ""
        value = make_value(array, spread, rank, orientation=orientation)
        return value.with_changes(unit=unit)

    def describe_used(self) -> tuple[str, ...]:
        """Return the variables that were used, with their values or shapes."""
        return tuple(f"{name} {what}" for name, what in self.used.items())

    def _number(self, node: Number) -> Value:
        """Return a number as written; its spread is 0 for an integer that a float holds exactly."""
        number = float(node.text)
        _, _, decimals = node.text.partition(".")
        is_exact = number.is_integer() and abs(number) < EXACT_BELOW
        lead = (1,) * self.indices.count
        return make_value(
            np.full(lead, number),
            0.0 if is_exact else abs(number),
            0,
            half_unit=0.5 * 10.0 ** -len(decimals),
        )

    def _index(self, node: Index) -> Value:
        self.set_range(node.name)
        return self.indices.value(node.name)

    def _symbol(self, node: Symbol) -> Value:
        """Return the value of a variable or constant, or an identity matrix of unknown size."""
        if node.name not in self.variables:
            lead = (1,) * self.indices.count
            if node.name == "I":
                return make_value(np.ones(lead), 0.0, 0, unsized="eye")
            constant = CONSTANTS[node.name]
            return make_value(np.full(lead, constant), constant, 0)
        thing = self.variables[node.name]
        if callable(thing):
            raise EvaluationError(f"{node.name} is a function")
        self.used[node.name] = describe_variable(thing)
        return self.value_of_variable(thing, node.name)

    def _function(self, node: Function) -> Value:
        """Return a vector of ones of unknown length; other functions need an argument."""
        if node.name == "ones":
            lead = (1,) * self.indices.count
            return make_value(np.ones(lead), 0.0, 0, unsized="ones", orientation=self.reading)
        raise EvaluationError(f"{node.name} needs an argument")

    def _element(self, node: Element) -> Value:
        """Return the indexed elements of an array, along the axes of the statement's indices."""
        base = self.value(node.base)
        if base.unsized:
            raise EvaluationError("an element of a value of unknown size")
        if not base.rank:
            raise EvaluationError("a number has no index")
        indices = split_index(node.indices, base)
        orientation = ""
        if any(isinstance(index, Slice) for index in indices):
            if len(indices) != base.rank or node.last:
                raise EvaluationError("a slice is supported only over all axes")
            # Axes with an index come first, those that are taken whole after them.
            indexed = [axis for axis, index in enumerate(indices) if not isinstance(index, Slice)]
            order = [*indexed, *(axis for axis in range(base.rank) if axis not in indexed)]
            count = base.array.ndim - base.rank
            axes = [*range(count), *(count + axis for axis in order)]
            base = base.with_changes(
                array=base.array.transpose(axes), spread=base.spread.transpose(axes)
            )
            indices = tuple(indices[axis] for axis in indexed)
            # A_{i:} is a row and A_{:j} a column, whatever the reading of single vectors.
            if len(order) == 2 and len(indexed) == 1:
                orientation = ("row", "column")[indexed[0]]
        places = []
        for index in indices:
            letters = {part.name for part in walk(index) if isinstance(part, Index)}
            for letter in letters:
                self.set_range(letter)
            places.append(IndexValue(self.value(index), letters, isinstance(index, Index)))
        if base.rank == 2 and len(places) == 1 and not node.last:
            # Rows of a matrix are vectors with the reading of all others.
            base = base.with_changes(orientation=orientation or self.reading)
            self.depends_on_reading |= bool(orientation)
        return self.indices.pick(base, places, node.last)

    def _transpose(self, node: Transpose) -> Value:
        """Return a value with its last two axes swapped; a row becomes a column, and vice versa."""
        value = self.value(node.base)
        if value.rank >= 2:
            return value.with_changes(
                array=value.array.swapaxes(-1, -2), spread=value.spread.swapaxes(-1, -2)
            )
        swapped = {"row": "column", "column": "row"}
        return value.with_changes(orientation=swapped.get(value.orientation, ""))

    def _power(self, node: Power) -> Value:
        return products.power(self.value(node.base), self.value(node.exponent))

    def _sum(self, node: Sum) -> Value:
        signs, nodes = zip(*node.terms, strict=True)
        return products.add([self.value(n) for n in nodes], signs)

    def _product(self, node: Product) -> Value:
        """Return the product or quotient of two nodes, by the rule of their operator."""
        left, right = self.value(node.left), self.value(node.right)
        if node.op == "/":
            return products.divide(left, right)
        if node.op == "mod":
            return functions.modulo(left, right)
        op = node.op
        if op == "rows":  # q \cdot k in an expectation, see `NameResolver`
            if left.rank == right.rank and left.rank > 1:
                return products.dot(left, right).with_changes(sample=True)
            op = r"\cdot"
        value, depends_on_reading = products.multiply(left, right, op)
        self.depends_on_reading |= depends_on_reading
        if left.half_unit is not None and is_power_of_ten(node.right):
            # The digits of 1.30 \times 10^{-3} are significant, too.
            value = value.with_changes(half_unit=left.half_unit * float(right.array.flat[0]))
        return value

    def _apply(self, node: Apply) -> Value:
        """Return the value of a built-in function for its arguments."""
        assert isinstance(node.function, Function)
        name = node.function.name
        if name.lower() == "concat":
            return functions.concatenate(self.values_of(node.arguments))
        if name == "delta":
            i, j = (self.value(a) for a in node.arguments)
            return make_value((i.array == j.array).astype(float), 0.0, 0)
        values = self.values_of(node.arguments)
        if any(value.unsized for value in values):
            raise EvaluationError(f"{name} of a value of unknown size")
        if name in ("max", "min"):
            return functions.extreme(name, values)
        if name in functions.BINARY and len(values) == 2:
            return functions.BINARY[name](*values)
        if name not in functions.FUNCTIONS or len(values) != 1:
            raise EvaluationError(f"{name} does not take {len(values)} arguments")
        value = functions.FUNCTIONS[name](values[0])
        has_no_orientation = value.rank == 1 and not value.orientation
        return value.with_changes(orientation=self.reading) if has_no_orientation else value

    def values_of(self, nodes: Sequence[Node]) -> list[Value]:
        r"""Evaluate the items of a list; ``x_1, \dots, x_n`` gives n items."""
        values: list[Value] = []
        for node in nodes:
            if not isinstance(node, Reduce) or node.kind != "list":
                values.append(self.value(node))
                continue
            # The general item x_i, which has all items along the axis of its index.
            (index,) = node.indices
            self.set_range(index)
            axis = self.indices.axis(index)
            value = self.value(node.body)
            if value.array.shape[axis] != self.indices.numbers[index].size:
                raise EvaluationError("dots between things that do not differ")
            values += [
                value.with_changes(
                    array=value.array.take([at], axis), spread=value.spread.take([at], axis)
                )
                for at in range(value.array.shape[axis])
            ]
        return values

    def _call(self, node: Call) -> Value:
        """Call a function of the note, once for each value of the indices."""
        self.used[node.name] = "(function)"
        values = self.values_of(node.arguments)
        # Dots stand for several arguments, which have no nodes of their own.
        has_dots = len(values) != len(node.arguments)
        nodes = [None] * len(values) if has_dots else node.arguments
        if any(value.unsized for value in values):
            raise EvaluationError(f"{node.name} of a value of unknown size")
        call = FunctionCall(node, nodes, values, self.indices.count, self.variables, self.call)
        array, spread, unit = call.result()
        shape = array.shape[self.indices.count :]
        orientation = self.reading if len(shape) == 1 else ""
        # A result that is as long as the vectors it was computed from has their orientation.
        orientations = {v.orientation for v in values if v.shape == shape and v.orientation}
        if len(shape) == 1 and len(orientations) == 1:
            orientation = orientations.pop()
        value = make_value(array, spread, len(shape), *values, orientation=orientation)
        return value.with_changes(unit=max(unit, value.unit))

    def _expectation(self, node: Expectation) -> Value:
        values = [self.value(argument) for argument in node.arguments]
        return samples.estimate(node.kind, values)

    def _reduce(self, node: Reduce) -> Value:
        """Return a sum, product, maximum, … over the part of an index's range that is kept."""
        if node.kind == "list":
            raise EvaluationError("dots have no meaning here")
        (index,) = node.indices
        self.set_range(index)
        axis = self.indices.axis(index)
        numbers = self.indices.numbers[index]
        body = self.value(node.body)
        if body.unsized:
            raise EvaluationError(f"\\{node.kind} of a value of unknown size")
        # The range may differ for each value of another index: \sum_{j=1}^i.
        is_term: Any = np.ones((1,) * self.indices.count, bool)
        if node.high is not None and node.low is not None:
            low, high = self.range_end(node.low), self.range_end(node.high)
            is_term = is_term & (numbers >= low) & (numbers <= high)
        for condition in node.conditions:
            is_term = is_term & self.where_holds(condition, of_numbers=True)
        lead = body.array.shape[: self.indices.count]
        shape_of_indices = np.broadcast_shapes(lead, numbers.shape, is_term.shape)
        shape = check_size((*shape_of_indices, *body.shape))
        array, spread = np.broadcast_to(body.array, shape), np.broadcast_to(body.spread, shape)
        if not is_term.all():
            is_term = is_term.reshape(is_term.shape + (1,) * body.rank)
            array = np.where(is_term, array, _NEUTRAL[node.kind])
            spread = np.where(is_term, spread, 0.0)
        terms = body.with_changes(array=array, spread=spread, half_unit=None)
        return functions.reduce(node.kind, terms, axis, numbers)

    def _norm(self, node: Norm) -> Value:
        """Return a norm, or the absolute value of a number."""
        value = self.value(node.body)
        if value.unsized:
            raise EvaluationError("the norm of a value of unknown size")
        return functions.norm(node.kind, value)

    def _matrix(self, node: Matrix) -> Value:
        """Return a matrix or tuple that the formula writes out element by element."""
        rows = [self.values_of(row) for row in node.rows]
        if node.column:
            rows = [[cell] for row in rows for cell in row]
        matrix, depends_on_reading = matrices.build_matrix(rows, node.is_tuple)
        self.depends_on_reading |= depends_on_reading
        return matrix

    def _cases(self, node: Cases) -> Value:
        """Return, for each element, the first branch whose condition holds; NaN if none does."""
        values = [self.value(branch) for branch, _ in node.branches]
        masks = [self.where_all_hold(conditions) for _, conditions in node.branches]
        count = self.indices.count
        rank = max(*(value.rank for value in values), *(mask.ndim - count for mask in masks))
        array: Any = np.full((1,) * (count + rank), np.nan)
        spread: Any = np.zeros(array.shape)
        # The first branch is laid over the others last.
        for value, mask in reversed(list(zip(values, masks, strict=True))):
            a, s = value.ranked(rank)
            mask = _with_axes(mask, count + rank, count)
            check_size(np.broadcast_shapes(mask.shape, a.shape, array.shape))
            array, spread = np.where(mask, a, array), np.where(mask, s, spread)
        orientations = (value.orientation for value in values if value.orientation)
        orientation = next(orientations, self.reading) if rank == 1 else ""
        return make_value(array, spread, rank, *values, orientation=orientation)

    def where_all_hold(self, conditions: Sequence[Node]) -> Any:
        """Return where all conditions hold."""
        count = self.indices.count
        hold: Any = np.ones((1,) * count, bool)
        for condition in conditions:
            holds = self.where_holds(condition)
            ndim = max(hold.ndim, holds.ndim)
            hold = _with_axes(hold, ndim, count) & _with_axes(holds, ndim, count)
        return hold

    def where_holds(self, condition: Node, *, of_numbers: bool = False) -> Any:
        """Return where a condition holds; it is compared exactly, as in code.

        With ``of_numbers``, it must compare numbers, not arrays.
        """
        if isinstance(condition, Range):
            return self.is_within(condition)
        if isinstance(condition, Membership):
            is_member = self._where_member(condition)
            return ~is_member if condition.negated else is_member
        result: Any = np.ones((1,) * self.indices.count, bool)
        if not isinstance(condition, Statement):
            raise EvaluationError("a condition that states nothing")
        sides = [self.value(side) for side in condition.sides]
        widest = max(side.rank for side in sides)
        if of_numbers and widest:
            raise EvaluationError("a condition on a vector")
        for relation, left, right in zip(condition.relations, sides, sides[1:], strict=False):
            if relation not in _COMPARISONS:
                raise EvaluationError(f"a condition with {relation}")
            (a, _), (b, _) = left.ranked(widest), right.ranked(widest)
            result = _with_axes(result, a.ndim, self.indices.count) & _COMPARISONS[relation](a, b)
        return result

    def _where_member(self, condition: Membership) -> Any:
        """Return where a value is in an interval, or is one of the numbers of a set."""
        value = self.value(condition.element)
        if condition.interval:
            opening, low, high, closing = condition.interval
            start, end = self.value(low).array, self.value(high).array
            is_above = value.array > start if opening == "(" else value.array >= start
            is_below = value.array < end if closing == ")" else value.array <= end
            return is_above & is_below
        if not condition.numbers or value.rank:
            raise EvaluationError("a condition on a shape")
        result: Any = np.zeros((), bool)
        for number in self.values_of(condition.numbers):
            is_equal = value.array == number.array
            # i \in \{1, 9\} says that the index takes these values.
            if isinstance(condition.element, Index) and not is_equal.any():
                letter = letter_of(condition.element.name)
                raise EvaluationError(f"{letter} does not take all of these values")
            result = result | is_equal
        return result

    def _dots(self, node: Dots) -> Value:  # noqa: ARG002
        raise EvaluationError("dots have no meaning here")


def _with_axes(array: Any, ndim: int, count: int) -> Any:
    """Return an array with new axes of length 1 behind the first ``count``: ``ndim`` in all."""
    new_axes = (1,) * (ndim - array.ndim)
    return array.reshape(array.shape[:count] + new_axes + array.shape[count:])


def is_power_of_ten(node: Node) -> bool:
    """Return whether an expression is a power of ten alone."""
    return isinstance(node, Power) and node.base == Number("10")


def split_index(indices: tuple[Node, ...], base: Value) -> tuple[Node, ...]:
    r"""Return indices; ``21`` and ``2j`` are split in two if the base has two axes.

    Raises
    ------
    EvaluationError
        If ``21`` may be the 21st row, too.
    """
    if base.rank < 2:
        return indices
    match indices:
        case (Number(text),) if len(text) == base.rank and text.isdigit():
            digits = tuple(Number(digit) for digit in text)
            is_element = all(1 <= int(d.text) <= n for d, n in zip(digits, base.shape, strict=True))
            if is_element and int(text) <= base.shape[0]:
                raise EvaluationError(
                    f"the index {text} is row {text}, or {', '.join(text)}; write it with a comma"
                )
            return digits if is_element else indices
        case (Product("", Number() as first, second),):  # 2j is read as a product
            return (first, second)
        case _:
            return indices


def describe_variable(thing: Any) -> str:
    """Describe a variable briefly.

    >>> describe_variable(2), describe_variable(np.ones((2, 3))), describe_variable([1, 2])
    ('= 2', '(2, 3)', '(2 items)')
    """
    if callable(thing):
        return "(function)"
    if isinstance(thing, (list, tuple)):
        return f"({len(thing)} items)"
    shape = np.shape(thing)
    return f"{shape}" if shape else f"= {thing}"
