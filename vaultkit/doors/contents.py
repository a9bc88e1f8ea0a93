"""Keeps the content of pages out of memory, from when they are rendered until they are written.

MkDocs renders all pages before it writes the first of them, and holds what they say meanwhile.
"""

from __future__ import annotations

import os
import tempfile
from typing import IO

from mkdocs.structure.pages import Page


class Contents:
    """What pages say, in a file without a name."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        #: By the path of a page, where in the file its content begins, and how long it is.
        self._places: dict[str, tuple[int, int]] = {}

    def put(self, page: Page, content: str) -> None:
        """Write down what a page says."""
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 (open until the end of the build)
        data = content.encode("utf-8", "surrogatepass")
        self._places[page.file.src_uri] = self._file.seek(0, os.SEEK_END), len(data)
        self._file.write(data)
        self._file.flush()

    def give_back(self, page: Page) -> None:
        """Let a page say what was written down of it."""
        if page.file.src_uri in self._places:
            begins, length = self._places[page.file.src_uri]
            page.content = self._read(begins, length).decode("utf-8", "surrogatepass")

    def end(self) -> None:
        """Forget all of it."""
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
