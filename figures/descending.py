"""Learning in context: the error after each layer, and after each step of gradient descent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets.in_context import descent_weights, gradient_step, linear_layer

LAYERS, EXAMPLES, WIDTH = 12, 10, 3
RATES = (0.3, 1.5)


def data() -> dict[str, Any]:
    """Return the root of the mean squared error of new answers, by layers and by steps."""
    draw = np.random.default_rng(1)
    x, q = draw.uniform(-1, 1, (2, 200, EXAMPLES, WIDTH))
    true = draw.standard_normal((200, WIDTH, 1))
    found: dict[str, Any] = {}
    for rate in RATES:
        weights = descent_weights(np.zeros((WIDTH, 1)), rate, EXAMPLES)
        context = np.concatenate([x, x @ true], axis=-1)
        tokens = np.concatenate([q, 0 * q[..., :1]], axis=-1)
        W, layers, steps = np.zeros_like(true), [], []
        for _ in range(LAYERS + 1):
            layers.append(float(np.sqrt(((tokens[..., -1:] + q @ true) ** 2).mean()).round(4)))
            steps.append(float(np.sqrt(((q @ (W - true)) ** 2).mean()).round(4)))
            tokens = linear_layer(tokens, context, weights)
            context = linear_layer(context, context, weights)
            W = gradient_step(x, x @ true, W, rate)
        found[f"{rate:g}"] = {"layers": layers, "steps": steps}
    return {"rates": found}


def draw(data: Mapping[str, Any]) -> str:
    """One graph: lines for gradient descent, dots for attention."""
    left, right, top, floor = 56, 504, 60, 250
    xs = np.linspace(left, right, LAYERS + 1)
    parts = [
        st.text(left, 28, "error of new answers"),
        *(
            st.path(f"M{left} {st.num(y)}H{right}", width=1 if tick == 0 else 0.5)
            + st.text(left - 8, y + 5, f"{tick:g}", anchor="end", cls="vk-muted", size=13)
            for tick in (0, 0.5, 1)
            for y in (float(np.interp(tick, (0, 1.1), (floor, top))),)
        ),
        *(
            st.text(float(xs[i]), floor + 20, str(i), anchor="middle", cls="vk-muted", size=13)
            for i in range(0, LAYERS + 1, 2)
        ),
        st.text(
            (left + right) / 2, floor + 42, "layers, or steps", anchor="middle",
            cls="vk-muted", size=st.SMALL,
        ),
    ]  # fmt: skip
    for i, ((rate, found), hue) in enumerate(
        zip(data["rates"].items(), ("key", "score"), strict=True)
    ):
        line = np.interp(found["steps"], (0, 1.1), (floor, top))
        parts.append(st.path(st.polyline(zip(xs, line, strict=True)), cls=hue, width=2))
        dots = np.interp(found["layers"], (0, 1.1), (floor, top))
        parts += [st.dot(float(x), float(y), 4, hue) for x, y in zip(xs, dots, strict=True)]
        parts.append(
            st.text(left + 190 * i, floor + 72, f"rate {rate}", cls=f"vk-{hue}", size=st.SMALL)
        )
    return st.figure_svg(
        "descent-in-context",
        "Layers and steps",
        "The error of answers to new inputs, against the number of layers without softmax (dots)"
        " and of steps of gradient descent (lines), for two rates. Every dot lies on its line;"
        " both errors fall from layer to layer, the one with the larger rate faster.",
        floor + 88,
        parts,
        left=31.1,
    )
