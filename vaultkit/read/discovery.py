"""Finds the files of a vault, and reads notes and settings from them."""

from __future__ import annotations

import html
import json
import os
import re
from collections import deque
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

#: By the suffix of files with notes, the function that reads a note.
READERS = {".md": markdown.read, ".ipynb": notebook.read}
IMAGES = {".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".bmp"}

#: A link in a drawing: ``href="[[Note#Heading]]"``, relative to the note that embeds the drawing.
DRAWN = re.compile(r"(?P<name>(?:xlink:)?href)=(?P<mark>[\"'])(?P<value>\[\[.*?\]\])(?P=mark)")


def read_note(path: Path) -> Note:
    """Read a note or notebook; a file that cannot be read gives a note with a problem."""
    return read_guarded(path, lambda: READERS[path.suffix](path))


def read_draft(path: Path, text: str) -> Note:
    """Parse the text of a note that may be unsaved, as `read_note` parses a file."""
    return read_guarded(path, lambda: markdown.parse(text, path))


def parse_into_store(root: Path, store: Store, divide: Callable[..., object]) -> None:
    """Parse the notes below a folder into a store, so that they need not be parsed later.

    Parameters
    ----------
    root, store
        The folder of the notes, and the store.
    divide
        Divides a list among processes, given the list and a function: in each process, it calls the
        function with a part of the list.
    """
    cache = Cache(store)

    def parse(paths: Iterable[Path]) -> None:
        for path in paths:
            cache.note(path, read_note)

    divide([path for path in files_below(root)[0] if path.suffix in READERS], parse)


def read_guarded(path: Path, reader: Callable[[], Note]) -> Note:
    """Return the note that ``reader`` reads from a file; any error becomes its problem."""
    try:
        note = reader()
    except (ArithmeticError, LookupError, MemoryError, RecursionError, TypeError, ValueError) as e:
        # No such error is known, but one bad note must not prevent the others from being read.
        why = f"this note cannot be read: {type(e).__name__}: {e}"
        return Note(path, "", problems=(Problem(1, why),), refused=why)
    if SURROGATE.search(path.name):  # Python decodes bytes that are not UTF-8 to these
        problem = Problem(1, "the bytes of this file's name are not UTF-8: rename it")
        return replace(note, problems=(problem, *note.problems), refused=problem.message)
    return note


def links_in_drawing(path: Path) -> Iterator[Link]:
    """Yield the wikilinks in a drawing (SVG); none if the file cannot be read."""
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
    """Read a settings file of Obsidian: None without settings, empty if this file is invalid."""
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
    repeated_links: list[Path] = []
    listed: set[str] = set()  # the true paths of the folders, which links do not change
    # Links wait until their parents are listed, so that no folder of the vault is listed as a link.
    waiting = deque([root])
    while waiting:
        top = waiting.popleft()
        if os.path.realpath(top) in listed:
            repeated_links.append(top)
            continue
        for folder, folders, names in os.walk(top):
            if "pyvenv.cfg" in names and folder != os.fspath(root):
                folders.clear()  # `os.walk` then descends no further
                continue
            listed.add(os.path.realpath(folder))
            notable = sorted(n for n in folders if not n.startswith(".") and n != "node_modules")
            links = [name for name in notable if Path(folder, name).is_symlink()]
            waiting.extend(Path(folder, name) for name in links)
            folders[:] = [name for name in notable if name not in links]
            files += [Path(folder, name) for name in sorted(names) if not _is_hidden(name)]
    return files, repeated_links


def _is_hidden(name: str) -> bool:
    """Return whether a file is none of a vault's content, such as its settings."""
    return name.startswith(".") or name == FILES[0]
