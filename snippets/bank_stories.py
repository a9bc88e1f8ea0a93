"""Small stories about two kinds of banks, from a grammar: what a decoder learns to write.

A story names one person or two, says what they do, describes a bank, and says what they do next.
Three things in it do not follow from the word before: whether the bank is green or closed (river
or money?), whether a verb has an s (one person or two?), and who comes back (which names?).

>>> len(STORIES), len(VOCABULARY)
(2304, 41)
"""

from itertools import permutations, product
from typing import NamedTuple

import numpy as np

NAMES = ("Ada", "Ben", "Eva", "Ian", "Leo", "Mia", "Tom", "Zoe")
SCENES = (
    (("swim", "wade", "row"), "in the river", ("green", "steep", "muddy")),
    (("bring", "lend", "count"), "the money", ("open", "closed", "rich")),
)
ENDINGS = ("go home", "stay there")
END = "<end>"


def tell(names: tuple[str, ...], verb: str, where: str, adjective: str, ending: str) -> list[str]:
    """Write a story: its words, full stops and a token for its end.

    Examples
    --------
    >>> " ".join(tell(("Mia", "Tom"), "swim", "in the river", "green", "go home"))
    'Mia and Tom swim in the river . the bank is green . Mia and Tom go home . <end>'
    >>> " ".join(tell(("Ada",), "lend", "the money", "closed", "stay there"))
    'Ada lends the money . the bank is closed . Ada stays there . <end>'
    """
    who = " and ".join(names)
    s = "s" if len(names) == 1 else ""
    last, then = ending.split()
    last += {"go": "es", "stay": "s"}[last] if s else ""
    text = f"{who} {verb}{s} {where} . the bank is {adjective} . {who} {last} {then} . {END}"
    return text.split()


def all_stories() -> tuple[list[list[str]], np.ndarray]:
    """Give every story of the grammar, and how probable each is.

    Whether there are one or two, and then each further choice, is drawn evenly.
    """
    stories, probabilities = [], []
    for count in (1, 2):
        groups = list(permutations(NAMES, count))
        for names, (verbs, where, adjectives) in product(groups, SCENES):
            for verb, adjective, ending in product(verbs, adjectives, ENDINGS):
                stories.append(tell(names, verb, where, adjective, ending))
                probabilities.append(1 / (2 * len(groups) * 2 * 3 * 3 * 2))
    return stories, np.array(probabilities)


STORIES, PROBABILITIES = all_stories()
VOCABULARY = sorted({word for story in STORIES for word in story})
NUMBERS = {word: number for number, word in enumerate(VOCABULARY)}


def to_numbers(words: list[str]) -> np.ndarray:
    """Give the numbers of words.

    Examples
    --------
    >>> to_numbers("<end> Ada swims".split())
    array([ 1,  2, 36])
    """
    return np.array([NUMBERS[word] for word in words])


class Stories(NamedTuple):
    """Stories as rows of token numbers, and how often each should be met."""

    numbers: np.ndarray  # (count, 21): <end>, the story, its <end>, filled up with <end>
    counted: np.ndarray  # (count, 20), which of the tokens to predict belong to the story
    probability: np.ndarray  # (count,), sums to 1


def split_stories(rng: np.random.Generator, share: float = 0.2) -> tuple[Stories, Stories]:
    """Draw which stories are learned from, and which are held out.

    Parameters
    ----------
    rng : np.random.Generator
    share : float
        How many are held out, of 1.

    Returns
    -------
    training, held_out : Stories

    Examples
    --------
    >>> training, held_out = split_stories(np.random.default_rng(0))
    >>> training.numbers.shape, held_out.numbers.shape
    ((1843, 21), (461, 21))
    """
    longest = max(map(len, STORIES))
    numbers = np.full((len(STORIES), 1 + longest), NUMBERS[END])
    for row, story in zip(numbers, STORIES, strict=True):
        row[1 : 1 + len(story)] = to_numbers(story)
    lengths = np.array([len(story) for story in STORIES])
    counted = np.arange(longest) < lengths[:, np.newaxis]
    order = rng.permutation(len(STORIES))
    first = round(share * len(STORIES))
    held_out, training = (
        Stories(numbers[rows], counted[rows], PROBABILITIES[rows] / PROBABILITIES[rows].sum())
        for rows in (order[:first], order[first:])
    )
    return training, held_out
