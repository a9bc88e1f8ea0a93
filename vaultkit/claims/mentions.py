"""The sentences of a text with their words and numbers, to find what each number is said to be.

Words are compared by their *stems*: *switches* and *switch* have one. A *label* is the stems of the
words in a name or phrase, without those of grammar: *mean*, *height* for ``mean_height``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
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
_ANY_NUMBER = re.compile(rf"\d|\b{NUMERAL}\b", re.IGNORECASE)
#: The words of a name: *mean* and *Height* in *meanHeight*, *HT* in *HT*.
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
#: The endings of words, the first of which that fits counts, with the letters that are taken away.
_ENDINGS = {"ches": 2, "shes": 2, "sses": 2, "xes": 2, "ies": 3, "ing": 3, "ed": 2, "s": 1, "e": 1}
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
        The position in the text of its piece at which it begins.
    piece
        The paragraph, or other piece of text, that contains it.
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
        """Return line and column of a position in its text."""
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
    cached = _cached_sentences(note, lexicon)
    for index, piece in enumerate(note.prose):
        is_in_table = piece.cells or piece.row
        if is_in_table or not _ANY_NUMBER.search(piece.text):
            continue
        if lines is not None and lines.isdisjoint(piece.lines):
            continue
        if index not in cached:
            cached[index] = tuple(sentences_of_piece(piece, lexicon))
        yield from cached[index]


def cell_sentences(note: Note, lexicon: Lexicon) -> Iterator[Sentence]:
    """Yield the cells of tables that contain a number, as sentences."""
    cached = _cached_sentences(note, lexicon)
    for index, piece in enumerate(note.prose):
        if (piece.cells or piece.row) and _ANY_NUMBER.search(piece.text):
            if index not in cached:
                cached[index] = tuple(sentences_of_piece(piece, lexicon))
            yield from cached[index]


#: The sentences of the notes read last, by the identities of text and lexicon and then by the
#: indices of their pieces: several checks read them, and so do those of the note with other numbers
#: in its code. The text is kept with them, so that no other one gets its identity.
_kept: dict[tuple[int, int], tuple[Sequence[Prose], dict[int, tuple[Sentence, ...]]]] = {}
_MOST_KEPT = 4


def _cached_sentences(note: Note, lexicon: Lexicon) -> dict[int, tuple[Sentence, ...]]:
    """Return the sentences of a note that were read already, by the indices of its pieces.

    The caller adds those that it reads.
    """
    key = id(note.prose), id(lexicon)
    if key not in _kept:
        while len(_kept) >= _MOST_KEPT:
            del _kept[next(iter(_kept))]
        _kept[key] = note.prose, {}
    _, by_piece = _kept[key]
    return by_piece


def sentences_of_piece(
    piece: Prose, lexicon: Lexicon, *, with_number: bool = True
) -> Iterator[Sentence]:
    """Yield the sentences of a piece of text, except questions, and those without a number.

    A multiple or part in words, *twice*, is no number here; ``with_number=False`` yields all.
    """
    text = mask_names(_CODE.sub(lambda code: FORMULA * len(code[0]), piece.text))
    begins = 0
    for stop in (*_STOP.finditer(text), None):  # None for the end of the text
        end = stop.start() if stop else len(text)
        marked = text[begins:end]
        asks = stop is not None and stop[0] == "?"
        # A number with a given reason is not to be judged.
        is_read = _has_number(marked) or not with_number
        if is_read and not asks and not REASONS.search(marked):
            plain = plain_words(marked.replace(FORMULA, NAME))
            yield Sentence(plain, begins, piece, lexicon)
        begins = stop.end() if stop else end


def _has_number(sentence: str) -> bool:
    """Return whether a sentence has a number; *one* at its beginning counts nothing there."""
    begins_with_one = sentence.lstrip().lower().startswith("one ")
    return len(_ANY_NUMBER.findall(sentence)) > int(begins_with_one)


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
    if synonym := _synonyms(lexicon).get(word):
        return synonym
    for ending, letters in _ENDINGS.items():
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            word = word[:-letters] + ("y" if ending == "ies" else "")
            break
    # *Bake* and *baking* are *bak*.
    return word.removesuffix("e") if len(word) > _SHORTEST else word


@cache
def _synonyms(lexicon: Lexicon) -> dict[str, str]:
    """Return the stem of each word with synonyms: ``max`` for *largest*."""
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
    words = (part for word in _WORD.findall(name.replace("_", " ")) for part in _parts(word))
    ignored = lexicon.words["roles"]["ignored"]
    return {stem(word, lexicon): word for word in words if word.lower() not in ignored}


def _parts(word: str) -> list[str]:
    """Return the parts of a name in camel case; a word with other letters is left whole."""
    return _PARTS.findall(word) if word.isascii() else [word]
