"""Lists what two parsers found in a note: that of the checks, and that of the site.

`of_checks` and `of_site` give the same for every note that both read alike. What is compared:
headings and their addresses, links, formulas, code and block ids, each in the order of the page.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from markdown import Markdown

from vaultkit.read.note import Link, Note
from vaultkit.read.vault import BrokenLinkError, Vault
from vaultkit.render.host import EXTENSIONS

_VOID = {"br", "hr", "img", "input", "wbr"}


@dataclass
class Found:
    """What one parser found."""

    headings: list[tuple[int, str]] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    formulas: list[tuple[str, bool]] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    block_ids: set[str] = field(default_factory=set)


def converter(vault: Vault, path: Path, extensions: Sequence[str] = (), **options: Any) -> Markdown:
    """Create a converter with the site's extensions, which leaves formulas as they were written."""
    own = {"vault": vault, "note": str(path), "mathematics": False, **options}
    configs = {**EXTENSIONS, "vaultkit.render.host": own}
    return Markdown(extensions=[*extensions, *configs], extension_configs=configs)


def of_checks(note: Note, vault: Vault) -> Found:
    """Return what `vaultkit.read` found; old addresses of headings are at the end of a page."""
    moved = [link for link in note.old_headings if vault.resolve(link, note).path != note.path]
    links = note.links[len(note.old_headings) :]  # those of properties are first
    return Found(
        headings=[(heading.level, heading.slug) for heading in note.headings],
        links=[_expected(link, note, vault) for link in (*links, *moved)],
        formulas=[(_squeezed(formula.tex), formula.display) for formula in note.formulas],
        code=[fence.text.strip("\n") for fence in note.fences if fence.language != "mermaid"],
        block_ids={f"^{name}" for name in note.block_ids},
    )


def of_site(note: Note, vault: Vault) -> Found:
    """Return what the page shows; an embed counts as one link."""
    md = converter(vault, note.path, backlinks=False, inline_svg=False)
    reader = _Reader()
    reader.feed(md.convert(note.text))
    reader.close()
    doubled = [name for name, count in Counter(reader.ids).items() if count > 1]
    assert not doubled, f"ids that two elements bear: {doubled}"
    return reader.found


def _expected(link: Link, note: Note, vault: Vault) -> str:
    if not link.wiki:
        return link.target + (f"#{link.sub}" if link.sub else "")
    try:
        target = vault.resolve(link, note)
    except BrokenLinkError:
        return f"broken: {link.shown}"
    path = os.path.relpath(target.path, note.path.parent)
    here = target.path == note.path and target.anchor
    return ("" if here else path) + (f"#{target.anchor}" if target.anchor else "")


def _squeezed(tex: str) -> str:
    return " ".join(tex.split())


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found = Found()
        self.ids: list[str] = []
        self.open: list[tuple[str, set[str]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {key: value or "" for key, value in attrs}
        classes = set(values.get("class", "").split())
        self.ids += [values["id"]] if "id" in values else []
        embedded = any("transclusion" in names for _, names in self.open)
        source = any("transclusion-source" in names for _, names in self.open)
        if tag not in _VOID:
            self.open.append((tag, classes))
        if embedded and not source:
            return
        if values.get("id", "").startswith("^"):
            self.found.block_ids.add(values["id"])
        if tag[0] == "h" and tag[1:].isdigit():
            self.found.headings.append((int(tag[1:]), values["id"]))
        elif tag == "img":
            self.link(values["src"])
        elif tag == "a" and not classes & {"headerlink", "footnote-ref", "footnote-backref"}:
            self.link(values["href"])
        elif classes & {"arithmatex", "broken", "output"} or (tag == "pre" and not self.output):
            self.text = ""

    @property
    def output(self) -> bool:
        """Whether the reader is within an output."""
        return any("output" in names for _, names in self.open)

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID:
            return
        name, classes = self.open.pop()
        assert name == tag, f"<{name}> is closed by </{tag}>"
        if any("transclusion" in names for _, names in self.open):
            return
        # An output may hold tables, and lines between them.
        is_code = tag == "pre" and "vk-diagram" not in classes and not self.output
        if is_code or "output" in classes:
            self.found.code.append(self.text.strip("\n"))
        elif "arithmatex" in classes:
            self.found.formulas.append((_squeezed(self.text.strip()[2:-2]), tag == "div"))
        elif "broken" in classes:
            self.found.links.append(f"broken: {self.text}")

    def link(self, href: str) -> None:
        if "://" not in href and not href.startswith("mailto:"):
            path, mark, anchor = href.partition("#")
            self.found.links.append(unquote(path) + mark + anchor)
