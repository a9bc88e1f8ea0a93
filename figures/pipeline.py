"""The whole of self-attention as one picture, every stage a link to its note.

A reader may zoom through it: ``docs/javascripts/pipeline.js`` goes from the text to the numbers of
one token, through the head, and out to the block and the model around it, and says what each
computes. What is seen only from near, and what lies around the head, is in the drawing, but not
displayed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from figures import pipeline_around as around
from figures import style as st
from figures import touch
from snippets import bank_by_hand as ex
from snippets import bank_stories, trained_decoder
from snippets.decoder import next_token_logits
from snippets.feed_forward import feed_forward
from snippets.multi_head import multi_head_attention
from snippets.softmax import softmax

Q_LANE, K_LANE, V_LANE = 82, 240, 398  # x of the three projections
MATRICES = ("X", "W_Q", "W_K", "W_V", "Q", "K", "V", "S", "alpha", "Z")
Matrix = npt.NDArray[np.float64]
ROW = around.ROW  # the row that is outlined
#: Modules that draw parts of the figure: if one of them changes, it is stale.
PARTS = (around,)
HUES = {"Q": "query", "K": "key", "V": "value", "α": "score"}
SPINE = (Q_LANE + K_LANE) / 2  # where queries and keys have met

LIKELIEST = 3  # next words that are drawn


def data(
    tokens: list[str] = ex.tokens,
    X: Matrix = ex.X,
    W_Q: Matrix = ex.W_Q,
    W_K: Matrix = ex.W_K,
    W_V: Matrix = ex.W_V,
    Q: Matrix = ex.Q,
    K: Matrix = ex.K,
    V: Matrix = ex.V,
    S: Matrix = ex.S,
    alpha: Matrix = ex.alpha,
    Z: Matrix = ex.Z,
) -> dict[str, Any]:
    """Return the tokens and every matrix of the sentence with the river bank.

    With them the row of the token that is followed on its way through the block made by hand, and
    what the trained decoder expects next; these do not depend on the parameters.
    """
    matrices = (X, W_Q, W_K, W_V, Q, K, V, S, alpha, Z)
    read = ex.X + multi_head_attention(ex.X, ex.X, ex.X, ex.heads, ex.h)
    settled = read + feed_forward(read, ex.W_1, ex.b_1, ex.W_2, ex.b_2)
    weights, _ = trained_decoder.load()
    numbers = bank_stories.to_numbers(["<end>", *ex.tokens])
    p = softmax(next_token_logits(weights, numbers, trained_decoder.NUM_HEADS)[-1])
    order = np.argsort(-p, kind="stable")[:LIKELIEST]
    return {
        "tokens": tokens,
        "features": ex.features,
        **dict(zip(MATRICES, matrices, strict=True)),
        "block": np.array([ex.X[ROW], read[ROW], settled[ROW]]),
        "blocks": len(weights.blocks),
        "heads": trained_decoder.NUM_HEADS,
        "next": [bank_stories.VOCABULARY[i] for i in order],
        "p": p[order].round(4),
    }


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
    parts += [_unseen(name, fragments) for name, fragments in _inside(data).items()]
    parts += [_unseen(name, fragments) for name, fragments in around.drawings(data).items()]
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
        left=8,
        right=476.6,
    )
    return touch.touchable(
        "pipeline",
        svg,
        {"steps": story(data)},
        hint=(
            "Zoom from the text to the numbers in each box, and out to the block and "
            "the model around the head. Each step links to its note."
        ),
    )


def story(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Tell what each stop of the zoom shows for the token that is followed, with its numbers.

    A stop has a title, its words, the note that it leads to, the step of the pipeline that it shows
    (0 if all of them), and its place: the middle and the width of what is seen.
    """
    tokens, d_k = data["tokens"], data["K"].shape[1]
    asks = tokens[ROW]
    scores, weights = data["S"][ROW], data["alpha"][ROW]
    exps = np.exp(scores / np.sqrt(d_k))
    found = int(scores.argmax())
    name = tokens[found]
    key, value = _row(data["K"][found]), _row(data["V"][found])
    query = _row(data["Q"][ROW])
    _, read, settled = data["block"]
    water, money = data["features"].index("water"), data["features"].index("money")
    told: list[tuple[str, str, int, tuple[float, float, float], str]] = [
        (
            "Text",
            "From Text to Tokens",
            1,
            (240, 190, 490),
            f"The sentence is cut into {len(tokens)} tokens, here words and a full stop. The token"
            f" that is followed is {asks}: which of its two meanings does it have?",
        ),
        (
            "Token",
            "Input Representation",
            1,
            (168, 52, 188),
            f"Each token is a row of $X$, with {len(data['features'])} numbers. The row of {asks}"
            f" is {_row(data['X'][ROW])}: it has water and money, and it asks. Which meaning is"
            " right is not in it.",
        ),
        (
            "Query",
            "Query Matrix",
            2,
            (Q_LANE, 198, 164),
            f"The matrix $W_Q$ makes a query of each row of $X$. The query of {asks} is {query};"
            " all others are zero, since only a word that asks looks for something.",
        ),
        (
            "Key",
            "Key Matrix",
            2,
            (K_LANE, 198, 164),
            f"The matrix $W_K$ makes a key of each row. The key of {name} is {key}: it can be found"
            " as a place.",
        ),
        (
            "Value",
            "Value Matrix",
            2,
            (V_LANE, 198, 164),
            f"The matrix $W_V$ makes a value of each row: what the token hands over. The value of"
            f" {name} is {value}: water, and no money.",
        ),
        (
            "Scores",
            "Attention Scores",
            3,
            (140, 385, 214),
            f"The query of {asks} meets each key in a dot product. {asks.capitalize()} scores"
            f" {scores[found]:.0f} with {name} and {scores.min():.0f} with every other word.",
        ),
        (
            "Scaling",
            "Importance of dk in Scaling",
            4,
            (238, 514, 320),
            f"Keys have {d_k} numbers, so the scores are divided by the root of {d_k},"
            f" {np.sqrt(d_k):.2f}. The score of {scores[found]:.0f} becomes"
            f" {scores[found] / np.sqrt(d_k):.2f}.",
        ),
        (
            "Softmax",
            "Softmax",
            5,
            (238, 514, 320),
            f"Exponentials, divided by their sum. For {name} the exponential is"
            f" {exps[found]:.1f}, for each other word {exps.min():.0f}; their sum is"
            f" {exps.sum():.1f}.",
        ),
        (
            "Weights",
            "Attention Weights",
            6,
            (140, 635, 214),
            f"The weights of {asks} sum to 1: {weights[found]:.2f} for {name},"
            f" {weights.min():.4f} for each other word.",
        ),
        (
            "Output",
            "Context Vector",
            7,
            (226, 767, 214),
            f"Each value times its weight, added up, is what {asks} has read:"
            f" {_row(data['Z'][ROW])}, water and no money. It is nearly the value of {name},"
            f" {value}.",
        ),
        (
            "Head",
            "One Head by Hand",
            0,
            (240, 411, 1000),
            f"All of this together is one attention head. It does the same for all {len(tokens)}"
            f" tokens at once; only the row of {asks} was followed here.",
        ),
        (
            "Block",
            "Transformer Block",
            0,
            around.BLOCK_VIEW,
            f"A block adds to {asks} what its {ex.h} heads have read: water is now"
            f" {read[water]:.2f}. The feed-forward layer then takes away the meaning that does not"
            f" fit: money falls from {read[money]:.2f} to {settled[money]:.2f}.",
        ),
        (
            "Model",
            "A Decoder, End to End",
            0,
            around.MODEL_VIEW,
            f"A model is a stack of blocks. This decoder has {data['blocks']} blocks of"
            f" {data['heads']} heads, with norms and a causal mask, and has learned its numbers. Of"
            f" the words that may follow, {data['next'][0]} has the largest probability,"
            f" {data['p'][0]:.2f}.",
        ),
    ]
    return [
        {"title": title, "words": words, "note": note, "step": step, "at": at}
        for title, note, step, at, words in told
    ]


def _unseen(name: str, fragments: list[str]) -> str:
    """Group fragments for the script, which displays them when the zoom comes there."""
    return touch.part(name, "\n".join(['<g display="none">', *fragments, "</g>"]))


def _table(
    x: float, y: float, pitch: float, columns: list[tuple[float, list[str]]], **about: Any
) -> list[str]:
    """Write columns, each flush right at its distance from `x`; the first begins there."""
    size = about.pop("size")
    bold = about.pop("bold", ROW)
    assert not about
    return [
        st.text(
            x + dx,
            y + (row + 0.5) * pitch + 0.35 * size,
            words,
            anchor="end" if dx else "start",
            size=size,
            bold=row == bold,
        )
        for dx, column in columns
        for row, words in enumerate(column)
        if words
    ]


def _inside(data: Mapping[str, Any]) -> dict[str, list[str]]:
    """Draw what is seen from near: the numbers of each stage, token by token."""
    tokens = data["tokens"]
    scores, weights = data["S"][ROW], data["alpha"][ROW]
    scaled = scores / np.sqrt(data["K"].shape[1])
    exps, found = np.exp(scaled), int(scores.argmax())
    query, keys, values = data["Q"][ROW], data["K"], data["V"]
    chips: list[str] = []
    x, y = 129.0, 20.0
    for token in tokens:
        width = 15 + 7.6 * len(token)
        if x + width > 468:
            x, y = 129.0, 52.0
        chips += [
            st.rect(x, y, width, 25, cls="vk-input", stroke=1.25),
            st.text(
                x + width / 2,
                y + 17,
                token,
                cls="vk-name",
                anchor="middle",
                bold=token == tokens[ROW],
            ),
        ]
        x += width + 5
    whole = st.text(12, 2, "Input Representation", bold=True, size=12)
    inside = {"inside Text": [whole, st.link("From Text to Tokens", chips)]}
    cell = 68 / len(tokens)
    features = [
        st.text(168 + 21.5 * i, 13, name, anchor="end", size=5.2, cls="vk-muted")
        for i, name in enumerate(data["features"])
    ]
    columns = [[f"{value:.0f}" for value in column] for column in data["X"].T]
    inside["inside Token"] = [
        st.text(84, 3, "Input Representation", bold=True, size=7),
        *features,
        *_table(
            122,
            14,
            cell,
            [(0, tokens), *((46 + 21.5 * i, column) for i, column in enumerate(columns))],
            size=5.2,
        ),
    ]
    looks_for, hands_over = ["place?", "money?"], ["water", "money"]
    for title, matrix, lane, heads in (
        ("Query", "Q", Q_LANE, looks_for),
        ("Key", "K", K_LANE, ["place", "money"]),
        ("Value", "V", V_LANE, hands_over),
    ):
        columns = [
            [f"{value:.0f}".replace("-", "−") for value in column] for column in data[matrix].T
        ]
        inside[f"inside {title}"] = [
            st.text(lane - 72, 155, f"{title} Matrix", bold=True, size=8),
            # Above the box, and right of the arrow that leads into it.
            *_heads(lane - 38, 158, ["", *heads], (0, 64, 88)),
            *_table(
                lane - 38, 166, cell, [(0, tokens), (64, columns[0]), (88, columns[1])], size=5.2
            ),
        ]
    cell = 82 / len(tokens)
    products = [
        " + ".join(f"{q:.0f}·{_signed(k)}" for q, k in zip(query, key, strict=True)) for key in keys
    ]
    inside["inside Scores"] = [
        st.text(92, 336, "Attention Scores", bold=True, size=9),
        *_heads(136, 347, ["", f"query of {tokens[ROW]} · key", "score"], (0, 72, 96)),
        *_table(
            136,
            348,
            cell,
            [(0, tokens), (72, products), (96, [f"= {score:.0f}" for score in scores])],
            size=6,
            bold=found,
        ),
    ]
    inside["inside Scaling"] = _lines(
        ["token", "score", f"÷ √{keys.shape[1]}"],
        [tokens, [f"{v:.0f}" for v in scores], [f"{v:.2f}" for v in scaled]],
        found,
    )
    inside["inside Softmax"] = _lines(
        ["token", "exp", "÷ sum"],
        [
            [*tokens, "sum"],
            [*(f"{v:.1f}" for v in exps), f"{exps.sum():.1f}"],
            [*(f"{v:.4f}" for v in weights), f"{weights.sum():.0f}"],
        ],
        found,
    )
    inside["inside Weights"] = [
        st.text(40, 582, "Attention Weights", bold=True, size=9),
        *_heads(136, 593, ["", "weight"], (0, 48)),
        *_table(
            136, 594, cell, [(0, tokens), (48, [f"{w:.4f}" for w in weights])], size=6, bold=found
        ),
        *(
            st.rect(
                190, 594 + cell * i + 1.5, max(46 * w, 0.4), cell - 3, cls="vk-score", opacity=0.6
            )
            for i, w in enumerate(weights)
        ),
    ]
    parts = [f"{w:.4f} · {_row(v)}" for w, v in zip(weights, values, strict=True)]
    cell = 86 / (len(tokens) + 1)
    inside["inside Output"] = [
        st.text(252, 714, "Context Vector", bold=True, size=9),
        *_heads(158, 718, ["", f"weight · value ({', '.join(hands_over)})"], (0, 90)),
        *_table(
            158,
            724,
            cell,
            [(0, [*tokens, "sum"]), (90, [*parts, _row(data["Z"][ROW])])],
            size=6,
            bold=len(tokens),
        ),
    ]
    return inside


def _heads(x: float, y: float, heads: list[str], across: tuple[float, ...]) -> list[str]:
    """Write the heads of a small table, flush right like its columns."""
    return [
        st.text(x + dx, y, head, anchor="end", size=5, cls="vk-muted")
        for head, dx in zip(heads, across, strict=True)
        if head
    ]


def _signed(value: float) -> str:
    return f"(−{-value:.0f})" if value < 0 else f"{value:.0f}"


def _lines(heads: list[str], columns: list[list[str]], bold: int) -> list[str]:
    """Write a table beside the two operations between scores and weights."""
    x, y, pitch = 250.0, 437.0, 11.6
    across = (0, 82, 138)
    return [
        *(
            st.text(x + dx, y + 7, head, anchor="end" if dx else "start", size=9, cls="vk-muted")
            for dx, head in zip(across, heads, strict=True)
        ),
        *_table(x, y + pitch, pitch, list(zip(across, columns, strict=True)), size=9, bold=bold),
    ]


def _row(values: npt.NDArray[Any]) -> str:
    decimals = 0 if (values == values.round()).all() else 2
    return f"({', '.join(f'{value:.{decimals}f}' for value in values)})"


def _label(x: float, y: float, symbol: str, size: str) -> str:
    """Say what an arrow carries, in the colour of the array."""
    words = f"${symbol}$ {size}" if symbol else size
    hue = next((HUES[letter] for letter in symbol if letter in HUES), "muted")
    return st.text(x, y, words, cls=f"vk-{hue}", size=13.5)


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
        st.text(
            text_x,
            first + leading * (len(names) + i) + 1,
            line,
            cls="vk-muted",
            size=13.5,
            coloured=True,
        )
        for i, line in enumerate(lines)
    ]
    drawing = [
        f'<rect class="vk-{hue} vk-frame" x="{st.num(x)}" y="{st.num(y)}"'
        f' width="{st.num(width)}" height="{st.num(height)}" rx="8"/>',
        st.heat_map(left, top, matrix, hue, (cell, cell), decimals=None, full=0.95, gap=1.5),
        st.outline(left, top + ROW * cell, cell * matrix.shape[1], cell),
        touch.group("words", words),
    ]
    return st.link(note, drawing)


def _step(note: str, x: float, y: float, hue: str, words: str) -> str:
    """Draw an operation as a pill on its arrow."""
    frame = f'<rect class="vk-{hue} vk-frame" x="{st.num(x - 76)}" y="{st.num(y)}" width="152"'
    # Larger than it looks, for a finger.
    target = f'<rect x="{st.num(x - 76)}" y="{st.num(y - 13)}" width="152" height="60"'
    return st.link(
        note,
        [
            f'{target} fill="none" pointer-events="all"/>',
            f'{frame} height="34" rx="17"/>',
            st.text(x, y + 22, words, cls="vk-name", anchor="middle", bold=True),
        ],
    )
