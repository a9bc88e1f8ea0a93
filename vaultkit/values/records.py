"""What is computed, and what is said of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


class UnboundError(LookupError):
    """A symbol that no block has bound."""


class EvaluationError(ValueError):
    """A formula that means nothing with these values."""


@dataclass(frozen=True)
class Verdict:
    """Whether a statement holds, and if not, what one should know."""

    holds: bool
    why: str = ""
    bound: tuple[str, ...] = ()


@dataclass(frozen=True)
class Value:
    """An array, the number of axes that are its own, and whether it is a vector laid down."""

    array: Any
    rank: int
    transposed: bool = False
    literal: str | None = None
    #: Its own axes number the members of a sample: of each member it is one number.
    sample: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape without the axes of indices."""
        return tuple(self.array.shape[self.array.ndim - self.rank :])
