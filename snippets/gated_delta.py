"""Linear attention chunk by chunk: matrix products in place of a step for each token."""

import numpy as np


def chunked_linear_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    *,
    log_decay: np.ndarray | None = None,
    beta: np.ndarray | None = None,
    scale: float | None = None,
    state: np.ndarray | None = None,
    chunk: int = 64,
) -> tuple[np.ndarray, np.ndarray]:
    """Compute `linear_attention` chunk by chunk; only the state goes from one chunk to the next.

    With G the running sum of g in a chunk that begins with the state F, `wy_form` gives what its
    tokens write as U - W F (Yang et al. 2024; with decay Yang, Kautz and Hatamizadeh 2025). Without
    beta they write their values (Dao and Gu 2024). The output has two parts: what is read from
    exp(G) F, and from the tokens of the chunk, through a mask.

    Parameters
    ----------
    query : (..., n, d_k)
    key : (..., n, d_k)
        Of length 1 for the delta rule.
    value : (..., n, d_v)
    log_decay : (..., n, d_k) or (..., n, 1), optional
        g, at most 0; no fading if None.
    beta : (..., n, 1), optional
        How much of the old value is replaced, from 0 to 1; if None, values are added.
    scale : float, optional
        1/√d_k if None.
    state : (..., d_k, d_v), optional
        As earlier tokens left it; zeros if None.
    chunk : int
        Tokens that are computed at once.

    Returns
    -------
    output : (..., n, d_v), of the query's dtype
    state : (..., d_k, d_v), at least float32

    Raises
    ------
    ValueError
        If the shapes do not fit (the message names them), or a chunk has no tokens.

    Examples
    --------
    >>> one_hot, values = np.eye(3)[[0, 1, 0]], np.array([[5.0], [7.0], [1.0]])
    >>> beta = np.ones((3, 1))
    >>> chunked_linear_attention(one_hot, one_hot, values, beta=beta, scale=1.0, chunk=2)[1]
    array([[1.],
           [7.],
           [0.]])
    """
    n = query.shape[-2]
    if chunk < 1 or query.shape[-1] != key.shape[-1] or not n == key.shape[-2] == value.shape[-2]:
        raise ValueError(
            f"query {query.shape}, key {key.shape} and value {value.shape} are not (..., n, d_k),"
            f" (..., n, d_k) and (..., n, d_v), or chunk {chunk} is below 1"
        )
    wide = np.result_type(query, key, value, np.float32)  # float16 would lose what is added
    batch = np.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2])
    F = np.zeros((*batch, key.shape[-1], value.shape[-1]), wide) if state is None else state
    if scale is None:
        scale = 1 / np.sqrt(query.shape[-1])

    output = np.empty((*batch, n, value.shape[-1]), query.dtype)
    for start in range(0, n, chunk):
        rows = slice(start, start + chunk)
        q, k, U = (x[..., rows, :].astype(wide) for x in (query, key, value))
        g = np.zeros_like(k[..., :1]) if log_decay is None else log_decay[..., rows, :]
        G = g.astype(wide).cumsum(axis=-2)
        if beta is not None:
            W, U = wy_form(k, U, G, beta[..., rows, :].astype(wide))
            U = U - W @ F
        output[..., rows, :] = scale * (np.exp(G) * q @ F + faded_products(q, k, G) @ U)
        last = G[..., -1:, :]
        F = np.exp(last).swapaxes(-1, -2) * F + (np.exp(last - G) * k).swapaxes(-1, -2) @ U
    return output, F


def wy_form(
    key: np.ndarray, value: np.ndarray, G: np.ndarray, beta: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return what the tokens of a chunk write, whatever state F they begin with: U - W F.

    A token writes β times its value, less what its key finds: in F, and in what the s < t before it
    wrote. So (I + overlap) [U, W] = β [V, exp(G) K], with overlap_ts = β_t k_t · k_s exp(G_t - G_s)
    (Yang et al. 2024). Without decay, (I - β_n k_nᵀ k_n) … (I - β_1 k_1ᵀ k_1) = I - Kᵀ W.

    Parameters
    ----------
    key : (..., n, d_k)
    value : (..., n, d_v)
    G : (..., n, d_k) or (..., n, 1)
        The running sum of the logarithms of the decay.
    beta : (..., n, 1)

    Returns
    -------
    W : (..., n, d_k)
    U : (..., n, d_v)

    Examples
    --------
    >>> same_key = np.ones((2, 1))
    >>> W, U = wy_form(same_key, np.array([[5.0], [7.0]]), np.zeros((2, 1)), np.ones((2, 1)))
    >>> U.T, W.T  # the second token writes the difference
    (array([[5., 2.]]), array([[1., 0.]]))
    """
    n = key.shape[-2]
    overlap = beta * faded_products(key, key, G) * np.tri(n, k=-1, dtype=key.dtype)
    identity = np.eye(n, dtype=key.dtype)
    W = np.linalg.solve(identity + overlap, beta * np.exp(G) * key)
    return W, np.linalg.solve(identity + overlap, beta * value)


def faded_products(a: np.ndarray, b: np.ndarray, G: np.ndarray) -> np.ndarray:
    """Multiply each a_t with each b_s up to it, faded by what lies between: exp(G_t - G_s).

    Parameters
    ----------
    a, b : (..., n, d_k)
    G : (..., n, d_k) or (..., n, 1)

    Returns
    -------
    (..., n, n), 0 above the diagonal

    Examples
    --------
    >>> faded_products(np.ones((2, 1)), np.ones((2, 1)), np.log([[0.5], [0.25]]))
    array([[1. , 0. ],
           [0.5, 1. ]])
    """
    between = G[..., :, np.newaxis, :] - G[..., np.newaxis, :, :]
    # -inf before exp: above the diagonal, exp would overflow
    factor = np.exp(np.where(np.tri(a.shape[-2], dtype=bool)[..., np.newaxis], between, -np.inf))
    if factor.shape[-1] == 1:
        return factor[..., 0] * (a @ b.swapaxes(-1, -2))
    return (a[..., :, np.newaxis, :] * factor * b[..., np.newaxis, :, :]).sum(axis=-1)


def token_matrix(
    query: np.ndarray,
    key: np.ndarray,
    *,
    log_decay: np.ndarray | None = None,
    beta: np.ndarray | None = None,
) -> np.ndarray:
    """Give the matrix of a linear layer, from all tokens to all tokens; times V it is the output.

    The product of queries and keys, masked and faded (Dao and Gu 2024); with the delta rule times
    (I + overlap)⁻¹ β. Not scaled.

    Parameters
    ----------
    query, key : (..., n, d_k)
    log_decay : (..., n, d_k) or (..., n, 1), optional
    beta : (..., n, 1), optional

    Returns
    -------
    (..., n, n), 0 above the diagonal

    Examples
    --------
    >>> same_key = np.ones((2, 1))
    >>> token_matrix(same_key, same_key, beta=np.ones((2, 1)))
    array([[1., 0.],
           [0., 1.]])
    """
    G = np.zeros_like(key[..., :1]) if log_decay is None else log_decay.cumsum(axis=-2)
    matrix = faded_products(query, key, G)
    if beta is None:
        return matrix
    identity = np.broadcast_to(np.eye(key.shape[-2], dtype=key.dtype), matrix.shape)
    return matrix @ wy_form(key, identity, G, beta)[1]


def causal_conv(
    x: np.ndarray,
    kernel: np.ndarray,
    bias: np.ndarray | None = None,
    past: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Mix each token with the few before it, each component by weights of its own.

    y_t = Σ_j kernel_j ⊙ x_(t-k+1+j) + bias: the last row of the kernel meets the token itself.
    CausalConvWithState in ONNX, with tokens as rows.

    Parameters
    ----------
    x : (..., n, d)
    kernel : (k, d)
    bias : (d,), optional
    past : (..., k - 1, d), optional
        The tokens before; zeros if None.

    Returns
    -------
    output : (..., n, d), of x's dtype
    past : (..., k - 1, d)
        The last tokens, for the next call.

    Raises
    ------
    ValueError
        If the shapes do not fit; the message names them.

    Examples
    --------
    >>> x = np.array([[1.0], [2.0], [3.0]])
    >>> output, past = causal_conv(x, np.array([[10.0], [1.0]]))
    >>> output.T, past
    (array([[ 1., 12., 23.]]), array([[3.]]))
    """
    k, n = len(kernel), x.shape[-2]
    if past is None:
        past = np.zeros((*x.shape[:-2], k - 1, x.shape[-1]), x.dtype)
    if kernel.shape != (k, x.shape[-1]) or past.shape[-2:] != (k - 1, x.shape[-1]):
        raise ValueError(
            f"x {x.shape}, kernel {kernel.shape} and past {past.shape} are not (..., n, d), (k, d)"
            " and (..., k - 1, d)"
        )
    x = np.concatenate([past, x], axis=-2)
    wide = np.result_type(x, kernel, np.float32)
    output = np.zeros((*x.shape[:-2], n, x.shape[-1]), wide) + (0 if bias is None else bias)
    for j in range(k):
        output += kernel[j] * x[..., j : j + n, :]
    return output.astype(x.dtype), x[..., n:, :]
