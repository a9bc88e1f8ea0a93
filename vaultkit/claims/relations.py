"""What a condition in Python states, by the operators between its sides.

The left side of a condition is the subject of the sentence: *a is larger* is ``a > b``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

_FLIPPED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "==", "in": "not in",
            "not in": "in"}  # fmt: skip
#: The operators with exchanged sides.
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.In: "in", ast.NotIn: "not in", ast.Is: "==", ast.IsNot: "!=",
}  # fmt: skip
_WAYS: dict[type[ast.cmpop], int] = {ast.Lt: -1, ast.LtE: -1, ast.Gt: 1, ast.GtE: 1}
#: Functions whose value is true if two things are equal, about equal.
_EQUAL = {"isclose", "allclose", "array_equal", "array_equiv", "equals", "issubset"}
_MAX = {"max", "argmax", "nanmax", "nanargmax", "amax", "idxmax", "nlargest", "most_common"}
_MIN = {"min", "argmin", "nanmin", "nanargmin", "amin", "idxmin", "nsmallest"}
_SUMS = {"sum", "mean", "count_nonzero", "average", "len"}
#: Parts of names that say which of two things is the earlier one.
_BEFORE = (
    "before",
    "old",
    "start",
    "first",
    "initial",
    "begin",
    "prev",
    "previous",
    "early",
    "was",
)
_AFTER = ("after", "new", "end", "last", "final", "now", "next", "late", "later", "current")


@dataclass(frozen=True)
class Relation:
    """What a condition states.

    Attributes
    ----------
    operators
        The operators between its left and its right sides.
    quantifier
        ``all``, ``any``, ``none``, ``most`` or ``few``; empty if it does not say.
    extremes
        ``max``, ``min`` or both, if it selects or compares with these.
    chain
        Whether its sides are in the order of time: ``a < b < c``, ``x[0] < x[1]``.
    many
        Whether it has more than two sides, of which any may be the subject.
    names
        The names in it, in lower case.
    inner
        Of a share of things that meet a condition, the operators of that condition.
    """

    operators: frozenset[str] = frozenset()
    quantifier: str = ""
    extremes: frozenset[str] = frozenset()
    chain: bool = False
    many: bool = False
    names: frozenset[str] = field(default_factory=frozenset)
    inner: frozenset[str] = frozenset()
    #: Whether a share is compared with a half.
    half: bool = False
    #: Whether two things grow together (1), or one falls while the other grows (−1).
    together: int = 0

    @property
    def denies(self) -> bool:
        """Whether it states that something is not so."""
        return self.quantifier == "none" or (
            bool(self.operators) and self.operators <= {"!=", "not in", "false"}
        )


def relation(tree: ast.expr) -> Relation:
    """Return what a condition states.

    >>> relation(ast.parse("not a > b", mode="eval").body).operators
    frozenset({'<='})
    """
    found = _relation(tree)
    names = {n.id if isinstance(n, ast.Name) else n.attr for n in ast.walk(tree)
             if isinstance(n, (ast.Name, ast.Attribute))}  # fmt: skip
    strings = {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)}
    names |= {text for text in strings if isinstance(text, str)}
    extremes = {"max" for n in names if n in _MAX} | {"min" for n in names if n in _MIN}
    extremes |= set(_ends_of_sorted(tree))
    sides = {own for side in _sides_of_equality(tree) if (own := _extreme(side))}
    if len(sides) == 1:
        extremes = sides  # *the highest is for the smallest*: ``f(min(x)) == max(y)``
    if len(extremes) == 1 and _is_turned(tree):
        extremes = {"max", "min"} - extremes
    return replace(
        found, extremes=frozenset(extremes), names=frozenset(name.lower() for name in names)
    )


def _relation(tree: ast.expr) -> Relation:
    """Return what a condition in Python states, as far as its syntax shows."""
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
            return Relation(kinds, chain=True, many=True)
        case ast.Call(function, arguments):
            name = _called(function)
            own = arguments[0] if arguments else getattr(function, "value", None)
            if name in ("all", "any") and own is not None:
                return replace(_relation(own), quantifier=name)
            if name in _EQUAL:
                return Relation(frozenset({"=="}))
            if name == "bool" and own is not None:
                return _relation(own)
            return Relation(frozenset({"true"}))
        case ast.GeneratorExp(element, [loop]) | ast.ListComp(element, [loop]):
            found = _relation(element)
            # Of ``a < b for a, b in pairwise(x)``, ``a`` is earlier than ``b``.
            if isinstance(loop.target, ast.Tuple) and _is_sequence(loop.iter):
                later = [n.id for n in loop.target.elts if isinstance(n, ast.Name)]
                sides = _sides(element)
                if sides and len(later) > 1 and {later[0], later[-1]} <= set(sides):
                    return replace(found, chain=sides[0] == later[0])
            return found
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
            # ``(a < b) == (c < d)``
            ways = [_WAYS.get(type(own), 0) for own in (one, other)]
            return Relation(frozenset({"=="}), together=ways[0] * ways[1])
    if operator == "==" and isinstance(right, ast.Constant) and isinstance(right.value, bool):
        found = _relation(left)
        return found if right.value else _negated(found)
    if (counted := _counted(left)) is not None:
        inner = _relation(counted)
        if inner.operators - {"true"}:
            return _shared(inner, operator, right)
    if _is_distance(left):
        more = {"<": {"=="}, "<=": {"=="}, ">": {"!="}, ">=": {"!="}}
        return Relation(frozenset({operator, *more.get(operator, ())}))
    return Relation(frozenset({operator}), chain=_is_earlier(left, right))


def _shared(inner: Relation, operator: str, right: ast.expr) -> Relation:
    """Return what is stated by a count or share of the things that meet a condition."""
    if _is_zero(right) and operator in ("==", "<="):
        return _negated(replace(inner, quantifier="any"))
    if _is_zero(right) and operator in (">", "!="):
        return replace(inner, quantifier="any")
    if operator == "==" and (_is_number(right) or _is_half(right)):
        return replace(inner, inner=inner.operators)  # so many of them, not all
    whole = {"==": "all", ">": "most", ">=": "most", "<": "few", "<=": "few"}
    found = replace(inner, quantifier=whole.get(operator, ""), inner=inner.operators,
                    half=_is_half(right))  # fmt: skip
    return found if operator == "==" else replace(found, operators=inner.operators | {operator})


def _negated(found: Relation) -> Relation:
    """Return the relation that holds if and only if another one does not."""
    quantifiers = {"any": "none", "none": "any", "all": "any", "most": "few", "few": "most"}
    operators = {_FLIPPED.get(operator, {"true": "false", "false": "true"}.get(operator, operator))
                 for operator in found.operators}  # fmt: skip
    return replace(
        found,
        operators=frozenset(operators),
        quantifier=quantifiers.get(found.quantifier, ""),
    )


def _joined(parts: list[Relation]) -> Relation:
    operators = frozenset(operator for part in parts for operator in part.operators)
    quantifiers = {part.quantifier for part in parts}
    quantifier = quantifiers.pop() if len(quantifiers) == 1 else ""
    return Relation(operators, quantifier, chain=any(part.chain for part in parts))


def _called(function: ast.expr) -> str:
    match function:
        case ast.Name(name) | ast.Attribute(_, name):
            return name
    return ""


def _counted(node: ast.expr) -> ast.expr | None:
    """Return what a sum or mean counts; None if it is neither."""
    if isinstance(node, ast.Call) and _called(node.func) in _SUMS:
        if node.args:
            inner = node.args[0]
            if isinstance(inner, (ast.GeneratorExp, ast.ListComp)):
                conditions = [one for loop in inner.generators for one in loop.ifs]
                return conditions[0] if conditions else inner.elt
            return inner
        if isinstance(node.func, ast.Attribute):
            return node.func.value
    return None


def _is_distance(node: ast.expr) -> bool:
    """Return whether an expression contains the absolute value of a difference."""
    calls = (n for n in ast.walk(node) if isinstance(n, ast.Call))
    sizes = {"abs", "absolute", "fabs", "norm"}
    return any(
        _called(call.func) in sizes
        and any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Sub) for n in ast.walk(call))
        for call in calls
    )


def _is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
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


def _sides(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Compare) and len(node.comparators) == 1:
        sides = [node.left, node.comparators[0]]
        return [side.id for side in sides if isinstance(side, ast.Name)]
    return []


def _is_sequence(node: ast.expr) -> bool:
    """Return whether a loop is over neighbours: ``pairwise(x)``, ``zip(x, x[1:])``."""
    if not isinstance(node, ast.Call):
        return False
    if _called(node.func) == "pairwise":
        return True
    return (
        _called(node.func) == "zip"
        and len(node.args) > 1
        and isinstance(node.args[1], ast.Subscript)
        and ast.unparse(node.args[1].value) in ast.unparse(node.args[0])
    )


def _is_earlier(left: ast.expr, right: ast.expr) -> bool:
    """Return whether the left side comes before the right one, as ``x[0]`` before ``x[-1]``."""
    ranks = _rank(left), _rank(right)
    if ranks[0] is None or ranks[1] is None or ranks[0][0] != ranks[1][0]:
        return False
    return ranks[0][1] < ranks[1][1]


def _rank(node: ast.expr) -> tuple[str, float] | None:
    """Return the array of which a side is an element, and its place in the order of time."""
    match node:
        case ast.Subscript(owner, index):
            try:
                at = ast.literal_eval(index)
            except ValueError:
                return None
            if isinstance(at, (int, float)):
                return ast.unparse(owner), at if at >= 0 else 10**9 + at
        case ast.Name(name):
            if found := re.fullmatch(r"(?P<stem>[A-Za-z_]*?)_?(?P<n>\d+)", name):
                return found["stem"], float(found["n"])
            parts = name.lower().split("_")
            if set(parts) & set(_BEFORE):
                return "", 0.0
            if set(parts) & set(_AFTER):
                return "", 1.0
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
    match tree:
        case ast.Compare(left, [ast.Eq()], [right]):
            return [left, right]
    return []


def _extreme(node: ast.expr) -> str:
    """Return ``max`` or ``min`` if an expression is a call of such a function."""
    name = _called(node.func) if isinstance(node, ast.Call) else ""
    return "max" if name in _MAX else "min" if name in _MIN else ""


def _is_turned(tree: ast.expr) -> bool:
    """Return whether an expression is minus something: ``-min(x)`` is the largest of ``-x``."""
    return isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub)


def _ends_of_sorted(tree: ast.expr) -> Iterator[str]:
    """Yield ``max`` or ``min`` for the last or first element of something sorted."""
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(ast.Call(ast.Name("sorted"), _, keywords), index):
                turned = any(k.arg == "reverse" for k in keywords)
                first = isinstance(index, ast.Constant) and index.value == 0
                yield "max" if first == turned else "min"
