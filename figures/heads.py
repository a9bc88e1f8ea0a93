"""Several heads at once: split, attend, concatenate, project."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets.attention import scaled_dot_product_attention

UNIT = 11  # side of one number


def multi_head_data() -> dict[str, Any]:
    """Return the shapes, read off arrays that went through three heads."""
    n, d_model, h = 5, 12, 3
    width = d_model // h
    X = np.zeros((n, d_model))
    Q = X @ np.zeros((d_model, width))
    head, weights = scaled_dot_product_attention(Q, Q, Q, return_weights=True)
    joined = np.concatenate([head] * h, axis=-1)
    output = joined @ np.zeros((d_model, d_model))
    arrays = {"X": X, "Q": Q, "weights": weights, "head": head, "joined": joined, "output": output}
    return {"h": h, **{name: array.shape for name, array in arrays.items()}}


def draw_multi_head(data: Mapping[str, Any]) -> str:
    """X to three heads of a third of its width, each attending; joined and projected."""
    h, (n, d_model) = data["h"], data["X"]
    width, height = d_model * UNIT, n * UNIT
    head = data["head"][1] * UNIT
    lanes = [88 + 152 * i for i in range(h)]
    y_X, y_Q, y_a, y_h, y_c, y_o = 30, 166, 276, 386, 500, 622
    parts = [
        st.sheet(240 - width / 2, y_X, width, height, "input"),
        st.text(240, y_X + height / 2 + 6, "$X$", anchor="middle", size=18, cls="vk-input"),
        st.text(
            240,
            y_X - 10,
            f"$d_{{model}}$ = {d_model}",
            anchor="middle",
            cls="vk-muted",
            size=st.SMALL,
        ),
        st.text(
            240 - width / 2 - 10,
            y_X + height / 2 + 5,
            f"$n$ = {n}",
            anchor="end",
            cls="vk-muted",
            size=st.SMALL,
        ),
        st.path(
            f"M240 {y_X + height}V{y_X + height + 22}M{lanes[0]} {y_X + height + 22}H{lanes[-1]}",
            cls="input",
            width=1.5,
        ),
    ]
    parts += [
        st.text(
            lanes[0],
            y_Q - 12,
            f"$d_{{model}}$ / $h$ = {data['Q'][1]}",
            anchor="middle",
            cls="vk-muted",
            size=st.SMALL,
        ),
        st.text(lanes[0] + 12, y_Q + height + 32, "scores, softmax", cls="vk-muted", size=st.SMALL),
    ]
    for i, x in enumerate(lanes):
        parts += [
            st.arrow([(x, y_X + height + 22), (x, y_Q - 30)], "input"),
            st.text(x + 12, y_X + height + 44, f"head {i + 1}", bold=True),
        ]
        for k, (symbol, hue) in enumerate((("Q", "query"), ("K", "key"), ("V", "value"))):
            left = x - 1.5 * head - 5 + k * (head + 5)
            parts += [
                st.sheet(left, y_Q, head, height, hue),
                st.text(
                    left + head / 2,
                    y_Q + height / 2 + 6,
                    f"${symbol}_{i + 1}$",
                    anchor="middle",
                    cls=f"vk-{hue}",
                ),
            ]
        parts += [
            st.arrow([(x, y_Q + height + 6), (x, y_a - 6)], "score"),
            st.sheet(x - height / 2, y_a, height, height, "score"),
            st.text(x, y_a + height / 2 + 6, f"$α_{i + 1}$", anchor="middle", cls="vk-score"),
            st.arrow([(x, y_a + height + 6), (x, y_h - 6)], "value"),
            st.text(x + 12, y_a + height + 32, f"× $V_{i + 1}$", cls="vk-muted", size=st.SMALL),
            st.sheet(x - head / 2, y_h, head, height, "value"),
            st.text(x, y_h + height / 2 + 6, f"$Z_{i + 1}$", anchor="middle", cls="vk-value"),
        ]
        target = 240 - width / 2 + (i + 0.5) * head
        parts += [
            st.path(
                f"M{x} {y_h + height + 6}C{x} {y_h + height + 40}"
                f" {st.num(target)} {y_c - 40} {st.num(target)} {y_c - 8}",
                cls="value",
                width=1.5,
            ),
            st.sheet(240 - width / 2 + i * head, y_c, head, height, "value"),
            st.text(target, y_c + height / 2 + 6, f"$Z_{i + 1}$", anchor="middle", cls="vk-value"),
        ]
    parts += [
        st.text(
            lanes[0] + height / 2 + 8,
            y_a + height / 2 + 5,
            f"{n} × {n}",
            cls="vk-muted",
            size=st.SMALL,
        ),
        st.text(
            240 + width / 2 + 14,
            y_c + height / 2 - 4,
            "side by side:",
            cls="vk-muted",
            size=st.SMALL,
        ),
        st.text(
            240 + width / 2 + 14,
            y_c + height / 2 + 15,
            f"{data['joined'][0]} × {data['joined'][1]}",
            cls="vk-muted",
            size=st.SMALL,
        ),
        st.arrow([(240, y_c + height + 6), (240, y_o - 8)], "input"),
        st.text(
            252, y_c + height + 38, f"× $W_O$, {d_model} × {d_model}", cls="vk-muted", size=st.SMALL
        ),
        st.sheet(240 - width / 2, y_o, width, height, "input"),
        st.text(240, y_o + height / 2 + 6, "output", anchor="middle", cls="vk-input"),
        st.text(
            240 + width / 2 + 14,
            y_o + height / 2 + 5,
            f"{data['output'][0]} × {data['output'][1]}",
            cls="vk-muted",
            size=st.SMALL,
        ),
    ]
    return st.figure_svg(
        "multi-head",
        "Multi-head attention",
        f"X, {n} by {d_model}, goes to {h} heads. Each has queries, keys and values of width"
        f" {data['Q'][1]}, weights of its own, {n} by {n}, and an output {n} by {data['head'][1]}."
        f" Side by side the outputs are {data['joined'][0]} by {data['joined'][1]}; W_O mixes them"
        " and leaves that shape.",
        y_o + height + 14,
        parts,
    )
