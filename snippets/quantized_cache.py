"""Keys and values with fewer bits: codes of 8, 4 or 2 bits with a scale, and floats of 8 bits."""

import numpy as np

from snippets.small_floats import round_to_float


def quantize(
    x: np.ndarray,
    scale: np.ndarray,
    zero_point: np.ndarray | int = 0,
    *,
    low: int,
    high: int,
    axis: int = -1,
    group: int = 1,
) -> np.ndarray:
    """Turn numbers into small integers, with one scale for each group of neighbours.

    round(x / scale) + zero_point, between low and high; halves are rounded to even. The operator
    QuantizeLinear of ONNX, blocked (opset 21).

    Parameters
    ----------
    x : (..., n, ...)
    scale : (..., ceil(n / group), ...)
        One entry for each group; every other axis broadcasts.
    zero_point : of the shape of scale, or int
        The code of 0.
    low, high : int
        -8 and 7 for int4, 0 and 255 for uint8.
    axis : int
        Along which numbers share a scale.
    group : int
        How many neighbours share one; the last group may be shorter.

    Returns
    -------
    of the shape of x; of the smallest dtype of 8 or 16 bits that holds low to high

    Examples
    --------
    >>> quantize(np.array([0.2, -0.6, 3.0, 60.0]), np.array([0.5, 8.0]), low=-8, high=7, group=2)
    array([ 0, -1,  0,  7], dtype=int8)
    """
    n = x.shape[axis]
    codes = np.rint(x / _each(scale, n, axis, group)) + _each(zero_point, n, axis, group)
    dtype = f"{'int' if low < 0 else 'uint'}{8 if high - low < 256 else 16}"
    return np.clip(codes, low, high).astype(dtype)


def dequantize(
    codes: np.ndarray,
    scale: np.ndarray,
    zero_point: np.ndarray | int = 0,
    *,
    axis: int = -1,
    group: int = 1,
) -> np.ndarray:
    """Turn codes back into numbers: (codes - zero_point) · scale, as DequantizeLinear of ONNX.

    Parameters
    ----------
    codes : (..., n, ...) of integers
    scale, zero_point, axis, group
        As in `quantize`.

    Returns
    -------
    of the shape of codes, of the dtype of scale

    Examples
    --------
    >>> dequantize(np.array([0, -1, 0, 7]), np.array([0.5, 8.0]), group=2)
    array([ 0. , -0.5,  0. , 56. ])
    """
    n = codes.shape[axis]
    shifted = codes.astype(np.int32) - _each(zero_point, n, axis, group)
    return (shifted * _each(scale, n, axis, group)).astype(scale.dtype)


def quantize_range(
    x: np.ndarray, bits: int, *, axis: int, group: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Spread the codes of each group evenly from its smallest number to its largest.

    Codes round((x - smallest) / scale), with scale = (largest - smallest) / (2^bits - 1)
    (Liu et al. 2024, "KIVI", section 3.1). A group along the tokens is *by channel*, one along the
    numbers of a token *by token*.

    Parameters
    ----------
    x : (..., n, d)
    bits : int
        1 to 8.
    axis : int
        -2 by channel, -1 by token.
    group : int

    Returns
    -------
    codes : (..., n, d) of uint8, one to a byte; a server packs them
    scale, smallest : of the shape of x, with a group's length in place of its numbers

    Raises
    ------
    ValueError
        If bits are not 1 to 8, or x has no numbers.

    Examples
    --------
    >>> x = np.array([[0.0, 9.0], [1.0, 6.0], [3.0, 9.0]])
    >>> codes, scale, smallest = quantize_range(x, bits=2, axis=-2, group=3)
    >>> codes
    array([[0, 3],
           [1, 0],
           [3, 3]], dtype=uint8)
    >>> scale, smallest
    (array([[1., 1.]]), array([[0., 6.]]))
    """
    if not 1 <= bits <= 8 or not x.size:
        raise ValueError(f"bits {bits} are not 1 to 8, or x {x.shape} is empty")
    n, last = x.shape[axis], 2**bits - 1
    wide = x.astype(np.result_type(x, np.float32))  # float16 differences could overflow
    starts = np.arange(0, n, group)
    smallest = np.minimum.reduceat(wide, starts, axis)
    scale = (np.maximum.reduceat(wide, starts, axis) - smallest) / last
    scale = np.where(scale > 0, scale, 1).astype(x.dtype)  # all equal: any scale will do
    above = wide - _each(smallest, n, axis, group)
    codes = quantize(above, scale.astype(wide.dtype), low=0, high=last, axis=axis, group=group)
    return codes, scale, smallest.astype(x.dtype)


def restore_range(
    codes: np.ndarray, scale: np.ndarray, smallest: np.ndarray, *, axis: int, group: int
) -> np.ndarray:
    """Turn the codes of `quantize_range` back into numbers: codes · scale + smallest.

    Parameters
    ----------
    codes : (..., n, d) of integers
    scale, smallest, axis, group
        As in `quantize_range`.

    Returns
    -------
    (..., n, d), of the dtype of scale

    Examples
    --------
    >>> codes, scale, smallest = np.array([[0, 3]]), np.array([[2.0]]), np.array([[1.0]])
    >>> restore_range(codes, scale, smallest, axis=-1, group=2)
    array([[1., 7.]])
    """
    wide = scale.astype(np.result_type(scale, np.float32))
    above = dequantize(codes, wide, axis=axis, group=group)
    return (above + _each(smallest, codes.shape[axis], axis, group)).astype(scale.dtype)


def to_e4m3(x: np.ndarray) -> np.ndarray:
    """Round to the nearest float of 8 bits: 4 for the exponent, 3 for the digits after the first.

    FLOAT8E4M3FN of ONNX, the fp8 of a vLLM cache: neighbours are 1/8 of a power of two apart, at
    least 2^-9; numbers beyond 448 become 448 (Micikevicius et al. 2022).

    Parameters
    ----------
    x : (...)

    Returns
    -------
    (...), of the dtype of x

    Examples
    --------
    >>> to_e4m3(np.array([1.05, 1.07, 17.0, 500.0]))
    array([  1.   ,   1.125,  16.   , 448.   ])
    """
    return round_to_float(x, 4, 3, finite=True).astype(x.dtype)


def _each(entry: np.ndarray | int, n: int, axis: int, group: int) -> np.ndarray:
    """Repeat the entry of each group for its numbers; a single one is for all."""
    entry = np.asarray(entry)
    if entry.ndim == 0 or entry.shape[axis] == 1:
        return entry
    return np.take(np.repeat(entry, group, axis), np.arange(n), axis)
