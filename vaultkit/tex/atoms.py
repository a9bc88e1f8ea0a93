"""Parses the atoms of a formula: names, brackets, matrices, with indices and exponents.

An atom is what an index or exponent applies to. A postfix is such a mark behind it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from vaultkit.tex.cursor import LONGEST_CHAIN, name_of, split_at
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

#: Letters of sets of numbers, and their names in `Membership.kind`.
SETS = {"R": "R", "N": "N", "Z": "Z", "ℝ": "R", "ℕ": "N", "ℤ": "Z"}
_CASES = ("cases", "dcases")
_MATRICES = ("matrix", "pmatrix", "bmatrix", "Bmatrix", "smallmatrix", "vmatrix", *_CASES)
#: Exponents that are marks, and what each adds to the name of a variable: ``x^*`` is ``x_star``.
_MARKS = {"*": "_star", r"\ast": "_star", r"\star": "_star", r"\prime": "_prime", "'": "_prime"}
MINUS_ONE = Sum(((-1, Number("1")),))


class Atoms(Ranges):
    """Parses an atom and its postfixes: indices, exponents, primes, arguments."""

    def parse_marked_atom(self) -> Node:
        """Parse an atom with the indices, exponents, marks and arguments after it."""
        start = self.start()
        return self.parse_postfix(start, self.parse_atom())

    def parse_postfix(self, start: int, node: Node) -> Node:
        """Parse the indices, exponents, marks and arguments after a node that begins at a place."""
        for _ in range(LONGEST_CHAIN + 1):
            if self.next == "_":
                self.take()
                node = self.with_subscript(node, self.take_group())
            elif self.next == "^":
                self.take()
                node = self.with_superscript(node, self.take_group())
            elif self.next in ("'", r"\prime"):
                self.take()
                node = Symbol(self.require_name(node) + "_prime")
            elif self.next == "!":
                if self.peek(1) == "!":
                    raise self.error("a double factorial cannot be read here")
                self.take()
                node = Apply(Function("factorial"), (node,))
            elif self.next == r"\%":
                self.take()
                node = Apply(Function("percent"), (node,))
            elif self.may_take_arguments(node):
                # The variables of the note decide whether it is a function or a factor.
                node = Apply(node, self.parse_arguments())
            else:
                return node
            node = self.with_span(start, node)
        raise self.error(f"more than {LONGEST_CHAIN} marks on one thing")

    def may_take_arguments(self, node: Node) -> bool:
        """Return whether the next brackets may contain the arguments of a node.

        Round brackets may follow any name; square ones only a name of several letters, since they
        rather are a factor behind a letter: ``x [a + b]``.
        """
        if self.next == "(" and not self.is_at_condition_in_brackets():
            return isinstance(node, (Symbol, Subscript)) or node == Function("E")
        if self.next != "[":
            return False
        ends_in_word = self.tokens[self.at - 1].kind in ("text", "name")
        is_word = isinstance(node, Symbol) and len(node.name) > 1 and ends_in_word
        return is_word or node in (Function("E"), Symbol("Var"))

    def require_name(self, node: Node) -> str:
        """Return the name of a node, which must have one."""
        name = name_of(node)
        if not name:
            raise self.error("only a name can have this mark")
        return name

    def with_subscript(self, base: Node, tokens: list[Token]) -> Node:
        r"""Return a base with the index of these tokens: ``x_{ij}``, ``\mathbf{1}_{x > 0}``."""
        if not tokens:
            raise self.error("an empty index")
        if isinstance(base, Norm):
            if base.kind:
                raise self.error("this norm has an index already")
            return Norm("".join(t.text.removeprefix("\\") for t in tokens), base.body)
        if base == Function("ones"):
            if any(t.text in RELATIONS for t in tokens):
                return self.make_indicator(tokens)
            return Apply(base, (self.parse_whole(tokens),))
        if isinstance(base, (Function, Number)):
            raise self.error("an index is not supported here")
        name = self.name_with_index(base, tokens)
        is_extreme = [t.text for t in tokens] in ([r"\max"], [r"\min"])
        if is_extreme or any(r"\_" in t.text for t in tokens if t.kind != "text"):
            return Symbol(name)  # x_{\max} and x_{a\_b} are one name
        is_in_brackets = tokens[0].text == "(" and tokens[-1].text == ")"
        parser = self.parser_of(tokens[1:-1] if is_in_brackets else tokens)
        indices = parser.parse_indices()
        if not indices:
            raise self.error("an empty index")
        return Subscript(base, indices, name)

    @staticmethod
    def name_with_index(base: Node, tokens: list[Token]) -> str:
        r"""Return the name of a base with its index, ``d_model``; empty if it can have none.

        >>> from vaultkit.tex.tokens import tokenize
        >>> indices = r"\text{model}", r"1\varepsilon", "i + 1"
        >>> [Atoms.name_with_index(Symbol("d"), tokenize(index)) for index in indices]
        ['d_model', 'd_1epsilon', '']
        """
        texts = [t.text.removeprefix("\\") for t in tokens]
        # \varepsilon is spelled epsilon in Python.
        parts = [t.removeprefix("var") if t.startswith("vare") else t for t in texts]
        chars = "".join(t.text for t in tokens if t.kind == "char")
        fits_in_name = all(char.isalnum() or char in ",_{}" for char in chars)
        if not name_of(base) or not fits_in_name:
            return ""
        return python_name(f"{name_of(base)}_{''.join(parts)}")

    def parse_indices(self) -> tuple[Node, ...]:
        """Parse the indices of which all the rest consists: ``ij``, ``i, j + 1``, ``:, 2``."""
        indices: list[Node] = []
        while self.next:
            if self.next in (",", ";") and indices:
                self.take()
            elif self.next in (":", r"\cdot") and self.peek(1) in ("", ","):
                self.take()
                indices.append(Slice())
            elif self.kind in ("char", "text", "name") and self.next.isalpha():
                indices.append(self.parse_index_of_letter())
            elif self.next in RELATIONS:
                raise self.unexpected()
            else:
                indices.append(self.parse_sum())
        return tuple(indices)

    def parse_index_of_letter(self) -> Node:
        """Parse one index that begins with a letter: ``i``, ``i + 1``, ``n/2``.

        Adjacent letters are indices of their own: ``ij`` is i, j; but ``2i`` is a product.
        """
        node = self.parse_marked_atom()
        if self.next == "/":
            self.take()
            node = Product("/", node, self.parse_term())
        terms = [(1, node)]
        while self.next in ("+", "-"):
            terms.append((1 if self.take() == "+" else -1, self.parse_term()))
        return Sum(tuple(terms)) if len(terms) > 1 else node

    def with_superscript(self, base: Node, tokens: list[Token]) -> Node:
        r"""Return a base with the exponent of these tokens.

        It is a power, ``x^2``; a transpose, ``K^\top`` or ``A^{-\top}``; an angle, ``30^\circ``; a
        name with a mark, ``x^*``; or an element, ``z^{(2)}``. Only the vector of ones is a
        `Function` that can be transposed.
        """
        texts = [t.text for t in tokens]
        if not texts:
            raise self.error("an empty exponent")
        if len(texts) == 1 and texts[0] in TOPS:
            return Transpose(base)
        if isinstance(base, Function):
            raise self.error("an exponent is not supported here")
        if len(texts) == 2 and texts[0] == "-" and texts[1] in TOPS:
            return Transpose(Power(base, MINUS_ONE))
        if texts == [r"\circ"]:
            return Apply(Function("degrees"), (base,))
        if len(texts) == 1 and texts[0] in PRIMES:
            if texts[0] not in _MARKS:
                raise self.error(f"the mark {texts[0]} is not known")
            return Symbol(self.require_name(base) + _MARKS[texts[0]])
        if texts[0] == "(" and texts[-1] == ")" and len(texts) > 2:
            return Bracketed(base, self.parse_whole(tokens[1:-1]))
        return Power(base, self.parse_whole(tokens))

    def parse_arguments(self) -> tuple[Node, ...]:
        """Parse a list in brackets, separated by commas, of one part or more.

        Dots in it become one part, a `Reduce` of the kind ``list``.
        """
        self.depth = self.next_depth()
        closing = OPEN[self.take()]
        arguments: list[Node] = []
        while self.next != closing:
            arguments.append(self.parse_sum())
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
        return self.replace_dots_in_row(arguments)

    def parse_atom(self) -> Node:
        """Parse an atom; its node gets its span."""
        start = self.start()
        return self.with_span(start, self.parse_bare_atom())

    def parse_bare_atom(self) -> Node:
        r"""Parse a number, a name, brackets, a fraction, a root, …, without its span.

        A font, ``\mathbf{x + 1}``, changes nothing; if it has only words, the lexer has made it a
        text. An accent is a part of a name: ``\hat{y}`` is ``y_hat``.
        """
        kind, text = self.kind, self.next
        if kind == "number":
            return Number(self.take())
        if kind == "text":
            return self.parse_word()
        if kind == "name":
            return Symbol(self.take())
        if text in OPEN:
            return self.parse_parenthesis()
        if text in BARS or text in DOUBLE_BARS:
            closing = (BARS | DOUBLE_BARS)[self.take()]
            self.depth = self.next_depth()
            body = self.parse_sum()
            self.depth -= 1
            self.take(closing)
            return Norm("abs" if text in BARS else "", body)
        if text in (r"\frac", r"\dfrac", r"\tfrac"):
            self.take()
            numerator = self.parse_whole(self.take_group())
            return quotient(numerator, self.parse_whole(self.take_group()), in_line=False)
        if text in (r"\binom", r"\dbinom", r"\tbinom"):
            self.take()
            n = self.parse_whole(self.take_group())
            return Apply(Function("binom"), (n, self.parse_whole(self.take_group())))
        if text == r"\sqrt":
            return self.parse_root()
        if text in ACCENTS:
            self.take()
            return Symbol(self.require_name(self.parse_whole(self.take_group())) + ACCENTS[text])
        if text in FONTS:
            self.take()
            return self.parse_whole(self.take_group())
        if text in BRACES:
            return self.parse_brace()
        if text == r"\mathbb":
            return self.parse_blackboard()
        if text == r"\begin":
            return self.parse_environment()
        if text in DOTS:
            self.take()
            return Dots()
        if text in (r"\imath", r"\jmath"):  # letters without their dot
            return Symbol(self.take()[1])
        if text in NAMES and text not in (r"\top", r"\bot"):
            return Symbol(python_name(self.take()[1:].removeprefix("var")))
        if kind == "char" and text.isalpha() and (text not in SETS or text.isascii()):
            return Symbol(self.take())  # R may be any name, ℝ only a set
        raise self.unexpected()

    def parse_word(self) -> Node:
        """Parse a text in a formula as one name, or as a number."""
        text = self.tokens[self.at].text
        if WORDS.match(text):
            raise self.error(f"the word {text.strip()!r} cannot be read here")
        self.take()
        if text.strip() == "1":
            return self.parse_one()
        if re.fullmatch(r"\s*[0-9]+(\.[0-9]+)?\s*", text):
            return Number(text.strip())
        name = python_name(text)
        if not name or not name.isidentifier():
            self.at -= 1
            raise self.error(f"cannot read {text!r} as a name")
        return Symbol(name)

    def parse_one(self) -> Node:
        r"""Parse what is behind ``\mathbf{1}``: a condition in brackets, or nothing.

        ``\mathbf{1}[x > 0]`` is 1 where x > 0, else 0; alone, it is the vector of ones.
        """
        brackets = {opening: OPEN[opening] for opening in ("[", r"\{", "(")}
        if self.next in brackets:
            index_of_bracket, opening = self.at, self.next
            inside = self.take_up_to_closing(of=brackets)
            closing = self.tokens[self.at - 1].text
            if closing == OPEN[opening] and any(token.text in RELATIONS for token in inside):
                return self.make_indicator(inside)
            self.at = index_of_bracket
        return Function("ones")

    def make_indicator(self, tokens: Sequence[Token]) -> Node:
        """Return the indicator of the condition of these tokens: 1 where it holds, else 0."""
        if tokens[0].text == r"\{" and tokens[-1].text == r"\}":
            tokens = tokens[1:-1]
        parser = self.parser_of(tokens)
        return Cases(((Number("1"), parser.parse_only_conditions()), (Number("0"), ())))

    def parse_only_conditions(self) -> tuple[Node, ...]:
        """Parse the conditions of which all the rest consists, separated by commas."""
        conditions = self.parse_listed_conditions(indices=False)
        while self.next == ",":
            self.take()
            conditions += self.parse_listed_conditions(indices=False)
        if self.next:
            raise self.unexpected()
        return conditions

    def parse_root(self) -> Node:
        r"""Parse ``\sqrt{x}`` and ``\sqrt[3]{x}``."""
        self.take()
        if self.next != "[":
            return Apply(Function("sqrt"), (self.parse_whole(self.take_group()),))
        self.take()
        order = self.parse_sum()
        self.take("]")
        return Apply(Function("root"), (self.parse_whole(self.take_group()), order))

    def parse_brace(self) -> Node:
        r"""Parse the content of a brace; its label may become a statement of its own.

        ``\underbrace{X}_{n \times m}`` states a shape, ``\underbrace{a + b}_{= 3}`` a value.
        """
        start = self.start()
        mark = BRACES[self.take()]
        body = self.parse_whole(self.take_group())
        if self.next == mark:
            self.take()
            self.parse_label(start, body, self.take_group())
        # The content of a brace is one factor.
        return body

    def parse_label(self, start: int, body: Node, tokens: list[Token]) -> None:
        """Add what the label of a brace states of its content to `braced`; words state nothing.

        ``start`` is where the brace begins, ``tokens`` are those of the label.
        """
        texts = [token.text for token in tokens]
        are_words = [token.kind == "text" for token in tokens]
        if r"\times" in texts:
            if texts[0] == "(" and texts[-1] == ")":
                tokens = tokens[1:-1]
            self.braced.append(Membership(body, "R", self.parse_dims(tokens)))
        elif all(are_words):
            if any(COUNTS.search(text) for text in texts):
                raise self.error("a number in the words of a brace cannot be judged")
        elif any(are_words):
            raise self.error("a brace can say a shape, a value or words, not a mixture")
        else:
            relation = RELATIONS[tokens.pop(0).text] if texts[0] in RELATIONS else "="
            if relation in "∈∉":
                raise self.error("a brace can hold a shape, a value or words only")
            claim = Statement((body, self.parse_whole(tokens)), (relation,))
            self.braced.append(self.with_span(start, claim))

    def parse_blackboard(self) -> Node:
        r"""Parse ``\mathbb{E}``, ``\mathbb{V}`` and ``\mathbb{1}``.

        They are the mean, which no variable can be; the variance, as in ``\operatorname{Var}``; and
        ``\mathbf{1}``.
        """
        self.take()
        name = self.take_name()
        if name == "E":
            return Function("E")
        if name == "V":
            return Symbol("Var")
        if name == "1":
            return self.parse_one()
        raise self.error(rf"\mathbb{{{name}}} cannot be read here")

    def parse_parenthesis(self) -> Node:
        r"""Parse brackets of any kind with their content.

        ``[x > 0]`` is an indicator, ``\langle q, k \rangle`` an inner product, ``(a, b)`` a tuple.
        """
        opening = self.next
        if opening == "[":
            index_of_bracket = self.at
            inside = self.take_up_to_closing(of=OPEN)
            if any(token.text in RELATIONS for token in inside):
                return self.make_indicator(inside)
            self.at = index_of_bracket
        start = self.start()
        parts = self.parse_arguments()
        if opening == r"\langle":
            if len(parts) != 2:
                raise self.error(r"\langle q, k \rangle takes two vectors")
            return Apply(Function("inner"), parts)
        if opening in (r"\lfloor", r"\lceil"):
            if len(parts) != 1:
                raise self.error("it takes one number")
            return Apply(Function(opening[2:]), parts)
        is_list_with_dots = isinstance(parts[0], Reduce) and parts[0].kind == "list"
        if len(parts) != 1 or is_list_with_dots:
            if opening == r"\{":
                raise self.error("a set cannot be judged here")
            return Matrix((parts,), is_tuple=True)
        # A sum of one term keeps what is in the brackets apart from what is behind them: if f is a
        # number, (f (x))^2 is not f (x)^2; (x)(y) is a product, and (2)(3) is not 23. Readers see
        # no braces, so that {x}(y) is x(y).
        kept_apart = Apply if opening == "{" else (Apply, Number, Symbol)
        if isinstance(parts[0], kept_apart):
            return self.with_span(start, Sum(((1, parts[0]),)))
        return parts[0]

    def parse_environment(self) -> Node:
        """Parse a matrix or cases.

        A ``vmatrix`` is a determinant; a matrix of one column is a vector.
        """
        self.take(r"\begin")
        name = self.take_name()
        if name not in _MATRICES:
            raise self.error(f"the environment {name or '?'} is not known")
        begin, depth = self.at, 1
        while depth:
            depth += {r"\begin": 1, r"\end": -1}.get(self.take(), 0)
        inside = self.tokens[begin : self.at - 1]
        if self.take_name() != name:
            raise self.error(f"\\begin{{{name}}} is closed by another \\end")
        rows = split_at(inside, r"\\")
        if not rows[-1]:  # a line break at the end
            rows.pop()
        if not rows or not all(rows):
            raise self.error(f"an empty row in {name}")
        if name in _CASES:
            return Cases(tuple(self.parse_branch(row, row is rows[-1]) for row in rows))
        cells = [[self.parse_whole(cell) for cell in split_at(row, "&")] for row in rows]
        if len(cells) > 1 and all(len(row) == 1 for row in cells):
            parts = self.replace_dots_in_row([row[0] for row in cells])
            return Matrix(tuple((part,) for part in parts), column=True)
        matrix = Matrix(tuple(self.replace_dots_in_row(row) for row in cells))
        return Apply(Function("det"), (matrix,)) if name == "vmatrix" else matrix

    def parse_branch(self, row: list[Token], is_last: bool) -> tuple[Node, tuple[Node, ...]]:
        r"""Return the value and the conditions of a row of cases; the last row may have none.

        ``0 & x < 0`` and ``0 \text{ if } x < 0`` are such rows.
        """
        value: list[Token] = []
        for token in row:
            if token.text == "&" or (token.kind == "text" and WORDS.match(token.text)):
                break
            value.append(token)
        condition = [t for t in row[len(value) :] if t.text not in ("&", r"\quad", r"\qquad")]
        while value and value[-1].text in (",", r"\quad", r"\qquad"):
            value.pop()
        while condition and condition[-1].text in (",", ".", ";"):
            condition.pop()
        node = self.parse_whole(value)
        if not condition:
            if not is_last:
                raise self.error("a case without a condition that is not the last")
            return node, ()
        parser = self.parser_of(condition)
        if parser.kind == "text":
            if len(condition) == 1 and OTHERWISE.match(parser.next):
                if not is_last:
                    raise self.error("'otherwise' is not the last case")
                return node, ()
            is_known = CONDITION.match(parser.next) or parser.next.strip() == "where"
            if not is_known or "unless" in parser.next:
                raise parser.error(f"the words {parser.next.strip()!r} cannot be judged")
            parser.take()
        return node, parser.parse_only_conditions()

    def parse_dims(self, tokens: list[Token]) -> tuple[Node, ...]:
        r"""Parse the lengths in ``n \times m``."""
        parts = split_at(tokens, r"\times")
        return tuple(self.parse_whole(part) for part in parts)


def quotient(numerator: Node, denominator: Node, *, in_line: bool = True) -> Node:
    r"""Return a quotient, or the derivative that it is: ``\partial L / \partial x``, ``dL / dx``.

    ``dL / dx`` may also be a quotient of variables. Factors before ``\partial L`` multiply the
    derivative; so do those behind ``\partial x`` if ``in_line``: if it is written with ``/``.
    """
    whole = Product("/", numerator, denominator)
    match numerator, denominator:
        case Differential(f), Differential(x):
            return Derivative(f, x)
        case Differential(), Product(op, left, right) if in_line:
            return Product(op, quotient(numerator, left), right)
        case Product(op, left, right), Differential():
            return Product(op, left, quotient(right, denominator, in_line=in_line))
    above, below = map(_variable_of_differential, (numerator, denominator))
    return Derivative(above, below, whole) if above and below else whole


def _variable_of_differential(node: Node) -> Node | None:
    """Return the x of ``dx``, which may be one name of the note; None for other nodes."""
    match node:
        case Product("", Symbol("d"), (Symbol() | Subscript()) as x):
            return x
        case Symbol(name) if len(name) == 2 and name[0] == "d":
            return Symbol(name[1])
    return None
