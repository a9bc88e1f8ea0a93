"""A note or heading gets another name, and all that called the old one calls the new one."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from vaultkit.doors.command_line import main
from vaultkit.edit.rename import RenameError, rename_heading, rename_note
from vaultkit.edit.text import text_with_edits
from vaultkit.read.vault import Vault

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg"><a href="[[Owl]]" role="link" aria-label="Owl">'
    "<text>Owl</text></a><a href='[[Owl#By &amp; by]]'/><a href=\"[[Tern]]\"/></svg>\n"
)
OWL = """\
---
aliases: [Night bird]
---

# Owl

Itself: [[Owl#By & by]], [[#By & by|words]]. ^first

## By & by

### Deep

See [[Tern]].
"""
TERN = """\
# Tern

[[Owl]], [[owl|an owl]], [[birds/Owl#By & by]], [[Owl.md]], [[Night bird]], ![[Owl#^first]],
[Owl](birds/Owl.md), [x](birds/Owl.md#by--by), [[Owl#By & by#Deep]], [[Owl#Deep|Owl]], `[[Owl]]`.

| a | b |
|---|---|
| [[Owl\\|O]] | $[[Owl]]$ |

![An owl.](figure.svg)

```python
"[[Owl]]"
```
"""
CONFIG = """\
site_name: Owl
nav:
  - Tern.md
  - Owl: birds/Owl.md   # a bird
  - Night: 'birds/Owl.md'
plugins:
  - vaultkit:
      meanings: [birds/Owl.md]
  - odd: !ENV [OWL, "x"]
"""


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "birds").mkdir(parents=True)
    (folder / "birds" / "Owl.md").write_text(OWL)
    (folder / "Tern.md").write_bytes(b"\xef\xbb\xbf" + TERN.replace("\n", "\r\n").encode())
    (folder / "figure.svg").write_text(SVG)
    (tmp_path / "mkdocs.yml").write_text(CONFIG)
    (tmp_path / "draw.py").write_text('link("Owl#By")\nlink("Tern")\n')
    return folder


def run(*arguments: str | Path) -> tuple[int, str]:
    done = CliRunner().invoke(main, [*map(str, arguments)], catch_exceptions=False)
    return done.exit_code, done.output


def test_a_note_is_renamed_with_all_that_calls_it(vault: Path) -> None:
    code, message = run("rename", "Owl", "Eagle owl", "--vault", vault)
    assert code == 0, message
    assert not (vault / "birds" / "Owl.md").exists()
    owl = (vault / "birds" / "Eagle owl.md").read_text()
    assert owl == OWL.replace("# Owl\n", "# Eagle owl\n").replace("[[Owl#", "[[Eagle owl#")
    raw = (vault / "Tern.md").read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf# Tern\r\n")
    tern = raw.decode("utf-8-sig").replace("\r\n", "\n").split("\n")
    assert tern[2] == (
        "[[Eagle owl]], [[Eagle owl|an owl]], [[birds/Eagle owl#By & by]], [[Eagle owl.md]], "
        "[[Night bird]], ![[Eagle owl#^first]],"
    )
    assert tern[3] == (
        "[Owl](birds/Eagle%20owl.md), [x](birds/Eagle%20owl.md#by--by), "
        "[[Eagle owl#By & by#Deep]], [[Eagle owl#Deep|Owl]], `[[Owl]]`."
    )
    assert tern[7] == "| [[Eagle owl\\|O]] | $[[Owl]]$ |"
    assert '"[[Owl]]"' in tern
    svg = (vault / "figure.svg").read_text()
    assert '<a href="[[Eagle owl]]" role="link" aria-label="Eagle owl">' in svg
    assert "href='[[Eagle owl#By &amp; by]]'" in svg
    assert "<text>Owl</text>" in svg
    config = (vault.parent / "mkdocs.yml").read_text()
    assert config == CONFIG.replace("- Owl: birds", "- Eagle owl: birds").replace(
        "birds/Owl.md", "birds/Eagle owl.md"
    )
    assert "draw.py:1" in message
    assert broken(vault) == []


def test_what_obsidian_has_renamed_itself_is_fixed(vault: Path) -> None:
    (vault / "birds" / "Owl.md").rename(vault / "birds" / "Eagle owl.md")
    code, message = run("rename", "Owl", "Eagle owl", "--vault", vault)
    assert code == 0, message
    assert broken(vault) == []
    assert "birds/Owl.md" not in (vault.parent / "mkdocs.yml").read_text()
    # Once more, there is nothing to do.
    assert "0 places" in run("rename", "Owl", "Eagle owl", "--vault", vault)[1]


def test_a_heading_is_renamed_with_all_links_to_it(vault: Path) -> None:
    code, message = run("rename", "Owl#By & by", "By night: a # of them", "--vault", vault)
    assert code == 0, message
    owl = (vault / "birds" / "Owl.md").read_text()
    assert "\n## By night: a # of them\n" in owl
    assert "[[Owl#By night a of them]], [[#By night a of them|words]]" in owl
    tern = (vault / "Tern.md").read_text("utf-8-sig")
    assert "[[birds/Owl#By night a of them]]" in tern
    assert "[x](birds/Owl.md#by-night-a--of-them)" in tern
    assert "[[Owl#By night a of them#Deep]], [[Owl#Deep|Owl]]" in tern
    assert "[[Owl#By night a of them]]" in (vault / "figure.svg").read_text()
    assert broken(vault) == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Owl", "Tern", "'Tern' is taken: Tern.md"),
        ("Owl", "a/b", "'a/b' cannot be the name of a note"),
        ("Owl", " ", "'' cannot be the name of a note"),
        ("Kite", "Hawk", "there is no note 'Kite', and 0 called 'Hawk'"),
        ("Owl#Deep", "By & by", "'Owl' has a heading 'By & by' already"),
        ("Owl#Deep", "##", "'##' cannot be used as a heading"),
        ("Owl#Nothing", "Else", "'Owl' has no heading 'Nothing'"),
    ],
)
def test_a_name_that_cannot_be_is_refused(vault: Path, old: str, new: str, message: str) -> None:
    before = {path: path.read_bytes() for path in vault.rglob("*.*")}
    code, output = run("rename", old, new, "--vault", vault)
    assert (code, message in output) == (2, True), output
    assert {path: path.read_bytes() for path in vault.rglob("*.*")} == before


def test_only_the_case_of_a_name_may_change(vault: Path) -> None:
    assert run("rename", "Owl", "OWL", "--vault", vault)[0] == 0
    assert {path.name for path in (vault / "birds").iterdir()} == {"OWL.md"}
    assert "[[OWL]], [[OWL|an owl]]" in (vault / "Tern.md").read_text("utf-8-sig")


def broken(vault: Path) -> list[str]:
    found = Vault(vault)
    wrong = []
    for note in found.notes.values():
        for link in (*note.links, *found.links_in_drawings(note)):
            try:
                found.resolve(link, note)
            except LookupError as error:
                wrong.append(str(error))
    return wrong


@settings(max_examples=settings().max_examples * 3 // 5, deadline=None)
@given(st.text(st.sampled_from("ab #[]|^:%&é"), min_size=1, max_size=8))
def test_links_lead_to_the_heading_whatever_its_words(words: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "Owl.md").write_text("# Owl\n\n## Old\n\n[[#Old]]\n")
        (folder / "Tern.md").write_text("[[Owl#Old]] and [x](Owl.md#old)\n")
        vault = Vault(folder)
        owl = vault.notes[vault.root / "Owl.md"]
        try:
            changes = rename_heading(vault, owl, owl.headings[1], words)
        except RenameError:
            return
        for path, edits in changes.edits.items():
            path.write_text(text_with_edits(path.read_text(), edits))
        assert broken(folder) == []


def test_a_note_of_the_vault_can_be_named_by_its_path(vault: Path) -> None:
    found = Vault(vault)
    changes = rename_note(found, found.root / "Tern.md", "Gull")
    assert changes.moved == (found.root / "Tern.md", found.root / "Gull.md")
    assert changes.count == len([edit for edits in changes.edits.values() for edit in edits])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '---\nold_headings:\n  - "[[#New|Old word]]"\n---\n\n'),
        ("---\ntags: x\n---\n", '---\ntags: x\nold_headings:\n  - "[[#New|Old word]]"\n---\n'),
        (
            "---\nold_headings:\n- '[[#Old word|First]]'\ntags: x\n---\n",
            "---\nold_headings:\n- \"[[#New|Old word]]\"\n- '[[#New|First]]'\ntags: x\n---\n",
        ),
        (
            "---\nold_headings: ['[[B|A]]']\n---\n",
            "---\nold_headings: ['[[B|A]]', \"[[#New|Old word]]\"]\n---\n",
        ),
    ],
)
def test_a_redirect_keeps_the_address_of_a_heading(tmp_path: Path, before: str, after: str) -> None:
    note = tmp_path / "Owl.md"
    note.write_text(f"{before}# Owl\n\n## Old word\n", encoding="utf-8")
    arguments = ["rename", "Owl#Old word", "New", "--vault", str(tmp_path), "--redirect"]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    assert note.read_text(encoding="utf-8") == f"{after}# Owl\n\n## New\n"


def test_a_redirect_keeps_the_address_of_a_note(vault: Path) -> None:
    arguments = ["rename", "Owl", "Tawny owl", "--vault", str(vault), "--redirect"]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    renamed = next(vault.rglob("Tawny owl.md"))
    assert 'aliases: [Night bird, "Owl"]\n' in renamed.read_text(encoding="utf-8")


def test_a_redirect_needs_a_list(tmp_path: Path) -> None:
    (tmp_path / "Owl.md").write_text("---\naliases: Bird\n---\n# Owl\n", encoding="utf-8")
    arguments = ["rename", "Owl", "Tern", "--vault", str(tmp_path), "--redirect"]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code != 0
    assert "aliases of 'Owl' is not a list with an item" in done.output
