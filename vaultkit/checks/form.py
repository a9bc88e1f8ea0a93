"""A note reads the same in Obsidian, on the site and on a code host."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vaultkit.checks.check import FAILS, Check
from vaultkit.read.note import Note, Problem
from vaultkit.read.vault import Vault

_COMMENT = re.compile(r"<!--.*?-->")
_CODE = re.compile(r"`[^`]*`")
_DISPLAY = re.compile(r"\s*\$\$.+\$\$\s*")
_FOOTNOTE = re.compile(r"(?<!\\)\[\^(?P<label>[^\]\s]+)\](?P<defines>:?)")
_LIST_ITEM = re.compile(r"(?P<indent>\s*)(?:[-*+]|\d+[.)])\s+\S")


def check(note: Note, vault: Vault) -> Iterator[Check]:
    """Find what one of the readers would show as garbage, and what two notes cannot share."""
    for problem in _problems(note, vault):
        what = problem.message.split("\n")[0]
        yield Check("form", problem.line, what, FAILS, problem.message, problem.column)


def _problems(note: Note, vault: Vault) -> Iterator[Problem]:
    yield from note.problems
    yield from _names(note, vault)
    yield from _lines(note)
    for link in note.links:
        if link.embed and not link.wiki and not link.words.strip():
            yield Problem(link.line, f"{link} has no alt text")
        if not link.wiki and link.words.count("[") != link.words.count("]"):
            yield Problem(link.line, f"{link}: a bracket in the words breaks it on the site")


def _names(note: Note, vault: Vault) -> Iterator[Problem]:
    for other in vault.addresses[vault.address(note)]:
        if other != note.path:
            yield Problem(1, f"has the same address on the site as {vault.relative(other)}")
    for alias in note.aliases:
        for other in vault.taken.get(alias.casefold(), ()):
            if other != note.path:
                yield Problem(1, f"its alias {alias!r} also names {vault.relative(other)}")


def _lines(note: Note) -> Iterator[Problem]:
    """Find syntax that the readers of a note take differently."""
    inside: set[int] = set()
    for fence in note.fences:
        inside.update(range(fence.line, fence.end + 1))
    for first, last in note.comments:
        inside.update(range(first, last + 1))
    defined = {m["label"] for raw in note.lines for m in _FOOTNOTE.finditer(raw) if m["defines"]}
    before, before_quoted = "", False
    in_formula = in_front_matter = False
    for number, raw in enumerate(note.lines, 1):
        if raw.rstrip() == "---" and (number == 1 or in_front_matter):
            in_front_matter = not in_front_matter
            before = ""
            continue
        if number in inside or in_front_matter:
            before = ""
            continue
        line = re.sub(r"^(\s*>)+ ?", "", raw)
        quoted = line != raw
        if line.strip() == "$$":
            if not in_formula and before.strip() not in ("", "?"):
                yield Problem(number, "leave a blank line before $$: else it is not a display")
            in_formula = not in_formula
        elif in_formula:
            pass
        elif "$$" in _CODE.sub("", line) and not _DISPLAY.fullmatch(line):
            yield Problem(number, "$$ in mid-sentence: write $…$, or put it on lines of its own")
        elif _DISPLAY.fullmatch(line) and before.strip() not in ("", "?"):
            yield Problem(number, "leave a blank line before $$: else it is not a display")
        else:
            if _DISPLAY.fullmatch(before) and line.strip():
                yield Problem(number, "leave a blank line after $$: else it is not a display")
            yield from _comment(number, line)
            for found in _FOOTNOTE.finditer(_CODE.sub("", line)):
                if found["label"] not in defined:
                    yield Problem(number, f"{found[0]}: there is no such footnote on this note")
            yield from _list(number, line, before)
            if quoted and raw.lstrip().startswith("> [!") and before.strip() and not before_quoted:
                yield Problem(number, "leave a blank line before a callout")
            for found in re.finditer(r"(?<!\\)\^\[[^\]]+\](?!\()", _CODE.sub("", line)):
                yield Problem(number, f"{found[0]}: inline footnotes show as garbage on the site")
        before, before_quoted = line, quoted


def _list(number: int, line: str, before: str) -> Iterator[Problem]:
    item = _LIST_ITEM.match(line)
    if not item:
        return
    above = _LIST_ITEM.match(before)
    if above:
        deeper = len(item["indent"]) - len(above["indent"])
        if 0 < deeper < 4:
            yield Problem(number, "indent a nested list by 4 spaces: the site needs them")
    # Behind the `?` of a flashcard its answer begins, which may be a list.
    elif before.strip() not in ("", "?") and not before.startswith("    "):
        yield Problem(number, "leave a blank line before a list")


def _comment(number: int, line: str) -> Iterator[Problem]:
    """Find text behind a comment that begins a line: only the site reads it as Markdown."""
    text = re.sub(r"^\s*(?:(?:[-*+]|\d+[.)])\s+)?", "", line)
    behind = _COMMENT.sub("", text).strip()
    if text.startswith("<!--") and "-->" in text and behind and not behind.startswith("<!--"):
        yield Problem(number, "no check reads the text behind a comment that begins its line")
