"""Contradicts the number of all things of a kind.

*All four shots* is contradicted by ``shots``, a dictionary of three.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vaultkit.checks.check import Contradiction
from vaultkit.checks.collector import Collector
from vaultkit.claims.attributions import is_apart
from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.mentions import Sentence, stem
from vaultkit.claims.stated import Stated
from vaultkit.read.note import Note, RowLabel

#: Most things that a text counts.
_MOST = 100
#: Least length of the name of a variable that may be a noun of the text.
_SHORTEST_NAME = 3
#: In place of a length: what has this name is not certain to be all things of a kind.
_UNKNOWN = -1
#: Spaces and the marks for bold text, italics and code, which may be around a cell's text.
_EMPHASIS = " *_`"


class Wholes(Collector):
    """Collects the lists, dictionaries and tables of a note, to judge words about all their items.

    The words that it looks for are in the table ``wholes`` of the language's file.
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

    def contradictions(self, note: Note, sentences: Sequence[Sentence]) -> Iterator[Contradiction]:
        """Yield the numbers of things that are wrong."""
        table_lengths = self._table_lengths(note)
        for sentence in sentences:
            for number in sentence.numbers:
                if why := self._wrong_count(sentence, number, table_lengths):
                    yield Contradiction.of_number(sentence, number, why)

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
