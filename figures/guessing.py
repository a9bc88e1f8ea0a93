"""Guesses of a small model: which share of each is kept, and what the large model adds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets import bank_stories, trained_decoder
from snippets.decoder import next_token_logits
from snippets.softmax import softmax

TEXT = "<end> Mia and Tom wade in the river . the bank is"


def data() -> dict[str, Any]:
    """Return both models' probabilities of the words that may follow, the likeliest first."""
    training, _ = trained_decoder.stories()
    weights, _ = trained_decoder.load()
    numbers = bank_stories.to_numbers(TEXT.split())
    p = softmax(next_token_logits(weights, numbers, trained_decoder.NUM_HEADS)[-1])
    pairs = np.zeros((len(p), len(p)))
    share = training.probability[:, np.newaxis] * training.counted
    np.add.at(pairs, (training.numbers[:, :-1], training.numbers[:, 1:]), share)
    q = pairs[numbers[-1]] / pairs[numbers[-1]].sum()
    order = np.argsort(-p, kind="stable")
    shown = order[(p + q)[order] > 0.01]
    return {
        "words": [bank_stories.VOCABULARY[i] for i in shown],
        "p": p[shown].round(4),
        "q": q[shown].round(4),
    }


def draw(data: Mapping[str, Any]) -> str:
    """Draw a column for each word: kept below, drawn instead above it, rejected in dashes."""
    words, p, q = data["words"], data["p"], data["q"]
    left, floor, width = 56, 236, 46
    pitch = (st.WIDTH - left - 8) / len(words)
    scale = 180 / max(p.max(), q.max())
    parts = [st.text(24, 24, "probability of the next word after … the bank is")]
    for tick in (0, 0.1, 0.2, 0.3):
        y = floor - tick * scale
        parts.append(st.path(f"M{left - 6} {st.num(y)}H{st.WIDTH - 8}", width=0.5 + (tick == 0)))
        parts.append(st.text(left - 12, y + 5, f"{tick:g}", anchor="end", cls="vk-muted", size=13))
    for i, (word, large, small) in enumerate(zip(words, p, q, strict=True)):
        x = left + i * pitch + (pitch - width) / 2
        kept = min(large, small) * scale
        top = max(large, small) * scale
        if kept > 0.5:
            parts.append(st.rect(x, floor - kept, width, kept, cls="vk-key", opacity=0.55))
        if large > small:
            parts.append(st.rect(x, floor - top, width, top - kept, cls="vk-query", opacity=0.5))
        elif top - kept > 0.5:
            box = st.rect(x, floor - top, width, top - kept, cls="vk-key", stroke=1.25)
            parts.append(box.replace("/>", ' stroke-dasharray="5 4"/>'))
        parts.append(st.text(x + width / 2, floor + 20, word, anchor="middle", size=st.SMALL))
    bottom = floor + 40
    dashed = st.rect(344, bottom, 16, 16, cls="vk-key", stroke=1.25)
    parts += [
        st.rect(24, bottom, 16, 16, cls="vk-key", opacity=0.55),
        st.text(48, bottom + 13, "guessed, kept", cls="vk-muted", size=st.SMALL),
        st.rect(174, bottom, 16, 16, cls="vk-query", opacity=0.5),
        st.text(198, bottom + 13, "drawn instead", cls="vk-muted", size=st.SMALL),
        dashed.replace("/>", ' stroke-dasharray="5 4"/>'),
        st.text(368, bottom + 13, "rejected", cls="vk-muted", size=st.SMALL),
    ]
    kept_share = np.minimum(p, q).sum()
    return st.figure_svg(
        "speculative-decoding",
        "Guesses that are kept, and what replaces the others",
        f"Columns for {len(words)} words. The small model guesses all of them about equally often;"
        " the large model allows "
        + ", ".join(word for word, large in zip(words, p, strict=True) if large > 0.1)
        + f". Their guesses are kept, a share of {kept_share:.2f} of all; the others are rejected,"
        " and the same three words are drawn instead.",
        bottom + 32,
        parts,
        left=24,
        right=473.5,
    )
