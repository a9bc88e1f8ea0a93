"""Finds a number whose unit is not that of an output or a comment: *37 mA* for ``37 uA``.

A unit is known behind a number of an output, and in a comment behind an assignment:
``volume = 50  # L``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from vaultkit.checks.lookup import exact_fraction, parse_number
from vaultkit.claims.attributions import words_behind
from vaultkit.claims.mentions import Sentence
from vaultkit.claims.stated import Stated, significant_digits
from vaultkit.claims.units import size_of
from vaultkit.read.note import Block

#: The least number of digits that hardly agree by chance, and of those that need more evidence.
_SURE, _LEAST = 3, 2
_NUMBER = r"-?\d[\d_]*(?:\.\d+)?(?:e-?\d+)?"
_ASSIGNED = re.compile(
    rf"^[ \t]*\w+(?:,\s*\w+)*\s*=\s*(?P<values>{_NUMBER}(?:,\s*{_NUMBER})*)\s*#\s*(?P<units>.+)$",
    re.MULTILINE,
)
_COMMENT = re.compile(r"(?:\w+\s)?(?:in\s)?(?P<unit>[^\W\d]+(?:/[^\W\d]+)?)")


@dataclass(frozen=True)
class Measure:
    """A number with a unit, as an output or the code has it, and where."""

    value: Fraction
    unit: str
    source: str
    #: Whether the code has it.
    is_literal: bool = False


def measures_in_comments(block: Block) -> Iterator[Measure]:
    """Yield the numbers of a block whose units are in a comment behind them.

    Several numbers need as many units, all separated by commas: ``x, y = 3, 4  # m, s``.
    """
    for found in _ASSIGNED.finditer(block.fence.text):
        values = [exact_fraction(float(own)) for own in found["values"].replace("_", "").split(",")]
        units = [part.strip() for part in found["units"].split(",")]
        if len(units) != len(values):
            continue
        line = block.fence.line + block.fence.text[: found.start()].count("\n") + 1
        for value, unit in zip(values, units, strict=True):
            if own := _COMMENT.fullmatch(unit):
                yield Measure(value, own["unit"], f"the code at line {line}", is_literal=True)


def measure_in_other_unit(
    sentence: Sentence,
    number: Stated,
    known: Sequence[Measure],
    bare: Iterable[Fraction],
    elsewhere: Iterable[tuple[Fraction, str]],
) -> str:
    """Return the number of ``known`` that a sentence has with another unit; empty if in doubt.

    Parameters
    ----------
    sentence, number
        The number in its sentence.
    known
        The numbers with a unit.
    bare
        The numbers of the page without a unit.
    elsewhere
        The other numbers of the text with their units.
    """
    units, lexicon = words_behind(sentence, number)[:1], sentence.lexicon
    size = size_of(units[0], lexicon) if units else None
    if re.search(rf"\b{lexicon.pattern('roles', 'far')}\b", sentence.text):
        return ""  # another length
    if size is None or not number.digits or len(re.sub(r"\D", "", number.digits)) < _LEAST:
        return ""
    half = Fraction(1, 2 * 10 ** len(number.digits.partition(".")[2]))
    own = exact_fraction(parse_number(number.digits))

    def fits(value: Fraction, scale: Fraction = Fraction(1)) -> bool:
        return bool(value) and abs(abs(value) / scale - own) <= half

    same = [(m, size_of(m.unit, lexicon)) for m in known]
    alike = [(m, other[1]) for m, other in same if other and other[0] == size[0]]
    if any(fits(m.value * scale, size[1]) for m, scale in alike):
        return ""
    wrong = [m for m, scale in alike if scale != size[1] and fits(m.value)]
    if not wrong:
        return ""
    shown = wrong[0]
    for value in bare:
        is_other = value != shown.value if shown.is_literal else not _rounds(value, shown.value)
        if (size[1] != 1 and fits(value, size[1])) or (fits(value) and is_other):
            return ""
    if significant_digits(number) < _SURE and any(
        v == own and u == shown.unit for v, u in elsewhere
    ):
        return ""
    return f"{shown.source} has {float(shown.value):.6g} {shown.unit}"


def _rounds(value: Fraction, shown: Fraction) -> bool:
    """Return whether a value may be shown as another number."""
    return abs(abs(value) - abs(shown)) <= max(abs(shown) / 200, Fraction(1, 10**9))
