"""The feed-forward layer and the non-linear functions inside it: each token by itself."""

import math
from collections.abc import Callable

import numpy as np

from snippets.projection import project


def relu(x: np.ndarray) -> np.ndarray:
    """Replace what is below 0 by 0: max(0, x).

    The activation of Vaswani et al. 2017, equation 2. The dtype stays.

    Examples
    --------
    >>> relu(np.array([-1.0, 0.0, 2.0]))
    array([0., 0., 2.])
    """
    return np.maximum(x, 0)


def gelu(x: np.ndarray, approximate: str = "none") -> np.ndarray:
    """Weigh x by the share of a normal distribution below it: x Φ(x).

    "none" is exact, Φ(x) = (1 + erf(x / √2)) / 2; "tanh" is the approximation
    (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2 (Hendrycks and Gimpel 2016). The
    transformers library has the exact form for BERT and so for MiniLM; Google's BERT code has the
    approximation today, and so has GPT-2. PyTorch names the two as here. Floats keep their dtype.

    Raises
    ------
    ValueError
        If approximate is neither "none" nor "tanh".

    Examples
    --------
    >>> gelu(np.array([-1.0, 0.0, 2.0])).round(4)
    array([-0.1587,  0.    ,  1.9545])
    >>> gelu(np.array([-1.0, 0.0, 2.0]), "tanh").round(4)
    array([-0.1588,  0.    ,  1.9546])
    """
    wide = np.asarray(x, np.float64)
    if approximate == "none":
        phi = (1 + np.vectorize(math.erf, otypes=[np.float64])(wide / math.sqrt(2))) / 2
    elif approximate == "tanh":
        phi = (1 + np.tanh(math.sqrt(2 / math.pi) * (wide + 0.044715 * wide**3))) / 2
    else:
        raise ValueError(f'approximate must be "none" or "tanh", not {approximate!r}')
    output = wide * phi
    return output.astype(np.result_type(x, np.float16))


def feed_forward(
    x: np.ndarray,
    W_1: np.ndarray,
    b_1: np.ndarray,
    W_2: np.ndarray,
    b_2: np.ndarray,
    activation: Callable[[np.ndarray], np.ndarray] = relu,
) -> np.ndarray:
    """Widen every token, apply the activation, narrow it again: activation(x W_1 + b_1) W_2 + b_2.

    Vaswani et al. 2017, equation 2; there d_ff = 4 · d_model.

    Parameters
    ----------
    x : (..., n, d_model)
    W_1 : (d_model, d_ff)
    b_1 : (d_ff,)
    W_2 : (d_ff, d_model)
    b_2 : (d_model,)
    activation : function of an array, number by number
        `relu` as in the paper, or `gelu`.

    Returns
    -------
    (..., n, d_model)

    Raises
    ------
    ValueError
        If shapes do not fit; the message names them.

    Examples
    --------
    >>> x, W_1, W_2 = np.array([[1.0], [-2.0]]), np.array([[1.0, -1.0]]), np.array([[1.0], [1.0]])
    >>> feed_forward(x, W_1, np.zeros(2), W_2, np.zeros(1))  # these weights make |x|
    array([[1.],
           [2.]])
    """
    return project(activation(project(x, W_1, b_1)), W_2, b_2)
