"""A spool for the content of pages, from rendering to writing.

MkDocs renders all pages before it writes the first one, and would keep all of them in memory.
"""

from __future__ import annotations

import os
import tempfile
from typing import IO

from mkdocs.structure.pages import Page


class PageSpool:
    """A temporary file with the contents of pages."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        #: The id of the process that has opened the file.
        self._owner = 0
        #: Offset and length of each page's content in the file, by the path of its source.
        self._places: dict[str, tuple[int, int]] = {}

    def put(self, page: Page, content: str) -> None:
        """Move the content of a page to the spool.

        In a forked helper this does nothing: the helper shares the file position with its parent
        process, and would move it.
        """
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 (open until the end of the build)
            self._owner = os.getpid()
        if self._owner != os.getpid():
            return
        data = content.encode("utf-8", "surrogatepass")  # for a lone surrogate
        self._places[page.file.src_uri] = self._file.seek(0, os.SEEK_END), len(data)
        self._file.write(data)
        self._file.flush()

    def restore(self, page: Page) -> None:
        """Restore the content of a page from the spool; leave a page that is not there."""
        if page.file.src_uri in self._places:
            offset, length = self._places[page.file.src_uri]
            page.content = self._read(offset, length).decode("utf-8", "surrogatepass")

    def end(self) -> None:
        """Delete the spool."""
        if self._file:
            self._file.close()
        self._file = None
        self._places.clear()

    def _read(self, offset: int, length: int) -> bytes:
        """Return ``length`` bytes of the spool from ``offset``."""
        assert self._file is not None
        if hasattr(os, "pread"):  # forked processes share the file position
            return os.pread(self._file.fileno(), length, offset)
        self._file.seek(offset)
        return self._file.read(length)
