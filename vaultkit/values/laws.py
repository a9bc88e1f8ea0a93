"""Distinguishes general laws from statements about the numbers of one page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from vaultkit.tex.tree import (
    Bracketed,
    Node,
    Number,
    Power,
    Reduce,
    Statement,
    Subscript,
    Symbol,
    walk,
)


def is_law(statement: Node) -> bool:
    r"""Return whether a statement is a law, which may hold for any values of its variables.

    A law contains no numbers other than 0, 1 and 2 (except in indices, exponents and bounds of
    sums), and is more than a definition that names a value.

    Examples
    --------
    >>> from vaultkit.tex import parse
    >>> [is_law(s) for s in parse(r"\sum_j \alpha_{ij} = 1, \quad d_k = 2, \quad x \approx y")]
    [True, False, True]
    """
    sides = getattr(statement, "sides", ())
    if isinstance(statement, Statement) and statement.relations == ("=",):
        has_name = any(isinstance(side, (Symbol, Subscript)) for side in sides)
        has_number = any(isinstance(side, Number) for side in sides)
        if has_name and has_number:  # d_k = 2
            return False
    # A side that is 2 is the value of the page; a factor of 2 may be part of a law.
    allowed = ("0", "1") if Number("2") in sides else ("0", "1", "2")
    return all(number.text in allowed for number in _numbers(statement))


def relates_names(statement: Node) -> bool:
    r"""Return whether each side of an equation contains a name, so that it is about more than one.

    Examples
    --------
    >>> from vaultkit.tex import parse
    >>> [relates_names(s) for s in parse(r"K = X W_K, \quad d_k = \frac{d}{h} = 32, \quad n = 5")]
    [True, False, False]
    """
    return isinstance(statement, Statement) and all(
        any(isinstance(node, Symbol) for node in walk(side)) for side in statement.sides
    )


def _numbers(node: object) -> Iterator[Number]:
    """Yield the numbers in a statement, except those in indices, bounds and exponents."""
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
