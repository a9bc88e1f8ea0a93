"""Questions that are answered before looking: what is read, what is right, what is wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vaultkit.checks.asked import question_data
from vaultkit.checks.check import FAILS, HOLDS, Check
from vaultkit.checks.predictions import answer_tokens, as_typed, right_answer
from vaultkit.claims.claims import claims_of
from vaultkit.pipeline.inspect import inspect
from vaultkit.read.markdown import parse
from vaultkit.read.predictions import Prediction
from vaultkit.read.vault import Vault
from vaultkit.site import predictions

NOTE = """# A

> [!question] Predict the second row
> What is row 2 of `x`?
>
> > [!failure]- Usual wrong answers
> >
> > - `x[:, 1]`: the column was taken.
> > - `x[0]`: counted from 0.

```python
import numpy as np

x = np.arange(4.0).reshape(2, 2) / 3
print(x.round(2))
```

```text
[[0.   0.33]
 [0.67 1.  ]]
```
"""


def checks(tmp_path: Path, text: str) -> list[Check]:
    docs = tmp_path / "docs"
    docs.mkdir(exist_ok=True)
    (docs / "A.md").write_text(text, encoding="utf-8")
    vault = Vault(docs)
    found = inspect(vault.notes[docs / "A.md"], vault)
    return [c for c in found if c.kind in ("prediction", "distractor") or c.outcome == FAILS]


def test_a_question_is_read() -> None:
    (question,) = parse(NOTE).predictions
    assert (question.line, question.below) == (3, 11)
    assert (question.part, question.which) == ("row", 1)
    assert question.question == "What is row 2 of `x`?"
    wrong = [(d.line, d.column, d.code, d.why) for d in question.distractors]
    assert wrong == [
        (8, 7, "x[:, 1]", "the column was taken."),
        (9, 7, "x[0]", "counted from 0."),
    ]


def test_its_key_changes_with_what_it_asks_alone() -> None:
    (one,) = parse(NOTE).predictions
    (moved,) = parse(NOTE.replace("# A\n", "# A\n\nMore.\n").replace("column", "1st")).predictions
    (other,) = parse(NOTE.replace("What is row", "Which is row")).predictions
    assert one.key == moved.key != other.key


def test_a_question_may_be_above_a_folded_answer(tmp_path: Path) -> None:
    above, fence, below = NOTE.partition("```python")
    quoted = "".join(f"> {line}".rstrip() + "\n" for line in (fence + below).splitlines())
    text = f"{above}> [!success]- Answer\n> Here.\n>\n{quoted}"
    assert [(c.outcome, c.line) for c in checks(tmp_path, text)] == [
        (HOLDS, 3),
        (HOLDS, 8),
        (HOLDS, 9),
    ]
    assert (
        parse(above + "> [!success]- Answer\n> Here.\n\n" + fence + below).predictions[0].below == 0
    )


def test_a_wrong_answer_states_nothing() -> None:
    text = NOTE.replace("x[0]`: counted from 0", "(1234.5, 77)`: it is 1234.5, see `77`")
    note = parse(text)
    assert [(q.text, q.line, q.column) for q in claims_of(note).quantities] == [
        ("1234.5", 9, 29),
        ("77", 9, 42),
    ]
    assert claims_of(note).shapes == ()


def test_fewer_decimals_may_be_asked_for(tmp_path: Path) -> None:
    text = NOTE.replace("the second row", "the second row, to 1 decimal")
    assert [c.outcome for c in checks(tmp_path, text)] == [HOLDS] * 3
    (question,) = parse(text).predictions
    assert right_answer(question, "[1 2]\n[0.62 3]").tolerances == (0.05, 0.0)
    near = text.replace("x[:, 1]", "np.round(x[1], 1)")
    assert [c.outcome for c in checks(tmp_path, near)] == [HOLDS, FAILS, HOLDS]


@pytest.mark.parametrize(
    "text",
    [
        "> [!question] Predictable\n> ?\n",
        "> [!note] Predict\n> ?\n",
        "> [!question]\n> Predict?\n",
        "> Predict the shape\n",
        "> > [!question] Predict\n",
        ">\n",
    ],
)
def test_other_callouts_ask_nothing(text: str) -> None:
    found = [p for p in parse(text).predictions if not text.startswith("> >")]
    assert found == []


def test_right_and_wrong_answers_are_computed(tmp_path: Path) -> None:
    found = [(c.kind, c.line, c.what, c.outcome, c.why) for c in checks(tmp_path, NOTE)]
    assert found == [
        (
            "prediction",
            3,
            "Predict the second row: What is row 2 of `x`?",
            HOLDS,
            "the output at line 18 answers it",
        ),
        ("distractor", 8, "x[:, 1]", HOLDS, "[0.3333333333, 1]"),
        ("distractor", 9, "x[0]", HOLDS, "[0, 0.3333333333]"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("the second row", "the next row", 3, "does not say what is asked for"),
        ("the second row", "the row", 3, "2 rows; the title says which"),
        ("the second row", "the third row", 3, "the output holds 2 rows"),
        ("the second row", "the shape", 3, "0 shapes"),
        ("> What is row 2 of `x`?\n", "", 3, "asks nothing"),
        ("\n```text\n[[0.   0.33]\n [0.67 1.  ]]\n```\n", "", 3, "shows no output"),
        ("\n```python\nimport", "\nText.\n\n```python\nimport", 3, "is directly below"),
        ("x[:, 1]", "x[1]", 8, "its value [0.6666666667, 1] is the right answer"),
        ("x[:, 1]", "x[1] + 0.004", 8, "is the right answer"),
        ("x[:, 1]", "x[0]", 9, "is that of another wrong answer"),
        ("x[:, 1]", "y", 8, "cannot be computed: NameError"),
        ("x[:, 1]", "x[:, 1", 8, "cannot be computed: SyntaxError"),
        ("x[:, 1]", "x", 8, "is not a row"),
        ("`x[:, 1]`: the column was taken.", "The column.", 8, "`expression`"),
        ("`x[:, 1]`: the column was taken.", "`x[:, 1]`:", 8, "`expression`"),
    ],
)
def test_faults_are_reported_with_their_line(
    tmp_path: Path, old: str, new: str, line: int, said: str
) -> None:
    assert old in NOTE
    fails = [c for c in checks(tmp_path, NOTE.replace(old, new)) if c.outcome == FAILS]
    assert any(c.line == line and said in c.why for c in fails if c.kind != "block"), fails


def test_a_question_without_wrong_answers_is_refused(tmp_path: Path) -> None:
    text = "".join(line for line in NOTE.splitlines(True) if not line.startswith("> >"))
    (fault,) = (c for c in checks(tmp_path, text) if c.outcome == FAILS)
    assert fault.why.startswith("it has no wrong answer")


def test_a_wrong_answer_changes_nothing(tmp_path: Path) -> None:
    text = NOTE.replace("x[:, 1]", "x.fill(7) or x[0]") + "\n```python\nx.max()\n```\n\n"
    text += "```text\nnp.float64(1.0)\n```\n"
    assert [c.outcome for c in checks(tmp_path, text)] == [HOLDS] * 3


def question(part: str, which: int | None = None) -> Prediction:
    return Prediction(1, "", "", (), 2, part, which)


@pytest.mark.parametrize(
    ("part", "which", "output", "right", "slack"),
    [
        ("number", None, "0.50", (0.5,), (0.005,)),
        ("number", None, "-3", (-3.0,), (0.0,)),
        ("number", 1, "98,304 and 1,409,286,144", (1409286144.0,), (0.0,)),
        ("number", None, "3.", (3.0,), (5e-9,)),
        ("number", None, "1.2e-05", (1.2e-5,), (5e-7,)),
        ("number", None, "nan", (np.nan,), (0.0,)),
        ("shape", None, "(6, 2)", (6.0, 2.0), (0.0, 0.0)),
        ("shape", -1, "(6, 2) @ (2,)", (2.0,), (0.0,)),
        ("shape", None, "()", (), ()),
        ("row", 0, "[[0.5 0.25]\n [1.  2.  ]]", (0.5, 0.25), (0.005, 0.005)),
        ("row", None, "[True False]", ("true", "false"), (0.0, 0.0)),
        ("line", -1, "one\n\nIt's 0.5%, 2\n", ("it", "s", 0.5, 2.0), (0.0, 0.0, 0.05, 0.0)),
        ("row", None, "[1e-3 2.5]", (1e-3, 2.5), (5e-4, 0.05)),
        ("output", None, "True\nFalse", ("true", "false"), (0.0, 0.0)),
    ],
)
def test_what_an_output_answers(
    part: str, which: int | None, output: str, right: tuple[object, ...], slack: tuple[float, ...]
) -> None:
    found = right_answer(question(part, which), output)
    np.testing.assert_equal(found.tokens, right)
    assert found.tolerances == pytest.approx(slack)
    assert found.equals(answer_tokens(output, part)) or which is not None


@pytest.mark.parametrize(
    ("part", "output", "given", "holds"),
    [
        ("number", "0.71", "0.7071", True),
        ("number", "0.71", "0.7", False),
        # Half a unit, which is a little more in binary.
        ("number", "0.5", "0.55", True),
        ("number", "0.5", "0.5501", False),
        ("number", "0.71", "0.72", False),
        ("number", "6", "6.2", False),
        ("number", "nan", "nan", True),
        ("number", "inf", "-inf", False),
        ("shape", "(6, 2)", "(2, 6)", False),
        ("row", "[1 2]", "[1 2 3]", False),
        ("output", "True", "true", True),
    ],
)
def test_answers_are_compared_to_the_digits_shown(
    part: str, output: str, given: str, holds: bool
) -> None:
    assert right_answer(question(part), output).equals(answer_tokens(given, part)) == holds


def test_nobody_types_a_whole_matrix() -> None:
    with pytest.raises(ValueError, match="too many to type"):
        right_answer(question("output"), "1 " * 65)


def test_values_are_shown_as_one_would_type_them() -> None:
    assert as_typed([np.float64(0.1), (np.int64(2), True), "a"]) == "[0.1, (2, True), a]"
    assert as_typed(np.array([[1.5]])) == "[[1.5]]"


def test_the_page_gets_what_a_script_needs(tmp_path: Path) -> None:
    found = checks(tmp_path, NOTE)
    assert [(check.line, check.column) for check in found] == [(3, 1), (8, 7), (9, 7)]
    note = parse(NOTE)
    (told_,) = question_data(note, found)
    assert told_ == {
        "place": "prediction-0",
        "output": "output-0",
        "key": note.predictions[0].key,
        "part": "row",
        "right": [0.67, 1.0],
        "slack": (0.005, 0.005),
        "wrong": [[0.3333333333, 1.0], [0.0, 0.3333333333]],
    }
    # What has not been checked is not asked.
    assert question_data(note, found[:-1]) == []
    assert question_data(note, []) == []
    assert predictions.data_element("A.md", []) == ""
    assert predictions.data_element("A.md", [{"right": ["<b>"]}]).count("<") == 2


@pytest.mark.parametrize(
    ("part", "output", "wrong", "fits"),
    [
        ("number", "2.5", "1.5", True),
        ("number", "2.5", "(1.5, 2)", False),
        ("number", "2.5", "'one'", False),
        ("number", "2.5", "()", False),
        ("shape", "(2, 3)", "(3, 2)", True),
        ("shape", "(2, 3)", "3", False),
        ("row", "[1 2]", "[2, 1]", True),
        ("row", "[1 2]", "(2, 1)", True),
        ("row", "[1 2]", "2", False),
        ("line", "a 1", "'b 1'", True),
    ],
)
def test_a_wrong_answer_is_of_the_kind_that_is_asked_for(
    tmp_path: Path, part: str, output: str, wrong: str, fits: bool
) -> None:
    text = (
        f"> [!question] Predict the {part}\n> What?\n>\n"
        f"> > [!failure]- Usual wrong answers\n> >\n> > - `{wrong}`: no.\n\n"
        f"```python\nprint('{output}')\n```\n\n```text\n{output}\n```\n"
    )
    (why,) = [c.why for c in checks(tmp_path, text) if c.kind == "distractor"]
    assert (f"is not a {part}" not in why) == fits
