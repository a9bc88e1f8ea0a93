"""The keeper: the process that forks, watches and ends the process of each note.

It runs no code of notes itself (where it can fork), so it keeps working when a note hangs, floods
its output, forks endlessly or crashes. It does the work of one *key* after the other: a key names
a note, and comes with its serialised task. A *chain* has the checkpoints of a note's run
(`vaultkit.workers.checkpoints`).

The first byte of a message to the pool is its kind: ``P`` and the process of a note that has begun;
``B`` and a heartbeat; ``.`` and the seconds within which the keeper sends another message; ``E``,
an ending and the note's messages; ``T`` and the traceback of an error that ends the keeper itself.
A keeper that cannot fork sends ``A`` first, and each message of a note as it comes, with ``M``.
"""

from __future__ import annotations

import gc
import json
import os
import selectors
import signal
import socket
import time
import traceback
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn

from vaultkit.run.capture import PATIENCE
from vaultkit.run.originals import ORIGINALS
from vaultkit.run.processes import children, descendants, fork, private_memory, processor_time
from vaultkit.workers.channel import Received, Take, encode, frames_of, read_waiting
from vaultkit.workers.checkpoints import Chain, supports_checkpoints
from vaultkit.workers.ending import Ending, Kind, Limits
from vaultkit.workers.note_process import RESERVED, TRACE, adopt_orphans, run_note_process
from vaultkit.workers.work import Resumption, Work, is_beat, load, prepare

#: Seconds between two measurements of a note's processes and memory.
_TICK = 0.02
#: Bytes of results that a note can send between two measurements without waiting (Linux).
_ROOM = 1 << 20
#: Seconds between two messages that the keeper is alive, and the message: another one will come
#: within 30 seconds.
_ALIVE_EVERY, _ALIVE = 1, b".30"
#: Most heartbeats that are forwarded, so that they fit into the pipe of a busy reader.
_MOST_BEATS = 50
#: Seconds without requests after which the checkpoints are ended.
_CHECKPOINTS_LAST = 600.0
#: How much more memory than its limit a note may use before it is ended from outside: the limit
#: within the process (`note_process`) must come first, since its error is reported with a line.
_TOLERANCE = 1.2
#: Seconds in which a trace is written, in which a note's children may end by themselves after it,
#: in which all processes must have ended, and in which a resumed process becomes our child.
_TRACE_TIME, _CHILDREN_TIME, _END_TIME, _ADOPTION_TIME = 0.5, 0.2, 10.0, 1.0
# Bound here, since a note may replace the functions of their modules.
_exit = os._exit
_getpid = os.getpid


def keep(work: Work, connection: Any, limits: Limits, can_fork: bool, cores: int) -> NoReturn:
    """Do the work requested over a connection until it is closed, on a number of cores.

    This is the main function of a keeper's process. With ``can_fork``, each note gets a process of
    its own; otherwise this one runs them.
    """
    import multiprocessing

    from threadpoolctl import threadpool_limits

    if can_fork:
        # `note_process` needs these. They are imported here, not in each forked process, and before
        # the work is prepared: facts about all imported modules would have to be computed again in
        # each process if another one were imported.
        import atexit  # noqa: F401
        import faulthandler  # noqa: F401
        import fcntl  # noqa: F401
        import resource  # noqa: F401

    # With more threads than cores, the matrix products of different notes would wait for each
    # other.
    threadpool_limits(cores)

    # A note may start processes; the keeper itself ends when its connection is closed.
    multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]
    try:
        if can_fork:
            _Keeper(work, connection, limits).run()
        else:
            prepare(work)
            _work_alone(work, connection, limits)
    except (EOFError, ConnectionError):
        pass  # the connection is closed
    except BaseException:
        # Its standard error is the null device, so the pool reports the error.
        with suppress(OSError):
            connection.send_bytes(b"T" + traceback.format_exc().encode(errors="replace"))
    finally:
        # Without the exit handlers of the process that it was forked from.
        _exit(0)


def _work_alone(work: Work, connection: Any, limits: Limits) -> None:
    """Do the work in this process, on systems that cannot fork.

    The docstring of the module lists the letters of the messages. The pool ends this process if the
    next message comes too late.
    """
    connection.send_bytes(b"A")
    while True:
        key, data = _parse_request(connection.recv_bytes())
        if not isinstance(key, str):
            continue  # a request to end checkpoints: there are none
        connection.send_bytes(b".%f" % limits.seconds)
        beat: dict[str, Any] = {}

        def send(message: dict[str, Any], beat: dict[str, Any] = beat) -> None:
            """Pass a message of the note to the pool."""
            if is_beat(message):
                beat.update(message)
                connection.send_bytes(b"B" + encode(message).encode())
                connection.send_bytes(b".%f" % (message["limit"] * PATIENCE + limits.grace))
            else:
                connection.send_bytes(b"M" + encode(message).encode())

        try:
            load(work, key, data)
            work(key, send)
            ending = Ending("done", beat=beat)
        except BaseException:
            ending = Ending("raised", beat=beat, details=traceback.format_exc())
        connection.send_bytes(b"E" + encode(asdict(ending)).encode())


class _Keeper:
    """Runs one note at a time, each in its own process."""

    def __init__(self, work: Work, connection: Any, limits: Limits) -> None:
        self.work = work
        self.connection = connection
        self.limits = limits
        #: The keys that were requested, each with its data.
        self.keys: deque[tuple[str, bytes]] = deque()
        #: The process of the note that runs; 0 if none does.
        self.pid = 0
        #: The chains of checkpoints by name, the one that ran last at the end.
        self.chains: dict[str, Chain] = {}
        self.chains_to_end: list[str] = []

    def run(self) -> None:
        """Process the requested keys until the connection is closed."""
        os.setsid()  # Ctrl+C in the terminal reaches only the run, which then ends its keepers
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        adopt_orphans()
        _redirect_descriptors({self.connection.fileno()})
        prepare(self.work)
        ORIGINALS.remember(ahead=True)  # of functions that a note may replace
        # Notes share this process's memory until they write to it, and collecting garbage writes.
        gc.disable()
        gc.freeze()
        try:
            while True:
                while not self.keys:
                    if self.connection.poll(_CHECKPOINTS_LAST if self.chains else None):
                        self._take_request()
                    else:
                        self.chains_to_end = list(self.chains)
                    self._end_chains()
                ending, messages = self._do_work(*self.keys.popleft())
                # One message, so that the run need not wake up for each part.
                last = encode(asdict(ending)).encode()
                self.connection.send_bytes(b"E" + b"\n".join([last, *messages]))
        finally:
            self._end_all()
            self.chains_to_end = list(self.chains)
            self._end_chains()

    def _take_request(self) -> None:
        """Read a request: a key, or names of chains of checkpoints to end."""
        request, data = _parse_request(self.connection.recv_bytes())
        if isinstance(request, str):
            self.keys.append((request, data))
        else:
            self.chains_to_end += request

    def _end_chains(self) -> None:
        """End the chains of checkpoints that are outdated or no longer needed."""
        while self.chains_to_end:
            if chain := self.chains.pop(self.chains_to_end.pop(), None):
                chain.end()

    def _do_work(self, key: str, data: bytes) -> tuple[Ending, list[bytes]]:
        """Do the work of a key, with its serialised task; return its ending and its messages."""
        has_checkpoints = self.limits.checkpoints and supports_checkpoints()
        resumes = getattr(self.work, "resumes", None) if has_checkpoints else None
        name, agrees, last = resumes(key) if resumes else Resumption()
        chain = self._resume(name, agrees, last, data)
        if chain is None:
            try:
                load(self.work, key, data)
            except Exception:
                return Ending("raised", details=traceback.format_exc()), []
            gc.freeze()  # garbage collection in a fork would copy this memory
            chain = self._fork_note(key, bool(resumes))
        # From now on its processes are spared, including new checkpoints.
        self.chains[name] = chain
        memory_before = private_memory(_getpid())
        ending = self._watch(chain, memory_before)
        if chain.checkpoints:
            self._evict_checkpoints(memory_before)
        else:
            self.chains_to_end.append(name)
        self._end_chains()
        return ending

    def _resume(self, name: str, agrees: int, last: int, data: bytes) -> Chain | None:
        """Resume a note from a checkpoint; None if no checkpoint is suitable.

        Parameters
        ----------
        name
            The name of the note's chain of checkpoints.
        agrees
            The index of the last block that is as it was at the last run, like all above it.
        last
            The index of the last block whose checkpoint may be used.
        data
            The serialised task.
        """
        chain = self.chains.pop(name, None)
        if chain is None:
            return None
        chain.end_after(agrees)
        self.pid = chain.resume(last, data)
        if not self.pid:
            chain.end()
            return None
        self._wait_to_be_parent()
        return chain

    def _fork_note(self, key: str, has_checkpoints: bool) -> Chain:
        """Fork a process that does the work of a key from the beginning; return its chain.

        The new process does not return from here: `run_note_process` ends it.
        """
        import fcntl

        pipes = [os.pipe() for _ in range(3)]  # for results, output and traces
        read_ends, write_ends = zip(*pipes, strict=True)
        if hasattr(fcntl, "F_SETPIPE_SZ"):
            with suppress(OSError):  # results that do not fit wait until they are read
                fcntl.fcntl(write_ends[0], fcntl.F_SETPIPE_SZ, _ROOM)
        token = os.urandom(8).hex().encode()
        chain = Chain(token, list(read_ends))
        socket_of_note = None
        if has_checkpoints:
            chain.announcements, socket_of_note = socket.socketpair(
                socket.AF_UNIX, socket.SOCK_SEQPACKET
            )
            chain.announcements.setblocking(False)
        keeper = _getpid()
        self.pid = fork()
        if self.pid == 0:
            # This is the process of the note. It must not hold the keeper's ends: with them it
            # could read what others send, and a pipe whose reader has ended would not be closed.
            for inherited in (chain, *self.chains.values()):
                inherited.close_inherited()
            self.connection.close()
            run_note_process(
                keeper, self.work, key, token, list(write_ends), self.limits, socket_of_note
            )
        for write_end in write_ends:
            os.close(write_end)
        if socket_of_note:
            socket_of_note.close()
        return chain

    def _wait_to_be_parent(self) -> None:
        """Wait until the resumed process has become a child of this one.

        It has when the process between the two, which has forked it, has ended.
        """
        until = time.monotonic() + _ADOPTION_TIME
        while self.pid not in children(_getpid()) and time.monotonic() < until:
            time.sleep(0.001)

    @property
    def _checkpoint_processes(self) -> set[int]:
        """Return the processes to keep when a note has ended: its checkpoints."""
        return {
            checkpoint.pid for chain in self.chains.values() for checkpoint in chain.checkpoints
        }

    def _evict_checkpoints(self, memory_before: int) -> None:
        """End checkpoints until their number and memory are within the limits.

        Those of the note that ran longest ago are ended first; of these, those that save the least
        time.
        """

        def used_memory() -> int:
            """Return the memory that only the checkpoints use: each shares that of the keeper."""
            return sum(
                max(0, private_memory(pid) - memory_before) for pid in self._checkpoint_processes
            )

        def are_too_many() -> bool:
            return len(self._checkpoint_processes) > self.limits.checkpoints

        while are_too_many() or used_memory() > self.limits.memory:
            oldest = next(chain for chain in self.chains.values() if chain.checkpoints)
            oldest.checkpoints.pop(0).end()

    def _watch(self, chain: Chain, memory_before: int) -> tuple[Ending, list[bytes]]:
        """Watch the process of a note until it has ended, within its limits.

        Return its ending and its messages. ``memory_before`` is the memory of the keeper when the
        note began, which the note's processes share.
        """
        note = Received(chain.token, self.limits)
        takers = dict(zip(chain.pipes, note.takers, strict=True))
        self.connection.send_bytes(b"P%d" % self.pid)
        kind, status = self._wait_for_end(chain, note, takers, memory_before)
        if status is None and not note.done and TRACE:  # it still runs, and will be ended
            self._request_traceback(takers, note)
        chain.read_announcements()
        left = self._count_left_processes() if status is not None else 0
        self._end_all()
        for pipe, take in takers.items():
            read_waiting(pipe, take)  # output from before its end
        return note.make_ending(kind or note.reason_to_end, status, left), note.messages

    def _wait_for_end(
        self, chain: Chain, note: Received, takers: dict[int, Take], memory_before: int
    ) -> tuple[Kind | None, int | None]:
        """Wait until the process of a note has ended, or must be ended.

        Meanwhile, read its pipes, the announcements of checkpoints and the requests of the pool,
        and forward heartbeats. Return why it must be ended (or None), and its status from
        `os.waitpid` (None if it has not ended).
        """
        results, *other_pipes = chain.pipes
        last_measurement = last_sign_of_life = time.monotonic()
        forwarded = 0
        with selectors.DefaultSelector() as selector, _end_descriptor(self.pid) as end:
            for pipe in chain.pipes:
                os.set_blocking(pipe, False)
            for pipe in other_pipes:
                selector.register(pipe, selectors.EVENT_READ)
            selector.register(self.connection.fileno(), selectors.EVENT_READ)
            if end is not None:  # it wakes this process up when the note has ended
                selector.register(end, selectors.EVENT_READ)
            announcements = None
            if chain.announcements:
                announcements = chain.announcements.fileno()
                selector.register(announcements, selectors.EVENT_READ)
            while True:
                ready = [event.fd for event, _ in selector.select(_TICK)]
                # Results wake up nobody: that would cost more than some blocks.
                read_waiting(results, takers[results])
                for descriptor in ready:
                    if descriptor == self.connection.fileno():
                        self._take_request()
                    elif descriptor == announcements:
                        chain.read_announcements()
                        self._evict_checkpoints(memory_before)
                        if chain.announcements is None:
                            selector.unregister(descriptor)
                    elif descriptor != end and not read_waiting(descriptor, takers[descriptor]):
                        selector.unregister(descriptor)
                now = time.monotonic()
                if forwarded < min(note.beats, _MOST_BEATS):
                    forwarded = note.beats
                    self.connection.send_bytes(b"B" + encode(note.beat).encode())
                if now - last_sign_of_life > _ALIVE_EVERY:
                    last_sign_of_life = now
                    self.connection.send_bytes(_ALIVE)
                ended_pid, status = os.waitpid(self.pid, os.WNOHANG)
                if ended_pid:
                    return note.reason_to_end, status
                if now > note.deadline:
                    return "timed out", None
                if note.reason_to_end:
                    return note.reason_to_end, None
                if now - last_measurement > _TICK:
                    last_measurement = now
                    if kind := self._find_exceeded_limit(note, memory_before):
                        return kind, None

    def _find_exceeded_limit(self, note: Received, memory_before: int) -> Kind | None:
        """Measure the processes of a note; return the kind of limit that they exceed, if any."""
        if note.has_used_too_much(processor_time(self.pid)):
            return "timed out"
        family = [self.pid, *descendants(self.pid)]
        if len(family) > self.limits.processes:
            note.process_count = len(family)
            return "processes"
        used = sum(private_memory(pid) - memory_before for pid in family)
        return "memory" if used > _TOLERANCE * self.limits.memory + RESERVED else None

    def _request_traceback(self, takers: dict[int, Take], note: Received) -> None:
        """Request a trace of the note's calls before it is ended."""
        # Its descendants are stopped meanwhile: among thousands, it would hardly get a processor.
        for pid in descendants(self.pid):
            with suppress(OSError):
                os.kill(pid, signal.SIGSTOP)
        with suppress(OSError):
            os.kill(self.pid, TRACE)  # type: ignore[arg-type]
        until = time.monotonic() + _TRACE_TIME
        while time.monotonic() < until and not frames_of(note.trace):
            for pipe, take in takers.items():
                read_waiting(pipe, take)
            time.sleep(0.005)

    def _count_left_processes(self) -> int:
        """Return the number of processes that a note has left shortly after its end."""
        until = time.monotonic() + _CHILDREN_TIME
        while self._reap():
            left = len(set(descendants(_getpid())) - self._checkpoint_processes)
            if not left or time.monotonic() > until:
                return left
            time.sleep(0.005)
        return 0

    def _end_all(self) -> None:
        """End all descendants of the keeper except checkpoints, within 10 seconds if possible."""
        if not self.pid:
            return
        with suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)
        with suppress(OSError):
            os.kill(self.pid, signal.SIGKILL)
        until = time.monotonic() + _END_TIME
        # `_reap` is cheap, and usually says that no process is left.
        while self._reap() and time.monotonic() < until:
            alive = [pid for pid in descendants(_getpid()) if pid not in self._checkpoint_processes]
            # They are stopped first, so that they cannot fork faster than they are found.
            for number in (signal.SIGSTOP, signal.SIGKILL):
                for pid in alive:
                    with suppress(OSError):
                        os.kill(pid, number)
            has_others = self._reap()
            if has_others and self._checkpoint_processes:  # on Linux, where children can be listed
                has_others = not set(children(_getpid())) <= self._checkpoint_processes
            if not has_others and not alive:
                break
            time.sleep(0.001)
        self.pid = 0

    def _reap(self) -> bool:
        """Reap ended children; return whether there are others."""
        with suppress(ChildProcessError):
            while True:
                pid, _ = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return True
        return False


def _parse_request(frame: bytes) -> tuple[Any, bytes]:
    r"""Return the JSON part of a request, and the bytes after it.

    >>> _parse_request(b'"note"\ndata'), _parse_request(b'["chain"]')
    (('note', b'data'), (['chain'], b''))
    """
    request, _, data = frame.partition(b"\n")
    return json.loads(request), data


@contextmanager
def _end_descriptor(pid: int) -> Iterator[int | None]:
    """Yield a descriptor that becomes readable when a process ends; it is closed afterwards.

    Yield None if the system has no such descriptors (only Linux has), or no such process.
    """
    end = None
    with suppress(AttributeError, OSError):
        end = os.pidfd_open(pid)
    try:
        yield end
    finally:
        if end is not None:
            os.close(end)


def _redirect_descriptors(kept: set[int]) -> None:
    """Redirect all inherited descriptors except some to the null device.

    They are not closed: a new file could get the number of one that a library still uses.
    """
    nowhere = os.open(os.devnull, os.O_RDWR)
    with suppress(OSError):
        numbers = [int(entry.name) for entry in Path("/dev/fd").iterdir()]
        for number in numbers:
            if number not in kept:
                is_standard_stream = number < 3
                with suppress(OSError):
                    os.dup2(nowhere, number, inheritable=is_standard_stream)
