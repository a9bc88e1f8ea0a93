"""A vault's collectors and items in pytest: files for notes and drawings, items for checks.

An *item* is what pytest runs and reports. A note has one for each block of code, and one for each
group of its other checks, such as ``(links)``. The code of the note runs once, in a process of its
own, for all of them.
"""

from __future__ import annotations

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
    """The failures of an item of a file: problems at lines, and the checks that found them.

    `_Item.repr_failure` formats the problems. The checks are added to the report of the item.
    """

    def __init__(self, path: Path, problems: list[Problem], checks: Sequence[Check] = ()) -> None:
        super().__init__(path, problems)
        self.path = path
        self.problems = problems
        self.checks = checks


class _Item(pytest.Item):
    """An item that reports each failure with its line, without the engine's traceback."""

    #: The line of its file that it is about, from 1.
    line = 1

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return its file, its line from 0, and its name."""
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
        """Fail if there are problems."""
        failures = list(problems)
        if failures:
            raise CheckError(self.path, failures)


class NoteFolder(pytest.Dir):  # type: ignore[misc]  # pytest.Dir is abstract in its types
    """A folder of notes, including those that pytest does not take for files."""

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        """Collect what pytest would, then the notes that pytest passes over."""
        collected = set()
        for node in super().collect():
            collected.add(node.path)
            yield node
        for path in vault_of(self.path / "note", self.config).notes:
            if path.parent == self.path and path not in collected:
                yield collect_note(self, path)


class NoteFile(pytest.File):
    """A note as a file of tests."""

    note: Note
    #: The edits that ``--update`` makes when its items have run.
    fixes: list[Fix]
    #: The number of its items, and the names of those that have run: some plugins run one twice.
    item_count: int
    names_run: set[str]
    #: Whether one of its items has reported that its code stopped early.
    early_end_is_reported = False
    #: Its path as pytest reports it; empty until it is computed.
    reported_path = ""

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
        self.names_run = set()
        checks = checks_of(self.note, vault.options, vault.relative(self.path)) | {"form"}
        # If the settings leave out *code*, a block has no item, but may run for another check.
        blocks = self.note.blocks if "code" in checks else ()
        groups = [group for group in GROUPS if group in checks]
        self.item_count = len(blocks) + len(groups)
        names = [_item_name(block) for block in blocks]
        for index, name in enumerate(names):
            # With brackets, pytest finds `Section[1]` and `Section[2]` when asked for `Section`.
            number = names[: index + 1].count(name)
            label = name if names.count(name) == 1 else f"{name}[{number}]"
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
        if len(self.names_run) == self.item_count and self.inspection.is_whole:
            self.runner.record(self.inspection, Ledger(self.runner.vault))
        self.names_run = set()


def collect_note(parent: pytest.Collector, path: Path) -> NoteFile:
    """Collect a note."""
    node_id: dict[str, Any] = {}  # by default, pytest makes it of the path
    if printable(path.name) != path.name:  # pytest's cache fails on names that are no valid UTF-8
        node_id = {"nodeid": f"{parent.nodeid}/{printable(path.name)}"}
    return NoteFile.from_parent(parent, path=path, **node_id)


class NoteItem(_Item):
    """Some of the checks of a note."""

    parent: NoteFile
    #: Its checks that are not judged, once it has run.
    unjudged: Sequence[Check] = ()

    @cached_property
    def location(self) -> tuple[str, int | None, str]:
        """Its path, line and name; the path is computed once for a note, since that is slow."""
        if not self.parent.reported_path:
            self.parent.reported_path = super().location[0]
        return self.parent.reported_path, self.line - 1, self.name

    def concerns(self, check: Check) -> bool:
        """Return whether a check belongs to this item."""
        raise NotImplementedError

    def runtest(self) -> None:
        """Fail if one of the item's checks fails, or if the code of the note stopped early."""
        inspection = self.parent.inspection
        checks = [check for check in inspection.checks if self.concerns(check)]
        self.unjudged = [check for check in checks if check.outcome == UNJUDGED]
        if self.name not in self.parent.names_run:
            self.parent.names_run.add(self.name)
            self.count(checks)
        failures = [check for check in checks if check.outcome == FAILS]
        if self.config.option.vault_update:
            repaired = [check for check in checks if check.fix and check.kind in REWRITTEN]
            self.parent.fixes += [check.fix for check in repaired if check.fix]
            failures = [check for check in failures if check not in repaired]
        if failures:
            # The failure that says how the code ended has no other words (`inspection_of`).
            first_lines = [check.why.split("\n", 1)[0] for check in failures]
            if inspection.ended and inspection.ended.endswith(tuple(first_lines)):
                self.parent.early_end_is_reported = True
            raise CheckError(self.path, [Problem(c.line, c.why) for c in failures], failures)
        if inspection.ended and not checks and not self.needs_no_code:
            # A note that stops early is one failure; items that were not judged are then skipped.
            if self.parent.early_end_is_reported:
                pytest.skip(inspection.ended)
            self.parent.early_end_is_reported = True
            raise CheckError(self.path, [Problem(self.line, inspection.ended)])
        if [(check.kind, check.outcome) for check in checks] == [("block", EXCEPTED)]:
            pytest.skip(checks[0].why)  # the note says that this block does not run

    @property
    def needs_no_code(self) -> bool:
        """Whether the item is judged even if the code of the note stops early."""
        return False

    def count(self, checks: list[Check]) -> None:
        """Add the checks to the totals of the session; those of other kinds are not counted."""
        tally = self.config.stash[TALLY]
        for check in checks:
            names = EXCEPTIONS if check.outcome == EXCEPTED else KINDS
            if check.outcome == UNJUDGED:
                tally[NOT_JUDGED] += 1
                tally[COMPARISON] += check.kind == COMPARISON
            elif check.kind in names:
                tally[names[check.kind]] += 1


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
    def needs_no_code(self) -> bool:
        """Whether these checks concern only the text, and were all made."""
        is_of_text = {*GROUPS[self.group]} <= {"form", "link", "mirror"}
        return is_of_text and self.parent.inspection.text_is_whole

    def count(self, checks: list[Check]) -> None:
        """Add the checks to the totals, and count the note."""
        super().count(checks)
        if self.group == "form":  # of which every note has one
            self.config.stash[TALLY]["notes"] += 1
            self.config.stash[TALLY]["notes not run again"] += self.parent.inspection.is_from_ledger


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
        agreeing = [] if differences else [trial.machine.name for trial in machines.tried]
        Ledger(machines.vault).record_machines(self.parent.note, agreeing)
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
        """Compare the fingerprint in the drawing with that of its data; with ``--update`` redraw.

        The notes run meanwhile, in their processes.
        """
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
        if differs := machines.describe_differences_of_figure(self.path.name, here):
            self.fail_on([Problem(1, differs)])


def _machines(item: MachinesItem | DrawingMachinesItem) -> Machines:
    """Return the machines of a vault, on which all notes and drawings in question have run."""
    config = item.config
    runner = runner_of(item.path, config)
    machines_of_vaults = config.stash[ON_MACHINES]
    machines = machines_of_vaults.get(runner.vault.root)
    if machines is None:
        reporter = config.pluginmanager.get_plugin("terminalreporter")

        def say(line: str) -> None:
            if reporter:
                reporter.write_line(line)
                reporter.flush()

        machines = machines_of_vaults[runner.vault.root] = Machines(
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
    if not machines.tried:
        pytest.skip("this machine cannot emulate any other")
    return machines


def _item_name(block: Block) -> str:
    """Return the name of a block's section, without what has a meaning in pytest's names."""
    return block.section.replace("::", ":").replace("[", "(").replace("]", ")")
