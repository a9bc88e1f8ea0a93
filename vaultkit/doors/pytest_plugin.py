"""The door to pytest: an item for each block and each kind of check, and ``--vault-update``.

Without a vault, in the setting ``vault`` or on the command line, it collects nothing.
"""

from __future__ import annotations

import gc
import os
import shlex
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from vaultkit.checks.check import COMPARISON, Check
from vaultkit.doors.pytest_items import (
    BlockItem,
    CheckError,
    DrawingFile,
    DrawingItem,
    DrawingMachinesItem,
    MachinesItem,
    NoteFile,
    NoteFolder,
    NoteItem,
    collect_note,
)
from vaultkit.doors.pytest_session import (
    CHANGES,
    CHECKED,
    EXCEPTIONS,
    FIGURES,
    FIRST,
    NAMED,
    NOT_JUDGED,
    ON_MACHINES,
    RUNNERS,
    SHARES,
    TALLY,
    VAULTS,
    WORKERS,
    is_in_process,
    named_folders,
    shard_of,
    vault_of,
    vault_root,
)
from vaultkit.pipeline.figures import Figures
from vaultkit.pipeline.ledger import Ledger, not_judged
from vaultkit.pipeline.machines import MACHINES
from vaultkit.pipeline.shards import ShardError
from vaultkit.pipeline.summary import VERDICTS, summary, unjudged_rows
from vaultkit.read.discovery import READERS
from vaultkit.store import store_beside


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options and settings. None of them runs code before a vault is named."""
    group = parser.getgroup("vault", "notes whose code runs")
    group.addoption(
        "--vault",
        action="append",
        metavar="FOLDER",
        help="check the notes of this folder, which runs their code; the setting `vault` names "
        "folders that are always checked",
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
        help="do not run a note again whose last run had no failure, unless something has changed "
        "that its results are known to depend on",
    )
    group.addoption(
        "--vault-trials",
        type=int,
        default=0,
        metavar="N",
        help="also judge the equations of the notes on N other sets of numbers",
    )
    group.addoption(
        "--vault-machines",
        type=int,
        nargs="?",
        const=len(MACHINES),
        metavar="N",
        help="run notes and figures again as other machines compute, on the first N that this one "
        "can emulate; a difference is a failure",
    )
    group.addoption(
        "--vault-unjudged",
        action="store_true",
        help="list what is not judged, too: it can neither be proven nor contradicted",
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


@pytest.hookimpl(trylast=True)  # other plugins' options come first
def pytest_load_initial_conftests(early_config: pytest.Config, parser: pytest.Parser) -> None:
    """Add short option names if a vault is named; otherwise they may belong to other plugins."""
    if not named_folders(early_config):
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
        ("--unjudged", {"action": "store_true", "dest": "vault_unjudged"}),
        ("--shard", {"default": "", "dest": "vault_shard", "metavar": "K/N"}),
    )  # fmt: skip
    for name, settings in short:
        _, unknown = parser.parse_known_and_unknown_args([name, "0"])
        if name in unknown:  # no other plugin has it
            group.addoption(name, help=f"the same as --vault-{name[2:]}", **settings)


def pytest_configure(config: pytest.Config) -> None:
    """Create the state of the session."""
    try:
        shard_of(config)
    except ShardError as error:
        raise pytest.UsageError(str(error)) from error
    config.stash[SHARES] = {}
    config.stash[NAMED] = set(named_folders(config))
    config.stash[VAULTS] = {}
    config.stash[TALLY] = Counter()
    config.stash[FIRST] = False
    config.stash[RUNNERS] = {}
    config.stash[WORKERS] = {}
    config.stash[ON_MACHINES] = {}
    if config.option.vault_machines and config.option.vault_update:
        raise pytest.UsageError("--machines compares notes as they are: --update them first")
    in_process = is_in_process(config)
    folders = config.stash[NAMED]
    config.stash[FIGURES] = Figures(
        config.getini("vault_figures"),
        count=0 if in_process else 1,
        # Several vaults share their figures, so any one of their stores will do.
        store=store_beside(min(folders).resolve()) if folders else None,
        reuses=config.option.vault_cached and not in_process,
    )


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Stop all processes; drop from the ledger the notes that no longer exist."""
    for workers in session.config.stash[WORKERS].values():
        workers.close()
    session.config.stash[FIGURES].close()
    for runner in session.config.stash[RUNNERS].values():
        Ledger(runner.vault).prune_deleted()


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a folder of a vault with all its notes, but no folder twice by way of a link."""
    root = vault_root(path / "note", parent.config)
    if root is None or any(part.startswith(".") for part in path.relative_to(root).parts):
        return None
    # Only a symbolic link can lead to a folder that is collected already. The test reads the whole
    # vault, which would slow down runs of other tests.
    if path.is_symlink() and path in vault_of(path / "note", parent.config).notes:
        return collect_note(parent, path)
    return NoteFolder.from_parent(parent, path=path)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> NoteFile | DrawingFile | None:
    """Collect the notes of a vault, and its drawings where code draws them."""
    if file_path.suffix not in (*READERS, ".svg"):
        return None
    root = vault_root(file_path, parent.config)
    if root is None or any(part.startswith(".") for part in file_path.relative_to(root).parts):
        return None
    if file_path.suffix in READERS:
        return collect_note(parent, file_path)
    if parent.config.getini("vault_figures"):
        return DrawingFile.from_parent(parent, path=file_path)
    return None


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Print the totals, what is not judged if that is asked for, and the summary of failures."""
    if config.stash[TALLY]:
        terminalreporter.write_line(_totals(config.stash[TALLY]))
    for machines in config.stash[ON_MACHINES].values():
        for trial in machines.trials:
            terminalreporter.write_line(f"machines: {trial}")
    if config.option.vault_unjudged:
        for row in unjudged_rows(_reported_checks(terminalreporter, "vault_unjudged")):
            terminalreporter.write_line(row)
    if config.stash[FIRST]:
        terminalreporter.write_line(f"\n{VERDICTS}")
    folder = min((os.path.relpath(root) for root in config.stash[NAMED]), default=".")
    vaults = (f"--vault={name}" for name in config.known_args_namespace.vault or ())
    update = shlex.join(["pytest", *vaults, *config.args, "--vault-update"])
    baseline = f"vaultkit check {shlex.quote(folder)} --baseline"
    failures = _reported_checks(terminalreporter, "vault_failures")
    for row in summary(failures, update, baseline):
        terminalreporter.write_line(row)


def _totals(tally: Counter[str]) -> str:
    """Return the line with the numbers of checks; of changes, only those that there are.

    >>> _totals(Counter({"notes": 1, "outputs rewritten": 2}))[:22]
    'vault: 1 note, 0 block'
    """
    checked, excepted, changed = (
        ", ".join(_count(tally[name], name) for name in names)
        for names in (CHECKED, EXCEPTIONS.values(), filter(tally.get, CHANGES))
    )
    parts = [f"vault: {checked}", f"exceptions: {excepted}"]
    if tally[NOT_JUDGED]:
        parts.append(not_judged(tally[NOT_JUDGED], tally[COMPARISON]))
    return "; ".join([*parts, changed] if changed else parts)


def _count(number: int, name: str) -> str:
    """Return a count in words, given a name that begins with a plural.

    >>> _count(1, "blocks not run")
    '1 block not run'
    """
    plural, *rest = name.split()
    return " ".join([str(number), plural.removesuffix("s") if number == 1 else plural, *rest])


def _reported_checks(
    terminalreporter: pytest.TerminalReporter, name: str
) -> list[tuple[str, Check]]:
    """Return the checks in the attribute ``name`` of all reports, each with the path of its note.

    `pytest_runtest_makereport` sets the attributes.
    """
    return [
        (report.nodeid.split("::", 1)[0], Check.from_plain(check))
        for reports in terminalreporter.stats.values()
        for report in reports
        for check in getattr(report, name, ())
    ]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order drawings first: they are checked while the notes run in other processes.

    Items that compare machines come last, when all results are known.
    """
    machines = MachinesItem, DrawingMachinesItem
    items.sort(key=lambda item: (isinstance(item, machines), not isinstance(item, DrawingItem)))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Submit the notes of the session, and the block up to which each has to run.

    If only some blocks of a note are selected, it runs up to the last of these; the checks of a
    group need the whole note.
    """
    drawings = [item.path.name for item in session.items if isinstance(item, DrawingItem)]
    session.config.stash[FIGURES].submit(drawings)
    #: The number of blocks of each note that have to run.
    counts: dict[NoteFile, int] = {}
    for item in session.items:
        if isinstance(item, NoteItem):
            file = item.parent
            of_item = item.index + 1 if isinstance(item, BlockItem) else len(file.note.blocks)
            counts[file] = max(of_item, counts.get(file, 0))
    for file, count in counts.items():
        file.runner.submit([(file.note, count if count < len(file.note.blocks) else None)])
    if counts:
        # All that was read and collected stays in memory; collecting garbage among it takes longer
        # than some of the checks.
        gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Report an item of a note without pytest's three phases (set up, call, tear down): faster.

    It has no fixtures, and nothing runs here whose output could be captured: the note runs in a
    process of its own. The last item of each note takes pytest's way, which tears the note down.
    """
    if not isinstance(item, NoteItem) or nextitem is None or nextitem.parent is not item.parent:
        return None
    option = item.config.option
    if option.vault_update or option.setupshow or is_in_process(item.config):
        return None
    hook = item.ihook
    hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    ends_of_session = (pytest.exit.Exception, KeyboardInterrupt)
    # Other plugins start an item when they receive its setup report.
    setup = pytest.CallInfo.from_call(lambda: None, "setup")
    hook.pytest_runtest_makereport(item=item, call=setup)
    call = pytest.CallInfo.from_call(item.runtest, "call", reraise=ends_of_session)
    report = hook.pytest_runtest_makereport(item=item, call=call)
    hook.pytest_runtest_logreport(report=report)
    if report.failed:
        hook.pytest_exception_interact(node=item, call=call, report=report)
    hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """Add the checks to a report as plain data: with xdist, another process summarises them."""
    report = yield
    if isinstance(item, NoteItem) and call.when == "call":
        report.vault_unjudged = [check.plain() for check in item.unjudged]
    error = call.excinfo.value if call.excinfo else None
    if isinstance(error, CheckError):
        report.vault_failures = [check.plain() for check in error.checks]
    return report
