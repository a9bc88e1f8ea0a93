"""The check *formula*: a renderer, which is passed in, can typeset each formula."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from vaultkit.checks.check import FAILS, HOLDS, Check
from vaultkit.read.note import Note

#: Typesets TeX, as a display or inline; raises ValueError if it cannot. Its argument ``preamble``
#: is the commands that a vault or a note defines.
Typesetter = Callable[..., object]


def check(note: Note, typeset: Typesetter) -> Iterator[Check]:
    """Yield a check for each formula of a note: it can be typeset."""
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
