"""The sentence of the road: what bank reads by hand, and what the trained decoder predicts."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from figures import style as st
from figures import touch
from snippets import bank_by_hand as hand
from snippets import bank_stories, trained_decoder
from snippets.decoder import next_token_logits
from snippets.decoder_heads import attention_maps
from snippets.multi_head import multi_head_attention
from snippets.softmax import softmax
from snippets.weight_vector import parameters_to_vector

#: What the script of `next-word.svg` reads.
DECODER = "decoder-weights.js"
LIKELIEST = 3  # words that are listed
BEGINNINGS = (
    "<end> Mia and Tom wade in the river . the bank is",
    "<end> Mia and Tom lend the money . the bank is",
)


def reading_data(
    tokens: Any = hand.tokens, bank: int = hand.BANK, alpha: Any = hand.alpha
) -> dict[str, Any]:
    """Return the words of the sentence, and the weights with which bank reads them."""
    return {"tokens": tokens, "bank": bank, "weights": alpha[bank].round(4)}


NAIVE = softmax(hand.X @ hand.X[hand.BANK])


def naive_data(
    tokens: Any = hand.tokens, BANK: int = hand.BANK, alpha: Any = NAIVE
) -> dict[str, Any]:
    """Return the same, with weights from plain dot products: one row."""
    return {"tokens": tokens, "bank": BANK, "weights": alpha.round(4)}


def draw_naive(data: Mapping[str, Any]) -> str:
    """Draw what bank reads without queries and keys."""
    return draw_reading(data, "bank-reads-itself")


def draw_reading(data: Mapping[str, Any], name: str = "bank-reads") -> str:
    """Draw the words in two columns, and from bank a line to each word as wide as its weight."""
    tokens, bank, weights = data["tokens"], data["bank"], data["weights"]
    left, right, top, pitch = 130, 390, 54, 27
    edge = right + 154
    parts = [
        st.text(left - 10, 26, "who asks", anchor="end", cls="vk-query", size=st.SMALL),
        st.text(right + 10, 26, "who is read", cls="vk-key", size=st.SMALL),
        st.text(edge, 26, "weight", anchor="end", cls="vk-muted", size=st.SMALL),
    ]
    y_bank = top + pitch * bank
    for i, (token, weight) in enumerate(zip(tokens, weights, strict=True)):
        y = top + pitch * i
        parts += [
            st.path(
                st.polyline([(left, y_bank), (right, y)]),
                cls="score",
                width=max(0.6, 12 * float(weight)),
                more=' stroke-opacity=".55"',
            ),
            st.text(
                left - 10,
                y + 5,
                token,
                anchor="end",
                bold=i == bank,
                cls="" if i == bank else "vk-muted",
            ),
            st.text(right + 10, y + 5, token, bold=bool(weight == weights.max())),
            st.text(edge, y + 5, f"{weight:.2f}", anchor="end", cls="vk-muted"),
        ]
    most = int(weights.argmax())
    return st.figure_svg(
        name,
        "What bank reads",
        f"Lines from {tokens[bank]} to each word of the sentence, as wide as the weights:"
        f" {tokens[most]} {weights[most]:.2f}, every other word at most"
        f" {np.sort(weights)[-2]:.2f}.",
        top + pitch * len(tokens) + 4,
        parts,
        left=64.9,
    )


def _predicted(words: str) -> tuple[npt.NDArray[np.float64], list[Any]]:
    """Return the probabilities of the next word, and what the last word reads in each head."""
    weights, _ = trained_decoder.load()
    numbers, heads = bank_stories.to_numbers(words.split()), trained_decoder.NUM_HEADS
    p = softmax(next_token_logits(weights, numbers, heads)[-1])
    return p, [alpha[:, -1] for alpha in attention_maps(weights, numbers, heads)]


def next_data() -> dict[str, Any]:
    """Return the likeliest words after each of two beginnings, and what the last word reads."""
    kinds = [bank_stories.to_numbers(list(adjectives)) for _, _, adjectives in bank_stories.SCENES]
    after = []
    for beginning in BEGINNINGS:
        p, read = _predicted(beginning)
        order = np.argsort(-p, kind="stable")[:LIKELIEST]
        after.append(
            {
                "words": [bank_stories.VOCABULARY[i] for i in order],
                "shares": p[order].round(5),
                "read": np.concatenate(read).round(4),
                "kinds": [p[numbers].sum().round(5) for numbers in kinds],
            }
        )
    return {
        "beginnings": [beginning.removeprefix("<end> ") for beginning in BEGINNINGS],
        "after": after,
    }


def decoder_weights() -> str:
    """Write the vocabulary and the weights of the trained decoder as a module."""
    weights, _ = trained_decoder.load()
    held: dict[str, Any] = {
        "vocabulary": bank_stories.VOCABULARY,
        "end": bank_stories.END,
        "num_heads": trained_decoder.NUM_HEADS,
        "num_blocks": len(weights.blocks),
        "c": len(weights.E),
        "n_max": len(weights.positions),
        "d_model": weights.E.shape[1],
        "d_ff": weights.blocks[0].W_1.shape[1],
    }
    vector = parameters_to_vector(weights).astype("<f2")  # as they are kept in the file
    held["weights"] = base64.b64encode(vector.tobytes()).decode()
    text = json.dumps(held, ensure_ascii=False, separators=(",", ":"))
    return f"/* Written by figures/storied.py. */\nexport default {text};\n"


def draw_next(data: Mapping[str, Any]) -> str:
    """Draw two lists of bars, one for each beginning."""
    left, length, edge, pitch, top = 84, 326, 474, 28, 38
    parts = []
    for k, (beginning, after) in enumerate(zip(data["beginnings"], data["after"], strict=True)):
        y = top + k * (pitch * LIKELIEST + 46)
        title = st.text(8, y - 16, f"{beginning} …", bold=True, size=st.SMALL)
        parts.append(touch.part("beginning", title))
        for i, (word, share) in enumerate(zip(after["words"], after["shares"], strict=True)):
            level = y + 12 + pitch * i
            ground = st.rect(left, level - 11, length, 22, cls="vk-petrol", opacity=0.1)
            width = max(1.5, length * float(share))
            bar = st.rect(left, level - 11, width, 22, cls="vk-petrol", opacity=0.75)
            named = st.text(left - 10, level + 5, word.replace("<", "&lt;"), anchor="end")
            said = st.text(
                edge,
                level + 5,
                f"{100 * share:.1f}\N{NO-BREAK SPACE}%",
                anchor="end",
                cls="vk-muted",
            )
            row = [touch.part("word", named), ground, touch.part("bar", bar)]
            parts.append(touch.group("row", [*row, touch.part("share", said)]))
    listed = "; ".join(
        f"after “{beginning}”: "
        + ", ".join(
            f"{word} {100 * share:.1f} %"
            for word, share in zip(after["words"], after["shares"], strict=True)
        )
        for beginning, after in zip(data["beginnings"], data["after"], strict=True)
    )
    svg = st.figure_svg(
        "next-word",
        "The next word after two beginnings",
        f"Probabilities of the next word, {listed}.",
        top + 2 * pitch * LIKELIEST + 46,
        parts,
        left=8,
        right=edge,
    )
    kinds = [adjectives for _, _, adjectives in bank_stories.SCENES]
    start = {
        **data,
        "names": ["river", "money"],
        "kinds": kinds,
        "vocabulary": bank_stories.VOCABULARY,
        "end": bank_stories.END,
        "plot": {"length": length},
    }
    return touch.touchable("next-word", svg, start)


def heads_data(stories: Any = (hand.sentence,), heads: Any = hand.heads) -> dict[str, Any]:
    """Return the words of the first story, and the weights of both heads."""
    tokens, X = stories[0].split(), hand.embed(stories[0])
    bank = tokens.index("bank")
    _, alpha = multi_head_attention(X, X, X, heads, hand.h, return_weights=True)
    return {"tokens": tokens, "bank": bank, "weights": alpha[:, bank].round(4)}


def draw_heads(data: Mapping[str, Any]) -> str:
    """Draw for each head the words that bank reads, with lines as wide as the weights."""
    tokens, bank = data["tokens"], data["bank"]
    top, pitch, span = 70, 29, 240
    parts = []
    for head, weights in enumerate(data["weights"]):
        left, right = 64 + span * head, 126 + span * head
        y_bank = top + pitch * bank
        parts += [
            st.text(left - 44, 24, f"head {head + 1}", bold=True),
            st.text(left + 30, 24, ("which place?", "who is there?")[head], cls="vk-muted"),
            st.text(left - 8, y_bank + 5, tokens[bank], anchor="end", bold=True),
        ]
        for i, (token, weight) in enumerate(zip(tokens, weights, strict=True)):
            y, read = top + pitch * i, bool(weight > 0.1)
            parts += [
                st.path(
                    st.polyline([(left, y_bank), (right, y)]),
                    cls="score",
                    width=max(0.5, 10 * float(weight)),
                    more=' stroke-opacity=".55"',
                ),
                st.text(right + 8, y + 5, token, bold=read, cls="" if read else "vk-muted"),
                st.text(
                    right + 102, y + 5, f"{weight:.2f}", anchor="end", cls="vk-muted", size=st.SMALL
                ),
            ]
    said = [
        ", ".join(
            f"{token} {weight:.2f}"
            for token, weight in zip(tokens, weights, strict=True)
            if weight > 0.1
        )
        for weights in data["weights"]
    ]
    return st.figure_svg(
        "bank-reads-twice",
        "Two heads of bank",
        f"What bank reads in two heads: in head 1 {said[0]}, in head 2 {said[1]}.",
        top + pitch * len(tokens),
        parts,
        left=20,
        right=469.5,
    )
