"""Counts the work of a call in executed lines, which does not depend on the machine's load."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def lines_executed(call: Callable[[], object]) -> int:
    """Count the lines of Python that a call executes.

    Examples
    --------
    >>> lines_executed(lambda: None)
    1
    """
    count = 0

    def trace(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


def growth(work: Callable[[int], object], size: int) -> float:
    """Return the ratio of work for twice the size: 2 if linear, 4 if quadratic."""
    work(1)  # what is done once, at the first call
    return lines_executed(lambda: work(2 * size)) / lines_executed(lambda: work(size))
