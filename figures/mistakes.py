"""What a case with a known answer tells of mistakes that change no shape and no sum."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np

from figures import signs
from figures import style as st
from figures.touch import touchable
from snippets.attention import attention_weights
from snippets.own_attention import EXAMPLES, report
from snippets.softmax import softmax

D_MODEL, D_K = 2, 3


def known_answer_data() -> dict[str, Any]:
    """Return the first row of weights of two tokens, under the right scale and under mistakes."""
    S = np.array([[0.0, np.sqrt(D_K) * np.log(3)], [0.0, 0.0]])
    cases = {
        "right": (S, 1 / np.sqrt(D_K)),
        "no scale": (S, 1.0),
        "÷ √d_model": (S, 1 / np.sqrt(D_MODEL)),
        "÷ d_k": (S, 1 / D_K),
        "× √d_k": (S, np.sqrt(D_K)),
        "Q and K swapped": (S.T, 1 / np.sqrt(D_K)),
    }
    return {"rows": {name: attention_weights(s, scale=f)[0] for name, (s, f) in cases.items()}}


def draw_known_answer(data: Mapping[str, Any]) -> str:
    """Draw each row of two weights as one bar in two parts."""
    rows = data["rows"]
    labels = {
        "right": r"right: ÷ $\sqrt{d_k}$",
        "no scale": "no scale",
        "÷ √d_model": r"÷ $\sqrt{d_{\text{model}}}$",
        "÷ d_k": "÷ $d_k$",
        "× √d_k": r"× $\sqrt{d_k}$",
        "Q and K swapped": "$Q$ and $K$ swapped",
    }
    x, length, y, pitch = 156, 300, 56, 40
    parts = [
        st.text(x, 24, "weight on token 1", cls="vk-muted", size=st.SMALL),
        st.text(x + length, 24, "on token 2", anchor="end", cls="vk-muted", size=st.SMALL),
    ]
    quarter = x + length * float(rows["right"][0])
    bottom = y + pitch * len(rows) - 8
    for i, (name, (first, second)) in enumerate(rows.items()):
        top, split = y + pitch * i, x + length * float(first)
        parts += [
            st.text(x - 12, top + 19, labels[name], anchor="end", bold=name == "right"),
            st.rect(x, top, split - x - 1, 28, cls="vk-score", opacity=0.45),
            st.rect(split + 1, top, x + length - split - 1, 28, cls="vk-score", opacity=0.2),
            st.text(x + 6, top + 19, f"{first:.2f}" if first > 0.12 else "", size=st.SMALL),
            st.text(
                x + length - 8,
                top + 19,
                f"{second:.2f}",
                anchor="end",
                size=st.SMALL,
            ),
        ]
    parts.append(
        st.path(f"M{st.num(quarter)} {y - 10}V{bottom}", cls="fg", more=' stroke-dasharray="4 4"')
    )
    said = "; ".join(f"{name} {a:.2f} and {b:.2f}" for name, (a, b) in rows.items())
    return st.figure_svg(
        "known-answer",
        "A case with a known answer",
        f"The weights of token 1 on tokens 1 and 2, six times: {said}.",
        bottom + 12,
        parts,
        left=24.4,
        right=457.5,
    )


def own_data() -> dict[str, Any]:
    """Return functions to begin with, and what is found out about the first one."""
    first = next(iter(EXAMPLES.values()))
    return {"examples": EXAMPLES, "report": json.loads(report(first))}


def draw_own(data: Mapping[str, Any]) -> str:
    """Draw a wrong function, the formula that fails, and a map of the difference."""
    told = data["report"]
    [[_, words, formula, instead]] = told["formulas"]
    difference = np.array(told["found"]) - np.array(told["expected"])
    code = next(iter(data["examples"].values())).rstrip().split("\n")
    told_in_words = f"{words}. Here: {instead}. It should be: {formula}."
    x, y, wide, high = 74, 52 + 22 * len(code), 64, 28
    mono = 'font-size="13.5" font-family="ui-monospace,Consolas,monospace" style="white-space:pre"'
    parts = [
        st.rect(4, 6, 472, 22 * len(code) + 12, cls="vk-line", opacity=0.3),
        *(
            f'<text x="16" y="{27 + 22 * i}" {mono}>{escape(line)}</text>'
            for i, line in enumerate(code)
        ),
        st.text(4, y, told_in_words.replace("d_k", "$d_k$"), size=16),
        st.text(4, y + 26, "its output minus the right one, six tokens", cls="vk-muted"),
        *(
            st.text(x + (j + 0.5) * wide - 1, y + 50, f"{j + 1}", anchor="middle", cls="vk-muted")
            for j in range(difference.shape[1])
        ),
        *(
            st.text(4, y + 78 + i * high, f"token {i + 1}", cls="vk-muted")
            for i in range(len(difference))
        ),
    ]
    full = float(np.abs(difference).max())
    for (i, j), value in np.ndenumerate(difference):
        hue, opacity = signs.shade(value, full)
        place = x + j * wide, y + 59 + i * high
        parts += [
            st.rect(*place, wide - 2, high - 2, cls=f"vk-{hue}", opacity=round(opacity / 2, 2)),
            st.text(
                place[0] + wide / 2, place[1] + 19, f"{round(value, 2) + 0:.2f}", anchor="middle"
            ),
        ]
    drawn = st.figure_svg(
        "own-attention",
        "Your own attention function",
        f"A function of five lines, which makes a mistake: {words.lower()}. It computes {instead};"
        f" it should be {formula}. Below, a map of its output minus the right one for six tokens;"
        f" the largest difference is {full:.2f}.",
        y + 59 + 6 * high + 6,
        parts,
        left=4,
        right=477.5,
    )
    return touchable(
        "own-attention",
        signs.minus(drawn),
        data,
        hint=(
            "Paste your function. It may receive Q, K and V, or X and the matrices, with or "
            "without heads, a batch and a mask."
        ),
    )


def masks_data() -> dict[str, Any]:
    """Return the weights of five tokens under a causal mask, and under six mistakes with it."""
    S = np.random.default_rng(0).standard_normal((5, 5))
    hidden, allowed = -np.inf, np.tri(5, dtype=bool)
    return {
        "right": softmax(np.where(allowed, S, hidden)),
        "after softmax": softmax(S) * allowed,
        "as zeros": softmax(np.where(allowed, S, 0)),
        "transposed": softmax(np.where(allowed.T, S, hidden)),
        "the opposite": softmax(np.where(allowed, hidden, S)),
        "one too far": softmax(np.where(np.tri(5, k=1), S, hidden)),
        "one too short": softmax(np.where(np.tri(5, k=-1), S, hidden)),
    }


def draw_masks(data: Mapping[str, Any]) -> str:
    """Draw a map of weights for each mask, with the edge of what may be read and the row sums."""
    cell, across, down, parts, said = 16.0, 126.0, 140.0, [], []
    for k, (name, weights) in enumerate(data.items()):
        x, y = 12 + across * (k % 4), 34 + down * (k // 4)
        n = len(weights)
        parts += [
            st.text(x, y - 10, name, bold=k == 0, size=st.SMALL),
            st.heat_map(x, y, weights, "score", (cell, cell), decimals=None, full=0.9, gap=1),
            st.path(
                f"M{st.num(x)} {st.num(y)}" + f"h{cell:g}v{cell:g}" * n + f"H{st.num(x)}z",
                cls="fg",
                width=1.5,
            ),
        ]
        sums = weights.sum(axis=1)
        parts += [
            st.text(
                x + cell * n + 6,
                y + cell * i + 12,
                f"{total:.2f}",
                cls="vk-muted" if abs(total - 1) < 1e-9 else "",
                bold=bool(abs(total - 1) > 1e-9),
                size=13,
            )
            for i, total in enumerate(sums)
        ]
        later = float(np.triu(weights, 1).sum())
        said.append(f"{name}: {later:.2f} on later tokens, row sums {st.listed(sums)}")
    return st.figure_svg(
        "mask-mistakes",
        "A causal mask, and six mistakes with it",
        "Seven maps of the weights of five tokens, with the edge of what may be read. "
        + "; ".join(said)
        + ".",
        34 + down * 2 - 52,
        parts,
        left=12,
        right=12 + 3 * across + 5 * cell + 38,
    )
