"""The contents of pages are in a temporary file between rendering and writing."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig

from tests.vaultkit.edited_site import SITE, make_vault
from vaultkit.doors.page_spool import PageSpool
from vaultkit.doors.parallel_build import ParallelBuild


@pytest.mark.parametrize("system", ["that can fork", "that cannot"])
def test_contents_come_back(system: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if system == "that cannot":
        monkeypatch.delattr(os, "pread", raising=False)
    texts = {"a.md": "<p>é 很 \ud800</p>", "b.md": "", "c.md": "<p>c</p>" * 9999}
    pages: list[Any] = [SimpleNamespace(file=SimpleNamespace(src_uri=uri)) for uri in texts]
    spool = PageSpool()
    for page in pages:
        spool.put(page, "before")
        spool.put(page, texts[page.file.src_uri])
    for page in reversed(pages):
        spool.restore(page)
        assert page.content == texts[page.file.src_uri]
    other: Any = SimpleNamespace(file=SimpleNamespace(src_uri="d.md"), content="as it was")
    spool.restore(other)
    assert other.content == "as it was"
    spool.end()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no such helpers")
def test_a_helper_that_renders_at_the_same_time_changes_nothing() -> None:
    spool = PageSpool()
    texts = {f"{number}.md": f"<p>{number}</p>" for number in range(3000)}
    pages: list[Any] = [SimpleNamespace(file=SimpleNamespace(src_uri=uri)) for uri in texts]
    spool.put(pages[0], texts["0.md"])
    helper = os.fork()
    if not helper:
        while True:
            spool.put(pages[1], "<p>of a helper</p>")
    try:
        for page in pages:
            spool.put(page, texts[page.file.src_uri])
    finally:
        os.kill(helper, signal.SIGKILL)
        os.waitpid(helper, 0)
    for page in pages:
        spool.restore(page)
    assert {page.file.src_uri: page.content for page in pages} == texts
    spool.end()


def test_no_page_is_held_until_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = make_vault(tmp_path / "vault")
    (docs / "Listed.md").write_text("# Listed\n\n<!-- material/tags -->\n")
    (docs / "Heron.md").write_text("---\ntags: [bird]\n---\n# Heron\n\nIt waits.\n")
    config = docs.parent / "mkdocs.yml"
    config.write_text(SITE.replace("[search, vaultkit]", "[search, tags, vaultkit]"))
    # MkDocs keeps plugins that want to know of the start, also those of other tests.
    dict(MkDocsConfig._schema)["plugins"].plugin_cache.clear()
    loaded = load_config(str(config))
    plugin: Any = loaded.plugins["vaultkit"]
    held: dict[str, str] = {}
    begin = ParallelBuild.begin

    def begins(self: ParallelBuild) -> None:
        held.update({page.file.src_uri: page.content for page in plugin.nav.pages})
        begin(self)

    monkeypatch.setattr(ParallelBuild, "begin", begins)
    build(loaded)
    assert {uri for uri, content in held.items() if content} == {"Listed.md"}
    site = docs.parent / "site"
    assert "It flies far." in (site / "tern" / "index.html").read_text("utf-8")
    assert 'href="../heron/"' in (site / "listed" / "index.html").read_text("utf-8")
