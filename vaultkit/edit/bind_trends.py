"""Searches conditions that a list rises or falls.

A *family* is the elements of one list, dictionary or loop. `spoken` is a word of comparison in the
sentence, and the *evidence* for a family is a score of what the sentence says of its names and its
dimension (`Scope.evidence`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from vaultkit.claims.comparisons import ComparisonWord
from vaultkit.edit.bind_compared import SCORE, SIGNS, WAYS
from vaultkit.edit.expressions import Atom
from vaultkit.edit.families import Family
from vaultkit.edit.scope import Scope, choose_reading
from vaultkit.edit.sentences import Candidate, words_of
from vaultkit.edit.wording import NAMED, overlap, says_label, stems

#: So many numbers in a row are hardly ever in order by chance.
_MANY = 6
#: What a list that a loop makes costs, and the longest code.
_OF_LOOP, _LONGEST = 3.0, 200


def trends(scope: Scope, spoken: ComparisonWord, start: int, end: int) -> Iterator[Candidate]:
    """Yield conditions that a list rises or falls from each element to the next.

    A list must be named, or be the only one that is in order where the sentence says so: *until
    Thursday*, *from May on*.

    Parameters
    ----------
    scope
        The sentence.
    spoken
        The word that says that something rises or falls.
    start, end
        The clause around the word.
    """
    # *The time grows with n* says nothing of the order of a list, unless it is *with each step*.
    with_what = r"\s+<binding.with>\s(?!<trends.each>\b)"
    if scope.page.words.regex(with_what).match(scope.text, spoken.end, end):
        return
    each = scope.page.words.regex(r"\b(?:<quantifiers.all>|<trends.along>)\b")
    is_of_each = bool(each.search(scope.text, start, end))
    said = words_of(scope.text[start:end])
    #: The readings of lists that the sentence does not name: evidence, truth, condition.
    unnamed = []
    for family in scope.families:
        if family.is_text or not family.is_ordered_by_place or family.loop is None:
            continue
        part = _range(scope, spoken, family)
        in_order = part and _is_in_order(family.numbers[part.first : part.end], spoken)
        if part is None or in_order is None:
            continue
        evidence = scope.evidence(spoken, family) or 0.0
        named = _how_far_named(scope, family, said, part)
        is_list = bool(family.owner)
        score = SCORE + named + evidence - (0.0 if is_list else _OF_LOOP)
        code = _condition(spoken, family, part)
        candidate = Candidate(code, score, True, (family.elements[0],))
        is_order_said = part.is_said or spoken.denied or is_of_each
        # A list has an order by itself, a dictionary only if the sentence says so.
        has_order = is_order_said or (is_list and "['" not in family.elements[0].code)
        is_long = len(family.numbers) >= _MANY or named >= NAMED * min(len(family.names), 2)
        is_meant = named >= NAMED and (is_long or part.is_said or is_list) and has_order
        if is_meant and in_order and len(code) <= _LONGEST:
            yield candidate
        elif part.is_said or is_of_each:
            unnamed.append((evidence, in_order, candidate))
    has_evidence = any(evidence for evidence, _, _ in unnamed)
    if has_evidence or sum(in_order for _, in_order, _ in unnamed) == 1:
        yield from (one for one in choose_reading(unnamed) if len(one.code) <= _LONGEST)


class _Part(NamedTuple):
    """The part of a list that a change is about: from an index up to another one, excluded.

    ``is_said`` is whether the sentence says a part; otherwise it is the whole list.
    """

    first: int
    end: int
    is_said: bool


def _how_far_named(scope: Scope, family: Family, said: frozenset[str], part: _Part) -> float:
    """Return how many names of a family the clause says (``said``).

    If the sentence says a part, its names may be anywhere in the sentence, and a number that is
    bound to an element names it, too.
    """
    named = overlap(family.names, said)
    if not part.is_said:
        return named
    is_element_bound = any(element.code in scope.bound_codes for element in family.elements)
    in_sentence = overlap(family.names, scope.sentence.said)
    return max(named, in_sentence, NAMED * is_element_bound)


def _is_in_order(values: Sequence[float], spoken: ComparisonWord) -> bool | None:
    """Return whether values rise or fall throughout, as a word says; None if that says nothing."""
    steps = [(b - a) * WAYS[spoken.meaning] for a, b in pairwise(values)]
    # Equal steps are a grid, of which no sentence says that it rises.
    is_grid = len(steps) > 2 and max(steps) - min(steps) <= 1e-9 * abs(max(steps))
    if len(steps) < 2 or is_grid:
        return None
    return max(steps) <= 0 if spoken.denied else min(steps) > 0


def _condition(spoken: ComparisonWord, family: Family, part: _Part) -> str:
    """Return the code that a part of a list rises or falls; if it is long, only of its ends."""
    sign = SIGNS[WAYS[spoken.meaning]]
    if spoken.denied:
        sign = {">": "<=", "<": ">="}[sign]
    loop, elements = family.loop, family.elements
    assert loop is not None
    listed = f"list({loop.over})" if loop.over.endswith(".values()") else loop.listed
    values, without_first = _part_of_list(listed, part.first, part.end, len(elements))
    code = f"all(b {sign} a for a, b in zip({values}, {without_first}))"
    if len(code) > _LONGEST and part.is_said and not spoken.denied:
        return f"{elements[part.end - 1].code} {sign} {elements[part.first].code}"
    return code


#: The parts of a list that a change is about; *from year to year* is of all years.
_THE = r"\s+(?:<binding.article>\s+)?"
_PLACE = r"(\w+(?:\.\d+)?)"
_FROM = rf"\b<binding.start>{_THE}{_PLACE}\s+(?:<binding.on>|<binding.end>)\b(?:{_THE}{_PLACE})?"
_TO = rf"\b(?:<binding.end>|<binding.up_to>){_THE}{_PLACE}"
_AFTER = rf"\b<binding.after>{_THE}(\w+)"


def _range(scope: Scope, spoken: ComparisonWord, family: Family) -> _Part | None:
    """Return the part of a list that a change is about: *from May to July*, *until Friday*.

    None if the sentence says a part that is unknown.
    """
    begins, ends = scope.part(spoken.start)
    text, regex = scope.text[begins:ends], scope.page.words.regex
    count = len(family.elements)

    def place(word: str) -> int | None:
        """Return the index of the element that a word names: its label, ordinal or value."""
        said_words = stems(word, spoken=True)
        indices = [
            n for n, one in enumerate(family.elements)
            if one.labels and (says_label(one.labels[0], said_words) or _is_key(one, word))
        ]  # fmt: skip
        if not indices and (number := scope.page.words.value("ordinals", word)):
            indices = [int(number) - 1] if number <= count else []
        if not indices and re.fullmatch(r"\d+(?:\.\d+)?", word):
            indices = [n for n, value in enumerate(family.numbers) if value == float(word)]
        return indices[0] if len(indices) == 1 else None

    first, last, is_said = 0, count - 1, False
    match = regex(_FROM).search(text)
    if match and match[1] != match[2]:  # *from year to year* is of all years
        if (index := place(match[1])) is None:
            return None
        first, is_said = index, True
    if match := regex(_TO).search(text):
        index = place(match[1])
        last, is_said = (last, is_said) if index is None else (index, True)
    elif (match := regex(_AFTER).search(text)) and (index := place(match[1])) is not None:
        first, is_said = index, True
    return _Part(first, last + 1, is_said)


def _is_key(element: Atom, word: str) -> bool:
    """Return whether a number is the key of an element: *up to 7* of ``sums[7]``."""
    return word.isdecimal() and bool(re.search(rf"\[{word}\]$", element.code))


def _part_of_list(name: str, first: int, last: int, count: int) -> tuple[str, str]:
    """Return a part of a list, and the same without its first element.

    >>> _part_of_list("x", 0, 5, 5), _part_of_list("x", 2, 5, 5), _part_of_list("x", 0, 3, 5)
    (('x', 'x[1:]'), ('x[2:]', 'x[3:]'), ('x[:3]', 'x[1:3]'))
    """
    end = "" if last == count else str(last)
    whole = f"[{first or ''}:{end}]"
    return (name if whole == "[:]" else name + whole), f"{name}[{first + 1}:{end}]"
