"""What a score measures: dot product against cosine, look-up against blend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from figures import touch
from snippets.attention import attention_weights

QUERY, KEYS = np.array([1.0, 0.0]), np.array([[1.0, 0.0], [3.0, 3.0]])
DRAGGED, TWO_KEYS = np.array([2.0, 1.0]), np.array([[1.6, 0.4], [1.0, 3.0]])
LEFT = 24  # edge of the plane whose vectors can be dragged


def dot_data(query: Any = QUERY, keys: Any = KEYS) -> dict[str, Any]:
    """Return one query, two keys, and both measures of how alike they are."""
    dots = keys @ query
    lengths = np.linalg.norm(keys, axis=1) * np.linalg.norm(query)
    return {"q": query, "keys": keys, "dots": dots, "cosines": dots / lengths}


def draw_dot(data: Mapping[str, Any]) -> str:
    """Draw the plane: the longer key wins by dot product, not by cosine."""
    q, (k1, k2), dots, cosines = data["q"], data["keys"], data["dots"], data["cosines"]
    left, bottom, unit = 44, 300, 84

    def place(v: Any) -> tuple[float, float]:
        return left + unit * float(v[0]), bottom - unit * float(v[1])

    origin, end = place((0, 0)), place(k2)
    foot = place((dots[1], 0))
    parts = [
        st.path(f"M{left} 24V{bottom}H330"),
        *(
            st.text(place((t, 0))[0], bottom + 22, str(t), anchor="middle", cls="vk-muted", size=13)
            for t in (1, 2, 3)
        ),
        *(
            st.text(left - 10, place((0, t))[1] + 5, str(t), anchor="end", cls="vk-muted", size=13)
            for t in (1, 2, 3)
        ),
        st.path(st.polyline([end, foot]), cls="muted", width=1, more=' stroke-dasharray="4 4"'),
        st.arrow([origin, end], "key", 2.5),
        st.path(
            st.polyline([origin, place(q)]), cls="query", width=7, more=' stroke-opacity=".45"'
        ),
        st.arrow([origin, place(k1)], "key", 2.5),
        st.path(f"M{left + 40} {bottom}a40 40 0 0 0 -11.7 -28.3", cls="muted"),
        st.text(left + 46, bottom - 17, "45°", cls="vk-muted", size=st.SMALL),
        st.text(place(q)[0] + 12, bottom - 28, "$q$ = (1, 0)", cls="vk-query"),
        st.text(place(k1)[0] + 12, bottom - 8, "$k_1$ = (1, 0)", cls="vk-key"),
        st.text(end[0] - 26, end[1] + 6, "$k_2$ = (3, 3)", anchor="end", cls="vk-key"),
        st.text(foot[0] + 10, 150, "$k_2$ reaches 3", cls="vk-muted", size=st.SMALL),
        st.text(foot[0] + 10, 169, "along $q$", cls="vk-muted", size=st.SMALL),
    ]
    y = 366
    for x, words in ((250, "dot product $q$ · $k$"), (420, "cosine")):
        parts.append(st.text(x, y, words, anchor="middle", cls="vk-muted"))
    parts.append(st.path(f"M40 {y + 12}H464", width=0.75))
    for i, (dot, cosine) in enumerate(zip(dots, cosines, strict=True)):
        level = y + 38 + 28 * i
        parts += [
            st.text(60, level, f"$k_{i + 1}$", cls="vk-key"),
            st.text(250, level, f"{dot:g}", anchor="middle", bold=dot == dots.max()),
            st.text(420, level, f"{cosine:.4g}", anchor="middle", bold=cosine == cosines.max()),
        ]
    parts.append(
        st.text(60, y + 96, "nearest to $q$", cls="vk-muted")
        + st.text(250, y + 96, f"$k_{dots.argmax() + 1}$", anchor="middle", cls="vk-key")
        + st.text(420, y + 96, f"$k_{cosines.argmax() + 1}$", anchor="middle", cls="vk-key")
    )
    return st.figure_svg(
        "dot-and-cosine",
        "Dot product and cosine",
        "A plane with the query (1, 0), a key at the same place, and a longer key (3, 3) at 45"
        f" degrees. Their dot products with the query are {dots[0]:g} and {dots[1]:g}, their"
        f" cosines {cosines[0]:g} and {cosines[1]:.4f}: the order turns round.",
        y + 112,
        parts,
        left=26.9,
        right=465.5,
    )


def drag_data(q: Any = DRAGGED, two_keys: Any = TWO_KEYS) -> dict[str, Any]:
    """Return a query and two keys, of which each measure prefers another, and both measures."""
    return dot_data(q, two_keys)


def draw_drag(data: Mapping[str, Any]) -> str:
    """Draw a query, two keys, and where on the query's line each key lands."""
    q, keys, dots, cosines = data["q"], data["keys"], data["dots"], data["cosines"]
    unit, limits = 54, {"x": (-4, 4), "y": (-2, 4)}
    origin = (24 + unit * 4, 40 + unit * 4)

    def place(v: Any) -> tuple[float, float]:
        return origin[0] + unit * float(v[0]), origin[1] - unit * float(v[1])

    tips = [q, *keys]
    letters: list[Any] = []

    def beyond(v: Any) -> tuple[float, float]:
        """Return where the letter of a vector stands: beyond its tip, clear of all others."""
        out = v / np.linalg.norm(v)
        others = [*(tip for tip in tips if tip is not v), *letters]

        def spot(turn: int) -> Any:
            c, s = np.cos(turn * np.pi / 4), np.sin(turn * np.pi / 4)
            return v + 0.6 * np.array([[c, -s], [s, c]]) @ out

        def room(turn: int) -> float:
            return min(0.7, *(float(np.linalg.norm(spot(turn) - other)) for other in others))

        letters.append(spot(max((0, -1, 1, -2, 2), key=room)))
        x, y = place(letters[-1])
        return float(np.clip(x, LEFT + 2, LEFT + st.WIDTH - 14)), max(y, 8) + 5

    (left, bottom), (right, top) = place((-4, -2)), place((4, 4))
    direction = q / np.linalg.norm(q)
    # As far as the line stays in the plane.
    ends = [
        sign
        * direction
        * min(
            limit / (sign * step)
            for step, span in zip(direction, limits.values(), strict=True)
            for limit in span
            if limit * sign * step > 0
        )
        for sign in (-1, 1)
    ]
    parts = [
        st.path(
            "".join(f"M{place((t, 0))[0]:g} {top:g}V{bottom:g}" for t in range(-4, 5))
            + "".join(f"M{left:g} {place((0, t))[1]:g}H{right:g}" for t in range(-2, 5)),
            width=0.4,
        ),
        st.path(f"M{origin[0]} {top:g}V{bottom:g}M{left:g} {origin[1]}H{right:g}", width=1.25),
        touch.part(
            "line",
            st.path(
                st.polyline([place(end) for end in ends]),
                cls="query",
                width=1,
                more=' stroke-dasharray="1 4"',
            ),
        ),
    ]
    for key in keys:
        foot = key @ direction * direction
        parts.append(
            touch.part(
                "foot",
                st.path(
                    st.polyline([place(key), place(foot)]),
                    cls="key",
                    width=1,
                    more=' stroke-dasharray="4 4"',
                ),
            )
        )
        parts.append(touch.part("landing", st.dot(*place(foot), 4, "key")))
    for v, hue, name in zip(tips, ("query", "key", "key"), ("$q$", "$k_1$", "$k_2$"), strict=True):
        x, y = beyond(v)
        parts += [
            touch.part("vector", st.arrow([origin, place(v)], hue, 2.5)),
            touch.part("name", st.text(x, y, name, anchor="middle", cls=f"vk-{hue}")),
        ]
    y = bottom + 36
    columns = (
        (236, "dot product", dots, "dot"),
        (352, "cosine", cosines, "cosine"),
        (431, "length", np.linalg.norm(keys, axis=1), "length"),
    )
    parts += [st.text(x, y, words, anchor="middle", cls="vk-muted") for x, words, *_ in columns]
    parts.append(st.path(f"M24 {y + 12}H456", width=0.75))
    for i, key in enumerate(keys):
        level = y + 38 + 28 * i
        parts += [
            st.text(30, level, f"$k_{i + 1}$", cls="vk-key"),
            touch.part("key", st.text(58, level, f"({key[0]:.1f}, {key[1]:.1f})")),
            *(
                touch.part(
                    name,
                    st.text(
                        x,
                        level,
                        f"{values[i]:.2f}",
                        anchor="middle",
                        bold=name != "length" and i == values.argmax(),
                    ),
                )
                for x, _, values, name in columns
            ),
        ]
    svg = st.figure_svg(
        "dot-against-cosine",
        "Dot product against cosine",
        f"A plane with a query ({q[0]:g}, {q[1]:g}) and two keys, ({keys[0, 0]:g}, {keys[0, 1]:g})"
        f" and ({keys[1, 0]:g}, {keys[1, 1]:g}), each dropped onto the query's line. The dot"
        f" products are {st.listed(dots)}, the cosines {st.listed(cosines)}.",
        y + 84,
        parts,
        left=LEFT,
        right=457.5,
    )
    plane = {"origin": origin, "unit": unit, **limits}
    start = {"vectors": [q, *keys], "plane": plane}
    return touch.touchable(
        "dot-against-cosine",
        svg,
        start,
        hint=(
            "Drag the three arrows. Make a key longer without turning it: its dot "
            "product grows, and its cosine does not change. Then turn the key until "
            "both measures prefer the same key."
        ),
    )


LIBRARY = np.array([[4.0, 0.0, 0.0], [2.0, 2.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 3.0]])
CHAPTERS = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 0.0], [0.3, 0.1]])
BLEND = attention_weights(LIBRARY @ np.array([2.0, 1.0, 0.0]), scale=1 / np.sqrt(3))


def analogy_data(
    words: Any = ("River", "bank", "is", "calm"), weights: Any = BLEND, z: Any = BLEND @ CHAPTERS
) -> dict[str, Any]:
    """Return the table of the note: how one query blends the values, and the result."""
    return {"tokens": list(words), "weights": weights, "z": z}


def draw_analogy(data: Mapping[str, Any]) -> str:
    """Let a dictionary return one value, and attention a blend of all."""
    tokens, weights, z = data["tokens"], data["weights"], data["z"]
    exact = np.eye(len(tokens))[0]
    parts = [
        *_lookup(
            44, "A dictionary: the key that equals the query", tokens, exact, 0, ["its", "value"]
        ),
        *_lookup(
            274,
            "Attention: every key, as far as it answers the query",
            tokens,
            weights,
            1,
            [f"({z[0]:.2f},", f"{z[1]:.2f})"],
        ),
    ]
    return st.figure_svg(
        "query-key-value-analogy",
        "Look-up and attention",
        "Above, a query meets four keys, equals one of them and gets its value alone. Below, the"
        f" query of bank is compared with all four keys, {st.listed(weights, 3)}, and gets a"
        f" blend of all four values, {st.listed(z)}.",
        458,
        parts,
        left=8,
        right=473.5,
    )


def _lookup(
    y: float, title: str, tokens: list[str], weights: Any, asking: int, result: list[str]
) -> list[str]:
    """Draw one query, all keys and values, and lines as wide as the weights."""
    height, x_q, x_k, x_v, x_out = 36, 8, 148, 306, 414
    middle, soft = y + 30 + len(tokens) / 2 * height, weights.max() < 1
    parts = [
        st.text(8, y - 18, title),
        st.text(x_k + 43, y + 16, "keys", anchor="middle", cls="vk-key", size=st.SMALL),
        st.text(x_v + 26, y + 16, "values", anchor="middle", cls="vk-value", size=st.SMALL),
    ]
    for i, (token, weight) in enumerate(zip(tokens, weights, strict=True)):
        centre = y + 30 + (i + 0.5) * height
        used = weight > 0
        width = 26 * float(weight) if soft else 4
        if used:
            parts += [
                st.path(
                    _bend(x_q + 78, middle, x_k, centre),
                    cls="query",
                    width=width,
                ),
                st.path(f"M{x_k + 86} {centre:g}H{x_v}", cls="score", width=width),
                st.path(
                    _bend(x_v + 52, centre, x_out, middle),
                    cls="value",
                    width=width,
                ),
                st.text(
                    (x_k + 86 + x_v) / 2,
                    centre - max(6, width / 2 + 4),
                    f"{weight:.2f}" if soft else "1",
                    anchor="middle",
                    cls="vk-score",
                    size=st.SMALL,
                ),
            ]
        fill = 0.22 if used else 0.06
        parts += [
            st.rect(x_k, centre - 14, 86, 28, cls="vk-key", opacity=fill),
            st.rect(x_v, centre - 14, 52, 28, cls="vk-value", opacity=fill),
            st.text(x_k + 43, centre + 5, token, anchor="middle", cls="" if used else "vk-muted"),
            st.text(
                x_v + 26,
                centre + 5,
                f"$v_{i + 1}$",
                anchor="middle",
                cls="" if used else "vk-muted",
            ),
        ]
    return [
        *parts,
        st.rect(x_q, middle - 14, 78, 28, cls="vk-query", opacity=0.22),
        st.text(x_q + 39, middle + 5, tokens[asking], anchor="middle", bold=True),
        st.text(x_q + 39, middle - 22, "query", anchor="middle", cls="vk-query", size=st.SMALL),
        st.rect(x_out, middle - 25, 58, 50, cls="vk-value", opacity=0.22),
        *(
            st.text(x_out + 29, middle - 4 + 19 * i, words, anchor="middle")
            for i, words in enumerate(result)
        ),
    ]


def _bend(x0: float, y0: float, x1: float, y1: float) -> str:
    """Return path data that leave and arrive level."""
    middle = (x0 + x1) / 2
    places = (x0, y0, middle, y0, middle, y1, x1, y1)
    return "M{} {}C{} {} {} {} {} {}".format(*map(st.num, places))
