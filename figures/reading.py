"""Two rows of weights that give one output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets import bank_by_hand as hand


def data() -> dict[str, Any]:
    """Return the weights of *bank*, and others with the same output."""
    row = hand.alpha[hand.BANK]
    seen = np.column_stack([hand.V, np.ones(hand.n)])
    free = np.linalg.svd(seen.T)[2][seen.shape[1] :]
    change = free.T @ (free @ (np.eye(hand.n)[hand.tokens.index("wade")] - row))
    falls = change < -1e-9
    other = np.abs(row + np.min(row[falls] / -change[falls]) * change).round(6)
    return {"tokens": hand.tokens, "weights": row, "other": other, "output": row @ hand.V}


def draw(data: Mapping[str, Any]) -> str:
    """Draw two rows of bars, one above the other."""
    left, pitch, high = 16, 41, 90
    full = float(data["other"].max())
    output = ", ".join(f"{x:.4f}" for x in data["output"])
    parts = []
    for i, (name, title, hue) in enumerate(
        (("weights", "the weights of bank", "score"), ("other", "other weights", "key"))
    ):
        floor = 140 + i * 172
        parts += [
            st.text(left, floor - high - 24, title),
            st.path(f"M{left} {floor}h{pitch * len(data['tokens'])}"),
        ]
        for j, (token, weight) in enumerate(zip(data["tokens"], data[name], strict=True)):
            x, height = left + pitch * j, high * float(weight) / full
            if height:
                parts.append(
                    st.rect(x + 6, floor - height, pitch - 12, height, cls=f"vk-{hue}", opacity=0.7)
                )
            parts.append(
                st.text(
                    x + pitch / 2,
                    floor - height - 6,
                    f"{weight:.2f}",
                    anchor="middle",
                    size=st.SMALL,
                )
            )
            parts.append(
                st.text(
                    x + pitch / 2,
                    floor + 19,
                    token,
                    anchor="middle",
                    cls="vk-muted",
                    size=st.SMALL,
                )
            )
    bottom = 140 + 172 + 50
    parts.append(st.text(left, bottom, f"output of both: ({output})", cls="vk-value"))
    return st.figure_svg(
        "same-output",
        "Two rows of weights, one output",
        f"Two rows of bars over the eleven words. Above, the weights of bank,"
        f" {st.listed(data['weights'])}; below, other weights, {st.listed(data['other'])}. The"
        f" output of both is ({output}).",
        bottom + 18,
        parts,
        left=16,
        right=468.5,
    )
