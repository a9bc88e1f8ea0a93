"""Vectors of two numbers as points and arrows in a plane, one unit as long as the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from figures import style as st
from snippets import bank_by_hand as hand
from snippets import pronoun_example as mary
from snippets.positional_encoding import sinusoidal_positions
from snippets.softmax import softmax


class Plane(NamedTuple):
    """Where the origin is on the page, how long a unit is, and how far the axes reach."""

    left: float
    bottom: float
    unit: float
    across: float
    up: float

    def place(self, v: Any) -> tuple[float, float]:
        """Return where a vector ends on the page."""
        return self.left + self.unit * float(v[0]), self.bottom - self.unit * float(v[1])

    def axes(
        self, names: tuple[str, str], ticks: tuple[float, ...], below: float = 38
    ) -> list[str]:
        """Draw both axes with their names and numbers."""
        right, top = self.place((self.across, self.up))
        numbers: dict[str, Any] = {"cls": "vk-muted", "size": 13}
        return [
            st.path(f"M{st.num(self.left)} {st.num(top)}V{st.num(self.bottom)}H{st.num(right)}"),
            st.text(right, self.bottom + below, f"{names[0]} →", anchor="end", size=st.SMALL),
            st.text(self.left - 8, top - 14, f"↑ {names[1]}", size=st.SMALL),
            *(
                st.text(
                    self.place((t, 0))[0], self.bottom + 20, f"{t:g}", anchor="middle", **numbers
                )
                for t in ticks
                if t <= self.across
            ),
            *(
                st.text(self.left - 9, self.place((0, t))[1] + 5, f"{t:g}", anchor="end", **numbers)
                for t in ticks
                if 0 < t <= self.up
            ),
        ]

    def arrow(self, start: Any, end: Any, hue: str, width: float = 2.5) -> str:
        """Draw an arrow between the ends of two vectors."""
        return st.arrow([self.place(start), self.place(end)], hue, width)

    def level(self, normal: Any, value: float) -> list[tuple[float, float]]:
        """Return where the line of all vectors with this product meets the edges of the plane."""
        a, b = map(float, normal)
        found = []
        for x, y in (
            *((x, (value - a * x) / b) for x in (0.0, self.across) if b),
            *(((value - b * y) / a, y) for y in (0.0, self.up) if a),
        ):
            inside = -1e-9 <= x <= self.across + 1e-9 and -1e-9 <= y <= self.up + 1e-9
            if inside and (x, y) not in found:
                found.append((x, y))
        return [self.place(point) for point in found[:2]]


def _pair(v: Any, decimals: int = 2) -> str:
    return f"({v[0]:.{decimals}f}, {v[1]:.{decimals}f})".replace("-", "−")


def keys_data(
    tokens: Any = hand.tokens, Q: Any = hand.Q, K: Any = hand.K, BANK: int = hand.BANK
) -> dict[str, Any]:
    """Return the query of bank, the keys of three words, a longer key, and their scores."""
    river = K[tokens.index("river")]
    keys = np.array([K[BANK], river, 3 * river])
    return {"query": Q[BANK], "keys": keys, "scores": keys @ Q[BANK]}


def draw_keys(data: Mapping[str, Any]) -> str:
    """Draw keys as points, and across the direction of the query the lines of equal score."""
    q, keys, scores = data["query"], data["keys"], data["scores"]
    plane = Plane(44, 290, 134, 3.26, 1.9)
    length = float(np.linalg.norm(q))
    parts = plane.axes(("place?", "money?"), (0, 1, 2, 3), below=64)
    for level in np.linspace(0, scores.max(), 4)[1:] if scores.max() > 0 else ():
        ends = plane.level(q, float(level))
        if len(ends) == 2:
            x, y = min(ends, key=lambda end: end[1])
            parts += [
                st.path(st.polyline(ends), cls="score", width=1, more=' stroke-dasharray="3 4"'),
                st.text(x + 12, y + 6, f"score {level:.0f}", cls="vk-score", size=st.SMALL),
            ]
    if length:
        tip = 1.5 * q / length
        x, y = plane.place(tip)
        parts += [
            plane.arrow((0, 0), tip, "query"),
            st.text(x + 9, y + 8, "$q$ of bank", cls="vk-query"),
        ]
    named = (("bank", "start", -8), ("river", "middle", 0), ("three times river", "end", 30))
    for key, score, (words, anchor, dx) in zip(keys, scores, named, strict=True):
        x, y = plane.place(key)
        parts += [
            st.dot(x, y, 6, "key"),
            st.text(
                x + dx, y + 41, f"{words}: {score:.0f}", anchor=anchor, cls="vk-key", bold=True
            ),
        ]
    return st.figure_svg(
        "key-plane",
        "Keys in the plane of a query",
        f"The query of bank, {_pair(q, 0)}, as a direction in a plane. Keys as points: that of bank"
        f" at the origin has the score {scores[0]:.0f}, that of river {scores[1]:.0f}, a key three"
        f" times as long {scores[2]:.0f}. Keys on one dashed line have one score.",
        plane.bottom + 72,
        parts,
        left=28,
        right=483,
    )


TEXT = """the river bank was green
the boat left the river bank
fish rest near the bank of the river
the bank lends money
a bank keeps money safe
she took money from the bank
the boat crossed the river
he lends money"""
SENTENCES = [line.split() for line in TEXT.splitlines()]


def meanings_data(sentences: Any = SENTENCES) -> dict[str, Any]:
    """Return how often some words share a sentence with river and with money."""

    def counts(word: str, chosen: Any) -> list[int]:
        return [
            sum(
                sentence.count(word) * sentence.count(other)
                for sentence in chosen
                if word in sentence
            )
            for other in ("river", "money")
        ]

    by_river = [sentence for sentence in sentences if "river" in sentence]
    by_money = [sentence for sentence in sentences if "money" in sentence]
    return {
        "words": np.array([counts(word, sentences) for word in ("boat", "fish", "lends", "she")]),
        "parts": np.array([counts("bank", by_river), counts("bank", by_money)]),
        "bank": np.array(counts("bank", sentences)),
    }


def draw_meanings(data: Mapping[str, Any]) -> str:
    """Draw the counts of both meanings as arrows, and the row of the table as their sum."""
    plane, (river, money), bank = Plane(48, 336, 84, 4.9, 3.5), data["parts"], data["bank"]
    boat, fish, lends, she = data["words"]
    x, y = plane.place(bank)
    parts = [
        *plane.axes(("count with river", "count with money"), (0, 1, 2, 3, 4)),
        *(
            st.path(
                st.polyline([plane.place(part), (x, y)]),
                cls="muted",
                more=' stroke-dasharray="4 4"',
            )
            for part in (river, money)
        ),
        plane.arrow((0, 0), river, "input"),
        plane.arrow((0, 0), money, "input"),
        plane.arrow((0, 0), bank, "fg", 3),
        st.text(x + 12, y + 2, "the one row of bank", bold=True),
        st.text(x + 12, y + 22, _pair(bank, 0), cls="vk-muted"),
        st.text(*_beside(plane, river, 12, -10), "bank by a river", cls="vk-input"),
        st.text(*_beside(plane, money, 12, -8), "bank with money", cls="vk-input"),
    ]
    for v, word, dx, dy in (
        (boat, "boat", -6, -12),
        (fish, "fish", -6, -12),
        (lends, "lends", 12, 5),
        (she, "she", 12, 5),
    ):
        parts += [
            st.dot(*plane.place(v), 4.5, "muted"),
            st.text(*_beside(plane, v, dx, dy), word, cls="vk-muted", size=st.SMALL),
        ]
    return st.figure_svg(
        "two-meanings",
        "One row, the sum of two meanings",
        f"Counts with river across, with money up. The sentences about rivers put bank at"
        f" {_pair(river, 0)}, those about money at {_pair(money, 0)}; its row in the table is the"
        f" sum, {_pair(bank, 0)}, half-way between. Other words lie on one of the two axes.",
        plane.bottom + 46,
        parts,
        left=31.5,
        right=463,
    )


def _beside(plane: Plane, v: Any, dx: float, dy: float) -> tuple[float, float]:
    x, y = plane.place(v)
    return x + dx, y + dy


_OTHER = hand.embed("Mia and Tom lend the money . the bank is")
_BANK = hand.X[hand.BANK]
MOVED = [softmax(words @ _BANK) @ words for words in (hand.X, _OTHER)]


def moved_data(
    x_bank: Any = _BANK,
    z_bank: Any = MOVED[0],
    z_2: Any = MOVED[1],
) -> dict[str, Any]:
    """Return water and money of bank in the table, and after reading either sentence."""
    return {"before": x_bank[1:3], "river": z_bank[1:3], "money": z_2[1:3]}


def draw_moved(data: Mapping[str, Any]) -> str:
    """Draw the vector of bank before, and where each sentence moves it."""
    plane = Plane(52, 372, 300, 1.42, 1.12)
    before, river, money = data["before"], data["river"], data["money"]
    parts = [
        *plane.axes(("water", "money"), (0, 0.5, 1)),
        st.path(
            st.polyline([plane.place((0, 0)), plane.place((1.1, 1.1))]),
            cls="line",
            more=' stroke-dasharray="4 4"',
        ),
        st.text(*_beside(plane, (0.33, 0.33), 12, 6), "as much water as money", cls="vk-muted"),
        plane.arrow(before, river, "value"),
        plane.arrow(before, money, "value"),
        st.dot(*plane.place(before), 7, "fg"),
        st.text(*_beside(plane, before, 14, -2), "bank in the table", bold=True),
        st.text(*_beside(plane, before, 14, 18), _pair(before, 0), cls="vk-muted"),
        st.text(*_beside(plane, river, 14, 8), "in the river sentence", cls="vk-value"),
        st.text(*_beside(plane, river, 14, 28), _pair(river), cls="vk-muted"),
        st.text(
            *_beside(plane, money, -14, -6), "in the money sentence", cls="vk-value", anchor="end"
        ),
        st.text(*_beside(plane, money, -14, 14), _pair(money), cls="vk-muted", anchor="end"),
    ]
    return st.figure_svg(
        "bank-moves",
        "How far naive attention moves bank",
        f"Water across, money up. The row of bank in the table is {_pair(before, 0)}; the river"
        f" sentence moves it to {_pair(river)}, the money sentence to {_pair(money)}, on either"
        " side of the line of equal parts.",
        plane.bottom + 46,
        parts,
        left=26.5,
        right=490,
    )


def _row_and_position() -> tuple[Any, Any]:
    row = np.random.default_rng(0).standard_normal(512) / np.sqrt(512)
    return row, sinusoidal_positions(8, 512)[7]


ROW, POSITION = _row_and_position()


def added_data(
    row: Any = ROW, position: Any = POSITION, root: float = np.sqrt(512)
) -> dict[str, Any]:
    """Return a row and a position in the plane that both lie in, and the factor of the row."""
    length, other = np.linalg.norm(row), np.linalg.norm(position)
    cosine = row @ position / length / other
    up = other * np.array([cosine, np.sqrt(1 - cosine**2)])
    return {"row": np.array([length, 0.0]), "position": up, "factor": float(root)}


def draw_added(data: Mapping[str, Any]) -> str:
    """Draw a short row and a long position added, and the same with the row multiplied."""
    position, parts = data["position"], []
    for left, factor, words in (
        (72.0, 1.0, "row as it is"),
        (258.0, data["factor"], "row multiplied"),
    ):
        plane = Plane(left, 200, 8.8, 24, 17)
        row = factor * data["row"]
        total = row + position
        cosines = [
            float(total @ v / np.linalg.norm(total) / np.linalg.norm(v)) for v in (row, position)
        ]
        parts += [
            st.text(left - 34, 24, words, bold=True),
            st.path(
                st.polyline([plane.place(row), plane.place(total), plane.place(position)]),
                cls="muted",
                more=' stroke-dasharray="4 4"',
            ),
            plane.arrow((0, 0), position, "muted", 3.5),
            plane.arrow((0, 0), row, "input", 3.5),
            plane.arrow((0, 0), total, "fg", 2),
            st.text(*_beside(plane, row / 2, 0, 22), "row", cls="vk-input", anchor="middle"),
            st.text(*_beside(plane, position / 2, -8, 4), "position", cls="vk-muted", anchor="end"),
            st.text(*_beside(plane, total, 8, -6), "sum"),
            st.text(
                left - 34,
                plane.bottom + 52,
                f"cosine with the row {cosines[0]:.2f},",
                cls="vk-muted",
                size=st.SMALL,
            ),
            st.text(
                left - 34,
                plane.bottom + 72,
                f"with the position {cosines[1]:.2f}",
                cls="vk-muted",
                size=st.SMALL,
            ),
        ]
    return st.figure_svg(
        "row-plus-position",
        "A row and a position, added",
        f"A row of length {data['row'][0]:.2f} and a position of length"
        f" {np.linalg.norm(position):.2f}, nearly at right angles. Their sum has almost the"
        f" direction of the position; with the row multiplied by {data['factor']:.2f}, it lies"
        " nearer to the row.",
        284,
        parts,
        left=8,
        right=499,
    )


def pronoun_data(tokens: Any = mary.tokens, Q: Any = mary.Q, K: Any = mary.K) -> dict[str, Any]:
    """Return the query of she, and the keys of three words with their scores."""
    she = tokens.index("she")
    words = ["Mary", "Tom", "she"]
    keys = np.array([K[tokens.index(word)] for word in words])
    return {"words": words, "query": Q[she], "keys": keys, "scores": keys @ Q[she]}


def draw_pronoun(data: Mapping[str, Any]) -> str:
    """Draw keys in all four quarters, and the lines of equal score across the query of she."""
    q, keys, scores, unit = data["query"], data["keys"], data["scores"], 104.0
    plane = Plane(240, 206, unit, 2.2, 1.7)
    length = float(np.linalg.norm(q)) or 1.0
    along, across = q / length, np.array([-q[1], q[0]]) / length
    left, right, top, bottom = 12.0, 468.0, 34.0, 378.0
    parts = [
        st.path(f"M{left} {plane.bottom}H{right}M{plane.left} {top}V{bottom}"),
        st.text(right, plane.bottom + 22, "a name →", anchor="end", size=st.SMALL),
        st.text(plane.left - 10, top + 4, "↑ female", anchor="end", size=st.SMALL),
        st.text(plane.left - 10, bottom, "↓ male", anchor="end", size=st.SMALL),
        st.text(left, plane.bottom + 22, "← a pronoun", size=st.SMALL),
    ]
    for level in sorted({float(score) for score in scores}):
        foot = along * level / length
        # The name of a line is at an end that is clear of the points.
        reaches, named = ((-1.2, 0.9), 1) if level else ((-1.8, 1.6), 0)
        ends = [plane.place(foot + reach * across) for reach in reaches]
        parts += [
            st.path(st.polyline(ends), cls="score", width=1, more=' stroke-dasharray="3 4"'),
            st.text(
                ends[named][0] + 8,
                ends[named][1] + 2,
                f"score {level:.0f}".replace("-", "−"),
                cls="vk-score",
                size=st.SMALL,
            ),
        ]
    tip = 0.72 * along
    parts += [
        plane.arrow((0, 0), tip, "query", 3),
        st.text(*_beside(plane, tip, -8, -10), "$q$ of she", cls="vk-query", anchor="end"),
    ]
    for word, key in zip(data["words"], keys, strict=True):
        end = word == "she"
        parts += [
            st.dot(*plane.place(key), 6, "key"),
            st.text(
                *_beside(plane, key, -12 if end else 12, -8),
                word,
                anchor="end" if end else "start",
                cls="vk-key",
                bold=True,
            ),
            st.text(
                *_beside(plane, key, -12 if end else 12, 11),
                _pair(key, 0),
                anchor="end" if end else "start",
                cls="vk-muted",
                size=st.SMALL,
            ),
        ]
    said = ", ".join(
        f"{word} {_pair(key, 0)} with the score {score:.0f}".replace("-", "−")
        for word, key, score in zip(data["words"], keys, scores, strict=True)
    )
    return st.figure_svg(
        "pronoun-plane",
        "Keys of a name and a pronoun",
        f"The query of she, {_pair(q, 0)}, as a direction. Keys as points: {said}.",
        bottom + 10,
        parts,
        left=left,
        right=right,
    )
