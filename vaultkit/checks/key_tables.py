"""Numbers by their keys, as outputs and variables have them: by names, or by other numbers.

The key of a line of an output is what the code does not write itself at its beginning: *Saturn* in
``Saturn  a = 9.54 AU``; if it writes all words there, the key is the first number: the 15 of
``n = 15  mean 2.25``.
"""

from __future__ import annotations

import ast
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import Any

from vaultkit.checks.literals import is_number
from vaultkit.checks.lookup import exact_fraction, parse_number
from vaultkit.checks.observed import NUMBER_IN_OUTPUT
from vaultkit.checks.printed import is_print_call
from vaultkit.claims.expressions import nodes_of
from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.stated import Stated
from vaultkit.claims.units import unit_of
from vaultkit.run.session import Step

#: Most keys of a list, and most numbers beside each.
MOST, _COLUMNS = 64, 8
#: The shortest name that is found in words; a shorter one must be in the marks of code, or have
#: a sign or digit: *F#*, *E5*.
_NAME = 3
_DATED = re.compile(r"\s*\d{4}-\d\d-(\d\d)\s+([^\W\d_]+)\s*")
#: Around a name or the words of a line: blanks and marks.
_MARKS = " \t:=|-"
_BEHIND = re.compile(r"\s?([^\W\d_]+(?:/[^\W\d_]+)?|%)(?P<rest>.*)", re.DOTALL)
_BREAK = re.compile(r"[,;|)]|\s{2,}|\s*$")
#: What separates the parts of a line: *stay 0.3, switch 0.7*.
_PARTS = re.compile(r"[;|]|,(?!\d)|\s{3,}")

Key = str | Fraction


@dataclass(frozen=True)
class Table:
    """Numbers by their keys.

    Attributes
    ----------
    rows
        The numbers beside each key.
    source
        The output or variable that has them.
    line
        The line of the note where they are known.
    of_days
        Whether the numbers are days of a month.
    kinds
        The unit or noun behind the numbers in the lines of an output, by their places.
    variable
        The name of the variable that has them; empty for an output.
    """

    rows: Mapping[Key, tuple[Fraction, ...]]
    source: str
    line: int
    of_days: bool = False
    kinds: Sequence[str] = ()
    variable: str = ""

    def agrees(self, number: Stated, key: Key) -> bool:
        """Return whether a number is one of those beside a key, perhaps without its sign."""
        return any(number.agrees(value) or number.agrees(abs(value)) for value in self.rows[key])

    def has_shares(self, column: int) -> bool:
        """Return whether no number of a column is larger than 1."""
        return all(abs(row[column]) <= 1 for row in self.rows.values() if len(row) > column)

    @cached_property
    def names(self) -> dict[str, str]:
        """The keys that are names, by their texts in lower case."""
        return {key.lower(): key for key in self.rows if isinstance(key, str)}

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """A pattern that finds these names."""
        return names_pattern(self.names)

    def are_neighbours(self, first: Key, second: Key) -> bool:
        """Return whether two keys are integers in a row, which may be counted from 0 or from 1."""
        return (
            isinstance(first, Fraction)
            and isinstance(second, Fraction)
            and abs(first - second) == 1
        )


def names_pattern(texts: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that finds names, which may begin or end in signs: *C++*."""
    longest_first = sorted(map(re.escape, texts), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])({'|'.join(longest_first)})(?:e?s)?(?![\w-])", re.IGNORECASE)


def text_of(key: Key) -> str:
    """Return a key or number as a message has it."""
    return key if isinstance(key, str) else f"{float(key):.6g}"


def texts_printed(source: str) -> list[str]:
    """Return the texts that code prints itself; none of them is a name."""
    return [
        inner.value
        for node in nodes_of(source)
        if is_print_call(node)
        for inner in ast.walk(node)
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str)
    ]


def rows_of(value: Any) -> dict[Key, tuple[Fraction, ...]]:
    """Return the numbers of a dictionary, or of a list of pairs, by their keys."""
    if isinstance(value, dict):
        pairs = list(islice(value.items(), MOST + 1))
    elif isinstance(value, list | tuple) and 1 < len(value) <= MOST:
        own_pairs = (own for own in value if isinstance(own, tuple) and len(own) > 1)
        pairs = [(own[0], own[1:]) for own in own_pairs if isinstance(own[0], str)]
        if len(pairs) < len(value):
            return {}
    else:
        return {}
    rows: dict[Key, tuple[Fraction, ...]] = {}
    for key, own in pairs:
        items = own if isinstance(own, list | tuple) else [own]
        numbers = [exact_fraction(float(n)) for n in items[:_COLUMNS] if is_number(n)]
        known = _key(key)
        if not numbers or len(numbers) < len(items) or known is None or known in rows:
            return {}
        rows[known] = tuple(numbers)
    return rows


def _key(key: Any) -> Key | None:
    """Return a key as a text may have it."""
    if isinstance(key, str) and key.strip():
        return key.strip()
    return exact_fraction(float(key)) if is_number(key) else None


@dataclass(frozen=True)
class _Row:
    """A line of an output: its form, key and other numbers, and what is behind these."""

    form: str
    key: Key
    numbers: tuple[Fraction, ...]
    kinds: tuple[str, ...]
    line: int


def tables_of_output(
    step: Step, written: Sequence[str], end: int, lexicon: Lexicon
) -> Iterator[Table]:
    """Yield the lists in an output.

    Parameters
    ----------
    step
        The step that prints it.
    written
        The texts in its code.
    end
        The line of the note in which it ends.
    lexicon
        The words of the language of the note.
    """
    alike: dict[str, list[_Row]] = defaultdict(list)
    days: dict[Key, tuple[Fraction, ...]] = {}
    first_day = 0
    for text, line in islice(step.output_lines(), MOST):
        if text.lstrip()[:1] in ("{", "[", "("):
            with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
                if rows := rows_of(ast.literal_eval(text.strip())):
                    yield Table(rows, f"output at line {line}", end)
        elif dated := _DATED.fullmatch(text):
            first_day = first_day or line
            days[dated[2]] = (Fraction(dated[1]), *days.get(dated[2], ()))
        elif table := _table_of_line(text, line, end):
            yield table
        elif row := _row(text, written, line, lexicon):
            alike[row.form].append(row)
    if days:
        yield Table(days, f"output at line {first_day}", end, of_days=True)
    for own in alike.values():
        rows = {row.key: row.numbers for row in own}
        if len(rows) == len(own):
            yield Table(rows, f"output at line {own[0].line}", end, kinds=own[0].kinds)


def _table_of_line(text: str, line: int, end: int) -> Table | None:
    """Return the numbers of a line that has several labels, *stay 0.3, switch 0.7*; else None."""
    parts = labelled_parts(text)
    rows: dict[Key, tuple[Fraction, ...]] = {}
    for part in parts:
        if not part or not part[0]:
            return None
        words, number, _ = part
        value = parse_number(number)
        if not math.isfinite(value) or words in rows:
            return None
        rows[words] = (exact_fraction(value),)
    kinds = tuple({unit for part in parts if part for unit in [part[2]]})
    kind = kinds[0] if len(kinds) == 1 else ""
    return Table(rows, f"output at line {line}", end, kinds=[kind]) if len(rows) > 1 else None


def _row(text: str, written: Sequence[str], line: int, lexicon: Lexicon) -> _Row | None:
    """Return a line of an output with its key; None if it has none."""
    found = list(NUMBER_IN_OUTPUT.finditer(text))
    if not 0 < len(found) <= _COLUMNS:
        return None
    opening = text[: found[0].start()].strip(_MARKS)
    if re.search(r"(?<![^\W\d_])\d|[(\[{]", opening):
        return None
    name = _not_written(opening, written)
    values = (parse_number(own[0]) for own in found)
    numbers = [exact_fraction(value) for value in values if math.isfinite(value)]
    if len(numbers) < max(len(found), 1 if name else 2):
        return None
    # A number may fill the blanks before it.
    form = re.sub(r"\s*#\s*", "#", NUMBER_IN_OUTPUT.sub("#", text[found[0].start() :]))
    kinds = _kinds(text, found, lexicon)
    if name:
        return _Row(f"name {form}", name, tuple(numbers), kinds, line)
    return _Row(f"{opening} {form}", numbers[0], tuple(numbers[1:]), kinds[1:], line)


def _not_written(opening: str, written: Sequence[str]) -> str:
    """Return the name at the beginning of a line, without what the code writes around it.

    >>> openings = "Saturn   a", "the Sun", "n", "Spa"
    >>> [_not_written(text, ["the", " a=", "n ="]) for text in openings]
    ['Saturn', 'Sun', '', 'Spa']
    """
    if opening in "\n".join(written):
        return ""
    for text in sorted((own.strip(_MARKS) for own in written), key=len, reverse=True):
        if text and re.search(rf"\W{re.escape(text)}$", opening):
            opening = opening.removesuffix(text).strip(_MARKS)
        if text and re.match(rf"{re.escape(text)}\W", opening):
            opening = opening.removeprefix(text).strip(_MARKS)
    return opening


def _kinds(text: str, numbers: Sequence[re.Match[str]], lexicon: Lexicon) -> tuple[str, ...]:
    """Return the unit or noun behind each number of a line.

    A word between two numbers may belong to either: it counts if it is a unit, or if a break
    follows.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> line = "16 C: after 7 h, 5 eggs  speed 9 km/h on 3 roads rise 2.29"
    >>> _kinds(line, list(NUMBER_IN_OUTPUT.finditer(line)), lexicon())
    ('C', 'h', 'eggs', 'km/h', '', '')
    """
    ends = [*(number.start() for number in numbers[1:]), len(text)]
    kinds = []
    for number, end in zip(numbers, ends, strict=True):
        behind = _BEHIND.match(text[number.end() : end])
        is_kind = behind and (
            unit_of(behind[1], 0, lexicon) or _BREAK.match(behind["rest"].replace(":", ";"))
        )
        kinds.append(behind[1] if behind and is_kind else "")
    return tuple(kinds)


def _with_breaks(text: str) -> str:
    """Return a line of words and numbers in turn with a break behind each number.

    >>> _with_breaks("mean 3.4 worst case 12"), _with_breaks("12 of 3")
    ('mean 3.4; worst case 12', '12 of 3')
    """
    if not re.fullmatch(r"(?:\s*[A-Za-z]{3}[A-Za-z ]*[ :]\s*[-+]?\d+(?:\.\d+)?){2,}\s*", text):
        return text
    return re.sub(r"(?<=\d)\s+(?=[A-Za-z])", "; ", text)


def labelled_parts(text: str) -> list[tuple[str, str, str] | None]:
    """Split a line into words, number and unit of its parts; None for a part of another form.

    >>> labelled_parts("stay 0.3, switch 0.7 of 1, lost")
    [('stay', '0.3', ''), None, None]
    """
    parts = _PARTS.split(_with_breaks(text))
    items = [_labelled_part(part) for part in parts]
    if items[0] is None and len(items) > 1 and all(item and item[0] for item in items[1:]):
        # *16 lowest 1.86, highest 8.80* begins with a number that has no label.
        items[0] = _labelled_part(re.sub(r"^\s*[-+]?[\d.,]+\s+(?=[^\W\d_])", "", parts[0]))
    return items


def _labelled_part(text: str) -> tuple[str, str, str] | None:
    """Split *never infected 15 people* into words, number and unit; None if it has another form."""
    numbers = list(NUMBER_IN_OUTPUT.finditer(text))
    if len(numbers) != 1:
        return None
    words, unit = text[: numbers[0].start()], text[numbers[0].end() :]
    if re.search(r"[*/^=<>]", words.rstrip(" =:")) or re.match(r"\s?[*/^]", unit):
        return None
    return words.strip(" =:\t-"), numbers[0][0], unit.strip()
