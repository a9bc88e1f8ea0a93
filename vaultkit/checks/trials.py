"""In general, or here? Judges the equations of a note again, on other numbers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from vaultkit.checks.equations import Claim, Equations
from vaultkit.read.note import Note
from vaultkit.run.session import NoteRun
from vaultkit.run.variation import plans, varied_modules
from vaultkit.tex import Subscript, Symbol, walk


def try_others(
    note: Note,
    claims: Sequence[Claim],
    count: int,
    *,
    root: Path,
    timeout: float,
    broken: Collection[int],
    tell: Callable[[int], None],
) -> None:
    """Run a note on other numbers, and note down in its claims how they fare.

    Parameters
    ----------
    note
        The note.
    claims
        Its claims, judged on its own numbers.
    count
        How many sets of other numbers to try.
    root
        The folder whose modules get other numbers, too.
    timeout
        Seconds that one block may take.
    broken
        The blocks that raise on the note's own numbers.
    tell
        Called with the number of each block before it runs.
    """
    names = sorted({name for claim in claims for name in _names(claim)})
    for trial in range(1, count + 1):
        for plan in plans(trial, names):
            equations = Equations(note)
            session = NoteRun(note, timeout, (equations.look,), rewrite=plan.rewrite)
            failed = False
            with varied_modules(root, plan):
                for index in range(len(note.blocks)):
                    tell(index)
                    raised = any(step.error for step in session.steps(index))
                    failed |= raised and index not in broken
                    if failed and plan.places:
                        break  # these sizes do not fit what the page writes out
            if not (failed and plan.places):
                break
        for claim, again in zip(claims, equations.claims, strict=True):
            if again.verdict is not None:
                claim.tried += 1
                if not again.verdict.holds and not claim.counterexample:
                    bound = "; ".join(again.verdict.bound)
                    claim.counterexample = f"{again.verdict.why}\n  with {bound}"


def _names(claim: Claim) -> set[str]:
    found = [node for node in walk(claim.statement) if isinstance(node, (Symbol, Subscript))]
    return {node.name for node in found}
