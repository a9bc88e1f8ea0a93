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

#: What the code of a random number has in it: ``rng.normal()``, ``random.choice(x)``, ``noise``.
_RANDOM = re.compile(r"(?:^|[^a-z])(?:random|rng|normal|uniform|randn|noise|poisson|choice)", re.I)


@dataclass
class Origins:
    """The names of data, of written numbers, and of the variables of loops.

    Attributes
    ----------
    data
        Names of lists that the code writes out, and of random numbers.
    written
        Names of floats that the code writes out: ``g = 9.81``. An integer is exact.
    loops
        The variables of loops, and what is assigned in them.
    """

    data: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    loops: set[str] = field(default_factory=set)

    def collect(self, body: Sequence[ast.stmt], *, in_loop: bool = False) -> None:
        """Record where the names that statements bind come from; functions are left out."""
        for node in body:
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    continue
                case ast.For(target=target):
                    self.loops |= set(_names(target))
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        self._assign(target, value, in_loop=in_loop)
                case ast.AugAssign(target=ast.Name(id=name)):
                    if in_loop:
                        self.loops.add(name)
                    if _RANDOM.search(ast.unparse(node.value)):
                        self.data.add(name)
            opens_loop = isinstance(node, ast.For | ast.While)
            for part in ("body", "orelse", "finalbody"):
                self.collect(getattr(node, part, []), in_loop=in_loop or opens_loop)

    def _assign(self, target: ast.expr, value: ast.expr, *, in_loop: bool) -> None:
        """Record the origin of the names of an assignment."""
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for inner_target, inner_value in zip(target.elts, value.elts, strict=False):
                self._assign(inner_target, inner_value, in_loop=in_loop)
            return
        names = set(_names(target))
        if in_loop:
            self.loops |= names
        elif isinstance(value, ast.Constant) and isinstance(value.value, float):
            self.written |= names
        elif _is_list_of_literals(value) or _RANDOM.search(ast.unparse(value)):
            self.data |= names


def names_of_cases(blocks: Iterable[Block]) -> set[str]:
    r"""Return the names whose last value comes from the last turn of a loop over cases.

    A text about all cases is not about that value. A loop over a range or with a condition repeats
    a step: its last value is a result.

    Examples
    --------
    >>> from vaultkit.read.markdown import parse
    >>> code = "for k in (1, 5): u = v = k\nfor step in range(9): w = step\nv = 3"
    >>> sorted(names_of_cases(parse(f"```python\n{code}\n```").blocks))
    ['k', 'u']
    """
    names: set[str] = set()
    for block in blocks:
        statements: tuple[ast.stmt, ...] = ()
        with suppress(RecursionError):  # a sum of thousands of terms
            statements = parsed(source_of(block))
        for statement in statements:
            assigned = {
                node.id
                for node in ast.walk(statement)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            }
            match statement:
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    continue
                case ast.For(iter=ast.Call(func=ast.Name(id="range"))):
                    names -= assigned
                case ast.For():
                    names |= assigned
                case _:
                    names -= assigned
    return names


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


def _is_list_of_literals(value: ast.expr) -> bool:
    """Return whether an expression is a list or array of literals.

    >>> codes = ("np.array([1, 2])", "[1.5, 2]", "[n, 2]", "3")
    >>> [_is_list_of_literals(ast.parse(code, mode="eval").body) for code in codes]
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


def _names(target: ast.expr) -> Iterator[str]:
    """Yield the names in the target of an assignment or loop."""
    yield from (node.id for node in ast.walk(target) if isinstance(node, ast.Name))
