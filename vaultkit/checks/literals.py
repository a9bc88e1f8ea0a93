"""The numeric literals of code, and its literal lists of numbers."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from vaultkit.claims.expressions import nodes_of, parsed
from vaultkit.read.note import Block

#: A number in the text of a docstring: ``1,024``, ``-0.5``, ``3e8``, but not that of ``x2``.
_IN_TEXT = re.compile(
    r"(?<![\w.-])-?(?:\d{1,3}(?:,\d{3})+|\d+\.\d+|\d+)(?:[eE][-+]?\d+)?(?![\w.]*\w)"
)
#: A name that a line of code binds, which cannot be parsed as a whole.
_ASSIGNED = re.compile(r"^[ \t]*([^\W\d]\w*)[ \t]*=(?!=)", re.MULTILINE)
_DOCUMENTED = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def literals_of(block: Block) -> tuple[Sequence[float], Sequence[tuple[float, ...]]]:
    """Return the numbers in a block's code and docstrings, and its literal lists of numbers."""
    return _literals(source_of(block), with_rows=block.kind != "pycon")


@lru_cache(256)
def _literals(
    source: str, *, with_rows: bool
) -> tuple[Sequence[float], Sequence[tuple[float, ...]]]:
    """Return the numbers that code and its docstrings state, and its rows if ``with_rows``.

    Both are empty if the code cannot be parsed.

    >>> _literals("x = -0.5; y = [1, 2.5]", with_rows=True)
    ((-0.5, 1, 2.5), ((1.0, 2.5),))
    """
    nodes = nodes_of(source)
    try:
        # The code -0.5 does not state 0.5.
        operands = [node.operand for node in nodes if isinstance(node, ast.UnaryOp)]
        unsigned = {id(operand) for operand in operands if isinstance(operand, ast.Constant)}
        stating = [node for node in nodes if id(node) not in unsigned]
        values = [_as_integer(node, _constant_value(node)) for node in stating]
        numbers = [number for number in values if number is not None]
        for node in nodes:
            if isinstance(node, _DOCUMENTED) and (text := ast.get_docstring(node, clean=False)):
                stated = (number.replace(",", "") for number in _IN_TEXT.findall(text))
                numbers += (int(n) if n.lstrip("-").isdigit() else float(n) for n in stated)
        rows = [row for node in nodes if (row := _row_of(node))] if with_rows else []
    except (ValueError, RecursionError, MemoryError):
        return (), ()  # running the block reports it
    return tuple(numbers), tuple(rows)


def _row_of(node: ast.AST) -> tuple[float, ...]:
    """Return the numbers of a list, tuple or call of two or more numbers; else nothing."""
    match node:
        case ast.Tuple(items) | ast.List(items) | ast.Call(args=items):
            row = [number for number in map(_constant_value, items) if number is not None]
            return tuple(row) if 1 < len(row) == len(items) else ()
    return ()


def source_of(block: Block) -> str:
    """Return the code of a block; for a session, the code after its prompts."""
    if block.kind != "pycon":
        return block.fence.text
    return "\n".join(re.findall(r"^\s*(?:>>>|\.\.\.) ?(.*)$", block.fence.text, re.MULTILINE))


#: Nodes with names of their own, which are not bound outside them.
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.ListComp,
           ast.SetComp, ast.DictComp, ast.GeneratorExp)  # fmt: skip


def bound_names(blocks: Iterable[Block]) -> frozenset[str]:
    """Return the names that blocks bind, except names of modules and names within functions."""
    return frozenset().union(*(_bound_names(source_of(block)) for block in blocks))


@lru_cache(256)  # an edit changes one block
def _bound_names(source: str) -> frozenset[str]:
    """Return the names that the code of a block binds."""
    found: set[str] = set()
    nodes: list[ast.AST] = [*parsed(source)]
    if not nodes:  # code with an error
        found.update(_ASSIGNED.findall(source))
    for node in nodes:  # which grows in the loop
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.FunctionDef(name=name):
                found.add(name)
            case ast.ImportFrom(names=imported):
                found |= {one.asname or one.name for one in imported}
        if not isinstance(node, _SCOPES):
            nodes += ast.iter_child_nodes(node)
    return frozenset(found)


def why_unbound(blocks: Iterable[Block], name: str) -> str:
    """Return why a name has no value; ``blocks`` are those of the note."""
    if name in bound_names(blocks):
        return f"{name} has no value here: the code that defines it has not run"
    return f"no code of this note defines {name or 'anything'}"


def _as_integer(node: ast.AST, number: float | None) -> float | None:
    """Return a whole number as an integer if the code states it as a count, else as a float.

    It is 2 for ``2`` and ``2**1``, but 2.0 for ``2.0`` and ``4 / 2``. `Evidence` tells them apart.

    >>> codes = ("2", "2**1", "2.0", "4 / 2")
    >>> [_as_integer(ast.parse(code, mode="eval").body, 2.0) for code in codes]
    [2, 2, 2.0, 2.0]
    """
    if number is None or not number.is_integer():
        return number
    parts = ast.walk(node) if not isinstance(node, ast.Constant) else (node,)
    is_real = any(
        isinstance(part, ast.Div) or (isinstance(part, ast.Constant) and type(part.value) is float)
        for part in parts
    )
    return number if is_real else int(number)


def _constant_value(node: ast.AST) -> float | None:
    """Return the value of an expression of literals alone; None for any other.

    >>> codes = ("-1e9", "2**16", "n + 1")
    >>> [_constant_value(ast.parse(code, mode="eval").body) for code in codes]
    [-1000000000.0, 65536.0, None]
    """
    match node:
        case ast.Constant(value=int() | float() as value) if is_number(value):
            return float(value)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _constant_value(operand)
            return None if inner is None else -inner
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            sides = _constant_value(left), _constant_value(right)
            if sides[0] is None or sides[1] is None:
                return None
            try:
                result = _OPERATIONS[type(op)](*sides)
            except (ArithmeticError, ValueError):
                return None
            return result if is_number(result) else None
    return None


_OPERATIONS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def is_number(thing: Any) -> bool:
    """Return whether an object is a finite real number below 1e300, and no bool."""
    if type(thing) is float:
        return -1e300 < thing < 1e300
    if not isinstance(thing, (int, float, np.integer, np.floating)) or isinstance(thing, bool):
        return False
    try:
        return abs(float(thing)) < 1e300
    except OverflowError:
        return False
