"""A cache of rendered pages from one build to the next, so that only what has changed is rendered.

A cached page is used if nothing that its rendering depends on has changed: its Markdown, the notes
that it embeds or quotes, the names and addresses of all notes of the vault, all drawings, the
settings, and the code. If `mkdocs.yml` lists an extension that may depend on more, nothing is
cached.
"""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from markdown import Markdown
from mkdocs.commands.build import _populate_page
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import MkDocsException
from mkdocs.structure import pages as of_mkdocs
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import AnchorLink, TableOfContents, get_toc

from vaultkit.doors.helpers import divide
from vaultkit.read.note import Note
from vaultkit.read.vault import BrokenLinkError, Vault
from vaultkit.render.backlinks import section_of
from vaultkit.render.host import EXTENSIONS, refusal_page
from vaultkit.site import notebooks, search_index
from vaultkit.site.assets import THEME
from vaultkit.site.fingerprints import code_fingerprint, names_fingerprint
from vaultkit.site.text_failures import TextFailures
from vaultkit.store import Store, key_of

#: Matches extensions that read only the page: those of Python-Markdown and pymdownx, except a few
#: that read other files.
_READS_ONLY_THE_PAGE = re.compile(
    r"""
    (?:markdown\.extensions\.)?
    (?:abbr | admonition | attr_list | codehilite | def_list | extra | fenced_code | footnotes
        | legacy_\w+ | md_in_html | meta | nl2br | sane_lists | smarty | toc | tables)
    | pymdownx\.(?!b64|snippets|extrarawhtml)\w+
    """,
    re.VERBOSE,
)
#: Errors raised by an entry that has another form.
_DAMAGED = (AttributeError, KeyError, TypeError, ValueError)
#: The kind of these entries in the store.
_KIND = "page"
#: With so many pages that are not in the cache, helpers render the rest.
_MISSES_BEFORE_HELPERS = 16
#: Packages whose code is part of every key (`code_fingerprint`).
_PACKAGES_IN_KEYS = ("markdown", "pymdownx", "vaultkit")
_log = logging.getLogger("mkdocs.plugins.vaultkit")
#: The folder of generated files, to which no note links.
_GENERATED = "assets/vaultkit/"


class RenderCache:
    """The cached pages of a site.

    Parameters
    ----------
    store
        The store of the entries.
    vault
        The notes.
    config
        The configuration of MkDocs.
    """

    def __init__(self, store: Store, vault: Vault, config: MkDocsConfig) -> None:
        self._store, self.vault = store, vault
        #: Whether pages are cached: every extension is known to depend on the page alone. (Of one
        #: given as an object, that is not known.)
        self.is_on = False
        #: Fingerprint of everything that links and embeds of the vault depend on.
        self._names_fingerprint = names_fingerprint(vault)
        #: The failures in the text of the notes, kept under the same fingerprint.
        self.failures = TextFailures(vault, store, self._names_fingerprint)
        self._config = config
        #: The fingerprint of what all pages depend on.
        self._common_key = b""
        #: The sources of the pages that this build has.
        self._used: set[str] = set()
        #: The files in the order in which MkDocs renders them, and the index of each in it, by its
        #: source.
        self._order: list[File] = []
        self._positions: dict[str, int] = {}
        #: How many pages of this build were not in the cache.
        self._miss_count = 0
        #: The HTML of the page that was rendered last, and its sections for search.
        self._last_page: tuple[str, list[search_index.Section]] = "", []
        #: One Markdown converter for all pages.
        self._converter: Markdown | None = None

    def begin(self, files: Files, order: Iterable[File]) -> None:
        """Fingerprint what all pages depend on, and store the order in which they are rendered.

        Hooks and other plugins have changed the settings by then.
        """
        self.is_on = all(
            isinstance(extension, str) and _reads_only_the_page(extension)
            for extension in self._config.markdown_extensions
        )
        self._used = set()
        self._order = list(order)
        self._positions = {file.src_uri: index for index, file in enumerate(self._order)}
        self._miss_count, self._converter = 0, None
        settings = [
            *self._config.markdown_extensions,
            self._config.mdx_configs,
            self._config.validation,
            # At a higher level, MkDocs logs no warnings: a page with warnings seems to have none.
            logging.getLogger("mkdocs").getEffectiveLevel(),
        ]
        addresses = [
            (file.src_uri, file.dest_uri, file.inclusion.value)
            for file in files
            if not file.src_uri.startswith(_GENERATED)
        ]
        # Only its digest is part of every page's key, since these facts grow with the vault.
        self._common_key = key_of(
            code_fingerprint(),
            json.dumps(settings, default=_setting_as_data, sort_keys=True),
            self._names_fingerprint,
            addresses,
        )

    def render(
        self,
        page: Page,
        note: Note,
        render: Callable[..., None],
        config: MkDocsConfig,
        files: Files,
    ) -> None:
        """Render a page, or restore it from the cache.

        ``render`` is the method of the page, MkDocs' own or that of another plugin.
        """
        if not self.is_on:
            render(config, files)
            return
        key = self._key(page, note)
        if self._restore(page, key, files):
            return
        self._miss_count += 1
        if self._miss_count == _MISSES_BEFORE_HELPERS:
            # Probably all pages are new: helpers render this one and the rest into the store.
            rest = self._order[self._positions.get(page.file.src_uri, 0) :]
            divide(rest, partial(self._render_ahead, config=config, files=files), here=False)
            if self._restore(page, key, files):
                return
        with _captured_messages() as messages:
            # Other plugins may have replaced the method.
            if getattr(render, "__func__", None) is Page.render:
                self._convert(page, config, files)
            else:
                render(config, files)
        # A page with messages is not cached, so that they are shown again in the next build.
        if not messages:
            html = page.content or ""
            sections = search_index.split_sections(html)
            self._last_page = html, sections
            entry = json.dumps(_page_to_data(page, sections)).encode()
            self._store.put(_KIND, page.file.src_uri, key, entry)
        self.failures.of(note)  # the claims of a note are kept for a short time

    def _restore(self, page: Page, key: bytes, files: Files) -> bool:
        """Restore a page from the store; return whether it was there."""
        entry = self._store.find(_KIND, page.file.src_uri, key)
        sections = _restore_page(page, entry, files) if entry is not None else None
        if sections is None:
            return False
        self._last_page = page.content or "", sections
        return True

    def _convert(self, page: Page, config: MkDocsConfig, files: Files) -> None:
        """Render a page like `Page.render`, but without creating a converter for each page."""
        # It is put back at the end: a converter that has failed is not used again.
        converter, self._converter = self._converter, None
        if converter is None:
            converter = Markdown(
                extensions=config.markdown_extensions, extension_configs=config.mdx_configs
            )
        raw = of_mkdocs._RawHTMLPreprocessor()
        anchors = of_mkdocs._ExtractAnchorsTreeprocessor(page.file, files, config)
        paths = of_mkdocs._RelativePathTreeprocessor(page.file, files, config)
        title = of_mkdocs._ExtractTitleTreeprocessor()
        for part in (raw, anchors, paths, title):
            part._register(converter)
        page.content = converter.reset().convert(page.markdown or "")
        page.toc = get_toc(getattr(converter, "toc_tokens", []))
        page._title_from_render = title.title
        page.present_anchor_ids = anchors.present_anchor_ids | raw.present_anchor_ids
        page.links_to_anchors = paths.links_to_anchors
        self._converter = converter

    def sections(self, html: str) -> list[search_index.Section]:
        """Return the sections of a page for search; those of the page rendered last are known."""
        last_html, sections = self._last_page
        return sections if html == last_html else search_index.split_sections(html)

    def _render_ahead(self, part: Iterable[File], config: MkDocsConfig, files: Files) -> None:
        """Render some pages into the store, in a helper."""
        for file in part:
            page = file.page or Page(None, file, config)
            with suppress(Exception):  # the main process will render it, and report the error
                _populate_page(page, config, files)

    def prune_unused(self) -> None:
        """Drop the entries of pages that this build does not have."""
        self._store.forget_others(_KIND, self._used)

    def _key(self, page: Page, note: Note) -> bytes:
        """Return the fingerprint of everything that a page is rendered from."""
        self._used.add(page.file.src_uri)
        vault = self.vault
        return key_of(
            self._common_key,
            page.file.src_uri,
            page.markdown,
            note.digest,
            [embedded.digest for embedded in self._embedded_notes(note)],
            # Below the page are the links to it and the mentions of its name, with their sentences.
            [
                (link.source.path, link.link.sentence, section_of(link.source, link.link))
                for link in vault.backlinks(note)
            ],
            [
                (mention.source.path, mention.before, mention.name, mention.after)
                for mention in vault.mentions(note)
            ],
        )

    def _embedded_notes(self, note: Note) -> list[Note]:
        """Return the notes that a note embeds, and those that these embed."""
        embedded: dict[Path, Note] = {}
        waiting = [note]
        while waiting:
            source = waiting.pop()
            for link in (link for link in source.links if link.embed):
                with suppress(BrokenLinkError):
                    path = self.vault.find(link.target, source.path)
                    if path in self.vault.notes and path not in embedded:
                        embedded[path] = self.vault.notes[path]
                        waiting.append(embedded[path])
        return [embedded[path] for path in sorted(embedded)]


def render_safely(page: Page, render: Any, note: Note, config: MkDocsConfig, files: Files) -> None:
    """Render the page of a note; if a library raises an error, show that in its place."""
    try:
        render(config, files)
    except MkDocsException:
        raise
    except Exception as error:
        # A note on which a library fails must not prevent the build of the others.
        _log.warning("%s cannot be shown: %s: %s", page.file.src_uri, type(error).__name__, error)
        page.markdown = "\n".join(refusal_page(replace(note, refused=f"{type(error).__name__}")))
        Page.render(page, config, files)


def render_notebook(page: Page, render: Any, config: MkDocsConfig, files: Files) -> None:
    """Render a notebook like a note, from the Markdown that mkdocs-jupyter makes of it.

    ``render`` is the method by which mkdocs-jupyter sets the content of the page (`tame_jupyter`).
    """
    render(config, files)
    # Before and after it are 360 KB of styles, for HTML that our template does not write.
    page.markdown = notebooks.markdown_in(page.content or "")
    Page.render(page, config, files)


def tame_jupyter(plugin: Any) -> None:
    """Make mkdocs-jupyter convert notebooks to Markdown instead of JupyterLab's HTML."""
    import_module("mkdocs_jupyter.config").settings.templates_dir = str(THEME / "notebook")
    # Its cache does not depend on the template, so it would return pages of another one.
    plugin.config["cache"] = False


def _reads_only_the_page(extension: str) -> bool:
    """Return whether the HTML that an extension makes depends only on the page, or it is ours.

    What ours depend on is part of the keys.

    >>> _reads_only_the_page("pymdownx.tilde"), _reads_only_the_page("pymdownx.snippets")
    (True, False)
    """
    return extension in EXTENSIONS or _READS_ONLY_THE_PAGE.fullmatch(extension) is not None


def _page_to_data(page: Page, sections: Iterable[search_index.Section]) -> dict[str, Any]:
    """Return the results of rendering a page as plain data, with its sections for search."""
    return {
        "content": page.content,
        "title": page._title_from_render,
        "toc": [_toc_to_data(item) for item in page.toc],
        "anchors": sorted(page.present_anchor_ids or ()),
        "links": {file.src_uri: anchors for file, anchors in (page.links_to_anchors or {}).items()},
        "sections": [[s.anchor, s.heading, s.text, s.formulas] for s in sections],
    }


def _restore_page(page: Page, entry: bytes, files: Files) -> list[search_index.Section] | None:
    """Restore a page from its cached rendering; return its search sections.

    None if the entry is damaged; the page is unchanged then.
    """
    with suppress(*_DAMAGED):
        data = json.loads(entry)
        toc = TableOfContents([_toc_from_data(item) for item in data["toc"]])
        links = {files.src_uris[uri]: anchors for uri, anchors in data["links"].items()}
        sections = [search_index.Section(*fields) for fields in data["sections"]]
        anchors = set(data["anchors"])
        page.content, page._title_from_render = data["content"], data["title"]
        page.toc, page.links_to_anchors, page.present_anchor_ids = toc, links, anchors
        for first in toc.items[:1]:
            first.active = True  # type: ignore[attr-defined]  # as MkDocs' `get_toc` sets it
        return sections
    return None


def _toc_to_data(link: AnchorLink) -> list[Any]:
    """Return an entry of a table of contents, with those below it, as lists."""
    return [link.title, link.id, link.level, [_toc_to_data(child) for child in link.children]]


def _toc_from_data(item: list[Any]) -> AnchorLink:
    """Return the entry of a table of contents of which `_toc_to_data` made lists."""
    title, anchor, level, children = item
    link = AnchorLink(title, anchor, level)
    link.children = [_toc_from_data(child) for child in children]
    return link


@contextmanager
def _captured_messages() -> Iterator[list[str]]:
    """Collect the messages that MkDocs logs meanwhile."""
    messages: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: messages.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("mkdocs")
    logger.addHandler(handler)
    try:
        yield messages
    finally:
        logger.removeHandler(handler)


def _setting_as_data(value: Any) -> Any:
    """Return a setting as data that JSON can write, equal in every run if it means the same.

    For a function whose code may change unseen, the data differ in every run.
    """
    if isinstance(value, (Vault, Store)):
        return ""  # the keys have fingerprints of what they contain
    if isinstance(value, partial):
        return [_setting_as_data(value.func), [*value.args], value.keywords]
    if not callable(value):
        return repr(value)
    module = getattr(value, "__module__", "") or ""
    name = getattr(value, "__qualname__", "")
    has_name = name and "<" not in name  # unlike ``<lambda>`` and ``f.<locals>.g``
    if has_name and module.split(".")[0] in _PACKAGES_IN_KEYS:
        return f"{module}.{name}"
    return f"{value!r} {id(value)} {time.time_ns()}"
