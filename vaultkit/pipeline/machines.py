"""Runs notes again as other machines compute, and reports differences from the first run.

The kernels of a BLAS, the SIMD instructions that NumPy uses and the number of threads determine in
which order a product is summed, and therefore its last bits. If these determine a digit, a page
shows something that is true on some machines only.

All of them are set before NumPy is loaded. So each machine is a new Python process that runs this
module as a program; in it, each note runs in a process of its own, as usual. A *trial* is the run
of notes and figures on one machine.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from vaultkit.checks.check import FAILS, HOLDS, UNPROVEN, Check
from vaultkit.checks.outputs import NUMBER
from vaultkit.english import count_in_words, join_names
from vaultkit.pipeline.figures import FigureError, Figures
from vaultkit.pipeline.inspect import Settings
from vaultkit.pipeline.process import Inspection, Output
from vaultkit.pipeline.runner import Runner
from vaultkit.read.note import Block, Note
from vaultkit.read.vault import Vault
from vaultkit.store import store_beside
from vaultkit.workers.ending import Ending, Limits

#: Kinds of checks that do not run a note's code: they are the same on every machine.
_OF_TEXT = ("form", "link", "formula", "mirror")
#: White space in outputs, which is not compared: the width of an array's columns depends on its
#: longest number.
_SPACES = re.compile(r"[ \t]+")


@dataclass(frozen=True)
class Machine:
    """A way to compute that another machine may have.

    Attributes
    ----------
    name
        Its name in messages: *0.45 with SkylakeX kernels*.
    kernel
        The kernels of OpenBLAS that it uses: its code for one family of processors. Empty for
        those that OpenBLAS selects here.
    without
        A regular expression for the SIMD instructions that NumPy does not use; empty for none.
    threads
        The number of threads of a product.
    reordered
        Whether products are summed in another order.
    """

    name: str
    kernel: str = ""
    without: str = ""
    threads: int = 1
    reordered: bool = False


MACHINES = (
    Machine("products summed backwards", reordered=True),
    *(Machine(f"{kernel} kernels", kernel) for kernel in
      ("Haswell", "SkylakeX", "Nehalem", "Zen", "Prescott")),
    Machine("NumPy without AVX-512", without="AVX512|X86_V4"),
    Machine("NumPy without any of its SIMD levels", without="."),
    Machine("one thread"),
    Machine("two threads", threads=2),
)  # fmt: skip


@dataclass
class Trial:
    """The results of notes and figures on a machine.

    Attributes
    ----------
    machine
        The machine.
    why_not_tried
        Why nothing ran on it; empty if something did.
    notes
        The inspection of each note, by its path in the vault.
    figures
        The fingerprint of each figure, or why it has none, by the figure's name.
    seconds
        The duration of the trial.
    differing
        The names of the notes and figures with a difference from the first run.
    """

    machine: Machine
    why_not_tried: str = ""
    notes: dict[str, Inspection] = field(default_factory=dict)
    figures: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    differing: set[str] = field(default_factory=set)

    def __str__(self) -> str:
        """Return *two threads: nothing differs (62 notes, 3 figures, 9 s)*."""
        if self.why_not_tried:
            return f"{self.machine.name}: not tried: {self.why_not_tried}"
        names = ", ".join(sorted(self.differing))
        notes = count_in_words(len(self.notes), "note")
        figures = count_in_words(len(self.figures), "figure")
        result = f"differs in {names}" if names else "nothing differs"
        return f"{self.machine.name}: {result} ({notes}, {figures}, {self.seconds:.0f} s)"


@dataclass(frozen=True)
class Arithmetic:
    """What computes products in a process.

    Attributes
    ----------
    kernel
        The name of the kernels of the BLAS.
    simd
        The SIMD instructions that NumPy uses.
    """

    kernel: str
    simd: Sequence[str]


@dataclass(frozen=True)
class MachineTask:
    """What a process that computes as another machine has to do, as plain data.

    Attributes
    ----------
    root
        The folder of the vault.
    notes
        The paths of the notes to run.
    timeout
        The time limit of a block, in seconds.
    figures
        Name of the module that draws the figures; empty if there is none.
    drawings
        The names of the figures to compute.
    path
        The folders from which Python imports modules.
    threads, reordered
        As in `Machine`.
    """

    root: str
    notes: Sequence[str]
    timeout: float
    figures: str
    drawings: Sequence[str]
    path: Sequence[str]
    threads: int = 1
    reordered: bool = False


class Machines:
    """The machines on which the notes and figures of a vault run again.

    Parameters
    ----------
    vault
        The vault.
    settings
        The settings of the inspections.
    most
        The number of machines to try, of those that are possible here; None for all.
    figures
        Name of the module that draws the figures; empty if there is none.
    say
        Called with a line about what is tried next.
    """

    def __init__(
        self, vault: Vault, settings: Settings, most: int | None = None, *, figures: str = "",
        say: Callable[[str], object] = lambda _: None,
    ) -> None:  # fmt: skip
        self.vault = vault
        self.settings = settings
        self.most = most
        self.figures = figures
        self.say = say
        #: The trials, once they have run.
        self.trials: list[Trial] = []

    @property
    def tried(self) -> list[Trial]:
        """The trials in which something ran."""
        return [trial for trial in self.trials if not trial.why_not_tried]

    def run(self, notes: Iterable[Note], drawings: Iterable[str] = ()) -> None:
        """Run notes and compute figures on each machine."""
        task = MachineTask(
            os.fspath(self.vault.root),
            [os.fspath(note.path) for note in notes],
            self.settings.timeout,
            self.figures,
            list(drawings),
            sys.path,
        )
        here = measure_arithmetic()
        for machine in MACHINES:
            if len(self.tried) == self.most:
                break
            began = time.monotonic()
            trial = Trial(machine)
            self.trials.append(trial)
            trial.why_not_tried = self._why_not_needed(machine, here)
            if not trial.why_not_tried:
                trial.why_not_tried = self._run_on_machine(trial, here, task)
            trial.seconds = time.monotonic() - began

    def _why_not_needed(self, machine: Machine, here: Arithmetic) -> str:
        """Return why a machine need not be tried, as it computes like the first; else empty.

        In the first run, a product of a note has one thread.
        """
        if machine.without and not _disabled_instructions(machine, here):
            return "NumPy uses none of them here"
        if machine.kernel:
            is_first = machine.kernel == here.kernel
        else:
            is_first = machine.threads == 1 and not machine.without and not machine.reordered
        return "the first run had it" if is_first else ""

    def _run_on_machine(self, trial: Trial, here: Arithmetic, task: MachineTask) -> str:
        """Run a task on the machine of a trial, and store the results in the trial.

        Return why that is impossible, or an empty string. ``here`` describes this process.

        The process of the machine first writes what its products are computed with, as a line of
        JSON (`main`). Then it reads the task, and writes each result as a line.
        """
        machine = trial.machine
        environment = dict(os.environ)
        if machine.kernel:
            environment["OPENBLAS_CORETYPE"] = machine.kernel
        if disabled := _disabled_instructions(machine, here):
            environment["NPY_DISABLE_CPU_FEATURES"] = " ".join(disabled)
        command = [sys.executable, "-m", __name__]
        pipe = subprocess.PIPE
        # The errors go to a file: a pipe that nobody reads could fill, and block the process.
        with tempfile.TemporaryFile() as errors, subprocess.Popen(
            command, env=environment, stdin=pipe, stdout=pipe, stderr=errors
        ) as process:  # fmt: skip
            assert process.stdin
            assert process.stdout
            try:
                first_line = process.stdout.readline()
                if not first_line:  # for example, the processor lacks an instruction of the kernels
                    end = _describe_end(process, errors)
                    return f"not possible with this processor or NumPy: {end}"
                there = Arithmetic(**json.loads(first_line))
                if machine.kernel and there.kernel != machine.kernel:
                    return f"NumPy has no such kernels here, and uses those of {there.kernel}"
                self.say(f"again with {machine.name}")
                task = replace(task, threads=machine.threads, reordered=machine.reordered)
                process.stdin.write(json.dumps(asdict(task)).encode())
                process.stdin.close()
                for line in process.stdout:
                    self._store(trial, json.loads(line))
                end = _describe_end(process, errors)
            finally:
                process.kill()
        # If the process ended early, some results are missing.
        for name in map(self._name, task.notes):
            note = self.vault.notes[self.vault.root / name]
            trial.notes.setdefault(name, Inspection(note, ended=f"not judged: {end}"))
        for name in task.drawings:
            trial.figures.setdefault(name, f"could not be computed: {end}")
        return ""

    def _store(self, trial: Trial, message: dict[str, Any]) -> None:
        """Store the inspection of a note, or the fingerprint of a figure, that `main` has sent."""
        if "figure" in message:
            trial.figures[message["figure"]] = message["fingerprint"]
            return
        note = self.vault.notes[Path(message["note"])]
        checks = [Check.from_plain(check) for check in message["checks"]]
        outputs = {
            index: [Output(*fields) for fields in of_block]
            for index, of_block in message["outputs"]
        }
        is_same_text = message["digest"] == note.digest
        ended = message["ended"] or ("" if is_same_text else "it has changed meanwhile; run again")
        inspection = Inspection(note, checks, ended=ended, outputs=outputs)
        trial.notes[self._name(message["note"])] = inspection

    def _name(self, path: str) -> str:
        """Return the path of a note in the vault."""
        return self.vault.relative(Path(path))

    def differences(self, first: Inspection) -> list[Check]:
        """Return a failed check for each difference of a note from the first run.

        A difference is one failure, however many machines have it.
        """
        name = self.vault.relative(first.note.path)
        every_digit = self.vault.options.every_digit
        machines_by_difference: dict[Difference, list[str]] = defaultdict(list)
        for trial in self.tried:
            for difference in _differences(first, trial.notes[name], every_digit=every_digit):
                machines_by_difference[difference].append(trial.machine.name)
                trial.differing.add(name)
        return [
            Check("machine", difference.line, difference.here, FAILS, difference.describe(machines))
            for difference, machines in sorted(machines_by_difference.items())
        ]

    def describe_differences_of_figure(self, name: str, fingerprint: str) -> str:
        """Describe on which machines a figure differs from the first run; empty if on none.

        ``fingerprint`` is that of the figure's data in the first run.
        """
        machines_by_result = defaultdict(list)
        for trial in self.tried:
            result = trial.figures[name]
            if result != fingerprint:
                trial.differing.add(name)
                is_fingerprint = re.fullmatch("[0-9a-f]{64}", result)  # else an error
                description = "it shows other data" if is_fingerprint else result
                machines_by_result[description].append(trial.machine.name)
        return "\n".join(
            f"with {join_names(machines)}: {description}"
            for description, machines in machines_by_result.items()
        )


@dataclass(frozen=True, order=True)
class Difference:
    """A result of a line that is different on another machine, in words, and the explanation.

    If the result is a line of an output or a number in it, it needs no explanation.
    """

    line: int
    here: str
    there: str
    why: str = ""

    def describe(self, machines: Sequence[str]) -> str:
        """Return *0.46 here, 0.45 with SkylakeX kernels: rounding decides this digit*."""
        here, there = (text.replace("\n", " / ") for text in (self.here, self.there))
        decided = "this digit" if NUMBER.fullmatch(here) else "this"
        why = f"\n  {self.why}" if self.why else ""
        return f"{here} here, {there} with {join_names(machines)}: rounding decides {decided}{why}"


def _differences(
    first: Inspection, other: Inspection, *, every_digit: bool
) -> Iterator[Difference]:
    """Yield the differences between two runs of a note: in its outputs, then in its checks.

    ``first`` is the run on this machine. If it ended early, that is a failure anyway. In a vault
    where outputs need not show ``every_digit``, two outputs that hold do not differ.
    """
    if first.ended:
        return
    if other.ended:
        yield Difference(1, "it runs to its end", "it does not", other.ended)
        return
    here, there = _checks_by_place(first), _checks_by_place(other)
    differing_blocks: set[int | None] = set()
    for index, outputs in first.outputs.items():
        place = _Place("block", str(index))
        both_hold = all(
            check is not None and check.outcome == HOLDS
            for check in (here.get(place), there.get(place))
        )
        if both_hold and not every_digit:
            continue
        for output, output_there in zip(outputs, other.outputs.get(index, ()), strict=False):
            for difference in _compare_outputs(first.note.blocks[index], output, output_there):
                differing_blocks.add(index)
                yield difference
    for place, check in here.items():
        check_there = there.get(place)
        outcome_there = check_there.outcome if check_there else "is not judged"
        # The outputs of a block explain its outcome better.
        is_reported = check.block is not None and check.block in differing_blocks
        if check.outcome != outcome_there and not is_reported:
            unproven = check if check.outcome in UNPROVEN else check_there or check
            result = f"{check.what} {check.outcome}"
            yield Difference(unproven.line, result, outcome_there, unproven.why.split("\n")[0])


class _Place(NamedTuple):
    """What a check is about: a block by its index, or words by their kind, position and text."""

    kind: str
    position: str
    text: str = ""


def _checks_by_place(inspection: Inspection) -> dict[_Place, Check]:
    """Return the checks that code decides by their places; of several for one place, a failure."""
    by_place: dict[_Place, Check] = {}
    for check in inspection.checks:
        if check.kind in _OF_TEXT:
            continue
        place = _Place(check.kind, str(check.block))
        if check.block is None:
            place = _Place(check.kind, f"{check.line}:{check.column}", check.what)
        if place not in by_place or by_place[place].outcome != FAILS:
            by_place[place] = check
    return by_place


def _compare_outputs(block: Block, one: Output, other: Output) -> Iterator[Difference]:
    """Yield the differences between two outputs of a piece of code of a block.

    They are compared line by line, each number digit by digit, without the text that the block
    declares as ``volatile``. A difference is a number, a line if its words differ, or all of it if
    the number of lines differs.
    """

    def rows_of(text: str) -> list[str]:
        """Return the lines of an output without what is not compared."""
        stable = re.sub(block.volatile, "", text) if block.volatile else text
        return _SPACES.sub(" ", stable).split("\n")

    rows, rows_there = rows_of(one.text), rows_of(other.text)
    if len(rows) != len(rows_there):
        yield Difference(one.line, "\n".join(rows).strip(), "\n".join(rows_there).strip())
        return
    for index, (row, row_there) in enumerate(zip(rows, rows_there, strict=True)):
        # Output that the note does not show has the line of its code.
        line = one.line + index if one.is_shown else one.line
        words, words_there = (NUMBER.sub("", text).replace(" ", "") for text in (row, row_there))
        numbers, numbers_there = NUMBER.findall(row), NUMBER.findall(row_there)
        if words != words_there or len(numbers) != len(numbers_there):
            yield Difference(line, row.strip(), row_there.strip())
            continue
        for number, number_there in zip(numbers, numbers_there, strict=True):
            if number != number_there:
                yield Difference(line, number, number_there)


def measure_arithmetic() -> Arithmetic:
    """Compute tiny products; return what computes them: the kernels, and the SIMD instructions.

    The products are computed so that a process whose kernels or instructions are impossible here
    ends now, not within a note.
    """
    from threadpoolctl import threadpool_info

    for dtype in (np.float32, np.float64):
        square = np.ones((64, 64), dtype)
        np.exp(square @ square - 64).sum()  # the kernels multiply, NumPy's instructions do the rest
    kernels = [library.get("architecture", "") for library in threadpool_info()]
    # OpenBLAS reports these kernels under another name than the one that selects them.
    kernel = kernels[0].replace("Katmai", "Prescott") if kernels else ""
    simd = np.show_config(mode="dicts").get("SIMD Extensions", {})
    return Arithmetic(kernel, simd.get("found", []))


def _disabled_instructions(machine: Machine, here: Arithmetic) -> list[str]:
    """Return the instructions that NumPy would use here but does not use on a machine."""
    return [name for name in here.simd if machine.without and re.search(machine.without, name)]


def _describe_end(process: subprocess.Popen[bytes], errors: IO[bytes]) -> str:
    """Wait for the end of a machine's process; describe it, with the last line of its errors."""
    status = process.wait()
    errors.seek(0)
    last = errors.read().decode(errors="replace").strip().split("\n")[-1]
    ending = Ending("signal", -status) if status < 0 else Ending("exit", status)
    return f"it {ending}" + (f": {last}" if last else "")


def main() -> None:
    """Run as a machine: compute tiny products, then the tasks of the standard input."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # the output of notes must not mix with the results

    def say(message: dict[str, Any]) -> None:
        """Write a message as a line of JSON (see `Machines._store`)."""
        out.write(json.dumps(message) + "\n")
        out.flush()

    say(asdict(measure_arithmetic()))
    if not (serialized := sys.stdin.read()):
        return  # this machine is not wanted
    task = MachineTask(**json.loads(serialized))
    sys.path[:] = task.path
    root = Path(task.root)
    vault = Vault(root, store=store_beside(root))
    settings = Settings(task.timeout, outputs=True, reordered=task.reordered)
    limits = Limits(threads=task.threads)
    figures = Figures(
        task.figures, limits=limits, reordered=root.parent if task.reordered else None
    )
    runner = Runner(vault, settings, limits=limits)
    try:
        notes = [vault.notes[Path(path)] for path in task.notes]
        runner.submit((note, None) for note in notes)
        runner.attend()
        figures.submit(task.drawings)
        for name in task.drawings:
            runner.attend()
            try:
                fingerprint = figures.fingerprint(name)
            except FigureError as error:
                fingerprint = str(error)
            say({"figure": name, "fingerprint": fingerprint})
        for note in notes:
            inspection = runner.result(note)
            say({
                "note": os.fspath(note.path),
                "digest": note.digest,
                "checks": [check.plain() for check in inspection.checks],
                "outputs": list(inspection.outputs.items()),
                "ended": inspection.ended,
            })  # fmt: skip
    finally:
        runner.close()
        figures.close()


if __name__ == "__main__":
    main()
