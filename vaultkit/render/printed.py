"""Finds tables in the output of a block, and writes them as HTML tables.

A table is a line of column heads above rows of a label and values, each value below the head of its
column and in line with the other values of the column. What is not surely a table is left as it is.
The text of the HTML, spaces and line ends included, is the text that was printed.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

_CHUNK = re.compile(r"\S+(?: \S+)*")
_WORD = re.compile(r"\S+")
_SPACED = re.compile(r"\S {2,}\S")
_GAP = 2
_NUMBER = re.compile(r"[-−+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:e[-+]?\d+)?%?|[-−+]?inf|nan")
#: A value: a number, a range of numbers, or a sign for yes or no.
_VALUE = re.compile(rf"(?:{_NUMBER.pattern})(?:-(?:{_NUMBER.pattern}))?|[-–.x]|True|False")
#: A number as a power of ten, and a name that is a letter with an index.
_POWER = re.compile(r"(?P<factor>[-−+]?[\d.]+)e(?P<sign>[-+]?)0*(?P<power>\d+)")
_SYMBOL = re.compile(r"\b(?P<letter>[A-Za-z])_(?P<index>[A-Za-z\d]+)\b")
_FEWEST_COLUMNS = 2
_FEWEST_ROWS = 2


class Cell(NamedTuple):
    """A text and its first and last column in a line."""

    start: int
    end: int
    text: str


class Row(NamedTuple):
    """The label and the values of a row; a cell without text is ``None``."""

    label: Cell
    values: tuple[Cell | None, ...]


@dataclass(frozen=True)
class Table:
    """The lines of a table, split into cells."""

    #: The head of the labels, if they have one.
    corner: Cell | None
    heads: tuple[Cell, ...]
    rows: tuple[Row, ...]
    #: The heads of groups of columns, each with the number of its columns.
    groups: tuple[tuple[Cell, int], ...] = ()

    @property
    def size(self) -> int:
        """Return the number of its lines."""
        return bool(self.groups) + 1 + len(self.rows)


def find_tables(lines: Sequence[str]) -> Iterator[tuple[int, Table]]:
    """Yield each table of an output, after the number of its first line.

    Examples
    --------
    >>> [(first, table)] = find_tables([" n  norm  bias", "32  0.10  0.20", "64  0.30     -"])
    >>> first, [cell.text for cell in table.heads], table.rows[1].values[1].text
    (0, ['norm', 'bias'], '-')
    """
    at = done = 0
    while at < len(lines):
        begins = at == done or _is_certainly_no_head(lines[at - 1])
        table = _parse_table(lines, at) if begins else None
        if table is None or not _ends_at(lines, at + table.size):
            at += 1
            continue
        yield at, table
        at += table.size
        done = at


def _parse_table(lines: Sequence[str], at: int) -> Table | None:
    """Return the table whose first line is this one, if there is one."""
    if table := _parse_below_heads(lines, at):
        return table
    # A line with the heads of groups of columns may be above the heads.
    groups = _split_cells(_CHUNK, lines[at])
    if not lines[at].startswith("  ") or len(groups) < _FEWEST_COLUMNS:
        return None
    table = _parse_below_heads(lines, at + 1)
    counts = table and _count_columns_of_groups(groups, table)
    if not table or not counts:
        return None
    return replace(table, groups=tuple(zip(groups, counts, strict=True)))


def _parse_below_heads(lines: Sequence[str], at: int) -> Table | None:
    """Return the table whose heads are in a line; None if there is none."""
    if at >= len(lines) or "[" in lines[at]:
        return None
    for pattern in (_CHUNK, _WORD):
        cells = _split_cells(pattern, lines[at])
        if not cells:
            continue
        for corner, heads in ((None, cells), (cells[0], cells[1:])):
            if not _are_heads(heads):
                continue
            rows = _parse_rows(lines[at + 1 :], heads)
            full_rows = [row for row in rows if None not in row.values]
            if len(full_rows) >= _FEWEST_ROWS and _are_columns_aligned(corner, heads, rows):
                return Table(corner, tuple(heads), tuple(rows))
    return None


def _parse_rows(lines: Sequence[str], heads: Sequence[Cell]) -> list[Row]:
    """Return the rows below these heads, up to the first line that is none or out of line."""
    rows: list[Row] = []
    for line in lines:
        row = _parse_row(line, heads)
        if row is None or not _are_columns_aligned(None, heads, [*rows[-1:], row]):
            break
        rows.append(row)
    return rows


def _are_heads(cells: Sequence[Cell]) -> bool:
    """Return whether the cells of a line, apart from the first, can be heads: they are words."""
    values = sum(_VALUE.fullmatch(cell.text) is not None for cell in cells)
    punctuated = any(cell.text.endswith((":", ",")) for cell in cells)
    return len(cells) >= _FEWEST_COLUMNS and 2 * values < len(cells) and not punctuated


def _parse_row(line: str, heads: Sequence[Cell]) -> Row | None:
    """Return a line as a row below these heads; None if it is not one.

    Examples
    --------
    >>> heads = [Cell(4, 8, "norm"), Cell(10, 14, "bias")]
    >>> _parse_row("32  0.10     -", heads).label.text
    '32'
    >>> _parse_row("The 0.10     -  of 32", heads) is None  # words after the values
    True
    """
    words = _split_cells(_WORD, line)
    cells = [_find_below(head, words) for head in heads]
    values = [cell for cell in cells if cell]
    if not values:
        return None
    first = values[0]
    label = line[: first.start].rstrip()
    only_values_follow = len(words) - words.index(first) == len(values)
    numbers = sum(_VALUE.fullmatch(word.text) is not None for word in values)
    are_mostly_numbers = 2 * numbers >= len(values)
    if not label.strip() or not only_values_follow or not are_mostly_numbers:
        return None
    # In a row without some of its values, a gap is after the label, and none in it.
    has_gap = first.start - len(label) >= _GAP and not _SPACED.search(label.strip())
    if len(values) < len(heads) and not has_gap:
        return None
    return Row(Cell(len(label) - len(label.lstrip()), len(label), label.strip()), tuple(cells))


def _are_columns_aligned(corner: Cell | None, heads: Sequence[Cell], rows: Sequence[Row]) -> bool:
    """Return whether each column is aligned at one side, and all labels are left of the values."""
    for head, *below in zip(heads, *(row.values for row in rows), strict=True):
        column = [cell for cell in below if cell]
        # A word that is repeated below is not a head, but a word of each row.
        if any(cell.text == head.text and not _VALUE.fullmatch(cell.text) for cell in column):
            return False
        # A head may be a column too far to the left or right, if the values are in line.
        if not any(_is_aligned_with(cell, column) for cell in (head, *column[:1])):
            return False
    labels = [row.label for row in rows]
    begin = min(cell.start for row in rows for cell in row.values if cell)
    if max(label.end for label in labels) > begin:
        return False
    if corner is None:
        return max(label.end for label in labels) <= heads[0].start
    return _is_aligned_with(corner, labels)


def _find_below(head: Cell, words: Sequence[Cell]) -> Cell | None:
    """Return the word below a head: one that is aligned with it, or else one that it covers.

    Examples
    --------
    >>> head = Cell(4, 8, "norm")
    >>> _find_below(head, [Cell(0, 2, "32"), Cell(5, 9, "0.10")]).text
    '0.10'
    """
    aligned = (word for word in words if _is_aligned_with(head, [word]))
    covered = (word for word in words if word.start < head.end and head.start < word.end)
    return next(aligned, None) or next(covered, None)


def _is_aligned_with(head: Cell, cells: Sequence[Cell]) -> bool:
    """Return whether all cells begin in the column in which a head begins, or end where it ends."""
    return all(c.end == head.end for c in cells) or all(c.start == head.start for c in cells)


def _count_columns_of_groups(groups: Sequence[Cell], table: Table) -> list[int] | None:
    """Return the number of columns below the head of each group.

    None unless each column is below one such head, and each head above a column.
    """
    group_of_column: list[int] = []
    for head, *below in zip(table.heads, *(row.values for row in table.rows), strict=True):
        cells = [head, *filter(None, below)]
        start, end = min(cell.start for cell in cells), max(cell.end for cell in cells)
        above = [k for k, group in enumerate(groups) if group.start < end and start < group.end]
        if len(above) != 1:
            return None
        group_of_column += above
    counts = [group_of_column.count(number) for number in range(len(groups))]
    return counts if group_of_column == sorted(group_of_column) and all(counts) else None


def _is_certainly_no_head(line: str) -> bool:
    """Return whether a line above a table is surely no part of its heads."""
    return line.startswith(("[", "(", " [")) or not (line.startswith("  ") or _SPACED.search(line))


def _ends_at(lines: Sequence[str], at: int) -> bool:
    """Return whether a table surely ends above a line, or that line begins the next one."""
    if at >= len(lines) or _is_certainly_no_head(lines[at]):
        return True
    return _parse_below_heads(lines, at) is not None


def _split_cells(pattern: re.Pattern[str], line: str) -> list[Cell]:
    """Return the parts of a line that match a pattern."""
    return [Cell(*found.span(), found[0]) for found in pattern.finditer(line)]


def tables_to_html(text: str) -> str:
    """Return an output as HTML in which its tables are tables; empty if it has none."""
    lines = text.split("\n")
    parts, done = [], 0
    for first, table in find_tables(lines):
        parts.append(_lines_to_html(lines[done:first]))
        done = first + table.size
        parts.append(_table_to_html(table, lines[first:done]))
    if not parts:
        return ""
    return "".join([*parts, _lines_to_html(lines[done:])])


def _lines_to_html(lines: Sequence[str]) -> str:
    """Write lines that are no table."""
    if not any(line.strip() for line in lines):
        return "\n" * len(lines)
    text = "".join(f"{html.escape(line, quote=False)}\n" for line in lines)
    return f"<pre><code>{text}</code></pre>"


def _table_to_html(table: Table, lines: Sequence[str]) -> str:
    """Write a table; the spaces between its cells are those that were printed."""
    *above, heads = lines[: len(lines) - len(table.rows)]
    head = _row_to_html(heads, [("th scope=col", cell) for cell in (table.corner, *table.heads)])
    if above:
        groups = [(f"th scope=colgroup colspan={count}", cell) for cell, count in table.groups]
        head = _row_to_html(above[0], [("td", None), *groups]) + head
    rows = [
        _row_to_html(line, [("th scope=row", row.label), *(("td", cell) for cell in row.values)])
        for row, line in zip(table.rows, lines[-len(table.rows) :], strict=True)
    ]
    numbered = all(_NUMBER.fullmatch(row.label.text) for row in table.rows)
    return (
        f'<div class="vk-values__box"><table class="vk-values{" vk-values--numbered" * numbered}">'
        f"<thead>{head}</thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _row_to_html(line: str, cells: Sequence[tuple[str, Cell | None]]) -> str:
    """Write a row of a table, given the opening tag of each cell without its brackets."""
    parts, at = [], 0
    for opening, cell in cells:
        if cell is None:
            parts.append("<td></td>")
            continue
        text, tag = _cell_to_html(cell.text), opening[:2]
        parts.append(f"{line[at : cell.start]}<{opening}>{text}</{tag}>")
        at = cell.end
    return f"<tr>{''.join(parts)}{line[at:]}\n</tr>"


def _cell_to_html(text: str) -> str:
    """Write the text of a cell, in which the style sheet sets signs, powers and indices.

    Examples
    --------
    >>> _cell_to_html("-0.5")
    '<span class="vk-minus">-</span>0.5'
    >>> _cell_to_html("8.8e-07")
    '<span class="vk-power" data-factor="8.8" data-power="−7">8.8e-07</span>'
    >>> _cell_to_html("width d_k")
    'width <i class="vk-symbol">d<span>_</span><sub>k</sub></i>'
    """
    if power := _POWER.fullmatch(text):
        factor, sign = power["factor"].replace("-", "−"), power["sign"].replace("-", "−").strip("+")
        attributes = f'data-factor="{factor}" data-power="{sign}{power["power"]}"'
        return f'<span class="vk-power" {attributes}>{text}</span>'
    if text.startswith("-") and _NUMBER.fullmatch(text):
        return f'<span class="vk-minus">-</span>{text[1:]}'
    symbol = r'<i class="vk-symbol">\g<letter><span>_</span><sub>\g<index></sub></i>'
    return _SYMBOL.sub(symbol, html.escape(text, quote=False))
