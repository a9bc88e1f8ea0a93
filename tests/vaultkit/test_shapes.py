"""Shapes in running text: what is one, and what it must be."""

import pytest

from vaultkit.checks.check import EXCEPTED, FAILS, HOLDS, Check, strictly
from vaultkit.checks.observed_shapes import ObservedShapes, printed_shape
from vaultkit.checks.shapes import Shapes
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


def test_a_shape_of_names_is_no_row() -> None:
    note = CODE.replace("B, h,", "three, five = 3, 5\nB, h,", 1)
    for text, outcome in {"(3, 5)": HOLDS, "(three, five)": FAILS}.items():
        shapes = Shapes(ObservedShapes(parse(f"{note}It has shape {text}.\n")))
        NoteRun(shapes.note).finish(shapes.made.observe, shapes.observe)
        assert [check.outcome for check in strictly(shapes.check())] == [outcome]


@pytest.mark.parametrize("stated", ["has shape `(4, 7)`", "has 7 rows"])
def test_a_message_about_a_transpose_states_its_shape(stated: str) -> None:
    shapes = Shapes(ObservedShapes(parse(f"{CODE}The transpose of `Q` {stated}.\n")))
    NoteRun(shapes.note).finish(shapes.made.observe, shapes.observe)
    (check,) = strictly(shapes.check())
    assert check.why.endswith("the transpose of Q has shape (4, 6)")


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
        ("[[[[[1]]]]]", (1, 1, 1, 1, 1)),
        ("[[[[[[1]]]]]]", ()),
        ("a [1, 2] b", (2,)),
        ("[[1, 2], [3, 4]] and [5]", (2, 2)),
        ("[]", ()),
        ("[[]]", ()),
        ("[[1 2] [3 4]]]", ()),
        ("[" + "1 " * 9999 + "]", (9999,)),
        ("[" + "1 " * 10000 + "]", ()),
        ("[1\n 2]", (2,)),
        ("[ 1,2 ]", (2,)),
        ("[[1], 2]", (1, 1)),
    ],
)
def test_a_printed_array_has_a_shape(text: str, shape: tuple[int, ...]) -> None:
    assert printed_shape(text) == shape


def test_a_check_of_a_shape_has_its_place() -> None:
    note = parse(CODE + "It is\nof shape (6, 4), (6, 5) or (17, 9)<!-- given: so -->.\n")
    shapes = Shapes(ObservedShapes(note))
    NoteRun(note).finish(shapes.made.observe, shapes.observe)
    holds, fails, given = strictly(shapes.check())
    assert holds == Check("shape", 14, "(6, 4)", HOLDS, "Q (6, 4); heads (2, 3, 6, 4)", 10)
    assert (fails.kind, fails.line, fails.column, fails.outcome) == ("shape", 14, 18, FAILS)
    assert given == Check("shape", 14, "(17, 9)", EXCEPTED, "so", 28)


COUNTED = """```python
import numpy as np

n, m, d_k = 4, 6, 3
Q, K = np.ones((n, d_k)), np.ones((m, d_k))
S = Q @ K.T
alpha = S / 18
x = np.ones(5)
mask = np.ones((7, 9))
heads = np.ones((2, 8, n, d_k))
```

"""


def test_a_count_by_name_is_tried_on_other_sizes() -> None:
    note = parse(COUNTED + "Here $Q$ has $n$ rows, $K$ has $m$ rows.\n")
    here, elsewhere = Shapes(ObservedShapes(note)), Shapes(ObservedShapes(note))
    NoteRun(note).finish(here.made.observe, here.observe)
    other = parse(
        COUNTED.replace("n, m, d_k = 4, 6, 3", "n, m, d_k = 4, 5, 3").replace("((m", "((n")
    )
    NoteRun(other).finish(elsewhere.made.observe, elsewhere.observe)
    here.compare(elsewhere)
    assert [(check.what, check.outcome) for check in strictly(here.check())] == [
        ("n rows", HOLDS),
        ("m rows", FAILS),
    ]
