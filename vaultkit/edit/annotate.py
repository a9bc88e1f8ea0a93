"""Writes a note that lists all failures as links, for editors without diagnostics."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from pathlib import Path

from vaultkit.checks.check import FAILS, Check
from vaultkit.files import write_atomically
from vaultkit.read.note import Note
from vaultkit.read.vault import Vault

#: The note is not published, and gets only the check of mirrors, which cannot fail without code.
_HEAD = """\
---
publish: false
checks: [mirrors]
---

%% Written by `vaultkit check --annotate`; it is removed when all checks hold. %%
"""


class NotOursError(ValueError):
    """A file with other contents, which must not be overwritten."""


class Annotations:
    """The note of all failures.

    Parameters
    ----------
    vault
        The vault.
    name
        The path of the note relative to the vault's folder; the suffix may be omitted.

    Raises
    ------
    NotOursError
        If it is outside the vault, or a file with other contents.
    """

    def __init__(self, vault: Vault, name: str) -> None:
        self.path = vault.root / (name if name.endswith(".md") else f"{name}.md")
        if not self.path.resolve().is_relative_to(vault.root):
            raise NotOursError(f"{name}: outside of the vault")
        if self.path.exists() and not self._is_ours():
            raise NotOursError(f"{name}: a note of that name exists, and was written by hand")
        self._failures: dict[Path, tuple[Note, list[Check]]] = {}

    def update(self, vault: Vault, checked: Iterable[tuple[Note, Sequence[Check]]]) -> None:
        """Update the checks of some notes, and write the failures of all notes.

        Parameters
        ----------
        vault
            The vault as it is now.
        checked
            The notes that were checked, and their checks.
        """
        for note, checks in checked:
            self._failures[note.path] = note, [c for c in checks if c.outcome == FAILS]
        # Drop the failures of notes that no longer exist.
        known = vault.notes
        failures = [
            (known[path], checks)
            for path, (_, checks) in sorted(self._failures.items())
            if checks and path in known
        ]
        if failures:
            write_atomically(self.path, self._text(vault, failures))
        elif self.path.exists() and self._is_ours():
            self.path.unlink()

    def _is_ours(self) -> bool:
        """Return whether `update` has written the file: it begins as such notes do."""
        return _HEAD.encode() in self.path.read_bytes().replace(b"\r\n", b"\n")

    def _text(self, vault: Vault, failures: Sequence[tuple[Note, list[Check]]]) -> str:
        """Return the Markdown of the note that lists the failures."""
        count = sum(len(checks) for _, checks in failures)
        notes = "1 note" if len(failures) == 1 else f"{len(failures)} notes"
        rows = [_HEAD, f"# {self.path.stem}", "", f"{count} in {notes}.", ""]
        for note, checks in failures:
            for check in sorted(checks, key=lambda check: (check.line, check.column)):
                rows += [f"- {_link(vault, note, check)}: {check.kind}", ""]
                fence = "`" * max(3, 1 + max(map(len, re.findall("`+", check.why)), default=0))
                rows += [f"    {fence}text", *(f"    {row}" for row in check.why.split("\n"))]
                rows += [f"    {fence}", ""]
        return "\n".join(rows)


def _link(vault: Vault, note: Note, check: Check) -> str:
    """Return a link to the section of a failure."""
    target = vault.relative(note.path).removesuffix(".md")
    above = note.headings[: bisect_right(note.headings, check.line, key=lambda h: h.line)][-1:]
    words = " ".join(re.sub(r"[#|^:%\[\]\\]+", " ", above[-1].text).split()) if above else ""
    sub = f"#{words}" if words and above[-1].level > 1 else ""
    return f"[[{target}{sub}|{note.name}, line {check.line}]]"
