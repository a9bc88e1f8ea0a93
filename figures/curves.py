"""Functions of one number: activations, and scores that are held back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets.bounded_scores import soft_cap, unit_rms
from snippets.feed_forward import gelu, relu
from snippets.swiglu import swish

CAP = 50.0
WIDTH = 16  # of queries and keys


def activations_data() -> dict[str, Any]:
    """Return three activation functions from -4 to 4."""
    x = np.linspace(-4, 4, 81)
    return {"x": x, "ReLU": relu(x), "GELU": gelu(x), "swish": swish(x)}


def draw_activations(data: Mapping[str, Any]) -> str:
    """Draw the three curves over one another."""
    left, right, top, floor = 56, 510, 30, 250
    x = data["x"]

    def place(a: float, b: float) -> tuple[float, float]:
        return (
            float(np.interp(a, (-4, 4), (left, right))),
            float(np.interp(b, (-0.5, 4), (floor, top))),
        )

    zero = place(0, 0)
    parts = [
        st.path(f"M{left} {st.num(zero[1])}H{right}M{st.num(zero[0])} {floor}V{top}"),
        *(
            st.text(
                place(t, 0)[0],
                floor + 20,
                f"{t}".replace("-", "−"),
                anchor="middle",
                cls="vk-muted",
                size=13,
            )
            for t in (-4, -2, 0, 2, 4)
        ),
        *(
            st.text(left - 10, place(0, t)[1] + 5, str(t), anchor="end", cls="vk-muted", size=13)
            for t in (0, 2, 4)
        ),
    ]
    for i, (name, hue, dash) in enumerate(
        (("ReLU", "muted", "2 3"), ("GELU", "rose", "7 4"), ("swish", "petrol", ""))
    ):
        line = [place(a, b) for a, b in zip(x, data[name], strict=True)]
        more = f' stroke-dasharray="{dash}"' if dash else ""
        parts.append(st.path(st.polyline(line), cls=hue, width=2, more=more))
        parts.append(st.text(84, 60 + 24 * i, name, cls=f"vk-{hue}"))
        parts.append(st.path(f"M{left + 4} {55 + 24 * i}h18", cls=hue, width=2, more=more))
    return st.figure_svg(
        "activations",
        "ReLU, GELU and swish",
        "Three curves from −4 to 4. ReLU is 0 and then a straight line. GELU and swish are smooth"
        f" and dip below 0 on the left, GELU to {data['GELU'].min():.2f}, swish to"
        f" {data['swish'].min():.2f}; on the right both come close to the line.",
        floor + 36,
        parts,
        left=38.9,
    )


def bounded_data() -> dict[str, Any]:
    """Return capped scores, and the largest score of longer and longer queries and keys."""
    scores = np.linspace(-200, 200, 81)
    rng = np.random.default_rng(0)
    query, key = rng.standard_normal((2, 64, WIDTH))
    factors = np.array([1.0, 2, 3, 4, 5, 6])

    def largest(normed: bool) -> Any:
        found = []
        for factor in factors:
            q, k = factor * query, factor * key
            if normed:
                q, k = unit_rms(q), unit_rms(k)
            found.append(np.abs(q @ k.T).max() / np.sqrt(WIDTH))
        return np.array(found)

    return {
        "scores": scores,
        "capped": soft_cap(scores, CAP),
        "factors": factors,
        "plain": largest(False),
        "normed": largest(True),
    }


def draw_bounded(data: Mapping[str, Any]) -> str:
    """Draw the cap on the left, QK-norm on the right."""
    top, floor, width = 56, 236, 170
    left, right = 56, 296
    high = float(data["plain"].max())

    def cap_at(a: float, b: float) -> tuple[float, float]:
        return (
            float(np.interp(a, (-200, 200), (left, left + width))),
            float(np.interp(b, (-60, 60), (floor, top))),
        )

    def norm_at(a: float, b: float) -> tuple[float, float]:
        return (
            float(np.interp(a, data["factors"][[0, -1]], (right, right + width))),
            float(np.interp(b, (0, high), (floor, top))),
        )

    zero = cap_at(0, 0)
    small = np.abs(data["scores"]) <= CAP + 5
    parts = [
        st.text(left, 24, "soft cap of 50"),
        st.text(right, 24, "largest score"),
        st.path(f"M{left} {st.num(zero[1])}h{width}M{st.num(zero[0])} {floor}V{top}"),
        st.path(
            st.polyline([cap_at(s, s) for s in data["scores"][small]]),
            cls="muted",
            more=' stroke-dasharray="2 3"',
        ),
        st.path(
            st.polyline(
                [cap_at(a, b) for a, b in zip(data["scores"], data["capped"], strict=True)]
            ),
            cls="petrol",
            width=2,
        ),
        *(
            st.text(
                left - 8,
                cap_at(0, t)[1] + 5,
                f"{t}".replace("-", "−"),
                anchor="end",
                cls="vk-muted",
                size=13,
            )
            for t in (-50, 0, 50)
        ),
        *(
            st.text(
                cap_at(t, 0)[0],
                floor + 20,
                f"{t}".replace("-", "−"),
                anchor="middle",
                cls="vk-muted",
                size=13,
            )
            for t in (-200, 0, 200)
        ),
        st.text(
            left + width / 2, floor + 42, "score", anchor="middle", cls="vk-muted", size=st.SMALL
        ),
        st.path(f"M{right} {floor}h{width}M{right} {floor}V{top}"),
        *(
            st.text(
                right - 8,
                norm_at(1, t)[1] + 5,
                str(t),
                anchor="end",
                cls="vk-muted",
                size=13,
            )
            for t in (0, 50, 100)
        ),
        *(
            st.text(
                norm_at(f, 0)[0], floor + 20, f"{f:g}", anchor="middle", cls="vk-muted", size=13
            )
            for f in data["factors"]
        ),
        st.text(
            right + width / 2,
            floor + 42,
            "times as long",
            anchor="middle",
            cls="vk-muted",
            size=st.SMALL,
        ),
    ]
    for name, hue, words in (("plain", "petrol", "plain"), ("normed", "rose", "QK-norm")):
        line = [norm_at(a, b) for a, b in zip(data["factors"], data[name], strict=True)]
        more = "" if name == "plain" else ' stroke-dasharray="7 4"'
        parts.append(st.path(st.polyline(line), cls=hue, width=2, more=more))
        parts += [st.dot(a, b, 3, hue) for a, b in line]
        x, y = line[3] if name == "plain" else line[5]
        parts.append(st.text(x - 8, y - 12, words, anchor="end", cls=f"vk-{hue}", size=st.SMALL))
    return st.figure_svg(
        "bounded-scores",
        "A soft cap, and QK-norm",
        "Two graphs. On the left a soft cap of 50: it follows the straight line near 0 and levels"
        " off at 50. On the right queries and keys grow longer: the largest score grows from"
        f" {data['plain'][0]:.1f} to {high:.1f}, and with QK-norm it stays at"
        f" {data['normed'][0]:.1f}.",
        floor + 58,
        parts,
        left=26.8,
        right=471,
    )


def circle_data() -> dict[str, Any]:
    """Return keys of width two as drawn, some made longer, and brought to one length."""
    angles = np.random.default_rng(0).permutation(7) * 2 * np.pi / 7 + 0.3
    keys = np.linspace(0.4, 1.7, 7)[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return {"keys": keys, "normed": unit_rms(keys)}


def draw_circle(data: Mapping[str, Any]) -> str:
    """Draw the keys as arrows, on the right all of one length."""
    unit, parts = 62.0, []
    for x, name, words in ((120.0, "keys", "as they are"), (364.0, "normed", "after QK-norm")):
        y = 164.0
        parts += [
            st.text(x - 108, 24, words, bold=True),
            st.path(f"M{x - 108} {y}h216M{x} {y - 108}v216"),
            f'<circle class="vk-line vk-stroke" cx="{x:g}" cy="{y:g}"'
            f' r="{st.num(unit * np.sqrt(2))}" stroke-dasharray="3 4"/>',
            *(
                st.arrow([(x, y), (x + unit * float(a), y - unit * float(b))], "key", 2.5)
                for a, b in data[name]
            ),
        ]
    lengths = np.linalg.norm(data["keys"], axis=1)
    return st.figure_svg(
        "keys-on-a-circle",
        "Keys before and after QK-norm",
        f"Seven keys of width 2 as arrows, of lengths from {lengths.min():.2f} to"
        f" {lengths.max():.2f}; after QK-norm all end on a circle of radius"
        f" {np.sqrt(2):.2f}, the root of their width, in their old directions.",
        282,
        parts,
        left=12,
        right=472,
    )
