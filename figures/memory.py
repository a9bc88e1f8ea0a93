"""What a memory of fixed size recalls, beside one that keeps everything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets.attention import scaled_dot_product_attention
from snippets.linear_attention import linear_attention

WIDTH = 32
SEEDS = 20
RULES = ("softmax", "linear", "delta")
HUES = {"softmax": "petrol", "linear": "rose", "delta": "ochre"}


def _units(count: int, more: int) -> Iterator[Any]:
    """Draw unit vectors for each seed: so many of them, then so many more."""
    drawn = [np.random.default_rng(n).standard_normal((count + more, WIDTH)) for n in range(SEEDS)]
    units = drawn / np.linalg.norm(drawn, axis=-1, keepdims=True)
    yield units[:, :count]
    yield units[:, count:]


def _right(rule: str, asked: Any, K: Any, V: Any, wanted: Any) -> float:
    """Return the share of asked keys that are answered with the wanted value.

    Values within 1e-6 of the best tie and share the point: rounding must not pick the winner.
    """
    if rule == "softmax":
        answers = scaled_dot_product_attention(asked, K, V, scale=float(WIDTH))
    else:
        beta = np.ones((K.shape[-2], 1)) if rule == "delta" else None
        answers = asked @ linear_attention(K, K, V, beta=beta)[1]
    scores = answers @ V.swapaxes(-1, -2)
    best = scores >= scores.max(axis=-1, keepdims=True) - 1e-6
    points = best / best.sum(axis=-1, keepdims=True)
    return float(points[..., np.arange(len(wanted)), wanted].mean().round(3))


def data() -> dict[str, Any]:
    """Return the share of right answers against pairs, and against rounds of rewriting."""
    pairs, rounds, keys = [4, 8, 16, 32, 64, 128, 256], [1, 2, 4, 8, 16], 8
    found: dict[str, Any] = {"pairs": pairs, "rounds": rounds, "keys": keys}
    found.update({f"{rule} {kind}": [] for rule in RULES for kind in ("once", "again")})
    for count in pairs:
        K, V = _units(count, count)
        for rule in RULES:
            found[f"{rule} once"].append(_right(rule, K, K, V, np.arange(count)))
    for times in rounds:
        asked, V = _units(keys, keys * times)
        K, wanted = np.tile(asked, (times, 1)), keys * (times - 1) + np.arange(keys)
        for rule in RULES:
            found[f"{rule} again"].append(_right(rule, asked, K, V, wanted))
    return found


def draw(data: Mapping[str, Any]) -> str:
    """Two graphs side by side, a line for each rule."""
    top, floor, width = 62, 242, 180
    parts = []
    for left, kind, counts, title, label in (
        (52, "once", data["pairs"], "each key once", "pairs"),
        (290, "again", data["rounds"], f"{data['keys']} keys, again", "rounds"),
    ):
        xs = left + np.linspace(0, width, len(counts))
        parts += [
            st.text(left, 24, title),
            *(
                st.path(f"M{left} {st.num(y)}H{left + width}", width=1 if tick == 0 else 0.5)
                + st.text(left - 8, y + 5, f"{tick:g}", anchor="end", cls="vk-muted", size=13)
                for tick in (0, 0.5, 1)
                for y in (float(np.interp(tick, (0, 1), (floor, top))),)
            ),
            *(
                st.text(float(x), floor + 20, str(c), anchor="middle", cls="vk-muted", size=13)
                for x, c in list(zip(xs, counts, strict=True))[:: 2 if len(counts) > 5 else 1]
            ),
            st.text(
                left + width / 2,
                floor + 42,
                label,
                anchor="middle",
                cls="vk-muted",
                size=st.SMALL,
            ),
        ]
        for rule in RULES:
            ys = np.interp(data[f"{rule} {kind}"], (0, 1), (floor, top))
            line = [(float(x), float(y)) for x, y in zip(xs, ys, strict=True)]
            dash = {"softmax": "", "linear": "7 4", "delta": "2 3"}[rule]
            more = f' stroke-dasharray="{dash}"' if dash else ""
            parts.append(st.path(st.polyline(line), cls=HUES[rule], width=2, more=more))
            parts += [st.dot(x, y, 3.5, HUES[rule]) for x, y in line]
    for i, (rule, words) in enumerate(
        (("softmax", "softmax attention"), ("linear", "linear state"), ("delta", "delta rule"))
    ):
        x, y = (52, 210, 338)[i], floor + 72
        parts += [
            st.dot(x + 5, y - 5, 5, HUES[rule]),
            st.text(x + 18, y, words, cls=f"vk-{HUES[rule]}", size=st.SMALL),
        ]
    return st.figure_svg(
        "recall-and-rewriting",
        "Recall of pairs, and of the newest value",
        "Two graphs of the share of right answers. On the left, with more and more pairs of"
        f" width {WIDTH}: softmax attention"
        f" {st.listed(data['softmax once'])}; a linear state {st.listed(data['linear once'])}; the"
        f" delta rule {st.listed(data['delta once'])}. On the right {data['keys']} keys are written"
        " again and again with new values, and the newest is asked for: softmax"
        f" {st.listed(data['softmax again'])}; a linear state {st.listed(data['linear again'])};"
        f" the delta rule {st.listed(data['delta again'])}.",
        floor + 90,
        parts,
        left=27.1,
        right=478.5,
    )
