"""Shapes in running text: what is one, and what it must be."""

import pytest

from vaultkit.checks.check import EXCEPTED, FAILS
from vaultkit.checks.shapes import Shapes, printed
from vaultkit.read.markdown import parse
from vaultkit.run.session import NoteRun

CODE = """```python
import numpy as np

B, h, n, d_k, d_model = 2, 3, 6, 4, 12
X = np.ones((n, d_model))
W_Q = np.ones((d_model, d_k))
Q = X @ W_Q
heads = np.ones((B, h, n, d_k))
point = np.array([3, 5])
print(Q @ Q.T * 1.5)
```

"""


def checks(text: str) -> list[tuple[str, str, str]]:
    note = parse(CODE + text + "\n")
    shapes = Shapes(note)
    NoteRun(note, watchers=[shapes.look]).finish()
    return [(check.what, check.outcome, check.why) for check in shapes.check()]


#: A shape, and changes of it that are false.
STATED = {
    "Q is (6, 4).": ["Q is (6, 3).", "Q is (4, 6).", "Q is (12, 4)."],
    "`Q` has shape (n, d_k).": ["`Q` has shape (d_k, n).", "`Q` has shape (n, d_model)."],
    "$Q$ is $(n, d_k)$.": ["$Q$ is $(d_k, n)$.", "$Q$ is $(n, n)$."],
    "`Q` is `(6, 4)`.": ["`Q` is `(6, 5)`.", "`Q` is `(4, 6)`."],
    "`Q.shape == (6, 4)`": ["`Q.shape == (6, 5)`"],
    "The shape is (B, h, n, d_k).": ["The shape is (B, h, n, n).", "The shape is (h, B, n, d_k)."],
    "Each head is (n, d_k).": ["Each head is (n, h)."],
    "An $n \\times d_k$ matrix.": ["An $n \\times h$ matrix.", "An $h \\times d_k$ matrix."],
    "It is n × d_model.": ["It is n × h.", "It is d_model × n."],
    "A 6 by 4 matrix.": ["A 6 by 5 matrix.", "A 7 by 4 matrix."],
    "A 6 x 4 array.": ["A 6 x 5 array.", "A 4 x 7 array."],
    "A 6×6 table of scores.": ["A 6×7 table of scores."],
    "$Q^\\top$ is $(d_k, n)$.": ["$Q^\\top$ is $(n, d_k)$."],
    "Q transposed, d_k by n.": ["Q transposed, d_k by h."],
    "| a | (6, 4) |\n|---|---|\n| b | c |": ["| a | (6, 3) |\n|---|---|\n| b | c |"],
    "## Of shape (6, 4)": ["## Of shape (6, 3)"],
    "![A 6 by 4 matrix](a.svg)": ["![A 6 by 3 matrix](a.svg)"],
    "![words](a.svg)\n*A 6 by 4 matrix.*": ["![words](a.svg)\n*A 6 by 3 matrix.*"],
    "[[a|an array of shape (6, 4)]]": ["[[a|an array of shape (6, 3)]]"],
    "> [!note] Shape (6, 4)\n> words": ["> [!note] Shape (6, 3)\n> words"],
    "- of shape (n, d_k)": ["- of shape (n, h)"],
    "<div>of shape (6, 4)</div>": ["<div>of shape (6, 3)</div>"],
}


@pytest.mark.parametrize("true", STATED)
def test_a_shape_is_that_of_an_array(true: str) -> None:
    assert [outcome for _, outcome, _ in checks(true)] == ["holds"]
    for false in STATED[true]:
        ((_, outcome, why),) = checks(false)
        assert outcome == FAILS, false
        assert "has shape" in why or "no array of this note" in why


@pytest.mark.parametrize(
    "text",
    [
        "The point (0.3, 0.8) and the interval (0, 1).",
        "Element (2, 3) and position (1, 2).",
        "The vector (3, 5).",
        "The key (1, 0) or (0, 1).",
        "Words (and, more) in brackets (see, below).",
        "`softmax(x, axis)` and `f(2, 3)`.",
        "(i, j) and (x, y).",
        "(Q, X).",
        "It is 3.7× faster, 2 × 10⁻³, one by one.",
        "Divide 6 by 7.",
        "`np.zeros((7, 7))`",
        "$(n, d_k) = (6, 4)$",
    ],
)
def test_what_is_no_shape_is_left_alone(text: str) -> None:
    assert [what for what, outcome, _ in checks(text) if outcome == FAILS] == []


def test_a_length_must_be_bound() -> None:
    ((_, outcome, why),) = checks("The shape is (n, m).")
    assert outcome == FAILS
    assert why == "(n, m): no block of this note binds m"


def test_a_given_shape_is_an_exception() -> None:
    assert checks("It is 7 by 9<!-- given: elsewhere -->.") == [("7 by 9", EXCEPTED, "elsewhere")]


def test_lengths_are_those_of_the_blocks_above() -> None:
    text = "It is (n, d_k).\n\n```python\nn = 3\nR = np.ones((n, d_k))\n```\n\nNow R is (n, d_k).\n"
    assert [outcome for _, outcome, _ in checks(text)] == ["holds", "holds"]


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("[[1. 2.]\n [3. 4.]\n [5. 6.]]", (3, 2)),
        ("array([[[1], [2]]])", (1, 2, 1)),
        ("array([1, 2, 3])", (3,)),
        ("[1 ... 9]", ()),
        ("words", ()),
        ("[[1 2", ()),
        ("]][[", ()),
    ],
)
def test_a_printed_array_has_a_shape(text: str, shape: tuple[int, ...]) -> None:
    assert printed(text) == shape
