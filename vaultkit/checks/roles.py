"""Contradicts a number that the text says is one thing, and the page shows as another.

*Who stays wins 67.05 %* is contradicted by the output ``stay 0.3295, switch 0.6705``: the sentence
names one of two labels, and has the number of the other. A number is contradicted only if
everything with its label has another value; cases in doubt are left to the other checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from vaultkit.checks import multiples, ranking
from vaultkit.checks.assigned import Assigned
from vaultkit.checks.check import EXCEPTED, FAILS, FOUND, HOLDS, Check, Contradiction
from vaultkit.checks.dates import Dates
from vaultkit.checks.facts import Fact, Facts
from vaultkit.checks.keyed import Keyed
from vaultkit.checks.labelled import LabelledNumbers
from vaultkit.checks.measures import Measures
from vaultkit.checks.series import SeriesOfPage
from vaultkit.checks.stated import is_slip, shortened
from vaultkit.checks.wholes import Wholes
from vaultkit.claims.attributions import (
    counted_noun,
    is_copula,
    opens_paragraph,
    possession_stems,
    subject_stems,
    words_behind,
)
from vaultkit.claims.lexicon import lexicon
from vaultkit.claims.mentions import Sentence, label_stems, sentences, stem
from vaultkit.claims.stated import Stated, significant_digits
from vaultkit.claims.units import differ_in_prefix
from vaultkit.read.note import Block, Note
from vaultkit.run.steps import Step

#: The least number of digits that hardly agree by chance, and of those in which a slip is certain.
_TELLING, _SURE = 2, 3
#: Most values of a label; one with more means nothing in particular.
_FEW = 3
_TOP = 10


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
        self.measures = Measures(self.lexicon)
        self.dates = Dates(self.lexicon)
        self.wholes = Wholes(self.lexicon)
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
        self.dates.observe(block, steps, variables)
        # A name with an underscore in front is for the code alone: no text is about its value.
        public = {name: value for name, value in variables.items() if not name.startswith("_")}
        self.measures.observe(block, steps, public)
        self.wholes.observe(public)
        self.labelled.observe(block, steps, public)
        self.keyed.observe(block, steps, public)
        self.series.observe(steps, public)

    def contradictions(self) -> dict[tuple[int, int], Contradiction]:
        """Return the numbers, words and dates of the text that the page contradicts, by place."""
        by_place: dict[tuple[int, int], Contradiction] = {}
        for contradiction in self._contradictions():
            # If there are several reasons, the last is reported; those of labels come last.
            known = by_place.get(contradiction.place, contradiction)
            in_wrong_unit = contradiction.in_wrong_unit or known.in_wrong_unit
            by_place[contradiction.place] = replace(contradiction, in_wrong_unit=in_wrong_unit)
        return by_place

    def _contradictions(self) -> Iterator[Contradiction]:
        """Yield all contradictions; a place may have several."""
        yield from self.dates.contradictions(self.note)
        facts = list(self.facts.facts)
        if not self.labelled.has_any and not facts:
            return
        every = list(sentences(self.note, self.lexicon))
        yield from ranking.contradictions(self.note, self.keyed.tables, self.lexicon)
        yield from self.wholes.contradictions(self.note, every)
        yield from self.series.contradictions(self.note, every)
        yield from self.measures.contradictions(self.note, every)
        yield from self.keyed.contradictions(self.note, every)
        tables = [*self.keyed.tables, *self.keyed.numbers]
        yield from multiples.contradictions(self.note, tables, self.lexicon)
        yield from Assigned(self.labelled).contradictions(self.note, every)
        for sentence in every:
            for number in sentence.numbers:
                if number.bounds or number.times:
                    continue
                why = self._of_fact(sentence, number, facts)
                why = why or self._of_count(sentence, number, facts)
                if why:
                    yield Contradiction.of_number(sentence, number, why)

    def _of_fact(self, sentence: Sentence, number: Stated, facts: Sequence[Fact]) -> str:
        """Return the value of *the mean* in *the mean is 37*, if it differs."""
        subject = subject_stems(sentence, number)
        words = subject or possession_stems(sentence, number)
        label = frozenset(words)
        named = self._facts_of_label(label, facts)
        if not named:
            return ""
        written = {word.stem: sentence.text[word.start : word.end] for word in sentence.words}
        name = " ".join(written.get(word, word) for word in words)
        what = f"{name} is {shortened(named[0].value)} ({named[0].source})"
        units = words_behind(sentence, number)
        if self._has_value(number, named):
            other = self._of_other_unit(number, units, named)
            return f"{what} {other}" if other else ""
        if len({fact.value for fact in named}) > _FEW:
            return ""
        others = self._facts_of_number(number, units, [f for f in facts if f not in named])
        # Where the page shows no units, that of a sentence says nothing.
        is_bare = bool(subject) and not any(fact.unit for fact in facts)
        is_known = is_bare or self._has_unit(units, named + others)
        if others and significant_digits(number) >= (_TELLING if is_known else _SURE):
            return f"{what}, and this is another number ({others[0].source})"
        has_other_unit = any(fact.unit for fact in named) and not self._has_unit(units, named)
        if has_other_unit or not is_copula(sentence, number):
            return ""
        is_alone = bool(subject) and is_known and all(fact.label == label for fact in named)
        is_alone = is_alone and opens_paragraph(sentence, number)
        return what if _is_surely_wrong(number, named, is_alone=is_alone) else ""

    def _facts_of_label(self, label: frozenset[str], facts: Sequence[Fact]) -> list[Fact]:
        """Return the facts that a label names; none for an empty or general one."""
        if not label or (len(label) == 1 and label <= self._general):
            return []
        return [f for f in facts if f.functions <= label <= f.label and "length" not in f.source]

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

    def _of_other_unit(self, number: Stated, units: Sequence[str], named: Sequence[Fact]) -> str:
        """Return the unit of a number in an output, if the text has it with another prefix."""
        shown = {fact.unit for fact in named if fact.unit and number.value == fact.value}
        if len(units) != 1 or len(shown) != 1:
            return ""
        (unit,) = shown
        if any(units[0] in fact.label for fact in named):
            return ""
        return unit if differ_in_prefix(units[0], unit) else ""

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

    def _of_count(self, sentence: Sentence, number: Stated, facts: Sequence[Fact]) -> str:
        """Return the number of *steps* in *it takes 6 steps*, if it differs."""
        if number.value.denominator != 1 or number.value < 2 or not _is_plain(number):
            return ""
        counted = counted_noun(sentence, number)
        if counted is None:
            return ""
        labels = [label for label in counted.labels if label and not label <= self._general]
        # What a later output counts may be something else: *16 such Fridays*.
        at = sentence.place_of(number.start)[0]
        named = [f for f in facts if f.counts and f.label in labels and f.line < at]
        shown = any(fact.line for fact in named)
        if not shown and not (
            counted.takes and all(f.source.startswith("variable") for f in named)
        ):
            return ""
        values = {fact.value for fact in named}
        if len(values) != 1 or number.value in values:
            return ""
        return f"{named[0].source}: {shortened(named[0].value)}"


def with_contradictions(
    numbers: Iterable[Check], contradictions: Mapping[tuple[int, int], Contradiction]
) -> Iterator[Check]:
    """Yield the checks of the numbers of a note, and a failure for each contradiction.

    A contradiction replaces the check of its place, unless the number is proven, excepted or wrong
    anyway. One that is proven in another unit is contradicted nevertheless.
    """
    left = dict(contradictions)
    for check in numbers:
        contradiction = left.get((check.line, check.column))
        is_proven = check.outcome == HOLDS and check.scope != FOUND
        is_proven = is_proven and not (contradiction and contradiction.in_wrong_unit)
        if not contradiction or is_proven or check.outcome in (EXCEPTED, FAILS):
            left.pop((check.line, check.column), None)
            yield check
    for contradiction in left.values():
        line, column = contradiction.place
        what = contradiction.what
        yield Check("number", line, what, FAILS, f"{what}: {contradiction.why}", column)


def _is_surely_wrong(number: Stated, named: Sequence[Fact], *, is_alone: bool) -> bool:
    """Return whether a number, which differs from some facts, surely states their value.

    The facts must have one value, perhaps rounded. The number is small, as this value is; or
    differs by a slip; or has some digits and opens a paragraph about nothing else (``is_alone``).
    """
    values = {fact.value for fact in named}
    value = named[0].value
    if not all(_is_same(value, one) for one in values):
        return False
    are_integers = number.value.denominator == value.denominator == 1
    are_small = are_integers and abs(number.value) < _TOP and abs(value) < _TOP
    if len(values) == 1 and are_small and _is_plain(number):
        return True
    digits = significant_digits(number)
    is_wrong_by_slip = digits >= _SURE and any(is_slip(number, one) for one in values)
    return is_wrong_by_slip or (is_alone and digits >= _TELLING)


def _is_plain(number: Stated) -> bool:
    """Return whether a number has no unit or scale."""
    return len(set(number.scales)) == 1 and not number.sign


def _is_same(first: Fraction, second: Fraction) -> bool:
    """Return whether one number is the rounding of another, or its share in per cent."""
    return any(
        abs(a - b * scale) * 2 <= Fraction(1, 10 ** _decimals(shorter))
        for scale in (1, 100)
        for a, b in ((first, second), (second, first))
        for shorter in (a, b * scale)
    )


def _decimals(number: Fraction) -> int:
    return next((n for n in range(16) if (number * 10**n).denominator == 1), 16)
