"""Reads all notes of a vault: their names, aliases, headings and block ids, and the link graph."""

from __future__ import annotations

import difflib
import html
import os
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from vaultkit.read import markdown, notebook
from vaultkit.read.note import Heading, Link, Note
from vaultkit.read.syntax import WIKILINK, address, comparable

#: What a vault reads as notes, and how.
READERS = {".md": markdown.read, ".ipynb": notebook.read}
IMAGES = {".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".bmp"}

#: A link in a drawing: ``href="[[Note#Heading]]"``. It is meant from the note that shows it.
DRAWN = re.compile(r"(?P<name>(?:xlink:)?href)=(?P<mark>[\"'])(?P<value>\[\[.*?\]\])(?P=mark)")


class BrokenLinkError(LookupError):
    """A link to something that is not there. Its message names what comes near."""


@dataclass(frozen=True)
class Target:
    """Where a link leads: a file of the vault, and the place in it.

    ``lines`` are the first and last line of the heading's section or of the block, for embedding.
    """

    path: Path
    anchor: str = ""
    note: Note | None = None
    lines: tuple[int, int] | None = None


@dataclass(frozen=True)
class Backlink:
    """A link seen from the note it leads to."""

    source: Note
    link: Link


class Vault:
    """All notes below a folder.

    Parameters
    ----------
    root
        The folder that Obsidian opens.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._read: dict[Path, tuple[tuple[int, int], Note]] = {}
        self.refresh()

    def refresh(self) -> None:
        """Read again what has changed on disk, forget what has gone."""
        files = list(_files(self.root))
        for path in files:
            if path.suffix in READERS:
                status = path.stat()
                state = (status.st_mtime_ns, status.st_size)
                if self._read.get(path, (None,))[0] != state:
                    self._read[path] = (state, READERS[path.suffix](path))
        self._read = {path: self._read[path] for path in files if path.suffix in READERS}
        self.notes: dict[Path, Note] = {path: note for path, (_, note) in self._read.items()}
        self.files = files
        self._known = frozenset(files)
        for cached in ("_by_name", "_backlinks"):
            self.__dict__.pop(cached, None)

    def relative(self, path: Path) -> str:
        """Path of a file as seen from the vault's root, with forward slashes."""
        return path.relative_to(self.root).as_posix()

    def find(self, name: str, source: Path) -> Path:
        """Find the file that ``[[name]]`` or ``[…](name)`` in the file ``source`` means.

        A path from the note or the root comes before a bare name, a name before an alias, a near
        folder before a far one. Upper and lower case are the same.

        Raises
        ------
        BrokenLinkError
            If no file is called so.
        """
        if not name:
            return source
        for folder in (source.parent, self.root):
            path = Path(os.path.normpath(folder / name))
            for candidate in (path, Path(f"{path}.md")):
                if candidate in self._known:
                    return candidate
        wanted = PurePosixPath(_key(name.removeprefix("/").removesuffix(".md")))
        names, aliases = self._by_name
        named = names.get(wanted.name, ())
        for found in (
            [path for path in named if _ends_with(_key(self.relative(path)), wanted)],
            aliases.get(_key(name), ()),
        ):
            if found:
                return min(found, key=lambda path: _distance(path, source))
        raise BrokenLinkError(f"there is no note or file {name!r}{_nearest(name, self.names())}")

    def resolve(self, link: Link, source: Note) -> Target:
        """Find where a link leads.

        Raises
        ------
        BrokenLinkError
            If the file, the heading or the block is not there.
        """
        path = self.find(link.target, source.path)
        note = source if path == source.path else self.notes.get(path)
        if not link.sub:
            return Target(path, note=note)
        if note is None:
            return Target(path, anchor=link.sub)
        if link.sub.startswith("^"):
            lines = note.block_ids.get(link.sub[1:])
            if lines is None:
                ids = ["^" + name for name in note.block_ids]
                raise BrokenLinkError(
                    f"{note.name!r} has no block {link.sub!r}{_nearest(link.sub, ids)}"
                )
            return Target(path, link.sub, note, lines)
        heading = note.heading(link.sub) if link.wiki else _by_slug(note, link.sub)
        if heading is None:
            texts = [h.text if link.wiki else h.slug for h in note.headings]
            raise BrokenLinkError(
                f"{note.name!r} has no heading {link.sub!r}{_nearest(link.sub, texts)}"
            )
        return Target(path, heading.slug, note, note.section_lines(heading))

    def drawn(self, note: Note) -> Iterator[Link]:
        """Find the links in the drawings that a note shows, each on the line that shows it."""
        for shown in note.links:
            if not shown.embed or not shown.target.lower().endswith(".svg"):
                continue
            try:
                svg = self.find(shown.target, note.path).read_text(encoding="utf-8")
            except (BrokenLinkError, OSError, ValueError):
                continue
            for found in DRAWN.finditer(svg):
                link = WIKILINK.fullmatch(html.unescape(found["value"]))
                if link:
                    yield Link.from_match(link, shown.line)

    def names(self) -> list[str]:
        """All that a link may call: names, aliases, other files."""
        notes = [name for note in self.notes.values() for name in (note.name, *note.aliases)]
        return notes + [path.name for path in self.files if path.suffix not in READERS]

    def address(self, note: Note) -> str:
        """Address of a note on the site, from its root, without slashes at the ends."""
        return address(self.relative(note.path.with_suffix("")))

    def backlinks(self, note: Note) -> list[Backlink]:
        """Links to a note from others, the first of each."""
        return self._backlinks.get(note.path, [])

    @cached_property
    def _backlinks(self) -> dict[Path, list[Backlink]]:
        found: dict[Path, dict[Path, Backlink]] = defaultdict(dict)
        for source in self.notes.values():
            for link in (*source.links, *self.drawn(source)):
                try:
                    path = self.find(link.target, source.path)
                except BrokenLinkError:
                    continue
                if path != source.path and path in self.notes:
                    kept = found[path].setdefault(source.path, Backlink(source, link))
                    # A sentence says more than a line of a list of links.
                    if len(link.sentence) > 2 * len(kept.link.sentence):
                        found[path][source.path] = Backlink(source, link)
        return {path: list(links.values()) for path, links in found.items()}

    @cached_property
    def _by_name(self) -> tuple[dict[str, list[Path]], dict[str, list[Path]]]:
        names: dict[str, list[Path]] = defaultdict(list)
        aliases: dict[str, list[Path]] = defaultdict(list)
        for path in self.files:
            names[_key(path.stem if path.suffix in READERS else path.name)].append(path)
        for path, note in self.notes.items():
            for alias in note.aliases:
                aliases[_key(alias)].append(path)
        return dict(names), dict(aliases)


def _files(root: Path) -> list[Path]:
    """List the files of a vault in the order of their names, hidden folders left out."""
    found: list[Path] = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [Path(folder, name) for name in sorted(names) if not name.startswith(".")]
    return found


def _key(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _ends_with(path: str, wanted: PurePosixPath) -> bool:
    parts = PurePosixPath(path.removesuffix(".md").removesuffix(".ipynb")).parts
    return parts[-len(wanted.parts) :] == wanted.parts


def _distance(path: Path, source: Path) -> tuple[int, str]:
    return len(Path(os.path.relpath(path, source.parent)).parts), str(path)


def _by_slug(note: Note, slug: str) -> Heading | None:
    return next((heading for heading in note.headings if heading.slug == slug), None)


def _nearest(wanted: str, names: list[str]) -> str:
    """Say which names come near, for the end of a message."""
    by_key = {comparable(name): name for name in names}
    near = difflib.get_close_matches(comparable(wanted), by_key, n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(repr(by_key[key]) for key in near)}?" if near else ""
