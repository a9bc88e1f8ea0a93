"""Layer normalization: every token to mean 0 and variance 1, then a learned gain and bias."""

import numpy as np


def layer_norm(x: np.ndarray, gain: np.ndarray, bias: np.ndarray, eps: float = 1e-5) -> np.ndarray:
    """Normalize every token by itself: gain ⊙ (x - mean) / √(variance + eps) + bias.

    Mean and variance run over the token's own d numbers; the variance is the mean of
    the squares (divided by d, not d - 1), and eps is inside the root
    (Ba et al. 2016, section 3; PyTorch's nn.LayerNorm).

    Parameters
    ----------
    x : (..., d)
    gain : (d,)
    bias : (d,)
    eps : float
        Keeps a token of equal numbers from dividing by 0.

    Returns
    -------
    (..., d), of the inputs' dtype

    Raises
    ------
    ValueError
        If gain or bias do not fit; the message names the shapes.

    Examples
    --------
    >>> layer_norm(np.array([1.0, 2.0, 3.0, 4.0]), np.ones(4), np.zeros(4)).round(4)
    array([-1.3416, -0.4472,  0.4472,  1.3416])
    """
    if not x.shape[-1:] == gain.shape == bias.shape:
        raise ValueError(f"gain {gain.shape} and bias {bias.shape} do not fit x {x.shape}")
    dtype = np.result_type(x, gain, bias, np.float16)  # integers become floats
    wide = x.astype(np.result_type(dtype, np.float32))  # float16 would round a small eps to 0
    centred = wide - wide.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    output = gain * centred / np.sqrt(variance + eps) + bias
    return output.astype(dtype)
