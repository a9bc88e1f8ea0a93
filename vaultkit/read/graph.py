"""The link graph of a vault: orphans, dead ends, unreachable notes, unlinked mentions."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from vaultkit.read.note import Note
from vaultkit.read.vault import Vault

#: Possible names of a vault's front note; the first one that exists is used.
FRONT = ("index", "readme", "home", "start here", "start", "welcome", "overview")


class UnlinkedName(NamedTuple):
    """A sentence in a note that names another one without a link: the paths of both notes."""

    note: str
    names: str
    sentence: str


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
        Unlinked mentions.
    longest
        The shortest path of links from the front note to the note farthest from it; empty if the
        vault has no front note (`front_note`).
    unreachable
        Notes to which no path of links leads from the front note; empty if there is none.
    """

    orphans: tuple[str, ...]
    dead_ends: tuple[str, ...]
    mentions: tuple[UnlinkedName, ...]
    longest: tuple[str, ...]
    unreachable: tuple[str, ...]

    def plain(self) -> dict[str, Any]:
        """Return the graph as plain data, for JSON."""
        return {
            "orphans": list(self.orphans),
            "dead_ends": list(self.dead_ends),
            "unlinked_mentions": [mention._asdict() for mention in self.mentions],
            "longest_way": list(self.longest),
            "unreachable": list(self.unreachable),
        }

    def sections(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the findings in words: titles, each with its rows."""
        yield "Orphans (no note links to them)", list(self.orphans)
        yield "Dead ends (they link to no note)", list(self.dead_ends)
        rows = [f"{note} names {named}: {sentence}" for note, named, sentence in self.mentions]
        yield "Unlinked mentions", rows
        yield "Longest of the shortest paths from the front note", list(self.longest)
        yield "Not reachable from the front note", list(self.unreachable)


def graph_of(vault: Vault) -> Graph:
    """Return the findings about a vault's links."""
    notes = vault.notes
    linked = {path: list(vault.links_to_notes(note)) for path, note in notes.items()}
    front = front_note(vault)
    # Without a front note, no note counts as unreachable.
    route, reached = _breadth_first(linked, front.path) if front else ([], set(notes))
    orphans = [path for path, note in notes.items() if not vault.backlinks(note) and note != front]
    # By the note that is named, since `Vault.mentions` gives those of one note.
    mentions = [
        UnlinkedName(
            vault.relative(mention.source.path),
            vault.relative(path),
            f"{mention.before}{mention.name}{mention.after}",
        )
        for path, note in notes.items()
        for mention in vault.mentions(note)
    ]
    return Graph(
        tuple(map(vault.relative, orphans)),
        tuple(vault.relative(path) for path in notes if not linked[path]),
        tuple(mentions),
        tuple(map(vault.relative, route)),
        tuple(vault.relative(path) for path in notes if path not in reached),
    )


def front_note(vault: Vault) -> Note | None:
    """Return the note at the top called ``index`` or the like, or named as the vault; else None."""
    notes = vault.notes.values()
    at_top = {note.name.casefold(): note for note in notes if note.path.parent == vault.root}
    names = (*FRONT, vault.root.name.casefold())
    return next((at_top[name] for name in names if name in at_top), None)


def _breadth_first(linked: dict[Path, list[Path]], front: Path) -> tuple[list[Path], set[Path]]:
    """Search breadth-first from ``front``; return the path to the last note, and all notes found.

    ``linked`` are the notes to which each note links. The last note found is a farthest one.

    >>> route, reached = _breadth_first({"a": ["b", "c"], "b": ["a"], "c": [], "d": ["a"]}, "a")
    >>> route, sorted(reached)
    (['a', 'c'], ['a', 'b', 'c'])
    """
    #: For each note found, the note from which it was found.
    previous: dict[Path, Path | None] = {front: None}
    waiting = deque([front])
    last = front
    while waiting:
        last = waiting.popleft()
        for path in linked[last]:
            if path not in previous:
                previous[path] = last
                waiting.append(path)
    route: list[Path] = []
    step: Path | None = last
    while step is not None:
        route.append(step)
        step = previous[step]
    return route[::-1], set(previous)
