"""Rewrites what is stale in a note, by line number: outputs and mirrored code, nothing else."""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from vaultkit.checks.mirrors import mirrors, stale_pieces
from vaultkit.read.note import Block, Note
from vaultkit.run.session import Step


@dataclass(frozen=True)
class Edit:
    """Lines ``first`` to ``last`` (from 1) give way to others; none do if ``last < first``."""

    first: int
    last: int
    lines: list[str]


class StaleNoteError(RuntimeError):
    """The file has changed since it was read."""


def output_edit(block: Block, step: Step) -> Edit:
    """Put the real output of a step in the place of the one that is shown."""
    first, last = step.shown_lines
    lines = step.got.split("\n") if step.got else []
    if block.kind == "pycon":
        lines = [line or "<BLANKLINE>" for line in lines]  # a blank line would end the output
        return Edit(first, last, _prefixed(block.fence.prefix, lines))
    if block.output is None:
        mark = _mark(step.got)
        return Edit(first, last, _prefixed(block.fence.prefix, ["", f"{mark}text", *lines, mark]))
    if not step.got:
        # The blank lines between code and output go with it.
        return Edit(block.fence.end + 1, block.output.end, [])
    return Edit(first, last, _prefixed(block.output.prefix, lines))


def mirror_edits(note: Note, folder: Path) -> list[Edit]:
    """Copy into a note what stands in the files that its blocks name."""
    edits = []
    for block in mirrors(note):
        try:
            stale = stale_pieces(block, folder)
        except (OSError, SyntaxError, LookupError):
            continue  # the check says so; nothing can be copied
        start = block.fence.line + 1
        for shown, true in stale:
            lines = _prefixed(block.fence.prefix, true.lines)
            edits.append(Edit(start + shown.first, start + shown.last, lines))
    return edits


def apply(note: Note, edits: list[Edit]) -> None:
    """Write edits to the file of a note; its line ends stay as they are.

    Raises
    ------
    StaleNoteError
        If the file is not what the note was read from.
    """
    raw = note.path.read_bytes()
    if raw.decode("utf-8-sig") != note.text:
        raise StaleNoteError(f"{note.path} has changed meanwhile; run again")
    newline = "\r\n" if "\r\n" in note.text else "\n"
    lines = re.findall(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+$", note.text)
    if lines and not lines[-1].endswith(("\n", "\r")):
        lines[-1] += newline
    for edit in sorted(edits, key=lambda e: e.first, reverse=True):
        lines[edit.first - 1 : edit.last] = [line + newline for line in edit.lines]
    bom = b"\xef\xbb\xbf" if raw.startswith(b"\xef\xbb\xbf") else b""
    _replace(note.path, bom + "".join(lines).encode())


def _prefixed(prefix: str, lines: list[str]) -> list[str]:
    return [(prefix + line).rstrip() for line in lines]


def _mark(text: str) -> str:
    """Return a mark longer than any in the text that it will enclose."""
    longest = max((len(run) for run in re.findall(r"^\s*(`{3,})", text, re.MULTILINE)), default=2)
    return "`" * (longest + 1)


def _replace(path: Path, content: bytes) -> None:
    """Write a file in one stroke, so that nobody ever sees half of it."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    Path(name).chmod(path.stat().st_mode)
    Path(name).replace(path)
