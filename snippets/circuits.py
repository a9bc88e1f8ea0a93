"""Heads as two matrices, which of them feed which, and what one path between two heads carries."""

import numpy as np

from snippets.attention_only import AttentionOnlyWeights, run
from snippets.multi_head import MultiHeadWeights, multi_head_attention, split_heads


def qk_matrices(layer: MultiHeadWeights, num_heads: int) -> np.ndarray:
    """Multiply W_Q and W_K of each head: x W_QK yᵀ is the score of query token x and key token y.

    Not scaled (Elhage et al. 2021; theirs is for columns, ours for rows).

    Parameters
    ----------
    layer : MultiHeadWeights
        Without biases.
    num_heads : int

    Returns
    -------
    (h, d_model, d_model), of rank d_k

    Examples
    --------
    >>> layer = MultiHeadWeights(*(np.eye(2) for _ in range(4)))
    >>> qk_matrices(layer, num_heads=2)[1]
    array([[0., 0.],
           [0., 1.]])
    """
    W_Q, W_K = (split_heads(W, num_heads) for W in (layer.W_Q, layer.W_K))
    return W_Q @ W_K.swapaxes(-1, -2)


def ov_matrices(layer: MultiHeadWeights, num_heads: int) -> np.ndarray:
    """Multiply W_V and W_O of each head: y W_OV is what it adds to a token that reads only y.

    Parameters
    ----------
    layer : MultiHeadWeights
        Without biases.
    num_heads : int

    Returns
    -------
    (h, d_model, d_model), of rank d_k

    Examples
    --------
    >>> layer = MultiHeadWeights(*(np.eye(2) for _ in range(4)))
    >>> ov_matrices(layer, num_heads=2)[0]
    array([[1., 0.],
           [0., 0.]])
    """
    W_O = split_heads(layer.W_O.T, num_heads).swapaxes(-1, -2)
    return split_heads(layer.W_V, num_heads) @ W_O


def composition_score(writes: np.ndarray, reads: np.ndarray) -> np.ndarray:
    """Measure how much of what one head writes another head reads: ‖A B‖ / (‖A‖ ‖B‖).

    Frobenius norms. A is W_OV of the earlier head; B is W_QK of the later one for its queries,
    W_QKᵀ for its keys, and its W_OV for its values (Elhage et al. 2021).

    Parameters
    ----------
    writes, reads : (..., d_model, d_model)

    Returns
    -------
    (...), from 0 to 1, of their dtype

    Examples
    --------
    >>> first, second = np.diag([1.0, 0.0]), np.diag([0.0, 1.0])
    >>> composition_score(first, first), composition_score(first, second)
    (np.float64(1.0), np.float64(0.0))
    """
    wide = np.result_type(writes, reads, np.float32)  # squares of float16 could overflow
    A, B = writes.astype(wide), reads.astype(wide)
    both, one, other = (np.linalg.norm(x, axis=(-2, -1)) for x in (A @ B, A, B))
    return (both / (one * other)).astype(np.result_type(writes, reads))


def head_outputs(
    weights: AttentionOnlyWeights, state: np.ndarray, layer: int, num_heads: int
) -> np.ndarray:
    """Give what each head of a layer adds to each token; their sum is the layer's output.

    Parameters
    ----------
    weights : AttentionOnlyWeights
    state : (..., n, d_model)
        Before the layer.
    layer, num_heads : int

    Returns
    -------
    (..., h, n, d_model)

    Examples
    --------
    >>> from snippets.attention_only import first_weights
    >>> weights = first_weights(np.random.default_rng(0), 21, 24, 32, num_layers=1)
    >>> head_outputs(weights, np.ones((5, 32)), layer=0, num_heads=2).shape
    (2, 5, 32)
    """
    matrices = weights.layers[layer]
    _, alpha = multi_head_attention(
        state, state, state, matrices, num_heads, is_causal=True, return_weights=True
    )
    return alpha @ (state[..., np.newaxis, :, :] @ ov_matrices(matrices, num_heads))


def patch_path(
    weights: AttentionOnlyWeights,
    numbers: np.ndarray,
    other: np.ndarray,
    sender: int,
    receiver: int,
    part: str,
    num_heads: int,
) -> np.ndarray:
    """Replace what one head of layer 1 sends to one head of layer 2, and nothing else.

    The receiver's queries, keys or values are computed as if the sender had read the other text;
    the residual stream and all other heads keep what they have (path patching: Wang et al. 2022).

    Parameters
    ----------
    weights : AttentionOnlyWeights
        Of two layers.
    numbers, other : (..., n) of integers
    sender, receiver : int
        Heads of layer 1 and 2, counted from 0.
    part : "q", "k" or "v"
    num_heads : int

    Returns
    -------
    logits : (..., n, c)

    Raises
    ------
    ValueError
        If there are not two layers, or no such part.

    Examples
    --------
    >>> from snippets.attention_only import first_weights, next_token_logits
    >>> weights = first_weights(np.random.default_rng(0), 21, 24, 32, num_layers=2)
    >>> text = np.array([0, 3, 1])
    >>> same = patch_path(weights, text, text, sender=0, receiver=1, part="k", num_heads=2)
    >>> np.allclose(same, next_token_logits(weights, text, num_heads=2))
    True
    """
    if len(weights.layers) != 2 or part not in ("q", "k", "v"):
        raise ValueError(f"{len(weights.layers)} layers are not 2, or part {part!r} not q, k or v")
    (embedded, between, last), _ = run(weights, numbers, num_heads)
    embedded_other = run(weights, other, num_heads)[0][0]
    sent, instead = (
        head_outputs(weights, x, 0, num_heads)[..., sender, :, :]
        for x in (embedded, embedded_other)
    )
    patched = between - sent + instead
    query, key, value = (patched if name == part else between for name in "qkv")
    layer = weights.layers[1]
    read = multi_head_attention(
        query, key, value, layer, num_heads, is_causal=True, return_weights=True
    )[1][..., receiver, :, :]
    output = read @ value @ ov_matrices(layer, num_heads)[receiver]
    before = head_outputs(weights, between, 1, num_heads)[..., receiver, :, :]
    return (last - before + output) @ weights.U
