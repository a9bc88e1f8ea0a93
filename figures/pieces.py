"""Text in pieces: one sentence after more and more byte-pair merges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from figures import style as st
from snippets.bank_text import TEXT
from snippets.byte_pair import encode, learn_byte_pairs, vocabulary_of

SENTENCE = "The bankers lend 1001 coins."
AFTER = (0, 20, 60, 120)


def data() -> dict[str, Any]:
    """Return the pieces of the sentence after some numbers of merges."""
    merges = learn_byte_pairs(TEXT, max(AFTER))
    tokens = vocabulary_of(merges)
    return {
        "after": AFTER,
        "pieces": [
            "|".join(tokens[number].decode() for number in encode(SENTENCE, merges[:count]))
            for count in AFTER
        ],
    }


def draw(data: Mapping[str, Any]) -> str:
    """Draw a box for each token, a line for each number of merges."""
    left, right, pitch, height = 16, st.WIDTH - 8, 76, 30
    rows = [line.split("|") for line in data["pieces"]]
    # One cell for each byte: a token is as wide as its bytes.
    cell = (right - left) / len(SENTENCE)
    parts = []
    for row, (count, pieces) in enumerate(zip(data["after"], rows, strict=True)):
        y, x = 38 + row * pitch, float(left)
        merges = f"{count} merges" if count else "bytes"
        parts.append(st.text(left, y - 10, merges, size=16))
        parts.append(
            st.text(
                right, y - 10, f"{len(pieces)} tokens", anchor="end", cls="vk-muted", size=st.SMALL
            )
        )
        for piece in pieces:
            width = cell * len(piece)
            joined = len(piece) > 1
            hue = "vk-key" if joined else "vk-input"
            opacity = 0.3 if joined else 0.14
            parts.append(st.rect(x + 1, y, width - 2, height, cls=hue, opacity=opacity))
            parts += [
                st.text(x + (i + 0.5) * cell, y + 20, "␣" if sign == " " else sign, anchor="middle")
                for i, sign in enumerate(piece)
            ]
            x += width
    counts = ", ".join(str(len(pieces)) for pieces in rows)
    last = " | ".join(rows[-1])
    return st.figure_svg(
        "byte-pairs",
        "From bytes to tokens",
        f"The sentence {SENTENCE!r} cut into tokens after {', '.join(map(str, data['after']))}"
        f" merges: {counts} tokens. At the end: {last}.",
        38 + len(data["after"]) * pitch - 34,
        parts,
        left=16,
        right=473.5,
    )
