"""A sentence as the search for conditions sees it: its clauses, and what each part names."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from vaultkit.claims.clauses import words_of_clauses
from vaultkit.claims.comparisons import ComparisonWord, contradiction
from vaultkit.claims.relations import relation
from vaultkit.claims.stated import Stated
from vaultkit.edit.bind_beside import numbers_of, unit_or_noun
from vaultkit.edit.bind_compared import end_of_statement
from vaultkit.edit.bind_numbers import PLACES, Reading
from vaultkit.edit.expressions import NAMELESS
from vaultkit.edit.families import Family
from vaultkit.edit.kinds import is_multiple, is_percent
from vaultkit.edit.sentences import Candidate, Page, Passage, is_alone
from vaultkit.edit.wording import NAMED, overlap, says_label, stems

#: What a family's names in the sentence are worth, and an adjective of its dimension.
_NAMED, _OF_DIMENSION = 1.0, 0.8
#: What one is worth of which the sentence says the dimension, as *speed* of km/h.
_MENTIONED = 0.5
#: What one is worth that the words right behind the comparison name, as in *more flour*; and what
#: each variable costs that the sentence does not name.
_NOUN, _UNSAID, _MOST_UNSAID = 0.5, 0.2, 0.6
#: What it is worth that a capital letter is the initial of a word: the energies ``E``.
_INITIAL = 0.2
#: How far the evidence for two families may be apart if both may be meant.
_CLOSE = 0.15
#: The dimension of adjectives that may be said of any quantity, such as *larger*.
_ANY = "size"
#: The dimension of adjectives that are said of a number of things.
_COUNT = "count"
#: Fewest letters of a name that is short for a dimension.
_SHORT = 3
_WORD = re.compile(r"[^\W_]+(?:[.,]\d+)?")


@dataclass(frozen=True)
class Word:
    """A word with its candidates, at its place in the text."""

    start: int
    end: int
    candidates: list[Candidate]
    states: bool


@dataclass(frozen=True)
class Side:
    """An expression that one side of a comparison may mean."""

    code: str
    value: float
    #: The unit of the number in the sentence.
    unit: str


class BoundNumber(NamedTuple):
    """A number of the sentence that is bound to an expression: its place, and the expression."""

    start: int
    end: int
    side: Side


@dataclass(frozen=True)
class Mention:
    """A place where a sentence says the label of an element."""

    start: int
    end: int
    index: int
    #: Whether the label is a word, and no number or place.
    is_text: bool = True


class Scope:
    """A sentence, its numbers, and the expressions that it may name.

    Parameters
    ----------
    page
        The note.
    sentence
        The sentence.
    readings
        Its numbers with their candidates.
    """

    def __init__(self, page: Page, sentence: Passage, readings: Sequence[Reading]) -> None:
        self.page = page
        self.sentence = sentence
        self.text = sentence.piece.text
        self.readings = readings
        self.pool = page.pool(sentence.line)
        self.numbers = [a for a in self.pool if not isinstance(a.value, str)]
        #: The numbers of the sentence that are bound to an expression.
        self.bound_numbers = list(self._bound_numbers())
        #: The expressions to which they are bound.
        self.bound_codes = {number.side.code for number in self.bound_numbers}
        #: Where the numbers of the sentence begin.
        self.starts = [stated.start for stated, _ in readings]
        #: The numbers of the sentence, bound or not.
        self.stated = numbers_of(dict(readings), sentence)
        self._mentions: dict[str, list[Mention]] = {}

    def _bound_numbers(self) -> Iterator[BoundNumber]:
        """Yield the numbers in digits that are bound to an atom, or to a difference of two."""
        for stated, candidates in self.readings:
            if not stated.digits or not is_alone(candidates) or not candidates[0].sure:
                continue
            value = _value(candidates[0])
            if value is not None:
                side = Side(candidates[0].code, value, unit_or_noun(self.text, stated))
                yield BoundNumber(stated.start, stated.end, side)

    def agrees(self, spoken: ComparisonWord, code: str) -> bool:
        """Return whether the words before a condition do not contradict it."""
        tree = ast.parse(code, mode="eval").body
        before = self.text[self.sentence.start : spoken.end]
        behind = self.text[spoken.end : self.sentence.end]
        return not contradiction(before, relation(tree), self.page.words, behind)

    def decides(self, spoken: ComparisonWord, code: str) -> bool:
        """Return whether the word would contradict a condition if that were turned round."""
        return self.agrees(spoken, code) and not self.agrees(spoken, turned(code))

    # --- Parts of the sentence -----------------------------------------------------------------

    def clause(self, at: int) -> tuple[int, int]:
        """Return where the clause around a place begins and ends."""
        another = words_of_clauses(self.page.words, "joining", "contrasting", "concluding")
        clause_end = re.compile(rf"[;:]|, {another.pattern}", re.IGNORECASE)
        stops = [stop.end() for stop in clause_end.finditer(self.text, self.sentence.start, at)]
        stop = clause_end.search(self.text, at, self.sentence.end)
        end = stop.start() if stop else self.sentence.end
        return stops[-1] if stops else self.sentence.start, end

    def part(self, at: int) -> tuple[int, int]:
        """Return where the part of a sentence around a place begins and ends: *and* is an end."""
        start, end = self.clause(at)
        statement_end = end_of_statement(self.page.words)
        stops = [stop.end() for stop in statement_end.finditer(self.text, start, at)]
        stop = statement_end.search(self.text, at, end)
        return stops[-1] if stops else start, stop.start() if stop else end

    def gap(self, spoken: ComparisonWord) -> Stated | None:
        """Return the number by which something is more or less: *43 more runs*, *5 days longer*.

        It may be behind *by*: *spelt outweighs rye by 50 g*.
        """
        _, end = self.clause(spoken.start)
        if by := self.page.words.regex(r"\b<roles.by>\s").search(self.text, spoken.end, end):
            for stated, _ in self.readings:
                if stated.start == by.end() and not (is_percent(stated) or is_multiple(stated)):
                    return stated
        for stated, _ in self.readings:
            between = self.text[stated.end : spoken.start]
            if stated.end <= spoken.start and re.fullmatch(r"\s?(?:[^\W\d]+\s)?", between):
                return None if is_percent(stated) or is_multiple(stated) else stated
        return None

    # --- Families ------------------------------------------------------------------------------

    @property
    def families(self) -> list[Family]:
        """The families of numbers and texts that can be evaluated here."""
        return self.page.families(self.sentence.line)

    @property
    def all_families(self) -> list[Family]:
        """The families with those that are multiples of others: a bound may be for either."""
        return self.page.families(self.sentence.line, distinct=False)

    @cached_property
    def _words(self) -> list[tuple[frozenset[str], int, int]]:
        """The words of the sentence as stems, with their places."""
        matches = _WORD.finditer(self.text, self.sentence.start, self.sentence.end)
        return [(stems(match[0], spoken=True), match.start(), match.end()) for match in matches]

    def mentions(self, family: Family) -> list[Mention]:
        """Return where the sentence says labels of a family's elements, in order.

        If it says none, ordinals are labels: *the third* of a list.
        """
        if family.series not in self._mentions:
            mentions = list(self._find_mentions(family))
            if not mentions and family.owner and family.is_ordered:
                mentions = list(self._places(len(family.elements)))
            self._mentions[family.series] = mentions
        return self._mentions[family.series]

    def _find_mentions(self, family: Family) -> Iterator[Mention]:
        """Yield where labels are said: words, or numbers if the sentence names the family."""
        labels = [element.labels[0] if element.labels else NAMELESS for element in family.elements]
        textual = [frozenset(w for w in label if w.isalpha()) - PLACES for label in labels]
        # Words that all labels have in common name none of them.
        shared = frozenset.intersection(*textual) if textual else NAMELESS
        is_named = bool(family.names & self._said)
        last = -1
        for n, (word, start, _) in enumerate(self._words):
            if not word or n <= last:
                continue
            #: For each label that begins here: how much of it is said, its words, its index.
            found: list[tuple[float, int, int]] = []
            for index, (label, text) in enumerate(zip(labels, textual, strict=True)):
                if text and word == label:
                    found.append((len(label) + 1.0, 1, index))  # *A4* is one word
                    continue
                distinctive = (text - shared) or text or (label if is_named else text)
                if not distinctive or not overlap(distinctive, word):
                    continue
                whole = text | distinctive
                stop = min(n + len(whole), len(self._words))
                near = frozenset().union(*(stem for stem, _, _ in self._words[n:stop]))
                if says_label(whole, near) and len(distinctive) >= len(word):
                    found.append((overlap(whole, near), len(whole), index))
            found.sort(reverse=True)
            is_unclear = len(found) > 1 and found[0][:2] == found[1][:2]
            if not found or is_unclear:
                continue
            _, count, index = found[0]
            last = n + count - 1
            end = self._words[min(last, len(self._words) - 1)][2]
            yield Mention(start, end, index, is_text=bool(textual[index]))

    def _places(self, count: int) -> Iterator[Mention]:
        """Yield the ordinals of the sentence that are places in a list of some length."""
        words = self.page.words
        last = words.words["grammar"]["last"]
        for _, start, end in self._words:
            word = self.text[start:end].lower()
            place = count if word in last else int(words.value("ordinals", word) or 0)
            index = place - 1
            if 0 <= index < count:
                yield Mention(start, end, index, is_text=False)

    @cached_property
    def _said(self) -> frozenset[str]:
        return self.sentence.said

    def excludes(self, spoken: ComparisonWord, code: str) -> bool:
        """Return whether a condition is on elements of another dimension than the adjective."""
        return any(
            any(element.code in code for element in family.elements)
            for family in self.families
            if self.evidence(spoken, family, may_be_unknown=self.may_be_unknown(family)) is None
        )

    def may_be_unknown(self, family: Family) -> bool:
        """Return whether no other family with the same labels has a known dimension."""
        labels = {element.labels[:1] for element in family.elements} - {(NAMELESS,)}
        return not any(
            other is not family
            and labels <= {element.labels[:1] for element in other.elements}
            and self.dimensions_of({part for part in other.names if len(part) > 1})
            for other in self.families
        )

    def dimensions(self, spoken: ComparisonWord) -> set[str]:
        """Return the dimensions of which an adjective is said: weight, of *heavier*."""
        table = self.page.words.words["adjectives"]
        return {kind for kind, adjectives in table.items() if spoken.word.lower() in adjectives}

    def dimensions_of(self, words: Collection[str]) -> set[str]:
        """Return the dimensions that some words name: length, of *km*."""
        table = self.page.words.words["dimensions"]
        return {
            kind for kind, parts in table.items()
            if any(_may_be(stems(part), words) for part in parts)
        }  # fmt: skip

    def evidence(
        self, spoken: ComparisonWord, family: Family, *, may_be_unknown: bool = False
    ) -> float | None:
        """Return what speaks for a family: its names, and an adjective of its dimension.

        The result is None if the adjective is one of another dimension: *heavier* is said of no
        price. A family of an unknown dimension must be named, unless it ``may_be_unknown``.
        """
        wanted = self.dimensions(spoken)
        names = {name for name in family.names if len(name) > 1}
        of_family, said = self.dimensions_of(names), self.dimensions_of(self._said)
        of_family |= {"time"} if family.is_time else set()
        if overlap(names, self._said) < NAMED:
            # *Heavier* is said of a weight, whatever else happens to be larger.
            is_other = bool(of_family) and not wanted & of_family
            is_unsaid = is_other and not said & of_family
            is_unknown = not of_family and not may_be_unknown
            if is_other and wanted - {_ANY}:
                return None
            if (is_unsaid or is_unknown) and wanted - {_ANY, _COUNT}:
                return None
            evidence = 0.0
        else:
            unsaid = sum(not overlap([name], self._said) for name in family.variables)
            behind = " ".join(_WORD.findall(self.text[spoken.end : self.sentence.end])[:2])
            is_noun = overlap(names, stems(behind)) >= NAMED
            evidence = _NAMED - min(_UNSAID * unsaid, _MOST_UNSAID) + _NOUN * is_noun
        if len(family.owner) == 1 and family.owner.isupper():
            initial = family.owner.lower()
            evidence += _INITIAL * any(word.startswith(initial) for word in self._said)
        if wanted & of_family:
            return evidence + _OF_DIMENSION
        return evidence + _MENTIONED * bool(said & of_family)


def _may_be(dimension: frozenset[str], words: Collection[str]) -> bool:
    """Return whether one of some words names a dimension, or is short for its name: *diam*.

    A short word must be much shorter: *far* is not short for *fare*.
    """
    return any(
        one == name
        or (one.startswith(name) and (len(name) > _SHORT or _SHORT == len(name) < len(one) - 1))
        for one in dimension for name in words
    )  # fmt: skip


_TURNED = {"<": ">", ">": "<", "max": "min", "min": "max"}


def turned(code: str) -> str:
    """Return a condition with the opposite signs and extremes.

    >>> turned("a > b"), turned("x['min'] == max(x.values())"), turned("v[0] == v.max()")
    ('a < b', "x['min'] == min(x.values())", 'v[0] == v.min()')
    """
    pattern = r"[<>]|\b(?:max|min)(?=\()"
    return re.sub(pattern, lambda sign: _TURNED[sign[0]], code)


def choose_reading(readings: Sequence[tuple[float, bool, Candidate]]) -> list[Candidate]:
    """Return the condition that the words mean, sure; or all that hold, if that is not clear.

    It is clear if the words name a family, if one condition alone holds, or if all do.

    Parameters
    ----------
    readings
        For each family that the words may mean: the evidence for it, whether the condition holds
        there, and the condition.
    """
    best = max((evidence for evidence, _, _ in readings), default=0.0)
    holding = [one for evidence, holds, one in readings if holds and evidence > best - _CLOSE]
    is_so_of_all = all(holds for _, holds, _ in readings)
    is_only_one = len({candidate.code for candidate in holding}) == 1
    is_clear = bool(best) or is_only_one or is_so_of_all
    if not holding or not is_clear:
        return [replace(candidate, sure=False) for candidate in holding]
    return [replace(max(holding, key=lambda one: one.score), sure=True)]


def is_textual(label: frozenset[str]) -> bool:
    """Return whether a label names an element other than by its place."""
    return any(word.isalpha() for word in label) and not label <= PLACES


def _value(candidate: Candidate) -> float | None:
    """Return the value of an atom or of a difference of two; None for other combinations."""
    values = [float(atom.value) for atom in candidate.atoms]
    if len(values) == 1:
        return values[0]
    return values[0] - values[1] if len(values) == 2 and " - " in candidate.code else None
