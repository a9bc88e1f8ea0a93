"""Finds where each array of a note appears: in its formulas, in its code and in its outputs.

With this, a page marks an array wherever it is. An array is one binding of a
variable: `x = x + 1` begins another one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from vaultkit.checks.check import HOLDS, Check
from vaultkit.checks.printed import is_print_call
from vaultkit.claims.expressions import parsed
from vaultkit.claims.places import page_places
from vaultkit.read.note import Block, Note

#: The variables in the evidence of an equation, ``W (3, 2); n = 3``, and of a shape, ``variable x;
#: length of an axis of W``.
_IN_EVIDENCE = {
    "equation": re.compile(r"(?:^|; )(?P<name>[A-Za-z_]\w*)(?= \(| = )"),
    "shape": re.compile(
        r"(?:^|; )(?:variable |length of (?:an axis of )?)?(?P<name>[A-Za-z_]\w*)\b"
    ),
}
#: A position in the code of a block: line and column, from 0.
Position = tuple[int, int]


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
        By the index of a block, the positions of its name there.
    printed
        By the index of a block, first and last line of the output that shows it, from 0.
    """

    name: str
    formulas: list[int] = field(default_factory=list)
    code: dict[int, list[Position]] = field(default_factory=dict)
    printed: dict[int, tuple[int, int]] = field(default_factory=dict)

    def plain(self) -> list[object]:
        """Return it as a list of plain data, which a script of the page reads."""
        return [self.name, self.formulas, self.code, self.printed]


def find_arrays(note: Note, checks: Sequence[Check]) -> list[Array]:
    """Find the arrays that formulas of a note were judged on, in the order of their bindings.

    Parameters
    ----------
    note
        The note.
    checks
        All checks of the note; the evidence of those that hold names the arrays.
    """
    bindings = _Bindings(note)
    places = page_places(note)
    for check in checks:
        if check.outcome != HOLDS or check.kind not in _IN_EVIDENCE:
            continue
        names = {match["name"] for match in _IN_EVIDENCE[check.kind].finditer(check.why)}
        for place in places.names_of(check.kind, check.line, check.column, check.what):
            kind, _, number = place.partition("-")  # as in *formula-3*
            if kind == "formula":
                for name in names:
                    _add_formula(bindings.array_at(name, check.line), int(number))
    judged = {id(array) for array in bindings.arrays if array.formulas}
    for index, formula in enumerate(note.formulas):
        # A letter in a sentence, *the matrix $W$*, states nothing, so that no check names it. It
        # means an array only if a formula was judged on that array.
        array = bindings.array_at(_python_name(formula.tex), formula.line)
        if id(array) in judged:
            _add_formula(array, index)
    return [array for array in bindings.arrays if array.formulas]


def _add_formula(array: Array | None, index: int) -> None:
    """Add the index of a formula to an array, if there is an array and it lacks the index."""
    if array and index not in array.formulas:
        array.formulas.append(index)


def _python_name(tex: str) -> str:
    r"""Return a formula of one symbol as a Python name.

    >>> _python_name(r"d_{\text{model}}"), _python_name(r"\alpha")
    ('d_model', 'alpha')
    """
    return re.sub(r"\\(?:text|mathrm|operatorname)\b|[\s\\{}]", "", tex)


class _Bindings:
    """The arrays that the blocks of a note bind, with their uses in code and outputs.

    Every variable is recorded as an `Array`; `find_arrays` keeps those of formulas.
    """

    def __init__(self, note: Note) -> None:
        self.arrays: list[Array] = []
        #: By name, the lines of the blocks that bind it, each with the array bound there.
        self._by_name: dict[str, list[tuple[int, Array]]] = {}
        for index, block in enumerate(note.blocks):
            # A session's lines begin with prompts, and what they bind is not judged.
            if block.kind != "pycon":
                self._record_arrays(index, block)

    def array_at(self, name: str, line: int) -> Array | None:
        """Return what a name means in a line of the note.

        It is the last array bound to it above the line, or else the first one below; None if no
        block binds the name.
        """
        bound = self._by_name.get(name, [])
        bound_above = [array for binding_line, array in bound if binding_line < line]
        if bound_above:
            return bound_above[-1]
        return bound[0][1] if bound else None

    def _record_arrays(self, index: int, block: Block) -> None:
        """Record where the code of a block binds, uses and prints arrays."""
        body = parsed(block.fence.text)
        lines = block.fence.text.split("\n")
        for statement in body:
            uses = [*_name_uses(statement)]
            is_assignment = isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign))
            before = {use.name: self._last(use.name) for use in uses}
            for name in sorted({use.name for use in uses if use.binds}):
                array = Array(name)
                self.arrays.append(array)
                self._by_name.setdefault(name, []).append((block.fence.line, array))
            for name, node, binds in uses:
                # Python computes the right side before it binds the left side: in `x = x + 1`, the
                # second x is the array before. In a loop, a use is taken to be the array bound.
                is_old = is_assignment and not binds
                used = before[name] if is_old else self._last(name)
                position = _position(node, name, lines)
                if used and position:
                    used.code.setdefault(index, []).append(position)
        if block.output:
            for name, line_range in _printed_variables(body, block.output.text):
                if printed := self._last(name):
                    printed.printed[index] = line_range

    def _last(self, name: str) -> Array | None:
        """Return the array bound to a name by the statements recorded so far."""
        bound = self._by_name.get(name)
        return bound[-1][1] if bound else None


class _NameUse(NamedTuple):
    """A name in code, its node, and whether the node binds it."""

    name: str
    node: ast.Name | ast.alias
    binds: bool


def _name_uses(node: ast.AST, hidden: frozenset[str] = frozenset()) -> Iterator[_NameUse]:
    """Yield the uses of the global names in a piece of code, but not those of local names.

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
            local = {part.id for part in parts if isinstance(part, ast.Name)}
            for child in ast.iter_child_nodes(node):
                yield from _name_uses(child, hidden | local)
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _name_uses(child, hidden)


def _position(node: ast.Name | ast.alias, name: str, lines: Sequence[str]) -> Position | None:
    """Return the position of a name in the lines of its block.

    None if another text is there: in ``import a as b``, the node of b begins at the a.
    """
    line = node.lineno - 1
    # The syntax tree counts bytes of UTF-8, a position counts characters.
    column = len(lines[line].encode()[: node.col_offset].decode())
    return (line, column) if lines[line].startswith(name, column) else None


def _printed_variables(
    body: Sequence[ast.stmt], output: str
) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield each variable that an output shows, with the first and last line that show it.

    Each statement that prints is matched with one value in the output, in order. If their numbers
    differ, or if a loop prints, it is not known which statement printed what: nothing is yielded.
    """
    printed: list[list[ast.expr]] = []
    for index, statement in enumerate(body):
        if isinstance(statement, ast.Expr):
            expression = statement.value
            if is_print_call(expression):
                printed.append(expression.args)
            elif index == len(body) - 1:
                printed.append([expression])  # as in a notebook, its value is shown
        elif not isinstance(statement, (ast.FunctionDef, ast.ClassDef)) and any(
            isinstance(part, ast.Name) and part.id == "print" for part in ast.walk(statement)
        ):
            return
    line_ranges = [*_line_ranges(output)]
    if len(line_ranges) != len(printed):
        return
    for arguments, line_range in zip(printed, line_ranges, strict=True):
        values = [value for value in arguments if not isinstance(value, ast.Constant)]
        if len(values) == 1 and (name := _shown_array(values[0])):
            yield name, line_range


def _shown_array(node: ast.expr) -> str:
    """Return the name of the array that an expression shows, in part, rounded or transposed.

    Empty if the expression computes anything else.

    >>> codes = ("x.T[0]", "np.round(x, 2)", "x.round(2)", "x + 1")
    >>> [_shown_array(ast.parse(code, mode="eval").body) for code in codes]
    ['x', 'x', 'x', '']
    """
    match node:
        case ast.Name(id=name):
            return name
        case ast.Subscript(value=value) | ast.Attribute(value=value, attr="T"):
            return _shown_array(value)
        case ast.Call(ast.Attribute(ast.Name("np"), "round"), [array, *_]):
            return _shown_array(array)
        case ast.Call(ast.Attribute(array, "round" | "astype" | "tolist")):
            return _shown_array(array)
    return ""


def _line_ranges(output: str) -> Iterator[tuple[int, int]]:
    r"""Yield the first and last line of each value of an output, which ends with all brackets shut.

    >>> list(_line_ranges("[[1 2]\n [3 4]]\n5"))
    [(0, 1), (2, 2)]
    """
    first = depth = 0
    lines = output.rstrip("\n").split("\n")
    for index, line in enumerate(lines):
        depth += sum(line.count(sign) for sign in "([{") - sum(line.count(sign) for sign in ")]}")
        if depth <= 0:
            yield first, index
            first, depth = index + 1, 0
    if first < len(lines):
        yield first, len(lines) - 1
