"""Adds the names of parts to a page, with which checks refer to them: ``data-check="number-7"``."""

from __future__ import annotations

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
    """The text of a number, a shape or bound words, and the name of its check."""

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
            above = len(note.links) - len(shown.links)
            for number, link in enumerate(shown.links, above):
                self._parts.setdefault(("link", link.line, link.column), f"link-{number}")
        if note is not None and not note.refused:
            self._name_blocks(shown)
            ours, theirs = claims_of(shown), claims_of(note)
            names = names_of_spots(note, "number", theirs.quantities)
            self._name_spots(shown, names, ours.quantities, theirs.quantities)
            names = names_of_spots(note, "shape", theirs.shapes)
            self._name_spots(shown, names, ours.shapes, theirs.shapes)
            names = names_of_spots(note, "sentence", theirs.bindings)
            self._name_spots(shown, names, ours.bindings, theirs.bindings)

    def at(self, kind: str, line: int, column: int) -> str | None:
        """Return the name of the link or formula at a position; None if it has none."""
        return self._parts.get((kind, line, column))

    def spots_from(self, line: int, column: int) -> Iterator[tuple[int, Spot]]:
        """Yield the numbers and shapes of a line, each with its distance from a column."""
        for begins, spot in self.spots.get(line, ()):
            yield begins - column, spot

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
        ours: Sequence[Quantity | Shape | Binding],
        theirs: Sequence[Quantity | Shape | Binding],
    ) -> None:
        """Name the spots of a kind in the shown text, ``ours``, as those in ``theirs``.

        ``theirs`` are the spots of the note as it was checked: first those of its properties, which
        the shown text lacks, then the same as ``ours``.
        """
        above = len(theirs) - len(ours)
        if [s.text for s in theirs[max(0, above) :]] != [s.text for s in ours]:
            return
        title = {heading.line for heading in shown.headings if heading.level == 1}
        for spot, name in zip(ours, names[above:], strict=True):
            if getattr(spot, "place", "") not in _NAMED or spot.line in title:
                continue
            # A number in a formula is part of the formula.
            if formula_at(shown, spot.line, spot.column) is None:
                self.spots[spot.line].append((spot.column, Spot(spot.text, name)))
