"""`Observed`: all numbers that a note shows, computes or states, collected while it runs."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from vaultkit.checks.literals import is_number, literals_of
from vaultkit.checks.lookup import Evidence, parse_number
from vaultkit.checks.observed_shapes import ObservedShapes, as_plain_array, rows_of
from vaultkit.read.note import Block, Note
from vaultkit.read.prose import has_relation, plain_tex
from vaultkit.run.steps import Step

#: A number in an output, ``1,024.5``, ``-3``, ``.5`` or ``2e-3``, but no digit of a name (``x2``).
NUMBER_IN_OUTPUT = re.compile(
    r"(?<![\w.])[-+]?(?:\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?|\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
)
#: Operators between numbers: *2 * 3* is a product, not two numbers of a row.
_OPERATOR = re.compile(r"\s[*+/×·]\s")
#: A number in a formula, with an ordinary or a typographic minus: ``-0.5``.
_IN_FORMULA = re.compile(r"(?<![\w.])[-−]?(?:\d+(?:\.\d+)?|\.\d+)")
_OUTPUT = "output at line {}"
#: Arrays and lists larger than this are data: a number that equals one element proves nothing.
_LARGE = 512
#: Most items of a list or dictionary that are looked at for arrays.
_ITEMS = 16


class Observed:
    """The numbers that a note has shown and computed, and its shapes (`ObservedShapes`).

    Numbers come from its outputs and variables, its code and its formulas.

    Parameters
    ----------
    note
        The note.
    """

    def __init__(self, note: Note) -> None:
        self.shapes = ObservedShapes(note)
        #: Numbers in the outputs of each block, by the line of the block.
        self.outputs: list[tuple[int, Evidence]] = []
        self.shown = Evidence()
        #: Numbers bound to names, elements of bound arrays, and lengths of their axes.
        self.bound, self.elements, self.lengths = Evidence(), Evidence(), Evidence()
        #: Sizes of arrays, kept apart since many integers are products of lengths.
        self.sizes = Evidence()
        #: Default values of parameters.
        self.defaults = Evidence()
        #: What each name was bound to when it was last recorded; the same is not recorded again.
        self._last: dict[str, Any] = {}
        #: The numbers of each output and array in order, with the source.
        self.sequences: list[tuple[list[float], str]] = []
        #: Rows of arrays, and shapes, with their sources.
        self.made: dict[tuple[float, ...], str] = {}
        #: The lines of all outputs, each with a description of its place.
        self.texts: list[tuple[str, str]] = []
        #: By the line of each block, the numbers and arrays that are bound to names after it.
        self.values: list[tuple[int, dict[str, float]]] = []
        self.arrays: list[tuple[int, dict[str, np.ndarray]]] = []
        self.rebase(note)

    def rebase(self, note: Note) -> None:
        """Rebase onto an edited note whose text is the same up to the last block observed."""
        self.note = note
        #: Numbers that code and formulas state, and those of each place.
        self.stated = Evidence()
        self.stated_at: list[tuple[int, Evidence]] = []
        #: Lists that code writes out, with their sources.
        self.rows: dict[tuple[float, ...], str] = {}
        for formula in note.formulas:
            if not formula.not_run and has_relation(formula.tex):
                texts = _IN_FORMULA.findall(plain_tex(formula.tex))
                numbers = (_number_of_formula(text.replace("−", "-")) for text in texts)
                place = f"line {formula.line}, column {formula.column}"
                self._add_stated(formula.line, numbers, f"formula at {place}")
        for block in note.blocks:
            source = f"code at line {block.fence.line}"
            literals, rows = literals_of(block)
            self._add_stated(block.fence.line, literals, source)
            for row in rows:
                self.rows.setdefault(row, source)
        self.stated.include(self.defaults)

    def _add_stated(self, line: int, numbers: Iterable[float], source: str) -> None:
        stated = Evidence()
        stated.add(numbers, source)
        self.stated_at.append((line, stated))
        self.stated.include(stated)

    @property
    def computes_nothing(self) -> bool:
        """Whether the code shows no output and has computed no number."""
        every = (self.shown, self.bound, self.elements, self.lengths, self.sizes, self.defaults)
        outputs = any(block.output for block in self.note.blocks)
        return not outputs and not any(evidence.numbers for evidence in every)

    def observe(self, block: Block, steps: list[Step], variables: Mapping[str, Any]) -> None:
        """Collect the numbers of a block's outputs and of the variables after it."""
        self.shapes.observe(block, steps, variables)
        shown = Evidence()
        for step in steps:
            sequence: list[float] = []
            for source, text in _output_lines(step):
                shown.add_printed(NUMBER_IN_OUTPUT.findall(text), source)
                for index, part in enumerate(_OPERATOR.split(text)):
                    if index and sequence:  # an operator ends it
                        self.sequences.append((sequence, source))
                        sequence = []
                    sequence += map(parse_number, NUMBER_IN_OUTPUT.findall(part))
                self.texts.append((text, source))
            self.sequences.append((sequence, _OUTPUT.format(step.output_line)))
        self.outputs.append((block.fence.line, shown))
        self.shown.include(shown)
        for name, value in variables.items():
            # The name _ is for values that are thrown away.
            if not name.startswith("__") and name != "_":
                self._add_variable(name, value)
        values = {name: float(v) for name, v in variables.items() if is_number(v)}
        self.values.append((block.fence.line, values))
        self.arrays.append((block.fence.line, self._copies_of_arrays(variables)))

    def _copies_of_arrays(self, variables: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """Return copies of the arrays of numbers that are not large; equal ones are shared."""
        arrays = {n: as_plain_array(v) for n, v in variables.items() if isinstance(v, np.ndarray)}
        arrays = {n: v for n, v in arrays.items() if v.size <= _LARGE and v.dtype.kind in "fiu"}
        last = self.arrays[-1][1] if self.arrays else {}
        for name, value in arrays.items():
            same = name in last and np.array_equal(last[name], value, equal_nan=True)
            arrays[name] = last[name] if same else value.copy()  # later code may change it
        return arrays

    def _add_variable(self, name: str, value: Any) -> None:
        """Record the numbers of a variable: its value, elements, lengths or default arguments."""
        if isinstance(value, (bool, np.bool_, str, bytes)):
            return
        if isinstance(value, (ModuleType, FunctionType)):
            if self._last.get(name) is value:
                return
            self._last[name] = value
        if isinstance(value, ModuleType):
            self._add_module(name, value)
        elif is_number(value):
            self.bound.add([value], f"variable {name}")
        elif isinstance(value, np.ndarray):
            self._add_array(name, as_plain_array(value))
        elif isinstance(value, (list, tuple, dict, set, frozenset)):
            self.lengths.add([len(value)], f"length of {name}")
            if len(value) <= _LARGE:
                inner = list(value.values()) if isinstance(value, dict) else list(value)
                self.elements.add((v for v in inner if is_number(v)), f"variable {name}")
                for index, item in enumerate(inner[:_ITEMS]):
                    if isinstance(item, np.ndarray):
                        self._add_variable(f"{name}.{index}", item)
        elif isinstance(value, FunctionType):
            parameters = inspect.signature(value).parameters.values()
            given = [p.default for p in parameters if is_number(p.default)]
            for evidence in (self.stated, self.defaults):
                evidence.add(given, f"default of {name}")

    def _add_module(self, name: str, module: ModuleType) -> None:
        """Record the rows of the arrays in a module that the page imports."""
        if module is np:
            return  # it has none; reading all its names would copy its memory into this process
        for attribute, array in list(vars(module).items()):
            if isinstance(array, np.ndarray) and array.ndim and array.size <= _LARGE:
                for row in rows_of(array) | rows_of(array.T):
                    self.made.setdefault(row, f"variable {name}.{attribute}")

    def _add_array(self, name: str, array: np.ndarray) -> None:
        """Record the shape, rows and elements of an array, unless it was the same before."""
        if array.dtype.kind not in "fiu":
            return
        source = f"variable {name}"
        if array.ndim == 0:
            self.bound.add(filter(is_number, [array.item()]), source)
            return
        content = array.shape, array.tobytes() if array.size <= _LARGE else b""
        if self._last.get(name) == content:
            return
        self._last[name] = content
        self.lengths.add(array.shape, f"length of an axis of {name}")
        self.sizes.add([array.size], f"how many numbers {name} holds")
        self.made.setdefault(array.shape, f"shape of {name}")
        if array.size > _LARGE:
            return
        for row in rows_of(array) | rows_of(array.T):
            self.made.setdefault(row, source)
        self.elements.add(array.ravel().tolist(), source)
        self.sequences.append((array.ravel().tolist(), source))
        if array.ndim > 1:
            self.sequences.append((array.swapaxes(-1, -2).ravel().tolist(), source))


def _output_lines(step: Step) -> Iterator[tuple[str, str]]:
    """Yield the lines of an output, each with a description of its place on the page."""
    first, last = step.shown_lines
    for index, text in enumerate(step.got.splitlines()):
        shown = _OUTPUT.format(min(first + index, last)) if last >= first else ""
        yield shown or f"output of the code at line {step.line}", text


def _number_of_formula(text: str) -> float:
    """Return a number of a formula; one without decimals as an integer, which is exact."""
    return int(text) if text.lstrip("-").isdigit() else float(text)
