"""Pages that redirect from an alias to its note."""

from __future__ import annotations

import html
import posixpath
from collections.abc import Iterator, Mapping
from urllib.parse import quote

from vaultkit.read.syntax import address as address_of
from vaultkit.read.vault import Vault


def redirects(
    vault: Vault, urls: Mapping[str, str], directories: bool
) -> Iterator[tuple[str, str]]:
    """Yield a page for every alias, which redirects to the note.

    Parameters
    ----------
    vault
        The notes and their aliases.
    urls
        The address of the page of each note that has one, by its path.
    directories
        Whether addresses end in a slash.

    Yields
    ------
    tuple of str and str
        Path of the page below the site's root, and its HTML.
    """
    for note in vault.notes.values():
        url = urls.get(vault.relative(note.path))
        if url is None:
            continue
        for alias in note.aliases:
            name = address_of(alias.replace("/", " "))
            if not name:
                continue
            uri = f"{name}/index.html" if directories else f"{name}.html"
            target = posixpath.relpath(url or ".", posixpath.dirname(uri) or ".")
            if url.endswith("/") or not url:
                target += "/"
            yield uri, redirect_page(target, note.name)


def redirect_page(address: str, title: str) -> str:
    """Return a page that redirects, with or without JavaScript, and keeps the ``#anchor``."""
    to, title = html.escape(quote(address, safe="/.#%-_~")), html.escape(title)
    return (
        "<!doctype html>\n"
        f'<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<link rel="canonical" href="{to}"><meta name="robots" content="noindex">'
        f'<noscript><meta http-equiv="refresh" content="0;url={to}"></noscript>'
        f'<script>location.replace("{to}"+location.hash)</script>'
        f'</head><body><a href="{to}">{title}</a></body></html>\n'
    )
