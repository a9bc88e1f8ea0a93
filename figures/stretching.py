"""Context extension: how much each pair slows down, and a head that reads beyond its training."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets.context_extension import by_parts, ntk_base, yarn_frequencies
from snippets.rotary import rotary_angles

WIDTH, TRAINED, STRETCH = 128, 2048, 4
#: Each line's colour, and its dashes.
LINES = {
    "as trained": ("muted", ""),
    "interpolated": ("rose", "7 4"),
    "NTK-aware": ("ochre", "2 3"),
    "YaRN": ("petrol", ""),
    "Llama 3": ("fg", "9 3 2 3"),
}


def _curve(distance: Any, theta: Any) -> Any:
    angles = np.outer(distance, theta)
    return np.concatenate([np.cos(angles), np.sin(angles)], axis=-1)


def data() -> dict[str, Any]:
    """Return how much each pair slows down, and a fitted head's scores far beyond its training."""
    theta = rotary_angles(np.array(1), WIDTH)
    rules = {
        "as trained": theta,
        "interpolated": theta / STRETCH,
        "NTK-aware": rotary_angles(np.array(1), WIDTH, float(ntk_base(WIDTH, STRETCH))),
        "YaRN": yarn_frequencies(WIDTH, STRETCH, TRAINED),
        "Llama 3": by_parts(theta, STRETCH, TRAINED, slow=1, fast=4),
    }
    trained_turns = TRAINED * theta / (2 * np.pi)
    near = np.arange(TRAINED)
    shown, weight = _curve(near, theta), 1 / (1 + near)
    learned = np.linalg.solve(
        (shown.T * weight) @ shown + 0.1 * np.eye(WIDTH),
        (shown.T * weight) @ (-2 * np.log1p(near)),
    )
    distances = np.unique(np.geomspace(1, STRETCH * TRAINED, 160).round()).astype(int) - 1
    return {
        "slower": {name: (theta / rule).round(3) for name, rule in rules.items()},
        "turns": trained_turns.round(2),
        "distances": distances,
        "scores": {
            name: (_curve(distances, rules[name]) @ learned).round(3)
            for name in ("as trained", "interpolated", "YaRN")
        },
    }


def _line(name: str, points: Any) -> str:
    hue, dash = LINES[name]
    more = f' stroke-dasharray="{dash}"' if dash else ""
    return st.path(st.polyline(points), cls=hue, width=2, more=more)


def draw(data: Mapping[str, Any]) -> str:
    """Two graphs, one below the other."""
    left, right, top, floor = 64, 456, 66, 276
    xs = np.linspace(left, right, WIDTH // 2)

    def up(slower: Any) -> Any:
        return np.interp(slower, (1, STRETCH), (floor, top))

    parts = [st.text(left, 24, "how many times more slowly a pair turns")]
    for turns, anchor, words, aside in (
        (32, "end", "32 turns in training", -6),
        (1, "start", "1 turn", 6),
    ):
        pair = float(np.interp(-turns, -data["turns"], xs))
        parts.append(st.path(f"M{st.num(pair)} {top - 8}V{floor}", width=1.5))
        parts.append(st.text(pair + aside, top - 14, words, anchor=anchor, size=13))
    parts += [
        *(
            st.path(f"M{left} {st.num(float(up(tick)))}H{right}", width=0.5)
            + st.text(
                left - 8, float(up(tick)) + 5, str(tick), anchor="end", cls="vk-muted", size=13
            )
            for tick in (1, 2, 3, 4)
        ),
        *(_line(name, zip(xs, up(data["slower"][name]), strict=True)) for name in LINES),
        *(
            st.text(float(xs[i]), floor + 18, str(i), anchor="middle", cls="vk-muted", size=13)
            for i in (0, 16, 32, 48, 63)
        ),
        st.text(
            (left + right) / 2, floor + 38, "pair", anchor="middle", cls="vk-muted", size=st.SMALL
        ),
    ]  # fmt: skip
    for i, (name, (hue, _)) in enumerate(LINES.items()):
        x, y = left + 132 * (i % 3), floor + 66 + 24 * (i // 3)
        parts.append(_line(name, ((x, y - 5), (x + 26, y - 5))))
        parts.append(st.text(x + 34, y, name, cls=f"vk-{hue}", size=st.SMALL))
    top, floor = floor + 150, floor + 330
    distances = data["distances"] + 1
    xs = np.interp(np.log10(distances), (0, np.log10(distances[-1])), (left, right))
    edge = float(np.interp(np.log10(TRAINED), (0, np.log10(distances[-1])), (left, right)))

    def height(score: Any) -> Any:
        return np.interp(score, (-20, 5), (floor, top))

    parts += [
        st.text(left, top - 26, "score of a key, against its distance"),
        *(
            st.path(f"M{left} {st.num(float(height(tick)))}H{right}", width=0.5)
            + st.text(
                left - 8, float(height(tick)) + 5, f"{tick}".replace("-", "−"), anchor="end",
                cls="vk-muted", size=13,
            )
            for tick in (-20, -10, 0)
        ),
        st.path(f"M{st.num(edge)} {top}V{floor}", width=1.5),
        st.text(edge - 6, top + 14, "trained", anchor="end", size=13),
        *(
            _line(name, zip(xs, height(scores), strict=True))
            for name, scores in data["scores"].items()
        ),
        *(
            st.text(
                float(np.interp(np.log10(tick + 1), (0, np.log10(distances[-1])), (left, right))),
                floor + 20, f"{tick:,}", anchor="middle", cls="vk-muted", size=13,
            )
            for tick in (0, 9, 99, 999, 8191)
        ),
        st.text(
            (left + right) / 2, floor + 40, "distance, in tokens", anchor="middle",
            cls="vk-muted", size=st.SMALL,
        ),
    ]  # fmt: skip
    return st.figure_svg(
        "context-extension",
        "Pairs that turn more slowly",
        f"Two graphs. Above, how many times more slowly each of {WIDTH // 2} pairs turns after four"
        f" rules for texts {STRETCH} times as long. Interpolation slows all pairs by {STRETCH};"
        " NTK-aware scaling by more and more up to the last; YaRN and Llama 3 leave the first"
        " pairs,"
        f" and slow those that turn less than once in training by {STRETCH}. Below, a head's scores"
        " against distance: as trained, they shoot up beyond the trained length; with interpolation"
        " they fall on, but near distances are drawn out; with YaRN they fall on, and near"
        " distances almost keep their scores.",
        floor + 54,
        parts,
        left=34.8,
        right=473.4,
    )
