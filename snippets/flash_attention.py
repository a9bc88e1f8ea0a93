"""Attention in tiles: the same result, and never a whole row of weights (FlashAttention)."""

import numpy as np


def flash_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    *,
    tile: int = 64,
    is_causal: bool = False,
    scale: float | None = None,
    rescale_above: float = 0.0,
) -> tuple[np.ndarray, np.ndarray]:
    """Mix the values tile by tile, with a running maximum and a running sum for each query.

    When a tile of keys brings a larger score, what was summed before is multiplied by
    exp(old maximum - new maximum) (Dao et al. 2022, algorithm 1, in the order of loops of Dao
    2023). No array is larger than the output or a tile.

    Parameters
    ----------
    query : (..., n, d_k)
    key : (..., m, d_k)
    value : (..., m, d_v)
    tile : int
        Rows of queries and of keys that are worked on at once.
    is_causal : bool
        Query i attends to keys 0 … i; tiles beyond are not computed.
    scale : float, optional
        1/√d_k if None.
    rescale_above : float
        Keep an old maximum until a score exceeds it by more; 8 log 2 in FlashAttention-4.

    Returns
    -------
    output : (..., n, d_v), of the query's dtype
    log_sum_exp : (..., n)
        log Σ_j exp(score_ij) of the scaled scores: what the backward pass needs.

    Raises
    ------
    ValueError
        If the shapes do not fit (the message names them), or there are no keys.

    Examples
    --------
    >>> x = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> output, log_sum_exp = flash_attention(x, x, x, tile=1, is_causal=True)
    >>> output.round(2)
    array([[1.  , 0.  ],
           [0.33, 0.67]])
    """
    n, m = query.shape[-2], key.shape[-2]
    if m == 0 or query.shape[-1] != key.shape[-1] or m != value.shape[-2]:
        raise ValueError(
            f"query {query.shape}, key {key.shape} and value {value.shape} are not (..., n, d_k),"
            " (..., m, d_k) and (..., m, d_v) with m > 0"
        )
    if scale is None:
        scale = float(1 / np.sqrt(query.shape[-1]))
    wide = np.result_type(query, key, value, np.float32)  # float16 sums would lose digits
    batch = np.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2])
    output = np.empty((*batch, n, value.shape[-1]), query.dtype)
    log_sum_exp = np.empty((*batch, n), wide)

    for top in range(0, n, tile):
        rows = slice(top, min(top + tile, n))
        q = query[..., rows, :].astype(wide)
        largest = np.full((*batch, q.shape[-2], 1), -np.inf, wide)
        total = np.zeros_like(largest)
        mixture = np.zeros((*batch, q.shape[-2], value.shape[-1]), wide)
        for left in range(0, min(rows.stop, m) if is_causal else m, tile):
            columns = slice(left, min(left + tile, m))
            k, v = (x[..., columns, :].astype(wide) for x in (key, value))
            scores = scale * (q @ k.swapaxes(-1, -2))
            if is_causal:
                later = np.arange(left, columns.stop) > np.arange(top, rows.stop)[:, np.newaxis]
                scores = np.where(later, -np.inf, scores)
            higher = np.maximum(largest, scores.max(axis=-1, keepdims=True))
            higher = np.where(higher - largest > rescale_above, higher, largest)
            factor = np.exp(largest - higher)  # 0 at the first tile
            exps = np.exp(scores - higher)
            total = factor * total + exps.sum(axis=-1, keepdims=True)
            mixture = factor * mixture + exps @ v
            largest = higher
        output[..., rows, :] = mixture / total
        log_sum_exp[..., rows] = (largest + np.log(total))[..., 0]
    return output, log_sum_exp


def flash_attention_backward(
    dL_doutput: np.ndarray,
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    output: np.ndarray,
    log_sum_exp: np.ndarray,
    *,
    tile: int = 64,
    is_causal: bool = False,
    scale: float | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Take a gradient back to Q, K and V, computing the weights a second time, tile by tile.

    A weight is exp(score - log_sum_exp): no maximum and no sum are needed again. The sum
    Σ_j α_ij dα_ij of a row equals the dot product of output and its gradient (Dao et al. 2022,
    appendix B.2). As in the forward pass, all sums are kept in float32 at least.

    Parameters
    ----------
    dL_doutput : (..., n, d_v)
    query : (..., n, d_k)
    key : (..., m, d_k)
    value : (..., m, d_v)
    output : (..., n, d_v)
        Of `flash_attention`.
    log_sum_exp : (..., n)
        Of `flash_attention`.
    tile : int
        As in the forward pass, or any other.
    is_causal : bool
        As in the forward pass.
    scale : float, optional
        As in the forward pass.

    Returns
    -------
    dL_dquery : (..., n, d_k), of the query's dtype
    dL_dkey : (..., m, d_k), of the key's
    dL_dvalue : (..., m, d_v), of the value's

    Raises
    ------
    ValueError
        If dL_doutput and output differ in shape.

    Examples
    --------
    >>> one = np.array([[1.0]])
    >>> output, log_sum_exp = flash_attention(one, one, one)
    >>> flash_attention_backward(np.array([[5.0]]), one, one, one, output, log_sum_exp)[2]
    array([[5.]])
    """
    if dL_doutput.shape != output.shape:
        raise ValueError(f"dL_doutput {dL_doutput.shape} and output {output.shape} differ in shape")
    n, m = query.shape[-2], key.shape[-2]
    if scale is None:
        scale = float(1 / np.sqrt(query.shape[-1]))
    wide = np.result_type(query, key, value, np.float32)  # float16 sums would lose digits
    row_sum = (output.astype(wide) * dL_doutput).sum(axis=-1, keepdims=True)
    dL_dquery, dL_dkey, dL_dvalue = (np.zeros_like(x, wide) for x in (query, key, value))

    for top in range(0, n, tile):
        rows = slice(top, min(top + tile, n))
        q, dz = (x[..., rows, :].astype(wide) for x in (query, dL_doutput))
        for left in range(0, min(rows.stop, m) if is_causal else m, tile):
            columns = slice(left, min(left + tile, m))
            k, v = (x[..., columns, :].astype(wide) for x in (key, value))
            scores = scale * (q @ k.swapaxes(-1, -2))
            if is_causal:
                later = np.arange(left, columns.stop) > np.arange(top, rows.stop)[:, np.newaxis]
                scores = np.where(later, -np.inf, scores)
            alpha = np.exp(scores - log_sum_exp[..., rows, np.newaxis])
            dL_dalpha = dz @ v.swapaxes(-1, -2)
            dL_dscores = scale * alpha * (dL_dalpha - row_sum[..., rows, :])
            dL_dquery[..., rows, :] += dL_dscores @ k
            dL_dkey[..., columns, :] += dL_dscores.swapaxes(-1, -2) @ q
            dL_dvalue[..., columns, :] += alpha.swapaxes(-1, -2) @ dz
    return (
        dL_dquery.astype(query.dtype),
        dL_dkey.astype(key.dtype),
        dL_dvalue.astype(value.dtype),
    )


#: They minimize the largest relative error on the interval from 0 to 1, with the value 1 at 0.
EXP2 = (1.0, 0.695116786, 0.227644991, 0.077067042)


def exp2_by_polynomial(x: np.ndarray) -> np.ndarray:
    """Compute 2^x with products and sums alone: 2^⌊x⌋ is exact, a polynomial gives the rest.

    2^x = 2^⌊x⌋ 2^r with r = x - ⌊x⌋, and 2^r ≈ 1 + c_1 r + c_2 r² + c_3 r³ (Zadouri et al. 2026).

    Parameters
    ----------
    x : (...), floats

    Returns
    -------
    (...), of the dtype of x

    Examples
    --------
    >>> exp2_by_polynomial(np.array([-np.inf, -1.0, 0.5, 3.0])).round(3)
    array([0.   , 0.5  , 1.414, 8.   ])
    """
    x = np.maximum(x, -2000.0)  # below, 2^x is 0 in all types
    whole = np.floor(x)
    r, value = x - whole, EXP2[-1]
    for c in EXP2[-2::-1]:
        value = value * r + c
    return np.ldexp(value, whole.astype(int))
