"""The state of the page that is being rendered, and of the note at the current place in it."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit, urlunsplit
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.util import ETX, STX

from vaultkit.read.note import Link, Note
from vaultkit.read.vault import Target, Vault
from vaultkit.render.code import CodeBlock, Highlighter, diagram_fences
from vaultkit.store import store_in

#: The host's own marks for placeholders.
PLACEHOLDER_MARKS = re.compile(f"[{STX}{ETX}]")
_CACHE = Path(".cache/vaultkit")

#: Deepest nesting of embeds; beyond it, a link is shown: two embeds in each note would make 2ⁿ.
DEEPEST_EMBED = 5
#: Most embeds on a page: thirty notes that each embed the next thirty would make millions.
MOST_EMBEDS = 100


class Page:
    """A page while Python-Markdown converts it.

    Parameters
    ----------
    md
        The converter.
    options
        The options of `vaultkit.render.host`.
    """

    def __init__(self, md: Markdown, options: dict[str, Any]) -> None:
        self.md = md
        self.options = options
        self.vault: Vault
        #: The note of the page, and the note that is being rendered: within an embed, another one.
        self.host: Note
        self.note: Note
        #: The note, and the lines of it, of each open embed; the innermost is the last.
        self.open_embeds: list[tuple[Path, tuple[int, int] | None]] = []
        #: The number of parts of other notes so far, for the prefixes of ids in them.
        self._scopes = 0
        #: The number of embedded notes so far.
        self.embedded = 0
        self._highlighter: Highlighter | None = None
        #: The addresses of its flashcards.
        self.cards: set[str] = set()
        #: The raw HTML of the page's author, in which MkDocs looks for ids.
        self.author_html: list[str] = []

    @property
    def relpath(self) -> Any:
        """The processor of MkDocs that resolves ``.md`` links; None without MkDocs."""
        return _entry(self.md.treeprocessors, "relpath")

    def begin(self) -> Path:
        """Prepare for the next page: set the vault, and return the path of the page's source."""
        self._scopes = self.embedded = 0
        self.cards.clear()
        self.author_html.clear()
        if self._highlighter is not None:
            self._highlighter.count = -1
        relpath = self.relpath
        # Zensical stores the path of the page here.
        context = _entry(self.md.preprocessors, "rendering_context")
        folder, note = self.options["docs_dir"], "note.md"
        if relpath:
            folder, note = relpath.config.docs_dir, relpath.file.src_uri
        elif context:
            folder, note = context.config.get("docs_dir", folder), context.page.path
        if self.options["vault"]:
            self.vault = self.options["vault"]
        else:  # no plugin has read it: read it for each page, as its files may have changed
            self.vault = Vault(Path(folder).absolute(), public=True, store=store_in(_CACHE))
        given = self.options["note"]
        return Path(given).resolve() if given else self.vault.root / note

    def resolve(self, link: Link) -> Target:
        """Resolve a link of the current note; see `Vault.resolve`."""
        return self.vault.resolve(link, self.note)

    def href(self, target: Target) -> str:
        """Return the address of a target, relative to the folder of the current note."""
        if target.path == self.note.path and target.anchor:
            return f"#{target.anchor}"
        path = _relative_path(os.fspath(target.path), self.note.path)
        return quote(path) + (f"#{target.anchor}" if target.anchor else "")

    def host_knows(self, path: str) -> bool:
        """Return whether the host knows a file at a path relative to the current note.

        Such a file may not be in the vault: another plugin has made it.
        """
        if not self.relpath:
            return False
        folder = self.vault.relative(self.note.path.parent)
        file: Any = self.relpath.files.get_file_from_path(posixpath.normpath(f"{folder}/{path}"))
        return file is not None

    def url(self, href: str) -> str:
        """Return the final address for a path, in HTML in which the host does not resolve links."""
        return str(self.relpath.path_to_url(href)) if self.relpath else href

    def rebase(self, href: str, source: Path) -> str:
        """Return a link of the note ``source`` relative to the current note.

        Addresses of the web, and those from the root of the site, stay as they are.
        """
        url = urlsplit(href)
        if not href or url.scheme or url.netloc or href.startswith("/"):
            return href
        path = os.fspath(source)
        if url.path:  # else it is a link within the source: `#anchor`
            path = os.path.normpath(os.path.join(os.path.dirname(path), unquote(url.path)))  # noqa: PTH118, PTH120
        relative = _relative_path(path, self.note.path)
        return urlunsplit(("", "", quote(relative), url.query, url.fragment))

    def stash(self, html: str) -> str:
        """Give finished HTML to the host; return the placeholder that the host replaces by it."""
        return str(self.md.htmlStash.store(html))

    def stash_author_html(self, source: str) -> str:
        """Give raw HTML of the page's author to the host; return the placeholder for it.

        The marks of placeholders in it are removed: it could insert other parts of the page.
        """
        source = PLACEHOLDER_MARKS.sub("", source)
        self.author_html.append(source)
        return self.stash(source)

    def highlighted(self, source: str, code: CodeBlock) -> str:
        """Return code as highlighted HTML, or the drawing of a diagram."""
        if self._highlighter is None:
            drawn = self.options["fences"] or diagram_fences(store_in(_CACHE))
            self._highlighter = Highlighter(self.md, drawn)
        return self._highlighter.to_html(PLACEHOLDER_MARKS.sub("", source), code)

    def lay_out(self, root: Element) -> None:
        """Indent a part of the page and apply its attribute lists, as the host does for all."""
        for name in ("prettify", "attr_list"):
            if (processor := _entry(self.md.treeprocessors, name)) is not None:
                processor.run(root)

    @contextmanager
    def within_note(self, note: Note, lines: tuple[int, int] | None = None) -> Iterator[str]:
        """Make another note the current one; links are then resolved relative to it.

        Yields
        ------
        str
            The prefix for the ids of this part of the page.
        """
        outer, self.note = self.note, note
        self.open_embeds.append((note.path, lines))
        self._scopes += 1
        try:
            yield f"e{self._scopes}"
        finally:
            self.open_embeds.pop()
            self.note = outer


def _relative_path(path: str, source: Path) -> str:
    """Return a path relative to the folder of a file.

    For paths below that folder, the prefix is cut off, ten times as fast as parsing paths.
    """
    folder = os.path.join(os.path.dirname(source), "")  # noqa: PTH118, PTH120
    below = path[len(folder) :] if path.startswith(folder) else os.path.relpath(path, folder)
    return below.replace(os.sep, "/")


def _entry(registry: Any, name: str) -> Any:
    """Return an entry of a registry of Python-Markdown; None if it is not in use."""
    return registry[name] if name in registry else None  # noqa: SIM401 (it has no `get`)
