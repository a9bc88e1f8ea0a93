"""Checkpoints: processes from which an edited note resumes in the middle.

After a block, the process of a note may fork a copy of itself, a *checkpoint*, which waits on a
pipe for a task to resume with. When it resumes, it leaves another checkpoint behind. It ends when
the keeper closes the pipe, or ends. It is a child of the keeper, so that the note does not see it.
Checkpoints need Linux; elsewhere notes always run from the beginning.
"""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vaultkit.run.processes import children, is_alive

#: Seconds within which a checkpoint must answer when it is resumed.
_PATIENCE = 2.0
#: Seconds by which the clock of the file system may be behind.
_LATE = 0.02
#: Most announcements that are read at once.
_AT_ONCE = 64
#: Bytes of the token at the beginning of each announcement.
_TOKEN = 16
#: Bytes of the length before a serialised task.
_LENGTH = 8

# Bound here, since a note may replace the functions of their modules.
_exit = os._exit

Stamps = dict[Path, tuple[int, int, int] | None]


def can_wait() -> bool:
    """Return whether this system supports checkpoints."""
    return sys.platform == "linux" and hasattr(os, "fork") and hasattr(socket, "send_fds")


class Waiting:
    """Creates checkpoints in the process of a note.

    Parameters
    ----------
    token
        The secret that proves that a message is not from the note.
    line
        The socket on which checkpoints are announced to the keeper.
    again
        Called in a resumed process: it becomes the process of the note, and sends the earlier
        messages again.
    adopt
        Called with False before and True after a fork whose parent must become the keeper: whether
        this process adopts orphans.
    spacing
        The least number of seconds of a note's run between two checkpoints.
    """

    def __init__(
        self,
        token: bytes,
        line: socket.socket,
        again: Callable[[], None],
        adopt: Callable[[bool], None],
        spacing: float,
    ) -> None:
        self._token = token
        self._line = line
        self._again = again
        self._adopt = adopt
        self._spacing = spacing
        self._files = _open_files()
        self._began = time.time()
        self._last = time.monotonic()

    def __call__(self, index: int, read: Iterable[Path]) -> bytes | None:
        """Create a checkpoint after a block, if that is safe and saves time.

        Parameters
        ----------
        index
            The index of the block.
        read
            The files that the note has read so far.

        Returns
        -------
        bytes or None
            In the process that resumes from it: the serialised task to continue with; else None.
        """
        if time.monotonic() - self._last < self._spacing or not self._is_alone():
            return None
        stamps = _stamps(read)
        last_change = max((stamp[0] / 1e9 for stamp in stamps.values() if stamp), default=0.0)
        if last_change > self._began - _LATE:
            return None  # a file that the note has read may have changed since
        given = None
        with suppress(OSError):
            reading, writing = os.pipe()
            message = {"index": index}
            if self._fork_sibling(lambda pid: self._announce({**message, "pid": pid}, writing)):
                os.close(writing)
                given = self._wait(reading, stamps)
            os.close(reading)
            if given is None:
                os.close(writing)
        self._last = time.monotonic()
        return given

    def _wait(self, reading: int, stamps: Stamps) -> bytes:
        """Wait for a task; return it in the process that resumes."""
        given = b""
        with suppress(BaseException):
            os.setsid()
            while order := _read_task(reading):
                if _stamps(stamps) != stamps:
                    break
                if self._fork_sibling(lambda _pid: None):
                    os.setsid()
                    self._began = time.time()
                    self._announce({"pid": os.getpid()})
                    self._again()
                    given = order
                    break
        if not given:
            _exit(0)
        return given

    def _fork_sibling(self, announce: Callable[[int], None]) -> bool:
        """Fork a process whose parent is the keeper; return True in it, and False here."""
        # Python reseeds its generator after a fork; restore its state.
        numbers = random.getstate()
        self._adopt(False)
        try:
            between = os.fork()
            if between == 0:
                try:
                    if pid := os.fork():
                        announce(pid)
                        _exit(0)
                    return True
                except BaseException:
                    _exit(1)
            os.waitpid(between, 0)
        finally:
            self._adopt(True)
            random.setstate(numbers)
        return False

    def _announce(self, message: dict[str, Any], *descriptors: int) -> None:
        socket.send_fds(self._line, [self._token + json.dumps(message).encode()], descriptors)

    def _is_alone(self) -> bool:
        """Return whether a fork would copy the whole state of the note.

        It would not copy threads and timers, and it would share processes, open files and shared
        memory.
        """
        timers = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
        return (
            len(list(Path("/proc/self/task").iterdir())) == 1
            and not children(os.getpid())
            and not any(signal.getitimer(timer)[0] for timer in timers)
            and _open_files() == self._files
            and not _shares_memory()
        )


def _open_files() -> dict[str, str]:
    """Return what each file descriptor of this process refers to."""
    found = {}
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # the descriptor of the listed folder itself
            found[entry.name] = os.fspath(entry.readlink())
    return found


def _shares_memory() -> bool:
    rights = (line.split()[1] for line in Path("/proc/self/maps").read_text().splitlines())
    return any("s" in right and "w" in right for right in rights)


def _stamps(files: Iterable[Path]) -> Stamps:
    """Return the stamps by which changed and new files are detected."""
    found: Stamps = {}
    files = set(files)
    for path in files | {file.parent for file in files if not file.is_dir()}:
        found[path] = None
        with suppress(OSError):
            seen = path.stat()
            found[path] = seen.st_mtime_ns, seen.st_size, seen.st_ino
    return found


def _read_task(reading: int) -> bytes:
    """Read a serialised task, preceded by its length; empty at the end of the pipe."""
    length = int.from_bytes(_read_bytes(reading, _LENGTH), "big")
    return _read_bytes(reading, length)


def _read_bytes(reading: int, count: int) -> bytes:
    """Read ``count`` bytes from a descriptor; empty if it ends earlier."""
    read = b""
    while len(read) < count:
        data = os.read(reading, count - len(read))
        if not data:
            return b""
        read += data
    return read


@dataclass
class Checkpoint:
    """A checkpoint in the keeper: the index of its block, its process and its pipe."""

    index: int
    pid: int
    writing: int

    def end(self) -> None:
        """End it."""
        with suppress(OSError):
            os.close(self.writing)
        with suppress(OSError):
            # A reaped process's number may belong to another process by now.
            if os.waitpid(self.pid, os.WNOHANG) == (0, 0):
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)

    def go_on(self, given: bytes) -> bool:
        """Send a task to the checkpoint to resume with; return whether that succeeded."""
        data = len(given).to_bytes(_LENGTH, "big") + given
        until = time.monotonic() + _PATIENCE
        os.set_blocking(self.writing, False)
        while data and time.monotonic() < until and is_alive(self.pid):
            try:
                data = data[os.write(self.writing, data) :]
            except BlockingIOError:
                time.sleep(0.001)
            except OSError:
                return False
        return not data


@dataclass
class Chain:
    """The checkpoints of one run of a note, and the channels to its processes.

    Attributes
    ----------
    token
        The secret that proves that a message is not from the note.
    pipes
        The pipes of its output.
    line
        The socket on which it announces checkpoints; None without checkpoints.
    kept
        Its checkpoints, in the order of the blocks.
    """

    token: bytes
    pipes: list[int]
    line: socket.socket | None = None
    kept: list[Checkpoint] = field(default_factory=list)

    def end(self) -> None:
        """End its checkpoints, and close its channels."""
        self.end_after(-1)
        for reading in self.pipes:
            os.close(reading)
        if self.line:
            self.line.close()

    def end_after(self, index: int) -> None:
        """End the checkpoints of the blocks after one."""
        while self.kept and self.kept[-1].index > index:
            self.kept.pop().end()

    def hear(self) -> list[int]:
        """Read the announcements; return the ids of the processes that resume."""
        going_on: list[int] = []
        for _ in range(_AT_ONCE):  # bounded, since a note may flood the socket
            if self.line is None:
                break
            try:
                data, descriptors, _, _ = socket.recv_fds(self.line, 4096, 4)
            except BlockingIOError:
                break
            except OSError:
                data, descriptors = b"", []
            if not data:  # the socket is closed
                self.line.close()
                self.line = None
                break
            message = json.loads(data[_TOKEN:]) if data.startswith(self.token) else {}
            if "index" in message and len(descriptors) == 1:
                self._keep(Checkpoint(message["index"], message["pid"], descriptors[0]))
                continue
            for descriptor in descriptors:
                os.close(descriptor)
            if "pid" in message:
                going_on.append(message["pid"])
        return going_on

    def close_inherited(self) -> None:
        """Close its channels in a process that was forked from the keeper."""
        for descriptor in (*self.pipes, *(checkpoint.writing for checkpoint in self.kept)):
            os.close(descriptor)
        if self.line:
            self.line.close()

    def _keep(self, new: Checkpoint) -> None:
        """Keep a checkpoint in the order of the blocks, and end the old one of its block."""
        for old in [old for old in self.kept if old.index == new.index]:
            self.kept.remove(old)
            old.end()
        self.kept.append(new)
        self.kept.sort(key=lambda one: one.index)

    def resume(self, last: int, given: bytes) -> int:
        """Resume from the last checkpoint at or before a block.

        Returns the id of the process that resumes; 0 if none does.
        """
        for one in [checkpoint for checkpoint in reversed(self.kept) if checkpoint.index <= last]:
            until = time.monotonic() + _PATIENCE
            resumed = one.go_on(given)
            while resumed and time.monotonic() < until:
                alive = is_alive(one.pid)
                if going_on := self.hear():
                    return going_on[0]
                if not alive:
                    break
                time.sleep(0.001)
            self.kept.remove(one)
            one.end()
        return 0
