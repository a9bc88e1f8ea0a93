"""Projection: one matrix (and perhaps a bias) applied to every token alike."""

import numpy as np


def project(x: np.ndarray, weight: np.ndarray, bias: np.ndarray | None = None) -> np.ndarray:
    """Map every token, a row of x, from d_in to d_out numbers.

    x @ weight + bias, as in Q = X W_Q (Vaswani et al. 2017, section 3.2.2).

    Parameters
    ----------
    x : (..., n, d_in), or (d_in,) for one token
    weight : (d_in, d_out); PyTorch's nn.Linear stores its transpose
    bias : (d_out,), optional

    Returns
    -------
    (..., n, d_out), or (d_out,) for one token

    Raises
    ------
    ValueError
        If d_in or d_out differ; the message names both shapes.

    Examples
    --------
    >>> project(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[10.0], [1.0]]))
    array([[12.],
           [34.]])
    """
    if weight.ndim != 2 or x.shape[-1:] != weight.shape[:1]:
        raise ValueError(f"x {x.shape} does not fit weight {weight.shape}")
    if bias is not None and bias.shape != weight.shape[1:]:
        raise ValueError(f"bias {bias.shape} does not fit weight {weight.shape}")
    output = x @ weight
    return output if bias is None else output + bias
