"""The words by which a language compares, counts and bounds, read from a file such as ``en.toml``.

Another language is another file beside that one.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent
#: The language of notes that name none, or one without a file.
DEFAULT = "en"


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

    def find(self, table: str, text: str) -> Iterable[tuple[re.Match[str], str]]:
        """Yield the words of a table in a text, the longest at each place, with their lists.

        >>> [(m[0], name) for m, name in lexicon("en").find("directions", "no more, at least")]
        [('no more', 'at_most'), ('at least', 'at_least')]
        """
        pattern, names = self._patterns(table)
        for found in pattern.finditer(text):
            yield found, names[str(found.lastgroup)]

    def value(self, table: str, word: str) -> Fraction | None:
        """Return the number that a word has in a table of numbers; None if it has none.

        >>> lexicon("en").value("multiples", "Twice")
        Fraction(2, 1)
        """
        plain = " ".join(word.lower().split())
        return next((Fraction(n) for n, own in self.words[table].items() if plain in own), None)

    def _patterns(self, table: str) -> tuple[re.Pattern[str], dict[str, str]]:
        return _compiled(self, table)


@cache
def _pattern(lexicon: Lexicon, table: str, names: tuple[str, ...]) -> str:
    lists = lexicon.words[table]
    return alternatives(word for name in names or lists for word in lists[name])


@cache
def _compiled(lexicon: Lexicon, table: str) -> tuple[re.Pattern[str], dict[str, str]]:
    """Return a pattern for the words of a table, and what each of its named groups stands for."""
    own = [(word, name) for name, words in lexicon.words[table].items() for word in words]
    own.sort(key=lambda one: len(one[0]), reverse=True)
    names = {f"n{number}": name for number, (_, name) in enumerate(own)}
    either = "|".join(f"(?P<n{n}>{_pattern_of(word)})" for n, (word, _) in enumerate(own))
    return re.compile(rf"(?<![\w-])(?:{either})(?![\w-])", re.IGNORECASE), names


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
    """Return the words of a language, given its code."""
    path = _FOLDER / f"{language}.toml"
    if not language.isalnum() or not path.is_file():
        path = _FOLDER / f"{DEFAULT}.toml"
    found: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
    return Lexicon(found)
