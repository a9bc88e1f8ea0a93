"""Python expressions in running text."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

#: Words of code that may have another value each time, or side effects.
_UNSTEADY = re.compile(r"\b(?:rng|random|next|input|open|time|print|exec|eval|perf_counter|now)\b")


def is_steady(code: str) -> bool:
    """Return whether code has no side effects, and the same value each time.

    >>> is_steady("x.sum()"), is_steady("rng.normal()")
    (True, False)
    """
    return not _UNSTEADY.search(code)


def parsed(code: str) -> list[ast.stmt]:
    """Return the statements of Python code; none if it does not parse."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        try:
            return ast.parse(code).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return []


def walked(code: str) -> Iterator[ast.AST]:
    """Yield all nodes of Python code; none if it does not parse."""
    for statement in parsed(code):
        yield from ast.walk(statement)


def expression_of(code: str) -> ast.expr | None:
    """Return the expression that code consists of, or None."""
    body = parsed(code)
    return body[0].value if len(body) == 1 and isinstance(body[0], ast.Expr) else None


def parse_expression(code: str) -> ast.expr:
    """Return the syntax tree of an expression, which may have line breaks.

    Raises
    ------
    SyntaxError
        If it is no expression.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        try:
            return ast.parse(f"({code}\n)", mode="eval").body
        except (ValueError, RecursionError, MemoryError) as error:
            raise SyntaxError(str(error) or type(error).__name__) from None


def free_names(tree: ast.AST) -> set[str]:
    """Return the names in an expression that it does not bind itself.

    >>> sorted(free_names(parse_expression("[f(a) for a in x]")))
    ['f', 'x']
    """
    nodes = list(ast.walk(tree))
    own = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    own |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    return {node.id for node in nodes if isinstance(node, ast.Name)} - own


def uses_names(code: str) -> bool:
    """Return whether code is an expression that contains a name.

    >>> uses_names("x + 1"), uses_names("1 + 1"), uses_names("x = 1")
    (True, False, False)
    """
    tree = expression_of(code)
    return tree is not None and any(isinstance(node, ast.Name) for node in ast.walk(tree))


def is_literal(node: ast.expr) -> bool:
    """Return whether an expression is a literal."""
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return False
    return True
