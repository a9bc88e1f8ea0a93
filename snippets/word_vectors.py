"""The bank example without the model: what all-MiniLM-L6-v2 made of a few words, kept in a file.

`python -m snippets.word_vectors` runs the model and writes the file again.
"""

from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from snippets.minilm import MiniLM, Trace, encode, hidden_states, load_minilm

FILE = Path(__file__).parent / "data" / "bank.npz"
WORDS = ["River", "bank", "is", "calm", "Bank", "stores", "money"]
SENTENCES = [  # the bank of a river twice, the bank with money twice
    "I sat on the river bank to fish.",
    "I went to the bank to deposit money.",
    "We walked along the bank of the river.",
    "The bank lent her the money for a house.",
]
CLUES = [["river", "fish"], ["deposit", "money"]]  # of the first two sentences


class BankExample(NamedTuple):
    """What the model did with "bank". Heads are named (block, head), counted from 1."""

    tokens: list[list[str]]  # of the first two of SENTENCES
    from_bank: np.ndarray  # (2, 6, 12, n): what "bank" attends to, in every head
    maps: dict[tuple[int, int], np.ndarray]  # (2, n, n): whole maps of the telling heads
    cosines: np.ndarray  # (7, 4, 4): of "bank" in SENTENCES, at the embeddings and each block


def word_vectors() -> dict[str, np.ndarray]:
    """Give the vector of each word of "River bank is calm" and "Bank stores money".

    Each is what the model makes of that word alone: 384 numbers, length 1, float32.

    Examples
    --------
    >>> vectors = word_vectors()
    >>> [round(float(vectors["bank"] @ vectors[word]), 4) for word in ["River", "bank", "calm"]]
    [0.4996, 1.0, 0.2183]
    """
    with np.load(FILE) as file:
        return dict(zip(WORDS, file["vectors"], strict=True))


def bank_example() -> BankExample:
    """Give what became of "bank" inside the model, sentence by sentence.

    Examples
    --------
    >>> example = bank_example()
    >>> list(example.maps)
    [(1, 3), (1, 5), (6, 8)]
    >>> example.cosines[-1, 0].round(3)  # the first sentence's bank and all four, at the end
    array([1.   , 0.749, 0.931, 0.802], dtype=float32)
    """
    with np.load(FILE) as file:
        heads = [(int(block), int(head)) for block, head in file["heads"]]
        maps = dict(zip(heads, file["maps"], strict=True))
        return BankExample(file["tokens"].tolist(), file["from_bank"], maps, file["cosines"])


def different_words() -> np.ndarray:
    """Give a control: how alike different words of different SENTENCES are, block by block.

    Returns
    -------
    (7, 2), float32
        At the embeddings and after each block, the mean and the largest cosine.

    Examples
    --------
    >>> different_words()[-1].round(3)  # the two banks furthest apart end at 0.749
    array([0.202, 0.617], dtype=float32)
    """
    with np.load(FILE) as file:
        return file["different"]


def on_special_tokens() -> np.ndarray:
    """Give how much of its weight each head puts on [CLS] and [SEP], which are not words.

    Returns
    -------
    (6, 12), float32
        A row for each block; the mean over all tokens of SENTENCES, each of which has 11 tokens
        or 12 with those two.

    Examples
    --------
    >>> on_special_tokens().mean(axis=1).round(2)
    array([0.38, 0.62, 0.62, 0.6 , 0.63, 0.48], dtype=float32)
    """
    with np.load(FILE) as file:
        return file["on_special"]


def telling_heads(
    weights: list[np.ndarray], banks: list[int], clues: list[list[int]]
) -> np.ndarray:
    """Choose the three heads to show, by rule.

    First the head in which tokens attend most to the token before them, on average. Then
    the head in which "bank" attends most to its clues, in the sentence where it does so
    less: over all blocks, and in the last one.

    Parameters
    ----------
    weights : of each sentence, the attention weights (blocks, heads, n, n)
    banks : of each sentence, the place of "bank"
    clues : of each sentence, the places of the words that show which bank it is

    Returns
    -------
    (3, 2), block and head, counted from 1
    """
    before = np.mean([alpha.diagonal(-1, 2, 3).mean(axis=-1) for alpha in weights], axis=0)
    clue = np.min(
        [
            alpha[:, :, bank, places].sum(axis=-1)
            for alpha, bank, places in zip(weights, banks, clues, strict=True)
        ],
        axis=0,
    )
    last = np.zeros_like(clue)
    last[-1] = clue[-1]
    best = [np.unravel_index(score.argmax(), score.shape) for score in (before, clue, last)]
    return np.array(best) + 1


def compute(model: MiniLM) -> dict[str, np.ndarray]:
    """Run the model on WORDS and SENTENCES; the arrays are those of the file."""
    traces = [hidden_states(model, sentence) for sentence in SENTENCES]
    banks = [trace.tokens.index("bank") for trace in traces]
    states = np.stack([traces[i].states[:, bank] for i, bank in enumerate(banks)], axis=1)
    units = states / np.linalg.norm(states, axis=-1, keepdims=True)

    two = traces[: len(CLUES)]
    clues = [[two[i].tokens.index(word) for word in words] for i, words in enumerate(CLUES)]
    weights = [trace.weights for trace in two]
    heads = telling_heads(weights, banks[: len(CLUES)], clues)
    return {
        "vectors": np.stack([encode(model, word) for word in WORDS]),
        "tokens": np.array([trace.tokens for trace in two]),
        "from_bank": np.stack([weights[i][:, :, banks[i]] for i in range(len(two))]),
        "heads": heads,
        "maps": np.stack(
            [[alpha[block - 1, head - 1] for alpha in weights] for block, head in heads]
        ),
        "cosines": units @ units.swapaxes(-1, -2),
        "different": _different(traces),
        "on_special": np.mean(
            [trace.weights[..., [0, -1]].sum(axis=-1).mean(axis=-1) for trace in traces], axis=0
        ),
    }


def _different(traces: list[Trace]) -> np.ndarray:
    """Compare all pairs of different words from different sentences; give mean and largest."""
    found = []
    for first, second in combinations(traces, 2):
        a, b = (
            t.states / np.linalg.norm(t.states, axis=-1, keepdims=True) for t in (first, second)
        )
        pairs = [
            (i, j)
            for i, left in enumerate(first.tokens)
            for j, right in enumerate(second.tokens)
            if left != right and left.isalpha() and right.isalpha()  # no [CLS], no full stop
        ]
        rows, columns = np.transpose(pairs)
        found.append((a @ b.swapaxes(-1, -2))[:, rows, columns])
    cosines = np.concatenate(found, axis=1)
    return np.stack([cosines.mean(axis=1), cosines.max(axis=1)], axis=1)


def write(model: MiniLM) -> None:
    """Write the file."""
    FILE.parent.mkdir(exist_ok=True)
    np.savez_compressed(FILE, **compute(model))  # type: ignore[arg-type]


if __name__ == "__main__":
    write(load_minilm())
