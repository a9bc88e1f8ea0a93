"""What a page shows about its checks: for each formula, number or sentence, a title and evidence.

The evidence of a check (`Check.why`) names places by their lines, which the page does not show;
here, they become the names of parts of the page (`vaultkit.claims.places`): ``formula-3``,
``output-0``.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import zip_longest

from vaultkit.checks.check import EXCEPTED, FOUND, GENERAL, HERE, UNPROVEN, Check
from vaultkit.checks.literals import source_of
from vaultkit.checks.shown import decimals_of, shortened
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
#: The beginning of evidence at a place: ``output at line 6``, ``formula at line 9, column 4``.
_AT = re.compile(
    r"^(?P<what>output|code|formula|output of the code) at line (?P<line>\d+)\b"
    r"(?:, column (?P<column>\d+))?"
)
#: The beginning of evidence that is a word; ``left = 2`` and ``value (3,)`` are variables.
_WORD = re.compile(
    r"(?:output|code|formula|variable|length|default|how|left|both|value)\b(?! [(=])"
)
#: The blank behind a row of an array: before the next row, or before the dots for rows left out.
_ROW = re.compile(r"(?:(?<=\])|(?<=\] \.\.\.)) (?=\[|\.\.\. \[)")
#: A matrix of which each row is on a line.
_MATRIX = re.compile(
    r"^\[\[[^\[\]\n]*\]\n(?:(?:\.\.\.|\[[^\[\]\n]*\])\n)*\[[^\[\]\n]*\]\]", re.MULTILINE
)
#: The beginning of evidence from a variable: ``length of an axis of W``, ``variable n``, ``n``.
_VARIABLE = re.compile(
    r"^(?:variable |length of (?:an axis of )?|default of )?(?P<name>[A-Za-z_]\w*)"
)
#: A variable with its shape or value: ``K transposed (2, 3)``, ``w (3 items)``, ``n = 4``.
_VARIABLE_WITH_VALUE = re.compile(
    r"(?P<name>(?!left\b|code\b|how\b)[A-Za-z_]\w*)(?P<transposed> transposed)?"
    r"(?: = (?P<value>.+)| \((?P<shape>\d+ (?P<items>items)|function|[\d, ]*)\))"
)
#: Words of evidence in which a name or expression is code.
_NAMED = re.compile(
    r"(?P<before>variable |value of |default of |length of (?:an axis of )?|how many numbers )"
    r"(?P<name>.+?)(?P<after> holds)?"
)
#: Words of evidence; perhaps with the name of a part of the page, and a text to highlight there.
Line = tuple[str, ...]


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
        The evidence.
    """

    title: str
    scope: str = ""
    lines: list[Line] = field(default_factory=list)

    def plain(self) -> list[object]:
        """Return it as a list of plain data, which a script of the page reads."""
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
    places = page_places(note)
    checks_by_place: dict[str, list[Check]] = defaultdict(list)
    for check in checks:
        if check.kind in ("equation", "shape", "number", "sentence"):
            for place in places.names_of(check.kind, check.line, check.column, check.what):
                checks_by_place[place].append(check)
    reasons = {f"formula-{n}": formula.here for n, formula in enumerate(note.formulas)}
    by_place = {}
    for place, of_place in checks_by_place.items():
        if any(check.outcome in UNPROVEN for check in of_place):
            continue
        part = _part_of_number(of_place) if place.startswith("number-") else _part(of_place)
        if place.startswith("sentence-"):
            # Only formulas and shapes have a scope, by which they are underlined.
            part = Part(_COMPUTED if part.scope == CHECKED else part.title)
        for check in of_place:
            part.lines += _lines(note, check)
        if part.scope == HERE and reasons.get(place):
            part.lines.append((f"The note says why: {reasons[place]}",))
        part.lines = list(dict.fromkeys(part.lines))
        by_place[place] = part
    return by_place


def _part_of_number(checks: Sequence[Check]) -> Part:
    """Return the part of the page that is a number, with its title."""
    if any(check.outcome == EXCEPTED for check in checks):
        return Part("A number that is given")
    is_only_found = any(check.scope == FOUND for check in checks)
    return Part(_TITLES[FOUND] if is_only_found else _COMPUTED)


def _part(checks: Sequence[Check]) -> Part:
    """Return the part of the page that is a formula or shape: the weakest of its checks decides."""
    # The numbers in a formula count only if it states nothing else.
    stated = [check for check in checks if check.kind != "number"] or checks
    scopes = {EXCEPTED if check.outcome == EXCEPTED else check.scope or CHECKED for check in stated}
    weakest = next(scope for scope in _TITLES if scope in scopes)
    # A formula that is only a number states nothing that could hold in general.
    return Part(_TITLES[weakest], "" if weakest == FOUND else weakest)


def _lines(note: Note, check: Check) -> list[Line]:
    """Return the evidence of a check, and what was the same in all its trials."""
    if check.outcome == EXCEPTED:
        return [(f"The note says why: {check.why}",)]
    decimals = decimals_of(note, check.what)
    lines: list[Line]
    if check.kind == "equation":
        sides = _rows_on_lines(shortened(_capitalized(check.sides), decimals))
        lines = [(text,) for text in (_variables_in_words(check.why, decimals), sides) if text]
    elif check.kind == "sentence" and check.values:
        lines = [(_rows_on_lines(_fact_in_words(*fact)),) for fact in check.values]
    elif check.kind == "sentence":
        lines = [(_capitalized(check.why),)]
    else:
        sources = re.split(r"; (?=[A-Za-z])", check.why) if check.why else []
        lines = [_line_of_source(note, check.line, source, decimals) for source in sources]
    if check.pinned:
        names = [
            "the lengths of arrays" if name == "lengths" else f"`{name}`"
            for name in check.pinned.split(", ")
        ]
        lines.append((f"The same in all trials: {', '.join(names)}",))
    return lines


def _variables_in_words(evidence: str, decimals: int) -> str:
    """Return the variables on which an equation was judged, in words; empty if there are none.

    >>> _variables_in_words("p (4,)", 2)
    'Checked on `p`, of shape (4,)'
    >>> _variables_in_words("p (4,); softmax (function); c = 0.123", 2)
    'Checked on `p` of shape (4,), the function `softmax` and `c` = 0.12'
    """
    if not evidence:
        return ""
    *some, last = [_variable_in_words(one, decimals) for one in evidence.split("; ")]
    if not some:
        return f"Checked on {last.replace(' of shape', ', of shape')}"
    return f"Checked on {', '.join(some)} and {last}"


def _variable_in_words(evidence: str, decimals: int) -> str:
    """Return a variable in words; the evidence is its name with its shape or value.

    >>> [_variable_in_words(one, 2) for one in ("K transposed (2, 3)", "w (3 items)", "n = 4")]
    ['`K` transposed of shape (2, 3)', '`w` with 3 items', '`n` = 4']
    """
    found = _VARIABLE_WITH_VALUE.fullmatch(evidence)
    if not found:
        return evidence
    name = f"`{found['name']}`{found['transposed'] or ''}"
    if found["value"]:
        return f"{name} = {shortened(found['value'], decimals)}"
    if found["shape"] == "function":
        return f"the function {name}"
    return (
        f"{name} with {found['shape']}" if found["items"] else f"{name} of shape ({found['shape']})"
    )


def _fact_in_words(code: str, value: str) -> str:
    """Return code with its value, in words.

    >>> _fact_in_words("x[0] > 1", "2 > 1"), _fact_in_words("n", "4"), _fact_in_words("a == b", "")
    ('`x[0] > 1`: 2 > 1', '`n`: 4', '`a == b` is true')
    """
    return f"`{code}` is true" if value in ("", "True") else f"`{code}`: {value}"


def _line_of_source(note: Note, line: int, source: str, decimals: int) -> Line:
    """Describe what backs a number or shape, and where on the page that is, if it is known.

    For example, *output at line 6: 0.25* gives ``("Output: 0.25", "output-0", "0.25")``. ``line``
    is the line of the number.
    """
    words, _, value = source.partition(": ")
    place = ""
    if at := _AT.match(words):
        place = _place(note, at["what"], int(at["line"]), int(at["column"] or 0))
        # The page shows no line numbers.
        words = at["what"]
    elif variable := _VARIABLE.match(words):
        block = binding_block(note, variable["name"], line)
        place = "" if block is None else f"block-{block}"
    shown = f": {value}" if value else ""
    if named := _NAMED.fullmatch(words):
        # Digits of the code or of an output are those of the page.
        words, shown = (
            f"{named['before']}`{named['name']}`{named['after'] or ''}",
            shortened(shown, decimals),
        )
    elif _VARIABLE_WITH_VALUE.fullmatch(words):
        words = _variable_in_words(words, decimals).replace(" of shape", ", of shape")
    words = _capitalized(words) + shown
    return (words, place, value) if place else (words,)


def _place(note: Note, what: str, line: int, column: int) -> str:
    """Return the name of the formula, block or output at a place; empty if there is none.

    ``what`` is what is there; the column counts only for a formula.
    """
    if what == "formula":
        places = [(formula.line, formula.column) for formula in note.formulas]
        return f"formula-{places.index((line, column))}" if (line, column) in places else ""
    for index, block in enumerate(note.blocks):
        if block.output and block.output.line <= line <= block.output.end:
            return f"output-{index}"
        if block.fence.line <= line <= block.fence.end:
            return f"block-{index}"
    return ""


def binding_block(note: Note, name: str, line: int) -> int | None:
    """Return the index of the block that binds a name; None if no block does.

    It is the last one above a line, or else the first one below.
    """
    binds = [n for n, block in enumerate(note.blocks) if name in bound(block)]
    above = [n for n in binds if note.blocks[n].fence.line < line]
    return next(iter(above[-1:] or binds), None)


@dataclass(frozen=True)
class Value:
    """A value that a block has bound to a name.

    ``block`` is the index of the block, ``what`` its type and shape, ``print`` a short text of it.
    """

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
    if "\n" not in rows:  # no array of several rows
        return text
    # A matrix begins on a line of its own, and so does the text behind it.
    lines = re.sub(r" (?=\[\[)|(?<=\]\])[,;] ", "\n", rows)
    return _MATRIX.sub(lambda match: _in_columns(match[0]), lines)


def _in_columns(matrix: str) -> str:
    """Write the rows of a matrix so that the points of its numbers are below one another.

    A row may be dots; in other rows, dots are a cell. A matrix whose rows differ in length is
    returned as it is.
    """
    rows = [row.strip("[]").split() for row in matrix.split("\n")]
    dots = ["..."]
    columns = [*zip_longest(*(row for row in rows if row != dots), fillvalue="")]
    if any("" in column for column in columns):
        return matrix

    def split(number: str) -> tuple[str, str]:
        """Return the text before the point of a number, and that from the point on."""
        whole, point, decimals = number.partition(".")
        return whole, point + decimals

    before = [max(len(split(number)[0]) for number in column) for column in columns]
    after = [max(len(split(number)[1]) for number in column) for column in columns]

    def line(row: list[str]) -> str:
        """Return a row with its numbers in columns, without blanks before its closing bracket."""
        if row == dots:
            return "..."
        cells = [
            f"{left:>{before[n]}}{right:<{after[n]}}"
            for n, (left, right) in enumerate(map(split, row))
        ]
        return f"[{' '.join(cells).rstrip()}]"

    lines = "\n ".join(map(line, rows))
    return f"[{lines}]"


def _capitalized(text: str) -> str:
    """Capitalise a piece of evidence, unless it begins with the name of a variable."""
    return text[:1].upper() + text[1:] if _WORD.match(text) else text
