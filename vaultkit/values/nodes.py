"""Nodes of a syntax tree whose names are resolved (`vaultkit.values.names`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from vaultkit.tex.tree import Node


@dataclass(frozen=True)
class Index(Node):
    """An index, under a name that is unique in the statement."""

    name: str


@dataclass(frozen=True)
class Element(Node):
    """An element of a variable; with ``last``, indexed along the last axes.

    The first axis of a sample is that of its members, so that E[x_i] is about its last one.
    """

    base: Node
    indices: tuple[Node, ...]
    last: bool = False


@dataclass(frozen=True)
class Call(Node):
    """A call of a function of the note."""

    name: str
    function: Callable[..., Any] = field(compare=False)
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Expectation(Node):
    """The mean, variance or covariance of a population, of which the note has a sample."""

    kind: str
    arguments: tuple[Node, ...]
