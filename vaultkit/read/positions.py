"""Maps places in the text of tokens to lines and columns of the file, both counted from 1."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import accumulate, groupby

from markdown_it.token import Token


class Source:
    """The lines of a text, in which the text of tokens is located."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        #: The line of the last cell of a table, from 0, and the position where the cell ended.
        self.cell = (0, 0)

    def places(self, token: Token, span: tuple[int, int], cell: bool = False) -> Places:
        """Return the places of the text of a paragraph, heading or cell.

        Cells must be requested in order, since equal ones are told apart by it. ``span`` are the
        lines of the block around it, which count if the token has none.
        """
        first = (token.map or span)[0]
        if not cell:
            contents = token.content.split("\n")
            return Places(first, contents, self.lines[first : first + len(contents)])
        line = self.lines[first] if first < len(self.lines) else ""
        written = token.content.replace("|", "\\|")
        line_of_last_cell, end_of_last_cell = self.cell
        search_from = end_of_last_cell if line_of_last_cell == first else 0
        begins = max(0, line.find(written, search_from))
        self.cell = (first, begins + len(written))
        return Places(first, [token.content], [line], begins)


@dataclass
class Places:
    """Maps positions in a paragraph to lines and columns of its file, both from 1.

    Attributes
    ----------
    first
        Its first line, from 0.
    contents
        Its lines without the marks before them: ``> ``, an indent, ``## ``.
    file_lines
        The same lines as the file has them.
    cell_begins
        For the cell of a table, which is on one line: where the cell begins in it. Else None.
    begins
        The position in the paragraph from which positions are counted.
    """

    first: int
    contents: list[str]
    file_lines: list[str]
    cell_begins: int | None = None
    begins: int = 0

    def __post_init__(self) -> None:
        #: The number of characters before the text, by the numbers of its lines.
        self.prefixes: dict[int, int] = {}
        #: The positions in the paragraph at which its lines begin.
        self.starts = [0]
        for line in self.contents[:-1]:
            self.starts.append(self.starts[-1] + len(line) + 1)

    def of_part(self, begins: int) -> Places:
        """Return the places of a part of the paragraph, which begins at a position of it."""
        part = copy(self)
        part.begins = self.begins + begins
        return part

    def __call__(self, position: int) -> tuple[int, int]:
        """Return line and column of a position."""
        position += self.begins
        number = bisect_right(self.starts, position) - 1
        if number not in self.prefixes:
            self.prefixes[number] = self.prefix_length(number)
        offset = position - self.starts[number]
        if self.cell_begins is not None:
            # In a table, a bar is escaped: `\|`.
            offset += self.contents[number].count("|", 0, offset)
        # No column is behind the end of the line, even if the text is longer than the line.
        length = len(self.file_lines[number]) if number < len(self.file_lines) else 0
        return self.first + number + 1, max(1, min(self.prefixes[number] + offset, length) + 1)

    def prefix_length(self, number: int) -> int:
        """Return the number of characters before the text in one of its lines in the file."""
        if self.cell_begins is not None:
            return self.cell_begins
        if number >= len(self.file_lines):
            return 0
        line = self.file_lines[number].replace("\0", "\ufffd")  # as the parser does
        return max(0, line.rfind(self.contents[number].rstrip()))


def join_texts(children: list[Token]) -> list[Token]:
    """Return the children of an inline token with consecutive text tokens joined into one.

    The ``meta["parts"]`` of a joined token has a pair for each text token: where its text begins in
    the joined text, and where it begins in the content of the inline token (its ``meta["at"]``).
    """
    joined: list[Token] = []
    for is_text, tokens in groupby(children, lambda child: child.type in ("text", "text_special")):
        if not is_text:
            joined += tokens
            continue
        texts = list(tokens)
        ends = list(accumulate(len(token.content) for token in texts))
        positions = [token.meta.get("at", 0) for token in texts]
        text = texts[0]
        text.type, text.content = "text", "".join(token.content for token in texts)
        text.meta["parts"] = list(zip([0, *ends[:-1]], positions, strict=True))
        joined.append(text)
    return joined


def parts_of(token: Token) -> Iterator[tuple[str, int]]:
    """Yield the parts of a text token from `join_texts`, each with its place in the paragraph."""
    starts = token.meta["parts"]
    ends = [*(start for start, _ in starts[1:]), len(token.content)]
    for (start, position), end in zip(starts, ends, strict=True):
        yield token.content[start:end], position


def place_in_paragraph(parts: Sequence[tuple[int, int]], offset: int) -> int:
    """Return the position in a paragraph of the character of a text at an offset.

    Each part of the text is given by where it begins in the text and in the paragraph.

    >>> place_in_paragraph([(0, 2), (5, 20)], 6)
    21
    """
    begins, position = parts[bisect_right(parts, offset, key=lambda part: part[0]) - 1]
    return int(position + offset - begins)


def lines_of(token: Token) -> tuple[int, int] | None:
    """Return the first line of a block token and the line below it, from 0; None if unknown."""
    return (token.map[0], token.map[1]) if token.map else None
