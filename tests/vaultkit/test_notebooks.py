"""A note that leaves as a notebook runs there, and says what the note says."""

import io
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.own_vault import VAULT
from vaultkit.checks.check import HOLDS
from vaultkit.pipeline.inspect import Settings
from vaultkit.pipeline.runner import Runner
from vaultkit.read.vault import Vault
from vaultkit.site.notebooks import all_notebooks, note_to_notebook, zip_notebooks

# What only Obsidian and the site show as what it is.
_OWN = re.compile(r"!?\[\[|> \[!|%%|<!-- (?:given|here|not run)|^\?$|\s\^[\w-]+$", re.MULTILINE)
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def words(path: Path) -> str:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")


@pytest.fixture(scope="module")
def packed() -> bytes:
    return zip_notebooks(VAULT, all_notebooks(VAULT))


@pytest.mark.long
def test_every_note_runs_as_a_notebook(
    packed: bytes, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    """Without ``--all``, every fifth note runs."""
    there, notes = tmp_path / "there", list(VAULT.notes.values())
    with zipfile.ZipFile(io.BytesIO(packed)) as archived:
        archived.extractall(there / "docs")
    # In a vault, modules are beside the notes' folder; for Jupyter they are in it.
    (there / "docs" / "snippets").rename(there / "snippets")
    copies = Vault(there / "docs")
    assert len(copies.notes) == len(notes)
    notes = notes[:: 1 if pytestconfig.option.all else 5]
    copied = [copies.notes[copies.root / f"{note.path.stem}.ipynb"] for note in notes]
    runner = Runner(copies, Settings(), None)
    try:
        runner.submit([(copy, None) for copy in copied])
        for note, copy in zip(notes, copied, strict=True):
            assert not copy.problems, copy.problems
            shown = [block.output.text if block.output else "" for block in copy.blocks]
            assert shown == [block.output.text if block.output else "" for block in note.blocks]
            found = [check for check in runner.result(copy).checks if check.kind == "block"]
            assert len(found) == len(note.blocks)
            assert [c for c in found if c.outcome != HOLDS] == [], note.name
            if note.path.suffix == ".md":
                assert not _OWN.findall(_CODE.sub("", words(copy.path))), note.name
    finally:
        runner.close()


def test_links_and_callouts_are_plain_markdown(tmp_path: Path) -> None:
    (tmp_path / "B c.md").write_text("# B c\n\n## A part\n")
    (tmp_path / "a.svg").write_text("<svg/>")
    text = (
        "---\nsummary: none\n---\n\n# A\n\nSee [[B c]], [[B c#A part|there]] and `[[B c]]`. ^id\n\n"
        "![[a.svg]]\n\n> [!note]- Title\n> Text<!-- given: why -->.\n>\n> ```python\n> print(1)\n"
        "> 1 / 0\n> ```\n\n%%hidden%%\n"
    )
    (tmp_path / "A.md").write_text(
        text.replace("```python\n> print", "```python raises=E\n> print")
    )
    vault = Vault(tmp_path)
    [before, code] = json.loads(note_to_notebook(vault.notes[tmp_path / "A.md"], vault))["cells"]
    assert "".join(before["source"]) == (
        "# A\n\nSee [B c](B%20c.ipynb), [there](B%20c.ipynb#A-part) and `[[B c]]`.\n\n"
        "![a](a.svg)\n\n> **Title**\n> Text.\n>"
    )
    assert "".join(code["source"]) == "print(1)\n1 / 0"
    assert code["metadata"] == {"tags": ["raises-exception"]}


def test_links_are_relative_to_the_folder_of_the_notebook(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("a b.md", "sub/d.md"):
        (tmp_path / name).write_text("# Other\n")
    (tmp_path / "p.svg").write_text("<svg/>")
    note = tmp_path / "sub" / "c.md"
    note.write_text("# C\n\n[[a b]], [[d]], [[c]], [[a b#Other|there]] and ![[p.svg]]\n")
    vault = Vault(tmp_path)
    [cell] = json.loads(note_to_notebook(vault.notes[note], vault))["cells"]
    assert "".join(cell["source"]) == (
        "# C\n\n[a b](../a%20b.ipynb), [d](d.ipynb), c, [there](../a%20b.ipynb#Other) and "
        "![p](../p.svg)"
    )


@pytest.mark.long
def test_jupyter_itself_runs_one(packed: bytes, tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(packed)) as archived:
        archived.extractall(tmp_path)
    command = ["nbconvert", "--to", "notebook", "--execute", "--inplace", "Attention Scores.ipynb"]
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    note = VAULT.notes[VAULT.root / "Attention Scores.md"]
    cells = json.loads((tmp_path / "Attention Scores.ipynb").read_text())["cells"]
    outputs = [cell["outputs"] for cell in cells if cell["cell_type"] == "code"]
    assert len(outputs) == len(note.blocks)
    for found, block in zip(outputs, note.blocks, strict=True):
        text = "".join(
            "".join(o.get("text", o.get("data", {}).get("text/plain", ""))) for o in found
        )
        if block.output and "raises" not in block.fence.options:
            assert text.split() == block.output.text.split()
