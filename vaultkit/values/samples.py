r"""Estimates of the means and variances of populations from samples, with standard errors.

``\mathbb{E}`` and ``\operatorname{Var}`` are estimated from the note's sample. The standard error
is that of the delete-a-group jackknife, which leaves out a fortieth of the sample at a time: each
part left out gives another estimate, a replicate. The replicates have their own axis, so everything
that is computed from an estimate is computed from all of them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from vaultkit.values.products import roundings
from vaultkit.values.records import DOUBLE, EvaluationError, Value, bounded, made

#: Least number of members of a sample; a smaller array is the whole population.
FEWEST = 100
#: Number of parts of a sample, along each of at most two of its axes.
GROUPS = 40
#: Number of standard errors by which the sides of an equation may differ.
ERRORS = 4.0
#: Largest relative uncertainty of a variance: beyond it, a few members determine the result.
UNCERTAIN = 0.5


def errors_of(count: int) -> float:
    """Return the number of standard errors allowed for the worst of ``count`` statements.

    One in 16,000 true statements is off by more than four standard errors. The worst of many
    exceeds its bound as rarely if the square of the bound grows by twice the logarithm of their
    number (the tail of a normal distribution).

    >>> errors_of(1), round(errors_of(64), 2)
    (4.0, 4.93)
    """
    return math.sqrt(ERRORS**2 + 2 * math.log(max(count, 1)))


def _means(array: Any, rank: int) -> Any:
    """Return the mean of all members, followed by the means with one part left out."""
    shape = array.shape[array.ndim - rank :]
    members = math.prod(shape)
    if members < FEWEST:
        return array.mean(axis=tuple(range(-rank, 0)))
    long = [axis for axis, size in enumerate(shape) if size >= GROUPS][:2]
    if not long:
        array = array.reshape((*array.shape[: array.ndim - rank], members))
        shape, rank, long = (members,), 1, [0]
    total = array.sum(axis=tuple(range(-rank, 0)))
    means = [total[:1] / members]
    for number in range(2):
        rows = slice(1 + number * GROUPS, 1 + (number + 1) * GROUPS) if len(array) > 1 else slice(1)
        if number >= len(long):
            means.append(np.broadcast_to(total[rows] / members, (GROUPS, *total.shape[1:])))
            continue
        axis = long[number]
        others = tuple(a - rank for a in range(rank) if a != axis)
        lines = array[rows].sum(axis=others)
        starts = -(-np.arange(GROUPS) * shape[axis] // GROUPS)
        parts = np.moveaxis(np.add.reduceat(lines, starts, axis=-1), -1, 0)
        # An estimate from replicates already has one for each part.
        each = np.arange(GROUPS)
        parts = parts[each, each] if len(array) > 1 else parts[:, 0]
        counts = np.diff([*starts, shape[axis]]) * (members // shape[axis])
        left = members - counts.reshape((-1, *(1,) * (parts.ndim - 1)))
        means.append((total[rows] - parts) / left)
    return np.concatenate(means)


def estimate(kind: str, values: list[Value]) -> Value:
    """Return the estimate of a mean, a variance, or the covariance of two samples."""
    value = values[0]
    if not value.rank:
        raise EvaluationError(f"{kind} needs a sample; here is one number")
    if len({v.shape for v in values}) > 1 or len(values) != (2 if kind == "Cov" else 1):
        raise EvaluationError(f"{kind} of samples of different shapes")
    members, rank = math.prod(value.shape), value.rank
    own = tuple(range(-rank, 0))
    lead = np.broadcast_shapes(*(v.array.shape[: v.array.ndim - rank] for v in values))
    bounded((*lead, members))
    full = [np.broadcast_to(v.array, lead + v.shape) for v in values]
    if kind == "E":
        array = _means(full[0], rank)
    else:
        centred = [x - x.mean(axis=own, keepdims=True) for x in full]
        other = centred[-1]
        array = _means(centred[0] * other, rank) - _means(centred[0], rank) * _means(other, rank)
    size = np.abs(full[0]) if kind == "E" else np.abs(full[0] * full[-1])
    brought = sum(v.spread.mean() for v in values)
    factor = 1.0 if kind == "E" else 2 * max(np.abs(x).max() for x in full)
    bound = roundings(members) * size.mean(axis=own)[:1] + brought * factor
    if kind == "Var":
        error, known = standard_error(array), np.abs(array[:1])
        if ((error > UNCERTAIN * known) & (known > bound * DOUBLE)).any():
            raise EvaluationError("the variance of this sample comes from a few of its members")
    return made(array, bound, 0, *values)


def standard_error(difference: Any) -> Any:
    """Return the standard error, given the replicates along the first axis."""
    if difference.shape[0] == 1:
        return np.zeros(difference.shape)
    variance = 0.0
    for number in range(2):
        part = difference[1 + number * GROUPS : 1 + (number + 1) * GROUPS]
        spread = ((part - part.mean(0, keepdims=True)) ** 2).sum(0, keepdims=True)
        variance = variance + (GROUPS - 1) / GROUPS * spread
    return np.sqrt(variance)
