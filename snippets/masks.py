"""Masks: which query may attend to which key. Boolean, True lets attend.

Masks combine with &: causal_mask(m) & padding_mask(lengths, m).
"""

import numpy as np


def causal_mask(n: int, m: int | None = None) -> np.ndarray:
    """Let query i attend to keys 0 … i: to itself and what came before.

    (Vaswani et al. 2017, section 3.2.3.) Both counts start at 0 even if n ≠ m. If the n
    queries are the last of m tokens, as beside a cache of keys, take causal_mask(m)[-n:].

    Parameters
    ----------
    n : int
        Number of queries.
    m : int, optional
        Number of keys; n if None.

    Returns
    -------
    (n, m), boolean; it broadcasts to any scores (..., n, m)

    Examples
    --------
    >>> causal_mask(3).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 1, 1]])
    """
    return np.tri(n, m, dtype=np.bool_)


def padding_mask(lengths: np.ndarray, m: int) -> np.ndarray:
    """Let every query attend to the tokens of its sequence, not to the padding behind them.

    Entry j is True where j < length.

    Parameters
    ----------
    lengths : (...) of integers
        How many tokens of each sequence are real.
    m : int
        Length of all sequences, padding included.

    Returns
    -------
    (..., 1, m), boolean
        Broadcasts to scores (..., n, m). With heads, give lengths one axis more: lengths
        (batch, 1) make a mask (batch, 1, 1, m) for scores (batch, h, n, m).

    Raises
    ------
    ValueError
        If a length is below 0 or above m.

    Examples
    --------
    >>> padding_mask(np.array([3, 1]), 3).astype(int)
    array([[[1, 1, 1]],
    <BLANKLINE>
           [[1, 0, 0]]])
    """
    lengths = np.asarray(lengths)
    if (lengths < 0).any() or (lengths > m).any():
        raise ValueError(f"lengths {lengths.tolist()} are not all between 0 and {m}")
    return np.arange(m) < lengths[..., np.newaxis, np.newaxis]
