"""Two normalizations of one token: its numbers as dots on lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets.layer_norm import layer_norm
from snippets.rms_norm import rms_norm

TOKEN = np.array([1.0, 2.0, 3.0, 4.0])


def data(x: Any = TOKEN) -> dict[str, Any]:
    """Return a token and the token raised by 10, as they are and after both norms."""
    ones, zeros = np.ones(len(x)), np.zeros(len(x))
    tokens = (x, x + 10)
    return {
        "tokens": np.array(tokens),
        "rms": np.array([rms_norm(token, ones) for token in tokens]),
        "layer": np.array([layer_norm(token, ones, zeros) for token in tokens]),
    }


def draw(data: Mapping[str, Any]) -> str:
    """Draw three lines for each token: its numbers, and what each norm makes of them."""
    left, right, parts = 150, 470, []
    y = 40
    for i, name in enumerate(("$x$", "$x$ + 10")):
        for key, words, (low, high), ticks in (
            ("tokens", name, (-2, 15), (0, 5, 10, 15)),
            ("rms", "RMSNorm", (-2, 2), (-2, -1, 0, 1, 2)),
            ("layer", "layer normalization", (-2, 2), (-2, -1, 0, 1, 2)),
        ):
            numbers, plain = data[key][i], key == "tokens"

            def at(value: float, low: float = low, high: float = high) -> float:
                return float(np.interp(value, (low, high), (left, right)))

            parts += [
                st.text(12, y + 5, words, bold=plain, size=None if plain else st.SMALL),
                st.path(f"M{left} {y}H{right}"),
                *(
                    st.path(f"M{st.num(at(tick))} {y - 4}v8")
                    + st.text(
                        at(tick),
                        y + 20,
                        f"{tick}".replace("-", "−"),
                        anchor="middle",
                        cls="vk-muted",
                        size=13,
                    )
                    for tick in ticks
                ),
                st.path(f"M{st.num(at(float(numbers.mean())))} {y - 13}v26", cls="fg", width=1.5),
                *(
                    st.dot(at(float(value)), y, 5, "input" if plain else "muted")
                    for value in numbers
                ),
            ]
            y += 50
        y += 16
    rms, layer = (data[key].round(2) for key in ("rms", "layer"))
    return st.figure_svg(
        "two-norms",
        "RMSNorm and layer normalization of one token",
        f"Numbers {st.listed(data['tokens'][0], 0)}: RMSNorm gives {st.listed(rms[0])}, layer"
        f" normalization {st.listed(layer[0])}. Raised by 10, RMSNorm gives {st.listed(rms[1])},"
        f" layer normalization the same as before.".replace("-", "−"),
        y - 36,
        parts,
        left=12,
        right=478,
    )
