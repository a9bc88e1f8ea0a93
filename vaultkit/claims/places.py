"""The names of the parts of a page: ``block-3``, ``formula-12``, ``number-7``.

The numbers count the parts in the order of the parsed note; ``number-in-3-0`` is the first number
in the comments of block 3. The names connect checks to the rendered page, even if code was edited
on the page and lines have moved.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from vaultkit.claims.amounts import Quantity
from vaultkit.claims.bindings import Binding
from vaultkit.claims.claims import claims_of
from vaultkit.claims.shapes import Shape
from vaultkit.read.note import Note


@dataclass
class Places:
    """The names of the parts of a note, found by kind, line and column of a check."""

    #: The names of blocks of code, by their first lines.
    blocks: dict[int, str] = field(default_factory=dict)
    #: The names of formulas, by line and TeX.
    formulas: dict[tuple[int, str], list[str]] = field(default_factory=lambda: defaultdict(list))
    #: The names of questions, by their lines and those of their wrong answers.
    predictions: dict[int, str] = field(default_factory=dict)
    #: The columns of formulas with equal TeX on one line, by name.
    columns: dict[str, int] = field(default_factory=dict)
    #: The names of links, by line and column.
    links: dict[tuple[int, int], str] = field(default_factory=dict)
    #: The names of numbers and shapes, by line, column and text.
    spots: dict[tuple[int, int, str], list[str]] = field(default_factory=lambda: defaultdict(list))

    def names_of(self, kind: str, line: int, column: int, what: str) -> list[str]:
        """Return the names of the parts to which a check belongs; none if it is not visible.

        ``kind`` is the kind of the check, ``what`` the text that it is about.
        """
        match kind:
            case "mirror":  # which may be about any line of its block
                first = max((begins for begins in self.blocks if begins <= line), default=0)
                return [self.blocks[first]] if first else []
            case "equation":
                return self._formulas(line, column, what)
            case "link":
                # A link in a drawing is reported at the embed of the drawing.
                return [self.links[line, column]] if (line, column) in self.links else []
            case "prediction" | "distractor":
                return [self.predictions[line]]
            case "number" | "shape" | "sentence":
                spots = self.spots.get((line, column, what), [])
                return spots or self._formulas(line, column, what)
        return []

    def _formulas(self, line: int, column: int, tex: str) -> list[str]:
        """Return the formulas with some TeX on a line; of several, the one at the column."""
        names = self.formulas.get((line, tex), [])
        return [name for name in names if self.columns[name] == column] or names


def page_places(note: Note) -> Places:
    """Return the names of the parts of a note by their places."""
    places = Places({block.fence.line: f"block-{n}" for n, block in enumerate(note.blocks)})
    for index, formula in enumerate(note.formulas):
        places.columns[f"formula-{index}"] = formula.column
        for line in formula.lines:  # an error is reported at the line of its row
            places.formulas[line, formula.tex].append(f"formula-{index}")
    for index, link in enumerate(note.links):
        places.links.setdefault((link.line, link.column), f"link-{index}")
    for index, prediction in enumerate(note.predictions):
        for line in (prediction.line, *(wrong.line for wrong in prediction.distractors)):
            places.predictions[line] = f"prediction-{index}"
    kinds: dict[str, Sequence[Quantity | Shape | Binding]]
    claims = claims_of(note)
    kinds = {"number": claims.quantities, "shape": claims.shapes, "sentence": claims.bindings}
    for kind, spots in kinds.items():
        for spot, name in zip(spots, names_of_spots(note, kind, spots), strict=True):
            # A number within a formula has no element of its own on the page.
            formula_index = formula_at(note, spot.line, spot.column)
            places.spots[spot.line, spot.column, spot.text].append(
                name if formula_index is None else f"formula-{formula_index}"
            )
    return places


def names_of_spots(note: Note, kind: str, spots: Sequence[Quantity | Shape | Binding]) -> list[str]:
    """Return the names of the numbers, shapes or bindings of a note: ``number-7``.

    Those in the code of each block are counted apart (``number-in-3-0``), so that its edits change
    no other name.
    """
    blocks = lines_of_code(note)
    counts: Counter[str] = Counter()
    names = []
    for spot in spots:
        prefix = f"{kind}-in-{blocks[spot.line]}" if spot.line in blocks else kind
        names.append(f"{prefix}-{counts[prefix]}")
        counts[prefix] += 1
    return names


def lines_of_code(note: Note) -> dict[int, int]:
    """Return the lines of all blocks, each with the number of its block."""
    return {
        line: index
        for index, block in enumerate(note.blocks)
        for line in range(block.fence.line, block.fence.end + 1)
    }


def formula_at(note: Note, line: int, column: int) -> int | None:
    """Return the index of the formula in running text that contains a place; None if none does."""
    dollars = 2
    for index, formula in enumerate(note.formulas):
        columns = range(formula.column, formula.column + len(formula.tex) + dollars)
        if formula.line == line and not formula.display and column in columns:
            return index
    return None
