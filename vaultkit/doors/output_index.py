"""Tells, while a site is served, which pages stand already as they would be written.

MkDocs asks a file whether it was modified, if it is to build no more than that (``--dirty``), and
goes by its time: a note that quotes another stays as it is. Here all pages are read, most of them
from what `render_cache` has kept, and those are written that differ.
"""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from jinja2.bccache import Bucket, BytecodeCache
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from vaultkit.files import write_atomically

_HEADING = re.compile(r"<h1\b.*?</h1>", re.DOTALL)


class CompiledTemplates(BytecodeCache):
    """The templates as they were compiled: MkDocs begins each build without any.

    Jinja takes what is kept of one for as long as its source is the same.
    """

    def __init__(self) -> None:
        self._known: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Hand out what is kept of a template."""
        if bucket.key in self._known:
            bucket.bytecode_from_string(self._known[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template."""
        self._known[bucket.key] = bucket.bytecode_to_string()


class OutputIndex:
    """What the pages were written from."""

    def __init__(self) -> None:
        self._known: dict[Path, str] = {}
        self._coming: dict[Path, str] = {}

    def read_all(self, files: Iterable[File]) -> None:
        """Make MkDocs read every page, whenever it was changed."""
        self._coming = {}
        for file in files:
            if not file.is_documentation_page():
                continue
            file.is_modified = lambda: True  # type: ignore[method-assign]

    def skip_the_same(
        self, files: Iterable[File], shared: object, own: Callable[[Page], object | None]
    ) -> None:
        """Select the pages to write: those that were not written, or from other data.

        Parameters
        ----------
        files
            All files of the site.
        shared
            What all pages show: the navigation, names of style sheets.
        own
            Tells what a page alone shows; None if nobody can tell, and it is to be written.
        """
        common = hashlib.sha256(repr(shared).encode("utf-8", "surrogatepass")).hexdigest()
        for file in files:
            facts: object | None = None
            if file.is_documentation_page():
                page = own(file.page) if file.page else None
                facts = page and (common, page)
            elif file.generated_by:
                facts = hashlib.sha256(file.content_bytes).hexdigest()
            elif file.abs_src_path:
                # A copy of an older file has its time.
                status = Path(file.abs_src_path).stat()
                facts = status.st_mtime_ns, status.st_size
            same = self._is_known(Path(file.abs_dest_path), repr(facts)) and facts is not None
            file.is_modified = partial(bool, not same)  # type: ignore[method-assign]

    def write(self, path: Path, text: str) -> None:
        """Write another file, if it is not there already."""
        if not self._is_known(path, text):
            write_atomically(path, text)

    def _is_known(self, path: Path, facts: str) -> bool:
        """Return whether a file was written from the same; note what it is to be written from."""
        digest = hashlib.sha256(facts.encode("utf-8", "surrogatepass")).hexdigest()
        self._coming[path] = digest
        if self._known.get(path) == digest and path.is_file():
            return True
        # A build may end before that is written, or after.
        self._known[path] = ""
        return False

    def end(self) -> None:
        """Remember what was written; drop the files that there are no more."""
        for path in self._known.keys() - self._coming.keys():
            path.unlink(missing_ok=True)
        self._known, self._coming = self._coming, {}


def shown_on_all(config: MkDocsConfig, files: Files) -> list[object]:
    """Gather what MkDocs shows on every page, or its templates go by."""
    folder = Path(config.theme.custom_dir or "")
    templates = sorted(folder.rglob("*")) if config.theme.custom_dir else []
    with warnings.catch_warnings():
        # MkDocs has no use for them itself.
        warnings.simplefilter("ignore", DeprecationWarning)
        settings = config.user_configs
    return [
        [_as_listed(file.page) for file in files.documentation_pages() if file.page],
        config.extra_css,
        config.extra_javascript,
        # As they were read, those included that others inherit.
        settings,
        [(path, path.stat().st_mtime_ns) for path in templates if path.is_file()],
    ]


def _as_listed(page: Page) -> list[object]:
    """Gather what other pages show of a page: navigation, lists, those before and after it."""
    heading = _HEADING.search(page.content or "")
    properties = [page.meta.get(name) for name in ("icon", "status", "subtitle")]
    return [str(page.title), page.url, heading[0] if heading else "", *properties]
