# ruff: noqa: E501
"""What a verdict tells, formula by formula: the sides of what holds, or why it does not."""

from typing import Any

import numpy as np
import pytest

from vaultkit.tex import Node, parse
from vaultkit.values import UnboundError, judge


def refuse(_: Any) -> None:
    raise ValueError("no")


NOTE: dict[str, Any] = {
    "A": np.array([[1, 2], [3, 4]]), "B": np.array([[0.0, 1.0], [1.0, 0.0]]),
    "C": np.array([[1, 2, 3], [4, 5, 6]]), "T": np.arange(8).reshape(2, 2, 2),
    "x": np.array([3.0, -4.0]), "y": np.array([1.0, 2.0]), "z": np.array([1, 2, 3]),
    "n": 2, "m": 3, "c": 2.5, "zero": 0.0, "d_k": 4, "name": "a", "flag": True,
    "heads": [np.eye(2), np.ones((2, 2))], "ragged": [np.ones(2), np.ones(3)],
    "relu": lambda v: np.maximum(v, 0), "pair": lambda v: (v, v), "fail": refuse,
    "total": lambda v: float(np.sum(v)), "word": lambda v: str(v), "add": lambda v, w: v + w,
    "nan": np.nan, "inf_": np.inf, "loss": 0.25, "dloss_dA": np.array([[1.0, 0.0], [0.0, 1.0]]),
    "h16": np.float16([0.5, 0.25]), "h32": np.float32([0.1, 0.2]), "empty": np.zeros((0, 2)),
    "counts": np.array([0, 1, 2]), "y_i": 7.0, "y_j": np.ones(3), "W_x": np.array([2.0, 3.0]), "n_c": 8.0,
    "many": np.arange(20), "grid": np.arange(400).reshape(20, 20),
    "box": np.arange(64).reshape(4, 4, 4), "W_Q": np.array([[1.0, 1.0]]), "e_n": 7,
}  # fmt: skip


def told(statement: Node) -> str:
    try:
        verdict = judge(statement, NOTE)
    except UnboundError as error:
        return f"no {error}"
    if not verdict.holds:
        return verdict.why
    # What rounding makes of it is not the same everywhere.
    off = f" off by {verdict.difference:.3g}" if verdict.difference > 1e-9 else ""
    place = f" at {verdict.place}" if verdict.place else ""
    return f"{verdict.left} and {verdict.right}{off}{place}"


#: Formulas, and what is told of each of their statements.
VERDICTS = [
    ("n = 2", "2 and 2"),
    # What a loop has left in y_i is no name for the elements of y.
    (r"\sum_i y_i = 3", "3 and 3"),
    (r"y_j = (1, 1, 1)", "1 and 1 at element (1,)"),
    ("W^x = (2, 3)", "[2. 3.] and [2. 3.] at element (1,)"),
    (r"n^c \approx 5.65685", "5.65685 and 5.65685 off by 4.25e-06"),
    (
        r"\text{many}_1 = 0, \text{many} = \text{many} + 0 n",
        "0 and 0 & [ 0. 1. ... 18. 19.] and [ 0. 1. ... 18. 19.] at element (1,)",
    ),
    (
        r"\text{grid} = 0 n + \text{grid}",
        "[[ 0. 1. ... 18. 19.] [ 20. 21. ... 38. 39.] ... [360. 361. ... 378. 379.] [380. 381. ... 398. 399.]] and [[ 0. 1. ... 18. 19.] [ 20. 21. ... 38. 39.] ... [360. 361. ... 378. 379.] [380. 381. ... 398. 399.]] at element (1, 1)",
    ),
    (
        r"\text{box} = 0 n + \text{box}",
        "(shape (4, 4, 4)) and (shape (4, 4, 4)) at element (1, 1, 1)",
    ),
    ("n = 3", "left 2, right 3; the largest difference is 1: 2 = 3 does not hold"),
    (r"n \ne 2", "left 2, right 2; the largest difference is 0: 2 ≠ 2 does not hold"),
    (r"n \ne 3", "2 and 3 off by 1"),
    ("n < 2", "left 2, right 2; the largest difference is 0: 2 < 2 does not hold"),
    ("n < 3", "2 and 3 off by 1"),
    (r"n \le 2", "2 and 2"),
    (r"n \le 1", "left 2, right 1; the largest difference is 1: 2 ≤ 1 does not hold"),
    ("n > 2", "left 2, right 2; the largest difference is 0: 2 > 2 does not hold"),
    ("n > 1", "2 and 1 off by 1"),
    (r"n \ge 2", "2 and 2"),
    (r"n \ge 3", "left 2, right 3; the largest difference is 1: 2 ≥ 3 does not hold"),
    (
        r"n \approx 2.04",
        "left 2, right 2.04; the largest difference is 0.04: 2 ≈ 2.04 does not hold",
    ),
    (r"n \approx 2.0", "2 and 2"),
    (r"n \approx 2.1", "left 2, right 2.1; the largest difference is 0.1: 2 ≈ 2.1 does not hold"),
    (r"c \approx 2.5", "2.5 and 2.5"),
    (
        r"c \approx 2.6",
        "left 2.5, right 2.6; the largest difference is 0.1: 2.5 ≈ 2.6 does not hold",
    ),
    (r"c \approx n", "left 2.5, right 2; the largest difference is 0.5: 2.5 ≈ 2 does not hold"),
    (r"c \approx \frac{52}{20}", "2.5 and 2.6 off by 0.1"),
    (
        r"c \approx \frac{53}{20}",
        "left 2.5, right 2.65; the largest difference is 0.15: 2.5 ≈ 2.65 does not hold",
    ),
    (r"n \ll 20", "2 and 20 off by 18"),
    (r"n \ll 19", "left 2, right 19; the largest difference is 17: 2 ≪ 19 does not hold"),
    (r"20 \gg n", "20 and 2 off by 18"),
    (r"-n \ll 20", "≪ is judged of positive numbers alone"),
    ("c = 2.5", "2.5 and 2.5"),
    (
        "c = 2.50000000001",
        "left 2.5, right 2.5; the largest difference is 1e-11: 2.5 = 2.5 does not hold",
    ),
    ("c = 2.5000000000001", "2.5 and 2.5"),
    ("n = 2.00000000000001", "2 and 2"),
    ("x = (3, -4)", "[ 3. -4.] and [ 3. -4.] at element (1,)"),
    (
        "x = (3, -5)",
        "left [ 3. -4.], right [ 3. -5.]; the largest difference is 1 at element (2,): -4 = -5 does not hold",
    ),
    (r"x = \begin{bmatrix} 3 & -4 \end{bmatrix}", "[ 3. -4.] and [ 3. -4.] at element (1,)"),
    (r"x = \begin{bmatrix} 3 \\ -4 \end{bmatrix}", "[ 3. -4.] and [ 3. -4.] at element (1,)"),
    (
        r"A = \begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}",
        "[[1. 2.] [3. 4.]] and [[1. 2.] [3. 4.]] at element (1, 1)",
    ),
    (
        r"A = \begin{bmatrix} 1 & 2 \\ 3 & 5 \end{bmatrix}",
        "left [[1. 2.] [3. 4.]], right [[1. 2.] [3. 5.]]; the largest difference is 1 at element (2, 2): 4 = 5 does not hold",
    ),
    (
        r"A = \begin{bmatrix} 1 & 2 \\ 3 \end{bmatrix}",
        "a matrix written out has rows of different lengths",
    ),
    ("A_{12} = 2", "2 and 2"),
    ("A_{21} = 2", "left 3, right 2; the largest difference is 1: 3 = 2 does not hold"),
    (
        "A_{i1} = (1, 3)",
        "left [[1. 1.] [3. 3.]], right [[1. 3.] [1. 3.]]; the largest difference is 2 at i = 1, element (2,): 1 = 3 does not hold",
    ),
    (
        "A_{ij} = A_{ji}",
        "left [[1. 2.] [3. 4.]], right [[1. 3.] [2. 4.]]; the largest difference is 1 at i = 1, j = 2: 2 = 3 does not hold",
    ),
    ("A_{ij} > 0", "[[1. 2.] [3. 4.]] and 0 off by 4 at i = 2, j = 2"),
    (
        "A_{ij} > 1",
        "left [[1. 2.] [3. 4.]], right 1; the largest difference is 0 at i = 1, j = 1: 1 > 1 does not hold",
    ),
    (
        "A_{ii} = 1",
        "left [1. 4.], right 1; the largest difference is 3 at i = 2: 4 = 1 does not hold",
    ),
    ("A_{i,i} < 5", "[1. 4.] and 5 off by 4 at i = 1"),
    ("A_{1,3} = 1", "an index runs out of 1 to 2; they count from 1"),
    ("A_{1,2,1} = 1", "there are more indices than axes"),
    ("A_{0,1} = 1", "an index runs out of 1 to 2; they count from 1"),
    ("z_i = i", "[1. 2. 3.] and [1. 2. 3.] at i = 1"),
    (r"z_i = i, i = 1, \dots, m", "[1. 2. 3.] and [1. 2. 3.] at i = 1"),
    (r"z_i = i, i = 1, \dots, n", "[1. 2.] and [1. 2.] at i = 1"),
    (r"z_i = i, i = 2, \dots, m", "[2. 3.] and [2. 3.] at i = 2"),
    (r"z_i = 1, i = 2, \dots, 1", "the range of i is empty"),
    (r"z_i = i, i = 1, \dots, \infty", "i would run without an end"),
    ("z_{i+1} = z_i + 1", "[2. 3. 3.] and [2. 3. 4.] at i = 1"),
    (
        "z_{i+1} = z_i + 2",
        "left [2. 3. 3.], right [3. 4. 5.]; the largest difference is 1 at i = 1: 2 = 3 does not hold",
    ),
    (r"z_i = 2 \text{ if } i = 2", "2 and 2 at i = 2"),
    (r"z_i = 1 \text{ if } i = 5", "there is no index for which it says anything"),
    (r"z_i = i \text{ for } i > 1 \text{ and } i < 3", "2 and 2 at i = 2"),
    ("C_{2i} = z_i + 3", "[4. 5. 6.] and [4. 5. 6.] at i = 1"),
    (
        "C_i = 1",
        "left [[1. 2. 3.] [4. 5. 6.]], right 1; the largest difference is 5 at i = 2, element (3,): 6 = 1 does not hold",
    ),
    (
        r"A B = \begin{bmatrix} 2 & 1 \\ 4 & 3 \end{bmatrix}",
        "[[2. 1.] [4. 3.]] and [[2. 1.] [4. 3.]] at element (1, 1)",
    ),
    (
        "A C = 1",
        "left [[ 9. 12. 15.] [19. 26. 33.]], right 1; the largest difference is 32 at element (2, 3): 33 = 1 does not hold",
    ),
    ("C A = 1", "shapes (2, 3) and (2, 2) cannot be multiplied: 3 is not 2"),
    (
        r"A^\top = \begin{bmatrix} 1 & 3 \\ 2 & 4 \end{bmatrix}",
        "[[1. 3.] [2. 4.]] and [[1. 3.] [2. 4.]] at element (1, 1)",
    ),
    (
        r"A \odot A = \begin{bmatrix} 1 & 4 \\ 9 & 16 \end{bmatrix}",
        "[[ 1. 4.] [ 9. 16.]] and [[ 1. 4.] [ 9. 16.]] at element (1, 1)",
    ),
    (
        r"A^2 = \begin{bmatrix} 7 & 10 \\ 15 & 22 \end{bmatrix}",
        "[[ 7. 10.] [15. 22.]] and [[ 7. 10.] [15. 22.]] at element (1, 1)",
    ),
    ("A^0 = I", "[[1. 0.] [0. 1.]] and [[1. 0.] [0. 1.]] at element (1, 1)"),
    (
        r"A^{-1} = \begin{bmatrix} -2 & 1 \\ 1.5 & -0.5 \end{bmatrix}",
        "[[-2. 1. ] [ 1.5 -0.5]] and [[-2. 1. ] [ 1.5 -0.5]] at element (1, 1)",
    ),
    ("C^{-1} = 1", "only a square matrix has an inverse, and this is (2, 3)"),
    ("C^2 = 1", "a power of a matrix of shape (2, 3); write the product"),
    ("A^{c} = 1", "a power of a matrix that is not whole"),
    ("A^{65} = A", "a matrix to a power beyond 64"),
    ("A^{x} = 1", "an exponent is not a number"),
    ("I^2 = A", "a power of what has no size"),
    (
        r"A + I = \begin{bmatrix} 2 & 2 \\ 3 & 5 \end{bmatrix}",
        "[[2. 2.] [3. 5.]] and [[2. 2.] [3. 5.]] at element (1, 1)",
    ),
    (
        r"A - 2 I = \begin{bmatrix} -1 & 2 \\ 3 & 2 \end{bmatrix}",
        "[[-1. 2.] [ 3. 2.]] and [[-1. 2.] [ 3. 2.]] at element (1, 1)",
    ),
    ("I = I", "nothing says how large the two sides are"),
    (
        "A + x = 1",
        "left [[ 4. -2.] [ 6. 0.]], right 1; the largest difference is 5 at element (2, 1): 6 = 1 does not hold",
    ),
    ("A + C = 1", "shapes (2, 2) and (2, 3) differ"),
    ("x + y = (4, -2)", "[ 4. -2.] and [ 4. -2.] at element (1,)"),
    ("x - y = (2, -6)", "[ 2. -6.] and [ 2. -6.] at element (1,)"),
    (r"x \cdot y = -5", "-5 and -5"),
    (r"x \cdot z = 1", "vectors of (2,) and (3,) have no dot product"),
    ("x y = -5", r"which product of two vectors? write q \cdot k, q^\top k or q k^\top"),
    (r"x^\top y = -5", "-5 and -5"),
    (
        r"x y^\top = \begin{bmatrix} 3 & 6 \\ -4 & -8 \end{bmatrix}",
        "[[ 3. 6.] [-4. -8.]] and [[ 3. 6.] [-4. -8.]] at element (1, 1)",
    ),
    ("x A = (-9, -10)", "[ -9. -10.] and [ -9. -10.] at element (1,)"),
    ("A x = (-5, -7)", "[-5. -7.] and [-5. -7.] at element (1,)"),
    (r"x \odot y = (3, -8)", "[ 3. -8.] and [ 3. -8.] at element (1,)"),
    (
        r"x \otimes y = \begin{bmatrix} 3 & 6 \\ -4 & -8 \end{bmatrix}",
        "[[ 3. 6.] [-4. -8.]] and [[ 3. 6.] [-4. -8.]] at element (1, 1)",
    ),
    (r"x \times y = 1", r"which product of two vectors? write q \cdot k, q^\top k or q k^\top"),
    (r"n \times m = 6", "6 and 6"),
    ("n x = (6, -8)", "[ 6. -8.] and [ 6. -8.] at element (1,)"),
    ("x / n = (1.5, -2)", "[ 1.5 -2. ] and [ 1.5 -2. ] at element (1,)"),
    (
        "n / x = 1",
        "left [ 0.6667 -0.5 ], right 1; the largest difference is 1.5 at element (2,): -0.5 = 1 does not hold",
    ),
    ("x / y = (3, -2)", "[ 3. -2.] and [ 3. -2.] at element (1,)"),
    (
        "x / A = 1",
        "left [[ 3. -2.] [ 1. -1.]], right 1; the largest difference is 3 at element (1, 2): -2 = 1 does not hold",
    ),
    ("n / 0 = 1", "left nan, right 1; the largest difference is inf: nan = 1 does not hold"),
    (
        r"n / \text{zero} = 1",
        "left nan, right 1; the largest difference is inf: nan = 1 does not hold",
    ),
    ("x^2 = (9, 16)", "[ 9. 16.] and [ 9. 16.] at element (1,)"),
    ("x^x = 1", "an exponent is not a number"),
    ("2^n = 4", "4 and 4"),
    ("2^{-n} = 0.25", "0.25 and 0.25"),
    ("0^0 = 1", "1 and 1"),
    (
        r"\text{zero}^{-1} = 1",
        "left nan, right 1; the largest difference is inf: nan = 1 does not hold",
    ),
    (r"n^{c} \approx 5.657", "5.65685 and 5.657 off by 0.000146"),
    (r"\sqrt{d_k} = 2", "2 and 2"),
    (r"\sqrt{-n} = 1", "left nan, right 1; the largest difference is inf: nan = 1 does not hold"),
    (r"\sqrt[3]{27} = 3", "3 and 3"),
    (r"\sqrt[1]{27} = 3", "the order of a root is a whole number from 2 on"),
    (r"\sqrt[c]{27} = 3", "the order of a root is a whole number from 2 on"),
    (r"\exp(0) = 1", "1 and 1"),
    (r"\exp(1) = e", "2.71828 and 2.71828"),
    (r"\exp(1000) = 1", "left nan, right 1; the largest difference is inf: nan = 1 does not hold"),
    (r"\log(e) = 1", "1 and 1"),
    (r"\log(0) = -\infty", "-inf and -inf"),
    (r"\log(-1) = 1", "left nan, right 1; the largest difference is inf: nan = 1 does not hold"),
    (r"\log_2 8 = 3", "3 and 3"),
    (r"\sin(\pi) = 0", "1.22465e-16 and 0"),
    (
        r"\sin(10^{20}) = 0",
        "left nan, right 0; the largest difference is inf: nan = 0 does not hold",
    ),
    (r"\tan(\pi / 4) = 1", "1 and 1"),
    (r"\tanh(0) = 0", "0 and 0"),
    (r"\cosh(0) = 1", "1 and 1"),
    (r"\arccos(1) = 0", "0 and 0"),
    (r"\lfloor c \rfloor = 2", "2 and 2"),
    (r"\lceil c \rceil = 3", "3 and 3"),
    (r"\lfloor 3 \cdot 0.1 \cdot 10 \rfloor = 3", "3 and 3"),
    (r"\operatorname{abs}(x) = (3, 4)", "[3. 4.] and [3. 4.] at element (1,)"),
    (r"\operatorname{sgn}(x) = (1, -1)", "[ 1. -1.] and [ 1. -1.] at element (1,)"),
    ("3! = 6", "6 and 6"),
    ("c! = 1", "a factorial is of a whole number from 0 to 170"),
    ("(-1)! = 1", "a factorial is of a whole number from 0 to 170"),
    ("171! = 1", "a factorial is of a whole number from 0 to 170"),
    ("x! = 1", "a factorial is of a number"),
    (r"\binom{4}{2} = 6", "6 and 6"),
    (r"\binom{4}{c} = 6", r"\binom takes whole numbers from 0 to 1000"),
    (r"\binom{4}{x} = 6", r"\binom takes whole numbers from 0 to 1000"),
    (r"7 \bmod 3 = 1", "1 and 1"),
    (r"7 \bmod c = 1", r"\bmod takes whole numbers"),
    (r"7 \bmod 0 = 1", r"\bmod takes whole numbers"),
    (r"50 \% = 0.5", "0.5 and 0.5"),
    (r"12.5 \% \approx 0.125", "0.125 and 0.125"),
    (
        r"12.5 \% \approx 0.126",
        "left 0.125, right 0.126; the largest difference is 0.001: 0.125 ≈ 0.126 does not hold",
    ),
    (r"180^\circ = \pi", "3.14159 and 3.14159"),
    (r"\langle x, y \rangle = -5", "-5 and -5"),
    (r"\langle A, y \rangle = 1", r"\langle q, k \rangle takes two vectors"),
    (
        r"\operatorname{diag}(y) = \begin{bmatrix} 1 & 0 \\ 0 & 2 \end{bmatrix}",
        "[[1. 0.] [0. 2.]] and [[1. 0.] [0. 2.]] at element (1, 1)",
    ),
    (r"\operatorname{diag}(A) = (1, 4)", "[1. 4.] and [1. 4.] at element (1,)"),
    (
        r"\operatorname{diag}(C) = 1",
        "the diagonal is of a square matrix, and this has shape (2, 3)",
    ),
    (r"\operatorname{diag}(n) = 1", "diag is of a vector or a square matrix"),
    (r"\operatorname{diag}(T) = 1", "diag is of a vector or a square matrix"),
    (r"\operatorname{tr}(A) = 5", "5 and 5"),
    (r"\operatorname{tr}(C) = 5", "the trace is of a square matrix, and this has shape (2, 3)"),
    (r"\operatorname{rank}(A) = 2", "2 and 2"),
    (r"\operatorname{rank}(C) = 2", "2 and 2"),
    (r"\operatorname{rank}(x y^\top) = 1", "1 and 1"),
    (r"\operatorname{rank}(x) = 1", "the rank is of a matrix, and this has shape (2,)"),
    (r"\det A = -2", "-2 and -2"),
    (r"\det C = 1", "the determinant is of a square matrix, and this has shape (2, 3)"),
    (r"\begin{vmatrix} 1 & 2 \\ 3 & 4 \end{vmatrix} = -2", "-2 and -2"),
    (r"\mathbf{1}_n = (1, 1)", "1 and 1 at element (1,)"),
    (r"\mathbf{1}_n^\top x = -1", "-1 and -1"),
    (r"\mathbf{1}^\top x = -1", "-1 and -1"),
    (r"\mathbf{1}_c = 1", "the length of a vector of ones is one whole number"),
    (r"\mathbf{1}_0 = 1", "a vector of ones that is too long, or too short"),
    (
        r"I_n = \begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix}",
        "[[1. 0.] [0. 1.]] and [[1. 0.] [0. 1.]] at element (1, 1)",
    ),
    ("I_c = 1", "I_n has one whole number"),
    ("I_0 = 1", "I_n is too large, or too small"),
    (
        r"\delta_{ij} A_{ij} = \delta_{ij} A_{ji}",
        "[[1. 0.] [0. 4.]] and [[1. 0.] [0. 4.]] at i = 1, j = 1",
    ),
    (r"\sum_{i=1}^{3} i = 6", "6 and 6"),
    (r"\sum_{i=1}^{3} i^2 = 14", "14 and 14"),
    (r"\sum_{i=1}^{m} z_i = 6", "6 and 6"),
    (r"\sum_i z_i = 6", "6 and 6"),
    (r"\sum_i z_i = 7", "left 6, right 7; the largest difference is 1: 6 = 7 does not hold"),
    (r"\sum_{i=1}^{4} z_i = 6", "an index runs out of 1 to 3; they count from 1"),
    (r"\sum_{i=1}^{c} i = 3", "i does not run over whole numbers"),
    (r"\sum_{i=3}^{1} i = 0", "the range of i is empty"),
    (r"\sum_{i, j} A_{ij} = 10", "10 and 10"),
    (r"\sum_{i < j} A_{ij} = 2", "2 and 2"),
    (r"\sum_{i \ne j} A_{ij} = 5", "5 and 5"),
    (
        r"\sum_{j} A_{ij} = (3, 7)",
        "left [[3. 3.] [7. 7.]], right [[3. 7.] [3. 7.]]; the largest difference is 4 at i = 1, element (2,): 3 = 7 does not hold",
    ),
    (r"\sum_{j} A_{ij} = 3 + 4 (i - 1)", "[3. 7.] and [3. 7.] at i = 1"),
    (r"\prod_{i=1}^{4} i = 24", "24 and 24"),
    (r"\prod_i z_i = 6", "6 and 6"),
    (r"\prod_i z_i = 5", "left 6, right 5; the largest difference is 1: 6 = 5 does not hold"),
    (r"\max_i z_i = 3", "3 and 3"),
    (r"\min_i z_i = 1", "1 and 1"),
    (r"\argmax_i z_i = 3", "3 and 3"),
    (r"\argmin_i x_i = 2", "2 and 2"),
    (r"\arg\max_i A_i = 1", "argmax of a vector has no number"),
    (r"\max(x) = 3", "3 and 3"),
    (r"\max(n, m) = 3", "3 and 3"),
    (r"\min(n, m, 1) = 1", "1 and 1"),
    (r"\max n = 1", r"\max of one number"),
    (r"\max(x, 0) = (3, 0)", "[3. 0.] and [3. 0.] at element (1,)"),
    (
        r"\max(x, A) = 1",
        "left [[3. 2.] [3. 4.]], right 1; the largest difference is 3 at element (2, 2): 4 = 1 does not hold",
    ),
    ("|{-n}| = 2", "2 and 2"),
    ("|x| = 5", r"the bars | | are for numbers; write \lVert x \rVert of arrays"),
    (r"\lVert x \rVert = 5", "5 and 5"),
    (r"\lVert x \rVert_1 = 7", "7 and 7"),
    (r"\lVert x \rVert_2 = 5", "5 and 5"),
    (r"\lVert x \rVert_\infty = 4", "4 and 4"),
    (r"\lVert x \rVert_0 = 2", "the norm 0 counts what is not 0, which rounding hides"),
    (r"\lVert x \rVert_3 = 2", r"the norm 3 is not known; known are 1, 2, \infty and F"),
    (r"\lVert x \rVert_F = 2", "the Frobenius norm is of a matrix"),
    (r"\lVert n \rVert = 2", "the norm of a number; write | |"),
    (r"\lVert A \rVert_F = \sqrt{30}", "5.47723 and 5.47723"),
    (r"\lVert A \rVert = \sqrt{30}", "5.47723 and 5.47723"),
    (r"\lVert A \rVert_1 = 6", "of matrices, only the Frobenius norm is known; write _F"),
    (
        r"\operatorname{Concat}(x, y) = (3, -4, 1, 2)",
        "[ 3. -4. 1. 2.] and [ 3. -4. 1. 2.] at element (1,)",
    ),
    (r"\operatorname{Concat}(x, A) = 1", "what is joined must have the same axes"),
    (r"\text{heads}_1 = I", "[[1. 0.] [0. 1.]] and [[1. 0.] [0. 1.]] at element (1, 1)"),
    (r"\text{heads}_2 = \begin{bmatrix} 1 & 1 \\ 1 & 1 \end{bmatrix}", "1 and 1 at element (1, 1)"),
    (r"\text{ragged}_1 = y", "ragged holds arrays of different shapes"),
    (r"\text{relu}(x) = (3, 0)", "[3. 0.] and [3. 0.] at element (1,)"),
    (
        r"\text{relu}(x) = (3, 1)",
        "left [3. 0.], right [3. 1.]; the largest difference is 1 at element (2,): 0 = 1 does not hold",
    ),
    (r"\text{pair}(x) = x", "pair returns several things"),
    (r"\text{fail}(x) = x", "fail raises ValueError: no"),
    (r"\text{word}(x) = x", "word returns what is not an array of real numbers"),
    (r"\text{total}(x) = -1", "-1 and -1"),
    (
        r"\text{total}(A_i) = (3, 7)",
        "left [[3. 3.] [7. 7.]], right [[3. 7.] [3. 7.]]; the largest difference is 4 at i = 1, element (2,): 3 = 7 does not hold",
    ),
    (r"\text{add}(x, y) = (4, -2)", "[ 4. -2.] and [ 4. -2.] at element (1,)"),
    (
        r"\text{add}(x) = 1",
        "add raises TypeError: <lambda>() missing 1 required positional argument: 'w'",
    ),
    (r"\text{relu} = 1", "relu is a function"),
    (r"\text{name} = 1", "name is not made of real numbers"),
    (r"\text{flag} = 1", "1 and 1"),
    (
        r"\text{nan} = \text{nan}",
        "left nan, right nan; the largest difference is inf: nan = nan does not hold",
    ),
    (
        r"\text{nan} \ne 1",
        "left nan, right 1; the largest difference is inf: nan ≠ 1 does not hold",
    ),
    (r"\text{inf\_} = \infty", "inf and inf"),
    (r"\text{inf\_} > 10", "inf and 10 off by inf"),
    (
        r"\frac{\partial \text{loss}}{\partial A} = I",
        "[[1. 0.] [0. 1.]] and [[1. 0.] [0. 1.]] at element (1, 1)",
    ),
    (r"\frac{\partial \text{loss}}{\partial B} = I", "no dloss_dB"),
    (
        r"\frac{\partial \text{loss}}{\partial A_{ij}} = \delta_{ij}",
        "[[1. 0.] [0. 1.]] and [[1. 0.] [0. 1.]] at i = 1, j = 1",
    ),
    ("h16 = 1", "no h"),
    (r"\text{h16} = (0.5, 0.25)", "[0.5 0.25] and [0.5 0.25] at element (1,)"),
    (r"\text{h16} = (0.5, 0.2501)", "[0.5 0.25] and [0.5 0.2501] off by 0.0001 at element (2,)"),
    (
        r"\text{h16} = (0.5, 0.26)",
        "left [0.5 0.25], right [0.5 0.26]; the largest difference is 0.01 at element (2,): 0.25 = 0.26 does not hold",
    ),
    (r"\text{h32} = (0.1, 0.2)", "[0.1 0.2] and [0.1 0.2] off by 2.98e-09 at element (2,)"),
    (
        r"\text{h32} = (0.1, 0.20001)",
        "left [0.1 0.2], right [0.1 0.2]; the largest difference is 9.997e-06 at element (2,): 0.2 = 0.20001 does not hold",
    ),
    (r"x \in \mathbb{R}^n", "(2,) and (2,)"),
    (r"x \in \mathbb{R}^m", "the shape is (2,), not (3,)"),
    (r"A \in \mathbb{R}^{n \times n}", "(2, 2) and (2, 2)"),
    (r"A \in \mathbb{R}^{n \times m}", "the shape is (2, 2), not (2, 3)"),
    (r"A \notin \mathbb{R}^{n \times m}", "(2, 2) and (2, 3)"),
    (r"A \notin \mathbb{R}^{n \times n}", "the shape is (2, 2), that"),
    (r"C \in \mathbb{R}^{n \times (n + 1)}", "(2, 3) and (2, 3)"),
    (r"C \in \mathbb{R}^{c \times m}", "a dimension is not a whole number"),
    (r"C \in \mathbb{R}^{x \times m}", "a dimension is not a whole number"),
    (r"n \in \mathbb{R}", "() and ()"),
    (r"x \in \mathbb{R}", "the shape is (2,), not ()"),
    (r"z \in \mathbb{N}^m", "(3,) and (3,)"),
    (r"x \in \mathbb{Z}^n", "(2,) and (2,)"),
    (r"x \in \mathbb{N}^n", "not all elements are whole numbers from 0 on: -4"),
    (r"c \in \mathbb{Z}", "not all elements are whole numbers: 2.5"),
    (
        r"\text{counts} \in \mathbb{N}_+^m",
        "(3,) and (3,) & left [0. 1. 2.], right 0; the largest difference is 0 at element (1,): 0 > 0 does not hold",
    ),
    (
        r"\text{counts} \in \mathbb{N}_0^m",
        "(3,) and (3,) & [0. 1. 2.] and 0 off by 2 at element (3,)",
    ),
    (r"x \in [-4, 3]", "[ 3. -4.] and 3 off by 7 at element (2,)"),
    (
        r"x \in (-4, 3]",
        "left [ 3. -4.], right -4; the largest difference is 0 at element (2,): -4 > -4 does not hold",
    ),
    (
        r"x \in [-4, 3)",
        "left [ 3. -4.], right 3; the largest difference is 0 at element (1,): 3 < 3 does not hold",
    ),
    (
        r"x \in [0, 1]",
        "left [ 3. -4.], right 0; the largest difference is 4 at element (2,): -4 ≥ 0 does not hold",
    ),
    (r"n \notin [3, 4]", r"\notin is judged of sets of numbers and shapes alone"),
    (r"z \in \{1, 2, 3\}", " and "),
    (r"z \in \{1, 2\}", "3 is not one of them"),
    (r"z \in \{1, \dots, m\}", " and "),
    (r"c \in \{1, 2.5\}", " and "),
    (r"c \notin \{1, 2.5\}", "2.5 is one of them"),
    (r"x \in \{x, 1\}", "a set of numbers holds an array"),
    (r"I \in \mathbb{R}^{2 \times 2}", "what has no size is in no set"),
    (r"A_i \in \mathbb{R}^n", "(2,) and (2,)"),
    (r"W_Q \in \mathbb{R}^{1 \times 2}", "(1, 2) and (1, 2)"),
    (r"\text{empty} \in \mathbb{R}^{0 \times n}", "(0, 2) and (0, 2)"),
    (r"i = 1, \dots, n", " and "),
    (r"z = 1, \dots, m", " and "),
    (r"z = 1, \dots, n", "it holds other numbers"),
    (r"n = 1, \dots, c", "an end of the range is not a whole number"),
    ("f(x) = 1", "no f"),
    ("q = 1", "no q"),
    ("q_i = 1", "no q"),
    ("n_i = 1", "no n_i"),
    ("A_{q} = 1", "no A_q"),
    ("T_{112} = 1", "1 and 1"),
    (
        r"T_{ijk} \ge 0",
        "[[[0. 1.] [2. 3.]] [[4. 5.] [6. 7.]]] and 0 off by 7 at i = 2, j = 2, k = 2",
    ),
    ("T_{:, 1} = 1", "a slice of something else than all axes"),
    ("A_{:, 1} = (1, 3)", "[1. 3.] and [1. 3.] at element (1,)"),
    (
        "A_{:, 1} = (1, 4)",
        "left [1. 3.], right [1. 4.]; the largest difference is 1 at element (2,): 3 = 4 does not hold",
    ),
    ("A_{1, :} = (1, 2)", "[1. 2.] and [1. 2.] at element (1,)"),
    ("x_c = 1", "an index is not a whole number"),
    (r"n = 2 \text{ s}", "2 and 2"),
    (r"n \text{ s} = 2 \text{ ms}", "no s"),
    (r"\mathbb{E}[z] = 2", "2 and 2"),
    (r"\operatorname{Var}[z] = \frac{2}{3}", "0.666667 and 0.666667"),
    (r"\mathbb{E}[n] = 2", "E needs a sample; here is one number"),
    (r"\operatorname{Cov}(x, z) = 1", "Cov of samples of different shapes"),
    (r"\operatorname{Cov}(x, y) = -1.75", "-1.75 and -1.75"),
    (r"f_i = \begin{cases} 1 & i = 1 \\ 0 & \text{otherwise} \end{cases}", "no f"),
    (
        r"z_i = \begin{cases} 1 & i = 1 \\ i & \text{otherwise} \end{cases}",
        "[1. 2. 3.] and [1. 2. 3.] at i = 1",
    ),
    (
        r"z_i = \begin{cases} 1 & i = 1 \\ 2 & i = 2 \end{cases}",
        "left [1. 2. 3.], right [ 1. 2. nan]; the largest difference is inf at i = 3: 3 = nan does not hold",
    ),
    (
        r"x = \begin{cases} 3 & x > 0 \\ -4 & x \le 0 \end{cases}",
        "[ 3. -4.] and [ 3. -4.] at element (1,)",
    ),
    (
        r"x = \begin{cases} y & x \in \mathbb{R}^2 \\ -4 & x \le 0 \end{cases}",
        "a condition on a shape",
    ),
    ("[n = 2] = 1", "1 and 1"),
    ("[n > 2] = 1", "left 0, right 1; the largest difference is 1: 0 = 1 does not hold"),
    (r"n = 2 \text{ if } m \approx 3", "a condition with ≈"),
    (r"n = 5 \text{ if } m \in \{1, 2\}", "there is no index for which it says anything"),
    (r"n = 2 \text{ if } m \in (1, 3]", "2 and 2"),
    (r"n = 5 \text{ if } m \in (1, 3)", "there is no index for which it says anything"),
    ("n = 2 = m - 1", "2 and 2"),
    ("n = 2 = m", "left 2, right 3; the largest difference is 1: 2 = 3 does not hold"),
    ("n < m < 3", "left 3, right 3; the largest difference is 0: 3 < 3 does not hold"),
    ("n < m < 4", "3 and 4 off by 1"),
    ("1 < 2", "1 and 2 off by 1"),
    ("2 < 1", "left 2, right 1; the largest difference is 1: 2 < 1 does not hold"),
    ("e_n = 7", "7 and 7"),
    (r"e^2 \approx 7.389", "7.38906 and 7.389 off by 5.61e-05"),
    (r"\pi \approx 3.14", "3.14159 and 3.14 off by 0.00159"),
    (
        r"\pi \approx 3.15",
        "left 3.14159, right 3.15; the largest difference is 0.008407: 3.14159 ≈ 3.15 does not hold",
    ),
    (r"1.30 \times 10^{-3} \approx 0.0013", "0.0013 and 0.0013"),
    (
        r"1.30 \times 10^{-3} \approx 0.00131",
        "left 0.0013, right 0.00131; the largest difference is 1e-05: 0.0013 ≈ 0.00131 does not hold",
    ),
    (r"c \approx 0.25 \times 10^{1}", "2.5 and 2.5"),
    (
        r"x \approx (3, -4.1)",
        "left [ 3. -4.], right [ 3. -4.1]; the largest difference is 0.1 at element (2,): -4 ≈ -4.1 does not hold",
    ),
    (
        r"x \approx (3.0, -4.3)",
        "left [ 3. -4.], right [ 3. -4.3]; the largest difference is 0.3 at element (2,): -4 ≈ -4.3 does not hold",
    ),
    (r"x \approx 1.04 \cdot x", "[ 3. -4.] and [ 3.12 -4.16] off by 0.16 at element (2,)"),
    (
        r"x \approx 1.06 \cdot x",
        "left [ 3. -4.], right [ 3.18 -4.24]; the largest difference is 0.24 at element (2,): -4 ≈ -4.24 does not hold",
    ),
]


@pytest.mark.parametrize(("tex", "said"), VERDICTS)
def test_what_is_told(tex: str, said: str) -> None:
    assert " & ".join(map(told, parse(tex))) == said


@pytest.mark.parametrize(
    ("tex", "bound"),
    [
        (r"n x = A y", ("n = 2", "x (2,)", "A (2, 2)", "y (2,)")),
        (r"\text{relu}(x) = c", ("relu (function)", "x (2,)", "c = 2.5")),
        (r"\text{heads}_1 = I", ("heads (2 items)",)),
        (r"1 = 1", ()),
    ],
)
def test_what_it_was_judged_on(tex: str, bound: tuple[str, ...]) -> None:
    (statement,) = parse(tex)
    assert judge(statement, NOTE).bound == bound


@pytest.mark.parametrize(
    ("tex", "part"),
    [
        # The right side of the relation that fails.
        (r"n = 2, \quad n = m", "m"),
        (r"n = 2 = m < 4", "m"),
        (r"x \in \mathbb{R}^m", r"x \in \mathbb{R}^m"),
        (r"C A = 1", "C A = 1"),
    ],
)
def test_where_it_fails(tex: str, part: str) -> None:
    wrong = [verdict for verdict in (judge(s, NOTE) for s in parse(tex)) if not verdict.holds]
    assert [tex[slice(*verdict.span)] for verdict in wrong] == [part]
