r"""Parses dots: ``i = 1, \dots, n``, ``x_1 + \dots + x_n``, ``(x_1, \dots, x_n)``.

The elements beside the dots are compared: in ``x_1, \dots, x_n`` they differ only in an index, from
1 to n. So the list is one general element, x with an index without a name, and the bounds of it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, NamedTuple

from vaultkit.tex.cursor import Cursor
from vaultkit.tex.tokens import DOTS, RELATIONS, SEPARATORS
from vaultkit.tex.tree import Dots, Node, Number, Product, Range, Reduce, Subscript, Symbol

#: The name of the index in ``x_1 + \dots + x_n``; no note can bind such a name.
DOTS_INDEX = "\N{MIDDLE DOT}"
#: The most tokens of a part of a list before dots, with the comma and the dots.
_SHORT_PART = 7


class _Pattern(NamedTuple):
    r"""An element of ``x_1, \dots, x_n`` with the index `DOTS_INDEX`, and the index's bounds."""

    template: Node
    low: Node
    high: Node


class Ranges(Cursor):
    """Parses dots as a range, or as a reduction over an index without a name."""

    def parse_range(self, start: int, lefts: list[Node], low: Node) -> Range | None:
        r"""Parse the rest of ``i = 1, \dots, n`` or ``i = 1, 2, \dots, n``, behind the 1.

        ``start`` is where the statement begins, ``lefts`` its left sides, ``low`` the 1. Return
        None, and consume nothing, without dots.
        """
        index_of_rest = self.at
        second = None
        has_second = self.peek(1) not in DOTS and self.has_dots_ahead()
        if self.next == "," and has_second:
            self.take()
            second = self.parse_sum()
        if self.next != "," or self.peek(1) not in DOTS:
            self.at = index_of_rest
            return None
        self.take()
        self.take()
        if self.next == ",":
            self.take()
        high = self.parse_sum()
        # In ``x_i = 1, \dots, n`` or ``a, b = 1, \dots, n``, no index has this range.
        if self.is_at_relation() or len(lefts) != 1 or not isinstance(lefts[0], Symbol):
            raise self.error("the dots leave out what would have to be judged")
        if second and (second != Number("2") or low != Number("1")):
            raise self.error("between dots only steps of one are supported")
        return self.with_span(start, Range(lefts[0], low, high))

    def parse_numbers(self, start: int, lefts: list[Node], low: Node) -> Range | None:
        """Parse the rest of ``i = 1, 2, 3``, behind the 1; None if no number follows.

        The parameters are those of `parse_range`.
        """
        numbers = [low]
        while self.next == "," and self.at + 1 < len(self.tokens):
            is_alone = self.peek(2) in SEPARATORS | {"", "."}  # in ``a = 1, 2 b = 3`` it is not
            if self.tokens[self.at + 1].kind != "number" or not is_alone:
                break
            self.take()
            numbers.append(Number(self.take()))
        if len(numbers) == 1:
            return None
        counted = [int(n.text) for n in numbers if isinstance(n, Number) and n.text.isdigit()]
        if not counted or counted != [counted[0] + step for step in range(len(numbers))]:
            raise self.error("a list of numbers that are not whole and in order")
        if len(lefts) != 1 or not isinstance(lefts[0], Symbol):
            raise self.error("a list of numbers where one is expected")
        return self.with_span(start, Range(lefts[0], numbers[0], numbers[-1]))

    def has_dots_ahead(self) -> bool:
        r"""Return whether dots follow the next part of a list: ``, 2, \dots``.

        The part must be short, as a number or ``2 n`` is.
        """
        texts = [t.text for t in self.tokens[self.at + 1 : self.at + 1 + _SHORT_PART]]
        for text, following in itertools.pairwise(texts):
            if text == ",":
                return following in DOTS
            if text in SEPARATORS or text in RELATIONS:
                return False
        return False

    def replace_dots_in_sum(self, terms: list[tuple[int, Node]]) -> list[tuple[int, Node]]:
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
        # In ``x_1 - \dots + x_n``, the signs of the omitted terms are unknown.
        signs = {sign for sign, _ in terms[at - 1 : at + 2]}
        if not 0 < at < len(terms) - 1 or len(signs) > 1:
            raise self.error("dots whose omitted terms are unknown")
        (sign, first), (_, last) = terms[at - 1], terms[at + 1]
        body, low, high = self.find_pattern(first, last)
        # In ``x_1 + x_3 + \dots + x_n``, the term before shows another step.
        for _, earlier in terms[max(at - 2, 0) : at - 1]:
            match self.find_pattern(earlier, last).low, low:
                case Number(previous), Number(number) if float(previous) + 1 != float(number):
                    raise self.error("between dots only steps of one are supported")
        others = self.replace_dots_in_sum(terms[at + 2 :])
        return [*terms[: at - 1], (sign, Reduce("sum", (DOTS_INDEX,), low, high, body)), *others]

    def replace_dots_in_list(self, parts: list[Node]) -> tuple[list[Node], tuple[Node, ...]]:
        r"""Return ``x_1, \dots, x_n`` as one general element, and the range of its index.

        A list without dots is returned as it is, without a range.
        """
        if not any(isinstance(part, Dots) for part in parts):
            return parts, ()
        at = next(n for n, part in enumerate(parts) if isinstance(part, Dots))
        if not 0 < at < len(parts) - 1:
            raise self.error("dots with nothing on one side")
        template, low, high = self.find_pattern(parts[at - 1], parts[at + 1])
        limits = Range(Symbol(DOTS_INDEX), low, high)
        return [*parts[: at - 1], template, *parts[at + 2 :]], (limits,)

    def find_pattern(self, first: Node, last: Node) -> _Pattern:
        r"""Return what two nodes have in common around an index, and the bounds of the index.

        For ``2 x_1`` and ``2 x_n`` these are ``2 x`` with the index `DOTS_INDEX`, 1 and n.

        Raises
        ------
        TexError
            If they differ in more than an index, or in nothing.
        """
        #: The parts that differ; all must be the same pair: 1 and n in ``a_1 b_1, \dots, a_n b_n``.
        pairs: list[tuple[Node, Node]] = []

        def common(one: Any, other: Any) -> Any:
            """Return what two parts have in common, with ``DOTS_INDEX`` where they differ."""
            if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
                return tuple(common(*pair) for pair in zip(one, other, strict=True))
            if one == other:
                return one
            if not isinstance(one, Node) or not isinstance(other, Node):
                raise self.error("dots between things that are not alike")
            # Nodes of one kind may differ in a part only, others are the bounds: 1 and n, or n - 1.
            if type(one) is not type(other) or isinstance(one, (Number, Symbol)):
                pairs.append((one, other))
                return Symbol(DOTS_INDEX)
            if isinstance(one, Subscript) and isinstance(other, Subscript):
                one, other = _split_digits(one, other), _split_digits(other, one)
            changed = {
                f.name: common(getattr(one, f.name), getattr(other, f.name))
                for f in fields(one)
                if f.name not in ("span", "name")
            }
            if isinstance(one, Subscript):
                changed["name"] = ""  # x with an index that changes is no name, such as x_1
            elif getattr(one, "name", None) != getattr(other, "name", None):
                raise self.error("dots between things that are not alike")
            return replace(one, **changed)

        template = common(first, last)
        if not pairs or any(pair != pairs[0] for pair in pairs):
            raise self.error("dots between things that differ in more than one number")
        # ``a, \dots, z`` is no range of one index.
        if isinstance(template, Symbol) and all(isinstance(side, Symbol) for side in pairs[0]):
            raise self.error("dots between things that are not alike")
        return _Pattern(template, *pairs[0])

    def replace_dots_in_row(self, parts: Sequence[Node]) -> tuple[Node, ...]:
        r"""Return the parts of a row with ``x_1, \dots, x_n`` replaced by one `Reduce`.

        Dots at an end, which leave out all that follows, are left as they are.
        """
        at = next((n for n, part in enumerate(parts) if isinstance(part, Dots)), None)
        if at is None or not 0 < at < len(parts) - 1:
            return tuple(parts)
        template, low, high = self.find_pattern(parts[at - 1], parts[at + 1])
        return (
            *parts[: at - 1],
            Reduce("list", (DOTS_INDEX,), low, high, template),
            *parts[at + 2 :],
        )


def _split_digits(node: Subscript, other: Subscript) -> Subscript:
    r"""Split the digits of ``\alpha_{21}``, if the other end of the dots is ``\alpha_{2m}``.

    The index 21 is then 2, 1, and the index ``2m`` is no product, but 2, m; either may be ``node``.
    """
    match node.indices, other.indices:
        case (Number(digits),), (Product("", Number(first), _),) if _are_two(digits, first):
            return replace(node, indices=(Number(digits[0]), Number(digits[1])))
        case (Product("", Number(first), second),), (Number(digits),) if _are_two(digits, first):
            return replace(node, indices=(Number(first), second))
    return node


def _are_two(digits: str, first: str) -> bool:
    """Return whether these are two digits, and the first factor of ``2m`` is one digit."""
    return len(digits) == 2 and digits.isdigit() and len(first) == 1
