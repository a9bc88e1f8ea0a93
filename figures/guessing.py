"""Guesses of a small model: which share of each is kept, and what the large model adds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import basics
from figures import style as st
from snippets import bank_stories, trained_decoder
from snippets.decoder import next_token_logits
from snippets.softmax import softmax
from snippets.speculative import expected_tokens

#: What else decides how these figures look.
PARTS = (basics,)

GUESSES = (2, 5, 10)
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
            parts.append(st.rect(x, floor - kept, width, kept, cls="vk-rose", opacity=0.55))
        if large > small:
            parts.append(st.rect(x, floor - top, width, top - kept, cls="vk-petrol", opacity=0.5))
        elif top - kept > 0.5:
            box = st.rect(x, floor - top, width, top - kept, cls="vk-rose", stroke=1.25)
            parts.append(box.replace("/>", ' stroke-dasharray="5 4"/>'))
        parts.append(st.text(x + width / 2, floor + 20, word, anchor="middle", size=st.SMALL))
    bottom = floor + 40
    dashed = st.rect(344, bottom, 16, 16, cls="vk-rose", stroke=1.25)
    parts += [
        st.rect(24, bottom, 16, 16, cls="vk-rose", opacity=0.55),
        st.text(48, bottom + 13, "guessed, kept", cls="vk-muted", size=st.SMALL),
        st.rect(174, bottom, 16, 16, cls="vk-petrol", opacity=0.5),
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


def runs_data() -> dict[str, Any]:
    """Return how many tokens a run gives, against the rate of acceptance, for some guesses."""
    rates = np.linspace(0, 0.98, 50)
    found = {f"k {k}": np.array([expected_tokens(rate, k) for rate in rates]) for k in GUESSES}
    return {"rates": rates} | found


def draw_runs(data: Mapping[str, Any]) -> str:
    """Draw a curve for each number of guesses."""
    axes = basics.Axes(36, 412, 44, 320, (0, 1), (0, 11))
    parts = [
        st.text(12, 20, "tokens from one run of the large model", size=st.SMALL),
        *axes.frame((0, 0.2, 0.4, 0.6, 0.8, 1), (1, 3, 6, 11)),
        st.text(412, 360, "rate of acceptance →", anchor="end", size=st.SMALL),
    ]
    for k, dash in zip(GUESSES, ("2 3", "7 4", ""), strict=True):
        more = f' stroke-dasharray="{dash}"' if dash else ""
        curve = data[f"k {k}"]
        x, y = axes.place(float(data["rates"][-1]), float(curve[-1]))
        parts += [
            st.path(axes.curve(data["rates"], curve), cls="petrol", width=2.5, more=more),
            st.text(x + 12, y + 5, f"{k} guesses", cls="vk-petrol", size=st.SMALL),
        ]
    said = "; ".join(f"{k} guesses {expected_tokens(0.8, k):.2f}" for k in GUESSES)
    return st.figure_svg(
        "tokens-per-run",
        "Tokens from one run, against the rate of acceptance",
        f"Three rising curves that begin at one token. At a rate of 0.8: {said}. At a rate of 1"
        " each run gives all guesses and one token more.",
        368,
        parts,
        left=12,
        right=485.5,
    )
