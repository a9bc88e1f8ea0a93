"""In general, or here? What other numbers tell of a note's equations."""

import ast
import sys
from pathlib import Path

import numpy as np
import pytest

from vaultkit.checks.check import FAILS, Check
from vaultkit.inspect import Settings, inspect
from vaultkit.read.vault import Vault
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
        ("n = 5000", "n = 5000"),
        ("n = True", "n = True"),
    ],
)
def test_what_is_changed_and_what_is_not(before: str, after: str) -> None:
    assert ast.unparse(Variation(1, {"n": 1}).rewrite(ast.parse(before))) == after
