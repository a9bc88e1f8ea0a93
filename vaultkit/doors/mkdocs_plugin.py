"""The door to MkDocs: adapts MkDocs' hooks to the vault, the renderer and the site model.

The Python-Markdown extension renders the content of a page; the site model writes what surrounds
it. The hooks are in the order in which MkDocs calls them.

MkDocs calls its own objects `File` (a source with its address on the site) and `Page`; `SitePage`
is the same page in the site model. A ``uri`` is a path below the folder of the sources, or of the
site.
"""

from __future__ import annotations

import gc
import html
import logging
import posixpath
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from markupsafe import Markup
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import ConfigurationError
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils import nest_paths
from mkdocs.utils.meta import META_RE

from vaultkit.doors import site_files
from vaultkit.doors.file_events import FileEvents
from vaultkit.doors.helpers import divide
from vaultkit.doors.output_index import CompiledTemplates, OutputIndex, shown_on_all
from vaultkit.doors.page_spool import PageSpool
from vaultkit.doors.parallel_build import ParallelBuild
from vaultkit.doors.render_cache import (
    RenderCache,
    render_notebook,
    render_safely,
    tame_jupyter,
)
from vaultkit.doors.served_vault import ServedVault
from vaultkit.doors.vault_config import VaultConfig
from vaultkit.files import write_atomically
from vaultkit.pipeline.ledger import Ledger
from vaultkit.read.note import Note
from vaultkit.read.options import OptionsError
from vaultkit.render.code import diagram_fences
from vaultkit.render.host import EXTENSIONS, refusal_page
from vaultkit.site import material, styles
from vaultkit.site.assets import FOLDER, THEME, Appearance, SiteAssets, SiteFile, notebook_files
from vaultkit.site.checked_notes import CheckedNotes
from vaultkit.site.model import (
    CHECKS,
    DECK,
    LLMS,
    SiteModel,
    begins_with_formulas,
    markdown_of,
    sort_key,
)
from vaultkit.site.pages import SitePage
from vaultkit.store import Store, store_in

#: Plugins whose effect on a page is known before it is rendered.
_KNOWN_PLUGINS = {"material/search", "material/tags", "material/typeset", "mkdocs-jupyter"}
_KNOWN_PLUGINS |= {"search", "vaultkit"}

#: Thresholds of `gc` at which garbage is collected much less often than by default (700, 10, 10).
_RARELY = 50_000, 20, 100

_log = logging.getLogger("mkdocs.plugins.vaultkit")


class VaultPlugin(BasePlugin[VaultConfig]):  # type: ignore[no-untyped-call]
    """Builds a site from a vault."""

    def __init__(self) -> None:
        self.served = ServedVault()
        self.serving = False
        #: Whether only changed pages are written, as with `mkdocs serve --dirty`.
        self.incremental = False
        self.output_index = OutputIndex()
        self.compiled = CompiledTemplates()
        self.spool = PageSpool()
        self.parallel_build = ParallelBuild(self.spool)
        self.file_events: FileEvents | None = None
        #: The following attributes are set again in each build.
        self.model: SiteModel
        self.assets: SiteAssets
        self.render_cache: RenderCache
        #: Whether the author has enabled attribute lists, as in ``# Title {#id}``.
        self.has_attribute_lists = False
        #: Whether no hook or unknown plugin, which may do anything, changes pages or templates.
        self.is_predictable = True
        #: Whether the author has ordered the pages in `nav`.
        self.is_ordered = False
        self.files: Files
        self.files_by_url: dict[str, File] = {}
        self.nav: Navigation
        self.site_pages: dict[str, SitePage] = {}  # by source

    def on_startup(self, *, command: str, dirty: bool = False, **_: Any) -> None:
        """Store whether the site is served; count warnings even if ``--quiet`` hides them.

        MkDocs silences the logger itself, so `mkdocs build --strict --quiet` would pass with
        broken links. The handlers decide what is shown.
        """
        # A site's notes and pages stay in memory until the build ends. Collecting garbage among
        # them repeatedly takes a tenth of a build, and more of an incremental one.
        gc.set_threshold(*_RARELY)
        self.serving = command == "serve"
        self.incremental = self.serving and dirty
        if self.incremental:
            # MkDocs warns at each save that the navigation may be wrong. With this plugin it is
            # not.
            logging.getLogger("mkdocs.commands.build").addFilter(_is_not_dirty_warning)
        logger = logging.getLogger("mkdocs")
        if logger.level > logging.WARNING:  # --quiet
            for handler in logger.handlers:
                handler.setLevel(max(handler.level, logger.level))
            logger.setLevel(logging.WARNING)

    # Before the theme's plugins, which add attr_list themselves.
    @event_priority(100)
    def _see_extensions(self, config: MkDocsConfig) -> None:
        """Store whether the author has enabled attribute lists, alone or within *extra*."""
        names = (str(name).split(".")[-1] for name in config.markdown_extensions)
        self.has_attribute_lists = not {"attr_list", "extra"}.isdisjoint(names)

    def _read_vault(self, config: MkDocsConfig) -> MkDocsConfig:
        """Read the vault, and pass it to the extension that renders its links."""
        root = Path(config.docs_dir).resolve()
        try:
            vault = self.served.read(root)
        except OptionsError as error:
            raise ConfigurationError(str(error)) from error
        if self.serving and self.config.check_saved:
            self.served.check(vault)
        self.model = SiteModel(vault, self.config.site_settings(config))
        for path in self.model.terms.missing:
            _log.warning("vaultkit: meanings: there is no note %s", path)
        self._add_extensions(config)
        self.render_cache = RenderCache(self._store(config), vault, config)
        self.is_predictable = not config.hooks and set(config.plugins) <= _KNOWN_PLUGINS
        if "mkdocs-jupyter" in config.plugins:
            tame_jupyter(config.plugins["mkdocs-jupyter"])
        # After the user's folders, so that templates in `custom_dir` take precedence.
        config.theme.dirs.insert(1 if config.theme.custom_dir else 0, str(THEME / "templates"))
        return config

    on_config = CombinedEvent(_see_extensions, _read_vault)

    def _add_extensions(self, config: MkDocsConfig) -> None:
        """Add our extensions of Python-Markdown, with their settings, to those of the author.

        The theme adds *attr_list*, which would read braces in a note; it is removed again unless
        the author has enabled it. *vaultkit* is the name of our extensions together.
        """
        vault = self.model.vault
        ours = {*EXTENSIONS, "vaultkit"} | (set() if self.has_attribute_lists else {"attr_list"})
        others = [name for name in config.markdown_extensions if name not in ours]
        # Ours come last: they process the results of the others.
        config.markdown_extensions = [*others, *EXTENSIONS]
        for name, settings in EXTENSIONS.items():
            config.mdx_configs[name] = {**settings, **(config.mdx_configs.get(name) or {})}
        fences_of_author = config.mdx_configs.get("pymdownx.superfences", {}).get("custom_fences")
        # Our extension renders the fences, so it needs the author's (of superfences); ``places``
        # names the parts of a page for the checks in the browser.
        config.mdx_configs["vaultkit.render.host"].update(
            vault=vault,
            places=True,
            html=vault.options.html,
            fences=fences_of_author or diagram_fences(self._store(config)),
        )

    # Before other plugins open any of the files.
    @event_priority(100)
    def _drop_files(self, files: Files, config: MkDocsConfig) -> Files:
        """Drop the files that cannot be published."""
        site_files.drop_unfit(files, self.model.vault, config)
        return files

    # After other plugins have made pages of their files, such as notebooks.
    @event_priority(-50)
    def _add_files(self, files: Files, config: MkDocsConfig) -> Files:
        """Set the addresses of all notes; add redirects for aliases, and the theme's files."""
        model, vault = self.model, self.model.vault
        site_files.set_addresses(files, vault)
        site_files.adapt_material_script(files)
        appearance = Appearance(config.extra_css, config.extra_javascript, config.theme)
        self.assets = SiteAssets(vault, appearance, self._store(config), self.incremental)
        site_files.name_by_content(files, self.assets, self.config.named_by_content)
        site_files.add_front(files, vault, config)
        if map_ := site_files.add_pages(files, vault, config):
            model.map_uri, model.map_url = map_.src_uri, map_.url
        site_files.add_generated(files, config, self.assets.scripts())
        site_files.add_generated(files, config, self._checks(files))
        if self.config.pyodide:
            checker = self.assets.checker(self.config.pyodide, self.config.figures)
            site_files.add_generated(files, config, checker)
            site_files.add_generated(files, config, notebook_files(vault))
        model.picture = self.assets.picture
        self.is_ordered = bool(config.nav)
        if not self.is_ordered:
            # Without `nav`, pages are in Obsidian's order, except those that are in no navigation.
            pages = files.documentation_pages()
            pages = sorted(pages, key=lambda file: sort_key(file.src_uri, file.name == "index"))
            least = InclusionLevel.UNDEFINED.value
            nest: Any = nest_paths
            config.nav = nest(page.src_uri for page in pages if page.inclusion.value >= least)
        return files

    on_files = CombinedEvent(_drop_files, _add_files)

    def _checks(self, files: Files) -> Iterator[SiteFile]:
        """Load the checks of all notes; yield the files that show them."""
        urls = {uri: file.url for uri, file in files.src_uris.items()}
        checked = CheckedNotes(self.model.vault, urls, with_failures=self.serving)
        # As warnings of the build, they make it fail with `--strict`.
        for path, check in checked.failures:
            _log.warning("%s:%s: %s", path, check.line, check.why)
        self.model.checked = checked
        yield SiteFile(CHECKS, checked.data())
        yield SiteFile("badge.svg", checked.badge())
        if page := files.get_file_from_path(self.config.checks_page):
            script = self.assets.themed("checks.js")
            self.model.checks_url, self.model.checks_script = page.url, script.uri
            yield script

    def on_nav(self, nav: Navigation, files: Files, **_: Any) -> Navigation:
        """Start the render cache and, in an incremental build, the output index."""
        shown = InclusionLevel.is_in_serve if self.serving else InclusionLevel.is_included
        self.render_cache.begin(files, files.documentation_pages(inclusion=shown))
        if self.incremental:
            self.output_index.mark_all_pages(files)
        self.nav, self.files = nav, files
        self.files_by_url = {unquote(file.url): file for file in files}
        return nav

    def on_serve(self, server: Any, config: MkDocsConfig, **_: Any) -> Any:
        """Rebuild as soon as a file is saved, and when the ledger changes."""
        if not self.config.check_saved:  # otherwise this process changes the ledger
            stamp = Ledger(self.model.vault).stamp
            stamp.parent.mkdir(parents=True, exist_ok=True)
            stamp.touch()  # only an existing file can be watched
            server.watch(str(stamp))
        self.file_events = FileEvents(server, Path(config.docs_dir).absolute())
        return server

    def on_shutdown(self) -> None:
        """Stop listening to file events."""
        if self.file_events:
            self.file_events.end()

    def on_page_read_source(self, page: Page, **_: Any) -> str | None:
        """Return the text of a note on which MkDocs itself would fail; None for all others."""
        note = self._note(page)
        if note and note.refused:
            return "\n".join(refusal_page(note))
        # MkDocs takes a first line `Author: …` for a property; a blank line before it prevents
        # that.
        return f"\n{note.text}" if note and META_RE.match(note.text) else None

    # After mkdocs-jupyter, which replaces the method that renders a notebook's page.
    @event_priority(-50)
    def on_pre_page(self, page: Page, **_: Any) -> Page:
        """Choose how the page of a note is rendered, and let an error end only this page.

        A note that is refused is rendered by MkDocs, a notebook from the Markdown that
        mkdocs-jupyter makes of it, and any other note from the cache.
        """
        note = self._note(page)
        if note is None:
            return page
        render: Any
        if note.refused:
            render = partial(Page.render, page)
        elif page.file.src_uri.endswith(".ipynb"):
            render = partial(render_notebook, page, page.render)
        else:
            render = partial(self.render_cache.render, page, note, page.render)
        page.render = partial(render_safely, page, render, note)  # type: ignore[method-assign]
        return page

    # Before the theme's plugins read the properties.
    @event_priority(100)
    def on_page_markdown(self, markdown: str, page: Page, config: MkDocsConfig, **_: Any) -> str:
        """Set the description and title of a page, and drop properties that the theme misreads."""
        note = self._note(page)
        page.meta = material.drop_misread_properties(page.meta, config.theme.dirs)
        if note and note.summary:
            page.meta.setdefault("description", self.model.summary(note))
        # The theme's templates insert strings as HTML.
        page.meta = material.escape_strings(page.meta)
        if note and note.title == note.name:  # there is no heading with markup
            if page.is_homepage:
                page.title = html.escape(config.site_name)
            else:
                page.meta.setdefault("title", html.escape(note.name))
        if page.is_homepage:
            # The home page is short: it needs no list of its headings.
            page.meta.setdefault("hide", ["toc"])
        # Python-Markdown skips an empty page, but this one may have properties to show.
        return markdown if markdown.strip() else "<!-- -->"

    # After all plugins that change the page.
    @event_priority(-100)
    def on_page_content(self, html_: str, /, page: Page, config: MkDocsConfig, **_: Any) -> str:
        """Read the page for search and for the deck; move its content to the spool.

        MkDocs keeps all pages until it writes them. To save memory, the page is left empty here,
        and `ParallelBuild` restores its content before it is written. A page keeps its content if
        something may need it before that: an incremental build, an unknown plugin, a list of tags.
        """
        note = self._note(page)
        is_searched = not (page.meta.get("search") or {}).get("exclude")
        sections = self.render_cache.sections(html_) if is_searched else None
        self.model.read_page(self._site_page(page), html_, sections, self._file_content)
        content = material.replace_svg_href(html_)
        lists_notes = material.lists_notes(page, config.plugins.get("material/tags"))
        if self.incremental or not self.is_predictable or lists_notes:
            return content
        # No plugin needs the content before it is written.
        self.spool.put(page, content)
        if note and note.path.suffix == ".md":
            page.markdown = ""
            note.forget_lines()
        return ""

    def _file_content(self, url: str) -> bytes | None:
        """Return the content of a file of the site, such as an image for the deck."""
        return self.files_by_url[url].content_bytes if url in self.files_by_url else None

    def on_env(self, env: Any, config: MkDocsConfig, files: Files) -> Any:
        """Log the failures in the text of the notes; arrange the pages; replace Material's search.

        Ours has another index and another worker.
        """
        vault, folder = self.model.vault, posixpath.basename(Path(config.docs_dir).as_posix())
        for note in vault.notes.values():
            for line, why in self.render_cache.failures.of(note):
                _log.warning("%s/%s:%s: %s", folder, vault.relative(note.path), line, why)
        self.render_cache.failures.prune_deleted()
        pages = (file.page for file in files.documentation_pages() if file.page)
        self.site_pages = {page.file.src_uri: self._site_page(page) for page in pages}
        order = [self.site_pages[page.file.src_uri] for page in self.nav.pages]
        self.model.arrange(order, self.is_ordered)
        for uri in self.model.roads.missing:
            _log.warning("vaultkit: roads: %s is not in nav", uri)
        search: Any = config.plugins.get("material/search")
        if search:
            # It would parse every page again, for an index that ours replaces.
            search.search_index.add_entry_from_context = lambda _page: None
        site_files.add_generated(
            files, config, self.assets.styles(self.model.letters, self.model.signs)
        )
        index = self.assets.generated_file("search.json", self.model.index())
        script, program = map(self.assets.themed, ("search.js", "search-notes.js"))
        site_files.add_generated(files, config, (index, script, program))
        loaded = {"index": index.uri, "program": program.uri}
        query = "&".join(f"{name}={posixpath.basename(uri)}" for name, uri in loaded.items())
        worker = f"{script.uri}?{query}"
        # Filters that our templates use.
        env.filters["vaultkit_search"] = lambda settings: Markup(
            material.replace_search_worker(str(settings), worker)
        )
        env.filters["vaultkit_deferred"] = lambda scripts: Markup(
            material.defer_scripts(str(scripts))
        )
        if self.incremental:
            # Other plugins may change how templates are compiled.
            env.bytecode_cache = self.compiled if self.is_predictable else None
            common = [self.model.common_facts(), self.assets.fonts, *shown_on_all(config, files)]
            self.output_index.mark_changed(files, common, self._shown_on)
        elif self.is_predictable:
            self.parallel_build.begin()
        return env

    def _shown_on(self, page: Page) -> object | None:
        """Return what only this page shows; None if that is not all known."""
        facts = self.model.facts(self.site_pages[page.file.src_uri], page.content or "")
        return [facts, str(page.toc), page.meta] if self.is_predictable and facts else None

    def on_page_context(self, context: Any, page: Page, config: MkDocsConfig, **_: Any) -> Any:
        """Pass the fonts to preload and what surrounds the content to the templates.

        The latter is not part of the page's content, so search does not see it.
        """
        content = page.content or ""
        # A font of formulas is preloaded only if formulas are in sight at once.
        shows_formulas = begins_with_formulas(content)
        context["vaultkit_fonts"] = [
            uri for uri, is_of_formulas in self.assets.fonts if shows_formulas or not is_of_formulas
        ]
        page.content, around = self.model.around(
            self.site_pages[page.file.src_uri],
            content,
            title=html.unescape(str(page.title or config.site_name)),
            description=html.unescape(str(page.meta.get("description") or "")),
            canonical_url=page.canonical_url or "",
            # MkDocs does not quote the address.
            edit_url=quote(page.edit_url or "", safe=":/?&=#%+@,;~"),
        )
        context.update(around)
        if not self.is_ordered:
            context["nav"] = material.limit_navigation(self.nav)
        return context

    def on_post_page(self, output: str, page: Page, config: MkDocsConfig, **_: Any) -> str:
        """Write the page's Markdown beside it; insert the ledger; label unnamed elements.

        An incremental build writes all Markdown in `on_post_build`, since it skips this hook for
        pages that come out the same.
        """
        if not self.incremental:
            for uri, text in self._markdown([page]):
                path = Path(config.site_dir) / uri
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8", newline="")
            if note := self._note(page):
                note.forget_lines()
        return material.add_labels(self.model.fill_in(self.site_pages[page.file.src_uri], output))

    def on_post_template(self, output_content: str, template_name: str, **_: Any) -> str:
        """Label elements that the theme leaves without a name, in the page for errors, too."""
        return (
            material.add_labels(output_content)
            if template_name.endswith(".html")
            else output_content
        )

    # Before Material's plugin writes its index.
    @event_priority(100)
    def on_post_build(self, config: MkDocsConfig) -> None:
        """Empty Material's index, which every page would fetch; write the Markdown and the deck."""
        self.parallel_build.end()
        self.spool.end()
        search: Any = config.plugins.get("material/search")
        if search:
            search.search_index.entries.clear()
        self.render_cache.prune_unused()
        site = Path(config.site_dir)
        write_atomically(site / LLMS, self.model.llms())
        if deck := self.model.deck():
            (site / DECK).write_bytes(deck)
        if self.incremental:
            pages = (file.page for file in self.files.documentation_pages() if file.page)
            for uri, text in self._markdown(pages):
                self.output_index.write(site / uri, text)
            self.output_index.end()
        else:
            # Only now are all elements of the pages known.
            styles.join_sheets(site, FOLDER, divide)

    def on_build_error(self, **_: Any) -> None:
        """Restore MkDocs' own function, and delete the spool."""
        self.parallel_build.end()
        self.spool.end()

    def _markdown(self, pages: Iterable[Page]) -> Iterator[tuple[str, str]]:
        """Yield for the page of each note its path on the site, and the Markdown to write there."""
        for page in pages:
            note = self._note(page)
            if note and not note.refused:
                url = self.site_pages[page.file.src_uri].markdown
                yield unquote(url), markdown_of(note, str(page.markdown))

    def _site_page(self, page: Page) -> SitePage:
        """Return the page of the site model for a page of MkDocs, whose title is HTML."""
        return SitePage(
            uri=page.file.src_uri,
            url=page.url,
            title=html.unescape(str(page.title or page.file.name)),
            path=Path(page.file.abs_src_path or ""),
            note=self._note(page),
            sections=tuple(str(part.title) for part in page.ancestors),
            is_home=page.is_homepage,
        )

    def _note(self, page: Page) -> Note | None:
        """Return the note of a page; None for a page that is generated, or in no vault."""
        source = page.file.abs_src_path
        return self.model.vault.notes.get(Path(source)) if source else None

    def _store(self, config: MkDocsConfig) -> Store:
        """Return the store in the cache folder, whose path is relative to ``mkdocs.yml``."""
        return store_in(Path(config.config_file_path or ".").parent / self.config.cache_dir)


def _is_not_dirty_warning(record: logging.LogRecord) -> bool:
    """Return whether a message of MkDocs is another one than its warning of ``--dirty``."""
    return not record.getMessage().startswith("A 'dirty' build")
