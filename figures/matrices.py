"""Matrices as heat maps: the input, the three projections, scores, weights, the transpose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets import pronoun_example as mary
from snippets import running_example as ex

LABEL = 78  # where the tokens beside a heat map end


def input_data() -> dict[str, Any]:
    """Return the tokens and their embeddings."""
    return {"tokens": ex.tokens, "X": ex.X}


def draw_input(data: Mapping[str, Any]) -> str:
    """Six tokens beside the heat map of their embeddings."""
    X, cell = data["X"], (84, 38)
    n, d_model = X.shape
    x, y = 128, 62
    width, height = d_model * cell[0], n * cell[1]
    parts = [
        st.text(x + width / 2, 20, f"$d_{{model}}$ = {d_model}", anchor="middle", cls="vk-muted"),
        st.path(f"M{x + 2} 38v-6h{width - 4}v6"),
        *(
            st.text(
                x + (j + 0.5) * cell[0], 55, str(j + 1), anchor="middle", cls="vk-muted", size=13.5
            )
            for j in range(d_model)
        ),
        st.tokens_down(x - 14, y, data["tokens"], cell[1]),
        st.heat_map(x, y, X, "input", cell, marked=st.ROW),
        st.path(f"M{x + width + 8} {y + 2}h6v{height - 4}h-6"),
        st.text(x + width + 24, y + height / 2 + 5, f"$n$ = {n}", cls="vk-muted"),
        st.text(x + width / 2, y + height + 28, f"$X$ is {n} × {d_model}", anchor="middle"),
    ]
    return st.figure_svg(
        "input-representation",
        "Input representation",
        f"Six tokens, one a row, beside their embeddings: {n} rows of {d_model} numbers.",
        y + height + 42,
        parts,
    )


# What the columns of a projection of the pronoun example stand for.
MEANINGS = {"Q": ["name", "gender"], "K": ["name", "gender"], "V": ["name", "female", "male"]}


def projection_data(which: str) -> dict[str, Any]:
    """Return X, the weight and the product for one of Q, K, V of the pronoun example."""
    return {
        "tokens": mary.tokens,
        "features": mary.features,
        "meanings": MEANINGS[which],
        "X": mary.X,
        "weight": getattr(mary, f"W_{which}"),
        "product": getattr(mary, which),
        "which": which,
    }


def draw_projection(data: Mapping[str, Any]) -> str:
    """X times a weight matrix gives queries, keys or values; every column has a name."""
    which, marked = data["which"], data["tokens"].index("she")
    hue = {"Q": "query", "K": "key", "V": "value"}[which]
    X, W, product = data["X"], data["weight"], data["product"]
    n, y, cell = len(X), 96, (27, 34)
    height = n * cell[1]
    x_X, x_W, x_P = 70, 273, 385
    y_W = y + (height - len(W) * cell[1]) / 2
    middle = y + height / 2 + 6
    captions = [
        (x_X, "$X$", X, y, data["features"], ""),
        (x_W, f"$W_{which}$", W, y_W, data["meanings"], f"vk-{hue}"),
        (x_P, f"${which}$", product, y, data["meanings"], f"vk-{hue}"),
    ]
    parts = [
        st.tokens_down(x_X - 10, y, data["tokens"], cell[1], marked=marked),
        st.heat_map(x_X, y, X, "input", cell, decimals=0, marked=marked),
        st.text(x_X + 4 * cell[0] + 12, middle, "·", anchor="middle", size=20, bold=True),
        st.tokens_down(x_W - 10, y_W, data["features"], cell[1], marked=None),
        st.heat_map(x_W, y_W, W, hue, cell, decimals=0),
        st.text((x_W + W.shape[1] * cell[0] + x_P) / 2, middle, "=", anchor="middle", size=20),
        st.heat_map(x_P, y, product, hue, cell, decimals=0, marked=marked),
    ]
    for x, name, matrix, top, columns, cls in captions:
        width = matrix.shape[1] * cell[0]
        parts += [
            st.text(x + width / 2, 22, name, anchor="middle", size=18, cls=cls),
            *(
                _slanted(x + (k + 0.5) * cell[0], top - 8, column)
                for k, column in enumerate(columns)
            ),
            st.text(
                x + width / 2,
                y + height + 24,
                f"{matrix.shape[0]} × {matrix.shape[1]}",
                anchor="middle",
                cls="vk-muted",
            ),
        ]
    return st.figure_svg(
        f"{hue}-matrix",
        f"{hue.capitalize()} matrix",
        f"X times W_{which} gives {which}, with every number. The row of the token she is"
        f" outlined: {st.listed(X[marked], 0)} becomes {st.listed(product[marked], 0)}.",
        y + height + 38,
        parts,
    )


def _slanted(x: float, y: float, words: str) -> str:
    """Set the name of a narrow column so that it rises to the right from its middle."""
    return (
        f'<text class="vk-muted" font-size="{st.SMALL:g}"'
        f' transform="translate({st.num(x)} {st.num(y)}) rotate(-50)">{words}</text>'
    )


def scores_data() -> dict[str, Any]:
    """Return the raw scores."""
    return {"tokens": ex.tokens, "matrix": ex.S}


def draw_scores(data: Mapping[str, Any]) -> str:
    """Every query against every key: a heat map of QKᵀ."""
    scores = data["matrix"]
    parts = _square(data["tokens"], scores, 2)
    title = f"$QK^T$, {len(scores)} × {len(scores)}"
    parts.append(st.text(LABEL + 195, 308, title, anchor="middle"))
    return st.figure_svg(
        "attention-scores",
        "Attention scores",
        "A 6 by 6 heat map of the scores, queries down, keys across; the row of journey is"
        f" outlined: {st.listed(scores[st.ROW])}.",
        322,
        parts,
    )


def weights_data() -> dict[str, Any]:
    """Return the attention weights and what their rows sum to."""
    return {"tokens": mary.tokens, "matrix": mary.alpha, "sums": mary.alpha.sum(axis=1)}


def draw_weights(data: Mapping[str, Any]) -> str:
    """How each query divides its attention among the keys: rows that sum to 1."""
    alpha, marked = data["matrix"], data["tokens"].index("she")
    parts = _square(data["tokens"], alpha, 2, width=57, marked=marked)
    x = LABEL + 6 * 57 + 30
    parts += [
        st.text(x, 46, "sum", anchor="middle", cls="vk-muted", size=st.SMALL),
        *(
            st.text(x, 54 + (i + 0.5) * 38 + 5, f"{total:g}", anchor="middle", cls="vk-muted")
            for i, total in enumerate(np.round(data["sums"], 6))
        ),
        st.text(LABEL + 3 * 57, 326, rf"$\alpha = {st.SOFTMAX}$, row by row", anchor="middle"),
    ]
    return st.figure_svg(
        "attention-weights",
        "Attention weights",
        "A 6 by 6 heat map of the weights, queries down, keys across. Each row sums to 1; the"
        f" row of she is outlined: {st.listed(alpha[marked])}.",
        352,
        parts,
    )


def _square(
    tokens: list[str], matrix: Any, decimals: int, width: float = 65, marked: int = st.ROW
) -> list[str]:
    """Draw queries against keys, with the tokens on both sides."""
    cell, y = (width, 38), 54
    return [
        st.query_key(LABEL - 10, 18, LABEL + 3 * width),
        st.tokens_across(LABEL, 46, tokens, width),
        st.tokens_down(LABEL - 10, y, tokens, cell[1], marked=marked),
        st.heat_map(LABEL, y, matrix, "score", cell, decimals=decimals, marked=marked),
    ]


def transpose_data() -> dict[str, Any]:
    """Return Q, Kᵀ, their product, and the column picked out."""
    return {
        "tokens": ex.tokens,
        "Q": ex.Q,
        "K_T": ex.K.swapaxes(-1, -2),
        "scores": ex.S,
        "column": ex.tokens.index("starts"),
    }


def draw_transpose(data: Mapping[str, Any]) -> str:
    """One row of Q meets one column of Kᵀ in one cell of the scores."""
    Q, K_T, scores, j = data["Q"], data["K_T"], data["scores"], data["column"]
    tokens, i, cell, cell_Q = data["tokens"], st.ROW, (49, 34), (41, 34)
    x_Q, x, y_K, y = LABEL, LABEL + 2 * 41 + 20, 34, 34 + 2 * 34 + 40
    height = len(Q) * cell[1]
    column, row = x + j * cell[0], y + i * cell[1]
    terms = " + ".join(f"{a:.4f} · {b:.4f}" for a, b in zip(Q[i], K_T[:, j], strict=True))
    parts = [
        st.text(x_Q + cell_Q[0], y - 14, "$Q$", anchor="middle", size=18, cls="vk-query"),
        st.text(x - 16, y_K + cell[1] - 2, "$K^T$", anchor="end", size=18, cls="vk-key"),
        *(
            st.text(
                x + (k + 0.5) * cell[0],
                y_K - 10,
                token,
                anchor="middle",
                size=13,
                cls="" if k == j else "vk-muted",
                bold=k == j,
            )
            for k, token in enumerate(tokens)
        ),
        st.tokens_down(x_Q - 10, y, tokens, cell[1]),
        st.heat_map(x_Q, y, Q, "query", cell_Q, marked=i, size=14),
        st.heat_map(x, y_K, K_T, "key", cell, size=14),
        st.outline(column, y_K, cell[0], 2 * cell[1]),
        st.heat_map(x, y, scores, "score", cell, decimals=None),
        st.path(f"M{x_Q + 2 * cell_Q[0] + 3} {row + 17}H{column - 4}", cls="query", width=1.5),
        st.path(
            f"M{st.num(column + cell[0] / 2)} {y_K + 2 * cell[1] + 3}V{row - 4}",
            cls="key",
            width=1.5,
        ),
        st.outline(column, row, *cell),
        st.text(
            column + cell[0] / 2,
            row + 22,
            f"{scores[i, j]:.2f}",
            anchor="middle",
            size=14,
            bold=True,
        ),
        st.text(x_Q + cell_Q[0], y + height + 24, "6 × 2", anchor="middle", cls="vk-muted"),
        st.text(x - 14, y_K + cell[1] + 20, "2 × 6", anchor="end", cls="vk-muted"),
        st.text(x + 3 * cell[0], y + height + 24, "$QK^T$, 6 × 6", anchor="middle"),
        st.text(240, y + height + 62, f"{terms} = {scores[i, j]:.4f}", anchor="middle"),
    ]
    return st.figure_svg(
        "key-transpose",
        "Key transpose",
        f"The query of {tokens[i]}, a row of Q, meets the key of {tokens[j]}, a column of the"
        f" transposed keys, in one cell of the 6 by 6 scores: {terms} = {scores[i, j]:.4f}.",
        y + height + 78,
        parts,
    )
