"""Sets quotation marks and apostrophes as a book does: “so”, and the note’s."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from xml.etree.ElementTree import Element

#: Elements within a line, and elements whose text stays as it is.
_INLINE = frozenset(
    "a abbr b del em i ins mark q s small span strong sub sup u".split()  # noqa: SIM905
)
_KEPT = frozenset("code kbd math pre samp script style svg textarea".split())  # noqa: SIM905
_STRAIGHT = re.compile("&quot;|[\"']")
_DOUBLE, _SINGLE = ("“", "”"), ("‘", "’")
#: A tag, with the element if its text stays as it is.
_TAG = re.compile(rf"<(?P<kept>{'|'.join(_KEPT)})\b.*?</(?P=kept)>|<[^>]*>", re.DOTALL)
#: A mark after one of these opens a quotation.
_BEFORE = re.compile(r"^$|[\s(\[{/=“‘–—-]$")


def curl(block: Element, toc: Iterable[dict[str, Any]] = ()) -> None:
    """Replace the straight marks in the text of a rendered page, and in its table of contents.

    ``toc`` are the `toc_tokens` of Python-Markdown.

    Examples
    --------
    >>> from xml.etree.ElementTree import fromstring, tostring
    >>> page = fromstring("<p>It's '<b>so</b>', and <code>a'</code>'s too</p>")
    >>> curl(page)
    >>> tostring(page, "unicode")
    "<p>It’s ‘<b>so</b>’, and <code>a'</code>’s too</p>"
    >>> headings = [{"name": "'So", "html": "'<b id='1'>So</b> <code>'</code>", "children": []}]
    >>> curl(page, headings)
    >>> headings[0]["name"], headings[0]["html"]
    ('‘So', "‘<b id='1'>So</b> <code>'</code>")
    """
    _curl(block, "")
    for token in toc:
        for form in ("name", "html"):
            token[form] = _curled_html(token[form])
        curl(Element("p"), token["children"])


def _curl(element: Element, before: str) -> str:
    """Replace the marks in an element; return the last characters before what follows it."""
    element.text, before = _curled(element.text, before)
    for child in element:
        if child.tag in _KEPT:
            before = "x"
        elif child.tag in _INLINE:
            before = _curl(child, before)
        else:
            _curl(child, "")
            before = ""
        child.tail, before = _curled(child.tail, before)
    return before


def _curled(text: str | None, before: str) -> tuple[str | None, str]:
    """Return a text with curly marks, and its last character."""
    if not text:
        return text, before

    written = ""
    end = 0
    for found in _STRAIGHT.finditer(text):
        written += text[end : found.start()]
        opens, closes = _SINGLE if found[0] == "'" else _DOUBLE
        written += opens if _BEFORE.search(written[-1:] or before) else closes
        end = found.end()
    written += text[end:]
    return written, written[-1]


def _curled_html(source: str) -> str:
    """Return the HTML of a line with curly marks."""
    written, before, end = "", "", 0
    for tag in _TAG.finditer(source):
        text, before = _curled(source[end : tag.start()], before)
        written += f"{text or ''}{tag[0]}"
        before = "x" if tag["kept"] else before
        end = tag.end()
    return written + (_curled(source[end:], before)[0] or "")
