"""How a formula becomes a value: its syntax tree, with the shape of each part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from figures import style as st

BOX = (100, 44)
STEP = 66  # from one level of the tree to the next
#: The parts of the formula: column, level, words, hue, shape, and the parts that they are made of.
NODES = {
    "equal": (206, 0, "=", "fg", "Z", ("Z", "mean")),
    "Z": (100, 1, "$Z$", "value", "Z", ()),
    "mean": (312, 1, "product", "value", "Z", ("alpha", "V")),
    "alpha": (206, 2, "softmax", "score", "alpha", ("scaled",)),
    "V": (416, 2, "$V$", "value", "V", ()),
    "scaled": (206, 3, "÷", "score", "alpha", ("scores", "root")),
    "scores": (130, 4, "product", "score", "alpha", ("Q", "transposed")),
    "root": (324, 4, "√", "fg", "number", ("d_k",)),
    "Q": (66, 5, "$Q$", "query", "Q", ()),
    "transposed": (196, 5, "$K^T$", "key", "transposed", ()),
    "d_k": (324, 5, "$d_k$", "fg", "number", ()),
}


def data(n: int = 4, m: int = 5, d_k: int = 3, d_v: int = 2) -> dict[str, Any]:
    """Return the shapes of the parts."""
    return {
        "Z": (n, d_v),
        "V": (m, d_v),
        "alpha": (n, m),
        "Q": (n, d_k),
        "transposed": (d_k, m),
        "number": (),
    }


def draw(data: Mapping[str, Any]) -> str:
    """Draw the tree from the relation down to the names; values go up."""
    width, height = BOX
    top = 12
    parts = []
    for x, level, *_, made_of in NODES.values():
        for part in made_of:
            to, below = NODES[part][:2]
            start = (to, top + below * STEP - 3)
            parts.append(st.arrow([start, (x + 0.35 * (to - x), top + level * STEP + height + 4)]))
    for x, level, words, hue, name, _ in NODES.values():
        y = top + level * STEP
        parts += [
            st.rect(x - width / 2, y, width, height, cls=f"vk-{hue}", opacity=st.TINT, radius=6),
            st.rect(x - width / 2, y, width, height, cls=f"vk-{hue}", radius=6, stroke=1.25),
            st.text(x, y + 19, words, anchor="middle", coloured=True, bold="$" not in words),
            st.text(x, y + 37, _shape(name, data), anchor="middle", cls="vk-muted", size=st.SMALL),
        ]
    said = ", ".join(f"{name} {_shape(name, data)}" for name in ("Q", "V", "Z"))
    return st.figure_svg(
        "formula-tree",
        "A formula as a tree",
        "A relation with two sides. The left side is the name Z. The right side is a product of"
        " softmax and V; softmax has a quotient in it, of the product of Q and K transposed and the"
        f" root of d_k. Shapes: {said}.",
        top + 5 * STEP + height + 10,
        parts,
        left=16,
        right=466,
    )


def _shape(name: str, data: Mapping[str, Any]) -> str:
    """Return what is written below a part: its shape, or what else it is."""
    shape = data[name]
    return " × ".join(map(str, shape)) if shape else "a number"
