"""What is not for the public appears nowhere: not in any file of the site, packed or not."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from vaultkit.doors.command_line import main

pytestmark = pytest.mark.usefixtures("same_parts")

#: Words that occur only in hidden text.
SECRET = re.compile(r"s3cret|unsaid|uns33n", re.IGNORECASE)
HIDDEN = {
    "Plan s3cret.md": "---\ndraft: true\n---\n",
    "By Name.md": "---\npublish: false\naliases: [Unsaid]\ntags: [unsaid]\n---\n",
    "As Words.md": "---\npublish: 'no'\n---\n",
    "Private/Diary.md": "",
    "Private/Deep/Notes.md": "",
    "Idea.draft.md": "",
}
BODY = (
    "# Of what is s3cret\n\nIt is s3cret: see [[Owl]], [[Owl#Wings]], ![[uns33n.svg]], "
    "![[shared.svg]]. Unsaid $x_{s3cret}$ #s3cret\n\n```python\n's3cret'\n```\n\n"
    "```text\n's3cret'\n```\n\n^unsaid\n\n```mermaid\nflowchart LR\n  s3cret --> A\n```\n"
)
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><title>{}</title></svg>'
OWL = """\
# Owl

It knows [[Plan {x}|the plan]], [[By Name]], [[By Name#A part|part]], [words](Private/Diary.md),
[more](Private/Deep/Notes.md "title"), [[Diary|diary]] and [[Private/Deep/Notes|notes]].

![[Private/Diary]]

![[As Words#Any]]

![[Idea.draft]]

![drawn](Private/uns33n2.svg)

![[shared.svg]]

It is %%s3cret: $x_{s3cret}$ [[By Name]] #s3cret

# Of what is s3cret

uns33n %%said [[Owl|here]] %%s3cret%%, and the rest of it.

%%
s3cret
%% is shown.

## Wings

Two.
"""


def packed(path: Path) -> Iterator[tuple[str, str]]:
    """Return the content of a file, and of all files packed in it."""
    yield str(path), path.name
    data = path.read_bytes()
    if not zipfile.is_zipfile(io.BytesIO(data)):
        yield str(path), data.decode("utf-8", "replace")
        return
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            yield f"{path}:{name}", name
            yield f"{path}:{name}", archive.read(name).decode("utf-8", "replace")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published")
    docs = folder / "docs"
    for name, front in HIDDEN.items():
        path = docs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(front + BODY)
    # The name of the first is secret, too, so that no link of the public can say it.
    (docs / "Owl.md").write_text(OWL.replace("Plan {x}", "Of the plan"))
    (docs / "Plan s3cret.md").write_text(
        "---\ndraft: true\naliases: [Of the plan]\n---\n" + BODY + "\n[[Owl]]\n"
    )
    (docs / "Tern.md").write_text("# Tern\n\nLike an [[Owl]]. See [[Plam secret]].\n")
    (docs / "uns33n.svg").write_text(SVG.format("s3cret"))
    (docs / "shared.svg").write_text(SVG.format("shared"))
    (docs / "Private" / "uns33n2.svg").write_text(SVG.format("s3cret"))
    (docs / "Private" / "table.csv").write_text("s3cret")
    (folder / "vaultkit.toml").write_text('unpublished = ["Private", "*.draft.md"]\n')
    (folder / "mkdocs.yml").write_text(
        "site_name: Birds\nsite_url: https://example.org/\ntheme: {name: material, font: false}\n"
        "plugins: [search, tags, {vaultkit: {pyodide: pyodide/}}]\n"
    )
    for arguments in (["check", str(docs)], ["build", str(docs), "-d", str(folder / "site")]):
        done = CliRunner().invoke(main, arguments, catch_exceptions=False)
        assert "Traceback" not in done.output
    return folder / "site"


def test_it_appears_in_no_file_of_the_site(site: Path) -> None:
    files = [path for path in site.rglob("*") if path.is_file()]
    assert any(path.suffix == ".zip" for path in files)
    assert any(path.name.startswith("search.") for path in files)
    assert {"llms.txt", "checks.json", "Owl.ipynb", "owl.md", "sitemap.xml"} <= {
        path.name for path in files
    }
    # Fonts and pictures are packed otherwise; nobody's words are in them.
    warnings = [
        (where, found[0])
        for path in files
        if path.suffix not in (".woff2", ".png", ".gz")
        for where, text in packed(path)
        if (found := SECRET.search(text))
    ]
    # The Markdown of a note is what its author wrote: it may name a file.
    ours = [
        warnings
        for warnings in warnings
        if not warnings[0].endswith(("owl.md", "Owl.md", "Owl.ipynb"))
    ]
    assert ours == []


def test_what_led_there_is_text(site: Path) -> None:
    owl = (site / "owl" / "index.html").read_text("utf-8")
    article = owl[owl.index("<article") : owl.index("</article>")]
    assert "the plan" in article
    assert "words" in article
    assert not re.search(r'(?:href|src)="[^"]*(?:Private|private|by-name|Diary|plan)', article)
    assert "broken" not in article
    assert "shared" in article  # what a public note shows, too, stays


def test_neither_names_what_comes_near(site: Path) -> None:
    tern = (site / "tern" / "index.html").read_text("utf-8")
    assert "there is no note or file" in tern
    assert "did you mean" not in tern


def test_a_link_to_a_note_not_written_yet_is_shown_as_the_settings_say(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "index.md").write_text("# A\n\n[[Later|words]]\n")
    for how, shown in (
        (
            "mark",
            '<span class="wikilink unwritten" data-check="link-0" title="Not written yet">words<',
        ),
        ("plain", '<p><span data-check="link-0">words</span></p>'),
    ):
        (docs / "vaultkit.toml").write_text(f'unwritten = "{how}"\n')
        arguments = ["build", str(docs), "--strict", "-d", str(tmp_path / how)]
        assert CliRunner().invoke(main, arguments, catch_exceptions=False).exit_code == 0
        assert shown in (tmp_path / how / "index.html").read_text("utf-8")
        assert not (tmp_path / how / "vaultkit.toml").exists()
