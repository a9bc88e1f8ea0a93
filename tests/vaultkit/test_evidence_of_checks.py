"""The evidence for each part of a page: outcome, sources, and where they are."""

from dataclasses import replace
from pathlib import Path

import pytest

from vaultkit.checks.check import EXCEPTED, FAILS, FOUND, GENERAL, HERE, HOLDS, Check
from vaultkit.checks.evidence import CHECKED, Part, parts
from vaultkit.read.markdown import parse
from vaultkit.read.note import Note

NOTE = parse(
    r"""# Note

A is 0.8210, B is 12.25 and $q = 9$ and $s = t$<!-- here: it is -->.

Of shape (3, 2) with $\lVert Q \rVert = 24.500$.

```python
import numpy as np
import os.path as p, json.decoder
from os import sep as slash, path

s: float = 12.25
t = Q = rows = 0
class Thing: inside = 1
def call(x=77): return x
for i, (j, *k) in []: pass
del gone
```

```text
12.25
```

```pycon
>>> for n in [1]:
...     late = 24.5
>>> u = s
s = 3
```

```python
s = (
```

```python
t = 3
```
"""
)

IN_GENERAL = "Holds in general: for other numbers, too"
NUMBER = "Checked: this page computes it"


def evidence_of(*checks: Check, note: Note = NOTE) -> dict[str, list[object]]:
    return {place: part.plain() for place, part in parts(note, checks).items()}


def number(why: str, outcome: str = HOLDS, line: int = 3) -> Check:
    return Check("number", line, "0.8210", outcome, why, 6)


@pytest.mark.parametrize(
    ("why", "lines"),
    [
        ("output at line 20: 12.25", [("Output: 12.25", "output-0", "12.25")]),
        ("output at line 19: 12.25", [("Output: 12.25",)]),
        ("output at line 21: 12.25", [("Output: 12.25", "output-0", "12.25")]),
        ("output at line 22: 12.25", [("Output: 12.25", "output-0", "12.25")]),
        ("output at line 23: 12.25", [("Output: 12.25",)]),
        ("output at line 12: 1, 2", [("Output: 1, 2", "block-0", "1, 2")]),
        ("output of the code at line 24: 1", [("Output of the code: 1", "block-1", "1")]),
        ("code at line 7: 77", [("Code: 77", "block-0", "77")]),
        ("code at line 17: 77", [("Code: 77", "block-0", "77")]),
        ("code at line 6: 77", [("Code: 77",)]),
        ("code at line 18: 77", [("Code: 77", "block-0", "77")]),
        ("code at line 19: 77", [("Code: 77",)]),
        ("formula at line 3, column 29: 9", [("Formula: 9", "formula-0", "9")]),
        ("formula at line 3, column 41: 9", [("Formula: 9", "formula-1", "9")]),
        ("formula at line 5, column 22: 24.5", [("Formula: 24.5", "formula-2", "24.5")]),
        ("formula at line 4, column 27: 24.5", [("Formula: 24.5",)]),
        ("formula at line 3, column 28: 24.5", [("Formula: 24.5",)]),
        ("variable s: 12.25", [("Variable `s`: 12.25", "block-0", "12.25")]),
        ("variable late: 24.5", [("Variable `late`: 24.5", "block-1", "24.5")]),
        ("variable u: 24.5", [("Variable `u`: 24.5", "block-1", "24.5")]),
        ("variable gone: 24.5", [("Variable `gone`: 24.5",)]),
        ("variable inside: 1", [("Variable `inside`: 1", "block-0", "1")]),
        ("length of rows: 13", [("Length of `rows`: 13", "block-0", "13")]),
        ("length of an axis of Q: 3", [("Length of an axis of `Q`: 3", "block-0", "3")]),
        ("default of call: 77", [("Default of `call`: 77", "block-0", "77")]),
        ("how many numbers Q holds: 6", [("How many numbers `Q` holds: 6",)]),
        ("variable s: 1; code at line 7: 2", [
            ("Variable `s`: 1", "block-0", "1"), ("Code: 2", "block-0", "2"),
        ]),
        ("output at line 20: 1; 2", [("Output: 1; 2", "output-0", "1; 2")]),
        ("", []),
    ],
)  # fmt: skip
def test_what_a_number_rests_on(why: str, lines: list[tuple[str, ...]]) -> None:
    assert evidence_of(number(why)) == {"number-0": [NUMBER, *lines]}


@pytest.mark.parametrize(
    ("name", "block"),
    [
        *[(name, 0) for name in ("np", "p", "json", "slash", "path", "s", "t", "Q", "Thing")],
        *[(name, 0) for name in ("call", "i", "j", "k")],
        *[(name, 1) for name in ("n", "late", "u")],
        *[(name, None) for name in ("os", "sep", "decoder", "x", "gone", "pass")],
    ],
)
def test_which_block_binds_a_name(name: str, block: int | None) -> None:
    place = () if block is None else (f"block-{block}", "1")
    assert evidence_of(number(f"variable {name}: 1"))["number-0"][1:] == [
        (f"Variable `{name}`: 1", *place)
    ]


def test_the_block_above_is_looked_at_before_the_one_below() -> None:
    blocks = [f"```python\nt = {number}\n```" for number in (1, 2, 3)]
    note = parse("0.5\n\n" + "\n\n0.5\n\n".join(blocks))
    checks = [Check("number", line, "0.5", HOLDS, "variable t: 1") for line in (1, 7, 13)]
    found = evidence_of(*checks, note=note)
    assert [part[1][1] for part in found.values()] == ["block-0", "block-0", "block-1"]  # type: ignore[index]


@pytest.mark.parametrize(
    ("why", "line"),
    [
        ("Q (3, 2)", ("`Q`, of shape (3, 2)", "block-0", "")),
        ("Q transposed (2, 3)", ("`Q` transposed, of shape (2, 3)", "block-0", "")),
        ("left (3, 2)", ("left (3, 2)",)),
        ("code = (3, 2)", ("code = (3, 2)",)),
        ("how [3, 2]", ("how [3, 2]",)),
    ],
)
def test_what_a_shape_rests_on(why: str, line: tuple[str, ...]) -> None:
    if "[" in why:
        line = ("How [3, 2]",)
    shape = Check("shape", 5, "(3, 2)", HOLDS, why, 10)
    assert evidence_of(shape) == {"shape-0": ["Holds for the arrays of this page", line]}


def test_two_variables_of_a_shape_are_two_lines() -> None:
    shape = Check("shape", 5, "(3, 2)", HOLDS, "Q (3, 2); t (3, 2)", 10, GENERAL)
    assert evidence_of(shape)["shape-0"] == [
        IN_GENERAL,
        ("`Q`, of shape (3, 2)", "block-0", ""),
        ("`t`, of shape (3, 2)", "block-0", ""),
    ]


def equation(outcome: str, why: str = "", scope: str = "", sides: str = "") -> Check:
    return Check("equation", 3, "s = t", outcome, why, 41, scope, sides)


@pytest.mark.parametrize(
    ("checks", "part"),
    [
        (
            [equation(HOLDS, "s = 1; t = 1", GENERAL, "left 1, right 1; they are equal")],
            Part(IN_GENERAL, GENERAL, [
                ("Checked on `s` = 1 and `t` = 1",), ("Left 1, right 1; they are equal",),
            ]),
        ),
        (
            [
                equation(
                    HOLDS,
                    sides="both sides [[0.5 1. ] ... [3.  4. ]]; they are equal",
                    scope=GENERAL,
                )
            ],
            Part(IN_GENERAL, GENERAL, [
                ("Both sides\n[[0.5 1.0]\n ...\n [3.0 4.0]]\nthey are equal",),
            ]),
        ),
        (
            [
                equation(
                    HOLDS,
                    sides="left [[1. 2.] [3. 4.]], right [[1. 2.] [3. 5.]]; they",
                    scope=GENERAL,
                )
            ],
            Part(IN_GENERAL, GENERAL, [
                ("Left\n[[1. 2.]\n [3. 4.]]\nright\n[[1. 2.]\n [3. 5.]]\nthey",),
            ]),
        ),
        ([equation(HOLDS)], Part("Holds for the arrays of this page", CHECKED, [])),
        (
            [equation(HOLDS, "s = 1", HERE)],
            Part("Holds here: for the numbers of this page", HERE, [
                ("Checked on `s` = 1",), ("The note says why: it is",),
            ]),
        ),
        (
            [replace(equation(HOLDS, "s = 1", HERE), pinned="d, lengths")],
            Part("Holds here: for the numbers of this page", HERE, [
                ("Checked on `s` = 1",), ("The same in all trials: `d`, the lengths of arrays",),
                ("The note says why: it is",),
            ]),
        ),
        (
            [equation(EXCEPTED, "so"), equation(HOLDS, "s = 1", HERE)],
            Part("Not run", EXCEPTED, [("The note says why: so",), ("Checked on `s` = 1",)]),
        ),
        (
            [equation(HOLDS, "s = 1", HERE), equation(HOLDS, "s = 1")],
            Part("Holds for the arrays of this page", CHECKED, [("Checked on `s` = 1",)]),
        ),
        (
            [equation(HOLDS, "s = 1", GENERAL), equation(HOLDS, "t = 1", HERE)],
            Part("Holds here: for the numbers of this page", HERE, [
                ("Checked on `s` = 1",), ("Checked on `t` = 1",), ("The note says why: it is",),
            ]),
        ),
    ],
)  # fmt: skip
def test_what_is_reported_about_a_formula(checks: list[Check], part: Part) -> None:
    assert parts(NOTE, checks) == {"formula-1": part}
    assert parts(NOTE, [*checks, equation(FAILS)]) == {}
    # Whatever else is wrong with the page has its own place.
    assert parts(NOTE, [*checks, number("", FAILS), Check("block", 7, "", FAILS)]) == {
        "formula-1": part
    }


def test_a_formula_is_judged_by_what_it_states_not_by_its_numbers() -> None:
    tex = r"\lVert Q \rVert = 24.500"
    holds = Check("equation", 5, tex, HOLDS, "Q (3, 2)", 22, GENERAL)
    given = Check("number", 5, tex, EXCEPTED, "so", 22)
    (part,) = parts(NOTE, [holds, given]).values()
    assert (part.title, part.scope) == (IN_GENERAL, GENERAL)
    (part,) = parts(NOTE, [given]).values()
    assert (part.title, part.scope) == ("Not run", EXCEPTED)
    occurs = replace(given, outcome=HOLDS, why="variable n: 24.5", scope=FOUND)
    (part,) = parts(NOTE, [occurs]).values()
    assert (part.title, part.scope) == ("This number occurs on this page", "")


def test_a_number_may_be_given() -> None:
    assert evidence_of(number("so", EXCEPTED)) == {
        "number-0": ["A number that is given", ("The note says why: so",)]
    }
    assert evidence_of(number("so", EXCEPTED), number("variable s: 1")) == {
        "number-0": [
            "A number that is given",
            ("The note says why: so",),
            ("Variable `s`: 1", "block-0", "1"),
        ]
    }


def test_only_what_states_something_is_a_part() -> None:
    link = Check("link", 3, "0.8210", HOLDS, "", 6)
    mirror = Check("mirror", 8, "lib.py", HOLDS)
    assert parts(NOTE, [link, mirror, Check("number", 3, "0.8210", HOLDS, "", 7)]) == {}


def test_a_page_without_blocks_has_no_place_to_look_at(tmp_path: Path) -> None:
    note = parse("0.5\n", tmp_path / "A.md")
    check = Check("number", 1, "0.5", HOLDS, "code at line 3: 0.5")
    assert evidence_of(check, note=note) == {"number-0": [NUMBER, ("Code: 0.5",)]}
