"""RMS normalization: every token to root mean square 1, then a learned gain."""

import numpy as np


def rms_norm(x: np.ndarray, gain: np.ndarray, eps: float = 1e-5) -> np.ndarray:
    """Divide every token by the root of its mean square: gain ⊙ x / √(mean(x²) + eps).

    Layer normalization without its mean and its bias (Zhang and Sennrich 2019, equation 4;
    eps as in PyTorch's nn.RMSNorm, inside the root).

    Parameters
    ----------
    x : (..., d)
    gain : (d,)
    eps : float
        Keeps a token of zeros from dividing by 0.

    Returns
    -------
    (..., d), of the inputs' dtype

    Raises
    ------
    ValueError
        If the gain does not fit; the message names both shapes.

    Examples
    --------
    >>> rms_norm(np.array([3.0, 4.0]), np.ones(2)).round(4)
    array([0.8485, 1.1314])
    """
    if x.shape[-1:] != gain.shape:
        raise ValueError(f"gain {gain.shape} does not fit x {x.shape}")
    dtype = np.result_type(x, gain, np.float16)  # integers become floats
    wide = x.astype(np.result_type(dtype, np.float32))  # float16 squares could overflow
    mean_square = (wide**2).mean(axis=-1, keepdims=True)
    output = gain * wide / np.sqrt(mean_square + eps)
    return output.astype(dtype)
