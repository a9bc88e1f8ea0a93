"""The weight that the k largest of a row keep, in the heads of a real model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import basics
from figures import style as st
from snippets.minilm_heads import minilm_heads
from snippets.sparse_attention import kept_mass, top_k_mask

#: What else decides how these figures look.
PARTS = (basics,)

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
        ("all heads", "petrol", "", -4),
        ("flattest head", "rose", "", 12),
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


def work_data() -> dict[str, Any]:
    """Return the work of sparse attention as a share of dense attention, against the length."""
    lengths = 2 ** np.arange(8, 18)
    rating, reading = 64 * 128, 128 * (512 + 64 + 512)
    sparse = rating * lengths + reading * np.minimum(2_048, lengths)
    return {
        "lengths": lengths,
        "rating": rating / np.full(len(lengths), reading),
        "all": sparse / (reading * lengths),
    }


def draw_work(data: Mapping[str, Any]) -> str:
    """Draw both shares against the length, on a logarithmic axis."""
    lengths, total, rating = np.log2(data["lengths"]), data["all"], data["rating"]
    axes = basics.Axes(44, 474, 44, 270, (float(lengths[0]), float(lengths[-1])), (0, 1.1))
    parts = [
        st.text(12, 20, "share of the work of dense attention", size=st.SMALL),
        st.path(f"M{axes.left} {axes.top}V{axes.bottom}H{axes.right}"),
        *(
            st.text(36, axes.place(8, t)[1] + 5, f"{t:g}", anchor="end", cls="vk-muted", size=13)
            for t in (0, 0.5, 1)
        ),
        *(
            st.text(
                axes.place(t, 0)[0],
                290,
                f"{2**t:,}",
                anchor="end" if t == 17 else "middle",
                cls="vk-muted",
                size=13,
            )
            for t in (9, 11, 13, 15, 17)
        ),
        st.text(474, 314, "tokens →", anchor="end", size=st.SMALL),
        st.path(axes.curve(lengths, total), cls="petrol", width=2.5),
        st.path(axes.curve(lengths, rating), cls="rose", width=2.5, more=' stroke-dasharray="7 4"'),
        st.text(*_above(axes.place(12, float(total[4]))), "rating and reading", cls="vk-petrol"),
        st.text(*_above(axes.place(8.2, float(rating[0]))), "rating alone", cls="vk-rose"),
    ]
    return st.figure_svg(
        "sparse-work",
        "The work of sparse attention, against the length",
        f"A level line at {total[0]:.2f} up to 2,048 tokens, then a curve that falls to"
        f" {total[-1]:.2f} at {data['lengths'][-1]:,}. The rating of all keys alone is a level line"
        f" at {rating[0]:.2f}.",
        322,
        parts,
        left=12,
        right=476,
    )


def _above(place: tuple[float, float]) -> tuple[float, float]:
    return place[0] + 10, place[1] - 8
