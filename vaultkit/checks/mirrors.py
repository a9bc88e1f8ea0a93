"""The check *mirror*: a block whose title names a file is identical to the code in that file."""

from __future__ import annotations

import ast
import difflib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from vaultkit.checks.check import FAILS, Check, Fix
from vaultkit.read.note import Block, Note

#: The beginning of a path that is absolute or has a step up: ``../c``, ``/etc``, ``~/c``, ``C:/c``.
_MAY_LEAD_OUT = re.compile(r"(?:\S*[/\\])?\.\.[/\\]|[/\\~]\S|[A-Za-z]:[/\\]")


@dataclass(frozen=True)
class Piece:
    """A top-level statement of a file or block: its lines (from 0) and their text."""

    first: int
    last: int
    #: The name that it defines; for other statements, their code without comments.
    name: str
    lines: list[str]


def check(note: Note, folder: Path) -> Iterator[Check]:
    """Yield a check for each block that names a file of a folder: whether it has the same code.

    A path that leads out of the folder fails, whatever it leads to.
    """
    for block in note.blocks:
        title, line = block.fence.options.get("title") or "", block.fence.line
        if _leads_out(title, folder):
            why = f'title="{title}" leads out of {folder.name}/; a block may only show files in it'
            yield Check("mirror", line, title, FAILS, why)
    for block in mirror_blocks(note):
        title, line = str(block.fence.options["title"]), block.fence.line
        if _leads_out(title, folder):
            continue
        try:
            yield from _compare(block, title, folder)
        except (OSError, SyntaxError, LookupError, ValueError) as error:
            yield Check("mirror", line, title, FAILS, f'title="{title}": {error}')
        except (RecursionError, MemoryError):
            why = f'title="{title}": this code, or that file, is nested too deeply for Python'
            yield Check("mirror", line, title, FAILS, why)


def _compare(block: Block, title: str, folder: Path) -> Iterator[Check]:
    """Yield a failure for each statement and comment that differs from the file, or one success.

    It raises what `stale_pieces` raises.
    """
    line = block.fence.line
    stale, extra = stale_pieces(block, folder), extra_comments(block, folder)
    if not stale and not extra:
        yield Check("mirror", line, title)
    for number, comment in extra:
        yield Check("mirror", line + number, title, FAILS, f"{comment!r} is not in {title}")
    for shown, true in stale:
        difference = difflib.unified_diff(
            shown.lines, true.lines, "the note", title, lineterm="", n=1
        )
        why = "\n    ".join([f"{shown.name} differs from {title}; --update copies it", *difference])
        lines = tuple((block.fence.prefix + text).rstrip() for text in true.lines)
        first = line + 1 + shown.first  # the code begins one line below the fence
        fix = Fix(first, line + 1 + shown.last, lines)
        yield Check("mirror", first, title, FAILS, why, fix=fix)


def mirror_blocks(note: Note) -> Iterator[Block]:
    """Yield the blocks whose title is the path of a Python file."""
    for block in note.blocks:
        title = block.fence.options.get("title")
        if title and title.endswith(".py"):
            yield block


def _leads_out(title: str, folder: Path) -> bool:
    """Return whether a title is a path that leads out of a folder.

    >>> [_leads_out(title, Path("/a/b")) for title in ("../c.py", "../b/c.py", "/etc/hosts", "c/d")]
    [True, False, True, False]
    """
    if not _MAY_LEAD_OUT.match(title):
        return False  # words, or a path below the folder
    if re.match(r"[A-Za-z]:", title):
        return True  # also on systems without drives
    there = os.path.normpath(folder / Path(title.replace("\\", "/")).expanduser())
    return not Path(there).is_relative_to(os.path.normpath(folder))


def mirrored_files(note: Note, folder: Path) -> set[Path]:
    """Return the files that the blocks of a note show."""
    shown = (folder / str(block.fence.options["title"]) for block in mirror_blocks(note))
    return {path for path in shown if path.resolve().is_relative_to(folder)}


def stale_pieces(block: Block, folder: Path) -> list[tuple[Piece, Piece]]:
    """Pair each statement of a block that differs from its file with the one in the file.

    Raises
    ------
    OSError
        If the file cannot be read.
    SyntaxError
        If the file or the block is not Python.
    LookupError
        If the block has a statement that the file lacks.
    """
    title = str(block.fence.options["title"])
    path = folder / title
    if not path.is_file() or not path.resolve().is_relative_to(folder.resolve()):
        raise FileNotFoundError("there is no such file beside the vault")
    in_file = {piece.name: piece for piece in _pieces(path.read_text(encoding="utf-8"))}
    stale = []
    for shown in _pieces(block.fence.text):
        if shown.name not in in_file:
            near = difflib.get_close_matches(shown.name, in_file, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise LookupError(f"{title} has no {shown.name!r}{hint}")
        if shown.lines != in_file[shown.name].lines:
            stale.append((shown, in_file[shown.name]))
    return stale


def extra_comments(block: Block, folder: Path) -> list[tuple[int, str]]:
    """Return the comments between statements of a block that its file lacks, with their lines.

    The lines are counted from 1. Comments within a statement are compared with the statement.
    """
    source = (folder / str(block.fence.options["title"])).read_text(encoding="utf-8")
    lines_of_file = {line.rstrip() for line in source.splitlines()}
    compared = {n for p in _pieces(block.fence.text) for n in range(p.first, p.last + 1)}
    return [
        (index + 1, text.strip())
        for index, text in enumerate(block.fence.text.splitlines())
        if index not in compared and text.strip() and text.rstrip() not in lines_of_file
    ]


@lru_cache(256)
def _pieces(source: str) -> Sequence[Piece]:
    """Split code into top-level statements, each named by what it defines, or by its text."""
    lines = source.splitlines()
    pieces = []
    for node in ast.parse(source).body:
        # Python counts the lines of a function without its decorators.
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(d.lineno for d in decorators)]) - 1
        last = (node.end_lineno or node.lineno) - 1
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                pass
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                pass
            case _:
                name = ast.unparse(node)
        pieces.append(Piece(first, last, name, [line.rstrip() for line in lines[first : last + 1]]))
    return pieces
