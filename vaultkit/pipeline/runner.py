"""Inspects notes for the doors, each in a process of its own; tells how each inspection ended."""

from __future__ import annotations

import json
import os
import pickle
import platform
import sys
import time
import traceback
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

from vaultkit.checks import typeset
from vaultkit.checks.check import FAILS, Check
from vaultkit.pipeline.inspect import Judges, Settings, asked_of_code, inspect_code, inspect_text
from vaultkit.pipeline.ledger import Ledger
from vaultkit.read.markdown import parse
from vaultkit.read.note import Block, Note
from vaultkit.read.options import CHECKS, OF_CODE
from vaultkit.read.vault import Vault
from vaultkit.run.dependencies import compile_ahead, local_modules
from vaultkit.run.ending import Ending, Limits
from vaultkit.run.session import Step
from vaultkit.run.work import Send
from vaultkit.run.workers import Workers


@dataclass(frozen=True)
class Output:
    """What came of a piece of code, and where the note shows it.

    ``line`` is that of the first line of what is shown, or of the code where nothing is.
    """

    line: int
    text: str
    shown: bool


@dataclass
class Inspection:
    """What was found in a note.

    Attributes
    ----------
    note
        The note as it was read.
    checks
        All that was found.
    whole
        Whether everything that the note says was judged.
    ended
        Why what is missing was not judged: how the note's process ended.
    rests_on
        The files that its code has read.
    outputs
        What came of each block, by its number, if that was to be kept.
    """

    note: Note
    checks: list[Check] = field(default_factory=list)
    whole: bool = False
    ended: str = ""
    rests_on: set[Path] = field(default_factory=set)
    #: Whether all was judged that needs no code to run.
    text_is_whole: bool = False
    outputs: dict[int, list[Output]] = field(default_factory=dict)
    #: It did not run again, as nothing has changed since.
    cached: bool = False


class Runner:
    """Inspects the notes of a vault, each when its result is asked for, or before.

    Parameters
    ----------
    vault
        The vault.
    settings
        How to inspect.
    count
        How many notes are inspected at a time; 0 means in this process, for debuggers.
    limits
        What the process of a note may use.
    ledger
        Where to find what is known already of notes that need not run again; None: all run.
    workers
        The processes that run the code, if there are some already (`workers_of`).
    """

    def __init__(
        self,
        vault: Vault,
        settings: Settings,
        count: int | None = None,
        limits: Limits | None = None,
        ledger: Ledger | None = None,
        workers: Workers | None = None,
    ) -> None:
        self.vault = vault
        self.settings = settings
        self._ledger = ledger
        self._began = time.time_ns()
        self._workers = workers or workers_of(vault.root, count, limits)
        self._keys: dict[Path, str] = {}
        self._known: dict[Path, Inspection] = {}

    def submit(self, notes: Iterable[tuple[Note, int | None]]) -> None:
        """Say which notes will be asked for, in this order, and up to which block."""
        for note, until in notes:
            if self._is_known(note, until):
                continue
            self._keys[note.path] = json.dumps([os.fspath(note.path), until])
            if self._runs(note):
                self._workers.submit(self._keys[note.path], partial(self._given, note, until))

    def attend(self) -> None:
        """Have notes inspected while whoever asks for them is busy with something else."""
        self._workers.attend()

    def result(self, note: Note) -> Inspection:
        """Return what was found in a note."""
        if note.path not in self._known and note.path not in self._keys:
            self.submit([(note, None)])
        if note.path not in self._known:
            key = self._keys[note.path]
            whole = json.loads(key)[1] is None
            self._workers.attend()
            text = self._told_of_text(note)  # while its code runs
            ending = self._workers.result(key) if self._runs(note) else Ending("done")
            found = told(note, ending, whole)
            found.checks[:0] = text.checks
            found.whole &= text.whole
            found.text_is_whole = text.whole
            found.ended = text.ended or found.ended
            self._known[note.path] = found
        return self._known[note.path]

    def _runs(self, note: Note) -> bool:
        """Tell whether a note needs a process: to make one takes longer than to read its text."""
        if note.blocks:
            return True
        names, settings = asked_of_code(note, self.vault, self.settings)
        return not names.isdisjoint(OF_CODE) or bool(settings.typeset and note.formulas)

    def _given(self, note: Note, until: int | None) -> bytes:
        """Write down all that the process of a note has to know."""
        names, settings = asked_of_code(note, self.vault, self.settings)
        try:
            return pickle.dumps((note, until, names, settings))
        except Exception:  # told in place of the note
            return pickle.dumps(traceback.format_exc())

    def _told_of_text(self, note: Note) -> Inspection:
        """Judge what a note says without running; one bad note must not be the end of the run.

        What typesets a formula may never end, or end its process: the process of the note does it.
        """
        settings = replace(self.settings, typeset=None)
        try:
            return Inspection(note, list(inspect_text(note, self.vault, settings)), whole=True)
        except Exception:
            return told(note, Ending("raised", told=traceback.format_exc()))

    def record(self, found: Inspection, ledger: Ledger) -> None:
        """Put down what was found in a note."""
        if found.cached:
            return
        # What was changed meanwhile may not be what the code has read.
        changed = any(_changed_after(path, self._began) for path in found.rests_on)
        under = "" if changed else self._under
        ledger.record(found.note, found.checks, found.rests_on, under)

    @cached_property
    def _under(self) -> str:
        """What the code of notes runs under: the settings, Python, and all that is installed."""
        settings = (self.settings.timeout, self.settings.trials, self.vault.options)
        installed = {
            entry
            for folder in sys.path
            if Path(folder).is_dir()
            for entry in (path.name for path in Path(folder).iterdir())
            if entry.endswith((".dist-info", ".egg-info", ".pth"))
        }
        return repr((settings, sys.version, platform.platform(), os.cpu_count(), sorted(installed)))

    def _is_known(self, note: Note, until: int | None) -> bool:
        """Tell whether a note need not run; what its text says is judged at any rate."""
        if self._ledger is None or until is not None:
            return False
        found = self._ledger.found_by_running(note, self._under)
        if found is None:
            return False
        text = list(inspect_text(note, self.vault, self.settings))
        if any(check.outcome == FAILS for check in text):
            return False
        self._known[note.path] = Inspection(note, [*text, *found], whole=True, cached=True)
        return True

    def close(self) -> None:
        """End all that still runs."""
        self._workers.close()


def workers_of(folder: Path, count: int | None = None, limits: Limits | None = None) -> Workers:
    """Return what runs the code of the notes in the folder of a vault, before they are read."""
    return Workers(_Work(folder), count, limits)


def told(note: Note, ending: Ending, whole: bool = True) -> Inspection:
    """Read what the process of a note has sent, and how it ended.

    Parameters
    ----------
    note
        The note that it was to inspect.
    ending
        How it ended, and what it sent.
    whole
        Whether it was to judge everything that the note says.
    """
    found = Inspection(note)
    for message in ending.messages:
        if "check" in message:
            found.checks.append(Check.from_plain(message["check"]))
        for index, outputs in message.get("outputs", ()):
            found.outputs[index] = [Output(*output) for output in outputs]
        for path in message.get("read", ()):
            found.rests_on.add(Path(path))
    if ending.kind == "done":
        found.whole = whole
        return found
    block = note.blocks[ending.block] if ending.block is not None else None
    line = block.fence.line if block else 1
    line = ending.line(os.path.relpath(note.path)) or line
    found.ended = f"not judged: at line {line} the note {str(ending).splitlines()[0]}"
    found.checks.append(
        Check(
            "block" if block else "form",
            line,
            block.section if block else note.name,
            FAILS,
            str(ending) + (f"\n  {ending.told}" if ending.told and ending.kind != "raised" else ""),
            block=ending.block,
        )
    )
    return found


#: A note of everything, so that patterns are compiled, and Python has seen what the code works on.
_EXAMPLE = r"""---
summary: What 0.25 is.
---

# Example

See [[#Part|this]] and [that](https://example.org/), $x \in \mathbb{R}^{2 \times 2}$ and 25 %.

```python
import numpy as np

x = np.array([[0.25, 0.5], [0.75, 1.0]])
x / 2
```

```text
array([[0.125, 0.25 ],
       [0.375, 0.5  ]])
```

## Part

The first is 0.125, [0.25, 0.5] a row, 1/4 a fraction, and `x` is 2 by 2, or (2, 2).

$$
\sum_{j=1}^{2} x_{ij} \ge 0.75, \quad \frac{x^\top x}{2} = \frac{1}{2} x^\top x
$$

```pycon
>>> float(x.sum())
2.5
```
"""


def _changed_after(path: Path, moment: int) -> bool:
    try:
        return path.stat().st_mtime_ns >= moment
    except OSError:
        return True


@dataclass
class _Work:
    """What the process of a note does: it runs its code and typesets its formulas.

    It knows nothing but the note, so the processes that these are forked from hold little memory,
    however many notes there are.
    """

    folder: Path

    def prepare(self) -> None:
        """Do what the processes of all notes would do again: what is done once is shared."""
        note = parse(_EXAMPLE, self.folder / "Example.md")
        for _ in inspect_code(note, self.folder, CHECKS):
            pass
        local_modules(self.folder.parent)

    def take(self, key: str, given: bytes) -> None:  # noqa: ARG002
        """Take a note; have the modules that it imports compiled for those that follow, too."""
        task = pickle.loads(given)
        if isinstance(task, str):
            raise ValueError(task)
        self.task: tuple[Note, int | None, set[str], Settings] = task
        note = self.task[0]
        compile_ahead(self.folder.parent, (block.fence.text for block in note.blocks))
        # What is read of code and formulas is read here: a process that was just forked would have
        # to copy the memory that this takes.
        self.judges = Judges(note)

    def __call__(self, key: str, send: Send) -> None:  # noqa: ARG002
        note, until, names, settings = self.task
        read: set[Path] = set()

        outputs: list[tuple[int, list[tuple[int, str, bool]]]] = []

        def tell(index: int, seconds: float) -> None:
            send({"block": index, "limit": seconds})

        def keep(block: Block, steps: list[Step], _variables: object) -> None:
            kept = []
            for step in steps:
                first, last = step.shown_lines
                shown = last >= first
                kept.append((first if shown else step.line, step.got, shown))
            outputs.append((note.blocks.index(block), kept))

        if settings.typeset:
            for check in typeset.check(note, settings.typeset):
                send({"check": check.plain()})
        for check in inspect_code(
            note, self.folder, names, settings,
            until=until, tell=tell, read=read, judges=self.judges,
            watch=keep if settings.outputs else None,
        ):  # fmt: skip
            send({"check": check.plain()})
        if outputs:
            send({"outputs": outputs})
        send({"read": [os.fspath(path) for path in read]})
