"""The blocks of a note run in order, with their outputs, errors and limits."""

import contextlib
import os
import random
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

from vaultkit.read.markdown import parse
from vaultkit.run import capture
from vaultkit.run.capture import BlockTimeoutError, limit, slowness
from vaultkit.run.session import NoteRun
from vaultkit.run.steps import Step


def run(*blocks: str, info: str = "python", timeout: float = 5.0) -> list[Step]:
    text = "# Note\n\n" + "".join(f"```{info}\n{block}\n```\n\n" for block in blocks)
    note = parse(text, Path("Note.md"))
    running = NoteRun(note, timeout)
    return [step for index in range(len(blocks)) for step in running.steps(index)]


def outputs(*blocks: str, **options: str) -> list[str]:
    return [step.got for step in run(*blocks, **options)]


def test_prints_come_first_then_the_value_of_the_last_expression() -> None:
    assert outputs("x = 2\nprint('a')\nx + 1", "x", "x;", "None", "for i in []: pass") == [
        "a\n3",
        "2",
        "",
        "",
        "",
    ]


def test_warnings_are_part_of_the_output() -> None:
    blocks = ["import numpy as np\nnp.log(np.zeros(1))"] * 2
    shown = "RuntimeWarning: divide by zero encountered in log\narray([-inf])"
    assert outputs(*blocks) == [shown, shown]


def test_an_error_is_reported_with_the_lines_of_the_note(tmp_path: Path) -> None:
    path = tmp_path / "Note.md"
    text = "> [!tip] Box\n>\n> ```python\n> def f(x):\n>     return 1 / (x - 1)\n>\n> f(1)\n> ```\n"
    path.write_text(text)
    (step,) = NoteRun(parse(text, path)).steps(0)
    shown = os.path.relpath(path)
    assert step.line == 7
    lines = step.error.splitlines()
    # Pythons differ in how they underline a call.
    assert lines[:3] + lines[-4:] == [
        "Traceback (most recent call last):",
        f'  File "{shown}", line 7, in <module>',
        "    > f(1)",
        f'  File "{shown}", line 5, in f',
        "    >     return 1 / (x - 1)",
        "                 ~~^~~~~~~~~",
        "ZeroDivisionError: division by zero",
    ]


def test_a_syntax_error_is_reported_at_its_place(tmp_path: Path) -> None:
    path = tmp_path / "Note.md"
    text = "- item\n\n    ```python\n    a = 1\n    b = = 2\n    ```\n"
    path.write_text(text)
    (step,) = NoteRun(parse(text, path)).steps(0)
    assert step.line == 5
    assert f'File "{os.path.relpath(path)}", line 5\n' in step.error
    assert "b = = 2\n        ^" in step.error


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("> ```python\n>1 / x\n> ```\n", "    >1 / x\n     ~~^~~\n"),
        ("> ```python\n>b = = 2\n> ```\n", "    >b = = 2\n         ^\n"),
        ("  ```pycon\n>>> (\n...   1 / x)\n  ```\n", "    ...   1 / x)\n          ~~^~~\n"),
    ],
)
def test_a_place_is_marked_in_a_line_that_is_indented_less_than_its_fence(
    tmp_path: Path, text: str, shown: str
) -> None:
    path = tmp_path / "Note.md"
    text = f"```python\nx = 0\n```\n\n{text}"
    path.write_text(text)
    session = NoteRun(parse(text, path))
    next(iter(session.steps(0)), None)
    (step,) = session.steps(1)
    assert shown in step.error


def test_the_rest_of_a_note_runs_on_after_a_failure() -> None:
    first, second = run("x = 1\n1 / 0", "x")
    assert "ZeroDivisionError" in first.error
    assert (second.got, second.error) == ("1", "")


@pytest.mark.long
@pytest.mark.parametrize(
    ("endless", "line"),
    [
        ("while True: pass", 4),
        ("import time\ntime.sleep(60)", 5),
        ("import numpy as np\nwhile True: np.ones((50, 50)) @ np.ones((50, 50))", 5),
        # Stopped but once, this would come to its end.
        (
            "import time\nfor _ in range(2):\n  try: time.sleep(1)\n  except: 0\nx = time.sleep(1)",
            8,
        ),
        # This does so, later than it may: the block as a whole is at fault.
        ("import time\ntry: time.sleep(60)\nexcept BaseException: pass", 3),
    ],
)
@pytest.mark.usefixtures("usual_machine")
def test_a_block_that_never_ends_is_stopped(endless: str, line: int) -> None:
    first, second = run(endless, "'went on'", timeout=0.2)
    # What waits may do so ten times as long as what computes.
    after = "2 s by the clock" if "sleep" in endless else "0.2 s"
    assert first.error == f"stopped after {after}, at line {line}"
    assert second.got == "'went on'"


def test_a_note_that_exits_ends_itself_alone() -> None:
    first, second = run("import sys\nsys.exit(3)", "1")
    assert "SystemExit: 3" in first.error
    assert second.got == "1"


def test_blocks_run_once_and_what_is_above_runs_first() -> None:
    note = parse("```python\nx = []\n```\n\n```python\nx.append(1)\n```\n\n```python\nx\n```\n")
    running = NoteRun(note)
    assert running.steps(2)[0].got == "[1]"
    running.steps(1)
    assert running.namespace["x"] == [1]


def test_nothing_leaks_out_of_a_note_nor_into_another(tmp_path: Path) -> None:
    leave = f"""
import os, random, sys, warnings
import numpy as np
np.set_printoptions(precision=1)
np.seterr(all="raise")
np.random.seed(0)
random.seed(0)
warnings.simplefilter("error")
os.environ["LEAK"] = "1"
os.chdir({str(tmp_path)!r})
sys.path.append("leak")
x = 1
"""
    show = """
import os, sys, warnings
import numpy as np
(np.get_printoptions()["precision"], np.geterr()["over"], "LEAK" in os.environ,
 "leak" in sys.path, "x" in globals(), any(f[0] == "error" for f in warnings.filters))
"""
    seeds = (random.getstate(), np.random.get_state()[1].tolist())  # noqa: NPY002
    outside = (Path.cwd(), list(warnings.filters), dict(os.environ))
    untouched = outputs(show)
    changed = outputs(leave, show)
    assert untouched == ["(8, 'warn', False, False, False, False)"]
    assert changed[1] == "(1, 'raise', True, True, True, True)"
    assert outputs(show) == untouched
    assert (random.getstate(), np.random.get_state()[1].tolist()) == seeds  # noqa: NPY002
    assert (Path.cwd(), list(warnings.filters), dict(os.environ)) == outside


def test_settings_of_a_note_survive_while_others_run_between_its_blocks() -> None:
    text = "```python\nimport numpy as np\nnp.set_printoptions(precision=2)\n```\n\n"
    text += "```python\nnp.array([1 / 3])\n```\n"
    first = NoteRun(parse(text))
    first.steps(0)
    assert outputs("import numpy as np\nnp.array([1 / 3])") == ["array([0.33333333])"]
    assert first.steps(1)[0].got == "array([0.33])"


def test_an_announced_error_is_output() -> None:
    (step,) = run("print('before')\nraise KeyError('k')", info="python raises=LookupError")
    assert (step.line, step.got, step.error) == (3, "before\nKeyError: 'k'", "")


@pytest.mark.parametrize("code", ["1", "1 / 0"])
def test_an_announced_error_must_come(code: str) -> None:
    (step,) = run(code, info="python raises=ValueError")
    assert "should raise ValueError" in step.error or "ZeroDivisionError" in step.error


def test_no_run_does_not_run() -> None:
    assert run("1 / 0", info="python no-run") == []


def test_sessions() -> None:
    steps = run(
        ">>> x = 2\n>>> x\n3\n>>> print('a\\n\\nb')\na\n<BLANKLINE>\nb\n"
        ">>> 1 / 0\nTraceback (most recent call last):\n  ...\nZeroDivisionError: no\n>>> y",
        info="pycon",
    )
    assert [(step.line, step.shown, step.got) for step in steps[:3]] == [
        (4, "", ""),
        (5, "3", "2"),
        (7, "a\n\nb", "a\n\nb"),
    ]
    assert steps[3].got.endswith("ZeroDivisionError: division by zero")
    assert "NameError" in steps[4].error


def test_what_looks_itself_up_in_main_finds_itself() -> None:
    assert outputs(
        "import pickle\nclass A: pass", "type(pickle.loads(pickle.dumps(A()))) is A"
    ) == ["", "True"]


def test_what_no_file_can_hold_is_escaped() -> None:
    assert outputs("print('ü 𝟙 \\ud800')") == ["ü 𝟙 \\ud800"]
    (step,) = run("raise ValueError('é \\udc80')")
    assert step.error.endswith("ValueError: é \\udc80")


def test_a_slow_machine_gets_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vaultkit.run.session.slowness", lambda: 3)
    text = "```python\n1\n```\n\n```python timeout=2\n1\n```\n"
    beats: list[tuple[int, float]] = []
    NoteRun(parse(text), 0.5, beat=lambda *beat: beats.append(beat)).finish()
    assert beats == [(0, 1.5), (1, 6.0)]


def test_how_slow_a_machine_is_goes_by_what_computing_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = []
    for usual in (1e9, 1e-6):
        slowness.cache_clear()
        monkeypatch.setattr(capture, "_USUAL", usual)
        found.append(slowness())
    slowness.cache_clear()
    assert found[0] == 1
    assert found[1] > 100


def test_a_limit_holds_inside_and_not_after() -> None:
    with pytest.raises(BlockTimeoutError), limit(0.05):
        time.sleep(5)
    time.sleep(0.1)
    with pytest.raises(BlockTimeoutError), limit(0.05), contextlib.suppress(BlockTimeoutError):
        time.sleep(5)
    with limit(5):
        time.sleep(0.01)
