"""`claims_of` extracts the claims in the sentences, tables and captions of a note."""

from __future__ import annotations

from dataclasses import dataclass

from vaultkit.claims.amounts import Quantity
from vaultkit.claims.bindings import Binding, bindings
from vaultkit.claims.counts import stated_counts
from vaultkit.claims.quantities import stated_quantities
from vaultkit.claims.said import CodeStatement, code_statements, row_statements
from vaultkit.claims.shapes import Shape, stated_shapes
from vaultkit.read.note import Note


@dataclass(frozen=True)
class Claims:
    """The claims of a note, in the order of its text.

    Attributes
    ----------
    quantities
        Numbers.
    shapes
        Shapes of arrays, including counts of rows and columns.
    said
        Inline code with its stated value.
    bindings
        Words that a comment binds to code.
    """

    quantities: tuple[Quantity, ...] = ()
    shapes: tuple[Shape, ...] = ()
    said: tuple[CodeStatement, ...] = ()
    bindings: tuple[Binding, ...] = ()


#: The claims of the notes read last, by the identities of the notes: several checks read them.
_known: dict[int, tuple[Note, Claims]] = {}
_MOST = 16


def claims_of(note: Note) -> Claims:
    """Return the claims of a note; those of a few notes are kept.

    Examples
    --------
    >>> from vaultkit.read.markdown import parse
    >>> claims = claims_of(parse("The mean of 12 numbers is 0.25, and `len(x)` is 12."))
    >>> [q.text for q in claims.quantities], [s.code for s in claims.said]
    (['12', '0.25', '12'], ['len(x)'])
    """
    kept = _known.get(id(note))
    if kept is None:
        while len(_known) >= _MOST:
            _known.pop(next(iter(_known)), None)
        kept = _known[id(note)] = note, _derive(note)
    return kept[1]


def _derive(note: Note) -> Claims:
    """Extract all claims of a note; those in wrong answers to its questions are left out."""
    numbers: list[Quantity] = []
    sizes: list[Shape] = []
    for piece in note.prose:
        found = [*stated_shapes(piece), *stated_counts(piece)]
        stated = {(s.line, s.column) for s in found if s.called or s.subject or s.alone}
        numbers += (
            q
            for q in stated_quantities(piece)
            if not (q.is_vector and (q.line, q.column) in stated)
        )
        sizes += found
    codes = [claim for coded in note.coded for claim in code_statements(coded)]
    codes += (claim for cell in note.cells for claim in row_statements(cell))
    codes.sort(key=lambda claim: (claim.line, claim.column))

    # A wrong answer to a question is not a statement of the note.
    wrong = [d for prediction in note.predictions for d in prediction.distractors]
    columns = {d.line: range(d.column, d.column + len(d.code) + 2) for d in wrong}

    def is_stated(claim: Quantity | Shape | CodeStatement) -> bool:
        return claim.column not in columns.get(claim.line, ())

    return Claims(
        tuple(filter(is_stated, numbers)),
        tuple(filter(is_stated, sizes)),
        tuple(filter(is_stated, codes)),
        tuple(bindings(note)),
    )
