"""Numbers the footnotes of a text in the order of their references, and lists them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from markdown_it.token import Token

#: A no-break space, and an arrow back, as entities, which the host leaves as they are.
_BACK = "&#160;", "&#8617;"


class Footnotes:
    """The footnotes of a text.

    Parameters
    ----------
    tokens
        The tokens of each footnote, by its label.
    env
        The environment of the parser, with the inline footnotes.
    """

    def __init__(self, tokens: dict[str, list[Token]], env: dict[str, Any]) -> None:
        self.tokens = tokens
        self.env = env
        #: The content of inline footnotes, ``^[text]``, by their numbers.
        self._inline = env.setdefault("footnotes", {"refs": {}, "list": {}})["list"]
        #: By label, the number of references; in the order of the first references.
        self.reference_counts: dict[str, int] = {}

    def add_reference(self, token: Token) -> Element:
        """Return the element of a reference to a footnote, and count the reference."""
        label = token.meta.get("label")
        if label is None:  # an inline footnote
            label = f"inline-{token.meta['id'] + 1}"
            self.tokens.setdefault(label, _paragraph_tokens(self._inline[token.meta["id"]]))
        self.reference_counts[label] = self.reference_counts.get(label, 0) + 1
        sup = Element("sup", {"id": _reference_id(label, self.reference_counts[label])})
        anchor = SubElement(sup, "a", {"class": "footnote-ref", "href": f"#fn:{label}"})
        anchor.text = str([*self.reference_counts].index(label) + 1)
        return sup

    def render_list(self, write: Callable[[Element, list[Token]], None]) -> Element | None:
        """Return the list of referenced footnotes; None if there are none.

        ``write`` renders the tokens of a footnote into its list item.
        """
        if not self.reference_counts:
            return None
        box = Element("div", {"class": "footnote"})
        SubElement(box, "hr")
        items = SubElement(box, "ol")
        listed: list[str] = []
        # A footnote may refer to others, which are then counted, too.
        while unlisted := [label for label in self.reference_counts if label not in listed]:
            label = unlisted[0]
            listed.append(label)
            item = SubElement(items, "li", {"id": f"fn:{label}"})
            write(item, self.tokens.get(label, []))
        # Only now are all references known.
        for number, (label, item) in enumerate(zip(listed, items, strict=True), 1):
            self._append_backlinks(item, label, number)
        return box

    def _append_backlinks(self, item: Element, label: str, number: int) -> None:
        """Append the links from a footnote to each of its references, in its last paragraph."""
        space, arrow = _BACK
        paragraph = item[-1] if len(item) and item[-1].tag == "p" else None
        if paragraph is None:
            paragraph = SubElement(item, "p")
        elif len(paragraph):
            paragraph[-1].tail = (paragraph[-1].tail or "") + space
        else:
            paragraph.text = (paragraph.text or "") + space
        for reference in range(1, self.reference_counts[label] + 1):
            attributes = {
                "class": "footnote-backref",
                "href": f"#{_reference_id(label, reference)}",
                "title": f"Jump back to footnote {number} in the text",
            }
            SubElement(paragraph, "a", attributes).text = arrow


def _reference_id(label: str, number: int) -> str:
    """Return the id of the reference with this number to a footnote, as Python-Markdown does."""
    return f"fnref{number if number > 1 else ''}:{label}"


def _paragraph_tokens(footnote: dict[str, Any]) -> list[Token]:
    """Return the block tokens of an inline footnote."""
    inline = Token("inline", "", 0, content=footnote["content"], children=footnote["tokens"])
    return [Token("paragraph_open", "p", 1), inline, Token("paragraph_close", "p", -1)]
