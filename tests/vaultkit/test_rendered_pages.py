"""Pages that were rendered before are the same as if they were rendered again."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from vaultkit.doors.rendered_pages import RenderedPages
from vaultkit.doors.site_builder import build_site

SITE = "site_name: Birds\ntheme: {name: material, font: false}\nplugins: [search, vaultkit]\n"
OWL = "---\naliases: [Tyto alba]\n---\n# Barn Owl\n\nUnlike a [[Tern]], it hears mice.\n"
TERN = "---\naliases: [Sea swallow]\n---\n# Tern\n\n## In flight\n\nIt flies far. ^far\n"
FRONT = """# Birds

See [[Barn Owl]], [[Tern#In flight]], [[Heron]], [a page](Tern.md#in-flight) at $x^2$.

![[Tern#In flight]]

![[wing.svg]]

The sea swallow is quick.
"""
WING = (
    '<svg xmlns="http://www.w3.org/2000/svg" class="vk-figure"><a href="[[Tern]]"><g/></a></svg>\n'
)

Edit = Callable[[Path], object]


def replaced(name: str, old: str, new: str) -> Edit:
    def edit(docs: Path) -> None:
        text = (docs / name).read_text("utf-8")
        assert old in text
        (docs / name).write_text(text.replace(old, new), "utf-8")

    return edit


#: What is edited, and how many of the four pages must be rendered again.
EDITS: dict[str, tuple[Edit, int]] = {
    "nothing": (lambda _: None, 0),
    "words of a page": (replaced("Barn Owl.md", "mice", "voles"), 2),
    "words that another page shows": (
        replaced("Tern.md", "flies far", "flies to the other pole"),
        2,
    ),
    "words that another page quotes": (replaced("Barn Owl.md", "Unlike a", "As no"), 2),
    "a drawing": (replaced("wing.svg", "<g/>", "<path/>"), 4),
    "a heading that others link to": (replaced("Tern.md", "## In", "## Out of"), 4),
    "an alias that another page names": (replaced("Tern.md", "Sea swallow", "Kip"), 4),
    "a note that a link waits for": (lambda d: (d / "Heron.md").write_text("# Heron\n"), 5),
    "a note that is gone": (lambda d: (d / "Tern.md").unlink(), 3),
    "a note in another place": (lambda d: (d / "Tern.md").rename(d / "Sea" / "Tern.md"), 4),
    "a note that is no longer public": (
        replaced("Tern.md", "---\naliases", "---\npublish: false\naliases"),
        3,
    ),
    "a setting of the vault": (
        lambda d: (d / "vaultkit.toml").write_text('unwritten = "mark"\n'),
        4,
    ),
    "a setting of Obsidian": (lambda d: (d / ".obsidian").mkdir(), 4),
    "a setting of the site": (
        lambda d: (d.parent / "mkdocs.yml").write_text(f"{SITE}use_directory_urls: false\n"),
        4,
    ),
    "another extension": (
        lambda d: (d.parent / "mkdocs.yml").write_text(f"{SITE}markdown_extensions: [nl2br]\n"),
        4,
    ),
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault whose pages were rendered once."""
    vault = tmp_path_factory.mktemp("built") / "vault"
    docs = vault / "docs"
    (docs / "Sea").mkdir(parents=True)
    (vault / "mkdocs.yml").write_text(SITE)
    (docs / "index.md").write_text(FRONT)
    (docs / "Barn Owl.md").write_text(OWL)
    (docs / "Tern.md").write_text(TERN)
    (docs / "Sea" / "Gull.md").write_text("# Gull\n\nIt cries.\n")
    (docs / "wing.svg").write_text(WING)
    build_site(docs, vault / "site")
    return vault


@pytest.fixture
def vault(built: Path) -> Iterator[Path]:
    """The same vault, in the same place: what is kept names it."""
    aside = built.with_name("aside")
    shutil.copytree(built, aside)
    yield built
    shutil.rmtree(built)
    aside.rename(built)


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The pages that are rendered."""
    found: list[str] = []
    render = RenderedPages.render

    def counted(self, page, note, render_, config, files) -> None:  # type: ignore[no-untyped-def]
        def told(*args: object) -> None:
            found.append(page.file.src_uri)
            render_(*args)

        render(self, page, note, told, config, files)

    monkeypatch.setattr(RenderedPages, "render", counted)
    return found


def files_below(site: Path) -> dict[str, bytes]:
    return {
        path.relative_to(site).as_posix(): path.read_bytes()
        for path in sorted(site.rglob("*"))
        # These hold the time of the build.
        if path.is_file() and not path.name.startswith("sitemap.xml") and path.suffix != ".apkg"
    }


@pytest.mark.parametrize("what", EDITS)
def test_what_is_kept_is_what_would_be_rendered(
    what: str, vault: Path, rendered: list[str]
) -> None:
    edit, again = EDITS[what]
    edit(vault / "docs")
    told_with = build_site(vault / "docs", vault / "with", strict=True)
    assert len(set(rendered)) == len(rendered) == again
    shutil.rmtree(vault / ".cache" / "vaultkit" / "pages")
    told_without = build_site(vault / "docs", vault / "without", strict=True)
    assert files_below(vault / "with") == files_below(vault / "without")
    assert told_with == told_without


def test_what_was_wrong_with_a_page_is_told_each_time(vault: Path) -> None:
    (vault / "docs" / "Tern.md").write_text("# Tern\n\n[words](None.md)\n")
    first = build_site(vault / "docs", vault / "site", strict=True)
    assert any("None.md" in message for message in first)
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
    assert not list((vault / ".cache" / "vaultkit" / "pages").glob("*.json"))


def test_what_is_damaged_is_rendered_again(vault: Path) -> None:
    before = files_below(vault / "site")
    kept = sorted((vault / ".cache" / "vaultkit" / "pages").glob("*.json"))
    assert kept
    for number, file in enumerate(kept):
        file.write_bytes((b"", b"\xff", b"[", b"null")[number % 4])
    logging.getLogger("mkdocs").setLevel(logging.WARNING)
    build_site(vault / "docs", vault / "again")
    assert files_below(vault / "again") == before
