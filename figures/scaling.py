"""Why scores are divided by √d_k: their spread, and what a spread does to softmax."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from figures import style as st
from figures import touch
from snippets.attention import attention_scores
from snippets.softmax import softmax

LEFT, RIGHT = 44, 492  # of the plots


@cache
def _drawn(queries: int) -> tuple[dict[int, Any], dict[int, Any]]:
    """Return the scores of standard normal queries with keys, and the keys, for several widths."""
    rng = np.random.default_rng(0)
    scores, keys = {}, {}
    for d_k in (1, 4, 16, 64, 256, 1024):
        query, keys[d_k] = rng.standard_normal((queries, d_k)), rng.standard_normal((64, d_k))
        scores[d_k] = attention_scores(query, keys[d_k])
    return scores, keys


def variance_data(measured: Any = None) -> dict[str, Any]:
    """Return histograms of scores of queries and keys of three widths."""
    measured = _drawn(queries=1000)[0] if measured is None else measured
    widths = [4, 64, 1024]
    data: dict[str, Any] = {"widths": widths}
    for d_k in widths:
        scores = measured[d_k]
        for name, s, span, bins in (
            ("raw", scores, 80, 161),
            ("scaled", scores / np.sqrt(d_k), 4, 81),
        ):
            counts, _ = np.histogram(s, bins=np.linspace(-span, span, bins + 1))
            data[f"{name} {d_k}"] = counts / s.size
            data[f"{name} std {d_k}"] = s.std()
    return data


#: The largest share of the published scores. A reader's edit keeps this scale if its shares fit.
LARGEST_SHARE = {"raw": 0.22134375, "scaled": 0.044828125}


def draw_variance(data: Mapping[str, Any]) -> str:
    """Histograms of the scores for three d_k: apart before scaling, alike after."""
    widths = data["widths"]
    parts = []
    for top, name, span, label in (
        (54, "raw", 80, "score $q$ · $k$"),
        (346, "scaled", 4, "scaled score"),
    ):
        parts += [
            st.text(LEFT, top - 30, label, size=16),
            _axis(top + 190, np.linspace(-span, span, 5), (-span, span)),
        ]
        peak = max(LARGEST_SHARE[name], *(data[f"{name} {d}"].max() for d in widths))
        for d, weight in zip(widths, (1, 1.5, 2.25), strict=True):
            parts.append(_histogram(data[f"{name} {d}"] / peak, top, 190, weight))
    for d, x, y, leader in (
        (4, 292, 84, "M276 80h10"),
        (64, 323, 158, "M291 188L317 162"),
        (1024, 399, 196, "M366 234L393 204"),
    ):
        parts += [
            st.path(leader, cls="muted", width=0.75),
            st.text(x, y, f"$d_k$ = {d:,}", cls="vk-score"),
            st.text(x, y + 19, f"std {data[f'raw std {d}']:.2g}", cls="vk-muted", size=st.SMALL),
        ]
    stds = [f"{data[f'scaled std {d}']:.2f}" for d in widths]
    parts += [
        # Apart from the words, so that these begin where those above do, whatever the font.
        st.text(LEFT + 108, 316, r"$q \cdot k / \sqrt{d_k}$", size=16),
        st.path("M282 354h20M323 424h12", cls="muted", width=0.75),
        st.text(308, 359, "$d_k$ = 4", cls="vk-score"),
        st.text(308, 378, f"std {stds[0]}", cls="vk-muted", size=st.SMALL),
        st.text(341, 429, "$d_k$ = 64, 1,024", cls="vk-score"),
        st.text(341, 448, f"std {stds[1]}, {stds[2]}", cls="vk-muted", size=st.SMALL),
    ]
    return st.figure_svg(
        "score-variance",
        "Spread of the scores",
        "Histograms of query-key scores of standard normal vectors for d_k = 4, 64 and 1,024."
        " Unscaled they spread with standard deviations "
        + ", ".join(f"{data[f'raw std {d}']:.2g}" for d in widths)
        + f"; divided by the root of d_k, {', '.join(stds)}: the three nearly coincide.",
        576,
        parts,
        left=33.4,
        right=500.2,
    )


def _histogram(shares: Any, top: float, height: float, weight: float) -> str:
    half = (RIGHT - LEFT) / len(shares) / 2
    xs = np.linspace(LEFT + half, RIGHT - half, len(shares))
    drawn = shares > 0.002
    outline = st.polyline(zip(xs[drawn], top + height * (1 - shares[drawn]), strict=True))
    return f'<path class="vk-score" fill-opacity=".09" d="{outline}"/>' + st.path(
        outline, cls="score", width=weight
    )


def _axis(y: float, ticks: Sequence[float] | Any, span: tuple[float, float]) -> str:
    place = np.interp(ticks, span, (LEFT, RIGHT))
    return st.path(f"M{LEFT} {st.num(y)}H{RIGHT}") + "".join(
        st.text(
            x, y + 20, f"{tick:g}".replace("-", "−"), anchor="middle", cls="vk-muted", size=13.5
        )
        for x, tick in zip(place, ticks, strict=True)
    )


GRADIENT = np.random.default_rng(1).standard_normal((2000, 64))


def saturation_data(
    measured: Any = None, all_keys: Any = None, dL_dalpha: Any = GRADIENT
) -> dict[str, Any]:
    """Return the mean largest weight and the median of ‖dL/dq‖, raw and scaled, by d_k."""
    measured = _drawn(len(GRADIENT))[0] if measured is None else measured
    all_keys = _drawn(len(GRADIENT))[1] if all_keys is None else all_keys
    widths = list(measured)
    found: dict[str, list[tuple[float, float]]] = {"raw": [], "scaled": []}
    for d_k in widths:
        scores, key = measured[d_k], all_keys[d_k]
        for name, factor in (("raw", 1.0), ("scaled", 1 / np.sqrt(d_k))):
            weights = softmax(factor * scores)
            mean = (weights * dL_dalpha).sum(axis=1, keepdims=True)
            dL_dq = factor * weights * (dL_dalpha - mean) @ key
            median = np.median(np.linalg.norm(dL_dq, axis=1))
            found[name].append((weights.max(axis=1).mean(), median))
    return {
        "widths": widths,
        "largest": np.array([[pair[0] for pair in found[name]] for name in found]),
        "gradient": np.array([[pair[1] for pair in found[name]] for name in found]),
    }


def jacobian_norm(weights: Any) -> Any:
    """Frobenius norm of diag(p) − ppᵀ for each row p."""
    squares = (weights**2).sum(axis=-1)
    squared_norm = squares - 2 * (weights**3).sum(axis=-1) + squares**2
    return np.sqrt(np.maximum(squared_norm, 0))  # a one-hot row may round to below zero


def draw_saturation(data: Mapping[str, Any]) -> str:
    """Against d_k: how large the largest weight is, and what gradient reaches a query."""
    widths = data["widths"]
    x = np.linspace(LEFT, 420, len(widths))
    parts = []
    for top, name, label, ticks in (
        (52, "largest", "mean largest weight of a row", (0, 0.5, 1)),
        (310, "gradient", "median length of a query’s gradient", (0, 0.5, 1)),
    ):
        height = 160
        y = top + height * (1 - data[name] / ticks[-1])
        parts.append(st.text(LEFT - 32, top - 26, label, size=16))
        for tick in ticks:
            level = top + height * (1 - tick / ticks[-1])
            parts += [
                st.path(f"M{LEFT} {st.num(level)}H{st.num(x[-1])}", width=1 if tick == 0 else 0.5),
                st.text(LEFT - 8, level + 5, f"{tick:g}", anchor="end", cls="vk-muted", size=13),
            ]
        for values, hue, words in ((y[0], "fg", "unscaled"), (y[1], "petrol", "scaled")):
            parts.append(st.path(st.polyline(zip(x, values, strict=True)), cls=hue, width=2))
            parts += [st.dot(a, b, 3.5, hue) for a, b in zip(x, values, strict=True)]
            parts.append(st.text(x[-1] + 12, values[-1] + 5, words, cls=f"vk-{hue}"))
        parts += [
            st.text(place, top + height + 22, f"{d_k:,}", anchor="middle", cls="vk-muted", size=13)
            for place, d_k in zip(x, widths, strict=True)
        ]
        parts.append(st.text(x[-1] + 40, top + height + 22, "$d_k$"))
    largest, gradient = data["largest"].round(2), data["gradient"].round(3)
    return st.figure_svg(
        "softmax-saturation",
        "Saturation of softmax",
        "Two charts against d_k from 1 to 1,024, for standard normal queries and 64 keys. The mean"
        f" largest weight rises from {largest[0, 0]} to {largest[0, -1]} unscaled and ends at"
        f" {largest[1, -1]} scaled; the median length of a query's gradient peaks at"
        f" {gradient[0].max()}, then falls to {gradient[0, -1]} unscaled, and ends at"
        f" {gradient[1, -1]} scaled.",
        506,
        parts,
        left=12,
        right=498,
    )


SCORES = np.array([2.0, 1.5, 0.5, 0.0, -0.5, -1.5])  # those of the note on saturation
TEMPERATURES = (100, 1, 0.1, 0.01)


def temperature_data(row: Any = SCORES) -> dict[str, Any]:
    """Return the weights of one row of scores at four temperatures, and exp of their entropy."""
    weights = np.array([softmax(row / tau) for tau in TEMPERATURES])
    logs = np.log(np.where(weights > 0, weights, 1))
    return {
        "temperatures": TEMPERATURES,
        "weights": weights,
        "as many keys": np.exp(-(weights * logs).sum(axis=1)),
    }


def draw_temperature(data: Mapping[str, Any]) -> str:
    """Six bars for each temperature: even, descending, and down to a single one."""
    weights, top, height = data["weights"], 48, 150
    bottom = top + height
    parts = [st.text(12, 22, "weights of six keys", size=16)]
    for tick in (0, 0.5, 1):
        level = bottom - tick * height
        parts += [
            st.path(f"M40 {st.num(level)}H468", width=1 if tick == 0 else 0.5),
            st.text(32, level + 5, f"{tick:g}", anchor="end", cls="vk-muted", size=13),
        ]
    for left, tau, row, keys in zip(
        (48, 156, 264, 372),
        data["temperatures"],
        weights,
        data["as many keys"],
        strict=True,
    ):
        parts += [
            st.rect(
                left + 15 * i,
                bottom - max(weight * height, 1),
                12,
                max(weight * height, 1),
                cls="vk-score",
                opacity=0.75,
                radius=1,
            )
            for i, weight in enumerate(row)
        ]
        parts += [
            st.text(left + 43, bottom + 24, f"$τ$ = {tau:g}", anchor="middle"),
            st.text(
                left + 43,
                bottom + 44,
                f"{keys:.2f} keys",
                anchor="middle",
                cls="vk-muted",
                size=st.SMALL,
            ),
        ]
    largest = ", ".join(f"{row.max():.2f}" for row in weights)
    return st.figure_svg(
        "temperature",
        "Temperature",
        "The weights of six keys for the same scores at temperatures 100, 1, 0.1 and 0.01: even,"
        f" then descending, then all on the first key. The largest weights are {largest}.",
        bottom + 58,
        parts,
        left=12,
        right=469.5,
    )


# Two keys with a weight of one half each: no softmax responds more.
MOST = float(jacobian_norm(np.array([0.5, 0.5])))
LARGEST = 0.25  # entry of a Jacobian, there
KEYS, QUERIES, POWERS = 8, 6, 11  # of the figure to touch; widths are powers of 2


def gradient_data() -> dict[str, Any]:
    """Return the scores of a few queries and keys, for the first 1, 2, 4, … components of each."""
    rng = np.random.default_rng(0)
    query = rng.standard_normal((QUERIES, 2 ** (POWERS - 1)))
    key = rng.standard_normal((KEYS, 2 ** (POWERS - 1)))
    widths = 2 ** np.arange(POWERS)
    scores = np.array([attention_scores(query[:, :d], key[:, :d]) for d in widths])
    return {"widths": widths, "scores": scores, "power": 6, "query": 0}


def draw_gradient(data: Mapping[str, Any]) -> str:
    """Draw one row of scores, unscaled: their spread, the weights, the Jacobian and its norm."""
    scores = data["scores"][data["power"], data["query"]]
    d_k = data["widths"][data["power"]]
    weights = softmax(scores)
    J = np.diag(weights) - np.outer(weights, weights)
    share = float(jacobian_norm(weights)) / MOST
    span, level = 80, 58
    parts = [
        st.text(12, 22, "scores of one query with eight keys", size=16),
        _axis(level, np.linspace(-span, span, 5), (-span, span)),
        *(
            touch.part("score", _see_through(st.dot(x, level, 6, "score")))
            for x in np.interp(scores, (-span, span), (LEFT, RIGHT))
        ),
    ]
    top, height, left, bar = 142, 172, 40, 26
    bottom = top + height
    parts.append(st.text(12, top - 24, "weights", size=16))
    for tick in (0, 0.5, 1):
        y = bottom - tick * height
        parts += [
            st.path(f"M{left} {st.num(y)}h{bar * KEYS + 6}", width=1 if tick == 0 else 0.5),
            st.text(left - 8, y + 5, f"{tick:g}", anchor="end", cls="vk-muted", size=13),
        ]
    parts += [
        touch.part(
            "weight",
            st.rect(
                left + 4 + bar * j,
                bottom - max(height * weight, 1),
                bar - 4,
                max(height * weight, 1),
                cls="vk-score",
                opacity=0.75,
                radius=1,
            ),
        )
        for j, weight in enumerate(weights)
    ]
    x, cell = 318, height / KEYS
    parts += [
        st.text(x, top - 24, "Jacobian $J$", size=16),
        st.rect(x - 1, top - 1, height + 2, height + 2, cls="vk-line", stroke=1, radius=2),
        *(
            touch.part(
                "entry",
                st.rect(
                    x + j * cell + 0.5,
                    top + i * cell + 0.5,
                    cell - 1,
                    cell - 1,
                    cls="vk-query" if J[i, j] >= 0 else "vk-key",
                    opacity=round(min(abs(float(J[i, j])) / LARGEST, 1) ** 0.5, 3),
                    radius=1,
                ),
            )
            for i, j in np.ndindex(*J.shape)
        ),
    ]
    y = bottom + 40
    parts += [
        st.text(12, y, "gradient that gets through", size=16),
        st.rect(left, y + 14, 398, 18, cls="vk-muted", stroke=1, radius=3),
        touch.part(
            "share",
            st.rect(left, y + 14, max(398 * share, 1), 18, cls="vk-petrol", opacity=0.75, radius=3),
        ),
        touch.part("share label", st.text(left + 408, y + 28, f"{share:.2f}", bold=True)),
    ]
    svg = st.figure_svg(
        "scale-and-gradient",
        "Scale and gradient",
        f"For keys of width {d_k}, unscaled: eight scores on a line, spread with a standard"
        f" deviation of {scores.std():.1f}; their weights, the largest {weights.max():.2f}; the"
        f" Jacobian of softmax as a map; and its norm as a part of the largest possible,"
        f" {share:.2f}.",
        y + 48,
        parts,
        left=12,
        right=501,
    )
    plot = {
        "span": [-span, span, LEFT, RIGHT],
        "bottom": bottom,
        "height": height,
        "length": 398,
        "left": left,
        "largest": LARGEST,
        "most": MOST,
    }
    start = {name: data[name] for name in ("widths", "power", "query")}
    rounded = data["scores"].round(4)
    return touch.touchable(
        "scale-and-gradient",
        svg,
        {**start, "scores": rounded, "plot": plot},
        hint=(
            "Change the width and the divisor. Without a divisor, the bar is mostly "
            "short for wide keys. With the root, it stays long, except for very narrow "
            "keys. With the width itself, it stays long, too, but the weights become "
            "even."
        ),
    )


def _see_through(fragment: str) -> str:
    return fragment.replace("/>", ' fill-opacity=".55"/>')
