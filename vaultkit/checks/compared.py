"""The check *comparison*: a sentence that compares in words alone is not judged."""

from __future__ import annotations

from collections.abc import Iterator

from vaultkit.checks.check import COMPARISON, FAILS, UNJUDGED, Check
from vaultkit.claims.compared import compared
from vaultkit.read.note import Note

_WHY = "no code is bound to it, and its sentence has no number"


def check(note: Note, *, fails: bool = False) -> Iterator[Check]:
    """Yield a check for each sentence that compares in words alone.

    It is not judged; with ``fails``, it is a failure.
    """
    outcome = FAILS if fails else UNJUDGED
    for word in compared(note):
        yield Check(COMPARISON, word.line, word.text, outcome, f"{word.text}: {_WHY}", word.column)
