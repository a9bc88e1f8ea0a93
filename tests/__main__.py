"""All tests in parts at once: ``python tests [--all | --rest]``.

The notes with their snippets, two halves of the engine, the pages in a browser, in two halves where
long tests run. What they print comes line by line, each with the name of its part. What a reader
must not miss comes once more at the end.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

PARTS = {
    "notes": ["--ignore=tests/site", "--ignore=tests/vaultkit", "--ignore=vaultkit"],
    "engine": ["-p", "no:cacheprovider", "--half", "1", "tests/vaultkit", "vaultkit"],
    "other": ["-p", "no:cacheprovider", "--half", "2", "tests/vaultkit", "vaultkit"],
    "pages": ["-p", "no:cacheprovider", "tests/site"],
}
#: The tests of pages with long tests: each half builds the site itself, which takes half a minute.
HALVES = {
    "pages": [*PARTS["pages"], "--half", "1"],
    "visits": [*PARTS["pages"], "--half", "2"],
}
LEFT_OUT = re.compile(r"(\d+) long tests? (?:was|were) left out")


def run(part: str, options: list[str], said: list[str]) -> int:
    """Run a part; print and keep its output; return how it ended."""
    command = [sys.executable, "-m", "pytest", "--quiet", *options]
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
        said.append(line.rstrip())
        if not LEFT_OUT.match(line):  # comes at the end, for all
            print(f"{part:6} | {line.rstrip()}", flush=True)
    return process.wait()


def main(options: list[str]) -> int:
    """Run all parts. In CI, failed tests are repeated, since a busy machine may be the cause."""
    if os.environ.get("CI"):
        options = [*options, "--reruns", "1"]
    if sys.stdout.isatty():
        options = [*options, "--color=yes"]
    parts = {**PARTS, **HALVES} if {"--all", "--rest"} & {*options} else PARTS
    said: dict[str, list[str]] = {part: [] for part in parts}
    ended: dict[str, int] = {}

    def keep(part: str) -> None:
        ended[part] = run(part, [*options, *parts[part]], said[part])

    threads = [threading.Thread(target=keep, args=(part,)) for part in parts]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except KeyboardInterrupt:  # they have heard it, too, and say how far they came
        for thread in threads:
            thread.join()
        return 130
    lines = [line for part in parts for line in said[part]]
    for part, status in ended.items():
        if status:
            print(f"the tests of the {part} did not pass; the lines that begin with {part} say why")
    for line in lines:
        if line.startswith(("flaky: ", "FAILED ", "ERROR ")):
            print(line)
    if left := sum(int(found[1]) for line in lines if (found := LEFT_OUT.match(line))):
        print(f"{left} long tests were left out: make test-all runs everything")
    return max(ended.values())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
