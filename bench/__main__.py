"""What checking the notes costs, as a multiple of running their bare code."""

import contextlib
import io
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from vaultkit.inspect import Settings, inspect
from vaultkit.read.vault import Vault
from vaultkit.site.mathematics import to_mathml

ROOT = Path(__file__).parents[1]
VAULT = Vault(ROOT / "docs")


def bare() -> None:
    """Run the code of every note, and nothing else: what no checker can undercut."""
    for note in VAULT.notes.values():
        names = {"__name__": "__main__"}
        for block in note.blocks:
            expected = Exception if "raises" in block.fence.options else ()
            if block.kind == "python" and "no-run" not in block.fence.options:
                with contextlib.suppress(expected):
                    exec(block.fence.text, names)


def inspected() -> None:
    """Run every note, keep its outputs, judge its equations and numbers, check its text."""
    vault = Vault(VAULT.root)
    for note in vault.notes.values():
        list(inspect(note, vault, Settings(typeset=to_mathml)))


def pytest() -> None:
    """Check the notes as their writers do."""
    command = [sys.executable, "-m", "pytest", "docs", "-q", "-p", "no:cacheprovider"]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)


def seconds(what: Callable[[], None], times: int = 5) -> float:
    """Return the median time of a few runs, after one that does not count."""
    found = []
    for _ in range(times + 1):
        began = time.perf_counter()
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            what()
        found.append(time.perf_counter() - began)
    return statistics.median(found[1:])


if __name__ == "__main__":
    blocks = sum(len(note.blocks) for note in VAULT.notes.values())
    print(f"{len(VAULT.notes)} notes, {blocks} blocks; bare code is 1")
    limit = seconds(bare)
    for task in (inspected, pytest):
        print(f"{task.__name__:7} {seconds(task) / limit:5.1f}  {task.__doc__}")
