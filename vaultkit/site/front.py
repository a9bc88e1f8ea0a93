"""Writes a front page for a vault that has none: what its way in says, or a list of all notes."""

from __future__ import annotations

import posixpath
from collections import defaultdict

from vaultkit.read.graph import way_in
from vaultkit.read.note import Note
from vaultkit.read.vault import Vault


def front_page(vault: Vault, title: str) -> str:
    """Write the Markdown of a front page.

    Parameters
    ----------
    vault
        The vault.
    title
        What the site is called.
    """
    front = way_in(vault)
    head = f"# {title}\n\n"
    if front:
        return f"{head}![[{_path(front, vault)}]]\n"
    folders: dict[str, list[Note]] = defaultdict(list)
    for note in vault.notes.values():
        folders[posixpath.dirname(vault.relative(note.path))].append(note)
    parts = []
    for folder, notes in sorted(folders.items()):
        rows = (_row(note, vault) for note in sorted(notes, key=lambda note: note.title.casefold()))
        parts.append("\n".join([*([f"## {folder}\n"] if folder else []), *rows]))
    return head + "\n\n".join(parts) + "\n"


def _row(note: Note, vault: Vault) -> str:
    words = note.title.replace("[", "(").replace("]", ")")
    summary = f": {note.summary}" if note.summary else ""
    return f"- [[{_path(note, vault)}|{words}]]{summary}"


def _path(note: Note, vault: Vault) -> str:
    return vault.relative(note.path).removesuffix(".md")
