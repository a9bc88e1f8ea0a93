"""The files of a site in MkDocs: which are published, at which address, and which are added.

A `File` of MkDocs has ``src_uri``, its path below the folder of the notes, and ``dest_uri``, its
path on the site.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel

from vaultkit.read.discovery import READERS
from vaultkit.read.graph import front_note
from vaultkit.read.syntax import printable
from vaultkit.read.vault import Vault
from vaultkit.site.assets import SiteAssets, SiteFile
from vaultkit.site.front import front_page
from vaultkit.site.material import adapt_script
from vaultkit.site.model import map_page_markdown, page_address, tags_page_markdown
from vaultkit.site.redirects import redirects

_log = logging.getLogger("mkdocs.plugins.vaultkit")


def drop_unfit(files: Files, vault: Vault, config: MkDocsConfig) -> None:
    """Drop the files that would break a build: FIFOs, devices, and names that no URL can hold.

    Files that the vault does not have are dropped, too: unpublished notes, and what MkDocs finds
    when it follows symbolic links in circles, as deep as the system allows.
    """
    root = Path(config.docs_dir)
    paths_in_vault = {root / path.relative_to(vault.root) for path in vault.files}
    for file in list(files):
        path = Path(file.abs_src_path or "")
        # Files of other plugins and of the theme; MkDocs itself leaves out hidden ones.
        if not file.src_dir or Path(file.src_dir) != root or path.name.startswith("."):
            continue
        has_valid_name = printable(file.src_uri) == file.src_uri
        if path in paths_in_vault and has_valid_name and _can_be_copied(path):
            continue
        if path not in vault.notes and path in paths_in_vault:
            _log.warning("%s is left out: it cannot be published", printable(file.src_uri))
        files.remove(file)


def _can_be_copied(path: Path) -> bool:
    """Return whether a file can be copied: not a FIFO, a device, or a broken symbolic link.

    A note need not be copied: if it cannot be read, its page says so.
    """
    return path.suffix in READERS or path.is_file()


def set_addresses(files: Files, vault: Vault) -> None:
    """Set the address of each page to the one that the vault gives its note.

    MkDocs writes a page to ``softmax/index.html``, or with ``use_directory_urls: false`` to
    ``softmax.html``; this is kept.
    """
    for file in files:
        if not file.is_documentation_page() or file.dest_uri == "index.html":
            continue
        ending = "/index.html" if file.dest_uri.endswith("/index.html") else ".html"
        set_uri(file, (page_address(vault, file.src_uri) or "index") + ending)


def name_by_content(files: Files, assets: SiteAssets, folders: Sequence[str]) -> None:
    """Put the hash of its content into the address of each file in some folders.

    A browser may then keep a file for as long as it likes.
    """
    beginnings = tuple(f"{name.strip('/')}/" for name in folders)
    by_uri = {file.src_uri: file for file in files if file.src_uri.startswith(beginnings)}
    new_uris = assets.rename({uri: file.content_bytes for uri, file in by_uri.items()})
    for uri, new_uri in new_uris.items():
        set_uri(by_uri[uri], new_uri)


def adapt_material_script(files: Files) -> None:
    """Adapt the script of Material, such as ``bundle.56dfad97.min.js``; its name stays the same.

    Nothing changes in a version that does not have the parts to be replaced.
    """
    for file in files:
        if re.fullmatch(r"assets/javascripts/bundle\.\w+\.min\.js", file.dest_uri):
            file.content_string = adapt_script(file.content_string)


def add_generated(files: Files, config: MkDocsConfig, generated: Iterable[SiteFile]) -> None:
    """Add files that are not in the folder of the notes."""
    for file in generated:
        files.append(_generate(config, file.uri, file.content))


def add_front(files: Files, vault: Vault, config: MkDocsConfig) -> None:
    """Add a front page: the note meant for it, or a list of all notes."""
    if any(file.dest_uri == "index.html" for file in files):
        return
    note = front_note(vault)
    file = files.get_file_from_path(vault.relative(note.path)) if note else None
    if file:
        set_uri(file, "index.html")
        file.name = "index"  # by which MkDocs knows the home page
    else:
        title = str(config.site_name or vault.root.name)
        files.append(_generate(config, "index.md", front_page(vault, title)))


def add_pages(files: Files, vault: Vault, config: MkDocsConfig) -> File | None:
    """Add redirects for aliases, the list of tags and the map; return the map, if any."""
    taken = {file.dest_uri for file in files}
    urls = {uri: file.url for uri, file in files.src_uris.items()}
    for uri, content in redirects(vault, urls, config.use_directory_urls):
        if uri not in taken:
            taken.add(uri)
            files.append(_generate(config, uri, content))
    if "material/tags" in config.plugins and "tags/index.html" not in taken:
        files.append(_generate(config, "tags.md", tags_page_markdown(), InclusionLevel.NOT_IN_NAV))
    # The map shows the order of the pages, which only `nav` gives; a note may have its address.
    if not config.nav or {"map.html", "map/index.html"} & taken:
        return None
    map_file = _generate(config, "map.md", map_page_markdown(), InclusionLevel.NOT_IN_NAV)
    files.append(map_file)
    return map_file


def set_uri(file: File, uri: str) -> None:
    """Move a file to another address on the site."""
    file.dest_uri = uri
    for cached_property in ("url", "abs_dest_path"):  # which MkDocs has computed of the old one
        file.__dict__.pop(cached_property, None)


def _generate(
    config: MkDocsConfig,
    uri: str,
    content: str | bytes,
    inclusion: InclusionLevel = InclusionLevel.INCLUDED,
) -> File:
    """Return a file of the site that is not in the folder of the notes."""
    return File.generated(config, uri, content=content, inclusion=inclusion)
