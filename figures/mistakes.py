"""What a case with a known answer tells of mistakes that change no shape and no sum."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets.attention import attention_weights

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
            st.rect(x, top, split - x - 1, 28, cls="vk-key", opacity=0.3),
            st.rect(split + 1, top, x + length - split - 1, 28, cls="vk-score", opacity=0.3),
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
    )
