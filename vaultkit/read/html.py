"""Python's HTML parser, made robust against malformed HTML, and fast for regular HTML."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

_NAME = r"[A-Za-z_][\w.:-]*"
_VALUE = r"(?:\"[^\"<>]*\"|'[^'<>]*')"
#: A regular tag: ``</a>``, ``<a href="x" b>``, ``<br/>``.
_TAG = re.compile(
    rf"<(?P<closes>/?)(?P<name>[A-Za-z][\w-]*)"
    rf"(?P<attributes>(?:\s+{_NAME}(?:={_VALUE})?)*)\s*(?P<is_empty>/?)>"
)
_ATTRIBUTE = re.compile(rf"({_NAME})(?:=({_VALUE}))?")
#: Elements whose content is not parsed as HTML, or is parsed differently.
_OTHERS = frozenset(
    re.findall(
        "[a-z]+", "iframe noembed noframes noscript plaintext script style textarea title xmp"
    )
)


class HTMLReader(HTMLParser):
    """Parses HTML, and text that only resembles it.

    Examples
    --------
    >>> reader = HTMLReader()
    >>> reader.feed("<b>x</b> <![1 y")
    """

    def feed(self, data: str) -> None:
        """Parse more text, which calls ``handle_starttag`` and the like, as `HTMLParser.feed`."""
        # `HTMLParser` fails on malformed marked sections of XML; in HTML they are comments that end
        # with the next ">".
        super().feed(data.replace("<![", "<! "))

    def read_all(self, data: str) -> None:
        """Parse a whole text; fast if it is regular, which means that all values are in quotes.

        Examples
        --------
        >>> class Tags(HTMLReader):
        ...     def handle_starttag(self, tag, attrs):
        ...         print(tag, attrs)
        >>> Tags().read_all('<p><A href="x&amp;y" B>z</A><br/></p>')
        p []
        a [('href', 'x&y'), ('b', None)]
        br []
        """
        tags = list(_TAG.finditer(data))
        names = {tag["name"].lower() for tag in tags}
        is_regular = data.count("<") == len(tags) and not names & _OTHERS
        if not is_regular:
            self.feed(data)
            self.close()
            return
        at = 0
        for tag in tags:
            if text := data[at : tag.start()]:
                self.handle_data(unescape(text))
            at = tag.end()
            name = tag["name"].lower()
            if tag["closes"]:
                self.handle_endtag(name)
                continue
            pairs = [
                (key.lower(), unescape(value[1:-1]) if value else None)
                for key, value in _ATTRIBUTE.findall(tag["attributes"])
            ]
            if tag["is_empty"]:
                self.handle_startendtag(name, pairs)
            else:
                self.handle_starttag(name, pairs)
        if text := data[at:]:
            self.handle_data(unescape(text))
