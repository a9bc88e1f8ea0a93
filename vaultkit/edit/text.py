"""The text of an editor: lines, places, edits and their application."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$")
#: The number of units of a character in an encoding; editors count columns in units.
_WIDTHS: dict[str, Callable[[str], int]] = {
    "utf-8": lambda character: len(character.encode("utf-8", "surrogatepass")),
    "utf-16": lambda character: 1 + (character > "\uffff"),
    "utf-32": lambda _character: 1,
}


@dataclass(frozen=True, order=True)
class Span:
    """A range of a text; its end column is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int

    @classmethod
    def within(cls, line: int, column: int, length: int) -> Span:
        """Return a span of ``length`` characters of a line."""
        return cls(line, column, line, column + length)

    def holds(self, line: int, column: int) -> bool:
        """Return whether a place is in the span, or directly after it."""
        return (self.line, self.column) <= (line, column) <= (self.end_line, self.end_column)


@dataclass(frozen=True, order=True)
class Edit:
    """The replacement of a span by another text."""

    span: Span
    text: str


def split_lines(text: str) -> list[str]:
    r"""Split a text into lines with their ends, as editors do; the last one has no end.

    Python's ``splitlines`` splits at more characters than editors do.

    >>> split_lines("a\x0cb\r\nc\n")
    ['a\x0cb\r\n', 'c\n', '']
    """
    lines = _LINE.findall(text)
    return lines if lines and not lines[-1].endswith(("\n", "\r")) else [*lines, ""]


def to_units(line: str, column: int, encoding: str) -> int:
    """Return the number of units of an encoding before a column of a line.

    >>> to_units("a😀b", 3, "utf-16")
    3
    """
    before = line[: column - 1]
    return len(before) if before.isascii() else sum(map(_WIDTHS[encoding], before))


def from_units(line: str, units: int, encoding: str) -> int:
    """Return the column after so many units of a line; at most the end of the line.

    >>> from_units("a😀b", 3, "utf-16"), from_units("a😀b", 99, "utf-16")
    (3, 4)
    """
    line = line.rstrip("\r\n")
    if line.isascii():
        return min(units, len(line)) + 1
    return bisect_right(list(accumulate(map(_WIDTHS[encoding], line))), units) + 1


def text_with_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with edits applied, whose spans are those of the original text.

    >>> text_with_edits("a b", [Edit(Span(1, 1, 1, 2), "x"), Edit(Span(1, 3, 1, 4), "y")])
    'x y'

    Raises
    ------
    ValueError
        If two of them overlap.
    """
    starts = [0, *accumulate(len(line) for line in split_lines(text))]
    written: list[str] = []
    done = 0
    for edit in sorted(edits):
        first = _offset(edit.span.line, edit.span.column, starts)
        last = _offset(edit.span.end_line, edit.span.end_column, starts)
        if first < done or last < first:
            raise ValueError(f"edits overlap at line {edit.span.line}")
        written += [text[done:first], edit.text]
        done = last
    return "".join([*written, text[done:]])


class CommonLines(NamedTuple):
    """The lines that two texts have in common at the beginning and at the end.

    Attributes
    ----------
    head
        The number of equal lines at the beginning.
    tail
        The first of the equal lines at the end, in the first text.
    shift
        The difference of their line numbers in the two texts.
    """

    head: int
    tail: int
    shift: int


def common_lines(before: Sequence[str], after: Sequence[str]) -> CommonLines:
    """Return which lines two texts have in common at the beginning and at the end.

    >>> common_lines(["a", "b", "c"], ["a", "x", "y", "c"])
    CommonLines(head=1, tail=3, shift=1)
    """
    most = min(len(before), len(after))
    head = next((i for i in range(most) if before[i] != after[i]), most)
    tail = next((i for i in range(most - head) if before[-1 - i] != after[-1 - i]), most - head)
    return CommonLines(head, len(before) - tail + 1, len(after) - len(before))


def _offset(line: int, column: int, starts: Sequence[int]) -> int:
    if line >= len(starts):
        return starts[-1]
    return min(starts[line - 1] + column - 1, starts[line])
