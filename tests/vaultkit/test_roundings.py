"""What rounding may have done to each value, in its units, as running error analysis counts it.

A number of the note that was computed brings 4 of its own size, one written out with a fraction 1,
a whole one none; each operation passes on what its operands bring, and adds the size of its result.
"""

from typing import Any

import numpy as np
import pytest

from vaultkit.tex import Statement, parse
from vaultkit.values.evaluator import Evaluator
from vaultkit.values.records import EvaluationError, Settings, Value

NOTE: dict[str, Any] = {
    "f": 0.5, "g": 0.25, "n": 2, "x": np.array([0.5, -0.25]), "y": np.array([1.5, 0.5]),
    "A": np.array([[0.5, 1.5], [0.25, 0.5]]), "k": np.array([1, 2, 3]),
    "h": np.float16([0.5, 0.25]), "sq": lambda v: v * v,
}  # fmt: skip


def value(tex: str) -> Value:
    """Evaluate an expression, with vectors that lie as rows, or else as columns."""
    (statement,) = parse(f"{tex} > 99")
    for reading in ("row", "column"):
        evaluator = Evaluator(statement, NOTE, Settings(), reading)
        assert isinstance(evaluator.statement, Statement)
        try:
            return evaluator.value(evaluator.statement.sides[0])
        except EvaluationError:
            continue
    raise AssertionError(tex)


def told(found: Value) -> str:
    array, spread = (" ".join(f"{v:.5g}" for v in np.ravel(a)) for a in (found.array, found.spread))
    text = f"{array} ± {spread}"
    text += f" half {found.half:.5g}" if found.half is not None else ""
    text += f" {found.lies}" if found.lies else ""
    text += f" rank {found.rank}" if found.rank else ""
    return text + (f" unit 2^{int(np.log2(found.unit))}" if found.unit != 2**-53 else "")


#: Expressions; what they are, how far that may be off, and what else is known of it.
VALUES = [
    ("f", "0.5 ± 2"),
    ("n", "2 ± 0"),
    ("2", "2 ± 0 half 0.5"),
    ("0.1", "0.1 ± 0.1 half 0.05"),
    ("0.25", "0.25 ± 0.25 half 0.005"),
    ("10^{20}", "1e+20 ± 1e+20"),
    ("f + g", "0.75 ± 3.75"),
    ("f - g", "0.25 ± 3.25"),
    ("f - f", "0 ± 4"),
    ("n + 3", "5 ± 0"),
    ("-f", "-0.5 ± 2"),
    ("2 f", "1 ± 5"),
    (r"n \cdot 3", "6 ± 0"),
    ("f g", "0.125 ± 1.125"),
    (r"f \cdot g \cdot 2", "0.25 ± 2.5"),
    ("f / g", "2 ± 18"),
    ("n / 4", "0.5 ± 0.5"),
    ("1 / 3", "0.33333 ± 0.33333"),
    ("f^2", "0.25 ± 2.25"),
    ("f^3", "0.125 ± 1.625"),
    ("f^{-1}", "2 ± 10"),
    ("f^g", "0.8409 ± 2.2647"),
    ("2^n", "4 ± 0"),
    (r"\sqrt{f}", "0.70711 ± 3.4142"),
    (r"\lfloor f \rfloor", "0 ± 0"),
    ("|f|", "0.5 ± 2"),
    (r"\operatorname{sgn}(f)", "1 ± 0"),
    (r"50 \%", "0.5 ± 0.5 half 0.005"),
    (r"12.5 \%", "0.125 ± 0.25 half 0.0005"),
    (r"f \%", "0.005 ± 0.025"),
    (r"180^\circ", "3.1416 ± 6.2832"),
    (r"f^\circ", "0.0087266 ± 0.05236"),
    ("3!", "6 ± 0"),
    ("20!", "2.4329e+18 ± 2.4329e+18"),
    (r"\binom{4}{2}", "6 ± 0"),
    (r"\pi", "3.1416 ± 3.1416"),
    ("x", "0.5 -0.25 ± 2 1 row rank 1"),
    ("x + y", "2 0.25 ± 10 3.25 row rank 1"),
    (r"x \odot y", "0.75 -0.125 ± 6.75 1.125 row rank 1"),
    (r"x \cdot y", "0.625 ± 8.75"),
    (r"x^\top y", "0.75 0.25 -0.375 -0.125 ± 6.75 2.25 3.375 1.125 rank 2"),
    ("2 x", "1 -0.5 ± 5 2.5 row rank 1"),
    ("x / 2", "0.25 -0.125 ± 1.25 0.625 row rank 1"),
    ("x / y", "0.33333 -0.5 ± 3 4.5 row rank 1"),
    ("x^2", "0.25 0.0625 ± 2.25 0.5625 row rank 1"),
    (r"\lVert x \rVert", "0.55902 ± 3.3541"),
    (r"\lVert x \rVert_1", "0.75 ± 4.5"),
    (r"\lVert x \rVert_\infty", "0.5 ± 2"),
    ("A", "0.5 1.5 0.25 0.5 ± 2 6 1 2 rank 2"),
    (r"A^\top", "0.5 0.25 1.5 0.5 ± 2 1 6 2 rank 2"),
    ("A A", "0.625 1.5 0.25 0.625 ± 6.25 15 2.5 6.25 rank 2"),
    ("A x", "-0.125 0 ± 6.25 2.5 column rank 1"),
    ("x A", "0.1875 0.625 ± 3.125 8.75 row rank 1"),
    (r"x y^\top", "0.625 ± 8.75"),
    ("A^2", "0.625 1.5 0.25 0.625 ± 7.5 18 3 7.5 rank 2"),
    ("A^{-1}", "-4 12 2 -4 ± 272 672 112 272 rank 2"),
    ("A + I", "1.5 1.5 0.25 1.5 ± 3.5 7.5 1.25 3.5 rank 2"),
    (r"\det A", "-0.125 ± 3.5355"),
    (r"\operatorname{tr}(A)", "1 ± 6"),
    (r"\operatorname{diag}(x)", "0.5 0 0 -0.25 ± 2 0 0 1 rank 2"),
    (r"\operatorname{diag}(A)", "0.5 0.5 ± 2 2 row rank 1"),
    (r"\sum_i x_i", "0.25 ± 4.5"),
    (r"\sum_i k_i", "6 ± 0"),
    (r"\sum_{i=1}^{3} i", "6 ± 0"),
    (r"\sum_{i=1}^{3} \frac{1}{i}", "1.8333 ± 6.3333"),
    (r"\prod_i x_i", "-0.125 ± 1.25"),
    (r"\prod_i k_i", "6 ± 0"),
    (r"\max_i x_i", "0.5 ± 2"),
    (r"\max(x)", "0.5 ± 2"),
    (r"\max(x, y)", "1.5 0.5 ± 6 2 row rank 1"),
    (r"\min(f, g)", "0.25 ± 1"),
    (r"\mathbb{E}[x]", "0.125 ± 2.25"),
    (r"\mathbb{E}[k]", "2 ± 6"),
    (r"\operatorname{Var}[x]", "0.14062 ± 1.8125"),
    (r"\operatorname{Cov}(x, y)", "0.1875 ± 17.375"),
    ("h", "0.5 0.25 ± 2 1 row rank 1 unit 2^-11"),
    ("h + f", "1 0.75 ± 5 3.75 row rank 1 unit 2^-11"),
    ("2 h", "1 0.5 ± 5 2.5 row rank 1 unit 2^-11"),
    (r"\text{sq}(f)", "0.25 ± 2.5"),
    (r"\text{sq}(x)", "0.25 0.0625 ± 2.5 0.625 row rank 1"),
    (r"\text{sq}(n)", "4 ± 0"),
    (r"\operatorname{Concat}(x, y)", "0.5 -0.25 1.5 0.5 ± 2 1 6 2 row rank 1"),
    ("(f, 2)", "0.5 2 ± 2 0 rank 1"),
    (r"\begin{bmatrix} f & 0.1 \\ 2 & g \end{bmatrix}", "0.5 0.1 2 0.25 ± 2 0.1 0 1 rank 2"),
    ("[f > 0]", "1 ± 0"),
    (r"7 \bmod 3", "1 ± 0"),
    (r"1.30 \times 10^{-3}", "0.0013 ± 0.0039 half 5e-06"),
    ("0.12", "0.12 ± 0.12 half 0.005"),
]


@pytest.mark.parametrize(("tex", "said"), VALUES)
def test_what_rounding_does(tex: str, said: str) -> None:
    assert told(value(tex)) == said
