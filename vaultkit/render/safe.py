"""Keeps pages safe: removes script addresses and active drawings, and closes raw HTML."""

from __future__ import annotations

import html
import re
from xml.etree.ElementTree import Element

#: Characters that a browser ignores in an address.
_IGNORED = re.compile(r"[\x00-\x20\x7f\xad\u200b-\u200f\u2028-\u202f\ufeff]+")
_RUNS = re.compile(r"(?:java|vb|live)script:|data:(?!image/(?!svg))", re.IGNORECASE)
_ADDRESSES = ("href", "src", "action", "formaction", "xlink:href", "poster", "data", "srcset")
_ACTIVE = re.compile(
    r"<\s*(?:\w+:)?(?:script|foreignObject|iframe|object|embed|animate\w*|set|handler|listener)\b"
    r"|[\s\"'/]on\w+\s*=|@import|<!ENTITY",
    re.IGNORECASE,
)

#: What hides the text behind it until it is closed: a comment, a declaration, an element whose
#: content is not parsed as HTML, a tag.
_OPENED = re.compile(
    r"(?P<comment><!--)|(?P<declaration><[!?])"
    r"|<(?P<unparsed>iframe|noembed|noframes|script|style|textarea|title|xmp)\b|</?[a-z]",
    re.IGNORECASE,
)
_IN_DECLARATION = re.compile(r"[^>]*+")
_IN_TAG = re.compile(r"(?:[^>\"']|\"[^\"]*\"|'[^']*')*+")


def runs(address: str) -> bool:
    r"""Return whether an address is a script.

    >>> runs("java\tscript:f()"), runs("JavaScript:f()"), runs("a.md#javascript:"), runs("a.png")
    (True, True, False, False)
    """
    return bool(_RUNS.match(_IGNORED.sub("", html.unescape(address))))


def is_active(svg: str) -> bool:
    """Return whether a drawing may contain a script.

    >>> is_active("<svg><rect/></svg>"), is_active("<svg onload='f()'/>")
    (False, True)
    """
    addresses = re.findall(r"\bhref\s*=\s*(\"[^\"]*\"|'[^']*')|\burl\(([^)]*)\)", svg)
    found = any(runs((quoted or bare).strip("\"' ")) for quoted, bare in addresses)
    return found or bool(_ACTIVE.search(svg))


def closed(source: str) -> str:
    """Return a block of raw HTML with its last comment, tag or unparsed element closed.

    Left open, these would hide the rest of the page. Other elements may be closed by a later block.

    >>> closed("<b>x</b> <!-- open"), closed("<p title='a>"), closed("<style>b {}")
    ('<b>x</b> <!-- open-->', "<p title='a>'>", '<style>b {}</style>')
    >>> closed("<!-- a --> <? b ?> <div> 1 < 2")
    '<!-- a --> <? b ?> <div> 1 < 2'
    """
    at = 0
    while opened := _OPENED.search(source, at):
        name = opened["unparsed"]
        if opened["comment"]:
            end = source.find("-->", opened.start() + 2)
            if end < 0:
                return f"{source}-->"
            at = end + 3
            continue
        inner = _IN_DECLARATION if opened["declaration"] else _IN_TAG
        at = inner.match(source, opened.end()).end()  # type: ignore[union-attr]
        if source[at : at + 1] != ">":  # the end, or a quotation mark that opens a value
            return f"{source}{source[at : at + 1]}>" + (f"</{name}>" if name else "")
        if name:
            end_tag = re.compile(rf"</{name}\b", re.IGNORECASE).search(source, at)
            if not end_tag:
                return f"{source}</{name}>"
            at = end_tag.start()
    return source


def keep_safe(root: Element, raw: bool) -> None:
    """Remove script addresses from a page; without ``raw``, event attributes, too.

    Raw HTML is not part of the tree.
    """
    for element in root.iter():
        for name, value in list(element.attrib.items()):
            handler = not raw and name.lower().startswith("on")
            if handler or (name.lower() in _ADDRESSES and runs(value)):
                del element.attrib[name]
