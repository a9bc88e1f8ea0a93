"""Multi-head attention: project, split into heads, attend in each, merge, project.

What one head does belongs in `attention`.
"""

from typing import NamedTuple

import numpy as np

from snippets.attention import scaled_dot_product_attention
from snippets.projection import project


class MultiHeadWeights(NamedTuple):
    """What multi-head attention learns, for h heads; PyTorch stores the transposes."""

    W_Q: np.ndarray  # (d_model, h · d_k)
    W_K: np.ndarray  # (d_model, h · d_k)
    W_V: np.ndarray  # (d_model, h · d_v)
    W_O: np.ndarray  # (h · d_v, d_model)
    b_Q: np.ndarray | None = None  # (h · d_k,)
    b_K: np.ndarray | None = None  # (h · d_k,)
    b_V: np.ndarray | None = None  # (h · d_v,)
    b_O: np.ndarray | None = None  # (d_model,)


def split_heads(x: np.ndarray, num_heads: int) -> np.ndarray:
    """Cut every token's numbers into equal parts, one for each head.

    Head i gets columns i · d … (i + 1) · d - 1, as head_i does in Vaswani et al. 2017,
    section 3.2.2.

    Parameters
    ----------
    x : (..., n, h · d)
    num_heads : int
        h; it must divide the last axis.

    Returns
    -------
    (..., h, n, d)

    Raises
    ------
    ValueError
        If num_heads does not divide the last axis.

    Examples
    --------
    >>> split_heads(np.array([[1, 2, 3, 4], [5, 6, 7, 8]]), 2)
    array([[[1, 2],
            [5, 6]],
    <BLANKLINE>
           [[3, 4],
            [7, 8]]])
    """
    if x.ndim < 2 or num_heads < 1 or x.shape[-1] % num_heads:
        raise ValueError(f"x {x.shape} is not (..., n, {num_heads} · d)")
    heads = x.reshape(*x.shape[:-1], num_heads, x.shape[-1] // num_heads)
    return heads.swapaxes(-2, -3)  # reshape alone would mix tokens and heads


def merge_heads(x: np.ndarray) -> np.ndarray:
    """Put the heads' outputs side by side: Concat(head_1, …, head_h); undoes split_heads.

    Vaswani et al. 2017, section 3.2.2.

    Parameters
    ----------
    x : (..., h, n, d)

    Returns
    -------
    (..., n, h · d)

    Raises
    ------
    ValueError
        If x has fewer than three axes.

    Examples
    --------
    >>> merge_heads(np.array([[[1, 2], [5, 6]], [[3, 4], [7, 8]]]))
    array([[1, 2, 3, 4],
           [5, 6, 7, 8]])
    """
    if x.ndim < 3:
        raise ValueError(f"x {x.shape} is not (..., h, n, d)")
    tokens = x.swapaxes(-2, -3)
    return tokens.reshape(*tokens.shape[:-2], tokens.shape[-2] * tokens.shape[-1])


def multi_head_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    weights: MultiHeadWeights,
    num_heads: int,
    attn_mask: np.ndarray | None = None,
    *,
    is_causal: bool = False,
    return_weights: bool = False,
) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
    """Attend with several heads at once: Concat(head_1, …, head_h) W_O.

    head_i = Attention(Q W_Q_i, K W_K_i, V W_V_i) (Vaswani et al. 2017, section 3.2.2).
    Pass one sequence three times for self-attention.

    Parameters
    ----------
    query : (..., n, d_model)
        The tokens that ask; not projected yet.
    key : (..., m, d_model)
        The tokens that are compared with them.
    value : (..., m, d_model)
        The tokens that are mixed; mostly the same as key.
    weights : MultiHeadWeights
    num_heads : int
        h
    attn_mask : broadcasts to (..., h, n, m), optional
        Boolean: True lets a query attend to a key. Float: added to the scaled scores.
    is_causal : bool
        Query i attends to keys 0 … i.
    return_weights : bool
        Return (output, attention weights).

    Returns
    -------
    output : (..., n, d_model)
    attention weights : (..., h, n, m), only if return_weights

    Raises
    ------
    ValueError
        If shapes do not fit, or both attn_mask and is_causal are given.
    TypeError
        If attn_mask is neither boolean nor float.

    Examples
    --------
    >>> x = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> one = np.eye(2)
    >>> multi_head_attention(x, x, x, MultiHeadWeights(one, one, one, one), num_heads=2).round(2)
    array([[2.76, 3.96],
           [3.  , 4.  ]])
    """
    Q = split_heads(project(query, weights.W_Q, weights.b_Q), num_heads)
    K = split_heads(project(key, weights.W_K, weights.b_K), num_heads)
    V = split_heads(project(value, weights.W_V, weights.b_V), num_heads)
    heads, alpha = scaled_dot_product_attention(
        Q, K, V, attn_mask, is_causal=is_causal, return_weights=True
    )
    output = project(merge_heads(heads), weights.W_O, weights.b_O)
    return (output, alpha) if return_weights else output
