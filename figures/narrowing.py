"""Latent attention: which narrow vectors one token becomes, and which of them are kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from figures import style as st


def data() -> dict[str, Any]:
    """Return the sizes of DeepSeek-V3, as in inference/configs/config_671B.json."""
    return {"d_model": 7168, "h": 128, "d_q": 1536, "d_c": 512, "d_k": 128, "d_r": 64, "d_v": 128}


def draw(data: Mapping[str, Any]) -> str:
    """From a token below to the scores above; what the cache keeps is filled."""
    h, height = data["h"], 50
    boxes = {
        # column's middle, top, width, hue, lines, kept
        "x": (240, 356, 130, "fg", ("token $x$", f"{data['d_model']:,}"), False),
        "C_Q": (92, 256, 124, "query", ("$C_Q$, normed", f"{data['d_q']:,}"), False),
        "C": (278, 256, 124, "input", ("$C$, normed", f"{data['d_c']}"), True),
        "K_R": (414, 256, 104, "key", ("$K_R$, turned", f"{data['d_r']}"), True),
        "Q_C": (60, 156, 92, "query", ("$Q_C$", f"{h} × {data['d_k']}"), False),
        "Q_R": (164, 156, 96, "query", ("$Q_R$, turned", f"{h} × {data['d_r']}"), False),
        "K_C": (272, 156, 92, "key", ("$K_C$", f"{h} × {data['d_k']}"), None),
        "V": (376, 156, 92, "value", ("$V$", f"{h} × {data['d_v']}"), None),
        "S": (222, 56, 160, "score", ("scores of each head", "one for each kept row"), False),
    }
    parts = [st.text(24, 24, "one token in DeepSeek-V3: widths of its vectors")]
    for start, end in (
        ("x", "C_Q"), ("x", "C"), ("x", "K_R"), ("C_Q", "Q_C"), ("C_Q", "Q_R"), ("C", "K_C"),
        ("C", "V"), ("Q_C", "S"), ("Q_R", "S"), ("K_C", "S"),
    ):  # fmt: skip
        (x0, y0, *_), (x1, y1, *_) = boxes[start], boxes[end]
        to = x1 + 0.3 * (x0 - x1) if end == "S" else x1  # side by side, not at one point
        parts.append(st.arrow([(x0, y0 - 2), (to, y1 + height + 3)]))
    turn = boxes["K_R"][0] + 34, boxes["S"][1] + height / 2
    right = boxes["S"][0] + boxes["S"][2] / 2 + 3
    parts.append(st.arrow([(turn[0], boxes["K_R"][1] - 2), turn, (right, turn[1])]))
    for middle, top, width, hue, (name, size), kept in boxes.values():
        left = middle - width / 2
        if kept:
            parts.append(st.rect(left, top, width, height, cls=f"vk-{hue}", opacity=0.3))
        box = st.rect(left, top, width, height, cls=f"vk-{hue}", stroke=2 if kept else 1.25)
        parts.append(box.replace("/>", ' stroke-dasharray="5 4"/>') if kept is None else box)
        parts.append(st.text(middle, top + 21, name, anchor="middle", size=st.SMALL))
        parts.append(st.text(middle, top + 40, size, anchor="middle", size=13, cls="vk-muted"))
    bottom = boxes["x"][1] + height + 28
    parts += [
        st.rect(24, bottom, 16, 16, cls="vk-muted", opacity=0.3),
        st.rect(24, bottom, 16, 16, cls="vk-muted", stroke=2),
        st.text(48, bottom + 13, "kept in the cache", cls="vk-muted", size=st.SMALL),
        st.rect(224, bottom, 16, 16, cls="vk-muted", stroke=1.25).replace(
            "/>", ' stroke-dasharray="5 4"/>'
        ),
        st.text(248, bottom + 13, "never made if absorbed", cls="vk-muted", size=st.SMALL),
    ]
    return st.figure_svg(
        "latent-attention",
        "One token in latent attention",
        f"Boxes from a token of width {data['d_model']} upwards. It becomes a normalized vector of"
        f" width {data['d_q']} for the queries, a normalized latent of width {data['d_c']}, and a"
        f" turned key of width {data['d_r']}; the last two are kept in the cache. From the first"
        f" come queries of {h} heads, {data['d_k']} wide, and turned ones, {data['d_r']} wide; from"
        f" the latent come keys and values of {h} heads, which are never made if absorbed. Both"
        " parts of queries and keys make the scores.",
        bottom + 32,
        parts,
        left=14,
        right=467.5,
    )
