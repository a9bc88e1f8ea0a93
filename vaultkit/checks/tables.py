"""Compares the cells of tables with what outputs and variables have under the same label.

The number of *Mars* in a table must be that in the line ``Mars 1.88`` of an output, in the value of
the key ``"Mars"`` of a dictionary, or in the element beside ``"Mars"`` in another list, if the
other rows of the table agree with theirs. Such a column is proven; if only one of its cells
differs, or two are exchanged, they are contradicted; so is a number of another row in a column with
the name of the variable. All other columns are not judged here.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from typing import Any

import numpy as np

from vaultkit.checks.check import EXCEPTED, FAILS, HOLDS, Check
from vaultkit.checks.literals import is_number
from vaultkit.checks.lookup import parse_number
from vaultkit.checks.observed import NUMBER_IN_OUTPUT
from vaultkit.read.note import Block, Cell, Note
from vaultkit.read.syntax import HTML_COMMENT
from vaultkit.run.steps import Step

_NUMBER = r"[-−+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
#: A cell with one number and perhaps a unit, **1,024 m**, or with several, as in 7:3.
_CELL = re.compile(
    rf"[^\w\d−-]*(?:{_NUMBER})(?:\s?[:/–]\s?{_NUMBER})*[*_`$\s]*(?:[^\s\d]{{1,8}})?\W*"
)
_NUMBERS = re.compile(rf"(?<![\d.]){_NUMBER}")
_WORD = re.compile(r"[^\W\d_]\w*")
#: A number with a unit as the label of a row: *620 Hz*, *30°*.
_MEASURE = re.compile(rf"({_NUMBER})\s?(?:[°%‰]\s?[CF]?|[^\W\d_]{{1,8}}(?:/[^\W\d_]{{1,3}})?)")
#: Most elements of a list or dictionary, and most lines of an output, that are compared.
_MOST = 512
#: The least number of rows of a column in which one cell may be contradicted, and the least number
#: of digits in its other cells: fewer may agree by chance.
_ROWS, _DIGITS = 3, 4

#: A label: its words, regardless of case and order, or a number.
Key = frozenset[str] | float
#: By label, the numbers beside it.
Source = Mapping[Key, Sequence[float]]


@dataclass(frozen=True)
class Finding:
    """The verdict on a number in a table: whether it is right, and the evidence."""

    line: int
    column: int
    text: str
    is_right: bool
    why: str

    @property
    def failure(self) -> Check:
        """The check of a number that is wrong."""
        why = f"{self.text}: {self.why}"
        return Check("number", self.line, self.text, FAILS, why, self.column)


@dataclass(frozen=True)
class _Entry:
    """A number in a cell, with the labels of its row and column."""

    line: int
    column: int
    text: str
    #: The labels of its row: those of the first cell, and of other cells in words.
    rows: tuple[Key, ...]
    title: frozenset[str]
    #: The words of the title of its column without what is in brackets: *litres (l)*.
    name: frozenset[str]
    is_share: bool

    def is_rounding_of(self, number: float) -> bool:
        """Return whether the cell shows a number to its digits, for shares also times 100."""
        half_of_last_digit = 0.5 * 10.0 ** -len(self.text.partition(".")[2])
        shown = parse_number(self.text)
        return any(
            abs(number * scale - shown) <= half_of_last_digit * (1 + 1e-9) + 1e-12
            for scale in ((1.0, 100.0) if self.is_share else (1.0,))
        )

    @property
    def digits(self) -> int:
        """The number of digits, without zeros at both ends: those easily agree by chance."""
        return len(re.sub(r"\D", "", self.text).strip("0"))


@dataclass(frozen=True)
class _Comparison:
    """Cells of a column with the numbers that an output or variable has for them.

    Attributes
    ----------
    source
        The output or variable.
    pairs
        The cells, each with its number.
    column
        All numbers of the source if the title of the column names it, else none.
    """

    source: str
    pairs: list[tuple[_Entry, float]]
    column: Sequence[float] = ()

    @cached_property
    def wrong(self) -> list[tuple[_Entry, float]]:
        """The cells that show another number."""
        return [(e, n) for e, n in self.pairs if not e.is_rounding_of(n)]

    @property
    def is_swapped(self) -> bool:
        """Whether exactly two cells are wrong, and each shows the number of the other."""
        if len(self.wrong) != 2:
            return False
        (first, number), (second, other_number) = self.wrong
        return first.is_rounding_of(other_number) and second.is_rounding_of(number)

    @property
    def is_contradicted(self) -> bool:
        """Whether the wrong numbers hardly agree with something else.

        They are those of other rows of what the title names; or one number is wrong, or two are
        swapped, in a long column.
        """
        if self.column and self.wrong:
            return all(any(map(entry.is_rounding_of, self.column)) for entry, _ in self.wrong)
        right = sum(entry.digits for entry, number in self.pairs if entry.is_rounding_of(number))
        is_long = len(self.pairs) >= _ROWS + self.is_swapped and right >= _DIGITS
        return (len(self.wrong) == 1 or self.is_swapped) and is_long


class Tables:
    """Judges the numbers in the tables of a note.

    Parameters
    ----------
    note
        The note.
    """

    def __init__(self, note: Note) -> None:
        #: The outputs and variables with labels: the description of each, its numbers, and the
        #: words of its name.
        self.sources: list[tuple[str, Source, frozenset[str]]] = []
        self.rebase(note)

    def rebase(self, note: Note) -> None:
        """Rebase onto an edited note whose text is the same up to the last block observed."""
        self.note = note

    def observe(self, block: Block, steps: list[Step], variables: Mapping[str, Any]) -> None:  # noqa: ARG002
        """Collect what the outputs and variables after a block have under labels."""
        for step in steps:
            self._read_output(step)
        # Lists of equal lengths may belong together.
        by_length: dict[int, list[tuple[str, list[Any]]]] = defaultdict(list)
        for name, value in variables.items():
            if name.startswith("_"):
                continue
            if isinstance(value, dict):
                self._add_source(f"variable {name}", value.items(), name)
            elif isinstance(value, list | tuple | np.ndarray) and 1 < len(_items(value)) <= _MOST:
                items = _items(value)
                by_length[len(items)].append((name, items))
                pairs = [(i[0], i[1:]) for i in items if isinstance(i, list | tuple) and i]
                if len(pairs) == len(items):  # a list of rows, each with its label first
                    self._add_source(f"variable {name}", pairs)
        for lists in by_length.values():
            # A list of words labels the numbers of another one.
            labels = [items for _, items in lists if all(isinstance(i, str) for i in items)]
            for name, items in lists:
                if all(is_number(item) for item in items):
                    for label in labels:
                        self._add_source(f"variable {name}", zip(label, items, strict=True), name)

    def _read_output(self, step: Step) -> None:
        """Read an output: numbers behind words, or behind the first number of a line."""
        pairs: list[tuple[Key, list[float]]] = []
        lines = step.got.splitlines()[:_MOST]
        where = f"output at line {step.output_line}"
        for text in lines:
            first = NUMBER_IN_OUTPUT.search(text)
            if not first:
                continue
            numbers = list(map(parse_number, NUMBER_IN_OUTPUT.findall(text)))
            words = _words(text[: first.start()])
            pairs.append((words, numbers) if words else (numbers[0], numbers[1:]))
            for opening, closing in ("{}", "[]"):
                is_list = opening == "["
                if is_list and "[(" not in text:
                    continue  # a list without pairs has no labels
                with suppress(Exception):  # most text in brackets is no literal
                    data = ast.literal_eval(text[text.index(opening) : text.rindex(closing) + 1])
                    self._add_source(where, data.items() if isinstance(data, dict) else data)
        self._add_source(where, pairs)

    def _add_source(self, where: str, pairs: Any, name: str = "") -> None:
        """Add a source, without the labels that it has twice; ``name`` is that of a variable."""
        rows: dict[Key, Sequence[float]] = {}
        twice: set[Key] = set()
        for label, value in list(pairs)[:_MOST]:
            key, numbers = _key(label), _flattened(value)
            if key in rows:
                twice.add(key)
            if numbers and key != frozenset():
                rows[key] = numbers
        source = {key: numbers for key, numbers in rows.items() if key not in twice}
        new = (where, source, _words(name.replace("_", " ")))
        if len(source) > 1 and new not in self.sources:
            self.sources.append(new)

    def check(self, numbers: Iterable[Check]) -> Iterator[Check]:
        """Yield the checks of the numbers of a note, with verdicts on those in tables."""
        findings: dict[tuple[int, int], Finding] = {}
        for finding in self._findings():
            findings.setdefault((finding.line, finding.column), finding)
        for check in numbers:
            verdict = findings.pop((check.line, check.column), None)
            if verdict is None or check.outcome == EXCEPTED:
                yield check
            elif verdict.is_right:
                yield replace(check, outcome=HOLDS, why=verdict.why, scope="")
            else:
                yield verdict.failure
        yield from (finding.failure for finding in findings.values() if not finding.is_right)

    def _findings(self) -> Iterator[Finding]:
        """Yield verdicts on the numbers in columns that outputs or variables show."""
        for column in columns(self.note.cells):
            yield from self._findings_of_column(column)

    def _findings_of_column(self, column: Sequence[_Entry]) -> Iterator[Finding]:
        """Yield the findings about a column of a table.

        All right, or one number wrong, or two swapped. If it agrees with any source, it is right,
        whatever the others have; of wrong ones, the first source counts.
        """
        first_wrong: list[Finding] = []
        for comparison in self._comparisons(column):
            source, wrong = comparison.source, comparison.wrong
            if len(comparison.pairs) > 1 and not wrong:
                for entry, _ in comparison.pairs:
                    yield Finding(entry.line, entry.column, entry.text, True, source)
                return
            if comparison.is_contradicted and not first_wrong:
                first_wrong = [
                    Finding(e.line, e.column, e.text, False, f"in {source} it is {n:.6g}")
                    for e, n in wrong
                ]
        yield from first_wrong

    def _comparisons(self, column: Sequence[_Entry]) -> Iterator[_Comparison]:
        """Yield the comparisons of a column with each source, label and place of a number."""
        for where, source, name in self.sources:
            for label in range(min(len(entry.rows) for entry in column)):
                rows = [_numbers_of_label(entry, label, source) for entry in column]
                if sum(row is not None for row in rows) < 2:  # one label may agree by chance
                    continue
                longest = max(len(row) for row in rows if row is not None)
                # The last numbers of rows of different lengths may belong together.
                for place in (*range(longest), -1):
                    pairs = [
                        (entry, row[place])
                        for entry, row in zip(column, rows, strict=True)
                        if row and place < len(row)
                    ]
                    is_named = longest == 1 and name and name == column[0].name
                    numbers = [row[0] for row in source.values()] if is_named else []
                    yield _Comparison(where, pairs, numbers)


def columns(cells: Sequence[Cell]) -> Iterator[list[_Entry]]:
    """Yield the columns of each table with the numbers in their cells."""
    tables: list[list[list[Cell]]] = []  # the rows of each table, and the cells of each row
    for cell in cells:
        row = cell.label.line
        if not (tables and tables[-1][-1][0].label.line in (row, row - 1)):
            tables.append([[]])
        elif tables[-1][-1][0].label.line != row:
            tables[-1].append([])
        tables[-1][-1].append(cell)
    for rows in tables:
        for below in zip_longest(*rows):
            entries = [
                list(_entries(cell, row))
                for cell, row in zip(below, rows, strict=False)
                if cell is not None
            ]
            # A cell such as 7:3 has several numbers, each in a column of its own.
            for column in zip_longest(*entries):
                numbers = [entry for entry in column if entry is not None]
                if len(numbers) > 1:
                    yield numbers


def _entries(cell: Cell, beside: Sequence[Cell]) -> Iterator[_Entry]:
    """Yield the numbers of a cell, if it consists of numbers, given the cells of its row."""
    if not _CELL.fullmatch(cell.text):
        return
    first = _plain(cell.label.text)
    labels = (_plain(c.text) for c in beside if not _CELL.fullmatch(c.text))
    rows = (_key(first), *(_words(label) for label in labels if _words(label) and label != first))
    is_share = "%" in cell.text + cell.title or "per cent" in cell.title
    name = _words(re.sub(r"\([^()]*\)", "", cell.title))
    for match in _NUMBERS.finditer(cell.text):
        column = cell.column + match.start()
        yield _Entry(cell.line, column, match[0], rows, _words(cell.title), name, is_share)


def _plain(text: str) -> str:
    """Return the text of a cell without comments and marks for bold text, code and formulas."""
    return HTML_COMMENT.sub("", text).strip(" *_`$")


def _numbers_of_label(entry: _Entry, label: int, source: Source) -> Sequence[float] | None:
    """Return the numbers that a source has for a label of a row, or for a row and a column.

    ``label`` is the index of the label. A key of a source may have words of both: ``"oak height"``.
    """
    row = entry.rows[label]
    if isinstance(row, float):
        return source.get(row)
    if row in source:
        return source[row]
    of_both = [
        numbers
        for key, numbers in source.items()
        if isinstance(key, frozenset) and key & row and key & entry.title
        if key <= row | entry.title
    ]
    return of_both[0] if len(of_both) == 1 else None


def _key(label: Any) -> Key:
    """Return a label as a key; no words for one that cannot be compared.

    ``"620 Hz"`` → ``620.0``, ``("North", "bed")`` → ``{"north", "bed"}``.
    """
    if is_number(label):
        return float(label)
    if isinstance(label, frozenset):  # the words of a label, or a key of a dictionary
        return label if all(isinstance(word, str) for word in label) else frozenset()
    parts = label if isinstance(label, tuple) else (label,)
    if not all(isinstance(part, str) or is_number(part) for part in parts):
        return frozenset()
    text = " ".join(map(str, parts))
    plain = text.strip()
    if re.fullmatch(_NUMBER, plain):
        return parse_number(plain)
    if measure := _MEASURE.fullmatch(plain):
        return parse_number(measure[1])
    return _words(text)


def _words(text: str) -> frozenset[str]:
    """Return the words of a text, regardless of their case and order."""
    return frozenset(word.casefold() for word in _WORD.findall(text))


def _flattened(value: Any) -> list[float]:
    """Return the numbers of a value: a number, a text with one, or a sequence of these."""
    if is_number(value):
        return [float(value)]
    if isinstance(value, str):
        numbers = NUMBER_IN_OUTPUT.findall(value)
        return [parse_number(numbers[0])] if len(numbers) == 1 else []
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple | np.ndarray):
        return [float(item) for item in _items(value) if is_number(item)]
    return []


def _items(value: Any) -> list[Any]:
    """Return the items of a sequence, at most one too many; none of a large or nested array."""
    if isinstance(value, np.ndarray):
        return list(value.tolist()) if value.ndim == 1 and value.size <= _MOST else []
    return list(value[: _MOST + 1])
