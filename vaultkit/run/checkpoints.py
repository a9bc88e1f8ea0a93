"""Processes that wait where a note has come to, so that it can go on from there with another text.

At the end of a block the process of a note leaves a copy of itself behind, a *checkpoint*. It waits
until it is told to go on, and then leaves one behind in its turn; it ends when the keeper closes
the pipe on which it waits, or dies. It is a child of the keeper, not of the note, which must not
see it. All this needs Linux; elsewhere notes run whole.
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

#: Seconds within which a checkpoint is heard of that was told to go on.
_PATIENCE = 2.0
#: Seconds by which the clock of the files may be late.
_LATE = 0.02
#: How many messages are taken in at a time.
_AT_ONCE = 64
#: Bytes at the beginning of what is said by those who know it.
_TOKEN = 16

# A note cannot reach these by giving the names of their modules another meaning.
_exit = os._exit

Stamps = dict[Path, tuple[int, int, int] | None]


def can_wait() -> bool:
    """Tell whether there can be checkpoints on this system."""
    return sys.platform == "linux" and hasattr(os, "fork") and hasattr(socket, "send_fds")


class Waiting:
    """Leaves checkpoints behind, in the process of a note.

    Parameters
    ----------
    token
        What shows that a message is not from the note.
    line
        Over which the keeper is told of them.
    again
        Called in the process that goes on: to become the process of a note, and to send again what
        was sent before.
    adopt
        Called with False before and with True after this process has one whose parent is the
        keeper: whether it is the parent of what the note leaves behind.
    spacing
        Seconds that the note has to have run since the last one.
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

    def __call__(self, index: int, read: Iterable[Path]) -> str | None:
        """Leave a checkpoint behind a block, if that is safe and worth it.

        Parameters
        ----------
        index
            Number of the block.
        read
            The files that the note has read so far.

        Returns
        -------
        str or None
            In the process that goes on from it later, what to go on with.
        """
        if time.monotonic() - self._last < self._spacing or not self._is_alone():
            return None
        stamps = _stamps(read)
        last_change = max((stamp[0] / 1e9 for stamp in stamps.values() if stamp), default=0.0)
        if last_change > self._began - _LATE:
            return None  # it may have been read before that
        key = None
        with suppress(OSError):
            reading, writing = os.pipe()
            told = {"index": index}
            if self._apart(lambda pid: self._tell({**told, "pid": pid}, writing)):
                os.close(writing)
                key = self._wait(reading, stamps)
            os.close(reading)
            if key is None:
                os.close(writing)
        self._last = time.monotonic()
        return key

    def _wait(self, reading: int, stamps: Stamps) -> str:
        """Wait to be told to go on; return in the process that does so."""
        key = ""
        with suppress(BaseException):
            os.setsid()
            while line := _line(reading):
                if _stamps(stamps) != stamps:
                    break
                if self._apart(lambda _pid: None):
                    os.setsid()
                    self._began = time.time()
                    self._tell({"pid": os.getpid()})
                    self._again()
                    key = line
                    break
        if not key:
            _exit(0)
        return key

    def _apart(self, tell: Callable[[int], None]) -> bool:
        """Fork a process whose parent is the keeper; return True in it, here False."""
        # A fork sows them anew.
        numbers = random.getstate()
        self._adopt(False)
        try:
            between = os.fork()
            if between == 0:
                try:
                    if pid := os.fork():
                        tell(pid)
                        _exit(0)
                    return True
                except BaseException:
                    _exit(1)
            os.waitpid(between, 0)
        finally:
            self._adopt(True)
            random.setstate(numbers)
        return False

    def _tell(self, message: dict[str, Any], *descriptors: int) -> None:
        socket.send_fds(self._line, [self._token + json.dumps(message).encode()], descriptors)

    def _is_alone(self) -> bool:
        """Tell whether a copy of this process is all that the note has come to.

        Threads are not copied; processes, open files and shared memory are not the copy's alone; a
        timer is not the copy's at all.
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
    found = {}
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # the folder that is being listed
            found[entry.name] = os.fspath(entry.readlink())
    return found


def _shares_memory() -> bool:
    rights = (line.split()[1] for line in Path("/proc/self/maps").read_text().splitlines())
    return any("s" in right and "w" in right for right in rights)


def _stamps(files: Iterable[Path]) -> Stamps:
    """Return what tells changed files from unchanged ones, and new files beside them."""
    found: Stamps = {}
    files = set(files)
    for path in files | {file.parent for file in files if not file.is_dir()}:
        found[path] = None
        with suppress(OSError):
            seen = path.stat()
            found[path] = seen.st_mtime_ns, seen.st_size, seen.st_ino
    return found


def _line(reading: int) -> str:
    """Read a line; empty at the end of all."""
    read = b""
    while not read.endswith(b"\n"):
        data = os.read(reading, 65536)
        if not data:
            return ""
        read += data
    return read.decode()


@dataclass
class Checkpoint:
    """A checkpoint, as the keeper knows it: the number of its block, and where it waits."""

    index: int
    pid: int
    writing: int

    def end(self) -> None:
        """End it."""
        with suppress(OSError):
            os.close(self.writing)
        with suppress(OSError):
            # Whoever has died, and was taken leave of, may have given the number to another one.
            if os.waitpid(self.pid, os.WNOHANG) == (0, 0):
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)

    def go_on(self, key: str) -> bool:
        """Tell it what to go on with; tell whether it has heard."""
        data = key.encode() + b"\n"
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
    """The processes that came of one run of a note, and how they are heard of.

    Attributes
    ----------
    token
        What shows that a message is not from the note.
    pipes
        Where what it writes is read.
    line
        Over which it tells of checkpoints; None where there can be none.
    kept
        Its checkpoints, in the order of the blocks.
    """

    token: bytes
    pipes: list[int]
    line: socket.socket | None = None
    kept: list[Checkpoint] = field(default_factory=list)

    def end(self) -> None:
        """End its checkpoints, and hear no more of it."""
        self.end_after(-1)
        for reading in self.pipes:
            os.close(reading)
        if self.line:
            self.line.close()

    def end_after(self, index: int) -> None:
        """End the checkpoints behind the blocks after one."""
        while self.kept and self.kept[-1].index > index:
            self.kept.pop().end()

    def hear(self) -> list[int]:
        """Take in what is told; return the numbers of the processes that go on."""
        going_on: list[int] = []
        for _ in range(_AT_ONCE):  # and not without end, whatever a note sends
            if self.line is None:
                break
            try:
                data, descriptors, _, _ = socket.recv_fds(self.line, 4096, 4)
            except BlockingIOError:
                break
            except OSError:
                data, descriptors = b"", []
            if not data:  # nobody is left who could tell anything
                self.line.close()
                self.line = None
                break
            told = json.loads(data[_TOKEN:]) if data.startswith(self.token) else {}
            if "index" in told and len(descriptors) == 1:
                self._keep(Checkpoint(told["index"], told["pid"], descriptors[0]))
                continue
            for descriptor in descriptors:
                os.close(descriptor)
            if "pid" in told:
                going_on.append(told["pid"])
        return going_on

    def let_go(self) -> None:
        """Close here what a process has of it that is forked from the keeper."""
        for descriptor in (*self.pipes, *(one.writing for one in self.kept)):
            os.close(descriptor)
        if self.line:
            self.line.close()

    def _keep(self, new: Checkpoint) -> None:
        for old in [old for old in self.kept if old.index == new.index]:
            self.kept.remove(old)
            old.end()
        self.kept.append(new)
        self.kept.sort(key=lambda one: one.index)

    def resume(self, last: int, key: str) -> int:
        """Have the last checkpoint go on that is not behind a later block.

        Returns the number of the process that goes on; 0 if none does.
        """
        for one in [one for one in reversed(self.kept) if one.index <= last]:
            until = time.monotonic() + _PATIENCE
            told = one.go_on(key)
            while told and time.monotonic() < until:
                alive = is_alive(one.pid)
                if going_on := self.hear():
                    return going_on[0]
                if not alive:
                    break
                time.sleep(0.001)
            self.kept.remove(one)
            one.end()
        return 0
