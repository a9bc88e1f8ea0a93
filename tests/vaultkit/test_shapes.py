"""Shapes in running text: what is one, and what it must be."""

import pytest

from vaultkit.checks.check import EXCEPTED, FAILS, HOLDS, Check, strictly
from vaultkit.checks.observed_shapes import ObservedShapes, printed
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


def checks(text: str) -> list[tuple[str, str, str]]:
    note = parse(CODE + text + "\n")
    shapes = Shapes(ObservedShapes(note))
    NoteRun(note, watchers=[shapes.made.observe, shapes.observe]).finish()
    return [(check.what, check.outcome, check.why) for check in strictly(shapes.check())]


#: A shape, and changes that make it false.
STATED = {
    "Q is (6, 4).": ["Q is (6, 3).", "Q is (4, 6).", "Q is (12, 4)."],
    "`Q` has shape (n, d_k).": ["`Q` has shape (d_k, n).", "`Q` has shape (n, d_model)."],
    "$Q$ is $(n, d_k)$.": ["$Q$ is $(d_k, n)$.", "$Q$ is $(n, n)$."],
    "`Q` is `(6, 4)`.": ["`Q` is `(6, 5)`.", "`Q` is `(4, 6)`."],
    "`Q.shape == (6, 4)`": ["`Q.shape == (6, 5)`"],
    "The shape is (B, h, n, d_k).": ["The shape is (B, h, n, n).", "The shape is (h, B, n, d_k)."],
    "Each head is (n, d_k).": ["Each head is (n, h)."],
    "We avoid `Q @ Q.T`, which is n × n.": ["We avoid `Q @ Q.T`, which is n × d_k."],
    "Of both, $Q$ alone takes $n \\times d_k$ numbers.": [
        "Of both, $Q$ alone takes $n \\times d_model$ numbers."
    ],
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
    "`point` has shape `(2,)`.": ["`point` has shape `(3,)`.", "`Q` has shape `(4,)`."],
    "A vector of shape (2,).": ["A vector of shape (4,).", "A vector of shape (n,)."],
    "`X @ W_Q` is (6, 4).": ["`X @ W_Q` is (6, 12).", "`X @ W_Q` is (12, 4)."],
    "$X W_Q$ is $n \\times d_k$.": ["$X W_Q$ is $n \\times d_{\\text{model}}$."],
    "`X.T @ X` has shape (12, 12).": [
        "`X.T @ X` has shape (6, 6).",
        "`X.T @ X` has shape (6, 12).",
    ],
    "Q is long, and is 6 by 4.": ["Q is long, and is 6 by 6.", "`Q` is long and is (6, 12)."],
    "It is Q; the product is 6 by 6.": ["It is Q; the product is 6 by 5."],
    "X times W_Q is (6, 4).": ["X times W_Q is (6, 12).", "`X` times `W_Q` is (12, 4)."],
    "$Q$ times $Q^\\top$ is (n, n).": ["$Q$ times $Q^\\top$ is (n, d_k).", "Q @ Qᵀ is (d_k, d_k)."],
    "`heads[0]` is (3, 6, 4).": ["`heads[0]` is (2, 3, 6, 4)."],
    "Q, n by d_k, is tall.": ["Q, d_model by d_k, is tall.", "Q, n by n, is tall."],
    "Take a 6 by 4 matrix `Q`.": ["Take a 12 by 4 matrix `Q`."],
    "It is reshaped to (n, d_k).": ["It is reshaped to (d_k, n)."],
    "`Q` and `Q` are both 6 × 4.": ["`Q` and `Q` are both 6 × 12.", "Both are: `Q` is all n × n."],
    "The 6 by 4 queries `Q`.": ["The 12 by 4 queries `Q`.", "The $n \\times n$ queries $Q$."],
    "Take a 6 by 4 matrix Q.": ["Take a 12 by 4 matrix Q."],
    "| `Q` | (6, 4) |\n|---|---|\n| b | c |": ["| `Q` | (12, 4) |\n|---|---|\n| b | c |"],
    "| a | b |\n|---|---|\n| queries $Q$ | is $n \\times d_k$ |": [
        "| a | b |\n|---|---|\n| queries $Q$ | is $d_{\\text{model}} \\times d_k$ |"
    ],
    "| b | c |\n|---|---|\n| heads | (3, 6, 4) |": ["| b | c |\n|---|---|\n| heads | (6, 12) |"],
    "Six by four matrices": ["Six by three matrices", "Four by twelve matrices"],
    "| times $W_Q$ | (6, 4) |\n|---|---|\n| b | c |": [
        "| times $W_Q$ | (6, 3) |\n|---|---|\n| b | c |"
    ],
}


@pytest.mark.parametrize("true", STATED)
def test_a_shape_is_that_of_an_array(true: str) -> None:
    assert [outcome for _, outcome, _ in checks(true)] == ["holds"]
    for false in STATED[true]:
        ((_, outcome, why),) = checks(false)
        assert outcome == FAILS, false
        assert "has shape" in why or "no array of this note" in why


A_IS_BOUND = "\n```python\nA = np.ones((7, 9))\nalpha = A.T\n```\n\n"


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("A 6 by 4 matrix.", "holds"),
        ("A 7 by 9 matrix.", "holds"),
        ("A 4 by 3 matrix.", FAILS),
        ("A is a 7 by 9 matrix.", "holds"),
        ("A is a 6 by 4 matrix.", FAILS),
        ("`A` 6 by 4", FAILS),
        ("The weights α are 9 by 7.", "holds"),
        ("The weights α are 7 by 9.", FAILS),
    ],
)
def test_an_article_is_no_name(text: str, outcome: str) -> None:
    assert [outcome for _, outcome, _ in checks(A_IS_BOUND + text)] == [outcome]


#: Statements about a product, and the message about each; empty for a true one.
PRODUCTS = {
    "The product of a 6 × 12 and a 12 × 4 matrix is 6 × 4.": "",
    "The product of a 6 × 12 and a 6 × 4 matrix is 6 × 4.": (
        "6 × 4: as the second factor, it needs 12 where it has 6"
    ),
    "The product of a 6 × 12 and a 12 × 4 matrix is 6 × 6.": (
        "6 × 6: as the product of 6 × 12 and 12 × 4, it needs 4 where it has 6"
    ),
    "The product of a 6 × 12 and a 12 × 4 matrix is 12 × 4.": (
        "12 × 4: as the product of 6 × 12 and 12 × 4, it needs 6 where it has 12"
    ),
    "It multiplies an $n \\times d_k$ by a $d_k \\times n$ matrix.": "",
    "It multiplies an $n \\times d_k$ by an $n \\times n$ matrix.": (
        "n × n: as the second factor, it needs d_k where it has n"
    ),
    "X, n by d_model, times W_Q, d_model by d_k, gives Q, n by d_k.": "",
    "X, n by d_model, times W_Q, d_k by d_model, gives Q, n by d_k.": (
        "d_k by d_model: as the second factor, it needs d_model where it has d_k"
    ),
    "A product of an $a \\times b$ and a $b \\times c$ matrix is $a \\times c$.": "",
    "A product of an $a \\times b$ and a $b \\times c$ matrix is $c \\times a$.": (
        "c × a: as the product of a × b and b × c, it needs a where it has c"
    ),
    "It multiplies an $n \\times d_k$ by a $d_k \\times m$ matrix.": (
        "d_k × m: no block of this note binds m"
    ),
    "It multiplies an $n \\times d_k / 2$ by a $d_k / 2 \\times n$ matrix.": "",
    "It multiplies an $n \\times d_k / 2$ by a $d_k / 3 \\times n$ matrix.": (
        "d_k / 3 × n: as the second factor, it needs d_k / 2 where it has d_k / 3"
    ),
    "A 6 × 4 array, three times as long as a 2 × 4 one.": "2 × 4: no array of this note",
    "Elementwise, a 6 × 4 array times a 6 × 4 array is 6 × 4.": "",
}


@pytest.mark.parametrize("text", PRODUCTS)
def test_lengths_of_factors_fit(text: str) -> None:
    whys = [why for _, outcome, why in checks("![A](a.svg)\n\n" + text) if outcome == FAILS]
    assert len(whys) <= 1
    assert "".join(whys).startswith(PRODUCTS[text])
    assert bool(whys) == bool(PRODUCTS[text])


@pytest.mark.parametrize(("between", "outcome"), [(3, "holds"), (4, FAILS)])
def test_axes_for_batches_are_those_of_an_array_nearby(between: int, outcome: str) -> None:
    """Of some array far away many shapes are the end."""
    blocks = "```python\nx = 1\n```\n\n" * between

    def stated(text: str) -> str:
        code = "```python\nimport numpy as np\nprint(np.ones((5, 7, 9)).shape)\n```\n\n"
        note = parse(code + blocks + text + "\n")
        shapes = Shapes(ObservedShapes(note))
        NoteRun(note, watchers=[shapes.made.observe, shapes.observe]).finish()
        ((_, told),) = ((check.what, check.outcome) for check in strictly(shapes.check()))
        return told

    assert stated("An array of shape (5, 7, 9).") == "holds"
    assert stated("An array of shape (7, 9).") == outcome


def test_a_name_has_the_shape_that_it_has_there() -> None:
    text = "`Q` is (6, 4).\n\n```python\nQ = Q[:2]\n```\n\n`Q` is (2, 4).\n\n"
    assert [outcome for _, outcome, _ in checks(text)] == ["holds", "holds"]
    late = text + "```python\nx = 1\n```\n\n`Q` is (6, 4).\n"
    assert checks(late)[-1][1:] == (FAILS, "(6, 4): Q has shape (2, 4)")


def test_an_empty_array_has_a_shape() -> None:
    assert checks("```python\nR = np.ones((3, 0))\n```\n\n`R` is (3, 0).\n")[0][1] == "holds"


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


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("A square of tiles, nine by nine.", False),
        ("A square of tiles, nine by eight.", True),
        ("A grid of tiles, nine by eight.", False),
        ("It is square. They come, nine by eight.", False),
    ],
)
def test_a_square_has_equal_sides(text: str, wrong: bool) -> None:
    told = "nine by eight: a square has sides of equal length"
    assert checks(text) == [("nine by eight", FAILS, told)] * wrong


def test_a_shape_of_names_is_no_row() -> None:
    note = CODE.replace("B, h,", "three, five = 3, 5\nB, h,", 1)
    for text, outcome in {"(3, 5)": HOLDS, "(three, five)": FAILS}.items():
        shapes = Shapes(ObservedShapes(parse(f"{note}It has shape {text}.\n")))
        NoteRun(shapes.note, watchers=[shapes.made.observe, shapes.observe]).finish()
        assert [check.outcome for check in strictly(shapes.check())] == [outcome]


def test_a_length_must_be_bound() -> None:
    ((_, outcome, why),) = checks("The shape is (n, m).")
    assert outcome == FAILS
    assert why == "(n, m): no block of this note binds m"


def test_a_word_is_a_length_beside_a_letter_if_it_is_bound() -> None:
    bound = "\n```python\nsequence = n\n```\n\n"
    assert checks("Of shape (sequence, m).") == []
    assert checks(bound + "Of shape (sequence, d_k).")[0][1] == "holds"
    ((_, outcome, why),) = checks(bound + "Of shape (sequence, m).")
    assert (outcome, why) == (FAILS, "(sequence, m): no block of this note binds m")
    assert checks(bound + "Of shape (sequence, words).") == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("`point` is `(h,)`.", "(h,): point has shape (2,)"),
        ("`point` is `(m,)`.", "(m,): no block of this note binds m"),
        ("The word `(m,)` of nothing, the word `(words,)`.", ""),
        ("Split into heads (B, h, n, d_k).", ""),
        ("Split into heads (B, h, n, n).", "(B, h, n, n): heads has shape (2, 3, 6, 4)"),
        ("They need $n \\times d_k / m$ values.", "n × d_k / m: no block of this note binds m"),
        ("They need $n \\times d_{\\text{model}} / h$ values.", ""),
        ("They need $a \\times b / c$ values.", ""),
        (
            "They need $n \\times d_k / h$ values.",
            "n × d_k / h means (6, -1), and no array of this note has that shape; there are "
            "(6, 4), (6, 6), (6, 12), (12, 4)",
        ),
    ],
)
def test_lengths_that_are_bound_in_part(text: str, why: str) -> None:
    assert "".join(why for _, outcome, why in checks(text) if outcome == FAILS) == why


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


ALL = "(6, 4), (6, 6), (6, 12), (12, 4)"
#: A shape; its evidence if it holds, else why it does not.
TOLD = {
    "Q is (6, 4).": ("Q (6, 4)", ""),
    "Q is (6, 5).": ("", "(6, 5): Q has shape (6, 4)"),
    "`W_Q` and `X` (n, d_k)": ("", "(n, d_k): X has shape (6, 12)"),
    "heads has shape (n, d_k)": ("heads (2, 3, 6, 4)", ""),
    "heads of shape (n, h)": ("", "(n, h): heads has shape (2, 3, 6, 4)"),
    "the heads are (2, 3, 4, 6)": ("", "(2, 3, 4, 6): heads has shape (2, 3, 6, 4)"),
    "heads are (2, 5)": ("", "(2, 5): heads has shape (2, 3, 6, 4)"),
    "a heads of shape (n, d_k)": ("Q (6, 4); heads (2, 3, 6, 4)", ""),
    "heads (n, d_k)": ("Q (6, 4); heads (2, 3, 6, 4)", ""),
    "of the heads, $n \\times d_k$": ("Q (6, 4); heads (2, 3, 6, 4)", ""),
    "a 4-dimensional vector": ("W_Q (12, 4); Q (6, 4); heads (2, 3, 6, 4)", ""),
    "a `4`-dimensional vector": ("W_Q (12, 4); Q (6, 4); heads (2, 3, 6, 4)", ""),
    "$d_k$-dimensional vectors": ("W_Q (12, 4); Q (6, 4); heads (2, 3, 6, 4)", ""),
    "a 3-dimensional one": ("", "3-dimensional: no array of this note has 3 columns"),
    "of shape (B, Q, d_k)": ("", "(B, Q, d_k): no block of this note binds Q"),
    "Q by a matrix": None,
    "of (B, Q)": None,
    "a 7-dimensional vector": ("", "7-dimensional: no array of this note has 7 columns"),
    "a 7-dimensional array of $b$-dimensional ones, 12-dimensional": ("X (6, 12)", ""),
    "Q is 4-dimensional": ("Q (6, 4)", ""),
    "Q is 12-dimensional": ("", "12-dimensional: Q has shape (6, 4)"),
    "Q is $n$-dimensional": ("", "n-dimensional: Q has shape (6, 4)"),
    "Q is in $\\mathbb{R}^{n \\times h}$": ("", "n × h: Q has shape (6, 4)"),
    "Q ∈ ℝ^{n×h}": ("", "n×h: Q has shape (6, 4)"),
    "Q is in ℝ^(6×3)": ("", "6×3: Q has shape (6, 4)"),
    "Q ∈ ℝ^{n×d_k}": ("Q (6, 4)", ""),
    "Q is of size n × h": ("", "n × h: Q has shape (6, 4)"),
    "Q is 6-by-5": ("", "6-by-5: Q has shape (6, 4)"),
    "a 6-by-4 matrix": ("Q (6, 4); heads (2, 3, 6, 4)", ""),
    "heads (n × d_k)": ("Q (6, 4); heads (2, 3, 6, 4)", ""),
    "Q^T (6 × 4)": ("", "6 × 4: Q.T has shape (4, 6)"),
    "Q^T (4 × 6)": ("Q transposed (4, 6)", ""),
    "of shape [B, h, n, d_k]": ("heads (2, 3, 6, 4)", ""),
    "of shape [B, n, h, d_k]": (
        "", "[B, n, h, d_k] means (2, 6, 3, 4), and no array of this note has that shape; there "
        "are (2, 3, 6, 4)"
    ),
    "torch.Size([2, 3, 6, 5])": (
        "", "[2, 3, 6, 5]: no array of this note has that shape; there are (2, 3, 6, 4)"
    ),
    "an $\\mathbb{R}^{n \\times d_{\\text{model}}}$": ("X (6, 12)", ""),
    "`heads` is (n, d_k)": ("heads (2, 3, 6, 4)", ""),
    "the shape (2, 3, 6, 4)": ("heads (2, 3, 6, 4)", ""),
    "`Q.T` is (d_k, n)": ("Q transposed (4, 6)", ""),
    "`Q.T` has shape (4, 7)": ("", "(4, 7): Q.T has shape (4, 6)"),
    "$Q^\\top$ is $(n, d_k)$": ("", "(n, d_k): Q.T has shape (4, 6)"),
    "`Q.shape` of (4, 6)": ("", "(4, 6): Q has shape (6, 4)"),
    "Q transposed, d_k by n": ("Q transposed (4, 6)", ""),
    "X transposed has shape (12, 6)": ("X transposed (12, 6)", ""),
    "a transpose of shape (7, 6)": (
        "", "(7, 6): no array of this note has that shape; there are (6, 6), (6, 4), (6, 12), "
        "(12, 4)",
    ),
    "The shape is (h, h).": (
        "", f"(h, h) means (3, 3), and no array of this note has that shape; there are {ALL}",
    ),
    "A 9 × 8 grid.": ("", f"9 × 8: no array of this note has that shape; there are {ALL}"),
    "A 6 by 5 matrix.": (
        "", "6 by 5 means (6, 5), and no array of this note has that shape; "
        "there are (6, 4), (6, 6), (6, 12), (12, 4)",
    ),
    "shape (12, 12)": (
        "", "(12, 12): no array of this note has that shape; there are (6, 12), (12, 4), (6, 4), "
        "(6, 6)",
    ),
    "Of shape (1, 1, 1, 1, 1)": ("", "(1, 1, 1, 1, 1): no array of this note has that shape"),
    "shape (2n, d_k)": ("W_Q (12, 4)", ""),
    "shape (h d_k, d_k)": ("W_Q (12, 4)", ""),
    "shape (d_model - n, d_k)": ("Q (6, 4); heads (2, 3, 6, 4)", ""),
    "shape (n - 2, n)": (
        "", f"(n - 2, n) means (4, 6), and no array of this note has that shape; there are "
        f"{ALL.replace('(6, 4), (6, 6)', '(6, 6), (6, 4)')}",
    ),
    "shape (n + h, d_k)": (
        "", "(n + h, d_k) means (9, 4), and no array of this note has that shape; there are "
        "(6, 4), (12, 4), (6, 6), (6, 12)",
    ),
    "an array of shape (6, 6)": ("", ""),
    "an array of shape (3, 5)": ("", ""),
    "24 × 3 of them": ("", ""),
    "7 × 9 of them": ("", f"7 × 9: no array of this note has that shape; there are {ALL}"),
    "an array of shape 24 × 3": (
        "", f"24 × 3: no array of this note has that shape; there are {ALL}",
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", TOLD)
def test_what_is_told_of_a_shape(text: str) -> None:
    if TOLD[text] is None:
        assert checks(text) == []
        return
    ((_, outcome, why),) = checks(text)
    rests_on, wrong = TOLD[text]
    assert (outcome, why) == ((FAILS, wrong) if wrong else (HOLDS, rests_on))


def test_sizes_that_are_given_have_to_fit_together() -> None:
    given = "<!-- given: of any sizes -->"
    for product, outcomes in (
        (f"a $u \\times v${given} and a $v \\times w${given} matrix", [EXCEPTED] * 2),
        (f"a $v \\times u${given} and a $v \\times w${given} matrix", [EXCEPTED, FAILS]),
    ):
        assert [outcome for _, outcome, _ in checks(f"The product of {product}.")] == outcomes


def test_a_check_of_a_shape_tells_its_place() -> None:
    note = parse(CODE + "It is\nof shape (6, 4), (6, 5) or (17, 9)<!-- given: so -->.\n")
    shapes = Shapes(ObservedShapes(note))
    NoteRun(note, watchers=[shapes.made.observe, shapes.observe]).finish()
    holds, fails, given = strictly(shapes.check())
    assert holds == Check("shape", 14, "(6, 4)", HOLDS, "Q (6, 4); heads (2, 3, 6, 4)", 10)
    assert (fails.kind, fails.line, fails.column, fails.outcome) == ("shape", 14, 18, FAILS)
    assert given == Check("shape", 14, "(17, 9)", EXCEPTED, "so", 28)


def one(code: str, text: str) -> str:
    """Judge the only shape in a text about some code; return its failure, if any."""
    note = parse(f"```python\nimport numpy as np\n{code}\n```\n\n{text}\n")
    shapes = Shapes(ObservedShapes(note))
    NoteRun(note, watchers=[shapes.made.observe, shapes.observe]).finish()
    return "".join(check.why for check in strictly(shapes.check()) if check.outcome == FAILS)


@pytest.mark.parametrize(
    ("code", "as_said"),
    [
        ("print((a, b))", True),
        ("print([a, b])", True),
        ("print('(7x9)')", True),
        ("print('(7 x9)', '(7,9', '7, 9)', '1.7, 9')", False),
        ("print('(7, 9, )')", True),
        ("print((a, b, 3))", False),
        ("print(np.ones((a, b)))", True),
        ("x = {'a': np.ones((a, b))}", True),
        ("x = [1, np.ones((a, b))]", True),
        ("x = (np.ones((a, b)),)", True),
        ("x = [0] * 63 + [np.ones((a, b))]", True),
        ("x = [0] * 64 + [np.ones((a, b))]", False),
        ("__x = np.ones((a, b))", False),
        ("x = np.ones((2, a, b))", True),
        ("x = np.ones((a, b, 2))", False),
        # A row of an array that is small enough, and numbers that code writes out, are no shape.
        ("x = np.array([[a, b], [1, 2]])", True),
        ("x = np.array([a, b + 0.0])", True),
        ("x = np.array([str(a), str(b)])", False),
        ("x = np.array([[a, b]] * 256)", True),
        ("x = np.array([[a, b]] * 257)", False),
        ("if False: x = (7, 9)", True),
        ("if False: x = [7, 9]", True),
        ("if False: x = [7, n]", False),
        ("if False: x = {7, 9}", False),
        ("x = 7, 9", True),
    ],
)
def test_where_a_shape_is_found(code: str, as_said: bool) -> None:
    assert (one(f"a = 7; b = 9\n{code}", "It has shape (7, 9).") == "") is as_said


@pytest.mark.parametrize(
    ("code", "as_said"),
    [
        ("n = 126", True),
        ("n = np.int64(126)", True),
        ("n = np.ones(126)", True),
        ("print('of 126 pairs')", True),
        ("print('of 1260, x126, 12.6, 126.5')", False),
        ("print('0 ' * 1999 + '126')", True),
        ("print('0 ' * 2000 + '126')", False),
    ],
)
def test_a_product_may_be_that_many(code: str, as_said: bool) -> None:
    assert (one(code, "All 14 × 9 of them.") == "") is as_said
    assert one(code, "An array of shape 14 × 9.") != ""


@pytest.mark.parametrize(
    ("code", "text", "is_one"),
    [
        ("n = 3; m = 4", "It is (n, m).", True),
        ("n = np.int64(3); m = 4", "It is (n, m).", True),
        ("n = 3", "It is (n, q).", True),
        ("n = 3", "It is (n, wide).", False),
        ("n = 3", "It is of shape (p, q).", True),
        ("n = 3", "It is (p, q).", False),
        ("n, m = 3, True", "It is (n, m).", True),
        ("n, m = 3, np.ones(2)", "It is (n, m).", False),
        ("n, m = 3, 'a'", "It is (n, m).", False),
        ("n = 3", "It is (9, 8).", False),
        ("n = 3", "It is (9, 10).", True),
        ("n = 3", "It is (10, 10).", True),
        ("n = 3", "It is 9 × 8.", True),
        ("n = 3", "| (9, 8) |\n|---|", True),
        ("n = 3", "`Q` is (9, 8).", True),
        ("n = 3", "The shape (9, 8).", True),
    ],
)
def test_what_is_a_shape_at_all(code: str, text: str, is_one: bool) -> None:
    assert (one(code, text) != "") is is_one


def test_names_that_no_block_binds_together() -> None:
    text = "```python\nn = 3\n```\n\nThe shape (n, m).\n\n```python\ndel n\nm = 4\n```\n"
    note = parse(text)
    shapes = Shapes(ObservedShapes(note))
    NoteRun(note, watchers=[shapes.made.observe, shapes.observe]).finish()
    (check,) = strictly(shapes.check())
    assert check.why == "(n, m): no block of this note binds both"
    assert one("x = 1", "The shape (n, m).") == "(n, m): no block of this note binds m"


@pytest.mark.parametrize(
    ("text", "shape"),
    [
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
def test_printed_arrays_of_any_depth(text: str, shape: tuple[int, ...]) -> None:
    assert printed(text) == shape


@pytest.mark.parametrize("verb", ["Multiply", "increments", "lowers", "change", "Decreasing"])
def test_what_is_changed_by_a_number_is_no_shape(verb: str) -> None:
    assert checks(f"\n```python\nc = 1\n```\n\n{verb} c by 2.") == []
