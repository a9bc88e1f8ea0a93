"""The paths between the heads of two layers, and how much each restores when it is patched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets import trained_induction
from snippets.attention_only import next_token_logits
from snippets.circuits import patch_path
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
                cls="key",
                width=round(1 + 14 * float(share[i, j]), 1),
            )
        )
        # near the sender, where the lines are apart
        at = 0.25
        slants = i != j
        x = start + at * (end - start) + (-12 if j <= i else 12) * (1.5 if slants else 1)
        y = lower + at * (upper + height - lower) + (14 if slants else 5)
        anchor = "end" if j <= i else "start"
        parts.append(st.text(x, y, f"{share[i, j]:.2f}", anchor=anchor, cls="vk-key"))
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
