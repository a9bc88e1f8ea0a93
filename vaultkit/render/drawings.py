"""Renders figures with captions, and inlines SVG drawings, so that their links and colours work."""

from __future__ import annotations

import html
import logging
import os
import posixpath
import re
from pathlib import Path
from urllib.parse import unquote
from xml.etree.ElementTree import Element, SubElement

from markdown.util import HTML_PLACEHOLDER_RE

from vaultkit.read.discovery import DRAWN
from vaultkit.read.note import Link
from vaultkit.read.syntax import WIKILINK
from vaultkit.read.vault import BrokenLinkError
from vaultkit.render.page import Page
from vaultkit.render.safe import is_active

_log = logging.getLogger("mkdocs.plugins.vaultkit")

#: The first tag of a drawing; a value may contain ``>``.
_ROOT = re.compile(r"<svg\b(?:\"[^\"]*\"|'[^']*'|[^>\"'])*>")
_HINT = re.compile(r'<svg\b[^>]*\sdata-hint="([^"]*)"')
_LABEL = re.compile(r"\saria-label(?:ledby)?=(\"[^\"]*\"|'[^']*')")


def caption_figures(page: Page, root: Element) -> None:
    """Turn each image with an emphasised line below it into a figure with a caption."""
    for parent in list(root.iter()):
        for index, child in enumerate(list(parent)):
            # With hard line breaks, a <br> is between the image and the caption.
            parts = [part for part in child if part.tag != "br"]
            if child.tag != "p" or [part.tag for part in parts] != ["img", "em"]:
                continue
            image, caption = parts
            text_before, text_between = child.text or "", image.tail or ""
            has_br_between = len(child) > len(parts)
            is_below = "\n" in text_between or has_br_between
            if text_before.strip() or not is_below:
                continue
            # Only comments for the checks may follow the image and the caption; they are not shown.
            following = f"{text_between} {caption.tail or ''}"
            if not all(_is_comment(page, part) for part in following.split()):
                continue
            figure = Element("figure", {**child.attrib, "class": "vk-captioned"})
            figure.tail = child.tail
            figure.extend((image, caption))
            caption.tag = "figcaption"
            image.tail = caption.tail = None
            parent[index] = figure


def _is_comment(page: Page, text: str) -> bool:
    """Return whether a text is the placeholder of an HTML comment that the host will insert."""
    match = HTML_PLACEHOLDER_RE.fullmatch(text)
    if not match:
        return False
    stashed = page.md.htmlStash.rawHtmlBlocks[int(match[1])]
    return isinstance(stashed, str) and stashed.startswith("<!--")


def inline_drawings(page: Page, root: Element) -> None:
    """Replace each image of a drawing by its SVG; alone in a paragraph, it becomes a figure."""
    for parent in list(root.iter()):
        for index, child in enumerate(list(parent)):
            is_paragraph = child.tag == "p" and len(child) == 1
            image = child[0] if is_paragraph else child
            if image.tag != "img":
                continue
            if is_paragraph and ((child.text or "").strip() or (image.tail or "").strip()):
                continue  # The image within text is replaced later, as a child of its paragraph.
            svg = _read_drawing(page, image)
            if svg is None:
                continue
            box = _box_around_drawing(page, image, svg, "figure" if is_paragraph else "span")
            box.tail = child.tail
            parent[index] = box
            hint = _HINT.search(svg)
            if hint and parent.tag == "figure":
                parent.insert(0, _make_hint(html.unescape(hint[1])))


def _make_hint(words: str) -> Element:
    """Return the paragraph above a drawing that says what can be done with its controls."""
    hint = Element("p", {"class": "vk-hint", "data-live": "", "data-search-exclude": "true"})
    hint.text = words
    return hint


def _read_drawing(page: Page, image: Element) -> str | None:
    """Return the SVG of a drawing with resolved links; None if the image is to remain an image.

    Only files of the vault with the class ``vk-figure`` are put into the page: their colours are
    made for it.
    """
    source = image.get("src", "")
    path = Path(os.path.normpath(page.host.path.parent / unquote(source)))
    if not source.lower().endswith(".svg") or not page.vault.holds(path):
        return None
    svg = _read_text(path)
    root = _ROOT.search(svg)
    classes = re.search(r"\sclass=[\"'](?P<names>[^\"']*)", root[0]) if root else None
    if not root or not classes or "vk-figure" not in classes["names"].split():
        return None
    if is_active(svg):
        _log.warning("%s contains a script: it stays an image, in which no script runs", source)
        return None
    opening = root[0]
    alt = html.escape(image.get("alt", ""))
    if alt:
        opening = _LABEL.sub("", opening).replace("<svg", f'<svg aria-label="{alt}"', 1)
    if image.get("data-says"):  # the names of the numbers in the alt text
        opening = opening.replace("<svg", f'<svg data-says="{image.attrib["data-says"]}"', 1)
    # The numbers on the axes are not indexed for search.
    opening = opening.replace("<svg", '<svg data-search-exclude="true"', 1)

    def resolve_link(match: re.Match[str]) -> str:
        """Return the attribute of a link in the drawing with its address."""
        wikilink = WIKILINK.fullmatch(html.unescape(match["value"]))
        if not wikilink:
            return match[0]
        try:
            target = page.resolve(Link.from_match(wikilink))
        except BrokenLinkError as error:
            return f'data-broken="{html.escape(str(error))}"'
        return f'{match["name"]}="{html.escape(page.url(page.href(target)))}"'

    return opening + DRAWN.sub(resolve_link, svg[root.end() :]).rstrip()


def _read_text(path: Path) -> str:
    """Return the text of a file; empty if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


def _box_around_drawing(page: Page, image: Element, svg: str, tag: str) -> Element:
    """Return the element around an SVG, with the id, size and title of the image."""
    names = " ".join(["vk-figure-box", *image.get("class", "").split()])
    box = Element(tag, {"class": names})
    for name in ("id", "data-check"):
        if image.get(name):
            box.set(name, image.attrib[name])
    if image.get("data-check"):
        # By this name, the browser draws it again after an edit of the reader.
        box.set("data-figure", posixpath.basename(unquote(image.get("src", ""))))
    if image.get("width", "").isdigit():
        box.set("style", f"width: {image.attrib['width']}px")
    box.text = page.stash(svg)
    if image.get("title"):
        SubElement(box, "figcaption").text = image.attrib["title"]
    return box
