"""Matrices as heat maps: the input, the three projections, scores, weights, the transpose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets import bank_by_hand as hand
from snippets import pronoun_example as mary
from snippets.attention import attention_weights

LABEL = 78  # where the tokens beside a heat map end
SIDE = 66  # and those beside a square of tokens
TOP, PITCH = 54, 28  # of the rows of a square of tokens


def input_data(
    tokens: Any = hand.tokens, features: Any = hand.features, X: Any = hand.X
) -> dict[str, Any]:
    """Return the tokens, their features and their rows of the table."""
    return {"tokens": tokens, "features": features, "X": X}


def draw_input(data: Mapping[str, Any]) -> str:
    """Draw each token beside its row of features."""
    X, cell = data["X"], (72, 28)
    n, d_model = X.shape
    x, y = 88, 62
    width, height = d_model * cell[0], n * cell[1]
    parts = [
        st.text(x + width / 2, 20, f"$d_{{model}}$ = {d_model}", anchor="middle", cls="vk-muted"),
        st.path(f"M{x + 2} 34v-6h{width - 4}v6"),
        *(
            st.text(
                x + (j + 0.5) * cell[0], 54, name, anchor="middle", cls="vk-muted", size=st.SMALL
            )
            for j, name in enumerate(data["features"])
        ),
        st.tokens_down(x - 14, y, data["tokens"], cell[1], marked=hand.BANK),
        st.heat_map(x, y, X, "input", cell, decimals=_decimals(X), marked=hand.BANK),
        st.path(f"M{x + width + 8} {y + 2}h6v{height - 4}h-6"),
        st.text(x + width + 24, y + height / 2 + 5, f"$n$ = {n}", cls="vk-muted"),
        st.text(x + width / 2, y + height + 28, f"$X$ is {n} × {d_model}", anchor="middle"),
    ]
    return st.figure_svg(
        "input-representation",
        "Input representation",
        f"{n} tokens, one a row, beside their features: {n} rows of {d_model} numbers.",
        y + height + 42,
        parts,
        left=36.6,
    )


# What the columns of a projection stand for.
MEANINGS = {"Q": ["place?", "money?"], "K": ["place?", "money?"], "V": ["water", "money"]}


def query_data(
    X: Any = hand.X,
    W_Q: Any = hand.W_Q,
    tokens: Any = hand.tokens,
    features: Any = hand.features,
) -> dict[str, Any]:
    """Return X, W_Q and their product."""
    return _projection("Q", X, W_Q, tokens, features)


def key_data(
    X: Any = hand.X,
    W_K: Any = hand.W_K,
    tokens: Any = hand.tokens,
    features: Any = hand.features,
) -> dict[str, Any]:
    """Return X, W_K and their product."""
    return _projection("K", X, W_K, tokens, features)


def value_data(
    X: Any = hand.X,
    W_V: Any = hand.W_V,
    tokens: Any = hand.tokens,
    features: Any = hand.features,
) -> dict[str, Any]:
    """Return X, W_V and their product."""
    return _projection("V", X, W_V, tokens, features)


def _projection(which: str, X: Any, weight: Any, tokens: Any, features: Any) -> dict[str, Any]:
    return {
        "tokens": tokens,
        "features": features,
        "meanings": MEANINGS[which],
        "X": X,
        "weight": weight,
        "product": X @ weight,
        "which": which,
    }


def _decimals(matrix: Any) -> int:
    """Return 0 if all numbers are whole, as in the notes, else 1."""
    return int(np.any(matrix != np.round(matrix)))


def draw_projection(data: Mapping[str, Any]) -> str:
    """X times a weight matrix gives queries, keys or values; every column has a name."""
    which, marked = data["which"], data["tokens"].index("river" if data["which"] == "V" else "bank")
    hue = {"Q": "query", "K": "key", "V": "value"}[which]
    X, W, product = data["X"], data["weight"], data["product"]
    n, y, cell = len(X), 96, (27, 28)
    height = n * cell[1]
    x_X, x_W, x_P = 56, 292, 392
    y_W = y + (height - len(W) * cell[1]) / 2
    middle = y + height / 2 + 6
    captions = [
        (x_X, "$X$", X, y, data["features"], ""),
        (x_W, f"$W_{which}$", W, y_W, data["meanings"], f"vk-{hue}"),
        (x_P, f"${which}$", product, y, data["meanings"], f"vk-{hue}"),
    ]
    parts = [
        st.tokens_down(x_X - 10, y, data["tokens"], cell[1], marked=marked),
        st.heat_map(x_X, y, X, "input", cell, decimals=_decimals(X), marked=marked),
        st.text(x_X + 5 * cell[0] + 12, middle, "·", anchor="middle", size=20, bold=True),
        st.tokens_down(x_W - 10, y_W, data["features"], cell[1], marked=None),
        st.heat_map(x_W, y_W, W, hue, cell, decimals=_decimals(W)),
        st.text((x_W + W.shape[1] * cell[0] + x_P) / 2, middle, "=", anchor="middle", size=20),
        st.heat_map(x_P, y, product, hue, cell, decimals=_decimals(product), marked=marked),
    ]
    for x, name, matrix, top, columns, cls in captions:
        width = matrix.shape[1] * cell[0]
        parts += [
            st.text(x + width / 2, 22, name, anchor="middle", size=18, cls=cls),
            *(
                slanted(x + (k + 0.5) * cell[0], top - 8, column)
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
        f"X times W_{which} gives {which}, with every number. The row of"
        f" {data['tokens'][marked]} is outlined: {st.listed(X[marked], _decimals(X))}"
        f" becomes {st.listed(product[marked], _decimals(product))}.",
        y + height + 38,
        parts,
        left=8.6,
        right=470,
    )


def slanted(x: float, y: float, words: str) -> str:
    """Set the name of a narrow column so that it rises to the right from its middle."""
    return (
        f'<text class="vk-muted" font-size="{st.SMALL:g}"'
        f' transform="translate({st.num(x)} {st.num(y)}) rotate(-50)">{words}</text>'
    )


def scores_data(tokens: Any = hand.tokens, S: Any = hand.S) -> dict[str, Any]:
    """Return the raw scores."""
    return {"tokens": tokens, "matrix": S}


def draw_scores(data: Mapping[str, Any]) -> str:
    """Every query against every key: a heat map of QKᵀ."""
    scores, tokens = data["matrix"], data["tokens"]
    width = 37
    parts, bottom = _square(tokens, scores, _decimals(scores), width, hand.BANK)
    title = f"$QK^T$, {len(scores)} × {len(scores)}"
    parts.append(st.text(SIDE + width * len(scores) / 2, bottom + 26, title, anchor="middle"))
    row = scores[hand.BANK]
    most = int(row.argmax())
    others = "0 for every other word" if not np.delete(row, most).any() else "its largest score"
    return st.figure_svg(
        "attention-scores",
        "Attention scores",
        f"A heat map of the {len(scores)} by {len(scores)} scores, queries down, keys across; the"
        f" row of bank is outlined: {row[most]:.{_decimals(row)}f} for {tokens[most]}, {others}.",
        bottom + 40,
        parts,
        left=9.6,
        right=475.5,
    )


def weights_data(tokens: Any = hand.tokens, alpha: Any = hand.alpha) -> dict[str, Any]:
    """Return the attention weights, what their rows sum to, and the row that is outlined."""
    sums = alpha.sum(axis=1)
    return {"tokens": tokens, "matrix": alpha, "sums": sums, "marked": hand.BANK}


def mary_data(alpha: Any = mary.alpha) -> dict[str, Any]:
    """Return the weights of the second example, their sums, and the row that is outlined."""
    sums = alpha.sum(axis=1)
    marked = mary.tokens.index("she")
    return {"tokens": mary.tokens, "matrix": alpha, "sums": sums, "marked": marked}


def draw_mary(data: Mapping[str, Any]) -> str:
    """Draw the weights of the second example."""
    return draw_weights(data, "she-reads")


def draw_weights(data: Mapping[str, Any], name: str = "attention-weights") -> str:
    """How each query divides its attention among the keys: rows that sum to 1."""
    alpha, tokens, marked = data["matrix"], data["tokens"], data["marked"]
    width = 374 / len(tokens)
    parts, bottom = _square(tokens, alpha, 2, width, marked, size=12.5)
    x = SIDE + len(alpha) * width + 18
    parts += [
        st.text(x, 46, "sum", anchor="middle", cls="vk-muted", size=st.SMALL),
        *(
            st.text(x, TOP + (i + 0.5) * PITCH + 5, f"{total:g}", anchor="middle", cls="vk-muted")
            for i, total in enumerate(np.round(data["sums"], 6))
        ),
        st.text(
            SIDE + len(alpha) * width / 2,
            bottom + 44,
            rf"${st.ALPHA} = {st.SOFTMAX}$, row by row",
            anchor="middle",
        ),
    ]
    most = tokens[int(alpha[marked].argmax())]
    return st.figure_svg(
        name,
        "Attention weights",
        f"A heat map of the {len(alpha)} by {len(alpha)} weights, queries down, keys across. Each"
        f" row sums to 1; the row of {tokens[marked]} is outlined:"
        f" {alpha[marked].max():.2f} for {most}.",
        bottom + 70,
        parts,
        left=9.4,
        right=472.5,
    )


def _square(
    tokens: list[str],
    matrix: Any,
    decimals: int,
    width: float,
    marked: int,
    size: float | None = None,
) -> tuple[list[str], float]:
    """Draw queries against keys, with the tokens on both sides, and say where that ends."""
    parts = [
        st.query_key(SIDE - 10, 16, SIDE + len(tokens) * width / 2),
        st.tokens_across(SIDE, 46, tokens, width),
        st.tokens_down(SIDE - 10, TOP, tokens, PITCH, marked=marked),
        st.heat_map(
            SIDE,
            TOP,
            matrix,
            "score",
            (width, PITCH),
            decimals=decimals,
            marked=marked,
            size=size,
        ),
    ]
    return parts, TOP + len(tokens) * PITCH


ASKING = hand.Q.copy()
ASKING[0] = [2, 0]  # Mia looks for a place, too


def column_data(
    tokens: Any = hand.tokens, K: Any = hand.K, asking: Any = ASKING, BANK: int = hand.BANK
) -> dict[str, Any]:
    """Return three rows of weights with the key of river, and with zeros in its place."""
    river, rows = tokens.index("river"), [0, BANK, -1]
    without = K.copy()
    without[river] = 0
    found = [
        attention_weights(asking[rows] @ keys.T, scale=1 / np.sqrt(K.shape[1]))
        for keys in (K, without)
    ]
    return {"tokens": tokens, "river": river, "rows": [tokens[i] for i in rows], "weights": found}


def draw_column(data: Mapping[str, Any]) -> str:
    """Draw the rows of three words before and after one key becomes zero."""
    first, second = (weights[:, data["river"]] for weights in data["weights"])
    return _before_and_after(
        "key-column",
        "One key, every row that finds it",
        f"Weights of {', '.join(data['rows'])} on all words, twice. With the key of river its"
        f" column is {st.listed(first)}; with zeros as its key {st.listed(second)}, and all rows"
        " are even.",
        data,
        ("with the key of river", "with zeros as its key"),
        (data["river"] * WIDE, 0, WIDE, 3 * PITCH),
    )


def row_data(
    tokens: Any = hand.tokens,
    Q: Any = hand.Q,
    K: Any = hand.K,
    BANK: int = hand.BANK,
    scale: float = 1 / np.sqrt(hand.d_k),
) -> dict[str, Any]:
    """Return three rows of weights, and the same when bank looks for money only."""
    rows, changed = [BANK - 1, BANK, BANK + 1], Q.copy()
    changed[BANK] = [0, 8]
    found = [attention_weights(queries[rows] @ K.T, scale=scale) for queries in (Q, changed)]
    return {"tokens": tokens, "rows": [tokens[i] for i in rows], "weights": found}


def draw_row(data: Mapping[str, Any]) -> str:
    """Draw the rows of three words before and after one query changes."""
    first, second = (weights[1].max() for weights in data["weights"])
    return _before_and_after(
        "query-row",
        "One query, one row",
        f"Weights of {', '.join(data['rows'])} on all words, twice. When the query of"
        f" {data['rows'][1]} changes, the largest weight of its row becomes {second:.2f} instead"
        f" of {first:.2f}; both other rows stay as they are.",
        data,
        (f"{data['rows'][1]} looks for a place or money", "looks for money only"),
        (0, PITCH, WIDE * len(data["tokens"]), PITCH),
    )


WIDE = 38.5  # of a cell with two decimals


def _before_and_after(
    name: str,
    title: str,
    desc: str,
    data: Mapping[str, Any],
    names: tuple[str, str],
    marked: tuple[float, float, float, float],
) -> str:
    """Draw two maps of the same rows on one scale, each with the same part outlined."""
    tokens, parts, largest = data["tokens"], [], float(np.max(data["weights"]))
    x, y, width, height = marked
    for top, words, weights in zip((72, 238), names, data["weights"], strict=True):
        parts += [
            st.text(SIDE - 54, top - 46, words, bold=True),
            st.tokens_across(SIDE, top - 8, tokens, WIDE),
            st.tokens_down(SIDE - 10, top, data["rows"], PITCH, marked=None),
            st.heat_map(
                SIDE,
                top,
                weights,
                "score",
                (WIDE, PITCH),
                # Both maps have one scale.
                full=st.FAINT + (st.FULL - st.FAINT) * float(weights.max()) / largest,
                size=st.SMALL,
            ),
            st.outline(SIDE + x, top + y, width, height),
        ]
    right = SIDE + WIDE * len(tokens) + 1
    return st.figure_svg(name, title, desc, 238 + 3 * PITCH + 6, parts, left=12, right=right)


WORDS = ["in", "the", "river", ".", "the", "bank"]
X_WORDS = hand.embed(" ".join(WORDS))


def transpose_data(
    words: Any = WORDS, Q: Any = X_WORDS @ hand.W_Q, K: Any = X_WORDS @ hand.W_K
) -> dict[str, Any]:
    """Return Q, Kᵀ, their product, and the row and column picked out."""
    return {
        "tokens": words,
        "Q": Q,
        "K_T": K.swapaxes(-1, -2),
        "scores": Q @ K.swapaxes(-1, -2),
        "row": words.index("bank"),
        "column": words.index("river"),
    }


def draw_transpose(data: Mapping[str, Any]) -> str:
    """One row of Q meets one column of Kᵀ in one cell of the scores."""
    Q, K_T, scores, j = data["Q"], data["K_T"], data["scores"], data["column"]
    tokens, i, cell, cell_Q = data["tokens"], data["row"], (49, 34), (41, 34)
    x_Q, x, y_K, y = LABEL, LABEL + 2 * 41 + 20, 34, 34 + 2 * 34 + 40
    height = len(Q) * cell[1]
    column, row = x + j * cell[0], y + i * cell[1]
    terms = " + ".join(f"{a:.0f} · {b:.0f}" for a, b in zip(Q[i], K_T[:, j], strict=True))
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
        st.tokens_down(x_Q - 10, y, tokens, cell[1], marked=i),
        st.heat_map(x_Q, y, Q, "query", cell_Q, decimals=0, marked=i, size=14),
        st.heat_map(x, y_K, K_T, "key", cell, decimals=0, size=14),
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
            f"{scores[i, j]:.0f}",
            anchor="middle",
            size=14,
            bold=True,
        ),
        st.text(x_Q + cell_Q[0], y + height + 24, "6 × 2", anchor="middle", cls="vk-muted"),
        st.text(x - 14, y_K + cell[1] + 20, "2 × 6", anchor="end", cls="vk-muted"),
        st.text(x + 3 * cell[0], y + height + 24, "$QK^T$, 6 × 6", anchor="middle"),
        st.text(240, y + height + 62, f"{terms} = {scores[i, j]:.0f}", anchor="middle"),
    ]
    return st.figure_svg(
        "key-transpose",
        "Key transpose",
        f"The query of {tokens[i]}, a row of Q, meets the key of {tokens[j]}, a column of the"
        f" transposed keys, in one cell of the 6 by 6 scores: {terms} = {scores[i, j]:.0f}.",
        y + height + 78,
        parts,
        left=33.4,
        right=474.5,
    )
