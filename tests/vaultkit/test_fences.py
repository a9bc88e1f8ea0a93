"""Code that does not run, and output that is not compared, is a failure."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from vaultkit.checks import outputs
from vaultkit.checks.check import EXCEPTED, FAILS
from vaultkit.checks.incomplete import Incomplete
from vaultkit.read.fences import looks_like_python
from vaultkit.read.markdown import parse
from vaultkit.read.notebook import parse_notebook
from vaultkit.read.prompts import examples
from vaultkit.run.session import NoteRun


def problems(text: str) -> Iterator[tuple[int, str]]:
    note = parse(text)
    run = NoteRun(note)
    for index, block in enumerate(note.blocks):
        for check in outputs.check(index, block, run.steps(index), 0.0):
            if check.outcome == FAILS:
                yield check.line, check.why


ARRAY = "[[[1]\n  [2]]\n\n [[3]\n  [4]]]"


def test_an_output_of_a_session_holds_blank_lines() -> None:
    code = ">>> import numpy as np\n>>> print(np.arange(1, 5).reshape(2, 2, 1))\n"
    for shown in (ARRAY, ARRAY.replace("\n\n", "\n<BLANKLINE>\n")):
        assert list(problems(f"```pycon\n{code}{shown}\n\n>>> 1\n1\n\n```\n")) == []
    ((line, message),) = problems(f"```pycon\n{code}{ARRAY.replace('4', '5')}\n\n>>> 1\n1\n```\n")
    assert line == 4
    assert "5 is really 4" in message
    ((_, message),) = problems("```pycon\n>>> print('a')\na\n\nb\n>>> 1\n1\n```\n")
    assert "- b" in message


def test_an_output_of_a_session_may_begin_with_a_blank_line() -> None:
    assert list(problems("```pycon\n>>> print('\\na')\n\na\n>>> 1\n1\n```\n")) == []
    assert len(list(problems("```pycon\n>>> print('a')\n\na\n```\n"))) == 1


def test_examples_know_their_lines() -> None:
    found = examples(">>> a\n\n>>> for b in c:\n...     b\n\n  1\n\n>>> d\n2\n\n")
    assert [(e.shown, e.line, e.first, e.last) for e in found] == [
        ("", 0, 1, 0),
        ("\n  1", 2, 4, 5),
        ("2", 7, 8, 8),
    ]


def volatile(pattern: str, code: str, shown: str) -> list[str]:
    text = f"```python volatile='{pattern}'\n{code}\n```\n\n```text\n{shown}\n```\n"
    return [message for _, message in problems(text)]


def test_what_changes_from_run_to_run_is_masked() -> None:
    code = "print('took 12.5 ms, loss 0.25')"
    assert volatile(r"[\d.]+ ms", code, "took 8.1 ms, loss 0.25") == []
    assert "+ took" in volatile(r"[\d.]+ ms", code, "took a while, loss 0.25")[0]
    assert "0.26 is really 0.25" in volatile(r"[\d.]+ ms", code, "took 8.1 ms, loss 0.26")[0]
    assert "it matches no part" in volatile("0x[0-9a-f]+", code, "took 12.5 ms, loss 0.25")[0]
    for everything in (".+", r"[\s\S]+", r"\w+", r"(?s).+"):
        assert "it matches the whole" in volatile(everything, code, "took 12.5 ms, loss 0.25")[0]


def test_a_mask_is_counted_as_an_exception() -> None:
    note = parse("```pycon volatile='0x[0-9a-f]+'\n>>> hex(31)\n'0x2f'\n>>> 1\n1\n```\n")
    found = outputs.check(0, note.blocks[0], NoteRun(note).steps(0), 0.0)
    assert [(c.kind, c.outcome, c.what) for c in found] == [
        ("output", EXCEPTED, "0x[0-9a-f]+"),
        ("block", "holds", "note"),
    ]


@pytest.mark.parametrize(
    ("text", "python"),
    [("x = 1", True), ("import a", True), ("f(1)", True), ("for x in y: z", True),
     ("x: int", False), ("x[0] + 1", True), ("x[0]", True), ("1 - f(2)", True), ("a - b", False),
     ("softmax", False), ("a.b", False), ("x @ y", False), ("so it is", False), ("", False)],
)  # fmt: skip
def test_what_looks_like_python(text: str, python: bool) -> None:
    assert looks_like_python(text) == python


@pytest.mark.parametrize(
    ("code", "excused"), [("x += 1", True), ("del x", True), ("width = 1\nwidht", False)]
)
def test_code_that_needs_what_a_missing_package_makes_is_not_judged(
    code: str, excused: bool
) -> None:
    note = parse(f"```python\nimport nosuchmodule\nx = 1\n```\n\n```python\n{code}\n```\n")
    run, incomplete = NoteRun(note), Incomplete(note)
    assert [incomplete.excuses(n, run.steps(n)) for n in range(2)][1] is excused


def test_an_asynchronous_function_is_bound() -> None:
    note = parse("```python\nasync def width(): ...\n```\n\n```python\nwidht\n```\n")
    run, incomplete = NoteRun(note), Incomplete(note)
    assert [incomplete.excuses(n, run.steps(n)) for n in range(2)] == [False, False]


@pytest.mark.parametrize(
    ("code", "excused"),
    [
        ("import random\nrandom.random()", True),
        ("import random\nx = [1, 2]\nrandom.shuffle(x)\nx", True),
        ("from numpy.random import rand as r\ndef f(): return r()\nprint(f())", True),
        ("import numpy as np\nm = np.random.default_rng().normal()\nm", True),
        ("import numpy as np\nnp.random.seed(1)\nnp.random.rand()", False),
        ("import numpy as np\nm = np.random.default_rng(1).normal()\nm", False),
        ("import numpy as np\nm = np.random.rand()\nm = 3\nm", False),
        ("import time\nstart = time.time()\ntime.time() - start", True),
        ("import datetime\ndatetime.date.today()", True),
        ("import time\ndef f(): return g()\ndef g(): return time.time()\nf()", True),
        ("x = 1\nx", False), ("id = 3\nid", False), ("id(3)", True),
        ("while True: pass", False), ("_ + 1", True), ("ls *.txt", True),
        ("type A = str\n1 +", True),
        ("for _ in 'ab': pass\nx + 1\n1 +", False),
    ],
)  # fmt: skip
def test_what_differs_in_each_run_or_needs_another_program_is_not_judged(
    code: str, excused: bool
) -> None:
    note = parse(f"```python\n{code}\n```\n\n```text\n0.5\n```\n")
    run, incomplete = NoteRun(note, timeout=0.3 if "while True" in code else 30), Incomplete(note)
    assert incomplete.excuses(0, run.steps(0)) is excused


def test_an_error_that_a_notebook_shows_is_not_judged(tmp_path: Path) -> None:
    def cell(shown: str) -> str:
        error = {"output_type": "error", "ename": shown, "evalue": "no", "traceback": []}
        return json.dumps(
            {
                "nbformat": 4,
                "cells": [{"cell_type": "code", "source": ["int('a')"], "outputs": [error]}],
            },
            indent=1,
        )

    found = []
    for shown in ("ValueError", "TypeError"):
        note = parse_notebook(cell(shown), tmp_path / "a.ipynb")
        found.append(Incomplete(note).excuses(0, NoteRun(note).steps(0)))
    assert found == [True, False]
