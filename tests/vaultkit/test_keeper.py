"""How a keeper reads a note's messages in pieces, and derives how the note ended."""

import mmap
import os
import signal
import subprocess
import sys
import time
from typing import Any

import pytest

from vaultkit.run import channel as channels
from vaultkit.run.channel import Channel, Received, frames_of, read_waiting
from vaultkit.run.ending import Ending, Limits
from vaultkit.run.processes import children, descendants, is_alive, memory

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="how Linux ends processes")

TOKEN = b"0123456789abcdef"
LIMITS = Limits(seconds=7, grace=0.5, output=1000)


@pytest.fixture
def note(monkeypatch: pytest.MonkeyPatch) -> Received:
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    return Received(TOKEN, LIMITS)


def results(note: Received, *lines: bytes) -> None:
    take, _, _ = note.takers
    for line in lines:
        take(TOKEN + line + b"\n")


def exited(status: int) -> int:
    return status << 8


def test_messages_come_whole_however_they_are_cut(note: Received) -> None:
    take, _, _ = note.takers
    sent = TOKEN + b'M{"a":1}\n' + TOKEN + b'M{"b":2}\n'
    for at in range(len(sent)):
        take(sent[at : at + 1])
    assert note.messages == [b'{"a":1}', b'{"b":2}']
    assert (note.verdict, note.done, note.beats) == (None, False, 0)
    assert note.ending(None, exited(0), 0) == Ending("stopped early")


def test_a_heartbeat_says_how_long_a_note_may_be_silent(note: Received) -> None:
    assert note.deadline == 107.0
    # By the clock it is ten times as long as the processor may work on it.
    results(note, b'B{"block":3,"limit":2}')
    assert (note.deadline, note.beats, note.beat) == (120.5, 1, {"block": 3, "limit": 2})
    results(note, b'B{"block":4,"limit":5}')
    assert (note.deadline, note.beats) == (150.5, 2)
    # Once it is clear that it has to end, it gets no more time.
    take, _, _ = note.takers
    take(b"anything\n")
    results(note, b'B{"block":5,"limit":50}')
    assert (note.deadline, note.beats, note.verdict) == (150.5, 2, "garbled")


def test_a_heartbeat_says_how_long_a_note_may_compute(note: Received) -> None:
    assert [note.has_spent(seconds) for seconds in (3.0, 10.0, 10.1)] == [False, False, True]
    results(note, b'B{"block":3,"limit":2}')
    assert [note.has_spent(seconds) for seconds in (10.2, 12.7, 12.8)] == [False, False, True]


@pytest.mark.parametrize(
    ("lines", "status", "left", "ending"),
    [
        ((b"Enull",), exited(0), 0, Ending("done")),
        ((b'R"Traceback"',), exited(0), 0, Ending("raised", details="Traceback")),
        ((b"Enull",), exited(0), 3, Ending("processes", 3)),
        ((b'C{"block":1,"limit":2}',), exited(70), 0,
         Ending("processes", 2, beat={"block": 1, "limit": 2})),
        ((), exited(0), 0, Ending("stopped early")),
        ((), exited(5), 0, Ending("exit", 5)),
        ((), exited(70), 0, Ending("garbled")),
        ((), exited(71), 0, Ending("memory")),
        ((), exited(72), 0, Ending("exit", 72)),
        ((), signal.SIGSEGV, 0, Ending("signal", 11)),
        ((), signal.SIGKILL, 2, Ending("processes", 2)),
        ((b'B{"block":1,"limit":2}',), exited(1), 0,
         Ending("exit", 1, beat={"block": 1, "limit": 2})),
    ],
)  # fmt: skip
def test_how_it_ended_by_itself(
    note: Received, lines: tuple[bytes, ...], status: int, left: int, ending: Ending
) -> None:
    results(note, *lines)
    assert note.ending(note.verdict, status, left) == ending


def test_how_it_was_ended(note: Received) -> None:
    results(note, b"Enull")
    assert note.ending("timed out", None, 0) == Ending("timed out")
    note.count = 65
    assert note.ending("processes", None, 0) == Ending("processes", 65)


def test_who_writes_anything_else_where_results_go_is_found_out(note: Received) -> None:
    take, _, _ = note.takers
    take(b"0123456789abcdeX" + b"Enull\n")
    assert (note.verdict, note.done) == ("garbled", False)


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize(("size", "verdict"), [(1000, None), (1001, "flood")])
def test_a_flood_is_more_than_the_limit(
    note: Received, which: int, size: int, verdict: str | None
) -> None:
    take = note.takers[which]
    take(b"x" * 600)
    assert note.verdict is None
    take(b"x" * (size - 600))
    assert note.verdict == verdict
    # What was found first remains.
    note.verdict = "garbled"
    take(b"x" * 9999)
    assert note.verdict == "garbled"


def test_the_beginning_and_the_end_of_what_it_wrote_are_kept() -> None:
    most = 2 * 16384
    for size in (100, 16384, 16385, most, most + 1, 3 * most):
        for step in (1000, size):
            note = Received(TOKEN, Limits())
            text = "".join(chr(97 + n % 26) for n in range(size))
            for at in range(0, size, step):
                note.takers[1](text[at : at + step].encode())
            cut = f"{text[:16384]}\n[… {size - most} bytes cut …]\n{text[-16384:]}"
            told = note.ending(None, exited(1), 0).details
            assert told == (text if size <= most else cut)


def test_bytes_that_are_no_text_are_told_too(note: Received) -> None:
    note.takers[1](b"a\xffb")
    assert note.ending(None, exited(1), 0).details == "a\ufffdb"


TRACE = b"""\
Fatal Python error: Segmentation fault

Thread 0x00007f (most recent call first):
  File "threading.py", line 324 in wait
  File "N\\xf6te.md", line 7 in run

Current thread 0x00007e (most recent call first):
  File "ctypes.py", line 524 in string_at
  File "Note.md", line 2 in <module>
  File "session.py", line 90 in run
"""


def test_where_it_was_is_read_from_the_trace(note: Received) -> None:
    note.takers[2](TRACE[:99])
    note.takers[2](TRACE[99:])
    ending = note.ending(None, signal.SIGSEGV, 0)
    assert ending.frames == (
        ("session.py", 90), ("Note.md", 2), ("ctypes.py", 524), ("N\\xf6te.md", 7),
        ("threading.py", 324),
    )  # fmt: skip
    assert ending.line("Note.md") == 2
    assert ending.line("Nöte.md") == 7
    assert ending.line("Other.md") is None
    assert frames_of(b"") == ()


def test_of_a_long_trace_the_end_is_kept(note: Received) -> None:
    note.takers[2](b"x" * 70000)
    note.takers[2](TRACE)
    assert len(note.trace) == 65536
    assert note.ending(None, exited(1), 0).line("Note.md") == 2


def test_a_pipe_is_read_until_it_is_empty_or_closed() -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    taken: list[bytes] = []
    assert read_waiting(reading, taken.append) is True
    os.write(writing, b"abc")
    assert read_waiting(reading, taken.append) is True
    os.close(writing)
    assert read_waiting(reading, taken.append) is False
    os.close(reading)
    assert taken == [b"abc"]


class Left(BaseException):
    pass


def leave(status: int) -> None:
    raise Left(status)


@pytest.fixture
def channel(monkeypatch: pytest.MonkeyPatch) -> tuple[Channel, int]:
    monkeypatch.setattr(channels, "_exit", leave)
    reading, writing = os.pipe()
    return Channel(TOKEN, writing), reading


def test_what_is_sent_is_a_line_with_the_token(channel: tuple[Channel, int]) -> None:
    sending, reading = channel
    sending.last_words()  # nothing has run: nothing to say
    sending.send({"a": [1, "é"]})
    sending.send({"block": 1, "limit": 2.5})  # all that was known is told before code runs
    known = os.read(reading, 1000)
    sending.last_words()
    assert (known + os.read(reading, 1000)).splitlines() == [
        TOKEN + b'M{"a":[1,"\\u00e9"]}',
        TOKEN + b'B{"block":1,"limit":2.5}',
        TOKEN + b'B{"block":1,"limit":2.5,"leaving":true}',
    ]


def test_a_copy_of_the_process_gives_itself_away_and_ends(
    channel: tuple[Channel, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    sending, reading = channel
    sending.send({"block": 1, "limit": 2})
    monkeypatch.setattr(channels, "_getpid", lambda: -5)
    with pytest.raises(Left) as left:
        sending.send({"a": 1})
    assert left.value.args == (70,)
    assert os.read(reading, 1000).splitlines()[1] == TOKEN + b'C{"block":1,"limit":2}'


def test_without_a_way_to_send_it_ends(
    channel: tuple[Channel, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    sending, _ = channel

    def closed(*_: Any) -> int:
        raise OSError

    monkeypatch.setattr(os, "write", closed)
    sending.send({"a": 1})
    with pytest.raises(Left) as left:
        sending.send({"block": 1, "limit": 2})
    assert left.value.args == (70,)


def test_limits_are_what_a_note_may_use() -> None:
    assert Limits() == Limits(60.0, 2.0, 2 * 1024**3, 64, 100 * 1024**2)


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        (Ending("done"), "came to its end"),
        (Ending("timed out"),
         "was stopped from outside: what ran could not be interrupted"),
        (Ending("timed out", beat={"block": 1, "limit": 2.50}),
         "was stopped from outside after 2.5 s: what ran could not be interrupted"),
        (Ending("timed out", beat={"limit": 3, "leaving": False}),
         "was stopped from outside after 3 s: what ran could not be interrupted"),
        (Ending("timed out", beat={"limit": 3, "leaving": True}),
         "has threads or exit handlers that never end"),
        (Ending("memory"), "used more memory than a note may"),
        (Ending("signal", 11), "was ended by SIGSEGV (Segmentation fault)"),
        (Ending("signal", 9), "was ended by SIGKILL (Killed)"),
        (Ending("signal", 999), "was ended by 999"),
        (Ending("exit", 3), "ended its process with exit status 3"),
        (Ending("stopped early"), "ended its process with exit status 0 before all was checked"),
        (Ending("processes", 3), "left processes running (3)"),
        (Ending("flood"), "wrote without end"),
        (Ending("garbled"), "closed the channel of its results, or wrote to it"),
        (
            Ending("raised", details="a\nb"),
            "could not be checked, because of an error in vaultkit: a "
            "(VAULTKIT_TRACEBACK=1 shows all of it)",
        ),
        (Ending("lost"), "ended the process that watches it"),
    ],
)  # fmt: skip
def test_an_ending_in_words(ending: Ending, words: str) -> None:
    assert str(ending) == words


def test_the_block_that_ran_last_is_known_from_the_heartbeat() -> None:
    assert Ending("done", beat={"block": 0}).block == 0
    assert Ending("done", beat={"block": "0"}).block is None
    assert Ending("done").block is None


def test_the_family_of_a_process_and_its_memory() -> None:
    command = ["sh", "-c", "sleep 60 & echo $!; wait"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert running.stdout
    with running.stdout as said:
        child, grandchild = running.pid, int(said.readline())
    try:
        assert child in children(os.getpid())
        assert children(child) == [grandchild]
        assert set(descendants(os.getpid())) >= {child, grandchild}
        assert is_alive(grandchild)
        assert is_alive(os.getpid())
        before = memory(os.getpid())
        with mmap.mmap(-1, 32 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as kept:
            kept.write(bytes(32 << 20))  # new pages, not what the allocator has left
            assert 30 << 20 < memory(os.getpid()) - before < 70 << 20
    finally:
        os.kill(grandchild, signal.SIGKILL)
    # A process that has ended counts as dead, taken leave of or not.
    until = time.monotonic() + 20
    while is_alive(child) and time.monotonic() < until:
        time.sleep(0.005)
    assert not is_alive(child)
    assert child in children(os.getpid())
    assert child not in set(descendants(os.getpid()))
    running.wait()
    assert (children(child), is_alive(child), memory(child)) == ([], False, 0)
