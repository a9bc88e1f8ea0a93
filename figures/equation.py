"""The attention equation as boxes of true proportions: one sequence, or two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets import running_example as ex
from snippets.attention import attention_scores, attention_weights
from snippets.projection import project
from snippets.torch_random import TorchRandom

UNIT = 17  # side of one number


def equation_data() -> dict[str, Any]:
    """Return the shapes, read off arrays that went through the equation."""
    Q, K, V = np.zeros((4, 3)), np.zeros((6, 3)), np.zeros((6, 5))
    scores = attention_scores(Q, K)
    weights = attention_weights(scores, scale=1 / np.sqrt(3))
    arrays = {"Q": Q, "K_T": K.T, "scores": scores, "weights": weights, "V": V, "Z": weights @ V}
    return {name: array.shape for name, array in arrays.items()}


def draw_equation(data: Mapping[str, Any]) -> str:
    """Q times Kᵀ gives scores; softmax makes weights of them; weights times V give Z."""
    parts = [
        st.text(
            240, 26, "Attention$(Q, K, V)$ = softmax$(QK^T$ / √$d_k)$ $V$", anchor="middle", size=18
        )
    ]
    lines = (
        (
            136,
            (
                ("Q", "query", "$Q$", "n", "d_k"),
                ("K_T", "key", "$K^T$", "d_k", "m"),
                ("scores", "score", "$QK^T$", "n", "m"),
            ),
        ),
        (
            366,
            (
                ("weights", "score", "$α$", "n", "m"),
                ("V", "value", "$V$", "m", "d_v"),
                ("Z", "value", "$Z$", "n", "d_v"),
            ),
        ),
    )
    for middle, boxes in lines:
        for centre, box in zip((92, 248, 408), boxes, strict=True):
            parts.append(_box(centre, middle, data[box[0]], *box[1:]))
    parts += [
        *(
            st.text(x, y + 7, sign, anchor="middle", size=20, bold=sign == "·")
            for x, y, sign in ((143, 136, "·"), (318, 136, "="), (161, 366, "·"), (318, 366, "="))
        ),
        st.path("M408 182v52", cls="score", width=1.5),
        st.arrow([(408, 234), (92, 234), (92, 292)], "score"),
        st.text(250, 226, "÷ √$d_k$, then softmax of each row", anchor="middle", cls="vk-muted"),
    ]
    n, d_k = data["Q"]
    m, d_v = data["V"]
    parts.append(
        st.text(
            240,
            456,
            f"drawn for $n$ = {n}, $m$ = {m}, $d_k$ = {d_k}, $d_v$ = {d_v}",
            anchor="middle",
            cls="vk-muted",
            size=st.SMALL,
        )
    )
    return st.figure_svg(
        "attention-equation",
        "The attention equation",
        "Boxes of true proportions. Q, n by d_k, times K transposed, d_k by m, gives the scores,"
        " n by m. Divided by the root of d_k and put through softmax they are the weights, n by m;"
        " times V, m by d_v, they give Z, n by d_v.",
        472,
        parts,
    )


def _box(
    x: float, y: float, shape: tuple[int, int], hue: str, name: str, rows: str, columns: str
) -> str:
    """Draw a matrix about its middle, its name inside, its sizes at its sides."""
    height, width = shape[0] * UNIT, shape[1] * UNIT
    left, top = x - width / 2, y - height / 2
    return "\n".join(
        [
            st.sheet(left, top, width, height, hue),
            st.text(x, y + 6, name, anchor="middle", size=18),
            st.text(left - 9, y + 5, f"${rows}$", anchor="end", cls="vk-muted"),
            st.text(x, top - 9, f"${columns}$", anchor="middle", cls="vk-muted"),
        ]
    )


def cross_data() -> dict[str, Any]:
    """Return queries from four other rows, keys and values from the running example's six."""
    random = TorchRandom(123)
    random.rand(18)  # the running example's three weights
    other = random.rand(4, 3).astype(np.float64)
    Q = project(other, ex.W_Q)
    weights = attention_weights(attention_scores(Q, ex.K), scale=1 / np.sqrt(ex.d_k))
    return {
        "tokens": ex.tokens,
        "other": other,
        "Q": Q,
        "K_T": ex.K.T,
        "weights": weights,
        "V": ex.V,
        "Z": weights @ ex.V,
    }


def draw_cross(data: Mapping[str, Any]) -> str:
    """Draw queries of one sequence against keys of another: weights that are not square."""
    Q, K_T, weights, V, Z = (data[name] for name in ("Q", "K_T", "weights", "V", "Z"))
    (n, m), cell = weights.shape, (47, 32)
    x, y = 192, 150
    x_Q, y_K = 104, 68
    width, height = m * cell[0], n * cell[1]
    y_V = y + height + 74
    parts = [
        st.text(
            x + width,
            20,
            f"another sequence, $m$ = {m}: keys and values",
            anchor="end",
            cls="vk-key",
        ),
        st.tokens_across(x, y_K - 10, data["tokens"], cell[0]),
        st.text(x - 14, y_K + 28, "$K^T$", anchor="end", size=18, cls="vk-key"),
        st.heat_map(x, y_K, K_T, "key", (cell[0], 24), size=st.SMALL),
        st.text(16, y - 30, "one sequence,", cls="vk-query"),
        st.text(16, y - 10, f"$n$ = {n}: queries", cls="vk-query"),
        *(
            st.text(
                x_Q - 12, y + (i + 0.5) * cell[1] + 5, f"row {i + 1}", anchor="end", cls="vk-muted"
            )
            for i in range(n)
        ),
        st.heat_map(x_Q, y, Q, "query", (38, cell[1]), size=st.SMALL),
        st.heat_map(x, y, weights, "score", cell, decimals=3, size=st.SMALL),
        st.text(x_Q + 38, y + height + 24, "$Q$, 4 × 2", anchor="middle", cls="vk-query"),
        st.text(
            x + width / 2,
            y + height + 24,
            f"weights $α$, {n} × {m}; each row sums to 1",
            anchor="middle",
            cls="vk-score",
        ),
    ]
    parts += _applied(weights, V, Z, y_V)
    return st.figure_svg(
        "cross-attention",
        "Cross-attention",
        f"{n} queries from one sequence meet the {m} keys of another. The weights are {n} by {m},"
        f" each row summing to 1; times the {m} values they give {n} context vectors, a row for"
        " every query.",
        y_V + m * 30 + 16,
        parts,
    )


def _applied(weights: Any, V: Any, Z: Any, y: float) -> list[str]:
    """Draw weights times values, with the sizes of both sequences."""
    n, m = weights.shape
    cell = (46, 30)
    middle = y + m * cell[1] / 2
    x_a, x_V, x_Z = 58, 230, 374
    return [
        st.heat_map(x_a, middle - n * 9, weights, "score", (18, 18), decimals=None),
        st.text(x_a + 9 * m, middle - n * 9 - 12, "$α$", anchor="middle", size=18, cls="vk-score"),
        st.text((x_a + 18 * m + x_V) / 2, middle + 6, "·", anchor="middle", size=20, bold=True),
        st.heat_map(x_V, y, V, "value", cell, size=st.SMALL),
        st.text(x_V + cell[0], y - 10, f"$V$, {m} × 2", anchor="middle", cls="vk-value"),
        st.text((x_V + 2 * cell[0] + x_Z) / 2, middle + 6, "=", anchor="middle", size=20),
        st.heat_map(x_Z, middle - n * 15, Z, "value", cell, size=st.SMALL),
        st.text(
            x_Z + cell[0], middle - n * 15 - 10, f"$Z$, {n} × 2", anchor="middle", cls="vk-value"
        ),
    ]
