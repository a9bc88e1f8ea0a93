"""Keeps pages safe: removes script addresses and active drawings, and closes raw HTML."""

from __future__ import annotations

import html
import re
from xml.etree.ElementTree import Element

#: Characters that a browser ignores in an address.
_IGNORED = re.compile(r"[\x00-\x20\x7f\xad\u200b-\u200f\u2028-\u202f\ufeff]+")
#: The beginning of an address that may run a script: all data but images other than SVG.
_SCRIPT_SCHEME = re.compile(r"(?:java|vb|live)script:|data:(?!image/(?!svg))", re.IGNORECASE)
_ADDRESSES = ("href", "src", "action", "formaction", "xlink:href", "poster", "data", "srcset")
#: What may run a script in a drawing, load one, or change an address into one: elements, event
#: attributes (``onload=``), style sheets and entities.
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
#: What is before the ``>`` of a declaration, and of a tag, whose values may contain ``>``.
_IN_DECLARATION = re.compile(r"[^>]*+")
_IN_TAG = re.compile(r"(?:[^>\"']|\"[^\"]*\"|'[^']*')*+")


def is_script_address(address: str) -> bool:
    r"""Return whether a browser may run an address as a script.

    These are ``javascript:`` and the like, and ``data:`` except images without scripts.

    >>> is_script_address("java\tscript:f()"), is_script_address("JavaScript:f()")
    (True, True)
    >>> is_script_address("a.md#javascript:"), is_script_address("data:image/png;base64,iVBO")
    (False, False)
    >>> is_script_address("data:text/html,<script>f()</script>")
    True
    """
    return bool(_SCRIPT_SCHEME.match(_IGNORED.sub("", html.unescape(address))))


def is_active(svg: str) -> bool:
    """Return whether a drawing may contain a script.

    >>> is_active("<svg><rect/></svg>"), is_active("<svg onload='f()'/>")
    (False, True)
    """
    # `href="…"` in an element, `url(…)` in a style.
    pairs = re.findall(r"\bhref\s*=\s*(\"[^\"]*\"|'[^']*')|\burl\(([^)]*)\)", svg)
    addresses = ((of_href or of_url).strip("\"' ") for of_href, of_url in pairs)
    return any(map(is_script_address, addresses)) or bool(_ACTIVE.search(svg))


def close_html(source: str) -> str:
    """Return a block of raw HTML with its last comment, tag or unparsed element closed.

    Left open, these would hide the rest of the page. Other elements may be closed by a later block.

    >>> close_html("<b>x</b> <!-- open"), close_html("<p title='a>"), close_html("<style>b {}")
    ('<b>x</b> <!-- open-->', "<p title='a>'>", '<style>b {}</style>')
    >>> close_html("<!-- a --> <? b ?> <div> 1 < 2")
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
        if source[at : at + 1] != ">":
            # Here is the end of the text, or a quotation mark that nothing closes.
            return f"{source}{source[at : at + 1]}>" + (f"</{name}>" if name else "")
        if name:  # only its end tag ends it
            end_tag = re.compile(rf"</{name}\b", re.IGNORECASE).search(source, at)
            if not end_tag:
                return f"{source}</{name}>"
            at = end_tag.start()
    return source


def keep_safe(root: Element, allows_html: bool) -> None:
    """Remove script addresses from a page; unless it ``allows_html``, event attributes, too.

    The HTML of its author is not part of the tree.
    """
    for element in root.iter():
        for name, value in list(element.attrib.items()):
            is_handler = name.lower().startswith("on")
            is_script = name.lower() in _ADDRESSES and is_script_address(value)
            if is_script or (is_handler and not allows_html):
                del element.attrib[name]
