"""Parses the atoms of a formula: names, brackets, matrices, with indices and exponents."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vaultkit.tex.cursor import LONGEST_CHAIN, cut, name_of
from vaultkit.tex.ranges import Ranges
from vaultkit.tex.tokens import (
    ACCENTS,
    BARS,
    DOTS,
    DOUBLE_BARS,
    FONTS,
    NAMES,
    OPEN,
    PRIMES,
    RELATIONS,
    SPOKEN,
    TOPS,
    Token,
    python_name,
)
from vaultkit.tex.tree import (
    Apply,
    Bracketed,
    Cases,
    Derivative,
    Differential,
    Dots,
    Function,
    Matrix,
    Membership,
    Node,
    Norm,
    Number,
    Power,
    Product,
    Reduce,
    Slice,
    Statement,
    Subscript,
    Sum,
    Symbol,
    Transpose,
)
from vaultkit.tex.words import BRACES, CONDITION, COUNTS, OTHERWISE, WORDS

SETS = {"R": "R", "N": "N", "Z": "Z", "ℝ": "R", "ℕ": "N", "ℤ": "Z"}
_MATRICES = ("matrix", "pmatrix", "bmatrix", "Bmatrix", "smallmatrix", "vmatrix", "cases", "dcases")


class Atoms(Ranges):
    """Parses an atom and its postfixes: indices, exponents, primes, arguments."""

    def postfix(self, node: Node) -> Node:
        """Parse the indices, exponents, marks and arguments after an atom."""
        start = node.span[0] or self.start()
        for _ in range(LONGEST_CHAIN):
            if self.next == "_":
                self.take()
                node = self.subscript(node, self.group())
            elif self.next == "^":
                self.take()
                node = self.superscript(node, self.group())
            elif self.next in ("'", r"\prime"):
                self.take()
                node = Symbol(self.named(node) + "_prime")
            elif self.next == "!":
                self.take()
                node = Apply(Function("factorial"), (node,))
            elif self.next == r"\%":
                self.take()
                node = Apply(Function("percent"), (node,))
            elif self.applies(node):
                # The variables of the note decide whether it is a function or a factor.
                node = Apply(node, self.arguments())
            else:
                return node
            self.with_span(start, node)
        raise self.error(f"more than {LONGEST_CHAIN} marks on one thing")

    def applies(self, node: Node) -> bool:
        """Return whether the next brackets may contain the arguments of a node."""
        if self.next == "(" and not self.condition_in_brackets():
            return isinstance(node, (Symbol, Subscript)) or node == Function("E")
        word = isinstance(node, Symbol) and len(node.name) > 1
        return self.next == "[" and (
            node == Function("E") or (word and self.tokens[self.at - 1].kind in ("text", "name"))
        )

    def named(self, node: Node) -> str:
        """Return the name of a node, which must have one."""
        name = name_of(node)
        if not name:
            raise self.error("only a name can have this mark")
        return name

    def subscript(self, base: Node, tokens: list[Token]) -> Node:
        r"""Return a base with its index: ``x_{ij}``, ``\mathbf{1}_{x > 0}``."""
        if not tokens:
            raise self.error("an empty index")
        texts = [t.text.removeprefix("\\") for t in tokens]
        if isinstance(base, Norm):
            if base.kind:
                raise self.error("this norm has an index already")
            return Norm("".join(texts), base.body)
        if base == Function("ones"):
            if any(t.text in RELATIONS for t in tokens):
                return self.indicator(tokens)
            return Apply(base, (self.whole(tokens),))
        if isinstance(base, (Function, Number)):
            raise self.error("an index is not supported here")
        parser = self.inner(tokens)
        if parser.next == "(" and tokens[-1].text == ")":
            parser = self.inner(tokens[1:-1])
        parts = [t.removeprefix("var") if t.startswith("vare") else t for t in texts]
        called = all(t.kind != "char" or t.text.isalnum() or t.text in ",_{}" for t in tokens)
        name = ""
        if name_of(base) and called:
            name = python_name(f"{name_of(base)}_{''.join(parts)}")
        extreme = len(tokens) == 1 and tokens[0].text in (r"\max", r"\min")
        if extreme or any(r"\_" in t.text for t in tokens if t.kind != "text"):
            return Symbol(name)  # x_{\max} is one name
        indices: list[Node] = []
        while parser.next:
            if parser.next in (",", ";") and indices:
                parser.take()
                continue
            if parser.next in (":", r"\cdot") and parser.peek(1) in ("", ","):
                parser.take()
                indices.append(Slice())
                continue
            # Adjacent letters are adjacent indices: ij is i, j; but 2i is a product.
            if parser.kind in ("char", "text", "name") and parser.next.isalpha():
                node = parser.postfix(parser.atom())
                if parser.next == "/":
                    parser.take()
                    node = Product("/", node, parser.term())
                terms = [(1, node)]
                while parser.next in ("+", "-"):
                    terms.append((1 if parser.take() == "+" else -1, parser.term()))
                indices.append(Sum(tuple(terms)) if len(terms) > 1 else node)
            elif parser.next in RELATIONS:
                raise parser.unexpected()
            else:
                indices.append(parser.sum())
        if not indices:
            raise self.error("an empty index")
        return Subscript(base, tuple(indices), name)

    def superscript(self, base: Node, tokens: list[Token]) -> Node:
        """Return a base with its exponent: a power, a transpose, or a marked name."""
        texts = [t.text for t in tokens]
        if not texts:
            raise self.error("an empty exponent")
        if len(texts) == 1 and texts[0] in TOPS:
            return Transpose(base)
        if isinstance(base, Function):
            raise self.error("an exponent is not supported here")
        if len(texts) == 2 and texts[0] == "-" and texts[1] in TOPS:
            return Transpose(Power(base, Sum(((-1, Number("1")),))))
        if texts == [r"\circ"]:
            return Apply(Function("degrees"), (base,))
        if len(texts) == 1 and texts[0] in PRIMES:
            marks = {"*": "_star", r"\ast": "_star", r"\star": "_star", r"\prime": "_prime",
                     "'": "_prime"}  # fmt: skip
            if texts[0] not in marks:
                raise self.error(f"the mark {texts[0]} is not known")
            return Symbol(self.named(base) + marks[texts[0]])
        if texts[0] == "(" and texts[-1] == ")" and len(texts) > 2:
            return Bracketed(base, self.whole(tokens[1:-1]))
        return Power(base, self.whole(tokens))

    def arguments(self) -> tuple[Node, ...]:
        """Parse a list of arguments in brackets, separated by commas."""
        self.depth = self.next_depth()
        closing = OPEN[self.take()]
        arguments: list[Node] = []
        while self.next != closing:
            arguments.append(self.sum())
            if self.next in (",", ";"):
                self.take()
                if self.next == closing:
                    raise self.unexpected()
            elif self.next != closing:
                raise self.unexpected()
        self.take(closing)
        self.depth -= 1
        if not arguments:
            raise self.error("there is nothing between the brackets")
        return self.several(arguments)

    def atom(self) -> Node:
        """Parse an atom; its node gets its span."""
        start = self.start()
        return self.with_span(start, self._atom())

    def _atom(self) -> Node:
        """Parse one atom and advance behind it.

        A number, a name, brackets, a fraction, a root, ….
        """
        kind, text = self.kind, self.next
        if kind == "number":
            return Number(self.take())
        if kind == "text":
            return self.word()
        if kind == "name":
            return Symbol(self.take())
        if text in OPEN:
            return self.parenthesis()
        if text in BARS or text in DOUBLE_BARS:
            closing = (BARS | DOUBLE_BARS)[self.take()]
            self.depth = self.next_depth()
            body = self.sum()
            self.depth -= 1
            self.take(closing)
            return Norm("abs" if text in BARS else "", body)
        if text in (r"\frac", r"\dfrac", r"\tfrac"):
            self.take()
            above = self.whole(self.group())
            return quotient(above, self.whole(self.group()), in_line=False)
        if text in (r"\binom", r"\dbinom", r"\tbinom"):
            self.take()
            above = self.whole(self.group())
            return Apply(Function("binom"), (above, self.whole(self.group())))
        if text == r"\sqrt":
            return self.root()
        if text in ACCENTS:
            self.take()
            return Symbol(self.named(self.whole(self.group())) + ACCENTS[text])
        if text in FONTS:
            self.take()
            return self.whole(self.group())
        if text in BRACES:
            return self.brace()
        if text == r"\mathbb":
            return self.blackboard()
        if text == r"\begin":
            return self.environment()
        if text in DOTS:
            self.take()
            return Dots()
        if kind == "command" and text in (r"\ell", r"\infty", r"\hbar", r"\imath", r"\jmath"):
            name = self.take()[1:]
            return Symbol({"imath": "i", "jmath": "j"}.get(name, name))
        if kind == "command" and text[1:].isalpha() and text not in SPOKEN and self.is_name():
            return Symbol(python_name(self.take()[1:].removeprefix("var")))
        if kind == "char" and text.isalpha() and text not in SETS:
            return Symbol(self.take())
        if kind == "char" and text in SETS and len(text) == 1 and text.isascii():
            return Symbol(self.take())
        if not text:
            raise self.error("cannot read 'the end' here")
        raise self.unexpected()

    def is_name(self) -> bool:
        """Return whether the next command is a name, such as a Greek letter."""
        return self.next in NAMES and self.next not in (r"\top", r"\bot")

    def word(self) -> Node:
        """Parse words in a formula as one name, or as a number."""
        text = self.tokens[self.at].text
        if WORDS.match(text):
            raise self.error(f"the word {text.strip()!r} cannot be read here")
        self.take()
        if text.strip() == "1":
            return self.one()
        if re.fullmatch(r"\s*\d+(\.\d+)?\s*", text):
            return Number(text.strip())
        name = python_name(text)
        if not name or not name.isidentifier():
            self.at -= 1
            raise self.error(f"cannot read {text!r} as a name")
        return Symbol(name)

    def one(self) -> Node:
        r"""Parse ``\mathbf{1}``: the vector of ones or, before a condition, its indicator."""
        if self.next in ("[", r"\{", "("):
            at = self.at
            closing = OPEN[self.take()]
            depth, begin = 1, self.at
            while depth:
                text = self.take()
                depth += (text in ("[", r"\{", "(")) - (text in ("]", r"\}", ")"))
            if self.tokens[self.at - 1].text == closing:
                inside = self.tokens[begin : self.at - 1]
                if any(token.text in RELATIONS for token in inside):
                    return self.indicator(inside)
            self.at = at
        return Function("ones")

    def indicator(self, tokens: Sequence[Token]) -> Node:
        """Parse a condition as its indicator: 1 where it holds and 0 elsewhere."""
        if tokens[0].text == r"\{" and tokens[-1].text == r"\}":
            tokens = tokens[1:-1]
        parser = self.inner(tokens)
        return Cases(((Number("1"), parser.only_conditions()), (Number("0"), ())))

    def only_conditions(self) -> tuple[Node, ...]:
        """Parse the conditions of which all the rest consists, separated by commas."""
        conditions = self.listed_conditions(False)
        while self.next == ",":
            self.take()
            conditions += self.listed_conditions(False)
        if self.next:
            raise self.unexpected()
        return conditions

    def root(self) -> Node:
        r"""Parse ``\sqrt{x}`` and ``\sqrt[3]{x}``."""
        self.take()
        if self.next != "[":
            return Apply(Function("sqrt"), (self.whole(self.group()),))
        self.take()
        order = self.sum()
        self.take("]")
        return Apply(Function("root"), (self.whole(self.group()), order))

    def brace(self) -> Node:
        """Parse the content of a brace; its label becomes a statement of its own."""
        start = self.start()
        mark = BRACES[self.take()]
        body = self.whole(self.group())
        if self.next == mark:
            self.take()
            tokens = self.group()
            texts = [token.text for token in tokens]
            if r"\times" in texts:
                if texts[0] == "(" and texts[-1] == ")":
                    tokens = tokens[1:-1]
                self.braced.append(Membership(body, "R", self.dims(tokens)))
            elif any(token.kind != "text" for token in tokens):
                if any(token.kind == "text" for token in tokens):
                    raise self.error("a brace can say a shape, a value or words, not a mixture")
                relation = RELATIONS[tokens.pop(0).text] if texts[0] in RELATIONS else "="
                if relation in "∈∉":
                    raise self.error("a brace can hold a shape, a value or words only")
                claim = Statement((body, self.whole(tokens)), (relation,))
                self.braced.append(self.with_span(start, claim))
            elif any(COUNTS.search(text) for text in texts):
                raise self.error("a number in the words of a brace cannot be judged")
        # The content of a brace is one factor.
        return body

    def blackboard(self) -> Node:
        r"""Parse ``\mathbb{E}``, ``\mathbb{V}`` and ``\mathbb{1}``."""
        self.take()
        name = "".join(t.text for t in self.group())
        if name == "E":
            return Function("E")
        if name == "V":
            return Symbol("Var")
        if name == "1":
            return self.one()
        raise self.error(rf"\mathbb{{{name}}} cannot be read here")

    def parenthesis(self) -> Node:
        """Parse brackets of any kind with their content."""
        opening = self.next
        if opening == "[":
            depth = 0
            for ahead, token in enumerate(self.tokens[self.at :]):
                depth += (token.text in OPEN) - (token.text in OPEN.values())
                if depth == 0:
                    inside = self.tokens[self.at + 1 : self.at + ahead]
                    if any(t.text in RELATIONS for t in inside):
                        self.at += ahead + 1
                        return self.indicator(inside)
                    break
        start = self.start()
        parts = self.arguments()
        if opening == r"\langle":
            if len(parts) != 2:
                raise self.error(r"\langle q, k \rangle takes two vectors")
            return Apply(Function("inner"), parts)
        if opening in (r"\lfloor", r"\lceil"):
            if len(parts) != 1:
                raise self.error("it takes one number")
            return Apply(Function(opening[2:]), parts)
        if len(parts) != 1 or isinstance(parts[0], Reduce) and parts[0].kind == "list":  # noqa: RUF021
            if opening == r"\{":
                raise self.error("a set cannot be judged here")
            return Matrix((parts,), is_tuple=True)
        # A postfix applies to the whole bracket: (f (x))^2 is not f (x)^2, and (2)(3) is not 23.
        if opening == "{" and not isinstance(parts[0], Apply):
            return parts[0]
        if isinstance(parts[0], (Apply, Number, Symbol)):
            return self.with_span(start, Sum(((1, parts[0]),)))
        return parts[0]

    def environment(self) -> Node:
        """Parse a matrix or cases.

        A ``vmatrix`` is a determinant; a matrix of one column is a vector. `several` expands dots.
        """
        self.take(r"\begin")
        name = "".join(t.text for t in self.group())
        if name not in _MATRICES:
            raise self.error(f"the environment {name or '?'} is not known")
        begin, depth = self.at, 1
        while depth:
            depth += {r"\begin": 1, r"\end": -1}.get(self.take(), 0)
        inside = self.tokens[begin : self.at - 1]
        if "".join(t.text for t in self.group()) != name:
            raise self.error(f"\\begin{{{name}}} is closed by another \\end")
        rows = cut(inside, r"\\")
        if rows and not rows[-1]:
            rows.pop()
        if not rows or not all(rows):
            raise self.error(f"an empty row in {name}")
        if name in ("cases", "dcases"):
            return Cases(tuple(self.branch(row, row is rows[-1]) for row in rows))
        read = [[self.whole(cell) for cell in cut(row, "&")] for row in rows]
        if len(read) > 1 and all(len(row) == 1 for row in read):
            parts = self.several([row[0] for row in read])
            return Matrix(tuple((part,) for part in parts), column=True)
        matrix = Matrix(tuple(self.several(row) for row in read))
        return Apply(Function("det"), (matrix,)) if name == "vmatrix" else matrix

    def branch(self, row: list[Token], last: bool) -> tuple[Node, tuple[Node, ...]]:
        """Parse a row of cases: its value and its conditions."""
        at = next(
            (n for n, t in enumerate(row) if t.text == "&" or (t.kind == "text" and (
                WORDS.match(t.text)))), len(row)
        )  # fmt: skip
        value = [*row[:at]]
        while value and value[-1].text in (",", r"\quad", r"\qquad"):
            value.pop()
        rest = [t for t in row[at:] if t.text not in ("&", r"\quad", r"\qquad")]
        while rest and rest[-1].text in (",", ".", ";"):
            rest.pop()
        node = self.whole(value)
        if not rest:
            if not last:
                raise self.error("a case without a condition that is not the last")
            return node, ()
        if len(rest) == 1 and rest[0].kind == "text" and OTHERWISE.match(rest[0].text):
            if not last:
                raise self.error("'otherwise' is not the last case")
            return node, ()
        parser = self.inner(rest)
        if parser.kind == "text":
            known = CONDITION.match(parser.next) or parser.next.strip() == "where"
            if not known or "unless" in parser.next:
                raise parser.error(f"the words {parser.next.strip()!r} cannot be judged")
            parser.take()
        return node, parser.only_conditions()

    def dims(self, tokens: list[Token]) -> tuple[Node, ...]:
        r"""Parse the lengths in ``n \times m``."""
        parts = cut(tokens, r"\times")
        return tuple(self.whole(part) for part in parts)


def quotient(above: Node, below: Node, *, in_line: bool = True) -> Node:
    r"""Return a quotient; that of two differentials may also be the name of a variable.

    In a line, what follows ``\partial L / \partial x`` is a factor.
    """
    whole = Product("/", above, below)
    match above, below:
        case Differential(f), Differential(x):
            return Derivative(f, x)
        case Differential(), Product(op, left, right) if in_line:
            return Product(op, quotient(above, left), right)
        case Product(op, left, right), Differential():
            return Product(op, left, quotient(right, below, in_line=in_line))
    of, by = _differentiated(above), _differentiated(below)
    return Derivative(of, by, whole) if of and by else whole


def _differentiated(node: Node) -> Node | None:
    """Return the x of ``dx``, which may be one name of the note."""
    match node:
        case Product("", Symbol("d"), (Symbol() | Subscript()) as x):
            return x
        case Symbol(name) if len(name) == 2 and name[0] == "d":
            return Symbol(name[1])
    return None
