"""The terms and letters that notes of a vault explain, marked where other pages first use them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from vaultkit.read.note import Note
from vaultkit.read.vault import BrokenLinkError, Target, Vault
from vaultkit.site.meanings import Meaning, Meanings, read_meanings
from vaultkit.site.pages import SitePage


class Terms:
    """The terms of a vault, with their meanings and explanations.

    Parameters
    ----------
    vault
        The notes.
    names
        Paths of the notes that explain terms, relative to the folder of the vault.
    """

    def __init__(self, vault: Vault, names: Iterable[str]) -> None:
        notes = {name: vault.notes.get(vault.root / name) for name in names}
        #: Paths at which there is no note.
        self.missing = [name for name, note in notes.items() if note is None]
        self._known = [
            (meaning, note) for note in notes.values() if note for meaning in read_meanings(note)
        ]
        self._marker = Meanings(meaning for meaning, _ in self._known)
        #: Where each meaning is explained in full, by the id of the meaning.
        self._places: dict[int, Target] = {}
        for meaning, note in self._known:
            if meaning.link:
                with suppress(BrokenLinkError):
                    self._places[id(meaning)] = vault.resolve(meaning.link, note)

    def facts(self) -> list[object]:
        """Return what the marks of every page depend on."""
        places = ((place.path, place.anchor) for place in self._places.values())
        return [*(meaning for meaning, _ in self._known), *places]

    def mark(
        self, content: str, page: SitePage, page_of: Mapping[Path, SitePage]
    ) -> tuple[str, dict[str, object]]:
        """Mark the first use of each term in the content of a page.

        Parameters
        ----------
        content
            The HTML.
        page
            The page.
        page_of
            The pages of the site, by the files of their notes.

        Returns
        -------
        tuple of str and dict
            The HTML with the marks; and by the name of each mark, the term and the lines of its
            box.
        """
        host: Note | None = page.note
        if host is None or any(note is host for _, note in self._known):
            return content, {}
        # Terms that the page itself explains are not marked.
        explained_here = [
            meaning
            for meaning, _ in self._known
            if meaning.is_named((host.title, *host.aliases)) or self._leads_to(meaning, host)
        ]
        content, used = self._marker.mark(content, explained_here)
        meanings: dict[str, object] = {}
        for index, meaning in enumerate(used):
            lines: list[list[str]] = [[line] for line in meaning.lines]
            target = self._places.get(id(meaning))
            if target and target.path in page_of:
                href = page.to(page_of[target.path].url)
                anchor = f"#{target.anchor}" if target.anchor else ""
                words = target.note.title if target.note else "where it is explained"
                lines.append([f"See {words}", "", "", quote(href) + anchor])
            meanings[f"term-{index}"] = [meaning.name, *lines]
        return content, meanings

    def _leads_to(self, meaning: Meaning, note: Note) -> bool:
        """Return whether a meaning is explained in a note."""
        target = self._places.get(id(meaning))
        return target is not None and target.path == note.path
