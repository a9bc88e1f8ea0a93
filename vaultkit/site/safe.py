"""Keeps what runs off the page: addresses that are scripts, drawings that hold some, and HTML."""

from __future__ import annotations

import html
import re
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.inlinepatterns import InlineProcessor
from markdown.treeprocessors import Treeprocessor

#: What a browser leaves out of an address before it reads it.
_IGNORED = re.compile(r"[\x00-\x20\x7f\xad\u200b-\u200f\u2028-\u202f\ufeff]+")
_RUNS = re.compile(r"(?:java|vb|live)script:|data:(?!image/(?!svg))", re.IGNORECASE)
_ADDRESSES = ("href", "src", "action", "formaction", "xlink:href", "poster", "data", "srcset")
_ACTIVE = re.compile(
    r"<\s*(?:\w+:)?(?:script|foreignObject|iframe|object|embed|animate\w*|set|handler|listener)\b"
    r"|[\s\"'/]on\w+\s*=|@import|<!ENTITY",
    re.IGNORECASE,
)
_COMMENT = r"<!--.*?-->"


def runs(address: str) -> bool:
    r"""Tell whether a browser would run an address in place of going there.

    >>> runs("java\tscript:f()"), runs("JavaScript:f()"), runs("a.md#javascript:"), runs("a.png")
    (True, True, False, False)
    """
    return bool(_RUNS.match(_IGNORED.sub("", html.unescape(address))))


def is_active(svg: str) -> bool:
    """Tell whether a drawing could do anything but be seen.

    >>> is_active("<svg><rect/></svg>"), is_active("<svg onload='f()'/>")
    (False, True)
    """
    addresses = re.findall(r"\bhref\s*=\s*(\"[^\"]*\"|'[^']*')|\burl\(([^)]*)\)", svg)
    found = any(runs((quoted or bare).strip("\"' ")) for quoted, bare in addresses)
    return found or bool(_ACTIVE.search(svg))


class Addresses(Treeprocessor):
    """Takes from the page what would run: addresses, and without HTML attributes, too."""

    def __init__(self, md: Markdown, raw: bool) -> None:
        super().__init__(md)
        self.raw = raw

    def run(self, root: Element) -> None:
        """Look at all that Markdown has made; raw HTML is not in the tree."""
        for element in root.iter():
            for name, value in list(element.attrib.items()):
                handler = not self.raw and name.lower().startswith("on")
                # Addresses of mail are written with the marks of Markdown's own stash.
                if handler or (name.lower() in _ADDRESSES and runs(value)):
                    del element.attrib[name]


def forbid_html(md: Markdown) -> None:
    """Have HTML shown as text. Comments stay unseen: they are for the checks."""
    for registry, names in (
        (md.preprocessors, ("html_block",)),
        (md.inlinePatterns, ("html",)),
        (md.parser.blockprocessors, ("markdown_block",)),
    ):
        for name in names:
            if name in registry:
                registry.deregister(name)
    md.inlinePatterns.register(_Comments(_COMMENT, md), "vaultkit-html-comment", 90)


class _Comments(InlineProcessor):
    def __init__(self, pattern: str, md: Markdown) -> None:
        super().__init__(pattern, md)
        self.compiled_re = re.compile(pattern, re.DOTALL)

    def handleMatch(  # type: ignore[override]  # noqa: N802
        self, m: re.Match[str], data: str
    ) -> tuple[str, int, int]:
        del data
        return "", m.start(), m.end()
