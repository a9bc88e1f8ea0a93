"""A vault's collectors and items in pytest: files for notes and drawings, items for checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from vaultkit.checks.check import COMPARISON, EXCEPTED, FAILS, UNJUDGED, Check, Fix
from vaultkit.checks.listings import checks_of
from vaultkit.doors.pytest_session import (
    EXCEPTIONS,
    FIGURES,
    NOT_JUDGED,
    ON_MACHINES,
    RUNNERS,
    TALLY,
    is_in_shard,
    read_vault,
    runner_of,
    vault_of,
    vault_root,
)
from vaultkit.figure import stamp_of
from vaultkit.files import write_atomically
from vaultkit.pipeline.figures import FigureError
from vaultkit.pipeline.ledger import KINDS, Ledger
from vaultkit.pipeline.machines import Machines
from vaultkit.pipeline.process import Inspection
from vaultkit.pipeline.runner import Runner
from vaultkit.pipeline.summary import MOST_OF_A_NOTE
from vaultkit.pipeline.update import REWRITTEN, apply_edits, edits_of_mirrors
from vaultkit.read.note import Block, Note, Problem
from vaultkit.read.options import CHECKS
from vaultkit.read.syntax import printable

#: The kinds of checks in each group item of a note.
GROUPS = {
    name: CHECKS[name] for name in ("form", "links", "formulas", "mirrors", "equations", "numbers")
}


class CheckError(Exception):
    """The failures of an item. `_Item.repr_failure` formats them."""

    def __init__(self, path: Path, problems: list[Problem], checks: Sequence[Check] = ()) -> None:
        super().__init__(path, problems)
        self.path = path
        self.problems = problems
        self.checks = checks


class _Item(pytest.Item):
    """An item that reports each failure with its line, without the engine's traceback."""

    line = 1

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.line - 1, self.name

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return a row for each problem, with file and line; pytest's own text for other errors."""
        failure = excinfo.value
        if not isinstance(failure, CheckError):
            return super().repr_failure(excinfo, style)
        try:
            shown = failure.path.relative_to(self.config.invocation_params.dir)
        except ValueError:
            shown = failure.path
        most = MOST_OF_A_NOTE if self.config.option.verbose < 1 else len(failure.problems)
        rows = [f"{shown}:{p.line}: {p.message}" for p in failure.problems[:most]]
        if len(failure.problems) > most:
            rows.append(f"{shown}: {len(failure.problems) - most} more; -v shows them")
        return "\n".join(rows)

    def fail_on(self, problems: Iterable[Problem]) -> None:
        failures = list(problems)
        if failures:
            raise CheckError(self.path, failures)


class NoteFolder(pytest.Dir):  # type: ignore[misc]  # pytest.Dir is abstract in its types
    """A folder of notes, including those that pytest does not take for files."""

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        """Collect what pytest would, then the notes that pytest passes over."""
        seen = set()
        for node in super().collect():
            seen.add(node.path)
            yield node
        for path in vault_of(self.path / "note", self.config).notes:
            if path.parent == self.path and path not in seen:
                yield collect_note(self, path)


class NoteFile(pytest.File):
    """A note as a file of tests."""

    note: Note
    fixes: list[Fix]
    #: Names of the items that have run: some plugins run an item twice.
    ran: set[str]
    expected: int
    #: Whether one of its items has reported that its code stopped early.
    is_reported = False
    #: Its path as pytest reports it.
    reported = ""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield an item for each block, in order, then one for each kind of check.

        The item ``(machines)`` is the last, if ``--machines`` asks for it and the note has code. A
        note in another machine's share (``--shard``) has no items. With ``--update``, the note is
        first rewritten and read again, if code that it mirrors from a file has changed.
        """
        vault = vault_of(self.path, self.config)
        if not is_in_shard(self.path, vault.notes, self.config):
            return
        self.note = vault.notes[self.path]
        updates = self.config.option.vault_update and not self.config.option.collectonly
        if updates and (fixes := edits_of_mirrors(self.note, vault)):
            apply_edits(self.note, fixes)
            self.config.stash[TALLY]["mirrors rewritten"] += len(fixes)
            root = vault_root(self.path, self.config)
            assert root is not None
            vault = read_vault(root, self.config)
            self.note = vault.notes[self.path]
        self.fixes = []
        self.ran = set()
        asked = checks_of(self.note, vault.options, vault.relative(self.path)) | {"form"}
        # A block that nobody asked for has no item, but may run for another check.
        blocks = self.note.blocks if "code" in asked else ()
        groups = [group for group in GROUPS if group in asked]
        self.expected = len(blocks) + len(groups)
        names = Counter(_item_name(block) for block in blocks)
        seen: Counter[str] = Counter()
        for index, block in enumerate(blocks):
            name = _item_name(block)
            seen[name] += 1
            # With brackets, pytest finds `Section[1]` and `Section[2]` when asked for `Section`.
            label = name if names[name] == 1 else f"{name}[{seen[name]}]"
            yield BlockItem.from_parent(self, name=label, index=index)
        for group in groups:
            yield GroupItem.from_parent(self, name=f"({group})", group=group)
        if self.config.option.vault_machines and self.note.blocks:
            yield MachinesItem.from_parent(self, name="(machines)")

    @cached_property
    def runner(self) -> Runner:
        """The runner that inspects the note."""
        return runner_of(self.path, self.config)

    @cached_property
    def inspection(self) -> Inspection:
        """The results of the note."""
        return self.runner.result(self.note)

    def teardown(self) -> None:
        """Write the changes of ``--update``; record the results in the ledger if all items ran."""
        fixes, self.fixes = self.fixes, []
        if fixes:
            apply_edits(self.note, fixes)
            self.config.stash[TALLY]["outputs rewritten"] += len(fixes)
        if len(self.ran) == self.expected and self.inspection.whole:
            self.runner.record(self.inspection, Ledger(self.runner.vault))
        self.ran = set()


def collect_note(parent: pytest.Collector, path: Path) -> NoteFile:
    """Collect a note."""
    # pytest's cache fails on names that are not valid UTF-8.
    named: dict[str, Any] = {}
    if printable(path.name) != path.name:
        named = {"nodeid": f"{parent.nodeid}/{printable(path.name)}"}
    return NoteFile.from_parent(parent, path=path, **named)


class NoteItem(_Item):
    """Some of the checks of a note."""

    parent: NoteFile
    #: Its checks that are not judged, once it has run.
    unjudged: Sequence[Check] = ()

    @cached_property
    def location(self) -> tuple[str, int | None, str]:
        """The location; pytest computes the path of a note only once, since that is slow."""
        if not self.parent.reported:
            self.parent.reported = super().location[0]
        return self.parent.reported, self.line - 1, self.name

    def concerns(self, check: Check) -> bool:
        """Return whether a check belongs to this item."""
        raise NotImplementedError

    def runtest(self) -> None:
        """Fail if one of the item's checks fails, or if the code of the note stopped early."""
        inspection = self.parent.inspection
        checks = [check for check in inspection.checks if self.concerns(check)]
        self.unjudged = [check for check in checks if check.outcome == UNJUDGED]
        if self.name not in self.parent.ran:
            self.parent.ran.add(self.name)
            self.count(checks)
        problems = [check for check in checks if check.outcome == FAILS]
        if self.config.option.vault_update:
            outputs = [c for c in checks if c.fix and c.kind in REWRITTEN]
            self.parent.fixes += [check.fix for check in outputs if check.fix]
            problems = [check for check in problems if check not in outputs]
        if problems:
            whys = [c.why.split("\n", 1)[0] for c in problems]
            self.parent.is_reported |= bool(inspection.ended) and any(
                inspection.ended.endswith(why) for why in whys
            )
            raise CheckError(self.path, [Problem(c.line, c.why) for c in problems], problems)
        if inspection.ended and not checks and not self.is_judged:
            # A note that stops early is one failure; items that were not judged are then skipped.
            if self.parent.is_reported:
                pytest.skip(inspection.ended)
            self.parent.is_reported = True
            raise CheckError(self.path, [Problem(self.line, inspection.ended)])
        if [(check.kind, check.outcome) for check in checks] == [("block", EXCEPTED)]:
            pytest.skip(checks[0].why)

    @property
    def is_judged(self) -> bool:
        """Whether the item is judged even if the code of the note stops early."""
        return False

    def count(self, checks: list[Check]) -> None:
        """Add the checks to the totals of the session."""
        tally = self.config.stash[TALLY]
        for check in checks:
            known = EXCEPTIONS if check.outcome == EXCEPTED else KINDS
            if check.outcome == UNJUDGED:
                tally[NOT_JUDGED] += 1
                tally[COMPARISON] += check.kind == COMPARISON
            elif check.kind in known:
                tally[known[check.kind]] += 1


class BlockItem(NoteItem):
    """A block of code, which must run and give its output."""

    def __init__(self, *, index: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.index = index
        self.line = self.parent.note.blocks[index].fence.line

    def concerns(self, check: Check) -> bool:
        """Return whether a check belongs to the block."""
        return check.block == self.index


class GroupItem(NoteItem):
    """The checks of some kinds in a note."""

    def __init__(self, *, group: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.group = group

    def concerns(self, check: Check) -> bool:
        """Return whether a check is of these kinds."""
        return check.kind in GROUPS[self.group]

    @property
    def is_judged(self) -> bool:
        """Whether these checks concern only the text, so that no code has to run."""
        text_is_whole = self.parent.inspection.text_is_whole
        return text_is_whole and not {*GROUPS[self.group]} - {"form", "link", "mirror"}

    def count(self, checks: list[Check]) -> None:
        """Add the checks to the totals, and count the note."""
        super().count(checks)
        if self.group == "form":
            self.config.stash[TALLY]["notes"] += 1
            self.config.stash[TALLY]["notes not run again"] += self.parent.inspection.cached


class MachinesItem(NoteItem):
    """Compares the results of a note with those on other machines."""

    def concerns(self, check: Check) -> bool:  # noqa: ARG002
        """Return False: the checks on this machine belong to other items."""
        return False

    def runtest(self) -> None:
        """Compare the results with those on other machines; record how many agree."""
        machines, inspection = _machines(self), self.parent.inspection
        if inspection.ended:
            self.fail_on([Problem(1, inspection.ended)])
        differences = machines.differences(inspection)
        names = [] if differences else [trial.machine.name for trial in machines.tried]
        Ledger(machines.vault).record_machines(self.parent.note, names)
        self.fail_on(Problem(check.line, check.why) for check in differences)


class DrawingFile(pytest.File):
    """A drawing as a file of tests."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield an item for freshness, and one for other machines if requested."""
        if not is_in_shard(self.path, self.path.parent.glob("*.svg"), self.config):
            return
        yield DrawingItem.from_parent(self, name="fresh")
        if self.config.option.vault_machines:
            yield DrawingMachinesItem.from_parent(self, name="machines")


class DrawingItem(_Item):
    """A drawing, which must show the data that the code computes now."""

    def runtest(self) -> None:
        """Compare fingerprints while notes run; with ``--update`` redraw."""
        for runner in self.config.stash[RUNNERS].values():
            runner.attend()
        figures = self.config.stash[FIGURES]
        name = self.path.name
        try:
            if stamp_of(self.path.read_text(encoding="utf-8")) == figures.fingerprint(name):
                return
            if self.config.option.vault_update:
                write_atomically(self.path, figures.render(name))
                self.config.stash[TALLY]["figures redrawn"] += 1
                return
        except FigureError as error:
            self.fail_on([Problem(1, str(error))])
        self.fail_on([Problem(1, "its data have changed; --update redraws it")])


class DrawingMachinesItem(_Item):
    """Compares the data of a drawing with those on other machines."""

    def runtest(self) -> None:
        """Compare the fingerprint with those on the other machines."""
        machines = _machines(self)
        try:
            here = self.config.stash[FIGURES].fingerprint(self.path.name)
        except FigureError as error:
            self.fail_on([Problem(1, str(error))])
        if differs := machines.figure_differs(self.path.name, here):
            self.fail_on([Problem(1, differs)])


def _machines(item: MachinesItem | DrawingMachinesItem) -> Machines:
    """Return the machines of a vault, on which all notes and drawings in question have run."""
    config = item.config
    runner = runner_of(item.path, config)
    known = config.stash[ON_MACHINES]
    if runner.vault.root not in known:
        reporter = config.pluginmanager.get_plugin("terminalreporter")

        def say(line: str) -> None:
            if reporter:
                reporter.write_line(line)
                reporter.flush()

        machines = known[runner.vault.root] = Machines(
            runner.vault,
            runner.settings,
            config.option.vault_machines,
            figures=config.getini("vault_figures"),
            say=say,
        )
        root = vault_root(item.path, config)
        items = [i for i in item.session.items if vault_root(i.path, config) == root]
        machines.run(
            [item.parent.note for item in items if isinstance(item, MachinesItem)],
            [item.path.name for item in items if isinstance(item, DrawingMachinesItem)],
        )
    if not known[runner.vault.root].tried:
        pytest.skip("this machine cannot emulate any other")
    return known[runner.vault.root]


def _item_name(block: Block) -> str:
    return block.section.replace("::", ":").replace("[", "(").replace("]", ")")
