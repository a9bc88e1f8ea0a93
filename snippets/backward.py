"""The backward pass of attention: from the gradient of the output to the gradients of its inputs.

`dL_dx` is the gradient of a loss L (one number) with respect to x: an array of x's shape.
"""

from typing import NamedTuple

import numpy as np

from snippets.attention import scaled_dot_product_attention
from snippets.multi_head import MultiHeadWeights, merge_heads, split_heads
from snippets.projection import project


class AttentionGradients(NamedTuple):
    """The gradients of the loss with respect to the three inputs of attention."""

    dL_dquery: np.ndarray  # (..., n, d_k)
    dL_dkey: np.ndarray  # (..., m, d_k)
    dL_dvalue: np.ndarray  # (..., m, d_v)


class MultiHeadGradients(NamedTuple):
    """What the loss says of the inputs of multi-head attention, and of its weights."""

    dL_dquery: np.ndarray  # (..., n, d_model)
    dL_dkey: np.ndarray  # (..., m, d_model)
    dL_dvalue: np.ndarray  # (..., m, d_model)
    dL_dweights: MultiHeadWeights


def softmax_backward(dL_dalpha: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Take a gradient from softmax's weights back to its scores, along the last axis.

    dL/ds_j = α_j · (dL/dα_j - Σ_l α_l · dL/dα_l), which is the Jacobian diag(α) - αᵀα times
    dL/dα without ever forming it (Goodfellow et al. 2016, section 6.5).

    Parameters
    ----------
    dL_dalpha : (..., m)
    alpha : (..., m)
        The weights, not the scores. Rows that are all 0 give 0.

    Returns
    -------
    (..., m)

    Raises
    ------
    ValueError
        If the shapes differ; the message names both.

    Examples
    --------
    >>> softmax_backward(np.array([1.0, 0.0]), np.array([0.75, 0.25]))
    array([ 0.1875, -0.1875])
    """
    if dL_dalpha.shape != alpha.shape:
        raise ValueError(f"dL_dalpha {dL_dalpha.shape} and alpha {alpha.shape} differ in shape")
    mean = (alpha * dL_dalpha).sum(axis=-1, keepdims=True)
    return alpha * (dL_dalpha - mean)


def attention_backward(
    dL_doutput: np.ndarray,
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    alpha: np.ndarray,
    scale: float,
) -> AttentionGradients:
    """Take a gradient back through Z = α V, α = softmax(scale · Q Kᵀ + mask), and no more.

    With dS = α ⊙ (dα - Σ α dα), row by row: dV = αᵀ dZ, dα = dZ Vᵀ, dQ = scale · dS K,
    dK = scale · dSᵀ Q (Dao et al. 2022, appendix B.2). A masked score has α = 0, so its
    gradient is 0.

    Parameters
    ----------
    dL_doutput : (..., n, d_v)
    q : (..., n, d_k)
    k : (..., m, d_k)
    v : (..., m, d_v)
    alpha : (..., n, m)
        The weights that the forward pass has computed.
    scale : float

    Returns
    -------
    AttentionGradients
        Along the batch axes of all inputs together.

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> one = np.array([[1.0]])
    >>> attention_backward(np.array([[5.0]]), one, one, one, one, scale=1.0).dL_dvalue
    array([[5.]])
    """
    dL_dvalue = alpha.swapaxes(-1, -2) @ dL_doutput
    dL_dalpha = dL_doutput @ v.swapaxes(-1, -2)
    dL_dscores = softmax_backward(dL_dalpha, alpha) * scale
    return AttentionGradients(dL_dscores @ k, dL_dscores.swapaxes(-1, -2) @ q, dL_dvalue)


def scaled_dot_product_attention_backward(
    dL_doutput: np.ndarray,
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    attn_mask: np.ndarray | None = None,
    *,
    is_causal: bool = False,
    scale: float | None = None,
) -> AttentionGradients:
    """Take a gradient from the output of scaled dot-product attention back to Q, K and V.

    The weights are computed again; `attention_backward` does the rest.

    Parameters
    ----------
    dL_doutput : (..., n, d_v)
    query : (..., n, d_k)
    key : (..., m, d_k)
    value : (..., m, d_v)
    attn_mask : broadcasts to (..., n, m), optional
        As in the forward pass.
    is_causal : bool
        As in the forward pass.
    scale : float, optional
        1/√d_k if None.

    Returns
    -------
    AttentionGradients
        Each of the shape of its input. An input that was broadcast along an axis was used
        several times, so its gradient is the sum over that axis.

    Raises
    ------
    ValueError
        If shapes do not fit (the message names them), or both attn_mask and is_causal are given.
    TypeError
        If attn_mask is neither boolean nor float.

    Examples
    --------
    >>> one = np.array([[1.0]])
    >>> scaled_dot_product_attention_backward(np.array([[5.0]]), one, one, one).dL_dvalue
    array([[5.]])
    """
    if scale is None:
        scale = float(1 / np.sqrt(query.shape[-1]))
    output, alpha = scaled_dot_product_attention(
        query, key, value, attn_mask, is_causal=is_causal, scale=scale, return_weights=True
    )
    if dL_doutput.shape != output.shape:
        raise ValueError(f"dL_doutput {dL_doutput.shape} and output {output.shape} differ in shape")

    gradients = attention_backward(dL_doutput, query, key, value, alpha, scale)
    inputs = (query, key, value)
    return AttentionGradients(
        *(_sum_to(gradient, x.shape) for gradient, x in zip(gradients, inputs, strict=True))
    )


def weight_gradient(dL_doutput: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Take a gradient from the output of `project` back to its weight.

    For Y = X W: dW = Xᵀ dY, summed over all tokens of all sequences, since all share one W
    (Goodfellow et al. 2016, section 6.5.6).

    Parameters
    ----------
    dL_doutput : (..., n, d_out)
    x : (..., n, d_in)

    Returns
    -------
    (d_in, d_out)

    Raises
    ------
    ValueError
        If the numbers of tokens differ.

    Examples
    --------
    >>> weight_gradient(np.array([[10.0]]), np.array([[2.0, 3.0]]))
    array([[20.],
           [30.]])
    """
    return x.reshape(-1, x.shape[-1]).T @ dL_doutput.reshape(-1, dL_doutput.shape[-1])


def project_backward(
    dL_doutput: np.ndarray, x: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Take a gradient from the output of `project` back to x, the weight and the bias.

    For Y = X W + b: dX = dY Wᵀ, dW is `weight_gradient`, and db = Σ dY, summed over all tokens.

    Parameters
    ----------
    dL_doutput : (..., n, d_out)
    x : (..., n, d_in)
    weight : (d_in, d_out)

    Returns
    -------
    dL_dx : (..., n, d_in)
    dL_dweight : (d_in, d_out)
    dL_dbias : (d_out,)

    Raises
    ------
    ValueError
        If shapes do not fit; the message names all three.

    Examples
    --------
    >>> x, weight = np.array([[2.0, 3.0]]), np.array([[1.0], [4.0]])
    >>> project_backward(np.array([[10.0]]), x, weight)
    (array([[10., 40.]]), array([[20.],
           [30.]]), array([10.]))
    """
    if dL_doutput.shape != (*x.shape[:-1], weight.shape[-1]) or x.shape[-1:] != weight.shape[:1]:
        raise ValueError(
            f"dL_doutput {dL_doutput.shape}, x {x.shape} and weight {weight.shape} are not"
            " (..., n, d_out), (..., n, d_in) and (d_in, d_out)"
        )
    dL_dbias = dL_doutput.reshape(-1, dL_doutput.shape[-1]).sum(axis=0)
    return dL_doutput @ weight.T, weight_gradient(dL_doutput, x), dL_dbias


def multi_head_attention_backward(
    dL_doutput: np.ndarray,
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    weights: MultiHeadWeights,
    num_heads: int,
    attn_mask: np.ndarray | None = None,
    *,
    is_causal: bool = False,
) -> MultiHeadGradients:
    """Take a gradient from the output of multi-head attention back to its inputs and weights.

    The forward pass of `multi_head_attention` (Vaswani et al. 2017, section 3.2.2), its steps
    in reverse order: W_O, the heads, W_Q, W_K and W_V. Splitting and merging only move
    numbers, so their backward passes are each other.

    Parameters
    ----------
    dL_doutput : (..., n, d_model)
    query : (..., n, d_model)
    key : (..., m, d_model)
    value : (..., m, d_model)
    weights : MultiHeadWeights
    num_heads : int
        h
    attn_mask : broadcasts to (..., h, n, m), optional
        As in the forward pass.
    is_causal : bool
        As in the forward pass.

    Returns
    -------
    MultiHeadGradients
        Of one sequence passed three times, the gradient is the sum of the first three. A bias
        that is None has the gradient None.

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
    >>> weights = MultiHeadWeights(one, one, one, one)
    >>> multi_head_attention_backward(one, x, x, x, weights, num_heads=2).dL_dvalue.round(3)
    array([[0.119, 0.   ],
           [0.881, 1.   ]])
    """
    Q = split_heads(project(query, weights.W_Q, weights.b_Q), num_heads)
    K = split_heads(project(key, weights.W_K, weights.b_K), num_heads)
    V = split_heads(project(value, weights.W_V, weights.b_V), num_heads)
    heads, _ = scaled_dot_product_attention(
        Q, K, V, attn_mask, is_causal=is_causal, return_weights=True
    )

    dL_dmerged, dL_dW_O, dL_db_O = project_backward(dL_doutput, merge_heads(heads), weights.W_O)
    dL_dheads = split_heads(dL_dmerged, num_heads)
    dL_dQ, dL_dK, dL_dV = scaled_dot_product_attention_backward(
        dL_dheads, Q, K, V, attn_mask, is_causal=is_causal
    )
    dL_dquery, dL_dW_Q, dL_db_Q = project_backward(merge_heads(dL_dQ), query, weights.W_Q)
    dL_dkey, dL_dW_K, dL_db_K = project_backward(merge_heads(dL_dK), key, weights.W_K)
    dL_dvalue, dL_dW_V, dL_db_V = project_backward(merge_heads(dL_dV), value, weights.W_V)
    dL_dweights = MultiHeadWeights(
        dL_dW_Q,
        dL_dW_K,
        dL_dW_V,
        dL_dW_O,
        None if weights.b_Q is None else dL_db_Q,
        None if weights.b_K is None else dL_db_K,
        None if weights.b_V is None else dL_db_V,
        None if weights.b_O is None else dL_db_O,
    )
    return MultiHeadGradients(dL_dquery, dL_dkey, dL_dvalue, dL_dweights)


def _sum_to(gradient: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Sum over the axes along which an input of this shape was broadcast."""
    gradient = gradient.sum(axis=tuple(range(gradient.ndim - len(shape))))
    repeated = tuple(i for i, size in enumerate(shape) if size == 1 != gradient.shape[i])
    return gradient.sum(axis=repeated, keepdims=True)
