"""The vault's second running example: one head that has learned the recall task.

Four letter-digit pairs, then a letter: which digit was beside it? Features of a token are its
letter (a to h) and its digit (0 to 9). The weights were trained by `train_head` and are kept in
a file; `python -m snippets.trained_head` trains again and writes the file.

>>> tokens
['b7', 'e2', 'a9', 'g4', 'e']
>>> alpha[-1].round(2)  # e reads the pair that holds an e
array([0.  , 0.99, 0.  , 0.01, 0.  ])
>>> int(Z[-1].argmax())  # of the scores of the ten digits, that of 2 is the largest
2
"""

from pathlib import Path

import numpy as np

from snippets.attention import attention_scores, attention_weights
from snippets.projection import project
from snippets.recall_head import HeadWeights, first_weights, train
from snippets.recall_task import DIGITS, LETTERS, encode, recall_batch

FILE = Path(__file__).parent / "data" / "trained_head.npz"
SEED, STEPS, BATCH = 0, 300, 64


def train_head() -> tuple[HeadWeights, HeadWeights, np.ndarray]:
    """Train the head of this module, from the seed.

    Returns
    -------
    before, after : HeadWeights
    losses : (STEPS,)
    """
    rng = np.random.default_rng(SEED)
    before = first_weights(rng, len(LETTERS + DIGITS), d_k=4, d_v=len(DIGITS))
    after, losses = train(before, lambda: recall_batch(rng, BATCH), STEPS)
    return before, after, losses


def load() -> tuple[HeadWeights, HeadWeights, np.ndarray]:
    """Give what `train_head` returned when the file was written.

    Examples
    --------
    >>> before, after, losses = load()
    >>> losses[[0, 99, 299]].round(2)
    array([2.33, 0.22, 0.01])
    """
    with np.load(FILE) as file:
        before, after = (
            HeadWeights(*(file[f"{when} {name}"] for name in HeadWeights._fields))
            for when in ("before", "after")
        )
        return before, after, file["losses"]


def write() -> None:
    """Train, and write the file."""
    before, after, losses = train_head()
    arrays = {
        f"{when} {name}": weight
        for when, weights in (("before", before), ("after", after))
        for name, weight in weights._asdict().items()
    }
    np.savez_compressed(FILE, losses=losses, **arrays)


features = list(LETTERS + DIGITS)
tokens = ["b7", "e2", "a9", "g4", "e"]
X = encode(tokens)
W_Q, W_K, W_V = load()[1]
Q, K, V = project(X, W_Q), project(X, W_K), project(X, W_V)

n, d_model = X.shape
d_k, d_v = K.shape[1], V.shape[1]

S = attention_scores(Q, K)
scaled_scores = S / np.sqrt(d_k)
alpha = attention_weights(S, scale=1 / np.sqrt(d_k))
Z = alpha @ V


if __name__ == "__main__":
    write()
