"""Runs a piece of code for so long and no longer, and keeps what it shows, so much and no more."""

from __future__ import annotations

import contextlib
import io
import mmap
import signal
import sys
import threading
import time
import traceback
import types
from _signal import getsignal as _handler  # type: ignore[import-not-found]
from _signal import signal as _handle
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from vaultkit.run.ending import PATIENCE

#: Characters of output after which a block is ended.
MOST_OUTPUT = 1_000_000
#: Characters kept of a text that is too long, at its beginning and at its end.
_HEAD, _TAIL = 2000, 1000
#: Seconds that `slowness` computes on a machine of 2021, in a virtual machine.
_USUAL = 0.003
#: Not shared with what is forked from this process (Windows has no such thing).
_PRIVATE: dict[str, Any] = {"flags": mmap.MAP_PRIVATE} if hasattr(mmap, "MAP_PRIVATE") else {}
#: Frames of a traceback that are told, where there are more.
_MOST_FRAMES = 200
#: Where the code stands that runs notes.
_ENGINE = Path(__file__).parent


class BlockTimeoutError(BaseException):
    """A block ran longer than it may: so long. No Exception, so that a note's code lets it pass."""


class OutputLimitError(BaseException):
    """A block wrote more than anybody can read. Not an Exception, for the same reason."""


class Output(io.TextIOBase):
    """What a block writes: kept up to a limit, beyond which the block is ended."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self.length = 0
        #: A note has closed it, which does nothing.
        self.closed_by_note = False

    def write(self, text: str) -> int:
        """Keep a text, if there is room."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        room = MOST_OUTPUT - self.length
        self.length += len(text)
        if room > 0:
            self._parts.append(str(text[:room]))
        if len(text) > room:
            raise OutputLimitError
        return len(text)

    def writable(self) -> bool:
        """Say so."""
        return True

    def close(self) -> None:
        """Stay open, as whoever comes next has to write, too."""
        self.closed_by_note = True

    def take(self) -> str:
        """Return what was written since the last time, cut if there was no end to it."""
        text, cut = "".join(self._parts), max(0, self.length - MOST_OUTPUT)
        self._parts, self.length = [], 0
        return shortened(text, 0 if cut else MOST_OUTPUT, cut)


def shortened(text: str, most: int = _HEAD + _TAIL, missing: int = 0) -> str:
    """Cut a text that is too long, and say how much was cut; escape what no file can hold."""
    if not text.isascii():
        text = text.encode(errors="backslashreplace").decode()  # halves of surrogate pairs
    cut = len(text) - _HEAD - _TAIL + missing
    if len(text) <= most or cut <= 0:
        return text
    return f"{text[:_HEAD]}\n[… {cut:,} characters cut …]\n{text[-_TAIL:]}"


class Capture:
    """Runs pieces of code, and keeps what they write."""

    def __init__(self) -> None:
        #: One for all blocks: what a note holds on to of it goes on to work.
        self.output = Output()
        self._reserve: mmap.mmap | None = None

    def run(self, call: Callable[[], object], seconds: float) -> BaseException | None:
        """Run code; return the error that ended it.

        KeyboardInterrupt is raised if it came from outside.
        """
        self.has_reserve()
        with _redirected(self.output), _interrupts() as interrupted:
            try:
                with limit(seconds):
                    call()
            except BaseException as error:  # SystemExit too: a note ends itself, not the run
                if isinstance(error, MemoryError):
                    self._reserve = None  # room to tell it
                if interrupted:
                    raise
                return error
        return None

    def has_reserve(self) -> bool:
        """Tell whether there is memory left, in which an end of it can be told."""
        self._reserve = self._reserve or _reserve()
        return self._reserve is not None

    def tell(self, error: BaseException, seconds: float, *, brief: bool = False) -> str:
        """Tell an error as Python does; whatever its own code does meanwhile."""
        told: list[str] = []

        def tell() -> None:
            if brief:
                lines = traceback.format_exception_only(error)
            else:
                # Of a recursion without end, its beginning.
                deep = _depth(error.__traceback__) > _MOST_FRAMES * 10
                most = _MOST_FRAMES if deep else None
                whole = traceback.TracebackException.from_exception(error, limit=most, compact=True)
                _leave_out_the_engine(whole)
                lines = list(whole.format())
            told.append(shortened("".join(lines).rstrip("\n")))

        self.run(tell, seconds)
        return told[0] if told else f"{type(error).__name__}, which cannot be told"


def _leave_out_the_engine(told: traceback.TracebackException) -> None:
    """Take the calls of the engine out of a traceback, and out of those that led to it.

    A note does not call them: they are what stops it from changing files that are not its own.
    """
    told.stack[:] = [call for call in told.stack if Path(call.filename).parent != _ENGINE]
    for other in (told.__cause__, told.__context__, *(told.exceptions or ())):
        if other:
            _leave_out_the_engine(other)


def _depth(frame: types.TracebackType | None) -> int:
    depth = 0
    while frame:
        frame, depth = frame.tb_next, depth + 1
    return depth


def _reserve() -> mmap.mmap | None:
    """Set address space aside, to be let go of when there is no more."""
    with contextlib.suppress(OSError, ValueError):
        return mmap.mmap(-1, 32 << 20, **_PRIVATE)
    return None


@contextlib.contextmanager
def _redirected(output: Output) -> Iterator[None]:
    """Let all that is written go to one place, and let there be nothing to read."""
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = io.StringIO(), output, output
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


#: The signals of the limits, their timers, and how many times the seconds these run. Pyodide has
#: the signals, but no timers.
_TIMERS: tuple[tuple[int, int, float], ...] = (
    (
        (signal.SIGPROF, signal.ITIMER_PROF, 1.0),
        (signal.SIGALRM, signal.ITIMER_REAL, PATIENCE),
    )
    if hasattr(signal, "setitimer")
    else ()
)


class limit:  # noqa: N801 - used as a function is
    """Raise `BlockTimeoutError` in code that takes longer, again and again until it gives in.

    The seconds are those that the processor works on it; code that waits may take `PATIENCE` times
    as many by the clock. It is raised in the end, too, if the code has caught it and came to its
    end.

    Needs timers (Linux, macOS) and the main thread; elsewhere code runs without a limit.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.stopped: BlockTimeoutError | None = None
        here = threading.current_thread() is threading.main_thread()
        self.timers = _TIMERS if here else ()

    def __enter__(self) -> None:
        self.before = [_handle(number, self._stop) for number, _, _ in self.timers]
        for _, timer, factor in self.timers:
            signal.setitimer(timer, self.seconds * factor, 0.05)

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        for _, timer, _ in self.timers:
            signal.setitimer(timer, 0)
        for (number, _, _), before in zip(self.timers, self.before, strict=True):
            _handle(number, before)
        if self.stopped and kind is None:
            raise self.stopped

    def _stop(self, number: int, frame: types.FrameType | None) -> None:
        if number == signal.SIGALRM:
            after = f"{self.seconds * PATIENCE:g} s by the clock"
        else:
            after = f"{self.seconds:g} s"
        self.stopped = self.stopped or BlockTimeoutError(after)
        # Raised while the timers are being stopped, it would leave one on, without a handler.
        if frame is None or frame.f_code is not limit.__exit__.__code__:
            raise BlockTimeoutError(*self.stopped.args)


@cache
def slowness() -> int:
    """Return how many times as long as usual this machine computes, in whole numbers from 1 on."""

    def compute() -> float:
        began = time.process_time()
        array = np.linspace(0, 1, 4096).reshape(64, 64)
        for _ in range(20):
            np.exp(array @ array - 50).sum()
        sum(number * number % 7 for number in range(20_000))
        return time.process_time() - began

    return max(1, int(min(compute() for _ in range(3)) / _USUAL))


@contextlib.contextmanager
def _interrupts() -> Iterator[list[Any]]:
    """Tell a KeyboardInterrupt that somebody typed from one that a note raises."""
    typed: list[Any] = []
    before = _handler(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield typed
        return

    def note_down(number: int, frame: types.FrameType | None) -> None:
        typed.append(number)
        before(number, frame)

    _handle(signal.SIGINT, note_down)
    try:
        yield typed
    finally:
        _handle(signal.SIGINT, before)
