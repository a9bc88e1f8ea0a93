"""Attention that reads only some keys, and how a model is trained to choose them."""

import numpy as np

from snippets.attention import scaled_dot_product_attention
from snippets.masks import window_mask


def index_scores(queries: np.ndarray, keys: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Rate each key for each query with a few narrow heads: the lightning indexer.

    Σ_j w_j ReLU(q_j · k), where all heads share the key (DeepSeek-AI 2025, equation 1).

    Parameters
    ----------
    queries : (..., h, n, d)
    keys : (..., m, d)
    weights : (..., n, h)
        w, of each query token; may be negative.

    Returns
    -------
    (..., n, m), at least float32

    Raises
    ------
    ValueError
        If the shapes do not fit; the message names them.

    Examples
    --------
    >>> queries = np.array([[[1.0, 0.0]], [[0.0, 2.0]]])  # two heads, one query
    >>> index_scores(queries, np.array([[3.0, 1.0], [-3.0, 1.0]]), np.array([[1.0, 0.5]]))
    array([[4., 1.]])
    """
    h, n, d = queries.shape[-3:]
    if keys.shape[-1] != d or weights.shape[-2:] != (n, h):
        raise ValueError(
            f"queries {queries.shape}, keys {keys.shape} and weights {weights.shape} are not"
            " (..., h, n, d), (..., m, d) and (..., n, h)"
        )
    wide = np.result_type(queries, keys, np.float32)
    shared = keys[..., np.newaxis, :, :].astype(wide)  # one for all heads
    products = np.maximum(queries.astype(wide) @ shared.swapaxes(-1, -2), 0)
    return (weights.swapaxes(-1, -2)[..., np.newaxis] * products).sum(axis=-3)


def top_k_mask(scores: np.ndarray, k: int, allowed: np.ndarray | None = None) -> np.ndarray:
    """Let each query read its k best keys; of equal ones the earlier.

    Parameters
    ----------
    scores : (..., n, m)
    k : int
        At least 1; all keys if there are no more.
    allowed : broadcasts to (..., n, m), boolean, optional
        Only from these, such as those that a causal mask leaves.

    Returns
    -------
    (..., n, m), boolean

    Raises
    ------
    ValueError
        If k is below 1.

    Examples
    --------
    >>> top_k_mask(np.array([[1.0, 5.0, 3.0], [9.0, 9.0, 9.0]]), 2)
    array([[False,  True,  True],
           [ True,  True, False]])
    """
    if k < 1:
        raise ValueError(f"k is {k}: a query without keys has no output")
    allowed = np.ones(scores.shape, bool) if allowed is None else allowed
    rated = np.where(allowed, scores, -np.inf)
    best = np.argsort(-rated, axis=-1, kind="stable")[..., :k]
    chosen = np.zeros(scores.shape, bool)
    np.put_along_axis(chosen, best, True, axis=-1)
    return chosen & allowed


def kept_mass(alpha: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Sum the weights of the chosen keys: what is left of a row before it is made 1 again.

    Parameters
    ----------
    alpha : (..., n, m)
        Weights of dense attention.
    chosen : broadcasts to (..., n, m), boolean

    Returns
    -------
    (..., n)

    Examples
    --------
    >>> kept_mass(np.array([[0.7, 0.1, 0.2]]), np.array([[True, False, True]])).round(2)
    array([0.9])
    """
    return np.where(chosen, alpha, 0).sum(axis=-1)


def native_sparse_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    gates: np.ndarray,
    *,
    block: int,
    count: int,
    window: int,
) -> np.ndarray:
    """Read means of blocks, a few whole blocks, and the last tokens; add them with gates.

    All query heads of a group choose the same blocks: those with the largest mean weight among the
    means, always the first block, the query's own and the one before it (Yuan et al. 2025; a mean
    in place of their learned compression, as in flash-linear-attention).

    Parameters
    ----------
    query : (..., h, n, d_k)
        Heads of one group.
    key : (..., n, d_k)
    value : (..., n, d_v)
    gates : (..., h, n, 3)
        Of the means, the blocks and the window.
    block, count, window : int
        Tokens of a block; chosen blocks, at least 3; last tokens, the query's own included.

    Returns
    -------
    (..., h, n, d_v)

    Raises
    ------
    ValueError
        If blocks do not divide the tokens, or count is below 3.

    Examples
    --------
    >>> x, gates = np.eye(4), np.broadcast_to([0.0, 0.0, 1.0], (1, 4, 3))
    >>> native_sparse_attention(x[None], x, x, gates, block=2, count=3, window=1)[0]
    array([[1., 0., 0., 0.],
           [0., 1., 0., 0.],
           [0., 0., 1., 0.],
           [0., 0., 0., 1.]])
    """
    n = query.shape[-2]
    if n % block or count < 3:
        raise ValueError(f"{n} tokens are not blocks of {block}, or count {count} is below 3")
    place, blocks = np.arange(n)[:, np.newaxis], np.arange(n // block)
    own = place // block
    past = (blocks + 1) * block - 1 <= place  # blocks of which the query may read every token
    forced = (blocks == 0) | (blocks == own) | (blocks == own - 1)
    shared_key, shared_value = key[..., np.newaxis, :, :], value[..., np.newaxis, :, :]
    mean_key, mean_value = (
        x.reshape(*x.shape[:-2], n // block, block, x.shape[-1]).mean(axis=-2)
        for x in (shared_key, shared_value)
    )
    compressed, alpha = scaled_dot_product_attention(
        query, mean_key, mean_value, past, return_weights=True
    )
    rated = np.where(forced, 1.0, alpha.mean(axis=-3))
    chosen = top_k_mask(rated, count, blocks <= own).repeat(block, axis=-1)
    causal = np.tri(n, dtype=bool)
    selected = scaled_dot_product_attention(
        query, shared_key, shared_value, (chosen & causal)[..., np.newaxis, :, :]
    )
    near = scaled_dot_product_attention(query, shared_key, shared_value, window_mask(n, window))
    return (np.stack([compressed, selected, near], axis=-1) * gates[..., np.newaxis, :]).sum(
        axis=-1
    )
