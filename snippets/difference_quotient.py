"""A gradient by nudging: move one number, see how the result moves. Slow, and hard to get wrong."""

from collections.abc import Callable

import numpy as np


def difference_quotient(
    function: Callable[[np.ndarray], float], x: np.ndarray, h: float = 1e-5
) -> np.ndarray:
    """Approximate the gradient of a function at x, one element of x after the other.

    (f(x + h e) - f(x - h e)) / 2h for each unit vector e. The error has two parts: about h²
    from the curve, about 1e-16 · |f| / h from rounding (Goodfellow et al. 2016, section 11.5).

    Parameters
    ----------
    function : function of an array, returning one number
    x : (...) of floats
        It is left as it was.
    h : float
        How far each element is moved, in both directions.

    Returns
    -------
    (...), of the shape of x

    Examples
    --------
    The gradient of x² + 10 y at (3, 5):

    >>> difference_quotient(lambda x: x[0] ** 2 + 10 * x[1], np.array([3.0, 5.0])).round(6)
    array([ 6., 10.])
    """
    gradient = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        nudge = np.zeros(x.shape)
        nudge[place] = h
        gradient[place] = (function(x + nudge) - function(x - nudge)) / (2 * h)
    return gradient
