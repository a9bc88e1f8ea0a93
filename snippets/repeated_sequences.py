"""Sequences that repeat: random letters, then the same letters again and again."""

import numpy as np

LETTERS = "abcdefghijklmnopqrst"
VOCABULARY = "<" + LETTERS  # each sequence begins with "<"


def repeated_batch(
    rng: np.random.Generator, count: int, n: int = 24, periods: tuple[int, int] = (6, 12)
) -> tuple[np.ndarray, np.ndarray]:
    """Draw sequences in which every letter can be predicted from the second repeated one on.

    The letters of a period differ from each other. How long it is differs from sequence to
    sequence, so that the place of a letter does not show which letter it is.

    Parameters
    ----------
    rng : np.random.Generator
        The same seed gives the same sequences.
    count : int
    n : int
        Letters in each.
    periods : (shortest, longest)
        Each length in between is drawn equally often.

    Returns
    -------
    numbers : (count, 1 + n) of integers
        The places in VOCABULARY; 0, the sign for the beginning, comes first.
    repeated : (count, n), boolean
        Whether letter i can be predicted: it and the letter before it occurred one period earlier.

    Raises
    ------
    ValueError
        If a period can be longer than the alphabet, or shorter than 1.

    Examples
    --------
    >>> numbers, repeated = repeated_batch(np.random.default_rng(0), 2, n=12, periods=(3, 5))
    >>> ["".join(VOCABULARY[number] for number in row) for row in numbers]
    ['<ksqecksqecks', '<lqehlqehlqeh']
    >>> repeated.sum(axis=1)
    array([6, 7])
    """
    if not 1 <= periods[0] <= periods[1] <= len(LETTERS):
        raise ValueError(f"periods {periods} are not between 1 and {len(LETTERS)}")
    period = rng.integers(periods[0], periods[1] + 1, size=(count, 1))
    alphabet = np.tile(np.arange(1, len(VOCABULARY)), (count, 1))
    letters = rng.permuted(alphabet, axis=1)
    place = np.arange(n)
    numbers = np.take_along_axis(letters, place % period, axis=1)
    return np.pad(numbers, ((0, 0), (1, 0))), place > period
