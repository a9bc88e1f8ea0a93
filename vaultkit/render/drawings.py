"""Renders figures with captions, and inlines SVG drawings, so that their links and colours work."""

from __future__ import annotations

import html
import logging
import os
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

_ROOT = re.compile(r"<svg\b(?:\"[^\"]*\"|'[^']*'|[^>\"'])*>")
_LABEL = re.compile(r"\saria-label(?:ledby)?=(\"[^\"]*\"|'[^']*')")


def caption_figures(page: Page, root: Element) -> None:
    """Turn each image with an emphasised line below it into a figure with a caption."""
    for parent in list(root.iter()):
        for index, child in enumerate(list(parent)):
            # With hard line breaks, a <br> is between the image and the caption.
            parts = [part for part in child if part.tag != "br"]
            if child.tag != "p" or [part.tag for part in parts] != ["img", "em"]:
                continue
            image, words = parts
            between, behind = image.tail or "", words.tail or ""
            parted = "\n" in between or len(child) > len(parts)
            if (child.text or "").strip() or between.strip() or not parted:
                continue
            if not all(_is_comment(page, part) for part in behind.split()):
                continue
            figure = Element("figure", {**child.attrib, "class": "vk-captioned"})
            figure.tail = child.tail
            figure.append(image)
            image.tail = None
            words.tag = "figcaption"
            # A comment for the checks is not shown.
            words.tail = None
            figure.append(words)
            parent[index] = figure


def _is_comment(page: Page, text: str) -> bool:
    """Return whether a text is the placeholder of a stashed HTML comment."""
    found = HTML_PLACEHOLDER_RE.fullmatch(text)
    if not found:
        return False
    stashed = page.md.htmlStash.rawHtmlBlocks[int(found[1])]
    return isinstance(stashed, str) and stashed.startswith("<!--")


def inline_drawings(page: Page, root: Element) -> None:
    """Replace each image of a drawing in the vault by its SVG."""
    for parent in list(root.iter()):
        for index, child in enumerate(list(parent)):
            image = child[0] if child.tag == "p" and len(child) == 1 else child
            if image.tag != "img":
                continue
            svg = _drawing(page, image)
            if svg is None:
                continue
            words = (child.text or "").strip() or (image.tail or "").strip()
            alone = child is not image and not words
            if child is not image and not alone:
                continue  # Its paragraph comes later in this loop, as a parent.
            box = _box(page, image, svg, "figure" if alone else "span")
            box.tail = child.tail
            parent[index] = box


def _drawing(page: Page, image: Element) -> str | None:
    """Return the SVG of a drawing with resolved links; None if the image is to remain an image."""
    source = image.get("src", "")
    path = Path(os.path.normpath(page.host.path.parent / unquote(source)))
    if not source.lower().endswith(".svg") or not page.vault.holds(path):
        return None
    svg = _read(path)
    found = _ROOT.search(svg)
    names = re.search(r"\sclass=[\"']([^\"']*)", found[0]) if found else None
    if not found or not names or "vk-figure" not in names[1].split():
        return None
    if is_active(svg):
        _log.warning("%s contains a script: it stays an image, in which no script runs", source)
        return None
    opening = found[0]
    alt = html.escape(image.get("alt", ""))
    if alt:
        opening = _LABEL.sub("", opening).replace("<svg", f'<svg aria-label="{alt}"', 1)
    if image.get("data-says"):
        opening = opening.replace("<svg", f'<svg data-says="{image.attrib["data-says"]}"', 1)
    # The numbers on the axes are not indexed for search.
    opening = opening.replace("<svg", '<svg data-search-exclude="true"', 1)

    def link(match: re.Match[str]) -> str:
        """Return the attribute of a link in the drawing with its address."""
        wikilink = WIKILINK.fullmatch(html.unescape(match["value"]))
        try:
            target = page.resolve(Link.from_match(wikilink)) if wikilink else None
        except BrokenLinkError as error:
            return f'data-broken="{html.escape(str(error))}"'
        if target is None:
            return match[0]
        return f'{match["name"]}="{html.escape(page.address(page.href(target)))}"'

    return opening + DRAWN.sub(link, svg[found.end() :]).rstrip()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


def _box(page: Page, image: Element, svg: str, tag: str) -> Element:
    """Return the element around an SVG, with the id, size and caption of the image."""
    names = " ".join(["vk-figure-box", *image.get("class", "").split()])
    box = Element(tag, {"class": names})
    for name in ("id", "data-check"):
        if image.get(name):
            box.set(name, image.attrib[name])
    if image.get("width", "").isdigit():
        box.set("style", f"width: {image.attrib['width']}px")
    box.text = page.stash(svg)
    if image.get("title"):
        SubElement(box, "figcaption").text = image.attrib["title"]
    return box
