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
        parts.append(st.path(st.polyline(line), cls="petrol", width=2, more=more))
        parts += [st.dot(a, b, 3, "petrol") for a, b in line]
        x, y = line[-1]
        parts.append(st.text(x + 8, y + 5, f"$w$ = {window}", cls="vk-petrol", size=st.SMALL))
    bar = width / len(share)
    heights = np.interp(share, (0, 0.25), (0, floor - top))
    parts += [
        st.path(f"M{right} {floor}h{width}"),
        *(
            st.rect(
                right + i * bar + 1, floor - h, bar - 2, h, cls="vk-petrol", opacity=0.75, radius=1
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


def paths_data(w: int = WINDOWS[0], layers: int = LAYERS) -> dict[str, Any]:
    """Return the share of each token in the last one, after no layer and after each."""
    n = layers * (w - 1) + 1
    mask = window_mask(n, w)
    # Far from the first token every row is alike; a short text would cut the windows off.
    long = window_mask(n + TOKENS, w)
    weights = long / long.sum(axis=1, keepdims=True)
    shares = [np.linalg.matrix_power(weights, k)[-1, -n:] for k in range(layers + 1)]
    return {"mask": mask, "shares": np.array(shares[::-1])}


def draw_paths(data: Mapping[str, Any]) -> str:
    """Draw the tokens of each layer, and all paths that lead down from the last one."""
    shares, mask = data["shares"], data["mask"]
    n, layers = len(mask), len(shares) - 1
    left, pitch, top, rise = 96.0, 38.5, 34.0, 62.0
    parts = []

    def at(layer: int, token: int) -> tuple[float, float]:
        return left + pitch * token, top + rise * (layers - layer)

    for layer in range(layers, 0, -1):
        for query, key in zip(*np.nonzero(mask), strict=True):
            if shares[layer, query] > 0:
                parts.append(
                    st.path(
                        st.polyline([at(layer, int(query)), at(layer - 1, int(key))]),
                        cls="score",
                        width=round(0.75 + 8 * float(shares[layer, query]) / 3, 1),
                        more=' stroke-opacity=".55"',
                    )
                )
    for layer in range(layers + 1):
        words = f"layer {layer}" if layer else "input"
        parts.append(st.text(left - 24, at(layer, 0)[1] + 5, words, anchor="end", cls="vk-muted"))
        for token in range(n):
            share = float(shares[layer, token])
            radius = 3 + 13 * np.sqrt(share) if share else 3
            hue = "petrol" if share else "line"
            parts.append(st.dot(*at(layer, token), radius, hue))
    bottom = at(0, 0)[1]
    parts += [
        st.text(*_below(at(0, 0), 34), "oldest", anchor="middle", cls="vk-muted", size=st.SMALL),
        st.text(*_below(at(0, n - 1), 34), "last", anchor="middle", cls="vk-muted", size=st.SMALL),
        st.text(
            *_below(at(0, n // 2), 34),
            f"largest share {shares[0].max():.4f}",
            anchor="middle",
            cls="vk-petrol",
            size=st.SMALL,
        ),
    ]
    return st.figure_svg(
        "window-paths",
        "The paths through a stack of windows",
        f"{layers} layers with windows, above {n} tokens. Lines lead from the last token"
        f" of the top layer down to all tokens that it depends on: {n} of the input, a triangle."
        f" Their shares, {st.listed(shares[0], 4)}, are largest in the middle.",
        bottom + 46,
        parts,
        left=28,
        right=left + pitch * (n - 1) + 18,
    )


def _below(place: tuple[float, float], by: float) -> tuple[float, float]:
    return place[0], place[1] + by
