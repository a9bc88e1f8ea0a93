"""Fills the templates of pages in parallel, with helper processes.

MkDocs fills them one by one. All pages are rendered by then, and none depends on another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import jinja2
from mkdocs.commands import build as mkdocs_build
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from vaultkit.doors.helpers import divide
from vaultkit.doors.page_spool import PageSpool


class ParallelBuild:
    """Replaces the function of MkDocs that fills the template of a page and writes the page."""

    def __init__(self, spool: PageSpool) -> None:
        #: MkDocs' own function while it is replaced; else None.
        self._build_page_of_mkdocs: Any = None
        #: Whether the pages of this build are written.
        self._are_built = False
        self._spool = spool

    def begin(self) -> None:
        """Replace MkDocs' function until `end` is called."""
        self.end()  # of a build that failed
        self._build_page_of_mkdocs, self._are_built = mkdocs_build._build_page, False
        mkdocs_build._build_page = self._build

    def end(self) -> None:
        """Restore MkDocs' function."""
        if self._build_page_of_mkdocs:
            mkdocs_build._build_page, self._build_page_of_mkdocs = self._build_page_of_mkdocs, None

    def _build(
        self,
        page: Page,
        config: MkDocsConfig,
        doc_files: Sequence[File],
        nav: Navigation,
        env: jinja2.Environment,
        dirty: bool = False,
        excluded: bool = False,
    ) -> None:
        """Write all pages at the first call, divided among processes; do nothing at later calls.

        It replaces MkDocs' function that writes one page, and has its parameters.
        """
        del page, excluded  # those of one page, but all are written

        def write_pages(files: Iterable[File]) -> None:
            """Write the pages of some files, and free their content."""
            for file in files:
                assert file.page is not None
                is_excluded = file.inclusion.is_excluded()  # type: ignore[no-untyped-call]
                self._spool.restore(file.page)
                build_page = self._build_page_of_mkdocs
                build_page(file.page, config, doc_files, nav, env, dirty, excluded=is_excluded)
                file.page.content = ""

        if not self._are_built:
            self._are_built = True
            divide(doc_files, write_pages)
