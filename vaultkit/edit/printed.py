"""The expressions in a note's code: what it prints, with loops unrolled, and the parts of it."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple

from vaultkit.checks.printed import is_print_call
from vaultkit.claims.expressions import is_steady
from vaultkit.claims.lexicon import lexicon
from vaultkit.edit.wording import stems

#: What separates the texts of several values.
_BREAK = re.compile(r"[;,|:?]\s|\n|\s{3,}")
#: What separates the columns of a printed table.
_COLUMN = re.compile(r"\s{2,}")
#: Most items of a loop.
_ITEMS = 12
#: Functions that change something, or show it.
_CHANGING = (
    "print append pop write read seed shuffle normal integers choice update remove sort extend"
    " uniform choices sample setdefault popleft appendleft heappush heappop heapify clear insert"
    " close connect execute fetchall fetchone commit add discard"
)
_IMPURE = frozenset(_CHANGING.split())
#: Statements in which a name may have another value at each time.
_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.While, ast.For, ast.With)


@dataclass(frozen=True)
class CodeExpression:
    """An expression in the code of a note.

    Attributes
    ----------
    node
        The expression.
    names
        The words beside it: the text printed around it, the names replaced in it.
    phrases
        The words printed right before it and right behind it, up to a break.
    labels
        For each loop around it, the words for its item.
    form
        The format in which it is printed; None if it is not.
    series
        The expression as the loop has it, which is the same for all items.
    """

    node: ast.expr
    names: frozenset[str] = frozenset()
    labels: tuple[frozenset[str], ...] = ()
    form: str | None = None
    series: str = ""
    phrases: tuple[frozenset[str], ...] = ()


def expressions_in_code(
    trees: Sequence[ast.stmt], variables: Mapping[str, Any]
) -> Iterator[CodeExpression]:
    """Yield the expressions in the code: first those that are printed."""
    for tree in trees:
        if isinstance(tree, ast.For):
            yield from _unrolled(tree, variables)
        elif isinstance(tree, ast.Expr) and not is_print_call(tree.value):
            yield CodeExpression(tree.value, form="")
        elif not isinstance(tree, _INNER):
            for node in ast.walk(tree):
                if is_print_call(node):
                    yield from _printed(node)
    for tree in trees:
        if not isinstance(tree, _INNER):
            for node in ast.walk(tree):
                if isinstance(node, (ast.BinOp, ast.Call, ast.Subscript, ast.Attribute)):
                    yield CodeExpression(node)


def evaluated(node: ast.expr, variables: Mapping[str, Any]) -> Any:
    """Return the value of an expression; None if it has none, or if it could change something.

    It may name only variables and built-in functions, and call nothing of `_IMPURE`.
    """
    names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
    used = {name.id for name in names}
    used |= {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}
    bound = {name.id for name in names if isinstance(name.ctx, ast.Store)}
    bound |= {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
    free = {name.id for name in names} - bound
    code = ast.unparse(node)
    if used & _IMPURE or free - variables.keys() - vars(builtins).keys() or not is_steady(code):
        return None
    try:
        return eval(compile(code, "<binding>", "eval"), dict(variables))
    except Exception:  # code of a note may raise anything
        return None


def _printed(call: ast.Call) -> Iterator[CodeExpression]:
    """Yield the expressions that a call of ``print`` shows, with the text before each."""
    parts: list[ast.expr] = []
    for argument in call.args:
        parts += argument.values if isinstance(argument, ast.JoinedStr) else [argument]
    texts = [str(part.value) if isinstance(part, ast.Constant) else None for part in parts]
    # If no text is behind the last value, each value has its text before it.
    texts_are_ahead = bool(texts) and texts[-1] is None
    before = ""
    # Behind the last part there is no text, and `print()` has no part at all.
    for part, text, next_text in zip(parts, texts, [*texts, None][1:], strict=True):
        if text is not None:
            before = text
            continue
        ahead = stems(_BREAK.split(before.rstrip(" :=|"))[-1])
        behind = "" if texts_are_ahead and ahead else next_text or ""
        after = _behind(behind)
        # Before two blanks, the text is about another value.
        names = stems(_COLUMN.split(before.rstrip())[-1]) | after | _unit(behind)
        phrases = tuple(phrase for phrase in (ahead, after) if phrase)
        match part:
            case ast.FormattedValue(inner, _, form):
                yield CodeExpression(inner, names, form=_form(form), phrases=phrases)
            case ast.Starred(inner):
                yield CodeExpression(inner, names, form="", phrases=phrases)
            case _:
                yield CodeExpression(part, names, form="", phrases=phrases)


def _behind(text: str) -> frozenset[str]:
    """Return the words of a text right behind a value: a noun, and no unit.

    >>> sorted(_behind(" gears, of which")), sorted(_behind(" mm, on")), sorted(_behind(": x"))
    (['gear'], [], [])
    """
    match = re.match(r"\s*([^\W\d_]{3,})(?:\s+([^\W\d_]{3,}))?", text)
    words = [word for word in match.groups("") if word] if match else []
    units = lexicon().words["measures"]
    is_unit = len(words) == 1 and any(words[0].lower() in names for names in units.values())
    return frozenset() if is_unit else stems(" ".join(words), spoken=True)


def _unit(text: str) -> frozenset[str]:
    """Return the word right behind a value, which may be its unit: *km*, but not *m*."""
    match = re.match(r"\s*([^\W\d_]{2,})", text)
    return stems(match[1]) if match else frozenset()


def _form(form: ast.expr | None) -> str:
    """Return the format of a value in an f-string: ``.2f`` of ``{x:.2f}``."""
    parts = form.values if isinstance(form, ast.JoinedStr) else []
    return "".join(str(part.value) for part in parts if isinstance(part, ast.Constant))


def _unrolled(loop: ast.For, variables: Mapping[str, Any]) -> Iterator[CodeExpression]:
    """Yield what a loop prints, with each of its items in place of the loop's variables.

    Loops inside it have turns of their own (`_turns`).
    """
    for turn in _turns(loop, variables, _Turn({}, {}, ())):
        plain = (statement for statement in turn.body if not isinstance(statement, ast.For))
        calls = (node for statement in plain for node in ast.walk(statement) if is_print_call(node))
        for expression in (expression for call in calls for expression in _printed(call)):
            source = ast.unparse(expression.node)
            names = expression.names | stems(source)
            node = turn.filled(expression.node)
            # An expression of constants alone is not evidence.
            if _names_any(node, variables):
                # The line tells loops with the same expression apart.
                series = f"{turn.line}: {source}"
                yield replace(
                    expression, node=node, names=names, labels=(turn.label,), series=series
                )


@dataclass(frozen=True)
class _Turn:
    """A turn of a loop, or of a loop inside another one.

    In the second turn of ``for name, mass in zip(names, masses): total = 2 * mass``, the variable
    ``mass`` stands for ``masses[1]``, and ``total`` for ``2 * masses[1]``.

    Attributes
    ----------
    given
        The expression that each variable stands for.
    indices
        The values of the variables that are integers, which may be indices.
    words
        The words for the items: the first item, and others that are texts.
    body, line
        The statements of the loop and its line.
    """

    given: Mapping[str, ast.expr]
    indices: Mapping[str, int]
    words: tuple[str, ...]
    body: Sequence[ast.stmt] = ()
    line: int = 0

    @property
    def label(self) -> frozenset[str]:
        """The words that name the items of this turn."""
        return stems(" ".join(self.words))

    def filled(self, node: ast.expr) -> ast.expr:
        """Return an expression of the loop with what its variables stand for."""
        filled: ast.expr = _Filled(self.given, self.indices).visit(deepcopy(node))
        return filled


def _turns(loop: ast.For, variables: Mapping[str, Any], outer: _Turn) -> Iterator[_Turn]:
    """Yield the turns of a loop, and those of the loops in it.

    There are none if the loop changes a variable other than by one assignment, or reads it before.
    """
    if not any(is_print_call(node) for node in ast.walk(loop)) or _reads_earlier_values(loop):
        return
    inner = [statement for statement in loop.body if isinstance(statement, ast.For)]
    plain = [statement for statement in loop.body if not isinstance(statement, ast.For)]
    changed = {name for inner_loop in inner for name in _stored(inner_loop)}
    if changed & {name for statement in plain for name in _stored(statement)}:
        return
    items = _items(outer.filled(loop.iter), variables)
    for item, access in islice(items, _ITEMS):
        bound = list(_bound_by(loop.target, item, access))
        indices = {**outer.indices, **_indices(bound)}
        given = {**outer.given, **{variable.name: variable.access for variable in bound}}
        after_assignments = _with_assignments(plain, given, indices)
        if after_assignments is None:
            return
        texts = tuple(variable.value for variable in bound if isinstance(variable.value, str))
        words = (*outer.words, *(str(variable.value) for variable in bound[:1]))
        if inner and texts and not outer.words:
            words = texts  # in a label of two texts, the number of the turn says nothing
        turn = _Turn(after_assignments, indices, words, loop.body, loop.lineno)
        yield turn
        for inner_loop in inner:
            yield from _turns(inner_loop, variables, turn)


def _reads_earlier_values(loop: ast.For) -> bool:
    """Return whether a loop reads a variable with a value of an earlier turn.

    These are the variables that it reads before, or in, their assignment, and those of the loops in
    it, which have their last value behind them.
    """
    items = _stored(loop.target)
    read: set[str] = set()
    of_inner_loops: set[str] = set()
    for statement in loop.body:
        stored, needed = _stored(statement), _read(statement)
        if isinstance(statement, ast.For):  # `_turns` reads it by itself
            of_inner_loops |= stored
            needed -= stored
        elif stored & (read | (needed - items)):
            return True
        read |= needed
    return bool(of_inner_loops & read)


class _Variable(NamedTuple):
    """A variable of a loop in one turn: the expression that it stands for, and its value."""

    name: str
    access: ast.expr
    value: Any


def _indices(bound: Sequence[_Variable]) -> dict[str, int]:
    """Return the values of those variables that are integers, which may be indices."""
    return {one.name: one.value for one in bound if type(one.value) is int}


def _names_any(node: ast.expr, variables: Mapping[str, Any]) -> bool:
    return any(isinstance(part, ast.Name) and part.id in variables for part in ast.walk(node))


#: An item of a loop, and the expression for it.
_Item = tuple[Any, ast.expr]


def _items(node: ast.expr, variables: Mapping[str, Any]) -> Iterator[_Item]:
    """Yield each item over which a loop runs, with the expression that gives it: ``x[0]``.

    Of ``zip``, ``enumerate`` and ``items``, both are tuples.
    """
    match node:
        case ast.Call(ast.Attribute(of, "items"), []):
            value = evaluated(of, variables)
            for key, item in value.items() if isinstance(value, dict) else ():
                index = ast.Constant(key) if isinstance(key, (str, int)) else _literal(key)
                if index is not None:
                    yield (key, item), ast.Tuple([index, _element(of, index)], ast.Load())
        case ast.Call(ast.Name("zip"), iterables) if iterables:
            columns = [list(_items(iterable, variables)) for iterable in iterables]
            for row in zip(*columns, strict=False):
                yield tuple(item for item, _ in row), ast.Tuple([a for _, a in row], ast.Load())
        case ast.Call(ast.Name("enumerate"), [of]):
            for n, (item, access) in enumerate(_items(of, variables)):
                yield (n, item), ast.Tuple([ast.Constant(n), access], ast.Load())
        case ast.Tuple(parts) | ast.List(parts):
            for part in parts:
                yield evaluated(part, variables), part
        case _:
            value = evaluated(node, variables)
            if isinstance(value, (str, range, dict, set, frozenset)):
                # Their items are values themselves.
                yield from ((item, _literal(item) or node) for item in value)
            elif hasattr(value, "__len__") and hasattr(value, "__getitem__"):
                for n, item in enumerate(value):
                    yield item, _element(node, ast.Constant(n))


def _literal(value: Any) -> ast.expr | None:
    """Return a value as the syntax tree of a literal; None if it has none."""
    try:
        node = ast.parse(repr(value), mode="eval").body
        ast.literal_eval(node)
    except (ValueError, SyntaxError):
        return None
    return node


def _element(of: ast.expr, index: ast.expr) -> ast.Subscript:
    return ast.Subscript(deepcopy(of), index, ast.Load())


def _bound_by(target: ast.expr, item: Any, access: ast.expr) -> Iterator[_Variable]:
    """Yield the variables that a loop binds in one turn; none behind a starred one.

    Parameters
    ----------
    target
        The variable or variables.
    item, access
        The item of this turn, and the expression that gives it. A text stands for itself.
    """
    if isinstance(target, (ast.Tuple, ast.List)):
        for n, part in enumerate(target.elts):
            if isinstance(part, ast.Starred):
                return
            access_of_item: ast.expr = _element(access, ast.Constant(n))
            if isinstance(access, ast.Tuple) and n < len(access.elts):
                access_of_item = access.elts[n]
            try:
                value = item[n]
            except (TypeError, IndexError, KeyError):
                return
            yield from _bound_by(part, value, access_of_item)
    elif isinstance(target, ast.Name):
        stands_for = ast.Constant(item) if isinstance(item, str) else access
        yield _Variable(target.id, stands_for, item)


def _with_assignments(
    body: Sequence[ast.stmt], given: Mapping[str, ast.expr], indices: Mapping[str, int]
) -> dict[str, ast.expr] | None:
    """Return what names stand for after the assignments in a loop.

    None if a name changes twice, or in another way than by an assignment.
    """
    bound = {name for statement in body for name in _stored(statement)}
    changes_twice = len(bound) < sum(len(_stored(statement)) for statement in body)
    if changes_twice:
        return None
    known = dict(given)
    for statement in body:
        match statement:
            case ast.Assign([ast.Name(name)], value):
                known[name] = _Filled(known, indices).visit(deepcopy(value))
            case ast.Assign([ast.Tuple(parts)], value):
                filled = _Filled(known, indices).visit(deepcopy(value))
                for n, part in enumerate(parts):
                    if isinstance(part, ast.Name):
                        known[part.id] = _element(filled, ast.Constant(n))
            case _:
                if bound & _stored(statement):
                    return None
    return known


def _stored(node: ast.AST) -> set[str]:
    """Return the names that some code binds, except variables of comprehensions."""
    inner = {
        id(name) for part in ast.walk(node) if isinstance(part, ast.comprehension)
        for name in ast.walk(part.target)
    }  # fmt: skip
    names = (part for part in ast.walk(node) if isinstance(part, ast.Name))
    return {n.id for n in names if isinstance(n.ctx, ast.Store) and id(n) not in inner}


def _read(node: ast.AST) -> set[str]:
    """Return the names that some code reads, except variables of comprehensions."""
    names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
    bound = {name.id for name in names if isinstance(name.ctx, ast.Store)} - _stored(node)
    return {name.id for name in names if isinstance(name.ctx, ast.Load)} - bound


class _Filled(ast.NodeTransformer):
    """Replaces names by expressions, and an index by its number: ``x[3]``, not ``x[days[1]]``.

    Parameters
    ----------
    given
        The expressions.
    indices
        The numbers that names stand for.
    """

    def __init__(self, given: Mapping[str, ast.expr], indices: Mapping[str, int]) -> None:
        self.given, self.indices = given, indices

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """Replace an index by its number."""
        match node.slice:
            case ast.Name(name) if name in self.indices:
                node.slice = ast.Constant(self.indices[name])
        return self.generic_visit(node)  # type: ignore[return-value]

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Replace a name."""
        return deepcopy(self.given.get(node.id, node))
