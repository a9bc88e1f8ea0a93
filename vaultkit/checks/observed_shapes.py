"""The shapes of a note: those of its variables after each block, and those of its outputs."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from vaultkit.claims.expressions import nodes_of
from vaultkit.read.note import Block, Note
from vaultkit.run.steps import Step

#: Integers in an output that may be a shape: ``(6, 2)``, ``[6, 2]`` or ``(6x2)``.
_TUPLE = re.compile(r"[(\[](\s*\d+(?:\s*,\s*\d+)+\s*,?\s*)[)\]]|\((\d+)x(\d+)\)")
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
#: Most numbers in a vector that the text may write out.
_SHORT = 8
#: Most characters of a printed array, and most of its axes.
_LONGEST, _MOST_AXES = 20_000, 5
#: Most elements of an array whose rows are collected.
_SMALL = 512
#: Most items of a list or dictionary that are looked at for arrays, and integers of an output.
_ITEMS, _INTEGERS = 64, 2000

Shape = tuple[int, ...]


@dataclass(frozen=True)
class State:
    """What the variables are after a block.

    Attributes
    ----------
    line
        The line of the block.
    lengths
        The variables that are integers, and so may be the length of an axis.
    shapes
        The shapes of the arrays, by name.
    seen
        All shapes: those of arrays, also in lists, and those that its output shows.
    """

    line: int
    lengths: dict[str, int]
    shapes: dict[str, Shape]
    seen: set[Shape]


class ObservedShapes:
    """The lengths and shapes of a note's variables and outputs, and of literals in its code.

    Parameters
    ----------
    note
        The note.
    """

    def __init__(self, note: Note) -> None:
        #: Shapes by name; names of integers, and of everything else.
        self.named: dict[str, set[Shape]] = defaultdict(set)
        self.lengths: set[str] = set()
        self.others: set[str] = set()
        self.states: list[State] = []
        #: Integers that variables have or outputs show, and rows of arrays.
        self.numbers: set[int] = set()
        self.rows: set[tuple[float, ...]] = set()
        #: Short vectors by name: brackets in the text may contain these instead of a shape.
        self.vectors: dict[str, set[tuple[float, ...]]] = defaultdict(set)
        #: The numbers of each array when its rows were last collected.
        self._last: dict[str, tuple[Any, ...]] = {}
        self.rebase(note)

    def rebase(self, note: Note) -> None:
        """Rebase onto an edited note whose text is the same up to the last block observed.

        What was observed stays; what the code writes out is read again from the whole note.
        """
        self.note = note
        #: Sequences of numbers that code writes out.
        self.runs: set[tuple[float, ...]] = set()
        for block in note.blocks:
            self._add_literal_sequences(block)

    def observe(self, block: Block, steps: list[Step], variables: Mapping[str, Any]) -> None:
        """Collect the shapes of the variables after a block, and those of its output."""
        state = State(block.fence.line, {}, {}, set())
        for name, value in variables.items():
            if name.startswith("__") or isinstance(value, (bool, np.bool_)):
                continue
            if isinstance(value, (int, np.integer)):
                state.lengths[name] = int(value)
                self.numbers.add(int(value))
            elif isinstance(value, np.ndarray):
                state.shapes[name] = value.shape
                self._add_array(name, as_plain_array(value), state)
            else:
                self.others.add(name)
                for item in _items_of(value):
                    if isinstance(item, np.ndarray):
                        state.seen.add(item.shape)
                        self.named[name].add(item.shape)
        self.lengths |= state.lengths.keys()
        for step in steps:
            state.seen.update(_shapes_in(step.got))
            integers = _NUMBER.findall(step.got)[:_INTEGERS]
            self.numbers.update(map(int, integers))
        self.states.append(state)

    def _add_array(self, name: str, array: np.ndarray, state: State) -> None:
        """Record the shape of an array, and its rows if it is small and has changed."""
        state.seen.add(array.shape)
        self.named[name].add(array.shape)
        self.numbers.add(array.size)
        if array.size > _SMALL or not array.ndim or array.dtype.kind not in "iuf":
            return
        content = array.dtype, array.shape, array.tobytes()
        if self._last.get(name) != content:
            self._last[name] = content
            self.rows |= rows_of(array)
            if array.ndim == 1 and array.size <= _SHORT:
                self.vectors[name].add(tuple(array.tolist()))

    def _add_literal_sequences(self, block: Block) -> None:
        """Record the tuples and lists of numbers in a block, which may look like shapes."""
        for node in nodes_of(block.fence.text):
            if isinstance(node, (ast.Tuple, ast.List)):
                values = [e.value for e in node.elts if isinstance(e, ast.Constant)]
                if len(values) == len(node.elts) > 1:
                    self.runs.add(tuple(v for v in values if isinstance(v, (int, float))))


def _items_of(value: Any) -> list[Any]:
    """Return the first items of a list or tuple, or the first values of a dictionary; else none."""
    if isinstance(value, dict):
        return list(islice(value.values(), _ITEMS))
    return list(value[:_ITEMS]) if isinstance(value, (list, tuple)) else []


def _shapes_in(output: str) -> Iterator[Shape]:
    """Yield the shapes that an output shows: as tuples, and as an array that is printed."""
    for found in _TUPLE.finditer(output):
        yield tuple(int(n) for n in _NUMBER.findall(found[0].replace("x", " ")))
    if shape := printed_shape(output):
        yield shape


def printed_shape(text: str) -> Shape:
    r"""Return the shape of an array that is printed completely; empty if there is none.

    >>> printed_shape("[[1. 2.]\\n [3. 4.]\\n [5. 6.]]"), printed_shape("array([1, 2])")
    ((3, 2), (2,))
    >>> printed_shape("[1 ... 9]")
    ()
    """
    if "..." in text or len(text) > _LONGEST or text.count("[") != text.count("]"):
        return ()
    groups = _bracket_groups(text)
    shape: list[int] = []
    while groups:  # one axis at a time; the innermost brackets hold words
        first = groups[0]
        groups = _bracket_groups(first)
        shape.append(len(groups or re.findall(r"[^\s,]+", first)))
    return tuple(shape) if all(shape) and len(shape) <= _MOST_AXES else ()


def _bracket_groups(text: str) -> list[str]:
    """Return what is in the outermost brackets of a text.

    >>> _bracket_groups("[[1, 2], [3]] and [4]")
    ['[1, 2], [3]', '4']
    """
    groups = []
    depth = begins = 0
    for place, char in enumerate(text):
        if char == "[":
            depth += 1
            if depth == 1:
                begins = place + 1
        elif char == "]":
            depth -= 1
            if depth == 0:
                groups.append(text[begins:place])
    return groups


def as_plain_array(array: Any) -> Any:
    """Return an array of NumPy's own type; its masked elements become NaN, which is not a number.

    >>> as_plain_array(np.ma.masked_array([1, 2], mask=[False, True])).tolist()
    [1.0, nan]
    """
    if type(array) is np.ndarray:
        return array
    if np.ma.is_masked(array) and array.dtype.kind in "iuf":
        return np.where(np.ma.getmaskarray(array), np.nan, np.ma.getdata(array))
    return np.asarray(array)


def rows_of(array: Any) -> set[tuple[float, ...]]:
    """Return the rows of an array, along its last axis."""
    length = array.shape[-1]
    return set(map(tuple, array.reshape(array.size // max(1, length), length).tolist()))
