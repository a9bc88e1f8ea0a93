"""A process for each note: whatever a note does ends with it.

A few *keepers*, one for each core, are started from this process. A keeper starts a process for
each note, watches it, and ends it with everything that it has started (`vaultkit.workers.keeper`).
The results are plain data.

On Linux, keepers are forked from this process, which has loaded all modules and notes. Where that
is not safe (other threads run, or another system), they are started as new processes, and the work
must be picklable. Windows cannot fork: there, a keeper runs the notes itself, and is replaced if it
had to be ended. Where there are no processes at all, or with ``count=0`` (debuggers, coverage),
notes run in this process, unprotected.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from vaultkit.workers.ending import Ending, Limits
from vaultkit.workers.work import Work, is_beat, load

#: The number of keys sent to a keeper, so that it has the next one when this process is busy.
_MOST_KEYS = 2
#: Bytes that a pipe to a busy keeper can hold. With more, this process and the keeper could wait
#: for each other to read.
_ROOM = 1 << (17 if sys.platform == "linux" else 12)
#: Seconds in which a keeper whose connection is closed ends by itself, and in which one that seems
#: to be lost ends, so that the signal that has ended it is known.
_CLOSE_TIME, _LOSS_TIME = 2.0, 0.5


class Workers:
    """Processes that do the work of each key, ahead of the request for its result.

    Parameters
    ----------
    work
        Called in a process of its own with a key and a function that sends a message, a dictionary
        that JSON can hold. A message ``{"block": index, "limit": seconds}`` is a heartbeat: from
        then on, the process may use so many seconds of processor time (and some seconds of grace),
        and `PATIENCE` times as many by the clock until the next one. It may have these methods:

        - ``prepare()`` is called first in each process from which others are forked, so that these
          share its results.
        - ``load(key, data)`` is called there before the process for the key is forked.
        - ``resumes(key)`` returns a `Resumption`. With it, checkpoints are kept on systems that
          support them (`vaultkit.workers.checkpoints`), and the work is called with a third
          argument, a function that creates one.
    count
        The number of keys that are worked on at a time; 0 to work in this process.
    limits
        The limits of each process.
    """

    def __init__(self, work: Work, count: int | None = None, limits: Limits | None = None) -> None:
        self._work = work
        self._limits = limits or Limits()
        if sys.platform in ("emscripten", "wasi"):
            count = 0
        self._count = count_cores() if count is None else count
        #: The keys that were submitted and not sent to a keeper yet.
        self._waiting: deque[str] = deque()
        #: Functions that return the data of the keys that have not ended.
        self._data: dict[str, Callable[[], bytes]] = {}
        #: How the work of keys has ended whose results nobody has requested yet.
        self._endings: dict[str, Ending] = {}
        self._keepers: list[_KeeperHandle] = []

    def begin(self, count: int | None = None) -> Workers:
        """Start ``count`` keepers before there are keys; they prepare themselves meanwhile.

        None: as many as there may be. Early is better: forking takes longer the more memory this
        process has. Return these workers.
        """
        count = self._count if count is None else min(count, self._count)
        while can_fork() and len(self._keepers) < count:
            self._new_keeper()
        return self

    def submit(self, key: str, data: Callable[[], bytes] = bytes) -> None:
        """Submit the work of a key; the work of earlier keys is done first.

        ``data`` returns the data of the key; it is called when the key is sent to a keeper.
        """
        self._waiting.append(key)
        self._data[key] = data

    def attend(self) -> None:
        """Start or continue submitted work in the background."""
        if self._count:
            self._dispatch()
            self._listen(patience=0.0)

    def result(self, key: str) -> Ending:
        """Wait until the work of a key has ended; return how."""
        if self._count == 0:
            if key in self._waiting:
                self._waiting.remove(key)
            return _work_in_this_process(self._work, key, self._data.pop(key, bytes)())
        is_sent = any(key in keeper.keys for keeper in self._keepers)
        if key not in self._endings and not is_sent:
            # It is needed now, before the others.
            if key in self._waiting:
                self._waiting.remove(key)
            self._waiting.appendleft(key)
        self._dispatch()
        while key not in self._endings:
            self._listen()
        self._data.pop(key, None)
        return self._endings.pop(key)

    def cancel(self, key: str) -> None:
        """Cancel the work of a key if it runs; another thread that waits for it gets the ending."""
        for keeper in self._keepers:
            if keeper.keys and keeper.keys[0] == key:  # the first one is worked on
                keeper.cancel()

    def forget_checkpoints(self, *names: str) -> None:
        """End the processes that are the checkpoints of these names, which are outdated."""
        for keeper in self._keepers:
            with contextlib.suppress(OSError):
                keeper.connection.send_bytes(json.dumps(names).encode())

    def close(self) -> None:
        """End all processes."""
        keepers, self._keepers = self._keepers, []
        for keeper in keepers:
            keeper.connection.close()  # on which the keeper ends
        for keeper in keepers:
            keeper.join(_CLOSE_TIME)

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _dispatch(self) -> None:
        """Send keys to the keepers with the fewest; start keepers as long as there are keys."""
        while self._waiting:
            keeper = min(self._keepers, key=lambda keeper: len(keeper.keys), default=None)
            may_start_another = len(self._keepers) < self._count
            if keeper is None or (keeper.keys and may_start_another):
                keeper = self._new_keeper()
            if len(keeper.keys) >= _MOST_KEYS:  # so have all others
                return
            request = self._request(self._waiting[0])
            if keeper.keys and len(request) > _ROOM:  # it is sent when the keeper is idle
                return
            key = self._waiting.popleft()
            keeper.keys.append(key)
            keeper.expect_within(_PATIENCE)
            try:
                keeper.connection.send_bytes(request)
            except OSError:
                self._discard_keeper(keeper, "lost")

    def _request(self, key: str) -> bytes:
        """Return a request to a keeper: a key as a line of JSON, then its data."""
        data = self._data.get(key, bytes)()
        self._data[key] = lambda: data  # it may be sent again
        return json.dumps(key).encode() + b"\n" + data

    def _new_keeper(self) -> _KeeperHandle:
        """Start a keeper process, and return it."""
        import multiprocessing

        from vaultkit.workers.keeper import keep  # not importable on all systems

        keeper_can_fork = hasattr(os, "fork")
        context: Any = multiprocessing.get_context("fork" if can_fork() else "spawn")
        ours, theirs = context.Pipe()
        # A process with threads, even those of a matrix product, cannot have checkpoints.
        cores = 1 if hasattr(self._work, "resumes") else max(1, count_cores() // self._count)
        arguments = self._work, theirs, self._limits, keeper_can_fork, self._limits.threads or cores
        process = context.Process(target=keep, args=arguments, daemon=True)
        with warnings.catch_warnings():
            # Python counts BLAS's threads, too; BLAS restarts its own after a fork.
            warnings.simplefilter("ignore", DeprecationWarning)
            process.start()
        theirs.close()
        self._keepers.append(_KeeperHandle(process, ours))
        return self._keepers[-1]

    def _listen(self, patience: float | None = None) -> None:
        """Wait for messages of the keepers, and process them.

        Wait for at most ``patience`` seconds; None: until a keeper should have sent a message.
        """
        from multiprocessing.connection import wait

        deadlines = [keeper.deadline for keeper in self._keepers if keeper.keys]
        if patience is None:
            patience = max(0.0, min(deadlines, default=0.0) - time.monotonic())
        ready = wait([keeper.connection for keeper in self._keepers], patience)
        now = time.monotonic()
        for keeper in list(self._keepers):
            if keeper.connection in ready:
                try:
                    self._process_message(keeper, keeper.connection.recv_bytes())
                except (EOFError, OSError):
                    self._discard_keeper(keeper, "lost")
            elif now > keeper.deadline and keeper.keys:
                # A keeper that runs the notes itself is silent while a note hangs.
                self._discard_keeper(keeper, "timed out" if keeper.runs_notes else "lost")
        self._dispatch()

    def _process_message(self, keeper: _KeeperHandle, frame: bytes) -> None:
        """Process a message of a keeper: a letter for its kind, then its content."""
        kind, content = frame[:1], frame[1:].decode()
        if kind == b".":  # a sign of life, with the seconds until the next one
            keeper.expect_within(float(content))
        elif kind == b"P":  # the process of the note
            keeper.note_pid = int(content)
            if keeper.cancelled:  # before there was a process
                keeper.cancel()
        elif kind == b"A":  # it cannot fork
            keeper.runs_notes = True
            if keeper.cancelled:  # before this was known
                keeper.cancel()
        elif kind == b"T":  # the error that ends the keeper itself
            keeper.traceback = content
        elif kind == b"B":  # a heartbeat of the note
            keeper.beat = json.loads(content)
        elif kind == b"M":  # a message of the note
            keeper.messages.append(json.loads(content))
        elif kind == b"E":  # how the note ended, and its messages
            ending_text, *messages = content.split("\n")
            keeper.messages += map(json.loads, messages)
            ending = Ending(**json.loads(ending_text))
            frames = tuple((file, line) for file, line in ending.frames)
            ending = replace(ending, frames=frames, messages=tuple(keeper.messages))
            self._endings[keeper.keys.popleft()] = ending
            keeper.messages, keeper.beat, keeper.note_pid, keeper.cancelled = [], {}, 0, False
            keeper.expect_within(_PATIENCE)

    def _discard_keeper(self, keeper: _KeeperHandle, kind: Any) -> None:
        """Give up a keeper, and end the process of its note; other keepers get its other keys.

        ``kind`` is that of the ending of its first key, if it has one: *lost* or *timed out*.
        """
        self._keepers.remove(keeper)
        if kind == "lost":
            keeper.process.join(_LOSS_TIME)
        # Of the signal that ended it; 0 if none did.
        signal_number = -min(0, keeper.process.exitcode or 0)
        # No process of a note was running that could have ended it: the keeper was killed, or ran
        # the note itself. Otherwise it stays *lost*: probably the note ended its keeper.
        if kind == "lost" and signal_number and not keeper.note_pid:
            kind = "signal"
        if keeper.note_pid:
            with contextlib.suppress(OSError):
                os.killpg(keeper.note_pid, signal.SIGKILL)
        keeper.connection.close()
        keeper.join(0.0)
        if keeper.keys:
            messages = tuple(keeper.messages)
            key = keeper.keys.popleft()
            error = keeper.traceback
            kind = "raised" if error else kind
            self._endings[key] = Ending(
                kind, signal_number, keeper.beat, details=error, messages=messages
            )
        self._waiting.extendleft(reversed(keeper.keys))


#: Seconds within which a keeper must answer after it was sent a key.
_PATIENCE = 60.0


@dataclass(eq=False)
class _KeeperHandle:
    """A keeper, as seen from this process."""

    process: Any
    connection: Any
    #: The keys that were sent to it; it works on the first one.
    keys: deque[str] = field(default_factory=deque)
    #: The messages of that key, and its last heartbeat.
    messages: list[dict[str, Any]] = field(default_factory=list)
    beat: dict[str, Any] = field(default_factory=dict)
    #: Id of the process that runs the note; 0 before it exists.
    note_pid: int = 0
    #: Whether it cannot fork, and runs the notes itself.
    runs_notes: bool = False
    #: Whether its present work was cancelled.
    cancelled: bool = False
    #: The traceback of the error that ended it, if one did.
    traceback: str = ""
    #: The time by which its next message must come.
    deadline: float = float("inf")

    def expect_within(self, seconds: float) -> None:
        """Set the deadline for its next message."""
        self.deadline = time.monotonic() + seconds

    def cancel(self) -> None:
        """End the process of the note, as soon as it exists.

        A keeper that cannot fork is ended itself: it runs the note.
        """
        self.cancelled = True
        with contextlib.suppress(OSError):
            if self.runs_notes:
                self.process.kill()
            elif self.note_pid:
                os.killpg(self.note_pid, signal.SIGKILL)

    def join(self, patience: float) -> None:
        """Wait for the end of the keeper; kill it if that takes longer than so many seconds."""
        until = time.monotonic() + patience
        while self.process.is_alive() and time.monotonic() < until:
            time.sleep(0.002)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.process.close()


def _work_in_this_process(work: Work, key: str, data: bytes) -> Ending:
    """Do the work of a key in this process."""
    messages: list[dict[str, Any]] = []
    beat: dict[str, Any] = {}

    def send(message: dict[str, Any]) -> None:
        """Keep a message; of the heartbeats, the last one."""
        if is_beat(message):
            beat.update(message)
        else:
            messages.append(message)

    try:
        load(work, key, data)
        work(key, send)
    except Exception:
        return Ending("raised", beat=beat, details=traceback.format_exc(), messages=tuple(messages))
    return Ending("done", beat=beat, messages=tuple(messages))


def can_fork() -> bool:
    """Return whether it is safe to fork this process: it has no other threads, and runs on Linux.

    On macOS, libraries of the system may have started threads that Python does not know.
    """
    return sys.platform == "linux" and hasattr(os, "fork") and threading.active_count() == 1


def count_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
