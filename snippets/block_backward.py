"""The backward pass of a transformer block: norms, the feed-forward layer, the whole.

Attention's own is in `backward`. `dL_dx` is the gradient of a loss L with respect to x.
"""

import numpy as np

from snippets.backward import multi_head_attention_backward, project_backward
from snippets.feed_forward import relu
from snippets.layer_norm import layer_norm
from snippets.multi_head import multi_head_attention
from snippets.projection import project
from snippets.transformer_block import BlockWeights


def layer_norm_backward(
    dL_doutput: np.ndarray, x: np.ndarray, gain: np.ndarray, eps: float = 1e-5
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Take a gradient from the output of `layer_norm` back to x, the gain and the bias.

    With y = (x - mean) / σ, σ = √(variance + eps) and g = gain ⊙ dL/doutput, token by token:
    dL/dx = (g - mean(g) - y mean(g ⊙ y)) / σ (Ba et al. 2016, equation 4, differentiated).

    Parameters
    ----------
    dL_doutput : (..., d)
    x : (..., d)
    gain : (d,)
    eps : float

    Returns
    -------
    dL_dx : (..., d)
    dL_dgain : (d,)
    dL_dbias : (d,)

    Raises
    ------
    ValueError
        If shapes do not fit; the message names them.

    Examples
    --------
    A token's mean and length cannot change, so pulling on both is in vain:

    >>> x = np.array([[1.0, -1.0]])
    >>> layer_norm_backward(np.array([[5.0, 3.0]]), x, np.ones(2), eps=0)[0]
    array([[0., 0.]])
    """
    if dL_doutput.shape != x.shape or x.shape[-1:] != gain.shape:
        raise ValueError(f"dL_doutput {dL_doutput.shape}, x {x.shape} and gain {gain.shape}")
    centred = x - x.mean(axis=-1, keepdims=True)
    sigma = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)
    y = centred / sigma
    g = dL_doutput * gain
    mean, along = g.mean(axis=-1, keepdims=True), (g * y).mean(axis=-1, keepdims=True)
    tokens = tuple(range(x.ndim - 1))
    return (g - mean - y * along) / sigma, (dL_doutput * y).sum(tokens), dL_doutput.sum(tokens)


def feed_forward_backward(
    dL_doutput: np.ndarray,
    x: np.ndarray,
    W_1: np.ndarray,
    b_1: np.ndarray,
    W_2: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Take a gradient from the output of `feed_forward` with ReLU back to x and the weights.

    ReLU hands a gradient on where its input was above 0, and nothing elsewhere.

    Parameters
    ----------
    dL_doutput : (..., n, d_model)
    x : (..., n, d_model)
    W_1 : (d_model, d_ff)
    b_1 : (d_ff,)
    W_2 : (d_ff, d_model)

    Returns
    -------
    dL_dx, dL_dW_1, dL_db_1, dL_dW_2, dL_db_2
        Each of the shape of what it is the gradient for.

    Raises
    ------
    ValueError
        If shapes do not fit.

    Examples
    --------
    >>> one = np.array([[1.0]])
    >>> feed_forward_backward(one, np.array([[-3.0]]), one, np.array([2.0]), one)[0]
    array([[0.]])
    """
    inner = project(x, W_1, b_1)
    dL_dactive, dL_dW_2, dL_db_2 = project_backward(dL_doutput, relu(inner), W_2)
    dL_dx, dL_dW_1, dL_db_1 = project_backward(dL_dactive * (inner > 0), x, W_1)
    return dL_dx, dL_dW_1, dL_db_1, dL_dW_2, dL_db_2


def transformer_block_backward(
    dL_doutput: np.ndarray,
    x: np.ndarray,
    weights: BlockWeights,
    num_heads: int,
    *,
    is_causal: bool = False,
    eps: float = 1e-5,
) -> tuple[np.ndarray, BlockWeights]:
    """Take a gradient from the output of a pre-norm `transformer_block` back to its input.

    The block with norm_first=True and ReLU. A gradient passes a residual connection twice: as
    it is, and through the part beside it; the two are added (He et al. 2016).

    Parameters
    ----------
    dL_doutput : (..., n, d_model)
    x : (..., n, d_model)
    weights : BlockWeights
    num_heads : int
    is_causal : bool
    eps : float

    Returns
    -------
    dL_dx : (..., n, d_model)
    dL_dweights : BlockWeights

    Raises
    ------
    ValueError
        If shapes do not fit.

    Examples
    --------
    A block whose parts add nothing hands the gradient on as it is:

    >>> from snippets.multi_head import MultiHeadWeights
    >>> zero, gain = np.zeros((2, 2)), np.ones(2)
    >>> attention = MultiHeadWeights(zero, zero, zero, zero)
    >>> weights = BlockWeights(attention, zero, gain, zero, gain, gain, gain, gain, gain)
    >>> g = np.array([[1.0, 2.0]])
    >>> transformer_block_backward(g, np.array([[3.0, 7.0]]), weights, num_heads=1)[0]
    array([[1., 2.]])
    """
    attention, W_1, b_1, W_2, _, gain_1, bias_1, gain_2, bias_2 = weights
    read = layer_norm(x, gain_1, bias_1, eps)
    attended, _ = multi_head_attention(
        read, read, read, attention, num_heads, is_causal=is_causal, return_weights=True
    )
    middle = x + attended
    fed = layer_norm(middle, gain_2, bias_2, eps)

    dL_dfed, *dL_dff = feed_forward_backward(dL_doutput, fed, W_1, b_1, W_2)
    dL_dx, *dL_dnorm_2 = layer_norm_backward(dL_dfed, middle, gain_2, eps)
    dL_dmiddle = dL_doutput + dL_dx

    heads = multi_head_attention_backward(
        dL_dmiddle, read, read, read, attention, num_heads, is_causal=is_causal
    )
    dL_dread = heads.dL_dquery + heads.dL_dkey + heads.dL_dvalue
    dL_dx, *dL_dnorm_1 = layer_norm_backward(dL_dread, x, gain_1, eps)
    return dL_dmiddle + dL_dx, BlockWeights(heads.dL_dweights, *dL_dff, *dL_dnorm_1, *dL_dnorm_2)
