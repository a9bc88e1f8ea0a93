"""Finds the sentence around a position, and distinguishes sentences from fragments."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from vaultkit.read.syntax import BLOCK_ID, COMMENT, WIKILINK
from vaultkit.read.tokenizer import tokenize_line

#: Longest text that is taken for a sentence.
LONGEST = 2000

# "et al." and similar abbreviations do not end a sentence.
_END = re.compile(
    r"(?<!\bal)(?<!\be\.g)(?<!\bi\.e)(?<!\bcf)(?<!\bvs)[.!?][)\"'*_]*+\s++(?=[\W\dA-Z])"
)
_CODE_OR_FORMULA = re.compile(r"`[^`\n]*`|\$[^$\n]*\$")
_BRACKET = re.compile(r"[()]")
_WHOLE = re.compile(r"[\W_]*(?:[^\W_a-z]|`|\$).*[.!?:…][)\"'*_”’\]]*", re.DOTALL)


#: How far a sentence is searched in text without its marks.
_FAR = 400
_STOP = re.compile(r"[.!?:;](?=\s|$)")


def clause_span(text: str, first: int, last: int) -> tuple[int, int]:
    """Return the span of the clause around a place, between full stops and colons.

    The end is the position of the stop; at most 400 characters are searched in each direction.

    Examples
    --------
    >>> text = "One. Is it two? Three."
    >>> begins, ends = clause_span(text, 11, 14)
    >>> text[begins:ends], text[ends]
    (' Is it two', '?')
    """
    far = max(0, first - _FAR)
    begins = max((stop.end() for stop in _STOP.finditer(text, far, first)), default=far)
    ends = _STOP.search(text, last, last + _FAR)
    return begins, ends.start() if ends else len(text)


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
        """Return the sentence around a place."""
        first, last = self.sentence_span(at)
        return tidy(self.content[first:last])

    def sentence_span(self, at: int) -> tuple[int, int]:
        """Return the span of the sentence around a place."""
        if self._ends is None:
            self._ends = self._find_ends()
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
            end = max(self.sentence_span(start)[1], start + 1)
            yield start, end
            start = end

    def _find_ends(self) -> list[int]:
        """Return where sentences end, which is never within brackets, an image or a link."""
        inside = _spans_in_parentheses(self.content) + _spans_with_address(self.content)
        inside += [match.span() for match in WIKILINK.finditer(self.content)]
        ends = [match.end() for match in _END.finditer(self.content)]
        return [end for end in ends if not any(first < end <= last for first, last in inside)]


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
    """Return a sort key: larger for sentences with more words around their links."""
    links = len(WIKILINK.findall(sentence))
    words = len(WIKILINK.sub(" ", sentence).split())
    return is_whole(sentence), words > 3 * links, not sentence.endswith(":"), min(words, 25)


def _spans_with_address(content: str) -> list[tuple[int, int]]:
    """Return the spans of the images and links that have an address: ``![One. Two.](a.svg)``.

    >>> _spans_with_address("![One. Two.](a.svg) Three, [four](b).")
    [(0, 19), (27, 36)]
    """
    if "](" not in content:
        return []
    tokens = tokenize_line(content)
    # Only images and links have an end.
    return [(token.meta["at"], token.meta["end"]) for token in tokens if "end" in token.meta]


def _spans_in_parentheses(content: str) -> list[tuple[int, int]]:
    """Return the spans in outermost parentheses, outside of code and formulas.

    >>> _spans_in_parentheses("a (b (c)) `(d)`")
    [(2, 8)]
    """
    text = _CODE_OR_FORMULA.sub(lambda match: " " * len(match[0]), content)
    found, opened = [], []
    for bracket in _BRACKET.finditer(text):
        at = bracket.start()
        if text[at] == "(":
            opened.append(at)
        elif opened:
            first = opened.pop()
            if not opened:
                found.append((first, at))
    return found
