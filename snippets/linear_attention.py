"""Attention without softmax: a state of fixed size in place of all keys and values."""

import numpy as np


def elu_plus_one(x: np.ndarray) -> np.ndarray:
    """Make any number positive: x + 1 above 0, exp(x) below.

    The feature map of Katharopoulos et al. 2020, equation 7.

    Examples
    --------
    >>> elu_plus_one(np.array([-1.0, 0.0, 2.0])).round(4)
    array([0.3679, 1.    , 3.    ])
    """
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def linear_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    *,
    log_decay: np.ndarray | None = None,
    beta: np.ndarray | None = None,
    scale: float | None = None,
    state: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Read from a state that every token writes into, token by token.

    First the state F fades: F ← exp(g) F. Then the token's value is written under its key:
    F ← F + kᵀ v (Katharopoulos et al. 2020, section 3.4). With beta, only the difference from
    what is there is written: F ← F + β kᵀ (v - k F), the delta rule (Schlag et al. 2021, section
    4.2; with decay Yang et al. 2025). Last the query reads: scale · q F. No mask is needed.

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

    Returns
    -------
    output : (..., n, d_v), of the query's dtype
    state : (..., d_k, d_v), at least float32

    Raises
    ------
    ValueError
        If the shapes do not fit; the message names them.

    Examples
    --------
    >>> one_hot = np.eye(2)
    >>> output, state = linear_attention(one_hot, one_hot, np.array([[5.0], [7.0]]), scale=1.0)
    >>> output
    array([[5.],
           [7.]])
    >>> state
    array([[5.],
           [7.]])
    """
    if query.shape[-1] != key.shape[-1] or not (
        query.shape[-2] == key.shape[-2] == value.shape[-2]
    ):
        raise ValueError(
            f"query {query.shape}, key {key.shape} and value {value.shape} are not (..., n, d_k),"
            " (..., n, d_k) and (..., n, d_v)"
        )
    wide = np.result_type(query, key, value, np.float32)  # float16 would lose what is added
    batch = np.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2])
    F = np.zeros((*batch, key.shape[-1], value.shape[-1]), wide) if state is None else state
    if scale is None:
        scale = 1 / np.sqrt(query.shape[-1])

    outputs = []
    for t in range(query.shape[-2]):
        q, k, v = (x[..., t : t + 1, :].astype(wide) for x in (query, key, value))
        if log_decay is not None:
            F = np.exp(log_decay[..., t, :, np.newaxis].astype(wide)) * F
        if beta is not None:
            v = beta[..., t : t + 1, :] * (v - k @ F)
        F = F + k.swapaxes(-1, -2) @ v
        outputs.append(scale * (q @ F))
    output = np.concatenate(outputs, axis=-2) if outputs else np.zeros((*batch, 0, F.shape[-1]))
    return output.astype(query.dtype), F
