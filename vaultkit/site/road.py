"""Tells readers where they are: which step of the road, how long, what comes before and after."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vaultkit.read.note import Note
from vaultkit.read.vault import BrokenLinkError, Vault

#: Words that somebody who learns reads in a minute, code and formulas among them.
PER_MINUTE = 150
#: Of all that a note rests on, no more than fits into a line.
MOST = 3


@dataclass(frozen=True)
class Step:
    """A page on the road; ``href`` leads to it from the page that shows it."""

    title: str
    href: str


def minutes(words: int) -> int:
    """Estimate how long a page takes.

    Examples
    --------
    >>> minutes(20), minutes(900)
    (1, 6)
    """
    return max(1, round(words / PER_MINUTE))


def needed(note: Note, vault: Vault, road: Sequence[Path]) -> list[Path]:
    """List the earlier notes of the road that a note links to most, in the road's order."""
    if note.path not in road:
        return []
    earlier = road[: road.index(note.path)]
    counts: Counter[Path] = Counter()
    for link in note.links:
        try:
            path = vault.find(link.target, note.path) if link.target else note.path
        except BrokenLinkError:
            continue
        if path in earlier:
            counts[path] += 1
    # Of equals, the nearer one.
    most = sorted(counts, key=lambda path: (-counts[path], -earlier.index(path)))[:MOST]
    return sorted(most, key=earlier.index)


def line(
    at: int, of: int, took: int, before: Sequence[Step], after: Step | None, map_: str = ""
) -> str:
    """Write where a page stands, for its top; ``map_`` leads to where all steps are drawn."""
    step = f"Step {at} of {of}"
    parts = [
        f'<span class="vk-here__step">{_link(Step(step, map_)) if map_ else step}</span>',
        f"<span>{took} minute{'s' * (took != 1)}</span>",
    ]
    if before:
        parts.append(f"<span>Builds on {', '.join(map(_link, before))}</span>")
    if after:
        parts.append(f"<span>Next: {_link(after)}</span>")
    done = f'<span class="vk-here__bar" style="--vk-done:{at / of:.1%}"></span>'
    return f'<nav class="vk-here" aria-label="Where you are">{done}{" ".join(parts)}</nav>'


def _link(step: Step) -> str:
    return f'<a href="{html.escape(step.href)}">{html.escape(step.title)}</a>'


def ways(links: Mapping[str, str]) -> str:
    """Write what else can be done with a page, for its end: words, and where they lead."""
    if not any(links.values()):
        return ""
    shown = " ".join(_link(Step(words, href)) for words, href in links.items() if href)
    return f'<p class="vk-ways">{shown}</p>'
