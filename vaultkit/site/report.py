"""Shows the ledger: a line for each note, a table of all notes, and a badge.

A check that did not run is never reported as passed.
"""

from __future__ import annotations

import html
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vaultkit.checks.check import COMPARISON, EXCEPTED, FAILS, HOLDS, UNJUDGED, Check
from vaultkit.english import count_in_words
from vaultkit.files import write_atomically
from vaultkit.pipeline.ledger import KINDS, Ledger, describe_verdicts, not_judged
from vaultkit.read.vault import Vault

#: The outcomes without a verdict.
_OPEN = {EXCEPTED: "Excepted", UNJUDGED: "Not judged"}


@dataclass(frozen=True)
class Entry:
    """The checks of a note, as far as they are known.

    ``checks`` is None if none ran on its present text; ``edited`` if they ran on another text,
    ``withheld`` if they failed and are not published. ``href`` is the address of the note,
    ``anchor`` the id of its row in the table of all notes, ``machines`` the number of machines on
    which it ran.
    """

    name: str
    path: str
    checks: list[Check] | None
    edited: bool = False
    withheld: bool = False
    href: str = ""
    anchor: str = ""
    machines: int = 0

    @property
    def unchecked(self) -> str:
        """The reason why there are no results."""
        if self.withheld:
            return "not all checks passed"
        return (
            "not checked since it was edited" if self.edited else "not checked on this machine yet"
        )

    def count(self, outcome: str, kind: str = "") -> int:
        """Count checks of an outcome, of one kind or all."""
        return sum(
            check.outcome == outcome and check.kind == (kind or check.kind)
            for check in self.checks or ()
        )


@dataclass(frozen=True)
class Totals:
    """Counts of checks by outcome, and of notes without checks."""

    outcomes: Counter[str] = field(default_factory=Counter)
    comparisons: int = 0
    notes: int = 0
    unchecked: int = 0

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> Totals:
        """Sum the counts of all notes."""
        outcomes = Counter(check.outcome for entry in entries for check in entry.checks or ())
        comparisons = sum(entry.count(UNJUDGED, COMPARISON) for entry in entries)
        unchecked = sum(entry.checks is None for entry in entries)
        return cls(outcomes, comparisons, len(entries), unchecked)

    @property
    def words(self) -> str:
        """The totals in words that are short enough for a badge."""
        parts = [f"{self.outcomes[HOLDS]:,} hold"]
        if self.outcomes[FAILS]:
            parts.append(count_in_words(self.outcomes[FAILS], "fails", "fail"))
        if self.outcomes[UNJUDGED]:
            parts.append(not_judged(self.outcomes[UNJUDGED], self.comparisons))
        if self.unchecked:
            parts.append(f"{count_in_words(self.unchecked, 'note')} not checked")
        return ", ".join(parts)


def read_entries(vault: Vault) -> list[Entry]:
    """Return an entry for each note of a vault, from its ledger."""
    entries = []
    notes = list(vault.notes.values())
    for note, known in zip(notes, Ledger(vault.whole).entries(notes), strict=True):
        is_fresh = known is not None and known.is_fresh
        entries.append(
            Entry(
                name=note.title,
                path=vault.relative(note.path),
                checks=list(known.checks) if known and is_fresh else None,
                edited=known is not None,
                machines=len(known.machines) + 1 if known and is_fresh and known.machines else 0,
                href=vault.address(note),
                anchor=f"of-{vault.address(note).replace('/', '-')}",
            )
        )
    return sorted(entries, key=lambda entry: entry.name.casefold())


def foot_line(entry: Entry, href: str = "") -> str:
    """Return the line at the foot of a note, with a link to its row in the table of checks."""
    if entry.checks is None:
        state, words = "unchecked", entry.unchecked.capitalize()
    elif not entry.checks:
        return ""
    else:
        state = "fails" if entry.count(FAILS) else "holds"
        words = _results_in_words(entry, entry.checks)
    words = html.escape(words)
    if href:
        words = f'<a href="{html.escape(href)}">{words}</a>'
    return f'<p class="vk-checked vk-checked--{state}">{words}</p>'


def _results_in_words(entry: Entry, checks: Sequence[Check]) -> str:
    """Return the counts of failures, verdicts, exceptions and machines of a note."""
    fails, excepted = entry.count(FAILS), entry.count(EXCEPTED)
    parts = [
        count_in_words(fails, "check fails", "checks fail") if fails else "",
        describe_verdicts(checks),
        f"{excepted:,} left unchecked" if excepted else "",
        f"tried on {count_in_words(entry.machines, 'machine')}" if entry.machines else "",
    ]
    return "; ".join(filter(None, parts))


def summarize(checks: Sequence[Check]) -> list[str]:
    """Summarise the checks of a note: counts of verdicts, and reasons of what has none."""
    reasons = Counter(
        f"{_OPEN[check.outcome]}, {check.kind}: {_reason(check)}"
        for check in checks
        if check.outcome in _OPEN
    )
    verdicts = describe_verdicts(checks)
    return [
        *([f"Verdicts: {verdicts}"] if verdicts else []),
        *(f"{why} ({count} times)" if count > 1 else why for why, count in reasons.items()),
    ]


def _reason(check: Check) -> str:
    """Return the first line of a check's reason, without the statement."""
    return "".join(check.why.splitlines()[:1]).removeprefix(f"{check.what}: ")


def table_html(entries: Sequence[Entry]) -> str:
    """Return the table of all notes, with the number of checks of each kind that hold."""
    columns = (*(plural.capitalize() for plural in KINDS.values()), *_OPEN.values())
    head = "".join(f'<th scope="col">{title}</th>' for title in columns)
    rows = "".join(_row_html(entry) for entry in entries)
    sums = "".join(f"<td>{sum(e.count(HOLDS, kind) for e in entries):,}</td>" for kind in KINDS)
    totals = Totals.of(entries)
    sums += "".join(f"<td>{totals.outcomes[outcome]:,}</td>" for outcome in _OPEN)
    return (
        f"<p>On {count_in_words(totals.notes, 'note')}: {totals.words}."
        f"{_machines_in_words(entries)}</p>"
        '<div class="vk-ledger md-typeset__scrollwrap" tabindex="0" role="region"'
        ' aria-label="Checks by note"><table class="vk-ledger__notes">'
        f'<thead><tr><th scope="col">Note</th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody>"
        f'<tfoot><tr><th scope="row">All</th>{sums}</tr></tfoot></table></div>'
    )


def _machines_in_words(entries: Sequence[Entry]) -> str:
    """Return a sentence on how many notes were run on how many machines."""
    tried = Counter(entry.machines for entry in entries if entry.checks and entry.machines)
    text = ""
    for machines, notes in sorted(tried.items(), reverse=True):
        said = count_in_words(notes, "note was", "notes were")
        text += f" {said} tried on {count_in_words(machines, 'machine')}."
    return text


def _row_html(entry: Entry) -> str:
    """Return the table row of a note: the number of its checks of each kind."""
    name = f'<a href="{html.escape(entry.href)}">{html.escape(entry.name)}</a>'
    opening = f'<tr id="{html.escape(entry.anchor)}" data-note="{html.escape(entry.path)}">'
    if entry.checks is None:
        cells = f'<td class="vk-none" colspan="{len(KINDS) + len(_OPEN)}">{entry.unchecked}</td>'
    else:
        cells = "".join(_cell_html(entry, kind) for kind in KINDS)
        cells += "".join(f"<td>{entry.count(outcome) or _NONE}</td>" for outcome in _OPEN)
    return f'{opening}<th scope="row">{name}</th>{cells}</tr>'


_NONE = '<span class="vk-none">0</span>'


def _cell_html(entry: Entry, kind: str) -> str:
    """Return the table cell of the checks of a kind in a note."""
    held, fails = entry.count(HOLDS, kind), entry.count(FAILS, kind)
    if fails:
        return f'<td class="vk-fails">{fails} of {held + fails} fail</td>'
    return f"<td>{held or _NONE}</td>"


def draw_badge(totals: Totals) -> str:
    """Return the totals as a small SVG, for a README."""
    red, grey, green = "#b3261e", "#566074", "#0a6b52"
    colour = red if totals.outcomes[FAILS] else grey if totals.unchecked else green
    name, words = "checks", totals.words
    # The width of the text is estimated; `textLength` makes any font fit it.
    left, right = (round(6.4 * len(text)) for text in (name, words))
    middle, width = left + 16, left + right + 32

    def text(x: float, length: int, content: str) -> str:
        return f'<text x="{x}" y="14" textLength="{length}">{html.escape(content)}</text>'

    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img"'
        f' aria-label="{name}: {html.escape(words)}"><title>{name}: {html.escape(words)}</title>'
        f'<clipPath id="r"><rect width="{width}" height="20" rx="3"/></clipPath>'
        f'<g clip-path="url(#r)"><path fill="#1d2330" d="M0 0h{middle}v20H0z"/>'
        f'<path fill="{colour}" d="M{middle} 0h{width - middle}v20H{middle}z"/></g>'
        '<g fill="#fff" font-family="system-ui,Verdana,sans-serif" font-size="11">'
        f"{text(8, left, name)}{text(middle + 8, right, words)}</g></svg>\n"
    )


def main(arguments: Sequence[str]) -> None:
    """Write the badge of a vault: ``python -m vaultkit.site.report docs .github/checks.svg``."""
    if len(arguments) != 2:
        raise SystemExit("usage: python -m vaultkit.site.report VAULT BADGE.svg")
    vault = Vault(Path(arguments[0]))
    totals = Totals.of(read_entries(vault))
    if totals.outcomes[FAILS]:
        raise SystemExit(
            f"{totals.words}: no badge is written for failures; fix the notes and check them again"
        )
    write_atomically(Path(arguments[1]), draw_badge(totals))


if __name__ == "__main__":
    main(sys.argv[1:])
