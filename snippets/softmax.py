"""Softmax: from any scores to weights. Nothing here knows of queries, keys or masks."""

import numpy as np


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """Turn scores into weights that are at least 0 and sum to 1.

    softmax(x)_i = exp(x_i - max(x)) / sum_j exp(x_j - max(x)), for x of any shape,
    along `axis`. The maximum cancels; subtracting it keeps exp from overflowing.
    Scores that are all -inf get weights that are all 0. Floats keep their dtype.
    (Bridle 1990; the maximum: Goodfellow et al. 2016, section 4.1.)

    Examples
    --------
    >>> softmax(np.array([14.0, 12.0])).round(2)
    array([0.88, 0.12])
    """
    x = np.asarray(x)
    if not np.issubdtype(x.dtype, np.floating):
        x = x.astype(np.float64)
    largest = x.max(axis=axis, keepdims=True)
    exps = np.exp(x - np.where(largest == -np.inf, 0, largest))  # -inf - (-inf) would be NaN
    total = exps.sum(axis=axis, keepdims=True)
    return exps / np.where(total == 0, 1, total)
