"""However the process of a note ends, the run goes on, knows how, and nothing is left of it."""

import atexit
import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vaultkit.run.processes import descendants
from vaultkit.workers.ending import Limits
from vaultkit.workers.pool import Workers
from vaultkit.workers.work import Send

LIMITS = Limits(seconds=20, grace=0.3, memory=200 << 20, processes=40, output=4 << 20)
ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="how Linux ends processes")


def work(key: str, send: Send) -> None:
    """Run the code of a key as a block of a note."""
    send({"block": 3, "limit": 0.3})
    exec(compile(key, "Note.md", "exec"), {"send": send})
    send({"ran": True})


def family() -> set[int]:
    return set(descendants(os.getpid()))


def alive(mark: str) -> list[str]:
    """Return the processes whose environment or command contains a mark."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                text = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if mark.encode() in text and state != "Z":
                found.append(entry.name)
    return found


def test_notes_that_run_beside_each_other_share_the_cores_between_their_threads() -> None:
    code = (
        "from threadpoolctl import threadpool_info\n"
        "send({'threads': [pool['num_threads'] for pool in threadpool_info()]})"
    )
    cores = len(os.sched_getaffinity(0))
    for count, threads in ((cores, 1), (1, cores)):
        with Workers(work, count, LIMITS) as workers:
            ending = workers.result(code)
        counted = next(m["threads"] for m in ending.messages if "threads" in m)
        assert counted
        assert all(number <= threads for number in counted), counted


class Unpreparable:
    """Work whose preparation in the keeper raises an error."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __call__(self, key: str, send: Send) -> None:
        """Do nothing."""

    def prepare(self) -> None:
        raise self.error


@pytest.mark.parametrize("error", [ValueError("no plan"), OSError("no plan")])
def test_an_error_that_ends_a_keeper_is_reported(error: Exception) -> None:
    with Workers(Unpreparable(error), 1, LIMITS) as workers:
        for key in ("one", "two"):
            workers.submit(key)
        endings = [workers.result(key) for key in ("one", "two")]
    for ending in endings:
        assert ending.kind == "raised"
        assert f"{type(error).__name__}: no plan" in str(ending)
        assert "in prepare" in ending.details


def test_work_goes_on_while_whoever_asked_for_it_is_busy(tmp_path: Path) -> None:
    done = [tmp_path / str(number) for number in range(6)]  # more than are handed out at once
    with Workers(work, 1, LIMITS) as workers:
        for path in done:
            workers.submit(f"import pathlib\npathlib.Path({str(path)!r}).touch()")
        until = time.monotonic() + 30
        while not all(path.exists() for path in done) and time.monotonic() < until:
            workers.attend()
            time.sleep(0.01)
    assert all(path.exists() for path in done)


ENDLESS_CHILD = "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', {!r}])"

# Python counts calls that go through C, too, from 3.12 on. To write down so many takes a while.
DEEP = "import sys\nsys.setrecursionlimit(10**9)\nf = lambda: max(map(lambda _: f(), [0]))\nf()"
NATIVE = (
    (DEEP, "signal", "SIGSEGV", 3)
    if sys.version_info < (3, 12)
    else (f"send({{'block': 3, 'limit': 9}}); {DEEP}", "raised", "RecursionError", None)
)

#: Code; how its process ends; the words for it; the line that is known.
ENDINGS = [
    ("pass", "done", "came to its end", None),
    ("import itertools\nsum(itertools.count())", "timed out", "outside after 0.3 s", 2),
    ("import os\nos._exit(0)", "stopped early", "exit status 0 before all was checked", None),
    ("import os\nos._exit(1)", "exit", "ended its process with exit status 1", None),
    ("import os\nos._exit(70)", "garbled", "closed the channel of its results", None),
    ("import os\n\nos.abort()", "signal", "SIGABRT", 3),
    ("import ctypes\nctypes.string_at(0)", "signal", "SIGSEGV", 2),
    ("import os\nos.kill(os.getpid(), 9)", "signal", "SIGKILL", None),
    NATIVE,
    ("import os, time\ntime.sleep(.1)\nos.kill(os.getppid(), 9)", "lost", "watches it", None),
    ("raise KeyboardInterrupt", "raised", "KeyboardInterrupt", None),
    ("raise SystemExit(0)", "raised", "SystemExit", None),
    ("1 / 0", "raised", "ZeroDivisionError", None),
    ("import os\nos.fork()", "processes", "left processes running (2)", None),
    (
        "import os; send({'block': 3, 'limit': 9})\nwhile True:\n    os.fork()",
        "processes",
        "left processes running",
        None,
    ),
    ("import os, time\nif not os.fork(): time.sleep(60)", "processes", "(1)", None),
    (ENDLESS_CHILD.format("while True: pass"), "processes", "(1)", None),
    (
        "import os, time\nif not os.fork():\n    os.setsid()\n"
        "    if not os.fork(): time.sleep(60)\n    os._exit(0)\nos.wait()",
        "processes",
        "(1)",
        None,
    ),
    (
        "import threading\nthreading.Thread(target=lambda: [0 for _ in iter(int, 1)]).start()",
        "timed out",
        "has threads or exit handlers that never end",
        2,
    ),
    (
        "import atexit, time\natexit.register(lambda: time.sleep(60))",
        "timed out",
        "has threads or exit handlers that never end",
        2,
    ),
    ("x = []\nwhile True: x.append(bytes(10**6))", "memory", "used more memory", None),
    (
        "send({'block': 3, 'limit': 9})\n\nimport resource as r\n"
        "r.setrlimit(r.RLIMIT_AS, (r.RLIM_INFINITY,) * 2)\nx = []\n"
        "while True: x.append(bytes(10**6))",
        "memory",
        "used more memory",
        6,
    ),
    (
        "import threading, time\n"
        "while True: threading.Thread(target=time.sleep, args=(9,)).start()",
        "raised",
        "can't start new thread",
        None,
    ),
    ("import os\nwhile True: os.write(1, bytes(65536))", "flood", "wrote without end", 2),
    ("while True: send({'x': 'x' * 65536})", "flood", "wrote without end", 1),
    ("import os\nos.closerange(3, 1000)", "garbled", "channel of its results", None),
    (
        "import os, time\ndef w(n):\n    try: os.write(n, b'{}\\n')\n"
        "    except OSError: pass\n[w(n) for n in range(3, 300)], time.sleep(9)",
        "garbled",
        "channel of its results",
        5,
    ),
    (
        "import signal\nsignal.pthread_sigmask(0, range(1, 32))\nwhile True: 0",
        "timed out",
        "",
        None,
    ),
]


def each(rows: list[tuple[Any, ...]]) -> list[Any]:
    """Mark all endings of a kind but the first one as long."""
    kinds: set[str] = set()
    found = []
    for code, kind, *_ in ENDINGS:
        own = next(row for row in rows if row[0] == code)
        found.append(pytest.param(*own, marks=pytest.mark.long if kind in kinds else ()))
        kinds.add(kind)
    return found


@pytest.fixture(scope="module")
def endings(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Run all that is asked for at once, with a harmless note after each."""
    asked = {
        item.callspec.params.get("code")
        for item in request.session.items
        if item.path == request.path and hasattr(item, "callspec")
    }
    codes = [code for code, *_ in ENDINGS if code in asked] or [ENDINGS[0][0]]
    np.ones((300, 300)) @ np.ones((300, 300))  # starts the threads of the BLAS
    before = family()
    found: dict[str, Any] = {}
    with Workers(work, count=2, limits=LIMITS) as workers:
        for code in codes:
            workers.submit(code)
            workers.submit(f"{code}; pass" if code == "pass" else f"# after {code!r}")
        for code in codes:
            found[code] = workers.result(code)
            good = f"{code}; pass" if code == "pass" else f"# after {code!r}"
            found["after " + code] = workers.result(good)
    found["left"] = family() - before
    return found


@pytest.mark.parametrize(("code", "kind", "words", "line"), each(ENDINGS))
def test_each_ending_is_reported(
    endings: dict[str, Any], code: str, kind: str, words: str, line: int | None
) -> None:
    ending = endings[code]
    assert ending.kind == kind, ending
    assert words in str(ending)
    assert ending.block == 3
    # Where none is named, it depends on which of two processes is heard of first.
    assert line is None or ending.line("Note.md") == line
    assert ending.messages == (({"ran": True},) if kind == "done" else ending.messages)


@pytest.mark.parametrize("code", each([(code,) for code, *_ in ENDINGS]))
def test_what_comes_after_it_is_done(endings: dict[str, Any], code: str) -> None:
    ending = endings["after " + code]
    assert (ending.kind, ending.messages) == ("done", ({"ran": True},))


def test_nothing_is_left_of_them(endings: dict[str, Any]) -> None:
    assert not endings["left"]


def test_results_come_in_any_order_and_are_worked_on_ahead() -> None:
    with Workers(work, count=2) as workers:
        for n in range(9):
            workers.submit(f"send({{'n': {n}}})")
        for n in (5, 0, 8, 1, 2, 3, 4, 6, 7):
            assert workers.result(f"send({{'n': {n}}})").messages[0] == {"n": n}
        assert workers.result("send({'n': 'not submitted'})").kind == "done"


@pytest.mark.long
def test_messages_are_plain_data_of_any_size() -> None:
    code = "send({'text': 'α\\ud800' * 10**6, 'none': None, 'x': float('inf'), 'l': [1, 'a']})"
    with Workers(work, count=1) as workers:
        (message, _) = workers.result(code).messages
    wanted = {"text": "α\ud800" * 10**6, "none": None, "x": float("inf"), "l": [1, "a"]}
    assert message == wanted


def test_what_is_written_past_python_does_not_reach_the_run(
    capfd: pytest.CaptureFixture[str],
) -> None:
    code = (
        "import os\nos.write(1, b'a' * 50000)\nos.write(2, b'b' * 49999 + b'\\xff')\n"
        "print('c', flush=True)"
    )
    with Workers(work, count=1) as workers:
        ending = workers.result(code)
    assert capfd.readouterr() == ("", "")
    assert ending.details.startswith("aaaa")
    assert ending.details.endswith("bbbb\ufffdc\n")
    assert "[… 67234 bytes cut …]" in ending.details


def test_files_that_the_run_has_opened_are_closed_to_notes(tmp_path: Path) -> None:
    path = tmp_path / "held"
    with path.open("wb", buffering=0) as held, Workers(work, count=1) as workers:
        assert workers.result(f"import os\nos.write({held.fileno()}, b'a')").kind == "done"
        held.write(b"b")
    assert path.read_bytes() == b"b"


def test_threads_and_exit_handlers_of_a_note_come_to_their_end_and_none_of_the_run() -> None:
    code = (
        "import atexit, threading, time\natexit.register(print, 'at the end', flush=True)\n"
        "late = lambda: (time.sleep(0.05), print('a thread', flush=True))\n"
        "threading.Thread(target=late).start()"
    )
    elsewhere = atexit.register(print, "of the run")
    try:
        with Workers(work, count=1) as workers:
            ending = workers.result(code)
    finally:
        atexit.unregister(elsewhere)
    assert (ending.kind, ending.details) == ("done", "a thread\nat the end\n")


def test_a_note_leads_a_session_frees_memory_and_dumps_no_core() -> None:
    code = (
        "import gc, os, resource\n"
        "core = resource.getrlimit(resource.RLIMIT_CORE)\n"
        "send({'is': [os.getsid(0) == os.getpid(), gc.isenabled(), max(core)]})"
    )
    gc.disable()
    try:
        with Workers(work, count=1) as workers:
            assert workers.result(code).messages[0] == {"is": [True, True, 0]}
    finally:
        gc.enable()


def test_there_is_nothing_to_read_from() -> None:
    code = "import os, sys\nsend({'read': [sys.stdin.read(), os.read(0, 9).decode()]})"
    with Workers(work, count=1) as workers:
        assert workers.result(code).messages[0] == {"read": ["", ""]}


def test_each_key_begins_as_the_run_was() -> None:
    code = "import numpy\nsend({'mark': hasattr(numpy, 'mark')})\nnumpy.mark = 1  # "
    with Workers(work, count=1) as workers:
        assert [workers.result(code + n).messages[0]["mark"] for n in "ab"] == [False, False]


def test_in_this_process_if_there_is_to_be_no_other() -> None:
    with Workers(work, count=0) as workers:
        ending = workers.result("import os\nsend({'pid': os.getpid()})")
        assert workers.result("1 / 0").kind == "raised"
        with pytest.raises(KeyboardInterrupt):
            workers.result("raise KeyboardInterrupt")
    assert (ending.kind, ending.block) == ("done", 3)
    assert ending.messages == ({"pid": os.getpid()}, {"ran": True})


@pytest.mark.long
def test_with_other_threads_nothing_is_forked_from_here() -> None:
    # A thread that is not running in a fork may hold a lock for ever.
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        code = "import threading\nsend({'threads': threading.active_count()})"
        with Workers(work, count=1, limits=LIMITS) as workers:
            assert workers.result(code).messages[0] == {"threads": 1}
            assert workers.result("import itertools\nsum(itertools.count())").kind == "timed out"
    finally:
        stop.set()
        thread.join()


@pytest.mark.long
def test_where_nothing_can_be_forked_a_worker_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    hang = "import itertools\nsum(itertools.count())"
    with Workers(alone, count=1, limits=LIMITS) as workers:
        for key in ("send({'n': 1})", hang, "import os\nos._exit(0)", "send({'n': 2})"):
            workers.submit(key)
        assert workers.result("send({'n': 1})").messages == ({"n": 1}, {"ran": True})
        ending = workers.result(hang)
        assert (ending.kind, ending.block) == ("timed out", 3)
        assert workers.result("import os\nos._exit(0)").kind == "lost"
        assert workers.result("send({'n': 2})").kind == "done"


class Unprepared:
    """Work whose preparation is killed by a signal."""

    def prepare(self) -> None:
        os.kill(os.getpid(), signal.SIGILL)

    def __call__(self, key: str, send: Send) -> None:
        send({"key": key})


def test_what_ends_while_it_is_prepared_is_reported_by_its_signal() -> None:
    with Workers(Unprepared(), count=1, limits=LIMITS) as workers:
        for key in "ab":
            assert str(workers.result(key)).startswith("was ended by SIGILL")


def alone(key: str, send: Send) -> None:
    """Run as on a system that cannot fork."""
    work(key, send)


def program(mark: str) -> subprocess.Popen[str]:
    """Start a run of two endless notes, and wait until both run."""
    source = """
        import os, sys
        from vaultkit.workers.pool import Workers
        def work(key, send):
            send({"block": 0, "limit": 60})
            os.system("sleep 61 & sleep 60")
        with Workers(work, count=2) as workers:
            workers.submit("a"), workers.submit("b")
            print("began", flush=True)
            workers.result("a")
    """
    command = [sys.executable, "-c", textwrap.dedent(source)]
    environment = {**os.environ, "MARK": mark}
    running = subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    until = time.monotonic() + 20
    while len(alive(mark)) < 9 and time.monotonic() < until:
        time.sleep(0.05)
    assert len(alive(mark)) >= 9  # the run, two keepers, two notes, two shells, their children
    return running


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL, signal.SIGTERM])
def test_nothing_is_left_when_the_run_itself_is_ended(number: int) -> None:
    mark = f"run-{os.getpid()}-{number}"
    running = program(mark)
    running.send_signal(number)
    assert running.wait(10) != 0
    assert running.stdout
    running.stdout.close()
    until = time.monotonic() + 10
    while alive(mark) and time.monotonic() < until:
        time.sleep(0.02)
    assert not alive(mark)


class Prepared:
    """Work that records the process in which it was prepared."""

    ready: tuple[int, ...] = ()

    def prepare(self) -> None:
        self.ready = (*self.ready, os.getpid())

    def __call__(self, key: str, send: Send) -> None:
        send({"key": key, "ready": self.ready, "parent": os.getppid(), "here": os.getpid()})


def test_what_is_prepared_is_prepared_once_for_all() -> None:
    with Workers(Prepared(), 1, LIMITS) as workers:
        received = [workers.result(key).messages[0] for key in ("a", "b")]
    assert received[0]["here"] != received[1]["here"]
    assert [one["ready"] for one in received] == [[received[0]["parent"]]] * 2


class Modules:
    """Work that records which modules were imported when it was prepared."""

    known: frozenset[str] = frozenset()

    def prepare(self) -> None:
        self.known = frozenset(sys.modules)

    def __call__(self, key: str, send: Send) -> None:
        send({key: sorted(sys.modules.keys() - self.known)})


def test_no_module_is_imported_between_the_preparation_and_the_note(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Each process would have to look at all modules once more, which copies the memory they are in.
    for name in ("atexit", "faulthandler", "fcntl", "resource"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with Workers(Modules(), 1, LIMITS) as workers:
        assert workers.result("new").messages == ({"new": []},)


class Taken:
    """Work that records what was submitted with a key."""

    taken: tuple[str, int, int] = ("", 0, 0)

    def load(self, key: str, given: bytes) -> None:
        if given == b"bad":
            raise ValueError(f"cannot take {key}")
        self.taken = key, len(given), os.getpid()

    def __call__(self, key: str, send: Send) -> None:
        *taken, where = self.taken
        send({"key": key, "taken": taken, "beside": where == os.getppid()})
        send({"more": "x" * (0 if key == "first" else 3_000_000)})


@pytest.mark.usually("10")
@pytest.mark.parametrize("size", [0, 10, 3_000_000])
def test_what_is_submitted_with_a_key_is_taken_before_its_process_is_made(size: int) -> None:
    keys = [f"key {n}\n" for n in range(6)]
    with Workers(Taken(), 2, LIMITS) as workers:
        for key in keys:
            workers.submit(key, lambda: b"\n" * size)
        received = [workers.result(key).messages[0] for key in keys]
    assert [one["taken"] for one in received] == [[key, size] for key in keys]
    assert all(one["beside"] for one in received)


@pytest.mark.long
def test_who_sends_much_and_who_answers_much_do_not_wait_for_each_other() -> None:
    def stop(*_: object) -> None:
        raise TimeoutError("each waits for the other")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(20)
    try:
        with Workers(Taken(), 1, LIMITS) as workers:
            for key in ("first", "second", "third"):
                workers.submit(key, lambda: b"x" * 3_000_000)
            workers.attend()
            # The first message has arrived, and the second is being sent, when the third key
            # is handed out.
            time.sleep(1)
            workers.attend()
            time.sleep(1)
            kinds = [workers.result(key).kind for key in ("first", "second", "third")]
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    assert kinds == ["done"] * 3


def test_without_a_process_it_is_taken_too() -> None:
    with Workers(Taken(), 0) as workers:
        workers.submit("a", lambda: b"abc")
        received = workers.result("a").messages[0]
    assert received["taken"] == ["a", 3]


@pytest.mark.parametrize("count", [0, 1])
def test_what_cannot_be_taken_is_the_end_of_one_key(count: int) -> None:
    with Workers(Taken(), count, LIMITS) as workers:
        workers.submit("one", lambda: b"bad")
        workers.submit("other", lambda: b"good")
        first, second = workers.result("one"), workers.result("other")
    assert (first.kind, second.kind) == ("raised", "done")
    assert "ValueError: cannot take one" in first.details
    assert second.messages[0]["taken"] == ["other", 4]


def test_keepers_that_were_made_ahead_do_the_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Other tests may have left threads, beside which none are made ahead.
    monkeypatch.setattr("vaultkit.workers.pool.can_fork", lambda: True)
    before = family()
    with Workers(Prepared(), 3, LIMITS) as workers:
        assert workers.begin(2).begin() is workers
        made = family() - before
        received = [workers.result(key).messages[0] for key in ("a", "b", "c")]
        assert {one["parent"] for one in received} <= made
    assert len(made) == 3
    assert family() - before == set()
    with Workers(Prepared(), 0) as workers:
        workers.begin()
        assert family() == before


PREPARED = """
import re._compiler
import sys
from pathlib import Path

from vaultkit.pipeline.inspect import Task, run_code
from vaultkit.pipeline.process import CHECKS, NoteWork
from vaultkit.read.markdown import parse

folder = Path(sys.argv[1])
if sys.argv[2] == "prepared":
    NoteWork(folder).prepare()
compiled, compile_ = [], re._compiler.compile
re._compiler.compile = lambda pattern, flags=0: compiled.append(pattern) or compile_(pattern, flags)
text = "The mean is 4.5, twice 2.25.\\n\\n```python\\nmean = 9 / 2\\nmean\\n```\\n"
list(run_code(Task(parse(text, folder / "A.md"), folder, frozenset(CHECKS))))
print(len(compiled))
"""


@pytest.mark.long
def test_the_patterns_that_find_statements_are_compiled_before_the_fork(tmp_path: Path) -> None:
    def compiled(how: str) -> int:
        command = [sys.executable, "-c", PREPARED, str(tmp_path), how]
        return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    assert compiled("not") > 20
    assert compiled("prepared") <= 5
