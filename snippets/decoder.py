"""A decoder, from the numbers of tokens to the logits of the next one, and its gradients.

Embedding, positions, pre-norm blocks with a causal mask, a norm, and the table of embeddings once
more to read out; that is GPT-2 (Radford et al. 2019) with ReLU, and small.
"""

from typing import NamedTuple

import numpy as np

from snippets.attention import scaled_dot_product_attention
from snippets.block_backward import layer_norm_backward, transformer_block_backward
from snippets.cross_entropy import cross_entropy, cross_entropy_backward
from snippets.embedding import embed, embed_backward
from snippets.feed_forward import feed_forward
from snippets.kv_cache import write_cache
from snippets.layer_norm import layer_norm
from snippets.multi_head import MultiHeadWeights, merge_heads, split_heads
from snippets.projection import project
from snippets.transformer_block import BlockWeights, transformer_block


class DecoderWeights(NamedTuple):
    """What a decoder learns."""

    E: np.ndarray  # (c, d_model), a row for each token; its transpose reads out
    positions: np.ndarray  # (n_max, d_model), a row for each position
    blocks: tuple[BlockWeights, ...]
    gain: np.ndarray  # (d_model,), of the last norm
    bias: np.ndarray  # (d_model,)


class Cache(NamedTuple):
    """Keys and values of all blocks, so far."""

    keys: np.ndarray  # (blocks, h, n_max, d_k)
    values: np.ndarray  # (blocks, h, n_max, d_v)
    length: int  # how many tokens they hold


def first_weights(
    rng: np.random.Generator, c: int, n_max: int, d_model: int, d_ff: int, num_blocks: int
) -> DecoderWeights:
    """Draw the weights to start from: normal, of variance 1/fan-in; no bias; gains of 1.

    E and the positions have a standard deviation of 0.1.

    Examples
    --------
    >>> weights = first_weights(np.random.default_rng(0), 41, 20, 32, 64, num_blocks=2)
    >>> weights.E.shape, len(weights.blocks), weights.blocks[0].W_1.shape
    ((41, 32), 2, (32, 64))
    """

    def draw(fan_in: int, fan_out: int) -> np.ndarray:
        return rng.normal(0, 1 / np.sqrt(fan_in), (fan_in, fan_out))

    one, zero = np.ones(d_model), np.zeros(d_model)
    E, positions = rng.normal(0, 0.1, (c, d_model)), rng.normal(0, 0.1, (n_max, d_model))
    blocks = tuple(
        BlockWeights(
            MultiHeadWeights(*(draw(d_model, d_model) for _ in range(4))),
            draw(d_model, d_ff),
            np.zeros(d_ff),
            draw(d_ff, d_model),
            zero,
            *(one, zero, one, zero),
        )
        for _ in range(num_blocks)
    )
    return DecoderWeights(E, positions, blocks, one, zero)


def hidden_states(weights: DecoderWeights, numbers: np.ndarray, num_heads: int) -> list[np.ndarray]:
    """Run the blocks, and give what goes into the first and what comes out of each.

    Parameters
    ----------
    weights : DecoderWeights
    numbers : (..., n) of integers
        Of the tokens; n is at most n_max.
    num_heads : int

    Returns
    -------
    Arrays (..., n, d_model), one more than blocks

    Raises
    ------
    ValueError
        If there are more tokens than positions, or a number belongs to no token.

    Examples
    --------
    >>> weights = first_weights(np.random.default_rng(0), 41, 20, 32, 64, num_blocks=2)
    >>> [x.shape for x in hidden_states(weights, np.array([3, 1, 4]), num_heads=2)]
    [(3, 32), (3, 32), (3, 32)]
    """
    states = [embed(numbers, weights.E, weights.positions)]
    for block in weights.blocks:
        states.append(
            transformer_block(states[-1], block, num_heads, norm_first=True, is_causal=True)
        )
    return states


def next_token_logits(weights: DecoderWeights, numbers: np.ndarray, num_heads: int) -> np.ndarray:
    """Score every token of the vocabulary as the next one, after each of the tokens.

    Parameters
    ----------
    weights : DecoderWeights
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
    >>> weights = first_weights(np.random.default_rng(0), 41, 20, 32, 64, num_blocks=2)
    >>> next_token_logits(weights, np.array([3, 1, 4]), num_heads=2).shape
    (3, 41)
    """
    x = hidden_states(weights, numbers, num_heads)[-1]
    return layer_norm(x, weights.gain, weights.bias) @ weights.E.T


def loss_and_gradients(
    weights: DecoderWeights, numbers: np.ndarray, num_heads: int, counted: np.ndarray
) -> tuple[float, DecoderWeights]:
    """Compute the loss of all predictions at once, and its gradient for each weight.

    Each token is an input, and the answer that the token before it should have given.

    Parameters
    ----------
    weights : DecoderWeights
    numbers : (count, n + 1) of integers
    num_heads : int
    counted : (count, n), boolean
        Which predictions count; those of padding do not.

    Returns
    -------
    loss : float
        The mean cross-entropy of the predictions that count.
    gradients : DecoderWeights

    Raises
    ------
    ValueError
        If shapes do not fit, or a number belongs to no token.

    Examples
    --------
    >>> weights = first_weights(np.random.default_rng(0), 41, 20, 32, 64, num_blocks=2)
    >>> numbers = np.array([[3, 1, 4, 1, 5]])
    >>> loss, gradients = loss_and_gradients(weights, numbers, 2, np.ones((1, 4), bool))
    >>> 3.5 < loss < 4.5, gradients.E.shape  # an even guess: log 41 = 3.7
    (True, (41, 32))
    """
    inputs, target = numbers[:, :-1], numbers[:, 1:]
    states = hidden_states(weights, inputs, num_heads)
    x = layer_norm(states[-1], weights.gain, weights.bias)
    logits = (x @ weights.E.T)[counted]
    loss = cross_entropy(logits, target[counted])

    dL_dlogits = np.zeros((*inputs.shape, len(weights.E)))
    dL_dlogits[counted] = cross_entropy_backward(logits, target[counted])
    dL_dE = np.einsum("bnc,bnd->cd", dL_dlogits, x)
    dL_dx, dL_dgain, dL_dbias = layer_norm_backward(
        dL_dlogits @ weights.E, states[-1], weights.gain
    )
    dL_dblocks = []
    for block, state in zip(weights.blocks[::-1], states[-2::-1], strict=True):
        dL_dx, dL_dblock = transformer_block_backward(
            dL_dx, state, block, num_heads, is_causal=True
        )
        dL_dblocks.insert(0, dL_dblock)
    read, dL_dpositions = embed_backward(dL_dx, inputs, weights.E, weights.positions)
    dL_dE = dL_dE + read  # the table is used twice
    return loss, DecoderWeights(dL_dE, dL_dpositions, tuple(dL_dblocks), dL_dgain, dL_dbias)


def empty_cache(weights: DecoderWeights, num_heads: int) -> Cache:
    """Make room for the keys and values of as many tokens as there are positions.

    Examples
    --------
    >>> weights = first_weights(np.random.default_rng(0), 41, 20, 32, 64, num_blocks=2)
    >>> empty_cache(weights, num_heads=2).keys.shape
    (2, 2, 20, 16)
    """
    n_max, d_model = weights.positions.shape
    shape = (len(weights.blocks), num_heads, n_max, d_model // num_heads)
    room = np.zeros(shape, dtype=weights.E.dtype)
    return Cache(room, room, 0)


def next_token_logits_cached(
    weights: DecoderWeights, number: int, cache: Cache, num_heads: int
) -> tuple[np.ndarray, Cache]:
    """Compute the logits after one more token, with the keys and values in the cache.

    Parameters
    ----------
    weights : DecoderWeights
    number : int
        Of the new token.
    cache : Cache
    num_heads : int

    Returns
    -------
    logits : (c,)
    cache : Cache, with the new token

    Raises
    ------
    ValueError
        If the cache has no room, or the number belongs to no token.

    Examples
    --------
    >>> weights = first_weights(np.random.default_rng(0), 41, 20, 32, 64, num_blocks=2)
    >>> cache = empty_cache(weights, num_heads=2)
    >>> for number in (3, 1, 4):
    ...     logits, cache = next_token_logits_cached(weights, number, cache, num_heads=2)
    >>> np.allclose(logits, next_token_logits(weights, np.array([3, 1, 4]), 2)[-1])
    True
    """
    at = cache.length
    if at >= len(weights.positions):
        raise ValueError(f"a cache of {at} tokens has no room for one more")
    x = embed(np.array([number]), weights.E, weights.positions[at:])
    keys, values = [], []
    for i, block in enumerate(weights.blocks):
        heads = block.attention
        read = layer_norm(x, block.gain_1, block.bias_1)
        query, key, value = (
            split_heads(project(read, weight), num_heads)
            for weight in (heads.W_Q, heads.W_K, heads.W_V)
        )
        keys.append(write_cache(cache.keys[i], key, at))
        values.append(write_cache(cache.values[i], value, at))
        so_far = slice(0, at + 1)
        output, _ = scaled_dot_product_attention(
            query, keys[-1][:, so_far], values[-1][:, so_far], return_weights=True
        )
        x = x + project(merge_heads(output), heads.W_O)
        fed = layer_norm(x, block.gain_2, block.bias_2)
        x = x + feed_forward(fed, block.W_1, block.b_1, block.W_2, block.b_2)
    logits = layer_norm(x, weights.gain, weights.bias) @ weights.E.T
    return logits[0], Cache(np.stack(keys), np.stack(values), at + 1)
