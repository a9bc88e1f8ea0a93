"""How long a note may run without a sign of life, and what is said of how it ended."""

import itertools
import os
import signal
import sys
import time

import pytest

from vaultkit.workers.channel import Received, frames_of
from vaultkit.workers.ending import Ending, Limits
from vaultkit.workers.pool import Workers
from vaultkit.workers.work import Send

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
    assert (note.deadline, note.beats, note.reason_to_end) == (150.5, 2, "garbled")


def test_a_heartbeat_says_how_long_a_note_may_compute(note: Received) -> None:
    assert [note.has_used_too_much(seconds) for seconds in (3.0, 10.0, 10.1)] == [
        False,
        False,
        True,
    ]
    results(note, b'B{"block":3,"limit":2}')
    assert [note.has_used_too_much(seconds) for seconds in (10.2, 12.7, 12.8)] == [
        False,
        False,
        True,
    ]


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
    ending = note.make_ending(None, signal.SIGSEGV, 0)
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
    assert note.make_ending(None, signal.SIGSEGV, 0).line("Note.md") == 2


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


def endless(_key: str, _send: Send) -> None:
    """Work without end."""
    sum(itertools.count())


def test_a_cancel_before_the_first_answer_ends_a_keeper_that_runs_the_note(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(os, "fork")
    with Workers(endless, 1, Limits(seconds=20)) as workers:
        workers.submit("a")
        workers.attend()
        workers.cancel("a")
        ending = workers.result("a")
    assert (ending.kind, ending.code) == ("signal", signal.SIGKILL)
