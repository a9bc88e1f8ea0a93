"""The set-up of a note's process after the fork: process group, streams, limits, exit."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from vaultkit.workers.channel import CUT_OFF, DONE, OUT_OF_MEMORY, RAISED, Channel
from vaultkit.workers.checkpoints import CheckpointMaker
from vaultkit.workers.ending import Limits

#: The signal on which faulthandler writes a trace; None on Windows.
TRACE = getattr(signal, "SIGUSR2", None)
#: Bytes of address space that the threads of a BLAS reserve, one for each core, and hardly use.
RESERVED = (os.cpu_count() or 1) * (80 << 20)
#: Descriptors from this number on are not used by chance: a note that closes "all" of them begins
#: at 3.
_HIGH = 200
#: Options of Linux's ``prctl``: to adopt orphaned descendants, and to get a signal when the parent
#: ends.
_SET_CHILD_SUBREAPER, _SET_PDEATHSIG = 36, 1
#: Seconds in which a resumed process becomes a child of the keeper.
_ADOPTION_TIME = 1.0
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
# Bound here, since a note may replace the functions of their modules.
_exit = os._exit


def run_note_process(
    keeper: int,
    work: Callable[..., None],
    key: str,
    token: bytes,
    pipes: list[int],
    limits: Limits,
    announcements: socket.socket | None = None,
) -> NoReturn:
    """Set up the process of a note, do its work, and exit.

    Parameters
    ----------
    keeper
        The id of the keeper's process.
    work, key
        The work, and the key that it is called with.
    token
        The secret with which each message begins.
    pipes
        The ends of the pipes for results, output and traces.
    limits
        The limits of the process.
    announcements
        The socket on which checkpoints are announced; None to create none.
    """
    status = CUT_OFF
    try:
        os.setsid()  # a process group of its own, which the keeper can end
        _die_with(keeper)
        results, output, trace = map(_move_descriptor, pipes)
        channel = Channel(token, results)
        _redirect_streams(output, trace)
        _limit_memory(limits.memory)
        gc.enable()  # the keeper has disabled it
        import atexit

        atexit._clear()  # the exit handlers of the run must not run here
        adopt_orphans()
        checkpoints = []
        if announcements:
            announcements = socket.socket(fileno=_move_descriptor(announcements.detach()))

            def take_over() -> None:
                """Become the process of the note, once the keeper has adopted this process."""
                until = time.monotonic() + _ADOPTION_TIME
                while os.getppid() != keeper and time.monotonic() < until:
                    time.sleep(0.001)
                _die_with(keeper)
                channel.send_again()

            spacing = limits.spacing
            checkpoints = [CheckpointMaker(token, announcements, take_over, adopt_orphans, spacing)]
        try:
            work(key, channel.send, *checkpoints)
            # What Python itself does at the end of a process.
            channel.announce_exit()
            threading._shutdown()  # type: ignore[attr-defined]
            atexit._run_exitfuncs()
            channel.send_now(DONE, None)
            status = 0
        except MemoryError:  # perhaps too little memory is left for a message
            status = OUT_OF_MEMORY
        except BaseException:
            channel.send_now(RAISED, traceback.format_exc())
    finally:
        _exit(status)


def _move_descriptor(descriptor: int) -> int:
    """Duplicate a descriptor to a high number, which a note does not close by accident."""
    import fcntl

    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _HIGH)
    os.close(descriptor)
    return moved


def _redirect_streams(output: int, trace: int) -> None:
    """Redirect the standard streams to the pipe of output, and traces of faulthandler to another.

    Nothing can be read from the standard input.
    """
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
    if TRACE:
        faulthandler.register(TRACE, trace)


def _limit_memory(size: int) -> None:
    """Limit the address space to ``size`` bytes more than now, and write no core dumps."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError, ValueError):  # only Linux tells the size
        statm = os.open("/proc/self/statm", os.O_RDONLY)
        pages = int(os.read(statm, 100).split()[0])  # of address space in use
        os.close(statm)
        _, hard_limit = resource.getrlimit(resource.RLIMIT_AS)
        size += pages * resource.getpagesize() + RESERVED
        resource.setrlimit(resource.RLIMIT_AS, (size, hard_limit))


def adopt_orphans(adopt: bool = True) -> None:
    """Become the parent of orphaned descendants (Linux), or with False, let another one adopt them.

    Otherwise they would become children of the system's first process, and would not be found.
    """
    _prctl(_SET_CHILD_SUBREAPER, adopt)


def _die_with(parent: int) -> None:
    """Let the kernel end this process when its parent ends (Linux)."""
    _prctl(_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it has ended already
        _exit(CUT_OFF)


def _prctl(option: int, value: int) -> None:
    """Call Linux's function of this name, which Python does not have; elsewhere do nothing."""
    if _LIBC:
        _LIBC.prctl(option, value, 0, 0, 0)
