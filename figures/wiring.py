"""The paths between the heads of two layers, and how much each restores when it is patched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import signs
from figures import style as st
from snippets import trained_induction
from snippets.attention import attention_weights
from snippets.attention_only import next_token_logits
from snippets.circuits import ov_matrices, patch_path, qk_matrices
from snippets.repeated_sequences import repeated_batch


def data() -> dict[str, Any]:
    """Return the share of the logit that each path through keys restores."""
    model, h = trained_induction.load()[0].weights, trained_induction.NUM_HEADS
    numbers, _ = repeated_batch(np.random.default_rng(5), 100, periods=(8, 8))
    clean, wanted = numbers[:, :17], numbers[:, 17]
    spoiled = clean.copy()
    for row in spoiled:
        row[8] = next(i for i in range(1, 21) if i not in row)

    def logit(logits: np.ndarray) -> float:
        """Return the mean logit of the right next token, at the last position."""
        return float(logits[np.arange(len(wanted)), -1, wanted].mean())

    good, bad = (logit(next_token_logits(model, x, h)) for x in (clean, spoiled))
    share = [
        [(logit(patch_path(model, spoiled, clean, i, j, "k", h)) - bad) / (good - bad)]
        for i in range(h)
        for j in range(h)
    ]
    return {"share": np.reshape(share, (h, h)).round(2)}


def draw(data: Mapping[str, Any]) -> str:
    """Draw two heads below, two above, and a line for each path, as wide as its share."""
    share = data["share"]
    xs, width, height = (24, 364), 140, 44
    upper, lower = 52, 208
    parts = [st.text(24, 28, "share of the logit that a path restores")]
    for i, j in np.ndindex(share.shape):
        start, end = xs[i] + width / 2 + 8 * (2 * j - 1), xs[j] + width / 2 + 8 * (2 * i - 1)
        parts.append(
            st.path(
                f"M{st.num(start)} {lower}L{st.num(end)} {upper + height}",
                cls="petrol",
                width=round(1 + 14 * float(share[i, j]), 1),
            )
        )
        # near the sender, where the lines are apart
        at = 0.25
        slants = i != j
        x = start + at * (end - start) + (-12 if j <= i else 12) * (1.5 if slants else 1)
        y = lower + at * (upper + height - lower) + (14 if slants else 5)
        anchor = "end" if j <= i else "start"
        parts.append(st.text(x, y, f"{share[i, j]:.2f}", anchor=anchor, cls="vk-petrol"))
    for layer, y in ((2, upper), (1, lower)):
        for head, x in enumerate(xs, 1):
            parts += [
                st.rect(x, y, width, height, cls="vk-line", stroke=1.5),
                st.text(
                    x + width / 2, y + 27, f"layer {layer} head {head}", anchor="middle", size=13.5
                ),
            ]
    return st.figure_svg(
        "paths",
        "Paths between heads",
        "Two heads of layer 1 below, two of layer 2 above, joined by four lines, as wide as the"
        " share of the logit that the path restores: "
        + ", ".join(
            f"from head {i + 1} to head {j + 1} {share[i, j]:.2f}" for i, j in np.ndindex(2, 2)
        )
        + ".",
        lower + height + 16,
        parts,
        left=24,
    )


LEVELS = np.array([0.08, 0.2, 0.4, 0.6, 0.8])


def maps_data() -> dict[str, Any]:
    """Return two matrices read on tokens: weights of positions, and letters that are copied."""
    model, h = trained_induction.load()[0].weights, trained_induction.NUM_HEADS
    first, second = model.layers
    place = model.positions
    scores = place @ qk_matrices(first, h)[0] @ place.T / np.sqrt(place.shape[1] // h)
    letters = model.E @ ov_matrices(second, h)[0] @ model.U
    found = {
        "places": attention_weights(scores, np.tri(len(place), dtype=bool)),
        "letters": letters,
    }
    return {
        name: np.sign(matrix).astype(int) * np.digitize(abs(matrix) / abs(matrix).max(), LEVELS)
        for name, matrix in found.items()
    }


def draw_maps(data: Mapping[str, Any]) -> str:
    """Draw both maps: a line below the diagonal, and a line on it."""
    side, top, parts = 222.0, 70, []
    opacities = (0, *(round(signs.STRONGEST * step, 2) for step in (0.15, 0.3, 0.5, 0.7, 0.95)))
    for x, name, head, words, across in (
        (12.0, "places", "QK, layer 1: weights", "place ↓", "place that is read →"),
        (252.0, "letters", "OV, layer 2", "letter read ↓", "letter that is raised →"),
    ):
        levels = data[name]
        cell = side / len(levels)
        parts += [
            st.text(x, 22, head, bold=True),
            st.text(x, 42, words, cls="vk-muted", size=st.SMALL),
            st.text(x, 60, across, cls="vk-muted", size=st.SMALL),
            f'<g transform="translate({st.num(x)} {top})">',
            *(
                st.shades(0, 0, levels * (sign * levels > 0) * sign, hue, (cell, cell), opacities)
                for sign, hue in ((1, "score" if name == "places" else "query"), (-1, "key"))
            ),
            "</g>",
            st.rect(x, top, side, side, cls="vk-line", radius=0, stroke=1),
        ]
    return st.figure_svg(
        "circuits-on-tokens",
        "Two matrices, read on tokens",
        "Two maps. Weights of places in layer 1: the darkest cells form a line just below the"
        " diagonal, the place before. Letters in layer 2, blue above 0, orange below: the darkest"
        " cells lie on the diagonal, where a letter raises itself.",
        top + side + 8,
        parts,
        left=12,
        right=252 + side,
    )
