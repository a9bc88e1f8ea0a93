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

The arrays of the two sides are called ``a`` and ``b`` here, and their spreads ``s`` and ``t``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from vaultkit.tex.tree import Membership, Node, Range, Statement, Symbol, walk
from vaultkit.values import exact, samples
from vaultkit.values.evaluator import Evaluator, describe_variable, is_power_of_ten
from vaultkit.values.names import Index
from vaultkit.values.products import has_other_orientation, with_sizes
from vaultkit.values.records import (
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


def _call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function without any protection."""
    return function(*arguments)


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
        Calls a function of the note on copies of its arguments; by default, without protection.

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
    return by_columns if by_columns.holds or (by_columns.left and not by_rows.left) else by_rows


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
    why = ""
    for reading in ("row", "column"):
        with np.errstate(all="ignore"):
            try:
                scope = Evaluator(expression, variables, call, reading)
                scope.value(scope.statement)
            except UnboundError:
                raise
            except ShapeError as error:
                why = why or str(error)
            except Exception:  # other errors are not about shapes
                return ""
            else:
                return ""
    return why


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
            fits = not isinstance(error, ShapeError)
            verdict = Verdict(
                False, str(error), span=statement.span, evaluated=not fits,
                unfit=is_about_sizes(error),
            )  # fmt: skip
        except (
            ArithmeticError, AttributeError, IndexError, MemoryError, RecursionError, TypeError,
            ValueError, np.linalg.LinAlgError,
        ) as error:  # fmt: skip
            why = f"it cannot be computed: {error}"
            verdict = Verdict(
                False, why, span=statement.span, evaluated=False, unfit=is_about_sizes(error)
            )
    if scope is None:
        return verdict, False
    # One reading may be computable where the other one is not.
    oriented = scope.turned or verdict.why.endswith(_ENDS_ABOUT_ORIENTATION)
    return replace(verdict, bound=scope.describe_used()), oriented


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
    ends = [scope.range_end(end) for end in (low, high)]
    if any((end % 1 != 0).any() or not np.isfinite(end).all() for end in ends):
        raise EvaluationError("an end of the range is not a whole number")
    if (ends[0] > ends[1]).any():
        raise EvaluationError("the range is empty")
    if isinstance(index, Index):
        return Verdict(True)
    value = scope.value(index)
    numbers = np.arange(float(ends[0].flat[0]), float(ends[1].flat[0]) + 1)
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
            relation = "∼"
        verdict = compare(relation, sides[place], sides[place + 1], scope, mask)
        if not verdict.holds:
            return replace(verdict, span=statement.sides[place + 1].span)
    return verdict


def _judge_exactly(scope: Evaluator, statement: Statement) -> Verdict | None:
    """Compare integers and fractions that are too large for floats; None if there are none."""
    if statement.when or not set(statement.relations) <= exact.RELATIONS.keys():
        return None
    sides = [exact.exact_value(side, scope.variables) for side in statement.sides]
    known = [side for side in sides if side is not None]
    is_large = any(max(abs(side.numerator), side.denominator) >= exact.LARGE for side in known)
    if len(known) < len(sides) or not is_large:
        return None
    for node in walk(statement):
        if isinstance(node, Symbol):
            scope.used[node.name] = describe_variable(scope.variables[node.name])
    texts = "", ""
    for place, relation in enumerate(statement.relations):
        left, right = known[place : place + 2]
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
        whole = np.isfinite(array) & (array == np.rint(array))
        if statement.kind == "N":
            whole &= array >= 0
        if not whole.all():
            name = "whole numbers" if statement.kind == "Z" else "whole numbers from 0 on"
            return Verdict(False, f"not all elements are {name}: {array[~whole].flat[0]:.6g}")
    return Verdict(True, left=str(value.shape), right=str(dims))


def _length(value: Value) -> int:
    """Return the length of an axis; raise EvaluationError if it is not one whole number."""
    is_number = not value.rank and not value.unsized and value.array.size == 1
    if not is_number or float(value.array.flat[0]) % 1:
        raise EvaluationError("a dimension is not a whole number")
    return int(value.array.flat[0])


def _judge_interval(scope: Evaluator, statement: Membership, value: Value, mask: Any) -> Verdict:
    """Judge whether a value is above the lower end of an interval, and below the upper one."""
    assert statement.interval
    opening, low, high, closing = statement.interval
    if statement.negated:
        raise EvaluationError("\\notin is judged only for sets of numbers and shapes")
    verdict = compare(">" if opening == "(" else "≥", value, scope.value(low), scope, mask)
    if not verdict.holds:
        return verdict
    end = scope.value(high)
    if closing == ")" and np.isinf(end.array).all():
        return verdict
    return compare("<" if closing == ")" else "≤", value, end, scope, mask)


def _judge_among(scope: Evaluator, statement: Membership, value: Value, mask: Any) -> Verdict:
    """Judge whether each element of a value is one of the numbers of a set, up to rounding."""
    fits: Any = np.zeros(value.array.shape, bool)
    for number in scope.values_of(statement.numbers):
        if number.rank:
            raise EvaluationError("a set of numbers holds an array")
        array, spread = number.ranked(value.rank)
        rounding = value.spread * value.unit + spread * number.unit
        slack = rounding + RELATIVE[value.unit] * np.abs(array)
        fits = fits | (np.abs(value.array - array) <= slack)
    mask = mask & scope.indices.valid
    wrong = fits == statement.negated
    wrong = wrong & mask.reshape(mask.shape + (1,) * value.rank)
    if not wrong.any():
        return Verdict(True)
    worst = np.broadcast_to(value.array, wrong.shape)[wrong].flat[0]
    return Verdict(False, f"{worst:.6g} is {'' if statement.negated else 'not '}one of them")


def compare(relation: str, left: Value, right: Value, scope: Evaluator, mask: Any) -> Verdict:
    """Judge one relation between two sides, where the mask is true."""
    left, right = with_sizes(left, right)
    if left.unsized or right.unsized:
        raise EvaluationError("the size of the two sides is unknown")
    if left.rank and right.rank and left.shape != right.shape:
        return Verdict(False, f"the left side has shape {left.shape}, the right side {right.shape}")
    if has_other_orientation(left, right):
        scope.turned = True
        raise SizeError("one is a row and the other a column")
    rank = max(left.rank, right.rank)
    (a, s), (b, t) = left.ranked(rank), right.ranked(rank)
    check_size(np.broadcast_shapes(a.shape, b.shape))
    unit = max(left.unit, right.unit)
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
    slack = rounding + share
    slack = slack + np.where(np.isfinite(sampling), sampling, 0.0)
    half_units = [half for half in (left.half_unit, right.half_unit) if half is not None]
    half_unit = max(half_units, default=None)
    if relation == "≈" and half_unit is not None:
        # Digits far finer than the standard error are those of the sample itself.
        slack = np.where(FINER * half_unit < slack, rounding + share, slack)
    holds = _holds_for_each(relation, a, b, distance, slack, rounding, larger, half_unit)
    is_judged = (mask & scope.indices.valid)[:1]
    new_axes = rank + scope.indices.count - is_judged.ndim
    is_judged = is_judged.reshape(is_judged.shape + (1,) * new_axes)
    is_judged, holds, a, b, distance = np.broadcast_arrays(is_judged, holds, a, b, distance)
    if not is_judged.any():
        raise EvaluationError("there is no index for which it states anything")
    wrong = is_judged & ~holds
    candidates = wrong if wrong.any() else is_judged
    at = np.unravel_index(int(np.argmax(np.where(candidates, distance, -1.0))), a.shape)
    where = scope.indices.place([int(n) for n in at], a.shape)
    texts = _describe(a, is_judged), _describe(b, is_judged)
    why, sign = "", "≈" if relation == "∼" else relation
    if wrong.any():
        why = (
            f"left {texts[0]}, right {texts[1]}; the largest difference is "
            f"{distance[at]:.4g}{where}: {a[at]:.6g} {sign} {b[at]:.6g} does not hold"
        )
    verdict = Verdict(not why, why, (), *texts, float(distance[at]), where.removeprefix(" at "))
    of_decimals = max((half for half in half_units if half < 0.5), default=None)
    if why and relation == "=" and of_decimals is not None:
        is_rounding = distance <= of_decimals * (1 + 1e-12) + slack
        return replace(verdict, rounds=not (wrong & ~is_rounding).any())
    return verdict


def _holds_for_each(
    relation: str, a: Any, b: Any, distance: Any, slack: Any, rounding: Any, larger: Any,
    half_unit: float | None,
) -> Any:  # fmt: skip
    """Return for each element whether ``a relation b`` holds.

    ``slack`` is the distance that the rounding errors of both sides explain, ``rounding`` the part
    of it that a strict relation must exceed, ``larger`` the larger magnitude of each pair, and
    ``half_unit`` half a unit of the last digit that the sides show (None: they show no digits).
    """
    missing = np.isnan(a) | np.isnan(b)
    match relation:
        case "=":
            return distance <= slack
        case "≈":
            if half_unit is not None:
                return distance <= half_unit * (1 + 1e-12) + slack
            return distance <= np.where(np.isfinite(larger), NEAR * larger, 0.0) + slack
        case "∼":
            return (a * b > 0) & (np.abs(np.log10(np.abs(a)) - np.log10(np.abs(b))) <= ORDER)
        case "≠":
            return (distance > slack) & ~missing
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
            return FAR * small <= large * (1 + 1e-12)
    raise EvaluationError(f"{relation} cannot be judged")


def _describe(array: Any, is_judged: Any) -> str:
    """Return the judged elements as one number if all are equal; else all elements, shortened."""
    values = array[is_judged]
    if values.size and (values == values.flat[0]).all():
        return f"{values.flat[0]:.6g}"
    text = np.array2string(array.squeeze(), precision=4, threshold=12, edgeitems=2)
    return " ".join(text.split()) if text.count("\n") < 8 else f"(shape {array.squeeze().shape})"
