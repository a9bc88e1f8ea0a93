"""Finds the files of a vault, and reads notes and settings from them."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from vaultkit.read import markdown, notebook
from vaultkit.read.cache import Cache
from vaultkit.read.note import Link, Note, Problem
from vaultkit.read.options import FILES
from vaultkit.read.source import LARGEST_WITH_PICTURES, UnreadableError, read
from vaultkit.read.syntax import SURROGATE, WIKILINK
from vaultkit.store import Store

#: The reader of notes for each suffix of files.
READERS = {".md": markdown.read, ".ipynb": notebook.read}
IMAGES = {".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".bmp"}

#: A link in a drawing: ``href="[[Note#Heading]]"``, relative to the note that embeds the drawing.
DRAWN = re.compile(r"(?P<name>(?:xlink:)?href)=(?P<mark>[\"'])(?P<value>\[\[.*?\]\])(?P=mark)")


def read_note(path: Path) -> Note:
    """Read a note or notebook; one that cannot be read is a note with a problem."""
    return read_guarded(path, lambda: READERS[path.suffix](path))


def read_draft(path: Path, text: str) -> Note:
    """Parse the text of a note that may be unsaved, as `read_note` parses a file."""
    return read_guarded(path, lambda: markdown.parse(text, path))


def parse_into_store(root: Path, store: Store, divide: Callable[..., object]) -> None:
    """Parse the notes below a folder into a store.

    Parameters
    ----------
    root, store
        The folder of the notes, and the store.
    divide
        Divides the notes among processes: it calls a function with some of them in each.
    """
    cache = Cache(store)

    def parse(paths: Iterable[Path]) -> None:
        for path in paths:
            cache.note(path, read_note)

    divide([path for path in files_below(root)[0] if path.suffix in READERS], parse)


def read_guarded(path: Path, reader: Callable[[], Note]) -> Note:
    """Read a note; any error becomes a problem of the note."""
    try:
        note = reader()
    except (ArithmeticError, LookupError, MemoryError, RecursionError, TypeError, ValueError) as e:
        # No such error is known, but one bad note must not prevent the others from being read.
        why = f"this note cannot be read: {type(e).__name__}: {e}"
        return Note(path, "", problems=(Problem(1, why),), refused=why)
    if SURROGATE.search(str(path.name)):
        problem = Problem(1, "the bytes of this file's name are not UTF-8: rename it")
        return replace(note, problems=(problem, *note.problems), refused=problem.message)
    return note


def links_in_drawing(path: Path) -> Iterator[Link]:
    """Yield the links in a drawing (SVG)."""
    try:
        svg = read(path, LARGEST_WITH_PICTURES)
    except UnreadableError:
        return
    for match in DRAWN.finditer(svg):
        link = WIKILINK.fullmatch(html.unescape(match["value"]))
        if link:
            yield Link.from_match(link)


def read_tex(path: Path) -> str:
    """Read a file of TeX without its comments; empty if it cannot be read."""
    try:
        return re.sub(r"(?<!\\)%.*", "", read(path))
    except UnreadableError:
        return ""


def obsidian_settings(root: Path, name: str) -> dict[str, Any] | None:
    """Read a settings file of Obsidian; None if there are no settings."""
    folder = root / ".obsidian"
    if not folder.is_dir():
        return None
    try:
        settings = json.loads((folder / name).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return {}
    return settings if isinstance(settings, dict) else {}


def files_below(root: Path) -> tuple[list[Path], list[Path]]:
    """Return the files below a folder, sorted by name, and the links to folders listed already.

    Hidden folders, `node_modules` and Python environments are left out. Symbolic links to folders
    are followed, as in Obsidian and MkDocs; no folder is listed twice.
    """
    files: list[Path] = []
    circles: list[Path] = []
    # Folders below the root come first, so that none of them is found through a link.
    linked: list[Path] = []
    seen: set[str] = set()
    waiting = [root]
    while waiting or linked:
        top = waiting.pop() if waiting else linked.pop(0)
        if os.path.realpath(top) in seen:
            circles.append(top)
            continue
        for folder, folders, names in os.walk(top):
            if "pyvenv.cfg" in names and folder != os.fspath(root):
                folders.clear()
                continue
            seen.add(os.path.realpath(folder))
            shown = (name for name in folders if not name.startswith("."))
            folders[:] = sorted(name for name in shown if name != "node_modules")
            links = [Path(folder, name) for name in folders if Path(folder, name).is_symlink()]
            linked += links
            folders[:] = [name for name in folders if Path(folder, name) not in links]
            files += [Path(folder, name) for name in sorted(names) if not _is_hidden(name)]
    return files, circles


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or name == FILES[0]
