"""What checking costs: of these notes, as a multiple of their bare code, and of many made ones.

``python -m bench`` prints it, with the machine; ``--times N`` says how often each run is made, and
``--many N`` how many notes the made vault has. The runs alternate, so that what else the machine
does meets all of them, and the best of each counts. It works on copies, and leaves what is here
alone.
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
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from vaultkit.read.vault import Vault

ROOT = Path(__file__).parents[1]
COPIED = ("docs", "snippets", "figures", "pyproject.toml")
Cost = tuple[float, float]

EDIT = "\nOne more sentence.\n"
#: Number of blocks in each generated note.
BLOCKS = 5


def bare(vault: Path) -> Cost:
    """Run the code of all notes, one after the other, in one process that has NumPy."""
    command = [sys.executable, "-m", "bench.bare", str(vault / "docs")]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{vault}"}
    done = subprocess.run(
        command, cwd=vault, env=environment, check=True, capture_output=True, text=True
    )
    wall, processors = map(float, done.stdout.split())
    return wall, processors


def pytest(vault: Path, *options: str, tests: str = "docs") -> Cost:
    """``pytest docs``, from its start to its end."""
    # Not the warning that some MkDocs of this name may bring; nor is a bench a first run.
    unset = ("PYTHONDONTWRITEBYTECODE",)
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    command = [sys.executable, "-m", "pytest", tests, "-q", *options]
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
    """Measure ``pytest docs`` without anything cached from an earlier run."""
    shutil.rmtree(vault / ".cache", ignore_errors=True)
    return pytest(vault)


def edited(vault: Path) -> Path:
    """Return the note that is edited: this one, or the first of the generated ones."""
    known = vault / "docs" / "Softmax.md"
    return known if known.exists() else min((vault / "docs").glob("*.md"))


def after_an_edit(vault: Path) -> Cost:
    """Measure ``pytest docs --vault-cached`` after one note was edited."""
    note = edited(vault)
    original = note.read_text(encoding="utf-8")
    heading, rest = original.split("\n## ", 1)
    note.write_text(f"{heading}{EDIT}\n## {rest}", encoding="utf-8")
    cost = pytest(vault, "--vault-cached")
    note.write_text(original, encoding="utf-8")
    return cost


def empty(vault: Path) -> Cost:
    """Measure as many empty tests as the generated vault has blocks."""
    return pytest(vault, tests="test_nothing.py")


def saved(vault: Path) -> Cost:
    """Measure the time from a save to its verdict, with ``vaultkit check --watch``."""
    note = edited(vault)
    original = note.read_text(encoding="utf-8")
    command = [sys.executable, "-u", "-m", "vaultkit", "check", "docs", "--watch"]
    with subprocess.Popen(
        command, cwd=vault, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as program:
        assert program.stdout
        for line in program.stdout:
            if "watching" in line:
                break
        time.sleep(3)  # it is, by then
        before = time.perf_counter()
        note.write_text(original + EDIT, encoding="utf-8")
        for line in program.stdout:
            if line.startswith("docs: "):
                break
        wall = time.perf_counter() - before
        program.kill()
    note.write_text(original, encoding="utf-8")
    return wall, 0.0


def made(folder: Path, count: int) -> None:
    """Generate a vault of many notes, each with a few blocks, numbers and links to others."""
    docs = folder / "docs"
    docs.mkdir(parents=True)
    names = ["Note " + "".join("abcdefghij"[int(d)] for d in f"{n:05}") for n in range(count)]
    for n, name in enumerate(names):
        parts = [f"# {name}\n\nSee [[{names[7 * n % count]}]] and [[{names[n - 1]}#Part 2]].\n"]
        for part in range(BLOCKS):
            mean = (9 + part) / 2 + n
            parts.append(
                f"## Part {part}\n\nThe mean of the numbers is {mean}.\n\n"
                f"```python\nimport numpy as np\n\nx = np.arange({10 + part}.0) + {n}\n"
                f"float(x.mean())\n```\n\n```text\n{mean}\n```\n"
            )
        (docs / f"{name}.md").write_text("\n".join(parts), encoding="utf-8")
    settings = '[tool.pytest.ini_options]\nvault = ["docs"]\n'
    (folder / "pyproject.toml").write_text(settings, encoding="utf-8")
    (folder / "test_nothing.py").write_text(
        "import pytest\n\n\n"
        f'@pytest.mark.parametrize("n", range({count * BLOCKS}))\ndef test_nothing(n): pass\n'
    )


#: The measurements in order, and their names in the first column.
RUNS: dict[str, Callable[[Path], Cost]] = {
    "bare code": bare,
    "pytest docs, first run": unread,
    "pytest docs": pytest,
    "pytest docs --vault-cached, one edit": after_an_edit,
}
MANY: dict[str, Callable[[Path], Cost]] = {
    "as many empty tests": empty,
    "pytest docs": pytest,
    "pytest docs --vault-cached, one edit": after_an_edit,
    "check --watch, from a save to its verdict": saved,
}


def machine() -> str:
    """Return a name of this machine."""
    model = platform.processor() or platform.machine()
    known = Path("/proc/cpuinfo")
    if known.exists():
        lines = known.read_text(encoding="utf-8").splitlines()
        model = next((line.split(": ", 1)[1] for line in lines if "model name" in line), model)
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}"
    return f"{model}, {len(os.sched_getaffinity(0))} cores{load}; {platform.system()}, {versions}"


def table(vault: Path, runs: Mapping[str, Callable[[Path], Cost]], times: int) -> None:
    """Measure, and print what each costs, also as a multiple of the first row."""
    found: dict[str, list[Cost]] = {name: [] for name in runs}
    for turn in range(times):
        for name, run in runs.items():
            found[name].append(run(vault))
        print(f"turn {turn + 1} of {times}", end="\r", file=sys.stderr)
    best = {name: tuple(map(min, zip(*costs, strict=True))) for name, costs in found.items()}
    wall, processors = next(iter(best.values()))
    print(f"\n{'':41} {'by the clock':>16} {'of processors':>16}")
    for name, cost in best.items():
        clock = f"{cost[0]:6.2f} s {cost[0] / wall:6.2f}"
        rest = f"{cost[1]:7.2f} s {cost[1] / processors:6.2f}" if cost[1] else ""
        print(f"{name:41} {clock:>16} {rest:>16}".rstrip())


def main() -> None:
    """Measure, and print two tables."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--times", type=int, default=5, help="how often (5)")
    parser.add_argument("--many", type=int, default=1000, help="notes of the made vault (1000)")
    asked = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder).resolve() / "vault"
        vault.mkdir()
        for name in COPIED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
            copy(ROOT / name, vault / name)
        notes = Vault(vault / "docs").notes.values()
        print(f"The best of {asked.times} runs, as multiples of the first row.")
        print(f"\n{len(notes)} notes, {sum(len(note.blocks) for note in notes)} blocks:")
        table(vault, RUNS, asked.times)
        if asked.many:
            print(f"\n{asked.many} notes, {asked.many * BLOCKS} blocks:")
            many = vault.parent / "many"
            made(many, asked.many)
            table(many, MANY, asked.times)


if __name__ == "__main__":
    main()
