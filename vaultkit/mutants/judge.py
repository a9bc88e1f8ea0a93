r"""Makes one change at a time in the notes of a vault, and reports those that no check detected.

``python -m vaultkit.mutants docs``

Notes are changed in memory; nothing is written. No change affects code, so a note runs once for all
of them; a statement that survives is also tried on other numbers.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import multiprocessing
import os
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tqdm import tqdm

from vaultkit.checks.check import FAILS, Check
from vaultkit.checks.trials import try_others
from vaultkit.mutants.changes import Mutant, mutants_of
from vaultkit.mutants.words import KINDS
from vaultkit.pipeline.inspect import RunChecks, Settings, Task, inspect, task_of
from vaultkit.read.markdown import parse
from vaultkit.read.note import Block, Note
from vaultkit.read.vault import Vault
from vaultkit.render.mathematics import to_mathml
from vaultkit.run.session import NoteRun
from vaultkit.run.steps import Step

#: The least share of detected changes, by kind; other kinds have the target of equations.
TARGETS = {
    "output": 1.0,
    "link": 1.0,
    "shape": 1.0,
    "prose shape": 0.95,
    "decimal": 0.98,
    "integer": 0.9,
    **dict.fromkeys(KINDS, 0.9),
}
EQUATIONS = 0.98
#: How many times a statement that survives is tried on other numbers.
TRIALS = 4
NOTICED, IN_TRIALS, SURVIVED = "noticed", "noticed in trials", "survived"
_SETTINGS = Settings(typeset=to_mathml)


def judge(vault: Vault, note: Note, mutants: Sequence[Mutant]) -> list[str]:
    """Return `NOTICED`, `IN_TRIALS` or `SURVIVED` for each mutant of a note.

    Raises
    ------
    ValueError
        If the note fails without a change.
    """
    text = "\n".join(note.lines) + "\n"
    original = _Version(parse(text, note.path), vault)
    changed = [_Version(parse(mutant.apply(text), note.path), vault) for mutant in mutants]
    # One run serves all versions, whose code is the same.
    running = NoteRun(note)
    running.finish(*(version.observe for version in (original, *changed)))
    if original.fails(running):
        raise ValueError(f"{note.path} fails without a change; fix it first")
    # A change that makes a block of code disappear is noticed, since its output is missing.
    verdicts = [
        NOTICED
        if len(version.note.blocks) != len(note.blocks) or version.fails(running)
        else SURVIVED
        for version in changed
    ]
    survivors = [
        version.judges
        for mutant, version, verdict in zip(mutants, changed, verdicts, strict=True)
        if verdict == SURVIVED and _is_of_formula(mutant)
    ]
    if survivors:
        try_others(
            note, [judges.equations for judges in survivors], TRIALS,
            shapes=[judges.shapes for judges in survivors], root=vault.root.parent,
            timeout=_SETTINGS.timeout,
        )  # fmt: skip
    for index, version in enumerate(changed):
        if verdicts[index] == NOTICED:
            continue
        if any(check.outcome == FAILS for check in version.judges.check()):
            verdicts[index] = IN_TRIALS
    return verdicts


def _is_of_formula(mutant: Mutant) -> bool:
    """Return whether a mutant changes a formula or a shape, which trials can contradict."""
    return "shape" in mutant.kind or _kind_without_place(mutant.kind) not in TARGETS


class _Version:
    """A version of a note, inspected on a run shared by all versions.

    Its checks observe the run, and then judge what they have seen.
    """

    def __init__(self, note: Note, vault: Vault) -> None:
        self.note = note
        self.vault = vault
        self.judges = RunChecks(task_of(note, vault, _SETTINGS))

    def observe(self, block: Block, steps: list[Step], variables: Mapping[str, Any]) -> None:
        self.judges.observe(block, steps, variables)

    def fails(self, running: NoteRun) -> bool:
        """Return whether a check fails, given the run of the note's code."""

        def run(_: Task) -> Iterator[Check]:
            """Yield the checks of the code, as `inspect` expects them."""
            for index, block in enumerate(self.note.blocks):
                steps = running.steps(index)
                if block.kind == "python":
                    # The output that this version shows, which may have been changed.
                    shown = block.output.text if block.output else None
                    steps = [replace(step, shown=shown) for step in steps]
                yield from self.judges.check_block(index, steps, 0.0)
            yield from self.judges.check()

        checks = inspect(self.note, self.vault, _SETTINGS, run=run)
        return any(check.outcome == FAILS for check in checks)


def _target(kind: str) -> float:
    """Return the least share of detected changes of a kind."""
    return TARGETS.get(_kind_without_place(kind), EQUATIONS)


def _kind_without_place(kind: str) -> str:
    """Return a kind without its place: *decimal* for *decimal in a heading*."""
    return kind.partition(" in ")[0]


def _judge_job(job: tuple[Path, str, list[Mutant]]) -> list[tuple[Mutant, str]]:
    """Judge the mutants of one note in a process of its own."""
    root, name, mutants = job
    with contextlib.redirect_stdout(io.StringIO()):
        vault = _vault(root)
        verdicts = judge(vault, vault.notes[vault.root / name], mutants)
    return list(zip(mutants, verdicts, strict=True))


_vaults: dict[Path, Vault] = {}


def _vault(root: Path) -> Vault:
    """Return the vault of a folder, which each process reads once."""
    if root not in _vaults:
        _vaults[root] = Vault(root)
    return _vaults[root]


def main(arguments: list[str] | None = None) -> int:
    """Create and judge all mutants, and report; return 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m vaultkit.mutants")
    parser.add_argument("vault", type=Path)
    parser.add_argument("notes", nargs="*", help="names of notes; all, if none is given")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="*", help="kinds of changes; all, if none is given")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(arguments)
    vault = Vault(options.vault)
    jobs = []
    for note in vault.notes.values():
        name = vault.relative(note.path)
        is_chosen = not options.notes or note.name in options.notes
        if note.path.suffix != ".md" or not is_chosen:
            continue
        text = "\n".join(note.lines) + "\n"
        mutants = list(mutants_of(text, name, random.Random(f"{options.seed} {name}")))
        if options.kinds:
            mutants = [m for m in mutants if _kind_without_place(m.kind) in options.kinds]
        if mutants:
            jobs.append((vault.root, name, mutants))
    results: list[tuple[Mutant, str]] = []
    with (
        multiprocessing.get_context("spawn").Pool(options.jobs) as pool,
        tqdm(total=len(jobs), unit="note", leave=False, disable=None) as bar,
    ):
        for judged in pool.imap_unordered(_judge_job, jobs):
            results += judged
            bar.update()
    return _report(results)


def _report(results: list[tuple[Mutant, str]]) -> int:
    """Print a line for each kind and each survivor; return 1 if a kind misses its target.

    ``results`` are the mutants with their verdicts.
    """
    missed = 0
    for kind in sorted({mutant.kind for mutant, _ in results}):
        counts = Counter(verdict for mutant, verdict in results if mutant.kind == kind)
        total = sum(counts.values())
        share = (counts[NOTICED] + counts[IN_TRIALS]) / total
        short = "" if share >= _target(kind) else f", short of {_target(kind):.0%}"
        trials = f" ({counts[IN_TRIALS]} on other numbers only)" if counts[IN_TRIALS] else ""
        print(f"{kind:30} {total - counts[SURVIVED]:5} of {total:5}: {share:7.2%}{short}{trials}")
        missed += bool(short)
    survivors = sorted((m for m, v in results if v == SURVIVED), key=lambda m: (m.path, m.line))
    for mutant in survivors:
        print(f"survived: {mutant}")
    return 1 if missed else 0
