"""Finds tables with heads in the output of a block.

A table is a line of column heads above rows of a label and values, each value below the head of its
column and in line with the other values of the column. What is not surely a table is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

#: Words with single blanks between them.
_PHRASE = re.compile(r"\S+(?: \S+)*")
#: A word; what is in brackets is one.
WORD = re.compile(r"\[[^][]*\]|\([^()]*\)|\S+")
#: A gap within a line: several blanks between two words.
_GAP_WITHIN = re.compile(r"\S {2,}\S")
#: The least width of a gap.
_GAP = 2
NUMBER = re.compile(r"[-−+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:e[-+]?\d+)?%?|[-−+]?inf|nan")
#: A value: a number, a range of numbers, a sign for yes or no, an array or a shape.
VALUE = re.compile(
    rf"(?:{NUMBER.pattern})(?:-(?:{NUMBER.pattern}))?|[-–.x]|True|False|\[[^][]*\]|\([\d, ]*\)"
)
_FEWEST_COLUMNS = 2
_FEWEST_ROWS = 2


class Cell(NamedTuple):
    """A text and its place in a line: ``line[start:end]``."""

    start: int
    end: int
    text: str


class Row(NamedTuple):
    """The label and the values of a row; a value that the row lacks is ``None``."""

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
    at = end_of_last = 0
    while at < len(lines):
        # Heads may have several lines, of which only one or two can be read as such.
        may_begin = at == end_of_last or _is_certainly_no_head(lines[at - 1])
        table = _parse_table(lines, at) if may_begin else None
        if table is None or not _ends_at(lines, at + table.size):
            at += 1
            continue
        yield at, table
        at = end_of_last = at + table.size


def _parse_table(lines: Sequence[str], at: int) -> Table | None:
    """Return the table whose first line is this one, if there is one."""
    if table := _parse_below_heads(lines, at):
        return table
    # A line with the heads of groups of columns may be above the heads.
    groups = split_cells(_PHRASE, lines[at])
    if not lines[at].startswith("  ") or len(groups) < _FEWEST_COLUMNS:
        return None
    table = _parse_below_heads(lines, at + 1)
    counts = table and _count_columns_of_groups(groups, table)
    if not table or not counts:
        return None
    return replace(table, groups=tuple(zip(groups, counts, strict=True)))


def _parse_below_heads(lines: Sequence[str], at: int) -> Table | None:
    """Return the table whose heads are in a line; None if there is none."""
    if at >= len(lines) or "[" in lines[at]:  # the line of an array
        return None
    # Heads may be phrases with gaps between them, or single words.
    for pattern in (_PHRASE, WORD):
        for corner, heads in _split_corner(split_cells(pattern, lines[at])):
            if not _are_heads(heads, corner):
                continue
            rows = _parse_rows(lines[at + 1 :], heads)
            if _are_enough(rows, heads, corner) and _are_columns_aligned(corner, heads, rows):
                return Table(corner, tuple(heads), tuple(rows))
    return None


def _split_corner(cells: Sequence[Cell]) -> Iterator[tuple[Cell | None, Sequence[Cell]]]:
    """Yield the ways to split a line into the head of the labels, if any, and the other heads."""
    yield None, cells
    for count in range(1, len(cells)):
        first, last = cells[0], cells[count - 1]
        words = " ".join(cell.text for cell in cells[:count])
        are_adjacent = len(words) == last.end - first.start
        if are_adjacent:
            yield Cell(first.start, last.end, words), cells[count:]


def _parse_rows(lines: Sequence[str], heads: Sequence[Cell]) -> list[Row]:
    """Return the rows below these heads, up to the first line that is none or out of line."""
    rows: list[Row] = []
    for line in lines:
        row = _parse_row(line, heads)
        if row is None or not _are_columns_aligned(None, heads, [*rows[-1:], row]):
            break
        are_next_heads = [c.text for c in row.values if c] == [head.text for head in heads]
        # A row without a label is the only one.
        lacks_label = rows and not (rows[0].label.text and row.label.text)
        if are_next_heads or lacks_label:
            break
        rows.append(row)
    return rows


def _are_heads(cells: Sequence[Cell], corner: Cell | None) -> bool:
    """Return whether the cells of a line can be heads.

    They are mostly words, they number the columns behind a corner in words, they are a single word
    far behind such a corner, or they are the same for two groups of columns.

    Examples
    --------
    >>> name, one, two = Cell(0, 1, "Q"), Cell(6, 7, "1"), Cell(13, 14, "2")
    >>> _are_heads([one, two], name), _are_heads([one, two], None)
    (True, False)
    """
    texts = [cell.text for cell in cells]
    values = [text for text in texts if VALUE.fullmatch(text)]
    if any(text.endswith((":", ",")) for text in texts):
        return False  # a sentence
    if corner and not VALUE.fullmatch(corner.text):
        column_numbers = [str(number) for number in range(1, len(texts) + 1)]
        are_numbered = len(texts) > 1 and texts == column_numbers
        # One head is enough if it is not one of two words.
        is_apart = len(cells) == 1 and cells[0].start - corner.end >= _GAP
        if are_numbered or (is_apart and not values):
            return True
    # Two groups of columns with the same heads, not all of them values: *rows 2 4 rows 2 4*.
    half = len(texts) // 2
    are_repeated = half > 1 and texts[:half] == texts[half:] and len(values) < len(texts)
    are_mostly_words = 2 * len(values) < len(cells)
    return len(cells) >= _FEWEST_COLUMNS and (are_mostly_words or are_repeated)


def _are_enough(rows: Sequence[Row], heads: Sequence[Cell], corner: Cell | None) -> bool:
    """Return whether the rows below these heads make a table.

    One row does if its columns end where their heads end, below words alone; and a table with one
    column does if its labels are numbers.
    """
    full_rows = [row for row in rows if None not in row.values]
    if len(heads) == 1:
        are_numbered = all(NUMBER.fullmatch(row.label.text) for row in rows)
        return are_numbered and len(full_rows) == len(rows) >= _FEWEST_ROWS
    if any(NUMBER.fullmatch(head.text) for head in heads) and len(full_rows) < len(rows):
        return False
    if len(rows) > 1 or not full_rows or not corner:
        return len(full_rows) >= _FEWEST_ROWS
    below = zip(heads, full_rows[0].values, strict=True)
    return all(
        cell and cell.end == head.end and NUMBER.fullmatch(cell.text) for head, cell in below
    )


def _parse_row(line: str, heads: Sequence[Cell]) -> Row | None:
    """Return a line as a row below these heads; None if it is not one.

    Its values are single words, or else phrases.

    Examples
    --------
    >>> heads = [Cell(4, 8, "norm"), Cell(10, 14, "bias")]
    >>> _parse_row("32  0.10     -", heads).label.text
    '32'
    >>> _parse_row("The 0.10     -  of 32", heads) is None  # words after the values
    True
    """
    return _place_in_row(line, heads, WORD) or _place_in_row(line, heads, _PHRASE)


def _place_in_row(line: str, heads: Sequence[Cell], pattern: re.Pattern[str]) -> Row | None:
    """Return a line as a row whose values match a pattern; None if it is not one.

    What is before the first value is the label.
    """
    words = split_cells(pattern, line)
    values = [_find_below(head, words) for head in heads]
    present = [value for value in values if value]
    if not present:
        return None
    first = present[0]
    label = line[: first.start].rstrip()
    only_values_follow = len(words) - words.index(first) == len(present)
    numbers = sum(VALUE.fullmatch(value.text) is not None for value in present)
    are_mostly_numbers = 2 * numbers >= len(present)
    if not only_values_follow or not are_mostly_numbers:
        return None
    # In a row without some of its values, a gap is after the label, and none in it.
    has_gap = first.start - len(label) >= _GAP and not _GAP_WITHIN.search(label.strip())
    if len(present) < len(heads) and not has_gap:
        return None
    return Row(Cell(len(label) - len(label.lstrip()), len(label), label.strip()), tuple(values))


def _are_columns_aligned(corner: Cell | None, heads: Sequence[Cell], rows: Sequence[Row]) -> bool:
    """Return whether each column is aligned at one side, and all labels are left of the values.

    The head of the labels is above them if there is one; else they are left of all heads.
    """
    for head, *below in zip(heads, *(row.values for row in rows), strict=True):
        column = [cell for cell in below if cell]
        # A word that is repeated below is not a head, but a word of each row.
        if any(cell.text == head.text and not VALUE.fullmatch(cell.text) for cell in column):
            return False
        # A head may be a column too far to the left or right, if the values are in line.
        if not any(_is_aligned_with(cell, column) for cell in (head, *column[:1])):
            return False
    labels = [row.label for row in rows]
    labels_end = max(label.end for label in labels)
    if labels_end > min(cell.start for row in rows for cell in row.values if cell):
        return False
    if corner is None:
        return labels_end <= heads[0].start
    return all(_is_aligned_with(corner, [label]) for label in labels)


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

    None unless each column is below one such head, and each head above a column. If all groups have
    the same columns, it is enough that each head is above one of its own, and above no other.
    """
    #: For each column, the numbers of the groups whose heads are above it.
    groups_above: list[list[int]] = []
    for head, *below in zip(table.heads, *(row.values for row in table.rows), strict=True):
        cells = [head, *filter(None, below)]
        start, end = min(cell.start for cell in cells), max(cell.end for cell in cells)
        above = [n for n, group in enumerate(groups) if group.start < end and start < group.end]
        groups_above.append(above)
    size = len(table.heads) // len(groups)
    texts = [head.text for head in table.heads]
    if texts == len(groups) * texts[:size]:  # all groups have the same columns
        numbers = {number for above in groups_above for number in above}
        are_above_own = all(
            {column // size} >= {*above} for column, above in enumerate(groups_above)
        )
        return [size] * len(groups) if are_above_own and len(numbers) == len(groups) else None
    if any(len(above) != 1 for above in groups_above):
        return None
    group_of_column = [above[0] for above in groups_above]
    counts = [group_of_column.count(number) for number in range(len(groups))]
    return counts if group_of_column == sorted(group_of_column) and all(counts) else None


def _is_certainly_no_head(line: str) -> bool:
    """Return whether a line above a table is surely no part of its heads.

    It is then an array or tuple, part of a sentence, words without a gap, or a row of values.
    """
    words = WORD.findall(line)
    if "[" in line or line.startswith("(") or any(word.endswith((":", ",")) for word in words):
        return True
    is_set_apart = line.startswith("  ") or _GAP_WITHIN.search(line) is not None
    return not is_set_apart or all(VALUE.fullmatch(word) for word in words)


def _ends_at(lines: Sequence[str], at: int) -> bool:
    """Return whether a table surely ends above a line, or that line begins the next one."""
    if at >= len(lines) or _is_certainly_no_head(lines[at]):
        return True
    return _parse_below_heads(lines, at) is not None


def split_cells(pattern: re.Pattern[str], line: str) -> list[Cell]:
    """Return the parts of a line that match a pattern."""
    return [Cell(*match.span(), match[0]) for match in pattern.finditer(line)]
