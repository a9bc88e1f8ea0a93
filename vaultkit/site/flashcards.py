"""Folds the answers of flashcards, as Obsidian's plugin for spaced repetition writes them.

A card is a paragraph with a ``?`` alone on a line: above it the question, below it the answer.
"""

from __future__ import annotations

import html
import re
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from markdown import Markdown
from markdown.blockprocessors import BlockProcessor

from vaultkit.read.syntax import address

#: What divides it. To look for that first is far quicker than to look for a card.
_MARK = re.compile(r"^[ ]*\?[ ]*$", re.MULTILINE)
_CARD = re.compile(r"(?P<question>.*?\S.*?)\n[ ]*\?[ ]*\n(?P<answer>.*\S.*)", re.DOTALL)


class Flashcards(BlockProcessor):
    """Makes a card of a paragraph: ``<details>``, with the question as its summary.

    Each has an address made of its question, ``#card-…``, so that it can be linked.
    """

    def __init__(self, md: Markdown) -> None:
        super().__init__(md.parser)
        self.used: set[str] = set()

    def test(self, parent: Element, block: str) -> bool:  # noqa: ARG002, D102
        return _MARK.search(block) is not None and _CARD.fullmatch(block) is not None

    def run(self, parent: Element, blocks: list[str]) -> None:  # noqa: D102
        found = _CARD.fullmatch(blocks.pop(0))
        assert found
        card = SubElement(parent, "details", {"class": "flashcard", "id": self.name(found)})
        SubElement(card, "summary").text = found["question"].strip()
        answer: Any = [found["answer"]]
        self.parser.parseBlocks(card, answer)

    def name(self, found: re.Match[str]) -> str:
        """Make an address of the question that no other card of the page has."""
        plain = " ".join(re.sub(r"[/$^]", " ", found["question"]).split())
        words = name = f"card-{address(plain)}"
        number = 1
        while name in self.used:
            number += 1
            name = f"{words}-{number}"
        self.used.add(name)
        return name


def panel(cards: int, deck: str) -> str:
    """Write where a script asks the cards of a page, and a link to all of them for Anki.

    Parameters
    ----------
    cards
        How many the deck holds.
    deck
        Where it is.
    """
    return (
        '<div class="vk-deck"><p class="vk-deck__anki">'
        f'<a href="{html.escape(deck)}" download>All {cards} cards as a deck for Anki</a></p></div>'
    )
