"""A linear layer as one matrix, cut into chunks: what the mask gives and what the state gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets.gated_delta import token_matrix

TOKENS, CHUNK, WIDTH = 12, 4, 3


def data() -> dict[str, Any]:
    """Return the matrix of a layer with decay and delta rule, on random unit keys."""
    draw = np.random.default_rng(1)
    q, k = draw.standard_normal((2, TOKENS, WIDTH))
    q, k = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (q, k))
    beta, g = draw.uniform(0.3, 1, (TOKENS, 1)), -draw.uniform(0, 0.2, (TOKENS, 1))
    return {"matrix": token_matrix(q, k, log_decay=g, beta=beta).round(3)}


def draw(data: Mapping[str, Any]) -> str:
    """Cells shaded by size; a box around each chunk, and around what comes through the state."""
    side, left, top = 27, 40, 56
    sizes = np.abs(data["matrix"])
    levels = np.interp(sizes, (0, sizes.max()), (st.FAINT, st.FULL))
    parts = [st.text(left, 28, "what each token (down) takes from each (across)")]
    for t in range(TOKENS):
        for s in range(t + 1):
            hue = "vk-petrol" if t // CHUNK == s // CHUNK else "vk-rose"
            x, y = left + s * side, top + t * side
            parts.append(
                st.rect(x, y, side - 2, side - 2, cls=hue, opacity=round(float(levels[t, s]), 2))
            )
    for chunk in range(TOKENS // CHUNK):
        at, length = chunk * CHUNK * side, CHUNK * side - 2
        parts.append(st.rect(left + at, top + at, length, length, cls="vk-petrol", stroke=1.5))
        if chunk:
            parts.append(st.rect(left, top + at, at - 2, length, cls="vk-rose", stroke=1.5))
    x = left + TOKENS * side + 20
    for i, (hue, lines) in enumerate(
        (
            ("petrol", ("within a chunk:", "through the mask,", "at once")),
            ("rose", ("from earlier chunks:", "through the state,", f"of {WIDTH} rows")),
        )
    ):
        parts += [
            st.text(x, top + 80 + 100 * i + 20 * j, line, cls=f"vk-{hue}", size=st.SMALL)
            for j, line in enumerate(lines)
        ]
    return st.figure_svg(
        "chunks",
        "A linear layer in chunks",
        f"A lower triangle of {TOKENS} by {TOKENS} cells. Along its diagonal are three boxes of"
        f" {CHUNK} by {CHUNK}, computed through the mask. The boxes to the left of the second and"
        f" the third are computed through the state, which has {WIDTH} rows.",
        top + TOKENS * side + 16,
        parts,
        left=40,
        right=506,
    )


def matrices_data() -> dict[str, Any]:
    """Return the matrix from all tokens to all tokens, for three kinds of state."""
    draw = np.random.default_rng(0)
    Q, K = draw.standard_normal((2, 8, 3))
    Q, K = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (Q, K))
    beta, decay = draw.uniform(0, 1, (8, 1)), -draw.uniform(0, 0.5, (8, 1))
    return {
        "decay": token_matrix(Q, K, log_decay=decay),
        "delta rule": token_matrix(Q, K, beta=beta),
        "both": token_matrix(Q, K, log_decay=decay, beta=beta),
    }


def draw_matrices(data: Mapping[str, Any]) -> str:
    """Draw the three matrices, with one block below the diagonal outlined."""
    cell, pitch, top, cut, parts, said = 17.0, 162.0, 38.0, 4, [], []
    for i, (name, matrix) in enumerate(data.items()):
        x, n = 12 + pitch * i, len(matrix)
        parts += [
            st.text(x, 22, name, bold=True, size=st.SMALL),
            st.heat_map(x, top, matrix, "score", (cell, cell), decimals=None, full=0.9, gap=1),
            st.path(f"M{x:g} {top:g}" + f"h{cell:g}v{cell:g}" * n + f"H{x:g}z", cls="muted"),
            st.outline(x + 1, top + cut * cell + 1, cut * cell - 2, (n - cut) * cell - 2),
        ]
        block = matrix[cut:, :cut]
        said.append(f"{name}: rank {np.linalg.matrix_rank(block)}")
    parts.append(
        st.text(
            12,
            top + 8 * cell + 26,
            "outlined: what later tokens get from earlier ones",
            cls="vk-muted",
            size=st.SMALL,
        )
    )
    return st.figure_svg(
        "state-as-matrix",
        "The state as a matrix between tokens",
        "Three maps of 8 by 8 tokens, nothing above the diagonal, positive numbers blue and"
        f" negative ones orange. The outlined block of 4 by 4: {'; '.join(said)}.",
        top + 8 * cell + 38,
        parts,
        left=12,
        right=12 + 2 * pitch + 8 * cell,
    )
