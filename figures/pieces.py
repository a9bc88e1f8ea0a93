"""Text in pieces: one sentence after more and more byte-pair merges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from figures import style as st
from snippets.bank_text import TEXT
from snippets.byte_pair import encode, learn_byte_pairs, learn_merges, vocabulary_of

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
            hue = "vk-petrol" if joined else "vk-input"
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


WORDS = {
    ("l", "o", "w", "</w>"): 5,
    ("l", "o", "w", "e", "r", "</w>"): 2,
    ("n", "e", "w", "e", "s", "t", "</w>"): 6,
    ("w", "i", "d", "e", "s", "t", "</w>"): 3,
}


def trees_data(words: Any = WORDS) -> dict[str, Any]:
    """Return the merges that the small dictionary teaches, in their order."""
    merges = learn_merges(words, 10)
    return {"merges": ["+".join(pair) for pair in merges], "words": ["newest", "lowest", "slower"]}


def draw_trees(data: Mapping[str, Any]) -> str:
    """Draw each word's letters, and above them which merge joins what."""
    merges = [tuple(pair.split("+")) for pair in data["merges"]]
    left, step, rise, base, parts, said = 44.0, 70.0, 36.0, 168.0, [], []
    for word in data["words"]:
        # A piece is its letters, the middle of its box, and its height.
        pieces = [(letter, left + i * step, 0) for i, letter in enumerate((*word, "</w>"))]
        tops = []
        for number, (first, second) in enumerate(merges, 1):
            i = 0
            while i < len(pieces) - 1:
                (a, x, up), (b, u, above) = pieces[i : i + 2]
                if (a, b) == (first, second):
                    level = max(up, above) + 1
                    parts.append(_joint(base, rise, (x, up), (u, above), level, number))
                    pieces[i : i + 2] = [(a + b, (x + u) / 2, level)]
                i += 1
        for piece, x, level in pieces:
            tops.append(piece)
            if level:
                parts.append(_label(x, base - rise * level, _shown(piece)))
        parts += [
            _label(left + i * step, base, _shown(letter), leaf=True)
            for i, letter in enumerate((*word, "</w>"))
        ]
        said.append(f"{word}: {', '.join(map(_shown, tops))}")
        base += {"newest": 172.0, "lowest": 122.0}.get(word, 0.0)
    return st.figure_svg(
        "merge-trees",
        "Which merges make the pieces of a word",
        f"Trees over the letters of three words, each joint with the number of its merge. Pieces at"
        f" the end: {'; '.join(said)}.",
        base + 26,
        parts,
        left=39,
        right=470,
    )


def _shown(piece: str) -> str:
    return piece.replace("</w>", "▪")


def _joint(
    base: float,
    rise: float,
    one: tuple[float, int],
    other: tuple[float, int],
    level: int,
    number: int,
) -> str:
    """Join two pieces by a bracket that names its merge."""
    (x, up), (u, above), top = one, other, base - rise * level
    middle = (x + u) / 2
    # A leg ends at a letter, or at the number of the joint below.
    ends = [base - rise * below + (3 if below else -10) for below in (up, above)]
    return (
        st.path(
            f"M{st.num(x)} {st.num(ends[0])}V{st.num(top + 12)}H{st.num(u)}V{st.num(ends[1])}",
            cls="muted",
            width=1.25,
        )
        + f'<circle class="vk-petrol" cx="{st.num(middle)}" cy="{st.num(top + 12)}" r="9"'
        ' fill-opacity=".35"/>' + st.text(middle, top + 17, str(number), anchor="middle", size=13)
    )


def _label(x: float, y: float, words: str, *, leaf: bool = False) -> str:
    """Write a piece; at the end of a tree it has a box."""
    if leaf:
        return st.text(x, y + 6, words, anchor="middle", size=16)
    width = 10 * len(words) + 12
    return st.rect(
        x - width / 2, y - 24, width, 26, cls="vk-petrol", opacity=0.3, radius=4
    ) + st.text(x, y - 6, words, anchor="middle", bold=True)
