"""Zensical gets finished pages, which are rendered without MkDocs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from markdown import Markdown
from markdown.preprocessors import Preprocessor
from mkdocs.utils.yaml import yaml_load

from vaultkit.doors.site_settings import read_settings, settings_for
from vaultkit.doors.zensical_site import ZensicalSite, build_with_zensical
from vaultkit.read.options import OptionsError

pytestmark = pytest.mark.usefixtures("same_parts")
SETTINGS = """
site_name: !ENV [NAME_OF_THE_SITE, Birds]
site_url: https://example.com/birds
repo_url: https://example.com/repository
edit_uri: edit/main/docs/
theme: {name: material, font: false}
extra_javascript: [scripts/sing.js]
plugins: [search, tags, {vaultkit: {named_by_content: [scripts]}}, {elsewhere: {}}]
markdown_extensions: [{toc: {permalink: "¶"}}, "pymdownx.emoji"]
nav: [index.md, {By sea: [{Terns: By Sea/Arctic Tern.md}]}, Barn Owl.md]
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def vault(tmp_path: Path, cache: Path) -> Path:
    # Fonts are cut once: it takes seconds.
    (tmp_path / ".cache").symlink_to(cache)
    (tmp_path / "mkdocs.yml").write_text(SETTINGS)
    docs = tmp_path / "docs"
    for name, text in {
        "index.md": "# Birds\n\n[[Barn Owl]], [[Tern#In flight]] at $x^2$.\n\n![A](<a b.svg>)\n",
        "Barn Owl.md": "---\naliases: [owl]\ntags: [night]\nsummary: It & it.\n---\nNo [[Tern]]\n",
        "By Sea/Arctic Tern.md": "---\naliases: Tern\n---\n# Arctic Tern\n\n## In flight\n"
        "\n[[owl]]\n\n```python\nfor _ in ():\n\n\tpass\n```\n",
        "Mine.md": "---\npublish: false\n---\n# Mine\n",
        "a b.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
        "scripts/sing.js": "sing();",
        ".obsidian/app.json": "{}",
    }.items():
        (docs / name).parent.mkdir(parents=True, exist_ok=True)
        (docs / name).write_text(text)
    return tmp_path


def prepared(vault: Path) -> Path:
    ZensicalSite(*settings_for(vault / "docs")).prepare(vault / "out")
    return vault / "out"


def page(path: Path) -> tuple[dict[str, Any], str]:
    _, front, content = path.read_text(encoding="utf-8").split("---\n", 2)
    return yaml.safe_load(front), content


def test_each_page_is_handed_over_at_its_address(vault: Path) -> None:
    docs = prepared(vault) / "docs"
    found = {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")}
    assert found == {
        "index.md",
        "barn-owl/index.md",
        "by-sea/arctic-tern/index.md",
        "map/index.md",
        "tags/index.md",
    }
    _, home = page(docs / "index.md")
    assert 'href="by-sea/arctic-tern/#in-flight"' in home
    assert 'src="a%20b.svg"' in home
    meta, tern = page(docs / "by-sea/arctic-tern/index.md")
    assert 'href="../../barn-owl/"' in tern
    assert meta["title"] == "Terns"
    assert meta["vaultkit_toc"][0]["children"][0]["id"] == "in-flight"
    assert (
        'href="https://example.com/repository/edit/main/docs/By%20Sea/Arctic%20Tern.md"'
        in meta["vaultkit_ways"]
    )
    assert "¶" in tern
    meta, _ = page(docs / "barn-owl/index.md")
    assert (meta["title"], meta["description"]) == ("Barn Owl", "It &amp; it.")
    assert meta["tags"] == ["night"]
    assert "https://example.com/birds/barn-owl/" in meta["vaultkit_head"]


def test_files_beside_the_pages_come_with_them(vault: Path) -> None:
    docs = prepared(vault) / "docs"
    assert 'url=../barn-owl/"' in (docs / "owl" / "index.html").read_text()
    assert (docs / "a b.svg").is_file()
    assert json.loads((docs / "checks.json").read_text()) is not None
    [script] = docs.glob("assets/vaultkit/*/scripts/sing.js")
    config = yaml.safe_load((vault / "out" / "mkdocs.yml").read_text())
    assert config["extra_javascript"][0] == script.relative_to(docs).as_posix()
    assert all((docs / name).is_file() for name in config["extra_javascript"])
    assert all((docs / name).is_file() for name in config["extra_css"])
    assert config["nav"] == [
        "index.md",
        {"By sea": [{"Terns": "by-sea/arctic-tern/index.md"}]},
        "barn-owl/index.md",
    ]
    assert config["plugins"] == ["search", "tags"]


def test_what_is_wrong_is_reported(vault: Path) -> None:
    (vault / "docs" / "Barn Owl.md").write_text("---\naliases: owl\n---\n[[Nothing]]\n")
    site = ZensicalSite(*settings_for(vault / "docs"))
    site.prepare(vault / "out")
    left_out, link = site.problems
    assert left_out.startswith("elsewhere: ")
    assert link.startswith("docs/Barn Owl.md:4: ")


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text there")
def test_files_that_cannot_be_published_are_reported(vault: Path) -> None:
    docs = vault / "docs"
    Path(os.fsdecode(os.fsencode(docs) + b"/caf\xe9.png")).write_bytes(b"")
    (docs / "ascii\\xe9.png").write_bytes(b"")
    (docs / "nothing.png").symlink_to("nowhere.png")
    site = ZensicalSite(*settings_for(docs))
    site.prepare(vault / "out")
    assert site.problems[1:] == [
        "caf\\xe9.png is left out: it cannot be published",
        "nothing.png is left out: it cannot be published",
    ]
    assert [path.name for path in (vault / "out/docs").glob("*.png")] == ["ascii\\xe9.png"]


def test_empty_options_have_their_defaults(vault: Path) -> None:
    empty = "{vaultkit: {named_by_content: , cache_dir: , roads: }}"
    settings = SETTINGS.replace("{vaultkit: {named_by_content: [scripts]}}", empty)
    (vault / "mkdocs.yml").write_text(f"{settings}docs_dir:\n")
    assert (prepared(vault) / "docs/scripts/sing.js").is_file()


def test_a_note_in_which_a_library_fails_does_not_end_the_build(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    convert = Markdown.convert

    def fail(md: Markdown, text: str) -> str:
        if "In flight" in text:
            raise LookupError
        return convert(md, text)

    monkeypatch.setattr(Markdown, "convert", fail)
    _, content = page(prepared(vault) / "docs/by-sea/arctic-tern/index.md")
    assert "This note cannot be shown" in content


def test_a_page_is_handed_over_letter_by_letter() -> None:
    text = "<h1>A</h1>\n<pre>a  \n\n  \n\tb</pre>\n[[x]] `c` {{ d }}"
    toc = [{"level": 1, "id": "a", "name": "A", "html": "A", "data-toc-label": "", "children": []}]

    class Context(Preprocessor):
        page = SimpleNamespace(meta={"vaultkit_toc": toc})

        def run(self, lines: list[str]) -> list[str]:
            return lines

    md: Any = Markdown(extensions=["toc", "pymdownx.superfences", "vaultkit.render.finished"])
    md.preprocessors.register(Context(md), "rendering_context", 0)
    assert md.convert(text) == text
    assert md.toc_tokens == toc


def test_settings_of_the_environment_are_read(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_settings(vault / "mkdocs.yml")["site_name"] == "Birds"
    monkeypatch.setenv("NAME_OF_THE_SITE", "Owls")
    assert read_settings(vault / "mkdocs.yml")["site_name"] == "Owls"


def test_the_environment_is_read_as_mkdocs_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "mkdocs.yml"
    file.write_text(
        "site_name: !ENV [NAME]\ncopyright: !ENV [NONE]\nuse: !ENV USE\nno: !ENV [NONE, NAME, 3]\n"
    )
    monkeypatch.setenv("NAME", "Owls: a list")
    monkeypatch.setenv("USE", "false")
    monkeypatch.delenv("NONE", raising=False)
    settings = read_settings(file)
    assert [*settings.values()] == ["Owls: a list", None, False, "Owls: a list"]


@pytest.mark.parametrize(
    "value", ["[NO, VKB, 5]", "[1, 5]", "[NO, 1, [a, {b: 2024-01-01}]]", "[NO]", "NO", "[VKB, NO]"]
)
@pytest.mark.parametrize("no", [None, "no"])
def test_names_in_the_environment_are_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str, no: str | None
) -> None:
    file = tmp_path / "mkdocs.yml"
    file.write_text(f"site_name: A\nvalue: !ENV {value}\n")
    if no:
        monkeypatch.setenv("NO", no)
    found = read_settings(file)
    with file.open() as stream:
        assert found == yaml_load(stream)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ("nav: []", "site_name"),
        ("site_name: [", "mkdocs.yml"),
        ("INHERIT: other.yml\nsite_name: A", "INHERIT"),
        ("site_name: A\ndate: 2024-13-45", "month"),
        ("site_name: !ENV {A: B}", "mkdocs.yml"),
    ],
)
def test_settings_that_cannot_be_used_are_refused(vault: Path, settings: str, why: str) -> None:
    (vault / "mkdocs.yml").write_text(settings)
    with pytest.raises(OptionsError, match=why):
        settings_for(vault / "docs")


def test_a_bare_folder_has_settings_of_its_own(vault: Path) -> None:
    (vault / "mkdocs.yml").unlink()
    (vault / "docs" / "index.md").unlink()
    out = prepared(vault)
    meta, home = page(out / "docs" / "index.md")
    assert re.search("<h[12]", home)
    assert meta["vaultkit_home"]
    assert yaml.safe_load((out / "mkdocs.yml").read_text())["nav"] == [
        "index.md",
        "barn-owl/index.md",
        {"By Sea": ["by-sea/arctic-tern/index.md"]},
    ]


@pytest.mark.parametrize("where", ["docs", ".", "docs/site"])
def test_a_site_never_replaces_its_notes(
    vault: Path, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vaultkit.doors.zensical_site.find_spec", lambda _: True)
    with pytest.raises(OptionsError, match="neither replace its notes"):
        build_with_zensical(vault / "docs", vault / where)


def test_what_is_missing_is_named(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vaultkit.doors.zensical_site.find_spec", lambda _: None)
    with pytest.raises(OptionsError, match=r"checked-vault\[site,zensical\]"):
        build_with_zensical(vault / "docs", vault / "site")


BARRED = """
import sys

class Bar:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("mkdocs", "material", "mkdocs_jupyter"):
            raise ModuleNotFoundError(f"{name} is barred")

sys.meta_path.insert(0, Bar())
from pathlib import Path
from vaultkit.doors.site_settings import settings_for
from vaultkit.doors.zensical_site import ZensicalSite
ZensicalSite(*settings_for(Path("docs").resolve())).prepare(Path("out"))
"""


@pytest.mark.long
def test_mkdocs_is_not_needed(vault: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BARRED], cwd=vault, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert (vault / "out/docs/barn-owl/index.md").is_file()


@pytest.mark.long
@pytest.mark.skipif(find_spec("zensical") is None, reason="Zensical is not installed")
def test_zensical_builds_it(vault: Path) -> None:
    warnings = build_with_zensical(vault / "docs", vault / "site", strict=True)
    assert warnings == ["elsewhere: Zensical has no such plugin; it is left out"]
    home = (vault / "site/index.html").read_text()
    assert "<title>Birds</title>" in home
    assert 'href="by-sea/arctic-tern/#in-flight"' in home
    assert (vault / "site/barn-owl.md").read_text().startswith("---\naliases")
    assert 'url=../barn-owl/"' in (vault / "site/owl/index.html").read_text()
