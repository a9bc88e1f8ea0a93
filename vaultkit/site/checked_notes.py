"""The checks of notes as pages show them, without a host."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace

from vaultkit.checks.arrays import find_arrays
from vaultkit.checks.asked import question_data
from vaultkit.checks.check import FAILS, Check
from vaultkit.checks.evidence import Part, parts
from vaultkit.pipeline.ledger import public_data
from vaultkit.read.vault import Vault
from vaultkit.site import predictions, report, runnable
from vaultkit.site.pages import SitePage

#: Kinds of checks that run code; the others are reported when the text is inspected.
_OF_CODE = ("block", "equation", "shape", "number", "sentence")


class CheckedNotes:
    """The checks of all notes that have a page.

    Parameters
    ----------
    vault
        The notes.
    urls
        The address of the page of each note that has one, by its path.
    with_failures
        Whether failed checks are shown: the reader is the author.
    """

    def __init__(
        self,
        vault: Vault,
        urls: Mapping[str, str],
        with_failures: bool,
    ) -> None:
        #: The entry of each note, by its path.
        self.entries: dict[str, report.Entry] = {}
        #: The failed checks of notes whose checks are not shown to readers.
        self.failures: list[tuple[str, Check]] = []
        for entry in report.read_entries(vault):
            url = urls.get(entry.path)
            if url is None:
                continue
            failed = [check for check in entry.checks or () if check.outcome == FAILS]
            if failed and not with_failures:
                self.failures += [(entry.path, c) for c in failed if c.kind in _OF_CODE]
                entry = replace(entry, checks=None, withheld=True)
            self.entries[entry.path] = replace(entry, href=url)

    def data(self) -> str:
        """Return all checks as JSON."""
        known = {name: entry.checks for name, entry in self.entries.items()}
        return json.dumps(public_data(known), ensure_ascii=False, separators=(",", ":"))

    def badge(self) -> str:
        """Return an SVG of the totals."""
        return report.draw_badge(report.Totals.of(list(self.entries.values())))

    def evidence(self, page: SitePage) -> dict[str, Part]:
        """Return the checks behind each part of a page, as far as they are known."""
        entry = self.entries.get(page.uri)
        return parts(page.note, entry.checks or ()) if page.note and entry else {}

    def details(self, page: SitePage) -> dict[str, object]:
        """Return what the scripts of a page show: its checks and arrays."""
        details: dict[str, object] = {
            place: part.plain() for place, part in self.evidence(page).items()
        }
        entry = self.entries.get(page.uri)
        if page.note and entry and entry.checks:
            details["arrays"] = [array.plain() for array in find_arrays(page.note, entry.checks)]
            summary = ([line] for line in report.summarize(entry.checks))
            details["checks"] = ["This note's checks", *summary]
        return details

    def foot(self, page: SitePage, table_url: str | None) -> str:
        """Return the line below a note that sums up its checks; empty for other pages.

        Parameters
        ----------
        page
            The page of the note.
        table_url
            Address of the table of all notes; None if there is none.
        """
        entry = self.entries.get(page.uri)
        if entry is None:
            return ""
        href = "" if table_url is None else f"{page.to(table_url)}#{entry.anchor}"
        questions = question_data(page.note, entry.checks or ()) if page.note else []
        return report.foot_line(entry, href) + (
            predictions.data_element(entry.path, questions) if page.note else ""
        )

    def table(self, page: SitePage, data_url: str, script_url: str, can_run: bool) -> str:
        """Return the HTML of the page of all checks; a script builds the rows from the data."""
        entries = [replace(entry, href=page.to(entry.href)) for entry in self.entries.values()]
        data, script = page.to(data_url), page.to(script_url)
        return f"{runnable.controls_html() if can_run else ''}{report.table_html(entries)}" + (
            f'<div class="vk-checks" data-checks="{data}">'
            f'<p>All checks are in <a href="{data}">checks.json</a>.</p></div>'
            f'<script src="{script}" defer></script>'
        )

    def questions(self, page: SitePage, pages: Iterable[SitePage]) -> str:
        """Return the table of the notes with predictions, for a page; in the order of pages."""
        questions = []
        for other in pages:
            keys = self.keys(other)
            if other.note and keys:
                href = page.to(other.url)
                questions.append(
                    predictions.NoteWithQuestions(other.note.title, other.uri, href, keys)
                )
        return predictions.table_html(questions)

    def keys(self, page: SitePage) -> list[str]:
        """Return the keys of the questions of a page whose answers are known."""
        entry = self.entries.get(page.uri)
        if page.note is None or entry is None:
            return []
        return [str(question["key"]) for question in question_data(page.note, entry.checks or ())]
