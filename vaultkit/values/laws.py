"""Tells a law from a statement about the numbers of a page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from vaultkit.tex import Bracketed, Node, Number, Power, Reduce, Statement, Subscript, Symbol


def law(statement: Node) -> bool:
    r"""Tell whether a statement speaks of any numbers: none of its own is of this page.

    It counts with no number but 0, 1 and 2 (indices, exponents and the ends of sums count nothing),
    and it does more than to give a name, or anything else, its value.

    Examples
    --------
    >>> from vaultkit.tex import parse
    >>> [law(s) for s in parse(r"\sum_j \alpha_{ij} = 1, \quad d_k = 2, \quad x \approx y")]
    [True, False, True]
    """
    sides = getattr(statement, "sides", ())
    if isinstance(statement, Statement) and statement.relations == ("=",):
        named = any(isinstance(side, (Symbol, Subscript)) for side in sides)
        if named and any(isinstance(side, Number) for side in sides):
            return False
    return not any(
        number.text not in (("0", "1") if number in sides else ("0", "1", "2"))
        for number in _numbers(statement)
    )


def _numbers(node: object) -> Iterator[Number]:
    """Find the numbers in a statement that count something: no indices, bounds or exponents."""
    match node:
        case Number():
            yield node
        case Subscript(base=base) | Bracketed(base=base) | Power(base=base):
            yield from _numbers(base)
        case Reduce(body=body):
            yield from _numbers(body)
        case Node():
            for field in fields(node):
                yield from _numbers(getattr(node, field.name))
        case tuple():
            for part in node:
                yield from _numbers(part)
