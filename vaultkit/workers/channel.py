"""The messages from the process of a note to its keeper.

The process writes lines (`Channel`), each with a token that the note cannot guess. The keeper
collects them, the note's other output, and the interpreter's trace (`Received`).
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
#: ended it, and the last heartbeat of a process of which the note has forked a copy.
_RESULT, _BEAT, DONE, RAISED, _COPY = b"M", b"B", b"E", b"R", b"C"
#: Exit status of a process that cannot send its results, or whose memory has run out.
CUT_OFF, OUT_OF_MEMORY = 70, 71
#: Bytes of results that are sent without waiting for the next heartbeat.
_MOST_PENDING = 1 << 16
#: Bytes kept of output that bypassed Python, at its beginning and end.
_KEPT_OUTPUT = 16384
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
        # Results wait for the next heartbeat, so that the keeper need not wake up for each of them.
        # They are sent before the next block, which may end this process.
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
        """Announce that only threads and exit handlers of the note follow."""
        if self._beat:
            self.send_now(_BEAT, {**self._beat, "leaving": True})

    def send_now(self, kind: bytes, message: Any) -> None:
        """Send a message of a kind immediately."""
        self._exit_if_copy()
        self._pending += self._line(kind, message)
        self._flush()

    def _exit_if_copy(self) -> None:
        """Exit if this process is a copy that the note has forked."""
        if _getpid() != self._pid:
            self._pending = self._line(_COPY, self._beat)
            self._flush()
            _exit(CUT_OFF)

    def _flush(self) -> None:
        """Write the message that was held back; end the process if the channel is closed."""
        line, self._pending = self._pending, b""
        try:
            while line:
                line = line[os.write(self._descriptor, line) :]
        except OSError:
            _exit(CUT_OFF)  # the note has closed it: without the last message, the work is not done

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
        #: The processor time that is allowed since its last heartbeat, and the time it had used
        #: then.
        self.allowed = limits.seconds
        self.spent: float | None = None
        self.messages: list[bytes] = []
        #: The last heartbeat, and the number of heartbeats.
        self.beat: dict[str, Any] = {}
        self.beats = 0
        #: Whether its work has ended, and the traceback of the error that ended it, if one did.
        self.done = False
        self.error = ""
        #: The reason to end it, if what was received gives one; and the number of its processes.
        self.verdict: Kind | None = None
        self.process_count = 0
        #: The beginning and the end of its output, and the trace of faulthandler.
        self.head = self.tail = self.trace = b""
        #: The beginning of a message that is not complete yet.
        self._rest = b""
        #: The bytes received through each pipe.
        self._sizes = {"results": 0, "output": 0}

    @property
    def readers(self) -> tuple[Take, ...]:
        """The reader of each pipe."""
        return self._take_results, self._take_output, self._take_trace

    def has_spent(self, seconds: float) -> bool:
        """Return whether it has exceeded its processor time, given the total."""
        if self.spent is None:
            self.spent = seconds
        return seconds - self.spent > self.allowed

    def _take_results(self, data: bytes) -> None:
        """Read results."""
        self._count("results", data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            token, kind, message = line[:16], line[16:17], line[17:]
            if token != self.token:
                self.verdict = self.verdict or "garbled"
            elif kind == _RESULT:
                self.messages.append(message)
            elif kind == _BEAT and self.verdict is None:
                self.beat = json.loads(message)
                self.beats += 1
                limit, grace = float(self.beat["limit"]), self.limits.grace
                self.deadline = time.monotonic() + limit * PATIENCE + grace
                self.allowed, self.spent = limit + grace, None
            elif kind == DONE:
                self.done = True
            elif kind == RAISED:
                self.done = True
                self.error = json.loads(message)
            elif kind == _COPY:
                self.beat = json.loads(message)
                self.verdict, self.process_count = "processes", 2

    def _take_output(self, data: bytes) -> None:
        """Read output that bypassed Python; keep its beginning and its end."""
        self._count("output", data)
        room = _KEPT_OUTPUT - len(self.head)
        self.head += data[:room]
        self.tail = (self.tail + data[room:])[-_KEPT_OUTPUT:] if room < len(data) else self.tail

    def _take_trace(self, data: bytes) -> None:
        """Read the trace of faulthandler."""
        self.trace = (self.trace + data)[-4 * _KEPT_OUTPUT :]

    def _count(self, what: str, data: bytes) -> None:
        """Count what was received of results or output; too much of it is a flood."""
        self._sizes[what] += len(data)
        if self._sizes[what] > self.limits.output:
            self.verdict = self.verdict or "flood"

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
        cut = self._sizes["output"] - len(self.head) - len(self.tail)
        between = f"\n[… {cut} bytes cut …]\n" if cut else ""
        output = self.head.decode(errors="replace") + between + self.tail.decode(errors="replace")
        code = self.process_count
        if kind is None:
            assert status is not None
            kind, code = self._end_of_itself(os.waitstatus_to_exitcode(status), left)
        return Ending(kind, code, self.beat, frames_of(self.trace), self.error or output)

    def _end_of_itself(self, status: int, left: int) -> tuple[Kind, int]:
        """Return the kind and the code of the `Ending` of a process that ended by itself."""
        if left:
            return "processes", left
        if self.done:
            return ("raised" if self.error else "done"), self.process_count
        if status < 0:
            return "signal", -status
        if status == CUT_OFF:
            return "garbled", self.process_count
        if status == OUT_OF_MEMORY:
            return "memory", self.process_count
        return ("exit" if status else "stopped early"), status


def read_waiting(descriptor: int, take: Take) -> bool:
    """Read available output without blocking, at most a part; return whether to go on."""
    with suppress(BlockingIOError):
        for _ in range(64):
            data = os.read(descriptor, 65536)
            if not data:
                return False
            take(data)
    return True


def frames_of(trace: bytes) -> tuple[tuple[str, int], ...]:
    r"""Parse a trace of faulthandler: file and line of the calls, outermost first.

    >>> head = b"Current thread 0x1 (most recent call first):\n"
    >>> frames_of(head + b'  File "a.py", line 2 in f\n  File "b.py", line 9 in <module>\n')
    (('b.py', 9), ('a.py', 2))
    """
    threads = re.findall(
        r"^(Current thread|Thread) .*\(most recent call first\):\n((?:  File .*\n)+)",
        trace.decode(errors="replace"),
        re.M,
    )
    stacks = sorted(threads, key=lambda stack: stack[0] != "Current thread")
    calls = (call for _, stack in stacks for call in reversed(stack.splitlines()))
    parsed = (re.match(r'  File "(.*)", line (\d+)', call) for call in calls)
    return tuple((call[1], int(call[2])) for call in parsed if call)
