"""`Step`, a piece of code that has been run, with the output that it has and the one shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from vaultkit.read.note import Block


@dataclass(frozen=True)
class Step:
    """A piece of code that has been run, with the output shown and the real output.

    A ``python`` block is one step, each prompt of a ``pycon`` block is one.

    Attributes
    ----------
    line
        The line of the code.
    shown
        The output in the note; None if it shows none.
    shown_lines
        First and last line of that output. If there is none, the last line is smaller than the
        first, and an output would be inserted before the first.
    got
        The real output, with the last line of an expected error.
    error
        The traceback of an unexpected error, with lines of the note; else empty.
    example
        Whether it is an example in a docstring.
    """

    line: int
    shown: str | None
    shown_lines: tuple[int, int]
    got: str = ""
    error: str = ""
    example: bool = False

    @property
    def output_line(self) -> int:
        """The line at which the output is shown, or would be."""
        return max(self.line, self.shown_lines[0])

    def output_lines(self) -> Iterator[tuple[str, int]]:
        """Yield each line of the real output, with the line of the note that shows it.

        For lines that the note does not show, that is the last one shown, or of the code.
        """
        first, last = self.shown_lines
        for index, text in enumerate(self.got.splitlines()):
            yield text, max(self.line, min(first + index, last))


#: Called after a block with the block, its steps and the variables.
Observer = Callable[[Block, list[Step], Mapping[str, Any]], None]
