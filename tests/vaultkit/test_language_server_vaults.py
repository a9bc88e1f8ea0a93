"""What an editor receives about its folders: several, behind links, with odd files, not open."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls")

from tests.vaultkit.editor import PATIENCE, Editor

CODE = "# {}\n\n```python\n{}\nx\n```\n\n```text\n{}\n```\n\nSo $x = {}$.\n"
NOTES = {
    "A.md": CODE.format("A", "from helper_beside import x", 2, 2) + "\nSee [[Fine]] and `x`.\n",
    "Fails.md": CODE.format("Fails", "x = 3", 3, 4),
    "Fine.md": "# Fine\n\nSee [[A]].\n",
    "node_modules/package/Readme.md": "# Readme\n\n[[Nowhere]]\n",
    "environment/pyvenv.cfg": "",
    "environment/Readme.md": "# Readme\n\n[[Nowhere]]\n",
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A vault behind a symbolic link, and one with settings that are misspelt."""
    base = tmp_path_factory.mktemp("folders").resolve()
    real, link, other = base / "real", base / "link", base / "other"
    for name, text in NOTES.items():
        path = real / "notes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (real / "notes" / ".obsidian").mkdir()
    (real / "helper_beside.py").write_text("x = 2\n")
    (real / "notes" / "Latin.md").write_bytes("# Latin\n\nCafé.\n".encode("latin-1"))
    link.symlink_to(real)
    other.mkdir()
    (other / "vaultkit.toml").write_text('# ours\ntimeout = 5\nunjudgd = "fail"\n')
    (other / "B.md").write_text("# B\n\n[[Nowhere]]\n")
    return link, other


@pytest.fixture(scope="module")
def editor(folders: tuple[Path, Path]) -> Iterator[Editor]:
    """An editor of both that watches no files, and has a folder more that does not exist."""
    link, other = folders
    opened = [link, other, link.parent / "gone"]
    uris = [{"uri": folder.as_uri(), "name": folder.name} for folder in opened]
    capabilities = {"window": {"workDoneProgress": True}}
    with Editor(
        link / "notes", workspaceFolders=uris, capabilities=capabilities,
        initializationOptions={"vaultkit": {"pause": 0.0}},
    ) as editor:  # fmt: skip
        yield editor


def told_of(editor: Editor, path: Path) -> str:
    return " ".join(problem["message"] for problem in editor.problems(str(path), bool))


def test_notes_that_are_not_open_are_judged(editor: Editor, folders: tuple[Path, Path]) -> None:
    link, other = folders
    assert "the largest difference is 1" in told_of(editor, link / "notes" / "Fails.md")
    assert "not UTF-8" in told_of(editor, link / "notes" / "Latin.md")
    assert "Nowhere" in told_of(editor, other / "B.md")
    editor.wait_for(lambda: editor.statuses.get(link / "notes") == "2 of 4 notes fail")
    editor.wait_for(lambda: editor.statuses.get(other) == "1 of 1 note fails")
    # Files of others are not read, and what the editor reaches through a link has one name.
    assert {path.name for path in editor.published} == {
        "Fails.md",
        "Latin.md",
        "B.md",
        "vaultkit.toml",
    }
    assert all(path.is_relative_to(link) or path.is_relative_to(other) for path in editor.published)
    assert any("gone does not exist" in words for words in editor.said)
    assert editor.progress[0]["kind"] == "begin"
    editor.wait_for(lambda: editor.progress[-1]["kind"] == "end")


def test_wrong_settings_are_told_at_their_line(editor: Editor, folders: tuple[Path, Path]) -> None:
    file = folders[1] / "vaultkit.toml"
    (problem,) = editor.problems(str(file), bool)
    assert problem["range"]["start"]["line"] == 2
    assert "'unjudgd' is not one of" in problem["message"]
    # This editor watches no files: the server sees that they change.
    file.write_text("timeout = 5\n")
    assert editor.problems(str(file), lambda found: not found) == []


def test_a_removed_folder_may_be_gone_from_disk(editor: Editor, tmp_path: Path) -> None:
    def change(removed: list[Path], added: list[Path]) -> None:
        event = {
            name: [{"uri": folder.as_uri(), "name": folder.name} for folder in folders]
            for name, folders in (("removed", removed), ("added", added))
        }
        editor.notify("workspace/didChangeWorkspaceFolders", event=event)

    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        (folder / "docs" / ".obsidian").mkdir(parents=True)
        (folder / "docs" / "C.md").write_text("# C\n\n[[Nowhere]]\n")
    # Two folders of one vault: it stays as long as one of them is open.
    change([], [one, one / "docs"])
    path = str(one / "docs" / "C.md")
    assert "Nowhere" in told_of(editor, Path(path))
    shutil.rmtree(one)
    change([one], [])
    editor.request("workspace/symbol", query="")
    assert editor.problems(path, bool)
    change([tmp_path / "never opened", one / "docs"], [other])
    assert editor.problems(path, lambda found: not found) == []
    path = str(other / "docs" / "C.md")
    assert "Nowhere" in told_of(editor, Path(path))
    # This editor watches no files: the server sees that they change, also in an added folder.
    tries = count()

    def is_seen() -> bool:
        if next(tries) % 20 == 0:  # the server may not have begun to watch
            Path(path).write_text("# C\n\n[[Neither]]\n")
        return "Neither" in str(editor.published[Path(path)])

    editor.wait_for(is_seen)
    change([other], [])
    assert editor.problems(path, lambda found: not found) == []


def test_a_note_is_judged_again_when_it_is_closed(editor: Editor) -> None:
    editor.open("Fails.md")
    editor.type("Fails.md", "$x = 4$", "$x = 3$")
    editor.problems("Fails.md", lambda found: not found)
    editor.close("Fails.md")  # without saving it
    assert editor.problems("Fails.md", bool)[0]["code"] == "equation"


def test_bytes_that_are_no_utf8_are_told_although_the_editor_shows_a_text(editor: Editor) -> None:
    editor.open("Latin.md", "# Latin\n\nCafé.\n")
    (problem,) = editor.problems("Latin.md", bool)
    assert "not UTF-8 (at byte 0xe9)" in problem["message"]
    assert problem["range"]["start"]["line"] == 2


def test_a_change_to_a_note_that_is_not_open_is_no_error(editor: Editor) -> None:
    before = len(editor.said)
    editor.versions["Fine.md"] = 1
    editor.change("Fine.md", [{"text": "# Fine\n"}])
    editor.request("workspace/symbol", query="")
    assert editor.said[before:] == []


def test_hints_give_the_verdict_and_the_value_of_a_name(editor: Editor) -> None:
    editor.open("A.md")
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}

    def hints() -> list[str]:
        found = editor.ask("inlayHint", "A.md", range=everything)
        return [hint["label"] for hint in found]

    editor.wait_for(lambda: hints() == ["✓", "= 2"])
    editor.type("A.md", "$x = 2$", "$x = 5$")
    editor.wait_for(lambda: "✗ 2 ≠ 5" in hints())
    editor.close("A.md")


_MADE = """# Made

```python
x = 3.25
y = 2 * x
x
```

```text
3.5
```

Of $q$ and $y = 9$,

$$
y = 2 x
$$

x is 3.25 here.
"""


def test_formulas_are_listed_with_their_verdicts(editor: Editor) -> None:
    editor.open("Made.md", _MADE)
    document = {"uri": editor.uri("Made.md")}

    def labels() -> list[str]:
        found = editor.request("vaultkit/formulas", textDocument=document)
        assert [one["range"]["start"]["line"] for one in found] == [12, 12, 14]
        return [one["label"] for one in found]

    editor.wait_for(lambda: labels() == ["", "✗ 6.5 ≠ 9", "✓"])
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    hints = editor.ask("inlayHint", "Made.md", range=everything)
    assert [hint["label"] for hint in hints] == ["✗ 3.5 ≠ 3.25", "✗ 6.5 ≠ 9", "✓"]
    editor.close("Made.md")


@pytest.mark.long
def test_a_number_is_bound(editor: Editor) -> None:
    editor.open("Made.md", _MADE)

    def bindings(words: str) -> Any:
        place = editor.position(_MADE, _MADE.index(words))
        document = {"uri": editor.uri("Made.md")}
        return editor.request("vaultkit/bindings", textDocument=document, position=place)

    (found,) = bindings("25 here")
    assert found["title"] == "3.25<!-- = x -->"
    (change,) = found["edit"]["documentChanges"]
    assert change["edits"][0]["range"]["start"] == editor.position(_MADE, _MADE.index(" here"))
    assert bindings("Of $q$") == []
    editor.close("Made.md")


@pytest.mark.long
def test_an_action_binds_a_number_to_the_code_that_the_writer_chooses(editor: Editor) -> None:
    editor.open("Made.md", _MADE)
    editor.problems("Made.md")
    place = editor.position(_MADE, _MADE.index("25 here"))
    asked: dict[str, Any] = {
        "range": {"start": place, "end": place},
        "context": {"diagnostics": []},
    }

    def offered() -> list[Any]:
        found = editor.ask("codeAction", "Made.md", **asked)
        return [one for one in found if one.get("command")]

    editor.wait_for(lambda: bool(offered()))
    (action,) = offered()
    assert action["title"] == "Bind 3.25 to code …"
    editor.answers = {"window/showMessageRequest": {"title": "3.25<!-- = x -->"}}
    command = action["command"]
    editor.request(
        "workspace/executeCommand", command=command["command"], arguments=command["arguments"]
    )
    (edit,) = [one["params"]["edit"] for one in editor.asked if "edit" in one["params"]]
    (change,) = edit["documentChanges"]
    assert change["edits"][0]["newText"] == "<!-- = x -->"
    asked["range"] = dict.fromkeys(("start", "end"), editor.position(_MADE, _MADE.index("Of $q$")))
    assert offered() == []
    editor.close("Made.md")


def test_an_editor_may_show_messages_itself(editor: Editor) -> None:
    settings = {"vaultkit": {"messages": "notification"}}
    editor.notify("workspace/didChangeConfiguration", settings=settings)
    editor.open("A.md")
    arguments = [editor.uri("A.md"), 0]
    editor.request("workspace/executeCommand", command="vaultkit.runTo", arguments=arguments)
    editor.wait_for(lambda: "block 1 runs\nx: int\n2" in editor.messages)
    editor.close("A.md")


def test_links_are_kept_when_the_editor_renames_a_file(editor: Editor) -> None:
    files = [{"oldUri": editor.uri("A.md"), "newUri": editor.uri("Renamed.md")}]
    edit = editor.request("workspace/willRenameFiles", files=files)
    changed = {
        Path(change["textDocument"]["uri"]).name: [one["newText"] for one in change["edits"]]
        for change in edit["documentChanges"]
    }
    assert changed == {"A.md": ["Renamed"], "Fine.md": ["Renamed"]}
    (editor.folder / "A.md").rename(editor.folder / "Renamed.md")
    editor.notify("workspace/didRenameFiles", files=files)
    assert "there is no note or file 'A'" in told_of(editor, editor.folder / "Fine.md")
    (editor.folder / "Renamed.md").rename(editor.folder / "A.md")


@pytest.mark.long
@pytest.mark.parametrize("root", ["", "Fails.md"])
def test_without_a_folder_the_vault_of_a_note_is_found(root: str, tmp_path: Path) -> None:
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / "Fails.md").write_text(NOTES["Fails.md"])
    uri = (tmp_path / root).as_uri() if root else None
    with Editor(tmp_path, rootUri=uri) as editor:
        editor.open("Fails.md")
        editor.wait_for(lambda: editor.statuses == {tmp_path: "1 of 1 note fails"})


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize("how", ["SIGINT", "SIGTERM", "the end of its editor", "exit"])
def test_nothing_is_left_after(how: str, tmp_path: Path) -> None:
    from tests.vaultkit.test_language_server import _children, _lives

    (tmp_path / "A.md").write_text(CODE.format("A", "x = 2", 2, 2))
    client = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(999)"])
    editor = Editor(tmp_path, processId=client.pid)
    editor.open("A.md")
    editor.wait_for(lambda: [*editor.statuses.values()] == ["1 note holds"])
    family = {editor.process.pid, *_children(editor.process.pid)}
    assert len(family) > 1
    if how == "exit":
        editor.request("shutdown", None)
        refused = editor.request("workspace/symbol", query="", refused=True)
        assert refused["code"] == -32600
        editor.notify("exit", None)
        wanted = 0
    elif how.startswith("SIG"):
        editor.process.send_signal(getattr(signal, how))
        wanted = 128 + getattr(signal, how)
    else:
        client.kill()
        wanted = 1
    client.kill()
    client.wait()
    assert editor.process.wait(PATIENCE) == wanted
    end = time.monotonic() + PATIENCE
    while left := {pid for pid in family if _lives(pid)}:
        assert time.monotonic() < end, left
        time.sleep(0.02)
    editor.vanish()
