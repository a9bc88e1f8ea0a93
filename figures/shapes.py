"""The shapes of multi-head attention, axis by axis, from input to output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets.attention import scaled_dot_product_attention

UNIT = 8  # side of one number


def data() -> dict[str, Any]:
    """Return the shapes, read off arrays that went through attention."""
    B, h, n, d_k = 2, 3, 4, 2
    d_model = h * d_k
    X = np.zeros((B, n, d_model))
    Q = X @ np.zeros((d_model, h * d_k))
    by_head = Q.reshape(B, n, h, d_k).swapaxes(1, 2)
    heads, weights = scaled_dot_product_attention(by_head, by_head, by_head, return_weights=True)
    joined = heads.swapaxes(1, 2).reshape(B, n, h * d_k)
    output = joined @ np.zeros((h * d_k, d_model))
    arrays = {
        "X": X, "Q": Q, "by head": by_head, "weights": weights,
        "heads": heads, "joined": joined, "output": output,
    }  # fmt: skip
    return {name: array.shape for name, array in arrays.items()}


def draw(data: Mapping[str, Any]) -> str:
    """Stacked sheets for each tensor: two sequences side by side, a sheet for each head."""
    rows = [
        ("X", "input", "input $X$", "(B, n, d_{model})", "times $W_Q$, $W_K$, $W_V$"),
        (
            "Q",
            "query",
            "queries (keys, values alike)",
            "(B, n, h·d_k)",
            "split the last axis into heads",
        ),
        (
            "by head",
            "query",
            "queries of each head",
            "(B, h, n, d_k)",
            r"$QK^\top / \sqrt{d_k}$, then softmax",
        ),
        ("weights", "score", "scores, then weights", "(B, h, n, n)", "times $V$"),
        ("heads", "value", "output of each head", "(B, h, n, d_v)", "join the heads"),
        ("joined", "value", "all heads, side by side", "(B, n, h·d_v)", "times $W_O$"),
        ("output", "input", "output", "(B, n, d_{model})", ""),
    ]
    parts, pitch = [], 110
    for i, (name, hue, words, symbols, step) in enumerate(rows):
        y = 16 + pitch * i
        numbers = " × ".join(str(axis) for axis in data[name])
        bands = data[name][-1] // data["by head"][-1] if name in ("Q", "joined") else 1
        parts += [
            _tensor(88, y, data[name], hue, bands),
            st.text(196, y + 18, words),
            st.text(196, y + 41, f"${symbols}$", size=18),
            st.text(340, y + 41, numbers, cls="vk-muted"),
        ]
        if step:
            parts += [
                st.arrow([(88, y + 62), (88, y + 90)]),
                st.text(112, y + 81, step, cls="vk-muted", size=st.SMALL),
            ]
    B, h, n, d_k = data["by head"]
    bottom = 16 + pitch * len(rows) - 28
    parts += [
        st.path(f"M24 {bottom - 16}H456", width=0.75),
        st.text(
            24,
            bottom + 10,
            f"Here $B$ = {B} sequences, $h$ = {h} heads, $n$ = {n} tokens,",
            cls="vk-muted",
            size=st.SMALL,
        ),
        st.text(
            24,
            bottom + 31,
            f"$d_k$ = $d_v$ = {d_k} and $d_{{model}}$ = {data['X'][-1]}.",
            cls="vk-muted",
            size=st.SMALL,
        ),
    ]
    return st.figure_svg(
        "tensor-shapes",
        "Tensor shapes",
        "Seven tensors from input to output: "
        + "; ".join(f"{row[2]} {' × '.join(map(str, data[row[0]]))}" for row in rows).replace(
            "$", ""
        )
        + ".",
        bottom + 46,
        parts,
        left=24,
        right=457.5,
    )


def _tensor(x: float, y: float, shape: tuple[int, ...], hue: str, bands: int) -> str:
    """Draw sheets centred at x: batch side by side, heads behind one another."""
    heads = shape[1] if len(shape) == 4 else 1
    width, height, shift = shape[-1] * UNIT, shape[-2] * UNIT, 7
    full = width + (heads - 1) * shift
    step = full + 20
    left = x - (step * shape[0] - 20) / 2
    top = y + (50 - height - (heads - 1) * shift) / 2
    parts = [f'<g class="vk-{hue}">']
    for b in range(shape[0]):
        for k in reversed(range(heads)):
            box = left + b * step + k * shift, top + (heads - 1 - k) * shift, width, height
            parts += [
                st.rect(*box, opacity=0.16, radius=2),
                st.rect(*box, cls=f"vk-{hue}", radius=2, stroke=1.25),
            ]
        for band in range(1, bands):
            at = left + b * step + band * width / bands
            parts.append(st.path(f"M{st.num(at)} {st.num(top)}v{height}", cls=hue, width=1.25))
    return "\n".join([*parts, "</g>"])
