"""The whole of self-attention as one picture, every stage a link to its note."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from figures import style as st
from snippets import pronoun_example as ex

Q_LANE, K_LANE, V_LANE = 82, 240, 398  # x of the three projections
MATRICES = ("X", "W_Q", "W_K", "W_V", "Q", "K", "V", "S", "alpha", "Z")
ROW = ex.tokens.index("she")  # the row that is outlined
SPINE = (Q_LANE + K_LANE) / 2  # where queries and keys have met


def data() -> dict[str, Any]:
    """Return the tokens and every matrix of *Mary saw Tom and she waved*."""
    return {"tokens": ex.tokens, **{name: getattr(ex, name) for name in MATRICES}}


def draw(data: Mapping[str, Any]) -> str:
    """X to Q, K, V to scores to weights to context vectors, with the shapes on the arrows."""
    size = {name: f"{m.shape[0]} × {m.shape[1]}" for name, m in data.items() if name in MATRICES}
    K_T = f"{data['K'].shape[1]} × {data['K'].shape[0]}"
    lanes = ((Q_LANE, "Q", "query"), (K_LANE, "K", "key"), (V_LANE, "V", "value"))
    parts = [
        st.path(f"M240 88V116M{Q_LANE} 116H{V_LANE}", cls="input", width=1.5),
        _label(250, 107, "X", size["X"]),
    ]
    for x, which, hue in lanes:
        parts += [
            st.arrow([(x, 116), (x, 160)], hue),
            _label(x + 10, 142, f"W_{which}", size[f"W_{which}"]),
        ]
    parts += [
        st.arrow([(Q_LANE, 240), (Q_LANE, 342)], "query"),
        _label(Q_LANE + 10, 260, "Q", size["Q"]),
        st.arrow([(K_LANE, 240), (K_LANE, 270)], "key"),
        _label(K_LANE + 10, 260, "K", size["K"]),
        st.arrow([(K_LANE, 304), (K_LANE, 342)], "key"),
        _label(K_LANE + 10, 326, "K^T", K_T),
        st.arrow([(V_LANE, 240), (V_LANE, 720)], "value"),
        _label(V_LANE + 10, 260, "V", size["V"]),
    ]
    for top, bottom in ((436, 464), (498, 526), (560, 588)):
        parts += [
            st.arrow([(SPINE, top), (SPINE, bottom)], "score"),
            _label(SPINE + 10, top + 18, "", size["S"]),
        ]
    parts += [
        st.arrow([(SPINE, 682), (SPINE, 720)], "score"),
        _label(SPINE + 10, 703, "α", size["alpha"]),
        _label(V_LANE + 10, 703, "V", size["V"]),
        _stage(
            "Input Representation",
            (8, 8, 464, 80),
            "input",
            data["X"],
            [" ".join(data["tokens"]), "outlined: the row of she"],
            indent=124,
        ),
    ]
    for x, which, hue in lanes:
        note = f"{hue.capitalize()} Matrix"
        formula = f"${which}$ = $XW_{which}$"
        parts.append(_stage(note, (x - 74, 160, 148, 80), hue, data[which], [formula], split=True))
    parts += [
        _step("Key Transpose", K_LANE, 270, "key", "Key Transpose"),
        _stage("Attention Scores", (8, 342, 306, 94), "score", data["S"], ["$QK^T$"], indent=36),
        _step("Importance of dk in Scaling", SPINE, 464, "score", r"Scaling ÷ $\sqrt{d_k}$"),
        _step("Softmax", SPINE, 526, "score", "Softmax"),
        _stage(
            "Attention Weights",
            (8, 588, 306, 94),
            "score",
            data["alpha"],
            ["each row sums to 1"],
            indent=36,
        ),
        _stage(
            "Context Vector",
            (8, 720, 464, 94),
            "value",
            data["Z"],
            [f"$Z$ = $αV$, {size['Z']}"],
            indent=124,
        ),
    ]
    return st.figure_svg(
        "pipeline",
        "Self-attention, step by step",
        "The input X is projected to queries, keys and values. Queries times transposed keys"
        " give scores; divided by the root of d_k and put through softmax they are weights;"
        " weights times values are the context vectors. Small heat maps show Mary saw Tom"
        " and she waved, the row of she outlined. Every stage links to its note.",
        822,
        parts,
        extra_style=st.LINKS,
        role="group",
    )


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
    cell = (height - 16) / len(matrix) if split else 11
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
