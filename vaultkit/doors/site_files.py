"""The files of a site in MkDocs: which are published, at which address, and which are added."""

from __future__ import annotations

import logging
import posixpath
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel

from vaultkit.doors.redirects import redirects
from vaultkit.doors.site_assets import FOLDER, SiteAssets, generated, move, theme
from vaultkit.doors.site_model import ALL_NOTEBOOKS, map_page, notebook_uri
from vaultkit.read.discovery import READERS
from vaultkit.read.graph import way_in
from vaultkit.read.syntax import natural, place, printable
from vaultkit.read.vault import Vault
from vaultkit.site import notebooks, runnable
from vaultkit.site.front import front_page

#: The page on which Material's plugin lists the tags.
_TAGS = """---
description: All notes by topic.
---
# Tags

All notes by topic.

<!-- material/tags -->
"""
_log = logging.getLogger("mkdocs.plugins.vaultkit")


def drop_unfit(files: Files, vault: Vault, config: MkDocsConfig) -> None:
    """Drop the files that would break a build: FIFOs, devices, and names that no URL can hold.

    MkDocs also follows symbolic links in circles, as deep as the system allows.
    """
    root = Path(config.docs_dir)
    known = {root / path.relative_to(vault.root) for path in vault.files}
    for file in list(files):
        path = Path(file.abs_src_path or "")
        if not file.src_dir or Path(file.src_dir) != root or path.name.startswith("."):
            continue
        if path in known and printable(file.src_uri) == file.src_uri and _is_copied(path):
            continue
        if path not in vault.notes and path in known:
            _log.warning("%s is left out: it cannot be published", printable(file.src_uri))
        files.remove(file)


def _is_copied(path: Path) -> bool:
    """Return whether a file can be copied: not a FIFO, a device, or a broken symbolic link."""
    return path.suffix in READERS or path.is_file()


def set_addresses(files: Files, vault: Vault) -> None:
    """Set the address of each page to the one that the vault gives its note."""
    for file in files:
        if not file.is_documentation_page():
            continue
        parent, name = posixpath.split(file.dest_uri)
        words = posixpath.splitext(file.dest_uri)[0].removesuffix("/index")
        if name == "index.html" and not parent:
            continue
        ending = "/index.html" if name == "index.html" else ".html"
        note = vault.notes.get(vault.root / file.src_uri)
        if note and file.name != "index":
            move(file, vault.address(note) + ending)
        else:
            move(file, place(words) + ending)


def add_front(files: Files, vault: Vault, config: MkDocsConfig) -> None:
    """Add a front page: the note meant for it, or a list of all notes."""
    if any(file.dest_uri == "index.html" for file in files):
        return
    note = way_in(vault)
    file = files.get_file_from_path(vault.relative(note.path)) if note else None
    if file:
        move(file, "index.html")
        file.name = "index"
    else:
        title = str(config.site_name or vault.root.name)
        files.append(generated(config, "index.md", front_page(vault, title)))


def add_pages(files: Files, vault: Vault, config: MkDocsConfig) -> File | None:
    """Add redirects for aliases, the list of tags and the map; return the map, if any."""
    taken = {file.dest_uri for file in files}
    for uri, content in redirects(vault, files, config.use_directory_urls):
        if uri not in taken:
            taken.add(uri)
            files.append(generated(config, uri, content))
    if "material/tags" in config.plugins and "tags/index.html" not in taken:
        files.append(generated(config, "tags.md", _TAGS, InclusionLevel.NOT_IN_NAV))
    if not config.nav or {"map.html", "map/index.html"} & taken:
        return None
    added = generated(config, "map.md", map_page(), InclusionLevel.NOT_IN_NAV)
    files.append(added)
    return added


def checker(vault: Vault, assets: SiteAssets, pyodide: str) -> Iterator[File]:
    """Yield the files that check a page in a browser: the worker, a zip, and last the script."""
    worker = assets.file("check-worker.js", theme("check-worker.js"))
    content = runnable.bundle(vault)
    bundle = assets.file("engine.zip", content)
    engine = runnable.engine(
        vault,
        pyodide,
        worker=posixpath.basename(worker.src_uri),
        bundle=posixpath.basename(bundle.src_uri),
        size=len(content),
        root=posixpath.relpath(".", FOLDER),
    )
    yield from (worker, bundle, assets.file("check-page.js", engine + theme("check-page.js")))


def notebook_files(vault: Vault, config: MkDocsConfig) -> Iterator[File]:
    """Yield each note as a notebook, and a zip of all of them."""
    made = notebooks.all_notebooks(vault)
    for name, content in made.items():
        yield generated(config, notebook_uri(name), content)
    yield generated(config, ALL_NOTEBOOKS, notebooks.archive(vault, made))


def in_order(file: File) -> tuple[list[object], bool, object]:
    """Return the sort key of a file in Obsidian's order; a folder's own page comes first in it."""
    folder, name = posixpath.split(file.src_uri)
    above: list[object] = [natural(part) for part in folder.split("/") if part]
    return above, file.name != "index", natural(posixpath.splitext(name)[0])
