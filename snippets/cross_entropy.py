"""Cross-entropy: how wrong scores of classes are, as one number, and its gradient."""

import numpy as np

from snippets.softmax import softmax


def cross_entropy(logits: np.ndarray, target: np.ndarray) -> float:
    """Average the negative logarithm of the probability that the right class gets.

    L = -mean(log p[target]), p = softmax(logits) (Goodfellow et al. 2016, sections 3.13
    and 6.2.2). Finite for large logits: log p is computed from the logits, not from p.

    Parameters
    ----------
    logits : (..., c)
        One score for each of c classes; any numbers.
    target : (...) of integers
        The right class, from 0 to c - 1.

    Returns
    -------
    float, at least 0

    Raises
    ------
    ValueError
        If the shapes do not fit (the message names both), or a target is not a class.

    Examples
    --------
    >>> even = np.zeros((2, 4))
    >>> round(cross_entropy(even, np.array([3, 0])), 4), round(np.log(4).item(), 4)
    (1.3863, 1.3863)
    """
    _check(logits, target)
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return float(-np.take_along_axis(log_p, target[..., np.newaxis], axis=-1).mean())


def cross_entropy_backward(logits: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Give the gradient of `cross_entropy` with respect to the logits.

    dL/dlogits = (p - one_hot(target)) / number of targets, p = softmax(logits).

    Parameters
    ----------
    logits : (..., c)
    target : (...) of integers

    Returns
    -------
    (..., c)

    Raises
    ------
    ValueError
        If the shapes do not fit (the message names both), or a target is not a class.

    Examples
    --------
    >>> cross_entropy_backward(np.zeros((1, 4)), np.array([3]))
    array([[ 0.25,  0.25,  0.25, -0.75]])
    """
    _check(logits, target)
    one_hot = np.eye(logits.shape[-1])[target]
    return (softmax(logits) - one_hot) / target.size


def _check(logits: np.ndarray, target: np.ndarray) -> None:
    if logits.shape[:-1] != target.shape or target.size == 0:
        raise ValueError(f"logits {logits.shape} and target {target.shape} are not (..., c), (...)")
    if target.min() < 0 or target.max() >= logits.shape[-1]:
        raise ValueError(f"a target is not between 0 and {logits.shape[-1] - 1}")
