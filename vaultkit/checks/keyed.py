"""Contradicts a number that a sentence gives to one name, if a list has it for another name.

*Second is Halden with one edit* is contradicted by ``{'Halden': 2, 'Malden': 1}``. The names are
the keys of a `Table`: of dictionaries, the first items of pairs, and the words or numbers at the
beginning of the lines of an output.

A number belongs to the names before it in its clause (`_keys_of`). It is contradicted if the table
has other numbers for them, and has it for a name that the sentence does not have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from typing import Any, NamedTuple

from vaultkit.checks.check import Contradiction
from vaultkit.checks.collector import Collector
from vaultkit.checks.key_tables import (
    MOST,
    Key,
    Table,
    are_neighbours,
    names_pattern,
    rows_of,
    tables_of_output,
    text_of,
    texts_printed,
)
from vaultkit.checks.literals import is_number, source_of
from vaultkit.claims.attributions import (
    is_apart,
    is_difference,
    is_unit_of,
    role_pattern,
    words_behind,
)
from vaultkit.claims.clauses import clause_end
from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.mentions import Sentence, label_stems
from vaultkit.claims.numerals import NUMERAL
from vaultkit.claims.stated import Stated, significant_digits
from vaultkit.claims.units import unit_behind, unit_named, unit_of
from vaultkit.read.note import Block, Note
from vaultkit.read.prose import CODE
from vaultkit.run.steps import Step

#: Most words between a name and its number.
_GAP = 14
#: Most words between two numbers of one list: *3 and 4*.
_NEAR = 3
#: From this number on, *12 times* counts how often; *3 times* may be a factor.
_TEN = 10
#: The least significant digits of a number whose table may be far above the sentence.
_FAR = 2
#: The shortest name that is found in words; a shorter one needs a sign or digit, *F#*, or must be
#: in the marks of code.
_NAME = 3
#: The least digits of an integer that hardly belongs to another line by chance.
_SURE = 3
#: A word, or a sign that is a unit.
_WORD = re.compile(r"[^\W\d_]+|[%°$€£]")
_NUMERAL = re.compile(NUMERAL, re.IGNORECASE)
#: The marks between a name and a number of something else; a comma is none.
_STOPS = ";:.()—–"


class Place(NamedTuple):
    """Where a sentence names a key."""

    key: Key
    start: int
    end: int


class _Named(NamedTuple):
    """A table, and where a sentence names its keys."""

    table: Table
    places: list[Place]


class Keyed(Collector):
    """Collects the lists of numbers by names."""

    def __init__(self, lexicon: Lexicon) -> None:
        super().__init__(lexicon)
        self.tables: list[Table] = []
        #: The variables that are numbers, after each block.
        self.numbers: list[Table] = []
        self._seen: set[Any] = set()
        #: The words in code and outputs.
        self._words: set[str] = set()

    def observe(self, block: Block, steps: Sequence[Step], variables: Mapping[str, Any]) -> None:
        """Collect the tables in a block's output and variables, and the words of its text."""
        line = (block.output or block.fence).end
        texts_in_code = texts_printed(source_of(block))
        for text in (source_of(block), *(step.got for step in steps)):
            self._words.update(_WORD.findall(text))
        for step in steps:
            for table in tables_of_output(step, texts_in_code, line, self.lexicon):
                self._add(table)
        numbers = {n: v for n, v in variables.items() if is_number(v) and len(n) >= _NAME}
        self.numbers.append(Table(rows_of(numbers), "the variables", line))
        for name, value in variables.items():
            if rows := rows_of(value):
                self._add(Table(rows, f"variable {name}", line, variable=name))

    def _add(self, table: Table) -> None:
        """Add a table of two keys or more, unless the same one is known."""
        if 1 < len(table.rows) <= MOST:
            same = table.variable, table.of_days, tuple(table.kinds), tuple(table.rows.items())
            if same not in self._seen:
                self._seen.add(same)
                self.tables.append(table)

    def contradictions(self, note: Note, sentences: Sequence[Sentence]) -> Iterator[Contradiction]:
        """Yield the numbers that a table above their sentence has for another name."""
        ends = [(block.output or block.fence).end for block in note.blocks]
        for sentence in sentences if self.tables else ():
            line = sentence.place_of(0)[0]
            nearest = max((end for end in ends if end < line), default=0)
            above = (table for table in self.tables if table.line <= nearest)
            named = [_Named(t, places) for t in above if (places := key_places(sentence, t))]
            for number in filter(partial(_may_belong, sentence), sentence.numbers if named else ()):
                if why := self._why(sentence, number, named, nearest):
                    yield Contradiction.of_number(sentence, number, why)

    def _why(
        self, sentence: Sentence, number: Stated, named: Sequence[_Named], nearest: int
    ) -> str:
        """Return what a table has for the name of a number.

        The result is empty if any table agrees for all of its keys.
        ``nearest`` is the last line of the block nearest above the sentence.
        """
        why = ""
        for table, places in named:
            keys = _keys_of(sentence, number, places)
            wrong = [key for key in keys if not table.agrees(number, key)]
            if keys and not wrong:
                return ""
            # In *oak and elm have 3 and 4*, each number is that of one name only.
            is_of_one = len(wrong) < len(keys) and _is_listed(sentence, number)
            is_near = table.line == nearest
            # One wrong key is enough, if it is the last: those before it may be in another clause.
            # The message names the first.
            is_wrong = bool(wrong) and wrong[-1] == keys[-1]
            if is_wrong and not why and not is_of_one and _is_telling(number, wrong[0], is_near):
                why = self._of_another(sentence, number, table, wrong[0], keys)
        return why

    def _of_another(
        self, sentence: Sentence, number: Stated, table: Table, key: Key, keys: Sequence[Key]
    ) -> str:
        """Return what a table has for a key, if it has a number for another key; else nothing.

        ``keys`` are those to which the sentence gives the number. Other keys of the sentence are
        left out, since the number may be theirs.
        """
        if table.of_days != _is_day(number, sentence.lexicon):
            return ""
        for other, values in table.rows.items():
            is_in_sentence = (
                any(stated.value == other for stated in sentence.numbers)
                if isinstance(other, Fraction)
                else names_pattern([other]).search(sentence.text, 0, _up_to(sentence, number))
            )
            if other == key or (is_in_sentence and other not in keys) or are_neighbours(key, other):
                continue
            for column, (value, right) in enumerate(zip(values, table.rows[key], strict=False)):
                kind = self._kind_of(table, column)
                # *2 %* is none of the prices 2 and 6, but may be one of the shares 0.02 and 0.06.
                is_percentage = unit_behind(sentence.text, number.start, self.lexicon) == "%"
                if is_percentage and kind != "%" and not table.has_shares(column):
                    continue
                agrees = number.agrees(value) and not number.agrees(right)
                if agrees and self._is_of_kind(sentence, number, kind):
                    there = f"{table.source} has {text_of(right)} for {text_of(key)}"
                    return f"{there}, and {text_of(value)} for {text_of(other)}"
        return ""

    def _kind_of(self, table: Table, column: int) -> str:
        """Return the unit or noun of a column, or of a column of an output with the same numbers.

        Empty if no output shows it.
        """
        if any(table.kinds[column : column + 1]):
            return table.kinds[column]
        wanted = {key: row[column : column + 1] for key, row in table.rows.items()}
        for other in self.tables:
            for place, kind in enumerate(other.kinds):
                if kind and wanted == {k: row[place : place + 1] for k, row in other.rows.items()}:
                    return kind
        return ""

    def _is_of_kind(self, sentence: Sentence, number: Stated, kind: str) -> bool:
        """Return whether the words behind a number fit the unit or noun of a column.

        ``kind`` is empty if it is not known.
        """
        behind = words_behind(sentence, number)
        if not behind:
            return True
        if not kind:
            money = self.lexicon.words["roles"]["money"]
            # A unit that the page does not show is that of something else.
            is_unit = unit_of(behind[0], 0, self.lexicon) or behind[0].lower() in money
            return not is_unit or behind[0] in self._words or significant_digits(number) >= _SURE
        if is_unit_of(behind, label_stems(kind, self.lexicon) | {kind}, self.lexicon):
            return True
        if kind == "%":
            return unit_named(behind[0], self.lexicon) == kind
        unit = unit_of(kind, 0, self.lexicon)
        return bool(unit) and unit in [unit_of(word, 0, self.lexicon) for word in behind]


def key_places(sentence: Sentence, table: Table) -> list[Place]:
    """Return where a sentence names keys of a table, which may be numbers, in order.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> from vaultkit.claims.mentions import sentences
    >>> from vaultkit.read.markdown import parse
    >>> (sentence,) = sentences(parse("The oak is 3 m after 20 years."), lexicon())
    >>> table = Table({"oak": (), "elm": (), Fraction(20): ()}, "", 1)
    >>> [(str(place.key), place.start) for place in key_places(sentence, table)]
    [('oak', 4), ('20', 21)]
    """
    named = [
        Place(n.value, n.start, n.end)
        for n in sentence.numbers
        if n.value in table.rows and not n.times and not n.bounds
        # *Two banks have 3* is not about the line 2, but *a two* is.
        if n.digits or _is_of_any(sentence, n.start)
        if not _is_change(sentence, n)
    ]
    raw, begins = sentence.piece.text, sentence.begins
    ignored = sentence.lexicon.words["roles"]["ignored"]
    for match in table.pattern.finditer(sentence.text) if table.names else ():
        name = match["name"]
        key = table.names[name.lower()]
        # A short name must have a sign or digit behind a letter (*F#*; *3a* and *+* are in any
        # text), and so must a word of grammar; or it must be in the marks of code: *the road `a`*.
        is_name = len(key) >= _NAME and name.lower() not in ignored
        has_sign = name == key and key[0].isalpha() and not key.isalpha()
        is_in_code = match[0] == key and raw[: begins + match.start()].endswith(CODE)
        if is_name or has_sign or is_in_code:
            named.append(Place(key, *match.span()))
    return sorted(named, key=lambda place: place.start)


def _up_to(sentence: Sentence, number: Stated) -> int:
    """Return where the number behind a number begins: a name behind that is not of the first."""
    return min(
        (n.start for n in sentence.numbers if n.start >= number.end), default=len(sentence.text)
    )


def _is_telling(number: Stated, key: Key, is_near: bool) -> bool:
    """Return whether a number hardly belongs to another key of a table by chance.

    ``is_near``: whether the table is in the block nearest above the sentence. Keys that are numbers
    are in any sentence: for these, the table must be near, and the number long or with decimals.
    """
    digits = significant_digits(number)
    if isinstance(key, Fraction):
        return is_near and (digits >= _SURE or "." in number.digits)
    return is_near or digits >= _FAR


def _may_belong(sentence: Sentence, number: Stated) -> bool:
    """Return whether a number may be that of a name: it is no change, bound or factor."""
    lexicon, before = sentence.lexicon, sentence.text[: number.start]
    if number.bounds or is_difference(sentence, number) or _is_change(sentence, number):
        return False
    # *Between the first and the second there are 7 steps.*
    if lexicon.regex(r"\b<grammar.between>\b[^.;:,]*$").search(before):
        return False
    if number.digits:
        return not number.times or number.value >= _TEN
    # *The stronger of the two* counts what is compared.
    if lexicon.regex(r"\b<roles.of_value>\s<grammar.the>\s$").search(before):
        return False
    if _is_day(number, lexicon):
        return True
    # *One* is a number only before what it counts.
    behind = words_behind(sentence, number)
    is_counted = number.value > 1 or bool(behind and behind[0].isalpha())
    is_numeral = _NUMERAL.fullmatch(number.text) is not None  # and no *twice* or *third*
    return is_numeral and is_counted


def _is_listed(sentence: Sentence, number: Stated) -> bool:
    """Return whether another number is listed behind a number: *3 and 4*."""
    text = sentence.text
    return any(
        other.start > number.end and len(text[number.end : other.start].split()) <= _NEAR
        for other in sentence.numbers
    )


def _keys_of(sentence: Sentence, number: Stated, places: Sequence[Place]) -> list[Key]:
    """Return the keys to which a sentence gives a number; none if in doubt.

    They are the last ones before it, *oak and elm have 3*, or the one behind what it counts, *12
    loaves of rye*. ``places`` are all keys of the sentence.
    """
    text, lexicon = sentence.text, sentence.lexicon
    # The number may have a unit of its own: *12 g of rye*.
    noun = r"(?:\s[a-z]+)?" if number.text[-1].isalpha() else r"\s[a-z]+"
    counted = lexicon.regex(rf"{noun}\s<roles.of_value>\s").match(text, number.end)
    following = [place.key for place in places if counted and place.start == counted.end()]
    if following:
        return [] if is_apart(sentence, text[: number.start]) else following
    named = _last_listed(sentence, [place for place in places if place.end <= number.start])
    keys = [place.key for place in named]
    if not keys or number.value in keys:  # the number is a key itself
        return []
    first, last = named[0], named[-1]
    if _is_separated(sentence, last, number):
        return []
    # *From there, the oak is 3 m away* relates it to something else.
    if lexicon.regex(r"\b<roles.relating>\b").search(text, 0, first.start):
        return []
    # *An oak has 3* is about any oak, and *the yearly cost* is another one than *the cost*.
    is_other = _is_of_any(sentence, first.start) or _narrowed(lexicon).search(text[: first.start])
    if isinstance(first.key, str) and is_other:
        return []
    begins, ends = _clause_span(sentence, first.start, number)
    # Without the words of the names and of the number itself.
    around = (
        f"{text[begins : first.start]} {text[last.end : number.start]} {text[number.end : ends]}"
    )
    # *3 against 2* says what the other has.
    around = lexicon.regex(r"\b<contrasts.against>\s[\d.,]+").sub(" ", around)
    # *3 at most*, *3 in all*
    bound_or_total = role_pattern(lexicon, r"\b(?:{}|{})\b", "bounds_behind", "totals")
    if is_apart(sentence, around) or bound_or_total.search(text):
        return []
    # *Ada reads 3 from Bo* says what is read from Bo, unless the other name has a number of its
    # own, or is listed.
    behind = next((place for place in places if number.end <= place.start < ends), None)
    if behind is None or any(number.end <= n.start < behind.start for n in sentence.numbers):
        return keys
    listed = clause_end(lexicon, "joining", marks=",;:")
    return keys if listed.search(text, number.end, behind.start) else []


def _is_separated(sentence: Sentence, place: Place, number: Stated) -> bool:
    """Return whether the words between a key and a number behind it show that it is of another.

    There are many of them, another clause begins, or another number is there.
    """
    gap = sentence.text[place.end : number.start]
    other_clause = clause_end(sentence.lexicon, "dependent", "comparing", marks=_STOPS)
    return (
        len(gap.split()) > _GAP
        or bool(other_clause.search(gap) or _apart(sentence.lexicon).search(gap))
        or any(
            place.end <= between.start < number.start
            for between in sentence.numbers
            if between.digits or sentence.lexicon.value("ordinals", between.text) is None
        )
    )


def _last_listed(sentence: Sentence, places: Sequence[Place]) -> list[Place]:
    """Return the last of some places, with those that are listed directly before it."""
    listed = list(places[-1:])
    for place in reversed(places[:-1]):
        if not _joined(sentence.lexicon).fullmatch(sentence.text, place.end, listed[0].start):
            break
        listed.insert(0, place)
    return listed


def _clause_span(sentence: Sentence, start: int, number: Stated) -> tuple[int, int]:
    """Return where the clause begins that contains a place, and where that of a number ends.

    It ends before an *and* if another number follows, which may have a clause of its own.
    """
    text = sentence.text
    end = clause_end(sentence.lexicon, "contrasting")
    begins = max((stop.end() for stop in end.finditer(text, 0, start)), default=0)
    pause = end.search(text, number.end)
    ends = pause.start() if pause else len(text)
    for joint in _joining(sentence.lexicon).finditer(text, number.end, ends):
        if any(joint.end() <= other.start < ends for other in sentence.numbers if other.digits):
            return begins, joint.start()
    return begins, ends


@cache
def _apart(lexicon: Lexicon) -> re.Pattern[str]:
    """Return a pattern of words between a name and a number that is not its value.

    They say that it changes, *oak rises by 3*, or turn to another time or thing.
    """
    change = lexicon.pattern("signs", "down", "up")
    apart = lexicon.pattern("roles", "other_times", "turns")
    return re.compile(rf"\b(?:{apart}|{change})\b", re.IGNORECASE)


@cache
def _narrowed(lexicon: Lexicon) -> re.Pattern[str]:
    """Return a pattern of the text before a name that means another thing: *the yearly* cost."""
    return lexicon.regex(r"\b(?:<grammar.articles>|<roles.possessive>)\s[^\W\d_]{3,}\s$")


@cache
def _joining(lexicon: Lexicon) -> re.Pattern[str]:
    """Return a pattern of words that join clauses: *and*."""
    return re.compile(rf"\b{lexicon.pattern('clauses', 'joining')}\b")


@cache
def _joined(lexicon: Lexicon) -> re.Pattern[str]:
    """Return a pattern of what is between two names of a list: *and*, *, the*."""
    joining, article = lexicon.pattern("clauses", "joining"), lexicon.pattern("grammar", "articles")
    return re.compile(rf"\s*(?:,\s*|,?\s*\b{joining}\b\s*)(?:{article}\s+)?")


def _is_of_any(sentence: Sentence, start: int) -> bool:
    """Return whether a name at a place is that of any such thing: *an oak*."""
    article = role_pattern(sentence.lexicon, r"\b{}\s\W?$", "articles_of_any")
    return bool(article.search(sentence.text[:start]))


def _is_change(sentence: Sentence, number: Stated) -> bool:
    """Return whether a number is a change: *it rises by 3*."""
    by = role_pattern(sentence.lexicon, r"\b{}\s$", "by")
    return bool(by.search(sentence.text[: number.start]))


def _is_day(number: Stated, lexicon: Lexicon) -> bool:
    """Return whether a number is the day of a month: *12th*."""
    endings = lexicon.pattern("grammar", "ordinal_endings")
    return bool(re.search(rf"\d{{1,2}}{endings}$", number.text))
