"""The messages from the process of a note to its keeper.

The process writes lines (`Channel`), each with a token that the note cannot guess. The keeper
collects them, the note's other output, and the interpreter's trace (`Received`). A *heartbeat* is a
message that says which block begins, and how much time it may take.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from vaultkit.run.capture import PATIENCE
from vaultkit.workers.ending import Ending, Kind, Limits
from vaultkit.workers.work import is_beat

#: Receives data that was read from a pipe.
Take = Callable[[bytes], None]

#: The kinds of messages: a result, a heartbeat, the end of the work, the traceback of an error that
#: ended it, and the last heartbeat of a process of which the note has forked a copy. Each is one
#: byte behind the token.
_RESULT, _BEAT, DONE, RAISED, _COPY = b"M", b"B", b"E", b"R", b"C"
#: Exit status of a process that cannot send its results, or whose memory has run out.
CUT_OFF, OUT_OF_MEMORY = 70, 71
#: Bytes of results from which on they are sent without waiting for the next heartbeat.
_MOST_PENDING = 1 << 16
#: Bytes kept of output that bypassed Python, at its beginning and end, and of a trace.
_KEPT_OUTPUT = 16384
_KEPT_TRACE = 4 * _KEPT_OUTPUT
#: Bytes that are read from a pipe at once (its usual size), and how many times in a row: a note
#: that writes without end must not keep its keeper busy.
_PART, _MOST_PARTS = 65536, 64
#: The calls of a thread in a trace of faulthandler, and one of these calls (see `frames_of`).
_STACK = re.compile(
    r"^(?P<thread>Current thread|Thread) .*\(most recent call first\):\n"
    r"(?P<calls>(?:  File .*\n)+)",
    re.MULTILINE,
)
_CALL = re.compile(r'  File "(?P<file>.*)", line (?P<line>\d+)')
# Bound here, since a note may replace the functions of their modules.
_exit = os._exit
_getpid = os.getpid
encode = json.JSONEncoder(separators=(",", ":")).encode


class Channel:
    """Sends the results of a note's process, each on a line with a secret token.

    Parameters
    ----------
    token
        The token, which code of the note does not know.
    descriptor
        The pipe to the keeper of the process.
    """

    def __init__(self, token: bytes, descriptor: int) -> None:
        self._descriptor = descriptor
        self._token = token
        self._pid = _getpid()
        #: The last heartbeat sent, and results that wait for the next one.
        self._beat: dict[str, Any] = {}
        self._pending = b""
        #: All results sent so far, which a resumed process sends again.
        self._sent = bytearray()

    def send(self, message: dict[str, Any]) -> None:
        """Send a message; a result may wait for the next heartbeat."""
        if is_beat(message):
            self.send_now(_BEAT, message)
            self._beat = message
            return
        self._exit_if_copy()
        # Results wait for the next heartbeat, so that fewer writes are needed. They are sent before
        # the next block, which may end this process.
        line = self._line(_RESULT, message)
        self._sent += line
        self._pending += line
        if len(self._pending) > _MOST_PENDING:
            self._flush()

    def send_again(self) -> None:
        """Send again, in a resumed process, the messages of the process that it was forked from."""
        self._pid = _getpid()
        self._pending = bytes(self._sent)

    def announce_exit(self) -> None:
        """Announce that only threads and exit handlers of the note follow.

        Without a heartbeat, no code of the note has run.
        """
        if self._beat:
            self.send_now(_BEAT, {**self._beat, "leaving": True})

    def send_now(self, kind: bytes, message: Any) -> None:
        """Send a message of a kind immediately."""
        self._exit_if_copy()
        self._pending += self._line(kind, message)
        self._flush()

    def _exit_if_copy(self) -> None:
        """Exit if this process is a copy that the note has forked, after telling the keeper."""
        if _getpid() != self._pid:
            self._pending = self._line(_COPY, self._beat)
            self._flush()
            _exit(CUT_OFF)

    def _flush(self) -> None:
        """Write the messages that wait; end the process if the note has closed the channel."""
        unsent, self._pending = self._pending, b""
        try:
            while unsent:
                unsent = unsent[os.write(self._descriptor, unsent) :]
        except OSError:
            _exit(CUT_OFF)

    def _line(self, kind: bytes, message: Any) -> bytes:
        """Return a message as a line: the token, the kind, and JSON."""
        return self._token + kind + encode(message).encode() + b"\n"


class Received:
    """The messages and the output received from a note's process.

    Parameters
    ----------
    token
        The bytes with which each of its messages begins, so that output of the note
        is not taken for one.
    limits
        Its limits.
    """

    def __init__(self, token: bytes, limits: Limits) -> None:
        self.token = token
        self.limits = limits
        #: The time by the clock at which it must have sent the next heartbeat.
        self.deadline = time.monotonic() + limits.seconds
        #: Seconds of processor time that are allowed from its last heartbeat on, and those that it
        #: had used when they were first measured after that; None if they were not.
        self._allowed = limits.seconds
        self._used_at_beat: float | None = None
        #: Its results, each as JSON.
        self.messages: list[bytes] = []
        #: The last heartbeat, and the number of heartbeats.
        self.beat: dict[str, Any] = {}
        self.beats = 0
        #: Whether its work has ended, and the traceback of the error that ended it, if one did.
        self.done = False
        self.error = ""
        #: Why it has to be ended, if what was received gives a reason.
        self.reason_to_end: Kind | None = None
        #: The number of its processes, if that is the reason; else 0.
        self.process_count = 0
        #: The beginning and the end of its output, and the trace of faulthandler.
        self._head = self._tail = self.trace = b""
        #: The beginning of a message that is not complete yet.
        self._incomplete = b""
        #: The bytes received through each pipe.
        self._sizes = {"results": 0, "output": 0}

    @property
    def takers(self) -> tuple[Take, ...]:
        """What receives the data of each pipe: of results, of output and of traces."""
        return self._take_results, self._take_output, self._take_trace

    def has_used_too_much(self, seconds: float) -> bool:
        """Return whether it has exceeded its processor time, given all that it has used."""
        if self._used_at_beat is None:
            self._used_at_beat = seconds
        return seconds - self._used_at_beat > self._allowed

    def _take_results(self, data: bytes) -> None:
        """Take lines of the channel; keep the last until it is complete."""
        self._count("results", data)
        *lines, self._incomplete = (self._incomplete + data).split(b"\n")
        for line in lines:
            if not line.startswith(self.token):  # the note has written into the channel
                self.reason_to_end = self.reason_to_end or "garbled"
                continue
            line = line.removeprefix(self.token)
            kind, message = line[:1], line[1:]
            if kind == _RESULT:
                self.messages.append(message)
            elif kind == _BEAT and self.reason_to_end is None:  # else it gets no more time
                self.beat = json.loads(message)
                self.beats += 1
                limit, grace = float(self.beat["limit"]), self.limits.grace
                self.deadline = time.monotonic() + limit * PATIENCE + grace
                self._allowed, self._used_at_beat = limit + grace, None
            elif kind == DONE:
                self.done = True
            elif kind == RAISED:
                self.done = True
                self.error = json.loads(message)
            elif kind == _COPY:
                self.beat = json.loads(message)
                # Of all reasons, this is the most exact one.
                self.reason_to_end, self.process_count = "processes", 2  # it and its copy

    def _take_output(self, data: bytes) -> None:
        """Take output that bypassed Python; keep its beginning and its end."""
        self._count("output", data)
        room = _KEPT_OUTPUT - len(self._head)
        self._head += data[:room]
        if len(data) > room:
            self._tail = (self._tail + data[room:])[-_KEPT_OUTPUT:]

    def _take_trace(self, data: bytes) -> None:
        """Take the trace of faulthandler; keep the end, which is the last one."""
        self.trace = (self.trace + data)[-_KEPT_TRACE:]

    def _count(self, pipe: str, data: bytes) -> None:
        """Count what was received through a pipe; too much of it is a flood."""
        self._sizes[pipe] += len(data)
        if self._sizes[pipe] > self.limits.output:
            self.reason_to_end = self.reason_to_end or "flood"

    def make_ending(self, kind: Kind | None, status: int | None, left: int) -> Ending:
        """Return how the process ended.

        Parameters
        ----------
        kind
            Why the keeper has ended it; None if it ended by itself.
        status
            Its status from `os.waitpid`, if it ended by itself.
        left
            The number of processes that it has left.
        """
        code = self.process_count
        if kind is None:
            assert status is not None
            kind, code = self._own_end(os.waitstatus_to_exitcode(status), left)
        details = self.error or self._output()
        return Ending(kind, code, self.beat, frames_of(self.trace), details)

    def _output(self) -> str:
        """Return the beginning and the end of its output, and how much is between them."""
        cut = self._sizes["output"] - len(self._head) - len(self._tail)
        between = f"\n[… {cut} bytes cut …]\n" if cut else ""
        return self._head.decode(errors="replace") + between + self._tail.decode(errors="replace")

    def _own_end(self, status: int, left: int) -> tuple[Kind, int]:
        """Return the kind and the code of the `Ending` of a process that ended by itself.

        ``status`` is its exit status, or the negative number of the signal that has ended it;
        ``left`` is the number of processes that it has left.
        """
        if left:
            return "processes", left
        if self.done:
            return ("raised" if self.error else "done"), 0
        if status < 0:
            return "signal", -status
        if status == CUT_OFF:
            return "garbled", 0
        if status == OUT_OF_MEMORY:
            return "memory", 0
        return ("exit" if status else "stopped early"), status


def read_waiting(descriptor: int, take: Take) -> bool:
    """Read available output without blocking, at most 4 MB; return whether more may follow.

    The descriptor must be non-blocking. Nothing follows if all its writers have closed it.
    """
    with suppress(BlockingIOError):  # nothing is available
        for _ in range(_MOST_PARTS):
            data = os.read(descriptor, _PART)
            if not data:
                return False
            take(data)
    return True


def frames_of(trace: bytes) -> tuple[tuple[str, int], ...]:
    r"""Parse a trace of faulthandler: file and line of the calls, outermost first.

    The calls of the current thread come first, then those of the others.

    >>> head = b"Current thread 0x1 (most recent call first):\n"
    >>> frames_of(head + b'  File "a.py", line 2 in f\n  File "b.py", line 9 in <module>\n')
    (('b.py', 9), ('a.py', 2))
    """
    stacks = list(_STACK.finditer(trace.decode(errors="replace")))
    stacks.sort(key=lambda stack: stack["thread"] != "Current thread")
    lines = (line for stack in stacks for line in reversed(stack["calls"].splitlines()))
    calls = (_CALL.match(line) for line in lines)
    return tuple((call["file"], int(call["line"])) for call in calls if call)
