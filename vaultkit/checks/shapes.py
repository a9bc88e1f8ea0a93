"""Every shape in running text is the shape of an array that the note has made."""

from __future__ import annotations

import ast
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from vaultkit.checks.check import EXCEPTED, FAILS, Check
from vaultkit.read.note import Block, Note
from vaultkit.read.shapes import Shape
from vaultkit.run.session import Step

_TUPLE = re.compile(r"[(\[](\s*\d+(?:\s*,\s*\d+)+\s*,?\s*)[)\]]|\((\d+)x(\d+)\)")
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")

#: How many variables that have a shape are told.
_TOLD = 4


class UnboundError(LookupError):
    """A length that no block has bound."""


class Shapes:
    """The shapes that the text of a note states, and those of the arrays that its code makes.

    Parameters
    ----------
    note
        The note.
    """

    def __init__(self, note: Note) -> None:
        self.note = note
        #: Shapes that were seen; by name; whole numbers by name; names of anything else.
        self.seen: set[tuple[int, ...]] = set()
        self.named: dict[str, set[tuple[int, ...]]] = defaultdict(set)
        self.lengths: dict[str, set[int]] = defaultdict(set)
        self.snapshots: list[tuple[int, dict[str, int]]] = []
        self.others: set[str] = set()
        #: Whole numbers, and runs of them, that code states or outputs show.
        self.numbers: set[int] = set()
        self.runs: set[tuple[float, ...]] = set()
        for block in note.blocks:
            self._read(block)

    def look(self, block: Block, steps: list[Step], variables: Mapping[str, Any]) -> None:
        """Gather the shapes of variables, and those that outputs show."""
        self.snapshots.append(
            (
                block.fence.line,
                {
                    name: int(value)
                    for name, value in variables.items()
                    if isinstance(value, (int, np.integer)) and not isinstance(value, bool)
                },
            )
        )
        for name, value in variables.items():
            if name.startswith("__") or isinstance(value, (bool, np.bool_)):
                continue
            if isinstance(value, (int, np.integer)):
                self.lengths[name].add(int(value))
                self.numbers.add(int(value))
            elif isinstance(value, np.ndarray):
                self._see(value.shape, name)
                self.numbers.add(value.size)
                if value.size <= 512 and value.ndim and value.dtype.kind in "iuf":
                    flat = value.reshape(-1, value.shape[-1])
                    self.runs |= {tuple(row) for row in flat.tolist()}
            else:
                self.others.add(name)
                inner = value.values() if isinstance(value, dict) else value
                if isinstance(value, (dict, list, tuple)):
                    for item in list(inner)[:64]:
                        if isinstance(item, np.ndarray):
                            self._see(item.shape, name)
        for step in steps:
            for found in _TUPLE.finditer(step.got):
                self.seen.add(tuple(int(n) for n in _NUMBER.findall(found[0].replace("x", " "))))
            self.numbers.update(int(number) for number in _NUMBER.findall(step.got)[:2000])
            shape = printed(step.got)
            if shape:
                self._see(shape)

    def _see(self, shape: tuple[int, ...], name: str = "") -> None:
        self.seen.add(shape)
        if name:
            self.named[name].add(shape)

    def _read(self, block: Block) -> None:
        try:
            tree = ast.parse(block.fence.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        for node in ast.walk(tree):
            if isinstance(node, (ast.Tuple, ast.List)):
                values = [e.value for e in node.elts if isinstance(e, ast.Constant)]
                if len(values) == len(node.elts) > 1:
                    self.runs.add(tuple(v for v in values if isinstance(v, (int, float))))

    def check(self) -> Iterator[Check]:
        """Tell of each shape whether some array has it."""
        for shape in self.note.shapes:
            if not self.is_shape(shape):
                continue
            where = (shape.line, shape.text)
            if shape.given:
                yield Check("shape", *where, EXCEPTED, shape.given, shape.column)
            elif why := self.wrong(shape):
                yield Check("shape", *where, FAILS, why, shape.column)
            else:
                yield Check("shape", *where, why=self.rests_on(shape), column=shape.column)

    def is_shape(self, shape: Shape) -> bool:
        """Tell a shape from a pair of words, of points or of arrays."""
        words = [word for dim in shape.dims for word in re.findall(r"[A-Za-z]\w*", dim)]
        if any(word in self.named or word in self.others for word in words):
            return False
        if not words:
            # A pair of small numbers is a point or a place as often as a shape.
            small = all(int(dim) < 10 for dim in shape.dims)
            return bool(shape.called or shape.product or shape.alone or shape.name or not small)
        bound = [word for word in words if word in self.lengths]
        if len(bound) == len(words):
            return True
        symbols = all(len(word) == 1 or "_" in word for word in words)
        return symbols and bool(shape.called or bound)

    def wrong(self, shape: Shape) -> str:
        """Tell what is wrong with a shape; nothing if it is that of an array."""
        try:
            wanted = self.value(shape)
        except UnboundError as error:
            return f"{shape.text}: no block of this note binds {error.args[0]}"
        name, turned = _name(shape)
        if name in self.named:
            known = self.named[name]
            own = set(map(_transposed, known)) if turned or shape.turned else known
            if any(_ends(dims, wanted) for dims in own):
                return ""
            return f"{shape.text}: {shape.name} has shape {_told(own)}"
        every = self.seen
        if shape.turned:
            every = every | set(map(_transposed, every))
        if any(_ends(dims, wanted) for dims in every) or wanted in self.runs:
            return ""
        plain = all(dim.isdigit() for dim in shape.dims) and not shape.called
        if shape.product and plain and math.prod(wanted) in self.numbers:
            return ""
        near = sorted(
            (dims for dims in self.seen if len(dims) == len(wanted)),
            key=lambda dims: (sum(map(int.__ne__, dims, wanted)), dims),
        )
        hint = f"; there are {', '.join(map(str, near[:4]))}" if near else ""
        means = "" if re.fullmatch(r"[\d\W]+", shape.text) else f" means {wanted}, and"
        return f"{shape.text}{means or ':'} no array of this note has that shape{hint}"

    def rests_on(self, shape: Shape) -> str:
        """Tell which variables have a shape: *Q (6, 2); K (6, 2)*; nothing if none has."""
        wanted, name, turned = self.value(shape), *_name(shape)
        found = []
        for known in [name] if name in self.named else self.named:
            for dims in sorted(self.named[known]):
                if _ends(dims, wanted):
                    found.append(f"{known} {dims}")
                elif (turned or shape.turned) and _ends(_transposed(dims), wanted):
                    found.append(f"{known} transposed {_transposed(dims)}")
        # The whole shape says more than what ends in it behind its batches.
        found.sort(key=lambda told: not told.endswith(f" {wanted}"))
        return "; ".join(found[:_TOLD])

    def value(self, shape: Shape) -> tuple[int, ...]:
        """Compute the lengths, as the blocks above have left their names, or the first one below.

        Raises
        ------
        UnboundError
            If a name is bound nowhere.
        """
        words = {word for dim in shape.dims for word in re.findall(r"[A-Za-z]\w*", dim)}
        known = [(line, v) for line, v in self.snapshots if words <= v.keys()]
        if not words:
            return tuple(_length(dim, {}) for dim in shape.dims)
        if not known:
            raise UnboundError(next((w for w in sorted(words) if w not in self.lengths), "both"))
        above = [values for line, values in known if line < shape.line]
        values = above[-1] if above else known[0][1]
        return tuple(_length(dim, values) for dim in shape.dims)


def _name(shape: Shape) -> tuple[str, bool]:
    """Read the name that a shape is said of, and whether it is that of the transpose."""
    name, turned = re.subn(r"\.T|\s?\^\s?T|ᵀ", "", shape.name.removesuffix(".shape"))
    return name, bool(turned)


def _transposed(shape: tuple[int, ...]) -> tuple[int, ...]:
    return shape[:-2] + shape[:-3:-1]


def _length(dim: str, values: Mapping[str, int]) -> int:
    """Compute a length: ``4``, ``d_k``, ``h d_k``, ``n + m``, ``2d``."""
    total = 0
    for sign, term in re.findall(r"([+-]?)([^+-]+)", dim):
        factors = re.findall(r"[A-Za-z]\w*|\d+", term)
        value = math.prod(int(f) if f.isdigit() else values[f] for f in factors)
        total += -value if sign == "-" else value
    return total


def printed(text: str) -> tuple[int, ...]:
    r"""Return the shape of an array that is printed whole; empty if there is none.

    >>> printed("[[1. 2.]\\n [3. 4.]\\n [5. 6.]]"), printed("array([1, 2])"), printed("[1 ... 9]")
    ((3, 2), (2,), ())
    """
    at = text.find("[")
    if at < 0 or "..." in text or len(text) > 20_000 or text.count("[") != text.count("]"):
        return ()
    shape: list[int] = []
    for depth in range(1, 6):
        # The first group of this depth, and how many things it holds.
        open_, items, held = 0, 0, False
        for char in text[at:]:
            if char == "[":
                open_ += 1
                if open_ == depth + 1:
                    items += 1
                    held = True
            elif char == "]":
                if open_ == depth:
                    break
                open_ -= 1
        if held:
            shape.append(items)
            continue
        inner = re.match(r"\[+([^\[\]]*)\]", text[at:])
        shape.append(len(re.findall(r"[^\s,]+", inner[1])) if inner else 0)
        return tuple(shape) if all(shape) else ()
    return ()


def _ends(shape: tuple[int, ...], dims: tuple[int, ...]) -> bool:
    """Tell whether a shape is this, or ends in it behind its batches."""
    return shape[len(shape) - len(dims) :] == dims if len(shape) >= len(dims) else False


def _told(shapes: set[tuple[int, ...]]) -> str:
    return " or ".join(str(shape) for shape in sorted(shapes)[:4])
