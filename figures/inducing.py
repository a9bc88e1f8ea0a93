"""Induction heads: the step at which they appear, and where they read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets import trained_induction
from snippets.attention_only import run
from snippets.induction import induction_weights
from snippets.repeated_sequences import VOCABULARY
from snippets.softmax import softmax

TEXT = "<gcathgcathgcath"
LEFT, RIGHT = 44, 452


def curves_data() -> dict[str, Any]:
    """Return the losses of both models and the highest scores of each layer, step by step."""
    two, one = trained_induction.load()
    return {
        "every": trained_induction.EVERY,
        "two": two.repeat_loss.round(4),
        "one": one.repeat_loss.round(4),
        "previous": two.previous[:, 0].max(axis=1).round(4),
        "induction": two.induction[:, 1].max(axis=1).round(4),
    }


def draw_curves(data: Mapping[str, Any]) -> str:
    """Draw the loss above, and the scores of the heads below, against the steps of training."""
    shown = 31  # the first 300 steps
    x = np.linspace(LEFT, RIGHT, shown)
    parts = []

    def axis(top: float, height: float, peak: float, ticks: tuple[float, ...], title: str) -> None:
        parts.append(st.text(LEFT - 32, top - 22, title, size=16))
        for tick in ticks:
            y = top + height * (1 - tick / peak)
            parts.append(st.path(f"M{LEFT} {st.num(y)}H{RIGHT}", width=0.5 if tick else 1))
            parts.append(
                st.text(LEFT - 8, y + 5, f"{tick:g}", anchor="end", cls="vk-muted", size=st.SMALL)
            )
        parts.extend(
            st.text(
                LEFT + (RIGHT - LEFT) * step / 300,
                top + height + 20,
                f"{step}",
                anchor="middle",
                cls="vk-muted",
                size=st.SMALL,
            )
            for step in (0, 100, 200, 300)
        )

    def curve(values: Any, top: float, height: float, peak: float, hue: str) -> None:
        y = top + height * (1 - values[:shown] / peak)
        parts.append(st.path(st.polyline(zip(x, y, strict=True)), cls=hue, width=2))

    axis(44, 150, 3.5, (0, 1, 2, 3), "loss of predictable letters")
    curve(data["one"], 44, 150, 3.5, "rose")
    curve(data["two"], 44, 150, 3.5, "petrol")
    parts.append(st.text(RIGHT, 100, "one layer", anchor="end", cls="vk-rose"))
    parts.append(st.text(RIGHT, 180, "two layers", anchor="end", cls="vk-petrol"))
    axis(282, 130, 1.05, (0, 0.5, 1), "scores of the two layers’ heads")
    curve(data["previous"], 282, 130, 1.05, "ochre")
    curve(data["induction"], 282, 130, 1.05, "fg")
    parts.append(st.text(RIGHT, 306, "layer 2: induction", anchor="end", cls="vk-fg"))
    parts.append(st.text(RIGHT, 362, "layer 1: the token before", anchor="end", cls="vk-ochre"))
    parts.append(
        st.text(RIGHT, 456, "steps of training", anchor="end", cls="vk-muted", size=st.SMALL)
    )
    at = [int(step / data["every"]) for step in (80, 160)]
    return st.figure_svg(
        "induction-curves",
        "When induction heads appear",
        "Two pictures over 300 steps. Above, the loss of predictable letters: with two layers"
        f" it is {data['two'][at[0]]:.2f} after 80 steps and {data['two'][at[1]]:.2f} after 160;"
        f" with one layer still {data['one'][30]:.2f} after 300. Below, in the same steps, the"
        f" induction score of the second layer rises from {data['induction'][at[0]]:.2f} to"
        f" {data['induction'][at[1]]:.2f}, and the previous-token score of the first from"
        f" {data['previous'][at[0]]:.2f} to {data['previous'][at[1]]:.2f}.",
        468,
        parts,
        left=12,
        right=464.1,
    )


def maps_data() -> dict[str, Any]:
    """Return the weights of one head of each layer on a text that repeats."""
    two, _ = trained_induction.load()
    numbers = np.array([VOCABULARY.index(letter) for letter in TEXT])
    _, alpha = run(two.weights, numbers, trained_induction.NUM_HEADS)
    return {
        "tokens": list(TEXT),
        "maps": np.stack([layer[0] for layer in alpha]).round(4),
    }


def draw_maps(data: Mapping[str, Any]) -> str:
    """Draw a square for each head, queries down and keys across."""
    tokens, n = data["tokens"], len(data["tokens"])
    cell, parts = 13, []
    titles = ("layer 1, head 1", "layer 2, head 1")
    for left, title, alpha, hue in zip(
        (24, 262), titles, data["maps"], ("score", "score"), strict=True
    ):
        top = 58
        parts.append(st.text(left, 22, title, size=16, cls=f"vk-{hue}"))
        for i, token in enumerate(tokens):
            parts.append(st.text(left - 6, top + i * cell + 11, token, anchor="end", size=st.SMALL))
            parts.append(
                st.text(left + (i + 0.5) * cell, top - 6, token, anchor="middle", size=st.SMALL)
            )
            parts.extend(
                st.rect(
                    left + j * cell,
                    top + i * cell,
                    cell - 1,
                    cell - 1,
                    cls=f"vk-{hue}",
                    opacity=round(0.06 + 0.9 * float(alpha[i, j]), 3),
                )
                for j in range(i + 1)
            )
    last = data["maps"][1][-1]
    return st.figure_svg(
        "induction-maps",
        "Where the heads read",
        f"Weights of two heads on the text {''.join(tokens)}. The first reads most from the token"
        " before. The second reads, from the first repetition on, the token that came after the"
        f" same letter earlier: the last h gives {last[6]:.2f} and {last[11]:.2f} to the two"
        " letters g that came after h.",
        58 + n * cell + 10,
        parts,
        left=10.2,
        right=470.5,
    )


def steps_data() -> dict[str, Any]:
    """Return what both heads made by hand read in a text, and what is before each token."""
    text = TEXT[:9]
    c, n = len(VOCABULARY), len(text)
    hand = induction_weights(c, n)
    X = hand.E[[VOCABULARY.index(letter) for letter in text]] + hand.positions[:n]
    read = []
    for layer in hand.layers:
        Q, K, V = X @ layer.W_Q, X @ layer.W_K, X @ layer.W_V
        alpha = softmax(np.where(np.tri(n), Q @ K.T / np.sqrt(K.shape[1]), -np.inf))
        X = X + alpha @ V @ layer.W_O
        read.append(alpha.argmax(axis=1))
    before, answer = (
        [VOCABULARY[i] for i in X[:, start : start + c].argmax(axis=1)]
        for start in (c + n, 2 * c + n)
    )
    return {"text": list(text), "read": read, "before": before, "answer": answer[-1]}


def draw_steps(data: Mapping[str, Any]) -> str:
    """Draw the tokens, below them what the first layer writes, and what the last token finds."""
    text, (first, second) = data["text"], data["read"]
    left, pitch, size, top, low = 96.0, 42.0, 30.0, 66.0, 152.0
    last, found = len(text) - 1, int(second[-1])

    def at(j: int) -> float:
        return left + pitch * j

    def slot(j: int, y: float, letter: str, hue: str, strength: float) -> str:
        return st.rect(at(j), y, size, size, cls=f"vk-{hue}", opacity=strength) + st.text(
            at(j) + size / 2, y + 21, letter, anchor="middle", bold=strength > 0.3
        )

    parts = [
        st.text(12, top + 21, "token", cls="vk-muted", size=st.SMALL),
        st.text(12, low + 21, "before it", cls="vk-key", size=st.SMALL),
        st.text(12, (top + low) / 2 + 20, "layer 1", size=st.SMALL, bold=True),
        st.text(12, low + 84, "layer 2", size=st.SMALL, bold=True),
    ]
    for j, letter in enumerate(text):
        strong = 0.45 if j in (last, found) else 0.14
        parts += [
            slot(
                j, top, letter, "query" if j == last else "value" if j == found else "input", strong
            ),
            slot(j, low, data["before"][j], "key", 0.45 if j == found else 0.14),
        ]
        if first[j] != j:
            parts.append(
                st.arrow(
                    [(at(first[j]) + size / 2 + 5, top + size + 4), (at(j) + size / 2, low - 5)]
                )
            )
    end, start = at(found) + size / 2, at(last) + size / 2
    parts += [
        # The last token's query finds the entry that equals it.
        st.path(
            f"M{start + 18:g} {top + 15:g}h14V{low + 80:g}H{end:g}V{low + size + 8:g}",
            cls="score",
            width=2.5,
        ),
        st.path(
            f"M{end - 5:g} {low + size + 14:g}l5 -6l5 6",
            cls="score",
            width=2.5,
        ),
        st.text(
            (start + end) / 2 + 10,
            low + 72,
            f"looks for: {text[last]} before",
            anchor="middle",
            cls="vk-score",
            size=st.SMALL,
        ),
        st.path(
            f"M{end:g} {top - 6:g}V{top - 24:g}H{start:g}V{top - 10:g}", cls="value", width=2.5
        ),
        st.path(f"M{start - 5:g} {top - 14:g}l5 6l5 -6", cls="value", width=2.5),
        st.text(
            (start + end) / 2,
            top - 32,
            f"copies {data['answer']}, the next letter",
            anchor="middle",
            cls="vk-value",
            size=st.SMALL,
        ),
    ]
    return st.figure_svg(
        "induction-steps",
        "Two steps of induction",
        f"The text {''.join(text)}. Layer 1 writes below each token the one before it:"
        f" {''.join(data['before'])}. In layer 2 the last token, {text[last]}, finds the entry"
        f" {data['before'][found]}, which is that of {text[found]}, and copies {data['answer']}.",
        low + 94,
        parts,
        left=12,
        right=at(last) + size + 22,
    )
