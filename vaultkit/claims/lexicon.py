"""The words by which a language compares, counts and bounds, read from a file such as ``en.toml``.

Another language is another file beside that one.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent
#: The language of notes that name none, or one without a file.
DEFAULT = "en"
_WORD = re.compile(r"[^\W\d_]+")
#: A list in a template of a regular expression.
_OF_LIST = re.compile(r"<([a-z_]+)\.([a-z_%]+)>")


@dataclass(frozen=True, eq=False)  # each file is read once, so identity is equality
class Lexicon:
    """The words of a language.

    Attributes
    ----------
    words
        The lists of a file, by table and name.
    """

    words: dict[str, dict[str, list[str]]]

    def pattern(self, table: str, *names: str) -> str:
        r"""Return a regular expression for the words of some lists of a table, or of all.

        A part of an entry with a backslash is a regular expression itself: ``larg\w*est``. In all
        others, each character is itself.

        >>> lexicon("en").pattern("before", "exactly")
        '(?:precisely|exactly)'
        """
        return _pattern(self, table, names)

    def regex(self, template: str, flags: re.RegexFlag = re.IGNORECASE) -> re.Pattern[str]:
        r"""Return a compiled template, in which ``<table.list>`` is any word of that list.

        >>> lexicon().regex(r"\b<grammar.being>\s<grammar.the>").search("This is our day")[0]
        'is our'
        """
        return _regex(self, template, flags)

    def expand(self, template: str) -> str:
        """Return a template with a regular expression for each ``<table.list>`` in it."""
        return _OF_LIST.sub(lambda found: self.pattern(found[1], found[2]), template)

    def find(self, table: str, text: str) -> Iterable[tuple[re.Match[str], str]]:
        """Yield the words of a table in a text, the longest at each place, with their lists.

        >>> [(m[0], name) for m, name in lexicon("en").find("directions", "no more, at least")]
        [('no more', 'at_most'), ('at least', 'at_least')]
        """
        if not self.may_find(table, text):
            return
        quick, pattern, names = _compiled(self, table)
        lowered = text.lower()
        if len(lowered) != len(text):  # a capital letter with a dot has two small ones
            quick, lowered = pattern, text
        for place in quick.finditer(lowered):
            if found := pattern.match(text, place.start()):
                yield found, names[str(found.lastgroup)]

    def may_find(self, table: str, text: str) -> bool:
        """Return whether a text has a word that an entry of a table needs.

        This is much faster than `find`, and most sentences have none.

        >>> [lexicon().may_find("directions", text) for text in ("It is red.", "It is larger.")]
        [False, True]
        """
        needed = _needed(self, table)
        return needed is None or not needed.isdisjoint(_words_of(text))

    def value(self, table: str, word: str) -> Fraction | None:
        """Return the number that a word has in a table of numbers; None if it has none.

        >>> lexicon("en").value("multiples", "Twice")
        Fraction(2, 1)
        """
        plain = " ".join(word.lower().split())
        return next((Fraction(n) for n, own in self.words[table].items() if plain in own), None)


@cache
def _regex(lexicon: Lexicon, template: str, flags: re.RegexFlag) -> re.Pattern[str]:
    return re.compile(lexicon.expand(template), flags)


@cache
def _pattern(lexicon: Lexicon, table: str, names: tuple[str, ...]) -> str:
    lists = lexicon.words[table]
    return alternatives(word for name in names or lists for word in lists[name])


@cache
def _compiled(
    lexicon: Lexicon, table: str
) -> tuple[re.Pattern[str], re.Pattern[str], dict[str, str]]:
    """Return two patterns for the words of a table, and what the groups of the second stand for.

    The first one finds them in a text in lower case, and is much faster: it compares one letter to
    rule out a word.
    """
    own = [(word, name) for name, words in lexicon.words[table].items() for word in words]
    own.sort(key=lambda one: len(one[0]), reverse=True)
    names = {f"n{number}": name for number, (_, name) in enumerate(own)}
    patterns = [_pattern_of(word) for word, _ in own]
    either = "|".join(f"(?P<{group}>{one})" for group, one in zip(names, patterns, strict=True))
    quick, exact = (rf"(?<![\w-])(?:{inner})(?![\w-])" for inner in ("|".join(patterns), either))
    return re.compile(quick), re.compile(exact, re.IGNORECASE), names


@cache
def _needed(lexicon: Lexicon, table: str) -> frozenset[str] | None:
    """Return the longest word of each entry of a table; None if an entry has no plain word."""
    found = set()
    for entry in (entry for entries in lexicon.words[table].values() for entry in entries):
        plain = " ".join(part for part in entry.split() if "\\" not in part)
        longest = max(_words_of(plain), key=len, default="")
        if not longest:
            return None
        found.add(longest)
    return frozenset(found)


@lru_cache(maxsize=1000)
def _words_of(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def alternatives(words: Iterable[str]) -> str:
    """Return a regular expression that matches one of some words, the longest first."""
    return f"(?:{'|'.join(map(_pattern_of, sorted(words, key=len, reverse=True)))})"


def _pattern_of(word: str) -> str:
    r"""Return a regular expression for a word, with any blanks between its parts.

    A part with a backslash is one already.

    >>> _pattern_of("no more") == r"no\s+more"
    True
    """
    return r"\s+".join(part if "\\" in part else re.escape(part) for part in word.split())


@cache
def lexicon(language: str = DEFAULT) -> Lexicon:
    """Return the words of a language, given its code.

    Lists that its file lacks are those of the default language.
    """
    words = _tables(_FOLDER / f"{DEFAULT}.toml")
    path = _FOLDER / f"{language}.toml"
    if language.isalnum() and path.is_file():
        own = _tables(path)
        words = {table: {**lists, **own.get(table, {})} for table, lists in words.items()}
    return Lexicon(words)


def _tables(path: Path) -> dict[str, dict[str, list[str]]]:
    found: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
    return found
