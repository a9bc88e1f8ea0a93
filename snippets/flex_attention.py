"""Attention with a function between the scores and softmax: masks, biases and caps are such."""

from collections.abc import Callable

import numpy as np

from snippets.attention import attention_scores
from snippets.grouped_heads import repeat_heads
from snippets.softmax import softmax


def flex_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    score_mod: Callable[..., np.ndarray] | None = None,
    *,
    scale: float | None = None,
    prob_mod: Callable[[np.ndarray], np.ndarray] | None = None,
) -> np.ndarray:
    """Mix the values after a function has changed the scores: softmax(f(Q Kᵀ / √d_k)) V.

    The function is called as in PyTorch's flex_attention, score_mod(score, b, h, q_idx, kv_idx)
    (Dong et al. 2024), but once for all scores: the four indices are arrays that
    broadcast to them.

    Parameters
    ----------
    query : (B, h, n, d_k)
    key : (B, g, m, d_k)
        g divides h: neighbouring heads of queries share a head of keys.
    value : (B, g, m, d_v)
    score_mod : function, optional
        Takes the scaled scores (B, h, n, m) and the indices of sequence, head, query and key;
        returns scores of the same shape, -inf where a query may not attend.
    scale : float, optional
        1/√d_k if None.
    prob_mod : function, optional
        Takes and returns the weights. ONNX's operator has it, PyTorch's function does not.

    Returns
    -------
    (B, h, n, d_v), of the inputs' dtype; 0 for a query that may attend to nothing

    Raises
    ------
    ValueError
        If the shapes do not fit, or score_mod returns another shape; the message names them.

    Examples
    --------
    >>> x = np.array([[[[1.0, 0.0], [0.0, 1.0]]]])
    >>> def causal(score, b, h, q_idx, kv_idx):
    ...     return np.where(q_idx >= kv_idx, score, -np.inf)
    >>> flex_attention(x, x, x, causal)[0, 0].round(2)
    array([[1.  , 0.  ],
           [0.33, 0.67]])
    """
    if query.ndim != 4 or key.ndim != 4 or value.shape[:3] != key.shape[:3]:
        raise ValueError(
            f"query {query.shape}, key {key.shape} and value {value.shape} are not (B, h, n, d_k),"
            " (B, g, m, d_k) and (B, g, m, d_v)"
        )
    dtype = np.result_type(query, key, value, np.float16)
    wide = np.result_type(dtype, np.float32)  # float16 scores could overflow
    q, k, v = (x.astype(wide) for x in (query, key, value))
    scores = attention_scores(q, repeat_heads(k, q.shape[1]))
    scores = scores * float(1 / np.sqrt(q.shape[-1]) if scale is None else scale)
    if score_mod is not None:
        changed = score_mod(scores, *np.ogrid[tuple(slice(size) for size in scores.shape)])
        if changed.shape != scores.shape:
            raise ValueError(f"score_mod made {changed.shape} of scores {scores.shape}")
        scores = changed
    weights = softmax(scores)
    if prob_mod is not None:
        weights = prob_mod(weights)
    return (weights @ repeat_heads(v, q.shape[1])).astype(dtype)
