"""The ways through a site: the road, its side roads, shorter roads; what each note builds on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from vaultkit.read.vault import Vault
from vaultkit.site import graph, road
from vaultkit.site.pages import SitePage


class Roads:
    """The pages that readers go through in order.

    Parameters
    ----------
    vault
        The notes.
    pages
        The pages of the navigation, in its order.
    off
        Sections of the navigation whose pages are no steps of the road; None if nobody has put the
        pages into an order, so that there is no road.
    beside
        Sections that hold side roads: each of their notes is entered from one on the road.
    shorter
        By name, the sources of the pages on each shorter road.
    """

    def __init__(
        self,
        vault: Vault,
        pages: Sequence[SitePage],
        off: Collection[str] | None,
        beside: Collection[str],
        shorter: Mapping[str, Sequence[str]],
    ) -> None:
        self._vault = vault
        self.main: list[SitePage] = []
        if off is not None:
            out = {*off, *beside}
            self.main = [p for p in pages if not p.is_home and out.isdisjoint(p.sections)]
        self.side = [page for page in pages if not {*beside}.isdisjoint(page.sections)]
        of_uri = {page.uri: page for page in pages}
        #: Name and source of what a shorter road lists and the navigation does not.
        self.missing = [uri for uris in shorter.values() for uri in uris if uri not in of_uri]
        listed = {
            name: [of_uri[uri] for uri in uris if uri in of_uri] for name, uris in shorter.items()
        }
        self.shorter = {name: found for name, found in listed.items() if found}
        # A shorter road may begin at the home page, which then is the first step of the whole.
        home = [p for p in pages if p.is_home and any(p in r for r in self.shorter.values())]
        self._whole = [*home, *self.main]
        steps = [page for page in (*self.main, *self.side) if page.note]
        paths = [page.path for page in steps]
        #: By its path, the notes that must be understood directly before a note.
        self.needs: dict[Path, list[Path]] = graph.reduced(
            {page.path: road.needed(page.note, vault, paths) for page in steps if page.note}
        )

    def place_of(self, page: SitePage, minutes: int, map_url: str) -> str:
        """Write where on the road, on a shorter road or beside it a page is; empty if nowhere.

        Parameters
        ----------
        page
            The page.
        minutes
            How long it takes to read.
        map_url
            Address of the map from the root of the site; empty if there is none.
        """
        shorter = {name: pages for name, pages in self.shorter.items() if page in pages}
        if page.note is None or not (page in self.main or page in self.side or shorter):
            return ""
        pages = {step.path: step for step in (*self.main, *self.side)}

        def step(other: SitePage) -> road.Step:
            return road.Step(other.title, page.to(other.url))

        def after(pages: Sequence[SitePage]) -> road.Step | None:
            at = pages.index(page) + 1
            return step(pages[at]) if at < len(pages) else None

        map_ = page.to(map_url) if map_url else ""
        before = [step(pages[path]) for path in road.needed(page.note, self._vault, list(pages))]
        if page in self.side:
            main = list(pages)[: len(self.main)]
            entered = road.entered(page.note, self._vault, main)
            return road.beside(minutes, step(pages[entered]) if entered else None, map_)
        walked = {**shorter, **({"": self._whole} if page in self._whole else {})}
        places = [
            road.Place(name, steps.index(page) + 1, len(steps), after(steps))
            for name, steps in walked.items()
        ]
        return road.line(places, minutes, before, map_)

    def graph_of(self, page: SitePage, map_url: str) -> str:
        """Draw what a note on a road builds on and what builds on it; empty without a map."""
        if page.note is None or page.path not in self.needs or not map_url:
            return ""
        return graph.of_note(page.path, self._stops(page), self.needs, page.to(map_url))

    def map(self, page: SitePage) -> str:
        """Draw all notes of the roads, for the page that shows the map."""
        return graph.of_all(self._stops(page), self.needs)

    def _stops(self, page: SitePage) -> dict[Path, graph.Stop]:
        """Name the notes of all roads, with their addresses as seen from a page."""
        return {
            step.path: graph.Stop(step.note.title, page.to(step.url), step is page)
            for step in (*self.main, *self.side)
            if step.note
        }
