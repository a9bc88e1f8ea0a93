"""The recall task: after a few letter-digit pairs and a letter, give the digit of that letter.

A letter that does not look at the other tokens cannot know; one head of attention can learn it.
(Ba et al. 2016, section 4.1, call it associative retrieval, Arora et al. 2023 associative recall.)
"""

from collections.abc import Sequence

import numpy as np

LETTERS = "abcdefgh"
DIGITS = "0123456789"


def encode(tokens: Sequence[str]) -> np.ndarray:
    """Write each token as numbers: a 1 for its letter and, in a pair, a 1 for its digit.

    Parameters
    ----------
    tokens : n pairs such as "b7" or letters such as "b"

    Returns
    -------
    (n, 18): eight columns for the letters a to h, ten for the digits 0 to 9

    Raises
    ------
    ValueError
        If a character is neither a letter from a to h nor a digit.

    Examples
    --------
    >>> encode(["b7", "b"]).astype(int)
    array([[0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0],
           [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]])
    """
    columns = LETTERS + DIGITS
    X = np.zeros((len(tokens), len(columns)))
    for i, token in enumerate(tokens):
        for character in token:
            if character not in columns:
                raise ValueError(f"{character!r} in {token!r} is not one of {columns}")
            X[i, columns.index(character)] = 1
    return X


def decode(X: np.ndarray) -> list[str]:
    """Read the tokens of one sequence; undoes `encode`.

    Parameters
    ----------
    X : (n, 18)

    Returns
    -------
    n tokens

    Examples
    --------
    >>> decode(encode(["b7", "b"]))
    ['b7', 'b']
    """
    columns = np.array(list(LETTERS + DIGITS))
    return ["".join(columns[row == 1]) for row in X]


def recall_batch(
    rng: np.random.Generator,
    count: int,
    num_pairs: int = 4,
    ahead: int = 0,
    distinct_digits: bool = True,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw sequences of the task, and what should be answered.

    Letters differ within a sequence, and so do digits unless told otherwise: whoever knows all
    the digits, but not which pair is asked for, is right once in `num_pairs`.

    Parameters
    ----------
    rng : np.random.Generator
        The same seed gives the same sequences.
    count : int
        How many sequences.
    num_pairs : int
        How many pairs in each; at most eight.
    ahead : int
        Ask for the digit of the letter that comes so many places later in the alphabet
        (a comes after h).
    distinct_digits : bool
        False lets a digit occur several times in a sequence.

    Returns
    -------
    X : (count, num_pairs + 1, 18), the last token a letter without a digit
    answer : (count,) of integers, the digit of the pair that is asked for

    Raises
    ------
    ValueError
        If num_pairs is not between 1 and 8.

    Examples
    --------
    >>> X, answer = recall_batch(np.random.default_rng(0), 2)
    >>> [decode(sequence) for sequence in X], answer
    ([['c4', 'e7', 'd6', 'g2', 'd'], ['g2', 'c6', 'h3', 'e5', 'h']], array([6, 3]))
    """
    if not 1 <= num_pairs <= len(LETTERS):
        raise ValueError(f"num_pairs is {num_pairs}, not between 1 and {len(LETTERS)}")

    letters = _distinct(rng, len(LETTERS), count, num_pairs)
    if distinct_digits:
        digits = _distinct(rng, len(DIGITS), count, num_pairs)
    else:
        digits = rng.integers(len(DIGITS), size=(count, num_pairs))
    sequence, asked = np.arange(count), rng.integers(num_pairs, size=count)
    letter = (letters[sequence, asked] - ahead) % len(LETTERS)
    return _encode_all(letters, digits, letter), digits[sequence, asked]


def recall_two_batch(
    rng: np.random.Generator, count: int, num_pairs: int = 4
) -> tuple[np.ndarray, np.ndarray]:
    """Draw sequences that ask for two digits: of the last letter, and of the one after it.

    Both letters are among the pairs, in any order (a comes after h).

    Parameters
    ----------
    rng : np.random.Generator
        The same seed gives the same sequences.
    count : int
        How many sequences.
    num_pairs : int
        How many pairs in each; at least two, at most eight.

    Returns
    -------
    X : (count, num_pairs + 1, 18), the last token a letter without a digit
    answer : (count, 2) of integers, the digit of that letter and that of the next

    Raises
    ------
    ValueError
        If num_pairs is not between 2 and 8.

    Examples
    --------
    >>> X, answer = recall_two_batch(np.random.default_rng(0), 2)
    >>> [decode(sequence) for sequence in X], answer.tolist()
    ([['g4', 'd7', 'c6', 'h2', 'g'], ['f2', 'd6', 'g3', 'e5', 'f']], [[4, 2], [2, 3]])
    """
    if not 2 <= num_pairs <= len(LETTERS):
        raise ValueError(f"num_pairs is {num_pairs}, not between 2 and {len(LETTERS)}")
    asked = rng.integers(len(LETTERS), size=(count, 1))
    ahead = np.tile(np.arange(len(LETTERS)), (count, 1))
    ahead[:, 2:] = rng.permuted(ahead[:, 2:], axis=1)  # 0 and 1 stay, others come and go
    ahead = rng.permuted(ahead[:, :num_pairs], axis=1)
    digits = _distinct(rng, len(DIGITS), count, num_pairs)
    answer = np.stack([digits[ahead == 0], digits[ahead == 1]], axis=1)
    return _encode_all((asked + ahead) % len(LETTERS), digits, asked[:, 0]), answer


def _distinct(rng: np.random.Generator, kinds: int, count: int, num: int) -> np.ndarray:
    """Draw `num` different numbers below `kinds`, `count` times."""
    return rng.permuted(np.tile(np.arange(kinds), (count, 1)), axis=1)[:, :num]


def _encode_all(letters: np.ndarray, digits: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """Encode pairs (count, num_pairs) and the letter (count,) that follows them."""
    one_hot = np.eye(len(LETTERS + DIGITS))
    pairs = one_hot[letters] + one_hot[len(LETTERS) + digits]
    return np.concatenate([pairs, one_hot[asked][:, np.newaxis]], axis=1)
