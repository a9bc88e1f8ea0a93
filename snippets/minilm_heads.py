"""Every head of the real model on eight sentences: what it attends to, and what is lost without it.

Kept in a file, so that nobody needs the model to look at it. `python -m snippets.minilm_heads`
runs the model and writes the file again.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from snippets.minilm import MiniLM, Trace, hidden_states, load_minilm
from snippets.multi_head import multi_head_attention

FILE = Path(__file__).parent / "data" / "minilm_heads.npz"
SENTENCES = [  # in pairs, to be read side by side
    "I sat on the river bank to fish.",
    "I went to the bank to deposit money.",
    "The animal did not cross the street because it was too tired.",
    "The animal did not cross the street because it was too wide.",
    "Mary saw Tom and she waved.",
    "Tom saw Mary and she waved.",
    "Your journey starts with one step.",
    "One step starts your journey.",
]
SHARED = ["bank", "it", "she", "step"]  # a word of both sentences of each pair
STEPS = {"weights": 1000, "change": 10_000, "distance": 10_000}  # to 1: what is rounded how


class Heads(NamedTuple):
    """What was recorded of one sentence; axes begin with block and head, counted from 0."""

    tokens: list[str]
    weights: np.ndarray  # (blocks, heads, n, n), what every head attends to; three decimals
    change: np.ndarray  # (blocks, heads, n), of attention's output in the block, without the head
    distance: np.ndarray  # (blocks, heads, n), 1 - cosine of a last state with and without it


def hide_head(model: MiniLM, block: int, head: int, num_heads: int = 12) -> MiniLM:
    """Let a head add nothing: the rows of W_O that multiply its output become 0.

    Michel, Levy and Neubig 2019 hide heads in this way, to see which are needed.

    Parameters
    ----------
    model : MiniLM
    block, head : int
        Counted from 0.
    num_heads : int

    Returns
    -------
    MiniLM
        A new one; the given model does not change.

    Raises
    ------
    ValueError
        If there is no such block or head.
    """
    if not (0 <= block < len(model.blocks) and 0 <= head < num_heads):
        raise ValueError(f"no head {head} of {num_heads} in block {block} of {len(model.blocks)}")
    whole = model.blocks[block]
    W_O = np.array(whole.attention.W_O)
    d_v = len(W_O) // num_heads
    W_O[head * d_v : (head + 1) * d_v] = 0
    blocks = list(model.blocks)
    blocks[block] = whole._replace(attention=whole.attention._replace(W_O=W_O))
    return model._replace(blocks=blocks)


def relative_change(output: np.ndarray, without: np.ndarray) -> np.ndarray:
    """Compute by what share of its length each row changes: ‖output - without‖ / ‖output‖.

    Parameters
    ----------
    output, without : (..., n, d)

    Returns
    -------
    (..., n)

    Examples
    --------
    >>> relative_change(np.array([[3.0, 4.0]]), np.array([[3.0, 3.0]]))
    array([0.2])
    """
    return np.linalg.norm(output - without, axis=-1) / np.linalg.norm(output, axis=-1)


def cosine(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Compare the rows of a with those of b: a · b / (‖a‖ ‖b‖).

    Parameters
    ----------
    a, b : (..., d)

    Returns
    -------
    (...)

    Examples
    --------
    >>> cosine(np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([3.0, 0.0])).round(4)
    array([1.    , 0.7071])
    """
    lengths = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    return (a * b).sum(axis=-1) / lengths


def minilm_heads() -> list[Heads]:
    """Give what was recorded of each of SENTENCES.

    Examples
    --------
    >>> river = minilm_heads()[0]
    >>> river.tokens
    ['[CLS]', 'i', 'sat', 'on', 'the', 'river', 'bank', 'to', 'fish', '.', '[SEP]']
    >>> river.weights[0, 4, 6, 5].item()  # block 1, head 5: bank gives this much to river
    0.838
    """
    with np.load(FILE) as file:
        return [
            Heads(
                file[f"tokens {i}"].tolist(),
                *(file[f"{name} {i}"] / steps for name, steps in STEPS.items()),
            )
            for i in range(len(SENTENCES))
        ]


def shared_words() -> tuple[np.ndarray, np.ndarray]:
    """Give how alike the word of SHARED ends in both sentences of its pair.

    Returns
    -------
    whole : (4,)
        The cosine of its two last states.
    without : (4, blocks, heads)
        The same with one head hidden in both sentences.

    Examples
    --------
    >>> shared_words()[0]
    array([0.7491, 0.8578, 0.9824, 0.9742])
    """
    with np.load(FILE) as file:
        steps = STEPS["distance"]
        return file["whole"] / steps, file["without"] / steps


def lost(
    model: MiniLM, whole: list[Trace], block: int, head: int
) -> tuple[list[np.ndarray], list[np.ndarray], np.ndarray]:
    """Hide one head, run the model again, and compare.

    Parameters
    ----------
    model : MiniLM
    whole : list of Trace
        What the whole model made of SENTENCES.
    block, head : int
        Counted from 0.

    Returns
    -------
    change, distance : for each sentence, (n,)
        As in Heads.
    shared : (4,)
        As in shared_words, without the head.
    """
    num_heads = whole[0].weights.shape[1]
    hidden = hide_head(model, block, head, num_heads)
    change, distance, traces = [], [], []
    for sentence, before in zip(SENTENCES, whole, strict=True):
        after = hidden_states(hidden, sentence)
        x = before.states[block]
        output, without = (
            multi_head_attention(
                x, x, x, each.blocks[block].attention, num_heads, return_weights=True
            )[0]
            for each in (model, hidden)
        )
        change.append(relative_change(output, without))
        distance.append(1 - cosine(before.states[-1], after.states[-1]))
        traces.append(after)
    return change, distance, _shared(traces)


def compute(model: MiniLM) -> dict[str, np.ndarray]:
    """Run the model on SENTENCES, whole and with each head hidden; the arrays are the file's."""
    whole = [hidden_states(model, sentence) for sentence in SENTENCES]
    found = {}
    for i, trace in enumerate(whole):
        nothing = np.zeros((*trace.weights.shape[:2], len(trace.tokens)))
        found |= {f"weights {i}": trace.weights}
        found |= {f"change {i}": nothing, f"distance {i}": nothing.copy()}
    found["whole"] = _shared(whole)
    found["without"] = np.zeros((len(SHARED), *whole[0].weights.shape[:2]))
    for block, head in np.ndindex(whole[0].weights.shape[:2]):
        change, distance, found["without"][:, block, head] = lost(model, whole, block, head)
        for i in range(len(whole)):
            found[f"change {i}"][block, head] = change[i]
            found[f"distance {i}"][block, head] = distance[i]
    rounded = {
        name: np.rint(array * STEPS.get(name.split()[0], STEPS["distance"])).astype(np.uint16)
        for name, array in found.items()
    }
    return rounded | {f"tokens {i}": np.array(trace.tokens) for i, trace in enumerate(whole)}


def _shared(traces: list[Trace]) -> np.ndarray:
    """Compare the last states of each word of SHARED in the two sentences of its pair."""
    ends = [trace.states[-1, trace.tokens.index(SHARED[i // 2])] for i, trace in enumerate(traces)]
    return cosine(np.stack(ends[::2]), np.stack(ends[1::2]))


def write(model: MiniLM) -> None:
    """Write the file."""
    np.savez_compressed(FILE, **compute(model))  # type: ignore[arg-type]


if __name__ == "__main__":
    write(load_minilm())
