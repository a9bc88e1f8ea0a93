"""How names of code are written in formulas, and how commands and exact numbers are read."""

from pathlib import Path

import pytest

from vaultkit.checks.check import FAILS, HOLDS, UNJUDGED
from vaultkit.checks.equations import Equations
from vaultkit.claims.free import free_formulas
from vaultkit.pipeline.inspect import inspect
from vaultkit.read.markdown import parse
from vaultkit.read.vault import Vault
from vaultkit.run.session import NoteRun

CODE = """```python
import math
import numpy as np
from decimal import Decimal
from fractions import Fraction

x1, x2 = 3.0, 4.0
R0 = 2.5
TP, FP, T, P = 8, 2, 5, 7
eps, eps0 = 0.25, 3.5
lam1, lam2, lmbda = 2, 6, 5
rank, nullity = 3, 2
speed, speed2 = 12.5, 4.0
f, fs, kB = 2, 8, 1.5
dx, dt = 1.0, 2.0
n, p = 4, 0.5
d_model = 6
k_cache, k_ = 7, 1
v, v1 = np.array([1.0, 2.0]), 9.0
A = np.array([[1.0, 0.0], [0.0, 2.0]])
q, share = Fraction(1, 3), Decimal("0.125")
parts = [Fraction(1, 2), Fraction(1, 3)]
N, K = 2**64, math.factorial(25)
for i in range(3):
    last = i


def area(r):
    inner = 2 * r
    return inner
```

"""

#: A true statement, and a false one.
PAIRS = [
    ("x_1 + 1 = x_2", "x_1 + 2 = x_2"),
    ("R_0 = 2.5", "R_0 = 2.4"),
    ("TP = 8", "TP = 35"),
    ("T P = 35", "T P = 8"),
    (r"\frac{TP}{TP + FP} = 0.8", r"\frac{TP}{T P + FP} = 0.8"),
    ("2TP = 16", "2TP = 70"),
    ("PT = 35", "PT = 8"),
    (r"\varepsilon = 0.25", r"\varepsilon = 3.5"),
    (r"\epsilon_0 = 3.5", r"\epsilon_0 = 0.25"),
    (r"\lambda_1 + 4 = \lambda_2", r"\lambda_1 = \lambda_2"),
    (r"\lambda = 5", r"\lambda = 6"),
    (r"\text{rank} = 3", r"\text{rank} = 4"),
    (r"\text{rank} + \text{nullity} = 5", r"\text{rank} - \text{nullity} = 5"),
    ("speed = 12.5", "speed = 12.6"),
    ("speed^2 = 156.25", "speed^2 = 12.5"),
    ("speed2 = 4", "speed2 = 25"),
    ("f_s = 8", "f_s = 2"),
    ("k_B T = 7.5", "k_B T = 10"),
    (r"\frac{dx}{dt} = 0.5", r"\frac{dx}{dt} = 2"),
    ("n p = np", "n p = n"),
    ("d_model = 6", "d_model = 7"),
    (r"k_{\text{cache}} = 7", r"k_{\text{cache}} = 1"),
    ("v_1 = 1", "v_1 = 9"),
    ("area(3) = 6", "area(3) = 5"),
    (r"q = \frac13", r"q = \frac14"),
    ("3 q = 1", "3 q = 2"),
    ("share = 0.125", "share = 0.25"),
    (r"\sum_i parts_i = \frac56", r"\sum_i parts_i = \frac16"),
    ("N = 18446744073709551616", "N = 18446744073709551615"),
    ("K = 25!", "K = 25! + 1"),
    (r"\binom{100}{50} = \binom{99}{50} + \binom{99}{49}", r"\binom{100}{50} = \binom{100}{49}"),
    ("2^{2000} > 10^{602}", "2^{2000} < 10^{602}"),
    (r"\frac{N + 1}{N} > 1", r"\frac{N + 1}{N} = 1"),
    (r"N \approx 1.8447 \times 10^{19}", r"N \approx 1.8448 \times 10^{19}"),
]


def outcomes(text: str) -> list[str]:
    note = parse(CODE + text + "\n")
    equations = Equations(note)
    NoteRun(note).finish(equations.observe)
    return [check.outcome for check in equations.check()]


@pytest.mark.parametrize(("true", "false"), PAIRS)
def test_a_name_of_the_code_is_found(true: str, false: str) -> None:
    assert outcomes(f"${true}$ ${false}$") == [HOLDS, FAILS]


def test_another_value_of_what_a_loop_has_left_is_not_judged() -> None:
    assert outcomes("$last = 2$ $last = 3$") == [HOLDS, UNJUDGED]


def test_rank_is_a_function_of_a_matrix_even_if_a_number_is_called_so() -> None:
    code = "```python\nrank = 5\n```\n\n"
    assert outcomes(r"$\operatorname{rank}(A) = 2$, $\det A = 2$") == [HOLDS, HOLDS]
    assert outcomes(r"$\operatorname{rank}(A) = 3$, $\text{rank}(2 - 1) = 3$") == [FAILS, HOLDS]
    assert outcomes(code.replace("rank", "other") + r"$\operatorname{tr} A = 3$") == [HOLDS]


@pytest.mark.parametrize("tex", ["x_3 = 2", "QR = 5", "h_s = 4", "inner = 6", "x^TP = 2"])
def test_what_no_block_binds_is_not_found(tex: str) -> None:
    assert HOLDS not in outcomes(f"${tex}$")


MACROS = r"""$$
\newcommand{\R}{\mathbb{R}}
\newcommand{\norm}[1]{\lVert #1 \rVert}
\DeclareMathOperator{\trace}{tr}
\def\half{\frac{1}{2}}
\newcommand{\twice}[2][v]{#1 \cdot #2}
\newcommand{\endless}{\endless v}
$$

"""


@pytest.mark.parametrize(
    ("true", "false"),
    [
        (r"v \in \R^2", r"v \in \R^3"),
        (r"\norm{v}^2 = 5", r"\norm{v} = 5"),
        (r"\trace(A) = 3", r"\trace A = 2"),
        (r"\half n = 2", r"\half n = 3"),
        (r"\twice{v} = 5", r"\twice[2 v]{v} = 5"),
        (r"\begin{aligned} \norm{v}^2 &= 5 \end{aligned}", r"\endless = 3"),
    ],
)
def test_commands_of_the_note_are_expanded(true: str, false: str) -> None:
    assert outcomes(f"{MACROS}${true}$") == [HOLDS]
    assert HOLDS not in outcomes(f"{MACROS}${false}$")


def test_a_failure_in_expanded_rows_has_its_line() -> None:
    text = f"{MACROS}$$\n\\norm{{v}}^2 = 5 \\\\\n\\norm{{v}}^2 = 6\n$$\n"
    note = parse(CODE + text)
    equations = Equations(note)
    NoteRun(note).finish(equations.observe)
    (check,) = (check for check in equations.check() if check.outcome == FAILS)
    assert note.lines[check.line - 1] == r"\norm{v}^2 = 6"


def test_commands_of_the_vault_are_expanded(tmp_path: Path) -> None:
    (tmp_path / "preamble.sty").write_text(r"\newcommand{\size}[1]{\lVert #1 \rVert}")
    text = "```python\nimport numpy as np\nv = np.array([3.0, 4.0])\n```\n\n"
    (tmp_path / "A.md").write_text(text + r"$\size{v} = 5$, $\size{v} = 6$" + "\n")
    vault = Vault(tmp_path)
    (note,) = vault.notes.values()
    found = [check.outcome for check in inspect(note, vault) if check.kind == "equation"]
    assert found == [HOLDS, FAILS]


def test_masked_elements_are_not_taken_for_numbers() -> None:
    code = "```python\nm = np.ma.masked_array([1.0, 2.0], mask=[False, True])\n```\n\n"
    assert HOLDS not in outcomes(code + r"$\sum_i m_i = 3$")
    assert outcomes(code.replace("True", "False") + r"$\sum_i m_i = 3$") == [HOLDS]


@pytest.mark.parametrize(
    "text",
    [
        "Suppose $n = 10$.",
        "If $n = 10$, it is even.",
        "For $n = 10$ it is even.",
        "Its minimum is at $n = 10$.",
        "Solve $2n + 6p = 6$.",
        "The line $2n + 6p = 6$ is steep.",
        "It is a solution of $n^2 - 3n + 2 = 0$.",
        "The function $g(n) = (n - 10)^2$ is 0 where $n = 10$.",
        "## Exercises\n\nShow that $2n + 6p = 6$.",
    ],
)
def test_a_free_letter_is_no_variable(text: str) -> None:
    assert set(outcomes(text)) == {UNJUDGED}
    held = text.replace("n = 10", "n = 4").replace("+ 6p = 6", "+ 6p = 11")
    if held != text and "g(n)" not in text:
        assert outcomes(held) == [HOLDS]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Suppose $k = 10$ and $n = 10$.", 2),
        ("Suppose $k = 10$, and that $n = 10$.", 2),
        ("Its minimum is at $k = 10$ or $p = 3$ and $n = 10$.", 3),
        ("If $k = 10$, $n = 10$.", 1),
        ("Suppose $k = 10$. And $n = 10$.", 1),
    ],
)
def test_what_is_joined_to_a_supposed_formula_is_supposed(text: str, count: int) -> None:
    assert len(free_formulas(parse(text))) == count


@pytest.mark.parametrize(
    "text",
    [
        "We use $n = 10$.",
        "Here $2n + 6p = 6$.",
        "Then $2 n = 10$ for all.",
        "# Exercise\n\n$n = 10$",
    ],
)
def test_any_other_letter_is_one(text: str) -> None:
    assert outcomes(text) == [FAILS]
