"""The whole of self-attention as one picture, every stage a link to its note.

A reader may go through it in steps: ``docs/javascripts/pipeline.js`` brings out what each one
computes, and says what that is for one token, in the words below.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from figures import style as st
from figures import touch
from snippets import bank_by_hand as ex

Q_LANE, K_LANE, V_LANE = 82, 240, 398  # x of the three projections
MATRICES = ("X", "W_Q", "W_K", "W_V", "Q", "K", "V", "S", "alpha", "Z")
ROW = ex.BANK  # the row that is outlined
SPINE = (Q_LANE + K_LANE) / 2  # where queries and keys have met


def data() -> dict[str, Any]:
    """Return the tokens and every matrix of the sentence with the river bank."""
    return {"tokens": ex.tokens, **{name: getattr(ex, name) for name in MATRICES}}


def draw(data: Mapping[str, Any]) -> str:
    """X to Q, K, V to scores to weights to context vectors, with the shapes on the arrows."""
    size = {name: f"{m.shape[0]} × {m.shape[1]}" for name, m in data.items() if name in MATRICES}
    K_T = f"{data['K'].shape[1]} × {data['K'].shape[0]}"
    lanes = ((Q_LANE, "Q", "query"), (K_LANE, "K", "key"), (V_LANE, "V", "value"))
    steps: list[list[str]] = [[] for _ in range(7)]
    given, projected, scored, scaled, softened, weighted, mixed = steps
    given += [
        st.path(f"M240 88V116M{Q_LANE} 116H{V_LANE}", cls="input", width=1.5),
        _label(250, 107, "X", size["X"]),
        _stage(
            "Input Representation",
            (8, 8, 464, 80),
            "input",
            data["X"],
            [f"“{' '.join(data['tokens'])}”", "The row of bank is outlined."],
            indent=76,
        ),
    ]
    for x, which, hue in lanes:
        note = f"{hue.capitalize()} Matrix"
        formula = f"${which}$ = $XW_{which}$"
        projected += [
            st.arrow([(x, 116), (x, 160)], hue),
            _label(x + 10, 142, f"W_{which}", size[f"W_{which}"]),
            _stage(note, (x - 74, 160, 148, 80), hue, data[which], [formula], split=True),
        ]
    scored += [
        st.arrow([(Q_LANE, 240), (Q_LANE, 342)], "query"),
        _label(Q_LANE + 10, 260, "Q", size["Q"]),
        st.arrow([(K_LANE, 240), (K_LANE, 270)], "key"),
        _label(K_LANE + 10, 260, "K", size["K"]),
        st.arrow([(K_LANE, 304), (K_LANE, 342)], "key"),
        _label(K_LANE + 10, 326, "K^T", K_T),
        _step("The Equation Taken Apart", K_LANE, 270, "key", "Key Transpose"),
        _stage("Attention Scores", (8, 342, 306, 94), "score", data["S"], ["$QK^T$"], indent=36),
    ]
    for step, (top, bottom) in zip(steps[3:6], ((436, 464), (498, 526), (560, 588)), strict=True):
        step += [
            st.arrow([(SPINE, top), (SPINE, bottom)], "score"),
            _label(SPINE + 10, top + 18, "", size["S"]),
        ]
    scaled.append(
        _step("Importance of dk in Scaling", SPINE, 464, "score", r"Scaling ÷ $\sqrt{d_k}$")
    )
    softened.append(_step("Softmax", SPINE, 526, "score", "Softmax"))
    weighted.append(
        _stage(
            "Attention Weights",
            (8, 588, 306, 94),
            "score",
            data["alpha"],
            ["each row sums to 1"],
            indent=36,
        )
    )
    mixed += [
        st.arrow([(V_LANE, 240), (V_LANE, 720)], "value"),
        _label(V_LANE + 10, 260, "V", size["V"]),
        st.arrow([(SPINE, 682), (SPINE, 720)], "score"),
        _label(SPINE + 10, 703, "α", size["alpha"]),
        _label(V_LANE + 10, 703, "V", size["V"]),
        _stage(
            "Context Vector",
            (8, 720, 464, 94),
            "value",
            data["Z"],
            [f"$Z$ = $αV$, {size['Z']}"],
            indent=124,
        ),
    ]
    parts = [
        touch.part(f"step {number}", "\n".join(["<g>", *fragments, "</g>"]))
        for number, fragments in enumerate(steps, 1)
    ]
    svg = st.figure_svg(
        "pipeline",
        "Self-attention, step by step",
        "The input X is projected to queries, keys and values. Queries times transposed keys"
        " give scores; divided by the root of d_k and put through softmax they are weights;"
        " weights times values are the context vectors. Small heat maps show the sentence Mia and"
        " Tom wade in the river, the bank is, with the row of bank outlined. Every stage links to"
        " its note.",
        822,
        parts,
        extra_style=st.LINKS,
        role="group",
    )
    return touch.touchable("pipeline", svg, {"steps": story(data)})


def story(data: Mapping[str, Any]) -> list[dict[str, str]]:
    """Tell what each step computes for the token that is followed, with its numbers."""
    tokens, d_k = data["tokens"], data["K"].shape[1]
    asks = tokens[ROW]
    scores, weights = data["S"][ROW], data["alpha"][ROW]
    exps = np.exp(scores / np.sqrt(d_k))
    found = int(scores.argmax())
    name = tokens[found]
    key, value = _row(data["K"][found]), _row(data["V"][found])
    told = (
        (
            "Input",
            f"Each of the {len(tokens)} words is a row of $X$. The row of {asks} is"
            f" {_row(data['X'][ROW])}: water, money, and that it asks. Which of the two is meant is"
            " not in it.",
        ),
        (
            "Queries, keys and values",
            f"Three matrices make three vectors of each row. The query of {asks} is"
            f" {_row(data['Q'][ROW])}; the key of {name} is {key}, its value {value}.",
        ),
        (
            "Scores",
            f"Each query meets each key in a dot product. {asks.capitalize()} scores"
            f" {scores[found]:.0f} with {name} and {scores.min():.0f} with every other word.",
        ),
        (
            "Scaling",
            f"Keys have {d_k} numbers, so the scores are divided by the root of {d_k},"
            f" {np.sqrt(d_k):.2f}. The score of {scores[found]:.0f} becomes"
            f" {scores[found] / np.sqrt(d_k):.2f}.",
        ),
        (
            "Softmax",
            f"Exponentials, divided by their sum. For {name} the exponential is"
            f" {exps[found]:.1f}, for each other word {exps.min():.0f}; their sum is"
            f" {exps.sum():.1f}.",
        ),
        (
            "Weights",
            f"The weights of {asks} sum to 1: {weights[found]:.2f} for {name},"
            f" {weights.min():.4f} for each other word.",
        ),
        (
            "Context vectors",
            f"Each value times its weight, added up, is what {asks} has read:"
            f" {_row(data['Z'][ROW])}, water and no money. It is nearly the value of {name},"
            f" {value}.",
        ),
    )
    return [{"title": title, "words": words} for title, words in told]


def _row(values: npt.NDArray[Any]) -> str:
    decimals = 0 if (values == values.round()).all() else 2
    return f"({', '.join(f'{value:.{decimals}f}' for value in values)})"


def _label(x: float, y: float, symbol: str, size: str) -> str:
    """Say what an arrow carries."""
    words = f"${symbol}$ {size}" if symbol else size
    return st.text(x, y, words, cls="vk-muted", size=13.5)


def _stage(
    note: str,
    box: tuple[float, float, float, float],
    hue: str,
    matrix: npt.NDArray[Any],
    lines: list[str],
    *,
    split: bool = False,
    indent: float = 16,
) -> str:
    """Draw a matrix, its name and a line about it on a card that links to its note."""
    x, y, width, height = box
    cell = (height - 12) / len(matrix)
    left, top = x + indent - 4 * split, y + (height - cell * len(matrix)) / 2
    text_x = left + cell * matrix.shape[1] + 14 - 2 * split
    names = note.split() if split else [note]
    leading, middle = 20, y + height / 2
    first = middle + 5 - leading * (len(names) + len(lines) - 1) / 2
    words = [
        st.text(text_x, first + leading * i, name, cls="vk-name", bold=True)
        for i, name in enumerate(names)
    ] + [
        st.text(text_x, first + leading * (len(names) + i) + 1, line, cls="vk-muted", size=13.5)
        for i, line in enumerate(lines)
    ]
    drawing = [
        f'<rect class="vk-{hue} vk-frame" x="{st.num(x)}" y="{st.num(y)}"'
        f' width="{st.num(width)}" height="{st.num(height)}" rx="8"/>',
        st.heat_map(left, top, matrix, hue, (cell, cell), decimals=None, full=0.95, gap=1.5),
        st.outline(left, top + ROW * cell, cell * matrix.shape[1], cell),
        *words,
    ]
    return st.link(note, drawing)


def _step(note: str, x: float, y: float, hue: str, words: str) -> str:
    """Draw an operation as a pill on its arrow."""
    frame = f'<rect class="vk-{hue} vk-frame" x="{st.num(x - 76)}" y="{st.num(y)}" width="152"'
    return st.link(
        note,
        [
            f'{frame} height="34" rx="17"/>',
            st.text(x, y + 22, words, cls="vk-name", anchor="middle", bold=True),
        ],
    )
