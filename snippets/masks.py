"""Masks: which query may attend to which key. Boolean, True lets attend.

Masks combine with &: causal_mask(m) & padding_mask(lengths, m). `additive_mask` makes of them
what the equation adds to the scores.
"""

import numpy as np


def causal_mask(n: int, m: int | None = None) -> np.ndarray:
    """Let query i attend to keys 0 … i: to itself and what came before.

    (Vaswani et al. 2017, section 3.2.3.) Both counts start at 0 even if n ≠ m. If the n
    queries are the last of m tokens, as with a cache of keys, take causal_mask(m)[-n:].

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


def document_mask(documents: np.ndarray) -> np.ndarray:
    """Let every query attend to the tokens of its own text, where several are packed in a row.

    Parameters
    ----------
    documents : (..., n) of integers
        The number of each token's text.

    Returns
    -------
    (..., n, n), boolean

    Examples
    --------
    >>> (causal_mask(4) & document_mask(np.array([0, 0, 1, 1]))).astype(int)
    array([[1, 0, 0, 0],
           [1, 1, 0, 0],
           [0, 0, 1, 0],
           [0, 0, 1, 1]])
    """
    mask: np.ndarray = documents[..., :, np.newaxis] == documents[..., np.newaxis, :]
    return mask


def prefix_mask(in_prefix: np.ndarray) -> np.ndarray:
    """Let the tokens of a prefix attend to one another, and all others to what came before.

    A causal mask with a block of True for the prefix (Dong et al. 2019, for pairs of
    texts).

    Parameters
    ----------
    in_prefix : (..., n), boolean
        Which tokens are given, such as a question or a picture.

    Returns
    -------
    (..., n, n), boolean

    Examples
    --------
    >>> prefix_mask(np.array([True, True, False, False])).astype(int)
    array([[1, 1, 0, 0],
           [1, 1, 0, 0],
           [1, 1, 1, 0],
           [1, 1, 1, 1]])
    """
    both: np.ndarray = in_prefix[..., :, np.newaxis] & in_prefix[..., np.newaxis, :]
    return causal_mask(in_prefix.shape[-1]) | both


def window_mask(n: int, window: int, num_sinks: int = 0) -> np.ndarray:
    """Let query i attend to itself and to the window - 1 tokens before it, and to the sinks.

    A causal mask that also hides what lies further back (Beltagy et al. 2020, section 3.1). The
    first tokens, the sinks, may stay visible to all later ones (Xiao et al. 2024, section 3.2).

    Parameters
    ----------
    n : int
        Number of tokens.
    window : int
        How many tokens a query sees, itself included; at least 1.
    num_sinks : int
        How many of the first tokens every later query sees, too.

    Returns
    -------
    (n, n), boolean

    Raises
    ------
    ValueError
        If window is below 1 or num_sinks below 0.

    Examples
    --------
    >>> window_mask(5, window=2, num_sinks=1).astype(int)
    array([[1, 0, 0, 0, 0],
           [1, 1, 0, 0, 0],
           [1, 1, 1, 0, 0],
           [1, 0, 1, 1, 0],
           [1, 0, 0, 1, 1]])
    """
    if window < 1 or num_sinks < 0:
        raise ValueError(f"window {window} must be at least 1, num_sinks {num_sinks} at least 0")
    too_far = np.tri(n, k=-window, dtype=np.bool_)
    too_far[:, :num_sinks] = False
    return causal_mask(n) & ~too_far


def additive_mask(attn_mask: np.ndarray, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Turn a mask into M, which is added to the scaled scores: 0 for True, -inf for False.

    Vaswani et al. 2017, section 3.2.3. A mask of floats is M already.

    Parameters
    ----------
    attn_mask : broadcasts to shape
        Boolean or float.
    shape : tuple of int
        That of the scores, (..., n, m).
    dtype : np.dtype
        The scores'.

    Returns
    -------
    of the shape of attn_mask, of this dtype

    Raises
    ------
    ValueError
        If attn_mask does not broadcast to the scores; the message names both shapes.
    TypeError
        If attn_mask is neither boolean nor float.

    Examples
    --------
    >>> additive_mask(np.array([True, True, False]), (2, 3), np.dtype(float))
    array([  0.,   0., -inf])
    """
    try:
        np.broadcast_to(attn_mask, shape)
    except ValueError as error:
        fault = f"attn_mask {attn_mask.shape} does not broadcast to scores {shape}"
        raise ValueError(fault) from error
    if attn_mask.dtype == np.bool_:
        return np.where(attn_mask, 0, -np.inf).astype(dtype)
    if not np.issubdtype(attn_mask.dtype, np.floating):
        raise TypeError(f"attn_mask must be boolean or float, not {attn_mask.dtype}")
    return attn_mask.astype(dtype)
