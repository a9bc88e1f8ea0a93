"""Replaces links to unpublished files by their words."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree.ElementTree import Element

from vaultkit.render.page import Page


def make_text(page: Page, root: Element) -> None:
    """Replace links to unpublished files, and their images, by their words.

    Wikilinks to them are not resolved in the first place.
    """
    if not page.vault.hidden:
        return
    for element in root.iter():
        for name in ("href", "src"):
            if _leads_to_hidden(element.get(name, ""), page):
                # The remaining attributes would reveal the target.
                words = element.get("alt")
                element.attrib.clear()
                if element.tag == "img":
                    element.text = words
                element.tag = "span"


def _leads_to_hidden(address: str, page: Page) -> bool:
    """Return whether an address leads to a file that is not published."""
    try:
        url = urlsplit(address)
    except ValueError:
        return False
    if url.scheme or url.netloc or not url.path:
        return False
    name = unquote(url.path)
    folder = page.vault.root if name.startswith("/") else page.host.path.parent
    path = Path(os.path.normpath(folder / name.lstrip("/")))
    return not page.vault.hidden.isdisjoint((path, Path(f"{path}.md")))
