"""Scaled dot-product attention, step by step: scores, weights, output.

One head, any number of leading batch axes, no learned weights. Learned maps belong in
`projection`, heads in a module of their own.
"""

import numpy as np

from snippets.softmax import softmax


def attention_scores(query: np.ndarray, key: np.ndarray) -> np.ndarray:
    """Score every query against every key: Q Kᵀ, not scaled.

    Entry (i, j) is the dot product of query i and key j
    (Vaswani et al. 2017, equation 1).

    Parameters
    ----------
    query : (..., n, d_k), or (d_k,) for one query
    key : (..., m, d_k)

    Returns
    -------
    (..., n, m), or (m,) for one query

    Raises
    ------
    ValueError
        If the shapes do not fit; the message names both.

    Examples
    --------
    >>> attention_scores(np.array([[1.0, 2.0]]), np.array([[3.0, 0.0], [0.0, 4.0]]))
    array([[3., 8.]])
    """
    try:
        scores: np.ndarray = query @ key.swapaxes(-1, -2)  # .T would reverse the batch axes too
    except ValueError as error:
        raise ValueError(
            f"query {query.shape} and key {key.shape} are not (..., n, d_k) and (..., m, d_k)"
        ) from error
    return scores


def attention_weights(
    scores: np.ndarray, attn_mask: np.ndarray | None = None, scale: float | None = None
) -> np.ndarray:
    """Turn scores into weights: softmax(scale · scores + mask), row by row.

    Parameters
    ----------
    scores : (..., n, m)
    attn_mask : broadcasts to (..., n, m), optional
        Boolean: True lets a query attend to a key. Float: added to the scaled scores.
    scale : float, optional
        Scores do not know their d_k: None leaves them as they are. Pass 1/√d_k for
        the paper's weights (Vaswani et al. 2017, equation 1).

    Returns
    -------
    (..., n, m), of the scores' dtype; each row sums to 1, or is all 0 if all masked

    Raises
    ------
    ValueError
        If attn_mask does not broadcast to the scores; the message names both shapes.
    TypeError
        If attn_mask is neither boolean nor float.

    Examples
    --------
    >>> attention_weights(np.array([[28.0, 24.0, 9.0]]), np.array([True, True, False]), 0.5)
    array([[0.88079708, 0.11920292, 0.        ]])
    """
    if scale is not None:
        scores = scores * float(scale)  # a Python float keeps float32 scores float32
    if attn_mask is None:
        return softmax(scores)
    try:
        mask = np.broadcast_to(attn_mask, scores.shape)
    except ValueError as error:
        raise ValueError(
            f"attn_mask {attn_mask.shape} does not broadcast to scores {scores.shape}"
        ) from error
    if mask.dtype == np.bool_:
        return softmax(np.where(mask, scores, -np.inf))
    if not np.issubdtype(mask.dtype, np.floating):
        raise TypeError(f"attn_mask must be boolean or float, not {mask.dtype}")
    return softmax(scores + mask.astype(scores.dtype))


def scaled_dot_product_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    attn_mask: np.ndarray | None = None,
    *,
    is_causal: bool = False,
    scale: float | None = None,
    return_weights: bool = False,
) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
    """Mix the values: softmax(Q Kᵀ / √d_k + mask) V.

    Vaswani et al. 2017, equation 1; arguments as in PyTorch's function of this name.

    Parameters
    ----------
    query : (..., n, d_k)
    key : (..., m, d_k)
    value : (..., m, d_v)
    attn_mask : broadcasts to (..., n, m), optional
        Boolean: True lets a query attend to a key. Float: added to the scaled scores.
    is_causal : bool
        Query i attends to keys 0 … i, counted from the start even if n ≠ m.
    scale : float, optional
        1/√d_k if None.
    return_weights : bool
        Return (output, weights).

    Returns
    -------
    output : (..., n, d_v), of the inputs' dtype; 0 for a query that may attend to nothing
    weights : (..., n, m), only if return_weights

    Raises
    ------
    ValueError
        If shapes do not fit (the message names them), or attn_mask meets is_causal.
    TypeError
        If attn_mask is neither boolean nor float.

    Examples
    --------
    >>> x = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> scaled_dot_product_attention(x, x, x, is_causal=True).round(2)
    array([[1.  , 0.  ],
           [0.33, 0.67]])
    """
    shapes = f"query {query.shape}, key {key.shape}, value {value.shape}"
    if min(query.ndim, key.ndim, value.ndim) < 2:
        raise ValueError(f"{shapes}: each needs two axes or more")
    if is_causal and attn_mask is not None:
        raise ValueError("attn_mask and is_causal exclude each other: combine the masks with &")

    dtype = np.result_type(query, key, value, np.float16)  # integers become floats
    wide = np.result_type(dtype, np.float32)  # float16 scores could overflow
    scores = attention_scores(query.astype(wide), key.astype(wide))
    if is_causal:
        attn_mask = np.tri(*scores.shape[-2:], dtype=np.bool_)  # True at and left of the diagonal
    if scale is None:
        scale = 1 / np.sqrt(query.shape[-1])
    weights = attention_weights(scores, attn_mask, scale)
    try:
        output: np.ndarray = weights @ value
    except ValueError as error:
        raise ValueError(
            f"{shapes}: value needs as many rows as key, and batch axes that broadcast"
        ) from error
    if return_weights:
        return output.astype(dtype), weights.astype(dtype)
    return output.astype(dtype)
