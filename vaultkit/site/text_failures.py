"""The failures in the text of notes, found without running their code."""

from __future__ import annotations

import json

from vaultkit.checks.check import FAILS
from vaultkit.pipeline.inspect import Settings, inspect
from vaultkit.read.note import Note
from vaultkit.read.vault import Vault
from vaultkit.render import mathematics
from vaultkit.site.fingerprints import code_fingerprint
from vaultkit.store import Store, key_of

#: The kind of these entries in the store.
_KIND = "fault"


class TextFailures:
    """The failed checks of the text of notes, from the store if nothing has changed.

    Parameters
    ----------
    vault
        The notes.
    store
        The store of the failures.
    named
        The fingerprint of everything that links depend on.
    """

    def __init__(self, vault: Vault, store: Store, named: bytes) -> None:
        self._vault, self._store = vault, store
        self._named = named
        self._settings = Settings(typeset=mathematics.to_mathml, shown=True)

    def of(self, note: Note) -> list[tuple[int, str]]:
        """Return line and message of each failure in the text of a note."""

        def make() -> bytes:
            checks = inspect(note, self._vault.whole, self._settings, run=None)
            return json.dumps([(c.line, c.why) for c in checks if c.outcome == FAILS]).encode()

        name = self._vault.relative(note.path)
        key = key_of(code_fingerprint(), self._named, note.digest)
        content = self._store.get(_KIND, name, key, make)
        note.forget_lines()
        return [(line, why) for line, why in json.loads(content)]

    def prune_deleted(self) -> None:
        """Drop the entries of notes that no longer exist."""
        self._store.forget_others(_KIND, map(self._vault.relative, self._vault.notes))
