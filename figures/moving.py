"""What is read when two names change places: by computed weights, and by fixed ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets import pronoun_example as mary
from snippets.attention import attention_weights

SENTENCES = ("Mary saw Tom and she waved", "Tom saw Mary and she waved")


def data() -> dict[str, Any]:
    """Return the row of *she* in both sentences, and the row of the first one for both."""
    rows = []
    for sentence in SENTENCES:
        words = sentence.split()
        X = np.array([mary.vocabulary[word] for word in words])
        S = (X @ mary.W_Q) @ (X @ mary.W_K).T
        rows.append(attention_weights(S, scale=1 / np.sqrt(mary.d_k))[words.index("she")])
    return {"computed": rows, "fixed": [rows[0], rows[0]]}


def draw(data: Mapping[str, Any]) -> str:
    """Draw each sentence with arcs from *she*, as wide as their weights."""
    pitch, parts, said, base = 78.0, [], [], 0.0
    for kind, title in (
        ("computed", "attention: weights computed from the words"),
        ("fixed", "dense layer: weights fixed for each place"),
    ):
        parts.append(st.text(12, base + 24, title, bold=True))
        for k, (sentence, row) in enumerate(zip(SENTENCES, data[kind], strict=True)):
            words, y = sentence.split(), base + 108 + 100 * k
            asks, most = words.index("she"), int(np.argmax(row))
            start = 40 + pitch * asks
            for j, weight in enumerate(row):
                x = 40 + pitch * j
                rise = 14 + 11 * abs(j - asks)
                arc = f"M{start:g} {y - 20:g}C{start:g} {y - 20 - rise:g} {x:g} {y - 20 - rise:g}"
                if j != asks:
                    parts.append(
                        st.path(
                            f"{arc} {x:g} {y - 20:g}",
                            cls="score",
                            width=round(max(7 * float(weight), 0.5), 2),
                        )
                    )
            for j, word in enumerate(words):
                hue = "query" if j == asks else "key" if j == most else "line"
                parts += [
                    st.rect(8 + pitch * j, y - 18, 64, 26, cls=f"vk-{hue}", opacity=0.25, radius=4),
                    st.text(40 + pitch * j, y, word, anchor="middle", bold=j in (asks, most)),
                ]
            said.append(f"{title.split(':')[0]}, {sentence}: she reads {words[most]}")
        base += 226
    return st.figure_svg(
        "names-change-places",
        "Computed weights follow a word, fixed ones a place",
        f"Both sentences twice, with arcs from she. {'; '.join(said)}.",
        base - 2,
        parts,
        left=8,
        right=8 + 5 * pitch + 64,
    )
