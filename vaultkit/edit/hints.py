"""Hints: verdicts behind equations, failed numbers and outputs, and values behind names in code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from vaultkit.checks.check import EXCEPTED, FAILS, FOUND, HOLDS, UNJUDGED, Check
from vaultkit.checks.evidence import Value
from vaultkit.edit.spans import span_of_check, span_of_formula
from vaultkit.edit.text import Span
from vaultkit.read.note import Note

# In messages of checks: both sides of an equation, the nearest numbers, the worst number.
_SIDES = re.compile(r"\n  left (?P<left>[^\s\[\],]+), right (?P<right>[^\s\[\],;]+)")
_NEAREST = re.compile(r"; nearest (?:are|is) (?P<number>[^\s,]+)")
_WORST = re.compile(r"the worst: (?P<shown>\S+) is really (?P<real>\S+)")
#: A name in backticks.
_INLINE = re.compile(r"(?<!`)`(?P<name>[A-Za-z_]\w*)`(?!`)")
#: The kinds of checks that have a hint if they fail.
_FAILING = {"number", "shape", "sentence", "block"}
#: The outcomes, the one that decides about several checks of a formula first.
_WEAKEST = (FAILS, UNJUDGED, EXCEPTED, HOLDS)
#: Most characters of a value, and how far behind a name the text may state it.
_LONGEST, _NEAR = 12, 40


@dataclass(frozen=True, order=True)
class Hint:
    """Words shown behind a place of a note, and why."""

    line: int
    column: int
    words: str
    why: str = ""


def hints_of_note(
    note: Note, checks: Sequence[Check], values: Mapping[str, Sequence[Value]]
) -> list[Hint]:
    """Return the hints of a note, in the order of its text.

    Parameters
    ----------
    note
        The note.
    checks
        Its checks.
    values
        The values that its blocks have bound to each name, in order.
    """
    hints = [_hint(at, check) for at, check in _deciding_checks(note, checks).items()]
    return sorted([*hints, *_values_of_names(note, values)])


def formula_verdicts(note: Note, checks: Sequence[Check]) -> list[tuple[Span, Hint | None]]:
    """Return the span of each formula of a note, in the order of its text, with its verdict.

    A reader of the rendered page finds a formula by this order.
    """
    decided = _deciding_checks(note, checks)
    spans = sorted(span_of_formula(note, formula) for formula in note.formulas)
    ends = ((span.end_line, span.end_column) for span in spans)
    hints = (_hint(at, decided[at]) if at in decided else None for at in ends)
    return list(zip(spans, hints, strict=True))


def _deciding_checks(note: Note, checks: Sequence[Check]) -> dict[tuple[int, int], Check]:
    """Return the check that decides about the text before each place (line and column).

    Several checks may end there, such as the statements of one formula: the worst decides.
    """
    decided: dict[tuple[int, int], Check] = {}
    for check in checks:
        if check.kind == "equation" or (check.kind in _FAILING and check.outcome == FAILS):
            where = span_of_check(check, note)
            at = where.end_line, where.end_column
            known = decided.get(at, check)
            decided[at] = min(known, check, key=lambda one: _WEAKEST.index(one.outcome))
    return decided


def _hint(at: tuple[int, int], check: Check) -> Hint:
    """Return the verdict of a check as a hint at a place."""
    return Hint(*at, badge(check), check.why or check.sides)


def badge(check: Check) -> str:
    r"""Return a verdict in a word or two.

    >>> badge(Check("equation", 1, "x = 1", scope="general"))
    '✓ general'
    >>> badge(Check("equation", 1, "x = 1", FAILS, "does not hold\n  left 2.7, right 1; …"))
    '✗ 2.7 ≠ 1'
    >>> badge(Check("number", 1, "3.9", FAILS, "nothing computes 3.9; nearest are 3.2, 6.5"))
    '✗ nearest 3.2'
    """
    match check.outcome:
        case "holds":
            scope = "" if check.scope == FOUND else check.scope
            return f"✓ {scope}".strip()
        case "fails":
            if sides := _SIDES.search(check.why) or _WORST.search(check.why):
                return f"✗ {sides[1]} ≠ {sides[2]}"
            nearest = _NEAREST.search(check.why)
            return f"✗ nearest {nearest['number']}" if nearest else "✗"
        case "excepted":
            return "not run"
    return "not judged"


def _values_of_names(note: Note, values: Mapping[str, Sequence[Value]]) -> Iterator[Hint]:
    """Yield the numbers of the variables that are named in the text, unless it states them."""
    code = {line for fence in note.fences for line in range(fence.line, fence.end + 1)}
    for number, row in enumerate(note.lines, 1):
        if number in code or "`" not in row:
            continue
        for match in _INLINE.finditer(row):
            known = values.get(match["name"], ())
            above = [v for v in known if note.blocks[v.block].fence.line <= number]
            for value in above[-1:] or known[:1]:
                with suppress(ValueError):  # it is no number
                    float(value.print)
                    stated = value.print in row[match.end() : match.end() + _NEAR]
                    if len(value.print) <= _LONGEST and not stated:
                        yield Hint(number, match.end() + 1, f"= {value.print}")
