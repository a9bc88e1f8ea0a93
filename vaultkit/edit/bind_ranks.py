"""Searches for expressions of ranks: *glass comes second*."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.stated import Stated
from vaultkit.edit.described import Surroundings
from vaultkit.edit.expressions import Atom
from vaultkit.edit.kinds import is_count, is_ordinal
from vaultkit.edit.sentences import Candidate, Passage
from vaultkit.edit.wording import NAMED, overlap

#: Fewest elements of a series that is ranked.
_FEW = 3
#: The score of such an expression before the names that the sentence says are added.
_SCORE = 2.0
#: Words around an ordinal that is a rank, and words for the lower end of an order.
_RANKED = re.compile(
    r"\b(?:comes?|came|is|was|are|were|ranks?|in|takes?|finish\w*|place)\W+(?:only\s+)?(?:the\s+)?$"
)
_LOW = re.compile(
    r"\s+(?:lowest|smallest|shortest|fewest|least|lightest|cheapest|youngest|nearest)\b"
)
_HIGH = re.compile(
    r"\s+(?:largest|highest|longest|biggest|most|heaviest|dearest|oldest|tallest|greatest)\b"
)


def of_number(
    stated: Stated, sentence: Passage, pool: Sequence[Atom], bound: Sequence[Atom], words: Lexicon
) -> list[Candidate]:
    """Return the ranks that a number may be.

    Parameters
    ----------
    stated
        The number.
    sentence
        Its sentence.
    pool
        The expressions with numbers.
    bound
        Those to which other numbers of the sentence are bound.
    words
        The words of the language.
    """
    if not is_count(stated) or not is_ordinal(stated, sentence.piece.text):
        return []
    ranks = _ranks(stated, sentence, _families(pool), bound, words)
    return sorted(ranks, key=lambda one: -one.score)


def _families(pool: Sequence[Atom]) -> dict[str, list[Atom]]:
    """Return the elements of each list and dictionary that has a name."""
    families: dict[str, list[Atom]] = {}
    for atom in pool:
        name, mark, part = atom.series.partition("[*]")
        if mark and name.isidentifier() and not part and not atom.extreme:
            families.setdefault(name, []).append(atom)
    return {name: elements for name, elements in families.items() if len(elements) >= _FEW}


def _ranks(
    stated: Stated,
    sentence: Passage,
    families: dict[str, list[Atom]],
    bound: Sequence[Atom],
    words: Lexicon,
) -> Iterator[Candidate]:
    """Yield the place of an element that the sentence names in the order of its dictionary."""
    around = Surroundings(sentence, stated, words)
    low, high = _LOW.match(around.behind), _HIGH.match(around.behind)
    if not (low or high or _RANKED.search(around.before)):
        return
    for name, family in families.items():
        values = sorted((float(element.value) for element in family), reverse=not low)
        for element in family:
            key = re.fullmatch(rf"{name}\[(?P<key>'[^']*')\]", element.code)
            value = float(element.value)
            if not key or values.count(value) > 1 or values.index(value) + 1 != stated.value:
                continue
            named = overlap(element.names, sentence.said)
            is_bound = any(atom.code == element.code for atom in bound)
            if not around.nearest(element, family):
                continue
            order = "" if low else ", reverse=True"
            code = f"sorted({name}, key={name}.get{order}).index({key['key']}) + 1"
            sure = is_bound or named >= NAMED
            score = _SCORE + named + is_bound
            yield Candidate(code, score, sure, (element,), float(stated.value))
