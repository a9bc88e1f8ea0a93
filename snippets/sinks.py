"""Attention with a sink: a score without a key, or first tokens that stay in the cache."""

import numpy as np

from snippets.attention import scaled_dot_product_attention
from snippets.masks import causal_mask
from snippets.rotary import rotary_angles, rotate
from snippets.softmax import softmax


def softmax_with_sink(scores: np.ndarray, sink: np.ndarray | float = 0.0) -> np.ndarray:
    """Give a score without a key its part of every row: exp(s_j) / (exp(sink) + Σ exp(s_l)).

    A sink of 0 adds 1 to the denominator, softmax off by one (Miller 2023). In gpt-oss each head
    learns its sink (OpenAI 2025).

    Parameters
    ----------
    scores : (..., n, m)
        Scaled; -inf where a query may not attend.
    sink : broadcasts to (..., n, 1)
        For a sink of each head, (h, 1, 1).

    Returns
    -------
    (..., n, m), of the scores' dtype; each row sums to less than 1

    Examples
    --------
    >>> softmax_with_sink(np.array([[0.0, 0.0], [-5.0, -5.0]])).round(4)
    array([[0.3333, 0.3333],
           [0.0066, 0.0066]])
    """
    column = np.broadcast_to(np.asarray(sink, scores.dtype), (*scores.shape[:-1], 1))
    return softmax(np.concatenate([scores, column], axis=-1))[..., :-1]


def attend_by_place(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, base: float = 10_000.0
) -> np.ndarray:
    """Attend to a cache whose keys are stored unrotated, and turn all by their place in it.

    As in the code of StreamingLLM (Xiao et al. 2024, section 3.2): what was dropped from the cache
    leaves no gap in the positions.

    Parameters
    ----------
    query : (..., n, d)
        Of the last n tokens in the cache, not rotated.
    key : (..., m, d)
        Of all tokens that the cache keeps, not rotated.
    value : (..., m, d_v)
    base : float
        As in `rotary_angles`.

    Returns
    -------
    (..., n, d_v), of the inputs' dtype

    Raises
    ------
    ValueError
        If the shapes do not fit; the message names them.

    Examples
    --------
    >>> x = np.array([[1.0, 0.0], [1.0, 0.0]])
    >>> attend_by_place(x, x, np.array([[0.0], [1.0]])).round(4)  # the second is one place away
    array([[0.    ],
           [0.5806]])
    """
    n, m = query.shape[-2], key.shape[-2]
    if n > m:
        raise ValueError(f"query {query.shape} has more tokens than the cache, key {key.shape}")
    angles = rotary_angles(np.arange(m), key.shape[-1], base)
    cos, sin = np.cos(angles), np.sin(angles)
    output, _ = scaled_dot_product_attention(
        rotate(query, cos[m - n :], sin[m - n :]),
        rotate(key, cos, sin),
        value,
        causal_mask(m)[m - n :],
        return_weights=True,
    )
    return output
