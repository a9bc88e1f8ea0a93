"""Compares the words around a number with what the code says of an expression.

In most notes several expressions have the value of a small integer; only the words show which is
meant.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from vaultkit.claims.clauses import clause_end
from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.stated import Stated
from vaultkit.edit.expressions import Atom
from vaultkit.edit.sentences import Passage
from vaultkit.edit.wording import NAMED, overlap, says_label, stems

#: The least number of letters of a word that means something by itself.
_SHORT = 3
#: Plurals without an s.
_PLURALS = ("people", "children", "men", "women", "data", "mice", "geese", "feet")
#: A word, or a number with its decimals.
WORD = re.compile(r"[^\W_]+(?:[.,]\d+)?")
#: How many words may be between a label and its number.
_FAR = 12


class Surroundings:
    """The words around a number of a sentence.

    Parameters
    ----------
    sentence
        The sentence.
    stated
        The number.
    words
        The words of the language.
    """

    def __init__(self, sentence: Passage, stated: Stated, words: Lexicon) -> None:
        text = sentence.piece.text
        self.before = text[sentence.start : stated.start]
        self.behind = text[stated.end : sentence.end]
        end = clause_end(words, "joining", "contrasting", "concluding", marks=",;:()")
        stops = [stop.end() for stop in end.finditer(self.before)]
        stop = end.search(self.behind)
        #: The parts of its clause before the number and behind it.
        self.ahead = self.before[stops[-1] if stops else 0 :]
        self.after = self.behind[: stop.start()] if stop else self.behind
        #: The stems of the clause.
        self.clause = stems(f"{self.ahead} \ufffc {self.after}", spoken=True) | sentence.beside

    def counted(self, atom: Atom) -> bool:
        """Return whether the words say that the number counts what an expression counts."""
        return counts(atom.code, self.before, self.behind) or self._is_noun(atom)

    def _is_noun(self, atom: Atom) -> bool:
        """Return whether the noun behind the number is printed there, or an item of the list."""
        # *Six trees* or *six old trees*
        second = re.match(r"\s+(?:[^\W\d_]+-?\s+)??([^\W\d_]{3,})\b", self.behind)
        first = re.match(r"\s+([^\W\d_]{3,})\b", self.behind)
        nouns = [match[1] for match in (first, second) if match and is_plural(match[1])]
        words = [*atom.nouns, *(w for phrase in atom.phrases if len(phrase) == 1 for w in phrase)]
        return any(overlap([word], stems(noun)) >= NAMED for word in words for noun in nouns)

    def nearest(self, atom: Atom, family: Sequence[Atom]) -> bool:
        """Return whether the label of an element is the nearest one to the number.

        Parameters
        ----------
        atom
            The element.
        family
            All elements of its series.
        """
        distance = self._distance(atom)
        others = (self._distance(element) for element in family if element.labels != atom.labels)
        return distance is not None and all(other is None or distance < other for other in others)

    def _distance(self, atom: Atom) -> int | None:
        """Return how many words are between the labels of an element and the number.

        A label behind the number counts as farther away than any before it.
        """
        ahead = words_until_said(atom.labels, WORD.findall(self.before)[::-1])
        if ahead is not None:
            return ahead
        after = words_until_said(atom.labels, WORD.findall(self.after))
        return None if after is None else _FAR + after


def words_until_said(labels: Sequence[frozenset[str]], words: Sequence[str]) -> int | None:
    """Return after how many words all labels of an element are said; None if they are not.

    Of labels with letters and numbers, those with letters count.

    >>> words_until_said((stems("oslo"), stems("7")), ["in", "the", "city", "of", "Oslo"])
    4
    """
    known = [label for label in labels if label]
    textual = [label for label in known if any(word.isalpha() for word in label)]
    stems_of_words = [stems(word, spoken=True) for word in words[:_FAR]]
    places = [_place(label, stems_of_words) for label in textual or known]
    found = [place for place in places if place is not None]
    are_all_said = bool(places) and len(found) == len(places)
    return max(found) if are_all_said else None


def _place(label: Collection[str], words: Sequence[frozenset[str]]) -> int | None:
    """Return where the first word of a label is, if all of its words are near it."""
    for n, word in enumerate(words):
        near = frozenset().union(*words[max(0, n - len(label)) : n + len(label) + 1])
        if overlap(label, word) and says_label(label, near):
            return n
    return None


def is_plural(noun: str) -> bool:
    """Return whether a noun has the form of a plural."""
    return noun.lower().endswith(("s", *_PLURALS))


def counts(code: str, before: str, behind: str) -> bool:
    """Return whether the words around a number name what an expression counts, or a variable.

    >>> counts("len(words)", "", " short words,"), counts("rank", "the rank is ", ".")
    (True, True)
    >>> counts("len(row)", "", " rows"), counts("n", "", " steps"), counts("day", "", " day old")
    (False, False, False)
    """
    name = re.fullmatch(r"(?P<len>len\()?(?P<name>\w+)\)?", code)
    if not name:
        return False
    # ``short_words`` and ``shortWords`` end in *words*.
    last = re.split(r"_|(?<=[a-z])(?=[A-Z])", name["name"])[-1].lower()
    # Behind the next number, words say what that one counts.
    near = re.split(r"[,\d]", behind)[0]
    nouns = [word.lower() for word in re.findall(r"[^\W\d_]+", near)[:3]]
    if len(last) < _SHORT:
        return False
    if last in nouns and is_plural(last):
        return True
    # *The bonus of 2*, but *the score of the bank is 6* says nothing of the bank.
    variable = rf"\b(?<!of )(?<!of the )(?<!with )(?<!with the ){last}\W+(?:is|was|has|of|at)\s+$"
    return not name["len"] and bool(re.search(variable, before, re.IGNORECASE))
