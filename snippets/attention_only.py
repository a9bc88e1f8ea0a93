"""A decoder of attention layers alone, small enough to be understood: no norm, nothing fed forward.

Each layer adds what its heads read (Elhage et al. 2021).
"""

from typing import NamedTuple

import numpy as np

from snippets.backward import multi_head_attention_backward, project_backward
from snippets.cross_entropy import cross_entropy, cross_entropy_backward
from snippets.embedding import embed, embed_backward
from snippets.multi_head import MultiHeadWeights, multi_head_attention
from snippets.projection import project


class AttentionOnlyWeights(NamedTuple):
    """What the model learns."""

    E: np.ndarray  # (c, d_model), a row for each token
    positions: np.ndarray  # (n_max, d_model)
    layers: tuple[MultiHeadWeights, ...]
    U: np.ndarray  # (d_model, c), reads out


def first_weights(
    rng: np.random.Generator, c: int, n_max: int, d_model: int, num_layers: int
) -> AttentionOnlyWeights:
    """Draw the weights to start from: normal, of variance 1/d_model.

    E and the positions have a standard deviation of 0.3.

    Examples
    --------
    >>> weights = first_weights(np.random.default_rng(0), 21, 24, 32, num_layers=2)
    >>> weights.E.shape, len(weights.layers), weights.layers[0].W_Q.shape
    ((21, 32), 2, (32, 32))
    """
    spread = 1 / np.sqrt(d_model)
    layers = tuple(
        MultiHeadWeights(*rng.normal(0, spread, (4, d_model, d_model))) for _ in range(num_layers)
    )
    E, positions = rng.normal(0, 0.3, (c, d_model)), rng.normal(0, 0.3, (n_max, d_model))
    return AttentionOnlyWeights(E, positions, layers, rng.normal(0, spread, (d_model, c)))


def run(
    weights: AttentionOnlyWeights, numbers: np.ndarray, num_heads: int
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Run all layers, and keep what each made and where its heads read.

    Parameters
    ----------
    weights : AttentionOnlyWeights
    numbers : (..., n) of integers
        Of the tokens; n is at most n_max.
    num_heads : int

    Returns
    -------
    states : arrays (..., n, d_model)
        The sum of token and position, then that with each layer's output added.
    alpha : arrays (..., h, n, n), one for each layer

    Raises
    ------
    ValueError
        If there are more tokens than positions, or a number belongs to no token.

    Examples
    --------
    >>> weights = first_weights(np.random.default_rng(0), 21, 24, 32, num_layers=2)
    >>> states, alpha = run(weights, np.array([0, 3, 1, 4]), num_heads=2)
    >>> len(states), states[0].shape, alpha[0].shape
    (3, (4, 32), (2, 4, 4))
    """
    states, alpha = [embed(numbers, weights.E, weights.positions)], []
    for layer in weights.layers:
        x = states[-1]
        output, read = multi_head_attention(
            x, x, x, layer, num_heads, is_causal=True, return_weights=True
        )
        states.append(x + output)
        alpha.append(read)
    return states, alpha


def next_token_logits(
    weights: AttentionOnlyWeights, numbers: np.ndarray, num_heads: int
) -> np.ndarray:
    """Score every token as the next one, after each of the tokens.

    Parameters
    ----------
    weights : AttentionOnlyWeights
    numbers : (..., n) of integers
    num_heads : int

    Returns
    -------
    (..., n, c)

    Raises
    ------
    ValueError
        If there are more tokens than positions, or a number belongs to no token.

    Examples
    --------
    >>> weights = first_weights(np.random.default_rng(0), 21, 24, 32, num_layers=2)
    >>> next_token_logits(weights, np.array([0, 3, 1, 4]), num_heads=2).shape
    (4, 21)
    """
    return project(run(weights, numbers, num_heads)[0][-1], weights.U)


def loss_and_gradients(
    weights: AttentionOnlyWeights, numbers: np.ndarray, num_heads: int
) -> tuple[float, AttentionOnlyWeights]:
    """Compute the loss of all predictions, and its gradient for each weight.

    Parameters
    ----------
    weights : AttentionOnlyWeights
    numbers : (count, n + 1) of integers
    num_heads : int

    Returns
    -------
    loss : float
        The mean cross-entropy of each token after those before it.
    gradients : AttentionOnlyWeights

    Raises
    ------
    ValueError
        If there are more tokens than positions, or a number belongs to no token.

    Examples
    --------
    >>> weights = first_weights(np.random.default_rng(0), 21, 24, 32, num_layers=2)
    >>> loss, gradients = loss_and_gradients(weights, np.array([[0, 3, 1, 4, 3, 1]]), num_heads=2)
    >>> gradients.U.shape
    (32, 21)
    """
    inputs, target = numbers[:, :-1], numbers[:, 1:]
    states, _ = run(weights, inputs, num_heads)
    logits = project(states[-1], weights.U)
    loss = cross_entropy(logits, target)

    dL_dlogits = cross_entropy_backward(logits, target)
    dL_dx, dL_dU, _ = project_backward(dL_dlogits, states[-1], weights.U)
    dL_dlayers = []
    for layer, x in zip(weights.layers[::-1], states[-2::-1], strict=True):
        heads = multi_head_attention_backward(dL_dx, x, x, x, layer, num_heads, is_causal=True)
        dL_dx = dL_dx + heads.dL_dquery + heads.dL_dkey + heads.dL_dvalue
        dL_dlayers.insert(0, heads.dL_dweights)
    dL_dE, dL_dpositions = embed_backward(dL_dx, inputs, weights.E, weights.positions)
    return loss, AttentionOnlyWeights(dL_dE, dL_dpositions, tuple(dL_dlayers), dL_dU)


def without_head(
    weights: AttentionOnlyWeights, layer: int, head: int, num_heads: int
) -> AttentionOnlyWeights:
    """Take one head away: what it read is no longer added.

    Its rows of W_O become 0.

    Parameters
    ----------
    weights : AttentionOnlyWeights
    layer, head : int
        Counted from 0.
    num_heads : int

    Returns
    -------
    AttentionOnlyWeights

    Raises
    ------
    ValueError
        If there is no such head.

    Examples
    --------
    >>> weights = first_weights(np.random.default_rng(0), 21, 24, 32, num_layers=2)
    >>> less = without_head(weights, layer=0, head=1, num_heads=2)
    >>> less.layers[0].W_O[:16].any().item(), less.layers[0].W_O[16:].any().item()
    (True, False)
    """
    if not (0 <= layer < len(weights.layers) and 0 <= head < num_heads):
        raise ValueError(f"layer {layer}, head {head}: no such head")
    W_O = weights.layers[layer].W_O.copy()
    W_O[np.arange(len(W_O)) * num_heads // len(W_O) == head] = 0
    changed = weights.layers[layer]._replace(W_O=W_O)
    return weights._replace(layers=(*weights.layers[:layer], changed, *weights.layers[layer + 1 :]))
