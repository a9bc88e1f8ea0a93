"""One query from its scores to its context vector, every number shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from figures import touch
from snippets import running_example as ex


def data(
    tokens: Any = ex.tokens,
    Q: Any = ex.Q,
    K: Any = ex.K,
    V: Any = ex.V,
    omega: Any = ex.S,
    alpha: Any = ex.alpha,
    Z: Any = ex.Z,
    d_k: int = ex.d_k,
) -> dict[str, Any]:
    """Return the query of journey and all that it meets."""
    return {
        "tokens": tokens,
        "row": st.ROW,
        "Q": Q,
        "K": K,
        "scores": omega[st.ROW],
        "weights": alpha[st.ROW],
        "V": V,
        "z": Z[st.ROW],
        "d_k": d_k,
    }


def draw(data: Mapping[str, Any]) -> str:
    """One query meets six keys: scores, weights, and the weighted sum of six values."""
    K, V, z, row, small = data["K"], data["V"], data["z"], data["row"], st.SMALL
    q = data["Q"][row]
    cell, y = 34, 112
    height = len(K) * cell
    x_K, x_s, x_w, x_V = 76, 189, 283, 386
    bottom = y + height
    arrows = [
        [
            st.text(x, y + (i + 0.5) * cell + 5, sign, anchor="middle", cls="vk-muted")
            for i in range(len(K))
        ]
        for x, sign in ((x_K + 99, "→"), (x_s + 76, "→"), (x_w + 85, "×"))
    ]
    # Numbered as the steps of the note are.
    parts = [
        st.text(x_K - 12, 40, "$q$ of", anchor="end", cls="vk-query"),
        touch.part("token", st.text(x_K - 12, 59, data["tokens"][row], anchor="end", bold=True)),
        touch.group("q", [st.heat_map(x_K, 29, q[None], "query", (42, cell))]),
        st.tokens_down(x_K - 12, y, data["tokens"], cell, marked=None),
        touch.group(
            "step 2",
            [
                st.text(x_K + 42, 102, "keys $K$", anchor="middle", cls="vk-key"),
                st.text(x_V + 42, 102, "values $V$", anchor="middle", cls="vk-value"),
                st.heat_map(x_K, y, K, "key", (42, cell)),
                st.heat_map(x_V, y, V, "value", (42, cell)),
            ],
        ),
        touch.group(
            "step 3",
            [
                st.arrow([(x_K + 42, 68), (x_K + 42, 84)], "query"),
                touch.part(
                    "score name",
                    st.text(x_s + 28, 82, "scores", anchor="middle", cls="vk-score"),
                ),
                st.text(x_s + 28, 102, "$q$ · $k_j$", anchor="middle", cls="vk-muted", size=small),
                touch.group(
                    "scores", [st.heat_map(x_s, y, data["scores"][:, None], "score", (56, cell))]
                ),
                *arrows[0],
            ],
        ),
        touch.group(
            "step 4",
            [
                st.path(f"M{x_s} {bottom + 8}v6H{x_w + 64}v-6"),
                touch.part(
                    "divisor",
                    st.text(
                        (x_s + x_w + 64) / 2,
                        bottom + 36,
                        f"÷ √{data['d_k']}, then softmax",
                        anchor="middle",
                        cls="vk-muted",
                        size=small,
                    ),
                ),
            ],
        ),
        touch.group(
            "step 5",
            [
                st.text(x_w + 32, 82, "weights", anchor="middle", cls="vk-score"),
                st.text(x_w + 32, 102, "sum 1", anchor="middle", cls="vk-muted", size=small),
                touch.group(
                    "weights",
                    [
                        st.heat_map(
                            x_w, y, data["weights"][:, None], "score", (64, cell), decimals=3
                        )
                    ],
                ),
                *arrows[1],
            ],
        ),
        touch.group(
            "step 6",
            [
                *arrows[2],
                st.arrow([(x_V + 42, bottom + 6), (x_V + 42, bottom + 34)], "value"),
                st.text(x_V + 54, bottom + 25, "sum", cls="vk-muted", size=small),
                touch.group("z", [st.heat_map(x_V, bottom + 42, z[None], "value", (42, cell))]),
                st.outline(x_V, bottom + 42, 84, cell),
                touch.part(
                    "whose",
                    st.text(
                        x_V - 14,
                        bottom + 64,
                        f"context vector $z$ of {data['tokens'][row]}",
                        anchor="end",
                    ),
                ),
            ],
        ),
    ]
    svg = st.figure_svg(
        "single-query",
        "One query, step by step",
        f"The query of journey, {st.listed(q)}, meets six keys. The scores are"
        f" {st.listed(data['scores'])}, the weights {st.listed(data['weights'], 3)}; the values,"
        f" each times its weight, add up to the context vector {st.listed(z)}.",
        bottom + 90,
        parts,
        left=8.2,
        right=472.5,
    )
    start = {name: data[name] for name in ("tokens", "Q", "K", "V", "d_k", "row")}
    return touch.touchable(
        "single-query",
        svg,
        start,
        hint=(
            "Go through the numbered steps one at a time. Then choose another token: "
            "its query is compared with the same six keys and gives another context "
            "vector."
        ),
    )


def directions_data(X: Any = ex.X, W_Q: Any = ex.W_Q, tokens: Any = ex.tokens) -> dict[str, Any]:
    """Return the queries of the inputs as they are, and of the inputs shifted and rescaled."""
    shifted = (X - X.mean(axis=0)) / X.std(axis=0)
    return {"tokens": tokens, "as they are": X @ W_Q, "shifted and rescaled": shifted @ W_Q}


def draw_directions(data: Mapping[str, Any]) -> str:
    """Draw both sets of queries as arrows from one point."""
    unit, half, y, parts, said = 64.0, 108.0, 152.0, [], []
    for x, name in ((120.0, "as they are"), (350.0, "shifted and rescaled")):
        parts += [
            st.text(x - half, 24, f"inputs {name}", bold=True, size=st.SMALL),
            st.path(f"M{x - half} {y}h{2 * half}M{x} {y - half}v{2 * half}"),
            *(
                st.arrow([(x, y), (x + unit * float(a), y - unit * float(b))], "query", 2)
                for a, b in data[name]
            ),
        ]
        for token, (a, b) in zip(data["tokens"], data[name], strict=True):
            # These two arrows nearly coincide.
            words = {"journey": "journey, starts", "starts": ""}.get(token, token)
            side = 1 if a > 0 else -1
            if words and (name != "as they are" or token in ("journey", "one")):
                parts.append(
                    st.text(
                        x + unit * float(a) + 8 * side,
                        y - unit * float(b) + 5,
                        words,
                        anchor="start" if a > 0 else "end",
                        cls="vk-muted",
                        size=st.SMALL,
                    )
                )
        lengths = np.linalg.norm(data[name], axis=1, keepdims=True)
        unit_rows = data[name] / lengths
        said.append(f"{name}, smallest cosine {(unit_rows @ unit_rows.T).min():.2f}")
    return st.figure_svg(
        "query-directions",
        "Why the rows are alike",
        f"The six queries as arrows. Inputs {'; inputs '.join(said)}.".replace("-", "−"),
        268,
        parts,
        left=12,
        right=476,
    )
