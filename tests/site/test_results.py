"""What an edit has changed, as the scripts of a page judge and word it."""

from __future__ import annotations

from typing import Any

import pytest
from visitor import ROOT, Visitor

SCRIPT = (ROOT / "vaultkit" / "theme" / "check-results.js").read_text(encoding="utf-8")
CALL = """([script, name, given]) =>
  new Function(`${script}; return { outcomeOf, changed, experiment, plain, unfit };`)()[name](
    ...given)"""


def call(visit: Visitor, name: str, *given: Any) -> Any:
    return visit.modules_alone().evaluate(CALL, [SCRIPT, name, given])


def check(kind: str, what: str, outcome: str = "fails", **more: Any) -> dict[str, Any]:
    return {"kind": kind, "what": what, "outcome": outcome, "line": 5, "column": 1, **more}


@pytest.mark.parametrize(
    ("kind", "is_law", "scope", "outcome"),
    [
        ("equation", False, "general", "fails"),
        # A trial cannot change what is imported; the formula is a law, though.
        ("equation", True, "here", "fails"),
        ("equation", True, None, "fails"),
        ("equation", False, "here", "changed"),
        ("shape", False, "general", "fails"),
        ("shape", False, "here", "changed"),
        # Trials vary less than a reader does.
        ("sentence", False, "general", "changed"),
        ("number", False, None, "changed"),
    ],
)
def test_only_a_law_fails(
    visit: Visitor, kind: str, is_law: bool, scope: str | None, outcome: str
) -> None:
    built = [check(kind, "it", "holds", **({"scope": scope} if scope else {}))]
    found = check(kind, "it", **({"is_law": True} if is_law else {}))
    assert call(visit, "outcomeOf", found, {0: ""}, built, []) == outcome
    assert call(visit, "outcomeOf", found, {}, built, []) == "fails"


@pytest.mark.parametrize(
    ("sides", "outcome"),
    [
        ("left 0, right 2; the difference is 2: 0 = 2 does not hold", "changed"),
        ("left [0. 0.], right [1. 1.]; the largest difference is 1", "changed"),
        ("left nan, right nan; the difference is inf: nan = nan does not hold", "changed"),
        ("left [0. 1e-05], right [1. 1.]; the largest difference is 1", "fails"),
        ("left 1, right 2; the difference is 1: 1 = 2 does not hold", "fails"),
    ],
)
def test_zeros_and_undefined_numbers_break_no_law(visit: Visitor, sides: str, outcome: str) -> None:
    built = [check("equation", "a = b", "holds", scope="general")]
    found = check("equation", "a = b", why=f"$a = b$ does not hold\n  {sides}")
    assert call(visit, "outcomeOf", found, {0: ""}, built, []) == outcome


def test_a_check_is_compared_with_the_one_at_its_place(visit: Visitor) -> None:
    far = check("equation", "x = 0.5", "holds", line=80, scope="general")
    near = check("equation", "x = 0.5", "holds", line=4, scope="here")
    beside = check("equation", "x = 0.5", "holds", line=4, column=9, scope="general")
    found = check("equation", "x = 0.5")
    assert call(visit, "outcomeOf", found, {0: ""}, [far, beside, near], []) == "changed"
    assert (
        call(visit, "outcomeOf", found | {"column": 9}, {0: ""}, [far, near, beside], []) == "fails"
    )


def test_what_fails_is_named(visit: Visitor) -> None:
    found = [
        check("equation", "a"),
        check("shape", "b"),
        check("block", "c"),
        check("link", "", "holds"),
    ]
    kinds = ["number", "output", "example", "figure", "number"]
    assert call(visit, "experiment", found, kinds, 0.5) == [
        "With your edit: 1 output, 2 numbers, 1 figure changed, "
        "1 statement comes out differently, ",
        "1 formula no longer holds, 1 shape no longer fits, 1 block does not run",
        "; 1 check as before, in 500 ms. "
        "Words, and whole numbers without a mark, stay as they were.",
    ]
    assert call(visit, "experiment", found[3:], [], 0.5)[:2] == [
        "With your edit: nothing else changes", "",
    ]  # fmt: skip
    assert call(visit, "changed", found[3:], []) == ["nothing else changes", ""]
    assert call(visit, "changed", found[:1], ["output"]) == [
        "1 output changed, ", "1 formula no longer holds",
    ]  # fmt: skip


NOT_DEFINED = 'Traceback (most recent call last):\n  File "a.md", line 5\nNameError: name'


def test_an_error_in_what_was_typed_is_reported(visit: Visitor) -> None:
    broken = [check("block", "a", block=0)]
    name = check("block", "b", block=3, why=NOT_DEFINED, reason="unbound")
    assert call(visit, "outcomeOf", name, {0: "", 3: ""}, [], broken) == "fails"
    # It lacks what the broken block should have defined.
    assert call(visit, "outcomeOf", name, {0: ""}, [], broken) == "unjudged"
    assert call(visit, "outcomeOf", name, {0: ""}, [], []) == "fails"


def test_what_is_above_a_broken_block_is_judged(visit: Visitor) -> None:
    broken = [check("block", "a", block=1, line=9)]
    above, below = (check("sentence", "it", line=line) for line in (8, 10))
    assert call(visit, "outcomeOf", above, {0: ""}, [], broken) == "changed"
    assert call(visit, "outcomeOf", below, {0: ""}, [], broken) == "unjudged"
    # It waits for a name that the block should have defined.
    waits = above | {"reason": "unbound"}
    assert call(visit, "outcomeOf", waits, {0: ""}, [], broken) == "unjudged"


def test_code_that_a_browser_cannot_run_fails_if_it_was_typed(visit: Visitor) -> None:
    lacks = check("block", "a", "excepted", block=1, reason="lacks")
    rests = check("block", "b", "excepted", block=2, reason="lacks")
    assert call(visit, "outcomeOf", lacks, {1: ""}, [], []) == "fails"
    assert call(visit, "outcomeOf", lacks, {0: ""}, [], []) == "excepted"
    broken = [lacks | {"outcome": "fails"}]
    assert call(visit, "outcomeOf", rests, {1: ""}, [], broken) == "unjudged"


def test_a_formula_whose_names_are_gone_is_not_judged(visit: Visitor) -> None:
    built = [check("equation", "Z = V", "holds", scope="general")]
    why = "$Z = V$: no code of this note defines Z"
    found = check("equation", "Z = V", why=why, reason="unbound")
    assert call(visit, "outcomeOf", found, {0: ""}, built, []) == "unjudged"
    assert call(visit, "plain", found) == "No code of this page defines Z"


@pytest.mark.parametrize(
    ("reason", "sizes", "told"),
    [
        (
            "sizes",
            [["J", [2, 2]], ["alpha", [2]], ["delta", [3, 3]]],
            "The sizes no longer fit: J is 2 × 2, α has 2 numbers, δ is 3 × 3.",
        ),
        ("uncomputable", [], "This formula cannot be computed with your edit."),
    ],
)
def test_a_formula_that_an_edit_leaves_without_value_is_no_broken_law(
    visit: Visitor, reason: str, sizes: list[Any], told: str
) -> None:
    built = [check("equation", "a = b", "holds", scope="general")]
    false = check("equation", "a = b", is_law=True)
    found = false | {"reason": reason, "sizes": sizes}
    assert call(visit, "outcomeOf", found, {0: ""}, built, []) == "unjudged"
    assert call(visit, "unfit", found) == told
    # Without an edit, it fails.
    assert call(visit, "outcomeOf", found, {}, built, []) == "fails"
    assert call(visit, "outcomeOf", false, {0: ""}, built, []) == "fails"
    assert call(visit, "unfit", false) == ""


@pytest.mark.parametrize(
    ("why", "told"),
    [
        (
            "left [[1 2 ... 3] [4 5 ... 6]], right [[1 2 ... 3] [4 5 ... 7]]; the largest "
            "difference is 1 at i = 2, j = 7: 6 = 7 does not hold\n  with alpha (2, 11); d_k = 2",
            "Does not hold: its two sides differ by up to 1 (at i = 2, j = 7: 6 and 7).\n"
            "Left side:\n[[1 2 ... 3]\n [4 5 ... 6]]\nRight side:\n[[1 2 ... 3]\n [4 5 ... 7]]",
        ),
        (
            "left [1. 0.5], right [1. 0.25]; the largest difference is 0.25",
            "Does not hold: its two sides differ by up to 0.25.\n"
            "Left side:\n[1. 0.5]\nRight side:\n[1. 0.25]",
        ),
        (
            "left [1. 3.], right [2. 2.]; the largest difference is 1 at i = 2: 3 < 2 does not "
            "hold",
            "Does not hold: 3 < 2 is false at i = 2.\nLeft side:\n[1. 3.]\nRight side:\n[2. 2.]",
        ),
        (
            "left 2, right 3; the largest difference is 1: 2 = 3 does not hold",
            "Does not hold: its left side is 2, its right side is 3.",
        ),
    ],
)
def test_both_sides_of_a_formula_are_named(visit: Visitor, why: str, told: str) -> None:
    found = check("equation", "a = b", why=f"$a = b$ does not hold\n  {why}")
    assert call(visit, "plain", found) == told


@pytest.mark.parametrize("header", ["Traceback (most recent call last):\n", ""])
def test_an_error_names_no_file_of_the_vault(visit: Visitor, header: str) -> None:
    why = (
        f'{header}  File "docs/A Note.md", line 94\n    Q = (\n        ^\nSyntaxError: never closed'
    )
    told = call(visit, "plain", check("block", "Q = (", why=why))
    assert told == "Python cannot read this code.\nSyntaxError: never closed\nQ = (\n    ^\n"


def test_an_error_in_a_function_of_the_vault_quotes_only_the_page(visit: Visitor) -> None:
    frames = (
        '  File "docs/A Note.md", line 9, in <module>\n    attention(Q)\n'
        '  File "/home/pyodide/vault/snippets/attention.py", line 4, in <lambda>\n    S = q @ k\n'
    )
    why = f"Traceback (most recent call last):\n{frames}ValueError: shapes"
    told = call(visit, "plain", check("block", "attention(Q)", why=why))
    assert told == "ValueError: shapes\nattention(Q)\n"


UNREAD = "Python cannot read this code."
#: What NumPy says of sizes, and the sentence ahead of it.
OF_SIZES = (
    (
        "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
        "(n?,k),(k,m?)->(n?,m?) (size 3 is different from 2)",
        "The inner sizes of @ do not fit: 2 on its left, 3 on its right.",
    ),
    (
        "shapes (2,3) and (2,3) not aligned: 3 (dim 1) != 2 (dim 0)",
        "The inner sizes of this product do not fit: 3 on its left, 2 on its right.",
    ),
    (
        "setting an array element with a sequence. The requested array has an inhomogeneous shape "
        "after 1 dimensions. The detected shape was (2,) + inhomogeneous part.",
        "The rows of this array do not have the same length.",
    ),
    (
        "operands could not be broadcast together with shapes (2,3) (4,)",
        "The sizes (2, 3) and (4,) do not fit: compared from the last one, two sizes must be "
        "equal, or one of them 1.",
    ),
    (
        "zero-size array to reduction operation maximum which has no identity",
        "An array without numbers has no maximum.",
    ),
    (
        "index 3 is out of bounds for axis 0 with size 3",
        "There is no index 3: axis 0 has 3 entries, counted from 0.",
    ),
    (
        "could not broadcast input array from shape (2,) into shape (3,)",
        "An array of size (2,) does not fit into one of size (3,).",
    ),
)


@pytest.mark.parametrize(("error", "sentence"), OF_SIZES)
def test_an_error_of_sizes_begins_with_a_sentence(
    visit: Visitor, error: str, sentence: str
) -> None:
    frame = '  File "docs/A Note.md", line 9, in <module>\n    S = q @ k\n'
    why = f"Traceback (most recent call last):\n{frame}ValueError: {error}"
    told = call(visit, "plain", check("block", "S = q @ k", why=why))
    assert told.split("\n") == [sentence, f"ValueError: {error}", "S = q @ k", ""]


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        ("SyntaxError: unmatched ')'", "a bracket is closed that was never opened."),
        ("SyntaxError: '(' was never closed", "a bracket is opened and never closed."),
        (
            "SyntaxError: closing parenthesis ']' does not match opening parenthesis '('",
            "] cannot close the bracket (.",
        ),
        (
            "SyntaxError: unterminated string literal (detected at line 1)",
            "a text in quotation marks has no end.",
        ),
        ("SyntaxError: expected ':'", "a colon is missing."),
        (
            "IndentationError: expected an indented block after 'for' statement on line 1",
            "the line after a colon must be indented.",
        ),
        ("IndentationError: unexpected indent", "the indent of a line is not that of its block."),
        ("SyntaxError: invalid syntax", ""),
        ("NameError: name 'xx' is not defined. Did you mean: 'x'?", "No code above defines xx."),
        ("KeyError: 1024", "The dictionary has no entry 1024."),
    ],
)
def test_an_error_of_python_begins_with_a_sentence(
    visit: Visitor, error: str, sentence: str
) -> None:
    if not error.startswith(("NameError", "KeyError")):
        sentence = f"Python cannot read this code: {sentence}" if sentence else UNREAD
    why = f'Traceback (most recent call last):\n  File "docs/A Note.md", line 9\n    x\n{error}'
    told = call(visit, "plain", check("block", "x", why=why))
    assert told.split("\n") == [sentence, error, "x", ""]


def test_an_error_quotes_no_library(visit: Visitor) -> None:
    frames = (
        '  File "docs/A Note.md", line 9, in <module>\n    np.nosuch\n    ^^^^^^^^^\n'
        '  File "/lib/python3.12/site-packages/numpy/__init__.py", line 4, in __getattr__\n'
        "    raise AttributeError()\n"
        '  File "numpy/random/_common.pyx", line 312, in numpy.random._common.double_fill\n'
    )
    why = f"Traceback (most recent call last):\n{frames}AttributeError: no nosuch"
    told = call(visit, "plain", check("block", "np.nosuch", why=why))
    assert told == "AttributeError: no nosuch\nnp.nosuch\n^^^^^^^^^\n"
