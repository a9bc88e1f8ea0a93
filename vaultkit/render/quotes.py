"""Sets quotation marks and apostrophes as a book does: “so”, and the note’s."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from xml.etree.ElementTree import Element

#: Elements within a line, and elements whose text stays as it is.
_INLINE = frozenset(
    "a abbr b cite del dfn em i ins mark q s small span strong sub sup u var".split()  # noqa: SIM905
)
_KEPT = frozenset("code kbd math pre samp script style svg textarea".split())  # noqa: SIM905
_STRAIGHT = re.compile("&quot;|[\"']")
_DOUBLE, _SINGLE = ("“", "”"), ("‘", "’")
#: A tag, or a whole element whose text stays as it is.
_TAG = re.compile(rf"<(?P<kept>{'|'.join(_KEPT)})\b.*?</(?P=kept)>|<(?P<name>\w*)[^>]*>", re.DOTALL)
#: What is before a mark that opens a quotation: nothing, a blank, or one of these signs.
_BEFORE_OPENING = re.compile(r"^$|[\s(\[{/=“‘–—-]$")
#: What counts as the last character of an image, or of an element whose text stays as it is: no
#: opening mark follows a letter.
_LETTER = "x"


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

    >>> from xml.etree.ElementTree import fromstring, tostring
    >>> page = fromstring("<p>'<img src='a' />', '<cite>b</cite>'<br />'c'</p>")
    >>> _curl_element(page, ""), tostring(page, "unicode")
    ('’', '<p>‘<img src="a" />’, ‘<cite>b</cite>’<br />‘c’</p>')
    """
    element.text, before = _curl_text(element.text, before)
    for child in element:
        if child.tag in _KEPT or child.tag == "img":
            before = _LETTER
        elif child.tag in _INLINE:
            before = _curl_element(child, before)
        else:
            _curl_element(child, "")
            before = ""
        child.tail, before = _curl_text(child.tail, before)
    return before


def _curl_text(text: str | None, before: str) -> tuple[str | None, str]:
    """Return a text with curly marks, and its last character, which decides about the next mark.

    ``before`` is the character before the text; it is returned if the text is empty.

    Examples
    --------
    >>> _curl_text("'a'", "")
    ('‘a’', '’')
    """
    if not text:
        return text, before

    curled = ""
    end_of_last = 0
    for mark in _STRAIGHT.finditer(text):
        curled += text[end_of_last : mark.start()]
        opens, closes = _SINGLE if mark[0] == "'" else _DOUBLE
        curled += opens if _BEFORE_OPENING.search(curled[-1:] or before) else closes
        end_of_last = mark.end()
    curled += text[end_of_last:]
    return curled, curled[-1]


def _curl_html(source: str) -> str:
    """Return the HTML of a line with curly marks.

    >>> _curl_html("'<img src='a'>', a<br>'b'")
    "‘<img src='a'>’, a<br>‘b’"
    """
    curled, before, end_of_last = "", "", 0
    for tag in _TAG.finditer(source):
        text, before = _curl_text(source[end_of_last : tag.start()], before)
        curled += f"{text or ''}{tag[0]}"
        if tag["kept"] or tag["name"] == "img":
            before = _LETTER
        elif tag["name"] == "br":
            before = ""
        end_of_last = tag.end()
    return curled + (_curl_text(source[end_of_last:], before)[0] or "")
