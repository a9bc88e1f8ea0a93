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
#: A list in a template of a regular expression: ``<grammar.the>``.
_OF_LIST = re.compile(r"<([a-z_]+)\.([a-z_%]+)>")


@dataclass(frozen=True, eq=False)  # each file is read once, so identity is equality
class Lexicon:
    r"""The words of a language.

    Attributes
    ----------
    words
        The lists of a file, by table and name. An entry of a list is a word or a phrase; a part of
        it with a backslash is a regular expression: ``larg\w*est``.
    """

    words: dict[str, dict[str, list[str]]]

    def pattern(self, table: str, *names: str) -> str:
        """Return a regular expression for the words of some lists of a table, or of all.

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
        quick, exact, lists = _table_patterns(self, table)
        lowered = text.lower()
        if len(lowered) != len(text):  # a capital letter with a dot has two small ones
            quick, lowered = exact, text
        for place in quick.finditer(lowered):
            if word := exact.match(text, place.start()):
                yield word, lists[str(word.lastgroup)]

    def may_find(self, table: str, text: str) -> bool:
        """Return whether a text has a word that an entry of a table needs.

        This is much faster than `find`, and most sentences have none.

        >>> [lexicon().may_find("directions", text) for text in ("It is red.", "It is larger.")]
        [False, True]
        """
        needed = _longest_words(self, table)
        return needed is None or not needed.isdisjoint(_words_of(text))

    def value(self, table: str, word: str) -> Fraction | None:
        """Return the number that a word has in a table of numbers; None if it has none.

        >>> lexicon("en").value("multiples", "Twice")
        Fraction(2, 1)
        """
        plain = " ".join(word.lower().split())
        lists = self.words[table].items()
        return next((Fraction(number) for number, words in lists if plain in words), None)


@cache
def _regex(lexicon: Lexicon, template: str, flags: re.RegexFlag) -> re.Pattern[str]:
    return re.compile(lexicon.expand(template), flags)


@cache
def _pattern(lexicon: Lexicon, table: str, names: tuple[str, ...]) -> str:
    lists = lexicon.words[table]
    return alternatives(word for name in names or lists for word in lists[name])


@cache
def _table_patterns(
    lexicon: Lexicon, table: str
) -> tuple[re.Pattern[str], re.Pattern[str], dict[str, str]]:
    """Return two patterns for the words of a table, and the list of each group of the second one.

    The first one finds them in a text in lower case, and is much faster: it compares one letter to
    rule out a word.
    """
    entries = [(entry, name) for name, words in lexicon.words[table].items() for entry in words]
    entries.sort(key=lambda own: len(own[0]), reverse=True)  # the longest one counts
    lists = {f"n{number}": name for number, (_, name) in enumerate(entries)}
    patterns = [_pattern_of(entry) for entry, _ in entries]
    groups = [f"(?P<{group}>{own})" for group, own in zip(lists, patterns, strict=True)]
    quick, exact = (rf"(?<![\w-])(?:{'|'.join(own)})(?![\w-])" for own in (patterns, groups))
    return re.compile(quick), re.compile(exact, re.IGNORECASE), lists


@cache
def _longest_words(lexicon: Lexicon, table: str) -> frozenset[str] | None:
    """Return words of which a text needs one to contain an entry of a table.

    They are the longest, so rarest, plain word of each; None if an entry has none, such as *≈*.
    """
    longest_words = set()
    for entry in (entry for entries in lexicon.words[table].values() for entry in entries):
        plain = " ".join(part for part in entry.split() if "\\" not in part)
        longest = max(_words_of(plain), key=len, default="")
        if not longest:
            return None
        longest_words.add(longest)
    return frozenset(longest_words)


@lru_cache(maxsize=1000)
def _words_of(text: str) -> frozenset[str]:
    """Return the words of a text in lower case."""
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
    words = _read_tables(_FOLDER / f"{DEFAULT}.toml")
    path = _FOLDER / f"{language}.toml"
    if language.isalnum() and path.is_file():  # the code may be a path in a hostile note
        own = _read_tables(path)
        words = {table: {**lists, **own.get(table, {})} for table, lists in words.items()}
    return Lexicon(words)


@cache
def _read_tables(path: Path) -> dict[str, dict[str, list[str]]]:
    """Return the lists of a file, by table and name."""
    tables: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
    return tables
