"""Which query may attend to which key, and what becomes of the weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from figures import touch
from snippets import bank_by_hand as hand
from snippets.attention import attention_scores, attention_weights
from snippets.masks import causal_mask, padding_mask

LENGTH = 4  # tokens that are not padding


def data() -> dict[str, Any]:
    """Return the two masks, their conjunction, and the weights under each."""
    words = "river . the bank is in"
    X, tokens = hand.embed(words), words.split()
    S = attention_scores(X @ hand.W_Q, X @ hand.W_K)
    causal = causal_mask(len(tokens))
    padding = np.broadcast_to(padding_mask(np.array(LENGTH), len(tokens)), causal.shape)
    masks = {"causal": causal, "padding": padding, "both": causal & padding}
    padded = tokens[:LENGTH] + ["pad"] * (len(tokens) - LENGTH)
    return {
        "tokens": tokens,
        "padded": padded,
        **masks,
        **{
            f"{name} weights": attention_weights(S, mask, 1 / np.sqrt(hand.d_k))
            for name, mask in masks.items()
        },
    }


def draw(data: Mapping[str, Any]) -> str:
    """Three masks as grids, and beside each the weights that it leaves."""
    n, cell, x_m, x_w = len(data["tokens"]), 24, 84, 252
    width = 36.0
    parts = [
        st.text(x_m + n * cell / 2, 20, "key →", anchor="middle", cls="vk-key", size=st.SMALL),
        st.text(x_w + n * width / 2, 20, "key →", anchor="middle", cls="vk-key", size=st.SMALL),
        st.text(x_m - 12, 20, "query ↓", anchor="end", cls="vk-query", size=st.SMALL),
    ]
    for i, (name, title) in enumerate(
        (
            ("causal", "Causal: no key that comes later"),
            ("padding", "Padding: no key that is padding"),
            ("both", "Both: what causal and padding let through"),
        )
    ):
        y = 62 + i * 208
        tokens = data["tokens"] if name == "causal" else data["padded"]
        parts += [
            st.text(x_m, y - 12, title),
            st.tokens_down(x_m - 12, y, tokens, cell, marked=None),
            _grid(x_m, y, data[name], cell),
            _weights(x_w, y, data[name], data[f"{name} weights"], (width, cell)),
        ]
    bottom = 62 + 2 * 208 + n * cell
    parts += [
        st.rect(x_m + 1, bottom + 17, 16, 16, cls="vk-score", opacity=0.6),
        st.text(x_m + 24, bottom + 30, "may attend", cls="vk-muted", size=st.SMALL),
        st.text(x_w, bottom + 30, "weights; each row sums to 1", cls="vk-muted", size=st.SMALL),
    ]
    return st.figure_svg(
        "masks",
        "Causal and padding masks",
        "Three masks over six tokens, each beside its weights. Causal: a lower triangle."
        f" Padding: the first {LENGTH} columns. Both: the triangle without the last two columns."
        " What a mask forbids gets weight 0; the rest of each row still sums to 1.",
        bottom + 46,
        parts,
        left=25.4,
        right=468.5,
    )


def _grid(x: float, y: float, mask: Any, cell: int) -> str:
    """Fill the cells that a mask lets through, outline the others."""
    shut = "".join(
        f"M{st.num(x + j * cell + 3)} {st.num(y + i * cell + 3)}h{cell - 6}v{cell - 6}h{6 - cell}z"
        for i, j in np.argwhere(~mask)
    )
    open_ = [
        st.rect(x + j * cell + 1, y + i * cell + 1, cell - 2, cell - 2, opacity=0.6)
        for i, j in np.argwhere(mask)
    ]
    return "\n".join(['<g class="vk-score">', *open_, "</g>", st.path(shut)])


def _weights(x: float, y: float, mask: Any, weights: Any, cell: tuple[float, float]) -> str:
    """Write the weights that are left, a dot for a 0."""
    width, height = cell
    parts = ['<g class="vk-score">']
    parts += [
        st.rect(
            x + j * width + 1,
            y + i * height + 1,
            width - 2,
            height - 2,
            opacity=round(float(st.FAINT + (st.FULL - st.FAINT) * weights[i, j]), 2),
        )
        for i, j in np.argwhere(mask)
    ]
    parts += ["</g>", f'<g text-anchor="middle" font-size="{st.SMALL}">']
    parts += [
        st.text(
            x + (j + 0.5) * width,
            y + (i + 0.5) * height + 5,
            f"{weights[i, j]:.2f}" if mask[i, j] else "0",
            cls="" if mask[i, j] else "vk-muted",
        )
        for i, j in np.ndindex(*mask.shape)
    ]
    return "\n".join([*parts, "</g>"])


PART = slice(hand.BANK - 5, hand.BANK + 1)
CAUSAL = np.where(causal_mask(6), 0, -np.inf)


def paint_data(
    words: Any = hand.tokens[PART], Q: Any = hand.Q[PART], K: Any = hand.K[PART], M: Any = CAUSAL
) -> dict[str, Any]:
    """Return the scores of six words made by hand, the causal mask, and the weights under it."""
    scores, mask, scale = Q @ K.T, M == 0, 1 / np.sqrt(K.shape[1])
    return {
        "tokens": words,
        "scores": scores,
        "scale": scale,
        "mask": mask,
        "weights": attention_weights(scores, mask, scale),
        "length": LENGTH,
    }


def draw_paint(data: Mapping[str, Any]) -> str:
    """Draw one grid: what the mask lets through is shaded by its weight, the rest outlined."""
    tokens, mask, weights = data["tokens"], data["mask"], data["weights"]
    x, y, width, height = 72, 56, 58, 57
    sums = x + len(tokens) * width + 30
    parts = [
        st.text(x - 12, 20, "query ↓", anchor="end", cls="vk-query", size=st.SMALL),
        st.text(x + 3 * width, 20, "key →", anchor="middle", cls="vk-key", size=st.SMALL),
        st.tokens_across(x, y - 12, tokens, width),
        st.text(sums, y - 12, "sum", anchor="middle", cls="vk-muted", size=st.SMALL),
        st.tokens_down(x - 10, y, tokens, height, marked=None),
    ]
    for i, j in np.ndindex(*mask.shape):
        left, top, share = x + j * width, y + i * height, float(weights[i, j])
        box = st.rect(
            left + 2,
            top + 2,
            width - 4,
            height - 4,
            cls="vk-score" if mask[i, j] else "vk-muted vk-stroke",
            opacity=round(st.FAINT + (st.FULL - st.FAINT) * share, 2),
        )
        parts += [
            touch.part("cell", box.replace("/>", ' stroke-dasharray="3 4"/>')),
            touch.part(
                "weight",
                st.text(
                    left + width / 2,
                    top + height / 2 + 5,
                    f"{share:.2f}" if mask[i, j] else "−∞",
                    anchor="middle",
                    cls="" if mask[i, j] else "vk-muted",
                    size=st.SMALL,
                ),
            ),
        ]
    parts += [
        touch.part(
            "sum",
            st.text(sums, y + (i + 0.5) * height + 5, f"{total:g}", anchor="middle", size=st.SMALL),
        )
        for i, total in enumerate(weights.sum(axis=1).round(6))
    ]
    svg = st.figure_svg(
        "mask-to-paint",
        "A mask to paint",
        "The weights of six words, in the river, the bank, over each other under a causal mask:"
        " a lower triangle of weights, minus infinity above it. Each row sums to 1.",
        y + len(tokens) * height + 8,
        parts,
        left=13.4,
        right=464.6,
    )
    names = ("tokens", "scores", "scale", "mask", "length")
    cells = {"x": x, "y": y, "width": width, "height": height}
    return touch.touchable(
        "mask-to-paint",
        svg,
        {**{name: data[name] for name in names}, "cells": cells},
        hint=(
            "Press a cell to forbid a pair or to allow it, and watch the rest of its "
            "row. Hide “river” from “bank”, and “bank” finds nothing: its weights "
            "become even. “Padding” treats the last words as if they were padding."
        ),
    )
