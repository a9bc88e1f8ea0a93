"""All tests in two halves at once, of the code and of the pages: ``python tests [--all | --rest]``.

What the halves print comes line by line, each with the name of its half. What a reader must not
miss comes once more at the end.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

HALVES = {
    "code": ["--ignore=tests/site"],
    "pages": ["-p", "no:cacheprovider", "tests/site"],
}
LEFT_OUT = re.compile(r"(\d+) long tests? (?:was|were) left out")


def run(half: str, options: list[str], said: dict[str, list[str]]) -> int:
    """Run a half, print what it says, keep it, and return how it ended."""
    command = [sys.executable, "-m", "pytest", "--quiet", *options, *HALVES[half]]
    process = subprocess.Popen(
        command,
        cwd=Path(__file__).parents[1],
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    )
    assert process.stdout
    for line in process.stdout:
        said[half].append(line.rstrip())
        if not LEFT_OUT.match(line):  # comes at the end, for both
            print(f"{half:5} | {line.rstrip()}", flush=True)
    return process.wait()


def main(options: list[str]) -> int:
    """Run both halves. In CI, what failed is tried again: a busy machine may be at fault."""
    if os.environ.get("CI"):
        options = [*options, "--reruns", "1"]
    if sys.stdout.isatty():
        options = [*options, "--color=yes"]
    said: dict[str, list[str]] = {half: [] for half in HALVES}
    ended: dict[str, int] = {}

    def keep(half: str) -> None:
        ended[half] = run(half, options, said)

    halves = [threading.Thread(target=keep, args=(half,)) for half in HALVES]
    for thread in halves:
        thread.start()
    try:
        for thread in halves:
            thread.join()
    except KeyboardInterrupt:  # both halves have heard it, too, and say how far they came
        for thread in halves:
            thread.join()
        return 130
    lines = [line for half in HALVES for line in said[half]]
    for half, status in ended.items():
        if status:
            print(f"the tests of the {half} did not pass; the lines that begin with {half} say why")
    for line in lines:
        if line.startswith("flaky: "):
            print(line)
    if left := sum(int(found[1]) for line in lines if (found := LEFT_OUT.match(line))):
        print(f"{left} long tests were left out: make test-all runs them")
    return max(ended.values())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
