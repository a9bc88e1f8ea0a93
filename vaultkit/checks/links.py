"""Every link leads to a note, a heading or a block that is there, also those in drawings."""

from __future__ import annotations

from collections.abc import Iterator

from vaultkit.read.note import Note, Problem
from vaultkit.read.vault import BrokenLinkError, Vault


def check(note: Note, vault: Vault) -> Iterator[Problem]:
    """Find the links of a note that lead nowhere."""
    for link in note.links:
        try:
            vault.resolve(link, note)
        except BrokenLinkError as broken:
            yield Problem(link.line, f"{link}: {broken}")
    for link in vault.drawn(note):
        try:
            vault.resolve(link, note)
        except BrokenLinkError as broken:
            yield Problem(link.line, f"in the drawing, {link}: {broken}")
