"""Checkpoints: processes from which an edited note resumes in the middle.

After a block, the process of a note may fork a copy of itself, a *checkpoint*, which waits on a
pipe for a task to resume with. When it resumes, it leaves another checkpoint behind. It ends when
the keeper closes the pipe, or ends. It is a child of the keeper, so that the note does not see it.
Checkpoints need Linux; elsewhere notes always run from the beginning.

`CheckpointMaker` is in the process of the note; `Chain` and `Checkpoint` are in the keeper.
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
#: Most announcements that are read at once, since a note may flood the socket.
_AT_ONCE = 64
#: The most bytes and the most descriptors of an announcement.
_ANNOUNCEMENT, _DESCRIPTORS = 4096, 4
#: Bytes of the length before a serialised task.
_LENGTH = 8
#: Seconds between two looks at whether a process has reacted.
_LOOK = 0.001

# Bound here, since a note may replace the functions of their modules.
_exit = os._exit

#: The time of change, the size and the number (inode) of files and folders; None if there is none.
Stamps = dict[Path, tuple[int, int, int] | None]


def supports_checkpoints() -> bool:
    """Return whether this system supports checkpoints."""
    return sys.platform == "linux" and hasattr(socket, "send_fds")


class CheckpointMaker:
    """Creates checkpoints in the process of a note.

    Parameters
    ----------
    token
        The secret that proves that a message is not from the note.
    announcements
        The socket on which checkpoints are announced to the keeper.
    take_over
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
        announcements: socket.socket,
        take_over: Callable[[], None],
        adopt: Callable[[bool], None],
        spacing: float,
    ) -> None:
        self._token = token
        self._announcements = announcements
        self._take_over = take_over
        self._adopt = adopt
        self._spacing = spacing
        #: The descriptors that were open before the note ran.
        self._descriptors = _open_descriptors()
        #: When the run, or its resumption, began; and when the last checkpoint was made.
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
        if time.monotonic() - self._last < self._spacing or not self._is_self_contained():
            return None
        stamps = _stamps(read)
        last_change = max((stamp[0] / 1e9 for stamp in stamps.values() if stamp), default=0.0)
        if last_change > self._began - _LATE:
            return None  # a file that the note has read may have changed since
        task = None
        with suppress(OSError):
            reading, writing = os.pipe()
            message = {"index": index}
            if self._fork_sibling(lambda pid: self._announce({**message, "pid": pid}, writing)):
                # This is the checkpoint.
                os.close(writing)
                task = self._wait_for_task(reading, stamps)
            os.close(reading)
            if task is None:  # the process of the note; the keeper has a copy of the descriptor
                os.close(writing)
        self._last = time.monotonic()
        return task

    def _wait_for_task(self, reading: int, stamps: Stamps) -> bytes:
        """Wait in a checkpoint for a task, and fork the process that resumes; return it there.

        The checkpoint itself ends here: when the pipe is closed, or when a file that the note has
        read has changed.
        """
        new_task = b""  # in the process that resumes
        with suppress(BaseException):
            os.setsid()
            while (task := _read_task(reading)) and _stamps(stamps) == stamps:
                if self._fork_sibling(lambda _pid: None):
                    os.setsid()
                    self._began = time.time()
                    self._announce({"pid": os.getpid()})
                    self._take_over()
                    new_task = task
                    break
        if not new_task:
            _exit(0)
        return new_task

    def _fork_sibling(self, announce: Callable[[int], None]) -> bool:
        """Fork a process whose parent is the keeper; return True in it, and False here.

        ``announce`` is called with the id of that process, in a process that ends then.
        """
        # Python reseeds its generator after a fork; restore its state.
        random_state = random.getstate()
        self._adopt(False)  # else this process would get the child of the one between
        try:
            # The process between the two ends at once, so that the keeper adopts its child.
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
            random.setstate(random_state)
        return False

    def _announce(self, message: dict[str, Any], *descriptors: int) -> None:
        """Send a message to the keeper, with copies of descriptors.

        With ``index`` and ``pid``, it announces a checkpoint; with ``pid`` alone, a process that
        resumes.
        """
        socket.send_fds(
            self._announcements, [self._token + json.dumps(message).encode()], descriptors
        )

    def _is_self_contained(self) -> bool:
        """Return whether a fork would copy the whole state of the note.

        It would not copy threads and timers, and it would share processes, open files and shared
        memory.
        """
        has_threads = len(list(Path("/proc/self/task").iterdir())) > 1
        timers = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
        has_timers = any(signal.getitimer(timer)[0] for timer in timers)
        if has_threads or has_timers or children(os.getpid()):
            return False
        return _open_descriptors() == self._descriptors and not _shares_memory()


def _open_descriptors() -> dict[str, str]:
    """Return what each file descriptor of this process refers to, by its number."""
    descriptors = {}
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # the descriptor of the listed folder itself
            descriptors[entry.name] = os.fspath(entry.readlink())
    return descriptors


def _shares_memory() -> bool:
    """Return whether this process can write to memory that other processes share.

    Linux lists each part of the memory with its permissions, such as ``rw-s`` (*s* for shared).
    """
    lines = Path("/proc/self/maps").read_text().splitlines()
    permissions = (line.split()[1] for line in lines)
    return any({"s", "w"} <= set(letters) for letters in permissions)


def _stamps(files: Iterable[Path]) -> Stamps:
    """Return the stamps of files and of the folders of these, by which changes are detected.

    A new file in a folder changes the stamp of the folder.
    """
    stamps: Stamps = {}
    files = set(files)
    for path in files | {file.parent for file in files if not file.is_dir()}:
        stamps[path] = None
        with suppress(OSError):
            status = path.stat()
            stamps[path] = status.st_mtime_ns, status.st_size, status.st_ino
    return stamps


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
    """A checkpoint as the keeper knows it.

    Attributes
    ----------
    index
        The index of the block after which it waits.
    pid
        The id of its process.
    writing
        The end of the pipe to which a task for it is written.
    """

    index: int
    pid: int
    writing: int

    def end(self) -> None:
        """End it."""
        with suppress(OSError):
            os.close(self.writing)
        with suppress(OSError):
            # The answer is (0, 0) while it runs. If it has ended, its id may be that of another
            # process by now.
            if os.waitpid(self.pid, os.WNOHANG) == (0, 0):
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)

    def send_task(self, data: bytes) -> bool:
        """Send a task to the checkpoint to resume with; return whether that succeeded.

        The keeper waits a few seconds at most for a checkpoint that does not read.
        """
        unsent = len(data).to_bytes(_LENGTH, "big") + data
        until = time.monotonic() + _PATIENCE
        os.set_blocking(self.writing, False)
        while unsent and is_alive(self.pid) and time.monotonic() < until:
            try:
                unsent = unsent[os.write(self.writing, unsent) :]
            except BlockingIOError:  # the pipe is full until the checkpoint reads from it
                time.sleep(_LOOK)
            except OSError:
                return False
        return not unsent


@dataclass
class Chain:
    """The checkpoints of one run of a note, and the channels to its processes.

    Attributes
    ----------
    token
        The secret that proves that a message is not from the note.
    pipes
        The ends from which the keeper reads results, output and traces of its processes.
    announcements
        The socket on which it announces checkpoints; None without checkpoints.
    checkpoints
        Its checkpoints, in the order of the blocks.
    """

    token: bytes
    pipes: list[int]
    announcements: socket.socket | None = None
    checkpoints: list[Checkpoint] = field(default_factory=list)

    def end(self) -> None:
        """End its checkpoints, and close its channels."""
        self.end_after(-1)
        for reading in self.pipes:
            os.close(reading)
        if self.announcements:
            self.announcements.close()

    def end_after(self, index: int) -> None:
        """End the checkpoints of the blocks after one."""
        while self.checkpoints and self.checkpoints[-1].index > index:
            self.checkpoints.pop().end()

    def read_announcements(self) -> list[int]:
        """Read the announcements that wait.

        One with ``index`` and a descriptor adds a checkpoint. Return the ids of those with ``pid``
        alone, which are of resuming processes.
        """
        resuming: list[int] = []
        for _ in range(_AT_ONCE):
            if self.announcements is None:
                break
            try:
                data, descriptors, _, _ = socket.recv_fds(
                    self.announcements, _ANNOUNCEMENT, _DESCRIPTORS
                )
            except BlockingIOError:  # there is none at present
                break
            except OSError:
                data, descriptors = b"", []
            if not data:  # the socket is closed
                self.announcements.close()
                self.announcements = None
                break
            # A message without the token is from the note, and means nothing.
            is_ours = data.startswith(self.token)
            message = json.loads(data.removeprefix(self.token)) if is_ours else {}
            if "index" in message and len(descriptors) == 1:
                self._add(Checkpoint(message["index"], message["pid"], descriptors[0]))
                continue
            for descriptor in descriptors:
                os.close(descriptor)
            if "pid" in message and "index" not in message:
                resuming.append(message["pid"])
        return resuming

    def close_inherited(self) -> None:
        """Close its channels in a process that was forked from the keeper."""
        for descriptor in (*self.pipes, *(checkpoint.writing for checkpoint in self.checkpoints)):
            os.close(descriptor)
        if self.announcements:
            self.announcements.close()

    def _add(self, new: Checkpoint) -> None:
        """Keep a checkpoint in the order of the blocks, and end the old one of its block."""
        for old in [old for old in self.checkpoints if old.index == new.index]:
            self.checkpoints.remove(old)
            old.end()
        self.checkpoints.append(new)
        self.checkpoints.sort(key=lambda checkpoint: checkpoint.index)

    def resume(self, last: int, data: bytes) -> int:
        """Resume from the last checkpoint at or before a block with a serialised task.

        A checkpoint that does not answer in time is ended, and the one before it is asked. Return
        the id of the process that resumes; 0 if none does.
        """
        for checkpoint in [c for c in reversed(self.checkpoints) if c.index <= last]:
            until = time.monotonic() + _PATIENCE
            is_sent = checkpoint.send_task(data)
            while is_sent and time.monotonic() < until:
                # Asked first: it may announce the process and end in between.
                was_alive = is_alive(checkpoint.pid)
                if resuming := self.read_announcements():
                    return resuming[0]
                if not was_alive:
                    break
                time.sleep(_LOOK)
            self.checkpoints.remove(checkpoint)
            checkpoint.end()
        return 0
