"""What is done ahead of all notes, so that none of them has to do it again."""

from pathlib import Path

import pytest

from vaultkit.checks.check import FAILS
from vaultkit.doors.runner import _EXAMPLE, Runner, _Work
from vaultkit.inspect import Settings, inspect
from vaultkit.read.markdown import parse
from vaultkit.read.vault import Vault
from vaultkit.site.mathematics import to_mathml


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "A.md").write_text("# A\n\n[[B]]\n")
    return Vault(tmp_path / "docs")


def test_the_example_has_something_of_every_kind_and_all_of_it_holds(vault: Vault) -> None:
    note = parse(_EXAMPLE, vault.root / "Example.md")
    checks = list(inspect(note, vault, Settings(typeset=to_mathml)))
    assert [check.why for check in checks if check.outcome == FAILS] == []
    kinds = {"block", "link", "formula", "equation", "shape", "number"}
    assert {check.kind for check in checks} == kinds


def test_what_is_found_in_it_is_told_of_no_note(vault: Vault) -> None:
    _Work(vault, Settings()).prepare()
    runner = Runner(vault, Settings())
    try:
        (check,) = runner.result(vault.notes[vault.root / "A.md"]).checks
    finally:
        runner.close()
    assert (check.kind, check.what) == ("link", "[[B]]")
