"""What Obsidian has inside a line: links, embeds, comments, tags."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.inlinepatterns import InlineProcessor
from markdown.util import HTML_PLACEHOLDER_RE, STX, AtomicString

from vaultkit.read.discovery import IMAGES
from vaultkit.read.note import Link
from vaultkit.read.syntax import COMMENT, SIZE, TAG, WIKILINK, address
from vaultkit.read.vault import BrokenLinkError, UnpublishedError
from vaultkit.site.links import AUDIO, DRAWN, VIDEO, broken, resize, show_media, written
from vaultkit.site.page import Page

#: An address in running text; what ends a sentence is no part of it.
_ADDRESS = r"(?<![\w\"'<=/\x03])https?://[^\s<>\"'`\x02\x03]*[^\s<>\"'`\x02\x03.,;:!?)\]*_~]"

_HTML_TAG = re.compile(r"<[^>]*>")

Found = tuple[Element | str | None, int | None, int | None]
_NOTHING: Found = (None, None, None)


class _Shared(InlineProcessor):
    """Uses a pattern of `vaultkit.read.syntax`, so that site and checks read alike."""

    pattern_: re.Pattern[str]

    def __init__(self, md: Markdown, page: Page) -> None:
        super().__init__(self.pattern_.pattern, md)
        self.compiled_re = self.pattern_
        self.page = page


class Comments(_Shared):
    """``%%what nobody is to see%%``."""

    pattern_ = COMMENT

    def handleMatch(self, m: re.Match[str], data: str) -> Found:  # type: ignore[override]  # noqa: D102, N802
        return _NOTHING if _escaped(data, m.start()) else ("", m.start(), m.end())


class BareAddresses(InlineProcessor):
    """``https://example.org`` in running text."""

    ANCESTOR_EXCLUDES = ("a",)

    def __init__(self, md: Markdown) -> None:
        super().__init__(_ADDRESS, md)

    def handleMatch(self, m: re.Match[str], data: str) -> Found:  # type: ignore[override]  # noqa: D102, N802
        address, end = m[0], m.end()
        # A bracket that the address has opened ends it: X_(y), but (X).
        while data[end : end + 1] == ")" and address.count("(") > address.count(")"):
            address, end = f"{address})", end + 1
        anchor = Element("a", {"href": address})
        anchor.text = AtomicString(address)
        return anchor, m.start(), end


class LineBreaks(InlineProcessor):
    """The end of a line, where the vault shows those."""

    def __init__(self, md: Markdown, page: Page) -> None:
        super().__init__(r"\n", md)
        self.page = page

    def handleMatch(self, m: re.Match[str], data: str) -> Found:  # type: ignore[override]  # noqa: ARG002, D102, N802
        return (Element("br"), m.start(), m.end()) if self.page.vault.breaks else _NOTHING


class Displays(InlineProcessor):
    """``$$x$$`` within a paragraph: on a line of its own, as in Obsidian."""

    def __init__(self, md: Markdown) -> None:
        super().__init__(r"(?<![\\$])\$\$((?:\\.|(?!\$\$)[^\\])+?)\$\$", md)

    def handleMatch(self, m: re.Match[str], data: str) -> Found:  # type: ignore[override]  # noqa: ARG002, D102, N802
        box = Element("span", {"class": "arithmatex"})
        box.text = AtomicString(f"\\[{html.escape(m[1].strip(), quote=False)}\\]")
        return box, m.start(), m.end()


class Tags(_Shared):
    """``#tag``: a link to the page of tags where there is one."""

    pattern_ = TAG
    ANCESTOR_EXCLUDES = ("a",)

    def handleMatch(self, m: re.Match[str], data: str) -> Found:  # type: ignore[override]  # noqa: D102, N802
        if data[: m.start()].rstrip(" ").endswith("{"):
            return _NOTHING  # the address of an element: attr_list reads it
        page = self.page.options["tags_page"]
        tag = Element("a" if page else "span", {"class": "md-tag"})
        if page:
            # Material's plugin makes those anchors when MkDocs has validated all links, so the
            # address must not be a link that MkDocs sees.
            tag.set("href", "")
            tag.set("data-tag", address(m["tag"]))
        tag.text = AtomicString(m[0])
        return tag, m.start(), m.end()


class FootnoteMarks(InlineProcessor):
    """``[^1]`` without a footnote, in a quoted sentence: it disappears."""

    def __init__(self, md: Markdown, page: Page) -> None:
        super().__init__("", md)
        self.page = page

    def getCompiledRegExp(self) -> re.Pattern[str]:  # noqa: D102, N802
        patterns = self.md.inlinePatterns
        if not self.page.trail or "footnote" not in patterns:
            return re.compile(r"(?!)")
        return patterns["footnote"].getCompiledRegExp()

    def handleMatch(self, m: re.Match[str], data: str) -> Found:  # type: ignore[override]  # noqa: ARG002, D102, N802
        return "", m.start(), m.end()


class WikiLinks(_Shared):
    """``[[Note#Heading|words]]``, ``![[figure.svg|300]]``; `embeds` puts notes in their places."""

    pattern_ = WIKILINK

    def handleMatch(self, m: re.Match[str], data: str) -> Found:  # type: ignore[override]  # noqa: D102, N802
        start = m.start()
        link = Link.from_match(m)
        if _escaped(data, start):
            if not link.embed:
                return _NOTHING
            # `\![[Note]]` is an exclamation mark and a link.
            start, link = start + 1, Link(0, link.target, link.sub, link.words, False, True)
        if STX in link.target:
            return _NOTHING
        return written(self.element(link), link.target, link.sub, self.page), start, m.end()

    def element(self, link: Link) -> Element:
        """Make the element for a link."""
        try:
            # A heading may hold code and mathematics, which wait elsewhere by now.
            target = self.page.resolve(replace(link, sub=self.words_of(link.sub)))
        except BrokenLinkError as error:
            kind = PurePosixPath(link.target).suffix.lower()
            if link.embed and kind in DRAWN and isinstance(error, UnpublishedError):
                return self.image(link, quote(link.target))
            span = Element("span", broken(error, self.page))
            # A size is not what one would see.
            sized = link.embed and SIZE.fullmatch(link.words)
            span.text = AtomicString(link.target) if sized else _words(link)
            return span
        href = self.page.href(target)
        if link.embed and target.path.suffix.lower() in IMAGES | AUDIO | VIDEO | {".pdf", *DRAWN}:
            return self.image(link, href)
        anchor = Element("a", {"class": "wikilink", "href": href})
        anchor.text = _words(link)
        if link.embed and target.note:
            anchor.set("data-embed", f"{link.target}#{link.sub}")
        return anchor

    def words_of(self, text: str) -> str:
        """Write what waits elsewhere as the words that it shows."""
        raw = self.md.htmlStash.rawHtmlBlocks
        return HTML_PLACEHOLDER_RE.sub(
            lambda found: html.unescape(_HTML_TAG.sub("", str(raw[int(found[1])]))),
            self.unescape(text),
        )

    def image(self, link: Link, href: str) -> Element:
        """Make an image, or what shows another file."""
        words = self.unescape(link.words)
        image = Element("img", {"alt": words, "src": href, "data-resolved": ""})
        resize(image, words)
        show_media(image, self.page)
        return image


def write_words(page: Page, paragraph: Element, words: str) -> None:
    """Write words and wikilinks into a paragraph as all patterns of the page would."""
    link: Any = page.md.inlinePatterns["vaultkit-wikilink"]
    at = 0
    made: Element | None = None
    for found in WIKILINK.finditer(words):
        _append(paragraph, made, words[at : found.start()])
        made = link.element(Link.from_match(found))
        paragraph.append(made)
        at = found.end()
    _append(paragraph, made, words[at:])
    paragraph.tail = "\n"


def _append(paragraph: Element, behind: Element | None, words: str) -> None:
    if behind is None:
        paragraph.text = words
    else:
        behind.tail = words


def _words(link: Link) -> str:
    """Words of a link; those of a heading may be code and mathematics."""
    shown = link.words or link.shown
    return shown if link.words or STX in shown else AtomicString(shown)


def _escaped(data: str, at: int) -> bool:
    before = data[:at]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1
