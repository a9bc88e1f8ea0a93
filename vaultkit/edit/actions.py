"""Code actions: edits that repair a place of a note."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from vaultkit import starter
from vaultkit.checks.check import EXCEPTED, FAILS, UNPROVEN, Check, Fix
from vaultkit.edit.find import link_in
from vaultkit.edit.spans import span_of_check
from vaultkit.edit.text import Edit, Span
from vaultkit.read.note import Link, Note
from vaultkit.read.vault import BrokenLinkError, UnwrittenError, Vault

#: The numbers in a message such as *nothing computes 3.9; nearest are 3.2, 6.5*.
_NEAREST = re.compile(r"; nearest (?:are|is) (?P<numbers>.+)$")
#: A number in the text: ``−1,200``, ``.5``, ``3 %``.
_NUMBER = re.compile(r"(?P<sign>[-−+]?)(?P<digits>[\d,]*\.?\d+)(?P<unit>\s*%?)")
#: What must not be directly before or behind a mention of a note.
_WORD_CHARACTER = re.compile(r"[\w-]")
#: Placeholder for a reason that the author has to write.
REASON = "reason"
#: What an edit writes, by the kind of the check.
_WRITTEN = {"mirror": "the code of the file", "sentence": "the computed value"}


@dataclass(frozen=True)
class Action:
    """A code action.

    Attributes
    ----------
    title
        Its title.
    edits
        The edits of each file, by its path.
    makes
        A file to create first, with its text.
    fixes
        The check that holds afterwards, if it repairs one.
    """

    title: str
    edits: dict[Path, list[Edit]] = field(default_factory=dict)
    makes: tuple[Path, str] | None = None
    fixes: Check | None = None


def code_actions(
    vault: Vault, note: Note, where: Span, checks: Sequence[Check]
) -> Iterator[Action]:
    """Yield the code actions for a span of a note.

    Parameters
    ----------
    vault, note, where
        The span.
    checks
        The checks of the current text.
    """
    fixes = [check for check in checks if check.fix and check.outcome in UNPROVEN]
    for check in checks:
        if not _touches(span_of_check(check, note), where):
            continue
        if check.fix and check.outcome in UNPROVEN:
            what = _WRITTEN.get(check.kind, "this output")
            yield Action(f"Write {what}", {note.path: [_edit_of_fix(note, check.fix)]}, fixes=check)
        elif check.outcome in UNPROVEN and check.kind in ("number", "shape"):
            yield from _number_actions(note, check)
            yield _exception_action(note, check, "given")
        elif check.outcome in UNPROVEN and check.kind == "equation":
            yield _exception_action(note, check, "not run")
        elif check.kind == "link" and check.outcome in (FAILS, EXCEPTED):
            yield from _broken_link_actions(vault, note, check)
    outputs = [check.fix for check in fixes if check.fix and check.kind == "block"]
    if outputs:
        edits = [_edit_of_fix(note, fix) for fix in outputs]
        yield Action(f"Write all outputs of this note ({len(edits)})", {note.path: edits})
    yield from _mention_actions(vault, note, where)


def _edit_of_fix(note: Note, fix: Fix) -> Edit:
    """Return the edit that replaces the lines of a fix, with the note's line endings."""
    newline = next((end for end in ("\r\n", "\n", "\r") if end in note.text), "\n")
    text = "".join(line + newline for line in fix.lines)
    first, last = fix.first, fix.last  # ``first - 1`` if it inserts
    # Behind a last line without an end, the text begins a new line.
    if first > len(note.lines) and not note.text.endswith(("\n", "\r")):
        text = newline + text
    return Edit(Span(first, 1, last + 1, 1), text)


def _number_actions(note: Note, check: Check) -> Iterator[Action]:
    """Offer the nearest computed numbers, with as many digits as are stated.

    They are read from the message of the check, which `vaultkit.checks.backing` writes.
    """
    match = _NEAREST.search(check.why.split("\n")[0])
    stated = _NUMBER.fullmatch(check.what)
    span = span_of_check(check, note)
    if not match or not stated:
        return
    decimals = len(stated["digits"].partition(".")[2])
    for word in re.split(r", | and | or ", match["numbers"]):
        try:
            number = float(word)
        except ValueError:
            continue  # the message ends in other words
        is_share = "%" in stated["unit"] and abs(number) <= 1
        scale = 100 if is_share else 1
        comma = "," if "," in stated["digits"] else ""
        written = f"{abs(scale * number):{comma}.{decimals}f}"
        minus = stated["sign"] if stated["sign"] in ("-", "−") else "−"  # as the note writes it
        plus = "+" if stated["sign"] == "+" else ""
        text = (minus if number < 0 else plus) + written + stated["unit"]
        yield Action(
            f"Write {text} (computed: {word})", {note.path: [Edit(span, text)]}, fixes=check
        )


def _exception_action(note: Note, check: Check, what: str) -> Action:
    """Offer a comment behind a place that excepts its check, with a reason to be filled in.

    ``what`` is the kind of exception: ``given`` for a number, ``not run`` for a formula.
    """
    span = span_of_check(check, note)
    behind = Span(span.end_line, span.end_column, span.end_line, span.end_column)
    is_display = "\n" in check.what or span.end_line > span.line
    separator = "\n\n" if is_display else "" if what == "given" else " "
    mark = f"{separator}<!-- {what}: {REASON} -->"
    return Action(f"Mark as {what}: {REASON}", {note.path: [Edit(behind, mark)]}, fixes=check)


def _broken_link_actions(vault: Vault, note: Note, check: Check) -> Iterator[Action]:
    """Offer to create the note that a link names, or to write a similar name in the link."""
    link = link_in(note, check.line, check.column)
    if link is None:
        return
    try:
        vault.resolve(link, note)
    except BrokenLinkError as broken:
        is_unwritten = isinstance(broken, UnwrittenError)
        if is_unwritten:
            yield from _new_note_actions(vault, note, link, check)
        # The name of a heading or block is found by its sign, as the note may have the same name.
        sign = "#" if not is_unwritten and broken.wanted == link.sub else ""
        wrong = sign + broken.wanted
        start = note.lines[check.line - 1].find(wrong, check.column - 1)
        for name in broken.similar if start >= 0 else ():
            edit = Edit(Span.within(check.line, start + 1, len(wrong)), sign + name)
            yield Action(f"Link to {name!r}", {note.path: [edit]}, fixes=check)


def _new_note_actions(vault: Vault, note: Note, link: Link, check: Check) -> Iterator[Action]:
    """Offer to create the note that a link names, in the folder that the link names."""
    folder, _, name = link.target.rpartition("/")
    base = note.path.parent if folder.startswith(".") else vault.root
    with suppress(starter.TakenError):
        path, text = starter.draft(name, vault, Path(os.path.normpath(base / folder.lstrip("/"))))
        # A new note does not have the heading or block that the link may name.
        fixes = None if link.sub else check
        yield Action(f"Make the note {path.stem!r}", makes=(path, text), fixes=fixes)


def _mention_actions(vault: Vault, note: Note, where: Span) -> Iterator[Action]:
    """Offer to turn the mention of a note at a place into a link: the longest name there.

    The note must be another one, and the only one of that name.
    """
    line = note.lines[where.line - 1] if where.line <= len(note.lines) else ""
    plain = _running_text(note, where.line)
    #: The length of the name, where it begins, and the note.
    best: tuple[int, int, Path] | None = None
    for name, paths in vault.notes_by_name.items():
        begins = plain.casefold().find(name, max(0, where.column - 1 - len(name)))
        ends = begins + len(name)
        is_here = 0 <= begins < where.column <= ends + 1
        if not is_here or note.path in paths or len(paths) != 1:
            continue
        around = line[max(0, begins - 1) : begins] + line[ends : ends + 1]
        if not _WORD_CHARACTER.search(around):
            best = max(best or (0, 0, Path()), (len(name), begins, paths[0]))
    if best:
        length, begins, path = best
        words, target = line[begins : begins + length], vault.notes[path].name
        link = f"[[{target}]]" if words == target else f"[[{target}|{words}]]"
        edit = Edit(Span.within(where.line, begins + 1, length), link)
        yield Action(f"Link to {target!r}", {note.path: [edit]})


def _running_text(note: Note, number: int) -> str:
    """Return a line of running text, with blanks for links, code and mathematics."""
    line = note.lines[number - 1] if number <= len(note.lines) else ""
    for passage in note.passages:
        rows = passage.source.split("\n")
        index = number - passage.line
        if 0 <= index < len(rows) and rows[index].strip():
            start = sum(len(row) + 1 for row in rows[:index])
            plain = passage.plain[start : start + len(rows[index])]
            indent = line.find(rows[index])
            if indent >= 0:
                return " " * indent + plain
    return ""


def _touches(checked: Span, where: Span) -> bool:
    """Return whether two spans overlap; that of a check counts from the beginning of its line."""
    begins, ends = (checked.line, 1), (checked.end_line, checked.end_column)
    return begins <= (where.end_line, where.end_column) and ends >= (where.line, where.column)
