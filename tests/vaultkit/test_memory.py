"""A run that remembers the last one finds what a whole run finds."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaultkit.pipeline.inspect import Task, run_code
from vaultkit.read.markdown import parse
from vaultkit.read.options import OF_CODE
from vaultkit.run.memory import Memory
from vaultkit.run.reads import names_of

EVERY = frozenset({*OF_CODE, "code"})
BESIDE = """import numpy as np
X = np.array([1.0, 2.0])
count = 0
def add(x):
    return x + X
def tick():
    global count
    count += 1
    return count
"""


class Runs:
    """Runs versions of a note, each with the memory of the last one and without."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "docs"
        self.root.mkdir()
        (folder / "beside.py").write_text(BESIDE)
        self.memory = Memory()

    def run(
        self, blocks: list[str], memory: Memory | None
    ) -> tuple[list[dict[str, Any]], list[int]]:
        """Return the checks of a note, and the blocks that were run."""
        text = "# A\n\n" + "\n\n".join(f"```python\n{code}\n```" for code in blocks)
        text += "\n\nIt is one<!-- = n -->, $n = 1$, not two<!-- = float(y.sum()) -->.\n"
        note = parse(text, self.root / "A.md")
        ran: list[int] = []
        task = Task(note, self.root, EVERY)
        with pytest.MonkeyPatch.context() as patch:
            run_block = "vaultkit.run.session.NoteRun._run_block"
            original = __import__("vaultkit.run.session").run.session.NoteRun._run_block

            def counted(session: Any, block: Any) -> Any:
                ran.append(note.blocks.index(block))
                return original(session, block)

            patch.setattr(run_block, counted)
            found = [check.plain() for check in run_code(task, memory=memory)]
        for check in found:
            check.pop("seconds", None)
        return found, ran

    def __call__(self, *blocks: str) -> list[int]:
        """Run a note both ways; return the blocks that were run with memory."""
        found, ran = self.run(list(blocks), self.memory)
        assert found == self.run(list(blocks), None)[0]
        return ran


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runs:
    monkeypatch.syspath_prepend(str(tmp_path))
    return Runs(tmp_path)


#: Three blocks, and which of them run again when the first, second or third is edited.
CASES = {
    "values": (("a = 1", "b = 2", "a"), [[0, 2], [1], [2]]),
    "equal arrays": (
        ("import numpy as np\na = 1; x = np.ones(2)", "y = x + 1", "y.sum()"),
        [[0], [1, 2], [2]],
    ),
    "training": (
        ("import numpy as np\na = 1; w = np.ones(2)", "for _ in range(3):\n    w -= 0.1", "w"),
        [[0], [1, 2], [2]],
    ),
    "generator": (
        ("import numpy as np\nr = np.random.default_rng(0)", "r.normal(size=2)", "r.normal()"),
        [[0, 1, 2], [1, 2], [2]],
    ),
    "seed": (
        ("import numpy as np\nnp.random.seed(0)", "a = 1", "np.random.normal()"),
        [[0, 1, 2], [1], [2]],
    ),
    "print options": (
        ("import numpy as np\nnp.set_printoptions(precision=1)", "a = 1", "np.ones(1) / 3"),
        [[0, 1, 2], [1], [2]],
    ),
    "function": (("k = 1\ndef f(x):\n    return x + k", "a = 1", "f(2)"), [[0, 2], [1], [2]]),
    "equal function": (("a = 1\ndef f(x):\n    return x", "b = 1", "f(2)"), [[0], [1], [2]]),
    "view": (
        ("import numpy as np\nx = np.ones(2)", "y = x[:1]", "x[0] = 5; y"),
        [[0, 1, 2], [1, 2], [2]],
    ),
    "global name": (
        ("n = 1\ndef f():\n    global n\n    n += 1", "f(); a = 1", "n"),
        [[0, 1, 2], [1], [2]],
    ),
    "closure": (
        (
            "def f():\n    n = 0\n    def g():\n        nonlocal n\n        n += 1\n"
            "        return n\n    return g\ng = f()",
            "g()",
            "a = g()\na",
        ),
        [[0, 1, 2], [0, 1, 2], [0, 1, 2]],
    ),
    "empty loop": (("i = 7", "for i in range(0):\n    pass", "i"), [[0, 1, 2], [1, 2], [2]]),
    "state of a module": (
        ("import beside\nbeside.tick()", "a = 1", "beside.tick()"),
        [[0, 2], [0, 1, 2], [0, 2]],
    ),
    "array of a module": (
        ("from beside import X, add\na = 1", "add(X)", "X[0] = 3; X"),
        [[0, 1, 2], [1], [2]],
    ),
    "iterator": (
        ("it = iter([1, 2])", "a = next(it)", "next(it)"),
        [[0, 1, 2], [0, 1, 2], [0, 1, 2]],
    ),
    "object": (("class A:\n    n = 1\na = A()", "a.n += 1", "a.n"), [[0, 1, 2], [1, 2], [2]]),
}


@pytest.mark.parametrize("name", CASES)
def test_only_what_an_edit_can_change_runs_again(name: str, runs: Runs) -> None:
    blocks, expected = CASES[name]
    runs(*blocks)
    again = []
    for index, code in enumerate(blocks):
        changed = re.sub(r"\d", lambda m: str((int(m[0]) + 1) % 10), code, count=1)
        edited = changed if changed != code else f"{code}  # edited"
        again.append(runs(*blocks[:index], edited, *blocks[index + 1 :]))
        runs(*blocks)
    assert again == expected


#: Blocks, and which of them run again when a line is added to the first.
MOVED = {
    "values": (["a = 1", "b = 2", "a + b"], [0]),
    "generator": (
        ["import numpy as np\nr = np.random.default_rng(0)", "r.normal(size=2)", "r.normal()"],
        [0],
    ),
    "generator made by another": (
        ["import numpy as np\nr = np.random.default_rng(0)", "s = r.spawn(1)[0]", "s.normal()"],
        [0, 1, 2],
    ),
    "function of the edited block": (
        ["def f(x):\n    return [y / x for y in (x, 1)]", "f(2)", "f(0)"],
        [0, 2],
    ),
    "function that has moved": (
        ["a = 1", "class A:\n    def f(self, x):\n        return 1 / x", "A().f(0)"],
        [0, 2],
    ),
    "function made by another": (
        ["a = 1", "def f():\n    return lambda x: 1 / x", "g = f()", "b = 1", "g(0)"],
        [0, 2, 4],
    ),
    "class derived below": (
        ["a = 1", "class A:\n    pass", "A.__subclasses__()", "class B(A):\n    pass"],
        [0, 1, 2, 3],
    ),
    "line of a function": (
        ["a = 1", "def f():\n    pass", "n = f.__code__.co_firstlineno\nn", "b = 1"],
        [0, 2],
    ),
}


@pytest.mark.parametrize("name", MOVED)
def test_a_block_that_moves_does_not_run_again(name: str, runs: Runs) -> None:
    (first, *others), expected = MOVED[name]
    runs(first, *others)
    assert runs(f"# more\n{first}", *others) == expected
    runs(first, *others)
    # A line is removed from one block, and added to the next.
    runs(f"# more\n{first}", *others)
    runs(first, f"# more\n{others[0]}", *others[1:])


def test_an_error_is_not_remembered(runs: Runs) -> None:
    assert runs("a = 1", "b = a +", "a") == [0, 1, 2]
    assert runs("a = 1", "b = a +", "a") == [1]
    assert runs("a = 1", "b = a + 1", "a") == [1]
    assert runs("del a", "b = 1", "a") == [0, 1, 2]


#: Pieces of code that depend on each other in many ways.
PIECES = [
    "import numpy as np", "from beside import add, tick, X", "np.set_printoptions(precision=2)",
    "x = np.array([{}.0, 2])", "y = x", "y = x[:1]", "x[0] += {}", "x = x + {}", "x, y", "y *= 2",
    "l = [x, {}]", "l.append({})", "l = l[:{}]", "d = dict(a=l)", "d",
    "for i in range({}): x = x + i", "i", "def f(z): return z + i + {}", "f(x)", "n = f({})",
    "n = tick()", "add(x)", "X[0] = {}",
    "rng = np.random.default_rng({})", "n = rng.normal()", "np.random.seed({})",
    "n = np.random.normal()", "g = lambda: x.sum()", "n = g()", "del n", "n",
]  # fmt: skip
BLOCK = st.lists(
    st.builds(str.format, st.sampled_from(PIECES), st.integers(0, 3)), min_size=1, max_size=4
).map("\n".join)


@given(st.data())
@settings(deadline=None, max_examples=settings().max_examples // 4)
def test_any_edits_are_judged_as_in_a_whole_run(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("notes")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        runs = Runs(folder)
        blocks = data.draw(st.lists(BLOCK, min_size=2, max_size=6))
        blocks[0] = f"import numpy as np\nfrom beside import add, tick, X\n{blocks[0]}"
        runs(*blocks)
        for _ in range(4):
            index = data.draw(st.integers(0, len(blocks) - 1))
            blocks[index] = data.draw(BLOCK)
            runs(*blocks)


def test_names_are_read_before_they_are_bound() -> None:
    code = "def f(a, b=c):\n    return a + d\nwith e as g:\n    h = g\nj[0] = 1\nd = [k for k in l]"
    names = names_of(code)
    assert names
    assert names.read == set("cdejlh") - {"h"}
    assert names.bound == {"f", "d"}
    assert names_of("exec('x = 1')") is None
    assert names_of("from math import *") is None
