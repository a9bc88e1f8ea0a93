"""Searches ratios and differences of the numbers that a sentence states itself.

*60 of 250 mg is 24 %*, *91 people, fewer than a fifth*, *30 m, twice the 15 m of*. A number that
is bound to an expression is that expression; another one is itself, as in ``60 / 250``. *Stated*
is a number as the text has it; its *candidates* are the expressions that have its value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.stated import Stated, significant_digits
from vaultkit.edit.expressions import Atom
from vaultkit.edit.kinds import (
    cost_of_fit,
    is_limit,
    is_multiple,
    is_near_limit,
    is_ordinal,
    is_percent,
)
from vaultkit.edit.sentences import Candidate, Passage, is_alone, words_of
from vaultkit.edit.syntax import in_brackets
from vaultkit.edit.wording import says_label

#: The score of an expression that the sentence leaves no doubt about, and of one that is the share
#: of a whole which it hardly names.
_STATED, _OF_WHOLE = 3.0, 2.5
#: Fewest elements of which some have a share.
_FEW = 3
#: The unit of a number, or the word behind it: *km/h*, *%*, *people*.
_UNIT = re.compile(r"[\s\u00a0]?(?:[^\W\d_]+|[%°€$]\w?)(?:/[^\W\d_]+)?")


@dataclass(frozen=True)
class Number:
    """A number of a sentence, with its expression.

    Attributes
    ----------
    stated
        The number.
    unit
        Its unit, or the word behind it.
    code, value
        The expression to which it is bound, or the number itself.
    is_bound
        Whether it is bound.
    """

    stated: Stated
    unit: str
    code: str
    value: float
    is_bound: bool

    @property
    def start(self) -> int:
        """Where it begins in the text."""
        return self.stated.start

    @property
    def end(self) -> int:
        """Where it ends in the text."""
        return self.stated.end

    @property
    def scale(self) -> float:
        """The factor between the number in the text and the value: 1000 for *5 thousand* of 5,000.

        Of the scales that the number may have, it is the one that fits best.
        """
        in_text = float(self.stated.value)
        scales = (float(scale) for scale in self.stated.scales if in_text)
        return min(scales, key=lambda scale: abs(self.value - in_text * scale), default=1.0)

    def scaled(self, factor: float) -> Number:
        """Return it with a factor between the number in the text and the value.

        A number that is bound to an expression has its value already.
        """
        if self.is_bound or factor == 1:
            return self
        value = float(self.stated.value) * factor
        return replace(self, code=f"{value:.12g}", value=value)


def unit_or_noun(text: str, stated: Stated) -> str:
    """Return the unit of a number, or the word behind it.

    The unit may be a sign within the number itself: *$* of *$5*.
    """
    sign = re.sub(r"[\d.,\s]", "", stated.text) if stated.digits else ""
    behind = _UNIT.match(text, stated.end)
    return sign or (behind[0].strip() if behind else "")


def numbers_of(simple: Mapping[Stated, Sequence[Candidate]], sentence: Passage) -> list[Number]:
    """Return the numbers of a sentence, without multiples, places and bounds.

    Parameters
    ----------
    simple
        Each number with its candidates, the best first.
    sentence
        The sentence.
    """
    text = sentence.piece.text
    result = []
    for stated, candidates in simple.items():
        if is_multiple(stated) or is_ordinal(stated, text):
            continue
        best = candidates[0] if candidates else None
        unit = unit_or_noun(text, stated)
        if best and best.sure and is_alone(candidates) and not isinstance(best.value, str):
            result.append(Number(stated, unit, best.code, float(best.value), True))
        elif not is_limit(stated):
            value = float(stated.value)
            result.append(Number(stated, unit, f"{value:.12g}", value, False))
    return result


class RatiosOfNumbers:
    """The ratios of the numbers of a sentence.

    Parameters
    ----------
    sentence
        The sentence.
    numbers
        Its numbers.
    pool
        The expressions of the page.
    words
        The words of the language.
    """

    def __init__(
        self, sentence: Passage, numbers: Sequence[Number], pool: Sequence[Atom], words: Lexicon
    ) -> None:
        self.sentence, self.numbers, self.pool = sentence, numbers, pool
        self.text, self._words = sentence.piece.text, words
        #: *The second quarter* is no part of anything.
        self._noun = re.compile(words.pattern("parts"), re.IGNORECASE)

    def of(self, stated: Stated) -> list[Candidate]:
        """Return the ratio that a multiple or percentage states; none if several would do."""
        is_multiple_of = is_multiple(stated) and not self._noun.fullmatch(stated.text)
        if not (is_multiple_of or is_percent(stated)):
            return []
        others = [candidate for candidate in self.numbers if candidate.stated is not stated]
        ratios = _only(self._ratios(stated, others))
        if ratios is None:
            return []  # it is not clear which of them is meant
        return ratios or _only(self._shares_of_sum(stated)) or []

    def _ratios(self, stated: Stated, others: Sequence[Number]) -> Iterator[Candidate]:
        """Yield the ratios of two numbers of the sentence that agree with a number."""
        for part, whole in permutations(others, 2):
            if not are_alike(part, whole, self._words):
                continue
            part, whole = on_one_scale(part, whole)
            yield from _ratio(stated, part.code, part.value, whole.code, whole.value, _STATED)

    def _shares_of_sum(self, stated: Stated) -> Iterator[Candidate]:
        """Yield the share of one or two named elements of all: *the flour is more than half*."""
        if not is_multiple(stated) or stated.value >= 1:
            return
        clause = re.split(r"[;:.,]\s", self.text[self.sentence.start : stated.start])[-1]
        said = words_of(clause)
        families: dict[str, list[Atom]] = {}
        for atom in self.pool:
            if atom.series and atom.labels and not atom.extreme and not isinstance(atom.value, str):
                families.setdefault(atom.series, []).append(atom)
        for series, family in families.items():
            name, _, part = series.partition("[*]")
            named = [
                element
                for element in family
                if all(says_label(label, said) for label in element.labels)
            ]
            if part or not name.isidentifier() or len(named) not in (1, 2) or len(family) < _FEW:
                continue
            values = f"{name}.values()" if family[0].code.startswith(f"{name}['") else name
            above = " + ".join(atom.code for atom in named)
            total = sum(float(element.value) for element in family)
            value = sum(float(atom.value) for atom in named)
            yield from _ratio(stated, above, value, f"sum({values})", total, _OF_WHOLE)


def are_alike(one: Number, other: Number, words: Lexicon) -> bool:
    """Return whether two numbers may be compared: they have one unit, or one has none."""
    # The *s* of *ms* is no plural.
    units = {unit.removesuffix("s") if len(unit) > 2 else unit for unit in (one.unit, other.unit)}
    return len(units) == 1 or bool(units & {"", *words.words["binding"]["no_unit"]})


def on_one_scale(one: Number, other: Number) -> tuple[Number, Number]:
    """Return two numbers, of which one that is not bound has the scale of the other."""
    percent = is_percent(one.stated), is_percent(other.stated)
    if percent[0] != percent[1]:
        return one.scaled(0.01 if percent[0] else 1), other.scaled(0.01 if percent[1] else 1)
    return one.scaled(other.scale), other.scaled(one.scale)


def _only(candidates: Iterable[Candidate]) -> list[Candidate] | None:
    """Return the best of several ratios with one value, or none; None if they have several."""
    ratios = sorted(candidates, key=lambda one: -one.score)
    values = {f"{candidate.value:.9g}" for candidate in ratios}
    return ratios[:1] if len(values) < 2 else None


def _ratio(
    stated: Stated, part: str, above: float, whole: str, below: float, score: float
) -> Iterator[Candidate]:
    """Yield the ratio of two expressions if a number states it.

    Parameters
    ----------
    stated
        The number.
    part, above
        The expression of the part, and its value.
    whole, below
        The expression of the whole, and its value.
    score
        The score of the candidate.
    """
    if not below or part == whole or (is_percent(stated) and significant_digits(stated) < 2):
        return
    value = above / below
    # The first sense of *5 %* is 5, which no ratio of a part and a whole is.
    as_share = replace(stated, ranges=stated.ranges[1:]) if is_percent(stated) else stated
    if cost_of_fit(as_share, value) is None or (
        is_limit(stated) and not is_near_limit(stated, value)
    ):
        return
    yield Candidate(f"{in_brackets(part)} / {in_brackets(whole)}", score, True, (), value)
