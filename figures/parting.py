"""A matrix of scores as a sum: a part of the query, one of the key, and one of the pair."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import signs
from figures import style as st
from snippets.attention import attention_scores
from snippets.projection import project
from snippets.torch_random import TorchRandom

SHOWN = 40  # of the 100 tokens, so that a cell can be seen
STEPS = (0.08, 0.2, 0.4, 0.6, 0.8)  # shares of the largest number at which a shade begins


def data() -> dict[str, Any]:
    """Return the parts of the scores of source 003's numbers, and their variances."""
    random = TorchRandom(1234)
    X = random.rand(100, 64).astype(np.float64)
    random.rand(2048)  # the source ran its next cell twice
    W_Q, W_K = (random.rand(64, 16).astype(np.float64) for _ in "QK")
    scores = attention_scores(project(X, W_Q), project(X, W_K))
    mean = scores.mean()
    queries = scores.mean(axis=1) - mean
    keys = scores.mean(axis=0) - mean
    pairs = scores - mean - queries[:, None] - keys
    full = max(np.abs(part).max() for part in (queries, keys, pairs))
    steps = np.array(STEPS) * full
    result: dict[str, Any] = {"token": int(keys.argmax())}
    for name, part in (("queries", queries), ("keys", keys), ("pairs", pairs)):
        result[f"{name} variance"] = part.var()
        some = part[:SHOWN, :SHOWN] if part.ndim == 2 else part[:SHOWN]
        result[name] = np.sign(some).astype(int) * np.digitize(np.abs(some), steps)
    return result


def draw(data: Mapping[str, Any]) -> str:
    """Three maps on one scale: stripes of rows, stripes of columns, and nearly nothing."""
    cell, y = 3.4, 52
    side = SHOWN * cell
    opacities = [0.0, *(round(signs.STRONGEST * step, 2) for step in (0.2, 0.4, 0.6, 0.8, 1.0))]
    parts = []
    for i, (name, line) in enumerate(
        (("queries", "part of the query"), ("keys", "of the key"), ("pairs", "of the pair"))
    ):
        x = 1 + 171 * i
        levels = data[name]
        if name == "queries":
            levels = np.repeat(levels[:, None], SHOWN, axis=1)
        elif name == "keys":
            levels = np.repeat(levels[None], SHOWN, axis=0)
        place = (cell, cell)
        shown = levels.T if name == "queries" else levels  # long strokes: rows as columns
        maps = [
            st.shades(0, 0, np.maximum(shown, 0), "query", place, opacities),
            st.shades(0, 0, np.maximum(-shown, 0), "key", place, opacities),
        ]
        turn = f"matrix(0 1 1 0 {x} {y})" if name == "queries" else f"translate({x} {y})"
        parts += [
            st.text(x, 20, line, size=16),
            st.text(x, 42, "key →", cls="vk-muted", size=st.SMALL),
            f'<g transform="{turn}">',
            *maps,
            "</g>",
            st.rect(x, y, side, side, cls="vk-line", radius=0, stroke=1),
            st.text(x, y + side + 42, "variance", cls="vk-muted", size=st.SMALL),
            st.text(
                x + side, y + side + 42, f"{data[f'{name} variance']:,.0f}", anchor="end", bold=True
            ),
        ]
        if name == "keys":
            at = x + (data["token"] + 0.5) * cell
            parts += [
                st.path(f"M{st.num(at)} {y + side + 2}v6", cls="muted"),
                st.text(
                    at, y + side + 21, f"token {data['token']}", anchor="middle", size=st.SMALL
                ),
            ]
    foot = y + side + 64
    parts += [
        st.rect(1, foot, 14, 14, cls="vk-query", opacity=signs.STRONGEST, radius=2),
        st.text(21, foot + 12, "above the mean", cls="vk-muted", size=st.SMALL),
        st.rect(172, foot, 14, 14, cls="vk-key", opacity=signs.STRONGEST, radius=2),
        st.text(192, foot + 12, "below", cls="vk-muted", size=st.SMALL),
        st.text(1 + 171 * 2, foot + 12, f"first {SHOWN} tokens", cls="vk-muted", size=st.SMALL),
    ]
    return st.figure_svg(
        "score-parts",
        "The parts of the scores",
        f"Three maps of the first {SHOWN} queries by {SHOWN} keys, on one scale. The part of the"
        " query is constant along each row, the part of the key along each column, and the part"
        " of the pair is nearly blank. The variances are"
        f" {data['queries variance']:,.0f}, {data['keys variance']:,.0f} and"
        f" {data['pairs variance']:,.0f}; the largest part of a key is that of token"
        f" {data['token']}.",
        foot + 24,
        parts,
        left=1,
    )
