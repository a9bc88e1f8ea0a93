"""Sinusoidal positions: their pattern, and how far apart two of them are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets.positional_encoding import sinusoidal_positions

LEVELS = 12


def data() -> dict[str, Any]:
    """Return 32 positions of 32 numbers, and the first one's dot product with each."""
    positions = sinusoidal_positions(32, 32)
    return {"positions": positions, "dots": positions @ positions[0]}


def draw(data: Mapping[str, Any]) -> str:
    """Draw the encoding as a heat map; below, dot products that fall with distance."""
    positions, dots = data["positions"], data["dots"]
    n, d = positions.shape
    x, y, cell = 64, 54, 11
    levels = np.clip(((positions + 1) / 2 * LEVELS).astype(int), 0, LEVELS - 1)
    opacities = np.linspace(st.FAINT, 0.95, LEVELS).round(2)
    right, bottom = x + d * cell, y + n * cell
    parts = [
        st.text(
            x + d * cell / 2, 20, "dimension →", anchor="middle", cls="vk-muted", size=st.SMALL
        ),
        st.text(x - 12, 20, "position ↓", anchor="middle", cls="vk-muted", size=st.SMALL),
        *(
            st.text(x + (t + 0.5) * cell, y - 10, str(t), anchor="middle", cls="vk-muted", size=13)
            for t in (0, 8, 16, 24, 31)
        ),
        *(
            st.text(x - 10, y + (t + 0.5) * cell + 5, str(t), anchor="end", cls="vk-muted", size=13)
            for t in (0, 8, 16, 24, 31)
        ),
        st.shades(x, y, levels, "input", (cell, cell), opacities.tolist()),
        st.shades(
            right + 18, y, np.arange(LEVELS)[::-1, None], "input", (14, 14), opacities.tolist()
        ),
        st.text(right + 38, y + 11, "1", cls="vk-muted", size=13),
        st.text(right + 38, y + 14 * LEVELS / 2 + 5, "0", cls="vk-muted", size=13),
        st.text(right + 38, y + 14 * LEVELS, "−1", cls="vk-muted", size=13),
    ]
    top, floor = bottom + 62, bottom + 212
    xs = x + (np.arange(n) + 0.5) * cell
    ys = np.interp(dots, (0, d / 2), (floor, top))
    parts += [
        st.text(x, top - 24, "dot product of position 0 with each position", size=16),
        *(
            st.path(f"M{x} {st.num(level)}H{right}", width=1 if tick == 0 else 0.5)
            + st.text(x - 10, level + 5, str(tick), anchor="end", cls="vk-muted", size=13)
            for tick in (0, d // 4, d // 2)
            for level in (float(np.interp(tick, (0, d / 2), (floor, top))),)
        ),
        *(
            st.text(
                x + (t + 0.5) * cell, floor + 20, str(t), anchor="middle", cls="vk-muted", size=13
            )
            for t in (0, 8, 16, 24, 31)
        ),
        st.path(st.polyline(zip(xs, ys, strict=True)), cls="score", width=2),
        *(st.dot(a, b, 3, "score") for a, b in zip(xs, ys, strict=True)),
    ]
    return st.figure_svg(
        "positional-encoding",
        "Positional encoding",
        f"A heat map of {n} positions by {d} dimensions, values from −1 to 1: sine and cosine in"
        " turn, fast in the first dimensions and hardly in the last. Below, the dot product"
        f" of position 0 with each: {dots[0]:.1f} with itself, {dots[1]:.1f} with the next,"
        f" {dots.min():.1f} at the lowest, position {dots.argmin()}: it falls, but not"
        " at every step.",
        floor + 36,
        parts,
    )
