"""The cursor of the parser: a position in the tokens of a formula."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Self, TypeVar

from vaultkit.tex.tokens import RELATIONS, SPOKEN, UNJUDGED, Token
from vaultkit.tex.tree import Node, Subscript, Symbol, TexError
from vaultkit.tex.words import WORDS

#: Deepest nesting of brackets, fractions and indices, and longest chain of factors.
DEEPEST, LONGEST_CHAIN = 30, 120

_N = TypeVar("_N", bound=Node)


class Cursor:
    r"""Inspects and consumes tokens, one after the other.

    A method ``parse_…`` consumes the part of the formula that it is named after, which begins at
    the next token, and returns its node; it raises a `TexError` if another thing is there.

    The methods `parse_sum`, `parse_term` and `parse_listed_conditions`, which lower parts of the
    grammar call recursively, are declared here and defined in derived classes.

    Parameters
    ----------
    tokens
        The tokens: of a formula, or of a group in it, such as an index.
    tex
        The formula.
    depth
        In how many brackets and sums the tokens are nested.
    braced
        The statements of braces (``\underbrace``) found so far; those in the tokens are added.
    """

    def __init__(
        self,
        tokens: Sequence[Token],
        tex: str = "",
        depth: int = 0,
        braced: list[Node] | None = None,
    ) -> None:
        self.tokens = list(tokens)
        self.tex = tex
        #: The index of the next token.
        self.at = 0
        self.depth = depth
        self.braced = braced if braced is not None else []
        #: The open environments.
        self.environments: list[str] = []

    @property
    def next(self) -> str:
        """The text of the next token; empty at the end."""
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    @property
    def kind(self) -> str:
        """The kind of the next token; empty at the end."""
        return self.tokens[self.at].kind if self.at < len(self.tokens) else ""

    def take(self, text: str | None = None) -> str:
        """Consume the next token and return its text; if one is given, it must be this one."""
        if text is not None and self.next != text:
            raise self.error(f"expected {text!r}, found {self.next or 'the end'!r}")
        if self.at >= len(self.tokens):
            raise self.error("it ends too early")
        self.at += 1
        return self.tokens[self.at - 1].text

    def peek(self, ahead: int) -> str:
        """Return the text of a token further ahead; empty after the end."""
        at = self.at + ahead
        return self.tokens[at].text if at < len(self.tokens) else ""

    def error(self, message: str) -> TexError:
        """Return an error at the next token."""
        if self.at < len(self.tokens):
            token = self.tokens[self.at]
            return TexError(message, token.start, token.end)
        end = self.tokens[-1].end if self.tokens else len(self.tex)
        return TexError(message, end, end)

    def unexpected(self) -> TexError:
        """Return the error that the next token does not fit the grammar."""
        if self.next in UNJUDGED:
            return self.error(f"the relation {self.next} cannot be judged")
        if self.next in SPOKEN:
            return self.error(f"{self.next} cannot be judged")
        return self.error(f"cannot read {self.next or 'the end'!r} here")

    def start(self) -> int:
        """Return the position of the next token in the formula."""
        return self.tokens[self.at].start if self.at < len(self.tokens) else 0

    def with_span(self, start: int, node: _N) -> _N:
        """Return a node with its span: from ``start`` to the last token consumed.

        A node that has a span already keeps it.
        """
        if node.span == (0, 0) and self.at:
            object.__setattr__(node, "span", (start, self.tokens[self.at - 1].end))
        return node

    def next_depth(self) -> int:
        """Return the depth of what begins here, one more than now; raise an error if too deep."""
        # Each bracket counts twice: as a bracket, and as the sum in it.
        if self.depth > 2 * DEEPEST:
            raise self.error(f"it is nested more than {DEEPEST} deep")
        return self.depth + 1

    def take_group(self) -> list[Token]:
        """Consume ``{…}``, or a single token or digit, and return the tokens without the braces."""
        if self.next != "{":
            if self.kind == "number" and len(self.next) > 1 and self.next[0].isdigit():
                # TeX takes a single digit: \frac12 is a half, and x^12 is not x^{12}.
                token = self.tokens[self.at]
                digit = replace(token, text=token.text[0], end=token.start + 1)
                other_digits = replace(token, text=token.text[1:], start=token.start + 1)
                self.tokens[self.at : self.at + 1] = [digit, other_digits]
            self.take()
            return self.tokens[self.at - 1 : self.at]
        start, depth = self.at + 1, 0
        while True:
            depth += {"{": 1, "}": -1}.get(self.take(), 0)
            if depth == 0:
                return self.tokens[start : self.at - 1]

    def take_name(self) -> str:
        r"""Consume a group and return its text, without spaces: *matrix* in ``\begin{matrix}``."""
        return "".join(token.text for token in self.take_group())

    def take_up_to_closing(self, *, of: Mapping[str, str]) -> list[Token]:
        """Consume the next token, which opens a bracket, and all up to the bracket that closes it.

        ``of`` has the opening brackets that count, with the closing ones. Return what is between.
        """
        start, depth = self.at + 1, 0
        while True:
            text = self.take()
            depth += (text in of) - (text in of.values())
            if depth == 0:
                return self.tokens[start : self.at - 1]

    def parser_of(self, tokens: Sequence[Token]) -> Self:
        """Return a parser of a group of tokens of the same formula, one level deeper."""
        return type(self)(tokens, self.tex, self.next_depth(), self.braced)

    def parse_whole(self, tokens: Sequence[Token]) -> Node:
        """Parse all of these tokens as one sum."""
        if not tokens:
            raise self.error("there is nothing between the brackets")
        parser = self.parser_of(tokens)
        node = parser.parse_sum()
        if parser.next:
            raise parser.unexpected()
        return node

    def is_at_relation(self) -> bool:
        r"""Return whether a relation is next, or the next row begins with one.

        Behind a mere space, ``\quad``, a relation would begin another statement.
        """
        ahead = 0
        while self.peek(ahead) in (r"\\", r"\quad", r"\qquad"):
            ahead += 1
        is_directly_next = ahead == 0
        return self.peek(ahead) in RELATIONS and (is_directly_next or self.next == r"\\")

    def has_relation_ahead(self) -> bool:
        r"""Return whether a relation follows in this list: after ``a`` in ``a, b = c``.

        In ``a, \quad b = c`` it does not. The next token is the comma.
        """
        depth = 0
        for token in self.tokens[self.at + 1 :]:
            depth += _depth_change(token)
            # A closing bracket, a wide space or a word such as *if* ends the list.
            if depth < 0 or token.text in (r"\quad", r"\qquad", r"\\", ";"):
                return False
            if token.kind == "text" and WORDS.match(token.text):
                return False
            if depth == 0 and token.text in RELATIONS:
                return True
        return False

    def is_at_condition_in_brackets(self) -> bool:
        """Return whether a condition in brackets, such as ``(x > 0)``, begins here."""
        if self.next != "(":
            return False
        depth = 0
        for token in self.tokens[self.at :]:
            depth += _depth_change(token)
            if depth == 1 and token.text in RELATIONS:
                return True
            if depth == 0:
                break
        return False

    # Rules that the parts above use

    def parse_sum(self) -> Node:
        """Parse a sum."""
        raise NotImplementedError

    def parse_term(self) -> Node:
        """Parse a term of a sum."""
        raise NotImplementedError

    def parse_listed_conditions(self, *, indices: bool) -> tuple[Node, ...]:
        """Parse conditions joined by *and*; those of indices also by commas."""
        raise NotImplementedError


def _depth_change(token: Token) -> int:
    """Return by how much a token changes the depth of brackets: 1, 0 or -1."""
    return (token.text in ("(", "{", "[", r"\{")) - (token.text in (")", "}", "]", r"\}"))


def split_at(tokens: Iterable[Token], sign: str) -> list[list[Token]]:
    """Split tokens at a sign, outside brackets and environments; there is always one part or more.

    >>> from vaultkit.tex.tokens import tokenize
    >>> parts = split_at(tokenize("a, (b, c)"), ",")
    >>> ["".join(token.text for token in part) for part in parts]
    ['a', '(b,c)']
    """
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += _depth_change(token) + (token.text == r"\begin") - (token.text == r"\end")
        if token.text == sign and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def name_of(node: Node) -> str:
    """Return the name of a symbol, or the name that a symbol with its index may be; else empty.

    ``x_i`` is the element i of ``x``, unless the note has a variable with the name ``x_i``.

    >>> name_of(Symbol("x")), name_of(Subscript(Symbol("x"), (Symbol("i"),), "x_i"))
    ('x', 'x_i')
    """
    match node:
        case Symbol(name) | Subscript(name=name):
            return name
        case _:
            return ""
