"""Searches conditions on how many elements are beyond a bound: *three of the trees are below 20 m*.

A quantifier, a count or a share before the comparison says of how many elements it holds; without
one, a label says of which. The bound is a number, a unit (*longer than a metre*), or a mean.

A *family* is the elements of one list, dictionary or loop. `spoken` is a word of comparison in the
sentence, and the *evidence* for a family is a score of what the sentence says of its names and its
dimension (`Scope.evidence`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from vaultkit.claims.comparisons import ComparisonWord
from vaultkit.claims.stated import Stated
from vaultkit.claims.units import unit_named
from vaultkit.edit.bind_compared import SCORE
from vaultkit.edit.families import Family
from vaultkit.edit.kinds import is_bound, is_count, is_multiple, is_ordinal
from vaultkit.edit.scope import Scope, Word, choose_reading
from vaultkit.edit.sentences import Candidate
from vaultkit.edit.wording import NAMED, overlap, stems

#: The signs of the words that bound.
_SIGNS = {"more": ">", "less": "<", "at_least": ">=", "at_most": "<="}
#: How far the nearest element may be from a bound that is meant; and if nothing is named.
_NEAR, _NEXT = 0.5, 0.2
#: Most characters between a word that bounds and its number.
_GAP = 16
#: Fewest elements of which some are beyond a bound.
_FEW = 3
_Reading = tuple[float, bool, Candidate]


@dataclass(frozen=True)
class Quantity:
    """Of how many elements something is said.

    Attributes
    ----------
    name
        ``all``, ``none``, ``most``, ``few``, ``count`` or ``share``.
    value
        The count or the share.
    stated
        The number that says it, if it is one.
    size
        How many elements there are in all, if that is said: *two of the five*.
    """

    name: str
    value: Fraction = Fraction(0)
    stated: Stated | None = None
    size: int | None = None

    def holds(self, met: list[bool]) -> bool:
        """Return whether it is the number of truths in a list, of which it must be a part."""
        share = Fraction(sum(met), len(met))
        match self.name:
            case "all":
                return share == 1
            case "none":
                return share == 0
            case "most":
                return Fraction(1, 2) < share < 1
            case "few":
                return 0 < share < Fraction(1, 2)
            case "count":
                return 0 < share < 1 and sum(met) == self.value
        return share == self.value

    def condition(self, each: str, size: str) -> str:
        """Return the code that as many elements meet a condition, given for each of them."""
        share = {"most": ">", "few": "<", "share": "=="}
        if self.name in share:
            whole = f"{size} / 2" if self.value in (0, Fraction(1, 2)) else f"{size} * {self.value}"
            return f"sum({each}) {share[self.name]} {whole}"
        counted = f"sum({each}) == {self.value}"
        return {"all": f"all({each})", "none": f"not any({each})"}.get(self.name, counted)


@dataclass(frozen=True)
class Bound:
    """A value beyond which elements are, and its code."""

    value: float
    code: str


def conditions(scope: Scope, spoken: ComparisonWord) -> list[Candidate]:
    """Return the conditions for a word that bounds elements."""
    return choose_reading(
        [(evidence, holds, candidate) for evidence, holds, candidate, _ in _read(scope, spoken)]
    )


def numbers(scope: Scope, spoken: ComparisonWord) -> Iterator[Word]:
    """Yield the count or share before a word that bounds, with its expression."""
    quantity = _quantity(scope, spoken)
    if not quantity or not quantity.stated:
        return
    expressions = [
        (evidence, holds, value) for evidence, holds, _, value in _read(scope, spoken) if value
    ]
    if chosen := choose_reading(expressions):
        yield Word(quantity.stated.start, quantity.stated.end, chosen, states=False)


def _read(
    scope: Scope, spoken: ComparisonWord
) -> Iterator[tuple[float, bool, Candidate, Candidate | None]]:
    """Yield for each family whether as many elements are beyond the bound.

    There are the evidence for the family, the condition, and the expression of the count.
    """
    if spoken.meaning not in _SIGNS:
        return
    sign, quantity = _SIGNS[spoken.meaning], _quantity(scope, spoken)
    start, _ = scope.clause(spoken.start)
    for family in scope.all_families:
        bounds = [] if family.is_text else list(_bounds(scope, spoken, family))
        evidence = scope.evidence(spoken, family, may_be_unknown=True) if bounds else None
        if evidence is None:
            continue
        labels = [one for one in scope.mentions(family) if start <= one.start < spoken.start]
        for bound in bounds:
            nearest = min(abs(value - bound.value) for value in family.numbers)
            if quantity and quantity.name == "only":
                if only := _only(scope, spoken, family, f"{sign} {bound.code}"):
                    met = [_compares(value, sign, bound.value) for value in family.numbers]
                    holds = sum(met) == 1 and met[only[0]]
                    yield evidence, holds, Candidate(only[1], SCORE + 1 + evidence, True), None
                continue
            if not quantity:
                if labels and labels[-1].is_text and not spoken.denied and evidence:
                    element = family.elements[labels[-1].index]
                    if nearest > _NEAR * abs(bound.value):
                        continue
                    code = f"{element.code} {sign} {bound.code}"
                    holds = _compares(float(element.value), sign, bound.value)
                    score = SCORE + 1 + evidence - element.cost
                    yield evidence, holds, Candidate(code, score, True), None
                continue
            size = len(family.elements)
            if labels or family.loop is None or quantity.size not in (None, size):
                continue
            if size < _FEW and quantity.size != size:
                continue
            met = [_compares(value, sign, bound.value) for value in family.numbers]
            far = _NEAR if evidence else _NEXT
            if len(set(met)) == 1 and nearest > far * abs(bound.value):
                continue
            each = family.loop.that(f"{sign} {bound.code}")
            whole = f"len({family.owner})" if family.owner and family.count == size else f"{size}"
            score = SCORE + 1 + evidence + (quantity.size == size)
            holds = quantity.holds(met)
            condition = Candidate(quantity.condition(each, whole), score, True)
            value = None
            if quantity.stated:
                share = quantity.name == "share"
                code = f"sum({each}) / {whole}" if share else f"sum({each})"
                value = Candidate(code, score, True, (), float(quantity.value))
            yield evidence + (quantity.size == size), holds, condition, value


def _only(
    scope: Scope, spoken: ComparisonWord, family: Family, condition: str
) -> tuple[int, str] | None:
    """Return the element of which alone something is said, and the code: *only the last one*."""
    start, _ = scope.clause(spoken.start)
    words, text, count = scope.page.words, scope.text, len(family.elements)
    labels = [
        mention for mention in scope.mentions(family) if start <= mention.start < spoken.start
    ]
    place = words.regex(r"\b<bounds.only>\s<grammar.the>\s(\w+)\s").search(
        text, start, spoken.start
    )
    if place and place[1].lower() in words.words["grammar"]["last"]:
        index = count - 1
    elif place and (number := words.value("ordinals", place[1])):
        index = int(number) - 1
    elif len(labels) == 1 and labels[0].is_text:
        index = labels[0].index
    else:
        return None
    if family.loop is None or count < _FEW or index >= count:
        return None
    each, element = family.loop.that(condition), family.elements[index].code
    return index, f"sum({each}) == 1 and {element} {condition}"


def _number(scope: Scope, spoken: ComparisonWord) -> Stated | None:
    """Return the number behind a word that bounds it, or that before *or more*."""
    words = scope.page.words
    if words.regex(r"<bounds.behind>\b").match(spoken.word):
        near = [
            candidate
            for candidate, _ in scope.readings
            if 0 <= spoken.start - candidate.end <= _GAP
        ]
        return near[-1] if near else None
    behind = (
        stated for stated, _ in scope.readings
        if stated.start == spoken.start or 0 <= stated.start - spoken.end <= _GAP
    )  # fmt: skip
    number = next(behind, None)
    if number is None or number.times:
        return None
    between = scope.text[spoken.end : max(number.start, spoken.end)]
    # *Above magnitude 6*
    noun = r"(?:(?!<grammar.the>\b)[^\W\d]{3,}\s)?" if number.digits else ""
    gap = words.regex(
        rf"\s?(?:(?:[^\W\d]+\s)?<binding.than>\s)?(?:<grammar.articles>\s)?{noun}[€$£]?"
    )
    return number if gap.fullmatch(between) else None


def _bounds(scope: Scope, spoken: ComparisonWord, family: Family) -> Iterator[Bound]:
    """Yield the values that may bound the elements of a family, by the words behind."""
    words, text = scope.page.words, scope.text
    if number := _number(scope, spoken):
        for scale in number.scales[:2]:
            value = float(number.value * scale)
            yield Bound(value, f"{value:.12g}")
        return
    _, end = scope.clause(spoken.start)
    than = words.regex(r"\s(?:<binding.than>\s)?").match(text, spoken.end, end)
    is_zero = than and words.regex(r"<bounds.zero>\b").match(text, than.end(), end)
    if is_zero or words.regex(r"<bounds.of_zero>").fullmatch(spoken.word):
        yield Bound(0.0, "0")
    if not than:
        return
    if match := words.regex(r"<grammar.one>\s([^\W\d_]+)").match(text, than.end(), end):
        factors = words.words["smaller_units"].get(unit_named(match[1], words), [])
        for factor in map(float, factors):
            yield Bound(factor, f"{factor:.12g}")
        return
    if words.regex(r"<bounds.one>\W*$").match(text, than.end(), end):
        yield Bound(1.0, "1")
    elif match := words.regex(r"<binding.the>\s([^\W\d_]+)").match(text, than.end(), end):
        said = stems(match[1], spoken=True)
        yield from _named(scope, said, family) if said else ()
    elif words.regex(r"<bounds.it>\b").match(text, than.end(), end):
        places = scope.page.places.get(id(scope.sentence.piece), [])
        earlier = [atom for place, atom in places if place < spoken.start][-1:]
        yield from (Bound(float(a.value), a.code) for a in earlier if not a.series)


def _named(scope: Scope, said: frozenset[str], family: Family) -> Iterator[Bound]:
    """Yield the variable, or the mean of a family, that some words name."""
    of_family = {f"{family.owner}.mean()", f"sum({family.owner}) / len({family.owner})",
                 f"sum({family.owner}.values()) / len({family.owner})"}  # fmt: skip
    for atom in scope.numbers:
        is_named = overlap(atom.names, said) >= NAMED
        is_plain = atom.code.isidentifier() or atom.code in of_family
        # *The average* may be the label of what is printed.
        is_printed = not atom.series and any(said <= phrase for phrase in atom.phrases)
        if is_printed or (is_named and is_plain):
            yield Bound(float(atom.value), atom.code)
            return


def _quantity(scope: Scope, spoken: ComparisonWord) -> Quantity | None:
    """Return of how many elements a word of comparison is said, by the words before it."""
    start, _ = scope.part(spoken.start)
    words, text = scope.page.words, scope.text
    before = text[start : spoken.start]
    quantifiers = [name for _, name in words.find("quantifiers", before)]
    denied = [name for _, name in words.find("counts", before) if name == "0"]
    name = quantifiers[-1] if quantifiers else ""
    if denied and name not in ("all", "most", "not_all"):
        name = "none"
    size, value, stated, limit = None, Fraction(0), None, _number(scope, spoken)
    of = words.regex(r"\b(?:<bounds.of>|<quantifiers.all>)\s(?:<grammar.the>\s|<bounds.those>\s)?$")
    for number, _ in scope.readings:
        if not start <= number.start < spoken.start or is_ordinal(number, text) or number == limit:
            continue
        if is_count(number):
            if of.search(text, start, number.start):
                size = int(number.value)
            elif not stated:
                stated, value = number, number.value
        elif _is_share(scope, number):
            return Quantity("share", number.value, number)
    if words.regex(r"\b<bounds.two>\b").search(before):
        size = 2
    if stated:
        return Quantity("count", value, stated, size) if name in ("", "some") else None
    if not name and words.regex(r"\b<bounds.one_of>\b").search(before):
        return Quantity("count", Fraction(1), None, size)
    if not name and words.regex(r"\b<bounds.only>\b").search(before):
        return Quantity("only", size=size)
    known = name in ("all", "none", "most", "few")
    return Quantity(name, size=size) if known else None


def _is_share(scope: Scope, stated: Stated) -> bool:
    """Return whether a number is a share of several things: *half of the months*."""
    if not is_multiple(stated) or is_bound(stated) or stated.value >= 1:
        return False
    return bool(scope.page.words.regex(r"\s<bounds.of>\b").match(scope.text, stated.end))


def _compares(value: float, sign: str, limit: float) -> bool:
    return {
        ">": value > limit, "<": value < limit, ">=": value >= limit, "<=": value <= limit
    }[sign]  # fmt: skip
