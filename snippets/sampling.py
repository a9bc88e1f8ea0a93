"""From logits to the next token: the likeliest one, or one that is drawn."""

import numpy as np

from snippets.softmax import softmax


def next_token_probabilities(
    logits: np.ndarray,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float = 1.0,
    min_p: float = 0.0,
) -> np.ndarray:
    """Turn logits into the probabilities from which the next token is drawn.

    softmax(logits / temperature); then only the top_k likeliest tokens are kept (Fan et al. 2018),
    and of them only the fewest that together reach top_p (Holtzman et al. 2020, nucleus sampling),
    and of them only those with at least min_p times the probability of the likeliest (Nguyen et al.
    2024). What is kept is divided by its sum.

    Parameters
    ----------
    logits : (..., c)
    temperature : float
        Above 0. Low is sharp, high is even; the likeliest token stays the likeliest.
    top_k : int, optional
        How many tokens are kept; all if None. Tokens as likely as the last of them stay, too.
    top_p : float
        Above 0 and at most 1, which keeps all.
    min_p : float
        From 0, which keeps all, to 1.

    Returns
    -------
    (..., c); each row sums to 1

    Raises
    ------
    ValueError
        If a setting is out of its range.

    Examples
    --------
    >>> logits = np.log([0.5, 0.3, 0.15, 0.05])
    >>> next_token_probabilities(logits, top_k=2)
    array([0.625, 0.375, 0.   , 0.   ])
    >>> next_token_probabilities(logits, top_p=0.9).round(3)
    array([0.526, 0.316, 0.158, 0.   ])
    """
    if temperature <= 0 or not 0 < top_p <= 1 or (top_k is not None and top_k < 1):
        raise ValueError(
            f"temperature {temperature} must be above 0, top_k {top_k} at least 1, and top_p"
            f" {top_p} above 0 and at most 1"
        )
    if not 0 <= min_p <= 1:
        raise ValueError(f"min_p {min_p} must be between 0 and 1")
    p = softmax(logits / temperature)
    if top_k is not None and top_k < p.shape[-1]:
        least = np.sort(p, axis=-1)[..., [-top_k]]
        p = np.where(p >= least, p, 0)
        p = p / p.sum(axis=-1, keepdims=True)
    if top_p < 1:
        order = np.argsort(-p, axis=-1, kind="stable")
        sorted_p = np.take_along_axis(p, order, axis=-1)
        before = np.cumsum(sorted_p, axis=-1) - sorted_p
        kept = np.zeros_like(p)
        np.put_along_axis(kept, order, np.where(before < top_p, sorted_p, 0), axis=-1)
        p = kept / kept.sum(axis=-1, keepdims=True)
    if min_p > 0:
        p = np.where(p >= min_p * p.max(axis=-1, keepdims=True), p, 0)
        p = p / p.sum(axis=-1, keepdims=True)
    return p
