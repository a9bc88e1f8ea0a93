"""Searches conditions for superlatives.

An *atom* is an expression on the variables of the note, with its value; the elements of one list
or dictionary are a *series*. `spoken` is a word of comparison in the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from vaultkit.claims.comparisons import ComparisonWord
from vaultkit.claims.stated import significant_digits
from vaultkit.edit.bind_compared import SCORE, WAYS
from vaultkit.edit.described import WORD, words_until_said
from vaultkit.edit.expressions import Atom
from vaultkit.edit.kinds import cost_of_fit, is_count
from vaultkit.edit.scope import Scope, is_textual
from vaultkit.edit.sentences import Candidate
from vaultkit.edit.wording import NAMED, overlap, stems

#: Words whose way depends on the quantity: more speed is faster, more time is slower.
EITHER = {"sides:more", "sides:less", "sides:better", "sides:worse"}
#: Superlatives of time, which are no value of a list: *the latest figure is 38*.
_OF_TIME = ("latest", "earliest")
_SUPERLATIVE = re.compile(r"\w+est|worst")
#: How many words a label behind a superlative counts as farther away than one before it.
_BEHIND = 2
#: What a label beside the superlative adds: less than a name, as it may be there by chance.
_BESIDE = 0.5
#: Fewest elements of a series.
_FEW = 3
_MEANINGS = {"max": "largest maximum peak most best longest highest",
             "min": "smallest minimum least fewest lowest shortest"}  # fmt: skip


def extremes(scope: Scope, spoken: ComparisonWord) -> Iterator[Candidate]:
    """Yield conditions that an element is the largest of its series: ``d['a'] == max(d)``.

    The element is the one of which the label, or a number bound to it, is nearest to the
    superlative. The score counts the names of the series that the sentence says, the labels,
    the bound number, and whether the label is beside the superlative; a far-fetched expression
    loses its cost. The candidate is sure if the element is bound, or if the sentence names it
    in words and either names the series, too, or has the label beside the superlative. *Best*
    and *fastest* may be either extreme, so that the series must be named.
    """
    for atom in scope.pool:
        function = atom.extreme
        if function not in functions_of(spoken) or isinstance(atom.value, str):
            continue
        elements = _elements_of_series(scope, atom)
        element = _nearest(scope, spoken, elements) if len(elements) >= _FEW else None
        if element is None or element.value != atom.value:
            continue
        named = overlap(atom.names - stems(_MEANINGS[function]), scope.sentence.said)
        is_named = named >= NAMED
        is_stated = element.code in scope.bound_codes or _is_stated(scope, spoken, element)
        has_words = bool(element.labels) and all(map(is_textual, element.labels))
        # Of three elements, a label may be beside the superlative by chance.
        is_beside = len(elements) > _FEW and has_words
        is_sure = is_stated or is_beside or (bool(element.labels) and is_named)
        if spoken.meaning in EITHER:
            is_sure = is_sure and (is_named or is_stated)
        score = SCORE + named + has_words + is_stated + _BESIDE * is_beside - element.cost
        score += _names_series(scope, spoken, atom)
        yield Candidate(f"{element.code} == {atom.code}", score, is_sure, (element, atom))


def _elements_of_series(scope: Scope, extreme: Atom) -> list[Atom]:
    """Return the numbers of which an atom is the largest, the smallest, or the name of these."""
    return [
        element
        for element in scope.numbers
        if element.series == extreme.series and not element.extreme
    ]


def _names_series(scope: Scope, spoken: ComparisonWord, extreme: Atom) -> bool:
    """Return whether the words behind a superlative name a series: *the biggest harvest*."""
    behind = " ".join(WORD.findall(scope.text[spoken.end :])[:2])
    return overlap(stems(extreme.series), stems(behind, spoken=True)) >= NAMED


def _is_stated(scope: Scope, spoken: ComparisonWord, atom: Atom) -> bool:
    """Return whether the sentence states the value of an element."""
    if spoken.word in _OF_TIME:
        return False  # *the latest figure is 38*: 38 is not the largest
    return any(
        cost_of_fit(number.stated, float(atom.value)) is not None
        and (significant_digits(number.stated) > 1 or is_count(number.stated))
        for number in scope.stated
    )


def _nearest(scope: Scope, spoken: ComparisonWord, elements: Sequence[Atom]) -> Atom | None:
    """Return the element whose label, or bound number, is nearest to a superlative.

    Labels in the part of the sentence around the superlative count; those before it are nearer than
    those behind. None if two are equally near.
    """
    begins, ends = scope.part(spoken.start)
    ahead = WORD.findall(scope.text[begins : spoken.start])[::-1]
    after = WORD.findall(scope.text[spoken.end : ends])
    by_distance = []
    for element in elements:
        if any(label & stems(spoken.word) for label in element.labels):
            continue  # the superlative itself is the label: *best*
        before = words_until_said(element.labels, ahead)
        behind = words_until_said(element.labels, after)
        known = [] if before is None else [before]
        known += [] if behind is None else [behind + _BEHIND]
        for start, end, side in scope.bound_numbers:
            if side.code == element.code and begins <= start < ends:
                between = scope.text[end : spoken.start] or scope.text[spoken.end : start]
                known.append(len(WORD.findall(between)))
        if known:
            by_distance.append((min(known), element))
    by_distance.sort(key=lambda own: own[0])
    if not by_distance or (len(by_distance) > 1 and by_distance[0][0] == by_distance[1][0]):
        return None
    return by_distance[0][1]


def functions_of(spoken: ComparisonWord) -> tuple[str, ...]:
    """Return what a superlative selects: *best* and *fastest* may be either."""
    if spoken.meaning in ("largest", "smallest"):
        return ("max",) if WAYS[spoken.meaning] > 0 else ("min",)
    return (
        ("max", "min") if spoken.meaning in EITHER and _SUPERLATIVE.fullmatch(spoken.word) else ()
    )
