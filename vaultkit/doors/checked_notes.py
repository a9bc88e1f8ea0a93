"""What pages show of the checks of their notes, without a host."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace

from vaultkit.checks.arrays import arrays
from vaultkit.checks.asked import asked
from vaultkit.checks.check import FAILS, Check
from vaultkit.checks.evidence import Part, parts
from vaultkit.pipeline.ledger import Ledger, published
from vaultkit.read.note import Note
from vaultkit.read.vault import Vault
from vaultkit.site import predictions, report, runnable
from vaultkit.site.pages import SitePage

#: What a note's text alone decides is reported when the text is inspected.
_OF_CODE = ("block", "equation", "shape", "number")


class CheckedNotes:
    """The checks of all notes that have a page.

    Parameters
    ----------
    vault, ledger
        The notes, and what is known of them.
    url_of
        Returns the address of the page of a note, given its path; None where it has none.
    with_failures
        Whether the reader is the author, to whom failed checks are shown.
    """

    def __init__(
        self,
        vault: Vault,
        ledger: Ledger,
        url_of: Callable[[str], str | None],
        with_failures: bool,
    ) -> None:
        #: By path of the note.
        self.entries: dict[str, report.Entry] = {}
        #: The failed checks of notes whose checks are kept from readers.
        self.failures: list[tuple[str, Check]] = []
        for entry in report.entries(vault, ledger):
            url = url_of(entry.path)
            if url is None:
                continue
            failed = [check for check in entry.checks or () if check.outcome == FAILS]
            if failed and not with_failures:
                self.failures += [(entry.path, c) for c in failed if c.kind in _OF_CODE]
                entry = replace(entry, checks=None, withheld=True)
            self.entries[entry.path] = replace(entry, href=url)

    def data(self) -> str:
        """Write all checks as JSON."""
        known = {name: entry.checks for name, entry in self.entries.items()}
        return json.dumps(published(known), ensure_ascii=False, separators=(",", ":"))

    def badge(self) -> str:
        """Draw the totals."""
        return report.badge(report.Totals.of(list(self.entries.values())))

    def evidence(self, page: SitePage) -> dict[str, Part]:
        """Find the checks behind each part of a page, as far as they are known."""
        entry = self.entries.get(page.uri)
        return parts(page.note, entry.checks or ()) if page.note and entry else {}

    def details(self, page: SitePage) -> dict[str, object]:
        """Gather what the scripts of a page show of its checks and arrays."""
        found: dict[str, object] = {
            place: part.plain() for place, part in self.evidence(page).items()
        }
        entry = self.entries.get(page.uri)
        if page.note and entry and entry.checks:
            found["arrays"] = [array.plain() for array in arrays(page.note, entry.checks)]
            summary = ([line] for line in report.summary(entry.checks))
            found["checks"] = ["This note's checks", *summary]
        return found

    def foot(self, page: SitePage, table_url: str | None) -> str:
        """Write the line below a note that sums up its checks; empty for other pages.

        Parameters
        ----------
        page
            The page of the note.
        table_url
            Address of the table of all notes; None where there is none.
        """
        entry = self.entries.get(page.uri)
        if entry is None:
            return ""
        href = "" if table_url is None else f"{page.to(table_url)}#{entry.anchor}"
        questions = asked(page.note, entry.checks or ()) if page.note else []
        return report.line(entry, href) + (
            predictions.data(entry.path, questions) if page.note else ""
        )

    def table(self, page: SitePage, data_url: str, script_url: str, can_run: bool) -> str:
        """Write what the page of all checks holds; a script makes its rows from the data."""
        found = [replace(entry, href=page.to(entry.href)) for entry in self.entries.values()]
        data, script = page.to(data_url), page.to(script_url)
        return f"{runnable.controls() if can_run else ''}{report.table(found)}" + (
            f'<div class="vk-checks" data-checks="{data}">'
            f'<p>Every single check stands in <a href="{data}">checks.json</a>.</p></div>'
            f'<script src="{script}" defer></script>'
        )

    def questions(self, page: SitePage, pages: Iterable[SitePage]) -> str:
        """Write the table of all notes that ask before they show, in the order of the pages."""
        found = []
        for other in pages:
            entry, note = self.entries.get(other.uri), other.note
            keys = self._keys(note, entry) if note and entry else []
            if note and entry and keys:
                href = page.to(other.url)
                found.append(predictions.Asking(note.title, entry.path, href, keys))
        return predictions.table(found)

    @staticmethod
    def _keys(note: Note, entry: report.Entry) -> list[str]:
        return [str(question["key"]) for question in asked(note, entry.checks or ())]
