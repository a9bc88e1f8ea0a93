"""Expressions of Python in the midst of text."""

from __future__ import annotations

import ast
import re
import warnings

#: Code that comes to something else whenever it runs, or does something.
_UNSTEADY = re.compile(r"\b(?:rng|random|next|input|open|time|print|exec|eval|perf_counter|now)\b")


def is_steady(code: str) -> bool:
    """Tell whether code comes to the same whenever it runs, and does nothing else.

    >>> is_steady("x.sum()"), is_steady("rng.normal()")
    (True, False)
    """
    return not _UNSTEADY.search(code)


def parsed(code: str) -> list[ast.stmt]:
    """Parse Python; nothing, if it is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        try:
            return ast.parse(code).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return []


def expression_of(code: str) -> ast.expr | None:
    """Parse a single expression."""
    body = parsed(code)
    return body[0].value if len(body) == 1 and isinstance(body[0], ast.Expr) else None


def is_computed(code: str) -> bool:
    """Tell whether code is an expression that names something.

    >>> is_computed("x + 1"), is_computed("1 + 1"), is_computed("x = 1")
    (True, False, False)
    """
    tree = expression_of(code)
    return tree is not None and any(isinstance(node, ast.Name) for node in ast.walk(tree))


def is_literal(node: ast.expr) -> bool:
    """Tell whether a value is written out."""
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return False
    return True
