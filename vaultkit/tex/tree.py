"""The tree of what a formula says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Node:
    """A part of a formula."""


@dataclass(frozen=True)
class Number(Node):
    """A number, as written."""

    text: str


@dataclass(frozen=True)
class Symbol(Node):
    """A name."""

    name: str


@dataclass(frozen=True)
class Subscript(Node):
    r"""``q_i``, ``\alpha_{ij}``; or the name ``d_k``: ``name`` says what it would be called."""

    base: Node
    indices: tuple[Node, ...]
    name: str


@dataclass(frozen=True)
class Bracketed(Node):
    """``z^{(2)}``: one of several things of a kind, counted from 1."""

    base: Node
    index: Node


@dataclass(frozen=True)
class Transpose(Node):
    r"""``K^\top``."""

    base: Node


@dataclass(frozen=True)
class Power(Node):
    """``x^2``."""

    base: Node
    exponent: Node


@dataclass(frozen=True)
class Sum(Node):
    """``a + b - c``: terms with their signs."""

    terms: tuple[tuple[int, Node], ...]


@dataclass(frozen=True)
class Product(Node):
    r"""Two things multiplied or divided: ``op`` is ``""``, ``\cdot``, ``\odot`` or ``/``."""

    op: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Differential(Node):
    r"""``\partial x``, of which two make a derivative."""

    body: Node


@dataclass(frozen=True)
class Derivative(Node):
    r"""``\frac{\partial L}{\partial W_Q}``, or ``dL / dx``, which may be a quotient, too."""

    above: Node
    below: Node
    quotient: Node | None = None


@dataclass(frozen=True)
class Apply(Node):
    """``f(x, y)``; a product where f turns out to be no function."""

    function: Node
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Reduce(Node):
    r"""``\sum_{j=1}^{n} body``; ``kind`` is sum, prod, max, min, argmax or argmin."""

    kind: str
    index: str
    low: Node | None
    high: Node | None
    body: Node


@dataclass(frozen=True)
class Norm(Node):
    r"""``\lVert x \rVert`` (``kind`` is ``""``, ``F``, ``2`` …), or ``|x|`` (``abs``)."""

    kind: str
    body: Node


@dataclass(frozen=True)
class Matrix(Node):
    """A matrix written out."""

    rows: tuple[tuple[Node, ...], ...]


@dataclass(frozen=True)
class Cases(Node):
    """Values, each with the condition under which it holds; the last may have none."""

    branches: tuple[tuple[Node, Statement | None], ...]


@dataclass(frozen=True)
class Dots(Node):
    r"""``\dots``: what stands between its neighbours."""


@dataclass(frozen=True)
class Statement(Node):
    """``sides`` with the relations between them: ``a = b < c``."""

    sides: tuple[Node, ...]
    relations: tuple[str, ...]


@dataclass(frozen=True)
class Membership(Node):
    r"""``X \in \mathbb{R}^{n \times m}`` (``dims``) or ``x \in [0, 1]`` (``interval``)."""

    element: Node
    dims: tuple[Node, ...] = ()
    interval: tuple[str, Node, Node, str] | None = None


class TexError(ValueError):
    """A formula that the grammar does not hold."""


def walk(node: object) -> Iterator[Node]:
    """Visit a node and all that it is made of."""
    if isinstance(node, tuple):
        for part in node:
            yield from walk(part)
    elif isinstance(node, Node):
        yield node
        for field in fields(node):
            yield from walk(getattr(node, field.name))
