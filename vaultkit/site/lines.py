"""Reads a page before Python-Markdown does, and writes it again so that both read the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from markdown import Markdown
from markdown.preprocessors import Preprocessor

from vaultkit.read.comments import hide
from vaultkit.read.markdown import blocks, parse
from vaultkit.read.note import Fence, Note
from vaultkit.site.blocks import Writer
from vaultkit.site.marks import mark_spots, name_blocks
from vaultkit.site.page import Page

#: What `pymdownx.superfences` understands after a language, and as one.
_KNOWN = ("title", "hl_lines", "linenums")
#: What a page shows of a note that a plugin of Obsidian keeps a drawing in.
_DRAWN = "> [!info] A drawing of Excalidraw\n> It is shown in Obsidian alone."
_NO_LANGUAGE = re.compile(r"[^\w#.+-]")
#: A cell of a notebook that is kept as Markdown, of any language but Python.
_CELL = re.compile(r"\{code-cell\}\s*(?P<language>bash|julia|r\b)?")
_ATTRIBUTES = re.compile(r"\{\s*[.#]")


class Lines(Preprocessor):
    """Asks `vaultkit.read.markdown` what the blocks of a page are, and hands them on."""

    def __init__(self, md: Markdown, page: Page) -> None:
        super().__init__(md)
        self.page = page

    def run(self, lines: list[str]) -> list[str]:
        """Rewrite the page, or a part of a note that is embedded in it."""
        path = self.page.note.path if self.page.trail else self.page.begin()
        known = self.page.vault.notes.get(path)
        above = None if self.page.trail else _above(lines, known)
        if known and above is not None:
            note = known
            # What the vault has read has its properties on these lines.
            lines = [""] * above + lines
        else:
            note = parse("\n".join(lines), path)
        if not self.page.trail:
            self.page.host = self.page.note = note
        if known and "excalidraw-plugin" in known.meta and not note.refused:
            note = replace(parse(_DRAWN), path=path)
        if note.refused:
            note = replace(parse("\n".join(refusal(note))), path=path)
        text = "\n".join(lines) if note is known else note.text
        lines = hide(text).text.split("\n")
        names: dict[int, str] = {}
        # What others make, a page of tags for one, is no note: nothing on it is checked.
        if known and not known.refused and self.page.options["places"] and not self.page.trail:
            names = name_blocks(note)
            mark_spots(lines, note, known)
        tokens, references = blocks("\n".join(lines))
        for label, place in references.items():
            address = place["href"], place["title"]
            self.md.references.setdefault(label.lower(), address)
        openings = {
            fence.line: _opening(fence, classes, names.get(fence.line, ""))
            for fence, classes in _classed(note)
        }
        return Writer(self.page, lines, openings).write(tokens)


def _above(lines: list[str], known: Note | None) -> int | None:
    """Tell how many lines of a note stand above its page; None if they are not the same below."""
    if known is None or known.refused:
        return None
    page = "\n".join(lines).rstrip("\n").split("\n")
    above = len("\n".join(known.lines).rstrip("\n").split("\n")) - len(page)
    if above < known.front or known.lines[above : above + len(page)] != page:
        return None
    return None if any(known.lines[known.front : above]) else above


def refusal(note: Note) -> list[str]:
    """Write what a page shows in the place of a note that nothing can show."""
    return [f"# {note.name}", "", "> [!failure] This note cannot be shown", f"> {note.refused}"]


def _classed(note: Note) -> Iterator[tuple[Fence, str]]:
    """Tell which fences are outputs, raise or do not run."""
    classes: dict[int, str] = {}
    for block in note.blocks:
        if block.output:
            classes[block.output.line] = "output"
        options = block.fence.options
        found = [word for word in ("raises", "no-run", "volatile") if word in options]
        classes[block.fence.line] = " ".join(found)
    for fence in note.fences:
        yield fence, classes.get(fence.line, "")


def _opening(fence: Fence, classes: str, name: str) -> str:
    """Write what is to stand behind the mark of a fence, as superfences takes it."""
    if _ATTRIBUTES.match(fence.info):
        return fence.info
    words = [f".{name}" for name in classes.split()]
    for key, value in fence.options.items():
        if key in _KNOWN:
            mark = "'" if '"' in (value or "") else '"'
            words.append(f"{key}={mark}{value or 1}{mark}")
    words += [f'data-check="{name}"'] if name else []
    cell = _CELL.match(fence.info)
    language = _NO_LANGUAGE.sub("", fence.language)
    language = (cell["language"] or "python") if cell else language
    return f"{language} {{ {' '.join(words)} }}" if words else language
