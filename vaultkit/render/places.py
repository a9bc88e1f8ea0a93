"""Adds the names of parts to a page, with which checks refer to them: ``data-check="number-7"``.

A spot is a piece of text with such a name: a number, a shape, or words that a comment binds to
code.
"""

from __future__ import annotations

import html
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vaultkit.claims.amounts import Quantity
from vaultkit.claims.bindings import Binding
from vaultkit.claims.claims import claims_of
from vaultkit.claims.places import formula_at, names_of_spots
from vaultkit.claims.shapes import Shape
from vaultkit.read.note import Note

#: The places whose numbers get names: running text, headings and alt texts.
_NAMED = ("", "heading", "alt text")


@dataclass(frozen=True)
class Spot:
    """A number, a shape or bound words as they are in the note, and the name of their check."""

    text: str
    name: str


class Names:
    """The names of the parts of a page.

    Parameters
    ----------
    shown
        The note as parsed from the text of the page.
    note
        The note that was checked, with its front matter; None for other pages.
    """

    def __init__(self, shown: Note, note: Note | None) -> None:
        #: The name of each block and output, by its first line.
        self.blocks: dict[int, str] = {}
        #: By line, the spots that begin there, each after its column.
        self.spots: dict[int, list[tuple[int, Spot]]] = defaultdict(list)
        self._parts: dict[tuple[str, int, int], str] = {}
        self.predictions = {
            prediction.line: f"prediction-{number}"
            for number, prediction in enumerate(shown.predictions)
        }
        for number, formula in enumerate(shown.formulas):
            self._parts["formula", formula.line, formula.column] = f"formula-{number}"
        if note is not None:
            # The links of the properties, which the page does not show, are numbered first.
            in_properties = len(note.links) - len(shown.links)
            for number, link in enumerate(shown.links, in_properties):
                self._parts.setdefault(("link", link.line, link.column), f"link-{number}")
        if note is not None and not note.refused:
            self._name_blocks(shown)
            on_page, in_note = claims_of(shown), claims_of(note)
            names = names_of_spots(note, "number", in_note.quantities)
            self._name_spots(shown, names, on_page.quantities, in_note.quantities)
            names = names_of_spots(note, "shape", in_note.shapes)
            self._name_spots(shown, names, on_page.shapes, in_note.shapes)
            names = names_of_spots(note, "sentence", in_note.bindings)
            self._name_spots(shown, names, on_page.bindings, in_note.bindings)

    def at(self, kind: str, line: int, column: int) -> str | None:
        """Return the name of the link or formula at a position; None if it has none."""
        return self._parts.get((kind, line, column))

    def spots_from(self, line: int, column: int) -> Iterator[tuple[int, Spot]]:
        """Yield the spots of a line, each after its distance from a column, negative before it."""
        for spot_column, spot in self.spots.get(line, ()):
            yield spot_column - column, spot

    def _name_blocks(self, shown: Note) -> None:
        """Name the blocks and outputs of the note by their numbers."""
        for number, block in enumerate(shown.blocks):
            self.blocks[block.fence.line] = f"block-{number}"
            if block.output:
                self.blocks[block.output.line] = f"output-{number}"

    def _name_spots(
        self,
        shown: Note,
        names: Sequence[str],
        on_page: Sequence[Quantity | Shape | Binding],
        in_note: Sequence[Quantity | Shape | Binding],
    ) -> None:
        """Name the claims of one kind on the page as the same claims of the checked note.

        The first claims of the note are those of its properties, which the page lacks; the others
        must be those of the page. ``names`` are those of the claims of the note. If the page is not
        the checked text, none is named.
        """
        in_properties = len(in_note) - len(on_page)
        if [c.text for c in in_note[max(0, in_properties) :]] != [c.text for c in on_page]:
            return
        title_lines = {heading.line for heading in shown.headings if heading.level == 1}
        for claim, name in zip(on_page, names[in_properties:], strict=True):
            # Numbers in the title of the page have no names.
            if getattr(claim, "place", "") not in _NAMED or claim.line in title_lines:
                continue
            # A number in a formula is part of the formula.
            if formula_at(shown, claim.line, claim.column) is None:
                self.spots[claim.line].append((claim.column, Spot(claim.text, name)))


def name_shapes(coloured: str, lines: Sequence[str], fence_line: int, names: Names) -> str:
    """Wrap each shape in a comment of highlighted code in an element with its name.

    ``lines`` is the code, which begins one line below ``fence_line`` of the note.
    """
    html_lines = coloured.split("\n")
    # Pygments drops blank lines at the beginning.
    blank = next((number for number, text in enumerate(lines) if text.strip()), 0)
    for index, line in enumerate(html_lines[: len(lines) - blank]):
        spots = names.spots.get(fence_line + blank + index + 1, ())
        statement, opening, comment = line.rpartition('<span class="c1">')
        if not opening:
            continue
        wrapped = ""
        # From right to left, so that each search leaves out the shapes that are wrapped already.
        for _, spot in sorted(spots, key=lambda pair: pair[0], reverse=True):
            head, text, tail = comment.rpartition(html.escape(spot.text, quote=False))
            if text:
                comment = head
                wrapped = f'<span data-check="{spot.name}">{text}</span>{tail}{wrapped}'
        html_lines[index] = statement + opening + comment + wrapped
    return "\n".join(html_lines)
