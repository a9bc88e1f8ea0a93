"""What the machine makes of it: the range of exp, and the price of a layer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets.small_floats import float_values, round_to_float


def stability_data() -> dict[str, Any]:
    """Return for each float type the scores between which exp is neither 0 nor infinite."""
    types = (np.float16, np.float32, np.float64)
    limits = [np.finfo(dtype) for dtype in types]
    return {
        "types": [np.dtype(dtype).name for dtype in types],
        "low": np.array([np.log(float(limit.smallest_subnormal)) - np.log(2) for limit in limits]),
        "high": np.array([np.log(float(limit.max)) for limit in limits]),
    }


def draw_stability(data: Mapping[str, Any]) -> str:
    """Bars from where exp becomes 0 to where it becomes infinite, for three float types."""
    left, right, span = 40, 424, (-1000, 1000)

    def place(score: float) -> float:
        return float(np.interp(score, span, (left, right)))

    y, pitch = 64, 62
    floor = y + pitch * len(data["types"])
    zero = place(0)
    parts = [
        st.rect(left, y - 30, zero - left, floor - y + 30, cls="vk-petrol", opacity=0.09, radius=0),
        st.text(left + 8, 22, "score − max: never above 0", cls="vk-petrol"),
        st.path(f"M{st.num(zero)} {y - 30}V{floor}", cls="petrol", width=1.5),
    ]
    for i, (name, low, high) in enumerate(
        zip(data["types"], data["low"], data["high"], strict=True)
    ):
        top = y + pitch * i
        a, b = place(low), place(high)
        parts += [
            st.rect(a, top + 14, b - a, 20, cls="vk-rose", opacity=0.6, radius=2),
            st.text(b + 8, top + 30, f"∞ from {high:.1f}", cls="vk-rose"),
            st.text(
                min(a - 8, zero - 30),
                top + 30,
                f"{low:.0f}".replace("-", "−"),
                anchor="end",
                cls="vk-muted",
                size=st.SMALL,
            ),
            st.text(zero + 8, top + 6, name, size=15, bold=True),
        ]
    parts += [
        st.path(f"M{left} {floor}H{right}"),
        *(
            st.text(
                place(t),
                floor + 20,
                f"{t:,}".replace("-", "−"),
                anchor="middle",
                cls="vk-muted",
                size=13,
            )
            for t in (-1000, -500, 0, 500, 1000)
        ),
        st.text(
            (left + right) / 2, floor + 44, "score $x$, of which exp $x$ is taken", anchor="middle"
        ),
        st.text(
            left,
            floor + 74,
            "Left of a bar exp $x$ is rounded to 0: a weight of 0, harmless.",
            cls="vk-muted",
            size=st.SMALL,
        ),
        st.text(
            left,
            floor + 94,
            "Right of it exp $x$ is ∞, and ∞ ÷ ∞ is not a number.",
            cls="vk-muted",
            size=st.SMALL,
        ),
    ]
    ranges = "; ".join(
        f"{name} from {low:.0f} to {high:.1f}"
        for name, low, high in zip(data["types"], data["low"], data["high"], strict=True)
    )
    return st.figure_svg(
        "numerical-stability",
        "Numerical stability",
        f"The scores whose exp is neither 0 nor infinite: {ranges}. With the maximum subtracted all"
        " scores lie at or left of 0, where nothing overflows.",
        floor + 110,
        parts,
        left=22.4,
        right=463.2,
    )


def complexity_data() -> dict[str, Any]:
    """Return the multiply-adds of projections and of attention for sequences of many lengths."""
    d = 512
    n = 2.0 ** np.arange(6, 16)
    return {"d": d, "n": n, "projections": 4 * n * d**2, "attention": 2 * n**2 * d}


def draw_complexity(data: Mapping[str, Any]) -> str:
    """Two straight lines on logarithmic axes, and where they cross."""
    d, n = data["d"], data["n"]
    left, right, top, bottom = 56, 344, 44, 330
    exponents = (6, 12.6)

    def place(length: float, count: float) -> tuple[float, float]:
        return (
            float(np.interp(np.log2(length), np.log2(n[[0, -1]]), (left, right))),
            float(np.interp(np.log10(count), exponents, (bottom, top))),
        )

    parts = [st.text(left - 40, 22, "multiply-adds of one layer", size=16)]
    for power in (6, 7, 8, 9, 10, 11, 12):
        level = place(n[0], 10.0**power)[1]
        parts += [
            st.path(f"M{left} {st.num(level)}H{right}", width=1 if power == 6 else 0.5),
            st.text(
                left - 8, level + 5, f"$10^{{{power}}}$", anchor="end", cls="vk-muted", size=13
            ),
        ]
    parts += [
        st.text(
            place(length, 1e8)[0],
            bottom + 22,
            f"{length:,}",
            anchor="middle",
            cls="vk-muted",
            size=13,
        )
        for length in (64, 256, 1024, 4096, 16384)
    ]
    parts.append(st.text(right + 14, bottom + 22, "$n$"))
    for name, hue, words, formula, dy in (
        ("projections", "input", "four projections", "4$nd^2$", 0),
        ("attention", "score", "$QK^T$ and $αV$", "2$n^2$$d$", 0),
    ):
        points = [place(a, b) for a, b in zip(n, data[name], strict=True)]
        parts += [
            st.path(st.polyline(points), cls=hue, width=2.5),
            st.text(points[-1][0] + 10, points[-1][1] + dy, formula, cls=f"vk-{hue}"),
            st.text(points[-1][0] + 10, points[-1][1] + dy + 19, words, cls=f"vk-{hue}", size=13),
        ]
    x, y = place(2 * d, 8 * d**3)
    parts += [
        st.path(f"M{st.num(x)} {st.num(y)}V{bottom}", cls="muted", more=' stroke-dasharray="4 4"'),
        st.dot(x, y, 5, "fg"),
        st.text(x + 12, y + 24, f"equal at $n$ = 2$d$ = {2 * d:,}"),
        st.text(
            left - 40,
            bottom + 52,
            f"$d$ = {d}; both axes logarithmic",
            cls="vk-muted",
            size=st.SMALL,
        ),
    ]
    return st.figure_svg(
        "computational-complexity",
        "Computational complexity",
        f"Multiply-adds of one layer against the sequence length n, for d = {d}, both axes"
        " logarithmic. The projections, 4nd², and attention, 2n²d, are straight lines; attention"
        f" is steeper, and they cross at n = 2d = {2 * d:,}.",
        bottom + 68,
        parts,
        left=16,
        right=449.4,
    )


def share_data() -> dict[str, Any]:
    """Return the share of attention in a block's multiply-adds, and where some models stand."""
    n = 2.0 ** np.arange(6, 18.25, 0.25)
    widths = (768, 4096)
    models = {"GPT-2": (768, 1024), "LLaMA 7B": (4096, 2048), "131,072 tokens": (4096, 131_072)}
    return {
        "n": n,
        "curves": {width: n / (n + 6 * width) for width in widths},
        "models": {
            name: (width, length, length / (length + 6 * width))
            for name, (width, length) in models.items()
        },
    }


def draw_share(data: Mapping[str, Any]) -> str:
    """Draw the share against the length, one half marked."""
    n = data["n"]
    left, right, top, bottom = 56, 340, 46, 280

    def place(length: Any, share: Any) -> tuple[Any, Any]:
        x = np.interp(np.log2(length), np.log2(n[[0, -1]]), (left, right))
        return x, np.interp(share, (0, 1), (bottom, top))

    parts = [st.text(left - 40, 22, "share of attention in a block’s multiply-adds", size=16)]
    for tick in (0, 0.25, 0.5, 0.75, 1):
        level = float(place(n[0], tick)[1])
        parts += [
            st.path(f"M{left} {st.num(level)}H{right}", width=1 if tick in (0, 0.5) else 0.5),
            st.text(left - 8, level + 5, f"{tick:g}", anchor="end", cls="vk-muted", size=13),
        ]
    parts += [
        st.text(
            float(place(length, 0)[0]),
            bottom + 22,
            f"{length:,}",
            anchor="middle",
            cls="vk-muted",
            size=13,
        )
        for length in (64, 512, 4096, 32768, 262144)
    ]
    hues = dict(zip(data["curves"], ("petrol", "rose"), strict=True))
    for width, shares in data["curves"].items():
        xs, ys = place(n, shares)
        x, y = place(6 * width, 0.5)
        parts += [
            st.path(st.polyline(zip(xs, ys, strict=True)), cls=hues[width], width=2.5),
            st.path(
                f"M{st.num(x)} {st.num(y)}V{bottom - 22}",  # below it is a label
                cls=hues[width],
                more=' stroke-dasharray="4 4"',
            ),
        ]
    x, y = place(6 * 768, 0.5)
    parts.append(st.text(x - 8, y - 8, "$d$ = 768", anchor="end", cls="vk-petrol"))
    x, y = place(6 * 4096, 0.5)
    parts.append(st.text(x + 12, y + 18, "$d$ = 4,096", cls="vk-rose"))
    anchors = {
        "GPT-2": ("end", -8, -8),
        "LLaMA 7B": ("start", 16, 14),
        "131,072 tokens": ("start", 10, 12),
    }
    for name, (width, length, share) in data["models"].items():
        x, y = place(length, share)
        anchor, dx, dy = anchors[name]
        parts += [
            st.dot(x, y, 5, hues[width]),
            st.text(x + dx, y + dy, f"{name}, {share:.2f}", anchor=anchor, size=st.SMALL),
        ]
    parts.append(
        st.text(
            (left + right) / 2,
            bottom + 46,
            "sequence length $n$; dashed: six times the width",
            anchor="middle",
            cls="vk-muted",
            size=st.SMALL,
        )
    )
    said = "; ".join(f"{name} {share:.2f}" for name, (_, _, share) in data["models"].items())
    return st.figure_svg(
        "attention-share",
        "The share of attention",
        "The share of attention in the multiply-adds of a block, n/(n + 6d), against the length n,"
        f" for widths of 768 and 4,096. It is one half at n = 6d. {said}.",
        bottom + 60,
        parts,
        left=16,
        right=456,
    )


TYPES = {"float16": (5, 10), "bfloat16": (8, 7), "E4M3": (4, 3), "E5M2": (5, 2)}
NEAR = 100.3  # the number that is rounded


def grid_data() -> dict[str, Any]:
    """Return for four types which numbers near 100.3 they have, and which is the nearest."""
    found: dict[str, Any] = {}
    for name, bits in TYPES.items():
        finite = name == "E4M3"
        values = float_values(*bits, finite=finite)
        found[name] = values[(values >= 92) & (values <= 116)]
        found[f"{name} nearest"] = round_to_float(np.array([NEAR]), *bits, finite=finite)[0]
    return found


def draw_grid(data: Mapping[str, Any]) -> str:
    """Draw a line for each type with a mark for each of its numbers."""
    left, right, top, pitch, parts = 92, 470, 64, 62, []

    def at(value: float) -> float:
        return float(np.interp(value, (92, 116), (left, right)))

    bottom = top + pitch * (len(TYPES) - 1)
    parts += [
        st.path(
            f"M{st.num(at(NEAR))} {top - 26}V{bottom + 22}",
            cls="fg",
            more=' stroke-dasharray="3 4"',
        ),
        st.text(at(NEAR), top - 34, f"{NEAR:g}", anchor="middle", bold=True),
    ]
    for i, name in enumerate(TYPES):
        y, values, nearest = top + pitch * i, data[name], float(data[f"{name} nearest"])
        parts += [
            st.text(12, y + 5, name),
            st.path(f"M{left} {y}H{right}"),
            # Hundreds of marks would be one band.
            st.rect(left, y - 7, right - left, 14, cls="vk-score", opacity=0.4, radius=0)
            if len(values) > 200
            else st.path(
                "".join(f"M{st.num(at(float(value)))} {y - 7}v14" for value in values),
                cls="score",
                width=1.5,
            ),
            st.dot(at(nearest), y, 5, "fg"),
            st.text(at(nearest) + 8, y + 25, f"{nearest:.2f}", cls="vk-muted", size=st.SMALL),
        ]
    parts += [
        st.text(at(tick), bottom + 48, f"{tick}", anchor="middle", cls="vk-muted", size=13)
        for tick in (92, 96, 104, 112, 116)
    ]
    return st.figure_svg(
        "floats-near-a-score",
        "The numbers that four types have near a score",
        f"The line from 92 to 116 for four types. {NEAR:g} becomes "
        + ", ".join(f"{float(data[f'{name} nearest']):.2f} in {name}" for name in TYPES)
        + ". float16 and bfloat16 have many numbers here, E4M3 has four, E5M2 two.",
        bottom + 56,
        parts,
        left=12,
        right=right + 13,
    )


def arrays_data() -> dict[str, Any]:
    """Return the width of a layer, and lengths of which each is twice the one before."""
    return {"d": 64, "lengths": [32, 64, 128, 256]}


def draw_arrays(data: Mapping[str, Any]) -> str:
    """Draw the input and the weights of one head for each length, to one scale."""
    scale, x, low, d, parts = 0.52, 12.0, 182.0, data["d"], []
    parts += [
        st.text(12, 24, "input, $n$ × $d$", cls="vk-input", size=st.SMALL),
        st.text(124, 24, "weights of one head, $n$ × $n$", cls="vk-score", size=st.SMALL),
    ]
    for n in data["lengths"]:
        side, narrow = scale * n, scale * d
        parts += [
            st.sheet(x, low - side, narrow, side, "input"),
            st.sheet(x + narrow + 6, low - side, side, side, "score"),
            st.text(x, low + 20, f"$n$ = {n}", size=st.SMALL),
        ]
        x += narrow + 6 + side + 22
    return st.figure_svg(
        "length-and-arrays",
        "Twice the length, four times the weights",
        f"For the lengths {', '.join(map(str, data['lengths']))}, the input of width {d} and the"
        " weights of one head, to one scale: the input doubles, the weights become four times as"
        " large.",
        low + 30,
        parts,
        left=12,
        right=x - 22,
    )
