"""Navigation along a road, an ordered course of notes: position, reading time, neighbours."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from vaultkit.read.note import Note
from vaultkit.read.vault import BrokenLinkError, Vault

#: Words per minute of a learner who also reads code and formulas.
PER_MINUTE = 170
#: Most notes that the line at the top of a page lists as needed; more would not fit.
MOST = 3


@dataclass(frozen=True)
class Step:
    """A page on the road; ``href`` is its address relative to the current page."""

    title: str
    href: str


@dataclass(frozen=True)
class Place:
    """The position of a page: step ``at`` ``of`` all on a road; the whole road has no name."""

    name: str
    at: int
    of: int
    after: Step | None


def minutes(words: int) -> int:
    """Estimate the reading time of a page in minutes.

    Examples
    --------
    >>> minutes(20), minutes(900)
    (1, 5)
    """
    return max(1, round(words / PER_MINUTE))


def needed(note: Note, vault: Vault, road: Sequence[Path]) -> list[Path]:
    """List the earlier notes of the road that a note links to most, in the road's order."""
    if note.path not in road:
        return []
    earlier = road[: road.index(note.path)]
    counts = Counter(path for path in _linked(note, vault) if path in earlier)
    # Of notes with equally many links, the nearer one.
    most = sorted(counts, key=lambda path: (-counts[path], -earlier.index(path)))[:MOST]
    return sorted(most, key=earlier.index)


def _linked(note: Note, vault: Vault) -> Iterator[Path]:
    """Yield the target of each link of a note."""
    for link in note.links:
        with suppress(BrokenLinkError):
            yield vault.find(link.target, note.path) if link.target else note.path


def entered(note: Note, vault: Vault, road: Sequence[Path]) -> Path | None:
    """Return the note of the road that links to a note of a side road most often.

    Of several, the first.
    """
    counts = {
        path: found
        for path in road
        if path in vault.notes
        and (found := sum(to == note.path for to in _linked(vault.notes[path], vault)))
    }
    return min(counts, key=lambda path: (-counts[path], road.index(path)), default=None)


def line(places: Sequence[Place], took: int, before: Sequence[Step], map_: str = "") -> str:
    """Return the line at the top of a page with its position on each road.

    Parameters
    ----------
    places
        The roads on which the page is a step: shorter ones first, the whole one last.
    took
        The reading time of the page in minutes.
    before
        The pages that it builds on.
    map_
        The address of the map; empty if there is none.
    """
    first, *rest = places
    step = f"{first.name + ': step' if first.name else 'Step'} {first.at} of {first.of}"
    words = _link(Step(step, map_)) if map_ else html.escape(step)
    parts = [f'<span class="vk-here__step">{words}</span>', f"<span>{_minutes(took)}</span>"]
    if before:
        parts.append(f"<span>Builds on {', '.join(map(_link, before))}</span>")
    if first.after:
        parts.append(f"<span>Next: {_link(first.after)}</span>")
    # On a shorter road, the next page is another one.
    for other in rest:
        if other.after and other.after != first.after:
            name = other.name or "On the whole road"
            parts.append(f"<span>{html.escape(name)}: {_link(other.after)}</span>")
    return _nav(parts, first.at / first.of)


def beside(took: int, from_: Step | None, map_: str = "") -> str:
    """Return the line at the top of a page on a side road, with the note where that road begins."""
    words = _link(Step("Side road", map_)) if map_ else "Side road"
    parts = [f'<span class="vk-here__step">{words}</span>', f"<span>{_minutes(took)}</span>"]
    if from_:
        parts.append(f"<span>From {_link(from_)}</span>")
    return _nav(parts, 0)


def _minutes(took: int) -> str:
    return f"{took} minute{'s' * (took != 1)}"


def _nav(parts: Sequence[str], done: float) -> str:
    bar = f'<span class="vk-here__bar" style="--vk-done:{done:.1%}"></span>'
    return f'<nav class="vk-here" aria-label="Where you are">{bar}{" ".join(parts)}</nav>'


def _link(step: Step) -> str:
    return f'<a href="{html.escape(step.href)}">{html.escape(step.title)}</a>'


def ways(links: Mapping[str, str]) -> str:
    """Return the links at the end of a page, given a mapping from words to addresses."""
    if not any(links.values()):
        return ""
    shown = " ".join(_link(Step(words, href)) for words, href in links.items() if href)
    return f'<p class="vk-ways">{shown}</p>'
