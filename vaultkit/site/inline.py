"""What Obsidian has inside a line: links, embeds, comments, tags."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.inlinepatterns import InlineProcessor
from markdown.util import STX, AtomicString

from vaultkit.read.note import Link
from vaultkit.read.syntax import COMMENT, TAG, WIKILINK, address
from vaultkit.read.vault import IMAGES, BrokenLinkError, UnpublishedError, UnwrittenError
from vaultkit.site.page import Page

_SIZE = re.compile(r"(\d+)(?:x(\d+))?")

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
        if STX in link.target + link.sub:
            return _NOTHING
        return self.element(link), start, m.end()

    def element(self, link: Link) -> Element:
        """Make the element for a link."""
        try:
            target = self.page.resolve(link)
        except BrokenLinkError as error:
            how = {"class": "wikilink broken", "title": str(error)}
            unwritten = self.page.vault.options.unwritten
            if isinstance(error, UnpublishedError):
                how = {}
            elif isinstance(error, UnwrittenError) and unwritten != "fail":
                marked = {"class": "wikilink unwritten", "title": "Not written yet"}
                how = marked if unwritten == "mark" else {}
            broken = Element("span", how)
            broken.text = link.words or AtomicString(link.shown)
            return broken
        href = self.page.href(target)
        if link.embed and target.path.suffix.lower() in IMAGES:
            return self.image(link, href)
        anchor = Element("a", {"class": "wikilink", "href": href})
        anchor.text = link.words or AtomicString(link.shown)
        if link.embed and target.note:
            anchor.set("data-embed", f"{link.target}#{link.sub}")
        return anchor

    def image(self, link: Link, href: str) -> Element:
        """Make an image; the last words may be its size, those before describe it."""
        *words, last = self.unescape(link.words).rsplit("|", 1)
        size = _SIZE.fullmatch(last.strip())
        alt = "|".join(words if size else [*words, last]).strip()
        image = Element("img", {"alt": alt, "src": href})
        for side, length in zip(("width", "height"), size.groups() if size else (), strict=False):
            if length:
                image.set(side, length)
        return image


def _escaped(data: str, at: int) -> bool:
    before = data[:at]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1
