"""The vault of a served site: refreshed at each build, and checked after each save if requested."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

from vaultkit.doors.helpers import divide
from vaultkit.pipeline.ledger import Ledger
from vaultkit.read.cache import Cache
from vaultkit.read.discovery import parse_into_store
from vaultkit.read.vault import Vault
from vaultkit.store import store_beside

_log = logging.getLogger("mkdocs.plugins.vaultkit")


class ServedVault:
    """The vault of a site, kept from one build of a server to the next."""

    def __init__(self) -> None:
        self._vault: Vault | None = None
        #: Path and digest of each note whose check was begun after a save.
        self._tried: set[tuple[Path, str]] = set()

    def read(self, root: Path) -> Vault:
        """Return the vault below a folder as it is now, without unpublished notes.

        Raises
        ------
        OptionsError
            If its settings are invalid.
        """
        store = store_beside(root)
        if Cache(store).is_empty():
            parse_into_store(root, store, divide)  # the first time, all processors parse the notes
        # Only this attribute keeps the notes of the last build, of which the new vault takes over
        # those unchanged (`Store.recent`).
        self._vault = Vault(root, public=True, store=store)
        return self._vault

    def check(self, vault: Vault) -> None:
        """Check the notes whose results are stale, and log what is found.

        Notes that are not published are checked, too (`Vault.whole`). The checks run in a new
        process, since that of a server has threads and cannot be forked.
        """
        ledger = Ledger(vault.whole)
        notes = [
            note
            for note in vault.whole.notes.values()
            if (note.path, note.digest) not in self._tried and ledger.fresh_checks(note) is None
        ]
        if not notes:
            return
        # A note whose check does not finish is not tried again until it changes.
        self._tried.update((note.path, note.digest) for note in notes)
        options = [word for note in notes for word in ("--note", vault.relative(note.path))]
        command = [sys.executable, "-m", "vaultkit", "check", str(vault.root), *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        output = done.stdout
        if done.returncode > 1:  # wrong usage; otherwise its errors are only the progress bar
            output += done.stderr
        for line in output.splitlines():
            _log.info("%s", line)
