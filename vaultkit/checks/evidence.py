"""Groups the checks of a note by the part of the page (formula, number, block) they belong to."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from vaultkit.checks.check import EXCEPTED, FOUND, GENERAL, HERE, UNPROVEN, Check
from vaultkit.checks.literals import source_of
from vaultkit.claims.expressions import nodes_of
from vaultkit.claims.places import page_places
from vaultkit.read.note import Block, Note

#: The scope of a statement that was not tried on other numbers.
CHECKED = "checked"
#: Titles for each kind and scope, the weakest first.
_TITLES = {
    EXCEPTED: "Not run",
    FOUND: "This number occurs on this page",
    CHECKED: "Holds for the arrays of this page",
    HERE: "Holds here: for the numbers of this page",
    GENERAL: "Holds in general: for other numbers, too",
}

_COMPUTED = "Checked: this page computes it"
_AT = re.compile(
    r"^(?P<what>output|code|formula|output of the code) at line (?P<line>\d+)\b"
    r"(?:, column (?P<column>\d+))?"
)
_WORD = re.compile(
    r"(?:output|code|formula|variable|length|default|how|left|both|value)\b(?! [(=])"
)
#: The end of an array's row: before the next row, or before the dots for rows left out.
_ROW = re.compile(r"(?:(?<=\])|(?<=\] \.\.\.)) (?=\[|\.\.\. \[)")
#: A matrix of which each row is on a line.
_MATRIX = re.compile(
    r"^\[\[[^\[\]\n]*\]\n(?:(?:\.\.\.|\[[^\[\]\n]*\])\n)*\[[^\[\]\n]*\]\]", re.MULTILINE
)
_VARIABLE = re.compile(
    r"^(?:variable |length of (?:an axis of )?|default of )?(?P<name>[A-Za-z_]\w*)"
)


@dataclass
class Part:
    """What the checks found for one part of a page.

    Attributes
    ----------
    title
        The outcome in words.
    scope
        `GENERAL`, `HERE`, `CHECKED` or `EXCEPTED` for a statement; empty for a number.
    lines
        The evidence: words, the name of a part of the page, and the text to highlight there.
    """

    title: str
    scope: str = ""
    lines: list[tuple[str, ...]] = field(default_factory=list)

    def plain(self) -> list[object]:
        """Return it as plain data."""
        return [self.title, *self.lines]


def parts(note: Note, checks: Sequence[Check]) -> dict[str, Part]:
    """Return what the checks found for each part of a page.

    Parameters
    ----------
    note
        The note.
    checks
        All checks of the note.

    Returns
    -------
    dict
        The parts by their names in `vaultkit.claims.places`. A part that fails or is not judged is
        left out.
    """
    if not checks:
        return {}  # it takes long to find all parts of a note
    where = page_places(note)
    found: dict[str, list[Check]] = defaultdict(list)
    for check in checks:
        for place in where.names_of(check.kind, check.line, check.column, check.what):
            if check.kind in ("equation", "shape", "number", "sentence"):
                found[place].append(check)
    formulas = {f"formula-{n}": formula for n, formula in enumerate(note.formulas)}
    by_place = {}
    for place, of in found.items():
        if any(check.outcome in UNPROVEN for check in of):
            continue
        part = _number(of) if place.startswith("number-") else _statement(of)
        if place.startswith("sentence-"):
            # Only formulas and shapes are underlined.
            part = Part(_COMPUTED if part.scope == CHECKED else part.title)
        for check in of:
            part.lines += _lines(note, check)
        if place in formulas and formulas[place].here and part.scope == HERE:
            part.lines.append((f"The note says why: {formulas[place].here}",))
        part.lines = list(dict.fromkeys(part.lines))
        by_place[place] = part
    return by_place


def _number(checks: Sequence[Check]) -> Part:
    if any(check.outcome == EXCEPTED for check in checks):
        return Part("A number that is given")
    found = any(check.scope == FOUND for check in checks)
    return Part(_TITLES[FOUND] if found else _COMPUTED)


def _statement(checks: Sequence[Check]) -> Part:
    """Summarise the checks of a formula or shape: the weakest decides."""
    stated = [check for check in checks if check.kind != "number"] or checks
    scopes = {EXCEPTED if check.outcome == EXCEPTED else check.scope or CHECKED for check in stated}
    scope = next(scope for scope in _TITLES if scope in scopes)
    # A formula that is only a number states nothing that could hold in general.
    return Part(_TITLES[scope], "" if scope == FOUND else scope)


def _lines(note: Note, check: Check) -> list[tuple[str, ...]]:
    """Return what a reader is shown about a check: lines, each of one or more cells."""
    if check.outcome == EXCEPTED:
        return [(f"The note says why: {check.why}",)]
    pinned = [(f"The same in all trials: {check.pinned}",)] if check.pinned else []
    if check.kind == "equation":
        lines = [
            f"Judged on {check.why}" if check.why else "",
            _rows_on_lines(_capitalized(check.sides)),
        ]
        return [*((line,) for line in lines if line), *pinned]
    if check.kind == "sentence":
        return [(_capitalized(check.why),), *pinned]
    sources = re.split(r"; (?=[A-Za-z])", check.why) if check.why else []
    return [*(_source_in_words(note, check.line, source) for source in sources), *pinned]


def _source_in_words(note: Note, line: int, source: str) -> tuple[str, ...]:
    """Describe what backs a number or shape, and where on the page that is."""
    words, _, value = source.partition(": ")
    place = ""
    if at := _AT.match(words):
        place = _place(note, at["what"], int(at["line"]), int(at["column"] or 0))
        # The page shows no line numbers.
        words = at["what"]
    elif named := _VARIABLE.match(words):
        block = binding_block(note, named["name"], line)
        place = "" if block is None else f"block-{block}"
    if value:
        words = f"{words}: {value}"
    return (_capitalized(words), place, value) if place else (_capitalized(words),)


def _place(note: Note, what: str, line: int, column: int) -> str:
    """Return the name of the formula, block or output at a place; empty if there is none."""
    if what == "formula":
        where = [(formula.line, formula.column) for formula in note.formulas]
        return f"formula-{where.index((line, column))}" if (line, column) in where else ""
    for index, block in enumerate(note.blocks):
        if block.output and block.output.line <= line <= block.output.end:
            return f"output-{index}"
        if block.fence.line <= line <= block.fence.end:
            return f"block-{index}"
    return ""


def binding_block(note: Note, name: str, line: int) -> int | None:
    """Return the block that binds a name: the last one above a line, or the first one below."""
    binds = [n for n, block in enumerate(note.blocks) if name in bound(block)]
    above = [n for n in binds if note.blocks[n].fence.line < line]
    return next(iter(above[-1:] or binds), None)


@dataclass(frozen=True)
class Value:
    """A value that a block has bound to a name: its type and shape, and a short text of it."""

    block: int
    what: str
    print: str


def bound(block: Block) -> frozenset[str]:
    """Return the names that the code of a block binds, as far as it can be parsed."""
    return _bound_names(source_of(block))


@lru_cache(maxsize=4096)  # each statement of a page asks all blocks
def _bound_names(source: str) -> frozenset[str]:
    """Return the names that code binds; none if it cannot be parsed."""
    names = set()
    for node in nodes_of(source):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.alias(name=name, asname=other):
                names.add(other or name.partition(".")[0])
    return frozenset(names)


def _rows_on_lines(text: str) -> str:
    """Put every row of an array on a line of its own, and its numbers in columns.

    Examples
    --------
    >>> print(_rows_on_lines("both sides [[0.25 1. ] ... [-3.  4. ]]; they are equal"))
    both sides
    [[ 0.25 1.]
     ...
     [-3.   4.]]
    they are equal
    """
    rows = _ROW.sub("\n", text.replace(" ]", "]"))
    if "\n" not in rows:
        return text
    lines = re.sub(r" (?=\[\[)|(?<=\]\])[,;] ", "\n", rows)
    return _MATRIX.sub(lambda found: _in_columns(found[0]), lines)


def _in_columns(matrix: str) -> str:
    """Write the rows of a matrix so that the points of its numbers are below one another."""
    rows = [row.strip("[]").split() for row in matrix.split("\n")]
    full = [row for row in rows if row != ["..."]]
    if len({len(row) for row in full}) > 1:
        return matrix
    split = [[number.partition(".") for number in column] for column in zip(*full, strict=True)]
    before = [max(len(whole) for whole, _, _ in column) for column in split]
    after = [max(len(point + rest) for _, point, rest in column) for column in split]

    def line(row: list[str]) -> str:
        if row == ["..."]:
            return "..."
        cells = (
            whole.rjust(left) + (point + rest).ljust(right)
            for (whole, point, rest), left, right in zip(
                (number.partition(".") for number in row), before, after, strict=True
            )
        )
        return f"[{' '.join(cells).rstrip()}]"

    lines = "\n ".join(map(line, rows))
    return f"[{lines}]"


def _capitalized(text: str) -> str:
    """Capitalise a text, unless it begins with the name of a variable."""
    return text[:1].upper() + text[1:] if _WORD.match(text) else text
