"""Statements in inline code: ``x.sum() == 7``, or ``len(x)`` *is* ``2``."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from vaultkit.claims.expressions import expression_of, is_literal, is_steady, parsed, uses_names
from vaultkit.claims.suppositions import is_condition, is_doubtful
from vaultkit.read.note import Cell, Inline, ParagraphWithCode
from vaultkit.read.sentences import Sentences


@dataclass(frozen=True)
class CodeStatement:
    """An expression with its stated value; the value is empty for a comparison, which must be true.

    ``places`` are the lines, columns and lengths of the pieces of code and the numbers in it.
    """

    line: int
    column: int
    code: str
    shown: str
    places: tuple[tuple[int, int, int], ...]
    #: Whether the value is the error that the expression is said to raise.
    raises: bool = False

    def includes(self, line: int, column: int) -> bool:
        """Return whether a place is within the statement."""
        return any(
            line == own and first <= column < first + length + 2
            for own, first, length in self.places
        )


#: Words between an expression and its stated value.
_VERB = re.compile(
    r"\s*(?:is|gives|returns|equals|yields|comes\s+to|evaluates\s+to|→|=|:(?=\s+\S+\s*$|\s*$))\s+"
    r"(?:(?:then|exactly|also|again|just|only|simply)\s+)?"
)
#: Words for a function of the following array, with the function's name.
_FUNCTIONS = {
    "sum": "sum",
    "total": "sum",
    "mean": "mean",
    "average": "mean",
    "variance": "var",
    **dict.fromkeys(("maximum", "largest", "greatest", "biggest"), "max"),
    **dict.fromkeys(("minimum", "smallest", "least"), "min"),
}
_OF = re.compile(
    rf"\b[Tt]he\s+(?P<what>{'|'.join(_FUNCTIONS)})(?:\s+(?:number|value|element|entry))?"
    r"\s+(?:of|in)\s+$"
)
_RAISES = re.compile(r"\s*(?:raises|throws|(?:fails|ends|stops)\s+with)\s+(?:an?\s+)?")
_ERROR = re.compile(r"\w*(?:Error|Exception|Iteration)")
_NUMBER = re.compile(
    r"(?P<number>[-+−]?(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?)"
    r"(?=[.,;:!?)]*(?:\s+(?:and|but|so|here|since|for|in|because|on)\b|\s*$|[.;:!?)]|,\s))"
)
_TRUTH = re.compile(r"\s*(?:(?:is|gives|returns)\s+(?:true|(?P<no>false))|holds)\b")
#: Words by which code is a condition, or something that the reader is asked to write.
_ASKED = re.compile(
    r"\b(?:where|while|nothing|no|false|fails?|failed|rather|tests?|asks?|asked|checks?|condition|"
    r"masks?|compar\w+|returns?|gives?|or|assert\w*|errors?|raises?|means?|for|write|writes|"
    r"written|such\s+as|filters?|selects?|keeps?|with|use|uses|like|of|is)\b",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\b(?:set|sets|put|puts|let|change\w*|replac\w+|assign\w*|add\w*|insert\w*|type|try|with|line|"
    r"write|writes|written|by|to|like)\b",
    re.IGNORECASE,
)
_KINDS = r"(?:u?int|float|complex)\d+|bool|object|int|float|str|list|tuple|dict|set"


def code_statements(coded: ParagraphWithCode) -> Iterator[CodeStatement]:
    """Yield the statements in the inline code of a paragraph."""
    sentences = Sentences(coded.source)
    # Assignments of different values, *`x[0] = 4`, followed by `x[0] = 6`*, are steps of a program.
    values: dict[str, set[str]] = defaultdict(set)
    for part in coded.parts:
        if part.type == "code_inline" and (assigned := _split_assignment(part.content.strip())):
            values[assigned[0]].add(assigned[1])
    steps = {name for name, several in values.items() if len(several) > 1}
    for index, part in enumerate(coded.parts):
        if part.type != "code_inline":
            continue
        first, last = sentences.sentence_span(part.at)
        before = coded.source[first : part.at]
        behind = coded.source[part.at + part.length : last]
        if is_steady(part.content.strip()) and not is_doubtful(before, behind):
            yield from _statements_of_code(coded.parts, index, before, behind, steps)


def _statements_of_code(
    parts: Sequence[Inline], index: int, before: str, behind: str, steps: Collection[str]
) -> Iterator[CodeStatement]:
    """Yield what a piece of code in a paragraph states, alone or with the words behind it.

    Parameters
    ----------
    parts, index
        The parts of the paragraph, and the index of the code.
    before, behind
        The sentence before and behind the code.
    steps
        The names to which the paragraph assigns several values.
    """
    part = parts[index]
    code = part.content.strip()
    own = _line_column_length(part)
    following = parts[index + 1 : index + 3]
    text = following[0].content if following and following[0].type == "text" else ""
    shown = following[1] if len(following) > 1 and following[1].type == "code_inline" else None
    truth = _TRUTH.match(text)
    if truth and _is_comparison(code, names=True):
        yield CodeStatement(*own[:2], code, "False" if truth["no"] else "True", (own,))
        return
    if _RAISES.fullmatch(text) and uses_names(code) and len(following) > 1:
        if shown and _ERROR.fullmatch(error := shown.content.strip()):
            yield CodeStatement(
                *own[:2], code, error, (own, _line_column_length(shown)), raises=True
            )
        return
    spoken = _OF.search(parts[index - 1].content) if index else None
    if spoken and code.isidentifier():
        # *The sum of `x` is 7* states the value of `x.sum()`.
        code = f"{code}.{_FUNCTIONS[spoken['what'].lower()]}()"
    verb = _VERB.match(text)
    if verb and uses_names(code) and not (":" in verb[0] and code.isidentifier()):
        if verb.end() == len(text) and shown:
            if _is_value(value := shown.content.strip()):
                yield CodeStatement(*own[:2], code, value, (own, _line_column_length(shown)))
            return
        number = _NUMBER.match(text, verb.end())
        if number and not code.isidentifier():
            digits = number["number"]
            column = following[0].column + number.start("number")
            value = digits.replace(",", "").replace("−", "-")
            where = (following[0].line, column, len(digits))
            yield CodeStatement(*own[:2], code, value, (own, where))
        return
    around = f"{before} {behind}"
    if _is_comparison(code) and not (_ASKED.search(around) or is_condition(before, behind)):
        yield CodeStatement(*own[:2], code, "", (own,))
    elif (
        (assigned := _split_assignment(code))
        and not _TOLD.search(around)
        and assigned[0] not in steps
    ):
        yield CodeStatement(*own[:2], *assigned, (own,))


def _line_column_length(part: Inline) -> tuple[int, int, int]:
    """Return the line, the column and the length of a part of a paragraph."""
    return part.line, part.column, len(part.content)


#: Headings of a column with the values of expressions.
_VALUES = re.compile(
    r"\W*(?:value|result|output|gives|returns|is|comes to|answer)\W*", re.IGNORECASE
)


def row_statements(cell: Cell) -> Iterator[CodeStatement]:
    """Yield the statement of a table row: an expression in its first cell, its value in another."""
    code, shown = cell.label.text.strip(), cell.text.strip()
    if not re.fullmatch("`[^`]+`", code) or not _VALUES.fullmatch(cell.title):
        return
    code, shown = code.strip("`").strip(), shown.strip("`").strip()
    if not uses_names(code) or code.isidentifier() or not is_steady(code):
        return
    if _NUMBER.fullmatch(shown):
        shown = shown.replace(",", "").replace("−", "-")
    elif not _is_value(shown):
        return
    label = cell.label
    places = (label.line, label.column, len(label.text)), (cell.line, cell.column, len(cell.text))
    yield CodeStatement(label.line, label.column, code, shown, places)


def _is_comparison(code: str, *, names: bool = False) -> bool:
    """Return whether code compares a computed value with a literal.

    A comparison of a name alone may be a condition; it counts only with ``names``.

    >>> [_is_comparison(code) for code in ("x.sum() == 7", "x > 7", "x.sum()")]
    [True, False, False]
    """
    tree = expression_of(code)
    if not isinstance(tree, ast.Compare) or not uses_names(code):
        return False
    sides = [tree.left, *tree.comparators]
    if names:
        return True
    return any(map(is_literal, sides)) and not any(isinstance(s, ast.Name) for s in sides)


def _is_value(shown: str) -> bool:
    """Return whether code is a value rather than an expression.

    >>> _is_value("(2, 3)"), _is_value("float64"), _is_value("x.sum()")
    (True, True, False)
    """
    if re.fullmatch(_KINDS, shown):
        return True
    tree = expression_of(shown)
    if tree is not None and is_literal(tree):
        return True
    return bool(re.fullmatch(r"(?:array\()?\[[-+\d.,\s\[\]einfa]*\](?:, dtype=\w+)?\)?", shown))


def _split_assignment(code: str) -> tuple[str, str] | None:
    """Split an assignment to an element into the element and its stated value; None for others.

    >>> _split_assignment("x[0] = 4.0"), _split_assignment("x = 4.0")
    (('x[0]', '4.0'), None)
    """
    match parsed(code):
        case [ast.Assign([ast.Subscript(ast.Name(), index)], value)] if is_literal(
            index
        ) and is_literal(value):
            target, _, shown = code.partition("=")
            return target.strip(), shown.strip()
    return None
