"""Statements in inline code: ``x.sum() == 7``, or ``len(x)`` *is* ``2``.

A *place* of a statement is the line, the column and the length of a part of its text.
"""

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
    """An expression with its stated value.

    Attributes
    ----------
    line, column
        Where it begins.
    code
        The expression.
    shown
        The stated value; empty for a comparison, which must be true.
    places
        The places of the pieces of code and the numbers in it.
    raises
        Whether ``shown`` is the error that the expression is said to raise.
    """

    line: int
    column: int
    code: str
    shown: str
    places: tuple[tuple[int, int, int], ...]
    raises: bool = False

    def includes(self, line: int, column: int) -> bool:
        """Return whether a position is within the statement, or in the marks around its code."""
        return any(
            line == line_of_place and first <= column < first + length + 2
            for line_of_place, first, length in self.places
        )


#: Words between an expression and its stated value: *is*, *gives exactly*, *:* before the end.
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
_FUNCTION_BEFORE = re.compile(
    rf"\b[Tt]he\s+(?P<function>{'|'.join(_FUNCTIONS)})(?:\s+(?:number|value|element|entry))?"
    r"\s+(?:of|in)\s+$"
)
_RAISES = re.compile(r"\s*(?:raises|throws|(?:fails|ends|stops)\s+with)\s+(?:an?\s+)?")
_ERROR = re.compile(r"\w*(?:Error|Exception|Iteration)")
#: A number that ends its clause.
_NUMBER = re.compile(
    r"(?P<number>[-+−]?(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?)"
    r"(?=[.,;:!?)]*(?:\s+(?:and|but|so|here|since|for|in|because|on)\b|\s*$|[.;:!?)]|,\s))"
)
#: A number that is no tuple, but not read either: *2,5*.
_DECIMAL_COMMA = re.compile(r"[-+−]?\d+,\d+")
_TRUTH = re.compile(r"\s*(?:(?:is|gives|returns)\s+(?:true|(?P<no>false))|holds)\b")
#: Words by which a comparison in code is a condition, or something to be written by the reader.
_NOT_COMPARED = re.compile(
    r"\b(?:where|while|nothing|no|false|fails?|failed|rather|tests?|asks?|asked|checks?|condition|"
    r"masks?|compar\w+|returns?|gives?|or|assert\w*|errors?|raises?|means?|for|write|writes|"
    r"written|such\s+as|filters?|selects?|keeps?|with|use|uses|like|of|is)\b",
    re.IGNORECASE,
)
#: Words by which an assignment in code is something that the reader is told to do.
_INSTRUCTED = re.compile(
    r"\b(?:set|sets|put|puts|let|change\w*|replac\w+|assign\w*|add\w*|insert\w*|type|try|with|line|"
    r"write|writes|written|by|to|like)\b",
    re.IGNORECASE,
)
#: Names of types, which an expression such as ``x.dtype`` may have as its value.
_TYPES = r"(?:u?int|float|complex)\d+|bool|object|int|float|str|list|tuple|dict|set"


def code_statements(coded: ParagraphWithCode) -> Iterator[CodeStatement]:
    """Yield the statements in the inline code of a paragraph."""
    sentences = Sentences(coded.source)
    # Assignments of different values, *`x[0] = 4`, followed by `x[0] = 6`*, are steps of a program.
    values: dict[str, set[str]] = defaultdict(set)
    for part in coded.parts:
        if part.type == "code_inline" and (assignment := _split_assignment(part.content.strip())):
            target, value = assignment
            values[target].add(value)
    steps = {target for target, several in values.items() if len(several) > 1}
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
        The elements to which the paragraph assigns several values.
    """
    part = parts[index]
    code = part.content.strip()
    place = _place_of(part)
    following = parts[index + 1 : index + 3]
    text = following[0].content if following and following[0].type == "text" else ""
    shown = following[1] if len(following) > 1 and following[1].type == "code_inline" else None
    truth = _TRUTH.match(text)
    if truth and _is_comparison(code, allows_names=True):
        yield CodeStatement(*place[:2], code, "False" if truth["no"] else "True", (place,))
        return
    if _RAISES.fullmatch(text) and uses_names(code) and len(following) > 1:
        if shown and _ERROR.fullmatch(error := shown.content.strip()):
            yield CodeStatement(*place[:2], code, error, (place, _place_of(shown)), raises=True)
        return
    function = _FUNCTION_BEFORE.search(parts[index - 1].content) if index else None
    if function and code.isidentifier():
        # *The sum of `x` is 7* states the value of `x.sum()`.
        code = f"{code}.{_FUNCTIONS[function['function'].lower()]}()"
    verb = _VERB.match(text)
    # A name with a colon, as in *`n`: 5*, is explained.
    if verb and uses_names(code) and not (":" in verb[0] and code.isidentifier()):
        if verb.end() == len(text) and shown:  # *`len(x)` is `2`*
            if _is_value(value := shown.content.strip()):
                yield CodeStatement(*place[:2], code, value, (place, _place_of(shown)))
        elif not code.isidentifier():  # *`len(x)` is 2*; *`n` is 5* is a number of the text
            yield from _statement_with_number(code, place, following[0], verb.end())
        return
    sentence = f"{before} {behind}"
    if _is_comparison(code):
        if not (_NOT_COMPARED.search(sentence) or is_condition(before, behind)):
            yield CodeStatement(*place[:2], code, "", (place,))
    elif (assignment := _split_assignment(code)) and not _INSTRUCTED.search(sentence):
        target, value = assignment
        if target not in steps:
            yield CodeStatement(*place[:2], target, value, (place,))


def _statement_with_number(
    code: str, place: tuple[int, int, int], text: Inline, start: int
) -> Iterator[CodeStatement]:
    """Yield the statement that some code has the number at a position of the text behind it.

    The number must end its clause.
    """
    number = _NUMBER.match(text.content, start)
    if number:
        digits = number["number"]
        place_of_number = (text.line, text.column + number.start("number"), len(digits))
        yield CodeStatement(*place[:2], code, _plain(digits), (place, place_of_number))


def _place_of(part: Inline) -> tuple[int, int, int]:
    """Return the line, the column and the length of a part of a paragraph."""
    return part.line, part.column, len(part.content)


def _plain(digits: str) -> str:
    """Return a number as code has it: ``-1200`` for *−1,200*."""
    return digits.replace(",", "").replace("−", "-")


#: Headings of a column with the values of expressions.
_VALUES = re.compile(
    r"\W*(?:value|result|output|gives|returns|is|comes to|answer)\W*", re.IGNORECASE
)


def row_statements(cell: Cell) -> Iterator[CodeStatement]:
    """Yield the statement of a table row: an expression in its first cell, its value in another.

    ``cell`` is the other one, whose column must be called *value* or the like.
    """
    code, shown = cell.label.text.strip(), cell.text.strip()
    if not re.fullmatch("`[^`]+`", code) or not _VALUES.fullmatch(cell.title):
        return
    code, shown = code.strip("`").strip(), shown.strip("`").strip()
    if not uses_names(code) or code.isidentifier() or not is_steady(code):
        return
    if _NUMBER.fullmatch(shown):
        shown = _plain(shown)
    elif _DECIMAL_COMMA.fullmatch(shown) or not _is_value(shown):
        return
    label = cell.label
    places = (label.line, label.column, len(label.text)), (cell.line, cell.column, len(cell.text))
    yield CodeStatement(label.line, label.column, code, shown, places)


def _is_comparison(code: str, *, allows_names: bool = False) -> bool:
    """Return whether code compares a computed value with a literal.

    A comparison of a name alone may be a condition. With ``allows_names``, any comparison counts.

    >>> [_is_comparison(code) for code in ("x.sum() == 7", "x > 7", "x.sum()")]
    [True, False, False]
    """
    tree = expression_of(code)
    if not isinstance(tree, ast.Compare) or not uses_names(code):
        return False
    if allows_names:
        return True
    sides = [tree.left, *tree.comparators]
    has_name = any(isinstance(side, ast.Name) for side in sides)
    return any(map(is_literal, sides)) and not has_name


def _is_value(shown: str) -> bool:
    """Return whether code is a value rather than an expression.

    >>> _is_value("(2, 3)"), _is_value("float64"), _is_value("x.sum()")
    (True, True, False)
    """
    if re.fullmatch(_TYPES, shown):
        return True
    tree = expression_of(shown)
    if tree is not None and is_literal(tree):
        return True
    # An array as NumPy shows it: ``[1. 2.]``, ``array([1, 2], dtype=int8)``.
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
