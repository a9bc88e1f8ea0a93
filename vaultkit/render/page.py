"""What is being rendered: the page, and the note whose text stands at this point of it."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit, urlunsplit
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.util import ETX, STX

from vaultkit.read.note import Link, Note
from vaultkit.read.vault import Target, Vault
from vaultkit.render.code import CodeBlock, Highlighter, fences

#: What the host marks its own places with.
SIGNS = re.compile(f"[{STX}{ETX}]")
_CACHE = Path(".cache/vaultkit")

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
        Those of `vaultkit.render.host`.
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
        self._code: Highlighter | None = None
        #: The addresses of its flashcards.
        self.cards: set[str] = set()
        #: The HTML that its author has written.
        self.raw: list[str] = []

    @property
    def relpath(self) -> Any:
        """What MkDocs turns ``.md`` links into addresses with; None without MkDocs."""
        return _named(self.md.treeprocessors, "relpath")

    def begin(self) -> Path:
        """Find the vault and the path of the page's source, as the host has them now."""
        self._scopes = self.embedded = 0
        self.cards.clear()
        self.raw.clear()
        if self._code is not None:
            self._code.count = -1
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

    def stash(self, html: str) -> str:
        """Give HTML that is ready to the host; return what stands for it until the page is."""
        return str(self.md.htmlStash.store(html))

    def html(self, source: str) -> str:
        """Let HTML through that the author of the page has written."""
        source = SIGNS.sub("", source)
        self.raw.append(source)
        return self.stash(source)

    def highlighted(self, source: str, code: CodeBlock) -> str:
        """Write code as HTML."""
        if self._code is None:
            self._code = Highlighter(self.md, self.options["fences"] or fences(_CACHE))
        return self._code.write(SIGNS.sub("", source), code)

    def lay_out(self, root: Element) -> None:
        """Lay a part of the page out, and read its attributes, as the host does for all of it."""
        for name in ("prettify", "attr_list"):
            if (processor := _named(self.md.treeprocessors, name)) is not None:
                processor.run(root)

    @contextmanager
    def reading(self, note: Note, lines: tuple[int, int] | None = None) -> Iterator[str]:
        """Read another note: its links are meant from there.

        Yields
        ------
        str
            What tells the ids of this part from those of the rest of the page.
        """
        before, self.note = self.note, note
        self.trail.append((note.path, lines))
        self._scopes += 1
        try:
            yield f"e{self._scopes}"
        finally:
            self.trail.pop()
            self.note = before


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
