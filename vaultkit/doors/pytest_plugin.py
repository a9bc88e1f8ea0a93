"""The door to pytest: one item a block, one a kind of check, and ``--vault-update``.

It collects nothing before a vault is named: in the setting ``vault``, or on the command line.
"""

from __future__ import annotations

import gc
import os
import shlex
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from vaultkit.checks import mirrors
from vaultkit.checks.check import EXCEPTED, FAILS, Check, Mend
from vaultkit.checks.listings import checks_of
from vaultkit.figure import stamp_of
from vaultkit.files import write_atomically
from vaultkit.pipeline.figures import FigureError, Figures
from vaultkit.pipeline.inspect import Settings
from vaultkit.pipeline.ledger import KINDS, Ledger
from vaultkit.pipeline.machines import MACHINES, Machines
from vaultkit.pipeline.runner import Inspection, Runner, workers_of
from vaultkit.pipeline.shards import Shard, ShardError
from vaultkit.pipeline.summary import MOST_OF_A_NOTE, summary
from vaultkit.pipeline.update import apply
from vaultkit.read.cache import folder_beside
from vaultkit.read.discovery import READERS
from vaultkit.read.note import Block, Note, Problem
from vaultkit.read.options import CHECKS, OptionsError
from vaultkit.read.syntax import printable
from vaultkit.read.vault import Vault
from vaultkit.render.mathematics import to_mathml
from vaultkit.run.workers import Workers

#: Which kinds of checks are one item of a note.
GROUPS = {
    name: CHECKS[name] for name in ("form", "links", "formulas", "mirrors", "equations", "numbers")
}

_NAMED = pytest.StashKey[set[Path]]()
_VAULTS = pytest.StashKey[dict[Path, Vault]]()
_TALLY = pytest.StashKey[Counter[str]]()
_RUNNERS = pytest.StashKey[dict[Path, Runner]]()
_WORKERS = pytest.StashKey[dict[Path, Workers]]()
_FIGURES = pytest.StashKey[Figures]()
_MACHINES = pytest.StashKey[dict[Path, Machines]]()
_SHARES = pytest.StashKey[dict[tuple[str, Path], set[Path]]]()
# What the line of totals counts.
_CHECKED = ("notes", *KINDS.values())
_EXCEPTED = {
    "block": "blocks not run",
    "output": "outputs masked",
    "equation": "formulas not run",
    "link": "links to notes not written yet",
    "number": "numbers given",
}
_CHANGED = ("notes not run again", "outputs rewritten", "mirrors rewritten", "figures redrawn")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the settings of a vault. Nothing of them runs any code before one is named."""
    group = parser.getgroup("vault", "notes whose code runs")
    group.addoption(
        "--vault",
        action="append",
        metavar="FOLDER",
        help="check the notes of this folder, which runs their code; the setting `vault` names "
        "those that are always checked",
    )
    group.addoption(
        "--vault-update",
        action="store_true",
        help="rewrite stale outputs and mirrored code in the notes, and stale figures",
    )
    group.addoption(
        "--vault-in-process",
        action="store_true",
        help="run the notes unprotected, in the process of pytest, as debuggers and coverage need",
    )
    group.addoption(
        "--vault-cached",
        action="store_true",
        help="run no note again in which nothing failed, as long as nothing has changed that its "
        "verdicts are known to rest on",
    )
    group.addoption(
        "--vault-trials",
        type=int,
        default=0,
        metavar="N",
        help="judge the equations of the notes on N sets of other numbers, too",
    )
    group.addoption(
        "--vault-machines",
        type=int,
        nargs="?",
        const=len(MACHINES),
        metavar="N",
        help="run notes and figures again as other machines compute, on the first N that this one "
        "can be; what differs is a failure",
    )
    group.addoption(
        "--vault-shard",
        default="",
        metavar="K/N",
        help="check a share of the notes and drawings: 1/4 is the first of four",
    )
    parser.addini("vault", "folders of notes whose code runs", type="paths")
    parser.addini("vault_timeout", "seconds that one block of a note may take", default="")
    parser.addini("vault_figures", "module whose FIGURES draw the SVGs of the vault", default="")


@pytest.hookimpl(trylast=True)  # their own options come first
def pytest_load_initial_conftests(early_config: pytest.Config, parser: pytest.Parser) -> None:
    """Add short names of options where the vault is opted in; elsewhere others may have them."""
    if not _named(early_config):
        return
    group = parser.getgroup("vault")
    short: tuple[tuple[str, dict[str, Any]], ...] = (
        ("--update", {"action": "store_true", "dest": "vault_update"}),
        ("--trials", {"type": int, "default": 0, "dest": "vault_trials", "metavar": "N"}),
        (
            "--machines",
            {
                "type": int, "nargs": "?", "const": len(MACHINES), "dest": "vault_machines",
                "metavar": "N",
            },
        ),
        ("--shard", {"default": "", "dest": "vault_shard", "metavar": "K/N"}),
    )  # fmt: skip
    for name, how in short:
        _, unknown = parser.parse_known_and_unknown_args([name, "0"])
        if name in unknown:  # nobody else's here, either
            group.addoption(name, help=f"the same as --vault-{name[2:]}", **how)


def pytest_configure(config: pytest.Config) -> None:
    """Make room for what the session learns."""
    try:
        _shard(config)
    except ShardError as error:
        raise pytest.UsageError(str(error)) from error
    config.stash[_SHARES] = {}
    config.stash[_NAMED] = set(_named(config))
    config.stash[_VAULTS] = {}
    config.stash[_TALLY] = Counter()
    config.stash[_RUNNERS] = {}
    config.stash[_WORKERS] = {}
    config.stash[_MACHINES] = {}
    if config.option.vault_machines and config.option.vault_update:
        raise pytest.UsageError("--machines compares notes as they are: --update them first")
    count = 0 if _in_process(config) else 1
    config.stash[_FIGURES] = Figures(config.getini("vault_figures"), count)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Forget what was found in notes that are gone."""
    for workers in session.config.stash[_WORKERS].values():
        workers.close()
    session.config.stash[_FIGURES].close()
    for runner in session.config.stash[_RUNNERS].values():
        Ledger(runner.vault).forget_the_gone()


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a folder of a vault with all its notes; no folder twice, by way of a link."""
    root = _vault_root(path / "note", parent.config)
    if root is None or any(part.startswith(".") for part in path.relative_to(root).parts):
        return None
    # Only such a link can be a folder that is listed already; to ask reads the whole vault, which
    # who runs other tests does not want.
    if path.is_symlink() and path in _vault(path / "note", parent.config).notes:
        return _note_file(parent, path)
    return NoteFolder.from_parent(parent, path=path)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> NoteFile | DrawingFile | None:
    """Collect the notes of a vault, and its drawings where code draws them."""
    if file_path.suffix not in (*READERS, ".svg"):
        return None
    root = _vault_root(file_path, parent.config)
    if root is None or any(part.startswith(".") for part in file_path.relative_to(root).parts):
        return None
    if file_path.suffix in READERS:
        return _note_file(parent, file_path)
    if parent.config.getini("vault_figures"):
        return DrawingFile.from_parent(parent, path=file_path)
    return None


def _note_file(parent: pytest.Collector, path: Path) -> NoteFile:
    # Of names that are no UTF-8 pytest would not even survive its own cache.
    named: dict[str, Any] = {}
    if printable(path.name) != path.name:
        named = {"nodeid": f"{parent.nodeid}/{printable(path.name)}"}
    return NoteFile.from_parent(parent, path=path, **named)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say in one line what was checked."""
    tally = config.stash[_TALLY]
    if tally:
        checked, excepted, changed = (
            ", ".join(
                _counted(tally[what], what) for what in group if tally[what] or group != _CHANGED
            )
            for group in (_CHECKED, _EXCEPTED.values(), _CHANGED)
        )
        line = f"vault: {checked}; exceptions: {excepted}"
        terminalreporter.write_line(f"{line}; {changed}" if changed else line)
    for machines in config.stash[_MACHINES].values():
        for trial in machines.trials:
            terminalreporter.write_line(f"machines: {trial}")
    failures = [
        (report.nodeid.split("::", 1)[0], Check.from_plain(check))
        for report in terminalreporter.stats.get("failed", ())
        for check in getattr(report, "vault_failures", ())
    ]
    folder = min((os.path.relpath(root) for root in config.stash[_NAMED]), default=".")
    named = (f"--vault={name}" for name in config.known_args_namespace.vault or ())
    update = shlex.join(["pytest", *named, *config.args, "--vault-update"])
    baseline = f"vaultkit check {shlex.quote(folder)} --baseline"
    for row in summary(failures, update, baseline):
        terminalreporter.write_line(row)


def _counted(number: int, what: str) -> str:
    """Tell how many there are of what: its first word is a plural."""
    first, *rest = what.split()
    return " ".join([str(number), first.removesuffix("s") if number == 1 else first, *rest])


def _named(config: pytest.Config) -> list[Path]:
    """List the folders of notes that somebody has asked to be checked."""
    asked = config.known_args_namespace.vault or ()
    here = config.invocation_params.dir
    return [*config.getini("vault"), *(Path(os.path.normpath(here / name)) for name in asked)]


def _vault_root(path: Path, config: pytest.Config) -> Path | None:
    """Find the vault that a file belongs to."""
    named = config.stash[_NAMED]
    return next((folder for folder in path.parents if folder in named), None)


def _vault(path: Path, config: pytest.Config) -> Vault:
    root = _vault_root(path, config)
    assert root is not None
    vaults = config.stash[_VAULTS]
    if root not in vaults:
        workers = workers_of(root.resolve(), 0 if _in_process(config) else None)
        config.stash[_WORKERS][root.resolve()] = workers
        if not (config.option.collectonly or config.option.vault_cached):
            workers.begin()  # while notes are read
        try:
            vaults[root] = Vault(root, cache=folder_beside(root.resolve()))
        except OptionsError as error:
            raise pytest.UsageError(str(error)) from error
    return vaults[root]


def _runner(path: Path, config: pytest.Config) -> Runner:
    vault = _vault(path, config)
    runners = config.stash[_RUNNERS]
    if vault.root not in runners:
        timeout = float(config.getini("vault_timeout") or vault.options.timeout)
        trials = config.option.vault_trials or vault.options.trials
        again = bool(config.option.vault_machines)
        settings = Settings(timeout=timeout, typeset=to_mathml, trials=trials, outputs=again)
        known = config.option.vault_cached and not _in_process(config) and not again
        ledger = Ledger(vault) if known else None
        workers = config.stash[_WORKERS][vault.root]
        runners[vault.root] = Runner(vault, settings, ledger=ledger, workers=workers)
    return runners[vault.root]


def _shard(config: pytest.Config) -> Shard | None:
    """Return the share of the notes that somebody has asked for; None if it is all of them."""
    return Shard.read(config.option.vault_shard) if config.option.vault_shard else None


def _is_asked(path: Path, files: Iterable[Path], config: pytest.Config) -> bool:
    """Tell whether one of some files is in the share that is checked."""
    shard = _shard(config)
    shares = config.stash[_SHARES]
    drawn = path.suffix == ".svg"
    key = (path.suffix, path.parent) if drawn else ("", _vault(path, config).root)
    if shard and key not in shares:
        shares[key] = shard.of(files)
    return shard is None or path in shares[key]


def _in_process(config: pytest.Config) -> bool:
    """Tell whether somebody watches the code run, who could not follow it to another process."""
    return bool(
        config.getoption("--vault-in-process")
        or config.getoption("usepdb")
        or config.getoption("trace")
        or sys.gettrace()
        or (hasattr(sys, "monitoring") and any(map(sys.monitoring.get_tool, (0, 1))))
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let drawings come first: they are looked at while the notes run in other processes.

    What runs again on other machines comes last, when all has been found that it is compared with.
    """
    machines = MachinesItem, DrawingMachinesItem
    items.sort(key=lambda item: (isinstance(item, machines), not isinstance(item, DrawingItem)))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Say which notes will be asked for, and how far each has to run."""
    wanted: dict[NoteFile, int | None] = {}
    drawings = [item.path.name for item in session.items if isinstance(item, DrawingItem)]
    session.config.stash[_FIGURES].submit(drawings)
    for item in session.items:
        if isinstance(item, _NoteItem):
            far = item.index + 1 if isinstance(item, BlockItem) else None
            known = wanted.get(item.parent, 0)
            wanted[item.parent] = None if far is None or known is None else max(far, known)
    for file, until in wanted.items():
        if until == len(file.note.blocks):
            until = None
        file.runner.submit([(file.note, until)])
    if wanted:
        # What was read and collected is there to the end; to look for rubbish in it takes longer
        # than some of the checks.
        gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Report a check of a note in one step.

    Nothing is set up for it and nothing runs here that could be captured: the note has run in a
    process of its own. The last check of each note takes the long way, which ends the note, too.
    """
    if not isinstance(item, _NoteItem) or nextitem is None or nextitem.parent is not item.parent:
        return None
    option = item.config.option
    if option.vault_update or option.setupshow or _in_process(item.config):
        return None
    hook = item.ihook
    hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    ends = (pytest.exit.Exception, KeyboardInterrupt)
    # Other plugins begin with an item when they hear that it is set up.
    ready = pytest.CallInfo.from_call(lambda: None, "setup")
    hook.pytest_runtest_makereport(item=item, call=ready)
    call = pytest.CallInfo.from_call(item.runtest, "call", reraise=ends)
    report = hook.pytest_runtest_makereport(item=item, call=call)
    hook.pytest_runtest_logreport(report=report)
    if report.failed:
        hook.pytest_exception_interact(node=item, call=call, report=report)
    hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> Any:
    """Let a report hold what failed as plain data: with xdist another process sums it up."""
    report = yield
    error = call.excinfo.value if call.excinfo else None
    if isinstance(error, CheckError):
        report.vault_failures = [check.plain() for check in error.checks]
    return report


class CheckError(Exception):
    """What checks found. Holds it; says nothing itself."""

    def __init__(self, path: Path, problems: list[Problem], checks: Sequence[Check] = ()) -> None:
        super().__init__(path, problems)
        self.path = path
        self.problems = problems
        self.checks = checks


class _Item(pytest.Item):
    """An item that shows what it found with the line, and nothing of the engine."""

    line = 1

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.line - 1, self.name

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
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
        found = list(problems)
        if found:
            raise CheckError(self.path, found)


class NoteFolder(pytest.Dir):  # type: ignore[misc]  # all that it lacks is notes
    """A folder of notes: also of those that pytest takes for no files."""

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        """Collect what pytest would; then links to nothing, and what only looks like a note."""
        seen = set()
        for node in super().collect():
            seen.add(node.path)
            yield node
        for path in _vault(self.path / "note", self.config).notes:
            if path.parent == self.path and path not in seen:
                yield _note_file(self, path)


class NoteFile(pytest.File):
    """A note, as a file of tests."""

    note: Note
    mends: list[Mend]
    #: The items that have run, by name: some plugins run one again.
    ran: set[str]
    expected: int
    #: Whether it has been told that its code did not come to its end.
    is_told = False
    #: Its path, as pytest tells it.
    told = ""

    def collect(self) -> Iterator[pytest.Item]:
        """One item for each block, in their order, then one for each kind of check."""
        vault = _vault(self.path, self.config)
        if not _is_asked(self.path, vault.notes, self.config):
            return
        self.note = vault.notes[self.path]
        if self.config.option.vault_update and not self.config.option.collectonly:
            mends = [check.mend for check in mirrors.check(self.note, vault.root.parent)]
            if any(mends):
                apply(self.note, filter(None, mends))
                self.config.stash[_TALLY]["mirrors rewritten"] += sum(map(bool, mends))
                vault.refresh()
                self.note = vault.notes[self.path]
        self.mends = []
        self.ran = set()
        asked = checks_of(self.note, vault.options, vault.relative(self.path)) | {"form"}
        # Of what nobody asked for there is no item; what is asked for may need it to run.
        blocks = self.note.blocks if "code" in asked else ()
        groups = [group for group in GROUPS if group in asked]
        self.expected = len(blocks) + len(groups)
        names = Counter(_item_name(block) for block in blocks)
        seen: Counter[str] = Counter()
        for index, block in enumerate(blocks):
            name = _item_name(block)
            seen[name] += 1
            # pytest finds `Section[1]` and `Section[2]` when asked for `Section`.
            label = name if names[name] == 1 else f"{name}[{seen[name]}]"
            yield BlockItem.from_parent(self, name=label, index=index)
        for group in groups:
            yield GroupItem.from_parent(self, name=f"({group})", group=group)
        if self.config.option.vault_machines and self.note.blocks:
            yield MachinesItem.from_parent(self, name="(machines)")

    @cached_property
    def runner(self) -> Runner:
        """What inspects the note."""
        return _runner(self.path, self.config)

    @cached_property
    def inspection(self) -> Inspection:
        """What was found in the note."""
        return self.runner.result(self.note)

    def teardown(self) -> None:
        """Write what ``--update`` has gathered; note down what was found, if all of it ran."""
        mends, self.mends = self.mends, []
        if mends:
            apply(self.note, mends)
            self.config.stash[_TALLY]["outputs rewritten"] += len(mends)
        if len(self.ran) == self.expected and self.inspection.whole:
            self.runner.record(self.inspection, Ledger(self.runner.vault))
        self.ran = set()


class _NoteItem(_Item):
    """Some of the checks of a note."""

    parent: NoteFile

    @cached_property
    def location(self) -> tuple[str, int | None, str]:
        """Where it stands; how the path is told, pytest is asked once for all items of a note."""
        if not self.parent.told:
            self.parent.told = super().location[0]
        return self.parent.told, self.line - 1, self.name

    def concerns(self, check: Check) -> bool:
        """Tell whether a check is one of them."""
        raise NotImplementedError

    def runtest(self) -> None:
        """Ask for what was found; fail if any of it is wrong, or nothing could be found."""
        inspection = self.parent.inspection
        found = [check for check in inspection.checks if self.concerns(check)]
        if self.name not in self.parent.ran:
            self.parent.ran.add(self.name)
            self.count(found)
        problems = [check for check in found if check.outcome == FAILS]
        if self.config.option.vault_update:
            outputs = [c for c in problems if c.mend and c.block is not None]
            self.parent.mends += [check.mend for check in outputs if check.mend]
            problems = [check for check in problems if check not in outputs]
        if problems:
            whys = [c.why.split("\n", 1)[0] for c in problems]
            self.parent.is_told |= bool(inspection.ended) and any(
                inspection.ended.endswith(why) for why in whys
            )
            raise CheckError(self.path, [Problem(c.line, c.why) for c in problems], problems)
        if inspection.ended and not found and not self.is_judged:
            # One note that ends early is one failure, and what it leaves unjudged is skipped.
            if self.parent.is_told:
                pytest.skip(inspection.ended)
            self.parent.is_told = True
            raise CheckError(self.path, [Problem(self.line, inspection.ended)])
        if [(check.kind, check.outcome) for check in found] == [("block", EXCEPTED)]:
            pytest.skip(found[0].why)

    @property
    def is_judged(self) -> bool:
        """Whether it is judged also where the code of the note does not come to its end."""
        return False

    def count(self, found: list[Check]) -> None:
        """Add to the totals of the run."""
        tally = self.config.stash[_TALLY]
        for check in found:
            known = _EXCEPTED if check.outcome == EXCEPTED else KINDS
            if check.kind in known:
                tally[known[check.kind]] += 1


class BlockItem(_NoteItem):
    """A block runs, and shows what it shows."""

    def __init__(self, *, index: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.index = index
        self.line = self.parent.note.blocks[index].fence.line

    def concerns(self, check: Check) -> bool:
        """Those of its block."""
        return check.block == self.index


class GroupItem(_NoteItem):
    """Nothing of one kind is wrong with a note."""

    def __init__(self, *, group: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.group = group

    def concerns(self, check: Check) -> bool:
        """Those of its kinds."""
        return check.kind in GROUPS[self.group]

    @property
    def is_judged(self) -> bool:
        """Those of its text, which need no code to run."""
        text_is_whole = self.parent.inspection.text_is_whole
        return text_is_whole and not {*GROUPS[self.group]} - {"form", "link", "mirror"}

    def count(self, found: list[Check]) -> None:
        """Count the note, too."""
        super().count(found)
        if self.group == "form":
            self.config.stash[_TALLY]["notes"] += 1
            self.config.stash[_TALLY]["notes not run again"] += self.parent.inspection.cached


class MachinesItem(_NoteItem):
    """Nothing comes otherwise on another machine."""

    def concerns(self, check: Check) -> bool:  # noqa: ARG002
        """None: they are found in the notes on this machine."""
        return False

    def runtest(self) -> None:
        """Compare what was found with what the machines have found; note down how many did."""
        machines, inspection = _machines(self), self.parent.inspection
        if inspection.ended:
            self.fail_on([Problem(1, inspection.ended)])
        differences = machines.differences(inspection)
        names = [] if differences else [trial.machine.name for trial in machines.tried]
        Ledger(machines.vault).record_machines(self.parent.note, names)
        self.fail_on(Problem(check.line, check.why) for check in differences)


class DrawingFile(pytest.File):
    """A drawing, as a file of tests."""

    def collect(self) -> Iterator[pytest.Item]:
        """One item: the drawing is fresh. Another one: it is so on all machines."""
        if not _is_asked(self.path, self.path.parent.glob("*.svg"), self.config):
            return
        yield DrawingItem.from_parent(self, name="fresh")
        if self.config.option.vault_machines:
            yield DrawingMachinesItem.from_parent(self, name="machines")


class DrawingItem(_Item):
    """A drawing shows the data that the code computes now."""

    def runtest(self) -> None:
        """Compare fingerprints, while notes run; with ``--update`` draw again."""
        for runner in self.config.stash[_RUNNERS].values():
            runner.attend()
        figures = self.config.stash[_FIGURES]
        name = self.path.name
        try:
            if stamp_of(self.path.read_text(encoding="utf-8")) == figures.fingerprint(name):
                return
            if self.config.option.vault_update:
                write_atomically(self.path, figures.render(name))
                self.config.stash[_TALLY]["figures redrawn"] += 1
                return
        except FigureError as error:
            self.fail_on([Problem(1, str(error))])
        self.fail_on([Problem(1, "drawn from data that have changed since; --update redraws it")])


class DrawingMachinesItem(_Item):
    """A drawing shows the same data on another machine."""

    def runtest(self) -> None:
        """Compare the fingerprint with those that the machines have found."""
        machines = _machines(self)
        try:
            here = self.config.stash[_FIGURES].fingerprint(self.path.name)
        except FigureError as error:
            self.fail_on([Problem(1, str(error))])
        if differs := machines.figure_differs(self.path.name, here):
            self.fail_on([Problem(1, differs)])


def _machines(item: MachinesItem | DrawingMachinesItem) -> Machines:
    """Return the machines of a vault, on which all has run that is to be compared."""
    config = item.config
    runner = _runner(item.path, config)
    known = config.stash[_MACHINES]
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
        root = _vault_root(item.path, config)
        items = [i for i in item.session.items if _vault_root(i.path, config) == root]
        machines.run(
            [one.parent.note for one in items if isinstance(one, MachinesItem)],
            [one.path.name for one in items if isinstance(one, DrawingMachinesItem)],
        )
    if not known[runner.vault.root].tried:
        pytest.skip("this machine can be no other")
    return known[runner.vault.root]


def _item_name(block: Block) -> str:
    return block.section.replace("::", ":").replace("[", "(").replace("]", ")")
