"""What is done ahead of all notes, so that none of them has to do it again."""

from dataclasses import replace
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
    _Work(vault.root).prepare()
    runner = Runner(vault, Settings())
    try:
        (check,) = runner.result(vault.notes[vault.root / "A.md"]).checks
    finally:
        runner.close()
    assert (check.kind, check.what) == ("link", "[[B]]")


NOTE = """\
# A

[[B]]

$x \\in \\mathbb{R}$ is 0.25.

```python
x = 0.25
x
```

```text
0.5
```
"""


@pytest.mark.parametrize("count", [0, 1])
def test_it_finds_what_inspect_finds(vault: Vault, count: int) -> None:
    (vault.root / "A.md").write_text(NOTE)
    vault.refresh()
    note = vault.notes[vault.root / "A.md"]
    settings = Settings(typeset=to_mathml)
    runner = Runner(vault, settings, count)
    try:
        found = runner.result(note)
    finally:
        runner.close()
    expected = [replace(check, seconds=0) for check in inspect(note, vault, settings)]
    assert [replace(check, seconds=0) for check in found.checks] == expected
    assert {check.kind for check in expected} == {"link", "formula", "block", "number", "shape"}
    assert found.whole


def test_a_text_that_cannot_be_judged_is_one_failure(vault: Vault) -> None:
    (vault.root / "A.md").write_text(NOTE)
    vault.refresh()
    note = vault.notes[vault.root / "A.md"]

    def typeset(*_: object, **__: object) -> str:
        raise ZeroDivisionError("no way")

    runner = Runner(vault, Settings(typeset=typeset), 1)
    try:
        found = runner.result(note)
    finally:
        runner.close()
    first, *others = found.checks
    assert (first.kind, first.outcome) == ("form", FAILS)
    assert "ZeroDivisionError: no way" in first.why
    assert not found.whole
    assert "could not be checked" in found.ended
    assert [check.outcome for check in others if check.kind == "block"] == [FAILS]


def test_a_note_that_cannot_be_sent_is_one_failure(vault: Vault) -> None:
    note = replace(parse(NOTE, vault.root / "A.md"), meta={"made": lambda: 1})
    runner = Runner(vault, Settings(), 1)
    try:
        found = runner.result(note)
        other = runner.result(parse("# B\n", vault.root / "B.md"))
    finally:
        runner.close()
    assert not found.whole
    assert any("pickle" in check.why for check in found.checks if check.outcome == FAILS)
    assert other.whole
