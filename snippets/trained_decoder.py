"""A decoder that has learned to write the stories about banks.

`python -m snippets.trained_decoder` trains it from its seed and writes the file of weights.

>>> story = "<end> Mia and Tom wade in the river . the bank is".split()
>>> from snippets.decoder import next_token_logits
>>> logits = next_token_logits(load()[0], bank_stories.to_numbers(story), NUM_HEADS)[-1]
>>> sorted(bank_stories.VOCABULARY[number] for number in np.argsort(-logits)[:3])
['green', 'muddy', 'steep']
"""

from pathlib import Path

import numpy as np

from snippets import bank_stories
from snippets.adam import AdamState, adam
from snippets.bank_stories import Stories, split_stories
from snippets.decoder import DecoderWeights, first_weights, loss_and_gradients
from snippets.weight_vector import parameters_to_vector, vector_to_parameters

FILE = Path(__file__).parent / "data" / "trained_decoder.npz"
SEED, STEPS, BATCH, NUM_HEADS = 0, 400, 32, 2


def stories() -> tuple[Stories, Stories]:
    """Give the stories that are learned from, and those that are held out.

    Examples
    --------
    >>> training, held_out = stories()
    >>> len(training.numbers), len(held_out.numbers)
    (1843, 461)
    """
    return split_stories(np.random.default_rng(SEED))


def untrained() -> DecoderWeights:
    """Draw the weights to start from, 18,848 numbers.

    Examples
    --------
    >>> parameters_to_vector(untrained()).size
    18848
    """
    return first_weights(
        np.random.default_rng(SEED),
        len(bank_stories.VOCABULARY),
        n_max=20,
        d_model=32,
        d_ff=64,
        num_blocks=2,
    )


def learning_rate(step: int, steps: int = STEPS) -> float:
    """Rise for 40 steps, then fall in a straight line, almost to 0.

    Examples
    --------
    >>> [round(learning_rate(step), 4) for step in (0, 39, 200, 399)]
    [0.0003, 0.009, 0.005, 0.0]
    """
    return 0.01 * min(1, (step + 1) / 40) * (1 - step / steps)


def train_decoder(steps: int = STEPS) -> tuple[DecoderWeights, np.ndarray]:
    """Train from the seed with Adam, on a new batch of stories in every step.

    Parameters
    ----------
    steps : int
        Where to stop; the learning rate is that of the whole training all the same.

    Returns
    -------
    weights : DecoderWeights
    losses : (steps,)
        The loss of each batch, before the step that learned from it.

    Examples
    --------
    >>> _, losses = train_decoder(steps=2)
    >>> losses.round(1)  # an even guess among 41 tokens has log 41 = 3.7
    array([3.9, 3.8])
    """
    training, _ = stories()
    rng = np.random.default_rng([SEED, 1])
    weights, state, losses = untrained(), AdamState(), np.zeros(steps)
    vector = parameters_to_vector(weights)
    for step in range(steps):
        rows = rng.choice(len(training.numbers), size=BATCH, p=training.probability)
        losses[step], gradients = loss_and_gradients(
            weights, training.numbers[rows], NUM_HEADS, training.counted[rows]
        )
        vector, state = adam(vector, parameters_to_vector(gradients), state, lr=learning_rate(step))
        weights = vector_to_parameters(vector, like=weights)
    return weights, losses


def load() -> tuple[DecoderWeights, np.ndarray]:
    """Give what `train_decoder` returned when the file was written; the weights as float16.

    They are kept with 16 bits and computed with in float64.

    Examples
    --------
    >>> weights, losses = load()
    >>> losses[[0, 399]].round(1)
    array([3.9, 0.4])
    """
    with np.load(FILE) as file:
        vector = file["weights"].astype(np.float64)
        return vector_to_parameters(vector, like=untrained()), file["losses"].astype(np.float64)


def write() -> None:
    """Train, and write the file."""
    weights, losses = train_decoder()
    np.savez_compressed(
        FILE,
        weights=parameters_to_vector(weights).astype(np.float16),
        losses=losses.astype(np.float32),
    )


if __name__ == "__main__":
    write()
