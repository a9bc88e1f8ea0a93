"""Every head of a real model on one sentence: 72 small maps.

The script ``docs/javascripts/own-sentence.js`` draws the same maps for a reader's own sentence, if
the model's weights are on the site: `python -m figures.weights` puts them there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from figures import style as st
from figures import touch
from snippets.minilm_8bit import differences
from snippets.minilm_heads import minilm_heads

SIDE, PITCH = 31, 35  # of a map; from map to map
LEFT, TOP = 58, 26  # of the first
LEAST = (0.125, 0.375, 0.625, 0.875)  # the weights at which a shade begins
SHADES = (0.25, 0.5, 0.75, 1.0)
BLOCK, HEAD = 0, 4  # the head that is chosen first, counted from 0


def data() -> dict[str, Any]:
    """Return the tokens and maps of the first recorded sentence, and the bytes of the weights."""
    first = minilm_heads()[0]
    return {"tokens": first.tokens, "weights": first.weights, "bytes": differences().size}


def draw(data: Mapping[str, Any]) -> str:
    """Draw a row of maps for each block; in a map, queries go down and keys across."""
    weights, tokens = data["weights"], data["tokens"]
    blocks, heads, *_ = weights.shape
    parts = [
        st.text(
            LEFT + PITCH * h + SIDE / 2, 17, str(h + 1), anchor="middle", cls="vk-muted", size=14
        )
        for h in range(heads)
    ]
    for b in range(blocks):
        y = TOP + PITCH * b
        parts.append(
            st.text(
                LEFT - 8, y + SIDE / 2 + 5, f"block {b + 1}", anchor="end", cls="vk-muted", size=13
            )
        )
        parts += [_map(LEFT + PITCH * h, y, weights[b, h]) for h in range(heads)]
    chosen = st.outline(LEFT + PITCH * HEAD - 1, TOP + PITCH * BLOCK - 1, SIDE + 2, SIDE + 2)
    parts.append(touch.part("chosen", chosen))
    svg = st.figure_svg(
        "own-sentence",
        f"{blocks * heads} heads on one sentence",
        f"A map for each of {blocks} blocks of {heads} heads, on the tokens {' '.join(tokens)}."
        " Queries go down and keys across; a stronger colour is a larger weight.",
        TOP + PITCH * blocks + 2,
        parts,
        left=6.9,
        right=475.5,
    )
    start = {
        "tokens": tokens,
        "bytes": data["bytes"],
        "block": BLOCK,
        "head": HEAD,
        "asks": tokens.index("bank"),
        "grid": [LEFT, TOP, PITCH, SIDE],
        "least": LEAST,
    }
    return touch.touchable(
        "own-sentence",
        svg,
        start,
        hint=(
            "Choose a head, or type a sentence. The weights of the model are loaded "
            "only if you press the button, which says how large they are. The sentence "
            "stays in your browser."
        ),
    )


def _map(x: float, y: float, weights: npt.NDArray[np.float64]) -> str:
    """Draw a map: a path for each shade, of strokes down the cells."""
    cell = SIDE / len(weights)
    levels = np.searchsorted(LEAST, weights, side="right")
    paths = "".join(
        f'<path stroke-opacity="{shade:g}" d="{_strokes(levels == level)}"/>'
        for level, shade in enumerate(SHADES, 1)
    )
    place = f"translate({x + cell / 2:.2f} {y:g}) scale({cell:.4f})"
    ground = st.rect(x, y, SIDE, SIDE, cls="vk-score", opacity=0.06, radius=0)
    return touch.group(
        "map", [ground, f'<g class="vk-score vk-stroke" transform="{place}">{paths}</g>']
    )


def _strokes(cells: npt.NDArray[np.bool_]) -> str:
    """Write the cells of one shade, those below one another as one stroke."""
    strokes = []
    for j, column in enumerate(cells.T):
        edges = np.flatnonzero(np.diff(column.astype(int), prepend=0, append=0)).tolist()
        strokes += [f"M{j} {a}v{b - a}" for a, b in zip(edges[::2], edges[1::2], strict=True)]
    return "".join(strokes)
