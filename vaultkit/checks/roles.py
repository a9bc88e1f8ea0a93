"""Contradicts a number that is said to be one thing, and is another one on the page.

*Who stays wins 67.05 %* is contradicted by the output ``stay 0.3295, switch 0.6705``: the sentence
names one of two labels, and has the number of the other. A number is contradicted only if all that
carries its label has another value; what is in doubt is left to the other checks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

from vaultkit.checks.check import EXCEPTED, FAILS, FOUND, HOLDS, Check
from vaultkit.checks.facts import Fact, Facts, Family, Label
from vaultkit.checks.stated import digits_of
from vaultkit.checks.tables import Tables
from vaultkit.claims.amounts import as_float
from vaultkit.claims.lexicon import lexicon
from vaultkit.claims.mentions import Sentence, sentences, stem, stems
from vaultkit.claims.stated import Stated
from vaultkit.read.note import Block, Note
from vaultkit.run.session import Step

#: Most words between a label and its number, in this order and in the other.
_AFTER, _BEFORE = 8, 3
#: Words between which no label reaches its number.
_TURN = re.compile(r"\b(?:and|or|but|to|from|then|while|whereas|until|so)\b|[()—–:]")
_LINK = re.compile(
    r"[\s,%°]*(?:\b(?:for|with|in|on|of|at|by|is|are|was|the|goes|go|belongs?)\b[\s,]*)*"
)
_TIGHT = re.compile(r"[\s,%]*(?:\b(?:and|or|the|of|are|is|at)\b[\s,%]*)*")
_ENDS = re.compile(
    r"(?:\s?[%°‰]|\s(?!and\b|but\b|so\b|of\b|to\b|in\b)[^\W\d]{1,14}(?:\s?/\s?\w+|\sper\s\w+)?)?\s*"
    r"(?:$|[.,;:)](?!\d)|\s(?:and|but|so|while|which|because|since)\b)"
)
_PAUSE = re.compile(r"[:;—–](?=\s)")
#: A subject that is the one thing that the page is about.
_IT = (
    r"(?:[Ii]t|[Tt]his(?:\s[a-z]+)?|[Ww]e|I|[Tt]hey|[Tt]hat"
    r"|[Tt]he\s(?:code|loop|search|method|algorithm))"
)
_DETERMINER = {"the", "our", "my"}
_OF_ANOTHER = {
    "and",
    "or",
    "its",
    "their",
    "his",
    "her",
    "your",
    "this",
    "that",
    "these",
    "a",
    "an",
}
_OPENING = {
    "so",
    "and",
    "then",
    "hence",
    "thus",
    "but",
    "here",
    "now",
    "also",
    "therefore",
    "indeed",
}
#: The least number of digits that hardly agree by chance, and of those in which a slip is certain.
_TELLING, _SURE = 2, 3
#: Most values of a label; one with more means nothing in particular.
_FEW = 3
_TOP = 10


@dataclass(frozen=True)
class _Named:
    """A label of a family in a sentence."""

    label: Label
    start: int
    end: int


class Roles:
    """Judges what the sentences of a note say its numbers are.

    Parameters
    ----------
    note
        The note.
    tables
        What its variables have under labels.
    """

    def __init__(self, note: Note, tables: Tables) -> None:
        self.tables = tables
        self.lexicon = lexicon(str(note.meta.get("lang") or "en"))
        self.facts = Facts(note, self.lexicon)
        self.rebase(note)

    def rebase(self, note: Note) -> None:
        """Rebase onto an edited note whose text is the same up to the last block observed."""
        self.note = note
        self.facts.rebase(note)

    def observe(self, block: Block, steps: list[Step], variables: Mapping[str, Any]) -> None:
        """Collect what a block prints, and the variables that it leaves."""
        self.facts.observe(block, steps, variables)

    def check(self, numbers: Iterable[Check]) -> Iterator[Check]:
        """Yield the checks of the numbers of a note, those contradicted among them as failures."""
        wrong = dict(self._wrong())
        for check in numbers:
            why = wrong.get((check.line, check.column), ("", ""))[1]
            is_proven = check.outcome == HOLDS and check.scope != FOUND
            if not why or is_proven or check.outcome in (EXCEPTED, FAILS):
                wrong.pop((check.line, check.column), None)
                yield check
        for (line, column), (text, why) in wrong.items():
            yield Check("number", line, text, FAILS, f"{text}: {why}", column)

    def _wrong(self) -> Iterator[tuple[tuple[int, int], tuple[str, str]]]:
        """Yield the places of wrong numbers, each with its text and why it is wrong."""
        families = list(self.facts.with_tables(self.tables.sources))
        facts = list(self.facts.facts)
        if not families and not facts:
            return
        for sentence in sentences(self.note, self.lexicon):
            found = _of_families(sentence, families)
            for number in sentence.numbers:
                if number.bounds or number.times:
                    continue
                why = found.get(number.start) or self._of_fact(sentence, number, facts)
                why = why or self._of_count(sentence, number, facts)
                if why:
                    yield sentence.place_of(number.start), (number.text, why)

    def _of_fact(self, sentence: Sentence, number: Stated, facts: Sequence[Fact]) -> str:
        """Return the value of *the mean* in *the mean is 37*, if it differs."""
        words = _subject(sentence, number)
        if not words or not _ENDS.match(sentence.text, number.end):
            return ""
        label = frozenset(words)
        if len(label) == 1 and label <= self._general:
            return ""
        named = [
            fact
            for fact in facts
            if fact.functions <= label <= fact.label and "length" not in fact.source
        ]
        values = {fact.value for fact in named}
        if not named or len(values) > _FEW or any(map(number.agrees, values)):
            return ""
        what = f"{' '.join(words)} is {named[0].source}: {_shown(named[0].value)}"
        measures = stems(" ".join(self.lexicon.words["roles"]["measures"]), self.lexicon)
        others = [
            f for f in facts if f not in named and number.agrees(f.value) and not f.label & measures
        ]
        if _digits(number) >= _TELLING and others:
            return f"{what}, and that is {others[0].source}"
        (value, *more) = values
        if not _is_copula(sentence, number):
            return ""
        small = number.value.denominator == value.denominator == 1 and abs(number.value) < _TOP
        if not more and small and _is_plain(number) and abs(value) < _TOP:
            return what
        if not more and _digits(number) >= _SURE and _is_slip(number, value):
            return what
        return ""

    @cached_property
    def _general(self) -> frozenset[str]:
        words = self.lexicon.words["roles"]["general"]
        return frozenset(stem(word, self.lexicon) for word in words)

    def _of_count(self, sentence: Sentence, number: Stated, facts: Sequence[Fact]) -> str:
        """Return the number of *steps* in *it takes 6 steps*, if it differs."""
        grammar = self.lexicon.words["roles"]
        if number.value.denominator != 1 or number.value < 2 or not _is_plain(number):
            return ""
        before = sentence.text[: number.start]
        counting = self.lexicon.pattern("roles", "counting")
        verb = re.search(
            rf"(?:\b{_IT}\s(?P<takes>{counting})|\b[Tt]here (?:are|were))"
            r"\s(?:only\s|exactly\s|just\s|all\s)?$",
            before,
        )
        behind = re.match(
            r"\s(?P<all>(?:pairs of\s|[a-z]+\s)?(?P<noun>[a-z]{3,}))"
            r"(?=\s*$|[.,;:)]|\s(?:and|but|so|in|up|below|among)\b)",
            sentence.text[number.end :],
        )
        if not verb or not behind or _is_apart(sentence, before):
            return ""
        first = before.split()[0].strip(",")
        if first.lower() in {*grammar["case"], "a", "an", "any", "all", "some", "most", "many"}:
            return ""
        labels = {stems(behind[words], self.lexicon) for words in ("all", "noun")}
        labels = {label for label in labels if label and not label <= self._general}
        named = [f for f in facts if f.counts and f.label in labels]
        shown = any(fact.source.startswith("output") for fact in named)
        if not shown and not (
            verb["takes"] and all(f.source.startswith("variable") for f in named)
        ):
            return ""
        values = {fact.value for fact in named}
        if len(values) != 1 or number.value in values:
            return ""
        return f"{named[0].source}: {_shown(named[0].value)}"


def _of_families(sentence: Sentence, families: Sequence[Family]) -> dict[int, str]:
    """Return why numbers of a sentence belong to another label of a family, by their places."""
    wrong: dict[int, str] = {}
    right: set[int] = set()
    for family in families:
        named = list(_named(sentence, family))
        labels = [one.label for one in named]
        if not named or len(set(labels)) < len(labels):
            continue
        for number in sentence.numbers:
            own = [value for label in labels for value in family.rows[label]]
            if len(named) == 1 and any(map(number.agrees, own)):
                right.add(number.start)
        if len(named) == 1:
            wrong.update(_of_another(sentence, family, named[0]))
        else:
            for place in range(max(len(family.rows[label]) for label in labels)):
                same, exchanged = _exchanged(sentence, family, named, place)
                right |= same
                wrong.update(exchanged)
    return {place: why for place, why in wrong.items() if place not in right}


def _named(sentence: Sentence, family: Family) -> Iterator[_Named]:
    """Yield the labels of a family that a sentence names, in the order of the sentence."""
    found: list[_Named] = []
    for label in family.rows:
        wanted = {word.lower() for word in label}
        places = [
            word
            for word in sentence.words
            if word.stem.lower() in wanted
            and (len(word.stem) > 1 or word.stem in label - {"A", "I"})
        ]
        if {word.stem.lower() for word in places} >= wanted:
            runs = [places[n : n + len(wanted)] for n in range(len(places) - len(wanted) + 1)]
            for run in runs:
                if {word.stem.lower() for word in run} == wanted:
                    far = run[-1].end - run[0].start
                    if far <= sum(w.end - w.start for w in run) + 6 * len(run):
                        found.append(_Named(label, run[0].start, run[-1].end))
    yield from sorted(found, key=lambda one: one.start)


def _of_another(sentence: Sentence, family: Family, named: _Named) -> Iterator[tuple[int, str]]:
    """Yield a number beside the only label of a sentence that is the number of another label."""
    text = sentence.text
    behind = [n for n in sentence.numbers if n.start >= named.end]
    ahead = [n for n in sentence.numbers if n.end <= named.start]
    beside: list[Stated] = []
    if behind:
        gap = text[named.end : behind[0].start]
        if not _TURN.search(gap) and len(gap.split()) <= _AFTER:
            beside.append(behind[0])
    if ahead and not beside:
        gap = text[ahead[-1].end : named.start]
        if _LINK.fullmatch(gap) and len(gap.split()) <= _BEFORE:
            beside.append(ahead[-1])
    for number in beside:
        if _digits(number) < _TELLING or number.bounds or number.times:
            continue
        if _is_apart(sentence, _clause(text, number.start, named.start)):
            continue
        for label, values in family.rows.items():
            for place, value in enumerate(values):
                own = family.rows[named.label]
                if label != named.label and place < len(own) and number.agrees(value):
                    there = f"in {family.source}, {_words(named.label)} has {_shown(own[place])}"
                    yield number.start, f"{there}, and this is the number of {_words(label)}"


def _exchanged(
    sentence: Sentence, family: Family, named: Sequence[_Named], place: int
) -> tuple[set[int], dict[int, str]]:
    """Return the numbers that are those of the labels in their order, and those exchanged."""
    values = {
        one.label: family.rows[one.label][place]
        for one in named
        if place < len(family.rows[one.label])
    }
    if len(values) < len(named) or len(set(values.values())) < len(named):
        return set(), {}
    whose = [
        (number, [label for label, value in values.items() if number.agrees(value)])
        for number in sentence.numbers
    ]
    own = [(number, labels) for number, labels in whose if labels]
    if len(own) != len(named) or any(len(labels) != 1 for _, labels in own):
        return set(), {}
    if {labels[0] for _, labels in own} != set(values):
        return set(), {}
    pairs = list(zip(named, own, strict=True))
    off = [(one, number) for one, (number, labels) in pairs if labels[0] != one.label]
    if not off:
        return {number.start for number, _ in own}, {}
    if not _in_turn(sentence.text, named, [number for number, _ in own]):
        return {number.start for number, _ in own}, {}
    return set(), {
        number.start: f"in {family.source}, {_words(one.label)} has {_shown(values[one.label])}"
        for one, number in off
    }


def _in_turn(text: str, named: Sequence[_Named], numbers: Sequence[Stated]) -> bool:
    """Return whether each label has its number beside it, or all labels precede all numbers."""
    pairs = list(zip(named, numbers, strict=True))
    following = [*named[1:], None]
    if re.search(r"\b(?:not|never|instead|rather|unlike)\b|n['’]t\b", text):
        return False
    if all(one.end <= n.start for one, n in pairs) and all(
        other is None or n.end <= other.start
        for (_, n), other in zip(pairs, following, strict=True)
    ):
        return all(not re.search(r"[()]", text[one.end : n.start].rstrip("( ")) for one, n in pairs)
    if all(n.end <= one.start and _LINK.fullmatch(text[n.end : one.start]) for one, n in pairs):
        return True
    if named[-1].end > numbers[0].start:
        return False
    tight = [text[a.end : b.start] for a, b in pairwise(named)]
    tight += [text[a.end : b.start] for a, b in pairwise(numbers)]
    return all(map(_TIGHT.fullmatch, tight))


def _subject(sentence: Sentence, number: Stated) -> list[str]:
    """Return the stems of *the largest gap* in *the largest gap is 8*; empty if in doubt."""
    lexicon = sentence.lexicon
    before = sentence.text[: number.start]
    between = re.search(
        rf"(?:\s+{lexicon.pattern('roles', 'between', 'verbs')})+\s+[$€£]?$", before
    )
    if not between or _is_apart(sentence, before):
        return []
    head = before[: between.start()]
    clause = re.split(r"[,:(—–]\s", head)
    words = clause[-1].split()
    opening = [word.lower() for word in clause[0].split()[:1]]
    if opening and opening[0] in lexicon.words["roles"]["case"]:
        return []
    while words and words[0].lower() in _OPENING:
        words = words[1:]
    if words and words[0].lower() in _DETERMINER:
        words = words[1:]
    if not 1 <= len(words) <= 4 or not all(re.fullmatch(r"[^\W\d]\w*", w) for w in words):
        return []
    others = {*lexicon.words["roles"]["case"], *_OF_ANOTHER}
    inner = {word.lower() for word in words} & others
    kept = stems(" ".join(words), lexicon)
    return [] if inner else [s for s in (stem(w, lexicon) for w in words) if s in kept]


def _is_copula(sentence: Sentence, number: Stated) -> bool:
    """Return whether the verb before a number says that the number is the value itself."""
    verbs = sentence.lexicon.pattern("roles", "verbs")
    before = sentence.text[: number.start]
    return not re.search(rf"\b{verbs}(?:\s\w+)?\s+[$€£]?$", before)


def _clause(text: str, one: int, other: int) -> str:
    """Return the part of a sentence around two places, between colons, dashes and brackets."""
    first = max((stop.end() for stop in _PAUSE.finditer(text, 0, min(one, other))), default=0)
    last = _PAUSE.search(text, max(one, other))
    return text[first : last.start() if last else len(text)]


def _is_apart(sentence: Sentence, text: str) -> bool:
    """Return whether a text supposes, denies or compares."""
    pattern = sentence.lexicon.pattern("roles", "apart")
    return bool(re.search(rf"(?<![\w-]){pattern}(?![\w-])|n['’]t\b", text, re.IGNORECASE))


def _is_plain(number: Stated) -> bool:
    """Return whether a number has no unit or scale."""
    return len(set(number.scales)) == 1 and not number.sign


def _digits(number: Stated) -> int:
    """Return the number of digits without zeros at both ends; 0 for a number in words."""
    return len(re.sub(r"\D", "", number.digits).strip("0"))


def _is_slip(number: Stated, value: Fraction) -> bool:
    """Return whether a value differs from a number in one digit, or in two exchanged ones."""
    one, other = number.digits.replace(",", ""), digits_of(number, value).replace(",", "")
    if len(one) != len(other):
        return False
    wrong = [n for n, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    if len(wrong) == 2 and wrong[1] - wrong[0] == 1:
        return one[wrong[0]] == other[wrong[1]] and one[wrong[1]] == other[wrong[0]]
    return len(wrong) == 1


def _words(label: Label) -> str:
    return " ".join(sorted(label))


def _shown(value: Fraction) -> str:
    return f"{as_float(value):.6g}"
