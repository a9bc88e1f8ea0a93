"""A run that goes on from a checkpoint finds what a run from the beginning finds."""

import os
import queue
import re
import signal
import socket
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from vaultkit.doors.background import Background, Verdict
from vaultkit.pipeline.inspect import Settings, Task, count_equal_blocks
from vaultkit.read.markdown import parse
from vaultkit.read.options import OF_CODE
from vaultkit.run.processes import children, is_alive
from vaultkit.workers.checkpoints import Chain
from vaultkit.workers.ending import Limits

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there are none elsewhere")
EVERY = frozenset({*OF_CODE, "code"})
PATIENCE = 60.0


class Runs:
    """Runs drafts of one note, one after the other."""

    def __init__(self, folder: Path, **limits: Any) -> None:
        self.path = folder / "Note.md"
        self._told: queue.Queue[Verdict] = queue.Queue()
        self.background = Background(folder, self._told.put, Limits(spacing=0, **limits))

    def __call__(self, text: str, until: int | None = None) -> Verdict:
        self.background.request(self.task(text, until))
        return self.wait()

    def task(self, text: str, until: int | None = None) -> Task:
        folder = self.path.parent
        return Task(parse(text, self.path), folder, EVERY, Settings(timeout=10.0), until)

    def wait(self) -> Verdict:
        return self._told.get(timeout=PATIENCE)

    @property
    def keeper(self) -> int:
        (keeper,) = self.background._workers._keepers
        return int(keeper.process.pid)

    @property
    def checkpoints(self) -> list[int]:
        return [pid for pid in children(self.keeper) if is_alive(pid)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "beside" / "vault"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder.parent)
    monkeypatch.syspath_prepend(folder.parent)
    # As if nobody had touched them for a while: what has just changed is not trusted.
    for path in (folder, folder.parent, tmp_path):
        os.utime(path, (1, 1))
    return folder


@pytest.fixture
def runs(folder: Path) -> Iterator[Runs]:
    runs = Runs(folder)
    yield runs
    runs.background.close()


def block(code: str, words: str = "") -> str:
    return f"```python{words}\n{code}\n```\n"


def test_a_checkpoint_whose_descriptor_got_lost_resumes_nothing() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        ours.setblocking(False)
        chain = Chain(b"T", [], ours)
        theirs.send(b'T{"index": 1, "pid": 99}')
        theirs.send(b'T{"pid": 98}')
        theirs.send(b'{"pid": 97}')
        assert chain.read_announcements() == [98]
        assert not chain.checkpoints


BEGAN = block("import time\nbegan = time.time_ns()")


def began(verdict: Verdict) -> str:
    """Return the time at which the first block ran, which differs between runs."""
    assert not [check.why for check in verdict.inspection.checks if check.outcome == "fails"]
    return verdict.inspection.values["began"][0].print


def test_a_run_goes_on_where_the_text_differs(runs: Runs) -> None:
    first = runs(BEGAN + block("x = 1") + "$x = 1$\n" + block("y = x + 1"))
    again = runs(BEGAN + block("x = 1") + "$x = 1$\n" + block("y = x + 2") + "$y = 3$\n")
    assert began(again) == began(first)
    assert again.inspection.values["y"][0].print == "3"
    assert [c.what for c in again.inspection.checks if c.kind == "equation"] == ["x = 1", "y = 3"]
    # What is said below the last block runs nothing; what is in other lines runs again.
    assert began(runs(BEGAN + block("x = 1"))) == began(first)
    other = runs("\n" + BEGAN + block("x = 1"))
    assert began(other) != began(first)
    assert began(runs("\n" + BEGAN + block("x = 1"), until=1)) == began(other)


CODE = [
    "import numpy as np\nrng = np.random.default_rng(0)\nx = 1.5",
    "rng.normal(size=2)",
    "np.random.seed(3); import random; random.seed(3)",
    "print(np.random.rand(), random.random())",
    "x = x + 1\nx",
    "seen = []",
    "seen.append(x); print(seen)",
    "def f(a, b=7.25): return a * b",
    "f(x)",
    "A = np.arange(6.).reshape(2, 3)\nA",
    "A *= 2\nA @ A.T",
    "1 / 0",
    "raise SystemExit",
    "np.set_printoptions(precision=2)",
    "import helper\nhelper.value + x",
    "open('../made', 'a').write('a'); print(len(open('../made').read()) > 0)",
    "held = open('data')",
    "print(held.read(2))",
    "import threading; threading.Thread(target=print, args=('thread',)).start()",
    "import os; os.environ['A'] = os.environ.get('A', '') + 'a'; os.environ['A']",
    "try: os.wait()\nexcept ChildProcessError: print('no children')",
    "import warnings; warnings.warn('look')",
    "import sys; sys.modules.pop('helper', None); x",
    "import inspect; print(inspect.currentframe().f_lineno)",
    "np.exp = None",
    "while True: pass",
]
PROSE = [
    "The sum is $x = 2.5$ or $x \\ge 1.5$, and 2.5 of it.",
    "$$\nA = A\n$$",
    "$x = y$ <!-- not run: it is so -->",
    "A row is [0.0, 1.0, 2.0], (2, 3) its shape, `A` is 2 by 3, and 7.25 a default.",
    "$f(x) = 7.25 x$",
    "# More",
    "> [!question] Predict the number\n> What?\n>\n> - `x + 1`: too much",
    "```text\n2.5\n```",
    "",
    "$$\nx = 1.5",
]
PARTS = st.one_of(
    st.sampled_from(CODE[:-1]).map(block),
    st.sampled_from(PROSE).map(lambda words: f"{words}\n\n"),
    st.just(block(CODE[-1], " timeout=0.1")),
)


@st.composite
def drafts(draw: st.DrawFn) -> list[str]:
    """A note, and its successive drafts."""
    parts = [block(CODE[0]), *draw(st.lists(PARTS, min_size=2, max_size=8))]
    texts = ["".join(parts)]
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, len(parts) - 1))
        new = draw(st.lists(PARTS, max_size=2))
        parts[at : at + draw(st.integers(0, 1))] = new
        texts.append("".join(parts))
        if draw(st.booleans()):
            texts.append(texts[-2])  # it is undone
            parts = parts.copy()
    return texts


def found(verdict: Verdict) -> Any:
    checks = [replace(check, seconds=0.0) for check in verdict.inspection.checks]
    # Where something is in memory is sent with it, too.
    values = re.sub(r"0x[0-9A-Fa-f]+", "", repr(verdict.inspection.values))
    return *checks, values, verdict.inspection.ended, verdict.inspection.is_whole


@pytest.mark.long
@settings(
    max_examples=settings().max_examples // 10,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_what_is_found_is_the_same_as_from_the_beginning(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("beside") / "vault"
    folder.mkdir()
    (folder.parent / "helper.py").write_text("value = 3\n")
    (folder.parent / "data").write_text("abcdef")
    before = Path.cwd()
    os.chdir(folder.parent)
    sys.path.insert(0, str(folder.parent))
    for path in (folder, folder.parent, folder.parent / "helper.py", folder.parent / "data"):
        os.utime(path, (1, 1))
    going_on, whole = Runs(folder), Runs(folder, checkpoints=0)
    try:
        for text in data.draw(drafts()):
            until = data.draw(st.sampled_from([None, None, None, 2]))
            assert found(going_on(text, until)) == found(whole(text, until)), text
            assert whole.checkpoints == []
    finally:
        going_on.background.close()
        whole.background.close()
        os.chdir(before)
        sys.path.remove(str(folder.parent))


@pytest.mark.usually("held = open('/proc/self/status')")
@pytest.mark.parametrize(
    "code",
    [
        "held = open('/proc/self/status')",
        "import mmap; held = mmap.mmap(-1, 4096)",
        "import threading; threading.Thread(target=time.sleep, args=(0.5,)).start()",
        "import os; os.rmdir(os.mkdir('x') or 'x')",
        "import signal; signal.setitimer(signal.ITIMER_VIRTUAL, 1000);",
        "import subprocess; subprocess.run('true');",
    ],
)
def test_what_cannot_be_copied_runs_again(runs: Runs, code: str) -> None:
    text = block(f"import time\nbegan = time.time_ns()\n{code}")
    first = runs(text + block("x = 1"))
    assert runs.checkpoints == []
    assert began(runs(text + block("x = 2"))) != began(first)


@pytest.mark.long
def test_what_has_been_read_and_has_changed_is_read_again(runs: Runs, folder: Path) -> None:
    module = folder.parent / "helper.py"
    text = block("import time\nfrom helper import value\nbegan = time.time_ns()") + block(
        "x = value"
    )

    def write(value: int, moment: int) -> None:
        module.write_text(f"value = {value}\n")
        for path in (module, folder.parent):
            os.utime(path, (moment, moment))

    write(1, 1000)
    first = runs(text)
    assert began(runs(text)) == began(first)
    write(2, 2000)
    again = runs(text)
    assert began(again) != began(first)
    assert again.inspection.values["x"][0].print == "2"
    # It has changed while the note ran, or right before: nobody knows which of both was read.
    write(3, int(time.time()) + 1000)
    assert began(runs(text)) != began(runs(text))


@pytest.mark.sample("19")
@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_note_that_ends_or_stops_checkpoints_runs_whole(
    runs: Runs, number: signal.Signals
) -> None:
    harm = (
        "import os\nfrom pathlib import Path\nkeeper = os.getppid()\n"
        "found = Path(f'/proc/{keeper}/task/{keeper}/children').read_text().split()\n"
        f"for pid in set(map(int, found)) - {{os.getpid()}}: os.kill(pid, {int(number)})\n"
    )
    first = runs(BEGAN + block("x = 1") + block(harm))
    assert began(runs(BEGAN + block("x = 1") + block("y = 2"))) != began(first)


@pytest.mark.long
def test_there_are_few_and_none_is_left(folder: Path) -> None:
    runs = Runs(folder, checkpoints=3)
    text = BEGAN + block("x = 1") * 9
    first = runs(text)
    assert len(runs.checkpoints) == 3
    # Those that save most are kept.
    assert began(runs(text + "$x = 1$\n")) == began(first)
    keeper = runs.keeper
    runs.background.close_note(runs.path)
    end = time.monotonic() + PATIENCE
    while runs.checkpoints:
        assert time.monotonic() < end
        time.sleep(0.01)
    runs(text)
    left = runs.checkpoints
    assert len(left) == 3
    runs.background.close()
    assert not [pid for pid in (keeper, *left) if is_alive(pid)]


@pytest.mark.long
def test_what_runs_goes_on_when_all_is_forgotten(runs: Runs) -> None:
    text = block("import time\nbegan = time.time_ns()\ntime.sleep(0.5)")
    runs.background.request(runs.task(text))
    end = time.monotonic() + PATIENCE
    while runs.background._running is None:
        assert time.monotonic() < end
        time.sleep(0.001)
    runs.background.drop_all_checkpoints()
    first = runs.wait()
    assert began(runs(text)) != began(first)


@pytest.mark.long
def test_none_is_left_of_a_keeper_that_is_killed(folder: Path) -> None:
    runs = Runs(folder)
    text = BEGAN + block("x = 1") * 3
    runs(text)
    left = runs.checkpoints
    assert left
    os.kill(runs.keeper, signal.SIGKILL)
    end = time.monotonic() + PATIENCE
    while any(map(is_alive, left)):
        assert time.monotonic() < end
        time.sleep(0.01)
    while runs(text).inspection.ended:  # the loss is reported once
        assert time.monotonic() < end
    assert runs.checkpoints
    runs.background.close()


def test_notes_agree_up_to_the_first_block_that_differs() -> None:
    def agree(one: str, other: str) -> int:
        return count_equal_blocks(parse(one, Path("Note.md")), parse(other, Path("Note.md")))

    text = block("1") + "\n$x = 1$\n\n" + block("2") + "\n```text\n2\n```\n\n" + block("3")
    assert agree(text, text) == 3
    assert agree(text, text + "\n$x = 2$\n") == 3
    assert agree(text, text.replace("\n3\n", "\n4\n")) == 2
    assert agree(text, text.replace("```text\n2", "```text\n3")) == 1
    assert agree(text, text.replace("x = 1", "x = 2")) == 1
    assert agree(text, "\n" + text) == 0
    assert agree(text, "") == 0
