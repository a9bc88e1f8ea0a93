"""The attention equation as boxes of true proportions: one sequence, or two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets import bank_by_hand as hand
from snippets import translation_example as tr
from snippets.attention import attention_scores, attention_weights
from snippets.softmax import softmax

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
            240,
            32,
            rf"$\operatorname{{Attention}}({st.Q}, {st.K}, {st.V}) = {st.SOFTMAX} {st.V}$",
            anchor="middle",
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
        st.text(
            250, 226, r"÷ $\sqrt{d_k}$, then softmax of each row", anchor="middle", cls="vk-muted"
        ),
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
        left=22.8,
        right=460.5,
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


def cross_data(
    tokens: Any = tr.tokens,
    tokens_kv: Any = tr.tokens_kv,
    features: Any = tr.features,
    Q: Any = tr.Q,
    K: Any = tr.K,
    V: Any = tr.V,
    alpha: Any = tr.alpha,
    Z: Any = tr.Z,
) -> dict[str, Any]:
    """Return the translation made by hand: French queries, English keys and values."""
    return {
        "tokens": tokens,
        "tokens_kv": tokens_kv,
        "features": features,
        "Q": Q,
        "K_T": K.T,
        "weights": alpha,
        "V": V,
        "Z": Z,
    }


def draw_cross(data: Mapping[str, Any]) -> str:
    """Draw queries of one sequence against keys of another: weights that are not square."""
    Q, K_T, weights = data["Q"], data["K_T"], data["weights"]
    (n, m), cell = weights.shape, (62, 34)
    x, y = 208, 150
    x_Q, y_K = 96, 66
    width, height = m * cell[0], n * cell[1]
    parts = [
        st.text(x + width, 20, f"English, $m$ = {m}: keys", anchor="end", cls="vk-key"),
        st.tokens_across(x, y_K - 10, data["tokens_kv"], cell[0]),
        st.text(x - 14, y_K + 30, "$K^T$", anchor="end", size=18, cls="vk-key"),
        st.heat_map(x, y_K, K_T, "key", (cell[0], 24), decimals=0, size=st.SMALL),
        st.text(16, y - 32, "French,", cls="vk-query"),
        st.text(16, y - 12, f"$n$ = {n}: queries", cls="vk-query"),
        st.tokens_down(x_Q - 12, y, data["tokens"], cell[1], marked=None),
        st.heat_map(x_Q, y, Q, "query", (44, cell[1]), decimals=0, size=st.SMALL),
        st.heat_map(x, y, weights, "score", cell, size=st.SMALL),
        st.text(x_Q + 44, y + height + 24, f"$Q$, {n} × 2", anchor="middle", cls="vk-query"),
        st.text(
            x + width / 2,
            y + height + 24,
            f"weights $α$, {n} × {m}; each row sums to 1",
            anchor="middle",
            cls="vk-score",
        ),
    ]
    applied, bottom = _applied(data, y + height + 64)
    return st.figure_svg(
        "cross-attention",
        "Cross-attention",
        f"{n} queries from one sequence, {', '.join(data['tokens'])}, meet the {m} keys of another."
        f" The weights are {n} by {m}, each row summing to 1, and the largest lie where word and"
        f" translation meet; times the {m} values they give {n} context vectors, a row for every"
        " query.",
        bottom,
        parts + applied,
        left=15.3,
        right=457.5,
    )


def _applied(data: Mapping[str, Any], y: float) -> tuple[list[str], float]:
    """Draw the values, and below them what each query has read from them."""
    V, Z = data["V"], data["Z"]
    (m, d_v), n, cell = V.shape, len(Z), (62, 26)
    x = 110
    columns = [
        st.text(
            x + (j + 0.5) * cell[0], y + 18, name, anchor="middle", cls="vk-muted", size=st.SMALL
        )
        for j, name in enumerate(data["features"])
    ]
    y_V = y + 28
    y_Z = y_V + m * cell[1] + 62
    middle = x + d_v * cell[0] / 2
    parts = [
        *columns,
        st.tokens_down(x - 12, y_V, data["tokens_kv"], cell[1], marked=None),
        st.heat_map(x, y_V, V, "value", cell, decimals=0, size=st.SMALL),
        st.text(16, y_V - 10, "$V$", cls="vk-value", size=18),
        st.arrow([(middle, y_V + m * cell[1] + 8), (middle, y_Z - 10)], "value"),
        st.text(
            middle + 14,
            y_V + m * cell[1] + 36,
            "weights $α$ times $V$",
            cls="vk-muted",
            coloured=True,
        ),
        st.tokens_down(x - 12, y_Z, data["tokens"], cell[1], marked=None),
        st.text(16, y_Z - 10, "$Z$ = $αV$", cls="vk-value", size=16),
        st.heat_map(x, y_Z, Z, "value", cell, size=st.SMALL),
    ]
    return parts, y_Z + n * cell[1] + 14


ASKING = [hand.tokens.index("river"), hand.BANK]
EARLIER = np.where(np.tri(hand.n, dtype=bool)[ASKING], 0, -np.inf)
MASKED = softmax(hand.scaled_scores[ASKING] + EARLIER)


def sums_data(
    tokens: Any = hand.tokens,
    alpha: Any = hand.alpha[ASKING],
    alpha_masked: Any = MASKED,
) -> dict[str, Any]:
    """Return two rows of weights, without and with a causal mask."""
    return {"tokens": tokens, "maps": [alpha, alpha_masked]}


def draw_sums(data: Mapping[str, Any]) -> str:
    """Draw both maps with the sums of their rows and columns."""
    tokens, left, cell, parts = data["tokens"], 62.0, (35.0, 30.0), []
    right = left + cell[0] * len(tokens)
    for top, words, weights in zip(
        (76, 256), ("without a mask", "with a causal mask"), data["maps"], strict=True
    ):
        low = top + 2 * cell[1]
        parts += [
            st.text(12, top - 50, words, bold=True),
            st.tokens_across(left, top - 10, tokens, cell[0]),
            st.tokens_down(left - 10, top, ["river", "bank"], cell[1], marked=None),
            st.heat_map(left, top, weights, "score", cell, size=st.SMALL),
            st.text(right + 26, top - 10, "sum", anchor="middle", cls="vk-muted", size=st.SMALL),
            *(
                st.text(right + 26, top + (i + 0.5) * cell[1] + 5, f"{total:.2f}", anchor="middle")
                for i, total in enumerate(weights.sum(axis=1))
            ),
            st.path(f"M{left} {low + 6}H{st.num(right)}"),
            st.text(left - 10, low + 26, "sum", anchor="end", cls="vk-muted", size=st.SMALL),
            *(
                st.text(
                    left + (j + 0.5) * cell[0],
                    low + 26,
                    f"{total:.2f}",
                    anchor="middle",
                    cls="vk-muted",
                    size=st.SMALL,
                )
                for j, total in enumerate(weights.sum(axis=0))
            ),
        ]
    return st.figure_svg(
        "row-and-column-sums",
        "Sums of the rows and of the columns",
        "Two rows of weights, of river and bank, without and with a causal mask. Each row sums to"
        f" 1. The columns do not: without a mask from {data['maps'][0].sum(axis=0).min():.2f} to"
        f" {data['maps'][0].sum(axis=0).max():.2f}.",
        256 + 2 * cell[1] + 36,
        parts,
        left=12,
        right=right + 42,
    )
