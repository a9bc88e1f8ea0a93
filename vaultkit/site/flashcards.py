"""Folds the answers of flashcards, as Obsidian's plugin for spaced repetition writes them.

A card is a paragraph with a ``?`` alone on a line: above it the question, below it the answer.
"""

from __future__ import annotations

import html
import re
from xml.etree.ElementTree import Element, SubElement

from vaultkit.read.syntax import address


class Flashcards:
    """Makes cards: ``<details>``, with the question as summary.

    Each has an address made of its question, ``#card-…``, so that it can be linked.
    """

    def __init__(self) -> None:
        self.used: set[str] = set()

    def open(self, parent: Element, question: str) -> Element:
        """Make a card that waits for its answer."""
        card = SubElement(parent, "details", {"class": "flashcard", "id": self.name(question)})
        SubElement(card, "summary").text = question.strip()
        return card

    def name(self, question: str) -> str:
        """Make an address of the question that no other card of the page has."""
        plain = " ".join(re.sub(r"[/$^]", " ", question).split())
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
    words = f"All {cards} cards" if cards > 1 else "The card"
    return (
        '<div class="vk-deck"><p class="vk-deck__anki">'
        f'<a href="{html.escape(deck)}" download>{words} as a deck for Anki</a></p></div>'
    )
