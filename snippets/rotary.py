"""Positions that act on scores: turned queries and keys, and a bias that grows with distance."""

import numpy as np


def rotary_angles(positions: np.ndarray, width: int, base: float = 10_000.0) -> np.ndarray:
    """Give each pair of a query or key the angle by which a position turns it.

    angle(pos, i) = pos / base^(2i / width), with pos and i counted from 0 (Su et al. 2021,
    section 3.2.2).

    Parameters
    ----------
    positions : (...)
        Of any number type; computed in float64, since float16 has no 2049.
    width : int
        How many of the numbers are turned; even, since they are turned in pairs.
    base : float
        The larger, the slower the last pairs turn.

    Returns
    -------
    (..., width / 2), float64, in radians

    Raises
    ------
    ValueError
        If width is odd.

    Examples
    --------
    >>> rotary_angles(np.array([0, 1, 2]), 4)
    array([[0.  , 0.  ],
           [1.  , 0.01],
           [2.  , 0.02]])
    """
    if width % 2:
        raise ValueError(f"width must be even, not {width}")
    frequencies = base ** -(np.arange(0, width, 2) / width)
    return np.asarray(positions, dtype=np.float64)[..., np.newaxis] * frequencies


def axial_angles(positions: np.ndarray, axes: np.ndarray, base: float = 10_000.0) -> np.ndarray:
    """Give each pair the angle by which one of several coordinates turns it.

    angle(pos, i) = pos[axes[i]] / base^(2i / width). With two coordinates that take turns it is the
    RoPE-2D of Pixtral (Agrawal et al. 2024), with three in sections the M-RoPE of Qwen2-VL (Wang et
    al. 2024). Equal coordinates give `rotary_angles`.

    Parameters
    ----------
    positions : (..., a)
        Of each token, its a coordinates, such as row and column.
    axes : (width / 2,) of integers
        For each pair, which coordinate turns it.
    base : float

    Returns
    -------
    (..., width / 2), float64, in radians

    Raises
    ------
    ValueError
        If an axis is not one of the coordinates.

    Examples
    --------
    >>> axial_angles(np.array([[1, 0], [0, 1], [5, 5]]), np.array([0, 1]))
    array([[1.  , 0.  ],
           [0.  , 0.01],
           [5.  , 0.05]])
    """
    if axes.min() < 0 or axes.max() >= positions.shape[-1]:
        raise ValueError(f"axes {axes.tolist()} are not all of positions {positions.shape}")
    turns = rotary_angles(positions, 2 * len(axes), base)  # (..., a, width / 2)
    angles: np.ndarray = turns[..., axes, np.arange(len(axes))]
    return angles


def rotate(
    x: np.ndarray, cos: np.ndarray, sin: np.ndarray, *, interleaved: bool = False
) -> np.ndarray:
    """Turn the pairs of each query or key by its angles.

    (a, b) becomes (a cos - b sin, a sin + b cos) (Su et al. 2021, equation 34). A pair is
    number i and number i + half, or, if interleaved, numbers 2i and 2i + 1.

    Parameters
    ----------
    x : (..., n, d), floats
        Queries or keys.
    cos, sin : broadcast to (..., n, r / 2)
        Of the angles; r is at most d, and numbers from r on stay as they are.
    interleaved : bool
        Pair neighbours, as the paper does, and not the two halves.

    Returns
    -------
    (..., n, d), of the dtype of x

    Raises
    ------
    ValueError
        If cos and sin differ in shape, or have more pairs than x.

    Examples
    --------
    >>> x, angles = np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([[np.pi / 2, np.pi]])
    >>> rotate(x, np.cos(angles), np.sin(angles)).round(4)
    array([[-3., -2.,  1., -4.]])
    >>> rotate(x, np.cos(angles), np.sin(angles), interleaved=True).round(4)
    array([[-2.,  1., -3., -4.]])
    """
    pairs = cos.shape[-1]
    if cos.shape != sin.shape or 2 * pairs > x.shape[-1]:
        raise ValueError(
            f"x {x.shape}, cos {cos.shape} and sin {sin.shape} are not (..., n, d) and twice"
            " (..., n, r / 2) with r up to d"
        )
    first = slice(0, 2 * pairs, 2) if interleaved else slice(0, pairs)
    second = slice(1, 2 * pairs, 2) if interleaved else slice(pairs, 2 * pairs)
    a, b = x[..., first], x[..., second]
    shape = (*np.broadcast_shapes(x.shape[:-1], cos.shape[:-1]), x.shape[-1])
    turned = np.array(np.broadcast_to(x, shape))
    turned[..., first] = a * cos - b * sin
    turned[..., second] = a * sin + b * cos
    return turned


def alibi_slopes(num_heads: int) -> np.ndarray:
    """Give each head the slope of its bias: 2^(-8/h), 2^(-16/h), …, 2^-8.

    For a number of heads h that is a power of 2 (Press et al. 2022, section 3).

    Parameters
    ----------
    num_heads : int

    Returns
    -------
    (num_heads,), float64

    Raises
    ------
    ValueError
        If num_heads is not a power of 2.

    Examples
    --------
    >>> alibi_slopes(4)
    array([0.25      , 0.0625    , 0.015625  , 0.00390625])
    """
    if num_heads < 1 or num_heads & (num_heads - 1):
        raise ValueError(f"num_heads must be a power of 2, not {num_heads}")
    return 2.0 ** (-8 / num_heads * np.arange(1, num_heads + 1))


def alibi_bias(num_heads: int, n: int) -> np.ndarray:
    """Make the bias that is added to scaled scores: minus slope times distance.

    Entry (i, j) is -slope · (i - j) for earlier keys and -inf for later ones, which makes
    it a causal mask, too (Press et al. 2022, figure 3).

    Parameters
    ----------
    num_heads : int
        A power of 2.
    n : int
        Number of tokens.

    Returns
    -------
    (num_heads, n, n), float64; an attn_mask for scores (..., num_heads, n, n)

    Raises
    ------
    ValueError
        If num_heads is not a power of 2.

    Examples
    --------
    >>> alibi_bias(8, 3)[0]
    array([[ 0. , -inf, -inf],
           [-0.5,  0. , -inf],
           [-1. , -0.5,  0. ]])
    """
    distance = np.arange(n)[:, np.newaxis] - np.arange(n)
    bias = np.where(distance < 0, -np.inf, 0.0 - distance)
    return alibi_slopes(num_heads)[:, np.newaxis, np.newaxis] * bias
