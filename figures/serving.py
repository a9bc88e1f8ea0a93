"""What a model keeps while it writes: the cache, and heads that share it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets.attention import scaled_dot_product_attention
from snippets.bank_by_hand import W_K, W_Q, W_V, embed
from snippets.grouped_heads import repeat_heads
from snippets.kv_cache import write_cache
from snippets.masks import causal_mask


def cache_data() -> dict[str, Any]:
    """Return after each step which rows of the cache hold a token, and which one is new."""
    tokens = ["in", "the", "river", ".", "the", "bank"]
    steps = np.arange(len(tokens))
    held, held_by_step = np.zeros((len(tokens), 1)), []
    for step in steps:
        held = write_cache(held, np.ones((1, 1)), int(step))
        held_by_step.append(held[:, 0])
    return {"tokens": tokens, "held": np.array(held_by_step), "new": steps}


def draw_cache(data: Mapping[str, Any]) -> str:
    """Draw a row for each step: one query, the kept keys and values, and the new ones."""
    tokens, held, new = data["tokens"], data["held"], data["new"]
    n, cell, top, pitch = len(tokens), 25, 76, 46
    columns = {"Q": (104, "query"), "K": (186, "key"), "V": (372, "value")}
    parts = [
        st.text(104 + cell / 2, 24, "$Q$", anchor="middle", cls="vk-query"),
        st.text(186 + n * cell / 2, 24, "$K$", anchor="middle", cls="vk-key"),
        st.text(372 + n * cell / 2, 24, "$V$", anchor="middle", cls="vk-value"),
        st.text(88, 52, "step", anchor="end", cls="vk-muted", size=st.SMALL),
        st.text(104 + cell / 2, 52, "new", anchor="middle", cls="vk-muted", size=st.SMALL),
        *(
            st.text(x + n * cell / 2, 52, "cache", anchor="middle", cls="vk-muted", size=st.SMALL)
            for x in (186, 372)
        ),
    ]
    for step in new:
        y = top + pitch * step
        parts.append(
            st.text(88, y + 20, tokens[step], anchor="end", cls="" if step == n - 1 else "vk-muted")
        )
        parts.append(st.rect(104, y, cell, 28, cls="vk-query", opacity=0.75))
        for x, hue in (columns["K"], columns["V"]):
            for j in map(int, np.flatnonzero(held[step])):
                place = x + j * cell
                if j == step:
                    parts.append(st.rect(place, y, cell - 2, 28, cls=f"vk-{hue}", opacity=0.75))
                else:
                    parts.append(st.rect(place, y, cell - 2, 28, cls=f"vk-{hue}", opacity=0.12))
                    parts.append(
                        st.rect(place + 0.5, y + 0.5, cell - 3, 27, cls=f"vk-{hue}", stroke=1)
                    )
    bottom = top + pitch * n + 8
    parts += [
        st.rect(104, bottom, 16, 16, cls="vk-fg", opacity=0.75),
        st.text(128, bottom + 13, "computed now", cls="vk-muted", size=st.SMALL),
        st.rect(248.5, bottom + 0.5, 15, 15, cls="vk-fg", stroke=1),
        st.text(272, bottom + 13, "kept from earlier steps", cls="vk-muted", size=st.SMALL),
    ]
    return st.figure_svg(
        "kv-cache",
        "A cache of keys and values",
        f"{n} steps of writing, one below the other. In each step one query, one key and one"
        " value are computed, for the newest token; all earlier keys and values are read from"
        " the cache. No query is kept.",
        bottom + 32,
        parts,
        left=53.4,
        right=521.5,
    )


def grouped_data() -> dict[str, Any]:
    """Return for three ways to share which key head each of eight query heads reads."""
    num_heads = 8
    return {
        "num_heads": num_heads,
        "reads": np.array(
            [np.repeat(np.arange(g), num_heads // g) * (num_heads // g) for g in (8, 2, 1)]
        ),
    }


def draw_grouped(data: Mapping[str, Any]) -> str:
    """Query heads in a row above, the key heads that they read below, three times."""
    h = data["num_heads"]
    titles = ("Multi-head: 8 for 8", "Grouped-query: 2 for 8", "Multi-query: 1 for all")
    left, pitch, size = 96, 56, 26
    parts = []
    for i, (title, reads) in enumerate(zip(titles, data["reads"], strict=True)):
        y = 34 + i * 154
        parts += [
            st.text(left, y - 12, title),
            st.text(left - 14, y + 18, "queries", anchor="end", cls="vk-query", size=st.SMALL),
            st.text(left - 14, y + 92, "keys,", anchor="end", cls="vk-key", size=st.SMALL),
            st.text(left - 14, y + 108, "values", anchor="end", cls="vk-key", size=st.SMALL),
        ]
        group = h // len(set(reads.tolist()))
        for head, read in enumerate(reads):
            x, to = left + head * pitch, left + (read + (group - 1) / 2) * pitch
            parts.append(st.path(f"M{st.num(x + 13)} {y + size}L{st.num(to + 13)} {y + 82}"))
            parts.append(st.rect(x, y, size, size, cls="vk-query", opacity=0.75))
        for read in sorted(set(reads.tolist())):
            x = left + (read + (group - 1) / 2) * pitch
            parts.append(st.rect(x, y + 82, size, size, cls="vk-key", opacity=0.75))
    return st.figure_svg(
        "grouped-heads",
        "Heads that share keys and values",
        "Eight query heads, three times. Multi-head attention: each reads a key head of its own."
        " Grouped-query attention with two key heads: the first four query heads read the first,"
        " the last four the second. Multi-query attention: all read the same.",
        34 + 3 * 154 - 26,
        parts,
        left=36.8,
    )


CORNER = ["in", "the", "river", ".", "the", "bank"]


def corner_data() -> dict[str, Any]:
    """Return both masks of two new tokens, and the outputs that the last one gets."""
    X, start = embed(" ".join(CORNER)), 4
    Q, K, V = X[start:] @ W_Q, X @ W_K, X @ W_V
    masks = causal_mask(len(X))[start:], causal_mask(len(X) - start, len(X))
    return {
        "tokens": CORNER,
        "start": start,
        "masks": masks,
        "outputs": [scaled_dot_product_attention(Q, K, V, mask)[-1] for mask in masks],
    }


def draw_corner(data: Mapping[str, Any]) -> str:
    """Draw the two rows of each mask: which keys the new tokens may read."""
    tokens, start, cell, left, parts = data["tokens"], data["start"], (56, 34), 84, []
    names = ("last rows of the causal mask", "is_causal=True: rows counted from the start")
    for i, (words, mask, output) in enumerate(
        zip(names, data["masks"], data["outputs"], strict=True)
    ):
        top = 66 + 176 * i
        parts += [
            st.text(20, top - 40, words, bold=True),
            st.tokens_across(left, top - 10, tokens, cell[0]),
            st.tokens_down(left - 12, top, tokens[start:], cell[1], marked=len(mask) - 1),
        ]
        for (row, column), allowed in np.ndenumerate(mask):
            box = (left + cell[0] * column + 1, top + cell[1] * row + 1, cell[0] - 2, cell[1] - 2)
            parts.append(
                st.rect(*box, cls="vk-score", opacity=0.55)
                if allowed
                else st.rect(*box, cls="vk-line", stroke=1)
            )
        parts.append(
            st.text(
                left,
                top + 2 * cell[1] + 24,
                f"output of {tokens[-1]}: ({output[0]:.2f}, {output[1]:.2f})",
                cls="vk-value",
            )
        )
    river = tokens.index("river")
    return st.figure_svg(
        "mask-corner",
        "Two masks for two new tokens",
        f"Two rows of a mask, six keys across. With the last rows of the causal mask, bank reads"
        f" all six, {tokens[river]} among them; counted from the start, only the first two.",
        66 + 176 + 2 * cell[1] + 36,
        parts,
        left=20,
        right=left + cell[0] * len(tokens),
    )


def tiled_data(h: int = 8, g: int = 2) -> dict[str, Any]:
    """Return which keys each query head gets when keys are repeated, and when they are tiled."""
    heads = np.arange(g).reshape(g, 1, 1)
    return {
        "repeated": repeat_heads(heads, h).ravel(),
        "tiled": np.tile(heads, (h // g, 1, 1)).ravel(),
    }


def draw_tiled(data: Mapping[str, Any]) -> str:
    """Draw the query heads in a row, coloured by their keys, and mark those that differ."""
    right, left, cell, parts = data["repeated"], 12.0, 58.0, []
    for i, (name, words) in enumerate((("repeated", "repeated: right"), ("tiled", "tiled: wrong"))):
        top = 36 + 122.0 * i
        parts.append(st.text(left, top - 12, words, bold=True))
        for head, group in enumerate(data[name]):
            x, fits = left + cell * head, group == right[head]
            parts += [
                st.rect(
                    x + 2, top, cell - 4, 40, cls="vk-key", opacity=0.12 + 0.45 * float(group % 2)
                ),
                st.text(x + cell / 2, top + 25, f"keys {group}", anchor="middle", size=st.SMALL),
                st.text(
                    x + cell / 2, top + 60, f"head {head}", anchor="middle", cls="vk-muted", size=13
                ),
            ]
            if not fits:
                parts += [
                    st.rect(x + 2, top, cell - 4, 40, cls="vk-fg", stroke=2),
                    st.text(x + cell / 2, top + 80, "wrong", anchor="middle", size=st.SMALL),
                ]
    wrong = np.flatnonzero(data["tiled"] != right).tolist()
    return st.figure_svg(
        "repeat-or-tile",
        "Which keys a query head gets",
        f"{len(right)} query heads with the number of their keys. Repeated:"
        f" {' '.join(map(str, right))}. Tiled: {' '.join(map(str, data['tiled']))}; heads"
        f" {', '.join(map(str, wrong))} get the wrong keys.",
        36 + 122 + 88,
        parts,
        left=left,
        right=left + cell * len(right) - 2,
    )
