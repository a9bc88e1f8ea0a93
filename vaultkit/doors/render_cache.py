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
from vaultkit.store import Store, key_of

#: Extensions that read only the page: ours, and those of Python-Markdown and pymdownx, except a few
#: that read other files.
_PURE = re.compile(
    r"(?:markdown\.extensions\.)?(?:abbr|admonition|attr_list|codehilite|def_list|extra|fenced_code|footnotes|legacy_\w+|md_in_html|meta|"
    r"nl2br|sane_lists|smarty|toc|tables)|pymdownx\.(?!b64|snippets|extrarawhtml)\w+"
)
#: Errors raised by an entry that has another form.
_DAMAGED = (AttributeError, KeyError, TypeError, ValueError)
#: The kind of these entries in the store.
_KIND = "page"
#: So many pages are rendered before helpers render the rest.
_FEW = 16
_log = logging.getLogger("mkdocs.plugins.vaultkit")
#: The folder of generated files, to which no note links.
_OURS = "assets/vaultkit/"


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
        self.is_on = all(isinstance(e, str) and _is_pure(e) for e in config.markdown_extensions)
        #: Fingerprint of everything that links and embeds of the vault depend on.
        self.names_fingerprint = names_fingerprint(vault)
        self._config = config
        self._common = b""
        self._asked: set[str] = set()
        self._order: list[File] = []
        #: The HTML of the page that was rendered last, and its sections for search.
        self._read: tuple[str, list[search_index.Section]] = "", []
        #: One Markdown converter for all pages.
        self._converter: Markdown | None = None

    def begin(self, files: Files, order: Iterable[File]) -> None:
        """Fingerprint what all pages depend on, and store the order in which they are rendered."""
        self._asked = set()
        self._order = list(order)
        self._places = {file.src_uri: at for at, file in enumerate(self._order)}
        self._missed, self._converter = 0, None
        settings = [
            *self._config.markdown_extensions,
            self._config.mdx_configs,
            self._config.validation,
            logging.getLogger("mkdocs").getEffectiveLevel(),
        ]
        addresses = [
            (file.src_uri, file.dest_uri, file.inclusion.value)
            for file in files
            if not file.src_uri.startswith(_OURS)
        ]
        # Only its digest is part of every page's key, since these facts grow with the vault.
        self._common = key_of(
            code_fingerprint(),
            json.dumps(settings, default=_setting_as_data, sort_keys=True),
            self.names_fingerprint,
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
        """Render a page, or restore it from the cache."""
        if not self.is_on:
            render(config, files)
            return
        key = self._key(page, note)
        if self._is_restored(page, key, files):
            return
        self._missed += 1
        if self._missed == _FEW:
            # More pages are new: helpers render the rest into the store.
            rest = self._order[self._places.get(page.file.src_uri, 0) :]
            divide(rest, partial(self._render_ahead, config=config, files=files), here=False)
            if self._is_restored(page, key, files):
                return
        with _captured_messages() as messages:
            # Other plugins may have replaced the method.
            if getattr(render, "__func__", None) is Page.render:
                self._convert(page, config, files)
            else:
                render(config, files)
        # A page with messages is not cached, so that they are shown again in the next build.
        if not messages:
            self._read = page.content or "", search_index.split_sections(page.content or "")
            state = json.dumps(_page_to_data(page, self._read[1])).encode()
            self._store.put(_KIND, page.file.src_uri, key, state)

    def _is_restored(self, page: Page, key: bytes, files: Files) -> bool:
        """Restore a page from the store; return whether it is there."""
        kept = self._store.find(_KIND, page.file.src_uri, key)
        restored = _restore_page(page, kept, files) if kept is not None else None
        if restored is None:
            return False
        self._read = page.content or "", restored
        return True

    def _convert(self, page: Page, config: MkDocsConfig, files: Files) -> None:
        """Render a page like `Page.render`, but without creating a converter for each page."""
        # A converter that has failed is not used again.
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
        content, found = self._read
        return found if html == content else search_index.split_sections(html)

    def _render_ahead(self, part: Iterable[File], config: MkDocsConfig, files: Files) -> None:
        for file in part:
            page = file.page or Page(None, file, config)
            with suppress(Exception):  # the main process will render it, and report the error
                _populate_page(page, config, files)

    def prune_unused(self) -> None:
        """Drop the entries that this build has not used."""
        self._store.forget_others(_KIND, self._asked)

    def _key(self, page: Page, note: Note) -> bytes:
        """Return the fingerprint of everything that a page is rendered from."""
        self._asked.add(page.file.src_uri)
        vault = self.vault
        return key_of(
            self._common,
            page.file.src_uri,
            page.markdown,
            note.digest,
            [shown.digest for shown in self._embedded_notes(note)],
            [
                (b.source.path, b.link.sentence, section_of(b.source, b.link))
                for b in vault.backlinks(note)
            ],
            [(m.source.path, m.before, m.name, m.after) for m in vault.mentions(note)],
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


def render_notebook(page: Page, write: Any, config: MkDocsConfig, files: Files) -> None:
    """Render a notebook like a note, from the Markdown that mkdocs-jupyter makes of it."""
    write(config, files)
    # Before and after it are 360 KB of styles, for HTML that our template does not write.
    page.markdown = notebooks.markdown_in(page.content or "")
    Page.render(page, config, files)


def tame_jupyter(plugin: Any) -> None:
    """Make mkdocs-jupyter convert notebooks to Markdown instead of JupyterLab's HTML."""
    import_module("mkdocs_jupyter.config").settings.templates_dir = str(THEME / "notebook")
    # Its cache does not depend on the template, so it would return pages of another one.
    plugin.config["cache"] = False


def _is_pure(extension: str) -> bool:
    return extension in EXTENSIONS or _PURE.fullmatch(extension) is not None


def _page_to_data(page: Page, sections: Iterable[search_index.Section]) -> dict[str, Any]:
    """Return the results of rendering a page as plain data, with its sections for search."""
    return {
        "content": page.content,
        "title": page._title_from_render,
        "toc": [_toc_to_data(item) for item in page.toc],
        "anchors": sorted(page.present_anchor_ids or ()),
        "links": {file.src_uri: there for file, there in (page.links_to_anchors or {}).items()},
        "sections": [[s.anchor, s.heading, s.text, s.formulas] for s in sections],
    }


def _restore_page(page: Page, content: bytes, files: Files) -> list[search_index.Section] | None:
    """Restore a page from its cached rendering, if there is one; return its search sections."""
    with suppress(*_DAMAGED):
        kept = json.loads(content)
        toc = TableOfContents([_toc_from_data(item) for item in kept["toc"]])
        links = {files.src_uris[uri]: there for uri, there in kept["links"].items()}
        sections = [search_index.Section(*part) for part in kept["sections"]]
        page.content = kept["content"]
        page._title_from_render = kept["title"]
        page.toc, page.links_to_anchors = toc, links
        page.present_anchor_ids = set(kept["anchors"])
        for first in toc.items[:1]:
            first.active = True  # type: ignore[attr-defined]
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
    """Return a setting as data that JSON can write, equal in every run if it means the same."""
    if isinstance(value, (Vault, Store)):
        return ""
    if isinstance(value, partial):
        return [_setting_as_data(value.func), [*value.args], value.keywords]
    module = getattr(value, "__module__", "") or ""
    name = getattr(value, "__qualname__", "")
    if name and "<" not in name and module.split(".")[0] in ("markdown", "pymdownx", "vaultkit"):
        return f"{module}.{name}"
    # Other code may have changed: the result is then different in every run.
    return repr(value) if not callable(value) else f"{value!r} {id(value)} {time.time_ns()}"
