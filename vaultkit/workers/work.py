"""The work that a process does for a key, and the messages that it sends.

A *key* names one job; the *data* of a key are what the work needs for it, such as a task.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

#: Sends a message: a dictionary that JSON can hold.
Send = Callable[[dict[str, Any]], None]
#: Called with a key and what sends messages. It may have methods `prepare`, `load` and `resumes`
#: (see `vaultkit.workers.pool.Workers`).
Work = Callable[[str, Send], None]


def prepare(work: Work) -> None:
    """Call the method ``prepare`` of some work, if it has one."""
    getattr(work, "prepare", lambda: None)()


def load(work: Work, key: str, data: bytes) -> None:
    """Call the method ``load`` of some work, if it has one, with a key and its data."""
    getattr(work, "load", lambda _key, _data: None)(key, data)


def beat_sender(send: Send) -> Callable[[int, float], None]:
    """Return a function that sends a heartbeat, given a block's index and its time limit."""

    def beat(index: int, seconds: float) -> None:
        send({"block": index, "limit": seconds})

    return beat


class Resumption(NamedTuple):
    """From where the work of a key may resume: a method ``resumes`` returns it.

    ``name`` is the name of the checkpoints. Those of the blocks up to the index ``agrees`` are
    still valid; this run may resume from those up to ``last``. By default there is none.
    """

    name: str = ""
    agrees: int = -1
    last: int = -1


def is_beat(message: dict[str, Any]) -> bool:
    """Return whether a message is a heartbeat."""
    return "block" in message and "limit" in message
