"""Contradicts words about all things of a kind: their number, the largest one, their direction.

*All four shots* is contradicted by ``shots``, a dictionary of three; *Mary had the longest reign*
by an output in which hers is the shortest; *the peaks keep falling* by a list ``peaks`` that rises.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from vaultkit.checks.facts import Family
from vaultkit.checks.literals import is_number
from vaultkit.checks.stated import shortened
from vaultkit.claims.attributions import is_apart, places
from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.mentions import Sentence, stem
from vaultkit.claims.stated import Stated
from vaultkit.read.note import Note

#: Most things that a text counts, and the fewest rows of which one is the largest.
_MOST, _ROWS = 100, 3
#: The longest list whose direction is read.
_LONGEST = 1000
_WHOLE = re.compile(r"\s*All(?:\s(?:the|of\sthe|these))?\s")
_NOUN = re.compile(
    r"\s(?P<noun>[a-z]{3,}s)\b(?!\s(?:that|which|whose|who|with|of|in|from|at|on|for|between|we|you|I|above|below|left|more)\b)"
)

_AS_MUCH = re.compile(r"\sas\s(?:much|many)\s(?P<one>[^\W\d_]+)\sas\s(?P<other>[^\W\d_]+)")
_MULTIPLES = {Fraction(n) for n in (2, 3, 4, 5, 10)} | {Fraction(1, n) for n in (2, 3, 4, 5, 10)}
_Place = tuple[Sentence, int, str, str]


class Wholes:
    """Collects the lists, dictionaries and tables of a note, to judge words about all their items.

    Parameters
    ----------
    note
        The note.
    lexicon
        The words of its language.
    """

    def __init__(self, note: Note, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        keeping = lexicon.pattern("ranks_of_lists", "keeping")
        nouns = re.findall(rf"\b[Tt]he\s([a-z]{{3,}})\s{keeping}\s", note.text)
        self._moving_ones = {stem(noun, lexicon) for noun in nouns}
        self._any_rank = re.compile(rf"\b{lexicon.pattern('ranks')}\b", re.IGNORECASE)
        #: By the stem of a name, the lengths that its values have had, and their directions.
        self.lengths: dict[str, set[int]] = defaultdict(set)
        self.directions: dict[str, set[str]] = defaultdict(set)

    def observe(self, variables: Mapping[str, Any]) -> None:
        """Collect the lists and dictionaries that a block leaves."""
        for name, value in variables.items():
            if name.startswith("_") or len(name) < _ROWS:
                continue
            own = stem(name, self.lexicon)
            if isinstance(value, list | tuple | dict | set | frozenset):
                self.lengths[own].add(len(value))
            else:
                self.lengths[own].add(-1)  # the text may count something else
            # Most variables are large, and no sentence says how they move.
            if own in self._moving_ones and isinstance(value, list | tuple | np.ndarray):
                is_list = not isinstance(value, np.ndarray) or value.ndim == 1
                if is_list and len(value) <= _LONGEST:
                    self.directions[own].add(_direction(value))

    def wrong(
        self, note: Note, sentences: Sequence[Sentence], families: Sequence[Family]
    ) -> Iterator[_Place]:
        """Yield wrong words: sentence, place, words and why."""
        rows = self._rows(note) if re.search(r"\bAll\s", note.text) else {}
        for sentence in sentences:
            for number in sentence.numbers:
                if why := self._counted(sentence, number, rows):
                    yield sentence, number.start, number.text, why
        for sentence in sentences:
            if self._any_rank.search(sentence.text):
                yield from self._extreme(sentence, families)
            if self._moving_ones:
                yield from self._moving(sentence)
            yield from self._multiple(sentence, families)

    def _rows(self, note: Note) -> dict[str, set[int]]:
        """Return the numbers of rows of tables, by the stem of the title of the first column."""
        found: dict[str, set[int]] = defaultdict(set)
        tables: dict[int, tuple[str, set[int]]] = {}
        last = -2
        for cell in note.cells:
            line = cell.line
            if line > last + 1:
                tables[line] = cell.title, set()
            list(tables.values())[-1][1].add(line)
            last = max(last, line)
        for title, lines in tables.values():
            found[stem(title.strip(" *_`"), self.lexicon)].add(len(lines))
        return found

    def _counted(self, sentence: Sentence, number: Stated, rows: Mapping[str, set[int]]) -> str:
        """Return how many there are, if *all four shots* is wrong."""
        if number.bounds or number.times or number.value.denominator != 1:
            return ""
        if not 1 < number.value < _MOST or not _WHOLE.fullmatch(sentence.text[: number.start]):
            return ""
        found = _NOUN.match(sentence.text, number.end)
        if not found or is_apart(sentence, sentence.text[: number.end]):
            return ""
        noun = stem(found["noun"], self.lexicon)
        known = self.lengths.get(noun, set()) | rows.get(noun, set())
        if len(known) != 1 or number.value in known or -1 in known:
            return ""
        return f"the page has {known.pop()} {found['noun']}"

    def _extreme(self, sentence: Sentence, families: Sequence[Family]) -> Iterator[_Place]:
        """Yield *the longest* of a thing that is the shortest."""
        for word, name in self.lexicon.find("ranks", sentence.text):
            if not is_apart(sentence, sentence.text):
                yield from self._of_rank(sentence, families, word, name)

    def _of_rank(
        self, sentence: Sentence, families: Sequence[Family], word: re.Match[str], name: str
    ) -> Iterator[_Place]:
        """Yield a superlative if what it is said of is at the other end."""
        is_right = opposite = ""
        for family in families:
            if len(family.rows) < _ROWS or family.is_head:
                continue
            named = [
                one
                for one in places(sentence, list(family.rows))
                if _is_said_of(sentence.text, word, one.start, one.end)
            ]
            if len(named) != 1:
                continue
            own = family.rows[named[0].label]
            for place, value in enumerate(own):
                column = [row[place] for row in family.rows.values() if place < len(row)]
                if len(column) < len(family.rows) or min(column) < 0 or min(column) == max(column):
                    continue
                best, worst = (max, min) if name == "top" else (min, max)
                if value == best(column):
                    is_right = family.source
                elif value == worst(column) and column.count(value) == 1:
                    opposite = family.source
        if opposite and not is_right:
            other = "smallest" if name == "top" else "largest"
            yield sentence, word.start(), word[0], f"in {opposite}, it has the {other} number"

    def _multiple(self, sentence: Sentence, families: Sequence[Family]) -> Iterator[_Place]:
        """Yield *three times as much wheat as rye*, if it is twice as much."""
        for number in sentence.numbers:
            found = _AS_MUCH.match(sentence.text, number.end) if number.times else None
            if not found or number.bounds or is_apart(sentence, sentence.text):
                continue
            one, other = (stem(found[name], self.lexicon) for name in ("one", "other"))
            ratios = {
                a / b: family.source
                for family in families
                if {frozenset({one}), frozenset({other})} <= family.rows.keys()
                for a, b in zip(
                    family.rows[frozenset({one})], family.rows[frozenset({other})], strict=False
                )
                if b
            }
            if not ratios or any(map(number.agrees, ratios)):
                continue
            # A page of other quantities of the two has hardly a multiple in words, too.
            if other_multiple := next((r for r in ratios if r in _MULTIPLES), None):
                why = (
                    f"in {ratios[other_multiple]}, it is {shortened(other_multiple)} times as much"
                )
                yield sentence, number.start, number.text, why

    def _moving(self, sentence: Sentence) -> Iterator[_Place]:
        """Yield *the peaks keep falling* of a list that rises."""
        keeping = self.lexicon.pattern("ranks_of_lists", "keeping")
        for name in ("rising", "falling"):
            own = self.lexicon.pattern("ranks_of_lists", name)
            pattern = rf"\b[Tt]he\s(?P<noun>[a-z]{{3,}})\s{keeping}\s(?P<word>{own})\b"
            for found in re.finditer(pattern, sentence.text):
                known = self.directions.get(stem(found["noun"], self.lexicon), set())
                if len(known) == 1 and known <= {"rising", "falling"} - {name}:
                    why = f"the numbers of {found['noun']} are {known.copy().pop()}"
                    yield sentence, found.start("word"), found["word"], why


def _direction(value: Any) -> str:
    """Return whether numbers rise or fall all the time; empty if they do not."""
    items = list(value.tolist()) if isinstance(value, np.ndarray) else list(value)
    if len(items) < _ROWS or not all(map(is_number, items)):
        return ""
    if all(a < b for a, b in pairwise(items)):
        return "rising"
    return "falling" if all(a > b for a, b in pairwise(items)) else ""


_VERB = r"(?:is|was|has|had|reigned|lasted|comes\sout|ranks|stands)"
_IS = re.compile(rf"(?:\s[IVX]+)?\s*{_VERB}\s(?:by\sfar\s)?(?:(?:the|its)\s)?")
_BEHIND = re.compile(rf"(?:\s(?!than\b)[a-z]+){{0,3}}\s{_VERB}\s+(?:the\s)?")


def _is_said_of(text: str, word: re.Match[str], start: int, end: int) -> bool:
    """Return whether a superlative is said of a label: *Mary had the longest*, *the longest is*."""
    if re.search(r"\b(?:second|third|next|one\sof\sthe|among)\s$", text[: word.start()]):
        return False
    if re.match(r"\s(?:but|except|among|apart|after)\b", text[word.end() :]):
        return False
    if end <= word.start():
        return bool(_IS.fullmatch(text, end, word.start())) and not text[:start].strip(" *_`")
    before = text[: word.start()].strip().lower()
    return before in ("the", "") and bool(_BEHIND.fullmatch(text, word.end(), start))
