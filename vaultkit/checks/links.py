"""The check *link*: every link, also in a drawing, leads to an existing note, heading or block."""

from __future__ import annotations

import time
from collections.abc import Iterator

from vaultkit.checks.check import EXCEPTED, FAILS, HOLDS, Check
from vaultkit.read.note import Note
from vaultkit.read.vault import BrokenLinkError, UnwrittenError, Vault


def check(note: Note, vault: Vault) -> Iterator[Check]:
    """Yield a check for each link of a note: whether its target exists."""
    drawn = [(link, "in the drawing, ") for link in vault.drawn(note)]
    for link, where in [*((link, "") for link in note.links), *drawn]:
        began = time.perf_counter()
        why, outcome = "", HOLDS
        try:
            vault.resolve(link, note)
        except BrokenLinkError as broken:
            why, outcome = f"{where}{link}: {broken}", FAILS
            if isinstance(broken, UnwrittenError) and vault.options.unwritten != "fail":
                why, outcome = "not written yet", EXCEPTED
        seconds = time.perf_counter() - began
        yield Check("link", link.line, str(link), outcome, why, link.column, seconds=seconds)
