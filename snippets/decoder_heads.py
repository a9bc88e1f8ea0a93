"""The heads of a decoder one by one: what they read, and the decoder without one of them.

>>> from snippets import trained_decoder
>>> from snippets.bank_stories import to_numbers
>>> weights, _ = trained_decoder.load()
>>> numbers = to_numbers("<end> Ada swims in the river".split())
>>> [rows.shape for rows in attention_maps(weights, numbers, num_heads=2)]
[(2, 6, 6), (2, 6, 6)]
"""

import numpy as np

from snippets.decoder import DecoderWeights, hidden_states
from snippets.layer_norm import layer_norm
from snippets.multi_head import multi_head_attention


def attention_maps(
    weights: DecoderWeights, numbers: np.ndarray, num_heads: int
) -> list[np.ndarray]:
    """Give the attention weights of every head.

    Parameters
    ----------
    weights : DecoderWeights
    numbers : (n,) of integers
        Of the tokens.
    num_heads : int

    Returns
    -------
    Arrays (num_heads, n, n), one for each block

    Examples
    --------
    >>> from snippets.decoder import first_weights
    >>> weights = first_weights(np.random.default_rng(0), 41, 20, 32, 64, num_blocks=1)
    >>> attention_maps(weights, np.array([3, 1]), num_heads=2)[0][:, 0]
    array([[1., 0.],
           [1., 0.]])
    """
    maps = []
    states = hidden_states(weights, numbers, num_heads)
    for state, block in zip(states, weights.blocks, strict=False):
        x = layer_norm(state, block.gain_1, block.bias_1)
        _, rows = multi_head_attention(
            x, x, x, block.attention, num_heads, is_causal=True, return_weights=True
        )
        maps.append(rows)
    return maps


def without_head(weights: DecoderWeights, block: int, head: int, num_heads: int) -> DecoderWeights:
    """Switch a head off: its rows of W_O become zeros.

    Examples
    --------
    >>> from snippets.decoder import first_weights
    >>> weights = first_weights(np.random.default_rng(0), 41, 20, 32, 64, num_blocks=1)
    >>> W_O = without_head(weights, 0, 1, num_heads=2).blocks[0].attention.W_O
    >>> bool((W_O[:16] != 0).all()), bool((W_O[16:] == 0).all())
    (True, True)
    """
    blocks = list(weights.blocks)
    attention = blocks[block].attention
    W_O = attention.W_O.copy()
    width = len(W_O) // num_heads
    W_O[head * width : (head + 1) * width] = 0
    blocks[block] = blocks[block]._replace(attention=attention._replace(W_O=W_O))
    return weights._replace(blocks=tuple(blocks))
