"""Trials on other numbers: whether an equation holds in general or only on the page."""

import ast
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vaultkit.checks.check import FAILS, Check
from vaultkit.checks.equations import Claim, Equations
from vaultkit.checks.trials import try_others
from vaultkit.pipeline.inspect import Settings, inspect
from vaultkit.read.markdown import parse
from vaultkit.read.vault import Vault
from vaultkit.run.session import NoteRun
from vaultkit.run.variation import Variation

SET_UP = """\
```python
import numpy as np

rng = np.random.default_rng(0)
n, d_k = 3, 2
d_v = 2
Q = rng.normal(size=(n, d_k))
V = rng.normal(size=(n, d_v))
p = np.array([0.25, 0.75])
q = np.array([3.0, 4.0])
```

"""


def inspected(tmp_path: Path, text: str, trials: int = 4, set_up: str = SET_UP) -> list[Check]:
    (tmp_path / "docs").mkdir(exist_ok=True)
    (tmp_path / "docs/A.md").write_text(set_up + text)
    # Also where the set-up shows nothing.
    (tmp_path / "docs/vaultkit.toml").write_text("without_code = true\n")
    vault = Vault(tmp_path / "docs")
    (note,) = vault.notes.values()
    checks = inspect(note, vault, Settings(trials=trials))
    return [check for check in checks if check.kind in ("equation", "shape")]


GENERAL = {
    "an identity": r"$Q Q^\top = (Q Q^\top)^\top$",
    "shares stay shares": r"$\sum_i p_i = 1$",
    "a shape by its names": r"$V \in \mathbb{R}^{n \times d_v}$",
}
HERE = {
    "a number of the page": "$d_k = 2$",
    "a value of the page": r"$q_1 = 3$",
    "sizes that are equal": r"$d_v = d_k$<!-- here: both are two -->",
}
FALSE = {
    "sizes that happen to be equal": r"$d_v = d_k$",
    "a wrong letter of the same size": r"$V \in \mathbb{R}^{n \times d_k}$",
    "a norm that happens to be a sum of others": r"$\lVert q \rVert = q_1 + d_k$",
}


@pytest.mark.parametrize("text", GENERAL.values(), ids=GENERAL)
def test_what_holds_for_any_numbers_is_general(tmp_path: Path, text: str) -> None:
    (check,) = inspected(tmp_path, text)
    assert (check.outcome, check.scope) == ("holds", "general")


@pytest.mark.parametrize("text", HERE.values(), ids=HERE)
def test_what_holds_for_the_numbers_of_the_page_is_so_here(tmp_path: Path, text: str) -> None:
    (check,) = inspected(tmp_path, text)
    assert (check.outcome, check.scope) == ("holds", "here")


SHAPES = {
    "V is (n, d_v).": ("holds", "general"),
    "V is (3, 2).": ("holds", ""),
    "V is (n, d_k).": ("fails", "here"),
    "V is $n \\times d_k$.": ("fails", "here"),
    "V is (n, d_k)<!-- given: so -->.": ("excepted", ""),
}


@pytest.mark.parametrize("text", SHAPES)
def test_a_shape_in_the_text_is_judged_by_its_names(tmp_path: Path, text: str) -> None:
    (check,) = inspected(tmp_path, text)
    assert (check.outcome, check.scope) == SHAPES[text]
    if check.outcome == FAILS:
        said = "holds for the sizes of this page, but not for others\n  "
        assert re.fullmatch(rf".* {said}.*: V has shape \(\d+, \d+\)", check.why)
    (check,) = inspected(tmp_path, text, trials=0)
    assert (check.outcome != FAILS, check.scope) == (True, "")


def test_what_a_note_replaces_is_no_original_of_its_trials(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    code = "import numpy as np\nx = np.arange(3.0)\nnp.linalg.norm = abs"
    (tmp_path / "docs/A.md").write_text(f"```python\n{code}\n```\n\n$x = x$\n")
    vault = Vault(tmp_path / "docs")
    (note,) = vault.notes.values()
    checks = inspect(note, vault, Settings(trials=2))
    assert [c.why for c in checks if c.outcome == FAILS] == ["numpy.linalg.norm was replaced"]


def test_sizes_of_shapes_that_do_not_fit_leave_those_of_equations_free(tmp_path: Path) -> None:
    # The size m is in the text alone, and the page does not run with another one.
    more = "```python\nm = 2\nC = np.ones((2, 2)) * np.arange(m)\n```\n\nC is (m, m). "
    shape, equation = inspected(tmp_path, f"{more}$d_v = d_k$")[::-1]
    assert (shape.outcome, shape.scope, equation.outcome) == ("holds", "general", "fails")


@pytest.mark.parametrize("text", FALSE.values(), ids=FALSE)
def test_a_law_that_holds_by_chance_fails(tmp_path: Path, text: str) -> None:
    (check,) = inspected(tmp_path, text)
    assert check.outcome == FAILS
    assert "not for others" in check.why
    (check,) = inspected(tmp_path, text, trials=0)
    assert (check.outcome, check.scope) == ("holds", "")


def test_modules_of_the_vault_get_other_numbers_too(tmp_path: Path) -> None:
    name = "a_module_of_numbers"
    (tmp_path / f"{name}.py").write_text("import numpy as np\n\nx = np.array([1.5, 2.5])\nk = 4\n")
    sys.path.insert(0, str(tmp_path))
    try:
        first, second = inspected(
            tmp_path,
            r"$x \cdot x = 8.5$ $x_1 + 1 = x_2$",
            set_up=f"```python\nfrom {name} import x\n```\n\n",
        )
        assert name not in sys.modules
    finally:
        sys.path.remove(str(tmp_path))
    assert (first.outcome, first.scope) == ("holds", "here")
    assert second.outcome == FAILS


def test_sizes_that_do_not_fit_are_left_as_they_are(tmp_path: Path) -> None:
    code = (
        "```python\nimport numpy as np\nn = 2\nx = np.array([1.5, 2.5])\ny = x.reshape(n)\n```\n\n"
    )
    (check,) = inspected(tmp_path, r"$\sum_{i=1}^{n} x_i = \sum_{i=1}^{n} y_i$", set_up=code)
    assert (check.outcome, check.scope) == ("holds", "general")


def test_what_is_structure_stays() -> None:
    varied = Variation(1).values(np.array([[0.0, -1.0], [2.0, -3.0]]))
    assert varied[0].tolist() == [0.0, -1.0]
    assert varied[1, 0] > 0 > varied[1, 1]
    assert abs(varied[1, 0] - 2.0) > 1e-3


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("np.random.seed(1)", "np.random.seed(1001)"),
        ("f(seed=1)", "f(seed=1001)"),
        ("seed = 1", "seed = 1001"),
        ("OtherRandom(1)", "OtherRandom(1001)"),
        ("rng.random(3)", "rng.random(3)"),
        ("rng.normal(3)", "rng.normal(3)"),
        ("np.array([1, 2])", "np.array([1, 2])"),
        ("np.array([x, 2.0])", "np.array([x, 2.0])"),
        ("def f():\n    return default_rng(1)", "def f():\n    return default_rng(1)"),
        ("n = 3", "n = 9"),
        ("n, m = (3, 4)", "n, m = (9, 4)"),
        ("m = 3", "m = 3"),
        ("n = 5000", "n = 1875"),
        ("n = True", "n = True"),
    ],
)
def test_what_is_changed_and_what_is_not(before: str, after: str) -> None:
    assert ast.unparse(Variation(1, {"n": 1}).rewrite(ast.parse(before))) == after


def trial(
    code: str, text: str, count: int, **options: Any
) -> tuple[Claim, list[tuple[int, float]]]:
    """Try the only claim of a note on other numbers."""
    note = parse(f"```python\nimport numpy as np\n{code}\n```\n\n{text}\n")
    equations, beats = Equations(note), []
    NoteRun(note).finish(equations.observe)
    try_others(
        note, [equations], count, root=Path("/nowhere"), timeout=7.0,
        beat=lambda *beat: beats.append(beat), **options,
    )  # fmt: skip
    (claim,) = equations.claims
    return claim, beats


def test_each_trial_is_counted_and_the_first_that_differs_is_kept() -> None:
    claim, beats = trial("x = np.array([1.5, 2.5])", "$x_1 + 1 = x_2$", 3)
    assert claim.tried == 3
    # One run for each trial, and one with a longer array.
    assert beats == [(0, 7.0)] * 4
    first, _ = trial("x = np.array([1.5, 2.5])", "$x_1 + 1 = x_2$", 1)
    assert claim.counterexample == first.counterexample
    sides = r"left [\d.]+, right [\d.]+; the largest difference is [\d.]+: .* does not hold"
    assert re.fullmatch(rf"{sides}\n  with x \(2,\)", claim.counterexample)
    assert trial("x = np.array([1.5, 2.5])", "$x_1 = x_1$", 0)[0].tried == 0


def test_what_no_trial_can_judge_is_not_counted() -> None:
    # With other numbers the last block raises before anything binds y.
    claim, _ = trial("x = np.array([1.5, 2.5])\nassert x[0] == 1.5\ny = 2", "$y = 2$", 2)
    assert (claim.tried, claim.counterexample, claim.scope) == (0, "", "")


#: A later block that contains literal sizes, or needs one to be the product of others.
LATER = {
    "one size is written out": "V.reshape(3, -1)",
    "one size is the product of others": "rng.normal(size=(n, d_model)).reshape(n, h, d_k)",
    "all sizes are written out": "V.reshape(3, 2), Q.reshape(3, 2)",
}
HEADS = """\
rng = np.random.default_rng(0)
n, h, d_model = 3, 3, 6
d_k, d_v = 2, 2
Q = rng.normal(size=(n, d_k))
V = rng.normal(size=(n, d_v))
W = rng.normal(size=(d_model, d_model))
"""


@pytest.mark.usually("one size is written out")
@pytest.mark.parametrize("later", LATER.values(), ids=LATER)
def test_a_later_block_leaves_equal_sizes_distinct(later: str) -> None:
    block = f"\n\n```python\n{later}\n```"
    for text, scope in (
        (r"$V \in \mathbb{R}^{n \times d_v}$", "general"),
        (r"$Q \in \mathbb{R}^{n \times d_k}$", "general"),
        (r"$Q \in \mathbb{R}^{n \times d_v}$", "here"),
        (r"$V \in \mathbb{R}^{n \times d_k}$", "here"),
    ):
        claim, _ = trial(HEADS, text + block, 2)
        assert (claim.scope, bool(claim.counterexample)) == (scope, scope == "here"), text


def test_sizes_that_belong_together_change_together() -> None:
    block = f"\n\n```python\n{LATER['one size is the product of others']}\n```"
    claim, _ = trial(HEADS, r"$W \in \mathbb{R}^{d_{\text{model}} \times h d_k}$" + block, 2)
    assert claim.scope == "general"


MEAN = "x = np.array([1.5, 2.5])\nn = len(x)\nmu = x.mean()"
SCOPES = {
    # Sizes of what is written out: it gets longer.
    (MEAN, r"$\mu = \frac{1}{n} \sum_i x_i$"): "general",
    (MEAN, r"$\mu = \frac{1}{2} \sum_i x_i$"): "here",
    # The code is about two coordinates, and the formula no law for others.
    ("x = np.array([3.0, 4.0])\nr = np.hypot(x[0], x[1])", r"$\lVert x \rVert = r$"): "here",
    # What no trial changes.
    ("n = len('abc')\nm = n + 1", "$m = n + 1$"): "here",
    ("W = np.eye(2)\nx = np.array([1.0, 0.0])\ny = W @ x", r"$y = W^\top x$"): "here",
    ("W = np.eye(2)\nx = np.array([1.5, 0.0])\ny = W @ x", "$y = W x$"): "general",
    # Numbers that are written out change, too.
    ("t = 0.5\nx = np.array([1.5, 2.5])\ny = x / t", "$y = x / t$"): "general",
    ("t = 0.5\nx = np.array([1.5, 2.5])\ny = x / t", "$y = 2 x$"): "here",
    # Unless the page does not run with others.
    ("t = 0.5\nassert t == 0.5\nx = np.array([1.5, 2.5])\ny = x / t", "$y = 2 x$"): "general",
    ("t = 0.5\nassert t == 0.5\nx = np.array([1.5, 2.5])\ny = x / t", "$y = x / t$"): "here",
    # A second name of a size is no other size.
    ("heads = 2\nh = heads\nx = np.ones(h) * 2.5", r"$x \in \mathbb{R}^{h}$"): "general",
}  # fmt: skip


@pytest.mark.parametrize(("code", "text"), SCOPES)
def test_what_no_trial_has_changed_is_not_general(code: str, text: str) -> None:
    claim, _ = trial(code, text, 4)
    assert claim.scope == SCOPES[code, text], (claim.pinned, claim.counterexample)


def test_lengths_that_a_later_block_has_written_out_are_reported_before_it() -> None:
    later = "\n\n```python\nx + [1, 2]\n```"
    for text, scope in (
        (r"$x \cdot y = \sum_{l=1}^{2} x_l y_l$", "here"),
        (r"$x \cdot y = y \cdot x$", "general"),
    ):
        code = "x, y = np.array([1.5, 2.5]), np.array([0.5, 3.5])"
        claim, _ = trial(code, text + later, 2)
        assert (claim.scope, claim.counterexample) == (scope, ""), text


def test_sizes_and_arrays_that_are_both_written_out_contradict_nothing() -> None:
    # Either may change alone, and the page still runs.
    code = "n = 3\nx = np.array([1.5, 2.5, 3.5])\ny = rng = np.random.default_rng(0).normal(size=n)"
    claim, _ = trial(code, r"$x \in \mathbb{R}^{n}$", 1)
    assert claim.scope == "general"
    grown, _ = trial("n = len('abc')\nx = np.array([1.5, 2.5, 3.5])", r"$x \in \mathbb{R}^{n}$", 2)
    assert (grown.counterexample, grown.scope) == ("", "here")


def test_sizes_that_fit_together_alone_leave_a_claim_here() -> None:
    code = "n = 2\nd = 2\nx = np.ones((n, d)) * np.array([[1.5, 2.5], [3.5, 4.5]])"
    claim, beats = trial(code, "$n = d$", 2)
    # First as they are; then apart, one by one, both alike, longer arrays in three ways.
    assert len(beats) == 9
    assert (claim.tried, claim.counterexample, claim.scope) == (2, "", "here")
    assert claim.pinned == {"d", "n"}


@pytest.mark.parametrize(
    ("tried", "pinned", "counterexample", "scope", "pinned_to"),
    [
        (0, (), "", "", ""),
        (2, (), "", "general", ""),
        (2, {"n", "d"}, "", "here", "d, n"),
        # Nobody asks what stayed the same where it did not hold for others.
        (2, {"n", "d"}, "n = 3", "here", ""),
    ],
)
def test_a_check_says_what_stayed_the_same(
    tried: int, pinned: set[str], counterexample: str, scope: str, pinned_to: str
) -> None:
    note = parse("```python\nn = d = 2\n```\n\n$n = d$ <!-- here: so -->\n")
    equations = Equations(note)
    NoteRun(note).finish(equations.observe)
    (claim,) = equations.claims
    claim.tried, claim.pinned, claim.counterexample = tried, pinned, counterexample
    (check,) = equations.check()
    assert (check.outcome, check.scope, check.pinned) == ("holds", scope, pinned_to)


def test_a_block_that_raises_anyway_says_nothing_of_the_sizes() -> None:
    note = parse("```python\nn = 2\n1 / 0\n```\n\n```python\nm = n\n```\n\n$m = n$ and $n = 2$\n")
    for broken, runs in (((0,), 2), ((), 10)):
        equations, beats = Equations(note), []
        NoteRun(note).finish(equations.observe)
        try_others(
            note, [equations, Equations(note)], 2, root=Path("/nowhere"), timeout=7.0,
            broken=broken, beat=lambda *beat, beats=beats: beats.append(beat),
        )  # fmt: skip
        assert [index for index, _ in beats].count(0) == 1 + runs


def test_functions_are_called_in_the_run_of_their_own_numbers() -> None:
    code = "a = np.array([2.5, 3.5])\ndef f(x): return a * x"
    claim, _ = trial(code, "$f(a) = a \\odot a$", 2)
    assert (claim.tried, claim.counterexample) == (2, "")


#: Code, a formula that is true for its numbers alone, and one that is true for any.
SUBJECTS = {
    "statistics": (
        "data = np.array([2, 4, 4, 4, 5, 5, 7, 9])\nmean, var = data.mean(), data.var()",
        r"\text{mean} = \text{var} + 1",
        r"\text{var} = \frac{1}{8} \sum_i \text{data}_i^2 - \text{mean}^2",
    ),
    "weather": (
        "temps = [20.0, 22.0, 24.0]\nmean, mid = sum(temps) / 3, temps[1]",
        r"\text{mean} = \text{mid}",
        r"\text{mean} \ge \min(\text{temps})",
    ),
    "trade": (
        "price = {'a': 2.0, 'b': 4.0}\nfirst, second = price['a'] * 10, price['b'] * 5\n"
        "total = first + second",
        r"\text{first} = \text{second}",
        r"\text{total} = \text{first} + \text{second}",
    ),
    "physics": ("u = -2.0\nw: float = 4.0\nz = u ** 2", "z = w", "z = u^2"),
    "finance": (
        "P = 1000\nr = 5 / 100\nA = P * (1 + r)\nq = 21 / 20",
        "A = P q",
        "A = P (1 + r)",
    ),
    "a function": (
        "def f(x):\n    return 2 * x\n\ny, m = f(3.0), f(1.5)",
        "y = 2 m",
        "y + m = m + y",
    ),
    "calculus": (
        "x = np.linspace(0, 2, 5)\ny = x ** 2\nstep = x[1]",
        r"\max(y) = 2^3 \text{step}",
        "y_i = x_i^2",
    ),
}


@pytest.mark.parametrize("subject", SUBJECTS)
def test_trials_change_the_data_of_a_note(tmp_path: Path, subject: str) -> None:
    code, here, general = SUBJECTS[subject]
    set_up = f"```python\nimport numpy as np\n{code}\n```\n\n"
    one, other = inspected(tmp_path, f"${here}$ and ${general}$", 3, set_up)
    assert (one.outcome, one.scope) == ("fails", "here") or one.scope == "here"
    assert not one.pinned
    assert (other.outcome, other.scope) == ("holds", "general")


def test_data_that_the_code_cannot_bear_stay(tmp_path: Path) -> None:
    code = "x = [1.5, 2.5]\norder = np.array([5, 3, 4, 2])\nz = np.zeros(6)[order]\na = x[0]"
    set_up = f"```python\nimport numpy as np\n{code}\n```\n\n"
    (check,) = inspected(tmp_path, "$a = x_1$", 3, set_up)
    assert (check.outcome, check.scope, check.pinned) == ("holds", "here", "a, x")
