"""The pages of a road as cards: a drawing, a title, the reading time, and a reader's progress.

The script ``road.js`` adds the progress, which is kept in the browser.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from vaultkit.read.note import Note
from vaultkit.read.vault import Vault
from vaultkit.render.safe import is_active

_OPENING = re.compile(r"<svg\b[^>]*>")
_VIEW = re.compile(r'\sviewBox="[^"]*"')
#: Parts of a drawing that a small picture must not repeat, or that are too small to read in it.
_WORDS = re.compile(r"<(metadata|title|desc|text)\b.*?</\1>\s*", re.DOTALL)


@dataclass(frozen=True)
class RoadCard:
    """A page of a road.

    Parameters
    ----------
    title, href
        Its title, and its address relative to the current page; empty for the current page.
    minutes
        Its reading time.
    note, keys
        The path of its note, and the keys of its predictions, for the script.
    drawing
        An SVG; empty if the note names none as its ``cover``.
    """

    title: str
    href: str
    minutes: int
    note: str
    keys: Sequence[str] = ()
    drawing: str = ""


def read_cover(note: Note, vault: Vault) -> str:
    """Return the drawing that a note names as its ``cover``, without its words; empty if none."""
    name = note.meta.get("cover")
    path = vault.root / str(name)
    if not name or path.suffix != ".svg" or not vault.holds(path) or not path.is_file():
        return ""
    svg = path.read_text(encoding="utf-8")
    opening, view = _OPENING.search(svg), _VIEW.search(svg)
    if not opening or not view or is_active(svg):
        return ""
    start = f'<svg class="vk-figure"{view[0]} aria-hidden="true">'
    return start + _WORDS.sub("", svg[opening.end() :])


def cards_to_html(cards: Sequence[RoadCard]) -> str:
    """Return the list of the cards."""
    return f'<ol class="vk-cards" role="list">{"".join(map(_card_to_html, cards))}</ol>'


def _card_to_html(card: RoadCard) -> str:
    """Return the list item of a card: picture, linked title and minutes of one page."""
    title = html.escape(card.title)
    link = (
        f'<a href="{html.escape(card.href)}">{title}</a>'
        if card.href
        else f'<strong aria-current="page">{title}</strong>'
    )
    minutes = f"{card.minutes} minute{'s' * (card.minutes != 1)}"
    keys = html.escape(" ".join(card.keys))
    return (
        f'<li class="vk-card" data-note="{html.escape(card.note)}" data-keys="{keys}">'
        f'<span class="vk-card__picture">{card.drawing}</span>{link}'
        f'<span class="vk-card__said">{minutes}</span></li>'
    )
