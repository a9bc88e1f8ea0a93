"""The state of a pytest session: the vaults named, the runners of their notes, and the totals."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from vaultkit.pipeline.figures import Figures
from vaultkit.pipeline.inspect import Settings
from vaultkit.pipeline.ledger import KINDS, Ledger
from vaultkit.pipeline.machines import Machines
from vaultkit.pipeline.runner import Runner, workers_of
from vaultkit.pipeline.shards import Shard
from vaultkit.read.options import OptionsError
from vaultkit.read.vault import Vault
from vaultkit.render.mathematics import to_mathml
from vaultkit.store import store_beside
from vaultkit.workers.pool import Workers

# The state of a session is in the stash of its `pytest.Config`, under these keys.
#: The folders of vaults that the settings or the command line name.
NAMED = pytest.StashKey[set[Path]]()
#: By their folders, which may be links: the vaults.
VAULTS = pytest.StashKey[dict[Path, Vault]]()
#: The totals, by the names in `CHECKED`, `EXCEPTIONS` and `CHANGES`, and `NOT_JUDGED`.
TALLY = pytest.StashKey[Counter[str]]()
#: By the root of a vault: its runner, its processes, and the machines on which its notes run again.
RUNNERS = pytest.StashKey[dict[Path, Runner]]()
WORKERS = pytest.StashKey[dict[Path, Workers]]()
ON_MACHINES = pytest.StashKey[dict[Path, Machines]]()
FIGURES = pytest.StashKey[Figures]()
#: Whether a vault is checked for the first time.
FIRST = pytest.StashKey[bool]()
#: The files in this machine's share (``--shard``), by their kind and folder (`is_in_shard`).
SHARES = pytest.StashKey[dict[tuple[str, Path], set[Path]]]()
# The names of the totals, in the order of the line that reports them.
CHECKED = ("notes", *KINDS.values())
EXCEPTIONS = {
    "block": "blocks not run",
    "output": "outputs masked",
    "equation": "formulas not run",
    "link": "links to notes not written yet",
    "number": "numbers given",
}
NOT_JUDGED = "not judged"
CHANGES = ("notes not run again", "outputs rewritten", "mirrors rewritten", "figures redrawn")


def named_folders(config: pytest.Config) -> list[Path]:
    """Return the folders of notes that the settings or the command line name."""
    names = config.known_args_namespace.vault or ()
    here = config.invocation_params.dir
    return [*config.getini("vault"), *(Path(os.path.normpath(here / name)) for name in names)]


def vault_root(path: Path, config: pytest.Config) -> Path | None:
    """Return the root of the vault that a file belongs to, if there is one."""
    named = config.stash[NAMED]
    return next((folder for folder in path.parents if folder in named), None)


def vault_of(path: Path, config: pytest.Config) -> Vault:
    """Return the vault that a file belongs to, read once; its first processes start meanwhile."""
    root = vault_root(path, config)
    assert root is not None
    vaults = config.stash[VAULTS]
    if root not in vaults:
        workers = workers_of(root.resolve(), 0 if is_in_process(config) else None)
        config.stash[WORKERS][root.resolve()] = workers
        # With --vault-cached, perhaps no note runs.
        if not (config.option.collectonly or config.option.vault_cached):
            workers.begin()
        return read_vault(root, config)
    return vaults[root]


def read_vault(root: Path, config: pytest.Config) -> Vault:
    """Read a vault, or read it again: it replaces the one in the session."""
    try:
        vault = config.stash[VAULTS][root] = Vault(root, store=store_beside(root.resolve()))
    except OptionsError as error:
        raise pytest.UsageError(str(error)) from error
    return vault


def runner_of(path: Path, config: pytest.Config) -> Runner:
    """Return the runner of the vault that a file belongs to."""
    vault = vault_of(path, config)
    runners = config.stash[RUNNERS]
    if vault.root not in runners:
        timeout = float(config.getini("vault_timeout") or vault.options.timeout)
        trials = config.option.vault_trials or vault.options.trials
        uses_machines = bool(config.option.vault_machines)
        settings = Settings(
            timeout=timeout, typeset=to_mathml, trials=trials, outputs=uses_machines
        )
        config.stash[FIRST] |= not Ledger(vault).stamp.exists()
        # A debugger needs the note to run; other machines are compared with the outputs of a run.
        reuses = config.option.vault_cached and not is_in_process(config) and not uses_machines
        ledger = Ledger(vault) if reuses else None
        workers = config.stash[WORKERS][vault.root]
        runners[vault.root] = Runner(vault, settings, ledger=ledger, workers=workers)
    return runners[vault.root]


def shard_of(config: pytest.Config) -> Shard | None:
    """Return the share of the notes that ``--shard`` names; None for all of them."""
    return Shard.read(config.option.vault_shard) if config.option.vault_shard else None


def is_in_shard(path: Path, files: Iterable[Path], config: pytest.Config) -> bool:
    """Return whether a file is in the share of files that this machine checks (``--shard``).

    Without ``--shard``, every file is. ``files`` are all of its kind: the notes of a vault, or the
    drawings of a folder.
    """
    shard = shard_of(config)
    if shard is None:
        return True
    shares = config.stash[SHARES]
    is_drawing = path.suffix == ".svg"
    key = ("drawings", path.parent) if is_drawing else ("notes", vault_of(path, config).root)
    if key not in shares:
        shares[key] = shard.select(files)
    return path in shares[key]


def is_in_process(config: pytest.Config) -> bool:
    """Return whether notes run in pytest's process: for debuggers and coverage, which need that."""
    has_monitor = hasattr(sys, "monitoring") and any(
        map(sys.monitoring.get_tool, (sys.monitoring.DEBUGGER_ID, sys.monitoring.COVERAGE_ID))
    )
    return bool(
        config.getoption("--vault-in-process")
        or config.getoption("usepdb")
        or config.getoption("trace")
        or sys.gettrace()
        or has_monitor
    )
