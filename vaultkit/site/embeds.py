"""Shows notes within notes: whole, by section, by block."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

from vaultkit.read.note import Link
from vaultkit.read.vault import BrokenLinkError
from vaultkit.site.page import DEPTH, MOST, Page

_HEADING = re.compile("h[1-6]")
_FOOTNOTE = re.compile(r"(#?fn(?:ref\d*)?:)(.*)")


def transclude(page: Page, root: Element) -> None:
    """Put what they name in the place of all embeds that are alone in their paragraph."""
    for parent in list(root.iter()):
        for index, child in enumerate(list(parent)):
            embed = _alone(child)
            if embed is None:
                continue
            box = _box(page, embed)
            if box is None:
                continue
            if child.tag == "p":
                parent[index] = box
                box.tail = child.tail
                if "id" in child.attrib:
                    box.set("id", child.attrib["id"])
            else:
                child[0] = box
    for anchor in root.iter("a"):
        anchor.attrib.pop("data-embed", None)


def _alone(element: Element) -> Element | None:
    """Return the embed that is all there is in a paragraph or in a list item's own line."""
    if element.tag not in ("p", "li") or not len(element) or (element.text or "").strip():
        return None
    first, *rest = element
    if "data-embed" not in first.attrib or (first.tail or "").strip():
        return None
    blocks = ("blockquote", "div", "dl", "ol", "p", "pre", "table", "ul")
    return first if all(element.tag == "li" and el.tag in blocks for el in rest) else None


def _box(page: Page, anchor: Element) -> Element | None:
    """Render an embedded note; None where a link has to do."""
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
    first, last = target.lines or (1, len(note.shown))
    lines = note.shown[first - 1 : last]
    indent = min((len(ln) - len(ln.lstrip(" ")) for ln in lines if ln.strip()), default=0)
    with page.reading(note, target.lines) as scope:
        root = page.blocks([line[indent:] for line in lines])
        _borrow_footnotes(page, note.shown if target.lines else [], "\n".join(lines))
        root = page.finish(root)
        transclude(page, root)
    if not target.lines and len(root) and root[0].tag == "h1":
        # The link to the source says the same.
        root.remove(root[0])
    settle(page, root, note.path, scope)
    box.extend(root)
    return box


def _borrow_footnotes(page: Page, lines: list[str], text: str) -> None:
    """Find the footnotes of a part where they are defined: elsewhere in its note."""
    footnotes = page.footnotes
    if footnotes is None or not lines or "[^" not in text:
        return
    page.blocks(lines)
    for label in list(footnotes.footnotes):
        # Not all that a section defines is marked in it, either.
        if f"[^{label}]" not in text.replace(f"[^{label}]:", ""):
            del footnotes.footnotes[label]


def settle(page: Page, root: Element, source: Path, scope: str) -> None:
    """Make a part of another note fit into the page: its links, its ids, its headings."""
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
