"""`Limits` of a note's process, and its `Ending`.

The *keeper* of a note's process watches it from outside. A *heartbeat* is a message of the process
that says which block begins, and how much time it may take.
"""

from __future__ import annotations

import os
import re
import signal
from dataclasses import dataclass, field
from typing import Any, Literal

#: Matches a call in a traceback, ``File "/a/checks/form.py", line 9, in f``: the last two parts of
#: its path, and its line.
_CALL = re.compile(r'File ".*?(?P<file>[^/\\"]+[/\\][^/\\"]+)", line (?P<line>\d+), in')
_INDENTED_LINE = re.compile(r"^ .*\n", re.MULTILINE)

#: How a process can end, see `Ending.__str__`.
Kind = Literal[
    "done",
    "timed out",
    "memory",
    "signal",
    "exit",
    "stopped early",
    "processes",
    "flood",
    "garbled",
    "raised",
    "lost",
]


@dataclass(frozen=True)
class Limits:
    """The limits of a note's process.

    Attributes
    ----------
    seconds
        The time before its first heartbeat, in seconds.
    grace
        Seconds beyond the time that a heartbeat announced, after which the keeper ends the process;
        Python code is stopped in time within the process.
    threads
        Number of threads of a matrix product; 0 to divide the cores among the notes.
    memory
        Bytes beyond those in use when the note begins.
    processes
        Most processes at a time, including itself.
    output
        Most bytes of output that bypasses Python, and of messages.
    checkpoints
        The number of checkpoints of all notes (`vaultkit.workers.checkpoints`).
    spacing
        The least number of seconds between two checkpoints, each of which costs time.
    """

    seconds: float = 60.0
    grace: float = 2.0
    memory: int = 2 << 30
    processes: int = 64
    output: int = 100 << 20
    checkpoints: int = 24
    spacing: float = 0.05
    threads: int = 0


@dataclass(frozen=True)
class Ending:
    """How the process of a note ended, and the messages that it had sent.

    Attributes
    ----------
    kind
        ``done`` if the work was completed; `__str__` describes the others.
    code
        The number of the signal, the exit status, or the number of processes, for kinds of these
        names; else 0.
    beat
        The last heartbeat, which says what was running: ``block`` (its index) and ``limit``
        (seconds), and ``leaving`` if only threads and exit handlers were left.
    frames
        File and line of the calls that were running, outermost first, if known.
    details
        The traceback of an engine error; otherwise the beginning and the end of output that
        bypassed Python.
    messages
        The messages that it had sent.
    """

    kind: Kind
    code: int = 0
    beat: dict[str, Any] = field(default_factory=dict)
    frames: tuple[tuple[str, int], ...] = ()
    details: str = ""
    messages: tuple[dict[str, Any], ...] = ()

    @property
    def block(self) -> int | None:
        """The index of the block that ran last; None if none did."""
        block = self.beat.get("block")
        return block if isinstance(block, int) else None

    def line(self, filename: str) -> int | None:
        """Return the line of a file on which the process was stopped, if known."""
        # faulthandler escapes file names in this way.
        name = filename.encode("ascii", "backslashreplace").decode()
        return next((line for file, line in self.frames if file in (name, filename)), None)

    @property
    def fault(self) -> str:
        """The error of the engine, and where it was raised; or the whole traceback.

        *ValueError: no; in checks/form.py, line 9 (VAULTKIT_TRACEBACK=1 shows all of it)*
        """
        if os.environ.get("VAULTKIT_TRACEBACK"):
            return self.details
        calls = list(_CALL.finditer(self.details))
        place = f"; in {calls[-1]['file']}, line {calls[-1]['line']}" if calls else ""
        # The lines of calls are indented; behind them is the error, which may have several lines.
        error_lines = _INDENTED_LINE.split(self.details.strip())[-1]
        error = error_lines.partition("\n")[0]
        return f"{error}{place} (VAULTKIT_TRACEBACK=1 shows all of it)"

    def __str__(self) -> str:
        """Return the ending in words, which follow the name of the note."""
        match self.kind:
            case "done":
                return "came to its end"
            case "timed out":
                if self.beat.get("leaving"):
                    return "has threads or exit handlers that never end"
                seconds = self.beat.get("limit")
                after = f" after {seconds:g} s" if isinstance(seconds, (int, float)) else ""
                return f"was stopped from outside{after}: what ran could not be interrupted"
            case "memory":
                return "used more memory than a note may"
            case "signal":
                return f"was ended by {_describe_signal(self.code)}"
            case "exit":
                return f"ended its process with exit status {self.code}"
            case "stopped early":
                return "ended its process with exit status 0 before all was checked"
            case "processes":
                return f"left processes running ({self.code})"
            case "flood":
                return "wrote without end"
            case "garbled":
                return "closed the channel of its results, or wrote to it"
            case "raised":
                return f"could not be checked, because of an error in vaultkit: {self.fault}"
            case "lost":
                by = f": {_describe_signal(self.code)}" if self.code else ""
                return f"ended the process that watches it{by}"


def _describe_signal(number: int) -> str:
    """Return the name of a signal with its description: ``SIGKILL (Killed)``."""
    name = next((s.name for s in signal.Signals if s == number), str(number))
    description = signal.strsignal(number) if number in signal.valid_signals() else None
    return name + (f" ({description})" if description else "")
