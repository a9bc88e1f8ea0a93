"""What a note's process may use, and how it ended."""

from __future__ import annotations

import os
import re
import signal
from dataclasses import dataclass, field
from typing import Any, Literal

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

#: Limits are seconds that the processor works. By the clock, what waits may take so many times as
#: long: on a busy machine honest code waits, too.
PATIENCE = 10.0


@dataclass(frozen=True)
class Limits:
    """What the process of one note may use.

    Attributes
    ----------
    seconds
        How long it may be silent before its first heartbeat.
    grace
        How many seconds longer than its heartbeat announced: what runs in Python is stopped
        inside the process in time; this is for what cannot be.
    threads
        How many threads a matrix product may use; 0: the cores are shared among the notes.
    memory
        Bytes, above what is in use when the note begins.
    processes
        How many processes it may have at a time, itself included.
    output
        Bytes that may be written past Python's own output, and bytes of messages.
    checkpoints
        How many checkpoints there are at most, of all notes (`vaultkit.run.checkpoints`).
    spacing
        Seconds that a note has to have run since its last one: to run so long again costs no more.
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
    """How the process of a note ended, and the messages it had sent by then.

    Attributes
    ----------
    kind
        ``done`` alone means that the work came to its end.
    code
        The number of the signal, the exit status, or how many processes there were.
    beat
        The last heartbeat: what ran when it ended.
    frames
        File and line of the calls that were running, outermost first, where that is known.
    told
        The traceback of an error in the work itself; else what was written past Python's own
        output, its beginning and end.
    """

    kind: Kind
    code: int = 0
    beat: dict[str, Any] = field(default_factory=dict)
    frames: tuple[tuple[str, int], ...] = ()
    told: str = ""
    messages: tuple[dict[str, Any], ...] = ()

    @property
    def block(self) -> int | None:
        """Index of the block that ran last; None if none did."""
        block = self.beat.get("block")
        return block if isinstance(block, int) else None

    def line(self, filename: str) -> int | None:
        """Return the line of a file in which the process was stopped, if that is known."""
        # Spelt as faulthandler spells it.
        name = filename.encode("ascii", "backslashreplace").decode()
        return next((line for file, line in self.frames if file in (name, filename)), None)

    @property
    def fault(self) -> str:
        """The error in the work itself, and where in the engine it arose; or all its traceback."""
        if os.environ.get("VAULTKIT_TRACEBACK"):
            return self.told
        calls = re.findall(r'File ".*?([^/\\"]+[/\\][^/\\"]+)", line (\d+), in', self.told)
        ours = f"; in {calls[-1][0]}, line {calls[-1][1]}" if calls else ""
        error = self.told.strip().split("\n")[-1]
        return f"{error}{ours} (VAULTKIT_TRACEBACK=1 shows all of it)"

    def __str__(self) -> str:
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
                return f"was ended by {_signal(self.code)}"
            case "exit":
                return f"ended its process with exit status {self.code}"
            case "stopped early":
                return "ended its process with exit status 0 before all was checked"
            case "processes":
                return f"left processes running ({self.code})"
            case "flood":
                return "wrote without end"
            case "garbled":
                return "closed, or wrote to, what the results are sent through"
            case "raised":
                return f"could not be checked, for a fault of vaultkit: {self.fault}"
            case "lost":
                by = f": {_signal(self.code)}" if self.code else ""
                return f"ended the process that watches over it{by}"


def _signal(number: int) -> str:
    name = next((s.name for s in signal.Signals if s == number), str(number))
    says = signal.strsignal(number) if number in signal.valid_signals() else None
    return name + (f" ({says})" if says else "")
