"""The weight that the k largest of a row keep, in the heads of a real model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets.minilm_heads import minilm_heads
from snippets.sparse_attention import kept_mass, top_k_mask

LARGEST = 8


def data() -> dict[str, Any]:
    """Return the kept mass for each k: of all heads, of the flattest, and if spread evenly."""
    recorded = minilm_heads()
    found: dict[str, list[float]] = {"all heads": [], "flattest head": [], "spread evenly": []}
    for k in range(1, LARGEST + 1):
        heads = np.mean(
            [kept_mass(x.weights, top_k_mask(x.weights, k)).mean(axis=-1) for x in recorded], axis=0
        )
        found["all heads"].append(round(float(heads.mean()), 3))
        found["flattest head"].append(round(float(heads.min()), 3))
        even = [min(1, k / len(x.tokens)) for x in recorded]
        found["spread evenly"].append(round(float(np.mean(even)), 3))
    return found


def draw(data: Mapping[str, Any]) -> str:
    """One graph, a line for each."""
    left, right, top, floor = 56, 412, 56, 250
    ks = np.arange(1, LARGEST + 1)
    parts = [
        st.text(left, 28, "weight on the k largest keys of a row"),
        *(
            st.path(f"M{left} {st.num(y)}H{right}", width=1 if tick == 0 else 0.5)
            + st.text(left - 8, y + 5, f"{tick:g}", anchor="end", cls="vk-muted", size=13)
            for tick in (0, 0.5, 1)
            for y in (float(np.interp(tick, (0, 1), (floor, top))),)
        ),
        *(
            st.text(
                float(np.interp(k, (1, LARGEST), (left, right))),
                floor + 20,
                str(k),
                anchor="middle",
                cls="vk-muted",
                size=13,
            )
            for k in ks
        ),
        st.text((left + right) / 2, floor + 42, "$k$", anchor="middle", cls="vk-muted"),
    ]
    for name, hue, dash, shift in (
        ("all heads", "score", "", -4),
        ("flattest head", "key", "", 12),
        ("spread evenly", "muted", ' stroke-dasharray="7 4"', 14),
    ):
        xs = np.interp(ks, (1, LARGEST), (left, right))
        ys = np.interp(data[name], (0, 1), (floor, top))
        parts.append(st.path(st.polyline(zip(xs, ys, strict=True)), cls=hue, width=2, more=dash))
        parts.append(
            st.text(right + 10, float(ys[-1]) + shift, name, cls=f"vk-{hue}", size=st.SMALL)
        )
    return st.figure_svg(
        "kept-mass",
        "The weight that few keys keep",
        f"Three curves over k from 1 to {LARGEST}. All heads of MiniLM:"
        f" {st.listed(np.array(data['all heads']))}. The flattest head:"
        f" {st.listed(np.array(data['flattest head']))}. Spread evenly:"
        f" {st.listed(np.array(data['spread evenly']))}.",
        floor + 56,
        parts,
        left=31.1,
    )
