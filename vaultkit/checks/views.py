"""A number of a text with the words around it, and how well the numbers of the page fit them."""

from __future__ import annotations

import re
from functools import cached_property

from vaultkit.checks.assigned import Part, Token
from vaultkit.checks.labelled import Words, word_of
from vaultkit.checks.lookup import exact_fraction
from vaultkit.checks.things import Thing, Things
from vaultkit.claims.attributions import role_pattern, words_behind
from vaultkit.claims.clauses import clause_end
from vaultkit.claims.stated import Stated, significant_digits

#: The rest of a tuple on both sides of a number.
_TUPLE_BEFORE, _TUPLE = re.compile(r"\([^()]*$"), re.compile(r"[^()]*\)")
#: How closely a word belongs to a number: in the same clause, in the clause beside it, with another
#: number between them (or two clauses away), and with both a number and a stop between them.
_SAME, _BESIDE, _BEHIND_ANOTHER, _FAR = 1.0, 0.8, 0.5, 0.3
#: The weight of a word that is nearer to another number.
_OF_ANOTHER = 0.3
#: The most that words count, for one number and for one of two that are exchanged.
_MOST_WORDS, _MOST_EXCHANGED = 2.0, 1.5
#: The weight of the right unit.
_UNIT = 0.8
#: The least digits that hardly agree by chance.
_SURE = 3


class View:
    """A number of a text with the words around it, and with what it may be on the page.

    Parameters
    ----------
    part
        Its sentence.
    number
        The number.
    things
        The numbers of the page.
    general
        Words that alone say nothing of a number.
    """

    def __init__(self, part: Part, number: Stated, things: Things, general: Words) -> None:
        self.part, self.number, self.things, self.general = part, number, things, general
        #: The numbers of the page that it may state.
        self.candidates = things.of(number)
        #: The other numbers of the sentence.
        self.beside: list[View] = []

    @cached_property
    def line(self) -> int:
        """Its line in the note."""
        return self.part.sentence.place_of(self.number.start)[0]

    @cached_property
    def is_plain(self) -> bool:
        """Whether it is no multiple, ordinal or day of a month."""
        return not self._is_day and any(number is self.number for number in self.part.numbers)

    @cached_property
    def _is_day(self) -> bool:
        """Whether it is the day of a date: *31 December*, *December 31*."""
        month = self.part.lexicon.pattern("dates", "months")
        text, number = self.part.sentence.text, self.number
        ahead = re.compile(rf"{month}\s$", re.IGNORECASE).search(text, 0, number.start)
        behind = re.compile(rf"\s{month}\b", re.IGNORECASE).match(text, number.end)
        return bool(ahead or behind)

    @cached_property
    def is_length(self) -> bool:
        """Whether it is a length of a shape: *11 by 11*, *(6, 4)*, *12-dimensional*."""
        text, lexicon = self.part.sentence.text, self.part.lexicon
        before = text[: self.number.start]
        length = role_pattern(lexicon, r"\s*{}\s*(?:\d|[a-zA-Z]\b)|-[a-z]", "lengths")
        if length.match(text, self.number.end):
            return True
        if role_pattern(lexicon, r"[\da-zA-Z]\s*\b{}\s*$", "lengths").search(before):
            return True
        ahead, behind = _TUPLE_BEFORE.search(before), _TUPLE.match(text, self.number.end)
        return bool(ahead and behind and "," in ahead[0] + behind[0])

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
        referring = role_pattern(self.part.lexicon, r"\b{}\s$", "referring")
        return bool(referring.search(self.part.sentence.text[: self.number.start]))

    @cached_property
    def is_of_several(self) -> bool:
        """Whether it may be the number of several things together: *the cost is 9 in all*."""
        totals = role_pattern(self.part.lexicon, r"\b{}\b", "totals")
        return bool(totals.search(self.part.sentence.text))

    @cached_property
    def is_whole(self) -> bool:
        """Whether another number is a part of it: *263 of its 350*."""
        of = self.part.lexicon.pattern("grammar", "of")
        its = self.part.lexicon.pattern("roles", "possessive")
        before = self.part.sentence.text[: self.number.start]
        return bool(re.search(rf"\d\S*\s{of}\s(?:{its}\s)?$", before))

    @cached_property
    def is_count(self) -> bool:
        """Whether it is an integer in the text and on the page."""
        return "." not in self.number.digits and any(
            candidate.is_whole for candidate in self.candidates
        )

    @cached_property
    def is_rough(self) -> bool:
        """Whether it has two digits, and is only the rounding of numbers of the page."""
        stated = self.number
        exact = (exact_fraction(value) for thing in self.candidates for value in thing.values)
        return significant_digits(stated) < _SURE and not any(
            value == stated.value * scale for value in exact for scale in stated.scales
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
        labels = (self.things.labels(token.word) for token in self._tokens)
        return self.things.known_by(Words().union(*labels))

    @cached_property
    def _tokens(self) -> list[Token]:
        """The words and numbers around it."""
        number = self.number
        return [t for t in self.part.tokens if not number.start <= t.start < number.end]

    @cached_property
    def _stops(self) -> list[int]:
        lists = "joining", "contrasting", "concluding", "dependent", "comparing"
        ends = clause_end(self.part.lexicon, *lists)
        return [found.start() for found in ends.finditer(self.part.sentence.text)]

    @cached_property
    def _keys(self) -> list[Token]:
        """The words before it that are labels of rows."""
        things = self.things
        before = [token for token in self._tokens if token.start < self.number.start]
        return [token for token in before if things.labels(token.word) & things.keys]

    def has(self, word: str) -> bool:
        """Return whether a word of the page is in the clause of the number, or in one beside it."""
        return any(
            word in self.things.labels(token.word) and self._far(token)[0] < 2
            for token in self._tokens
        )

    @cached_property
    def _narrowed(self) -> re.Pattern[str]:
        """A pattern of the word between an article and a label."""
        article = self.part.lexicon.pattern("grammar", "articles")
        its = self.part.lexicon.pattern("roles", "possessive")
        return re.compile(rf"\b(?:{article}|{its})\s([^\W\d_]{{3,}})\s$", re.IGNORECASE)

    def is_narrowed(self, rival: Thing) -> bool:
        """Return whether another word may narrow the label of a number: *the yearly cost*."""
        text = self.part.sentence.text
        for token in self._tokens:
            if self.things.labels(token.word) & rival.words:
                found = self._narrowed.search(text[: token.start])
                if found and not self.things.akin(word_of(found[1], self.part.lexicon)):
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
        labels = self.things.labels(token.word)
        return any(
            labels & thing.words
            for other in self.beside
            if not set(other.candidates) & set(self.candidates)
            for thing in other.candidates
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
                if word not in self.things.labels(token.word):
                    continue
                if word in thing.keys and self._is_of_row(token):
                    best = _SAME
                elif not self._is_explained(token, but):
                    share = 1.0 if self._is_nearest(token) else _OF_ANOTHER
                    best = max(best, self._near(token) * share)
            is_telling = word[0] not in "#@" and word not in self.general
            telling |= is_telling and best > 0
            total += best if is_telling else best / 2
        return min(total, _MOST_WORDS) if telling else min(total, 1.0) / 2

    def fits(self, thing: Thing, words: Words, other: Thing) -> float:
        """Return how well a thing fits by its words and unit, if another one may be meant."""
        total = min(self.fit(words, thing, thing), _MOST_EXCHANGED)
        differ = self.unit and thing.units != other.units
        return total + _UNIT * bool(differ and self.unit in thing.units)

    def may_fit(self, words: Words) -> float:
        """Return how well words fit, some of which the text may have in another form."""
        again = any(set(other.candidates) & set(self.candidates) for other in self.beside)
        total = 0.0
        for word in words:
            total += max(
                (
                    self._near(token)
                    for token in self._tokens
                    if word in self.things.akin(token.word)
                    if self._is_nearest(token) or not (again or self._is_explained(token))
                ),
                default=0.0,
            )
        return total
