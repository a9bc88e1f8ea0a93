"""Parses expressions: sums, products, functions and reductions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from vaultkit.tex.atoms import Atoms, quotient
from vaultkit.tex.cursor import LONGEST_CHAIN, cut, name_of
from vaultkit.tex.tokens import (
    BARS,
    DOTS,
    DOUBLE_BARS,
    FUNCTIONS,
    IMPLIES,
    OPEN,
    OPERATORS,
    PREFIXES,
    REDUCTIONS,
    RELATIONS,
    SEPARATORS,
    SPOKEN,
    UNJUDGED,
    Token,
)
from vaultkit.tex.tree import (
    Apply,
    Derivative,
    Differential,
    Dots,
    Function,
    Node,
    Number,
    Power,
    Product,
    Reduce,
    Subscript,
    Sum,
    Symbol,
    walk,
)
from vaultkit.tex.words import WORDS


class Expressions(Atoms):
    """Parses sums of terms, and terms of factors."""

    def sum(self) -> Node:
        r"""Parse terms with signs between them.

        A single term without a minus sign is returned as it is, not as a sum. Terms with dots,
        ``x_1 + \dots + x_n``, become one term, a `Reduce` over an index.
        """
        start = self.start()
        terms: list[tuple[int, Node]] = []
        self.depth = self.next_depth()
        while True:
            sign = 1
            while self.next in ("+", "-"):
                sign *= 1 if self.take() == "+" else -1
            terms.append((sign, self.term()))
            self.go_on(("+", "-"))
            if self.next not in ("+", "-"):
                break
        self.depth -= 1
        if len(terms) > 1:
            terms = self.without_dots(terms)
        (sign, first), *others = terms
        if sign > 0 and not others:
            return first
        return self.with_span(start, Sum(tuple(terms)))

    def go_on(self, signs: Collection[str]) -> None:
        """Skip a line break, if the next row continues the sum with a sign and has no relation."""
        ahead = 0
        while self.peek(ahead) in (r"\\", r"\quad", r"\qquad"):
            ahead += 1
        if (self.peek(ahead), self.peek(ahead + 1)) == (
            "{",
            "}",
        ):  # {} only changes the space around the sign
            ahead += 2
        if self.next != r"\\" or self.peek(ahead) not in signs:
            return
        for token in self.tokens[self.at + ahead :]:
            if token.text in RELATIONS:
                return
            if token.text == r"\\":
                break
        self.at += ahead

    def term(self) -> Node:
        """Parse products with operators between them."""
        start = self.start()
        node = self.product()
        self.go_on(OPERATORS)
        links = 0
        while self.next in OPERATORS:
            op = OPERATORS[self.take()]
            sign = 1
            while self.next == "-":
                self.take()
                sign = -sign
            right = self.product()
            right = right if sign > 0 else self.with_span(start, Sum(((-1, right),)))
            if isinstance(node, Dots) or isinstance(right, Dots):
                raise self.error("dots between factors are not read; write \\prod")
            node = quotient(node, right) if op == "/" else Product(op, node, right)
            node = self.with_span(start, node)
            self.go_on(OPERATORS)
            links += 1
            if links > LONGEST_CHAIN:
                raise self.error(f"a chain of more than {LONGEST_CHAIN} factors")
        return node

    def product(self) -> Node:
        """Parse adjacent factors."""
        start = self.start()
        node = self.factor()
        links = 0
        while self.begins_factor():
            last = self.tokens[self.at - 1]
            braced = self.next == "{" and self.tokens[self.at + 1 : self.at + 2]
            digits = self.kind == "number" or (braced and braced[0].kind == "number")
            # `N_0 2` is a product, but `x_12` is ambiguous: `x_{12}` may be meant.
            script = self.at > 1 and self.tokens[self.at - 2].text in ("_", "^")
            apart = script and self.start() > last.end
            if last.kind == "number" and digits and not apart:
                raise self.error("two numbers side by side")
            behind = self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else last
            written = last.kind == "number" and self.next == "e" and self.start() == last.end
            if written and (behind.kind == "number" or behind.text in ("-", "+")):
                raise self.error("write powers of ten as 10^{-3}")
            if isinstance(node, Dots) or self.next in DOTS:
                raise self.error("dots between factors are not read; write \\prod")
            node = self.with_span(start, Product("", node, self.factor()))
            links += 1
            if links > LONGEST_CHAIN:
                raise self.error(f"a chain of more than {LONGEST_CHAIN} factors")
        return node

    def begins_factor(self) -> bool:
        """Return whether a factor begins here, so that it multiplies the one before."""
        text, kind = self.next, self.kind
        if not text or text in RELATIONS or text in SEPARATORS or text in OPERATORS:
            return False
        if text in UNJUDGED or text in IMPLIES or text in SPOKEN - {r"\partial", r"\nabla"}:
            return False
        if kind == "text":
            return not WORDS.match(text)
        if text in BARS:
            return text != "|" or self.bars_open()
        if text in DOUBLE_BARS:
            return text == r"\lVert" or self.bars_open()
        if self.condition_in_brackets():
            return False
        closing = {*OPEN.values(), *BARS.values(), *DOUBLE_BARS.values()}
        return text not in {*closing, "+", "-", "^", "_", "'", ".", ":", "!", "&", r"\end",
                            r"\pmod", r"\prime", r"\%", "?"}  # fmt: skip

    def bars_open(self) -> bool:
        """Return whether a bar opens here, given the number of bars before it."""
        text = self.next
        return sum(token.text == text for token in self.tokens[: self.at]) % 2 == 0

    def factor(self) -> Node:
        """Parse a factor: an operator with its operand, a function, or an atom."""
        start = self.start()
        return self.with_span(start, self._factor())

    def _factor(self) -> Node:
        """Parse one factor of a product.

        An atom with its indices and exponents, or a function with its argument.
        """
        if self.next == r"\underset":
            self.take()
            below, sign = self.group(), self.group()
            marks = [Token("char", "_"), Token("char", "{"), *below, Token("char", "}")]
            self.tokens[self.at : self.at] = [*sign, *marks]
        if self.next == r"\arg" and self.peek(1) in (r"\max", r"\min"):
            self.take()
            token = self.tokens[self.at]
            self.tokens[self.at] = replace(token, text=r"\arg" + token.text.removeprefix("\\"))
        if self.next == r"\partial":
            self.take()
            return Differential(self.postfix(self.atom()))
        if self.next == r"\nabla":
            self.take()
            if self.next != "_":
                raise self.error(r"write \nabla with its variable, as in \nabla_W L")
            self.take()
            by = self.whole(self.group())
            return Derivative(self.postfix(self.atom()), by)
        if self.next in (r"\sum", r"\prod") or (
            self.next in REDUCTIONS and self.peek(1) in ("_", "^")
        ):
            return self.reduction()
        if self.next in (r"\max", r"\min"):
            name = self.take().removeprefix("\\")
            if self.next in OPEN and self.next != "{":
                return self.postfix(Apply(Function(name), self.arguments()))
            return Apply(Function(name), (self.factor(),))
        if self.next in FUNCTIONS:
            return self.function()
        if self.kind == "text" and self.next.strip() in PREFIXES and self.peek(1) not in ("(", "["):
            name = self.take().strip()
            if self.begins_factor():
                return Apply(Symbol(name), (self.factor(),))
            self.at -= 1  # without an argument it is the name of a variable
        return self.postfix(self.atom())

    def reduction(self) -> Node:
        r"""Parse ``\sum_{j=1}^{n}``, ``\max_j`` and the like, with their term."""
        kind = REDUCTIONS[self.take()]
        indices: tuple[str, ...] = ()
        conditions: tuple[Node, ...] = ()
        low, high = None, None
        while self.next in ("_", "^"):
            if self.take() == "^":
                if high is not None:
                    raise self.error(f"\\{kind} has two ends")
                high = self.whole(self.group())
                continue
            if indices or conditions:
                raise self.error(f"\\{kind} has two indices")
            parser = self.inner(self.group())
            indices, low, conditions = parser.below(kind)
        if high is not None and (len(indices) != 1 or conditions):
            raise self.error(f"cannot read the index of \\{kind}")
        body = self.term()
        if isinstance(body, Dots):
            raise self.error("dots have no meaning here")
        if not indices and not conditions:
            used = {i for s in walk(body) if isinstance(s, Subscript) for i in s.indices}
            if len(used) != 1:
                raise self.error(f"\\{kind} has no index to run over")
            indices = (name_of(used.pop()),)
        if high is not None and low is None:
            low = Number("1")
        return Reduce(kind, indices, low, high, body, conditions)

    def below(self, kind: str) -> tuple[tuple[str, ...], Node | None, tuple[Node, ...]]:
        r"""Parse the subscript of ``\sum``: ``j``, ``j = 1``, ``i, j``, ``i < j``."""
        if not any(token.text in RELATIONS for token in self.tokens):
            names = tuple(name_of(self.whole(part)) for part in cut(self.tokens, ","))
            if len(names) == 1 and len(self.tokens) > 1:
                letters = [t.text for t in self.tokens if t.kind == "char" and t.text.isalpha()]
                if len(letters) == len(self.tokens):
                    names = tuple(letters)  # \sum_{ij}
            if not names or not all(names) or len(set(names)) != len(names):
                raise self.error(f"cannot read the index of \\{kind}")
            return names, None, ()
        at = self.at
        name = self.postfix(self.atom())
        if self.next == "=":
            self.take()
            low = self.sum()
            if self.next or not name_of(name):
                raise self.error(f"cannot read the index of \\{kind}")
            return (name_of(name),), low, ()
        self.at = at
        conditions = self.listed_conditions(False)
        while self.next == ",":
            self.take()
            conditions += self.listed_conditions(False)
        if self.next:
            raise self.unexpected()
        return (), None, conditions

    def function(self) -> Node:
        r"""Parse ``\exp``, ``\log_2`` and the like, with an argument."""
        name = self.take().removeprefix("\\").replace("ln", "log")
        power = base = None
        while self.next in ("^", "_"):
            if self.take() == "^":
                power = self.whole(self.group())
            elif name == "log":
                base = self.whole(self.group())
            else:
                raise self.error(f"\\{name} has no index")
        if power == Sum(((-1, Number("1")),)):
            raise self.error(f"write \\arc{name}, or 1 / \\{name}")
        if self.next in ("(", "["):
            arguments = self.arguments()
            bracketed = True
        else:
            bracketed = False
            argument = self.factor()
            while (
                self.begins_factor()
                and self.next not in FUNCTIONS
                and (self.next not in OPEN or self.next == "{")
                and self.next not in REDUCTIONS
            ):
                argument = Product("", argument, self.factor())
            arguments = (argument,)
        if len(arguments) != 1:
            raise self.error(f"\\{name} takes one argument")
        node: Node = Apply(Function(name), arguments)
        if base is not None:
            node = Product("/", node, Apply(Function("log"), (base,)))
        node = Power(node, power) if power else node
        return self.postfix(node) if bracketed else node
