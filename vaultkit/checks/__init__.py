"""What can be wrong with a note: one module a kind of check.

The checks gathered here need only the text of the notes; `outputs` needs their code run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from vaultkit.checks import form, links, mirrors, typeset
from vaultkit.read.note import Note, Problem
from vaultkit.read.vault import Vault

#: Checks of a note as it stands, by the name that pytest shows.
STATIC: dict[str, Callable[[Note, Vault], Iterator[Problem]]] = {
    "form": form.check,
    "links": links.check,
    "formulas": typeset.check,
    "mirrors": mirrors.check,
}


def static_problems(vault: Vault) -> Iterator[tuple[Note, Problem]]:
    """Find all that is wrong with the text of any note."""
    for note in vault.notes.values():
        for check in STATIC.values():
            for problem in check(note, vault):
                yield note, problem
