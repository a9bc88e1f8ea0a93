"""Gives tables what a narrow screen and a screen reader need of them."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

from markdown.treeprocessors import Treeprocessor
from markdown.util import HTML_PLACEHOLDER_RE

#: Code without a blank that is longer does not fit a line of a phone.
LONG = 36
#: A row of more columns than this, and of more characters, does not fit a phone side by side.
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


class Tables(Treeprocessor):
    """Labels cells, marks tables whose rows are to become blocks, and lets long names break.

    Names in running text, too, where one fills a line by itself.
    """

    def run(self, root: Element) -> None:
        """Prepare all tables of a page."""
        for table in root.iter("table"):
            heads = [cell for row in table.iterfind("thead/tr") for cell in row]
            rows = table.findall("tbody/tr")
            for cell in heads:
                # A corner heads nothing.
                if not _words(cell):
                    cell.tag = "td"
            if len(heads) > COLUMNS and _are_long(rows):
                table.set("data-rows", "")
                for part in table.iter():
                    # Laid out as blocks, it would be no table to those who hear it.
                    if part.tag in _ROLES:
                        part.set("role", _ROLES[part.tag])
                for row in rows:
                    for head, cell in zip(heads, row, strict=False):
                        cell.set("data-label", _words(head))
            self.let_break(table)
        self.let_break(root, LONG)

    def let_break(self, element: Element, longer_than: int = 0) -> None:
        """Allow a line to end behind the underscores and dots of a name in code."""
        stash = self.md.htmlStash.rawHtmlBlocks
        for code in element.iter("code"):
            found = HTML_PLACEHOLDER_RE.fullmatch(code.text or "")
            kept = stash[int(found[1])] if found else None
            if not found or not isinstance(kept, str) or "<wbr>" in kept:
                continue
            if max(map(len, kept.split()), default=0) > longer_than:
                stash[int(found[1])] = _JOINT.sub(r"\g<0><wbr>", kept)


def _words(element: Element) -> str:
    return "".join(element.itertext()).strip()


def _are_long(rows: list[Element]) -> bool:
    return sum(len(_words(row)) for row in rows) > CHARACTERS * len(rows)
