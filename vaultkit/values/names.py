"""Resolves the names of a formula: to a variable, an element of one, an index or a function.

A formula is ambiguous: ``d_k`` is a name or an element of ``d``, ``a (x)`` a function's value or a
product, ``k`` a variable or the index of a sum. The variables of the note decide. All names are
resolved before anything is evaluated, so no verdict depends on the order of evaluation.

An *index* is a letter that runs over numbers: it is *bound* by a sum, or *free*, so that the
statement is about each of its values. ``env`` maps the letters that are bound around a node to the
unique names of their indices.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, NamedTuple

import numpy as np

from vaultkit.tex.ranges import DOTS_INDEX
from vaultkit.tex.tree import (
    Apply,
    Bracketed,
    Derivative,
    Differential,
    Function,
    Matrix,
    Node,
    Number,
    Power,
    Product,
    Range,
    Reduce,
    Statement,
    Subscript,
    Sum,
    Symbol,
    Transpose,
    walk,
)
from vaultkit.values.functions import OF_MATRICES, WORDS
from vaultkit.values.nodes import Call, Element, Expectation, Index
from vaultkit.values.records import MEASURES, EvaluationError, UnboundError
from vaultkit.values.samples import FEWEST
from vaultkit.values.spellings import spellings, without_underscore

CONSTANTS = {"pi": np.pi, "infty": np.inf, "e": np.e}
#: Letters that are indices unless the note binds a variable of that name.
_INDEX_LETTERS = frozenset("abcijklrstuv")
#: Letters of loop variables: a number in one of them is not meant by a condition.
_LOOP_LETTERS = frozenset("ijl")
EXPECTATIONS = ("E", "Var", "Cov")


class _IndexedName(NamedTuple):
    """The name of a variable, and the indices that pick an element of it."""

    name: str
    indices: tuple[Node, ...] = ()


class NameResolver:
    """Resolves the names of a statement.

    `resolve_node` resolves a node by the method that is named after its class, ``_subscript`` for a
    `Subscript`; those without a method have only their children resolved.

    Parameters
    ----------
    variables
        The variables of the note.
    """

    def __init__(self, variables: Mapping[str, Any]) -> None:
        self.variables = variables
        #: The free indices, which no sum binds, and the unique names of all indices.
        self.free: set[str] = set()
        self.indices: list[str] = []
        #: The free indices that the first pass has found.
        self.known_free: set[str] = set()
        #: The units of measurement behind numbers, which are not part of the resolved statement.
        self.units: set[str] = set()
        #: Whether this is the first of two passes, which finds the free indices.
        self.is_first_pass = False
        #: Whether the node that is being resolved is in an expectation, or in a condition.
        self.in_expectation = False
        self.in_condition = False

    def resolve(self, statement: Node) -> Node:
        """Return the statement with all names resolved."""
        # Whether a letter is a free index may be known only from a later part of the statement.
        self.is_first_pass = True
        self.resolve_node(statement, {})
        self.is_first_pass = False
        self.known_free = set(self.free)
        self.indices = sorted(self.free)
        resolved = self.resolve_node(statement, {})
        if len(self.units) > 1:
            raise EvaluationError(f"different units: {', '.join(sorted(self.units))}")
        return resolved

    # Lookup

    def find(self, name: str) -> str | None:
        """Return the variable that a name refers to, if there is one."""
        return next((s for s in spellings(name) if s in self.variables), None)

    def find_indexed(self, node: Node) -> str | None:
        """Return the variable that the base of an index names.

        It is ``q``; or ``Q`` if no ``q`` is bound, since papers write q_i for a row of Q.
        """
        if not isinstance(node, Symbol):
            return None
        name = self.find(node.name)
        if name is None and len(node.name) == 1 and node.name.upper() in self.variables:
            return node.name.upper()
        return name

    def find_function(self, node: Node) -> tuple[str, Callable[..., Any]] | None:
        """Return the name and the function that a node names; None if it names no function."""
        name = node.name if isinstance(node, (Symbol, Subscript)) else ""
        variable = self.find(name) if name else None
        if variable is None or not callable(self.variables[variable]):
            return None
        return variable, self.variables[variable]

    def is_index(self, letter: str) -> bool:
        """Return whether a letter in the position of an index is an index, not a variable.

        It is an index even if the note binds it to an integer, which a loop may have left.
        """
        if letter == DOTS_INDEX:
            return True
        if letter not in _INDEX_LETTERS:
            return False
        value = self.variables.get(letter)
        if value is None:
            return True
        return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))

    def are_index_letters(self, indices: Iterable[Node], env: Mapping[str, str]) -> bool:
        """Return whether all of these are index letters: bound by a sum (in ``env``), or free."""
        return all(
            isinstance(index, Symbol) and (index.name in env or self.is_index(index.name))
            for index in indices
        )

    def find_subscripted(self, node: Subscript, env: Mapping[str, str]) -> str | None:
        """Return the variable ``d_k``; None if it is not bound, or is an element of ``d``."""
        base = self.find_indexed(node.base)
        array: Any = self.variables[base] if base else None
        may_be_element = array is not None and _is_indexable(array)
        variable = self.find(node.name) if node.name else None
        if variable is None:
            # x_1 may be x1 in code; but not if it can be an element of x.
            others = without_underscore(node.name) if node.name and not may_be_element else ()
            return next((name for name in others if name in self.variables), None)
        if not may_be_element:
            return variable
        if variable != node.name:  # another spelling is less likely than an element
            return None
        is_base_exact = base == getattr(node.base, "name", "")
        if not is_base_exact or not self.are_index_letters(node.indices, env):
            return variable
        # Both are bound. A variable left by a loop has the shape of an element.
        try:
            shape_of_element = np.shape(array)[len(node.indices) :]
            return None if np.shape(self.variables[variable]) == shape_of_element else variable
        except ValueError:  # a list of lists of different lengths has no shape
            return variable

    # Resolution

    def resolve_node(self, node: Node, env: Mapping[str, str]) -> Node:
        """Resolve a node; ``env`` maps the letters that sums around it bind to their indices."""
        method = getattr(self, "_" + type(node).__name__.lower(), None)
        resolved: Node = method(node, env) if method else self.resolve_children(node, env)
        if resolved.span == (0, 0):  # a new node, which is frozen
            object.__setattr__(resolved, "span", node.span)
        return resolved

    def resolve_children(self, node: Node, env: Mapping[str, str]) -> Node:
        """Return a node with all children resolved; one named ``when`` is a condition."""
        changed = {}
        outer = self.in_condition
        for part in fields(node):
            if part.name != "span":
                self.in_condition = outer or part.name == "when"
                changed[part.name] = self.resolve_field(getattr(node, part.name), env)
        self.in_condition = outer
        return replace(node, **changed)

    def resolve_field(self, thing: Any, env: Mapping[str, str]) -> Any:
        """Resolve a node, or all nodes of a tuple."""
        if isinstance(thing, tuple):
            return tuple(self.resolve_field(part, env) for part in thing)
        return self.resolve_node(thing, env) if isinstance(thing, Node) else thing

    def resolve_index(self, node: Node, env: Mapping[str, str]) -> Node:
        """Resolve a node in the position of an index; record its letters as free indices."""
        for symbol in walk(node):
            if isinstance(symbol, Symbol) and symbol.name not in env and self.is_index(symbol.name):
                self.free.add(symbol.name)
        return self.resolve_node(node, env)

    def _symbol(self, node: Symbol, env: Mapping[str, str]) -> Node:
        """Resolve a name to an index, a variable or a constant, or raise UnboundError."""
        if node.name in env:
            return Index(env[node.name])
        may_be_free = self.is_index(node.name) and node.name not in self.variables
        # In the first pass, a later part of the statement may still show that it is free.
        if node.name in self.free or (self.is_first_pass and may_be_free):
            return Index(node.name)
        name = self.find(node.name)
        if name is not None:
            is_left_by_loop = name in _LOOP_LETTERS and self.is_index(name)
            if self.in_condition and is_left_by_loop and not self.is_first_pass:
                # A value that a loop has left in i is not a condition on an index.
                raise UnboundError(name)
            return Symbol(name)
        if node.name in CONSTANTS or node.name == "I":
            return node
        raise UnboundError(node.name)

    def _function(self, node: Function, env: Mapping[str, str]) -> Node:  # noqa: ARG002
        r"""Return ``\mathbf{1}``, the vector of ones; other functions need an argument."""
        if node.name != "ones":
            raise EvaluationError(f"{node.name} needs an argument")
        return node

    def _subscript(self, node: Subscript, env: Mapping[str, str]) -> Node:
        """Resolve ``x_i`` to the variable ``x_i``, or to an element of the variable ``x``."""
        if name := self.find_subscripted(node, env):
            return Symbol(name)
        if isinstance(node.base, Apply) and not self.is_call(node.base):
            # a (x)_i is a times x_i.
            return self.resolve_node(_apply_to_argument(node, node.base), env)
        if node.base in (Symbol("delta"), Symbol("I")) and self.find_indexed(node.base) is None:
            if len(node.indices) == 2:  # Kronecker's delta, an element of I
                indices = tuple(self.resolve_index(index, env) for index in node.indices)
                return Apply(Function("delta"), indices)
            if node.base == Symbol("I"):
                return Apply(Function("eye"), self.resolve_field(node.indices, env))
        base = self.resolve_base(node, env)
        try:
            indices = tuple(self.resolve_index(index, env) for index in node.indices)
        except UnboundError as error:
            # Of an unbound d_q, the name d_q is missing rather than q.
            raise UnboundError(node.name or str(error.args[0])) from None
        return Element(base, indices, last=self.in_expectation)

    def resolve_base(self, node: Subscript, env: Mapping[str, str]) -> Node:
        """Resolve what is indexed; raise UnboundError, with the fitting name, if it is unbound."""
        has_letters = self.are_index_letters(node.indices, env)
        if isinstance(node.base, Symbol):
            name = self.find_indexed(node.base)
            if name is not None and _is_indexable(self.variables[name]):
                return Symbol(name)
            # Of x_i the array x is missing, of d_model the variable d_model.
            is_base_missing = not node.name or (has_letters and name is None)
            raise UnboundError(node.base.name if is_base_missing else node.name)
        try:
            return self.resolve_node(node.base, env)
        except UnboundError:
            if isinstance(node.base, Subscript) and has_letters:
                raise
            raise UnboundError(node.name or "what is indexed") from None

    def _bracketed(self, node: Bracketed, env: Mapping[str, str]) -> Node:
        """Resolve ``z^{(2)}`` to an element of ``z`` along its first axis."""
        name = self.find_indexed(node.base)
        base = Symbol(name) if name else self.resolve_node(node.base, env)
        return Element(base, (self.resolve_index(node.index, env),))

    def _derivative(self, node: Derivative, env: Mapping[str, str]) -> Node:
        """Resolve a derivative by ``w_i`` to ``dL_dw_i``, or to an element of ``dL_dw``.

        ``dx / dt`` may also be a quotient of variables.
        """
        above, below = self.split_name(node.above), self.split_name(node.below)
        readings = [
            _IndexedName(f"d{f.name}_d{x.name}", f.indices + x.indices)
            for f, x in itertools.product(above, below)
        ]
        # The last reading, with the shortest name, is the one that a message says is missing.
        name, indices = next((r for r in readings if r.name in self.variables), readings[-1])
        if name not in self.variables:
            names = [part.name for part in walk(node.quotient) if isinstance(part, Symbol)]
            if node.quotient and all(map(self.find, names)):
                return self.resolve_node(node.quotient, env)  # dx and dt, or d, are variables
            raise UnboundError(name)
        if not indices:
            return Symbol(name)
        return Element(Symbol(name), tuple(self.resolve_index(i, env) for i in indices))

    def _differential(self, node: Differential, env: Mapping[str, str]) -> Node:  # noqa: ARG002
        raise EvaluationError(r"\partial is alone; a derivative is written as a fraction")

    def split_name(self, node: Node) -> list[_IndexedName]:
        """Return the readings of a name: ``w_i`` is ``w_i``, or ``w`` with the index ``i``."""
        match node:
            case Symbol(name):
                return [_IndexedName(name)]
            case Subscript(base, indices, name):
                readings = [_IndexedName(name)]
                symbols = [part for part in walk(indices) if isinstance(part, Symbol)]
                if all(self.is_index(symbol.name) for symbol in symbols):
                    readings += [
                        _IndexedName(reading.name, reading.indices + indices)
                        for reading in self.split_name(base)
                    ]
                return readings
            case _:
                raise EvaluationError("a derivative has a name above and a name below")

    def is_call(self, node: Apply) -> bool:
        """Return whether ``f(x)`` is a function call, not a product.

        It calls a function of the note, or a built-in one whose name no variable has.
        """
        if isinstance(node.function, Function) or self.find_function(node.function):
            return True
        name = node.function.name if isinstance(node.function, (Symbol, Subscript)) else ""
        if name not in WORDS and name not in EXPECTATIONS and name.lower() != "concat":
            return False
        variable = self.find(name)
        return variable is None or self._is_of_matrix(node, name, self.variables[variable])

    def _is_of_matrix(self, node: Apply, name: str, value: Any) -> bool:
        r"""Return whether ``\text{rank}(M)`` is the rank of M, though a number is called *rank*."""
        match node.arguments:
            case (Symbol(other),) if name in OF_MATRICES and not np.ndim(value):
                matrix: Any = self.variables.get(self.find(other) or "")
                return np.ndim(matrix) == 2
        return False

    def _apply(self, node: Apply, env: Mapping[str, str]) -> Node:
        """Resolve ``f(x)`` to a call of a function, or to the product of ``f`` and ``x``."""
        # The grammar knows commands such as \exp; an E may be a function of the note.
        if isinstance(node.function, Function) and node.function.name != "E":
            return Apply(node.function, self.resolve_field(node.arguments, env))
        function = self.find_function(node.function)
        if function:
            return Call(*function, self.resolve_field(node.arguments, env))
        name = (
            node.function.name if isinstance(node.function, (Symbol, Subscript, Function)) else ""
        )
        if self.is_call(node):
            if name in EXPECTATIONS:
                was_in_expectation, self.in_expectation = self.in_expectation, True
                arguments = self.resolve_field(node.arguments, env)
                self.in_expectation = was_in_expectation
                return Expectation(name, arguments)
            arguments = self.resolve_field(node.arguments, env)
            if name == "diag" and (len(arguments) > 1 or isinstance(arguments[0], Reduce)):
                arguments = (Matrix((arguments,), is_tuple=True),)  # diag(1, 2, 4)
            return Apply(Function(name), arguments)
        if len(node.arguments) != 1:
            raise UnboundError(name or "a function")
        # It is not a function: adjacent factors are a product.
        return self._product(Product("", node.function, node.arguments[0]), env)

    def _power(self, node: Power, env: Mapping[str, str]) -> Node:
        """Resolve ``e^x`` to the exponential function, ``W^Q`` to ``W_Q``, others to a power.

        In ``a (x)^2``, where ``a`` is no function, the power is that of ``x``.
        """
        if isinstance(node.base, Apply) and not self.is_call(node.base):
            return self.resolve_node(_apply_to_argument(node, node.base), env)
        match node:
            case Power(Symbol("e"), exponent) if "e" not in self.variables:
                return Apply(Function("exp"), (self.resolve_node(exponent, env),))
            case Power((Symbol() | Subscript()) as base, Symbol(mark)) if mark not in env:
                # W^Q, which some write for W_Q; no power if Q is an array.
                exponent_value = self.variables.get(mark)
                is_number = exponent_value is not None and np.ndim(exponent_value) == 0
                name = f"{base.name}_{mark}"
                if name in self.variables and not is_number:
                    return Symbol(name)
        return self.resolve_children(node, env)

    def _transpose(self, node: Transpose, env: Mapping[str, str]) -> Node:
        """Resolve a transpose; in ``a (x)^T``, where ``a`` is no function, it is that of ``x``."""
        if isinstance(node.base, Apply) and not self.is_call(node.base):
            return self.resolve_node(_apply_to_argument(node, node.base), env)
        return self.resolve_children(node, env)

    def _product(self, node: Product, env: Mapping[str, str]) -> Node:
        """Resolve a product; in an expectation, it is taken for each member of a sample.

        A unit is left out.
        """
        match node:
            case Product("", left, Apply(Symbol("dot"), (right,))) if "dot" not in self.variables:
                # In A \text{ dot } (B), the word is an operator.
                return Product("", self.resolve_node(left, env), self.resolve_node(right, env))
            case Product("", left, Symbol(unit)) if self._is_unit(unit) and _is_numeric(left):
                self.units.add(unit)
                return self.resolve_node(left, env)
        if self.in_expectation and node.op == r"\cdot":
            # For a sample of vectors in rows, q \cdot k is one number for each row.
            return Product(
                "rows", self.resolve_node(node.left, env), self.resolve_node(node.right, env)
            )
        if self.in_expectation and node.op == "":
            left, right = self.resolve_node(node.left, env), self.resolve_node(node.right, env)
            # For two samples of numbers, u w is one number for each member.
            op = r"\odot" if self.is_sample(left) and self.is_sample(right) else ""
            return Product(op, left, right)
        return self.resolve_children(node, env)

    def _is_unit(self, name: str) -> bool:
        """Return whether a name is a unit of measurement, not a variable or an index."""
        is_bound = self.find(name) is not None or name in self.free
        return name in MEASURES and not is_bound

    def is_sample(self, node: Node) -> bool:
        """Return whether a node has one number for each member of a sample.

        It may be a variable, or a multiple, power, sum, quotient or product of such variables.
        """
        match node:
            case Power(base):
                return self.is_sample(base)
            case Sum(terms):
                return any(self.is_sample(term) for _, term in terms)
            case Product(op, left, right):
                others = [side for side in (left, right) if not self.is_sample(side)]
                if not others:  # any other product of two samples is one number
                    return op in (r"\odot", "/")
                return len(others) == 1 and self._is_number(others[0])
            case Symbol(name):
                value = self.variables.get(name, 0)
                return np.ndim(value) == 1 and np.size(value) >= FEWEST
        return False

    def _is_number(self, node: Node) -> bool:
        """Return whether a node is a number, the same for all members of a sample."""
        match node:
            case Number():
                return True
            case Symbol(name):
                return isinstance(self.variables.get(name), (int, float, np.number))
            case Power(base, exponent):
                return self._is_number(base) and self._is_number(exponent)
            case Product(_, left, right):
                return self._is_number(left) and self._is_number(right)
        return False

    def _range(self, node: Range, env: Mapping[str, str]) -> Node:
        """Resolve the ends of a range; its letter becomes a free index unless it is a variable."""
        assert isinstance(node.index, Symbol)
        name = node.index.name
        low, high = self.resolve_node(node.low, env), self.resolve_node(node.high, env)
        if low == high and name in self.variables and name not in self.free | _LOOP_LETTERS:
            return Statement((Symbol(name), low), ("=",))  # in d_k = 4, k = 3, for the name d_k
        index: Node = Index(name)
        if not self.is_index(name):
            index = self.resolve_node(node.index, env)
        if isinstance(index, Index):
            self.free.add(index.name)
        return Range(index, low, high)

    def _reduce(self, node: Reduce, env: Mapping[str, str]) -> Node:
        """Resolve a sum or the like: one nested reduction per index letter, each uniquely named."""
        letters = node.indices or self.letters_of_conditions(node, env)
        low = self.resolve_node(node.low, env) if node.low else None
        high = self.resolve_node(node.high, env) if node.high else None
        inner_env = dict(env)
        unique_names = []
        for letter in letters:
            name = letter
            while name in self.indices:
                name += "'"
            self.indices.append(name)
            inner_env[letter] = name
            unique_names.append(name)
        conditions = tuple(self.resolve_node(part, inner_env) for part in node.conditions)
        body = self.resolve_node(node.body, inner_env)
        # The conditions may use all letters, so the innermost reduction has them.
        for name in reversed(unique_names):
            body = Reduce(node.kind, (name,), low, high, body, conditions)
            conditions = ()
        return body

    def letters_of_conditions(self, node: Reduce, env: Mapping[str, str]) -> tuple[str, ...]:
        r"""Return the letters that ``\sum_{i < j}`` sums over: those not bound around it."""
        names = [part.name for part in walk(node.conditions) if isinstance(part, Symbol)]
        letters = dict.fromkeys(n for n in names if n not in env and self.is_index(n))
        if not letters:
            raise EvaluationError(f"\\{node.kind} has no index to run over")
        summed = tuple(letter for letter in letters if letter not in self.known_free)
        # \sum_{i < j} is a sum over pairs. In \sum_{j < i}, i may be fixed by the text around
        # the formula, which the checks cannot know.
        is_in_order = list(summed) == sorted(summed)
        if len(summed) > 1 and not is_in_order and not self.is_first_pass:
            sign = f"\\{node.kind}"
            raise EvaluationError(
                f"does {sign} count by {summed[0]} alone? write {sign}_{summed[1]}"
            )
        # If all letters are free elsewhere, the first one is another letter of the same name.
        return summed or (next(iter(letters)),)


def _apply_to_argument(outer: Node, product: Apply) -> Product:
    """Return ``a (x)^2`` as a times the square; ``f(x)^2`` would be the square of f(x).

    ``outer`` is a power, an index or a transpose of ``product``.
    """
    changed: Any = replace(outer, base=product.arguments[0])  # type: ignore[call-arg]
    if isinstance(changed, Subscript):
        changed = replace(changed, name="")  # (x)_i is no name
    return Product("", product.function, changed)


def _is_indexable(value: Any) -> bool:
    """Return whether a variable has elements: a list or an array."""
    if isinstance(value, (list, tuple)):
        return True
    return not callable(value) and np.ndim(value) > 0


def _is_numeric(node: Node) -> bool:
    """Return whether a node is computed from numbers alone, without names."""
    return all(isinstance(part, (Number, Power, Sum, Product)) for part in walk(node))
