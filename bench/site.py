"""What a site of many notes costs, against plain MkDocs with Material in the same run.

``python -m bench.site`` prints it: cold and warm builds, growth, from a save to the page that is
served, the size of a page, and memory, also of Zensical where that is installed (``--zensical``).
The notes are made for it. Where nothing but Markdown is read, their links are ordinary ones, and
all else is the same: the theme, a navigation of a few notes, mathematics, code, tables.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from bench.__main__ import machine

# fmt: off
WORDS = (
    "river", "stone", "window", "paper", "garden", "winter", "letter", "morning", "silver",
    "bridge", "mountain", "harbour", "candle", "forest", "meadow", "thunder", "pepper", "walnut",
    "ribbon", "lantern", "copper", "marble", "velvet", "cotton", "island", "valley", "orchard",
    "hammer", "needle", "button", "basket", "kettle", "saddle", "feather", "pebble", "willow",
)
# fmt: on
_LINK = re.compile(r"\[\[([^]|#]+)(#[^]|]+)?(?:\|([^]]+))?\]\]")
MKDOCS = """site_name: Notes
theme: {{name: material, font: false, features: [navigation.prune]}}
nav: [index.md, {nav}]
plugins: [{plugins}]
"""
PLAIN = """markdown_extensions:
  - attr_list
  - footnotes
  - pymdownx.arithmatex: {generic: true}
  - pymdownx.highlight
  - pymdownx.superfences
  - tables
  - toc: {permalink: true}
"""
#: More notes than this are not served: only growth and memory are measured on them.
MOST_SERVED = 2000
#: The build that all others are compared with, and the build without a cache.
FIRST, COLD = "plain MkDocs + Material", "vaultkit, nothing kept"


@dataclasses.dataclass
class Cost:
    """Seconds by the clock and of processors, and the most megabytes of one process."""

    seconds: float
    processors: float
    megabytes: float


def note(number: int, count: int, chance: random.Random) -> str:
    """Write one note: prose, links, a list, a table, two formulas and a block of code."""

    def prose(length: int) -> str:
        words = " ".join(chance.choice(WORDS) for _ in range(length))
        return f"{words.capitalize()}."

    def link() -> str:
        other = name(chance.randrange(count))
        return chance.choice((f"[[{other}]]", f"[[{other}|{prose(2)}]]", f"[[{other}#Details]]"))

    return "\n\n".join(
        (
            f"---\ntags: [{chance.choice(WORDS)}]\nsummary: {prose(8)}\n---\n# {name(number)}",
            f"{prose(40)} See {link()} and {link()}. {prose(30)}",
            f"## Background\n\n{prose(25)} Here $x_{number} = \\frac{{a}}{{b}}$. {prose(15)}",
            "\n".join(f"- {prose(9)} {link()}" for _ in range(3)),
            f"## Details\n\n$$\n\\sum_{{i=1}}^{{{number}}} i = \\frac{{n (n + 1)}}{{2}}\n$$",
            f"{prose(50)} **{prose(3)}** *{prose(3)}* `{chance.choice(WORDS)}`.",
            f"```python\ntotal = 0\nfor i in range({number}):\n    total += i  # {prose(3)}\n```",
            "| name | value |\n|---|---|\n"
            + "\n".join(f"| {chance.choice(WORDS)} | {chance.random():.3f} |" for _ in range(4)),
            f"## See also\n\n{prose(20)} {link()}\n",
        )
    )


def name(number: int) -> str:
    """Name a note without digits, which a check would ask about."""
    return "Note " + "".join("abcdefghij"[int(digit)] for digit in f"{number:05}")


def make(folder: Path, count: int) -> Path:
    """Write the same notes twice: as a vault, and with ordinary links; return their folder."""
    chance = random.Random(1)
    texts = {name(number): note(number, count, chance) for number in range(count)}
    first = list(texts)[:3]
    texts["index"] = "# Notes\n\n" + "\n".join(f"- [[{title}]]" for title in first) + "\n"

    def ordinary(found: re.Match[str]) -> str:
        target, heading, words = found.groups()
        anchor = (heading or "").lower()
        return f"[{words or target}](<{target}.md{anchor}>)"

    nav = ", ".join(f"{title}.md" for title in first)
    for kind, plugins, more in (("vault", "search, vaultkit", ""), ("plain", "search", PLAIN)):
        docs = folder / kind / "docs"
        docs.mkdir(parents=True)
        settings = MKDOCS.format(nav=nav, plugins=plugins) + more
        (folder / kind / "mkdocs.yml").write_text(settings, encoding="utf-8")
        for title, text in texts.items():
            log = text if kind == "vault" else _LINK.sub(ordinary, text)
            (docs / f"{title}.md").write_text(log, encoding="utf-8")
    return folder


def run(command: Sequence[str], folder: Path) -> Cost:
    """Run a program to its end."""
    began = time.perf_counter()
    with tempfile.TemporaryFile() as log:
        program = subprocess.Popen(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(program.pid, 0)
        wall = time.perf_counter() - began
        program.returncode = os.waitstatus_to_exitcode(status)
        if program.returncode:
            log.seek(0)
            sys.exit(log.read().decode()[-3000:])
    # Linux counts kilobytes, macOS bytes.
    held = used.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    return Cost(wall, used.ru_utime + used.ru_stime, held)


def build(folder: Path) -> Cost:
    """Build a site for publication."""
    return run((sys.executable, "-m", "mkdocs", "build", "--strict"), folder)


def cold(folder: Path) -> Cost:
    """Build a site without anything cached from an earlier build."""
    shutil.rmtree(folder / ".cache", ignore_errors=True)
    shutil.rmtree(folder / "docs" / ".cache", ignore_errors=True)
    return build(folder)


def edited(folder: Path) -> Cost:
    """Build a site again after one note was edited."""
    path = folder / "docs" / f"{name(5)}.md"
    path.write_text(path.read_text(encoding="utf-8") + "\nOne more.\n", encoding="utf-8")
    return build(folder)


def zensical(program: str, folder: Path) -> Cost:
    """Build the notes with ordinary links by MkDocs' successor."""
    shutil.rmtree(folder / ".cache", ignore_errors=True)
    return run((program, "build", "--clean"), folder)


def served(folder: Path, times: int) -> float:
    """Return the time from a save until its page is served, at best."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    path = folder / "docs" / f"{name(7)}.md"
    url = f"http://{address}/{'note-' + path.stem.split()[1]}/"
    command = [sys.executable, "-m", "mkdocs", "serve", "--livereload", "--dirty", "-a", address]
    with (
        tempfile.TemporaryFile() as log,
        subprocess.Popen(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT) as program,
    ):
        try:
            _await(url, "Details")
            seconds = []
            for turn in range(times + 1):
                time.sleep(2)
                mark = f"saved {turn} times"
                began = time.perf_counter()
                with path.open("a", encoding="utf-8") as file:
                    file.write(f"\nThis was {mark}.\n")
                _await(url, mark)
                seconds.append(time.perf_counter() - began)
        finally:
            program.terminate()
    return min(seconds[1:])  # the first one reads for the first time what is kept from then on


def _await(url: str, words: str) -> None:
    for _ in range(60_000):
        try:
            with urllib.request.urlopen(url, timeout=600) as answer:
                if words in answer.read().decode():
                    return
        except OSError:
            pass
        time.sleep(0.01)
    sys.exit(f"never served: {url}")


def page_size(folder: Path) -> float:
    """Return the average number of kilobytes of a page."""
    sizes = [p.stat().st_size for p in (folder / "site").glob("[Nn]ote?*/index.html")]
    return sum(sizes) / len(sizes) / 1000


def row(words: str, *cells: str) -> None:
    """Print a row of measurements."""
    print(f"{words:36}" + "".join(f"{cell:>18}" for cell in cells).rstrip(), flush=True)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.site", description=__doc__)
    parser.add_argument("--times", type=int, default=3, help="how often each (3)")
    parser.add_argument("--notes", type=int, default=1000, help="notes of the first vault (1000)")
    parser.add_argument("--many", type=int, default=5000, help="of the second; 0: none (5000)")
    beside = Path(sys.executable).with_name("zensical")
    known = str(beside) if beside.exists() else shutil.which("zensical")
    parser.add_argument("--zensical", default=known, help="the program, where it is installed")
    parser.add_argument("--plot", type=Path, help="an SVG to draw the growth into")
    given = parser.parse_args()
    os.environ["NO_MKDOCS_2_WARNING"] = "1"
    # Where it is set, an engine that is edited in place is compiled at each start, MkDocs never.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    print(machine())
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary).resolve()
        grown = {}
        for count, times in ((given.notes, given.times), (given.many, 1)):
            if count:
                grown[count] = measure(make(root / str(count), count), count, times, given.zensical)
    if len(grown) == 2:
        few, many = grown.values()
        linear = given.many / given.notes
        print(f"\nFrom {given.notes} to {given.many} notes; {linear:.0f} would be linear:")
        for what in few:
            clock = many[what].seconds / few[what].seconds
            row(what, f"{clock:.2f}", f"{many[what].processors / few[what].processors:.2f}")
    if given.plot:
        given.plot.write_text(plot(grown), encoding="utf-8")


def measure(folder: Path, count: int, times: int, program: str | None) -> dict[str, Cost]:
    """Measure a vault and its ordinary twin, in turns; print and return the best of each."""
    vault, plain = folder / "vault", folder / "plain"
    runs = {
        FIRST: lambda: build(plain),
        COLD: lambda: cold(vault),
        "vaultkit, after one edit": lambda: edited(vault),
    }
    if program:
        runs["Zensical"] = lambda: zensical(program, plain)
    found: dict[str, list[Cost]] = {what: [] for what in runs}
    for _ in range(times):
        for what, measured in runs.items():
            found[what].append(measured())
    best = {}
    for what, costs in found.items():
        columns = zip(*(dataclasses.astuple(cost) for cost in costs), strict=True)
        best[what] = Cost(*map(min, columns))
    first = best[FIRST]
    print(f"\n{count} notes, the best of {times}, load {os.getloadavg()[0]:.1f}:\n")
    row("", "by the clock", "of processors", "memory")
    for what, cost in best.items():
        row(
            what,
            f"{cost.seconds:.2f} s {cost.seconds / first.seconds:6.2f}",
            f"{cost.processors:.2f} s {cost.processors / first.processors:6.2f}",
            f"{cost.megabytes:.0f} MB {cost.megabytes / first.megabytes:6.2f}",
        )
    if count > MOST_SERVED:
        return best
    seconds = served(vault, times)
    row("a save, until its page is served", f"{seconds:.2f} s")
    row("  of a build with nothing kept", f"{seconds / best[COLD].seconds:.2f}")
    row("a page", f"{page_size(vault):.1f} kB")
    row("  without vaultkit", f"{page_size(plain):.1f} kB")
    return best


def plot(grown: dict[int, dict[str, Cost]]) -> str:
    """Draw the seconds of processors of each build over the number of notes, both in decades."""
    counts = sorted(grown)
    costs = [cost.processors for one in grown.values() for cost in one.values()]
    low, high = math.log10(min(costs)) - 0.1, math.log10(max(costs)) + 0.1
    left, right = math.log10(counts[0]), math.log10(counts[-1])

    def at(count: int, seconds: float) -> str:
        x = 60 + 300 * (math.log10(count) - left) / (right - left or 1)
        return f"{x:.1f},{280 - 250 * (math.log10(seconds) - low) / (high - low):.1f}"

    parts = []
    for number, what in enumerate(grown[counts[0]]):
        places = [at(count, grown[count][what].processors) for count in counts]
        x, y = places[-1].split(",")
        parts.append(
            f'<polyline points="{" ".join(places)}" stroke-dasharray="{6 - number} {number}"/>'
            f'<text x="{float(x) + 8}" y="{float(y) + 4}">{what}, '
            f"{grown[counts[-1]][what].processors:.0f} s</text>"
        )
    for count in counts:
        x = at(count, 10**low).split(",")[0]
        parts.append(f'<text x="{x}" y="305" text-anchor="middle">{count} notes</text>')
    for seconds in (1, 3, 10, 30, 100, 300, 1000):
        if low <= math.log10(seconds) <= high:
            y = at(counts[0], seconds).split(",")[1]
            parts.append(f'<text x="50" y="{float(y) + 4}" text-anchor="end">{seconds} s</text>')
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 320" role="img" '
        'aria-label="Seconds of processors that builds take, by the number of notes">'
        "<style>svg{background:#fff;font:13px sans-serif}polyline{fill:none;stroke:#225;"
        f"stroke-width:2}}text{{fill:#223}}</style>{''.join(parts)}</svg>\n"
    )


if __name__ == "__main__":
    main()
