r"""Parses expressions: sums, products, functions and reductions.

A term is a part of a sum; it consists of products, with operators (`OPERATORS`) between them. A
product consists of factors side by side. A reduction is a sign such as ``\sum`` with its term.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

from vaultkit.tex.atoms import MINUS_ONE, Atoms, quotient
from vaultkit.tex.cursor import LONGEST_CHAIN, name_of, split_at
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

#: Signs with which no factor begins, besides relations, operators and closing brackets.
_NO_FACTORS = {
    "+", "-", "^", "_", "'", ".", ":", "!", "&", r"\end", r"\pmod", r"\prime", r"\%", "?",
}  # fmt: skip


class _Limits(NamedTuple):
    r"""What the subscript of ``\sum`` says: its indices, where they begin, and conditions."""

    indices: tuple[str, ...] = ()
    low: Node | None = None
    conditions: tuple[Node, ...] = ()


class Expressions(Atoms):
    """Parses sums of terms, and terms of factors."""

    def parse_sum(self) -> Node:
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
            terms.append((sign, self.parse_term()))
            self.skip_line_break(("+", "-"))
            if self.next not in ("+", "-"):
                break
        self.depth -= 1
        if len(terms) > 1:
            terms = self.replace_dots_in_sum(terms)
        (sign, first), *others = terms
        if sign > 0 and not others:
            return first
        return self.with_span(start, Sum(tuple(terms)))

    def skip_line_break(self, signs: Collection[str]) -> None:
        r"""Skip a line break if the next row begins with one of the signs and has no relation.

        So ``y = a \\ + b`` is one sum, but ``y = a \\ -b = c`` two statements.
        """
        ahead = 0
        while self.peek(ahead) in (r"\\", r"\quad", r"\qquad"):
            ahead += 1
        if self.peek(ahead) == "{" and self.peek(ahead + 1) == "}":
            ahead += 2  # {} only changes the space around the sign
        if self.next != r"\\" or self.peek(ahead) not in signs:
            return
        for token in self.tokens[self.at + ahead :]:
            if token.text in RELATIONS:
                return
            if token.text == r"\\":
                break
        self.at += ahead

    def parse_term(self) -> Node:
        r"""Parse products with operators between them: ``a b / c \cdot d``."""
        start = self.start()
        node = self.parse_product()
        self.skip_line_break(OPERATORS)
        for _ in range(LONGEST_CHAIN + 1):
            if self.next not in OPERATORS:
                return node
            op = OPERATORS[self.take()]
            is_negative = False
            while self.next == "-":  # a \cdot -b
                self.take()
                is_negative = not is_negative
            right = self.parse_product()
            if is_negative:
                right = self.with_span(start, Sum(((-1, right),)))
            if isinstance(node, Dots) or isinstance(right, Dots):
                raise self.error("dots between factors are not read; write \\prod")
            node = quotient(node, right) if op == "/" else Product(op, node, right)
            node = self.with_span(start, node)
            self.skip_line_break(OPERATORS)
        raise self.error(f"a chain of more than {LONGEST_CHAIN} factors")

    def parse_product(self) -> Node:
        """Parse factors side by side: ``2 a b``."""
        start = self.start()
        node = self.parse_factor()
        for _ in range(LONGEST_CHAIN + 1):
            if not self.is_at_factor():
                return node
            if self.tokens[self.at - 1].kind == "number":
                self.check_factor_after_number()
            if isinstance(node, Dots) or self.next in DOTS:
                raise self.error("dots between factors are not read; write \\prod")
            node = self.with_span(start, Product("", node, self.parse_factor()))
        raise self.error(f"a chain of more than {LONGEST_CHAIN} factors")

    def check_factor_after_number(self) -> None:
        """Raise an error if a number, or the ``e`` of a power of ten, follows a number.

        The number is the last token consumed. ``2 3`` and ``1e-3`` are typing errors, no products.
        """
        number = self.tokens[self.at - 1]
        following = self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else None
        is_number = self.kind == "number" or (
            self.next == "{" and following is not None and following.kind == "number"
        )
        # `N_0 2` is a product, but `x_12` is ambiguous: `x_{12}` may be meant.
        is_index = self.at > 1 and self.tokens[self.at - 2].text in ("_", "^")
        is_apart = is_index and self.start() > number.end
        if is_number and not is_apart:
            raise self.error("two numbers side by side")
        if self.next == "e" and self.start() == number.end:
            has_exponent = following is None or following.kind == "number"
            if has_exponent or self.peek(1) in ("-", "+"):
                raise self.error("write powers of ten as 10^{-3}")

    def is_at_factor(self) -> bool:
        """Return whether a factor begins here, so that it multiplies the one before it."""
        text, kind = self.next, self.kind
        if not text or text in RELATIONS or text in SEPARATORS or text in OPERATORS:
            return False
        if text in UNJUDGED or text in IMPLIES or text in SPOKEN - {r"\partial", r"\nabla"}:
            return False
        if kind == "text":
            return not WORDS.match(text)  # a name, and no *if*
        if text in BARS:  # \lvert always opens, | may close
            return text != "|" or self.is_at_opening_bar()
        if text in DOUBLE_BARS:
            return text == r"\lVert" or self.is_at_opening_bar()
        if self.is_at_condition_in_brackets():
            return False
        closing = {*OPEN.values(), *BARS.values(), *DOUBLE_BARS.values()}
        return text not in closing | _NO_FACTORS

    def is_at_opening_bar(self) -> bool:
        """Return whether a bar opens here: whether as many before it have opened as have closed."""
        text = self.next
        return sum(token.text == text for token in self.tokens[: self.at]) % 2 == 0

    def parse_factor(self) -> Node:
        """Parse a factor: an operator with its operand, a function, or an atom."""
        start = self.start()
        return self.with_span(start, self.parse_bare_factor())

    def parse_bare_factor(self) -> Node:
        """Parse a factor without its span, which `parse_factor` adds."""
        start = self.start()
        if self.next == r"\underset":
            self.replace_underset()
        if self.next == r"\arg" and self.peek(1) in (r"\max", r"\min"):
            # \arg\max is read as \argmax.
            self.take()
            token = self.tokens[self.at]
            self.tokens[self.at] = replace(token, text=r"\arg" + token.text.removeprefix("\\"))
        if self.next == r"\partial":
            # Only a quotient of two differentials can be judged; `quotient` makes it a derivative.
            self.take()
            return Differential(self.parse_marked_atom())
        if self.next == r"\nabla":
            return self.parse_gradient()
        has_limits = self.peek(1) in ("_", "^")
        if self.next in (r"\sum", r"\prod") or (self.next in REDUCTIONS and has_limits):
            return self.parse_reduction()
        if self.next in (r"\max", r"\min"):
            return self.parse_extreme()
        if self.next in FUNCTIONS:
            return self.parse_function()
        if self.kind == "text" and self.next.strip() in PREFIXES and self.peek(1) not in ("(", "["):
            name = self.take().strip()
            if self.is_at_factor():
                return Apply(Symbol(name), (self.parse_factor(),))
            self.at -= 1  # without an argument it is the name of a variable
        return self.parse_postfix(start, self.parse_atom())

    def parse_gradient(self) -> Node:
        r"""Parse ``\nabla_W L``, the derivative of L by W."""
        self.take()
        if self.next != "_":
            raise self.error(r"write \nabla with its variable, as in \nabla_W L")
        self.take()
        variable = self.parse_whole(self.take_group())
        return Derivative(self.parse_marked_atom(), variable)

    def parse_extreme(self) -> Node:
        r"""Parse ``\max`` or ``\min`` of arguments, ``\max(a, b)``, or of a factor, ``\max x``."""
        start = self.start()
        name = self.take().removeprefix("\\")
        if self.next in OPEN and self.next != "{":
            return self.parse_postfix(start, Apply(Function(name), self.parse_arguments()))
        return Apply(Function(name), (self.parse_factor(),))

    def replace_underset(self) -> None:
        r"""Replace ``\underset{i}{\max}`` with ``\max_{i}``, at which it leaves the cursor."""
        self.take()
        subscript, sign = self.take_group(), self.take_group()
        end = self.tokens[self.at - 1].end
        underscore, opening, closing = (Token("char", text, end, end) for text in "_{}")
        self.tokens[self.at : self.at] = [*sign, underscore, opening, *subscript, closing]

    def parse_reduction(self) -> Node:
        r"""Parse ``\sum_{j=1}^{n}``, ``\max_j`` and the like, with their term.

        ``\sum^{n}_j`` begins at 1; ``\sum x_i`` runs over the only index in its term.
        """
        kind = REDUCTIONS[self.take()]
        limits = _Limits()
        high = None
        while self.next in ("_", "^"):
            if self.take() == "^":
                if high is not None:
                    raise self.error(f"\\{kind} has two ends")
                high = self.parse_whole(self.take_group())
            else:
                if limits.indices or limits.conditions:
                    raise self.error(f"\\{kind} has two indices")
                limits = self.parser_of(self.take_group()).parse_limits(kind)
        indices, low, conditions = limits
        if high is not None:
            if len(indices) != 1 or conditions:
                raise self.error(f"cannot read the index of \\{kind}")
            low = low or Number("1")
        body = self.parse_term()
        if isinstance(body, Dots):
            raise self.error("dots have no meaning here")
        if not indices and not conditions:
            subscripts = [node for node in walk(body) if isinstance(node, Subscript)]
            used = {index for subscript in subscripts for index in subscript.indices}
            if len(used) != 1:
                raise self.error(f"\\{kind} has no index to run over")
            indices = (name_of(used.pop()),)
        return Reduce(kind, indices, low, high, body, conditions)

    def parse_limits(self, kind: str) -> _Limits:
        r"""Parse all of the subscript of ``\sum``: ``j``, ``j = 1``, ``i, j``, ``ij`` or ``i < j``.

        ``kind`` is the kind of the reduction, for messages.
        """
        if not any(token.text in RELATIONS for token in self.tokens):
            are_letters = all(t.kind == "char" and t.text.isalpha() for t in self.tokens)
            if are_letters and len(self.tokens) > 1:  # \sum_{ij}
                names = tuple(token.text for token in self.tokens)
            else:
                parts = split_at(self.tokens, ",")
                names = tuple(name_of(self.parse_whole(part)) for part in parts)
            if not names or not all(names) or len(set(names)) != len(names):
                raise self.error(f"cannot read the index of \\{kind}")
            return _Limits(names)
        begin = self.at
        index = self.parse_marked_atom()
        if self.next == "=":
            self.take()
            low = self.parse_sum()
            if self.next or not name_of(index):
                raise self.error(f"cannot read the index of \\{kind}")
            return _Limits((name_of(index),), low)
        self.at = begin
        return _Limits(conditions=self.parse_only_conditions())

    def parse_function(self) -> Node:
        r"""Parse ``\exp``, ``\log_2`` and the like, with an argument; the mark may be a power.

        ``\sin^2 x`` is the square of ``\sin x``; ``\log_2 x`` is ``\log x`` divided by ``\log 2``.
        """
        start = self.start()
        name = self.take().removeprefix("\\").replace("ln", "log")
        power = base = None
        while self.next in ("^", "_"):
            if self.take() == "^":
                power = self.parse_whole(self.take_group())
            elif name == "log":
                base = self.parse_whole(self.take_group())
            else:
                raise self.error(f"\\{name} has no index")
        if power == MINUS_ONE:  # which means either
            raise self.error(f"write \\arc{name}, or 1 / \\{name}")
        is_bracketed = self.next in ("(", "[")
        arguments = self.parse_arguments() if is_bracketed else (self.parse_bare_argument(),)
        if len(arguments) != 1:
            raise self.error(f"\\{name} takes one argument")
        node: Node = Apply(Function(name), arguments)
        if base is not None:
            node = Product("/", node, Apply(Function("log"), (base,)))
        node = Power(node, power) if power else node
        return self.parse_postfix(start, node) if is_bracketed else node

    def parse_bare_argument(self) -> Node:
        r"""Parse an argument without brackets: the factors up to a function or bracket.

        ``\exp 2 x \sin y`` is ``\exp(2 x) \sin y``, and ``\exp x (a + b)`` is ``\exp(x) (a + b)``.
        """
        argument = self.parse_factor()
        while self.is_at_factor() and self.next not in FUNCTIONS | REDUCTIONS.keys():
            if self.next in OPEN and self.next != "{":
                break
            argument = Product("", argument, self.parse_factor())
        return argument
