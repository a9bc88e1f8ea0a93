"""Comments that bind words to code: ``twice<!-- = a / b -->``, ``larger<!-- a > b -->``.

A comment that begins with an equals sign gives the value of the words before it. Another comment is
a condition if it is a comparison, or a truth about names in the code of the note; any other comment
is left alone.
"""

from __future__ import annotations

import ast
import builtins
import io
import re
import tokenize
from collections.abc import Iterator, Set
from dataclasses import dataclass
from itertools import pairwise

from vaultkit.claims.comparisons import comparisons
from vaultkit.claims.expressions import parse_expression
from vaultkit.claims.lexicon import Lexicon, lexicon
from vaultkit.claims.stated import numbers
from vaultkit.read.note import Note
from vaultkit.read.prose import CODE, END, FORMULA, LINK, NAME, REASONS, Comment, Prose

#: Signs of mathematics that may stand for Python's operators.
_SIGNS = {"≤": "<=", "≥": ">=", "≠": "!=", "−": "-", "×": "*", "·": "*", "\u00a0": " "}
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
#: A comparison in a comment that does not parse, but no arrow or tag.
_COMPARES = re.compile(r"(?<![-=<>])(?:[<>]=?|[=!]=)(?![-=<>/])")
#: Two words side by side: a remark in words.
_REMARK = re.compile(
    r"[A-Za-z]{2,}\s+(?!(?:in|is|not|and|or|if|else|for)\b)[A-Za-z]{2,}|</|<\w+[^<]*>|\?\s*$"
)
_TRUTHS = {"all", "any", "isinstance", "issubclass", "callable", "hasattr", "bool"}
_STOP = re.compile(r"[.!?:;](?=\s)")
#: Most characters of a sentence on each side of a comment.
_FAR = 400
#: Most words between a number or name and the comment that binds it.
_BETWEEN = 6


#: A name of another note: ``[[Sag]].sag``.
_OF_NOTE = re.compile(r"=\s?\[\[(?P<note>[^\[\]|#]+)\]\]\.(?P<name>[A-Za-z_]\w*)")


@dataclass(frozen=True)
class Binding:
    """Words of a note, with the code that they are bound to.

    Attributes
    ----------
    line, column
        The place of the words.
    text
        The words: the number or name before the comment, or the last word of comparison.
    code
        The code, as it is in the comment.
    source
        The code as Python reads it; empty if it cannot be read.
    is_value
        Whether it gives a value; else it is a condition.
    why
        Why it cannot be read.
    words
        The text of the sentence, from the binding before it on, with blanks for marks.
    at
        The place of the comment in it.
    sentence
        The part of the sentence before the comment.
    row
        The text of the cells before it in its row, each with its line and column.
    tex
        The formula directly before it.
    formula
        The same as text.
    spots
        The line and the column of each character of ``words`` from which a piece begins.
    language
        The code of the language.
    """

    line: int
    column: int
    text: str
    code: str
    source: str
    is_value: bool
    why: str = ""
    words: str = ""
    at: int = 0
    sentence: str = ""
    row: tuple[tuple[str, int, int], ...] = ()
    tex: str = ""
    formula: str = ""
    spots: tuple[tuple[int, int, int], ...] = ()
    language: str = ""
    place: str = ""
    #: The other note that has the value under the name ``source``: ``[[Sag]].sag``.
    note: str = ""

    @property
    def remark(self) -> str:
        """The comment of Python in its code, which may name the unit: ``= left # kg``."""
        tokens = tokenize.generate_tokens(io.StringIO(self.source).readline)
        texts = (token.string for token in tokens if token.type == tokenize.COMMENT)
        return next(texts, "").removeprefix("#").strip()

    @property
    def tree(self) -> ast.expr:
        """The syntax tree of its code."""
        return parse_expression(self.source)

    def place_of(self, at: int) -> tuple[int, int]:
        """Return line and column of a character of ``words``."""
        begins, line, column = max((s for s in self.spots if s[0] <= at), default=(0, 1, 1))
        return line, column + at - begins


def bindings(note: Note) -> Iterator[Binding]:
    """Yield the bindings of a note.

    Examples
    --------
    >>> from vaultkit.read.markdown import parse
    >>> note = parse("It takes five steps<!-- = n -->, fewer<!-- n < m --> than before<!-- hm -->.")
    >>> [(binding.text, binding.code, binding.is_value) for binding in bindings(note)]
    [('five', 'n', True), ('fewer', 'n < m', False)]
    """
    if not any(piece.comments for piece in note.prose):
        return
    language = str(note.meta.get("lang") or "")
    words = lexicon(language or "en")
    names = {name for block in note.blocks for name in _NAME.findall(block.fence.text)}
    for piece in note.prose:
        begins = 0
        for comment in sorted(piece.comments, key=lambda own: own.at):
            read = _parse_comment(comment.content, names)
            if read:
                yield _binding(piece, comment, begins, read, language, words)
                begins = comment.at


def _parse_comment(content: str, names: Set[str]) -> tuple[str, str, bool, str] | None:
    """Return code, source, whether it is a value, and why it cannot be read; None for a remark."""
    content = " ".join(content.split())
    if of_note := _OF_NOTE.fullmatch(content):
        return content.removeprefix("=").strip(), of_note["name"], True, ""
    is_value = content.startswith("=") and not content.startswith("==")
    code = content.removeprefix("=").strip() if is_value else content
    source = code
    for sign, operator in _SIGNS.items():
        source = source.replace(sign, operator)
    try:
        if not code:
            return "", "", True, "there is no expression"
        tree = parse_expression(source)
    except SyntaxError as error:
        if is_value:
            return code, "", True, str(error.msg)
        known = names & set(_NAME.findall(code))
        if known and _COMPARES.search(source) and not _REMARK.search(source):
            return code, "", False, str(error.msg)
        return None
    if is_value:
        return code, source, not _is_condition(tree), ""
    return (code, source, False, "") if _is_code(tree, names) else None


def _is_condition(tree: ast.expr) -> bool:
    """Return whether the form of an expression shows that it is a condition."""
    match tree:
        case ast.Compare() | ast.UnaryOp(ast.Not(), _):
            return True
        case ast.BoolOp(_, parts):
            return all(map(_is_condition, parts))
        case ast.Call(ast.Name("all" | "any") | ast.Attribute(_, "all" | "any")):
            return True
    return False


def _is_code(tree: ast.expr, names: Set[str]) -> bool:
    """Return whether a comment is a condition, rather than a remark such as *work in progress*."""
    own = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    known = own & names
    match tree:
        case ast.Compare(_, operators) if not all(
            isinstance(operator, (ast.In, ast.NotIn, ast.Is, ast.IsNot)) for operator in operators
        ):
            return True
        case ast.Compare() | ast.BoolOp() | ast.UnaryOp(ast.Not(), _):
            bare = all(isinstance(n, _BARE) for n in ast.walk(tree))
            return own <= known | vars(builtins).keys() and bool(known) if bare else bool(known)
        case ast.BinOp(_, ast.BitAnd() | ast.BitOr(), _) | ast.UnaryOp(ast.Invert(), _):
            return bool(known)
        case ast.Call(function):
            first = next((n.id for n in ast.walk(function) if isinstance(n, ast.Name)), "")
            return first in known or first in _TRUTHS
    return False


_BARE = (ast.Name, ast.expr_context, ast.Compare, ast.cmpop, ast.BoolOp, ast.boolop, ast.UnaryOp,
         ast.unaryop)  # fmt: skip


def _binding(
    piece: Prose, comment: Comment, begins: int, read: tuple[str, str, bool, str], language: str,
    words: Lexicon,
) -> Binding:  # fmt: skip
    """Return the binding that a comment states, with the words before it that it binds.

    ``begins`` is where the words after the previous comment begin; ``read`` is the parsed comment:
    code, source, whether it is a value, and why it cannot be read.
    """
    code, source, is_value, why = read
    at = comment.at
    raw = piece.text[: at + _FAR]
    plain = plain_words(raw)
    first = max((stop.end() for stop in _STOP.finditer(plain, max(0, at - _FAR), at)), default=0)
    first = max(first, at - _FAR)
    own = max(first, begins if plain[begins:at].strip(" ,;()") else 0)
    start, end = _bound_span(raw, plain, own, at, words, is_value=is_value)
    line, column = piece.place_of(start) if end > start else (comment.line, comment.column)
    if not piece.parts:
        line, column = comment.line, comment.column
    ends = _STOP.search(plain, at)
    text = plain[own : ends.start() if ends else len(plain)]
    spots = tuple(
        (max(0, begin - own), *piece.place_of(max(begin, own)))
        for begin, following in pairwise([*(part[0] for part in piece.parts), len(piece.text)])
        if following > own and begin < at
    )
    of_note = _OF_NOTE.fullmatch(f"={code}")
    row = tuple((plain_words(cell.text), *cell.place_of(0)) for cell in piece.cells)
    return Binding(
        line, column, plain[start:end].strip() or code, code, source, is_value, why, text, at - own,
        plain[first:at], row, comment.tex, comment.formula, spots, language, piece.place,
        of_note["note"].strip() if of_note else "",
    )  # fmt: skip


_MARKS = re.compile(f"[{CODE}{END}{FORMULA}{NAME}{LINK}]|{REASONS.pattern}")


def plain_words(text: str) -> str:
    """Return a text of the same length with blanks for the marks of code, links and reasons."""
    return _MARKS.sub(" ", text)


def _bound_span(
    raw: str, plain: str, first: int, at: int, words: Lexicon, *, is_value: bool
) -> tuple[int, int]:
    """Return the span of the words before a comment that it binds, as far as the text shows it.

    Parameters
    ----------
    raw, plain
        The text with marks for code, and the same text without them.
    first, at
        Where the sentence and the comment begin.
    words
        The words of the language.
    is_value
        Whether the comment states a value, which a number or name shows, or else a condition.
    """
    text = plain[first:at]
    spans = [(found.start(), found.end()) for found in re.finditer(r"[\w’'-]+", text)][-1:]
    if is_value:
        spans += [(s.start, s.end) for s in numbers(text, len(text), words)[-1:]]
        spans += [
            (found.start() + 1, found.end() - 1)
            for found in re.finditer(f"{CODE}[^{END}]+{END}", raw[first:at])
        ][-1:]
    else:
        spoken = comparisons(text, words)
        strong = [one for one in spoken if one.table != "weak"] or spoken
        spans += [(one.start, one.end) for one in strong[-1:]]
    # A number or name may be followed by some words: *five steps*.
    later = [span for span in spans[1:] if len(text[span[1] :].split()) <= _BETWEEN]
    start, end = max(later or spans or [(0, 0)], key=lambda span: span[1])
    return first + start, first + end
