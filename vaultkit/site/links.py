"""Resolves Markdown's own links and images as Obsidian does: by the resolver of the checks.

``[words](Note)``, ``[words](Note%20name.md#Some%20heading)``, ``![alt|120](picture.png)``.
"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit
from xml.etree.ElementTree import Element, SubElement

from markdown import Markdown
from markdown.treeprocessors import Treeprocessor
from markdown.util import STX, AtomicString

from vaultkit.read.note import Link
from vaultkit.read.syntax import SIZE
from vaultkit.read.vault import BrokenLinkError, UnpublishedError, UnwrittenError
from vaultkit.site.page import Page

AUDIO = {".flac", ".m4a", ".mp3", ".ogg", ".opus", ".wav", ".3gp"}
VIDEO = {".mkv", ".mov", ".mp4", ".ogv", ".webm"}
#: What Obsidian or a plugin of it draws from a file, and nobody else.
DRAWN = {".base": "Base", ".canvas": "Canvas", ".excalidraw": "Drawing of Excalidraw"}
#: Addresses of pages that Obsidian takes for images.
_PAGES = re.compile(
    r"https?://(?:(?:www\.|m\.)?youtube\.com/|youtu\.be/|(?:www\.)?(?:twitter|x)\.com/\w+/status/)"
)


class Links(Treeprocessor):
    """Gives links and images the addresses of what they mean, and images their sizes."""

    def __init__(self, md: Markdown, page: Page) -> None:
        super().__init__(md)
        self.page = page

    def run(self, root: Element) -> None:
        """Look at what Markdown has made; wikilinks are resolved by then."""
        for element in list(root.iter()):
            if element.tag == "a" and "wikilink" not in element.get("class", "").split():
                url = element.get("href", "")
                self.resolve(element, "href")
                self.written(element, url)
            elif element.tag == "img" and "data-resolved" not in element.attrib:
                url = element.get("src", "")
                resize(element, element.get("alt", ""))
                self.resolve(element, "src")
                show_media(element, self.page)
                link_pages(element)
                self.written(element, url)
            element.attrib.pop("data-resolved", None)

    def written(self, element: Element, url: str) -> None:
        """Keep how an address was written."""
        target, _, sub = unquote(url).partition("#")
        written(element, target, sub, self.page)

    def resolve(self, element: Element, name: str) -> None:
        """Resolve the address in an attribute, if it is one within the vault."""
        address = element.get(name, "")
        try:
            url = urlsplit(address)
        except ValueError:
            return
        if not address or url.scheme or url.netloc or STX in address:
            return
        if "footnote" in element.get("class", "") or element.get("class") == "headerlink":
            return
        path, sub = unquote(url.path), unquote(url.fragment)
        try:
            target = self.page.resolve(Link(0, path, sub, "", name == "src", False))
        except UnpublishedError:
            # What is left would say what is there.
            words = element.get("alt", "")
            element.attrib.clear()
            element.tag, element.text = "span", element.text or AtomicString(words)
        except BrokenLinkError as error:
            # Where nobody has checked the vault, the host tells of it; and what other plugins add
            # is no file of the vault, whether it is what the link leads to or where it stands.
            noted = self.page.options["vault"] and self.page.note.path in self.page.vault.notes
            # And from its root on it may be anything that the host serves.
            noted = noted and not path.startswith("/")
            if noted and not self.page.is_there(path):
                words = element.get("alt", "")
                element.attrib.clear()
                element.tag, element.text = "span", element.text or AtomicString(words)
                element.attrib |= broken(error, self.page)
        else:
            if name == "src" and target.note and element.tag == "img":
                embed(element, path, sub, self.page.href(target))
                return
            there = Path(self.page.note.path.parent, path)
            if (path and there != target.path) or sub != target.anchor:
                element.set(name, self.page.href(target))


def embed(image: Element, path: str, sub: str, href: str) -> None:
    """Make of an image what `vaultkit.site.embeds` puts a note in the place of."""
    words = image.get("alt") or Link(0, path, sub, "", False, True).shown
    image.tag, image.text = "a", AtomicString(words)
    image.attrib.clear()
    image.attrib |= {"class": "wikilink", "href": href, "data-embed": f"{path}#{sub}"}


def broken(error: BrokenLinkError, page: Page) -> dict[str, str]:
    """Tell how a link looks that leads nowhere."""
    unwritten = page.vault.options.unwritten
    if isinstance(error, UnpublishedError):
        return {}
    if isinstance(error, UnwrittenError) and unwritten != "fail":
        marked = {"class": "wikilink unwritten", "title": "Not written yet"}
        return marked if unwritten == "mark" else {}
    return {"class": "wikilink broken", "title": str(error)}


def written(element: Element, target: str, sub: str, page: Page) -> Element:
    """Keep how a link was written for `vaultkit.site.marks`, where the page's own are named."""
    if page.options["places"] and not page.trail:
        element.set("data-written", f"{target}#{sub}")
    return element


def resize(image: Element, words: str) -> None:
    """Take the size of an image from the end of its words: ``alt|120``, ``120x80``."""
    found = SIZE.fullmatch(words)
    if not found:
        return
    image.set("alt", (found["alt"] or "").strip())
    for side in ("width", "height"):
        if found[side]:
            image.set(side, found[side])


def link_pages(element: Element) -> None:
    """Make a link of what Obsidian shows as a player of another site: no page asks another host."""
    source = element.get("src", "")
    if element.tag == "img" and _PAGES.match(source):
        words = element.get("alt") or source
        element.attrib.clear()
        element.tag = "a"
        element.set("href", source)
        element.text = AtomicString(words)


def show_media(element: Element, page: Page) -> None:
    """Make of an embedded file what shows it: a player, a page within the page, a word."""
    url = urlsplit(element.get("src", ""))
    path = Path(unquote(url.path))
    kind = path.suffix.lower()
    kept = {name: size for name, size in element.attrib.items() if name in ("width", "height")}
    if kind not in AUDIO | VIDEO | {".pdf"} | set(DRAWN):
        return
    words = element.get("alt") or path.name
    href = element.attrib["src"]
    element.attrib.clear()
    element.set("class", "vk-media")
    if kind in DRAWN:
        element.tag = "span"
        element.set("class", "vk-computed")
        element.text = AtomicString(f"{DRAWN[kind]} {path.stem}: shown in Obsidian alone")
        return
    if kind == ".pdf":
        element.tag = "iframe"
        # A page of it may be named: `#page=3`.
        place = f"#{url.fragment}" if url.fragment else ""
        address = page.address(quote(unquote(url.path))) + place
        element.attrib |= {"src": address, "title": words, "loading": "lazy"} | kept
        element.text = " "
        return
    element.tag = "audio" if kind in AUDIO else "video"
    element.attrib |= {"controls": "controls", "preload": "metadata", "src": page.address(href)}
    element.attrib |= kept
    SubElement(element, "a", {"href": href}).text = AtomicString(words)
