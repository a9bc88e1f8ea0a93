"""Converts notes to Jupyter notebooks, with their outputs, in Markdown that Jupyter renders.

The notebooks import modules from beside the vault, so a zip contains all of them.
"""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote

from vaultkit.read.comments import hide
from vaultkit.read.note import Block, Link, Note
from vaultkit.read.syntax import BLOCK_ID, CALLOUT, COMMENT, REASON, WIKILINK
from vaultkit.read.vault import BrokenLinkError, Vault
from vaultkit.site.archives import make_zip
from vaultkit.site.runnable import local_modules

#: The line between the question and the answer of a flashcard.
_FLASHCARD = re.compile(r"^([> ]*)\?$")
#: The element in which our template puts Markdown.
_EXPORTED = re.compile(r"<pre>(.*)</pre>", re.DOTALL)


def name_of(note: Note, vault: Vault) -> str:
    """Return the file name of a note's notebook."""
    return Path(vault.relative(note.path)).with_suffix(".ipynb").as_posix()


def note_to_notebook(note: Note, vault: Vault) -> str:
    """Return a note as the JSON of a notebook."""
    if note.path.suffix == ".ipynb":
        return note.path.read_text(encoding="utf-8")
    cells: list[dict[str, Any]] = []
    lines = _without_own_syntax(note, vault)
    done = note.front  # the number of lines that are in cells, or in the front matter
    for block in note.blocks:
        if block.kind != "python" or "no-run" in block.fence.options:
            continue  # a listing remains Markdown
        _add_text(cells, lines[done : block.fence.line - 1])
        cells.append(_code_cell(block, len(cells)))
        done = block.output.end if block.output else block.fence.end
    _add_text(cells, lines[done:])
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    data = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def all_notebooks(vault: Vault) -> dict[str, str]:
    """Return all notes as notebooks, by the names of their files."""
    return {name_of(note, vault): note_to_notebook(note, vault) for note in vault.notes.values()}


def zip_notebooks(vault: Vault, made: Mapping[str, str]) -> bytes:
    """Return a zip of the notebooks of all notes, with their figures and imported modules."""
    content = {name: text.encode() for name, text in made.items()}
    images = (path for path in vault.files if path.suffix in (".svg", ".png"))
    content |= {vault.relative(path): path.read_bytes() for path in images}
    beside = vault.root.parent
    for module in local_modules(vault):
        for path in [module] if module.is_file() else module.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                content[path.relative_to(beside).as_posix()] = path.read_bytes()
    return make_zip(dict(sorted(content.items())))


def export_notebook(path: Path, templates: Path) -> str:
    """Return a notebook with its outputs as the Markdown of a page; needs nbconvert.

    Our template makes Markdown, and wraps it in a ``<pre>`` of an HTML page.

    Parameters
    ----------
    path, templates
        The notebook, and the folder that contains our template ``mkdocs_html``.
    """
    exporter = import_module("nbconvert").HTMLExporter(
        template_name="mkdocs_html",
        template_file="notebook.html.j2",
        extra_template_basedirs=[str(templates)],
    )
    return markdown_in(exporter.from_filename(str(path))[0])


def markdown_in(content: str) -> str:
    """Return the Markdown in the HTML that nbconvert makes by our template."""
    match = _EXPORTED.search(content)
    return html.unescape(match[1]) if match else ""


def links_html(notebook_href: str, zip_href: str) -> str:
    """Return the line with links to a note's notebook and to the zip of all, by their addresses."""
    notebook_href, zip_href = html.escape(notebook_href), html.escape(zip_href)
    return (
        '<p class="vk-elsewhere">To run it elsewhere: '
        f'<a href="{notebook_href}" download>this note as a notebook</a>, or '
        f'<a href="{zip_href}" download>all notes with the modules they import</a>, '
        "after <code>pip install jupyterlab numpy</code>.</p>"
    )


def _add_text(cells: list[dict[str, Any]], lines: list[str]) -> None:
    """Append a Markdown cell with these lines, unless they are blank."""
    text = "\n".join(lines).strip("\n")
    if text.strip("> \n"):
        source = text.splitlines(keepends=True)
        name = f"text-{len(cells)}"
        cells.append({"cell_type": "markdown", "id": name, "metadata": {}, "source": source})


def _code_cell(block: Block, number: int) -> dict[str, Any]:
    """Return the code cell of a block, with its output."""
    metadata: dict[str, Any] = {}
    if "raises" in block.fence.options:
        metadata["tags"] = ["raises-exception"]
    if title := block.fence.options.get("title"):
        # A reader of the notebook as a note must know that it shows that file.
        metadata["vaultkit"] = {"title": title}
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": f"code-{number}",
        "metadata": metadata,
        "outputs": list(_outputs(block)),
        "source": block.fence.text.splitlines(keepends=True),
    }


def _outputs(block: Block) -> Iterator[dict[str, Any]]:
    """Yield the outputs of a block: the text shown, divided into stream and error."""
    if not block.output:
        return
    text, error = block.output.text, ""
    if "raises" in block.fence.options:  # the last line is the error
        before, _, error = text.rpartition("\n")
        text = f"{before}\n" if before else ""
    if text:
        shown = text if text.endswith("\n") else text + "\n"
        yield {
            "output_type": "stream",
            "name": "stdout",
            "text": shown.splitlines(keepends=True),
        }
    if error:
        name, _, value = error.partition(": ")
        yield {"output_type": "error", "ename": name, "evalue": value, "traceback": [error]}


def _without_own_syntax(note: Note, vault: Vault) -> list[str]:
    """Return the lines of a note without the syntax that only Obsidian and the site know."""
    lines = hide(note.text).text.split("\n")
    code = {n for fence in note.fences for n in range(fence.line, fence.end + 1)}
    # From the last link to the first, so that earlier columns stay valid.
    for link in sorted(note.links, key=lambda link: (link.line, link.column), reverse=True):
        line = lines[link.line - 1]
        match = WIKILINK.match(line, link.column - 1) if link.wiki else None
        if match:
            linked = _link_to_markdown(link, note, vault)
            lines[link.line - 1] = line[: match.start()] + linked + line[match.end() :]
    for number, line in enumerate(lines, 1):
        if number in code:
            continue
        line = COMMENT.sub("", REASON.sub("", line))
        line = CALLOUT.sub(_bold_title, line, count=1) if line.lstrip().startswith(">") else line
        line = _FLASHCARD.sub(r"\1*Answer:*", line)
        line = BLOCK_ID.sub("", line)
        lines[number - 1] = line.rstrip()
    for first, last in note.comments:
        for number in range(first, last + 1):
            lines[number - 1] = ""
    return lines


def _bold_title(match: re.Match[str]) -> str:
    """Return the first line of a callout as bold text."""
    return f"**{match['title'] or match['type'].capitalize()}**"


def _link_to_markdown(link: Link, note: Note, vault: Vault) -> str:
    """Return a wikilink as a Markdown link: to the notebook of a note, or to another file.

    It is only the link's words if the link leads nowhere, or to its own note.
    """
    words = link.shown
    try:
        target = vault.resolve(link, note)
    except BrokenLinkError:
        return words
    path = Path(os.path.relpath(target.path, note.path.parent))
    href = "" if target.path == note.path else quote(path.as_posix())
    if target.note:
        href = href and quote(path.with_suffix(".ipynb").as_posix())  # to another note
        # A block, as in [[Note#^id]], has no anchor in Jupyter.
        heading = target.note.heading(link.sub) if link.sub and link.sub[0] != "^" else None
        # Jupyter makes the anchor of a heading in this way.
        href += f"#{quote(heading.text.replace(' ', '-'))}" if heading else ""
    elif link.embed:
        return f"![{path.stem}]({href})"
    return f"[{words}]({href})" if href else words
