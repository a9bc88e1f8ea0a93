"""A decoder: how sure it is of each word of a story, beside a model that sees one word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets import bank_stories, trained_decoder
from snippets.decoder import next_token_logits
from snippets.sampling import next_token_probabilities
from snippets.softmax import softmax

STORY = "Mia and Tom wade in the river . the bank is green . Mia and Tom go home . <end>"


def surprise_data() -> dict[str, Any]:
    """Return minus the logarithm of the probability that each token of the story gets."""
    training, _ = trained_decoder.stories()
    words = STORY.split()
    numbers = bank_stories.to_numbers(["<end>", *words])
    weights, _ = trained_decoder.load()
    p = softmax(next_token_logits(weights, numbers[:-1], trained_decoder.NUM_HEADS))
    counts = np.zeros((len(bank_stories.VOCABULARY),) * 2)
    share = training.probability[:, np.newaxis] * training.counted
    np.add.at(counts, (training.numbers[:, :-1], training.numbers[:, 1:]), share)
    pairs = counts / counts.sum(axis=1, keepdims=True)
    return {
        "words": words,
        "decoder": -np.log(p[np.arange(len(words)), numbers[1:]]).round(4),
        "bigram": -np.log(pairs[numbers[:-1], numbers[1:]]).round(4),
    }


def draw_surprise(data: Mapping[str, Any]) -> str:
    """Draw two bars for each word, one word below the other."""
    words, left, pitch, top = data["words"], 92, 30, 58
    right = 514
    length = (right - left) / max(map(max, (data["decoder"], data["bigram"])))
    parts = [
        st.rect(left, 14, 16, 12, cls="vk-rose", opacity=0.35),
        st.text(left + 24, 25, "sees one word", cls="vk-muted", size=st.SMALL),
        st.rect(left + 150, 14, 16, 12, cls="vk-petrol", opacity=0.9),
        st.text(left + 174, 25, "decoder, sees all before", cls="vk-muted", size=st.SMALL),
    ]
    bottom = top + len(words) * pitch
    for tick in range(int((right - left) / length) + 1):
        x = left + tick * length
        parts += [
            st.path(f"M{st.num(x)} {top - 10}V{bottom - 4}", width=1 if tick == 0 else 0.5),
            st.text(x, bottom + 14, str(tick), anchor="middle", cls="vk-muted", size=13),
        ]
    parts.append(
        st.text(
            (left + right) / 2,
            bottom + 36,
            "minus the logarithm of the probability",
            anchor="middle",
            cls="vk-muted",
            size=st.SMALL,
        )
    )
    for i, word in enumerate(words):
        y = top + i * pitch
        parts.append(st.text(left - 10, y + 12, word, anchor="end"))
        for name, hue, opacity, dy in (
            ("bigram", "rose", 0.35, -4),
            ("decoder", "petrol", 0.9, 8),
        ):
            width = max(length * float(data[name][i]), 1.5)
            parts.append(st.rect(left, y + dy, width, 10, cls=f"vk-{hue}", opacity=opacity))
    lost = [i for i in range(len(words)) if data["bigram"][i] - data["decoder"][i] > 0.5]
    return st.figure_svg(
        "decoder-surprise",
        "How surprising each word is",
        f"Bars for the {len(words)} tokens of a story: minus the logarithm of their probability."
        " The decoder's bars are much shorter than those of a model that sees one word at: "
        + ", ".join(
            f"{words[i]} ({data['decoder'][i]:.2f} for {data['bigram'][i]:.2f})" for i in lost
        )
        + ".",
        bottom + 46,
        parts,
        left=38.2,
    )


WAYS: dict[str, dict[str, Any]] = {
    "as it is": {},
    "temperature 0.5": {"temperature": 0.5},
    "temperature 2": {"temperature": 2.0},
    "top-k 3": {"top_k": 3},
    "top-p 0.8": {"top_p": 0.8},
    "min-p 0.8": {"min_p": 0.8},
}


def ways_data() -> dict[str, Any]:
    """Return the six likeliest words after two names, and their shares for each way to choose."""
    weights, _ = trained_decoder.load()
    numbers = bank_stories.to_numbers(["<end>", "Mia", "and", "Tom"])
    last = next_token_logits(weights, numbers, trained_decoder.NUM_HEADS)[-1]
    order = np.argsort(-last, kind="stable")[:6]
    return {
        "words": [bank_stories.VOCABULARY[i] for i in order],
        "shares": [next_token_probabilities(last, **way)[order].round(4) for way in WAYS.values()],
    }


def draw_ways(data: Mapping[str, Any]) -> str:
    """Draw for each way one bar of length 1, cut into the shares of the words."""
    left, width, parts = 12.0, 468.0, []
    for i, (name, shares) in enumerate(zip(WAYS, data["shares"], strict=True)):
        y, x = 38 + 68.0 * i, left
        parts.append(st.text(left, y - 9, name))
        for k, (word, share) in enumerate(zip(data["words"], shares, strict=True)):
            wide = width * float(share)
            if wide < 2:
                continue
            parts += [
                st.rect(
                    x, y, wide - 2, 32, cls="vk-petrol", opacity=round(0.5 - 0.07 * k, 2), radius=2
                ),
                st.text(x + wide / 2 - 1, y + 21, word, anchor="middle", size=st.SMALL),
            ]
            x += wide
        rest = left + width - x
        if rest > 4:
            parts.append(st.rect(x, y, rest, 32, cls="vk-line", stroke=1, radius=2))
    said = "; ".join(
        f"{name} "
        + ", ".join(
            f"{word} {share:.2f}"
            for word, share in zip(data["words"], shares, strict=True)
            if share
        )
        for name, shares in zip(WAYS, data["shares"], strict=True)
    )
    return st.figure_svg(
        "ways-to-choose",
        "Six ways to choose, one distribution",
        f"Six bars of one length, cut into the shares of words: {said}.",
        38 + 68 * len(WAYS) - 30,
        parts,
        left=left,
        right=left + width,
    )
