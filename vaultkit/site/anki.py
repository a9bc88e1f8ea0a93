r"""Writes the flashcards of a site as a deck for Anki.

The cards are read from finished pages. Formulas become TeX between ``\(`` and ``\)``, which Anki
typesets; images travel with the deck. The identity of a card is derived from the
words of its question, so that importing a newer deck keeps what was learned.
"""

from __future__ import annotations

import hashlib
import html
import io
import os
import posixpath
import re
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from vaultkit.read.html import HTMLReader
from vaultkit.read.syntax import slug
from vaultkit.site.archives import make_zip

#: The tags that are kept in the HTML of a card.
_KEPT = frozenset(
    re.findall(
        r"\w+",
        "b blockquote br code em h3 h4 i li mark ol p pre strong sub sup table tbody td th thead tr"
        " u ul",
    )
)
_SVG = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
#: The address of an image that stands for a drawing in the page, before the number of the drawing.
_DRAWN = "vaultkit-drawing:"
#: The label of a drawing, which becomes the alt text of the image.
_LABEL = re.compile(r'aria-label="([^"]*)"')
#: The date of a deck, fixed so that each build gives the same bytes. A publisher sets
#: SOURCE_DATE_EPOCH to a later one: Anki imports a note as changed only if its date is newer.
_WHEN = 1_700_000_000
_STYLE = """.card { max-width: 38em; margin: 0 auto; text-align: left; }
.card { font: 20px/1.5 Charter, Georgia, serif; }
.card img { max-width: 100%; }
.card pre, .card code { font-family: monospace; font-size: .85em; }
hr { margin: 1em 0; }
"""


@dataclass(frozen=True)
class Card:
    """A flashcard: its address on its page, both sides in HTML, and the images in them.

    ``section`` is the nearest heading above it; ``images`` are the image files by their names in
    the HTML.
    """

    key: str
    question: str
    answer: str
    section: str
    images: Mapping[str, bytes]


def read_cards(
    page: str, address: str, root: str, read: Callable[[str], bytes | None]
) -> list[Card]:
    """Read the flashcards of a page.

    Parameters
    ----------
    page
        The HTML of its content.
    address
        Its address, relative to the root of the site.
    root
        The address of the site, for links; empty if it is not known.
    read
        Returns the content of a file, given its address from the root; None if there is none.

    Examples
    --------
    >>> page = '<details class="flashcard" id="a"><summary>Why?</summary><p>So.</p></details>'
    >>> [card] = read_cards(page, "note/", "", lambda address: None)
    >>> card.key, card.question, card.answer
    ('a', 'Why?', '<p>So.</p>')
    """
    drawings = [match[0] for match in _SVG.finditer(page)]
    numbers = iter(range(len(drawings)))
    plain = _SVG.sub(lambda _found: f'<img src="{_DRAWN}{next(numbers)}">', page)
    reader = _Reader(address, root, read, drawings)
    reader.feed(plain)
    reader.close()
    return reader.found


class _Reader(HTMLReader):
    """Collects the flashcards in the HTML of a page.

    A card is a ``<details>`` element; its ``<summary>`` is the question, and all else the answer.
    """

    def __init__(
        self, address: str, root: str, read: Callable[[str], bytes | None], drawings: Sequence[str]
    ) -> None:
        super().__init__()
        self.address, self.root, self.read, self.drawings = address, root, read, drawings
        self.found: list[Card] = []
        self.section = ""
        #: The id of the open card; None outside of cards.
        self.key: str | None = None
        #: Number of open ``<details>`` elements within a card, its own included.
        self.depth = 0
        #: The HTML of both sides of the open card in pieces, and the one that text is added to:
        #: ``q`` or ``a`` (question, answer); ``h2`` in a heading outside of cards.
        self.sides: dict[str, list[str]] = {}
        self.side = ""
        self.images: dict[str, bytes] = {}
        #: The tag of an element that is skipped with its content, and how many of that tag are
        #: open.
        self.skipped_tag, self.skipped_depth = "", 0
        #: For each open link, whether the card has it: it has no links if the site has no address.
        self.has_link: list[bool] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Begin a card, a side, a formula, an image or a link; skip what a deck cannot show."""
        given = {name: value or "" for name, value in attributes}
        names = given.get("class", "").split()
        if self.skipped_tag:
            self.skipped_depth += tag == self.skipped_tag
        elif self.key is None:
            if tag == "details" and "flashcard" in names:
                self.key, self.depth = given.get("id", ""), 1
                self.sides, self.side, self.images = {"q": [], "a": []}, "a", {}
            elif tag == "h2":
                self.section = ""
                self.side = "h2"
        elif tag == "summary" and self.depth == 1:
            self.side = "q"
        elif tag == "details":
            self.depth += 1
        elif tag == "math":
            opening, closing = "[]" if given.get("display") == "block" else "()"
            tex = html.escape(given.get("data-tex", "").strip(), quote=False)
            self.add(f"\\{opening}{tex}\\{closing}")
            self.skip(tag)
        elif tag in ("button", "script", "style") or "headerlink" in names:
            self.skip(tag)
        elif tag == "img":
            self.add_image(given)
        elif tag == "a":
            href = given.get("href", "")
            has_address = bool(self.root or urlsplit(href).scheme)
            self.has_link.append(has_address)
            if has_address:
                address = urljoin(urljoin(self.root, self.address), href)
                self.add(f'<a href="{html.escape(address)}">')
        elif tag in _KEPT:
            self.add(f"<{tag}>")

    def handle_endtag(self, tag: str) -> None:
        """End a side or a card; the finished card is added to ``found``."""
        if self.skipped_tag:
            self.skipped_depth -= tag == self.skipped_tag
            if not self.skipped_depth:
                self.skipped_tag = ""
        elif self.key is None:
            self.side = "" if tag == "h2" else self.side
        elif tag == "summary" and self.depth == 1:
            self.side = "a"
        elif tag == "details":
            self.depth -= 1
            if not self.depth:
                question, answer = ("".join(self.sides[side]).strip() for side in "qa")
                self.found.append(Card(self.key, question, answer, self.section, self.images))
                self.key = None
                self.side = ""
        elif tag == "a":
            if self.has_link and self.has_link.pop():
                self.add("</a>")
        elif tag in _KEPT and tag != "br":
            self.add(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        """Add text to the current side of a card, or to the heading of a section."""
        if self.skipped_tag:
            return
        if self.key is not None:
            self.add(html.escape(data, quote=False))
        elif self.side == "h2":
            self.section += data.removesuffix("#")  # the sign of the link to the heading

    def add(self, text: str) -> None:
        """Add HTML to the current side of the open card."""
        self.sides[self.side].append(text)

    def skip(self, tag: str) -> None:
        """Skip the content of the element that has just begun."""
        self.skipped_tag, self.skipped_depth = tag, 1

    def add_image(self, given: Mapping[str, str]) -> None:
        """Add an image to the card, or its alt text if the file is missing."""
        source, alt = given.get("src", ""), given.get("alt", "")
        if source.startswith(_DRAWN):
            drawing = self.drawings[int(source.removeprefix(_DRAWN))]
            content: bytes | None = drawing.encode()
            label = _LABEL.search(drawing)
            ending, alt = ".svg", html.unescape(label[1]) if label else ""
        else:
            address = unquote(urljoin(self.address, source))
            content, ending = self.read(address), posixpath.splitext(address)[1]
        if content is None:
            self.add(html.escape(alt, quote=False))
            return
        # Anki keeps the images of all decks in one folder, so names must be unique.
        name = f"vault-{hashlib.sha256(content).hexdigest()[:16]}{ending}"
        self.images[name] = content
        self.add(f'<img src="{name}" alt="{html.escape(alt)}">')


def make_deck(name: str, cards: Sequence[Card]) -> bytes:
    """Return cards as a deck that Anki imports; equal cards give equal bytes.

    Parameters
    ----------
    name
        The name of the deck, from which its identity is derived.
    cards
        The cards in the order of learning.
    """
    import genanki  # which takes long to import, and most sites have no flashcards

    model = genanki.Model(
        _identity(f"model of {name}"),
        name,
        fields=[{"name": "Question"}, {"name": "Answer"}],
        templates=[
            {
                "name": "Card",
                "qfmt": "{{Question}}",
                "afmt": "{{FrontSide}}<hr id=answer>{{Answer}}",
            }
        ],
        css=_STYLE,
    )
    made = genanki.Deck(_identity(f"deck of {name}"), name)
    media: dict[str, bytes] = {}
    for place, card in enumerate(cards):
        media |= card.images
        guid = genanki.guid_for(name, card.key)
        tags = [slug(card.section)] if slug(card.section) else []
        fields = [card.question, card.answer]
        made.add_note(genanki.Note(model, fields, guid=guid, tags=tags, due=place))
    packed = io.BytesIO()
    when = float(os.environ.get("SOURCE_DATE_EPOCH", _WHEN))
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / each for each in sorted(media)]
        for path in paths:
            path.write_bytes(media[path.name])
        genanki.Package(made, [str(path) for path in paths]).write_to_file(packed, timestamp=when)
    with zipfile.ZipFile(packed) as deck:  # which has the dates of its files
        return make_zip({name: deck.read(name) for name in deck.namelist()})


def _identity(words: str) -> int:
    """Hash words to a number of 31 bits, the identity of a deck or note type in Anki."""
    return (1 << 30) + int(hashlib.sha256(words.encode()).hexdigest(), 16) % (1 << 30)
