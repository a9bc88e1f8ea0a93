"""The pages of a site as data, whatever host builds them."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from pathlib import Path

from vaultkit.read.note import Note


@dataclass(frozen=True)
class SitePage:
    """A page: where it is, what it is called, and which note it shows.

    Parameters
    ----------
    uri
        Path of its source below the folder of the notes, with forward slashes.
    url
        Its address from the root of the site.
    title
        Its title as plain text.
    path
        The file that it shows; the empty path for a generated page.
    note
        The note in that file, if it is one.
    sections
        Titles of the sections of the navigation that hold it, the innermost first.
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
        """Return the address of something on the site as seen from this page."""
        return relative_url(url, self.url)

    @property
    def markdown(self) -> str:
        """Address of its Markdown, the same for as long as its note keeps its name."""
        return (self.url.removesuffix("/").removesuffix(".html") or "index") + ".md"


def relative_url(url: str, page: str) -> str:
    """Return an address as seen from a page, both given from the root of the site.

    Examples
    --------
    >>> relative_url("tern/", "sea/gull/"), relative_url("a.md", "b.html")
    ('../../tern/', 'a.md')
    """
    folder, _, name = page.rpartition("/")
    above, parts = _parts(folder if "." in name else page), _parts(url)
    same = len(posixpath.commonprefix([above, parts]))
    found = "/".join([".."] * (len(above) - same) + parts[same:]) or "."
    return f"{found}/" if url.endswith("/") else found


def _parts(url: str) -> list[str]:
    return [part for part in posixpath.normpath(f"/{url}").split("/") if part]
