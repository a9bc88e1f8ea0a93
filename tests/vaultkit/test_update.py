"""What ``--update`` may touch, byte by byte."""

import json
from pathlib import Path
from typing import Any

import pytest

from vaultkit.checks import mirrors
from vaultkit.checks.check import HOLDS, Fix
from vaultkit.files import ChangedError
from vaultkit.pipeline.inspect import inspect
from vaultkit.pipeline.update import apply_edits
from vaultkit.read.markdown import read
from vaultkit.read.notebook import read as read_notebook
from vaultkit.read.vault import Vault


def fixes(path: Path) -> list[Fix]:
    checks = inspect(read(path), Vault(path.parent))
    return [check.fix for check in checks if check.fix]


def notebook_fixes(path: Path) -> list[Fix]:
    checks = inspect(read_notebook(path), Vault(path.parent))
    return [check.fix for check in checks if check.fix]


def updated(path: Path, before: str) -> str:
    """Write a note and update it twice: the second time must change nothing."""
    for text in (before, None):
        if text is not None:
            path.write_bytes(text.encode())
        seen = path.read_bytes()
        note = read(path)
        apply_edits(note, fixes(path))
    assert path.read_bytes() == seen
    return seen.decode()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "Nöte with spaces.md"


#: Ends of lines and marks that no file of cases can hold; ``cases/updates.txt`` has the others.
CASES = {
    "CRLF": (
        "# N\r\n\r\n```python\r\n1\r\n```\r\n\r\n```text\r\n2\r\n```\r\nend",
        "# N\r\n\r\n```python\r\n1\r\n```\r\n\r\n```text\r\n1\r\n```\r\nend\r\n",
    ),
    "CR, and one at the very end": (
        "# N\r\r```python\r1\r```\r",
        "# N\r\r```python\r1\r```\r\r```text\r1\r```\r",
    ),
    "a byte-order mark": (
        "\ufeff```python\n1\n```\n\n```text\n2\n```\n",
        "\ufeff```python\n1\n```\n\n```text\n1\n```\n",
    ),
    "two line ends that Python knows but editors do not": (
        "a\u2028b\x0cc\n\n```python\n1\n```\n\n```text\n2\n```\n",
        "a\u2028b\x0cc\n\n```python\n1\n```\n\n```text\n1\n```\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_outputs(path: Path, before: str, after: str) -> None:
    assert updated(path, before) == after


def test_a_file_that_changed_meanwhile_is_left_alone(path: Path) -> None:
    path.write_text("```python\n1\n```\n")
    note, found = read(path), fixes(path)
    path.write_text("mine\n")
    with pytest.raises(
        ChangedError, match=r"Nöte with spaces.md has changed meanwhile; run again$"
    ):
        apply_edits(note, found)
    assert path.read_text() == "mine\n"


def test_a_notebook_gets_the_outputs_of_its_cells(tmp_path: Path) -> None:
    path = tmp_path / "Bock.ipynb"
    old = [{"name": "stdout", "output_type": "stream", "text": ["old\n"]}]
    # The code of the fifth cell ends with a line break.
    sources = ["'ö'", "", "print('a\\n\\nb')", "x = 1\ny = 2", "'ö'\n", "'right'"]
    cells: list[dict[str, Any]] = [
        {"cell_type": "code", "source": source.splitlines(keepends=True), "outputs": list(old)}
        for source in sources
    ]
    cells[-1]["outputs"] = [{"data": {"text/plain": ["'right'"]}, "output_type": "execute_result"}]
    cells.insert(1, {"cell_type": "markdown", "source": ["'ö'"], "outputs": "none"})
    path.write_text(json.dumps({"nbformat": 4, "cells": cells}, indent=1), encoding="utf-8")
    path.chmod(0o640)
    apply_edits(read_notebook(path), notebook_fixes(path))

    def stream(*lines: str) -> list[dict[str, Any]]:
        return [{"name": "stdout", "output_type": "stream", "text": list(lines)}]

    written = json.loads(path.read_bytes())
    expected = [stream("'ö'"), "none", old, stream("a\n", "\n", "b"), [], stream("'ö'")]
    assert [cell["outputs"] for cell in written["cells"]] == [*expected, cells[-1]["outputs"]]
    assert [cell["source"] for cell in written["cells"]] == [cell["source"] for cell in cells]
    # As Jupyter saves it: one blank of indent, keys in their order, no escapes, an end of line.
    text = path.read_text(encoding="utf-8")
    assert text.startswith('{\n "cells": [\n  {\n   "cell_type": "code",\n   "outputs": [\n')
    assert text.endswith("\n}\n")
    assert "\"'ö'\"" in text
    assert notebook_fixes(path) == []


def test_of_equal_cells_the_one_in_its_place_is_fixed(tmp_path: Path) -> None:
    path = tmp_path / "Bock.ipynb"
    sources = ["x = 1", "x", "x = 2", "x"]
    cells: list[dict[str, Any]] = [
        {"cell_type": "code", "source": [source], "outputs": []} for source in sources
    ]
    right = [{"name": "stdout", "output_type": "stream", "text": ["1"]}]
    cells[1]["outputs"] = right
    path.write_text(json.dumps({"nbformat": 4, "cells": cells}, indent=1), encoding="utf-8")
    apply_edits(read_notebook(path), notebook_fixes(path))
    outputs = [cell["outputs"] for cell in json.loads(path.read_bytes())["cells"]]
    assert outputs[1] == right
    assert outputs[3][0]["text"] == ["2"]


def test_a_notebook_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "Bock.ipynb"
    cell = {"cell_type": "code", "source": ["1"], "outputs": []}
    path.write_text(json.dumps({"nbformat": 4, "cells": [cell]}, indent=1), encoding="utf-8")
    note, found = read_notebook(path), notebook_fixes(path)
    mine = path.read_text().replace('"1"', '"2"')
    path.write_text(mine)
    with pytest.raises(ChangedError):
        apply_edits(note, found)
    assert path.read_text() == mine


@pytest.mark.parametrize("name", ["A.md", "A.ipynb"])
def test_a_save_right_before_it_is_replaced_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path = tmp_path / name
    cell = {"cell_type": "code", "source": ["1"], "outputs": []}
    notebook = json.dumps({"nbformat": 4, "cells": [cell]}, indent=1)
    path.write_text("```python\n1\n```\n" if name == "A.md" else notebook)
    note, found = (
        (read(path), fixes(path)) if name == "A.md" else (read_notebook(path), notebook_fixes(path))
    )
    chmod = Path.chmod

    def save(self: Path, mode: int) -> None:  # the last thing that is done to the new file
        chmod(self, mode)
        path.write_text("mine\n")

    monkeypatch.setattr(Path, "chmod", save)
    with pytest.raises(ChangedError):
        apply_edits(note, found)
    assert path.read_text() == "mine\n"
    assert [one.name for one in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("title", ["../secret.py", "a/../../secret.py", "link.py"])
def test_code_from_outside_is_not_copied(tmp_path: Path, title: str) -> None:
    (tmp_path / "secret.py").write_text("A = 'secret'\n")
    root = tmp_path / "root"
    (root / "docs").mkdir(parents=True)
    (root / "link.py").symlink_to(tmp_path / "secret.py")
    path = root / "docs" / "A.md"
    path.write_text(f'```python title="{title}"\nA = 1\n```\n')
    (found,) = mirrors.check(read(path), root)
    assert found.outcome == "fails"
    assert found.fix is None
    assert "secret'" not in found.why


def test_mirrored_code_is_copied(path: Path) -> None:
    (path.parent / "lib.py").write_text(
        '"""Doc."""\n\nimport os\n\n\n'
        "@staticmethod\ndef f(x):\n    # why\n\n    return x\n\n\nA = [\n    1,\n]\n"
    )
    path.write_text(
        '> ```python title="lib.py"\n> import os\n>\n> A = 2\n>\n> def f(y): ...\n> ```\n'
    )
    note = read(path)
    apply_edits(note, [c.fix for c in mirrors.check(note, path.parent) if c.fix])
    assert path.read_text() == (
        '> ```python title="lib.py"\n> import os\n>\n> A = [\n>     1,\n> ]\n>\n'
        "> @staticmethod\n> def f(x):\n>     # why\n>\n>     return x\n> ```\n"
    )
    assert [c.outcome for c in mirrors.check(read(path), path.parent)] == [HOLDS]
