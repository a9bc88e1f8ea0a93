"""Heads that share keys and values: grouped-query and multi-query attention, and a latent.

All start from heads that are split already, (..., h, n, d); how they are made belongs in
`multi_head`.
"""

import numpy as np

from snippets.attention import scaled_dot_product_attention


def repeat_heads(x: np.ndarray, num_heads: int) -> np.ndarray:
    """Give each query head the key or value head of its group.

    With g heads of x, num_heads / g neighbouring query heads are a group, and all of a group
    read the same head of x (Ainslie et al. 2023, section 2.2).

    Parameters
    ----------
    x : (..., g, m, d)
        Keys or values of g heads.
    num_heads : int
        Heads of queries; g must divide it.

    Returns
    -------
    (..., num_heads, m, d)

    Raises
    ------
    ValueError
        If the heads of x do not divide num_heads.

    Examples
    --------
    >>> repeat_heads(np.array([[[1, 2]], [[3, 4]]]), 4)[:, 0]
    array([[1, 2],
           [1, 2],
           [3, 4],
           [3, 4]])
    """
    if x.ndim < 3 or x.shape[-3] == 0 or num_heads % x.shape[-3]:
        raise ValueError(f"x {x.shape} is not (..., g, m, d) with a g that divides {num_heads}")
    return np.repeat(x, num_heads // x.shape[-3], axis=-3)


def grouped_query_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    attn_mask: np.ndarray | None = None,
    *,
    is_causal: bool = False,
) -> np.ndarray:
    """Attend with more heads of queries than of keys and values.

    As many key heads as query heads: multi-head attention. One for all: multi-query attention
    (Shazeer 2019). In between: grouped-query attention (Ainslie et al. 2023).

    Parameters
    ----------
    query : (..., h, n, d_k)
    key : (..., g, m, d_k)
        g divides h.
    value : (..., g, m, d_v)
    attn_mask : broadcasts to (..., h, n, m), optional
        Boolean: True lets a query attend to a key. Float: added to the scaled scores.
    is_causal : bool
        Query i attends to keys 0 … i.

    Returns
    -------
    (..., h, n, d_v)

    Raises
    ------
    ValueError
        If shapes do not fit, or both attn_mask and is_causal are given.

    Examples
    --------
    >>> query = np.array([[[1.0]], [[2.0]], [[-1.0]], [[-2.0]]])  # four heads, one token
    >>> key = value = np.array([[[0.0], [1.0]]])  # one head, two tokens
    >>> grouped_query_attention(query, key, value)[:, 0, 0].round(2)
    array([0.73, 0.88, 0.27, 0.12])
    """
    if query.ndim < 3 or key.shape[-3:-2] != value.shape[-3:-2]:
        raise ValueError(
            f"query {query.shape}, key {key.shape} and value {value.shape} are not"
            " (..., h, n, d_k), (..., g, m, d_k) and (..., g, m, d_v)"
        )
    num_heads = query.shape[-3]
    output, _ = scaled_dot_product_attention(
        query,
        repeat_heads(key, num_heads),
        repeat_heads(value, num_heads),
        attn_mask,
        is_causal=is_causal,
        return_weights=True,
    )
    return output


def latent_attention(
    query: np.ndarray, latent: np.ndarray, W_UK: np.ndarray, W_UV: np.ndarray, *, absorbed: bool
) -> np.ndarray:
    """Attend to keys and values that are made from one narrow vector for each token.

    K = C W_UK and V = C W_UV in every head, with the same C for all (DeepSeek-AI 2024, section
    2.1; without the rotary part). Since (q W_UKᵀ) Cᵀ = q Kᵀ, the keys need not be made at all.

    Parameters
    ----------
    query : (..., h, n, d_k)
    latent : (..., m, d_c)
        C, the only thing that a cache has to keep.
    W_UK : (h, d_c, d_k)
        Makes the keys of each head.
    W_UV : (h, d_c, d_v)
        Makes its values.
    absorbed : bool
        Multiply the query by W_UKᵀ and the weighted mean of C by W_UV, and compute no keys or
        values. The result is the same up to rounding.

    Returns
    -------
    (..., h, n, d_v)

    Raises
    ------
    ValueError
        If shapes do not fit.

    Examples
    --------
    >>> query, latent = np.ones((2, 1, 3)), np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> W_UK, W_UV = np.arange(12.0).reshape(2, 2, 3) / 12, np.ones((2, 2, 1))
    >>> latent_attention(query, latent, W_UK, W_UV, absorbed=True)[:, 0, 0]
    array([1., 1.])
    """
    shared = latent[..., np.newaxis, :, :]  # one for all heads
    scale = 1 / np.sqrt(query.shape[-1])  # of the query's width, also when absorbed
    if absorbed:
        query, key, value = query @ W_UK.swapaxes(-1, -2), shared, shared
    else:
        key, value = shared @ W_UK, shared @ W_UV
    output, _ = scaled_dot_product_attention(query, key, value, scale=scale, return_weights=True)
    return output @ W_UV if absorbed else output
