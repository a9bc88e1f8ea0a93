"""What each variant of attention keeps, against the number of tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import basics
from figures import style as st
from snippets.kv_cache import kv_cache_bytes

#: What else decides how these figures look.
PARTS = (basics,)

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
    "grouped": ("petrol", ""),
    "latent": ("rose", "7 4"),
    "multi-query": ("petrol", "2 3"),
    "window": ("ochre", ""),
    "state": ("fg", "9 3 2 3"),
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
        right=496,
    )


def sizes_data(h: int = 32, d: int = 128, g: int = 8, m: int = 32_768) -> dict[str, Any]:
    """Return the bytes moved and the multiply-adds for one more token, for each variant."""
    latent, chosen, near = LATENT, 2_048, m // 16 + 16 * 64 + 512
    absorbed = [h * d * 512 * 2, h * (LATENT + 512)]
    rows = {
        "full": (2 * 2 * h * m * d, 2 * h * d * m),
        "grouped": (2 * 2 * g * m * d, 2 * h * d * m),
        "multi-query": (2 * 2 * m * d, 2 * h * d * m),
        "latent": (2 * m * latent, absorbed[0] + absorbed[1] * m),
        "indexed": (
            2 * (chosen * latent + 66 * m),
            64 * 128 * m + absorbed[0] + absorbed[1] * chosen,
        ),
        "native sparse": (2 * 2 * g * near * d, 2 * h * d * near),
        "window": (2 * 2 * h * WINDOW * d, 2 * h * d * WINDOW),
        "linear": (2 * 4 * h * d * d, 2 * h * d * d),
        "gated delta": (2 * 4 * h * d * d, 4 * h * d * d),
    }
    return {name: np.array(sizes) / 1e6 for name, sizes in rows.items()}


def draw_sizes(data: Mapping[str, Any]) -> str:
    """Draw each variant in a plane: what it moves across, what it computes up."""
    axes = basics.Axes(60, 474, 44, 372, (0, 3), (-0.3, 3.3))
    parts = [
        st.text(12, 20, "million multiply-adds", size=st.SMALL),
        st.path(f"M{axes.left} {axes.top}V{axes.bottom}H{axes.right}"),
        st.text(474, 414, "megabytes moved →", anchor="end", size=st.SMALL),
        *(
            st.text(
                52, axes.place(0, t)[1] + 5, f"{10**t:,}", anchor="end", cls="vk-muted", size=13
            )
            for t in range(4)
        ),
        *(
            st.text(
                axes.place(t, 0)[0], 392, f"{10**t:,}", anchor="middle", cls="vk-muted", size=13
            )
            for t in range(4)
        ),
    ]
    # Lines of one number of multiply-adds for each byte.
    for ratio in (1, 10, 100):
        ends = [(a, a + np.log10(ratio)) for a in np.linspace(0, 3, 61)]
        inside = [axes.place(a, b) for a, b in ends if -0.3 <= b <= 3.3]
        parts += [
            st.path(st.polyline([inside[0], inside[-1]]), more=' stroke-dasharray="3 4"'),
            st.text(
                inside[0][0] + 16, inside[0][1] + 4, f"{ratio} a byte", cls="vk-muted", size=13
            ),
        ]
    for name, (moved, work) in data.items():
        x, y = axes.place(float(np.log10(moved)), float(np.log10(work)))
        near, left = name in ("full", "grouped"), name in ("full", "indexed")
        parts += [
            st.dot(x, y, 5, "petrol"),
            st.text(
                x + (4 if near else -9 if left else 9),
                y + (-11 if near else 18 if name == "linear" else -7),
                name,
                anchor="end" if left else "start",
                cls="vk-petrol",
                size=st.SMALL,
            ),
        ]
    return st.figure_svg(
        "moved-and-computed",
        "What each variant moves and computes for one more token",
        "Variants in a plane, both axes logarithmic. Megabytes moved and million multiply-adds: "
        + "; ".join(f"{name} {moved:.1f} and {work:.1f}" for name, (moved, work) in data.items())
        + ".",
        422,
        parts,
        left=12,
        right=491,
    )
