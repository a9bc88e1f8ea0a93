"""Fingerprints of what all pages depend on: the code, and the names of the vault."""

from __future__ import annotations

import sys
from functools import cache
from importlib.metadata import distributions
from pathlib import Path

from vaultkit.read.vault import Vault
from vaultkit.store import code_digest, key_of


def names_fingerprint(vault: Vault) -> bytes:
    """Return the fingerprint of what links can name, of all drawings, and of the settings."""
    return key_of(
        vault.root,
        vault.options,
        sorted(map(str, vault.hidden)),
        vault.has_hard_breaks,
        vault.preamble,
        # Unpublished notes affect which note a link names.
        [(str(path), note.outline, note.title) for path, note in vault.whole.notes.items()],
        [str(path) for path in vault.whole.files],
        [
            key_of(path.read_bytes())
            for path in vault.whole.files
            if path.suffix.lower() == ".svg" and path.is_file()
        ],
    )


@cache
def code_fingerprint() -> bytes:
    """Return the fingerprint of the code that renders, and of all installed packages."""
    installed = sorted(f"{one.name} {one.version}" for one in distributions())
    return key_of(sys.version, installed, code_digest(Path(__file__).parents[1]))
