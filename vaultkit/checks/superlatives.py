"""Contradicts a superlative said of the thing at the other end of a column.

*Mary had the longest reign* is contradicted by an output in which hers is the shortest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from vaultkit.checks.check import Contradiction
from vaultkit.checks.key_tables import Table
from vaultkit.checks.keyed import key_places
from vaultkit.claims.attributions import is_apart
from vaultkit.claims.mentions import Sentence

#: The fewest rows of which one is the largest.
_ROWS = 3
#: Spaces and the marks for bold text, italics and code, which may be around a cell's text.
_EMPHASIS = " *_`"


def wrong_superlatives(
    sentences: Sequence[Sentence], tables: Sequence[Table]
) -> Iterator[Contradiction]:
    """Yield the superlatives of sentences that are wrong.

    The words are in the table ``ranks`` of the language's file, in the lists ``top`` and
    ``bottom``.
    """
    for sentence in sentences:
        for word, rank in sentence.lexicon.find("ranks", sentence.text):
            if not is_apart(sentence, sentence.text):
                yield from _wrong_superlative(sentence, tables, word, is_top=rank == "top")


def _wrong_superlative(
    sentence: Sentence, tables: Sequence[Table], word: re.Match[str], *, is_top: bool
) -> Iterator[Contradiction]:
    """Yield a superlative said of a thing at the other end of a column, and at no right end.

    ``is_top`` is true for *the longest*, and false for *the shortest*.
    """
    is_right, opposite = False, ""
    best, worst = (max, min) if is_top else (min, max)
    for table in tables:
        if len(table.rows) < _ROWS or table.of_days:
            continue
        keys = [
            place.key
            for place in key_places(sentence, table)
            if _is_said_of(sentence, word, place.start, place.end)
        ]
        if len(keys) != 1:
            continue
        for index, value in enumerate(table.rows[keys[0]]):
            column = [row[index] for row in table.rows.values() if index < len(row)]
            is_complete = len(column) == len(table.rows)
            # Of negative numbers, the largest may be meant by size.
            if not is_complete or not 0 <= min(column) < max(column):
                continue
            if value == best(column):
                is_right = True
            elif value == worst(column) and column.count(value) == 1:
                opposite = table.source
    if opposite and not is_right:
        other = "smallest" if is_top else "largest"
        why = f"in {opposite}, it has the {other} number"
        yield Contradiction(sentence.place_of(word.start()), word[0], why)


def _is_said_of(sentence: Sentence, word: re.Match[str], start: int, end: int) -> bool:
    """Return whether a superlative is said of a label: *Mary had the longest*, *the longest is*.

    ``start`` and ``end`` are the place of the label in the sentence.
    """
    text, regex = sentence.text, sentence.lexicon.regex
    is_second = regex(r"\b<superlatives.before_other>\s$").search(text[: word.start()])
    has_exception = regex(r"\s<superlatives.excepting>\b").match(text, word.end())
    if is_second or has_exception:
        return False
    if end <= word.start():  # *Mary I had by far the longest*
        between = regex(
            r"(?:\s[IVX]+)?\s*<superlatives.verbs>\s(?:<superlatives.far>\s)?(?:<superlatives.the>\s)?"
        )
        opens_sentence = not text[:start].strip(_EMPHASIS)
        return opens_sentence and bool(between.fullmatch(text, end, word.start()))
    # *The longest reign of all was Mary*
    between = regex(
        r"(?:\s(?!<superlatives.than>\b)[a-z]+){0,3}\s<superlatives.verbs>\s+(?:<superlatives.the>\s)?"
    )
    opens_sentence = bool(regex(r"\W*(?:<superlatives.the>\W*)?").fullmatch(text[: word.start()]))
    return opens_sentence and bool(between.fullmatch(text, word.end(), start))
