"""In general, or here? Judges the equations and shapes of a note again, on other numbers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from vaultkit.checks.equations import Claim, Equations
from vaultkit.checks.shapes import Shapes
from vaultkit.read.note import Note
from vaultkit.run.session import NoteRun
from vaultkit.run.variation import plans, varied_modules
from vaultkit.tex import Subscript, Symbol, walk


def try_others(
    note: Note,
    versions: Sequence[Equations],
    count: int,
    *,
    shapes: Sequence[Shapes] = (),
    root: Path,
    timeout: float,
    broken: Collection[int] = (),
    tell: Callable[[int, float], None] = lambda _index, _seconds: None,
) -> None:
    """Run a note on other numbers, and note down in its claims and shapes how they fare.

    Parameters
    ----------
    note
        The note.
    versions
        Its equations, judged on its own numbers; and those of notes that differ in them alone.
    count
        How many sets of other numbers to try.
    shapes
        The shapes in its text; and in those of notes that differ in them alone.
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
    more = sorted({*names, *(name for stated in shapes for name in stated.letters())})
    for trial in range(1, count + 1):
        # Sizes of shapes alone come first, and are left as they are where they do not fit.
        for plan in (plans(trial, more)[:1] if more != names else []) + plans(trial, names):
            again = [Equations(version.note) for version in versions]
            arrays = Shapes(note)
            looks = [one.look for one in again] + ([arrays.look] if shapes else [])
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
        if not failed:
            for stated in shapes:
                stated.compare(arrays)


def _call(session: NoteRun, function: Callable[..., Any], given: Sequence[Any]) -> Any:
    return session.call(function, *given)


def _names(claim: Claim) -> set[str]:
    found = [node for node in walk(claim.statement) if isinstance(node, (Symbol, Subscript))]
    return {node.name for node in found}
