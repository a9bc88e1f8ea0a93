"""Work that is done once before all notes, so that no note's process repeats it."""

import json
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from vaultkit.checks.check import FAILS, UNJUDGED, Check
from vaultkit.checks.typeset import Typesetter
from vaultkit.pipeline.inspect import Settings, inspect
from vaultkit.pipeline.process import _EXAMPLE, NoteWork
from vaultkit.pipeline.runner import Runner, workers_of
from vaultkit.read.markdown import parse
from vaultkit.read.vault import Vault
from vaultkit.render.mathematics import to_mathml
from vaultkit.workers.ending import Limits


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "A.md").write_text("# A\n\n[[B]]\n")
    return Vault(tmp_path / "docs")


def test_the_example_has_something_of_every_kind_and_all_of_it_holds(vault: Vault) -> None:
    note = parse(_EXAMPLE, vault.root / "Example.md")
    checks = list(inspect(note, vault, Settings(typeset=to_mathml)))
    assert [check.why for check in checks if check.outcome == FAILS] == []
    kinds = {"block", "link", "formula", "equation", "shape", "number", "sentence"}
    assert {check.kind for check in checks} == kinds


def test_what_is_found_in_it_is_reported_for_no_note(vault: Vault) -> None:
    NoteWork(vault.root).prepare()
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
    vault = Vault(vault.root)
    note = vault.notes[vault.root / "A.md"]
    settings = Settings(typeset=to_mathml)
    runner = Runner(vault, settings, count)
    try:
        found = runner.result(note)
    finally:
        runner.close()

    def timeless(checks: Iterable[Check]) -> list[Check]:
        return sorted((replace(check, seconds=0) for check in checks), key=repr)

    expected = timeless(inspect(note, vault, settings))
    assert timeless(found.checks) == expected
    assert {check.kind for check in expected} == {"link", "formula", "block", "number", "shape"}
    assert found.is_whole


def test_only_what_runs_has_a_process(vault: Vault) -> None:
    texts = {
        "Words.md": "# Words\n\nSee [[Gone]] at 0.25.\n\n```text\nno code\n```\n",
        "Formula.md": "# Formula\n\n$x^2$\n",
        "Asked.md": "---\nchecks: [numbers]\n---\n# Asked\n\nIt is 0.25.\n",
        "Code.md": "# Code\n\n```python\nx = 1\n```\n",
    }
    for name, text in texts.items():
        (vault.root / name).write_text(text)
    vault = Vault(vault.root)
    workers = workers_of(vault.root, 1)
    submitted: list[str] = []
    submit = workers.submit
    workers.submit = lambda key, given: submitted.append(key) or submit(key, given)  # type: ignore[func-returns-value, method-assign, misc]
    runner = Runner(vault, Settings(typeset=to_mathml), workers=workers)
    notes = [vault.notes[vault.root / name] for name in texts]
    try:
        runner.submit([(note, None) for note in notes])
        found = {note.path.name: runner.result(note) for note in notes}
    finally:
        runner.close()
    assert [Path(json.loads(key)[0]).name for key in submitted] == [
        "Formula.md",
        "Asked.md",
        "Code.md",
    ]
    for note in notes:
        expected = [
            replace(c, seconds=0) for c in inspect(note, vault, Settings(typeset=to_mathml))
        ]
        message = [replace(c, seconds=0) for c in found[note.path.name].checks]
        assert sorted(message, key=repr) == sorted(expected, key=repr)
        assert found[note.path.name].is_whole
    assert [c.outcome for c in found["Words.md"].checks] == [FAILS]
    assert UNJUDGED in {c.outcome for c in found["Asked.md"].checks}


def raises(*_: object, **__: object) -> str:
    raise ZeroDivisionError("no way")


def never_ends(*_: object, **__: object) -> str:
    while True:
        pass


def dies(*_: object, **__: object) -> str:
    os.abort()


@pytest.mark.long
@pytest.mark.parametrize(
    ("typeset", "message"),
    [
        (raises, "ZeroDivisionError: no way"),
        (never_ends, "was stopped from outside"),
        (dies, "was ended by SIGABRT"),
    ],
)
def test_a_formula_that_nothing_can_typeset_is_one_failure(
    vault: Vault, typeset: Typesetter, message: str
) -> None:
    (vault.root / "A.md").write_text(NOTE)
    (vault.root / "B.md").write_text("# B\n\nWords.\n")
    vault = Vault(vault.root)
    limits = Limits(seconds=1.0, grace=0.5)
    runner = Runner(vault, Settings(timeout=1.0, typeset=typeset), 1, limits)
    try:
        found, other = (runner.result(vault.notes[vault.root / n]) for n in ("A.md", "B.md"))
    finally:
        runner.close()
    assert any(message in check.why for check in found.checks if check.outcome == FAILS)
    assert not found.is_whole
    assert other.is_whole
    assert not other.checks


def test_a_note_that_cannot_be_sent_is_one_failure(vault: Vault) -> None:
    note = replace(parse(NOTE, vault.root / "A.md"), meta={"made": lambda: 1})
    runner = Runner(vault, Settings(), 1)
    try:
        found = runner.result(note)
        other = runner.result(parse("# B\n", vault.root / "B.md"))
    finally:
        runner.close()
    assert not found.is_whole
    assert any("pickle" in check.why for check in found.checks if check.outcome == FAILS)
    assert other.is_whole
