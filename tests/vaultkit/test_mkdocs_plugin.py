"""The plugin makes a site of any vault, with no more than its name in `mkdocs.yml`."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import pytest
from click.testing import CliRunner
from mkdocs.__main__ import cli
from mkdocs.config.defaults import MkDocsConfig

from tests.vaultkit import hostile
from vaultkit.pipeline.ledger import Check, Ledger
from vaultkit.read.vault import Vault
from vaultkit.site.redirects import redirect_page
from vaultkit.store import store_beside

pytestmark = pytest.mark.usefixtures("same_parts")
SITE = """
site_name: Birds
theme: {name: material, font: false}
plugins: [search, vaultkit]
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def vault(tmp_path: Path, cache: Path) -> Path:
    # Fonts are cut once: it takes seconds.
    (tmp_path / ".cache").symlink_to(cache)
    (tmp_path / "mkdocs.yml").write_text(SITE)
    docs = tmp_path / "docs"
    (docs / "By Sea").mkdir(parents=True)
    (docs / ".obsidian").mkdir()
    (docs / ".obsidian" / "app.json").write_text("{}")
    (docs / "index.md").write_text("# Birds\n\nSee [[Barn Owl]], [[Tern#In flight]] at $x^2$.\n")
    (docs / "Barn Owl.md").write_text(
        "---\naliases: [Tyto alba, owl]\nsummary: It hears mice.\n---\n# Barn Owl\n\nNo [[Tern]].\n"
    )
    (docs / "By Sea" / "Arctic Tern.md").write_text(
        "---\naliases: Tern\n---\n# Arctic Tern\n\n## In flight\n\nUnlike an [[owl]].\n"
    )
    return tmp_path


class Done(NamedTuple):
    returncode: int
    stderr: str


def build(vault: Path, *options: str) -> Done:
    """Build a site in this process, as ``mkdocs build --strict`` does."""
    # Where MkDocs keeps the plugins that want to know of the start.
    dict(MkDocsConfig._schema)["plugins"].plugin_cache.clear()
    arguments = ["build", "--strict", "-f", str(vault / "mkdocs.yml"), *options]
    done = CliRunner().invoke(cli, arguments)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return Done(done.exit_code, done.output)


def build_alone(vault: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Build a site in a new process, as a reader would."""
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", *options],
        cwd=vault,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.long
def test_a_strangers_vault(vault: Path) -> None:
    done = build_alone(vault)
    assert done.returncode == 0, done.stderr
    site = vault / "site"

    index = (site / "index.html").read_text("utf-8")
    assert 'href="barn-owl/"' in index
    assert 'href="by-sea/arctic-tern/#in-flight"' in index
    assert "<math" in index

    owl = (site / "barn-owl" / "index.html").read_text("utf-8")
    assert '<meta name="description" content="It hears mice.">' in owl
    assert "../by-sea/arctic-tern/" in owl
    assert "linked-from" in owl
    assert not (site / "Barn Owl").exists()
    assert not (site / ".obsidian").exists()

    for alias in ("tyto-alba", "owl", "tern"):
        page = (site / alias / "index.html").read_text("utf-8")
        target = "by-sea/arctic-tern" if alias == "tern" else "barn-owl"
        assert f'content="0;url=../{target}/"' in page

    # Every style sheet, script and font that the page names is there.
    for path in re.findall(r'(?:href|src)="(assets/[^"]+)"', index):
        assert (site / path).is_file(), path
    style = next((site / "assets" / "vaultkit").glob("*.css"))
    for name in re.findall(r'url\("([^"]+\.woff2)"\)', style.read_text("utf-8")):
        assert (style.parent / name).is_file()
    # It fetches nothing from elsewhere; licences in its comments name addresses.
    assert not re.search(
        r"""(?:url\(|@import)\s*["']?\s*(?:https?:)?//""", style.read_text("utf-8")
    )


@pytest.mark.long
def test_the_list_of_tags_has_the_addresses_that_its_plugin_writes(vault: Path) -> None:
    settings = vault / "mkdocs.yml"
    settings.write_text(SITE.replace("[search, vaultkit]", "[search, tags, vaultkit]"))
    (vault / "docs" / "Sea.md").write_text("---\ntags: [Sea]\n---\nWords #Sea.\n")
    assert build(vault).returncode == 0
    assert '<h2 id="tag:sea">' in (vault / "site" / "tags" / "index.html").read_text("utf-8")


def test_a_page_shows_what_others_take_for_settings(vault: Path) -> None:
    note = vault / "docs" / "Food.md"
    note.write_text("Author: Somebody\nheard:: mice\n\n## Food {#f}\n")
    assert build(vault).returncode == 0
    page = (vault / "site" / "food" / "index.html").read_text("utf-8")
    assert "Author: Somebody" in page
    assert "heard:: mice" in page
    assert ">Food {#f}<" in page
    settings = vault / "mkdocs.yml"
    settings.write_text(f"{SITE}markdown_extensions: [attr_list]\n")
    assert build(vault).returncode == 0
    page = (vault / "site" / "food" / "index.html").read_text("utf-8")
    assert '<h2 id="f">Food<' in page


@pytest.mark.long
@pytest.mark.parametrize("quiet", [True, False])
def test_a_broken_link_fails_however_quiet(vault: Path, quiet: bool) -> None:
    with (vault / "docs" / "Barn Owl.md").open("a") as note:
        note.write("\nAnd [[Tren]].\n")
    done = build_alone(vault, *(["--quiet"] if quiet else []))
    assert done.returncode == 1
    shown = re.search(r"docs/Barn Owl\.md:9: .*Tren.*Tern", done.stderr)
    assert bool(shown) is not quiet


def test_names_that_differ_in_signs_have_pages_of_their_own(vault: Path) -> None:
    for name in ("C", "C++", "🎉/index", "🎉/$"):
        file = vault / "docs" / f"{name}.md"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"# Of {name}\n\n[[C++]] [[C]] [[$]]\n")
    assert build(vault).returncode == 0
    for place, name in (("c", "C"), ("c-2", "C++"), ("note", "🎉/index"), ("note/note", "🎉/$")):
        page = (vault / "site" / place / "index.html").read_text("utf-8")
        assert f">Of {name}<" in page
    assert 'href="../../c-2/">C++<' in page
    assert 'href="../../c/">C<' in page


def test_an_alias_gives_way_to_a_note(vault: Path) -> None:
    (vault / "docs" / "Owl.md").write_text("# Owl\n\nA family.\n")
    assert "its alias 'owl' also names Owl.md" in build(vault).stderr
    assert "A family." in (vault / "site" / "owl" / "index.html").read_text("utf-8")


def test_own_settings_come_first(vault: Path) -> None:
    with (vault / "mkdocs.yml").open("a") as settings:
        settings.write(
            "markdown_extensions:\n  - toc: {permalink: false}\nuse_directory_urls: false\n"
        )
    assert build(vault).returncode == 0
    owl = (vault / "site" / "by-sea" / "arctic-tern.html").read_text("utf-8")
    assert "headerlink" not in owl
    assert 'href="../barn-owl.html"' in owl
    assert "url=barn-owl.html" in (vault / "site" / "owl.html").read_text("utf-8")


def test_scripts_are_named_after_what_they_hold(vault: Path) -> None:
    """All of a folder at once: a script that has not changed may load one that has."""
    settings = SITE.replace("vaultkit]", "{vaultkit: {named_by_content: [js, css]}}]")
    settings += (
        "extra_css: [css/one.css]\nextra_javascript: [js/one.js, {path: js/two.js, defer: true}]\n"
    )
    (vault / "mkdocs.yml").write_text(settings)
    for name in ("js/one.js", "js/two.js", "js/inner.js", "css/one.css"):
        path = vault / "docs" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("/* */")
    done = build(vault)
    assert done.returncode == 0, done.stderr
    [inner] = (vault / "site").rglob("inner.js")
    one, two = (inner.with_name(name).relative_to(vault / "site") for name in ("one.js", "two.js"))
    page = (vault / "site" / "barn-owl" / "index.html").read_text("utf-8")
    assert f"../{one.as_posix()}" in page
    assert f'src="../{two.as_posix()}"' in page
    assert (inner.parents[1] / "css" / "one.css").is_file()
    assert not (vault / "site" / "js").exists()
    (vault / "docs" / "js" / "inner.js").write_text("/* other */")
    assert build(vault).returncode == 0
    assert one.as_posix() not in (vault / "site" / "barn-owl" / "index.html").read_text("utf-8")


@pytest.mark.long
def test_a_diagram_becomes_a_drawing(vault: Path) -> None:
    with (vault / "docs" / "Barn Owl.md").open("a") as note:
        note.write("\n```mermaid\nflowchart LR\n  Egg --> Chick\n  B[Tern] --> Gull\n")
        note.write("  class B,Gull internal-link;\n```\n")
    done = build(vault)
    assert done.returncode == 0, done.stderr
    owl = (vault / "site" / "barn-owl" / "index.html").read_text("utf-8")
    assert re.search(r'<figure class="vk-diagram"><svg[^>]*>.*Chick', owl, re.DOTALL)
    assert "mermaid.min.js" not in owl
    drawing = owl[owl.index('<figure class="vk-diagram"') : owl.index("</figure>")]
    (link,) = re.findall(r'<a class="wikilink" xlink:href="(.*?)">(.*?)</a>', drawing, re.DOTALL)
    assert link[0] == "../by-sea/arctic-tern/"
    assert re.sub("<[^>]*>", "", link[1]) == "Tern"

    (vault / "docs" / "Barn Owl.md").write_text("# Barn Owl\n\n```mermaid\nnonsense\n```\n")
    (vault / "docs" / "index.md").write_text("# Birds\n")
    (vault / "docs" / "By Sea" / "Arctic Tern.md").unlink()
    assert build(vault).returncode == 1


def test_a_redirect_needs_no_script_and_escapes_its_words() -> None:
    page = redirect_page("../a note/", 'A "note" <b>')
    assert 'canonical" href="../a%20note/"' in page
    assert "<noscript>" in page
    assert "A &quot;note&quot; &lt;b&gt;" in page


def test_the_site_shows_what_was_checked(vault: Path) -> None:
    notes = Vault(vault / "docs")
    ledger = Ledger(notes)
    for note in notes.notes.values():
        if note.name != "index":
            ledger.record(note, [Check("link", 5, "[[Tern]]", seconds=0.25)])
    with (vault / "docs" / "By Sea" / "Arctic Tern.md").open("a") as tern:
        tern.write("\nIt flies far.\n")
    (vault / "docs" / "Checks.md").write_text("# Checks\n\n<!-- ledger -->\n\nSee [[owl]].\n")
    try:
        done = build(vault)
    finally:
        store_beside(notes.root).forget_others("checks", [])
    assert done.returncode == 0, done.stderr
    site = vault / "site"

    owl = (site / "barn-owl" / "index.html").read_text("utf-8")
    assert '<a href="../checks/#of-barn-owl">1 link proven</a>' in owl
    tern_page = (site / "by-sea" / "arctic-tern" / "index.html").read_text("utf-8")
    assert '"../../checks/#of-by-sea-arctic-tern">Not checked since it was edited' in tern_page
    assert "Not checked on this machine yet" in (site / "index.html").read_text("utf-8")

    checks = (site / "checks" / "index.html").read_text("utf-8")
    assert '<tr id="of-barn-owl" data-note="Barn Owl.md">' in checks
    assert "On 4 notes: 1 hold, 3 notes not checked." in checks
    assert "<!-- ledger -->" not in checks
    script = re.search(r'<script src="\.\./(assets/vaultkit/checks[^"]+)"', checks)
    assert script
    assert (site / script[1]).is_file()

    data = json.loads((site / "checks.json").read_text("utf-8"))
    assert data["Barn Owl.md"][0]["seconds"] == 0.25
    assert data["By Sea/Arctic Tern.md"] is None
    assert "1 hold" in (site / "badge.svg").read_text("utf-8")
    index = found_by_search(vault)
    assert "It hears mice." in index
    assert not re.search("checked since|1 link proven|1 hold", index)


def found_by_search(vault: Path) -> str:
    (index,) = (vault / "site" / "assets" / "vaultkit").glob("search.*.json")
    return index.read_text("utf-8")


def cell(kind: str, source: str, outputs: list[Any] | None = None, **metadata: Any) -> Any:
    code = {"execution_count": None, "outputs": outputs or []} if kind == "code" else {}
    lines = source.splitlines(keepends=True)
    return {"cell_type": kind, "id": kind, "metadata": metadata, "source": lines, **code}


@pytest.mark.long
def test_a_notebook_looks_like_a_note(vault: Path) -> None:
    data = {"text/plain": "array([2.5])"}
    outputs = [
        {"name": "stdout", "output_type": "stream", "text": "<b> & 1\n"},
        {"output_type": "execute_result", "data": data, "execution_count": 1, "metadata": {}},
    ]
    error = {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": ["x"]}
    drawn = {"output_type": "display_data", "metadata": {}, "data": {"image/png": "iVBO", **data}}
    cells = [
        cell(
            "markdown",
            "# Field Book\n\nOf [an owl](Barn%20Owl.md), $a < b$.\n\n> [!tip] Look\n> up",
        ),
        cell("markdown", "## Day $\\alpha_1$"),
        cell("code", "print('<b> & 1')\n2.5 > 1", outputs),
        cell("code", "fail()", [error], tags=["raises-exception"]),
        cell("code", "draw()", [drawn]),
        cell("code", ""),
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (vault / "docs" / "Field Book.ipynb").write_text(json.dumps(notebook, indent=1))
    with (vault / "docs" / "Barn Owl.md").open("a") as owl:
        owl.write("\nSeen in [[Field Book]].\n")
    settings = (vault / "mkdocs.yml").read_text()
    jupyter = "mkdocs-jupyter: {ignore: ['*.md']}"
    (vault / "mkdocs.yml").write_text(settings.replace("vaultkit]", f"vaultkit, {jupyter}]"))
    done = build_alone(vault)
    assert done.returncode == 0, done.stderr

    page = (vault / "site" / "field-book" / "index.html").read_text("utf-8")
    article = page[page.index("<article") : page.index("</article>")]
    assert '<a data-check="link-0" href="../barn-owl/">an owl</a>' in article
    assert "<mo>&lt;</mo>" in article
    assert 'class="admonition tip"' in article
    assert '<h2 id="day-alpha_1">' in article
    assert "&lt;b&gt; &amp; 1\narray([2.5])\n</code>" in article
    assert "raises highlight" in article
    assert "ValueError: no" in article
    assert '<img alt="array([2.5])" src="data:image/png;base64,iVBO"' in article
    assert "Linked from" in article
    assert '<a href="#day-alpha_1" class="md-nav__link">' in page
    owl_page = (vault / "site" / "barn-owl" / "index.html").read_text("utf-8")
    assert 'href="../field-book/"' in owl_page

    # As light as a note, and nothing of JupyterLab.
    assert len(page) < 2 * len(owl_page)
    assert not re.search(r"jp-|mathjax|cdn|<style", page, re.IGNORECASE)
    notes = {note[0]: note for note in json.loads(found_by_search(vault))["notes"]}
    assert "day-alpha_1" in [section[0] for section in notes["field-book/"][7]]
    # What another page says where it links to a note is searched, too.
    assert "an owl" in notes["barn-owl/"][8]


@pytest.mark.long
def test_a_site_is_built_of_the_other_notes(vault: Path) -> None:
    docs = vault / "docs"
    # Each of these would end the build of MkDocs by itself.
    for name in ("utf16.md", "latin.md", "laughs.md", "quotes.md", "text.ipynb"):
        (docs / name).write_bytes(hostile.WRONG[name][0])
    (docs / "fractions.md").write_text(hostile.FORMULAS["fractions.md"])
    hostile.write_files(docs)
    (docs / "zero.bin").symlink_to("/dev/zero")
    settings = (vault / "mkdocs.yml").read_text()
    jupyter = "mkdocs-jupyter: {ignore: ['*.md']}"
    (vault / "mkdocs.yml").write_text(settings.replace("vaultkit]", f"vaultkit, {jupyter}]"))
    done = build_alone(vault)
    assert done.returncode == 1
    assert 'href="barn-owl/"' in (vault / "site" / "index.html").read_text("utf-8")
    for name in ("utf16", "latin", "quotes", "text", "fifo", "device", "itself"):
        assert f"docs/{name}." in done.stderr
        page = (vault / "site" / name / "index.html").read_text("utf-8")
        assert "This note cannot be shown" in page
    assert "math-error" in (vault / "site" / "fractions" / "index.html").read_text("utf-8")
    assert not (vault / "site" / "zero.bin").exists()


def test_a_note_that_fails_fails_the_build_and_shows_the_public_no_count(vault: Path) -> None:
    notes = Vault(vault / "docs")
    ledger = Ledger(notes)
    for note in notes.notes.values():
        fault = Check("equation", 5, "x = 1", "fails", "$x = 1$ does not hold")
        ledger.record(note, [Check("block", 3, "Run"), fault])
    try:
        done = build(vault)
        assert "Barn Owl.md:5: $x = 1$ does not hold" in done.stderr
        assert done.returncode == 1
        assert build(vault, "--no-strict").returncode == 0
    finally:
        store_beside(notes.root).forget_others("checks", [])
    owl = (vault / "site" / "barn-owl" / "index.html").read_text("utf-8")
    assert "Not all checks passed" in owl
    assert "1 check" not in owl
    assert json.loads((vault / "site" / "checks.json").read_text("utf-8"))["Barn Owl.md"] is None


def test_a_page_says_where_it_is_and_where_it_is_edited(vault: Path) -> None:
    with (vault / "mkdocs.yml").open("a") as settings:
        settings.write(
            "nav: [index.md, Road: [Barn Owl.md, By Sea/Arctic Tern.md], Rest: [Rest.md]]\n"
            "repo_url: https://example.org/birds\n"
            "edit_uri: https://example.org/birds/edit/main/docs/\n"
        )
    text = (vault / "mkdocs.yml").read_text()
    (vault / "mkdocs.yml").write_text(
        text.replace("[search, vaultkit]", "[search, vaultkit: {off_the_road: [Rest]}]")
    )
    (vault / "docs" / "Rest.md").write_text("# Rest\n\nSee [[owl]].\n")
    done = build(vault)
    assert done.returncode == 0, done.stderr

    def read(name: str) -> str:
        return (vault / "site" / name / "index.html").read_text("utf-8")

    owl = read("barn-owl")
    assert '<a href="../map/">Step 1 of 2</a></span> <span>1 minute</span></nav>' in owl
    # It links to the tern, which comes later.
    assert "Builds on" not in owl
    assert 'Next: <a href="../by-sea/arctic-tern/">Arctic Tern</a></span>' in owl
    tern = read("by-sea/arctic-tern")
    assert '<span>Builds on <a href="../../barn-owl/">Barn Owl</a></span>' in tern
    assert "Next:" not in tern
    assert "vk-here" not in read("rest")
    # And its host is not asked for anything.
    assert 'href="https://example.org/birds/edit/main/docs/Barn%20Owl.md"' in owl
    assert 'data-md-component="source"' not in owl


def test_a_page_of_a_shorter_road_names_its_step_and_both_ways_on(vault: Path) -> None:
    with (vault / "mkdocs.yml").open("a") as settings:
        settings.write(
            "nav: [index.md, Road: [Barn Owl.md, By Sea/Arctic Tern.md], Beside: [Nest.md]]\n"
        )
    text = (vault / "mkdocs.yml").read_text()
    roads = "{side_roads: [Beside], roads: {In an hour: [index.md, Barn Owl.md]}}"
    text = text.replace("[search, vaultkit]", f"[search, vaultkit: {roads}]")
    (vault / "mkdocs.yml").write_text(text)
    (vault / "docs" / "Nest.md").write_text("# Nest\n\nSee [[owl]].\n")
    with (vault / "docs" / "Barn Owl.md").open("a") as owl_note:
        owl_note.write("\nIt has a [[Nest]].\n")
    with (vault / "docs" / "index.md").open("a") as front:
        front.write("\n<!-- cards -->\n")
    done = build(vault)
    assert done.returncode == 0, done.stderr

    def read(name: str) -> str:
        return (vault / "site" / name / "index.html").read_text("utf-8")

    home = read(".")
    assert ">In an hour: step 1 of 2</a>" in home
    assert home.count('class="vk-card"') == 2
    assert home.count('<strong aria-current="page">') == 1
    owl = read("barn-owl")
    assert ">In an hour: step 2 of 2</a>" in owl
    tern = '<a href="../by-sea/arctic-tern/">Arctic Tern</a>'
    assert f"<span>On the whole road: {tern}</span>" in owl
    assert ">Step 3 of 3</a>" in read("by-sea/arctic-tern")
    nest = read("nest")
    assert ">Side road</a>" in nest
    assert '<span>From <a href="../barn-owl/">Barn Owl</a></span>' in nest


def test_machines_can_read_what_there_is(vault: Path) -> None:
    done = build(vault)
    assert done.returncode == 0, done.stderr
    site = vault / "site"
    assert (site / "barn-owl.md").read_text("utf-8") == (vault / "docs/Barn Owl.md").read_text()
    assert (site / "index.md").is_file()
    listed = (site / "llms.txt").read_text("utf-8")
    assert listed.startswith("# Birds\n")
    assert "- [Barn Owl](barn-owl.md): It hears mice.\n" in listed
    assert "- [Arctic Tern](by-sea/arctic-tern.md)\n" in listed
    owl = (site / "barn-owl" / "index.html").read_text("utf-8")
    assert '<meta property="og:description" content="It hears mice.">' in owl
    assert 'href="../barn-owl.md">Markdown</a>' in owl
    # Nobody said where the site will be.
    assert not re.search('rel="canonical"|og:image|og:url|http://127', owl)

    with (vault / "mkdocs.yml").open("a") as settings:
        settings.write("site_url: https://birds.example/sub/\n")
    assert build(vault).returncode == 0
    owl = (site / "barn-owl" / "index.html").read_text("utf-8")
    assert '<link rel="canonical" href="https://birds.example/sub/barn-owl/">' in owl
    picture = re.search(r'og:image" content="https://birds.example/sub/([^"]+)"', owl)
    assert picture
    assert (site / picture[1]).read_bytes().startswith(b"\x89PNG")
    found = re.search(r'<script type="application/ld\+json">(.*?)</script>', owl)
    assert found
    about = json.loads(found[1])
    assert about["name"] == "Barn Owl"
    assert about["url"] == "https://birds.example/sub/barn-owl/"
    assert "https://birds.example/sub/barn-owl.md" in (site / "llms.txt").read_text("utf-8")


def test_a_page_that_the_navigation_leaves_out_has_its_markdown_too(vault: Path) -> None:
    with (vault / "mkdocs.yml").open("a") as settings:
        settings.write("nav: [index.md]\n")
    done = build(vault)
    assert done.returncode == 0, done.stderr
    owl = (vault / "site" / "barn-owl" / "index.html").read_text("utf-8")
    assert 'href="../barn-owl.md">Markdown</a>' in owl
    assert (vault / "site" / "barn-owl.md").is_file()


def test_the_markdown_of_a_page_is_where_its_link_leads(vault: Path) -> None:
    (vault / "docs" / "Épervier.md").write_text("# Épervier\n\nIt hunts.\n")
    assert build(vault).returncode == 0
    page = (vault / "site" / "épervier" / "index.html").read_text("utf-8")
    href = re.search(r'href="([^"]+\.md)"', page)
    assert href
    file = vault / "site" / "épervier" / unquote(href[1])
    assert file.read_text("utf-8") == "# Épervier\n\nIt hunts.\n"


def test_pages_that_nobody_has_ordered_are_as_in_obsidian(vault: Path) -> None:
    docs = vault / "docs"
    (docs / "index.md").unlink()
    (docs / "Home.md").write_text("Welcome to [[2 Sea]].\n")
    for name in ("10 Sky", "2 Sea", "1 Earth", "By Sea/11 b", "By Sea/9 a"):
        (docs / f"{name}.md").write_text(f"See [[Home|the beginning]] of {name}.\n")
    done = build(vault)
    assert done.returncode == 0, done.stderr
    site = vault / "site"
    front = (site / "index.html").read_text("utf-8")
    # The way in is the front page itself, and there is no other page of it.
    assert "Welcome to" in front
    assert "transclusion" not in front
    assert not (site / "home").exists()
    assert "<h1>Birds</h1>" in front
    assert "<title>Birds</title>" in front
    listed = [line.rpartition("(")[0] for line in (site / "llms.txt").read_text().split("\n")]
    names = [line.strip("-[] ") for line in listed if line.startswith("- ")]
    assert names == ["Home", "1 Earth", "2 Sea", "10 Sky", "Barn Owl", "9 a", "11 b", "Arctic Tern"]
    assert 'href="../">the beginning' in (site / "2-sea" / "index.html").read_text("utf-8")


@pytest.mark.long
def test_a_page_of_a_large_folder_lists_only_the_pages_beside_it(vault: Path) -> None:
    for number in range(130):
        (vault / "docs" / f"Gull {number:03}.md").write_text("A gull.\n")
    assert build(vault).returncode == 0
    for number, first, last in ((0, 0, 97), (60, 10, 109), (129, 30, 129)):
        page = (vault / "site" / f"gull-{number:03}" / "index.html").read_text()
        navigation = page[page.index('<nav class="md-nav md-nav--primary') : page.index("<article")]
        found = {int(name) for name in re.findall(r"Gull (\d+)", navigation)}
        assert found == set(range(first, last + 1)), number
        assert "By Sea" in navigation
