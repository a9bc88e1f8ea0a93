"""Contradicts a number that the text says is one thing, and the page shows as another.

*Who stays wins 67.05 %* is contradicted by the output ``stay 0.3295, switch 0.6705``: the sentence
names one of two labels, and has the number of the other. A number is contradicted only if
everything with its label has another value; cases in doubt are left to the other checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from vaultkit.checks import multiples, ranking
from vaultkit.checks.assigned import Assigned
from vaultkit.checks.check import EXCEPTED, FAILS, FOUND, HOLDS, Check, Contradiction
from vaultkit.checks.dates import wrong_weekdays
from vaultkit.checks.facts import Fact, Facts
from vaultkit.checks.keyed import Keyed
from vaultkit.checks.labelled import LabelledNumbers
from vaultkit.checks.series import SeriesOfPage
from vaultkit.checks.stated import shortened
from vaultkit.claims.attributions import (
    subject_stems,
    words_behind,
)
from vaultkit.claims.lexicon import lexicon
from vaultkit.claims.mentions import Sentence, label_stems, sentences, stem
from vaultkit.claims.stated import Stated, significant_digits
from vaultkit.read.note import Block, Note
from vaultkit.run.steps import Step

#: The least number of digits that hardly agree by chance, in a known unit and in another one.
_TELLING, _SURE = 2, 3
#: Most values of a label; one with more means nothing in particular.
_FEW = 3


class Roles:
    """Judges what the sentences of a note say its numbers are.

    Parameters
    ----------
    note
        The note.
    """

    def __init__(self, note: Note) -> None:
        self.lexicon = lexicon(str(note.meta.get("lang") or "en"))
        self.note = note
        self.facts = Facts(note, self.lexicon)
        self.labelled = LabelledNumbers(self.lexicon)
        self.keyed = Keyed(self.lexicon)
        self.series = SeriesOfPage(self.lexicon)

    def rebase(self, note: Note) -> None:
        """Rebase onto an edited note whose text is the same up to the last block observed."""
        self.note = note
        self.facts.rebase(note)

    def observe(self, block: Block, steps: list[Step], variables: Mapping[str, Any]) -> None:
        """Collect what a block prints, and the variables that it leaves."""
        self.facts.observe(block, steps, variables)
        # A name with an underscore in front is for the code alone: no text is about its value.
        public = {name: value for name, value in variables.items() if not name.startswith("_")}
        self.labelled.observe(block, steps, public)
        self.keyed.observe(block, steps, public)
        self.series.observe(steps, public)

    def contradictions(self) -> dict[tuple[int, int], Contradiction]:
        """Return the numbers, words and dates of the text that the page contradicts, by place."""
        by_place: dict[tuple[int, int], Contradiction] = {}
        for contradiction in self._contradictions():
            # If there are several reasons, the last is reported; those of labels come last.
            by_place[contradiction.place] = contradiction
        return by_place

    def _contradictions(self) -> Iterator[Contradiction]:
        """Yield all contradictions; a place may have several."""
        yield from wrong_weekdays(self.note, self.lexicon)
        facts = list(self.facts.facts)
        if not self.labelled.has_any and not facts:
            return
        every = list(sentences(self.note, self.lexicon))
        yield from ranking.contradictions(self.note, self.keyed.tables, self.lexicon)
        yield from self.series.contradictions(self.note, every)
        yield from self.keyed.contradictions(self.note, every)
        tables = [*self.keyed.tables, *self.keyed.numbers]
        yield from multiples.contradictions(self.note, tables, self.lexicon)
        yield from Assigned(self.labelled).contradictions(self.note, every)
        for sentence in every:
            for number in sentence.numbers:
                if number.bounds or number.times:
                    continue
                if why := self._of_fact(sentence, number, facts):
                    yield Contradiction.of_number(sentence, number, why)

    def _of_fact(self, sentence: Sentence, number: Stated, facts: Sequence[Fact]) -> str:
        """Return the value of *the mean* in *the mean is 37*, if it differs."""
        words = subject_stems(sentence, number)
        label = frozenset(words)
        named = self._facts_of_label(label, facts)
        if not named:
            return ""
        if self._has_value(number, named) or len({fact.value for fact in named}) > _FEW:
            return ""
        units = words_behind(sentence, number)
        others = self._facts_of_number(number, units, [f for f in facts if f not in named])
        # Where the page shows no units, that of a sentence says nothing.
        is_bare = not any(fact.unit for fact in facts)
        is_known = is_bare or self._has_unit(units, named + others)
        if not others or significant_digits(number) < (_TELLING if is_known else _SURE):
            return ""
        written = {word.stem: sentence.text[word.start : word.end] for word in sentence.words}
        name = " ".join(written.get(word, word) for word in words)
        what = f"{name} is {shortened(named[0].value)} ({named[0].source})"
        return f"{what}, and this is another number ({others[0].source})"

    def _facts_of_label(self, label: frozenset[str], facts: Sequence[Fact]) -> list[Fact]:
        """Return the facts that a label names; none for an empty or general one."""
        if not label or (len(label) == 1 and label <= self._general):
            return []
        return [f for f in facts if f.functions <= label <= f.label]

    def _has_value(self, number: Stated, named: Sequence[Fact]) -> bool:
        """Return whether one of some facts has the value of a number; a loss may be negative."""
        values = {fact.value for fact in named}
        sizes = {abs(f.value) for f in named if f.value < 0 and f.label & self._losses}
        return any(map(number.agrees, values | sizes))

    def _facts_of_number(
        self, number: Stated, units: Sequence[str], facts: Sequence[Fact]
    ) -> list[Fact]:
        """Return the facts that have the value of a number, and not another unit; no measures."""
        measures = label_stems(" ".join(self.lexicon.words["roles"]["measures"]), self.lexicon)
        return [
            f
            for f in facts
            if number.agrees(f.value) and not f.label & measures
            if not (units and f.unit) or self._has_unit(units, [f])
        ]

    def _has_unit(self, units: Sequence[str], facts: Sequence[Fact]) -> bool:
        """Return whether a number has no unit, or one in which the page shows such facts."""
        if not units:
            return True
        known = {word for fact in facts for word in fact.unit.split()}
        if units[0] == "%":
            return "%" in known or all(abs(fact.value) <= 1 for fact in facts)
        return bool({*units, *(stem(unit, self.lexicon) for unit in units)} & known)

    @cached_property
    def _losses(self) -> frozenset[str]:
        """Words for a size that a negative number may have: *the loss is 3* beside −3."""
        words = self.lexicon.words["signs"]
        return frozenset(stem(word, self.lexicon) for word in (*words["down"], *words["apart"]))

    @cached_property
    def _general(self) -> frozenset[str]:
        words = self.lexicon.words["roles"]["general"]
        return frozenset(stem(word, self.lexicon) for word in words)


def with_contradictions(
    numbers: Iterable[Check], contradictions: Mapping[tuple[int, int], Contradiction]
) -> Iterator[Check]:
    """Yield the checks of the numbers of a note, and a failure for each contradiction.

    A contradiction replaces the check of its place, unless the number is proven, excepted or wrong
    anyway.
    """
    left = dict(contradictions)
    for check in numbers:
        contradiction = left.get((check.line, check.column))
        is_proven = check.outcome == HOLDS and check.scope != FOUND
        if not contradiction or is_proven or check.outcome in (EXCEPTED, FAILS):
            left.pop((check.line, check.column), None)
            yield check
    for contradiction in left.values():
        line, column = contradiction.place
        what = contradiction.what
        yield Check("number", line, what, FAILS, f"{what}: {contradiction.why}", column)
