"""One word's row, step by step: through one head, and from two heads back to a word's vector."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import matrices
from figures import style as st
from snippets import bank_by_hand as hand

#: What else decides how these figures look.
PARTS = (matrices,)

EDGE, LEFT, CELL = 66, 96, (31.0, 27.0)  # where labels end, columns begin; one number


def columns_data(
    tokens: Any = hand.tokens,
    bank: int = hand.BANK,
    Q: Any = hand.Q,
    K: Any = hand.K,
    V: Any = hand.V,
    S: Any = hand.S,
    scaled_scores: Any = hand.scaled_scores,
    alpha: Any = hand.alpha,
    Z: Any = hand.Z,
) -> dict[str, Any]:
    """Return the query of bank, each step of its row, the values, and its context vector."""
    return {
        "tokens": tokens,
        "bank": bank,
        "query": Q[bank],
        "keys": K.T,
        "score": S[bank],
        "scaled": scaled_scores[bank],
        "exp": np.exp(scaled_scores[bank]),
        "weight": alpha[bank],
        "values": V.T,
        "z": Z[bank],
    }


def _numbers(
    x: float, y: float, rows: Any, hue: str, decimals: int, cell: tuple[float, float] = CELL
) -> str:
    """Draw rows of numbers as a map; zeros and ones are written without decimals."""
    words = [
        f'<text x="{st.num(x + (j + 0.5) * cell[0])}" y="{st.num(y + (i + 0.5) * cell[1] + 5)}">'
        f"{f'{value:.{0 if value in (0, 1) else decimals}f}'.replace('-', '−')}</text>"
        for (i, j), value in np.ndenumerate(rows)
    ]
    return "".join(
        [
            st.heat_map(x, y, rows, hue, cell, decimals=None),
            f'<g text-anchor="middle" font-size="{st.SMALL}">',
            *words,
            "</g>",
        ]
    )


def draw_columns(data: Mapping[str, Any]) -> str:
    """Draw a column for each word: its key, its score, its weight, its value."""
    tokens, n = data["tokens"], len(data["tokens"])
    right, largest = LEFT + n * CELL[0], int(data["weight"].argmax())
    keys, first, values = 62.0, 130.0, 290.0
    bottom = values + 2 * CELL[1]
    steps = (
        ("score", "score", 0),
        ("scaled", r"÷ $\sqrt{d_k}$", 2),
        ("exp", "exp", 0),
        ("weight", f"÷ {data['exp'].sum():.0f}", 2),
    )
    parts = [
        *(
            matrices.slanted(LEFT + (j + 0.5) * CELL[0] - 2, keys - 8, token)
            for j, token in enumerate(tokens)
        ),
        st.text(EDGE, keys - 10, "key", anchor="end", cls="vk-key"),
        st.text(EDGE + 16, keys - 10, "$q$", anchor="middle", cls="vk-query", size=18),
        _numbers(EDGE + 4, keys, data["query"][:, None], "query", 0, (24, CELL[1])),
        _numbers(LEFT, keys, data["keys"], "key", 0),
        st.text(EDGE, values - 10, "value", anchor="end", cls="vk-value"),
        _numbers(LEFT, values, data["values"], "value", 0),
        st.text(right + 28, values - 12, "$z$", anchor="middle", size=18),
        _numbers(right + 8, values, data["z"][:, None], "value", 2, (40, CELL[1])),
        st.outline(right + 8, values, 40, 2 * CELL[1]),
        st.outline(LEFT + largest * CELL[0], keys, CELL[0], bottom - keys),
    ]
    for top, names in ((keys, ("place?", "money?")), (values, ("water", "money"))):
        parts.append(st.tokens_down(EDGE, top, names, CELL[1], marked=None))
    for i, (name, words, decimals) in enumerate(steps):
        y = first + i * (CELL[1] + 6)
        parts += [
            st.text(EDGE, y + CELL[1] / 2 + 5, words, anchor="end"),
            _numbers(LEFT, y, data[name][None], "score", decimals),
        ]
    q = st.listed(data["query"], 0)
    return st.figure_svg(
        "bank-by-columns",
        "One head, a column for each word",
        f"The query of {tokens[data['bank']]}, ({q}), above a column for each word. In the column"
        f" of {tokens[largest]} the score is {data['score'][largest]:.0f}, its exponential"
        f" {data['exp'][largest]:.0f} and its weight {data['weight'][largest]:.2f}. The values in"
        f" these shares add up to ({st.listed(data['z'])}).",
        bottom + 8,
        parts,
        left=11,
        right=right + 49,
    )


def received_data(
    tokens: Any = hand.tokens,
    features: Any = hand.features,
    X: Any = hand.X,
    V: Any = hand.V,
    alpha: Any = hand.alpha,
) -> dict[str, Any]:
    """Return what bank and is receive: a mean of the values, and a mean of the inputs."""
    rows = [tokens.index("bank"), tokens.index("is")]
    return {
        "words": ["bank", "is"],
        "features": features,
        "values": (alpha @ V)[rows],
        "inputs": (alpha @ X)[rows],
    }


def draw_received(data: Mapping[str, Any]) -> str:
    """Draw both means below the names of the features, the values where their names are."""
    features, cell, left = data["features"], (72.0, 36.0), 116.0
    columns = [features.index("water"), features.index("money")]
    parts = [
        st.text(left + (j + 0.5) * cell[0], 24, name, anchor="middle", cls="vk-muted")
        for j, name in enumerate(features)
    ]
    for i, word in enumerate(data["words"]):
        top = 40 + 98 * i
        parts += [
            st.text(12, top + cell[1] + 5, word, bold=True),
            st.text(left - 12, top + 22, "values", anchor="end", cls="vk-value"),
            _numbers(left + cell[0] * columns[0], top, data["values"][i][None], "value", 2, cell),
            st.text(left - 12, top + 22 + cell[1], "inputs", anchor="end", cls="vk-input"),
            _numbers(left, top + cell[1], data["inputs"][i][None], "input", 2, cell),
        ]
    bank, last = data["inputs"]
    return st.figure_svg(
        "values-or-inputs",
        "What is received: values, or inputs",
        f"Means with the weights of bank and of is. Of the values bank receives"
        f" {st.listed(data['values'][0])}, water and money; of the inputs {st.listed(bank)}, one"
        f" number for each of {', '.join(features)}. Of the inputs, is receives {st.listed(last)}.",
        40 + 98 + 2 * cell[1] + 8,
        parts,
        left=12,
        right=left + cell[0] * len(features),
    )
