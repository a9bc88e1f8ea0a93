"""Reports the inspections of notes: rows for a terminal, with the totals, or JUnit XML."""

from __future__ import annotations

import shlex
from collections import Counter
from itertools import groupby, islice
from pathlib import Path
from xml.etree import ElementTree

import click

from vaultkit.checks.check import COMPARISON, EXCEPTED, FAILS, FOUND, HOLDS, UNJUDGED, Check
from vaultkit.pipeline.ledger import KINDS, not_judged
from vaultkit.pipeline.process import Inspection
from vaultkit.pipeline.summary import MOST_OF_A_NOTE, summary, unjudged_rows
from vaultkit.read.vault import Vault

#: The inspections of notes.
Found = list[Inspection]

#: From so many lines on, not all are named.
_FEW = 6


def report(
    vault: Vault, found: Found, asked: Path, *, verbose: bool = False, unjudged: bool = False
) -> None:
    """Print failures with their note and line, a table if there are many, and the totals.

    Parameters
    ----------
    vault, found
        The vault, and the results of the notes that were checked.
    asked
        The path that the command line names.
    verbose
        Whether to print all failures, however many.
    unjudged
        Whether to print what is not judged, too.
    """
    here = Path.cwd()
    tally: Counter[str] = Counter()
    failures: list[tuple[str, Check]] = []
    for inspection in found:
        path = inspection.note.path
        shown = path.relative_to(here) if path.is_relative_to(here) else path
        places: dict[str, list[int]] = {}
        for one in inspection.checks:
            occurs = one.outcome == HOLDS and one.scope == FOUND
            tally[FOUND if occurs else f"{one.outcome} {one.kind}"] += 1
            tally[one.outcome] += 1
            if one.outcome == FAILS:
                failures.append((str(shown), one))
                places.setdefault(one.why, []).append(one.line)
        most = len(places) if verbose else MOST_OF_A_NOTE
        for why, (line, *others) in islice(places.items(), most):
            # A failure that occurs on many lines of a note is printed once.
            also = f" (also in {_lines(others)})" if others else ""
            first, *more = why.split("\n")
            click.echo("\n".join([f"{shown}:{line}: {first}{also}", *more]))
        if len(places) > most:
            click.echo(f"{shown}: {len(places) - most} more; -v shows them")
        for row in unjudged_rows([(str(shown), check) for check in inspection.checks if unjudged]):
            click.echo(row)
    command = f"vaultkit check {shlex.quote(str(asked))}"
    for row in summary(failures, f"{command} --update", f"{command} --baseline"):
        click.echo(row)
    held = [
        counted(tally[f"{HOLDS} {kind}"], kind, plural)
        for kind, plural in KINDS.items()
        if tally[f"{HOLDS} {kind}"]
    ]
    occur = "number occurs on its page" if tally[FOUND] == 1 else "numbers occur on their pages"
    lists = "" if unjudged else " (--unjudged lists them)"
    wrong = f"{tally[FAILS]} wrong" if tally[FAILS] else "nothing wrong"
    excepted = [f"{tally[EXCEPTED]} excepted"] if tally[EXCEPTED] else []
    holds = "holds" if sum(tally[f"{HOLDS} {kind}"] for kind in KINDS) == 1 else "hold"
    checked = ", ".join([*([f"{', '.join(held)} {holds}"] if held else []), *excepted])
    words = tally[f"{UNJUDGED} {COMPARISON}"]
    open_ = [
        *([checked] if checked else []),
        *([f"{tally[FOUND]} {occur}"] if tally[FOUND] else []),
        *([f"{not_judged(tally[UNJUDGED], words)}{lists}"] if tally[UNJUDGED] else []),
    ]
    notes = counted(len(found), "note", "notes")
    click.echo(f"{vault.root.name}: {notes}: {'; '.join(open_) or 'nothing to check'}; {wrong}")


def _lines(numbers: list[int]) -> str:
    """Return line numbers as text; of many, only the first ones.

    >>> _lines([3]), _lines([3, 5]), _lines([1, 2, 3, 4, 5, 6, 7])
    ('line 3', 'lines 3, 5', 'lines 1, 2, 3, 4 and 3 more')
    """
    few = numbers if len(numbers) < _FEW else numbers[: _FEW - 2]
    rest = len(numbers) - len(few)
    named = ", ".join(map(str, few)) + (f" and {rest} more" if rest else "")
    return f"{'line' if len(numbers) == 1 else 'lines'} {named}"


def counted(number: int, one: str, many: str) -> str:
    """Return a number with its noun."""
    return f"{number} {one if number == 1 else many}"


def to_junit(vault: Vault, found: Found) -> bytes:
    """Return the inspections as JUnit XML: a suite for each note, a case for each kind of check."""
    root = ElementTree.Element("testsuites")
    for inspection in found:
        name = vault.relative(inspection.note.path)
        suite = ElementTree.SubElement(root, "testsuite", name=name)
        by_kind = sorted(inspection.checks, key=lambda one: one.kind)
        for kind, checks in groupby(by_kind, key=lambda one: one.kind):
            results = list(checks)
            case = ElementTree.SubElement(suite, "testcase", classname=name, name=kind)
            case.set("time", f"{sum(one.seconds for one in results):.3f}")
            for one in results:
                if one.outcome == FAILS:
                    text = f"{name}:{one.line}: {one.why}"
                    failure = ElementTree.SubElement(case, "failure", message=_line(one))
                    # XML cannot hold control characters.
                    failure.text = "".join(c for c in text if c.isprintable() or c in "\n\t")
        failures = sum(case.find("failure") is not None for case in suite)
        suite.set("tests", str(len(suite)))
        suite.set("failures", str(failures))
    data: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return data


def _line(one: Check) -> str:
    first = one.why.split("\n", 1)[0]
    return "".join(char for char in first if char.isprintable())
