"""Prepares tables for narrow screens and screen readers."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

#: Code without a blank that is longer does not fit a line on a phone.
LONG = 36
#: A table with more columns than this, or more characters in a row, does not fit a phone.
COLUMNS, CHARACTERS = 3, 56
_ROLES = {
    "table": "table",
    "thead": "rowgroup",
    "tbody": "rowgroup",
    "tr": "row",
    "th": "columnheader",
    "td": "cell",
}
_JOINT = re.compile(r"(?<=\w)[_./](?=[A-Za-z])")


def prepare_tables(root: Element) -> None:
    """Label cells, mark tables whose rows become blocks, and let long names wrap.

    Long names in running text may wrap, too.
    """
    for table in root.iter("table"):
        heads = [cell for row in table.iterfind("thead/tr") for cell in row]
        rows = table.findall("tbody/tr")
        for cell in heads:
            # An empty corner is not the heading of a column.
            if not _words(cell):
                cell.tag = "td"
        if len(heads) > COLUMNS and _are_long(rows):
            table.set("data-rows", "")
            for part in table.iter():
                # When it is displayed as blocks, screen readers need the roles of a table.
                if part.tag in _ROLES:
                    part.set("role", _ROLES[part.tag])
            for row in rows:
                for head, cell in zip(heads, row, strict=False):
                    cell.set("data-label", _words(head))
        _let_break(table)
    _let_break(root, LONG)


def _let_break(element: Element, longer_than: int = 0) -> None:
    """Allow line breaks after the underscores and dots of a name in code."""
    for code in list(element.iter("code")):
        if code.find("wbr") is not None:
            continue
        if max(map(len, "".join(code.itertext()).split()), default=0) > longer_than:
            for part in list(code.iter()):
                _break(part)


def _break(element: Element) -> None:
    """Insert ``<wbr>`` after underscores, dots and slashes in the text directly in an element."""
    pieces = _parts(element.text)
    element.text = pieces[0]
    children = list(element)
    at = _insert(element, 0, pieces[1:])
    for child in children:
        pieces = _parts(child.tail)
        child.tail = pieces[0]
        at = _insert(element, at + 1, pieces[1:])


def _insert(element: Element, at: int, pieces: list[str]) -> int:
    """Insert pieces of text with a possible line break before each; return the next index."""
    for piece in pieces:
        wbr = Element("wbr")
        wbr.tail = piece
        element.insert(at, wbr)
        at += 1
    return at


def _parts(text: str | None) -> list[str]:
    return _JOINT.sub("\\g<0>\0", text or "").split("\0")


def _words(element: Element) -> str:
    return "".join(element.itertext()).strip()


def _are_long(rows: list[Element]) -> bool:
    return sum(len(_words(row)) for row in rows) > CHARACTERS * len(rows)
