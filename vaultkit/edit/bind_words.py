"""Searches conditions for the words of comparison in a sentence, and expressions for its names.

A condition holds, and agrees with its word. Its sides are bound numbers of the sentence, or
variables and elements that the sentence names.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from vaultkit.claims.comparisons import Spoken, comparisons, contradiction, relation
from vaultkit.claims.stated import significant_digits
from vaultkit.edit.bind_beside import numbers_of, unit_or_noun
from vaultkit.edit.bind_compared import (
    AGAINST,
    AND,
    NEAR,
    SCORE,
    SIGNS,
    WAYS,
    apart,
    beside,
    from_before,
    zeros,
)
from vaultkit.edit.bind_numbers import PLACES, Reading
from vaultkit.edit.described import WORD, places_of
from vaultkit.edit.expressions import Atom
from vaultkit.edit.kinds import cost_of_fit, is_count
from vaultkit.edit.sentences import Candidate, Page, Sentence, is_alone, words_of
from vaultkit.edit.sides import (
    are_of_one_kind,
    are_of_series,
    comparable,
    holds,
    part_of_list,
)
from vaultkit.edit.wording import NAMED, overlap, says_label, stems

#: Words whose way depends on the quantity: more speed is faster, more time is slower.
_EITHER = {"sides:more", "sides:less", "sides:better", "sides:worse"}
#: Superlatives of time, which are no value of a list: *the latest figure is 38*.
_OF_TIME = ("latest", "earliest")
_SUPERLATIVE = re.compile(r"\w+est|worst")
#: The end of a clause.
_CLAUSE = re.compile(r"[;:]|, (?:but|yet|and|while|so|although|though|whereas)\b")
#: What a label beside the superlative adds: less than a name, as it may be there by chance.
_BESIDE = 0.5
#: Fewest elements of a series.
_FEW = 3
#: So many numbers in a row are hardly ever in order by chance.
_MANY = 6


@dataclass(frozen=True)
class Word:
    """A word with its candidates, at its place in the text."""

    start: int
    end: int
    candidates: list[Candidate]
    states: bool


@dataclass(frozen=True)
class _Side:
    """An expression that one side of a comparison may mean."""

    code: str
    value: float
    score: float
    sure: bool
    #: Its unit, if it is a number of the sentence.
    unit: str = ""


def of_sentence(page: Page, sentence: Sentence, readings: Sequence[Reading]) -> Iterator[Word]:
    """Yield the words of comparison and the names of a sentence that have candidates."""
    if sentence.column is not None:
        return
    search = _Search(page, sentence, readings)
    for spoken in comparisons(sentence.piece.text, page.words, late=False):
        inside = sentence.start <= spoken.start < sentence.end
        if not inside or spoken.table not in ("directions", "sides", "weak"):
            continue
        if spoken.table == "sides":
            spoken = replace(spoken, what=f"sides:{spoken.what}")
        found = [one for one in search.conditions(spoken) if search.agrees(spoken, one.code)]
        if found:
            yield Word(spoken.start, spoken.end, _merged(found), states=True)
        if not spoken.denied and spoken.table != "weak":
            yield from search.names(spoken)
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


class _Search:
    """The search in one sentence."""

    def __init__(self, page: Page, sentence: Sentence, readings: Sequence[Reading]) -> None:
        self.page = page
        self.sentence = sentence
        self.text = sentence.piece.text
        self.pool = page.pool(sentence.line)
        self.numbers = [a for a in self.pool if not isinstance(a.value, str)]
        #: The numbers of the sentence that are bound, with their ends and sides.
        self.bound = [
            (
                stated.start,
                stated.end,
                _Side(found[0].code, value, 3.0, True, unit_or_noun(self.text, stated)),
            )
            for stated, found in readings
            if is_alone(found) and found[0].sure and stated.digits
            if (value := _value(found[0])) is not None
        ]
        self.starts = [stated.start for stated, _ in readings]
        #: The numbers of the sentence, bound or not.
        self.stated = numbers_of(dict(readings), sentence)
        self.codes = {side.code for _, _, side in self.bound}

    def agrees(self, spoken: Spoken, code: str) -> bool:
        """Return whether the words before a condition do not contradict it."""
        tree = ast.parse(code, mode="eval").body
        before = self.text[self.sentence.start : spoken.end]
        return not contradiction(before, relation(tree), self.page.words)

    def conditions(self, spoken: Spoken) -> Iterator[Candidate]:
        """Yield the conditions for a word of comparison that hold."""
        before, behind = self._clause(spoken.start)
        if not spoken.denied and spoken.what in ("more", "less"):
            yield from beside(self.text, self.stated, spoken)
            yield from apart(self.text, self.stated, spoken, self.numbers)
        if spoken.table == "weak":
            return
        if spoken.denied:
            if spoken.what in ("rises", "falls"):
                yield from self._trends(spoken, before, behind)
            return
        yield from self._extremes(spoken)
        if spoken.what in ("rises", "falls"):
            yield from self._trends(spoken, before, behind)
            yield from self._from_to(spoken, behind)
            earlier = [atom for own in self.page.said.values() for atom in own]
            yield from from_before(self.text, self.stated, spoken, earlier)
        if spoken.what in ("more", "less", "rises", "falls"):
            yield from self._differences(spoken)
        if spoken.what in ("more", "less", "same") or spoken.what in _EITHER:
            pairs = list(self._pairs(spoken, before, behind))
            yield from pairs
            if not any(one.sure for one in pairs):
                yield from self._two_numbers(spoken, behind)

    def _clause(self, at: int) -> tuple[int, int]:
        """Return where the clause around a place begins and ends."""
        stops = [stop.end() for stop in _CLAUSE.finditer(self.text, self.sentence.start, at)]
        stop = _CLAUSE.search(self.text, at, self.sentence.end)
        end = stop.start() if stop else self.sentence.end
        return stops[-1] if stops else self.sentence.start, end

    # --- The largest and smallest --------------------------------------------------------------

    def _extremes(self, spoken: Spoken) -> Iterator[Candidate]:
        """Yield conditions that an element is the largest of its series: ``d['a'] == max(d)``.

        The element is the one of which the label, or a number bound to it, is nearest to the
        superlative. The score counts the names of the series that the sentence says, the labels,
        the bound number, and whether the label is beside the superlative; a far-fetched expression
        loses its cost. The candidate is sure if the element is bound, or if the sentence names it
        in words and either names the series, too, or has the label beside the superlative. *Best*
        and *fastest* may be either extreme, so that the series must be named.
        """
        for atom in self.pool:
            function = atom.extreme
            if function not in _functions(spoken) or isinstance(atom.value, str):
                continue
            elements = [
                one for one in self.numbers if one.series == atom.series and not one.extreme
            ]
            if len(elements) < _FEW:
                continue
            named = overlap(atom.names - stems(_MEANINGS[function]), self.sentence.said)
            one = self._nearest(spoken, elements)
            if one is None or one.value != atom.value:
                continue
            bound = one.code in self.codes or self._is_stated(spoken, one)
            textual = bool(one.labels) and all(map(_is_textual, one.labels))
            near = len(elements) > _FEW and textual and self._label_is_near(spoken, one)
            placed = bool(one.labels) and not textual
            placed = placed and (named >= NAMED or self._counts(spoken, len(elements)))
            sure = bound or placed or (textual and (named >= NAMED or near))
            if spoken.what in _EITHER:
                sure = sure and (named >= NAMED or bound)
            noun = stems(" ".join(WORD.findall(self.text[spoken.end :])[:2]), spoken=True)
            score = SCORE + named + textual + bound + _BESIDE * near - one.cost
            score += overlap(stems(atom.series), noun) >= NAMED  # *the biggest harvest*
            yield Candidate(f"{one.code} == {atom.code}", score, sure, (one, atom))

    def _is_stated(self, spoken: Spoken, atom: Atom) -> bool:
        """Return whether the sentence states the value of an element.

        Not if the superlative is one of time.
        """
        if spoken.word in _OF_TIME:
            return False
        return any(
            cost_of_fit(one.stated, float(atom.value)) is not None
            and (significant_digits(one.stated) > 1 or is_count(one.stated))
            for one in self.stated
        )

    def _counts(self, spoken: Spoken, count: int) -> bool:
        """Return whether a superlative is of as many things: *the driest of the four*."""
        found = [one for one in self.stated if one.start >= spoken.end][:1]
        behind = self.text[spoken.end : found[0].start] if found else ""
        return (
            bool(found)
            and bool(re.fullmatch(r"\sof\s(?:\w+\s){0,2}", behind))
            and (found[0].value == count)
        )

    def _nearest(self, spoken: Spoken, elements: Sequence[Atom]) -> Atom | None:
        """Return the element whose label, or bound number, is nearest to a superlative.

        Labels in the clause of the superlative count; those before it are nearer than those behind.
        """
        begins, ends = self._part(spoken.start)
        ahead = WORD.findall(self.text[begins : spoken.start])[::-1]
        after = WORD.findall(self.text[spoken.end : ends])
        found = []
        for one in elements:
            if any(own & stems(spoken.word) for own in one.labels):
                continue
            places = [places_of(one.labels, words) for words in (ahead, after)]
            known = [place + 2 * n for n, place in enumerate(places) if place is not None]
            for start, end, side in self.bound:
                if side.code == one.code and begins <= start < ends:
                    between = self.text[end : spoken.start] or self.text[spoken.end : start]
                    known.append(len(WORD.findall(between)))
            if known:
                found.append((min(known), one))
        found.sort(key=lambda own: own[0])
        if not found or (len(found) > 1 and found[0][0] == found[1][0]):
            return None
        return found[0][1]

    def _part(self, at: int) -> tuple[int, int]:
        """Return where the part of a sentence around a place begins and ends: *and* is an end."""
        start, end = self._clause(at)
        stops = [stop.end() for stop in AND.finditer(self.text, start, at)]
        stop = AND.search(self.text, at, end)
        return stops[-1] if stops else start, stop.start() if stop else end

    def names(self, spoken: Spoken) -> Iterator[Word]:
        """Yield the names of the largest and smallest: *Gus* is ``max(distance, key=…)``."""
        found: dict[tuple[int, int], list[Candidate]] = {}
        start, end = self._clause(spoken.start)
        for atom in self.pool:
            function = atom.extreme
            if function not in _functions(spoken) or not isinstance(atom.value, str):
                continue
            place = re.compile(rf"(?<![\w-]){re.escape(atom.value)}(?![\w-])").search(
                self.text, start, end
            )
            elements = [
                one for one in self.numbers if one.series == atom.series and not one.extreme
            ]
            if place is None or len(elements) < _FEW:
                continue
            nearest = self._nearest(spoken, elements)
            if nearest is None or not stems(atom.value) & frozenset().union(*nearest.labels):
                continue
            named = overlap(atom.names - stems(_MEANINGS[function]), self.sentence.said)
            bound = nearest.code in self.codes or self._is_stated(spoken, nearest)
            near = len(elements) > _FEW and self._is_near(spoken, *place.span())
            sure = named >= NAMED or bound or near
            noun = stems(" ".join(WORD.findall(self.text[spoken.end :])[:2]), spoken=True)
            score = SCORE + named + bound + _BESIDE * near
            score += overlap(stems(atom.series), noun) >= NAMED
            candidate = Candidate(atom.code, score, sure, (atom,), atom.value)
            found.setdefault(place.span(), []).append(candidate)
        for (first, last), several in found.items():
            yield Word(first, last, sorted(several, key=lambda one: -one.score), states=False)

    def _is_near(self, spoken: Spoken, start: int, end: int) -> bool:
        """Return whether a name is the subject of a superlative: *a is the largest*."""
        if end <= spoken.start:
            between = self.text[end : spoken.start]
            return bool(
                re.fullmatch(
                    r"\W*(?:\s\w+\s)?(?:is|was|are|has|had)?\s*(?:by far\s+)?(?:the\s+)?", between
                )
            )
        between = self.text[spoken.end : start]
        return bool(re.fullmatch(r"\s(?:\w+\W+)??(?:(?:is|was|are)\s+)?(?:the\s+)?\W*", between))

    def _label_is_near(self, spoken: Spoken, atom: Atom) -> bool:
        """Return whether the key of an expression such as ``x['key']`` is near the words."""
        key = re.search(r"\['([^']+)'\]", atom.code)
        if not key:
            return False
        places = re.finditer(rf"(?<![\w-]){re.escape(key[1])}(?![\w-])", self.text, re.IGNORECASE)
        return any(self._is_near(spoken, *place.span()) for place in places)

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
                sure = sure and overlap(atom.names, near) >= NAMED
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
                said = words_of(self.text[slice(*self._part(place.start()))])
                if found := zeros(said, self.numbers):
                    yield Word(*place.span(), found, states=False)

    def thresholds(self, readings: Sequence[Reading]) -> Iterator[Word]:
        """Yield conditions for *more than half (0.507)*, if the other number is bound."""
        for stated, _ in readings:
            ranges = [one for one in stated.ranges if one.low is None or one.high is None]
            start, end = self._clause(stated.start)
            for first, _, side in self.bound:
                for one in ranges[:1] if start <= first < end else ():
                    limit = float(one.low or 0) if one.high is None else float(one.high)
                    sign = "<" if one.low is None else ">"
                    sign += "" if one.strict else "="
                    if limit and one.holds(Fraction(side.value)) and 0.5 < side.value / limit < 2:
                        code = f"{side.code} {sign} {limit:g}"
                        sure = 0.8 < side.value / limit < 1.25
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
        if len(opposed) == 2 and AGAINST.fullmatch(self.text, opposed[0][1], opposed[1][0]):
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
        same_unit = same_unit or bool(AGAINST.fullmatch(self.text, one_end, alike[1][0]))
        if one.code == other.code or not (same_unit or are_of_series(one.code, other.code)):
            return
        for left, right in ((one, other), (other, one)):
            way = WAYS.get(spoken.what, 1 if left.value > right.value else -1)
            code = f"{left.code} {SIGNS[way]} {right.code}"
            if holds(left.value, right.value, way) and self._decides(spoken, code):
                yield Candidate(code, SCORE, True)

    def _decides(self, spoken: Spoken, code: str) -> bool:
        """Return whether the word would contradict a condition if that were turned round."""
        turned = code.translate(str.maketrans("<>", "><"))
        return self.agrees(spoken, code) and not self.agrees(spoken, turned)

    # --- Changes -------------------------------------------------------------------------------

    def _trends(self, spoken: Spoken, start: int, end: int) -> Iterator[Candidate]:
        """Yield conditions that a list rises or falls from each element to the next."""
        # *The time grows with n* says nothing of the order of a list.
        if re.match(r"\s+with\b", self.text[spoken.end : end]):
            return
        said = words_of(self.text[start:end])
        way = WAYS[spoken.what]
        sign = SIGNS[way]
        if spoken.denied:
            sign = {">": "<=", "<": ">="}[sign]
        for series, family in self._lists().items():
            name, _, part = series.partition("[*]")
            first, last = self._range(spoken, family)
            values = [float(one.value) for one in family[first:last]]
            steps = [(b - a) * way for a, b in pairwise(values)]
            in_order = min(steps, default=0) > 0
            if spoken.denied:
                in_order = max(steps, default=0) <= 0
            # Equal steps are a grid, of which no sentence says that it rises.
            is_grid = len(values) > _FEW and max(steps) - min(steps) <= 1e-9 * abs(max(steps))
            if len(values) < _FEW or not in_order or is_grid:
                continue
            own, labels = family[0], family[0].labels[1:]
            partly = (first, last) != (0, len(family))
            named = overlap(own.names.union(*labels), said)
            if partly:
                named = max(named, overlap(own.names, self.sentence.said))
                named = max(named, NAMED * any(one.code in self.codes for one in family))
            whole = overlap(stems(name), said) >= NAMED * len(stems(name)) or bool(part)
            whole = whole or len(values) >= _MANY or partly
            if named >= NAMED and whole and all(overlap(one, said) >= NAMED for one in labels):
                listed = name if own.code.startswith(f"{name}[0") else f"list({name}.values())"
                one, other = part_of_list(listed, first, last, len(family))
                code = f"all(b{part} {sign} a{part} for a, b in zip({one}, {other}))"
                yield Candidate(code, SCORE + named, True, (own,))

    def _range(self, spoken: Spoken, family: Sequence[Atom]) -> tuple[int, int]:
        """Return the part of a list that a change is about: *from May to July*, *until Friday*."""
        begins, ends = self._part(spoken.start)
        text = self.text[begins:ends]
        count = len(family)

        def place(word: str) -> int | None:
            own = stems(word, spoken=True)
            found = [
                n for n, one in enumerate(family) if one.labels and says_label(one.labels[0], own)
            ]
            return found[0] if len(found) == 1 else None

        found = re.search(r"\bfrom\s+(\w+)\s+(?:on|to|until|till)\b", text, re.IGNORECASE)
        first = place(found[1]) if found else 0
        found = re.search(r"\b(?:to|until|till)\s+(\w+)", text, re.IGNORECASE)
        last = place(found[1]) if found else None
        last = count - 1 if last is None else last
        if re.search(r"\bfrom\s+there\b", text) and self.bound:
            codes = [one.code for one in family]
            known = [
                codes.index(s.code) for n, _, s in self.bound if n < begins and s.code in codes
            ]
            first = known[-1] if known else None
        if first is None:
            return 0, 0
        return first, last + 1

    def _lists(self) -> dict[str, list[Atom]]:
        """Return the elements of each list and dictionary, in order."""
        found: dict[str, list[Atom]] = {}
        for one in self.numbers:
            name, mark, _ = one.series.partition("[*]")
            if (
                mark
                and name.isidentifier()
                and re.match(rf"{name}\[(?:-?\d+|'[^']*')\]", one.code)
                and not one.extreme
            ):
                found.setdefault(one.series, []).append(one)
        return found

    def _from_to(self, spoken: Spoken, end: int) -> Iterator[Candidate]:
        """Yield the condition for *falls from 3 to 2*, if both numbers are bound."""
        behind = [one for one in self.bound if spoken.end <= one[0] < end]
        if len(behind) < 2 or not re.search(r"\bfrom\b", self.text[spoken.end : behind[0][0]]):
            return
        if not re.search(r"\bto\b", self.text[behind[0][1] : behind[1][0]]):
            return
        before, after = behind[0][2], behind[1][2]
        if (after.value - before.value) * WAYS[spoken.what] > 0:
            yield Candidate(f"{after.code} {SIGNS[WAYS[spoken.what]]} {before.code}", 5.0, True)

    def _differences(self, spoken: Spoken) -> Iterator[Candidate]:
        """Yield the condition for *rises by 0.18*, if the number is bound to a difference."""
        for start, end, side in self.bound:
            by = spoken.end <= start and re.fullmatch(
                r"\s+by\s+(?:\w+\s+){0,2}", self.text[spoken.end : start]
            )
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
        than = re.compile(r"\b(?:than|as|to)\b" if spoken.what == "same" else r"\bthan\b")
        found = than.search(self.text, spoken.end, end)
        if not found:
            return
        middle = found.end()
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
                    sure = sure or self._is_beside_than(spoken, found.start(), left, right)
                    yield Candidate(code, score, sure and self._decides(spoken, code))

    def _is_beside_than(self, spoken: Spoken, than: int, left: _Side, right: _Side) -> bool:
        """Return whether two variables are all that is compared: *fewer stitches than rows*."""
        if not (left.code.isidentifier() and right.code.isidentifier()):
            return False
        one = stems(self.text[spoken.end : than], spoken=True)
        words = re.match(r"\w+\s+(\w+)", self.text[than:])
        other = stems(words[1], spoken=True) if words else frozenset()
        return one == stems(left.code) and other == stems(right.code)

    def _sides(self, start: int, end: int) -> list[_Side]:
        """Return what a part of the sentence may mean: its bound numbers, or what it names."""
        said = words_of(self.text[start:end])
        found = [side for first, _, side in self.bound if start <= first < end][:1]
        for atom in self.numbers:
            if not atom.labels and not atom.code.isidentifier():
                continue
            is_labelled = bool(atom.labels) and all(
                _is_textual(own) and says_label(own, said) for own in atom.labels
            )
            own = stems(atom.code)
            whole = len(own) < 2 or overlap(own, said) >= NAMED * len(own)
            named = overlap(atom.names, said)
            if is_labelled or (not atom.labels and named >= NAMED and whole):
                score = (
                    named + 0.3 * overlap(atom.names, self.sentence.said) + is_labelled - atom.cost
                )
                found.append(_Side(atom.code, float(atom.value), score, True))
        return sorted(found, key=lambda one: -one.score)[:6]


_MEANINGS = {"max": "largest maximum peak most best longest highest",
             "min": "smallest minimum least fewest lowest shortest"}  # fmt: skip


def _is_textual(label: frozenset[str]) -> bool:
    """Return whether a label names an element other than by its place."""
    return any(word.isalpha() for word in label) and not label <= PLACES


def _functions(spoken: Spoken) -> tuple[str, ...]:
    """Return what a superlative selects: *best* and *fastest* may be either."""
    if spoken.what in ("largest", "smallest"):
        return ("max",) if WAYS[spoken.what] > 0 else ("min",)
    return ("max", "min") if spoken.what in _EITHER and _SUPERLATIVE.fullmatch(spoken.word) else ()


def _value(candidate: Candidate) -> float | None:
    """Return the value of an atom or of a difference; None for other combinations."""
    values = [float(atom.value) for atom in candidate.atoms]
    if len(values) == 1:
        return values[0]
    return values[0] - values[1] if " - " in candidate.code else None
