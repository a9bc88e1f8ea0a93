"""Renders the backlinks and the unlinked mentions at the end of a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element, SubElement

from vaultkit.read.mentions import UnlinkedMention
from vaultkit.read.note import Link, Note
from vaultkit.read.sentences import is_whole
from vaultkit.read.tokenizer import tokenize_line
from vaultkit.read.vault import Backlink, Target
from vaultkit.render.embeds import adapt_to_page
from vaultkit.render.inline import InlineRenderer, literal
from vaultkit.render.page import Page

#: The number of list items that are visible; the others are folded.
SHOWN = 8


def render_backlinks(page: Page) -> Element | None:
    """Return the list of notes that link to the page or mention it; None if there are none.

    Each comes with its sentence. The list is an ``aside``, which Material's search leaves out if it
    contains no other ``aside``.
    """
    note = page.vault.notes.get(page.host.path)
    backlinks = page.vault.backlinks(note) if note else []
    mentions = page.vault.mentions(note) if note else []
    if not backlinks and not mentions:
        return None
    aside = Element("aside", {"class": "linked-from", "data-search-exclude": "true"})
    if backlinks:
        SubElement(aside, "p", {"class": "linked-from-title"}).text = "Linked from"
        items = [_backlink_item(page, backlink) for backlink in backlinks]
        aside.append(_make_list(items[:SHOWN]))
        if items[SHOWN:]:
            aside.append(_make_fold(f"{len(items[SHOWN:])} more", items[SHOWN:]))
    if mentions:
        many = f"{len(mentions)} other note{'s' * (len(mentions) != 1)}"
        items = [_mention_item(page, mention) for mention in mentions]
        aside.append(_make_fold(f"Also mentioned in {many}", items))
    return aside


def _make_list(items: Sequence[Element]) -> Element:
    """Return an unordered list of these items."""
    unordered = Element("ul")
    unordered.extend(items)
    return unordered


def _make_fold(words: str, items: Sequence[Element]) -> Element:
    """Return a folded list, which opens at a click on the words."""
    fold = Element("details", {"class": "vk-fold"})
    SubElement(fold, "summary").text = words
    fold.append(_make_list(items))
    return fold


def _backlink_item(page: Page, backlink: Backlink) -> Element:
    """Return a list item for a linking note, with the sentence of the link or its section."""
    source, link = backlink.source, backlink.link
    item = _item_with_link(page, source)
    if is_whole(link.sentence):
        item.extend(_render_sentence(page, source, link.sentence))
    elif section := section_of(source, link):
        # A table cell says little alone, so its section is shown before it.
        part = SubElement(item, "p")
        part.text = "In "
        href = page.href(Target(source.path, section[0]))
        SubElement(part, "a", {"class": "wikilink", "href": href}).text = literal(section[1])
    return item


def _mention_item(page: Page, mention: UnlinkedMention) -> Element:
    """Return a list item for a note that mentions this one, with the sentence."""
    item = _item_with_link(page, mention.source)
    # The mention is marked in Markdown, within the Markdown of its sentence.
    sentence = f"{mention.before}=={mention.name}=={mention.after}"
    item.extend(_render_sentence(page, mention.source, " ".join(sentence.split())))
    return item


def _item_with_link(page: Page, source: Note) -> Element:
    """Return a list item with a link to a note."""
    item = Element("li")
    href = page.href(Target(source.path))
    SubElement(item, "a", {"class": "wikilink", "href": href}).text = literal(source.title)
    return item


def section_of(source: Note, link: Link) -> tuple[str, str] | None:
    """Return slug and text of the heading above a link; None directly below the title."""
    above = [heading for heading in source.headings if heading.line <= link.line]
    return (above[-1].slug, above[-1].text) if above and above[-1].level > 1 else None


def _render_sentence(page: Page, source: Note, sentence: str) -> Iterator[Element]:
    """Yield the rendered elements of a sentence of another note, without images and embeds.

    There are none if it has no other text.
    """
    part = Element("div")
    with page.within_note(source):
        text = SubElement(part, "p")
        InlineRenderer(page).fill(text, tokenize_line(sentence))
        page.lay_out(part)
    for parent in list(part.iter()):
        for child in list(parent):
            if child.tag == "img" or "data-embed" in child.attrib:
                _remove_but_keep_tail(parent, child)
    adapt_to_page(page, part, source.path, "")
    if "".join(part.itertext()).strip():
        yield from part


def _remove_but_keep_tail(parent: Element, child: Element) -> None:
    """Remove an element, but not its tail."""
    index = list(parent).index(child)
    tail = child.tail or ""
    if index:
        parent[index - 1].tail = (parent[index - 1].tail or "") + tail
    else:
        parent.text = (parent.text or "") + tail
    parent.remove(child)
