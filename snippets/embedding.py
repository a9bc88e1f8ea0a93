"""Tokens and places as vectors: a row of each of two learned tables, added."""

import numpy as np


def embed(numbers: np.ndarray, E: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Add the row of each token to the row of its place.

    Both tables are learned, as in GPT-2 (Radford et al. 2019).

    Parameters
    ----------
    numbers : (..., n) of integers
        Of the tokens; n is at most n_max.
    E : (c, d_model)
    positions : (n_max, d_model)
        With a cache, those that are left: positions[length:].

    Returns
    -------
    (..., n, d_model)

    Raises
    ------
    ValueError
        If there are more tokens than positions, or a number belongs to no token.

    Examples
    --------
    >>> E, positions = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[0.1, 0.2], [0.3, 0.4]])
    >>> embed(np.array([1, 0]), E, positions)
    array([[3.1, 4.2],
           [1.3, 2.4]])
    """
    c, n_max, n = len(E), len(positions), numbers.shape[-1]
    if n > n_max:
        raise ValueError(f"numbers {numbers.shape}: more than {n_max} tokens")
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < c:
        raise ValueError(f"a number is not between 0 and {c - 1}")
    return E[numbers] + positions[:n]


def embed_backward(
    dL_dx: np.ndarray, numbers: np.ndarray, E: np.ndarray, positions: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Take a gradient from what `embed` gave back to both tables.

    Parameters
    ----------
    dL_dx : (..., n, d_model)
    numbers : (..., n) of integers
    E : (c, d_model)
    positions : (n_max, d_model)

    Returns
    -------
    dL_dE : (c, d_model)
    dL_dpositions : (n_max, d_model)

    Raises
    ------
    ValueError
        If shapes do not fit.

    Examples
    --------
    >>> E, positions = np.zeros((3, 1)), np.zeros((4, 1))
    >>> dL_dx = np.array([[0.1], [0.2], [0.4]])
    >>> dL_dE, dL_dpositions = embed_backward(dL_dx, np.array([2, 0, 2]), E, positions)
    >>> dL_dE.T, dL_dpositions.T
    (array([[0.2, 0. , 0.5]]), array([[0.1, 0.2, 0.4, 0. ]]))
    """
    if dL_dx.shape != (*numbers.shape, E.shape[-1]):
        raise ValueError(f"dL_dx {dL_dx.shape} does not fit numbers {numbers.shape}, E {E.shape}")
    dL_dE, dL_dpositions = np.zeros_like(E), np.zeros_like(positions)
    np.add.at(dL_dE, numbers, dL_dx)  # a token that occurs twice is added twice
    n = numbers.shape[-1]
    dL_dpositions[:n] = dL_dx.reshape(-1, n, E.shape[-1]).sum(axis=0)
    return dL_dE, dL_dpositions
