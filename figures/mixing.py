"""From scores to a mixture: softmax as bars, the context vector among the values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from figures import touch
from snippets import bank_by_hand as hand
from snippets.attention import scaled_dot_product_attention
from snippets.softmax import softmax

FACTORS = (0.25, 1, 4)
NUMBERS = np.array([2.0, 1.0, 1.0, -2.0])


def softmax_data(x: Any = NUMBERS) -> dict[str, Any]:
    """Return one row of numbers, their exponentials and shares, and flatter and sharper."""
    return {
        "numbers": x,
        "exponentials": np.exp(x),
        "shares": softmax(x),
        "factors": FACTORS,
        "sharper": np.array([softmax(factor * x) for factor in FACTORS]),
    }


def draw_softmax(data: Mapping[str, Any]) -> str:
    """Numbers to exponentials to shares; and the same numbers made smaller and larger."""
    x, e, p = data["numbers"], data["exponentials"], data["shares"]
    places = [f"{i + 1}" for i in range(len(x))]
    columns = (84, 246, 404)
    height = 26 * len(x)
    zero = columns[0] + 24
    parts = [st.tokens_down(56, 54, places, 26, marked=None)]
    parts += [
        st.rect(
            zero + min(0.0, 22 * value),
            54 + 26 * i + 5,
            max(22 * abs(value), 1),
            16,
            cls="vk-input",
            opacity=0.75,
            radius=2,
        )
        + st.text(
            zero + max(0.0, 22 * value) + 6,
            54 + 26 * i + 18,
            f"{value:.2f}".replace("-", "−"),
            size=st.SMALL,
        )
        for i, value in enumerate(x)
    ]
    parts.append(st.text(columns[0], 34, "number $x$"))
    # Shares are drawn on one scale, above and below.
    for left, head, values, full, foot, hue in (
        (columns[1], "exp($x$)", e, e.max(), f"sum {e.sum():.2f}", "input"),
        (columns[2], "÷ sum", p, 1.0, f"sum {p.sum():.2f}", "score"),
    ):
        parts += [
            st.text(left, 34, head),
            st.bars(left, 54, values, full, length=84, hue=hue),
            st.text(left, 54 + height + 22, foot, cls="vk-muted", size=st.SMALL),
        ]
    y = 54 + height + 78
    parts.append(st.tokens_down(56, y + 10, places, 26, marked=None))
    for left, factor, row in zip(columns, data["factors"], data["sharper"], strict=True):
        name = "softmax($x$)" if factor == 1 else f"softmax({factor:g} $x$)"
        parts += [st.text(left, y - 10, name), st.bars(left, y + 10, row, 1.0, length=84)]
    return st.figure_svg(
        "softmax",
        "Softmax",
        f"Bars for four numbers, {st.listed(x)}, for their exponentials, {st.listed(e)}, and for"
        f" these divided by their sum, {st.listed(p)}. Below, softmax of the same numbers times"
        f" {', '.join(f'{factor:g}' for factor in data['factors'])}: almost even, then sharper,"
        f" the largest {st.listed(data['sharper'].max(axis=1))}.".replace(", -", ", −"),
        y + height + 24,
        parts,
        left=48.2,
        right=518.6,
    )


def temperature_data(x: Any = NUMBERS) -> dict[str, Any]:
    """Return one row of numbers, and its shares at temperature 1."""
    return {"numbers": x, "tau": 1.0, "shares": softmax(x)}


def draw_temperature(data: Mapping[str, Any]) -> str:
    """Numbers as bars around zero, the same divided by the temperature, and their shares."""
    x, tau, p = data["numbers"], data["tau"], data["shares"]
    zero, unit, limit, left, length, top, row = 114, 18, 4, 306, 126, 52, 57
    rows = [top + (i + 0.5) * row for i in range(len(x))]
    bottom = top + len(x) * row
    parts = [
        st.text(zero, 24, "number $x_i$", anchor="middle"),
        st.text(266, 24, "$x_i$ ÷ $τ$", anchor="middle"),
        st.text(left, 24, "share $p_i$"),
        st.path(
            "".join(
                f"M{zero + unit * t} {top - 6}V{bottom + 2}" for t in range(-limit, limit + 1, 2)
            ),
            width=0.5,
        ),
        st.path(f"M{zero} {top - 6}V{bottom + 2}M{left} {top - 6}V{bottom + 2}"),
        st.path(f"M{left + length} {top - 6}V{bottom + 2}", width=0.5),
        *(
            st.text(
                left + length * t, bottom + 20, f"{t}", anchor="middle", cls="vk-muted", size=13
            )
            for t in (0, 1)
        ),
        *(
            st.text(
                zero + unit * t,
                bottom + 20,
                f"{t}".replace("-", "−"),
                anchor="middle",
                cls="vk-muted",
                size=13,
            )
            for t in range(-limit, limit + 1, 2)
        ),
    ]
    for i, (y, value, share) in enumerate(zip(rows, x, p, strict=True)):
        bar = st.rect(
            zero + min(0.0, unit * value),
            y - 9,
            max(unit * abs(value), 1),
            18,
            cls="vk-input",
            opacity=0.3,
            radius=2,
        )
        number = f"{value:.1f}".replace("-", "−")
        extent = max(length * share, 1)
        parts += [
            st.text(12, y + 5, f"$x_{i + 1}$", cls="vk-input"),
            touch.part("number", bar),
            touch.part("number label", st.text(230, y + 5, number, anchor="end", size=st.SMALL)),
            touch.part(
                "divided",
                st.text(
                    292,
                    y + 5,
                    f"{value / tau:.2f}".replace("-", "−"),
                    anchor="end",
                    size=st.SMALL,
                    cls="vk-muted",
                ),
            ),
            touch.part(
                "share",
                st.rect(left, y - 11, extent, 22, cls="vk-score", opacity=0.75, radius=2),
            ),
            touch.part(
                "at 1",
                st.rect(left, y - 11, extent, 22, cls="vk-muted", stroke=1, radius=2),
            ),
            touch.part(
                "share label", st.text(left + extent + 6, y + 5, f"{share:.2f}", size=st.SMALL)
            ),
        ]
    svg = st.figure_svg(
        "softmax-temperature",
        "Softmax with a temperature",
        f"Four numbers, {st.listed(x)}, as bars; beside each the number divided by the temperature,"
        f" which is {tau:g}, and its share: {st.listed(p)}.".replace(", -", ", −"),
        bottom + 34,
        parts,
        left=12,
        right=474,
    )
    plot = {"zero": zero, "unit": unit, "limit": limit, "left": left, "length": length}
    start = {"numbers": x, "tau": tau, "plot": {**plot, "rows": rows}}
    return touch.touchable(
        "softmax-temperature",
        svg,
        start,
        hint=(
            "Lower the temperature until one share is nearly 1, and then raise it until "
            "all shares are nearly equal."
        ),
    )


def context_data() -> dict[str, Any]:
    """Return four words' values, the weights of bank on them, its context vector, the hull."""
    tokens = ["river", "money", "bank", "is"]
    X = hand.embed(" ".join(tokens))
    V = X @ hand.W_V
    Z, alpha = scaled_dot_product_attention(X @ hand.W_Q, X @ hand.W_K, V, return_weights=True)
    bank = tokens.index("bank")
    return {"tokens": tokens, "V": V, "weights": alpha[bank], "z": Z[bank], "hull": hull(V)}


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
    """Four value vectors in the plane, and their weighted mean inside their hull."""
    V, weights, z, tokens = data["V"], data["weights"], data["z"], data["tokens"]
    left, right, top, bottom = 56, 508, 32, 372
    across, up = (-0.25, 1.6), (-0.25, 1.3)

    def place(v: Any) -> tuple[float, float]:
        return (
            float(np.interp(v[0], across, (left, right))),
            float(np.interp(v[1], up, (bottom, top))),
        )

    points, (zx, zy) = [place(v) for v in V], place(z)
    parts = [
        st.path(f"M{left} {top}V{bottom}H{right}"),
        *(
            st.text(
                place((t, 0))[0], bottom + 20, f"{t:g}", anchor="middle", cls="vk-muted", size=13
            )
            for t in (0, 0.5, 1)
        ),
        *(
            st.text(left - 8, place((0, t))[1] + 5, f"{t:g}", anchor="end", cls="vk-muted", size=13)
            for t in (0, 0.5, 1)
        ),
        '<path class="vk-value" fill-opacity=".08" d="'
        + st.polyline([points[i] for i in data["hull"]], closed=True)
        + '"/>',
        *(
            touch.part(
                "line",
                st.path(
                    f"M{st.num(zx)} {st.num(zy)}L{st.num(x)} {st.num(y)}", cls="score", width=w
                ),
            )
            for (x, y), w in zip(points, (weights * 14).round(1), strict=True)
        ),
        *(
            touch.part("value", st.dot(x, y, r, "value"))
            for (x, y), r in zip(points, np.maximum(14 * np.sqrt(weights), 2), strict=True)
        ),
        touch.part("z", st.dot(zx, zy, 7, "fg")),
        # It stands where no value and no weight is.
        st.dot(402, 198, 7, "fg"),
        touch.part("whose", st.text(416, 193, "$z$ of bank", bold=True)),
        touch.part("z label", st.text(416, 214, f"({z[0]:.3f}, {z[1]:.3f})", size=st.SMALL)),
        st.text(right, bottom + 38, "water", anchor="end"),
        st.text(left, top - 12, "money", anchor="middle"),
    ]
    for (x, y), token, weight in zip(points, tokens, weights, strict=True):
        below = y > (top + bottom) / 2
        parts.append(
            touch.part(
                "weight",
                st.text(
                    x,
                    y + (30 if below else -20),
                    f"{token} {weight:.3f}",
                    anchor="middle",
                    cls="vk-value",
                    bold=token == "bank",
                ),
            )
        )
    svg = st.figure_svg(
        "context-vector",
        "Context vector",
        f"The value vectors of {', '.join(tokens)} as points in a plane, their convex hull shaded."
        f" The context vector of bank, {st.listed(z, 3)}, lies inside it, at the mean of the values"
        f" weighted by {st.listed(weights, 3)}.",
        bottom + 44,
        parts,
        left=31.1,
    )
    start = {"tokens": tokens, "V": V, "weights": weights, "query": "bank"}
    span = {"x": [*across, left, right], "y": [*up, bottom, top]}
    return touch.touchable(
        "context-vector",
        svg,
        {**start, "span": span},
        hint=(
            "Change a weight: the others adjust so that the sum stays 1. If one value "
            "has all the weight, the context vector is that value."
        ),
    )


def rows_data(S: Any = hand.S, d_k: int = hand.d_k, BANK: int = hand.BANK) -> dict[str, Any]:
    """Return three rows of weights: of bank, of bank beside a second river, and of is."""
    found = S[BANK] / np.sqrt(d_k)
    return {
        "alone": softmax(found),
        "beside a 9": softmax(np.append(found, 9 / np.sqrt(d_k))),
        "is": softmax(S[-1] / np.sqrt(d_k)),
        "river": int(S[BANK].argmax()),
        "scores": np.array([S[BANK].max(), S[BANK].max(), S[-1, int(S[BANK].argmax())]]),
    }


def draw_rows(data: Mapping[str, Any]) -> str:
    """Draw each row of weights as one bar that is cut into shares, river first."""
    left, width, pitch, river = 12, 476, 82, data["river"]
    names = (
        "bank",
        "bank, with a second river of score 9",
        "is, which asks for nothing: every score is 0",
    )
    parts, said = [], []
    rows = (data["alone"], data["beside a 9"], data["is"])
    for i, (row, words, score) in enumerate(zip(rows, names, data["scores"], strict=True)):
        y, at = 40 + pitch * i, float(left)
        order = [river, *(j for j in range(len(row))[::-1] if j != river)]
        parts.append(st.text(left, y - 10, words))
        for j in order:
            share = width * float(row[j])
            mine = j == river
            if share > 2:
                cls, faint = ("vk-score", 0.48) if mine else ("vk-muted", 0.2)
                parts.append(st.rect(at, y, share - 2, 34, cls=cls, opacity=faint, radius=2))
            at += share
        if i == 1:
            second = f"second river: {row[-1]:.2f}"
            parts.append(st.text(left + width * float(row[river]) + 8, y + 22, second))
        said.append(f"{words}: score {score:.0f}, weight {row[river]:.2f}")
        parts.append(
            st.text(
                left + 8,
                y + 22,
                f"river, score {score:.0f}: {row[river]:.2f}" if i < 2 else f"{row[river]:.2f}",
                bold=True,
            )
        )
    return st.figure_svg(
        "same-score-other-weight",
        "The weight of river in three rows",
        "Three bars of one length, one for each row of weights, with the share of river first. "
        + "; ".join(said)
        + ".",
        40 + pitch * 3 - 42,
        parts,
        left=left,
        right=left + width - 2,
    )
