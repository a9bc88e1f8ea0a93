"""Searches conditions for words of comparison next to numbers of the same sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from vaultkit.claims.clauses import clause_end
from vaultkit.claims.comparisons import Spoken
from vaultkit.claims.lexicon import Lexicon
from vaultkit.edit.bind_beside import Number, are_alike, on_one_scale
from vaultkit.edit.described import is_printed_as
from vaultkit.edit.expressions import Atom
from vaultkit.edit.kinds import cost_of_fit
from vaultkit.edit.sentences import Candidate

#: Which way the words of a list of the lexicon compare: 1 for more, -1 for less, 0 for the same.
WAYS = {"more": 1, "less": -1, "rises": 1, "falls": -1, "same": 0, "largest": 1, "smallest": -1}
SIGNS = {1: ">", -1: "<", 0: "=="}
#: The score of such a condition, about as much as two sides that the sentence names.
SCORE = 2.0
#: How many words are near.
NEAR = 6


def between_opposites(words: Lexicon) -> re.Pattern[str]:
    """Return a pattern of what is between two numbers that are compared: *211 instead of 240*."""
    return words.regex(r"\W*(?:[^\W\d_]+\s)?<binding.against>\W*")


def end_of_statement(words: Lexicon) -> re.Pattern[str]:
    """Return a pattern of what ends a statement of a sentence; a comma alone does not."""
    return clause_end(words, "joining", "contrasting", "concluding", marks=";:")


def _refers_back(words: Lexicon) -> re.Pattern[str]:
    """Return a pattern of what is between a number and what is said of it: *3.1, which is more*."""
    return words.regex(
        r"(?:\s\w+)?,\s<binding.which>\s<grammar.being>\s(?:\w+<binding.adverb>\s|<binding.much>\s)?"
    )


def compare_numbers_beside(
    text: str, stated: Sequence[Number], spoken: Spoken, words: Lexicon
) -> Iterator[Candidate]:
    """Yield the comparison of two numbers next to a word: *4.2 h, longer than the 3.1 h of*.

    Also that of *211 months instead of 240, 29 fewer*, and *3.1, and it takes 4.2, which is
    more*.

    Parameters
    ----------
    text
        The text.
    stated
        The numbers of the sentence.
    spoken
        The word.
    words
        The words of the language.
    """
    before = [number for number in stated if number.end <= spoken.start][-3:]
    after = [number for number in stated if spoken.end <= number.start][:1]
    between = text[before[-1].end : spoken.start] if before else ""
    pair: tuple[Number, ...] = ()
    is_one_clause = not end_of_statement(words).search(between)
    if after and before and len(between.split()) <= NEAR and is_one_clause:
        behind = text[spoken.end : after[0].start]
        than = spoken.table == "weak" or words.regex(r"\s<binding.compared_with>\b").match(behind)
        if than and len(behind.split()) <= NEAR and not re.search(r"[,;:.]\s", behind):
            pair = before[-1], after[0]
    if not pair and len(before) > 1:
        if _refers_back(words).fullmatch(between):
            pair = before[-1], before[-2]
        elif len(between.split()) < 2 and len(before) > 2:
            first, second, gap = before
            is_gap = cost_of_fit(gap.stated, abs(second.value - first.value)) is not None
            if is_gap and between_opposites(words).fullmatch(text[first.end : second.start]):
                pair = first, second
    if not pair or not are_alike(pair[0], pair[1], words):
        return
    if not any(first.is_bound for first in pair) and pair[0].unit != pair[1].unit:
        return  # *8.5 %, fewer than one in ten*
    left, right = on_one_scale(*pair)
    way = WAYS[spoken.what]
    if right.is_bound and not left.is_bound:
        return  # a number is not the subject of a condition
    if left.code != right.code and holds(left.value, right.value, way):
        yield Candidate(f"{left.code} {SIGNS[way]} {right.code}", SCORE, True)


def zeros(said: frozenset[str], pool: Sequence[Atom]) -> list[Candidate]:
    """Return the printed zeros that words are about: *no bucket is empty*, *it never falls*."""
    return [
        Candidate(atom.code, SCORE, True, (atom,), atom.value) for atom in pool
        if atom.value == 0 and is_printed_as(atom, said)
    ]  # fmt: skip


def holds(left: float, right: float, way: int) -> bool:
    """Return whether two numbers compare: 1 for more, -1 for less, 0 for the same."""
    if way:
        return (left - right) * way > 0
    return abs(left - right) <= 1e-6 * max(1.0, abs(left))
