"""Forks processes; their children, memory and processor time (on Linux; elsewhere unknown)."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def children(pid: int) -> list[int]:
    """Return the children of a process, including zombies."""
    found: list[int] = []
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                found += map(int, (thread / "children").read_text().split())
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
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        return state not in "ZX"
    return False


def memory(pid: int) -> int:
    """Return the private memory of a process in bytes."""
    with suppress(OSError):
        file = os.open(f"/proc/{pid}/statm", os.O_RDONLY)
        try:
            _, resident, shared, *_ = map(int, os.read(file, 200).split())
        finally:
            os.close(file)
        return (resident - shared) * os.sysconf("SC_PAGE_SIZE")
    return 0


def seconds(pid: int) -> float:
    """Return the processor time of a process in seconds."""
    with suppress(OSError):
        user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    return 0.0


def fork() -> int:
    """Fork this process as `os.fork` does, without Python's warning about threads."""
    with warnings.catch_warnings():
        # Python counts BLAS's threads, too; BLAS restarts its own after a fork.
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()
