"""Adam: steps against the gradient, each weight's own step size."""

from typing import NamedTuple

import numpy as np


class AdamState(NamedTuple):
    """What Adam remembers of one array of weights between steps."""

    mean: np.ndarray | float = 0.0  # running mean of the gradient
    square: np.ndarray | float = 0.0  # running mean of its square
    step: int = 0


def adam(
    weight: np.ndarray,
    gradient: np.ndarray,
    state: AdamState,
    lr: float = 0.001,
    beta1: float = 0.9,
    beta2: float = 0.999,
    eps: float = 1e-8,
) -> tuple[np.ndarray, AdamState]:
    """Move the weights one step against the gradient.

    weight - lr · mean / (√square + eps), where mean and square are running means of the
    gradient and of its square, divided by what they lack for having started at 0
    (Kingma and Ba 2015, algorithm 1; the names of the options are PyTorch's).

    Parameters
    ----------
    weight : (...)
    gradient : (...), of the weight's shape
    state : AdamState
        What the step before returned; ``AdamState()`` for the first.
    lr : float
        The learning rate: about how far a weight moves in one step.
    beta1, beta2 : float
        How much of each running mean is kept.
    eps : float
        Keeps the division from failing where every gradient was 0.

    Returns
    -------
    weight : (...)
    state : AdamState

    Raises
    ------
    ValueError
        If the shapes differ; the message names both.

    Examples
    --------
    The first step is as long for a small gradient as for a large one:

    >>> adam(np.array([1.0, 1.0]), np.array([0.001, -500.0]), AdamState(), lr=0.1)[0].round(4)
    array([0.9, 1.1])
    """
    if weight.shape != gradient.shape:
        raise ValueError(f"weight {weight.shape} and gradient {gradient.shape} differ in shape")
    step = state.step + 1
    mean = beta1 * state.mean + (1 - beta1) * gradient
    square = beta2 * state.square + (1 - beta2) * gradient**2
    change = (mean / (1 - beta1**step)) / (np.sqrt(square / (1 - beta2**step)) + eps)
    return weight - lr * change, AdamState(mean, square, step)
