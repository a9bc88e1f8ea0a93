"""Maps places in the text of tokens to lines and columns of the file, both counted from 1."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass

from markdown_it.token import Token


class Source:
    """The lines of a text, in which the text of tokens is located."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        #: The line of the last cell of a table, and the position where the cell ended.
        self.cell = (0, 0)

    def places(self, token: Token, span: tuple[int, int], cell: bool = False) -> Places:
        """Return the places of the text of a paragraph, heading or cell.

        Cells must be requested in order. ``span`` are the lines of the block around it.
        """
        first = (token.map or span)[0]
        raw = self.lines[first] if first < len(self.lines) else ""
        if not cell:
            contents = token.content.split("\n")
            return Places(first, contents, self.lines[first : first + len(contents)])
        cell_ = token.content.replace("|", "\\|")
        at = max(0, raw.find(cell_, self.cell[1] if self.cell[0] == first else 0))
        self.cell = (first, at + len(cell_))
        return Places(first, [token.content], [raw], at)


@dataclass
class Places:
    """Maps places of a paragraph to lines and columns of its file, both from 1.

    Attributes
    ----------
    first
        Its first line, from 0.
    contents
        Its lines without the marks before them: ``> ``, an indent, ``## ``.
    raw
        The same lines as the file has them.
    column
        The column of the first line, if it is known.
    begins
        The position in the paragraph from which places are counted.
    """

    first: int
    contents: list[str]
    raw: list[str]
    column: int | None = None
    begins: int = 0

    def __post_init__(self) -> None:
        #: The number of characters before the text, by the numbers of its lines.
        self.prefixes: dict[int, int] = {}
        self.starts = [0]
        for line in self.contents[:-1]:
            self.starts.append(self.starts[-1] + len(line) + 1)

    def of_part(self, begins: int) -> Places:
        """Return the places of a part of the paragraph that begins at ``begins``."""
        part = copy(self)
        part.begins = self.begins + begins
        return part

    def __call__(self, at: int) -> tuple[int, int]:
        """Return line and column of a place."""
        at += self.begins
        number = bisect_right(self.starts, at) - 1
        if number not in self.prefixes:
            self.prefixes[number] = self.prefix_length(number)
        offset = at - self.starts[number]
        if self.column is not None:
            # In a table, a bar is escaped: `\|`.
            offset += self.contents[number].count("|", 0, offset)
        length = len(self.raw[number]) if number < len(self.raw) else 0
        return self.first + number + 1, max(1, min(self.prefixes[number] + offset, length) + 1)

    def prefix_length(self, number: int) -> int:
        """Return the number of characters before the text in a line of the file."""
        if self.column is not None or number >= len(self.raw):
            return self.column or 0
        raw = self.raw[number].replace("\0", "\ufffd")
        return max(0, raw.rfind(self.contents[number].rstrip()))


def join_texts(children: list[Token]) -> list[Token]:
    """Return the children of an inline token with consecutive text tokens joined into one.

    Its ``meta["parts"]`` has, for each of them, where its text begins in the joined text, and its
    ``meta["at"]``: where it begins in the content of the inline token.
    """
    joined: list[Token] = []
    parts: list[str] = []
    length = 0

    def finish() -> None:
        if parts:
            joined[-1].content = "".join(parts)
            parts.clear()

    for child in children:
        if child.type in ("text", "text_special"):
            if not parts:
                child.type = "text"
                child.meta["parts"] = []
                joined.append(child)
                length = 0
            joined[-1].meta["parts"].append((length, child.meta.get("at", 0)))
            parts.append(child.content)
            length += len(child.content)
        else:
            finish()
            joined.append(child)
    finish()
    return joined


def parts_of(token: Token) -> Iterator[tuple[str, int]]:
    """Yield the parts of a text token from `join_texts`, each with its place in the paragraph."""
    starts = token.meta["parts"]
    ends = [*(start for start, _ in starts[1:]), len(token.content)]
    for (start, at), end in zip(starts, ends, strict=True):
        yield token.content[start:end], at


def place_in_paragraph(parts: Sequence[tuple[int, int]], offset: int) -> int:
    """Return the place in a paragraph of a character of a text.

    Each part of the text is given by where it begins in the text and in the paragraph.

    >>> place_in_paragraph([(0, 2), (5, 20)], 6)
    21
    """
    begins, at = parts[bisect_right(parts, offset, key=lambda part: part[0]) - 1]
    return int(at + offset - begins)


def lines_of(token: Token) -> tuple[int, int] | None:
    """Return the lines of a block token, counted from 0, without the last; None if unknown."""
    return (token.map[0], token.map[1]) if token.map else None
