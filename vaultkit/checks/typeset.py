"""The check *formula*: each formula can be typeset, by a renderer that is passed in."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from vaultkit.checks.check import FAILS, HOLDS, Check
from vaultkit.read.note import Note

#: Typesets TeX, as a display or in a line; raises ValueError where it cannot. It is given the
#: commands, too, that a vault or a note defines: ``preamble``.
Typesetter = Callable[..., object]


def check(note: Note, typeset: Typesetter) -> Iterator[Check]:
    """Yield a check for each formula of a note: whether it can be typeset."""
    for formula in note.formulas:
        began = time.perf_counter()
        why = ""
        try:
            typeset(formula.tex, formula.display)
        except ValueError as error:
            why = f"${formula.tex}$ cannot be typeset: {error}"
        outcome = FAILS if why else HOLDS
        seconds = time.perf_counter() - began
        yield Check(
            "formula", formula.line, formula.tex, outcome, why, formula.column, seconds=seconds
        )
