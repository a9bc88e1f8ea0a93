"""The pipeline: from a note to its checks.

`inspect` yields the checks of a note for every door: first those of its text, then those of its
code, as it runs. The door decides where the code runs, by passing a function that runs a `Task`:
`run_code` in this process, one for another process (`vaultkit.pipeline.process`), or none. This
module needs only NumPy, markdown-it-py, mdit-py-plugins and PyYAML.

The settings and a note name the checks that run, such as *equations* (`vaultkit.read.options`). A
*judge* is an object that observes the variables after each block, and from them makes the checks of
one kind of statement: `Equations` judges the formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import count, takewhile
from pathlib import Path
from time import monotonic
from typing import Any

from vaultkit.checks import cited, compared, contrasts, form, links, mirrors, outputs, typeset
from vaultkit.checks.bindings import Bindings
from vaultkit.checks.check import EXCEPTED, FAILS, UNJUDGED, UNPROVEN, Check, strictly
from vaultkit.checks.computed import Caller, evaluate
from vaultkit.checks.equations import Equations
from vaultkit.checks.incomplete import Incomplete
from vaultkit.checks.listings import checks_of, is_only_read
from vaultkit.checks.numbers import Numbers
from vaultkit.checks.observed import Observed
from vaultkit.checks.predictions import Predictions
from vaultkit.checks.roles import Roles, with_contradictions
from vaultkit.checks.said import Statements
from vaultkit.checks.shapes import Shapes
from vaultkit.checks.tables import Tables
from vaultkit.checks.trials import try_others
from vaultkit.checks.typeset import Typesetter
from vaultkit.claims.claims import claims_of
from vaultkit.read.note import Block, Note
from vaultkit.read.options import OF_CODE, kinds_of_results, unknown_checks
from vaultkit.read.vault import Vault
from vaultkit.run import reordering
from vaultkit.run.dependencies import record_dependencies
from vaultkit.run.memory import Memory
from vaultkit.run.session import NoteRun
from vaultkit.run.steps import Observer, Step

#: Why formulas and numbers are not judged in a note whose code defines an algorithm without calling
#: it, and binds none of the names in its formulas.
_ONLY_READ = "the code of this note is a listing: its formulas are about something else"
#: Characters of a note that are read and judged within a second, also on a slow machine.
_JUDGED_WITHIN_A_SECOND = 10_000
#: Seconds between two heartbeats while the whole note is judged.
_BEAT_EVERY = 1.0


@dataclass(frozen=True)
class Settings:
    """The settings of an inspection.

    Attributes
    ----------
    timeout
        The time limit of a block, in seconds.
    typeset
        Typesets a formula, or raises ValueError; without it, this is not checked.
    trials
        The number of trials on other numbers.
    shown
        Whether to report only what a reader of the page sees.
    listings
        Whether to judge formulas and numbers of notes whose code is only a listing, too: code that
        is shown to be read, and computes nothing that the text is about.
    every_digit
        Whether an output has to show all digits of its numbers.
    outputs
        Whether to keep the outputs of each block.
    reordered
        Whether the code sums its matrix products in another order.
    strict
        Whether a statement that cannot be judged is a failure.
    strict_words
        Whether a sentence that compares in words alone is a failure.
    macros
        The definitions of TeX commands of the vault.
    """

    timeout: float = 10.0
    trials: int = 0
    typeset: Typesetter | None = None
    shown: bool = False
    listings: bool = False
    every_digit: bool = False
    outputs: bool = False
    reordered: bool = False
    strict: bool = False
    strict_words: bool = False
    macros: str = ""


@dataclass(frozen=True)
class Task:
    """Everything that a process needs to run the code of a note.

    Attributes
    ----------
    note
        The note, which may be unsaved.
    folder
        The folder of the vault.
    names
        The names of its checks.
    settings
        The settings.
    until
        Run only the blocks before this one, and leave out what depends on all blocks.
    """

    note: Note
    folder: Path
    names: frozenset[str]
    settings: Settings = Settings()
    until: int | None = None


def task_of(
    note: Note, vault: Vault, settings: Settings = Settings(), until: int | None = None
) -> Task:
    """Return the task of a note, with the settings of its vault.

    Parameters
    ----------
    note, vault
        The note, and its vault.
    settings
        The settings of the run; those of the vault are added.
    until
        Run only the blocks before this index; None to run all.
    """
    path = vault.relative(note.path)
    names = checks_of(note, vault.options, path)
    typesetter = settings.typeset
    # The preamble has the definitions of TeX commands that formulas use.
    if typesetter and (preamble := vault.preamble + note.preamble):
        typesetter = partial(typesetter, preamble=preamble)
    settings = replace(
        settings,
        listings=vault.options.requests_checks(note, path),
        every_digit=vault.options.every_digit,
        strict=vault.options.is_strict,
        strict_words=vault.options.fails_words,
        typeset=typesetter if "formulas" in names else None,
        macros=vault.preamble,
    )
    return Task(note, vault.root, names, settings, until)


def text_checks(task: Task, vault: Vault) -> Iterator[Check]:
    """Yield those checks of the text of a note that its task requests.

    They need no run of the note's code.
    """
    checks = (
        check
        for check in _text_checks(task, vault)
        if check.kind not in ("link", "mirror")
        or check.outcome != FAILS
        or not _is_reported_anyway(check, task)
    )
    yield from strictly(checks) if task.settings.strict else checks


def _text_checks(task: Task, vault: Vault) -> Iterator[Check]:
    """Yield the checks of `text_checks`, and duplicates."""
    note, names, settings = task.note, task.names, task.settings
    for why in unknown_checks(note):
        yield Check("form", 1, why, FAILS, why)
    if "form" in names or note.refused:
        yield from form.check(note, vault, shown=settings.shown)
    # These read sentences, so they also apply to a note without code, for which `Task.names` does
    # not have *numbers*.
    asked = vault.options.requested_checks(note, vault.relative(note.path))
    if "numbers" in names or "numbers" in (vault.options.checks if asked is None else asked):
        yield from contrasts.check(note)
        yield from cited.check(note, vault)
    if "links" in names:
        yield from links.check(note, vault)
    if settings.typeset:
        yield from typeset.check(note, settings.typeset)
    if "mirrors" in names and not settings.shown:
        yield from mirrors.check(note, vault.root.parent)


def _is_reported_anyway(check: Check, task: Task) -> bool:
    """Return whether another check fails for the same cause.

    A NUL character in the line is a failure of the form; TeX that cannot be typeset is one of the
    formula.
    """
    line = task.note.lines[check.line - 1 : check.line]  # empty behind the last line
    if "form" in task.names and any("\0" in text for text in line):
        return True
    if check.kind == "equation" and task.settings.typeset:
        try:
            task.settings.typeset(check.what.strip("$"), False)
        except ValueError:
            return True
    return False


class RunChecks:
    """The checks that observe the variables while the code of a note runs."""

    def __init__(self, task: Task) -> None:
        note = task.note
        self.task = task
        claims_of(note)  # extracted and kept before the limits of the first block begin
        self.equations = Equations(note, task.settings.macros)
        self.seen = Observed(note)
        self.numbers = Numbers(self.seen)
        self.predictions = Predictions(note)
        self.shapes = Shapes(self.seen.shapes)
        self.statements = Statements(note)
        self.bindings = Bindings(note)
        self.tables = Tables(note)
        self.roles = Roles(note)
        #: The numbers of the blocks that raised an error.
        self.broken: set[int] = set()
        self.incomplete = Incomplete(note)

    def rebase(self, task: Task) -> None:
        """Continue with a task whose edited note agrees with this one up to the last block run."""
        self.task = task
        judges = (
            self.equations, self.seen, self.seen.shapes, self.predictions, self.statements,
            self.bindings, self.incomplete, self.tables, self.roles,
        )  # fmt: skip
        for judge in judges:
            judge.rebase(task.note)

    def call_with(self, call: Caller) -> None:
        """Set how the checks call functions of the note: without lasting effects."""
        self.equations.call = self.predictions.call = self.statements.call = call
        self.shapes.call = self.bindings.call = call

    def observe(self, block: Block, steps: list[Step], variables: Mapping[str, Any]) -> None:
        """Pass the variables, as a block has left them, to all checks.

        A step is a piece of code of the block that has run, with its output: the whole block, or a
        prompt of a session.
        """
        # `seen` is first, since `shapes` reads and completes the state that it adds.
        observers = (
            self.seen, self.equations, self.shapes, self.predictions, self.statements,
            self.bindings, self.tables, self.roles,
        )  # fmt: skip
        for observer in observers:
            observer.observe(block, steps, variables)

    def check_block(self, index: int, steps: list[Step], seconds: float) -> Iterator[Check]:
        """Yield the check of a block, from the outputs of its steps and those that it shows.

        It must be called for every block, in order; ``seconds`` is the time that the block took.
        """
        if any(step.error for step in steps):
            self.broken.add(index)
        # The block may need what the vault does not contain, such as a package or a data file.
        cannot_be_judged = self.incomplete.excuses(index, steps)
        task = self.task
        if "code" not in task.names:
            return
        block = task.note.blocks[index]
        # If the block is not closed and contains the text below it, that is the only cause.
        form_fails = "form" in task.names and not block.closed
        every_digit = task.settings.every_digit
        for check in outputs.check(index, block, steps, seconds, every_digit=every_digit):
            if check.outcome == FAILS and cannot_be_judged:
                check = replace(check, outcome=UNJUDGED)
            if not (form_fails and check.outcome in UNPROVEN):
                yield from strictly([check]) if task.settings.strict else [check]

    def check(self) -> Iterator[Check]:
        """Yield the checks that need all blocks to have run."""
        note, names, settings = self.task.note, self.task.names, self.task.settings
        # In these notes, predictions ask for results, or the author has asked for all checks.
        expects_results = bool(note.predictions or settings.listings)
        # If the code failed before it had any result, that is the cause of all other failures.
        has_failed = "code" in names and self.broken and self.seen.computes_nothing
        if has_failed and not self.equations.are_judged and not expects_results:
            return
        # Code that is only read computes nothing that the text could be about.
        uses_code = bool(self.statements.found or self.bindings.judged or expects_results)
        is_excused = not uses_code and is_only_read(note) and self.equations.none_can_be_judged
        wanted = kinds_of_results(names)
        for check in self._checks_of_whole_note():
            if check.outcome in UNPROVEN and _is_reported_anyway(check, self.task):
                continue
            if is_excused and check.outcome in UNPROVEN:
                check = replace(check, outcome=EXCEPTED, why=_ONLY_READ)
            if check.kind in wanted:
                yield from strictly([check]) if settings.strict else [check]

    def _checks_of_whole_note(self) -> Iterator[Check]:
        """Yield the checks of the whole note, each number or shape by the judge that knows it best.

        In order of preference: a contradiction in the unit, a comment that binds the number, a
        statement in code around it or a shape stated of an expression around it, the page.
        """
        yield from self.equations.check()
        yield from self.statements.check()
        yield from self.bindings.check()
        contradictions = self.roles.contradictions()
        numbers = with_contradictions(self.tables.check(self.numbers.check()), contradictions)
        for check in (*numbers, *self.shapes.check()):
            place = check.line, check.column
            contradiction = contradictions.get(place)
            has_wrong_unit = contradiction is not None and contradiction.in_wrong_unit
            if check.outcome == FAILS and has_wrong_unit:
                yield check
            elif not self.bindings.judges(*place):
                is_judged = self.statements.judges(*place) or self.shapes.states_shape_at(*place)
                if check.outcome not in UNPROVEN or not is_judged:
                    yield check
        yield from self.predictions.check()
        # Here rather than with the text, since the claims of the note are known in this process.
        yield from compared.check(self.task.note, fails=self.task.settings.strict_words)


def count_equal_blocks(one: Note, other: Note) -> int:
    """Return the number of leading blocks that two versions of a note have in common.

    These blocks, their lines and all statements judged after them are equal, so a run of one note
    is valid for the other.
    """

    def judged_above(note: Note, block: Block) -> list[Any]:
        """Return the formulas, bindings, … of a note that are judged before a block runs."""
        claims = claims_of(note)
        statements: tuple[Any, ...] = (
            *note.formulas, *note.untypeset_formulas, *claims.said, *claims.bindings,
            *note.predictions,
        )  # fmt: skip
        return [statement for statement in statements if statement.line < block.fence.line]

    def is_equal(block: Block, counterpart: Block) -> bool:
        if block != counterpart:
            return False
        return judged_above(one, block) == judged_above(other, counterpart)

    return sum(1 for _ in takewhile(bool, map(is_equal, one.blocks, other.blocks)))


def run_code(
    task: Task,
    *,
    beat: Callable[[int, float], None] = lambda _index, _seconds: None,
    read: set[Path] | None = None,
    watch: Observer | None = None,
    pause: Callable[[int], Task | None] = lambda _index: None,
    judges: RunChecks | None = None,
    memory: Memory | None = None,
) -> Iterator[Check]:
    """Run the code of a note in this process, and yield its checks.

    Parameters
    ----------
    task
        The task.
    beat
        Called before each block with its index and its time limit in seconds.
    read
        A set; the files that the code reads in or beside the vault are added to it.
    watch
        Called after each block with the block, its steps and the variables.
    pause
        Called with the index of each block after it has run, before it is judged, unless the run
        has had effects outside this process. If it returns a task, the run continues with that; its
        note must agree with this one so far (`count_equal_blocks`).
    judges
        The checks that observe the run, if they exist already.
    memory
        Remembers the last run of the note in this process; only what has changed runs again.
    """
    if {"code", *OF_CODE}.isdisjoint(task.names):
        return
    judges = judges or RunChecks(task)
    rewrite = compile_module = None
    if task.settings.reordered:
        rewrite, compile_module = reordering.reorder_products, reordering.compile_reordered
    timeout = task.settings.timeout
    session = NoteRun(
        task.note, timeout, rewrite, vault=task.folder, beat=beat, compares_later=True,
        memory=memory,
    )  # fmt: skip
    judges.call_with(session.call)
    if memory:
        judges.bindings.evaluate = partial(memory.evaluate, evaluate)
    root = task.folder.parent
    read = set() if read is None else read
    #: Lines of the note, and what each has replaced in a module, which is then undone.
    replacements: list[tuple[int, str]] = []
    # Reading and judging a large note may take longer than its code is allowed.
    patience = timeout + len(task.note.text) // _JUDGED_WITHIN_A_SECOND
    try:
        beat(0, patience)
        modules = memory.modules if memory else None
        with record_dependencies(root, read, compile_module, modules):
            yield from _run_blocks(session, judges, watch, pause)
        task = judges.task  # `pause` may have replaced it
        if task.until is None:
            if task.settings.trials:  # their runs would take what is replaced for the originals
                replacements += session.undo_replacements()
            try_others(
                task.note, [judges.equations], task.settings.trials, shapes=[judges.shapes],
                sentences=[judges.bindings],
                root=root, timeout=timeout, broken=judges.broken, beat=beat,
            )  # fmt: skip
            last = max(len(task.note.blocks) - 1, 0)
            beat(last, patience)
            last_beat = monotonic()
            for check in judges.check():
                if monotonic() - last_beat > _BEAT_EVERY:
                    beat(last, patience)
                    last_beat = monotonic()
                yield check
    except Exception:
        # What the note has replaced may be the cause of the engine's error.
        replacements += session.undo_replacements()
        if not replacements:
            raise
    else:
        replacements += session.undo_replacements()
    for line, what in replacements:
        # The block that has the line.
        index = sum(block.fence.line < line for block in judges.task.note.blocks) - 1
        yield Check("block", line, what, FAILS, what, block=max(index, 0))


def _run_blocks(
    session: NoteRun,
    judges: RunChecks,
    watch: Observer | None,
    pause: Callable[[int], Task | None],
) -> Iterator[Check]:
    """Run one block after the other, and yield the check of each (see `run_code`)."""
    for index in count():
        # Computed again each time, since `pause` may have replaced the task.
        if index >= len(judges.task.note.blocks[: judges.task.until]):
            return
        steps = session.steps(index)
        if session.can_resume and (other := pause(index)):
            judges.rebase(other)
            session.rebase(other.note)
        block = session.note.blocks[index]
        # First, since a reader of the page waits for the output.
        yield from judges.check_block(index, steps, session.seconds[index])
        with session.calls_undone_together():
            judges.observe(block, steps, session.namespace)
            if watch:
                watch(block, steps, session.namespace)


def inspect(
    note: Note,
    vault: Vault,
    settings: Settings = Settings(),
    *,
    run: Callable[[Task], Iterable[Check]] | None = run_code,
    until: int | None = None,
) -> Iterator[Check]:
    """Yield all checks of a note: first those of its text, then those of its code.

    Parameters
    ----------
    note
        The note.
    vault
        The vault of the note.
    settings
        The settings.
    run
        Runs the code and yields its checks; None to check only the text.
    until
        Run only the blocks before this one, and leave out what depends on all blocks.
    """
    task = task_of(note, vault, settings, until)
    yield from text_checks(task, vault)
    if run:
        yield from run(task)
