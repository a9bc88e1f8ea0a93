"""Finds the link, formula or name at a place of a note, its definition and its references."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from vaultkit.checks.evidence import binding_block, bound
from vaultkit.edit.names import tex_spellings
from vaultkit.edit.spans import span_of_formula, span_of_link, span_to_line_end
from vaultkit.edit.text import Span
from vaultkit.read.note import Formula, Heading, Link, Note
from vaultkit.read.vault import BrokenLinkError, Target, Vault

_NAME = re.compile(r"[A-Za-z_]\w*")
#: The beginning of a definition in code.
_DEFINITION = re.compile(r"(?:(?:async )?def|class) \w+")
#: Most symbols of a vault that are returned at once.
_MOST = 500


@dataclass(frozen=True)
class Place:
    """A place in a file."""

    path: Path
    span: Span


@dataclass(frozen=True)
class Symbol:
    """A named part of a note: its span, and the span of its name.

    ``kind`` is ``note``, ``alias``, ``heading``, ``block`` (of code) or ``id`` (of a block).
    """

    name: str
    kind: str
    path: Path
    whole: Span
    span: Span
    level: int = 0


def link_in(note: Note, line: int, column: int) -> Link | None:
    """Return the link at a place, if there is one."""
    here = (link for link in note.links if link.line == line)
    return next((link for link in here if span_of_link(note, link).holds(line, column)), None)


def formula_in(note: Note, line: int, column: int) -> Formula | None:
    """Return the formula at a place, if there is one."""
    for formula in note.formulas:
        if formula.line <= line and span_of_formula(note, formula).holds(line, column):
            return formula
    return None


def heading_in(note: Note, line: int) -> Heading | None:
    """Return the heading on a line, if there is one."""
    return next((heading for heading in note.headings if heading.line == line), None)


def block_in(note: Note, line: int) -> int | None:
    """Return the index of the block of code around a line, if there is one."""
    for index, block in enumerate(note.blocks):
        if block.fence.line <= line <= block.fence.end:
            return index
    return None


def name_in(note: Note, line: int, column: int) -> tuple[str, Span] | None:
    """Return the name at a place with its span: a word of code, or a variable of a formula."""
    text = note.lines[line - 1] if line <= len(note.lines) else ""
    index = block_in(note, line)
    if index is not None:
        if line in (note.blocks[index].fence.line, note.blocks[index].fence.end):
            return None
        for match in _NAME.finditer(text):
            if match.start() < column <= match.end() + 1:
                return match[0], Span.within(line, match.start() + 1, len(match[0]))
        return None
    if formula_in(note, line, column) is None:
        return None
    best: tuple[str, Span] | None = None  # the longest: ``d_k`` rather than ``d``
    for name in sorted({name for block in note.blocks for name in bound(block)}):
        for tex in tex_spellings(name):
            # The letter must not be part of a longer word or command.
            for match in re.finditer(rf"(?<![A-Za-z\\]){re.escape(tex)}(?![A-Za-z])", text):
                if match.start() < column <= match.end() + 1:
                    span = Span.within(line, match.start() + 1, len(tex))
                    if best is None or len(tex) > best[1].end_column - best[1].column:
                        best = name, span
    return best


def find_binding(note: Note, name: str, line: int) -> Place | None:
    """Return the line that binds a name: in the last block above a line, or else below it."""
    index = binding_block(note, name, line)
    if index is None:
        return None
    fence = note.blocks[index].fence
    pattern = re.compile(rf"(?<![\w.]){re.escape(name)}\b")
    for number in range(fence.line + 1, fence.end):
        if match := pattern.search(note.lines[number - 1]):
            return Place(note.path, Span.within(number, match.start() + 1, len(name)))
    return Place(note.path, span_to_line_end(note, fence.line, 1))


def find_definition(vault: Vault, note: Note, line: int, column: int) -> Place | None:
    """Return the definition of the thing at a place: a note, heading, file, or line of code."""
    if link := link_in(note, line, column):
        try:
            return _begin_of(vault.resolve(link, note))
        except BrokenLinkError:
            return None
    if name := name_in(note, line, column):
        return find_binding(note, name[0], line)
    index = block_in(note, line)
    if index is not None and note.blocks[index].fence.line == line:
        return _shown_file(vault, note, index)
    return None


def find_references(
    vault: Vault, note: Note, line: int, column: int, *, with_target: bool = False
) -> list[Place]:
    """Return all links to the target of the link at a place, the heading there, or the note.

    With ``with_target``, the place where the target begins comes first.
    """
    target = Target(note.path, note=note)
    if link := link_in(note, line, column):
        try:
            target = vault.resolve(link, note)
        except BrokenLinkError:
            return []
    elif (heading := heading_in(note, line)) and not _is_title(note, heading):
        target = Target(note.path, heading.slug, note, note.section_lines(heading))
    return [*([_begin_of(target)] if with_target else []), *links_to(vault, target)]


def links_to(vault: Vault, target: Target) -> Iterator[Place]:
    """Yield all links that lead to a file, or to a place in it."""
    for source in vault.notes.values():
        for link in source.links:
            try:
                if vault.find(link.target, source.path) != target.path:
                    continue
                if target.anchor and vault.resolve(link, source).anchor != target.anchor:
                    continue
            except BrokenLinkError:
                continue
            yield Place(source.path, span_of_link(source, link))


@dataclass(frozen=True)
class RenameTarget:
    """The note or heading that a rename at a place applies to, and its words there."""

    note: Note
    heading: Heading | None
    words: str
    span: Span


def find_rename_target(vault: Vault, note: Note, line: int, column: int) -> RenameTarget | None:
    """Return the note or heading at a place, or that a link there refers to.

    If the first heading of a note is its name, the note is renamed.
    """
    if heading := heading_in(note, line):
        is_title = heading.level == 1 and heading.text == note.name
        start = note.lines[line - 1].find(heading.text)
        if start >= 0:
            span = Span.within(line, start + 1, len(heading.text))
        else:  # its words have mark-up
            span = span_to_line_end(note, line, 1)
        return RenameTarget(note, None if is_title else heading, heading.text, span)
    link = link_in(note, line, column)
    if link is None:
        return None
    try:
        target = vault.resolve(link, note)
    except BrokenLinkError:
        return None
    if target.note is None or link.sub.startswith("^"):
        return None
    words, renamed = target.note.name, None
    if target.anchor:
        renamed = target.note.heading_with_anchor(target.anchor)
        words = renamed.text if renamed else words
    # The last part of the link: `B` of `[[Note#A#B]]`, `Note` of `[[Folder/Note]]`.
    written = link.sub.rpartition("#")[2] if target.anchor else link.target.rpartition("/")[2]
    start = note.lines[line - 1].find(written, link.column - 1)
    return RenameTarget(target.note, renamed, words, Span.within(line, start + 1, len(written)))


def symbols_of_note(note: Note) -> Iterator[Symbol]:
    """Yield the symbols of a note, in order."""
    for heading in note.headings:
        first, last = note.section_lines(heading)
        end = len(note.lines[last - 1]) + 1 if last <= len(note.lines) else 1
        span = span_to_line_end(note, heading.line, 1)
        whole = max(Span(first, 1, last, end), Span(first, 1, span.end_line, span.end_column))
        yield Symbol(heading.text, "heading", note.path, whole, span, heading.level)
    for block in note.blocks:
        fence = block.fence
        whole = Span(fence.line, 1, fence.end, len(note.lines[fence.end - 1]) + 1)
        first_line = next((line for line in fence.lines if line.strip()), block.section)
        yield Symbol(
            first_line.strip()[:60],
            "block",
            note.path,
            whole,
            span_to_line_end(note, fence.line, 1),
        )
    for name, (first, last) in note.block_ids.items():
        whole = Span(first, 1, last, len(note.lines[last - 1]) + 1)
        yield Symbol(f"^{name}", "id", note.path, whole, span_to_line_end(note, last, 1))


def vault_symbols(vault: Vault, query: str) -> list[Symbol]:
    """Return the notes, aliases and headings whose names contain the words of a query."""
    wanted = query.casefold()
    symbols: list[Symbol] = []
    top = Span(1, 1, 1, 1)
    for note in vault.notes.values():
        names = [(note.name, "note"), *((alias, "alias") for alias in note.aliases)]
        symbols += [Symbol(n, kind, note.path, top, top) for n, kind in names if _has(n, wanted)]
    for note in vault.notes.values():
        for symbol in symbols_of_note(note):
            if symbol.kind == "heading" and _has(symbol.name, wanted):
                symbols.append(symbol)
            if len(symbols) >= _MOST:
                return symbols
    return symbols


def _begin_of(target: Target) -> Place:
    """Return the place where the target of a link begins."""
    line = target.lines[0] if target.lines else 1
    return Place(target.path, Span(line, 1, line, 1))


def _shown_file(vault: Vault, note: Note, index: int) -> Place | None:
    """Return the file that ``title=`` names, at the code of the block."""
    fence = note.blocks[index].fence
    title = fence.options.get("title")
    path = vault.root.parent / (title or "")
    if not title or not path.is_file():
        return None
    line = 1
    if definition := next(filter(None, map(_DEFINITION.match, fence.lines)), None):
        rows = path.read_text(encoding="utf-8", errors="replace").split("\n")
        same = re.compile(rf"{re.escape(definition[0])}\b")
        line = next((n for n, row in enumerate(rows, 1) if same.match(row)), 1)
    return Place(path, Span(line, 1, line, 1))


def _is_title(note: Note, heading: Heading) -> bool:
    return heading.level == 1 and heading == note.headings[0]


def _has(name: str, wanted: str) -> bool:
    return wanted in name.casefold()
