"""The HTML of the panel in which the flashcards of a page are practised."""

from __future__ import annotations

import html


def panel_html(cards: int, deck: str) -> str:
    """Return the panel of a page, with a link to the deck for Anki.

    Parameters
    ----------
    cards
        The number of cards in the deck.
    deck
        The address of the deck.
    """
    words = f"All {cards} cards" if cards > 1 else "The card"
    return (
        '<div class="vk-deck"><p class="vk-deck__anki">'
        f'<a href="{html.escape(deck)}" download>{words} as a deck for Anki</a></p></div>'
    )
