"""Induction heads: two layers that complete A B … A by B, and how to recognise them."""

import numpy as np

from snippets.attention_only import AttentionOnlyWeights
from snippets.multi_head import MultiHeadWeights


def induction_weights(c: int, n_max: int, sharpness: float = 30.0) -> AttentionOnlyWeights:
    """Write down weights of two layers, one head in each, that complete A B … A with B.

    A token's row has four slots: which token it is, its position, which token came before it,
    and the answer. The first layer fills the third slot, the second layer the fourth
    (after Elhage et al. 2021, section on induction heads).

    Parameters
    ----------
    c : int
        Number of tokens.
    n_max : int
        Number of positions.
    sharpness : float
        The scaled score of a match; of anything else it is 0.

    Returns
    -------
    AttentionOnlyWeights, with d_model = 3 c + n_max

    Examples
    --------
    >>> from snippets.attention_only import next_token_logits
    >>> weights = induction_weights(c=5, n_max=8)
    >>> numbers = np.array([0, 3, 1, 4, 3])  # 3 1 … 3
    >>> next_token_logits(weights, numbers, num_heads=1)[-1].round(2)
    array([0., 1., 0., 0., 0.])
    """
    d_model = 3 * c + n_max
    slots = np.eye(d_model)
    token, position, before, answer = np.split(slots, [c, c + n_max, 2 * c + n_max], axis=1)

    def sharp(d_k: int) -> float:
        return sharpness * np.sqrt(d_k)  # undoes the scaling

    # Position i looks for position i - 1: the query is shifted, the key is not.
    earlier = np.eye(n_max, k=-1)
    previous_token = MultiHeadWeights(
        W_Q=sharp(n_max) * position @ earlier, W_K=position, W_V=token, W_O=before.T
    )
    # A token looks for tokens that came after an earlier copy of it, and copies them.
    same_token = MultiHeadWeights(W_Q=sharp(c) * token, W_K=before, W_V=token, W_O=answer.T)
    return AttentionOnlyWeights(token.T, position.T, (previous_token, same_token), answer)


def previous_token_score(alpha: np.ndarray) -> np.ndarray:
    """Measure how much of its weight a head gives to the token before.

    Parameters
    ----------
    alpha : (..., n, n)

    Returns
    -------
    (...), from 0 to 1: the mean over all tokens but the first

    Examples
    --------
    >>> previous_token_score(np.array([[1.0, 0.0, 0.0], [0.8, 0.2, 0.0], [0.1, 0.4, 0.5]])).round(2)
    np.float64(0.6)
    """
    return alpha.diagonal(-1, -2, -1).mean(axis=-1)


def induction_score(alpha: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Measure how much of its weight a head gives to tokens that followed the same token earlier.

    Olsson et al. 2022 call it prefix matching.

    Parameters
    ----------
    alpha : (count, h, n, n)
    numbers : (count, n) of integers
        Of the tokens.

    Returns
    -------
    (h,), from 0 to 1: the mean over all tokens that occurred earlier in their sequence

    Raises
    ------
    ValueError
        If shapes do not fit, or no token occurs twice.

    Examples
    --------
    >>> alpha = np.tril(np.full((1, 1, 4, 4), 0.25))  # 7 8 9 7: the last one should read 8
    >>> induction_score(alpha, np.array([[7, 8, 9, 7]]))
    array([0.25])
    """
    count, n = numbers.shape
    if alpha.shape[0] != count or alpha.shape[-2:] != (n, n):
        raise ValueError(f"alpha {alpha.shape} and numbers {numbers.shape} do not fit")
    followed = np.zeros((count, n, n), dtype=np.bool_)
    followed[:, :, 1:] = numbers[:, :, np.newaxis] == numbers[:, np.newaxis, :-1]
    followed &= np.tri(n, dtype=np.bool_)  # (…, i, j): token j follows an earlier copy of i
    stood_earlier = followed.any(axis=-1)
    if not stood_earlier.any():
        raise ValueError("no token occurs twice in its sequence")
    on_them = (alpha * followed[:, np.newaxis]).sum(axis=-1)  # (count, h, n)
    return on_them.swapaxes(1, 2)[stood_earlier].mean(axis=0)
