"""The pages of a site as data, whatever host builds them."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from pathlib import Path

from vaultkit.read.note import Note


@dataclass(frozen=True)
class SitePage:
    """A page: its address, its title, and its note.

    Parameters
    ----------
    uri
        Path of its source relative to the folder of the notes, with forward slashes.
    url
        Its address from the root of the site.
    title
        Its title as plain text.
    path
        The file of its source; the empty path for a generated page.
    note
        The note of that file, if it is one.
    sections
        Titles of the sections of the navigation that contain it, the innermost first.
    is_home
        Whether it is the first page of the site.
    """

    uri: str
    url: str
    title: str
    path: Path = Path()
    note: Note | None = field(default=None, compare=False)
    sections: tuple[str, ...] = ()
    is_home: bool = False

    def to(self, url: str) -> str:
        """Convert an address from the root of the site to one relative to this page."""
        return relative_url(url, self.url)

    @property
    def markdown(self) -> str:
        """Address of its Markdown, which changes only if the note is renamed."""
        return (self.url.removesuffix("/").removesuffix(".html") or "index") + ".md"


def relative_url(url: str, page: str) -> str:
    """Return an address relative to a page, both given from the root of the site.

    Examples
    --------
    >>> relative_url("tern/", "sea/gull/"), relative_url("a.md", "b.html")
    ('../../tern/', 'a.md')
    """
    folder, _, name = page.rpartition("/")
    is_file = "." in name
    here, there = _split_path(folder if is_file else page), _split_path(url)
    common = len(posixpath.commonprefix([here, there]))
    path = "/".join([".."] * (len(here) - common) + there[common:]) or "."
    return f"{path}/" if url.endswith("/") else path


def _split_path(url: str) -> list[str]:
    """Return the folders and the file of an address: ``a/../b/c`` → ``["b", "c"]``."""
    return [part for part in posixpath.normpath(f"/{url}").split("/") if part]
