"""What checking the notes costs, as a multiple of running their bare code.

``python -m bench`` prints it, with the machine; ``--times N`` says how often each run is made.
The runs alternate, so that what else the machine does meets all of them, and the best of each
counts. It works on a copy of the vault, and leaves what stands here alone.
"""

import argparse
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from vaultkit.read.vault import Vault

ROOT = Path(__file__).parents[1]
COPIED = ("docs", "snippets", "figures", "pyproject.toml")
Cost = tuple[float, float]

#: The note that is edited, and how.
EDITED, EDIT = "docs/Softmax.md", "\nOne more sentence.\n"


def bare(vault: Path) -> Cost:
    """Run the code of all notes, one after the other, in one process that has NumPy."""
    command = [sys.executable, "-m", "bench.bare", str(vault / "docs")]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{vault}"}
    done = subprocess.run(
        command, cwd=vault, env=environment, check=True, capture_output=True, text=True
    )
    wall, processors = map(float, done.stdout.split())
    return wall, processors


def pytest(vault: Path, *options: str) -> Cost:
    """``pytest docs``, from its start to its end."""
    # Not the warning that some MkDocs of this name may bring; nor is a bench a first run.
    unset = ("PYTHONDONTWRITEBYTECODE",)
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    command = [sys.executable, "-m", "pytest", "docs", "-q", *options]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    done = subprocess.run(
        command, cwd=vault, env=environment, check=False, capture_output=True, text=True
    )
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(done.stdout[-3000:] + done.stderr[-3000:])
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def unread(vault: Path) -> Cost:
    """``pytest docs`` where nothing is kept of an earlier run."""
    shutil.rmtree(vault / ".cache", ignore_errors=True)
    return pytest(vault)


def after_an_edit(vault: Path) -> Cost:
    """``pytest docs --vault-cached`` after one note was edited."""
    note = vault / EDITED
    text = note.read_text(encoding="utf-8")
    heading, rest = text.split("\n## ", 1)
    note.write_text(f"{heading}{EDIT}\n## {rest}", encoding="utf-8")
    return pytest(vault, "--vault-cached")


#: What is measured, in this order, and what the first column calls it.
RUNS: dict[str, Callable[[Path], Cost]] = {
    "bare code": bare,
    "pytest docs, first run": unread,
    "pytest docs": pytest,
    "pytest docs --vault-cached, one edit": after_an_edit,
}


def machine() -> str:
    """Name what this runs on."""
    model = platform.processor() or platform.machine()
    known = Path("/proc/cpuinfo")
    if known.exists():
        lines = known.read_text(encoding="utf-8").splitlines()
        model = next((line.split(": ", 1)[1] for line in lines if "model name" in line), model)
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}"
    return f"{model}, {len(os.sched_getaffinity(0))} cores{load}; {platform.system()}, {versions}"


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--times", type=int, default=5, help="how often (5)")
    times = parser.parse_args().times
    print(machine())
    found: dict[str, list[Cost]] = {name: [] for name in RUNS}
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder).resolve() / "vault"
        vault.mkdir()
        for name in COPIED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
            copy(ROOT / name, vault / name)
        notes = Vault(vault / "docs").notes.values()
        print(f"{len(notes)} notes, {sum(len(note.blocks) for note in notes)} blocks", end="; ")
        print(f"the best of {times} runs, as multiples of the first row\n")
        original = (vault / EDITED).read_bytes()
        for turn in range(times):
            for name, run in RUNS.items():
                found[name].append(run(vault))
            (vault / EDITED).write_bytes(original)
            print(f"turn {turn + 1} of {times}", end="\r", file=sys.stderr)
    best = {name: tuple(map(min, zip(*costs, strict=True))) for name, costs in found.items()}
    wall, processors = best["bare code"]
    print(f"{'':37} {'by the clock':>16} {'of processors':>16}")
    for name, cost in best.items():
        clock = f"{cost[0]:6.2f} s {cost[0] / wall:6.2f}"
        print(f"{name:37} {clock:>16} {cost[1]:7.2f} s {cost[1] / processors:6.2f}")


if __name__ == "__main__":
    main()
