"""The command ``vaultkit bind``: propose invisible bindings for a note, ask, and write them.

A binding is a comment after a number or comparison, ``6 steps<!-- = steps -->``, with the code that
must agree with it. A proposal has the candidates for this code, the best first.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from vaultkit.checks.check import FAILS
from vaultkit.edit.bind import code_of, insertions, propose
from vaultkit.edit.expressions import collected
from vaultkit.edit.sentences import Candidate, Proposal
from vaultkit.edit.text import Edit, text_with_edits
from vaultkit.files import ChangedError, rewrite_text
from vaultkit.pipeline.inspect import Settings, task_of
from vaultkit.pipeline.process import Inspection, NoteWork, inspection_of, serialize_task
from vaultkit.read.markdown import parse
from vaultkit.read.note import Note
from vaultkit.read.roots import vault_of
from vaultkit.read.vault import Vault
from vaultkit.workers.pool import Workers

#: The answers besides the number of a proposal.
_YES, _NO, _QUIT = "y", "n", "q"


@click.command()
@click.argument(
    "note", metavar="NOTE", type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option(
    "--accept",
    is_flag=True,
    help="Write, without asking, the expressions that the sentence describes: it says their names "
    "or labels, or the text that is printed beside them.",
)
def bind(note: Path, accept: bool) -> None:
    """Propose code for the numbers and comparisons of NOTE, as comments that readers do not see.

    The note's code runs in a separate process. Each proposal holds; whether the sentence means it
    is for you to say.
    """
    vault = Vault(vault_of(note))
    parsed = vault.notes.get(note.resolve())
    if parsed is None or parsed.path.suffix != ".md":
        raise click.UsageError(f"{note} is not a Markdown note of the vault {vault.root}")
    inspection = run_note(parsed, vault)
    for check in inspection.checks:
        if check.kind == "block" and check.outcome == FAILS:
            why = check.why.split("\n")[0]
            click.echo(f"{note}:{check.line}: this block fails: {why}", err=True)
    proposals = propose(parsed, inspection.collected)
    chosen = _accepted(proposals) if accept else _ask(proposals)
    edits = _edits_that_hold(parsed, vault, insertions(parsed, chosen))
    try:
        if edits:
            rewrite_text(parsed.path, partial(text_with_edits, edits=edits), expected=parsed.text)
    except (OSError, ChangedError) as error:
        raise click.UsageError(f"{note}: not written: {error}") from error
    message = f"{note}: {len(edits)} bound"
    if accept:  # otherwise the user has seen all of it
        for proposal, candidate in chosen:
            if proposal.edit(candidate) in edits:
                click.echo(f"{proposal.line}: {proposal.text}{proposal.comment(candidate)}")
        if unwritten := len(proposals) - len(edits):
            message += f"; {unwritten} more proposed: leave out --accept to see them"
    click.echo(message, err=True)


def run_note(note: Note, vault: Vault) -> Inspection:
    """Run the code of a note in a process; `Inspection.collected` has the expressions.

    These are the expressions on its variables after each block, with their values, from which
    `propose` chooses the candidates.
    """
    workers = Workers(NoteWork(vault.root, collect=collected), 1)
    key = os.fspath(note.path)
    try:
        task = task_of(note, vault, Settings(vault.options.timeout))
        workers.submit(key, partial(serialize_task, task))
        workers.attend()
        return inspection_of(note, workers.result(key))
    finally:
        workers.close()


#: A proposal with the candidate that was chosen.
Choice = tuple[Proposal, Candidate]


def _accepted(proposals: Sequence[Proposal]) -> list[Choice]:
    """Return the proposals whose best candidate is sure enough to be written without asking."""
    return [(proposal, proposal.candidates[0]) for proposal in proposals if proposal.accepted]


def _ask(proposals: Sequence[Proposal]) -> list[Choice]:
    """Ask about each proposal until the user quits; return the choices that were made."""
    chosen: list[Choice] = []
    for number, proposal in enumerate(proposals, 1):
        click.echo(f"\n{number}/{len(proposals)}, line {proposal.line}: {proposal.sentence}")
        candidates = {str(n): candidate for n, candidate in enumerate(proposal.candidates, 1)}
        for n, candidate in candidates.items():
            click.echo(f"  {n}  {proposal.text}{proposal.comment(candidate)}")
        answer = click.prompt(
            "  Bind it? Yes (the first), no, quit, or a number",
            type=click.Choice([_YES, _NO, _QUIT, *candidates]),
            default=_YES if proposal.accepted else _NO,
            show_choices=False,
        )
        if answer == _QUIT:
            break
        if answer != _NO:
            chosen.append((proposal, candidates["1" if answer == _YES else answer]))
    return chosen


def _edits_that_hold(note: Note, vault: Vault, edits: Sequence[Edit]) -> list[Edit]:
    """Return the comments that hold where they will be; the note runs once more with all of them.

    Their expressions were evaluated on plain copies of the variables, after the block that binds
    them; a comment is checked on the variables themselves, where it is.
    """
    if not edits:
        return []
    bound = parse(text_with_edits(note.text, edits), note.path)
    failures = [
        check for check in run_note(bound, vault).checks
        if check.kind == "sentence" and check.outcome == FAILS
    ]  # fmt: skip

    def fails(edit: Edit) -> bool:
        return any(
            check.line == edit.span.line and code_of(edit) in check.why for check in failures
        )

    return [edit for edit in edits if not fails(edit)]
