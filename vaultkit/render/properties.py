"""Renders the properties of a note at the top of its page, as Obsidian does."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from vaultkit.read.note import Link
from vaultkit.read.syntax import WIKILINK
from vaultkit.render.inline import append, literal
from vaultkit.render.links import render_wikilink
from vaultkit.render.page import Page

#: Properties that are settings of Obsidian, the site or a plugin, or that are shown elsewhere.
_UNSHOWN = {
    *("alias", "aliases", "tag", "tags", "cssclass", "cssclasses", "publish", "draft", "checks"),
    *("title", "shown_title", "summary", "description", "icon", "status", "template", "hide"),
    *("image", "cover", "permalink", "revision_date", "banner", "subtitle", "comments", "boost"),
    *("search", "social", "old_headings", "keywords"),
}
_ADDRESS = re.compile(r"https?://\S+")


def show_properties(page: Page, root: Element) -> None:
    """Insert the list of properties below the title."""
    note = page.vault.notes.get(page.host.path)
    if note is None or page.open_embeds or not page.vault.options.properties:
        return
    shown = {
        name: value
        for name, value in note.meta.items()
        # Nested values are for programs; Obsidian cannot show them either.
        if name.lower() not in _UNSHOWN and value not in (None, "", []) and _is_flat(value)
    }
    if not shown:
        return
    box = Element("dl", {"class": "vk-properties", "data-search-exclude": "true"})
    for name, value in shown.items():
        SubElement(box, "dt").text = literal(name)
        for part in value if isinstance(value, list) else [value]:
            if part is not None:
                _render_value(SubElement(box, "dd"), part, page)
    root.insert(1 if len(root) and root[0].tag == "h1" else 0, box)


def _render_value(element: Element, value: Any, page: Page) -> None:
    """Render a value into an element, with its links resolved; an embed is shown as a link."""
    for part in _split_at_links(value):
        if isinstance(part, str):
            append(element, literal(part))
        elif isinstance(part, Link):
            link, text = render_wikilink(page, part, part.words)
            link.text = literal(part.shown) if text is None else text
            link.attrib.pop("data-embed", None)
            element.append(link)
        else:
            element.append(part)


def _is_flat(value: Any) -> bool:
    """Return whether a value is a scalar or a list of scalars."""
    parts = value if isinstance(value, list) else [value]
    return not any(isinstance(part, dict | list) for part in parts)


def _split_at_links(value: Any) -> Iterator[str | Link | Element]:
    """Yield the parts of a value of a property: texts, wikilinks, and elements of web addresses.

    Examples
    --------
    >>> [part if isinstance(part, str) else part.target for part in _split_at_links("see [[A]]")]
    ['see ', 'A', '']
    >>> [*_split_at_links(True)]
    ['yes']
    """
    if isinstance(value, bool):
        yield "yes" if value else "no"
    elif isinstance(value, str):
        end_of_last = 0
        for match in re.finditer(f"{WIKILINK.pattern}|{_ADDRESS.pattern}", value):
            yield value[end_of_last : match.start()]
            is_wikilink = match["target"] is not None
            if is_wikilink:
                yield Link.from_match(match)
            else:
                anchor = Element("a", {"href": match[0]})
                anchor.text = literal(match[0])
                yield anchor
            end_of_last = match.end()
        yield value[end_of_last:]
    elif isinstance(value, datetime.datetime):
        yield value.isoformat(" ", "minutes")
    else:
        yield str(value)
