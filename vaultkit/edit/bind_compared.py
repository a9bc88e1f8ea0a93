"""Searches conditions for words of comparison next to numbers of the same sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from vaultkit.claims.clauses import clause_end
from vaultkit.claims.comparisons import ComparisonWord
from vaultkit.claims.lexicon import Lexicon
from vaultkit.edit.bind_beside import Number, are_alike, on_one_scale
from vaultkit.edit.sentences import Candidate

#: Which way the words of a list of the lexicon compare: 1 for more, -1 for less, 0 for the same.
WAYS = {"more": 1, "less": -1, "rises": 1, "falls": -1, "same": 0, "largest": 1, "smallest": -1}
#: The sign of each way.
SIGNS = {1: ">", -1: "<", 0: "=="}
#: The score of such a condition, about as much as two sides that the sentence names.
SCORE = 2.0
#: How many words may be between a word of comparison and its number or name.
NEAR = 6
#: How far two equal numbers may differ by rounding, as a share of them.
_EQUAL = 1e-6


def end_of_statement(words: Lexicon) -> re.Pattern[str]:
    """Return a pattern of what ends a statement of a sentence; a comma alone does not."""
    return clause_end(words, "joining", "contrasting", "concluding", marks=";:")


def compare_numbers_beside(
    text: str, stated: Sequence[Number], spoken: ComparisonWord, words: Lexicon
) -> Iterator[Candidate]:
    """Yield the comparison of two numbers next to a word: *4.2 h, longer than the 3.1 h of*.

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
    before = next((number for number in reversed(stated) if number.end <= spoken.start), None)
    after = next((number for number in stated if spoken.end <= number.start), None)
    if not before or not after or not are_alike(before, after, words):
        return
    ahead, behind = text[before.end : spoken.start], text[spoken.end : after.start]
    if len(ahead.split()) > NEAR or end_of_statement(words).search(ahead):
        return
    # A weak word, such as *over*, needs no *than*.
    has_than = spoken.table == "weak" or words.regex(r"\s<binding.compared_with>\b").match(behind)
    if not has_than or len(behind.split()) > NEAR or re.search(r"[,;:.]\s", behind):
        return
    if not (before.is_bound or after.is_bound) and before.unit != after.unit:
        return  # *8.5 %, fewer than one in ten*
    left, right = on_one_scale(before, after)
    way = WAYS[spoken.meaning]
    if right.is_bound and not left.is_bound:
        return  # a number is not the subject of a condition
    if left.code != right.code and holds(left.value, right.value, way):
        yield Candidate(f"{left.code} {SIGNS[way]} {right.code}", SCORE, True)


def holds(left: float, right: float, way: int) -> bool:
    """Return whether two numbers compare: 1 for more, -1 for less, 0 for the same."""
    if way:
        return (left - right) * way > 0
    return abs(left - right) <= _EQUAL * max(1.0, abs(left))
