"""Changes the numbers in code: seeds, values of literal arrays, sizes.

A statement that holds for the numbers of a page may hold by chance. On a few sets of other numbers
of the same kind, a false identity between polynomials or fractions fails almost surely (Schwartz
1980, Zippel 1979).

Only statements at the top level of a block or module are changed: a function contains a method, not
data.
"""

from __future__ import annotations

import ast
import contextlib
import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import CodeType
from typing import Any, TypeGuard

import numpy as np

from vaultkit.run.dependencies import import_afresh

#: Names of functions that make a generator of random numbers from a seed, in any library.
_SEEDED = re.compile(r"default_rng|seed|SeedSequence|PCG64|MT19937|Philox|\w*Random\w*|\w*Rng")
#: Sizes below the first number grow. Others get a share of their value, and those above the second
#: half of that share, so that a trial takes no longer than the page.
_SMALL, _LARGE = 16, 512
_SHARES = (Fraction(1, 2), Fraction(3, 4), Fraction(5, 4), Fraction(3, 2), Fraction(7, 4))
#: Instead of a place: the size is doubled, or grows by one, as an axis of a literal array does.
DOUBLED, GROWN = -1, -2
#: How far numbers change: by a factor of about ``exp(0.5)`` up or down.
_SPREAD = 0.5
#: Fewest elements of a vector whose order may be meant.
_ORDERED = 3


@dataclass(frozen=True)
class Variation:
    """One set of other numbers.

    Attributes
    ----------
    trial
        Number of the set, from 1.
    places
        The place of each size among the sizes, from 0, by its name; equal sizes with different
        places become different. Or `DOUBLED` or `GROWN`.
    grows
        The axes of literal arrays of floats that get one more element: ``all``, the last one
        (``columns``), or the first one of several (``rows``).
    numbers
        Whether literal floats that are bound to a name change.
    data
        Whether data change, too: numbers in lists and dictionaries that are bound to a name,
        integers in literal arrays, fractions, the ends of ``linspace``, and floats that are passed
        to ``functions``. Some of these may be indices or lengths, with which the code then fails.
    functions
        The names of the functions that the note defines.
    """

    trial: int
    places: Mapping[str, int] = field(default_factory=dict)
    grows: str = ""
    numbers: bool = True
    data: bool = False
    functions: frozenset[str] = frozenset()

    def rewrite(self, tree: ast.Module) -> ast.Module:
        """Replace numbers in parsed code, in place.

        >>> code = "rng = default_rng(3); x = array([1.0, 2.5]); n = 4; m = 4"
        >>> tree = Variation(1, {"n": 1}).rewrite(ast.parse(code))
        >>> ast.unparse(tree).split(chr(10))[::2]
        ['rng = default_rng(1003)', 'n = 12']
        """
        _Rewriter(self).visit(tree)
        return tree

    def size(self, size: int, place: int) -> int:
        """Return another size; ``place`` is the rank of the size among those that change.

        >>> [Variation(1).size(2, place) for place in range(3)]
        [4, 6, 8]
        >>> [Variation(1).size(64, place) for place in range(3)]
        [32, 48, 80]
        >>> Variation(1).size(64, DOUBLED), Variation(1).size(64, GROWN)
        (128, 65)
        """
        if size < 1:
            return size
        if place < 0:
            return size + 1 if place == GROWN else 2 * size
        if size < _SMALL:
            return size * (place + 2)
        share = _SHARES[place % len(_SHARES)]
        return int(size * (share if size <= _LARGE else share / 2)) + place // len(_SHARES)

    def number(self, number: float) -> float:
        """Return another number of the same kind: a number between 0 and 1 gives such a number.

        >>> 0 < Variation(1).number(0.9) < 1, Variation(1).number(2.5) == 2.5
        (True, False)
        """
        varied = number * float(self._factors(np.array(number)))
        if 0 < abs(number) < 1:
            # The factor changes the odds p / (1 - p), so that the result remains below 1.
            odds = varied / (1 - abs(number))
            return odds / (1 + abs(odds))
        return varied

    def fraction(self, numerator: int, denominator: int) -> tuple[int, int]:
        """Return another fraction; one between 0 and 1 remains there.

        >>> numerator, denominator = Variation(1).fraction(3, 4)
        >>> 3 < numerator < denominator
        True
        """
        random = np.random.default_rng([self.trial, abs(numerator), abs(denominator)])
        step, more = (int(number) for number in random.integers(1, 7, size=2))
        is_part_of_one = abs(numerator) < denominator
        denominator += more + (step if is_part_of_one else 0)
        return numerator + (-step if numerator < 0 else step), denominator

    def values(self, array: Any) -> Any:
        """Return other values of the same kind.

        Zeros, ones, signs and sums of 1 remain, and so do symmetry and the order of three or more.

        >>> Variation(1).values(np.array([2, 5, 7])).tolist()
        [2, 3, 10]
        """
        total = array.sum(axis=-1) if array.ndim else array
        are_shares = array.ndim and np.all(array >= 0) and np.allclose(total, 1.0)
        if self.grows and array.ndim:
            grows = [self.grows == "all"] * array.ndim
            grows[-1] |= self.grows == "columns"
            grows[0] |= self.grows == "rows" and array.ndim > 1
            array = np.pad(array, [(0, int(axis_grows)) for axis_grows in grows], mode="edge")
        factors = self._factors(array)
        if array.ndim == 2 and np.array_equal(array, array.T):
            factors = (factors + factors.T) / 2
        varied = np.where(np.isin(np.abs(array), (0, 1)), array, array * factors)
        if array.dtype.kind == "i":
            return self._round_integers(array, varied)
        if are_shares:
            return varied / varied.sum(axis=-1, keepdims=True)
        return _sort_like(array, varied)

    def _round_integers(self, array: Any, varied: Any) -> Any:
        """Round to integers; those that differ remain different, and none becomes 0 or 1.

        ``varied`` are the other values of the integers in ``array``; 0, 1 and -1 are kept.
        """
        fixed = np.isin(np.abs(array), (0, 1))
        varied = np.where(fixed, array, np.sign(array) * np.fmax(2, np.abs(np.rint(varied))))
        varied = _sort_like(array, varied).astype(int)
        if len(np.unique(array)) < array.size:
            return varied  # some are equal already
        # From the smallest on, each that is taken moves away from 0 until it is free.
        taken = set(array[fixed].tolist())
        flat, signs = varied.ravel(), np.sign(array.ravel())
        for at in np.lexsort((abs(array.ravel()), abs(flat))):
            while not fixed.ravel()[at] and int(flat[at]) in taken:
                flat[at] += signs[at]
            taken.add(int(flat[at]))
        return flat.reshape(array.shape)

    def _factors(self, array: Any) -> Any:
        """Return a random factor for each element; the same ones for the same array and trial."""
        seed = [self.trial, *array.shape, *np.asarray(array, dtype=float).ravel().view(np.uint32)]
        return np.exp(_SPREAD * np.random.default_rng(seed).normal(size=array.shape))


def _sort_like(array: Any, varied: Any) -> Any:
    """Sort varied values up or down if the original values are sorted so: times, thresholds."""
    if array.ndim != 1 or array.size < _ORDERED:
        return varied
    steps = np.diff(array)
    if (steps > 0).all():
        return np.sort(varied)
    return np.sort(varied)[::-1] if (steps < 0).all() else varied


class _Rewriter(ast.NodeTransformer):
    """Changes the numbers in a syntax tree as a variation says; functions keep theirs."""

    def __init__(self, variation: Variation) -> None:
        self.variation = variation

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = visit_FunctionDef  # type: ignore[assignment]

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Change the seed, the array literal or the data that a call passes."""
        self.generic_visit(node)
        # The last name of the function: ``default_rng`` of ``np.random.default_rng``.
        function: Any = node.func
        name = str(getattr(function, "attr", "") or getattr(function, "id", ""))
        if _SEEDED.fullmatch(name) and len(node.args) == 1:
            node.args = [self.change_seed(node.args[0])]
        for keyword in node.keywords:
            if keyword.arg == "seed":
                keyword.value = self.change_seed(keyword.value)
        if name in ("array", "asarray") and node.args:
            node.args[0] = self.with_other_values(node.args[0])
        elif self.variation.data:
            self.change_data_of_call(name, node)
        return node

    def change_data_of_call(self, name: str, node: ast.Call) -> None:
        """Change the numbers that a call passes, in place, if it is known that they are data.

        These are floats that a function of the note gets, the ends of ``linspace`` (unless they are
        0 and 1, which may be shares) and the parts of a ``Fraction``. ``name`` is the function's.
        """
        arguments: list[Any] = [*node.args, *(keyword.value for keyword in node.keywords)]
        numbers = [n.value for n in map(_evaluate_constant, node.args[:2]) if _is_number(n)]
        if name in self.variation.functions:
            for argument in arguments:
                if _is_number(argument) and type(argument.value) is float:
                    argument.value = self.variation.number(argument.value)
        elif name == "linspace" and len(numbers) == 2 and not {*map(abs, numbers)} <= {0, 1}:
            # One factor for both ends, that of any number above 1, keeps their order.
            factor = self.variation.number(1.5) / 1.5
            node.args[:2] = [_number_at(end * factor, node) for end in numbers]
        elif name == "Fraction" and [type(number) for number in numbers] == [int, int]:
            fraction = self.variation.fraction(*numbers)
            node.args[:2] = [_number_at(part, node) for part in fraction]

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """Change the numbers that a statement assigns to names."""
        self.generic_visit(node)
        _evaluate_constants(node)
        for name, value in _bindings(node):
            if _is_number(value):
                self.change_number(name, value)
            elif self.variation.data and isinstance(value, (ast.List, ast.Dict)):
                self.change_data(value)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Treat ``name: type = value`` as ``name = value``."""
        if node.value is not None:
            plain = ast.copy_location(ast.Assign([node.target], node.value), node)
            self.visit_Assign(plain)
            node.value = plain.value
        return node

    def change_data(self, node: Any) -> None:
        """Change the numbers in a list or dictionary, in place; keep integers in tuples."""
        if isinstance(node, ast.Tuple):
            for part in node.elts:
                if _is_number(part) and type(part.value) is float:
                    part.value = self.variation.number(part.value)
            return
        parts: list[Any] = getattr(node, "elts", None) or getattr(node, "values", [])
        parts[:] = map(_evaluate_constant, parts)
        if isinstance(node, ast.List) and parts and all(map(_is_number, parts)):
            numbers = self.variation.values(np.array([part.value for part in parts])).tolist()
            parts[:] = [_number_at(number, node) for number in numbers]
            return
        for part in parts:
            if _is_number(part):
                part.value = self.variation.values(np.array([part.value])).item()
            elif isinstance(part, (ast.List, ast.Dict, ast.Tuple)):
                self.change_data(part)

    def change_number(self, name: str, value: Any) -> None:
        """Change a number that is assigned to a name, in place.

        A float is data. An integer is a seed or a size, by its name; any other one is kept.
        """
        if type(value.value) is float:
            if self.variation.numbers and math.isfinite(value.value):
                value.value = self.variation.number(value.value)
        elif "seed" in name.lower():
            self.change_seed(value)
        elif name in self.variation.places:
            value.value = self.variation.size(value.value, self.variation.places[name])

    def change_seed(self, node: Any) -> Any:
        """Return a node, whose number is changed in place if it is an integer."""
        if _is_integer(node):
            node.value += 1000 * self.variation.trial
        return node

    def with_other_values(self, node: ast.expr) -> ast.expr:
        """Return a list of numbers, the argument of ``array(…)``, with other values.

        Any other expression is returned unchanged, and so is a list of integers, which may be
        indices or lengths, unless the variation changes data but no lengths.
        """
        try:
            array = np.array(ast.literal_eval(node))
        except (ValueError, TypeError):
            return node  # it contains names
        kinds = ("f", "i") if self.variation.data and not self.variation.grows else ("f",)
        if array.dtype.kind not in kinds or not np.all(np.isfinite(array)):
            return node
        varied = ast.parse(repr(self.variation.values(array).tolist()), mode="eval").body
        for inner in ast.walk(varied):
            ast.copy_location(inner, node)
        return varied


def _number_at(value: float, node: ast.AST) -> ast.Constant:
    """Return a number as a node with the place of another one."""
    return ast.copy_location(ast.Constant(value), node)


def _is_integer(node: Any) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def _is_number(node: Any) -> TypeGuard[Any]:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


#: The largest power in a constant that is computed; that of a larger one might take long.
_MOST_POWER = 64


def _evaluate_constant(node: Any) -> Any:
    """Return a constant expression such as ``-2.0`` or ``5 / 100`` as the node of its number.

    Any other node is returned unchanged, and so is an expression with a large power or a shift,
    since computing it might take long, or with a result that is no finite float.

    >>> expressions = [ast.parse(code, mode="eval").body for code in ("5 / 100", "2 * n")]
    >>> [ast.unparse(_evaluate_constant(expression)) for expression in expressions]
    ['0.05', '2 * n']
    """
    if not isinstance(node, (ast.UnaryOp, ast.BinOp)):
        return node
    for inner in ast.walk(node):
        is_operation = isinstance(inner, (ast.UnaryOp, ast.BinOp))
        if isinstance(inner, ast.expr) and not is_operation and not _is_number(inner):
            return node
        if isinstance(inner, ast.LShift):
            return node
        if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Pow):
            sides: Any = inner.left, inner.right
            if not all(map(_is_number, sides)) or abs(sides[1].value) > _MOST_POWER:
                return node
    try:
        value = eval(compile(ast.Expression(node), "constant", "eval"))
        is_number = type(value) in (int, float) and math.isfinite(value)
    except (ArithmeticError, MemoryError, TypeError, ValueError):
        return node
    return _number_at(value, node) if is_number else node


def _evaluate_constants(node: ast.Assign) -> None:
    """Replace constant expressions that an assignment binds by their numbers, in place."""
    node.value = _evaluate_constant(node.value)
    if isinstance(node.value, ast.Tuple):
        node.value.elts = [_evaluate_constant(part) for part in node.value.elts]


def sizes_of(sources: Iterable[str], names: Collection[str]) -> tuple[set[str], set[str]]:
    """Return the literal sizes bound to some names, or that these are computed from; and all sizes.

    >>> code = ["heads, d = 3, 2", "h = heads; m = h * d; t = 5"]
    >>> [sorted(found) for found in sizes_of(code, {"h", "m", "x"})]
    [['d', 'heads'], ['d', 'heads', 't']]
    """
    literal: set[str] = set()
    #: The names from which each name is computed.
    sources_of: dict[str, set[str]] = defaultdict(set)
    for source in sources:
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.Assign):
                    _evaluate_constants(node)
                for name, value in _bindings(node) if isinstance(node, ast.Assign) else ():
                    if _is_integer(value):
                        literal.add(name)
                    elif isinstance(value, (ast.Name, ast.BinOp)):
                        inner = ast.walk(value)
                        sources_of[name] |= {n.id for n in inner if isinstance(n, ast.Name)}
    found: set[str] = set()
    new = set(names)
    while new:
        found |= new
        new = set().union(*(sources_of[name] for name in new)) - found
    return found & literal, literal


def functions_of(sources: Iterable[str]) -> set[str]:
    """Return the names of the functions that code defines.

    >>> sorted(functions_of(["def f(x): return x", "g = lambda x: x"]))
    ['f', 'g']
    """
    found: set[str] = set()
    for source in sources:
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.FunctionDef):
                    found.add(node.name)
                elif isinstance(node, ast.Assign):
                    found |= {n for n, value in _bindings(node) if isinstance(value, ast.Lambda)}
    return found


def _bindings(node: ast.Assign) -> Iterator[tuple[str, ast.expr]]:
    """Pair the names of an assignment with their values."""
    for target in node.targets:
        pairs = [(target, node.value)]
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = list(zip(target.elts, node.value.elts, strict=False))
        yield from ((name.id, value) for name, value in pairs if isinstance(name, ast.Name))


@contextlib.contextmanager
def varied_modules(root: Path, variation: Variation) -> Iterator[None]:
    """Import the modules below a folder afresh with other numbers; restore them at the end."""
    with import_afresh(root, partial(_compile_varied, variation=variation)):
        yield


def _compile_varied(path: str, variation: Variation) -> CodeType:
    """Compile a module with other numbers."""
    tree = variation.rewrite(ast.parse(Path(path).read_bytes()))
    return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)
