"""Searches conditions on how many elements are beyond a limit: *three of the trees are below 20 m*.

A quantifier, a count or a share before the comparison says of how many elements it holds; without
one, a label says of which. The limit is a number, a unit (*longer than a metre*), or a mean.

A *family* is the elements of one list, dictionary or loop. `spoken` is a word of comparison in the
sentence, and the *evidence* for a family is a score of what the sentence says of its names and its
dimension (`Scope.evidence`): None if the family is not meant, 0 if nothing speaks for it or against
it, and positive if something speaks for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from vaultkit.claims.comparisons import ComparisonWord
from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.stated import Stated
from vaultkit.claims.units import unit_named
from vaultkit.edit.bind_compared import SCORE
from vaultkit.edit.families import Family
from vaultkit.edit.kinds import is_count, is_limit, is_multiple, is_ordinal
from vaultkit.edit.scope import Mention, Scope, Word, choose_reading
from vaultkit.edit.sentences import Candidate
from vaultkit.edit.wording import NAMED, overlap, stems

#: The signs of the words before a limit.
_SIGNS = {"more": ">", "less": "<", "at_least": ">=", "at_most": "<="}
#: The share of a limit by which the nearest element may differ from it: if the sentence names what
#: is limited, and if not. Farther away, the limit is about something else.
_NEAR, _NEXT = 0.5, 0.2
#: Most characters between a word such as *below* and its number.
_GAP = 16
#: Fewest elements of which some are beyond a limit.
_FEW = 3


@dataclass(frozen=True)
class Quantity:
    """Of how many elements something is said.

    Attributes
    ----------
    name
        ``all``, ``none``, ``most``, ``few``, ``count`` or ``share``; ``only`` for one element
        alone, which the sentence names (`_only`).
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
        """Return whether as many of the elements (``met``) are.

        Unless it is all or none, some must be and some not: of three, *three are* is not said.
        """
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
            case "share":
                return share == self.value
        raise ValueError(f"{self.name} does not say of how many elements")

    def condition(self, each: str, size: str) -> str:
        """Return the code that as many elements meet a condition, given for each of them."""
        share = {"most": ">", "few": "<", "share": "=="}
        if self.name in share:
            whole = f"{size} / 2" if self.value in (0, Fraction(1, 2)) else f"{size} * {self.value}"
            return f"sum({each}) {share[self.name]} {whole}"
        counted = f"sum({each}) == {self.value}"
        return {"all": f"all({each})", "none": f"not any({each})"}.get(self.name, counted)


@dataclass(frozen=True)
class Limit:
    """A value above or below which elements are, and its code."""

    value: float
    code: str


def conditions(scope: Scope, spoken: ComparisonWord) -> list[Candidate]:
    """Return the conditions for a word such as *below*."""
    return choose_reading(
        [(one.evidence, one.holds, one.condition) for one in _read(scope, spoken)]
    )


def numbers(scope: Scope, spoken: ComparisonWord) -> Iterator[Word]:
    """Yield the count or share before a word such as *below*, with its expression."""
    quantity = _quantity(scope, spoken)
    if not quantity or not quantity.stated:
        return
    expressions = [
        (one.evidence, one.holds, one.number) for one in _read(scope, spoken) if one.number
    ]
    if chosen := choose_reading(expressions):
        yield Word(quantity.stated.start, quantity.stated.end, chosen, states=False)


@dataclass(frozen=True)
class _Reading:
    """That as many elements of a family are beyond a limit as the sentence says.

    Attributes
    ----------
    evidence
        The evidence for the family.
    holds
        Whether it is so.
    condition
        The condition for the word of comparison.
    number
        The expression for the count or share, if the sentence states one.
    """

    evidence: float
    holds: bool
    condition: Candidate
    number: Candidate | None = None


def _read(scope: Scope, spoken: ComparisonWord) -> Iterator[_Reading]:
    """Yield the readings of each family of numbers, for each limit that may be meant."""
    if spoken.meaning not in _SIGNS:
        return
    quantity = _quantity(scope, spoken)
    for family in scope.all_families:
        limits = [] if family.is_text else list(_limits(scope, spoken, family))
        # The limit, near which the values are, speaks for a family of an unknown dimension, too.
        evidence = scope.evidence(spoken, family, may_be_unknown=True) if limits else None
        for limit in limits if evidence is not None else ():
            arguments = scope, spoken, family, limit, evidence or 0.0
            if quantity is None:
                reading = _reading_of_label(*arguments)
            elif quantity.name == "only":
                reading = _reading_of_only(*arguments)
            else:
                reading = _reading_of_quantity(*arguments, quantity)
            if reading:
                yield reading


def _labels_before(scope: Scope, spoken: ComparisonWord, family: Family) -> list[Mention]:
    """Return the labels of a family in the clause before a word of comparison."""
    start, _ = scope.clause(spoken.start)
    return [label for label in scope.mentions(family) if start <= label.start < spoken.start]


def _distance(family: Family, limit: Limit) -> float:
    """Return how far the nearest element is from a limit."""
    return min(abs(value - limit.value) for value in family.numbers)


def _reading_of_label(
    scope: Scope, spoken: ComparisonWord, family: Family, limit: Limit, evidence: float
) -> _Reading | None:
    """Return the reading that one element is beyond a limit: *the oak is below 20 m*."""
    labels = _labels_before(scope, spoken, family)
    if not labels or not labels[-1].is_text or spoken.denied or not evidence:
        return None
    if _distance(family, limit) > _NEAR * abs(limit.value):
        return None
    element, sign = family.elements[labels[-1].index], _SIGNS[spoken.meaning]
    holds = _compares(float(element.value), sign, limit.value)
    score = SCORE + 1 + evidence - element.cost
    return _Reading(
        evidence, holds, Candidate(f"{element.code} {sign} {limit.code}", score, sure=True)
    )


def _reading_of_only(
    scope: Scope, spoken: ComparisonWord, family: Family, limit: Limit, evidence: float
) -> _Reading | None:
    """Return the reading that one element alone is: *only the last one is below 20 m*."""
    sign = _SIGNS[spoken.meaning]
    only = _only(scope, spoken, family, f"{sign} {limit.code}")
    if only is None:
        return None
    index, code = only
    met = [_compares(value, sign, limit.value) for value in family.numbers]
    condition = Candidate(code, SCORE + 1 + evidence, sure=True)
    return _Reading(evidence, sum(met) == 1 and met[index], condition)


def _reading_of_quantity(
    scope: Scope, spoken: ComparisonWord, family: Family, limit: Limit, evidence: float,
    quantity: Quantity,
) -> _Reading | None:  # fmt: skip
    """Return the reading that as many elements are: *three of the trees are below 20 m*."""
    sign, size = _SIGNS[spoken.meaning], len(family.elements)
    # A label would say of which element, not of how many.
    is_of_one = bool(_labels_before(scope, spoken, family))
    if is_of_one or family.loop is None or quantity.size not in (None, size):
        return None
    if size < _FEW and quantity.size != size:
        return None
    met = [_compares(value, sign, limit.value) for value in family.numbers]
    are_all_alike = len(set(met)) == 1
    most = (_NEAR if evidence else _NEXT) * abs(limit.value)
    if are_all_alike and _distance(family, limit) > most:
        return None
    evidence += quantity.size == size  # *two of the five*
    each, score = family.loop.that(f"{sign} {limit.code}"), SCORE + 1 + evidence
    whole = f"len({family.owner})" if family.owner and family.count == size else f"{size}"
    condition = Candidate(quantity.condition(each, whole), score, sure=True)
    number = None
    if quantity.stated:
        code = f"sum({each}) / {whole}" if quantity.name == "share" else f"sum({each})"
        number = Candidate(code, score, sure=True, value=float(quantity.value))
    return _Reading(evidence, quantity.holds(met), condition, number)


def _only(
    scope: Scope, spoken: ComparisonWord, family: Family, condition: str
) -> tuple[int, str] | None:
    """Return the index of the element of which alone something is said, and the condition.

    *Only the last one* gives ``(4, "sum(v < 20 for v in x) == 1 and x[-1] < 20")``, where
    ``condition`` is ``< 20``. None if the sentence names no element.
    """
    start, _ = scope.clause(spoken.start)
    words, text, count = scope.page.words, scope.text, len(family.elements)
    labels = _labels_before(scope, spoken, family)
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
    """Return the number behind a word such as *below*, or that before *or more*."""
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
    # *Above magnitude 6*, *longer than the 3 m*, *below $5*
    noun = r"(?:(?!<grammar.the>\b)[^\W\d]{3,}\s)?" if number.digits else ""
    gap = words.regex(
        rf"\s?(?:(?:[^\W\d]+\s)?<binding.than>\s)?(?:<grammar.articles>\s)?{noun}[€$£]?"
    )
    return number if gap.fullmatch(between) else None


def _limits(scope: Scope, spoken: ComparisonWord, family: Family) -> Iterator[Limit]:
    """Yield the limits that the words behind a word of comparison may mean.

    These are a number (*below 20*), zero (*negative*), a unit (*longer than a metre*), one (*below
    one*), a mean or a variable (*above the mean*), or the last bound number (*above it*).
    """
    words, text = scope.page.words, scope.text
    if number := _number(scope, spoken):
        for scale in number.scales[:2]:  # *5 %* is 0.05 or 5
            value = float(number.value * scale)
            yield Limit(value, f"{value:.12g}")
        return
    _, end = scope.clause(spoken.start)
    than = words.regex(r"\s(?:<binding.than>\s)?").match(text, spoken.end, end)
    is_zero = than and words.regex(r"<bounds.zero>\b").match(text, than.end(), end)
    if is_zero or words.regex(r"<bounds.of_zero>").fullmatch(spoken.word):
        yield Limit(0.0, "0")
    if not than:
        return
    if match := words.regex(r"<grammar.one>\s([^\W\d_]+)").match(text, than.end(), end):
        factors = words.words["smaller_units"].get(unit_named(match[1], words), [])
        for factor in map(float, factors):
            yield Limit(factor, f"{factor:.12g}")
        return
    if words.regex(r"<bounds.one>\W*$").match(text, than.end(), end):
        yield Limit(1.0, "1")
    elif match := words.regex(r"<binding.the>\s([^\W\d_]+)").match(text, than.end(), end):
        said = stems(match[1], spoken=True)
        yield from _named(scope, said, family) if said else ()
    elif words.regex(r"<bounds.it>\b").match(text, than.end(), end):
        places = scope.page.places.get(id(scope.sentence.piece), [])
        earlier = [atom for place, atom in places if place < spoken.start][-1:]
        yield from (Limit(float(a.value), a.code) for a in earlier if not a.series)


def _named(scope: Scope, said: frozenset[str], family: Family) -> Iterator[Limit]:
    """Yield the variable, or the mean of a family, that some words name."""
    of_family = {f"{family.owner}.mean()", f"sum({family.owner}) / len({family.owner})",
                 f"sum({family.owner}.values()) / len({family.owner})"}  # fmt: skip
    for atom in scope.numbers:
        is_named = overlap(atom.names, said) >= NAMED
        is_plain = atom.code.isidentifier() or atom.code in of_family
        # *The average* may be the label of what is printed.
        is_printed = not atom.series and any(said <= phrase for phrase in atom.phrases)
        if is_printed or (is_named and is_plain):
            yield Limit(float(atom.value), atom.code)
            return


def _quantity(scope: Scope, spoken: ComparisonWord) -> Quantity | None:
    """Return of how many elements a word of comparison is said, by the words before it.

    None if they do not say it, or only vaguely: *some trees are below 20 m*.
    """
    start, _ = scope.part(spoken.start)
    words, text = scope.page.words, scope.text
    before = text[start : spoken.start]
    name = _quantifier(words, before)
    # *All but two are below 20 m*
    all_but = words.regex(r"\b<quantifiers.all>\s(?:\w+\s){0,3}<bounds.but>\s$")
    size, value, stated, limit = None, Fraction(0), None, _number(scope, spoken)
    # *Of the five* and *all five* say how many there are, other numbers how many are meant.
    of = words.regex(r"\b(?:<bounds.of>|<quantifiers.all>)\s(?:<grammar.the>\s|<bounds.those>\s)?$")
    for number, _ in scope.readings:
        if not start <= number.start < spoken.start or is_ordinal(number, text) or number == limit:
            continue
        if is_count(number):
            if of.search(text, start, number.start):
                size = int(number.value)
            elif all_but.search(text, 0, number.start):
                return None
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


def _quantifier(words: Lexicon, before: str) -> str:
    """Return the name of the quantifier in the words before a comparison; empty without one."""
    found = list(words.find("quantifiers", before))
    place, name = (found[-1][0].start(), found[-1][1]) if found else (len(before), "")
    if name in ("all", "most", "not_all"):
        return name
    behind_with = words.regex(r"\b<bounds.with>\s$")
    # *No tree is below 20 m*, but *few of the trees with no leaves are below 20 m*
    denies = any(
        no.start() <= place and not behind_with.search(before, 0, no.start())
        for no, count in words.find("counts", before) if count == "0"
    )  # fmt: skip
    return "none" if denies else name


def _is_share(scope: Scope, stated: Stated) -> bool:
    """Return whether a number is a share of several things: *half of the months*."""
    if not is_multiple(stated) or is_limit(stated) or stated.value >= 1:
        return False
    return bool(scope.page.words.regex(r"\s<bounds.of>\b").match(scope.text, stated.end))


def _compares(value: float, sign: str, limit: float) -> bool:
    """Return whether a value compares with a limit as a sign says."""
    return {
        ">": value > limit, "<": value < limit, ">=": value >= limit, "<=": value <= limit
    }[sign]  # fmt: skip
