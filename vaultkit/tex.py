r"""Reads formulas: from TeX to a tree of what it says. Knows no values; `vaultkit.evaluate` does.

The grammar, from the loosest tie to the tightest::

    statements  statement { ("," | ";" | "\quad" | "\\" | words) statement }
    statement   sum { "," sum } { relation sum }        W_Q, W_K \in \mathbb{R}^{n \times m}
    sum         [sign] term { sign term }
    term        product { (\cdot | \times | \odot | / | \div) product }
    product     factor { factor }                        side by side
    factor      \sum_{j=1}^{n} term | \max_j term | \exp factor | atom { _ index | ^ exponent | ' }
    atom        number | symbol | (…) | […] | \{…\} | |…| | \lVert … \rVert | \frac{…}{…}
                | \sqrt{…} | matrix | cases | atom "(" sum { "," sum } ")"

A symbol is a Python name: ``d_{\text{model}}`` is ``d_model``, ``\alpha`` is ``alpha``.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields

# --- The tree -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Node:
    """A part of a formula."""


@dataclass(frozen=True)
class Number(Node):
    """A number, as written."""

    text: str


@dataclass(frozen=True)
class Symbol(Node):
    """A name."""

    name: str


@dataclass(frozen=True)
class Subscript(Node):
    r"""``q_i``, ``\alpha_{ij}``; or the name ``d_k``: ``name`` says what it would be called."""

    base: Node
    indices: tuple[Node, ...]
    name: str


@dataclass(frozen=True)
class Bracketed(Node):
    """``z^{(2)}``: one of several things of a kind, counted from 1."""

    base: Node
    index: Node


@dataclass(frozen=True)
class Transpose(Node):
    r"""``K^\top``."""

    base: Node


@dataclass(frozen=True)
class Power(Node):
    """``x^2``."""

    base: Node
    exponent: Node


@dataclass(frozen=True)
class Sum(Node):
    """``a + b - c``: terms with their signs."""

    terms: tuple[tuple[int, Node], ...]


@dataclass(frozen=True)
class Product(Node):
    r"""Two things multiplied or divided: ``op`` is ``""``, ``\cdot``, ``\odot`` or ``/``."""

    op: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Apply(Node):
    """``f(x, y)``; a product where f turns out to be no function."""

    function: Node
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Reduce(Node):
    r"""``\sum_{j=1}^{n} body``; ``kind`` is sum, prod, max, min, argmax or argmin."""

    kind: str
    index: str
    low: Node | None
    high: Node | None
    body: Node


@dataclass(frozen=True)
class Norm(Node):
    r"""``\lVert x \rVert`` (``kind`` is ``""``, ``F``, ``2`` …), or ``|x|`` (``abs``)."""

    kind: str
    body: Node


@dataclass(frozen=True)
class Matrix(Node):
    """A matrix written out."""

    rows: tuple[tuple[Node, ...], ...]


@dataclass(frozen=True)
class Cases(Node):
    """Values, each with the condition under which it holds; the last may have none."""

    branches: tuple[tuple[Node, Statement | None], ...]


@dataclass(frozen=True)
class Dots(Node):
    r"""``\dots``: what stands between its neighbours."""


@dataclass(frozen=True)
class Statement(Node):
    """``sides`` with the relations between them: ``a = b < c``."""

    sides: tuple[Node, ...]
    relations: tuple[str, ...]


@dataclass(frozen=True)
class Membership(Node):
    r"""``X \in \mathbb{R}^{n \times m}`` (``dims``) or ``x \in [0, 1]`` (``interval``)."""

    element: Node
    dims: tuple[Node, ...] = ()
    interval: tuple[str, Node, Node, str] | None = None


class TexError(ValueError):
    """A formula that the grammar does not hold."""


def walk(node: object) -> Iterator[Node]:
    """Visit a node and all that it is made of."""
    if isinstance(node, tuple):
        for part in node:
            yield from walk(part)
    elif isinstance(node, Node):
        yield node
        for field in fields(node):
            yield from walk(getattr(node, field.name))


# --- From TeX to tokens -------------------------------------------------------------------------

_TOKEN = re.compile(
    r"""
    (?P<space>\s+|~|%[^\n]*|\\[,;:!\ >]|\\(?:left|right|[bB]igg?[lrm]?|displaystyle|textstyle
        |limits|nolimits|middle|mathstrut|hphantom\{[^{}]*\}|vphantom\{[^{}]*\})(?![A-Za-z]))
  | (?P<text>\\(?:text|textrm|textit|textbf|texttt|mathrm|mathit|mathbf|mathsf|mathcal|mathtt
        |boldsymbol|bm|operatorname\*?)\s*\{(?P<words>(?:[^{}\\]|\\[_\ \-&%,;])*)\})
  | (?P<number>\d+(?:\{,\}\d{3})*(?:\.\d+)?)
  | (?P<command>\\(?:[A-Za-z]+\*?|.))
  | (?P<char>.)
    """,
    re.VERBOSE | re.DOTALL,
)

RELATIONS = {
    "=": "=", ":=": "=", r"\equiv": "=", r"\approx": "≈", r"\simeq": "≈", r"\ne": "≠",
    r"\neq": "≠", "<": "<", r"\lt": "<", ">": ">", r"\gt": ">", r"\le": "≤", r"\leq": "≤",
    r"\leqslant": "≤", r"\ge": "≥", r"\geq": "≥", r"\geqslant": "≥", r"\in": "∈",
    r"\ll": "≪", r"\gg": "≫", r"\propto": "∝", r"\sim": "∼",
}  # fmt: skip
_SEPARATORS = {",", ";", r"\quad", r"\qquad", r"\\"}
_OPEN = {"(": ")", "[": "]", r"\{": r"\}", "{": "}", r"\langle": r"\rangle"}
_BARS = {"|": "|", r"\lvert": r"\rvert", r"\vert": r"\vert"}
_DOUBLE_BARS = {r"\|": r"\|", r"\lVert": r"\rVert", r"\Vert": r"\Vert"}
_REDUCTIONS = {r"\sum": "sum", r"\prod": "prod", r"\max": "max", r"\min": "min",
               r"\argmax": "argmax", r"\argmin": "argmin"}  # fmt: skip
_FUNCTIONS = {r"\exp", r"\log", r"\ln", r"\sin", r"\cos", r"\tan", r"\tanh", r"\sinh", r"\cosh",
              r"\arccos", r"\det"}  # fmt: skip
_ACCENTS = {r"\hat": "_hat", r"\widehat": "_hat", r"\bar": "_bar", r"\overline": "_bar",
            r"\tilde": "_tilde", r"\widetilde": "_tilde", r"\vec": ""}  # fmt: skip
_OPERATORS = {r"\cdot": r"\cdot", "*": r"\cdot", r"\times": "", r"\odot": r"\odot", "/": "/",
              r"\div": "/"}  # fmt: skip
_DOTS = {r"\dots", r"\ldots", r"\cdots", r"\vdots", r"\ddots", "…"}
_TOPS = {r"\top", "T", r"\intercal", r"\mathsf{T}"}
# Words between statements: what they say is for readers.
_WORDS = re.compile(r"\s*(for|where|if|and|so|with|when|or|otherwise|because|since|hence)\b")


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str


def _tokens(tex: str) -> list[_Token]:
    tokens = []
    # Marks of columns mean something in a matrix; in aligned rows they are for looks.
    depth = 0
    for found in _TOKEN.finditer(tex):
        if re.match(r"\{([pb]?matrix|cases)\}", tex[found.end() :]):
            depth += {r"\begin": 1, r"\end": -1}.get(found[0], 0)
        match found.lastgroup:
            case "space":
                continue
            case "char" if found[0] == "&" and not depth:
                continue
            case "text" | "words":
                tokens.append(_Token("text", found["words"]))
            case "command" if found[0].startswith(r"\operatorname"):
                raise TexError(f"cannot read {found[0]} here")
            case kind:
                tokens.append(_Token(str(kind), found[0]))
    return tokens


def python_name(words: str) -> str:
    r"""Name that words in a formula stand for: ``scaled\_scores`` and ``scaled scores`` are one."""
    name = re.sub(r"\\[_ ]|[\s\-]+", "_", words.strip())
    name = re.sub(r"\W", "", name)
    return name + "_" if keyword.iskeyword(name) else name


# --- From tokens to the tree --------------------------------------------------------------------


class _Parser:
    def __init__(self, tex: str) -> None:
        self.tokens = _tokens(tex)
        self.at = 0

    # Looking and taking

    @property
    def next(self) -> str:
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    @property
    def kind(self) -> str:
        return self.tokens[self.at].kind if self.at < len(self.tokens) else ""

    def take(self, text: str | None = None) -> str:
        if text is not None and self.next != text:
            raise TexError(f"expected {text!r}, found {self.next or 'the end'!r}")
        if self.at >= len(self.tokens):
            raise TexError("it ends too early")
        self.at += 1
        return self.tokens[self.at - 1].text

    def peek(self, ahead: int) -> str:
        at = self.at + ahead
        return self.tokens[at].text if at < len(self.tokens) else ""

    def group(self) -> list[_Token]:
        """Take ``{…}``, or a single token."""
        if self.next != "{":
            self.take()
            return self.tokens[self.at - 1 : self.at]
        start, depth = self.at + 1, 0
        while True:
            depth += {"{": 1, "}": -1}.get(self.take(), 0)
            if depth == 0:
                return self.tokens[start : self.at - 1]

    def inner(self, tokens: list[_Token]) -> _Parser:
        parser = _Parser("")
        parser.tokens = tokens
        return parser

    def whole(self, tokens: list[_Token]) -> Node:
        """Read all of some tokens as one sum."""
        parser = self.inner(tokens)
        node = parser.sum()
        if parser.next:
            raise TexError(f"cannot read {parser.next!r} here")
        return node

    # Statements

    def statements(self) -> list[Node]:
        found: list[Node] = []
        while self.next:
            if self.separator():
                continue
            found += self.statement()
            if self.next and not self.separator():
                if self.next == "." and self.at == len(self.tokens) - 1:
                    break
                raise TexError(f"cannot read {self.next!r} here")
        return found

    def separator(self) -> bool:
        if self.next in (r"\begin", r"\end"):
            name = "".join(t.text for t in self.tokens[self.at + 2 : self.at + 10])
            if name.startswith(("aligned", "gathered", "split")):
                self.take()
                self.group()
                return True
        if self.next in _SEPARATORS or (self.kind == "text" and _WORDS.match(self.next)):
            self.take()
            return True
        return False

    def statement(self) -> list[Node]:
        sides = [self.sum()]
        while self.next == "," and not isinstance(sides[-1], Dots) and self.relation_ahead():
            self.take()
            sides.append(self.sum())
        lefts, sides = sides, []
        relations: list[str] = []
        while self.relation():
            # A row of an aligned formula may begin with the relation.
            while self.next == r"\\" and self.peek(1) in RELATIONS:
                self.take()
            relation = RELATIONS[self.take()]
            if relation == "∈":
                return [*self.chains(lefts, relations, sides), *self.members(lefts)]
            relations.append(relation)
            sides.append(self.sum())
        if self.next == "," and self.peek(1) in _DOTS and relations == ["="]:
            # "i = 1, …, n" only says what i runs over.
            for _ in range(2):
                self.take()
            self.take(",")
            self.sum()
            return []
        return self.chains(lefts, relations, sides)

    def relation(self) -> bool:
        return self.next in RELATIONS or (self.next == r"\\" and self.peek(1) in RELATIONS)

    def relation_ahead(self) -> bool:
        r"""Tell whether ``a, b`` share a relation: ``a, b = c`` does, ``a, \quad b = c`` not."""
        depth = 0
        for token in self.tokens[self.at + 1 :]:
            depth += (token.text in ("(", "{", "[")) - (token.text in (")", "}", "]"))
            if depth < 0 or token.text in (r"\quad", r"\qquad", r"\\", ";"):
                return False
            if depth == 0 and token.text in RELATIONS:
                return True
        return False

    def chains(self, lefts: list[Node], relations: list[str], sides: list[Node]) -> list[Node]:
        if not relations:
            return []
        return [Statement((left, *sides), tuple(relations)) for left in lefts]

    def members(self, elements: list[Node]) -> list[Node]:
        if self.next == r"\mathbb":
            self.take()
            if [t.text for t in self.group()] != ["R"]:
                raise TexError(r"of all sets, only \mathbb{R} and intervals are known")
            dims: tuple[Node, ...] = ()
            if self.next == "^":
                self.take()
                dims = tuple(self.dims(self.group()))
            return [Membership(element, dims) for element in elements]
        if self.next in ("[", "("):
            opening = self.take()
            low = self.sum()
            self.take(",")
            high = self.sum()
            closing = self.take()
            if closing not in (")", "]"):
                raise TexError(f"expected ')' or ']', found {closing!r}")
            interval = (opening, low, high, closing)
            return [Membership(element, interval=interval) for element in elements]
        raise TexError(r"of all sets, only \mathbb{R} and intervals are known")

    def dims(self, tokens: list[_Token]) -> Iterator[Node]:
        part: list[_Token] = []
        depth = 0
        for token in [*tokens, _Token("command", r"\times")]:
            depth += (token.text in ("{", "(")) - (token.text in ("}", ")"))
            if token.text == r"\times" and depth == 0:
                yield self.whole(part)
                part = []
            else:
                part.append(token)

    # Expressions

    def sum(self) -> Node:
        terms: list[tuple[int, Node]] = []
        while True:
            sign = 1
            while self.next in ("+", "-", "−"):
                sign *= 1 if self.take() == "+" else -1
            terms.append((sign, self.term()))
            if self.next not in ("+", "-", "−"):
                break
        return terms[0][1] if terms == [(1, terms[0][1])] else Sum(tuple(terms))

    def term(self) -> Node:
        node = self.product()
        while self.next in _OPERATORS:
            op = _OPERATORS[self.take()]
            sign = 1
            while self.next in ("-", "−"):
                self.take()
                sign = -sign
            right = self.product()
            node = Product(op, node, right if sign > 0 else Sum(((-1, right),)))
        return node

    def product(self) -> Node:
        node = self.factor()
        while self.begins_factor():
            node = Product("", node, self.factor())
        return node

    def begins_factor(self) -> bool:
        text, kind = self.next, self.kind
        if not text or text in RELATIONS or text in _SEPARATORS or text in _OPERATORS:
            return False
        if kind == "text":
            return not _WORDS.match(text)
        if text in _BARS:
            return text != "|" or self.bars_open()
        if text in _DOUBLE_BARS:
            return text in (r"\lVert",) or self.bars_open()
        closing = {*_OPEN.values(), *_BARS.values(), *_DOUBLE_BARS.values()}
        return text not in {*closing, "+", "-", "−", "^", "_", "'", ".", ":", "!", "&", r"\end"}

    def bars_open(self) -> bool:
        """Tell whether a bar opens: it does where an even number of them stand before it."""
        return self.tokens[: self.at].count(self.tokens[self.at]) % 2 == 0

    def factor(self) -> Node:
        if self.next == r"\arg":
            self.take()
            self.tokens[self.at] = _Token("command", r"\arg" + self.next.removeprefix("\\"))
        if self.next in (r"\sum", r"\prod") or (
            self.next in _REDUCTIONS and self.peek(1) in ("_", "^")
        ):
            return self.reduction()
        if self.next in _FUNCTIONS and self.peek(1) not in ("(", "["):
            return self.prefix_function()
        return self.postfix(self.atom())

    def reduction(self) -> Node:
        kind = _REDUCTIONS[self.take()]
        index, low, high = "", None, None
        while self.next in ("_", "^"):
            if self.take() == "^":
                high = self.whole(self.group())
                continue
            parser = self.inner(self.group())
            name = parser.postfix(parser.atom())
            index = name.name if isinstance(name, (Symbol, Subscript)) else ""
            if parser.next == "=":
                parser.take()
                low = parser.sum()
            elif parser.next in (r"\le", r"\leq", "<"):
                strict = parser.take() == "<"
                bound = parser.sum()
                low = Number("1")
                high = Sum(((1, bound), (-1, Number("1")))) if strict else bound
            if parser.next or not index:
                raise TexError(f"cannot read the index of \\{kind}")
        body = self.term()
        if not index:
            used = {i for s in walk(body) if isinstance(s, Subscript) for i in s.indices}
            if len(used) != 1:
                raise TexError(f"\\{kind} does not say over what")
            index = _name_of(used.pop())
        return Reduce(kind, index, low, high, body)

    def prefix_function(self) -> Node:
        function: Node = Symbol(self.take().removeprefix("\\"))
        power = None
        if self.next == "^":
            self.take()
            power = self.whole(self.group())
        argument = self.factor()
        while self.begins_factor() and self.next not in _FUNCTIONS and self.next not in _OPEN:
            argument = Product("", argument, self.factor())
        node: Node = Apply(function, (argument,))
        return Power(node, power) if power else node

    def postfix(self, node: Node) -> Node:
        while True:
            if self.next == "_":
                self.take()
                node = self.subscript(node, self.group())
            elif self.next == "^":
                self.take()
                node = self.superscript(node, self.group())
            elif self.next == "'":
                self.take()
                node = Symbol(_name_of(node) + "_prime")
            elif (self.next == "(" and isinstance(node, (Symbol, Subscript))) or (
                self.next == "[" and node in (Symbol("E"), Symbol("Var"))
            ):
                # Whether it is a function or a factor, only the note's variables tell.
                node = Apply(node, self.arguments())
            else:
                return node

    def subscript(self, base: Node, tokens: list[_Token]) -> Node:
        if isinstance(base, Norm):
            return Norm("".join(t.text for t in tokens), base.body)
        parser = self.inner(tokens)
        if parser.next == "(" and tokens[-1].text == ")":
            parser = self.inner(tokens[1:-1])
        name = python_name(f"{_name_of(base)}_{''.join(t.text.lstrip(chr(92)) for t in tokens)}")
        if any(t.text == r"\_" for t in tokens):
            return Symbol(name)
        indices: list[Node] = []
        while parser.next:
            if parser.next == ",":
                parser.take()
                continue
            # Letters side by side are indices side by side: ij is i, j; but 2i is a product.
            if parser.kind in ("char", "text") and parser.next.isalpha():
                node = parser.postfix(parser.atom())
                if parser.next in ("+", "-", "/"):
                    sign = parser.take()
                    right = parser.term()
                    if sign == "/":
                        node = Product("/", node, right)
                    else:
                        node = Sum(((1, node), (1 if sign == "+" else -1, right)))
                indices.append(node)
            else:
                indices.append(parser.sum())
        return Subscript(base, tuple(indices), name)

    def superscript(self, base: Node, tokens: list[_Token]) -> Node:
        texts = [t.text for t in tokens]
        if len(texts) == 1 and texts[0] in _TOPS:
            return Transpose(base)
        if texts and texts[0] in ("-", "−") and len(texts) == 2 and texts[1] in _TOPS:
            return Transpose(Power(base, Sum(((-1, Number("1")),))))
        if texts in ([r"\prime"], ["*"], [r"\ast"]):
            return Symbol(_name_of(base) + ("_prime" if texts == [r"\prime"] else "_star"))
        if texts and texts[0] == "(" and texts[-1] == ")":
            return Bracketed(base, self.whole(tokens[1:-1]))
        exponent = self.whole(tokens)
        if base == Symbol("e"):
            return Apply(Symbol("exp"), (exponent,))
        return Power(base, exponent)

    def arguments(self) -> tuple[Node, ...]:
        closing = _OPEN[self.take()]
        arguments = []
        while self.next != closing:
            arguments.append(self.sum())
            if self.next in (",", ";", r"\mid"):
                self.take()
        self.take(closing)
        return tuple(arguments)

    # Atoms

    def atom(self) -> Node:
        kind, text = self.kind, self.next
        if kind == "number":
            return Number(self.take().replace("{,}", ""))
        if kind == "text":
            name = python_name(self.take())
            if not name:
                raise TexError(f"cannot read {text!r} as a name")
            return Symbol(name)
        if text in _OPEN:
            return self.parenthesis()
        if text in _BARS or text in _DOUBLE_BARS:
            closing = (_BARS | _DOUBLE_BARS)[self.take()]
            body = self.sum()
            self.take(closing)
            return Norm("abs" if text in _BARS else "", body)
        if text in (r"\frac", r"\dfrac", r"\tfrac"):
            self.take()
            above = self.whole(self.group())
            return Product("/", above, self.whole(self.group()))
        if text == r"\sqrt":
            self.take()
            if self.next == "[":
                raise TexError("only square roots are known")
            return Apply(Symbol("sqrt"), (self.whole(self.group()),))
        if text in _ACCENTS:
            self.take()
            return Symbol(_name_of(self.whole(self.group())) + _ACCENTS[text])
        if text == r"\mathbb":
            self.take()
            return Symbol("".join(t.text for t in self.group()))
        if text == r"\begin":
            return self.environment()
        if text in _DOTS:
            self.take()
            return Dots()
        if kind == "command" and re.fullmatch(r"\\[A-Za-z]+", text) and text not in RELATIONS:
            return Symbol(python_name(self.take()[1:].removeprefix("var")))
        if kind == "char" and text.isalpha():
            return Symbol(self.take())
        raise TexError(f"cannot read {text or 'the end'!r} here")

    def parenthesis(self) -> Node:
        opening = self.next
        parts = self.arguments()
        if opening == r"\langle" and len(parts) == 2:
            return Product(r"\cdot", *parts)
        if len(parts) != 1:
            return Matrix((parts,))
        # What follows the bracket belongs to all of it: (f (x))^2 is not f (x)^2.
        return Sum(((1, parts[0]),)) if isinstance(parts[0], Apply) else parts[0]

    def environment(self) -> Node:
        self.take(r"\begin")
        name = "".join(t.text for t in self.group())
        if name not in ("matrix", "pmatrix", "bmatrix", "cases"):
            raise TexError(f"the environment {name} is not known")
        rows: list[list[Node]] = []
        conditions: list[Statement | None] = []
        while self.next != r"\end":
            rows.append([])
            conditions.append(None)
            while self.next not in (r"\\", r"\end"):
                if self.next in (",", "&") or (self.kind == "text" and rows[-1]):
                    self.take()
                elif self.relation() and rows[-1]:
                    left = rows[-1].pop()
                    relation = RELATIONS[self.take()]
                    conditions[-1] = Statement((left, self.sum()), (relation,))
                else:
                    rows[-1].append(self.sum())
            if self.next == r"\\":
                self.take()
        self.take(r"\end")
        self.group()
        if name == "cases":
            return Cases(tuple((row[0], when) for row, when in zip(rows, conditions, strict=True)))
        return Matrix(tuple(tuple(row) for row in rows if row))


def _name_of(node: Node) -> str:
    match node:
        case Symbol(name) | Subscript(name=name):
            return name
        case Number(text):
            return text
        case _:
            return "it"


def parse(tex: str) -> list[Node]:
    r"""Read the statements of a formula; none, if it states nothing (``QK^\top``).

    Raises
    ------
    TexError
        If it is not in the grammar.
    """
    tokens = _tokens(tex)
    relations = [token for token in tokens if token.text in RELATIONS]
    if relations in ([], tokens):  # a sign that stands alone is only spoken of
        return []
    return _Parser(tex).statements()


def parse_expression(tex: str) -> Node:
    """Read a formula that is one expression.

    Raises
    ------
    TexError
        If it is not in the grammar.
    """
    parser = _Parser("")
    return parser.whole(_tokens(tex))
