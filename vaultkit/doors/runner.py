"""Inspects notes for the doors, each in a process of its own; tells how each inspection ended."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from vaultkit.checks.check import FAILS, Check
from vaultkit.inspect import Settings, inspect
from vaultkit.read.note import Note
from vaultkit.read.vault import Vault
from vaultkit.run.dependencies import compile_ahead
from vaultkit.run.ending import Ending, Limits
from vaultkit.run.workers import Send, Workers


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
    count
        How many notes are inspected at a time; 0 means in this process, for debuggers.
    limits
        What the process of a note may use.
    """

    def __init__(
        self,
        vault: Vault,
        settings: Settings,
        count: int | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.vault = vault
        self.settings = settings
        self._workers = Workers(_Work(vault, settings), count, limits)
        self._keys: dict[Path, str] = {}
        self._known: dict[Path, Inspection] = {}

    def submit(self, notes: Iterable[tuple[Note, int | None]]) -> None:
        """Say which notes will be asked for, in this order, and up to which block."""
        notes = list(notes)
        # Before processes are forked, so that each of them finds it done.
        sources = (block.fence.text for note, _ in notes for block in note.blocks)
        compile_ahead(self.vault.root.parent, sources)
        for note, until in notes:
            self._keys[note.path] = json.dumps([os.fspath(note.path), until])
            self._workers.submit(self._keys[note.path])

    def result(self, note: Note) -> Inspection:
        """Return what was found in a note."""
        if note.path not in self._known:
            if note.path not in self._keys:
                self.submit([(note, None)])
            key = self._keys[note.path]
            self._known[note.path] = self._told(note, key, self._workers.result(key))
        return self._known[note.path]

    def close(self) -> None:
        """End all that still runs."""
        self._workers.close()

    def _told(self, note: Note, key: str, ending: Ending) -> Inspection:
        """Read what the process of a note has sent, and how it ended."""
        found = Inspection(note)
        for message in ending.messages:
            if "check" in message:
                found.checks.append(Check.from_plain(message["check"]))
            for path in message.get("read", ()):
                found.rests_on.add(Path(path))
        if ending.kind == "done":
            found.whole = json.loads(key)[1] is None
            return found
        block = note.blocks[ending.block] if ending.block is not None else None
        line = block.fence.line if block else 1
        line = ending.line(os.path.relpath(note.path)) or line
        found.ended = f"not judged: at line {line} the note {str(ending).splitlines()[0]}"
        found.checks.append(
            Check(
                "block" if block else "form",
                line,
                block.section if block else note.name,
                FAILS,
                str(ending) + (f"\n  {ending.told}" if ending.told else ""),
                block=ending.block,
            )
        )
        return found


@dataclass
class _Work:
    """What the process of a note does. Plain data, so that it can be sent to one."""

    vault: Vault
    settings: Settings

    def __call__(self, key: str, send: Send) -> None:
        path, until = json.loads(key)
        read: set[Path] = set()

        def tell(index: int, seconds: float) -> None:
            send({"block": index, "limit": seconds})

        note = self.vault.notes[Path(path)]
        for check in inspect(note, self.vault, self.settings, until=until, tell=tell, read=read):
            send({"check": check.plain()})
        send({"read": [os.fspath(path) for path in read]})
