"""The nodes of the syntax tree of a formula."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields


@dataclass(frozen=True)
class Node:
    """A node, and its span in the TeX."""

    span: tuple[int, int] = field(default=(0, 0), compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class Number(Node):
    """A number, as written."""

    text: str


@dataclass(frozen=True)
class Symbol(Node):
    """A name."""

    name: str


@dataclass(frozen=True)
class Function(Node):
    r"""A function with a sign of its own: ``\exp``, ``\sqrt``, ``n!``; the note cannot bind it."""

    name: str


@dataclass(frozen=True)
class Subscript(Node):
    r"""``q_i``, ``\alpha_{ij}``; or the name ``d_k``: ``name`` is the name that it may be."""

    base: Node
    indices: tuple[Node, ...]
    name: str


@dataclass(frozen=True)
class Bracketed(Node):
    """``z^{(2)}``: an element along the first axis, counted from 1."""

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
    r"""A product or quotient of two nodes.

    ``op`` is ``""``, ``\cdot``, ``\times``, ``\odot``, ``\otimes``, ``*``, ``/`` or ``mod``.
    """

    op: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Differential(Node):
    r"""``\partial x``, of which two make a derivative; it cannot be evaluated alone."""

    body: Node


@dataclass(frozen=True)
class Derivative(Node):
    r"""``\frac{\partial L}{\partial W_Q}``, or ``dL / dx``, which may also be a ``quotient``."""

    above: Node
    below: Node
    quotient: Node | None = None


@dataclass(frozen=True)
class Apply(Node):
    """``f(x, y)``; a product if f is not a function."""

    function: Node
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Reduce(Node):
    r"""``\sum_{j=1}^{n} body``; ``kind`` is sum, prod, max, min, argmax or argmin.

    ``low`` and ``high`` bound the only index; without them, an index runs over an axis of ``body``.
    ``conditions`` below the sign (``i < j``) restrict the indices. The kind ``list`` is no
    reduction, but the elements that dots in a row leave out.
    """

    kind: str
    indices: tuple[str, ...]
    low: Node | None
    high: Node | None
    body: Node
    conditions: tuple[Node, ...] = ()


@dataclass(frozen=True)
class Norm(Node):
    r"""``\lVert x \rVert`` (``kind`` is ``""``, ``F``, ``1``, ``2`` …), or ``|x|`` (``abs``)."""

    kind: str
    body: Node


@dataclass(frozen=True)
class Matrix(Node):
    """A matrix written out.

    ``is_tuple`` for ``(a, b)``, which is neither row nor column; ``column`` if every row has one
    cell, which may be dots.
    """

    rows: tuple[tuple[Node, ...], ...]
    is_tuple: bool = False
    column: bool = False


@dataclass(frozen=True)
class Cases(Node):
    """Values, each with the conditions under which it holds; the last may have none."""

    branches: tuple[tuple[Node, tuple[Node, ...]], ...]


@dataclass(frozen=True)
class Dots(Node):
    r"""``\dots``: the omitted elements between its neighbours."""


@dataclass(frozen=True)
class Slice(Node):
    """``:`` as an index: all elements."""


@dataclass(frozen=True)
class Statement(Node):
    """``sides`` with the relations between them (``a = b < c``), and conditions."""

    sides: tuple[Node, ...]
    relations: tuple[str, ...]
    when: tuple[Node, ...] = ()


@dataclass(frozen=True)
class Membership(Node):
    r"""``X \in \mathbb{R}^{n \times m}``, ``x \in [0, 1]``, ``x \in \{0, 1\}``.

    ``kind`` names the numbers (``R``, ``N``, ``Z``; empty for an ``interval`` or ``numbers``);
    ``dims`` are the lengths of the axes: none of a single number, and None if no shape is stated.
    Then ``interval`` (its brackets and bounds, ``[``, 0, 1, ``)``) or ``numbers`` states something
    of every element. ``negated`` for ``\notin``; ``when`` has conditions.
    """

    element: Node
    kind: str = "R"
    dims: tuple[Node, ...] | None = ()
    interval: tuple[str, Node, Node, str] | None = None
    numbers: tuple[Node, ...] = ()
    negated: bool = False
    when: tuple[Node, ...] = ()


@dataclass(frozen=True)
class Range(Node):
    r"""``i = 1, \dots, n``: the range of an index."""

    index: Node
    low: Node
    high: Node
    when: tuple[Node, ...] = ()


class TexError(ValueError):
    """A formula that cannot be parsed; ``start`` and ``end`` are the span of the error."""

    def __init__(self, message: str, start: int | None = None, end: int | None = None) -> None:
        super().__init__(message)
        self.start, self.end = start, end


def walk(node: object) -> Iterator[Node]:
    """Yield a node, or the nodes of a tuple, and all descendants; nothing for other objects."""
    if isinstance(node, tuple):
        for part in node:
            yield from walk(part)
    elif isinstance(node, Node):
        yield node
        for part in fields(node):
            if part.name != "span":
                yield from walk(getattr(node, part.name))
