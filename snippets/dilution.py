"""What happens to one key's weight as the keys become more, and factors that hold against it."""

import numpy as np

from snippets.softmax import softmax


def weight_of_one(gap: np.ndarray | float, n: np.ndarray | int) -> np.ndarray:
    """Give the weight of a key whose score exceeds the equal scores of all others by a gap.

    1 / (1 + (n - 1) exp(-gap)). If all scores lie between a and b, no weight is larger than this
    with the gap b - a (Veličković et al. 2024, lemma 2.1, has exp(gap) / n).

    Parameters
    ----------
    gap : (...)
    n : broadcasts to (...)
        How many keys there are, this one included; at least 1.

    Returns
    -------
    (...), float64

    Raises
    ------
    ValueError
        If an n is below 1.

    Examples
    --------
    >>> weight_of_one(5.0, np.array([2, 1000])).round(4)
    array([0.9933, 0.1293])
    """
    if np.min(n) < 1:
        raise ValueError(f"n {np.shape(n)} is below 1: {np.min(n)}")
    return 1 / (1 + (np.asarray(n) - 1.0) * np.exp(-np.asarray(gap, dtype=np.float64)))


def keys_until(gap: np.ndarray | float, weight: np.ndarray | float) -> np.ndarray:
    """Give the number of keys at which a key with this gap has this weight.

    1 + exp(gap) (1 - weight) / weight: the reverse of `weight_of_one`.

    Parameters
    ----------
    gap : (...)
    weight : broadcasts to (...)
        Above 0, at most 1.

    Returns
    -------
    (...), float64; not rounded

    Raises
    ------
    ValueError
        If a weight is not above 0 and at most 1.

    Examples
    --------
    >>> float(keys_until(5.0, 0.5).round(1))
    149.4
    """
    weight = np.asarray(weight, dtype=np.float64)
    if not ((weight > 0) & (weight <= 1)).all():
        raise ValueError(f"weight {weight.shape} is not above 0 and at most 1")
    return 1 + np.exp(np.asarray(gap, dtype=np.float64)) * (1 - weight) / weight


def log_length_factor(n: np.ndarray | int, trained: int) -> np.ndarray:
    """Give the factor for scores over n keys: log n / log trained, and 1 up to the trained length.

    As in the code of Qwen-7B, `logn_list`.

    Parameters
    ----------
    n : (...)
        How many keys the query may read, at least 1.
    trained : int
        Tokens of the longest training texts, at least 2.

    Returns
    -------
    (...), float64, at least 1

    Raises
    ------
    ValueError
        If trained is below 2 or an n below 1.

    Examples
    --------
    >>> log_length_factor(np.array([10, 100, 10_000]), trained=100)
    array([1., 1., 2.])
    """
    if trained < 2 or np.min(n) < 1:
        raise ValueError(f"trained {trained} is below 2, or n {np.shape(n)} below 1")
    return np.maximum(1.0, np.log(n) / np.log(trained))


def scalable_softmax(scores: np.ndarray, sharpness: np.ndarray | float) -> np.ndarray:
    """Turn scores into weights with a factor that grows with their number: SSMax.

    softmax(sharpness · log n · scores), where n counts the keys that are not masked
    (Nakanishi 2025; s there).

    Parameters
    ----------
    scores : (..., m)
        -inf where a query must not read.
    sharpness : broadcasts to (..., 1)
        Learned, one for each head.

    Returns
    -------
    (..., m), of the scores' dtype; each row sums to 1, or is all 0 if all masked

    Raises
    ------
    ValueError
        If scores have no axis.

    Examples
    --------
    >>> scalable_softmax(np.array([-2.0, -2.0, -2.0, 3.0]), 0.43).round(3)
    array([0.044, 0.044, 0.044, 0.868])
    """
    if scores.ndim < 1:
        raise ValueError(f"scores {scores.shape} are not (..., m)")
    dtype = np.result_type(scores, np.float16)
    wide = scores.astype(np.result_type(dtype, np.float32))  # float16 products could overflow
    n = np.maximum(1, np.isfinite(wide).sum(axis=-1, keepdims=True))
    factor = (sharpness * np.log(n)).astype(wide.dtype)
    masked = np.isneginf(wide)  # one key alone has the factor 0, and 0 · inf is not a number
    scaled = np.where(masked, wide, np.where(masked, 0, wide) * factor)
    return softmax(scaled).astype(dtype)
