"""Which changes of files a note may make, and the messages about those it may not."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from vaultkit.run.files import Watch, guard_files, take_stamps


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    beside = tmp_path / "beside"
    (beside / "docs" / "folder").mkdir(parents=True)
    for name in ("docs/Note.md", "docs/folder/a.txt", "lib.py"):
        (beside / name).write_text("1")
    (tmp_path / "far.txt").write_text("1")
    monkeypatch.chdir(beside)
    return beside / "docs"


def refused(vault: Path, event: str, *arguments: Any) -> str:
    """Return how an event is refused, if it is."""
    watch = Watch(vault)
    message = ""
    try:
        watch.check_event(event, arguments)
    except PermissionError as error:
        message = str(error)
    assert watch.refused == ([(0, message)] if message else [])
    return message


CHANGE = "a note may not change files that are not its own: {}"
MAKE = "a note may not make files that are not its own: {}"


@pytest.mark.parametrize(
    ("event", "arguments", "message"),
    [
        ("open", ("docs/Note.md", "w", 0), ""),
        *[("open", ("docs/Note.md", mode, None), CHANGE.format("docs/Note.md"))
          for mode in ("w", "a", "x", "r+", "rb+", "wb")],
        *[("open", ("docs/Note.md", mode, None), "") for mode in ("r", "rb", "rt")],
        *[("open", ("docs/Note.md", None, flag), CHANGE.format("docs/Note.md"))
          for flag in (os.O_WRONLY, os.O_RDWR, os.O_CREAT, os.O_TRUNC, os.O_APPEND)],
        ("open", ("docs/Note.md", "w", os.O_RDONLY | os.O_CLOEXEC), ""),
        ("open", (b"docs/Note.md", "w", None), CHANGE.format("docs/Note.md")),
        ("open", (3, "w", None), ""),
        ("open", ("docs/new.md", "w", None), MAKE.format("docs/new.md")),
        ("open", ("lib.py", "w", None), CHANGE.format("lib.py")),
        ("open", ("new.txt", "w", None), ""),
        ("open", ("../far.txt", "w", None), ""),
        ("open", ("docs/../lib.py", "w", None), CHANGE.format("lib.py")),
        ("open", ("docs/__pycache__/a.pyc", "w", None), ""),
        ("os.chmod", ("docs/Note.md", 0o600, -1), CHANGE.format("docs/Note.md")),
        ("os.chown", ("docs/Note.md", 1, 1, -1), CHANGE.format("docs/Note.md")),
        ("os.link", ("docs/Note.md", "docs/b", -1, -1), MAKE.format("docs/b")),
        ("os.link", ("docs/Note.md", "b", -1, -1), ""),
        ("os.mkdir", ("docs/b", 0o777, -1), MAKE.format("docs/b")),
        ("os.remove", ("docs/Note.md", -1), CHANGE.format("docs/Note.md")),
        ("os.rename", ("docs/Note.md", "b", -1, -1), CHANGE.format("docs/Note.md")),
        ("os.rename", ("../far.txt", "docs/b", -1, -1), MAKE.format("docs/b")),
        ("os.rmdir", ("docs/folder", -1), CHANGE.format("docs/folder")),
        ("os.setxattr", ("docs/Note.md", "a", b"", 0), CHANGE.format("docs/Note.md")),
        ("os.symlink", ("../far.txt", "docs/b", -1), MAKE.format("docs/b")),
        ("os.truncate", ("docs/Note.md", 0), CHANGE.format("docs/Note.md")),
        ("os.truncate", (3, 0), ""),
        ("os.utime", ("docs/Note.md", None, None, -1), CHANGE.format("docs/Note.md")),
        ("os.utime", (None, None, None, -1), ""),
        ("shutil.move", ("docs/Note.md", "b"), CHANGE.format("docs/Note.md")),
        ("shutil.move", ("../far.txt", "docs/b"), MAKE.format("docs/b")),
        ("shutil.rmtree", ("docs/folder", None), CHANGE.format("docs/folder")),
        ("shutil.rmtree", (Path("docs"), None), CHANGE.format("docs")),
    ],
)  # fmt: skip
def test_what_is_not_the_notes_own_stays(
    vault: Path, event: str, arguments: tuple[Any, ...], message: str
) -> None:
    assert refused(vault, event, *arguments) == message
    # Without a vault any file may be changed.
    Watch(None).check_event(event, arguments)


def test_a_path_may_be_relative_to_an_open_folder(vault: Path) -> None:
    folder = os.open(vault / "folder", os.O_RDONLY)
    try:
        message = CHANGE.format("docs/folder/a.txt")
        assert refused(vault, "os.remove", "a.txt", folder) == message
        assert refused(vault, "os.mkdir", "b", 0o777, folder) == MAKE.format("docs/folder/b")
        # Of a folder that is not open any more, nothing is known.
    finally:
        os.close(folder)


def test_what_a_note_has_made_is_its_own(vault: Path) -> None:
    watch = Watch(vault)
    for event, arguments in (
        ("os.mkdir", ("work", 0o777, -1)),
        ("open", ("work/a.txt", "w", None)),
        ("os.remove", ("work/a.txt", -1)),
        ("open", ("mine.txt", "w", None)),
        ("open", ("mine.txt", "a", None)),
    ):
        watch.check_event(event, arguments)
    assert watch.refused == []
    Path("work2").mkdir()
    with pytest.raises(PermissionError, match="not change files that are not its own: work2"):
        watch.check_event("os.rmdir", ("work2", -1))


@pytest.mark.parametrize("event", ["subprocess.Popen", "os.fork", "os.system", "os.posix_spawn"])
def test_what_other_programs_change_is_found_afterwards(vault: Path, event: str) -> None:
    watch = Watch(vault)
    assert watch.describe_changes() == []
    (vault / "early.txt").write_text("1")
    watch.check_event(event, ())
    assert watch.describe_changes() == []
    (vault / "new.txt").write_text("1")
    (vault / "Note.md").write_text("longer")
    (vault / "folder" / "a.txt").unlink()
    (vault / ".hidden").write_text("1")
    (vault / "__pycache__").mkdir()
    (vault / "__pycache__" / "a.pyc").write_text("1")
    (vault.parent / "lib.py").write_text("longer")
    message = ["docs/Note.md was changed", "docs/folder/a.txt was deleted", "docs/new.txt was made"]
    assert watch.describe_changes() == message
    # Each change is reported once; another program begins with what there is then.
    assert watch.describe_changes() == []
    (vault / "new.txt").unlink()
    watch.check_event(event, ())
    assert watch.describe_changes() == ["docs/new.txt was deleted"]
    assert watch.started == [0, 0]


def test_a_file_is_another_one_if_its_size_time_or_place_is(vault: Path) -> None:
    path = vault / "Note.md"
    first = take_stamps(str(vault))
    assert set(first) == {str(path), str(vault / "folder" / "a.txt")}
    times = path.stat().st_atime_ns, path.stat().st_mtime_ns
    path.write_text("2")
    os.utime(path, ns=times)
    assert take_stamps(str(vault)) == first
    os.utime(path, ns=(times[0], times[1] + 10))
    assert take_stamps(str(vault)) != first
    path.write_text("22")
    os.utime(path, ns=times)
    assert take_stamps(str(vault)) != first
    (vault / "other").write_text("1")
    (vault / "other").replace(path)
    os.utime(path, ns=times)
    assert take_stamps(str(vault)) != first
    assert take_stamps(str(vault / "nothing")) == {}
    (vault / "loop").symlink_to(vault)
    (vault / "gone").symlink_to(vault / "nowhere")
    assert {Path(name).name for name in take_stamps(str(vault))} == {
        "Note.md",
        "a.txt",
        "loop",
        "gone",
    }


def test_a_file_that_vanishes_hides_no_other(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (vault / "gone.md").write_text("1")
    before = take_stamps(str(vault))
    listed = os.scandir

    @contextlib.contextmanager
    def scan(path: str) -> Iterator[list[Any]]:
        with listed(path) as entries:
            every = list(entries)
        every.sort(key=lambda entry: entry.name != "gone.md")
        first = every[0]
        # It is deleted after it was listed.
        vanished = SimpleNamespace(
            name=first.name,
            path=first.path,
            is_dir=lambda **_: False,
            stat=lambda **_: Path("nothing").stat(),
        )
        yield [vanished, *every[1:]] if first.name == "gone.md" else every

    monkeypatch.setattr(os, "scandir", scan)
    del before[str(vault / "gone.md")]
    assert take_stamps(str(vault)) == before


def test_the_line_in_which_a_note_does_it_is_reported(vault: Path) -> None:
    watch = Watch(vault)
    code = "def f():\n    open('docs/Note.md', 'w')\n\n\nf()"
    with guard_files(watch, "A Note.md"), pytest.raises(PermissionError):
        exec(compile(code, "A Note.md", "exec"), {})
    # The line of the call that is not inside any other of the note.
    assert watch.refused == [(5, CHANGE.format("docs/Note.md"))]
    assert (vault / "Note.md").read_text() == "1"
    # Nobody watches any more.
    with open("docs/Note.md", "w") as file:  # noqa: PTH123
        file.write("2")


def test_the_inner_one_of_two_watches_is_asked(vault: Path) -> None:
    outer, inner = Watch(vault), Watch(None)
    with guard_files(outer, "a"):
        with guard_files(inner, "b"):
            (vault / "Note.md").write_text("2")
        with pytest.raises(PermissionError):
            (vault / "Note.md").write_text("3")
    assert (len(outer.refused), inner.refused) == (1, [])
