"""The only pipeline: from a note to all that was found in it.

pytest, MkDocs, the mutants, the bench, the command line and the page in a browser call it. It needs
NumPy, markdown-it-py, mdit-py-plugins and PyYAML alone; whatever else takes part is handed in.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import count, takewhile
from pathlib import Path
from typing import Any

from vaultkit.checks import form, links, mirrors, outputs, typeset
from vaultkit.checks.check import EXCEPTED, FAILS, Check
from vaultkit.checks.equations import Equations
from vaultkit.checks.listings import checks_of, is_only_read
from vaultkit.checks.numbers import Numbers
from vaultkit.checks.predictions import Predictions
from vaultkit.checks.said import Statements
from vaultkit.checks.shapes import Shapes
from vaultkit.checks.trials import try_others
from vaultkit.checks.typeset import Typesetter
from vaultkit.claims.claims import claims_of
from vaultkit.read.note import Block, Note
from vaultkit.read.options import OF_CODE, Options, kinds, unknown_checks
from vaultkit.read.vault import Vault
from vaultkit.run import reordering
from vaultkit.run.dependencies import recording
from vaultkit.run.session import NoteRun, Step, Watcher

#: Why nothing is said of a note whose algorithm is written down and not called, and whose formulas
#: name nothing that its code binds.
_ONLY_READ = "the code of this note is only to be read: its formulas are about something else"


@dataclass(frozen=True)
class Settings:
    """How to inspect.

    Attributes
    ----------
    timeout
        Seconds that one block may take.
    typeset
        Typesets a formula, or raises ValueError; without one nothing is said of that.
    trials
        On how many sets of other numbers to judge the equations again.
    shown
        Whether to tell of no more than what a reader of the page sees.
    listings
        Whether to judge formulas and numbers also beside code that is only to be read, and that
        none of the formulas turns out to be about.
    every_digit
        Whether an output has to show all digits of its numbers.
    outputs
        Whether to keep what came of each block.
    reordered
        Whether the code sums its matrix products in another order.
    """

    timeout: float = 10.0
    trials: int = 0
    typeset: Typesetter | None = None
    shown: bool = False
    listings: bool = False
    every_digit: bool = False
    outputs: bool = False
    reordered: bool = False

    def of(self, options: Options, note: Note, path: str) -> Settings:
        """Return them with what the options of a vault say of a note at a path."""
        return replace(self, listings=options.asks(note, path), every_digit=options.every_digit)


def inspect_text(note: Note, vault: Vault, settings: Settings = Settings()) -> Iterator[Check]:
    """Find what can be said of a note without running it, as far as it is asked for."""
    for why in unknown_checks(note):
        yield Check("form", 1, why, FAILS, why)
    names = checks_of(note, vault.options, vault.relative(note.path))
    if "form" in names or note.refused:
        yield from form.check(note, vault, shown=settings.shown)
    if "links" in names:
        found = links.check(note, vault)
        yield from (c for c in found if c.outcome != FAILS or not _is_told(c, note, names))
    if typesetter := _typesetter(note, vault, settings):
        yield from typeset.check(note, typesetter)
    if "mirrors" in names and not settings.shown:
        found = mirrors.check(note, vault.root.parent)
        yield from (c for c in found if c.outcome != FAILS or not _is_told(c, note, names))


def _typesetter(note: Note, vault: Vault, settings: Settings) -> Typesetter | None:
    """Return what typesets the formulas of a note, with the commands that are defined for them."""
    if "formulas" not in checks_of(note, vault.options, vault.relative(note.path)):
        return None
    preamble = vault.preamble + note.preamble
    typesetter = settings.typeset
    return partial(typesetter, preamble=preamble) if typesetter and preamble else typesetter


def _is_told(
    check: Check, note: Note, names: Collection[str], settings: Settings = Settings()
) -> bool:
    """Tell whether another check tells what is wrong: the form of a NUL, the formulas of TeX."""
    if "form" in names and any("\0" in line for line in note.lines[check.line - 1 : check.line]):
        return True
    if check.kind == "equation" and settings.typeset:
        try:
            settings.typeset(check.what.strip("$"), False)
        except ValueError:
            return True
    return False


class Judges:
    """The checks that watch the code of a note run: what formulas and numbers say of it."""

    def __init__(self, note: Note) -> None:
        self.equations = Equations(note)
        self.numbers = Numbers(note)
        self.predictions = Predictions(note)
        self.shapes = Shapes(note)
        self.statements = Statements(note)

    def turn_to(self, note: Note) -> None:
        """Take up a note that reads the same up to where this one was looked at."""
        judges = self.equations, self.numbers, self.predictions, self.shapes, self.statements
        for judge in judges:
            judge.turn_to(note)

    def look(self, block: Block, steps: list[Step], variables: Mapping[str, Any]) -> None:
        """Look at the variables as a block has left them."""
        self.equations.look(block, steps, variables)
        self.numbers.look(block, steps, variables)
        self.shapes.look(block, steps, variables)
        self.predictions.look(block, steps, variables)
        self.statements.look(block, steps, variables)

    def check(self) -> Iterator[Check]:
        """Tell what was found, once all blocks have run."""
        yield from self.equations.check()
        yield from self.statements.check()
        for check in (*self.numbers.check(), *self.shapes.check()):
            # What the code beside a number comes to is what it rests on, and is told already.
            place = check.line, check.column
            told = self.statements.judges(*place) or self.shapes.computes(*place)
            if check.outcome != FAILS or not told:
                yield check
        yield from self.predictions.check()


def agreement(one: Note, other: Note) -> int:
    """Count the blocks up to which a run of one note is a run of another one, too.

    That is: they are the same, in the same lines, and so is all that is judged before the last of
    them has run.
    """

    def judged(note: Note, block: Block) -> list[Any]:
        formulas: list[Any] = [
            f for f in (*note.formulas, *note.asides) if f.line < block.fence.line
        ]
        formulas += [s for s in claims_of(note).said if s.line < block.fence.line]
        return formulas + [p for p in note.predictions if p.line < block.fence.line]

    pairs = zip(one.blocks, other.blocks, strict=False)
    same = (a == b and judged(one, a) == judged(other, b) for a, b in pairs)
    return sum(1 for _ in takewhile(bool, same))


def inspect(
    note: Note,
    vault: Vault,
    settings: Settings = Settings(),
    *,
    until: int | None = None,
    tell: Callable[[int, float], None] = lambda _index, _seconds: None,
    read: set[Path] | None = None,
) -> Iterator[Check]:
    """Find all that can be said of a note: first of its text, then of its code as it runs.

    Parameters
    ----------
    note
        The note.
    vault
        Where its links lead.
    settings
        How to inspect.
    until
        Run the blocks before this one only, and judge nothing that rests on all of them.
    tell
        Called with the number of each block, and the seconds it may take, before it runs.
    read
        Gets the files of the vault, and of what lies beside it, that the code of the note reads.
    """
    yield from inspect_text(note, vault, settings)
    names, settings = asked_of_code(note, vault, settings)
    yield from inspect_code(note, vault.root, names, settings, until=until, tell=tell, read=read)


def asked_of_code(note: Note, vault: Vault, settings: Settings) -> tuple[set[str], Settings]:
    """Return what has to be known of a vault to run a note: which checks it gets, and how.

    What typesets its formulas knows the commands of the vault then.
    """
    path = vault.relative(note.path)
    names = set(checks_of(note, vault.options, path))
    typesetter = _typesetter(note, vault, settings)
    return names, replace(settings.of(vault.options, note, path), typeset=typesetter)


def inspect_code(
    note: Note,
    folder: Path,
    names: Collection[str],
    settings: Settings = Settings(),
    *,
    until: int | None = None,
    tell: Callable[[int, float], None] = lambda _index, _seconds: None,
    read: set[Path] | None = None,
    watch: Watcher | None = None,
    pause: Callable[[int], tuple[Note, int | None] | None] = lambda _index: None,
    judges: Judges | None = None,
) -> Iterator[Check]:
    """Find what can be said of a note as its code runs; the note may be no file yet.

    Parameters
    ----------
    note, settings, until, tell, read
        As in `inspect`.
    folder
        The vault's folder.
    names
        Which checks it gets.
    watch
        Called after each block with it, its steps and the names bound so far.
    pause
        Called with the number of each block when it has run, before it is judged. Where it returns
        a note and the block to stop before, the run goes on with those: with a note that agrees
        with this one up to that block (`agreement`).
    judges
        The checks that watch it, if they have been made already.
    """
    wanted = kinds(names)
    if not {"code", *OF_CODE}.intersection(names):
        return
    judges = judges or Judges(note)

    def paused(index: int) -> Note | None:
        nonlocal until
        other = pause(index)
        if other is None:
            return None
        note, until = other
        judges.turn_to(note)
        return note

    watchers = (judges.look, watch) if watch else (judges.look,)
    rewrite, compile_module = (
        (reordering.reordered, reordering.compiled) if settings.reordered else (_as_it_is, None)
    )
    session = NoteRun(
        note, settings.timeout, watchers, rewrite, vault=folder, beat=tell, pause=paused
    )
    judges.equations.call = lambda function, given: session.call(function, *given)
    judges.predictions.call = judges.statements.call = judges.shapes.call = session.call
    broken: set[int] = set()
    root = folder.parent
    read = set() if read is None else read
    with recording(root, read, compile_module):
        for index in count():
            if index >= len(session.note.blocks[:until]):
                break
            steps = session.steps(index)
            broken |= {index} if any(step.error for step in steps) else set()
            if "code" in names:
                block = session.note.blocks[index]
                found = outputs.check(
                    index, block, steps, session.seconds[index], every_digit=settings.every_digit
                )
                # Whatever is wrong with a block that swallows the text below, that is why.
                swallows = "form" in names and not block.closed
                yield from (check for check in found if not (swallows and check.outcome == FAILS))
    note = session.note
    read.update(mirrors.files(note, root))
    if until is not None:
        return
    try_others(
        note, [judges.equations], settings.trials, shapes=[judges.shapes], root=root,
        timeout=settings.timeout, broken=broken, tell=tell,
    )  # fmt: skip
    # Where the code broke before anything came of it, that is what is wrong, not each number.
    failed = "code" in names and broken and judges.numbers.seen.are_of_something_else
    if (
        failed
        and not judges.equations.are_judged
        and not note.predictions
        and not settings.listings
    ):
        return
    only_read = is_only_read(note) and judges.equations.are_of_something_else
    only_read = only_read and not judges.statements.found
    excused = only_read and not note.predictions and not settings.listings
    for check in judges.check():
        if check.outcome == FAILS and _is_told(check, note, names, settings):
            continue
        if excused and check.outcome == FAILS:
            check = replace(check, outcome=EXCEPTED, why=_ONLY_READ)
        if check.kind in wanted:
            yield check


def _as_it_is(tree: ast.Module) -> ast.Module:
    return tree
