"""Scores that cannot grow without limit, and an output that can be switched off."""

import numpy as np

from snippets.latent_attention import LatentWeights


def soft_cap(scores: np.ndarray, cap: float) -> np.ndarray:
    """Keep all scores between -cap and cap: cap · tanh(scores / cap).

    Cap before masking: a masked score of -inf would become -cap, and its token would be read
    (Gemma Team 2024, section 2).

    Parameters
    ----------
    scores : (..., n, m)
        Scaled, not masked.
    cap : float
        Above 0; scores that are small compared with it hardly change.

    Returns
    -------
    (..., n, m), of the scores' dtype

    Raises
    ------
    ValueError
        If the cap is not above 0.

    Examples
    --------
    >>> soft_cap(np.array([1.0, 50.0, 5000.0]), cap=50.0).round(2)
    array([ 1.  , 38.08, 50.  ])
    """
    if not cap > 0:
        raise ValueError(f"cap must be above 0, not {cap}")
    capped = np.tanh(scores / cap) * cap
    return capped.astype(scores.dtype)


def unit_rms(x: np.ndarray, eps: float = 1e-6) -> np.ndarray:
    """Bring each query or key to root mean square 1, that is, to length √d_k (QK-norm).

    A scaled score of two such vectors lies between -√d_k and √d_k. Henry et al. 2020 make
    the length 1 and learn the scale; today's models use `rms_norm` with a learned gain
    (Dehghani et al. 2023, section 2.1, use layer normalization).

    Parameters
    ----------
    x : (..., n, d_k)
    eps : float
        Keeps a row of zeros from dividing by 0.

    Returns
    -------
    (..., n, d_k), of the dtype of x

    Examples
    --------
    >>> unit_rms(np.array([[3.0, 4.0], [300.0, 400.0]])).round(4)
    array([[0.8485, 1.1314],
           [0.8485, 1.1314]])
    """
    wide = x.astype(np.result_type(x, np.float32))  # float16 squares could overflow
    output = wide / np.sqrt((wide**2).mean(axis=-1, keepdims=True) + eps)
    return output.astype(x.dtype)


def qk_clip(
    weights: LatentWeights, max_scores: np.ndarray, threshold: float = 100.0
) -> LatentWeights:
    """Shrink the matrices of heads whose largest score passed a threshold: QK-Clip, in training.

    With γ = min(1, threshold / largest score), the unrotated parts of queries and keys are
    multiplied by √γ each, and the rotated part of the queries by γ, since all heads share the
    rotated key. A score of this head is then γ times as large (Kimi Team 2025, section 2.1).

    Parameters
    ----------
    weights : LatentWeights
        After a step of training.
    max_scores : (h,)
        The largest scaled score of each head in that step.
    threshold : float
        Above 0.

    Returns
    -------
    LatentWeights

    Raises
    ------
    ValueError
        If the threshold is not above 0, or there is not one score for each head.

    Examples
    --------
    >>> W = np.ones((2, 1, 1))
    >>> weights = LatentWeights(W[0], W[0, 0], W, W, W[0], W[0, 0], W[0], W, W, W[0])
    >>> clipped = qk_clip(weights, np.array([400.0, 50.0]))
    >>> clipped.W_UQ.ravel(), clipped.W_QR.ravel(), clipped.W_UK.ravel()
    (array([0.5, 1. ]), array([0.25, 1.  ]), array([0.5, 1. ]))
    """
    if not threshold > 0 or max_scores.shape != weights.W_UQ.shape[:1]:
        raise ValueError(
            f"threshold {threshold} must be above 0, max_scores {max_scores.shape} one for each"
            f" head of W_UQ {weights.W_UQ.shape}"
        )
    gamma = threshold / np.maximum(max_scores, threshold)
    gamma = gamma.astype(weights.W_UQ.dtype)[:, np.newaxis, np.newaxis]
    return weights._replace(
        W_UQ=weights.W_UQ * np.sqrt(gamma),
        W_QR=weights.W_QR * gamma,
        W_UK=weights.W_UK * np.sqrt(gamma),
    )


def gated(output: np.ndarray, gate_scores: np.ndarray) -> np.ndarray:
    """Multiply each number of a head's output by a gate between 0 and 1: output ⊙ sigmoid(gate).

    Qiu et al. 2025, section 2.2. The gate's scores are computed from the token by a matrix of
    their own.

    Parameters
    ----------
    output : (..., n, d_v)
    gate_scores : broadcasts to (..., n, d_v)

    Returns
    -------
    (..., n, d_v)

    Raises
    ------
    ValueError
        If the gate does not fit; the message names both shapes.

    Examples
    --------
    >>> gated(np.array([[2.0, 2.0]]), np.array([[0.0, -50.0]])).round(4)
    array([[1., 0.]])
    """
    if np.broadcast_shapes(output.shape, gate_scores.shape) != output.shape:
        raise ValueError(f"gate_scores {gate_scores.shape} do not fit output {output.shape}")
    small = np.exp(-np.abs(gate_scores))
    share = np.where(gate_scores >= 0, 1, small) / (1 + small)
    return output * share
