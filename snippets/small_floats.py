"""Floats of 16 and 8 bits that NumPy does not have: bfloat16 and the two kinds of fp8.

| type | exponent_bits | fraction_bits | finite |
|---|---|---|---|
| float16 | 5 | 10 | False |
| bfloat16 | 8 | 7 | False |
| E5M2 | 5 | 2 | False |
| E4M3 | 4 | 3 | True |
"""

import numpy as np


def float_values(exponent_bits: int, fraction_bits: int, *, finite: bool = False) -> np.ndarray:
    """List all finite floats of a type from 0 on, in the order of their codes.

    A code is two numbers side by side, E and M. It means (1 + M / 2^fraction_bits) 2^(E - bias),
    or M / 2^fraction_bits 2^(1 - bias) if E is 0, with bias = 2^(exponent_bits - 1) - 1. The
    largest E means infinity and NaN; in a type that is `finite` only its last code does, for NaN
    (OCP 8-bit Floating Point Specification, revision 1.0, tables 1 and 2).

    Parameters
    ----------
    exponent_bits, fraction_bits : int
        The sign takes one bit more.
    finite : bool
        Whether the type has no infinity, as E4M3.

    Returns
    -------
    (number of codes,), float64, ascending

    Examples
    --------
    >>> e4m3 = float_values(4, 3, finite=True)
    >>> len(e4m3), e4m3[1], e4m3[-1]
    (127, np.float64(0.001953125), np.float64(448.0))
    """
    E, M = np.divmod(np.arange(2 ** (exponent_bits + fraction_bits)), 2**fraction_bits)
    bias = 2 ** (exponent_bits - 1) - 1
    values = np.ldexp((E > 0) + M / 2**fraction_bits, np.maximum(E, 1) - bias)
    return values[: -1 if finite else -(2**fraction_bits)]


def round_to_float(
    x: np.ndarray, exponent_bits: int, fraction_bits: int, *, finite: bool = False
) -> np.ndarray:
    """Round to the nearest float of a type; halfway between two, to the one with the even code.

    Beyond the largest: infinity, or the largest if the type is `finite`.

    Parameters
    ----------
    x : (...)
    exponent_bits, fraction_bits, finite
        As in `float_values`.

    Returns
    -------
    (...), of the dtype of x, or float32 if that is narrower

    Examples
    --------
    >>> x = np.array([0.3, 20.0, 21.0, 500.0])
    >>> round_to_float(x, 5, 2)
    array([3.125e-01, 2.000e+01, 2.000e+01, 5.120e+02])
    >>> round_to_float(x, 4, 3, finite=True)
    array([3.125e-01, 2.000e+01, 2.000e+01, 4.480e+02])
    """
    wide = np.asarray(x, np.float64)
    bias = 2 ** (exponent_bits - 1) - 1
    _, exponent = np.frexp(wide)  # |x| lies between 2^(exponent - 1) and 2^exponent
    step = np.ldexp(1.0, np.maximum(exponent - 1, 1 - bias) - fraction_bits)
    rounded = np.rint(wide / step) * step
    last = 2.0**-fraction_bits
    if finite:
        largest = (2 - 2 * last) * 2.0 ** (bias + 1)
        rounded = np.clip(rounded, -largest, largest)
    else:
        largest = (2 - last) * 2.0**bias
        rounded = np.where(abs(rounded) > largest, np.copysign(np.inf, wide), rounded)
    return rounded.astype(np.result_type(x, np.float32))
