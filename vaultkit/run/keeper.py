"""The process between the run and the notes: makes a process for each note, and ends it.

It runs nothing of a note itself (where it can fork), so that it has its wits about it when a note
hangs, floods, multiplies or dies.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import re
import selectors
import signal
import socket
import sys
import threading
import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn

from vaultkit.run.checkpoints import Chain, Waiting, can_wait
from vaultkit.run.ending import PATIENCE, Ending, Kind, Limits
from vaultkit.run.processes import children, descendants, memory, seconds
from vaultkit.run.sandbox import ORIGINALS
from vaultkit.run.work import Work, is_beat, prepare, take

Take = Callable[[bytes], None]

#: Seconds between two looks at a note's processes and memory.
_TICK = 0.02
#: Exit status of a process that cannot send its results, or whose memory has run out.
_CUT_OFF, _OUT_OF_MEMORY = 70, 71
#: Each thread of a BLAS reserves address space, and hardly uses it.
_RESERVED = (os.cpu_count() or 1) * (80 << 20)
#: Heartbeats passed on, so that they fit into what the system holds for a reader who is busy.
_PASSED_ON = 50
#: Seconds after which checkpoints of which nobody wants anything are ended.
_OLD = 600.0
#: Bytes of results after which they do not wait for the next heartbeat.
_HELD = 1 << 16
#: Bytes kept of what a note writes past Python, at each end.
_KEPT = 16384
_TRACE = getattr(signal, "SIGUSR2", None)
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
# A note cannot reach these by giving the names of their modules another meaning.
_exit = os._exit
_getpid = os.getpid
_encode = json.JSONEncoder(separators=(",", ":")).encode


def keep(work: Work, connection: Any, limits: Limits, can_fork: bool, cores: int) -> NoReturn:
    """Do what arrives over a connection, until it is closed; on so many cores."""
    import multiprocessing

    from threadpoolctl import threadpool_limits

    if can_fork:
        # Here, and not again in each process; and before the work is prepared: what is known of all
        # modules would have to be found out again in each process if there were more of them then.
        import atexit  # noqa: F401
        import faulthandler  # noqa: F401
        import fcntl  # noqa: F401
        import resource  # noqa: F401

    # The threads of all notes' matrix products would wait for each other, and turn while they wait.
    threadpool_limits(cores)

    # Notes may start processes; this one is ended by the closing of the connection.
    multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]
    try:
        if can_fork:
            _Keeper(work, connection, limits).run()
        else:
            prepare(work)
            _alone(work, connection, limits)
    except (EOFError, OSError):
        pass
    finally:
        _exit(0)


def _alone(work: Work, connection: Any, limits: Limits) -> None:
    """Do the work in this process, as there is no way to have one for each note."""
    connection.send_bytes(b"A")
    while True:
        key, given = _order(connection.recv_bytes())
        if not isinstance(key, str):
            continue  # there are no checkpoints that could be ended
        connection.send_bytes(b".%f" % limits.seconds)
        beat: dict[str, Any] = {}

        def send(message: dict[str, Any], beat: dict[str, Any] = beat) -> None:
            if is_beat(message):
                beat.update(message)
                connection.send_bytes(b"B" + _encode(message).encode())
                connection.send_bytes(b".%f" % (message["limit"] * PATIENCE + limits.grace))
            else:
                connection.send_bytes(b"M" + _encode(message).encode())

        try:
            take(work, key, given)
            work(key, send)
            ending = Ending("done", beat=beat)
        except BaseException:
            ending = Ending("raised", beat=beat, told=traceback.format_exc())
        connection.send_bytes(b"E" + _encode(asdict(ending)).encode())


class _Keeper:
    """One note at a time, each in a process of its own."""

    def __init__(self, work: Work, connection: Any, limits: Limits) -> None:
        self.work = work
        self.connection = connection
        self.limits = limits
        self.keys: deque[tuple[str, bytes]] = deque()
        self.pid = 0
        #: What has checkpoints, by its name, in the order in which it ran last.
        self.chains: dict[str, Chain] = {}
        self.unwanted: list[str] = []

    def run(self) -> None:
        """Work off the keys, until the connection is closed."""
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        _adopt_orphans()
        _turn_away_descriptors({self.connection.fileno()})
        self._take_order()  # it may have been made in vain
        prepare(self.work)
        ORIGINALS.remember(ahead=True)
        # Notes share this process's memory until they write to it; collecting would.
        gc.disable()
        gc.freeze()
        try:
            while True:
                while not self.keys:
                    if self.connection.poll(_OLD if self.chains else None):
                        self._take_order()
                    else:
                        self.unwanted = list(self.chains)
                    self._forget()
                ending, messages = self._do(*self.keys.popleft())
                # All in one, so that the run need not wake for each of them.
                last = _encode(asdict(ending)).encode()
                self.connection.send_bytes(b"E" + b"\n".join([last, *messages]))
        finally:
            self._end_all()
            self.unwanted = list(self.chains)
            self._forget()

    def _take_order(self) -> None:
        """Take in a key, or the names of chains that nobody wants any more."""
        order, given = _order(self.connection.recv_bytes())
        if isinstance(order, str):
            self.keys.append((order, given))
        else:
            self.unwanted += order

    def _forget(self) -> None:
        """End what nobody wants any more."""
        while self.unwanted:
            if chain := self.chains.pop(self.unwanted.pop(), None):
                chain.end()

    def _do(self, key: str, given: bytes) -> tuple[Ending, list[bytes]]:
        """Have the work of a key done, with what was given with it."""
        try:
            take(self.work, key, given)
        except Exception:
            return Ending("raised", told=traceback.format_exc()), []
        gc.freeze()  # what was taken, too, is not to be copied by who looks for rubbish in it
        return self._watch(key)

    def _begin(self, key: str) -> tuple[str, Chain]:
        """Have a process work on a key: from a checkpoint on, or from the beginning."""
        has_checkpoints = self.limits.checkpoints and can_wait()
        resumes = getattr(self.work, "resumes", None) if has_checkpoints else None
        name, agrees, last = resumes(key) if resumes else ("", -1, -1)
        chain = self.chains.pop(name, None)
        if chain:
            chain.end_after(agrees)
            self.pid = chain.resume(last, key)
            if self.pid:
                self._wait_to_be_parent()
                return name, chain
            chain.end()
        pipes = [os.pipe() for _ in range(3)]
        chain = Chain(os.urandom(8).hex().encode(), [reading for reading, _ in pipes])
        theirs = None
        if resumes:
            chain.line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            chain.line.setblocking(False)
        keeper = _getpid()
        self.pid = _fork()
        if self.pid == 0:
            for one in (chain, *self.chains.values()):
                one.let_go()
            self.connection.close()
            ends = [end for _, end in pipes]
            _be_note(keeper, self.work, key, chain.token, ends, self.limits, theirs)
        for _, end in pipes:
            os.close(end)
        if theirs:
            theirs.close()
        return name, chain

    def _wait_to_be_parent(self) -> None:
        """Wait until the process that goes on is this one's child: that comes a moment later."""
        until = time.monotonic() + 1
        while self.pid not in children(_getpid()) and time.monotonic() < until:
            time.sleep(0.001)

    @property
    def _spared(self) -> set[int]:
        """The processes that are to stay when a note has ended."""
        return {one.pid for chain in self.chains.values() for one in chain.kept}

    def _hold_few(self, before: int) -> None:
        """End checkpoints until they are few, and take little memory.

        Those of the note that ran longest ago come first; of these, those that save least.
        """

        def used() -> int:
            return sum(max(0, memory(pid) - before) for pid in self._spared)

        while len(self._spared) > self.limits.checkpoints or used() > self.limits.memory:
            next(chain for chain in self.chains.values() if chain.kept).kept.pop(0).end()

    def _watch(self, key: str) -> tuple[Ending, list[bytes]]:
        """Run a note in a process; see to it that it ends."""
        keeper = _getpid()
        before = memory(keeper)
        # The limit inside the process comes first: it is told with its line.
        most = 1.2 * self.limits.memory + _RESERVED
        name, chain = self._begin(key)
        # Spared from now on: also what it adds.
        self.chains[name] = chain
        note = _Note(chain.token, self.limits)
        listening = dict(zip(chain.pipes, note.takers, strict=True))
        self.connection.send_bytes(b"P%d" % self.pid)
        status: int | None = None
        kind: Kind | None = None
        looked = spoke = passed_on = 0.0
        with selectors.DefaultSelector() as selector, _end_of(self.pid) as gone:
            for reading, taker in listening.items():
                os.set_blocking(reading, False)
                selector.register(reading, selectors.EVENT_READ, taker)
            selector.register(self.connection.fileno(), selectors.EVENT_READ)
            if gone is not None:
                selector.register(gone, selectors.EVENT_READ)
            if chain.line:
                selector.register(chain.line.fileno(), selectors.EVENT_READ, chain)
            while status is None and kind is None:
                for event, _ in selector.select(_TICK):
                    if event.fd == self.connection.fileno():
                        self._take_order()
                    elif event.data is chain:
                        chain.hear()
                        self._hold_few(before)
                        if chain.line is None:
                            selector.unregister(event.fd)
                    elif event.fd != gone and not _read(event.fd, event.data):
                        selector.unregister(event.fd)
                now = time.monotonic()
                kind = note.verdict
                if passed_on < min(note.beats, _PASSED_ON):
                    passed_on = note.beats
                    self.connection.send_bytes(b"B" + _encode(note.beat).encode())
                if now - spoke > 1:
                    spoke = now
                    self.connection.send_bytes(b".30")
                ended, found = os.waitpid(self.pid, os.WNOHANG)
                if ended:
                    status = found
                elif now > note.deadline:
                    kind = "timed out"
                elif now - looked > _TICK and kind is None:
                    looked = now
                    if note.has_spent(seconds(self.pid)):
                        kind = "timed out"
                        continue
                    family = [self.pid, *descendants(self.pid)]
                    if len(family) > self.limits.processes:
                        note.count, kind = len(family), "processes"
                    elif sum(memory(pid) - before for pid in family) > most:
                        kind = "memory"
        if status is None and not note.done and _TRACE:
            self._ask_where(listening, note)
        chain.hear()
        left = self._left() if status is not None else 0
        self._end_all()
        for reading, taker in listening.items():
            _read(reading, taker)  # what it had written before it ended
        if chain.kept:
            self._hold_few(before)
        else:
            self.unwanted.append(name)
        self._forget()
        return note.ending(kind or note.verdict, status, left), note.messages

    def _ask_where(self, listening: dict[int, Take], note: _Note) -> None:
        """Have the note say where it stands, before it is ended."""
        # Its children stand still meanwhile: of thousands, it would hardly get its turn.
        for pid in descendants(self.pid):
            with suppress(OSError):
                os.kill(pid, signal.SIGSTOP)
        with suppress(OSError):
            os.kill(self.pid, _TRACE)  # type: ignore[arg-type]
        until = time.monotonic() + 0.5
        while time.monotonic() < until and not _frames(note.trace):
            for reading, taker in listening.items():
                _read(reading, taker)
            time.sleep(0.005)

    def _left(self) -> int:
        """Count the processes that are left of a note a moment after its end."""
        until = time.monotonic() + 0.2
        while self._reap():
            left = len(set(descendants(_getpid())) - self._spared)
            if not left or time.monotonic() > until:
                return left
            time.sleep(0.005)
        return 0

    def _end_all(self) -> None:
        """End the process of the note, and all that came of it."""
        if not self.pid:
            return
        with suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)
        with suppress(OSError):
            os.kill(self.pid, signal.SIGKILL)
        until = time.monotonic() + 10
        # Nearly always there is nobody left, which costs less to ask than to look for them.
        while self._reap() and time.monotonic() < until:
            alive = [pid for pid in descendants(_getpid()) if pid not in self._spared]
            # Stopped first: what multiplies faster than it is found cannot go on.
            for number in (signal.SIGSTOP, signal.SIGKILL):
                for pid in alive:
                    with suppress(OSError):
                        os.kill(pid, number)
            more = self._reap()
            if self._spared and set(children(_getpid())) <= self._spared:
                more = False
            if not more and not alive:
                break
            time.sleep(0.001)
        self.pid = 0

    def _reap(self) -> bool:
        """Take leave of the dead; tell whether there are children yet."""
        with suppress(ChildProcessError):
            while True:
                pid, _ = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return True
        return False


def _order(frame: bytes) -> tuple[Any, bytes]:
    """Read what was sent to a keeper: what JSON holds, and what is given with it."""
    order, _, given = frame.partition(b"\n")
    return json.loads(order), given


class _Note:
    """What has been heard of a note."""

    def __init__(self, token: bytes, limits: Limits) -> None:
        self.token = token
        self.limits = limits
        self.deadline = time.monotonic() + limits.seconds
        #: Seconds that processors may work on it from its last heartbeat on, and had by then.
        self.allowed = limits.seconds
        self.spent: float | None = None
        self.messages: list[bytes] = []
        self.beat: dict[str, Any] = {}
        self.beats = 0
        self.done = False
        self.told = ""
        self.verdict: Kind | None = None
        self.count = 0
        self.head = self.tail = self.trace = b""
        self._rest = b""
        self._sizes = {"results": 0, "output": 0}

    @property
    def takers(self) -> tuple[Take, ...]:
        """What takes in what comes out of each pipe."""
        return self._take_results, self._take_output, self._take_trace

    def has_spent(self, seconds: float) -> bool:
        """Tell whether processors have worked on it for too long, given how long in all."""
        if self.spent is None:
            self.spent = seconds
        return seconds - self.spent > self.allowed

    def _take_results(self, data: bytes) -> None:
        """Take in what comes where the results are sent."""
        self._count("results", data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            token, kind, message = line[:16], line[16:17], line[17:]
            if token != self.token:
                self.verdict = self.verdict or "garbled"
            elif kind == b"M":
                self.messages.append(message)
            elif kind == b"B" and self.verdict is None:
                self.beat = json.loads(message)
                self.beats += 1
                limit, grace = float(self.beat["limit"]), self.limits.grace
                self.deadline = time.monotonic() + limit * PATIENCE + grace
                self.allowed, self.spent = limit + grace, None
            elif kind == b"E":
                self.done = True
            elif kind == b"R":
                self.done = True
                self.told = json.loads(message)
            elif kind == b"C":
                self.beat = json.loads(message)
                self.verdict, self.count = "processes", 2

    def _take_output(self, data: bytes) -> None:
        """Take in what was written past Python's own output: its beginning and its end."""
        self._count("output", data)
        room = _KEPT - len(self.head)
        self.head += data[:room]
        self.tail = (self.tail + data[room:])[-_KEPT:] if room < len(data) else self.tail

    def _take_trace(self, data: bytes) -> None:
        """Take in where the interpreter says that it was."""
        self.trace = (self.trace + data)[-4 * _KEPT :]

    def _count(self, what: str, data: bytes) -> None:
        self._sizes[what] += len(data)
        if self._sizes[what] > self.limits.output:
            self.verdict = self.verdict or "flood"

    def ending(self, kind: Kind | None, status: int | None, left: int) -> Ending:
        """Say how it ended."""
        cut = self._sizes["output"] - len(self.head) - len(self.tail)
        between = f"\n[… {cut} bytes cut …]\n" if cut else ""
        wrote = self.head.decode(errors="replace") + between + self.tail.decode(errors="replace")
        code = self.count
        if kind is None:
            assert status is not None
            status = os.waitstatus_to_exitcode(status)
            if left:
                kind, code = "processes", left
            elif self.done:
                kind = "raised" if self.told else "done"
            elif status < 0:
                kind, code = "signal", -status
            elif status in (_CUT_OFF, _OUT_OF_MEMORY):
                kind = "garbled" if status == _CUT_OFF else "memory"
            else:
                kind, code = ("exit", status) if status else ("stopped early", 0)
        return Ending(kind, code, self.beat, _frames(self.trace), self.told or wrote)


def _be_note(
    keeper: int,
    work: Callable[..., None],
    key: str,
    token: bytes,
    pipes: list[int],
    limits: Limits,
    line: socket.socket | None = None,
) -> NoReturn:
    """Be the process of a note; never return."""
    status = _CUT_OFF
    try:
        os.setsid()
        _die_with(keeper)
        results, output, trace = map(_out_of_the_way, pipes)
        channel = _Channel(token, results)
        _own_streams(output, trace)
        _limit_memory(limits.memory)
        gc.enable()
        import atexit

        atexit._clear()  # what the run wants done at its end is not for this process
        _adopt_orphans()
        more = []
        if line:
            line = socket.socket(fileno=_out_of_the_way(line.detach()))

            def again() -> None:
                until = time.monotonic() + 1
                while os.getppid() != keeper and time.monotonic() < until:
                    time.sleep(0.001)
                _die_with(keeper)
                channel.again()

            more = [Waiting(token, line, again, _adopt_orphans, limits.spacing)]
        try:
            work(key, channel.send, *more)
            channel.last_words()
            threading._shutdown()  # type: ignore[attr-defined]
            atexit._run_exitfuncs()
            channel.write(b"E", None)
            status = 0
        except MemoryError:
            status = _OUT_OF_MEMORY
        except BaseException:
            channel.write(b"R", traceback.format_exc())
    finally:
        _exit(status)


class _Channel:
    """Where a note's process sends its results, each on a line that a note cannot make up."""

    def __init__(self, token: bytes, descriptor: int) -> None:
        self._descriptor = descriptor
        self._token = token
        self._pid = _getpid()
        self._beat: dict[str, Any] = {}
        self._held = b""
        #: Results that were sent, for the process of a checkpoint.
        self._sent = bytearray()

    def send(self, message: dict[str, Any]) -> None:
        if is_beat(message):
            self.write(b"B", message)
            self._beat = message
            return
        self._end_copy()
        # Results wait for the next heartbeat, behind which code of the note runs that may end
        # this process: the keeper need not wake for each of them.
        line = self._line(b"M", message)
        self._sent += line
        self._held += line
        if len(self._held) > _HELD:
            self._flush()

    def again(self) -> None:
        """Send in another process what was sent before it was forked."""
        self._pid = _getpid()
        self._held = bytes(self._sent)

    def last_words(self) -> None:
        """Say that what comes now are the threads and exit handlers of the note."""
        if self._beat:
            self.write(b"B", {**self._beat, "leaving": True})

    def write(self, kind: bytes, message: Any) -> None:
        self._end_copy()
        self._held += self._line(kind, message)
        self._flush()

    def _end_copy(self) -> None:
        """End this process if it is a copy, made by a fork in the note, that has come to here."""
        if _getpid() != self._pid:
            self._held = self._line(b"C", self._beat)
            self._flush()
            _exit(_CUT_OFF)

    def _flush(self) -> None:
        line, self._held = self._held, b""
        try:
            while line:
                line = line[os.write(self._descriptor, line) :]
        except OSError:
            _exit(_CUT_OFF)  # the note has closed it; without a last message nothing counts as done

    def _line(self, kind: bytes, message: Any) -> bytes:
        return self._token + kind + _encode(message).encode() + b"\n"


def _out_of_the_way(descriptor: int) -> int:
    """Move a descriptor up, where what counts from 3 on does not hit it."""
    import fcntl

    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 200)
    os.close(descriptor)
    return moved


def _fork() -> int:
    with warnings.catch_warnings():
        # Python counts BLAS's threads, too; BLAS knows of forks and starts its own anew.
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


@contextmanager
def _end_of(pid: int) -> Iterator[int | None]:
    """Open what can be read once a process has ended (Linux); elsewhere one has to look."""
    end = None
    with suppress(AttributeError, OSError):
        end = os.pidfd_open(pid)
    try:
        yield end
    finally:
        if end is not None:
            os.close(end)


def _own_streams(output: int, trace: int) -> None:
    """Read from nowhere, write to where the keeper reads; show where Python is when it dies."""
    import faulthandler

    nowhere = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nowhere, 0), (output, 1), (output, 2)):
        os.dup2(source, target)
    os.close(nowhere)
    os.close(output)
    for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        stream = os.fdopen(number, mode, closefd=False)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    faulthandler.enable(trace)
    if _TRACE:
        faulthandler.register(_TRACE, trace)


def _limit_memory(size: int) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError, ValueError):
        statm = os.open("/proc/self/statm", os.O_RDONLY)
        pages = int(os.read(statm, 100).split()[0])
        os.close(statm)
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        size += pages * resource.getpagesize() + _RESERVED
        resource.setrlimit(resource.RLIMIT_AS, (size, most))


def _turn_away_descriptors(keep: set[int]) -> None:
    """Let all open files of the run lead nowhere, their numbers remaining taken."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    with suppress(OSError):
        numbers = [int(entry.name) for entry in Path("/dev/fd").iterdir()]
        for number in numbers:
            if number not in keep:
                with suppress(OSError):
                    os.dup2(nowhere, number, inheritable=number < 3)


def _adopt_orphans(adopt: bool = True) -> None:
    """Become the parent of what the processes of a note leave behind (Linux)."""
    _prctl(36, adopt)  # PR_SET_CHILD_SUBREAPER


def _die_with(parent: int) -> None:
    """End when the parent ends (Linux)."""
    _prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:
        _exit(_CUT_OFF)


def _prctl(option: int, value: int) -> None:
    if _LIBC:
        _LIBC.prctl(option, value, 0, 0, 0)


def _read(descriptor: int, take: Take) -> bool:
    """Take in what can be read without waiting, some of it if it is much; tell if more may come."""
    with suppress(BlockingIOError):
        for _ in range(64):
            data = os.read(descriptor, 65536)
            if not data:
                return False
            take(data)
    return True


def _frames(trace: bytes) -> tuple[tuple[str, int], ...]:
    """Find where the interpreter was, in what faulthandler wrote: outermost call first."""
    found = re.findall(
        r"^(Current thread|Thread) .*\(most recent call first\):\n((?:  File .*\n)+)",
        trace.decode(errors="replace"),
        re.M,
    )
    stacks = sorted(found, key=lambda stack: stack[0] != "Current thread")
    calls = (call for _, stack in stacks for call in reversed(stack.splitlines()))
    read = (re.match(r'  File "(.*)", line (\d+)', call) for call in calls)
    return tuple((call[1], int(call[2])) for call in read if call)
