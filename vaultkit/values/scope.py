r"""Evaluates formulas on the variables of a note.

Every index (``i`` in ``q_i``, free or bound by a sum) has an axis of its own, so that a formula
with indices is computed for all of them at once. A value is an array whose first axes are those
indices, of length 1 where it does not depend on one; the axes after them are its own (none for a
scalar, one for a vector).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from vaultkit.tex import (
    Apply,
    Bracketed,
    Cases,
    Derivative,
    Differential,
    Dots,
    Matrix,
    Node,
    Norm,
    Number,
    Power,
    Product,
    Reduce,
    Subscript,
    Sum,
    Symbol,
    Transpose,
    walk,
)
from vaultkit.values.records import EvaluationError, UnboundError, Value

#: Letters that count, wherever they are not names of something else.
INDEX_LETTERS = frozenset("abcijklrstuv")


@dataclass
class Scope:
    """Variables and indices of one statement, and what was noticed on the way."""

    variables: Mapping[str, Any]
    columns: bool
    indices: list[str] = field(default_factory=list)
    ranges: dict[str, Any] = field(default_factory=dict)
    explicit: set[str] = field(default_factory=set)
    used: dict[str, str] = field(default_factory=dict)
    valid: Any = field(default_factory=lambda: np.ones((), bool))
    precision: float = 1e-9
    sampled: bool = False
    spread: float = 0.0
    #: The largest number on the way: what rounding errors are measured by.
    scale: float = 0.0
    sampling: bool = False
    oriented: bool = False
    _node: Node | None = None

    # Indices

    def is_index(self, name: str) -> bool:
        """Tell whether a name counts: a letter for it that the note calls nothing else.

        What a loop has left in ``i`` or ``j`` is not meant.
        """
        if name not in INDEX_LETTERS:
            return False
        return name not in self.variables or (
            name in "ijl" and isinstance(self.variables[name], (int, np.integer))
        )

    def index_names(self, statement: Node) -> list[str]:
        """Find the indices of a statement; give each its axis."""
        self._node = statement
        names: list[str] = []
        for node in walk(statement):
            if isinstance(node, Reduce):
                names.append(node.index)
            elif isinstance(node, Subscript) and not self.is_name(node):
                names += [s.name for i in node.indices for s in walk(i)
                          if isinstance(s, Symbol) and self.is_index(s.name)]  # fmt: skip
            elif isinstance(node, Bracketed):
                names += [s.name for s in walk(node.index)
                          if isinstance(s, Symbol) and self.is_index(s.name)]  # fmt: skip
        indices = list(dict.fromkeys(names))
        self.valid = np.ones((1,) * len(indices), bool)
        return indices

    def _derivative(self, node: Derivative) -> Value:
        return self.value(self.named(node))

    def _differential(self, node: Differential) -> Value:  # noqa: ARG002
        raise EvaluationError(r"\partial stands alone; a derivative is written as a fraction")

    def named(self, node: Node) -> Node:
        r"""Give derivatives their names: ``\partial L / \partial S_{ij}`` is ``dL_dS`` at i, j."""
        if not isinstance(node, Derivative):
            changed = {f.name: self.names(getattr(node, f.name)) for f in fields(node)}
            return replace(node, **changed) if changed else node
        read = [
            (f"d{above}_d{below}", over + under)
            for above, over in self.readings(node.above)
            for below, under in self.readings(node.below)
        ]
        name, indices = next((r for r in read if r[0] in self.variables), read[-1])
        if node.quotient and name not in self.variables and "d" in self.variables:
            return self.named(node.quotient)
        symbol = Symbol(name)
        return Subscript(symbol, indices, f"{name}_") if indices else symbol

    def names(self, thing: Any) -> Any:
        """Give derivatives their names in a node, or in a tuple of them."""
        if isinstance(thing, tuple):
            return tuple(self.names(part) for part in thing)
        return self.named(thing) if isinstance(thing, Node) else thing

    def readings(self, node: Node) -> list[tuple[str, tuple[Node, ...]]]:
        """List what a name with indices may be: a name as a whole, or one with these indices."""
        match node:
            case Symbol(name):
                return [(name, ())]
            case Subscript(base, indices, name):
                whole: list[tuple[str, tuple[Node, ...]]] = [(name, ())]
                counts = all(
                    isinstance(s, Number) or (isinstance(s, Symbol) and self.is_index(s.name))
                    for index in indices
                    for s in walk(index)
                    if isinstance(s, (Number, Symbol))
                )
                inner = self.readings(base)
                return whole + [(n, more + indices) for n, more in inner] if counts else whole
            case _:
                raise EvaluationError("a derivative is of a name, after a name")

    def is_name(self, node: Subscript) -> bool:
        """Tell whether ``d_k`` is a name: it is if it is bound, unless k can index d."""
        if node.name not in self.variables:
            return False
        letters = all(isinstance(i, Symbol) and self.is_index(i.name) for i in node.indices)
        base = self.lookup_base(node.base)
        return not letters or base is None or not _indexable(base)

    def lookup_base(self, base: Node) -> Any:
        """Find the thing that a base names, if it does."""
        if not isinstance(base, Symbol):
            return None
        return self.variables.get(base.name)

    def along(self, index: str, numbers: Any) -> Any:
        """Lay numbers along the axis of an index."""
        shape = [1] * len(self.indices)
        shape[self.indices.index(index)] = -1
        return np.asarray(numbers).reshape(shape)

    def range_of(self, index: str) -> Any:
        """Return what an index runs over: as far as what it indexes."""
        if index in self.ranges:
            return self.ranges[index]
        sizes: set[int] = set()
        composite: set[int] = set()
        for node in walk(self._node):
            if isinstance(node, Subscript) and not self.is_name(node) and not _is_delta(node):
                if Symbol(index) not in walk(node.indices):
                    continue
                places = self.places(node)
            elif isinstance(node, Bracketed):
                places = (node.index,)
            else:
                continue
            for place, used in enumerate(places):
                if Symbol(index) in walk(used):
                    (sizes if used == Symbol(index) else composite).add(
                        self.size(node, place, len(places))
                    )
        sizes = sizes or composite
        if len(sizes) != 1:
            raise EvaluationError(
                f"the index {index} runs over axes of different lengths: {sorted(sizes)}"
                if sizes
                else f"nothing says what {index} runs over"
            )
        self.ranges[index] = self.along(index, np.arange(1, sizes.pop() + 1))
        return self.ranges[index]

    def size(self, node: Subscript | Bracketed, place: int, count: int) -> int:
        """Return how long the axis is that an index stands for."""
        base = self.base(node.base)
        axis = base.rank - count + place if self.sampling_of(node) else place
        if not 0 <= axis < base.rank:
            raise EvaluationError("there are more indices than axes")
        return int(base.shape[axis])

    def sampling_of(self, node: Node) -> bool:
        """Tell whether a node stands inside an expectation: there the sample's axes come first."""
        return any(
            isinstance(outer, Apply) and _is_expectation(outer) and node in walk(outer.arguments)
            for outer in walk(self._node)
        )

    # Values

    def constant(self, thing: Any, name: str = "") -> Value:
        """Make a value of a variable."""
        if isinstance(thing, (list, tuple)) and thing and all(np.ndim(t) for t in thing):
            shapes = {np.shape(t) for t in thing}
            if len(shapes) > 1:
                raise EvaluationError(f"{name} holds arrays of different shapes")
        array = np.asarray(thing)
        if array.dtype.kind not in "biufc":
            raise EvaluationError(f"{name} is not made of numbers")
        if array.dtype.kind == "f" and array.dtype.itemsize < 8 and array.ndim:
            self.precision = max(self.precision, 2e-5 if array.dtype.itemsize == 4 else 5e-3)
            array = array.astype(float)
        return Value(array.reshape((1,) * len(self.indices) + array.shape), array.ndim)

    def find(self, name: str) -> Any:
        """Look a name up: as it is, then in small letters."""
        for candidate in _spellings(name):
            if candidate in self.variables:
                thing = self.variables[candidate]
                self.used[candidate] = _described(thing)
                return thing
        raise UnboundError(name)

    def told(self) -> tuple[str, ...]:
        """Name the variables that were used."""
        return tuple(f"{name} {what}" for name, what in self.used.items())

    def value(self, node: Node) -> Value:
        """Evaluate a node."""
        node = self.regrouped(node)
        method: Callable[[Any], Value] = getattr(self, "_" + type(node).__name__.lower())
        value = method(node)
        finite = value.array[np.isfinite(value.array)]
        self.scale = max(self.scale, float(np.abs(finite).max()) if finite.size else 0.0)
        return value

    def regrouped(self, node: Node) -> Node:
        """Read ``a (x)^2`` as a times the square, where ``f(x)^2`` is the square of f(x)."""
        match node:
            case (Power(base=Apply(f, (x,))) | Transpose(base=Apply(f, (x,)))) as outer:
                name = _word(f)
                known = name in _FUNCTIONS or name in ("E", "Var", "Concat")
                if not known and not (name and self.callable(name)):
                    return Product("", f, replace(outer, base=x))
        return node

    def _number(self, node: Number) -> Value:
        value = self.constant(float(node.text))
        return Value(value.array, 0, literal=node.text)

    def _symbol(self, node: Symbol) -> Value:
        if node.name in self.indices and (node.name in self.ranges or self.is_index(node.name)):
            return Value(self.range_of(node.name), 0)
        try:
            thing = self.find(node.name)
        except UnboundError:
            if node.name in _CONSTANTS:
                return self.constant(_CONSTANTS[node.name])
            raise
        if callable(thing):
            raise EvaluationError(f"{node.name} is a function")
        return self.constant(thing, node.name)

    def base(self, node: Node) -> Value:
        """Evaluate what is indexed: ``q_i`` is row i of ``q``; of ``Q`` if there is no ``q``."""
        if isinstance(node, Symbol) and node.name not in self.variables:
            upper = node.name.upper()
            if len(node.name) == 1 and upper in self.variables:
                self.used[upper] = _described(self.variables[upper])
                return self.constant(self.variables[upper], upper)
        return self.value(node)

    def _subscript(self, node: Subscript) -> Value:
        if self.is_name(node):
            return self._symbol(Symbol(node.name))
        if _is_delta(node) and "delta" not in self.variables:
            i, j = (self.value(index).array for index in node.indices)
            return Value((i == j).astype(float), 0)
        try:
            base = self.base(node.base)
            if not base.rank:
                raise UnboundError(node.name)
            return self.indexed(base, _split(node.indices, base), self.sampling)
        except UnboundError as error:
            # Name what the author would have to bind: W_O, but alpha of alpha_ij.
            letters = all(isinstance(i, Symbol) and self.is_index(i.name) for i in node.indices)
            named = isinstance(node.base, Symbol) and not letters
            raise UnboundError(node.name if named else error.args[0]) from None

    def places(self, node: Subscript) -> tuple[Node, ...]:
        """Find the indices of a subscript."""
        return _split(node.indices, self.base(node.base))

    def _bracketed(self, node: Bracketed) -> Value:
        return self.indexed(self.base(node.base), (node.index,), False)

    def indexed(self, base: Value, indices: tuple[Node, ...], last: bool) -> Value:
        """Pick elements."""
        if len(indices) > base.rank:
            raise EvaluationError("there are more indices than axes")
        first = base.rank - len(indices) if last else 0
        places = [np.rint(self.value(index).array).astype(int) for index in indices]
        outside = base.array.shape[: len(self.indices)]
        shape = np.broadcast_shapes(outside, *(place.shape for place in places))
        for place, index, size in zip(places, indices, base.shape[first:], strict=False):
            inside = (place >= 1) & (place <= size)
            if not inside.all():
                letters = {s.name for s in walk(index) if isinstance(s, Symbol)} & set(self.indices)
                if isinstance(index, Symbol) or not letters or letters <= self.explicit:
                    raise EvaluationError(f"an index runs out of 1 to {size}")
                self.valid = self.valid & inside
        array = base.array
        if last:
            array = np.moveaxis(
                array, range(array.ndim - len(indices), array.ndim),
                range(len(self.indices), len(self.indices) + len(indices)),
            )  # fmt: skip
        grid = [
            np.arange(length).reshape([-1 if a == axis else 1 for a in range(len(shape))])
            if array.shape[axis] > 1
            else np.zeros((1,) * len(shape), int)
            for axis, length in enumerate(shape)
        ]
        clipped = [
            np.clip(place - 1, 0, size - 1)
            for place, size in zip(places, array.shape[len(self.indices) :], strict=False)
        ]
        picked = array[tuple(grid + clipped)]
        return Value(picked, base.rank - len(indices), sample=last)

    def _transpose(self, node: Transpose) -> Value:
        value = self.value(node.base)
        if value.rank >= 2:
            return Value(value.array.swapaxes(-1, -2), value.rank)
        return Value(value.array, value.rank, not value.transposed)

    def _power(self, node: Power) -> Value:
        base, exponent = self.value(node.base), self.value(node.exponent)
        if exponent.rank:
            raise EvaluationError("an exponent is not a number")
        power = exponent.array
        if base.rank >= 2 and base.shape[-1] == base.shape[-2] and power.size == 1:
            if power.flat[0] == -1:
                return Value(np.linalg.inv(base.array), base.rank)
            if power.flat[0] % 1 == 0:
                power = np.linalg.matrix_power(base.array, int(power.flat[0]))
                return Value(power, base.rank)
        if base.rank >= 2 and (power == -1).all():
            raise EvaluationError(f"only a square matrix has an inverse, and this is {base.shape}")
        array = base.array ** self.ranked(exponent, base.rank)
        return Value(array, base.rank, sample=base.sample)

    def _sum(self, node: Sum) -> Value:
        signs, nodes = zip(*node.terms, strict=True)
        values = [self.value(n) for n in nodes]
        rank = max(v.rank for v in values)
        total = sum(sign * self.ranked(v, rank) for sign, v in zip(signs, values, strict=True))
        literal = None
        if len(values) == 1 and values[0].literal:
            literal = values[0].literal
        own = [v for v in values if v.rank]
        transposed = bool(own) and all(v.transposed for v in own)
        sample = bool(own) and all(v.sample for v in own)
        return Value(np.asarray(total), rank, transposed, literal, sample)

    def _product(self, node: Product) -> Value:
        if node.op == "" and isinstance(node.right, Apply):
            infix = self.infix(node)
            if infix:
                return infix
        left, right = self.value(node.left), self.value(node.right)
        if node.op == "/":
            rank = max(left.rank, right.rank)
            with np.errstate(divide="ignore", invalid="ignore"):
                array = self.ranked(left, rank) / self.ranked(right, rank)
            return Value(array, rank, left.transposed, sample=left.sample)
        return self.times(left, right, node.op)

    def infix(self, node: Product) -> Value | None:
        r"""Read ``A \text{ dot } (B)``: the word says what is done with the two."""
        match node.right:
            case Apply(Symbol("dot"), (right,)) if "dot" not in self.variables:
                return self.times(self.value(node.left), self.value(right), "")
        return None

    def times(self, left: Value, right: Value, op: str) -> Value:
        """Multiply."""
        samples = left.sample and right.sample
        if self.sampling and op == r"\cdot" and left.rank == right.rank > 1:
            # A sample of vectors, one a row: q \cdot k is one number for each row.
            if left.shape != right.shape:
                raise EvaluationError(f"shapes {left.shape} and {right.shape} differ")
            array = (left.array * right.array).sum(-1)
            return Value(array, left.rank - 1, sample=True)
        if op == r"\odot" or samples or not left.rank or not right.rank:
            rank = max(left.rank, right.rank)
            if left.rank and right.rank and left.shape != right.shape:
                raise EvaluationError(f"shapes {left.shape} and {right.shape} differ")
            array = self.ranked(left, rank) * self.ranked(right, rank)
            return Value(array, rank, left.transposed or right.transposed, sample=samples)
        if left.rank == right.rank == 1:
            return self.vectors(left, right, op)
        inner = left.shape[-1], right.shape[-2 if right.rank > 1 else -1]
        if inner[0] != inner[1]:
            raise EvaluationError(
                f"shapes {left.shape} and {right.shape} cannot be multiplied: "
                f"{inner[0]} is not {inner[1]}"
            )
        if right.rank == 1:
            product = np.matmul(left.array, self.ranked_column(right, left.rank))[..., 0]
            return Value(product, left.rank - 1)
        if left.rank == 1:
            row = self.ranked(left, right.rank)
            return Value(np.matmul(row, right.array)[..., 0, :], right.rank - 1, left.transposed)
        rank = max(left.rank, right.rank)
        return Value(np.matmul(self.ranked(left, rank), self.ranked(right, rank)), rank)

    def vectors(self, left: Value, right: Value, op: str) -> Value:
        """Multiply two vectors."""
        if op != r"\cdot":
            self.oriented = True
            if left.transposed == right.transposed:
                raise EvaluationError(
                    r"which product of two vectors? write q \cdot k, q^\top k or q k^\top"
                )
            # As rows, a b^T is a number; as columns, a^T b is.
            if left.transposed != self.columns:
                outer = left.array[..., :, None] * right.array[..., None, :]
                return Value(outer, 2)
        if left.shape != right.shape:
            raise EvaluationError(f"vectors of {left.shape} and {right.shape} have no dot product")
        return Value((left.array * right.array).sum(-1), 0)

    def ranked(self, value: Value, rank: int) -> Any:
        """Give an array as many axes of its own as are wanted."""
        indices = value.array.shape[: value.array.ndim - value.rank]
        return value.array.reshape(indices + (1,) * (rank - value.rank) + value.shape)

    def ranked_column(self, value: Value, rank: int) -> Any:
        """Give a vector, laid as a column, as many axes as are wanted."""
        return self.ranked(Value(value.array[..., None], value.rank + 1), rank)

    def _apply(self, node: Apply) -> Value:
        name = _word(node.function)
        if name is not None:
            function = self.callable(name)
            if function is not None:
                return self.call(function, node.arguments, name)
            if name in ("E", "Var") and name not in self.variables:
                return self.expectation(name, node.arguments)
            if name == "Concat":
                return self.concatenation(node.arguments)
            if name in ("max", "min") and len(node.arguments) > 1:
                values = [self.value(a) for a in node.arguments]
                rank = max(v.rank for v in values)
                pick = np.maximum if name == "max" else np.minimum
                array = self.ranked(values[0], rank)
                for value in values[1:]:
                    array = pick(array, self.ranked(value, rank))
                return Value(array, rank)
            if name in _FUNCTIONS:
                (argument,) = node.arguments
                value = self.value(argument)
                return _FUNCTIONS[name](value)
        if len(node.arguments) != 1:
            raise UnboundError(name or "a function")
        # No function: side by side is a product.
        return self.times(self.value(node.function), self.value(node.arguments[0]), "")

    def callable(self, name: str) -> Any:
        """Find a function of the note."""
        for candidate in _spellings(name):
            thing = self.variables.get(candidate)
            if callable(thing):
                self.used[candidate] = "(function)"
                return thing
        return None

    def call(self, function: Any, arguments: tuple[Node, ...], name: str) -> Value:
        """Call a function of the note, once for each value of the indices."""
        values = [self.value(argument) for argument in arguments]
        count = len(self.indices)
        shape = np.broadcast_shapes((1,) * count, *(v.array.shape[:count] for v in values))
        if math.prod(shape) > 10_000:
            raise EvaluationError(f"{name} would have to be called {math.prod(shape)} times")
        results = []
        for place in np.ndindex(shape):
            given = [
                np.broadcast_to(v.array, shape + v.shape)[place] if v.rank
                else np.broadcast_to(v.array, shape)[place].item()
                for v in values
            ]  # fmt: skip
            try:
                results.append(np.asarray(function(*given)))
            except Exception as error:
                raise EvaluationError(f"{name} raises {type(error).__name__}: {error}") from error
        array = np.stack(results).astype(float)
        return Value(array.reshape(shape + results[0].shape), results[0].ndim)

    def expectation(self, name: str, arguments: tuple[Node, ...]) -> Value:
        """Estimate a mean or a variance from the note's sample."""
        (argument,) = arguments
        outer, self.sampling, self.sampled = self.sampling, True, True
        value = self.value(argument)
        self.sampling = outer
        axes = tuple(range(value.array.ndim - value.rank, value.array.ndim))
        if not axes:
            raise EvaluationError(f"{name} needs a sample; here is one number")
        if name == "E":
            # A mean of 0 is near 0 as measured by what it is the mean of.
            self.spread = max(self.spread, float(value.array.std(axis=axes).max()))
            return Value(value.array.mean(axis=axes), 0)
        return Value(value.array.var(axis=axes), 0)

    def concatenation(self, arguments: tuple[Node, ...]) -> Value:
        r"""``Concat(head_1, …, head_h)``: along the last axis."""
        values: list[Value] = []
        for position, argument in enumerate(arguments):
            if not isinstance(argument, Dots):
                values.append(self.value(argument))
                continue
            before, after = arguments[position - 1], arguments[position + 1]
            if not isinstance(before, Subscript) or not isinstance(after, Subscript):
                raise EvaluationError("the dots stand between things without numbers")
            low, high = (int(self.value(s.indices[0]).array.flat[0]) for s in (before, after))
            values += [
                self.value(Subscript(before.base, (Number(str(k)),), f"{_word(before.base)}_{k}"))
                for k in range(low + 1, high)
            ]
            if high == low:
                values.pop()
        return Value(np.concatenate([v.array for v in values], axis=-1), values[0].rank)

    def _reduce(self, node: Reduce) -> Value:
        index = node.index
        outer = self.ranges.pop(index, None)
        keep = None
        if node.high is not None:
            low = self.value(node.low or Number("1")).array
            high = self.value(node.high).array
            numbers = self.along(index, np.arange(int(low.min()), int(high.max()) + 1))
            keep = (numbers >= low) & (numbers <= high)
            self.ranges[index] = numbers
            self.explicit.add(index)
        numbers = self.range_of(index)
        body = self.value(node.body)
        axis = self.indices.index(index)
        if not numbers.size:
            raise EvaluationError(f"the range of {index} is empty")
        empty = {"sum": 0.0, "prod": 1.0, "max": -np.inf, "min": np.inf}.get(node.kind, np.nan)
        lengths = list(np.broadcast_shapes(
            body.array.shape[: len(self.indices)], numbers.shape,
            keep.shape if keep is not None else numbers.shape,
        ))  # fmt: skip
        array = np.broadcast_to(body.array, (*lengths, *body.shape))
        if keep is not None:
            array = np.where(keep.reshape(keep.shape + (1,) * body.rank), array, empty)
        if node.kind.startswith("arg"):
            pick = np.argmax if node.kind == "argmax" else np.argmin
            array = np.take(numbers.ravel(), np.expand_dims(pick(array, axis=axis), axis))
        else:
            array = getattr(np, node.kind)(array, axis=axis, keepdims=True)
        self.ranges.pop(index, None)
        if outer is not None:
            self.ranges[index] = outer
        return Value(np.asarray(array), body.rank, sample=body.sample)

    def _norm(self, node: Norm) -> Value:
        value = self.value(node.body)
        if node.kind == "abs":
            return Value(np.abs(value.array), value.rank)
        if node.kind not in ("", "2", "F"):
            raise EvaluationError(f"the norm {node.kind} is not known")
        if node.kind == "2" and value.rank > 1:
            raise EvaluationError("of matrices, only the Frobenius norm is known; write _F")
        axes = tuple(range(value.array.ndim - value.rank, value.array.ndim))
        return Value(np.sqrt((value.array**2).sum(axis=axes)), 0)

    def _matrix(self, node: Matrix) -> Value:
        rows = [[self.value(cell) for cell in row] for row in node.rows]
        if len({len(row) for row in rows}) != 1 or any(c.rank for row in rows for c in row):
            raise EvaluationError("a matrix written out has rows of different lengths")
        shape = np.broadcast_shapes(*(c.array.shape for row in rows for c in row))
        array = np.array([[np.broadcast_to(c.array, shape) for c in row] for row in rows])
        array = np.moveaxis(array, (0, 1), (-2, -1))
        literals = [c.literal for row in rows for c in row if c.literal]
        literal = max(literals, key=len) if literals else None
        if len(rows) == 1:
            return Value(array[..., 0, :], 1, literal=literal)
        if len(rows[0]) == 1:
            return Value(array[..., :, 0], 1, literal=literal)
        return Value(array, 2, literal=literal)

    def _cases(self, node: Cases) -> Value:
        result: Any = None
        for branch, condition in reversed(node.branches):
            array = self.value(branch).array
            if condition is None:
                result = array
                continue
            left, right = (self.value(side).array for side in condition.sides)
            holds = _COMPARISONS[condition.relations[0]](left, right)
            result = np.where(holds, array, np.nan if result is None else result)
        return Value(np.asarray(result), 0)

    def _dots(self, node: Dots) -> Value:  # noqa: ARG002
        raise EvaluationError("dots stand for nothing here")

    # Telling

    def place(self, worst: tuple[Any, ...], rank: int) -> str:
        """Tell where an element stands: by its indices, counted from 1."""
        count = len(self.indices)
        parts = [
            f"{name} = {np.broadcast_to(self.ranges[name], self.ranges[name].shape).ravel()[at]}"
            for name, at in zip(self.indices, worst[:count], strict=True)
            if name in self.ranges and self.ranges[name].size > 1
        ]
        if rank:
            parts.append(f"element {tuple(int(at) + 1 for at in worst[count:])}")
        return f" at {', '.join(parts)}" if parts else ""


def _word(node: Node) -> str | None:
    match node:
        case Symbol(name):
            return name
        case Subscript(name=name):
            return name
        case _:
            return None


def _split(indices: tuple[Node, ...], base: Value) -> tuple[Node, ...]:
    r"""Part ``21`` and ``2j`` in two: of what has two axes, ``\alpha_{21}`` is one element."""
    match indices:
        case (Number(text),) if base.rank > 1 and len(text) == 2 and int(text) > base.shape[0]:
            return tuple(Number(digit) for digit in text)
        case (Product("", Number() as first, second),) if base.rank > 1:
            return (first, second)
        case _:
            return indices


def _spellings(name: str) -> tuple[str, ...]:
    """List the Python names that a name may stand for.

    Words may be written with capitals in a formula; but Φ is not φ, nor is Q q.
    """
    if len(name) == 1 or name in _GREEK_CAPITALS:
        return (name, name + "_")
    return (name, name + "_", name.lower())


def _is_delta(node: Subscript) -> bool:
    return node.base == Symbol("delta")


def _is_expectation(node: Apply) -> bool:
    return node.function in (Symbol("E"), Symbol("Var"))


def _indexable(thing: Any) -> bool:
    return isinstance(thing, (list, tuple)) or np.ndim(thing) > 0


def _described(thing: Any) -> str:
    if callable(thing):
        return "(function)"
    if isinstance(thing, (list, tuple)):
        return f"({len(thing)} items)"
    shape = np.shape(thing)
    return f"{shape}" if shape else f"= {thing}"


def _elementwise(function: Callable[[Any], Any]) -> Callable[[Value], Value]:
    def apply(value: Value) -> Value:
        with np.errstate(all="ignore"):
            return Value(function(value.array), value.rank)

    return apply


def _matrix_function(function: Callable[[Any], Any], change: int) -> Callable[[Value], Value]:
    def apply(value: Value) -> Value:
        needed = 1 if change > 0 else 2
        if value.rank != needed:
            raise EvaluationError(f"a function wants {needed} axes, not {value.rank}")
        return Value(np.asarray(function(value.array)), value.rank + change)

    return apply


def _diagonal(array: Any) -> Any:
    return array[..., :, None] * np.eye(array.shape[-1])


_GREEK_CAPITALS = {"Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi",
                   "Psi", "Omega"}  # fmt: skip
_COMPARISONS = {"=": np.equal, "≠": np.not_equal, "<": np.less, "≤": np.less_equal,
                ">": np.greater, "≥": np.greater_equal}  # fmt: skip
_CONSTANTS = {"pi": math.pi, "infty": math.inf, "e": math.e}
_FUNCTIONS: dict[str, Callable[[Value], Value]] = {
    **{name: _elementwise(getattr(np, name)) for name in
       ("exp", "log", "sqrt", "sin", "cos", "tan", "tanh", "sinh", "cosh", "arccos")},
    "ln": _elementwise(np.log),
    "abs": _elementwise(np.abs),
    "diag": _matrix_function(_diagonal, 1),
    "tr": _matrix_function(lambda a: np.trace(a, axis1=-2, axis2=-1), -2),
    "rank": _matrix_function(np.linalg.matrix_rank, -2),
    "det": _matrix_function(np.linalg.det, -2),
}  # fmt: skip
