"""The two banks: one vector in a table, many in context."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets.torch_random import TorchRandom

SENTENCES = (("River", "bank", "is", "calm"), ("Bank", "stores", "money"))


def static_data() -> dict[str, Any]:
    """Return two sentences and a table of vectors, drawn at random as one is before training."""
    words = sorted({word.lower() for sentence in SENTENCES for word in sentence})
    table = TorchRandom(123).rand(len(words), 5).astype(np.float64)
    return {"sentences": [" ".join(s) for s in SENTENCES], "words": words, "table": table}


def draw_static(data: Mapping[str, Any]) -> str:
    """Two sentences, two senses of bank, one row of the table."""
    words, table = data["words"], data["table"]
    cell, x, y = (30, 30), 322, 100
    row = words.index("bank")
    level = y + (row + 0.5) * cell[1]
    parts = [
        st.text(x + 2.5 * cell[0], y - 16, "look-up table", anchor="middle", cls="vk-muted"),
        *(
            st.text(
                x - 12,
                y + (i + 0.5) * cell[1] + 5,
                word,
                anchor="end",
                bold=i == row,
                cls="" if i == row else "vk-muted",
            )
            for i, word in enumerate(words)
        ),
        st.heat_map(x, y, table, "input", cell, decimals=None, full=0.9, marked=row),
    ]
    return st.figure_svg(
        "static-embeddings",
        "Static embeddings",
        "Arrows from the word bank in the sentences River bank is calm and Bank stores money lead"
        " to one and the same row of a look-up table: one vector for both senses.",
        y + len(words) * cell[1] + 14,
        parts + _sentences(level, x - 58),
    )


def _sentences(level: float, end: float) -> list[str]:
    """Write both sentences and lead their banks to one place."""
    parts = []
    for sentence, places, y, sense, turn in (
        (SENTENCES[0], (34, 86, 126, 162), level - 64, "the land beside water", -1),
        (SENTENCES[1], (36, 100, 164), level + 76, "the house that keeps money", 1),
    ):
        k = [word.lower() for word in sentence].index("bank")
        x, edge = places[k], y - 5 - 15 * turn
        parts += [
            *(
                st.text(place, y, word, anchor="middle", bold=i == k)
                for i, (place, word) in enumerate(zip(places, sentence, strict=True))
            ),
            st.rect(x - 25, y - 20, 50, 30, cls="vk-fg", radius=6, stroke=1.25),
            st.text(12, y + 30 * turn + 2, sense, cls="vk-muted", size=st.SMALL),
            st.arrow([(x, edge), (x, level + 5 * turn), (end, level + 5 * turn)], "input"),
        ]
    return parts
