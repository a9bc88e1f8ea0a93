"""Searches for differences, ratios, sums and products of two expressions.

They have the value of a number of the text. An *atom* is an expression on the variables of the
note, with its value; *stated* is a number as the text has it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.stated import Stated, significant_digits
from vaultkit.edit.expressions import Atom
from vaultkit.edit.kinds import (
    cost_of_fit,
    counts_exactly,
    is_count,
    is_limit,
    is_multiple,
    is_near_limit,
    is_percent,
    weight_of_digits,
)
from vaultkit.edit.sentences import Candidate, Passage
from vaultkit.edit.syntax import identifiers, in_brackets
from vaultkit.edit.wording import MEANINGS, NAMED, overlap, says_label, stems

#: The longest code of a part of a multiple whose parts are not alike.
_LONG = 40
#: Most atoms that are combined.
_PAIRED = 40
#: What a combination of atoms costs: there are hundreds, and some agree by chance. ``1 - x`` costs
#: more; a variable that both atoms share speaks for it.
_COMBINED, _COMPLEMENT, _SHARED_VARIABLE = 2.2, 0.4, 0.5
#: An atom is combined if more than this of its names is said: a letter is enough. The score
#: of an expression to which another number of the sentence is bound.
_MENTIONED, _BOUND_BESIDE = 0.5, 2.0
#: The least score of a sure combination; that of two labelled elements of one series may be lower
#: if the sentence says *times* or names a difference, which leaves only these two.
_SURE, _SURE_OF_SERIES = 0.0, -1.0
#: The score of a combination that only the sentence itself can mean.
_OF_SENTENCE = 0.5
#: What speaks for a ratio of two numbers of the sentence.
_OF_NUMBERS = 1.0
#: Expressions for the size of something.
SIZE = re.compile(r"^len\([^()]*\)$|\.shape\b|\.size$|\.ndim$|^\(?[^()]+[<>=][^()]+\)\.sum\(\)$")
#: The operators of combinations, by the lists of words that say them.
_CUES = {"-": "difference", "/": "ratio", "+": "sum"}
#: Fewest letters of a word.
_WORD = 3


@dataclass(frozen=True)
class Combinations:
    """The combinations of two expressions for the numbers of a sentence.

    Attributes
    ----------
    sentence
        The sentence.
    pool
        The expressions.
    said_before
        The words of the text before the sentence.
    named
        Returns the score of what a text says of an expression.
    words
        The words of the language.
    """

    sentence: Passage
    pool: Sequence[Atom]
    said_before: frozenset[str]
    named: Callable[[Atom, frozenset[str]], float]
    words: Lexicon

    def of(self, stated: Stated, beside: Sequence[Atom]) -> list[Candidate]:
        """Return the combinations of two atoms that have the value of a number.

        Parameters
        ----------
        stated
            The number.
        beside
            The atoms to which other numbers of the sentence are bound.
        """
        said = self.sentence.without(stated)
        # Of one digit, so that hundreds of combinations have its value.
        is_coarse = not is_multiple(stated) and (is_count(stated) or significant_digits(stated) < 2)
        ranked = self._ranked(said, beside, only_labelled=is_coarse)
        bound = {atom.code for atom in beside}
        # A ratio times 100 is a per cent, and never a ratio of a hundredth.
        as_ratio = replace(stated, ranges=stated.ranges[1:]) if is_percent(stated) else stated
        candidates = []
        for code, value, score, atoms in _combinations(stated, ranked):
            if is_coarse and (len(atoms) < 2 or " / " in code or not counts_exactly(stated, value)):
                continue
            costs = cost_of_fit(as_ratio if " / " in code else stated, value)
            if costs is None:
                continue
            score += weight_of_digits(stated) - costs - _COMBINED
            is_sure = self._is_stated(stated, code, atoms, said, bound)
            if is_limit(stated):
                is_sure = is_sure and is_multiple(stated) and is_near_limit(stated, value)
            if is_coarse or is_limit(stated):
                # Only what the sentence itself names is combined here.
                score += _OF_SENTENCE - weight_of_digits(stated)
            if is_multiple(stated) and bound:
                # Most multiples are of a number that the sentence states.
                score += _OF_NUMBERS * sum(a.code in bound for a in atoms) / len(atoms)
            # A multiple in words is a ratio, so that the names alone may say which.
            named = is_multiple(stated) or " - " in code
            is_of_series = is_coarse or (named and _are_alike(atoms))
            least = _SURE_OF_SERIES if is_of_series else _SURE
            candidates.append(Candidate(code, score, is_sure and score > least, atoms, value))
        return sorted(candidates, key=lambda c: (not c.sure, -c.score))

    def _ranked(
        self, said: frozenset[str], beside: Sequence[Atom], *, only_labelled: bool
    ) -> list[tuple[float, Atom]]:
        """Return the atoms that may be combined, with their scores, the best first.

        They are those that the sentence mentions, and those ``beside`` the number. A formula, and
        with ``only_labelled`` any atom, needs a label that the sentence says.
        """
        ranked = [
            (self.named(atom, said), atom) for atom in self.pool
            if not atom.extreme.startswith("arg")
            and (self._is_labelled(atom, said) or not (only_labelled or " " in atom.code))
            and overlap(atom.names.union(*atom.labels), said) > _MENTIONED
        ]  # fmt: skip
        ranked = sorted(ranked, key=lambda one: -one[0])[:_PAIRED]
        known = {atom.code for _, atom in ranked}
        return ranked + [(_BOUND_BESIDE, atom) for atom in beside if atom.code not in known]

    def _is_labelled(self, atom: Atom, said: frozenset[str]) -> bool:
        """Return whether an atom has labels, and the sentence says all of them."""
        return bool(atom.labels) and all(says_label(label, said) for label in atom.labels)

    def _is_stated(
        self, stated: Stated, code: str, atoms: Sequence[Atom], said: frozenset[str],
        bound: set[str],
    ) -> bool:  # fmt: skip
        """Return whether the sentence says what is combined, and how.

        It names what is combined, or has numbers that are ``bound`` to it.
        """
        operator = next((sign for sign in _CUES if f" {sign} " in code), "")
        if len(atoms) < 2 or not operator or not self._says_operator(stated, operator):
            return False
        if all(a.code in bound for a in atoms):
            # A multiple of one of them is the other: `vaultkit.edit.bind_beside`.
            return operator == "/" and not is_multiple(stated)
        # Lengths, 0 and 1 have too many values in common with others.
        if any(SIZE.search(a.code) or a.value in (0, 1, -1) for a in atoms):
            return False
        others = [a for a in atoms if a.code not in bound]
        if not all(_function_is_said(a, said) for a in others):
            return False
        alike = _are_alike(atoms)
        if not alike and not all(overlap(a.names, said) >= NAMED for a in others):
            return False
        if is_multiple(stated) and not alike:
            if any(len(a.code) > _LONG for a in atoms):
                return False  # nobody means the ratio of a day and a long formula
            # *Length* alone does not mean ``length_rows``.
            unsaid = [stems(a.code) - said for a in others if a.code.isidentifier()]
            if any(len(word) >= _WORD for words in unsaid for word in words):
                return False
        return self._says_labels(atoms, others, said)

    def _says_operator(self, stated: Stated, operator: str) -> bool:
        """Return whether the sentence has a word for an operator, and the number is of its kind."""
        text = self.sentence.piece.text[self.sentence.start : self.sentence.end]
        is_percentage = operator == "/" and "%" in text
        if not self._says(_CUES[operator], text) and not is_percentage:
            return False
        if operator != "/":
            return True
        if self._says("sum", text):
            return False  # it is about several things together
        # *2.5 of them* is no ratio.
        return is_multiple(stated) or is_percent(stated) or self._says("mean", text)

    def _says_labels(
        self, atoms: Sequence[Atom], others: Sequence[Atom], said: frozenset[str]
    ) -> bool:
        """Return whether the sentence says the labels of the ``others`` among some atoms.

        These are the atoms to which no number is bound. Labels that all elements of a series have
        in common may be said before: *from Lisbon … Nairobi is 2666 km further*.
        """
        common: frozenset[frozenset[str]] = frozenset()
        if _are_alike(atoms):
            common = frozenset.intersection(*(frozenset(a.labels) for a in atoms))
        labels = [label for a in others for label in a.labels if label and label not in common]
        if (common and not labels) or not all(says_label(label, said) for label in labels):
            return False
        near = said | self.said_before
        return all(not label or says_label(label, near) for label in common)

    def _says(self, cue: str, text: str) -> bool:
        """Return whether a text has one of the words of a list of *combining*."""
        return bool(self.words.regex(rf"\b<combining.{cue}>\b").search(text))


def _combinations(
    stated: Stated, ranked: Sequence[tuple[float, Atom]]
) -> Iterator[tuple[str, float, float, tuple[Atom, ...]]]:
    """Yield the combinations of atoms: expression, value, score and atoms."""
    for score, left in ranked:
        x, a = in_brackets(left.code), float(left.value)
        yield f"1 - {x}", 1 - a, score - _COMPLEMENT, (left,)
        for other_score, right in ranked:
            if left.code == right.code:
                continue
            y, b = in_brackets(right.code), float(right.value)
            both = (score + other_score - left.cost - right.cost) / 2
            both += _SHARED_VARIABLE * bool(identifiers(left.code) & identifiers(right.code))
            pair = left, right
            if b:
                yield f"{x} / {y}", a / b, both, pair
                if is_percent(stated):
                    yield f"{x} / {y} - 1", a / b - 1, both, pair
            if stated.digits:
                yield f"{x} - {y}", a - b, both, pair
                if left.code < right.code:
                    yield f"{x} + {y}", a + b, both, pair
                    yield f"{x} * {y}", a * b, both, pair


#: A function that makes one number of a list.
_FUNCTION = re.compile(r"\b(max|min|sum|mean|std)\(")


def _function_is_said(atom: Atom, said: frozenset[str]) -> bool:
    """Return whether words say the function of an expression: *the peak* is ``max``."""
    match = _FUNCTION.search(atom.code)
    return not match or bool(stems(MEANINGS[match[1]]) & said)


def _are_alike(atoms: Sequence[Atom]) -> bool:
    """Return whether several atoms are labelled elements of one series."""
    return (
        len(atoms) > 1
        and all(a.labels and a.series for a in atoms)
        and len({a.series for a in atoms}) == 1
    )
