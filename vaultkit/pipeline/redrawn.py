"""Draws the figures of an edited note again, from the variables that its code has computed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from vaultkit.figure import Figure, without_stamp
from vaultkit.read.note import Block, Note
from vaultkit.read.vault import BrokenLinkError, Vault
from vaultkit.run.memory import Memory
from vaultkit.run.steps import Step

#: Attributes of a drawing that contain words, not numbers.
_ATTRIBUTES_OF_WORDS = re.compile(r"(?:aria|data)-.*|class|id|role|.*href|style|font-family")
#: A number without end, such as the 16 digits of 0.1 + 0.2.
_ENDLESS_NUMBER = re.compile(r"\d{16}")


@dataclass(frozen=True)
class Redrawn:
    """A figure after a run of the note.

    If a note shows one drawing twice, there are two results under the same name.

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
    of them, after the next block that binds them, as a formula does.

    Parameters
    ----------
    note, vault
        The note, and its vault.
    figures
        All figures of the vault, by the file names of their drawings.
    memory
        Remembers the last drawings, so that a figure is drawn again only if its variables have
        changed.
    is_edited
        Whether the note has been edited; if not, its figures are as published.

    Attributes
    ----------
    drawn
        The results for the figures whose variables the note binds.
    """

    def __init__(
        self,
        note: Note,
        vault: Vault,
        figures: Mapping[str, Figure],
        *,
        memory: Memory | None = None,
        is_edited: bool = True,
    ) -> None:
        self._memory = memory
        self._is_edited = is_edited
        #: The figures that are not drawn yet.
        self._waiting = list(_shown_figures(note, vault, figures))
        #: The number of blocks that have run.
        self._block_count = 0
        self.drawn: list[Redrawn] = []

    def observe(self, block: Block, steps: list[Step], variables: Mapping[str, Any]) -> None:  # noqa: ARG002
        """Draw the figures whose variables a block has bound; a later block may change these."""
        self._block_count += 1
        for shown in list(self._waiting):
            names = shown.figure.variables
            if self._block_count >= shown.blocks and names <= variables.keys():
                self._waiting.remove(shown)
                self.drawn.append(self._result(shown, {name: variables[name] for name in names}))

    def _result(self, shown: _Shown, variables: Mapping[str, Any]) -> Redrawn:
        """Return a figure as its variables give it; draw it only if these have changed.

        If the note is not edited, it is not drawn; but the memory then knows its variables.
        """
        redraw = partial(_redraw if self._is_edited else _as_published, shown, variables)
        if not self._memory:
            return redraw()
        key = shown.path, shown.blocks
        result: Redrawn = self._memory.value(key, variables, variables, redraw)
        return result


def _as_published(shown: _Shown, _variables: Mapping[str, Any]) -> Redrawn:
    """Return a figure without drawing it."""
    return Redrawn(shown.figure.name)


def _redraw(shown: _Shown, variables: Mapping[str, Any]) -> Redrawn:
    """Draw a figure from the variables of a note, which may have any values."""
    name = shown.figure.name
    try:
        svg = shown.figure.draw(shown.figure.data(**variables))
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        return Redrawn(
            name,
            error=f"the figure needs variables of the same kinds and shapes as on the page ({why})",
        )
    if not _is_legible(svg):
        return Redrawn(
            name, error="it would show numbers that are infinite, undefined or too large"
        )
    published = without_stamp(shown.path.read_text(encoding="utf-8"))
    return Redrawn(name, None if svg == published else svg)


def _is_legible(svg: str) -> bool:
    """Return whether all coordinates of a drawing are numbers, and none of its texts is endless.

    A text may say *−inf* on purpose, as masks do.
    """
    for element in ElementTree.fromstring(svg).iter():
        for name, value in element.attrib.items():
            if re.search("nan|inf", value) and not _ATTRIBUTES_OF_WORDS.fullmatch(name):
                return False
        is_text = element.tag.endswith("text")  # behind its namespace
        if is_text and _ENDLESS_NUMBER.search("".join(element.itertext())):
            return False
    return True


def _shown_figures(note: Note, vault: Vault, figures: Mapping[str, Figure]) -> Iterator[_Shown]:
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
