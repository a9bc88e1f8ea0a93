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
    _curl_element(block, "")
    for token in toc:
        for form in ("name", "html"):
            token[form] = _curl_html(token[form])
        curl(Element("p"), token["children"])


def curl_text(text: str) -> str:
    """Return a text with curly marks.

    Examples
    --------
    >>> curl_text("Adam's 'step'")
    'Adam’s ‘step’'
    """
    return _curl_text(text, "")[0] or ""


def _curl_element(element: Element, before: str) -> str:
    """Replace the marks in an element; return the last character before what follows it.

    ``before`` is the character before the element; empty at the beginning of a paragraph.
    """
    element.text, before = _curl_text(element.text, before)
    for child in element:
        if child.tag in _KEPT:
            before = "x"
        elif child.tag in _INLINE:
            before = _curl_element(child, before)
        else:
            _curl_element(child, "")
            before = ""
        child.tail, before = _curl_text(child.tail, before)
    return before


def _curl_text(text: str | None, before: str) -> tuple[str | None, str]:
    """Return a text with curly marks, and the last character before what follows it.

    Examples
    --------
    >>> _curl_text("'a'", "")
    ('‘a’', '’')
    """
    if not text:
        return text, before

    written = ""
    end = 0
    for match in _STRAIGHT.finditer(text):
        written += text[end : match.start()]
        opens, closes = _SINGLE if match[0] == "'" else _DOUBLE
        written += opens if _BEFORE.search(written[-1:] or before) else closes
        end = match.end()
    written += text[end:]
    return written, written[-1]


def _curl_html(source: str) -> str:
    """Return the HTML of a line with curly marks."""
    written, before, end = "", "", 0
    for tag in _TAG.finditer(source):
        text, before = _curl_text(source[end : tag.start()], before)
        written += f"{text or ''}{tag[0]}"
        before = "x" if tag["kept"] else before
        end = tag.end()
    return written + (_curl_text(source[end:], before)[0] or "")
