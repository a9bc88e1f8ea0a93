"""What is wrong with one note is said of that note, and of no other; nothing ends the run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.vaultkit import hostile
from tests.vaultkit.agreement import converter
from vaultkit.checks import misread
from vaultkit.checks.check import FAILS
from vaultkit.pipeline.inspect import Settings, inspect
from vaultkit.read.markdown import parse
from vaultkit.read.note import Note, Problem
from vaultkit.read.vault import Vault
from vaultkit.render.mathematics import to_mathml

ALL = [*hostile.WRONG, *hostile.ODD, *hostile.FORMULAS]
Read = Callable[[str], Note]


@pytest.fixture(scope="module")
def note(tmp_path_factory: pytest.TempPathFactory) -> Read:
    @cache
    def read(name: str) -> Note:
        folder = tmp_path_factory.mktemp("hostile")
        hostile.write(folder, name)
        (found,) = Vault(folder).notes.values()
        return found

    return read


def each(names: Iterable[str]) -> list[Any]:
    """Leave out all but one or two of the notes that are parsed in the same way."""
    long = pytest.mark.long
    return [name if name in hostile.FEW else pytest.param(name, marks=long) for name in names]


def wrong_with(note: Note) -> list[Problem]:
    return [*note.problems, *misread.problems(note)]


def failures(note: Note) -> list[tuple[str, int]]:
    checks = inspect(note, Vault(note.path.parent), Settings(typeset=to_mathml), run=None)
    return [(check.kind, check.line) for check in checks if check.outcome == FAILS]


@pytest.mark.parametrize("name", each(hostile.WRONG))
def test_it_is_one_problem_of_one_note(note: Read, name: str) -> None:
    _, line, word = hostile.WRONG[name]
    (problem,) = wrong_with(note(name))
    assert problem.line == line
    assert word in problem.message
    assert 1 <= problem.line <= len(note(name).lines)


@pytest.mark.parametrize("name", each(hostile.ODD))
def test_what_is_odd_is_read(note: Read, name: str) -> None:
    assert not wrong_with(note(name))
    failures(note(name))


@pytest.mark.parametrize("name", each(hostile.FORMULAS))
def test_a_formula_that_nothing_can_typeset_is_one_failure(note: Read, name: str) -> None:
    assert failures(note(name)) in [[("formula", 3)], [("formula", 3), ("form", 3)]]


@pytest.mark.parametrize("name", each(ALL))
def test_the_site_shows_it_or_says_why_not(note: Read, name: str) -> None:
    path, text = note(name).path, note(name).text
    html = converter(Vault(path.parent), path, backlinks=False).convert(text)
    assert ("This note cannot be shown" in html) == bool(html and parse(text).refused)


@pytest.mark.parametrize(
    "names", [hostile.FEW, pytest.param(ALL, marks=pytest.mark.long)], ids=["few", "all"]
)
def test_notes_that_are_wrong_harm_none_beside_them(tmp_path: Path, names: Iterable[str]) -> None:
    for name in names:
        hostile.write(tmp_path, name)
    vault = Vault(tmp_path)
    wrong = [path.name for path, note in vault.notes.items() if wrong_with(note)]
    assert sorted(wrong) == sorted(name for name in names if name in hostile.WRONG)


def test_lines_are_counted_as_editors_do(note: Read) -> None:
    assert len(note("separators.md").lines) == 3
    assert len(note("carriage returns.md").lines) == 3
    assert note("bom.md").headings[0].text == "Title"
    assert note("latin.md").headings[0].text == "Title"


def test_what_only_looks_like_a_file_is_not_opened(tmp_path: Path) -> None:
    words = hostile.write_files(tmp_path)
    (tmp_path / "Good.md").write_text("# Good\n\n[[Deep]]\n")
    vault = Vault(tmp_path)
    reported = {vault.relative(path): note.problems for path, note in vault.notes.items()}
    for name, word in words.items():
        (problem,) = reported.pop(name)
        assert word in problem.message
    assert reported == {"Good.md": (), "inner/Deep.md": ()}


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.md").write_text("# A\n")
    (tmp_path / "b.md").write_text("# B\n")

    def refuse(path: Path, *_: object) -> object:
        if path.name == "a.md":
            raise PermissionError(13, "Permission denied")
        return open(path, "rb")  # noqa: PTH123

    monkeypatch.setattr(Path, "open", refuse)
    a, b = Vault(tmp_path).notes.values()
    assert [problem.message for problem in a.problems] == [
        "this file cannot be read: Permission denied"
    ]
    assert b.title == "B"
