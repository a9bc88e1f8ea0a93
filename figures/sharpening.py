"""A query that gets longer: its weights go from shares of all to one key alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets.softmax import softmax

WORDS = ("River", "bank", "is", "calm")
VALUES = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 0.0], [0.3, 0.1]])


def data() -> dict[str, Any]:
    """Return the weights and the answer for each length of the query."""
    lengths = np.array([1, 4, 16, 64])
    weights = softmax(lengths[:, None] * np.eye(4)[0] / np.sqrt(4))
    return {"words": WORDS, "lengths": lengths, "weights": weights, "answers": weights @ VALUES}


def draw(data: Mapping[str, Any]) -> str:
    """Draw for each length one bar of weights, and behind it the answer."""
    left, width, parts = 12.0, 330.0, []
    parts.append(st.text(left + width + 16, 22, "answer", cls="vk-value", size=st.SMALL))
    rows = zip(data["lengths"], data["weights"], data["answers"], strict=True)
    for i, (length, weights, answer) in enumerate(rows):
        y, x = 38 + 62.0 * i, left
        parts += [
            st.text(left, y - 9, f"query of length {length}", size=st.SMALL),
            st.text(
                left + width + 16,
                y + 21,
                f"({answer[0]:.2f}, {answer[1]:.2f})",
                cls="vk-value",
            ),
        ]
        for word, weight in zip(data["words"], weights, strict=True):
            wide = width * float(weight)
            if wide < 2:
                continue
            strength = 0.5 if word == data["words"][0] else 0.15
            parts.append(st.rect(x, y, wide - 2, 32, cls="vk-score", opacity=strength, radius=2))
            if wide > 44:
                parts.append(
                    st.text(x + wide / 2 - 1, y + 21, word, anchor="middle", size=st.SMALL)
                )
            x += wide
    said = "; ".join(
        f"length {length}, weight of {data['words'][0]} {row[0]:.2f}"
        for length, row in zip(data["lengths"], data["weights"], strict=True)
    )
    return st.figure_svg(
        "dictionary-limit",
        "From a mixture to a dictionary",
        f"Four bars of one length, cut into the weights of {', '.join(data['words'])}: {said}.",
        38 + 62 * 4 - 22,
        parts,
        left=left,
        right=435,
    )
