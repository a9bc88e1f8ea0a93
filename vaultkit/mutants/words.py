"""Generates mutants of words: comparisons turned round, and numbers, names and cells exchanged.

The words come from the lexicon of the checks, and the sentences from the raw text, without the
engine's parsers.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Sequence

from vaultkit.claims.lexicon import Lexicon, lexicon

#: A change: the place, the old and the new text, and the kind.
Change = tuple[int, str, str, str]
COMPARISON, NAME, CELL, ROLE = "comparison", "name", "cell", "role"
COUNT, ORDINAL = "small integer", "ordinal"
KINDS = (COMPARISON, NAME, CELL, ROLE, COUNT, ORDINAL)

#: Lists of the lexicon that say the opposite.
_OPPOSITES = (
    ("directions", "more", "less"), ("directions", "rises", "falls"),
    ("directions", "largest", "smallest"), ("directions", "at_least", "at_most"),
    ("directions", "same", "different"), ("sides", "more", "less"), ("sides", "better", "worse"),
)  # fmt: skip
_ENDINGS = ("est", "er", "ing", "ed", "s", "")
_COUNTS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
           "twelve")  # fmt: skip
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_SENTENCE = re.compile(r"(?:[^.!?\n]|[.!?](?!\s)|\n(?!\s*(?:\n|[-*|>#]|\d+\. )))+[.!?]?")
_DIGITS = re.compile(r"(?<![\w.,§#^(/×-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w/]|[.,]\d|\s*[)×])")
_SMALL = re.compile(
    rf"(?<![\w.,:§#^/(-])(?:[2-9](?![\w:/%]|[.,]\d|\s*[)×])|(?i:{'|'.join(_COUNTS)})\b(?!-))"
)
_NAMED = re.compile(r"`(?P<code>[A-Za-z]\w*)`|(?<![*\w])\*(?P<word>[A-Za-z]+)\*(?![*\w])")
_CELL = re.compile(r"(?<=\|)(?P<left>\s*)(?P<number>-?\d+(?:,\d{3})*(?:\.\d+)?)(?=\s*(?:<|\|))")
_REFERENCE = re.compile(
    r"\b(?:[Ss]ections?|[Cc]hapters?|[Ff]igures?|[Tt]ables?|[Ff]ootnotes?|[Pp]ages?|[Vv]ersions?|"
    r"[Ll]ayer|[Bb]lock|[Hh]ead|GPT|BERT|LLaMA|p\.)[\s-]*$"
)


def word_changes(text: str, plain: str, rng: random.Random) -> Iterator[Change]:
    """Yield mutants of the words of a note: some for each sentence and each row of a table.

    Parameters
    ----------
    text
        The note's text.
    plain
        The same with everything blank that is not prose, in as many characters.
    rng
        Chooses among the possible changes.
    """
    words = lexicon()
    with_names = plain
    plain = re.sub(r"`[^`\n]*`", lambda own: "\ufffc" * len(own[0]), plain)
    for found in _SENTENCE.finditer(plain):
        line = plain[plain.rfind("\n", 0, found.start()) + 1 :].partition("\n")[0]
        if re.match(r"[> ]*\|", line):
            continue
        start, end = found.span()
        yield from _turned(plain, start, end, words)
        yield from _exchanged(text, _numbers(text, plain, start, end), ROLE, rng)
        names = [(one.start(), one[0]) for one in _NAMED.finditer(with_names, start, end)]
        yield from _exchanged(text, names, NAME, rng)
        yield from _counted(text, plain, start, end, rng)
    for row in re.finditer(r"(?m)^[> ]*\|.*$", plain):
        cells = [(m.start("number"), m["number"]) for m in _CELL.finditer(plain, *row.span())]
        yield from _exchanged(text, cells, CELL, rng)


def _turned(plain: str, start: int, end: int, words: Lexicon) -> Iterator[Change]:
    """Yield each comparison of a sentence turned round."""
    sentence = plain[start:end]
    void = [own.span() for own, name in words.find("negations", sentence) if name == "void"]
    for table, *pair in _OPPOSITES:
        for own, name in words.find(table, sentence):
            if name not in pair or any(a < own.end() and own.start() < b for a, b in void):
                continue
            other = _opposite(own[0].lower(), words.words[table][pair[1 - pair.index(name)]])
            other = other.capitalize() if own[0][0].isupper() else other
            yield start + own.start(), own[0], other, COMPARISON


def _opposite(word: str, others: Sequence[str]) -> str:
    """Return the first of some words with the same ending.

    >>> _opposite("largest", ["least", "falls"]), _opposite("rises", ["fell", "falls"])
    ('least', 'falls')
    """
    ending = next(one for one in _ENDINGS if word.endswith(one))
    plain = [other for other in others if "\\" not in other]
    return next((other for other in plain if other.endswith(ending)), plain[0])


def _numbers(text: str, plain: str, start: int, end: int) -> list[tuple[int, str]]:
    """Return position and text of the numbers in a part of a text that are not names."""
    return [
        (one.start(), one[0])
        for one in _DIGITS.finditer(plain, start, end)
        if not _is_name(text, plain, *one.span())
    ]


def _is_name(text: str, plain: str, start: int, end: int) -> bool:
    """Return whether a number is a name, a year or the number of a list item, or is given.

    The number is ``text[start:end]``; ``plain`` is the text with blanks instead of code, formulas
    and comments.
    """
    line = plain[plain.rfind("\n", 0, start) + 1 : start]
    given = re.match(r"[^\n<]{0,12}<!--\s*given", text[end:])
    year = re.fullmatch(r"(?:19|20)\d\d", text[start:end])
    item = re.fullmatch(r"[> ]*", line) and re.match(r"[.)] ", text[end:])
    return bool(given or year or item or _REFERENCE.search(line))


def _exchanged(
    text: str, several: Sequence[tuple[int, str]], kind: str, rng: random.Random
) -> Iterator[Change]:
    """Yield one mutant in which two neighbours of different texts are exchanged."""
    pairs = [pair for pair in itertools.pairwise(several) if pair[0][1] != pair[1][1]]
    if pairs:
        (first, one), (second, other) = rng.choice(pairs)
        between = text[first + len(one) : second]
        yield first, text[first : second + len(other)], other + between + one, kind


def _counted(
    text: str, plain: str, start: int, end: int, rng: random.Random
) -> Iterator[Change]:  # fmt: skip
    """Yield a sentence's small integers and ordinals changed by one."""
    for found in _SMALL.finditer(plain, start, end):
        if _is_name(text, plain, *found.span()):
            continue
        own = found[0].lower()
        if own.isdigit():
            new = str(int(own) + rng.choice([-1, 1]))
        else:
            place = _COUNTS.index(own)
            new = _COUNTS[place - 1 if place == len(_COUNTS) - 1 else place + 1]
        yield found.start(), found[0], new.capitalize() if found[0][0].isupper() else new, COUNT
    for found in re.finditer(rf"\b(?:{'|'.join(_ORDINALS)})\b", plain[start:end]):
        place = _ORDINALS.index(found[0])
        new = _ORDINALS[place - 1 if place == len(_ORDINALS) - 1 else place + 1]
        yield start + found.start(), found[0], new, ORDINAL
