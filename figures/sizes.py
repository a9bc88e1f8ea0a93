"""What depth and size do to tokens: curves with and without the remedy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from figures import basics
from figures import style as st
from snippets.attention import scaled_dot_product_attention
from snippets.layer_norm import layer_norm

#: What else decides how these figures look.
PARTS = (basics,)


def _stack() -> tuple[Any, Any]:
    draw = np.random.default_rng(0)
    return draw.standard_normal((12, 3, 32, 32)) / 32**0.5, draw.standard_normal((6, 32))


LAYERS, START = _stack()


def depth_data(layers: Any = LAYERS, start: Any = START) -> dict[str, Any]:
    """Return how far apart the tokens are after each layer, with and without the input added."""

    def apart(x: Any) -> float:
        return float(np.linalg.norm(x - x.mean(axis=0)) / np.linalg.norm(x))

    plain = added = start
    found = [(apart(start), apart(start))]
    for matrices in layers:
        plain, change = (
            scaled_dot_product_attention(*(x @ W for W in matrices)) for x in (plain, added)
        )
        added = added + change
        found.append((apart(plain), apart(added)))
    return {"plain": np.array(found)[:, 0], "added": np.array(found)[:, 1]}


def draw_depth(data: Mapping[str, Any]) -> str:
    """Draw both courses from layer to layer."""
    plain, added = data["plain"], data["added"]
    x = np.arange(len(plain))
    return _two_courses(
        "tokens-become-alike",
        "How far apart the tokens are, layer by layer",
        f"Share of the tokens’ length that is not their mean, after each of {x[-1]} layers. Without"
        f" the input added it falls from {plain[0]:.2f} over {plain[1]:.2f} and {plain[2]:.2f} to"
        f" {plain[4]:.2f} at layer 4; with it, {added[4]:.2f} at layer 4 and {added[-1]:.2f} at"
        f" layer {x[-1]}.",
        ("difference between the tokens", "layer"),
        x,
        (plain, added),
        ((3, "attention alone", -12), (5, "with the input added", -12)),
        tuple(range(0, len(plain), 2)),
        ("fg", "input"),
    )


_DRAW = np.random.default_rng(0)
TOKENS = _DRAW.standard_normal((6, 64))
W_QUERY, W_KEY = _DRAW.standard_normal((2, 64, 64)) / 8


def factor_data(tokens: Any = TOKENS, W_Q: Any = W_QUERY, W_K: Any = W_KEY) -> dict[str, Any]:
    """Return the mean largest weight for tokens of several sizes, as they are and normalized."""
    factors = np.linspace(0.25, 12, 48)
    found: dict[str, Any] = {"factors": factors, "raw": [], "normalized": []}
    width = tokens.shape[1]
    for factor in factors:
        normed = layer_norm(factor * tokens, np.ones(width), np.zeros(width))
        for name, x in (("raw", factor * tokens), ("normalized", normed)):
            _, alpha = scaled_dot_product_attention(x @ W_Q, x @ W_K, x, return_weights=True)
            found[name].append(float(alpha.max(axis=1).mean()))
    return {name: np.array(values) for name, values in found.items()}


def draw_factor(data: Mapping[str, Any]) -> str:
    """Draw the largest weight against the size of the tokens."""
    raw, normalized, x = data["raw"], data["normalized"], data["factors"]
    at = {factor: float(np.interp(factor, x, raw)) for factor in (1, 3, 10)}
    return _two_courses(
        "norm-and-weights",
        "The largest weight, against the size of the tokens",
        "The largest weight of a row, averaged, against the factor of the tokens. As they are, it"
        f" rises from {at[1]:.2f} at factor 1 over {at[3]:.2f} at 3 to {at[10]:.2f} at 10;"
        f" normalized, it stays at {normalized[-1]:.2f}.",
        ("largest weight of a row", "tokens multiplied by"),
        x,
        (raw, normalized),
        ((20, "tokens as they are", 28), (20, "normalized first", -12)),
        (1, 3, 5, 10),
        ("score", "fg"),
    )


def _two_courses(
    name: str,
    title: str,
    desc: str,
    names: tuple[str, str],
    x: Any,
    courses: Sequence[Any],
    labels: Sequence[tuple[int, str, int]],
    ticks: tuple[float, ...],
    hues: tuple[str, str],
) -> str:
    """Draw two courses from 0 to 1; each label is above or below a point of its course."""
    axes = basics.Axes(40, 482, 44, 284, (0, float(x[-1])), (0, 1))
    parts = [
        st.text(25, 20, names[0], size=st.SMALL),
        *axes.frame(ticks, (0, 0.5, 1)),
        st.text(486, 322, f"{names[1]} →", anchor="end", size=st.SMALL),
    ]
    for course, (at, words, dy), hue in zip(courses, labels, hues, strict=True):
        left, top = axes.place(float(x[at]), float(course[at]))
        parts += [
            st.path(axes.curve(x, course), cls=hue, width=2.5),
            st.text(left + 6, top + dy, words, cls=f"vk-{hue}", bold=True),
        ]
        if len(x) < 20:
            parts += [
                st.dot(*axes.place(float(a), float(b)), 3.5, hue)
                for a, b in zip(x, course, strict=True)
            ]
    return st.figure_svg(name, title, desc, 330, parts, left=17, right=490)
