"""Writes all failures as links into a note, for editors without diagnostics."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from pathlib import Path

from vaultkit.checks.check import FAILS, Check
from vaultkit.files import write_atomically
from vaultkit.read.note import Note
from vaultkit.read.vault import Vault

#: No site shows it, and no check that could fail is made of it. What has no code mirrors nothing.
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
        Its path as seen from the vault's folder; the ending may be left out.

    Raises
    ------
    NotOursError
        If it is outside of the vault, or has other contents.
    """

    def __init__(self, vault: Vault, name: str) -> None:
        self.vault = vault
        self.path = vault.root / (name if name.endswith(".md") else f"{name}.md")
        if not self.path.resolve().is_relative_to(vault.root):
            raise NotOursError(f"{name}: outside of the vault")
        if self.path.exists() and not self._is_ours():
            raise NotOursError(f"{name}: there is a note called so that was written by hand")
        self._failures: dict[Path, tuple[Note, list[Check]]] = {}

    def take(self, found: Iterable[tuple[Note, Sequence[Check]]]) -> None:
        """Update the checks of some notes, and write the failures of all notes."""
        for note, checks in found:
            self._failures[note.path] = note, [c for c in checks if c.outcome == FAILS]
        # Of a note that has gone, nothing can fail.
        known = self.vault.notes
        failures = [
            (known[path], checks)
            for path, (_, checks) in sorted(self._failures.items())
            if checks and path in known
        ]
        if failures:
            write_atomically(self.path, self._text(failures))
        elif self.path.exists() and self._is_ours():
            self.path.unlink()

    def _is_ours(self) -> bool:
        return _HEAD.encode() in self.path.read_bytes().replace(b"\r\n", b"\n")

    def _text(self, failures: Sequence[tuple[Note, list[Check]]]) -> str:
        count = sum(len(checks) for _, checks in failures)
        notes = "1 note" if len(failures) == 1 else f"{len(failures)} notes"
        rows = [_HEAD, f"# {self.path.stem}", "", f"{count} in {notes}.", ""]
        for note, checks in failures:
            for check in sorted(checks, key=lambda check: (check.line, check.column)):
                rows += [f"- {self._link(note, check)}: {check.kind}", ""]
                fence = "`" * max(3, 1 + max(map(len, re.findall("`+", check.why)), default=0))
                rows += [f"    {fence}text", *(f"    {row}" for row in check.why.split("\n"))]
                rows += [f"    {fence}", ""]
        return "\n".join(rows)

    def _link(self, note: Note, check: Check) -> str:
        """Link to the section that a failure lies in."""
        target = self.vault.relative(note.path).removesuffix(".md")
        above = note.headings[: bisect_right(note.headings, check.line, key=lambda h: h.line)][-1:]
        words = " ".join(re.sub(r"[#|^:%\[\]\\]+", " ", above[-1].text).split()) if above else ""
        sub = f"#{words}" if words and above[-1].level > 1 else ""
        return f"[[{target}{sub}|{note.name}, line {check.line}]]"
