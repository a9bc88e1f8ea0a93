"""Learning in context: a layer of linear attention that equals one step of gradient descent.

The examples of a linear regression stand in the text, one token each: the input, then the target.
"""

from typing import NamedTuple

import numpy as np


class DescentWeights(NamedTuple):
    """One head without softmax, of tokens (x, y) with d = d_x + d_y numbers."""

    W_Q: np.ndarray  # (d, d)
    W_K: np.ndarray  # (d, d)
    W_V: np.ndarray  # (d, d)
    W_O: np.ndarray  # (d, d)


def gradient_step(x: np.ndarray, y: np.ndarray, W: np.ndarray, rate: float) -> np.ndarray:
    """Move the weights of a regression against their gradient, once.

    W - rate · xᵀ (x W - y) / n: the loss is the mean over n examples of half the squared error
    (von Oswald et al. 2023, section 2).

    Parameters
    ----------
    x : (..., n, d_x)
    y : (..., n, d_y)
    W : (..., d_x, d_y)
    rate : float

    Returns
    -------
    (..., d_x, d_y)

    Raises
    ------
    ValueError
        If shapes do not fit; the message names them.

    Examples
    --------
    >>> gradient_step(np.array([[1.0], [2.0]]), np.array([[3.0], [6.0]]), np.zeros((1, 1)), 0.4)
    array([[3.]])
    """
    if x.shape[-2] != y.shape[-2] or W.shape[-2:] != (x.shape[-1], y.shape[-1]):
        raise ValueError(
            f"x {x.shape}, y {y.shape} and W {W.shape} are not (..., n, d_x), (..., n, d_y) and"
            " (..., d_x, d_y)"
        )
    return W - (rate / x.shape[-2]) * (x.swapaxes(-1, -2) @ (x @ W - y))


def descent_weights(W: np.ndarray, rate: float, n: int) -> DescentWeights:
    """Write the matrices with which a head takes a step from W.

    Queries and keys are the x of a token, its value is the error x W - y, and W_O multiplies by
    rate / n (von Oswald et al. 2023, proposition 1; in their code `create_weights`).

    Parameters
    ----------
    W : (d_x, d_y)
    rate : float
    n : int
        How many examples the text has.

    Returns
    -------
    DescentWeights

    Raises
    ------
    ValueError
        If W has not two axes.

    Examples
    --------
    >>> weights = descent_weights(np.array([[2.0]]), rate=0.5, n=5)
    >>> weights.W_V
    array([[ 0.,  2.],
           [ 0., -1.]])
    """
    if W.ndim != 2:
        raise ValueError(f"W {W.shape} is not (d_x, d_y)")
    d_x, d_y = W.shape
    inputs = np.diag(np.r_[np.ones(d_x), np.zeros(d_y)])
    errors = np.block([[np.zeros((d_x, d_x)), W], [np.zeros((d_y, d_x)), -np.eye(d_y)]])
    targets = np.diag(np.r_[np.zeros(d_x), np.full(d_y, rate / n)])
    return DescentWeights(inputs, inputs, errors, targets)


def linear_layer(tokens: np.ndarray, context: np.ndarray, weights: DescentWeights) -> np.ndarray:
    """Add to each token what it reads from the context, without softmax.

    tokens + (tokens W_Q) (context W_K)ᵀ (context W_V) W_O (von Oswald et al. 2023,
    with linear attention).

    Parameters
    ----------
    tokens : (..., m, d)
    context : (..., n, d)
    weights : DescentWeights
        Cast to the dtype of the tokens.

    Returns
    -------
    (..., m, d), of the tokens' dtype

    Raises
    ------
    ValueError
        If shapes do not fit; the message names them.

    Examples
    --------
    >>> context = np.array([[1.0, 3.0], [2.0, 6.0]])  # y = 3 x
    >>> weights = descent_weights(np.zeros((1, 1)), rate=0.4, n=2)
    >>> linear_layer(np.array([[5.0, 0.0]]), context, weights)  # the answer, negated
    array([[  5., -15.]])
    """
    d = weights.W_Q.shape[0]
    if tokens.shape[-1] != d or context.shape[-1] != d:
        raise ValueError(f"tokens {tokens.shape} and context {context.shape} are not (..., {d})")
    wide = np.result_type(tokens.dtype, np.float32)  # float16 sums could overflow
    W_Q, W_K, W_V, W_O = (W.astype(wide) for W in weights)
    asked, read = tokens.astype(wide), context.astype(wide)
    state = (read @ W_K).swapaxes(-1, -2) @ (read @ W_V @ W_O)  # W_O first: it is small
    return (asked + asked @ W_Q @ state).astype(tokens.dtype)
