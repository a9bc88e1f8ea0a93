"""The two banks: one vector in a table, mixtures of words, and what a real model makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from figures import touch
from snippets.softmax import softmax
from snippets.torch_random import TorchRandom
from snippets.word_vectors import SENTENCES as MODEL_SENTENCES
from snippets.word_vectors import bank_example, word_vectors

SENTENCES = (("River", "bank", "is", "calm"), ("Bank", "stores", "money"))


def static_data() -> dict[str, Any]:
    """Return two sentences and a table of vectors, drawn at random as one is before training."""
    words = sorted({word.lower() for sentence in SENTENCES for word in sentence})
    table = TorchRandom(123).rand(len(words), 5).astype(np.float64)
    return {"sentences": [" ".join(s) for s in SENTENCES], "words": words, "table": table}


def draw_static(data: Mapping[str, Any]) -> str:
    """Two sentences, two senses of bank, one row of the table."""
    words, table = data["words"], data["table"]
    cell, x, y = (30, 30), 322, 100
    row = words.index("bank")
    level = y + (row + 0.5) * cell[1]
    parts = [
        st.text(x + 2.5 * cell[0], y - 16, "look-up table", anchor="middle", cls="vk-muted"),
        *(
            st.text(
                x - 12,
                y + (i + 0.5) * cell[1] + 5,
                word,
                anchor="end",
                bold=i == row,
                cls="" if i == row else "vk-muted",
            )
            for i, word in enumerate(words)
        ),
        st.heat_map(x, y, table, "input", cell, decimals=None, full=0.9, marked=row),
    ]
    return st.figure_svg(
        "static-embeddings",
        "Static embeddings",
        "Arrows from the word bank in the sentences River bank is calm and Bank stores money lead"
        " to one and the same row of a look-up table: one vector for both senses.",
        y + len(words) * cell[1] + 14,
        parts + _sentences(level, x - 58),
        left=11,
        right=474.5,
    )


def _sentences(level: float, end: float) -> list[str]:
    """Write both sentences and lead their banks to one place."""
    parts = []
    for sentence, places, y, sense, turn in (
        (SENTENCES[0], (34, 86, 126, 162), level - 64, "the land beside water", -1),
        (SENTENCES[1], (36, 100, 164), level + 76, "the house that keeps money", 1),
    ):
        k = [word.lower() for word in sentence].index("bank")
        x, edge = places[k], y - 5 - 15 * turn
        parts += [
            *(
                st.text(place, y, word, anchor="middle", bold=i == k)
                for i, (place, word) in enumerate(zip(places, sentence, strict=True))
            ),
            st.rect(x - 25, y - 20, 50, 30, cls="vk-fg", radius=6, stroke=1.25),
            st.text(12, y + 30 * turn + 2, sense, cls="vk-muted", size=st.SMALL),
            st.arrow([(x, edge), (x, level + 5 * turn), (end, level + 5 * turn)], "input"),
        ]
    return parts


def two_banks_data() -> dict[str, Any]:
    """Return a made-up table of three words, and what bank becomes beside each of the others."""
    table = {"river": [1.0, 0.0], "bank": [0.6, 0.6], "money": [0.0, 1.0]}
    data: dict[str, Any] = {word: np.array(vector) for word, vector in table.items()}
    for other in ("river", "money"):
        X = np.array([table[other], table["bank"]])
        data[f"{other} bank"] = (softmax(X @ X.T) @ X)[1]
    return data


def draw_two_banks(data: Mapping[str, Any]) -> str:
    """Draw the plane of water and money, and one point that becomes two."""
    left, bottom, unit = 64, 224, 180

    def place(v: Any) -> tuple[float, float]:
        return left + unit * float(v[0]), bottom - unit * float(v[1])

    bank = place(data["bank"])
    parts = [
        st.path(f"M{left} 16V{bottom}H{st.WIDTH}", width=1.25),
        st.text(st.WIDTH, bottom + 24, "water", anchor="end", cls="vk-muted"),
        st.text(left - 12, 26, "money", anchor="end", cls="vk-muted"),
    ]
    for other, hue in (("river", "petrol"), ("money", "ochre")):
        x, y = place(data[other])
        to = place(data[f"{other} bank"])
        at = np.array(bank) + 0.82 * (np.array(to) - bank)
        line = st.path(
            st.polyline([(x, y), bank]), cls=hue, width=1, more=' stroke-dasharray="4 4"'
        )
        a, b = data[f"{other} bank"]
        name = f"bank in “{other} bank” ({a:.2f}, {b:.2f})"
        parts += [
            touch.part("word", st.dot(x, y, 5, hue)),
            touch.part("name", st.text(x + 20, y - 19, other, cls=f"vk-{hue}")),
            touch.part("line", line),
            touch.part("pull", st.arrow([bank, (float(at[0]), float(at[1]))], hue, 2.5)),
            touch.part("new", st.dot(*to, 6, hue)),
            touch.part(
                "new name", st.text(to[0] + 16, to[1] - 4, name, cls=f"vk-{hue}", bold=True)
            ),
        ]
    parts += [
        touch.part("bank", st.dot(*bank, 6, "fg")),
        touch.part("bank name", st.text(bank[0] + 28, bank[1] + 6, "bank, looked up")),
    ]
    (a, b), (c, d) = data["river bank"], data["money bank"]
    svg = st.figure_svg(
        "two-banks",
        "Two banks",
        "A plane with the axes water and money. River lies on the first axis, money on the second,"
        f" bank between them. Beside river, bank moves towards water, to ({a:.2f}, {b:.2f}); beside"
        f" money it moves towards money, to ({c:.2f}, {d:.2f}).",
        bottom + 32,
        parts,
        left=4,
    )
    start = {
        "words": [data["river"], data["money"]],
        "bank": data["bank"],
        "plane": {"origin": [left, bottom], "unit": unit, "x": [0, 1.6], "y": [0, 1.1]},
    }
    return touch.touchable("two-banks", svg, start, hint="Drag a word.")


def naive_data() -> dict[str, Any]:
    """Return for both sentences the scores of bank's vector with each word's, and the weights."""
    vectors = {word: v.astype(np.float64) for word, v in word_vectors().items()}
    data: dict[str, Any] = {}
    for name, sentence in zip(("river", "money"), SENTENCES, strict=True):
        bank = next(word for word in sentence if word.lower() == "bank")
        scores = np.array([vectors[word] @ vectors[bank] for word in sentence])
        data |= {f"{name} words": sentence, f"{name} scores": scores}
        data[f"{name} weights"] = softmax(scores)
    return data


def draw_naive(data: Mapping[str, Any]) -> str:
    """Bars for both sentences: how like bank each word is, and with what weight it is mixed in."""
    parts, top = [], 0
    for name in ("river", "money"):
        words, scores, weights = (data[f"{name} {what}"] for what in ("words", "scores", "weights"))
        row = [word.lower() for word in words].index("bank")
        y = top + 72
        parts += [
            st.text(96, top + 22, " ".join(words), size=16),
            st.text(96, top + 56, "dot product with bank", cls="vk-muted", size=st.SMALL),
            st.text(296, top + 56, "weight", cls="vk-muted", size=st.SMALL),
            st.tokens_down(82, y - 6, words, 26, marked=row),
            st.bars(96, y - 6, scores, 1.0, length=120, decimals=4),
            st.bars(296, y - 6, weights, 1.0, length=340, decimals=4),
            st.text(296, y + 26 * len(words) + 12, "sum 1", cls="vk-muted", size=st.SMALL),
        ]
        top = y + 26 * len(words) + 28
    said = [
        f"In {' '.join(data[f'{name} words'])} the dot products are"
        f" {st.listed(data[f'{name} scores'], 4)}, the weights"
        f" {st.listed(data[f'{name} weights'], 4)}."
        for name in ("river", "money")
    ]
    return st.figure_svg(
        "naive-attention",
        "Naive attention",
        "Bars for each word of two sentences: the dot product of its vector with that of bank, and"
        f" the weight that softmax turns it into. {' '.join(said)}",
        top,
        parts,
        left=34,
        right=507,
    )


def layers_data() -> dict[str, Any]:
    """Return the cosines between bank in four sentences, before and after every block."""
    return {
        "sentences": MODEL_SENTENCES,
        "cosines": bank_example().cosines.astype(np.float64).round(5),
    }


def draw_layers(data: Mapping[str, Any]) -> str:
    """Cosines layer by layer: like banks stay together, unlike ones part."""
    cosines, names = data["cosines"], ("R1", "M1", "R2", "M2")
    left, right, top, bottom = 56, 352, 44, 282
    x = np.linspace(left, right, len(cosines))
    parts = [st.text(left - 40, 22, "cosine of two banks", size=16)]
    for tick in (0.7, 0.8, 0.9, 1):
        level = float(np.interp(tick, (0.7, 1), (bottom, top)))
        parts += [
            st.path(f"M{left} {st.num(level)}H{right}", width=1 if tick == 0.7 else 0.5),
            st.text(left - 8, level + 5, f"{tick:g}", anchor="end", cls="vk-muted", size=13),
        ]
    for hue, width, pairs in (
        ("petrol", 1.25, ((0, 3), (2, 1), (2, 3))),
        ("petrol", 2.5, ((0, 1),)),
        ("rose", 2.5, ((0, 2), (1, 3))),
    ):
        for i, j in pairs:
            y = np.interp(cosines[:, i, j], (0.7, 1), (bottom, top))
            parts.append(st.path(st.polyline(zip(x, y, strict=True)), cls=hue, width=width))
            if width > 2:
                parts += [st.dot(a, b, 3.5, hue) for a, b in zip(x, y, strict=True)]
                words = f"{names[i]}, {names[j]}: {cosines[-1, i, j]:.2f}"
                parts.append(st.text(right + 12, y[-1] + 5, words, cls=f"vk-{hue}"))
    others = np.interp(np.median(cosines[-1][[0, 2, 2], [3, 1, 3]]), (0.7, 1), (bottom, top))
    parts += [
        st.path(f"M{right + 4} {st.num(others)}h6", cls="petrol", width=1.25),
        st.text(right + 14, others + 5, "the other R, M", cls="vk-petrol", size=st.SMALL),
    ]
    parts += [
        st.text(place, bottom + 22, str(i), anchor="middle", cls="vk-muted", size=13)
        for i, place in enumerate(x)
    ]
    parts.append(
        st.text(
            left,
            bottom + 46,
            "0: the embeddings; then after each block",
            cls="vk-muted",
            size=st.SMALL,
        )
    )
    for i, k in enumerate((0, 2, 1, 3)):
        parts += [
            st.text(left - 40, bottom + 82 + 22 * i, names[k], bold=True),
            st.text(left - 8, bottom + 82 + 22 * i, data["sentences"][k]),
        ]
    last = cosines[-1]
    return st.figure_svg(
        "bank-by-layer",
        "Two banks, layer by layer",
        "Cosines between the vectors of bank in four sentences, at the embeddings and after each of"
        f" six blocks. All begin above {np.floor(cosines[0].min() * 100) / 100:.2f}. At the end two"
        f" river banks have {last[0, 2]:.2f}, two banks with money {last[1, 3]:.2f}; of the four"
        f" mixed pairs, thin but for R1 and M1, which end at {last[0, 1]:.2f}, none is above"
        f" {max(last[i, j] for i in (0, 2) for j in (1, 3)):.2f}.",
        bottom + 164,
        parts,
        left=16,
        right=454.3,
    )
