"""Every decimal number in prose is the rounding of one that the note's code computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from vaultkit.checks.check import EXCEPTED, FAILS, Check
from vaultkit.checks.outputs import NUMBER
from vaultkit.read.note import Block, Note, Quantity
from vaultkit.run.session import Step


class Numbers:
    """The decimal numbers in the prose of a note, and all that its code computed.

    Parameters
    ----------
    note
        The note.
    """

    def __init__(self, note: Note) -> None:
        self.note = note
        self.computed: set[float] = set()

    def look(self, block: Block, steps: list[Step], variables: Mapping[str, Any]) -> None:  # noqa: ARG002
        """Gather the numbers of outputs, and the scalars among the variables."""
        for step in steps:
            self.computed.update(float(number) for number in NUMBER.findall(step.got))
        for value in variables.values():
            if isinstance(value, (float, int, np.number)) or (
                isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "fiu"
            ):
                self.computed.add(float(value))

    def check(self) -> Iterator[Check]:
        """Tell of each number whether something computed it."""
        for quantity in self.note.quantities:
            line, text = quantity.line, quantity.text
            if quantity.given:
                yield Check("number", line, text, EXCEPTED, quantity.given)
            elif self.backed(quantity):
                yield Check("number", line, text)
            else:
                why = f"nothing on this page computes {text}{self.nearest(quantity)}"
                yield Check("number", line, text, FAILS, why)

    def backed(self, quantity: Quantity) -> bool:
        """Tell whether a number is the rounding of a computed one; signs are left to words."""
        wanted, slack = abs(quantity.value), quantity.unit / 2 * (1 + 1e-9)
        scales = (1.0, 100.0) if quantity.percent else (1.0,)
        return any(
            abs(abs(number) * scale - wanted) <= slack
            for number in self.computed
            for scale in scales
        )

    def nearest(self, quantity: Quantity) -> str:
        """Name the computed numbers that come nearest."""
        wanted = abs(quantity.value)
        scale = 100.0 if quantity.percent else 1.0
        finite = [number for number in self.computed if np.isfinite(number)]
        nearest = sorted(
            finite, key=lambda n: min(abs(abs(n) - wanted), abs(abs(n) * scale - wanted))
        )
        return f"; nearest are {', '.join(f'{n:.6g}' for n in nearest[:3])}" if nearest else ""
