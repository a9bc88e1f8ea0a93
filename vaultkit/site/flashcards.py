"""The panel on a page in which its flashcards are practised."""

from __future__ import annotations

import html


def panel(cards: int, deck: str) -> str:
    """Return the panel of a page, with a link to the deck for Anki.

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
