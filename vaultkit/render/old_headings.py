"""Keeps the addresses of headings that were renamed, or moved to another note."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

from vaultkit.read.syntax import slug
from vaultkit.read.vault import BrokenLinkError
from vaultkit.render.inline import literal
from vaultkit.render.page import Page


def keep_addresses(page: Page, root: Element) -> None:
    """Add an element with the old address of each heading in the property `old_headings`.

    If its content is on this page, the element is empty and before the heading that has it now.
    Otherwise it is a paragraph with a link, which is hidden until somebody comes to this address;
    the site's script then follows the link.
    """
    note = page.vault.notes.get(page.host.path)
    if note is None or page.open_embeds:
        return
    parents = {child: parent for parent in root.iter() for child in parent}
    elements_by_id = {child.get("id"): child for child in parents}
    for link in note.old_headings:
        address = slug(link.words)
        try:
            target = page.resolve(link)
        except BrokenLinkError:
            continue  # which is a failed check
        if address in elements_by_id:
            continue  # another heading has this address now
        if target.path == page.host.path:
            heading = elements_by_id.get(target.anchor)
            parent = root if heading is None else parents[heading]
            index = 0 if heading is None else [*parent].index(heading)
            parent.insert(index, Element("span", {"id": address, "class": "vk-moved-here"}))
        else:
            attributes = {"id": address, "class": "vk-moved", "data-search-exclude": "true"}
            paragraph = SubElement(root, "p", attributes)
            paragraph.text = literal(f"“{link.words}” is now in ")
            anchor = SubElement(paragraph, "a", {"class": "wikilink", "href": page.href(target)})
            anchor.text = literal(" > ".join(part for part in (link.target, link.sub) if part))
