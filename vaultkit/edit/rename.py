"""Renames a note or a heading, with all references: links, `nav` in mkdocs.yml, drawings.

No file is written here: changes are returned as edits, for an editor or for the command line.
"""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote, unquote

import yaml

from vaultkit.edit.text import Edit, Span, split_lines, text_with_edits
from vaultkit.read import source
from vaultkit.read.discovery import DRAWN
from vaultkit.read.markdown import parse
from vaultkit.read.note import Heading, Link, Note
from vaultkit.read.syntax import WIKILINK, comparable, folded
from vaultkit.read.vault import BrokenLinkError, Vault
from vaultkit.starter import FORBIDDEN

#: Characters that links cannot contain.
_NOT_IN_LINKS = re.compile(r"[#|^:%\[\]\\]+")
#: Folders beside a vault with generated or installed files.
_MADE = {"site", "node_modules", "__pycache__", "build", "dist"}


class RenameError(ValueError):
    """A name that is invalid or in use."""


@dataclass
class Changes:
    """The changes for a new name.

    Attributes
    ----------
    edits
        The edits of each file, by its current path.
    moved
        The file that is renamed, and its new path.
    left
        The places in code beside the vault that contain the old name, and must be edited by hand.
    """

    edits: dict[Path, list[Edit]] = field(default_factory=lambda: defaultdict(list))
    moved: tuple[Path, Path] | None = None
    left: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        """The number of edits."""
        return sum(map(len, self.edits.values()))


#: Returns the link that replaces another one in a file; None to keep it.
_Change = Callable[[Link, Path], Link | None]


def rename_note(vault: Vault, old: str | Path, new: str, redirect: bool = False) -> Changes:
    """Rename a note; or update the references to one that was renamed already.

    Parameters
    ----------
    vault
        The vault.
    old
        The path of the note, or the old name of one that was renamed already.
    new
        Its new name.
    redirect
        Whether its old name becomes an alias, so that its old address leads to it.

    Raises
    ------
    RenameError
        If the new name is invalid or in use, or no note has either name.
    """
    new = new.strip().removesuffix(".md")
    if not new or FORBIDDEN.search(new) or new.startswith("."):
        raise RenameError(f"{new!r} cannot be the name of a note")
    changes = Changes()
    if isinstance(old, Path):
        name, old_path, present_path = old.stem, old, old
        new_path = _move_note(vault, old, new, changes)
    else:
        name, new_path = old, _renamed_already(vault, old, new)
        old_path, present_path = new_path.with_name(f"{name}{new_path.suffix}"), new_path

    def change(link: Link, source_path: Path) -> Link | None:
        """Return a link to the note with its new name; None if the link leads elsewhere."""
        folder, slash, last = link.target.rpartition("/")
        ending = ".md" if last.endswith(".md") else ""
        if folded(last.removesuffix(".md")) != folded(name):
            return None
        try:
            found: Path | None = vault.find(link.target, source_path)
        except BrokenLinkError:
            found = None
        # After the note has been renamed, links with its old name lead nowhere.
        is_meant = found == (old if isinstance(old, Path) else None)
        return replace(link, target=folder + slash + new + ending) if is_meant else None

    _change_links(vault, change, changes)
    if redirect:
        edit = _list_item_edit(vault.notes[present_path], "aliases", name)
        changes.edits[present_path].append(edit)
    _change_navigation(vault, old_path, new_path, changes)
    # Drawings are made by code, which draws the old name again.
    has_drawings = any(file.suffix == ".svg" for file in changes.edits)
    changes.left = list(_code_that_names(vault, name)) if has_drawings else []
    return changes


def _move_note(vault: Vault, path: Path, new: str, changes: Changes) -> Path:
    """Add the move of a note and the edit of its title to the changes; return its new path."""
    for other in vault.notes_by_name.get(new.casefold(), ()):
        if other != path:
            raise RenameError(f"{new!r} is taken: {vault.relative(other)}")
    new_path = path.with_name(new + path.suffix)
    if new_path != path:
        changes.moved = path, new_path
    title = next(iter(vault.notes[path].headings), None)
    if title and title.level == 1 and title.text == path.stem:
        changes.edits[path].append(_heading_edit(vault.notes[path], title, new))
    return new_path


def _renamed_already(vault: Vault, old: str, new: str) -> Path:
    """Return the path of the only note that has the new name."""
    paths = [note.path for note in vault.notes.values() if folded(note.name) == folded(new)]
    if len(paths) != 1:
        raise RenameError(f"there is no note {old!r}, and {len(paths)} called {new!r}")
    return paths[0]


def rename_heading(
    vault: Vault, note: Note, heading: Heading, words: str, redirect: bool = False
) -> Changes:
    """Rename a heading, and update the links to it; with ``redirect``, keep its old address.

    Raises
    ------
    RenameError
        If the words are invalid for a heading, or another heading has them.
    """
    words = " ".join(words.split())
    if not comparable(words):
        raise RenameError(f"{words!r} cannot be used as a heading")
    changes = Changes()
    edit = _heading_edit(note, heading, words)
    # Parsed again, since Markdown in the words changes the text and anchor of the heading.
    renamed = parse(text_with_edits(note.text, [edit]), note.path)
    given = next((h for h in renamed.headings if h.line == heading.line), None)
    if given is None:
        raise RenameError(f"{words!r} cannot be used as a heading")
    if any(comparable(h.text) == comparable(given.text) for h in note.headings if h != heading):
        raise RenameError(f"{note.name!r} has a heading {given.text!r} already")
    changes.edits[note.path].append(edit)
    name_in_links = " ".join(_NOT_IN_LINKS.sub(" ", given.text).split())
    first, last = note.section_lines(heading)

    def change(link: Link, source_path: Path) -> Link | None:
        """Return a link with the new words of the heading; None if the link does not contain it."""
        if not link.sub or link.sub.startswith("^"):
            return None
        try:
            path = vault.find(link.target, source_path)
        except BrokenLinkError:
            return None
        if path != note.path:
            return None
        if not link.wiki:
            meant = note.heading_with_anchor(link.sub)
            return replace(link, sub=given.slug) if meant == heading else None
        # A link may name the heading itself, or one in its section: `[[Note#Outer#Inner]]`.
        meant = note.heading(link.sub)
        if meant is None or not first <= meant.line <= last:
            return None
        *outer, inner = link.sub.split("#")
        old = comparable(heading.text)
        parts = [name_in_links if comparable(part) == old else part for part in outer]
        parts.append(name_in_links if meant == heading else inner)
        return replace(link, sub="#".join(parts)) if parts != [*outer, inner] else None

    _change_links(vault, change, changes)
    if redirect and given.slug != heading.slug:
        old = " ".join(_NOT_IN_LINKS.sub(" ", heading.text).split())
        link = f"[[#{name_in_links}|{old}]]"
        changes.edits[note.path].append(_list_item_edit(note, "old_headings", link))
    return changes


def _list_item_edit(note: Note, name: str, item: str) -> Edit:
    """Return the edit that adds an item to a list in the properties of a note.

    The list may be missing, in lines (``- item``), or in brackets.

    Raises
    ------
    RenameError
        If the property is not a list.
    """
    item = '"' + item.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if not note.front:
        return Edit(Span(1, 1, 1, 1), f"---\n{name}:\n  - {item}\n---\n\n")
    lines = [n for n in range(note.front) if re.match(rf"{name}\s*:", note.lines[n])]
    if not lines:
        return Edit(Span(note.front, 1, note.front, 1), f"{name}:\n  - {item}\n")
    key, below = note.lines[lines[0]].rstrip(), note.lines[lines[0] + 1]
    if key.endswith(":") and (listed := re.match(r"\s*- ", below)):
        return Edit(Span(lines[0] + 2, 1, lines[0] + 2, 1), f"{listed[0]}{item}\n")
    if not re.search(r":\s*\[.*\S.*\]$", key):
        raise RenameError(f"{name} of {note.name!r} is not a list with an item")
    return Edit(Span(lines[0] + 1, len(key), lines[0] + 1, len(key)), f", {item}")


def _heading_edit(note: Note, heading: Heading, words: str) -> Edit:
    """Return the edit of a heading's line, which keeps its marks."""
    line = note.lines[heading.line - 1]
    match = re.match(r"(?P<marks>[\s>]*#{1,6}[ \t]+)(?P<words>.*?)(?P<rest>[ \t]*#*[ \t]*)$", line)
    begins, ends = match.span("words") if match else (0, len(line))
    return Edit(Span(heading.line, begins + 1, heading.line, ends + 1), words)


def _change_links(vault: Vault, change: _Change, changes: Changes) -> None:
    """Add the edits of links in all notes and drawings."""
    for note in vault.notes.values():
        if note.path.suffix == ".md":
            # A set, since a link in a table or an embed may be listed twice.
            edits = {
                edit
                for link in note.links
                if (changed := change(link, note.path))
                for edit in _link_edits(note, link, changed)
            }
            changes.edits[note.path] += sorted(edits)
        else:
            _change_in_file(note.path, _changed_links_of_notebook, change, changes)
    for path in vault.files:
        if path.suffix == ".svg":
            _change_in_file(path, _changed_links_of_drawing, change, changes)
    for path in [path for path, edits in changes.edits.items() if not edits]:
        del changes.edits[path]  # looking it up has made an empty list


def _link_edits(note: Note, old: Link, new: Link) -> Iterator[Edit]:
    """Yield the edits of a link's target and heading in its line, as they are written there.

    A Markdown link may have them with percent signs: ``a%20b.md`` for *a b.md*.
    """
    line = note.lines[old.line - 1]
    begins = old.column - 1
    if not old.wiki and line[begins : begins + 2].lstrip("!").startswith("["):
        begins = max(begins, line.find("](", begins))  # behind the words of the link
    for part, new_part in ((old.target, new.target), (old.sub, new.sub)):
        quoted, new_quoted = (quote(text, safe="/#") for text in (part, new_part))
        for written, new_written in ((part, new_part), (quoted, new_quoted)):
            start = line.find(written, begins) if written else -1
            if start < 0:
                continue
            if written != new_written:
                # Outside angle brackets, the address of a Markdown link has no blanks.
                is_bare = not old.wiki and line[start - 1] != "<"
                if " " in new_written and is_bare:
                    new_written = quote(unquote(new_written), safe="/#")
                yield Edit(Span.within(old.line, start + 1, len(written)), new_written)
            begins = start + len(written)
            break


def _change_in_file(
    path: Path,
    finder: Callable[[str, Path, _Change], Iterator[tuple[int, int, str]]],
    change: _Change,
    changes: Changes,
) -> None:
    """Add the edits of a file to the changes: ``finder`` yields begin, end and new text of each."""
    try:
        text = source.read(path, source.LARGEST_WITH_PICTURES)
    except source.UnreadableError:
        return
    edits = [_edit_of_range(text, *spot) for spot in finder(text, path, change)]
    if edits:
        changes.edits[path] += edits


def _changed_links_of_notebook(
    text: str, path: Path, change: _Change
) -> Iterator[tuple[int, int, str]]:
    """Yield begin, end and new text of each link of a notebook that changes."""
    for match in WIKILINK.finditer(text):
        if other := change(Link.from_match(match), path):
            yield match.start(), match.end(), str(other)


def _changed_links_of_drawing(
    text: str, path: Path, change: _Change
) -> Iterator[tuple[int, int, str]]:
    """Yield the links of an SVG drawing that change, with their labels for screen readers."""
    for match in DRAWN.finditer(text):
        link = WIKILINK.fullmatch(html.unescape(match["value"]))
        old = Link.from_match(link) if link else None
        if old is None or (other := change(old, path)) is None:
            continue
        yield *match.span("value"), html.escape(str(other))
        # The label for screen readers.
        label = re.compile(rf'[^<>]*?\baria-label="(?P<name>{re.escape(html.escape(old.target))})"')
        if (said := label.match(text, match.end())) and other.target != old.target:
            yield *said.span("name"), html.escape(other.target)


def _edit_of_range(text: str, begins: int, ends: int, other: str) -> Edit:
    """Return the edit that replaces ``text[begins:ends]``."""

    def place(at: int) -> tuple[int, int]:
        before = split_lines(text[:at])
        return len(before), len(before[-1]) + 1

    return Edit(Span(*place(begins), *place(ends)), other)


def _change_navigation(vault: Vault, old: Path, new: Path, changes: Changes) -> None:
    """Add the edits of ``mkdocs.yml`` beside the vault, where `nav` names a note or its file."""
    path = vault.root.parent / "mkdocs.yml"
    try:
        root = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except (OSError, ValueError, yaml.YAMLError):
        return
    was, becomes = vault.relative(old), vault.relative(new)
    edits: set[Edit] = set()

    def visit(node: yaml.Node | None) -> None:
        """Record the edits of a part of the navigation."""
        match node:
            case yaml.ScalarNode(value=value) if value == was:
                record_edit(node, becomes)
            case yaml.SequenceNode(value=items):
                for item in items:
                    visit(item)
            case yaml.MappingNode(value=pairs):
                for key, value in pairs:
                    if getattr(value, "value", None) == was and key.value == old.stem:
                        record_edit(key, new.stem)
                    visit(value)

    def record_edit(node: yaml.ScalarNode, value: str) -> None:
        """Record the edit that replaces a scalar, with its quotes."""
        start, end = node.start_mark, node.end_mark
        span = Span(start.line + 1, start.column + 1, end.line + 1, end.column + 1)
        needs_no_quotes = re.fullmatch(r"[A-Za-z][\w /.()+–-]*", value)
        mark = node.style if node.style in ("'", '"') else "" if needs_no_quotes else "'"
        text = value.replace("'", "''") if mark == "'" else value
        edits.add(Edit(span, f"{mark}{text}{mark}"))

    visit(root)
    if edits:
        changes.edits[path] += sorted(edits)


def _code_that_names(vault: Vault, name: str) -> Iterator[str]:
    """Yield the places where code beside the vault contains the name of a note, as figures do."""
    called = re.compile(rf"""(["']){re.escape(name)}(?:#[^"'\n]*)?\1""")
    beside = vault.root.parent
    for path in sorted(beside.rglob("*.py")):
        parts = path.relative_to(beside).parts
        if any(part.startswith(".") or part in _MADE for part in parts):
            continue
        try:
            text = source.read(path)
        except source.UnreadableError:
            continue
        for number, line in enumerate(text.split("\n"), 1):
            if called.search(line):
                yield f"{path.relative_to(beside).as_posix()}:{number}"
