"""Inspects notes for the doors, and says how each inspection ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from vaultkit.checks.check import Check
from vaultkit.inspect import Settings, inspect
from vaultkit.read.note import Note
from vaultkit.read.vault import Vault


@dataclass
class Inspection:
    """What was found in a note.

    Attributes
    ----------
    note
        The note as it was read.
    checks
        All that was found.
    whole
        Whether everything that the note says was judged.
    ended
        Why what is missing was not judged: how the note's process ended.
    rests_on
        The files that its code has read.
    """

    note: Note
    checks: list[Check] = field(default_factory=list)
    whole: bool = False
    ended: str = ""
    rests_on: set[Path] = field(default_factory=set)


class Runner:
    """Inspects the notes of a vault, each when its result is asked for, or before.

    Parameters
    ----------
    vault
        The vault.
    settings
        How to inspect.
    """

    def __init__(self, vault: Vault, settings: Settings) -> None:
        self.vault = vault
        self.settings = settings
        self._until: dict[Path, int | None] = {}
        self._known: dict[Path, Inspection] = {}

    def submit(self, notes: Iterable[tuple[Note, int | None]]) -> None:
        """Say which notes will be asked for, in this order, and up to which block."""
        self._until.update((note.path, until) for note, until in notes)

    def result(self, note: Note) -> Inspection:
        """Return what was found in a note."""
        if note.path not in self._known:
            until = self._until.get(note.path)
            read: set[Path] = set()
            checks = list(inspect(note, self.vault, self.settings, until=until, read=read))
            self._known[note.path] = Inspection(note, checks, until is None, rests_on=read)
        return self._known[note.path]
