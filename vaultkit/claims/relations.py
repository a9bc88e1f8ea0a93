"""What a condition in Python states, by the operators between its sides.

The left side of a condition is the subject of the sentence: *a is larger* is ``a > b``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

#: What holds if and only if a relation does not.
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "==", "in": "not in",
            "not in": "in", "true": "false", "false": "true"}  # fmt: skip
#: The operators with exchanged sides.
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.In: "in", ast.NotIn: "not in", ast.Is: "==", ast.IsNot: "!=",
}  # fmt: skip
#: Which way a comparison goes; 0 for the others.
_WAYS: dict[type[ast.cmpop], int] = {ast.Lt: -1, ast.LtE: -1, ast.Gt: 1, ast.GtE: 1}
#: Functions whose value is true if two things are equal, or about equal.
_EQUAL = {"isclose", "allclose", "array_equal", "array_equiv", "equals", "issubset"}
_MAX = {"max", "argmax", "nanmax", "nanargmax", "amax", "idxmax", "nlargest", "most_common"}
_MIN = {"min", "argmin", "nanmin", "nanargmin", "amin", "idxmin", "nsmallest"}
#: Functions that count the true elements of an array, or give their share.
_COUNTS = {"sum", "mean", "count_nonzero", "average", "len"}
#: Calls whose value is a size without a sign.
_SIZES = {"abs", "absolute", "fabs", "norm"}
#: Whether ``sorted`` begins with the largest element, by the value of ``reverse``.
_REVERSED = {(): False, ("False",): False, ("True",): True}
#: Whether an index is that of the first element rather than the last.
_FIRST = {"0": True, "-1": False}
#: Added to a negative index, so that ``x[-1]`` is behind ``x[5]``.
_FROM_END = 10**9
#: Parts of names that say which of two things is the earlier one.
_BEFORE = {"before", "old", "start", "first", "initial", "begin", "prev", "previous", "early",
           "was"}  # fmt: skip
_AFTER = {"after", "new", "end", "last", "final", "now", "next", "late", "later", "current"}


@dataclass(frozen=True)
class Relation:
    """What a condition states.

    Attributes
    ----------
    operators
        The operators between its left and its right sides; ``true`` for an expression without
        one, such as ``x``, and ``false`` for ``not x``.
    quantifier
        ``all``, ``any``, ``none``, ``most`` or ``few``; empty if it does not say.
    extremes
        ``max``, ``min`` or both, if it selects or compares with these.
    is_chronological
        Whether its left side is earlier than its right one: ``a < b < c``, ``x[0] < x[1]``.
    has_many_sides
        Whether it has more than two sides, of which any may be the subject.
    names
        The names and strings in it, in lower case.
    inner_operators
        Those of ``x > 3`` if it compares the number or share of things of which that is true.
    is_of_half
        Whether it compares such a number or share with a half.
    joint_growth
        1 if it says that two things grow together, −1 if one falls while the other grows, else 0.
    """

    operators: frozenset[str] = frozenset()
    quantifier: str = ""
    extremes: frozenset[str] = frozenset()
    is_chronological: bool = False
    has_many_sides: bool = False
    names: frozenset[str] = frozenset()
    inner_operators: frozenset[str] = frozenset()
    is_of_half: bool = False
    joint_growth: int = 0

    @property
    def denies(self) -> bool:
        """Whether it states that something is not so."""
        return self.quantifier == "none" or (
            bool(self.operators) and self.operators <= {"!=", "not in", "false"}
        )


def relation(tree: ast.expr) -> Relation:
    """Return what a condition states.

    >>> relation(ast.parse("not max(a) > b", mode="eval").body).operators
    frozenset({'<='})
    """
    nodes = list(ast.walk(tree))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    names |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    constants = {node.value for node in nodes if isinstance(node, ast.Constant)}
    names |= {text for text in constants if isinstance(text, str)}
    extremes = {"max" for name in names & _MAX} | {"min" for name in names & _MIN}
    extremes |= set(_ends_of_sorted(tree))
    sides = {extreme for side in _sides_of_equality(tree) if (extreme := _extreme(side))}
    if len(sides) == 1:
        extremes = sides  # *the highest is for the smallest*: ``f(min(x)) == max(y)``
    is_minus = isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub)
    if len(extremes) == 1 and is_minus:
        extremes = {"max", "min"} - extremes  # ``-min(x)`` is the largest of ``-x``
    lowered = frozenset(name.lower() for name in names)
    return replace(_relation(tree), extremes=frozenset(extremes), names=lowered)


def _relation(tree: ast.expr) -> Relation:
    """Return what a condition in Python states, without its extremes and names."""
    match tree:
        case ast.UnaryOp(ast.Not() | ast.Invert(), inner):
            return _negated(_relation(inner))
        case ast.BoolOp(_, parts):
            return _joined([_relation(part) for part in parts])
        case ast.BinOp(left, ast.BitAnd() | ast.BitOr(), right):
            return _joined([_relation(left), _relation(right)])
        case ast.Compare(left, [operator], [right]):
            return _compared(left, _OPERATORS[type(operator)], right)
        case ast.Compare(_, operators, _):
            kinds = frozenset(_OPERATORS[type(operator)] for operator in operators)
            return Relation(kinds, is_chronological=True, has_many_sides=True)
        case ast.Call(function, arguments):
            name = _called_name(function)
            # Of ``all(c)`` and ``c.all()``, the condition is ``c``.
            condition = arguments[0] if arguments else getattr(function, "value", None)
            if name in ("all", "any") and condition is not None:
                return replace(_relation(condition), quantifier=name)
            if name in _EQUAL:
                return Relation(frozenset({"=="}))
            if name == "bool" and condition is not None:
                return _relation(condition)
            return Relation(frozenset({"true"}))
        case ast.GeneratorExp(element, [loop]) | ast.ListComp(element, [loop]):
            stated = _relation(element)
            # Of ``a < b for a, b in pairwise(x)``, ``a`` is earlier than ``b``.
            if isinstance(loop.target, ast.Tuple) and _is_over_neighbours(loop.iter):
                variables = [n.id for n in loop.target.elts if isinstance(n, ast.Name)]
                sides = _names_of_sides(element)
                if sides and len(variables) > 1 and {variables[0], variables[-1]} <= set(sides):
                    return replace(stated, is_chronological=sides[0] == variables[0])
            return stated
        case ast.GeneratorExp(element) | ast.ListComp(element):
            return _relation(element)
        case _:
            return Relation(frozenset({"true"}))


def _compared(left: ast.expr, operator: str, right: ast.expr) -> Relation:
    """Return what one comparison ``left operator right`` states."""
    # A number is not a subject.
    if _is_number(left) and not _is_number(right):
        left, operator, right = right, MIRRORED.get(operator, operator), left
    if operator in ("in", "not in"):
        return Relation(frozenset({operator}))
    match left, operator, right:
        case ast.Compare(_, [one], [_]), "==", ast.Compare(_, [other], [_]):
            # ``(a < b) == (c < d)``: of two things, one is larger where the other is (``>``).
            ways = [_WAYS.get(type(own), 0) for own in (one, other)]
            return Relation(frozenset({"=="}), joint_growth=ways[0] * ways[1])
    if operator == "==" and isinstance(right, ast.Constant) and isinstance(right.value, bool):
        stated = _relation(left)
        return stated if right.value else _negated(stated)
    counted = _counted_condition(left)
    if counted is not None:
        inner = _relation(counted)
        if inner.operators - {"true"}:  # else it is a sum of numbers, as in ``x.sum() > 3``
            return _relation_of_count(inner, operator, right)
    if _is_distance(left):
        # A small distance is a kind of equality.
        equality = {"<": {"=="}, "<=": {"=="}, ">": {"!="}, ">=": {"!="}}
        return Relation(frozenset({operator, *equality.get(operator, ())}))
    return Relation(frozenset({operator}), is_chronological=_is_earlier(left, right))


def _relation_of_count(inner: Relation, operator: str, right: ast.expr) -> Relation:
    """Return what is stated by a count or share of the things that meet a condition.

    In ``(x > 3).mean() > 0.5``, which says that most are larger, ``inner`` is the relation of
    ``x > 3``, and ``right`` is 0.5.
    """
    if _is_zero(right) and operator in ("==", "<="):
        return _negated(replace(inner, quantifier="any"))
    if _is_zero(right) and operator in (">", "!="):
        return replace(inner, quantifier="any")
    if operator == "==" and (_is_number(right) or _is_half(right)):
        return replace(inner, inner_operators=inner.operators)  # so many of them, not all
    # ``(x > 3).sum() == len(x)`` is *all*.
    quantifiers = {"==": "all", ">": "most", ">=": "most", "<": "few", "<=": "few"}
    stated = replace(
        inner,
        quantifier=quantifiers.get(operator, ""),
        inner_operators=inner.operators,
        is_of_half=_is_half(right),
    )
    return stated if operator == "==" else replace(stated, operators=inner.operators | {operator})


def _negated(stated: Relation) -> Relation:
    """Return the relation that holds if and only if another one does not."""
    quantifiers = {"any": "none", "none": "any", "all": "any", "most": "few", "few": "most"}
    operators = frozenset(_NEGATED[operator] for operator in stated.operators)
    return replace(stated, operators=operators, quantifier=quantifiers.get(stated.quantifier, ""))


def _joined(parts: list[Relation]) -> Relation:
    """Return what ``a and b`` or ``a or b`` states, of which either part may be the one meant."""
    operators = frozenset(operator for part in parts for operator in part.operators)
    quantifiers = {part.quantifier for part in parts}
    quantifier = quantifiers.pop() if len(quantifiers) == 1 else ""
    is_chronological = any(part.is_chronological for part in parts)
    return Relation(operators, quantifier, is_chronological=is_chronological)


def _called_name(function: ast.expr) -> str:
    """Return the name of a called function: *sum* for ``sum`` and ``np.sum``; empty for others."""
    match function:
        case ast.Name(name) | ast.Attribute(_, name):
            return name
    return ""


def _counted_condition(node: ast.expr) -> ast.expr | None:
    """Return the condition whose true cases a call counts; None if it is no such call.

    It is ``x > 3`` in ``(x > 3).sum()``, ``sum(x > 3 for …)`` and ``len([x for … if x > 3])``.
    """
    if not isinstance(node, ast.Call) or _called_name(node.func) not in _COUNTS:
        return None
    if not node.args:
        return node.func.value if isinstance(node.func, ast.Attribute) else None
    inner = node.args[0]
    if isinstance(inner, (ast.GeneratorExp, ast.ListComp)):
        conditions = [condition for loop in inner.generators for condition in loop.ifs]
        return conditions[0] if conditions else inner.elt
    return inner


def _is_distance(node: ast.expr) -> bool:
    """Return whether an expression contains the absolute value of a difference: ``abs(a - b)``."""
    calls = (n for n in ast.walk(node) if isinstance(n, ast.Call))
    return any(
        _called_name(call.func) in _SIZES
        and any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Sub) for n in ast.walk(call))
        for call in calls
    )


def _is_number(node: ast.expr) -> bool:
    """Return whether an expression is a number written out: ``3``, ``-0.5``."""
    if isinstance(node, ast.UnaryOp):  # a minus
        node = node.operand
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, float, complex))


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0


def _is_half(node: ast.expr) -> bool:
    """Return whether an expression is a half, or the half of something."""
    match node:
        case ast.Constant(0.5) | ast.BinOp(_, ast.Div() | ast.FloorDiv(), ast.Constant(2)):
            return True
    return False


def _names_of_sides(node: ast.expr) -> list[str]:
    """Return the names that are the sides of ``a < b``; none for another expression."""
    if isinstance(node, ast.Compare) and len(node.comparators) == 1:
        sides = [node.left, node.comparators[0]]
        return [side.id for side in sides if isinstance(side, ast.Name)]
    return []


def _is_over_neighbours(node: ast.expr) -> bool:
    """Return whether a loop is over neighbours: ``pairwise(x)``, ``zip(x, x[1:])``."""
    if not isinstance(node, ast.Call):
        return False
    if _called_name(node.func) == "pairwise":
        return True
    return (
        _called_name(node.func) == "zip"
        and len(node.args) > 1
        and isinstance(node.args[1], ast.Subscript)
        and ast.unparse(node.args[1].value) in ast.unparse(node.args[0])
    )


def _is_earlier(left: ast.expr, right: ast.expr) -> bool:
    """Return whether the left side comes before the right one, as ``x[0]`` before ``x[-1]``."""
    first, second = _place_in_time(left), _place_in_time(right)
    if first is None or second is None or first.series != second.series:
        return False
    return first.at < second.at


class _PlaceInTime(NamedTuple):
    """The place of a value in a series: 2 in ``x`` for ``x[2]`` and ``x_2``."""

    series: str
    at: float


def _place_in_time(node: ast.expr) -> _PlaceInTime | None:
    """Return the place of a side in its series, by its index or its name; None if neither says.

    All names such as ``start`` and ``end`` belong to one series, whose name is empty.
    """
    match node:
        case ast.Subscript(owner, index):
            try:
                at = ast.literal_eval(index)
            except ValueError:
                return None
            if isinstance(at, (int, float)):
                return _PlaceInTime(ast.unparse(owner), at if at >= 0 else _FROM_END + at)
        case ast.Name(name):
            if numbered := re.fullmatch(r"(?P<stem>[A-Za-z_]*?)_?(?P<n>\d+)", name):
                return _PlaceInTime(numbered["stem"], float(numbered["n"]))
            parts = name.lower().split("_")
            if not _BEFORE.isdisjoint(parts):
                return _PlaceInTime("", 0)
            if not _AFTER.isdisjoint(parts):
                return _PlaceInTime("", 1)
    return None


def order_of_difference(tree: ast.expr) -> int:
    """Return 1 if a difference is *later minus earlier*, −1 if it is the reverse, else 0.

    >>> [order_of_difference(ast.parse(c, mode="eval").body) for c in ("x[-1] - x[0]", "x1 - x2")]
    [1, -1]
    """
    match tree:
        case ast.BinOp(left, ast.Sub(), right):
            return _is_earlier(right, left) - _is_earlier(left, right)
        case ast.BinOp(ast.BinOp(_, ast.Sub(), _) as inner, ast.Div(), _):
            return order_of_difference(inner)
    return 0


def _sides_of_equality(tree: ast.expr) -> list[ast.expr]:
    """Return the two sides of ``a == b``; none for another expression."""
    match tree:
        case ast.Compare(left, [ast.Eq()], [right]):
            return [left, right]
    return []


def _extreme(node: ast.expr) -> str:
    """Return ``max`` or ``min`` if an expression is a call of such a function."""
    name = _called_name(node.func) if isinstance(node, ast.Call) else ""
    return "max" if name in _MAX else "min" if name in _MIN else ""


def _ends_of_sorted(tree: ast.expr) -> Iterator[str]:
    """Yield ``min`` for ``sorted(x)[0]`` and ``max`` for ``sorted(x)[-1]``.

    With ``reverse=True``, it is the other way round. Another element or a slice is no extreme.
    """
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(ast.Call(ast.Name("sorted"), _, keywords), index):
                values = tuple(ast.unparse(own.value) for own in keywords if own.arg != "key")
                is_reversed = _REVERSED.get(values)
                is_first = _FIRST.get(ast.unparse(index))
                # A key with a minus sorts the other way round, too.
                has_minus = any(
                    isinstance(part, ast.USub) for own in keywords for part in ast.walk(own)
                )
                if is_reversed is not None and is_first is not None and not has_minus:
                    yield "max" if is_first == is_reversed else "min"
