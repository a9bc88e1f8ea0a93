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

from vaultkit.checks.collector import Collector
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
from vaultkit.run.steps import Step

#: Most lines of an output, numbers of a line, and items of a list that are read.
_LINES, _NUMBERS, _ITEMS = 64, 24, 64
#: If more numbers than these agree with one of the text, words can hardly say which it is.
_MOST_AGREEING = 24
#: A word with at most two digits behind it, or a number: *bed*, *CO2*, *1,024*.
TOKEN = re.compile(r"[^\W\d_]+\d{0,2}(?!\d)|(?<![\w.])[0-9]+(?:[.,][0-9]+)*")
#: A word within a name: *HTTPServer2* has *HTTP* and *Server2*.
_WORD_OF_NAME = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[^\W\dA-Z_]+\d*|[^\W\d_]+\d*")
#: The number of an item at the beginning of a line: ``2. Split that …``.
_ITEM = re.compile(r"^\s*\d{1,2}[.)]\s+(?=[^\W\d])")
#: A whole number at the beginning of a line by which the line may be known, and no share or date.
_KEY = re.compile(r"[-+]?\d+[^,\d%/.]")
#: What separates the parts of a line.
_BREAK = re.compile(r"[,;|](?!\d)|\s{2,}|->|→|[({\[]")
#: A unit right behind a number: `` m``, ``%``, ``km/h``.
_UNIT = re.compile(r"\s?(?:[%°]|[^\W\d_]{1,3}(?:/[^\W\d_]{1,3})?)(?![\w])")
#: The shortest word that may have an ending that a label has not: *sunny*, *rainy*.
_SHORTEST = 3
_ENDINGS = {"y", "i", "ny", "ni", "ry", "n", "ly", "al", "s", "es", "er", "ish"}
#: The shortest word that may end another one, as *weight* ends *counterweight*.
_SHORTEST_END = 5

#: The words by which a number is known: stems of words (*co2*), and numbers: ``#14`` is the number
#: 14, ``#14:60s`` with its unit (here 60 seconds), and ``@2`` the second of a list.
Words = frozenset[str]


@dataclass(frozen=True)
class Labelled:
    """A number of an output, variable or table, with the words by which it is known."""

    value: float
    words: Words
    source: str
    #: The output or table that has it, or "variables"; its source if it is of a larger variable.
    group: str = ""
    #: Its unit of measurement, if an output or table shows one.
    unit: str = ""

    def has_value_of(self, number: Stated) -> bool:
        """Return whether it is a number of an output, and the same as one of the text."""
        return self.source.startswith("output") and self.value == number.value


class LabelledNumbers(Collector):
    """Collects the numbers of a note with their words."""

    def __init__(self, lexicon: Lexicon) -> None:
        super().__init__(lexicon)
        #: The numbers of outputs and variables; the keys are in order, and the values are None.
        self._observed: dict[Labelled, None] = {}
        self._of_tables: list[Labelled] = []
        #: The text of each word as the page has it (``{"boy": "Boys"}``), for messages; and the
        #: same for the words of each text.
        self._texts: dict[str, str] = {}
        self._texts_together: dict[Words, dict[str, str]] = {}
        #: All numbers by size, with their values; empty until they are needed.
        self._sorted: list[Labelled] = []
        self._values: list[float] = []

    def observe(self, block: Block, steps: Sequence[Step], variables: Mapping[str, Any]) -> None:
        """Collect the numbers that a block prints, and those of the variables that it names."""
        self._sorted = []
        for step in steps:
            first, _ = step.shown_lines
            # The number of a list item measures nothing: it is replaced by blanks.
            lines = [
                (_ITEM.sub(lambda match: " " * len(match[0]), text), line)
                for text, line in islice(step.output_lines(), _LINES)
            ]
            openings = Counter(_opening(text) for text, _ in lines)
            for text, line in lines:
                is_repeated = openings[_opening(text)] > 1
                source, group = f"output at line {line}", f"output {first}"
                self._add_line(text, source, group, opens_like_others=is_repeated)
        loops = find_origins([block]).loops
        for name in sorted(_names_in_code(block) & variables.keys() - loops):
            self._add_variable(name, variables[name])

    def _add(
        self, value: float, words: Iterable[str], source: str, group: str = "", unit: str = ""
    ) -> None:
        """Add a finite number with its words; only a number of a group may have none."""
        known_by = frozenset(words)
        if math.isfinite(value) and (known_by or group):
            self._observed[Labelled(value, known_by, source, group or source, unit)] = None

    def _add_line(self, text: str, source: str, group: str, *, opens_like_others: bool) -> None:
        """Add the numbers of a line of an output, each with the words of its part of the line.

        Parameters
        ----------
        text, source, group
            The line, where it is, and the name of the output.
        opens_like_others
            Whether the text before its first number opens other lines, too: the first number,
            such as the 14 of ``Apollo 14  216.0 h``, then is a key to the others.
        """
        numbers = list(NUMBER_IN_OUTPUT.finditer(text))
        if not numbers or len(numbers) > _NUMBERS:
            return
        first, last = numbers[0], numbers[-1]
        opening = self.words(text[: first.start()])
        has_key = (opens_like_others or not opening) and _KEY.match(text, first.start())
        key = {self._mark_of(text, first)} if has_key else set()
        carried: set[str] = set()  # the words of the same part before the gap
        opens_part, end_of_previous = first, 0
        for number, following in zip(numbers, [*numbers[1:], None], strict=True):
            gap = text[end_of_previous : number.start()]
            breaks = list(_BREAK.finditer(gap)) if number is not first else []
            if breaks:
                carried, gap, opens_part = set(), gap[breaks[-1].end() :], number
            words_in_gap = self.words(gap)
            words = carried | words_in_gap
            behind = text[number.end() : following.start() if following else len(text)]
            end_of_part = _BREAK.search(behind)
            # A part that begins with a number has its words behind it: *575 g of CO2*.
            is_before_its_words = not words and number is opens_part
            if end_of_part or number is last or is_before_its_words:
                words_behind = self.words(behind[: end_of_part.start()] if end_of_part else behind)
            else:  # only its unit: other words belong to the next number
                words_behind = self.words(unit[0]) if (unit := _UNIT.match(behind)) else set()
            known_by = words | words_behind
            if number is not first:
                known_by |= key
                # In a row of columns, the opening names each number.
                if not gap.strip() or (breaks and not words_in_gap):
                    known_by |= opening
            symbol = unit_of(text, number.end(), self.lexicon)
            self._add(parse_number(number[0]), known_by, source, group, symbol)
            carried = words | words_behind
            if text[: number.start()].endswith("("):  # *(14) 216.0 h*
                carried.add(f"#{parse_number(number[0]):g}")
            end_of_previous = number.end()

    def _add_variable(self, name: str, value: Any) -> None:
        """Add the number of a variable, or the numbers of a dictionary or of a list of records.

        A record is a list or tuple with a text, which names its numbers: ``("elm", 3, 4)``. The
        elements of other lists have no words of their own, and are left out.
        """
        source, words_of_name = f"variable {name}", self.words(name)
        if is_number(value):
            self._add(float(value), words_of_name, source, "variables")
        elif isinstance(value, dict) and len(value) <= _ITEMS:
            for key, item in value.items():
                self._add_items(item, words_of_name | self._words_of_key(key), source)
        elif isinstance(value, list | tuple) and 1 < len(value) <= _ITEMS:
            for item in value:
                if isinstance(item, list | tuple) and len(item) <= _NUMBERS:
                    words = {w for part in item if isinstance(part, str) for w in self.words(part)}
                    if words:
                        self._add_items(item, words_of_name | words, source)

    def _add_items(self, item: Any, words: set[str], source: str) -> None:
        """Add a number, or the numbers of a list, with words."""
        items = item if isinstance(item, list | tuple) else [item]
        for number in items[:_NUMBERS]:
            if is_number(number):
                self._add(float(number), words, source)

    def _words_of_key(self, key: Any) -> set[str]:
        """Return the words and numbers of a key: ``("oak", 3)`` → ``{"oak", "#3"}``."""
        words: set[str] = set()
        for part in key if isinstance(key, tuple) else (key,):
            if isinstance(part, str):
                words |= self.words(part)
            elif is_number(part):
                words.add(f"#{float(part):g}")
        return words

    def _mark_of(self, text: str, number: re.Match[str]) -> str:
        """Return the mark of a number with its unit, if it has one: ``#14`` or ``#14:60s``."""
        unit = unit_of(text, number.end(), self.lexicon)
        return f"#{parse_number(number[0]):g}:{unit}".rstrip(":")

    def words(self, text: str) -> set[str]:
        """Return the words of a text or name by which a number may be known: no units, no grammar.

        ``"mass_of Boys"`` → ``{"mass", "boy"}``.
        """
        text_by_word: dict[str, str] = {}
        for token in TOKEN.findall(text.replace("_", " ")):
            is_word = token[0].isalpha() and not size_of(token, self.lexicon)
            for part in _WORD_OF_NAME.findall(token) if is_word else ():
                if word := word_of(part, self.lexicon):
                    text_by_word.setdefault(word, part)
        self._texts = text_by_word | self._texts
        self._texts_together.setdefault(frozenset(text_by_word), text_by_word)
        return set(text_by_word)

    def text_of(self, words: Words) -> str:
        """Return words by which a number is known: numbers, and words in the order of the page.

        *South bed* keeps its order on a page whose first bed is the north bed.
        """
        known = words & self._texts.keys()
        texts_with_all = (own for own in self._texts_together.values() if known <= own.keys())
        texts = next(texts_with_all, self._texts)
        marks = sorted(word.strip("#@").split(":")[0] for word in words - known)
        return " ".join([*marks, *(text for word, text in texts.items() if word in known)])

    def read_tables(self, cells: Sequence[Cell]) -> None:
        """Read the tables of the text, whose numbers have the words of their rows and columns.

        They replace the tables read before: the text may have been edited.
        """
        self._sorted = []
        self._of_tables.clear()
        first_line, last_line = -1, -1
        for cell in cells:
            if cell.line > last_line + 1:  # a new table
                first_line = cell.line
            last_line = cell.line
            numbers = list(NUMBER_IN_OUTPUT.finditer(cell.text))
            words = self.words(cell.label.text)
            if len(numbers) == 1 and words:
                words |= self.words(cell.title)
                value = parse_number(numbers[0][0])
                unit = unit_of(cell.text, numbers[0].end(), self.lexicon)
                source, group = f"table at line {cell.line}", f"table {first_line}"
                self._of_tables.append(Labelled(value, frozenset(words), source, group, unit))

    @property
    def has_any(self) -> bool:
        """Whether an output or a variable has a number."""
        return bool(self._observed)

    def agreeing_with(self, number: Stated) -> list[Labelled]:
        """Return the numbers that agree with a stated one; none if there are too many."""
        if not self._sorted:
            every = *self._observed, *self._of_tables
            self._sorted = sorted(every, key=lambda labelled: labelled.value)
            self._values = [labelled.value for labelled in self._sorted]
        agreeing: dict[Labelled, None] = {}
        for range_ in number.ranges:
            low, high = range_.bounds
            rounding = 1e-9 * max(abs(x) for x in (low, high, 0.0) if math.isfinite(x))
            # A word may say the sign: *it moves back at 3*.
            for least, most in ((low, high), (-high, -low)):
                first = bisect_left(self._values, least - rounding)
                last = bisect_right(self._values, most + rounding)
                agreeing |= dict.fromkeys(self._sorted[first:last])
        return list(agreeing) if len(agreeing) <= _MOST_AGREEING else []


def _names_in_code(block: Block) -> set[str]:
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
    return len(short) >= _SHORTEST_END and long.endswith(short)
