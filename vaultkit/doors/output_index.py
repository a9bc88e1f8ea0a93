"""An index of the written files of a served site: a file that would come out the same is skipped.

In an incremental build (``--dirty``), MkDocs asks each file whether it was modified, and compares
times: a page that embeds a changed note stays stale. With this index all pages are rendered, most
of them from `render_cache`, and those that differ from what was written last are written.
"""

from __future__ import annotations

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
from vaultkit.store import key_of

_HEADING = re.compile(r"<h1\b.*?</h1>", re.DOTALL)


class CompiledTemplates(BytecodeCache):
    """A cache of compiled templates: MkDocs starts each build without one.

    Jinja uses an entry only if the source of the template is the same.
    """

    def __init__(self) -> None:
        self._compiled: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load a compiled template, if there is one."""
        if bucket.key in self._compiled:
            bucket.bytecode_from_string(self._compiled[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store a compiled template."""
        self._compiled[bucket.key] = bucket.bytecode_to_string()


class OutputIndex:
    """Fingerprints of the data from which each file of the site was written.

    A build calls `mark_all_pages` before it reads the sources, `mark_changed` before it writes, and
    `end` when it has succeeded.
    """

    def __init__(self) -> None:
        #: The fingerprint of each file by its path: as it was written last, and of this build.
        self._written: dict[Path, bytes] = {}
        self._current: dict[Path, bytes] = {}

    def mark_all_pages(self, files: Iterable[File]) -> None:
        """Mark every page as modified, so that MkDocs reads all of them."""
        self._current = {}
        for file in files:
            if file.is_documentation_page():
                file.is_modified = lambda: True  # type: ignore[method-assign]

    def mark_changed(
        self, files: Iterable[File], shared: object, of_page: Callable[[Page], object | None]
    ) -> None:
        """Mark as modified only the files that were not written yet, or from other data.

        Parameters
        ----------
        files
            All files of the site.
        shared
            Data that all pages show, such as the navigation and the names of style sheets.
        of_page
            Returns the data that only a page shows; None if they are not known, so that it is
            written.
        """
        shared_key = key_of(shared)
        for file in files:
            facts: object | None = None
            if file.is_documentation_page():
                facts_of_page = of_page(file.page) if file.page else None
                facts = facts_of_page and (shared_key, facts_of_page)
            elif file.generated_by:
                facts = file.content_bytes
            elif file.abs_src_path:
                # Not only whether it is newer: an older file that replaced it keeps its time.
                status = Path(file.abs_src_path).stat()
                facts = status.st_mtime_ns, status.st_size
            is_same = self._is_up_to_date(Path(file.abs_dest_path), facts) and facts is not None
            file.is_modified = partial(bool, not is_same)  # type: ignore[method-assign]

    def write(self, path: Path, text: str) -> None:
        """Write a file that MkDocs does not know, unless it was written with the same text."""
        if not self._is_up_to_date(path, text):
            write_atomically(path, text)

    def _is_up_to_date(self, path: Path, facts: object) -> bool:
        """Return whether a file was written from these facts; store them for the next build."""
        key = self._current[path] = key_of(facts)
        if self._written.get(path) == key and path.is_file():
            return True
        # If the build fails, nobody knows whether it has written the file: an empty key is no
        # fingerprint, so the next build writes it.
        self._written[path] = b""
        return False

    def end(self) -> None:
        """Keep the fingerprints of this build; delete the files that it did not write."""
        for path in self._written.keys() - self._current.keys():
            path.unlink(missing_ok=True)
        self._written, self._current = self._current, {}


def shown_on_all(config: MkDocsConfig, files: Files) -> list[object]:
    """Return what MkDocs shows on every page, and what its templates depend on."""
    folder = config.theme.custom_dir
    templates = sorted(Path(folder).rglob("*")) if folder else []
    with warnings.catch_warnings():
        # Reading some deprecated settings warns.
        warnings.simplefilter("ignore", DeprecationWarning)
        settings = config.user_configs
    return [
        [_shown_by_other_pages(file.page) for file in files.documentation_pages() if file.page],
        config.extra_css,
        config.extra_javascript,
        # As they were read from mkdocs.yml, with those of the files that it inherits.
        settings,
        [(path, path.stat().st_mtime_ns) for path in templates if path.is_file()],
    ]


def _shown_by_other_pages(page: Page) -> list[object]:
    """Return what other pages show of a page, in the navigation, in lists, as previous and next."""
    heading = _HEADING.search(page.content or "")
    properties = [page.meta.get(name) for name in ("icon", "status", "subtitle")]
    return [str(page.title), page.url, heading[0] if heading else "", *properties]
