"""The check *shape*: some array of the note must have each shape that running text states.

A statement may be a whole shape, ``(n, d_k)``, or a count, *four rows*, whose ``axis`` says what is
counted. Axes of a batch may precede the lengths that the text states.
"""

from __future__ import annotations

import ast
import contextlib
import math
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from vaultkit.checks.check import EXCEPTED, FAILS, GENERAL, HERE, HOLDS, UNBOUND, UNJUDGED, Check
from vaultkit.checks.computed import Caller, call_directly, evaluate
from vaultkit.checks.observed_shapes import ObservedShapes
from vaultkit.claims.claims import claims_of
from vaultkit.claims.shapes import Shape
from vaultkit.read.note import Block, Note
from vaultkit.run.steps import Step

#: Most variables that a message lists.
_MOST_LISTED = 4
#: Integers from this one on are also judged as numbers; two smaller ones may be a point.
_COUNTS = 10
#: The number of nearest blocks in which a shape without a subject may occur.
_NEAR = 4


class UnboundError(LookupError):
    """A length whose name is not bound by any block."""


class Shapes:
    """Compares the shapes that the text of a note states with those of the arrays in its code.

    Parameters
    ----------
    made
        The shapes of the note's variables and outputs.
    """

    def __init__(self, made: ObservedShapes) -> None:
        self.made = made
        #: Shapes that were tried on other numbers, with the failure there; empty if they held.
        self.tried: dict[Shape, str] = {}
        #: Calls a function of the note without lasting effects; by default, without protection.
        self.call: Caller = call_directly

    @property
    def note(self) -> Note:
        """The note whose shapes are judged."""
        return self.made.note

    def observe(self, block: Block, steps: list[Step], variables: Mapping[str, Any]) -> None:  # noqa: ARG002
        """Evaluate the shapes of expressions in the text, when their variables are bound."""
        state = self.made.states[-1]
        state.shapes.update(self._computed_shapes(block, variables, state.shapes))

    def _computed_shapes(
        self, block: Block, variables: Mapping[str, Any], shapes: Mapping[str, tuple[int, ...]]
    ) -> dict[str, tuple[int, ...]]:
        """Return the shapes of expressions in the text.

        An expression is evaluated after the last block above it, and after the first one below at
        which it can be.
        """
        line, found = block.fence.line, {}
        following = next((b.fence.line for b in self.note.blocks if b.fence.line > line), math.inf)
        for shape in claims_of(self.note).shapes:
            code = shape.code
            if not code or code in found or _shape_of(code, shapes) is not None:
                continue
            is_known_below = any(
                shape.line < state.line and code in state.shapes for state in self.made.states
            )
            if shape.line < following and not is_known_below:
                with contextlib.suppress(Exception):  # code of a note may raise anything
                    found[code] = evaluate(code, variables, _shape, self.call)
        return found

    def check(self) -> Iterator[Check]:
        """Yield a check for each shape: whether some array has it."""
        for shape in claims_of(self.note).shapes:
            if not self.is_shape(shape):
                continue
            where = (shape.line, shape.text)
            if shape.given and not self.message_if_wrong_product(shape):
                yield Check("shape", *where, EXCEPTED, shape.given, shape.column)
            elif why := self.message_if_wrong_product(shape):
                yield Check("shape", *where, FAILS, why, shape.column)
            elif why := self.message_if_wrong(shape):
                outcome = FAILS if self.is_known(shape) else UNJUDGED
                reason = "" if self.is_bound(shape) else UNBOUND
                yield Check("shape", *where, outcome, why, shape.column, reason=reason)
            elif self.tried.get(shape) and _is_law(shape):
                why = f"{shape.text} holds for the sizes of this page, but not for others"
                why += f"\n  {self.tried[shape]}"
                yield Check("shape", *where, FAILS, why, shape.column, HERE)
            else:
                failed_elsewhere = self.tried.get(shape)  # None if it was not tried
                scope = "" if failed_elsewhere is None else HERE if failed_elsewhere else GENERAL
                arrays = self.arrays_with_shape(shape)
                yield Check("shape", *where, HOLDS, arrays, shape.column, scope)

    def states_shape_at(self, line: int, column: int) -> bool:
        """Return whether a place is in an expression whose shape the text states."""
        return any(
            shape.is_said_of(line, column) and self.is_shape(shape) and bool(self.subject_of(shape))
            for shape in claims_of(self.note).shapes
        )

    def size_names(self) -> set[str]:
        """Return the names of sizes in the shapes."""
        named = (_names(shape.dims) for shape in claims_of(self.note).shapes)
        return set().union(*named) & self.made.lengths

    def compare(self, other: Shapes) -> None:
        """Judge the shapes with named lengths on the arrays of a run on other numbers."""
        for shape in claims_of(self.note).shapes:
            if _names(shape.dims) and not shape.given and self.is_shape(shape):
                self.tried[shape] = self.tried.get(shape) or other.message_if_wrong(shape)

    def is_shape(self, shape: Shape) -> bool:
        """Return whether brackets hold a shape, rather than a pair of words, points or arrays."""
        names = _names(shape.dims)
        if shape.axis:
            if not shape.subject and self._shapes_of_expression(shape.word, shape.line):
                return False  # the word is the name of an array
            arrays = self._counted_arrays(shape) if shape.subject else self._are_arrays
            return names <= self.made.lengths and bool(arrays)
        has_arrays = any(name in self.made.named or name in self.made.others for name in names)
        if has_arrays and not (shape.is_called_shape and not shape.is_product):
            return False  # a list of arrays, or their product
        if shape.factors:
            return True
        if shape.is_square:  # in words: only a square with other sides is to be judged
            return len(set(shape.dims)) > 1
        if not names:
            # A pair of small numbers may as well be a point.
            is_small = all(int(dim) < _COUNTS for dim in shape.dims)
            is_named = shape.subject or shape.word in self.made.named or self.subject_of(shape)
            return bool(
                shape.is_called_shape
                or shape.is_product
                or shape.is_alone
                or is_named
                or not is_small
            )
        bound = names & self.made.lengths
        if _is_divided(shape) and not (shape.is_called_shape or (shape.is_product and bound)):
            return False  # a fraction, or a unit such as m/s
        if bound == names:
            return True
        are_symbols = all(len(name) == 1 or "_" in name or name in bound for name in names)
        if len(shape.dims) == 1:
            return are_symbols and _is_whole(shape) and bool(self.subject_of(shape))
        return are_symbols and bool(shape.is_called_shape or bound)

    @property
    def _are_arrays(self) -> bool:
        """Whether the note has an array that the text may mean without naming it."""
        return any(any(state.seen) for state in self.made.states)

    def subject_of(self, shape: Shape) -> tuple[str, set[tuple[int, ...]]] | None:
        """Return the array whose shape is stated, with its shapes above and next below.

        The text may name it by an expression in code, in other words, or right beside the shape.
        None if it does not.
        """
        if shape.code and (known := self._shapes_of_expression(shape.code, shape.line)):
            return shape.code, known
        subject = shape.subject or (shape.word if shape.word in self.made.named else "")
        if subject and (known := self._shapes_of_expression(subject, shape.line)):
            return subject, known
        if not shape.subject and shape.word_before in self.made.named:
            known = self._shapes_of_expression(shape.word_before, shape.line)
            # With another number of axes, the brackets are the arguments of a function.
            if known and {len(s) for s in known} == {len(shape.dims)}:
                return shape.word_before, known
        return None

    def _shapes_of_expression(self, code: str, line: int) -> set[tuple[int, ...]] | None:
        """Return the shapes of an expression after the blocks next to a line: above and below.

        If it has none there, all shapes that a variable of this name had in any block; None if
        there is no such variable.
        """
        shapes = [(state.line, _shape_of(code, state.shapes)) for state in self.made.states]
        above = [own for of_block, own in shapes if own is not None and of_block < line]
        below = [own for of_block, own in shapes if own is not None and of_block > line]
        return {*above[-1:], *below[:1]} or self.made.named.get(code)

    def _counted_arrays(self, shape: Shape) -> dict[str, set[tuple[int, ...]]]:
        """Return the arrays whose length is stated, with their shapes.

        A small letter may name a row of the array with the capital letter, as ``q_i`` does.
        """
        found: dict[str, set[tuple[int, ...]]] = {}
        for name in shape.subject.split(", "):
            own = set(self._shapes_of_expression(name, shape.line) or ())
            if re.fullmatch(r"[a-z](?:_\w)?", name):
                rows = self._shapes_of_expression(name[0].upper(), shape.line) or set()
                own |= {s[1:] for s in rows if len(s) > 1}
            if own:
                found[name] = (
                    set(map(_transposed, own)) if self._is_of_transpose(shape, name) else own
                )
        return found

    def _message_about_count(self, shape: Shape) -> str:
        """Return the message about a length, such as *four rows*; empty if an array has it."""
        (wanted,) = self.lengths_of(shape)
        if not shape.subject:
            # The entries may be those of a row.
            axes = ("entries", "columns") if shape.axis == "entries" else (shape.axis,)
            is_shown = wanted >= _COUNTS and wanted in self.made.numbers
            counts = (_possible_counts(axis, s) for s in self._all_shapes() for axis in axes)
            if is_shown or any(wanted in possible for possible in counts):
                return ""
            return f"{shape.text}: no array of this note has {wanted} {shape.axis}"
        for name, own in self._counted_arrays(shape).items():
            if not any(wanted in _possible_counts(shape.axis, s) for s in own):
                return f"{shape.text}: {self._called(shape, name)} has shape {_listed(own)}"
        return ""

    def is_known(self, shape: Shape) -> bool:
        """Return whether the array with the stated shape is known, and all lengths are bound."""
        subject = shape.subject if shape.axis else self.subject_of(shape)
        return bool(subject) and self.is_bound(shape)

    def message_if_wrong(self, shape: Shape) -> str:
        """Return the message about a shape; empty if an array has it."""
        if shape.factors:  # they were compared with each other by `message_if_wrong_product`
            names = _names(shape.dims)
            is_general = bool(names) and not names & self.made.lengths
            if is_general or (self.is_bound(shape) and _is_divided(shape)):
                return ""
        if shape.axis:
            return self._message_about_count(shape)
        if shape.is_square:
            return f"{shape.text}: a square has sides of equal length"
        try:
            wanted = self.lengths_of(shape)
        except UnboundError as error:
            return f"{shape.text}: no code of this note defines {error.args[0]}"
        if found := self.subject_of(shape):
            return self._message_about_subject(shape, wanted, *found)
        if len(wanted) == 1 and not _is_whole(shape):  # *12-dimensional*
            if any(_ends_in(s, wanted) for s in self._all_shapes()):
                return ""
            return f"{shape.text}: no array of this note has {wanted[0]} columns"
        if self._is_of_an_array(shape, wanted) or self._is_no_shape(shape, wanted):
            return ""
        alike = sorted(  # first those that differ in the fewest lengths
            (s for s in self._all_shapes() if len(s) == len(wanted)),
            key=lambda s: (sum(map(int.__ne__, s, wanted)), s),
        )
        hint = f"; there are {', '.join(map(str, alike[:_MOST_LISTED]))}" if alike else ""
        has_names = not re.fullmatch(r"[\d\W]+", shape.text)
        meaning = f" means {wanted}, and" if has_names else ":"
        return f"{shape.text}{meaning} no array of this note has that shape{hint}"

    def _all_shapes(self) -> set[tuple[int, ...]]:
        """Return all shapes that variables had after some block, or that outputs show."""
        return set().union(*(state.seen for state in self.made.states))

    def _message_about_subject(
        self, shape: Shape, wanted: tuple[int, ...], name: str, known: set[tuple[int, ...]]
    ) -> str:
        """Return the message about the shape of the array ``name``; empty if it may have it.

        ``wanted`` are the lengths that the text states. ``known`` are the shapes that the array has
        after the last block above the text, and after the first one below. Unless the text states
        all lengths, axes of a batch may precede them.
        """
        own = set(map(_transposed, known)) if self._is_of_transpose(shape, name) else known
        is_complete = _is_whole(shape) or shape.text.startswith("ℝ")
        is_complete |= name == shape.code and not _names(shape.dims)
        if any(s == wanted or (not is_complete and _ends_in(s, wanted)) for s in own):
            return ""
        if not shape.is_called_shape and wanted in self.made.vectors[name]:
            return ""  # the brackets hold its elements, not its shape
        return f"{shape.text}: {self._called(shape, name)} has shape {_listed(own)}"

    def _is_of_an_array(self, shape: Shape, wanted: tuple[int, ...]) -> bool:
        """Return whether some array has the lengths ``wanted``.

        For an array of the nearest blocks, axes of a batch may precede them, unless the text states
        all lengths. A factor of a product may be a transpose that has no name.
        """
        may_be_transpose = bool(shape.is_transposed or shape.factors)
        for own in self._all_shapes():
            if own == wanted or (may_be_transpose and _transposed(own) == wanted):
                return True
        near = sorted(self.made.states, key=lambda state: abs(state.line - shape.line))[:_NEAR]
        return not _is_whole(shape) and any(
            _ends_in(s, wanted) or (may_be_transpose and _ends_in(_transposed(s), wanted))
            for state in near
            for s in state.seen
        )

    def _is_no_shape(self, shape: Shape, wanted: tuple[int, ...]) -> bool:
        """Return whether the page has the same numbers as a row, or their product as a number."""
        # A tuple of names cannot be a row of numbers.
        may_be_row = not (shape.is_called_shape and _names(shape.dims))
        if may_be_row and (wanted in self.made.runs or wanted in self.made.rows):
            return True
        is_product = shape.is_product and " by " not in shape.text
        if not is_product or shape.is_called_shape or shape.factors:
            return False
        has_numbers_only = all(dim.isdigit() for dim in shape.dims)
        return has_numbers_only and math.prod(wanted) in self.made.numbers

    def message_if_wrong_product(self, shape: Shape) -> str:
        """Return the message about the shape of a factor or product; empty if it is right."""
        if not shape.factors:
            return ""
        if len(shape.factors) == 1:  # it is a factor; of a first factor, the other one is empty
            left, right = shape.factors[0], shape.dims
            pairs = [(left[-1], right[-2])] if left else []
            what = "the second factor"
        else:  # it is the product of two factors
            left, right = shape.factors
            if _spaceless(left[-1]) != _spaceless(right[-2]):
                return ""  # the failure is that of the second factor
            pairs = [(left[-2], shape.dims[-2]), (right[-1], shape.dims[-1])]
            what = f"the product of {_with_signs(left)} and {_with_signs(right)}"
        for needed, stated in pairs:
            if _spaceless(needed) != _spaceless(stated):
                return f"{shape.text}: as {what}, it needs {needed} where it has {stated}"
        return ""

    def is_bound(self, shape: Shape) -> bool:
        """Return whether the note binds all names in a shape to integers."""
        return _names(shape.dims) <= self.made.lengths

    def _called(self, shape: Shape, subject: str) -> str:
        """Return what the text calls the array whose shape it states."""
        return f"the transpose of {subject}" if self._is_of_transpose(shape, subject) else subject

    def _is_of_transpose(self, shape: Shape, subject: str) -> bool:
        """Return whether the text states the shape of the transpose of ``subject``."""
        return shape.is_transposed and not subject.endswith(".T") and "@" not in subject

    def arrays_with_shape(self, shape: Shape) -> str:
        """Return the variables with a shape as text: *Q (6, 2); K (6, 2)*; empty if none has it."""
        if not self.is_bound(shape):
            return "the lengths fit" if shape.factors else ""
        if shape.axis:
            counted = self._counted_arrays(shape).items()
            return "; ".join(f"{name} {_listed(own)}" for name, own in counted)
        wanted = self.lengths_of(shape)
        found = []
        subject = self.subject_of(shape)
        if subject is None:
            by_name = self.made.named
        elif subject[0].endswith(".T"):
            name, known = subject
            by_name = {name.removesuffix(".T"): set(map(_transposed, known))}
        else:
            by_name = dict([subject])
        for name, known in by_name.items():
            for own in sorted(known):
                if _ends_in(own, wanted):
                    found.append(f"{name} {own}")
                elif _ends_in(_transposed(own), wanted) and (shape.is_transposed or subject):
                    found.append(f"{name} transposed {_transposed(own)}")
        # A variable with exactly this shape comes before those with axes of a batch before it.
        found.sort(key=lambda entry: not entry.endswith(f" {wanted}"))
        return "; ".join(found[:_MOST_LISTED])

    def lengths_of(self, shape: Shape) -> tuple[int, ...]:
        """Return the lengths as integers; a name has its value above, or else next below.

        Raises
        ------
        UnboundError
            If a name is not bound.
        """
        words = _names(shape.dims)
        if not words:
            return tuple(_length(dim, {}) for dim in shape.dims)
        known = [state for state in self.made.states if words <= state.lengths.keys()]
        if not known:
            # If each is bound by some block, no block binds both.
            unbound = (name for name in sorted(words) if name not in self.made.lengths)
            raise UnboundError(next(unbound, "both"))
        above = [state for state in known if state.line < shape.line]
        state = above[-1] if above else known[0]
        return tuple(_length(dim, state.lengths) for dim in shape.dims)


def _shape(value: Any) -> tuple[int, ...]:
    """Return the shape of an array as plain integers, which can leave the process of a note."""
    return tuple(map(int, value.shape))


def _is_law(shape: Shape) -> bool:
    """Return whether a shape is a law for any sizes: its lengths are names, as in ``(n, d_k)``."""
    return not any(char.isdigit() for dim in shape.dims for char in re.sub(r"\w*_\w*", "", dim))


def _is_whole(shape: Shape) -> bool:
    """Return whether a shape is complete, as ``(4,)`` is; others may lack axes of a batch."""
    return len(shape.dims) == 1 and shape.text.endswith(")")


def _is_divided(shape: Shape) -> bool:
    return any("/" in dim for dim in shape.dims)


def _names(dims: tuple[str, ...]) -> set[str]:
    """Return the names in some lengths.

    >>> sorted(_names(("2 * n", "d_k", "3")))
    ['d_k', 'n']
    """
    return {word for dim in dims for word in re.findall(r"[A-Za-z]\w*", dim)}


def _spaceless(dim: str) -> str:
    return dim.replace(" ", "")


def _with_signs(dims: tuple[str, ...]) -> str:
    return " × ".join(dims)


def _shape_of(expression: str, shapes: Mapping[str, tuple[int, ...]]) -> tuple[int, ...] | None:
    """Return the shape of an expression, given the shapes of its arrays; None if it has none.

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
    """Return the shape of an expression of names, products, transposes and items such as `X[0]`.

    Raises ValueError or KeyError if it is unknown.
    """
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
    raise ValueError("the shape is not known")


def _transposed(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return a shape with its last two axes exchanged.

    >>> _transposed((2, 6, 3)), _transposed((4,))
    ((2, 3, 6), (4,))
    """
    return shape[:-2] + shape[:-3:-1]


def _length(dim: str, values: Mapping[str, int]) -> int:
    """Return the value of a length; -1 if it is not whole.

    ``values`` are those of the names in it.

    >>> [_length(dim, {"n": 6, "d": 4}) for dim in ("3", "2d", "n + d", "n d", "d / 2", "d / 3")]
    [3, 8, 10, 24, 2, -1]
    """
    total = Fraction(0)
    for sign, term in re.findall(r"([+-]?)([^+-]+)", dim):
        value = Fraction(-1 if sign == "-" else 1)
        for divides, factor in re.findall(r"(/?)\s?([A-Za-z]\w*|\d+)", term):
            number = int(factor) if factor.isdigit() else values[factor]
            value = value / number if divides and number else value * number
        total += value
    return int(total) if total.denominator == 1 else -1


def _possible_counts(axis: str, shape: tuple[int, ...]) -> set[int]:
    """Return the possible numbers of rows, columns, entries, axes or dimensions of an array.

    >>> [_possible_counts(unit, (6, 4)) for unit in ("rows", "entries", "dimensions")]
    [{6}, {24}, {2, 4}]
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


def _ends_in(shape: tuple[int, ...], dims: tuple[int, ...]) -> bool:
    """Return whether a shape ends in ``dims``, perhaps after axes of a batch.

    >>> _ends_in((2, 6, 3), (6, 3)), _ends_in((6, 3), (6, 3)), _ends_in((3,), (6, 3))
    (True, True, False)
    """
    return len(shape) >= len(dims) and shape[len(shape) - len(dims) :] == dims


def _listed(shapes: set[tuple[int, ...]]) -> str:
    return " or ".join(str(shape) for shape in sorted(shapes)[:_MOST_LISTED])
