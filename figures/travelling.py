"""Ring attention: what moves between machines, and how much each computes in each step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets.ring_attention import contiguous_places, ring_attention, zigzag_places
from snippets.softmax import softmax

MACHINES, TOKENS = 4, 400


def data() -> dict[str, Any]:
    """Return the work of each step and machine, in full blocks, to the nearest half."""
    x = np.zeros((TOKENS, 1))
    found = {}
    for name, split in (("contiguous", contiguous_places), ("zigzag", zigzag_places)):
        _, work = ring_attention(x, x, x, split(TOKENS, MACHINES), is_causal=True)
        found[name] = np.round(2 * work / (TOKENS / MACHINES) ** 2) / 2
    return found


def draw(data: Mapping[str, Any]) -> str:
    """Draw the ring on top, and the two tables of work below it."""
    parts = [st.text(24, 28, "queries stay, keys and values move on")]
    width, height, gap, top = 92, 58, 34, 48
    for i in range(MACHINES):
        x = 24 + i * (width + gap)
        parts += [
            st.rect(x, top, width, height, cls="vk-line", stroke=1.5),
            st.text(x + 10, top + 24, f"$Q_{i + 1}$", cls="vk-query"),
            st.text(x + 10, top + 47, f"$K_{i + 1}, V_{i + 1}$", cls="vk-key"),
        ]
        if i < MACHINES - 1:
            y = top + 42
            parts.append(st.arrow([(x + width + 3, y), (x + width + gap - 3, y)], cls="key"))
    first, last, floor = 24 + width / 2, 24 + width / 2 + 3 * (width + gap), top + height
    back = [(last, floor + 3), (last, floor + 20), (first, floor + 20), (first, floor + 3)]
    parts.append(st.arrow(back, cls="key"))
    side, top = 48, 204
    for table, name in enumerate(("contiguous", "zigzag")):
        left = 62 + 240 * table
        parts.append(st.text(left, top - 32, name))
        parts += [
            st.text(
                left + (i + 0.5) * side,
                top - 9,
                str(i + 1),
                anchor="middle",
                cls="vk-muted",
                size=13,
            )
            for i in range(MACHINES)
        ]
        for step, row in enumerate(data[name]):
            y = top + step * side
            if not table:
                parts.append(
                    st.text(
                        left - 8,
                        y + side / 2 + 4,
                        f"step {step + 1}",
                        anchor="end",
                        cls="vk-muted",
                        size=13,
                    )
                )
            for i, work in enumerate(row):
                x = left + i * side
                opacity = st.FAINT + float(work) * (st.FULL - st.FAINT)
                parts += [
                    st.rect(x, y, side - 2, side - 2, cls="vk-score", opacity=round(opacity, 2)),
                    st.text(
                        x + side / 2 - 1,
                        y + side / 2 + 4,
                        "½" if work == 0.5 else f"{work:g}",
                        anchor="middle",
                        size=st.SMALL,
                    ),
                ]
    return st.figure_svg(
        "ring",
        "Ring attention",
        "Four machines in a row, the last joined to the first. Each keeps a block of queries;"
        " blocks of keys and values move on to the next machine. Below are two tables of the"
        " work of each machine in each step under a causal mask, in blocks. Contiguous: half a"
        " block for all, then a full block for some and none for the others. Zigzag: half a"
        " block everywhere.",
        top + MACHINES * side + 12,
        parts,
        left=17.3,
    )


def merged_data() -> dict[str, Any]:
    """Return the weights of one query over the keys of two machines."""
    Q, K, _ = np.random.default_rng(0).standard_normal((3, 96, 16))
    return {"weights": softmax(Q[0] @ K.T / np.sqrt(16)).round(5), "split": 30}


def draw_merged(data: Mapping[str, Any]) -> str:
    """Draw the weights as bars, and below them both shares, by weight and by number."""
    weights, split = data["weights"], data["split"]
    left, width, floor = 12.0, 460.0, 130.0
    pitch, high, parts = width / len(weights), 96 / float(weights.max()), []
    parts.append(st.text(left, 22, f"weights of one query, {len(weights)} keys", size=st.SMALL))
    for i, weight in enumerate(weights):
        tall, hue = high * float(weight), "petrol" if i < split else "rose"
        parts.append(
            st.rect(
                left + pitch * i,
                floor - tall,
                pitch - 1,
                tall,
                cls=f"vk-{hue}",
                opacity=0.8,
                radius=0,
            )
        )
    parts += [
        st.text(left, floor + 20, "machine 1", cls="vk-petrol", size=st.SMALL),
        st.text(left + pitch * split, floor + 20, "machine 2", cls="vk-rose", size=st.SMALL),
    ]
    shares = {
        "by log-sum-exp: right": float(weights[:split].sum()),
        "by the number of keys: wrong": split / len(weights),
    }
    for i, (words, share) in enumerate(shares.items()):
        y = floor + 62 + 62 * i
        parts += [
            st.text(left, y - 8, words, bold=i == 0, size=st.SMALL),
            st.rect(left, y, width * share - 1, 28, cls="vk-petrol", opacity=0.35, radius=2),
            st.rect(
                left + width * share + 1,
                y,
                width * (1 - share) - 1,
                28,
                cls="vk-rose",
                opacity=0.35,
                radius=2,
            ),
            st.text(left + 8, y + 19, f"{share:.2f}", size=st.SMALL),
            st.text(left + width - 8, y + 19, f"{1 - share:.2f}", anchor="end", size=st.SMALL),
        ]
    said = "; ".join(f"{words}, {share:.2f}" for words, share in shares.items())
    return st.figure_svg(
        "merged-shares",
        "With what share a partial result counts",
        f"Bars for the weights of one query over {len(weights)} keys, {split} of them on machine 1."
        f" Share of machine 1: {said}.",
        floor + 160,
        parts,
        left=left,
        right=left + width,
    )
