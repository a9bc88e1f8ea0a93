"""Scaled dot-product attention: the equation, its steps, and the function that checks.

One head, any number of leading batch axes, no learned weights. Learned maps belong in
`projection`, heads in a module of their own.
"""

import numpy as np

from snippets.masks import additive_mask, causal_mask
from snippets.softmax import softmax


def attention(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, mask: np.ndarray | float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Mix the values: softmax(Q Kᵀ / √d_k + M) V, the equation and no more.

    Vaswani et al. 2017, equation 1, with a mask as in section 3.2.3. Floats of one dtype whose
    shapes fit are taken for granted; `scaled_dot_product_attention` sees to that.

    Parameters
    ----------
    q : (..., n, d_k)
    k : (..., m, d_k)
    v : (..., m, d_v)
    mask : broadcasts to (..., n, m)
        M, added to the scaled scores: 0 where a query may attend to a key, -inf where not.

    Returns
    -------
    output : (..., n, d_v)
    weights : (..., n, m)

    Raises
    ------
    ValueError
        If the shapes do not fit: NumPy's message names those that it multiplied or added.

    Examples
    --------
    >>> x = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> output, weights = attention(x, x, x, mask=np.array([[0.0, -np.inf], [0.0, 0.0]]))
    >>> output.round(2)
    array([[1.  , 0.  ],
           [0.33, 0.67]])
    """
    S = q @ k.swapaxes(-1, -2)
    alpha = softmax(S / q.shape[-1] ** 0.5 + mask)
    return alpha @ v, alpha


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
        scores = query @ key.swapaxes(-1, -2)  # .T would reverse the batch axes too
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
    return softmax(scores + additive_mask(attn_mask, scores.shape, scores.dtype))


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
        If shapes do not fit (the message names them), or both attn_mask and is_causal are given.
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
    if query.shape[-1] != key.shape[-1] or key.shape[-2] != value.shape[-2]:
        raise ValueError(f"{shapes} are not (..., n, d_k), (..., m, d_k) and (..., m, d_v)")
    try:
        batch = np.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2])
    except ValueError as error:
        raise ValueError(f"{shapes}: the batch axes do not broadcast") from error
    if is_causal and attn_mask is not None:
        raise ValueError("attn_mask and is_causal exclude each other: combine the masks with &")

    dtype = np.result_type(query, key, value, np.float16)  # integers become floats
    wide = np.result_type(dtype, np.float32)  # float16 scores could overflow
    q, k, v = (x.astype(wide) for x in (query, key, value))
    n, m = q.shape[-2], k.shape[-2]
    if scale is not None:
        q = q * float(scale * q.shape[-1] ** 0.5)  # `attention` divides by the root again
    if is_causal:
        attn_mask = causal_mask(n, m)
    mask = 0.0 if attn_mask is None else additive_mask(attn_mask, (*batch, n, m), wide)
    output, weights = (x.astype(dtype) for x in attention(q, k, v, mask))
    return (output, weights) if return_weights else output
