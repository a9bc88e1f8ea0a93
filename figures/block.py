"""The transformer block twice, told apart by where the normalization stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from figures import style as st

# What a path meets from input to output; "norm" before a sublayer or after its sum.
ORDERS = {
    "post-norm": ("attention", "sum", "norm", "feed-forward", "sum", "norm"),
    "pre-norm": ("norm", "attention", "sum", "norm", "feed-forward", "sum"),
}
NOTES = {
    "attention": ("Multi-Head Attention", "petrol"),
    "feed-forward": ("Feed-Forward Layer", "ochre"),
    "norm": ("Layer Normalization", "fg"),
    "sum": ("Residual Connection", "input"),
}

STRONG = "svg.vk-figure .vk-strong{fill-opacity:.14;stroke-opacity:.9;stroke-width:2}"


def data() -> dict[str, Any]:
    """Return both orders."""
    return dict(ORDERS)


def draw(data: Mapping[str, Any]) -> str:
    """Post-norm and pre-norm side by side, every stage a link to its note."""
    formulas = {"post-norm": "norm($x$ + $f(x)$)", "pre-norm": "$x$ + $f($norm$(x))$"}
    parts = []
    for x, name in ((104, "post-norm"), (354, "pre-norm")):
        parts += [
            st.text(x, 24, name.capitalize(), anchor="middle", size=17, bold=True),
            st.text(x, 48, formulas[name], anchor="middle", cls="vk-muted"),
            *_column(x, data[name]),
        ]
    return st.figure_svg(
        "transformer-block",
        "Transformer block",
        "Two columns. Post-norm: attention, sum with the input, normalization; feed-forward, sum,"
        " normalization. Pre-norm: normalization, attention, sum; normalization, feed-forward, sum:"
        " here the residual path runs from input to output without meeting a normalization. Every"
        " stage links to its note.",
        548,
        parts,
        extra_style=st.LINKS + STRONG,
        role="group",
        left=12,
        right=463.5,
    )


def _column(x: int, order: tuple[str, ...]) -> list[str]:
    """Draw one block from top to bottom, with its two residual paths at the side."""
    y, fork, side = 88, 96, x + 108
    shape = "$n$ × $d_{model}$"
    paths = [st.text(x, 80, f"$x$, {shape}", anchor="middle", cls="vk-input", size=st.SMALL)]
    stages = []
    for i, stage in enumerate(order):
        note, hue = NOTES[stage]
        if i % 3 == 0:  # a sublayer begins: here its residual path leaves
            fork = y + 8
        if stage == "sum":
            centre = y + 36
            paths += [
                st.arrow([(x, y), (x, centre - 16)], "input"),
                st.path(
                    f"M{x} {fork}H{side - 10}q10 0 10 10V{centre - 10}q0 10 -10 10",
                    cls="input",
                    width=2.5,
                ),
                st.arrow([(side - 10, centre), (x + 16, centre)], "input", 2.5),
            ]
            drawing = [
                f'<circle class="vk-{hue} vk-frame" cx="{x}" cy="{centre}" r="15"/>',
                st.path(f"M{x - 6} {centre}h12M{x} {centre - 6}v12", cls="fg", width=1.75),
            ]
            y = centre + 15
        else:
            top = y + (26 if i % 3 else 36)
            paths.append(st.arrow([(x, y), (x, top)], "input"))
            frame, radius = ("vk-frame vk-strong", 20) if stage == "norm" else ("vk-frame", 8)
            drawing = [
                f'<rect class="vk-{hue} {frame}" x="{x - 92}" y="{top}" width="184" height="40"'
                f' rx="{radius}"/>',
                st.text(x, top + 25, note, cls="vk-name", anchor="middle", bold=True),
            ]
            y = top + 40
        stages.append(st.link(note, drawing))
    paths += [
        st.arrow([(x, y), (x, y + 30)], "input"),
        st.text(x, y + 48, shape, anchor="middle", cls="vk-input", size=st.SMALL),
    ]
    return paths + stages
