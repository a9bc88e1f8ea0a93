"""`Vault`: all notes of a folder, the resolution of links, backlinks and mentions."""

from __future__ import annotations

import gc
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePosixPath

from vaultkit.read.cache import Cache
from vaultkit.read.discovery import (
    READERS,
    files_below,
    links_in_drawing,
    obsidian_settings,
    read_note,
    read_tex,
)
from vaultkit.read.macros import definitions_in
from vaultkit.read.mentions import NameFinder, UnlinkedMention
from vaultkit.read.nearest import Nearest
from vaultkit.read.note import Link, Note, Problem
from vaultkit.read.options import Options
from vaultkit.read.sentences import informativeness, is_whole
from vaultkit.read.syntax import address_of_path, folded, printable
from vaultkit.store import Store

#: Distinguishes names of files from names of notes: `figure.svg`, but neither `a.md` nor `1.5`.
_FILE_SUFFIX = re.compile(r"\.(?!md$)[A-Za-z]\w{0,7}$")


class BrokenLinkError(LookupError):
    """A link to a missing target. Its message lists similar names.

    Parameters
    ----------
    what
        What is missing.
    wanted
        The name in the link.
    names
        Returns the existing names; called only when the message is read, since the search is slow.
    """

    def __init__(self, what: str, wanted: str, names: Callable[[], Nearest]) -> None:
        super().__init__(what)
        self.what, self.wanted, self.names = what, wanted, names

    @property
    def similar(self) -> list[str]:
        """The existing names that are similar to the name in the link."""
        return self.names().similar(self.wanted)

    def __str__(self) -> str:
        near = self.similar
        return self.what + (f"; did you mean {' or '.join(map(repr, near))}?" if near else "")


class UnwrittenError(BrokenLinkError):
    """A link to a missing note, which may be written later."""


class UnpublishedError(BrokenLinkError):
    """A link to a note that is not published."""


@dataclass(frozen=True)
class Target:
    """The target of a link: a file of the vault, and a place in it.

    ``lines`` are the first and last line of the heading's section or of the block, for embedding.
    """

    path: Path
    anchor: str = ""
    note: Note | None = None
    lines: tuple[int, int] | None = None


@dataclass(frozen=True)
class Backlink:
    """A link, as seen from its target."""

    source: Note
    link: Link


class Vault:
    """All notes below a folder, as they are when it is created; it does not change.

    Parameters
    ----------
    root
        The folder that Obsidian opens.
    public
        Whether to leave out what settings or properties exclude from publication; ``whole`` is the
        vault with all notes.
    store
        Keeps parsed notes; those whose files have not changed are taken from it. None to parse all.
    options
        Its settings; None to read them from its files.

    Raises
    ------
    OptionsError
        If its settings cannot be read.
    """

    def __init__(
        self,
        root: Path,
        public: bool = False,
        store: Store | None = None,
        options: Options | None = None,
    ) -> None:
        self.root = root.resolve()
        self._public = public
        self._read_settings(options)
        files, repeated_links = files_below(self.root)
        paths = [path for path in files if path.suffix in READERS and not self.is_template(path)]
        cache = Cache(store) if store else None
        with _without_garbage_collection():
            notes = {
                path: cache.note(path, read_note) if cache else read_note(path) for path in paths
            }
        if cache:
            cache.prune_deleted(self.root, paths)
        for path in repeated_links:
            # A note that is refused makes the link a problem in reports.
            why = "this symbolic link leads to a folder that contains it, or is listed already"
            notes[path] = Note(path, "", problems=(Problem(1, why),), refused=why)
        self._publish(files, notes)

    def replacing(self, note: Note) -> Vault:
        """Return a copy of this vault with a note, which replaces the one with its path, if any."""
        other, replaced = copy(self), self.notes.get(note.path)
        has_same_names = replaced is not None and replaced.aliases == note.aliases
        if has_same_names and self.whole is self:  # a public vault may publish other notes now
            # Names resolve as before; resolving them again would take long in a large vault.
            other.whole, other.notes = other, {**self.notes, note.path: note}
            other._forget(*_OF_TEXTS)
            return other
        files = self.whole.files
        if note.path not in self.whole.notes:
            files = sorted({*files, note.path})
        other._publish(files, {**self.whole.notes, note.path: note})
        return other

    def _read_settings(self, options: Options | None) -> None:
        """Read the settings of the vault, except those that are given."""
        self.options = options or Options.read(self.root)
        templater = obsidian_settings(self.root, "plugins/templater-obsidian/data.json") or {}
        folder = (obsidian_settings(self.root, "templates.json") or {}).get("folder")
        folder = folder or templater.get("templates_folder")
        #: The folder of templates, which are not notes; empty if there is none.
        self.templates = str(folder or "").strip("/")
        #: The TeX commands for all notes, from the file that an Obsidian plugin reads.
        self.preamble = definitions_in(read_tex(self.root / self.options.preamble))
        app = obsidian_settings(self.root, "app.json")
        #: Whether Obsidian ignores single line ends; None if it has no such setting.
        self._strict = None if app is None else bool(app.get("strictLineBreaks", False))

    def _publish(self, files: list[Path], notes: dict[Path, Note]) -> None:
        """Store the files and notes; in a public vault, only those that are published.

        ``whole`` is then the vault with all of them, and ``hidden`` are those that it alone has.
        """
        self._set_content(files, notes)
        self.whole, self.hidden = self, frozenset[Path]()
        if self._public:
            self.whole = copy(self)
            self.whole.whole = self.whole
            self.hidden = self.whole.unpublished()
            self._set_content(
                [path for path in files if path not in self.hidden],
                {path: note for path, note in self.notes.items() if path not in self.hidden},
            )

    def _set_content(self, files: list[Path], notes: dict[Path, Note]) -> None:
        """Store these files and notes, and forget what was derived from earlier ones."""
        self.files, self.notes = files, notes
        self._file_set = frozenset(files)
        #: The links in each drawing (SVG).
        self._drawings: dict[Path, tuple[Link, ...]] = {}
        #: Files by the name in a link, and the folder of the note with the link.
        self._files_by_link: dict[tuple[str, str], Path] = {}
        self._forget("_by_name", "_nearest", "notes_by_name", "_addresses", *_OF_TEXTS)

    def _forget(self, *names: str) -> None:
        """Drop cached properties, which a copy of a vault has taken over from the original."""
        for name in names:
            self.__dict__.pop(name, None)

    @cached_property
    def has_hard_breaks(self) -> bool:
        """Whether line ends are rendered as line breaks, which is Obsidian's default.

        Without Obsidian's settings, they are if notes use wikilinks and their lines are not wrapped
        at a margin.
        """
        if self._strict is not None:
            return not self._strict
        notes = self.notes.values()
        if not any(link.wiki for note in notes for link in note.links):
            return False
        shortest, longest = _MARGIN
        # The last line of a paragraph may be short wherever lines are wrapped.
        reach_margin = [
            shortest <= len(line) <= longest
            for note in notes
            for passage in note.passages
            for line in passage.source.split("\n")[:-1]
        ]
        return 2 * sum(reach_margin) < len(reach_margin)

    def unpublished(self) -> frozenset[Path]:
        """Return the unpublished notes, and the files that only these embed."""
        hidden = {
            path
            for path, note in self.notes.items()
            if not self.options.is_published(note, self.relative(path))
        }
        hidden |= {
            path
            for path in self.files
            if self.is_template(path) or not self.options.is_public_path(self.relative(path))
        }
        if not hidden:
            return frozenset()
        linked_by_hidden: set[Path] = set()
        linked_by_shown: set[Path] = set()
        for path, note in self.notes.items():
            linked = linked_by_hidden if path in hidden else linked_by_shown
            for link in note.links:
                with suppress(BrokenLinkError):
                    linked.add(self.find(link.target, path))
        return frozenset(hidden | (linked_by_hidden - linked_by_shown - self.notes.keys()))

    def holds(self, path: Path) -> bool:
        """Return whether a path leads to a file of the vault."""
        return path in self._file_set

    def is_template(self, path: Path) -> bool:
        """Return whether a file is a template for notes."""
        return bool(self.templates) and (self.root / self.templates) in path.parents

    def relative(self, path: Path) -> str:
        """Return the path of a file relative to the root; ``.`` for the root.

        It has forward slashes, in a form that can be printed.

        Raises
        ------
        ValueError
            If the file is not below the root.
        """
        # A path below the root begins with the root's name; splitting paths would take ten times as
        # long, and this is called many times for each note.
        whole, root = os.fspath(path), os.path.join(self.root, "")  # noqa: PTH118
        if not whole.startswith(root):
            # The root itself, or a path that is not below it, for which this raises an error.
            return printable(path.relative_to(self.root).as_posix())
        return printable(whole[len(root) :].replace(os.sep, "/"))

    def find(self, name: str, source: Path) -> Path:
        """Return the file that ``[[name]]`` or ``[…](name)`` in the file ``source`` names.

        A path from the note or the root takes precedence over a bare name, a name over an alias, a
        near folder over a far one. Case is ignored.

        Raises
        ------
        BrokenLinkError
            If there is no such file; an `UnwrittenError` if it may be a note to be written, an
            `UnpublishedError` if the file is not published.
        """
        if not name:
            return source
        key = name, os.path.dirname(source)  # noqa: PTH120 (`Path.parent` is slow)
        if key not in self._files_by_link:
            self._files_by_link[key] = self._find_file(name, source)
        return self._files_by_link[key]

    def _find_file(self, name: str, source: Path) -> Path:
        """Return the file that a name means, found by path, else by name, else by alias.

        Of several files with the name or alias, it is the nearest to the source.
        """
        if self.whole is not self:
            return self._find_public(name, source)
        files, aliases = self._by_name
        if not name.endswith("/"):  # the name of a folder may only be an alias
            for folder in (source.parent, self.root):
                path = Path(os.path.normpath(folder / name))
                for candidate in (path, Path(f"{path}.md")):
                    if candidate in self._file_set:
                        return candidate
            wanted = PurePosixPath(folded(name).removeprefix("/").removesuffix(".md"))
            only_notes = folded(name).endswith(".md")
            with_name = [
                path
                for path in files.get(wanted.name, ())
                if _ends_with(folded(self.relative(path)), wanted)
                and (path.suffix in READERS or not only_notes)
            ]
            if with_name:
                return min(with_name, key=lambda path: _distance(path, source))
        if with_alias := aliases.get(folded(name)):
            return min(with_alias, key=lambda path: _distance(path, source))
        what = f"there is no note or file {name!r}"
        kind = BrokenLinkError if _FILE_SUFFIX.search(name) else UnwrittenError
        raise kind(what, name, lambda: self._nearest)

    def _find_public(self, name: str, source: Path) -> Path:
        """Return the file that a name means in the whole vault, if that file is published.

        Raises
        ------
        UnpublishedError
            If it is not published.
        """
        try:
            path = self.whole.find(name, source)
        except BrokenLinkError as error:
            error.names = lambda: self._nearest  # search only the names of published notes
            raise
        if path in self.hidden:
            # The message must not reveal similar names.
            raise UnpublishedError("not published", name, lambda: Nearest(()))
        return path

    def resolve(self, link: Link, source: Note) -> Target:
        """Return the target of a link.

        Raises
        ------
        BrokenLinkError
            If the file, the heading or the block does not exist.
        """
        path = self.find(link.target, source.path)
        note = source if path == source.path else self.notes.get(path)
        if not link.sub:
            return Target(path, note=note)
        if note is None:
            return Target(path, anchor=link.sub)  # such as the page of a PDF: `#page=3`
        if link.sub.startswith("^"):
            lines = note.block_ids.get(link.sub[1:])
            if lines is None:
                what = f"{note.name!r} has no block {link.sub!r}"
                ids = [f"^{name}" for name in note.block_ids]
                raise BrokenLinkError(what, link.sub, lambda: Nearest(ids))
            return Target(path, link.sub, note, lines)
        # A Markdown link may also name a heading by its anchor: `[words](Note.md#the-heading)`.
        heading = None if link.wiki else note.heading_with_anchor(link.sub)
        heading = heading or note.heading(link.sub)
        if heading is None:
            what, headings = f"{note.name!r} has no heading {link.sub!r}", note.headings
            raise BrokenLinkError(
                what,
                link.sub,
                lambda: Nearest(
                    _heading_in_link(h.text) if link.wiki else h.slug for h in headings
                ),
            )
        return Target(path, heading.slug, note, note.section_lines(heading))

    def links_in_drawings(self, note: Note) -> Iterator[Link]:
        """Yield the links in the drawings of a note, each at the line of the drawing."""
        for embed in note.links:
            if not embed.embed or not embed.target.lower().endswith(".svg"):
                continue
            try:
                path = self.find(embed.target, note.path)
            except BrokenLinkError:
                continue
            if path not in self._drawings:
                self._drawings[path] = tuple(links_in_drawing(path))
            for link in self._drawings[path]:
                yield replace(link, line=embed.line, column=embed.column)

    def names(self) -> list[str]:
        """All names that links may use: names, aliases, other files."""
        notes = [name for note in self.notes.values() for name in (note.name, *note.aliases)]
        return notes + [path.name for path in self.files if path.suffix not in READERS]

    def address(self, note: Note) -> str:
        """Return the address of a note on the site, without slashes at the ends.

        Notes with equal addresses, such as ``C`` and ``C++``, get numbers.
        """
        return self._addresses.get(note.path) or self._address_of_path(note.path)

    def backlinks(self, note: Note) -> list[Backlink]:
        """Return the links to a note, one from each source, the most informative first."""
        if note.path not in self._backlinks:
            self._backlinks[note.path] = self._rank(self._links_by_target.get(note.path, {}))
        return self._backlinks[note.path]

    @cached_property
    def _backlinks(self) -> dict[Path, list[Backlink]]:
        """The backlinks of the notes for which they were requested."""
        return {}

    def mentions(self, note: Note) -> list[UnlinkedMention]:
        """Return the unlinked mentions of a note, one from each source."""
        return list(self._mentions_by_target.get(note.path, {}).values())

    def _rank(self, sources: Mapping[Path, list[Link]]) -> list[Backlink]:
        """Return one backlink for each source, with its best sentence; the most informative first.

        ``sources`` are the links to a note, by the path of the note with the links.
        """

        def rank(source: Path, links: list[Link]) -> tuple[bool, float]:
            """Return the sort key of a note with links to the target; a smaller one comes first.

            First come notes with a link in a whole sentence, then those with the most links to the
            target for the root of their size (so that long notes are not pushed down too far).
            """
            note = self.notes[source]
            size = len(note.links) + sum(1 for _ in self.links_in_drawings(note))
            has_sentence = any(is_whole(link.sentence) for link in links)
            return not has_sentence, -len(links) / size**0.5

        return [
            Backlink(
                self.notes[source], max(links, key=lambda link: informativeness(link.sentence))
            )
            for source, links in sorted(sources.items(), key=lambda item: rank(*item))
        ]

    @cached_property
    def _links_by_target(self) -> dict[Path, dict[Path, list[Link]]]:
        """The links to each note, by the paths of their sources, in order."""
        by_target: dict[Path, dict[Path, list[Link]]] = defaultdict(dict)
        for source in self.notes.values():
            for path, links in self.links_to_notes(source).items():
                by_target[path][source.path] = links
        return by_target

    def links_to_notes(self, source: Note) -> dict[Path, list[Link]]:
        """Return the links of a note, in text and drawings, by the other note they lead to."""
        links: dict[Path, list[Link]] = defaultdict(list)
        for link in (*source.links, *self.links_in_drawings(source)):
            with suppress(BrokenLinkError):
                path = self.find(link.target, source.path)
                if path != source.path and path in self.notes:
                    links[path].append(link)
        return links

    @cached_property
    def _name_finder(self) -> NameFinder:
        """The finder of the names of all notes in their texts."""
        return NameFinder(self.notes.values())

    @cached_property
    def _mentions_by_target(self) -> dict[Path, dict[Path, UnlinkedMention]]:
        """The unlinked mentions of each note, by the paths of their sources, in order."""
        #: The notes that each source links to, whose names in it are no unlinked mentions.
        linked: dict[Path, set[Path]] = defaultdict(set)
        for path, sources in self._links_by_target.items():
            for source in sources:
                linked[source].add(path)
        mentions: dict[Path, dict[Path, UnlinkedMention]] = defaultdict(dict)
        for note in self.notes.values():
            for path, mention in self._name_finder.mentioned_in(note, linked[note.path]).items():
                mentions[path][note.path] = mention
        return mentions

    @cached_property
    def notes_by_name(self) -> dict[str, list[Path]]:
        """The notes by each of their names and aliases, in lower case."""
        notes: dict[str, list[Path]] = defaultdict(list)
        for path, note in self.notes.items():
            for name in {name.casefold() for name in (note.name, *note.aliases)}:
                notes[name].append(path)
        return notes

    def _address_of_path(self, path: Path) -> str:
        """Return the address that the path of a note asks for; another note may have it."""
        return address_of_path(self.relative(path.with_suffix("")))

    @cached_property
    def _addresses(self) -> dict[Path, str]:
        """The addresses of the notes; of two equal ones, the note with the shorter name has it."""
        addresses: dict[Path, str] = {}
        #: The addresses in use, each with the last number that was added to it.
        taken: dict[str, int] = {}
        for path in sorted(self.notes, key=lambda path: (len(path.stem), str(path))):
            wanted = address = self._address_of_path(path)
            while address in taken:
                taken[wanted] += 1
                address = f"{wanted}-{taken[wanted]}"
            taken[address] = 1
            addresses[path] = address
        return addresses

    @cached_property
    def _nearest(self) -> Nearest:
        """The index of all names, for similar ones."""
        return Nearest(self.names())

    @cached_property
    def _by_name(self) -> tuple[dict[str, list[Path]], dict[str, list[Path]]]:
        """All files by name, and all notes by alias, in the form that links are compared in."""
        names: dict[str, list[Path]] = defaultdict(list)
        aliases: dict[str, list[Path]] = defaultdict(list)
        for path in self.files:
            names[folded(path.stem if path.suffix in READERS else path.name)].append(path)
        for path, note in self.notes.items():
            for alias in note.aliases:
                aliases[folded(alias)].append(path)
        return dict(names), dict(aliases)


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Put off garbage collection, which takes longer than making thousands of records."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


#: The cached properties that depend on the text of the notes.
_OF_TEXTS = (
    "has_hard_breaks",
    "_links_by_target",
    "_mentions_by_target",
    "_name_finder",
    "_backlinks",
)
#: The least and the largest length of lines that are wrapped at a margin. (In vaults with wrapped
#: lines, three quarters of the lines have such a length, in others one quarter.)
_MARGIN = 60, 110


def _ends_with(path: str, wanted: PurePosixPath) -> bool:
    """Return whether the last parts of a path are these, apart from the suffix of notes.

    >>> _ends_with("a/b/note.md", PurePosixPath("b/note")), _ends_with("ab", PurePosixPath("b"))
    (True, False)
    """
    parts = PurePosixPath(path.removesuffix(".md").removesuffix(".ipynb")).parts
    return parts[-len(wanted.parts) :] == wanted.parts


def _distance(path: Path, source: Path) -> tuple[int, str]:
    """Return the sort key of a file: the number of steps from a note's folder, then the path."""
    return len(Path(os.path.relpath(path, source.parent)).parts), str(path)


def _heading_in_link(heading: str) -> str:
    """Return a heading as links write it."""
    return " ".join(re.sub(r"[#|^\[\]]", " ", heading).split())
