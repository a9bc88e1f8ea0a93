"""Contradicts multiples and parts of what a list has by names: *Monday has a third of Tuesday's*.

A sentence is judged only if it consists of two names, a multiple or part, and words that leave the
quantity open, or name the list: others may be about another quantity of the same things.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from vaultkit.checks.check import Contradiction
from vaultkit.checks.key_tables import Table, text_of
from vaultkit.checks.keyed import Place, key_places
from vaultkit.checks.origins import find_origins
from vaultkit.claims.clauses import clause_end
from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.mentions import Sentence, label_stems, sentences_of_piece
from vaultkit.claims.stated import Stated
from vaultkit.claims.units import unit_of
from vaultkit.read.note import Note

#: How far a multiple may be rounded, as a share of it.
_ROUGH = Fraction(3, 20)
#: A part that is this many times too large or small may be in another unit.
_FAR = 3


def contradictions(note: Note, tables: Sequence[Table], words: Lexicon) -> Iterator[Contradiction]:
    """Yield the multiples and parts that agree with none of the tables that have both names."""
    ends = [(block.output or block.fence).end for block in note.blocks]
    loops = find_origins(note.blocks).loops
    tables = [
        replace(table, rows={key: row for key, row in table.rows.items() if key not in loops})
        for table in tables
    ]
    for piece in note.prose if tables else ():
        if not any(words.may_find(table, piece.text) for table in ("multiples", "parts")):
            continue
        for sentence in sentences_of_piece(piece, words, with_number=False):
            line = sentence.place_of(0)[0]
            nearest = max((end for end in ends if end < line), default=0)
            above = [table for table in tables if table.line <= nearest]
            for number in sentence.numbers:
                if number.times and (why := _why(sentence, number, above)):
                    yield Contradiction.of_number(sentence, number, why)


def _why(sentence: Sentence, number: Stated, tables: Sequence[Table]) -> str:
    """Return what the tables have for the two names around a multiple; empty if one agrees."""
    why = ""
    for table in tables:
        places = key_places(sentence, table)
        pairs = (
            (one, other)
            for one, other in pairwise(places)
            if one.end <= number.start and number.end <= other.start
        )
        around = next(pairs, None)
        if around is None and (other := _whole_of_part(sentence, number, places, table)):
            ratio, what = other
            if number.agrees(ratio) or not number.value / _FAR < ratio < number.value * _FAR:
                return ""
            why = why or f"of {what} in {table.source}, it is {float(ratio):.3g}"
            continue
        if around is None or len({place.key for place in places}) != 2:
            continue
        rows = [table.rows[place.key] for place in around]
        ratios = [one / other for one, other in zip(*rows, strict=False) if other]
        if any(
            number.agrees(ratio) or abs(ratio - number.value) <= _ROUGH * number.value
            for ratio in ratios
        ):
            return ""
        if (
            not why
            and len(ratios) == len(rows[0]) == 1
            and _is_bare(sentence, number, around, table)
        ):
            keys = " / ".join(text_of(place.key) for place in around)
            why = f"in {table.source}, {keys} is {float(ratios[0]):.3g}"
    return why


def _whole_of_part(
    sentence: Sentence, number: Stated, places: Sequence[Place], table: Table
) -> tuple[Fraction, str] | None:
    """Return the share of a named number in *100 g, which is a fifth of the flour*, and its name.

    Return None for any other sentence.
    """
    text, regex = sentence.text, sentence.lexicon.regex
    before = [one for one in sentence.numbers if one.digits and one.end <= number.start]
    joint = regex(r"\w*,\s(?:<ratios.which>\s)?(?:<before.about>\s)?")
    if not before or not joint.fullmatch(text, before[-1].end, number.start):
        return None
    of_the = regex(r"\s<roles.of_value>\s(?:<grammar.the>\s)?")
    for place in places:
        row = table.rows[place.key]
        is_end = regex(r"\s*(?:[,.;)]|<clauses.joining>\b|$)").match(text, place.end)
        if len(row) == 1 and row[0] and is_end and of_the.fullmatch(text, number.end, place.start):
            return before[-1].value / row[0], text_of(place.key)
    return None


def _is_bare(sentence: Sentence, number: Stated, around: tuple[Place, Place], table: Table) -> bool:
    """Return whether a clause has nothing besides a multiple, two names and words of no quantity.

    The name of the table is such a word.
    """
    text, words = sentence.text, sentence.lexicon
    first, second = around
    stops = clause_end(words, "joining", "contrasting", "concluding", marks=";:()—–")
    begins = max((stop.end() for stop in stops.finditer(text, 0, first.start)), default=0)
    pause = clause_end(words, "joining", "contrasting", marks=",;:()—–").search(text, second.end)
    rest = " ".join(
        (text[begins : first.start], text[first.end : number.start],
         text[number.end : second.start], text[second.end : pause.start() if pause else len(text)])
    )  # fmt: skip
    neutral = set(words.words["roles"]["ignored"]) | set(words.words["ratios"]["neutral"])
    if number.bounds:  # *more than a third*
        neutral.update(
            word for list_ in words.words["before"].values() for word in " ".join(list_).split()
        )
    stems = label_stems(table.variable, words)
    return all(
        word.casefold() in neutral or label_stems(word, words) <= stems or unit_of(word, 0, words)
        for word in re.findall(r"[^\W\d_]+", rest)
    )
