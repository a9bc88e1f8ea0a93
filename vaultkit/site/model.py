"""A site as data, without a host: its pages, and what their templates show besides the content.

The host passes each page to the model while rendering it (`read`), then all pages in the order of
the navigation (`arrange`). Then it gets what surrounds a page (`around`), the page with its
placeholders replaced (`fill_in`), and the files that are made from all pages.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote

from vaultkit.read.note import Note
from vaultkit.read.syntax import address_of_path, natural_key
from vaultkit.read.vault import Vault
from vaultkit.render.quotes import curl_text
from vaultkit.site import (
    anki,
    cards,
    evidence,
    flashcards,
    machines,
    notebooks,
    road,
    runnable,
    search_index,
)
from vaultkit.site.checked_notes import CheckedNotes
from vaultkit.site.pages import SitePage
from vaultkit.site.roads import Roads
from vaultkit.site.shown_titles import ShownTitles
from vaultkit.site.terms import Terms

ALL_NOTEBOOKS = "notebooks.zip"
CHECKS = "checks.json"
DECK = "flashcards.apkg"
LLMS = "llms.txt"

_LEDGER = "<!-- ledger -->"
_CARDS = "<!-- cards -->"
_MAP = "<!-- map -->"
_PREDICTIONS = "<!-- predictions -->"
_FLASHCARDS = "<!-- flashcards -->"
_FORMULA = re.compile(r"<math.*?</math>", re.DOTALL)
#: A letter that browsers replace by its slanted form.
_SLANTED = re.compile(r'<mi(?: class="[^"]*")?>[A-Za-zΑ-Ωα-ωϑϕϖϰϱϵ]</mi>')
_TAG = re.compile(r"<[^>]*>")
#: Number of characters that fit the first screen of a phone.
_FIRST_SCREEN = 700
#: A sentence with more links is a list, which says little of each note.
_MOST_LINKS = 4


@dataclass(frozen=True)
class SiteSettings:
    """The settings of a site.

    Parameters
    ----------
    name, description, url
        Name, description and address of the site; the address is empty if it is not known.
    off_the_road, side_roads, roads
        Sections of ``nav`` that are not part of the road; those with side roads; shorter roads.
    meanings
        Notes that explain terms.
    checks_page
        The note that shows the table of all checks.
    can_run
        Whether readers can check pages in their browsers.
    """

    name: str
    description: str = ""
    url: str = ""
    off_the_road: Sequence[str] = ()
    side_roads: Sequence[str] = ()
    roads: Mapping[str, Sequence[str]] = field(default_factory=dict)
    meanings: Sequence[str] = ()
    checks_page: str = "Checks.md"
    can_run: bool = False


class SiteModel:
    """All pages of a site, with what their templates show.

    Parameters
    ----------
    vault
        The notes.
    settings
        The settings of the site.
    """

    def __init__(self, vault: Vault, settings: SiteSettings) -> None:
        self.vault, self.settings = vault, settings
        self.terms = Terms(vault, settings.meanings)
        self.titles = ShownTitles(vault.notes.values())
        self.checked: CheckedNotes
        #: Addresses of the table of all checks (None if there is none) and of its script.
        self.checks_url: str | None = None
        self.checks_script = ""
        #: Address of the picture that other sites show for a link to this one.
        self.picture = ""
        #: Source and address of the map of the roads; empty if there is none.
        self.map_uri = self.map_url = ""
        #: The pages of the navigation, in its order.
        self.pages: list[SitePage] = []
        self.roads: Roads
        self._page_of: dict[Path, SitePage] = {}
        #: By the source of each page, its entry in the search index.
        self._searched: dict[str, bytes] = {}
        self._words: dict[str, int] = {}
        self._cards: dict[str, list[anki.Card]] = {}
        #: The characters of all pages, and those of their formulas, for the fonts.
        self.letters: set[str] = set()
        self.signs: set[str] = set()

    def read_page(
        self,
        page: SitePage,
        content: str,
        sections: list[search_index.Section] | None,
        image: Callable[[str], bytes | None],
    ) -> None:
        """Read the characters, the search sections and the flashcards of a page.

        Parameters
        ----------
        page, content
            The page and its HTML.
        sections
            The sections for search; None if the page is not to be found.
        image
            Returns the content of a file, given its address; None if there is none.
        """
        self.letters.update(content, page.title)
        self.signs.update(*(_SLANTED.sub("", text) for text in _FORMULA.findall(content)))
        if 'class="flashcard"' in content:
            cards = anki.read_cards(content, page.url, self.settings.url, image)
            self._cards[page.uri] = [replace(card, key=f"{page.uri}#{card.key}") for card in cards]
        if sections is None:
            return
        note = page.note
        self._words[page.uri] = sum(len(section.text.split()) for section in sections)
        links = self.vault.backlinks(note) if note else []
        entry = search_index.Entry(
            url=page.url,
            title=note.title if note else page.title,
            aliases=note.aliases if note else (),
            tags=note.tags if note else (),
            summary=self.summary(note),
            linked=len({link.source.path for link in links}),
            sections=sections,
            said=[s for link in links if (s := link.link.sentence).count("[[") <= _MOST_LINKS],
            keywords=note.keywords if note else (),
            shown=self.titles.of(note.title) if note else "",
        )
        self._searched[page.uri] = search_index.serialize_entry(entry)

    def summary(self, note: Note | None) -> str:
        """Return the summary of a note, with curly quotes if the vault asks for them."""
        summary = note.summary if note else ""
        return curl_text(summary) if self.vault.options.curly_quotes else summary

    def arrange(self, pages: Sequence[SitePage], is_ordered: bool) -> None:
        """Store the pages in the order of the navigation.

        Parameters
        ----------
        pages
            The pages.
        is_ordered
            Whether the author has ordered them.
        """
        settings = self.settings
        self.pages = list(pages)
        self._page_of = {page.path: page for page in pages}
        off = settings.off_the_road if is_ordered else None
        self.roads = Roads(self.vault, pages, off, settings.side_roads, settings.roads)

    def index(self) -> bytes:
        """Return the search index of all pages."""
        # Sorted, so that it does not depend on the order in which the system lists folders.
        return search_index.join_entries(self._searched[uri] for uri in sorted(self._searched))

    def cards(self) -> list[anki.Card]:
        """Return the flashcards of all pages, in the order of the navigation."""
        return [card for page in self.pages for card in self._cards.get(page.uri, ())]

    def deck(self) -> bytes | None:
        """Return the flashcards of all pages as a deck for Anki; None if there are none."""
        cards = self.cards()
        return anki.make_deck(self.settings.name, cards) if cards else None

    def llms(self) -> str:
        """Return ``llms.txt``, the list of all pages with the addresses of their Markdown."""
        root = self.settings.url.rstrip("/")
        sections: dict[str, list[machines.ListedNote]] = {}
        for page in self.pages:
            if page.note is None or page.note.refused:
                continue
            section = page.sections[-1] if page.sections else self.settings.name
            href = f"{root}/{page.markdown}" if root else page.markdown
            listed = machines.ListedNote(page.note.title, href, self.summary(page.note))
            sections.setdefault(section, []).append(listed)
        return machines.write_llms_txt(self.settings.name, self.settings.description, sections)

    def around(
        self,
        page: SitePage,
        content: str,
        title: str,
        description: str,
        canonical_url: str,
        edit_url: str,
    ) -> tuple[str, dict[str, str]]:
        """Return what surrounds the content of a page.

        Parameters
        ----------
        page, content
            The page and its HTML.
        title, description
            Title and description of the page.
        canonical_url, edit_url
            Its address on the web, and the address at which its source is edited; each may be
            empty.

        Returns
        -------
        tuple of str and dict
            The HTML with terms marked and the graph added, and the variables of the templates.
        """
        note, minutes = page.note, road.reading_time(self._words.get(page.uri, 0))
        content, terms = self.terms.mark(content, page, self._page_of)
        text, aside, links = content.partition('<aside class="linked-from"')
        content = text + self.roads.graph_of(page, self.map_url) + aside + links
        root = self.settings.url.rstrip("/")
        about = machines.PageMetadata(
            site=self.settings.name,
            title=title,
            description=description or self.settings.description,
            url=canonical_url,
            image=f"{root}/{self.picture}" if root else "",
            tags=note.tags if note else (),
            minutes=minutes if note else 0,
        )
        source = page.to(page.markdown) if note and not note.refused else ""
        is_table = page.uri == self.settings.checks_page
        checked = self.checked.foot(page, self.checks_url)
        if checked and self.settings.can_run and not is_table:
            checked += runnable.controls_html(page.uri) + self._notebooks_of(page)
        position, onward = self.roads.place_of(page, minutes, self.map_url)
        return content, {
            "vaultkit_here": self.titles.insert(position),
            "vaultkit_onward": self.titles.insert(onward),
            "vaultkit_head": machines.metadata_elements(about),
            "vaultkit_ways": road.links_at_the_end(
                {"Edit this page": edit_url, "Markdown": source}
            ),
            "vaultkit_told": evidence.data_element({**self.checked.details(page), **terms}),
            "vaultkit_checked": checked,
        }

    def fill_in(self, page: SitePage, output: str) -> str:
        """Fill in the placeholders of a page; add the marks of evidence to its statements."""
        if page.uri == self.settings.checks_page:
            shown = self.checked.table(page, CHECKS, self.checks_script, self.settings.can_run)
            output = output.replace(_LEDGER, shown, 1)
        if _PREDICTIONS in output:
            output = output.replace(_PREDICTIONS, self.checked.questions(page, self.pages), 1)
        if _FLASHCARDS in output:
            panel = flashcards.panel_html(len(self.cards()), page.to(DECK))
            output = output.replace(_FLASHCARDS, panel, 1)
        if _CARDS in output:
            output = output.replace(_CARDS, self._road_cards(page), 1)
        if page.uri == self.map_uri:
            output = output.replace(_MAP, self.roads.map(page), 1)
        # Only now: otherwise search would find the words of the marks on every page.
        scopes = {place: part.scope for place, part in self.checked.evidence(page).items()}
        return self.titles.insert(evidence.insert_marks(output, scopes))

    def common_facts(self) -> list[object]:
        """Return what every page shows of the site, except for what the host itself adds."""
        return [
            [(page.url, page.sections) for page in self.pages],
            self.roads.needs,
            self.terms.facts(),
            [(n.title, self.titles.of(n.title), n.tags) for n in self.vault.notes.values()],
        ]

    def facts(self, page: SitePage, content: str) -> list[object] | None:
        """Return what only this page shows; None if it shows something of all pages."""
        fills = any(mark in content for mark in (_CARDS, _PREDICTIONS, _FLASHCARDS))
        if fills or page.uri == self.settings.checks_page:
            return None
        digest = page.note.digest if page.note else ""
        return [content, digest, self.checked.entries.get(page.uri)]

    def _road_cards(self, page: SitePage) -> str:
        """Return the pages of the first shorter road, or of the road, as cards."""
        steps = next(iter(self.roads.shorter.values()), self.roads.main)
        return cards.cards_to_html(
            [
                cards.RoadCard(
                    title=step.title,
                    href="" if step.uri == page.uri else page.to(step.url),
                    minutes=road.reading_time(self._words.get(step.uri, 0)),
                    note=step.uri,
                    keys=self.checked.keys(step),
                    drawing=cards.read_cover(step.note, self.vault),
                )
                for step in steps
                if step.note
            ]
        )

    def _notebooks_of(self, page: SitePage) -> str:
        """Return the line with links to the notebooks of a page; empty if it is not a note."""
        if page.note is None:
            return ""
        notebook = notebook_uri(notebooks.name_of(page.note, self.vault))
        return notebooks.links_html(*(quote(page.to(url)) for url in (notebook, ALL_NOTEBOOKS)))


def notebook_uri(name: str) -> str:
    """Return the path of a notebook on the site."""
    return f"notebooks/{name}"


def markdown_of(note: Note, shown: str) -> str:
    """Return the Markdown of a note; for a notebook, the Markdown of its page."""
    return "\n".join([*note.shown, ""]) if note.path.suffix == ".md" else shown


def begins_with_formulas(content: str) -> bool:
    """Return whether the first screen has a formula, so that its font is preloaded."""
    before, formula, _ = content.partition("<math")
    return bool(formula) and len(_TAG.sub("", before)) < _FIRST_SCREEN


def page_address(vault: Vault, uri: str) -> str:
    """Return the address of a page without slashes at its ends: for an index page, its folder.

    Parameters
    ----------
    vault, uri
        The notes, and the path of the page's source below their folder.
    """
    folder, name = posixpath.split(uri)
    stem = posixpath.splitext(name)[0]
    if stem in ("index", "README"):
        return address_of_path(folder) if folder else ""
    note = vault.notes.get(vault.root / uri)
    return vault.address(note) if note else address_of_path(posixpath.join(folder, stem))


def sort_key(uri: str, is_index: bool) -> tuple[list[object], bool, object]:
    """Return the sort key of a file in Obsidian's order; a folder's own page comes first in it."""
    folder, name = posixpath.split(uri)
    above: list[object] = [natural_key(part) for part in folder.split("/") if part]
    return above, not is_index, natural_key(posixpath.splitext(name)[0])


def tags_page_markdown() -> str:
    """Return the Markdown of the page on which the theme lists the tags."""
    return """---
description: All notes by topic.
---
# Tags

All notes by topic.

<!-- material/tags -->
"""


def map_page_markdown() -> str:
    """Return the Markdown of the page that shows the map: the graph of all notes of the roads."""
    return f"""---
description: All notes of the road as a map, each below what must be understood before it.
search:
  exclude: true
---
# Map

Each note is below those that must be understood before it. A line leads from a note to one that
directly builds on it; what is further up is needed, too.

{_MAP}
"""
