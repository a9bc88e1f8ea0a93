"""Removes active content from pages: script addresses, drawings with scripts, raw HTML."""

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


def keep_safe(root: Element, raw: bool) -> None:
    """Remove script addresses from a page; without ``raw``, event attributes, too.

    Raw HTML is not part of the tree.
    """
    for element in root.iter():
        for name, value in list(element.attrib.items()):
            handler = not raw and name.lower().startswith("on")
            if handler or (name.lower() in _ADDRESSES and runs(value)):
                del element.attrib[name]
