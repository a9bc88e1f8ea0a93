"""The small pictures on the cards of the short road: drawings without words, with thick lines.

Each is drawn from the data of a figure of its page, and is some 130 pixels wide on a card.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from figures import style as st

HEIGHT = 320
LINE = 8  # some two pixels on a card
DOT = 17

Point = tuple[float, float]


def _cover(name: str, desc: str, parts: Sequence[str]) -> str:
    return st.figure_svg(f"cover-{name}", desc, desc, HEIGHT, parts)


def _place(v: npt.NDArray[np.float64], unit: float) -> Point:
    """Return where a point of the plane lies; both axes have the same scale."""
    return 96 + unit * float(v[0]), 292 - unit * float(v[1])


def _axes() -> str:
    return st.path("M96 16V292H456", cls="muted", width=4)


def draw_banks(data: Mapping[str, Any]) -> str:
    """Draw one point of a plane that becomes two."""
    unit = 240
    bank = _place(data["bank"], unit)
    parts = [_axes()]
    for other, hue in (("river", "petrol"), ("money", "ochre")):
        new = _place(data[f"{other} bank"], unit)
        parts += [
            st.path(st.polyline([bank, new]), cls=hue, width=LINE),
            st.dot(*_place(data[other], unit), DOT - 4, hue),
            st.dot(*new, DOT, hue),
        ]
    return _cover("banks", "One point becomes two", [*parts, st.dot(*bank, DOT, "fg")])


def draw_softmax(data: Mapping[str, Any]) -> str:
    """Draw numbers around zero on the left, and the bars of their shares on the right."""
    parts = [
        st.path("M128 24V296", cls="muted", width=4),
        st.path("M288 24V296", cls="muted", width=4),
    ]
    for i, (x, share) in enumerate(zip(data["numbers"], data["shares"], strict=True)):
        y = 32 + 68 * i
        parts += [
            st.rect(128 + 50 * min(0.0, x), y, 50 * abs(x), 48, cls="vk-input", radius=4),
            st.rect(288, y, max(260 * share, 6), 48, cls="vk-score", radius=4),
        ]
    return _cover("softmax", "Numbers and their shares", parts)


def draw_mean(data: Mapping[str, Any]) -> str:
    """Draw values in a plane, their weighted mean, and lines as wide as the weights."""
    unit = 240
    z = _place(data["z"], unit)
    points = [_place(v, unit) for v in data["V"]]
    parts = [
        st.path(st.polyline([z, point]), cls="score", width=max(3, round(34 * float(weight))))
        for point, weight in zip(points, data["weights"], strict=True)
    ]
    dots = [st.dot(*point, DOT, "value") for point in points]
    return _cover("mean", "The mean of values", [_axes(), *parts, *dots, st.dot(*z, DOT, "fg")])


def _fan(x: Point, weights: npt.NDArray[np.float64], asks: int) -> list[str]:
    """Draw a line from the word that asks to each word, as wide as its weight."""
    levels = np.linspace(24, 296, len(weights))
    start = x[0], float(levels[asks])
    return [
        *(
            st.path(
                st.polyline([start, (x[1], float(y))]), cls="muted", width=3, more=' opacity=".5"'
            )
            for y in levels
        ),
        *(
            st.path(st.polyline([start, (x[1], float(y))]), cls="score", width=40 * float(weight))
            for y, weight in zip(levels, weights, strict=True)
            if weight > 0.1
        ),
        *(st.dot(x[1], float(y), 8, "key") for y in levels),
        st.dot(*start, DOT, "query"),
    ]


def draw_head(data: Mapping[str, Any]) -> str:
    """Draw which words one word reads."""
    return _cover("head", "One word reads others", _fan((90, 390), data["weights"], data["bank"]))


def draw_heads(data: Mapping[str, Any]) -> str:
    """Draw the same word in two heads."""
    fans = zip(((36, 196), (284, 444)), data["weights"], strict=True)
    parts = [part for x, weights in fans for part in _fan(x, weights, data["bank"])]
    return _cover("heads", "Two heads read different words", parts)


def draw_mask(data: Mapping[str, Any]) -> str:
    """Draw a map of weights in which no word reads a later one."""
    cell = 48
    parts = []
    for (i, j), allowed in np.ndenumerate(data["mask"]):
        x, y = 90 + cell * j, 16 + cell * i
        if allowed:
            opacity = 0.25 + 0.75 * float(data["weights"][i, j])
            parts.append(st.rect(x, y, 42, 42, cls="vk-score", opacity=round(opacity, 2)))
        else:
            parts.append(st.rect(x + 2, y + 2, 38, 38, cls="vk-muted", stroke=3))
    return _cover("mask", "Words read only earlier words", parts)


def draw_next(data: Mapping[str, Any]) -> str:
    """Draw the likeliest next words after two beginnings as bars."""
    after = data["after"]
    found = [dict(zip(each["words"], each["shares"], strict=True)) for each in after]
    words = [word for each in after for word in each["words"][:3]]
    parts = []
    for k, (shares, hue) in enumerate(zip(found, ("petrol", "ochre"), strict=True)):
        x = 40 + k * 440 / len(found)
        parts.append(st.path(f"M{st.num(x)} 24V296", cls="muted", width=4))
        parts += [
            st.rect(x, 34 + 44 * i, max(480 * float(share), 6), 32, cls=f"vk-{hue}", radius=4)
            for i, share in enumerate(shares.get(word, 0.0) for word in words)
        ]
    return _cover("next", "The likeliest next words", parts)
