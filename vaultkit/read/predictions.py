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
_TITLE = re.compile(
    rf"predict(?: the (?P<which>{'|'.join(ORDINALS)})(?P<part>{'|'.join(PARTS)})"
    r"(?:,? to (?P<decimals>\d) decimals?)?)?",
    re.IGNORECASE,
)
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


def predictions(
    tokens: list[Token], index: int, place: Callable[[Token, int], tuple[int, int]]
) -> Iterator[Prediction]:
    """Yield the question in a callout, if it is one.

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
    last = next(
        n for n in range(index, len(tokens))
        if tokens[n].level == level and tokens[n].type == "blockquote_close"
    )  # fmt: skip
    within = tokens[index + 1 : last]
    # The text of a paragraph of the callout is two levels deeper; that of lists, and of callouts
    # within this one, is deeper still.
    texts = [token for token in within if token.type == "inline"]
    callout = CALLOUT.match(texts[0].content) if texts else None
    if not callout or texts[0].level != level + 2:
        return
    title = callout["title"].strip()
    if callout["type"].lower() != "question" or not _BEGINS.match(title):
        return
    first = texts[0].content[callout.end() :].strip()
    paragraphs = [token.content for token in texts[1:] if token.level == level + 2]
    found = _TITLE.fullmatch(title)
    named = bool(found and found["which"])
    yield Prediction(
        line=place(tokens[index], 0)[0],
        title=title,
        question="\n".join(text for text in (first, *paragraphs) if text),
        distractors=tuple(_distractors(within, place)),
        below=_below(tokens[last + 1 :]),
        part=(found["part"] or "output").lower() if found else "",
        which=ORDINALS[found["which"].lower()] if found and named else None,
        decimals=int(found["decimals"]) if found and found["decimals"] else None,
    )


def _below(tokens: list[Token]) -> int:
    """Return the line of the block of code that follows, perhaps within a callout."""
    if tokens and tokens[0].type == "blockquote_open":
        end = next(n for n, token in enumerate(tokens) if token.level == tokens[0].level and n)
        tokens = [token for token in tokens[:end] if token.type == "fence"]
    if tokens and tokens[0].type == "fence" and tokens[0].map:
        return tokens[0].map[0] + 1
    return 0


def _distractors(
    tokens: list[Token], place: Callable[[Token, int], tuple[int, int]]
) -> Iterator[Distractor]:
    """Yield the wrong answers: list items that begin with code and a colon."""
    for opening, _, token in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if opening.type == "list_item_open" and token.type == "inline" and token.children:
            code = token.children[0]
            shown = code.content if code.type == "code_inline" else ""
            behind = token.content.partition(f"{code.markup}:")[2] if shown else token.content
            yield Distractor(place(token, 0)[0], shown, behind.strip(), place(token, 0)[1])
