"""Many feed-forward layers of which a router chooses a few for each token."""

import numpy as np

from snippets.softmax import softmax
from snippets.swiglu import swiglu


def route(logits: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Choose the k experts with the largest logits, and weigh them by softmax among themselves.

    softmax(top_k(logits)) (Jiang et al. 2024, section 2.1). The same as a softmax over all
    experts whose k largest weights are divided by their sum.

    Parameters
    ----------
    logits : (..., n, e)
        Of the router, for each token and each of e experts.
    k : int
        From 1 to e; of equal logits the earlier experts.

    Returns
    -------
    chosen : (..., n, k) of integers, the best first
    weights : (..., n, k), which sum to 1

    Raises
    ------
    ValueError
        If k is not from 1 to e.

    Examples
    --------
    >>> chosen, weights = route(np.array([[1.0, 3.0, 2.0]]), k=2)
    >>> chosen, weights.round(4)
    (array([[1, 2]]), array([[0.7311, 0.2689]]))
    """
    if not 1 <= k <= logits.shape[-1]:
        raise ValueError(f"k is {k}, and logits {logits.shape} are of {logits.shape[-1]} experts")
    chosen = np.argsort(-logits, axis=-1, kind="stable")[..., :k]
    return chosen, softmax(np.take_along_axis(logits, chosen, axis=-1))


def mixture_of_experts(
    x: np.ndarray,
    W_router: np.ndarray,
    W_gate: np.ndarray,
    W_up: np.ndarray,
    W_down: np.ndarray,
    k: int,
) -> np.ndarray:
    """Send each token to its k experts, and add their outputs with the router's weights.

    Σ_i softmax(top_k(x W_router))_i SwiGLU_i(x) (Jiang et al. 2024, section 2.1).

    Parameters
    ----------
    x : (..., n, d_model)
    W_router : (d_model, e)
    W_gate, W_up : (e, d_model, d_ff)
    W_down : (e, d_ff, d_model)
    k : int

    Returns
    -------
    (..., n, d_model), of the dtype of x

    Raises
    ------
    ValueError
        If the shapes do not fit (the message names them), or k is not from 1 to e.

    Examples
    --------
    >>> W_router, one = np.array([[1.0, -1.0]]), np.ones((2, 1, 1))
    >>> scale = np.array([[[10.0]], [[1.0]]])  # the first expert's output is ten times as large
    >>> mixture_of_experts(np.array([[2.0], [-2.0]]), W_router, one, one, scale, k=1).round(4)
    array([[35.2319],
           [ 0.4768]])
    """
    e = W_router.shape[-1]
    if not x.shape[-1] == len(W_router) == W_gate.shape[1] or not e == len(W_gate) == len(W_down):
        raise ValueError(
            f"x {x.shape}, W_router {W_router.shape}, W_gate {W_gate.shape} and W_down"
            f" {W_down.shape} are not (..., n, d_model), (d_model, e), (e, d_model, d_ff) and"
            " (e, d_ff, d_model)"
        )
    wide = x.astype(np.result_type(x, np.float32))  # rounded logits would choose other experts
    chosen, weights = route(wide @ W_router, k)
    output = np.zeros_like(wide)
    for expert in range(e):
        share = np.where(chosen == expert, weights, 0).sum(axis=-1)  # 0 if not chosen
        sent = share > 0
        output[sent] += share[sent, np.newaxis] * swiglu(
            wide[sent], W_gate[expert], W_up[expert], W_down[expert]
        )
    return output.astype(x.dtype)


def balance_loss(logits: np.ndarray, k: int) -> float:
    """Measure how unevenly a router uses its experts: e Σ_i f_i P_i, which is k if evenly.

    f_i is the share of tokens that are sent to expert i, and P_i its mean weight in a softmax over
    all experts (Fedus, Zoph and Shazeer 2021, equations 4 to 6, for k = 1).

    Parameters
    ----------
    logits : (..., n, e)
    k : int

    Returns
    -------
    float

    Examples
    --------
    >>> round(balance_loss(np.eye(4), k=1), 4), round(balance_loss(np.eye(4)[[0, 0, 0, 0]], k=1), 4)
    (1.0, 1.9015)
    """
    e = logits.shape[-1]
    chosen, _ = route(logits.reshape(-1, e), k)
    f = np.bincount(chosen.ravel(), minlength=e) / len(chosen)
    P = softmax(logits.reshape(-1, e)).mean(axis=0)
    return float(e * (f * P).sum())
