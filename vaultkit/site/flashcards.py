"""Shows where the flashcards of a page are practised."""

from __future__ import annotations

import html


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
