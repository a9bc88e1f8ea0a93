"""The roads of a site: the main road, side roads, shorter roads; and what each note builds on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from vaultkit.read.vault import Vault
from vaultkit.site import graph, road
from vaultkit.site.pages import SitePage


class Roads:
    """The roads, each a list of pages that readers go through in order.

    Parameters
    ----------
    vault
        The notes.
    pages
        The pages of the navigation, in its order.
    off
        Sections of the navigation whose pages are not part of the road; None if the author has not
        ordered the pages, so that there is no road.
    beside
        Sections with side roads: each of their notes is entered from one on the road.
    shorter
        The sources of the pages of each shorter road, by its name.
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
            not_main = {*off, *beside}
            self.main = [p for p in pages if not p.is_home and not_main.isdisjoint(p.sections)]
        self.side = [page for page in pages if not {*beside}.isdisjoint(page.sections)]
        of_uri = {page.uri: page for page in pages}
        #: Sources that a shorter road lists and the navigation does not.
        self.missing = [uri for uris in shorter.values() for uri in uris if uri not in of_uri]
        listed = {
            name: [of_uri[uri] for uri in uris if uri in of_uri] for name, uris in shorter.items()
        }
        self.shorter = {name: listed_road for name, listed_road in listed.items() if listed_road}
        # A shorter road may begin at the home page, which is then also the first step of the main
        # road.
        home = [p for p in pages if p.is_home and any(p in r for r in self.shorter.values())]
        self._whole = [*home, *self.main]
        steps = [page for page in (*self.main, *self.side) if page.note]
        paths = [page.path for page in steps]
        #: By path, the notes that a reader must understand directly before a note.
        self.needs: dict[Path, list[Path]] = graph.transitive_reduction(
            {page.path: road.needed_notes(page.note, vault, paths) for page in steps if page.note}
        )

    def place_of(self, page: SitePage, minutes: int, map_url: str) -> tuple[str, str]:
        """Return the line above the title of a page, and the links at its foot.

        Both are empty if it is on no road.

        Parameters
        ----------
        page
            The page.
        minutes
            The reading time of the page.
        map_url
            Address of the map from the root of the site; empty if there is none.
        """
        shorter = {name: pages for name, pages in self.shorter.items() if page in pages}
        if page.note is None or not (page in self.main or page in self.side or shorter):
            return "", ""
        pages = {step.path: step for step in (*self.main, *self.side)}

        def step(other: SitePage) -> road.Step:
            return road.Step(other.title, page.to(other.url))

        def after(pages: Sequence[SitePage]) -> road.Step | None:
            following = pages[pages.index(page) + 1 :]
            return step(following[0]) if following else None

        map_ = page.to(map_url) if map_url else ""
        before = [
            step(pages[path]) for path in road.needed_notes(page.note, self._vault, list(pages))
        ]
        if page in self.side:
            main = list(pages)[: len(self.main)]
            entered = road.entry_note(page.note, self._vault, main)
            from_ = step(pages[entered]) if entered else None
            return road.side_road_line(minutes, map_), road.onward_links(page.uri, (), (), from_)
        roads = {**shorter, **({"": self._whole} if page in self._whole else {})}
        places = [
            road.Place(name, steps.index(page) + 1, len(steps), after(steps))
            for name, steps in roads.items()
        ]
        return road.step_line(places, minutes, map_), road.onward_links(page.uri, places, before)

    def graph_of(self, page: SitePage, map_url: str) -> str:
        """Return the drawing of a note's neighbours on the roads; empty without a map."""
        if page.note is None or page.path not in self.needs or not map_url:
            return ""
        return graph.draw_around(page.path, self._stops(page), self.needs, page.to(map_url))

    def map(self, page: SitePage) -> str:
        """Return the drawing of all notes of the roads, for the page of the map."""
        return graph.draw_all(self._stops(page), self.needs)

    def _stops(self, page: SitePage) -> dict[Path, graph.Stop]:
        """Return the notes of all roads, with their addresses relative to a page."""
        return {
            step.path: graph.Stop(
                step.note.title,
                page.to(step.url),
                step is page,
                str(step.note.meta.get("shown_title") or ""),
            )
            for step in (*self.main, *self.side)
            if step.note
        }
