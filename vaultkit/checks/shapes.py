"""Every shape in running text is the shape of an array that the note has made."""

from __future__ import annotations

import ast
import contextlib
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from vaultkit.checks.check import EXCEPTED, FAILS, GENERAL, HERE, HOLDS, Check
from vaultkit.checks.computed import Caller, computed, just_call
from vaultkit.checks.observed import rows_of
from vaultkit.claims.claims import claims_of
from vaultkit.claims.shapes import Shape
from vaultkit.read.note import Block, Note
from vaultkit.run.session import Step

_TUPLE = re.compile(r"[(\[](\s*\d+(?:\s*,\s*\d+)+\s*,?\s*)[)\]]|\((\d+)x(\d+)\)")
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")

#: How many numbers make a vector that text may write out.
_SHORT = 8
#: How many variables that have a shape are told.
_TOLD = 4
#: From here on a whole number in text is judged as one, too.
_COUNTS = 10
#: How many blocks, the nearest ones, show what a shape that is said of nothing may be that of.
_NEAR = 4


class UnboundError(LookupError):
    """A length that no block has bound."""


@dataclass(frozen=True)
class _State:
    """What a block has left: whole numbers and shapes, by name; and the shapes that it shows."""

    line: int
    lengths: Mapping[str, int]
    shapes: Mapping[str, tuple[int, ...]]
    seen: set[tuple[int, ...]]


class Shapes:
    """The shapes that the text of a note states, and those of the arrays that its code makes.

    Parameters
    ----------
    note
        The note.
    """

    def __init__(self, note: Note) -> None:
        #: Shapes by name; names of whole numbers, and of anything else.
        self.named: dict[str, set[tuple[int, ...]]] = defaultdict(set)
        self.lengths: set[str] = set()
        self.others: set[str] = set()
        self.states: list[_State] = []
        #: Whole numbers that variables are or outputs show, and rows of arrays.
        self.numbers: set[int] = set()
        self.rows: set[tuple[float, ...]] = set()
        #: The numbers of short vectors, by name: what stands in brackets may be these.
        self.vectors: dict[str, set[tuple[float, ...]]] = defaultdict(set)
        #: Those that other numbers were tried on, and what is wrong with them there.
        self.tried: dict[Shape, str] = {}
        #: Calls a function so that nothing in the note is changed by it; by default, just that.
        self.call: Caller = just_call
        self.turn_to(note)

    def turn_to(self, note: Note) -> None:
        """Take up a note that reads the same up to where this one was looked at."""
        self.note = note
        #: Runs of numbers that code writes out.
        self.runs: set[tuple[float, ...]] = set()
        for block in note.blocks:
            self._read(block)

    def look(self, block: Block, steps: list[Step], variables: Mapping[str, Any]) -> None:
        """Gather the shapes of variables, and those that outputs show."""
        lengths: dict[str, int] = {}
        shapes: dict[str, tuple[int, ...]] = {}
        seen: set[tuple[int, ...]] = set()
        for name, value in variables.items():
            if name.startswith("__") or isinstance(value, (bool, np.bool_)):
                continue
            if isinstance(value, (int, np.integer)):
                lengths[name] = int(value)
                self.numbers.add(int(value))
            elif isinstance(value, np.ndarray):
                shapes[name] = value.shape
                seen.add(value.shape)
                self.named[name].add(value.shape)
                self.numbers.add(value.size)
                if value.size <= 512 and value.ndim and value.dtype.kind in "iuf":
                    self.rows |= rows_of(value)
                    if value.ndim == 1 and value.size <= _SHORT:
                        self.vectors[name].add(tuple(value.tolist()))
            else:
                self.others.add(name)
                inner = value.values() if isinstance(value, dict) else value
                if isinstance(value, (dict, list, tuple)):
                    for item in list(inner)[:64]:
                        if isinstance(item, np.ndarray):
                            seen.add(item.shape)
                            self.named[name].add(item.shape)
        self.lengths |= lengths.keys()
        for step in steps:
            for found in _TUPLE.finditer(step.got):
                seen.add(tuple(int(n) for n in _NUMBER.findall(found[0].replace("x", " "))))
            self.numbers.update(int(number) for number in _NUMBER.findall(step.got)[:2000])
            shape = printed(step.got)
            if shape:
                seen.add(shape)
        shapes.update(self._computed(block, variables, shapes))
        self.states.append(_State(block.fence.line, lengths, shapes, seen))

    def _computed(
        self, block: Block, variables: Mapping[str, Any], shapes: Mapping[str, tuple[int, ...]]
    ) -> dict[str, tuple[int, ...]]:
        """Compute the shapes of expressions of which the text tells one, as far as it takes Python.

        That is, behind the last block above it, and behind the first one below that can.
        """
        line, found = block.fence.line, {}
        following = next((b.fence.line for b in self.note.blocks if b.fence.line > line), math.inf)
        for shape in claims_of(self.note).shapes:
            code = shape.code
            if not code or code in found or _shape_of(code, shapes) is not None:
                continue
            told = any(shape.line < state.line and code in state.shapes for state in self.states)
            if shape.line < following and not told:
                with contextlib.suppress(Exception):  # whatever the code of a note does
                    found[code] = computed(code, variables, _shape, self.call)
        return found

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
        for shape in claims_of(self.note).shapes:
            if not self.is_shape(shape):
                continue
            where = (shape.line, shape.text)
            if shape.given and not self.wrong_product(shape):
                yield Check("shape", *where, EXCEPTED, shape.given, shape.column)
            elif why := self.wrong_product(shape) or self.wrong(shape):
                yield Check("shape", *where, FAILS, why, shape.column)
            elif self.tried.get(shape) and _is_law(shape):
                why = f"{shape.text} holds for the sizes of this page, but not for others"
                why += f"\n  {self.tried[shape]}"
                yield Check("shape", *where, FAILS, why, shape.column, HERE)
            else:
                scope = (HERE if self.tried[shape] else GENERAL) if shape in self.tried else ""
                yield Check("shape", *where, HOLDS, self.rests_on(shape), shape.column, scope)

    def computes(self, line: int, column: int) -> bool:
        """Tell whether a place lies in an expression of which it is told what shape it has."""
        return any(
            shape.is_said_of(line, column) and self.is_shape(shape) and bool(self.subject(shape))
            for shape in claims_of(self.note).shapes
        )

    def letters(self) -> set[str]:
        """Name the sizes that the shapes are made of."""
        return {
            n for shape in claims_of(self.note).shapes for n in _names(shape.dims)
        } & self.lengths

    def compare(self, other: Shapes) -> None:
        """Judge the shapes that are made of names on what other numbers have made."""
        for shape in claims_of(self.note).shapes:
            if _names(shape.dims) and not shape.given and self.is_shape(shape):
                self.tried[shape] = self.tried.get(shape) or other.wrong(shape)

    def is_shape(self, shape: Shape) -> bool:
        """Tell a shape from a pair of words, of points or of arrays."""
        words = _names(shape.dims)
        if shape.axis:
            if not shape.subject and self._own(shape.word, shape.line):
                return False  # it is told of that array
            known = self._counted(shape) if shape.subject else self._are_arrays
            return words <= self.lengths and bool(known)
        things = any(word in self.named or word in self.others for word in words)
        if things and not (shape.called and not shape.product):
            return False
        if shape.factors or shape.square:
            return bool(shape.factors or len(set(shape.dims)) > 1)
        if not words:
            # A pair of small numbers is a point or a place as often as a shape.
            small = all(int(dim) < 10 for dim in shape.dims)
            named = shape.subject or shape.word in self.named or self.subject(shape)
            return bool(shape.called or shape.product or shape.alone or named or not small)
        bound = words & self.lengths
        if _is_divided(shape) and not (shape.called or (shape.product and bound)):
            return False
        if bound == words:
            return True
        symbols = all(len(word) == 1 or "_" in word or word in bound for word in words)
        if len(shape.dims) == 1:
            return symbols and _is_whole(shape) and bool(self.subject(shape))
        return symbols and bool(shape.called or bound)

    @property
    def _are_arrays(self) -> bool:
        """Whether the note has any array that text may speak of without its name."""
        return any(any(state.seen) for state in self.states)

    def subject(self, shape: Shape) -> tuple[str, set[tuple[int, ...]]] | None:
        """Find what a shape is said of, and the shapes of that: before it, and next below it."""
        subject = shape.subject or (shape.word if shape.word in self.named else "")
        own = self._own(subject, shape.line) if subject else None
        if shape.code and (whole := self._own(shape.code, shape.line)):
            return shape.code, whole
        if not own and not shape.subject and shape.beside in self.named:
            subject, own = shape.beside, self._own(shape.beside, shape.line)
            if own and {len(s) for s in own} != {len(shape.dims)}:
                return None
        return (subject, own) if own else None

    def _own(self, subject: str, line: int) -> set[tuple[int, ...]] | None:
        """Find the shapes of an expression before a line, and next below it."""
        found = [(state.line, _shape_of(subject, state.shapes)) for state in self.states]
        known = [(line, own) for line, own in found if own is not None]
        above = [own for at, own in known if at < line]
        below = [own for at, own in known if at > line]
        return {*above[-1:], *below[:1]} or self.named.get(subject)

    def _counted(self, shape: Shape) -> dict[str, set[tuple[int, ...]]]:
        """Find the arrays of which a length is told, and their shapes.

        A small letter may be a row of the array with the capital one, as ``q_i`` is.
        """
        found: dict[str, set[tuple[int, ...]]] = {}
        for name in shape.subject.split(", "):
            own = set(self._own(name, shape.line) or ())
            if re.fullmatch(r"[a-z](?:_\w)?", name):
                rows = self._own(name[0].upper(), shape.line) or set()
                own |= {s[1:] for s in rows if len(s) > 1}
            if own:
                found[name] = set(map(_transposed, own)) if self.is_turned(shape, name) else own
        return found

    def _wrong_count(self, shape: Shape) -> str:
        (wanted,) = self.value(shape)
        if not shape.subject:
            every = set().union(*(state.seen for state in self.states))
            along = {shape.axis, *(("columns",) if shape.axis == "entries" else ())}
            shown = wanted >= _COUNTS and wanted in self.numbers
            if shown or any(wanted in _along(axis, s) for s in every for axis in along):
                return ""
            return f"{shape.text}: no array of this note has {wanted} {shape.axis}"
        for name, own in self._counted(shape).items():
            if not any(wanted in _along(shape.axis, s) for s in own):
                return f"{shape.text}: {name} has shape {_told(own)}"
        return ""

    def wrong(self, shape: Shape) -> str:
        """Tell what is wrong with a shape; nothing if it is that of an array."""
        if shape.factors:
            names = _names(shape.dims)
            general = bool(names) and not names & self.lengths
            if general or (self.is_bound(shape) and _is_divided(shape)):
                return ""
        if shape.axis:
            return self._wrong_count(shape)
        if shape.square:
            return f"{shape.text}: a square has sides of equal length"
        try:
            wanted = self.value(shape)
        except UnboundError as error:
            return f"{shape.text}: no block of this note binds {error.args[0]}"
        if found := self.subject(shape):
            name, known = found
            own = set(map(_transposed, known)) if self.is_turned(shape, name) else known
            whole = _is_whole(shape) or shape.text.startswith("ℝ")
            whole |= name == shape.code and not _names(shape.dims)
            if any(s == wanted or (not whole and _ends(s, wanted)) for s in own):
                return ""
            if not shape.called and wanted in self.vectors[name]:
                return ""
            return f"{shape.text}: {name} has shape {_told(own)}"
        near = sorted(self.states, key=lambda state: abs(state.line - shape.line))
        every = set().union(*(state.seen for state in near))
        batches = set().union(*(state.seen for state in near[:_NEAR]))
        # A factor may be a transpose that has no name.
        turned = bool(shape.turned or shape.factors)
        if len(wanted) == 1 and not _is_whole(shape):
            if any(_ends(s, wanted) for s in every):
                return ""
            return f"{shape.text}: no array of this note has {wanted[0]} columns"
        if any(s == wanted or (turned and _transposed(s) == wanted) for s in every):
            return ""
        if not _is_whole(shape) and any(
            _ends(s, wanted) or (turned and _ends(_transposed(s), wanted)) for s in batches
        ):
            return ""
        # Of names it is no row of numbers.
        if not (shape.called and _names(shape.dims)) and (
            wanted in self.runs or wanted in self.rows
        ):
            return ""
        sign = shape.product and " by " not in shape.text and not (shape.called or shape.factors)
        if sign and all(dim.isdigit() for dim in shape.dims) and math.prod(wanted) in self.numbers:
            return ""
        alike = sorted(
            (s for s in every if len(s) == len(wanted)),
            key=lambda s: (sum(map(int.__ne__, s, wanted)), s),
        )
        hint = f"; there are {', '.join(map(str, alike[:4]))}" if alike else ""
        means = "" if re.fullmatch(r"[\d\W]+", shape.text) else f" means {wanted}, and"
        return f"{shape.text}{means or ':'} no array of this note has that shape{hint}"

    def wrong_product(self, shape: Shape) -> str:
        """Tell what is wrong with a shape as that of a factor, or of a product of two others."""
        if not shape.factors:
            return ""
        if len(shape.factors) == 1:
            left, right = shape.factors[0], shape.dims
            pairs = [(left[-1], right[-2])] if left else []
            what = "the second factor"
        else:
            left, right = shape.factors
            if _spaceless(left[-1]) != _spaceless(right[-2]):
                return ""  # it is told of the second factor
            pairs = [(left[-2], shape.dims[-2]), (right[-1], shape.dims[-1])]
            what = f"the product of {_written(left)} and {_written(right)}"
        for one, other in pairs:
            if _spaceless(one) != _spaceless(other):
                return f"{shape.text}: as {what}, it needs {one} where it has {other}"
        return ""

    def is_bound(self, shape: Shape) -> bool:
        """Tell whether the note has numbers for all lengths of a shape."""
        return _names(shape.dims) <= self.lengths

    def is_turned(self, shape: Shape, subject: str) -> bool:
        """Tell whether a shape is that of the transpose of its subject."""
        return shape.turned and not subject.endswith(".T") and "@" not in subject

    def rests_on(self, shape: Shape) -> str:
        """Tell which variables have a shape: *Q (6, 2); K (6, 2)*; nothing if none has."""
        if not self.is_bound(shape):
            return "the lengths fit" if shape.factors else ""
        if shape.axis:
            told = self._counted(shape).items()
            return "; ".join(f"{name} {_told(own)}" for name, own in told)
        wanted = self.value(shape)
        found = []
        if of := self.subject(shape):
            name, known = of
            by_name = {
                name.removesuffix(".T"): {_transposed(s) for s in known}
                if name.endswith(".T")
                else known
            }
        else:
            by_name = self.named
        for name, known in by_name.items():
            for dims in sorted(known):
                if _ends(dims, wanted):
                    found.append(f"{name} {dims}")
                elif _ends(_transposed(dims), wanted) and (shape.turned or of):
                    found.append(f"{name} transposed {_transposed(dims)}")
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
        words = _names(shape.dims)
        if not words:
            return tuple(_length(dim, {}) for dim in shape.dims)
        known = [state for state in self.states if words <= state.lengths.keys()]
        if not known:
            raise UnboundError(next((w for w in sorted(words) if w not in self.lengths), "both"))
        above = [state for state in known if state.line < shape.line]
        state = above[-1] if above else known[0]
        return tuple(_length(dim, state.lengths) for dim in shape.dims)


def _shape(value: Any) -> tuple[int, ...]:
    return tuple(map(int, value.shape))


def _is_law(shape: Shape) -> bool:
    return not any(char.isdigit() for dim in shape.dims for char in re.sub(r"\w*_\w*", "", dim))


def _is_whole(shape: Shape) -> bool:
    """Tell ``(4,)``, which is all of a shape, from one behind which stand the axes of a batch."""
    return len(shape.dims) == 1 and shape.text.endswith(")")


def _is_divided(shape: Shape) -> bool:
    return any("/" in dim for dim in shape.dims)


def _names(dims: tuple[str, ...]) -> set[str]:
    return {word for dim in dims for word in re.findall(r"[A-Za-z]\w*", dim)}


def _spaceless(dim: str) -> str:
    return dim.replace(" ", "")


def _written(dims: tuple[str, ...]) -> str:
    return " × ".join(dims)


def _shape_of(expression: str, shapes: Mapping[str, tuple[int, ...]]) -> tuple[int, ...] | None:
    """Compute the shape of an expression of arrays whose shapes are known; None if it is no such.

    >>> shapes = {"X": (2, 6, 3), "W": (3, 4)}
    >>> _shape_of("X @ W", shapes), _shape_of("W.T", shapes), _shape_of("X @ X", shapes)
    ((2, 6, 4), (4, 3), None)
    """
    if expression in shapes:
        return shapes[expression]
    try:
        tree = ast.parse(expression, mode="eval").body
        return _shape_of_node(tree, shapes)
    except (SyntaxError, ValueError, RecursionError, MemoryError, LookupError):
        return None


def _shape_of_node(node: ast.expr, shapes: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    match node:
        case ast.Name(id=name):
            return shapes[name]
        case ast.Attribute(value=inner, attr="T" | "mT"):
            return _transposed(_shape_of_node(inner, shapes))
        case ast.BinOp(left=left, op=ast.MatMult(), right=right):
            first, second = _shape_of_node(left, shapes), _shape_of_node(right, shapes)
            if len(first) < 2 or len(second) < 2 or first[-1] != second[-2]:
                raise ValueError("no such product")
            return *np.broadcast_shapes(first[:-2], second[:-2]), first[-2], second[-1]
        case ast.Subscript(value=inner, slice=ast.Constant(value=int())):
            return _shape_of_node(inner, shapes)[1:]
    raise ValueError("no shape can be told")


def _transposed(shape: tuple[int, ...]) -> tuple[int, ...]:
    return shape[:-2] + shape[:-3:-1]


def _length(dim: str, values: Mapping[str, int]) -> int:
    """Compute a length: ``4``, ``h d_k``, ``n + m``, ``2d``, ``d / h``; -1 if that is none."""
    total = Fraction(0)
    for sign, term in re.findall(r"([+-]?)([^+-]+)", dim):
        value = Fraction(-1 if sign == "-" else 1)
        for over, factor in re.findall(r"(/?)\s?([A-Za-z]\w*|\d+)", term):
            number = int(factor) if factor.isdigit() else values[factor]
            value = value / number if over and number else value * number
        total += value
    return int(total) if total.denominator == 1 else -1


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


def _along(axis: str, shape: tuple[int, ...]) -> set[int]:
    """Tell how many rows, columns, entries, axes or dimensions an array has.

    >>> _along("rows", (6, 4)), _along("entries", (6, 4)), _along("dimensions", (7,))
    ({6}, {24}, {1, 7})
    """
    match axis:
        case "axes":
            return {len(shape)}
        case "dimensions":
            return {len(shape), *shape[-1:]}
        case "entries":
            return {math.prod(shape)}
        case "rows":
            return {*shape[-2:-1], *shape[:1]}
    return {*shape[-1:]}


def _ends(shape: tuple[int, ...], dims: tuple[int, ...]) -> bool:
    """Tell whether a shape is this, or ends in it behind its batches."""
    return shape[len(shape) - len(dims) :] == dims if len(shape) >= len(dims) else False


def _told(shapes: set[tuple[int, ...]]) -> str:
    return " or ".join(str(shape) for shape in sorted(shapes)[:4])
