"""Parses the properties of a note, its front matter: a subset of YAML, in bounded time.

Anchors, whose nested copies could fill any memory, and deep nesting are excluded.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import yaml

from vaultkit.read.note import Link, Problem
from vaultkit.read.syntax import WIKILINK

#: Most characters of front matter, since YAML is slow, and most levels of nested lists, since its
#: parser is recursive.
LONGEST, DEEPEST = 50_000, 20


@dataclass
class Properties:
    """Parsed front matter; lines are counted from its first, which is 1."""

    values: dict[str, Any] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def read(text: str) -> Properties:
    """Parse front matter; errors are listed in the `problems` of the result."""
    properties = Properties()
    if len(text) > LONGEST:
        properties.problems.append(Problem(1, f"front matter: longer than {LONGEST:,} characters"))
        return properties
    loader: _Loader | None = None
    try:
        loader = _Loader(text)
        values = loader.get_single_data()
        if values is None:
            values = {}
        if not isinstance(values, dict):
            raise _MisreadError("not a list of `name: value` lines", 0)
    except yaml.YAMLError as error:
        # A syntax error has a mark, a forbidden character a position.
        mark = getattr(error, "problem_mark", None)
        at = mark.index if mark else getattr(error, "position", 0)
        # The other lines of the message repeat the position.
        what = getattr(error, "problem", None) or str(error).partition("\n")[0]
        properties.problems.append(_problem(text, what, at))
    except _MisreadError as error:
        properties.problems.append(_problem(text, error.reason, error.at))
    else:
        properties.values = values
        for first, last in loader.scalars:
            for link in WIKILINK.finditer(text, first, last):
                properties.links.append(Link.from_match(link, *_place(text, link.start())))
    return properties


class _MisreadError(ValueError):
    """Front matter that is not read; ``at`` is the position in its text."""

    def __init__(self, reason: str, at: int) -> None:
        super().__init__(reason)
        self.reason, self.at = reason, at


class _Loader(yaml.SafeLoader):
    """Loads YAML without anchors and deep nesting, and records where its scalars are."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        #: The positions in the text where each scalar begins and ends.
        self.scalars: list[tuple[int, int]] = []
        self.depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Return the node as `SafeLoader` does; record where scalars are in the text.

        Raise _MisreadError for anchors and deep nesting.
        """
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _MisreadError(
                "anchors (&x) and their copies (*x) are not read", event.start_mark.index
            )
        if self.depth >= DEEPEST:
            raise _MisreadError("nested too deeply", event.start_mark.index)
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        if isinstance(node, yaml.ScalarNode):
            self.scalars.append((node.start_mark.index, node.end_mark.index))
        return node

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        """Read all keys as strings."""
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                # Obsidian reads keys as strings: `2024`, `yes`.
                key.tag = "tag:yaml.org,2002:str"
        return super().construct_mapping(node, deep)

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        """Report a value that Python cannot represent, with its place."""
        try:
            return super().construct_object(node, deep)
        except (ValueError, OverflowError, TypeError, ArithmeticError) as error:
            if isinstance(error, _MisreadError):
                raise
            # An impossible date, or a number of ten thousand digits: "Exceeds the limit (4300
            # digits) for integer string conversion: …; use sys.set_int_max_str_digits() …".
            raise _MisreadError(str(error).split(";")[0], node.start_mark.index) from error


def _problem(text: str, what: str, at: int) -> Problem:
    """Return the problem of front matter at a position of its text."""
    line, column = _place(text, at)
    return Problem(line, f"front matter: {what}", column)


def _place(text: str, at: int) -> tuple[int, int]:
    """Return line and column of a position; YAML counts other line ends than editors do."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
