"""What stands beside attention in a layer: feed-forward, residual, normalization."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from figures.matrices import slanted
from snippets import bank_by_hand as hand
from snippets.attention import scaled_dot_product_attention
from snippets.feed_forward import feed_forward, gelu, relu
from snippets.layer_norm import layer_norm
from snippets.multi_head import multi_head_attention


def feed_forward_data() -> dict[str, Any]:
    """Return the curves of both activations, and the widths of a layer for our sentence."""
    x = np.linspace(-3, 3, 61)
    return {
        "tokens": hand.tokens,
        "x": x,
        "relu": relu(x),
        "gelu": gelu(x),
        "widths": (hand.d_model, 4 * hand.d_model),
    }


def draw_feed_forward(data: Mapping[str, Any]) -> str:
    """Draw each token widened, activated and narrowed by itself; below, two activations."""
    d_model, d_ff = data["widths"]
    cell, pitch, y = 10, 26, 58
    x_in, x_wide, x_out = 78, 182, 436
    bottom = y + pitch * len(data["tokens"])
    captions = (
        (x_in, d_model, "input", "$d_{model}$"),
        (x_wide, d_ff, "fg", "$d_{ff}$ = 4 $d_{model}$"),
        (x_out, d_model, "input", "$d_{model}$"),
    )
    parts = [
        st.tokens_down(x_in - 12, y, data["tokens"], pitch, marked=None),
        *(
            st.text(
                x + width * cell / 2, y - 10, words, anchor="middle", cls="vk-muted", size=st.SMALL
            )
            for x, width, _, words in captions
        ),
        *(
            st.text(x, 24, words, anchor="middle")
            for x, words in (
                (155, "$W_1$"),
                (x_wide + d_ff * cell / 2, "activation $φ$"),
                (409, "$W_2$"),
            )
        ),
    ]
    for i in range(len(data["tokens"])):
        centre = y + (i + 0.5) * pitch
        for x, width, hue, _ in captions:
            parts += [
                st.sheet(x, centre - 7, width * cell, 14, hue),
                st.path(
                    "".join(f"M{x + k * cell} {centre - 7:g}v14" for k in range(1, width)),
                    cls=hue,
                    width=0.75,
                ),
            ]
        parts += [
            st.arrow([(x_in + d_model * cell + 8, centre), (x_wide - 8, centre)]),
            st.arrow([(x_wide + d_ff * cell + 8, centre), (x_out - 8, centre)]),
        ]
    parts.append(
        st.text(282, bottom + 26, "one map for every token; no token sees another", anchor="middle")
    )
    left, right, top, floor = 84, 500, bottom + 72, bottom + 262
    xs = np.interp(data["x"], (-3, 3), (left, right))
    zero = np.interp(0, (-0.3, 3), (floor, top))
    parts += [
        st.text(left, top - 14, "the activation $φ$: ReLU or GELU", size=16),
        st.path(f"M{left} {st.num(zero)}H{right}M{(left + right) / 2:g} {top}V{floor}"),
        *(
            st.text(
                np.interp(t, (-3, 3), (left, right)),
                floor + 18,
                _signed(t, 0),
                anchor="middle",
                cls="vk-muted",
                size=13,
            )
            for t in (-3, -2, -1, 0, 1, 2, 3)
        ),
        *(
            st.text(
                left - 8,
                np.interp(t, (-0.3, 3), (floor, top)) + 5,
                str(t),
                anchor="end",
                cls="vk-muted",
                size=13,
            )
            for t in (0, 1, 2, 3)
        ),
    ]
    for name, hue, width in (("relu", "fg", 2), ("gelu", "petrol", 2.5)):
        ys = np.interp(data[name], (-0.3, 3), (floor, top))
        parts.append(st.path(st.polyline(zip(xs, ys, strict=True)), cls=hue, width=width))
    lowest = f"{data['gelu'].min():.2f}".replace("-", "−")
    parts += [
        st.text(right - 100, top + 60, "ReLU", anchor="end"),
        st.text(left + 8, zero - 12, f"GELU, lowest {lowest}", cls="vk-petrol"),
    ]
    return st.figure_svg(
        "feed-forward",
        "Feed-forward layer",
        f"Eleven tokens, each widened from {d_model} to {d_ff} numbers by W_1, passed through the"
        f" activation, and narrowed to {d_model} by W_2, each in the same way and separately."
        f" Below, the curves of ReLU, 0 left of 0, and of GELU, smooth, its lowest value {lowest}.",
        floor + 34,
        parts,
        left=28.6,
    )


HEADS: Any = multi_head_attention(hand.X, hand.X, hand.X, hand.heads, hand.h)


def residual_data(
    tokens: Any = hand.tokens,
    features: Any = hand.features,
    x: Any = hand.X,
    y: Any = hand.X + HEADS,
) -> dict[str, Any]:
    """Return four words' rows of x, what two heads make of them, and their sum y."""
    shown = ["Mia", "river", "bank", "is"]
    rows = [tokens.index(token) for token in shown]
    names = {"tokens": shown, "features": features}
    return {**names, "X": x[rows], "change": (y - x)[rows], "sum": y[rows]}


def draw_residual(data: Mapping[str, Any]) -> str:
    """Lead the input past the layer and add it to what the layer makes of it."""
    x_X, x_f, x_s, cell, y = 48, 186, 324, (25, 30), 214
    top, centre = 40, 2.5 * cell[0]
    height, row = len(data["X"]) * cell[1], data["tokens"].index("bank")
    parts = [
        st.text(
            x_f + centre,
            top - 14,
            "the residual path: $x$ as it is",
            anchor="middle",
            cls="vk-input",
        ),
        st.arrow(
            [
                (x_X + centre, y - 92),
                (x_X + centre, top),
                (x_s + centre, top),
                (x_s + centre, 90),
            ],
            "input",
            2.5,
        ),
        st.arrow([(x_X + centre, 100), (x_f + centre - 62, 100)], "input"),
        st.rect(x_f + centre - 62, 82, 124, 36, cls="vk-petrol", radius=18, opacity=0.1),
        st.rect(x_f + centre - 62, 82, 124, 36, cls="vk-petrol", radius=18, stroke=1.25),
        st.text(x_f + centre, 105, "layer $f$", anchor="middle", bold=True),
        st.arrow([(x_f + centre + 62, 100), (x_s + centre - 10, 100)], "petrol"),
        st.plus(x_s + centre, 100),
        st.arrow([(x_s + centre, 110), (x_s + centre, y - 88)], "fg"),
        *(
            st.text(x + centre, y - 68, name, anchor="middle", size=17, cls=cls)
            for x, name, cls in (
                (x_X, "$X$", "vk-input"),
                (x_f, "$f(X)$", "vk-petrol"),
                (x_s, "$X$ + $f(X)$", ""),
            )
        ),
        *(
            slanted(x + (k + 0.5) * cell[0], y - 8, feature)
            for x in (x_X, x_f, x_s)
            for k, feature in enumerate(data["features"])
        ),
        st.tokens_down(x_X - 8, y, data["tokens"], cell[1], marked=row),
        st.heat_map(x_X, y, data["X"], "input", cell, decimals=1, marked=row, size=12),
        st.heat_map(x_f, y, data["change"], "petrol", cell, decimals=1, marked=row, size=12),
        st.heat_map(x_s, y, data["sum"], "fg", cell, decimals=1, marked=row, size=12, full=0.3),
        *(
            st.text(x, y + height / 2 + 6, sign, anchor="middle", size=18)
            for x, sign in ((x_f - 6, "+"), (x_s - 6, "="))
        ),
        st.text(
            x_f + centre,
            y + height + 26,
            "three matrices of one shape: else no sum",
            anchor="middle",
            cls="vk-muted",
        ),
    ]
    return st.figure_svg(
        "residual-connection",
        "Residual connection",
        "A path leads X around a layer f to a plus sign, where X is added to the output of the"
        " layer. Below, the three matrices; the row of bank is outlined:"
        f" {st.listed(data['X'][row], 1)} plus {st.listed(data['change'][row], 1)} is"
        f" {st.listed(data['sum'][row], 1)}.",
        y + height + 42,
        parts,
        left=5.4,
        right=470,
    )


def norm_data() -> dict[str, Any]:
    """Return five tokens of eight numbers with unlike means and spreads, and them normalized."""
    rng = np.random.default_rng(3)
    means, stds = np.array([[4.0, -3, 0.5, 7, -1]]).T, np.array([[1.0, 2.2, 0.4, 1.5, 3]]).T
    before = means + stds * rng.standard_normal((5, 8))
    after = layer_norm(before, np.ones(8), np.zeros(8))
    return {"before": before, "after": after}


def draw_norm(data: Mapping[str, Any]) -> str:
    """Draw the numbers of each token on a line: scattered before, alike after."""
    before, after = data["before"], data["after"]
    pitch, y = 40, 64
    floor = y + pitch * len(before)
    parts = [
        st.text(72, 24, "before", size=16),
        st.text(338, 24, "after", size=16),
        st.text(300, 46, "mean, std", anchor="end", cls="vk-petrol", size=st.SMALL),
    ]
    for left, right, values, span, ticks in (
        (72, 222, before, (-9, 10), (-8, -4, 0, 4, 8)),
        (338, 460, after, (-3, 3), (-2, 0, 2)),
    ):
        means, stds = values.mean(axis=1), values.std(axis=1)
        at = np.interp(ticks, span, (left, right))
        parts.append(
            st.path("".join(f"M{st.num(x)} {y - 20}V{floor}" for x in at), width=0.75)
            + "".join(
                st.text(x, floor + 20, _signed(t, 0), anchor="middle", cls="vk-muted", size=12)
                for x, t in zip(at, ticks, strict=True)
            )
        )
        for i, (row, mean, std) in enumerate(zip(values, means, stds, strict=True)):
            level = y + pitch * i + pitch // 2
            low, centre, high = np.interp((mean - std, mean, mean + std), span, (left, right))
            parts += [
                st.rect(low, level - 9, high - low, 18, cls="vk-petrol", opacity=0.2),
                *(st.dot(x, level, 3.5, "input") for x in np.interp(row, span, (left, right))),
                st.path(f"M{st.num(centre)} {level - 12}v24", cls="petrol", width=2.5),
            ]
    for i, row in enumerate(before):
        level = y + pitch * i + pitch // 2 + 5
        parts += [
            st.text(60, level, f"token {i + 1}", anchor="end", cls="vk-muted", size=st.SMALL),
            st.text(266, level, _signed(row.mean(), 1), anchor="end", cls="vk-petrol"),
            st.text(300, level, _signed(row.std(), 1), anchor="end", cls="vk-petrol"),
        ]
    parts.append(st.text(399, floor + 46, "mean 0, std 1", anchor="middle", cls="vk-petrol"))
    return st.figure_svg(
        "layer-normalization",
        "Layer normalization",
        "Five tokens, the eight numbers of each as dots on a line. Before, the means are"
        f" {st.listed(before.mean(axis=1), 1)} and the standard deviations"
        f" {st.listed(before.std(axis=1), 1)}; after, every token has mean 0 and standard"
        " deviation 1, its dots in the same order.",
        floor + 60,
        parts,
        left=14.6,
        right=455.6,
    )


def _signed(value: float, decimals: int) -> str:
    return f"{value:.{decimals}f}".replace("-", "−")


SUMMED = hand.X + HEADS
OTHER = SUMMED.copy()
OTHER[hand.BANK, 1] = 0


def own_row_data(tokens: Any = hand.tokens, X: Any = SUMMED, other: Any = OTHER) -> dict[str, Any]:
    """Return how much each row of two layers changes when bank loses its water."""

    def feed(x: Any) -> Any:
        return feed_forward(x, hand.W_1, hand.b_1, hand.W_2, hand.b_2)

    def attend(x: Any) -> Any:
        return scaled_dot_product_attention(x, x, x)

    changes = [np.abs(layer(other) - layer(X)).max(axis=1) for layer in (feed, attend)]
    return {"tokens": tokens, "changes": np.array(changes)}


def draw_own_row(data: Mapping[str, Any]) -> str:
    """Draw the largest change of each row as a column, for both layers."""
    tokens, changes, left, pitch, high = data["tokens"], data["changes"], 14.0, 43.0, 92.0
    parts = []
    for i, (words, hue) in enumerate((("feed-forward layer", "fg"), ("attention", "petrol"))):
        floor = 148 + 182 * i
        parts += [
            st.text(12, floor - high - 28, words, bold=True),
            st.path(f"M{left} {floor}H{st.num(left + pitch * len(tokens))}"),
        ]
        for j, (token, change) in enumerate(zip(tokens, changes[i], strict=True)):
            x, length = left + pitch * (j + 0.5), max(high * float(change), 1.0)
            parts += [
                st.rect(x - 14, floor - length, 28, length, cls=f"vk-{hue}", opacity=0.6, radius=2),
                st.text(x, floor - length - 7, f"{change:.2f}", anchor="middle", size=st.SMALL),
                st.text(x, floor + 19, token, anchor="middle", cls="vk-muted", size=st.SMALL),
            ]
    return st.figure_svg(
        "own-row-only",
        "Which rows change when one word changes",
        "Columns for the words, twice. When bank loses its water, only its own row changes in the"
        f" feed-forward layer, by {changes[0].max():.2f}; in attention every row changes, from"
        f" {changes[1].min():.2f} to {changes[1].max():.2f}.",
        148 + 182 + 28,
        parts,
        left=12,
        right=left + pitch * len(tokens),
    )
