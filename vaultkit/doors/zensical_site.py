"""The door to Zensical: renders the whole site, then lets Zensical add its theme to the pages.

Zensical converts one page after the other with Python-Markdown, and has no hooks for plugins. Much
of a page depends on all other pages, so this module renders all of them first. It writes a folder
for Zensical with each page at its address, such as ``softmax/index.md``, because there Zensical
leaves relative links unchanged. The file holds the finished HTML; its front matter holds what the
templates show around it. `vaultkit.render.finished` passes both to Zensical.

In this module, a *uri* is the path of a source below the vault (``Softmax.md``), and a *url* is the
address of a page or file on the site (``softmax/``).
"""

from __future__ import annotations

import html
import json
import logging
import posixpath
import re
import shutil
import subprocess
import sys
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urljoin, urlsplit, urlunsplit
from xml.etree.ElementTree import Element

import yaml
from markdown import Markdown
from markdown.treeprocessors import Treeprocessor

from vaultkit.doors.site_settings import options_by_name, settings_for
from vaultkit.read.discovery import READERS
from vaultkit.read.graph import front_note
from vaultkit.read.note import Note, tags_of
from vaultkit.read.options import OptionsError
from vaultkit.read.vault import Vault
from vaultkit.render.code import diagram_fences
from vaultkit.render.finished import TOC
from vaultkit.render.host import EXTENSIONS, refusal_page
from vaultkit.site import material, notebooks, search_index
from vaultkit.site.assets import THEME, Appearance, SiteAssets, SiteFile, notebook_files
from vaultkit.site.checked_notes import CheckedNotes
from vaultkit.site.fingerprints import names_fingerprint
from vaultkit.site.front import front_page
from vaultkit.site.model import (
    CHECKS,
    DECK,
    LLMS,
    SiteModel,
    SiteSettings,
    begins_with_formulas,
    map_page_markdown,
    markdown_of,
    page_address,
    sort_key,
    tags_page_markdown,
)
from vaultkit.site.pages import SitePage, relative_url
from vaultkit.site.redirects import redirects
from vaultkit.site.text_failures import TextFailures
from vaultkit.store import store_in

#: The settings of ``mkdocs.yml`` that Zensical gets unchanged.
_KEPT_SETTINGS = (
    "site_name", "site_description", "site_author", "site_url", "copyright", "extra",
    "repo_url", "repo_name",
)  # fmt: skip
#: The plugins that Zensical has, too.
_PLUGINS = {"search", "tags", "material/search", "material/tags"}
#: Plugins that do nothing for Zensical: their work is done here, or by Zensical itself.
_NEEDLESS_PLUGINS = {"vaultkit", "mkdocs-jupyter", "typeset"}
#: Characters that are valid in JSON and not in YAML.
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")
_log = logging.getLogger("vaultkit.zensical")


def build_with_zensical(root: Path, site_dir: Path, strict: bool = False) -> list[str]:
    """Build a site of the notes below a folder.

    Parameters
    ----------
    root
        The folder. A ``mkdocs.yml`` in it or beside it is used, if it is for this folder.
    site_dir
        The folder of the site, which is replaced.
    strict
        Whether warnings are returned.

    Returns
    -------
    list of str
        The warnings if ``strict``, otherwise nothing.

    Raises
    ------
    OptionsError
        If Zensical is not installed or fails, or if the settings cannot be used.
    """
    if find_spec("zensical") is None:
        raise OptionsError('Zensical is not installed: pip install "checked-vault[site,zensical]"')
    site_dir = site_dir.resolve()
    site = ZensicalSite(*settings_for(root.resolve()))
    sources = site.vault.root
    if site_dir in (sources, *sources.parents) or sources in site_dir.parents:
        raise OptionsError(f"{site_dir}: a site may neither replace its notes nor be among them")
    folder = site.cache / "zensical"
    shutil.rmtree(folder, ignore_errors=True)
    site.prepare(folder)
    command = [sys.executable, "-m", "zensical", "build", "--clean"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise OptionsError(f"Zensical: {done.stdout}{done.stderr}")
    site.finish(folder / "site")
    shutil.rmtree(site_dir, ignore_errors=True)
    shutil.move(folder / "site", site_dir)
    for problem in site.problems:
        _log.warning("%s", problem)
    return site.problems if strict else []


@dataclass
class _Source:
    """A page: its Markdown, its properties for the theme, and then its HTML and its headings."""

    page: SitePage
    text: str
    meta: dict[str, Any]
    content: str = ""
    #: The headings, as the extension *toc* of Python-Markdown gives them.
    toc: list[dict[str, Any]] = field(default_factory=list)


class _NavEntry(NamedTuple):
    """A page in a navigation: its source, its title, and its sections, the innermost first.

    The title is None if the navigation has only the path of the page.
    """

    uri: str
    title: str | None = None
    sections: tuple[str, ...] = ()


class ZensicalSite:
    """The site of a vault, as a folder from which Zensical builds it.

    Parameters
    ----------
    settings, root
        The settings of a ``mkdocs.yml``, and the folder to which its paths are relative.
    """

    def __init__(self, settings: dict[str, Any], root: Path) -> None:
        self.settings, self.root = settings, root
        #: The warnings.
        self.problems: list[str] = []
        self.plugins = options_by_name(settings.get("plugins"))
        for name in sorted(self.plugins.keys() - _PLUGINS - _NEEDLESS_PLUGINS):
            self.problems.append(f"{name}: Zensical has no such plugin; it is left out")
        if settings.get("hooks"):
            self.problems.append("hooks: Zensical has none, they are left out")
        options = self.plugins.get("vaultkit", {})
        #: The options of the plugin *vaultkit*, without empty ones, which have their defaults.
        self.options = {name: value for name, value in options.items() if value is not None}
        self.cache = self.root / self.options.get("cache_dir", ".cache/vaultkit")
        self.store = store_in(self.cache)
        docs = (self.root / (settings.get("docs_dir") or "docs")).resolve()
        self.vault = Vault(docs, public=True, store=self.store)
        self.model = SiteModel(self.vault, self._site_settings())
        theme = settings.get("theme") or {}
        appearance = Appearance(
            list(settings.get("extra_css") or ()),
            list(settings.get("extra_javascript") or ()),
            {"name": theme} if isinstance(theme, str) else {**theme},
        )
        self.assets = SiteAssets(self.vault, appearance, self.store, incremental=False)
        #: The files of the site except its pages, by their paths on the site.
        self.files: dict[str, bytes] = {}
        #: The pages, by the uris of their sources.
        self.sources: dict[str, _Source] = {}
        #: The navigation in the form of `nav` in ``mkdocs.yml``.
        self.nav: list[Any] = []

    def _site_settings(self) -> SiteSettings:
        """Return the settings of the site model."""
        names = ("off_the_road", "side_roads", "roads", "meanings", "checks_page")
        return SiteSettings(
            name=str(self.settings["site_name"]),
            description=self.settings.get("site_description") or "",
            url=self.settings.get("site_url") or "",
            can_run=bool(self.options.get("pyodide")),
            **{name: self.options[name] for name in names if name in self.options},
        )

    def prepare(self, folder: Path) -> None:
        """Write the folder for Zensical, which must not exist.

        All pages are rendered before anything is written: styles, deck and front matter depend on
        all of them.
        """
        failures = TextFailures(self.vault, self.store, names_fingerprint(self.vault))
        for note in self.vault.notes.values():
            name = f"{self.vault.root.name}/{self.vault.relative(note.path)}"
            self.problems += [f"{name}:{line}: {why}" for line, why in failures.of(note)]
        self.problems += [f"meanings: there is no note {m}" for m in self.model.terms.missing]
        urls = self._collect_pages()
        converter, links = self._converter(urls)
        for source in self.sources.values():
            self._render(source, converter, links)
        uris_in_nav = (entry.uri for entry in _nav_entries(self.nav))
        order = [self.sources[uri].page for uri in uris_in_nav if uri in self.sources]
        is_ordered = bool(self.settings.get("nav"))
        self.model.arrange(order, is_ordered)
        for uri in self.model.roads.missing:
            self.problems.append(f"roads: {uri} is not in nav")
        self._add(self.assets.styles(self.model.letters, self.model.signs))
        if deck := self.model.deck():
            self.files[DECK] = deck
        self.files[LLMS] = self.model.llms().encode()
        docs = folder / "docs"
        for uri, content in self.files.items():
            _write(docs / uri, content)
        for source in self.sources.values():
            _write(docs / _file_path(source.page), self._page_file(source).encode())
        overrides = folder / "overrides"
        shutil.copytree(THEME / "zensical", overrides)
        shutil.copy(THEME / "templates" / "404.html", overrides)
        # The author's templates replace ours.
        if custom := self.assets.appearance.theme.get("custom_dir"):
            shutil.copytree(self.root / custom, overrides, dirs_exist_ok=True)
        config = yaml.safe_dump(self._config(), allow_unicode=True, sort_keys=False)
        _write(folder / "mkdocs.yml", config.encode())

    def finish(self, site: Path) -> None:
        """Add the Markdown of each page to the site; Zensical would convert it to a page."""
        for source in self.sources.values():
            note = source.page.note
            if note and not note.refused:
                text = markdown_of(note, source.text)
                _write(site / unquote(source.page.markdown), text.encode())

    def _collect_pages(self) -> dict[str, str]:
        """Collect the pages and files of the site; return the url of each, by its uri."""
        vault, model = self.vault, self.model
        urls = self._collect_files_of_vault()
        pages: dict[str, Note | str] = {
            vault.relative(path): note for path, note in vault.notes.items()
        }
        # The address of a page is a path without slash at its end; that of the front page is empty.
        addresses = {uri: page_address(vault, uri) for uri in pages}
        if "" not in addresses.values():
            front = front_note(vault)
            uri = vault.relative(front.path) if front else "index.md"
            pages.setdefault(uri, front_page(vault, model.settings.name))
            addresses[uri] = ""
        generated = self._generated_pages(addresses.values())
        pages |= generated
        addresses |= {uri: uri.removesuffix(".md") for uri in generated}
        urls |= {uri: quote(f"{path}/") if path else "./" for uri, path in addresses.items()}
        if "map.md" in generated:
            model.map_uri, model.map_url = "map.md", urls["map.md"]
        self.nav = list(self.settings.get("nav") or _nav_by_folder(addresses, generated))
        entries: dict[str, _NavEntry] = {}
        for entry in _nav_entries(self.nav):
            entries.setdefault(entry.uri, entry)  # the first one, if a page is in two sections
        for uri, content in pages.items():
            url = urls[uri].removeprefix("./")
            self.sources[uri] = self._make_source(url, content, entries.get(uri, _NavEntry(uri)))
        self._add_files(urls)
        return urls

    def _collect_files_of_vault(self) -> dict[str, str]:
        """Fill `files` with the files that are no notes; return the url of each, by its uri.

        Those below ``named_by_content`` have a hash of their content in their paths.
        """
        contents = {}
        for path in self.vault.files:
            if path.suffix in READERS:
                continue
            uri = self.vault.relative(path)
            # Not a FIFO; and no URL can hold a name that is not UTF-8, which is escaped in a uri.
            if path.is_file() and self.vault.root / uri == path:
                contents[uri] = path.read_bytes()
            else:
                self.problems.append(f"{uri} is left out: it cannot be published")
        folders = tuple(f"{name.strip('/')}/" for name in self.options.get("named_by_content", ()))
        renamed = self.assets.rename(
            {uri: content for uri, content in contents.items() if uri.startswith(folders)}
        )
        self.files = {renamed.get(uri, uri): content for uri, content in contents.items()}
        return {uri: quote(renamed.get(uri, uri)) for uri in contents}

    def _generated_pages(self, taken: Collection[str]) -> dict[str, str]:
        """Return the Markdown of the list of tags and of the map by their uris, where they exist.

        ``taken`` are the addresses of notes. A generated page is in no navigation.
        """
        pages = {}
        if self.plugins.keys() & {"tags", "material/tags"} and "tags" not in taken:
            pages["tags.md"] = tags_page_markdown()
        # The map shows the order of the pages, which only `nav` gives.
        if self.settings.get("nav") and "map" not in taken:
            pages["map.md"] = map_page_markdown()
        return pages

    def _make_source(self, url: str, content: Note | str, entry: _NavEntry) -> _Source:
        """Return the page of a note, or of generated Markdown, at a url (empty: the front page)."""
        note = content if isinstance(content, Note) else None
        if isinstance(content, str):
            title, text, meta = _split_generated(content, entry.uri)
        else:
            text, meta = _text_and_properties(content)
            if content.summary:
                meta["description"] = self.model.summary(content)
            has_no_title = content.title == content.name
            title = self.model.settings.name if not url and has_no_title else content.title
        if not url:
            # The home page is short: it needs no list of its headings.
            meta.setdefault("hide", ["toc"])
        page = SitePage(
            uri=entry.uri,
            url=url,
            title=entry.title or title,
            path=self.vault.root / entry.uri,
            note=note,
            sections=entry.sections,
            is_home=not url,
        )
        return _Source(page, text, meta)

    def _add_files(self, urls: Mapping[str, str]) -> None:
        """Add redirects, the theme's files, the files of all checks, and the notebooks."""
        vault, model, options = self.vault, self.model, self.options
        paths = {unquote(url).strip("/") for url in urls.values()}
        for uri, content in redirects(vault, urls, directories=True):
            if posixpath.dirname(uri) not in paths:  # else a page has this address
                self._add([SiteFile(uri, content)])
        self._add(self.assets.scripts())
        checked = CheckedNotes(vault, urls, with_failures=False)
        for path, check in checked.failures:
            self.problems.append(f"{path}:{check.line}: {check.why}")
        model.checked, model.picture = checked, self.assets.picture
        self._add([SiteFile(CHECKS, checked.data()), SiteFile("badge.svg", checked.badge())])
        if model.settings.checks_page in urls:
            script = self.assets.themed("checks.js")
            model.checks_url, model.checks_script = urls[model.settings.checks_page], script.uri
            self._add([script])
        if pyodide := options.get("pyodide"):
            self._add(self.assets.checker(pyodide, options.get("figures", "")))
            self._add(notebook_files(vault))

    def _add(self, files: Iterable[SiteFile]) -> None:
        """Add files to the site."""
        for file in files:
            content = file.content
            self.files[file.uri] = content.encode() if isinstance(content, str) else content

    def _converter(self, urls: Mapping[str, str]) -> tuple[Markdown, _Links]:
        """Return the converter of all pages, and the part of it that resolves their links."""
        extensions = options_by_name(self.settings.get("markdown_extensions"))
        extensions.pop("vaultkit", None)  # the name of our extensions together
        fences_of_author = extensions.get("pymdownx.superfences", {}).get("custom_fences")
        configs = {
            **extensions,
            **{name: {**ours, **extensions.get(name, {})} for name, ours in EXTENSIONS.items()},
        }
        configs["vaultkit.render.host"].update(
            vault=self.vault,
            places=True,
            html=self.vault.options.html,
            fences=fences_of_author or diagram_fences(self.store),
        )
        # Ours come last: they process the results of the others.
        names = [*(name for name in extensions if name not in EXTENSIONS), *EXTENSIONS]
        # MkDocs loads these by default.
        names = [name for name in ("toc", "tables", "fenced_code") if name not in names] + names
        converter = Markdown(extensions=names, extension_configs=configs)
        links = _Links(self.vault.root, urls)
        converter.treeprocessors.register(links, "relpath", 0)
        return converter, links

    def _render(self, source: _Source, converter: Markdown, links: _Links) -> None:
        """Convert a page to HTML, and pass it to the site model; a note that fails says so."""
        page, note = source.page, source.page.note
        links.file = SimpleNamespace(src_uri=page.uri)
        try:
            # Python-Markdown skips an empty page, but this one may have properties to show.
            content = converter.reset().convert(source.text or "<!-- -->")
        except Exception as error:
            if note is None:
                raise
            # An error of a library in one note must not end the build.
            self.problems.append(f"{page.uri} cannot be shown: {type(error).__name__}: {error}")
            failed = replace(note, refused=type(error).__name__)
            content = converter.reset().convert("\n".join(refusal_page(failed)))
        source.toc = deepcopy(getattr(converter, "toc_tokens", []))
        is_searched = not (source.meta.get("search") or {}).get("exclude")
        sections = search_index.split_sections(content) if is_searched else None
        self.model.read_page(page, content, sections, lambda url: self.files.get(unquote(url)))
        source.content = material.replace_svg_href(content)

    def _page_file(self, source: _Source) -> str:
        """Return the file of a page for Zensical: its front matter and its HTML."""
        page, model, root = source.page, self.model, self.model.settings.url.rstrip("/")
        description = str(source.meta.get("description") or "")
        content, around = model.around(
            page,
            source.content,
            title=page.title,
            description=description,
            canonical_url=f"{root}/{page.url}" if root else "",
            edit_url=self._edit_url(page),
        )
        meta = {name: value for name, value in source.meta.items() if value}
        if description:
            meta["description"] = html.escape(description)
        meta |= {"title": html.escape(page.title), "vaultkit_home": page.is_home}
        meta |= around
        # A font of formulas is preloaded only if formulas are in sight at once.
        shows_formulas = begins_with_formulas(source.content)
        meta["vaultkit_fonts"] = [
            uri for uri, is_of_formulas in self.assets.fonts if shows_formulas or not is_of_formulas
        ]
        meta[TOC] = source.toc
        front_matter = "\n".join(f"{name}: {_to_yaml(value)}" for name, value in meta.items())
        return f"---\n{front_matter}\n---\n{model.fill_in(page, content)}\n"

    def _edit_url(self, page: SitePage) -> str:
        """Return where the source of a page can be edited; empty if the site does not say."""
        base = str(self.settings.get("repo_url") or "")
        edit = str(self.settings.get("edit_uri") or "")
        if not edit:
            return ""
        return urljoin(base.rstrip("/") + "/", edit.rstrip("/") + "/") + quote(page.uri)

    def _config(self) -> dict[str, Any]:
        """Return the settings of Zensical."""
        appearance = self.assets.appearance
        theme = {"variant": "classic", **appearance.theme, "custom_dir": "overrides"}
        config = {name: self.settings[name] for name in _KEPT_SETTINGS if self.settings.get(name)}
        config |= {
            "nav": [self._with_file_paths(item) for item in self.nav],
            "docs_dir": "docs",
            "site_dir": "site",
            "theme": theme,
            "extra_css": appearance.extra_css,
            "extra_javascript": appearance.extra_javascript,
            "markdown_extensions": ["vaultkit.render.finished"],
            "plugins": [name for name in self.plugins if name in _PLUGINS],
            # vaultkit has checked the links; these are addresses.
            "validation": {"invalid_links": False, "invalid_link_anchors": False},
        }
        return config

    def _with_file_paths(self, item: Any) -> Any:
        """Return an item of the navigation, with the paths of the files for Zensical."""
        if isinstance(item, dict):
            return {title: self._with_file_paths(inner) for title, inner in item.items()}
        if isinstance(item, list):
            return [self._with_file_paths(inner) for inner in item]
        source = self.sources.get(item)
        return _file_path(source.page) if source else item  # such as a link to another site


class _Links(Treeprocessor):
    """Replaces the paths of files in links by addresses on the site, as MkDocs does."""

    def __init__(self, root: Path, urls: Mapping[str, str]) -> None:
        super().__init__()
        self.urls = urls
        # The attributes of MkDocs' own processor that `vaultkit.render.page` uses.
        self.config = SimpleNamespace(docs_dir=str(root))
        self.files = SimpleNamespace(get_file_from_path=urls.get)
        self.file = SimpleNamespace(src_uri="")

    def run(self, root: Element) -> None:
        """Replace the targets of all links and images of the page whose source is `file`."""
        for element in root.iter():
            key = {"a": "href", "img": "src"}.get(element.tag)
            if key and (url := element.get(key)) is not None:
                element.set(key, self.path_to_url(url))

    def path_to_url(self, url: str) -> str:
        """Return the address of a link, relative to the current page."""
        parts = urlsplit(url)
        # Only a relative path names a file; `#heading` alone stays on the page.
        if parts.scheme or parts.netloc or not parts.path or url.startswith(("/", "\\")):
            return url
        source = self.file.src_uri
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), unquote(parts.path)))
        target_url = self.urls.get(target)
        if target_url is None:
            return url
        path = relative_url(target_url, self.urls[source])
        return urlunsplit(("", "", path, parts.query, parts.fragment))


def _text_and_properties(note: Note) -> tuple[str, dict[str, Any]]:
    """Return the Markdown of the page of a note, and those of its properties that a theme reads."""
    if note.refused:
        text = "\n".join(refusal_page(note))
    elif note.path.suffix == ".ipynb":
        text = notebooks.export_notebook(note.path, THEME / "notebook")
    else:
        text = "\n".join(note.lines[note.front :])  # without the front matter
    meta = {"description": note.summary or note.meta.get("description")}
    meta |= {"tags": [*tags_of(note.meta["tags"])]} if "tags" in note.meta else {}
    meta |= {name: note.meta[name] for name in ("hide", "search") if name in note.meta}
    return text, material.drop_misread_properties(meta, [])


def _split_generated(markdown: str, uri: str) -> tuple[str, str, dict[str, Any]]:
    r"""Return title, text and properties of a generated page; its path if it has no title.

    Examples
    --------
    >>> _split_generated("---\ndescription: All.\n---\n# Map\n", "map.md")
    ('Map', '# Map\n', {'description': 'All.'})
    """
    front, text = "", markdown
    if markdown.startswith("---\n"):
        _, front, text = markdown.split("---\n", 2)
    heading = re.search(r"^# (.+)$", text, re.MULTILINE)
    return heading[1] if heading else uri, text, yaml.safe_load(front) or {}


def _nav_entries(items: Sequence[Any], sections: tuple[str, ...] = ()) -> Iterator[_NavEntry]:
    """Yield the entry of each page of a navigation.

    Examples
    --------
    >>> [*_nav_entries(["a.md", {"B": [{"C": "c.md"}]}])][1]
    _NavEntry(uri='c.md', title='C', sections=('B',))
    """
    for item in items:
        pairs = item.items() if isinstance(item, dict) else [(None, item)]
        for title, inner in pairs:
            if isinstance(inner, list):
                yield from _nav_entries(inner, (str(title), *sections))
            else:
                yield _NavEntry(str(inner), title, sections)


def _nav_by_folder(addresses: Mapping[str, str], left_out: Container[str]) -> list[Any]:
    """Return a navigation with a section for each folder, in Obsidian's order.

    ``addresses`` has the address of each page by its uri, and ``left_out`` the uris of pages that
    are in no navigation. The folder ``two-words`` becomes the section *Two words*.

    >>> _nav_by_folder({"two-words/b.md": "two-words/b", "index.md": ""}, [])
    ['index.md', {'Two words': ['two-words/b.md']}]
    """
    nav: list[Any] = []
    branches = {"": nav}

    def branch(folder: str) -> list[Any]:
        """Return the entries of a folder, which is added to the navigation if it is new."""
        if folder not in branches:
            parent, name = posixpath.split(folder)
            words = re.sub("[-_]", " ", name)
            title = words.capitalize() if words.islower() else words
            branches[folder] = []
            branch(parent).append({title: branches[folder]})
        return branches[folder]

    # The front page, whose address is empty, comes first.
    for uri in sorted(addresses, key=lambda uri: sort_key(uri, not addresses[uri])):
        if uri not in left_out:
            branch(posixpath.dirname(uri)).append(uri)
    return nav


def _file_path(page: SitePage) -> str:
    """Return the path of the file of a page for Zensical: ``softmax/index.md``."""
    return f"{unquote(page.url)}index.md"


def _to_yaml(value: Any) -> str:
    """Return a property as one line of YAML."""
    text = json.dumps(value, ensure_ascii=False)
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _write(path: Path, content: bytes) -> None:
    """Write a file, and make its folder if necessary."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
