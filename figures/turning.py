"""Rotary positions: pairs that turn, and a score that knows the distance alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets.rotary import alibi_bias, alibi_slopes, rotary_angles, rotate
from snippets.softmax import softmax

POSITIONS = 6
WIDTH = 4
BASE = 100.0  # so that the second pair turns visibly: by a tenth of the first


def data() -> dict[str, Any]:
    """Return a query's two pairs at six positions, and scores against distance, twice."""
    q = np.array([[1.0, 0.9, 0.0, 0.3]])
    k = np.array([[0.8, 0.7, 0.3, -0.2]])

    def at(x: Any, positions: Any) -> Any:
        angles = rotary_angles(positions, WIDTH, BASE)
        return rotate(x, np.cos(angles), np.sin(angles))

    distances = np.arange(25)
    return {
        "queries": at(q, np.arange(POSITIONS)),
        "distances": distances,
        "near": (at(q, np.array([24])) * at(k, 24 - distances)).sum(axis=-1),
        "far": (at(q, np.array([1024])) * at(k, 1024 - distances)).sum(axis=-1),
    }


def draw(data: Mapping[str, Any]) -> str:
    """Two circles with the query at six positions; below, the scores."""
    queries, radius, middle = data["queries"], 84, 132
    parts = []
    for pair, (x, title) in enumerate(
        ((130, "first pair: 1 radian each"), (386, "second pair: 0.1 radian"))
    ):
        parts += [
            st.text(x, 24, title, anchor="middle", size=st.SMALL),
            f'<circle class="vk-line vk-stroke" cx="{x}" cy="{middle}" r="{radius}"/>',
            st.dot(x, middle, 2.5, "muted"),
        ]
        points = queries[:, [pair, pair + WIDTH // 2]]
        points = points / np.linalg.norm(points[0])
        for position, (a, b) in enumerate(points):
            end = (x + radius * a, middle - radius * b)
            parts.append(st.arrow([(x, middle), end], cls="query", width=1.5))
            reach = radius + 14
            parts.append(
                st.text(
                    x + reach * a,
                    middle - reach * b + 5,
                    str(position),
                    anchor="middle",
                    cls="vk-muted",
                    size=13,
                )
                if pair == 0 or position in (0, POSITIONS - 1)
                else ""
            )
    top, floor, left, right = 306, 426, 64, 502
    scores, distances = data["near"], data["distances"]
    low, high = -2.0, 2.0
    xs = np.interp(distances, (0, distances[-1]), (left, right))
    ys = np.interp(scores, (low, high), (floor, top))
    far = np.interp(data["far"], (low, high), (floor, top))
    parts += [
        st.text(left, top - 30, "score against distance", size=16),
        *(
            st.path(f"M{left} {st.num(level)}H{right}", width=1 if tick == 0 else 0.5)
            + st.text(
                left - 10,
                level + 5,
                f"{tick}".replace("-", "−"),
                anchor="end",
                cls="vk-muted",
                size=13,
            )
            for tick in (-2, 0, 2)
            for level in (float(np.interp(tick, (low, high), (floor, top))),)
        ),
        *(
            st.text(float(xs[t]), floor + 20, str(t), anchor="middle", cls="vk-muted", size=13)
            for t in (0, 6, 12, 18, 24)
        ),
        st.path(st.polyline(zip(xs, ys, strict=True)), cls="score", width=2),
        *(st.dot(float(a), float(b), 3.5, "score") for a, b in zip(xs, far, strict=True)),
        st.text(
            (left + right) / 2, floor + 42, "distance of query and key", anchor="middle",
            cls="vk-muted", size=st.SMALL,
        ),
        st.text(
            left, floor + 68, "line: query at position 24; dots: query at position 1,024",
            cls="vk-muted", size=st.SMALL,
        ),
    ]  # fmt: skip
    return st.figure_svg(
        "rotary",
        "Rotary positions",
        f"Two circles. On each, one pair of numbers of a query at the positions 0 to"
        f" {POSITIONS - 1}. The first pair turns by one radian for each position, the second by a"
        " tenth of that. Below, the score of a query and a key against their distance: the same"
        " values whether the query is at position 24 or 1,024.",
        floor + 84,
        parts,
        left=29.5,
    )


def slopes_data() -> dict[str, Any]:
    """Return the weights of eight heads with ALiBi on twelve tokens, if all scores are equal."""
    return {"weights": softmax(alibi_bias(8, 12)[:, -1]), "slopes": alibi_slopes(8)}


def draw_slopes(data: Mapping[str, Any]) -> str:
    """Draw a row for each head, from the largest slope to the smallest."""
    weights, left, top, cell = data["weights"], 84.0, 56.0, (33.0, 28.0)
    heads, tokens = weights.shape
    parts = [
        st.text(12, 24, "slope", size=st.SMALL),
        st.text(left, 24, "tokens read, the last one on the right", cls="vk-muted", size=st.SMALL),
        *(
            st.text(
                left + (j + 0.5) * cell[0],
                top - 10,
                f"{j + 1 - tokens}".replace("-", "−"),
                anchor="middle",
                cls="vk-muted",
                size=13,
            )
            for j in range(tokens)
        ),
        *(
            st.text(left - 14, top + (i + 0.5) * cell[1] + 5, f"1/{1 / slope:.0f}", anchor="end")
            for i, slope in enumerate(data["slopes"])
        ),
        st.heat_map(left, top, weights, "score", cell, decimals=None, full=0.95),
    ]
    return st.figure_svg(
        "alibi-slopes",
        "What eight heads with ALiBi read, if all scores are equal",
        f"A map of {heads} heads by {tokens} tokens. The first head gives the last token"
        f" {weights[0, -1]:.4f} and the first {weights[0, 0]:.4f}; the last head is almost even,"
        f" {weights[-1, -1]:.4f} and {weights[-1, 0]:.4f}.",
        top + heads * cell[1] + 6,
        parts,
        left=12,
        right=left + tokens * cell[0],
    )
