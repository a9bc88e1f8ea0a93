"""Makes a note from an earlier version of it, if only numbers of its code differ.

A reader of a page mostly changes a number. Nothing but the code differs then, so the rest of the
note need not be read again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from vaultkit.read.note import Block, Fence, Note

#: A number that Python can read; other digits may be an error of syntax.
_NUMBER = re.compile(r"(?<![\w.])(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?(?![\w.])")


def with_other_numbers(note: Note, text: str) -> Note | None:
    """Return a note with a new text, in which only numbers of the code of its blocks differ.

    It equals the note that is read from the text.

    Parameters
    ----------
    note
        The note, read from a Markdown file.
    text
        The new text.

    Returns
    -------
    Note or None
        None if something else may differ, such as a comment in the code, which is text.
    """
    lines = text.removesuffix("\n").split("\n")
    if note.path.suffix != ".md" or note.refused or len(lines) != len(note.lines):
        return None
    pairs = zip(note.lines, lines, strict=True)
    changed = {line for line, (old, new) in enumerate(pairs, 1) if old != new}
    blocks = []
    for block in note.blocks:
        inside = range(block.fence.line + 1, block.fence.end)
        if own := changed.intersection(inside):
            fence = _with_lines(block.fence, {n: (note.lines[n - 1], lines[n - 1]) for n in own})
            if fence is None:
                return None
            changed -= own
            block = replace(block, fence=fence)
        blocks.append(block)
    if changed:
        return None
    return replace(note, text=text, blocks=tuple(blocks), fences=_fences(note, blocks))


def _with_lines(fence: Fence, changed: Mapping[int, tuple[str, str]]) -> Fence | None:
    """Return a fence with changed lines; None if more than numbers differ.

    ``changed`` has the old and the new line of the file, by its number.
    """
    code = list(fence.lines)
    for line, (old, new) in changed.items():
        index = line - fence.line - 1
        # Markdown may have replaced tabs or parts of the prefix.
        is_as_in_file = index < len(code) and old == fence.prefix + code[index]
        if not is_as_in_file or not new.startswith(fence.prefix):
            return None
        code[index] = new.removeprefix(fence.prefix)
        if not _differ_in_numbers(old, new):
            return None
    return replace(fence, lines=tuple(code))


def _differ_in_numbers(old: str, new: str) -> bool:
    """Return whether two lines of code have no comment, and differ only in numbers."""
    return "#" not in old + new and _NUMBER.sub("0", old) == _NUMBER.sub("0", new)


def _fences(note: Note, blocks: list[Block]) -> tuple[Fence, ...]:
    """Return the fences of a note, with those of its blocks replaced."""
    by_line = {block.fence.line: block.fence for block in blocks}
    return tuple(by_line.get(fence.line, fence) for fence in note.fences)
