"""From tokens to the tree."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vaultkit.tex.tokens import (
    ACCENTS,
    BARS,
    DOTS,
    DOUBLE_BARS,
    FUNCTIONS,
    OPEN,
    OPERATORS,
    REDUCTIONS,
    RELATIONS,
    SEPARATORS,
    TOPS,
    WORDS,
    Token,
    python_name,
    tokenize,
)
from vaultkit.tex.tree import (
    Apply,
    Bracketed,
    Cases,
    Derivative,
    Differential,
    Dots,
    Matrix,
    Membership,
    Node,
    Norm,
    Number,
    Power,
    Product,
    Reduce,
    Statement,
    Subscript,
    Sum,
    Symbol,
    TexError,
    Transpose,
    walk,
)


class _Parser:
    def __init__(self, tex: str) -> None:
        self.tokens = tokenize(tex)
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

    def group(self) -> list[Token]:
        """Take ``{…}``, or a single token."""
        if self.next != "{":
            self.take()
            return self.tokens[self.at - 1 : self.at]
        start, depth = self.at + 1, 0
        while True:
            depth += {"{": 1, "}": -1}.get(self.take(), 0)
            if depth == 0:
                return self.tokens[start : self.at - 1]

    def inner(self, tokens: list[Token]) -> _Parser:
        parser = _Parser("")
        parser.tokens = tokens
        return parser

    def whole(self, tokens: list[Token]) -> Node:
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
        if self.next in SEPARATORS or (self.kind == "text" and WORDS.match(self.next)):
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
        if self.next == "," and self.peek(1) in DOTS and relations == ["="]:
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

    def dims(self, tokens: list[Token]) -> Iterator[Node]:
        part: list[Token] = []
        depth = 0
        for token in [*tokens, Token("command", r"\times")]:
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
        while self.next in OPERATORS:
            op = OPERATORS[self.take()]
            sign = 1
            while self.next in ("-", "−"):
                self.take()
                sign = -sign
            right = self.product()
            right = right if sign > 0 else Sum(((-1, right),))
            node = _quotient(node, right) if op == "/" else Product(op, node, right)
        return node

    def product(self) -> Node:
        node = self.factor()
        while self.begins_factor():
            node = Product("", node, self.factor())
        return node

    def begins_factor(self) -> bool:
        text, kind = self.next, self.kind
        if not text or text in RELATIONS or text in SEPARATORS or text in OPERATORS:
            return False
        if kind == "text":
            return not WORDS.match(text)
        if text in BARS:
            return text != "|" or self.bars_open()
        if text in DOUBLE_BARS:
            return text in (r"\lVert",) or self.bars_open()
        closing = {*OPEN.values(), *BARS.values(), *DOUBLE_BARS.values()}
        return text not in {*closing, "+", "-", "−", "^", "_", "'", ".", ":", "!", "&", r"\end"}

    def bars_open(self) -> bool:
        """Tell whether a bar opens: it does where an even number of them stand before it."""
        return self.tokens[: self.at].count(self.tokens[self.at]) % 2 == 0

    def factor(self) -> Node:
        if self.next == r"\arg":
            self.take()
            self.tokens[self.at] = Token("command", r"\arg" + self.next.removeprefix("\\"))
        if self.next == r"\partial":
            self.take()
            return Differential(self.postfix(self.atom()))
        if self.next in (r"\sum", r"\prod") or (
            self.next in REDUCTIONS and self.peek(1) in ("_", "^")
        ):
            return self.reduction()
        if self.next in FUNCTIONS and self.peek(1) not in ("(", "["):
            return self.prefix_function()
        return self.postfix(self.atom())

    def reduction(self) -> Node:
        kind = REDUCTIONS[self.take()]
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
        while self.begins_factor() and self.next not in FUNCTIONS and self.next not in OPEN:
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

    def subscript(self, base: Node, tokens: list[Token]) -> Node:
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

    def superscript(self, base: Node, tokens: list[Token]) -> Node:
        texts = [t.text for t in tokens]
        if len(texts) == 1 and texts[0] in TOPS:
            return Transpose(base)
        if texts and texts[0] in ("-", "−") and len(texts) == 2 and texts[1] in TOPS:
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
        closing = OPEN[self.take()]
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
        if text in OPEN:
            return self.parenthesis()
        if text in BARS or text in DOUBLE_BARS:
            closing = (BARS | DOUBLE_BARS)[self.take()]
            body = self.sum()
            self.take(closing)
            return Norm("abs" if text in BARS else "", body)
        if text in (r"\frac", r"\dfrac", r"\tfrac"):
            self.take()
            above = self.whole(self.group())
            return _quotient(above, self.whole(self.group()))
        if text == r"\sqrt":
            self.take()
            if self.next == "[":
                raise TexError("only square roots are known")
            return Apply(Symbol("sqrt"), (self.whole(self.group()),))
        if text in ACCENTS:
            self.take()
            return Symbol(_name_of(self.whole(self.group())) + ACCENTS[text])
        if text == r"\mathbb":
            self.take()
            return Symbol("".join(t.text for t in self.group()))
        if text == r"\begin":
            return self.environment()
        if text in DOTS:
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


def _quotient(above: Node, below: Node) -> Node:
    """Divide; two differentials make a derivative, whose name the variables may hold."""
    quotient = Product("/", above, below)
    match above, below:
        case Differential(f), Differential(x):
            return Derivative(f, x)
        case Differential(), Product(op, left, right):
            return Product(op, _quotient(above, left), right)
        case Product(op, left, right), Differential():
            return Product(op, left, _quotient(right, below))
        case (
            Product("", Symbol("d"), (Symbol() | Subscript()) as f),
            Product("", Symbol("d"), (Symbol() | Subscript()) as x),
        ):
            return Derivative(f, x, quotient)
    return quotient


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
    tokens = tokenize(tex)
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
    return parser.whole(tokenize(tex))
