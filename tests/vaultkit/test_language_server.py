"""A note is judged as it is typed: what an editor is told, and when it is told nothing more."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("pygls")

from tests.vaultkit.editor import PATIENCE, Editor, Message

NOTE = """\
---
aliases: [Doubling]
tags: [sum]
---

# Twice

A 😀 stands before [[Other#Why]] and ![[Other]].

```python
import numpy as np

x = np.array([1.0, 2.0])
y = 2 * x
y
```

```text
array([2., 4.])
```

So 😀 $y = 2 x$ holds, and

$$
y = x + x
$$

does, too. The largest is 4.0.
"""
OTHER = "# Other\n\nSee [[Twice]].\n\n## Why\n\nBecause. ^reason\n"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    vault = tmp_path / "vault"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / "Twice.md").write_text(NOTE)
    (vault / "Other.md").write_text(OTHER)
    return vault


@pytest.fixture
def editor(vault: Path) -> Iterator[Editor]:
    with Editor(vault) as editor:
        yield editor


def none(problems: list[Message]) -> bool:
    return not problems


def some(problems: list[Message]) -> bool:
    return bool(problems)


def test_an_equation_is_judged_as_it_is_typed(editor: Editor) -> None:
    editor.open("Twice.md")
    editor.problems("Twice.md", none)
    editor.type("Twice.md", "$y = 2 x$", "$y = 3 x$")
    (problem,) = editor.problems("Twice.md", some)
    assert editor.shown("Twice.md", problem) == "$y = 3 x$"
    assert (problem["code"], problem["severity"]) == ("equation", 1)
    assert "left [2. 4.], right [3. 6.]; the largest difference is 2" in problem["message"]
    # It moves with its line, before anything has run again.
    editor.type("Twice.md", "# Twice\n", "# Twice\n\nMore.\n")
    (problem,) = editor.problems("Twice.md", some)
    assert editor.shown("Twice.md", problem) == "$y = 3 x$"
    editor.type("Twice.md", "$y = 3 x$", "$y = 2 x$")
    assert editor.problems("Twice.md", none) == []
    # Nothing was saved.
    assert (editor.folder / "Twice.md").read_text() == NOTE


def test_each_kind_is_marked_from_its_first_to_its_last_character(editor: Editor) -> None:
    wrong = NOTE
    for old, new in (
        ("[[Other#Why]]", "[[Other#Wyh]]"),
        ("![[Other]]", "![[Otter]]"),
        ("y = x + x", "y = x"),
        ("4.0.", "4.7."),
        ("array([2., 4.])", "array([2., 5.])"),
    ):
        assert old in wrong
        wrong = wrong.replace(old, new)
    editor.open("Twice.md", wrong)
    problems = editor.problems("Twice.md", lambda found: len(found) == 5)
    marked = {(problem["code"], editor.shown("Twice.md", problem)) for problem in problems}
    assert marked == {
        ("link", "[[Other#Wyh]]"),
        ("link", "![[Otter]]"),
        ("equation", "$$\ny = x\n$$"),
        ("number", "4.7"),
        ("block", "array([2., 5.])"),
    }


def test_a_link_is_judged_on_what_is_not_saved(editor: Editor) -> None:
    editor.open("Other.md")
    editor.open("Twice.md")
    editor.problems("Twice.md", none)
    editor.type("Other.md", "## Why", "## Reason")
    editor.problems("Other.md")
    editor.save("Other.md")
    (problem,) = editor.problems("Twice.md", some)
    assert editor.shown("Twice.md", problem) == "[[Other#Why]]"
    editor.type("Twice.md", "[[Other#Why]]", "[[Other#Reason]]")
    assert editor.problems("Twice.md", none) == []


def test_what_rests_on_a_note_is_judged_after_a_save(editor: Editor) -> None:
    editor.open("Other.md")
    editor.problems("Other.md", none)
    editor.type("Other.md", "## Why", "## Reason")
    editor.save("Other.md")
    (problem,) = editor.problems("Twice.md", some)
    assert "has no heading 'Why'" in problem["message"]
    editor.type("Other.md", "## Reason", "## Why")
    editor.save("Other.md")
    assert editor.problems("Twice.md", none) == []


def test_a_note_that_never_ends_says_so_and_harms_nothing(editor: Editor) -> None:
    (editor.folder / "vaultkit.toml").write_text("timeout = 0.5\n")
    editor.notify(
        "workspace/didChangeWatchedFiles",
        changes=[{"uri": editor.uri("vaultkit.toml"), "type": 1}],
    )
    editor.open("Twice.md")
    editor.problems("Twice.md", none)
    editor.type("Twice.md", "y = 2 * x\ny\n", "while True: pass\ny\n")
    problems = editor.problems("Twice.md", some)
    assert any("0.5 s" in problem["message"] for problem in problems)
    editor.type("Twice.md", "while True: pass\ny\n", "y = 2 * x\ny\n")
    assert editor.problems("Twice.md", none) == []


def test_the_next_key_ends_what_runs(vault: Path) -> None:
    started = vault.parent / "started"
    hang = f"from pathlib import Path\nPath({str(started)!r}).touch()\nwhile True: pass\n"
    (vault / "vaultkit.toml").write_text("timeout = 3000\n")
    with Editor(vault) as editor:
        editor.open("Twice.md", NOTE.replace("y = 2 * x\n", hang))
        end = time.monotonic() + PATIENCE
        while not started.exists():
            assert time.monotonic() < end
            time.sleep(0.02)
        editor.type("Twice.md", hang, "y = 3 * x\n")
        problems = editor.problems("Twice.md", some)
        assert "array([3., 6.])" in str(problems)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
@pytest.mark.parametrize("how", ["closes", "is killed"])
def test_nothing_is_left_of_a_server_whose_editor_vanishes(vault: Path, how: str) -> None:
    started = vault.parent / "started"
    hang = f"open({str(started)!r}, 'w').write(str(os.getpid()))\nwhile True: pass\n"
    (vault / "vaultkit.toml").write_text("timeout = 3000\n")
    editor = Editor(vault)
    editor.open("Twice.md", NOTE.replace("y = 2 * x\n", f"import os\n{hang}"))
    end = time.monotonic() + PATIENCE
    while not (started.exists() and started.read_text()):
        assert time.monotonic() < end
        time.sleep(0.02)
    family = {int(started.read_text()), *_children(editor.process.pid)}
    assert len(family) >= 3
    if how == "is killed":
        editor.process.kill()
    editor.vanish()
    while left := {pid for pid in family if _lives(pid)}:
        assert time.monotonic() < end, left
        time.sleep(0.02)


def _children(pid: int) -> set[int]:
    found = set()
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in map(int, (task / "children").read_text().split()):
            found |= {child, *_children(child)}
    return found


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(
    "half",
    [
        "```python\nx = (",
        "```python\nx = 1\n",
        "$$\ny = \\frac{",
        "$y = \\frac{1}{",
        "[[Twice#",
        "![[",
        "---\naliases: [",
        "> [!note]- ```python\n> x",
        "| a | b\n|-",
        "%% never closed",
        "```text",
        "\ud800",
        "a\u2028[[No]]\x0b\x85 [[No]]",
    ],
)
def test_what_is_half_typed_ends_nothing(editor: Editor, half: str) -> None:
    editor.open("Twice.md", half)
    editor.problems("Twice.md")
    editor.change("Twice.md", [{"text": NOTE}])
    editor.texts["Twice.md"] = NOTE
    assert editor.problems("Twice.md", none) == []


def test_ten_thousand_lines_are_judged(editor: Editor) -> None:
    text = NOTE + "\nThe sum is $y = 2 x$.\n" * 5000 + "\n[[No]]\n"
    editor.open("Twice.md", text)
    (problem,) = editor.problems("Twice.md", lambda found: len(found) == 1)
    assert editor.shown("Twice.md", problem) == "[[No]]"
    editor.type("Twice.md", "[[No]]", "[[Other]]")
    assert editor.problems("Twice.md", none) == []
