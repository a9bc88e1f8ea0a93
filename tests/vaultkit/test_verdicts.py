"""Three verdicts: a statement is proven, contradicted, or not judged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from vaultkit.checks.check import FAILS, FOUND, HOLDS, UNJUDGED
from vaultkit.doors.command_line import main
from vaultkit.pipeline.inspect import inspect
from vaultkit.pipeline.ledger import Ledger, describe_verdicts
from vaultkit.read.vault import Vault

CODE = """# Lens

```python
import numpy as np

f = 0.25
n = 12
R = 1200.0
W = np.ones((3, 2))
print(1 / f + 0.125)
```

```text
4.125
```

"""
#: Statements that this page proves, contradicts, and can neither prove nor contradict.
PROVEN = (
    "$f = 1/4$",
    "`n` is 12.",
    "$W \\in \\mathbb{R}^{3 \\times 2}$",
    "`W` is (3, 2).",
    "[[Lens]]",
)
CONTRADICTED = (
    "$f = 1/5$", "`n` is 13.", "$W \\in \\mathbb{R}^{2 \\times 2}$", "`W` is (2, 2).",
    "[[Prism]]", "$f W = W$", "$W W = W$", "`n + 1` is 14.",
    "$n / 7 = 1.72$", "$(f, 1/3) = (0.25, 0.34)$",
)  # fmt: skip
OPEN = (
    "$D = 1/f$", "$\\dot{f} ?= 1$", "It costs 37.5 euros.", "Most arrays are (5, 7).",
    "It has 37 lenses.", "```{python}\n1\n```", "Take (2.5, 3.5).",
    "$n / 7 = 1.71$", "$(f, 1/3) = (0.25, 0.33)$",
)  # fmt: skip


def vault(folder: Path, text: str, settings: str = "") -> Vault:
    (folder / "notes").mkdir(exist_ok=True)
    (folder / "notes/Lens.md").write_text(CODE + text + "\n")
    (folder / "vaultkit.toml").write_text(settings)
    return Vault(folder / "notes")


def outcomes(folder: Path, text: str, settings: str = "") -> set[str]:
    """Return the outcomes other than of the block."""
    found = vault(folder, text, settings)
    (note,) = found.notes.values()
    return {c.outcome for c in inspect(note, found) if c.kind != "block"}


@pytest.mark.parametrize("text", PROVEN)
def test_proven(text: str, tmp_path: Path) -> None:
    assert outcomes(tmp_path, text) == {HOLDS}


@pytest.mark.parametrize("text", CONTRADICTED)
def test_contradicted(text: str, tmp_path: Path) -> None:
    assert FAILS in outcomes(tmp_path, text)


@pytest.mark.parametrize("text", OPEN)
def test_not_judged_unless_the_settings_are_strict(text: str, tmp_path: Path) -> None:
    assert outcomes(tmp_path, text) == {UNJUDGED}
    assert outcomes(tmp_path, text, 'unjudged = "fail"') == {FAILS}


def test_a_number_that_occurs_is_not_proven(tmp_path: Path) -> None:
    found = vault(tmp_path, "The lens has 4.125 dioptres; `f` is 0.25.")
    (note,) = found.notes.values()
    checks = list(inspect(note, found))
    numbers = {c.what: c.scope for c in checks if c.kind == "number"}
    assert numbers == {"4.125": FOUND, "0.25": ""}
    words = "1 block, 1 number proven; 1 more number found on this page"
    assert describe_verdicts(checks) == words


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [*map(str, arguments)], catch_exceptions=False)


def test_the_command_counts_and_lists_what_is_not_judged(tmp_path: Path) -> None:
    notes = vault(tmp_path, "It costs 37.5 euros, for 4.125 dioptres.").root
    done = run("check", notes)
    totals = "1 block holds; 1 number occurs on its page; 1 not judged (--unjudged lists them)"
    assert (done.exit_code, done.stdout.count(totals)) == (0, 1)
    assert "What these words mean (printed once)" in done.stderr
    again = run("check", notes, "--unjudged")
    assert "What these words mean" not in again.stderr
    assert "Lens.md:17: not judged: nothing on this page computes 37.5" in again.stdout
    assert "1 not judged; nothing wrong" in again.stdout
    results = json.loads(run("check", notes, "--json").stdout)["Lens.md"]
    assert [check["outcome"] for check in results] == [HOLDS, UNJUDGED, HOLDS]
    (tmp_path / "vaultkit.toml").write_text('unjudged = "fail"')
    strict = run("check", notes)
    assert (strict.exit_code, strict.stdout.count("0 not judged")) == (1, 0)
    assert "1 wrong" in strict.stdout


def test_other_settings_make_results_stale(tmp_path: Path) -> None:
    found = vault(tmp_path, "It costs 37.5 euros.")
    (note,) = found.notes.values()
    Ledger(found).record(note, inspect(note, found))
    assert [c.outcome for c in Ledger(found).fresh_checks(note) or ()] == [HOLDS, UNJUDGED]
    strict = vault(tmp_path, "It costs 37.5 euros.", 'unjudged = "fail"')
    assert Ledger(strict).fresh_checks(note) is None


def test_a_baseline_records_what_is_contradicted(tmp_path: Path) -> None:
    notes = vault(tmp_path, "It costs 37.5 euros. $f = 1/5$").root
    assert "1 failures noted" in run("check", notes, "--baseline").stderr
    done = run("check", notes, "--baseline")
    assert done.exit_code == 0
    assert "1 excepted; 1 not judged" in done.stdout


def test_pytest_lists_what_is_not_judged(pytester: pytest.Pytester) -> None:
    vault(pytester.path, "It costs 37.5 euros.")
    done = pytester.runpytest("--vault=notes", "notes", "--vault-unjudged")
    done.assert_outcomes(passed=7)
    line = "*Lens.md:17: not judged: nothing on this page computes 37.5*"
    done.stdout.fnmatch_lines(["vault: 1 note, *; 1 not judged", line, "What these words mean*"])
    (pytester.path / "vaultkit.toml").write_text('unjudged = "fail"')
    pytester.runpytest("--vault=notes", "notes").assert_outcomes(passed=6, failed=1)


#: Blocks that a page shows without all that they need, and what is below them.
LACKING = {
    "a package": "import no_such_package\nx = no_such_package.load()",
    "a file": "rows = open('no such file.csv').read()",
    "an answer": "name = input('name? ')",
    "the code above": "total = sum(row['price'] for row in portfolio)",
    "a session": ">>> 1 + 1\n2",
    "a part that is left out": "def f(x):\n    ... \n  return ...",
    "a command of IPython": "%matplotlib inline\nn = 3",
    "a command of the shell": "n = 3\n! pip install vaultkit",
    "the beginning of a branch": "# else\nelse:\n    n = 3",
    "the package of a module": "from . import lens",
    "code that is an output": "[2.77 0.48]\narray([1. 2.])",
    "the end of a block": "if n > 5:\n    # more",
    "an announced error": "n[0] = 1  # TypeError: an int has no items",
    "an announced failure": "n[0] = 1  # this fails",
    "no output": "n + 1",
}
#: Blocks that are wrong.
WRONG = {
    "a slip of the pen": "totle = 3\ntotal = totel + 1",
    "another case": "Width = 3\nwidth + 1",
    "a type": "n[0] = 1",
    "a division": "1 / (n - n)",
    "a bracket": "x = (1, 2",
    "a percent sign": "x = 5\nprint(%x)",
    "a missing colon": "if n == 12\n    n = 3\nelse:\n    n = 4",
    "a file that is written": "open('beside.txt', 'w').write('x')\nassert False",
}


def verdicts_of_blocks(folder: Path, code: str, below: str = "") -> list[str]:
    found = vault(folder, f"```python\n{code}\n```\n\n{below}")
    (note,) = found.notes.values()
    return [c.outcome for c in inspect(note, found) if c.kind == "block"][1:]


@pytest.mark.parametrize("name", LACKING)
def test_a_block_for_which_the_page_lacks_something(name: str, tmp_path: Path) -> None:
    assert verdicts_of_blocks(tmp_path, LACKING[name]) == [UNJUDGED]
    strict = vault(tmp_path, f"```python\n{LACKING[name]}\n```", 'unjudged = "fail"')
    (note,) = strict.notes.values()
    assert [c.outcome for c in inspect(note, strict) if c.kind == "block"] == [HOLDS, FAILS]


@pytest.mark.parametrize("name", WRONG)
def test_a_block_that_is_wrong(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a block that is inspected here writes here
    assert verdicts_of_blocks(tmp_path, WRONG[name]) == [FAILS]


def test_what_depends_on_a_block_that_cannot_run(tmp_path: Path) -> None:
    needs = "import no_such_package as p\nx = p.load()"
    after = "```python\nn * x\n```\n\n```text\n36\n```\n\n```python\nn = 1\nn / 0\n```\n"
    assert verdicts_of_blocks(tmp_path, needs, after) == [UNJUDGED, UNJUDGED, FAILS]
    again = "```python\nx = 3\n```\n\n```python\nn * x\n```\n\n```text\n35\n```\n"
    assert verdicts_of_blocks(tmp_path, needs, again) == [UNJUDGED, HOLDS, FAILS]


def test_an_error_that_is_shown_below(tmp_path: Path) -> None:
    shown = "```error\nTypeError: 'int' object does not support item assignment\n```"
    assert verdicts_of_blocks(tmp_path, "n[0] = 1", shown) == [UNJUDGED]
    assert verdicts_of_blocks(tmp_path, "n[0] = 1", "\n" * 12 + shown) == [FAILS]


@pytest.mark.parametrize(
    ("link", "outcome"),
    [
        ("[a](/assets/a.svg)", UNJUDGED),
        ("[a]({{site.baseurl}}/a/)", UNJUDGED),
        ("[a](../Readme.md)", UNJUDGED),
        ("![a](images/a.png)", UNJUDGED),
        ("![a](a.png)", FAILS),
        ("[a](a.md)", FAILS),
        ("[[images/a]]", FAILS),
        ("[a](Lens.md#No)", FAILS),
    ],
)
def test_links_out_of_the_vault(link: str, outcome: str, tmp_path: Path) -> None:
    assert outcomes(tmp_path, link) == {outcome}


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        (":::{note}", UNJUDGED),
        ("!!! note", UNJUDGED),
        ("\\(x = 1\\)", UNJUDGED),
        ("This[^1].", FAILS),
        ("This [word][no such target].", FAILS),
        ("$$x = 1", FAILS),
    ],
)
def test_mark_up_of_other_programs(text: str, outcome: str, tmp_path: Path) -> None:
    assert outcomes(tmp_path, text) == {outcome}


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("Here n = 13.", FAILS),
        ("Here n = 21.", FAILS),
        ("In another house (n = 45) it is louder.", UNJUDGED),
        ("In another house (`n` = 45) it is louder.", FAILS),
        ("Here R = 1.2 kΩ.", UNJUDGED),
        ("Here R = 1.3 kΩ.", FAILS),
        ("The number is $n = 14$.", FAILS),
        ("The least is at $n = 14$.", UNJUDGED),
        ("For $n = 14$ it would be more.", UNJUDGED),
    ],
)
def test_a_name_with_another_value(text: str, outcome: str, tmp_path: Path) -> None:
    assert outcome in outcomes(tmp_path, text)
    assert FAILS not in outcomes(tmp_path, text) or outcome == FAILS


#: Formulas that do not hold for these values, and need not: of data, of a rounded number, of noise,
#: of what a loop has left. And formulas that are wrong.
MODELS = {
    "T = np.array([1.01, 1.41]); l = np.array([0.25, 0.5])": (
        "$T = 2 \\pi \\sqrt{l / 9.81}$",
        True,
    ),
    "T = 8.02; lam = 0.0864": ("$\\lambda = \\ln 2 / T$", True),
    "T = 8.03; lam = 0.0864 ": ("$\\lambda = \\ln 3 / T$", False),
    "x = np.arange(4.0); y = 2 * x + np.random.default_rng(0).normal(size=4)": ("$y = 2 x$", True),
    "for r in (0.03, 0.07): g = (1 + r) ** 2": ("$(1 + r)^2 = 1.1025$", True),
    "r = 0.07": ("$(1 + r)^2 = 1.1025$", False),
    "x = np.arange(4.0); y = 2 * x": ("$y = 3 x$", False),
}


@pytest.mark.parametrize("code", MODELS)
def test_models_of_data(code: str, tmp_path: Path) -> None:
    formula, is_model = MODELS[code]
    found = outcomes(tmp_path, f"```python\n{code}\n```\n\n{formula}")
    assert found == {UNJUDGED if is_model else FAILS}
