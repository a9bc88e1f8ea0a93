"""The one pipeline: what it finds, in which order, and what it reports on the way."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from vaultkit.checks.check import FAILS, HOLDS, UNJUDGED, Check
from vaultkit.checks.equations import Equations
from vaultkit.pipeline.inspect import Settings, inspect, run_code, task_of
from vaultkit.read.markdown import parse
from vaultkit.read.note import Note
from vaultkit.read.vault import Vault

TEXT = """\
# A

See [[B]] and [[C]], where $x = 2$ and $x = 3$ and $y = 3$.

```python title="lib.py"
x = 2
```

```python timeout=7
import lib

y = lib.x + 1
open("docs/data.txt").read()
```

```text
'7.5'
```

A word [^1] with 7.5 and 8.5, and $y = 3$ of shape (2, 3).

```python
z = [[0] * 4] * 2
1 / 0
```
"""


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "A.md").write_text(TEXT)
    (tmp_path / "docs" / "B.md").write_text("# B\n")
    (tmp_path / "docs" / "data.txt").write_text("7.5")
    (tmp_path / "lib.py").write_text("x = 2\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return Vault(tmp_path / "docs")


def note(vault: Vault) -> Note:
    return next(note for note in vault.notes.values() if note.name == "A")


def summary(checks: list[Check]) -> list[tuple[str, int, int, str]]:
    return [(c.kind, c.line, c.column, c.outcome) for c in checks]


def typeset(tex: str, display: bool) -> None:
    assert not display
    if tex == "y = 3":
        raise ValueError("no such sign")


def test_of_the_text_alone(vault: Vault) -> None:
    settings = Settings(typeset=typeset)
    checks = list(inspect(note(vault), vault, settings, run=None))
    assert summary(checks) == [
        ("form", 20, 8, FAILS),
        ("link", 3, 5, HOLDS),
        ("link", 3, 15, FAILS),
        ("formula", 3, 28, HOLDS),
        ("formula", 3, 40, HOLDS),
        ("formula", 3, 52, FAILS),
        ("formula", 20, 35, FAILS),
        ("mirror", 5, 1, HOLDS),
    ]
    # Who has no typesetter hears nothing of it.
    plain = list(inspect(note(vault), vault, run=None))
    assert summary(plain) == summary([c for c in checks if c.kind != "formula"])


@pytest.mark.usefixtures("usual_machine")
def test_then_of_the_blocks_then_of_what_they_show_about_the_text(vault: Vault) -> None:
    beats: list[tuple[int, float]] = []
    read: set[Path] = set()
    checks = list(
        inspect(
            note(vault),
            vault,
            Settings(timeout=5, typeset=typeset),
            run=partial(
                run_code, beat=lambda index, seconds: beats.append((index, seconds)), read=read
            ),
        )
    )
    first = len(list(inspect(note(vault), vault, Settings(typeset=typeset), run=None)))
    blocks, rest = checks[first : first + 3], checks[first + 3 :]
    assert [(c.kind, c.line, c.block, c.outcome) for c in blocks] == [
        ("block", 5, 0, HOLDS),
        ("block", 9, 1, HOLDS),
        ("block", 24, 2, FAILS),
    ]
    assert "ZeroDivisionError" in blocks[2].why
    assert all(c.seconds > 0 for c in blocks)
    assert all(c.block is None for c in rest)
    assert summary(rest) == [
        ("equation", 3, 28, HOLDS),
        ("equation", 3, 40, FAILS),
        ("equation", 3, 52, HOLDS),
        ("equation", 20, 35, HOLDS),
        ("number", 20, 18, HOLDS),
        ("number", 20, 26, UNJUDGED),
        ("shape", 20, 52, UNJUDGED),
    ]
    assert beats == [(0, 5.0), (0, 5.0), (1, 7.0), (2, 5.0), (2, 5.0)]
    root = vault.root.parent
    assert read == {root / "lib.py", root / "docs" / "data.txt"}


def test_up_to_a_block(vault: Vault) -> None:
    beats: list[int] = []
    run = partial(run_code, beat=lambda index, _seconds: beats.append(index))
    checks = list(inspect(note(vault), vault, run=run, until=1))
    text = summary(list(inspect(note(vault), vault, run=None)))
    assert summary(checks) == [*text, ("block", 5, 1, HOLDS)]
    assert beats == [0, 0]
    assert summary(list(inspect(note(vault), vault, until=0))) == text


def test_behind_each_block_it_may_pause(vault: Vault) -> None:
    ran: list[int] = []
    list(run_code(task_of(note(vault), vault), pause=lambda index: ran.append(index)))
    assert ran == [0, 1, 2]


def test_a_large_note_has_more_time_to_be_judged_but_not_to_run(vault: Vault) -> None:
    path = vault.root / "A.md"
    path.write_text("```python\nx = 2\n```\n\nHere $x = 2$.\n\n" + "words and words\n" * 5000)
    vault = Vault(vault.root)
    limits: list[float] = []
    task = task_of(note(vault), vault, Settings(timeout=3))
    checks = run_code(task, beat=lambda _, seconds: limits.append(seconds))
    assert {check.outcome for check in checks} == {HOLDS}
    assert limits == [11, 3, 11]


def test_a_note_may_not_change_the_vault(vault: Vault) -> None:
    path = vault.root / "A.md"
    path.write_text('# A\n\n```python\nopen("docs/B.md", "w").close()\n```\n')
    vault = Vault(vault.root)
    (block,) = inspect(note(vault), vault)
    assert (block.outcome, block.line) == (FAILS, 4)
    assert "B.md" in block.why
    assert (vault.root / "B.md").read_text() == "# B\n"


@pytest.mark.usefixtures("usual_machine")
def test_a_function_that_an_equation_calls_may_not_run_forever(vault: Vault) -> None:
    code = "def f(x):\n    while x: pass\n    return 2\nf(0)\n"
    shown = f"```python\n{code}```\n\n```text\n2\n```"
    (vault.root / "A.md").write_text(f"# A\n\n{shown}\n\n$f(1) = 2$, $f(0) = 2$.\n")
    vault = Vault(vault.root)
    _, endless, ended = inspect(note(vault), vault, Settings(timeout=0.2))
    assert (endless.outcome, ended.outcome) == (UNJUDGED, HOLDS)
    assert "0.2 s" in endless.why


@pytest.mark.parametrize(
    ("asked", "kinds", "runs"),
    [
        ("code", {"block"}, True),
        ("numbers", {"number"}, True),
        ("equations", {"equation", "shape"}, True),
        ("form", {"form"}, False),
        ("links", {"link"}, False),
        ("formulas", {"formula"}, False),
        ("mirrors", {"mirror"}, False),
    ],
)
def test_only_what_is_asked_for_is_reported_and_code_runs_only_for_that(
    vault: Vault, asked: str, kinds: set[str], runs: bool
) -> None:
    (vault.root / "vaultkit.toml").write_text(f'checks = ["{asked}"]\n')
    chosen = Vault(vault.root)
    beats: list[int] = []
    run = partial(run_code, beat=lambda index, _: beats.append(index))
    checks = inspect(note(chosen), chosen, Settings(typeset=typeset), run=run)
    assert {check.kind for check in checks} == kinds
    assert bool(beats) is runs


def test_other_numbers_are_tried_in_the_same_way(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: dict[str, Any] = {}

    def try_others(a_note: Note, versions: list[Equations], count: int, **rest: Any) -> None:
        (shapes,) = rest.pop("shapes")
        (sentences,) = rest.pop("sentences")
        assert shapes.note is sentences.note is a_note
        given.update(rest, note=a_note, claims=len(versions[0].claims), count=count)

    monkeypatch.setattr("vaultkit.pipeline.inspect.try_others", try_others)

    def beat(_index: int, _seconds: float) -> None: ...

    (vault.root / "A.md").write_text(f"{TEXT}\n```python\nlater = 1\n```\n")
    vault = Vault(vault.root)
    run = partial(run_code, beat=beat)
    list(inspect(note(vault), vault, Settings(timeout=5, trials=4), run=run))
    assert given == {
        "note": note(vault), "claims": 4, "count": 4, "root": vault.root.parent, "timeout": 5,
        "broken": {2}, "beat": beat,
    }  # fmt: skip


def test_a_folder_may_ask_for_less(vault: Vault) -> None:
    (vault.root / "Drafts").mkdir()
    (vault.root / "A.md").rename(vault.root / "Drafts" / "A.md")
    (vault.root / "vaultkit.toml").write_text('[folders]\n"Drafts" = ["links", "code"]\n')
    chosen = Vault(vault.root)
    kinds = {check.kind for check in inspect(note(chosen), chosen, Settings(typeset=typeset))}
    assert kinds == {"link", "block"}


def test_a_check_that_is_unknown_is_a_failure_of_the_note(vault: Vault) -> None:
    (vault.root / "A.md").write_text("---\nchecks: [link]\n---\n# A\n")
    chosen = Vault(vault.root)
    (check,) = (c for c in inspect(note(chosen), chosen, run=None) if "did you mean" in c.why)
    assert check == Check("form", 1, check.why, FAILS, check.why)


@pytest.mark.parametrize(
    ("code", "summary"),
    [
        (
            "import vaultkit.checks.outputs as o\no.describe_difference = lambda *_, **__: ''",
            "describe_difference",
        ),
        ("import vaultkit.checks.outputs as o\no.check = None", "check"),
        ("from vaultkit.run.session import NoteRun\nNoteRun.steps = lambda *_: []", "steps"),
        ("import numpy.linalg as n\nn.norm = abs", "norm"),
    ],
)
def test_what_a_block_has_replaced_is_found_at_the_end(
    vault: Vault, code: str, summary: str
) -> None:
    made = parse(f"# A\n\n```python\n{code}\n```\n\n```python\n1\n```\n", vault.root / "A.md")
    *_, last = run_code(task_of(made, vault))
    assert (last.line, last.outcome) == (5, FAILS)
    assert last.why.endswith(f".{summary} was replaced")
    fine = parse("# A\n\n```python\n1\n```\n\n```text\n1\n```\n", vault.root / "A.md")
    assert [check.outcome for check in run_code(task_of(fine, vault))] == [HOLDS]
