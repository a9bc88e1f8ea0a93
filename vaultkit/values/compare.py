r"""Judges statements: whether the relation between two sides holds.

Every tolerance comes from the two elements compared, and from the values they were computed from:

- ``=`` holds for two elements if they differ by no more than their rounding errors and 2⁻⁴⁰ of
  themselves (2⁻²⁰ in single, 2⁻⁹ in half precision);
- ``\approx`` with a number written out: half a unit of the last digit shown;
- ``\approx`` otherwise: within 5 % of the larger of the two;
- ``\approx`` with a power of ten alone: if that is the nearest power of ten;
- ``\ne`` holds if no two elements are equal;
- ``<`` must exceed the rounding errors, ``\le`` may fall short by them;
- ``\ll`` holds for positive numbers that differ by a factor of at least 10;
- for a population, 4 standard errors of the note's sample, and somewhat more for the worst of many
  elements; but digits after ``\approx`` that are ten times as fine are compared as digits of the
  sample.

The arrays of the two sides are called ``a`` and ``b`` here, and their spreads (bounds on their
rounding errors, see `Value`) ``s`` and ``t``. A *reading* takes all vectors as rows or as columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from vaultkit.tex.tree import Membership, Node, Range, Statement, Symbol, walk
from vaultkit.values import exact, samples
from vaultkit.values.evaluator import Evaluator, describe_variable, is_power_of_ten
from vaultkit.values.nodes import Index
from vaultkit.values.products import has_other_orientation, with_sizes
from vaultkit.values.records import (
    EXACT_BELOW,
    ROUNDOFFS,
    EvaluationError,
    ShapeError,
    SizeError,
    UnboundError,
    Value,
    Verdict,
    check_size,
    is_about_sizes,
)

#: Relative tolerance of an element, for the rounding errors of code that are not tracked.
RELATIVE = {ROUNDOFFS[2]: 2.0**-9, ROUNDOFFS[4]: 2.0**-20, ROUNDOFFS[8]: 2.0**-40}
#: Relative tolerance of ``\approx`` between expressions.
NEAR = 0.05
#: How far the logarithm may be from a power of ten that is alone behind ``\approx``.
ORDER = 0.5
#: Ratio of standard error to digit from which on the digits are those of the sample itself.
FINER = 10.0
#: Least ratio of two sides for ``\ll`` and ``\gg``.
FAR = 10.0
#: The factor for a bound that is a decimal fraction, which a float may round down.
_ROUNDED_UP = 1 + 1e-12
#: Most lines of an array that is shown.
_MOST_LINES = 8


def _call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function on copies of its arguments, without any other protection."""
    return function(*deepcopy(arguments))


def judge(
    statement: Node,
    variables: Mapping[str, Any],
    *,
    call: Callable[..., Any] = _call,
) -> Verdict:
    """Evaluate a statement and judge its relations.

    Vectors may be rows (as in code: ``q_i k_j^T`` is a number) or columns (as in many papers:
    ``q_i^T k_j`` is). A statement holds if it holds throughout with one of the two readings.

    Parameters
    ----------
    statement
        A statement from `vaultkit.tex.parse`.
    variables
        The variables of the note.
    call
        Calls a function of the note on copies of its arguments; by default, without any other
        protection.

    Raises
    ------
    UnboundError
        If a symbol is not among the variables.
    """
    by_rows, depends_on_reading = _judge_reading(statement, variables, call, "row")
    if by_rows.holds or not depends_on_reading:
        return by_rows
    by_columns, _ = _judge_reading(statement, variables, call, "column")
    # If neither holds, the sides of a reading say more than why the other one cannot be computed.
    only_columns_have_sides = by_columns.left and not by_rows.left
    return by_columns if by_columns.holds or only_columns_have_sides else by_rows


def shape_mismatch(
    expression: Node,
    variables: Mapping[str, Any],
    *,
    call: Callable[..., Any] = _call,
) -> str:
    """Return why the shapes in an expression do not fit; empty if they do, or if that is unknown.

    Raises
    ------
    UnboundError
        If a symbol is not among the variables.
    """
    first_reason = ""
    for reading in ("row", "column"):
        with np.errstate(all="ignore"):
            try:
                scope = Evaluator(expression, variables, call, reading)
                scope.value(scope.statement)
            except UnboundError:
                raise
            except ShapeError as error:
                first_reason = first_reason or str(error)
            except Exception:  # other errors are not about shapes
                return ""
            else:
                return ""  # they fit in this reading
    return first_reason


def _judge_reading(
    statement: Node, variables: Mapping[str, Any], call: Callable[..., Any], reading: str
) -> tuple[Verdict, bool]:
    """Judge a statement with one reading of its vectors (rows or columns).

    Returns the verdict, and whether it depends on the reading, so that the other should be tried.
    """
    scope: Evaluator | None = None
    with np.errstate(all="ignore"):
        try:
            scope = Evaluator(statement, variables, call, reading)
            verdict = _judge_statement(scope)
        except EvaluationError as error:
            verdict = Verdict(
                holds=False,
                why=str(error),
                span=statement.span,
                # Shapes that do not fit are a mistake of the statement.
                evaluated=isinstance(error, ShapeError),
                unfit=is_about_sizes(error),
            )
        except (
            ArithmeticError, AttributeError, IndexError, MemoryError, RecursionError, TypeError,
            ValueError, np.linalg.LinAlgError,
        ) as error:  # fmt: skip
            verdict = Verdict(
                holds=False,
                why=f"it cannot be computed: {error}",
                span=statement.span,
                evaluated=False,
                unfit=is_about_sizes(error),
            )
    if scope is None:
        return verdict, False
    # One reading may be computable where the other one is not.
    is_about_orientation = verdict.why.endswith(_ENDS_ABOUT_ORIENTATION)
    depends_on_reading = scope.depends_on_reading or is_about_orientation
    return replace(verdict, bound=scope.describe_used()), depends_on_reading


#: The ends of messages about vectors that are rows and should be columns, or the reverse.
_ENDS_ABOUT_ORIENTATION = (
    "transpose it", "one is a row and the other a column", "or q k^\\top",
)  # fmt: skip


def _judge_statement(scope: Evaluator) -> Verdict:
    """Judge a range, a membership or a relation."""
    statement = scope.statement
    match statement:
        case Range(index, low, high):
            return _judge_range(scope, index, low, high)
        case Membership():
            return replace(_judge_membership(scope, statement), span=statement.span)
        case Statement():
            return _judge_relations(scope, statement)
    raise EvaluationError("this states nothing")


def _judge_range(scope: Evaluator, index: Node, low: Node, high: Node) -> Verdict:
    """Judge ``i = 1, …, n``.

    Its ends are whole numbers, and a variable ``i`` holds just these numbers.
    """
    first, last = scope.range_end(low), scope.range_end(high)
    if any((end % 1 != 0).any() or not np.isfinite(end).all() for end in (first, last)):
        raise EvaluationError("an end of the range is not a whole number")
    if (first > last).any():
        raise EvaluationError("the range is empty")
    if isinstance(index, Index):
        return Verdict(True)
    value = scope.value(index)
    numbers = np.arange(float(first.flat[0]), float(last.flat[0]) + 1)
    if value.shape == numbers.shape and (value.array == numbers).all():
        return Verdict(True)
    return Verdict(False, "it holds other numbers")


def _judge_relations(scope: Evaluator, statement: Statement) -> Verdict:
    """Judge a chain ``a = b < c`` relation by relation; the first that does not hold decides."""
    if verdict := _judge_exactly(scope, statement):
        return verdict
    sides = [scope.value(side) for side in statement.sides]
    mask = scope.where_all_hold(statement.when)
    verdict = Verdict(True)
    for place, relation in enumerate(statement.relations):
        if relation == "≈" and any(map(is_power_of_ten, statement.sides[place : place + 2])):
            relation = "∼"  # of the same order of magnitude
        verdict = compare(relation, sides[place], sides[place + 1], scope, mask)
        if not verdict.holds:
            return replace(verdict, span=statement.sides[place + 1].span)
    return verdict


def _judge_exactly(scope: Evaluator, statement: Statement) -> Verdict | None:
    """Compare integers and fractions that are too large for floats; None if there are none."""
    if statement.when or not set(statement.relations) <= exact.RELATIONS.keys():
        return None
    values = [exact.exact_value(side, scope.variables) for side in statement.sides]
    rational = [value for value in values if value is not None]
    is_large = any(max(abs(v.numerator), v.denominator) >= EXACT_BELOW for v in rational)
    if len(rational) < len(values) or not is_large:
        return None
    for node in walk(statement):
        if isinstance(node, Symbol):
            scope.used[node.name] = describe_variable(scope.variables[node.name])
    texts = "", ""
    for place, relation in enumerate(statement.relations):
        left, right = rational[place : place + 2]
        texts = exact.format_fraction(left), exact.format_fraction(right)
        if not exact.RELATIONS[relation](left, right):
            by = exact.format_fraction(abs(left - right))
            why = f"left {texts[0]}, right {texts[1]}; the difference is {by}"
            return Verdict(False, why, (), *texts, span=statement.sides[place + 1].span)
    return Verdict(True, "", (), *texts)


def _judge_membership(scope: Evaluator, statement: Membership) -> Verdict:
    """Judge whether a value is in an interval, a list of numbers or a space of arrays."""
    value = scope.value(statement.element)
    if value.unsized:
        raise EvaluationError("a value of unknown size cannot be judged as an element of a set")
    mask = scope.where_all_hold(statement.when)
    if statement.interval:
        return _judge_interval(scope, statement, value, mask)
    if statement.numbers:
        return _judge_among(scope, statement, value, mask)
    dims = tuple(_length(scope.value(dim)) for dim in statement.dims or ())
    has_shape = value.shape == dims
    if has_shape == statement.negated:
        word = "that" if statement.negated else f"not {dims}"
        return Verdict(False, f"the shape is {value.shape}, {word}", left=str(value.shape))
    if statement.kind in ("N", "Z"):
        array = value.array
        is_member = np.isfinite(array) & (array == np.rint(array))
        if statement.kind == "N":
            is_member &= array >= 0
        if not is_member.all():
            name = "whole numbers" if statement.kind == "Z" else "whole numbers from 0 on"
            return Verdict(False, f"not all elements are {name}: {array[~is_member].flat[0]:.6g}")
    return Verdict(True, left=str(value.shape), right=str(dims))


def _length(value: Value) -> int:
    """Return the length of an axis; raise EvaluationError if it is not one whole number."""
    is_number = not value.rank and not value.unsized and value.array.size == 1
    if not is_number or float(value.array.flat[0]) % 1:
        raise EvaluationError("a dimension is not a whole number")
    return int(value.array.flat[0])


def _judge_interval(scope: Evaluator, statement: Membership, value: Value, mask: Any) -> Verdict:
    """Judge whether a value is above the lower end of an interval, and below the upper one.

    It is judged where the mask is true.
    """
    assert statement.interval
    opening, low, high, closing = statement.interval
    if statement.negated:
        raise EvaluationError("\\notin is judged only for sets of numbers and shapes")
    verdict = compare(">" if opening == "(" else "≥", value, scope.value(low), scope, mask)
    if not verdict.holds:
        return verdict
    end = scope.value(high)
    if closing == ")" and np.isinf(end.array).all():  # [0, \infty)
        return verdict
    return compare("<" if closing == ")" else "≤", value, end, scope, mask)


def _judge_among(scope: Evaluator, statement: Membership, value: Value, mask: Any) -> Verdict:
    """Judge whether each element of a value is one of the numbers of a set, up to rounding.

    It is judged where the mask is true.
    """
    is_member: Any = np.zeros(value.array.shape, bool)
    for number in scope.values_of(statement.numbers):
        if number.rank:
            raise EvaluationError("a set of numbers holds an array")
        array, spread = number.ranked(value.rank)
        rounding = value.spread * value.unit + spread * number.unit
        slack = rounding + RELATIVE[value.unit] * np.abs(array)
        is_member = is_member | (np.abs(value.array - array) <= slack)
    mask = mask & scope.indices.valid
    is_wrong = is_member == statement.negated
    # The mask has no axes of the value itself.
    is_wrong = is_wrong & mask.reshape(mask.shape + (1,) * value.rank)
    if not is_wrong.any():
        return Verdict(True)
    example = np.broadcast_to(value.array, is_wrong.shape)[is_wrong].flat[0]
    return Verdict(False, f"{example:.6g} is {'' if statement.negated else 'not '}one of them")


def compare(relation: str, left: Value, right: Value, scope: Evaluator, mask: Any) -> Verdict:
    """Judge one relation between two sides, where the mask is true."""
    left, right = with_sizes(left, right)
    if left.unsized or right.unsized:
        raise EvaluationError("the size of the two sides is unknown")
    if left.rank and right.rank and left.shape != right.shape:
        return Verdict(False, f"the left side has shape {left.shape}, the right side {right.shape}")
    if has_other_orientation(left, right):
        scope.depends_on_reading = True
        raise SizeError("one is a row and the other a column")
    rank = max(left.rank, right.rank)
    half_units = [half for half in (left.half_unit, right.half_unit) if half is not None]
    half_unit = max(half_units, default=None)
    pair = _pair(left, right, relation, half_unit)
    holds = _holds_for_each(relation, pair, half_unit)
    is_judged = (mask & scope.indices.valid)[:1]
    new_axes = rank + scope.indices.count - is_judged.ndim
    is_judged = is_judged.reshape(is_judged.shape + (1,) * new_axes)
    is_judged, holds, a, b, distance = np.broadcast_arrays(
        is_judged, holds, pair.a, pair.b, pair.distance
    )
    if not is_judged.any():
        raise EvaluationError("there is no index for which it states anything")
    is_wrong = is_judged & ~holds
    # The verdict shows the largest difference among the wrong elements, if there are any.
    shown = is_wrong if is_wrong.any() else is_judged
    at = np.unravel_index(int(np.argmax(np.where(shown, distance, -1.0))), a.shape)
    place = scope.indices.place([int(n) for n in at], a.shape)
    texts = _describe(a, is_judged), _describe(b, is_judged)
    why, sign = "", "≈" if relation == "∼" else relation
    if is_wrong.any():
        why = (
            f"left {texts[0]}, right {texts[1]}; the largest difference is "
            f"{distance[at]:.4g}{place}: {a[at]:.6g} {sign} {b[at]:.6g} does not hold"
        )
    verdict = Verdict(not why, why, (), *texts, float(distance[at]), place.removeprefix(" at "))
    half_of_decimal = max((half for half in half_units if half < 0.5), default=None)
    if why and relation == "=" and half_of_decimal is not None:
        is_rounding = distance <= half_of_decimal * _ROUNDED_UP + pair.slack
        return replace(verdict, rounds=not (is_wrong & ~is_rounding).any())
    return verdict


class _Pair(NamedTuple):
    """The elements of two sides, and how far apart they are and may be.

    ``larger`` is the larger magnitude of each pair; ``slack`` the distance that the errors of both
    sides explain; ``rounding`` the part of it that a strict relation must exceed.
    """

    a: Any
    b: Any
    distance: Any
    larger: Any
    slack: Any
    rounding: Any


def _pair(left: Value, right: Value, relation: str, half_unit: float | None) -> _Pair:
    """Return the elements of two sides of one shape with their distances and tolerances.

    ``half_unit`` is half a unit of the last digit that the sides show; None if they show none.
    """
    rank, unit = max(left.rank, right.rank), max(left.unit, right.unit)
    (a, s), (b, t) = left.ranked(rank), right.ranked(rank)
    check_size(np.broadcast_shapes(a.shape, b.shape))
    # Infinity equals itself, and NaN equals nothing.
    difference = np.where(a == b, 0.0, a - b)
    allowed_errors = samples.errors_of(math.prod(difference.shape[1:]))
    sampling = allowed_errors * samples.standard_error(difference)
    # Along the first axis, the replicates of a sample follow its estimate.
    a, b, difference = a[:1], b[:1], difference[:1]
    distance = np.abs(difference)
    distance = np.where(np.isnan(distance), np.inf, distance)
    larger = np.fmax(np.abs(a), np.abs(b))
    rounding = (s[:1] + t[:1]) * unit
    # Integers that were never rounded have no tolerance.
    share = np.where(np.isfinite(larger) & (rounding > 0), RELATIVE[unit] * larger, 0.0)
    without_sampling = rounding + share
    slack = without_sampling + np.where(np.isfinite(sampling), sampling, 0.0)
    if relation == "≈" and half_unit is not None:
        # Digits far finer than the standard error are those of the sample itself.
        slack = np.where(FINER * half_unit < slack, without_sampling, slack)
    return _Pair(a, b, distance, larger, slack, rounding)


def _holds_for_each(relation: str, pair: _Pair, half_unit: float | None) -> Any:
    """Return for each element whether ``a relation b`` holds; see `_pair` for ``half_unit``."""
    a, b, distance, larger, slack, rounding = pair
    match relation:
        case "=":
            return distance <= slack
        case "≈":
            if half_unit is not None:
                return distance <= half_unit * _ROUNDED_UP + slack
            return distance <= np.where(np.isfinite(larger), NEAR * larger, 0.0) + slack
        case "∼":
            return (a * b > 0) & (np.abs(np.log10(np.abs(a)) - np.log10(np.abs(b))) <= ORDER)
        case "≠":
            return (distance > slack) & ~(np.isnan(a) | np.isnan(b))
        case "<":
            return (a < b) & (distance > rounding)
        case ">":
            return (a > b) & (distance > rounding)
        case "≤":
            return (a <= b) | (distance <= slack)
        case "≥":
            return (a >= b) | (distance <= slack)
        case "≪" | "≫":
            small, large = (a, b) if relation == "≪" else (b, a)
            if ((a <= 0) | (b <= 0)).any():
                raise EvaluationError(f"{relation} is judged only for positive numbers")
            return FAR * small <= large * _ROUNDED_UP
    raise EvaluationError(f"{relation} cannot be judged")


def _describe(array: Any, is_judged: Any) -> str:
    """Return the judged elements as one number if all are equal; else all elements, shortened.

    Only the shape of an array with many lines is shown.
    """
    values = array[is_judged]
    if values.size and (values == values.flat[0]).all():
        return f"{values.flat[0]:.6g}"
    text = np.array2string(array.squeeze(), precision=4, threshold=12, edgeitems=2)
    is_short = text.count("\n") < _MOST_LINES
    return " ".join(text.split()) if is_short else f"(shape {array.squeeze().shape})"
