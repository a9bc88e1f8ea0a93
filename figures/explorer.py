"""Heads to look into: who reads from whom as lines, and what the scripts of the page start from.

The script of a figure (``docs/javascripts``) draws the same picture for another head, token or
sentence; of the real model it reads `RECORDING`, which is written here, too.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from figures import style as st
from figures.touch import touchable
from snippets import subject_object_example as two
from snippets import trained_head, translation_example
from snippets.minilm_heads import SHARED, STEPS, minilm_heads, shared_words
from snippets.multi_head import multi_head_attention
from snippets.recall_task import LETTERS
from snippets.softmax import softmax

RECORDING = "minilm-heads.js"
PAIR = "minilm-heads-{}.json"  # counted from 1; the first one is part of the module
PITCH = 25  # from token to token, downwards
LEAST = 0.02  # a smaller weight has no line
CLUES = [("river", "deposit"), ("animal", "street"), ("mary", "mary"), ("one", "one")]


def lines(
    x: float,
    y: float,
    asks: Sequence[str],
    reads: Sequence[str],
    weights: npt.NDArray[np.float64],
    chosen: int,
    *,
    gap: float = 56,
    left: float = 58,
    right: float = 62,
    bar: float = 22,
) -> list[str]:
    """Draw who asks on the left, who is read on the right, and a line for each weight.

    The row of the chosen token is strong, with a bar for each of its weights; others are faint.
    """
    x0, x1 = x + left, x + left + gap

    def curve(i: int, j: int) -> str:
        a, b = (y + (k + 0.5) * PITCH for k in (i, j))
        middle = st.num((x0 + x1) / 2)
        ends = st.num(a), st.num(b), st.num(x1)
        return f"M{st.num(x0)} {ends[0]}C{middle} {ends[0]} {middle} {ends[1]} {ends[2]} {ends[1]}"

    parts = []
    for i, row in enumerate(weights):
        for j, weight in enumerate(row):
            if weight < LEAST or i == chosen:
                continue
            faint = f' stroke-opacity="{0.28 * weight:.2f}"'
            parts.append(st.path(curve(i, j), cls="muted", width=1.5, more=faint))
    for j, weight in enumerate(weights[chosen]):
        if weight >= LEAST:
            width, strong = 1 + 3.5 * weight, f' stroke-opacity="{0.3 + 0.7 * weight:.2f}"'
            parts.append(st.path(curve(chosen, j), cls="score", width=round(width, 1), more=strong))
    size = st.SMALL
    for i, token in enumerate(asks):
        base = y + (i + 0.5) * PITCH + 4.5
        parts.append(
            st.text(
                x0 - 8,
                base,
                token,
                anchor="end",
                size=size,
                bold=i == chosen,
                cls="vk-score" if i == chosen else "vk-muted",
            )
        )
    for j, (token, weight) in enumerate(zip(reads, weights[chosen], strict=True)):
        base = y + (j + 0.5) * PITCH + 4.5
        extent = max(bar * float(weight), 1)
        parts += [
            st.text(x1 + 8, base, token, size=size, cls="" if weight >= LEAST else "vk-muted"),
            st.rect(
                x1 + right,
                base - 11,
                extent,
                13,
                cls="vk-score",
                opacity=0.45,
                radius=2,
            ),
            st.text(x1 + right + extent + 4, base, percent(weight), size=st.SMALL)
            if weight >= LEAST
            else "",
        ]
    return parts


def percent(weight: float) -> str:
    """Write a share for readers."""
    return f"{100 * weight:.1f}\u00a0%"


# The real model.


def recording() -> str:
    """Write what a page needs first of the recording: a module with the first two sentences.

    The other sentences are in files of their own, which `recorded_pairs` writes.
    """
    whole, without = shared_words()
    data = {
        "shape": minilm_heads()[0].weights.shape[:2],
        "steps": STEPS,
        "sentences": _recorded_pair(0),
        "pairs": [
            {
                "word": word,
                "clues": CLUES[i],
                "whole": float(f"{whole[i]:.4f}"),
                "without": _pack(without[i], STEPS["distance"]),
                **({"file": PAIR.format(i + 1)} if i else {}),
            }
            for i, word in enumerate(SHARED)
        ],
    }
    return f"/* Written by figures/explorer.py. */\nexport default {_json(data)};\n"


def recorded_pairs() -> dict[str, Callable[[], str]]:
    """Return what writes the sentences of each pair but the first, by the file's name."""

    def write(pair: int) -> str:
        return f"{_json(_recorded_pair(pair))}\n"

    return {PAIR.format(i + 1): partial(write, i) for i in range(1, len(SHARED))}


def _recorded_pair(pair: int) -> list[dict[str, Any]]:
    return [
        {
            "tokens": each.tokens,
            **{name: _pack(getattr(each, name), steps) for name, steps in STEPS.items()},
        }
        for each in minilm_heads()[2 * pair : 2 * pair + 2]
    ]


def _pack(array: npt.NDArray[np.float64], steps: int) -> str:
    """Write whole numbers of 16 bits in base64: all low bytes, then all high ones packs better."""
    whole = np.rint(array * steps).astype("<u2").ravel().view(np.uint8)
    return base64.b64encode(whole.reshape(-1, 2).T.tobytes()).decode()


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def model_data() -> dict[str, Any]:
    """Return one head on the first two sentences, and what bank gives to its clue in every head."""
    block, head = 0, 4
    heads = minilm_heads()[:2]
    tokens = [each.tokens for each in heads]
    asks = [row.index("bank") for row in tokens]
    return {
        "block": block,
        "head": head,
        "tokens": np.array(tokens),
        "asks": asks,
        "reads": [row.index(clue) for row, clue in zip(tokens, CLUES[0], strict=True)],
        "weights": np.stack([each.weights[block, head] for each in heads]),
        "all": heads[0].weights[:, :, asks[0], tokens[0].index("river")],
    }


def draw_model(data: Mapping[str, Any]) -> str:
    """All heads as a table of shades, one outlined; below, its lines in two sentences."""
    block, head = data["block"], data["head"]
    blocks, num_heads = data["all"].shape
    tokens, asks = data["tokens"].tolist(), data["asks"]
    words = [row[i] for row, i in zip(tokens, asks, strict=True)]
    reads = [row[i] for row, i in zip(tokens, data["reads"], strict=True)]
    x, y, cell = 66, 64, 30
    parts = [
        st.text(8, 22, f"What “{words[0]}” gives to “{reads[0]}” in each head"),
        *(
            st.text(x + (j + 0.5) * cell, y - 8, f"{j + 1}", anchor="middle", size=st.SMALL)
            for j in range(num_heads)
        ),
        *(
            st.text(
                x - 10, y + (i + 0.5) * cell + 4.5, f"block {i + 1}", anchor="end", size=st.SMALL
            )
            for i in range(blocks)
        ),
        '<g class="vk-score">',
        *(
            st.rect(
                x + j * cell + 1,
                y + i * cell + 1,
                cell - 2,
                cell - 2,
                opacity=round(shade(float(weight)), 2),
                radius=3,
            )
            for (i, j), weight in np.ndenumerate(data["all"])
        ),
        "</g>",
        st.outline(x + head * cell, y + block * cell, cell, cell),
    ]
    top = y + blocks * cell + 64
    parts.append(st.text(8, top - 30, f"Block {block + 1}, head {head + 1}", bold=True))
    for i, row in enumerate(tokens):
        parts += lines(8 + 238 * i, top - 12, row, row, data["weights"][i], asks[i])
    n = len(tokens[0])
    said = " and ".join(
        f"{percent(weights[i, j])} to {word}"
        for weights, i, j, word in zip(data["weights"], asks, data["reads"], reads, strict=True)
    )
    start = {name: data[name] for name in ("block", "head", "asks", "reads")}
    svg = st.figure_svg(
        "attention-explorer",
        "Attention Explorer",
        f"A table of {blocks} by {num_heads} heads, shaded by what {words[0]} gives to {reads[0]}."
        f" Below, block {block + 1}, head {head + 1} in two sentences, a line from each token to"
        f" those it reads from: {words[0]} gives {said}.",
        top + n * PITCH,
        parts,
        left=8,
        right=484,
    )
    return touchable(
        "attention-explorer",
        svg,
        start,
        hint=(
            "Choose a head in the table. Point at a token on the left to see its row; "
            "if you choose it, the same word is also shown in the other sentence. "
            "Choose a token on the right to see how much weight it gets in each head. "
            "Hide the head to see how much the output changes."
        ),
    )


def shade(weight: float) -> float:
    """Turn a weight into an opacity; small weights are told apart, too."""
    return 0.04 + 0.9 * float(np.sqrt(weight))


# The head that learned.


def recall_data(before: Any = None, after: Any = None) -> dict[str, Any]:
    """Return the trained head before and after, and what it reads in its sequence."""
    kept_before, kept_after, _ = trained_head.load()
    before = kept_before if before is None else before
    after = kept_after if after is None else after
    Q, K, V = (trained_head.X @ W for W in after)
    weights = softmax(Q @ K.T / np.sqrt(K.shape[1]))
    return {
        "tokens": trained_head.tokens,
        "letters": LETTERS,
        "after": after._asdict(),
        "before": before._asdict(),
        "weights": weights,
        "logits": weights[-1] @ V,
    }


def draw_recall(data: Mapping[str, Any]) -> str:
    """Draw who reads from whom in the sequence, and what the last token makes of it."""
    tokens, weights = data["tokens"], data["weights"]
    chosen = len(tokens) - 1
    shares = softmax(data["logits"])
    answer = int(shares.argmax())
    x, y = 340, 52
    parts = [
        st.text(8, 22, "who reads from whom"),
        *lines(0, 46, tokens, tokens, weights, chosen, gap=110, bar=46),
        st.text(x - 12, 22, "the digit it answers"),
        *(
            part
            for digit, p in enumerate(shares)
            for part in (
                st.text(x, y + 19 * digit + 10, f"{digit}", anchor="end", size=st.SMALL),
                st.rect(
                    x + 8,
                    y + 19 * digit - 1,
                    max(72 * float(p), 1),
                    13,
                    cls="vk-value",
                    opacity=0.5,
                    radius=2,
                ),
                st.text(x + 12, y + 19 * digit + 10, percent(p), size=st.SMALL)
                if p >= LEAST
                else "",
            )
        ),
    ]
    most = int(weights[chosen].argmax())
    svg = st.figure_svg(
        "trained-head",
        "The trained head",
        f"The tokens {', '.join(tokens)} twice, who asks on the left, who is read on the right. The"
        f" last, {tokens[chosen]}, gives {percent(weights[chosen, most])} of its weight to"
        f" {tokens[most]}, and answers {answer} with {percent(shares[answer])}.",
        y + 190,
        parts,
        left=8,
        right=457,
    )
    shipped = {name: data[name] for name in ("tokens", "letters", "before", "after")}
    return touchable(
        "trained-head",
        svg,
        shipped,
        hint=("Choose other pairs and another letter, and compare with the head before training."),
    )


# Cross-attention.


def translation_data(
    features: Any = translation_example.features,
    tokens: Any = translation_example.tokens,
    tokens_kv: Any = translation_example.tokens_kv,
    X: Any = translation_example.X,
    X_kv: Any = translation_example.X_kv,
    W_Q: Any = translation_example.W_Q,
    W_K: Any = translation_example.W_K,
    W_V: Any = translation_example.W_V,
    alpha: Any = translation_example.alpha,
    Z: Any = translation_example.Z,
) -> dict[str, Any]:
    """Return the translation made by hand."""
    return dict(locals())


def draw_translation(data: Mapping[str, Any]) -> str:
    """Draw which English word each French one reads, and what chat gets."""
    chosen = data["tokens"].index("chat")
    x, y = 352, 52
    features = data["features"]
    parts = [
        st.text(8, 22, "French asks, English is read"),
        *lines(0, 46, data["tokens"], data["tokens_kv"], data["alpha"], chosen, gap=90, bar=46),
        st.text(x - 64, 22, f"what “{data['tokens'][chosen]}” gets", cls="vk-value"),
        *(
            part
            for i, value in enumerate(data["Z"][chosen])
            for part in (
                st.text(x, y + 22 * i + 14, features[i], anchor="end", size=st.SMALL),
                st.rect(
                    x + 8,
                    y + 22 * i + 2,
                    max(60 * float(value), 1),
                    14,
                    cls="vk-value",
                    opacity=0.5,
                    radius=2,
                ),
                st.text(x + 76, y + 22 * i + 14, f"{value:.2f}", size=st.SMALL),
            )
        ),
    ]
    row = data["alpha"][chosen]
    svg = st.figure_svg(
        "translation",
        "Cross-attention",
        f"{', '.join(data['tokens'])} on the left ask, {', '.join(data['tokens_kv'])} on the right"
        f" are read. {data['tokens'][chosen]} gives {percent(row.max())} of its weight to"
        f" {data['tokens_kv'][int(row.argmax())]}.",
        y + 124,
        parts,
        left=8,
        right=455,
    )
    shipped = {name: data[name] for name in data if name not in ("alpha", "Z")}
    return touchable(
        "translation",
        svg,
        {"chosen": chosen, **shipped},
        hint="Choose another word, or let the English words ask.",
    )


# Two heads made by hand.


def two_heads_data() -> dict[str, Any]:
    """Return both heads on one sentence, and the output with all of them and with one hidden."""
    output, alpha = multi_head_attention(
        two.X, two.X, two.X, two.weights, two.h, return_weights=True
    )
    return {
        "h": two.h,
        "features": two.features,
        "vocabulary": two.vocabulary,
        "sentence": " ".join(two.tokens),
        "weights": {name: getattr(two.weights, name) for name in ("W_Q", "W_K", "W_V", "W_O")},
        "alpha": alpha,
        "output": output,
    }


def draw_two_heads(data: Mapping[str, Any]) -> str:
    """Draw the lines of both heads side by side, and below them the output of sees."""
    tokens, h = data["sentence"].split(), data["h"]
    chosen = tokens.index("sees")
    labels = [f"{feature} ({head + 1})" for head in range(h) for feature in data["features"][:3]]
    parts = []
    for head in range(h):
        left = 238 * head
        parts.append(st.text(left + 8, 22, f"head {head + 1}", bold=True))
        parts += lines(left, 38, tokens, tokens, data["alpha"][head], chosen)
    top = 38 + len(tokens) * PITCH + 34
    parts.append(st.text(8, top, f"the output of “{tokens[chosen]}”", cls="vk-value"))
    for i, value in enumerate(data["output"][chosen]):
        y = top + 12 + 22 * i
        parts += [
            st.text(96, y + 14, labels[i], anchor="end", size=st.SMALL),
            st.rect(
                104, y + 2, max(200 * float(value), 1), 14, cls="vk-value", opacity=0.5, radius=2
            ),
            st.text(312, y + 14, f"{value:.2f}", size=st.SMALL),
        ]
    said = ", ".join(
        f"in head {head + 1} {percent(row[chosen].max())} to {tokens[int(row[chosen].argmax())]}"
        for head, row in enumerate(data["alpha"])
    )
    svg = st.figure_svg(
        "two-heads",
        "Two heads",
        f"Both heads on {data['sentence']}, a line from each token to those it reads from."
        f" {tokens[chosen]} gives {said}. Below, its output of {len(labels)} numbers.",
        top + 12 + 22 * len(labels) + 8,
        parts,
        left=8,
        right=482,
    )
    names = ("h", "features", "vocabulary", "sentence", "weights")
    return touchable(
        "two-heads",
        svg,
        {"chosen": chosen, **{name: data[name] for name in names}},
        hint=("Hide a head, choose another sentence, or look at the rows of the other words."),
    )
