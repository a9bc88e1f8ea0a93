"""A matrix of scores as a sum: a part of the query, one of the key, and one of the pair."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import signs
from figures import style as st
from snippets.attention import attention_scores, scaled_dot_product_attention
from snippets.projection import project
from snippets.torch_random import TorchRandom

SCALE = 1.36  # of one number, where matrices are drawn whole
SHOWN = 40  # of the 100 tokens, so that a cell can be seen
STEPS = (0.08, 0.2, 0.4, 0.6, 0.8)  # shares of the largest number at which a shade begins


def _drawn() -> tuple[Any, Any, Any]:
    """Draw the input and two matrices of source 003."""
    random = TorchRandom(1234)
    X = random.rand(100, 64).astype(np.float64)
    random.rand(2048)  # the source ran its next cell twice
    W_Q, W_K = (random.rand(64, 16).astype(np.float64) for _ in "QK")
    return X, W_Q, W_K


def data() -> dict[str, Any]:
    """Return the parts of the scores of source 003's numbers, and their variances."""
    X, W_Q, W_K = _drawn()
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


def copies_data() -> dict[str, Any]:
    """Return the shapes of source 003's matrices, the token that all read, and its value."""
    X, W_Q, W_K = _drawn()
    V = X @ TorchRandom(1234).rand(164, 64)[100:].astype(np.float64)
    output, weights = scaled_dot_product_attention(X @ W_Q, X @ W_K, V, return_weights=True)
    steps = np.quantile(output[0], (0.2, 0.4, 0.6, 0.8))
    return {
        "n": len(X),
        "d_model": X.shape[1],
        "d_k": W_Q.shape[1],
        "token": int(weights.argmax(axis=1)[0]),
        "weight": weights.max(axis=1).min(),
        "same": bool(np.allclose(output, output[0])),
        "levels": np.digitize(output[0], steps),
    }


def draw_copies(data: Mapping[str, Any]) -> str:
    """Draw the published matrices in true proportions: one column read, one row copied."""
    n, d_model, d_k = (SCALE * data[name] for name in ("n", "d_model", "d_k"))
    token, parts = SCALE * (data["token"] + 0.5), []

    def matrix(x: float, y: float, size: tuple[float, float], hue: str, name: str) -> None:
        width, height = size
        parts.extend(
            [
                st.sheet(x, y, width, height, hue),
                st.text(x + width / 2, y - 10, name, anchor="middle", cls=f"vk-{hue}"),
                st.text(
                    x + width / 2,
                    y + height + 20,
                    f"{round(height / SCALE)} × {round(width / SCALE)}",
                    anchor="middle",
                    cls="vk-muted",
                    size=st.SMALL,
                ),
            ]
        )

    def sign(x: float, y: float, words: str) -> None:
        parts.append(st.text(x, y + 6, words, anchor="middle", size=20))

    top, low = 36.0, 246.0
    middle = top + n / 2
    matrix(38, top, (d_k, n), "query", "$Q$")
    sign(80, middle, "·")
    matrix(98, middle - d_k / 2, (n, d_k), "key", "$K^T$")
    sign(264, middle, "→")
    matrix(302, top, (n, n), "score", "weights")
    parts.append(st.path(f"M{st.num(302 + token)} {top}v{n}", cls="score", width=2.5))
    parts.append(
        st.text(302 + token + 8, top + 20, f"token {data['token']}", cls="vk-score", size=st.SMALL)
    )
    middle = low + n / 2
    matrix(28, low, (n, n), "score", "weights")
    parts.append(st.path(f"M{st.num(28 + token)} {low}v{n}", cls="score", width=2.5))
    sign(190, middle, "·")
    matrix(216, low, (d_model, n), "value", "$V$")
    parts.append(st.path(f"M216 {st.num(low + token)}h{d_model}", cls="value", width=2.5))
    sign(330, middle, "=")
    matrix(356, low, (d_model, n), "value", "output")
    parts.append(
        f'<g transform="translate(356 {low})">'
        + st.shades(0, 0, data["levels"][None], "value", (SCALE, n), (0, 0.2, 0.4, 0.6, 0.8))
        + "</g>"
    )
    return st.figure_svg(
        "hundred-copies",
        "One column of weights, one row copied",
        f"The published matrices in true proportions. In the {data['n']} by {data['n']} weights one"
        f" column, that of token {data['token']}, holds everything; the output repeats one row"
        f" of V, that of token {data['token']}, {data['n']} times, as vertical stripes.",
        low + n + 30,
        parts,
        left=25.5,
        right=448,
    )
