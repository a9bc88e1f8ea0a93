"""Finds numbers that a sentence has exchanged, by the lines of an output that begin with a number.

*At 4 m it is 25.5 % and at 8 m 22.3 %* has the numbers of two lines in the wrong order. *From 4.85
to 4.76* reverses an output ``4.76 -> 4.85``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from vaultkit.claims.attributions import behind, is_apart
from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.mentions import Sentence, stem
from vaultkit.claims.stated import Stated

#: The least digits of a number that hardly agrees with one of an output by chance.
_LEAST, _SURE = 2, 3
_ARROW = re.compile(
    r"(-?\d[\d,]*(?:\.\d+)?)[^\d\n;,]{0,6}(?:[-–=]+>|→)[^\d\n;,]{0,6}?(-?\d[\d,]*(?:\.\d+)?)"
)
_AT = re.compile(r"\b(?:at|for|with|after)\s(?:the\s)?(?:[$]?[A-Za-z]\s=\s)?$")
_FROM = re.compile(r"\bfrom\s(?:about\s|roughly\s)?$")
_TO = re.compile(r"[^.;:()]{0,12}\sto\s(?:about\s|roughly\s)?")


@dataclass(frozen=True)
class Line:
    """A line of an output that begins with a number: the key with its unit, and the others."""

    key: Fraction
    unit: str
    values: tuple[Fraction, ...]
    text: str
    line: int


def exchanged(
    sentence: Sentence, outputs: Sequence[Sequence[Line]]
) -> Iterator[tuple[Stated, str]]:
    """Yield the numbers of a sentence that belong to each other's keys, each with the reason."""
    numbers = [number for number in sentence.numbers if not number.times]
    if len(numbers) < 2 or is_apart(sentence, sentence.text):
        return
    for lines in outputs:
        pairs = _pairs(sentence, numbers, lines)
        wrong = [(line, n) for line, n in pairs if not any(map(n.agrees, line.values))]
        if len(pairs) < 2:
            yield from _elsewhere(sentence, numbers, pairs, wrong, lines)
            continue
        own = {line.key: line for line, _ in pairs}
        # Each wrong number belongs to the key of another wrong one.
        homes = [
            [o.key for o, _ in wrong if o is not line and any(map(n.agrees, o.values))]
            for line, n in wrong
        ]
        if len(wrong) < 2 or len(own) < len(pairs) or any(len(home) != 1 for home in homes):
            continue
        if {home[0] for home in homes} != {line.key for line, _ in wrong}:
            continue
        for line, number in wrong:
            yield number, f"the output at line {line.line} has {line.text}"


def _pairs(
    sentence: Sentence, numbers: Sequence[Stated], lines: Sequence[Line]
) -> list[tuple[Line, Stated]]:
    """Return each key in a sentence with its number, if keys and numbers are in a clear order."""
    keys: list[tuple[Stated, Line]] = []
    values: list[Stated] = []
    order = ""
    for number in numbers:
        line = next((line for line in lines if line.key == number.value), None)
        if line and not number.bounds and _has_unit(sentence, number, line):
            keys.append((number, line))
            order += "k"
        elif _digits(number) >= _LEAST and any(
            any(map(number.agrees, own.values)) for own in lines
        ):
            if number.bounds:
                return []
            values.append(number)
            order += "v"
    count = len(keys)
    if count != len(values) or order not in ("kv" * count, "vk" * count, "k" * count + "v" * count):
        return []
    return [(line, number) for (_, line), number in zip(keys, values, strict=True)]


def _elsewhere(
    sentence: Sentence,
    numbers: Sequence[Stated],
    pairs: Sequence[tuple[Line, Stated]],
    wrong: Sequence[tuple[Line, Stated]],
    lines: Sequence[Line],
) -> Iterator[tuple[Stated, str]]:
    """Yield the only number of a sentence if it is in another line: *7.2 % is found at 4 m*."""
    if len(wrong) != 1 or len(numbers) != len(pairs) * 2:
        return
    ((line, number),) = wrong
    key = next(n for n in numbers if n is not number)
    held = [own for own in lines if any(map(number.agrees, own.values))]
    if len(held) != 1 or key.start < number.start or not line.unit:
        return
    if not _AT.search(sentence.text[: key.start]):
        return
    behind_key = sentence.text[key.end :].strip(" .,;")
    if len(behind_key.split()) <= 1 and line.unit in behind(sentence, key):
        yield number, f"the output at line {line.line} has {line.text}"


def _has_unit(sentence: Sentence, number: Stated, line: Line) -> bool:
    """Return whether a key has the unit of the output, or one of them has none."""
    units = behind(sentence, number)[:1]
    if not line.unit or not units:
        return not line.unit or not number.digits
    lexicon = sentence.lexicon
    return units[0] == line.unit or _name(units[0], lexicon) == _name(line.unit, lexicon)


def _name(unit: str, lexicon: Lexicon) -> str:
    names = lexicon.words["measures"].items()
    return next((name for name, words in names if unit.lower() in words), stem(unit, lexicon))


def _digits(number: Stated) -> int:
    return len(re.sub(r"\D", "", number.digits).strip("0"))


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
        if _digits(one) < _SURE or _digits(other) < _SURE or one.value == other.value:
            continue
        if any(one.agrees(a) and other.agrees(b) for a, b, _ in known):
            continue
        for a, b, line in known:
            if one.agrees(b) and other.agrees(a):
                return one, f"the output at line {line} goes from {float(a):.6g} to {float(b):.6g}"
    return None
