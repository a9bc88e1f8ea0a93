"""Compares the names in code with the words of a sentence."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from vaultkit.claims.numerals import NUMERAL, parse_numeral

#: The separator of thousands in *12,000* and ``12_000``.
_THOUSANDS = re.compile(r"(?<=\d)[,_](?=\d{3}(?!\d))")
#: Where a name is divided: ``totalCost``, ``total_cost``.
_PART = re.compile(r"(?<=[a-z])(?=[A-Z])|_")
_WORD = re.compile(r"[0-9]+(?:\.[0-9]+)?|[^\W\d_]+")
#: Endings of words, and what replaces them.
_ENDINGS = (
    ("ies", "y"),
    ("sses", "ss"),
    ("s", ""),
    ("ing", ""),
    ("ed", ""),
    ("est", ""),
    ("er", ""),
)
#: Words that name nothing, and names that say nothing of the value.
_EMPTY_WORDS = (
    "the an is are of to in and or it for on at as with by be than that this from its not but if"
    " so we all one has have was were each every only then same about more less which there no"
    " both what when how who new"
)
_SPOKEN_EMPTY = frozenset(_EMPTY_WORDS.split())
#: Names of functions, which say nothing of the value; in a sentence, *range* is a word.
_FUNCTIONS = "len np numpy float int abs round str list sorted range key get fraction"
_EMPTY = _SPOKEN_EMPTY | frozenset(_FUNCTIONS.split())
#: Words of one letter, which are names in code.
_ARTICLES = frozenset(("a", "A", "I", "s", "t"))
#: What a sentence calls the result of a function.
MEANINGS = {
    "mean": "mean average expected typical", "median": "median", "std": "standard deviation spread",
    "stdev": "standard deviation spread", "var": "variance", "len": "number many count",
    "max": "largest maximum peak most best longest highest",
    "min": "smallest minimum least fewest lowest shortest",
    "sum": "total all altogether together sum", "prod": "product", "det": "determinant",
    "set": "different distinct", "corrcoef": "correlation", "gcd": "divisor", "norm": "length norm",
}  # fmt: skip
_VOWELS = re.compile("[aeiou]")
#: Fewest letters before an ending: *string* and *red* have none.
_ROOT = 3
#: A shorter word is not an abbreviation of a longer one.
_ABBREVIATION = 3
#: How much an abbreviation in place of the word counts, and a letter or number, which may be there
#: by chance; the word itself counts 1.
_ABBREVIATED, _SINGLE = 0.8, 0.6
#: The least overlap of the names in code with a sentence that means them: one abbreviation is
#: enough.
NAMED = _ABBREVIATED
#: The share of the words of a label that a sentence must say; one of two is too few, two of three
#: enough.
_MOST_OF_LABEL = 0.6


def stems(text: str, *, spoken: bool = False) -> frozenset[str]:
    """Return the words of names in code, or of a spoken text, without their endings.

    Words that mean nothing are left out. In a spoken text, articles are among these, while the
    names of functions, such as *range*, are words.

    Examples
    --------
    >>> sorted(stems("the longest_paths of 12.0 cities"))
    ['12', 'city', 'long', 'path']
    """
    words = _WORD.findall(_PART.sub(" ", _THOUSANDS.sub("", text)))
    ignored = _SPOKEN_EMPTY if spoken else _EMPTY
    articles = _ARTICLES if spoken else ()
    return frozenset(
        _stem(word) for word in words if word not in articles and word.lower() not in ignored
    )


def _stem(word: str) -> str:
    """Return the stem by which words are compared; numbers in words become digits."""
    if word[0].isdecimal():
        return f"{float(word):g}"
    if re.fullmatch(NUMERAL, word.lower()):
        return str(parse_numeral(word))
    if len(word) == 1:
        return word
    low = word.lower()
    for ending, new in _ENDINGS:
        if low.endswith(ending) and not low.endswith("ss") and len(low) - len(ending) >= _ROOT:
            return low[: -len(ending)] + new
    return low


def overlap(names: Iterable[str], said: Collection[str]) -> float:
    """Return how many of the names are said; an abbreviation or a single letter counts less.

    Examples
    --------
    >>> overlap(stems("total_cost"), stems("What it costs in all")), overlap({"dist"}, {"distance"})
    (1.0, 0.8)
    """
    return sum((_certainty_of(name, said) for name in names), 0.0)


def _certainty_of(name: str, said: Collection[str]) -> float:
    """Return how surely (0 to 1) one of the words of a sentence means a name of the code."""
    if name in said:
        return _SINGLE if len(name) == 1 or name[0].isdecimal() else 1.0
    if name[0].isdecimal():  # 0.25 may be said as 25 %
        return _SINGLE if f"{100 * float(name):g}" in said else 0.0
    if len(name) < _ABBREVIATION:
        return 0.0
    return _ABBREVIATED if any(_abbreviates(name, word) for word in said) else 0.0


def _abbreviates(one: str, other: str) -> bool:
    """Return whether a word begins with the other one, or is that without its vowels: *rng*."""
    short, long = sorted((one, other), key=len)
    if len(short) < _ABBREVIATION or short[0].isdecimal():
        return False
    return long.startswith(short) or short == long[0] + _VOWELS.sub("", long[1:])


def says_label(label: Collection[str], said: Collection[str]) -> bool:
    """Return whether a text says the words of a label; nothing says a label without words.

    >>> says_label(stems("large stones"), stems("large ones of stone"))
    True
    """
    return overlap(label, said) >= _MOST_OF_LABEL * len(label) and bool(label)
