"""How far a stack of windows reaches, and how much arrives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets.masks import window_mask

WINDOWS = (3, 5, 9)
LAYERS = 5
TOKENS = 64


def data() -> dict[str, Any]:
    """Return the reach after each layer, and each token's share in the last one."""
    found: dict[str, Any] = {"layers": np.arange(1, LAYERS + 1)}
    for window in WINDOWS:
        mask = window_mask(TOKENS, window).astype(float)
        found[f"reach {window}"] = np.array(
            [
                TOKENS - 1 - (np.linalg.matrix_power(mask, layers)[-1] > 0).argmax()
                for layers in found["layers"]
            ]
        )
    mask = window_mask(TOKENS, WINDOWS[0])
    weights = np.linalg.matrix_power(mask / mask.sum(axis=1, keepdims=True), LAYERS)
    found["share"] = weights[-1, ::-1][:13]
    return found


def draw(data: Mapping[str, Any]) -> str:
    """Draw reach against depth on the left, shares against distance on the right."""
    top, floor, width = 56, 236, 186
    left, right = 56, 324
    layers, share = data["layers"], data["share"]

    def reach_at(a: float, b: float) -> tuple[float, float]:
        return (
            float(np.interp(a, (0, LAYERS), (left, left + width))),
            float(np.interp(b, (0, 40), (floor, top))),
        )

    parts = [
        st.text(left, 24, "reach in tokens"),
        st.text(right, 24, "share in the last token"),
        st.path(f"M{left} {floor}h{width}M{left} {floor}V{top}"),
        *(
            st.text(left - 8, reach_at(0, t)[1] + 5, str(t), anchor="end", cls="vk-muted", size=13)
            for t in (0, 20, 40)
        ),
        *(
            st.text(reach_at(t, 0)[0], floor + 20, str(t), anchor="middle", cls="vk-muted", size=13)
            for t in layers
        ),
        st.text(
            left + width / 2, floor + 42, "layers", anchor="middle", cls="vk-muted", size=st.SMALL
        ),
    ]
    for window, dash in zip(WINDOWS, ("", "7 4", "2 3"), strict=True):
        line = [reach_at(a, b) for a, b in zip(layers, data[f"reach {window}"], strict=True)]
        more = f' stroke-dasharray="{dash}"' if dash else ""
        parts.append(st.path(st.polyline(line), cls="score", width=2, more=more))
        parts += [st.dot(a, b, 3, "score") for a, b in line]
        x, y = line[-1]
        parts.append(st.text(x + 8, y + 5, f"$w$ = {window}", cls="vk-score", size=st.SMALL))
    bar = width / len(share)
    heights = np.interp(share, (0, 0.25), (0, floor - top))
    parts += [
        st.path(f"M{right} {floor}h{width}"),
        *(
            st.rect(
                right + i * bar + 1, floor - h, bar - 2, h, cls="vk-value", opacity=0.75, radius=1
            )
            for i, h in enumerate(map(float, heights))
            if h
        ),
        *(
            st.text(
                right - 8,
                float(np.interp(t, (0, 0.25), (floor, top))) + 5,
                f"{t:g}",
                anchor="end",
                cls="vk-muted",
                size=13,
            )
            for t in (0, 0.1, 0.2)
        ),
        *(
            st.text(
                right + (t + 0.5) * bar,
                floor + 20,
                str(t),
                anchor="middle",
                cls="vk-muted",
                size=13,
            )
            for t in (0, 4, 8, 12)
        ),
        st.text(
            right + width / 2,
            floor + 42,
            "tokens back",
            anchor="middle",
            cls="vk-muted",
            size=st.SMALL,
        ),
    ]
    reaches = "; ".join(
        f"{data[f'reach {window}'][-1]} tokens with a window of {window}" for window in WINDOWS
    )
    return st.figure_svg(
        "reach",
        "The reach of windows",
        f"Two graphs. On the left the reach in tokens against the number of layers, straight lines:"
        f" after {LAYERS} layers {reaches}. On the right the share that each token has in the last"
        f" one after {LAYERS} layers with a window of {WINDOWS[0]}, from the token itself on:"
        f" {st.listed(share)}.",
        floor + 58,
        parts,
        left=33.9,
    )
