"""Searches expressions that have the values of the numbers in a sentence.

An *atom* is an expression on the variables of the note, with its value. A *series* is what the
elements of one list, array or dictionary have in common: ``x[*]`` is that of ``x[0]`` and ``x[1]``.
A number as the text states it is *stated*; the atoms and combinations of atoms that have its value
are its *candidates*, and the number with its candidates, the best first, is a *reading*. A
candidate is *sure* if the words around the number say enough of its names for it to be bound
without asking.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from vaultkit.claims.naming import mask_names
from vaultkit.claims.stated import Stated, numbers, significant_digits
from vaultkit.claims.units import unit_behind
from vaultkit.edit.bind_beside import RatiosOfNumbers, numbers_of
from vaultkit.edit.bind_combined import SIZE, Combinations
from vaultkit.edit.bind_lengths import is_length_of_all
from vaultkit.edit.described import Surroundings
from vaultkit.edit.expressions import Atom
from vaultkit.edit.kinds import (
    cost_of_fit,
    counts_exactly,
    is_count,
    is_limit,
    is_multiple,
    is_ordinal,
    is_percent,
    needs_name,
    weight_of_digits,
)
from vaultkit.edit.sentences import (
    Candidate,
    Page,
    Passage,
    means_the_same,
    unrounded,
    words_of,
)
from vaultkit.edit.wording import MEANINGS, NAMED, overlap, says_label, stems
from vaultkit.read.prose import CODE, END

#: The largest integer that always agrees by chance.
_TINY = 2
#: The least extreme that is not a coincidence.
_FEW = 3
#: The score of a candidate adds what speaks for it, and above 0 it may be bound unasked. A name
#: that the sentence says is the main reason; more than the most words add nothing. Words in the
#: characters before the sentence are a weak one.
_SAID, _MOST_SAID = 1.9, 2.5
_SAID_BEFORE, _MOST_BEFORE, _BEFORE = 0.25, 2, 300
#: What speaks for an atom besides: the output shows the very digits; it is a variable, no element
#: of one; the sentence says its labels (a row and a column).
_SAME_DIGITS, _VARIABLE, _LABELLED = 1.5, 0.6, 0.6
#: What each character of long code costs: of two expressions, the shorter one is meant.
_LONG, _PER_CHARACTER = 20, 0.02
#: A small integer has its value by chance in most notes: what it gains if the words behind it are
#: the names of the atom, and costs if they are not; and what it gains if they name what the atom
#: counts.
_ITS_NOUN, _OTHER_NOUN, _COUNTED = 1.0, -1.5, 2.0
#: Numbers of hours, months and minutes, which many a sentence has.
_ROUND = (12, 24, 60)
#: The fewest significant digits with which a value needs no name in the sentence: if the output
#: shows the same digits or the value is a variable, and in any case.
_RARE, _UNIQUE = 3, 4
#: How much a candidate gains if its series has the values of a whole column: more than
#: for a name that the sentence says.
_COLUMN = 3.0
#: How many words before a number, and behind it, are next to it.
_BESIDE, _BEHIND = 4, 3
#: The words for places.
PLACES = stems("first second third fourth fifth sixth seventh eighth ninth tenth last")
#: The score of a candidate that is right though the sentence hardly names it, and how far ahead
#: of the next one it is.
_CLEAR, _FAR = 2.5, 2.0
#: Expressions of a higher cost (`Atom.cost`) are no rivals.
_FAR_FETCHED = 0.7
#: The score of a small integer of which that is so.
_CLEAR_COUNT = 4.0
#: A number with the candidates for it, the best first.
Reading = tuple[Stated, list[Candidate]]


def of_column(readings: Sequence[list[Reading]]) -> None:
    """Raise the candidates of the cells of a column, in place, if one series has all their values.

    ``readings`` has the readings of each cell; a cell with several numbers is left out.
    """
    cells = [cell[0][1] for cell in readings if len(cell) == 1]
    if len(cells) < 2:
        return
    by_series = [_elements_by_series(candidates) for candidates in cells]
    for series in set.intersection(*map(set, by_series)):
        chosen = _one_for_each([elements[series] for elements in by_series])
        for candidates, code in zip(cells, chosen, strict=True) if chosen else ():
            candidates[:] = [
                replace(c, score=c.score + _COLUMN, sure=True) if c.code == code else c
                for c in candidates
            ]
    for candidates in cells:
        candidates.sort(key=lambda candidate: -candidate.score)


def _elements_by_series(candidates: Sequence[Candidate]) -> dict[str, list[str]]:
    """Return the codes of the candidates that are elements of a series, the best first, by it."""
    codes: defaultdict[str, list[str]] = defaultdict(list)
    for candidate in candidates:
        atom = candidate.atoms[0] if len(candidate.atoms) == 1 else None
        # The largest is of the series, but is no element.
        if atom and atom.series and not atom.extreme:
            codes[atom.series].append(candidate.code)
    return codes


def _one_for_each(cells: Sequence[Sequence[str]]) -> list[str]:
    """Return another code for each cell, the first ones possible; none if a cell has none left.

    >>> _one_for_each([["x[0]", "x[1]"], ["x[0]", "x[1]"]]), _one_for_each([["x[0]"], ["x[0]"]])
    (['x[0]', 'x[1]'], [])
    """
    chosen: list[str] = []
    for codes in cells:
        chosen += [code for code in codes if code not in chosen][:1]
    return chosen if len(chosen) == len(cells) else []


def readings(page: Page, sentence: Passage) -> list[Reading]:
    """Return the numbers of a sentence, each with its candidates, the best first.

    They also become known to ``page``, since a later sentence may refer to them (*above it*).
    """
    search = _Search(page, sentence)
    simple = {stated: search.simple(stated) for stated in _numbers(page, sentence)}
    bound = [(s, found[0].atoms[0]) for s, found in simple.items() if found and found[0].sure]
    places = page.places.setdefault(id(sentence.piece), [])
    places += [(stated.start, atom) for stated, atom in bound]
    combinations = Combinations(sentence, search.pool, search.said_before, search.named, page.words)
    ratios = RatiosOfNumbers(sentence, numbers_of(simple, sentence), search.pool, page.words)
    result = []
    for stated, atoms in simple.items():
        best = atoms[0] if atoms else None
        beside = [atom for _, atom in bound if best is None or atom.code != best.code]
        combined = combinations.of(stated, beside)
        if any(atom.score > 0 for atom in atoms):
            # A difference of two numbers beside is meant only if nothing else has its value.
            combined = [replace(c, sure=c.sure and " / " in c.code) for c in combined]
        if not (best and best.sure) and not any(c.sure for c in combined):
            combined += ratios.of(stated)
        ranked = sorted([*atoms, *combined], key=lambda c: (-c.score, not c.sure))
        ranked = _sure_first(ranked)
        if search.is_clear(stated, ranked):
            ranked[0] = replace(ranked[0], sure=True)
        result.append((stated, ranked))
    if sentence.column is None:
        _doubt_repeated(result)
    return result


def _shows(shown: str, digits: str) -> bool:
    """Return whether a printed text is a number in the same digits; zeros behind do not count.

    >>> _shows("918.0", "918"), _shows("5.4%", "5.4"), _shows("5.40", "5.4"), _shows("", "")
    (True, True, True, False)
    """
    printed, stated = shown.rstrip("%").replace(",", ""), digits.replace(",", "")
    if "." in printed and len(printed) > len(stated):
        printed = printed.rstrip("0").rstrip(".") if "." not in stated else printed.rstrip("0")
    return bool(printed) and printed == stated


def _doubt_repeated(readings: Sequence[Reading]) -> None:
    """Make the candidates of equal numbers unsure if they would be bound to the same expression.

    A number stated twice is often two things. *75 %, three quarters* are not equal in their digits,
    and mean the same.
    """
    best = Counter(
        (stated.digits, candidates[0].code)
        for stated, candidates in readings
        if candidates and candidates[0].sure
    )
    for stated, candidates in readings:
        if candidates and best[stated.digits, candidates[0].code] > 1:
            candidates[:] = [replace(candidate, sure=False) for candidate in candidates]


def _numbers(page: Page, sentence: Passage) -> Iterator[Stated]:
    """Yield the numbers of a sentence, except those in code, and *one, none, both, only*.

    The list *counts* of the lexicon has the words for 0, 1 and 2 under these numbers.
    """
    text = mask_names(sentence.piece.text)
    text = re.sub(f"{CODE}[^{END}]*{END}", lambda match: "\ufffc" * len(match[0]), text)
    silent = {place.span() for place, name in page.words.find("counts", text) if int(name) < 3}
    for stated in numbers(text, len(text), page.words):
        written = text[stated.start : stated.end]
        is_one = stated.value == 1 and written.isalpha()
        # *The 1s* and *the 1990s* are not numbers.
        inside = sentence.start <= stated.start < sentence.end and not re.search(r"\ds$", written)
        if inside and not is_one and (stated.start, stated.end) not in silent:
            yield stated


class _Search:
    """The search for expressions with the value of a number of a sentence."""

    def __init__(self, page: Page, sentence: Passage) -> None:
        self.sentence = sentence
        self.words = page.words
        self.text = sentence.piece.text
        self._is_first = all(sentence.line < block.fence.line for block in page.note.blocks)
        #: The expressions with numbers that can be evaluated at the sentence.
        self.pool = [a for a in page.pool(sentence.line) if not isinstance(a.value, str)]
        self._surroundings: dict[Stated, Surroundings] = {}
        #: The words before the sentence.
        self.said_before = words_of(self.text[max(0, sentence.start - _BEFORE) : sentence.start])

    def simple(self, stated: Stated) -> list[Candidate]:
        """Return the atoms that have the value of a number, as candidates, the best first.

        *Simple* are single atoms; `Combinations` has those of two.
        """
        said = self.sentence.without(stated)
        whole = self._whole(stated)
        candidates: list[Candidate] = []
        for atom in self.pool:
            costs = cost_of_fit(stated, float(atom.value))
            if costs is None:
                continue
            same = _shows(atom.shown, stated.digits)
            score = weight_of_digits(stated) + self.named(atom, said) - costs + _SAME_DIGITS * same
            if is_count(stated):
                if not counts_exactly(stated, float(atom.value)):
                    continue  # *four minutes* may be 4.4, but more often something else is four
                is_counted = self._counts(stated, atom)
                is_noun = is_counted or overlap(atom.names, self._noun(stated)) >= NAMED
                score += _ITS_NOUN if is_noun else _OTHER_NOUN
                score += _COUNTED * is_counted
            elif (
                "." in stated.digits
                and isinstance(atom.value, int)
                and not atom.code.isidentifier()
            ):
                continue  # a count has no decimals
            score += _LABELLED * bool(atom.labels) * _labels_are_said(atom, said)
            score -= _PER_CHARACTER * max(0, len(atom.code) - _LONG)
            sure = score > 0 and self._sure(stated, atom, said - whole, same)
            candidates.append(Candidate(atom.code, score, sure, (atom,), atom.value))
        return _sure_first(sorted(candidates, key=lambda c: (-c.score, not c.sure)))

    def _whole(self, stated: Stated) -> frozenset[str]:
        """Return the words for what a part is of: *8 % of the limit* is not the limit itself."""
        of, the = self.words.pattern("roles", "of_value"), self.words.pattern("grammar", "the")
        every = self.words.pattern("quantifiers", "all")
        of_all = rf"\s?%?\s+{of}\s+(?:{the}|{every})\s+(\w+)"
        match = re.match(of_all, self.text[stated.end :])
        is_part = is_percent(stated) or stated.times
        return stems(match[1]) if match and is_part else frozenset()

    def named(self, atom: Atom, said: frozenset[str]) -> float:
        """Return the score of what the sentence and the text before it say of an atom's names."""
        names = atom.names.union(*atom.labels)
        score = _SAID * min(overlap(names, said), _MOST_SAID)
        score += _SAID_BEFORE * min(overlap(names, self.said_before), _MOST_BEFORE)
        return score + _VARIABLE * atom.code.isidentifier() - atom.cost

    def _noun(self, stated: Stated) -> frozenset[str]:
        """Return the words behind a number that may say what it counts."""
        behind = self.text[stated.end : self.sentence.end]
        words = re.findall(r"[^\W\d_]+", behind)[:2]
        return stems(" ".join(words), spoken=True) | self.sentence.beside

    def _sure(self, stated: Stated, atom: Atom, said: frozenset[str], same: bool) -> bool:
        """Return whether a number may be bound to an atom unasked, as the sentence names it.

        ``said`` are the stems of the sentence; ``same``, whether an output of the atom has the
        digits of the number. The fewer these are, the more of the names must be said.
        """
        is_counted = is_count(stated) and self._counts(stated, atom)
        if is_limit(stated) and not is_counted:
            return False
        # Places, sizes and extremes have words of their own.
        is_place = is_ordinal(stated, self.text)
        if is_place and atom.code.isidentifier():
            return overlap(atom.names, said) >= NAMED * len(atom.names)
        if is_counted and not is_place:
            return True
        if self._is_doubtful(stated, atom):
            return False
        if is_place:
            return atom.extreme.startswith("arg") and self._selects(atom, said)
        if SIZE.search(atom.code):
            return self._around(stated).counted(atom)
        if atom.extreme:
            return self._is_sure_extreme(stated, atom, said)
        # An element, whose label is beside the number, or the only quantity with this value.
        if self._is_nearest(stated, atom) and (same or significant_digits(stated) > 1):
            return True
        if self._is_the_only(stated, atom):
            return True
        # Any other expression: the sentence must name it, or the digits must be many.
        if needs_name(stated) and not self._is_beside(stated, atom):
            return False
        if is_count(stated):
            return False
        named = overlap(atom.names.difference(*atom.labels), said) >= NAMED
        if not significant_digits(stated):
            return self._is_sure_multiple(stated, atom, said, named)
        return self._is_sure_in_digits(stated, atom, said, named, same)

    def _is_sure_extreme(self, stated: Stated, atom: Atom, said: frozenset[str]) -> bool:
        """Return whether a number is the extreme of a series, or its place, as the words say."""
        is_place = atom.extreme.startswith("arg")
        is_small = is_count(stated) and (is_place or float(atom.value) < _FEW)
        return self._is_the_extreme(stated, atom) or (self._selects(atom, said) and not is_small)

    def _is_sure_multiple(
        self, stated: Stated, atom: Atom, said: frozenset[str], named: bool
    ) -> bool:
        """Return whether a fraction or multiple in words is surely an atom: *half*, *a third*.

        ``named`` is whether the sentence says the names of the atom.
        """
        may_be_ratio = self._is_multiple(stated)  # *twice* is of two numbers, *a third* may not be
        is_whole = is_multiple(stated) and float(atom.value) == float(stated.value)
        if is_whole and atom.code.isidentifier() and not may_be_ratio:
            return named or self._is_alone(stated, atom)
        is_ratio = "/" in atom.code or (bool(atom.labels) and _labels_are_said(atom, said))
        is_printed_share = bool(atom.shown) and "[" not in atom.code and not may_be_ratio
        return named and (is_ratio or is_printed_share)

    def _is_sure_in_digits(
        self, stated: Stated, atom: Atom, said: frozenset[str], named: bool, same: bool
    ) -> bool:
        """Return whether a number in digits is surely an atom, whose names may be said (``named``).

        ``same`` is whether an output of the atom has the same digits.
        """
        significant = significant_digits(stated)
        if significant == 1 and (cost_of_fit(stated, float(atom.value)) or 0) >= 1:
            return False  # it is a coarse rounding
        if atom.labels and not (same and significant >= _RARE):
            is_name = any(word.isalpha() for label in atom.labels for word in label)
            near = said | self.said_before if is_name else said
            return _labels_are_said(atom, near) and (named or significant > 1)
        if named or len(atom.code) == 1:
            return named
        # Nothing is named: only many digits speak for the atom.
        is_decimal = not stated.digits.isdecimal()
        is_shown = same and (significant >= _RARE or (significant == 2 and is_decimal))
        is_variable = atom.code.isidentifier() and significant >= _RARE
        return significant >= _UNIQUE or is_shown or is_variable

    def is_clear(self, stated: Stated, ranked: Sequence[Candidate]) -> bool:
        """Return whether the best candidate scores well, and no other one comes near.

        A number of two digits may be the rounding of something else, and one that is shown with
        another sign is not the value itself.
        """
        if not ranked or ranked[0].score < _CLEAR or len(ranked[0].atoms) != 1:
            return False
        if significant_digits(stated) < 2 and not (
            is_count(stated) and ranked[0].score >= _CLEAR_COUNT
        ):
            return False
        best, (atom,) = ranked[0], ranked[0].atoms
        said = self.sentence.without(stated)
        if any(map(_is_numeric, atom.labels)) and not _labels_are_said(atom, said):
            return False  # *16 is larger than 9* says nothing of ``steps(7)``
        if is_limit(stated) or is_ordinal(stated, self.text) or self._is_doubtful(stated, atom):
            return False
        # A printed text of other digits is another number, unless it has more of them; of the same
        # digits with another sign, it is the opposite.
        significant = significant_digits(stated)
        shown, digits = atom.shown.rstrip("%"), re.sub(r"[,\s%]", "", stated.digits)
        if significant < 2:
            return all(best.score - other.score >= _FAR for other in ranked[1:])
        if shown != digits and (significant < _RARE or shown.lstrip("+-") == digits):
            return False
        return all(best.score - other.score >= _FAR for other in ranked[1:])

    def _is_the_only(self, stated: Stated, atom: Atom) -> bool:
        """Return whether a quantity is a variable, element, sum or extreme, and no other value.

        It has a unit, or more than one digit, and no other expression of the page has its value.
        """
        if not _SIMPLE.fullmatch(atom.code) or not counts_exactly(stated, float(atom.value)):
            return False
        is_share = is_percent(stated) and abs(float(atom.value)) < 1
        if is_count(stated) or (self._whole(stated) and not is_share):
            return False
        unit = unit_behind(self.text, stated.start, self.words)
        has_unit = bool(unit) or len(stated.scales) > 1
        least_digits = 2 if atom.code.isidentifier() or has_unit else _RARE
        has_digits = significant_digits(stated) >= least_digits
        is_rare = has_digits and float(stated.value) not in _ROUND
        is_variable_with_unit = has_unit and atom.code.isidentifier()
        if not stated.digits or not (is_variable_with_unit or is_rare):
            return False
        return self._is_alone(stated, atom)

    def _is_alone(self, stated: Stated, atom: Atom) -> bool:
        """Return whether no other expression of the page has the value of a number."""
        return not any(
            unrounded(other.code) != atom.code
            and not (atom.series and other.series == atom.series and other.value == atom.value)
            and cost_of_fit(stated, float(other.value)) is not None
            for other in self.pool
        )

    def _is_doubtful(self, stated: Stated, atom: Atom) -> bool:
        """Return whether a number says too little, or is a part of a term or of the code.

        These are 0, 1 and 2; the limit in *8 % of the limit*; a constant that the code itself
        contains; and a multiple behind which something else than a part of the sentence follows.
        """
        value = float(atom.value)
        if abs(value) <= _TINY and value.is_integer() and self.sentence.column is None:
            return not is_ordinal(stated, self.text) and not is_percent(stated)
        if atom.code.isidentifier() and overlap(atom.names, self._whole(stated)) >= NAMED:
            return True  # *8 % of the limit* is not the limit
        if stated.digits and stated.digits in _CONSTANT.findall(atom.code):
            return True
        if self._is_multiple(stated):
            # *It is twice as high* may be an atom; *twice the height* is a ratio of two.
            no_noun = rf"\s+{self.words.pattern('grammar', 'open')}\b|\s*(?:[^\w\s]|$)"
            has_no_noun = re.match(no_noun, self.text[stated.end :])
            return atom.extreme.startswith("arg") or not has_no_noun
        return False

    def _is_beside(self, stated: Stated, atom: Atom) -> bool:
        """Return whether the name of a value, or of an element, is next to a number."""
        if atom.labels and _labels_are_said(atom, self.sentence.said):
            words = (word for label in atom.labels for word in label - PLACES)
            return self.sentence.column is not None or any(word.isalpha() for word in words)
        before = self.text[self.sentence.start : stated.start].split()[-_BESIDE:]
        behind = self.text[stated.end : self.sentence.end].split()[:_BEHIND]
        near = words_of(" ".join([*before, "\ufffc", *behind])) | self.sentence.beside
        return overlap(atom.names, near) >= NAMED

    def _is_multiple(self, stated: Stated) -> bool:
        """Return whether words state a multiple: *twice* and *half*, but not *a third*."""
        written = self.text[stated.start : stated.end]
        return self.words.value("multiples", written) is not None or written.endswith(
            ("times", "fold")
        )

    def _selects(self, atom: Atom, said: frozenset[str]) -> bool:
        """Return whether the sentence names a series, and says that it is about its largest."""
        function = atom.extreme.removeprefix("arg")
        table = {"max": "largest", "min": "smallest"}[function]
        either = self.words.pattern("grammar", "either")
        superlatives = "|".join(
            [*MEANINGS[function].split(), self.words.pattern("directions", table), either]
        )
        text = self.text[self.sentence.start : self.sentence.end]
        named = overlap(atom.names - stems(MEANINGS[function]), said)
        return named >= NAMED and bool(re.search(rf"\b(?:{superlatives})\b", text, re.IGNORECASE))

    def _is_the_extreme(self, stated: Stated, atom: Atom) -> bool:
        """Return whether a superlative in the clause of a number leaves only one series.

        *The thickest tree has 47 cm*: 47 is the largest of one list alone.
        """
        if atom.extreme.startswith("arg"):
            return False
        table = {"max": "largest", "min": "smallest"}[atom.extreme]
        superlative = self.words.pattern("directions", table)
        either = self.words.pattern("grammar", "either")
        around = self._around(stated)
        # *The thickest tree is the tallest, at 24 m*.
        next_to = re.search(rf"\b(?:{superlative}|{either})\b\W+(?:\w+\W+)?$", around.before, re.I)
        inside = re.search(
            rf"\b(?:{superlative}|{either})\b", f"{around.ahead} {around.after}", re.I
        )
        if not (next_to or inside):
            return False
        same = [
            other for other in self.pool if other.value == atom.value and other.code != atom.code
        ]
        return all(other.series == atom.series or other.cost > _FAR_FETCHED for other in same)

    def _counts(self, stated: Stated, atom: Atom) -> bool:
        """Return whether the words around a small integer say that it is an expression's value."""
        around = self._around(stated)
        if around.counted(atom):
            return True
        lengths = [other for other in self.pool if other.code.startswith("len(")]
        if not any(around.counted(length) and length.value == atom.value for length in lengths):
            arguments = self.sentence, lengths, self.words
            if is_length_of_all(stated, atom, *arguments, is_first=self._is_first):
                return True
        named = self._is_named(stated, atom)
        return (named or float(atom.value) > _TINY) and self._is_nearest(stated, atom)

    def _is_named(self, stated: Stated, atom: Atom) -> bool:
        """Return whether the sentence says the name of an element's list, besides its labels."""
        names = atom.names.difference(*atom.labels)
        return overlap(names, self.sentence.without(stated)) >= NAMED

    def _is_nearest(self, stated: Stated, atom: Atom) -> bool:
        """Return whether the labels of an element are nearer to a number than those of others."""
        if not atom.series or not atom.labels or atom.extreme:
            return False
        words = frozenset().union(*atom.labels) - PLACES
        if not any(len(word) > 1 and word.isalpha() for word in words):
            # A place or a number is no name: *index 4* is not element 4 of any list.
            named = self._is_named(stated, atom)
            is_number = any(len(word) > 1 and word.isdecimal() for word in words)
            exact = is_number and significant_digits(stated) > 1
            if not exact and (is_count(stated) or not named):
                return False
        family = [other for other in self.pool if other.series == atom.series and not other.extreme]
        return self._around(stated).nearest(atom, family)

    def _around(self, stated: Stated) -> Surroundings:
        """Return the words around a number; they are kept, since many atoms are compared."""
        if stated not in self._surroundings:
            self._surroundings[stated] = Surroundings(self.sentence, stated, self.words)
        return self._surroundings[stated]


def _sure_first(ranked: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates with a sure one first if it means the same as the best one.

    Of several sure ones with the same labels, the shortest is first.
    """
    if not ranked:
        return []
    best = ranked[0]
    same = [candidate for candidate in ranked if candidate.sure and means_the_same(candidate, best)]
    if best.sure:
        same = [candidate for candidate in same if _labels(candidate) == _labels(best)]
    if not same:
        return list(ranked)
    first = min(same, key=lambda candidate: len(candidate.code)) if best.sure else same[0]
    rest = [candidate for candidate in ranked if candidate is not first]
    return [replace(first, score=best.score), *rest]


def _labels(candidate: Candidate) -> tuple[tuple[frozenset[str], ...], ...]:
    return tuple(atom.labels for atom in candidate.atoms)


def _is_numeric(label: frozenset[str]) -> bool:
    return bool(label) and not any(word.isalpha() for word in label)


def _labels_are_said(atom: Atom, said: frozenset[str]) -> bool:
    return all(says_label(label, said) for label in atom.labels)


#: A variable, an element of one, or the sum or an extreme of its elements.
_SIMPLE = re.compile(
    r"\w+(?:\[[^][]*\])?|(?:sum|max|min)\(\w+(?:\.values\(\))?\)|\w+\.(?:sum|max|min)\(\)"
)
#: A number in code.
_CONSTANT = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")


def tables(sentences: Sequence[Passage]) -> Iterator[list[Passage]]:
    """Yield the cells of each column of each table."""
    cells = [sentence for sentence in sentences if sentence.column is not None]
    lines = sorted({cell.line for cell in cells})
    for _, table in groupby(enumerate(lines), key=lambda cell: cell[1] - cell[0]):
        rows = {line for _, line in table}
        in_table = [cell for cell in cells if cell.line in rows]
        for title in dict.fromkeys(cell.column for cell in in_table):
            yield [cell for cell in in_table if cell.column == title]
