"""What each variant of attention keeps, against the number of tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets.kv_cache import kv_cache_bytes

HEADS, WIDTH, WINDOW, LATENT = 32, 128, 1024, 512 + 64
TOKENS = 2 ** np.arange(6, 21)


def data() -> dict[str, Any]:
    """Return the megabytes that one layer keeps, for each variant and number of tokens."""
    tokens = TOKENS.tolist()
    found = {
        "full": [kv_cache_bytes(t, 1, HEADS, WIDTH) for t in tokens],
        "grouped": [kv_cache_bytes(t, 1, 8, WIDTH) for t in tokens],
        "latent": [2 * t * LATENT for t in tokens],
        "multi-query": [kv_cache_bytes(t, 1, 1, WIDTH) for t in tokens],
        "window": [kv_cache_bytes(min(t, WINDOW), 1, HEADS, WIDTH) for t in tokens],
        "state": [4 * HEADS * WIDTH**2] * len(tokens),
    }
    return {"tokens": TOKENS} | {name: np.array(sizes) / 1e6 for name, sizes in found.items()}


HUES = {
    "full": ("fg", ""),
    "grouped": ("query", ""),
    "latent": ("key", "7 4"),
    "multi-query": ("query", "2 3"),
    "window": ("value", ""),
    "state": ("score", ""),
}


def draw(data: Mapping[str, Any]) -> str:
    """Draw a line for each variant, both axes logarithmic."""
    left, right, top, floor = 70, 414, 44, 296
    tokens = data["tokens"]

    def at(t: float, size: float) -> tuple[float, float]:
        return (
            float(np.interp(np.log2(t), (6, 20), (left, right))),
            float(np.interp(np.log10(size), (-1.5, 4.5), (floor, top))),
        )

    parts = [
        st.text(left, 22, "megabytes kept by one layer"),
        st.path(f"M{left} {floor}H{right}M{left} {floor}V{top}"),
    ]
    for size, label in (
        (0.1, "0.1"),
        (1, "1"),
        (10, "10"),
        (100, "100"),
        (1e3, "1,000"),
        (1e4, "10,000"),
    ):
        y = at(64, size)[1]
        parts.append(st.path(f"M{left} {st.num(y)}H{right}", more=' stroke-opacity="0.5"'))
        parts.append(st.text(left - 8, y + 5, label, anchor="end", cls="vk-muted", size=13))
    for t, label in ((64, "64"), (1024, "1,024"), (32_768, "32,768"), (2**20, "1,048,576")):
        x = at(t, 1)[0]
        parts.append(st.text(x, floor + 20, label, anchor="middle", cls="vk-muted", size=13))
    middle = (left + right) / 2
    parts.append(
        st.text(middle, floor + 42, "tokens", anchor="middle", cls="vk-muted", size=st.SMALL)
    )
    for name, (hue, dash) in HUES.items():
        more = f' stroke-dasharray="{dash}"' if dash else ""
        line = [at(t, size) for t, size in zip(tokens, data[name], strict=True)]
        parts.append(st.path(st.polyline(line), cls=hue, width=2, more=more))
        x, y = line[-1]
        low = {"multi-query": 12, "latent": 1}.get(name, 5)
        parts.append(st.text(x + 8, y + low, name, cls=f"vk-{hue}", size=st.SMALL))
    return st.figure_svg(
        "variants",
        "What each variant keeps",
        "Megabytes that one layer keeps against the number of tokens, both axes logarithmic."
        " Full, grouped, latent and multi-query attention rise in parallel; the window stays"
        f" level from {WINDOW} tokens on, the state of linear attention everywhere. At"
        f" {TOKENS[-1]} tokens: "
        + ", ".join(f"{name} {float(data[name][-1]):.1f}" for name in HUES)
        + ".",
        floor + 60,
        parts,
        left=22.6,
    )
