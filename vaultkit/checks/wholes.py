"""Contradicts words about all things of a kind: their number, and the largest one.

*All four shots* is contradicted by ``shots``, a dictionary of three; *Mary had the longest reign*
by an output in which hers is the shortest.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vaultkit.checks.check import Contradiction
from vaultkit.checks.collector import Collector
from vaultkit.checks.key_tables import Table
from vaultkit.checks.keyed import key_places
from vaultkit.claims.attributions import is_apart
from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.mentions import Sentence, stem
from vaultkit.claims.stated import Stated
from vaultkit.read.note import Note, RowLabel

#: Most things that a text counts, and the fewest rows of which one is the largest.
_MOST, _ROWS = 100, 3
#: Least length of the name of a variable that may be a noun of the text.
_SHORTEST_NAME = 3
#: In place of a length: what has this name is not certain to be all things of a kind.
_UNKNOWN = -1
#: Spaces and the marks for bold text, italics and code, which may be around a cell's text.
_EMPHASIS = " *_`"


class Wholes(Collector):
    """Collects the lists, dictionaries and tables of a note, to judge words about all their items.

    The words that it looks for are in the table ``wholes`` of the language's file, and those of
    superlatives in ``ranks``, which has the lists ``top`` and ``bottom``.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        super().__init__(lexicon)
        #: The words before a number that counts all things: *All the*, *All of these*.
        self._all = lexicon.regex(r"\s*<wholes.all>(?:\s<wholes.of_them>)?\s")
        #: The noun behind it, if no words limit it; *all four shots that hit* are not all shots.
        self._noun = lexicon.regex(r"\s(?P<noun>[a-z]{3,}s)\b(?!\s<wholes.limiting>\b)", re.NOFLAG)
        #: By the stem of a name, the lengths that its values have had, or `_UNKNOWN`.
        self.lengths: dict[str, set[int]] = defaultdict(set)

    def observe(self, variables: Mapping[str, Any]) -> None:
        """Record the lengths of the lists, dictionaries and sets that a block leaves."""
        for name, value in variables.items():
            if len(name) >= _SHORTEST_NAME:
                is_counted = isinstance(value, list | tuple | dict | set | frozenset)
                length = len(value) if is_counted else _UNKNOWN
                self.lengths[stem(name, self.lexicon)].add(length)

    def contradictions(
        self, note: Note, sentences: Sequence[Sentence], tables: Sequence[Table]
    ) -> Iterator[Contradiction]:
        """Yield the numbers of things and the superlatives that are wrong."""
        table_lengths = self._table_lengths(note)
        for sentence in sentences:
            for number in sentence.numbers:
                if why := self._wrong_count(sentence, number, table_lengths):
                    yield Contradiction.of_number(sentence, number, why)
        for sentence in sentences:
            for word, rank in self.lexicon.find("ranks", sentence.text):
                if not is_apart(sentence, sentence.text):
                    yield from self._wrong_superlative(sentence, tables, word, is_top=rank == "top")

    def _table_lengths(self, note: Note) -> dict[str, set[int]]:
        """Return how many things each table lists, by the stem of its first column's title.

        The number is `_UNKNOWN` if not every row is certain to be another thing of that title.
        """
        tables: list[list[RowLabel]] = []
        for label in dict.fromkeys(cell.label for cell in note.cells):
            is_in_next_row = tables and label.line == tables[-1][-1].line + 1
            if not is_in_next_row:
                tables.append([])
            tables[-1].append(label)
        by_title: dict[str, set[int]] = defaultdict(set)
        for labels in tables:
            title = stem(labels[0].title.strip(_EMPHASIS), self.lexicon)
            by_title[title].add(len(labels) if self._are_things(labels) else _UNKNOWN)
        return by_title

    def _are_things(self, labels: Sequence[RowLabel]) -> bool:
        """Return whether the labels of rows name a thing each: no number, no *total*."""
        texts = {label.text.strip(_EMPHASIS) for label in labels}
        return len(texts) == len(labels) and all(
            text and not text[0].isdigit() and not any(self.lexicon.find("labels", text))
            for text in texts
        )

    def _wrong_count(
        self, sentence: Sentence, number: Stated, table_lengths: Mapping[str, set[int]]
    ) -> str:
        """Return how many there are, if *all four shots* is wrong; empty if it may be right."""
        is_plain_integer = not (number.bounds or number.times) and number.value.denominator == 1
        # *One* is no number of things here, and a large number may be rounded.
        if not is_plain_integer or not 1 < number.value < _MOST:
            return ""
        if not self._all.fullmatch(sentence.text[: number.start]):
            return ""
        counted = self._noun.match(sentence.text, number.end)
        if not counted or is_apart(sentence, sentence.text[: number.end]):
            return ""
        noun = stem(counted["noun"], self.lexicon)
        lengths = self.lengths.get(noun, set()) | table_lengths.get(noun, set())
        # If the page has several lengths for the noun, the text may be about any of them.
        if len(lengths) != 1 or number.value in lengths or _UNKNOWN in lengths:
            return ""
        return f"the page has {lengths.pop()} {counted['noun']}"

    def _wrong_superlative(
        self, sentence: Sentence, tables: Sequence[Table], word: re.Match[str], *, is_top: bool
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
    is_second = regex(r"\b<wholes.before_other>\s$").search(text[: word.start()])
    has_exception = regex(r"\s<wholes.excepting>\b").match(text, word.end())
    if is_second or has_exception:
        return False
    if end <= word.start():  # *Mary I had by far the longest*
        between = regex(r"(?:\s[IVX]+)?\s*<wholes.verbs>\s(?:<wholes.far>\s)?(?:<wholes.the>\s)?")
        opens_sentence = not text[:start].strip(_EMPHASIS)
        return opens_sentence and bool(between.fullmatch(text, end, word.start()))
    # *The longest reign of all was Mary*
    between = regex(r"(?:\s(?!<wholes.than>\b)[a-z]+){0,3}\s<wholes.verbs>\s+(?:<wholes.the>\s)?")
    opens_sentence = bool(regex(r"\W*(?:<wholes.the>\W*)?").fullmatch(text[: word.start()]))
    return opens_sentence and bool(between.fullmatch(text, word.end(), start))
