"""Searches conditions for the words of comparison in a sentence, and expressions for its names.

A condition holds, and agrees with its word. Its sides are bound numbers of the sentence, or
elements that the sentence names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from vaultkit.claims.comparisons import ComparisonWord, comparisons
from vaultkit.edit import bind_extremes, bind_labels, bind_quantified
from vaultkit.edit.bind_compared import compare_numbers_beside
from vaultkit.edit.bind_numbers import Reading
from vaultkit.edit.bind_trends import trends
from vaultkit.edit.kinds import is_multiple, is_percent
from vaultkit.edit.scope import Scope, Word
from vaultkit.edit.sentences import Candidate, Page, Passage

#: The tables of the lexicon with words of comparison: those that always compare (*larger*), those
#: of order in time (*before*), those whose side the names decide (*faster*: a greater speed or less
#: time), and those that compare only if no other word does (*high*).
_TABLES = ("directions", "order", "sides", "weak")
#: How far a value may be from a limit (as a factor) that is sure to be meant: if the limit is a
#: multiple in words (*more than half*), and if it is a number.
_NEAR_MULTIPLE, _NEAR_NUMBER = 1.5, 1.25


def of_sentence(page: Page, sentence: Passage, readings: Sequence[Reading]) -> Iterator[Word]:
    """Yield the words of comparison and the names of a sentence that have candidates."""
    if sentence.column is not None:
        return
    scope = Scope(page, sentence, readings)
    for spoken in comparisons(sentence.piece.text, page.words, before_comment=False):
        inside = sentence.start <= spoken.start < sentence.end
        if not inside or spoken.table not in _TABLES:
            continue
        if spoken.table == "sides":
            spoken = replace(spoken, meaning=f"sides:{spoken.meaning}")
        agreeing = [
            condition for condition in _conditions(scope, spoken)
            if scope.agrees(spoken, condition.code) and not scope.excludes(spoken, condition.code)
        ]  # fmt: skip
        if agreeing:
            yield Word(spoken.start, spoken.end, _merged(agreeing), states=True)
        yield from bind_quantified.numbers(scope, spoken)
        if not spoken.denied and spoken.table != "weak":
            yield from bind_labels.names(scope, spoken)
    yield from bind_labels.multiples(scope)
    yield from _limits(scope, readings)


def _conditions(scope: Scope, spoken: ComparisonWord) -> list[Candidate]:
    """Return the conditions for a word of comparison, found in different ways."""
    return [
        *_numeric_conditions(scope, spoken),
        *bind_labels.conditions(scope, spoken),
        *bind_quantified.conditions(scope, spoken),
    ]


def _numeric_conditions(scope: Scope, spoken: ComparisonWord) -> Iterator[Candidate]:
    """Yield conditions on two numbers, on the largest or smallest element, or on a trend.

    A word of the table ``weak``, such as *high* or *over*, compares only two numbers beside it.
    """
    if not spoken.denied and spoken.meaning in ("more", "less"):
        yield from compare_numbers_beside(scope.text, scope.stated, spoken, scope.page.words)
    if spoken.table == "weak":
        return
    if spoken.meaning in ("rises", "falls"):
        yield from trends(scope, spoken, *scope.clause(spoken.start))
    if not spoken.denied:
        yield from bind_extremes.extremes(scope, spoken)


def _merged(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates, the best first; what is found in two ways has the better of both."""
    best: dict[str, Candidate] = {}
    for candidate in sorted(candidates, key=lambda other: -other.score):
        known = best.setdefault(candidate.code, candidate)
        best[candidate.code] = replace(known, sure=known.sure or candidate.sure)
    return list(best.values())


def _limits(scope: Scope, readings: Sequence[Reading]) -> Iterator[Word]:
    """Yield conditions for *more than half (0.507)*, if the number beside the limit is bound."""
    for stated, _ in readings:
        limits = [
            interval for interval in stated.ranges if interval.low is None or interval.high is None
        ]
        if not limits:
            continue
        start, end = scope.clause(stated.start)
        if scope.page.words.regex(r"<clauses.concluding>\W*$").search(scope.text[:start]):
            start = scope.sentence.start  # *the load is 0.64, so more than half*
        for place, _, side in scope.bound_numbers:
            if not start <= place < end or (is_percent(stated) and side.unit != "%"):
                continue
            limit = limits[0]
            value = float(limit.low or 0) if limit.high is None else float(limit.high)
            sign = "<" if limit.low is None else ">"
            sign += "" if limit.strict else "="
            if value and limit.holds(Fraction(side.value)) and 0.5 < side.value / value < 2:
                near = _NEAR_MULTIPLE if is_multiple(stated) else _NEAR_NUMBER
                is_near = 1 / near < side.value / value < near
                candidate = Candidate(f"{side.code} {sign} {value:g}", 2.0, is_near)
                yield Word(stated.start, stated.end, [candidate], states=True)
