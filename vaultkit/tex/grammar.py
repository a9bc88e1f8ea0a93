r"""Parses statements and their conditions; `parse` is the entry point of the parser.

A statement relates sides, ``a = b < c``, or says of what set something is, ``x \in \mathbb{R}^n``
(`Membership`), or what values an index has, ``i = 1, \dots, n`` (`Range`). It may have conditions.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from vaultkit.tex.atoms import SETS
from vaultkit.tex.cursor import DEEPEST
from vaultkit.tex.expressions import Expressions
from vaultkit.tex.tokens import (
    IMPLIES,
    OPEN,
    RELATIONS,
    SEPARATORS,
    SPOKEN,
    UNJUDGED,
    Token,
    tokenize,
    with_names,
)
from vaultkit.tex.tree import (
    Membership,
    Node,
    Number,
    Product,
    Range,
    Statement,
    Subscript,
    Symbol,
    TexError,
    walk,
)
from vaultkit.tex.words import BRACES, CLAIMING, CONDITION, COUNTS, JOINING, SAYING, SIGNS, WORDS

#: Environments around statements; their marks only separate these.
_ENVIRONMENTS = ("aligned", "align", "align*", "gathered", "split", "alignedat", "equation",
                 "equation*", "gather", "gather*")  # fmt: skip
_KNOWN_SETS = (
    r"of all sets, only \mathbb{R}, \mathbb{N}, \mathbb{Z}, intervals and sets of numbers are known"
)

#: Letters of indices: in ``y_i < 0, i = 2``, the second part is the range of the index.
_INDEX_LETTERS = frozenset("ijklrst")


class _Statements(Expressions):
    """Parses all statements of a formula."""

    def parse_statements(self) -> list[Node]:
        """Parse the whole formula; a statement has the conditions and ranges that apply to it."""
        parsed: list[Node] = []
        #: Where the latest statements, which share a relation, begin among these.
        latest = 0
        ranges: list[Range] = []
        #: Conditions ahead of all statements, and left sides of arrows: of all statements to come.
        pending: tuple[Node, ...] = ()
        while self.next:
            if self.take_separator():
                continue
            if self.is_at_condition():
                # *For* and ``\forall`` apply to all statements before them, *if* to the latest.
                is_about_all = "for" in self.next or self.next == r"\forall"
                conditions, more_ranges = _without_ranges(self.parse_conditions())
                ranges += more_ranges
                if self.next == ":":
                    self.take()
                if parsed:
                    first = 0 if is_about_all else latest
                    parsed[first:] = [_with_conditions(s, conditions) for s in parsed[first:]]
                else:
                    pending += tuple(conditions)
            elif self.next in IMPLIES:
                self.take()
                if not parsed[latest:]:
                    raise self.error("the arrow has no left side")
                pending = (*pending, *parsed[latest:])
                del parsed[latest:]
            else:
                statements, more_ranges = _without_ranges(self.parse_whole_statement())
                ranges += more_ranges
                if statements:
                    latest = len(parsed)
                    parsed += [_with_conditions(s, pending) for s in statements]
        if self.environments:
            raise self.error(f"\\begin{{{self.environments[-1]}}} is never ended")
        parsed += self.braced
        if pending and not parsed:
            raise self.error("a condition without a statement")
        ranges += _take_index_values(parsed)
        return _with_ranges(parsed, ranges)

    def parse_whole_statement(self) -> list[Node]:
        """Parse a statement, or several with a common relation, up to a separator or condition.

        The braces of an expression may state something; another expression alone is an error.
        """
        begin, number_of_braces = self.start(), len(self.braced)
        statements = self.parse_statement()
        is_at_end = not self.next or self.take_separator() or self.is_at_condition()
        if not is_at_end and self.next not in IMPLIES:
            is_at_last_full_stop = self.next == "." and self.at == len(self.tokens) - 1
            if not is_at_last_full_stop:
                raise self.unexpected()
            self.take()
        if not statements and len(self.braced) == number_of_braces:
            end = self.tokens[self.at - 1].end
            text = " ".join(self.tex[begin:end].split()).rstrip("., ;")
            raise TexError(f"{text!r} states nothing", begin, end)
        return statements

    def take_separator(self) -> bool:
        """Take a separator or a mark of an environment; return whether there was one."""
        if self.next in (r"\begin", r"\end"):
            return self.take_mark_of_environment()
        if self.next in SEPARATORS or (self.kind == "text" and JOINING.match(self.next)):
            self.take()
            return True
        return False

    def take_mark_of_environment(self) -> bool:
        r"""Take ``\begin{aligned}`` or ``\end{aligned}``; return whether one was next.

        The mark of a matrix is none of these, and is left for `parse_environment`.
        """
        begin, mark = self.at, self.take()
        name = self.take_name() if self.next else ""
        if name not in _ENVIRONMENTS:
            self.at = begin
            return False
        if mark == r"\begin":
            self.environments.append(name)
            if name == "alignedat":
                self.take_group()  # the number of its columns
        elif not self.environments or self.environments.pop() != name:
            self.at = begin
            raise self.error(f"\\end{{{name}}} ends nothing that has begun")
        return True

    def is_at_condition(self) -> bool:
        r"""Return whether a condition is next: ``\forall``, a word such as *for*, or brackets.

        Raises
        ------
        TexError
            If the next words are neither a condition nor join two statements.
        """
        if self.next == r"\forall":
            return True
        is_word = self.kind == "text" and WORDS.match(self.next)
        if is_word and not JOINING.match(self.next):
            if not CONDITION.match(self.next) or "unless" in self.next or "only" in self.next:
                raise self.error(f"the words {self.next.strip()!r} cannot be judged")
            return True
        return self.is_at_condition_in_brackets()

    def parse_conditions(self) -> tuple[Node, ...]:
        """Parse ``if`` or ``for`` with the conditions after it, or conditions in brackets."""
        if self.next == "(":
            parser = self.parser_of(self.take_up_to_closing(of={"(": ")"}))
            conditions = parser.parse_listed_conditions(indices=False)
            if parser.next:
                raise parser.unexpected()
            return conditions
        are_of_indices = self.next == r"\forall" or "for" in self.next
        self.take()
        return self.parse_listed_conditions(indices=are_of_indices)

    def parse_listed_conditions(self, *, indices: bool) -> tuple[Node, ...]:
        r"""Parse conditions joined by *and*.

        Behind *for* (``indices``), they may also be joined by commas, ``i \ne j, k > 0``, and may
        be bare letters, ``i, j``, which state nothing.
        """
        conditions: list[Node] = []
        while True:
            begin = self.at
            statements = self.parse_statement()
            if not statements:
                are_letters = all(map(_is_letter_or_comma, self.tokens[begin : self.at]))
                if not indices or not are_letters:
                    raise self.error("a condition that states nothing")
            conditions += statements
            is_at_and = self.kind == "text" and re.fullmatch(r"\s*and\s*", self.next)
            is_at_next_of_list = indices and self.next == "," and self.has_relation_ahead()
            if not is_at_and and not is_at_next_of_list:
                return tuple(conditions)
            self.take()

    def parse_statement(self) -> list[Node]:
        r"""Parse a statement, or several with a common relation; none for an expression alone.

        ``a, b > 0`` are two statements. A list of names, ``a, b``, states nothing.
        """
        start = self.start()
        lefts = [self.parse_sum()]
        while self.next == "," and self.has_relation_ahead():
            self.take()
            lefts.append(self.parse_sum())
        if not self.is_at_relation() and self.next == ",":
            # Names in a list, without a relation after them.
            while self.next == ",":
                self.take()
                if not self.next:
                    break
                lefts.append(self.parse_sum())
        sides: list[Node] = []
        relations: list[str] = []
        while self.is_at_relation():
            # A row of an aligned formula may begin with a relation.
            while self.next in (r"\\", r"\quad", r"\qquad"):
                self.take()
            relation = RELATIONS[self.take()]
            if relation in "∈∉":
                # In ``a = b \in S``, the last side is the element.
                statements = self.make_statements(start, lefts, relations, sides)
                elements = [sides[-1]] if sides else lefts
                return [*statements, *self.parse_membership(start, elements, relation == "∉")]
            relations.append(relation)
            sides.append(self.parse_sum())
        if self.next in UNJUDGED:
            raise self.unexpected()
        if self.next == r"\pmod" and relations:
            return self.parse_congruence(start, lefts, relations, sides)
        if relations == ["="]:
            (low,) = sides  # of a range, if more numbers or dots follow
            index_range = self.parse_range(start, lefts, low)
            index_range = index_range or self.parse_numbers(start, lefts, low)
            if index_range:
                return [index_range]
        return self.make_statements(start, lefts, relations, sides)

    def parse_congruence(
        self, start: int, lefts: list[Node], relations: list[str], sides: list[Node]
    ) -> list[Node]:
        r"""Parse the ``\pmod{n}`` behind ``a \equiv b``: both sides have the same remainder.

        The parameters and the result are those of `make_statements`.
        """
        self.take()
        divisor = self.parse_whole(self.take_group())
        if set(relations) != {"="}:
            raise self.error("\\pmod is only read after \\equiv")
        lefts = [Product("mod", left, divisor) for left in lefts]
        sides = [Product("mod", side, divisor) for side in sides]
        return self.make_statements(start, lefts, relations, sides)

    def make_statements(
        self, start: int, lefts: list[Node], relations: list[str], sides: list[Node]
    ) -> list[Node]:
        """Return a statement ``left = side = …`` for each left side; none without relations.

        They begin at ``start`` in the formula. Left sides with dots, ``x_1, …, x_n``, give one
        statement with the range of an index.
        """
        if not relations:
            return []
        lefts, limits = self.replace_dots_in_list(lefts)
        return [
            self.with_span(start, Statement((left, *sides), tuple(relations), limits))
            for left in lefts
        ]

    def parse_membership(self, start: int, elements: list[Node], negated: bool) -> list[Node]:
        """Parse the set after ∈ or ∉; return what it states of each element.

        A set may state its kind and a shape, an interval, or its numbers; for each of these, an
        element has a `Membership`. In a list with dots, the elements share an index with limits.
        """
        elements, limits = self.replace_dots_in_list(elements)
        # The claims are about the first element, and are copied for the others.
        if self.next == r"\mathbb" or self.next in SETS:
            claims = self.parse_named_set(elements[0])
        elif self.next in ("[", "("):
            claims = self.parse_interval(elements[0])
        elif self.next == r"\{":
            claims = self.parse_set_of_numbers(elements[0])
        else:
            raise self.error(_KNOWN_SETS)
        if negated and len(claims) > 1:  # of which only one need be false
            raise self.error("this membership cannot be denied")
        # Else a condition would end here, and the rest would be a statement of its own: *a = 1 if
        # x ∈ ℝ ∂x = 3*. But \forall begins a condition.
        if self.is_at_relation() or self.next in UNJUDGED or self.next in SPOKEN - {r"\forall"}:
            raise self.unexpected()
        return [
            self.with_span(start, replace(claim, element=element, negated=negated, when=limits))
            for element in elements
            for claim in claims
        ]

    def parse_named_set(self, element: Node) -> list[Membership]:
        r"""Parse ``\mathbb{R}^{n \times m}``, ``\mathbb{N}_+`` and the like."""
        is_command = self.next == r"\mathbb"
        name = self.take()
        if is_command:
            name = self.take_name()
        if name not in SETS:
            raise self.error(_KNOWN_SETS)
        bound, dims = self.parse_decorations(of_integers=SETS[name] != "R")
        claims = [Membership(element, SETS[name], dims or ())]
        if bound:
            interval = ("[" if bound == "≥" else "(", Number("0"), Symbol("infty"), ")")
            claims.append(Membership(element, "", None, interval=interval))
        return claims

    def parse_interval(self, element: Node) -> list[Membership]:
        """Parse ``[0, 1]``, ``(0, 1)^n`` and the like."""
        opening = self.take()
        low = self.parse_sum()
        self.take(",")
        high = self.parse_sum()
        closing = self.take()
        if closing not in (")", "]"):
            raise self.error(f"expected ')' or ']', found {closing!r}")
        claims = self.parse_shape(element)
        interval = (opening, low, high, closing)
        return [*claims, Membership(element, "", None, interval=interval)]

    def parse_set_of_numbers(self, element: Node) -> list[Membership]:
        r"""Parse ``\{0, 1\}``, ``\{0, 1\}^n`` and the like."""
        self.take()
        numbers: list[Node] = []
        while self.next != r"\}":
            numbers.append(self.parse_sum())
            if self.next == ",":
                self.take()
            elif self.next != r"\}":
                raise self.unexpected()
        self.take()
        claims = self.parse_shape(element)
        if not numbers:
            raise self.error(_KNOWN_SETS)
        items = self.replace_dots_in_row(numbers)
        return [*claims, Membership(element, "", None, numbers=items)]

    def parse_shape(self, element: Node) -> list[Membership]:
        r"""Parse the ``^{n \times m}`` of a set of numbers, if it is there."""
        bound, dims = self.parse_decorations()
        if bound:
            raise self.error(_KNOWN_SETS)
        return [] if dims is None else [Membership(element, "R", dims)]

    def parse_decorations(self, of_integers: bool = False) -> tuple[str, tuple[Node, ...] | None]:
        r"""Parse the decorations of a set: ``_{>0}``, ``^{n \times m}``.

        Return the relation of its elements to 0 (``>``, ``≥`` or nothing), and the lengths of the
        axes if its elements are arrays. ``_+`` excludes 0 from a set of integers, and includes it
        in the reals.
        """
        bound, dims = "", None
        while self.next in ("_", "^"):
            if self.take() == "^":
                dims = self.parse_dims(self.take_group())
                continue
            bounds = {
                "+": ">" if of_integers else "≥",
                "++": ">",
                ">0": ">",
                r"\ge0": "≥",
                "0": "≥",
                r"\geqslant0": "≥",
            }
            text = self.take_name()
            if text not in bounds:
                raise self.error(_KNOWN_SETS)
            bound = bounds[text]
        return bound, dims


def _without_ranges(statements: Iterable[Node]) -> tuple[list[Node], list[Range]]:
    """Return the statements that are no ranges of indices, and those that are."""
    others: list[Node] = []
    ranges: list[Range] = []
    for statement in statements:
        if isinstance(statement, Range):
            ranges.append(statement)
        else:
            others.append(statement)
    return others, ranges


def _with_conditions(statement: Any, conditions: Iterable[Node]) -> Any:
    """Return a statement (any node with the field ``when``) with more conditions."""
    return replace(statement, when=(*statement.when, *conditions)) if conditions else statement


def _with_ranges(statements: list[Node], ranges: list[Range]) -> list[Node]:
    """Return statements with the ranges of their indices; a range of none is a statement, too."""
    for index_range in ranges:
        users = [s for s in statements if index_range.index in walk(s)]
        statements = [_with_conditions(s, (index_range,)) if s in users else s for s in statements]
        if not users:
            statements.append(index_range)
    return statements


def _take_index_values(statements: list[Node]) -> list[Range]:
    """Remove ``i = 2`` from the statements if i is an index in the others; return it as a range.

    It is no statement about a variable i.
    """
    ranges: list[Range] = []
    for statement in list(statements):
        match statement:
            case Statement((Symbol(name) as letter, Number() as number), ("=",), ()):
                others = tuple(other for other in statements if other is not statement)
                subscripts = [node for node in walk(others) if isinstance(node, Subscript)]
                is_index = any(letter in walk(node.indices) for node in subscripts)
                if name in _INDEX_LETTERS and is_index:
                    statements.remove(statement)
                    ranges.append(Range(letter, number, number))
    return ranges


def _is_letter_or_comma(token: Token) -> bool:
    """Return whether a token is a letter or a comma, as in a list of indices."""
    return token.text == "," or (token.kind == "char" and token.text.isalpha())


def _without_oversets(tokens: list[Token]) -> list[Token]:
    r"""Replace ``\overset{\text{def}}{=}`` and ``\overset{!}{=}`` by ``=``.

    Raises
    ------
    TexError
        If anything but words is over a sign, or the sign is no relation.
    """
    plain: list[Token] = []
    while tokens:
        if tokens[0].text not in (r"\overset", r"\stackrel"):
            plain.append(tokens.pop(0))
            continue
        parser = _Statements(tokens[1:])
        words, sign = parser.take_group(), parser.take_group()
        are_words = all(t.kind == "text" or t.text == "!" for t in words)
        is_relation = len(sign) == 1 and sign[0].text in RELATIONS
        if not are_words or not is_relation:
            raise TexError(f"cannot read {tokens[0].text} here", tokens[0].start, tokens[0].end)
        plain.append(sign[0])
        tokens = parser.tokens[parser.at :]
    return plain


def _has_statement_in_brace(tokens: Sequence[Token]) -> bool:
    """Return whether a brace labels its content with a shape or a value."""
    for at, token in enumerate(tokens):
        if token.text in BRACES:
            parser = _Statements(tokens[at + 1 :])
            parser.take_group()
            if parser.next == BRACES[token.text]:
                parser.take()
                if any(t.kind != "text" or COUNTS.search(t.text) for t in parser.take_group()):
                    return True
    return False


def _is_mentioned(tokens: Sequence[Token]) -> bool:
    r"""Return whether a formula states nothing: it is only mentioned in a sentence.

    Raises
    ------
    TexError
        If it states something in words: ``\text{the mean is } 3``.
    """
    texts = [token for token in tokens if token.kind == "text"]
    for text in texts:
        if SIGNS.search(text.text):
            raise TexError("a relation in words cannot be judged", text.start, text.end)
    if len(tokens) <= 1:  # a text alone states something only if it has a number
        for text in texts:
            if SAYING.search(text.text):
                raise TexError("a statement in words cannot be judged", text.start, text.end)
        return True
    relations = RELATIONS.keys() | UNJUDGED | IMPLIES
    if any(token.text in relations for token in tokens if token.kind != "text"):
        return False
    if _has_statement_in_brace(tokens):
        return False
    for text in texts:
        if CLAIMING.search(text.text):
            words = text.text.strip()
            raise TexError(f"the words {words!r} cannot be judged", text.start, text.end)
    return True


def _check_nesting(tokens: Sequence[Token]) -> None:
    """Raise an error for tokens that are nested too deeply for a recursive parser."""
    depth = 0
    commands = 0  # that directly follow each other: each may nest the next, as in \hat\hat\hat x
    for token, following in zip(tokens, [*tokens[1:], Token("", "")], strict=False):
        depth += token.text in (*OPEN, r"\begin")
        depth -= token.text in (*OPEN.values(), r"\end")
        commands = commands + 1 if token.kind == following.kind == "command" else 0
        if depth > DEEPEST:
            raise TexError(f"it is nested more than {DEEPEST} deep", token.start, token.end)
        if commands > DEEPEST:
            raise TexError("too many commands in a row", token.start, token.end)


def _tokenize(tex: str, names: Collection[str]) -> list[Token]:
    """Split a formula into tokens, with runs of letters joined to names."""
    tokens = with_names(tokenize(tex), names)
    _check_nesting(tokens)
    return tokens


@lru_cache(maxsize=4096)
def _parse(tex: str, names: frozenset[str]) -> tuple[Node, ...]:
    """Return the statements of a formula, in which ``names`` are read as one name each."""
    tokens = _without_oversets(_tokenize(tex, names))
    if _is_mentioned(tokens):
        return ()
    try:
        return tuple(_Statements(tokens, tex).parse_statements())
    except RecursionError:
        raise TexError(f"it is nested more than {DEEPEST} deep") from None


def parse(tex: str, names: Collection[str] = ()) -> list[Node]:
    r"""Parse the statements of a formula; none if it states nothing (``QK^\top``).

    Parameters
    ----------
    tex
        The formula.
    names
        The names of the note: a run of letters that is one of these is this name, and no product.

    Raises
    ------
    TexError
        If the formula is not in the grammar.
    """
    return list(_parse(tex, frozenset(names)))


def parse_expression(tex: str, names: Collection[str] = ()) -> Node:
    """Parse a formula that is one expression; the parameters are those of `parse`.

    Raises
    ------
    TexError
        If the formula is not in the grammar.
    """
    tokens = _tokenize(tex, names)
    return _Statements(tokens, tex).parse_whole(tokens)
