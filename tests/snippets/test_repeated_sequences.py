import numpy as np
import pytest
from numpy.testing import assert_array_equal

from snippets.repeated_sequences import VOCABULARY, repeated_batch


def period_of(row):
    """The distance at which the first letter comes again."""
    return 1 + next(i for i, letter in enumerate(row[1:]) if letter == row[0])


def test_sequences_repeat_with_every_period():
    numbers, repeated = repeated_batch(np.random.default_rng(1), 400)
    assert numbers.shape == (400, 25)
    assert_array_equal(numbers[:, 0], 0)
    assert numbers[:, 1:].min() == 1
    assert numbers.max() == len(VOCABULARY) - 1
    periods = []
    for row, known in zip(numbers[:, 1:], repeated, strict=True):
        period = period_of(row)
        periods.append(period)
        assert_array_equal(row[period:], row[:-period])
        assert len(set(row[:period])) == period
        assert_array_equal(known, np.arange(24) > period)
    counts = np.bincount(periods)
    assert_array_equal(np.flatnonzero(counts), np.arange(6, 13))
    assert counts[6:].min() > 30  # of 57 on average


@pytest.mark.parametrize("periods", [(0, 3), (5, 4), (3, 21)])
def test_periods_out_of_range_are_refused(periods):
    with pytest.raises(ValueError, match="not between 1 and 20"):
        repeated_batch(np.random.default_rng(0), 1, periods=periods)
