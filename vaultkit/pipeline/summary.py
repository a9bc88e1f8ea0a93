"""The end of a report: what the verdicts mean, what is not judged, and a table of failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from vaultkit.checks.check import UNJUDGED, Check

#: Up to so many failures need no table.
_MOST_WITHOUT_TABLE = 10
#: The number of failures of a note that are printed without ``-v``.
MOST_OF_A_NOTE = 5
#: The number of notes in the table of those with most failures, and the width of an example.
_MOST_NOTES, _WIDTH = 5, 100
#: Printed after the first check of a vault.
VERDICTS = """\
What these words mean (printed once)
  holds       proven: the code gives the output shown, the formula is true of the variables, the
              link leads to its target
  occurs      the number is somewhere on its page, which does not prove that it is the right one
  not judged  neither proven nor contradicted; a failure if the settings say unjudged = "fail"
              or "fail-all"
  comparison  a sentence says larger, falls or the same, without a number or code; a failure
              only with "fail-all"
  wrong       contradicted: the output differs, the formula is false, the link is broken"""


def summary(failures: Iterable[tuple[str, Check]], update: str, baseline: str) -> list[str]:
    """Return a table of the kinds of failures, the notes with most of them, and the next steps.

    Parameters
    ----------
    failures
        The failed checks, each with the path of its note.
    update, baseline
        The commands that rewrite stale outputs, and that except the present failures.

    Returns
    -------
    list[str]
        Its lines; none if there are few failures.

    Examples
    --------
    >>> summary([("A.md", Check("link", 3, "[[X]]", "fails", "no note"))], "u", "b")
    []
    """
    failures = list(failures)
    if len(failures) <= _MOST_WITHOUT_TABLE:
        return []
    kinds = Counter(check.kind for _, check in failures)
    notes = Counter(path for path, _ in failures)
    # Backwards, so that the first failure of each kind stays.
    examples = {
        check.kind: _shortened(f"{Path(path).name}:{check.line}: {check.why.strip()}")
        for path, check in reversed(failures)
    }
    rows = [(kind, str(count), examples[kind]) for kind, count in kinds.most_common()]
    worst = [(str(count), path) for path, count in notes.most_common(_MOST_NOTES)]
    stale = sum(check.fix is not None for _, check in failures)
    next_steps = [
        (f"  {update}", f"rewrites outputs and code that are stale: {stale:,} of these"),
        (f"  {baseline}", "records what fails now; then only new failures count"),
    ]
    many = "1 note" if len(notes) == 1 else f"{len(notes):,} notes"
    return [
        "",
        f"{len(failures):,} failures in {many}",
        "",
        *_table([("kind", "failures", "one of them"), *rows], right=1),
        "",
        *_table([("failures", "the notes with most of them"), *worst], right=0),
        "",
        "What to do next",
        *_table(next_steps if stale else next_steps[1:]),
    ]


def unjudged_rows(found: Iterable[tuple[str, Check]]) -> list[str]:
    """Return a line for each check that is not judged, given with the path of its note.

    >>> unjudged_rows([("A.md", Check("number", 3, "5", "unjudged", "nothing computes 5"))])
    ['A.md:3: not judged: nothing computes 5']
    """
    return [
        f"{path}:{check.line}: not judged: {_first_line(check.why)}"
        for path, check in found
        if check.outcome == UNJUDGED
    ]


def _table(rows: Sequence[tuple[str, ...]], right: int | None = None) -> list[str]:
    """Return rows as aligned text; the column with the index ``right`` is flush right.

    >>> _table([("a", "12"), ("bc", "3")], right=1)
    ['a   12', 'bc   3']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if index == right else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _first_line(text: str) -> str:
    """Return the first line of a text, with single spaces between its words."""
    return " ".join(text.split("\n", 1)[0].split())


def _shortened(text: str) -> str:
    """Return the first line of a text, as wide as a row of the table may be."""
    line = _first_line(text)
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 2]} …"
