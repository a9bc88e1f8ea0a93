"""Parses statements and their conditions; `parse` is the entry point of the parser."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
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

_ENVIRONMENTS = ("aligned", "align", "align*", "gathered", "split", "alignedat", "equation",
                 "equation*", "gather", "gather*")  # fmt: skip
_KNOWN_SETS = (
    r"of all sets, only \mathbb{R}, \mathbb{N}, \mathbb{Z}, intervals and sets of numbers are known"
)

#: Letters of indices: in ``y_i < 0, i = 2``, the second part is the range of the index.
_COUNTING = frozenset("ijklrst")


class _Statements(Expressions):
    """Parses all statements of a formula."""

    def statements(self) -> list[Node]:
        """Parse the whole formula.

        Its statements, each with the conditions and ranges that apply to it.
        """
        found: list[Node] = []
        ranges: list[Range] = []
        waiting: tuple[Node, ...] = ()
        last = 0
        while self.next:
            if self.separator():
                continue
            if self.condition_begins():
                scope = "for" in self.next or self.next == r"\forall"
                conditions = self.conditions()
                if self.next == ":":
                    self.take()
                ranges += [c for c in conditions if isinstance(c, Range)]
                conditions = tuple(c for c in conditions if not isinstance(c, Range))
                if found:
                    since = 0 if scope else last
                    found[since:] = [self._conditioned(s, conditions) for s in found[since:]]
                else:
                    waiting += conditions
                continue
            if self.next in IMPLIES:
                self.take()
                if not found[last:]:
                    raise self.error("the arrow has no left side")
                waiting = (*waiting, *found[last:])
                del found[last:]
                continue
            begin, braced = self.start(), len(self.braced)
            said = self.statement()
            if self.next and not (
                self.separator() or self.condition_begins() or self.next in IMPLIES
            ):
                if self.next == "." and self.at == len(self.tokens) - 1:
                    self.take()
                else:
                    raise self.unexpected()
            if not said and len(self.braced) == braced:
                end = self.tokens[self.at - 1].end
                text = " ".join(self.tex[begin:end].split()).rstrip("., ;")
                raise TexError(f"{text!r} states nothing", begin, end)
            ranges += [s for s in said if isinstance(s, Range)]
            said = [self._conditioned(s, waiting) for s in said if not isinstance(s, Range)]
            if said:
                last = len(found)
                found += said
        if self.environments:
            raise self.error(f"\\begin{{{self.environments[-1]}}} is never ended")
        found += [self._conditioned(claim, ()) for claim in self.braced]
        if waiting and not found:
            raise self.error("a condition without a statement")
        ranges += self.counted(found)
        for limits in ranges:
            users = [s for s in found if limits.index in walk(s)]
            found = [self._conditioned(s, (limits,)) if s in users else s for s in found]
            if not users:
                found.append(limits)
        return found

    @staticmethod
    def counted(found: list[Node]) -> list[Range]:
        """Remove and return ``i = 2`` from the statements, if i is an index in the others."""
        ranges: list[Range] = []
        for said in list(found):
            match said:
                case Statement((Symbol(name) as letter, Number() as number), ("=",), ()) if (
                    name in _COUNTING
                    and any(
                        letter in walk(node.indices)
                        for other in found
                        if other is not said
                        for node in walk(other)
                        if isinstance(node, Subscript)
                    )
                ):
                    found.remove(said)
                    ranges.append(Range(letter, number, number))
        return ranges

    @staticmethod
    def _conditioned(statement: Any, conditions: tuple[Node, ...]) -> Any:
        return replace(statement, when=statement.when + conditions) if conditions else statement

    def separator(self) -> bool:
        """Take a separator or a mark of an environment; return whether there was one."""
        if self.next in (r"\begin", r"\end"):
            name = "".join(t.text for t in self.tokens[self.at + 2 : self.at + 12])
            name = name.split("}")[0]
            if name in _ENVIRONMENTS:
                if self.next == r"\begin":
                    self.environments.append(name)
                elif not self.environments or self.environments.pop() != name:
                    raise self.error(f"\\end{{{name}}} ends nothing that has begun")
                self.take()
                self.group()
                if name == "alignedat" and self.environments[-1:] == [name]:
                    self.group()
                return True
        if self.next in SEPARATORS or (self.kind == "text" and JOINING.match(self.next)):
            self.take()
            return True
        return False

    def condition_begins(self) -> bool:
        r"""Return whether a condition is next: ``\forall``, a word such as *for*, or brackets.

        Raises TexError if the next words are neither a condition nor join two statements.
        """
        if self.next == r"\forall":
            return True
        if self.kind == "text" and WORDS.match(self.next) and not JOINING.match(self.next):
            if not CONDITION.match(self.next) or "unless" in self.next or "only" in self.next:
                raise self.error(f"the words {self.next.strip()!r} cannot be judged")
            return True
        return self.condition_in_brackets()

    def conditions(self) -> tuple[Node, ...]:
        """Parse the conditions after ``if`` or ``for``, or those in brackets."""
        if self.next == "(":
            start, depth = self.at, 0
            while True:
                text = self.take()
                depth += (text == "(") - (text == ")")
                if not depth:
                    break
            parser = self.inner(self.tokens[start + 1 : self.at - 1])
            found = parser.listed_conditions(False)
            if parser.next:
                raise parser.unexpected()
            return found
        indices = self.next == r"\forall" or "for" in self.next
        self.take()
        return self.listed_conditions(indices)

    def listed_conditions(self, indices: bool) -> tuple[Node, ...]:
        """Parse conditions joined by *and*.

        With ``indices``, also by commas, and bare letters, which state nothing.
        """
        found: list[Node] = []
        while True:
            begin = self.at
            said = self.statement()
            if not said:
                names = self.tokens[begin : self.at]
                if not indices or any(
                    t.text != "," and not (t.kind == "char" and t.text.isalpha()) for t in names
                ):
                    raise self.error("a condition that states nothing")
            found += said
            joined = self.kind == "text" and re.fullmatch(r"\s*and\s*", self.next)
            if joined or (indices and self.next == "," and self.relation_ahead()):
                self.take()
                continue
            return tuple(found)

    def statement(self) -> list[Node]:
        """Parse a statement, or several with a common relation; none for an expression alone."""
        start = self.start()
        lefts = [self.sum()]
        while self.next == "," and self.relation_ahead():
            self.take()
            lefts.append(self.sum())
        if not self.relation() and self.next == ",":
            # Names in a list, without a relation after them.
            while self.next == ",":
                self.take()
                if not self.next:
                    break
                lefts.append(self.sum())
        sides: list[Node] = []
        relations: list[str] = []
        while self.relation():
            # A row of an aligned formula may begin with a relation.
            while self.next in (r"\\", r"\quad", r"\qquad"):
                self.take()
            relation = RELATIONS[self.take()]
            if relation in "∈∉":
                chains = self.chains(start, lefts, relations, sides)
                element = [sides[-1]] if sides else lefts
                return [*chains, *self.members(start, element, relation == "∉")]
            relations.append(relation)
            sides.append(self.sum())
        if self.next in UNJUDGED:
            raise self.unexpected()
        if self.next == r"\pmod" and relations:
            # Congruence: both sides have the same remainder.
            self.take()
            divisor = self.whole(self.group())
            if set(relations) != {"="}:
                raise self.error("\\pmod is only read after \\equiv")
            lefts = [Product("mod", left, divisor) for left in lefts]
            sides = [Product("mod", side, divisor) for side in sides]
            return self.chains(start, lefts, relations, sides)
        if relations == ["="]:
            limits = self.range(start, lefts, sides[0]) or self.values(start, lefts, sides[0])
            if limits:
                return [limits]
        return self.chains(start, lefts, relations, sides)

    def chains(
        self, start: int, lefts: list[Node], relations: list[str], sides: list[Node]
    ) -> list[Node]:
        """Return a statement ``left = side = …`` for each of the listed left sides.

        The statements get the place of the token ``start``.
        """
        if not relations:
            return []
        lefts, limits = self.listed(lefts)
        return [
            self.with_span(start, Statement((left, *sides), tuple(relations), limits))
            for left in lefts
        ]

    def members(self, start: int, elements: list[Node], negated: bool) -> list[Node]:
        """Parse the set after ∈ or ∉; return what it states of each element.

        A set may state its kind and a shape, an interval, or its numbers; for each of these, an
        element has a `Membership`. In a list with dots, the elements share an index with limits.
        """
        elements, limits = self.listed(elements)
        claims: list[dict[str, Any]] = []
        if self.next == r"\mathbb" or self.next in SETS:
            if self.next == r"\mathbb":
                self.take()
                name = "".join(t.text for t in self.group())
            else:
                name = self.take()
            if name not in SETS:
                raise self.error(_KNOWN_SETS)
            bound, dims = self.decorations(whole=SETS[name] != "R")
            claims.append({"kind": SETS[name], "dims": dims or ()})
            if bound:
                closed = "[" if bound == "≥" else "("
                claims.append({"kind": "", "dims": None, "interval": (
                    closed, Number("0"), Symbol("infty"), ")")})  # fmt: skip
        elif self.next in ("[", "("):
            opening = self.take()
            low = self.sum()
            self.take(",")
            high = self.sum()
            closing = self.take()
            if closing not in (")", "]"):
                raise self.error(f"expected ')' or ']', found {closing!r}")
            bound, dims = self.decorations()
            if bound:
                raise self.error(_KNOWN_SETS)
            if dims is not None:
                claims.append({"kind": "R", "dims": dims})
            claims.append({"kind": "", "dims": None, "interval": (opening, low, high, closing)})
        elif self.next == r"\{":
            self.take()
            numbers: list[Node] = []
            while self.next != r"\}":
                numbers.append(self.sum())
                if self.next == ",":
                    self.take()
                elif self.next != r"\}":
                    raise self.unexpected()
            self.take()
            bound, dims = self.decorations()
            if bound or not numbers:
                raise self.error(_KNOWN_SETS)
            if dims is not None:
                claims.append({"kind": "R", "dims": dims})
            claims.append({"kind": "", "dims": None, "numbers": self.several(numbers)})
        else:
            raise self.error(_KNOWN_SETS)
        if negated and len(claims) > 1:
            raise self.error("this membership cannot be denied")
        if self.relation() or self.next in UNJUDGED or self.next in SPOKEN - {r"\forall"}:
            raise self.unexpected()
        return [
            self.with_span(start, Membership(element, negated=negated, when=limits, **claim))
            for element in elements
            for claim in claims
        ]

    def decorations(self, whole: bool = False) -> tuple[str, tuple[Node, ...] | None]:
        r"""Parse the decorations of a set: ``_{>0}``, ``^{n \times m}``.

        Return the relation of its elements to 0 (``>``, ``≥`` or nothing), and the lengths of the
        axes if its elements are arrays. ``_+`` excludes 0 from a set of integers (``whole``), and
        includes it in the reals.
        """
        bound, dims = "", None
        while self.next in ("_", "^"):
            if self.take() == "^":
                dims = self.dims(self.group())
                continue
            texts = "".join(t.text for t in self.group())
            bounds = {
                "+": ">" if whole else "≥",
                "++": ">",
                ">0": ">",
                r"\ge0": "≥",
                "0": "≥",
                r"\geqslant0": "≥",
            }
            if texts not in bounds:
                raise self.error(_KNOWN_SETS)
            bound = bounds[texts]
        return bound, dims


def _plain(tokens: list[Token]) -> list[Token]:
    r"""Replace ``\overset{\text{def}}{=}`` by its sign."""
    plain: list[Token] = []
    while tokens:
        if tokens[0].text not in (r"\overset", r"\stackrel"):
            plain.append(tokens.pop(0))
            continue
        parser = _Statements(tokens[1:])
        words, sign = parser.group(), parser.group()
        said = all(t.kind == "text" or t.text == "!" for t in words)
        if not said or len(sign) != 1 or sign[0].text not in RELATIONS:
            raise TexError(f"cannot read {tokens[0].text} here", tokens[0].start, tokens[0].end)
        plain.append(sign[0])
        tokens = parser.tokens[parser.at :]
    return plain


def _braces_say(tokens: Sequence[Token]) -> bool:
    """Return whether a brace labels its content with a shape or a value."""
    for at, token in enumerate(tokens):
        if token.text in BRACES:
            parser = _Statements(tokens[at + 1 :])
            parser.group()
            if parser.next == BRACES[token.text]:
                parser.take()
                if any(t.kind != "text" or COUNTS.search(t.text) for t in parser.group()):
                    return True
    return False


def _spoken_of(tokens: Sequence[Token]) -> bool:
    """Return whether a formula is a single sign or name, mentioned in a sentence."""
    for token in tokens:
        if token.kind == "text" and SIGNS.search(token.text):
            raise TexError("a relation in words cannot be judged", token.start, token.end)
    if len(tokens) <= 1:
        for token in tokens:
            if token.kind == "text" and SAYING.search(token.text):
                raise TexError("a statement in words cannot be judged", token.start, token.end)
        return True
    judged = RELATIONS.keys() | UNJUDGED | IMPLIES
    if any(token.text in judged for token in tokens if token.kind != "text"):
        return False
    if _braces_say(tokens):
        return False
    for token in tokens:
        if token.kind == "text" and CLAIMING.search(token.text):
            raise TexError(
                f"the words {token.text.strip()!r} cannot be judged", token.start, token.end
            )
    return True


def _nested(tokens: Sequence[Token]) -> None:
    """Raise an error for tokens that are nested too deeply for any parser."""
    depth = bare = 0
    for token, following in zip(tokens, [*tokens[1:], Token("", "")], strict=False):
        depth += token.text in (*OPEN, r"\begin")
        depth -= token.text in (*OPEN.values(), r"\end")
        bare = bare + 1 if token.kind == following.kind == "command" else 0
        if depth > DEEPEST:
            raise TexError(f"it is nested more than {DEEPEST} deep", token.start, token.end)
        if bare > DEEPEST:
            raise TexError("too many commands in a row", token.start, token.end)


def _tokens(tex: str, names: Collection[str]) -> list[Token]:
    """Split a formula into tokens, with runs of letters joined to names."""
    tokens = with_names(tokenize(tex), names)
    _nested(tokens)
    return tokens


@lru_cache(maxsize=4096)
def _parse(tex: str, names: frozenset[str]) -> tuple[Node, ...]:
    """Return the statements of a formula, in which ``names`` are read as one name each."""
    tokens = _plain(_tokens(tex, names))
    if _spoken_of(tokens):
        return ()
    try:
        return tuple(_Statements(tokens, tex).statements())
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
    tokens = _tokens(tex, names)
    return _Statements(tokens, tex).whole(tokens)
