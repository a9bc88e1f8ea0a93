"""A statement in inline code is evaluated on the variables at its place."""

from collections.abc import Callable
from pathlib import Path

import pytest

from vaultkit.checks.check import EXCEPTED, FAILS, HOLDS, Check
from vaultkit.claims.claims import claims_of
from vaultkit.pipeline.inspect import inspect
from vaultkit.read.markdown import parse
from vaultkit.read.vault import Vault

CODE = """# A

```python
import numpy as np

x = np.array([3.0, 4.0])
y = np.array([1.0, -2.0])
A = np.array([[2.0, 1.0], [0.0, 3.0]])
rng = np.random.default_rng(0)
words = ["a", "b"]
n = 2


def f(v):
    words.append("c")
    return v * v
```

"""


@pytest.fixture
def found(tmp_path: Path) -> Callable[[str], list[Check]]:
    (tmp_path / "docs").mkdir()

    def inspected(text: str) -> list[Check]:
        (tmp_path / "docs" / "A.md").write_text(text)
        vault = Vault(tmp_path / "docs")
        (note,) = vault.notes.values()
        return [c for c in inspect(note, vault) if c.kind not in ("block", "link", "formula")]

    return inspected


#: True statements, and false ones.
PAIRS = [
    ("`x.sum() == 7`", "`x.sum() == 8`"),
    ("`x[0] < 4 <= x[1]`", "`x[0] < 4 < x[1]`"),
    ("`x[0] = 3.0`", "`x[0] = 4.0`"),
    ("`len(x)` is 2", "`len(x)` is 3"),
    ("`x @ y` is −5.0", "`x @ y` is 5.0"),
    ("`x.mean()` gives 3.5", "`x.mean()` gives 3.6"),
    ("`A.sum()` gives `6.0`", "`A.sum()` gives `7.0`"),
    ("`f(12)` is 144, and more", "`f(12)` is 145, and more"),
    ("`A.sum() == 6.0` is true", "`A.sum() == 7.0` is true"),
    ("`x < y` is false", "`x > y` is false"),
    ("`x.dtype` is `float64`", "`x.dtype` is `float32`"),
    ("`type(n)` is `int`", "`type(n)` is `float`"),
    ("`x > 3` is `[False, True]`", "`x > 3` is `[True, True]`"),
    ("`A @ x` is `[10. 12.]`", "`A @ x` is `[10. 13.]`"),
    ("`np.abs(y)` is `array([1., 2.])`", "`np.abs(y)` is `array([1., -2.])`"),
    ("`words` is `['a', 'b']`", "`words` is `['a', 'c']`"),
    ("it is:\n\n- `len(x)`: 2", "it is:\n\n- `len(x)`: 3"),
    (
        "are\n\n| code | value |\n|---|---|\n| `x.max()` | 4.0 |",
        "are\n\n| code | value |\n|---|---|\n| `x.max()` | 3.0 |",
    ),
    (
        "are\n\n| code | what | gives |\n|---|---|---|\n| `x > 3` | compared | `[False, True]` |",
        "are\n\n| code | what | gives |\n|---|---|---|\n| `x > 3` | compared | `[True, True]` |",
    ),
    ("`int('a')` raises a `ValueError`", "`int('a')` raises a `TypeError`"),
    ("`x[7]` fails with `IndexError`", "`x[7]` fails with `KeyError`"),
    ("`x[9]` raises an `Exception`", "`x[1]` raises an `IndexError`"),
    ("`round(2.5)` is 2", "`round(2.5)` is 3"),
    ("`y.argmin()` is 1", "`A.argmax()` is 1"),
    ("the sum of `x` is 7", "the sum of `x` is 8"),
    ("the largest number in `A` is 3", "the largest number in `A` is 2"),
    ("the mean of `x` is 3.5, and more", "the mean of `x` is 3.6, and more"),
    ("`(x < y).any()` equals `False`", "`(x < y).any()` equals `True`"),
]


@pytest.mark.parametrize(("true", "false"), PAIRS)
def test_what_it_states_is_computed(
    found: Callable[[str], list[Check]], true: str, false: str
) -> None:
    assert {c.outcome for c in found(f"{CODE}Here {true}.\n")} == {HOLDS}
    (check,) = (c for c in found(f"{CODE}Here {false}.\n") if "its value is" in c.why)
    assert check.outcome == FAILS
    if "\n" not in false:
        assert (check.line, check.column) == (19, f"Here {false}".index("`") + 1)


#: Shapes of expressions, right and wrong.
SHAPES = [
    ("`A @ x` has shape `(2,)`", "`A @ x` has shape `(3,)`"),
    ("`A @ x` has shape `(n,)`", "`A @ x` has shape `(n, n)`"),
    ("`A[:1]` is 1 × 2", "`A[:1]` is 2 × 1"),
    ("`A[:1].T` is a 2 × 1 matrix", "`A[:1].T` is a 1 × 2 matrix"),
    ("`A @ A[:, :1]` is 2 × 1", "`A @ A[:, :1]` is 2 × 2"),
    ("`A @ A` is `(2, 2)`", "`A @ A` is `(2, 3)`"),
    ("`A[:1].shape` is (1, 2)", "`A[:1].shape` is (2, 1)"),
    ("`np.outer(x, [1, 2, 3])` is 2 × 3, and more", "`np.outer(x, [1, 2, 3])` is 3 × 2, and more"),
    ("`A[None]` has the shape 1 × 2 × 2", "`A[None]` has the shape 2 × 2"),
    ("`np.stack([x, y, x, y])` is of shape (4, 2)", "`np.stack([x, y, x, y])` is of shape (2, 4)"),
    ("`x.sum()` has shape `()`", "`x.sum()` has shape `(2,)`"),
    (
        "`A + 0 * np.array([[1.0, 2.0], [3.0, 4.0]]) + 0 * np.array([[2.0, 4.0]])` is 2 × 2",
        "`A + 0 * np.array([[1.0, 2.0], [3.0, 4.0]]) + 0 * np.array([[2.0, 4.0]])` is 1 × 2",
    ),
]


@pytest.mark.parametrize(("true", "false"), SHAPES)
def test_a_shape_of_an_expression_is_computed_and_told_once(
    found: Callable[[str], list[Check]], true: str, false: str
) -> None:
    assert {c.outcome for c in found(f"{CODE}Here {true}.\n")} <= {HOLDS}
    (check,) = (c for c in found(f"{CODE}Here {false}.\n") if c.outcome == FAILS)
    code = false.split("`")[1].removesuffix(".shape")
    assert check.kind == "shape"
    assert check.why.startswith(f"{check.what}: {code} has shape (")


def test_what_is_no_shape_of_an_expression(found: Callable[[str], list[Check]]) -> None:
    """A pair may be a value; and of a row, or where it is in doubt, none is told."""
    for text in (
        "`divmod(n, 2)` is `(1, 0)`",
        "`f(n)` is (2, 2)",
        "Each row of `A[:1]` has shape `(2,)`",
        "`rng.normal(size=3)` has shape `(2,)`",
        "Where it fails, `A[:1]` would have shape `(2,)`",
        "`words` has shape `(2,)`",
    ):
        assert FAILS not in {c.outcome for c in found(f"{CODE}Here: {text}.\n")}, text


def test_a_statement_is_judged_at_its_place(found: Callable[[str], list[Check]]) -> None:
    """A later binding of a name does not make it true, but one that is first bound below counts."""
    later = "\n\n```python\nx = np.ones(3)\nlate = np.ones(3)\nA = 5\n```\n"
    last = "\n```python\nlate = np.ones(4)\n```\n"
    for text, outcomes in (
        ("`x.sum()` is 3, and more.", [FAILS]),
        ("`x.sum()` is 7, and more.", [HOLDS]),
        ("`x.sum()` is 8, and more.", [FAILS]),
        ("`late.sum()` is 3, and more.", [HOLDS]),
        ("`late.sum()` is 4, and more.", [FAILS]),
        ("`late + n` raises a `ValueError`.", [FAILS]),
        ("`late @ np.ones(2)` raises a `ValueError`.", [HOLDS]),
        ("`A.missing` is `5`.", []),
    ):
        checks = found(f"{CODE}Here {text}{later}{last}")
        assert [c.outcome for c in checks if c.what.startswith(text.split("`")[1])] == outcomes, (
            text
        )


def test_a_shape_of_an_expression_is_that_above_it_or_right_below(
    found: Callable[[str], list[Check]],
) -> None:
    later = "Here `A[0]` has shape `(2,)`, `(3,)`.\n\n```python\nA = np.ones((2, 3))\n```\n\n"
    text = CODE + later.replace(", `(3,)`", "") + "Now `A[0]` has shape `(3,)`.\n"
    assert [c.outcome for c in found(text)] == [HOLDS, HOLDS]
    assert [c.outcome for c in found(text.replace("(2,)", "(3,)"))] == [HOLDS, HOLDS]
    assert [c.outcome for c in found(text.replace("(3,)", "(2,)"))] == [HOLDS, FAILS]


def test_a_wrong_number_of_an_expression_is_told_once(
    found: Callable[[str], list[Check]],
) -> None:
    (check,) = (c for c in found(f"{CODE}Here `f(12)` is 1450.\n") if c.outcome == FAILS)
    assert check.why == "f(12) is 1450: its value is 144"


@pytest.mark.parametrize(
    "text",
    [
        "If `x.sum() == 8`, all is lost",
        "If `len(x)` is 3, all the rest follows",
        "It is not so that `x.sum() == 8`",
        "The mask `x[0] == 4` selects nothing",
        "Set `x[0] = 4.0` and look",
        "Then `n == 3` ends it",
        "`x` is `y`",
        "`z.sum()` is 4",
        "`rng.normal()` is 0.0 <!-- given: so -->",
        "`x.sum()` is 8 times what `y` has",
        "`len(x)` is 3-dimensional",
        "`x.nothing` is 3",
        "The largest number of each row of `A` is 3",
        "The sum of `x` is 7 times larger",
        "`def` is 3",
        "- `n`: `7`\n- `words`: 3",
        "| code | rank |\n|---|---|\n| `len(x)` | 7 |\n| `n` | 3 |",
        "| code | value |\n|---|---|\n| `len(x)` | many |\n| the `len(x)` | 7 |",
        "> [!question] Predict the number\n> What?\n>\n> > [!failure]- Wrong\n> >\n"
        "> > - `x.sum() == 9`: no",
    ],
)
def test_what_states_nothing_is_left_alone(text: str) -> None:
    note = parse(f"{CODE}{text}.\n")
    if "z.sum" not in text and "nothing` is" not in text:
        assert claims_of(note).said == ()


def test_what_cannot_be_computed_states_nothing(found: Callable[[str], list[Check]]) -> None:
    assert found(f"{CODE}`z.sum()` is 4, `x.nothing` is 3, `np.sum` is 5.\n") == []


def test_it_changes_nothing(found: Callable[[str], list[Check]]) -> None:
    text = CODE + "`f(2)` is 4, `f(3)` is 9.\n\n```python\nwords\n```\n\n```text\n['a', 'b']\n```\n"
    assert [c.outcome for c in found(text)] == [HOLDS, HOLDS]


def test_a_listing_that_the_text_calls_is_none(found: Callable[[str], list[Check]]) -> None:
    code = "# A\n\n```python\ndef area(r):\n    return 3.14 * r * r\n```\n\n"
    assert [c.outcome for c in found(code + "`area(2)` is 12.56.\n")] == [HOLDS]
    assert FAILS in [c.outcome for c in found(code + "`area(2)` is 13.56.\n")]
    assert FAILS not in [c.outcome for c in found(code + "It is 13.56, in all.\n")]


def test_formulas_are_judged_where_none_is_typeset(found: Callable[[str], list[Check]]) -> None:
    def outcomes(value: int) -> list[tuple[int, str]]:
        text = (
            f"---\ntags: [a]\nsummary: Here $x_1 = {value}$, and $x$.\n---\n{CODE}"
            f"![The point $x_1 = {value}$](https://a.org/b.svg)\n"
        )
        return [(c.line, c.outcome) for c in found(text)]

    assert outcomes(3) == [(3, HOLDS), (23, HOLDS)]
    assert outcomes(4) == [(3, FAILS), (23, FAILS)]
    assert EXCEPTED not in dict(outcomes(4)).values()


def test_it_tells_a_number_without_the_name_of_its_type(
    found: Callable[[str], list[Check]],
) -> None:
    told = [check.why for check in found(f"{CODE}`x.max()` is 5.\n")]
    assert "x.max() is 5: its value is 4.0" in told
