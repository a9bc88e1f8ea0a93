"""The work that a process does for a key, and the messages that it sends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

Send = Callable[[dict[str, Any]], None]
Work = Callable[[str, Send], None]


def prepare(work: Work) -> None:
    """Call the method ``prepare`` of some work, if it has one."""
    getattr(work, "prepare", lambda: None)()


def load(work: Work, key: str, data: bytes) -> None:
    """Call the method ``load`` of some work, if it has one, with a key and the data of its task."""
    getattr(work, "load", lambda _key, _given: None)(key, data)


def beat_sender(send: Send) -> Callable[[int, float], None]:
    """Return a function that sends a heartbeat, data a block's index and its time limit."""

    def beat(index: int, seconds: float) -> None:
        send({"block": index, "limit": seconds})

    return beat


class Resumption(NamedTuple):
    """From where the work of a key may resume: a method ``resumes`` returns it.

    ``name`` is the name of the checkpoints. Those of the blocks up to the index ``agrees`` are
    still valid; those after ``last`` must not be used.
    """

    name: str = ""
    agrees: int = -1
    last: int = -1


def is_beat(message: dict[str, Any]) -> bool:
    """Return whether a message is a heartbeat."""
    return "block" in message and "limit" in message
