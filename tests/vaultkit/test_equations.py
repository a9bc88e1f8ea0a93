"""The check of each formula that states something: its place, its text, and the reason."""

from dataclasses import replace
from typing import Any

import pytest

from vaultkit.checks.check import (
    EXCEPTED,
    FAILS,
    GENERAL,
    HERE,
    HOLDS,
    UNBOUND,
    Check,
    strictly,
)
from vaultkit.checks.equations import Equations
from vaultkit.claims.places import page_places
from vaultkit.read.markdown import parse
from vaultkit.run.session import NoteRun

CODE = "```python\nimport numpy as np\nx = 1\nv = np.array([1.0, 2.0])\n```\n\n"


def judged(text: str) -> Equations:
    note = parse(CODE + text + "\n")
    equations = Equations(note)
    NoteRun(note).finish(equations.observe)
    return equations


def results(equations: Equations) -> list[Check]:
    return [replace(check, seconds=0.0) for check in strictly(equations.check())]


EQUAL = "both sides {0}; they are equal"
RECORDS = {
    "a $x = 1$": Check("equation", 7, "x = 1", HOLDS, "x = 1", 3, "", EQUAL.format(1)),
    "$v \\in \\mathbb{R}^{2}$": Check("shape", 7, "v \\in \\mathbb{R}^{2}", HOLDS, "v (2,)"),
    "$v_1 + x = 2 x$": Check(
        "equation", 7, "v_1 + x = 2 x", HOLDS, "v (2,); x = 1", 1, "", EQUAL.format(2),
        is_law=True,
    ),
    "$v \\approx v + 0.01$": Check(
        "equation", 7, "v \\approx v + 0.01", HOLDS, "v (2,)", 1, "",
        "left [1. 2.], right [1.01 2.01]; they differ by at most 0.01", is_law=True,
    ),
    "$x \\approx x + \\frac{1}{33}$": Check(
        "equation", 7, "x \\approx x + \\frac{1}{33}", HOLDS, "x = 1", 1, "",
        "left 1, right 1.0303; they differ by at most 0.03", is_law=True,
    ),
    "$1 + 1 = 2$": Check("equation", 7, "1 + 1 = 2", HOLDS, "", 1, "", EQUAL.format(2)),
    "$1 + 1 = 3$": Check(
        "equation", 7, "1 + 1 = 3", FAILS,
        "$1 + 1 = 3$ does not hold\n"
        "  left 2, right 3; the largest difference is 1: 2 = 3 does not hold",
    ),
    "a\n$x   =\n 2$": Check(
        "equation", 8, "x   =\n 2", FAILS,
        "$x = 2$ does not hold\n"
        "  left 1, right 2; the largest difference is 1: 1 = 2 does not hold\n  with x = 1",
    ),
    "$v = x$": Check(
        "equation", 7, "v = x", FAILS,
        "$v = x$ does not hold\n  left [1. 2.], right 1; the largest difference is 1 at element "
        "(2,): 2 = 1 does not hold\n  with v (2,); x = 1", is_law=True,
    ),
    "$v \\in \\mathbb{R}^{3}$": Check(
        "shape", 7, "v \\in \\mathbb{R}^{3}", FAILS,
        "$v \\in \\mathbb{R}^{3}$ does not hold\n  the shape is (2,), not (3,)\n  with v (2,)",
    ),
    "$z = 1$": Check(
        "equation", 7, "z = 1", FAILS, "$z = 1$: no code of this note defines z", reason=UNBOUND
    ),
    "$$\nx\n= (\n$$": Check(
        "equation", 9, "x\n= (", FAILS, "$x = ($ cannot be read: cannot read 'the end' here"
    ),
    "$z = 1$<!-- not run: so -->": Check("equation", 7, "z = 1", EXCEPTED, "so"),
}  # fmt: skip


@pytest.mark.parametrize("text", RECORDS)
def test_what_is_reported_about_a_formula(text: str) -> None:
    (check,) = results(judged(text))
    expected = RECORDS[text]
    assert check == replace(expected, column=check.column)
    # A display begins behind its mark.
    assert check.column == expected.column or text.startswith("$$")


#: Failures in displays of several rows, which are reported at the row.
ROWS = {
    "$$\nv_1 &= x \\\\\nx &= 3\n$$": [(7, HOLDS), (9, FAILS)],
    "$$\n\nx = 1 \\\\\nz = 1\n$$": [(7, HOLDS), (10, FAILS)],
    "$$\nx &= 1 \\\\\n&= 1 \\\\\n&= 2 \\\\\n&= 3\n$$": [(10, FAILS)],
    "> $$ v_1 = x \\\\\n> = 3 $$": [(8, FAILS)],
    "$$\nx = 1 \\\\\nx \\in \\mathbb{R}^{2}\n$$": [(7, HOLDS), (9, FAILS)],
    "$$\nx = 3\n$$": [(7, FAILS)],
    "a $x\n= 3$": [(7, FAILS)],
}


@pytest.mark.parametrize("text", ROWS)
def test_what_fails_is_reported_for_its_row(text: str) -> None:
    checks = results(judged(text))
    assert [(check.line, check.outcome) for check in checks] == ROWS[text]
    note = judged(text).note
    assert all(page_places(note).names_of(c.kind, c.line, c.column, c.what) for c in checks)


def test_an_object_that_cannot_be_looked_at_fails_its_equation() -> None:
    note = parse(
        "```python\nclass Odd:\n    def __array__(self, *_, **__): raise OSError('no')\n"
        "    def __eq__(self, other): raise OSError('no')\n    __hash__ = None\n"
        "x = Odd()\n```\n\n$x = 1$\n"
    )
    equations = Equations(note)
    NoteRun(note).finish(equations.observe)
    (check,) = strictly(equations.check())
    assert check.outcome == FAILS
    assert check.why == "$x = 1$ cannot be judged\n  OSError: no"


def test_to_convert_the_result_of_a_function_is_a_call_within_limits() -> None:
    note = parse(
        "```python\nclass Odd:\n    def __array__(self, *_, **__): raise SystemExit\n"
        "def f(n): return Odd()\n```\n\n$f(1) = 1$\n"
    )
    equations, run = Equations(note), NoteRun(note)
    equations.call = run.call
    run.finish(equations.observe)
    (check,) = strictly(equations.check())
    assert check.outcome == FAILS
    assert "it ends the program" in check.why


def test_whatever_judging_raises_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def odd(*_: object, **__: object) -> None:
        raise OSError("no such thing")

    monkeypatch.setattr("vaultkit.checks.equations.judge", odd)
    (check,) = results(judged("$x = 1$"))
    assert check.why == "$x = 1$ cannot be judged\n  OSError: no such thing"
    assert (check.outcome, check.sides, check.scope) == (FAILS, "", "")


def test_how_long_it_took_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter([10.0, 10.5, 20.0, 20.25])
    monkeypatch.setattr("time.perf_counter", lambda: next(ticks))
    note = parse(CODE + "$y = 1$\n")
    equations = Equations(note)
    block = note.blocks[0]
    equations.observe(block, [], {})
    equations.observe(block, [], {"y": 1.0})
    (check,) = strictly(equations.check())
    assert (check.seconds, check.outcome) == (0.75, HOLDS)


def test_functions_are_called_the_way_that_is_handed_in() -> None:
    called: list[Any] = []

    def call(function: Any, *given: Any) -> Any:
        called.append(given)
        return function(*given)

    note = parse(CODE + "$f(2) = 4$\n")
    equations = Equations(note)
    equations.call = call
    equations.observe(note.blocks[0], [], {"f": lambda x: 2 * x})
    (check,) = strictly(equations.check())
    assert check.outcome == HOLDS
    assert called == [(2,)]


@pytest.mark.parametrize(
    ("tex", "tried", "counterexample", "here", "outcome", "scope"),
    [
        ("x = v_1", 0, "", "", HOLDS, ""),
        ("x = v_1", 2, "", "", HOLDS, GENERAL),
        ("x = v_1", 2, "left 3", "", FAILS, HERE),
        ("x = v_1", 2, "left 3", "<!-- here: so -->", HOLDS, HERE),
        ("x = 1", 2, "left 3", "", HOLDS, HERE),
        ("x = 3", 2, "left 3", "", FAILS, ""),
    ],
)
def test_a_law_holds_for_other_numbers_too(
    tex: str, tried: int, counterexample: str, here: str, outcome: str, scope: str
) -> None:
    equations = judged(f"${tex}${here}")
    (claim,) = equations.claims
    claim.tried, claim.counterexample = tried, counterexample
    (check,) = results(equations)
    assert (check.outcome, check.scope) == (outcome, scope)
    if outcome == FAILS and scope:
        assert check.why == (
            "$x = v_1$ holds for the numbers of this page, but not for others; "
            "if that is meant, write <!-- here: reason --> after it\n  left 3"
        )


def test_an_expression_keeps_what_was_found_where_a_note_goes_on_as_another() -> None:
    note = parse("```python\nimport numpy as np\nA = np.ones((2, 3))\n```\n\n$A A$\n")
    equations = Equations(note)
    NoteRun(note).finish(equations.observe)
    equations.rebase(note)
    (check,) = strictly(equations.check())
    assert (check.line, check.outcome) == (6, FAILS)
