"""Writes, at a save, the pages that it touches, and nothing else.

MkDocs does at each save what it does for a whole site: it lists all files, reads all notes and puts
each into its template. Where nothing has changed but what some notes say, all that comes out as
before, but for the pages of these notes, those that show or quote them, and what search knows.
Whatever else may have changed is left to MkDocs.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from mkdocs.commands import build as of_mkdocs
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from vaultkit.read.discovery import state_of
from vaultkit.read.note import Note
from vaultkit.read.vault import BrokenLinkError, Vault
from vaultkit.render import mathematics

if TYPE_CHECKING:
    from vaultkit.doors.mkdocs_plugin import VaultPlugin

#: Plugins that make nothing of a page which they do not make anew when it is read again.
_KNOWN = {"material/search", "material/tags", "search", "vaultkit"}
#: So many pages are better written by all processors.
_MOST = 50
_log = logging.getLogger("mkdocs.plugins.vaultkit")


class SavedPages:
    """The site as the last build has left it.

    Parameters
    ----------
    plugin
        That which has built it.
    """

    def __init__(self, plugin: VaultPlugin) -> None:
        self._plugin = plugin
        #: What the last build went by; None where it has not come to its end.
        self._built: tuple[MkDocsConfig, Files, Navigation, Any] | None = None
        #: The other files that it went by, as they were when it began.
        self._beside: list[object] | None = None

    def begin(self, config: MkDocsConfig) -> None:
        """Know of nothing, until this build has come to its end."""
        self._built, self._beside = None, self._states(config)

    def end(self, config: MkDocsConfig, files: Files, nav: Navigation, env: Any) -> None:
        """Remember what the build went by."""
        plugin = self._plugin
        is_known = plugin.known and set(config.plugins) <= _KNOWN
        # What a browser is to check holds all notes; what warns ends a strict build.
        if is_known and self._beside and not config.strict and not plugin.config.pyodide:
            self._built = config, files, nav, env

    def build(self, whole: Callable[[], None]) -> None:
        """Build what a save touches; where nobody can tell what that is, the whole site."""
        began = time.perf_counter()
        built, self._built = self._built, None
        touched = self._touched(built[0], built[1]) if built else None
        if built is None or touched is None or not self._write(touched, *built):
            whole()
            return
        self._built = built
        _log.info("Wrote what was saved in %.2f seconds", time.perf_counter() - began)

    @property
    def _vault(self) -> Vault:
        assert self._plugin.vault is not None
        return self._plugin.vault

    def _states(self, config: MkDocsConfig) -> list[object] | None:
        """Tell the states of all files that a build reads, but for notes; None if that is much."""
        vault = self._vault
        found = [path for path in vault.whole.files if path not in vault.whole.notes]
        settings = Path(config.config_file_path or "")
        found.append(settings)
        if not settings.is_file() or "INHERIT" in settings.read_text("utf-8", errors="replace"):
            return None
        for name in (*config.watch, config.theme.custom_dir or ""):
            folder = Path(name).absolute()
            if name and vault.root.is_relative_to(folder):
                return None
            found += [folder, *sorted(folder.rglob("*"))] if name else []
        return [(os.fspath(path), state_of(path)) for path in found]

    def _touched(self, config: MkDocsConfig, files: Files) -> list[Page] | None:
        """Read what was saved, and find the pages that show something of it; None if any may."""
        plugin, vault = self._plugin, self._vault
        if self._states(config) != self._beside:
            return None
        saved = vault.update()
        if saved is None or not self._shows_on_own_page(saved.befores):
            return None
        plugin.ledger = plugin.ledger_of(vault.whole)
        known = plugin.entries
        for file in plugin.read_ledger(files, config):
            self._put(file.abs_dest_path, file.content_bytes)
        told = {uri for uri in plugin.entries if plugin.entries[uri] != known.get(uri)}
        touched = {*saved.befores, *saved.quoted, *(vault.root / uri for uri in told)}
        touched = _with_hosts(vault, touched)
        if told:
            touched |= {p for p, note in vault.notes.items() if plugin.counts_checks(note)}
        found = [files.get_file_from_path(vault.relative(path)) for path in touched]
        pages = [file.page for file in found if file and file.page]
        if len(pages) > _MOST or any(plugin.is_filled_in(page, config) for page in pages):
            return None
        return pages

    def _shows_on_own_page(self, befores: Mapping[Path, Note]) -> bool:
        """Tell whether only pages that show, quote or check a note show that it was changed."""
        plugin, vault = self._plugin, self._vault
        if not befores:
            return True
        explaining = {note.path for _, note in plugin.meanings}
        if any(
            path not in vault.notes or path.suffix != ".md" or path in explaining
            for path in befores
        ):
            return False
        if plugin.find_needs() != plugin.needs:
            return False
        # Fonts hold the signs that there are on all pages.
        rest = [note for path, note in vault.notes.items() if path not in befores]
        for signs in (_letters, _signs):
            before = set().union(*map(signs, befores.values()))
            now = set().union(*(signs(vault.notes[path]) for path in befores))
            if before != now and not before ^ now <= set().union(*map(signs, rest)):
                return False
        return True

    def _write(
        self, pages: list[Page], config: MkDocsConfig, files: Files, nav: Any, env: Any
    ) -> bool:
        """Write pages, and what search knows of them; tell whether no other page shows of that."""
        plugin = self._plugin
        plugin.rendered.resume()
        plugin.on_pre_build(config=config)
        cards = dict(plugin.flashcards)
        listed = [plugin.as_listed(page) for page in pages]
        for page in pages:
            # What it was rendered by at the last build renders by what it was rendered by before.
            page.__dict__.pop("render", None)
            of_mkdocs._populate_page(page, config, files)
        if [plugin.as_listed(page) for page in pages] != listed or plugin.flashcards != cards:
            return False
        documents = files.documentation_pages(inclusion=InclusionLevel.is_in_serve)
        for page in pages:
            hidden = page.file.inclusion.is_excluded()  # type: ignore[no-untyped-call]
            of_mkdocs._build_page(page, config, documents, nav, env, excluded=hidden)
            plugin.written.forget(Path(page.file.abs_dest_path))
        for page in pages:
            level = config.validation.links.anchors
            page.validate_anchor_links(files=files, log_level=level)
        index = plugin.index()
        self._put(index.abs_dest_path, index.content_bytes)
        for where, text in plugin.markdown(pages):
            self._put(os.path.join(config.site_dir, unquote(where)), text.encode())  # noqa: PTH118
        return True

    def _put(self, name: str, content: bytes) -> None:
        path = Path(name)
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            self._plugin.written.forget(path)


def _with_hosts(vault: Vault, paths: set[Path]) -> set[Path]:
    """Add the notes that show any of some notes, or those that these show."""
    shown: dict[Path, set[Path]] = {}
    for note in vault.notes.values():
        for link in note.links:
            if link.embed:
                try:
                    shown.setdefault(vault.find(link.target, note.path), set()).add(note.path)
                except BrokenLinkError:
                    continue
    found, waiting = set(paths), list(paths)
    while waiting:
        hosts = shown.get(waiting.pop(), set()) - found
        found |= hosts
        waiting += hosts
    return found


def _letters(note: Note) -> set[str]:
    return set(note.text)


def _signs(note: Note) -> set[str]:
    return set(chain(*(mathematics.characters(f.tex, f.display) for f in note.formulas)))
