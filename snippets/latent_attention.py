"""Multi-head latent attention: one narrow vector for each token in place of keys and values.

`grouped_heads.latent_attention` has the idea alone; here are also the norms, the compressed
queries, the rotated part, and the two orders of the products.
"""

from typing import NamedTuple

import numpy as np

from snippets.attention import scaled_dot_product_attention
from snippets.multi_head import merge_heads
from snippets.rms_norm import rms_norm
from snippets.rotary import rotate


class LatentWeights(NamedTuple):
    """What the layer learns, for h heads; D for down, U for up, R for the rotated part."""

    W_DQ: np.ndarray  # (d_model, d_q)
    gain_Q: np.ndarray  # (d_q,)
    W_UQ: np.ndarray  # (h, d_q, d_k)
    W_QR: np.ndarray  # (h, d_q, d_r)
    W_DKV: np.ndarray  # (d_model, d_c)
    gain_KV: np.ndarray  # (d_c,)
    W_KR: np.ndarray  # (d_model, d_r)
    W_UK: np.ndarray  # (h, d_c, d_k)
    W_UV: np.ndarray  # (h, d_c, d_v)
    W_O: np.ndarray  # (h · d_v, d_model)


def latent_queries(
    x: np.ndarray, weights: LatentWeights, cos: np.ndarray, sin: np.ndarray, eps: float = 1e-6
) -> tuple[np.ndarray, np.ndarray]:
    """Compress each token, normalize, and make the queries of all heads.

    C_Q = RMSNorm(x W_DQ), Q_C = C_Q W_UQ, Q_R = rotated C_Q W_QR (DeepSeek-AI 2024, equations 12 to
    14; the norm is in their section 3.1.2).

    Parameters
    ----------
    x : (..., n, d_model)
    weights : LatentWeights
    cos, sin : (n, d_r / 2)
        Of the angles of these tokens' positions; neighbours are a pair.
    eps : float
        Of the norm.

    Returns
    -------
    Q_C : (..., h, n, d_k)
    Q_R : (..., h, n, d_r)

    Raises
    ------
    ValueError
        If shapes do not fit; the message names them.

    Examples
    --------
    >>> ones = LatentWeights(*(np.ones(s) for s in [(4, 3), (3,), (2, 3, 5), (2, 3, 2), (4, 6),
    ...     (6,), (4, 2), (2, 6, 5), (2, 6, 5), (10, 4)]))
    >>> Q_C, Q_R = latent_queries(np.ones((7, 4)), ones, np.ones((7, 1)), np.zeros((7, 1)))
    >>> Q_C.shape, Q_R.shape
    ((2, 7, 5), (2, 7, 2))
    """
    _check(x, weights.W_DQ, "W_DQ")
    C_Q = rms_norm(x @ weights.W_DQ, weights.gain_Q, eps)[..., np.newaxis, :, :]
    return C_Q @ weights.W_UQ, rotate(C_Q @ weights.W_QR, cos, sin, interleaved=True)


def latent_rows(
    x: np.ndarray, weights: LatentWeights, cos: np.ndarray, sin: np.ndarray, eps: float = 1e-6
) -> np.ndarray:
    """Make what the cache keeps of each token: its normalized latent, then the shared rotated key.

    C = RMSNorm(x W_DKV) and K_R = rotated x W_KR (DeepSeek-AI 2024, equations 9 and 15).

    Parameters
    ----------
    x : (..., m, d_model)
    weights : LatentWeights
    cos, sin : (m, d_r / 2)
    eps : float

    Returns
    -------
    (..., m, d_c + d_r)

    Raises
    ------
    ValueError
        If shapes do not fit; the message names them.

    Examples
    --------
    >>> ones = LatentWeights(*(np.ones(s) for s in [(4, 3), (3,), (2, 3, 5), (2, 3, 2), (4, 6),
    ...     (6,), (4, 2), (2, 6, 5), (2, 6, 5), (10, 4)]))
    >>> latent_rows(np.ones((1, 4)), ones, np.zeros((1, 1)), np.ones((1, 1))).round(2)
    array([[ 1.,  1.,  1.,  1.,  1.,  1., -4.,  4.]])
    """
    _check(x, weights.W_DKV, "W_DKV")
    _check(x, weights.W_KR, "W_KR")
    C = rms_norm(x @ weights.W_DKV, weights.gain_KV, eps)
    return np.concatenate([C, rotate(x @ weights.W_KR, cos, sin, interleaved=True)], axis=-1)


def attend_to_latents(
    Q_C: np.ndarray,
    Q_R: np.ndarray,
    rows: np.ndarray,
    weights: LatentWeights,
    attn_mask: np.ndarray | None = None,
    *,
    factor: float = 1.0,
    absorbed: bool,
) -> np.ndarray:
    """Attend to kept rows with all heads, and project the result.

    Scores are (Q_C K_Cᵀ + Q_R K_Rᵀ) factor² / √(d_k + d_r), with K_C = C W_UK and V = C W_UV
    (DeepSeek-AI 2024, equations 16 to 19). Absorbed: Q_C W_UKᵀ is compared with C, and the mean of
    C is multiplied by W_UV, so that all heads read the same narrow rows. Equal up to rounding.

    Parameters
    ----------
    Q_C : (..., h, n, d_k)
    Q_R : (..., h, n, d_r)
    rows : (..., m, d_c + d_r)
    weights : LatentWeights
    attn_mask : broadcasts to (..., h, n, m), optional
        Boolean: True lets a query attend to a row. Float: added to the scaled scores.
    factor : float
        YaRN's `attention_factor`, where positions are stretched.
    absorbed : bool

    Returns
    -------
    (..., n, d_model)

    Raises
    ------
    ValueError
        If shapes do not fit; the message names them.

    Examples
    --------
    >>> weights = LatentWeights(*[None] * 7, np.ones((1, 1, 1)), np.ones((1, 1, 1)), np.eye(1))
    >>> rows = np.array([[1.0, 0.0, 0.0], [3.0, 0.0, 0.0]])  # d_c 1, d_r 2
    >>> Q_C, Q_R = np.zeros((1, 1, 1)), np.zeros((1, 1, 2))
    >>> attend_to_latents(Q_C, Q_R, rows, weights, absorbed=True)
    array([[2.]])
    """
    d_c, d_k = weights.W_UK.shape[-2:]
    d_r = Q_R.shape[-1]
    if Q_C.shape[-1] != d_k or rows.shape[-1] != d_c + d_r:
        raise ValueError(
            f"Q_C {Q_C.shape}, Q_R {Q_R.shape} and rows {rows.shape} are not (..., h, n, {d_k}),"
            f" (..., h, n, d_r) and (..., m, {d_c} + d_r)"
        )
    dtype = np.result_type(Q_C, Q_R, rows, weights.W_UK, np.float16)
    wide = np.result_type(dtype, np.float32)  # float16 queries could overflow when absorbed
    W_UK, W_UV, W_O = (W.astype(wide) for W in (weights.W_UK, weights.W_UV, weights.W_O))
    shared = rows[..., np.newaxis, :, :].astype(wide)  # one for all heads
    C, K_R = shared[..., :d_c], shared[..., d_c:]
    if absorbed:
        query, key, value = Q_C @ W_UK.swapaxes(-1, -2), shared, C
    else:
        query, value = Q_C.astype(wide), C @ W_UV
        K_C = C @ W_UK
        key = np.concatenate([K_C, np.broadcast_to(K_R, (*K_C.shape[:-1], d_r))], axis=-1)
    output, _ = scaled_dot_product_attention(
        np.concatenate([query, Q_R], axis=-1),
        key,
        value,
        attn_mask,
        scale=factor**2 / (d_k + d_r) ** 0.5,  # of the width that is not absorbed
        return_weights=True,
    )
    return (merge_heads(output @ W_UV if absorbed else output) @ W_O).astype(dtype)


def _check(x: np.ndarray, W: np.ndarray, name: str) -> None:
    """Name the matrix that does not fit the tokens."""
    if x.ndim < 2 or x.shape[-1] != W.shape[0]:
        raise ValueError(f"x {x.shape} is not (..., n, d_model) for {name} {W.shape}")
