"""Searches conditions for the words of comparison in a sentence, and expressions for its names.

A condition holds, and agrees with its word. Its sides are bound numbers of the sentence, or
variables and elements that the sentence names.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from vaultkit.claims.comparisons import Spoken, comparisons
from vaultkit.edit import bind_labels, bind_quantified, bind_together
from vaultkit.edit.bind_compared import (
    NEAR,
    SCORE,
    SIGNS,
    WAYS,
    apart,
    beside,
    between_opposites,
    from_before,
    zeros,
)
from vaultkit.edit.bind_extremes import EITHER, extremes, names
from vaultkit.edit.bind_numbers import Reading
from vaultkit.edit.bind_trends import compares_neighbours, trends
from vaultkit.edit.kinds import is_multiple, is_percent
from vaultkit.edit.scope import Scope, Side, Word, is_textual
from vaultkit.edit.sentences import Candidate, Page, Passage, words_of
from vaultkit.edit.sides import (
    are_of_one_kind,
    are_of_series,
    comparable,
    holds,
)
from vaultkit.edit.syntax import identifiers
from vaultkit.edit.wording import NAMED, overlap, says_label, stems

#: The tables of the lexicon with words of comparison.
_TABLES = ("directions", "order", "sides", "weak")
#: Fewest letters of a text.
_FEW = 3


def of_sentence(page: Page, sentence: Passage, readings: Sequence[Reading]) -> Iterator[Word]:
    """Yield the words of comparison and the names of a sentence that have candidates."""
    if sentence.column is not None:
        return
    search = _Search(page, sentence, readings)
    for spoken in comparisons(sentence.piece.text, page.words, late=False):
        inside = sentence.start <= spoken.start < sentence.end
        if not inside or spoken.table not in _TABLES:
            continue
        if spoken.table == "sides":
            spoken = replace(spoken, what=f"sides:{spoken.what}")
        several = bind_together.conditions(search, spoken)
        if not bind_together.joins_two(search, spoken):
            labelled = bind_labels.conditions(search, spoken)
            several = [
                *search.conditions(spoken, has_labels=any(one.sure for one in labelled)),
                *labelled,
                *bind_quantified.conditions(search, spoken),
            ]
        found = [
            one for one in several
            if search.agrees(spoken, one.code) and not search.excludes(spoken, one.code)
        ]  # fmt: skip
        if found:
            yield Word(spoken.start, spoken.end, _merged(found), states=True)
        yield from bind_quantified.numbers(search, spoken)
        if not spoken.denied and spoken.table != "weak":
            yield from names(search, spoken)
            yield from bind_labels.names(search, spoken)
    yield from bind_labels.multiples(search)
    yield from search.elements()
    yield from search.nothing()
    yield from search.thresholds(readings)


def _merged(found: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates, the best first; what is found in two ways has the better of both."""
    best: dict[str, Candidate] = {}
    for one in sorted(found, key=lambda own: -own.score):
        known = best.setdefault(one.code, one)
        best[one.code] = replace(known, sure=known.sure or one.sure)
    return list(best.values())


class _Search(Scope):
    """The search in one sentence."""

    def conditions(self, spoken: Spoken, *, has_labels: bool) -> Iterator[Candidate]:
        """Yield the conditions for a word of comparison that hold.

        With ``has_labels``, the labels of the sentence show which two things are compared.
        """
        before, behind = self.clause(spoken.start)
        if not spoken.denied and spoken.what in ("more", "less"):
            yield from beside(self.text, self.stated, spoken, self.page.words)
            yield from apart(self.text, self.stated, spoken, self.numbers, self.page.words)
        if spoken.table == "weak":
            return
        if spoken.denied:
            if spoken.what in ("rises", "falls"):
                yield from trends(self, spoken, before, behind)
            return
        yield from extremes(self, spoken)
        if spoken.what in ("rises", "falls"):
            yield from trends(self, spoken, before, behind)
            yield from self._from_to(spoken, behind)
            earlier = [atom for own in self.page.said.values() for atom in own]
            yield from from_before(self.text, self.stated, spoken, earlier, self.page.words)
        if spoken.what in ("more", "less", "rises", "falls"):
            yield from self._differences(spoken)
        if spoken.what in ("more", "less") and compares_neighbours(self, spoken):
            yield from trends(self, spoken, before, behind)
            return
        if has_labels:
            return
        if spoken.what in ("more", "less", "same") or spoken.what in EITHER:
            pairs = list(self._pairs(spoken, before, behind))
            yield from pairs
            if not any(one.sure for one in pairs):
                yield from self._two_numbers(spoken, behind)

    # --- The largest and smallest --------------------------------------------------------------

    def elements(self) -> Iterator[Word]:
        """Yield the texts that the sentence shows: *the first is Green*, *the winner is Blue*."""
        found: dict[tuple[int, int], list[Candidate]] = {}
        for atom in self.pool:
            if not isinstance(atom.value, str) or atom.extreme or len(atom.value) < _FEW:
                continue
            pattern = re.compile(rf"(?<![\w-]){re.escape(atom.value)}(?![\w-])")
            place = pattern.search(self.text, self.sentence.start, self.sentence.end)
            if place is None:
                continue
            before = re.split(r"[,;:.]\s", self.text[self.sentence.start : place.start()])[-1]
            near = words_of(" ".join(before.split()[-NEAR:]))
            if re.fullmatch(r"\w+\[-?\d+\]", atom.code):
                sure = all(says_label(own, near) for own in atom.labels)
                sure = sure and overlap(atom.names, self.sentence.said) >= NAMED
            else:
                sure = atom.code.isidentifier() and overlap(atom.names, near) >= NAMED
            if sure and atom.value.lower() not in atom.names:
                score = 1.0 + overlap(atom.names, near) - atom.cost
                found.setdefault(place.span(), []).append(
                    Candidate(atom.code, score, True, (atom,), atom.value)
                )
        for (first, last), several in found.items():
            yield Word(first, last, sorted(several, key=lambda one: -one.score), states=False)

    def nothing(self) -> Iterator[Word]:
        """Yield *no* and *never* with the zeros that they state."""
        for place, name in self.page.words.find("counts", self.text):
            if name == "0" and self.sentence.start <= place.start() < self.sentence.end:
                said = words_of(self.text[slice(*self.part(place.start()))])
                if found := zeros(said, self.numbers):
                    yield Word(*place.span(), found, states=False)

    def thresholds(self, readings: Sequence[Reading]) -> Iterator[Word]:
        """Yield conditions for *more than half (0.507)*, if the other number is bound."""
        for stated, _ in readings:
            ranges = [one for one in stated.ranges if one.low is None or one.high is None]
            start, end = self.clause(stated.start)
            if self.page.words.regex(r"<clauses.concluding>\W*$").search(self.text[:start]):
                start = self.sentence.start  # *the load is 0.64, so more than half*
            for first, _, side in self.bound:
                for one in ranges[:1] if start <= first < end else ():
                    if is_percent(stated) and side.unit != "%":
                        continue
                    limit = float(one.low or 0) if one.high is None else float(one.high)
                    sign = "<" if one.low is None else ">"
                    sign += "" if one.strict else "="
                    if limit and one.holds(Fraction(side.value)) and 0.5 < side.value / limit < 2:
                        code = f"{side.code} {sign} {limit:g}"
                        far = 1.5 if is_multiple(stated) else 1.25
                        sure = 1 / far < side.value / limit < far
                        yield Word(
                            stated.start, stated.end, [Candidate(code, 2.0, sure)], states=True
                        )

    def _two_numbers(self, spoken: Spoken, end: int) -> Iterator[Candidate]:
        """Yield the comparison of the only two numbers of a sentence, if they are alike.

        *The first half took 106.0 s, the second 116.2 s, so the second was longer.*
        """
        alike = [one for one in self.bound if one[0] < spoken.start and " - " not in one[2].code]
        gaps = [one[0] for one in self.bound if " - " in one[2].code]
        starts = [start for start in self.starts if start not in gaps]
        inside = [one for one in self.bound if spoken.end <= one[0] < end and one[0] in starts]
        opposed = [one for one in self.bound if spoken.end <= one[0]][:2]
        against = between_opposites(self.page.words)
        if len(opposed) == 2 and against.fullmatch(self.text, opposed[0][1], opposed[1][0]):
            # *It costs more than water (2.05 against 1.62)*.
            alike, inside = opposed, []
        elif len(alike) == 1 and len(inside) == 1:
            alike += inside
        elif inside or any(spoken.end <= start < end for start in starts):
            return
        if len(alike) != 2:
            return
        (_, one_end, one), (_, _, other) = alike
        same_unit = bool(one.unit) and one.unit == other.unit
        same_unit = same_unit or bool(against.fullmatch(self.text, one_end, alike[1][0]))
        # The mean and the median of one list are alike, too.
        same_list = bool(identifiers(one.code) & identifiers(other.code))
        same_list = same_list and "(" in one.code and "(" in other.code
        if one.code == other.code or not (
            same_unit or same_list or are_of_series(one.code, other.code)
        ):
            return
        for left, right in ((one, other), (other, one)):
            way = WAYS.get(spoken.what, 1 if left.value > right.value else -1)
            code = f"{left.code} {SIGNS[way]} {right.code}"
            if holds(left.value, right.value, way) and self.decides(spoken, code):
                yield Candidate(code, SCORE, True)

    # --- Changes -------------------------------------------------------------------------------

    def _from_to(self, spoken: Spoken, end: int) -> Iterator[Candidate]:
        """Yield the condition for *falls from 3 to 2*, if both numbers are bound."""
        behind = [one for one in self.bound if spoken.end <= one[0] < end]
        begins, ends = (self.page.words.regex(rf"\b<binding.{name}>\b") for name in ("start", "to"))
        if len(behind) < 2 or not begins.search(self.text[spoken.end : behind[0][0]]):
            return
        if not ends.search(self.text[behind[0][1] : behind[1][0]]):
            return
        before, after = behind[0][2], behind[1][2]
        if (after.value - before.value) * WAYS[spoken.what] > 0:
            yield Candidate(f"{after.code} {SIGNS[WAYS[spoken.what]]} {before.code}", 5.0, True)

    def _differences(self, spoken: Spoken) -> Iterator[Candidate]:
        """Yield the condition for *rises by 0.18*, if the number is bound to a difference."""
        before_gap = self.page.words.regex(r"\s+<roles.by>\s+(?:\w+\s+){0,2}")
        for start, end, side in self.bound:
            by = spoken.end <= start and before_gap.fullmatch(self.text[spoken.end : start])
            if not by and not 0 <= spoken.start - end <= 4:
                continue
            tree = ast.parse(side.code, mode="eval").body
            if (
                isinstance(tree, ast.Call)
                and isinstance(tree.func, ast.Name)
                and tree.func.id == "round"
            ):
                tree = tree.args[0]
            match tree:
                case ast.BinOp(left, ast.Sub(), right) if side.value:
                    way = WAYS[spoken.what]
                    # *1.5 m lower* may be the higher one minus the lower one.
                    sides = (left, right) if side.value * way > 0 else (right, left)
                    one, other = map(ast.unparse, sides)
                    yield Candidate(f"{one} {SIGNS[way]} {other}", 4.0, True)

    # --- Two sides -----------------------------------------------------------------------------

    def _pairs(self, spoken: Spoken, start: int, end: int) -> Iterator[Candidate]:
        """Yield conditions for *a is larger than b*."""
        links = "<binding.than>|<binding.equal_to>" if spoken.what == "same" else "<binding.than>"
        than = self.page.words.regex(rf"\b(?:{links})\b")
        match = than.search(self.text, spoken.end, end)
        if not match:
            return
        middle = match.end()
        if spoken.what != "same" and any(middle <= one <= middle + 2 for one in self.starts):
            return  # *more than three times*
        for left in self._sides(start, middle):
            for right in self._sides(middle, end):
                both = left.unit and left.unit == right.unit
                if left.code == right.code or not (both or comparable(left.code, right.code)):
                    continue
                way = WAYS.get(spoken.what, 1 if left.value > right.value else -1)
                if holds(left.value, right.value, way):
                    code = f"{left.code} {SIGNS[way]} {right.code}"
                    score = left.score + right.score
                    alike = both or are_of_one_kind(left.code, right.code)
                    sure = left.sure and right.sure and bool(alike)
                    sure = sure or self._is_beside_than(spoken, match.start(), left, right)
                    yield Candidate(code, score, sure and self.decides(spoken, code))

    def _is_beside_than(self, spoken: Spoken, than: int, left: Side, right: Side) -> bool:
        """Return whether two variables are all that is compared: *fewer stitches than rows*."""
        if not (left.code.isidentifier() and right.code.isidentifier()):
            return False
        one = stems(self.text[spoken.end : than], spoken=True)
        words = re.match(r"\w+\s+(\w+)", self.text[than:])
        other = stems(words[1], spoken=True) if words else frozenset()
        return one == stems(left.code) and other == stems(right.code)

    def _sides(self, start: int, end: int) -> list[Side]:
        """Return what a part of the sentence may mean: its bound numbers, or what it names."""
        said = words_of(self.text[start:end])
        found = [side for first, _, side in self.bound if start <= first < end][:1]
        for atom in self.numbers:
            if not atom.labels and not atom.code.isidentifier():
                continue
            is_labelled = bool(atom.labels) and all(
                is_textual(own) and says_label(own, said) for own in atom.labels
            )
            own = stems(atom.code)
            whole = len(own) < 2 or overlap(own, said) >= NAMED * len(own)
            named = overlap(atom.names, said)
            if is_labelled or (not atom.labels and named >= NAMED and whole):
                score = (
                    named + 0.3 * overlap(atom.names, self.sentence.said) + is_labelled - atom.cost
                )
                found.append(Side(atom.code, float(atom.value), score, True))
        return sorted(found, key=lambda one: -one.score)[:6]
