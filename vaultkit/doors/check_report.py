"""Reports the inspections of notes: rows for a terminal, with the totals, or JUnit XML."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from itertools import groupby, islice
from pathlib import Path
from xml.etree import ElementTree

import click

from vaultkit.checks.check import COMPARISON, EXCEPTED, FAILS, FOUND, HOLDS, UNJUDGED, Check
from vaultkit.english import count_in_words
from vaultkit.pipeline.ledger import KINDS, not_judged
from vaultkit.pipeline.process import Inspection
from vaultkit.pipeline.summary import MOST_OF_A_NOTE, summary, unjudged_rows
from vaultkit.read.vault import Vault

#: A list of line numbers names all of them if there are fewer; else the first ones, two less, so
#: that *and 2 more* is the shortest end.
_TOO_MANY_LINES = 6


def report(
    vault: Vault,
    inspections: Sequence[Inspection],
    asked: Path,
    *,
    verbose: bool = False,
    unjudged: bool = False,
) -> None:
    """Print failures with their note and line, a summary if there are many, and the totals.

    Parameters
    ----------
    vault, inspections
        The vault, and the results of the notes that were checked.
    asked
        The path that the command line names.
    verbose
        Whether to print all failures, however many.
    unjudged
        Whether to print what is not judged, too.
    """
    here = Path.cwd()
    failures: list[tuple[str, Check]] = []
    for inspection in inspections:
        path = inspection.note.path
        name = str(path.relative_to(here) if path.is_relative_to(here) else path)
        failures_of_note = [check for check in inspection.checks if check.outcome == FAILS]
        failures += [(name, check) for check in failures_of_note]
        _print_failures(name, failures_of_note, verbose)
        for row in unjudged_rows([(name, check) for check in inspection.checks if unjudged]):
            click.echo(row)
    command = f"vaultkit check {shlex.quote(str(asked))}"
    for row in summary(failures, f"{command} --update", f"{command} --baseline"):
        click.echo(row)
    notes = count_in_words(len(inspections), "note")
    checks = [check for inspection in inspections for check in inspection.checks]
    click.echo(f"{vault.root.name}: {notes}: {_totals_in_words(checks, unjudged)}")


def _print_failures(name: str, failures: Sequence[Check], verbose: bool) -> None:
    """Print the failures of a note; unless ``verbose``, only the first ones.

    A failure that occurs on many lines is printed once.
    """
    lines_of: dict[str, list[int]] = {}
    for check in failures:
        lines_of.setdefault(check.why, []).append(check.line)
    most = len(lines_of) if verbose else MOST_OF_A_NOTE
    for why, (line, *others) in islice(lines_of.items(), most):
        also = f" (also in {_lines_in_words(others)})" if others else ""
        first, *more = why.split("\n")
        click.echo("\n".join([f"{name}:{line}: {first}{also}", *more]))
    if len(lines_of) > most:
        click.echo(f"{name}: {len(lines_of) - most} more; -v shows them")


def _totals_in_words(checks: Sequence[Check], lists_unjudged: bool) -> str:
    """Return how many checks hold, are excepted, occur, are not judged, and fail.

    A number that occurs on its page need not be the right one, so it is counted apart.

    Examples
    --------
    >>> _totals_in_words([Check("link", 1, "[[A]]", HOLDS), Check("link", 2, "[[B]]", FAILS)], True)
    '1 link holds; 1 wrong'
    """
    outcomes = Counter(check.outcome for check in checks)
    holding = [check for check in checks if check.outcome == HOLDS]
    proven = Counter(check.kind for check in holding if check.scope != FOUND)
    occurring = sum(check.scope == FOUND for check in holding)
    of_kinds = [
        count_in_words(proven[kind], kind, plural) for kind, plural in KINDS.items() if proven[kind]
    ]
    # A form or a mirror that holds has no word in `KINDS`: it is not worth mentioning.
    holds = "holds" if sum(proven[kind] for kind in KINDS) == 1 else "hold"
    checked = [f"{', '.join(of_kinds)} {holds}"] if of_kinds else []
    if outcomes[EXCEPTED]:
        checked.append(f"{outcomes[EXCEPTED]} excepted")
    parts = [", ".join(checked)] if checked else []
    if occurring:
        occur = "number occurs on its page" if occurring == 1 else "numbers occur on their pages"
        parts.append(f"{occurring} {occur}")
    if outcomes[UNJUDGED]:
        comparisons = sum(c.outcome == UNJUDGED and c.kind == COMPARISON for c in checks)
        hint = "" if lists_unjudged else " (--unjudged lists them)"
        parts.append(f"{not_judged(outcomes[UNJUDGED], comparisons)}{hint}")
    wrong = f"{outcomes[FAILS]} wrong" if outcomes[FAILS] else "nothing wrong"
    return f"{'; '.join(parts) or 'nothing to check'}; {wrong}"


def _lines_in_words(numbers: list[int]) -> str:
    """Return line numbers as text; of many, only the first ones.

    >>> _lines_in_words([3]), _lines_in_words([3, 5]), _lines_in_words([1, 2, 3, 4, 5, 6, 7])
    ('line 3', 'lines 3, 5', 'lines 1, 2, 3, 4 and 3 more')
    """
    shown = numbers if len(numbers) < _TOO_MANY_LINES else numbers[: _TOO_MANY_LINES - 2]
    hidden = len(numbers) - len(shown)
    lines = ", ".join(map(str, shown)) + (f" and {hidden} more" if hidden else "")
    return f"{'line' if len(numbers) == 1 else 'lines'} {lines}"


def to_junit(vault: Vault, inspections: Sequence[Inspection]) -> bytes:
    """Return the inspections as JUnit XML: a suite for each note, a case for each kind of check."""
    root = ElementTree.Element("testsuites")
    for inspection in inspections:
        name = vault.relative(inspection.note.path)
        suite = ElementTree.SubElement(root, "testsuite", name=name)
        by_kind = sorted(inspection.checks, key=lambda check: check.kind)
        for kind, checks in groupby(by_kind, key=lambda check: check.kind):
            results = list(checks)
            case = ElementTree.SubElement(suite, "testcase", classname=name, name=kind)
            case.set("time", f"{sum(check.seconds for check in results):.3f}")
            for check in results:
                if check.outcome == FAILS:
                    first_line = check.why.split("\n", 1)[0]
                    failure = ElementTree.SubElement(case, "failure", message=_for_xml(first_line))
                    failure.text = _for_xml(f"{name}:{check.line}: {check.why}")
        failures = sum(case.find("failure") is not None for case in suite)
        suite.set("tests", str(len(suite)))
        suite.set("failures", str(failures))
    data: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return data


def _for_xml(text: str) -> str:
    """Return a text without control characters, which XML cannot hold."""
    return "".join(char for char in text if char.isprintable() or char in "\n\t")
