"""Draws the graph of notes as an SVG of links, each note below those that it builds on.

The layout is Sugiyama's: notes are assigned to layers (`_assign_layers`), crossings are reduced by
the barycentre heuristic (`_reduce_crossings`), and x coordinates are found by isotonic regression
(`_place_row`).

The drawing is as wide as a phone's screen, so that its text has the same size as the page's.
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import fmean
from typing import Generic, NamedTuple, TypeVar

from vaultkit.english import join_names
from vaultkit.site.shown_titles import title_to_svg

K = TypeVar("K", bound=Hashable)

#: Widths of the drawing, of a box and of the gap between two, and heights of a line of text, of the
#: space above and below it in a box, and of that between two rows. One unit of the drawing is about
#: a CSS pixel of a phone.
WIDTH, BOX, GAP, LINE, PADDING, BETWEEN = 366.0, 110.0, 6.0, 13.0, 6.0, 24.0
#: Most boxes in a row, and most letters in a line of a box; bold letters are wider.
ABREAST, LETTERS, BOLD_LETTERS = 3, 17, 14
#: The baseline of a line of text, as a share of its height.
_BASELINE = 0.78
#: Distance between two lines that pass a row without a box.
_PASS = 5.0
#: How often rows are ordered and placed; later sweeps change hardly anything.
_SWEEPS = 12


@dataclass(frozen=True)
class Stop:
    """A note in the drawing; ``current`` if it is the note of the page.

    ``shown`` is its title with formulas, if it has any.
    """

    title: str
    href: str
    current: bool = False
    shown: str = ""


@dataclass(eq=False)
class _Place:
    """A box, or a dummy node at which a long line passes a row."""

    #: The lines of the title; empty for a dummy node.
    lines: list[str] = field(default_factory=list)
    #: Its middle.
    x: float = 0.0
    #: The places to which lines lead from it in the row above, and in the row below.
    before: list[_Place] = field(default_factory=list)
    after: list[_Place] = field(default_factory=list)

    @property
    def width(self) -> float:
        return BOX if self.lines else _PASS

    @property
    def height(self) -> float:
        return len(self.lines) * LINE + 2 * PADDING if self.lines else 0.0


class _Layers(NamedTuple, Generic[K]):
    """The rows of a drawing; and for each line, the places that it passes, by its two notes."""

    rows: list[list[_Place]]
    routes: dict[tuple[K, K], list[_Place]]


class _Level(NamedTuple):
    """The y coordinates at which a row begins and ends."""

    top: float
    bottom: float


def transitive_reduction(needs: Mapping[K, Sequence[K]]) -> dict[K, list[K]]:
    """Return the transitive reduction of a graph: each node's needs that no other need implies.

    Parameters
    ----------
    needs
        The needs of each node, in topological order.

    Examples
    --------
    >>> transitive_reduction({"a": [], "b": ["a"], "c": ["a", "b"]})
    {'a': [], 'b': ['a'], 'c': ['b']}
    """
    below: dict[K, set[K]] = {}
    for key, needed in needs.items():
        below[key] = set(needed).union(*(below[other] for other in needed))
    return {
        key: [need for need in needed if not any(need in below[other] for other in needed)]
        for key, needed in needs.items()
    }


def neighbourhood(key: K, needs: Mapping[K, Sequence[K]], steps: int = 2) -> dict[K, list[K]]:
    """Return the subgraph of the nodes within a few steps before or after one.

    Examples
    --------
    >>> neighbourhood("c", {"a": [], "b": ["a"], "c": ["b"], "d": ["a"]}, steps=1)
    {'b': [], 'c': ['b']}
    """
    needed_by: dict[K, list[K]] = {node: [] for node in needs}
    for node, needed in needs.items():
        for other in needed:
            needed_by[other].append(node)
    near = {key}
    for edges in (needs, needed_by):
        reached = {key}
        for _ in range(steps):
            reached = {other for node in reached for other in edges[node]}
            near |= reached
    return {
        node: [n for n in needed if n in near] for node, needed in needs.items() if node in near
    }


def draw_graph(stops: Mapping[K, Stop], needs: Mapping[K, Sequence[K]], label: str) -> str:
    """Return the SVG of a graph of notes, each below those that it needs.

    Parameters
    ----------
    stops
        The notes.
    needs
        The needs of each, as in `transitive_reduction`.
    label
        The label of the drawing for screen readers.
    """
    number_of = {key: number for number, key in enumerate(needs)}
    boxes = {}
    for key in needs:
        stop = stops[key]
        letters = BOLD_LETTERS if stop.current else LETTERS
        boxes[key] = _Place(_wrap_title(stop.shown or stop.title, letters))
    rows, routes = _fit_layers(boxes, needs)
    _reduce_crossings(rows)
    _place_rows(rows)
    levels: dict[_Place, _Level] = {}
    top = 0.0
    for row in rows:
        bottom = top + max(place.height for place in row)
        levels |= dict.fromkeys(row, _Level(top, bottom))
        top = bottom + BETWEEN
    edges = ""
    for (above, below), route in routes.items():
        ends = f"{number_of[above]} {number_of[below]}"
        edges += f'<path data-e="{ends}" d="{_route_to_path(route, levels)}"/>'
    links = "".join(
        _box_to_svg(stops[key], boxes[key], levels[boxes[key]].top, number_of[key]) for key in needs
    )
    return (
        f'<svg class="vk-graph__map" viewBox="-1 -1 {WIDTH + 2:g} {top - BETWEEN + 2:g}"'
        f' role="group" aria-label="{html.escape(label)}">'
        f'<g class="vk-graph__edges">{edges}</g>{links}</svg>'
    )


def _fit_layers(boxes: Mapping[K, _Place], needs: Mapping[K, Sequence[K]]) -> _Layers[K]:
    """Return the rows and routes of `_assign_layers`, with fewer boxes in too wide rows."""
    #: By the number of a row, the most boxes in it.
    abreast: dict[int, int] = {}
    while True:
        for box in boxes.values():
            box.before, box.after = [], []
        rows, routes = _assign_layers(boxes, needs, abreast)
        widths = [sum(place.width + GAP for place in row) - GAP for row in rows]
        too_wide = (
            n for n, width in enumerate(widths) if width > WIDTH and abreast.get(n, ABREAST) > 1
        )
        first = next(too_wide, None)
        if first is None:
            return _Layers(rows, routes)
        abreast[first] = abreast.get(first, ABREAST) - 1


def _assign_layers(
    boxes: Mapping[K, _Place], needs: Mapping[K, Sequence[K]], abreast: Mapping[int, int]
) -> _Layers[K]:
    """Assign each note to a row below all that it needs.

    ``abreast`` has the most boxes of some rows; of all others, it is `ABREAST`.
    """
    row_of: dict[K, int] = {}
    rows: list[list[_Place]] = []
    for key, needed in needs.items():
        row = max((row_of[other] + 1 for other in needed), default=0)
        while row < len(rows) and len(rows[row]) >= abreast.get(row, ABREAST):
            row += 1
        while row >= len(rows):
            rows.append([])
        rows[row].append(boxes[key])
        row_of[key] = row
    routes = {}
    # Lines from one box share their dummy nodes until they diverge.
    passing: dict[tuple[K, int], _Place] = {}
    for key, needed in needs.items():
        for other in needed:
            route = [boxes[other]]
            for row in range(row_of[other] + 1, row_of[key]):
                if (other, row) not in passing:
                    passing[other, row] = _Place()
                    rows[row].append(passing[other, row])
                route.append(passing[other, row])
            route.append(boxes[key])
            for above, below in pairwise(route):
                if below not in above.after:
                    above.after.append(below)
                    below.before.append(above)
            routes[other, key] = route
    return _Layers(rows, routes)


def _reduce_crossings(rows: list[list[_Place]]) -> None:
    """Order the places of each row by Sugiyama's barycentre heuristic, so that few lines cross."""
    best = [list(row) for row in rows]
    fewest = _count_crossings(rows)
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        for fixed, sorted_row in pairwise(rows if down else rows[::-1]):
            order = {place: number for number, place in enumerate(fixed)}
            means = {}
            for number, place in enumerate(sorted_row):
                neighbours = place.before if down else place.after
                # A place without neighbours keeps its position.
                mean = fmean(order[p] for p in neighbours) if neighbours else float(number)
                means[place] = mean
            sorted_row.sort(key=means.__getitem__)
        crossings = _count_crossings(rows)
        if crossings < fewest:
            fewest, best = crossings, [list(row) for row in rows]
    rows[:] = best


def _count_crossings(rows: Sequence[Sequence[_Place]]) -> int:
    """Return how many pairs of lines between neighbouring rows cross."""
    count = 0
    for above, below in pairwise(rows):
        order = {place: number for number, place in enumerate(below)}
        # The lower ends of all lines, sorted by their upper ends: each inversion is a crossing.
        ends = [end for place in above for end in sorted(order[other] for other in place.after)]
        count += sum(a > b for n, a in enumerate(ends) for b in ends[n + 1 :])
    return count


def _place_rows(rows: Sequence[Sequence[_Place]]) -> None:
    """Set all x coordinates: each place near the mean of its neighbours, without overlap."""
    for row in rows:
        _place_row(row, [WIDTH / 2] * len(row))
    for sweep in range(_SWEEPS):
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            _place_row(
                row, [fmean(p.x for p in (*box.before, *box.after) or (box,)) for box in row]
            )


def _place_row(row: Sequence[_Place], wanted: Sequence[float]) -> None:
    """Set the x coordinates of a row by isotonic regression (pool adjacent violators).

    They minimise the sum of squared distances to the ``wanted`` ones, in order and without overlap.
    """
    # How far each place is from the first one if all touch.
    offsets = [0.0]
    for left, right in pairwise(row):
        offsets.append(offsets[-1] + (left.width + right.width) / 2 + GAP)
    # Places that would overlap form a group: the mean position of its first place, and its size.
    groups: list[tuple[float, int]] = []
    for want, offset in zip(wanted, offsets, strict=True):
        mean, count = want - offset, 1
        while groups and groups[-1][0] > mean:
            other, others = groups.pop()
            mean, count = (mean * count + other * others) / (count + others), count + others
        groups.append((mean, count))
    # The first and the last place must be within the drawing.
    first = row[0].width / 2
    last = WIDTH - row[-1].width / 2 - offsets[-1]
    means = [mean for mean, count in groups for _ in range(count)]
    for place, mean, offset in zip(row, means, offsets, strict=True):
        place.x = max(first, min(mean, last)) + offset


def _wrap_title(title: str, letters: int) -> list[str]:
    """Break a title into lines; break a word only if it is longer than a line."""
    has_long_word = max(map(len, title.split())) > letters
    return textwrap.wrap(title, letters, break_on_hyphens=has_long_word)


def _route_to_path(route: Sequence[_Place], levels: Mapping[_Place, _Level]) -> str:
    """Return the SVG path along places in consecutive rows."""
    path = [f"M{route[0].x:.0f} {levels[route[0]].top + route[0].height:.0f}"]
    for above, below in pairwise(route):
        top, bottom = levels[above].bottom, levels[below].top
        middle = (top + bottom) / 2
        path.append(
            f"V{top:.0f}C{above.x:.0f} {middle:.0f} {below.x:.0f} {middle:.0f}"
            f" {below.x:.0f} {bottom:.0f}"
        )
    return "".join(path)


def _box_to_svg(stop: Stop, place: _Place, top: float, number: int) -> str:
    """Return the SVG link of a note: a rectangle with its title."""
    x, y = place.x - BOX / 2, top
    first = y + PADDING + _BASELINE * LINE
    words = "".join(
        f'<tspan x="{place.x:.0f}" y="{first + n * LINE:.0f}">{title_to_svg(line)}</tspan>'
        for n, line in enumerate(place.lines)
    )
    current = ' aria-current="page"' if stop.current else ""
    # A screen reader would read the lines of a title without spaces between them.
    is_one_line = place.lines == [stop.title]
    name = "" if is_one_line else f' aria-label="{html.escape(stop.title)}"'
    return (
        f'<a xlink:href="{html.escape(stop.href)}" role="link" data-n="{number}"{current}{name}>'
        f'<rect x="{x:.0f}" y="{y:.0f}" width="{BOX:g}" height="{place.height:g}" rx="4"/>'
        f"<text>{words}</text></a>"
    )


def draw_around(key: K, stops: Mapping[K, Stop], needs: Mapping[K, Sequence[K]], map_: str) -> str:
    """Return the drawing of a note's neighbourhood with a description and a link to the map.

    It is HTML, empty if the note has no neighbours. ``stops`` has all notes, ``needs`` the notes
    that each one builds on directly; ``map_`` is the address of the map.
    """
    near = neighbourhood(key, needs)
    if len(near) < 2:
        return ""
    after = [one for one, needed in near.items() if key in needed]
    described = [
        f"{words} {join_names([stops[one].title for one in ones])}."
        for words, ones in (("Directly before it:", near[key]), ("Directly after it:", after))
        if ones
    ]
    label = f"What comes before {stops[key].title}, and what comes after"
    return (
        '<aside class="vk-graph"><p class="vk-graph__title">This note in the vault</p>'
        f"{draw_graph(stops, near, label)}"
        f'<p class="vk-graph__said">{html.escape(" ".join(described))}'
        f' <a href="{html.escape(map_)}">The map of all notes</a></p></aside>'
    )


def draw_all(stops: Mapping[K, Stop], needs: Mapping[K, Sequence[K]]) -> str:
    """Return the drawing of all notes, followed by the same as a list."""
    items = "".join(
        f'<li><a href="{html.escape(stops[key].href)}">{html.escape(stops[key].title)}</a>'
        + (f": after {html.escape(join_names([stops[n].title for n in needed]))}" if needed else "")
        + "</li>"
        for key, needed in needs.items()
    )
    return (
        '<div class="vk-graph">'
        f"{draw_graph(stops, needs, 'All notes, each below what it needs')}</div>"
        f'<h2 id="as-a-list">The same as a list</h2><ol class="vk-graph__list">{items}</ol>'
    )
