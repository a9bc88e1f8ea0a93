"""In general, or here? Judges the equations of a note again, on other numbers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from vaultkit.checks.equations import Claim, Equations
from vaultkit.read.note import Note
from vaultkit.run.session import NoteRun
from vaultkit.run.variation import plans, varied_modules
from vaultkit.tex import Subscript, Symbol, walk


def try_others(
    note: Note,
    versions: Sequence[Equations],
    count: int,
    *,
    root: Path,
    timeout: float,
    broken: Collection[int] = (),
    tell: Callable[[int, float], None] = lambda _index, _seconds: None,
) -> None:
    """Run a note on other numbers, and note down in its claims how they fare.

    Parameters
    ----------
    note
        The note.
    versions
        Its equations, judged on its own numbers; and those of notes that differ in them alone.
    count
        How many sets of other numbers to try.
    root
        The folder whose modules get other numbers, too.
    timeout
        Seconds that one block may take.
    broken
        The blocks that raise on the note's own numbers.
    tell
        Called with the number of each block, and the seconds it may take, before it runs.
    """
    names = sorted(
        {name for version in versions for c in version.claims for name in _names(c) & version.sizes}
    )
    for trial in range(1, count + 1):
        for plan in plans(trial, names):
            again = [Equations(version.note) for version in versions]
            looks = [one.look for one in again]
            session = NoteRun(note, timeout, looks, rewrite=plan.rewrite, beat=tell)
            for one in again:
                one.call = partial(_call, session)
            failed = False
            with varied_modules(root, plan):
                for index in range(len(note.blocks)):
                    raised = any(step.error for step in session.steps(index))
                    failed |= raised and index not in broken
                    if failed and plan.places:
                        break  # these sizes do not fit what the page writes out
            if not (failed and plan.places):
                break
        for version, varied in zip(versions, again, strict=True):
            for claim, other in zip(version.claims, varied.claims, strict=True):
                if other.verdict is not None:
                    claim.tried += 1
                    if not other.verdict.holds and not claim.counterexample:
                        bound = "; ".join(other.verdict.bound)
                        claim.counterexample = f"{other.verdict.why}\n  with {bound}"


def _call(session: NoteRun, function: Callable[..., Any], given: Sequence[Any]) -> Any:
    return session.call(function, *given)


def _names(claim: Claim) -> set[str]:
    found = [node for node in walk(claim.statement) if isinstance(node, (Symbol, Subscript))]
    return {node.name for node in found}
