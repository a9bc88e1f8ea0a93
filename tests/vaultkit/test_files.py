"""Files are written whole or not at all, with the rights they should have."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from vaultkit.files import write_atomically


@pytest.fixture
def umask() -> Iterator[int]:
    before = os.umask(0o027)
    yield 0o027
    os.umask(before)


@pytest.mark.parametrize("content", ["Zwölf\r\n", "Zwölf\r\n".encode()])
def test_a_file_is_written_byte_by_byte_its_folders_too(tmp_path: Path, content: str) -> None:
    path = tmp_path / "a" / "b" / "Nöte.md"
    for _ in range(2):
        write_atomically(path, content)
        assert path.read_bytes() == "Zwölf\r\n".encode()
    assert os.listdir(path.parent) == ["Nöte.md"]  # noqa: PTH208


def test_a_new_file_gets_the_rights_of_any_new_file(tmp_path: Path, umask: int) -> None:
    write_atomically(tmp_path / "new", "x")
    assert (tmp_path / "new").stat().st_mode & 0o7777 == 0o640
    assert os.umask(umask) == umask


def test_all_rights_where_nothing_narrows_them(tmp_path: Path, umask: int) -> None:
    os.umask(0)
    write_atomically(tmp_path / "new", "x")
    os.umask(umask)
    assert (tmp_path / "new").stat().st_mode & 0o7777 == 0o666


@pytest.mark.parametrize("mode", [0o600, 0o666, 0o755, 0o4711])
def test_a_file_keeps_its_rights(tmp_path: Path, umask: int, mode: int) -> None:  # noqa: ARG001
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(mode)
    write_atomically(path, "new")
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o7777 == mode


def test_it_is_a_new_file_that_takes_the_place_of_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who has the old one open reads on in it; nobody meets half of the new one."""
    path = tmp_path / "a.md"
    path.write_text("old")
    (tmp_path / "kept").hardlink_to(path)
    # The new one has to be on the same disk, where a vault does not list it.
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    seen: list[tuple[Path, str, str]] = []
    replace = Path.replace

    def spy(self: Path, target: Path) -> Path:
        seen.append((self, self.read_text(), target.read_text()))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", spy)
    write_atomically(path, "new")
    assert (path.read_text(), (tmp_path / "kept").read_text()) == ("new", "old")
    ((written, new, old),) = seen
    assert (new, old) == ("new", "old")
    assert written.parent == tmp_path
    assert written.name.startswith(".")
    assert written.suffix == ".tmp"


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_where_it_fails_nothing_is_left_behind(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: type[BaseException],
) -> None:
    path = tmp_path / "a.md"
    path.write_text("old")

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(error):
        write_atomically(path, b"new")
    assert [file.name for file in tmp_path.iterdir()] == ["a.md"]
    assert path.read_text() == "old"


def test_what_went_wrong_is_reported_even_if_nothing_is_left_to_clear_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Path, _: Path) -> None:
        self.unlink()
        raise OSError("the disk is full")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="the disk is full"):
        write_atomically(tmp_path / "a.md", b"new")


@pytest.mark.parametrize("mode", [0o444, 0o555])
def test_a_file_that_nobody_may_write_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(mode)
    with pytest.raises(PermissionError, match="read-only") as found:
        write_atomically(path, "new")
    assert found.value.filename == str(path)
    assert path.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["a"]


def test_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    path, link = tmp_path / "there" / "a", tmp_path / "b"
    path.write_text("old")
    link.symlink_to(path)
    write_atomically(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
