"""The extension in a site that MkDocs builds, without any plugin of ours."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from click.testing import CliRunner
from mkdocs.__main__ import cli

pytestmark = pytest.mark.usefixtures("same_parts")

CONFIG = """\
site_name: Test
use_directory_urls: {directories}
theme: material
plugins: [search]
validation: {{anchors: warn, unrecognized_links: warn}}
markdown_extensions:
  - tables
  - footnotes
  - md_in_html
  - pymdownx.arithmatex: {{generic: true}}
  - pymdownx.superfences
  - pymdownx.quotes: {{callouts: true}}
  - toc:
      slugify: !!python/object/apply:pymdownx.slugs.slugify {{kwds: {{case: lower}}}}
      permalink: true
  - vaultkit: {{tags_page: tags.md}}
"""
SVG = '<svg class="vk-figure"><a href="[[Straße#Part two]]"><text>axis</text></a></svg>'


@pytest.fixture
def build(tmp_path: Path) -> Any:
    def call(directories: bool = True, **notes: str) -> tuple[int, str]:
        (tmp_path / "mkdocs.yml").write_text(CONFIG.format(directories=str(directories).lower()))
        for name, text in {"index.md": "", "tags.md": "# Tags\n", **notes}.items():
            file = tmp_path / "docs" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        arguments = ["build", "--strict", "-f", str(tmp_path / "mkdocs.yml")]
        result = CliRunner().invoke(cli, arguments)
        return result.exit_code, result.output

    return call


NOTES = {
    "index.md": "# Home\n\n[[Straße]] [[Straße#Part two]] [[Straße#^fact]]\n\n"
    "[[#Home]] [[#^b]] #Tag\n\nHere ^b\n\n![[f.svg|300]]\n\n![[Straße#Part two]]\n\n"
    "![[sub/Deep one]]\n\n"
    '<p id="raw">raw</p>\n\n[to raw](#raw)\n',
    "sub/Deep one.md": "---\naliases: [Deepest]\n---\n# Deep one\n\n[[index]] ![w](../img/f.svg)\n"
    "[[Deepest#Ünder]] see [raw](../index.md#raw)\n\n## Ünder\n",
    "Straße.md": "# Straße\n\nA fact. ^fact\n\n## Part two\n\nUnique sentence [[Deepest]].\n",
    "img/f.svg": SVG,
}


@pytest.mark.parametrize("directories", [True, False])
def test_a_strict_build_finds_all_links_and_anchors(
    build: Any, tmp_path: Path, directories: bool
) -> None:
    code, output = build(directories, **NOTES)
    assert code == 0, output
    for page in (tmp_path / "site").rglob("*.html"):
        if page.name == "404.html":
            continue
        html = page.read_text(encoding="utf-8")
        article = html[html.index("<article") : html.index("</article>")]
        for href in re.findall(r'<a [^>]*?href="([^":]*)"', article):
            path, _, anchor = href.partition("#")
            file = (page.parent / unquote(path)).resolve() if path else page
            file = file / "index.html" if file.is_dir() else file
            assert file.is_file(), href
            if anchor and not anchor.startswith("tag:"):
                assert f'id="{unquote(anchor)}"' in file.read_text(encoding="utf-8"), href


def test_the_links_of_a_drawing_work_on_the_site(build: Any, tmp_path: Path) -> None:
    code, output = build(**NOTES)
    assert code == 0, output
    deep = (tmp_path / "site/sub/Deep one/index.html").read_text(encoding="utf-8")
    home = (tmp_path / "site/index.html").read_text(encoding="utf-8")
    assert '<a href="../../Stra%C3%9Fe/#part-two"><text>' in deep
    assert '<a href="Stra%C3%9Fe/#part-two"><text>' in home
    assert '<a class="md-tag" href="tags/#tag:tag">#Tag</a>' in home


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("[x](nowhere.md)", "nowhere.md"),
        ("[x](Straße.md#nowhere)", "does not contain an anchor '#nowhere'"),
        ("![[Straße]]\n\n[raw](#gone)", "there is no such anchor on this page"),
    ],
)
def test_a_strict_build_fails_where_a_link_leads_nowhere(
    build: Any, text: str, warning: str
) -> None:
    code, output = build(**{**NOTES, "index.md": text})
    assert code == 1
    assert warning in output


def test_a_strict_build_fails_where_an_embedded_link_leads_nowhere(build: Any) -> None:
    code, output = build(**{**NOTES, "Straße.md": "## Part two\n\n[x](gone.md) ^fact\n"})
    assert code == 1
    assert "'index.md' contains a link 'gone.md'" in output
    assert "'Straße.md' contains a link 'gone.md'" in output


def test_the_search_index_holds_neither_backlinks_nor_axes(build: Any, tmp_path: Path) -> None:
    assert build(**NOTES)[0] == 0
    index = json.loads((tmp_path / "site/search/search_index.json").read_text(encoding="utf-8"))
    texts = {doc["location"]: doc["text"] for doc in index["docs"]}
    assert not any("Linked from" in text or "axis" in text for text in texts.values())
    found = [place for place, text in texts.items() if "Unique sentence" in text]
    # Where it is, and where it is embedded; not where it is quoted.
    assert sorted(found) == ["", "Stra%C3%9Fe/#part-two"]
    page = (tmp_path / "site/sub/Deep one/index.html").read_text(encoding="utf-8")
    assert "Unique sentence" in page
    assert "data-search" not in page


def test_the_table_of_contents_knows_only_the_pages_own_headings(
    build: Any, tmp_path: Path
) -> None:
    assert build(**NOTES)[0] == 0
    html = (tmp_path / "site/index.html").read_text(encoding="utf-8")
    assert "md-nav__link" in html
    assert 'href="#part-two"' not in html
    assert 'href="#linked-from"' not in html
