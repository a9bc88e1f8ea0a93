"""Runs a piece of code with a time limit, and captures its output up to a size limit."""

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
from typing import Any, NamedTuple

import numpy as np

#: Time limits are seconds of processor time. In wall-clock time, code may take so many times as
#: long, since on a busy machine it must wait.
PATIENCE = 10.0
#: Characters of output after which a block is ended.
MOST_OUTPUT = 1_000_000
#: The number of characters that are kept of a text that is too long, at its beginning and end.
_HEAD, _TAIL = 2000, 1000
#: Seconds for the computation of `slowness` on a virtual machine of 2021.
_USUAL = 0.003
#: A signal that meets code which ignores it is sent again after so many seconds.
_AGAIN = 0.05
#: Bytes of address space that are kept to report a MemoryError with.
_RESERVE = 32 << 20
#: A mapping that is not shared with forked processes (Windows has no such flag).
_PRIVATE: dict[str, Any] = {"flags": mmap.MAP_PRIVATE} if hasattr(mmap, "MAP_PRIVATE") else {}
#: So many calls in a traceback are an endless recursion, of which so many are shown.
_ENDLESS, _MOST_FRAMES = 2000, 200
#: The folder of the engine's code.
_ENGINE = Path(__file__).parent


class BlockTimeoutError(BaseException):
    """A block exceeded its time limit. A BaseException, so that a note's code does not catch it."""


class OutputLimitError(BaseException):
    """A block exceeded the limit of output. A BaseException, for the same reason."""


class OutputStream(io.TextIOBase):
    """The output stream of a block; beyond a limit the block is ended."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self.length = 0
        #: Whether a note has closed it, which has no effect.
        self.closed_by_note = False

    def write(self, text: str) -> int:
        """Store a text; raise `OutputLimitError` beyond the limit."""
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
        """Return True: it can be written to."""
        return True

    def close(self) -> None:
        """Ignore the call, since the next block writes to the stream, too."""
        self.closed_by_note = True

    def take(self) -> str:
        """Return the output since the last call, shortened if it exceeded the limit."""
        text, missing = "".join(self._parts), max(0, self.length - MOST_OUTPUT)
        self._parts, self.length = [], 0
        return shortened(text, 0 if missing else MOST_OUTPUT, missing)


def shortened(text: str, most: int = _HEAD + _TAIL, missing: int = 0) -> str:
    r"""Shorten a text of more than ``most`` characters to its beginning and its end.

    The number of characters left out is written between them; ``missing`` more were never stored.
    Lone surrogates are escaped.

    >>> shortened("a" * 5000).replace("a" * 500, "…")
    '…………\n[… 2,000 characters cut …]\n……'
    """
    if not text.isascii():
        text = text.encode(errors="backslashreplace").decode()  # lone surrogates
    cut = len(text) - _HEAD - _TAIL + missing
    if len(text) <= most or cut <= 0:
        return text
    return f"{text[:_HEAD]}\n[… {cut:,} characters cut …]\n{text[-_TAIL:]}"


class Capture:
    """Runs pieces of code, and captures their output."""

    def __init__(self) -> None:
        #: One stream for all blocks, so that a note's references to it remain valid.
        self.output = OutputStream()
        self._reserve: mmap.mmap | None = None

    def run(self, call: Callable[[], object], seconds: float) -> BaseException | None:
        """Run code; return the exception that ended it, or None.

        KeyboardInterrupt is raised if it came from outside.
        """
        self.ensure_reserve()
        with _redirect_output(self.output), _record_interrupts() as interrupted:
            try:
                with limit(seconds):
                    call()
            except BaseException as error:  # including SystemExit, which must not end the run
                if isinstance(error, MemoryError):
                    self._reserve = None  # memory to report the error
                if interrupted:
                    raise
                return error
        return None

    def ensure_reserve(self) -> bool:
        """Reserve memory to report a MemoryError with; return whether there is any."""
        self._reserve = self._reserve or _reserve_memory()
        return self._reserve is not None

    def traceback_of(self, error: BaseException, seconds: float, *, brief: bool = False) -> str:
        """Return the traceback of an error, even if methods of the error itself raise.

        ``seconds`` is the time limit of these methods. ``brief``: only the type and the message.
        """
        texts: list[str] = []

        def write() -> None:
            """Format the traceback; this may call methods of the note."""
            if brief:
                lines = traceback.format_exception_only(error)
            else:
                # Of an endless recursion, show the beginning.
                is_endless = _depth(error.__traceback__) > _ENDLESS
                most = _MOST_FRAMES if is_endless else None
                whole = traceback.TracebackException.from_exception(error, limit=most, compact=True)
                _leave_out_the_engine(whole)
                lines = list(whole.format())
            texts.append(shortened("".join(lines).rstrip("\n")))

        self.run(write, seconds)
        return texts[0] if texts else f"{type(error).__name__}, whose message cannot be printed"


def _leave_out_the_engine(shown: traceback.TracebackException) -> None:
    """Remove frames of the engine from a traceback, and from those of its causes.

    They come from the guard of files, not from calls in the note.
    """
    shown.stack[:] = [call for call in shown.stack if Path(call.filename).parent != _ENGINE]
    for other in (shown.__cause__, shown.__context__, *(shown.exceptions or ())):
        if other:
            _leave_out_the_engine(other)


def _depth(frame: types.TracebackType | None) -> int:
    """Return the number of calls in a traceback."""
    depth = 0
    while frame:
        frame, depth = frame.tb_next, depth + 1
    return depth


def _reserve_memory() -> mmap.mmap | None:
    """Reserve address space, to be released when memory runs out."""
    with contextlib.suppress(OSError, ValueError):
        return mmap.mmap(-1, _RESERVE, **_PRIVATE)
    return None


@contextlib.contextmanager
def _redirect_output(output: OutputStream) -> Iterator[None]:
    """Redirect standard output and error to one stream, with an empty standard input."""
    streams = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = io.StringIO(), output, output
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams


class _Timer(NamedTuple):
    """A timer of a time limit: its signal, its clock, and a factor for the seconds."""

    signal: int
    clock: int
    factor: float


#: Pyodide has the signals, but no timers.
_TIMERS: tuple[_Timer, ...] = (
    (
        _Timer(signal.SIGPROF, signal.ITIMER_PROF, 1.0),
        _Timer(signal.SIGALRM, signal.ITIMER_REAL, PATIENCE),
    )
    if hasattr(signal, "setitimer")
    else ()
)


class limit:  # noqa: N801 - used like a function
    """Raise `BlockTimeoutError` in code that exceeds its time, repeatedly, until it ends.

    The limit is in seconds of processor time; in wall-clock time, code may take `PATIENCE` times as
    long. The error is also raised at the end if the code has caught it.

    Needs timers (Linux, macOS) and the main thread; elsewhere code runs without a limit.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.stopped: BlockTimeoutError | None = None
        is_main_thread = threading.current_thread() is threading.main_thread()
        self.timers = _TIMERS if is_main_thread else ()

    def __enter__(self) -> None:
        self.handlers = [_handle(timer.signal, self._stop) for timer in self.timers]
        for timer in self.timers:
            signal.setitimer(timer.clock, self.seconds * timer.factor, _AGAIN)

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        """Stop the timers; raise the timeout if the code has caught it."""
        for timer in self.timers:
            signal.setitimer(timer.clock, 0)
        for timer, handler in zip(self.timers, self.handlers, strict=True):
            _handle(timer.signal, handler)
        if self.stopped and kind is None:
            raise self.stopped

    def _stop(self, number: int, frame: types.FrameType | None) -> None:
        """Handle a timer's signal: raise BlockTimeoutError in the code that runs."""
        if number == signal.SIGALRM:
            after = f"{self.seconds * PATIENCE:g} s by the clock"
        else:
            after = f"{self.seconds:g} s"
        self.stopped = self.stopped or BlockTimeoutError(after)
        # Raised while the timers are being stopped, it would leave one running without a handler.
        if frame is None or frame.f_code is not limit.__exit__.__code__:
            raise BlockTimeoutError(*self.stopped.args)


@cache
def slowness() -> int:
    """Return by which factor this machine is slower than usual: an integer, at least 1."""

    def compute() -> float:
        """Return the seconds that a fixed computation takes."""
        began = time.process_time()
        array = np.linspace(0, 1, 4096).reshape(64, 64)
        for _ in range(20):
            np.exp(array @ array - 50).sum()
        sum(number * number % 7 for number in range(20_000))
        return time.process_time() - began

    return max(1, int(min(compute() for _ in range(3)) / _USUAL))


@contextlib.contextmanager
def _record_interrupts() -> Iterator[list[Any]]:
    """Record interrupts from the keyboard, as opposed to a KeyboardInterrupt raised by a note."""
    interrupts: list[Any] = []
    handler = _handler(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield interrupts
        return

    def record(number: int, frame: types.FrameType | None) -> None:
        interrupts.append(number)
        handler(number, frame)

    _handle(signal.SIGINT, record)
    try:
        yield interrupts
    finally:
        _handle(signal.SIGINT, handler)
