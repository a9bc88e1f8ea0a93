"""The work that a process does for a key, and the messages that it sends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Send = Callable[[dict[str, Any]], None]
Work = Callable[[str, Send], None]


def prepare(work: Work) -> None:
    """Call the method ``prepare`` of some work, if it has one."""
    getattr(work, "prepare", lambda: None)()


def load(work: Work, key: str, given: bytes) -> None:
    """Call the method ``load`` of some work, if it has one, with a key and its serialised task."""
    getattr(work, "load", lambda _key, _given: None)(key, given)


def beats(send: Send) -> Callable[[int, float], None]:
    """Return a function that sends a heartbeat, given a block's index and its time limit."""

    def beat(index: int, seconds: float) -> None:
        send({"block": index, "limit": seconds})

    return beat


def is_beat(message: dict[str, Any]) -> bool:
    """Return whether a message is a heartbeat."""
    return "block" in message and "limit" in message
