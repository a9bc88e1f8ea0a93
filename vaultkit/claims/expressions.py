"""Python expressions in running text."""

from __future__ import annotations

import ast
import re
import warnings
from functools import lru_cache

#: Names in code that may have another value each time, or side effects.
_UNSTEADY = re.compile(r"\b(?:rng|random|next|input|open|time|print|exec|eval|perf_counter|now)\b")


def is_steady(code: str) -> bool:
    """Return whether code has no side effects, and the same value each time, as far as names show.

    >>> is_steady("x.sum()"), is_steady("rng.normal()")
    (True, False)
    """
    return not _UNSTEADY.search(code)


#: Blocks whose syntax trees are kept, since several checks read each of them.
_KEPT = 256


def parsed(code: str) -> tuple[ast.stmt, ...]:
    """Return the statements of Python code, which must stay as they are; none if it has errors."""
    tree = module_of(code)
    return tuple(tree.body) if tree else ()


@lru_cache(_KEPT)
def module_of(code: str) -> ast.Module | None:
    """Return the syntax tree of Python code, which must stay as it is; None if it has errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        try:
            return ast.parse(code)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


@lru_cache(_KEPT)
def nodes_of(code: str) -> tuple[ast.AST, ...]:
    """Return all nodes of Python code, without their contexts; none if it has errors.

    >>> [type(node).__name__ for node in nodes_of("x = 1")]
    ['Module', 'Assign', 'Name', 'Constant']
    """
    tree = module_of(code)
    nodes: list[ast.AST] = [tree] if tree else []
    for node in nodes:  # which grows in the loop
        for name in node._fields:
            child = getattr(node, name, None)
            if isinstance(child, list):
                nodes += [one for one in child if isinstance(one, ast.AST)]
            elif isinstance(child, ast.AST) and name != "ctx":
                nodes.append(child)
    return tuple(nodes)


def expression_of(code: str) -> ast.expr | None:
    """Return the expression that code consists of, or None."""
    body = parsed(code)
    return body[0].value if len(body) == 1 and isinstance(body[0], ast.Expr) else None


@lru_cache(_KEPT)
def parse_expression(code: str) -> ast.expr:
    """Return the syntax tree of an expression, which must stay as it is; it may have line breaks.

    Raises
    ------
    SyntaxError
        If it is not an expression.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        try:
            # The line break ends a comment, which would hide the bracket.
            return ast.parse(f"({code}\n)", mode="eval").body
        except (ValueError, RecursionError, MemoryError) as error:
            raise SyntaxError(str(error) or type(error).__name__) from None


@lru_cache(_KEPT)
def free_names(tree: ast.AST) -> frozenset[str]:
    """Return the names in an expression that it does not bind itself.

    >>> sorted(free_names(parse_expression("[f(a) for a in x]")))
    ['f', 'x']
    """
    nodes = list(ast.walk(tree))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    bound = {name.id for name in names if isinstance(name.ctx, ast.Store)}
    bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}  # those of a lambda
    return frozenset(name.id for name in names) - bound


def uses_names(code: str) -> bool:
    """Return whether code is an expression that contains a name.

    >>> uses_names("x + 1"), uses_names("1 + 1"), uses_names("x = 1")
    (True, False, False)
    """
    tree = expression_of(code)
    return tree is not None and any(isinstance(node, ast.Name) for node in ast.walk(tree))


def is_literal(node: ast.expr) -> bool:
    """Return whether an expression is a literal: ``-1.5``, ``[1, 2]``, ``"a"``."""
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return False
    return True
