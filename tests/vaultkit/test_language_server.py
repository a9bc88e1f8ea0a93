"""A note is judged as it is typed: what an editor receives, and when it receives nothing more."""

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack
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


NOTES = {"Twice.md": NOTE, "Other.md": OTHER}


def make_vault(folder: Path) -> Path:
    vault = folder / "vault"
    (vault / ".obsidian").mkdir(parents=True)
    for name, text in NOTES.items():
        (vault / name).write_text(text)
    return vault


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return make_vault(tmp_path)


@pytest.fixture(scope="module")
def editors() -> Iterator[list[Editor]]:
    """The editor that tests share, if one was started."""
    begun: list[Editor] = []
    yield begun
    with ExitStack() as ending:
        for editor in begun:
            ending.enter_context(editor)


@pytest.fixture
def editor(editors: list[Editor], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """An editor of a vault with unchanged files and no open notes."""
    if not editors:
        editors.append(Editor(make_vault(tmp_path_factory.mktemp("shared"))))
    (editor,) = editors
    yield editor
    try:
        editor.begin_again(NOTES)
    except BaseException:
        # The next test begins another.
        editors.clear()
        editor.vanish()
        raise


@pytest.fixture
def own_editor(vault: Path) -> Iterator[Editor]:
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


#: Its failures, in the order of lines.
ODD = """
So 😀 $y = 3 x$ and 😀 $y = 4 x$, not $y = 2 x$.

> [!note]- In a callout
> It is 😀 $y = 5 x$, and 2.75 of it.
>
> $$
> y = 6 x
> $$

| 😀 | in a table |
|---|---|
| 😀 $y = 7 x$ | $y = 8 x$, [[Nope]] |

- In a list 😀 $y = 9 x$,
    - and `y` is 3 by 3 there.

> > nested: $y = 10 x$
"""
MARKED = [
    "$y = 3 x$", "$y = 4 x$", "$y = 5 x$", "2.75", "$$\n> y = 6 x\n> $$", "$y = 7 x$", "$y = 8 x$",
    "[[Nope]]", "$y = 9 x$", "3 by 3", "$y = 10 x$",
]  # fmt: skip


@pytest.mark.long
def test_what_is_in_odd_places_is_marked_there(tmp_path: Path) -> None:
    folder = tmp_path / "a vault's folder, with blanks"
    folder.mkdir()
    name = "It isn't saved.md"
    text = "# It isn't saved\n" + NOTE.partition("# Twice\n")[2].partition("So 😀")[0]
    text = text.replace("[[Other#Why]] and ![[Other]]", "[[It isn't saved]]") + ODD
    with Editor(folder) as editor:
        editor.open(name, text.replace("\n", "\r\n"))
        problems = editor.problems(name, lambda found: len(found) == len(MARKED))
        shown = [editor.shown(name, problem).replace("\r", "") for problem in problems]
        assert sorted(shown) == sorted(MARKED)
        for words in ("$y = 4 x$", "$y = 8 x$"):
            assert words in editor.ask("hover", name, words, 3)["contents"]["value"]


@pytest.mark.long
def test_files_that_are_no_notes_of_the_vault_or_have_gone(own_editor: Editor) -> None:
    editor = own_editor
    outside = editor.folder.parent / "out.md"
    outside.write_text("# Out\n\n[[No]]\n")
    editor.open("../out.md")
    for what in ("hover", "completion", "definition"):
        assert not editor.ask(what, "../out.md", "[[No]]", 3)
    editor.type("../out.md", "[[No]]", "[[None]]")
    editor.save("../out.md")
    # One that the editor holds, and one that a note links to, are deleted by somebody else.
    editor.open("Twice.md")
    editor.open("Other.md")
    editor.problems("Other.md", none)
    for name in ("Twice.md", "Other.md"):
        (editor.folder / name).unlink()
        changed = [{"uri": editor.uri(name), "type": 3}]
        editor.notify("workspace/didChangeWatchedFiles", changes=changed)
    editor.notify("textDocument/didClose", textDocument={"uri": editor.uri("Other.md")})
    editor.type("Twice.md", "A 😀", "An 😀")
    problems = editor.problems("Twice.md", lambda found: len(found) == 2)
    assert {editor.shown("Twice.md", problem) for problem in problems} == {
        "[[Other#Why]]", "![[Other]]",
    }  # fmt: skip
    assert (editor.folder / "../out.md") not in editor.published


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


@pytest.mark.long
def test_a_note_that_never_ends_says_so_and_harms_nothing(own_editor: Editor) -> None:
    editor = own_editor
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


@pytest.mark.long
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


@pytest.mark.sample("is killed")
@pytest.mark.long
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


HALVES = [
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
]


@pytest.mark.long
def test_what_is_half_typed_ends_nothing(editor: Editor) -> None:
    editor.open("Twice.md")
    for half in HALVES:
        editor.change("Twice.md", [{"text": half}])
        editor.problems("Twice.md")
        editor.texts["Twice.md"] = NOTE
        editor.change("Twice.md", [{"text": NOTE}])
        assert editor.problems("Twice.md", none) == []


@pytest.mark.long
def test_ten_thousand_lines_are_judged(editor: Editor) -> None:
    text = NOTE + "\nThe sum is $y = 2 x$.\n" * 5000 + "\n[[No]]\n"
    editor.open("Twice.md", text)
    (problem,) = editor.problems("Twice.md", lambda found: len(found) == 1)
    assert editor.shown("Twice.md", problem) == "[[No]]"
    editor.type("Twice.md", "[[No]]", "[[Other]]")
    assert editor.problems("Twice.md", none) == []


def test_what_an_editor_asks_is_answered_in_its_own_units(editor: Editor) -> None:
    editor.open("Twice.md")
    editor.open("Other.md")
    editor.problems("Twice.md", none)
    offers = editor.capabilities
    assert offers["textDocumentSync"]["change"] == 2
    assert offers["renameProvider"] == {"prepareProvider": True}
    # Behind a character that is two units wide.
    why = editor.ask("definition", "Twice.md", "[[Other#Why", 4)
    assert (why["uri"], why["range"]["start"]["line"]) == (editor.uri("Other.md"), 4)
    found = editor.ask("references", "Other.md", "# Other", 3, context={"includeDeclaration": True})
    own, *found = found
    assert (own["uri"], own["range"]["start"]["line"]) == (editor.uri("Other.md"), 0)
    links = {"includeDeclaration": False}
    assert editor.ask("references", "Other.md", "# Other", 3, context=links) == found
    assert [place["uri"] for place in found] == [editor.uri("Twice.md")] * 2
    assert {editor.shown("Twice.md", place) for place in found} == {"[[Other#Why]]", "![[Other]]"}
    symbols = editor.ask("documentSymbol", "Other.md")
    assert [(s["name"], [c["name"] for c in s["children"]]) for s in symbols] == [
        ("Other", ["Why"])
    ]
    names = {symbol["name"] for symbol in editor.request("workspace/symbol", query="o")}
    assert names == {"Other", "Doubling"}
    editor.type("Twice.md", "A 😀 stands", "A 😀 [[Ot stands")
    items = editor.ask("completion", "Twice.md", "[[Ot stands", 4)
    (edit,) = [item["textEdit"] for item in items if item["label"] == "Other"]
    assert (edit["newText"], editor.shown("Twice.md", edit)) == ("Other]]", "Ot")


def test_hover_lenses_and_running_up_to_a_block(editor: Editor) -> None:
    editor.open("Twice.md")

    def lenses() -> list[Message]:
        return editor.ask("codeLens", "Twice.md")

    editor.type("Twice.md", "$y = 2 x$", "$y = 3 x$")
    editor.problems("Twice.md", some)
    (lens,) = lenses()
    assert lens["command"]["title"].startswith("run to here · holds · ")
    hover = editor.ask("hover", "Twice.md", "$y = 3 x$", 2)
    assert "float64 array of shape (2,)" in hover["contents"]["value"]
    assert "left [2. 4.], right [3. 6.]" in hover["contents"]["value"]
    command = lens["command"]
    editor.request(
        "workspace/executeCommand", command=command["command"], arguments=command["arguments"]
    )
    end = time.monotonic() + PATIENCE
    while not editor.said:
        assert time.monotonic() < end
        lenses()
    assert editor.said[0].startswith("block 1 runs\n")
    assert "y: float64 array of shape (2,)\narray([2., 4.])" in editor.said[0]


def test_a_code_action_and_a_rename_are_edits_of_the_workspace(editor: Editor) -> None:
    editor.open("Twice.md")
    editor.type("Twice.md", "array([2., 4.])", "array([2., 5.])")
    (problem,) = editor.problems("Twice.md", some)
    actions = editor.ask(
        "codeAction", "Twice.md", range=problem["range"], context={"diagnostics": []}
    )
    (action,) = [action for action in actions if action["title"] == "Write this output"]
    assert action["diagnostics"][0]["message"] == problem["message"]
    (change,) = action["edit"]["documentChanges"]
    version = editor.versions["Twice.md"]
    assert change["textDocument"] == {"uri": editor.uri("Twice.md"), "version": version}
    assert [edit["newText"] for edit in change["edits"]] == ["array([2., 4.])\n"] or (
        "array([2., 4.])" in change["edits"][0]["newText"]
    )
    where = editor.ask("prepareRename", "Twice.md", "[[Other#Why", 9)
    assert (where["placeholder"], editor.shown("Twice.md", where)) == ("Why", "Why")
    edit = editor.ask("rename", "Twice.md", "# Twice", 3, newName="Two times")
    *changes, renamed = edit["documentChanges"]
    assert renamed == {
        "kind": "rename",
        "oldUri": editor.uri("Twice.md"),
        "newUri": editor.uri("Two times.md"),
    }
    assert {change["textDocument"]["uri"] for change in changes} == {
        editor.uri("Twice.md"), editor.uri("Other.md"),
    }  # fmt: skip


@pytest.mark.sample("utf-16")
@pytest.mark.long
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_places_are_reported_in_what_the_editor_counts_in(vault: Path, encoding: str) -> None:
    with Editor(vault, encodings=[encoding]) as editor:
        assert editor.capabilities["positionEncoding"] == encoding
        editor.open("Twice.md", "# Twice\n\nA é😀 [[No]]\n")
        (problem,) = editor.problems("Twice.md", some)
        before = {"utf-8": 2 + 2 + 4 + 1, "utf-16": 2 + 1 + 2 + 1, "utf-32": 5}[encoding]
        start, end = problem["range"]["start"], problem["range"]["end"]
        assert (start["character"], end["character"]) == (before, before + 6)


def test_what_only_python_takes_for_the_end_of_a_line_is_none(editor: Editor) -> None:
    editor.open("Twice.md", "# Twice\n\nab\u2028cd\x0bef [[No]] 😀 [[Nix]]\n")
    editor.problems("Twice.md", lambda found: len(found) == 2)
    editor.type("Twice.md", "[[Nix]]", "[[Nothing]]")
    problems = editor.problems("Twice.md", lambda found: "Nothing" in str(found))
    assert {editor.shown("Twice.md", one) for one in problems} == {"[[No]]", "[[Nothing]]"}


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for memory in /proc")
def test_memory_keeps_its_level_over_thousands_of_edits(own_editor: Editor) -> None:
    editor = own_editor
    editor.open("Twice.md")
    editor.problems("Twice.md", none)

    def memory() -> int:
        pages = Path(f"/proc/{editor.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def edit(times: int) -> None:
        for _ in range(times // 2):
            editor.type("Twice.md", "$y = 2 x$", "$y = 2 x + 0 x$")
            editor.type("Twice.md", "$y = 2 x + 0 x$", "$y = 2 x$")
        editor.type("Twice.md", "[[Other#Why]]", "[[No]]")
        editor.problems("Twice.md", some)
        editor.type("Twice.md", "[[No]]", "[[Other#Why]]")
        editor.problems("Twice.md", none)

    edit(1000)
    before = memory()
    for _ in range(4):
        edit(1000)
    assert memory() - before < 9 << 20  # two kilobytes an edit
