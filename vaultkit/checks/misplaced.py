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
from fractions import Fraction
from itertools import combinations

from vaultkit.checks.assigned import Part
from vaultkit.checks.check import Contradiction
from vaultkit.checks.labelled import LabelledNumbers, Words, word_of
from vaultkit.checks.lookup import exact_fraction
from vaultkit.checks.things import Thing, Things
from vaultkit.checks.views import View
from vaultkit.claims.attributions import is_apart, is_difference
from vaultkit.claims.clauses import words_of_clauses
from vaultkit.claims.mentions import Sentence, cell_sentences
from vaultkit.claims.stated import Stated, significant_digits
from vaultkit.read.note import Note

#: A label of a row counts if it belongs to a number more closely than this.
_CLOSE = 0.5
#: The least score of the words, and of all evidence together.
_LEAST, _ENOUGH = 0.7, 2.4
#: What else speaks for another number: that the text states it nowhere, that it states this one
#: elsewhere, that all words of a label are there, that both numbers are in one output, that the
#: unit is not that of this number; and that both differ only in their rows.
_CLUE, _SIBLING = 0.5, 1.0
#: The least gain by an exchange, and the weight of one output or line.
_EXCHANGED, _TOGETHER = 1.6, 0.25
#: How much of a label the text must have at least.
_COVERED = 0.6
#: How much a number of one digit may differ from the one that it states.
_ROUGH = Fraction(1, 20)
#: Two numbers of other sizes are hardly confused.
_RATIO = 100
#: In a message, it joins what the page has of the number that the text leaves out, and what it has
#: of the stated number.
_LEFT_OUT = ", which the text does not state; "
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
            for sentence in every
            for number in sentence.numbers
            if not number.bounds and not number.times
            for thing in self.things.of(number)
            if significant_digits(number) > 1 or _is_close(number, thing)
        )
        views: list[View] = []
        for sentence in sentences:
            part = Part(sentence, self.lexicon)
            all_views = [View(part, n, self.things, self.general) for n in sentence.numbers]
            for view in all_views:
                view.beside = [other for other in all_views if other is not view]
            plain = [view for view in all_views if view.is_plain and not view.number.bounds]
            plain = [view for view in plain if view.candidates]
            views += plain
            for view in plain:
                if why := self._why_replaced(view):
                    yield Contradiction.of_number(view.part.sentence, view.number, why)
            for one, other in combinations(plain, 2):
                if why := self._why_exchanged(one, other):
                    yield Contradiction.of_number(one.part.sentence, one.number, why)
        for view, why in self._eliminated(note, views):
            yield Contradiction.of_number(view.part.sentence, view.number, why)

    def _why_replaced(self, view: View) -> str:
        """Return which number the words around that of ``view`` belong to; empty if in doubt."""
        if significant_digits(view.number) < 2 or view.is_length or view.is_rough:
            return ""
        repeated = self._is_repeated(view)
        sentence = view.part.sentence
        if is_apart(sentence, view.clause) or is_difference(sentence, view.number):
            return ""
        if view.is_of_several or view.is_whole:
            return ""
        best, found = 0.0, None
        for rival in view.named:
            if not self._may_be_meant(view, rival):
                continue
            cover = max(sum(map(view.has, label)) / len(label) for label in rival.labels)
            if cover < _COVERED or (cover < 1 and self._is_ambiguous(view, rival)):
                continue
            score = min(_fit(view, thing, rival, repeated) for thing in view.candidates)
            if score < _LEAST:
                continue
            is_named = cover == 1 and not view.is_narrowed(rival)
            score += _CLUE * (repeated + self._is_left_out(rival) + is_named)
            if score > best:
                best, found = score, rival
        return self._why(view.candidates[0], found) if found and best >= _ENOUGH else ""

    def _may_be_meant(self, view: View, rival: Thing) -> bool:
        """Return whether the text may have meant ``rival`` where it has the number of ``view``.

        They must be alike in kind, size, unit and noun, and the text must not state ``rival`` in
        the same sentence.
        """
        if rival in view.candidates or any(rival in other.candidates for other in view.beside):
            return False
        if (
            not rival.is_long
            or rival.is_whole != view.is_count
            or not _is_near(view.candidates, rival)
        ):
            return False
        if view.unit and rival.units and view.unit not in rival.units:
            return False
        noun = self.things.labels(view.noun) if view.is_count and view.noun else Words()
        return not noun or bool(noun & rival.words)

    def _is_ambiguous(self, view: View, rival: Thing) -> bool:
        """Return whether the words of a number in the text are also those of a third number."""
        said = Words(filter(view.has, rival.words))
        others = (thing for thing in self.things.known_by(said) if thing.values != rival.values)
        return any(said <= thing.words for thing in others if thing not in view.candidates)

    def _why_exchanged(self, one: View, other: View) -> str:
        """Return why two numbers of a sentence are exchanged; empty if they are not."""
        if one.number.value == other.number.value:
            return ""
        if min(significant_digits(one.number), significant_digits(other.number)) < 1:
            return ""
        values = [view.number.value for view in (*one.beside, *other.beside)]
        if len(values) > 2 and any(values.count(v.number.value) > 1 for v in (one, other)):
            return ""
        if words_of_clauses(self.lexicon, "following").search(one.part.sentence.text):
            return ""
        why = ""
        for mine in one.candidates:
            for its in other.candidates:
                if any(view.unit and not (mine.units | its.units) for view in (one, other)):
                    return ""
                if mine in other.candidates or its in one.candidates:
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
            shown = [thing for thing in self.things.every if first <= thing.line <= end]
            below = [v for v in views if end < v.line < following and v.number.digits]
            if below and 0 < len({thing.values for thing in shown}) <= _FEW:
                for view in below:
                    if why := self._why_eliminated(view, below, shown):
                        yield view, why

    def _why_eliminated(self, view: View, below: Sequence[View], shown: Sequence[Thing]) -> str:
        """Return why another number belongs here; empty if in doubt.

        It must be the only one of the form of ``view`` that the text below an output leaves out,
        and be due here by the order of the output. ``below`` are the numbers of that text, and
        ``shown`` those of the output.
        """
        if significant_digits(view.number) < 2 or not self._is_repeated(view) or view.is_length:
            return ""
        if self._alike.search(view.part.sentence.text):
            return ""
        left = [thing for thing in shown if self._is_left_out(thing)]
        if len(left) > 1 and len(left) * _SHARE > len(shown):
            return ""
        fitting = self._fitting(view, shown)
        if len({thing.values for thing in fitting}) != 1:
            return ""
        others = [v for v in below if any(thing in shown for thing in v.candidates)]
        if not others or (
            all({*v.candidates} & {*view.candidates} for v in others) and others[-1].is_reference
        ):
            return ""
        places = [[shown.index(t) for t in v.candidates if t in shown] for v in below]
        at = next(index for index, other in enumerate(below) if other is view)
        before = [found[0] for found in places[:at] if len(found) == 1]
        behind_it = [found[0] for found in places[at + 1 :] if len(found) == 1]

        def is_in_order(place: int) -> bool:
            return (not before or before[-1] < place) and (not behind_it or place < behind_it[0])

        rival = fitting[0]
        if not (before or behind_it) or not is_in_order(shown.index(rival)):
            return ""
        if any(is_in_order(place) for place in places[at]):
            return ""
        if not all(thing.words or thing in shown for thing in view.candidates):
            return ""
        if any(view.may_fit(thing.words - rival.words) for thing in view.candidates):
            return ""
        return self._why(view.candidates[0], rival, _LEFT_OUT)

    def _fitting(self, view: View, shown: Sequence[Thing]) -> list[Thing]:
        """Return the numbers of an output that a text leaves out, of the form of its number."""
        return [
            thing
            for thing in shown
            if self._is_left_out(thing)
            if thing.is_long and thing.is_whole == view.is_count
            if _is_near(view.candidates, thing)
            if not (view.unit and thing.units and view.unit not in thing.units)
            if not (view.unit == "%" and not thing.units and abs(thing.values[0]) > 1)
        ]

    def _said(self, thing: Thing, other: Thing) -> str:
        """Return where the page has a number, and those of its words that another one lacks."""
        label = thing.labels[0] if thing.labels else Words()
        label = label - other.words or label
        return f"{thing.source} has {f'{self._text_of(label)} {thing.values[0]:.6g}'.strip()}"

    def _why(self, stated: Thing, rival: Thing, joining: str = ", and ") -> str:
        """Return what the page has of the number that a text states, and of the one that is due."""
        return f"{self._said(rival, stated)}{joining}{self._said(stated, rival)}"

    def _is_left_out(self, thing: Thing) -> bool:
        """Return whether the text does not state a number."""
        return not self._stated[thing]

    def _is_repeated(self, view: View) -> bool:
        """Return whether the text states a number elsewhere, too."""
        return any(self._stated[thing] > 1 for thing in view.candidates)


def _fit(view: View, stated: Thing, rival: Thing, repeated: bool) -> float:
    """Return how much better another number fits than one that agrees with the text."""
    if not stated.words:
        return 0.0
    for_rival = view.fit(rival.words - stated.words, rival)
    for_own = view.may_fit(stated.words - rival.words)
    if for_rival < _LEAST:
        return 0.0
    is_odd = bool(view.unit and stated.units and view.unit not in stated.units)
    is_row = repeated and not for_own and stated.is_sibling(rival)
    is_row = is_row and view.fit(rival.keys - stated.keys, rival) > _CLOSE
    clues = is_odd + bool(stated.groups & rival.groups)
    return for_rival - for_own + _CLUE * clues + _SIBLING * is_row


def _is_close(number: Stated, thing: Thing) -> bool:
    """Return whether a number of one digit is nearly that of the page: *one* does not state 0.7."""
    values = [exact_fraction(value) for value in thing.values]
    return any(
        abs(number.value * scale - value) <= abs(value) * _ROUGH
        for scale in number.scales
        for value in values
    )


def _is_near(things: Sequence[Thing], rival: Thing) -> bool:
    """Return whether one of some numbers has about the size of another one."""
    return any(
        not a or not b or 1 / _RATIO <= abs(a / b) <= _RATIO
        for thing in things
        for a in thing.values
        for b in rival.values
    )
