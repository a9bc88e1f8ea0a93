"""Contradicts *from 4.85 to 4.76* by an output ``4.76 -> 4.85``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from vaultkit.claims.mentions import Sentence
from vaultkit.claims.stated import Stated, significant_digits

#: The least digits of a number that hardly agrees with one of an output by chance.
_SURE = 3
_ARROW = re.compile(
    r"(-?\d[\d,]*(?:\.\d+)?)[^\d\n;,]{0,6}(?:[-–=]+>|→)[^\d\n;,]{0,6}?(-?\d[\d,]*(?:\.\d+)?)"
)
_FROM = re.compile(r"\bfrom\s(?:about\s|roughly\s)?$")
_TO = re.compile(r"[^.;:()]{0,12}\sto\s(?:about\s|roughly\s)?")


def arrows(text: str) -> Iterator[tuple[str, str]]:
    """Yield the numbers around each arrow of an output.

    >>> list(arrows("4.76 -> 4.85; plain water -> 12.00"))
    [('4.76', '4.85')]
    """
    for found in _ARROW.finditer(text):
        yield found[1], found[2]


def reversed_arrow(
    sentence: Sentence, known: Sequence[tuple[Fraction, Fraction, int]]
) -> tuple[Stated, str] | None:
    """Return the first number of *from 4.85 to 4.76*, if an output has the reverse."""
    for one, other in pairwise(sentence.numbers):
        before, between = sentence.text[: one.start], sentence.text[one.end : other.start]
        if not _FROM.search(before) or not _TO.fullmatch(between):
            continue
        if (
            significant_digits(one) < _SURE
            or significant_digits(other) < _SURE
            or one.value == other.value
        ):
            continue
        if any(one.agrees(a) and other.agrees(b) for a, b, _ in known):
            continue
        for a, b, line in known:
            if one.agrees(b) and other.agrees(a):
                return one, f"the output at line {line} goes from {float(a):.6g} to {float(b):.6g}"
    return None
