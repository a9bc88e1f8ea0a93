"""Attention whose keys lie on several machines: partial results, and how they are merged."""

import numpy as np


def partial_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    allowed: np.ndarray | None = None,
    *,
    scale: float | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Attend to some of the keys, and keep what is needed to add the others later.

    Parameters
    ----------
    query : (..., n, d_k)
    key : (..., m, d_k)
    value : (..., m, d_v)
    allowed : (n, m), boolean, optional
        True lets a query attend to a key.
    scale : float, optional
        1/√d_k if None.

    Returns
    -------
    output : (..., n, d_v), at least float32
        0 for a query that may read none of these keys.
    log_sum_exp : (..., n), at least float32
        log Σ_j exp(score_ij) of the scaled scores; -inf for such a query.

    Examples
    --------
    >>> output, log_sum_exp = partial_attention(np.ones((1, 1)), np.zeros((2, 1)), np.eye(2))
    >>> output, np.exp(log_sum_exp)
    (array([[0.5, 0.5]]), array([2.]))
    """
    wide = np.result_type(query, key, value, np.float32)  # float16 sums would lose digits
    if scale is None:
        scale = float(1 / np.sqrt(query.shape[-1]))
    scores = scale * (query.astype(wide) @ key.astype(wide).swapaxes(-1, -2))
    if allowed is not None:
        scores = np.where(allowed, scores, -np.inf)
    largest = scores.max(axis=-1, keepdims=True, initial=np.finfo(wide).min)
    exps = np.exp(scores - largest)
    total = exps.sum(axis=-1, keepdims=True)
    output = exps @ value.astype(wide) / np.where(total == 0, 1, total)
    with np.errstate(divide="ignore"):  # log 0 = -inf: no key was read
        return output, np.where(total == 0, -np.inf, largest + np.log(total))[..., 0]


def merge(
    one: tuple[np.ndarray, np.ndarray], other: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Merge two partial results for the same queries, over different keys.

    Their log-sum-exps are scores of the two sets of keys: softmax of them gives the share of each
    (FlashAttention's step from tile to tile; in ring attention Liu et al. 2023).

    Parameters
    ----------
    one, other : pairs of (..., n, d_v) and (..., n)
        An output and its log-sum-exp, as of `partial_attention`.

    Returns
    -------
    output : (..., n, d_v)
    log_sum_exp : (..., n)

    Examples
    --------
    >>> one, other = (np.array([[1.0]]), np.log([1.0])), (np.array([[5.0]]), np.log([3.0]))
    >>> output, log_sum_exp = merge(one, other)  # one key, and three keys
    >>> output.round(6), np.exp(log_sum_exp).round(6)
    (array([[4.]]), array([4.]))
    """
    log_sum_exp = np.logaddexp(one[1], other[1])
    finite = np.where(np.isneginf(log_sum_exp), 0, log_sum_exp)  # no key at all: both shares are 0
    share, rest = (np.exp(lse - finite)[..., np.newaxis] for lse in (one[1], other[1]))
    return share * one[0] + rest * other[0], log_sum_exp


def contiguous_places(n: int, devices: int) -> list[np.ndarray]:
    """Give each device one stretch of the tokens.

    Examples
    --------
    >>> contiguous_places(8, 2)
    [array([0, 1, 2, 3]), array([4, 5, 6, 7])]
    """
    return np.array_split(np.arange(n), devices)


def zigzag_places(n: int, devices: int) -> list[np.ndarray]:
    """Give each device an early and a late stretch, which under a causal mask make equal work.

    Stretches i and 2 · devices - 1 - i of 2 · devices.

    Examples
    --------
    >>> zigzag_places(8, 2)
    [array([0, 1, 6, 7]), array([2, 3, 4, 5])]
    """
    stretches = np.array_split(np.arange(n), 2 * devices)
    return [np.concatenate([stretches[i], stretches[-1 - i]]) for i in range(devices)]


def ring_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    places: list[np.ndarray],
    *,
    is_causal: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Let keys and values travel around a ring of devices, each of which keeps its queries.

    In each step a device attends to the keys that have reached it, merges the result with what it
    has, and sends the keys on to the next device (Liu et al. 2023).

    Parameters
    ----------
    query, key : (..., n, d_k)
    value : (..., n, d_v)
    places : list of (n_i,), integers
        The tokens of each device; together each token once.
    is_causal : bool
        Query i attends to keys 0 … i, wherever they lie.

    Returns
    -------
    output : (..., n, d_v), of the query's dtype
    work : (steps, devices)
        How many pairs of a query and a key each device computed in each step.

    Raises
    ------
    ValueError
        If the places are not each token once.

    Examples
    --------
    >>> x = np.eye(4)
    >>> _, work = ring_attention(x, x, x, contiguous_places(4, 2), is_causal=True)
    >>> work
    array([[3, 3],
           [0, 4]])
    """
    n = query.shape[-2]
    if not np.array_equal(np.sort(np.concatenate(places)), np.arange(n)):
        raise ValueError(f"places of {sum(map(len, places))} tokens are not 0 … {n - 1} once each")
    batch = np.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2])
    output = np.empty((*batch, n, value.shape[-1]), query.dtype)
    work = np.zeros((len(places), len(places)), int)
    for device, own in enumerate(places):
        q, result = query[..., own, :], None
        for step in range(len(places)):
            there = places[device - step]  # negative: the ring closes
            allowed = own[:, np.newaxis] >= there if is_causal else None
            pairs = len(own) * len(there) if allowed is None else int(allowed.sum())
            if pairs:
                k, v = key[..., there, :], value[..., there, :]
                part = partial_attention(q, k, v, allowed)
                result = part if result is None else merge(result, part)
            work[step, device] = pairs
        if result is not None:
            output[..., own, :] = result[0]
    return output, work
