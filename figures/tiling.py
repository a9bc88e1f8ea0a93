"""Attention in tiles: which are computed, what is kept, and what half precision does to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets.attention import scaled_dot_product_attention
from snippets.masks import causal_mask

TILES = 6
ROW, COLUMN = 4, 2  # the tile at work


def tiles_data() -> dict[str, Any]:
    """Return which tiles a causal mask leaves, and the one at work."""
    return {"computed": causal_mask(TILES), "at work": np.array([ROW, COLUMN])}


def draw_tiles(data: Mapping[str, Any]) -> str:
    """Draw a square of tiles; beside the row at work what is kept of it."""
    computed = data["computed"]
    row, column = data["at work"].tolist()
    x, y, cell = 92, 62, 54
    right = x + len(computed) * cell
    parts = [
        st.text((x + right) / 2, 24, "tiles of keys →", anchor="middle", cls="vk-key"),
        st.text(x - 14, y + 26, "tiles of", anchor="end", cls="vk-query", size=st.SMALL),
        st.text(x - 14, y + 44, "queries ↓", anchor="end", cls="vk-query", size=st.SMALL),
    ]
    for i, j in np.ndindex(*computed.shape):
        box = (x + j * cell + 2, y + i * cell + 2, cell - 4, cell - 4)
        done = i < row or (i == row and j < column)
        if (i, j) == (row, column):
            parts.append(st.rect(*box, cls="vk-score", opacity=0.85))
        elif not computed[i, j]:
            parts.append(st.rect(*box, cls="vk-line", stroke=1))
        else:
            parts.append(st.rect(*box, cls="vk-score", opacity=0.3 if done else 0.08))
    level = y + row * cell + cell / 2
    parts += [
        st.arrow([(right + 8, level), (right + 30, level)]),
        st.text(right + 38, level - 16, "largest", cls="vk-score", size=st.SMALL),
        st.text(right + 38, level + 4, "total", cls="vk-score", size=st.SMALL),
        st.text(right + 38, level + 24, "mixture", cls="vk-value", size=st.SMALL),
    ]
    bottom = y + len(computed) * cell + 24
    for i, (words, opacity) in enumerate((("done", 0.3), ("at work", 0.85), ("to come", 0.08))):
        parts += [
            st.rect(20 + 128 * i, bottom, 16, 16, cls="vk-score", opacity=opacity),
            st.text(44 + 128 * i, bottom + 13, words, cls="vk-muted", size=st.SMALL),
        ]
    parts += [
        st.rect(404, bottom, 16, 16, cls="vk-line", stroke=1),
        st.text(428, bottom + 13, "left out", cls="vk-muted", size=st.SMALL),
    ]
    return st.figure_svg(
        "tiles",
        "Attention in tiles",
        f"A square of {TILES} by {TILES} tiles. Rows are tiles of queries, columns tiles of keys."
        " Under a causal mask the tiles above the diagonal are left out. Beside the row at work are"
        " the three things that are kept: the largest score, the sum, and the mixture of values.",
        bottom + 32,
        parts,
        left=20,
    )


def _tiled_in(sums: Any, Q: Any, K: Any, V: Any) -> Any:
    """Attend in tiles with the running sums in a given type; the note shows this function."""
    Q, K, V = (x.astype(np.float32) for x in (Q, K, V))
    largest = np.full((len(Q), 1), -np.inf, np.float32)
    total = np.zeros((len(Q), 1), sums)
    mixture = np.zeros((len(Q), V.shape[1]), sums)
    for start in range(0, len(K), 16):
        k, v = K[start : start + 16], V[start : start + 16]
        scores = Q @ k.T / np.float32(np.sqrt(Q.shape[1]))
        higher = np.maximum(largest, scores.max(axis=1, keepdims=True))
        factor, exps = np.exp(largest - higher), np.exp(scores - higher)
        total = (factor * total + exps.sum(axis=1, keepdims=True)).astype(sums)
        mixture = (factor * mixture + exps @ v).astype(sums)
        largest = higher
    return (mixture / total).astype(np.float16)


def half_data() -> dict[str, Any]:
    """Return the largest error against the number of keys, for two types of sums."""
    keys = 2 ** np.arange(4, 13)
    found: dict[str, Any] = {"keys": keys}
    for sums in (np.float16, np.float32):
        errors = []
        for n in keys:
            rng = np.random.default_rng(0)
            half = [
                rng.standard_normal((rows, 16)).astype(np.float16) for rows in (32, int(n), int(n))
            ]
            half[2] += np.float16(1)
            exact = scaled_dot_product_attention(*(x.astype(float) for x in half))
            errors.append(np.abs(_tiled_in(sums, *half) - exact).max())
        found[sums.__name__] = np.array(errors).round(4)
    return found


def draw_half(data: Mapping[str, Any]) -> str:
    """Draw two lines over the number of keys."""
    keys = data["keys"]
    left, right, top, floor, high = 72, 452, 52, 232, 0.012
    xs = np.linspace(left, right, len(keys))
    parts = [
        st.text(left, 24, "largest error of the output"),
        *(
            st.path(f"M{left} {st.num(y)}H{right}", width=1 if tick == 0 else 0.5)
            + st.text(left - 10, y + 5, f"{tick:g}", anchor="end", cls="vk-muted", size=13)
            for tick in (0, 0.004, 0.008, 0.012)
            for y in (float(np.interp(tick, (0, high), (floor, top))),)
        ),
        *(
            st.text(float(x), floor + 20, f"{n:,}", anchor="middle", cls="vk-muted", size=13)
            for x, n in list(zip(xs, keys, strict=True))[::2]
        ),
        st.text(
            (left + right) / 2, floor + 42, "keys", anchor="middle", cls="vk-muted", size=st.SMALL
        ),
    ]
    for name, hue in (("float16", "rose"), ("float32", "petrol")):
        ys = np.interp(data[name], (0, high), (floor, top))
        line = [(float(x), float(y)) for x, y in zip(xs, ys, strict=True)]
        more = "" if name == "float16" else ' stroke-dasharray="7 4"'
        parts.append(st.path(st.polyline(line), cls=hue, width=2, more=more))
        parts += [st.dot(x, y, 3.5, hue) for x, y in line]
        parts.append(st.text(right + 10, line[-1][1] + 5, name, cls=f"vk-{hue}", size=st.SMALL))
    return st.figure_svg(
        "tiles-in-half-precision",
        "Tiles in half precision",
        f"The largest error of the output over {', '.join(map(str, keys))} keys. With running"
        f" sums in float16: {st.listed(data['float16'], 4)}. With sums in float32:"
        f" {st.listed(data['float32'], 4)}.",
        floor + 58,
        parts,
        left=30.9,
        right=505,
    )
