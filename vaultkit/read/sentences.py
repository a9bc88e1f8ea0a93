"""Finds the sentence around a position, and distinguishes sentences from fragments."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from vaultkit.read.syntax import BLOCK_ID, COMMENT, WIKILINK
from vaultkit.read.tokenizer import tokenize_line

#: Longest text that is taken for a sentence, on each side of a position.
LONGEST = 2000

#: The end of a sentence with the blanks behind it. A lower-case letter may not follow, and "et al."
#: and similar abbreviations do not end a sentence.
_END = re.compile(
    r"(?<!\bal)(?<!\be\.g)(?<!\bi\.e)(?<!\bcf)(?<!\bvs)[.!?][)\"'*_]*+\s++(?=[\W\dA-Z])"
)
_CODE_OR_FORMULA = re.compile(r"`[^`\n]*`|\$[^$\n]*\$")
_BRACKET = re.compile(r"[()]")
#: A text from a capital, a digit, code or a formula to a full stop: ``*One* is $x$.``
_WHOLE = re.compile(r"[\W_]*(?:[^\W_a-z]|`|\$).*[.!?:…][)\"'*_”’\]]*", re.DOTALL)
#: Most words that count for the informativeness of a sentence: longer ones say no more.
_MOST_WORDS = 25
#: A sentence with fewer words than this for each of its links is hardly more than a list.
_WORDS_PER_LINK = 3
#: How many characters are searched on each side for the end of a clause.
_FAR = 400
_STOP = re.compile(r"[.!?:;](?=\s|$)")


def clause_span(text: str, first: int, last: int) -> tuple[int, int]:
    """Return the span of the clause around ``text[first:last]``, between full stops and colons.

    It ends at the position of the stop, or with the text if none is within 400 characters.

    Examples
    --------
    >>> text = "One. Is it two? Three."
    >>> begins, ends = clause_span(text, 11, 14)
    >>> text[begins:ends], text[ends]
    (' Is it two', '?')
    """
    far = max(0, first - _FAR)
    begins = max((stop.end() for stop in _STOP.finditer(text, far, first)), default=far)
    next_stop = _STOP.search(text, last, last + _FAR)
    return begins, next_stop.start() if next_stop else len(text)


class Sentences:
    """The sentences of a paragraph.

    Parameters
    ----------
    content
        Its Markdown.
    """

    def __init__(self, content: str) -> None:
        self.content = content
        self._ends: list[int] | None = None

    def around(self, at: int) -> str:
        """Return the sentence around a position, as `tidy` leaves it."""
        first, last = self.sentence_span(at)
        return tidy(self.content[first:last])

    def sentence_span(self, at: int) -> tuple[int, int]:
        """Return the span of the sentence around a position, with the blanks behind it."""
        if self._ends is None:
            self._ends = self._find_ends()  # which most paragraphs never need
        index = bisect_right(self._ends, at)
        start = self._ends[index - 1] if index else 0
        stop = self._ends[index] if index < len(self._ends) else len(self.content)
        return max(start, at - LONGEST), min(stop, at + LONGEST)

    def spans(self) -> Iterator[tuple[int, int]]:
        """Yield the spans of all sentences, in order.

        >>> list(Sentences("One. Two!").spans())
        [(0, 5), (5, 9)]
        """
        start = 0
        while start < len(self.content):
            _, end = self.sentence_span(start)
            yield start, end
            start = end

    def _find_ends(self) -> list[int]:
        """Return where sentences end, which is never within brackets, an image or a link."""
        unbroken = _spans_in_parentheses(self.content) + _spans_with_address(self.content)
        unbroken += [match.span() for match in WIKILINK.finditer(self.content)]
        ends = [match.end() for match in _END.finditer(self.content)]
        return [end for end in ends if not any(first < end <= last for first, last in unbroken)]


def tidy(sentence: str) -> str:
    """Remove the invisible parts of a sentence: comments, ids, line ends."""
    return " ".join(BLOCK_ID.sub("", COMMENT.sub("", sentence)).split())


def is_whole(sentence: str) -> bool:
    """Return whether a text is a whole sentence, rather than a table cell or a list item.

    Examples
    --------
    >>> is_whole("See [[Softmax]]."), is_whole("[[Softmax|exponentials]], by row"), is_whole("")
    (True, False, False)
    """
    shown = WIKILINK.sub(lambda match: match["words"] or match["target"], sentence)
    return bool(_WHOLE.fullmatch(shown)) and shown.count("(") == shown.count(")")


def informativeness(sentence: str) -> tuple[bool, bool, bool, int]:
    """Return a sort key for the sentences of links: larger for those that say more.

    Whole sentences come first, then those that are more than a list of links, then those that do
    not announce what follows, then those with more words.
    """
    links = len(WIKILINK.findall(sentence))
    words = len(WIKILINK.sub(" ", sentence).split())
    is_more_than_links = words > _WORDS_PER_LINK * links
    announces = sentence.endswith(":")
    return is_whole(sentence), is_more_than_links, not announces, min(words, _MOST_WORDS)


def _spans_with_address(content: str) -> list[tuple[int, int]]:
    """Return the spans of the images and links that have an address: ``![One. Two.](a.svg)``.

    >>> _spans_with_address("![One. Two.](a.svg) Three, [four](b).")
    [(0, 19), (27, 36)]
    """
    if "](" not in content:
        return []  # most paragraphs have none, and the parser is slow
    tokens = tokenize_line(content)
    # Only images and links have an end (`vaultkit.read.tokenizer`).
    return [(token.meta["at"], token.meta["end"]) for token in tokens if "end" in token.meta]


def _spans_in_parentheses(content: str) -> list[tuple[int, int]]:
    """Return the spans in outermost parentheses, outside of code and formulas.

    >>> _spans_in_parentheses("a (b (c)) `(d)`")
    [(2, 8)]
    """
    text = _CODE_OR_FORMULA.sub(lambda match: " " * len(match[0]), content)
    spans, opened = [], []
    for bracket in _BRACKET.finditer(text):
        if bracket[0] == "(":
            opened.append(bracket.start())
        elif opened:
            first = opened.pop()
            if not opened:
                spans.append((first, bracket.start()))
    return spans
