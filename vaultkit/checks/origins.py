"""Where the values of names come from: data, a rounded number, or the last turn of a loop.

Measured or random numbers meet a formula only approximately, since it is a model. A number that the
code writes out may be rounded. No text is about the last value of a loop's variable.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from vaultkit.checks.literals import source_of
from vaultkit.claims.expressions import parsed
from vaultkit.read.note import Block

_RANDOM = re.compile(r"(?:^|[^a-z])(?:random|rng|normal|uniform|randn|noise|poisson|choice)", re.I)


@dataclass
class Origins:
    """The names of data, of written numbers, and of the variables of loops."""

    data: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    loops: set[str] = field(default_factory=set)

    def collect(self, body: Sequence[ast.stmt], *, within: bool = False) -> None:
        """Record where the names that statements bind come from; ``within``: they are in a loop."""
        for node in body:
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    continue
                case ast.For(target=target):
                    self.loops |= set(_bound(target))
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        self._assign(target, value, within=within)
                case ast.AugAssign(target=ast.Name(id=name)):
                    if within:
                        self.loops.add(name)
                    if _RANDOM.search(ast.unparse(node.value)):
                        self.data.add(name)
            inner = within or isinstance(node, ast.For | ast.While)
            for part in ("body", "orelse", "finalbody"):
                self.collect(getattr(node, part, []), within=inner)

    def _assign(self, target: ast.expr, value: ast.expr, *, within: bool) -> None:
        """Record the origin of the names of an assignment; ``within``: it is in a loop."""
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for inner_target, inner_value in zip(target.elts, value.elts, strict=False):
                self._assign(inner_target, inner_value, within=within)
            return
        names = set(_bound(target))
        if within:
            self.loops |= names
        elif isinstance(value, ast.Constant) and isinstance(value.value, float):
            self.written |= names
        elif _is_written(value) or _RANDOM.search(ast.unparse(value)):
            self.data |= names


def find_origins(blocks: Iterable[Block]) -> Origins:
    r"""Return where the values of names come from.

    Examples
    --------
    >>> from vaultkit.read.markdown import parse
    >>> code = "g = 9.81; t, s = [1.0, 2.1], 3\nfor k in t: u = k\nv = s + rng.normal()"
    >>> found = find_origins(parse(f"```python\n{code}\n```").blocks)
    >>> sorted(found.data), sorted(found.written), sorted(found.loops)
    (['t', 'v'], ['g'], ['k', 'u'])
    """
    found = Origins()
    for block in blocks:
        with suppress(RecursionError):  # a sum of thousands of terms
            found.collect(parsed(source_of(block)))
    return found


def _is_written(value: ast.expr) -> bool:
    """Return whether an expression is a list or array of literals.

    >>> codes = ("np.array([1, 2])", "[1.5, 2]", "[n, 2]", "3")
    >>> [_is_written(ast.parse(code, mode="eval").body) for code in codes]
    [True, True, False, False]
    """
    if isinstance(value, ast.Call) and value.args:
        value = value.args[0]
    if not isinstance(value, ast.List | ast.Tuple):
        return False
    with suppress(ValueError, TypeError):
        ast.literal_eval(value)
        return True
    return False


def _bound(target: ast.expr) -> Iterator[str]:
    yield from (node.id for node in ast.walk(target) if isinstance(node, ast.Name))
