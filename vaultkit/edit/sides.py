"""Compares the two sides of a condition: whether it holds, and whether they are of one kind."""

from __future__ import annotations

import re

from vaultkit.edit.syntax import identifiers
from vaultkit.edit.wording import stems


def part_of_list(name: str, first: int, last: int, count: int) -> tuple[str, str]:
    """Return a part of a list, and the same without its first element.

    >>> part_of_list("x", 0, 5, 5), part_of_list("x", 2, 5, 5), part_of_list("x", 0, 3, 5)
    (('x', 'x[1:]'), ('x[2:]', 'x[3:]'), ('x[:3]', 'x[1:3]'))
    """
    end = "" if last == count else str(last)
    whole = f"[{first or ''}:{end}]"
    return (name if whole == "[:]" else name + whole), f"{name}[{first + 1}:{end}]"


def holds(left: float, right: float, way: int) -> bool:
    """Return whether two numbers compare: 1 for more, -1 for less, 0 for the same."""
    if way:
        return (left - right) * way > 0
    return abs(left - right) <= 1e-6 * max(1.0, abs(left))


def are_of_series(left: str, right: str) -> bool:
    """Return whether two expressions are elements of one list, or variables with a common word."""
    kinds = [re.sub(r"\[[^\]]*\]|\([^()]*\)", "[]", code) for code in (left, right)]
    return kinds[0] == kinds[1] or bool(kinds[0].isidentifier() and stems(left) & stems(right))


def are_of_shape(left: str, right: str) -> bool:
    """Return whether two expressions differ only in the numbers and ends of their names.

    >>> are_of_shape("w.mean()", "w2.mean()"), are_of_shape("a.mean()", "a.max()")
    (True, False)
    """
    kinds = [re.sub(r"\b([a-zA-Z]+)(?:\d|_\w+)\b", r"\1", code) for code in (left, right)]
    return left != right and kinds[0] == kinds[1]


def are_of_one_kind(left: str, right: str) -> bool:
    """Return False if two variables are compared only because a sentence names both.

    >>> are_of_one_kind("loss", "layers"), are_of_one_kind("cost_before", "cost_after")
    (False, True)
    """
    plain = left.isidentifier() and right.isidentifier()
    return not plain or bool(stems(left) & stems(right))


def comparable(left: str, right: str) -> bool:
    """Return whether two expressions are of one kind: both are variables, or both are elements.

    The maximum of a list, for example, is never below its minimum.
    """
    if "(" in left + right and identifiers(left) == identifiers(right):
        return False
    kinds = [re.sub(r"\[[^\]]*\]", "[]", code) for code in (left, right)]
    return kinds[0] == kinds[1] or all("[" not in kind for kind in kinds)
