"""The check of sentences that state a relation between their own numbers: *3 is less than 2*."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from vaultkit.checks.check import EXCEPTED, FAILS, Check
from vaultkit.claims.contrasts import Contrast, contrasts
from vaultkit.read.note import Note


def check(note: Note) -> Iterator[Check]:
    """Yield a check for each sentence that contradicts itself; excepted if the note says why."""
    language = str(note.meta.get("lang") or "")
    for contrast in (c for piece in note.prose for c in contrasts(piece, language)):
        if why := contradiction(contrast):
            outcome = EXCEPTED if contrast.given else FAILS
            reason = contrast.given or f"{contrast.text}: {why}"
            yield Check("number", contrast.line, contrast.text, outcome, reason, contrast.column)


def contradiction(contrast: Contrast) -> str:
    """Return why a sentence contradicts itself; empty if it does not.

    Its numbers may be rounded: a relation is false if it fails by more than their rounding errors.
    """
    left, right, slack = contrast.left, contrast.right, contrast.slack
    match contrast.relation:
        case "<" if left > right + slack:
            return f"{_shown(left)} is not less than {_shown(right)}"
        case ">" if left + slack < right:
            return f"{_shown(left)} is not more than {_shown(right)}"
        case "=" if abs(left - right) > slack:
            return f"{_shown(left)} is not {_shown(right)}"
    return ""


def _shown(number: Fraction) -> str:
    """Return a number as a message has it."""
    return f"{float(number):.4g}"
