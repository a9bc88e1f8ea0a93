"""Runs the code of drafts in the background, the last version of each, and ends what is outdated.

A run begins where the draft differs from what ran last, if a checkpoint is there.

A draft is a note as an editor holds it. It is sent, as text, to a process that has read nothing but
the engine: so it can be at hand all the time, whatever becomes of the vault.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from vaultkit.checks.evidence import bound
from vaultkit.edit.tell import Value
from vaultkit.pipeline.inspect import Settings, agreement, inspect_code
from vaultkit.pipeline.runner import Inspection, told
from vaultkit.read.markdown import parse
from vaultkit.read.note import Block, Note
from vaultkit.run.ending import Limits
from vaultkit.run.session import Step
from vaultkit.run.work import Send
from vaultkit.run.workers import Workers

#: Characters and lines of a value that are shown.
_WIDEST, _LONGEST = 80, 12


@dataclass
class Verdict:
    """What the code of a draft has shown.

    Attributes
    ----------
    note
        The draft.
    found
        What was found as it ran.
    values
        What its blocks have bound to names, in their order.
    until
        The block before which it was to stop; None: it was to judge everything.
    """

    note: Note
    found: Inspection
    values: dict[str, list[Value]] = field(default_factory=dict)
    until: int | None = None


class Background:
    """Runs drafts one at a time, in the order in which they were asked for.

    Parameters
    ----------
    folder
        The folder of the vault.
    tell
        Called with each verdict, from a thread of its own.
    limits
        What the process of a note may use.
    """

    def __init__(
        self, folder: Path, tell: Callable[[Verdict], None], limits: Limits | None = None
    ) -> None:
        self._tell = tell
        self._workers = Workers(_Work(folder), 1, limits)
        self._changed = threading.Condition()
        self._asked: dict[Path, tuple[Note, list[Any], int | None]] = {}
        self._runs: tuple[Path | None, str] = None, ""
        #: What ran last of each note, and how: there may be checkpoints of it.
        self._begun: dict[Path, tuple[Note, list[Any]]] = {}
        self._forgotten: list[str] = []
        self._numbers = count()
        self._closed = False
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def ask(
        self, note: Note, names: Collection[str], settings: Settings, until: int | None = None
    ) -> None:
        """Have a draft run; what runs or waits of the same note is outdated, and ends."""
        how = [sorted(names), asdict(settings) | {"typeset": None}]
        with self._changed:
            self.outdate(note.path)
            self._asked[note.path] = note, how, until
            self._changed.notify()

    def outdate(self, path: Path) -> None:
        """Let go what runs or waits of a note."""
        with self._changed:
            self._asked.pop(path, None)
            runs, key = self._runs
            if runs == path:
                self._runs = None, ""
                self._workers.cancel(key)

    def forget(self, *paths: Path) -> None:
        """Run notes no more, and keep nothing of them; by default, keep nothing of any."""
        with self._changed:
            for path in paths:
                self.outdate(path)
            for path in paths or list(self._begun):
                if self._begun.pop(path, None):
                    self._forgotten.append(os.fspath(path))
            self._changed.notify()

    def close(self) -> None:
        """End all that runs, and wait for its end."""
        with self._changed:
            self._closed = True
            if self._runs[0]:
                self._workers.cancel(self._runs[1])
            self._runs = None, ""
            self._changed.notify()
        self._thread.join(5.0)
        self._workers.close()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._asked or self._forgotten or self._closed)
                if self._closed:
                    return
                self._workers.forget(*self._forgotten)
                self._forgotten = []
                if not self._asked:
                    continue
                path = next(iter(self._asked))
                note, how, until = self._asked.pop(path)
                before, same_way = self._begun.get(path, (note, None))
                agrees = agreement(before, note) - 1 if how == same_way else -1
                self._begun[path] = note, how
                task = [os.fspath(path), note.text, *how, until, agrees, next(self._numbers)]
                key = json.dumps(task)
                self._runs = path, key
                # Handed out under the lock: what is not at hand yet could not be ended.
                self._workers.submit(key)
                self._workers.attend()
            ending = self._workers.result(key)
            with self._changed:
                outdated = self._runs != (path, key)
                self._runs = None, ""
            if outdated:
                continue
            values: dict[str, list[Value]] = {}
            for message in ending.messages:
                for name, (what, shown) in message.get("values", {}).items():
                    values.setdefault(name, []).append(Value(message["of"], what, shown))
            self._tell(Verdict(note, told(note, ending, until is None), values, until))


@dataclass
class _Work:
    """What the process of a draft does. Plain data, so that it can be sent to one."""

    folder: Path

    def resumes(self, key: str) -> tuple[str, int, int]:
        """Tell the note of a key, and the last blocks at which a run of it can be gone on with."""
        path, _, _, _, until, agrees, _ = json.loads(key)
        return path, agrees, agrees if until is None else min(agrees, until - 1)

    def __call__(
        self,
        key: str,
        send: Send,
        wait: Callable[[int, Collection[Path]], str | None] = lambda _index, _read: None,
    ) -> None:
        path, text, names, given, until, *_ = json.loads(key)
        note = parse(text, Path(path))
        read: set[Path] = set()

        def pause(index: int) -> tuple[Note, int | None] | None:
            nonlocal note
            again = wait(index, read | {self.folder.parent})
            if again is None:
                return None
            _, text, _, _, until, *_ = json.loads(again)
            note = parse(text, note.path)
            return note, until

        def tell(index: int, seconds: float) -> None:
            send({"block": index, "limit": seconds})

        def watch(block: Block, steps: list[Step], variables: Mapping[str, Any]) -> None:
            del steps
            names = bound(block) & variables.keys()
            values = {name: _described(variables[name]) for name in sorted(names)}
            send({"of": note.blocks.index(block), "values": values})

        for check in inspect_code(
            note, self.folder, names, Settings(**given),
            until=until, tell=tell, read=read, watch=watch, pause=pause,
        ):  # fmt: skip
            send({"check": check.plain()})
        send({"read": [os.fspath(path) for path in read]})


def _described(value: Any) -> tuple[str, str]:
    """Tell what a value is, and print it short; it may be of any class, and its print may fail."""
    what = type(value).__name__
    try:
        if isinstance(value, np.ndarray):
            what = f"{value.dtype} array of shape {value.shape}"
        elif isinstance(value, (list, tuple, dict, set)):
            what = f"{what} of {len(value)}"
        elif callable(value):
            return what, ""
        shown = np.array_repr(value) if isinstance(value, np.ndarray) else repr(value)
    except Exception:
        return what, ""
    rows = [f"{row[: _WIDEST - 1]}…" if len(row) > _WIDEST else row for row in shown.split("\n")]
    return what, "\n".join(rows if len(rows) <= _LONGEST else [*rows[: _LONGEST - 1], "…"])
