"""Pages that were rendered before are the same as if they were rendered again."""

from __future__ import annotations

import json
import logging
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.vaultkit.edited_site import SITE, Edit, files_below, make_vault, replaced
from vaultkit.doors import render_cache
from vaultkit.doors.mkdocs_plugin import VaultPlugin
from vaultkit.doors.render_cache import RenderCache
from vaultkit.doors.site_builder import build_site
from vaultkit.store import Store, store_beside

pytestmark = pytest.mark.usefixtures("same_parts")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault whose pages were rendered once."""
    vault = tmp_path_factory.mktemp("built") / "vault"
    docs = make_vault(vault)
    build_site(docs, vault / "site")
    return vault


@pytest.fixture
def vault(built: Path) -> Iterator[Path]:
    """The same vault at the same path, which is part of the cache's keys."""
    aside = built.with_name("aside")
    store_beside(built / "docs").close()
    shutil.copytree(built, aside)
    yield built
    store_beside(built / "docs").close()
    shutil.rmtree(built)
    aside.rename(built)


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record which pages are rendered."""
    found: list[str] = []
    convert = RenderCache._convert

    def counted(self, page, *others) -> None:  # type: ignore[no-untyped-def]
        found.append(page.file.src_uri)
        convert(self, page, *others)

    monkeypatch.setattr(RenderCache, "_convert", counted)
    return found


#: Edits, and how many of the four pages are rendered again.
EDITS: dict[str, tuple[Edit, int]] = {
    "nothing": (lambda _: None, 0),
    "words of a page that quotes another": (replaced("Barn Owl.md", "mice", "voles"), 2),
    "words that another page shows": (replaced("Tern.md", "flies far", "swims"), 2),
    "a heading": (replaced("Tern.md", "## In", "## Out of"), 4),
}


@pytest.mark.parametrize(
    "plugins",
    [pytest.param("[search, vaultkit]", marks=pytest.mark.long), "[search, tags, vaultkit]"],
)
@pytest.mark.parametrize("what", EDITS)
def test_only_what_has_changed_is_rendered(
    what: str, plugins: str, vault: Path, rendered: list[str]
) -> None:
    (vault / "mkdocs.yml").write_text(SITE.replace("[search, vaultkit]", plugins))
    build_site(vault / "docs", vault / "site")
    rendered.clear()
    edit, again = EDITS[what]
    edit(vault / "docs")
    build_site(vault / "docs", vault / "site")
    assert len(set(rendered)) == len(rendered) == again


def test_a_drawing_that_is_not_of_the_vault_stays_an_image(vault: Path) -> None:
    front = vault / "docs" / "index.md"
    front.write_text(f"{front.read_text()}\n![w](.hidden/w.svg)\n")
    (vault / "docs" / ".hidden").mkdir()
    shutil.copy(vault / "docs" / "wing.svg", vault / "docs" / ".hidden" / "w.svg")
    build_site(vault / "docs", vault / "site")
    page = (vault / "site" / "index.html").read_text("utf-8")
    assert page.count('class="vk-figure"') == 1  # the one of the vault


#: Syntax for which a converter keeps state while it converts a page.
_LEAVES = """# First

Some [words][there], a mark[^1], an ABC. #gulls

## Again

$$
x = 1 \\label{one}
$$

??? note "Folded"
    - [x] done

=== "A"
    One.

What is a gull? ^far
?
A bird.

```python linenums="1"
x = 1
```

![[Tern]]

[there]: https://example.org/ "There"
[^1]: Said below.
*[ABC]: Always be careful
"""
#: References to that syntax on another page, which does not define it.
_FINDS = """# Second

Some [words][there], a mark[^1], an ABC, see $\\eqref{one}$.

## Again

=== "B"
    Two.

[[#^far]]

```python linenums="1"
x = 1
```
"""


def test_a_page_shows_nothing_of_those_rendered_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = make_vault(tmp_path / "vault")
    extensions = "[abbr, pymdownx.details, {pymdownx.tabbed: {alternate_style: true}}]"
    (docs.parent / "mkdocs.yml").write_text(f"{SITE}markdown_extensions: {extensions}\n")
    (docs / "A.md").write_text(_LEAVES)
    (docs / "B.md").write_text(_FINDS)
    (docs / "C.md").write_text(_LEAVES.replace("First", "Third"))
    warnings = build_site(docs, tmp_path / "one", strict=True)
    monkeypatch.setattr(VaultPlugin, "on_pre_page", lambda _, page, **__: page)
    (docs.parent / ".cache").rename(tmp_path / "cache")
    assert build_site(docs, tmp_path / "many", strict=True) == warnings
    assert files_below(tmp_path / "one") == files_below(tmp_path / "many")


def test_nothing_is_kept_when_something_else_is_installed(
    vault: Path, rendered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vaultkit.site.fingerprints.distributions", list)
    render_cache.code_fingerprint.cache_clear()
    try:
        build_site(vault / "docs", vault / "site")
        assert len(rendered) == 4
    finally:
        render_cache.code_fingerprint.cache_clear()


@pytest.mark.long
def test_what_was_wrong_with_a_page_is_reported_each_time(vault: Path) -> None:
    (vault / "docs" / "Tern.md").write_text("# Tern\n\n```mermaid\nnonsense\n```\n")
    first = build_site(vault / "docs", vault / "site", strict=True)
    assert any("Tern.md" in message for message in first)
    assert build_site(vault / "docs", vault / "site", strict=True) == first


def test_nothing_is_kept_with_an_extension_that_may_read_other_files(vault: Path) -> None:
    listed = f"pymdownx.snippets: {{base_path: [{json.dumps(str(vault))}]}}"
    (vault / "mkdocs.yml").write_text(f"{SITE}markdown_extensions: [{{{listed}}}]\n")
    (vault / "docs" / "Tern.md").write_text('# Tern\n\n--8<-- "part.md"\n')
    (vault / "part.md").write_text("One part.\n")
    for words in ("One", "Another"):
        (vault / "part.md").write_text(f"{words} part.\n")
        build_site(vault / "docs", vault / "site")
        assert f"{words} part." in (vault / "site" / "tern" / "index.html").read_text("utf-8")
    assert not store_beside(vault / "docs").names("page")


def test_nothing_is_kept_with_an_extension_that_a_hook_adds(vault: Path) -> None:
    (vault / "mkdocs.yml").write_text(f"{SITE}hooks: [hook.py]\n")
    (vault / "hook.py").write_text(
        "def on_config(config):\n    config.markdown_extensions.append('pymdownx.snippets')\n"
        f"    config.mdx_configs['pymdownx.snippets'] = {{'base_path': [{os.fspath(vault)!r}]}}\n"
    )
    (vault / "docs" / "Tern.md").write_text('# Tern\n\n--8<-- "part.md"\n')
    for words in ("One", "Another"):
        (vault / "part.md").write_text(f"{words} part.\n")
        build_site(vault / "docs", vault / "site")
        assert f"{words} part." in (vault / "site" / "tern" / "index.html").read_text("utf-8")


@pytest.mark.parametrize("content", [b"", b"\xff", b"[", b"null", b"{}"])
def test_what_is_damaged_is_rendered_again(
    content: bytes, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = files_below(vault / "site")
    find = Store.find

    def damaged(self: Store, kind: str, name: str, key: bytes) -> bytes | None:
        return content if kind == "page" else find(self, kind, name, key)

    monkeypatch.setattr(Store, "find", damaged)
    logging.getLogger("mkdocs").setLevel(logging.WARNING)
    build_site(vault / "docs", vault / "again")
    assert files_below(vault / "again") == before


@pytest.mark.long
def test_pages_that_another_process_has_rendered_are_the_same(
    vault: Path, rendered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (vault / "docs" / "Tern.md").write_text("# Tern\n\n```mermaid\nnonsense\n```\n")
    shutil.rmtree(vault / ".cache")
    alone = build_site(vault / "docs", vault / "alone", strict=True)
    assert len(rendered) == 4
    rendered.clear()
    store_beside(vault / "docs").close()  # an open file outlives its folder
    shutil.rmtree(vault / ".cache")
    monkeypatch.setattr("vaultkit.doors.helpers.can_fork", lambda: hasattr(os, "fork"))
    monkeypatch.setattr("vaultkit.doors.helpers.count_cores", lambda: 3)
    monkeypatch.setattr("vaultkit.doors.helpers._ITEMS_OF_HELPER", 1)
    monkeypatch.setattr("vaultkit.doors.render_cache._MISSES_BEFORE_HELPERS", 1)
    helped = build_site(vault / "docs", vault / "helped", strict=True)
    # Only the page with a warning. The helper cannot draw the diagram, either: what draws it has
    # threads, and this process has started it.
    assert len(rendered) == (1 if hasattr(os, "fork") else 4)
    assert files_below(vault / "helped") == files_below(vault / "alone")
    assert helped == alone
    assert any("Tern.md" in message for message in helped)
