"""Draws the graph of notes as an SVG of links, each note below those that it builds on.

The layout is Sugiyama's: notes are assigned to layers (`_layers`), crossings are reduced by the
barycentre heuristic (`_reduce_crossings`), and x coordinates are found by isotonic regression
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
from typing import TypeVar

K = TypeVar("K", bound=Hashable)

#: Widths and heights in units of the drawing; one unit is about a CSS pixel of a phone.
WIDTH, BOX, GAP, LINE, PADDING, BETWEEN = 366.0, 110.0, 6.0, 13.0, 6.0, 24.0
#: Most boxes in a row, and most letters in a line of a box.
ABREAST, LETTERS = 3, 17
#: Distance between two lines that pass a row without a box.
_PASS = 5.0
_SWEEPS = 12


@dataclass(frozen=True)
class Stop:
    """A note in the drawing; ``current`` if it is the note of the page."""

    title: str
    href: str
    current: bool = False


@dataclass(eq=False)
class _Place:
    """A box, or a dummy node at which a long line passes a row."""

    lines: list[str] = field(default_factory=list)
    x: float = 0.0
    before: list[_Place] = field(default_factory=list)
    after: list[_Place] = field(default_factory=list)

    @property
    def width(self) -> float:
        return BOX if self.lines else _PASS

    @property
    def height(self) -> float:
        return len(self.lines) * LINE + 2 * PADDING if self.lines else 0.0


def reduced(needs: Mapping[K, Sequence[K]]) -> dict[K, list[K]]:
    """Return the transitive reduction of a graph: each node's needs that no other need implies.

    Parameters
    ----------
    needs
        The needs of each node, in topological order.

    Examples
    --------
    >>> reduced({"a": [], "b": ["a"], "c": ["a", "b"]})
    {'a': [], 'b': ['a'], 'c': ['b']}
    """
    below: dict[K, set[K]] = {}
    for key, needed in needs.items():
        below[key] = set(needed).union(*(below[other] for other in needed))
    return {
        key: [one for one in needed if not any(one in below[other] for other in needed)]
        for key, needed in needs.items()
    }


def around(key: K, needs: Mapping[K, Sequence[K]], steps: int = 2) -> dict[K, list[K]]:
    """Return the subgraph within a few steps before or after a key."""
    after: dict[K, list[K]] = {one: [] for one in needs}
    for one, needed in needs.items():
        for other in needed:
            after[other].append(one)
    kept = {key}
    for ways in (needs, after):
        reached = {key}
        for _ in range(steps):
            reached = {other for one in reached for other in ways[one]}
            kept |= reached
    return {one: [n for n in needed if n in kept] for one, needed in needs.items() if one in kept}


def drawing(stops: Mapping[K, Stop], needs: Mapping[K, Sequence[K]], label: str) -> str:
    """Return the SVG of a graph of notes, each below those that it needs.

    Parameters
    ----------
    stops
        The notes.
    needs
        The needs of each, as in `reduced`.
    label
        The label of the drawing for screen readers.
    """
    order = {key: number for number, key in enumerate(needs)}
    # The title of the current note is bold, and bold letters are wider.
    letters = {key: LETTERS - 3 * stops[key].current for key in needs}
    boxes = {key: _Place(_lines(stops[key].title, letters[key])) for key in needs}
    rows, routes = _fitting(boxes, needs)
    _reduce_crossings(rows)
    _place_rows(rows)
    tops, bottom = [], 0.0
    for row in rows:
        tops.append(bottom)
        bottom += max(place.height for place in row) + BETWEEN
    level = {
        place: (top, top + max(p.height for p in row))
        for row, top in zip(rows, tops, strict=True)
        for place in row
    }
    edges = "".join(
        f'<path data-e="{order[above]} {order[below]}" d="{_line(route, level)}"/>'
        for (above, below), route in routes.items()
    )
    links = "".join(_box(stops[key], boxes[key], level[boxes[key]], order[key]) for key in needs)
    return (
        f'<svg class="vk-graph__map" viewBox="-1 -1 {WIDTH + 2:g} {bottom - BETWEEN + 2:g}"'
        f' role="group" aria-label="{html.escape(label)}">'
        f'<g class="vk-graph__edges">{edges}</g>{links}</svg>'
    )


def _fitting(
    boxes: Mapping[K, _Place], needs: Mapping[K, Sequence[K]]
) -> tuple[list[list[_Place]], dict[tuple[K, K], list[_Place]]]:
    """Return the rows and routes of `_layers`, with fewer boxes in rows that are too wide."""
    abreast: dict[int, int] = {}
    while True:
        for box in boxes.values():
            box.before, box.after = [], []
        rows, routes = _layers(boxes, needs, abreast)
        full = [n for n, row in enumerate(rows) if sum(p.width + GAP for p in row) - GAP > WIDTH]
        full = [n for n in full if abreast.get(n, ABREAST) > 1]
        if not full:
            return rows, routes
        abreast[full[0]] = abreast.get(full[0], ABREAST) - 1


def _layers(
    boxes: Mapping[K, _Place], needs: Mapping[K, Sequence[K]], abreast: Mapping[int, int]
) -> tuple[list[list[_Place]], dict[tuple[K, K], list[_Place]]]:
    """Assign each note to a row below all that it needs; return the rows and each line's route."""
    at: dict[K, int] = {}
    rows: list[list[_Place]] = []
    for key, needed in needs.items():
        row = max((at[other] + 1 for other in needed), default=0)
        while row < len(rows) and len(rows[row]) >= abreast.get(row, ABREAST):
            row += 1
        while row >= len(rows):
            rows.append([])
        rows[row].append(boxes[key])
        at[key] = row
    routes = {}
    # Lines from one box share their dummy nodes until they diverge.
    passing: dict[tuple[K, int], _Place] = {}
    for key, needed in needs.items():
        for other in needed:
            route = [boxes[other]]
            for row in range(at[other] + 1, at[key]):
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
    return rows, routes


def _reduce_crossings(rows: list[list[_Place]]) -> None:
    """Order the places of each row by Sugiyama's barycentre heuristic, so that few lines cross."""
    best = [list(row) for row in rows]
    fewest = _crossings(rows)
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        for still, moved in pairwise(rows if down else rows[::-1]):
            at = {place: number for number, place in enumerate(still)}
            means = {}
            for number, place in enumerate(moved):
                near = place.before if down else place.after
                means[place] = fmean(at[p] for p in near) if near else float(number)
            moved.sort(key=means.__getitem__)
        crossings = _crossings(rows)
        if crossings < fewest:
            fewest, best = crossings, [list(row) for row in rows]
    rows[:] = best


def _crossings(rows: Sequence[Sequence[_Place]]) -> int:
    """Return how many pairs of lines between neighbouring rows cross."""
    count = 0
    for above, below in pairwise(rows):
        at = {place: number for number, place in enumerate(below)}
        ends = [sorted(at[place] for place in one.after) for one in above]
        flat = [end for some in ends for end in some]
        count += sum(a > b for n, a in enumerate(flat) for b in flat[n + 1 :])
    return count


def _place_rows(rows: Sequence[Sequence[_Place]]) -> None:
    """Set all x coordinates: each place near the mean of its neighbours, without overlap."""
    for row in rows:
        _place_row(row, [WIDTH / 2] * len(row))
    for sweep in range(_SWEEPS):
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            _place_row(
                row, [fmean(p.x for p in (*one.before, *one.after) or (one,)) for one in row]
            )


def _place_row(row: Sequence[_Place], wanted: Sequence[float]) -> None:
    """Set the x coordinates of a row by isotonic regression (pool adjacent violators).

    They minimise the sum of squared distances to the ``wanted`` ones, in order and without overlap.
    """
    offsets = [0.0]
    for left, right in pairwise(row):
        offsets.append(offsets[-1] + (left.width + right.width) / 2 + GAP)
    groups: list[tuple[float, int]] = []
    for want, offset in zip(wanted, offsets, strict=True):
        mean, count = want - offset, 1
        while groups and groups[-1][0] > mean:
            other, others = groups.pop()
            mean, count = (mean * count + other * others) / (count + others), count + others
        groups.append((mean, count))
    first = row[0].width / 2
    last = WIDTH - row[-1].width / 2 - offsets[-1]
    means = [mean for mean, count in groups for _ in range(count)]
    for place, mean, offset in zip(row, means, offsets, strict=True):
        place.x = max(first, min(mean, last)) + offset


def _lines(title: str, letters: int) -> list[str]:
    """Break a title into lines; break a word only if it is longer than a line."""
    long = max(map(len, title.split())) > letters
    return textwrap.wrap(title, letters, break_on_hyphens=long)


def _line(route: Sequence[_Place], level: Mapping[_Place, tuple[float, float]]) -> str:
    """Return the SVG path along places in consecutive rows.

    ``level`` has the top and bottom of each.
    """
    path = [f"M{route[0].x:.0f} {level[route[0]][0] + route[0].height:.0f}"]
    for above, below in pairwise(route):
        top, bottom = level[above][1], level[below][0]
        middle = (top + bottom) / 2
        path.append(
            f"V{top:.0f}C{above.x:.0f} {middle:.0f} {below.x:.0f} {middle:.0f}"
            f" {below.x:.0f} {bottom:.0f}"
        )
    return "".join(path)


def _box(stop: Stop, place: _Place, level: tuple[float, float], number: int) -> str:
    """Return the SVG link of a note: a rectangle with its title."""
    x, y = place.x - BOX / 2, level[0]
    first = y + PADDING + 0.78 * LINE
    words = "".join(
        f'<tspan x="{place.x:.0f}" y="{first + n * LINE:.0f}">{html.escape(line)}</tspan>'
        for n, line in enumerate(place.lines)
    )
    current = ' aria-current="page"' if stop.current else ""
    # A screen reader would read the lines of a title without spaces between them.
    name = f' aria-label="{html.escape(stop.title)}"' if len(place.lines) > 1 else ""
    return (
        f'<a xlink:href="{html.escape(stop.href)}" role="link" data-n="{number}"{current}{name}>'
        f'<rect x="{x:.0f}" y="{y:.0f}" width="{BOX:g}" height="{place.height:g}" rx="4"/>'
        f"<text>{words}</text></a>"
    )


def of_note(key: K, stops: Mapping[K, Stop], needs: Mapping[K, Sequence[K]], map_: str) -> str:
    """Return the drawing of a note's neighbourhood with a description and a link to the map.

    It is HTML, empty if the note has no neighbours. ``stops`` has all notes, ``needs`` the notes
    that each one builds on directly; ``map_`` is the address of the map.
    """
    near = around(key, needs)
    if len(near) < 2:
        return ""
    after = [one for one, needed in near.items() if key in needed]
    described = [
        f"{words} {_listed([stops[one].title for one in ones])}."
        for words, ones in (("Directly before it:", near[key]), ("Directly after it:", after))
        if ones
    ]
    label = f"What comes before {stops[key].title}, and what comes after"
    return (
        '<aside class="vk-graph"><p class="vk-graph__title">This note in the vault</p>'
        f"{drawing(stops, near, label)}"
        f'<p class="vk-graph__said">{html.escape(" ".join(described))}'
        f' <a href="{html.escape(map_)}">The map of all notes</a></p></aside>'
    )


def of_all(stops: Mapping[K, Stop], needs: Mapping[K, Sequence[K]]) -> str:
    """Return the drawing of all notes, followed by the same as a list."""
    items = "".join(
        f'<li><a href="{html.escape(stops[key].href)}">{html.escape(stops[key].title)}</a>'
        + (f": after {html.escape(_listed([stops[n].title for n in needed]))}" if needed else "")
        + "</li>"
        for key, needed in needs.items()
    )
    return (
        '<div class="vk-graph">'
        f"{drawing(stops, needs, 'All notes, each below what it needs')}</div>"
        f'<h2 id="as-a-list">The same as a list</h2><ol class="vk-graph__list">{items}</ol>'
    )


def _listed(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
