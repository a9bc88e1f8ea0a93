"""Rewrites lines before Python-Markdown reads them: comments, and what opens a block of code."""

from __future__ import annotations

import re

from markdown import Markdown
from markdown.preprocessors import Preprocessor

from vaultkit.read.comments import hide, shown
from vaultkit.read.fences import RUNS
from vaultkit.read.markdown import parse
from vaultkit.read.note import Fence, Note
from vaultkit.site.marks import mark_spots, name_blocks
from vaultkit.site.page import Page

#: What `pymdownx.superfences` understands after a language.
_KNOWN = ("title", "hl_lines", "linenums")


class Lines(Preprocessor):
    """Asks `vaultkit.read.markdown` where comments and code are, and rewrites just those."""

    def __init__(self, md: Markdown, page: Page) -> None:
        super().__init__(md)
        self.page = page

    def run(self, lines: list[str]) -> list[str]:
        """Rewrite the page, or a part of a note that is embedded in it."""
        path = self.page.note.path if self.page.trail else self.page.begin()
        text = "\n".join(lines)
        note = parse(text, path)
        if not self.page.trail:
            self.page.host = self.page.note = note
        if note.refused:
            return refusal(note)
        lines = hide(text).text.split("\n")
        classes = _classes(note)
        names: dict[int, str] = {}
        known = self.page.vault.notes.get(note.path)
        # What others make, a page of tags for one, is no note: nothing on it is checked.
        if known and self.page.options["places"] and not self.page.trail:
            names = name_blocks(note)
            mark_spots(lines, note, known)
        lines = shown("\n".join(lines)).split("\n")
        for fence in reversed(note.fences):
            _set_apart(lines, fence, classes.get(fence.line, ""), names.get(fence.line, ""))
        return lines[note.front :]


def refusal(note: Note) -> list[str]:
    """Write what a page shows in the place of a note that nothing can show."""
    return [f"# {note.name}", "", "> [!failure] This note cannot be shown", f"> {note.refused}"]


def _prefix(line: str) -> str:
    found = re.match(r"[> ]*", line)
    return found[0].rstrip() if found else ""


def _classes(note: Note) -> dict[int, str]:
    """Tell which fences are outputs, raise or do not run, by the line they open on."""
    classes = {}
    for block in note.blocks:
        if block.output:
            classes[block.output.line] = "output"
        found = [word for word in ("raises", "no-run", "volatile") if word in _options(block.fence)]
        classes[block.fence.line] = " ".join(found)
    return classes


def _options(fence: Fence) -> dict[str, str | None]:
    try:
        return fence.options
    except ValueError:
        return {}


def _set_apart(lines: list[str], fence: Fence, classes: str, name: str) -> None:
    """Rewrite the opening of a fence, and part it from text that touches it."""
    opening = lines[fence.line - 1]
    words_follow = len(fence.info.split()) > 1 and "{" not in fence.info
    if fence.language in RUNS or classes or words_follow or name:
        words = [f".{name}" for name in classes.split()]
        for key, value in _options(fence).items():
            if key in _KNOWN:
                mark = "'" if '"' in (value or "") else '"'
                words.append(f"{key}={mark}{value or 1}{mark}")
        words += [f'data-check="{name}"'] if name else []
        attributes = f" {{ {' '.join(words)} }}" if words else ""
        head = opening[: opening.index(fence.language)]
        lines[fence.line - 1] = f"{head}{fence.language}{attributes}"
    # Python-Markdown would put code that touches text into its paragraph. In lists a blank line
    # would change how all items look, and there it does no harm.
    if fence.prefix and ">" not in fence.prefix:
        return
    if fence.closed and fence.end < len(lines) and lines[fence.end].strip("> "):
        lines.insert(fence.end, _prefix(fence.prefix))
    if fence.line > 1 and lines[fence.line - 2].strip("> "):
        lines.insert(fence.line - 1, _prefix(fence.prefix))
