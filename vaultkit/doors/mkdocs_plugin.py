"""The door to MkDocs: hands it the vault, its addresses, its problems and the look of the site.

What a page says is the business of the Python-Markdown extensions; here stands only what needs
the whole site.
"""

from __future__ import annotations

import gc
import html
import json
import logging
import posixpath
import re
import subprocess
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from markupsafe import Markup
from mkdocs.config import config_options
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import ConfigurationError, MkDocsException
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url, nest_paths
from mkdocs.utils.meta import META_RE

from vaultkit.checks.arrays import arrays
from vaultkit.checks.asked import asked as asked_in
from vaultkit.checks.check import FAILS
from vaultkit.checks.evidence import Part, parts
from vaultkit.doors.built_pages import BuiltPages
from vaultkit.doors.contents import Contents
from vaultkit.doors.helpers import Helpers, divided
from vaultkit.doors.redirects import redirects
from vaultkit.doors.rendered_pages import RenderedPages
from vaultkit.doors.saved_pages import SavedPages
from vaultkit.doors.saves import Saves
from vaultkit.doors.site_assets import FOLDER, THEME, SiteAssets, generated, move, theme
from vaultkit.doors.written_pages import CompiledTemplates, WrittenPages
from vaultkit.files import write_atomically
from vaultkit.pipeline.inspect import Settings, inspect_text
from vaultkit.pipeline.ledger import Ledger, folder_of, published
from vaultkit.read.cache import folder_beside
from vaultkit.read.discovery import READERS, read_ahead
from vaultkit.read.graph import way_in
from vaultkit.read.note import Note
from vaultkit.read.options import OptionsError
from vaultkit.read.syntax import natural, place, printable
from vaultkit.read.vault import BrokenLinkError, Target, Vault
from vaultkit.render import mathematics
from vaultkit.render.code import fences
from vaultkit.render.host import PARTS, refusal
from vaultkit.site import (
    anki,
    evidence,
    flashcards,
    graph,
    machines,
    meanings,
    notebooks,
    predictions,
    report,
    road,
    runnable,
    search_index,
    styles,
)
from vaultkit.site.front import front_page
from vaultkit.site.material import bearable, escaped, later, linked, mended, searching

#: Plugins that show on a page what can be asked for beforehand.
_KNOWN = {"material/search", "material/tags", "material/typeset", "mkdocs-jupyter", "search"}
_KNOWN |= {"vaultkit"}
#: So many notes are not read as fast as another process begins to read them.
_MANY = 64
_ALL_NOTEBOOKS = "notebooks.zip"


_TAG = re.compile(r"<[^>]*>")
_HEADING = re.compile(r"<h1\b.*?</h1>", re.DOTALL)
#: Characters that a phone shows of a page before its reader scrolls.
_FIRST_SCREEN = 700

#: The page that Material's plugin makes lists of, and its chips lead to.
_TAGS = """---
description: All notes by what they are about.
---
# Tags

All notes by what they are about.

<!-- material/tags -->
"""
#: And the one that shows them all as a graph.
_MAP = """---
description: All notes of the road as a map, each below what must be understood before it.
search:
  exclude: true
---
# Map

Each note stands below those that must be understood before it. A line leads from a note to one that
directly builds on it; what is further up is needed, too.

<!-- map -->
"""
_MAP_HERE = "<!-- map -->"
_LEDGER = "<!-- ledger -->"
_PREDICTIONS = "<!-- predictions -->"
_FLASHCARDS = "<!-- flashcards -->"
_DECK = "flashcards.apkg"
_NOTEBOOK = re.compile(r"<pre>(.*)</pre>", re.DOTALL)

_log = logging.getLogger("mkdocs.plugins.vaultkit")


class VaultConfig(Config):  # type: ignore[no-untyped-call]
    """Settings below ``plugins: - vaultkit:`` in ``mkdocs.yml``."""

    cache_dir = config_options.Type(str, default=".cache/vaultkit")
    #: The note whose ``<!-- ledger -->`` gives way to all that was checked.
    checks_page = config_options.Type(str, default="Checks.md")
    #: The sections of ``nav`` that hold no steps of the reader's road: what one looks up.
    off_the_road = config_options.ListOfItems(config_options.Type(str), default=[])
    #: The sections of ``nav`` beside the road: each of their notes is entered from one on the road.
    side_roads = config_options.ListOfItems(config_options.Type(str), default=[])
    #: Shorter roads: a name, and the notes in their order.
    roads = config_options.DictOfItems(
        config_options.ListOfItems(config_options.Type(str)), default={}
    )
    #: The notes that explain terms and letters, which then show their meaning on all other pages.
    meanings = config_options.ListOfItems(config_options.Type(str), default=[])
    #: Whether ``mkdocs serve`` runs the notes that were saved, to show at once what holds.
    check_saved = config_options.Type(bool, default=False)
    #: Folders of scripts and style sheets whose addresses change with what they hold.
    named_by_content = config_options.ListOfItems(config_options.Type(str), default=[])
    #: Where Pyodide is, so that readers can check pages in their browsers; empty: they cannot.
    pyodide = config_options.Type(str, default="")


class VaultPlugin(BasePlugin[VaultConfig]):  # type: ignore[no-untyped-call]
    """Makes a site of a vault."""

    def __init__(self) -> None:
        self.vault: Vault | None = None
        self.ledger: Ledger | None = None
        self.serving = False
        self.attributes = False
        #: Only what has changed is written: MkDocs was told so.
        self.incremental = False
        self.written = WrittenPages()
        self.compiled = CompiledTemplates()
        self.contents = Contents()
        self.built = BuiltPages(self.contents)
        self.saves: Saves | None = None
        self.saved = SavedPages(self)
        #: What MkDocs has made of the site: its files, their navigation, its templates.
        self._made: tuple[Files, Navigation, Any]
        #: The notes that were checked after a save, as they were then.
        self.tried: set[tuple[Path, str]] = set()
        #: By path, what is wrong with the text of each note, and what that rests on.
        self.faults: dict[Path, tuple[tuple[str, ...], list[tuple[int, str]]]] = {}
        #: By path, what the ledger knows of each note that has a page; and the script to filter it.
        self.entries: dict[str, report.Entry] = {}
        self.script = ""
        self.checks_page: File | None = None
        #: By path, the pages that search knows; kept, since a build may be of some pages alone.
        self.searched: dict[str, bytes] = {}
        #: And how many words there are on each.
        self.words: dict[str, int] = {}
        #: The pages of ``nav`` that readers go through in its order.
        self.road: list[Page] = []
        #: Those of its side roads.
        self.sides: list[Page] = []
        #: By name, the pages of each shorter road.
        self.roads: dict[str, list[Page]] = {}
        #: Whether ``nav`` is that of its settings.
        self.is_ordered = False
        #: By the path of each note on it, the notes that must be understood directly before.
        self.needs: dict[Path, list[Path]] = {}
        self.map_page: File | None = None
        self.pages: list[Page] = []
        #: By path of the note.
        self.page_of: dict[Path, Page] = {}
        #: Whether all that changes pages is: plugins and hooks of others may do anything.
        self.known = True
        self.assets: SiteAssets
        self.rendered: RenderedPages
        #: By path, the flashcards of pages; kept, since a build may be of some pages alone.
        self.flashcards: dict[str, list[anki.Card]] = {}

    def on_startup(self, *, command: str, dirty: bool = False, **_: Any) -> None:
        """Note whom the site is for; count warnings even where ``--quiet`` hides them.

        MkDocs silences the logger itself, so `mkdocs build --strict --quiet` would pass with
        broken links. What is shown is the handler's business.
        """
        # The notes and pages of a site stay to the end of a build: to look for rubbish among them
        # again and again takes a tenth of it, and more of what a save takes.
        gc.set_threshold(50_000, 20, 100)
        self.serving = command == "serve"
        self.incremental = self.serving and dirty
        if self.incremental:
            # MkDocs warns at each save that navigation may be wrong. With this it is not.
            logging.getLogger("mkdocs.commands.build").addFilter(_is_no_warning_of_dirt)
        logger = logging.getLogger("mkdocs")
        if logger.level > logging.WARNING:
            for handler in logger.handlers:
                handler.setLevel(max(handler.level, logger.level))
            logger.setLevel(logging.WARNING)

    # Before the theme's plugins, which ask for it unasked.
    @event_priority(100)
    def _see_extensions(self, config: MkDocsConfig) -> None:
        """Note whether the author of the site wants attributes behind text to be read."""
        names = (str(name).split(".")[-1] for name in config.markdown_extensions)
        self.attributes = not {"attr_list", "extra"}.isdisjoint(names)

    def _read_vault(self, config: MkDocsConfig) -> MkDocsConfig:
        """Read the vault, and give it to the extension that renders its links."""
        root = Path(config.docs_dir).resolve()
        try:
            if self.vault is None or self.vault.root != root:
                # What is not for the public is not known from here on.
                kept = folder_beside(root)
                helpers = Helpers(lambda h: read_ahead(root, kept, h.share), _worth(root, kept))
                self.vault = Vault(root, public=True, cache=kept)
                helpers.end()
            else:
                self.vault.refresh()
        except OptionsError as error:
            raise ConfigurationError(str(error)) from error
        if self.incremental:
            self.saved.begin(config)
        self.ledger = self.ledger_of(self.vault.whole)
        self.rendered = RenderedPages(self._cache(config) / "pages", self.vault, config)
        ours = {*PARTS, "vaultkit"} | (set() if self.attributes else {"attr_list"})
        listed = [name for name in config.markdown_extensions if name not in ours]
        # Ours comes last: it sees what the others have left.
        config.markdown_extensions = [*listed, *PARTS]
        for name, settings in PARTS.items():
            config.mdx_configs[name] = {**settings, **(config.mdx_configs.get(name) or {})}
        drawn = config.mdx_configs.get("pymdownx.superfences", {}).get("custom_fences")
        config.mdx_configs["vaultkit.render.host"].update(
            vault=self.vault,
            places=True,
            html=self.vault.options.html,
            fences=drawn or fences(self._cache(config)),
        )
        self.meanings = self._read_meanings()
        self.explained = self._places_of_meanings()
        self.terms = meanings.Meanings(meaning for meaning, _ in self.meanings)
        self.known = not config.hooks and set(config.plugins) <= _KNOWN
        if "mkdocs-jupyter" in config.plugins:
            self._tame_jupyter(config.plugins["mkdocs-jupyter"])
        # Below the folders of the user, so that a `custom_dir` can still overrule us.
        config.theme.dirs.insert(1 if config.theme.custom_dir else 0, str(THEME / "templates"))
        return config

    on_config = CombinedEvent(_see_extensions, _read_vault)

    def on_pre_build(self, config: MkDocsConfig) -> None:
        """Report what is wrong with the notes."""
        assert self.vault is not None
        folder = posixpath.basename(Path(config.docs_dir).as_posix())
        settings = Settings(typeset=mathematics.to_mathml, shown=True)
        known, self.faults = self.faults, {}
        for note in self.vault.notes.values():
            path = self.vault.relative(note.path)
            rests_on = note.digest, self.rendered.named
            before, faults = known.get(note.path, ((), []))
            if before != rests_on:
                checks = inspect_text(note, self.vault.whole, settings)
                faults = [(check.line, check.why) for check in checks if check.outcome == FAILS]
            self.faults[note.path] = rests_on, faults
            for line, why in faults:
                _log.warning("%s/%s:%s: %s", folder, path, line, why)

    # Before other plugins open any of them.
    @event_priority(100)
    def _drop_files(self, files: Files, config: MkDocsConfig) -> Files:
        """Drop what no build survives: what waits, never ends, or has no name that can be sent.

        MkDocs follows links to folders in circles, as deep as the system lets it.
        """
        assert self.vault is not None
        root = Path(config.docs_dir)
        known = {root / path.relative_to(self.vault.root) for path in self.vault.files}
        for file in list(files):
            path = Path(file.abs_src_path or "")
            if not file.src_dir or Path(file.src_dir) != root or path.name.startswith("."):
                continue
            if path in known and _can_be_sent(file.src_uri) and _is_copied(path):
                continue
            if path not in self.vault.notes and path in known:
                _log.warning("%s is left out: nothing that can be sent", printable(file.src_uri))
            files.remove(file)
        return files

    # After other plugins have made pages of their files, notebooks for one.
    @event_priority(-50)
    def _add_files(self, files: Files, config: MkDocsConfig) -> Files:
        """Give every note its address, every alias a way to it; add what the pages need."""
        assert self.vault is not None
        self._set_addresses(files)
        self.assets = SiteAssets(self.vault, config, self._cache(config), self.incremental)
        self.assets.rename(files, self.config.named_by_content)
        self._add_front(files, config)
        taken = {file.dest_uri for file in files}
        for uri, content in redirects(self.vault, files, config.use_directory_urls):
            if uri not in taken:
                taken.add(uri)
                files.append(generated(config, uri, content))
        if "material/tags" in config.plugins and "tags/index.html" not in taken:
            files.append(generated(config, "tags.md", _TAGS, InclusionLevel.NOT_IN_NAV))
        self.map_page = None
        if config.nav and not {"map.html", "map/index.html"} & taken:
            self.map_page = generated(config, "map.md", _MAP, InclusionLevel.NOT_IN_NAV)
            files.append(self.map_page)
        for file in self.assets.scripts():
            files.append(file)
        for file in self.read_ledger(files, config):
            files.append(file)
        if self.config.pyodide:
            for file in (*self._runnable(config), *self._notebooks(config)):
                files.append(file)
        # Where nobody has put the pages into an order, it is Obsidian's.
        self.is_ordered = bool(config.nav)
        if not self.is_ordered:
            pages = sorted(files.documentation_pages(), key=_in_order)
            least = InclusionLevel.UNDEFINED.value
            nest: Any = nest_paths
            config.nav = nest(page.src_uri for page in pages if page.inclusion.value >= least)
        return files

    def _add_front(self, files: Files, config: MkDocsConfig) -> None:
        """Have a page where readers begin: the note that is meant for that, or a list of all."""
        assert self.vault is not None
        if any(file.dest_uri == "index.html" for file in files):
            return
        note = way_in(self.vault)
        file = files.get_file_from_path(self.vault.relative(note.path)) if note else None
        if file:
            move(file, "index.html")
            file.name = "index"
        else:
            title = str(config.site_name or self.vault.root.name)
            files.append(generated(config, "index.md", front_page(self.vault, title)))

    on_files = CombinedEvent(_drop_files, _add_files)

    def on_serve(self, server: Any, config: MkDocsConfig, builder: Any, **_: Any) -> Any:
        """Build again as soon as a file is saved, and when the notes were checked again."""
        assert self.vault is not None
        if not self.config.check_saved:  # otherwise it is this that has written there
            folder = folder_of(self.vault)
            folder.mkdir(parents=True, exist_ok=True)  # what is not there cannot be watched
            server.watch(str(folder))
        self.saves = Saves(server, Path(config.docs_dir).absolute())
        if self.incremental:
            server.builder = partial(self.saved.build, builder)
        return server

    def on_shutdown(self) -> None:
        """Listen to no more saves."""
        if self.saves:
            self.saves.end()

    def ledger_of(self, vault: Vault) -> Ledger:
        """Return what is known of the notes of a vault, those checked that were saved."""
        self.ledger = Ledger(vault)
        if self.serving and self.config.check_saved:
            self._check_saved()
        return self.ledger

    def _check_saved(self) -> None:
        """Have the notes checked of which nothing is known any more.

        In a process of its own: that of a server has threads, and cannot be divided.
        """
        assert self.vault is not None
        assert self.ledger is not None
        notes = [
            note
            for note in self.vault.whole.notes.values()
            if (note.path, note.digest) not in self.tried and self.ledger.checks(note) is None
        ]
        if not notes:
            return
        # What does not run to its end is not tried again and again.
        self.tried.update((note.path, note.digest) for note in notes)
        names = [word for note in notes for word in ("--note", self.vault.relative(note.path))]
        command = [sys.executable, "-m", "vaultkit", "check", str(self.vault.root), *names]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        for line in (done.stdout + done.stderr * (done.returncode > 1)).splitlines():
            _log.info("%s", line)

    def on_page_read_source(self, page: Page, **_: Any) -> str | None:
        """Read what can be read of a note that MkDocs would stumble over."""
        note = self._note(page)
        if note and note.refused:
            return "\n".join(refusal(note))
        # MkDocs takes a first line `Author: …` for a property; a blank one keeps it from that.
        return f"\n{note.text}" if note and META_RE.match(note.text) else None

    # After mkdocs-jupyter, which gives pages of notebooks their own way to be rendered.
    @event_priority(-50)
    def on_pre_page(self, page: Page, **_: Any) -> Page:
        """Render a notebook like a note; let no note end the build."""
        note = self._note(page)
        render: Any = page.render
        if note and note.refused:
            render = partial(Page.render, page)
        elif page.file.src_uri.endswith(".ipynb"):
            render = partial(_render_notebook, page, render)
        if note:
            if not page.file.src_uri.endswith(".ipynb") and not note.refused:
                render = partial(self.rendered.render, page, note, render)
            page.render = partial(_render, page, render, note)  # type: ignore[method-assign]
        return page

    # Before the theme's plugins read the properties.
    @event_priority(100)
    def on_page_markdown(self, markdown: str, page: Page, config: MkDocsConfig, **_: Any) -> str:
        """Describe the page by its summary, to those who list it."""
        note = self._note(page)
        page.meta = bearable(page.meta, config.theme.dirs)
        if note and note.summary:
            page.meta.setdefault("description", note.summary)
        # The theme's templates take what they get for HTML.
        page.meta = escaped(page.meta)
        if note and note.title == note.name:  # no heading says how to write it
            if page.is_homepage:
                page.title = html.escape(config.site_name)
            else:
                page.meta.setdefault("title", html.escape(note.name))
        if page.is_homepage:
            # The way in is short: a list of its headings would only stand beside it.
            page.meta.setdefault("hide", ["toc"])
        # Python-Markdown reads no page that says nothing, and one may have properties to show.
        return markdown if markdown.strip() else "<!-- -->"

    # After all that changes the page.
    @event_priority(-100)
    def on_page_content(
        self, html_: str, /, page: Page, config: MkDocsConfig, files: Files, **_: Any
    ) -> str:
        """Read the page for search and for the deck; write the links of its drawings anew."""
        note = self._note(page)
        self._gather_cards(html_, page, config, files)
        uri = page.file.src_uri
        self.searched.pop(uri, None)
        self.words.pop(uri, None)
        if not (page.meta.get("search") or {}).get("exclude"):
            links = self.vault.backlinks(note) if note and self.vault else []
            sections = self.rendered.sections(html_)
            self.words[uri] = sum(len(part.text.split()) for part in sections)
            entry = search_index.Entry(
                url=page.url,
                title=note.title if note else str(page.title),
                aliases=note.aliases if note else (),
                tags=note.tags if note else (),
                summary=note.summary if note else "",
                linked=len({link.source.path for link in links}),
                sections=sections,
            )
            self.searched[uri] = search_index.written(entry)
        content = linked(html_)
        if self.incremental or not self.known or self.is_filled_in(page, config):
            return content
        # Nothing looks at it until it is written.
        self.contents.put(page, content)
        if note and note.path.suffix == ".md":
            page.markdown = ""
            note.forget_lines()
        return ""

    def on_nav(self, nav: Navigation, files: Files, **_: Any) -> Navigation:
        """Find the reader's road: what `mkdocs.yml` puts into an order, but for the home page."""
        shown = InclusionLevel.is_in_serve if self.serving else InclusionLevel.is_included
        self.rendered.begin(files, files.documentation_pages(inclusion=shown))
        if self.incremental:
            self.written.read_all(files)
        self._nav = nav
        beside = set(self.config.side_roads)
        off = {*self.config.off_the_road, *beside}
        self.pages = list(nav.pages)
        self.page_of = {Path(page.file.abs_src_path or ""): page for page in self.pages}
        self.road = [
            page
            for page in (nav.pages if self.is_ordered else ())
            if not page.is_homepage and not {part.title for part in page.ancestors} & off
        ]
        self.sides = [
            page for page in self.pages if {part.title for part in page.ancestors} & beside
        ]
        self.roads = {
            name: found for name, uris in self.config.roads.items() if (found := self._listed(uris))
        }
        self.needs = self.find_needs()
        return nav

    def _listed(self, uris: Iterable[str]) -> list[Page]:
        """Find the pages of a road that is given as a list of notes."""
        by_uri = {page.file.src_uri: page for page in self.pages}
        for uri in uris:
            if uri not in by_uri:
                _log.warning("vaultkit: roads: %s is not in nav", uri)
        return [by_uri[uri] for uri in uris if uri in by_uri]

    def on_env(self, env: Any, config: MkDocsConfig, files: Files) -> Any:
        """Put our index and our worker in the place of Material's."""
        self._made = files, self._nav, env
        self.rendered.end()
        search: Any = config.plugins.get("material/search")
        if search:
            # It would read every page once more, for an index that ours takes the place of.
            search.search_index.add_entry_from_context = lambda _page: None
        there = {file.src_uri for file in files.documentation_pages()}
        self.searched = {uri: self.searched[uri] for uri in there & self.searched.keys()}
        for file in self.assets.styles():
            files.append(file)
        index = self.index()
        script = self.assets.file("search.js", theme("search.js"))
        for file in (index, script):
            files.append(file)
        worker = f"{script.url}?index={posixpath.basename(index.url)}"
        env.filters["vaultkit_search"] = lambda settings: Markup(searching(str(settings), worker))
        env.filters["vaultkit_later"] = lambda scripts: Markup(later(str(scripts)))
        if self.incremental:
            # Others may have changed what templates are compiled to.
            env.bytecode_cache = self.compiled if self.known else None
            self.written.skip_the_same(files, self._shown_on_all(config, files), self._shown_on)
        elif self.known:
            self.built.begin()
        return env

    def index(self) -> File:
        """Write down what search knows of all pages."""
        # In the same order each time, whatever order the system lists folders in.
        entries = (self.searched[uri] for uri in sorted(self.searched))
        return self.assets.file("search.json", search_index.index(entries))

    def _shown_on_all(self, config: MkDocsConfig, files: Files) -> object:
        """Gather what every page shows, or its templates go by."""
        assert self.vault is not None
        folder = Path(config.theme.custom_dir or "")
        templates = sorted(folder.rglob("*")) if config.theme.custom_dir else []
        pages = [file.page for file in files.documentation_pages() if file.page]
        with warnings.catch_warnings():
            # MkDocs has no use for them itself.
            warnings.simplefilter("ignore", DeprecationWarning)
            settings = config.user_configs
        return [
            [self.as_listed(page) for page in pages],
            [(page.url, [str(part.title) for part in page.ancestors]) for page in self.pages],
            config.extra_css,
            config.extra_javascript,
            self.assets.fonts,
            self.needs,
            [meaning for meaning, _ in self.meanings],
            [(place.path, place.anchor) for place in self.explained.values()],
            [(note.title, note.tags) for note in self.vault.notes.values()],
            # As they were read, those included that others inherit.
            settings,
            [(path, path.stat().st_mtime_ns) for path in templates if path.is_file()],
        ]

    @staticmethod
    def as_listed(page: Page) -> list[object]:
        """Gather what other pages show of a page: navigation, lists, those before and after it."""
        heading = _HEADING.search(page.content or "")
        said = [page.meta.get(name) for name in ("icon", "status", "subtitle")]
        return [str(page.title), page.url, heading[0] if heading else "", *said]

    def _shown_on(self, page: Page) -> object | None:
        """Gather what a page shows that others do not; None if nobody can tell all of it."""
        content = page.content or ""
        if (
            not self.known
            or page.file is self.checks_page
            or any(mark in content for mark in (_PREDICTIONS, _FLASHCARDS))
        ):
            return None
        note, uri = self._note(page), page.file.src_uri
        digest = note.digest if note else ""
        return [content, str(page.toc), page.meta, digest, self.entries.get(uri)]

    # Before Material's plugin writes what it has gathered.
    @event_priority(100)
    def on_post_build(self, config: MkDocsConfig) -> None:
        """Leave Material's index empty, which is fetched with every page; add the Markdown."""
        self.built.end()
        self.contents.end()
        search: Any = config.plugins.get("material/search")
        if search:
            search.search_index.entries.clear()
        self.rendered.forget_the_rest()
        self._write_for_machines(config)
        if self.incremental:
            files, *_ = self._made
            pages = (file.page for file in files.documentation_pages() if file.page)
            for where, text in self.markdown(pages):
                self.written.write(Path(config.site_dir) / unquote(where), text)
        if cards := self._cards():
            packed = anki.deck(config.site_name, cards)
            (Path(config.site_dir) / _DECK).write_bytes(packed)
        if self.incremental:
            self.written.end()
            self.saved.end(config, *self._made)
        else:
            # Only now is known which elements there are.
            styles.join(Path(config.site_dir), FOLDER, divided)

    def on_build_error(self, **_: Any) -> None:
        """Leave nothing behind in MkDocs."""
        self.built.end()
        self.contents.end()

    def on_page_context(self, context: Any, config: MkDocsConfig, **_: Any) -> Any:
        """Tell the templates which fonts to fetch at once, and what was checked of the note.

        The latter is no part of the page's content, so search does not see it.
        """
        page = context["page"]
        early = _begins_with_formulas(page.content or "")
        context["vaultkit_fonts"] = [
            uri for uri, formulas in self.assets.fonts if early or not formulas
        ]
        context["vaultkit_here"] = self._here(page)
        content, terms = self._mark_terms(page)
        text, aside, links = content.partition('<aside class="linked-from"')
        page.content = text + self._graph(page) + aside + links
        told: dict[str, object] = {
            place: part.plain() for place, part in self._evidence(page).items()
        }
        context["vaultkit_head"] = machines.head(self._about(page, config))
        # MkDocs leaves blanks in it.
        edit = quote(page.edit_url or "", safe=":/?&=#%+@,;~")
        note = self._note(page)
        source = get_relative_url(_markdown(page), page.url) if note and not note.refused else ""
        context["vaultkit_ways"] = road.ways({"Edit this page": edit, "Markdown": source})
        entry = self.entries.get(page.file.src_uri)
        if note and entry and entry.checks:
            told["arrays"] = [array.plain() for array in arrays(note, entry.checks)]
            told["checks"] = [
                "This note's checks",
                *([line] for line in report.summary(entry.checks)),
            ]
        context["vaultkit_told"] = evidence.data({**told, **terms})
        if entry:
            href = ""
            if self.checks_page:
                url = get_relative_url(self.checks_page.url, page.url)
                href = f"{url}#{entry.anchor}"
            context["vaultkit_checked"] = report.line(entry, href)
            if note:
                asked = asked_in(note, entry.checks or ())
                context["vaultkit_checked"] += predictions.data(entry.path, asked)
            if self.config.pyodide and context["page"].file is not self.checks_page:
                context["vaultkit_checked"] += runnable.controls(entry.path)
                context["vaultkit_checked"] += self._elsewhere(context["page"])
        return context

    def on_post_page(self, output: str, page: Page, config: MkDocsConfig, **_: Any) -> str:
        """Write the Markdown of a page beside it; show the ledger, mend what the theme leaves."""
        for where, text in () if self.incremental else self.markdown([page]):
            path = Path(config.site_dir) / unquote(where)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
        if (note := self._note(page)) and not self.incremental:
            note.forget_lines()
        if page.file is self.checks_page:
            output = output.replace(_LEDGER, self._show_ledger(page), 1)
        if _PREDICTIONS in output:
            output = output.replace(_PREDICTIONS, self._show_predictions(page), 1)
        if _FLASHCARDS in output:
            deck = get_relative_url(_DECK, page.url)
            output = output.replace(_FLASHCARDS, flashcards.panel(len(self._cards()), deck), 1)
        if page.file is self.map_page:
            stops = self._stops(page)
            output = output.replace(_MAP_HERE, graph.of_all(stops, self.needs), 1)
        # Not sooner: search would find the words of the marks on every page.
        scopes = {place: part.scope for place, part in self._evidence(page).items()}
        output = evidence.marked(output, scopes)
        return mended(output)

    def on_post_template(self, output_content: str, template_name: str, **_: Any) -> str:
        """Mend what the theme leaves in the page for lost visitors, too."""
        return mended(output_content) if template_name.endswith(".html") else output_content

    def _minutes(self, page: Page) -> int:
        return road.minutes(self.words.get(page.file.src_uri, 0))

    def _about(self, page: Page, config: MkDocsConfig) -> machines.About:
        note = self._note(page)
        root = (config.site_url or "").rstrip("/")
        return machines.About(
            site=config.site_name,
            title=html.unescape(str(page.title or config.site_name)),
            description=html.unescape(str(page.meta.get("description") or ""))
            or str(config.site_description or ""),
            url=page.canonical_url or "",
            image=f"{root}/{self.assets.picture}" if root else "",
            tags=note.tags if note else (),
            minutes=self._minutes(page) if note else 0,
        )

    def _write_for_machines(self, config: MkDocsConfig) -> None:
        """Write the map that leads to the Markdown of all pages."""
        root = (config.site_url or "").rstrip("/")
        sections: dict[str, list[machines.Listed]] = {}
        for page in self.pages:
            note = self._note(page)
            if note is None or note.refused:
                continue
            where = _markdown(page)
            above = [str(part.title) for part in page.ancestors]
            section = above[-1] if above else config.site_name
            href = f"{root}/{where}" if root else where
            listed = machines.Listed(note.title, href, note.summary)
            sections.setdefault(section, []).append(listed)
        text = machines.llms(config.site_name, config.site_description or "", sections)
        write_atomically(Path(config.site_dir) / "llms.txt", text)

    def markdown(self, pages: Iterable[Page]) -> Iterator[tuple[str, str]]:
        """Write the Markdown of pages, each with its address."""
        for page in pages:
            note = self._note(page)
            if note and not note.refused:
                # Of a notebook, what its page was made from.
                is_text = note.path.suffix == ".md"
                yield (
                    _markdown(page),
                    "\n".join([*note.shown, ""]) if is_text else str(page.markdown),
                )

    @staticmethod
    def is_filled_in(page: Page, config: MkDocsConfig) -> bool:
        """Tell whether Material's plugin lists notes on a page, once all of them are rendered."""
        tags: Any = config.plugins.get("material/tags")
        return any(listing.page is page for listing in (tags and tags.listings) or ())

    @staticmethod
    def counts_checks(note: Note) -> bool:
        """Tell whether the page of a note counts what was checked on others."""
        return _PREDICTIONS in note.text or _LEDGER in note.text

    def _here(self, page: Page) -> str:
        """Tell where on the road a page stands, on a shorter one, or beside it."""
        note = self._note(page)
        shorter = {name: pages for name, pages in self.roads.items() if page in pages}
        if note is None or not (page in self.road or page in self.sides or shorter):
            return ""
        assert self.vault is not None
        # A shorter road may begin at the home page, which then is the first step of the whole.
        first = [
            p for p in self.pages if p.is_homepage and any(p in r for r in self.roads.values())
        ]
        whole = [*first, *self.road]
        pages = {Path(step.file.abs_src_path or ""): step for step in (*self.road, *self.sides)}

        def step(other: Page) -> road.Step:
            title = html.unescape(str(other.title or other.file.name))
            return road.Step(title, get_relative_url(other.url, page.url))

        def after(pages: Sequence[Page]) -> road.Step | None:
            at = pages.index(page) + 1
            return step(pages[at]) if at < len(pages) else None

        map_ = get_relative_url(self.map_page.url, page.url) if self.map_page else ""
        before = [step(pages[path]) for path in road.needed(note, self.vault, list(pages))]
        took = self._minutes(page)
        if page in self.sides:
            entered = road.entered(note, self.vault, list(pages)[: len(self.road)])
            return road.beside(took, step(pages[entered]) if entered else None, map_)
        walked = {**shorter, **({"": whole} if page in whole else {})}
        places = [
            road.Place(name, steps.index(page) + 1, len(steps), after(steps))
            for name, steps in walked.items()
        ]
        return road.line(places, took, before, map_)

    def find_needs(self) -> dict[Path, list[Path]]:
        """Find for each note of the road those that must be understood directly before."""
        assert self.vault is not None
        notes = [note for page in (*self.road, *self.sides) if (note := self._note(page))]
        paths = [note.path for note in notes]
        return graph.reduced({n.path: road.needed(n, self.vault, paths) for n in notes})

    def _stops(self, page: Page) -> dict[Path, graph.Stop]:
        """Name the notes of all roads, with their addresses as seen from a page."""
        return {
            note.path: graph.Stop(note.title, get_relative_url(step.url, page.url), step is page)
            for step in (*self.road, *self.sides)
            if (note := self._note(step))
        }

    def _graph(self, page: Page) -> str:
        note = self._note(page)
        if note is None or note.path not in self.needs or not self.map_page:
            return ""
        map_ = get_relative_url(self.map_page.url, page.url)
        return graph.of_note(note.path, self._stops(page), self.needs, map_)

    def _read_meanings(self) -> list[tuple[meanings.Meaning, Note]]:
        assert self.vault is not None
        found = []
        for path in self.config.meanings:
            note = self.vault.notes.get(self.vault.root / path)
            if note is None:
                _log.warning("vaultkit: meanings: there is no note %s", path)
            else:
                found += [(meaning, note) for meaning in meanings.read(note)]
        return found

    def _places_of_meanings(self) -> dict[int, Target]:
        """Find where each of the meanings is explained, if anywhere."""
        assert self.vault is not None
        places: dict[int, Target] = {}
        for meaning, note in self.meanings:
            if meaning.link:
                with suppress(BrokenLinkError):
                    places[id(meaning)] = self.vault.resolve(meaning.link, note)
        return places

    def _mark_terms(self, page: Page) -> tuple[str, dict[str, object]]:
        """Mark the first use of each term on a page, and tell what it means."""
        assert self.vault is not None
        content, host = page.content or "", self._note(page)
        if host is None or any(note is host for _, note in self.meanings):
            return content, {}
        places = self.explained
        # What the page is about, or introduces, it explains better.
        here = [
            meaning
            for meaning, _ in self.meanings
            if meaning.is_named((host.title, *host.aliases))
            or (id(meaning) in places and places[id(meaning)].path == host.path)
        ]
        content, used = self.terms.mark(content, here)
        told: dict[str, object] = {}
        for index, meaning in enumerate(used):
            lines: list[list[str]] = [[line] for line in meaning.lines]
            target = places.get(id(meaning))
            if target and target.path in self.page_of:
                href = get_relative_url(self.page_of[target.path].url, page.url)
                anchor = f"#{target.anchor}" if target.anchor else ""
                words = target.note.title if target.note else "where it is explained"
                lines.append([f"See {words}", "", "", quote(href) + anchor])
            told[f"term-{index}"] = [meaning.name, *lines]
        return content, told

    def _evidence(self, page: Page) -> dict[str, Part]:
        """Tell what the parts of a page rest on, as far as that is known."""
        note, entry = self._note(page), self.entries.get(page.file.src_uri)
        return parts(note, entry.checks or ()) if note and entry else {}

    def read_ledger(self, files: Files, config: MkDocsConfig) -> Iterator[File]:
        """Gather what is known of each note; yield it for machines, and as a badge."""
        assert self.vault is not None
        assert self.ledger is not None
        self.entries = {}
        for entry in report.entries(self.vault, self.ledger):
            file = files.get_file_from_path(entry.path)
            if file is not None:
                self.entries[entry.path] = self._published(replace(entry, href=file.url))
        self.checks_page = files.get_file_from_path(self.config.checks_page)
        known = {name: e.checks for name, e in self.entries.items()}
        public = json.dumps(published(known), ensure_ascii=False, separators=(",", ":"))
        yield generated(config, "checks.json", public)
        yield generated(config, "badge.svg", report.badge(self._totals()))
        if self.checks_page:
            script = theme("checks.js")
            file = self.assets.file("checks.js", script)
            self.script = file.url
            yield file

    def _published(self, entry: report.Entry) -> report.Entry:
        """Keep faults from the public: they are warnings of the build, which ``--strict`` heeds."""
        faults = [check for check in entry.checks or () if check.outcome == FAILS]
        if self.serving or not faults:
            return entry
        for check in faults:
            # What the text alone tells has been said already.
            if check.kind in ("block", "equation", "shape", "number"):
                _log.warning("%s:%s: %s", entry.path, check.line, check.why)
        return replace(entry, checks=None, withheld=True)

    def _runnable(self, config: MkDocsConfig) -> Iterator[File]:
        """Add what checks a page in a browser: a worker, what it unpacks, a script."""
        assert self.vault is not None
        worker = self.assets.file("check-worker.js", theme("check-worker.js"))
        content = runnable.bundle(self.vault)
        bundle = self.assets.file("engine.zip", content)
        engine = runnable.engine(
            self.vault,
            self.config.pyodide,
            worker=posixpath.basename(worker.src_uri),
            bundle=posixpath.basename(bundle.src_uri),
            size=len(content),
            root=posixpath.relpath(".", FOLDER),
        )
        script = self.assets.file("check-page.js", engine + theme("check-page.js"))
        config.extra_javascript.append(script.src_uri)
        yield from (worker, bundle, script)

    def _notebooks(self, config: MkDocsConfig) -> Iterator[File]:
        """Add each note as a notebook, and all of them in a zip."""
        assert self.vault is not None
        for note in self.vault.notes.values():
            content = notebooks.notebook(note, self.vault)
            yield generated(config, _notebook(notebooks.name_of(note, self.vault)), content)
        yield generated(config, _ALL_NOTEBOOKS, notebooks.archive(self.vault))

    def _elsewhere(self, page: Page) -> str:
        note = self._note(page)
        if self.vault is None or note is None:
            return ""
        one = _notebook(notebooks.name_of(note, self.vault))
        return notebooks.links(
            *(quote(get_relative_url(url, page.url)) for url in (one, _ALL_NOTEBOOKS))
        )

    def _totals(self) -> report.Totals:
        return report.Totals.of(list(self.entries.values()))

    def _show_ledger(self, page: Page) -> str:
        """Write what the page of all checks holds; a script makes its rows from ``checks.json``."""
        found = [
            replace(entry, href=get_relative_url(entry.href, page.url))
            for entry in self.entries.values()
        ]
        data, script = (get_relative_url(url, page.url) for url in ("checks.json", self.script))
        controls = runnable.controls() if self.config.pyodide else ""
        return f"{controls}{report.table(found)}" + (
            f'<div class="vk-checks" data-checks="{data}">'
            f'<p>Every single check stands in <a href="{data}">checks.json</a>.</p></div>'
            f'<script src="{script}" defer></script>'
        )

    def _gather_cards(self, content: str, page: Page, config: MkDocsConfig, files: Files) -> None:
        """Read the flashcards of a page for the deck."""
        self.flashcards.pop(page.file.src_uri, None)
        if 'class="flashcard"' not in content:
            return
        there = {unquote(file.url): file for file in files}

        def read(address: str) -> bytes | None:
            return there[address].content_bytes if address in there else None

        found = anki.cards(content, page.url, config.site_url or "", read)
        self.flashcards[page.file.src_uri] = [
            replace(card, key=f"{page.file.src_uri}#{card.key}") for card in found
        ]

    def _cards(self) -> list[anki.Card]:
        """List the flashcards of all pages, in the order of the road."""
        paths = [page.file.src_uri for page in self.pages]
        return [card for path in paths for card in self.flashcards.get(path, ())]

    def _show_predictions(self, page: Page) -> str:
        """Write the table of all notes that ask before they show, in the order of the road."""
        found = []
        for other in self.pages:
            note, entry = self._note(other), self.entries.get(other.file.src_uri)
            asked = asked_in(note, entry.checks or ()) if note and entry else []
            if note and entry and asked:
                href = get_relative_url(other.url, page.url)
                keys = [str(one["key"]) for one in asked]
                found.append(predictions.Asking(note.title, entry.path, href, keys))
        return predictions.table(found)

    def _tame_jupyter(self, plugin: Any) -> None:
        """Have notebooks written as Markdown, in place of HTML with the style of JupyterLab."""
        import_module("mkdocs_jupyter.config").settings.templates_dir = str(THEME / "notebook")
        # What it keeps from one build to the next knows nothing of our template.
        plugin.config["cache"] = False

    def _note(self, page: Page) -> Note | None:
        source = page.file.abs_src_path
        return self.vault.notes.get(Path(source)) if self.vault and source else None

    def _cache(self, config: MkDocsConfig) -> Path:
        return Path(config.config_file_path or ".").parent / self.config.cache_dir

    def _set_addresses(self, files: Files) -> None:
        assert self.vault is not None
        for file in files:
            if not file.is_documentation_page():
                continue
            parent, name = posixpath.split(file.dest_uri)
            words = posixpath.splitext(file.dest_uri)[0].removesuffix("/index")
            if name == "index.html" and not parent:
                continue
            ending = "/index.html" if name == "index.html" else ".html"
            note = self.vault.notes.get(self.vault.root / file.src_uri)
            if note and file.name != "index":
                move(file, self.vault.address(note) + ending)
            else:
                move(file, place(words) + ending)


def _in_order(file: File) -> tuple[list[object], bool, object]:
    """Key of the order in which Obsidian lists files; a folder's own page comes first in it."""
    folder, name = posixpath.split(file.src_uri)
    above: list[object] = [natural(part) for part in folder.split("/") if part]
    return above, file.name != "index", natural(posixpath.splitext(name)[0])


def _worth(root: Path, kept: Path) -> int | None:
    """Tell how many processes it is worth to have help in reading notes: none if few are new."""
    notes = sum(1 for _ in islice(root.rglob("*.md"), _MANY))
    return None if notes == _MANY and next(kept.glob("*.note"), None) is None else 0


def _begins_with_formulas(content: str) -> bool:
    """Tell whether a formula stands where a page opens: its font is then worth fetching first."""
    before, formula, _ = content.partition("<math")
    return bool(formula) and len(_TAG.sub("", before)) < _FIRST_SCREEN


def _markdown(page: Page) -> str:
    """Address of a page's Markdown, the same for as long as its note keeps its name."""
    return (page.url.removesuffix("/").removesuffix(".html") or "index") + ".md"


def _is_copied(path: Path) -> bool:
    """Tell whether a file is one: not a FIFO, a device, or a link to what is not there."""
    return path.suffix in READERS or path.is_file()


def _can_be_sent(uri: str) -> bool:
    return printable(uri) == uri


def _render(page: Page, render: Any, note: Note, config: MkDocsConfig, files: Files) -> None:
    try:
        render(config, files)
    except MkDocsException:
        raise
    except Exception as error:
        # One note in which a library loses itself must not be the end of the others.
        _log.warning("%s cannot be shown: %s: %s", page.file.src_uri, type(error).__name__, error)
        page.markdown = "\n".join(refusal(replace(note, refused=f"{type(error).__name__}")))
        Page.render(page, config, files)


def _render_notebook(page: Page, write: Any, config: MkDocsConfig, files: Files) -> None:
    write(config, files)
    # Behind it stands a style sheet of 360 KB, for HTML that our template does not write.
    found = _NOTEBOOK.search(page.content or "")
    page.markdown = html.unescape(found[1]) if found else ""
    Page.render(page, config, files)


def _is_no_warning_of_dirt(record: logging.LogRecord) -> bool:
    return not record.getMessage().startswith("A 'dirty' build")


def _notebook(name: str) -> str:
    return f"notebooks/{name}"
