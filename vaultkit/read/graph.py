"""The link graph of a vault: orphans, dead ends, unreachable notes, unlinked mentions."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vaultkit.read.note import Note
from vaultkit.read.vault import BrokenLinkError, Vault

#: Possible names of a vault's front note; the first one that exists is used.
FRONT = ("index", "readme", "home", "start here", "start", "welcome", "overview")


@dataclass(frozen=True)
class Graph:
    """Findings about the link graph of a vault.

    Attributes
    ----------
    orphans
        Notes that no other note links to, except the front note.
    dead_ends
        Notes that link to no other note.
    mentions
        Unlinked mentions: the note, the note that it names, and the sentence.
    longest
        The shortest path from the front note to the farthest one.
    unreachable
        Notes that cannot be reached from there.
    """

    orphans: tuple[str, ...]
    dead_ends: tuple[str, ...]
    mentions: tuple[tuple[str, str, str], ...]
    longest: tuple[str, ...]
    unreachable: tuple[str, ...]

    def plain(self) -> dict[str, Any]:
        """Return the graph as plain data."""
        mentions = [{"note": a, "names": b, "sentence": said} for a, b, said in self.mentions]
        return {
            "orphans": list(self.orphans),
            "dead_ends": list(self.dead_ends),
            "unlinked_mentions": mentions,
            "longest_way": list(self.longest),
            "unreachable": list(self.unreachable),
        }

    def sections(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the findings in words: titles, each with its rows."""
        yield "Orphans (no note links to them)", list(self.orphans)
        yield "Dead ends (they link to no note)", list(self.dead_ends)
        rows = [f"{who} names {whom}: {sentence}" for who, whom, sentence in self.mentions]
        yield "Unlinked mentions", rows
        yield "Longest of the shortest paths from the front note", list(self.longest)
        yield "Not reachable from the front note", list(self.unreachable)


def graph_of(vault: Vault) -> Graph:
    """Return the findings about a vault's links."""
    ahead: dict[Path, list[Path]] = {
        path: _ahead(note, vault) for path, note in vault.notes.items()
    }
    behind = {path: vault.backlinks(note) for path, note in vault.notes.items()}
    front = way_in(vault)
    way, reached = _breadth_first(ahead, front.path) if front else ([], set())

    def named(path: Path) -> str:
        return vault.relative(path)

    return Graph(
        tuple(named(p) for p in ahead if not behind[p] and not (front and p == front.path)),
        tuple(named(path) for path, others in ahead.items() if not others),
        tuple(
            (named(said.source.path), named(path), f"{said.before}{said.name}{said.after}")
            for path, note in vault.notes.items()
            for said in vault.mentions(note)
        ),
        tuple(named(path) for path in way),
        tuple(named(path) for path in ahead if path not in reached) if front else (),
    )


def way_in(vault: Vault) -> Note | None:
    """Return the front note: one at the top called ``index`` or the like, or named as the vault."""
    top = {note.name.casefold(): note for note in vault.notes.values() if _is_top(note, vault)}
    return next((top[n] for n in (*FRONT, vault.root.name.casefold()) if n in top), None)


def _is_top(note: Note, vault: Vault) -> bool:
    return note.path.parent == vault.root


def _ahead(note: Note, vault: Vault) -> list[Path]:
    """Return the other notes that a note links to or draws, each once, in order."""
    found: dict[Path, None] = {}
    for link in (*note.links, *vault.drawn(note)):
        try:
            path = vault.find(link.target, note.path)
        except BrokenLinkError:
            continue
        if path in vault.notes and path != note.path:
            found[path] = None
    return list(found)


def _breadth_first(ahead: dict[Path, list[Path]], front: Path) -> tuple[list[Path], set[Path]]:
    """Search breadth-first from ``front``; return the way to the last note, and all notes found."""
    before: dict[Path, Path | None] = {front: None}
    waiting = deque([front])
    last = front
    while waiting:
        last = waiting.popleft()
        for path in ahead[last]:
            if path not in before:
                before[path] = last
                waiting.append(path)
    way: list[Path] = []
    at: Path | None = last
    while at is not None:
        way.append(at)
        at = before[at]
    return way[::-1], set(before)
