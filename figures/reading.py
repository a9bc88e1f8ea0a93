"""Rows of weights over the words of the sentence, and what they read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import matrices
from figures import style as st
from snippets import bank_by_hand as hand

#: What else decides how this figure looks.
PARTS = (matrices,)


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
        (("weights", "the weights of bank", "score"), ("other", "other weights", "score"))
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


def small_data() -> dict[str, Any]:
    """Return three weights, the lengths of their values, and what each adds to the output."""
    weights = np.array([0.90, 0.06, 0.04])
    values = np.linalg.norm([[0.01, 0.0], [1.0, 2.0], [3.0, 1.0]], axis=1)
    return {"weight": weights, "length of the value": values, "product": weights * values}


def draw_small(data: Mapping[str, Any]) -> str:
    """Draw three columns of bars: a weight, times a length, is what is added."""
    parts = [
        st.text(12, 50 + 26 * i, f"token {i + 1}", cls="vk-muted", size=st.SMALL) for i in range(3)
    ]
    places = {
        "weight": (76, "score"),
        "length of the value": (222, "value"),
        "product": (374, "fg"),
    }
    for name, (x, hue) in places.items():
        parts += [
            st.text(x, 20, name, cls=f"vk-{hue}", size=st.SMALL),
            st.bars(x, 32, data[name], float(data[name].max()), length=60, hue=hue),
        ]
    parts += [
        st.text(x, 76, sign, anchor="middle", size=18) for x, sign in ((200, "·"), (352, "="))
    ]
    return st.figure_svg(
        "weight-times-value",
        "A large weight on a small value",
        "Three tokens. "
        + "; ".join(f"{name} {st.listed(numbers)}" for name, numbers in data.items())
        + ".",
        118,
        parts,
        left=12,
        right=468.6,
    )


def mean_data(
    tokens: Any = hand.tokens, V: Any = hand.V, alpha: Any = hand.alpha, BANK: Any = hand.BANK
) -> dict[str, Any]:
    """Return the values, the weights of *bank* and of the last word, and what the two get."""
    rows = [BANK, len(tokens) - 1]
    return {
        "tokens": list(tokens),
        "V": V,
        "names": [tokens[row] for row in rows],
        "weights": alpha[rows].round(6),
        "Z": alpha[rows] @ V,
    }


def draw_mean(data: Mapping[str, Any]) -> str:
    """Draw the value of each word, below it two rows of weights, and the two means."""
    left, pitch, cell, high, edge = 78.0, 30.0, 26.0, 56.0, 474.0
    top, largest = 66.0, float(data["V"].max()) or 1.0
    parts = [st.text(left - 12, top - 12, "values", anchor="end", cls="vk-value", size=st.SMALL)]
    for j, token in enumerate(data["tokens"]):
        parts.append(matrices.slanted(left + pitch * (j + 0.45), top - 10, token))
    parts.append(st.heat_map(left, top, data["V"].T, "value", (pitch, cell), decimals=0))
    parts += [
        st.text(left - 12, top + cell * (k + 0.5) + 5, name, anchor="end", cls="vk-muted")
        for k, name in enumerate(("water", "money"))
    ]
    for i, (name, weights, mean) in enumerate(
        zip(data["names"], data["weights"], data["Z"], strict=True)
    ):
        floor = top + 2 * cell + 94 + 104 * i
        parts += [
            st.text(left - 12, floor - 24, f"{name}", anchor="end", bold=True),
            st.text(left - 12, floor - 5, "reads", anchor="end", cls="vk-score", size=st.SMALL),
            st.path(f"M{left:g} {floor:g}h{pitch * len(weights):g}"),
            st.text(edge, floor - 54, "mean", anchor="end", cls="vk-muted", size=st.SMALL),
            *(
                st.rect(
                    edge - 42,
                    floor - 48 + 24 * k,
                    42,
                    22,
                    cls="vk-value",
                    opacity=round(st.FAINT + (st.FULL - st.FAINT) * float(number) / largest, 2),
                    radius=3,
                )
                for k, number in enumerate(mean)
            ),
            *(
                st.text(edge - 21, floor - 32 + 24 * k, f"{number:.2f}", anchor="middle")
                for k, number in enumerate(mean)
            ),
        ]
        for j, weight in enumerate(weights):
            x, height = left + pitch * j, max(1.0, high * float(weight))
            parts += [
                st.rect(x + 5, floor - height, pitch - 10, height, cls="vk-score", opacity=0.7),
                st.text(
                    x + pitch / 2,
                    floor - height - 6,
                    f"{weight:.2f}",
                    anchor="middle",
                    cls="vk-muted",
                    size=13,
                ),
            ]
    means = "; ".join(
        f"{name} gets ({st.listed(mean)})"
        for name, mean in zip(data["names"], data["Z"], strict=True)
    )
    return st.figure_svg(
        "mean-of-values",
        "Two means of the same values",
        "Above, the value of each word, water and money. Below, the weights of two words as bars:"
        f" {data['names'][0]} reads mostly one word, {data['names'][1]} reads all words evenly."
        f" As weighted means of the values, {means}.",
        top + 2 * cell + 94 + 104 + 12,
        parts,
        left=17.5,
        right=edge,
    )
