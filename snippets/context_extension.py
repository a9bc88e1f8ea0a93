"""Longer texts than those of the training: rotary positions whose slow pairs turn more slowly.

Each function gives the angle of every pair per position, as `rotary_angles(1, width)` does before
any extension; positions times these are the angles for `rotate`.
"""

import numpy as np


def ntk_base(width: int, stretch: np.ndarray | float, base: float = 10_000.0) -> np.ndarray:
    """Enlarge the base so that the first pair stays and the last turns `stretch` times more slowly.

    base' = base · stretch^(d / (d - 2)) (Peng et al. 2023, equation 16, "NTK-aware").

    Parameters
    ----------
    width : int
        d, how many numbers are turned; more than 2, since a single pair is first and last.
    stretch : (...)
        Length of the text over that of the training texts, at least 1.
    base : float

    Returns
    -------
    (...), float64

    Raises
    ------
    ValueError
        If width is odd or less than 4, or a stretch is below 1.

    Examples
    --------
    >>> ntk_base(4, np.array([1.0, 2.0]), base=100.0)
    array([100., 400.])
    """
    if width % 2 or width < 4:
        raise ValueError(f"width must be even and at least 4, not {width}")
    return base * _at_least_one(stretch) ** (width / (width - 2))


def dynamic_stretch(length: np.ndarray | int, trained: int, factor: float = 1.0) -> np.ndarray:
    """Give the stretch for the text as long as it is now: max(1, length / trained).

    With a factor, factor · length / trained - (factor - 1), as in the first public code of
    "Dynamic NTK" and in Hugging Face's (Peng et al. 2023, section 3.3, is the factor 1).

    Parameters
    ----------
    length : (...)
        Tokens of each text.
    trained : int
        Tokens of the longest training texts.
    factor : float

    Returns
    -------
    (...), float64, at least 1

    Raises
    ------
    ValueError
        If trained is not positive.

    Examples
    --------
    >>> dynamic_stretch(np.array([100, 2048, 8192]), trained=2048)
    array([1., 1., 4.])
    """
    if trained <= 0:
        raise ValueError(f"trained must be positive, not {trained}")
    return np.maximum(1.0, factor * np.asarray(length) / trained - (factor - 1))


def by_parts(
    frequencies: np.ndarray,
    stretch: np.ndarray | float,
    trained: int,
    slow: float = 1.0,
    fast: float = 32.0,
) -> np.ndarray:
    """Divide the angles of slow pairs by the stretch, leave fast pairs, and blend between.

    θ' = (1 - γ) θ / stretch + γ θ, where γ rises from 0 to 1 while the turns of a pair in a
    training text, trained · θ / 2π, rise from slow to fast (Peng et al. 2023, equations 17 to 20,
    "NTK-by-parts"). Meta's code for Llama 3.1 does this with slow = 1 and fast = 4.

    Parameters
    ----------
    frequencies : (r,)
        θ, radians per position, of r pairs.
    stretch : (...)
        At least 1.
    trained : int
        Tokens of the longest training texts.
    slow, fast : float
        Pairs with at most `slow` turns are interpolated, those with at least `fast` stay.

    Returns
    -------
    (..., r), float64

    Raises
    ------
    ValueError
        If frequencies have not one axis, a stretch is below 1, or slow is not below fast.

    Examples
    --------
    >>> by_parts(np.array([0.8, 0.4, 0.1]), 2.0, trained=20, slow=1.0, fast=2.0).round(2)
    array([0.8 , 0.25, 0.05])
    """
    if frequencies.ndim != 1 or slow >= fast:
        raise ValueError(
            f"frequencies {frequencies.shape} are not (r,), or slow {slow} is not below fast {fast}"
        )
    turns = trained * frequencies.astype(np.float64) / (2 * np.pi)
    return _blend(frequencies, stretch, np.clip((turns - slow) / (fast - slow), 0, 1))


def yarn_frequencies(
    width: int,
    stretch: np.ndarray | float,
    trained: int,
    base: float = 10_000.0,
    slow: float = 1.0,
    fast: float = 32.0,
) -> np.ndarray:
    """Blend as `by_parts` does, with a γ that falls linearly with the number of the pair.

    A pair turns `turns` times where i = d log(trained / (2π turns)) / (2 log base). From the pair
    with `fast` turns, rounded down, to that with `slow` turns, rounded up, γ falls from 1 to 0.
    The code of YaRN's authors, of Hugging Face and of DeepSeek does this; the γ of the paper is
    that of `by_parts`.

    Parameters
    ----------
    width : int
        d, how many numbers are turned; even.
    stretch : (...)
        At least 1.
    trained : int
        Tokens of the longest training texts.
    base : float
    slow, fast : float
        Turns in a training text at which the blend ends and begins.

    Returns
    -------
    (..., width / 2), float64

    Raises
    ------
    ValueError
        If width is odd, a stretch is below 1, or slow is not below fast.

    Examples
    --------
    >>> yarn_frequencies(8, 10.0, trained=2048).round(4)
    array([1.0e+00, 1.0e-01, 5.5e-03, 1.0e-04])
    """
    if width % 2 or slow >= fast:
        raise ValueError(f"width {width} is odd, or slow {slow} is not below fast {fast}")
    i = np.arange(width // 2)
    first, last = (
        width * np.log(trained / (2 * np.pi * turns)) / (2 * np.log(base)) for turns in (fast, slow)
    )
    first, last = max(np.floor(first), 0), min(np.ceil(last), width - 1)
    last += 0.001 * (first == last)  # as in their code: no division by 0
    return _blend(
        base ** (-2 * i / width), stretch, 1 - np.clip((i - first) / (last - first), 0, 1)
    )


def attention_factor(stretch: np.ndarray | float) -> np.ndarray:
    """Give YaRN's factor for queries and for keys: 0.1 ln(stretch) + 1; scores get its square.

    Peng et al. 2023, equation 22: fitted to Llama models, not derived.

    Parameters
    ----------
    stretch : (...)
        At least 1.

    Returns
    -------
    (...), float64

    Raises
    ------
    ValueError
        If a stretch is below 1.

    Examples
    --------
    >>> attention_factor(np.array([1.0, 8.0])).round(3)
    array([1.   , 1.208])
    """
    return 0.1 * np.log(_at_least_one(stretch)) + 1


def _at_least_one(stretch: np.ndarray | float) -> np.ndarray:
    """Check that no text is shortened, and compute in float64."""
    stretch = np.asarray(stretch, dtype=np.float64)
    if not (stretch >= 1).all():
        raise ValueError(f"a stretch {stretch.shape} is below 1: {stretch.min()}")
    return stretch


def _blend(frequencies: np.ndarray, stretch: np.ndarray | float, kept: np.ndarray) -> np.ndarray:
    """Mix the angles as they were, by the share that is kept, with those of interpolation."""
    return frequencies * (kept + (1 - kept) / _at_least_one(stretch)[..., np.newaxis])
