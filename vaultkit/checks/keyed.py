"""Contradicts a number that a sentence gives to one name, if a list has it for another name.

*Second is Halden with one edit* is contradicted by ``{'Halden': 2, 'Malden': 1}``. The names are
the keys of dictionaries, the first items of pairs, and the words or numbers at the beginning of
the lines of an output.
"""

from __future__ import annotations

import ast
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, partial
from itertools import islice
from typing import Any, NamedTuple

from vaultkit.checks.check import Contradiction
from vaultkit.checks.literals import is_number, source_of
from vaultkit.checks.lookup import exact_fraction, parse_number
from vaultkit.checks.observed import NUMBER_IN_OUTPUT
from vaultkit.checks.printed import is_print_call
from vaultkit.claims.attributions import (
    is_apart,
    is_difference,
    is_unit_of,
    role_pattern,
    words_behind,
)
from vaultkit.claims.clauses import clause_end
from vaultkit.claims.expressions import nodes_of
from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.mentions import Sentence, label_stems
from vaultkit.claims.numerals import NUMERAL
from vaultkit.claims.stated import Stated, significant_digits
from vaultkit.claims.units import unit_of
from vaultkit.read.note import Block, Note
from vaultkit.read.prose import CODE
from vaultkit.run.session import Step

#: Most keys of a list, and most numbers beside each.
_MOST, _COLUMNS = 64, 8
#: Most words between a name and its number.
_GAP = 5
#: Most words between two numbers of one list, and the least integer behind which *times* counts.
_NEAR, _TEN = 3, 10
#: The shortest name that is found in words; a shorter one must be in the marks of code.
_NAME = 3
#: The least digits of an integer that hardly belongs to another line by chance.
_SURE = 3
_DATED = re.compile(r"\s*\d{4}-\d\d-(\d\d)\s+([^\W\d_]+)\s*")
_WORD = re.compile(r"[^\W\d_]+|[%°$€£]")
_NUMERAL = re.compile(NUMERAL, re.IGNORECASE)
#: The marks between a name and a number of something else; a comma is none.
_STOPS = ";:.()—–"

Key = str | Fraction


class Place(NamedTuple):
    """Where a sentence names a key."""

    key: Key
    start: int
    end: int


@dataclass(frozen=True)
class Table:
    """Numbers by their keys.

    Attributes
    ----------
    rows
        The numbers beside each key.
    source
        The output or variable that has them.
    line
        The line of the note where they are known.
    of_days
        Whether the numbers are days of a month.
    kinds
        The words behind the numbers in the lines of an output.
    variable
        The name of the variable that has them; empty for an output.
    """

    rows: Mapping[Key, tuple[Fraction, ...]]
    source: str
    line: int
    of_days: bool = False
    kinds: Sequence[str] = ()
    variable: str = ""

    def agrees(self, number: Stated, key: Key) -> bool:
        """Return whether a number is one of those beside a key, perhaps without its sign."""
        return any(number.agrees(own) or number.agrees(abs(own)) for own in self.rows[key])

    def named(self, sentence: Sentence) -> list[Place]:
        """Return where a sentence names keys, in order."""
        found = [
            Place(n.value, n.start, n.end)
            for n in sentence.numbers
            if n.value in self.rows and not n.times and not n.bounds
            # *Two banks have 3* is not about the line 2, but *a two* is.
            if n.digits or _is_of_any(sentence, n.start)
            if not _is_change(sentence, n)
        ]
        raw, begins = sentence.piece.text, sentence.begins
        ignored = sentence.lexicon.words["roles"]["ignored"]
        for own in self._pattern.finditer(sentence.text) if self._texts else ():
            key = self._texts[own[1].lower()]
            # A short name or a word of grammar must be in the marks of code: *the road `a`*.
            is_name = len(key) >= _NAME and own[1].lower() not in ignored
            if is_name or (own[0] == key and raw[begins + own.start() - 1] == CODE):
                found.append(Place(key, *own.span()))
        return sorted(found, key=lambda place: place.start)

    @cached_property
    def _texts(self) -> dict[str, str]:
        return {key.lower(): key for key in self.rows if isinstance(key, str)}

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return _names(self._texts)


def _names(texts: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that finds names, which may begin or end in signs: *C++*."""
    longest_first = sorted(map(re.escape, texts), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])({'|'.join(longest_first)})(?:e?s)?(?![\w-])", re.IGNORECASE)


class Keyed:
    """Collects the lists of numbers by names.

    Parameters
    ----------
    lexicon
        The words of the language of the note.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self.tables: list[Table] = []
        self._seen: set[Any] = set()
        #: The words in code and outputs.
        self._words: set[str] = set()

    def observe(self, block: Block, steps: Sequence[Step], variables: Mapping[str, Any]) -> None:
        """Collect what a block prints, and the variables that it leaves."""
        line = (block.output or block.fence).end
        written = _written(source_of(block))
        for text in (source_of(block), *(step.got for step in steps)):
            self._words.update(_WORD.findall(text))
        for step in steps:
            for table in _of_output(step, written, line):
                self._add(table)
        for name, value in variables.items():
            if not name.startswith("_") and (rows := _rows(value)):
                self._add(Table(rows, f"variable {name}", line, variable=name))

    def _add(self, table: Table) -> None:
        """Add a list, unless it is known."""
        if 1 < len(table.rows) <= _MOST:
            same = table.variable, table.of_days, tuple(table.rows.items())
            if same not in self._seen:
                self._seen.add(same)
                self.tables.append(table)

    def contradictions(self, note: Note, sentences: Sequence[Sentence]) -> Iterator[Contradiction]:
        """Yield the numbers that belong to another name."""
        ends = [(block.output or block.fence).end for block in note.blocks]
        for sentence in sentences if self.tables else ():
            line = sentence.place_of(0)[0]
            nearest = max((end for end in ends if end < line), default=0)
            above = (table for table in self.tables if table.line <= nearest)
            named = [(table, places) for table in above if (places := table.named(sentence))]
            for number in filter(partial(_may_belong, sentence), sentence.numbers if named else ()):
                if why := self._why(sentence, number, named, nearest):
                    yield Contradiction.of_number(sentence, number, why)

    def _why(
        self,
        sentence: Sentence,
        number: Stated,
        named: Sequence[tuple[Table, list[Place]]],
        nearest: int,
    ) -> str:
        """Return what the lists have for the name of a number; empty if one of them agrees."""
        found = ""
        for table, places in named:
            keys = _keys_of(sentence, number, places)
            wrong = [key for key in keys if not table.agrees(number, key)]
            if len(keys) > len(wrong) > 0 and _is_listed(sentence, number):
                continue
            if keys and not wrong:
                return ""
            if wrong and not found:
                found = self._of_another(sentence, number, table, wrong[0], keys, nearest)
        return found

    def _of_another(
        self,
        sentence: Sentence,
        number: Stated,
        table: Table,
        key: Key,
        keys: Sequence[Key],
        nearest: int,
    ) -> str:
        """Return what a list has for one of some names, if a number is that of another one."""
        if table.of_days != _is_day(number, sentence.lexicon):
            return ""
        digits = significant_digits(number)
        is_number = isinstance(key, Fraction)
        if (is_number or digits < 2) and table.line != nearest:
            return ""
        if is_number and digits < _SURE and "." not in number.digits:
            return ""
        own = table.rows[key]
        for other, values in table.rows.items():
            is_named = _names([_text(other)]).search(sentence.text)
            if other == key or (is_named and other not in keys):
                continue
            for column, (value, right) in enumerate(zip(values, own, strict=False)):
                is_of_kind = self._is_of_kind(sentence, number, self._kind_of(table, column))
                if is_of_kind and number.agrees(value) and not number.agrees(right):
                    there = f"{table.source} has {_text(right)} for {_text(key)}"
                    return f"{there}, and {_text(value)} for {_text(other)}"
        return ""

    def _kind_of(self, table: Table, column: int) -> str:
        """Return the words behind the numbers of a column, or of the same numbers in an output."""
        if column < len(table.kinds):
            return table.kinds[column]
        wanted = {key: row[column : column + 1] for key, row in table.rows.items()}
        for other in self.tables:
            for place, kind in enumerate(other.kinds):
                if {key: row[place : place + 1] for key, row in other.rows.items()} == wanted:
                    return kind
        return ""

    def _is_of_kind(self, sentence: Sentence, number: Stated, kind: str) -> bool:
        """Return whether a number may have the unit of a column."""
        behind = words_behind(sentence, number)
        if not behind:
            return True
        shown = re.match(r"\s?([^\W\d_]+|%)", kind)
        if not shown:
            money = self.lexicon.words["roles"]["money"]
            # A unit that the page does not show is that of something else.
            is_unit = unit_of(behind[0], 0, self.lexicon) or behind[0].lower() in money
            return not is_unit or behind[0] in self._words or significant_digits(number) >= _SURE
        if is_unit_of(behind, label_stems(shown[1], self.lexicon) | {shown[1]}, self.lexicon):
            return True
        unit = unit_of(shown[1], 0, self.lexicon)
        return bool(unit) and unit in [unit_of(word, 0, self.lexicon) for word in behind]


def _written(source: str) -> str:
    """Return the texts that the code prints itself; none of them is a name."""
    texts = [
        inner.value
        for node in nodes_of(source)
        if is_print_call(node)
        for inner in ast.walk(node)
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str)
    ]
    return "\n".join(texts)


def _text(key: Key) -> str:
    return key if isinstance(key, str) else f"{float(key):.6g}"


def _rows(value: Any) -> dict[Key, tuple[Fraction, ...]]:
    """Return the numbers of a dictionary, or of a list of pairs, by their keys."""
    if isinstance(value, dict):
        pairs = list(islice(value.items(), _MOST + 1))
    elif isinstance(value, list | tuple) and 1 < len(value) <= _MOST:
        own_pairs = (own for own in value if isinstance(own, tuple) and len(own) > 1)
        pairs = [(own[0], own[1:]) for own in own_pairs if isinstance(own[0], str)]
        if len(pairs) < len(value):
            return {}
    else:
        return {}
    rows: dict[Key, tuple[Fraction, ...]] = {}
    for key, own in pairs:
        items = own if isinstance(own, list | tuple) else [own]
        numbers = [exact_fraction(float(n)) for n in items[:_COLUMNS] if _is_finite(n)]
        known = _key(key)
        if not numbers or len(numbers) < len(items) or known is None or known in rows:
            return {}
        rows[known] = tuple(numbers)
    return rows


def _key(key: Any) -> Key | None:
    """Return a key as a text may have it."""
    if isinstance(key, str) and key.strip():
        return key.strip()
    return exact_fraction(float(key)) if _is_finite(key) else None


def _is_finite(value: Any) -> bool:
    """Return whether a value is a finite number."""
    return is_number(value) and not isinstance(value, bool) and math.isfinite(value)


def _of_output(step: Step, written: str, end: int) -> Iterator[Table]:
    """Yield the lists in an output that ends in a line; ``written`` are the texts in its code."""
    lines = list(islice(step.output_lines(), _MOST))
    alike: dict[str, list[tuple[Key, tuple[Fraction, ...], int]]] = defaultdict(list)
    days: dict[Key, tuple[Fraction, ...]] = {}
    first_day = 0
    for text, line in lines:
        if text.lstrip()[:1] in ("{", "[", "("):
            with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
                if rows := _rows(ast.literal_eval(text.strip())):
                    yield Table(rows, f"output at line {line}", end)
        elif dated := _DATED.fullmatch(text):
            first_day = first_day or line
            days[dated[2]] = (Fraction(dated[1]), *days.get(dated[2], ()))
        elif row := _row(text, written):
            template, key, numbers = row
            alike[template].append((key, numbers, line))
    if days:
        yield Table(days, f"output at line {first_day}", end, of_days=True)
    for template, own in alike.items():
        rows = {key: numbers for key, numbers, _ in own}
        if len(rows) == len(own):
            kinds = template.split("#")[-len(own[0][1]) :]
            yield Table(rows, f"output at line {own[0][2]}", end, kinds=kinds)


def _row(text: str, written: str) -> tuple[str, Key, tuple[Fraction, ...]] | None:
    """Return the form of a line, its key and its other numbers.

    The key is the word or number at the beginning.
    """
    found = list(NUMBER_IN_OUTPUT.finditer(text))
    if not 0 < len(found) <= _COLUMNS:
        return None
    opening = text[: found[0].start()].strip(" \t:=|-")
    if re.search(r"[\d(\[{]", opening) or (opening and opening in written):
        return None
    values = (parse_number(own[0]) for own in found)
    numbers = [exact_fraction(value) for value in values if math.isfinite(value)]
    if len(numbers) < max(len(found), 1 if opening else 2):
        return None
    form = re.sub(r"\s+", " ", NUMBER_IN_OUTPUT.sub("#", text[found[0].start() :]))
    if opening:
        return f"name {form}", opening, tuple(numbers)
    return form, numbers[0], tuple(numbers[1:])


def _may_belong(sentence: Sentence, number: Stated) -> bool:
    """Return whether a number may be that of a name: it is no change, bound or part."""
    if number.bounds or is_difference(sentence, number):
        return False
    if _is_change(sentence, number):
        return False
    if number.digits:
        return not number.times or number.value >= _TEN
    if _is_day(number, sentence.lexicon):
        return True
    # *One* is a number only before what it counts.
    behind = words_behind(sentence, number)
    is_counted = number.value > 1 or bool(behind and behind[0].isalpha())
    return bool(_NUMERAL.fullmatch(number.text)) and is_counted


def _is_listed(sentence: Sentence, number: Stated) -> bool:
    """Return whether another number is listed behind a number: *3 and 4*."""
    text = sentence.text
    return any(
        own.start > number.end and len(text[number.end : own.start].split()) <= _NEAR
        for own in sentence.numbers
    )


def _keys_of(sentence: Sentence, number: Stated, places: Sequence[Place]) -> list[Key]:
    """Return the names to which a sentence gives a number: the last ones before it."""
    text, lexicon = sentence.text, sentence.lexicon
    before = [place for place in places if place.end <= number.start]
    named = before[-1:]
    for place in reversed(before[:-1]):
        if not _joined(lexicon).fullmatch(text, place.end, named[0].start):
            break
        named.insert(0, place)
    keys = [place.key for place in named]
    if not keys or number.value in keys:
        return []
    first, last = named[0], named[-1]
    gap = text[last.end : number.start]
    other = clause_end(lexicon, "dependent", "comparing", marks=_STOPS)
    if len(gap.split()) > _GAP or other.search(gap) or _apart(lexicon).search(gap):
        return []
    if any(last.end <= own.start < number.start for own in sentence.numbers):
        return []
    # *An oak has 3* is about any oak.
    if isinstance(first.key, str) and _is_of_any(sentence, first.start):
        return []
    end = clause_end(lexicon, "contrasting")
    begins = max((stop.end() for stop in end.finditer(text, 0, first.start)), default=0)
    pause = end.search(text, number.end)
    ends = pause.start() if pause else len(text)
    # The words of numbers are none of the sentence: *one*.
    around = f"{text[begins : first.start]} {gap} {text[number.end : ends]}"
    if is_apart(sentence, around) or role_pattern(lexicon, r"\b{}\b", "bounds_behind").search(text):
        return []
    # *Ada reads 3 from Bo* says what is read from Bo.
    behind = next((place for place in places if number.end <= place.start < ends), None)
    is_next = behind and any(number.end <= n.start < behind.start for n in sentence.numbers)
    listed = clause_end(lexicon, "joining", marks=",;:")
    if behind and not is_next and not listed.search(text, number.end, behind.start):
        return []
    return keys


@cache
def _apart(lexicon: Lexicon) -> re.Pattern[str]:
    """Return a pattern of words that set a number apart from a name, or say that it changes."""
    change = lexicon.pattern("signs", "down", "up")
    apart = lexicon.pattern("roles", "other_times", "turns")
    return re.compile(rf"\b(?:{apart}|{change})\b", re.IGNORECASE)


@cache
def _joined(lexicon: Lexicon) -> re.Pattern[str]:
    """Return a pattern of what is between two names of a list."""
    joining, article = lexicon.pattern("clauses", "joining"), lexicon.pattern("grammar", "articles")
    return re.compile(rf"\s*(?:,\s*|,?\s*\b{joining}\b\s*)(?:{article}\s+)?")


def _is_of_any(sentence: Sentence, at: int) -> bool:
    """Return whether a name at a place is that of any such thing: *an oak*."""
    article = role_pattern(sentence.lexicon, r"\b{}\s\W?$", "articles_of_any")
    return bool(article.search(sentence.text[:at]))


def _is_change(sentence: Sentence, number: Stated) -> bool:
    """Return whether a number is a change: *it rises by 3*."""
    by = role_pattern(sentence.lexicon, r"\b{}\s$", "by")
    return bool(by.search(sentence.text[: number.start]))


def _is_day(number: Stated, lexicon: Lexicon) -> bool:
    """Return whether a number is the day of a month: *12th*."""
    endings = lexicon.pattern("grammar", "ordinal_endings")
    return bool(re.search(rf"\d{{1,2}}{endings}$", number.text))
