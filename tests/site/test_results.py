"""What an edit has changed, as the scripts of a page judge and word it."""

from __future__ import annotations

from typing import Any

import pytest
from visitor import ROOT, Visitor

SCRIPT = (ROOT / "vaultkit" / "theme" / "check-results.js").read_text(encoding="utf-8")
CALL = """([script, name, given]) =>
  new Function(`${script}; return { outcomeOf, changed, experiment, plain };`)()[name](...given)"""


def call(visit: Visitor, name: str, *given: Any) -> Any:
    return visit.modules_alone().evaluate(CALL, [SCRIPT, name, given])


def check(kind: str, what: str, outcome: str = "fails", **more: Any) -> dict[str, Any]:
    return {"kind": kind, "what": what, "outcome": outcome, "line": 5, "column": 1, **more}


@pytest.mark.parametrize(
    ("kind", "what", "scope", "outcome"),
    [
        ("equation", r"K = X W_K", "general", "fails"),
        # A trial cannot change what is imported; the formula is a law, though.
        (
            "equation",
            r"Z = \operatorname{softmax}\left(\frac{S}{\sqrt{d_k}}\right) V",
            "here",
            "fails",
        ),
        ("equation", r"x_i \cdot x_j \le \lVert x_i \rVert", None, "fails"),
        ("equation", r"n = 5", "here", "changed"),
        ("equation", r"d_k = \frac{d}{h} = 32", "here", "changed"),
        ("equation", r"\sqrt{d_k} = \sqrt{3}", "here", "changed"),
        ("equation", r"\sqrt{d_k} \approx 1.41", "here", "changed"),
        ("equation", r"\underbrace{n + m}_{9}", "here", "changed"),
        ("shape", r"Q \in R", "general", "fails"),
        ("shape", "6 by 2", "here", "changed"),
        # Trials vary less than a reader does.
        ("sentence", "larger", "general", "changed"),
        ("number", "2.72", None, "changed"),
    ],
)
def test_only_a_law_fails(
    visit: Visitor, kind: str, what: str, scope: str | None, outcome: str
) -> None:
    built = [check(kind, what, "holds", **({"scope": scope} if scope else {}))]
    assert call(visit, "outcomeOf", check(kind, what), True, built, []) == outcome
    assert call(visit, "outcomeOf", check(kind, what), False, built, []) == "fails"


def test_a_check_is_compared_with_the_one_at_its_place(visit: Visitor) -> None:
    far = check("equation", "x = 0.5", "holds", line=80, scope="general")
    near = check("equation", "x = 0.5", "holds", line=4, scope="here")
    beside = check("equation", "x = 0.5", "holds", line=4, column=9, scope="general")
    found = check("equation", "x = 0.5")
    assert call(visit, "outcomeOf", found, True, [far, beside, near], []) == "changed"
    assert call(visit, "outcomeOf", found | {"column": 9}, True, [far, near, beside], []) == "fails"


def test_what_fails_is_named(visit: Visitor) -> None:
    found = [
        check("equation", "a"),
        check("shape", "b"),
        check("block", "c"),
        check("link", "", "holds"),
    ]
    kinds = ["number", "output", "figure", "number"]
    assert call(visit, "experiment", found, kinds, 0.5) == (
        "With your edit: 1 output, 2 numbers, 1 figure changed, 1 formula no longer holds, "
        "1 shape no longer fits, 1 block does not run; 1 check as before, in 500 ms."
    )
    assert call(visit, "changed", found[3:], []) == ""


def test_the_rows_of_an_array_stay_below_each_other(visit: Visitor) -> None:
    sides = "left [[1 2 ... 3] [4 5 ... 6]], right [[1 2 ... 3] [4 5 ... 7]]"
    why = f"{sides}; the largest difference is 1"
    assert call(
        visit, "plain", check("equation", "a = b", why=f"$a = b$ does not hold:\n  {why}")
    ) == (
        "Does not hold:\nleft\n[[1 2 ... 3]\n [4 5 ... 6]]\n"
        "right\n[[1 2 ... 3]\n [4 5 ... 7]]\nthe largest difference is 1"
    )


def test_both_sides_of_a_formula_are_below_each_other(visit: Visitor) -> None:
    why = "$a = b$ does not hold\n  left [1. 0.5], right [1. 0.25]; the largest difference is 0.25"
    assert call(visit, "plain", check("equation", "a = b", why=why)) == (
        "Does not hold\nleft\n[1. 0.5]\nright\n[1. 0.25]\nthe largest difference is 0.25"
    )


@pytest.mark.parametrize("header", ["Traceback (most recent call last):\n", ""])
def test_an_error_names_no_file_of_the_vault(visit: Visitor, header: str) -> None:
    why = (
        f'{header}  File "docs/A Note.md", line 94\n    Q = (\n        ^\nSyntaxError: never closed'
    )
    told = call(visit, "plain", check("block", "Q = (", why=why))
    assert told == "SyntaxError: never closed\n    Q = (\n        ^\n"
