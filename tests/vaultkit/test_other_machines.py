"""What comes otherwise on another machine is found, and named with the machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from tests.vaultkit.test_pytest_plugin import run as run_pytest
from vaultkit.checks.check import FAILS, Check
from vaultkit.doors.command_line import main
from vaultkit.pipeline import machines as module
from vaultkit.pipeline.inspect import Settings
from vaultkit.pipeline.machines import Machine, Machines, Trial, measure_arithmetic
from vaultkit.pipeline.process import Inspection, Output
from vaultkit.read.vault import Vault
from vaultkit.run.reordering import product
from vaultkit.site.report import read_entries

CALM = "# Calm\n\n```python\n1 / 4\n```\n\n```text\n0.25\n```\n"
#: The first sum loses a digit that the same sum keeps if the last two terms come first.
TIED = """\
# Tied

```python
import numpy as np

x = np.array([1.0, 1e16, -1e16])
print("the sum")
float(x @ np.ones(3))
```

```text
the sum
0.0
```
"""
BACKWARDS = Machine("products summed backwards", reordered=True)
MESSAGE = (
    "docs/Tied.md:13: 0.0 here, 1.0 with products summed backwards: rounding decides this digit"
)


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "Calm.md").write_text(CALM)
    (folder / "Tied.md").write_text(TIED)
    (folder / "vaultkit.toml").write_text("every_digit = true\n")
    return folder


def check(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["check", "docs", *arguments], catch_exceptions=False)


def tried(folder: Path) -> dict[str, int]:
    vault = Vault(folder)
    return {entry.name: entry.machines for entry in read_entries(vault)}


@pytest.mark.long
def test_what_differs_fails_with_its_line_and_the_ledger_knows(vault: Path) -> None:
    assert check().exit_code == 0
    assert tried(vault) == {"Calm": 0, "Tied": 0}
    done = check("--machines", "1")
    assert done.exit_code == 1
    assert MESSAGE in done.stdout
    assert "machines: products summed backwards: differs in Tied.md (2 notes, 0 fig" in done.stderr
    assert tried(vault) == {"Calm": 2, "Tied": 0}
    # An ordinary run takes nothing back.
    check()
    assert tried(vault) == {"Calm": 2, "Tied": 0}
    (vault / "Calm.md").write_text(CALM + "\nMore.\n")
    assert tried(vault) == {"Calm": 0, "Tied": 0}
    check()
    assert tried(vault) == {"Calm": 0, "Tied": 0}


@pytest.mark.long
def test_code_that_a_note_imports_is_summed_in_another_order_too(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(vault.parent)
    (vault.parent / "sums.py").write_text("def total(x, y):\n    return float(x @ y)\n")
    called = TIED.replace("float(x @ np.ones(3))", "total(x, np.ones(3))")
    (vault / "Tied.md").write_text(called.replace("as np\n", "as np\nfrom sums import total\n"))
    assert MESSAGE.replace("13", "14") in check("--machines", "1").stdout


@pytest.mark.usefixtures("vault")
def test_notes_are_not_rewritten_or_watched_meanwhile() -> None:
    assert check("--machines", "1", "--update").exit_code == 2
    assert check("--machines", "1", "--watch").exit_code == 2


DRAWINGS = """
import numpy as np
from vaultkit.figure import Figure

def calm(): return {"x": 0.25}
def tied(): return {"x": np.array([1.0, 1e16, -1e16]) @ np.ones(3)}
def crash(): raise ValueError("no data")
def draw(data): return f"<svg><text>{data['x']:.2f}</text></svg>"

FIGURES = {f"{f.__name__}.svg": Figure(f"{f.__name__}.svg", f, draw) for f in (calm, tied, crash)}
"""


@pytest.mark.long
def test_pytest_runs_notes_and_figures_again(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(pytester.path)
    pytester.makefile(".md", **{"docs/Calm": CALM, "docs/Tied": TIED})
    pytester.makefile(".svg", **dict.fromkeys(("docs/calm", "docs/tied"), "<svg></svg>"))
    pytester.makefile(".toml", vaultkit="every_digit = true\n")
    pytester.makepyfile(drawings=DRAWINGS)
    settings = ("docs", "-o", "vault_figures=drawings")
    run_pytest(pytester, *settings, "--update")
    result = run_pytest(pytester, *settings, "--machines", "1")
    result.assert_outcomes(passed=18, failed=2)
    result.stdout.fnmatch_lines(
        [
            "again with products summed backwards",
            MESSAGE,
            "docs/tied.svg:1: with products summed backwards: it shows other data",
            "machines: products summed backwards: differs in Tied.md, tied.svg (2 notes, 2 *",
        ]
    )
    assert tried(pytester.path / "docs") == {"Calm": 2, "Tied": 0}
    run_pytest(pytester, *settings).assert_outcomes(passed=16)
    assert tried(pytester.path / "docs") == {"Calm": 2, "Tied": 0}


def machines_of(folder: Path, *several: Machine, monkeypatch: pytest.MonkeyPatch) -> Machines:
    monkeypatch.setattr(module, "MACHINES", several)
    vault = Vault(folder)
    machines = Machines(vault, Settings())
    machines.run(vault.notes.values())
    return machines


def test_what_cannot_be_tried_says_why(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = measure_arithmetic()
    simd = np.show_config(mode="dicts")["SIMD Extensions"]
    monkeypatch.setattr(module, "measure_arithmetic", lambda: replace(here, simd=simd["baseline"]))
    machines = machines_of(
        vault,
        Machine("one", kernel=here.kernel),
        Machine("two", kernel="Unheard"),
        Machine("three", without="no such"),
        Machine("four", without="."),
        Machine("five"),
        monkeypatch=monkeypatch,
    )
    assert machines.tried == []
    lines = [str(trial) for trial in machines.trials]
    assert lines[0] == "one: not tried: the first run had it"
    assert lines[1].startswith("two: not tried: NumPy has no such kernels here, and uses those of")
    assert lines[2] == "three: not tried: NumPy uses none of them here"
    assert lines[3].startswith(
        "four: not tried: not possible with this processor or NumPy: it ended its"
    )
    assert "exit status 1: " in lines[3]
    assert lines[4] == "five: not tried: the first run had it"


def test_a_machine_that_breaks_off_is_a_failure(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = Machines.run.__globals__["json"].dumps
    monkeypatch.setattr(module.json, "dumps", lambda given: task({**given, "notes": ["nowhere"]}))
    machines = machines_of(vault, BACKWARDS, monkeypatch=monkeypatch)
    monkeypatch.undo()
    note = machines.vault.notes[vault / "Calm.md"]
    (found,) = machines.differences(Inspection(note, is_whole=True))
    assert found.why.startswith("it runs to its end here, it does not with products summed back")
    assert "exit status 1: KeyError" in found.why


@pytest.mark.long
def test_a_note_that_has_changed_meanwhile_is_not_compared(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Vault(vault)
    (vault / "Calm.md").write_text("One line more.\n\n" + CALM)
    monkeypatch.setattr(module, "MACHINES", [BACKWARDS])
    machines = Machines(folder, Settings())
    note = folder.notes[vault / "Calm.md"]
    machines.run([note])
    (found,) = machines.differences(Inspection(note, is_whole=True))
    assert found.why.endswith("it has changed meanwhile; run again")


def difference(folder: Path, one: str, other: str, *, mask: str = "") -> list[tuple[int, str]]:
    """Return the differences of a block that shows its output from line 10 on."""
    if mask:
        (folder / "Calm.md").write_text(CALM.replace("```python", f'```python volatile="{mask}"'))
    vault = Vault(folder)
    note = vault.notes[folder / "Calm.md"]

    def found(text: str) -> Inspection:
        return Inspection(note, is_whole=True, outputs={0: [Output(10, text, is_shown=True)]})

    machines = Machines(vault, Settings())
    for name in ("Haswell kernels", "two threads"):
        machines.trials.append(Trial(Machine(name), notes={"Calm.md": found(other)}))
    return [(check.line, check.why) for check in machines.differences(found(one))]


@pytest.mark.parametrize(
    ("one", "other", "line", "words"),
    [
        (
            "0.46",
            "0.45",
            10,
            "0.46 here, 0.45 with Haswell kernels and two threads: rounding decid",
        ),
        ("[[1. 2. ]\n [3. 4.5]]", "[[1. 2.  ]\n [3. 4.51]]", 11, "4.5 here, 4.51 with Haswell"),
        ("x\ny True", "x\ny False", 11, "y True here, y False with Haswell kernels and two thr"),
        ("1 2", "12", 10, "1 2 here, 12 with Haswell"),
        ("a", "b\nc", 10, "a here, b / c with Haswell"),
    ],
)
def test_a_difference_is_reported_with_its_line(
    vault: Path, one: str, other: str, line: int, words: str
) -> None:
    ((at, why),) = difference(vault, one, other)
    assert at == line
    assert why.startswith(words)


def test_what_changes_from_run_to_run_is_no_difference(vault: Path) -> None:
    assert difference(vault, "[1.  2.]", "[1. 2.]") == []
    assert difference(vault, "at 0x12 1", "at 0xab 1", mask=r"0x\w+") == []
    assert len(difference(vault, "at 0x12 1", "at 0xab 2", mask=r"0x\w+")) == 1


def test_fewer_digits_than_come_may_be_right_everywhere(vault: Path) -> None:
    (vault / "vaultkit.toml").write_text("")
    folder = Vault(vault)
    note = folder.notes[vault / "Calm.md"]
    checks = [Check("block", 3, "Calm", block=0)]
    machines = Machines(folder, Settings())
    other = Inspection(note, checks, outputs={0: [Output(8, "0.25000001", is_shown=True)]})
    machines.trials = [Trial(Machine("one"), notes={"Calm.md": other})]
    first = Inspection(note, checks, outputs={0: [Output(8, "0.25", is_shown=True)]})
    assert machines.differences(first) == []
    other.checks[:] = [Check("block", 8, "Calm", FAILS, "the output is not", block=0)]
    assert [check.line for check in machines.differences(first)] == [8]


def test_other_verdicts_are_differences(vault: Path) -> None:
    folder = Vault(vault)
    note = folder.notes[vault / "Calm.md"]
    machines = Machines(folder, Settings())
    there = [Check("equation", 5, "x = y", FAILS, "left 1\nright 2"), Check("link", 6, "A", FAILS)]
    machines.trials = [Trial(Machine("one"), notes={"Calm.md": Inspection(note, there)})]
    here = [Check("equation", 5, "x = y"), Check("link", 6, "A"), Check("number", 7, "2.5")]
    assert [(check.line, check.why) for check in machines.differences(Inspection(note, here))] == [
        (5, "x = y holds here, fails with one: rounding decides this\n  left 1"),
        (7, "2.5 holds here, is not judged with one: rounding decides this"),
    ]


@pytest.mark.parametrize(
    "shapes", [((3,), (3,)), ((2, 3), (3, 4)), ((5, 2, 3), (3,)), ((3,), (3, 4))]
)
def test_a_product_in_another_order_is_the_same_but_for_rounding(
    shapes: tuple[tuple[int, ...], tuple[int, ...]],
) -> None:
    rng = np.random.default_rng(0)
    left, right = (rng.normal(size=shape) for shape in shapes)
    assert np.allclose(product(left, right), left @ right, rtol=1e-14)
    assert np.shape(product(left, right)) == np.shape(left @ right)
    whole = product(np.ones(shapes[0], int), np.ones(shapes[1], int))
    assert np.asarray(whole).dtype.kind == "i"
