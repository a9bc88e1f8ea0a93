"""Rewrites only stale outputs and mirrored code of a note, by line number."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from vaultkit.checks import mirrors
from vaultkit.checks.check import Fix
from vaultkit.files import ChangedError, rewrite_text, write_atomically
from vaultkit.read import notebook
from vaultkit.read.note import Note
from vaultkit.read.vault import Vault

#: The kinds of checks whose edits are made after the code has run: outputs, and the numbers before
#: comments that bind them.
REWRITTEN = ("block", "sentence")
#: A line of a text with its end, if it has one.
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+$")


def edits_of_mirrors(note: Note, vault: Vault) -> list[Fix]:
    """Return the edits to the code that mirrors files, which are made before it runs."""
    return [check.fix for check in mirrors.check(note, vault.root.parent) if check.fix]


def apply_edits(note: Note, edits: Iterable[Fix]) -> None:
    """Apply edits to the file of a note; new lines end as its others do.

    The last line gets an end, too.

    Raises
    ------
    ChangedError
        If the file has changed since the note was read.
    """
    if note.path.suffix == ".ipynb":
        _apply_to_notebook(note, edits)
        return
    newline = next((end for end in ("\r\n", "\n", "\r") if end in note.text), "\n")
    lines = _LINE.findall(note.text)
    if lines and not lines[-1].endswith(("\n", "\r")):
        lines[-1] += newline  # an edit may insert lines after it
    # From the last to the first, so that the numbers of the lines above an edit stay valid. Of an
    # insertion before a line and a replacement of that line, the replacement comes first.
    for edit in sorted(edits, key=lambda edit: (edit.first, edit.last), reverse=True):
        lines[edit.first - 1 : edit.last] = [line + newline for line in edit.lines]
    rewrite_text(note.path, lambda _: "".join(lines), expected=note.text)


def _apply_to_notebook(note: Note, fixes: Iterable[Fix]) -> None:
    """Store new outputs in the cells of a notebook."""
    raw = note.path.read_bytes()
    if notebook.read(note.path).digest != note.digest:
        raise ChangedError(f"{note.path} has changed meanwhile; run again")
    data = json.loads(raw)
    for fix in fixes:
        cell = notebook.cell_of_block(note, data, fix.block)
        lines = fix.output.splitlines(keepends=True)
        output = {"name": "stdout", "output_type": "stream", "text": lines}
        cell["outputs"] = [output] if fix.output else []
    # In the form in which Jupyter saves a notebook, so that a diff shows only the outputs.
    content = json.dumps(data, indent=1, ensure_ascii=False, sort_keys=True)
    write_atomically(note.path, (content + "\n").encode(), raw)
