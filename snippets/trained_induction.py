"""Attention-only models, of one layer and of two, that were trained on sequences that repeat.

`python -m snippets.trained_induction` trains both from their seed and writes the file.

>>> two, one = load()
>>> two.repeat_loss[[0, -1]].round(1), one.repeat_loss[-1].round(1)
(array([3.2, 0. ]), np.float64(1.6))
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from snippets.adam import AdamState, adam
from snippets.attention_only import (
    AttentionOnlyWeights,
    first_weights,
    loss_and_gradients,
    run,
)
from snippets.cross_entropy import cross_entropy
from snippets.induction import induction_score, previous_token_score
from snippets.repeated_sequences import VOCABULARY, repeated_batch
from snippets.weight_vector import parameters_to_vector, vector_to_parameters

FILE = Path(__file__).parent / "data" / "trained_induction.npz"
SEED, STEPS, BATCH, NUM_HEADS, EVERY = 0, 600, 32, 2, 10


class Training(NamedTuple):
    """A trained model, and what was measured on the way, after every tenth step."""

    weights: AttentionOnlyWeights
    repeat_loss: np.ndarray  # (times,), of the predictable letters
    new_loss: np.ndarray  # (times,), of letters that cannot
    previous: np.ndarray  # (times, layers, heads), previous-token scores
    induction: np.ndarray  # (times, layers, heads), induction scores


def untrained(num_layers: int) -> AttentionOnlyWeights:
    """Draw the weights to start from.

    Examples
    --------
    >>> [parameters_to_vector(untrained(num_layers)).size for num_layers in (1, 2)]
    [6208, 10304]
    """
    rng = np.random.default_rng(SEED)
    return first_weights(rng, len(VOCABULARY), n_max=24, d_model=32, num_layers=num_layers)


def measure(weights: AttentionOnlyWeights) -> tuple[float, float, np.ndarray, np.ndarray]:
    """Give the four things that a `Training` keeps, on 128 sequences that are always the same.

    Examples
    --------
    >>> repeat_loss, new_loss, previous, induction = measure(untrained(2))
    >>> round(repeat_loss, 1), previous.shape
    (3.2, (2, 2))
    """
    numbers, repeated = repeated_batch(np.random.default_rng([SEED, 2]), 128)
    inputs, target = numbers[:, :-1], numbers[:, 1:]
    states, alpha = run(weights, inputs, NUM_HEADS)
    logits = states[-1] @ weights.U
    return (
        cross_entropy(logits[repeated], target[repeated]),
        cross_entropy(logits[~repeated], target[~repeated]),
        np.array([previous_token_score(read).mean(axis=0) for read in alpha]),
        np.array([induction_score(read, inputs) for read in alpha]),
    )


def train_model(num_layers: int, steps: int = STEPS) -> Training:
    """Train from the seed with Adam, on new sequences in every step.

    Parameters
    ----------
    num_layers : int
    steps : int

    Examples
    --------
    >>> train_model(num_layers=2, steps=10).repeat_loss.round(1)
    array([3.2, 3. ])
    """
    rng = np.random.default_rng([SEED, 1])
    weights, state = untrained(num_layers), AdamState()
    vector, measured = parameters_to_vector(weights), [measure(weights)]
    for step in range(1, steps + 1):
        numbers, _ = repeated_batch(rng, BATCH)
        _, gradients = loss_and_gradients(weights, numbers, NUM_HEADS)
        vector, state = adam(vector, parameters_to_vector(gradients), state, lr=0.01)
        weights = vector_to_parameters(vector, like=weights)
        if step % EVERY == 0:
            measured.append(measure(weights))
    return Training(weights, *(np.array(each) for each in zip(*measured, strict=True)))


def load() -> tuple[Training, Training]:
    """Give the model of two layers and that of one; the weights as float16.

    Examples
    --------
    >>> [len(training.weights.layers) for training in load()]
    [2, 1]
    """
    with np.load(FILE) as file:

        def kept(num_layers: int) -> Training:
            arrays = {
                name: file[f"{num_layers} {name}"].astype(np.float64) for name in Training._fields
            }
            weights = vector_to_parameters(arrays.pop("weights"), like=untrained(num_layers))
            return Training(weights, **arrays)

        return kept(2), kept(1)


def write() -> None:
    """Train both, and write the file."""
    arrays = {}
    for num_layers in (2, 1):
        weights, *curves = train_model(num_layers)
        arrays[f"{num_layers} weights"] = parameters_to_vector(weights).astype(np.float16)
        for name, curve in zip(Training._fields[1:], curves, strict=True):
            arrays[f"{num_layers} {name}"] = curve.astype(np.float32)
    np.savez_compressed(FILE, allow_pickle=False, **arrays)


if __name__ == "__main__":
    write()
