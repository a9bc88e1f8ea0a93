"""Where each array of a note appears: in its formulas, in its code, in what its code prints."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

from vaultkit.checks.check import HOLDS, Check
from vaultkit.checks.printed import is_print_call
from vaultkit.claims.expressions import parsed
from vaultkit.claims.places import page_places
from vaultkit.read.note import Block, Note

#: The number of colours for arrays.
HUES = 6

_JUDGED_ON = re.compile(r"(?:^|; )(?P<name>[A-Za-z_]\w*)(?= \(| = )")
_SHAPE_OF = re.compile(r"(?:^|; )(?:variable |length of (?:an axis of )?)?(?P<name>[A-Za-z_]\w*)\b")


@dataclass
class Array:
    """A variable between the statement that binds it and the next one that rebinds it.

    Attributes
    ----------
    name
        Its name.
    formulas
        Indices of the formulas that were judged on it.
    code
        By the index of a block, line and column of each of its names there, from 0.
    printed
        By the index of a block, first and last line of the output that shows it, from 0.
    hue
        Index of its colour; the arrays of a formula have different colours if there are enough.
    """

    name: str
    formulas: list[int] = field(default_factory=list)
    code: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    printed: dict[int, tuple[int, int]] = field(default_factory=dict)
    hue: int = 0

    def plain(self) -> list[object]:
        """Return it as plain data."""
        return [self.name, self.hue, self.formulas, self.code, self.printed]


def find_arrays(note: Note, checks: Sequence[Check]) -> list[Array]:
    """Find the arrays that formulas of a note were judged on.

    Parameters
    ----------
    note
        The note.
    checks
        All checks of the note.

    Returns
    -------
    list of Array
        In the order in which they are bound.
    """
    bindings = _Bindings(note)
    where = page_places(note)
    for check in checks:
        if check.outcome != HOLDS or check.kind not in ("equation", "shape"):
            continue
        of = _JUDGED_ON if check.kind == "equation" else _SHAPE_OF
        names = list(dict.fromkeys(found["name"] for found in of.finditer(check.why)))
        for place in where.names_of(check.kind, check.line, check.column, check.what):
            kind, _, number = place.partition("-")
            if kind != "formula":
                continue
            for name in names:
                array = bindings.array_at(name, check.line)
                if array and int(number) not in array.formulas:
                    array.formulas.append(int(number))
    judged = {id(array) for array in bindings.found if array.formulas}
    for index, formula in enumerate(note.formulas):
        # A letter in a sentence states nothing; it means the array that the formulas around it
        # name.
        array = bindings.array_at(_python_name(formula.tex), formula.line)
        if array and id(array) in judged and index not in array.formulas:
            array.formulas.append(index)
    found = [array for array in bindings.found if array.formulas]
    for index, array in enumerate(found):
        taken = {a.hue for a in found[:index] if set(a.formulas) & set(array.formulas)}
        free = (hue for hue in range(HUES) if hue not in taken)
        array.hue = next(free, index % HUES)
    return found


def _python_name(tex: str) -> str:
    r"""Return a formula of one symbol as a Python name.

    >>> _python_name(r"d_{\text{model}}"), _python_name(r"\alpha")
    ('d_model', 'alpha')
    """
    return re.sub(r"\\(?:text|mathrm|operatorname)\b|[\s\\{}]", "", tex)


class _Bindings:
    """Reads the blocks of a note from top to bottom."""

    def __init__(self, note: Note) -> None:
        self.found: list[Array] = []
        #: By name, the lines where it is bound, and the array that is bound there.
        self.bound: dict[str, list[tuple[int, Array]]] = {}
        for index, block in enumerate(note.blocks):
            # A session's lines begin with prompts, and what they bind is not judged.
            if block.kind != "pycon":
                self._record_arrays(index, block)

    def array_at(self, name: str, line: int) -> Array | None:
        """Return the array of a name in a line: bound above it, or else the first one below."""
        bound = self.bound.get(name, [])
        bound_above = [array for binding_line, array in bound if binding_line < line]
        if bound_above:
            return bound_above[-1]
        return bound[0][1] if bound else None

    def _record_arrays(self, index: int, block: Block) -> None:
        """Record where the code of a block binds, uses and prints arrays."""
        body = parsed(block.fence.text)
        lines = block.fence.text.split("\n")
        for statement in body:
            names = [*_name_uses(statement)]
            stored = {name for name, _, binds in names if binds}
            simple = isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign))
            before = {name: self._last(name) for name, _, _ in names}
            for name in sorted(stored):
                array = Array(name)
                self.found.append(array)
                self.bound.setdefault(name, []).append((block.fence.line, array))
            for name, node, binds in names:
                # Python computes the right side before it binds the left side.
                named = before[name] if simple and not binds else self._last(name)
                place = _position(node, name, lines)
                if named and place:
                    named.code.setdefault(index, []).append(place)
        if block.output:
            for name, rows in _printed_variables(body, block.output.text):
                if shown := self._last(name):
                    shown.printed[index] = rows

    def _last(self, name: str) -> Array | None:
        bound = self.bound.get(name)
        return bound[-1][1] if bound else None


class _NameUse(NamedTuple):
    """A name in code, its node, and whether the node binds it."""

    name: str
    node: ast.Name | ast.alias
    binds: bool


def _name_uses(node: ast.AST, hidden: frozenset[str] = frozenset()) -> Iterator[_NameUse]:
    """Yield the uses of the names of the module in a piece of code.

    >>> [(use.name, use.binds) for use in _name_uses(ast.parse("y = [k + x for k in x]"))]
    [('y', True), ('x', False), ('x', False)]

    ``hidden``: the names that comprehensions around the node bind.
    """
    match node:
        case ast.Name(id=name, ctx=ctx) if name not in hidden:
            yield _NameUse(name, node, isinstance(ctx, ast.Store))
        case ast.alias(name=name, asname=other):
            yield _NameUse(other or name.partition(".")[0], node, True)
        case ast.FunctionDef() | ast.ClassDef() | ast.Lambda():
            return  # a scope of its own
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            targets = [generator.target for generator in node.generators]
            parts = [part for target in targets for part in ast.walk(target)]
            own = {part.id for part in parts if isinstance(part, ast.Name)}
            for child in ast.iter_child_nodes(node):
                yield from _name_uses(child, hidden | own)
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _name_uses(child, hidden)


def _position(
    node: ast.Name | ast.alias, name: str, lines: Sequence[str]
) -> tuple[int, int] | None:
    """Return line and column of a name within its block, in characters.

    None for a renamed import.
    """
    line = node.lineno - 1
    column = len(lines[line].encode()[: node.col_offset].decode())
    return (line, column) if lines[line].startswith(name, column) else None


def _printed_variables(
    body: Sequence[ast.stmt], output: str
) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield each variable with the lines of an output that show it, if only one is possible."""
    shows = []
    for at, statement in enumerate(body):
        if isinstance(statement, ast.Expr):
            call = statement.value
            if is_print_call(call):
                shows.append(call.args)
            elif at == len(body) - 1:
                shows.append([call])
        elif not isinstance(statement, (ast.FunctionDef, ast.ClassDef)) and any(
            isinstance(part, ast.Name) and part.id == "print" for part in ast.walk(statement)
        ):
            return  # A loop prints as often as it runs.
    rows = [*_line_ranges(output)]
    if len(rows) != len(shows):
        return
    for shown, lines in zip(shows, rows, strict=True):
        values = [value for value in shown if not isinstance(value, ast.Constant)]
        if len(values) == 1 and (name := _shown_array(values[0])):
            yield name, lines


def _shown_array(node: ast.expr) -> str:
    """Return the name of the array that an expression shows, in part, rounded or transposed.

    >>> codes = ("x.T[0]", "np.round(x, 2)", "x.round(2)", "x + 1")
    >>> [_shown_array(ast.parse(code, mode="eval").body) for code in codes]
    ['x', 'x', 'x', '']
    """
    match node:
        case ast.Name(id=name):
            return name
        case ast.Subscript(value=value) | ast.Attribute(value=value, attr="T"):
            return _shown_array(value)
        case ast.Call(func=ast.Attribute(value=value, attr="round" | "astype" | "tolist")):
            first = node.args[0] if node.args else value
            return _shown_array(
                first if isinstance(value, ast.Name) and value.id == "np" else value
            )
    return ""


def _line_ranges(output: str) -> Iterator[tuple[int, int]]:
    r"""Yield the line ranges of an output, divided where all brackets are closed.

    >>> list(_line_ranges("[[1 2]\n [3 4]]\n5"))
    [(0, 1), (2, 2)]
    """
    first = depth = 0
    lines = output.rstrip("\n").split("\n")
    for at, line in zip(count(), lines, strict=False):
        depth += sum(line.count(sign) for sign in "([{") - sum(line.count(sign) for sign in ")]}")
        if depth <= 0:
            yield first, at
            first, depth = at + 1, 0
    if first < len(lines):
        yield first, len(lines) - 1
