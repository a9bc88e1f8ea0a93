"""Numbers by their keys, as outputs and variables have them: by names, or by other numbers.

The key of a line of an output is what the code does not write itself at its beginning: *Saturn* in
``Saturn  a = 9.54 AU``; if it writes all words there, the key is the first number: the 15 of
``n = 15  mean 2.25``.
"""

from __future__ import annotations

import ast
import calendar
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

from vaultkit.checks.literals import is_number
from vaultkit.checks.lookup import exact_fraction, parse_number
from vaultkit.checks.observed import NUMBER_IN_OUTPUT
from vaultkit.checks.printed import is_print_call
from vaultkit.claims.expressions import nodes_of
from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.stated import Stated
from vaultkit.claims.units import unit_of
from vaultkit.run.steps import Step

#: Most keys of a table, and most numbers beside each.
MOST, _COLUMNS = 64, 8
#: A line with a date and a name: ``2025-06-08 Pentecost``.
_DATED = re.compile(r"\s*\d{4}-\d\d-(?P<day>\d\d)\s+(?P<name>[^\W\d_]+)\s*")
#: Around a name or the words of a line: blanks and marks.
_MARKS = " \t:=|-"
#: The word behind a number, *eggs*, *km/h*, and the text behind this word.
_BEHIND = re.compile(r"\s?(?P<word>[^\W\d_]+(?:/[^\W\d_]+)?|%)(?P<rest>.*)", re.DOTALL)
#: The end of what belongs to a number.
_BREAK = re.compile(r"[,;|)]|\s{2,}|\s*$")
#: What separates the parts of a line: *stay 0.3, switch 0.7*.
_PARTS = re.compile(r"[;|]|,(?!\d)|\s{3,}")

#: The names of months and days by their short forms.
_DATES = {full[:3].lower(): full.lower() for full in (*calendar.month_name[1:], *calendar.day_name)}

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
        """Return whether no number of a column (its index in the rows) is larger than 1."""
        return all(abs(row[column]) <= 1 for row in self.rows.values() if len(row) > column)

    @cached_property
    def names(self) -> dict[str, str]:
        """The keys that are names, by their texts in lower case: *jul* and also *july* for Jul."""
        names = {key.lower(): key for key in self.rows if isinstance(key, str)}
        return {_DATES[name]: key for name, key in names.items() if name in _DATES} | names

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """A pattern that finds these names."""
        return names_pattern(self.names)


def are_neighbours(first: Key, second: Key) -> bool:
    """Return whether two keys are numbers one apart, of which the text may count from 0 or 1."""
    return isinstance(first, Fraction) and isinstance(second, Fraction) and abs(first - second) == 1


def names_pattern(names: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that finds names and their plurals, also with signs at an end: *C++*.

    >>> names_pattern(["oak", "C++"]).findall("Oaks, C++ and soaked oak-apples")
    ['Oak', 'C++']
    """
    longest_first = sorted(map(re.escape, names), key=len, reverse=True)
    alternatives = "|".join(longest_first)
    return re.compile(rf"(?<![\w-])(?P<name>{alternatives})(?:e?s)?(?![\w-])", re.IGNORECASE)


def text_of(key: Key) -> str:
    """Return a key or number as a message has it."""
    return key if isinstance(key, str) else f"{float(key):.6g}"


def texts_printed(source: str) -> list[str]:
    """Return the texts that code writes in its prints; words of an output in them are no keys.

    A text that is an index, the argument of a function or the format of a number is not printed;
    the arguments of a method of a text are.

    >>> code = 'print("a", x["b"], f("c"), f"{d:e} g", "h".join(f"i{j}" for j in k) + "l")'
    >>> sorted(texts_printed(code))
    [' g', 'a', 'h', 'i', 'l']
    """
    texts: list[str] = []
    parts: list[ast.AST] = []
    for node in nodes_of(source):
        if is_print_call(node):
            parts += (*node.args, *node.keywords)
    while parts:
        match parts.pop():
            case ast.Constant(str(text)):
                texts.append(text)
            case ast.Subscript(part) | ast.FormattedValue(part):
                parts.append(part)
            case ast.Call(ast.Attribute(ast.Constant() | ast.JoinedStr())) as call:
                parts += ast.iter_child_nodes(call)
            case ast.Call():
                pass
            case part:
                parts += ast.iter_child_nodes(part)
    return texts


def rows_of(value: Any) -> dict[Key, tuple[Fraction, ...]]:
    """Return the numbers of a dictionary, or of a list of tuples that begin with a text, by keys.

    Return nothing for any other value: if a key occurs twice, or is neither text nor number, or if
    a row has something else than numbers, or too many of them.

    >>> rows_of([("Oak", 3, 0.5), ("Elm", 4, 0.25)])["Elm"], rows_of({"Oak": "3"})
    ((Fraction(4, 1), Fraction(1, 4)), {})
    """
    if isinstance(value, dict):
        pairs = list(islice(value.items(), MOST + 1))  # one too many shows that it is too long
    elif isinstance(value, list | tuple) and 1 < len(value) <= MOST:
        tuples = (item for item in value if isinstance(item, tuple) and len(item) > 1)
        pairs = [(item[0], item[1:]) for item in tuples if isinstance(item[0], str)]
        if len(pairs) < len(value):
            return {}
    else:
        return {}
    rows: dict[Key, tuple[Fraction, ...]] = {}
    for raw_key, row in pairs:
        items = row if isinstance(row, list | tuple) else [row]
        numbers = [exact_fraction(float(n)) for n in items[:_COLUMNS] if is_number(n)]
        key = _as_key(raw_key)
        if not numbers or len(numbers) < len(items) or key is None or key in rows:
            return {}
        rows[key] = tuple(numbers)
    return rows


def _as_key(key: Any) -> Key | None:
    """Return a key of a dictionary as a `Key`; None if it is neither text nor number."""
    if isinstance(key, str) and key.strip():
        return key.strip()
    return exact_fraction(float(key)) if is_number(key) else None


@dataclass(frozen=True)
class _Row:
    """A line of an output with its key.

    Attributes
    ----------
    form
        The line with ``#`` in place of its numbers. Lines of the same form are a table.
    key
        Its key.
    numbers
        Its other numbers.
    kinds
        The unit or noun behind each of these.
    line
        Its line in the note.
    """

    form: str
    key: Key
    numbers: tuple[Fraction, ...]
    kinds: tuple[str, ...]
    line: int


class LabelledPart(NamedTuple):
    """A part of a line, *never infected 15 people*: the words before its number, and its unit."""

    words: str
    number: str
    unit: str


def tables_of_output(
    step: Step, written: Sequence[str], end: int, lexicon: Lexicon
) -> Iterator[Table]:
    """Yield the tables in an output.

    A line is a table if it is a literal, ``{'Oak': 3, 'Elm': 4}``, or has several labels, *stay
    0.3, switch 0.7*, of which no other line has one; all lines with dates are a table of days; and
    lines of the same form are a table, unless two of them have the same key.

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
    rows_by_form: dict[str, list[_Row]] = defaultdict(list)
    days: dict[Key, tuple[Fraction, ...]] = {}
    first_day_line = 0
    lines = list(islice(step.output_lines(), MOST))
    labels = Counter(part.words for text, _ in lines for part in labelled_parts(text) if part)
    for text, line in lines:
        if text.lstrip()[:1] in ("{", "[", "("):
            with suppress(ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                if rows := rows_of(ast.literal_eval(text.strip())):
                    yield Table(rows, f"output at line {line}", end)
        elif dated := _DATED.fullmatch(text):
            first_day_line = first_day_line or line
            days[dated["name"]] = (Fraction(dated["day"]), *days.get(dated["name"], ()))
        elif (table := _table_of_line(text, line, end)) and all(
            labels[k] == 1 for k in table.names.values()
        ):
            yield table
        elif row := _row(text, written, line, lexicon):
            rows_by_form[row.form].append(row)
    if days:
        yield Table(days, f"output at line {first_day_line}", end, of_days=True)
    for alike in rows_by_form.values():
        rows = {row.key: row.numbers for row in alike}
        if len(rows) == len(alike):
            yield Table(rows, f"output at line {alike[0].line}", end, kinds=alike[0].kinds)


def _table_of_line(text: str, line: int, end: int) -> Table | None:
    """Return the table of a line with several labels, *stay 0.3, switch 0.7*; else None.

    All of its parts must have a label, each another one.
    """
    rows: dict[Key, tuple[Fraction, ...]] = {}
    units = set()
    for part in labelled_parts(text):
        if not part or not part.words or part.words in rows:
            return None
        value = parse_number(part.number)
        if not math.isfinite(value):
            return None
        rows[part.words] = (exact_fraction(value),)
        units.add(part.unit)
    kind = units.pop() if len(units) == 1 else ""
    return Table(rows, f"output at line {line}", end, kinds=[kind]) if len(rows) > 1 else None


def _row(text: str, written: Sequence[str], line: int, lexicon: Lexicon) -> _Row | None:
    """Return a line of an output with its key, a name or else its first number; or None.

    ``written`` are the texts in the code that prints it.
    """
    matches = list(NUMBER_IN_OUTPUT.finditer(text))
    if not 0 < len(matches) <= _COLUMNS:
        return None
    opening = text[: matches[0].start()].strip(_MARKS)
    # `x_2` and `v.2` are no keys, and a bracket begins a list.
    if re.search(r"(?<![^\W\d_])\d|[(\[{]", opening):
        return None
    values = [parse_number(match[0]) for match in matches]
    if not all(map(math.isfinite, values)):
        return None
    numbers = tuple(map(exact_fraction, values))
    # A number may fill the blanks before it.
    form = re.sub(r"\s*#\s*", "#", NUMBER_IN_OUTPUT.sub("#", text[matches[0].start() :]))
    kinds = _kinds(text, matches, lexicon)
    if name := _not_written(opening, written):
        return _Row(f"name {form}", name, numbers, kinds, line)
    if len(numbers) == 1:
        return None
    return _Row(f"{opening} {form}", numbers[0], numbers[1:], kinds[1:], line)


def _not_written(opening: str, written: Sequence[str]) -> str:
    """Return the name at the beginning of a line, without what the code writes around it.

    Empty if the code writes all of it.

    >>> openings = "Saturn   a", "the Sun", "n", "Spa"
    >>> [_not_written(text, ["the", " a=", "n ="]) for text in openings]
    ['Saturn', 'Sun', '', 'Spa']
    """
    if opening in "\n".join(written):
        return ""
    for text in sorted((text.strip(_MARKS) for text in written), key=len, reverse=True):
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
            unit_of(behind["word"], 0, lexicon)
            or _BREAK.match(behind["rest"].replace(":", ";"))  # *3 roads: …*
        )
        kinds.append(behind["word"] if behind and is_kind else "")
    return tuple(kinds)


def _with_breaks(text: str) -> str:
    """Return a line of words and numbers in turn with a break behind each number; others as is.

    >>> _with_breaks("mean 3.4 worst case 12"), _with_breaks("12 of 3")
    ('mean 3.4; worst case 12', '12 of 3')
    """
    if not re.fullmatch(r"(?:\s*[A-Za-z]{3}[A-Za-z ]*[ :]\s*[-+]?\d+(?:\.\d+)?){2,}\s*", text):
        return text
    return re.sub(r"(?<=\d)\s+(?=[A-Za-z])", "; ", text)


def labelled_parts(text: str) -> list[LabelledPart | None]:
    """Split a line into its parts; None for a part without a number, with several, or a formula.

    >>> [part and tuple(part) for part in labelled_parts("stay 0.3 %, switch 0.7 of 1, lost")]
    [('stay', '0.3', '%'), None, None]
    """
    texts = _PARTS.split(_with_breaks(text))
    first, *others = map(_labelled_part, texts)
    if first is None and others and all(part and part.words for part in others):
        # *16 lowest 1.86, highest 8.80* begins with a number that has no label.
        first = _labelled_part(re.sub(r"^\s*[-+]?[\d.,]+\s+(?=[^\W\d_])", "", texts[0]))
    return [first, *others]


def _labelled_part(text: str) -> LabelledPart | None:
    """Return a part of a line; None if it has no number, or several, or is a formula."""
    numbers = list(NUMBER_IN_OUTPUT.finditer(text))
    if len(numbers) != 1:
        return None
    words, unit = text[: numbers[0].start()], text[numbers[0].end() :]
    if re.search(r"[*/^=<>]", words.rstrip(" =:")) or re.match(r"\s?[*/^]", unit):
        return None
    return LabelledPart(words.strip(" =:\t-"), numbers[0][0], unit.strip())
