"""Writes a front page, a list of all notes, for a vault without one."""

from __future__ import annotations

import posixpath
from collections import defaultdict

from vaultkit.read.note import Note
from vaultkit.read.syntax import natural_key
from vaultkit.read.vault import Vault


def front_page(vault: Vault, title: str) -> str:
    """Return the Markdown of a front page: a list of all notes.

    Parameters
    ----------
    vault
        The vault.
    title
        The title of the site.
    """
    folders: dict[str, list[Note]] = defaultdict(list)
    for note in vault.notes.values():
        folders[posixpath.dirname(vault.relative(note.path))].append(note)
    parts = [f"# {title}"]
    for folder in sorted(
        folders, key=lambda folder: [natural_key(part) for part in folder.split("/")]
    ):
        notes = sorted(folders[folder], key=lambda note: natural_key(note.title))
        rows = "\n".join(_list_item(note, vault) for note in notes)
        parts += [*([f"## {folder}"] if folder else []), rows]
    return "\n\n".join(parts) + "\n"


def _list_item(note: Note, vault: Vault) -> str:
    """Return the list item of a note: a link, whose words must have no brackets, and a summary."""
    words = note.title.replace("[", "(").replace("]", ")")
    summary = f": {note.summary}" if note.summary else ""
    path = vault.relative(note.path).removesuffix(".md")
    return f"- [[{path}|{words}]]{summary}"
