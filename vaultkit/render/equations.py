"""Gives each displayed equation an id, and a link to that id."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element, SubElement

from vaultkit.render.page import Page


def address_equations(page: Page, root: Element) -> None:
    """Give each display a link to its id: the ``^id`` below it, or ``equation-1`` and so on.

    Displays in embedded notes are left as they are. An id never equals that of a heading.
    """
    ids_in_use = {element.get("id") for element in root.iter()}
    ids_in_use |= {heading.slug for heading in page.host.headings}  # which the host sets later
    for number, display in enumerate(_displays(root), 1):
        name = display.get("id")
        if name is None:
            name = f"equation-{number}"
            while name in ids_in_use:
                name += "_1"
            ids_in_use.add(name)
            display.set("id", name)
        label = "Link to this equation"
        # The style sheet shows the sign of the link, so that search does not index it.
        attributes = {"class": "headerlink vk-math__link", "href": f"#{name}", "title": label}
        SubElement(display, "a", {**attributes, "aria-label": label})


def _displays(element: Element) -> Iterator[Element]:
    """Yield the displayed formulas of a page, except those of embedded and quoted notes."""
    names = element.get("class", "").split()
    if element.tag == "div" and "arithmatex" in names:
        yield element
    elif not {"transclusion", "linked-from"} & set(names):
        for child in element:
            yield from _displays(child)
