"""From tokens to the tree."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any, TypeVar

from vaultkit.tex.tokens import (
    ACCENTS,
    BARS,
    DOTS,
    DOUBLE_BARS,
    FONTS,
    FUNCTIONS,
    IMPLIES,
    NAMES,
    OPEN,
    OPERATORS,
    PREFIXES,
    PRIMES,
    REDUCTIONS,
    RELATIONS,
    SEPARATORS,
    SPOKEN,
    TOPS,
    UNJUDGED,
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
    Function,
    Matrix,
    Membership,
    Node,
    Norm,
    Number,
    Power,
    Product,
    Range,
    Reduce,
    Slice,
    Statement,
    Subscript,
    Sum,
    Symbol,
    TexError,
    Transpose,
    walk,
)

#: How deep brackets, fractions and indices may stand in each other, and how long a chain of
#: factors may be.
DEEPEST, LONGEST_CHAIN = 30, 120
#: What the dots of ``x_1 + \dots + x_n`` run over; no note can bind such a name.
HIDDEN = "\N{MIDDLE DOT}"

# Words between statements. Those of the first kind bring a condition; those of the second only
# join; what the third kind says cannot be judged.
_CONDITION = re.compile(
    r"\s*(?:and\s+)?(?:if|for|when|whenever|provided|unless|as long as)"
    r"(?:\s+(?:all|each|every|any|that|and only if))?\s*$"
)
_JOINING = re.compile(
    r"\s*(?:(?:and|so|then|hence|thus|therefore|because|since|where|with|but|while|also|that is|"
    r"so that|we have|it holds|let|i\.e\.|as)[\s,:]*)+$"
)
_OTHERWISE = re.compile(r"\s*(?:otherwise|else|elsewhere)[\s.,]*$")
_WORDS = re.compile(
    r"\s*(?:for|where|if|and|so|with|when|or|otherwise|else|because|since|hence|unless|iff|thus|"
    r"therefore|whenever|provided|then|but|while)\b"
)
_CLAIMING = re.compile(
    r"\b(?:is|are|equals?|becomes?|exceeds?|at most|at least|less|greater|larger|smaller|same as|"
    r"not|gives|yields|if|unless|or)\b"
)
_SIGNS = re.compile(r"[=<>≤≥≈≠∈→⇒]")
#: Words that say what number something is, all of them in one \\text.
_SAYING = re.compile(_CLAIMING.pattern + r"[^.;]*\d")
_SETS = {"R": "R", "N": "N", "Z": "Z", "ℝ": "R", "ℕ": "N", "ℤ": "Z"}
_ENVIRONMENTS = ("aligned", "align", "align*", "gathered", "split", "alignedat", "equation",
                 "equation*", "gather", "gather*")  # fmt: skip
_MATRICES = ("matrix", "pmatrix", "bmatrix", "Bmatrix", "smallmatrix", "vmatrix", "cases", "dcases")
_KNOWN_SETS = (
    r"of all sets, only \mathbb{R}, \mathbb{N}, \mathbb{Z}, intervals and sets of numbers are known"
)
_N = TypeVar("_N", bound=Node)

#: Letters that count where they stand as an index: ``y_i < 0, i = 2`` is of the second alone.
_COUNTING = frozenset("ijklrst")

#: Numbers in words that would have to be backed.
_COUNTS = re.compile(r"\d\d|\d\.\d")
#: Braces, and behind which mark they say what the thing in them is.
_BRACES = {r"\underbrace": "_", r"\overbrace": "^"}


class _Parser:
    def __init__(
        self,
        tokens: Sequence[Token],
        tex: str = "",
        depth: int = 0,
        claims: list[Node] | None = None,
    ) -> None:
        self.tokens = list(tokens)
        self.tex = tex
        self.at = 0
        self.depth = depth
        self.braced = claims if claims is not None else []
        #: The environments that have begun and not ended.
        self.environments: list[str] = []

    # Looking and taking

    @property
    def next(self) -> str:
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    @property
    def kind(self) -> str:
        return self.tokens[self.at].kind if self.at < len(self.tokens) else ""

    def take(self, text: str | None = None) -> str:
        if text is not None and self.next != text:
            raise self.error(f"expected {text!r}, found {self.next or 'the end'!r}")
        if self.at >= len(self.tokens):
            raise self.error("it ends too early")
        self.at += 1
        return self.tokens[self.at - 1].text

    def peek(self, ahead: int) -> str:
        at = self.at + ahead
        return self.tokens[at].text if at < len(self.tokens) else ""

    def error(self, message: str) -> TexError:
        if self.at < len(self.tokens):
            token = self.tokens[self.at]
            return TexError(message, token.start, token.end)
        end = self.tokens[-1].end if self.tokens else len(self.tex)
        return TexError(message, end, end)

    def unread(self) -> TexError:
        if self.next in UNJUDGED:
            return self.error(f"the relation {self.next} cannot be judged")
        if self.next in SPOKEN:
            return self.error(f"{self.next} cannot be judged")
        return self.error(f"cannot read {self.next or 'the end'!r} here")

    def start(self) -> int:
        return self.tokens[self.at].start if self.at < len(self.tokens) else 0

    def placed(self, start: int, node: _N) -> _N:
        """Note where a node stands."""
        if node.span == (0, 0) and self.at:
            object.__setattr__(node, "span", (start, self.tokens[self.at - 1].end))
        return node

    def deeper(self) -> int:
        # Each bracket is passed twice: as a bracket, and as the sum in it.
        if self.depth > 2 * DEEPEST:
            raise self.error(f"it is nested more than {DEEPEST} deep")
        return self.depth + 1

    def group(self) -> list[Token]:
        """Take ``{…}``, or a single token."""
        if self.next != "{":
            if self.kind == "number" and self.next[0].isdigit() and len(self.next) > 1:
                # TeX takes one digit: \frac12 is a half, and x^12 is not x^{12}.
                token = self.tokens[self.at]
                first = replace(token, text=token.text[0], end=token.start + 1)
                rest = replace(token, text=token.text[1:], start=token.start + 1)
                self.tokens[self.at : self.at + 1] = [first, rest]
            self.take()
            return self.tokens[self.at - 1 : self.at]
        start, depth = self.at + 1, 0
        while True:
            depth += {"{": 1, "}": -1}.get(self.take(), 0)
            if depth == 0:
                return self.tokens[start : self.at - 1]

    def inner(self, tokens: Sequence[Token]) -> _Parser:
        return _Parser(tokens, self.tex, self.deeper(), self.braced)

    def whole(self, tokens: Sequence[Token]) -> Node:
        """Read all of some tokens as one sum."""
        if not tokens:
            raise self.error("there is nothing between the brackets")
        parser = self.inner(tokens)
        node = parser.sum()
        if parser.next:
            raise parser.unread()
        return node

    # Statements

    def statements(self) -> list[Node]:
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
                    found[since:] = [self.under(s, conditions) for s in found[since:]]
                else:
                    waiting += conditions
                continue
            if self.next in IMPLIES:
                self.take()
                if not found[last:]:
                    raise self.error("nothing stands before the arrow")
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
                    raise self.unread()
            if not said and len(self.braced) == braced:
                end = self.tokens[self.at - 1].end
                text = " ".join(self.tex[begin:end].split()).rstrip("., ;")
                raise TexError(f"{text!r} states nothing", begin, end)
            ranges += [s for s in said if isinstance(s, Range)]
            said = [self.under(s, waiting) for s in said if not isinstance(s, Range)]
            if said:
                last = len(found)
                found += said
        if self.environments:
            raise self.error(f"\\begin{{{self.environments[-1]}}} is never ended")
        found += [self.under(claim, ()) for claim in self.braced]
        if waiting and not found:
            raise self.error("a condition, and nothing that it is one of")
        ranges += self.counted(found)
        for limits in ranges:
            users = [s for s in found if limits.index in walk(s)]
            found = [self.under(s, (limits,)) if s in users else s for s in found]
            if not users:
                found.append(limits)
        return found

    @staticmethod
    def counted(found: list[Node]) -> list[Range]:
        """Take ``i = 2`` out of what is stated where i is an index of the other statements."""
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
    def under(statement: Any, conditions: tuple[Node, ...]) -> Any:
        return replace(statement, when=statement.when + conditions) if conditions else statement

    def separator(self) -> bool:
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
        if self.next in SEPARATORS or (self.kind == "text" and _JOINING.match(self.next)):
            self.take()
            return True
        return False

    def condition_begins(self) -> bool:
        if self.next == r"\forall":
            return True
        if self.kind == "text" and _WORDS.match(self.next) and not _JOINING.match(self.next):
            if not _CONDITION.match(self.next) or "unless" in self.next or "only" in self.next:
                raise self.error(f"the words {self.next.strip()!r} cannot be judged")
            return True
        return self.condition_in_brackets()

    def condition_in_brackets(self) -> bool:
        """Tell whether ``(x > 0)`` begins here."""
        if self.next != "(":
            return False
        depth = 0
        for token in self.tokens[self.at :]:
            depth += (token.text in ("(", "{", "[", r"\{")) - (token.text in (")", "}", "]", r"\}"))
            if depth == 1 and token.text in RELATIONS:
                return True
            if depth == 0:
                break
        return False

    def conditions(self) -> tuple[Node, ...]:
        """Read the conditions behind ``if`` or ``for``, or those in brackets."""
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
                raise parser.unread()
            return found
        indices = self.next == r"\forall" or "for" in self.next
        self.take()
        return self.listed_conditions(indices)

    def listed_conditions(self, indices: bool) -> tuple[Node, ...]:
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
        """Read a statement, or several that share their relation; none, if it states nothing."""
        start = self.start()
        lefts = [self.sum()]
        while self.next == "," and self.relation_ahead():
            self.take()
            lefts.append(self.sum())
        if not self.relation() and self.next == ",":
            # Names in a row, with no relation behind them.
            while self.next == ",":
                self.take()
                if not self.next:
                    break
                lefts.append(self.sum())
        sides: list[Node] = []
        relations: list[str] = []
        while self.relation():
            # A row of an aligned formula may begin with the relation.
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
            raise self.unread()
        if self.next == r"\pmod" and relations:
            # They leave the same rest.
            self.take()
            divisor = self.whole(self.group())
            if set(relations) != {"="}:
                raise self.error("\\pmod stands behind \\equiv alone")
            lefts = [Product("mod", left, divisor) for left in lefts]
            sides = [Product("mod", side, divisor) for side in sides]
            return self.chains(start, lefts, relations, sides)
        if relations == ["="]:
            limits = self.range(start, lefts, sides[0]) or self.values(start, lefts, sides[0])
            if limits:
                return [limits]
        return self.chains(start, lefts, relations, sides)

    def range(self, start: int, lefts: list[Node], low: Node) -> Range | None:
        r"""Read the rest of ``i = 1, \dots, n`` or ``i = 1, 2, \dots, n``."""
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
            raise self.error("only steps of one are known between dots")
        return self.placed(start, Range(lefts[0], low, high))

    def values(self, start: int, lefts: list[Node], low: Node) -> Range | None:
        """Read the rest of ``i = 1, 2, 3``."""
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
        return self.placed(start, Range(lefts[0], numbers[0], numbers[-1]))

    def dots_ahead(self) -> bool:
        r"""Tell whether dots stand behind the next part of a list: ``, 2, \dots``."""
        texts = [t.text for t in self.tokens[self.at + 1 : self.at + 8]]
        for text, following in itertools.pairwise(texts):
            if text == ",":
                return following in DOTS
            if text in SEPARATORS or text in RELATIONS:
                return False
        return False

    def relation(self) -> bool:
        """Tell whether a relation comes next, perhaps at the beginning of the next row."""
        ahead = 0
        while self.peek(ahead) in (r"\\", r"\quad", r"\qquad"):
            ahead += 1
        return self.peek(ahead) in RELATIONS and (ahead == 0 or self.next == r"\\")

    def relation_ahead(self) -> bool:
        r"""Tell whether ``a, b`` share a relation: ``a, b = c`` does, ``a, \quad b = c`` not."""
        depth = 0
        for token in self.tokens[self.at + 1 :]:
            depth += (token.text in ("(", "{", "[", r"\{")) - (token.text in (")", "}", "]", r"\}"))
            if depth < 0 or token.text in (r"\quad", r"\qquad", r"\\", ";"):
                return False
            if token.kind == "text" and _WORDS.match(token.text):
                return False
            if depth == 0 and token.text in RELATIONS:
                return True
        return False

    def chains(
        self, start: int, lefts: list[Node], relations: list[str], sides: list[Node]
    ) -> list[Node]:
        if not relations:
            return []
        lefts, limits = self.listed(lefts)
        return [
            self.placed(start, Statement((left, *sides), tuple(relations), limits))
            for left in lefts
        ]

    def listed(self, parts: list[Node]) -> tuple[list[Node], tuple[Node, ...]]:
        r"""Read ``x_1, \dots, x_n`` as one of them, under the condition that it is one."""
        if not any(isinstance(part, Dots) for part in parts):
            return parts, ()
        at = next(n for n, part in enumerate(parts) if isinstance(part, Dots))
        if not 0 < at < len(parts) - 1:
            raise self.error("dots with nothing on one side")
        template, low, high = self.general(parts[at - 1], parts[at + 1])
        limits = Range(Symbol(HIDDEN), low, high)
        return [*parts[: at - 1], template, *parts[at + 2 :]], (limits,)

    def general(self, first: Node, last: Node) -> tuple[Node, Node, Node]:
        """Find what two things have in common, and in which number they differ."""
        pairs: list[tuple[Node, Node]] = []

        def common(a: Any, b: Any) -> Any:
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

    def members(self, start: int, elements: list[Node], negated: bool) -> list[Node]:
        elements, limits = self.listed(elements)
        claims: list[dict[str, Any]] = []
        if self.next == r"\mathbb" or self.next in _SETS:
            if self.next == r"\mathbb":
                self.take()
                name = "".join(t.text for t in self.group())
            else:
                name = self.take()
            if name not in _SETS:
                raise self.error(_KNOWN_SETS)
            bound, dims = self.decorations(whole=_SETS[name] != "R")
            claims.append({"kind": _SETS[name], "dims": dims or ()})
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
                    raise self.unread()
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
            raise self.unread()
        return [
            self.placed(start, Membership(element, negated=negated, when=limits, **claim))
            for element in elements
            for claim in claims
        ]

    def decorations(self, whole: bool = False) -> tuple[str, tuple[Node, ...] | None]:
        r"""Read what stands at a set: ``_{>0}``, ``^{n \times m}``.

        The positive whole numbers are without 0, the non-negative reals, written alike, with it.
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

    def dims(self, tokens: list[Token]) -> tuple[Node, ...]:
        parts = _cut(tokens, r"\times")
        return tuple(self.whole(part) for part in parts)

    # Expressions

    def sum(self) -> Node:
        start = self.start()
        terms: list[tuple[int, Node]] = []
        self.depth = self.deeper()
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
            terms = self.dotted(terms)
        if terms == [(1, terms[0][1])]:
            return terms[0][1]
        return self.placed(start, Sum(tuple(terms)))

    def go_on(self, signs: Collection[str]) -> None:
        """Pass to the next row where that begins with a sign, and has no relation of its own."""
        ahead = 0
        while self.peek(ahead) in (r"\\", r"\quad", r"\qquad"):
            ahead += 1
        if (self.peek(ahead), self.peek(ahead + 1)) == ("{", "}"):  # it spaces the sign
            ahead += 2
        if self.next != r"\\" or self.peek(ahead) not in signs:
            return
        for token in self.tokens[self.at + ahead :]:
            if token.text in RELATIONS:
                return
            if token.text == r"\\":
                break
        self.at += ahead

    def dotted(self, terms: list[tuple[int, Node]]) -> list[tuple[int, Node]]:
        r"""Read ``x_1 + \dots + x_n`` as a sum."""
        at = next((n for n, (_, term) in enumerate(terms) if isinstance(term, Dots)), None)
        if at is None:
            return terms
        if not 0 < at < len(terms) - 1 or len({sign for sign, _ in terms[at - 1 : at + 2]}) > 1:
            raise self.error("dots that do not say what they stand for")
        (sign, first), last = terms[at - 1], terms[at + 1][1]
        body, low, high = self.general(first, last)
        for _, earlier in terms[max(at - 2, 0) : at - 1]:
            _, before, _ = self.general(earlier, last)
            match before, low:
                case Number(one), Number(two) if float(one) + 1 != float(two):
                    raise self.error("only steps of one are known between dots")
        rest = self.dotted(terms[at + 2 :]) if at + 2 < len(terms) else []
        return [*terms[: at - 1], (sign, Reduce("sum", (HIDDEN,), low, high, body)), *rest]

    def term(self) -> Node:
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
            right = right if sign > 0 else self.placed(start, Sum(((-1, right),)))
            if isinstance(node, Dots) or isinstance(right, Dots):
                raise self.error("dots between factors are not read; write \\prod")
            node = _quotient(node, right) if op == "/" else Product(op, node, right)
            node = self.placed(start, node)
            self.go_on(OPERATORS)
            links += 1
            if links > LONGEST_CHAIN:
                raise self.error(f"a chain of more than {LONGEST_CHAIN} factors")
        return node

    def product(self) -> Node:
        start = self.start()
        node = self.factor()
        links = 0
        while self.begins_factor():
            last = self.tokens[self.at - 1]
            braced = self.next == "{" and self.tokens[self.at + 1 : self.at + 2]
            digits = self.kind == "number" or (braced and braced[0].kind == "number")
            # `N_0 2` is one, `x_12` is not: is it `x_{12}` that is meant?
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
            node = self.placed(start, Product("", node, self.factor()))
            links += 1
            if links > LONGEST_CHAIN:
                raise self.error(f"a chain of more than {LONGEST_CHAIN} factors")
        return node

    def begins_factor(self) -> bool:
        text, kind = self.next, self.kind
        if not text or text in RELATIONS or text in SEPARATORS or text in OPERATORS:
            return False
        if text in UNJUDGED or text in IMPLIES or text in SPOKEN - {r"\partial", r"\nabla"}:
            return False
        if kind == "text":
            return not _WORDS.match(text)
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
        """Tell whether a bar opens: it does where an even number of them stand before it."""
        text = self.next
        return sum(token.text == text for token in self.tokens[: self.at]) % 2 == 0

    def factor(self) -> Node:
        start = self.start()
        return self.placed(start, self._factor())

    def _factor(self) -> Node:
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
                raise self.error(r"write \nabla with what it is taken by, as in \nabla_W L")
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
            return Apply(Symbol(name), (self.factor(),))
        return self.postfix(self.atom())

    def reduction(self) -> Node:
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
            raise self.error("dots stand for nothing here")
        if not indices and not conditions:
            used = {i for s in walk(body) if isinstance(s, Subscript) for i in s.indices}
            if len(used) != 1:
                raise self.error(f"\\{kind} does not say over what")
            indices = (_name_of(used.pop()),)
        if high is not None and low is None:
            low = Number("1")
        return Reduce(kind, indices, low, high, body, conditions)

    def below(self, kind: str) -> tuple[tuple[str, ...], Node | None, tuple[Node, ...]]:
        r"""Read what stands below ``\sum``: ``j``, ``j = 1``, ``i, j``, ``i < j``."""
        if not any(token.text in RELATIONS for token in self.tokens):
            names = tuple(_name_of(self.whole(part)) for part in _cut(self.tokens, ","))
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
            if self.next or not _name_of(name):
                raise self.error(f"cannot read the index of \\{kind}")
            return (_name_of(name),), low, ()
        self.at = at
        conditions = self.listed_conditions(False)
        while self.next == ",":
            self.take()
            conditions += self.listed_conditions(False)
        if self.next:
            raise self.unread()
        return (), None, conditions

    def function(self) -> Node:
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

    def postfix(self, node: Node) -> Node:
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
                # Whether it is a function or a factor, only the note's variables tell.
                node = Apply(node, self.arguments())
            else:
                return node
            self.placed(start, node)
        raise self.error(f"more than {LONGEST_CHAIN} marks on one thing")

    def applies(self, node: Node) -> bool:
        if self.next == "(" and not self.condition_in_brackets():
            return isinstance(node, (Symbol, Subscript)) or node == Function("E")
        word = isinstance(node, Symbol) and len(node.name) > 1
        return self.next == "[" and (
            node == Function("E") or (word and self.tokens[self.at - 1].kind == "text")
        )

    def named(self, node: Node) -> str:
        name = _name_of(node)
        if not name:
            raise self.error("only a name can have this mark")
        return name

    def subscript(self, base: Node, tokens: list[Token]) -> Node:
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
            raise self.error("an index where none is known")
        parser = self.inner(tokens)
        if parser.next == "(" and tokens[-1].text == ")":
            parser = self.inner(tokens[1:-1])
        parts = [t.removeprefix("var") if t.startswith("vare") else t for t in texts]
        called = all(t.kind != "char" or t.text.isalnum() or t.text in ",_{}" for t in tokens)
        name = ""
        if _name_of(base) and called:
            name = python_name(f"{_name_of(base)}_{''.join(parts)}")
        extreme = len(tokens) == 1 and tokens[0].text in (r"\max", r"\min")
        if extreme or any(r"\_" in t.text for t in tokens if t.kind != "text"):
            return Symbol(name)  # x_{\max} is a name
        indices: list[Node] = []
        while parser.next:
            if parser.next in (",", ";") and indices:
                parser.take()
                continue
            if parser.next in (":", r"\cdot") and parser.peek(1) in ("", ","):
                parser.take()
                indices.append(Slice())
                continue
            # Letters side by side are indices side by side: ij is i, j; but 2i is a product.
            if parser.kind in ("char", "text") and parser.next.isalpha():
                node = parser.postfix(parser.atom())
                if parser.next == "/":
                    parser.take()
                    node = Product("/", node, parser.term())
                terms = [(1, node)]
                while parser.next in ("+", "-"):
                    terms.append((1 if parser.take() == "+" else -1, parser.term()))
                indices.append(Sum(tuple(terms)) if len(terms) > 1 else node)
            elif parser.next in RELATIONS:
                raise parser.unread()
            else:
                indices.append(parser.sum())
        if not indices:
            raise self.error("an empty index")
        return Subscript(base, tuple(indices), name)

    def superscript(self, base: Node, tokens: list[Token]) -> Node:
        texts = [t.text for t in tokens]
        if not texts:
            raise self.error("an empty exponent")
        if len(texts) == 1 and texts[0] in TOPS:
            return Transpose(base)
        if isinstance(base, Function):
            raise self.error("an exponent where none is known")
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
        self.depth = self.deeper()
        closing = OPEN[self.take()]
        arguments: list[Node] = []
        while self.next != closing:
            arguments.append(self.sum())
            if self.next in (",", ";"):
                self.take()
                if self.next == closing:
                    raise self.unread()
            elif self.next != closing:
                raise self.unread()
        self.take(closing)
        self.depth -= 1
        if not arguments:
            raise self.error("there is nothing between the brackets")
        return self.several(arguments)

    def several(self, parts: Sequence[Node]) -> tuple[Node, ...]:
        r"""Read the dots in a list: ``x_1, \dots, x_n``."""
        at = next((n for n, part in enumerate(parts) if isinstance(part, Dots)), None)
        if at is None:
            return tuple(parts)
        if not 0 < at < len(parts) - 1:
            return tuple(parts)
        template, low, high = self.general(parts[at - 1], parts[at + 1])
        return (*parts[: at - 1], Reduce("list", (HIDDEN,), low, high, template), *parts[at + 2 :])

    # Atoms

    def atom(self) -> Node:
        start = self.start()
        return self.placed(start, self._atom())

    def _atom(self) -> Node:
        kind, text = self.kind, self.next
        if kind == "number":
            return Number(self.take())
        if kind == "text":
            return self.word()
        if text in OPEN:
            return self.parenthesis()
        if text in BARS or text in DOUBLE_BARS:
            closing = (BARS | DOUBLE_BARS)[self.take()]
            self.depth = self.deeper()
            body = self.sum()
            self.depth -= 1
            self.take(closing)
            return Norm("abs" if text in BARS else "", body)
        if text in (r"\frac", r"\dfrac", r"\tfrac"):
            self.take()
            above = self.whole(self.group())
            return _quotient(above, self.whole(self.group()), in_line=False)
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
        if text in _BRACES:
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
        if kind == "char" and text.isalpha() and text not in _SETS:
            return Symbol(self.take())
        if kind == "char" and text in _SETS and len(text) == 1 and text.isascii():
            return Symbol(self.take())
        if not text:
            raise self.error("cannot read 'the end' here")
        raise self.unread()

    def is_name(self) -> bool:
        return self.next in NAMES and self.next not in (r"\top", r"\bot")

    def word(self) -> Node:
        text = self.tokens[self.at].text
        if _WORDS.match(text):
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
        r"""``\mathbf{1}``: the vector of ones, or, of a condition in brackets, 1 where it holds."""
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
        if tokens[0].text == r"\{" and tokens[-1].text == r"\}":
            tokens = tokens[1:-1]
        parser = self.inner(tokens)
        conditions = parser.listed_conditions(False)
        while parser.next == ",":
            parser.take()
            conditions += parser.listed_conditions(False)
        if parser.next:
            raise parser.unread()
        return Cases(((Number("1"), conditions), (Number("0"), ())))

    def root(self) -> Node:
        self.take()
        if self.next != "[":
            return Apply(Function("sqrt"), (self.whole(self.group()),))
        self.take()
        order = self.sum()
        self.take("]")
        return Apply(Function("root"), (self.whole(self.group()), order))

    def brace(self) -> Node:
        start = self.start()
        mark = _BRACES[self.take()]
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
                    raise self.error("a brace can say a shape, a value or words, nothing else")
                claim = Statement((body, self.whole(tokens)), (relation,))
                self.braced.append(self.placed(start, claim))
            elif any(_COUNTS.search(text) for text in texts):
                raise self.error("a number in the words of a brace cannot be judged")
        # What stands in a brace is one factor.
        return body

    def blackboard(self) -> Node:
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
                raise self.error(r"\langle q, k \rangle takes two")
            return Apply(Function("inner"), parts)
        if opening in (r"\lfloor", r"\lceil"):
            if len(parts) != 1:
                raise self.error("of one number, please")
            return Apply(Function(opening[2:]), parts)
        if len(parts) != 1 or isinstance(parts[0], Reduce) and parts[0].kind == "list":  # noqa: RUF021
            if opening == r"\{":
                raise self.error("a set stands here, and cannot be judged")
            return Matrix((parts,), loose=True)
        # What follows the bracket belongs to all of it: (f (x))^2 is not f (x)^2, nor (2)(3) 23.
        if opening == "{" and not isinstance(parts[0], Apply):
            return parts[0]
        if isinstance(parts[0], (Apply, Number, Symbol)):
            return self.placed(start, Sum(((1, parts[0]),)))
        return parts[0]

    def environment(self) -> Node:
        self.take(r"\begin")
        name = "".join(t.text for t in self.group())
        if name not in _MATRICES:
            raise self.error(f"the environment {name or '?'} is not known")
        begin, depth = self.at, 1
        while depth:
            depth += {r"\begin": 1, r"\end": -1}.get(self.take(), 0)
        inside = self.tokens[begin : self.at - 1]
        if "".join(t.text for t in self.group()) != name:
            raise self.error(f"\\begin{{{name}}} has another end")
        rows = _cut(inside, r"\\")
        if rows and not rows[-1]:
            rows.pop()
        if not rows or not all(rows):
            raise self.error(f"an empty row in {name}")
        if name in ("cases", "dcases"):
            return Cases(tuple(self.branch(row, row is rows[-1]) for row in rows))
        read = [[self.whole(cell) for cell in _cut(row, "&")] for row in rows]
        if len(read) > 1 and all(len(row) == 1 for row in read):
            parts = self.several([row[0] for row in read])
            return Matrix(tuple((part,) for part in parts), column=True)
        matrix = Matrix(tuple(self.several(row) for row in read))
        return Apply(Function("det"), (matrix,)) if name == "vmatrix" else matrix

    def branch(self, row: list[Token], last: bool) -> tuple[Node, tuple[Node, ...]]:
        at = next(
            (n for n, t in enumerate(row) if t.text == "&" or (t.kind == "text" and (
                _WORDS.match(t.text)))), len(row)
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
        if len(rest) == 1 and rest[0].kind == "text" and _OTHERWISE.match(rest[0].text):
            if not last:
                raise self.error("'otherwise' is not the last case")
            return node, ()
        parser = self.inner(rest)
        if parser.kind == "text":
            known = _CONDITION.match(parser.next) or parser.next.strip() == "where"
            if not known or "unless" in parser.next:
                raise parser.error(f"the words {parser.next.strip()!r} cannot be judged")
            parser.take()
        conditions = parser.listed_conditions(False)
        while parser.next == ",":
            parser.take()
            conditions += parser.listed_conditions(False)
        if parser.next:
            raise parser.unread()
        return node, conditions


def _cut(tokens: Iterable[Token], at: str) -> list[list[Token]]:
    """Cut tokens at a sign, outside brackets and environments."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += token.text in ("{", "(", "[", r"\{", r"\begin")
        depth -= token.text in ("}", ")", "]", r"\}", r"\end")
        if token.text == at and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _digit_by_digit(node: Subscript, other: Subscript) -> Subscript:
    r"""Part the digits of ``\alpha_{21}`` where the other end of the dots is ``\alpha_{2m}``."""
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


def _quotient(above: Node, below: Node, *, in_line: bool = True) -> Node:
    r"""Divide; two differentials make a derivative, whose name the variables may hold.

    In a line, what stands behind ``\partial L / \partial x`` is a factor.
    """
    quotient = Product("/", above, below)
    match above, below:
        case Differential(f), Differential(x):
            return Derivative(f, x)
        case Differential(), Product(op, left, right) if in_line:
            return Product(op, _quotient(above, left), right)
        case Product(op, left, right), Differential():
            return Product(op, left, _quotient(right, below, in_line=in_line))
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
        case _:
            return ""


def _plain(tokens: list[Token]) -> list[Token]:
    r"""Take ``\overset{\text{def}}{=}`` for the sign that it is."""
    plain: list[Token] = []
    while tokens:
        if tokens[0].text not in (r"\overset", r"\stackrel"):
            plain.append(tokens.pop(0))
            continue
        parser = _Parser(tokens[1:])
        words, sign = parser.group(), parser.group()
        said = all(t.kind == "text" or t.text == "!" for t in words)
        if not said or len(sign) != 1 or sign[0].text not in RELATIONS:
            raise TexError(f"cannot read {tokens[0].text} here", tokens[0].start, tokens[0].end)
        plain.append(sign[0])
        tokens = parser.tokens[parser.at :]
    return plain


def _braces_say(tokens: Sequence[Token]) -> bool:
    """Tell whether a brace says the shape or the value of what it holds."""
    for at, token in enumerate(tokens):
        if token.text in _BRACES:
            parser = _Parser(tokens[at + 1 :])
            parser.group()
            if parser.next == _BRACES[token.text]:
                parser.take()
                if any(t.kind != "text" or _COUNTS.search(t.text) for t in parser.group()):
                    return True
    return False


def _spoken_of(tokens: Sequence[Token]) -> bool:
    """Tell whether there is only a sign, or a thing that is named."""
    for token in tokens:
        if token.kind == "text" and _SIGNS.search(token.text):
            raise TexError("a relation in words cannot be judged", token.start, token.end)
    if len(tokens) <= 1:
        for token in tokens:
            if token.kind == "text" and _SAYING.search(token.text):
                raise TexError("a statement in words cannot be judged", token.start, token.end)
        return True
    judged = RELATIONS.keys() | UNJUDGED | IMPLIES
    if any(token.text in judged for token in tokens if token.kind != "text"):
        return False
    if _braces_say(tokens):
        return False
    for token in tokens:
        if token.kind == "text" and _CLAIMING.search(token.text):
            raise TexError(
                f"the words {token.text.strip()!r} cannot be judged", token.start, token.end
            )
    return True


def _nested(tokens: Sequence[Token]) -> None:
    """Refuse what no reader of formulas, ours or another, should have to descend into."""
    depth = bare = 0
    for token, following in zip(tokens, [*tokens[1:], Token("", "")], strict=False):
        depth += token.text in (*OPEN, r"\begin")
        depth -= token.text in (*OPEN.values(), r"\end")
        bare = bare + 1 if token.kind == following.kind == "command" else 0
        if depth > DEEPEST:
            raise TexError(f"it is nested more than {DEEPEST} deep", token.start, token.end)
        if bare > DEEPEST:
            raise TexError("too many commands in a row", token.start, token.end)


@lru_cache(maxsize=4096)
def _parse(tex: str) -> tuple[Node, ...]:
    tokens = _plain(tokenize(tex))
    _nested(tokens)
    if _spoken_of(tokens):
        return ()
    try:
        return tuple(_Parser(tokens, tex).statements())
    except RecursionError:
        raise TexError(f"it is nested more than {DEEPEST} deep") from None


def parse(tex: str) -> list[Node]:
    r"""Read the statements of a formula; none, if it states nothing (``QK^\top``).

    Raises
    ------
    TexError
        If it is not in the grammar.
    """
    return list(_parse(tex))


def parse_expression(tex: str) -> Node:
    """Read a formula that is one expression.

    Raises
    ------
    TexError
        If it is not in the grammar.
    """
    tokens = tokenize(tex)
    _nested(tokens)
    return _Parser(tokens, tex).whole(tokens)
