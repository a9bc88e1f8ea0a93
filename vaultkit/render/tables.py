"""Prepares tables for narrow screens and screen readers."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

#: Code without a blank that is longer does not fit a line on a phone.
_LONGEST_NAME = 36
#: A table with more columns than this, and more characters in a row, does not fit a phone.
_MOST_COLUMNS, _MOST_CHARACTERS = 3, 56
_ROLES = {
    "table": "table",
    "thead": "rowgroup",
    "tbody": "rowgroup",
    "tr": "row",
    "th": "columnheader",
    "td": "cell",
}
#: The signs in a name behind which it may be broken: ``np.linalg_norm``.
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
            if not _text_of(cell):
                cell.tag = "td"
        if len(heads) > _MOST_COLUMNS and _have_long_rows(rows):
            table.set("data-rows", "")
            for part in table.iter():
                # When it is displayed as blocks, screen readers need the roles of a table.
                if part.tag in _ROLES:
                    part.set("role", _ROLES[part.tag])
            for row in rows:
                for head, cell in zip(heads, row, strict=False):
                    cell.set("data-label", _text_of(head))
        _allow_breaks(table)
    _allow_breaks(root, _LONGEST_NAME)


def _allow_breaks(element: Element, longer_than: int = 0) -> None:
    """Allow line breaks within the names in code, if one has more than so many characters."""
    for code in list(element.iter("code")):
        if max(map(len, "".join(code.itertext()).split()), default=0) > longer_than:
            for part in list(code.iter()):
                _insert_breaks(part)


def _insert_breaks(element: Element) -> None:
    """Insert ``<wbr>`` after underscores, dots and slashes in the text directly in an element."""
    pieces = _split_at_joints(element.text)
    element.text = pieces[0]
    children = list(element)
    index = _insert_pieces(element, 0, pieces[1:])
    for child in children:
        pieces = _split_at_joints(child.tail)
        child.tail = pieces[0]
        index = _insert_pieces(element, index + 1, pieces[1:])


def _insert_pieces(element: Element, index: int, pieces: list[str]) -> int:
    """Insert pieces of text with a possible line break before each; return the next index.

    ``index`` is that of the child before which they are inserted.
    """
    for piece in pieces:
        wbr = Element("wbr")
        wbr.tail = piece
        element.insert(index, wbr)
        index += 1
    return index


def _split_at_joints(text: str | None) -> list[str]:
    """Split a text after the signs at which a name may be broken.

    Examples
    --------
    >>> _split_at_joints("np.linalg_norm")
    ['np.', 'linalg_', 'norm']
    """
    return _JOINT.sub("\\g<0>\0", text or "").split("\0")


def _text_of(element: Element) -> str:
    """Return the whole text in an element, without blanks around it."""
    return "".join(element.itertext()).strip()


def _have_long_rows(rows: list[Element]) -> bool:
    """Return whether the rows are too long for a phone on average."""
    return sum(len(_text_of(row)) for row in rows) > _MOST_CHARACTERS * len(rows)
