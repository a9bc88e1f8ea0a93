"""Comments that bind words to code: ``twice<!-- = a / b -->``, ``larger<!-- a > b -->``.

A *binding* is such a comment with its words. A comment that begins with an equals sign gives the
value of the words before it. Another comment is a condition if it is a comparison, or a truth about
names in the code of the note; any other comment is a remark, and is left alone.
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
#: A remark in words: two words side by side, a tag such as ``<b>``, or a question.
_REMARK = re.compile(
    r"[A-Za-z]{2,}\s+(?!(?:in|is|not|and|or|if|else|for)\b)[A-Za-z]{2,}|</|<\w+[^<]*>|\?\s*$"
)
#: Built-in functions whose value is a truth, so that a call of one is a condition.
_TRUTHS = {"all", "any", "isinstance", "issubclass", "callable", "hasattr", "bool"}
_STOP = re.compile(r"[.!?:;](?=\s)")
#: Most characters of a sentence on each side of a comment.
_FAR = 400
#: Most words between a number or name and the comment that binds it: *five<!-- = n --> steps*.
_BETWEEN = 6
#: A name of another note: ``[[Sag]].sag``.
_OF_NOTE = re.compile(r"=\s?\[\[(?P<note>[^\[\]|#]+)\]\]\.(?P<name>[A-Za-z_]\w*)")


@dataclass(frozen=True)
class _Code:
    """The code of a comment; see the attributes of the same names of `Binding`."""

    code: str
    source: str
    is_value: bool
    why: str = ""
    note: str = ""


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
        Why it cannot be read; empty if it can.
    words
        The text of the sentence, from the binding before it on, with blanks for marks.
    at
        The position of the comment in ``words``.
    sentence
        The whole sentence before the comment.
    row
        The text of the cells before it in its row, each with its line and column.
    tex, formula
        The formula directly before it, in TeX and as text; empty if there is none.
    spots
        The positions in ``words`` at which a part of the text begins, each with line and column.
    language
        The code of the language.
    place
        The kind of text around it, if that is not running text: ``summary``.
    note
        The other note that has the value under the name ``source``: *Sag* for ``[[Sag]].sag``.
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
        """Return line and column of the character at a position in ``words``."""
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
        last_end = 0
        for comment in sorted(piece.comments, key=lambda own: own.at):
            parsed = _parse_comment(comment.content, names)
            if parsed:
                yield _binding(piece, comment, last_end, parsed, language, words)
                last_end = comment.at


def _parse_comment(content: str, names: Set[str]) -> _Code | None:
    """Return the code of a comment; None for a remark.

    ``names`` are the names in the code of the note.
    """
    content = " ".join(content.split())
    is_value = content.startswith("=") and not content.startswith("==")
    code = content.removeprefix("=").strip() if is_value else content
    if of_note := _OF_NOTE.fullmatch(content):
        return _Code(code, of_note["name"], is_value=True, note=of_note["note"].strip())
    if not code:
        return _Code("", "", is_value=True, why="there is no expression") if content else None
    source = code
    for sign, operator in _SIGNS.items():
        source = source.replace(sign, operator)
    try:
        tree = parse_expression(source)
    except SyntaxError as error:
        known = names & set(_NAME.findall(code))
        is_meant = known and _COMPARES.search(source) and not _REMARK.search(source)
        return _Code(code, "", is_value, str(error.msg)) if is_value or is_meant else None
    if is_value:
        # ``= a > b`` gives no value for its words.
        return _Code(code, source, is_value=not _is_condition(tree))
    return _Code(code, source, is_value=False) if _is_code(tree, names) else None


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
    """Return whether a comment is a condition, rather than a remark such as *work in progress*.

    ``tree`` is the comment as Python reads it; ``names`` are the names in the code of the note.
    """
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    known = used & names
    operators_in_words = (ast.In, ast.NotIn, ast.Is, ast.IsNot)
    match tree:
        case ast.Compare(_, operators) if not all(
            isinstance(operator, operators_in_words) for operator in operators
        ):
            return True  # a sign such as ``<``
        case ast.Compare() | ast.BoolOp() | ast.UnaryOp(ast.Not(), _):
            if all(isinstance(node, _NODES_OF_WORDS) for node in ast.walk(tree)):
                # *not ready or finished* may be words: each of them must be a name.
                return bool(known) and used <= known | vars(builtins).keys()
            return bool(known)
        case ast.BinOp(_, ast.BitAnd() | ast.BitOr(), _) | ast.UnaryOp(ast.Invert(), _):
            return bool(known)
        case ast.Call(function):
            called = next((n.id for n in ast.walk(function) if isinstance(n, ast.Name)), "")
            return called in known or called in _TRUTHS
    return False


#: The nodes of an expression that consists of words alone: ``not ready or finished``.
_NODES_OF_WORDS = (ast.Name, ast.expr_context, ast.Compare, ast.cmpop, ast.BoolOp, ast.boolop,
                   ast.UnaryOp, ast.unaryop)  # fmt: skip


def _binding(
    piece: Prose, comment: Comment, last_end: int, parsed: _Code, language: str, words: Lexicon
) -> Binding:
    """Return the binding that a comment states, with the words before it that it binds.

    ``last_end`` is the position in the text of the piece of the binding before it, or 0.
    """
    at = comment.at
    marked = piece.text[: at + _FAR]
    plain = plain_words(marked)
    stops = (stop.end() for stop in _STOP.finditer(plain, max(0, at - _FAR), at))
    # The comment behind an image is about its whole alt text.
    sentence_start = 0 if piece.place == "alt text" else max(max(stops, default=0), at - _FAR)
    # A second comment right behind the first one is about the same words.
    has_own_words = bool(plain[last_end:at].strip(" ,;()"))
    begins = max(sentence_start, last_end) if has_own_words else sentence_start
    start, end = _bound_span(marked, plain, begins, at, words, is_value=parsed.is_value)
    is_placed = end > start and piece.parts
    line, column = piece.place_of(start) if is_placed else (comment.line, comment.column)
    stop = _STOP.search(plain, at)
    spots = tuple(
        (max(0, first - begins), *piece.place_of(max(first, begins)))
        for first, following in pairwise(
            [*(part.position for part in piece.parts), len(piece.text)]
        )
        if following > begins and first < at
    )
    return Binding(
        line,
        column,
        plain[start:end].strip() or parsed.code,
        parsed.code,
        parsed.source,
        parsed.is_value,
        parsed.why,
        words=plain[begins : stop.start() if stop else len(plain)],
        at=at - begins,
        sentence=plain[sentence_start:at],
        row=tuple((plain_words(cell.text), *cell.place_of(0)) for cell in piece.cells),
        tex=comment.tex,
        formula=comment.formula,
        spots=spots,
        language=language,
        place=piece.place,
        note=parsed.note,
    )


_MARKS = re.compile(f"[{CODE}{END}{FORMULA}{NAME}{LINK}]|{REASONS.pattern}")


def plain_words(text: str) -> str:
    """Return a text of the same length with blanks for the marks of code, links and reasons."""
    return _MARKS.sub(" ", text)


def _bound_span(
    marked: str, plain: str, begins: int, at: int, words: Lexicon, *, is_value: bool
) -> tuple[int, int]:
    """Return the span of the words before a comment that it binds, as far as the text shows it.

    A value binds the last number or name in code, a condition the last word of comparison, a weak
    one (*high*, *small*) only without another; if that is not near, each binds the last word. The
    span is empty if there are no words.

    Parameters
    ----------
    marked, plain
        The text with marks for code, and the same text without them.
    begins, at
        Where the words that may be bound begin, and where the comment is.
    words
        The words of the language.
    is_value
        Whether the comment states a value, or else a condition.
    """
    text = plain[begins:at]
    last_word = [word.span() for word in re.finditer(r"[\w’'-]+", text)][-1:]
    if is_value:
        spans = [(number.start, number.end) for number in numbers(text, len(text), words)[-1:]]
        codes = [code.span() for code in re.finditer(f"{CODE}[^{END}]+{END}", marked[begins:at])]
        spans += [(start + 1, end - 1) for start, end in codes[-1:]]  # without the marks
    else:
        compared = comparisons(text, words)
        strong = [word for word in compared if word.table != "weak"] or compared
        spans = [(word.start, word.end) for word in strong[-1:]]
    near = [span for span in spans if len(text[span[1] :].split()) <= _BETWEEN]
    start, end = max(near or last_word or [(0, 0)], key=lambda span: span[1])
    return begins + start, begins + end
