"""Draws the figures of an edited note again, from the variables that its code has computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vaultkit.figure import Figure, without_stamp
from vaultkit.read.note import Block, Note
from vaultkit.read.vault import BrokenLinkError, Vault
from vaultkit.run.session import Step


@dataclass(frozen=True)
class Redrawn:
    """A figure after a run of the note.

    Attributes
    ----------
    name
        The file name of the drawing.
    svg
        The new drawing; None if it equals the published one, or could not be drawn.
    error
        Why it could not be drawn; empty if it could.
    """

    name: str
    svg: str | None = None
    error: str = ""


@dataclass(frozen=True)
class _Shown:
    """A figure that a note shows, and the number of blocks above it."""

    figure: Figure
    path: Path
    blocks: int


class RedrawnFigures:
    """The figures of a note that are functions of its variables.

    A figure gets the variables as the blocks above it have left them or, if those do not bind all
    of them, after the first block below that does, as a formula does.

    Parameters
    ----------
    note, vault
        The note, and its vault.
    figures
        All figures of the vault, by the file names of their drawings.
    """

    def __init__(self, note: Note, vault: Vault, figures: Mapping[str, Figure]) -> None:
        self._waiting = list(_shown(note, vault, figures))
        self._observed = 0
        self._data: list[tuple[_Shown, Mapping[str, Any] | Exception]] = []

    def observe(self, block: Block, steps: list[Step], variables: Mapping[str, Any]) -> None:  # noqa: ARG002
        """Compute the data of the figures whose variables a block has bound."""
        self._observed += 1
        for shown in list(self._waiting):
            wanted = shown.figure.variables
            if self._observed < shown.blocks or not wanted <= variables.keys():
                continue
            self._waiting.remove(shown)
            data: Mapping[str, Any] | Exception
            try:
                data = shown.figure.data(**{name: variables[name] for name in wanted})
            except Exception as error:
                data = error
            self._data.append((shown, data))

    def draw(self) -> Iterator[Redrawn]:
        """Draw the figures whose data are known."""
        for shown, data in self._data:
            name = shown.figure.name
            try:
                if isinstance(data, Exception):
                    raise data
                svg = shown.figure.draw(data)
            except Exception as error:
                yield Redrawn(name, error=f"{type(error).__name__}: {error}")
                continue
            published = without_stamp(shown.path.read_text(encoding="utf-8"))
            yield Redrawn(name, None if svg == published else svg)


def _shown(note: Note, vault: Vault, figures: Mapping[str, Figure]) -> Iterator[_Shown]:
    """Yield the figures that a note shows and that have variables."""
    for link in note.links:
        if not link.embed or not link.target.endswith(".svg"):
            continue
        try:
            path = vault.find(link.target, note.path)
        except BrokenLinkError:
            continue
        figure = figures.get(path.name)
        if figure and figure.variables:
            above = sum(block.fence.line < link.line for block in note.blocks)
            yield _Shown(figure, path, above)
