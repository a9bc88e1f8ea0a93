"""Zensical and MkDocs make the same pages of all notes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Comment, Tag
from visitor import CHECKED, ROOT

#: Parts of the article that the theme adds.
FURNITURE = "nav.md-tags, nav.md-path, a#__skip, .md-content__button, .md-source-file"
#: The page on which the theme lists the tags.
LISTS = Path("tags/index.html")


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Copy the vault, so that no check changes its results between both builds; check one note."""
    for name in ("docs", "snippets"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ("mkdocs.yml", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    assert _vaultkit(tmp_path, "check", "docs", "--note", CHECKED).returncode == 0
    return tmp_path


def _vaultkit(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "vaultkit", *command],
        cwd=folder,
        env={**os.environ, "SITE_URL": "https://example.com/vault/"},
        capture_output=True,
        text=True,
        check=False,
    )


def soup(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def tree(element: Tag) -> Iterator[str]:
    """Write an element as lines, one for each element and text in it."""
    for child in element.descendants:
        depth = "." * len(list(child.parents))
        if isinstance(child, Tag):
            yield f"{depth}{child.name} {sorted(child.attrs.items())}"
        elif not isinstance(child, Comment):
            words = str(child) if child.find_parent("pre") else " ".join(child.split())
            if words:
                yield f"{depth}{words!r}"


def article(page: BeautifulSoup) -> list[str]:
    found = page.article
    assert found
    for element in found.select(FURNITURE):
        element.decompose()
    return list(tree(found))


def links(page: BeautifulSoup, where: str) -> list[tuple[str, str]]:
    return [(str(a["href"]), " ".join(a.text.split())) for a in page.select(where)]


def said(page: BeautifulSoup) -> list[object]:
    """Return what the head says to search engines and to previews on other sites."""
    listed = page.select("meta[property], meta[name=description]")
    properties = {str(meta.get("property", "description")): meta["content"] for meta in listed}
    address = [link["href"] for link in page.select("link[rel=canonical]")]
    return [properties, address, words(page, "script[type='application/ld+json']")]


def words(page: BeautifulSoup, where: str) -> list[str]:
    return [" ".join(element.text.split()) for element in page.select(where)]


@pytest.mark.long
@pytest.mark.skipif(find_spec("zensical") is None, reason="Zensical is not installed")
def test_zensical_and_mkdocs_make_the_same_pages(vault: Path) -> None:
    for name, options in (("mkdocs", []), ("zensical", ["--zensical"])):
        done = _vaultkit(vault, "build", "docs", "--strict", "-d", name, *options)
        assert done.returncode == 0, done.stderr
    pages = [
        path.relative_to(vault / "mkdocs") for path in (vault / "mkdocs").rglob("*/index.html")
    ]
    assert len(pages) > 200
    for path in (Path("index.html"), *pages):
        one, other = (soup(vault / host / path) for host in ("mkdocs", "zensical"))
        if not one.article:  # it leads from an alias to its note
            assert one == other, path
            continue
        if path != LISTS:
            assert article(one) == article(other), path
        headings = ".md-sidebar--secondary [data-md-component=toc] a"
        assert links(one, headings) == links(other, headings), path
        assert said(one) == said(other), path
        assert words(one, "title") == words(other, "title"), path
        assert words(one, ".md-nav--primary a") == words(other, ".md-nav--primary a"), path
