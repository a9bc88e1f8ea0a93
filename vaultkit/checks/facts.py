"""What the numbers of a note are, by the words in its outputs and the names of its variables.

The output ``mean depth: 3.5 m`` states the fact that the *mean depth* is 3.5, in metres; the
variable ``n_eggs = 12`` that the *n eggs* are 12. A label is the set of the stems of such words.
"""

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
from vaultkit.run.steps import Step

#: Most lines of an output that are read.
_MOST = 64
#: The least letters of a name that says what its value is.
_NAME = 3
#: A function in the words of `printed_numbers`, ``mean() depth``.
_FUNCTION = re.compile(r"(\w+)\(\)")
#: Arrays, remarks and texts in a line of an output, whose numbers have no label.
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
        #: The facts in their order, each once.
        self.facts: dict[Fact, None] = {}
        self.rebase(note)

    def rebase(self, note: Note) -> None:
        """Rebase onto an edited note whose text is the same up to the last block observed."""
        self.note = note
        self._bound_once = _names_bound_once(note)

    def observe(self, block: Block, steps: Sequence[Step], variables: Mapping[str, Any]) -> None:
        """Collect what a block prints, and the variables that it leaves."""
        for words, number, line in printed_numbers(block, steps):
            is_length = words.startswith("len() ") and number.isdigit()
            # A length is that of a list of things, so that it counts the things themselves.
            before = words.removeprefix("len() ") if is_length else words
            self._add_printed(before, number, line, counts=is_length)
        for step in steps:
            for raw, line in islice(step.output_lines(), _MOST):
                text = _BRACKETS.sub(lambda match: " " * len(match[0]), raw)
                for words, number, unit in filter(None, labelled_parts(text)):
                    # Without words before it, *12 eggs*, the word behind a number is its label.
                    before = words or unit
                    # *0110* is a code, and counts nothing.
                    counts = number.isdigit() and str(int(number)) == number
                    self._add_printed(before, number, line, counts=counts, unit=unit)
        for name in sorted(self._bound_once & variables.keys()):
            value, label = variables[name], self._label(name)
            if is_number(value):
                counts = isinstance(value, int | np.integer) and bool(value >= 0)
                fact = Fact(label, exact_fraction(float(value)), f"variable {name}", counts)
                self.facts[fact] = None
            elif isinstance(value, list | tuple | dict | set) or (
                isinstance(value, np.ndarray) and value.ndim == 1
            ):
                fact = Fact(label, Fraction(len(value)), f"length of {name}", counts=True)
                self.facts[fact] = None

    def _add_printed(
        self, words: str, number: str, line: int, *, counts: bool, unit: str = ""
    ) -> None:
        """Record that some words in a line of an output say what a number there is, if any do."""
        label, functions = self._label(words), self._label(" ".join(_FUNCTION.findall(words)))
        value = parse_number(number)
        if label and math.isfinite(value):
            source = f"output at line {line}"
            fact = Fact(label, exact_fraction(value), source, counts, functions, unit, line)
            self.facts[fact] = None

    def _label(self, text: str) -> Label:
        """Return the stems of the words of a text."""
        return frozenset(words_by_stem(text, self.lexicon))


def _names_bound_once(note: Note) -> set[str]:
    """Return the names that the code of a note binds exactly once, and not in a loop.

    The others have several values, so that the last one is not what the text need mean.
    """
    times: Counter[str] = Counter()
    for block in note.blocks:
        for node in nodes_of(source_of(block)):
            match node:
                case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                    times[name] += 1
    once = {name for name, number in times.items() if number == 1 and len(name) >= _NAME}
    return once - find_origins(note.blocks).loops
