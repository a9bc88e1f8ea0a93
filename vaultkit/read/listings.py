"""Tells code that computes something from code that is only to be read."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator

from vaultkit.read.note import Note

_FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def computes(note: Note) -> bool:
    """Tell whether the blocks of a note compute what its formulas and numbers may speak of.

    They do if one shows an output, does more than define functions, or defines one that a formula
    calls. Those of which one is no Python, and none shows anything, are a listing: the formulas
    beside it are about something else.
    """
    if any(block.output or block.kind != "python" for block in note.blocks):
        return True
    try:
        bodies = [ast.parse(block.fence.text).body for block in note.blocks]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    nodes = [node for body in bodies for node in body]
    if not all(map(_defines, nodes)):
        return True
    # TeX writes some signs of a name with a backslash.
    called = {
        word
        for formula in note.formulas
        for word in re.findall(r"\w+", formula.tex.replace("\\_", "_"))
    }
    return any(name in called for node in nodes for name in _names(node))


def _defines(node: ast.stmt) -> bool:
    if isinstance(node, ast.ImportFrom):
        # What comes from elsewhere may be data.
        return (node.module or "").split(".")[0] in sys.stdlib_module_names
    return isinstance(node, _FUNCTION | ast.Import)


def _names(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, _FUNCTION):
        yield node.name
    elif isinstance(node, ast.ImportFrom):
        yield from (each.asname or each.name for each in node.names)
