"""Sinusoidal positions: their pattern, and how far apart two of them are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import signs, touch
from figures import style as st
from snippets.positional_encoding import sinusoidal_positions

LEVELS = 6


def data() -> dict[str, Any]:
    """Return 32 positions of 32 numbers, and the first one's dot product with each."""
    positions = sinusoidal_positions(32, 32)
    return {"positions": positions, "dots": positions @ positions[0]}


def draw(data: Mapping[str, Any]) -> str:
    """Draw the encoding as a heat map; below, dot products that fall with distance."""
    positions, dots = data["positions"], data["dots"]
    n, d = positions.shape
    x, y, cell = 64, 54, 11
    levels = np.rint(positions * LEVELS).astype(int)
    opacities = [signs.shade(level, LEVELS)[1] for level in range(LEVELS + 1)]
    legend = np.arange(LEVELS, -LEVELS - 1, -1)[:, None]
    right, bottom = x + d * cell, y + n * cell
    parts = [
        st.text(
            x + d * cell / 2, 20, "dimension →", anchor="middle", cls="vk-muted", size=st.SMALL
        ),
        st.text(x - 12, 20, "position ↓", anchor="middle", cls="vk-muted", size=st.SMALL),
        *(
            st.text(x + (t + 0.5) * cell, y - 10, str(t), anchor="middle", cls="vk-muted", size=13)
            for t in (0, 8, 16, 24, 31)
        ),
        *(
            st.text(x - 10, y + (t + 0.5) * cell + 5, str(t), anchor="end", cls="vk-muted", size=13)
            for t in (0, 8, 16, 24, 31)
        ),
        st.rect(x - 1, y - 1, d * cell + 2, n * cell + 2, cls="vk-line", stroke=1, radius=2),
        *(
            st.shades(left, y, np.clip(sign * some, 0, None), hue, (side, side), opacities)
            for left, some, side in ((x, levels, cell), (right + 18, legend, 14))
            for sign, hue in ((1, "query"), (-1, "key"))
        ),
        st.text(right + 38, y + 11, "1", cls="vk-muted", size=13),
        st.text(right + 38, y + 14 * LEVELS + 11, "0", cls="vk-muted", size=13),
        st.text(right + 38, y + 28 * LEVELS + 11, "−1", cls="vk-muted", size=13),
    ]
    top, floor = bottom + 62, bottom + 212
    xs = x + (np.arange(n) + 0.5) * cell
    ys = np.interp(dots, (0, d / 2), (floor, top))
    parts += [
        st.text(x, top - 24, "dot product of position 0 with each position", size=16),
        *(
            st.path(f"M{x} {st.num(level)}H{right}", width=1 if tick == 0 else 0.5)
            + st.text(x - 10, level + 5, str(tick), anchor="end", cls="vk-muted", size=13)
            for tick in (0, d // 4, d // 2)
            for level in (float(np.interp(tick, (0, d / 2), (floor, top))),)
        ),
        *(
            st.text(
                x + (t + 0.5) * cell, floor + 20, str(t), anchor="middle", cls="vk-muted", size=13
            )
            for t in (0, 8, 16, 24, 31)
        ),
        st.path(st.polyline(zip(xs, ys, strict=True)), cls="petrol", width=2),
        *(st.dot(a, b, 3, "petrol") for a, b in zip(xs, ys, strict=True)),
    ]
    return st.figure_svg(
        "positional-encoding",
        "Positional encoding",
        f"A heat map of {n} positions by {d} dimensions, values from −1 to 1: sine and cosine in"
        " turn, fast in the first dimensions and hardly in the last. Below, the dot product"
        f" of position 0 with each: {dots[0]:.1f} with itself, {dots[1]:.1f} with the next,"
        f" {dots.min():.1f} at the lowest, position {dots.argmin()}: it falls, but not"
        " at every step.",
        floor + 36,
        parts,
        left=22.4,
        right=469.6,
    )


THETA = 10000.0 ** (-np.arange(16) / 16)
SHOWN, FAR = (0, 2, 4, 6), 128  # pairs that are drawn beside the last one; the last position


def waves_data(theta: Any = THETA) -> dict[str, Any]:
    """Return some pairs, their frequencies, and after how many positions they repeat."""
    last = len(theta) - 1
    pairs = [*(pair for pair in SHOWN if pair < last), last]
    return {"pairs": pairs, "theta": theta[pairs], "waves": 2 * np.pi / theta[pairs]}


def draw_waves(data: Mapping[str, Any]) -> str:
    """Draw the sine of each pair over the positions, its first wave stronger than the others."""
    left, right, top, pitch, high = 84.0, 474.0, 36.0, 66.0, 17.0
    step = (right - left) / FAR
    floor = top + pitch * len(data["pairs"])
    parts = [
        st.text(left - 12, 16, "pair $i$", anchor="end", cls="vk-muted", size=st.SMALL),
        st.text(left, 16, "sine", cls="vk-muted", size=st.SMALL),
        st.text(right, 16, "repeats after", anchor="end", cls="vk-muted", size=st.SMALL),
    ]
    rows = zip(data["pairs"], data["theta"], data["waves"], strict=True)
    for k, (pair, frequency, wave) in enumerate(rows):
        level = top + pitch * k + 34
        t = np.linspace(0, FAR, 361)
        places = [(left + step * a, level - high * np.sin(frequency * a)) for a in t]
        first = [place for place, a in zip(places, t, strict=True) if a <= wave]
        parts += [
            st.text(left - 12, level + 5, f"{pair}", anchor="end"),
            st.path(f"M{left:g} {st.num(level)}H{right:g}", width=0.5),
            st.path(st.polyline(places), cls="muted", width=1),
            st.path(st.polyline(first), cls="petrol", width=2.5),
            st.text(right, level - high - 7, _positions(wave), anchor="end", cls="vk-petrol"),
        ]
    parts += [
        st.text(left + step * t, floor + 22, f"{t}", anchor="middle", cls="vk-muted", size=13)
        for t in range(0, FAR, 32)
    ]
    parts.append(st.text(right, floor + 22, "position", anchor="end", cls="vk-muted", size=13))
    said = "; ".join(
        f"pair {pair}: {_positions(wave)}"
        for pair, wave in zip(data["pairs"], data["waves"], strict=True)
    )
    return st.figure_svg(
        "waves",
        "How long the waves are",
        f"Sine waves over positions 0 to {FAR}, each slower than the one above. They repeat after"
        f" {said}.",
        floor + 30,
        parts,
        left=39,
        right=right,
    )


def _positions(wave: float) -> str:
    return f"{wave:,.1f} positions"


WIDTH, REACH = 8, 32  # of the encoding; the longest move drawn


def rotation_data() -> dict[str, Any]:
    """Return the pairs of a position and of a later one, and dot products by distance."""
    positions = sinusoidal_positions(REACH + 1, WIDTH)
    return {"position": 10, "move": 3, "positions": positions, "dots": positions @ positions[0]}


def draw_rotation(data: Mapping[str, Any]) -> str:
    """Draw each pair as a clock: the hand of a position, and of the one some places on."""
    position, move, dots = data["position"], data["move"], data["dots"]
    theta = 10000.0 ** (-2 * np.arange(WIDTH // 2) / WIDTH)
    radius, inner, centres, middle = 48, 30, [64, 182, 300, 418], 84
    parts = []
    for i, (x, frequency) in enumerate(zip(centres, theta, strict=True)):
        pairs = [data["positions"][at, 2 * i : 2 * i + 2] for at in (position, position + move)]
        hands = [(x + radius * float(a), middle - radius * float(b)) for a, b in pairs]
        turn = move * float(frequency)
        parts += [
            st.text(x, 20, f"pair {i + 1}", anchor="middle", cls="vk-muted", size=st.SMALL),
            f'<circle class="vk-line vk-stroke" cx="{x}" cy="{middle}" r="{radius + 4}"/>',
            st.path(f"M{x} {middle - radius - 8}v8", width=1.5),
            touch.part(
                "turn",
                '<path class="vk-petrol" fill-opacity=".25" d="'
                + _sector(x, middle, inner, position * float(frequency), turn)
                + '"/>',
            ),
            touch.part("from", st.arrow([(x, middle), hands[0]], "input", 2)),
            touch.part("to", st.arrow([(x, middle), hands[1]], "petrol", 2)),
            touch.part(
                "angle",
                st.text(x, middle + radius + 28, f"{turn:.3f}", anchor="middle", cls="vk-petrol"),
            ),
        ]
    left, right, top, bottom, most = 44, 452, 232, 352, WIDTH // 2
    xs = np.interp(np.arange(REACH + 1), (0, REACH), (left, right))
    ys = np.interp(dots, (0, most), (bottom, top))
    parts += [
        st.text(left - 32, top - 26, "dot product of two rows, by their distance", size=16),
        *(
            st.path(f"M{left} {st.num(level)}H{right}", width=1 if tick == 0 else 0.5)
            + st.text(left - 10, level + 5, str(tick), anchor="end", cls="vk-muted", size=13)
            for tick in (0, most // 2, most)
            for level in (float(np.interp(tick, (0, most), (bottom, top))),)
        ),
        *(
            st.text(xs[t], bottom + 20, str(t), anchor="middle", cls="vk-muted", size=13)
            for t in range(0, REACH + 1, 8)
        ),
        st.path(st.polyline(zip(xs, ys, strict=True)), cls="petrol", width=1.25),
        *(st.dot(a, b, 2, "petrol") for a, b in zip(xs, ys, strict=True)),
        touch.part("mark", st.dot(xs[move], ys[move], 6, "petrol")),
        touch.part(
            "dot",
            st.text(right, top - 26, f"{dots[move]:.2f}", anchor="end", cls="vk-petrol", bold=True),
        ),
    ]
    svg = st.figure_svg(
        "rotation-of-positions",
        "Rotation of positions",
        f"Four clocks, one for each pair of an encoding of width {WIDTH}, with the hand of position"
        f" {position} and that of the position {move} further on. The hands turn by"
        f" {st.listed(move * theta, 3)}. Below, the dot product of two rows against their"
        f" distance: {dots[move]:.2f} at distance {move}.",
        bottom + 34,
        parts,
        left=12,
        right=471.5,
    )
    clocks = {"centres": centres, "middle": middle, "radius": radius, "inner": inner}
    chart = {"x": [0, REACH, left, right], "y": [0, most, bottom, top]}
    start = {"position": position, "move": move, "d_model": WIDTH}
    return touch.touchable(
        "rotation-of-positions",
        svg,
        {**start, "clocks": clocks, "chart": chart},
        hint=(
            "Move both positions together: all hands turn, and neither the angles nor "
            "the dot product change. Then change the distance."
        ),
    )


def _sector(x: float, y: float, radius: float, start: float, turn: float) -> str:
    """Return the way a hand goes, clockwise from the top, without its full turns."""
    angles = start + np.linspace(0, turn % (2 * np.pi), 25)
    arc = zip(x + radius * np.sin(angles), y - radius * np.cos(angles), strict=True)
    return st.polyline([(x, y), *arc], closed=True)
