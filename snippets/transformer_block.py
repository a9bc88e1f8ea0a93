"""The transformer block: attention and feed-forward layer, each with a residual and a norm."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from snippets.feed_forward import feed_forward, relu
from snippets.layer_norm import layer_norm
from snippets.multi_head import MultiHeadWeights, multi_head_attention


class BlockWeights(NamedTuple):
    """What one block learns. Norm 1 goes with the attention, norm 2 with the feed-forward layer."""

    attention: MultiHeadWeights
    W_1: np.ndarray  # (d_model, d_ff)
    b_1: np.ndarray  # (d_ff,)
    W_2: np.ndarray  # (d_ff, d_model)
    b_2: np.ndarray  # (d_model,)
    gain_1: np.ndarray  # (d_model,), as the next three
    bias_1: np.ndarray
    gain_2: np.ndarray
    bias_2: np.ndarray


def transformer_block(
    x: np.ndarray,
    weights: BlockWeights,
    num_heads: int,
    attn_mask: np.ndarray | None = None,
    *,
    norm_first: bool = False,
    is_causal: bool = False,
    activation: Callable[[np.ndarray], np.ndarray] = relu,
    eps: float = 1e-5,
) -> np.ndarray:
    """Let the tokens attend to each other, then transform each: one layer of a transformer.

    Post-norm: norm(x + sublayer(x)), as in Vaswani et al. 2017, section 3.1.
    Pre-norm: x + sublayer(norm(x)), as in Xiong et al. 2020. Arguments as in PyTorch's
    nn.TransformerEncoderLayer, without dropout.

    Parameters
    ----------
    x : (..., n, d_model)
    weights : BlockWeights
    num_heads : int
    attn_mask : broadcasts to (..., h, n, n), optional
        Boolean: True lets a query attend to a key. Float: added to the scaled scores.
    norm_first : bool
        Pre-norm; post-norm if False.
    is_causal : bool
        Token i attends to tokens 0 … i.
    activation : function of an array, number by number
    eps : float
        As in layer_norm.

    Returns
    -------
    (..., n, d_model)

    Raises
    ------
    ValueError
        If shapes do not fit, or both attn_mask and is_causal are given.
    TypeError
        If attn_mask is neither boolean nor float.

    Examples
    --------
    >>> one, zero = np.eye(2), np.zeros(2)
    >>> attention = MultiHeadWeights(one, one, one, one)
    >>> weights = BlockWeights(attention, one, zero, one, zero, zero + 1, zero, zero + 1, zero)
    >>> transformer_block(np.array([[1.0, 2.0], [4.0, 3.0]]), weights, num_heads=1).round(2)
    array([[-1.,  1.],
           [ 1., -1.]])
    """
    attention, W_1, b_1, W_2, b_2, gain_1, bias_1, gain_2, bias_2 = weights

    def attend(x: np.ndarray) -> np.ndarray:
        output: np.ndarray
        output, _ = multi_head_attention(
            x, x, x, attention, num_heads, attn_mask, is_causal=is_causal, return_weights=True
        )
        return output

    def feed(x: np.ndarray) -> np.ndarray:
        return feed_forward(x, W_1, b_1, W_2, b_2, activation)

    def norm_1(x: np.ndarray) -> np.ndarray:
        return layer_norm(x, gain_1, bias_1, eps)

    def norm_2(x: np.ndarray) -> np.ndarray:
        return layer_norm(x, gain_2, bias_2, eps)

    if norm_first:
        x = x + attend(norm_1(x))
        x = x + feed(norm_2(x))
    else:
        x = norm_1(x + attend(x))
        x = norm_2(x + feed(x))
    return x


def add_sublayer(
    x: np.ndarray,
    sublayer: Callable[[np.ndarray], np.ndarray],
    *,
    norm_before: Callable[[np.ndarray], np.ndarray] | None = None,
    norm_after: Callable[[np.ndarray], np.ndarray] | None = None,
) -> np.ndarray:
    """Add what a sublayer changes, with norms inside the branch: x + after(sublayer(before(x))).

    Only before: pre-norm. Only after: OLMo 2 (OLMo Team 2024). Both: Gemma 2
    (Gemma Team 2024, section 2), a sandwich. The sum itself is never normalized.

    Parameters
    ----------
    x : (..., n, d_model)
    sublayer : function
        Attention or a feed-forward layer, (..., n, d_model) to the same shape.
    norm_before, norm_after : function, optional
        None leaves a norm out.

    Returns
    -------
    (..., n, d_model)

    Examples
    --------
    >>> def double(x):
    ...     return 2 * x
    >>> add_sublayer(np.array([[3.0, 4.0]]), double, norm_after=lambda y: y / np.linalg.norm(y))
    array([[3.6, 4.8]])
    """
    read = x if norm_before is None else norm_before(x)
    change = sublayer(read)
    return x + (change if norm_after is None else norm_after(change))
