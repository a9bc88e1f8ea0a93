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
#: Spaces and the marks for bold text, italics and code, which may be around a cell's text.
_EMPHASIS = " *_`"


class Wholes:
    """Collects the lists, dictionaries and tables of a note, to judge words about all their items.

    Parameters
    ----------
    lexicon
        The words of the language of the note.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        #: *All the*, and the noun behind a number if no words limit it.
        self._all = lexicon.regex(r"\s*<wholes.all>(?:\s<wholes.of_them>)?\s")
        self._noun = lexicon.regex(r"\s(?P<noun>[a-z]{3,}s)\b(?!\s<wholes.limiting>\b)", re.NOFLAG)
        self._any_rank = re.compile(rf"\b{lexicon.pattern('ranks')}\b", re.IGNORECASE)
        #: By the stem of a name, the lengths that its values have had; -1 for another type.
        self.lengths: dict[str, set[int]] = defaultdict(set)

    def observe(self, variables: Mapping[str, Any]) -> None:
        """Record the lengths of the lists, dictionaries and sets that a block leaves."""
        for name, value in variables.items():
            if name.startswith("_") or len(name) < _SHORTEST_NAME:
                continue
            is_counted = isinstance(value, list | tuple | dict | set | frozenset)
            # Of another type, the text may count something else.
            self.lengths[stem(name, self.lexicon)].add(len(value) if is_counted else -1)

    def contradictions(
        self, note: Note, sentences: Sequence[Sentence], tables: Sequence[Table]
    ) -> Iterator[Contradiction]:
        """Yield the numbers of things and the superlatives that are wrong."""
        rows = self._table_lengths(note)
        for sentence in sentences:
            for number in sentence.numbers:
                if why := self._wrong_count(sentence, number, rows):
                    yield Contradiction.of_number(sentence, number, why)
        for sentence in sentences:
            if self._any_rank.search(sentence.text):
                yield from self._wrong_superlatives(sentence, tables)

    def _table_lengths(self, note: Note) -> dict[str, set[int]]:
        """Return how many things each table lists, by the stem of its first column's title.

        The number is -1 if not every row is sure to be another thing of that title.
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
            by_title[title].add(len(labels) if self._are_things(labels) else -1)
        return by_title

    def _are_things(self, labels: Sequence[RowLabel]) -> bool:
        """Return whether the labels of rows name a thing each: no number, no *total*."""
        texts = {label.text.strip(_EMPHASIS) for label in labels}
        return len(texts) == len(labels) and all(
            text and not text[0].isdigit() and not any(self.lexicon.find("labels", text))
            for text in texts
        )

    def _wrong_count(self, sentence: Sentence, number: Stated, rows: Mapping[str, set[int]]) -> str:
        """Return how many there are, if *all four shots* is wrong."""
        is_plain_integer = not (number.bounds or number.times) and number.value.denominator == 1
        if not is_plain_integer or not 1 < number.value < _MOST:
            return ""
        if not self._all.fullmatch(sentence.text[: number.start]):
            return ""
        counted = self._noun.match(sentence.text, number.end)
        if not counted or is_apart(sentence, sentence.text[: number.end]):
            return ""
        noun = stem(counted["noun"], self.lexicon)
        known = self.lengths.get(noun, set()) | rows.get(noun, set())
        if len(known) != 1 or number.value in known or -1 in known:
            return ""
        return f"the page has {known.pop()} {counted['noun']}"

    def _wrong_superlatives(
        self, sentence: Sentence, tables: Sequence[Table]
    ) -> Iterator[Contradiction]:
        """Yield words such as *the longest* that are said of the shortest thing."""
        for word, name in self.lexicon.find("ranks", sentence.text):
            if not is_apart(sentence, sentence.text):
                yield from self._wrong_superlative(sentence, tables, word, name)

    def _wrong_superlative(
        self, sentence: Sentence, tables: Sequence[Table], word: re.Match[str], name: str
    ) -> Iterator[Contradiction]:
        """Yield a superlative if what it is said of is at the other end."""
        is_right = opposite = ""
        for table in tables:
            if len(table.rows) < _ROWS or table.of_days:
                continue
            named = [
                place
                for place in key_places(sentence, table)
                if _is_said_of(sentence, word, place.start, place.end)
            ]
            if len(named) != 1:
                continue
            for place, value in enumerate(table.rows[named[0].key]):
                column = [row[place] for row in table.rows.values() if place < len(row)]
                is_complete = len(column) == len(table.rows)
                if not is_complete or not 0 <= min(column) < max(column):
                    continue
                best, worst = (max, min) if name == "top" else (min, max)
                if value == best(column):
                    is_right = table.source
                elif value == worst(column) and column.count(value) == 1:
                    opposite = table.source
        if opposite and not is_right:
            other = "smallest" if name == "top" else "largest"
            why = f"in {opposite}, it has the {other} number"
            yield Contradiction(sentence.place_of(word.start()), word[0], why)


def _is_said_of(sentence: Sentence, word: re.Match[str], start: int, end: int) -> bool:
    """Return whether a superlative is said of a label: *Mary had the longest*, *the longest is*.

    ``start`` and ``end`` are the place of the label in the sentence.
    """
    text, regex = sentence.text, sentence.lexicon.regex
    if regex(r"\b<wholes.before_other>\s$").search(text[: word.start()]):
        return False
    if regex(r"\s<wholes.excepting>\b").match(text, word.end()):
        return False
    if end <= word.start():
        ahead = regex(r"(?:\s[IVX]+)?\s*<wholes.verbs>\s(?:<wholes.far>\s)?(?:<wholes.the>\s)?")
        return bool(ahead.fullmatch(text, end, word.start())) and not text[:start].strip(_EMPHASIS)
    behind = regex(r"(?:\s(?!<wholes.than>\b)[a-z]+){0,3}\s<wholes.verbs>\s+(?:<wholes.the>\s)?")
    is_subject = bool(regex(r"\W*(?:<wholes.the>\W*)?").fullmatch(text[: word.start()]))
    return is_subject and bool(behind.fullmatch(text, word.end(), start))
