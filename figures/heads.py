"""Several heads at once: split, attend, concatenate, project."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets.attention import scaled_dot_product_attention
from snippets.word_vectors import bank_example

UNIT = 11  # side of one number
STEPS = (0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8)  # where the shades of real weights begin
SHADES = (0, 0.1, 0.2, 0.32, 0.48, 0.64, 0.8, 0.95)


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
        st.text(240, y_X + height / 2 + 6, "$X$", anchor="middle", size=18),
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
                ),
            ]
        parts += [
            st.arrow([(x, y_Q + height + 6), (x, y_a - 6)], "score"),
            st.sheet(x - height / 2, y_a, height, height, "score"),
            st.text(x, y_a + height / 2 + 6, f"$α_{i + 1}$", anchor="middle"),
            st.arrow([(x, y_a + height + 6), (x, y_h - 6)], "value"),
            st.text(x + 12, y_a + height + 32, f"× $V_{i + 1}$", cls="vk-muted", size=st.SMALL),
            st.sheet(x - head / 2, y_h, head, height, "value"),
            st.text(x, y_h + height / 2 + 6, f"$Z_{i + 1}$", anchor="middle"),
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
            st.text(target, y_c + height / 2 + 6, f"$Z_{i + 1}$", anchor="middle"),
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
        st.text(240, y_o + height / 2 + 6, "output", anchor="middle"),
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


def real_heads_data() -> dict[str, Any]:
    """Return three heads of a trained model on two sentences, and what bank attends to."""
    example = bank_example()
    data: dict[str, Any] = {"tokens": example.tokens, "heads": list(example.maps)}
    for (block, head), maps in example.maps.items():
        data[f"{block} {head}"] = np.digitize(maps, STEPS)
        data[f"bank {block} {head}"] = [
            _most(tokens, weights[tokens.index("bank")])
            for tokens, weights in zip(example.tokens, maps, strict=True)
        ]
    return data


def _most(tokens: list[str], weights: Any) -> str:
    """Name the one or two tokens that get most, if they get a tenth."""
    order = [j for j in np.argsort(-weights)[:2] if weights[j] >= 0.1]
    return ", ".join(f"{tokens[j]} {weights[j]:.2f}" for j in order)


def draw_real_heads(data: Mapping[str, Any]) -> str:
    """Three heads of all-MiniLM-L6-v2 on both sentences, the row of bank outlined."""
    width, height = 16, 18
    titles = (
        "every token looks at the one before it",
        "bank looks at the word that says which bank",
        "in the last block, bank at its clues and itself",
    )
    n = len(data["tokens"][0])
    parts, y = [], 0
    for (block, head), title in zip(data["heads"], titles, strict=True):
        top = y + 62
        parts += [
            st.text(8, y + 20, f"Block {block}, head {head}: {title}"),
        ]
        for i, (tokens, levels) in enumerate(
            zip(data["tokens"], data[f"{block} {head}"], strict=True)
        ):
            x, row = 58 + 238 * i, tokens.index("bank")
            parts += [
                st.text(
                    x - 50,
                    y + 48,
                    f"bank → {data[f'bank {block} {head}'][i]}",
                    cls="vk-score",
                    size=st.SMALL,
                ),
                *(
                    st.text(
                        x - 8,
                        top + (k + 0.5) * height + 4.5,
                        token,
                        anchor="end",
                        size=13,
                        bold=k == row,
                        cls="" if k == row else "vk-muted",
                    )
                    for k, token in enumerate(tokens)
                ),
                st.shades(x, top, levels, "score", (width, height), SHADES),
                st.rect(x, top, n * width, n * height, cls="vk-line", radius=0, stroke=1),
                st.outline(x, top + row * height, n * width, height),
            ]
        y = top + n * height + 24
    parts.append(
        st.text(
            8, y + 6, "queries down, keys across in the same order", cls="vk-muted", size=st.SMALL
        )
    )
    said = "; ".join(
        f"block {block}, head {head}: {' and '.join(data[f'bank {block} {head}'])}"
        for block, head in data["heads"]
    )
    return st.figure_svg(
        "real-heads",
        "Heads of a real model",
        "Maps of the weights of three heads of all-MiniLM-L6-v2 on two sentences, one with a river"
        " bank, one with a bank for money. In the first head every token attends to the one before"
        f" it. What bank attends to most, in each sentence: {said}.",
        y + 22,
        parts,
    )
