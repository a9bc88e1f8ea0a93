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


#: The claims of the notes read last, by the identities of the notes: several checks read them. The
#: note is kept with them, so that no other note gets its identity.
_kept: dict[int, tuple[Note, Claims]] = {}
_MOST_KEPT = 16


def claims_of(note: Note) -> Claims:
    """Return the claims of a note; those of a few notes are kept.

    Examples
    --------
    >>> from vaultkit.read.markdown import parse
    >>> claims = claims_of(parse("The mean of 12 numbers is 0.25, and `len(x)` is 12."))
    >>> [q.text for q in claims.quantities], [s.code for s in claims.said]
    (['12', '0.25', '12'], ['len(x)'])
    """
    if id(note) not in _kept:
        return _keep(note, _derive(note))
    _, claims = _kept[id(note)]
    return claims


def share_claims(note: Note, other: Note) -> None:
    """Take the claims of a note as those of another, which has the same text and names of code."""
    _keep(other, claims_of(note))


def _keep(note: Note, claims: Claims) -> Claims:
    """Keep the claims of a note, and return them; the oldest ones are dropped."""
    while len(_kept) >= _MOST_KEPT:
        _kept.pop(next(iter(_kept)), None)
    _kept[id(note)] = note, claims
    return claims


def _derive(note: Note) -> Claims:
    """Extract all claims of a note; those in wrong answers to its questions are left out."""
    quantities: list[Quantity] = []
    shapes: list[Shape] = []
    for piece in note.prose:
        of_piece = [*stated_shapes(piece), *stated_counts(piece)]
        # *(2, 3)* is a vector, too, unless the text says that it is a shape.
        places_of_shapes = {
            (s.line, s.column) for s in of_piece if s.is_called_shape or s.subject or s.is_alone
        }
        quantities += (
            quantity
            for quantity in stated_quantities(piece)
            if not (quantity.is_vector and (quantity.line, quantity.column) in places_of_shapes)
        )
        shapes += of_piece
    statements = [claim for coded in note.coded for claim in code_statements(coded)]
    statements += (claim for cell in note.cells for claim in row_statements(cell))
    statements.sort(key=lambda claim: (claim.line, claim.column))

    wrong = [d for prediction in note.predictions for d in prediction.distractors]
    backticks = 2
    columns = {d.line: range(d.column, d.column + len(d.code) + backticks) for d in wrong}

    def is_stated(claim: Quantity | Shape | CodeStatement) -> bool:
        """Return whether a claim is not in a wrong answer to a question."""
        return claim.column not in columns.get(claim.line, ())

    return Claims(
        tuple(filter(is_stated, quantities)),
        tuple(filter(is_stated, shapes)),
        tuple(filter(is_stated, statements)),
        tuple(bindings(note)),
    )
