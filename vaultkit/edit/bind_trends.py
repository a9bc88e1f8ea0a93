"""Searches conditions that a list rises or falls.

A *family* is the elements of one list, dictionary or loop. `spoken` is a word of comparison in the
sentence, and the *evidence* for a family is a score of what the sentence says of its names and its
dimension (`Scope.evidence`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from vaultkit.claims.comparisons import ComparisonWord
from vaultkit.edit.bind_compared import SCORE, SIGNS, WAYS
from vaultkit.edit.described import WORD
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
    said = words_of(scope.text[start:end])
    each = scope.page.words.regex(r"\b(?:<quantifiers.all>|<trends.along>)\b")
    is_of_each = bool(each.search(scope.text, start, end))
    #: The readings of lists that the sentence does not name: evidence, truth, condition.
    unnamed = []
    for family in scope.families:
        if family.is_text or not family.is_ordered_by_place or family.loop is None:
            continue
        part = _range(scope, spoken, family)
        if part is None:
            continue
        first, last, is_part_said = part
        in_order = _is_in_order(family.numbers[first:last], spoken)
        if in_order is None:
            continue
        evidence = scope.evidence(spoken, family) or 0.0
        named = overlap(family.names, said)
        if is_part_said:
            named = max(named, overlap(family.names, scope.sentence.said))
            is_element_bound = any(element.code in scope.bound_codes for element in family.elements)
            named = max(named, NAMED * is_element_bound)
        is_list = bool(family.owner)
        is_long = len(family.numbers) >= _MANY or named >= NAMED * min(len(family.names), 2)
        score = SCORE + named + evidence - (0.0 if is_list else _OF_LOOP)
        code = _condition(spoken, family, first, last, is_part_said)
        candidate = Candidate(code, score, True, (family.elements[0],))
        is_order_said = is_part_said or spoken.denied or is_of_each
        has_order = is_order_said or (is_list and "['" not in family.elements[0].code)
        is_meant = named >= NAMED and (is_long or is_part_said or is_list) and has_order
        if is_meant and in_order and len(code) <= _LONGEST:
            yield candidate
        elif is_part_said or is_of_each:
            unnamed.append((evidence, in_order, candidate))
    has_evidence = any(evidence for evidence, _, _ in unnamed)
    if has_evidence or sum(in_order for _, in_order, _ in unnamed) == 1:
        yield from (one for one in choose_reading(unnamed) if len(one.code) <= _LONGEST)


def _is_in_order(values: Sequence[float], spoken: ComparisonWord) -> bool | None:
    """Return whether values rise or fall throughout, as a word says; None if that says nothing."""
    steps = [(b - a) * WAYS[spoken.meaning] for a, b in pairwise(values)]
    # Equal steps are a grid, of which no sentence says that it rises.
    is_grid = len(steps) > 2 and max(steps) - min(steps) <= 1e-9 * abs(max(steps))
    if len(steps) < 2 or is_grid:
        return None
    return max(steps) <= 0 if spoken.denied else min(steps) > 0


def _condition(
    spoken: ComparisonWord, family: Family, first: int, last: int, is_part_said: bool
) -> str:
    """Return the code that a part of a list rises or falls; if it is long, only of its ends."""
    sign = SIGNS[WAYS[spoken.meaning]]
    if spoken.denied:
        sign = {">": "<=", "<": ">="}[sign]
    loop, elements = family.loop, family.elements
    assert loop is not None
    listed = f"list({loop.over})" if loop.over.endswith(".values()") else loop.listed
    part, without_first = _part_of_list(listed, first, last, len(elements))
    code = f"all(b {sign} a for a, b in zip({part}, {without_first}))"
    if len(code) > _LONGEST and is_part_said and not spoken.denied:
        return f"{elements[last - 1].code} {sign} {elements[first].code}"
    return code


#: The parts of a list that a change is about; *from year to year* is of all years.
_THE = r"\s+(?:<binding.article>\s+)?"
_PLACE = r"(\w+(?:\.\d+)?)"
_FROM = rf"\b<binding.start>{_THE}{_PLACE}\s+(?:<binding.on>|<binding.end>)\b(?:{_THE}{_PLACE})?"
_TO = rf"\b(?:<binding.end>|<binding.up_to>){_THE}{_PLACE}"
_AFTER = rf"\b<binding.after>{_THE}(\w+)"
_AFTERWARDS = r"\b<binding.afterwards>\b"
#: Each element is compared with the one before: *each leg is longer than the one before*.
_EACH = r"\b<trends.each>\s(?:\w+\s){1,3}<grammar.being>\s(?:\w+\s)?$"
_BEFORE = r"\s(?:\w+\s)?<trends.one_before>\b"


def compares_neighbours(scope: Scope, spoken: ComparisonWord) -> bool:
    """Return whether a word compares each element with the one before."""
    regex = scope.page.words.regex
    is_of_each = regex(_EACH).search(scope.text, scope.sentence.start, spoken.start)
    return bool(is_of_each and regex(_BEFORE).match(scope.text, spoken.end))


def _range(scope: Scope, spoken: ComparisonWord, family: Family) -> tuple[int, int, bool] | None:
    """Return the part of a list that a change is about: *from May to July*, *until Friday*.

    The last item of the result is whether the sentence says a part; the result is None if it says
    one that is unknown.
    """
    begins, ends = scope.part(spoken.start)
    text, regex = scope.text[begins:ends], scope.page.words.regex
    count = len(family.elements)

    def place(word: str) -> int | None:
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
    is_next = bool(regex(r"\W*<trends.then>\b").match(text))
    if is_next or regex(_AFTERWARDS).search(text):
        index = _turning_point(scope, begins, family, place)
        if index is None:
            return None
        first, is_said = index, True
    return first, last + 1, is_said


def _is_key(element: Atom, word: str) -> bool:
    """Return whether a number is the key of an element: *up to 7* of ``sums[7]``."""
    return word.isdecimal() and bool(re.search(rf"\[{word}\]$", element.code))


def _turning_point(
    scope: Scope, begins: int, family: Family, place: Callable[[str], int | None]
) -> int | None:
    """Return the place of the element that the sentence names last before *afterwards*."""
    before = scope.text[scope.sentence.start : begins]
    codes = [element.code for element in family.elements]
    known = [
        codes.index(s.code) for n, _, s in scope.bound_numbers if n < begins and s.code in codes
    ]
    if known:
        return known[-1]
    indices = [index for word in WORD.findall(before) if (index := place(word)) is not None]
    return indices[-1] if indices else None


def _part_of_list(name: str, first: int, last: int, count: int) -> tuple[str, str]:
    """Return a part of a list, and the same without its first element.

    >>> _part_of_list("x", 0, 5, 5), _part_of_list("x", 2, 5, 5), _part_of_list("x", 0, 3, 5)
    (('x', 'x[1:]'), ('x[2:]', 'x[3:]'), ('x[:3]', 'x[1:3]'))
    """
    end = "" if last == count else str(last)
    whole = f"[{first or ''}:{end}]"
    return (name if whole == "[:]" else name + whole), f"{name}[{first + 1}:{end}]"
