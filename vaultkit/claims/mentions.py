"""The sentences of a text with their words and numbers, to find what each number is said to be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from vaultkit.claims.bindings import plain_words
from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.naming import mask_names
from vaultkit.claims.numerals import NUMERAL
from vaultkit.claims.stated import Stated, numbers
from vaultkit.read.note import Note
from vaultkit.read.prose import CODE, END, FORMULA, NAME, REASONS, Prose

_STOP = re.compile(r"[.!?;](?=[\s)\"”]|$)")
_WORD = re.compile(r"[^\W\d_]+(?:['’][a-z]+)?")
#: Code in a sentence that is more than a name says nothing in words.
_CODE = re.compile(f"{CODE}(?![A-Za-z_]+{END})[^{END}]*{END}")
_ANY = re.compile(rf"\d|\b{NUMERAL}\b", re.IGNORECASE)
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_ENDINGS = ("ches", "shes", "sses", "xes", "ies", "ing", "ed", "s", "e")
#: The least number of letters that an ending may leave.
_SHORTEST = 3


@dataclass(frozen=True)
class Mention:
    """A word of a sentence by its stem, with its place."""

    stem: str
    start: int
    end: int


@dataclass(frozen=True)
class Sentence:
    """A sentence of a note.

    Attributes
    ----------
    text
        Its text, with blanks for marks and for numbers that only name something.
    begins
        Where it begins in the text of its piece.
    piece
        The piece of text.
    lexicon
        The words of its language.
    """

    text: str
    begins: int
    piece: Prose
    lexicon: Lexicon

    @cached_property
    def words(self) -> list[Mention]:
        """Its words."""
        spans = [(found[0], *found.span()) for found in _WORD.finditer(self.text)]
        return [Mention(stem(word, self.lexicon), *span) for word, *span in spans]

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its words in lower case."""
        return frozenset(word.stem.lower() for word in self.words)

    @cached_property
    def numbers(self) -> list[Stated]:
        """Its numbers, in digits and in words."""
        return numbers(self.text, len(self.text), self.lexicon)

    def place_of(self, at: int) -> tuple[int, int]:
        """Return line and column of a place in its text."""
        return self.piece.place_of(self.begins + at)


def sentences(note: Note, lexicon: Lexicon, lines: Set[int] | None = None) -> Iterator[Sentence]:
    """Yield the sentences of a note that contain a number; questions are left out.

    Parameters
    ----------
    note, lexicon
        The note, and the words of its language.
    lines
        Read only the pieces of text that lie on some of these lines; None to read all.

    Examples
    --------
    >>> from vaultkit.claims.lexicon import lexicon
    >>> from vaultkit.read.markdown import parse
    >>> (own,) = sentences(parse("One is red. Staying wins 3 of `n`!"), lexicon())
    >>> [word.stem for word in own.words], [number.text for number in own.numbers]
    (['stay', 'win', 'of', 'n'], ['3'])
    """
    known = _cached_sentences(note, lexicon)
    for index, piece in enumerate(note.prose):
        if piece.cells or piece.row or not _ANY.search(piece.text):
            continue
        if lines is not None and lines.isdisjoint(piece.lines):
            continue
        if index not in known:
            known[index] = tuple(_sentences_of_piece(piece, lexicon))
        yield from known[index]


def cell_sentences(note: Note, lexicon: Lexicon) -> Iterator[Sentence]:
    """Yield the cells of tables that contain a number, as sentences."""
    for piece in note.prose:
        if (piece.cells or piece.row) and _ANY.search(piece.text):
            yield from _sentences_of_piece(piece, lexicon)


#: The sentences of the notes read last, by the indices of their pieces: several checks read them.
_read: dict[tuple[int, int], tuple[Note, dict[int, tuple[Sentence, ...]]]] = {}
_MOST = 4


def _cached_sentences(note: Note, lexicon: Lexicon) -> dict[int, tuple[Sentence, ...]]:
    """Return the sentences of a note that were read already, to which others are added."""
    key = id(note), id(lexicon)
    if key not in _read:
        while len(_read) >= _MOST:
            del _read[next(iter(_read))]
        _read[key] = note, {}
    return _read[key][1]


def _sentences_of_piece(piece: Prose, lexicon: Lexicon) -> Iterator[Sentence]:
    """Yield the sentences of a piece of text that contain a number, except questions."""
    text = _CODE.sub(lambda own: FORMULA * len(own[0]), piece.text)
    text = mask_names(text)
    begins = 0
    for stop in (*_STOP.finditer(text), None):
        end = stop.start() if stop else len(text)
        own = text[begins:end]
        asks = stop is not None and stop[0] == "?"
        if not asks and not REASONS.search(own) and len(_ANY.findall(own)) > _leading_ones(own):
            plain = plain_words(own.replace(FORMULA, NAME))
            yield Sentence(plain, begins, piece, lexicon)
        begins = stop.end() if stop else end


def _leading_ones(text: str) -> int:
    """Return 1 if a sentence begins with *one*, which counts nothing there; else 0."""
    return int(text.lstrip().lower().startswith("one "))


@lru_cache(1 << 13)
def stem(word: str, lexicon: Lexicon) -> str:
    """Return a word without its ending; words that mean the same have the same stem.

    Short names and those in capitals stay as they are.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> [stem(word, lexicon()) for word in ("switches", "Largest", "HT", "Paris's", "entries")]
    ['switch', 'max', 'HT', 'pari', 'entry']
    """
    word = re.sub(r"['’][a-z]*$", "", word)
    if len(word) < _SHORTEST or word.isupper():
        return word
    word = word.lower()
    if same := _synonyms(lexicon).get(word):
        return same
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            kept = {"ies": 3, "e": 1, "s": 1, "ed": 2, "ing": 3}.get(ending, 2)
            word = word[:-kept] + ("y" if ending == "ies" else "")
            break
    return word.removesuffix("e") if len(word) > _SHORTEST else word


@cache
def _synonyms(lexicon: Lexicon) -> dict[str, str]:
    return {word: name for name, words in lexicon.words["labels"].items() for word in words}


def label_stems(name: str, lexicon: Lexicon) -> frozenset[str]:
    """Return the stems of the words in a text or name, without those of grammar.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> sorted(label_stems("the mean_height ofBoys", lexicon()))
    ['boy', 'height', 'mean']
    """
    return frozenset(words_by_stem(name, lexicon))


@lru_cache(1 << 12)
def words_by_stem(name: str, lexicon: Lexicon) -> Mapping[str, str]:
    """Return the words in a text or name by their stems, without those of grammar.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> words_by_stem("the mean_height ofBoys", lexicon())
    {'mean': 'mean', 'height': 'height', 'boy': 'Boys'}
    """
    words = (part for word in _WORD.findall(name.replace("_", " ")) for part in _split(word))
    ignored = lexicon.words["roles"]["ignored"]
    return {stem(word, lexicon): word for word in words if word.lower() not in ignored}


def _split(word: str) -> list[str]:
    return _PARTS.findall(word) if word.isascii() else [word]
