"""What the numbers of a note are, by the words in outputs, tables and names of variables."""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np

from vaultkit.checks.key_tables import labelled_parts
from vaultkit.checks.literals import is_number, source_of
from vaultkit.checks.lookup import exact_fraction, parse_number
from vaultkit.checks.origins import find_origins
from vaultkit.checks.printed import printed_numbers
from vaultkit.claims.expressions import nodes_of
from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.mentions import words_by_stem
from vaultkit.read.note import Block, Note
from vaultkit.run.session import Step

#: Most lines of an output that are read, and most numbers of a line.
_MOST, _COLUMNS = 64, 16
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
        self.rebase(note)

    def rebase(self, note: Note) -> None:
        """Rebase onto an edited note whose text is the same up to the last block observed."""
        self.note = note
        self._single = _bound_once(note)

    def observe(self, block: Block, steps: Sequence[Step], variables: Mapping[str, Any]) -> None:
        """Collect what a block prints, and the variables that it leaves."""
        for words, number, line in printed_numbers(block, steps):
            is_length = words.startswith("len() ") and number.isdigit()
            self._add_fact(
                words.removeprefix("len() ") if is_length else words, number, line, is_length
            )
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
        for raw, line in islice(step.output_lines(), _MOST):
            text = _BRACKETS.sub(lambda match: " " * len(match[0]), raw)
            for words, number, unit in filter(None, labelled_parts(text)):
                self._add_fact(words, number, line, number.isdigit(), unit)
                if not words and unit:
                    self._add_fact(unit, number, line, number.isdigit(), unit)

    def _label(self, text: str) -> Label:
        """Return the stems of the words of a text."""
        return frozenset(words_by_stem(text, self.lexicon))


def _exact_number(text: str) -> Fraction | None:
    """Return a number of an output; None if it is too large for a float."""
    number = parse_number(text)
    return exact_fraction(number) if math.isfinite(number) else None


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
