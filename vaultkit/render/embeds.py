"""Renders embedded notes, sections and blocks within a page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from vaultkit.read.note import Link, Note
from vaultkit.read.tokenizer import Parsed, tokenize
from vaultkit.read.vault import BrokenLinkError
from vaultkit.render.blocks import HEADINGS, BlockRenderer
from vaultkit.render.drawings import caption_figures
from vaultkit.render.page import DEEPEST_EMBED, MOST_EMBEDS, Page
from vaultkit.render.tables import prepare_tables

#: Elements that contain text and blocks side by side.
_CONTAINERS = ("li", "td", "th")
#: The id of a footnote or of a reference to it, or a link to that id: ``fn:1``, ``#fnref2:1``.
_FOOTNOTE = re.compile(r"(?P<mark>#?fn(?:ref\d*)?:)(?P<label>.*)")


def finish_parts(page: Page, root: Element) -> None:
    """Prepare the figures and tables of a page or of an embedded part."""
    caption_figures(page, root)
    prepare_tables(root)


def replace_embeds(page: Page, root: Element) -> None:
    """Replace the embeds in paragraphs, items and cells by the notes that they name."""
    for parent in list(root.iter()):
        if parent.tag in _CONTAINERS:
            for embed in list(parent):
                if "data-embed" in embed.attrib and (box := _render_embed(page, embed)) is not None:
                    parent[list(parent).index(embed)] = box
                    box.tail = (embed.tail or "").lstrip() or None
        for child in list(parent):
            # A title cannot contain blocks.
            if child.tag == "p" and child.get("class") != "admonition-title":
                parts = _split_at_embeds(page, child)
                index = list(parent).index(child)
                parent[index : index + 1] = parts
    # The other embeds remain links.
    for anchor in root.iter("a"):
        anchor.attrib.pop("data-embed", None)


def _split_at_embeds(page: Page, paragraph: Element) -> list[Element]:
    """Split a paragraph at its embeds; return the paragraphs, and between them what is embedded."""
    parts = [paragraph]
    for embed in list(paragraph):
        if "data-embed" not in embed.attrib or (box := _render_embed(page, embed)) is None:
            continue
        last = parts[-1]
        index = list(last).index(embed)
        behind = Element("p")
        behind.text = embed.tail
        behind.extend(last[index + 1 :])
        del last[index:]
        parts += [box, behind]
    if len(parts) == 1:
        return parts
    name = paragraph.attrib.pop("id", "")
    tail, paragraph.tail = paragraph.tail, None
    not_empty = [part for part in parts if part.tag != "p" or _trim_line_ends(part)]
    if name:
        not_empty[0].set("id", name)
    not_empty[-1].tail = tail
    return not_empty


def _trim_line_ends(part: Element) -> bool:
    """Strip line ends next to an embed from a part; return whether any text remains."""
    while len(part) and not (part.text or "").strip() and part[0].tag == "br":
        part.text = part[0].tail
        del part[0]
    while len(part) and part[-1].tag == "br" and not (part[-1].tail or "").strip():
        del part[-1]
    if len(part):
        part[-1].tail = (part[-1].tail or "").rstrip()
    part.text = (part.text or "").lstrip() if len(part) else (part.text or "").strip()
    return bool(part.text or len(part))


def _render_embed(page: Page, anchor: Element) -> Element | None:
    """Return the note that a link embeds; None if it remains a link.

    This is so if the link is broken, its target is no note or one that was refused, the page
    already shows the note around it (a cycle), or embeds are too many or nested too deeply.
    """
    name, _, sub = anchor.attrib["data-embed"].partition("#")
    try:
        target = page.resolve(Link(0, name, sub, "", embed=True, wiki=True))
    except BrokenLinkError:
        return None
    note = target.note
    shown_around = [(page.host.path, None), *page.open_embeds]
    if note is None or note.refused or (target.path, target.lines) in shown_around:
        return None
    if len(page.open_embeds) >= DEEPEST_EMBED or page.embedded >= MOST_EMBEDS:
        return None
    page.embedded += 1
    box = Element("div", {"class": "transclusion"})
    source = SubElement(box, "p", {"class": "transclusion-source"})
    link = SubElement(source, "a", {"class": "wikilink", "href": page.href(target)})
    link.text = Link(0, note.name, sub, "", embed=False, wiki=True).shown
    with page.within_note(note, target.lines) as scope:
        root = _renderer_of(page, note, target.lines).render()
        page.lay_out(root)
        finish_parts(page, root)
        replace_embeds(page, root)
    if not target.lines and len(root) and root[0].tag == "h1":
        # The heading repeats the link to the source.
        root.remove(root[0])
    adapt_to_page(page, root, note.path, scope)
    box.extend(root)
    return box


def _renderer_of(page: Page, note: Note, lines: tuple[int, int] | None) -> BlockRenderer:
    """Return the renderer of a note, or of some lines of it."""
    whole = tokenize(note.text)
    if lines is None:
        return BlockRenderer(page, whole, note)
    first, last = lines
    part = note.shown[first - 1 : last]
    # Without its indentation, the item of a list is not read as code.
    indent = min((len(ln) - len(ln.lstrip(" ")) for ln in part if ln.strip()), default=0)
    text = "\n".join(line[indent:] for line in part)
    parsed = tokenize(text, _definitions_in(whole))
    return BlockRenderer(page, parsed, note, lines_above=first - 1, defined=whole)


def _definitions_in(parsed: Parsed) -> dict[str, Any]:
    """Return what the parser needs for a part of a note: its definitions of links and footnotes."""
    refs = parsed.env.get("footnotes", {}).get("refs", {})
    # By -1, the parser marks a footnote that no reference has numbered yet.
    footnotes = {"refs": dict.fromkeys(refs, -1), "list": {}}
    return {"references": parsed.env.get("references", {}), "footnotes": footnotes}


def adapt_to_page(page: Page, root: Element, source: Path, scope: str) -> None:
    """Adapt a part of another note to the page.

    Its links become relative to the page, its headings paragraphs. Of its ids, only those of
    footnotes remain, with the prefix ``scope``.
    """
    for element in root.iter():
        is_reference = "footnote" in element.get("class", "")  # to a footnote, or back from it
        for key in ("href", "src"):
            value = element.get(key)
            if value is None:
                continue
            footnote = _FOOTNOTE.fullmatch(value) if is_reference else None
            address = _with_scope(footnote, scope) if footnote else page.rebase(value, source)
            element.set(key, address)
        if "id" in element.attrib:
            if footnote := _FOOTNOTE.fullmatch(element.attrib["id"]):
                element.set("id", _with_scope(footnote, scope))
            else:
                del element.attrib["id"]
        if element.tag in HEADINGS:
            element.set("class", f"transclusion-heading transclusion-{element.tag}")
            element.set("role", "heading")
            element.set("aria-level", element.tag[1])
            element.tag = "p"


def _with_scope(footnote: re.Match[str], scope: str) -> str:
    """Return the id of a footnote, or a link to it, with a prefix: ``fn:1`` → ``fn:e2-1``."""
    return f"{footnote['mark']}{scope}-{footnote['label']}"
