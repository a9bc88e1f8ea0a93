"""Sentences that compare in words alone: *B is larger*, with no code, number or formula in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from vaultkit.claims.claims import claims_of
from vaultkit.claims.comparisons import ComparisonWord, comparisons
from vaultkit.claims.lexicon import DEFAULT, Lexicon, lexicon
from vaultkit.claims.numerals import NUMERAL
from vaultkit.read.note import Note
from vaultkit.read.prose import CODE, END, FORMULA, REASONS
from vaultkit.read.sentences import Sentences

#: The tables of the lexicon with words that compare whatever is around them.
TABLES = ("directions", "sides")
#: Places of sentences; a heading, a summary or a comment in code repeats what the text says.
_PLACES = ("", "alt text")
_INLINE_CODE = re.compile(f"{CODE}[^{END}]*{END}")
#: A single word; or a label with a list of links, which leave no words: *See also: , ,*.
_FRAGMENT = re.compile(r"\A[\W_]*\w+[\W_]*\Z|\A[^:]*:[\W_]*,[\W_]*\Z")
#: A formula that is judged, or a reason that the text gives.
_JUDGED = re.compile(f"{FORMULA}|{REASONS.pattern}")
_ASKS = re.compile(r"\?[\W_]*$")


@dataclass(frozen=True)
class Compared:
    """A word of comparison, at its place, in a sentence without anything that can be judged."""

    line: int
    column: int
    text: str


def compared(note: Note) -> Iterator[Compared]:
    """Yield the first word of comparison of each sentence that compares in words alone.

    Examples
    --------
    >>> from vaultkit.read.markdown import parse
    >>> note = parse("A is 2 longer. B is shorter. C is longer<!-- c > a -->. Is D longer?")
    >>> [found.text for found in compared(note)]
    ['shorter']
    """
    words = lexicon(str(note.meta.get("lang") or DEFAULT))
    pieces = [piece for piece in note.prose if piece.place in _PLACES and not piece.row]
    pieces = [p for p in pieces if any(words.may_find(table, p.text) for table in TABLES)]
    if not pieces:
        return
    claims = claims_of(note)
    judged = {(binding.line, binding.column) for binding in claims.bindings}
    judged |= {(shape.line, shape.column) for shape in claims.shapes}
    judged |= {(said.line, said.column) for said in claims.said}
    judged |= {
        (distractor.line, distractor.column)
        for p in note.predictions
        for distractor in p.distractors
    }
    for piece in pieces:
        for start, end in Sentences(piece.text).spans():
            word = _word_alone(piece.text[start:end], words)
            if word is None:
                continue
            first, last = piece.place_of(start), piece.place_of(end)
            if not any(first <= place < last for place in judged):
                text = piece.text[start + word.start : start + word.end]
                yield Compared(*piece.place_of(start + word.start), text)


@lru_cache(1024)  # an edit of code leaves the sentences as they are
def _word_alone(sentence: str, words: Lexicon) -> ComparisonWord | None:
    """Return the first word of comparison of a sentence that nothing else in it can prove.

    It is None if there is none, or the sentence has a number or formula, or states nothing.

    >>> texts = "It is longer.", "Make it longer.", "It is twice as long.", "Is it longer?"
    >>> [word and word.word for word in (_word_alone(text, lexicon()) for text in texts)]
    ['longer', None, None, None]
    """
    patterns = _patterns(words)
    if not any(words.may_find(table, sentence) for table in TABLES):
        return None
    no_statement = (_ASKS, _FRAGMENT, patterns.request)
    if any(pattern.search(sentence) for pattern in (*no_statement, _JUDGED, patterns.number)):
        return None
    plain = _INLINE_CODE.sub(lambda code: CODE * len(code[0]), sentence)
    for word in comparisons(plain, words):
        if word.table in TABLES and not patterns.unsure.match(plain, word.start):
            return word
    return None


@dataclass(frozen=True)
class _Patterns:
    """The patterns of a language, by what they match."""

    #: A number from two on, a multiple or a part: evidence that the checks of numbers judge.
    number: re.Pattern[str]
    #: The beginning of a request, such as *Then make*.
    request: re.Pattern[str]
    #: The words that compare only where code is bound to them.
    unsure: re.Pattern[str]


@cache
def _patterns(words: Lexicon) -> _Patterns:
    """Return the patterns of a language."""
    counts = [name for name in words.words["counts"] if int(name) > 2]  # *both* is no evidence
    from_two_on = rf"(?!(?:zero|one)\b(?![-‑ ]\w)){NUMERAL}"  # and *one hundred*
    numbers = "|".join(
        (from_two_on, words.pattern("counts", *counts), words.pattern("multiples"),
         words.pattern("parts"))
    )  # fmt: skip
    opens, asks = words.pattern("grammar", "opens"), words.pattern("grammar", "requests")
    return _Patterns(
        number=re.compile(rf"[\d¼-¾⅐-⅞]|(?<![\w-])(?:{numbers})(?![\w-])", re.IGNORECASE),
        request=re.compile(rf"\A[\W\d_]*(?:{opens},?\s+)?{asks}(?!\w)", re.IGNORECASE),
        unsure=re.compile(rf"{words.pattern('grammar', 'unsure')}(?![\w-])", re.IGNORECASE),
    )
