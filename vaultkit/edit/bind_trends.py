"""Searches conditions that a list rises or falls."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise

from vaultkit.claims.comparisons import Spoken
from vaultkit.edit.bind_compared import SCORE, SIGNS, WAYS
from vaultkit.edit.described import WORD
from vaultkit.edit.expressions import Atom
from vaultkit.edit.families import Family
from vaultkit.edit.scope import Scope, only_natural
from vaultkit.edit.sentences import Candidate, words_of
from vaultkit.edit.wording import NAMED, overlap, says_label, stems

#: So many numbers in a row are hardly ever in order by chance.
_MANY = 6
#: What a list that a loop makes costs, and the longest code.
_OF_LOOP, _LONGEST = 3.0, 200


def trends(scope: Scope, spoken: Spoken, start: int, end: int) -> Iterator[Candidate]:
    """Yield conditions that a list rises or falls from each element to the next.

    A list must be named, or be the only one that is in order where the sentence says so: *until
    Thursday*, *from May on*.
    """
    # *The time grows with n* says nothing of the order of a list, unless it is *with each step*.
    with_what = r"\s+<binding.with>\s(?!<trends.each>\b)"
    if scope.page.words.regex(with_what).match(scope.text, spoken.end, end):
        return
    said = words_of(scope.text[start:end])
    way = WAYS[spoken.what]
    sign = SIGNS[way]
    if spoken.denied:
        sign = {">": "<=", "<": ">="}[sign]
    readings = []
    each = scope.page.words.regex(r"\b(?:<quantifiers.all>|<trends.along>)\b")
    for family in scope.families:
        if family.is_text or not family.is_ordered_by_place or family.loop is None:
            continue
        values, part = family.numbers, _range(scope, spoken, family)
        if part is None:
            continue
        first, last, is_said = part
        steps = [(b - a) * way for a, b in pairwise(values[first:last])]
        in_order = max(steps, default=1) <= 0 if spoken.denied else min(steps, default=0) > 0
        # Equal steps are a grid, of which no sentence says that it rises.
        is_grid = len(steps) > 2 and max(steps) - min(steps) <= 1e-9 * abs(max(steps))
        if len(steps) < 2 or is_grid:
            continue
        are_long = [len(name) > 1 for name in family.names]
        evidence = scope.evidence(spoken, family) or 0.0
        named = overlap(family.names, said)
        if is_said:
            named = max(named, overlap(family.names, scope.sentence.said))
            named = max(
                named, NAMED * any(element.code in scope.codes for element in family.elements)
            )
        whole = len(values) >= _MANY or is_said or named >= NAMED * min(len(are_long), 2)
        whole = whole or bool(family.owner)
        loop = family.loop
        listed = f"list({loop.over})" if loop.over.endswith(".values()") else loop.listed
        listed_part, without_first = _part_of_list(listed, first, last, len(values))
        code = f"all(b {sign} a for a, b in zip({listed_part}, {without_first}))"
        far = 0.0 if family.owner else _OF_LOOP
        candidate = Candidate(code, SCORE + named + evidence - far, True, (family.elements[0],))
        if len(code) > _LONGEST and is_said and not spoken.denied:
            # The ends say enough.
            ends = family.elements[first], family.elements[last - 1]
            code = f"{ends[1].code} {sign} {ends[0].code}"
            candidate = replace(candidate, code=code)
        sure = is_said or spoken.denied or each.search(scope.text, start, end)
        has_order = sure or (bool(family.owner) and "['" not in family.elements[0].code)
        if named >= NAMED and whole and in_order and has_order and len(code) <= _LONGEST:
            yield candidate
        elif is_said or each.search(scope.text, start, end):
            readings.append((evidence, in_order, candidate))
    chosen = only_natural(readings)
    is_named = any(evidence for evidence, _, _ in readings)
    if is_named or sum(in_order for _, in_order, _ in readings) == 1:
        yield from (candidate for candidate in chosen if len(candidate.code) <= _LONGEST)


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


def compares_neighbours(scope: Scope, spoken: Spoken) -> bool:
    """Return whether a word compares each element with the one before."""
    regex = scope.page.words.regex
    is_of_each = regex(_EACH).search(scope.text, scope.sentence.start, spoken.start)
    return bool(is_of_each and regex(_BEFORE).match(scope.text, spoken.end))


def _range(scope: Scope, spoken: Spoken, family: Family) -> tuple[int, int, bool] | None:
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
    known = [codes.index(s.code) for n, _, s in scope.bound if n < begins and s.code in codes]
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
