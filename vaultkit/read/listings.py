"""Tells code that computes something from code that is only to be read."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence

from vaultkit.read.note import Block

_DEFINES = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import


def computes(blocks: Sequence[Block]) -> bool:
    """Tell whether the blocks of a note compute what its formulas and numbers may speak of.

    They do if one shows an output, or does more than define functions. Those of which one is no
    Python, and none shows anything, are a listing: the formulas beside it are about something else.
    """
    if any(block.output or block.kind != "python" for block in blocks):
        return True
    try:
        bodies = [ast.parse(block.fence.text).body for block in blocks]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(not _defines(node) for body in bodies for node in body)


def _defines(node: ast.stmt) -> bool:
    if isinstance(node, ast.ImportFrom):
        # What comes from elsewhere may be data.
        return (node.module or "").split(".")[0] in sys.stdlib_module_names
    return isinstance(node, _DEFINES)
