"""A whole decoder: from the words of a text through two blocks to the next word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import matrices
from figures import style as st
from snippets import bank_stories, trained_decoder
from snippets.decoder import next_token_logits
from snippets.decoder_heads import attention_maps
from snippets.softmax import softmax

#: What else decides how this figure looks.
PARTS = (matrices,)

WORDS = ["<end>", "Mia", "and", "Tom", "wade", "in", "the", "river", ".", "the", "bank", "is"]
LIKELIEST, SEEN = 3, 0.03  # words below; the least weight that has a line


def _run() -> tuple[list[Any], Any]:
    model, _ = trained_decoder.load()
    numbers = bank_stories.to_numbers(WORDS)
    heads = trained_decoder.NUM_HEADS
    return attention_maps(model, numbers, heads), softmax(next_token_logits(model, numbers, heads))


MAPS, P = _run()


def data(words: Any = WORDS, maps: Any = MAPS, p: Any = P) -> dict[str, Any]:
    """Return the words, what the last one reads in each head, and the likeliest next words."""
    order = np.argsort(-p[-1], kind="stable")[:LIKELIEST]
    return {
        "words": list(words),
        "read": np.array([heads[:, -1] for heads in maps]).round(4),
        "next": [bank_stories.VOCABULARY[i] for i in order],
        "shares": p[-1][order].round(4),
    }


def draw(data: Mapping[str, Any]) -> str:
    """Draw a column for each word, and how the last one gets what it predicts."""
    words, read = data["words"], data["read"]
    left, pitch, top, rise, n = 88.0, 33.6, 68.0, 104.0, len(words)
    last, width, height = left + pitch * (n - 1), 22.0, 20.0
    parts = []
    for j, word in enumerate(words):
        x = left + pitch * j
        parts.append(matrices.slanted(x - 2, top - 14, word.replace("<", "&lt;")))
        # The vectors go on; each block adds to them.
        parts.append(st.path(f"M{st.num(x)} {top + height}v{rise * len(read) - height}", width=1))
    for block, heads in enumerate(read):
        y = top + rise * block
        for head, weights in enumerate(heads):
            shift = 5 * (2 * head - 1)
            parts += [
                st.path(
                    st.polyline(
                        [(left + pitch * j + shift, y + height), (last + shift, y + rise - 2)]
                    ),
                    cls="score",
                    width=round(9 * float(weight), 1),
                    more=' stroke-opacity=".55"',
                )
                for j, weight in enumerate(weights)
                if weight > SEEN
            ]
        parts += [
            st.text(left - 22, y + 62, f"+ block {block + 1}", anchor="end", size=st.SMALL),
            st.text(
                left - 22,
                y + 80,
                f"{len(heads)} heads",
                anchor="end",
                cls="vk-score",
                size=st.SMALL,
            ),
        ]
    for level in range(len(read) + 1):
        y = top + rise * level
        for j in range(n):
            x = left + pitch * j - width / 2
            parts.append(st.sheet(x, y, width, height, "fg" if j == n - 1 and level else "input"))
        parts.append(
            st.text(left - 22, y + 15, "vectors", anchor="end", cls="vk-muted", size=st.SMALL)
        )
    y = top + rise * len(read) + height
    parts += [
        st.arrow([(last, y + 2), (last, y + 38)], "fg"),
        st.text(
            last + 11, y + 58, "compared with each row of the table", anchor="end", size=st.SMALL
        ),
    ]
    full = float(data["shares"].max())
    for i, (word, share) in enumerate(zip(data["next"], data["shares"], strict=True)):
        edge = y + 72 + 24 * i
        parts += [
            st.text(left - 22, edge + 13, word, anchor="end"),
            st.rect(
                left - 11,
                edge,
                max(1.5, 300 * float(share) / full),
                16,
                cls="vk-petrol",
                opacity=0.75,
            ),
            st.text(
                left - 3 + 300 * float(share) / full, edge + 13, f"{share:.2f}", cls="vk-muted"
            ),
        ]
    said = []
    for block, heads in enumerate(read):
        for head, weights in enumerate(heads):
            j = int(weights.argmax())
            said.append(f"block {block + 1}, head {head + 1}: {words[j]} {weights[j]:.2f}")
    return st.figure_svg(
        "decoder-columns",
        "A decoder, a column for each word",
        f"Columns for {n} words. In each of {len(read)} blocks lines lead to the last word from the"
        f" words that its heads read, most of all from ({'; '.join(said)}). Below, its likeliest"
        f" next words: "
        + ", ".join(
            f"{word} {share:.2f}" for word, share in zip(data["next"], data["shares"], strict=True)
        )
        + ".",
        y + 72 + 24 * len(data["next"]) + 4,
        parts,
        left=11.5,
        right=last + 12,
    )
