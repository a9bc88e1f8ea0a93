"""Searches conditions for the labels that a sentence compares: *Robins are heavier than Wrens*.

The labels may be those of several lists and dictionaries, and the sentence often names none of
them. Then the condition is sure if it holds for one of them alone, since the sentence is true.

A *family* is the elements of one list, dictionary or loop. `spoken` is a word of comparison in the
sentence, and the *evidence* for a family is a score of what the sentence says of its names and its
dimension (`Scope.evidence`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vaultkit.claims.comparisons import ComparisonWord
from vaultkit.edit.bind_compared import SCORE, SIGNS, WAYS, holds
from vaultkit.edit.bind_extremes import EITHER, functions_of
from vaultkit.edit.families import Family
from vaultkit.edit.kinds import cost_of_fit, is_limit, is_multiple, is_near_limit
from vaultkit.edit.scope import Mention, Scope, Word, choose_reading
from vaultkit.edit.sentences import Candidate
from vaultkit.edit.syntax import in_brackets
from vaultkit.edit.wording import NAMED, overlap

#: Fewest elements of a family with a largest one.
_FEW = 3
#: What a condition of labels scores more than one that a bound number gives.
_LABELLED = 1.0
#: How many characters behind *than* the second label may begin.
_NEAR = 40
#: The score of a multiple of which both sides are labels.
_OF_LABELS = 6.0
#: What a family is worth of which a number of the sentence is bound to an element.
_OF_BOUND = 0.3
#: What the difference of two labels is worth that the sentence states.
_OF_GAP = 1.5
#: Longest code of an extreme.
_LONGEST = 150
#: Matches at the place itself, where the second label follows: *spelt outweighs rye*.
_HERE = re.compile("")


def conditions(scope: Scope, spoken: ComparisonWord) -> list[Candidate]:
    """Return the conditions for a word of comparison that labels of the sentence give."""
    if spoken.denied:
        return []
    if functions_of(spoken) and spoken.table != "weak":
        return choose_reading(
            [
                (extreme.evidence, extreme.holds, extreme.candidate)
                for extreme in _extremes(scope, spoken)
            ]
        )
    if spoken.meaning in ("more", "less", "same") or spoken.meaning in EITHER:
        return choose_reading(list(_pairs(scope, spoken)))
    return []


#: The evidence for a family, whether a condition holds there, and the condition.
_Reading = tuple[float, bool, Candidate]


@dataclass(frozen=True)
class _Extreme:
    """The reading that a label is the largest or smallest of a family."""

    evidence: float
    holds: bool
    candidate: Candidate
    family: Family
    function: str
    mention: Mention

    @property
    def reading(self) -> _Reading:
        """The evidence for it, whether it holds, and the condition."""
        return self.evidence, self.holds, self.candidate


def names(scope: Scope, spoken: ComparisonWord) -> Iterator[Word]:
    """Yield the names of what is the largest or smallest: *Gus* is ``max(distance, key=…)``."""
    if spoken.denied or spoken.table == "weak" or not functions_of(spoken):
        return
    extremes = list(_extremes(scope, spoken))
    chosen = choose_reading([extreme.reading for extreme in extremes])
    for extreme in extremes:
        if not chosen or not chosen[0].sure or extreme.candidate.code != chosen[0].code:
            continue
        code, name = _code_of_name(scope, extreme.family, extreme.function, extreme.mention.index)
        label = scope.text[extreme.mention.start : extreme.mention.end]
        if not code or not name or label.lower() != name.lower() or label[1:] != name[1:]:
            continue
        score = SCORE + _LABELLED + extreme.evidence
        candidate = Candidate(code, score, True, extreme.candidate.atoms, name)
        yield Word(
            extreme.mention.start, extreme.mention.start + len(name), [candidate], states=False
        )


def _code_of_name(scope: Scope, family: Family, function: str, index: int) -> tuple[str, str]:
    """Return the code for the name of the largest or smallest element, and the name itself.

    For ``d = {"a": 3, "b": 5}`` that is ``max(d, key=lambda k: d[k])`` and *b*. Both are empty if
    there is no such code.
    """
    element, loop, owner = family.elements[index], family.loop, family.owner
    key = re.search(r"\['([^']*)'\]", element.code)
    for atom in scope.pool:
        if (
            atom.series == family.series
            and atom.extreme == function
            and isinstance(atom.value, str)
        ):
            return atom.code, atom.value
    if loop is None:
        return "", ""
    if key and loop.over.isidentifier() and f"{loop.over}['{key[1]}']" in element.code:
        return f"{function}({loop.over}, key=lambda {loop.variable}: {loop.each})", key[1]
    # In a list of tuples, the first part of each is its name; it may be counted from the end.
    from_start = f"{loop.over}[{index}][0]"
    from_end = f"{loop.over}[{index - len(family.elements)}][0]"
    for atom in scope.pool:
        if owner and atom.code in (from_start, from_end) and isinstance(atom.value, str):
            code = f"{function}({loop.over}, key=lambda {loop.variable}: {loop.each})[0]"
            return code, atom.value
    return "", ""


def _extremes(scope: Scope, spoken: ComparisonWord) -> Iterator[_Extreme]:
    """Yield for each family of numbers whether the label next to a superlative is its extreme."""
    for family in scope.families:
        if family.is_text or len(family.elements) < _FEW or len(family.extreme("max")) > _LONGEST:
            continue
        bound = _bound_beside(scope, spoken, family)
        evidence = scope.evidence(spoken, family, may_be_unknown=scope.may_be_unknown(family))
        if evidence is None:
            if not bound:
                continue  # the adjective is said of another dimension
            evidence = 0.0
        start, end = scope.clause(spoken.start)
        inside = [mention for mention in scope.mentions(family) if start <= mention.start < end]
        labels = _next_to(scope, spoken, inside)
        # Without evidence, a number or place may be the label of any family.
        if not (labels or bound) or (labels and not evidence and not labels[0].is_text):
            continue
        if spoken.meaning in EITHER and not evidence:
            continue
        for function in functions_of(spoken):
            yield from _extreme(scope, spoken, family, function, labels or bound, evidence)


def _extreme(
    scope: Scope, spoken: ComparisonWord, family: Family, function: str, near: Sequence[Mention],
    evidence: float,
) -> Iterator[_Extreme]:  # fmt: skip
    """Yield whether one of the labels ``near`` a superlative is the only extreme of a family."""
    values = family.numbers
    best = max(values) if function == "max" else min(values)
    with_best = [label for label in near if values[label.index] == best and values.count(best) == 1]
    shown = (with_best or near)[0]
    element = family.elements[shown.index]
    code = f"{element.code} == {family.extreme(function)}"
    if spoken.meaning in EITHER and not scope.decides(spoken, code):
        return
    evidence += _LABELLED * (element.code in scope.bound_codes)
    candidate = Candidate(code, SCORE + _LABELLED + evidence - element.cost, True, (element,))
    yield _Extreme(evidence, bool(with_best), candidate, family, function, shown)


def _bound_beside(scope: Scope, spoken: ComparisonWord, family: Family) -> list[Mention]:
    """Return the only bound number beside a superlative, as a label, if it is of an element.

    *The highest, 8,849 m, is …* has no label, but a number that is bound to an element.
    """
    begins, ends = scope.part(spoken.start)
    inside = [number for number in scope.bound_numbers if begins <= number[0] < ends]
    codes = [element.code for element in family.elements]
    return [
        Mention(start, end, codes.index(side.code), is_text=False)
        for start, end, side in inside
        if len(inside) == 1 and side.code in codes
    ]


def _next_to(scope: Scope, spoken: ComparisonWord, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the labels before or behind a superlative; those behind a comma only if need be."""
    begins, ends = scope.part(spoken.start)
    inside = [mention for mention in mentions if begins <= mention.start < ends] or mentions
    before = [mention for mention in inside if mention.end <= spoken.start][-1:]
    after = [mention for mention in inside if mention.start >= spoken.end]
    return (
        [mention for mention in before if "," not in scope.text[mention.end : spoken.start]]
        or [mention for mention in after if "," not in scope.text[spoken.end : mention.start]]
        or [*before, *after[:1]]
    )


def _pairs(scope: Scope, spoken: ComparisonWord) -> Iterator[_Reading]:
    """Yield for each family whether two labels compare as the sentence says."""
    same = spoken.meaning == "same"
    for family in scope.families:
        if family.is_text and not family.is_time:
            continue
        compared = _compared(scope, spoken, scope.mentions(family))
        if compared is None:
            continue
        elements = [family.elements[mention.index] for mention in compared]
        values = [family.ranks[mention.index] for mention in compared]
        evidence = scope.evidence(spoken, family, may_be_unknown=scope.may_be_unknown(family))
        if evidence is None:
            continue
        evidence += _OF_BOUND * any(
            element.code in scope.bound_codes for element in family.elements
        )
        gap = scope.gap(spoken)
        if gap is not None and len(values) == 2 and not family.is_text:
            if cost_of_fit(gap, abs(values[0] - values[1])) is None:
                continue
            evidence += _OF_GAP
        is_clear = all(mention.is_text for mention in compared) and spoken.meaning not in EITHER
        if not evidence and (not is_clear or spoken.table == "order"):
            continue
        # Of *faster*, the names decide the direction: here, take the one that holds.
        way = WAYS.get(spoken.meaning, 1 if values[0] > values[1] else -1)
        is_so = all(holds(values[0], other, way) for other in values[1:])
        code = f" {SIGNS[way]} ".join(element.code for element in elements)
        score = SCORE + _LABELLED + evidence - max(element.cost for element in elements)
        decided = (
            same or scope.decides(spoken, code) or (spoken.meaning in EITHER and gap is not None)
        )
        yield evidence, is_so and decided, Candidate(code, score, True, (elements[0],))


def multiples(scope: Scope) -> Iterator[Word]:
    """Yield the multiples that are the ratio of two labels: *red has twice as many as blue*.

    The label before the multiple is the part, and the one behind it the whole; the ratio of their
    elements must be unambiguous among the families that have both labels.
    """
    behind_multiple = scope.page.words.regex(r"\s<binding.of_or_the>\b")
    for stated, _ in scope.readings:
        if not is_multiple(stated) or not scope.sentence.start <= stated.start < scope.sentence.end:
            continue
        start, end = scope.clause(stated.start)
        link = _equal_to(scope).search(scope.text, stated.end, end)
        link = link or behind_multiple.match(scope.text, stated.end, end)
        readings = []
        for family in scope.families if link else ():
            mentions = scope.mentions(family)
            after = [mention for mention in mentions if stated.end <= mention.start < end][:1]
            before = [mention for mention in mentions if start <= mention.start < stated.start][-1:]
            # In another clause, the first label is the subject.
            before = before or [mention for mention in mentions if mention.start < start][:1]
            if family.is_text or not after or not before or before[0].index == after[0].index:
                continue
            evidence = overlap(family.names, scope.sentence.said) >= NAMED
            if not evidence and not (after[0].is_text and before[0].is_text):
                continue
            part, whole = (family.elements[labels[0].index] for labels in (before, after))
            if not whole.value:
                continue
            ratio = float(part.value) / float(whole.value)
            fits = cost_of_fit(stated, ratio) is not None
            # *Over twice as many*: of a named family, the ratio must be near 2.
            near = not is_limit(stated) or is_near_limit(stated, ratio) or not evidence
            code = f"{in_brackets(part.code)} / {in_brackets(whole.code)}"
            candidate = Candidate(code, _OF_LABELS, True, (part, whole), ratio)
            readings.append((float(evidence), fits and near, candidate))
        chosen = choose_reading(readings)
        if chosen and chosen[0].sure:
            yield Word(stated.start, stated.end, chosen, states=False)


def _compared(
    scope: Scope, spoken: ComparisonWord, mentions: Sequence[Mention]
) -> list[Mention] | None:
    """Return the labels that a word compares, the subject first; None if these are not clear.

    They are before the word and behind *than*, *as* or the like; or, if all are *the same*, all
    labels of the clause.
    """
    start, end = scope.clause(spoken.start)
    same = spoken.meaning == "same"
    link = (_equal_to(scope) if same else _than(scope)).search(scope.text, spoken.end, end)
    if spoken.table == "order":
        link = _HERE.search(scope.text, spoken.end)
    inside = [mention for mention in mentions if start <= mention.start < end]
    if link and _has_number_at(scope, link.end()):
        return None  # *more than three times*
    directly = scope.page.words.regex(r"\s(?:<grammar.articles>\s)?")
    if any(directly.fullmatch(scope.text, spoken.end, mention.start) for mention in inside):
        link = _HERE.search(scope.text, spoken.end)  # *spelt outweighs rye*
    elif spoken.table == "weak":
        return None
    if link:
        after = [mention for mention in inside if 0 <= mention.start - link.end() < _NEAR][:1]
        before = [mention for mention in inside if mention.end <= link.start()][-1:]
        if after and not before:
            # *Mars is larger than Mercury, but smaller than Venus*.
            before = [mention for mention in mentions if mention.start < start][:1]
        if after and before and after[0].index != before[0].index:
            return [before[0], after[0]]
    if same and len({mention.index for mention in inside}) == len(inside) > 1:
        return inside
    return None


def _than(scope: Scope) -> re.Pattern[str]:
    """Return a pattern of the words before the other thing that is compared."""
    return scope.page.words.regex(r"\b<binding.than>\b")


def _equal_to(scope: Scope) -> re.Pattern[str]:
    """Return a pattern of the words before the other side of an equality or a multiple."""
    return scope.page.words.regex(r"\b(?:<binding.than>|<binding.equal_to>|<binding.with>)\b")


def _has_number_at(scope: Scope, place: int) -> bool:
    """Return whether a number begins at a place, or behind a blank and a sign there."""
    return any(0 <= start - place <= 2 for start in scope.starts)
