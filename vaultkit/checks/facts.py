"""What the numbers of a note are, by the words in outputs, tables and names of variables."""

from __future__ import annotations

import ast
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np

from vaultkit.checks.literals import is_number, source_of
from vaultkit.checks.lookup import exact_fraction, parse_number
from vaultkit.checks.observed import NUMBER_IN_OUTPUT
from vaultkit.checks.origins import find_origins
from vaultkit.checks.printed import printed_numbers
from vaultkit.checks.tables import Source, columns
from vaultkit.claims.expressions import nodes_of
from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.mentions import words_by_stem
from vaultkit.read.note import Block, Note
from vaultkit.run.session import Step

#: Most lines of an output that are read, and most numbers of a line.
_MOST, _COLUMNS = 64, 16
#: What separates the parts of a line: *stay 0.3, switch 0.7*.
_BREAK = re.compile(r"[;|]|,(?!\d)|\s{3,}")
_FUNCTION = re.compile(r"(\w+)\(\)")
_BRACKETS = re.compile(r"\[[^\]]*\]?|\([^)]*\)|\{[^}]*\}|'[^']*'")

Label = frozenset[str]


@dataclass(frozen=True)
class Fact:
    """A number with the words that say what it is."""

    label: Label
    value: Fraction
    source: str
    #: Whether it counts something: an integer, or the length of a list.
    counts: bool = False
    #: The words of the label without which it is another quantity: the mean of x is not x.
    functions: Label = frozenset()
    #: The unit that the output shows behind it.
    unit: str = ""
    #: The line of the output that has it; 0 for a variable.
    line: int = 0


@dataclass(frozen=True)
class Family:
    """Numbers of the same kind by their labels: the rows of a table, the items of a line."""

    rows: Mapping[Label, Sequence[Fraction]]
    source: str
    #: The words of what the numbers are, by their places: units, names, titles.
    kinds: Sequence[Label] = ()
    #: Whether the labels are only the last words of what the output has.
    is_head: bool = False

    def kind(self, place: int) -> Label:
        """Return the words that say what the numbers at a place are."""
        return self.kinds[min(place, len(self.kinds) - 1)] if self.kinds else frozenset()


class Facts:
    """Collects what the outputs and variables of a note say their numbers are.

    Parameters
    ----------
    note
        The note.
    lexicon
        The words of its language.
    """

    def __init__(self, note: Note, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self.facts: dict[Fact, None] = {}
        self.families: list[Family] = []
        #: The words by their stems, as the page writes them first.
        self._written: dict[str, str] = {}
        self.rebase(note)

    def rebase(self, note: Note) -> None:
        """Rebase onto an edited note whose text is the same up to the last block observed."""
        self.note = note
        self._single = _bound_once(note)

    def observe(self, block: Block, steps: Sequence[Step], variables: Mapping[str, Any]) -> None:
        """Collect what a block prints, and the variables that it leaves."""
        lines: dict[int, list[tuple[Label, str]]] = defaultdict(list)
        for words, number, line in printed_numbers(block, steps):
            lines[line].append((self._label(words), number))
            is_length = words.startswith("len() ") and number.isdigit()
            self._add_fact(
                words.removeprefix("len() ") if is_length else words, number, line, is_length
            )
        for line, own in lines.items():
            # Numbers that a line prints in the same form are of the same kind.
            decimals = {len(number.partition(".")[2]) for _, number in own}
            if len(decimals) == 1 and decimals != {0} and len(dict(own)) == len(own):
                label_of = {label: [_exact_number(n)] for label, n in own}
                self.families += self._family(label_of, f"output at line {line}", [frozenset()])
        for step in steps:
            self._read_output(step)
        for name in sorted(self._single & variables.keys()):
            value, where = variables[name], f"variable {name}"
            label = self._label(name)
            if is_number(value):
                counts = isinstance(value, int | np.integer) and bool(value >= 0)
                self.facts[Fact(label, exact_fraction(float(value)), where, counts)] = None
            elif isinstance(value, list | tuple | dict | set) or (
                isinstance(value, np.ndarray) and value.ndim == 1
            ):
                length = f"length of {name}"
                self.facts[Fact(label, Fraction(len(value)), length, True)] = None

    def _add_fact(
        self, words: str, number: str, line: int, counts: bool = False, unit: str = ""
    ) -> None:
        """Record that the words before a number in an output say what it is."""
        functions = self._label(" ".join(_FUNCTION.findall(words)))
        value = _exact_number(number)
        if (label := self._label(words)) and value is not None:
            source = f"output at line {line}"
            self.facts[Fact(label, value, source, counts, functions, unit, line)] = None

    def _read_output(self, step: Step) -> None:
        """Read the labels of the numbers in an output."""
        rows: dict[str, dict[Label, list[Fraction | None]]] = defaultdict(dict)
        twice: set[str] = set()
        for raw, line in islice(step.output_lines(), _MOST):
            text = _BRACKETS.sub(lambda own: " " * len(own[0]), raw)
            items = _items(text)
            for words, number, unit in filter(None, items):
                self._add_fact(words, number, line, number.isdigit(), unit)
                if not words and unit:
                    self._add_fact(unit, number, line, number.isdigit(), unit)
            if len(items) > 1 and all(item and item[0] for item in items):
                own = {self._label(i[0]): [_exact_number(i[1])] for i in items if i}
                units = {i[2] for i in items if i}
                if len(own) == len(items) and len(units) == 1:
                    kinds = [self._kind_words(units.pop())]
                    self.families += self._family(own, f"output at line {line}", kinds)
                    # *A peak of 13.3* is the *steady peak*, if no other one is in the line.
                    heads = {
                        self._label(i[0].split()[-1]): [_exact_number(i[1])] for i in items if i
                    }
                    if heads != own and len(heads) == len(items) and frozenset() not in heads:
                        self.families += self._family(
                            heads, f"output at line {line}", [frozenset()], is_head=True
                        )
            found = list(NUMBER_IN_OUTPUT.finditer(raw))
            words = raw[: found[0].start()] if found else ""
            if label := self._label(words):
                template = NUMBER_IN_OUTPUT.sub("#", raw[found[0].start() :])
                template = re.sub(r"\s+", " ", template)
                numbers = [_exact_number(one[0]) for one in found]
                if label in rows[template]:
                    twice.add(template)
                rows[template][label] = numbers
        for template, own in rows.items():
            if template not in twice:
                kinds = [self._kind_words(part) for part in template.split("#")[1:]]
                source = f"output at line {step.output_line}"
                self.families += self._family(own, source, kinds)

    def _label(self, text: str) -> Label:
        """Return the stems of the words of a text, and remember the words for messages."""
        words = words_by_stem(text, self.lexicon)
        for stem, word in words.items():
            self._written.setdefault(stem, word)
        return frozenset(words)

    def written(self, label: Label) -> str:
        """Return the words of a label as the page writes them."""
        return " ".join(word for stem, word in self._written.items() if stem in label)

    def _kind_words(self, text: str) -> Label:
        """Return the words of a text that may say, in a sentence, what its numbers are."""
        words = re.findall(r"[^\W\d_]+(?:/[^\W\d_]+)?|[%°‰$€£]", text.replace("_", " "))
        words += [part for word in words for part in word.split("/")]
        return self._label(text) | frozenset(words)

    def _family(
        self,
        rows: Mapping[Label, Sequence[Fraction | None]],
        source: str,
        kinds: Sequence[Label],
        *,
        is_head: bool = False,
    ) -> Iterator[Family]:
        """Yield rows of numbers by their labels, without the words that all labels share.

        Yield nothing if fewer than two rows are left, or two would have the same label.
        """
        common = frozenset[str].intersection(*rows) if len(rows) > 1 else frozenset()
        common = frozenset(word.lower() for word in common)
        own = {
            rest: [number for number in numbers if number is not None]
            for label, numbers in rows.items()
            if (rest := frozenset(word for word in label if word.lower() not in common))
            and None not in numbers
        }
        if len(own) == len(rows) > 1:
            kinds = [kind | common for kind in kinds]
            yield Family(own, source, kinds, is_head)

    def with_tables(self, sources: Sequence[tuple[str, Source]]) -> Iterable[Family]:
        """Return the families, with those of variables (as `Tables` has them) and of tables."""
        found = list(self.families)
        for where, source in sources:
            if where.startswith("variable") and all(isinstance(k, frozenset) for k in source):
                found += self._family(
                    {
                        self._label(" ".join(sorted(label))): [exact_fraction(n) for n in numbers]
                        for label, numbers in source.items()
                        if isinstance(label, frozenset) and all(map(math.isfinite, numbers))
                    },
                    where,
                    [self._kind_words(where.removeprefix("variable"))],
                )
        for column in columns(self.note.cells):
            rows = {
                self._label(" ".join(sorted(entry.row))): [_exact_number(entry.text)]
                for entry in column
                if isinstance(entry.row, frozenset)
            }
            if len(rows) == len(column):
                title = self._kind_words(" ".join(column[0].title))
                found += self._family(rows, f"table at line {column[0].line}", [title])
        return _with_all_kinds(found)


def _with_all_kinds(families: Sequence[Family]) -> list[Family]:
    """Return families, those with the same numbers under the same labels with all their kinds."""
    kinds: dict[frozenset[tuple[Label, Fraction]], Label] = defaultdict(frozenset)
    for family in families:
        for place in range(_column_count(family)):
            kinds[_column(family, place)] |= family.kind(place)
    return [
        replace(family, kinds=[kinds[_column(family, n)] for n in range(_column_count(family))])
        for family in families
    ]


def _column_count(family: Family) -> int:
    return min(_COLUMNS, max(map(len, family.rows.values())))


def _column(family: Family, place: int) -> frozenset[tuple[Label, Fraction]]:
    return frozenset((label, row[place]) for label, row in family.rows.items() if place < len(row))


def _exact_number(text: str) -> Fraction | None:
    """Return a number of an output; None if it is too large for a float."""
    number = parse_number(text)
    return exact_fraction(number) if math.isfinite(number) else None


def _with_breaks(text: str) -> str:
    """Return a line of words and numbers in turn with a break behind each number.

    >>> _with_breaks("mean 3.4 worst case 12"), _with_breaks("12 of 3")
    ('mean 3.4; worst case 12', '12 of 3')
    """
    if not re.fullmatch(r"(?:\s*[A-Za-z]{3}[A-Za-z ]*[ :]\s*[-+]?\d+(?:\.\d+)?){2,}\s*", text):
        return text
    return re.sub(r"(?<=\d)\s+(?=[A-Za-z])", "; ", text)


def _items(text: str) -> list[tuple[str, str, str] | None]:
    """Split a line into words, number and unit of its parts; None for a part of another form."""
    parts = _BREAK.split(_with_breaks(text))
    items = [_item(part) for part in parts]
    if items[0] is None and len(items) > 1 and all(item and item[0] for item in items[1:]):
        # *16 lowest 1.86, highest 8.80* begins with a number that has no label.
        items[0] = _item(re.sub(r"^\s*[-+]?[\d.,]+\s+(?=[^\W\d_])", "", parts[0]))
    return items


def _item(text: str) -> tuple[str, str, str] | None:
    """Split *never infected 15 people* into words, number and unit; None if it has another form."""
    numbers = list(NUMBER_IN_OUTPUT.finditer(text))
    if len(numbers) != 1:
        return None
    words, unit = text[: numbers[0].start()], text[numbers[0].end() :]
    if re.search(r"[*/^=<>]", words.rstrip(" =:")) or re.match(r"\s?[*/^]", unit):
        return None
    return words.strip(" =:\t-"), numbers[0][0], unit.strip()


def _bound_once(note: Note) -> set[str]:
    """Return the names that the code of a note binds exactly once, and not in a loop."""
    times: Counter[str] = Counter()
    for block in note.blocks:
        for node in nodes_of(source_of(block)):
            match node:
                case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                    times[name] += 1
    once = {name for name, number in times.items() if number == 1 and len(name) > 2}
    return once - find_origins(note.blocks).loops
