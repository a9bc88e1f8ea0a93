"""Completion: links, tags, options of fences, names of variables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from vaultkit.checks.evidence import bound
from vaultkit.edit.find import block_in
from vaultkit.edit.names import tex_spellings
from vaultkit.edit.text import Span
from vaultkit.read import fences
from vaultkit.read.discovery import READERS
from vaultkit.read.note import Note
from vaultkit.read.vault import BrokenLinkError, Vault

# What has been typed, up to the place of the completion:
#: a link that is not closed, ``[[Target#Heading``;
_LINK = re.compile(r"(?P<embed>!?)\[\[(?P<target>[^\[\]|#\n]*)(?P<sub>#[^\[\]|\n]*)?$")
#: the first line of a fence, ``> ```python title``;
_FENCE = re.compile(r"[\s>]*(?:`{3,}|~{3,})(?P<language>[\w-]*)(?P<rest>\s.*)?$")
#: a tag in the text, ``#ta``;
_TAG = re.compile(r"(?:^|[\s(])#(?P<tag>[\w/-]*)$")
#: a tag in the properties, ``tags: [one, tw`` or ``- tw``;
_LISTED_TAG = re.compile(r"^(?:tags:\s*\[?(?:[^\]]*,)?\s*|\s*-\s+)(?P<tag>[\w/-]*)$")
#: a name in a formula, ``d_{mo`` or ``\\al``.
_WORD = re.compile(r"\\?[A-Za-z_]*(?:\{[A-Za-z]*)?$")
#: Code in the text, between any number of backticks.
_CODE_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")


@dataclass(frozen=True)
class Completion:
    """A completion.

    Attributes
    ----------
    label
        The text in the list.
    text
        The text that replaces `span`.
    kind
        ``note``, ``alias``, ``file``, ``heading``, ``id``, ``tag``, ``option``, ``variable``.
    detail
        The description beside it.
    match
        The text that is matched with what was typed.
    """

    label: str
    text: str
    kind: str
    span: Span
    detail: str = ""
    match: str = ""


def completions(vault: Vault, note: Note, line: int, column: int) -> list[Completion]:
    """Return the completions at a place of a note."""
    text = note.lines[line - 1] if line <= len(note.lines) else ""
    before, behind = text[: column - 1], text[column - 1 :]
    if line <= note.front:
        return list(_property_completions(vault, note, line, before))
    if fence := _FENCE.match(before):
        return list(_fence_completions(line, before, fence))
    if block_in(note, line) is not None or _is_in_code_span(before):
        return []
    if _is_in_formula(note, line, before):
        return list(_variable_completions(note, line, before))
    if link := _LINK.search(before):
        closing = "" if behind.startswith("]]") else "]]"  # to be added
        if link["sub"] is not None:
            return list(_heading_completions(vault, note, line, link, closing))
        bar = "\\|" if before.lstrip(" >").startswith("|") else "|"  # in a table, it is escaped
        return list(_link_completions(vault, line, link, closing, bar))
    if tag := _TAG.search(before):
        return list(_tag_completions(vault, line, tag))
    return []


def _link_completions(
    vault: Vault, line: int, link: re.Match[str], closing: str, bar: str
) -> Iterator[Completion]:
    """Yield the notes, aliases and embeddable files that a link may name."""
    span = Span.within(line, link.start("target") + 1, len(link["target"]))
    shared = Counter(note.name.casefold() for note in vault.notes.values())
    for note in vault.notes.values():
        called = note.name
        if shared[note.name.casefold()] > 1:
            called = vault.relative(note.path).removesuffix(".md")
        yield Completion(called, called + closing, "note", span, note.summary)
        for alias in note.aliases:
            yield Completion(alias, f"{called}{bar}{alias}{closing}", "alias", span, called)
    if link["embed"]:
        for path in vault.files:
            if path.suffix not in READERS:
                yield Completion(path.name, path.name + closing, "file", span, vault.relative(path))


def _heading_completions(
    vault: Vault, source: Note, line: int, link: re.Match[str], closing: str
) -> Iterator[Completion]:
    """Offer the headings of the note that a link names, or its blocks."""
    try:
        note = vault.notes[vault.find(link["target"].strip(), source.path)]
    except (BrokenLinkError, KeyError):
        return
    span = Span.within(line, link.start("sub") + 2, len(link["sub"]) - 1)
    for name, (first, _) in note.block_ids.items():
        yield Completion(
            f"^{name}", f"^{name}{closing}", "id", span, note.lines[first - 1].strip()[:80]
        )
    if link["sub"].startswith("#^"):
        return
    for heading in note.headings:
        words = " ".join(re.sub(r"[#|^:%\[\]\\]+", " ", heading.text).split())
        yield Completion(heading.text, words + closing, "heading", span, "#" * heading.level)


def _tag_completions(vault: Vault, line: int, typed: re.Match[str]) -> Iterator[Completion]:
    """Yield the tags of the vault, the most frequent first."""
    span = Span.within(line, typed.start("tag") + 1, len(typed["tag"]))
    counted = Counter(tag for note in vault.notes.values() for tag in set(note.tags))
    for tag, count in counted.most_common():
        # The tag that is being typed counts as a tag of this note.
        if tag != typed["tag"] or count > 1:
            yield Completion(tag, tag, "tag", span, f"{count} notes" if count > 1 else "1 note")


def _property_completions(vault: Vault, note: Note, line: int, before: str) -> Iterator[Completion]:
    """Offer tags below ``tags:`` in the properties."""
    above = (row for row in reversed(note.lines[:line]) if re.match(r"\w", row))
    typed = _LISTED_TAG.match(before)
    if typed and next(above, "").startswith("tags:"):
        yield from _tag_completions(vault, line, typed)


def _fence_completions(line: int, before: str, fence: re.Match[str]) -> Iterator[Completion]:
    """Yield the languages, or the options, that may follow the backticks of a fence."""
    if fence["rest"] is None:
        span = Span.within(line, fence.start("language") + 1, len(fence["language"]))
        for language in ("python", "pycon", "text", "mermaid"):
            yield Completion(language, language, "option", span)
        return
    if fence["language"] not in fences.RUNS or before.count('"') % 2:
        return
    typed = re.search(r"\S*$", before)
    assert typed
    span = Span.within(line, typed.start() + 1, len(typed[0]))
    for option, has_value in fences.OPTIONS.items():
        if not re.search(rf"\s{option}(?![\w-])", fence["rest"][: -len(typed[0]) or None]):
            yield Completion(option, f"{option}=" if has_value else option, "option", span)


def _variable_completions(note: Note, line: int, before: str) -> Iterator[Completion]:
    """Yield the variables of a note's code, as a formula spells them."""
    typed = _WORD.search(before)
    assert typed
    span = Span.within(line, typed.start() + 1, len(typed[0]))
    offered: set[str] = set()
    for index, block in enumerate(note.blocks):
        for name in sorted(bound(block) - offered):
            offered.add(name)
            for tex in tex_spellings(name)[:1]:
                match = tex if typed[0].startswith("\\") else name
                where = f"{name}, block {index + 1}: {block.section}"
                yield Completion(tex, tex, "variable", span, where, match)


def _is_in_formula(note: Note, line: int, before: str) -> bool:
    """Return whether a place is in a formula, even if its closing dollars are not typed yet."""
    if any(f.fence.line <= line <= f.fence.end for f in note.blocks):
        return False
    spans = [(fence.line, fence.end) for fence in note.fences]
    rows = [
        row
        for number, row in enumerate(note.lines[: line - 1], 1)
        if number > note.front and not any(first <= number <= last for first, last in spans)
    ]
    is_in_display = sum(_CODE_SPAN.sub("", row).count("$$") for row in rows) % 2 == 1
    plain = re.sub(r"\\\$", "", _CODE_SPAN.sub("", before))  # without escaped dollars
    opens_or_closes = plain.count("$$") % 2 == 1
    if opens_or_closes != is_in_display:
        return True
    return plain.replace("$$", "").count("$") % 2 == 1


def _is_in_code_span(before: str) -> bool:
    """Return whether the text before a place has an odd backtick."""
    return _CODE_SPAN.sub("", before).count("`") % 2 == 1
