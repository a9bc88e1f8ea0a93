"""Renders links and images, which `Vault.resolve` resolves as Obsidian does.

``[[Note#Heading|words]]``, ``![[figure.svg|300]]``, ``[words](Note)``,
``[words](Note%20name.md#Some%20heading)``, ``![alt|120](picture.png)``.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from urllib.parse import quote, unquote, urlsplit
from xml.etree.ElementTree import Element, SubElement

from markdown_it.token import Token

from vaultkit.read.discovery import IMAGES
from vaultkit.read.note import Link
from vaultkit.read.syntax import SIZE
from vaultkit.read.vault import BrokenLinkError, UnpublishedError, UnwrittenError
from vaultkit.render.page import Page

AUDIO = {".flac", ".m4a", ".mp3", ".ogg", ".opus", ".wav", ".3gp"}
VIDEO = {".mkv", ".mov", ".mp4", ".ogv", ".webm"}
#: Files that only Obsidian or one of its plugins can show.
DRAWN = {".base": "Base", ".canvas": "Canvas", ".excalidraw": "Drawing of Excalidraw"}
#: Addresses of pages that Obsidian embeds like images.
_PAGES = re.compile(
    r"https?://(?:(?:www\.|m\.)?youtube\.com/|youtu\.be/|(?:www\.)?(?:twitter|x)\.com/\w+/status/)"
)


def render_link(page: Page, token: Token, name: str | None) -> Element:
    """Return the element of ``[words](address)`` without its words; ``name`` is its check's."""
    anchor = Element("a", {"href": str(token.attrs.get("href", ""))})
    if token.attrs.get("title"):
        anchor.set("title", str(token.attrs["title"]))
    if token.info != "auto":
        resolve_address(page, anchor, "href")
    if name:
        anchor.set("data-check", name)
    return anchor


def render_image(page: Page, source: str, words: str, name: str | None) -> Element:
    """Return the element of ``![words](address)``: an image, or an embed of another file.

    ``name`` is that of its check; None if it has none.
    """
    element = Element("img", {"alt": words, "src": source})
    move_size(element, words)
    resolve_address(page, element, "src")
    replace_media(element, page)
    replace_player(element)
    if name:
        element.set("data-check", name)
    return element


def render_wikilink(page: Page, link: Link, words: str) -> tuple[Element, str | None]:
    """Return the element of a wikilink, and the text that it shows instead of ``words``, or None.

    An embedded image, sound, video or drawing has a text of its own. If the words of a broken embed
    are the size of an image, its target is shown.

    Parameters
    ----------
    page
        The page.
    link
        The link.
    words
        Its rendered words.
    """
    try:
        # A heading may contain code and mathematics, which the words of a link keep.
        target = page.resolve(link)
    except BrokenLinkError as error:
        suffix = PurePosixPath(link.target).suffix.lower()
        if link.embed and suffix in DRAWN and isinstance(error, UnpublishedError):
            # Such a file is never published; only its name is shown.
            embed = _embed_file(page, words, quote(link.target))
            return embed, embed.text
        span = Element("span", broken_attributes(error, page))
        has_size_as_words = link.embed and SIZE.fullmatch(link.words)
        return span, link.target if has_size_as_words else None
    href = page.href(target)
    if link.embed and target.path.suffix.lower() in IMAGES | AUDIO | VIDEO | {".pdf", *DRAWN}:
        embed = _embed_file(page, words, href)
        return embed, embed.text
    anchor = Element("a", {"class": "wikilink", "href": href})
    if link.embed and target.note:
        anchor.set("data-embed", f"{link.target}#{link.sub}")
    return anchor, None


def _embed_file(page: Page, words: str, href: str) -> Element:
    """Return the element of an embedded image, sound, video, PDF or drawing."""
    element = Element("img", {"alt": words, "src": href})
    move_size(element, words)
    replace_media(element, page)
    return element


def resolve_address(page: Page, element: Element, name: str) -> None:
    """Resolve the address in an attribute (``href`` or ``src``), if it is a path in the vault.

    An element whose address leads nowhere becomes its words.
    """
    address = element.get(name, "")
    try:
        url = urlsplit(address)
    except ValueError:
        return  # it is no address, such as `//[`
    if not address or url.scheme or url.netloc:
        return
    path, sub = unquote(url.path), unquote(url.fragment)
    try:
        target = page.resolve(Link(0, path, sub, "", embed=name == "src", wiki=False))
    except UnpublishedError:
        _replace_by_words(element)
    except BrokenLinkError as error:
        # If the vault was not checked, the host reports broken links. Pages and files that another
        # plugin makes are not part of the vault, and an absolute path may be anything that the host
        # serves.
        is_checked = page.options["vault"] and page.note.path in page.vault.notes
        is_elsewhere = path.startswith("/") or page.host_knows(path)
        if is_checked and not is_elsewhere:
            _replace_by_words(element)
            element.attrib |= broken_attributes(error, page)
    else:
        if name == "src" and target.note and element.tag == "img":
            make_embed(element, path, sub, page.href(target))
            return
        if not url.query:  # which the address of the target would lack
            element.set(name, page.href(target))


def _replace_by_words(element: Element) -> None:
    """Turn a link or image into its words, without the address, which may be unpublished."""
    words = element.get("alt", "")
    element.attrib.clear()
    element.tag, element.text = "span", words


def make_embed(image: Element, path: str, sub: str, href: str) -> None:
    """Turn an image into a link, which `vaultkit.render.embeds` replaces by the note it embeds."""
    words = image.get("alt") or Link(0, path, sub, "", embed=False, wiki=True).shown
    image.tag, image.text = "a", words
    image.attrib.clear()
    image.attrib |= {"class": "wikilink", "href": href, "data-embed": f"{path}#{sub}"}


def broken_attributes(error: BrokenLinkError, page: Page) -> dict[str, str]:
    """Return the attributes of the element of a broken link: its class, and the reason as title.

    A link to an unpublished note has none, which would reveal it; the vault's settings decide about
    links to notes that are not written yet.
    """
    unwritten = page.vault.options.unwritten
    if isinstance(error, UnpublishedError):
        return {}
    if isinstance(error, UnwrittenError) and unwritten != "fail":
        attributes = {"class": "wikilink unwritten", "title": "Not written yet"}
        return attributes if unwritten == "mark" else {}
    return {"class": "wikilink broken", "title": str(error)}


def move_size(image: Element, words: str) -> None:
    """Move the size of an image from its alt text to its attributes: ``alt|120``, ``120x80``.

    Examples
    --------
    >>> image = Element("img")
    >>> move_size(image, "a lake|120x80")
    >>> image.attrib
    {'alt': 'a lake', 'width': '120', 'height': '80'}
    """
    match = SIZE.fullmatch(words)
    if not match:
        return
    image.set("alt", (match["alt"] or "").strip())
    for side in ("width", "height"):
        if match[side]:
            image.set(side, match[side])


def replace_player(element: Element) -> None:
    """Replace the embedded player of another site by a link, so no page contacts that site."""
    source = element.get("src", "")
    if element.tag == "img" and _PAGES.match(source):
        words = element.get("alt") or source
        element.attrib.clear()
        element.tag = "a"
        element.set("href", source)
        element.text = words


def replace_media(element: Element, page: Page) -> None:
    """Replace an embedded file by a player, a frame or its name, depending on its type.

    Images and other files stay as they are.
    """
    url = urlsplit(element.get("src", ""))
    path = Path(unquote(url.path))
    suffix = path.suffix.lower()
    if suffix not in AUDIO | VIDEO | {".pdf"} | set(DRAWN):
        return
    size = {name: length for name, length in element.attrib.items() if name in ("width", "height")}
    words = element.get("alt") or path.name
    href = element.attrib["src"]
    element.attrib.clear()
    element.set("class", "vk-media")
    if suffix in DRAWN:
        element.tag = "span"
        element.set("class", "vk-computed")
        element.text = f"{DRAWN[suffix]} {path.stem}: shown in Obsidian alone"
        return
    if suffix == ".pdf":
        element.tag = "iframe"
        # The address may name a page of a PDF: `#page=3`.
        place = f"#{url.fragment}" if url.fragment else ""
        address = page.url(quote(unquote(url.path))) + place
        element.attrib |= {"src": address, "title": words, "loading": "lazy"} | size
        element.text = " "  # so that it is not written as `<iframe/>`, which browsers do not close
        return
    element.tag = "audio" if suffix in AUDIO else "video"
    element.attrib |= {"controls": "controls", "preload": "metadata", "src": page.url(href)}
    element.attrib |= size
    SubElement(element, "a", {"href": href}).text = words
