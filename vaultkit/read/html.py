"""Python's parser of HTML, made to read whatever a note may hold."""

from __future__ import annotations

from html.parser import HTMLParser


class HTMLReader(HTMLParser):
    """Reads HTML, also where there is but something that looks like it.

    Examples
    --------
    >>> reader = HTMLReader()
    >>> reader.feed("<b>x</b> <![1 y")
    """

    def feed(self, data: str) -> None:
        """Read on."""
        # What looks like a section of XML and is none makes the parser give up; in HTML it is a
        # comment that ends with the next ">".
        super().feed(data.replace("<![", "<! "))
