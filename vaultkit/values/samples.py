r"""Estimates of the means and variances of populations from samples, with standard errors.

``\mathbb{E}`` and ``\operatorname{Var}`` are estimated from the note's sample. The standard error
is that of the delete-a-group jackknife, which leaves out a fortieth of the sample at a time: each
group left out gives another estimate, a *replicate*. The replicates have their own axis, the first
one, so everything that is computed from an estimate is computed from all of them. Its length is 1
if there are none, else 81: the estimate itself, and 40 for each of two axes of the sample.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from vaultkit.values.products import growth_of_roundings
from vaultkit.values.records import DOUBLE, EvaluationError, Value, check_size, make_value

#: Least number of members of a sample; a smaller array is the whole population.
FEWEST = 100
#: Number of groups of a sample, along each of at most two of its axes.
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
    """Return the mean of all members, followed by the means with one group left out.

    The members are along the last ``rank`` axes. The means are along the first axis: one, then
    `GROUPS` for each of two axes of the sample; of fewer than `FEWEST` members, only the one mean.
    """
    shape = array.shape[array.ndim - rank :]
    members = math.prod(shape)
    if members < FEWEST:
        return array.mean(axis=tuple(range(-rank, 0)))
    long_axes = [axis for axis, size in enumerate(shape) if size >= GROUPS][:2]
    if not long_axes:
        array = array.reshape((*array.shape[: array.ndim - rank], members))
        shape, rank, long_axes = (members,), 1, [0]
    # Members that are computed from an estimate have a replicate for each group already.
    has_replicates = len(array) > 1
    total = array.sum(axis=tuple(range(-rank, 0)))
    means = [total[:1] / members]
    for number in range(2):
        first = 1 + number * GROUPS
        rows = slice(first, first + GROUPS) if has_replicates else slice(1)
        if number >= len(long_axes):
            # Without a second long axis, equal means add nothing to the error.
            means.append(np.broadcast_to(total[rows] / members, (GROUPS, *total.shape[1:])))
            continue
        axis = long_axes[number]
        other_axes = tuple(a - rank for a in range(rank) if a != axis)
        sums = array[rows].sum(axis=other_axes)
        first_of_group = -(-np.arange(GROUPS) * shape[axis] // GROUPS)  # rounded up
        group_sums = np.moveaxis(np.add.reduceat(sums, first_of_group, axis=-1), -1, 0)
        each = np.arange(GROUPS)
        # Replicate g leaves out its own group g.
        group_sums = group_sums[each, each] if has_replicates else group_sums[:, 0]
        counts = np.diff([*first_of_group, shape[axis]]) * (members // shape[axis])
        remaining = members - counts.reshape((-1, *(1,) * (group_sums.ndim - 1)))
        means.append((total[rows] - group_sums) / remaining)
    return np.concatenate(means)


def estimate(kind: str, values: list[Value]) -> Value:
    """Return the estimate of a mean, a variance, or the covariance of two samples.

    ``kind`` is ``E``, ``Var`` or ``Cov``; only the last one has two values.
    """
    value = values[0]
    if not value.rank:
        raise EvaluationError(f"{kind} needs a sample; here is one number")
    has_one_shape = len({v.shape for v in values}) == 1
    if not has_one_shape or len(values) != (2 if kind == "Cov" else 1):
        raise EvaluationError(f"{kind} of samples of different shapes")
    members, rank = math.prod(value.shape), value.rank
    axes = tuple(range(-rank, 0))
    # The axes before those of the sample: replicates, and the indices of a formula.
    outer_shape = np.broadcast_shapes(*(v.array.shape[: v.array.ndim - rank] for v in values))
    check_size((*outer_shape, members))
    samples = [np.broadcast_to(v.array, outer_shape + v.shape) for v in values]
    # The variance is the covariance of a sample with itself.
    x, y = samples[0], samples[-1]
    if kind == "E":
        array = _means(x, rank)
    else:
        dx, dy = (sample - sample.mean(axis=axes, keepdims=True) for sample in (x, y))
        array = _means(dx * dy, rank) - _means(dx, rank) * _means(dy, rank)
    # Rounding errors: those of the summation, and those that the members have already.
    magnitude = np.abs(x) if kind == "E" else np.abs(x * y)
    error_of_summation = growth_of_roundings(members) * magnitude.mean(axis=axes)[:1]
    error_of_members = sum(v.spread.mean() for v in values)
    # An error in a factor of x y grows by the other factor; the means may have one as large.
    factor = 1.0 if kind == "E" else 2 * max(np.abs(x).max(), np.abs(y).max())
    bound = error_of_summation + error_of_members * factor
    if kind == "Var":
        error, variance = standard_error(array), np.abs(array[:1])
        is_above_roundings = variance > bound * DOUBLE
        if ((error > UNCERTAIN * variance) & is_above_roundings).any():
            raise EvaluationError("the variance of this sample comes from a few of its members")
    return make_value(array, bound, 0, *values)


def standard_error(difference: Any) -> Any:
    """Return the standard error, given the replicates along the first axis; 0 without any."""
    if difference.shape[0] == 1:
        return np.zeros(difference.shape)
    variance = 0.0
    for number in range(2):  # the axes of the sample
        replicates = difference[1 + number * GROUPS : 1 + (number + 1) * GROUPS]
        deviations = replicates - replicates.mean(0, keepdims=True)
        # The variance of the jackknife.
        squares = (deviations**2).sum(0, keepdims=True)
        variance = variance + (GROUPS - 1) / GROUPS * squares
    return np.sqrt(variance)
