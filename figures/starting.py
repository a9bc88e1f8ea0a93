"""What the first weights of a layer do: one token takes all, or many share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets.attention import attention_scores, attention_weights
from snippets.projection import project
from snippets.torch_random import TorchRandom

STEPS = (0.02, 0.05, 0.1, 0.2, 0.5)  # where the shades of the maps begin


def data() -> dict[str, Any]:
    """Return 100 × 100 weights of source 003's numbers, and of the same numbers standardized."""
    random = TorchRandom(1234)
    X = random.rand(100, 64).astype(np.float64)
    random.rand(2048)  # the source ran its next cell twice
    W_Q, W_K = (random.rand(64, 16).astype(np.float64) for _ in "QK")
    fan_in, d_k = W_Q.shape
    result: dict[str, Any] = {"steps": STEPS}
    for name, x, w_q, w_k in (
        ("source", X, W_Q, W_K),
        (
            "repaired",
            standardized(X),
            standardized(W_Q) / np.sqrt(fan_in),
            standardized(W_K) / np.sqrt(fan_in),
        ),
    ):
        scores = attention_scores(project(x, w_q), project(x, w_k)) / np.sqrt(d_k)
        weights = attention_weights(scores)
        result[f"{name} levels"] = np.digitize(weights, STEPS)
        result[f"{name} std"] = scores.std(axis=1).mean()
        result[f"{name} largest"] = weights.max(axis=1).mean()
        result[f"{name} token"] = int(weights.sum(axis=0).argmax())
    return result


def standardized(uniform: Any) -> Any:
    """Move numbers uniform on [0, 1) to mean 0 and variance 1."""
    return np.sqrt(12) * (uniform - 0.5)


def draw(data: Mapping[str, Any]) -> str:
    """Two maps of 100 queries by 100 keys: one column, and a scatter."""
    cell, y = 2.1, 92
    side = 100 * cell
    opacities = [0, 0.35, 0.5, 0.65, 0.8, 1]
    parts = []
    for x, name, lines in (
        (24, "source", ("all numbers uniform on [0, 1)",)),
        (260, "repaired", ("moved to mean 0, variance 1;", "weight matrices ÷ √fan-in")),
    ):
        parts += [
            st.text(x, 22, {"source": "as in the source", "repaired": "repaired"}[name], size=16),
            *(
                st.text(x, 46 + 19 * i, words, cls="vk-muted", size=st.SMALL)
                for i, words in enumerate(lines)
            ),
            st.shades(x, y, data[f"{name} levels"], "score", (cell, cell), opacities),
            st.rect(x, y, side, side, cls="vk-line", radius=0, stroke=1),
            st.text(x, y + side + 48, "mean largest weight", cls="vk-muted", size=st.SMALL),
            st.text(x + side, y + side + 48, f"{data[f'{name} largest']:.3f}", anchor="end"),
            st.text(x, y + side + 70, "std of a row’s scores", cls="vk-muted", size=st.SMALL),
            st.text(x + side, y + side + 70, f"{data[f'{name} std']:.3g}", anchor="end"),
        ]
    at = 24 + (data["source token"] + 0.5) * cell
    parts += [
        st.path(f"M{st.num(at)} {y + side + 2}v8", cls="muted"),
        st.text(
            at,
            y + side + 24,
            f"token {data['source token']}",
            anchor="middle",
            cls="vk-key",
            size=st.SMALL,
        ),
        st.text(
            16, y + side / 2, "query ↓", cls="vk-query", size=st.SMALL, anchor="middle"
        ).replace("<text ", f'<text transform="rotate(-90 16 {st.num(y + side / 2)})" '),
        st.text(24 + side, y - 6, "key →", anchor="end", cls="vk-key", size=st.SMALL),
        st.text(260 + side, y - 6, "key →", anchor="end", cls="vk-key", size=st.SMALL),
    ]
    y_legend = y + side + 96
    for i, step in enumerate(STEPS):
        x = 138 + 66 * i
        parts += [
            st.rect(x, y_legend, 14, 14, cls="vk-score", opacity=opacities[i + 1], radius=2),
            st.text(x + 20, y_legend + 12, f"{step:g}", cls="vk-muted", size=st.SMALL),
        ]
    parts.append(st.text(24, y_legend + 12, "weight at least", cls="vk-muted", size=st.SMALL))
    return st.figure_svg(
        "initialization",
        "Initialization",
        "Two maps of the weights of 100 queries on 100 keys. From uniform numbers in [0, 1) every"
        f" query puts all its weight on token {data['source token']}: one solid column. With inputs"
        " of mean 0 and variance 1 and weights divided by the root of the fan-in, the weights are"
        f" scattered and the mean largest is {data['repaired largest']:.3f}.",
        y_legend + 28,
        parts,
        left=1.2,
        right=471.5,
    )
