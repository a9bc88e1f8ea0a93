"""Fingerprints of what all pages depend on: the code, and the names of the vault."""

from __future__ import annotations

import hashlib
import json
import sys
from functools import cache
from importlib.metadata import distributions
from pathlib import Path

from vaultkit.read.vault import Vault
from vaultkit.store import code_digest


def names_fingerprint(vault: Vault) -> str:
    """Return the fingerprint of what links can name, of all drawings, and of the settings."""
    facts = [
        str(vault.root),
        repr(vault.options),
        sorted(map(str, vault.hidden)),
        vault.breaks,
        vault.preamble,
        # Unpublished notes affect which note a link names.
        [(str(path), note.outline, note.title) for path, note in vault.whole.notes.items()],
        [str(path) for path in vault.whole.files],
        [
            hashlib.sha256(path.read_bytes()).hexdigest()
            for path in vault.whole.files
            if path.suffix.lower() == ".svg" and path.is_file()
        ],
    ]
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


@cache
def code_fingerprint() -> str:
    """Return the fingerprint of the code that renders, and of all installed packages."""
    installed = sorted(f"{one.name} {one.version}" for one in distributions())
    digest = hashlib.sha256(f"{sys.version} {installed}".encode())
    digest.update(code_digest(Path(__file__).parents[1]))
    return digest.hexdigest()
