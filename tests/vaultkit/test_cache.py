"""What was read is taken from the cache if nothing has changed, and never otherwise."""

import os
import pickle
from pathlib import Path

import pytest

from vaultkit.read import cache, vault
from vaultkit.read.note import Note
from vaultkit.read.vault import Vault
from vaultkit.store import Store

TEXT = (
    "---\naliases: [one]\ndate: 2026-11-21\n---\n\n# A\n\n"
    "```python\n1 + 1\n```\n\n$x = 2$ and 3.5\n"
)


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that were parsed, and not taken from the cache."""
    seen: list[Path] = []

    def noted(path: Path, real=vault.read_note) -> Note:
        seen.append(path)
        return real(path)

    monkeypatch.setattr(vault, "read_note", noted)
    return seen


def kept(tmp_path: Path) -> Vault:
    return Vault(tmp_path / "docs", store=Store(tmp_path / "store"))


@pytest.fixture
def page(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    path = (tmp_path / "docs" / "A.md").resolve()
    path.write_text(TEXT)
    return path


def test_what_has_not_changed_is_read_once(
    tmp_path: Path, page: Path, readings: list[Path]
) -> None:
    first, second = kept(tmp_path).notes, kept(tmp_path).notes
    assert readings == [page]
    assert first == second == Vault(tmp_path / "docs").notes
    assert [f.tex for f in second[page].formulas] == ["x = 2"]


def test_a_changed_text_is_read_again_whatever_its_date_says(
    tmp_path: Path, page: Path, readings: list[Path]
) -> None:
    kept(tmp_path)
    before = page.stat()
    page.write_text(TEXT.replace("x = 2", "x = 3"))
    os.utime(page, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert [f.tex for f in kept(tmp_path).notes[page].formulas] == ["x = 3"]
    assert readings == [page, page]


def test_another_engine_reads_again(
    tmp_path: Path, page: Path, readings: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(tmp_path)
    monkeypatch.setattr(cache, "_parser_digest", lambda: b"other")
    kept(tmp_path)
    assert readings == [page, page]


class Harmful:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return print, ("harm",)


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:-10],
        lambda _: b"no pickle",
        lambda _: pickle.dumps("no note"),
        lambda _: pickle.dumps(Harmful()),
        lambda _: b"",
    ],
)
def test_a_damaged_record_is_read_past(
    tmp_path: Path, page: Path, readings: list[Path], damage, capsys: pytest.CaptureFixture[str]
) -> None:
    kept(tmp_path)
    store, name, key = Store(tmp_path / "store"), str(page), cache._key_of_file(page)
    content = store.find("note", name, key)
    assert content
    store.put("note", name, key, damage(content))
    assert kept(tmp_path).notes[page].text == TEXT
    assert readings == [page, page]
    assert capsys.readouterr().out == ""
    assert kept(tmp_path).notes[page].text == TEXT
    assert len(readings) == 2  # it was fixed


def test_what_is_kept_of_notes_that_are_gone_is_dropped(tmp_path: Path, page: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "C.md").write_text("# C\n")
    Vault(tmp_path / "other", store=Store(tmp_path / "store"))
    kept(tmp_path)
    page.rename(page.with_name("B.md"))
    kept(tmp_path)
    names = Store(tmp_path / "store").names("note")
    assert sorted(Path(name).name for name in names) == ["B.md", "C.md"]


@pytest.mark.long
def test_notes_of_the_vault_come_back_as_they_were_read(
    tmp_path: Path, readings: list[Path]
) -> None:
    docs = Path(__file__).parents[2] / "docs"
    read = Vault(docs, store=Store(tmp_path / "store")).notes
    count = len(readings)
    again = Vault(docs, store=Store(tmp_path / "store")).notes
    assert len(readings) == count == len(read)
    assert read == again
    assert [note.digest for note in read.values()] == [note.digest for note in again.values()]


def test_the_texts_of_a_note_are_packed_in_memory_and_equal_those_that_were_parsed(
    tmp_path: Path, page: Path
) -> None:
    page.write_text(TEXT + "\n| a | b |\n|---|---|\n| 1 | `x` is 2 |\n")
    stored, parsed = kept(tmp_path).notes[page], Vault(tmp_path / "docs").notes[page]
    assert not {"prose", "coded", "cells"} & vars(stored.texts).keys()
    assert stored.prose == parsed.prose != ()
    assert stored.coded == parsed.coded != ()
    assert stored.cells == parsed.cells != ()
    assert stored.texts == parsed.texts != Note(page, "").texts
    assert pickle.loads(pickle.dumps(stored)) == parsed
