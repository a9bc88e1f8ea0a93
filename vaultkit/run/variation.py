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
from typing import Any

import numpy as np

from vaultkit.run.dependencies import afresh

# Names of functions that make a generator of random numbers from a seed, in any library.
_SEEDED = re.compile(r"default_rng|seed|SeedSequence|PCG64|MT19937|Philox|\w*Random\w*|\w*Rng")
# Small sizes grow, large ones change little, so that a trial takes no longer than the page.
_SMALL, _LARGE = 16, 512
_SHARES = (Fraction(1, 2), Fraction(3, 4), Fraction(5, 4), Fraction(3, 2), Fraction(7, 4))
#: Places of sizes that are doubled, and of those that grow by one, like literal arrays.
DOUBLED, GROWN = -1, -2


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
    """

    trial: int
    places: Mapping[str, int] = field(default_factory=dict)
    grows: str = ""
    numbers: bool = True

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
            odds = varied / (1 - abs(number))
            return odds / (1 + abs(odds))
        return varied

    def values(self, array: Any) -> Any:
        """Return other values of the same kind: zeros, ones, signs and sums of 1 remain."""
        total = array.sum(axis=-1) if array.ndim else array
        are_shares = array.ndim and np.all(array >= 0) and np.allclose(total, 1.0)
        if self.grows and array.ndim:
            more = [self.grows == "all"] * array.ndim
            more[-1] |= self.grows == "columns"
            more[0] |= self.grows == "rows" and array.ndim > 1
            array = np.pad(array, [(0, int(one)) for one in more], mode="edge")
        varied = np.where(np.isin(np.abs(array), (0.0, 1.0)), array, array * self._factors(array))
        return varied / varied.sum(axis=-1, keepdims=True) if are_shares else varied

    def _factors(self, array: Any) -> Any:
        seed = [self.trial, *array.shape, *np.asarray(array, dtype=float).ravel().view(np.uint32)]
        return np.exp(0.5 * np.random.default_rng(seed).normal(size=array.shape))


class _Rewriter(ast.NodeTransformer):
    def __init__(self, variation: Variation) -> None:
        self.variation = variation

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = visit_FunctionDef  # type: ignore[assignment]

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        name = node.func.id if isinstance(node.func, ast.Name) else name
        if _SEEDED.fullmatch(name) and len(node.args) == 1:
            node.args = [self.seed(node.args[0])]
        for keyword in node.keywords:
            if keyword.arg == "seed":
                keyword.value = self.seed(keyword.value)
        if name in ("array", "asarray") and node.args:
            node.args[0] = self.literal(node.args[0])
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        for name, value in _pairs(node):
            if _is_number(value):
                self.number(name, value)
        return node

    def number(self, name: str, value: Any) -> None:
        if type(value.value) is float:
            if self.variation.numbers and math.isfinite(value.value):
                value.value = self.variation.number(value.value)
        elif "seed" in name.lower():
            self.seed(value)
        elif name in self.variation.places:
            value.value = self.variation.size(value.value, self.variation.places[name])

    def seed(self, node: Any) -> Any:
        if _is_integer(node):
            node.value += 1000 * self.variation.trial
        return node

    def literal(self, node: ast.expr) -> ast.expr:
        """Return a literal array of floats with other values; any other expression, unchanged.

        Integers alone may be indices or lengths, which must stay.
        """
        numbers = [n for n in ast.walk(node) if isinstance(n, ast.Constant)]
        if not any(type(n.value) is float for n in numbers):
            return node
        try:
            array = np.array(ast.literal_eval(node), dtype=float)
        except (ValueError, TypeError):
            return node  # it contains names
        if not np.all(np.isfinite(array)):
            return node
        varied = ast.parse(repr(self.variation.values(array).tolist()), mode="eval").body
        for inner in ast.walk(varied):
            ast.copy_location(inner, node)
        return varied


def _is_integer(node: Any) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def _is_number(node: Any) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def sizes_of(sources: Iterable[str], names: Collection[str]) -> tuple[set[str], set[str]]:
    """Return the literal sizes bound to some names, or that these are computed from; and all sizes.

    >>> code = ["heads, d = 3, 2", "h = heads; m = h * d; t = 5"]
    >>> [sorted(found) for found in sizes_of(code, {"h", "m", "x"})]
    [['d', 'heads'], ['d', 'heads', 't']]
    """
    written: set[str] = set()
    made: dict[str, set[str]] = defaultdict(set)
    for source in sources:
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            for node in ast.walk(ast.parse(source)):
                for name, value in _pairs(node) if isinstance(node, ast.Assign) else ():
                    if _is_integer(value):
                        written.add(name)
                    elif isinstance(value, (ast.Name, ast.BinOp)):
                        inner = ast.walk(value)
                        made[name] |= {n.id for n in inner if isinstance(n, ast.Name)}
    found: set[str] = set()
    asked = set(names)
    while asked:
        found |= asked
        asked = set().union(*(made[name] for name in asked)) - found
    return found & written, written


def _pairs(node: ast.Assign) -> Iterator[tuple[str, ast.expr]]:
    """Pair the names of an assignment with their values."""
    for target in node.targets:
        pairs = [(target, node.value)]
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = list(zip(target.elts, node.value.elts, strict=False))
        yield from ((name.id, value) for name, value in pairs if isinstance(name, ast.Name))


@contextlib.contextmanager
def varied_modules(root: Path, variation: Variation) -> Iterator[None]:
    """Import the modules below a folder afresh with other numbers; restore them at the end."""
    with afresh(root, partial(_other_code, variation=variation)):
        yield


def _other_code(path: str, variation: Variation) -> CodeType:
    tree = variation.rewrite(ast.parse(Path(path).read_bytes()))
    return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)
