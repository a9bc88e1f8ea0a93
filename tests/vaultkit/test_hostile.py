"""What is wrong with one note is said of that note, and of no other; nothing ends the run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vaultkit import hostile
from tests.vaultkit.agreement import converter
from vaultkit.checks.check import FAILS
from vaultkit.pipeline.inspect import Settings, inspect_text
from vaultkit.read.markdown import parse
from vaultkit.read.note import Note
from vaultkit.read.vault import Vault
from vaultkit.site.mathematics import to_mathml


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    folder = tmp_path_factory.mktemp("hostile")
    hostile.write(folder)
    return Vault(folder)


def note(vault: Vault, name: str) -> Note:
    return vault.notes[vault.root / name]


def failures(vault: Vault, name: str) -> list[tuple[str, int]]:
    checks = inspect_text(note(vault, name), vault, Settings(typeset=to_mathml))
    return [(check.kind, check.line) for check in checks if check.outcome == FAILS]


@pytest.mark.parametrize("name", hostile.WRONG)
def test_it_is_one_problem_of_one_note(vault: Vault, name: str) -> None:
    _, line, word = hostile.WRONG[name]
    (problem,) = note(vault, name).problems
    assert problem.line == line
    assert word in problem.message
    assert 1 <= problem.line <= len(note(vault, name).lines)


@pytest.mark.parametrize("name", hostile.ODD)
def test_what_is_odd_is_read(vault: Vault, name: str) -> None:
    assert not note(vault, name).problems
    failures(vault, name)


@pytest.mark.parametrize("name", hostile.FORMULAS)
def test_a_formula_that_nothing_can_typeset_is_one_failure(vault: Vault, name: str) -> None:
    assert failures(vault, name) in [[("formula", 3)], [("formula", 3), ("form", 3)]]


@pytest.mark.parametrize("name", [*hostile.WRONG, *hostile.ODD, *hostile.FORMULAS])
def test_the_site_shows_it_or_says_why_not(vault: Vault, name: str) -> None:
    text = note(vault, name).text
    html = converter(vault, vault.root / name, backlinks=False).convert(text)
    assert ("This note cannot be shown" in html) == bool(html and parse(text).refused)


def test_lines_are_counted_as_editors_do(vault: Vault) -> None:
    assert len(note(vault, "separators.md").lines) == 3
    assert len(note(vault, "carriage returns.md").lines) == 3
    assert note(vault, "bom.md").headings[0].text == "Title"
    assert note(vault, "latin.md").headings[0].text == "Title"


def test_what_only_looks_like_a_file_is_not_opened(tmp_path: Path) -> None:
    words = hostile.write_files(tmp_path)
    (tmp_path / "Good.md").write_text("# Good\n\n[[Deep]]\n")
    vault = Vault(tmp_path)
    told = {vault.relative(path): note.problems for path, note in vault.notes.items()}
    for name, word in words.items():
        (problem,) = told.pop(name)
        assert word in problem.message
    assert told == {"Good.md": (), "inner/Deep.md": ()}


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
