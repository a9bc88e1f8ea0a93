"""How many rows, columns and entries a text says that an array has."""

import pytest

from vaultkit.checks.check import FAILS, HOLDS, strictly
from vaultkit.checks.observed_shapes import ObservedShapes
from vaultkit.checks.shapes import Shapes
from vaultkit.read.markdown import parse
from vaultkit.run.session import NoteRun

CODE = """```python
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


def checks(text: str) -> list[tuple[str, str]]:
    note = parse(CODE + text + "\n")
    shapes = Shapes(ObservedShapes(note))
    NoteRun(note, watchers=[shapes.made.observe, shapes.observe]).finish()
    return [(check.what, check.outcome) for check in strictly(shapes.check())]


#: True statements, and changes that make them false.
SAID = {
    "Q has 4 rows.": ["Q has 5 rows.", "Q has 3 rows.", "K has 4 rows.", "`Q` holds 6 rows."],
    "`Q` has four rows.": ["`Q` has five rows.", "`Q` has twenty-four rows."],
    "$Q$ has $n$ rows.": ["$Q$ has $m$ rows.", "$Q$ has $d_k$ rows."],
    "K has `d_k` columns.": ["K has n columns, so $K$ has $n$ columns."],
    "The matrix Q consists of 4 rows.": ["The matrix Q consists of 3 rows."],
    "S contains twenty-four numbers.": ["S contains twenty-five numbers."],
    "S has 24 entries in all.": ["S has 10 entries in all."],
    "x has five elements, too.": ["x has four elements, too."],
    "The mask has 9 columns (see above).": ["The mask has 7 columns (see above)."],
    "α has six columns; it is wide.": ["α has four columns; it is wide."],
    "$q_i$ has three components.": ["$q_i$ has four components.", "$k_1$ has 6 components."],
    "Each row of S has six entries.": ["Each row of S has four entries."],
    "Each column of S has four entries.": ["Each column of S has six entries."],
    "The transpose of Q has 3 rows.": ["The transpose of Q has 4 rows."],
    "S is a matrix with 4 rows.": ["S is a matrix with 6 rows.", "`S` is an array of 5 rows."],
    "The four rows of Q are alike.": ["The five rows of Q are alike."],
    "All 3 columns of $K$ have it.": ["All 6 columns of $K$ have it."],
    "heads has four axes.": ["heads has three axes."],
    "`heads` is a four-dimensional array.": ["`heads` is a 3-dimensional array."],
    "x has 5 dimensions, and S has 2 dimensions.": ["x has 4 dimensions, S has 2 dimensions."],
    "heads has 4 rows.": ["heads has 8 rows."],
    "Q has 4 rows, and each row has 3 entries.": ["Q has 4 rows, and each row has 4 entries."],
    "Q has 3 columns; each column holds 4 numbers.": [
        "Q has 3 columns, each column holds 3 numbers."
    ],
    "Q consists of 4 rows with 3 numbers each.": ["Q consists of 4 rows with 4 numbers each."],
    "K, with its 6 rows, is long.": [
        "K, with its 4 rows, is long.",
        "K, with all 3 rows, is long.",
    ],
    "K (6 rows, 3 columns) is long.": ["K (6 rows, 6 columns) is.", "K (3 rows and so on) is."],
    "K's six rows are alike.": ["K's three rows are alike.", "`K`’s four rows."],
    "The number of rows of K is 6.": [
        "The number of rows of K is 4.",
        "the number of rows in `K` is m - 1, the number of columns of $K$ is 6.",
    ],
    "There are 6 rows in K.": ["There are 4 rows in K.", "There are 4 columns of K."],
    "The matrix Q of 4 rows and 3 columns is tall.": [
        "The matrix Q of 4 rows and 4 columns is tall.",
        "A matrix $Q$ of 3 rows and 3 columns.",
        "An array `Q` with 4 rows and 6 columns.",
    ],
    "See 4 rows and 3 columns in Q.": [
        "See 4 rows and 4 columns in Q.",
        "Three rows and three columns in `Q`.",
    ],
    "## Q has 4 rows": ["## Q has 5 rows"],
    "| Q has 4 rows |\n|---|\n| word |": ["| Q has 3 rows |\n|---|\n| word |"],
    "![Q has 4 rows](a.svg)": ["![Q has 5 rows](a.svg)"],
    "```mermaid\ngraph LR\n  A[Q has 4 rows] --> B\n```": [
        "```mermaid\ngraph LR\n  A[Q has 5 rows] --> B\n```"
    ],
}


@pytest.mark.parametrize("true", SAID)
def test_a_count_is_a_length_of_the_array(true: str) -> None:
    assert {outcome for _, outcome in checks(true)} == {HOLDS}
    for false in SAID[true]:
        assert FAILS in {outcome for _, outcome in checks(false)}, false


#: The same about things without a name: something on the page must have the count.
OF_SOMETHING = {
    "A matrix of four rows and three columns.": ["A matrix of five rows and three columns."],
    "It has 4 rows and 6 columns.": ["It has 4 rows and 8 columns.", "It has 11 rows."],
    "Four rows of three numbers each": ["Four rows of five numbers each", "3 rows of four."],
    "Three columns of four": ["Three columns of five", "Four columns of three"],
    "It has $n$ rows and $d_k$ columns": ["It has $d_k$ rows and $n$ columns"],
    "Each has seven rows.": ["Each has ten rows."],
    "A key of the head has three numbers: so.": ["A key of the head has ten numbers: so."],
    "Values have nine columns.": ["Values have eight columns."],
    "The batch has four axes.": ["The batch has five axes."],
    "It is a vector of five numbers.": ["It is a vector of four numbers."],
    "Take rows of length 3.": ["Take rows of length 4.", "Take vectors of length $n$ only."],
    "Keys are three numbers wide.": ["Keys are four numbers wide."],
    "![Six rows of three numbers](a.svg)": ["![Six rows of four numbers](a.svg)"],
}


@pytest.mark.parametrize("true", OF_SOMETHING)
def test_a_count_of_something_is_a_length_of_some_array(true: str) -> None:
    assert {outcome for _, outcome in checks(true)} == {HOLDS}
    for false in OF_SOMETHING[true]:
        assert FAILS in {outcome for _, outcome in checks(false)}, false


def test_where_there_are_no_arrays_nothing_is_told_of_them() -> None:
    text = "It has 9 rows, in rows of length 7.\n"
    assert FAILS in {outcome for _, outcome in checks(text)}
    note = parse("```python\nx, y = 1, [1, 2]\n```\n\n" + text)
    shapes = Shapes(ObservedShapes(note))
    NoteRun(note, watchers=[shapes.made.observe, shapes.observe]).finish()
    assert list(strictly(shapes.check())) == []


def test_a_count_of_a_word_that_is_an_array_is_told_of_that() -> None:
    assert checks("The mask has 9 columns.") == [("9 columns", HOLDS)]
    assert checks("The mask has 6 columns.") == [("6 columns", FAILS)]


def test_a_whole_number_that_is_computed_is_no_length_of_need() -> None:
    assert checks("It has 18 rows.\n\n```python\nprint(18)\n```\n") == [("18 rows", HOLDS)]
    assert checks("It has 17 rows.\n\n```python\nprint(18)\n```\n") == [("17 rows", FAILS)]
    text = "It has 5 axes.\n\n```python\nprint(5)\n```\n"
    assert checks(text) == [("5 axes", FAILS)]


#: The counts found in a sentence, and whether each holds.
SEVERAL = {
    "Q has 4 rows and 3 columns.": {"4 rows": HOLDS, "3 columns": HOLDS},
    "Q has 4 rows and 4 columns.": {"4 rows": HOLDS, "4 columns": FAILS},
    "Q has 4 rows, 4 columns and 3 rows.": {"4 rows": HOLDS, "4 columns": FAILS, "3 rows": FAILS},
    "Q has four rows of three numbers each.": {"four rows": HOLDS, "three numbers": HOLDS},
    "Q has four rows of two numbers each.": {"four rows": HOLDS, "two numbers": FAILS},
    "Q has three columns of five numbers.": {"three columns": HOLDS, "five numbers": FAILS},
    "K, six rows of three, is long.": {"six rows": HOLDS, "three": HOLDS},
    "K: six rows of two numbers": {"six rows": HOLDS, "two numbers": FAILS},
    "K transposed, three rows of six, is wide.": {"three rows": HOLDS, "six": HOLDS},
    "Q and K have 3 columns.": {"3 columns": HOLDS},
    "Both Q and K have four rows.": {"four rows": FAILS},
    "S, Q and W have 4 rows.": {"4 rows": HOLDS},
    "Q has 4 rows. K has 4 rows.": {"4 rows": FAILS},
}


@pytest.mark.parametrize("text", SEVERAL)
def test_each_count_of_a_sentence_is_judged(text: str) -> None:
    assert dict(checks(text)) == SEVERAL[text]


@pytest.mark.parametrize(
    "text",
    [
        "Q has two rows that are alike.",
        "Q has two rows of zeros.",
        "Q has one row for each token.",
        "Q has two rows more than before.",
        "The first two rows of Q are alike.",
        "The first two rows and three columns of Q, no more.",
        "The two rows of Q that differ are not.",
        "Q's two rows that differ are not.",
        "There are two rows in Q that differ.",
        "Two rows of Q are enough.",
        "If Q has 9 rows, that changes.",
        "Suppose that Q has 9 rows.",
        "Without its last row, Q has 3 rows.",
        "With one more token Q has 5 rows.",
        "It is not so that Q has 9 rows.",
        "Does it matter that Q has 9 rows?",
        "The shape of Q has two numbers.",
        "The first half of Q has 2 rows.",
        "A row of Q has 9 rows.",
        "If it has 9 rows and 8 columns, so be it.",
        "Has it 9 rows? Should a matrix have 9 rows and 8 columns?",
        "The first 9 rows and 8 columns are alike.",
        "The table has 9 rows, a file has 9 columns, a list of words has 9 entries.",
        "A model has eleven components. A code has 11 elements. The space has eleven dimensions.",
        "A vector of length 1, a row of 9 words.",
        "They are 9 times as wide.",
        "W has 9 rows.",
        "Q has $h$ rows.",
        "Q has `width` rows.",
        "The 9 rows of Q and 8 columns are not told.",
        "Q has many rows.",
        "Q has 9 rows<!-- given: elsewhere -->.",
    ],
)
def test_what_is_said_of_a_part_or_supposed_is_no_count(text: str) -> None:
    assert FAILS not in {outcome for _, outcome in checks(text)}


def test_what_is_told_of_a_count() -> None:
    note = parse(CODE + "Here Q and K have 3 columns, and `Q` has five rows.\n")
    shapes = Shapes(ObservedShapes(note))
    NoteRun(note, watchers=[shapes.made.observe, shapes.observe]).finish()
    first, second = strictly(shapes.check())
    assert (first.line, first.column, first.why) == (13, 19, "Q (4, 3); K (6, 3)")
    assert (second.column, second.why) == (42, "five rows: Q has shape (4, 3)")


def test_a_count_by_name_is_tried_on_other_sizes() -> None:
    note = parse(CODE + "Here $Q$ has $n$ rows, $K$ has $m$ rows.\n")
    here, elsewhere = Shapes(ObservedShapes(note)), Shapes(ObservedShapes(note))
    NoteRun(note, watchers=[here.made.observe, here.observe]).finish()
    other = parse(CODE.replace("n, m, d_k = 4, 6, 3", "n, m, d_k = 4, 5, 3").replace("((m", "((n"))
    NoteRun(other, watchers=[elsewhere.made.observe, elsewhere.observe]).finish()
    here.compare(elsewhere)
    assert [(check.what, check.outcome) for check in strictly(here.check())] == [
        ("n rows", HOLDS),
        ("m rows", FAILS),
    ]


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        ("Q is a four by three matrix.", [HOLDS]),
        ("Q is a four by four matrix.", [FAILS]),
        ("Q is four by three.", [HOLDS]),
        ("Q is four-by-six.", [FAILS]),
        ("A five-by-three matrix.", [FAILS]),
        ("They are read two by two.", []),
        ("Space is three-dimensional here, and Q is seven-dimensional.", [FAILS]),
        ("Q ∈ ℝ⁴ˣ³", [HOLDS]),
        ("Q ∈ ℝ⁴ˣ⁴", [FAILS]),
        ("Here Q ∈ ℝ<sup>4×3</sup>.", [HOLDS]),
        ("Here Q ∈ ℝ<sup>3×4</sup>.", [FAILS]),
        ("<p>Here Q ∈ ℝ<sup>n×m</sup>.</p>", [FAILS]),
        ("Q ∈ ℝ^(4x3)", [HOLDS]),
        ("Q ∈ ℝ^{n×m}", [FAILS]),
        ("x ∈ ℝ⁵ and x ∈ ℝ³.", [HOLDS, FAILS]),
        ("q_i ∈ ℝ³, Q ∈ ℝ³", [HOLDS, FAILS]),
        ("Q ∈ ℝⁿˣᵐ", [FAILS]),
        ("A number of ℝ is no array.", []),
    ],
)
def test_shapes_in_words_and_superscripts(text: str, outcomes: list[str]) -> None:
    assert [outcome for _, outcome in checks(text)] == outcomes
