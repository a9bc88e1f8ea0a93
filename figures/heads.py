"""Several heads at once: split, attend, concatenate, project."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from figures.basics import Axes
from snippets import subject_object_example as ex
from snippets.attention import scaled_dot_product_attention
from snippets.multi_head import merge_heads, multi_head_attention, split_heads
from snippets.word_vectors import bank_example

UNIT = 15  # side of one number
STEPS = (0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8)  # where the shades of real weights begin
SHADES = (0, 0.1, 0.2, 0.32, 0.48, 0.64, 0.8, 0.95)


def multi_head_data() -> dict[str, Any]:
    """Return shapes and weights of the example in which sees finds its subject and its object."""
    Q, K, V = (split_heads(ex.X @ W, ex.h) for W in (ex.W_Q, ex.W_K, ex.W_V))
    head, weights = scaled_dot_product_attention(Q, K, V, return_weights=True)
    joined = merge_heads(head)
    arrays = {"X": ex.X, "Q": Q[0], "head": head[0], "joined": joined, "output": joined @ ex.W_O}
    shapes = {name: array.shape for name, array in arrays.items()}
    return {"h": ex.h, "tokens": ex.tokens, "weights": weights, **shapes}


def draw_multi_head(data: Mapping[str, Any]) -> str:
    """X to two heads of half its width, each attending; joined and projected."""
    h, (n, d_model), tokens = data["h"], data["X"], data["tokens"]
    width, height, head = d_model * UNIT, n * UNIT, data["head"][1] * UNIT
    middle, asks, cell = 276, tokens.index("sees"), 24
    lanes = [middle + 260 * (i - (h - 1) / 2) for i in range(h)]
    y_X = 30
    y_Q = y_X + height + 76
    y_a = y_Q + height + 72
    y_h = y_a + n * cell + 50
    y_c = y_h + height + 62
    y_o = y_c + height + 62

    def small(x: float, y: float, words: str, anchor: str = "start") -> str:
        return st.text(x, y, words, anchor=anchor, cls="vk-muted", size=st.SMALL)

    fork = y_X + height + 18
    parts = [
        st.sheet(middle - width / 2, y_X, width, height, "input"),
        st.text(middle, y_X + height / 2 + 6, "$X$", anchor="middle", size=18),
        small(middle, y_X - 10, f"$d_{{model}}$ = {d_model}", "middle"),
        small(middle - width / 2 - 10, y_X + height / 2 + 5, f"$n$ = {n}", "end"),
        st.path(f"M{middle} {y_X + height}V{fork}M{lanes[0]} {fork}H{lanes[-1]}", cls="input"),
        st.tokens_down(lanes[0] - n * cell / 2 - 10, y_a, tokens, cell, marked=asks),
    ]
    for i, x in enumerate(lanes):
        parts += [
            st.arrow([(x, fork), (x, y_Q - 24)], "input"),
            st.text(x + 12, fork + 22, f"head {i + 1}", bold=True),
            small(x - 1.5 * head - 5, y_Q - 8, f"{n} × {data['Q'][1]} each") if not i else "",
        ]
        for k, (symbol, hue) in enumerate((("Q", "query"), ("K", "key"), ("V", "value"))):
            left = x - 1.5 * head - 5 + k * (head + 5)
            parts += [
                st.sheet(left, y_Q, head, height, hue),
                st.text(
                    left + head / 2, y_Q + height / 2 + 6, f"${symbol}_{i + 1}$", anchor="middle"
                ),
            ]
        target = middle - width / 2 + (i + 0.5) * head
        parts += [
            st.arrow([(x, y_Q + height + 6), (x, y_a - 32)], "score"),
            small(x + 12, y_Q + height + 26, "scores, softmax"),
            *(
                st.text(
                    x + (j + 0.5 - n / 2) * cell,
                    y_a - 8 - 13 * (j % 2),
                    token,
                    anchor="middle",
                    cls="vk-muted",
                    size=12,
                )
                for j, token in enumerate(tokens)
            ),
            st.heat_map(
                x - n * cell / 2,
                y_a,
                data["weights"][i],
                "score",
                (cell, cell),
                decimals=None,
                full=0.9,
                marked=asks,
            ),
            st.arrow([(x, y_a + n * cell + 6), (x, y_h - 6)], "value"),
            small(x + 12, y_a + n * cell + 30, f"× $V_{i + 1}$"),
            st.sheet(x - head / 2, y_h, head, height, "value"),
            st.text(x, y_h + height / 2 + 6, f"$Z_{i + 1}$", anchor="middle"),
            st.path(
                f"M{x} {y_h + height + 6}C{x} {y_h + height + 36}"
                f" {st.num(target)} {y_c - 36} {st.num(target)} {y_c - 6}",
                cls="value",
                width=1.5,
            ),
            st.sheet(middle - width / 2 + i * head, y_c, head, height, "value"),
            st.text(target, y_c + height / 2 + 6, f"$Z_{i + 1}$", anchor="middle"),
        ]
    right = middle + width / 2 + 14
    parts += [
        small(right, y_c + height / 2 - 4, "side by side:"),
        small(right, y_c + height / 2 + 15, f"{data['joined'][0]} × {data['joined'][1]}"),
        st.arrow([(middle, y_c + height + 6), (middle, y_o - 8)], "input"),
        small(middle + 12, y_c + height + 36, f"× $W_O$, {d_model} × {d_model}"),
        st.sheet(middle - width / 2, y_o, width, height, "input"),
        st.text(middle, y_o + height / 2 + 6, "output", anchor="middle"),
        small(right, y_o + height / 2 + 5, f"{data['output'][0]} × {data['output'][1]}"),
    ]
    said = ", ".join(
        f"in head {i + 1} sees attends most to {tokens[alpha[asks].argmax()]}"
        for i, alpha in enumerate(data["weights"])
    )
    return st.figure_svg(
        "multi-head",
        "Multi-head attention",
        f"X, {n} by {d_model}, goes to {h} heads. Each has queries, keys and values of width"
        f" {data['Q'][1]} and weights of its own, {n} by {n}: {said}. Side by side the outputs are"
        f" {data['joined'][0]} by {data['joined'][1]}; W_O mixes them and keeps that shape.",
        y_o + height + 14,
        parts,
        left=47.8,
        right=514,
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
        left=8,
        right=474.5,
    )


def one_or_two_data() -> dict[str, Any]:
    """Return what sees reads and gets in two sentences, with one head and with two."""
    sentences = ("today she sees him", "today he sees her")
    found: dict[str, Any] = {"sentences": list(sentences), "tokens": sentences[0].split()}
    for num_heads in (1, 2):
        for sentence in sentences:
            words = ex.embed(sentence)
            output, alpha = multi_head_attention(
                words, words, words, ex.weights, num_heads, return_weights=True
            )
            asks = sentence.split().index("sees")
            found[f"output {num_heads} {sentence}"] = output[asks]
            found[f"weights {num_heads}"] = alpha[:, asks]
    return found


def draw_one_or_two(data: Mapping[str, Any]) -> str:
    """Draw the rows of weights, and below them the outputs of both sentences."""
    x, cell = 132, (54, 32)
    y = 62
    n = len(data["tokens"])
    weights = np.concatenate([data["weights 1"], data["weights 2"]])
    parts = [
        st.text(8, 22, "what “sees” reads", size=16),
        st.tokens_across(x, y - 10, data["tokens"], cell[0]),
        *(
            st.text(x - 12, y + i * (cell[1] + 6) + 21, label, anchor="end")
            for i, label in enumerate(("one head", "two heads: 1", "2"))
        ),
        *(
            st.heat_map(x, y + i * (cell[1] + 6), row[None], "score", cell, size=st.SMALL)
            for i, row in enumerate(weights)
        ),
    ]
    y_out = y + len(weights) * (cell[1] + 6) + 66
    parts += [
        st.text(8, y_out - 40, "the output of “sees”", size=16),
        st.tokens_across(x, y_out - 10, ["female", "male", "verb"] * 2, cell[0]),
    ]
    for num_heads, label in ((1, "one head"), (2, "two heads")):
        parts.append(st.text(8, y_out + 20, label, bold=True))
        for sentence in data["sentences"]:
            y_out += 30
            parts += [
                st.text(
                    x - 12,
                    y_out + 20,
                    sentence.removeprefix("today "),
                    anchor="end",
                    cls="vk-muted",
                    size=st.SMALL,
                ),
                st.heat_map(
                    x,
                    y_out,
                    data[f"output {num_heads} {sentence}"][None],
                    "value",
                    (cell[0], 30),
                    size=st.SMALL,
                ),
            ]
        y_out += 40
    one, two = (data[f"weights {num_heads}"] for num_heads in (1, 2))
    return st.figure_svg(
        "one-head-or-two",
        "One head or two",
        f"What sees reads in {data['sentences'][0]}, of {n} words: with one head"
        f" {st.listed(one[0])}; with two heads {st.listed(two[0])} and {st.listed(two[1])}."
        " Below, the outputs of sees: with one head the same row for both sentences, with two heads"
        " female before male in one, male before female in the other.",
        y_out + 4,
        parts,
        left=8,
        right=456.5,
    )


def shares_data() -> dict[str, Any]:
    """Return, for shares of one head, how far two sentences are apart and what the object gets."""
    share = np.array([0.5, 0.6, 0.75, 1.0])
    she, him = np.eye(2)
    first, second = (
        np.outer(share, a) + np.outer(1 - share, b) for a, b in ((she, him), (him, she))
    )
    return {"share": share, "apart": np.abs(first - second).sum(axis=1) / 2, "object": 1 - share}


def draw_shares(data: Mapping[str, Any]) -> str:
    """Draw what one head can have, a line, and what two heads have, a point off it."""
    axes = Axes(44, 470, 44, 270, (0, 1.12), (0, 1.12))
    apart, rest = data["apart"], data["object"]
    parts = [
        st.text(29, 20, "↑ share of the object", size=st.SMALL),
        *axes.frame((0, 0.5, 1), (0.5, 1)),
        st.text(470, 308, "outputs apart →", anchor="end", size=st.SMALL),
        st.path(axes.curve(apart, rest), cls="petrol", width=2.5),
    ]
    for share, a, b in zip(data["share"], apart, rest, strict=True):
        x, y = axes.place(float(a), float(b))
        words = f"one head, $w$ = {share:g}" if share == 0.5 else f"$w$ = {share:g}"
        parts += [
            st.dot(x, y, 4.5, "petrol"),
            st.text(x + 10, y - 8, words, cls="vk-petrol", size=st.SMALL),
        ]
    x, y = axes.place(1, 1)
    parts += [
        st.dot(x, y, 6, "rose"),
        st.text(x - 12, y + 5, "two heads", anchor="end", cls="vk-rose", bold=True),
    ]
    said = "; ".join(
        f"share {w:g}, outputs {a:.2f} apart, {b:.2f} for the object"
        for w, a, b in zip(data["share"], apart, rest, strict=True)
    )
    return st.figure_svg(
        "one-head-shares",
        "What one head has to choose",
        f"One head: {said}. Two heads: outputs 1 apart, and all of the object.",
        316,
        parts,
        left=21,
        right=474,
    )
