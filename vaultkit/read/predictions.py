"""Parses the questions that readers answer before they see the output of the block below.

A question is a callout titled *Predict*, directly above a block of code, or directly above a
callout that begins with one. Its title names the part of the output that is asked for, and the
number of decimals if not all that are shown; the items of its lists are wrong answers, each an
expression that computes the answer, and an explanation::

    > [!question] Predict the shape
    > What is the shape of `Q @ K.T`?
    >
    > > [!failure]- Usual wrong answers
    > >
    > > - `(Q.T @ K).shape`: the other factor was transposed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from markdown_it.token import Token

from vaultkit.read.syntax import CALLOUT

#: The parts of an output that a question can ask for.
PARTS = ("output", "line", "row", "shape", "number")
#: Ordinals in a title, with their index in a list.
ORDINALS = {
    "": 0,
    "first ": 0,
    "second ": 1,
    "third ": 2,
    "fourth ": 3,
    "fifth ": 4,
    "sixth ": 5,
    "last ": -1,
}
#: A title: *Predict*, *Predict the shape*, *Predict the second number, to 3 decimals*.
_TITLE = re.compile(
    rf"predict(?: the (?P<which>{'|'.join(ORDINALS)})(?P<part>{'|'.join(PARTS)})"
    r"(?:,? to (?P<decimals>\d) decimals?)?)?",
    re.IGNORECASE,
)
#: The beginning of a title that can be meant so; other titles than `_TITLE` are reported.
_BEGINS = re.compile(r"predict\b", re.IGNORECASE)


@dataclass(frozen=True)
class Distractor:
    """A usual wrong answer: the expression that computes it, and an explanation."""

    line: int
    code: str
    why: str
    column: int = 1


@dataclass(frozen=True)
class Prediction:
    """A question that the output of a block answers.

    Attributes
    ----------
    line
        The line where its callout begins.
    title
        The title of the callout.
    question
        Its text as Markdown.
    distractors
        The usual wrong answers.
    below
        The line of the block of code that answers it; 0 if there is none.
    part
        One of `PARTS`; empty if the title cannot be parsed.
    which
        The index of the part among several; None if there must be only one.
    decimals
        The number of decimals asked for; None for all that are shown.
    """

    line: int
    title: str
    question: str
    distractors: tuple[Distractor, ...]
    below: int
    part: str
    which: int | None
    decimals: int | None = None

    @property
    def key(self) -> str:
        """The identity of the question, which changes only with its words."""
        return hashlib.sha256(f"{self.title}\n{self.question}".encode()).hexdigest()[:12]


def prediction_at(
    tokens: list[Token], index: int, place: Callable[[Token, int], tuple[int, int]]
) -> Prediction | None:
    """Return the question that a quotation is; None if it is none.

    Parameters
    ----------
    tokens
        The tokens of the whole note.
    index
        The index of the token that opens the quotation.
    place
        Returns line and column, given a token and a position in it.
    """
    level = tokens[index].level
    closing = next(
        n for n in range(index, len(tokens))
        if tokens[n].level == level and tokens[n].type == "blockquote_close"
    )  # fmt: skip
    within = tokens[index + 1 : closing]
    texts = [token for token in within if token.type == "inline"]
    callout = CALLOUT.match(texts[0].content) if texts else None
    # Texts of lists, and of callouts within this one, are deeper than those of its paragraphs.
    paragraph_level = level + 2
    if not callout or texts[0].level != paragraph_level:
        return None
    title = callout["title"].strip()
    if callout["type"].lower() != "question" or not _BEGINS.match(title):
        return None
    first_text = texts[0].content[callout.end() :].strip()
    paragraphs = [token.content for token in texts[1:] if token.level == paragraph_level]
    # All groups of the title are missing if it cannot be parsed.
    match = _TITLE.fullmatch(title)
    part, which, decimals = match.group("part", "which", "decimals") if match else (None,) * 3
    return Prediction(
        line=place(tokens[index], 0)[0],
        title=title,
        question="\n".join(text for text in (first_text, *paragraphs) if text),
        distractors=tuple(_distractors(within, place)),
        below=_line_of_code(tokens[closing + 1 :]),
        part=(part or "output").lower() if match else "",
        which=ORDINALS[which.lower()] if which else None,
        decimals=int(decimals) if decimals else None,
    )


def _line_of_code(tokens: list[Token]) -> int:
    """Return the line of the block of code with which the tokens begin; 0 if there is none.

    If they begin with a callout, it is the first block of code in the callout.
    """
    if tokens and tokens[0].type == "blockquote_open":
        level = tokens[0].level
        end = next(n for n, token in enumerate(tokens) if n > 0 and token.level == level)
        tokens = [token for token in tokens[:end] if token.type == "fence"]
    if not tokens or tokens[0].type != "fence" or not tokens[0].map:
        return 0
    return tokens[0].map[0] + 1


def _distractors(
    tokens: list[Token], place: Callable[[Token, int], tuple[int, int]]
) -> Iterator[Distractor]:
    """Yield the wrong answers: list items such as ``- `x.T`: the other way round``.

    An item that does not begin with code has no ``code``; it is reported.
    """
    # The tokens of an item: it opens, its paragraph opens, its text.
    for opening, _, token in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if opening.type != "list_item_open" or token.type != "inline" or not token.children:
            continue
        first = token.children[0]
        code = first.content if first.type == "code_inline" else ""
        why = token.content.partition(f"{first.markup}:")[2] if code else token.content
        line, column = place(token, 0)
        yield Distractor(line, code, why.strip(), column)
