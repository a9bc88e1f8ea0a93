"""Positional encoding: numbers from which attention can know where a token is."""

import numpy as np


def sinusoidal_positions(n: int, d_model: int) -> np.ndarray:
    """Give every position a row of sines and cosines; it is added to the token's vector.

    PE(pos, 2i) = sin(pos / 10000^(2i / d_model)), PE(pos, 2i + 1) = cos(the same), with pos
    and i counted from 0 (Vaswani et al. 2017, section 3.5).

    Parameters
    ----------
    n : int
        Number of positions.
    d_model : int
        Even: sine and cosine come in pairs.

    Returns
    -------
    (n, d_model), float64

    Raises
    ------
    ValueError
        If d_model is odd.

    Examples
    --------
    >>> sinusoidal_positions(3, 4).round(4)
    array([[ 0.    ,  1.    ,  0.    ,  1.    ],
           [ 0.8415,  0.5403,  0.01  ,  1.    ],
           [ 0.9093, -0.4161,  0.02  ,  0.9998]])
    """
    if d_model % 2:
        raise ValueError(f"d_model must be even, not {d_model}")
    angles = np.arange(n)[:, np.newaxis] / 10000.0 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, d_model)
