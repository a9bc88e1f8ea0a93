"""Forks processes; their children, memory and processor time (on Linux; elsewhere unknown)."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import suppress


def children(pid: int) -> list[int]:
    """Return the children of a process, including zombies."""
    found: list[int] = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 (many times a second)
            with suppress(OSError):
                found += map(int, _read(f"/proc/{pid}/task/{thread}/children").split())
    return found


def descendants(pid: int) -> Iterator[int]:
    """Yield the living descendants of a process."""
    parents = [pid]
    while parents:
        for child in children(parents.pop()):
            parents.append(child)
            if is_alive(child):
                yield child


def is_alive(pid: int) -> bool:
    """Return whether a process is running, and not a zombie."""
    with suppress(OSError):
        return _status(pid)[0] not in "ZX"
    return False


def exists(pid: int) -> bool:
    """Return whether a process exists; on Windows, where asking would end it, always True."""
    if os.name == "nt":
        return True
    try:
        os.kill(pid, 0)  # signal 0 only asks
    except ProcessLookupError:
        return False
    except OSError:
        pass  # it belongs to another user
    return True


def private_memory(pid: int) -> int:
    """Return the private memory of a process in bytes."""
    with suppress(OSError):
        _, resident, shared, *_ = map(int, _read(f"/proc/{pid}/statm").split())
        return (resident - shared) * os.sysconf("SC_PAGE_SIZE")
    return 0


def processor_time(pid: int) -> float:
    """Return the processor time of a process in seconds."""
    with suppress(OSError):
        user, system = _status(pid)[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    return 0.0


def _status(pid: int) -> list[str]:
    """Return the status of a process: the fields behind its name."""
    return _read(f"/proc/{pid}/stat").rpartition(")")[2].split()


def _read(path: str) -> str:
    """Read a file of the kernel, which happens many times a second: `Path.read_text` is slower."""
    file = os.open(path, os.O_RDONLY)
    try:
        parts = iter(lambda: os.read(file, 65536), b"")
        return b"".join(parts).decode(errors="replace")
    finally:
        os.close(file)


def fork() -> int:
    """Fork this process as `os.fork` does, without Python's warning about threads."""
    with warnings.catch_warnings():
        # Python counts BLAS's threads, too; BLAS restarts its own after a fork.
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()
