"""Contradicts numbers that a text has exchanged, by the words around them in outputs and variables.

*Sunny spells last 1.67 days, cloudy ones 3.33* has two numbers of ``{'sun': 3.33, 'cloud': 1.67}``
in the wrong order. Two numbers of a sentence, of the items of a list or of the rows of a table are
compared: of all numbers of the page that agree with them, some must have words that are in this
text in the wrong order, and none words that are in the right one.

A *label* is a word or number by which the page knows a number (`Labelled`): *sun* for 3.33. A
*group* is one output or variable. A *part* is a text that may be about one thing: a sentence, a
clause, an item of a list, a cell.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from itertools import combinations, groupby, pairwise, product

from vaultkit.checks.check import Contradiction
from vaultkit.checks.labelled import (
    TOKEN,
    Labelled,
    LabelledNumbers,
    Words,
    is_same,
    word_of,
)
from vaultkit.checks.lookup import exact_fraction
from vaultkit.claims.amounts import as_float
from vaultkit.claims.attributions import is_difference
from vaultkit.claims.clauses import clause_end, words_of_clauses
from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.mentions import Sentence, cell_sentences
from vaultkit.claims.numerals import NUMERAL
from vaultkit.claims.stated import Stated, significant_digits
from vaultkit.claims.units import unit_of
from vaultkit.read.note import Note

#: Most numbers of a text that are compared with each other: each is compared with all others.
_MOST = 24
#: The least digits of a number that hardly agrees by chance with one of any output.
_TELLING = 3
#: A number of fewer digits may have many meanings.
_MANY_MEANINGS = 2
#: From the last line of an item to the first of the next one: a blank line may be between them.
_NEXT_ITEM = 2
_NUMERAL = re.compile(NUMERAL, re.IGNORECASE)
#: The marks between two clauses that give numbers to two things.
_MARKS = ",;"
#: A number without its unit.
_DIGITS = re.compile(r"[-−+]?\d[\d,_]*(?:\.\d+)?")
#: The unit of a day in the word of a token (`vaultkit.claims.units`).
_DAY = ":86400s"
#: The mark of an item of a list: ``- ``, ``2. ``, ``> * ``.
_MARKER = re.compile(r"[\s>]*(?:[-*+]|\d+[.)])\s")
#: Between labels that are listed, and between numbers: *oak and elm have 3 and 4*. It may contain
#: signs of percent (``{}``) and short words: *and*, *or*, *kg*.
_LISTED = r"(?:[\s,;%*_`–—-]|\b(?:{}|[a-zA-Z]{{1,3}})\b)*"


@dataclass(frozen=True)
class Token:
    """A word or number of a text with its place, -1 if it is beside the text.

    ``word`` has the form of the labels of numbers: ``sun``; ``#14`` or ``#14:60s`` for 14 or
    14 minutes; ``@2`` for *second*.
    """

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
        """The numbers of the sentence that may be exchanged.

        Multiples, ordinals and words such as *none* are left out, and 0 and 1, which are anywhere.
        """
        return [
            n
            for n in self.sentence.numbers
            if not n.times and (n.digits or _NUMERAL.fullmatch(n.text))
            if abs(n.value) not in (0, 1) and not _is_quoted(self.sentence.text, n)
            if not self.sentence.text[: n.start].rstrip().endswith(" per")
            if not is_difference(self.sentence, n)
        ]

    @cached_property
    def tokens(self) -> list[Token]:
        """The words and numbers by which it may name a number of the page.

        In a sentence, 30 g is not the 30 of an output without units; in an item or a row, it may
        be. *2 weeks* may be 14 days.
        """
        sentence = self.sentence
        # The text of the sentence itself has blanks for numbers that only name something.
        raw = sentence.piece.text[sentence.begins : sentence.begins + len(sentence.text)]
        tokens = [*_tokens(raw, self.lexicon), *_tokens_of_numerals(sentence, raw)]
        tokens += (Token(token.word, -1, 0) for token in _tokens(self.beside, self.lexicon))
        weeks = re.compile(rf"\s{self.lexicon.pattern('measures', 'wk')}\b")
        for token in list(tokens):
            number, colon, _ = token.word.partition(":")  # only a number with a unit has a colon
            if colon:
                tokens.append(Token(number, token.start, token.end))
            if colon and weeks.match(raw, token.end):
                days = f"#{float(number[1:]) * 7:g}"
                tokens += (Token(days + unit, token.start, token.end) for unit in ("", _DAY))
        return tokens

    def unit(self, number: Stated) -> str:
        """Return the unit of measurement behind a number, or else in the title of its column."""
        digits = _DIGITS.match(self.sentence.text, number.start)
        end = digits.end() if digits else number.end
        words = re.findall(r"[^\W\d_]+", self.title)
        of_title = (unit_of(word, 0, self.lexicon) for word in words)
        return unit_of(self.sentence.text, end, self.lexicon) or next(filter(None, of_title), "")

    def places(self, words: Words, without: Sequence[Stated]) -> list[Token]:
        """Return the tokens that are one of some words, in order, except those in some numbers."""
        indices = sorted({index for word in words for index in self._indices(word)})
        return [
            token
            for token in map(self.tokens.__getitem__, indices)
            if not any(n.start <= token.start < n.end for n in without)
        ]

    def _indices(self, word: str) -> list[int]:
        """Return the indices of the tokens that are a word, which is often asked for again."""
        if word not in self._indices_by_word:
            self._indices_by_word[word] = [
                index for index, token in enumerate(self.tokens) if is_same(token.word, word)
            ]
        return self._indices_by_word[word]

    @cached_property
    def _indices_by_word(self) -> dict[str, list[int]]:
        """The answers of `_indices` so far."""
        return {}


@dataclass(frozen=True)
class _Match:
    """A number of a text, and the numbers of the page that agree with it."""

    number: Stated
    part: Part
    agreeing: list[Labelled]

    def has_key(self, key: Stated) -> bool:
        """Return whether another number is the key of the line of each number that agrees."""
        word = _word_of_number(as_float(key.value))
        return all(
            any(label.partition(":")[0] == word for label in own.words) for own in self.agreeing
        )


def _tokens(text: str, lexicon: Lexicon) -> Iterator[Token]:
    """Yield the words, numbers and ordinals of a text.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> [token.word for token in _tokens("the third of 14 rainy beds", lexicon())]
    ['@3', 'third', '#14', 'rainy', 'bed']
    """
    for match in TOKEN.finditer(text):
        if match[0][0].isdecimal():
            digits = match[0].replace(",", "")
            if digits.count(".") <= 1:  # no version, *1.2.3*
                word = _word_of_number(float(digits), unit_of(text, match.end(), lexicon))
                yield Token(word, *match.span())
        elif (ordinal := lexicon.value("ordinals", match[0])) is not None:
            yield Token(f"@{ordinal}", *match.span())
        if match[0][0].isalpha() and (word := word_of(match[0], lexicon)):
            yield Token(word, *match.span())


def _word_of_number(value: float, unit: str = "") -> str:
    """Return a number as the word of a `Token`.

    >>> _word_of_number(14, "60s"), _word_of_number(2.5)
    ('#14:60s', '#2.5')
    """
    return f"#{value:g}:{unit}".rstrip(":")


def _tokens_of_numerals(sentence: Sentence, raw: str) -> Iterator[Token]:
    """Yield the integers in words, *two*, as numbers; ``raw`` is the source of the sentence."""
    for number in sentence.numbers:
        if not number.digits and number.value.denominator == 1:
            unit = unit_of(raw, number.end, sentence.lexicon)
            word = _word_of_number(as_float(number.value), unit)
            yield Token(word, number.start, number.end)


def _is_quoted(text: str, number: Stated) -> bool:
    """Return whether a number is in quotes, and so is a text: *the key "12"*."""
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
        """Yield the exchanged numbers: two contradictions for each exchange."""
        self.labelled.read_tables(note.cells)
        parts = [Part(sentence, self.labelled.lexicon) for sentence in sentences]
        for text in (*_texts(note, parts), *_columns(note, self.labelled.lexicon)):
            numbers = [(number, part) for part in text for number in part.numbers][:_MOST]
            matches = [match for number in numbers if (match := self._match(*number)).agreeing]
            groups: dict[tuple[int, str], set[Labelled]] = defaultdict(set)
            for match in matches:
                for labelled in match.agreeing:
                    groups[id(match.part), labelled.group].add(labelled)
            for one, other in combinations(matches, 2):
                if _occur_again(one, other):
                    continue
                if other.has_key(one.number) or one.has_key(other.number):
                    continue  # *in week 6, minus 55 percent*
                if pair := _exchanged(one, other, groups):
                    yield self._contradiction(one, *pair)
                    yield self._contradiction(other, *reversed(pair))

    def _contradiction(self, match: _Match, mine: Labelled, other: Labelled) -> Contradiction:
        """Return the contradiction of a number by two numbers of the page, its own one first."""
        both = [
            f"{names} has {one.value:.6g}"
            for one, words in ((mine, mine.words - other.words), (other, other.words - mine.words))
            if (names := self.labelled.text_of(words))
        ]
        why = f"the text exchanges two numbers; in {mine.source}, {' and '.join(both)}"
        return Contradiction.of_number(match.part.sentence, match.number, why)

    def _match(self, number: Stated, part: Part) -> _Match:
        """Return a number with those of the page that agree with it; a small one needs its unit."""
        agreeing = self.labelled.agreeing_with(number)
        if part.title or part.beside:  # a table is no evidence of itself
            agreeing = [own for own in agreeing if not own.source.startswith("table")]
        unit = part.unit(number)
        if unit and significant_digits(number) < _TELLING and number.value.denominator == 1:
            # Outputs often leave out a unit. A column of a table may be of another quantity.
            agreeing = [
                own
                for own in agreeing
                if own.unit == unit
                or (not own.unit and not part.title and own.has_value_of(number))
            ]
        return _Match(number, part, agreeing)


def _occur_again(one: _Match, other: _Match) -> bool:
    """Return whether two numbers are equal, or one occurs twice in their parts.

    Then it is not known which of its occurrences a word is about.
    """
    parts = [one.part] if one.part is other.part else [one.part, other.part]
    values = [number.value for part in parts for number in part.sentence.numbers]
    return values.count(one.number.value) + values.count(other.number.value) > len((one, other))


def _texts(note: Note, parts: Sequence[Part]) -> Iterator[list[Part]]:
    """Yield what is compared together.

    These are the sentences of a paragraph, those of all items that follow each other (with at most
    one blank line between), and the clauses of each sentence that has one number in each.
    ``parts`` are the sentences of the note, in order.
    """
    text: list[Part] = []
    last_line = 0
    was_item = False
    for _, group in groupby(parts, key=lambda part: id(part.sentence.piece)):
        paragraph = list(group)
        lines = paragraph[0].sentence.piece.lines
        is_item = bool(_MARKER.match(note.lines[lines[0] - 1]))
        if is_item:
            paragraph = [replace(part, is_short=True, is_own=True) for part in paragraph]
        is_next_item = is_item and was_item and lines[0] - last_line <= _NEXT_ITEM
        if text and not is_next_item:
            yield text
            text = []
        text += paragraph
        was_item, last_line = is_item, lines[-1]
    if text:
        yield text
    for part in parts:
        if len(clauses := _clauses(part)) > 1:
            yield clauses


def _clauses(part: Part) -> list[Part]:
    """Return the clauses of a sentence; none if one of them has no number or several."""
    sentence = part.sentence
    text = sentence.text
    stops = [stop.start() for stop in _clause_end(part.lexicon).finditer(text)]
    clauses = [
        replace(sentence, text=text[start:end], begins=sentence.begins + start)
        for start, end in pairwise([0, *stops, len(text)])
        if text[start:end].strip(f"{_MARKS} ")
    ]
    if any(len(clause.numbers) != 1 for clause in clauses):
        return []
    return [Part(clause, part.lexicon, is_own=True) for clause in clauses]


def _clause_end(lexicon: Lexicon) -> re.Pattern[str]:
    """Return a pattern of commas, semicolons and words such as *and* and *but*."""
    return clause_end(lexicon, "joining", "contrasting", marks=_MARKS)


def _columns(note: Note, lexicon: Lexicon) -> Iterator[list[Part]]:
    """Yield the cells of each column of each table, without the heads and the first column."""
    columns: dict[tuple[int, int], list[Part]] = {}
    titles = {(cell.line, cell.column): cell.title for cell in note.cells}
    first_line = last_line = -2  # no table yet; a row that is not on the next line begins one
    for cell in cell_sentences(note, lexicon):
        line = cell.piece.lines[0]
        if line > last_line + 1:
            first_line = line
        last_line = line
        index = len(cell.piece.cells)  # the number of cells before it
        if index:
            title = titles.get(cell.place_of(0), "")
            part = Part(cell, lexicon, cell.piece.row, title, is_own=True)
            columns.setdefault((first_line, index), []).append(part)
    yield from columns.values()


class _Order(Enum):
    """Whether the words of two numbers of the page are beside the right ones of a text."""

    RIGHT = 1
    EXCHANGED = -1
    UNKNOWN = 0


def _exchanged(
    first: _Match, second: _Match, groups: Mapping[tuple[int, str], Set[Labelled]]
) -> tuple[Labelled, Labelled] | None:
    """Return the numbers of the page that show that two numbers are exchanged; None if none do.

    Of those that agree with the two, a pair of one output or variable counts more than one of two.

    ``groups`` has, by the id of a part and the name of an output, the numbers of the output that
    agree with numbers of the part.
    """
    exchanged: dict[bool, tuple[Labelled, Labelled]] = {}
    for mine, other in product(first.agreeing, second.agreeing):
        if mine.value == other.value:
            return None
        # Words of both do not tell them apart.
        words = mine.words - other.words, other.words - mine.words
        if not any(words):
            continue
        are_together = mine.group == other.group
        # Neither part has another number of this output that its words may be about.
        are_alone = (
            are_together
            and mine.group != "variables"
            and all(len(groups[id(match.part), mine.group]) == 1 for match in (first, second))
        )
        if first.part is second.part:
            order = _order_in_sentence(first, second, *words, groups[id(first.part), mine.group])
        else:
            order = _order_in_two(first, second, *words, are_alone=are_alone)
        if order is _Order.RIGHT and (
            are_together or (_has_all(first.part, words[0]) and _has_all(second.part, words[1]))
        ):
            return None
        if order is _Order.EXCHANGED:
            exchanged.setdefault(are_together, (mine, other))
    if True in exchanged:
        return exchanged[True]
    fewest_digits = min(significant_digits(first.number), significant_digits(second.number))
    return exchanged.get(False) if fewest_digits >= _TELLING else None


def _order_in_sentence(
    first: _Match, second: _Match, mine: Words, others: Words, of_group: Set[Labelled]
) -> _Order:
    """Return the order of two numbers of one sentence.

    Parameters
    ----------
    first, second
        The numbers, in the order of the text.
    mine, others
        The words by which the page knows the first number, and the second one.
    of_group
        The numbers of the same output that agree with numbers of the sentence.
    """
    part, numbers = first.part, (first.number, second.number)
    # With a third number, either label may be about that one.
    if not mine or not others or _has_other_number(part, numbers, mine | others, of_group):
        return _Order.UNKNOWN
    my_labels, other_labels = (
        _nearest(part.places(words, numbers), numbers) for words in (mine, others)
    )
    if not my_labels or not other_labels:
        return _Order.UNKNOWN
    if any(one.start < other.start for one in my_labels for other in other_labels):
        return _Order.RIGHT
    are_led = all(_is_led(part, token) for token in (*my_labels, *other_labels))
    if are_led and _is_in_turn(part, other_labels[-1], my_labels[0], *numbers):
        return _Order.EXCHANGED
    return _Order.UNKNOWN


def _order_in_two(
    first: _Match, second: _Match, mine: Words, others: Words, *, are_alone: bool
) -> _Order:
    """Return the order of numbers of two sentences, items, cells or clauses.

    The parameters are those of `_order_in_sentence`. ``are_alone``: whether the page has only one
    number of either part in the output.
    """
    here, there = first.part, second.part
    of_here, of_there = [first.number], [second.number]

    def tells_apart(word: str) -> bool:
        """Return whether a word is not in both parts: *is the share of oaks*, *of elms*."""
        own = frozenset({word})
        return not (here.places(own, of_here) and there.places(own, of_there))

    mine, others = frozenset(filter(tells_apart, mine)), frozenset(filter(tells_apart, others))
    if here.places(mine, of_here) or there.places(others, of_there):
        return _Order.RIGHT
    # A number of one digit may be anything, unless it is the only one.
    is_small = min(len(first.number.digits), len(second.number.digits)) < _MANY_MEANINGS
    several = len(here.numbers) + len(there.numbers) > len((first, second))
    if is_small and several and not any(map(_is_word, mine | others)):
        return _Order.UNKNOWN
    are_about_one = here.is_own and there.is_own
    has_both = here.places(others, of_here) and there.places(mine, of_there)
    if has_both and (are_alone or are_about_one):
        return _Order.EXCHANGED
    # If there is no other explanation, it is enough that one part has the word of the other number.
    # A clause without words has the words of the one before it: *the scores are 3 and 4*.
    have_words = all(any(_is_word(t.word) for t in part.tokens) for part in (here, there))
    has_bound = first.number.bounds or second.number.bounds
    if not (are_alone and are_about_one and have_words) or has_bound:
        return _Order.UNKNOWN
    general = frozenset(here.lexicon.words["roles"]["general"])
    has_one = _names(here, others - general, first) or _names(there, mine - general, second)
    return _Order.EXCHANGED if has_one else _Order.UNKNOWN


def _names(part: Part, words: Words, match: _Match) -> bool:
    """Return whether a part has one of some words, other than as the noun of its number.

    In *2 balls are enough*, for an output ``2 balls 30 euros``, the balls say nothing of the 30.
    """
    return any(t.start != match.number.end + 1 for t in part.places(words, [match.number]))


def _nearest(tokens: Sequence[Token], numbers: Sequence[Stated]) -> list[Token]:
    """Return the occurrences of that word of a label that is nearest to one of two numbers."""

    def distance(token: Token) -> int:
        """Return the number of characters between a token and the nearer number."""
        return min(max(n.start - token.end, token.start - n.end) for n in numbers)

    nearest = min(tokens, key=distance).word if tokens else ""
    return [token for token in tokens if token.word == nearest]


def _is_led(part: Part, token: Token) -> bool:
    """Return whether a label is a word, or a number behind a word: *after 2 days*, *n = 2*."""
    before = part.sentence.text[: token.start].rstrip(" =")[-2:]
    return _is_word(token.word) or before.strip().isalpha()


def _is_word(word: str) -> bool:
    """Return whether the word of a `Token` is a word, and no number or ordinal."""
    return word[0] not in "#@"


def _has_all(part: Part, words: Words) -> bool:
    """Return whether a part has all of some words."""
    return all(part.places(frozenset({word}), []) for word in words)


def _has_other_number(
    part: Part, numbers: Sequence[Stated], words: Words, of_group: Set[Labelled]
) -> bool:
    """Return whether a part has a number besides ``numbers`` that the words may be about.

    It is not itself a label, and has no other label in the part, by which the output knows it.
    """
    labels = {token.start for token in part.places(words, [])}
    # A small number may agree with another line by chance.
    are_small = min(map(significant_digits, numbers)) < _MANY_MEANINGS
    return any(
        n.start not in labels
        for n in part.numbers
        if n not in numbers
        if are_small
        or not any(
            n.agrees(exact_fraction(own.value)) and part.places(own.words - words, [n])
            for own in of_group
        )
    )


def _is_in_turn(part: Part, one: Token, other: Token, first: Stated, second: Stated) -> bool:
    """Return whether one label and number precede the other two, or both are listed.

    Then the first label belongs to the first number. *Ada reads 0.15 from Bo, 0.23 from herself*
    says what is read from Bo, not what Bo reads.
    """
    text = part.sentence.text
    if other.end <= first.start or second.end <= one.start:
        # Both labels are ahead of both numbers, or behind them: *oak and elm have 3 and 4*.
        listed = re.compile(_LISTED.format(part.lexicon.pattern("signs_of_units", "%")))
        labels, numbers = text[one.end : other.start], text[first.end : second.start]
        return bool(listed.fullmatch(labels) and listed.fullmatch(numbers))
    pairs = (one, first), (other, second)
    up_to_numbers = (text[label.end : n.start] for label, n in pairs if label.end <= n.start)
    other_clause = words_of_clauses(part.lexicon, "contrasting", "concluding", "following")
    if any(map(other_clause.search, up_to_numbers)):
        return False
    between = text[max(one.end, first.end) : min(other.start, second.start)]
    return bool(_clause_end(part.lexicon).search(between))
