"""Files of cases: inputs, each with the outcome that a test expects.

A file is plain text, so that a changed outcome is a changed line of a diff::

    # A comment.
    > 1 + 1
      2
    > 3
    > 1 + 2
      3

A line with ``> `` is an input, and lines with ``: `` continue it. The lines below it, indented by
two spaces, are its outcome; inputs without lines between share one. In an outcome, ``…`` stands for
any text of a line: for what differs from machine to machine. ``#`` begins a comment; empty lines
count for nothing.

Lines with ``| `` are a text for all inputs below them, as far as the next such lines: each input is
appended to it, or replaces the ``{}`` in it::

    | x = 2
    > x + 1
      3
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

#: The type of a function that computes the outcome of an input, as lines.
Outcome = Callable[[str], list[str]]


@dataclass
class Case:
    """An input with its outcome, as in a file."""

    line: int  #: the line of the input, from 1 on
    group: int  #: the same number for inputs that share their outcome
    above: list[str]  #: the comments and empty lines above the input
    input: str
    outcome: list[str]
    around: str = ""  #: the text that the input is appended to, or that holds its place as ``{}``
    section: str = ""  #: the words of the last comment above that begins with ``# ---``

    @property
    def whole(self) -> str:
        """The input with the text around it."""
        if "{}" in self.around:
            return self.around.replace("{}", self.input)
        return self.around + self.input

    def agrees(self, found: list[str]) -> bool:
        """Compare the outcome with the one found; ``…`` agrees with any text."""
        pattern = "\n".join(self.outcome)
        parts = map(re.escape, pattern.split("…"))
        return re.fullmatch(".*".join(parts), "\n".join(found)) is not None


def read(text: str) -> tuple[list[Case], list[str]]:
    """Read the text of a file.

    Returns
    -------
    cases
        The cases, in their order.
    below
        The comments and empty lines below the last of them.

    Raises
    ------
    ValueError
        If a line is none of those that a file may hold.

    Examples
    --------
    >>> cases, _ = read("> 3\\n> 1 + 2\\n  3\\n")
    >>> [(case.line, case.input, case.outcome) for case in cases]
    [(1, '3', ['3']), (2, '1 + 2', ['3'])]

    """
    cases: list[Case] = []
    above: list[str] = []
    outcome: list[str] | None = None
    group = 0
    around = section = ""
    for number, line in enumerate(text.split("\n")[:-1], 1):
        mark, rest = line[:2].rstrip(), line[2:]
        if mark == ">":
            if outcome is None or outcome:  # else it shares that of the input above
                outcome, group = [], group + 1
            cases.append(Case(number, group, above, rest, outcome, around, section))
            above = []
        elif mark == ":" and outcome == [] and not above:
            cases[-1].input += f"\n{rest}"
        elif mark == "|":
            around = f"{around if above and above[-1].startswith('|') else ''}{rest}\n"
            above.append(line)
        elif line.startswith("  ") and outcome is not None and not above:
            outcome.append(line[2:])
        elif not line or line.startswith("#"):
            above.append(line)
            section = line.removeprefix("# --- ").rstrip("- ") if "# ---" in line else section
        else:
            raise ValueError(f"line {number} is no input, outcome or comment: {line}")
    return cases, above


def write(cases: list[Case], below: list[str]) -> str:
    """Write cases as the text of a file; neighbours of one group with one outcome share it."""
    lines: list[str] = []
    for _, shared in groupby(cases, key=lambda case: (case.group, case.outcome)):
        for case in shared:
            marks = [">", *":" * case.input.count("\n")]
            text = zip(marks, case.input.split("\n"), strict=True)
            lines += [*case.above, *(f"{mark} {line}" if line else mark for mark, line in text)]
        lines += [f"  {line}" for line in case.outcome]
    return "".join(f"{line}\n" for line in lines + below)


def sections(path: Path) -> list[str]:
    """Return the sections of a file that hold cases."""
    return list(dict.fromkeys(case.section for case in read(path.read_text("utf-8"))[0]))


def failures(path: Path, outcome: Outcome, section: str | None = None) -> Iterator[str]:
    """Describe each case of a file, or of a section, whose outcome is not the one found."""
    for case in read(path.read_text("utf-8"))[0]:
        if section not in (None, case.section):
            continue
        found = outcome(case.whole)
        if not case.agrees(found):
            yield "\n".join(
                [
                    f"{path}:{case.line}: {case.input}",
                    *(f"  - {line}" for line in case.outcome),
                    *(f"  + {line}" for line in found),
                ]
            )


def update(path: Path, outcome: Outcome) -> int:
    """Rewrite the outcomes of a file that are not those found, and return their number."""
    cases, below = read(path.read_text("utf-8"))
    changed = 0
    for case in cases:
        found = outcome(case.whole)
        if not case.agrees(found):
            case.outcome = found
            changed += 1
    if changed:
        path.write_text(write(cases, below), "utf-8")
    return changed
