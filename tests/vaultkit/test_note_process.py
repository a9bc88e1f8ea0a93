"""The process of a note from inside, and its messages."""

from __future__ import annotations

import atexit
import gc
import json
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from vaultkit.run import keeper, note_process
from vaultkit.run.ending import Ending, Kind, Limits
from vaultkit.run.processes import is_alive

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="how Linux ends processes")

TOKEN = b"0123456789abcdef"


def in_a_copy(what: Callable[[], object]) -> tuple[int, Any]:
    """Call a function in a fork of this process; return its exit status and its result."""
    reading, writing = os.pipe()
    pid = keeper._fork()
    if pid == 0:
        status = 1
        try:
            os.write(writing, json.dumps(what()).encode())
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        told = file.read()
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), json.loads(told or b"null")


def be_note(work: Any, parent: int | None = None) -> tuple[int, list[bytes], str]:
    """Run work as a note's process; return its exit status, its messages and its other output."""
    pipes = [os.pipe() for _ in range(3)]
    here = os.getpid()
    pid = keeper._fork()
    if pid == 0:
        for reading, _ in pipes:
            os.close(reading)
        ends = [end for _, end in pipes]
        note_process.be_note(parent or here, work, "a key", TOKEN, ends, Limits())
    told = []
    for _, writing in pipes:
        os.close(writing)
    for reading, _ in pipes:
        with os.fdopen(reading, "rb") as file:
            told.append(file.read())
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), told[0].splitlines(), told[1].decode()


def told_by(of: Callable[[], Any]) -> Any:
    """Return the value of a function in the process of a note."""
    status, lines, _ = be_note(lambda _, send: send({"told": of()}))
    assert (status, lines[-1]) == (0, TOKEN + b"Enull")
    return json.loads(lines[0].removeprefix(TOKEN + b"M"))["told"]


def test_what_work_sends_comes_with_the_token_and_an_end() -> None:
    def work(key: str, send: Any) -> None:
        send({"key": key})
        send({"block": 3, "limit": 2})

    assert be_note(work) == (
        0,
        [
            TOKEN + b'M{"key":"a key"}',
            TOKEN + b'B{"block":3,"limit":2}',
            TOKEN + b'B{"block":3,"limit":2,"leaving":true}',
            TOKEN + b"Enull",
        ],
        "",
    )


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(3), KeyboardInterrupt("no")])
def test_an_error_of_the_engine_is_told(error: BaseException) -> None:
    def work(_: str, __: Any) -> None:
        raise error

    status, lines, output = be_note(work)
    assert (status, len(lines), output) == (70, 1, "")
    assert lines[0].startswith(TOKEN + b"R")
    assert repr(error).partition("(")[0] in json.loads(lines[0].removeprefix(TOKEN + b"R"))


def test_memory_that_has_run_out_is_an_exit_status() -> None:
    def work(_: str, __: Any) -> None:
        raise MemoryError

    assert be_note(work) == (71, [], "")


def test_it_ends_with_the_process_that_made_it() -> None:
    # Its parent is another one than it was told: that one has ended before it began.
    assert be_note(lambda _, __: None, parent=1) == (70, [], "")


def test_what_is_written_past_python_goes_where_it_is_kept() -> None:
    def work(_: str, __: Any) -> None:
        print("a", flush=True)
        print("b", file=sys.stderr, flush=True)
        os.write(1, b"c\n")
        os.system("echo d >&2")
        assert sys.stdin.read() == sys.__stdin__.read() == ""  # type: ignore[union-attr]

    assert be_note(work) == (0, [TOKEN + b"Enull"], "a\nb\nc\nd\n")


def test_threads_and_exit_handlers_of_the_note_come_first_and_no_others() -> None:
    def work(_: str, __: Any) -> None:
        atexit.register(print, "at the end", flush=True)
        threading.Thread(target=lambda: (time.sleep(0.05), print("a thread", flush=True))).start()

    elsewhere = atexit.register(lambda: print("of the run", flush=True))
    try:
        assert be_note(work) == (0, [TOKEN + b"Enull"], "a thread\nat the end\n")
    finally:
        atexit.unregister(elsewhere)


def test_how_it_is_set_up() -> None:
    import resource

    def seen() -> list[Any]:
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        soft, _ = resource.getrlimit(resource.RLIMIT_AS)
        core = resource.getrlimit(resource.RLIMIT_CORE)
        share = (soft - used - note_process.RESERVED) / Limits().memory
        return [os.getsid(0) == os.getpid(), gc.isenabled(), core, share]

    gc.disable()
    try:
        leads, collects, core, share = told_by(seen)
    finally:
        gc.enable()
    assert (leads, collects, core) == (True, True, [0, 0])
    assert 0.9 < share < 1.1


def test_results_go_out_by_a_number_that_nothing_counts_up_to() -> None:
    def numbers() -> list[int]:
        return [n for n in range(200, 400) if Path(f"/proc/self/fd/{n}").exists()]

    before = numbers()
    # That of its results, and that of where it stands; its output has moved to 1 and 2.
    assert len(set(told_by(numbers)) - set(before)) == 2
    reading, writing = os.pipe()
    moved = note_process._out_of_the_way(writing)
    try:
        assert moved >= 200
        assert not os.get_inheritable(moved)
        os.write(moved, b"a")
        assert os.read(reading, 9) == b"a"
        with pytest.raises(OSError, match="Bad file"):
            os.write(writing, b"a")
    finally:
        os.close(moved)
        os.close(reading)


def test_open_files_of_the_run_lead_nowhere(tmp_path: Path) -> None:
    turned, kept = tmp_path / "turned", tmp_path / "kept"

    def write() -> list[bool]:
        with turned.open("wb", buffering=0) as one, kept.open("wb", buffering=0) as other:
            reply = os.dup(open_pipe)
            keeper._turn_away_descriptors({other.fileno(), open_pipe})
            one.write(b"a")
            other.write(b"b")
            return [os.get_inheritable(n) for n in (0, 1, 2, one.fileno(), reply)]

    reading, open_pipe = os.pipe()
    pid = keeper._fork()
    if pid == 0:
        os.write(open_pipe, json.dumps(write()).encode())
        os._exit(0)
    os.close(open_pipe)
    with os.fdopen(reading, "rb") as file:
        inheritable = json.loads(file.read())
    os.waitpid(pid, 0)
    assert (turned.read_bytes(), kept.read_bytes()) == (b"", b"b")
    assert inheritable == [True, True, True, False, False]


def a_keeper() -> keeper._Keeper:
    return keeper._Keeper(lambda _, __: None, None, Limits())


def test_the_dead_are_reaped_and_the_living_are_told_of() -> None:
    def look() -> list[bool]:
        made = a_keeper()
        found = [made._reap()]
        pids = [os.fork(), 0]
        if not pids[0]:
            os._exit(0)
        pids[1] = os.fork()
        if not pids[1]:
            time.sleep(60)
            os._exit(0)
        until = time.monotonic() + 20
        while is_alive(pids[0]) and time.monotonic() < until:
            time.sleep(0.005)
        found.append(made._reap())  # the other one lives
        os.kill(pids[1], signal.SIGKILL)
        while is_alive(pids[1]) and time.monotonic() < until:
            time.sleep(0.005)
        return [*found, made._reap(), made._reap()]

    assert in_a_copy(look) == (0, [False, True, False, False])


def test_all_that_came_of_a_note_is_ended() -> None:
    def end() -> list[Any]:
        note_process.adopt_orphans()
        made = a_keeper()
        made._end_all()  # there is none yet
        made.pid = os.fork()
        if not made.pid:
            os.setsid()
            if not os.fork():
                os.setsid()  # another session: only looking for it finds it
            time.sleep(60)
            os._exit(0)
        pid = made.pid
        until = time.monotonic() + 20
        while len(list(keeper.descendants(pid))) < 1 and time.monotonic() < until:
            time.sleep(0.005)
        family = [pid, *keeper.descendants(pid)]
        made._end_all()
        return [len(family), [is_alive(one) for one in family], made.pid, made._left()]

    assert in_a_copy(end) == (0, [2, [False, False], 0, 0])


def test_processes_that_are_left_are_counted() -> None:
    def count() -> list[int]:
        made = a_keeper()
        pids = []
        for _ in range(2):
            pid = os.fork()
            if not pid:
                time.sleep(60)
                os._exit(0)
            pids.append(pid)
        left = [made._left()]
        until = time.monotonic() + 20
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            while is_alive(pid) and time.monotonic() < until:
                time.sleep(0.005)
        return [*left, made._left()]

    assert in_a_copy(count) == (0, [2, 0])


class Line:
    """A connection over which keys arrive, until it is closed."""

    def __init__(self, *keys: str) -> None:
        self.keys = [json.dumps(key).encode() for key in keys]
        self.sent: list[str] = []

    def recv_bytes(self) -> bytes:
        if not self.keys:
            raise EOFError
        return self.keys.pop(0)

    def send_bytes(self, data: bytes) -> None:
        self.sent.append(data.decode())


def some_work(key: str, send: Any) -> None:
    send({"block": 1, "limit": 2.5})
    send({"key": key})
    if key == "bad":
        raise ValueError("no")


def ended(kind: Kind) -> str:
    ending = asdict(Ending(kind, beat={"block": 1, "limit": 2.5}))
    return "E" + json.dumps(ending, separators=(",", ":"))


BEAT = 'B{"block":1,"limit":2.5}'


def test_without_forks_all_is_done_in_one_process() -> None:
    line = Line("good", "bad")
    with pytest.raises(EOFError):
        keeper._alone(some_work, line, Limits(seconds=7, grace=0.5))
    heard = [".7.000000", BEAT, ".25.500000"]  # ten times 2.5 s by the clock, and the grace
    assert line.sent[:-1] == [
        "A", *heard, 'M{"key":"good"}', ended("done"), *heard, 'M{"key":"bad"}'
    ]  # fmt: skip
    assert line.sent[-1].startswith('E{"kind":"raised","code":0,"beat":{"block":1')
    assert "ValueError: no" in line.sent[-1]


class Prepared:
    """Work with a method ``prepare``."""

    def __init__(self) -> None:
        self.ready = False

    def prepare(self) -> None:
        self.ready = True

    def __call__(self, key: str, send: Any) -> None:
        send({"key": key, "ready": self.ready})


def test_work_is_prepared_once_and_ends_with_the_connection() -> None:
    def kept() -> list[str]:
        line = Line("one")
        keeper._exit = lambda status: line.sent.append(f"exit {status}")  # type: ignore[assignment]
        keeper.keep(Prepared(), line, Limits(), False, 1)
        return line.sent

    status, sent = in_a_copy(kept)
    assert (status, sent[0], sent[2], sent[-1]) == (0, "A", 'M{"key":"one","ready":true}', "exit 0")


def kept_by(work: Any, key: str, limits: Limits = Limits(seconds=20)) -> list[str]:  # noqa: B008
    """Return what a keeper that can fork sends about a note."""
    ours, theirs = multiprocessing.Pipe()
    pid = keeper._fork()
    if pid == 0:
        ours.close()
        keeper.keep(work, theirs, limits, True, 1)
    theirs.close()
    heard: list[str] = []
    try:
        ours.send_bytes(json.dumps(key).encode())
        while not heard or not heard[-1].startswith("E"):
            assert ours.poll(30)
            heard.append(ours.recv_bytes().decode())
    finally:
        ours.close()
        os.waitpid(pid, 0)
    return heard


def test_a_keeper_tells_of_a_note_as_it_runs() -> None:
    heard = kept_by(some_work, "good")
    assert heard[0][0] == "P"
    assert int(heard[0][1:]) > 0
    assert ".30" in heard
    last, *messages = heard[-1].split("\n")
    assert messages == ['{"key":"good"}']
    assert json.loads(last[1:])["kind"] == "done"
    heard = kept_by(some_work, "bad")
    ending = json.loads(heard[-1][1:].split("\n")[0])
    assert ending["kind"] == "raised"
    assert "ValueError: no" in ending["details"]


def multiply(_: str, __: Any) -> None:
    for _ in range(6):
        if not os.fork():
            time.sleep(60)
            os._exit(0)
    time.sleep(60)


@pytest.mark.parametrize(
    ("work", "limits", "kind"),
    [
        (multiply, Limits(seconds=20, processes=4), "processes"),
        (lambda _, __: time.sleep(60), Limits(seconds=0.3, grace=0.1), "timed out"),
        (lambda _, __: os._exit(3), Limits(seconds=20), "exit"),
        (lambda _, __: os._exit(0), Limits(seconds=20), "stopped early"),
        (lambda _, __: os.kill(os.getpid(), 11), Limits(seconds=20), "signal"),
        (lambda _, __: os.write(1, b"x" * 5000), Limits(seconds=20, output=1000), "flood"),
    ],
)
def test_a_keeper_ends_a_note_that_goes_too_far(work: Any, limits: Limits, kind: str) -> None:
    ending = json.loads(kept_by(work, "a", limits)[-1][1:].split("\n")[0])
    assert ending["kind"] == kind
    if kind == "signal":
        assert ending["frames"]  # where it was is told by the interpreter
