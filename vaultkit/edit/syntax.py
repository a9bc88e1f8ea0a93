"""Small questions about the code of an expression."""

from __future__ import annotations

import ast
import builtins
import re
from functools import lru_cache

from vaultkit.claims.expressions import free_names


def in_brackets(code: str) -> str:
    """Return an expression as a part of another one.

    >>> in_brackets("a + b"), in_brackets("f(a + b)")
    ('(a + b)', 'f(a + b)')
    """
    plain = re.sub(r"'[^']*'|\([^()]*\)|\[[^\[\]]*\]", "", code)
    return f"({code})" if " " in plain else code


@lru_cache(maxsize=10_000)
def identifiers(code: str) -> frozenset[str]:
    """Return the names of the note in an expression.

    >>> sorted(identifiers("max(wins, key=wins.get) + x['in 1']"))
    ['wins', 'x']
    """
    return frozenset(free_names(ast.parse(code, mode="eval").body) - vars(builtins).keys())
