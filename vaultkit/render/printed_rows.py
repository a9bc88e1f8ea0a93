"""Finds tables without heads in the output of a block: lines with the same words around values.

Each line begins with a label. The words that all lines repeat around a value are the head of its
column. What is not surely a table is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from vaultkit.render.printed_heads import NUMBER, VALUE, WORD, Cell, split_cells

#: A range of numbers: ``1.5 to 2.0``.
_RANGE = re.compile(rf"(?:{NUMBER.pattern}) to +(?:{NUMBER.pattern})")
#: A range of numbers, what is in round brackets, or a word.
_WORD = re.compile(rf"(?<!\S){_RANGE.pattern}(?!\S)|\([^()]*\)|\S+")
_PUNCTUATION = (",", ";", ":")
#: A line with such a sign, or with a word in square brackets, is no row: it may be a formula, an
#: array or code.
_SIGN = re.compile(r"[*+/=<>|-]|->|.*[][{}'\"].*")
#: Fewer lines may be alike by chance.
_FEWEST_ROWS = 3
#: The least number of blanks between the columns of a table.
_GAP = 2
#: Most words of a head or a label; more are a sentence.
_MOST_WORDS = 4


class Part(NamedTuple):
    """The columns of a line in which a cell begins and ends, and those of what it shows.

    Of *loss 3.9,* only *3.9* is shown, since the head of the column is *loss*.
    """

    start: int
    end: int
    shown_start: int
    shown_end: int


@dataclass(frozen=True)
class Rows:
    """The lines of a table, split into cells."""

    #: The head of each column of values; empty if no words are around them.
    heads: tuple[str, ...]
    rows: tuple[tuple[Part, ...], ...]


class _Column(NamedTuple):
    """The words of a column by their numbers: the first, the value, and one past the last."""

    first: int
    value: int
    end: int


def find_rows(lines: Sequence[str]) -> Iterator[tuple[int, Rows]]:
    """Yield each table of an output, after the number of its first line.

    Examples
    --------
    >>> [(first, table)] = find_rows(["a: loss 3.9", "b: loss 2.4", "c: loss 0.7"])
    >>> first, table.heads, table.rows[0][1]
    (0, ('loss',), Part(start=3, end=11, shown_start=8, shown_end=11))
    """
    at = end_of_last = 0
    while at <= len(lines) - _FEWEST_ROWS:
        # The longest table comes first.
        ends = range(len(lines), at + _FEWEST_ROWS - 1, -1)
        parsed = next(((end, rows) for end in ends if (rows := _parse(lines[at:end]))), None)
        end, rows = parsed or (at + 1, None)
        around = [*lines[max(end_of_last, at - 1) : at], *lines[end : end + 1]]
        # A line beside it that may be one of its rows, too, would be left out.
        if rows and not any(_may_belong_to(rows, line) for line in around):
            yield at, rows
            end_of_last = end
        at = end


def _may_belong_to(rows: Rows, line: str) -> bool:
    """Return whether the last value of a line is in line with the values of a column."""
    words = split_cells(WORD, line)
    last = _without_punctuation(words[-1]) if words else None
    if last is None or not _is_value(last):
        return False
    columns = zip(*(row[1:] for row in rows.rows), strict=True)
    return any(
        all(part.shown_start == last.start for part in column)
        or all(part.shown_end == last.end for part in column)
        for column in columns
    )


def _parse(lines: Sequence[str]) -> Rows | None:
    """Return these lines as a table; None if they are not one.

    Each line is split into words; the last words, which all lines have in common, are the columns.
    """
    words = [split_cells(_WORD, line) for line in lines]
    if any(not row or any(_SIGN.fullmatch(cell.text) for cell in row) for row in words):
        return None
    count = _count_common(words)
    labels = [row[: len(row) - count] for row in words]
    common = [row[len(row) - count :] for row in words]
    values = [number for number in range(count) if _has_values(common, number)]
    # A number that all lines repeat is no value of its own, unless a comma says that it is.
    if any(
        cell.text.endswith((",", ";")) and _is_value(cell)
        for number, cell in enumerate(common[0])
        if number not in values
    ):
        return None
    columns = _split(common[0], values)
    if columns and not any(labels):
        # The first value is the label.
        label_column, *columns = columns
        labels = [row[: label_column.end] for row in common]
    heads = [_head_of(common[0], column) for column in columns]
    if not heads or max(len(head.split()) for head in heads) > _MOST_WORDS:
        return None
    if not _are_labels(labels):
        return None
    rows = [
        (_label_part(label), *(_value_part(row, column) for column in columns))
        for label, row in zip(labels, common, strict=True)
    ]
    return Rows(tuple(heads), tuple(rows))


def _count_common(words: Sequence[Sequence[Cell]]) -> int:
    """Return how many words at the end of all lines are the same, or values in line."""
    most = min(map(len, words))
    for count in range(1, most + 1):
        column = [row[-count] for row in words]
        is_repeated = len({cell.text for cell in column}) == 1
        if not is_repeated and not (all(map(_is_value, column)) and _are_in_line(column)):
            return count - 1
    return most


def _without_punctuation(cell: Cell) -> Cell:
    """Return a word without the punctuation behind it."""
    text = cell.text.rstrip("".join(_PUNCTUATION))
    return Cell(cell.start, cell.start + len(text), text)


def _is_value(cell: Cell) -> bool:
    """Return whether a word is a value; a sign for yes or no (*-*, *x*) may be a word here."""
    text = _without_punctuation(cell).text
    return bool(VALUE.fullmatch(text) or _RANGE.fullmatch(text)) and text not in "-–.x"


def _has_values(rows: Sequence[Sequence[Cell]], number: int) -> bool:
    """Return whether the words with a number have values, rather than a number within words.

    Such a number is a whole one that all lines repeat, next to the word before it: *layer 2*.
    """
    cell, before = rows[0][number], rows[0][max(number - 1, 0)]
    is_next_to_word = cell.start - before.end < _GAP and _without_punctuation(cell).text.isdigit()
    is_repeated = len({row[number].text for row in rows}) == 1
    return all(_is_value(row[number]) for row in rows) and not (is_repeated and is_next_to_word)


def _are_in_line(cells: Sequence[Cell]) -> bool:
    """Return whether all words begin in one column of their lines, or end in one."""
    bare = [_without_punctuation(cell) for cell in cells]
    return len({cell.start for cell in bare}) == 1 or len({cell.end for cell in bare}) == 1


def _split(line: Sequence[Cell], values: Sequence[int]) -> list[_Column]:
    """Divide a line into columns, given the numbers of the words that are values.

    Of the words between two values, those up to a punctuation mark or else a gap belong to the
    first value, the others to the second; without either, all belong to the second.

    Examples
    --------
    >>> line = split_cells(_WORD, "5 tokens: weight 0.99, answer 2: 0.98")
    >>> [tuple(column) for column in _split(line, [0, 3, 6])]
    [(0, 0, 2), (2, 3, 4), (4, 6, 7)]
    """
    firsts = [0]
    for value, next_value in pairwise(values):
        marks = (k + 1 for k in range(value, next_value) if line[k].text.endswith(_PUNCTUATION))
        gaps = (
            k for k in range(value + 1, next_value + 1) if line[k].start - line[k - 1].end >= _GAP
        )
        firsts.append(next(marks, None) or next(gaps, value + 1))
    ends = [*firsts[1:], len(line)]
    return [_Column(*column) for column in zip(firsts, values, ends, strict=False)]


def _head_of(line: Sequence[Cell], column: _Column) -> str:
    """Return the words around the value of a column: *at … tokens* for *at 5 tokens*."""
    around = (line[column.first : column.value], line[column.value + 1 : column.end])
    texts = (" ".join(_without_punctuation(cell).text for cell in words) for words in around)
    return " … ".join(filter(None, texts))


def _are_labels(labels: Sequence[Sequence[Cell]]) -> bool:
    """Return whether the beginnings of lines are short, in line, and different, and name things."""
    if not all(labels) or max(map(len, labels)) > _MOST_WORDS:
        return False
    texts = [" ".join(cell.text for cell in label) for label in labels]
    # A value behind a gap would be one of a column that not all lines have.
    have_no_values = all(
        word.end + 1 == following.start or not _is_value(following)
        for label in labels
        for word, following in pairwise(label)
    )
    firsts, lasts = [label[0] for label in labels], [label[-1] for label in labels]
    names = sum(any(letter.isalpha() for letter in text) for text in texts)
    are_in_line = _are_in_line(firsts) or _are_in_line(lasts)
    return are_in_line and have_no_values and len(set(texts)) > 1 and 2 * names >= len(texts)


def _value_part(line: Sequence[Cell], column: _Column) -> Part:
    """Return a cell with the words of a column, which shows the value alone."""
    shown = _without_punctuation(line[column.value])
    return Part(line[column.first].start, line[column.end - 1].end, shown.start, shown.end)


def _label_part(words: Sequence[Cell]) -> Part:
    """Return a cell that shows all of these words, without the punctuation behind them."""
    end = _without_punctuation(words[-1]).end
    return Part(words[0].start, words[-1].end, words[0].start, end)
