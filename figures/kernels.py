"""Kernel regression: a curve from noisy points, by softmax of minus the squared distance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import signs
from figures import style as st
from snippets.softmax import softmax

PLACES = np.linspace(0, 5, 12)
POINTS = np.sin(PLACES) + 0.1 * np.random.default_rng(0).standard_normal(12)


def data(k: Any = PLACES, v: Any = POINTS) -> dict[str, Any]:
    """Return noisy points and two estimates."""
    places = np.linspace(0, 5, 61)
    squares = (places[:, np.newaxis] - k) ** 2
    return {
        "k": k,
        "v": v,
        "places": places,
        "wide": softmax(-squares / 2) @ v,
        "narrow": softmax(-squares / 0.1) @ v,
    }


def draw(data: Mapping[str, Any]) -> str:
    """Draw the points and both curves."""
    left, right, top, floor = 60, 490, 24, 204

    def place(a: float, b: float) -> tuple[float, float]:
        return (
            float(np.interp(a, (0, 5), (left, right))),
            float(np.interp(b, (-1.2, 1.2), (floor, top))),
        )

    zero = place(0, 0)[1]
    parts = [
        st.path(f"M{left} {st.num(zero)}H{right}"),
        *(
            st.text(
                left - 10,
                place(0, t)[1] + 5,
                f"{t}".replace("-", "−"),
                anchor="end",
                cls="vk-muted",
                size=13,
            )
            for t in (-1, 0, 1)
        ),
        *(
            st.text(place(t, 0)[0], floor + 20, str(t), anchor="middle", cls="vk-muted", size=13)
            for t in range(6)
        ),
        st.text((left + right) / 2, floor + 42, "key", anchor="middle", cls="vk-key"),
        st.text(left - 44, top + 4, "value", cls="vk-value", size=st.SMALL),
    ]
    for i, (name, dash, words) in enumerate(
        (("wide", "7 4", "wide kernel"), ("narrow", "", "narrow kernel"))
    ):
        line = [place(a, b) for a, b in zip(data["places"], data[name], strict=True)]
        more = f' stroke-dasharray="{dash}"' if dash else ""
        parts.append(st.path(st.polyline(line), cls="petrol", width=2, more=more))
        y = floor + 72
        parts.append(st.path(f"M{left + 230 * i} {y - 5}h30", cls="petrol", width=2, more=more))
        parts.append(st.text(left + 38 + 230 * i, y, words, cls="vk-petrol", size=st.SMALL))
    parts += [st.dot(*place(a, b), 4, "value") for a, b in zip(data["k"], data["v"], strict=True)]
    return st.figure_svg(
        "kernel-regression",
        "Kernel regression",
        "Twelve noisy points around a sine, and two estimates. A wide kernel gives a flat curve,"
        f" from {data['wide'].min():.2f} to {data['wide'].max():.2f}; a narrow one follows the"
        f" points, from {data['narrow'].min():.2f} to {data['narrow'].max():.2f}.",
        floor + 90,
        parts,
        left=16,
    )


def _patterns() -> tuple[Any, Any]:
    """Draw the stored patterns as the note does, after its other draws."""
    draw = np.random.default_rng(0)
    for shape in (12, (2, 4), 4, (6, 4), (2, 4), (4, 4), (2, 4, 8), 8):
        draw.standard_normal(shape)
    stored = np.sign(draw.standard_normal((16, 64)))
    return stored, stored[3] * (np.arange(64) >= 16)


STORED, DAMAGED = _patterns()


def recall_data(Y: Any = STORED, damaged: Any = DAMAGED, beta: float = 0.5) -> dict[str, Any]:
    """Return a stored pattern, its damaged form, and what two steps of recall make of that."""
    return {
        "stored": Y[3],
        "damaged": damaged,
        "recalled": softmax(beta * damaged @ Y.T) @ Y,
        "blurred": softmax(0.01 * damaged @ Y.T) @ Y,
        "beta": beta,
    }


def draw_recall(data: Mapping[str, Any]) -> str:
    """Draw each pattern as a square of signs."""
    cell, side, parts = 24.0, 8, []
    steps = np.array([0.05, 0.2, 0.4, 0.6, 0.8])
    opacities = (0, *(round(signs.STRONGEST * step, 2) for step in (0.15, 0.3, 0.5, 0.7, 0.9)))
    names = (
        ("stored", "stored"),
        ("damaged", "damaged"),
        ("recalled", f"recalled, $β$ = {data['beta']:g}"),
        ("blurred", "recalled, $β$ = 0.01"),
    )
    for i, (key, words) in enumerate(names):
        x, y = 10 + 264.0 * (i % 2), 38 + 246.0 * (i // 2)
        pattern = np.asarray(data[key]).reshape(side, side)
        levels = np.digitize(np.abs(pattern), steps)
        parts += [
            st.text(x, y - 12, words, bold=True),
            f'<g transform="translate({st.num(x)} {st.num(y)})">',
            *(
                st.shades(0, 0, levels * (sign * pattern > 0), hue, (cell, cell), opacities)
                for sign, hue in ((1, "query"), (-1, "key"))
            ),
            "</g>",
            st.rect(x, y, cell * side, cell * side, cls="vk-line", radius=1, stroke=1),
        ]
    erased = int(np.sum(np.asarray(data["damaged"]) == 0))
    return st.figure_svg(
        "recalled-pattern",
        "A damaged pattern and what is recalled",
        f"Four squares of 64 signs, blue for plus, orange for minus. The stored pattern; the same"
        f" with {erased} signs erased; recalled, equal to the stored one; and recalled with a small"
        " factor, a pale mixture of many patterns.",
        38 + 246 + cell * side + 8,
        parts,
        left=10,
        right=10 + 264 + cell * side,
    )
