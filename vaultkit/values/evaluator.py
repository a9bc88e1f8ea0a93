"""Evaluates the sides of a statement on the variables of a note."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from vaultkit.tex import (
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
from vaultkit.values.calls import HISTORY, FunctionCall
from vaultkit.values.exact import as_floats
from vaultkit.values.indices import Indices, shown
from vaultkit.values.names import CONSTANTS, Call, Element, Expectation, Index, Names
from vaultkit.values.records import (
    DOUBLE,
    MOST_INDICES,
    UNITS,
    EvaluationError,
    Settings,
    UnboundError,
    Value,
    bounded,
    made,
)

_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "=": np.equal, "≠": np.not_equal, "<": np.less, "≤": np.less_equal, ">": np.greater,
    "≥": np.greater_equal,
}  # fmt: skip
_EMPTY = {"sum": 0.0, "prod": 1.0, "max": -np.inf, "min": np.inf, "argmax": -np.inf,
          "argmin": np.inf}  # fmt: skip


class Evaluator:
    """Evaluates the nodes of one statement.

    Parameters
    ----------
    statement
        The statement, as the grammar reads it.
    variables
        The variables of the note.
    settings
        The settings of the vault for formulas.
    reading
        The orientation of vectors: ``row``, as in code, or ``column``, as in many papers.
    """

    def __init__(
        self, statement: Node, variables: Mapping[str, Any], settings: Settings, reading: str
    ) -> None:
        self.variables = variables
        self.settings = settings
        self.reading = reading
        #: Whether the reading has affected the result.
        self.turned = False
        self.used: dict[str, str] = {}
        self._known: dict[Node, Value] = {}
        self._computing: set[str] = set()
        names = Names(variables, settings)
        self.statement = names.resolve(statement)
        if len(names.indices) > MOST_INDICES:
            raise EvaluationError(f"more than {MOST_INDICES} indices")
        self.indices = Indices(names.indices)
        self.limits: list[Range] = [
            node for node in getattr(self.statement, "when", ()) if isinstance(node, Range)
        ]
        said = set(walk(replace(self.statement, when=()))) if self.limits else set()  # type: ignore[call-arg]
        for limits in self.limits:
            if limits.low == limits.high and limits.index not in said:
                # In d_k = 4, k = 3 the k is not an index.
                raise UnboundError(getattr(limits.index, "name", ""))
        self._reductions = {
            node.indices[0]: node for node in walk(self.statement)
            if isinstance(node, Reduce) and node.indices
        }  # fmt: skip

    # Indices

    def set_range(self, index: str) -> None:
        """Set the range of an index: the stated one, or else the length of its axis."""
        if index in self.indices.numbers:
            return
        if index in self._computing:
            raise EvaluationError(f"the range of {shown(index)} depends on itself")
        self._computing.add(index)
        bounds: Range | Reduce | None = next(
            (r for r in self.limits if r.index == Index(index)), None
        ) or self._reductions.get(index)
        if bounds is not None and bounds.high is not None and bounds.low is not None:
            low, high = self.number(bounds.low), self.number(bounds.high)
            self.indices.set_range(index, float(low.min()), float(high.max()))
            return
        sizes: set[int] = set()
        composite: set[int] = set()
        for node in walk(self.statement):
            if not isinstance(node, Element) or Index(index) not in walk(node.indices):
                continue
            base = self.value(node.base)
            places = split(node.indices, base)
            first = base.rank - len(places) if node.last else 0
            for axis, place in enumerate(places, first):
                if Index(index) in walk(place):
                    if not 0 <= axis < base.rank:
                        raise EvaluationError("there are more indices than axes")
                    alone = place == Index(index)
                    (sizes if alone else composite).add(base.shape[axis])
        sizes = sizes or composite
        if len(sizes) != 1:
            raise EvaluationError(
                f"the index {shown(index)} runs over axes of different lengths: {sorted(sizes)}"
                if sizes
                else f"the range of {shown(index)} is unknown"
            )
        self.indices.set_range(index, 1, sizes.pop(), given=index in self._reductions)

    def within(self, limits: Range) -> Any:
        """Return where an index is within its range, whose ends may depend on another index."""
        if not isinstance(limits.index, Index):
            raise EvaluationError("the dots have no index that counts")
        numbers = self.value(limits.index).array
        return (numbers >= self.number(limits.low)) & (numbers <= self.number(limits.high))

    def number(self, node: Node) -> Any:
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
        known = self._known.get(node)
        if known is not None:
            return known
        method: Callable[[Any], Value] = getattr(self, "_" + type(node).__name__.lower())
        value = method(node)
        self._known[node] = value
        return value

    def constant(self, thing: Any, name: str = "") -> Value:
        """Return a variable as a value; its name is used in messages."""
        listed = isinstance(thing, (list, tuple)) and all(np.ndim(t) for t in thing)
        if listed and len({np.shape(t) for t in thing}) > 1:
            raise EvaluationError(f"{name} holds arrays of different shapes")
        if np.ma.is_masked(thing):
            raise EvaluationError(f"{name} has masked elements")
        array = as_floats(np.asarray(thing))
        if array.dtype.kind not in "biuf":
            raise EvaluationError(f"{name} is not made of real numbers")
        bounded(array.shape)
        unit = UNITS.get(array.dtype.itemsize, DOUBLE) if array.dtype.kind == "f" else DOUBLE
        rank = array.ndim
        computed = array.dtype.kind == "f"
        array = array.astype(float).reshape((1,) * self.indices.count + array.shape)
        spread = HISTORY * np.abs(array) if computed else np.zeros(array.shape)
        if isinstance(thing, float) and thing.is_integer() and abs(thing) < 2**53:
            spread = np.zeros(array.shape)
        orientation = self.reading if rank == 1 else ""
        value = made(array, spread, rank, orientation=orientation)
        return value.but(unit=unit)

    def bound(self) -> tuple[str, ...]:
        """Return the variables that were used, with their values or shapes."""
        return tuple(f"{name} {what}" for name, what in self.used.items())

    def _number(self, node: Number) -> Value:
        """Return a number as written; its spread is 0 for an integer that a float holds exactly."""
        number = float(node.text)
        _, _, decimals = node.text.partition(".")
        exact = number.is_integer() and abs(number) < 2**53
        lead = (1,) * self.indices.count
        return made(
            np.full(lead, number),
            0.0 if exact else abs(number),
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
                return made(np.ones(lead), 0.0, 0, unsized="eye")
            constant = CONSTANTS[node.name]
            return made(np.full(lead, constant), constant, 0)
        thing = self.variables[node.name]
        if callable(thing):
            raise EvaluationError(f"{node.name} is a function")
        self.used[node.name] = described(thing)
        return self.constant(thing, node.name)

    def _function(self, node: Function) -> Value:
        if node.name == "ones":
            lead = (1,) * self.indices.count
            return made(np.ones(lead), 0.0, 0, unsized="ones", orientation=self.reading)
        raise EvaluationError(f"{node.name} needs an argument")

    def _element(self, node: Element) -> Value:
        """Return the indexed elements of an array, with an axis for each index letter."""
        base = self.value(node.base)
        if base.unsized:
            raise EvaluationError("an element of a value of unknown size")
        if not base.rank:
            raise EvaluationError("a number has no index")
        indices = split(node.indices, base)
        orientation = ""
        if any(isinstance(index, Slice) for index in indices):
            # Axes with an index come first, those that are taken whole after them.
            if len(indices) != base.rank or node.last:
                raise EvaluationError("a slice is supported only over all axes")
            taken = [a for a, index in enumerate(indices) if not isinstance(index, Slice)]
            order = [*taken, *(a for a in range(base.rank) if a not in taken)]
            count = base.array.ndim - base.rank
            axes = [*range(count), *(count + a for a in order)]
            base = base.but(array=base.array.transpose(axes), spread=base.spread.transpose(axes))
            indices = tuple(indices[a] for a in taken)
            # A column of a matrix is a column, whatever the reading of single vectors.
            if len(order) == 2 and len(taken) == 1:
                orientation = ("row", "column")[taken[0]]
        places = []
        for place in indices:
            letters = {i.name for i in walk(place) if isinstance(i, Index)}
            for letter in letters:
                self.set_range(letter)
            places.append((self.value(place), letters, isinstance(place, Index)))
        if base.rank == 2 and len(places) == 1 and not node.last:
            # Rows of a matrix are vectors with the reading of all others.
            base = base.but(orientation=orientation or self.reading)
            self.turned |= bool(orientation)
        return self.indices.pick(base, places, node.last)

    def _transpose(self, node: Transpose) -> Value:
        """Return a value with its last two axes swapped.

        A vector turns from row to column or back.
        """
        value = self.value(node.base)
        if value.rank >= 2:
            return value.but(
                array=value.array.swapaxes(-1, -2), spread=value.spread.swapaxes(-1, -2)
            )
        turned = {"row": "column", "column": "row"}
        return value.but(orientation=turned.get(value.orientation, ""))

    def _power(self, node: Power) -> Value:
        value = products.power(self.value(node.base), self.value(node.exponent))
        if node.base == Number("10") and not value.rank:
            return value.but(half_unit=None)
        return value

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
        if op == "rows":
            if left.rank == right.rank and left.rank > 1:
                return products.dot(left, right).but(sample=True)
            op = r"\cdot"
        value, turned = products.times(left, right, op)
        self.turned |= turned
        if left.half_unit is not None and is_power_of_ten(node.right):
            # The digits of 1.30 \times 10^{-3} are significant, too.
            value = value.but(half_unit=left.half_unit * float(right.array.flat[0]))
        return value

    def _apply(self, node: Apply) -> Value:
        """Return the value of a built-in function for its arguments."""
        assert isinstance(node.function, Function)
        name = node.function.name
        if name.lower() == "concat":
            return functions.concatenate(self.several(node.arguments))
        if name == "delta":
            i, j = (self.value(a) for a in node.arguments)
            return made((i.array == j.array).astype(float), 0.0, 0)
        values = self.several(node.arguments)
        if any(value.unsized for value in values):
            raise EvaluationError(f"{name} of a value of unknown size")
        if name in ("max", "min"):
            return functions.extreme(name, values)
        if name in functions.BINARY and len(values) == 2:
            return functions.BINARY[name](*values)
        if name not in functions.FUNCTIONS or len(values) != 1:
            raise EvaluationError(f"{name} does not take {len(values)} arguments")
        value = functions.FUNCTIONS[name](values[0])
        free = value.rank == 1 and not value.orientation
        return value.but(orientation=self.reading) if free else value

    def several(self, nodes: Sequence[Node]) -> list[Value]:
        r"""Evaluate the items of a list; ``x_1, \dots, x_n`` gives n items."""
        values: list[Value] = []
        for node in nodes:
            if not isinstance(node, Reduce) or node.kind != "list":
                values.append(self.value(node))
                continue
            (index,) = node.indices
            self.set_range(index)
            axis = self.indices.axis(index)
            value = self.value(node.body)
            if value.array.shape[axis] != self.indices.numbers[index].size:
                raise EvaluationError("dots between things that do not differ")
            values += [
                value.but(array=value.array.take([at], axis), spread=value.spread.take([at], axis))
                for at in range(value.array.shape[axis])
            ]
        return values

    def _call(self, node: Call) -> Value:
        """Call a function of the note, once for each value of the indices."""
        self.used[node.name] = "(function)"
        values = self.several(node.arguments)
        nodes = node.arguments if len(values) == len(node.arguments) else [None] * len(values)
        if any(value.unsized for value in values):
            raise EvaluationError(f"{node.name} of a value of unknown size")
        call = FunctionCall(node, nodes, values, self.indices.count, self.variables, self.settings)
        array, spread, unit = call.result()
        shape = array.shape[self.indices.count :]
        # A result that is as long as the vectors it was computed from has their orientation.
        known = {v.orientation for v in values if v.shape == shape and v.orientation}
        same = known.pop() if len(known) == 1 else self.reading
        orientation = same if len(shape) == 1 else ""
        value = made(array, spread, len(shape), *values, orientation=orientation)
        return value.but(unit=max(unit, value.unit))

    def _expectation(self, node: Expectation) -> Value:
        values = [self.value(argument) for argument in node.arguments]
        return samples.estimate(node.kind, values)

    def _reduce(self, node: Reduce) -> Value:
        """Return a sum, product, maximum, … over an index.

        Elements outside its range or conditions count as neutral.
        """
        if node.kind == "list":
            raise EvaluationError("dots have no meaning here")
        (index,) = node.indices
        self.set_range(index)
        axis = self.indices.axis(index)
        numbers = self.indices.numbers[index]
        body = self.value(node.body)
        if body.unsized:
            raise EvaluationError(f"\\{node.kind} of a value of unknown size")
        keep: Any = np.ones((1,) * self.indices.count, bool)
        if node.high is not None and node.low is not None:
            low, high = self.number(node.low), self.number(node.high)
            keep = keep & (numbers >= low) & (numbers <= high)
        for condition in node.conditions:
            keep = keep & self.holds(condition, 0)
        lead = list(
            np.broadcast_shapes(body.array.shape[: self.indices.count], numbers.shape, keep.shape)
        )
        shape = bounded((*lead, *body.shape))
        array, spread = np.broadcast_to(body.array, shape), np.broadcast_to(body.spread, shape)
        if not keep.all():
            keep = keep.reshape(keep.shape + (1,) * body.rank)
            array, spread = np.where(keep, array, _EMPTY[node.kind]), np.where(keep, spread, 0.0)
        whole = body.but(array=array, spread=spread, half_unit=None)
        return functions.reduce(node.kind, whole, axis, numbers)

    def _norm(self, node: Norm) -> Value:
        value = self.value(node.body)
        if value.unsized:
            raise EvaluationError("the norm of a value of unknown size")
        return functions.norm(node.kind, value)

    def _matrix(self, node: Matrix) -> Value:
        """Return a matrix or tuple that the formula writes out element by element."""
        rows = [self.several(row) for row in node.rows]
        if node.column:
            rows = [[cell] for row in rows for cell in row]
        matrix, is_oriented = matrices.written_out(rows, node.is_tuple)
        self.turned |= is_oriented
        return matrix

    def _cases(self, node: Cases) -> Value:
        """Return, for each element, the value of the first branch whose condition holds.

        NaN where none does.
        """
        values = [self.value(branch) for branch, _ in node.branches]
        rank = max(v.rank for v in values)
        conditions = [self.condition(c) for _, c in node.branches]
        rank = max(rank, *(c.ndim - self.indices.count for c in conditions))
        array: Any = np.full((1,) * (self.indices.count + rank), np.nan)
        spread: Any = np.zeros(array.shape)
        for value, holds in reversed(list(zip(values, conditions, strict=True))):
            a, s = value.ranked(rank)
            own = holds.ndim - self.indices.count
            lead = holds.shape[: self.indices.count]
            holds = holds.reshape(lead + (1,) * (rank - own) + holds.shape[self.indices.count :])
            bounded(np.broadcast_shapes(holds.shape, a.shape, array.shape))
            array, spread = np.where(holds, a, array), np.where(holds, s, spread)
        known = [value.orientation for value in values if value.orientation]
        orientation = [*known, self.reading][0] if rank == 1 else ""
        return made(array, spread, rank, *values, orientation=orientation)

    def condition(self, conditions: Sequence[Node]) -> Any:
        """Return where all conditions hold."""
        holds: Any = np.ones((1,) * self.indices.count, bool)
        for condition in conditions:
            part = self.holds(condition, None)
            rank = max(holds.ndim, part.ndim)
            holds = _wider(holds, rank, self.indices.count) & _wider(
                part, rank, self.indices.count
            )  # fmt: skip
        return holds

    def holds(self, condition: Node, rank: int | None) -> Any:
        """Return where a condition holds; it is compared exactly, as in code."""
        if isinstance(condition, Range):
            return self.within(condition)
        result: Any = np.ones((1,) * self.indices.count, bool)
        if isinstance(condition, Membership):
            value = self.value(condition.element)
            if condition.interval:
                opening, low, high, closing = condition.interval
                above, below = self.value(low).array, self.value(high).array
                inside = (value.array > above) if opening == "(" else (value.array >= above)
                result = inside & ((value.array < below) if closing == ")" else (
                    value.array <= below))  # fmt: skip
            elif condition.numbers and not value.rank:
                result = np.zeros((), bool)
                for number in self.several(condition.numbers):
                    same = value.array == number.array
                    if isinstance(condition.element, Index) and not same.any():
                        letter = shown(condition.element.name)
                        raise EvaluationError(f"{letter} does not take all of these values")
                    result = result | same
            else:
                raise EvaluationError("a condition on a shape")
            return ~result if condition.negated else result
        if not isinstance(condition, Statement):
            raise EvaluationError("a condition that states nothing")
        sides = [self.value(side) for side in condition.sides]
        widest = max(side.rank for side in sides)
        if rank == 0 and widest:
            raise EvaluationError("a condition on a vector")
        for relation, left, right in zip(condition.relations, sides, sides[1:], strict=False):
            if relation not in _COMPARISONS:
                raise EvaluationError(f"a condition with {relation}")
            a, b = left.ranked(widest)[0], right.ranked(widest)[0]
            result = _wider(result, a.ndim, self.indices.count) & _COMPARISONS[relation](a, b)
        return result

    def _dots(self, node: Dots) -> Value:  # noqa: ARG002
        raise EvaluationError("dots have no meaning here")


def _wider(array: Any, ndim: int, count: int) -> Any:
    own = array.ndim - count
    return array.reshape(array.shape[:count] + (1,) * (ndim - count - own) + array.shape[count:])


def is_power_of_ten(node: Node) -> bool:
    """Return whether an expression is a power of ten alone."""
    return isinstance(node, Power) and node.base == Number("10")


def split(indices: tuple[Node, ...], base: Value) -> tuple[Node, ...]:
    r"""Split ``21`` and ``2j`` into two indices if the base has two axes: ``\alpha_{21}``."""
    match indices:
        case (Number(text),) if base.rank > 1 and len(text) == base.rank and text.isdigit():
            parts = tuple(Number(digit) for digit in text)
            fits = all(1 <= int(p.text) <= n for p, n in zip(parts, base.shape, strict=True))
            if fits and int(text) <= base.shape[0]:
                raise EvaluationError(
                    f"the index {text} is row {text}, or {', '.join(text)}; write it with a comma"
                )
            return parts if fits else indices
        case (Product("", Number() as first, second),) if base.rank > 1:
            return (first, second)
        case _:
            return indices


def described(thing: Any) -> str:
    """Describe a variable briefly."""
    if callable(thing):
        return "(function)"
    if isinstance(thing, (list, tuple)):
        return f"({len(thing)} items)"
    shape = np.shape(thing)
    return f"{shape}" if shape else f"= {thing}"
