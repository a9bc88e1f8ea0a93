"""Searches conditions that two quantities grow together: *the farther it is, the longer its year*.

They are two lists or dictionaries with the same items, or the items of a loop and what it prints
for each. The condition compares every two items.

A *family* is the elements of one list, dictionary or loop. `spoken` is a word of comparison in the
sentence, and the *evidence* for a family is a score of what the sentence says of its names and its
dimension (`Scope.evidence`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vaultkit.claims.comparisons import ComparisonWord
from vaultkit.edit.bind_compared import SCORE, WAYS
from vaultkit.edit.families import Family
from vaultkit.edit.scope import Scope
from vaultkit.edit.sentences import Candidate
from vaultkit.edit.syntax import identifiers
from vaultkit.edit.wording import NAMED, overlap, stems

#: Fewest items, and the longest code.
_FEW, _LONGEST = 3, 200
#: What it is worth that an adjective is said of the dimension of a quantity.
_OF_DIMENSION = 0.5
#: What it is worth that all its names are said.
_WHOLE = 0.5
#: Names of the variables for two items.
_NAMES = ("a", "b", "c", "d", "j", "k", "m", "n", "p", "q")
#: The sign of the second comparison if the first one is ``<``.
_SIGNS = {1: "<", -1: ">"}


@dataclass(frozen=True)
class _Quantity:
    """The values of some items, with the code for one and for all of them.

    Attributes
    ----------
    each
        The code for an item.
    variable, over
        The variable in it, and what it runs over.
    values
        The values, in order.
    names
        The words for what they are.
    """

    each: str
    variable: str
    over: str
    values: tuple[float, ...]
    names: frozenset[str]
    #: Whether a loop gives the values themselves: ``for n in (10, 100, 1000)``.
    is_given: bool = False
    #: Whether it is a dictionary.
    is_keyed: bool = False

    def of(self, name: str) -> str:
        """Return the code for the item that another variable stands for."""
        return re.sub(rf"(?<![\w.'\"]){self.variable}\b", name, self.each)


def conditions(scope: Scope, spoken: ComparisonWord) -> list[Candidate]:
    """Return the condition for the last of two words of comparison that belong together."""
    way = _way(scope, spoken)
    if not way:
        return []
    first, second = _parts(scope, spoken)
    wanted = scope.dimensions(spoken)
    readings = []
    for one, other in _pairs(scope.all_families):
        named = _named(one, other, first) + _named(other, one, second)
        named += _OF_DIMENSION * bool(wanted & scope.dimensions_of(other.names))
        code = _code(one, other, _SIGNS[way])
        holds = _are_together(one.values, other.values, way)
        evidence = named, one.is_given
        readings.append((evidence, holds, Candidate(code, SCORE + named, True)))
    best = max((evidence for evidence, _, _ in readings), default=(0.0, False))
    meant = [(holds, condition) for evidence, holds, condition in readings if evidence == best]
    # What the sentence does not name must be so of all that it may mean.
    if not meant or not all(holds for holds, _ in meant):
        return []
    chosen = min((condition for _, condition in meant), key=lambda one: len(one.code))
    return [chosen] if len(chosen.code) <= _LONGEST else []


def joins_two(scope: Scope, spoken: ComparisonWord) -> bool:
    """Return whether a word says how a quantity changes with another one."""
    return bool(_way(scope, spoken))


def _named(one: _Quantity, other: _Quantity, said: frozenset[str]) -> float:
    """Return how surely some words name a quantity, and not the other one."""
    names = frozenset(name for name in one.names if len(name) > 1)
    distinctive = names if one.is_given else names - other.names
    is_whole = bool(names) and overlap(names, said) >= NAMED * len(names)
    return (overlap(distinctive, said) >= NAMED) + _WHOLE * is_whole


def _way(scope: Scope, spoken: ComparisonWord) -> int:
    """Return 1 if two quantities grow together by the words, −1 if one falls; 0 if neither.

    There are four forms of sentences: *the farther it is, the longer its year*; *longer ropes are
    heavier*; *the rate falls as, or with falling, income*; *the rate climbs with income*.
    """
    words, text = scope.page.words, scope.text
    if spoken.denied or spoken.table != "directions" or spoken.meaning not in WAYS:
        return 0
    before = text[scope.sentence.start : spoken.start]
    second_way = WAYS[spoken.meaning]
    the = "<binding.article>"
    # The group *way* is the first of the two words of comparison.
    both = rf"\W*(?:<together.opening>\W+)?{the}\s{_comparative(scope)}\b[^.;:]*,\s{the}\s+$"
    plural = rf"\W*{_comparative(scope)}\s[^\W\d_]+s\s(?:<grammar.being>|<together.verbs>)\s+$"
    changes = rf"\b(?P<way>{_change(scope)})\s[^.,;:]*\b(?:<together.as>)\s[^.,;:]*$"
    for pattern in (both, plural):
        if match := words.regex(pattern).fullmatch(before):
            return second_way * _of_word(scope, match["way"])
    if spoken.meaning in ("rises", "falls"):
        given = rf"\b<binding.with>\s(?P<way>{_change(scope)})\s"
        for pattern in (changes, given):
            if match := words.regex(pattern).search(before):
                return second_way * _of_word(scope, match["way"])
        if words.regex(r"\s+<binding.with>\s(?!<together.no_quantity>\b)").match(text, spoken.end):
            return second_way
    return 0


def _comparative(scope: Scope) -> str:
    """Return a pattern of words for more and less: *longer*, *fewer*."""
    more, less = (scope.page.words.pattern("directions", name) for name in ("more", "less"))
    return rf"(?P<way>{more}|{less})"


def _change(scope: Scope) -> str:
    """Return a pattern of words for a rise or fall: *grows*, *drops*."""
    rises, falls = (scope.page.words.pattern("directions", name) for name in ("rises", "falls"))
    return f"{rises}|{falls}"


def _of_word(scope: Scope, word: str) -> int:
    """Return the way of a word of these patterns: 1 for more or a rise, −1 for less or a fall."""
    lists = scope.page.words.words["directions"]
    plain = " ".join(word.lower().split())
    return next(way for name, way in WAYS.items() if plain in lists.get(name, ()))


def _parts(scope: Scope, spoken: ComparisonWord) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of the two quantities."""
    text, words = scope.text, scope.page.words
    start, end = scope.sentence.start, scope.sentence.end
    if match := words.regex(r",|\b<together.as>\b").search(text, start, spoken.start):
        return (stems(text[start : match.start()], spoken=True),
                stems(text[match.end() : end], spoken=True))  # fmt: skip
    # *The rate climbs with income*: the second one is before the word.
    return (stems(text[spoken.end : end], spoken=True),
            stems(text[start : spoken.start], spoken=True))  # fmt: skip


def _pairs(families: Sequence[Family]) -> Iterator[tuple[_Quantity, _Quantity]]:
    """Yield each two quantities of the same items."""
    known = [(family, made) for family in families if (made := _quantity(family))]
    for n, (earlier, first) in enumerate(known):
        if keys := _keys(earlier, first):
            yield keys, first
        for later, second in known[n + 1 :]:
            if _have_same_items(earlier, later):
                yield first, second
                yield second, first


def _have_same_items(one: Family, other: Family) -> bool:
    """Return whether two families are different quantities of the same items, in one order.

    They have the same labels, or they are lists, of which one may be computed from the other.
    """
    if len(one.elements) != len(other.elements) or one.is_text or other.is_text:
        return False
    labels = ([element.labels[:1] for element in family.elements] for family in (one, other))
    if _is_multiple(one.numbers, other.numbers):
        return False  # of one quantity in two units
    are_variables = bool(one.owner and other.owner)
    is_computed = any(a.owner and a.owner in identifiers(b.elements[0].code)
                      for a, b in ((one, other), (other, one)))  # fmt: skip
    are_lists = (are_variables or is_computed) and one.is_ordered and other.is_ordered
    return are_lists or next(labels) == next(labels)


def _is_multiple(one: Sequence[float], other: Sequence[float]) -> bool:
    """Return whether two lists of numbers have one ratio throughout."""
    ratios = [a / b if b else 0.0 for a, b in zip(one, other, strict=True)]
    return max(ratios) - min(ratios) <= 1e-9 * abs(max(ratios))


def _quantity(family: Family) -> _Quantity | None:
    """Return the values of a family of numbers; None if there is no short code for them."""
    if family.is_text or family.loop is None or len(family.elements) < _FEW:
        return None
    if not family.loop.variable.isidentifier():
        return None  # it is of pairs
    loop = family.loop
    values, owner = tuple(family.numbers), family.owner
    if loop.over == f"{owner}.values()":
        return _Quantity(f"{owner}[k]", "k", owner, values, family.names, is_keyed=True)
    return _Quantity(loop.each, loop.variable, loop.over, values, family.names)


def _keys(family: Family, made: _Quantity) -> _Quantity | None:
    """Return the items of a loop over numbers as a quantity: those of ``for n in (10, 100)``.

    None if they are no numbers, or only the places 0, 1, 2, …
    """
    try:
        items = ast.literal_eval(made.over)
    except (ValueError, SyntaxError):
        return None  # it runs over a variable, or over expressions
    if not isinstance(items, tuple):
        return None
    is_place = items == tuple(range(len(items)))
    if is_place or not all(isinstance(item, (int, float)) for item in items):
        return None
    used = family.names_in_loop - identifiers(family.elements[0].code)
    names = frozenset().union(*map(stems, used))
    return _Quantity(made.variable, made.variable, made.over, tuple(map(float, items)), names, True)


def _are_together(one: Sequence[float], other: Sequence[float], way: int) -> bool:
    """Return whether of each two items the one with more of the first has more of the other."""
    pairs = list(zip(one, other, strict=True))
    return all((a < b) == ((d - c) * way > 0) for a, c in pairs for b, d in pairs)


def _code(one: _Quantity, other: _Quantity, sign: str) -> str:
    """Return the condition that two quantities grow together."""
    used = identifiers(f"({one.each}, {one.over}, {other.each}, {other.over})")
    a, b, c, d = [name for name in _NAMES if name not in used][:4]
    if one.over == other.over or (one.is_keyed and other.is_keyed):
        return (f"all(({one.of(a)} < {one.of(b)}) == ({other.of(a)} {sign} {other.of(b)})"
                f" for {a} in {one.over} for {b} in {one.over})")  # fmt: skip
    lists = ", ".join(
        side.over
        if side.each == side.variable
        else f"[{side.each} for {side.variable} in {side.over}]"
        for side in (one, other)
    )
    pairs = f"for {a}, {c} in zip({lists}) for {b}, {d} in zip({lists})"
    return f"all(({a} < {b}) == ({c} {sign} {d}) {pairs})"
