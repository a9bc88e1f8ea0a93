"""Speculative decoding: a small model guesses tokens, and the large model checks them all at once.

What comes out has the distribution of the large model, whatever the small one guesses.
"""

import numpy as np

from snippets.decoder import DecoderWeights
from snippets.layer_norm import layer_norm
from snippets.transformer_block import transformer_block


def acceptance(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Give the probability that a guess is accepted: Σ min(p, q).

    Leviathan et al. 2023, theorem 3.5: 1 minus half the sum of all differences of p and q.

    Parameters
    ----------
    p : (..., c)
        Probabilities of the next token by the large model.
    q : (..., c)
        By the model that guesses.

    Returns
    -------
    (...)

    Examples
    --------
    >>> acceptance(np.array([[0.5, 0.5, 0.0]]), np.array([[0.2, 0.3, 0.5]]))
    array([0.5])
    """
    return np.minimum(p, q).sum(axis=-1)


def residual(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Give the probabilities from which a rejected guess is replaced.

    max(0, p - q), divided by its sum (Leviathan et al. 2023, section 2.3). If q is p, nothing is
    ever rejected, and p is returned.

    Parameters
    ----------
    p, q : (..., c)

    Returns
    -------
    (..., c); each row sums to 1

    Examples
    --------
    >>> residual(np.array([0.5, 0.5, 0.0]), np.array([0.2, 0.3, 0.5]))
    array([0.6, 0.4, 0. ])
    """
    left = np.maximum(p - q, 0)
    total = left.sum(axis=-1, keepdims=True)
    return np.where(total > 0, left / np.where(total > 0, total, 1), p)


def check_guesses(
    p: np.ndarray, q: np.ndarray, guesses: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Keep guesses up to the first that is rejected, and draw one token more.

    Guess i is accepted with probability min(1, p_i / q_i); the token after the accepted ones comes
    from `residual`, or, if all were accepted, from the last row of p
    (Leviathan et al. 2023, algorithm 1).

    Parameters
    ----------
    p : (k + 1, c)
        Row i: after the text and i guesses, by the large model.
    q : (k, c)
        The rows from which the guesses were drawn.
    guesses : (k,) of integers
    rng : np.random.Generator

    Returns
    -------
    (1 to k + 1,) of integers, the new tokens

    Raises
    ------
    ValueError
        If shapes do not fit.

    Examples
    --------
    >>> p, q = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[0.5, 0.5]])
    >>> check_guesses(p, q, np.array([1]), np.random.default_rng(0))  # p agrees
    array([1, 0])
    >>> check_guesses(p, q, np.array([0]), np.random.default_rng(0))  # p does not
    array([1])
    """
    k, c = q.shape
    if p.shape != (k + 1, c) or guesses.shape != (k,):
        raise ValueError(
            f"p {p.shape}, q {q.shape} and guesses {guesses.shape} are not (k + 1, c), (k, c)"
            " and (k,)"
        )
    p, q = _exact(p), _exact(q)
    for i, guess in enumerate(guesses):
        if rng.random() * q[i, guess] >= p[i, guess]:
            return np.append(guesses[:i], rng.choice(c, p=residual(p[i], q[i])))
    return np.append(guesses, rng.choice(c, p=p[k]))


def expected_tokens(rate: np.ndarray | float, k: np.ndarray | int) -> np.ndarray:
    """Give how many tokens one run of the large model yields on average.

    1 + α + … + α^k = (1 - α^(k+1)) / (1 - α), if each guess is accepted with probability α,
    whatever the others are (Leviathan et al. 2023, equation 1; k is γ there).

    Parameters
    ----------
    rate : (...)
        0 to 1.
    k : broadcasts to (...)
        Guesses in a run.

    Returns
    -------
    (...), float64

    Raises
    ------
    ValueError
        If a rate is not between 0 and 1, or a k is negative.

    Examples
    --------
    >>> expected_tokens(np.array([0.0, 0.5, 1.0]), 2)
    array([1.  , 1.75, 3.  ])
    """
    rate, k = np.broadcast_arrays(np.asarray(rate, dtype=np.float64), k)
    if not ((rate >= 0) & (rate <= 1)).all() or (k < 0).any():
        raise ValueError(f"rate {rate.shape} is not between 0 and 1, or a k is negative")
    below = np.where(rate < 1, rate, 0)
    return np.where(rate < 1, (1 - below ** (k + 1)) / (1 - below), k + 1.0)


def tree_mask(parents: np.ndarray) -> np.ndarray:
    """Let each guess of a tree read itself and the guesses that lead to it.

    Miao et al. 2024 ("SpecInfer"), section 4.2, the topology-aware causal mask.

    Parameters
    ----------
    parents : (n,) of integers
        Of each node, an earlier node; -1 for a root.

    Returns
    -------
    (n, n), boolean

    Raises
    ------
    ValueError
        If a parent does not come before its child.

    Examples
    --------
    >>> tree_mask(np.array([-1, 0, 0, 1])).astype(int)
    array([[1, 0, 0, 0],
           [1, 1, 0, 0],
           [1, 0, 1, 0],
           [1, 1, 0, 1]])
    """
    n = len(parents)
    if n and not ((parents >= -1) & (parents < np.arange(n))).all():
        raise ValueError(f"parents {parents.tolist()} do not come before their children")
    mask = np.eye(n, dtype=np.bool_)
    for node, parent in enumerate(parents):
        if parent >= 0:
            mask[node] |= mask[parent]
    return mask


def tree_logits(
    weights: DecoderWeights, numbers: np.ndarray, parents: np.ndarray, num_heads: int
) -> np.ndarray:
    """Score the next token after each node of a tree, in one run.

    The position of a node is the number of its ancestors, so that two guesses for the same place
    have the same position.

    Parameters
    ----------
    weights : DecoderWeights
    numbers : (n,) of integers
        Of the text and the guesses; the text is a chain, the guesses are its descendants.
    parents : (n,) of integers
    num_heads : int

    Returns
    -------
    (n, c)

    Raises
    ------
    ValueError
        If shapes do not fit, a parent comes after its child, or a path is longer than positions.

    Examples
    --------
    >>> from snippets.decoder import first_weights
    >>> weights = first_weights(np.random.default_rng(0), 41, 20, 32, 64, num_blocks=2)
    >>> tree_logits(weights, np.array([3, 1, 4]), np.array([-1, 0, 0]), num_heads=2).shape
    (3, 41)
    """
    mask = tree_mask(parents)
    depth = mask.sum(axis=-1) - 1
    if numbers.shape != parents.shape or depth.max() >= len(weights.positions):
        raise ValueError(
            f"numbers {numbers.shape} and parents {parents.shape} differ, or a path has more than"
            f" {len(weights.positions)} tokens"
        )
    x = weights.E[numbers] + weights.positions[depth]
    for block in weights.blocks:
        x = transformer_block(x, block, num_heads, mask, norm_first=True)
    return layer_norm(x, weights.gain, weights.bias) @ weights.E.T


def check_siblings(
    p: np.ndarray, q: np.ndarray, guesses: np.ndarray, rng: np.random.Generator
) -> tuple[int, bool]:
    """Try several guesses for the same place, one after another.

    Each is drawn from q, independently. After a rejection, what is left of p takes its place:
    multi-step speculative sampling (Miao et al. 2024, algorithm 2).

    Parameters
    ----------
    p, q : (c,)
    guesses : (k,) of integers
    rng : np.random.Generator

    Returns
    -------
    token : int
    accepted : bool
        Whether it is one of the guesses.

    Examples
    --------
    >>> p, q = np.array([0.0, 1.0]), np.array([0.5, 0.5])
    >>> check_siblings(p, q, np.array([0, 1]), np.random.default_rng(0))
    (1, True)
    """
    p, q = _exact(p), _exact(q)
    for guess in guesses:
        if rng.random() * q[guess] < p[guess]:
            return int(guess), True
        p = residual(p, q)
    return int(rng.choice(len(p), p=p)), False


def _exact(p: np.ndarray) -> np.ndarray:
    """Let probabilities sum to 1 in float64, as draws need it."""
    wide = p.astype(np.float64)
    exact: np.ndarray = wide / wide.sum(axis=-1, keepdims=True)
    return exact
