"""A head that learns: its loss, where it reads, what its matrices hold; how far a gradient gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from figures import signs
from figures import style as st
from figures.touch import part, touchable
from snippets import trained_head
from snippets.attention import attention_scores, attention_weights
from snippets.backward import scaled_dot_product_attention_backward, softmax_backward
from snippets.projection import project
from snippets.recall_head import answer_scores
from snippets.recall_task import encode
from snippets.softmax import softmax

LEFT, RIGHT, TOP, FLOOR = 40, 452, 44, 194  # the plot of a loss
PEAK = 2.5  # the loss at its top
ROW = 16  # height of a row in the maps of matrices


def learning_data() -> dict[str, Any]:
    """Return the loss of each step, and the last token's weights before and after."""
    before, after, losses = trained_head.load()
    data: dict[str, Any] = {"tokens": trained_head.tokens, "losses": losses.round(4)}
    for name, W in (("before", before), ("after", after)):
        q, K = project(trained_head.X[-1:], W.W_Q), project(trained_head.X, W.W_K)
        scale = float(1 / np.sqrt(K.shape[1]))
        data[name] = attention_weights(attention_scores(q, K), scale=scale)[0].round(6)
    return data


def draw_learning(data: Mapping[str, Any]) -> str:
    """Draw the loss, and the bars of the weights before and after."""
    losses, tokens = data["losses"], data["tokens"]
    parts = [*_loss_axes(len(losses)), st.path(_curve(losses), cls="fg", width=1.75)]
    y = FLOOR + 64
    parts.append(st.text(LEFT - 28, y, f"what the last token, {tokens[-1]}, reads", size=16))
    for left, name in ((64, "before"), (276, "after")):
        parts += [
            st.text(left, y + 28, f"{name} training", cls="vk-muted", size=st.SMALL),
            st.tokens_down(left - 10, y + 38, tokens, 26, marked=None),
            st.bars(left, y + 38, data[name], 1.0, length=120),
        ]
    most = int(data["after"].argmax())
    return st.figure_svg(
        "head-learns",
        "A head learns",
        f"The loss over {len(losses)} steps falls from {losses[0]:.2f} to {losses[-1]:.2f}. Before"
        f" training the token {tokens[-1]} gives the tokens {', '.join(tokens)} the weights"
        f" {st.listed(data['before'])}; afterwards {st.listed(data['after'])}, nearly all to"
        f" {tokens[most]}.",
        y + 180,
        parts,
        left=12,
        right=464.1,
    )


def _level(loss: Any) -> Any:
    """Return the height of a loss in the plot; what is above the plot is drawn at its edge."""
    return FLOOR - (FLOOR - TOP) * np.minimum(loss, PEAK) / PEAK


def _curve(losses: Any) -> str:
    x = np.linspace(LEFT, RIGHT, len(losses))
    return st.polyline(zip(x, _level(losses), strict=True))


def _loss_axes(steps: int) -> list[str]:
    """Draw the axes of a plot of the loss, with the loss of an even guess among ten digits."""
    even = _level(np.log(10))
    parts = [st.text(LEFT - 28, 20, "loss of each batch, step by step", size=16)]
    for tick in (0, 1, 2):
        y = _level(tick)
        parts += [
            st.path(f"M{LEFT} {st.num(y)}H{RIGHT}", width=1 if tick == 0 else 0.5),
            st.text(LEFT - 8, y + 5, f"{tick}", anchor="end", cls="vk-muted", size=st.SMALL),
        ]
    return [
        *parts,
        st.path(f"M{LEFT} {st.num(even)}H{RIGHT}", cls="muted", more=' stroke-dasharray="4"'),
        st.text(RIGHT, even - 7, "an even guess", anchor="end", cls="vk-muted", size=st.SMALL),
        *(
            st.text(
                np.interp(step, (0, steps), (LEFT, RIGHT)),
                FLOOR + 20,
                f"{step}",
                anchor="middle",
                cls="vk-muted",
                size=st.SMALL,
            )
            for step in range(0, steps + 1, 100)
        ),
    ]


def live_data(after: Any = None, losses: Sequence[float] | None = None) -> dict[str, Any]:
    """Return the loss of each step, and what each letter of a sequence reads after training."""
    _, kept_after, kept_losses = trained_head.load()
    after = kept_after if after is None else after
    each = np.asarray(kept_losses if losses is None else losses)
    pairs = trained_head.tokens[:-1]
    asks = [pair[0] for pair in pairs]
    X = np.stack([encode([*pairs, letter]) for letter in asks])
    q, K = project(X[:, -1:], after.W_Q), project(X, after.W_K)
    weights = attention_weights(attention_scores(q, K), scale=float(1 / np.sqrt(K.shape[-1])))
    return {
        "pairs": pairs,
        "losses": each.round(4),
        "weights": weights[:, 0].round(4),
        "digits": softmax(answer_scores(after, X)).round(4),
    }


def draw_live(data: Mapping[str, Any]) -> str:
    """Draw the loss, and a map of the weights of every letter that can be asked for."""
    pairs, losses, weights = data["pairs"], data["losses"], data["weights"]
    left, wide, high, y = 66, 52, 32, FLOOR + 84
    curve = _curve(losses)
    parts = [
        *_loss_axes(len(losses)),
        part("kept", st.path(curve, cls="muted", width=1)),
        part("legend", st.text(RIGHT, TOP + 64, "", anchor="end", cls="vk-muted", size=st.SMALL)),
        part("above", st.text(RIGHT, _level(np.log(10)) + 16, "", anchor="end", size=st.SMALL)),
        part("curve", st.path(curve, cls="fg", width=1.75)),
        part("now", st.dot(RIGHT, float(_level(losses[-1])), 4, "fg")),
        st.text(LEFT - 28, y - 34, f"what the last letter reads after {' '.join(pairs)}", size=16),
        st.text(left + 5 * wide + 16, y - 8, "its answer ($p$)", cls="vk-muted", size=st.SMALL),
        *(
            st.text(left + (j + 0.5) * wide, y - 8, name, anchor="middle", size=st.SMALL)
            for j, name in enumerate([*pairs, "itself"])
        ),
        part("scale", st.text(left, y + 4 * high + 16, "", cls="vk-muted", size=st.SMALL)),
    ]
    for i, (pair, row, digits) in enumerate(zip(pairs, weights, data["digits"], strict=True)):
        middle = y + (i + 0.5) * high + 5
        parts.append(part("asks", st.text(left - 12, middle, f"{pair[0]}", anchor="end")))
        for j, weight in enumerate(row):
            x, opacity = left + j * wide, st.FAINT + (st.FULL - st.FAINT) * float(weight)
            cell = st.rect(
                x, y + i * high, wide - 2, high - 2, cls="vk-score", opacity=round(opacity, 2)
            )
            number = st.text(x + wide / 2 - 1, middle - 1, f"{weight:.2f}", anchor="middle")
            parts += [part("weight", cell), part("number", number)]
        right = st.rect(left + i * wide, y + i * high, wide - 2, high - 2, cls="vk-fg", stroke=1.5)
        answer = int(digits.argmax())
        told = f"{answer} ({digits[answer]:.2f})"
        parts += [right, part("answer", st.text(left + 5 * wide + 16, middle, told, size=st.SMALL))]
    svg = st.figure_svg(
        "train-live",
        "A head in training",
        f"The loss over {len(losses)} steps falls from {losses[0]:.2f} to {losses[-1]:.2f}. Below,"
        f" a map of weights at the end: the letters {', '.join(p[0] for p in pairs)}, each asked"
        f" after {', '.join(pairs)}, give {st.listed(weights.diagonal())} of their weight to"
        " the pair with the same letter.",
        y + 4 * high + 22,
        parts,
        left=12,
        right=464.1,
    )
    plot = {"left": LEFT, "right": RIGHT, "top": TOP, "bottom": FLOOR, "peak": PEAK}
    shade = {"faint": st.FAINT, "full": st.FULL}
    shipped = {"pairs": pairs, "losses": losses, "plot": plot, "shade": shade}
    return touchable(
        "train-live",
        svg,
        shipped,
        hint=(
            "Press Play; then train without scaling, without softmax, or without a "
            "separate key matrix."
        ),
    )


def matrices_data(before: Any = None, after: Any = None) -> dict[str, Any]:
    """Return W_Q W_Kᵀ / √d_k (letters against all features) and W_V, before and after."""
    kept_before, kept_after, _ = trained_head.load()
    data: dict[str, Any] = {"features": trained_head.features}
    before = kept_before if before is None else before
    after = kept_after if after is None else after
    for name, W in (("before", before), ("after", after)):
        data[f"{name} match"] = ((W.W_Q @ W.W_K.T)[:8] / np.sqrt(W.W_K.shape[1])).round(3)
        data[f"{name} value"] = W.W_V.round(3)
    return data


def draw_matrices(data: Mapping[str, Any]) -> str:
    """Draw both products before and after: noise, then diagonals."""
    features = data["features"]
    letters, digits = features[:8], features[8:]
    parts = [st.text(4, 20, r"who reads whom: $W_Q W_K^\top / \sqrt{d_k}$", size=16)]
    y = 74
    for name in ("before", "after"):
        parts += [
            st.text(30, y - 28, f"{name} training", cls="vk-muted", size=st.SMALL),
            *_signed_map(30, y, 24, data[f"{name} match"], 8.0, letters, features),
        ]
        y += 8 * ROW + 60
    y += 36
    parts.append(st.text(4, y - 54, "what is handed over: $W_V$", size=16))
    for x, name in ((30, "before"), (264, "after")):
        parts += [
            st.text(x, y - 28, f"{name} training", cls="vk-muted", size=st.SMALL),
            *_signed_map(x, y, 20, data[f"{name} value"], 4.0, features, digits),
        ]
    foot = y + 18 * ROW + 30
    parts += [
        st.rect(30, foot - 11, 14, 14, cls="vk-query", opacity=signs.STRONGEST, radius=2),
        st.text(52, foot, "above 0", cls="vk-muted", size=st.SMALL),
        st.rect(132, foot - 11, 14, 14, cls="vk-key", opacity=signs.STRONGEST, radius=2),
        st.text(154, foot, "below 0; the fainter, the nearer to it", cls="vk-muted", size=st.SMALL),
    ]
    return st.figure_svg(
        "head-matrices",
        "What the matrices have learned",
        "Maps of two products, before and after training. Before, all entries are small and"
        " without a pattern. Afterwards, W_Q times the transpose of W_K has its largest entries"
        " where a letter meets the same letter, and all digits add alike; W_V has its largest"
        " where a digit meets itself, and almost nothing in the rows of the letters.",
        foot + 14,
        parts,
        left=4,
        right=465.5,
    )


def _signed_map(
    x: float,
    y: float,
    width: float,
    values: Any,
    full: float,
    rows: Sequence[str],
    columns: Sequence[str],
) -> list[str]:
    """Draw a map of numbers with signs, whose colours are full from a size on."""
    wide, high = width * len(columns), ROW * len(rows)
    parts = [st.rect(x - 1, y - 1, wide + 1, high + 1, cls="vk-line", stroke=1, radius=2)]
    parts += [
        st.text(x - 10, y + (i + 0.5) * ROW + 5, name, anchor="middle", cls="vk-muted", size=13.5)
        for i, name in enumerate(rows)
    ]
    parts += [
        st.text(x + (j + 0.5) * width, y - 6, name, anchor="middle", cls="vk-muted", size=13.5)
        for j, name in enumerate(columns)
    ]
    # A line for each number, a path for each shade: rectangles would be 700 elements of a page.
    cells: dict[tuple[str, float], str] = {}
    for (i, j), value in np.ndenumerate(values):
        if (shade := signs.shade(value, full))[1]:
            left, middle = x + j * width, y + i * ROW + (ROW - 1) / 2
            cells[shade] = f"{cells.get(shade, '')}M{st.num(left)} {st.num(middle)}h{width - 1:g}"
    parts += [
        st.path(lines, cls=hue, width=ROW - 1, more=f' stroke-opacity="{opacity:g}"')
        for (hue, opacity), lines in cells.items()
    ]
    return parts


def backward_data() -> dict[str, Any]:
    """Return the median length of a row of each gradient, for moderate and for large scores."""
    rng = np.random.default_rng(1)
    query, key = rng.normal(size=(64, 16)), rng.normal(size=(8, 16))
    value, dL_dZ = rng.normal(size=(8, 5)), rng.normal(size=(64, 5))
    dL_dalpha = dL_dZ @ value.T
    data: dict[str, Any] = {"factors": (1, 16), "names": ["Z", "V", "α", "S", "Q"]}
    for factor in data["factors"]:
        q = factor * query
        scale = float(1 / np.sqrt(q.shape[-1]))
        alpha = attention_weights(attention_scores(q, key), scale=scale)
        dL_dQ, _, dL_dV = scaled_dot_product_attention_backward(dL_dZ, q, key, value)
        dL_dS = softmax_backward(dL_dalpha, alpha) * scale
        gradients = (dL_dZ, dL_dV, dL_dalpha, dL_dS, dL_dQ)
        rows = [np.median(np.linalg.norm(gradient, axis=-1)) for gradient in gradients]
        data[f"times {factor}"] = np.array(rows).round(6)
    return data


def draw_backward(data: Mapping[str, Any]) -> str:
    """Draw a bar for each gradient, top to bottom as it goes back, for two sizes of scores."""
    names, factors = data["names"], data["factors"]
    steps = ("the output", "$Z$ = $αV$", "$Z$ = $αV$", "through softmax", "$S$ = $QK^T$")
    hues = {"Z": "fg", "V": "value", "α": "score", "S": "score", "Q": "query"}
    row, y = 44, 70
    most = np.maximum(*(data[f"times {factor}"] for factor in factors))
    parts = [st.text(4, 20, "median length of a row of the gradient", size=16)]
    for x, factor in zip((166, 326), factors, strict=True):
        words = "moderate scores" if factor == 1 else f"{factor} times as large"
        parts.append(st.text(x, 46, words, cls="vk-muted", size=st.SMALL))
        for i, (name, size) in enumerate(zip(names, data[f"times {factor}"], strict=True)):
            length = max(96 * float(size / most[i]), 1.5)
            parts += [
                st.rect(x, y + row * i, length, 18, cls=f"vk-{hues[name]}", opacity=0.75, radius=2),
                st.text(x + length + 6, y + row * i + 14, f"{size:.2f}", size=st.SMALL),
            ]
    for i, (name, step) in enumerate(zip(names, steps, strict=True)):
        parts += [
            st.text(24, y + row * i + 14, f"∂$L$/∂${name}$", size=16),
            st.text(24, y + row * i + 32, step, cls="vk-muted", size=st.SMALL),
        ]
    parts.append(st.arrow([(10, y - 4), (10, y + row * len(names) - 10)], "muted"))
    small, large = (data[f"times {factor}"] for factor in factors)
    return st.figure_svg(
        "backward",
        "How far a gradient gets",
        "Median row lengths of the gradients with respect to Z, V, alpha, S and Q. With moderate"
        f" scores {st.listed(small)}; with scores {factors[1]} times as large {st.listed(large)}:"
        " those behind softmax are nearly 0.",
        y + row * len(names),
        parts,
        left=4,
        right=457.5,
    )


# Of each array in the graph: its middle, its colour, and what its gradient is made of.
GRAPH: dict[str, tuple[int, int, str, str]] = {
    "Q": (70, 40, "query", "∂$S$ · $K$"),
    "K": (190, 40, "key", "∂$S^T$ · $Q$"),
    "S": (130, 140, "score", r"∂$α$ through softmax, ÷ $\sqrt{d_k}$"),
    "α": (130, 230, "score", "∂$Z$ · $V^T$"),
    "V": (350, 230, "value", "$α^T$ · ∂$Z$"),
    "Z": (240, 330, "fg", "from the loss"),
}
EDGES = (("Q", "S"), ("K", "S"), ("S", "α"), ("α", "Z"), ("V", "Z"), ("Z", "L"))


def graph_data() -> dict[str, Any]:
    """Return the arrays of attention, what follows from what, and each gradient in a few signs."""
    return {"arrays": list(GRAPH), "edges": EDGES, "gradients": [row[3] for row in GRAPH.values()]}


def draw_graph(data: Mapping[str, Any]) -> str:
    """Draw the forward pass downwards, and beside each array its gradient."""
    places = {name: (x, y) for name, (x, y, _, _) in GRAPH.items()} | {"L": (240, 410)}
    parts = []
    for start, end in data["edges"]:
        (x0, y0), (x1, y1) = places[start], places[end]
        way = np.array([x1 - x0, y1 - y0]) / np.hypot(x1 - x0, y1 - y0)
        parts.append(
            st.arrow([(x0 + 22 * way[0], y0 + 22 * way[1]), (x1 - 22 * way[0], y1 - 22 * way[1])])
        )
    for name, (x, y, hue, gradient) in GRAPH.items():
        parts += [
            f'<circle class="vk-{hue}" fill-opacity=".14" cx="{x}" cy="{y}" r="18"/>',
            f'<circle class="vk-{hue} vk-stroke" stroke-width="1.5" cx="{x}" cy="{y}" r="18"/>',
            st.text(x, y + 6, f"${name}$", anchor="middle", size=17),
            st.text(x + 26, y + 6, gradient, cls=f"vk-{hue}", size=st.SMALL),
        ]
    parts += [
        '<circle class="vk-fg vk-stroke" stroke-width="1.5" cx="240" cy="410" r="18"/>',
        st.text(240, 416, "$L$", anchor="middle", size=17),
        st.text(266, 416, "the loss", cls="vk-muted", size=st.SMALL),
        st.arrow([(458, 410), (458, 30)], "muted"),
        st.text(448, 24, "gradients", anchor="end", cls="vk-muted", size=st.SMALL),
        st.arrow([(20, 30), (20, 410)], "muted"),
        st.text(30, 424, "forward", cls="vk-muted", size=st.SMALL),
    ]
    return st.figure_svg(
        "backward-graph",
        "The way back through attention",
        "A graph of the forward pass: queries and keys make the scores S, these the weights alpha;"
        " weights and values make the output Z, and from it comes the loss L. Beside each array"
        " is the formula that computes its gradient from the gradient of what comes after it.",
        440,
        parts,
        left=16,
        right=463.5,
    )


# The parts of a head in their order, and for each variant of it what takes the place of a part.
PARTS_OF_HEAD = {
    "$Q$ = $XW_Q$": "query",
    "$K$ = $XW_K$": "key",
    r"÷ $\sqrt{d_k}$": "score",
    "softmax": "score",
    "$V$ = $XW_V$": "value",
}
TAKEN: dict[str, dict[int, str]] = {
    "as above": {},
    "no scaling": {2: ""},
    "one matrix": {1: "$K$ = $XW_Q$"},
    "no $W_Q$, $W_K$": {0: "$Q$ = $X$", 1: "$K$ = $X$"},
    "no softmax": {3: ""},
}


def taken_data() -> dict[str, Any]:
    """Return the parts of a head, and what each variant has in place of some of them."""
    return {"parts": list(PARTS_OF_HEAD), "variants": TAKEN}


def draw_taken(data: Mapping[str, Any]) -> str:
    """Draw a row of boxes for each variant; a part that is missing or replaced is dashed."""
    left, wide, pitch, high, parts = 12.0, 88.0, 94.0, 30.0, []
    for i, (name, taken) in enumerate(data["variants"].items()):
        y = 34 + 66.0 * i
        parts.append(st.text(left, y - 10, name, bold=i == 0, size=st.SMALL))
        for j, words in enumerate(data["parts"]):
            x, hue = left + pitch * j, PARTS_OF_HEAD[words]
            shown = taken.get(j, words)
            if j in taken:
                box = st.rect(x, y, wide, high, cls="vk-muted", stroke=1.25)
                parts.append(box.replace("/>", ' stroke-dasharray="4 4"/>'))
            else:
                parts.append(st.rect(x, y, wide, high, cls=f"vk-{hue}", opacity=0.25))
            if shown:
                parts.append(st.text(x + wide / 2, y + 20, shown, anchor="middle", size=st.SMALL))
    return st.figure_svg(
        "parts-taken-away",
        "Which part each variant lacks",
        "Five rows of the parts of a head: query matrix, key matrix, scaling, softmax and value"
        " matrix. The first row has all of them; in each other row one or two are missing or"
        " replaced.",
        34 + 66 * len(data["variants"]) - 30,
        parts,
        left=left,
        right=left + 4 * pitch + wide,
    )
