"""A formula that means nothing on a note's variables is refused, in words that say why."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from vaultkit.tex import parse
from vaultkit.values import judge

VARIABLES: dict[str, Any] = {
    "x": np.array([1.0, 2.0, 3.0]),
    "y": np.array([1.0, 2.0]),
    "A": np.array([[1.0, 2.0], [3.0, 4.0]]),
    "B": np.arange(6.0).reshape(2, 3),
    "N": np.array([[1.0, 2.0], [2.0, 4.0]]),
    "c": 2.0,
    "h": 0.5,
    "f": lambda v: v,
    "g": lambda _: "a",
}


@pytest.mark.parametrize(
    ("tex", "why"),
    [
        (r"i = 1, \dots, h", "an end of the range is not a whole number"),
        (r"i = 3, \dots, 1", "the range is empty"),
        (r"I \in \mathbb{R}^{2 \times 2}", "what has no size is in no set"),
        (r"c \notin [0, 1]", r"\notin is judged of sets of numbers and shapes alone"),
        (r"c \in \mathbb{R}^{h}", "a dimension is not a whole number"),
        (r"c \in \{1, A\}", "a set of numbers holds an array"),
        ("I = I", "nothing says how large the two sides are"),
        ("x = A", "the left side has shape (3,), the right side (2, 2)"),
        (r"x^\top = x", "one is a row and the other a column"),
        (r"x \ll A", "the left side has shape (3,), the right side (2, 2)"),
        (r"-c \ll c", "≪ is judged of positive numbers alone"),
        ("f = 2", "f is a function"),
        ("x_{1.5} = 2", "an index is not a whole number"),
        ("x_4 = 2", "an index runs out of 1 to 3; they count from 1"),
        ("x_0 = 2", "an index runs out of 1 to 3; they count from 1"),
        ("x_{ij} = 2", "there are more indices than axes"),
        ("x_i + A_{ij} + y_j = 2", "the index i runs over axes of different lengths: [2, 3]"),
        (r"\max(I) = 1", "max of what has no size"),
        ("g(c) = 2", "g returns what is not an array of real numbers"),
        (r"\sum_i I = 2", "nothing says what i runs over"),
        (r"\lVert I \rVert = 1", "the norm of what has no size"),
        (
            r"\begin{bmatrix} 1 & 2 \\ 3 \end{bmatrix} = A",
            "a matrix written out has rows of different lengths",
        ),
        (r"\begin{bmatrix} A & x \end{bmatrix} = A", "a matrix written out is not made of numbers"),
        (
            r"\begin{bmatrix} A & A \\ A & A \end{bmatrix} = A",
            "a matrix written out is not made of numbers",
        ),
        (r"\begin{bmatrix} x & y \end{bmatrix} = A", "a matrix written out is not made of numbers"),
        ("x! = 2", "a factorial is of a number"),
        ("h! = 2", "a factorial is of a whole number from 0 to 170"),
        ("(-1)! = 2", "a factorial is of a whole number from 0 to 170"),
        ("171! = 2", "a factorial is of a whole number from 0 to 170"),
        (r"\binom{h}{2} = 2", r"\binom takes whole numbers from 0 to 1000"),
        (r"\binom{1001}{2} = 2", r"\binom takes whole numbers from 0 to 1000"),
        (r"\sqrt[1]{c} = 2", "the order of a root is a whole number from 2 on"),
        (r"\sqrt[h]{c} = 2", "the order of a root is a whole number from 2 on"),
        (r"c \bmod h = 2", r"\bmod takes whole numbers"),
        (r"\langle A, x \rangle = 2", r"\langle q, k \rangle takes two vectors"),
        (r"\operatorname{tr}(x) = 2", "the trace is of a square matrix, and this has shape (3,)"),
        (r"\det(B) = 2", "the determinant is of a square matrix, and this has shape (2, 3)"),
        (
            r"\operatorname{diag}(B) = 2",
            "the diagonal is of a square matrix, and this has shape (2, 3)",
        ),
        (r"\operatorname{diag}(c) = 2", "diag is of a vector or a square matrix"),
        ("I_h = A", "I_n has one whole number"),
        ("I_{10000000} = A", "I_n is too large, or too small"),
        (r"\mathbf{1}_h = x", "the length of a vector of ones is one whole number"),
        ("|x| = 2", r"the bars | | are for numbers; write \lVert x \rVert of arrays"),
        (r"\lVert c \rVert = 2", "the norm of a number; write | |"),
        (r"\lVert A \rVert_1 = 2", "of matrices, only the Frobenius norm is known; write _F"),
        (r"\lVert x \rVert_F = 2", "the Frobenius norm is of a matrix"),
        (r"\lVert x \rVert_0 = 2", "the norm 0 counts what is not 0, which rounding hides"),
        (r"\lVert x \rVert_3 = 2", r"the norm 3 is not known; known are 1, 2, \infty and F"),
        (r"\operatorname{Concat}(x, A) = x", "what is joined must have the same axes"),
        (r"\operatorname{Concat}(c, c) = x", "what is joined must have the same axes"),
        ("x + A = A", "shapes (3,) and (2, 2) differ"),
        ("x + y = x", "shapes (3,) and (2,) differ"),
        (r"\mathbf{1} + c = 3", "a vector of ones and a number: how long is it?"),
        (r"\frac{c}{I} = 1", "there is no quotient by what has no size"),
        (r"A B^\top = A", "shapes (2, 2) and (3, 2) cannot be multiplied: 2 is not 3"),
        ("B A = B", "shapes (2, 3) and (2, 2) cannot be multiplied: 3 is not 2"),
        ("x x = 2", r"which product of two vectors? write q \cdot k, q^\top k or q k^\top"),
        (r"x \cdot y = 2", "vectors of (3,) and (2,) have no dot product"),
        ("A * A = A", r"which product does * mean? write \odot, \cdot or none"),
        (r"A \otimes x = A", r"\otimes takes two vectors or two matrices"),
        ("A^{B} = A", "an exponent is not a number"),
        ("B^{-1} = A", "only a square matrix has an inverse, and this is (2, 3)"),
        ("N^{-1} = A", "the matrix has no inverse, or none that can be computed"),
        ("B^2 = B", "a power of a matrix of shape (2, 3); write the product"),
        ("A^{h} = A", "a power of a matrix that is not whole"),
        ("A^{65} = A", "a matrix to a power beyond 64"),
        ("I^2 = I", "a power of what has no size"),
        (r"\mathbb{E}[c] = 2", "E needs a sample; here is one number"),
        (r"\operatorname{Cov}(x, y) = 2", "Cov of samples of different shapes"),
        (r"\frac{\partial c}{\partial 2} = 1", "a derivative is of a name, by a name"),
        (r"A^\top x = 2", "a row stands on the right of a matrix; transpose it"),
        (r"\operatorname{rank}(x) = 1", "the rank is of a matrix, and this has shape (3,)"),
        (r"\mathbf{1}_{3} A = x", "shapes (3,) and (2, 2) cannot be multiplied: 3 is not 2"),
        (r"2\,\text{ms} + 3\,\text{kB} = 5", "different units: kB, ms"),
    ],
)
def test_what_means_nothing_is_refused(tex: str, why: str) -> None:
    (statement,) = parse(tex)
    verdict = judge(statement, VARIABLES)
    assert (verdict.holds, verdict.why) == (False, why)


@pytest.mark.parametrize(
    "tex",
    [
        r"\frac{170!}{169!} = 170",
        "0! = 1",
        r"\binom{1000}{2} = 499500",
        r"\sqrt[2]{c^2} = c",
        r"A^{64} = A^{32} A^{32}",
        r"\sum_{i=1}^{10^6} i = 500000500000",
        "x_1 = 1, x_3 = 3",
        r"0 \in \mathbb{N}",
    ],
)
def test_at_the_limit_it_is_judged(tex: str) -> None:
    assert all(judge(statement, VARIABLES).holds for statement in parse(tex))


@pytest.mark.parametrize(
    ("numbers", "with_zero", "below"),
    [
        (r"\mathbb{R}", True, True),
        (r"\mathbb{R}_{+}", True, False),
        (r"\mathbb{R}_{\ge 0}", True, False),
        (r"\mathbb{R}_{\geqslant 0}", True, False),
        (r"\mathbb{R}_{++}", False, False),
        (r"\mathbb{R}_{>0}", False, False),
        (r"\mathbb{N}_0", True, False),
        (r"\mathbb{N}_{+}", False, False),
        (r"\mathbb{Z}_{+}", False, False),
        (r"\mathbb{N}", True, False),
        (r"\mathbb{Z}", True, True),
        (r"\mathbb{Z}_{>0}", False, False),
        ("[0, 2]", True, False),
        ("(0, 2]", False, False),
        (r"[-1, \infty)", True, True),
        ("[-1, 0)", False, True),
        (r"\{-1, 0\}", True, True),
    ],
)
def test_a_set_holds_nothing_else(numbers: str, with_zero: bool, below: bool) -> None:
    for element, as_said in ((0.0, with_zero), (-1.0, below)):
        found = [judge(s, {"e_0": element}) for s in parse(rf"e_0 \in {numbers}")]
        assert all(verdict.holds for verdict in found) is as_said


def test_v_of_a_sample_is_its_variance() -> None:
    (statement,) = parse(r"\mathbb{V}(x) = \operatorname{Var}(x)")
    assert judge(statement, VARIABLES).holds
