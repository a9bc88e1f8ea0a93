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

#: Words per minute of a learner who also reads code and formulas, of all words of a page: those of
#: code, folded answers and links back as well.
PER_MINUTE = 190
#: Most notes that the foot of a page lists as needed.
MOST = 3


@dataclass(frozen=True)
class Step:
    """A page on the road; ``href`` is its address relative to the current page."""

    title: str
    href: str


@dataclass(frozen=True)
class Place:
    """The position of a page on a road.

    It is step number ``at``, from 1, of the ``of`` steps; ``after`` is the next one, None at the
    end. The whole road has no name.
    """

    name: str
    at: int
    of: int
    after: Step | None


def reading_time(words: int) -> int:
    """Estimate the reading time of a page in minutes.

    Examples
    --------
    >>> reading_time(20), reading_time(900)
    (1, 5)
    """
    return max(1, round(words / PER_MINUTE))


def needed_notes(note: Note, vault: Vault, road: Sequence[Path]) -> list[Path]:
    """List the earlier notes of the road that a note links to most, in the road's order."""
    if note.path not in road:
        return []
    earlier = road[: road.index(note.path)]
    counts = Counter(path for path in _targets_of_links(note, vault) if path in earlier)
    # Of notes with equally many links, the nearer one.
    most = sorted(counts, key=lambda path: (-counts[path], -earlier.index(path)))[:MOST]
    return sorted(most, key=earlier.index)


def _targets_of_links(note: Note, vault: Vault) -> Iterator[Path]:
    """Yield the target of each link of a note."""
    for link in note.links:
        with suppress(BrokenLinkError):
            yield vault.find(link.target, note.path) if link.target else note.path


def entry_note(note: Note, vault: Vault, road: Sequence[Path]) -> Path | None:
    """Return the first note of the road that links to a note of a side road most often, or None."""
    counts = {
        path: sum(target == note.path for target in _targets_of_links(vault.notes[path], vault))
        for path in road
        if path in vault.notes
    }
    most = max(counts, key=counts.__getitem__, default=None)
    return most if most and counts[most] else None


def step_line(places: Sequence[Place], minutes: int, map_: str = "") -> str:
    """Return the HTML of the line above the title of a page: its step, and its reading time.

    Parameters
    ----------
    places
        The roads on which the page is a step; the line has only the first one.
    minutes
        The reading time of the page in minutes.
    map_
        The address of the map; empty if there is none.
    """
    first = places[0]
    step = f"{first.name + ': step' if first.name else 'Step'} {first.at} of {first.of}"
    return _line_above_title(step, minutes, map_, first.at / first.of)


def side_road_line(minutes: int, map_: str = "") -> str:
    """Return the HTML of the line above the title of a page on a side road."""
    return _line_above_title("Side road", minutes, map_, 0)


def onward_links(
    note: str, places: Sequence[Place], before: Sequence[Step], from_: Step | None = None
) -> str:
    """Return the links at the foot of a page to what comes before and after it on the roads.

    Parameters
    ----------
    note
        The path of its note.
    places
        The roads on which the page is a step: shorter ones first, the whole one last.
    before
        The pages that it builds on.
    from_
        The page where its side road begins.
    """
    parts = []
    if before:
        parts.append(f"<span>Builds on {', '.join(map(_link, before))}</span>")
    if from_:
        parts.append(f"<span>From {_link(from_)}</span>")
    after = places[0].after if places else None
    if after:
        parts.append(f'<span class="vk-onward__next">Next: {_link(after)}</span>')
    # On a shorter road, the next page is another one.
    for other in places[1:]:
        if other.after and other.after != after:
            name = other.name or "On the whole road"
            parts.append(f"<span>{html.escape(name)}: {_link(other.after)}</span>")
    if not parts:
        return ""
    # A reader who sees it has reached the end.
    return (
        f'<nav class="vk-onward" aria-label="Before and after" data-note="{html.escape(note)}">'
        f"{' '.join(parts)}</nav>"
    )


def _line_above_title(step: str, minutes: int, map_: str, done: float) -> str:
    """Return the HTML of the line above a title.

    It has the words of the step, linked to the map if there is one, the minutes of the page,
    and a bar of which the share `done` is filled.
    """
    words = _link(Step(step, map_)) if map_ else html.escape(step)
    return (
        '<nav class="vk-here" aria-label="Where you are">'
        f'<span class="vk-here__bar" style="--vk-done:{done:.1%}"></span>'
        f'<span class="vk-here__step">{words}</span> <span>{_minutes(minutes)}</span></nav>'
    )


def _minutes(minutes: int) -> str:
    """Return a time in words: *1 minute*."""
    return f"{minutes} minute{'s' * (minutes != 1)}"


def _link(step: Step) -> str:
    """Return the HTML of a link."""
    return f'<a href="{html.escape(step.href)}">{html.escape(step.title)}</a>'


def links_at_the_end(links: Mapping[str, str]) -> str:
    """Return the links at the end of a page, given a mapping from words to addresses."""
    if not any(links.values()):
        return ""
    shown = " ".join(_link(Step(words, href)) for words, href in links.items() if href)
    return f'<p class="vk-ways">{shown}</p>'
