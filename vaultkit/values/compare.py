"""Judges statements: whether two sides are as the relation between them says."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np

from vaultkit.tex import Membership, Node, Statement
from vaultkit.values.records import EvaluationError, Value, Verdict
from vaultkit.values.scope import Scope

#: How near an estimate from a sample must come to what is said of the population.
SAMPLE_TOLERANCE = 0.05


def judge(statement: Node, variables: Mapping[str, Any]) -> Verdict:
    """Evaluate a statement.

    Vectors may be rows (as in code: ``q_i k_j^T`` is a number) or columns (as in many papers:
    ``q_i^T k_j`` is). A statement holds if it does with one of the two throughout.

    Raises
    ------
    UnboundError
        If a symbol is not among the variables.
    """
    first: Verdict | None = None
    for columns in (False, True):
        scope = Scope(variables, columns)
        try:
            statement = scope.named(statement)
            if isinstance(statement, Membership):
                verdict = _membership(statement, scope)
            elif isinstance(statement, Statement):
                verdict = _relations(statement, scope)
            else:
                raise EvaluationError("this states nothing")
        except EvaluationError as error:
            verdict = Verdict(False, str(error))
        except (ArithmeticError, IndexError, TypeError, ValueError, np.linalg.LinAlgError) as error:
            verdict = Verdict(False, f"it cannot be computed: {error}")
        verdict = Verdict(verdict.holds, verdict.why, scope.told())
        if verdict.holds:
            return verdict
        if first is None:
            first = verdict
        if not scope.oriented:
            break
    assert first is not None
    return first


def _relations(statement: Statement, scope: Scope) -> Verdict:
    scope.indices = scope.index_names(statement)
    sides = [scope.value(side) for side in statement.sides]
    for relation, (left, right) in zip(statement.relations, pairwise(sides), strict=True):
        why = _compare(relation, left, right, scope)
        if why:
            return Verdict(False, why)
    return Verdict(True)


def _membership(statement: Membership, scope: Scope) -> Verdict:
    scope.indices = scope.index_names(statement)
    value = scope.value(statement.element)
    if statement.interval:
        opening, low, high, closing = statement.interval
        for relation, bound in (
            (">" if opening == "(" else "≥", low),
            ("<" if closing == ")" else "≤", high),
        ):
            why = _compare(relation, value, scope.value(bound), scope)
            if why:
                return Verdict(False, why)
        return Verdict(True)
    dims = []
    for dim in statement.dims:
        size = scope.value(dim)
        if size.rank or float(size.array.flat[0]) % 1:
            raise EvaluationError("a dimension is not a whole number")
        dims.append(int(size.array.flat[0]))
    shape = value.shape
    if list(shape) != dims:
        return Verdict(False, f"the shape is {shape}, not {tuple(dims)}")
    return Verdict(True)


def _compare(relation: str, left: Value, right: Value, scope: Scope) -> str:
    """Tell how two sides fail a relation; empty if they do not."""
    if left.rank and right.rank and left.shape != right.shape:
        return f"the left side has shape {left.shape}, the right side {right.shape}"
    rank = max(left.rank, right.rank)
    a, b = np.broadcast_arrays(scope.ranked(left, rank), scope.ranked(right, rank))
    if a.dtype.kind in "OUS" or b.dtype.kind in "OUS":
        raise EvaluationError("a side is not made of numbers")
    a, b = a.astype(float), b.astype(float)
    mask = np.broadcast_to(scope.valid.reshape(scope.valid.shape + (1,) * rank), a.shape)
    same = a == b  # so that infinity is near itself; NaN is near nothing
    with np.errstate(invalid="ignore"):
        distance = np.where(same, 0.0, np.abs(a - b))
        distance = np.where(np.isnan(distance), np.inf, distance)
    finite = np.abs(np.concatenate([a[np.isfinite(a) & mask], b[np.isfinite(b) & mask], [0.0]]))
    slack = scope.precision * max(finite.max(), scope.scale / 1000)
    if scope.sampled:
        slack = SAMPLE_TOLERANCE * max(finite.max(), scope.spread)
    match relation:
        case "=":
            good = distance <= slack
        case "≈":
            literal = left.literal or right.literal
            if literal and not scope.sampled:
                slack = float(Decimal(1).scaleb(int(Decimal(literal).as_tuple().exponent)) / 2)
                good = distance <= slack * (1 + 1e-9)
            else:
                good = distance <= SAMPLE_TOLERANCE * finite.max()
        case "≠":
            good = np.full(a.shape, bool((distance > slack)[mask].any()))
        case "<":
            good = a < b
        case ">":
            good = a > b
        case "≤":
            good = (a <= b) | (distance <= slack)
        case "≥":
            good = (a >= b) | (distance <= slack)
        case _:
            raise EvaluationError(f"{relation} cannot be checked")
    if not mask.any():
        raise EvaluationError("there is no index for which it says anything")
    wrong = mask & ~good
    if not wrong.any():
        return ""
    worst = np.unravel_index(np.argmax(np.where(wrong, distance, -1.0)), a.shape)
    where = scope.place(worst, rank)
    return (
        f"left {_shown(a, mask)}, right {_shown(b, mask)}; the largest difference is "
        f"{distance[worst]:.4g}{where}: {a[worst]:.6g} {relation} {b[worst]:.6g} does not hold"
    )


def _shown(array: Any, mask: Any) -> str:
    values = array[mask]
    if values.size and (values == values.flat[0]).all():
        return f"{values.flat[0]:.6g}"
    text = np.array2string(array.squeeze(), precision=4, threshold=12, edgeitems=2)
    return " ".join(text.split()) if text.count("\n") < 8 else f"(shape {array.squeeze().shape})"
