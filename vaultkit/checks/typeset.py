"""Every formula compiles."""

from __future__ import annotations

from collections.abc import Iterator

from vaultkit.read.note import Note, Problem
from vaultkit.read.vault import Vault
from vaultkit.site.mathematics import FormulaError, to_mathml


def check(note: Note, vault: Vault) -> Iterator[Problem]:  # noqa: ARG001
    """Find the formulas of a note that cannot be typeset."""
    for formula in note.formulas:
        try:
            to_mathml(formula.tex, display=formula.display)
        except FormulaError as error:
            yield Problem(formula.line, f"${formula.tex}$ cannot be typeset: {error}")
