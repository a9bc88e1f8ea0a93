"""Contradicts a number that is in the place of another number of the page.

*The median is 4.2* is contradicted if the page has 4.2 as the mean, and the median as 3.9. Each
number of an output or variable is known by words (`vaultkit.checks.things`). The words around a
number of a sentence are compared with those of the numbers that agree with it, and with those of
all others: if another one fits clearly better, the number is wrong.

Two numbers of a sentence are exchanged if the words around each are those of the other one. And in
a text that states all numbers of an output in order but one, a number of something else is wrong in
its place. If in doubt, it reports nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations

from vaultkit.checks.assigned import Part, Token
from vaultkit.checks.check import Contradiction
from vaultkit.checks.labelled import LabelledNumbers, Words, word_of
from vaultkit.checks.lookup import exact_fraction
from vaultkit.checks.stated import significant
from vaultkit.checks.things import Thing, Things
from vaultkit.claims.attributions import is_apart, is_difference, words_behind
from vaultkit.claims.mentions import Sentence, cell_sentences
from vaultkit.claims.stated import Stated
from vaultkit.read.note import Note

#: Where another clause begins.
_STOP = re.compile(
    r"[,;:()—–](?=\s|$)|(?<=\s)[(—–]"
    r"|\s(?:and|but|while|whereas|which|where|so|because|since|than|if|or|against)\b"
)
#: Words after which another thing may be meant.
_TURN = re.compile(r"\b(?:then|until)\b")
_REFERENCE = re.compile(r"\b(?:the|this|that|these|those|its|of|by|than|to|from|with)\s$", re.I)
#: The word between an article and a label.
_NARROWED = re.compile(r"\b(?:the|an?|its|our|your|their)\s([^\W\d_]{3,})\s$", re.IGNORECASE)
#: A length of a shape: *11 by 11*, *n × 3*.
_TIMES = re.compile(r"\s*(?:by|×|x)\s*(?:\d|[a-zA-Z]\b)")
_TIMES_BEFORE = re.compile(r"[\da-zA-Z]\s*\b(?:by|×|x)\s*$")
#: How closely a word belongs to a number: in the same clause, in the clause beside it, with another
#: number between them (or two clauses away), and with both a number and a stop between them.
_SAME, _BESIDE, _BEHIND_ANOTHER, _FAR = 1.0, 0.8, 0.5, 0.3
#: The weight of a word that is nearer to another number.
_OF_ANOTHER = 0.3
#: The most that words count, for one number and for one of two that are exchanged.
_MOST_WORDS, _MOST_EXCHANGED = 2.0, 1.5
#: The least score of the words, and of all evidence together.
_LEAST, _ENOUGH = 0.7, 2.4
#: What else speaks for another number: that the text states it nowhere, that it states this one
#: elsewhere, that all words of a label are there, that both numbers are in one output, that the
#: unit is not that of this number; and that both differ only in their rows.
_CLUE, _SIBLING = 0.5, 1.0
#: The least gain by an exchange; the weights of the right unit, and of one output or line.
_EXCHANGED, _UNIT, _TOGETHER = 1.6, 0.8, 0.25
#: The least digits that hardly agree by chance.
_SURE = 3
#: How much of a label the text must have at least.
_COVERED = 0.6
#: Two numbers of other sizes are hardly confused.
_RATIO = 100
#: Most numbers of an output of which a text states all but one, and the least share of them.
_FEW, _SHARE = 10, 3


class Misplaced:
    """Finds numbers that are in the place of others.

    Parameters
    ----------
    numbers
        The numbers of the page with their words.
    """

    def __init__(self, numbers: LabelledNumbers) -> None:
        self.lexicon = numbers.lexicon
        self.things = Things(numbers.every)
        self._text_of = numbers.text_of
        general = self.lexicon.words["roles"]["general"]
        #: Words that alone say nothing of a number.
        self.general = frozenset(general) | {word_of(word, self.lexicon) for word in general}
        alike = self.lexicon.pattern("roles", "alike")
        self._alike = re.compile(rf"(?<![\w-]){alike}(?![\w-])", re.IGNORECASE)
        #: How often the text states each number.
        self._stated: Counter[Thing] = Counter()

    def contradictions(self, note: Note, sentences: Sequence[Sentence]) -> Iterator[Contradiction]:
        """Yield the numbers that are in the place of others."""
        if not self.things.every:
            return
        every = (*sentences, *cell_sentences(note, self.lexicon))
        self._stated = Counter(
            thing
            for own in every
            for number in own.numbers
            if not number.bounds and not number.times
            for thing in self.things.of(number)
        )
        views: list[View] = []
        for sentence in sentences:
            part = Part(sentence, self.lexicon)
            own = [View(part, number, self) for number in sentence.numbers]
            for view in own:
                view.beside = [other for other in own if other is not view]
            plain = [view for view in own if view.is_plain and not view.number.bounds and view.own]
            views += plain
            for view in plain:
                if why := self._replaced(view):
                    yield Contradiction.of_number(view.part.sentence, view.number, why)
            for one, other in combinations(plain, 2):
                if why := self._exchanged(one, other):
                    yield Contradiction.of_number(one.part.sentence, one.number, why)
        for view, why in self._eliminated(note, views):
            yield Contradiction.of_number(view.part.sentence, view.number, why)

    def _replaced(self, view: View) -> str:
        """Return what else the words around a number belong to; empty if in doubt."""
        if significant(view.number) < 2 or view.is_length or view.is_rough:
            return ""
        repeated = self._is_repeated(view)
        sentence = view.part.sentence
        if is_apart(sentence, view.clause) or is_difference(sentence, view.number):
            return ""
        if view.is_of_several:
            return ""
        best, found = 0.0, None
        for rival in view.named:
            if not self._is_possible(view, rival):
                continue
            cover = max(sum(map(view.has, label)) / len(label) for label in rival.labels)
            if cover < _COVERED or (cover < 1 and self._is_ambiguous(view, rival)):
                continue
            score = min(_fit(view, own, rival, repeated) for own in view.own)
            if score < _LEAST:
                continue
            is_named = cover == 1 and not view.is_narrowed(rival)
            score += _CLUE * (repeated + self._is_left_out(rival) + is_named)
            if score > best:
                best, found = score, rival
        return self._why(view.own[0], found) if found and best >= _ENOUGH else ""

    def _is_possible(self, view: View, rival: Thing) -> bool:
        """Return whether a number may have been written instead of another one."""
        if rival in view.own or any(rival in other.own for other in view.beside):
            return False
        if not rival.is_long or rival.is_whole != view.is_count or not _is_near(view.own, rival):
            return False
        if view.unit and rival.units and view.unit not in rival.units:
            return False
        noun = self.things.labels(view.noun) if view.is_count and view.noun else Words()
        return not noun or bool(noun & rival.words)

    def _is_ambiguous(self, view: View, rival: Thing) -> bool:
        """Return whether the words of a number in the text are also those of a third number."""
        said = Words(filter(view.has, rival.words))
        others = (own for own in self.things.known_by(said) if own.values != rival.values)
        return any(said <= own.words for own in others if own not in view.own)

    def _exchanged(self, one: View, other: View) -> str:
        """Return why two numbers of a sentence are exchanged; empty if they are not."""
        if one.number.value == other.number.value:
            return ""
        if min(significant(one.number), significant(other.number)) < 1:
            return ""
        values = [view.number.value for view in (*one.beside, *other.beside)]
        if len(values) > 2 and any(values.count(v.number.value) > 1 for v in (one, other)):
            return ""
        if _TURN.search(one.part.sentence.text):
            return ""
        why = ""
        for mine in one.own:
            for its in other.own:
                if any(view.unit and not (mine.units | its.units) for view in (one, other)):
                    return ""
                if mine in other.own or its in one.own:
                    return ""
                left, right = mine.words - its.words, its.words - mine.words
                now = one.fits(mine, left, its) + other.fits(its, right, mine)
                then = one.fits(its, right, mine) + other.fits(mine, left, its)
                then += _TOGETHER * bool(mine.groups & its.groups)
                then += _TOGETHER * (mine.source == its.source)
                if then - now < _EXCHANGED:
                    return ""
                why = why or f"exchanged with {other.number.text}: {self._why(mine, its)}"
        return why

    def _eliminated(self, note: Note, views: Sequence[View]) -> Iterator[tuple[View, str]]:
        """Yield numbers of something else in the place of the only one that a text leaves out."""
        ends = [(block.output or block.fence).end for block in note.blocks]
        begins = [block.fence.line for block in note.blocks[1:]]
        for block, end, following in zip(
            note.blocks, ends, [*begins, len(note.lines) + 1], strict=True
        ):
            first = (block.output or block.fence).line
            shown = [own for own in self.things.every if first <= own.line <= end]
            below = [v for v in views if end < v.line < following and v.number.digits]
            if below and 0 < len({own.values for own in shown}) <= _FEW:
                for view in below:
                    if why := self._is_eliminated(view, below, shown):
                        yield view, why

    def _is_eliminated(self, view: View, below: Sequence[View], shown: Sequence[Thing]) -> str:
        """Return the number of an output that belongs in the place of another one, if one does."""
        if significant(view.number) < 2 or not self._is_repeated(view) or view.is_length:
            return ""
        if self._alike.search(view.part.sentence.text):
            return ""
        left = [own for own in shown if self._is_left_out(own)]
        if len(left) > 1 and len(left) * _SHARE > len(shown):
            return ""
        fitting = [
            own
            for own in left
            if own.is_long and own.is_whole == view.is_count and _is_near(view.own, own)
            if not (view.unit and own.units and view.unit not in own.units)
            if not (view.unit == "%" and not own.units and abs(own.values[0]) > 1)
        ]
        if len({own.values for own in fitting}) != 1:
            return ""
        others = [v for v in below if any(own in shown for own in v.own)]
        if all({*v.own} & {*view.own} for v in others) and others[-1].is_reference:
            return ""
        places = [[shown.index(own) for own in v.own if own in shown] for v in below]
        at = next(index for index, other in enumerate(below) if other is view)
        before = [own[0] for own in places[:at] if len(own) == 1]
        behind_it = [own[0] for own in places[at + 1 :] if len(own) == 1]

        def is_in_order(place: int) -> bool:
            return (not before or before[-1] < place) and (not behind_it or place < behind_it[0])

        rival = fitting[0]
        if not (before or behind_it) or not is_in_order(shown.index(rival)):
            return ""
        if any(is_in_order(place) for place in places[at]):
            return ""
        if not all(own.words or own in shown for own in view.own):
            return ""
        if any(view.may_fit(own.words - rival.words) for own in view.own):
            return ""
        return f"{self._said(rival)}, which the text does not state; {self._said(view.own[0])}"

    def _said(self, thing: Thing) -> str:
        """Return where the page has a number, and the words by which it is known there."""
        label = thing.labels[0] if thing.labels else Words()
        return f"{thing.source} has {f'{self._text_of(label)} {thing.values[0]:.6g}'.strip()}"

    def _why(self, own: Thing, rival: Thing) -> str:
        """Return what the page has of two numbers."""
        return f"{self._said(rival)}, and {self._said(own)}"

    def _is_left_out(self, thing: Thing) -> bool:
        """Return whether the text does not state a number."""
        return not self._stated[thing]

    def _is_repeated(self, view: View) -> bool:
        """Return whether the text states a number elsewhere, too."""
        return any(self._stated[own] > 1 for own in view.own)


def _fit(view: View, own: Thing, rival: Thing, repeated: bool) -> float:
    """Return how much better another number fits than one that agrees with the text."""
    if not own.words:
        return 0.0
    for_rival = view.fit(rival.words - own.words, rival)
    for_own = view.may_fit(own.words - rival.words)
    if for_rival < _LEAST:
        return 0.0
    is_odd = bool(view.unit and own.units and view.unit not in own.units)
    is_row = repeated and not for_own and own.is_sibling(rival)
    is_row = is_row and view.fit(rival.keys - own.keys, rival) > _BEHIND_ANOTHER
    clues = is_odd + bool(own.groups & rival.groups)
    return for_rival - for_own + _CLUE * clues + _SIBLING * is_row


def _is_near(own: Sequence[Thing], rival: Thing) -> bool:
    """Return whether one of some numbers has about the size of another one."""
    return any(
        not a or not b or 1 / _RATIO <= abs(a / b) <= _RATIO
        for thing in own
        for a in thing.values
        for b in rival.values
    )


class View:
    """A number of a text with the words around it, and with what it may be on the page.

    Parameters
    ----------
    part
        Its sentence.
    number
        The number.
    page
        The numbers of the page.
    """

    def __init__(self, part: Part, number: Stated, page: Misplaced) -> None:
        self.part, self.number, self.page = part, number, page
        self.own = page.things.of(number)
        #: The other numbers of the sentence.
        self.beside: list[View] = []

    @cached_property
    def line(self) -> int:
        """Its line in the note."""
        return self.part.sentence.place_of(self.number.start)[0]

    @cached_property
    def is_plain(self) -> bool:
        """Whether it is no multiple or ordinal."""
        return any(number is self.number for number in self.part.numbers)

    @cached_property
    def is_length(self) -> bool:
        """Whether it is a length of a shape: *11 by 11*."""
        text = self.part.sentence.text
        before = text[: self.number.start]
        return bool(_TIMES.match(text, self.number.end) or _TIMES_BEFORE.search(before))

    @cached_property
    def clause(self) -> str:
        """The clause in which it is."""
        text, start = self.part.sentence.text, self.number.start
        before = [stop for stop in self._stops if stop < start]
        after = [stop for stop in self._stops if stop > start]
        return text[before[-1] if before else 0 : after[0] if after else len(text)]

    @cached_property
    def is_reference(self) -> bool:
        """Whether the words right before it may take up an earlier number: *the high of 9*."""
        return bool(_REFERENCE.search(self.part.sentence.text[: self.number.start]))

    @cached_property
    def is_of_several(self) -> bool:
        """Whether it may be the number of several things together: *the cost is 9 in all*."""
        totals = self.part.lexicon.pattern("roles", "totals")
        return bool(re.search(rf"\b{totals}\b", self.part.sentence.text, re.IGNORECASE))

    @cached_property
    def is_count(self) -> bool:
        """Whether it is an integer in the text and on the page."""
        return "." not in self.number.digits and any(own.is_whole for own in self.own)

    @cached_property
    def is_rough(self) -> bool:
        """Whether it has two digits, and is only the rounding of numbers of the page."""
        value = self.number.value
        scales = self.number.scales
        exact = (exact_fraction(own) for thing in self.own for own in thing.values)
        return significant(self.number) < _SURE and not any(
            own == value * scale for own in exact for scale in scales
        )

    @cached_property
    def unit(self) -> str:
        """Its unit of measurement."""
        return self.part.unit(self.number)

    @cached_property
    def noun(self) -> str:
        """The stem of the word right behind it."""
        words = words_behind(self.part.sentence, self.number)
        return word_of(words[0], self.part.lexicon) if words and words[0].isalpha() else ""

    @cached_property
    def named(self) -> list[Thing]:
        """The numbers of the page that have some of the words around it."""
        labels = (self.page.things.labels(token.word) for token in self._tokens)
        return self.page.things.known_by(Words().union(*labels))

    @cached_property
    def _tokens(self) -> list[Token]:
        """The words and numbers around it."""
        number = self.number
        return [t for t in self.part.tokens if not number.start <= t.start < number.end]

    @cached_property
    def _stops(self) -> list[int]:
        return [found.start() for found in _STOP.finditer(self.part.sentence.text)]

    @cached_property
    def _keys(self) -> list[Token]:
        """The words before it that are labels of rows."""
        things = self.page.things
        before = [token for token in self._tokens if token.start < self.number.start]
        return [token for token in before if things.labels(token.word) & things.keys]

    def has(self, word: str) -> bool:
        """Return whether a word of the page is in the clause of the number, or in one beside it."""
        return any(
            word in self.page.things.labels(token.word) and self._far(token)[0] < 2
            for token in self._tokens
        )

    def is_narrowed(self, rival: Thing) -> bool:
        """Return whether another word may narrow the label of a number: *the yearly cost*."""
        text = self.part.sentence.text
        for token in self._tokens:
            if self.page.things.labels(token.word) & rival.words:
                found = _NARROWED.search(text[: token.start])
                if found and not self.page.things.akin(word_of(found[1], self.part.lexicon)):
                    return True
        return False

    def _far(self, token: Token) -> tuple[int, int]:
        """Return how many clauses and characters a word is away."""
        low, high = sorted((token.start, self.number.start))
        gap = max(self.number.start - token.end, token.start - self.number.end)
        return sum(low < stop < high for stop in self._stops), gap

    def _near(self, token: Token) -> float:
        """Return how closely a word belongs to the number."""
        crossed = self._far(token)[0]
        low, high = sorted((token.start, self.number.start))
        between = any(low < other.number.start < high for other in self.beside)
        if between:
            return _FAR if crossed else _BEHIND_ANOTHER
        return (_SAME, _BESIDE, _BEHIND_ANOTHER)[min(crossed, 2)]

    def _is_nearest(self, token: Token) -> bool:
        """Return whether no other number is nearer to a word."""
        own = self._far(token)
        return not any(other.is_plain and other._far(token) < own for other in self.beside)

    def _is_explained(self, token: Token, but: Thing | None = None) -> bool:
        """Return whether a word belongs to another number of the text that the page knows by it."""
        labels = self.page.things.labels(token.word)
        return any(
            labels & thing.words
            for other in self.beside
            if not set(other.own) & set(self.own)
            for thing in other.own
            if thing is not but
        )

    def _is_of_row(self, token: Token) -> bool:
        """Return whether the label of a row is the last one before the number, or behind it."""
        if token.start < self.number.start:
            return not any(key.start > token.end + 3 for key in self._keys)
        return not self._keys and self._is_nearest(token)

    def fit(self, words: Words, thing: Thing, but: Thing | None = None) -> float:
        """Return how well words of a thing fit those around the number.

        Words that belong to another number do not count, unless that number is ``but``.
        """
        total, telling = 0.0, False
        for word in words:
            best = 0.0
            for token in self._tokens:
                if word not in self.page.things.labels(token.word):
                    continue
                if word in thing.keys and self._is_of_row(token):
                    best = _SAME
                elif not self._is_explained(token, but):
                    share = 1.0 if self._is_nearest(token) else _OF_ANOTHER
                    best = max(best, self._near(token) * share)
            is_telling = word[0] not in "#@" and word not in self.page.general
            telling |= is_telling and best > 0
            total += best if is_telling else best / 2
        return min(total, _MOST_WORDS) if telling else min(total, 1.0) / 2

    def fits(self, thing: Thing, words: Words, other: Thing) -> float:
        """Return how well a thing fits by its words and unit, if another one may be meant."""
        total = min(self.fit(words, thing, thing), _MOST_EXCHANGED)
        differ = self.unit and thing.units != other.units
        return total + _UNIT * bool(differ and self.unit in thing.units)

    def may_fit(self, words: Words) -> float:
        """Return how well words may fit, of which the text may have other forms."""
        again = any(set(other.own) & set(self.own) for other in self.beside)
        total = 0.0
        for word in words:
            total += max(
                (
                    self._near(token)
                    for token in self._tokens
                    if word in self.page.things.akin(token.word)
                    if self._is_nearest(token) or not (again or self._is_explained(token))
                ),
                default=0.0,
            )
        return total
