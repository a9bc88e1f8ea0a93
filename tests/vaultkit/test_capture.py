"""How much of what a block writes is kept, and what is said of the rest."""

from __future__ import annotations

import contextlib
import sys
import time

import pytest

from vaultkit.read.markdown import parse
from vaultkit.run import capture
from vaultkit.run.capture import (
    BlockTimeoutError,
    Capture,
    Output,
    OutputLimitError,
    limit,
    shortened,
    slowness,
)
from vaultkit.run.session import NoteRun


def test_a_long_text_keeps_its_beginning_and_its_end() -> None:
    text = "a" * 2000 + "b" * 1000
    assert shortened(text) == text
    assert shortened(text + "c") == f"{'a' * 2000}\n[… 1 characters cut …]\n{'b' * 999}c"
    assert shortened("a" * 2000 + "b" * 5000 + "c" * 1000) == (
        f"{'a' * 2000}\n[… 5,000 characters cut …]\n{'c' * 1000}"
    )
    # What was not even kept counts as well.
    assert "[… 5,007 characters cut …]" in shortened("a" * 8000, 0, 7)
    assert shortened("a" * 10, 0) == "a" * 10


def test_what_no_file_can_hold_is_escaped() -> None:
    output = Output()
    output.write("ü 𝟙 \ud800")
    assert output.take() == "ü 𝟙 \\ud800"
    told = Capture().traceback_of(ValueError("é \udc80"), 1.0, brief=True)
    assert told == "ValueError: é \\udc80"


def test_output_ends_after_a_million_characters() -> None:
    output = Output()
    assert output.write("a" * 999_999) == 999_999
    assert output.write("b") == 1
    assert output.take() == "a" * 999_999 + "b"
    assert output.take() == ""
    output.write("a" * 999_999)
    with pytest.raises(OutputLimitError):
        output.write("bcd")
    with pytest.raises(OutputLimitError):
        output.write("e")
    told = output.take()
    # A million and three were written, the last of those kept is b.
    assert told == f"{'a' * 2000}\n[… 997,003 characters cut …]\n{'a' * 999}b"
    assert output.write("again") == 5
    assert output.take() == "again"


def test_output_is_text_and_stays_open() -> None:
    output = Output()
    with pytest.raises(TypeError, match="must be str, not bytes"):
        output.write(b"a")  # type: ignore[arg-type]
    assert output.writable()
    assert not output.closed_by_note
    output.close()
    output.write("a")
    assert output.closed_by_note
    assert output.take() == "a"


def test_what_is_printed_is_caught_and_there_is_nothing_to_read() -> None:
    capture, before = Capture(), (sys.stdin, sys.stdout, sys.stderr)

    def call() -> None:
        print("out")
        print("error", file=sys.stderr)
        assert sys.stdin.read() == ""
        raise SystemExit(3)

    error = capture.run(call, 5)
    assert isinstance(error, SystemExit)
    assert capture.output.take() == "out\nerror\n"
    assert (sys.stdin, sys.stdout, sys.stderr) == before
    assert capture.run(lambda: None, 5) is None
    assert capture.traceback_of(error, 5, brief=True) == "SystemExit: 3"


def test_the_last_line_of_an_error_or_all_of_it() -> None:
    capture = Capture()
    error = capture.run(lambda: 1 / 0, 5)  # type: ignore[arg-type]
    assert error is not None
    assert capture.traceback_of(error, 5, brief=True) == "ZeroDivisionError: division by zero"
    told = capture.traceback_of(error, 5).splitlines()
    assert told[0] == "Traceback (most recent call last):"
    assert told[-1] == "ZeroDivisionError: division by zero"
    long = ValueError("x" * 10_000)
    assert len(capture.traceback_of(long, 5)) < 3100


@pytest.mark.long
def test_what_waits_may_take_longer_than_what_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    def turn() -> None:
        while True:
            pass

    with limit(0.1):
        time.sleep(0.3)
    with pytest.raises(BlockTimeoutError, match="1 s by the clock"), limit(0.1):
        time.sleep(60)
    # However busy the machine is: without the limit by the clock.
    monkeypatch.setattr(capture, "_TIMERS", capture._TIMERS[:1])
    began = time.process_time()
    with pytest.raises(BlockTimeoutError, match=r"^0\.1 s$"), limit(0.1):
        turn()
    assert time.process_time() - began < 0.5


def test_a_slow_machine_gets_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vaultkit.run.session.slowness", lambda: 3)
    text = "```python\n1\n```\n\n```python timeout=2\n1\n```\n"
    told: list[tuple[int, float]] = []
    NoteRun(parse(text), 0.5, beat=lambda *beat: told.append(beat)).finish()
    assert told == [(0, 1.5), (1, 6.0)]


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


def test_a_reserve_is_let_go_when_memory_ends_and_set_aside_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def end() -> None:
        raise MemoryError

    capture = Capture()
    assert capture.run(lambda: None, 1) is None
    assert isinstance(capture.run(end, 1), MemoryError)
    with monkeypatch.context() as none_left:
        none_left.setattr("vaultkit.run.capture._reserve", lambda: None)
        assert not capture.has_reserve()
    assert capture.has_reserve()
