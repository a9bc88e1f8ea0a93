"""Finds unlinked mentions: the name of a note in running text that does not link to it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from vaultkit.read.note import Note
from vaultkit.read.sentences import Sentences, is_whole, tidy

_LETTER = re.compile(r"\w")
#: The first word or sign of a name; and a word or sign of a text, with which a name may begin.
_FIRST_WORD = re.compile(r"\w+|\W")
_WORD_IN_TEXT = re.compile(r"(?<![\w-])(?:\w+|[^\w\s])")


@dataclass(frozen=True)
class UnlinkedMention:
    """The first whole sentence of a note that names another one: its Markdown around the name."""

    source: Note
    before: str
    name: str
    after: str


class NameFinder:
    """The names of all notes of a vault, to find mentions.

    Parameters
    ----------
    notes
        The notes.
    """

    def __init__(self, notes: Collection[Note]) -> None:
        # A name that two notes share is ambiguous.
        owners: dict[str, set[Path]] = defaultdict(set)
        for note in notes:
            for name in (note.title, *note.aliases):
                owners[_key(name)].add(note.path)
        self._paths = {
            name: next(iter(paths)) for name, paths in owners.items() if len(paths) == 1 and name
        }
        self._find = _finder(self._paths)
        # An alias of a single word, such as "Keys", is also an ordinary word: it is a mention only
        # if it is spelt like the alias and does not begin a sentence.
        self._one_word = {alias for note in notes for alias in note.aliases if " " not in alias}
        self._one_word -= {note.title for note in notes}
        self._keys_of_one_word = {_key(alias) for alias in self._one_word}

    def mentioned_in(self, source: Note, linked: Collection[Path]) -> dict[Path, UnlinkedMention]:
        """Return the first mention of each other note that a note names and does not link to.

        Parameters
        ----------
        source
            The note.
        linked
            The paths of the notes that it links to.
        """
        mentions: dict[Path, UnlinkedMention] = {}
        for passage in source.passages:
            sentences = Sentences(passage.source)
            for match in self._find(passage.plain):
                path = self._paths[_key(match[0])]
                if path == source.path or path in linked or path in mentions:
                    continue
                first, last = sentences.sentence_span(match.start())
                before = passage.source[first : match.start()].lstrip()
                if self._is_ordinary_word(match[0], before):
                    continue
                if is_whole(tidy(passage.source[first:last])):
                    mentions[path] = UnlinkedMention(
                        source,
                        before,
                        passage.source[match.start() : match.end()],
                        passage.source[match.end() : last].rstrip(),
                    )
        return mentions

    def _is_ordinary_word(self, name: str, before: str) -> bool:
        """Return whether a name is an alias of one word, used as an ordinary word.

        ``before`` is the text of the sentence before it.
        """
        if _key(name) not in self._keys_of_one_word:
            return False
        begins_sentence = not _LETTER.search(before)
        is_spelt_differently = name not in self._one_word
        return is_spelt_differently or begins_sentence


def _finder(names: Iterable[str]) -> Callable[[str], Iterator[re.Match[str]]]:
    """Return a function that yields the matches of these names in a text.

    It searches for first words, since a pattern of all names would try each of them at each letter.
    """
    by_first: dict[str, list[str]] = defaultdict(list)
    # The longest first: "Layer Normalization" does not mention the note "Layer".
    for name in sorted(names, key=len, reverse=True):
        first = _FIRST_WORD.match(name)
        assert first  # no name is empty
        by_first[_key(first[0])].append(r"\s+".join(map(re.escape, name.split())))

    @cache
    def pattern(first: str) -> re.Pattern[str]:
        """Return the pattern of the names that begin with a word."""
        return re.compile(rf"(?:{'|'.join(by_first[first])})(?![\w-])", re.IGNORECASE)

    def find(text: str) -> Iterator[re.Match[str]]:
        """Yield the matches of names in a text, which do not overlap."""
        end = 0
        for word in _WORD_IN_TEXT.finditer(text):
            first = word[0].casefold()
            if word.start() >= end and first in by_first:
                match = pattern(first).match(text, word.start())
                if match:
                    end = match.end()
                    yield match

    return find


def _key(name: str) -> str:
    """Return a name without case and extra space, as mentions are compared."""
    return " ".join(name.casefold().split())
