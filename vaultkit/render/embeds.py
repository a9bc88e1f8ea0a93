"""Renders embedded notes, sections and blocks within a page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from vaultkit.read.note import Link, Note
from vaultkit.read.tokenizer import Parsed, tokenize
from vaultkit.read.vault import BrokenLinkError
from vaultkit.render.blocks import BlockRenderer
from vaultkit.render.drawings import caption_figures
from vaultkit.render.page import DEPTH, MOST, Page
from vaultkit.render.tables import prepare_tables

_HEADING = re.compile("h[1-6]")
#: Elements that contain text and blocks side by side.
_HOLD = ("li", "td", "th")
_FOOTNOTE = re.compile(r"(#?fn(?:ref\d*)?:)(.*)")


def finish_parts(page: Page, root: Element) -> None:
    """Prepare the figures and tables of a page or of an embedded part."""
    caption_figures(page, root)
    prepare_tables(root)


def transclude(page: Page, root: Element) -> None:
    """Replace the embeds in paragraphs, items and cells by the notes that they name."""
    for parent in list(root.iter()):
        if parent.tag in _HOLD:
            for embed in list(parent):
                if "data-embed" in embed.attrib and (box := _box(page, embed)) is not None:
                    parent[list(parent).index(embed)] = box
                    box.tail = (embed.tail or "").lstrip() or None
        for child in list(parent):
            if child.tag == "p" and child.get("class") != "admonition-title":
                parts = list(_parts(page, child))
                at = list(parent).index(child)
                parent[at : at + 1] = parts
    for anchor in root.iter("a"):
        anchor.attrib.pop("data-embed", None)


def _parts(page: Page, paragraph: Element) -> Iterator[Element]:
    """Split a paragraph at its embeds; yield the parts and the embeds between."""
    parts = [paragraph]
    for embed in list(paragraph):
        if "data-embed" not in embed.attrib or (box := _box(page, embed)) is None:
            continue
        before = parts[-1]
        at = list(before).index(embed)
        behind = Element("p")
        behind.text = embed.tail
        behind.extend(before[at + 1 :])
        del before[at:]
        parts += [box, behind]
    if len(parts) == 1:
        yield paragraph
        return
    name = paragraph.attrib.pop("id", "")
    tail, paragraph.tail = paragraph.tail, None
    shown = [part for part in parts if part.tag != "p" or _trimmed(part)]
    if name:
        shown[0].set("id", name)
    shown[-1].tail = tail
    yield from shown


def _trimmed(part: Element) -> bool:
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


def _box(page: Page, anchor: Element) -> Element | None:
    """Return an embedded note; None if it remains a link: broken, circular, or one too many."""
    name, _, sub = anchor.attrib["data-embed"].partition("#")
    try:
        target = page.resolve(Link(0, name, sub, "", True, True))
    except BrokenLinkError:
        return None
    note, where = target.note, (target.path, target.lines)
    whole = (page.host.path, None)
    if note is None or note.refused or where in (whole, *page.trail):
        return None
    if len(page.trail) >= DEPTH or page.embedded >= MOST:
        return None
    page.embedded += 1
    box = Element("div", {"class": "transclusion"})
    source = SubElement(box, "p", {"class": "transclusion-source"})
    link = SubElement(source, "a", {"class": "wikilink", "href": page.href(target)})
    link.text = Link(0, note.name, sub, "", False, True).shown
    with page.reading(note, target.lines) as scope:
        root = _renderer_of(page, note, target.lines).write()
        page.lay_out(root)
        finish_parts(page, root)
        transclude(page, root)
    if not target.lines and len(root) and root[0].tag == "h1":
        # The heading repeats the link to the source.
        root.remove(root[0])
    adapt(page, root, note.path, scope)
    box.extend(root)
    return box


def _renderer_of(page: Page, note: Note, lines: tuple[int, int] | None) -> BlockRenderer:
    """Return the renderer of a note, or of some lines of it."""
    whole = tokenize(note.text)
    if lines is None:
        return BlockRenderer(page, whole, note)
    first, last = lines
    shown = note.shown[first - 1 : last]
    indent = min((len(ln) - len(ln.lstrip(" ")) for ln in shown if ln.strip()), default=0)
    text = "\n".join(line[indent:] for line in shown)
    return BlockRenderer(page, tokenize(text, _defined(whole)), note, first - 1, defined=whole)


def _defined(parsed: Parsed) -> dict[str, Any]:
    """Return the definitions of links and footnotes in a note, for a part of it."""
    refs = parsed.env.get("footnotes", {}).get("refs", {})
    footnotes = {"refs": dict.fromkeys(refs, -1), "list": {}}
    return {"references": parsed.env.get("references", {}), "footnotes": footnotes}


def adapt(page: Page, root: Element, source: Path, scope: str) -> None:
    """Adapt a part of another note to the page: links, ids, headings."""
    for element in root.iter():
        footnote = "footnote" in element.get("class", "")
        for key in ("href", "src"):
            value = element.get(key)
            if value is None:
                continue
            ours = _FOOTNOTE.fullmatch(value) if footnote else None
            element.set(key, _scoped(ours, scope) if ours else page.rebase(value, source))
        name = element.get("id")
        if name is not None:
            ours = _FOOTNOTE.fullmatch(name)
            if ours:
                element.set("id", _scoped(ours, scope))
            else:
                del element.attrib["id"]
        if _HEADING.fullmatch(str(element.tag)):
            element.set("class", f"transclusion-heading transclusion-{element.tag}")
            element.set("role", "heading")
            element.set("aria-level", element.tag[1])
            element.tag = "p"


def _scoped(found: re.Match[str], scope: str) -> str:
    return f"{found[1]}{scope}-{found[2]}"
