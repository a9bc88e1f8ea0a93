"""Learning in context: the error after each layer, and after each step of gradient descent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from figures.basics import Axes
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
        zip(data["rates"].items(), ("rose", "petrol"), strict=True)
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


def lines_data() -> dict[str, Any]:
    """Return ten examples of one input and one target, and the guess after each layer."""
    draw = np.random.default_rng(0)
    x = draw.standard_normal((10, 1))
    y = 0.8 * x + 0.15 * draw.standard_normal((10, 1))
    W, slopes = np.zeros((1, 1)), [0.0]
    for _ in range(8):
        W = gradient_step(x, y, W, 0.5)
        slopes.append(float(W[0, 0]))
    return {"x": x[:, 0], "y": y[:, 0], "slopes": np.array(slopes)}


def draw_lines(data: Mapping[str, Any]) -> str:
    """Draw the examples as dots, and a line for the guesses after some layers."""
    edge = 1.5
    axes = Axes(12, 400, 40, 260, (-edge, edge), (-1.2, 1.2))
    parts = [
        *axes.frame(),
        st.text(axes.place(0, 0)[0] + 8, 34, "↑ target", size=st.SMALL),
        st.text(400, axes.place(0, 0)[1] + 20, "input →", anchor="end", size=st.SMALL),
    ]
    for layers in (0, 1, 2, 4, 8):
        slope = float(data["slopes"][layers])
        start, end = axes.place(-edge, -edge * slope), axes.place(edge, edge * slope)
        parts.append(st.path(st.polyline([start, end]), cls="petrol", width=2 if layers else 1.25))
        words = {0: "no layer", 1: "1 layer"}.get(layers, f"{layers} layers")
        parts.append(st.text(408, end[1] + 5, words, cls="vk-petrol", size=st.SMALL))
    parts += [
        st.dot(*axes.place(float(a), float(b)), 4.5, "fg")
        for a, b in zip(data["x"], data["y"], strict=True)
    ]
    return st.figure_svg(
        "layers-turn-a-line",
        "A line that each layer turns towards the examples",
        "Ten examples as dots and five lines through the origin. Slopes after 0, 1, 2, 4 and 8"
        f" layers: {st.listed(data['slopes'][[0, 1, 2, 4, 8]])}.",
        272,
        parts,
        left=12,
        right=457.2,
    )
