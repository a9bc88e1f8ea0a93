"""Addresses that readers may have kept still lead to the content: of pages and of headings.

`published_addresses.txt` has all addresses of earlier sites. A note that was renamed keeps its old
name as an alias; a heading that was renamed or moved is listed in `old_headings` of its note.
`python -m tests.test_addresses` adds the addresses of today.
"""

from tests.own_vault import ROOT, VAULT
from vaultkit.read.note import Note
from vaultkit.read.syntax import address, slug

PUBLISHED = ROOT / "tests" / "published_addresses.txt"
OF_NAMES = {address(name): note for note in VAULT.notes.values() for name in note.aliases} | {
    VAULT.address(note): note for note in VAULT.notes.values()
}


def anchors(note: Note) -> set[str]:
    """Give the anchors of a page's headings, old and new."""
    old = {slug(link.words) for link in note.old_headings}
    return {heading.slug for heading in note.headings} | old


def lost(published: str) -> bool:
    page, _, anchor = published.partition("#")
    note = OF_NAMES.get(page)
    return note is None or (bool(anchor) and anchor not in anchors(note))


def test_no_published_address_is_lost() -> None:
    published = PUBLISHED.read_text("utf-8").split()
    assert [one for one in published if lost(one)] == []
    assert lost("no-such-page")
    assert lost("softmax#no-such-heading")


if __name__ == "__main__":
    found = set(PUBLISHED.read_text("utf-8").split())
    for page, note in OF_NAMES.items():
        own = page == VAULT.address(note)
        found |= {page, *(f"{page}#{anchor}" for anchor in anchors(note) if own)}
    PUBLISHED.write_text("".join(f"{one}\n" for one in sorted(found)), "utf-8")
