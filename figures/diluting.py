"""Dilution: the weight of one key whose score stands out, against the number of keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets.dilution import log_length_factor, weight_of_one
from snippets.recall_task import encode
from snippets.softmax import softmax
from snippets.trained_head import W_K, W_Q, W_V

SHARPNESS = 0.43  # of the paper's figure 1
GAPS = (2.0, 5.0)


def data() -> dict[str, Any]:
    """Return the weight for each gap, by softmax and with scores times sharpness · log n."""
    n = np.geomspace(2, 1e6, 80)
    return {
        "n": n.round(3),
        "softmax": {gap: weight_of_one(gap, n).round(4) for gap in GAPS},
        "scaled": {gap: weight_of_one(SHARPNESS * np.log(n) * gap, n).round(4) for gap in GAPS},
    }


def draw(data: Mapping[str, Any]) -> str:
    """One graph; a hue for each gap, dashes for the scores that grow."""
    left, right, top, floor = 56, 490, 60, 260
    ticks = (2, 10, 100, 1000, 10_000, 100_000, 1_000_000)
    names = ("2", "10", "100", "10³", "10⁴", "10⁵", "10⁶")

    def across(n: Any) -> Any:
        return np.interp(np.log(n), np.log((2, 1e6)), (left, right))

    parts = [
        st.text(left, 28, "weight of one key, against the number of keys"),
        *(
            st.path(f"M{left} {st.num(y)}H{right}", width=1 if tick == 0 else 0.5)
            + st.text(left - 8, y + 5, f"{tick:g}", anchor="end", cls="vk-muted", size=13)
            for tick in (0, 0.5, 1)
            for y in (float(np.interp(tick, (0, 1), (floor, top))),)
        ),
        *(
            st.text(float(across(n)), floor + 20, name, anchor="middle", cls="vk-muted", size=13)
            for n, name in zip(ticks, names, strict=True)
        ),
    ]
    for i, (kind, dash, words) in enumerate(
        (
            ("softmax", "", "softmax, gap"),
            ("scaled", ' stroke-dasharray="7 4"', f"times {SHARPNESS} log n, gap"),
        )
    ):
        for j, (gap, hue) in enumerate(zip(GAPS, ("rose", "petrol"), strict=True)):
            ys = np.interp(data[kind][gap], (0, 1), (floor, top))
            points = zip(across(data["n"]), ys, strict=True)
            parts.append(st.path(st.polyline(points), cls=hue, width=2, more=dash))
            x, y = 24 + 244 * j, floor + 50 + 24 * i
            parts.append(st.path(f"M{x} {y - 5}h26", cls=hue, width=2, more=dash))
            parts.append(st.text(x + 34, y, f"{words} {gap:g}", cls=f"vk-{hue}", size=st.SMALL))
    return st.figure_svg(
        "dilution",
        "The weight of one key among many",
        f"Four lines from 2 to a million keys. With softmax, the weight of a key whose score is"
        f" larger by {GAPS[0]:g} falls to 0 within some hundred keys, and by {GAPS[1]:g} within"
        f" some ten thousand. With scores times {SHARPNESS} log n, the key with the gap"
        f" {GAPS[1]:g} keeps almost all weight, and the one with the gap {GAPS[0]:g} slowly loses"
        " its weight.",
        floor + 90,
        parts,
        left=24,
    )


def head_data() -> dict[str, Any]:
    """Return the weight of the right pair, and its answer, among more and more other pairs."""
    found: dict[str, Any] = {"tokens": []}
    for times in (1, 10, 100, 1000):
        X = encode(["e2", *times * ["b7", "a9", "g4"], "e"])
        S = (X[-1] @ W_Q) @ (X @ W_K).T / 2.0
        found["tokens"].append(len(X))
        for name, factor in (("plain", 1.0), ("log", float(log_length_factor(len(X), 5)))):
            weights = softmax(factor * S)
            answer = softmax(weights @ X @ W_V)[2]
            found.setdefault(name, []).append([round(float(weights[0]), 4), round(answer, 4)])
    return found


def draw_head(data: Mapping[str, Any]) -> str:
    """Draw two bars for each number of tokens, without the factor and with it."""
    pitch, high, parts, said = 112.0, 84.0, [], []
    for name, words, floor in (
        ("plain", "scores as trained", 150),
        ("log", "scores times log $n$ / log 5", 318),
    ):
        parts += [st.text(12, floor - 116, words, bold=True), st.path(f"M12 {floor}h456")]
        for i, (count, pair) in enumerate(zip(data["tokens"], data[name], strict=True)):
            x = 22 + pitch * i
            for k, (number, hue) in enumerate(zip(pair, ("score", "petrol"), strict=True)):
                tall = max(high * number, 1)
                parts += [
                    st.rect(
                        x + 46 * k, floor - tall, 42, tall, cls=f"vk-{hue}", opacity=0.7, radius=2
                    ),
                    st.text(
                        x + 46 * k + 21,
                        floor - tall - 6,
                        f"{number:.2f}",
                        anchor="middle",
                        size=st.SMALL,
                    ),
                ]
            parts.append(
                st.text(
                    x + 44,
                    floor + 18,
                    f"{count:,} tokens",
                    anchor="middle",
                    cls="vk-muted",
                    size=st.SMALL,
                )
            )
        said.append(
            f"{words.replace('$', '')}, weight "
            + ", ".join(f"{weight:.2f}" for weight, _ in data[name])
            + " and answer "
            + ", ".join(f"{answer:.2f}" for _, answer in data[name])
        )
    parts += [
        st.rect(12, 356, 14, 12, cls="vk-score", opacity=0.7, radius=2),
        st.text(32, 367, "weight of the right pair", cls="vk-muted", size=st.SMALL),
        st.rect(226, 356, 14, 12, cls="vk-petrol", opacity=0.7, radius=2),
        st.text(246, 367, "probability of its digit", cls="vk-muted", size=st.SMALL),
    ]
    return st.figure_svg(
        "diluted-head",
        "A trained head among more and more tokens",
        f"Bars for 5 to 3,002 tokens. {'; '.join(said).capitalize()}.",
        376,
        parts,
        left=12,
        right=468,
    )
