r"""Parses dots: ``i = 1, \dots, n``, ``x_1 + \dots + x_n``, ``(x_1, \dots, x_n)``."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from vaultkit.tex.cursor import Cursor
from vaultkit.tex.tokens import DOTS, RELATIONS, SEPARATORS
from vaultkit.tex.tree import Dots, Node, Number, Product, Range, Reduce, Subscript, Symbol

#: The name of the index in ``x_1 + \dots + x_n``; no note can bind such a name.
HIDDEN = "\N{MIDDLE DOT}"


class Ranges(Cursor):
    """Parses dots as a range, or as a reduction over an index without a name."""

    def range(self, start: int, lefts: list[Node], low: Node) -> Range | None:
        r"""Parse the rest of ``i = 1, \dots, n`` or ``i = 1, 2, \dots, n``."""
        at = self.at
        second = None
        if self.next == "," and self.peek(1) not in DOTS and self.dots_ahead():
            self.take()
            second = self.sum()
        if not (self.next == "," and self.peek(1) in DOTS):
            self.at = at
            return None
        self.take()
        self.take()
        if self.next == ",":
            self.take()
        high = self.sum()
        if self.relation() or len(lefts) != 1 or not isinstance(lefts[0], Symbol):
            raise self.error("the dots leave out what would have to be judged")
        if second and (second != Number("2") or low != Number("1")):
            raise self.error("between dots only steps of one are supported")
        return self.with_span(start, Range(lefts[0], low, high))

    def values(self, start: int, lefts: list[Node], low: Node) -> Range | None:
        """Parse the rest of ``i = 1, 2, 3``."""
        numbers = [low]
        while self.next == "," and self.tokens[self.at + 1 : self.at + 2]:
            token = self.tokens[self.at + 1]
            after = self.peek(2)
            if token.kind != "number" or not (after == "" or after in SEPARATORS or after == "."):
                break
            self.take()
            numbers.append(Number(self.take()))
        if len(numbers) == 1:
            return None
        counted = [int(n.text) for n in numbers if isinstance(n, Number) and n.text.isdigit()]
        if counted != list(range(counted[0] if counted else 0, len(numbers) + (counted or [0])[0])):
            raise self.error("a list of numbers that are not whole and in order")
        if len(lefts) != 1 or not isinstance(lefts[0], Symbol):
            raise self.error("a list of numbers where one is expected")
        return self.with_span(start, Range(lefts[0], numbers[0], numbers[-1]))

    def dots_ahead(self) -> bool:
        r"""Return whether dots follow the next part of a list: ``, 2, \dots``."""
        texts = [t.text for t in self.tokens[self.at + 1 : self.at + 8]]
        for text, following in itertools.pairwise(texts):
            if text == ",":
                return following in DOTS
            if text in SEPARATORS or text in RELATIONS:
                return False
        return False

    def without_dots(self, terms: list[tuple[int, Node]]) -> list[tuple[int, Node]]:
        r"""Return the terms of a sum with ``x_1 + \dots + x_n`` replaced by a sum over an index.

        Each term comes with its sign; the dots are a term of their own. The terms beside them are
        compared to find what changes from the first to the last.

        Raises
        ------
        TexError
            If the terms do not show what the dots omit.
        """
        at = next((n for n, (_, term) in enumerate(terms) if isinstance(term, Dots)), None)
        if at is None:
            return terms
        if not 0 < at < len(terms) - 1 or len({sign for sign, _ in terms[at - 1 : at + 2]}) > 1:
            raise self.error("dots whose omitted terms are unknown")
        (sign, first), last = terms[at - 1], terms[at + 1][1]
        body, low, high = self.general(first, last)
        for _, earlier in terms[max(at - 2, 0) : at - 1]:
            _, before, _ = self.general(earlier, last)
            match before, low:
                case Number(one), Number(two) if float(one) + 1 != float(two):
                    raise self.error("between dots only steps of one are supported")
        rest = self.without_dots(terms[at + 2 :]) if at + 2 < len(terms) else []
        return [*terms[: at - 1], (sign, Reduce("sum", (HIDDEN,), low, high, body)), *rest]

    def listed(self, parts: list[Node]) -> tuple[list[Node], tuple[Node, ...]]:
        r"""Return ``x_1, \dots, x_n`` as one general element, with the range of its index."""
        if not any(isinstance(part, Dots) for part in parts):
            return parts, ()
        at = next(n for n, part in enumerate(parts) if isinstance(part, Dots))
        if not 0 < at < len(parts) - 1:
            raise self.error("dots with nothing on one side")
        template, low, high = self.general(parts[at - 1], parts[at + 1])
        limits = Range(Symbol(HIDDEN), low, high)
        return [*parts[: at - 1], template, *parts[at + 2 :]], (limits,)

    def general(self, first: Node, last: Node) -> tuple[Node, Node, Node]:
        """Return what two nodes have in common around an index, and the bounds of the index."""
        pairs: list[tuple[Node, Node]] = []

        def common(a: Any, b: Any) -> Any:
            """Return what two parts have in common, with ``HIDDEN`` where they differ."""
            if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
                return tuple(common(x, y) for x, y in zip(a, b, strict=True))
            if not isinstance(a, Node) or not isinstance(b, Node):
                if a == b:
                    return a
                raise self.error("dots between things that are not alike")
            if a == b:
                return a
            if type(a) is not type(b) or isinstance(a, (Number, Symbol)):
                pairs.append((a, b))
                return Symbol(HIDDEN)
            if isinstance(a, Subscript) and isinstance(b, Subscript):
                a, b = _digit_by_digit(a, b), _digit_by_digit(b, a)
            changed = {
                f.name: common(getattr(a, f.name), getattr(b, f.name))
                for f in fields(a)
                if f.name not in ("span", "name")
            }
            if isinstance(a, Subscript):
                changed["name"] = ""
            elif getattr(a, "name", None) != getattr(b, "name", None):
                raise self.error("dots between things that are not alike")
            return replace(a, **changed)

        template = common(first, last)
        if not pairs or any(pair != pairs[0] for pair in pairs):
            raise self.error("dots between things that differ in more than one number")
        if isinstance(template, Symbol) and all(isinstance(side, Symbol) for side in pairs[0]):
            raise self.error("dots between things that are not alike")
        return template, *pairs[0]

    def several(self, parts: Sequence[Node]) -> tuple[Node, ...]:
        r"""Parse the dots in a list: ``x_1, \dots, x_n``."""
        at = next((n for n, part in enumerate(parts) if isinstance(part, Dots)), None)
        if at is None:
            return tuple(parts)
        if not 0 < at < len(parts) - 1:
            return tuple(parts)
        template, low, high = self.general(parts[at - 1], parts[at + 1])
        return (*parts[: at - 1], Reduce("list", (HIDDEN,), low, high, template), *parts[at + 2 :])


def _digit_by_digit(node: Subscript, other: Subscript) -> Subscript:
    r"""Split the digits of ``\alpha_{21}``, if the other end of the dots is ``\alpha_{2m}``."""
    match node.indices, other.indices:
        case (Number(digits),), (Product("", Number(first), second),) if (
            len(digits) == 2 and digits.isdigit() and len(first) == 1
        ):
            return replace(node, indices=(Number(digits[0]), Number(digits[1])))
        case (Product("", Number(first), second),), (Number(digits),) if (
            len(digits) == 2 and digits.isdigit() and len(first) == 1
        ):
            return replace(node, indices=(Number(first), second))
    return node
