"""The numbers of outputs and variables, each with the words around it that say what it is.

The 575 of an output ``CO2 575 g, water 294 g`` has the words *co2* and *g*; the 9.0 of a line
``Apollo 14  216.0 h  9.0 d`` has *apollo*, *d* and the number 14, by which it is known.
"""

from __future__ import annotations

import ast
import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from vaultkit.checks.literals import is_number, source_of
from vaultkit.checks.lookup import parse_number
from vaultkit.checks.observed import NUMBER_IN_OUTPUT
from vaultkit.checks.origins import find_origins
from vaultkit.claims.expressions import nodes_of
from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.mentions import stem
from vaultkit.claims.stated import Stated
from vaultkit.claims.units import size_of, unit_of
from vaultkit.read.note import Block, Cell
from vaultkit.run.session import Step

#: Most lines of an output, numbers of a line, and items of a list that are read.
_LINES, _NUMBERS, _ITEMS = 64, 24, 64
#: A number that is found more often than this is hardly known by its words.
_MANY = 24
#: A word, perhaps with digits behind it, or a number.
TOKEN = re.compile(r"[^\W\d_]+\d{0,2}(?!\d)|(?<![\w.])[0-9]+(?:[.,][0-9]+)*")
_PART = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[^\W\dA-Z_]+\d*|[^\W\d_]+\d*")
#: The number of an item at the beginning of a line.
_ITEM = re.compile(r"^\s*\d{1,2}[.)]\s+(?=[^\W\d])")
#: What separates the parts of a line.
_BREAK = re.compile(r"[,;|](?!\d)|\s{2,}|->|→|[({\[]")
_UNIT = re.compile(r"\s?(?:[%°]|[^\W\d_]{1,3}(?:/[^\W\d_]{1,3})?)(?![\w])")
#: The shortest word that may have an ending that a label has not: *sunny*, *rainy*.
_SHORTEST = 3
_ENDINGS = {"y", "i", "ny", "ni", "ry", "n", "ly", "al", "s", "es", "er", "ish"}
#: The shortest word that may end another one, as *weight* ends *counterweight*.
_LONG = 5

Words = frozenset[str]


@dataclass(frozen=True)
class Labelled:
    """A number of an output or variable with the words by which it is known.

    A number by which it is known is ``#14``, with its unit ``#14:60s``; ``@2`` is the second of a
    list.
    """

    value: float
    words: Words
    source: str
    #: The output or variable that has it.
    group: str = ""
    #: Its unit of measurement, if an output shows one.
    unit: str = ""


class LabelledNumbers:
    """Collects the numbers of a note with their words.

    Parameters
    ----------
    lexicon
        The words of its language.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self._found: dict[Labelled, None] = {}
        self._cells: list[Labelled] = []
        #: The words as the page has them; and the same by the texts that have several.
        self.written: dict[str, str] = {}
        self._written_together: dict[Words, dict[str, str]] = {}
        self._sorted: list[Labelled] = []
        self._values: list[float] = []

    def observe(self, block: Block, steps: Sequence[Step], variables: Mapping[str, Any]) -> None:
        """Collect the numbers that a block prints, and those of the variables that it names."""
        self._sorted = []
        for step in steps:
            first, _ = step.shown_lines
            # The number of a list item measures nothing: ``2. Split that …``.
            lines = [
                (_ITEM.sub(lambda match: " " * len(match[0]), text), line)
                for text, line in islice(step.output_lines(), _LINES)
            ]
            openings = Counter(_opening(text) for text, _ in lines)
            for text, line in lines:
                is_key = openings[_opening(text)] > 1
                self._read(text, f"output at line {line}", f"output {first}", is_key)
        loops = find_origins([block]).loops
        for name in sorted(_named(block) & variables.keys() - loops):
            if not name.startswith("_"):
                self._bind(name, variables[name])

    def _add(
        self,
        value: float,
        words: Iterable[str],
        source: str,
        group: str = "",
        unit: str = "",
    ) -> None:
        """Add a number with its words; one of an output may have none."""
        known_by = frozenset(words)
        if math.isfinite(value) and (known_by or group):
            self._found[Labelled(value, known_by, source, group or source, unit)] = None

    def _read(
        self,
        text: str,
        source: str,
        group: str,
        is_key: bool,
    ) -> None:
        """Read a line of an output.

        Parameters
        ----------
        text, source
            The line, and where it is.
        group
            The name of the output.
        is_key
            Whether other lines begin in the same way, so that the first number is a key.
        """
        numbers = list(NUMBER_IN_OUTPUT.finditer(text))
        if not numbers or len(numbers) > _NUMBERS:
            return
        opening = self.words(text[: numbers[0].start()])
        leads = (is_key or not opening) and re.match(
            r"\s*[-+]?\d+(?!\.\d)[^,\d%/.]", text[numbers[0].start() :]
        )
        begins = 0
        before: set[str] = set(opening)
        for place, match in enumerate(numbers):
            gap = text[numbers[place - 1].end() if place else 0 : match.start()]
            stops = list(_BREAK.finditer(gap))
            if place and stops:
                before, gap = set(), gap[stops[-1].end() :]
                begins = place
            words = before | self.words(gap)
            # Words are behind the numbers of a part that begins with a number.
            ends = numbers[place + 1].start() if place + 1 < len(numbers) else len(text)
            behind = text[match.end() : ends]
            stop = _BREAK.search(behind)
            is_first = not words and begins == place
            if stop or place + 1 == len(numbers) or is_first:
                after = self.words(behind[: stop.start()] if stop else behind)
            else:
                after = self.words(short[0]) if (short := _UNIT.match(behind)) else set()
            key = {self._number(text, numbers[0])} if leads and place else set()
            pair = re.match(r"\s?(\d+): $", text[max(0, match.start() - 8) : match.start()])
            if pair:
                words = {f"#{pair[1]}"}
            row = (
                opening if (place and not gap.strip()) or (stops and not self.words(gap)) else set()
            )
            unit = unit_of(text, match.end(), self.lexicon)
            known_by = words | after | key | row
            self._add(parse_number(match[0]), known_by, source, group, unit)
            before = words | after
            if text[: match.start()].endswith("("):
                before |= {f"#{parse_number(match[0]):g}"}

    def _bind(self, name: str, value: Any) -> None:
        """Read a variable."""
        source, words_of_name = f"variable {name}", self.words(name)
        if is_number(value):
            self._add(float(value), words_of_name, source, "variables")
        elif isinstance(value, dict) and len(value) <= _ITEMS:
            for key, item in value.items():
                self._add_items(item, words_of_name, source, self._key(key))
        elif isinstance(value, list | tuple) and 1 < len(value) <= _ITEMS:
            for item in value:
                if isinstance(item, list | tuple) and len(item) <= _NUMBERS:
                    words = {w for part in item if isinstance(part, str) for w in self.words(part)}
                    if words:
                        self._add_items(item, words_of_name, source, words)

    def _add_items(self, item: Any, words: set[str], source: str, keys: set[str]) -> None:
        """Add the number or numbers of an item of a variable."""
        items = item if isinstance(item, list | tuple) else [item]
        for number in items[:_NUMBERS]:
            if is_number(number):
                self._add(float(number), words | keys, source)

    def _key(self, key: Any) -> set[str]:
        """Return the words and numbers of a key."""
        parts = key if isinstance(key, tuple) else (key,)
        words: set[str] = set()
        for part in parts:
            if isinstance(part, str):
                words |= self.words(part)
            elif is_number(part):
                words.add(f"#{float(part):g}")
        return words

    def _number(self, text: str, number: re.Match[str]) -> str:
        """Return the number by which a line is known, with its unit."""
        unit = unit_of(text, number.end(), self.lexicon)
        return f"#{parse_number(number[0]):g}:{unit}".rstrip(":")

    def words(self, text: str) -> set[str]:
        """Return the words of a text or name by which a number may be known."""
        parts: dict[str, str] = {}
        for token in TOKEN.findall(text.replace("_", " ")):
            is_word = token[0].isalpha() and not size_of(token, self.lexicon)
            for part in _PART.findall(token) if is_word else ():
                if word := word_of(part, self.lexicon):
                    parts.setdefault(word, part)
        for word, part in parts.items():
            self.written.setdefault(word, part)
        self._written_together.setdefault(frozenset(parts), parts)
        return set(parts)

    def text_of(self, words: Words) -> str:
        """Return words by which a number is known: numbers, and words in the order of the page.

        *South bed* keeps its order on a page whose first bed is the north bed.
        """
        known = words & self.written.keys()
        together = (parts for parts in self._written_together.values() if known <= parts.keys())
        order = next(together, self.written)
        marks = sorted(word.strip("#@").split(":")[0] for word in words - known)
        return " ".join([*marks, *(part for word, part in order.items() if word in known)])

    def read_tables(self, cells: Sequence[Cell]) -> None:
        """Read the tables of the text, whose numbers have the words of their rows and columns."""
        self._sorted = []
        self._cells.clear()
        begins, last = -1, -1
        for cell in cells:
            begins = begins if cell.line <= last + 1 else cell.line
            last = cell.line
            numbers = list(NUMBER_IN_OUTPUT.finditer(cell.text))
            words = self.words(cell.label.text)
            if len(numbers) == 1 and words and cell.label.text != cell.text:
                unit = unit_of(cell.text, numbers[0].end(), self.lexicon)
                words |= self.words(cell.title)
                value, group = parse_number(numbers[0][0]), f"table {begins}"
                source = f"table at line {cell.line}"
                self._cells.append(Labelled(value, frozenset(words), source, group, unit))

    @property
    def has_any(self) -> bool:
        """Whether an output or a variable has a number."""
        return bool(self._found)

    def of(self, number: Stated) -> list[Labelled]:
        """Return the numbers that agree with a stated one; none if there are too many."""
        if not self._sorted:
            self._sorted = sorted((*self._found, *self._cells), key=lambda labelled: labelled.value)
            self._values = [labelled.value for labelled in self._sorted]
        agreeing: dict[Labelled, None] = {}
        for range_ in number.ranges:
            low, high = range_.bounds
            slack = 1e-9 * max(abs(x) for x in (low, high, 0.0) if math.isfinite(x))
            # A word may say the sign: *it moves back at 3*.
            for least, most in ((low, high), (-high, -low)):
                first = bisect_left(self._values, least - slack)
                last = bisect_right(self._values, most + slack)
                agreeing |= dict.fromkeys(self._sorted[first:last])
        return list(agreeing) if len(agreeing) <= _MANY else []


def _named(block: Block) -> set[str]:
    """Return the names in the code of a block."""
    return {node.id for node in nodes_of(source_of(block)) if isinstance(node, ast.Name)}


def _opening(text: str) -> str:
    """Return the text before the first number of a line; the line itself if it has no number."""
    number = NUMBER_IN_OUTPUT.search(text)
    return text[: number.start()].strip() if number else text


@lru_cache(1 << 12)
def word_of(token: str, lexicon: Lexicon) -> str:
    """Return the form of a word by which it is compared; empty for a word of grammar.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> [word_of(word, lexicon()) for word in ("Boys", "CO2", "S", "m", "of")]
    ['boy', 'co2', 'S', '', '']
    """
    if len(token) == 1:
        return token if token.isupper() and token not in "AI" else ""
    if token.lower() in lexicon.words["roles"]["ignored"] or size_of(token, lexicon):
        return ""
    return stem(token, lexicon).lower() if token.isalpha() else token.lower()


def is_same(word: str, label: str) -> bool:
    """Return whether a word of a text is one of a label, perhaps with another ending.

    >>> [is_same(*pair) for pair in (("sunny", "sun"), ("many", "man"), ("seal", "sea"))]
    [True, True, False]
    """
    if word == label:
        return True
    short, long = sorted((word, label), key=len)
    if len(short) < _SHORTEST:
        return False
    if long.startswith(short):
        return long[len(short) :] in _ENDINGS
    return len(short) >= _LONG and long.endswith(short)
