"""Contradicts numbers that a text has exchanged, by the words around them in outputs and variables.

*Sunny spells last 1.67 days, cloudy ones 3.33* has two numbers of ``{'sun': 3.33, 'cloud': 1.67}``
in the wrong order. Two numbers of a sentence, of the items of a list or of the rows of a table are
compared: of all numbers of the page that agree with them, some must have words that are in this
text in the wrong order, and none words that are in the right one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, groupby, pairwise

from vaultkit.checks.check import Contradiction
from vaultkit.checks.labelled import (
    TOKEN,
    Labelled,
    LabelledNumbers,
    Words,
    is_same,
    word_of,
)
from vaultkit.claims.amounts import as_float
from vaultkit.claims.clauses import clause_end, words_of_clauses
from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.mentions import Sentence, cell_sentences
from vaultkit.claims.numerals import NUMERAL
from vaultkit.claims.stated import Stated, significant_digits
from vaultkit.claims.units import unit_of
from vaultkit.read.note import Note

#: Most numbers of a text that are compared with each other.
_MOST = 24
#: The least digits of numbers of different outputs that hardly agree by chance.
_TELLING = 3
_NUMERAL = re.compile(NUMERAL, re.IGNORECASE)
#: The marks between two clauses that give numbers to two things.
_MARKS = ",;"
#: A number without its unit.
_DIGITS = re.compile(r"[-−+]?\d[\d,_]*(?:\.\d+)?")
_DAYS = ":86400s"
_MARKER = re.compile(r"[\s>]*(?:[-*+]|\d+[.)])\s")
#: Between labels that are listed, and between numbers: *oak and elm have 3 and 4*.
_LISTED = r"(?:[\s,;%*_`–—-]|\b(?:{}|[a-zA-Z]{{1,3}})\b)*"


@dataclass(frozen=True)
class Token:
    """A word or number of a text with its place."""

    word: str
    start: int
    end: int


@dataclass(frozen=True)
class Part:
    """A sentence, an item of a list or a cell of a table: its words and numbers in order."""

    sentence: Sentence
    lexicon: Lexicon
    #: What is beside and above it: the first cell of its row, and the title of its column.
    beside: str = ""
    title: str = ""
    #: Whether it is an item of a list.
    is_short: bool = False
    #: Whether it is an item, a cell or a clause of its own, which is about one thing.
    is_own: bool = False

    @cached_property
    def numbers(self) -> list[Stated]:
        """The numbers of the sentence that are no multiples, ordinals or words such as *none*."""
        return [
            n
            for n in self.sentence.numbers
            if not n.times and (n.digits or _NUMERAL.fullmatch(n.text))
            if abs(n.value) not in (0, 1) and not _is_quoted(self.sentence.text, n)
        ]

    @cached_property
    def tokens(self) -> list[Token]:
        """The words and numbers; those beside it are before all others.

        In a sentence, 30 g is not the 30 of an output without units.
        """
        own = self.sentence
        raw = own.piece.text[own.begins : own.begins + len(own.text)]
        found = [*_tokens(raw, self.lexicon), *_of_numerals(own, raw)]
        found += (Token(token.word, -1, 0) for token in _tokens(self.beside, self.lexicon))
        weeks = re.compile(rf"\s{self.lexicon.pattern('measures', 'wk')}\b")
        for token in list(found):
            number, colon, _ = token.word.partition(":")
            if colon and (self.is_short or self.beside):
                found.append(Token(number, token.start, token.end))
            if colon and weeks.match(raw, token.end):
                days = f"#{float(number[1:]) * 7:g}"
                found += (Token(days + unit, token.start, token.end) for unit in ("", _DAYS))
        return found

    def unit(self, number: Stated) -> str:
        """Return the unit of measurement of a number, or the one in the title of its column."""
        digits = _DIGITS.match(self.sentence.text, number.start)
        end = digits.end() if digits else number.end
        own = unit_of(self.sentence.text, end, self.lexicon)
        words = re.findall(r"[^\W\d_]+", self.title)
        return own or next((u for w in words if (u := unit_of(w, 0, self.lexicon))), "")

    def places(self, words: Words, without: Sequence[Stated]) -> list[Token]:
        """Return where some words are, except in some numbers."""
        found = sorted({place for word in words for place in self._indices(word)})
        return [
            token
            for token in map(self.tokens.__getitem__, found)
            if not any(n.start <= token.start < n.end for n in without)
        ]

    def _indices(self, word: str) -> list[int]:
        """Return the indices of the tokens that are a word; each word is asked for many times."""
        if word not in self._known:
            self._known[word] = [
                index for index, token in enumerate(self.tokens) if is_same(token.word, word)
            ]
        return self._known[word]

    @cached_property
    def _known(self) -> dict[str, list[int]]:
        return {}


def _tokens(text: str, lexicon: Lexicon) -> Iterator[Token]:
    """Yield the words, numbers and ordinals of a text: ``#14`` is 14, ``@2`` is *second*."""
    for token in TOKEN.finditer(text):
        if token[0][0].isdecimal():
            value = token[0].replace(",", "")
            if value.count(".") <= 1:
                unit = unit_of(text, token.end(), lexicon)
                yield Token(f"#{float(value):g}:{unit}".rstrip(":"), *token.span())
        elif (ordinal := lexicon.value("ordinals", token[0])) is not None:
            yield Token(f"@{ordinal}", *token.span())
            yield Token(word_of(token[0], lexicon), *token.span())
        elif word := word_of(token[0], lexicon):
            yield Token(word, *token.span())


def _of_numerals(sentence: Sentence, raw: str) -> Iterator[Token]:
    """Yield the integers in words: ``#2`` is *two*."""
    for number in sentence.numbers:
        if not number.digits and number.value.denominator == 1:
            unit = unit_of(raw, number.end, sentence.lexicon)
            value = f"#{as_float(number.value):g}:{unit}".rstrip(":")
            yield Token(value, number.start, number.end)


def _is_quoted(text: str, number: Stated) -> bool:
    """Return whether a number is a text in quotes."""
    around = text[: number.start].rstrip()[-1:] + text[number.end :].lstrip()[:1]
    return any(mark in around for mark in "\"'“”‘’«»")


class Assigned:
    """Finds exchanged numbers.

    Parameters
    ----------
    numbers
        The numbers of the page with their words.
    """

    def __init__(self, numbers: LabelledNumbers) -> None:
        self.labelled = numbers

    def contradictions(self, note: Note, sentences: Sequence[Sentence]) -> Iterator[Contradiction]:
        """Yield the exchanged numbers."""
        self.labelled.read_tables(note.cells)
        parts = [Part(sentence, self.labelled.lexicon) for sentence in sentences]
        for text in (*texts(note, parts), *_columns(note, self.labelled.lexicon)):
            every = [(n, part) for part in text for n in part.numbers]
            known = [(n, p, found) for n, p in every[:_MOST] if (found := self._known(n, p))]
            groups: dict[tuple[int, str], set[Labelled]] = defaultdict(set)
            for _, part, own in known:
                for labelled in own:
                    groups[id(part), labelled.group].add(labelled)
            for (one, here, mine), (other, there, its) in combinations(known, 2):
                if one.value == other.value or _is_again(here, there, one, other):
                    continue
                if _is_key(one, its) or _is_key(other, mine):
                    continue  # *in week 6, minus 55 percent*
                if pair := _exchanged((one, here, mine), (other, there, its), groups):
                    first, second = pair
                    yield Contradiction.of_number(here.sentence, one, self._why(first, second))
                    yield Contradiction.of_number(there.sentence, other, self._why(second, first))

    def _why(self, own: Labelled, other: Labelled) -> str:
        """Return what the page has of two numbers."""
        both = [
            f"{names} has {one.value:.6g}"
            for one, words in ((own, own.words - other.words), (other, other.words - own.words))
            if (names := self.labelled.text_of(words))
        ]
        return f"the text exchanges two numbers; in {own.source}, {' and '.join(both)}"

    def _known(self, number: Stated, part: Part) -> list[Labelled]:
        """Return the numbers of the page that agree with one; a small one has its unit there."""
        found = self.labelled.agreeing_with(number)
        if part.title or part.beside:  # a table is no evidence of itself
            found = [own for own in found if not own.source.startswith("table")]
        unit = part.unit(number)
        if unit and significant_digits(number) < _TELLING and number.value.denominator == 1:
            return [own for own in found if own.unit == unit]
        return found


def _is_key(number: Stated, found: Sequence[Labelled]) -> bool:
    """Return whether all that another number may be has a number as the key of its line."""
    key = f"#{as_float(number.value):g}"
    return all(any(word.partition(":")[0] == key for word in own.words) for own in found)


def _is_again(here: Part, there: Part, one: Stated, other: Stated) -> bool:
    """Return whether one of two numbers occurs twice around them."""
    parts = [here] if here is there else [here, there]
    values = [n.value for part in parts for n in part.sentence.numbers]
    return values.count(one.value) + values.count(other.value) > 2


def texts(note: Note, parts: Sequence[Part]) -> Iterator[list[Part]]:
    """Yield the sentences of a paragraph, of a list, in order."""
    last: list[Part] = []
    line = -9
    was_item = False
    for _, group in groupby(parts, key=lambda part: id(part.sentence.piece)):
        own = list(group)
        lines = own[0].sentence.piece.lines
        raw = note.lines[lines[0] - 1] if lines[0] <= len(note.lines) else ""
        is_item = bool(_MARKER.match(raw))
        if is_item:
            own = [replace(part, is_short=True, is_own=True) for part in own]
        if is_item and was_item and lines[0] - line <= 2:
            last += own
        else:
            if last:
                yield last
            last = own
        was_item, line = is_item, lines[-1]
    if last:
        yield last
    for part in parts:
        if len(clauses := list(_clauses(part))) > 1:
            yield clauses


def _clauses(part: Part) -> Iterator[Part]:
    """Yield the clauses of a sentence, if each has one number."""
    own = part.sentence
    stops = [stop.start() for stop in _clause_end(part.lexicon).finditer(own.text)]
    clauses = [
        Part(replace(own, text=own.text[a:b], begins=own.begins + a), part.lexicon, is_own=True)
        for a, b in pairwise([0, *stops, len(own.text)])
        if own.text[a:b].strip(f"{_MARKS} ")
    ]
    if all(len(clause.sentence.numbers) == 1 for clause in clauses):
        yield from clauses


def _clause_end(lexicon: Lexicon) -> re.Pattern[str]:
    return clause_end(lexicon, "joining", "contrasting", marks=_MARKS)


def _columns(note: Note, lexicon: Lexicon) -> Iterator[list[Part]]:
    """Yield the cells of each column of a table."""
    found: dict[tuple[int, int], list[Part]] = {}
    titles = {(cell.line, cell.column): cell.title for cell in note.cells}
    begins, last = -9, -9
    for cell in cell_sentences(note, lexicon):
        line = cell.piece.lines[0]
        if line > last + 1:
            begins = line
        last = line
        place = len(cell.piece.cells)
        if place:
            title = titles.get(cell.place_of(0), "")
            part = Part(cell, lexicon, cell.piece.row, title, is_own=True)
            found.setdefault((begins, place), []).append(part)
    yield from found.values()


_Number = tuple[Stated, Part, list[Labelled]]


def _exchanged(
    one: _Number, other: _Number, groups: Mapping[tuple[int, str], Set[Labelled]]
) -> tuple[Labelled, Labelled] | None:
    """Return the numbers of the page that show that two numbers are exchanged, if some do.

    Numbers of one output or variable count more than those of two.
    """
    (first, here, _), (second, there, _) = one, other
    found: dict[bool, tuple[Labelled, Labelled]] = {}
    for mine in one[2]:
        for its in other[2]:
            if mine.value == its.value:
                return None
            left, right = mine.words - its.words, its.words - mine.words
            is_kin = mine.group == its.group
            alone = is_kin and mine.group != "variables"
            alone = alone and all(len(groups[id(p), mine.group]) == 1 for p in (here, there))
            verdict = _verdict(one, other, left, right, alone)
            if verdict > 0 and (is_kin or (_is_named(here, left) and _is_named(there, right))):
                return None
            if verdict < 0:
                found.setdefault(is_kin, (mine, its))
    if True not in found and min(map(significant_digits, (first, second))) < _TELLING:
        return None
    return found.get(True) or found.get(False)


def _nearest(tokens: Sequence[Token], numbers: Sequence[Stated]) -> list[Token]:
    """Return the occurrences of that word of a label that is nearest to one of two numbers."""

    def far(token: Token) -> int:
        return min(max(n.start - token.end, token.start - n.end) for n in numbers)

    nearest = min(tokens, key=far).word if tokens else ""
    return [token for token in tokens if token.word == nearest]


def _is_led(part: Part, token: Token) -> bool:
    """Return whether a label is a word, or a number behind a word: *after 2 days*."""
    before = part.sentence.text[: token.start].rstrip()[-2:]
    return _is_word(token.word) or before.isalpha()


def _is_word(word: str) -> bool:
    return word[0] not in "#@"


def _is_named(part: Part, words: Words) -> bool:
    """Return whether a part has all of some words."""
    return all(part.places(frozenset({word}), []) for word in words)


def _verdict(one: _Number, other: _Number, mine: Words, its: Words, alone: bool) -> int:
    """Return 1 if the words of two numbers are in their order, -1 in the other, 0 in doubt."""
    if not mine and not its:
        return 0
    (first, here, _), (second, there, _) = one, other
    if here is there:
        if not mine or not its or _has_other_number(here, (first, second), mine | its):
            return 0
        without = [first, second]
        left, right = (_nearest(here.places(own, without), without) for own in (mine, its))
        if not left or not right:
            return 0
        if any(a.start < b.start for a in left for b in right):
            return 1
        if not all(_is_led(here, token) for token in (*left, *right)):
            return 0
        return -1 if _is_in_turn(here, right, left, first, second) else 0
    # Words that both parts have do not tell them apart.
    mine = frozenset(w for w in mine if not _has_both(here, first, there, second, w))
    its = frozenset(w for w in its if not _has_both(here, first, there, second, w))
    if here.places(mine, [first]) or there.places(its, [second]):
        return 1
    crossed = here.places(its, [first]), there.places(mine, [second])
    # A small number may be anything, unless it is the only one.
    is_small = min(len(first.digits), len(second.digits)) < 2
    several = len(here.numbers) + len(there.numbers) > 2
    if is_small and several and not any(map(_is_word, mine | its)):
        return 0
    if all(crossed) and (alone or (here.is_own and there.is_own)):
        return -1
    general = here.lexicon.words["roles"]["general"]
    telling = frozenset(word for word in mine | its if word not in general)
    alone = alone and here.is_own and there.is_own and not first.bounds and not second.bounds
    # A clause without words has the words of the one before it: *the scores are 3 and 4*.
    alone = alone and all(any(_is_word(t.word) for t in part.tokens) for part in (here, there))
    crossed = here.places(its & telling, [first]), there.places(mine & telling, [second])
    return -1 if alone and any(crossed) else 0


def _has_other_number(part: Part, numbers: Sequence[Stated], words: Words) -> bool:
    """Return whether a part has a number besides ``numbers`` that is not itself a label."""
    labels = {token.start for token in part.places(words, [])}
    return any(n.start not in labels for n in part.numbers if n not in numbers)


def _has_both(here: Part, first: Stated, there: Part, second: Stated, word: str) -> bool:
    own = frozenset({word})
    return bool(here.places(own, [first]) and there.places(own, [second]))


def _is_in_turn(
    part: Part, left: Sequence[Token], right: Sequence[Token], first: Stated, second: Stated
) -> bool:
    """Return whether one label and number precede the other two, or both are listed.

    *Ada reads 0.15 from Bo, 0.23 from herself* says what is read from Bo, not what Bo reads.
    """
    text = part.sentence.text
    a, b = left[-1], right[0]
    labels, numbers = text[a.end : b.start], text[first.end : second.start]
    if b.end <= first.start or second.end <= a.start:
        listed = re.compile(_LISTED.format(part.lexicon.pattern("signs_of_units", "%")))
        return bool(listed.fullmatch(labels) and listed.fullmatch(numbers))
    pairs = (a, first), (b, second)
    turns = (text[label.end : n.start] for label, n in pairs if label.end <= n.start)
    other = words_of_clauses(part.lexicon, "contrasting", "concluding", "following")
    if any(map(other.search, turns)):
        return False
    between = text[max(a.end, first.end) : min(b.start, second.start)]
    return bool(_clause_end(part.lexicon).search(between))
