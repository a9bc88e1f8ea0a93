"""Rewrites only stale outputs and mirrored code of a note, by line number."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from vaultkit.checks import mirrors
from vaultkit.checks.check import Fix
from vaultkit.files import ChangedError, write_atomically
from vaultkit.read import notebook
from vaultkit.read.note import Note
from vaultkit.read.vault import Vault

#: The kinds of checks whose edits are made after the code has run.
REWRITTEN = ("block", "sentence")


def edits_of_mirrors(note: Note, vault: Vault) -> list[Fix]:
    """Return the edits to the code that mirrors files, which are made before it runs."""
    return [check.fix for check in mirrors.check(note, vault.root.parent) if check.fix]


def apply_edits(note: Note, edits: Iterable[Fix]) -> None:
    """Apply edits to the file of a note, and keep its line ends.

    Raises
    ------
    ChangedError
        If the file has changed since the note was read.
    """
    if note.path.suffix == ".ipynb":
        _apply_to_notebook(note, edits)
        return
    raw = note.path.read_bytes()
    if raw.decode("utf-8-sig") != note.text:
        raise ChangedError(f"{note.path} has changed meanwhile; run again")
    newline = "\r\n" if "\r\n" in note.text else "\n"
    lines = re.findall(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+$", note.text)
    if lines and not lines[-1].endswith(("\n", "\r")):
        lines[-1] += newline
    for edit in sorted(edits, key=lambda e: e.first, reverse=True):
        lines[edit.first - 1 : edit.last] = [line + newline for line in edit.lines]
    bom = b"\xef\xbb\xbf" if raw.startswith(b"\xef\xbb\xbf") else b""
    write_atomically(note.path, bom + "".join(lines).encode(), raw)


def _apply_to_notebook(note: Note, fixes: Iterable[Fix]) -> None:
    """Store new outputs in the cells of a notebook; equal cells are matched in order."""
    raw = note.path.read_bytes()
    if notebook.read(note.path).digest != note.digest:
        raise ChangedError(f"{note.path} has changed meanwhile; run again")
    data = json.loads(raw)
    cells = [c for c in data["cells"] if c["cell_type"] == "code" and c["source"]]
    for fix in fixes:
        sources_above = [block.fence.text for block in note.blocks[: fix.block]]
        equal_cells = [cell for cell in cells if "".join(cell["source"]) == fix.source]
        cell = equal_cells[sources_above.count(fix.source)]
        lines = fix.output.splitlines(keepends=True)
        output = {"name": "stdout", "output_type": "stream", "text": lines}
        cell["outputs"] = [output] if fix.output else []
    content = json.dumps(data, indent=1, ensure_ascii=False, sort_keys=True)
    write_atomically(note.path, (content + "\n").encode(), raw)
