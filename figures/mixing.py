"""From scores to a mixture: softmax as bars, the context vector among the values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets import running_example as ex
from snippets.softmax import softmax

FACTORS = (1, 4, 16)


def softmax_data() -> dict[str, Any]:
    """Return one row of scaled scores, its exponentials and weights, and sharper ones."""
    s = ex.scaled_scores[st.ROW]
    return {
        "tokens": ex.tokens,
        "scaled scores": s,
        "exponentials": np.exp(s),
        "weights": softmax(s),
        "factors": FACTORS,
        "sharper": np.array([softmax(factor * s) for factor in FACTORS]),
    }


def draw_softmax(data: Mapping[str, Any]) -> str:
    """Scores to exponentials to weights; and the same scores made larger."""
    s, e, p = data["scaled scores"], data["exponentials"], data["weights"]
    tokens = data["tokens"]
    columns = (86, 222, 358)
    parts = [
        st.text(columns[0], 20, "One row of scores, that of journey:", cls="vk-muted"),
        st.text(72, 54, "key ↓", anchor="end", cls="vk-key", size=st.SMALL),
        st.tokens_down(72, 74, tokens, 26, marked=None),
    ]
    for x, head, values, foot in (
        (columns[0], "scaled score $s$", s, ""),
        (columns[1], "exp $s$", e, f"sum {e.sum():.2f}"),
        (columns[2], "weight", p, f"sum {p.sum():.2f}"),
    ):
        parts += [
            st.text(x, 54, head),
            st.bars(x, 74, values, values.max()),
            st.text(x, 252, foot, cls="vk-muted", size=st.SMALL),
        ]
    y = 352
    parts += [
        st.text(72, y - 10, "key ↓", anchor="end", cls="vk-key", size=st.SMALL),
        st.text(columns[0], y - 44, "The same scores, made larger:", cls="vk-muted"),
        st.tokens_down(72, y + 10, tokens, 26, marked=None),
    ]
    for x, factor, row in zip(columns, data["factors"], data["sharper"], strict=True):
        parts += [st.text(x, y - 10, f"softmax({factor} $s$)" if factor > 1 else "softmax($s$)")]
        parts += [st.bars(x, y + 10, row, 1.0)]
    return st.figure_svg(
        "softmax",
        "Softmax",
        f"Bars for each token. The scaled scores of journey {st.listed(s)}, their exponentials"
        f" {st.listed(e)} and, divided by the sum, the weights {st.listed(p)}. Below, the"
        f" weights of the same scores times 1, 4 and 16: almost flat, then sharper, the largest"
        f" {st.listed(data['sharper'].max(axis=1))}.",
        y + 180,
        parts,
    )


def context_data() -> dict[str, Any]:
    """Return the values, the weights of one query, its context vector, the values' hull."""
    return {
        "tokens": ex.tokens,
        "V": ex.V,
        "weights": ex.alpha[st.ROW],
        "z": ex.Z[st.ROW],
        "hull": hull(ex.V),
    }


def hull(points: Any) -> list[int]:
    """Return the indices of the convex hull's corners, in order (gift wrapping)."""
    start = at = int(points[:, 0].argmin())
    corners: list[int] = []
    while not corners or at != start:
        corners.append(at)
        rest = [i for i in range(len(points)) if i != at]
        at = next(
            i for i in rest if all(_left_turn(points[at], points[i], points[k]) for k in rest)
        )
    return corners


def _left_turn(a: Any, b: Any, c: Any) -> bool:
    return bool((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) >= 0)


def draw_context(data: Mapping[str, Any]) -> str:
    """Six value vectors in the plane, and their weighted mean inside their hull."""
    V, weights, z = data["V"], data["weights"], data["z"]
    left, right, top, bottom = 56, 446, 32, 372

    def place(v: Any) -> tuple[float, float]:
        return (
            float(np.interp(v[0], (0.1, 0.45), (left, right))),
            float(np.interp(v[1], (0.2, 1.1), (bottom, top))),
        )

    points, (zx, zy) = [place(v) for v in V], place(z)
    parts = [
        st.path(f"M{left} {top}V{bottom}H{right}"),
        *(
            st.text(
                place((t, 0))[0], bottom + 20, f"{t:g}", anchor="middle", cls="vk-muted", size=13
            )
            for t in (0.1, 0.2, 0.3, 0.4)
        ),
        *(
            st.text(left - 8, place((0, t))[1] + 5, f"{t:g}", anchor="end", cls="vk-muted", size=13)
            for t in (0.2, 0.4, 0.6, 0.8, 1)
        ),
        '<path class="vk-value" fill-opacity=".08" d="'
        + st.polyline([points[i] for i in data["hull"]], closed=True)
        + '"/>',
        *(
            st.path(f"M{st.num(zx)} {st.num(zy)}L{st.num(x)} {st.num(y)}", cls="score", width=w)
            for (x, y), w in zip(points, (weights * 14).round(1), strict=True)
        ),
        *(
            st.dot(x, y, r, "value")
            for (x, y), r in zip(points, 14 * np.sqrt(weights), strict=True)
        ),
        st.dot(zx, zy, 7, "fg"),
        st.text(zx - 56, zy + 22, "$z$ of journey", anchor="end", bold=True),
        st.text(zx - 56, zy + 42, f"({z[0]:.3f}, {z[1]:.3f})", anchor="end"),
        st.text(right + 10, bottom + 6, "$v_1$"),
        st.text(left, top - 10, "$v_2$", anchor="middle"),
    ]
    aside = {"journey": (4, -18, "middle"), "starts": (-14, -2, "end"), "Your": (0, -16, "middle")}
    for (x, y), token, weight in zip(points, data["tokens"], weights, strict=True):
        dx, dy, anchor = aside.get(token, (16, 5, "start"))
        words = f"{token} {weight:.3f}"
        parts.append(
            st.text(x + dx, y + dy, words, anchor=anchor, cls="vk-value", bold=token == "journey")
        )
    return st.figure_svg(
        "context-vector",
        "Context vector",
        "The six value vectors as points in a plane, their convex hull shaded. The context vector"
        f" of journey, {st.listed(z, 3)}, lies inside it, at the mean of the values weighted by"
        f" {st.listed(weights, 3)}.",
        410,
        parts,
    )
