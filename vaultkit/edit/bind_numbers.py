"""Searches expressions that have the values of the numbers in a sentence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from vaultkit.claims.naming import unnamed
from vaultkit.claims.stated import Stated, numbers
from vaultkit.edit.expressions import Atom
from vaultkit.edit.sentences import Candidate, Page, Sentence, identifiers, words_of
from vaultkit.edit.wording import MEANINGS, NAMED, labelled, overlap, stems
from vaultkit.read.prose import CODE, END

#: Most atoms that are combined.
_PAIRED = 40
#: The largest integer that may agree by chance, and the largest that always may.
_SMALL, _TINY = 20, 2
#: Integers below it, and powers of two, need a name in the sentence.
_MANY = 100
#: What may follow a fraction or multiple, unless it is a part of a term, as in *half precision*.
_OPEN = re.compile(r"\s+(?:an?|the|of|as|its|their|that|this|in|per|is|are|to)\b|\s*(?:[^\w\s]|$)")
#: The least extreme that is not a coincidence.
_FEW = 3
#: How far the value of a number with one digit may be from it without suspicion.
_COARSE = 0.02
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
#: What agreement is worth by the number of significant digits, as many digits do not agree by
#: chance; a number that bounds a value (*more than 3*) agrees with most values.
_BY_DIGITS, _MORE_DIGITS, _OF_BOUND = {0: 0.0, 1: -0.3, 2: 0.6, 3: 1.6}, 2.4, -2.0
#: What a combination of atoms costs: there are hundreds, and some agree by chance. ``1 - x`` costs
#: more; a variable that both atoms share speaks for it.
_COMBINED, _COMPLEMENT, _SHARED_VARIABLE = 2.2, 0.4, 0.5
#: An atom is combined if more than this of its names is said: a letter is enough. What a number of
#: the same sentence counts for that is bound already.
_MENTIONED, _BOUND_BESIDE = 0.5, 2.0
#: The least score of a sure combination; that of two labelled elements of one series may be lower
#: if the sentence says *times* or names a difference, which leaves only these two.
_SURE, _SURE_OF_SERIES = 0.0, -1.0
#: What it costs to read a number in another than its first sense (per cent, thousands), and to
#: accept a value that one digit gives badly.
_OTHER_SENSE, _BADLY = 0.3, 1.5
#: A bound is near its value, within this factor: *more than 3* is not said of 1,000.
_FACTOR = 2
#: The fewest significant digits with which a value needs no name in the sentence: if the output
#: shows the same digits or the value is a variable, and in any case.
_RARE, _UNIQUE = 3, 4
#: How much a candidate gains if its series has the values of a whole column: more than
#: for a name that the sentence says.
_COLUMN = 3.0
#: Expressions for the size of something.
_SIZE = re.compile(r"^len\([^()]*\)$|\.shape\b|\.size$|\.ndim$")
#: Words that say how numbers are combined.
_CUES = {
    "-": r"\b(?:differ\w*|than|by|gap|apart|more|less|fewer|between|rest|left|saves?|loss|gain"
    r"|further|farther|longer|shorter|higher|lower|later|sooner|lighter|heavier)\b",
    "/": r"\b(?:ratio|times|twice|half|third|quarter|as|per|share|of|factor)\b|%",
    "+": r"\b(?:together|total|sum|altogether|both)\b",
}
#: Words around a difference, and how many earlier values it may be one of.
_GAP = re.compile(
    r"\b(?:differ\w*|gap|discount|premium|shift|rise|fall|drop|loss|lost|gain\w*|by|margin|swing)\s"
    r"(?:(?:of|is|was|just|only|about|exactly|another)\s)*[*$€£]*$",
    re.IGNORECASE,
)
_GAP_BEHIND = re.compile(
    r"[*]*(?:\s?[^\W\d]{1,8}(?:/\w+)?|\s?%)?\s(?:more|less|fewer|further|farther|longer|shorter|higher"
    r"|lower|sooner|later|apart|lighter|heavier|taller|wider)\b"
)
_NEAR = 4
#: The least number of letters of an abbreviation.
_SHORT = 3
#: How many words before a number are next to it, and words for places.
_BESIDE = 4
PLACES = stems("first second third fourth fifth sixth seventh eighth ninth tenth last")
#: Plurals without an s.
_PLURALS = ("people", "children", "men", "women", "data")
#: The score of a candidate that is right though the sentence hardly names it, and how far ahead
#: of the next one it is.
_CLEAR, _FAR = 2.5, 2.0
#: A number with the candidates for it, the best first.
Reading = tuple[Stated, list[Candidate]]


def of_column(readings: Sequence[list[Reading]]) -> None:
    """Raise the candidates of a column's cells that are elements of one series."""
    cells = [cell[0][1] for cell in readings if len(cell) == 1]
    if len(cells) < 2:
        return
    series = [{c.atoms[0].series: c.code for c in cell if len(c.atoms) == 1} for cell in cells]
    common = set.intersection(*map(set, series)) - {""}
    common = {one for one in common if len({own[one] for own in series}) == len(cells)}
    for cell in cells:
        for n, one in enumerate(cell):
            if len(one.atoms) == 1 and one.atoms[0].series in common and not one.atoms[0].extreme:
                cell[n] = replace(one, score=one.score + _COLUMN, sure=True)
        cell.sort(key=lambda one: -one.score)


def readings(page: Page, sentence: Sentence) -> list[Reading]:
    """Return the numbers of a sentence with the candidates for each."""
    search = _Search(page, sentence)
    found = list(_numbers(page, sentence))
    simple = {one: search.simple(one) for one in found}
    sure = [c[0].atoms[0] for c in simple.values() if c and c[0].sure]
    earlier = page.said.setdefault(id(sentence.piece), [])
    result = []
    for one in found:
        best = simple[one][0].code if simple[one] else ""
        several = search.combined(one, [atom for atom in sure if atom.code != best])
        if not (simple[one] and simple[one][0].sure):
            several = [*several, *search.difference(one, [*earlier[-_NEAR:], *sure])]
        ranked = sorted([*simple[one], *several], key=lambda c: -c.score)
        if search.is_clear(one, ranked):
            ranked[0] = replace(ranked[0], sure=True)
        result.append((one, ranked))
    if sentence.column is None:
        _doubt_repeated(result)
    earlier += sure
    return result


def _doubt_repeated(readings: Sequence[Reading]) -> None:
    """Ask about numbers of a sentence that would be bound to the same expression."""
    best = Counter(found[0].code for _, found in readings if found)
    for _, found in readings:
        if found and best[found[0].code] > 1:
            found[:] = [replace(one, sure=False) for one in found]


def _numbers(page: Page, sentence: Sentence) -> Iterator[Stated]:
    """Yield the numbers of a sentence, except those in code, and *one, none, both, only*."""
    text = unnamed(sentence.piece.text)
    text = re.sub(f"{CODE}[^{END}]*{END}", lambda own: "\ufffc" * len(own[0]), text)
    silent = {found.span() for found, name in page.words.find("counts", text) if int(name) < 3}
    silent |= {found.span() for found in re.finditer(r"(?i)\b(?:one|first)\b", text)}
    for one in numbers(text, len(text), page.words):
        # *The 1s* and *the 1990s* are not numbers.
        inside = sentence.start <= one.start < sentence.end and not re.search(
            r"\ds$", text[one.start : one.end]
        )
        if inside and (one.start, one.end) not in silent:
            yield one


class _Search:
    """The search for expressions with the value of a number of a sentence."""

    def __init__(self, page: Page, sentence: Sentence) -> None:
        self.sentence = sentence
        self.words = page.words
        self.text = sentence.piece.text
        self.pool = [a for a in page.pool(sentence.line) if not isinstance(a.value, str)]
        self.wide = words_of(self.text[max(0, sentence.start - _BEFORE) : sentence.start])

    def simple(self, stated: Stated) -> list[Candidate]:
        """Return the atoms that have the value of a number."""
        said = self.sentence.without(stated)
        digits = re.sub(r"[,\s%]", "", self.text[stated.start : stated.end])
        found = []
        for atom in self.pool:
            costs = _misfit(stated, float(atom.value))
            if costs is None:
                continue
            same = bool(atom.shown) and atom.shown.rstrip("%") == digits
            score = _prior(stated) + self._named(atom, said) - costs + _SAME_DIGITS * same
            if _is_count(stated):
                is_noun = overlap(atom.names, self._noun(stated)) >= NAMED
                score += _ITS_NOUN if is_noun else _OTHER_NOUN
                score += _COUNTED * self._counts(stated, atom)
            score += _LABELLED * bool(atom.labels) * _labels_are_said(atom, said)
            score -= _PER_CHARACTER * max(0, len(atom.code) - _LONG)
            sure = score > 0 and self._sure(stated, atom, said, same)
            found.append(Candidate(atom.code, score, sure, (atom,)))
        return sorted(found, key=lambda c: -c.score)

    def _named(self, atom: Atom, said: frozenset[str]) -> float:
        """Return the score of what the sentence and the text before it say of an atom's names."""
        names = atom.names.union(*atom.labels)
        score = _SAID * min(overlap(names, said), _MOST_SAID)
        score += _SAID_BEFORE * min(overlap(names, self.wide), _MOST_BEFORE)
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
        if _is_bound(stated) or self._is_doubtful(stated, atom):
            return False
        # Three kinds of atoms have words of their own: places, sizes, and sums, means or extremes.
        if _is_ordinal(stated, self.text):
            return atom.extreme.startswith("arg") and self._selects(atom, said)
        if _SIZE.search(atom.code):
            return self._counts(stated, atom)
        if atom.extreme:
            is_place = atom.extreme.startswith("arg")
            is_small = _is_count(stated) and (is_place or float(atom.value) < _FEW)
            return self._selects(atom, said) and not is_small
        if _needs_name(stated) and not self._is_beside(stated, atom):
            return False
        named = overlap(atom.names.difference(*atom.labels), said) >= NAMED
        significant = digits(stated)
        if _is_count(stated):
            has_words = any(word.isalpha() for label in atom.labels for word in label)
            is_element = has_words and _ELEMENT.fullmatch(atom.code) is not None
            is_said = is_element and _labels_are_said(atom, said) and named
            return self._counts(stated, atom) or is_said
        if not significant:  # a number in words
            is_ratio = "/" in atom.code or (bool(atom.labels) and _labels_are_said(atom, said))
            is_share = bool(atom.shown) and "[" not in atom.code and not self._is_multiple(stated)
            return named and (is_ratio or is_share)
        if significant == 1 and (_misfit(stated, float(atom.value)) or 0) >= 1:
            return False
        if atom.labels and not (same and significant >= _RARE):
            return _labels_are_said(atom, said | self.wide) and (named or significant > 1)
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
        if digits(stated) < 2:
            return False
        best, (atom,) = ranked[0], ranked[0].atoms
        if _is_bound(stated) or _is_ordinal(stated, self.text) or self._is_doubtful(stated, atom):
            return False
        significant = digits(stated)
        shown, own = atom.shown.rstrip("%"), re.sub(r"[,\s%]", "", stated.digits)
        if shown != own and (significant < _RARE or shown.lstrip("+-") == own):
            return False
        return all(best.score - other.score >= _FAR for other in ranked[1:])

    def _is_doubtful(self, stated: Stated, atom: Atom) -> bool:
        """Return whether a number says too little, or is a part of a term or of the code."""
        value, own = float(atom.value), self.text[stated.start : stated.end]
        if abs(value) <= _TINY and value.is_integer() and self.sentence.column is None:
            return not _is_ordinal(stated, self.text)
        if re.search(r"\d[A-Z]$", own):
            return True  # *7B* is a name
        if stated.digits and stated.digits in _CONSTANT.findall(atom.code):
            return True
        if self._is_multiple(stated):
            return atom.extreme.startswith("arg") or not _OPEN.match(self.text, stated.end)
        return False

    def _is_beside(self, stated: Stated, atom: Atom) -> bool:
        """Return whether the name of a value, or of an element, is next to a number."""
        if atom.labels and _labels_are_said(atom, self.sentence.said):
            words = (word for label in atom.labels for word in label - PLACES)
            return self.sentence.column is not None or any(word.isalpha() for word in words)
        before = self.text[self.sentence.start : stated.start].split()[-_BESIDE:]
        behind = self.text[stated.end : self.sentence.end].split()[:3]
        near = words_of(" ".join([*before, "\ufffc", *behind])) | self.sentence.beside
        return overlap(atom.names, near) >= NAMED

    def _is_multiple(self, stated: Stated) -> bool:
        """Return whether words state a multiple: *twice* and *half*, but not *a third*."""
        own = self.text[stated.start : stated.end]
        return self.words.value("multiples", own) is not None or own.endswith(("times", "fold"))

    def _selects(self, atom: Atom, said: frozenset[str]) -> bool:
        """Return whether the sentence names a series, and says that it is about its largest."""
        function = atom.extreme.removeprefix("arg")
        own = "|".join(MEANINGS[function].split())
        text = self.text[self.sentence.start : self.sentence.end]
        named = overlap(atom.names - stems(MEANINGS[function]), said)
        return named >= NAMED and bool(re.search(rf"\b(?:{own})\b", text, re.IGNORECASE))

    def _is_stated(self, code: str, atoms: Sequence[Atom], said: frozenset[str]) -> bool:
        """Return whether the sentence says what is combined, and how."""
        operator = next((one for one in _CUES if f" {one} " in code), "")
        text = self.text[self.sentence.start : self.sentence.end]
        if len(atoms) < 2 or not operator or not re.search(_CUES[operator], text, re.IGNORECASE):
            return False
        if any(a.extreme or _SIZE.search(a.code) or a.value in (0, 1, -1) for a in atoms):
            return False
        alike = _are_alike(atoms)
        named = all(alike or overlap(a.names, said) >= NAMED for a in atoms)
        # What both have in common may be said before: *from Lisbon … Nairobi is 2666 km further*.
        common = frozenset.intersection(*(frozenset(a.labels) for a in atoms)) if alike else set()
        own = [label for a in atoms for label in a.labels if label and label not in common]
        if (common and not own) or not all(labelled(label, said) for label in own):
            return False
        return named and all(not label or labelled(label, said | self.wide) for label in common)

    def _counts(self, stated: Stated, atom: Atom) -> bool:
        before = self.text[self.sentence.start : stated.start]
        return counts(atom.code, before, self.text[stated.end : self.sentence.end])

    def difference(self, stated: Stated, near: Sequence[Atom]) -> list[Candidate]:
        """Return the difference of two values stated nearby, if words say that it is one."""
        before, behind = self.text[: stated.start], self.text[stated.end :]
        if digits(stated) < 2 or _is_percent(stated) or _is_bound(stated):
            return []
        if not (_GAP.search(before[-60:]) or _GAP_BEHIND.match(behind)):
            return []
        found = {}
        for one in near:
            for other in near:
                value = float(one.value) - float(other.value)
                costs = _misfit(stated, value) if one.code != other.code else None
                if costs is not None and (value > 0 or _misfit(stated, -value) is None):
                    code = f"{_in_brackets(one.code)} - {_in_brackets(other.code)}"
                    found[code] = Candidate(code, _prior(stated) + 1 - costs, True, (one, other))
        # Several pairs with the same difference leave open which one is meant.
        return list(found.values()) if len(found) == 1 else []

    def combined(self, stated: Stated, beside: Sequence[Atom]) -> list[Candidate]:
        """Return the combinations of two atoms that have the value of a number."""
        if _is_count(stated) or (stated.digits and digits(stated) < 2):
            return []
        said = self.sentence.without(stated)
        ranked = [
            (self._named(atom, said), atom)
            for atom in self.pool
            if " " not in atom.code
            and not atom.extreme.startswith("arg")
            and overlap(atom.names.union(*atom.labels), said) > _MENTIONED
        ]
        ranked = sorted(ranked, key=lambda one: -one[0])[:_PAIRED]
        known = {atom.code for _, atom in ranked}
        ranked += [(_BOUND_BESIDE, atom) for atom in beside if atom.code not in known]
        # A ratio times 100 is a per cent, and never a ratio of a hundredth.
        percent = replace(stated, ranges=stated.ranges[1:]) if _is_percent(stated) else stated
        found = []
        for code, value, score, atoms in _combinations(stated, ranked):
            costs = _misfit(percent if " / " in code else stated, value)
            if costs is not None:
                score += _prior(stated) - costs - _COMBINED
                is_sure = self._is_stated(code, atoms, said) and not _is_bound(stated)
                # A multiple in words is a ratio, so that the names alone may say which.
                named = _is_multiple(stated) or " - " in code
                least = _SURE_OF_SERIES if named and _are_alike(atoms) else _SURE
                found.append(Candidate(code, score, is_sure and score > least, atoms))
        return sorted(found, key=lambda c: -c.score)


def _combinations(
    stated: Stated, ranked: Sequence[tuple[float, Atom]]
) -> Iterator[tuple[str, float, float, tuple[Atom, ...]]]:
    """Yield the combinations of atoms: expression, value, score and atoms."""
    for score, one in ranked:
        x, a = _in_brackets(one.code), float(one.value)
        yield f"1 - {x}", 1 - a, score - _COMPLEMENT, (one,)
        for other_score, other in ranked:
            if one.code == other.code:
                continue
            y, b = _in_brackets(other.code), float(other.value)
            both = (score + other_score - one.cost - other.cost) / 2
            both += _SHARED_VARIABLE * bool(identifiers(one.code) & identifiers(other.code))
            pair = one, other
            if b:
                yield f"{x} / {y}", a / b, both, pair
                if _is_percent(stated):
                    yield f"{x} / {y} - 1", a / b - 1, both, pair
            if stated.digits:
                yield f"{x} - {y}", a - b, both, pair
                if one.code < other.code:
                    yield f"{x} + {y}", a + b, both, pair
                    yield f"{x} * {y}", a * b, both, pair


def _in_brackets(code: str) -> str:
    plain = re.sub(r"'[^']*'|\([^()]*\)|\[[^\[\]]*\]", "", code)
    return f"({code})" if " " in plain else code


def _are_alike(atoms: Sequence[Atom]) -> bool:
    """Return whether several atoms are labelled elements of one series."""
    return (
        len(atoms) > 1
        and all(a.labels and a.series for a in atoms)
        and len({a.series for a in atoms}) == 1
    )


def _labels_are_said(atom: Atom, said: frozenset[str]) -> bool:
    return all(labelled(label, said) for label in atom.labels)


def _prior(stated: Stated) -> float:
    """Return how unlikely it is that a value agrees by chance; more digits, less likely."""
    if _is_bound(stated):
        return _OF_BOUND
    return _BY_DIGITS.get(digits(stated), _MORE_DIGITS)


def digits(stated: Stated) -> int:
    """Return the number of significant digits; 0 for a number in words.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> [digits(one) for one in numbers("0.050, 1200 or half", 19, lexicon())]
    [2, 2, 0]
    """
    shown = re.sub(r"\D", "", stated.digits).lstrip("0")
    return len(shown if "." in stated.digits else shown.rstrip("0"))


def _is_count(stated: Stated) -> bool:
    """Return whether a number is a small exact integer."""
    exact = [one.low for one in stated.ranges if one.low is not None and one.low == one.high]
    return bool(exact) and all(abs(low) <= _SMALL for low in exact)


def _is_bound(stated: Stated) -> bool:
    """Return whether a number bounds a value: *more than 3*."""
    return any(one.low is None or one.high is None for one in stated.ranges)


def _is_percent(stated: Stated) -> bool:
    return float(stated.scales[-1]) == 0.01


def _is_multiple(stated: Stated) -> bool:
    """Return whether a number is a fraction or multiple in words."""
    return not stated.digits and not _is_count(stated)


def _needs_name(stated: Stated) -> bool:
    """Return whether a number is an integer that many expressions have: 64, 1024."""
    if not stated.digits.isdecimal():
        return False
    number = int(stated.digits)
    return number < _MANY or number & (number - 1) == 0


#: An element of a variable.
_ELEMENT = re.compile(r"\w+(?:\[[^][]*\])+")
#: A number in code.
_CONSTANT = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
_ORDINAL = re.compile(r".*(?:first|second|third|[a-z]{2}th|\d(?:st|nd|rd|th))", re.IGNORECASE)


def _is_ordinal(stated: Stated, text: str) -> bool:
    """Return whether a number is an ordinal, as *the third* and *the 24th* are."""
    return bool(_ORDINAL.fullmatch(text, stated.start, stated.end)) and _is_count(stated)


def counts(code: str, before: str, behind: str) -> bool:
    """Return whether the words around a number name what an expression counts.

    >>> counts("len(words)", "", " short words,"), counts("rank", "the rank is ", ".")
    (True, True)
    >>> counts("len(row)", "", " rows"), counts("n", "", " steps"), counts("day", "", " day old")
    (False, False, False)
    """
    name = re.fullmatch(r"(?P<len>len\()?(?P<name>\w+)\)?", code)
    parts = re.split(r"_|(?<=[a-z])(?=[A-Z])", name["name"]) if name else []
    if not name or len(parts[-1]) < 3:
        return False
    last = parts[-1].lower()
    nouns = [word.lower() for word in re.findall(r"[^\W\d_]+", behind.split(",")[0])[:3]]
    if last in nouns and last.endswith(("s", *_PLURALS)):
        return True
    # *Nine divisors* are counted by ``len(divs)``.
    short = last.removesuffix("s")
    noun = nouns[0] if nouns and name["len"] and len(short) >= _SHORT else ""
    longer = len(noun) > len(short) + 2 and noun.startswith(short) and noun.endswith("s")
    if longer and short[-1] not in "aei":
        return True
    if name["len"] and re.match(rf"\W*(?:are|were)\s+{last}\b", behind, re.IGNORECASE):
        return True
    # *Block 6* is a name, and *the score of the bank is 6* says nothing of the bank.
    ahead = (
        rf"\b(?<!of )(?<!of the )(?<!with )(?<!with the ){last}\W+(?:is|was|equals|of|has|at)\s+"
    )
    ahead += r"(?:only\s+|exactly\s+|then\s+)?$"
    return not name["len"] and bool(re.search(ahead, before, re.IGNORECASE))


def _misfit(stated: Stated, value: float) -> float | None:
    """Return what it costs to read a value as a number; None if it is another number."""
    for rank, own in enumerate(stated.ranges):
        low = float("-inf") if own.low is None else float(own.low)
        high = float("inf") if own.high is None else float(own.high)
        slack = 1e-9 * max(abs(value), abs(low) if own.low is not None else 0.0)
        slack = -slack if own.strict else slack
        if not low - slack <= value <= high + slack:
            continue
        if own.low is not None and own.high is not None:
            middle = (low + high) / 2
            coarse = digits(stated) == 1 and abs(value - middle) > _COARSE * abs(middle)
            return _OTHER_SENSE * rank + _BADLY * coarse
        bound = low if own.high is None else high
        if bound and 1 / _FACTOR < value / bound < _FACTOR:
            return _OTHER_SENSE * rank
    return None


def tables(sentences: Sequence[Sentence]) -> Iterator[list[Sentence]]:
    """Yield the cells of each column of each table."""
    cells = [one for one in sentences if one.column is not None]
    lines = sorted({one.line for one in cells})
    for _, table in groupby(enumerate(lines), key=lambda one: one[1] - one[0]):
        rows = {line for _, line in table}
        own = [one for one in cells if one.line in rows]
        for title in dict.fromkeys(one.column for one in own):
            yield [one for one in own if one.column == title]
