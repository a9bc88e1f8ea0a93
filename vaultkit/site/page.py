"""What is being rendered: the page, and the note whose text stands at this point of it."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote, unquote, urlsplit, urlunsplit
from xml.etree.ElementTree import Element

from markdown import Markdown

from vaultkit.read.note import Link, Note
from vaultkit.read.vault import Target, Vault


@dataclass
class Made:
    """A block: an element to be, or its beginning."""

    tag: str
    text: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    #: Whether others stand in it.
    holds: bool = False
    #: Whether it is the text of an item in a list without gaps, and no paragraph of its own.
    tight: bool = False
    element: Element | None = None


#: What leaves words as they are, of all that reads lines or changes them.
_KNOWN = frozenset(
    re.findall(
        r"\S+",
        "backtick arithmatex-inline escape footnote reference link image_link image_reference "
        "short_reference short_image_ref autolink automail linebreak html entity em_strong "
        "delimiter vaultkit-display vaultkit-wikilink vaultkit-comment vaultkit-footnote "
        "vaultkit-address vaultkit-line-break vaultkit-tag vaultkit-footnote-order "
        "indent-highlight vaultkit-block-ids task-list inline vaultkit-links vaultkit-callouts "
        "footnote-duplicate prettify attr_list vaultkit-captions vaultkit-tables "
        "vaultkit-obsidian toc vaultkit-mathematics unescape vaultkit-tag-addresses "
        "vaultkit-safe vaultkit-name-links vaultkit-name-formulas vaultkit-name-predictions "
        "relpath mkdocs_extract_anchors mkdocs_extract_title",
    )
)
#: Embeds within embeds, after which a link has to do: two notes of two embeds each make 2ⁿ.
DEPTH = 5
#: And on one page: thirty notes that each show the next thirty would make millions.
MOST = 100


class Page:
    """One page while Python-Markdown converts it.

    Parameters
    ----------
    md
        The converter.
    options
        Those of `vaultkit.site.obsidian`.
    """

    def __init__(self, md: Markdown, options: dict[str, Any]) -> None:
        self.md = md
        self.options = options
        self.vault: Vault
        #: The note that the page shows, and the one that is being read: another within an embed.
        self.host: Note
        self.note: Note
        #: The embeds that lead here, so that cycles end.
        self.trail: list[tuple[Path, tuple[int, int] | None]] = []
        self._scopes = 0
        #: How many notes it shows.
        self.embedded = 0
        #: The blocks that wait to be put into it; see `vaultkit.site.blocks`.
        self.made: list[Made] = []
        #: The marks of footnotes, in the order of the text that was read last.
        self.marks: list[str] = []

    @property
    def relpath(self) -> Any:
        """What MkDocs turns ``.md`` links into addresses with; None without MkDocs."""
        return _named(self.md.treeprocessors, "relpath")

    def begin(self) -> Path:
        """Find the vault and the path of the page's source, as the host has them now."""
        self._scopes = self.embedded = 0
        self.made.clear()
        relpath = self.relpath
        # Where Zensical says what it renders.
        context = _named(self.md.preprocessors, "rendering_context")
        folder, note = self.options["docs_dir"], "note.md"
        if relpath:
            folder, note = relpath.config.docs_dir, relpath.file.src_uri
        elif context:
            folder, note = context.config.get("docs_dir", folder), context.page.path
        if self.options["vault"]:
            self.vault = self.options["vault"]
        else:
            self.vault = _vault(Path(folder).absolute())
            self.vault.refresh()
        own = self.options["note"]
        return Path(own).resolve() if own else self.vault.root / note

    @cached_property
    def is_known(self) -> bool:
        """Whether nothing but what is known here reads what is in a line, or changes it then."""
        parts: list[Any] = [*self.md.inlinePatterns._priority, *self.md.treeprocessors._priority]  # type: ignore[attr-defined]
        return {part.name for part in parts} <= _KNOWN

    def resolve(self, link: Link) -> Target:
        """Find where a link of the note that is being read leads; see `Vault.resolve`."""
        return self.vault.resolve(link, self.note)

    def href(self, target: Target) -> str:
        """Write a link to a place, as seen from the folder of the note that is being read."""
        if target.path == self.note.path and target.anchor:
            return f"#{target.anchor}"
        path = _relative(os.fspath(target.path), self.note.path)
        return quote(path) + (f"#{target.anchor}" if target.anchor else "")

    def is_there(self, path: str) -> bool:
        """Tell whether the host knows a file at a path, as seen from the note that is read."""
        if not self.relpath:
            return False
        here = self.vault.relative(self.note.path.parent)
        known: Any = self.relpath.files.get_file_from_path(posixpath.normpath(f"{here}/{path}"))
        return known is not None

    def address(self, href: str) -> str:
        """Turn a link into an address, where only MkDocs knows that and does not see the link."""
        return str(self.relpath.path_to_url(href)) if self.relpath else href

    def rebase(self, href: str, source: Path) -> str:
        """Write a link of the note ``source`` as seen from the note that is being read."""
        url = urlsplit(href)
        if not href or url.scheme or url.netloc or href.startswith("/"):
            return href
        path = os.fspath(source)
        if url.path:
            path = os.path.normpath(os.path.join(os.path.dirname(path), unquote(url.path)))  # noqa: PTH118, PTH120
        here = _relative(path, self.note.path)
        return urlunsplit(("", "", quote(here), url.query, url.fragment))

    def blocks(self, lines: list[str]) -> Element:
        """Read lines of Markdown: all that Python-Markdown does before it has a tree."""
        # MkDocs' own keeps the anchors of the text it saw last, which must be the page's.
        of_mkdocs = _named(self.md.preprocessors, "mkdocs_raw_html")
        for preprocessor in self.md.preprocessors:
            if preprocessor is not of_mkdocs:
                lines = preprocessor.run(lines)
        root: Any = self.md.parser.parseDocument(lines).getroot()
        return cast(Element, root)

    def finish(self, root: Element) -> Element:
        """Do for a part of the page what comes before `obsidian._Finish` for all of it."""
        for processor in self.md.treeprocessors:
            if processor is self.md.treeprocessors["vaultkit-obsidian"]:
                break
            result = processor.run(root)
            root = root if result is None else result
        return root

    @contextmanager
    def reading(self, note: Note, lines: tuple[int, int] | None = None) -> Iterator[str]:
        """Read another note: its links are meant from there, its footnotes are its own.

        Yields
        ------
        str
            What tells the ids of this part from those of the rest of the page.
        """
        footnotes = self.footnotes
        kept = ("footnotes", "footnote_order", "found_refs", "used_refs")
        saved = {name: getattr(footnotes, name) for name in kept if hasattr(footnotes, name)}
        for name, value in saved.items():
            setattr(footnotes, name, type(value)())
        before, self.note = self.note, note
        self.trail.append((note.path, lines))
        self._scopes += 1
        try:
            yield f"e{self._scopes}"
        finally:
            self.trail.pop()
            self.note = before
            for name, value in saved.items():
                setattr(footnotes, name, value)

    @property
    def footnotes(self) -> Any:
        """The footnotes extension; None where it is not in use."""
        return getattr(_named(self.md.inlinePatterns, "footnote"), "footnotes", None)


def _relative(path: str, source: Path) -> str:
    """Write a path as seen from the folder of a file.

    What stands below that folder begins with its name; to take paths apart takes ten times as long.
    """
    folder = os.path.join(os.path.dirname(source), "")  # noqa: PTH118, PTH120
    below = path[len(folder) :] if path.startswith(folder) else os.path.relpath(path, folder)
    return below.replace(os.sep, "/")


def _named(registry: Any, name: str) -> Any:
    """Find what Python-Markdown calls by a name; None where it is not in use."""
    return registry[name] if name in registry else None  # noqa: SIM401 (it has no `get`)


@lru_cache(maxsize=8)
def _vault(root: Path) -> Vault:
    return Vault(root, public=True)
