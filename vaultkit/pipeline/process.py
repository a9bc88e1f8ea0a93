"""The work of a note's process: it runs a serialised `Task` and sends the checks as messages.

The run and the editor inspect notes in the same way: `serialize_task` serialises a `Task`,
`NoteWork` runs it in a process (`vaultkit.workers.pool`), and `inspection_of` reads the messages
that it sent.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import traceback
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from vaultkit.checks import typeset
from vaultkit.checks.check import FAILS, Check
from vaultkit.checks.evidence import Value, bound
from vaultkit.pipeline.inspect import RunChecks, Task, run_code
from vaultkit.read.markdown import parse
from vaultkit.read.note import Block, Note
from vaultkit.read.options import CHECKS
from vaultkit.run.dependencies import compile_ahead, local_modules
from vaultkit.run.steps import Step
from vaultkit.workers.ending import Ending
from vaultkit.workers.work import Send, beat_sender


class Output(NamedTuple):
    """The computed output of a piece of code, and whether the note shows an output.

    ``line`` is the first line of the output that the note shows, or of the code if it shows none.
    """

    line: int
    text: str
    is_shown: bool


@dataclass
class Inspection:
    """The inspection of a note: its checks, and how its process ended.

    Attributes
    ----------
    note
        The note that was inspected.
    checks
        Its checks.
    is_whole
        Whether the whole note was judged.
    ended
        How the process ended, if something was not judged for that reason; else empty.
    files_read
        The files that its code has read.
    text_is_whole
        Whether everything was judged that does not need the code to run.
    outputs
        The outputs of each block, by its index, if they were to be kept.
    values
        The values that the blocks have given to each variable, in order, if they were to be
        described.
    collected
        What the work has collected after each block, by its index.
    is_from_ledger
        Whether the results come from the ledger, without a run.
    """

    note: Note
    checks: list[Check] = field(default_factory=list)
    is_whole: bool = False
    ended: str = ""
    files_read: set[Path] = field(default_factory=set)
    text_is_whole: bool = False
    outputs: dict[int, list[Output]] = field(default_factory=dict)
    values: dict[str, list[Value]] = field(default_factory=dict)
    collected: dict[int, list[Any]] = field(default_factory=dict)
    is_from_ledger: bool = False


def inspection_of(note: Note, ending: Ending, whole: bool = True) -> Inspection:
    """Return the inspection that the process of a note has sent.

    If the process ended early, that is a failure of the block that ran then, with the same words as
    `Inspection.ended`.

    Parameters
    ----------
    note
        The note.
    ending
        How the process ended, and its messages (see `NoteWork`).
    whole
        Whether it was to judge the whole note.
    """
    inspection = Inspection(note)
    for message in ending.messages:
        if "check" in message:
            inspection.checks.append(Check.from_plain(message["check"]))
        for index, outputs in message.get("outputs", ()):
            inspection.outputs[index] = [Output(*fields) for fields in outputs]
        if "collected" in message:
            inspection.collected[message["of"]] = message["collected"]
        for path in message.get("read", ()):
            inspection.files_read.add(Path(path))
        for name, (type_name, text) in message.get("values", {}).items():
            inspection.values.setdefault(name, []).append(Value(message["of"], type_name, text))
    if ending.kind == "done":
        inspection.is_whole = whole
        return inspection
    block = note.blocks[ending.block] if ending.block is not None else None
    # The line of the note in the trace of the process, if there is one. A block runs under the path
    # of its note relative to the present folder.
    line = ending.line(os.path.relpath(note.path)) or (block.fence.line if block else 1)
    why = str(ending)
    inspection.ended = f"not judged: at line {line} the note {why.splitlines()[0]}"
    if ending.details and ending.kind != "raised":  # output that bypassed Python
        why += f"\n  {ending.details}"
    kind, what = ("block", block.section) if block else ("form", note.name)
    inspection.checks.append(Check(kind, line, what, FAILS, why, block=ending.block))
    return inspection


#: A note with every kind of syntax: inspecting it compiles patterns and warms up caches.
_EXAMPLE = r"""---
summary: What 0.25 is.
---

# Example

See [[#Part|this]] and [that](https://example.org/), $x \in \mathbb{R}^{2 \times 2}$ and 25 %.

```python
import numpy as np

x = np.array([[0.25, 0.5], [0.75, 1.0]])
mean, steps = x.mean(), 6
x / 2
```

```text
array([[0.125, 0.25 ],
       [0.375, 0.5  ]])
```

## Part

The first is 0.125, [0.25, 0.5] a row, 1/4 a fraction, and `x` is 2 by 2, or (2, 2).
The mean is 0.625. The sum rises by 25 % to 2.5, more than two<!-- x.sum() > 2 -->.
It takes 6 steps.

$$
\sum_{j=1}^{2} x_{ij} \ge 0.75, \quad \frac{x^\top x}{2} = \frac{1}{2} x^\top x
$$

```pycon
>>> float(x.sum())
2.5
```
"""


def serialize_task(task: Task) -> bytes:
    """Serialise a task for another process; if that fails, the traceback in its place.

    The error is then reported for the note alone, when the task is deserialised.
    """
    try:
        return pickle.dumps(task)
    except Exception:
        return pickle.dumps(traceback.format_exc())


def deserialize_task(data: bytes) -> Task:
    """Deserialise a task.

    Raises
    ------
    ValueError
        If it could not be serialised.
    """
    task = pickle.loads(data)
    if isinstance(task, str):  # the traceback that `serialize_task` has put in its place
        raise ValueError(task)
    assert isinstance(task, Task)
    return task


@dataclass
class NoteWork:
    """The work of a note's process: run its code and typeset its formulas.

    It holds a single note and no vault, so that the processes from which it is forked stay small.

    Attributes
    ----------
    folder
        The vault's folder.
    describe
        Returns the type and a short text of a value; None if values are not needed.
    collect
        Returns plain data about the note and its variables after a block; None if not needed.
    """

    folder: Path
    describe: Callable[[Any], tuple[str, str]] | None = None
    collect: Callable[[Note, Mapping[str, Any]], list[Any]] | None = None

    def prepare(self) -> None:
        """Do before the forks what all processes would do, so that they share the memory.

        An example is checked, for which all patterns are compiled, and the modules beside the vault
        are found.
        """
        note = parse(_EXAMPLE, self.folder / "Example.md")
        for _ in run_code(Task(note, self.folder, frozenset(CHECKS))):
            pass
        local_modules(self.folder.parent)

    def load(self, key: str, data: bytes) -> None:  # noqa: ARG002
        """Compile the modules that a note imports ahead of its process."""
        self.task = deserialize_task(data)
        compile_ahead(self.folder.parent, [block.fence.text for block in self.task.note.blocks])

    def __call__(
        self,
        key: str,  # noqa: ARG002
        send: Send,
        leave_checkpoint: Callable[[int, Collection[Path]], bytes | None] = lambda _index, _read: (
            None
        ),
    ) -> None:
        """Run the code of the note, and send its checks.

        A message has ``check`` (a check), or ``of`` (the index of a block) with ``values`` (by
        name, each with its type and text) or ``collected``, or ``outputs``, or ``read`` (paths).

        ``leave_checkpoint`` is called after each block with its index and the files that were read.
        In the process that later resumes from a checkpoint, it returns the serialised task to
        continue with; else None.
        """
        task, judges = self.task, RunChecks(self.task)
        read: set[Path] = set()
        outputs: list[tuple[int, list[Output]]] = []

        def watch(block: Block, steps: list[Step], variables: Mapping[str, Any]) -> None:
            """Send, or keep for the end, what a door has asked for after a block."""
            index = judges.task.note.blocks.index(block)
            if task.settings.outputs:
                outputs.append((index, list(map(_output_of, steps))))
            if self.describe:
                names = sorted(bound(block) & variables.keys())
                values = {name: self.describe(variables[name]) for name in names}
                send({"of": index, "values": values})
            if self.collect:
                collect = partial(self.collect, judges.task.note, variables)
                with contextlib.suppress(Exception):  # the note's code may raise anything
                    send({"of": index, "collected": judges.statements.call(collect)})

        def pause(index: int) -> Task | None:
            """Leave a checkpoint after a block; return the task of a process that resumes from it.

            The folder beside the vault counts as read: a new module in it may be imported instead
            of an installed one.
            """
            data = leave_checkpoint(index, read | {self.folder.parent})
            return None if data is None else deserialize_task(data)

        # A typesetter may hang or crash, so it runs in the process of the note, too.
        if task.settings.typeset:
            for check in typeset.check(task.note, task.settings.typeset):
                send({"check": check.plain()})
        for check in run_code(
            task, beat=beat_sender(send), read=read, watch=watch, pause=pause, judges=judges
        ):
            send({"check": check.plain()})
        if outputs:
            send({"outputs": outputs})
        send({"read": [os.fspath(path) for path in read]})


def _output_of(step: Step) -> Output:
    """Return the real output of a step, and where the note shows it."""
    first, last = step.shown_lines
    is_shown = last >= first
    return Output(first if is_shown else step.line, step.got, is_shown)
