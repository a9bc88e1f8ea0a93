"""The check *link*: every link, also in a drawing, leads to an existing note, heading or block."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

from vaultkit.checks.check import EXCEPTED, FAILS, HOLDS, UNJUDGED, Check
from vaultkit.read.note import Link, Note
from vaultkit.read.vault import BrokenLinkError, UnwrittenError, Vault


def check(note: Note, vault: Vault) -> Iterator[Check]:
    """Yield a check for each link of a note: whether its target exists."""
    drawn = [(link, "in the drawing, ") for link in vault.links_in_drawings(note)]
    for link, where in [*((link, "") for link in note.links), *drawn]:
        began = time.perf_counter()
        why, outcome = "", HOLDS
        try:
            vault.resolve(link, note)
        except BrokenLinkError as broken:
            why = f"{where}{link}: {broken}"
            # Only an ordinary link can lead out of the vault; a wikilink names a note in it.
            outcome = UNJUDGED if not link.wiki and _is_elsewhere(link, note, vault) else FAILS
            if isinstance(broken, UnwrittenError) and vault.options.unwritten != "fail":
                why, outcome = "not written yet", EXCEPTED
        seconds = time.perf_counter() - began
        yield Check("link", link.line, str(link), outcome, why, link.column, seconds=seconds)


def _is_elsewhere(link: Link, note: Note, vault: Vault) -> bool:
    """Return whether the path of a link leads to something outside the vault.

    That is the root of a site (``/about``), a folder that does not exist, or a place outside the
    vault. The braces of a template (``{{ page.url }}``) are filled in by another program.
    """
    if link.target.startswith("/") or re.search(r"\{[{%]", link.target):
        return True
    folder = (note.path.parent / link.target).parent
    outside = not folder.resolve().is_relative_to(vault.root.resolve())
    return outside or not folder.is_dir()
