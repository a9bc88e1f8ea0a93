"""Contradicts the order of names if all numbers of the page show another one.

*A fathom is longer than a yard* is contradicted by ``{"yard": 72, "fathom": 36}``, and so is *a
fathom is the longest*. Names are the keys of the tables of a page (`vaultkit.checks.key_tables`).
The name must be the subject of its clause. If an adjective is said of one quantity, as *longer* is
said of lengths and times, only the tables of such a quantity count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from vaultkit.checks.check import Contradiction
from vaultkit.checks.key_tables import Table, text_of
from vaultkit.claims.claims import claims_of
from vaultkit.claims.comparisons import ComparisonWord, comparisons
from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.mentions import label_stems
from vaultkit.claims.units import size_of
from vaultkit.read.note import Note
from vaultkit.read.prose import REASONS, Prose
from vaultkit.read.sentences import Sentences

#: The sign of the difference that a comparison states, by its meaning.
_SIGNS = {"more": 1, "less": -1}
#: What a superlative selects, by its meaning.
_EXTREMES: dict[str, Callable[[Sequence[Fraction]], Fraction]] = {"largest": max, "smallest": min}
#: Fewest names of which one is the largest.
_FEWEST = 3
#: The dimensions of adjectives that are said of any quantity, or of a number of things.
_ANY = {"size", "count"}
#: What the bases of units measure.
_BASES = {"m": "length", "s": "time", "g": "weight", "m/h": "speed", "m/s": "speed"}


@dataclass(frozen=True)
class _Compared:
    """A word of comparison in a sentence, and a table of names that it may be about."""

    text: str
    word: ComparisonWord
    table: Table
    lexicon: Lexicon

    @cached_property
    def subject(self) -> str:
        """The name before the word that is the subject of its clause; empty if none is.

        Before a superlative, the verb must be one of being or having: *Cork lost most often* is not
        about any number of Cork's. The name may also be behind it: *the longest river is the Nile*.
        """
        last = None
        for match in self.table.pattern.finditer(self.text, 0, self.word.start):
            last = match
        regex = self.lexicon.regex
        if last is None:
            return self._behind if self.word.meaning in _EXTREMES else ""
        opens = regex(
            r"(?:^|[,;:]|\b<clauses.joining>)\s*(?:<clauses.joining>\s+)?\W*(?:<grammar.articles>\s+)?$"
        )
        verb = regex(r"(?:\s+[a-z]+){0,3}\s+")
        if self.word.meaning in _EXTREMES:
            verb = regex(
                r"\s+(?:<superlatives.verbs>\s+(?:<superlatives.far>\s+)?)?(?:<superlatives.the>\s+)?"
            )
        is_subject = opens.search(self.text[: last.start()]) and verb.fullmatch(
            self.text, last.end(), self.word.start
        )
        return self.table.names[last["name"].lower()] if is_subject else ""

    @property
    def _behind(self) -> str:
        """The name behind *the longest river is*, at the beginning of a sentence; or nothing."""
        regex = self.lexicon.regex
        is_opening = regex(r"\W*(?:<superlatives.the>\W*)?").fullmatch(self.text[: self.word.start])
        being = regex(
            r"(?:\s(?!<superlatives.than>\b)[a-z]+){0,3}\s<superlatives.verbs>\s+(?:<superlatives.the>\s)?"
        )
        verb = being.match(self.text, self.word.end) if is_opening else None
        name = verb and self.table.pattern.match(self.text, verb.end())
        # *The longest is Lisbon to Rome*
        ends = regex(r"\s*(?:$|[.,;:()!]|(?:with|at|<clauses.contrasting>)\b)")
        is_alone = name and ends.match(self.text, name.end())
        return self.table.names[name["name"].lower()] if name and is_alone else ""

    @property
    def quantity(self) -> str:
        """The noun in *has the most votes*, *has the longest river*; empty if there is none."""
        regex = self.lexicon.regex
        has = regex(
            r"\b<superlatives.having>\s+(?:<superlatives.far>\s+)?(?:<superlatives.the>\s+)?$"
        )
        noun = regex(r"\s(?!(?:<clauses.joining>|<series.parting>)\b)(?P<noun>[a-z]+)").match(
            self.text, self.word.end
        )
        return noun["noun"] if noun and has.search(self.text[: self.word.start]) else ""

    @property
    def ends_clause(self) -> bool:
        """Whether a clause ends with its superlative or a noun: no *longest of the women*."""
        regex = self.lexicon.regex
        before = regex(r"\b<superlatives.limiting>\b").search(self.text[: self.word.start])
        noun = regex(
            r"(?:\s[a-z]+){0,2}?\s*(?:$|[.,;:()!]|\b<clauses.joining>\b|<superlatives.verbs>\b)"
        )
        return not before and bool(noun.match(self.text, self.word.end))

    @cached_property
    def object(self) -> tuple[str, str]:
        """The name behind *than*, and the noun between: *more books than elm*; else empty."""
        regex = self.lexicon.regex
        link = regex(r"\s+(?:(?:(?P<noun>[a-z]+)\s+)?<binding.than>\s+)?(?:<grammar.articles>\s+)?")
        than = link.match(self.text, self.word.end)
        name = than and self.table.pattern.match(self.text, than.end())
        ends = regex(r"\s*(?:$|[.,;:()!]|(?:by|<clauses.joining>|<clauses.contrasting>)\b)")
        if not than or not name or not ends.match(self.text, name.end()):
            return "", ""
        return self.table.names[name["name"].lower()], than["noun"] or ""

    @property
    def is_of_all(self) -> bool:
        """Whether a superlative compares all names: no *second longest*, no *longest but one*."""
        regex = self.lexicon.regex
        is_most = self.word.word in self.lexicon.words["series"]["most"]
        if is_most and not self.quantity and regex(r"\s[a-z]").match(self.text, self.word.end):
            return False  # *the most southern*
        return not (
            regex(r"\b<superlatives.before_other>\s$").search(self.text[: self.word.start])
            or regex(r"(?:\s[a-z]+){0,2}\s<superlatives.excepting>\b").match(
                self.text, self.word.end
            )
        )

    def is_of(self, noun: str = "") -> bool:
        """Return whether the table has the quantity that the noun or the adjective says."""
        units = {size[0] for kind in self.table.kinds if (size := size_of(kind, self.lexicon))}
        nouns = (kind for kind in self.table.kinds if not size_of(kind, self.lexicon))
        texts = (self.table.variable, *nouns)
        names = {stem for text in texts for stem in label_stems(text, self.lexicon)}
        if noun and label_stems(noun, self.lexicon) & names:
            return True
        wanted = self.dimensions
        of_wanted = {part for kind in wanted for part in self.lexicon.words["dimensions"][kind]}
        if not wanted or (noun and noun not in of_wanted):
            return not noun
        stems = {stem for part in of_wanted for stem in label_stems(part, self.lexicon)}
        return bool(names & stems) or any(_BASES.get(unit) in wanted for unit in units)

    def is_of_another(self, column: int) -> bool:
        """Return whether the unit of a column is of another quantity: kg, for *longer*."""
        kind = next(iter(self.table.kinds[column : column + 1]), "")
        size = size_of(kind, self.lexicon)
        return bool(self.dimensions and size) and _BASES.get(size[0] if size else "") not in (
            self.dimensions
        )

    def is_about(self, noun: str) -> bool:
        """Return whether it is known which column is meant: there is one, or its quantity is named.

        *Mozart had more than Schubert* is not about the years in which they were born and died.
        """
        return bool(noun or self.dimensions) or all(len(r) == 1 for r in self.table.rows.values())

    @property
    def dimensions(self) -> set[str]:
        """The quantities of which the adjective is said; empty if of any."""
        return _dimensions(self.word, self.lexicon) - _ANY


def _dimensions(word: ComparisonWord, lexicon: Lexicon) -> set[str]:
    """Return what a word of comparison is said of, as *longer* of lengths and times."""
    return {kind for kind, words in lexicon.words["adjectives"].items() if word.word in words}


def contradictions(
    note: Note, tables: Sequence[Table], lexicon: Lexicon
) -> Iterator[Contradiction]:
    """Yield the comparisons and superlatives that the tables contradict."""
    named = [table for table in tables if table.names and not table.of_days]
    bound = [(binding.line, binding.column) for binding in claims_of(note).bindings]
    for piece in note.prose if named else ():
        if not _is_running_text(piece) or not lexicon.may_find("directions", piece.text):
            continue
        for start, end in Sentences(piece.text).spans():
            text = piece.text[start:end]
            if REASONS.search(text) or text.rstrip().endswith("?"):
                continue
            for word in comparisons(text, lexicon, before_comment=False):
                # Of others, such as *stronger*, the numbers may say the opposite.
                if (
                    not _dimensions(word, lexicon)
                    and word.word not in lexicon.words["ranks"]["plain"]
                ):
                    continue
                first, last = (piece.place_of(start + at) for at in (word.start, word.end))
                if any(first <= place <= last for place in bound):
                    continue  # the check of sentences judges it
                compared = [_Compared(text, word, table, lexicon) for table in named]
                if why := _why(word, compared):
                    yield Contradiction(first, text[word.start : word.end], why)


def _is_running_text(piece: Prose) -> bool:
    return not (piece.place or piece.row or piece.cells)


def _why(word: ComparisonWord, compared: Sequence[_Compared]) -> str:
    """Return what the tables have for the names of a comparison; empty if any may agree."""
    if word.denied or word.table != "directions":
        return ""
    if word.meaning in _SIGNS:
        return _why_of_two(_SIGNS[word.meaning], compared)
    return _why_of_extreme(word.meaning, compared) if word.meaning in _EXTREMES else ""


def _why_of_two(sign: int, compared: Sequence[_Compared]) -> str:
    """Return what a table has for two names, if all tables have the opposite order."""
    why = ""
    for own in compared:
        second, noun = own.object
        if not second or own.subject in ("", second) or not own.is_of(noun):
            continue
        rows = own.table.rows
        for column, (one, other) in enumerate(zip(rows[own.subject], rows[second], strict=False)):
            if own.is_of_another(column):
                continue
            if (one - other) * sign >= 0:
                return ""
            has = f"{own.subject} has {text_of(one)}, and {second} has {text_of(other)}"
            if own.is_about(noun):
                why = why or f"in {own.table.source}, {has}"
    return why


def _why_of_extreme(meaning: str, compared: Sequence[_Compared]) -> str:
    """Return what a table has for a name that is called the largest, if no table agrees.

    In a table of any quantity, it must be at the other end.
    """
    why = ""
    best, worst = (max, min) if meaning == "largest" else (min, max)
    for own in compared:
        rows = own.table.rows
        if not own.subject or len(rows) < _FEWEST or not own.is_of_all:
            continue
        is_of = own.is_of(own.quantity)
        if not is_of:
            continue
        for index, value in enumerate(rows[own.subject]):
            if own.is_of_another(index):
                continue
            column = [row[index] for row in rows.values() if index < len(row)]
            # Of negative numbers, the largest may be meant by size.
            if len(column) < len(rows) or not 0 <= min(column) < max(column):
                continue
            if value == best(column):
                return ""
            # What is 0 m from itself is not the nearest.
            is_sure = own.dimensions and own.ends_clause and best(column)
            if not own.is_about(own.quantity):
                continue
            if is_sure or (value == worst(column) and column.count(value) == 1):
                has = f"{own.subject} has {text_of(value)}, and another {text_of(best(column))}"
                why = why or f"in {own.table.source}, {has}"
    return why
