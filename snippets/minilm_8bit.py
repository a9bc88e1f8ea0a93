"""The real model in 8 bits a number: small enough to be sent to a browser.

Each row of a matrix becomes integers from -127 to 127 and one scale. The model's weights are under
the Apache License 2.0. `python -m snippets.minilm_8bit` compares the two models and writes the file
of differences again.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from snippets.minilm import MiniLM, arrays_of, hidden_states, load_minilm
from snippets.minilm_heads import SENTENCES
from snippets.multi_head import MultiHeadWeights
from snippets.quantized_cache import dequantize, quantize
from snippets.transformer_block import BlockWeights

FILE = Path(__file__).parent / "data" / "minilm_8bit.npz"
LICENCE = (
    "Weights of sentence-transformers/all-MiniLM-L6-v2, Apache License 2.0,"
    " https://www.apache.org/licenses/LICENSE-2.0; changed: rounded to 8 bits"
)


class Differences(NamedTuple):
    """What 8 bits change in the maps of all heads on some sentences."""

    largest: np.ndarray  # (sentences, blocks, heads), the largest difference of two weights
    rows: int  # of all maps
    same: int  # rows in which the largest weight is on the same token
    size: int  # of the file in bytes


def quantize_rows(W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Turn each row into integers from -127 to 127, its largest entry into one of the two.

    Parameters
    ----------
    W : (..., d_out, d_in)

    Returns
    -------
    codes : (..., d_out, d_in), int8
    scale : (..., d_out, 1)
        The row is about codes times this; of a row of zeros it is 1.

    Examples
    --------
    >>> codes, scale = quantize_rows(np.array([[0.5, -1.27], [0.0, 0.0]]))
    >>> codes
    array([[  50, -127],
           [   0,    0]], dtype=int8)
    >>> scale.round(4)
    array([[0.01],
           [1.  ]])
    """
    largest = np.abs(W).max(axis=-1, keepdims=True)
    scale = np.where(largest == 0, 1, largest / 127).astype(W.dtype)
    return quantize(W, scale, low=-127, high=127, group=W.shape[-1]), scale


def pack(model: MiniLM) -> bytes:
    """Write the model as a file of the format safetensors: codes, scales and vectors.

    Of a matrix W, which has its input on its left, the rows of its transpose are kept, one for
    each number that it makes; the tables of tokens and positions have a row for each.

    Returns
    -------
    bytes
        The length of the header (8 bytes), the header (JSON), and the arrays.
    """
    vectors = {"sentence": model.sentence, "gain": model.gain, "bias": model.bias}
    matrices = {"words": model.words, "positions": model.positions}
    for number, block in enumerate(model.blocks):
        parts = {**block.attention._asdict(), **block._asdict()}
        del parts["attention"]
        for name, array in parts.items():
            if array.ndim == 1:
                vectors[f"{number}.{name}"] = array
            else:
                matrices[f"{number}.{name}"] = array.T
    codes = {}
    for name, matrix in matrices.items():
        codes[name], scale = quantize_rows(matrix)
        vectors[f"{name}.scale"] = scale
    # Numbers of 32 bits begin at a multiple of 4, so they come first.
    arrays = {name: np.asarray(array, "<f4") for name, array in vectors.items()} | codes
    header: dict[str, object] = {
        "__metadata__": {"vocabulary": "\n".join(model.vocabulary), "licence": LICENCE}
    }
    place = 0
    for name, array in arrays.items():
        dtype = "I8" if array.dtype == np.int8 else "F32"
        offsets = [place, place + array.nbytes]
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": offsets}
        place += array.nbytes
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    start = len(text).to_bytes(8, "little")
    return b"".join([start, text, *(np.ascontiguousarray(a).tobytes() for a in arrays.values())])


def unpack(data: bytes) -> MiniLM:
    """Read what pack has written; the numbers are those of the codes, in float32."""
    arrays, metadata = arrays_of(np.frombuffer(data, np.uint8))
    whole = {
        name: dequantize(array, arrays[f"{name}.scale"], group=array.shape[-1])
        if array.dtype == np.int8
        else array
        for name, array in arrays.items()
    }

    def read(number: int, name: str) -> np.ndarray:
        return whole[f"{number}.{name}"].T

    return MiniLM(
        vocabulary={token: i for i, token in enumerate(metadata["vocabulary"].split("\n"))},
        **{name: whole[name] for name in ("words", "positions", "sentence", "gain", "bias")},
        blocks=[
            BlockWeights(
                MultiHeadWeights(*(read(number, name) for name in MultiHeadWeights._fields)),
                *(read(number, name) for name in BlockWeights._fields[1:]),
            )
            for number in range(sum(name.endswith(".W_Q") for name in whole))
        ],
    )


def compare(model: MiniLM, sentences: Sequence[str] = SENTENCES) -> Differences:
    """Compare what the heads attend to with what they do after `pack` and `unpack`."""
    data = pack(model)
    rounded = unpack(data)
    largest, rows, same = [], 0, 0
    for sentence in sentences:
        maps, others = (hidden_states(each, sentence).weights for each in (model, rounded))
        largest.append(np.abs(maps - others).max(axis=(-2, -1)))
        first, second = maps.argmax(axis=-1), others.argmax(axis=-1)
        rows += first.size
        same += int((first == second).sum())
    return Differences(np.array(largest, np.float32), rows, same, len(data))


def differences() -> Differences:
    """Give what `compare` has found on SENTENCES, from its file.

    Examples
    --------
    >>> found = differences()
    >>> found.largest.shape, found.rows
    ((8, 6, 12), 6264)
    """
    with np.load(FILE) as file:
        return Differences(file["largest"], *(int(file[name]) for name in Differences._fields[1:]))


if __name__ == "__main__":
    np.savez_compressed(FILE, **compare(load_minilm())._asdict())
