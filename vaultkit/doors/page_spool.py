"""A spool for the content of pages, from when they are rendered until they are written.

MkDocs renders all pages before it writes the first one, and would hold all contents in memory.
"""

from __future__ import annotations

import os
import tempfile
from typing import IO

from mkdocs.structure.pages import Page


class PageSpool:
    """The spool: contents of pages in a temporary file."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        self._owner = 0
        #: By the path of a page, where in the file its content begins, and how long it is.
        self._places: dict[str, tuple[int, int]] = {}

    def put(self, page: Page, content: str) -> None:
        """Move the content of a page to the spool.

        In a forked helper this does nothing: it shares the position in the file with the process
        that made it, which would write elsewhere than it has noted.
        """
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 (open until the end of the build)
            self._owner = os.getpid()
        if self._owner != os.getpid():
            return
        data = content.encode("utf-8", "surrogatepass")
        self._places[page.file.src_uri] = self._file.seek(0, os.SEEK_END), len(data)
        self._file.write(data)
        self._file.flush()

    def restore(self, page: Page) -> None:
        """Restore the content of a page from the spool."""
        if page.file.src_uri in self._places:
            begins, length = self._places[page.file.src_uri]
            page.content = self._read(begins, length).decode("utf-8", "surrogatepass")

    def end(self) -> None:
        """Delete the spool."""
        if self._file:
            self._file.close()
        self._file = None
        self._places.clear()

    def _read(self, begins: int, length: int) -> bytes:
        assert self._file is not None
        if hasattr(os, "pread"):  # processes that were forked share a place in the file
            return os.pread(self._file.fileno(), length, begins)
        self._file.seek(begins)
        return self._file.read(length)
