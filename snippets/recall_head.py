"""One head that learns the recall task: three matrices, a loss, gradients, training.

The last token, a letter, asks; what it reads from all tokens are scores of the ten digits.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from snippets.adam import AdamState, adam
from snippets.attention import scaled_dot_product_attention
from snippets.backward import attention_backward, weight_gradient
from snippets.cross_entropy import cross_entropy, cross_entropy_backward
from snippets.projection import project


class HeadWeights(NamedTuple):
    """What one head learns."""

    W_Q: np.ndarray  # (d_model, d_k)
    W_K: np.ndarray  # (d_model, d_k)
    W_V: np.ndarray  # (d_model, d_v), d_v the number of digits


Draw = Callable[[], tuple[np.ndarray, np.ndarray]]  # gives sequences and their answers


def first_weights(rng: np.random.Generator, d_model: int, d_k: int, d_v: int) -> HeadWeights:
    """Draw the weights to start from: normal, of variance 1/d_model.

    Examples
    --------
    >>> first_weights(np.random.default_rng(0), 18, 4, 10).W_V.shape
    (18, 10)
    """
    return HeadWeights(
        *(rng.normal(0, 1 / np.sqrt(d_model), (d_model, width)) for width in (d_k, d_k, d_v))
    )


def answer_scores(weights: HeadWeights, X: np.ndarray, scale: float | None = None) -> np.ndarray:
    """Let the last token of each sequence read from all its tokens.

    Parameters
    ----------
    weights : HeadWeights
    X : (..., n, d_model)
    scale : float, optional
        1/√d_k if None.

    Returns
    -------
    (..., d_v), a score for each digit

    Raises
    ------
    ValueError
        If shapes do not fit.

    Examples
    --------
    >>> zeros = HeadWeights(np.zeros((18, 4)), np.zeros((18, 4)), np.zeros((18, 10)))
    >>> answer_scores(zeros, np.ones((5, 18))).shape
    (10,)
    """
    q = project(X[..., -1:, :], weights.W_Q)
    K, V = project(X, weights.W_K), project(X, weights.W_V)
    output, _ = scaled_dot_product_attention(q, K, V, scale=scale, return_weights=True)
    return output[..., 0, :]


def loss_and_gradients(
    weights: HeadWeights, X: np.ndarray, answer: np.ndarray, scale: float | None = None
) -> tuple[float, HeadWeights]:
    """Compute the loss of a batch, and its gradient with respect to each matrix.

    Parameters
    ----------
    weights : HeadWeights
    X : (count, n, d_model)
    answer : (count,) of integers
    scale : float, optional
        1/√d_k if None.

    Returns
    -------
    loss : float
        The cross-entropy of the answers.
    gradients : HeadWeights

    Raises
    ------
    ValueError
        If shapes do not fit.

    Examples
    --------
    A head that knows nothing gives each of ten digits the probability 1/10:

    >>> zeros = HeadWeights(np.zeros((18, 4)), np.zeros((18, 4)), np.zeros((18, 10)))
    >>> loss, gradients = loss_and_gradients(zeros, np.ones((2, 5, 18)), np.array([3, 7]))
    >>> round(np.exp(-loss).item(), 4), gradients.W_Q.any().item()
    (0.1, False)
    """
    x = X[:, -1:]
    q, K, V = project(x, weights.W_Q), project(X, weights.W_K), project(X, weights.W_V)
    if scale is None:
        scale = float(1 / np.sqrt(q.shape[-1]))
    output, alpha = scaled_dot_product_attention(q, K, V, scale=scale, return_weights=True)
    loss = cross_entropy(output[:, 0], answer)

    dL_doutput = cross_entropy_backward(output[:, 0], answer)[:, np.newaxis]
    dL_dq, dL_dK, dL_dV = attention_backward(dL_doutput, q, K, V, alpha, scale)
    return loss, HeadWeights(
        weight_gradient(dL_dq, x), weight_gradient(dL_dK, X), weight_gradient(dL_dV, X)
    )


def train(
    weights: HeadWeights, draw: Draw, steps: int, lr: float = 0.03, scale: float | None = None
) -> tuple[HeadWeights, np.ndarray]:
    """Train with Adam, on a new batch in every step.

    Parameters
    ----------
    weights : HeadWeights
        Where to start.
    draw : function of nothing
        Returns a batch: sequences (count, n, d_model) and their answers (count,).
    steps : int
    lr : float
        Adam's learning rate.
    scale : float, optional
        1/√d_k if None.

    Returns
    -------
    weights : HeadWeights
    losses : (steps,)
        The loss of each batch, before the step that learned from it.

    Examples
    --------
    >>> from snippets.recall_task import recall_batch
    >>> rng = np.random.default_rng(0)
    >>> weights = first_weights(rng, 18, 4, 10)
    >>> weights, losses = train(weights, lambda: recall_batch(rng, 16), steps=200)
    >>> losses[[0, 100, 199]].round(1)
    array([2.3, 0.9, 0. ])
    """
    states = [AdamState() for _ in weights]
    losses = np.zeros(steps)
    for step in range(steps):
        losses[step], gradients = loss_and_gradients(weights, *draw(), scale=scale)
        moved = [adam(*each, lr=lr) for each in zip(weights, gradients, states, strict=True)]
        weights, states = HeadWeights(*(w for w, _ in moved)), [state for _, state in moved]
    return weights, losses


def accuracy(
    weights: HeadWeights, X: np.ndarray, answer: np.ndarray, scale: float | None = None
) -> float:
    """Give the share of sequences whose answer gets the highest score.

    Parameters
    ----------
    weights : HeadWeights
    X : (count, n, d_model)
    answer : (count,) of integers
    scale : float, optional
        1/√d_k if None.

    Examples
    --------
    >>> zeros = HeadWeights(np.zeros((18, 4)), np.zeros((18, 4)), np.zeros((18, 10)))
    >>> accuracy(zeros, np.ones((2, 5, 18)), np.array([0, 7]))
    0.5
    """
    return float((answer_scores(weights, X, scale).argmax(axis=-1) == answer).mean())
