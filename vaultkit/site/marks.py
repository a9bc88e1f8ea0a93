"""Writes into a page which part of it is which: ``data-check="number-7"``, as checks call it.

The numbers and shapes are marked in the Markdown, where their places are known; the marks are
characters for private use that go through Python-Markdown untouched, and become elements in the
end.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.postprocessors import Postprocessor
from markdown.treeprocessors import Treeprocessor

from vaultkit.claims.claims import claims_of
from vaultkit.claims.places import formula_at
from vaultkit.claims.quantities import Quantity
from vaultkit.claims.shapes import Shape
from vaultkit.read.note import Note
from vaultkit.site.page import Page

#: The first of many characters that open a number or a shape, and the one that closes either.
_OPENS = {"number": 0xF0000, "shape": 0x100000}
_CLOSES = "\U0010fffd"
_MOST = 0xFFFD
_MARK = re.compile("[\U000f0000-\U0010fffd]")
_PIECE = re.compile(
    rf"(?P<tag><[^<>\U000f0000-\U0010fffd]*[\U000f0000-\U0010fffd][^<>]*>)|(?P<number>[\U000f0000-\U000ffffd])"
    rf"|(?P<shape>[\U00100000-\U0010fffc])|{_CLOSES}"
)
#: Where numbers are marked: in running text, and in what is said of a picture.
_MARKED = ("", "heading", "alt text")
#: How far behind its place the first letter may be: what opens mathematics, code or a link.
_NEAR = 3


def name_blocks(note: Note) -> dict[int, str]:
    """Name the blocks of a page, and their outputs, by the line they open on."""
    names = {}
    for index, block in enumerate(note.blocks):
        names[block.fence.line] = f"block-{index}"
        if block.output:
            names[block.output.line] = f"output-{index}"
    return names


def mark_spots(lines: list[str], shown: Note, note: Note) -> None:
    """Mark the numbers and shapes in the lines of a page.

    Parameters
    ----------
    lines
        The lines.
    shown
        What is read from them.
    note
        What the checks read: the same, with what stands above the page.
    """
    title = {heading.line for heading in shown.headings if heading.level == 1}
    marks: dict[int, list[tuple[int, int, int, str]]] = defaultdict(list)
    for kind in _OPENS:
        ours, theirs = _spots(shown, kind), _spots(note, kind)
        above = len(theirs) - len(ours)
        if [s.text for s in theirs[max(0, above) :]] != [s.text for s in ours]:
            continue
        for index, spot in enumerate(ours, above):
            if getattr(spot, "place", "") not in _MARKED or spot.line in title:
                continue
            # In mathematics it goes with the formula.
            if index < _MOST and formula_at(shown, spot.line, spot.column) is None:
                first = spot.column - 1
                last = first + len(spot.text) + _NEAR
                at = lines[spot.line - 1].find(spot.text, first, last)
                if at >= 0:
                    name = chr(_OPENS[kind] + index)
                    end = at + len(spot.text)
                    marks[spot.line] += [(at, 1, -end, name), (end, 0, 0, _CLOSES)]
    for number, found in marks.items():
        line, pieces, done = lines[number - 1], [], 0
        # Where several stand, what ends comes first, and what holds another before that.
        for at, _, _, mark in sorted(found):
            pieces += [line[done:at], mark]
            done = at
        lines[number - 1] = "".join([*pieces, line[done:]])


def _spots(note: Note, kind: str) -> Sequence[Quantity | Shape]:
    claims = claims_of(note)
    return claims.quantities if kind == "number" else claims.shapes


def unmarked(text: str) -> str:
    """Take the marks out of a text."""
    return _MARK.sub("", text)


class NameFormulas(Treeprocessor):
    """Names the typeset formulas of the note itself; what is embedded has its names elsewhere."""

    def __init__(self, md: Markdown, page: Page) -> None:
        super().__init__(md)
        self.page = page

    def run(self, root: Element) -> None:
        """Give each formula of the page the number of the one in the note."""
        numbers: dict[str, deque[int]] = defaultdict(deque)
        for index, formula in enumerate(self.page.host.formulas):
            numbers[" ".join(formula.tex.split())].append(index)
        for math in _formulas(root):
            waiting = numbers[" ".join(math.get("data-tex", "").split())]
            if waiting:
                math.set("data-check", f"formula-{waiting.popleft()}")


class NameLinks(Treeprocessor):
    """Names the links of the note itself, before those of other notes come into the page."""

    def __init__(self, md: Markdown, page: Page) -> None:
        super().__init__(md)
        self.page = page

    def run(self, root: Element) -> None:
        """Give each link of the page the number of the one in the note."""
        if self.page.trail:
            return
        ours = self.page.host.links
        known = self.page.vault.notes.get(self.page.host.path)
        above = len(known.links) - len(ours) if known else 0
        numbers: dict[str, deque[int]] = defaultdict(deque)
        for index, link in enumerate(ours, above):
            numbers[f"{link.target}#{link.sub}"].append(index)
        for element in root.iter():
            waiting = numbers[element.attrib.pop("data-written", "")]
            if waiting and known:
                element.set("data-check", f"link-{waiting.popleft()}")


def _formulas(element: Element) -> list[Element]:
    names = element.get("class", "").split()
    if {"transclusion", "linked-from"} & set(names):
        return []
    if element.tag.rpartition("}")[2] == "math" and element.get("data-tex"):
        return [element]
    return [math for child in element for math in _formulas(child)]


class NameSpots(Postprocessor):
    """Makes elements of the marks; drops those where no element can be."""

    def __init__(self, md: Markdown) -> None:
        super().__init__(md)
        self.md = md

    def run(self, text: str) -> str:
        """Rewrite the HTML of a page, and what is said of it in its table of contents."""
        for token in _flat(getattr(self.md, "toc_tokens", [])):
            for key in ("name", "html", "data-toc-label"):
                token[key] = unmarked(token.get(key, ""))
        return _PIECE.sub(_element, text) if _MARK.search(text) else text


def _element(found: re.Match[str]) -> str:
    if found["tag"]:
        # What is said of a picture stands in an attribute: the picture gets the names of all of it.
        names = [name for sign in found["tag"] if (name := _name(sign))]
        tag = unmarked(found["tag"])
        opening = re.match(r"<[\w:-]+", tag) if names else None
        if not opening:
            return tag
        return f'{opening[0]} data-says="{" ".join(names)}"{tag[opening.end() :]}'
    name = _name(found[0])
    return f'<span data-check="{name}">' if name else "</span>"


def _name(sign: str) -> str:
    for kind, first in reversed(_OPENS.items()):
        if first <= ord(sign) < ord(_CLOSES):
            return f"{kind}-{ord(sign) - first}"
    return ""


def _flat(tokens: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [t for token in tokens for t in (token, *_flat(token.get("children", [])))]
