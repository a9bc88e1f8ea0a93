"""Attention in einsum: a letter for each axis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st

# Sizes all differ, so that no axis can stand for another.
SIZES = {"b": 2, "h": 3, "q": 4, "k": 5, "d": 6, "v": 7, "c": 8}
STEPS = (
    ("project and split", "$X$", "$W_Q$", "$Q$", "bqc,chd->bhqd"),
    ("scores", "$Q$", "$K$", "$S$", "bhqd,bhkd->bhqk"),
    ("means of values", "$α$", "$V$", "heads", "bhqk,bhkv->bhqv"),
    ("join and project", "heads", "$W_O$", "output", "bhqv,hvc->bqc"),
)
HUES = {"q": "query", "k": "key", "d": "score", "v": "value", "c": "input"}


def data() -> dict[str, Any]:
    """Return each step's names and letters, and the shape that NumPy gives its result."""
    shapes = []
    for *_, letters in STEPS:
        factors = letters.split("->")[0].split(",")
        arrays = [np.ones([SIZES[letter] for letter in factor]) for factor in factors]
        shapes.append("x".join(map(str, np.einsum(letters, *arrays).shape)))
    return {"steps": [list(step) for step in STEPS], "shapes": shapes}


def draw(data: Mapping[str, Any]) -> str:
    """Draw a row for each step: two factors, and the result without the letters summed over."""
    cell, pitch, top = 26, 106, 66
    lefts = (18, 178, 354)
    parts = []
    for i, (step, *names, letters) in enumerate(data["steps"]):
        y = top + i * pitch
        inputs, result = letters.split("->")
        groups = (*inputs.split(","), result)
        places: dict[str, list[float]] = {}
        parts.append(st.text(18, y - 28, step, cls="vk-muted", size=st.SMALL))
        for x, name, group in zip(lefts, names, groups, strict=True):
            parts.append(
                st.text(x + len(group) * cell / 2, y - 8, name, anchor="middle", size=st.SMALL)
            )
            for j, letter in enumerate(group):
                hue = HUES.get(letter, "muted")
                parts.append(st.rect(x + j * cell, y, cell - 3, 28, cls=f"vk-{hue}", opacity=0.2))
                middle = x + j * cell + (cell - 3) / 2
                parts.append(st.text(middle, y + 19, letter, anchor="middle"))
                if x != lefts[2]:
                    places.setdefault(letter, []).append(middle)
        parts.append(st.arrow([(300, y + 14), (336, y + 14)]))
        gone = [letter for letter in places if letter not in result]
        for depth, letter in enumerate(gone):
            a, b = places[letter]
            low = y + 40 + 10 * depth
            parts.append(
                st.path(
                    f"M{st.num(a)} {y + 30}V{low}H{st.num(b)}V{y + 30}",
                    cls=HUES.get(letter, "muted"),
                    width=1.5,
                )
            )
    return st.figure_svg(
        "einsum-letters",
        "Attention, a letter for each axis",
        "Four products. "
        + " ".join(
            f"{step}: {letters.replace('->', ' gives ').replace(',', ' and ')}."
            for step, *_, letters in data["steps"]
        )
        + " Letters that are missing in the result are joined by a line: they are summed over.",
        top + len(data["steps"]) * pitch - 40,
        parts,
        left=16.6,
        right=456.5,
    )


def stacked_data(h: int = 3, d_model: int = 12, d_k: int = 4) -> dict[str, Any]:
    """Return which of the three matrices and which head each row of both stacks belongs to."""
    thirds = np.repeat(np.arange(3), d_model)
    heads = np.tile(np.repeat(np.arange(h), d_k), 3)
    by_head = np.stack([x.reshape(3, h, d_k).swapaxes(0, 1).ravel() for x in (thirds, heads)])
    return {"thirds": np.stack([thirds, heads]), "by head": by_head, "height": d_k}


def draw_stacked(data: Mapping[str, Any]) -> str:
    """Draw both stacks as columns of blocks, with the numbers of their rows."""
    high, top, wide, parts, said = 10.0, 42.0, 116.0, [], []
    hues = (("query", "Q"), ("key", "K"), ("value", "V"))
    for left, name, words in (
        (12.0, "thirds", "nn.MultiheadAttention: thirds"),
        (252.0, "by head", "GPT-NeoX, BLOOM: by head"),
    ):
        parts.append(st.text(left, 22, words, bold=True, size=st.SMALL))
        matrices, heads = data[name]
        order = []
        for first in range(0, len(heads), data["height"]):
            hue, letter = hues[int(matrices[first])]
            y, tall = top + high * first, high * data["height"]
            last = first + data["height"] - 1
            parts += [
                st.rect(left, y + 1, wide, tall - 2, cls=f"vk-{hue}", opacity=0.4),
                st.text(
                    left + wide / 2,
                    y + tall / 2 + 5,
                    f"${letter}$, head {heads[first]}",
                    anchor="middle",
                ),
                st.text(
                    left + wide + 10,
                    y + tall / 2 + 5,
                    f"rows {first} to {last}",
                    cls="vk-muted",
                    size=st.SMALL,
                ),
            ]
            order.append(f"{letter} {heads[first]}")
        said.append(f"{words}: {', '.join(order)}")
    rows = data["thirds"].shape[1]
    return st.figure_svg(
        "stacked-projections",
        "Two orders of one stacked matrix",
        f"Two columns of {rows} rows, in blocks of one matrix and one head. "
        + "; ".join(said)
        + ".",
        top + high * rows + 8,
        parts,
        left=12,
        right=462,
    )
